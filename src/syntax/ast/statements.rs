//! Statements.

use akari_ir::Span;

use super::{Attribute, Expr, Ident, InfixOp, Type};

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
