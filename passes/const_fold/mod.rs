//! `const-fold`: evaluates operations on constants, and keeps only the taken arm of `if`, `cond`, `switch`, `&&`, `||`, `select`
//! and loops whose condition is constant.
//!
//! ```text
//! %0: f32 = akari.const {value: f32 1.0}            %0: f32 = akari.const {value: f32 1.0}
//! %1: f32 = akari.add %0, %0                  =>    %1: f32 = akari.const {value: f32 2.0}
//! ```
//!
//! Evaluation is `akari_dialect::fold`: exact, and never to NaN or infinity, which are left to run time. Run-time float
//! expressions are not touched. Operations that nothing uses any more stay for `dead-ops`.

use akari_dialect::fold::fold;
use akari_dialect::{AkariOp, LoopTest};
use akari_ir::module::GlobalKind;
use akari_ir::op::{Attr, Traits};
use akari_ir::{ConstId, Module, OpId, RegionId, SecondaryMap, ValueId};
use smallvec::SmallVec;

use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;

/// See the module's documentation.
pub struct ConstFold;

impl Pass for ConstFold {
    const NAME: &'static str = "const-fold";
    const SUMMARY: &'static str = "evaluate operations on constants and drop arms that are never taken";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut folder =
            Folder { module, constants: SecondaryMap::new(), replaced: SecondaryMap::new(), folded: 0, arms: 0 };
        for func in folder.module.functions.ids() {
            folder.region(folder.module.functions[func].body);
        }
        let (folded, arms) = (folder.folded, folder.arms);
        context.count("folded operations", folded);
        context.count("dropped arms", arms);
        Ok(if folded + arms > 0 { Changed::Yes } else { Changed::No })
    }
}

struct Folder<'m> {
    module: &'m mut Module,
    /// The constant that a value is known to be.
    constants: SecondaryMap<ValueId, Option<ConstId>>,
    /// The value that stands for one whose operation is gone.
    replaced: SecondaryMap<ValueId, Option<ValueId>>,
    folded: u64,
    arms: u64,
}

/// What becomes of an operation.
enum Outcome {
    /// It stays.
    Keep,
    /// It goes, and with it what it did.
    Drop,
    /// The operations of a region take its place, and the value that the region yields that of its result.
    Splice(RegionId),
}

