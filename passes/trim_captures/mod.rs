//! `trim-captures`: of what closures capture, only what is used, and once.
//!
//! `specialize` passes everything that a closure captures through all functions on the way to it, and a context is captured whole.
//! Here a captured parameter goes that nothing uses, and one that is always passed the same as another parameter of its function
//! (of the same name, where it is no resource) is that parameter. What the source declares as a parameter stays.
//!
//! ```text
//! func @sum__f_main_f(%ctx_list: buf<f32>, %n: u32, %ctx_list_1: buf<f32> capture, %ctx_scale: f32 capture) …
//!   … = akari.call %i, %ctx_list_1, %ctx_scale {callee: @main_f}        (scale is not used in main_f)
//!     =>  func @sum__f_main_f(%ctx_list: buf<f32>, %n: u32) …
//!           … = akari.call %i, %ctx_list {callee: @main_f}
//! ```

use akari_dialect::AkariOp;
use akari_ir::interface::PassMode;
use akari_ir::module::ValueDef;
use akari_ir::{FuncId, Module, OpId, SecondaryMap, ValueId};

use crate::analysis::calls::callees_first;
use crate::analysis::walk::operations;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};
use crate::strip::reach::Reach;

/// See the module.
pub struct TrimCaptures;

impl Pass for TrimCaptures {
    const NAME: &'static str = "trim-captures";
    const SUMMARY: &'static str = "pass closures only the captures that they use, and each once";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        if !module.functions.iter().any(|(_, function)| function.params.iter().any(|param| param.is_capture)) {
            return Ok(Changed::No);
        }
        let live = Reach::from_functions(module, module.functions.ids());
        let order = callees_first(module);
        let mut captures = Captures::default();
        for func in &order {
            captures.find_unused(module, &live, *func);
        }
        for func in order.iter().rev() {
            captures.merge(module, *func);
        }
        context.count("captures trimmed", captures.count);
        if captures.count == 0 {
            return Ok(Changed::No);
        }
        captures.trim(module, &live);
        Ok(Changed::Yes)
    }
}

/// Whether one may stand for the other to the eyes of a reader: a resource is what it is under any name, but a number that was
/// captured is not to be called as another that happens to be the same.
fn may_merge(module: &Module, a: ValueId, b: ValueId) -> bool {
    module.value_kind(a).is_handle() || module.value(a).name == module.value(b).name
}

#[derive(Default)]
struct Captures {
    /// Whether something uses a value.
    used: SecondaryMap<ValueId, bool>,
    /// Which parameters go.
    gone: SecondaryMap<ValueId, bool>,
    /// Which parameter one is that always was the same.
    same: SecondaryMap<ValueId, Option<ValueId>>,
    /// The calls of each function.
    calls: SecondaryMap<FuncId, Vec<OpId>>,
    count: u64,
}

impl Captures {
    /// Finds the captures of a function that nothing uses. The functions that it calls have been looked at.
    fn find_unused(&mut self, module: &Module, live: &Reach, func: FuncId) {
        for id in operations(module, func).into_iter().filter(|op| live.is_live(*op)) {
            let op = module.op(id);
            if AkariOp::of(op) != Some(AkariOp::Call) {
                op.operands.iter().for_each(|operand| self.used.set(*operand, true));
                continue;
            }
            self.calls.get_mut(op.func(0)).push(id);
            for (operand, param) in op.operands.iter().zip(&module.functions[op.func(0)].params) {
                if !self.gone.get(param.value) {
                    self.used.set(*operand, true);
                }
            }
        }
        for param in &module.functions[func].params {
            if param.is_capture && !self.used.get(param.value) {
                self.remove(param.value);
            }
        }
    }

    fn remove(&mut self, param: ValueId) {
        self.gone.set(param, true);
        self.count += 1;
    }

    /// What a value is after the captures of the function it is in have been merged.
    fn merged(&self, value: ValueId) -> ValueId {
        self.same.get(value).unwrap_or(value)
    }

    /// Finds the captures of a function that are always the same as another of its parameters. Its callers have been looked at.
    fn merge(&mut self, module: &Module, func: FuncId) {
        let params = &module.functions[func].params;
        let calls = std::mem::take(self.calls.get_mut(func));
        for (index, param) in params.iter().enumerate() {
            if !param.is_capture || *self.gone.get(param.value) || param.mode == PassMode::Inout {
                continue;
            }
            let other = params[..index].iter().enumerate().find(|(other_index, other)| {
                !self.gone.get(other.value)
                    && other.mode == param.mode
                    && module.value_type(other.value) == module.value_type(param.value)
                    && may_merge(module, param.value, other.value)
                    && !calls.is_empty()
                    && calls.iter().all(|call| {
                        let operands = &module.op(*call).operands;
                        self.is_same(module, operands[*other_index], operands[index])
                    })
            });
            if let Some((_, other)) = other {
                self.same.set(param.value, Some(other.value));
                self.remove(param.value);
            }
        }
    }

    fn is_same(&self, module: &Module, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (self.merged(a), self.merged(b));
        let constant = |value| {
            let op = module.op(module.defining_op(value)?);
            matches!(AkariOp::of(op), Some(AkariOp::Const | AkariOp::GlobalConst)).then_some(&op.attrs)
        };
        a == b || constant(a).is_some_and(|a| constant(b) == Some(a))
    }

    /// Takes the captures away, and with them operations whose results nothing uses: they may use captures too.
    fn trim(&self, module: &mut Module, live: &Reach) {
        let mut kept: SecondaryMap<FuncId, Vec<bool>> = SecondaryMap::new();
        for func in module.functions.ids() {
            let params = module.functions[func].params.iter();
            kept.set(func, params.map(|param| !self.gone.get(param.value)).collect());
        }
        let mut rewriter = Rewriter::new(module);
        for func in rewriter.module.functions.ids() {
            for index in 0..rewriter.module.functions[func].params.len() {
                let param = rewriter.module.functions[func].params[index].value;
                if let Some(same) = *self.same.get(param) {
                    rewriter.replace(param, same);
                }
            }
            rewriter.function(func, &mut |rewriter, id| {
                let op = rewriter.module.op(id);
                match AkariOp::of(op) {
                    Some(AkariOp::Call) => {
                        let operands = op.operands.iter().zip(kept.get(op.func(0)));
                        let operands = operands.filter(|(_, kept)| **kept).map(|(operand, _)| *operand).collect();
                        rewriter.module.op_mut(id).operands = operands;
                        Outcome::Keep
                    }
                    // The mark of where a groupshared variable is declared is wanted later.
                    Some(AkariOp::GlobalPlace) => Outcome::Keep,
                    _ if !live.is_live(id) => Outcome::Remove,
                    _ => Outcome::Keep,
                }
            });
            let module = &mut *rewriter.module;
            module.functions[func].params.retain(|param| !self.gone.get(param.value));
            for index in 0..module.functions[func].params.len() {
                let value = module.functions[func].params[index].value;
                module.value_mut(value).def = ValueDef::Param(func, index as u32);
            }
        }
    }
}
