//! `hlsl-precise`: marks the sums and products that DXC would simplify to something that IEEE-754 does not give.
//!
//! DXC and its SPIR-V optimizer take floats for real numbers: `(a + b) - a` becomes `b`, `x - x` and `x * 0` become 0, and constants
//! of one chain are combined. In quotients of halves the SPIR-V optimizer negates constants as if they had 32 bits. A value marked
//! `precise` is evaluated as written, with all that goes into it. Only expressions of these forms are marked; that an optimizer may
//! contract `a * b + c` elsewhere is what shader authors expect.

use akari_dialect::AkariOp;
use akari_dialect_gpu_abi::Target;
use akari_dialect_hlsl::HlslOp;
use akari_ir::{ConstId, Constant, Module, OpId, RegionId, Scalar, SecondaryMap, TypeKind, ValueId};
use rustc_hash::FxHashSet;

use crate::analysis::constants::constant_of;
use crate::analysis::effects::{Access, Effects, Memory};
use crate::analysis::uses::Uses;
use crate::emit::c_like::expression::constant_index;
use crate::rewrite::{Outcome, Rewriter};
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct HlslPrecise;

/// How deep an expression is searched for what cancels.
const DEPTH: u32 = 4;
/// How far apart two reads of one memory may be to be taken for the same.
const FAR: usize = 200;

impl Pass for HlslPrecise {
    const NAME: &'static str = "hlsl-precise";
    const SUMMARY: &'static str = "mark the float expressions that DXC would simplify to other results";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let marked = Risks::of(module, context.target == Some(Target::VulkanHlsl)).found;
        if marked.is_empty() {
            return Ok(Changed::No);
        }
        context.count("precise values", marked.len() as u64);
        Rewriter::new(module).module(&mut |r, id| {
            let op = r.module.op(id).clone();
            let Some(result) = op.result.filter(|_| marked.contains(&id)) else { return Outcome::Keep };
            let ty = r.type_of(result);
            let copy = r.value_of(op.def, &op.operands, &op.attrs, ty);
            let value = r.value_of(HlslOp::Precise.def(), &[copy], &[], ty);
            r.module.value_mut(value).name = r.module.value(result).name;
            Outcome::Replace(value)
        });
        Ok(Changed::Yes)
    }
}

/// What is to be marked.
struct Risks<'m> {
    module: &'m Module,
    uses: Uses,
    effects: Effects<'m>,
    /// Where each operation stands.
    places: SecondaryMap<OpId, Option<(RegionId, u32)>>,
    found: FxHashSet<OpId>,
    vulkan: bool,
}

impl<'m> Risks<'m> {
    fn of(module: &'m Module, vulkan: bool) -> Self {
        let mut risks = Self {
            module,
            uses: Uses::of(module),
            effects: Effects::new(module),
            places: SecondaryMap::new(),
            found: FxHashSet::default(),
            vulkan,
        };
        for (_, function) in module.functions.iter() {
            risks.region(function.body);
        }
        risks
    }

    fn region(&mut self, region: RegionId) {
        for (index, op) in self.module.region(region).ops.iter().enumerate() {
            self.places.set(*op, Some((region, index as u32)));
            if self.module.op(*op).result.is_some_and(|result| self.uses.count(result) > 0) && self.is_at_risk(*op) {
                self.found.insert(*op);
            }
            for nested in &self.module.op(*op).regions {
                self.region(*nested);
            }
        }
    }

