//! What the checker finds out about functions: what they take and give, what they need of a stage, what they call.

use akari_ir::Span;
use akari_ir::interface::{ParamRole, PassMode, Stage};
use std::rc::Rc;

use super::program::{Source, State};
use super::tree::{Body, Part};
use super::types::{FunctionId, Ty};
use crate::syntax::ast;
use crate::syntax::names::Name;

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct ParamInfo<'a> {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its type.
    pub ty: Ty,
    /// How it is passed.
    pub mode: PassMode,
    /// What it is, in an entry.
    pub role: ParamRole,
    /// When its argument is known.
    pub time: Time,
    /// What a call without it passes.
    pub default: Option<&'a ast::Expr<'a>>,
}

/// When the argument of a parameter is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// At run time.
    Run,
    /// At compile time: `const`.
    Const,
    /// A resource that may be `none`, which is known at compile time.
    Optional,
    /// At compile time: a function.
    Function,
}

/// What makes a function an entry.
#[derive(Clone, Copy, Debug)]
pub struct EntryInfo {
    /// Its stage.
    pub stage: Stage,
    /// The attribute that says so.
    pub span: Span,
    /// Threads a group, of a compute entry; ones where that depends on `const` parameters.
    pub threads: [u32; 3],
    /// Whether the number of threads depends on `const` parameters.
    pub open_threads: bool,
}

/// What a function's item is.
#[derive(Clone, Copy, Debug)]
pub enum Written<'a> {
    /// Parameters and a body.
    Function(ast::Function<'a>),
    /// `fn name = template(args);`
    Instance(ast::Instance<'a>),
}

/// The template that a function is an instance of.
#[derive(Clone, Debug)]
pub struct InstanceInfo {
    /// The template.
    pub template: FunctionId,
    /// The arguments, each with the number of the parameter that it is for; expressions of the instance's body.
    pub parts: Vec<Part>,
}

/// A request for a template to be specialized.
#[derive(Clone, Debug)]
pub struct Request {
    /// The template.
    pub template: FunctionId,
    /// What the specialization is called.
    pub name: String,
    /// The instance or call that asks for it.
    pub span: Span,
}

/// A function.
#[derive(Clone, Debug)]
pub struct FunctionInfo<'a> {
    /// Where it is defined.
    pub source: Source<'a>,
    /// What was written.
    pub written: Written<'a>,
    /// How far its signature is known.
    pub state: State,
    /// Its parameters.
    pub params: Rc<Vec<ParamInfo<'a>>>,
    /// What it gives.
    pub result: Ty,
    /// Present on entries.
    pub entry: Option<EntryInfo>,
    /// Whether it takes something at compile time.
    pub template: bool,
    /// Whether an array length in its signature depends on its `const` parameters.
    pub open_signature: bool,
    /// What an instance is an instance of; none where that could not be made out.
    pub instance: Option<InstanceInfo>,
    /// Its body, once checked.
    pub body: Body,
    /// Which functions it calls, and where.
    pub calls: Vec<(FunctionId, Span)>,
    /// Which functions it uses as values.
    pub values: Vec<FunctionId>,
    /// The specializations it asks for.
    pub requests: Vec<Request>,
}
