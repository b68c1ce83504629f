//! `msl-demote`: after `discard`, no store and no atomic of the invocation takes effect, though it runs on.
//!
//! Metal's `discard_fragment` lets the thread run on and says nothing of what it stores then. Where an entry both discards and writes memory, a
//! variable `discarded` of it says whether it has, writes ask it, and functions on the way get a reference to it.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::interface::{ParamRole, PassMode, Stage};
use akari_ir::{Constant, Entity, FuncId, Module, OpId, Scalar, Space, Traits, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::calls::{reached_from, reaching};
use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::clone::clone_function;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct MslDemote;

impl Pass for MslDemote {
    const NAME: &'static str = "msl-demote";
    const SUMMARY: &'static str = "keep discarded invocations from writing memory";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let discards = reaching(module, |func| operations(module, func).iter().any(|op| is_discard(module, *op)));
        let writes = reaching(module, |func| operations(module, func).iter().any(|op| writes_memory(module, *op)));
        let entries: Vec<FuncId> = module
            .functions
            .iter()
            .filter(|(func, function)| {
                function.entry.is_some_and(|entry| entry.stage == Stage::Fragment)
                    && discards[func.index()]
                    && writes[func.index()]
            })
            .map(|(func, _)| func)
            .collect();
        if entries.is_empty() {
            return Ok(Changed::No);
        }
        let mut flagged = FxHashMap::default();
        let involved = |func: FuncId| discards[func.index()] || writes[func.index()];
        let reached = reached_from(module, entries.iter().copied());
        for func in module.functions.ids().collect::<Vec<_>>() {
            if reached[func.index()] && involved(func) && module.functions[func].entry.is_none() {
                let copy = clone_function(module, func);
                let truth = module.types.scalar(Scalar::Bool);
                let place = module.types.place(Space::Function, truth);
                let name = module.symbols.intern("discarded");
                let flag = module.add_param(copy, Some(name), place, PassMode::Inout, ParamRole::Plain);
                flagged.insert(func, (copy, flag));
            }
        }
        let mut rewriter = Rewriter::new(module);
        let mut copies: Vec<_> = flagged.values().copied().collect();
        copies.sort_unstable();
        let mut demote = Demote { flagged: &flagged, flag: None };
        for (copy, flag) in copies {
            demote.flag = Some(flag);
            rewriter.function(copy, &mut |r, op| demote.op(r, op));
        }
        for entry in entries {
            let flag = rewriter.at_start(entry, |r| {
                let never = r.bits(Scalar::Bool, 0);
                let ty = r.module.value_type(never);
                r.local(ty, Some(never), "discarded")
            });
            demote.flag = Some(flag);
            rewriter.function(entry, &mut |r, op| demote.op(r, op));
        }
        Ok(Changed::Yes)
    }
}

fn is_discard(module: &Module, op: OpId) -> bool {
    AkariOp::of(module.op(op)) == Some(AkariOp::Discard)
}

/// Whether an operation writes memory that others see.
fn writes_memory(module: &Module, op: OpId) -> bool {
    let op_data = module.op(op);
    match AkariOp::of(op_data) {
        Some(AkariOp::Store | AkariOp::StoreComponents) => module
            .types
            .as_place(module.value_type(op_data.operands[0]))
            .is_some_and(|(space, _)| matches!(space, Space::Storage | Space::Atomic)),
        Some(AkariOp::Builtin) => {
            module.traits(op).has(Traits::WRITES) && Builtin::from_index(op_data.enumerated(0)) != Builtin::Barrier
        }
        _ => false,
    }
}

struct Demote<'f> {
    /// The copy of each function that asks, and its parameter.
    flagged: &'f FxHashMap<FuncId, (FuncId, ValueId)>,
    flag: Option<ValueId>,
}

impl Demote<'_> {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let Some(flag) = self.flag else { return Outcome::Keep };
        if is_discard(r.module, op) {
            let yes = r.bits(Scalar::Bool, 1);
            r.store(flag, yes);
            return Outcome::Keep;
        }
        if writes_memory(r.module, op) {
            let (def, operands) = (r.module.op(op).def, r.module.op(op).operands.to_vec());
            let attrs = r.module.op(op).attrs.to_vec();
            let discarded = r.load(flag);
            let alive = r.unary(AkariOp::Not, discarded);
            let Some(result) = r.module.op(op).result else {
                r.if_then(alive, |r| {
                    r.op(def, &operands, &attrs, &[], None);
                });
                return Outcome::Remove;
            };
            let ty = r.module.value_type(result);
            let done = r.yielding(|r| r.value_of(def, &operands, &attrs, ty));
            let nothing = r.yielding(|r| match r.module.kind(ty) {
                TypeKind::Scalar(scalar) => r.number(scalar, 0),
                _ => {
                    let zero = r.module.constants.intern(Constant::Zero(ty));
                    r.constant(zero)
                }
            });
            let value = r.op(AkariOp::Cond.def(), &[alive], &[], &[done, nothing], Some(ty));
            return r.module.op(value).result.map_or(Outcome::Remove, Outcome::Replace);
        }
        if AkariOp::of(r.module.op(op)) == Some(AkariOp::Call)
            && let Some((copy, _)) = self.flagged.get(&r.module.op(op).func(0))
        {
            let op = r.module.op_mut(op);
            op.attrs[0] = akari_ir::Attr::Func(*copy);
            op.operands.push(flag);
        }
        Outcome::Keep
    }
}
