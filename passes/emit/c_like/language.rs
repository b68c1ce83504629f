//! What a C-like language says in its own way.

use std::borrow::Cow;

use akari_dialect::{BranchHint, Builtin, LoopHint};
use akari_ir::{ConstId, Module, OpId, Scalar, Type, ValueId};
use smallvec::{SmallVec, smallvec};

use super::expression::Printer;
use super::precedence::{Precedence, Side};

/// A part of a [`Spelling`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(Cow<'static, str>),
    /// A value, in parentheses where it binds more weakly than its place asks for.
    Value(ValueId, Precedence, Side),
}

/// How an operation is written: pieces in order, and how tightly the whole binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spelling {
    /// The parts.
    pub pieces: SmallVec<[Piece; 4]>,
    /// How tightly the whole binds.
    pub precedence: Precedence,
}

impl Spelling {
    /// Text alone that binds like a name.
    #[must_use]
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Self { pieces: smallvec![Piece::Text(text.into())], precedence: Precedence::Primary }
    }

    /// `lhs operator rhs`
    #[must_use]
    pub fn infix(operator: &'static str, precedence: Precedence, lhs: ValueId, rhs: ValueId) -> Self {
        let pieces = smallvec![
            Piece::Value(lhs, precedence, Side::Left),
            Piece::Text(Cow::Owned(format!(" {operator} "))),
            Piece::Value(rhs, precedence, Side::Right),
        ];
        Self { pieces, precedence }
    }

    /// `operator value`, such as `-x` or `(T)x`.
    #[must_use]
    pub fn prefix(operator: impl Into<Cow<'static, str>>, value: ValueId) -> Self {
        let pieces = smallvec![Piece::Text(operator.into()), Piece::Value(value, Precedence::Prefix, Side::Left)];
        Self { pieces, precedence: Precedence::Prefix }
    }

    /// `name(arguments)`
    #[must_use]
    pub fn call(name: impl Into<Cow<'static, str>>, arguments: &[ValueId]) -> Self {
        let mut spelling = Self::text(name);
        spelling.push_arguments("(", arguments, ")");
        spelling
    }

    /// `object.name(arguments)`
    #[must_use]
    pub fn method(object: ValueId, name: &'static str, arguments: &[ValueId]) -> Self {
        let mut spelling = Self::postfix(object, format!(".{name}"));
        spelling.push_arguments("(", arguments, ")");
        spelling
    }

    /// `{ parts }`, for initializers alone.
    #[must_use]
    pub fn braces(parts: &[ValueId]) -> Self {
        let mut spelling = Self { pieces: SmallVec::new(), precedence: Precedence::Primary };
        spelling.push_arguments("{ ", parts, " }");
        spelling
    }

    /// `value suffix`, such as `v.x`.
    #[must_use]
    pub fn postfix(value: ValueId, suffix: impl Into<Cow<'static, str>>) -> Self {
        let pieces = smallvec![Piece::Value(value, Precedence::Primary, Side::Left), Piece::Text(suffix.into())];
        Self { pieces, precedence: Precedence::Primary }
    }

    /// `value[index]`
    #[must_use]
    pub fn element(value: ValueId, index: ValueId) -> Self {
        let mut spelling = Self::postfix(value, "[");
        spelling.pieces.push(Piece::Value(index, Precedence::Whole, Side::Left));
        spelling.push_text("]");
        spelling
    }

    /// The value itself.
    #[must_use]
    pub fn same_as(value: ValueId, precedence: Precedence) -> Self {
        Self { pieces: smallvec![Piece::Value(value, precedence, Side::Left)], precedence }
    }

    /// Appends text.
    pub fn push_text(&mut self, text: impl Into<Cow<'static, str>>) {
        self.pieces.push(Piece::Text(text.into()));
    }

    /// Appends a value that stands between commas or brackets.
    pub fn push_argument(&mut self, value: ValueId) {
        self.pieces.push(Piece::Value(value, Precedence::Whole, Side::Left));
    }

    /// Appends values between commas.
    pub fn push_arguments(&mut self, open: &'static str, arguments: &[ValueId], close: &'static str) {
        self.push_text(open);
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.push_text(", ");
            }
            self.push_argument(*argument);
        }
        self.push_text(close);
    }
}

/// A literal and how tightly it binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Its text.
    pub text: String,
    /// `Primary`, `Prefix` for a negative number, or weaker.
    pub precedence: Precedence,
}

/// A language with the expressions and statements of C.
pub trait Language {
    /// The name of a value type other than an array; of an array, that of its innermost element.
    fn type_name(&self, module: &Module, ty: Type) -> Cow<'static, str>;

    /// `type name`, as a variable, field or parameter of this type is declared.
    fn declarator(&self, module: &Module, ty: Type, name: &str) -> String
    where
        Self: Sized,
    {
        declarator(self, module, ty, name)
    }

    /// What stands before the type of a variable or declared value, with a blank after it.
    fn qualifier(&self, _declared: ValueId) -> &'static str {
        ""
    }

    /// A scalar constant.
    fn literal(&self, scalar: Scalar, bits: u64) -> Literal;

    /// A vector, matrix, array or struct constant that is no scalar.
    fn composite_constant(&self, module: &Module, constant: ConstId) -> Literal;

    /// An operation that this language writes in its own way, its own dialect's included; `None` where it is written as
    /// in C (see `expression.rs`).
    fn operation(&self, module: &Module, op: OpId) -> Option<Spelling>;

    /// Whether `place.xy OP= value` may stand for `place.xy = place.xy OP value`.
    fn assigns_components_in_place(&self, _module: &Module, _place: ValueId) -> bool {
        true
    }

    /// What a variable holds before the parts of its literal are assigned one by one; `None` where it needs nothing.
    fn value_before_parts(&self, _module: &Module, _ty: Type) -> Option<Literal> {
        None
    }

    /// A call of a builtin.
    fn builtin(&self, module: &Module, op: OpId, builtin: Builtin) -> Spelling;

    /// A statement that this language writes in its own way. True where it has been printed.
    fn statement(&self, printer: &mut Printer<'_, Self>, op: OpId) -> bool
    where
        Self: Sized;

    /// The attribute line before a loop.
    fn loop_hint(&self, hint: LoopHint, unroll: i64) -> Option<String>;

    /// The attribute line before an `if`.
    fn branch_hint(&self, hint: BranchHint) -> Option<&'static str>;
}

/// `type name`, with the lengths of an array after the name.
pub fn declarator(language: &impl Language, module: &Module, ty: Type, name: &str) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{} {name}", language.type_name(module, ty));
    let mut element = ty;
    let mut lengths = Vec::new();
    while let akari_ir::TypeKind::Array(of, length) = module.kind(element) {
        lengths.push(length);
        element = of;
    }
    for length in lengths {
        let _ = write!(text, "[{length}]");
    }
    text
}
