//! The abstract syntax tree of a source file: what was written, with nothing resolved.
//!
//! All nodes live in one arena and are `Copy`. Every node that a diagnostic may point to has a [`Span`], names apart from
//! the whole they stand in. Comments are not in the tree, except doc comments; parentheses only as `Expr::parenthesized`.
//!
//! **Depth.** A walk that recurses is safe: no path from a [`File`] down through statements, expressions and types is
//! longer than [`MAX_DEPTH`] nodes; deeper input is a diagnostic and its item is left out. What a machine may write at any
//! length lies flat instead of deep: a chain of infix operators of one precedence is one [`ExprKind::Infix`] with any
//! number of operands (100,000 of them are fine), which is to be folded in a loop. The arms of an `else if` chain count
//! as depth although they lie flat, because every later form nests them.

use akari_ir::{FileId, Span};

use super::names::Name;

/// The longest path from the root of the tree to a leaf, in nodes (see the module's header).
pub const MAX_DEPTH: usize = 256;

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}

// Files and items.

/// One source file.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    /// Which file it is.
    pub id: FileId,
    /// The `#shader` or `#module` line; its absence has been reported.
    pub root: Option<Root>,
    /// `#version N`.
    pub version: Option<Version>,
    /// `#layout name`.
    pub layout: Option<Ident>,
    /// The names of `#import` lines, in order, without repetitions.
    pub imports: &'a [Ident],
    /// The names of `#require` lines, in order, repetitions kept.
    pub requires: &'a [Ident],
    /// The items that could be read, in order.
    pub items: &'a [Item<'a>],
    /// Names of items that a syntax error made unreadable: a reference to one deserves no further message.
    pub lost: &'a [Ident],
}

/// The line that says what a file is.
#[derive(Clone, Copy, Debug)]
pub struct Root {
    /// Package or module.
    pub kind: FileKind,
    /// Its name.
    pub name: Ident,
    /// The whole line.
    pub span: Span,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// `#shader`: a package.
    Shader,
    /// `#module`: shared items.
    Module,
}

/// `#version N`.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The number written; any other than 2 has been reported.
    pub number: u32,
    /// Where the number stands.
    pub span: Span,
}

/// A definition at the top of a file.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// From the first attribute or keyword to the end.
    pub span: Span,
    /// Lines of the `///` comments before it, without the slashes and the blank after them.
    pub doc: &'a [&'a str],
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// The word `private`.
    pub private: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// What it defines.
    pub kind: ItemKind<'a>,
    /// Whether all of it could be read. If not, faulty statements, fields or cases are left out and reported: nothing
    /// that could come of their absence (an unknown local, a missing `return`) is to be reported again.
    pub intact: bool,
}

/// What an item defines.
#[derive(Clone, Copy, Debug)]
pub enum ItemKind<'a> {
    /// `struct S { … }`.
    Struct(&'a [Field<'a>]),
    /// `enum E: uint { … }`.
    Enum(Enum<'a>),
    /// `bitfield B: uint { … }`.
    Bitfield(Bitfield<'a>),
    /// `fn f(…) -> T { … }`.
    Fn(Function<'a>),
    /// `const C: T = value;`.
    Const(Const<'a>),
    /// `fn name = template(args);`.
    Instance(Instance<'a>),
    /// `@bind(group.name) let name: T;` or `@sampler(…) let name;`.
    Binding(Binding<'a>),
}

/// A field of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Attributes to default, without the `;`.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: &'a Type<'a>,
    /// What a literal that omits it takes.
    pub default: Option<&'a Expr<'a>>,
}

/// The inside of an `enum`.
#[derive(Clone, Copy, Debug)]
pub struct Enum<'a> {
    /// The type after the colon.
    pub underlying: &'a Type<'a>,
    /// Its cases; never empty in an intact item.
    pub cases: &'a [EnumCase<'a>],
}

/// A case of an enum.
#[derive(Clone, Copy, Debug)]
pub struct EnumCase<'a> {
    /// Name and value.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// Its name.
    pub name: Ident,
    /// Its value, where one is written.
    pub value: Option<&'a Expr<'a>>,
}

/// The inside of a `bitfield`.
#[derive(Clone, Copy, Debug)]
pub struct Bitfield<'a> {
    /// The type after the colon.
    pub storage: &'a Type<'a>,
    /// Its fields, from the lowest bit.
    pub fields: &'a [BitfieldField<'a>],
}

/// A field of a bitfield.
#[derive(Clone, Copy, Debug)]
pub struct BitfieldField<'a> {
    /// Name and width.
    pub span: Span,
    /// Its doc comment.
    pub doc: &'a [&'a str],
    /// Its name.
    pub name: Ident,
    /// Its width in bits.
    pub width: &'a Expr<'a>,
}