    fn is_at_risk(&mut self, id: OpId) -> bool {
        let module = self.module;
        let op = module.op(id);
        let is_float = op.result.and_then(|result| module.value_kind(result).scalar()).is_some_and(akari_ir::Scalar::is_float);
        if !is_float {
            return false;
        }
        match AkariOp::of(op) {
            Some(akari @ (AkariOp::Add | AkariOp::Sub | AkariOp::Mul | AkariOp::Div)) => {
                let (lhs, rhs) = (op.operands[0], op.operands[1]);
                let additive = matches!(akari, AkariOp::Add | AkariOp::Sub);
                let zero = |value| constant_of(module, value).is_some_and(|constant| has_zero(module, constant));
                // `x - 0` is `x`; what else a zero takes part in may be a NaN or lose the sign of a zero.
                let with_zero = zero(lhs) || akari != AkariOp::Sub && zero(rhs);
                // What is made of a value that was kept from being simplified must be too.
                let is_precise = |value| module.defining_op(value).is_some_and(|op| self.found.contains(&op));
                let follows = is_precise(lhs) || is_precise(rhs);
                let half = op.result.is_some_and(|result| module.value_kind(result).scalar() == Some(Scalar::F16));
                let half_quotient = self.vulkan && akari == AkariOp::Div && half;
                with_zero || follows || half_quotient || chains_constants(module, additive, lhs, rhs) || self.cancels(akari, lhs, rhs)
            }
            // The sign of a zero difference.
            Some(AkariOp::Neg) => module
                .defining_op(op.operands[0])
                .is_some_and(|inner| matches!(AkariOp::of(module.op(inner)), Some(AkariOp::Add | AkariOp::Sub))),
            _ => false,
        }
    }

    /// Whether one side is, or is made of, what stands on the other side with the inverse operator between.
    fn cancels(&mut self, akari: AkariOp, lhs: ValueId, rhs: ValueId) -> bool {
        let additive = matches!(akari, AkariOp::Add | AkariOp::Sub);
        let inverse = matches!(akari, AkariOp::Sub | AkariOp::Div);
        if inverse && self.same_value(lhs, rhs, DEPTH) {
            return true;
        }
        let mut left = Vec::new();
        let mut right = Vec::new();
        leaves(self.module, additive, lhs, false, DEPTH, &mut left);
        leaves(self.module, additive, rhs, inverse, DEPTH, &mut right);
        left.iter().any(|(a, inverted)| {
            right.iter().any(|(b, other)| inverted != other && self.same_value(*a, *b, DEPTH))
        })
    }

    /// Whether two values are computed alike, of the same.
    fn same_value(&mut self, a: ValueId, b: ValueId, depth: u32) -> bool {
        if a == b {
            return true;
        }
        let (Some(first), Some(second)) = (self.module.defining_op(a), self.module.defining_op(b)) else { return false };
        if depth == 0 {
            return false;
        }
        let (x, y) = (self.module.op(first), self.module.op(second));
        if matches!(AkariOp::of(x), Some(AkariOp::Local | AkariOp::Call)) {
            return false;
        }
        x.def == y.def
            && x.attrs == y.attrs
            && x.regions.is_empty()
            && x.operands.len() == y.operands.len()
            && x.operands.iter().zip(&y.operands).all(|(x, y)| self.same_value(*x, *y, depth - 1))
            && self.nothing_written_between(first, second)
    }

    /// Whether two reads of one memory read the same: they stand in one region, with no write to it between them.
    fn nothing_written_between(&mut self, first: OpId, second: OpId) -> bool {
        let read: Vec<Memory> = self
            .effects
            .of(first)
            .into_iter()
            .map(|access| match access {
                Access::Read(memory) | Access::Write(memory) => memory,
            })
            .collect();
        if read.is_empty() {
            return true;
        }
        let (Some((region, from)), Some((other, to))) = (*self.places.get(first), *self.places.get(second)) else { return false };
        if region != other {
            return false;
        }
        let between = &self.module.region(region).ops[from.min(to) as usize..from.max(to) as usize];
        between.len() <= FAR
            && between.iter().all(|op| {
                self.effects.of(*op).iter().all(|access| !matches!(access, Access::Write(memory) if read.contains(memory)))
            })
    }
}

fn has_zero(module: &Module, constant: ConstId) -> bool {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => bits & 0x7fff_ffff == 0 || *bits == 0x8000,
        Constant::Composite(_, parts) => parts.iter().any(|part| has_zero(module, *part)),
        Constant::Zero(_) => true,
    }
}

