//! The checked tree of a function body: every name resolved, every expression typed, every implicit conversion written
//! out. Expressions live in one table per body and are named by their position in it.

use std::ops::Range;

use akari_dialect::{AkariOp, BranchHint, Builtin, LoopHint, Predicate};
use akari_ir::Span;
use akari_ir::entity::ConstId;

use super::open::OpenId;
use super::types::{BindingId, ConstantId, EnumId, FunctionId, Ty};
use crate::syntax::names::Name;

/// An expression of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub(super) u32);

/// A local of a body: a parameter or a declared variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalId(pub u32);

/// A closure of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClosureId(pub u32);

/// The checked body of a function.
#[derive(Clone, Debug, Default)]
pub struct Body {
    exprs: Vec<Expr>,
    /// Parameters first, then the others in order of declaration.
    pub locals: Vec<Local>,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The closures, each after those within it.
    pub closures: Vec<Closure>,
}

/// A closure: a function of its own that sees locals of the bodies around it.
#[derive(Clone, Debug)]
pub struct Closure {
    /// What it is called after: the `let` it is bound to, or the parameter it is passed for.
    pub name: Option<Name>,
    /// Where it comes from.
    pub origin: ClosureOrigin,
    /// Where it is written.
    pub span: Span,
    /// Its parameters.
    pub params: Vec<LocalId>,
    /// What it gives.
    pub result: Ty,
    /// The statements.
    pub stmts: Vec<Stmt>,
    /// The expressions within it, by their numbers.
    pub exprs: Range<u32>,
    /// What it sees of the bodies around it, in the order of first use; what closures within it see is there, too.
    pub captures: Vec<Capture>,
}

/// Where a closure of a body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureOrigin {
    /// It is written in the body.
    Written,
    /// It is (a part of) the default of a parameter of this function, and the same wherever that is put in.
    Default(FunctionId),
    /// It stands for a builtin, whose name it has; its parameters have none.
    Builtin,
}

/// A local of a body around a closure.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// The local.
    pub local: LocalId,
    /// Whether the closure, or one within it, writes it.
    pub written: bool,
}

impl Body {
    /// Adds an expression.
    pub fn add(&mut self, expr: Expr) -> ExprId {
        self.exprs.push(expr);
        ExprId(self.exprs.len() as u32 - 1)
    }

    /// How many expressions there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.exprs.len()
    }

    /// All expressions; parts before what is made of them.
    #[must_use]
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }

    /// An expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    /// An expression, to be changed.
    pub fn expr_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.exprs[id.0 as usize]
    }

    /// A local.
    #[must_use]
    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

/// What a local is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalKind {
    /// A by-value parameter.
    Parameter,
    /// A `const` parameter.
    ConstParameter,
    /// A parameter that may be `none`.
    Optional,
    /// A `ref` parameter.
    Ref,
    /// An `inout` parameter.
    Inout,
    /// A `let` (or a local `const` whose value is not known here).
    Let,
    /// A `let` that is assigned later.
    DeferredLet,
    /// A local `const` whose value is known here.
    Const(ConstId),
    /// A local `const` whose value is known once the `const` parameters are.
    OpenConst(OpenId),
    /// A `var`.
    Var,
    /// A `@groupshared var`.
    Groupshared,
}

/// A parameter or declared variable.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub ty: Ty,
    /// What it is.
    pub kind: LocalKind,
    /// Where its name is declared.
    pub span: Span,
    /// How many closures stand around its declaration.
    pub depth: u32,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its type.
    pub ty: Ty,
    /// Its source text.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
}

/// A part of something that is made from several: where it goes, and its value. Parts are listed in the order in which they are
/// evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its parameter, field or element.
    pub slot: u32,
    /// Its value (or place, for a borrow).
    pub value: ExprId,
}

/// A field of a bitfield that is written.
#[derive(Clone, Copy, Debug)]
pub struct BitPart {
    /// The field's bits.
    pub bits: BitRange,
    /// What is written, a `uint`.
    pub value: ExprId,
}

/// The bits of a bitfield's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitRange {
    /// The lowest bit.
    pub offset: u32,
    /// How many bits, 1..=32.
    pub width: u32,
}

/// Components of a vector, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Components {
    indices: [u8; 4],
    length: u8,
    colour: bool,
}

impl Components {
    /// These components, at most four, as `rgba` or as `xyzw`.
    #[must_use]
    pub fn new(list: &[u8], colour: bool) -> Self {
        let mut indices = [0; 4];
        let length = list.len().min(4);
        indices[..length].copy_from_slice(&list[..length]);
        Self { indices, length: length as u8, colour }
    }

    /// As the source writes them.
    #[must_use]
    pub fn spelled(&self) -> String {
        let letters = if self.colour { *b"rgba" } else { *b"xyzw" };
        self.as_slice()
            .iter()
            .filter_map(|index| letters.get(usize::from(*index)))
            .map(|letter| char::from(*letter))
            .collect()
    }

