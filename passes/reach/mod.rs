//! `reach`: every function gets the package bindings that it reaches as parameters.
//!
//! A function reaches a binding by an operation that uses it, itself or in a function that it calls. An entry gets what it
//! reaches after its own parameters, as resources of its interface; a helper gets parameters of the same names; both in the
//! order in which the bindings are declared. Calls pass them on. Nothing of a binding is left in what does not reach it.
//!
//! To pass a binding on is no use of it: what counts is whether the parameter it goes to is used. Where a binding goes only to
//! parameters without a use (it was named for a field of a context, say), it is not reached, and these parameters go. To take an element of an
//! array of resources, or a texture of a bindless table, is no use either: what counts is whether that is used.
//! An operation whose result nothing uses does not count either, and goes.
//!
//! ```text
//! resource @pages: rwbuf<u32> bind vsm.pages
//!
//! func @mark(%page: u32) {                          →  func @mark(%page: u32, %pages: rwbuf<u32>) {
//!   %1: rwbuf<u32> = akari.resource {global: @pages}
//! …
//! compute(64, 1, 1) func @vsm_mark(%id: u32 dispatch_id) {
//!                                                   →  … func @vsm_mark(%id: …, %pages: rwbuf<u32> bind vsm.pages) {
//!   akari.call %id {callee: @mark}                  →    akari.call %id, %pages {callee: @mark}
//! ```

mod analysis;

use akari_dialect::AkariOp;
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{EntityArenaOf, Global, GlobalKind, ValueDef};
use akari_ir::{Attr, Entity, FuncId, GlobalId, Module, OpId, SecondaryMap, ValueId};

use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};
use analysis::Reached;

/// See the module.
pub struct ReachBindings;

impl Pass for ReachBindings {
    const NAME: &'static str = "reach";
    const SUMMARY: &'static str = "give every function the package bindings that it reaches";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let bindings: Vec<GlobalId> = bindings(module);
        if bindings.is_empty() {
            return Ok(Changed::No);
        }
        let reached = Reached::of(module, &bindings);
        let mut given: Vec<Vec<(GlobalId, ValueId)>> = Vec::with_capacity(module.functions.len());
        for func in module.functions.ids() {
            drop_params(module, func, &reached);
            let trailing = reached.bindings(func).iter().map(|binding| (*binding, add_param(module, func, *binding)));
            given.push(trailing.collect());
        }
        context.count("bindings reached by entries", entries_reach(module, &given));
        let mut rewriter = Rewriter::new(module);
        for func in rewriter.module.functions.ids() {
            let passing = Passing { reached: &reached, given: &given, func };
            rewriter.function(func, &mut |rewriter, op| passing.op(rewriter, op));
        }
        remove_bindings(module);
        Ok(Changed::Yes)
    }
}

/// The package bindings, in order of declaration.
fn bindings(module: &Module) -> Vec<GlobalId> {
    let globals = module.globals.iter();
    globals.filter(|(_, global)| is_binding(global)).map(|(id, _)| id).collect()
}

fn is_binding(global: &Global) -> bool {
    matches!(global.kind, GlobalKind::Resource { .. })
}

fn entries_reach(module: &Module, given: &[Vec<(GlobalId, ValueId)>]) -> u64 {
    let entries = module.functions.iter().filter(|(_, function)| function.entry.is_some());
    entries.map(|(func, _)| given[func.index()].len() as u64).sum()
}

/// Takes the parameters away that got nothing but bindings that are not reached.
fn drop_params(module: &mut Module, func: FuncId, reached: &Reached) {
    if !module.functions[func].params.iter().any(|param| reached.is_dropped(param.value)) {
        return;
    }
    module.functions[func].params.retain(|param| !reached.is_dropped(param.value));
    for index in 0..module.functions[func].params.len() {
        let value = module.functions[func].params[index].value;
        module.value_mut(value).def = ValueDef::Param(func, index as u32);
    }
}

/// The parameter by which a function gets a binding.
fn add_param(module: &mut Module, func: FuncId, binding: GlobalId) -> ValueId {
    let global = &module.globals[binding];
    let (name, ty, loc) = (global.name, global.ty, global.loc);
    let role = match global.kind {
        GlobalKind::Resource { source, .. } if module.functions[func].entry.is_some() => ParamRole::Resource(source),
        GlobalKind::Resource { .. } | GlobalKind::Constant(_) | GlobalKind::Workgroup => ParamRole::Plain,
    };
    let value = module.add_param(func, Some(name), ty, PassMode::Value, role);
    if let Some(param) = module.functions[func].params.last_mut() {
        param.loc = loc;
    }
    value
}

/// Rewrites one function.
struct Passing<'a> {
    reached: &'a Reached,
    /// The bindings that each function gets, with its parameters for them, in order of declaration.
    given: &'a [Vec<(GlobalId, ValueId)>],
    func: FuncId,
}

impl Passing<'_> {
    fn own(&self, binding: GlobalId) -> Option<ValueId> {
        let given = &self.given[self.func.index()];
        given.binary_search_by_key(&binding, |(other, _)| *other).ok().map(|index| given[index].1)
    }

    fn op(&self, rewriter: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let node = rewriter.module.op(op);
        match AkariOp::of(node) {
            Some(AkariOp::Resource) => match self.own(node.global(0)) {
                Some(value) => Outcome::Replace(value),
                None => Outcome::Remove,
            },
            Some(AkariOp::Call) => {
                let callee = node.func(0);
                let kept = node.operands.iter().zip(self.reached.kept(callee)).filter(|(_, kept)| **kept);
                let mut operands: Vec<ValueId> = kept.map(|(operand, _)| *operand).collect();
                let passed = self.given[callee.index()].iter().filter_map(|(binding, _)| self.own(*binding));
                operands.extend(passed);
                rewriter.changed |= operands.len() != node.operands.len();
                rewriter.module.op_mut(op).operands = operands.into();
                Outcome::Keep
            }
            _ if self.reached.is_unused(op) => Outcome::Remove,
            _ if node.result.is_some_and(|result| self.reached.is_dropped(result)) => Outcome::Remove,
            _ => Outcome::Keep,
        }
    }
}

/// Takes the bindings out of the module: nothing names them any more.
fn remove_bindings(module: &mut Module) {
    let mut renumbered: SecondaryMap<GlobalId, Option<GlobalId>> = SecondaryMap::new();
    let mut globals = EntityArenaOf::default();
    for (id, global) in module.globals.iter().filter(|(_, global)| !is_binding(global)) {
        renumbered.set(id, Some(globals.alloc(global.clone())));
    }
    module.globals = globals;
    for func in module.functions.ids() {
        for op in operations(module, func) {
            for attr in &mut module.op_mut(op).attrs {
                if let Attr::Global(global) = attr {
                    *global = renumbered.get(*global).unwrap_or(*global);
                }
            }
        }
    }
}