impl Folder<'_> {
    /// Folds a region in place.
    fn region(&mut self, region: RegionId) {
        let ops = std::mem::take(&mut self.module.region_mut(region).ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            match self.op(op) {
                Outcome::Keep => kept.push(op),
                Outcome::Drop => {}
                Outcome::Splice(taken) => {
                    self.region(taken);
                    kept.append(&mut self.module.region_mut(taken).ops);
                    self.replace_by_yielded(op, &mut kept);
                }
            }
            // What follows a taken arm that leaves never runs.
            if kept.last().is_some_and(|last| self.module.op(*last).def.traits.has(Traits::TERMINATOR)) {
                break;
            }
        }
        self.module.region_mut(region).ops = kept;
    }

    /// Takes the `yield` that ends spliced operations away and lets its operand stand for the result of `op`.
    fn replace_by_yielded(&mut self, op: OpId, kept: &mut Vec<OpId>) {
        let Some(result) = self.module.op(op).result else { return };
        let Some(last) = kept.last().copied() else { return };
        if AkariOp::of(self.module.op(last)) == Some(AkariOp::Yield) {
            kept.pop();
            let value = self.module.op(last).operands[0];
            self.replace(result, value);
        }
    }

    fn replace(&mut self, old: ValueId, new: ValueId) {
        self.replaced.set(old, Some(new));
        // The name the source gave the whole is the better one for a part without a name.
        if self.module.value(new).name.is_none() {
            self.module.value_mut(new).name = self.module.value(old).name;
        }
    }

    fn op(&mut self, id: OpId) -> Outcome {
        for index in 0..self.module.op(id).operands.len() {
            // A replacing value was itself resolved when it was recorded, so one step is enough.
            if let Some(new) = *self.replaced.get(self.module.op(id).operands[index]) {
                self.module.op_mut(id).operands[index] = new;
            }
        }
        let outcome = self.control(id);
        match outcome {
            Outcome::Keep => {}
            Outcome::Drop | Outcome::Splice(_) => {
                self.arms += 1;
                return outcome;
            }
        }
        for index in 0..self.module.op(id).regions.len() {
            self.region(self.module.op(id).regions[index]);
        }
        self.value(id);
        Outcome::Keep
    }

    fn known(&self, value: ValueId) -> Option<ConstId> {
        *self.constants.get(value)
    }

    fn known_bits(&self, value: ValueId) -> Option<u64> {
        self.module.scalar_bits(self.known(value)?)
    }

    /// Control flow on a known condition.
    fn control(&mut self, id: OpId) -> Outcome {
        let op = self.module.op(id);
        let Some(kind) = AkariOp::of(op) else { return Outcome::Keep };
        let condition = op.operands.first().and_then(|value| self.known_bits(*value));
        match (kind, condition) {
            (AkariOp::If | AkariOp::Cond, Some(bits)) => Outcome::Splice(op.regions[usize::from(bits == 0)]),
            (AkariOp::AndThen, Some(1)) | (AkariOp::OrElse, Some(0)) => Outcome::Splice(op.regions[0]),
            (AkariOp::AndThen | AkariOp::OrElse, Some(_)) => {
                // The left side decides: it is the result.
                let (result, lhs) = (op.result, op.operands[0]);
                if let Some(result) = result {
                    self.replace(result, lhs);
                }
                Outcome::Drop
            }
            (AkariOp::Select, Some(bits)) => {
                let (result, taken) = (op.result, op.operands[if bits == 0 { 2 } else { 1 }]);
                if let Some(result) = result {
                    self.replace(result, taken);
                }
                Outcome::Drop
            }
            (AkariOp::Switch, Some(bits)) => self.switch(id, bits),
            (AkariOp::Loop, _) if LoopTest::from_index(op.enumerated(0)) == LoopTest::Before => {
                let test = op.regions[0];
                self.region(test);
                let yielded = match self.module.region(test).ops[..] {
                    [.., last] => self.module.op(last).operands.first().copied(),
                    [] => None,
                };
                let only_constants =
                    self.module.region(test).ops.iter().rev().skip(1).all(|op| {
                        matches!(AkariOp::of(self.module.op(*op)), Some(AkariOp::Const | AkariOp::GlobalConst))
                    });
                let never = yielded.and_then(|value| self.known_bits(value)) == Some(0);
                if never && only_constants { Outcome::Drop } else { Outcome::Keep }
            }
            _ => Outcome::Keep,
        }
    }

    /// A switch on a known selector: the taken case in its place, or, where that holds a `break` of the switch deep inside, the
    /// switch with this case alone.
    fn switch(&mut self, id: OpId, bits: u64) -> Outcome {
        let op = self.module.op(id);
        let is_signed = self.module.value_kind(op.operands[0]).scalar() == Some(akari_ir::Scalar::I32);
        let selector = if is_signed { i64::from(bits as u32 as i32) } else { bits as i64 };
        let labelled = op.ints(0).chunks_exact(2).find(|pair| pair[0] == selector).map(|pair| pair[1]);
        let case = labelled.or(Some(op.int(1)).filter(|default| *default >= 0));
        let Some(region) = case.and_then(|case| op.regions.get(case as usize)).copied() else { return Outcome::Drop };
        if let Some(last) = self.module.region(region).ops.last().copied()
            && AkariOp::of(self.module.op(last)) == Some(AkariOp::Break)
        {
            self.module.region_mut(region).ops.pop();
        }
        if !breaks_out(self.module, region) {
            return Outcome::Splice(region);
        }
        let op = self.module.op_mut(id);
        if op.regions.len() > 1 {
            op.attrs = SmallVec::from_vec(vec![Attr::Ints(Box::new([])), Attr::Int(0)]);
            op.regions = SmallVec::from_slice(&[region]);
            self.arms += 1;
        }
        Outcome::Keep
    }

    /// An operation without control flow: remembers what it is known to be, and makes a constant of it if it can.
    fn value(&mut self, id: OpId) {
        let op = self.module.op(id);
        let (Some(kind), Some(result)) = (AkariOp::of(op), op.result) else { return };
        match kind {
            AkariOp::Const => {
                let constant = op.constant(0);
                self.constants.set(result, Some(constant));
                return;
            }
            AkariOp::GlobalConst => {
                if let GlobalKind::Constant(constant) = self.module.globals[op.global(0)].kind {
                    self.constants.set(result, Some(constant));
                }
                return;
            }
            _ => {}
        }
        let foldable = self.module.traits(id).has(Traits::PURE) && !self.module.traits(id).has(Traits::ADDRESS);
        if !foldable || op.operands.is_empty() {
            return;
        }
        let operands: Option<SmallVec<[ConstId; 4]>> = op.operands.iter().map(|value| self.known(*value)).collect();
        let Some(operands) = operands else { return };
        let attrs = op.attrs.clone();
        let ty = self.module.value_type(result);
        if let Ok(constant) = fold(self.module, kind, &attrs, &operands, ty) {
            let op = self.module.op_mut(id);
            op.def = AkariOp::Const.def();
            op.operands.clear();
            op.attrs = SmallVec::from_vec(vec![Attr::Const(constant)]);
            self.constants.set(result, Some(constant));
            self.folded += 1;
        }
    }
}

/// Whether a region holds a `break` that leaves what the region belongs to.
fn breaks_out(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.iter().any(|op| {
        let op = module.op(*op);
        match AkariOp::of(op) {
            Some(AkariOp::Break) => true,
            Some(AkariOp::Loop | AkariOp::Switch) => false,
            _ => op.regions.iter().any(|region| breaks_out(module, *region)),
        }
    })
}
