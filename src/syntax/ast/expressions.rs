//! Expressions.

use akari_ir::Span;

use super::{Block, Ident, Param, Type};
use crate::syntax::names::Name;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Expr<'a> {
    /// All of it, with parentheses around it.
    pub span: Span,
    /// Whether it was written in parentheses.
    pub parenthesized: bool,
    /// What it is.
    pub kind: ExprKind<'a>,
}

/// What an expression is.
#[derive(Clone, Copy, Debug)]
pub enum ExprKind<'a> {
    /// A number or truth value.
    Literal(Literal<'a>),
    /// A name.
    Name(Name),
    /// `none`.
    None,
    /// `-x`, `!x`, `~x`.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Where it stands.
        op_span: Span,
        /// Its operand.
        operand: &'a Expr<'a>,
    },
    /// `++x`, `--x`, `x++`, `x--`.
    IncDec {
        /// Up or down.
        op: IncDecOp,
        /// Before or after the operand.
        position: IncDecPosition,
        /// Where the operator stands.
        op_span: Span,
        /// Its operand.
        operand: &'a Expr<'a>,
    },
    /// `a + b - c`: operators of one precedence, applied from the left: `(a + b) - c`. For `&&` and `||` an operand is
    /// evaluated only as far as those before it demand.
    Infix {
        /// The first operand.
        first: &'a Expr<'a>,
        /// The others, each with the operator before it; at least one.
        rest: &'a [InfixOperand<'a>],
    },
    /// `condition ? yes : no`.
    Conditional {
        /// What chooses.
        condition: &'a Expr<'a>,
        /// The value where it holds.
        yes: &'a Expr<'a>,
        /// The value where it does not.
        no: &'a Expr<'a>,
    },
    /// `x as T`.
    Cast {
        /// What is converted.
        operand: &'a Expr<'a>,
        /// The type's name; array and resource types cannot be written here.
        ty: Ident,
    },
    /// `callee(args)`.
    Call {
        /// What is called: as a rule a [`ExprKind::Name`], which may be a function, a builtin, a type or a local.
        callee: &'a Expr<'a>,
        /// The arguments.
        args: &'a [Arg<'a>],
    },
    /// `receiver.method(args)`.
    MethodCall {
        /// What it is called on.
        receiver: &'a Expr<'a>,
        /// The method.
        method: Ident,
        /// The arguments.
        args: &'a [Arg<'a>],
    },
    /// `base.name`: a field, a swizzle, or a case of an enum.
    Field {
        /// What stands before the dot.
        base: &'a Expr<'a>,
        /// What stands after it.
        name: Ident,
    },
    /// `base[index]`.
    Index {
        /// What is indexed.
        base: &'a Expr<'a>,
        /// The index.
        index: &'a Expr<'a>,
    },
    /// `Name { field: value, … }`.
    StructLiteral {
        /// The struct or bitfield.
        name: Ident,
        /// The fields given.
        fields: &'a [FieldInit<'a>],
        /// `..` or `..base` at the end.
        rest: Option<StructRest<'a>>,
    },
    /// `[a, b, c]`; never empty.
    ArrayList(&'a [Expr<'a>]),
    /// `[value; count]`.
    ArrayRepeat {
        /// The value of every element.
        value: &'a Expr<'a>,
        /// The number of elements.
        count: &'a Expr<'a>,
    },
    /// `|params| -> T { … }` or `|params| value`.
    Closure(&'a Closure<'a>),
    /// `sizeof(T)`.
    SizeOf(&'a Type<'a>),
    /// `offsetof(T, a.b)`.
    OffsetOf {
        /// The struct.
        ty: &'a Type<'a>,
        /// The fields on the way; at least one.
        path: &'a [Ident],
    },
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfixOp {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

/// An operand with the operator before it.
#[derive(Clone, Copy, Debug)]
pub struct InfixOperand<'a> {
    /// The operator.
    pub op: InfixOp,
    /// Where the operator stands.
    pub op_span: Span,
    /// What stands on its right.
    pub operand: &'a Expr<'a>,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `!`
    Not,
    /// `~`
    BitNot,
}

/// `++` or `--`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncDecOp {
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// On which side of its operand `++` or `--` stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncDecPosition {
    /// `++x`: the value is the new one.
    Prefix,
    /// `x++`: the value is the old one.
    Postfix,
}

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal<'a> {
    /// `true`, `false`.
    Bool(bool),
    /// `12`, `0xFFu`, `7ul`.
    Int {
        /// Its value. One that does not fit 64 bits has been reported.
        value: u64,
        /// The suffix.
        suffix: IntSuffix,
        /// As written.
        text: &'a str,
    },
    /// `1.5`, `1e-3`, `2.0h`.
    Float {
        /// The digits, point and exponent alone, fit for `str::parse`: round it once, to the type it gets.
        digits: &'a str,
        /// The suffix.
        suffix: FloatSuffix,
        /// As written.
        text: &'a str,
    },
}

/// The suffix of an integer literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntSuffix {
    /// None: the context gives the type.
    None,
    /// `u`: `uint`.
    U,
    /// `ul`: `uint64`.
    Ul,
}

/// The suffix of a float literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatSuffix {
    /// None: `float`, or `half` where that is expected.
    None,
    /// `h`: `half`.
    H,
}

/// An argument of a call: `value` or `name: value`.
#[derive(Clone, Copy, Debug)]
pub struct Arg<'a> {
    /// The parameter's name. That positional arguments come first is not checked here.
    pub name: Option<Ident>,
    /// The value.
    pub value: &'a Expr<'a>,
}

/// `field: value` in a struct literal.
#[derive(Clone, Copy, Debug)]
pub struct FieldInit<'a> {
    /// The field.
    pub name: Ident,
    /// Its value.
    pub value: &'a Expr<'a>,
}

/// The end of a struct literal that does not name all fields.
#[derive(Clone, Copy, Debug)]
pub struct StructRest<'a> {
    /// The two dots.
    pub dots: Span,
    /// Where the other fields are copied from; `None` for defaults and zeros.
    pub base: Option<&'a Expr<'a>>,
}

/// A closure.
#[derive(Clone, Copy, Debug)]
pub struct Closure<'a> {
    /// Its parameters, without attributes, defaults, `const` and `?`.
    pub params: &'a [Param<'a>],
    /// The type after `->`; only with a block.
    pub result: Option<&'a Type<'a>>,
    /// What it does.
    pub body: ClosureBody<'a>,
}

/// What a closure does.
#[derive(Clone, Copy, Debug)]
pub enum ClosureBody<'a> {
    /// The value of one expression.
    Expr(&'a Expr<'a>),
    /// A block, left by `return`.
    Block(Block<'a>),
}