/// The signature and body of a function.
#[derive(Clone, Copy, Debug)]
pub struct Function<'a> {
    /// Its parameters.
    pub params: &'a [Param<'a>],
    /// The type after `->`.
    pub result: Option<&'a Type<'a>>,
    /// Its body.
    pub body: Block<'a>,
}

/// A parameter of a function or closure.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// Attributes to default.
    pub span: Span,
    /// `@…` before it.
    pub attributes: &'a [Attribute<'a>],
    /// The word `const` before it: a compile-time parameter.
    pub is_const: Option<Span>,
    /// Its name.
    pub name: Ident,
    /// `ref` or `inout` before the type.
    pub passing: Option<Passing>,
    /// Its type. Absent only with `@sampler(…)` and in closures.
    pub ty: Option<&'a Type<'a>>,
    /// The `?` after the type: `none` may be passed.
    pub optional: Option<Span>,
    /// What a call that omits it passes.
    pub default: Option<&'a Expr<'a>>,
}

/// How a parameter is passed, where it is not by value.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    /// Which word was written.
    pub kind: PassingKind,
    /// Where it stands.
    pub span: Span,
}

/// How a parameter is passed, where it is not by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingKind {
    /// A read-only borrow.
    Ref,
    /// A borrow that is written back.
    Inout,
}

/// A constant of a module or of a block.
#[derive(Clone, Copy, Debug)]
pub struct Const<'a> {
    /// Its type, where one is written.
    pub ty: Option<&'a Type<'a>>,
    /// Its value.
    pub value: &'a Expr<'a>,
}

/// `fn name = template(args);`: a named specialization.
#[derive(Clone, Copy, Debug)]
pub struct Instance<'a> {
    /// The function it specializes.
    pub template: Ident,
    /// Its compile-time arguments.
    pub args: &'a [Arg<'a>],
}

/// A resource declared at the top of a package.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// Its type; may be absent with `@sampler(…)` only.
    pub ty: Option<&'a Type<'a>>,
}

/// `@name` or `@name(args)`.
#[derive(Clone, Copy, Debug)]
pub struct Attribute<'a> {
    /// From `@` to the closing parenthesis.
    pub span: Span,
    /// The name after `@`.
    pub name: Ident,
    /// What stands in parentheses; `None` without them, never empty with them.
    pub args: Option<&'a [AttributeArg<'a>]>,
}

/// An argument of an attribute: `value` or `name = value`.
#[derive(Clone, Copy, Debug)]
pub struct AttributeArg<'a> {
    /// Name and value.
    pub span: Span,
    /// The name before `=`.
    pub name: Option<Ident>,
    /// The value.
    pub value: AttributeValue<'a>,
}

/// What an argument of an attribute is. `group.name` is an expression: a [`ExprKind::Field`] of a [`ExprKind::Name`].
#[derive(Clone, Copy, Debug)]
pub enum AttributeValue<'a> {
    /// One expression.
    Expr(&'a Expr<'a>),
    /// `(a, b, …)` with at least two elements.
    Tuple(&'a [Expr<'a>]),
}

// Types.

/// A type as written.
#[derive(Clone, Copy, Debug)]
pub struct Type<'a> {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub kind: TypeKind<'a>,
}

/// What a type is.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind<'a> {
    /// `float4`, `Buf<Light>`, `RwTex2D<r32f>`.
    Named {
        /// The name.
        name: Ident,
        /// What stands in `<…>`; empty without them, never empty with them.
        args: &'a [Type<'a>],
    },
    /// `element[length]`; `T[N][M]` is the array of `M` elements of type `T[N]`.
    Array {
        /// The type of an element.
        element: &'a Type<'a>,
        /// The number of elements.
        length: &'a Expr<'a>,
    },
    /// `fn(inout uint, float) -> float`.
    Fn {
        /// What it takes.
        params: &'a [FnTypeParam<'a>],
        /// What it gives.
        result: Option<&'a Type<'a>>,
    },
}

/// A parameter of a function type.
#[derive(Clone, Copy, Debug)]
pub struct FnTypeParam<'a> {
    /// All of it.
    pub span: Span,
    /// `ref` or `inout`.
    pub passing: Option<Passing>,
    /// Its type.
    pub ty: &'a Type<'a>,
}

// Statements.

/// `{ … }`.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// The `{`.
    pub open: Span,
    /// The `}`.
    pub close: Span,
    /// What stands between.
    pub stmts: &'a [Stmt<'a>],
}

impl Block<'_> {
    /// From `{` to `}`.
    #[must_use]
    pub fn span(&self) -> Span {
        self.open.to(self.close)
    }
}