/// Whether each component is a power of two, by its bits: no fraction.
fn is_power_of_two(module: &Module, constant: ConstId) -> bool {
    match module.constant(constant) {
        Constant::Scalar(ty, bits) => match module.kind(*ty) {
            TypeKind::Scalar(Scalar::F16) => bits & 0x3ff == 0 && bits & 0x7c00 != 0,
            _ => bits & 0x007f_ffff == 0 && bits & 0x7f80_0000 != 0,
        },
        Constant::Composite(_, parts) => parts.iter().all(|part| is_power_of_two(module, *part)),
        Constant::Zero(_) => false,
    }
}

/// The scalar that a component of a vector is, where the vector is put together or rearranged in sight.
fn component(module: &Module, value: ValueId) -> ValueId {
    let mut value = value;
    while let Some(op) = module.defining_op(value).map(|op| module.op(op)) {
        let index = match AkariOp::of(op) {
            Some(AkariOp::Extract) => Some(op.int(0)),
            Some(AkariOp::Index) => constant_index(module, op.operands[1]),
            _ => None,
        };
        let Some(index) = index.and_then(|index| usize::try_from(index).ok()) else { return value };
        let Some(of) = module.defining_op(op.operands[0]).map(|op| module.op(op)) else { return value };
        let vector = matches!(module.value_kind(op.operands[0]), TypeKind::Vector(..));
        value = match AkariOp::of(of) {
            Some(AkariOp::Construct) if vector => {
                let scalars = of.operands.iter().all(|part| matches!(module.value_kind(*part), TypeKind::Scalar(_)));
                match of.operands.get(index).filter(|_| scalars) {
                    Some(part) => *part,
                    None => return value,
                }
            }
            // The same component of a vector rearranged is a component of the vector itself.
            Some(AkariOp::Swizzle) => {
                let source = of.ints(0).get(index).copied();
                let inner = module.defining_op(of.operands[0]).map(|op| module.op(op));
                match (source.and_then(|source| usize::try_from(source).ok()), inner) {
                    (Some(source), Some(inner))
                        if AkariOp::of(inner) == Some(AkariOp::Construct)
                            && inner.operands.iter().all(|part| matches!(module.value_kind(*part), TypeKind::Scalar(_))) =>
                    {
                        match inner.operands.get(source) {
                            Some(part) => *part,
                            None => return value,
                        }
                    }
                    _ => return value,
                }
            }
            _ => return value,
        };
    }
    value
}

/// The operands of a sum or difference (`additive`), or of a product or quotient, if `value` is one.
fn same_family(module: &Module, additive: bool, value: ValueId) -> Option<(ValueId, ValueId)> {
    let op = module.op(module.defining_op(value)?);
    let fits = match AkariOp::of(op)? {
        AkariOp::Add | AkariOp::Sub => additive,
        AkariOp::Mul | AkariOp::Div => !additive,
        _ => false,
    };
    fits.then(|| (op.operands[0], op.operands[1]))
}

/// Whether a constant meets another one in a chain of one family: `(x * a) * b`. Powers of two may be multiplied in any order.
fn chains_constants(module: &Module, additive: bool, lhs: ValueId, rhs: ValueId) -> bool {
    let is_constant = |value| {
        constant_of(module, value).is_some_and(|constant| additive || !is_power_of_two(module, constant))
    };
    let holds = |value| same_family(module, additive, value).is_some_and(|(a, b)| is_constant(a) || is_constant(b));
    is_constant(lhs) && holds(rhs) || is_constant(rhs) && holds(lhs)
}

/// What a chain of one family is made of, each with whether it is subtracted or divided by.
fn leaves(module: &Module, additive: bool, value: ValueId, inverted: bool, depth: u32, found: &mut Vec<(ValueId, bool)>) {
    let value = component(module, value);
    let parts = if depth == 0 { None } else { same_family(module, additive, value) };
    match (parts, module.defining_op(value)) {
        (Some((lhs, rhs)), Some(op)) => {
            let inverse = matches!(AkariOp::of(module.op(op)), Some(AkariOp::Sub | AkariOp::Div));
            leaves(module, additive, lhs, inverted, depth - 1, found);
            leaves(module, additive, rhs, inverted != inverse, depth - 1, found);
        }
        _ => found.push((value, inverted)),
    }
}