    /// The list.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.indices[..usize::from(self.length)]
    }

    /// Whether they were written as `rgba`.
    #[must_use]
    pub fn is_colour(&self) -> bool {
        self.colour
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> String {
        let letters = if self.colour { ['r', 'g', 'b', 'a'] } else { ['x', 'y', 'z', 'w'] };
        self.as_slice().iter().map(|index| letters[usize::from(*index)]).collect()
    }
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// Something wrong that was reported.
    Error,
    /// A constant.
    Const(ConstId),
    /// A case of an enum, by its position.
    EnumCase(EnumId, u32),
    /// A module-level constant.
    Constant(ConstantId),
    /// A package binding.
    Binding(BindingId),
    /// A parameter or variable.
    Local(LocalId),
    /// The value that the target of the compound assignment around had.
    TargetValue,
    /// `neg`, `not` or `bit_not`.
    Unary(AkariOp, ExprId),
    /// An arithmetic operation, shift or product of matrices.
    Binary(AkariOp, ExprId, ExprId),
    /// A comparison.
    Compare(Predicate, ExprId, ExprId),
    /// `&&`
    And(ExprId, ExprId),
    /// `||`
    Or(ExprId, ExprId),
    /// `?:` on a `bool`.
    Conditional(ExprId, ExprId, ExprId),
    /// `?:` on a vector of `bool`.
    Select(ExprId, ExprId, ExprId),
    /// Component-wise conversion to the scalar of the type.
    Convert(ExprId),
    /// An enum or bitfield as its integer, or back.
    Reinterpret(ExprId),
    /// A scalar in every component.
    Splat(ExprId),
    /// A vector, matrix, array or struct from parts; every slot is given.
    Construct(Box<[Part]>),
    /// An array of one value.
    Repeat(ExprId),
    /// A square matrix with one scalar on its diagonal, else zero.
    Diagonal(ExprId),
    /// A struct with the given fields and the others of a base, which is evaluated last.
    Update(Box<[Part]>, ExprId),
    /// A field of a struct.
    Field(ExprId, u32),
    /// A field of a bitfield.
    Bits(ExprId, BitRange),
    /// A bitfield from fields, over a base or zero.
    MakeBits(Box<[BitPart]>, Option<ExprId>),
    /// Components of a vector.
    Swizzle(ExprId, Components),
    /// An element of a vector, matrix, array or buffer.
    Index(ExprId, ExprId),
    /// What a uniform holds.
    Contents(ExprId),
    /// A call of a function.
    Call(FunctionId, Box<[Part]>),
    /// A call of a scalar function for each component; arguments are scalars, or vectors of the result's width.
    LiftedCall(FunctionId, Box<[Part]>),
    /// A call of a function value.
    CallValue(ExprId, Box<[Part]>),
    /// A function as a value.
    Function(FunctionId),
    /// A closure.
    Closure(ClosureId),
    /// `none`, for an optional parameter.
    None,
    /// Whether an optional parameter is `none`.
    IsNone(ExprId),
    /// The bytes that a type takes whose array lengths depend on `const` parameters, packed as in a uniform or in storage.
    SizeOf {
        /// The type.
        ty: Ty,
        /// Whether it is packed as in a uniform.
        uniform: bool,
    },
    /// A call of a builtin, in its canonical form.
    Builtin(Builtin, Box<[ExprId]>),
    /// A call of a builtin that casts a ray and lets this function judge what is not opaque.
    MaskedRay(Builtin, FunctionId, Box<[ExprId]>),
    /// An atomic on an element (of an `AtomicBuf` or a groupshared array).
    Atomic(Builtin, ExprId, Box<[ExprId]>),
    /// `++` or `--`: the place, the operation with 1, and whether the old value is given.
    Step {
        /// What is changed.
        place: ExprId,
        /// `add` or `sub`.
        op: AkariOp,
        /// Whether the result is the value before.
        postfix: bool,
    },
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// Its source text.
    pub span: Span,
    /// What it is.
    pub kind: StmtKind,
}

/// What a statement is.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A named value.
    Let(LocalId, ExprId),
    /// A variable; zero without an initial value.
    Var(LocalId, Option<ExprId>),
    /// A `let` that is assigned later, or a groupshared variable.
    Declare(LocalId),
    /// An expression for its effect.
    Eval(ExprId),
    /// An assignment; `update` says that the value uses [`ExprKind::TargetValue`].
    Assign {
        /// The place.
        target: ExprId,
        /// The value.
        value: ExprId,
        /// Whether it is a compound assignment.
        update: bool,
    },
    /// `if`, with its arms and `else`.
    If {
        /// Conditions and bodies, in order.
        arms: Vec<(ExprId, Vec<Stmt>)>,
        /// The `else`.
        otherwise: Option<Vec<Stmt>>,
        /// What the author asked for.
        hint: BranchHint,
    },
    /// A loop.
    Loop(Box<Loop>),
    /// `switch`.
    Switch {
        /// What is looked at.
        value: ExprId,
        /// Labels and body of each case.
        cases: Vec<(Vec<Label>, Vec<Stmt>)>,
        /// Which case is the default.
        default: Option<usize>,
    },
    /// `return`
    Return(Option<ExprId>),
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `discard`
    Discard,
    /// `{ … }`
    Block(Vec<Stmt>),
    /// The number of threads of an entry's groups, where it depends on `const` parameters.
    Threads([ExprId; 3]),
}

/// A label of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A value, as the label attribute of `akari.switch` has it.
    Known(i64),
    /// A value that depends on `const` parameters.
    Open(ExprId),
}

/// A loop of any kind.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The first part of a `for`.
    pub init: Option<Stmt>,
    /// The condition; absent means true.
    pub condition: Option<ExprId>,
    /// Whether the condition is tested after the body.
    pub test_after: bool,
    /// The last part of a `for`.
    pub step: Option<Stmt>,
    /// The body.
    pub body: Vec<Stmt>,
    /// What the author asked for.
    pub hint: LoopHint,
    /// The argument of `@unroll(N)`.
    pub unroll: Unroll,
}

/// The argument of `@unroll(N)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unroll {
    /// None.
    #[default]
    Unsaid,
    /// A number.
    Times(u32),
    /// A number that depends on `const` parameters.
    Open(ExprId),
}