/// A statement.
#[derive(Clone, Copy, Debug)]
pub struct Stmt<'a> {
    /// From the first attribute or word to the end, without the `;`.
    pub span: Span,
    /// `@…` before it: flow hints, or `@groupshared`.
    pub attributes: &'a [Attribute<'a>],
    /// What it is.
    pub kind: StmtKind<'a>,
}

/// What a statement is.
#[derive(Clone, Copy, Debug)]
pub enum StmtKind<'a> {
    /// `let`, `var` or `const` with a name.
    Local(Local<'a>),
    /// `let _ = value;`.
    Ignore(&'a Expr<'a>),
    /// `target = value;` or `target += value;`.
    Assign(Assign<'a>),
    /// An expression for its effect. Any expression may stand here; whether it makes sense is for later to say.
    Expr(&'a Expr<'a>),
    /// `if`, `else if`, `else`.
    If(If<'a>),
    /// `for (init; condition; step) { … }`.
    For(For<'a>),
    /// `while (condition) { … }`.
    While(While<'a>),
    /// `do { … } while (condition);`.
    DoWhile(While<'a>),
    /// `switch (value) { … }`.
    Switch(Switch<'a>),
    /// `return` or `return value`.
    Return(Option<&'a Expr<'a>>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// `discard`.
    Discard,
    /// `{ … }` on its own.
    Block(Block<'a>),
}

/// A local declaration.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a> {
    /// Which word declares it.
    pub kind: LocalKind,
    /// Where that word stands.
    pub keyword: Span,
    /// Its name.
    pub name: Ident,
    /// Its type, where one is written.
    pub ty: Option<&'a Type<'a>>,
    /// Its first value, where one is written; always there with `const`.
    pub init: Option<&'a Expr<'a>>,
}

/// The word that declares a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// `let`.
    Let,
    /// `var`.
    Var,
    /// `const`.
    Const,
}

/// An assignment.
#[derive(Clone, Copy, Debug)]
pub struct Assign<'a> {
    /// What is assigned to.
    pub target: &'a Expr<'a>,
    /// The operator of a compound assignment; `None` for a plain `=`.
    pub op: Option<InfixOp>,
    /// Where the whole operator stands, `=` included.
    pub op_span: Span,
    /// What is assigned.
    pub value: &'a Expr<'a>,
}

/// An `if` with all its arms.
#[derive(Clone, Copy, Debug)]
pub struct If<'a> {
    /// The `if` and each `else if`, in order; at least one.
    pub arms: &'a [IfArm<'a>],
    /// The `else`.
    pub otherwise: Option<Block<'a>>,
}

/// One condition of an `if` and what it guards.
#[derive(Clone, Copy, Debug)]
pub struct IfArm<'a> {
    /// The word `if`.
    pub keyword: Span,
    /// The condition.
    pub condition: &'a Expr<'a>,
    /// What runs when it holds.
    pub body: Block<'a>,
}

/// A `for` loop.
#[derive(Clone, Copy, Debug)]
pub struct For<'a> {
    /// The word `for`.
    pub keyword: Span,
    /// A [`StmtKind::Local`], [`StmtKind::Assign`] or [`StmtKind::Expr`].
    pub init: Option<&'a Stmt<'a>>,
    /// Absent means true.
    pub condition: Option<&'a Expr<'a>>,
    /// A [`StmtKind::Assign`] or [`StmtKind::Expr`].
    pub step: Option<&'a Stmt<'a>>,
    /// The body.
    pub body: Block<'a>,
}

/// A `while` or `do … while` loop.
#[derive(Clone, Copy, Debug)]
pub struct While<'a> {
    /// The word `while` or `do`.
    pub keyword: Span,
    /// The condition.
    pub condition: &'a Expr<'a>,
    /// The body.
    pub body: Block<'a>,
}

/// A `switch`.
#[derive(Clone, Copy, Debug)]
pub struct Switch<'a> {
    /// The word `switch`.
    pub keyword: Span,
    /// What is looked at.
    pub value: &'a Expr<'a>,
    /// The `{`.
    pub open: Span,
    /// The `}`.
    pub close: Span,
    /// The cases, in order.
    pub cases: &'a [Case<'a>],
}

/// Labels that stand together, and the statements after them.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// Labels and body.
    pub span: Span,
    /// `case value:` and `default:`, in order; at least one.
    pub labels: &'a [CaseLabel<'a>],
    /// What runs; empty only in the last case.
    pub stmts: &'a [Stmt<'a>],
}

/// A label of a case.
#[derive(Clone, Copy, Debug)]
pub struct CaseLabel<'a> {
    /// From the word to the colon.
    pub span: Span,
    /// The value; `None` for `default`.
    pub value: Option<&'a Expr<'a>>,
}

// Expressions.

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
