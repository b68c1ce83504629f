//! `hlsl-precise`: marks the sums and products that DXC would simplify to something that IEEE-754 does not give.
//!
//! DXC and its SPIR-V optimizer take floats for real numbers: `(a + b) - a` becomes `b`, `x - x` and `x * 0` become 0, and constants
//! of one chain are combined. A value marked `precise` is evaluated as written, with all that goes into it. Only expressions of
//! these forms are marked; that an optimizer may contract `a * b + c` elsewhere is what shader authors expect.

use akari_dialect::ops::view;
use akari_dialect::AkariOp;
use akari_dialect_hlsl::HlslOp;
use akari_ir::{ConstId, Constant, Module, OpId, ValueId};
use smallvec::smallvec;

use crate::analysis::uses::Uses;
use crate::polyfill::numbers::constant_of;
use crate::polyfill::rewriter::{Helpers, Outcome, rewrite};
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct HlslPrecise;

/// How deep an expression is searched for what cancels.
const DEPTH: u32 = 4;

impl Pass for HlslPrecise {
    const NAME: &'static str = "hlsl-precise";
    const SUMMARY: &'static str = "mark the float expressions that DXC would simplify to other results";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let uses = Uses::of(module);
        let mut marked = 0;
        rewrite(module, &mut Helpers::default(), |b, id| {
            let module = b.module();
            if !is_at_risk(module, id) {
                return Outcome::Keep;
            }
            let op = module.op(id).clone();
            let Some(result) = op.result.filter(|result| uses.count(*result) > 0) else { return Outcome::Keep };
            let (ty, name) = (module.value_type(result), module.value(result).name);
            marked += 1;
            let copy = b.builder.value(op.def, &op.operands, op.attrs, ty);
            let value = b.builder.value(HlslOp::Precise.def(), &[copy], smallvec![], ty);
            b.builder.module.value_mut(value).name = name;
            Outcome::Replace(value)
        });
        context.count("precise values", marked);
        Ok(if marked > 0 { Changed::Yes } else { Changed::No })
    }
}

fn is_at_risk(module: &Module, id: OpId) -> bool {
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
            let is_precise = |value| {
                module.defining_op(value).is_some_and(|op| HlslOp::of(module.op(op)) == Some(HlslOp::Precise))
            };
            let follows = is_precise(lhs) || is_precise(rhs);
            with_zero || follows || chains_constants(module, additive, lhs, rhs) || cancels(module, akari, lhs, rhs)
        }
        // The sign of a zero difference.
        Some(AkariOp::Neg) => module
            .defining_op(op.operands[0])
            .is_some_and(|inner| matches!(AkariOp::of(module.op(inner)), Some(AkariOp::Add | AkariOp::Sub))),
        _ => false,
    }
}

fn has_zero(module: &Module, constant: ConstId) -> bool {
    match module.constant(constant) {
        Constant::Scalar(_, bits) => bits & 0x7fff_ffff == 0 || *bits == 0x8000,
        Constant::Composite(_, parts) => parts.iter().any(|part| has_zero(module, *part)),
        Constant::Zero(_) => true,
    }
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

/// Whether a constant meets another one in a chain of one family: `(x * a) * b`.
fn chains_constants(module: &Module, additive: bool, lhs: ValueId, rhs: ValueId) -> bool {
    let is_constant = |value| constant_of(module, value).is_some();
    let holds = |value| same_family(module, additive, value).is_some_and(|(a, b)| is_constant(a) || is_constant(b));
    is_constant(lhs) && holds(rhs) || is_constant(rhs) && holds(lhs)
}

/// Whether one side is, or is made of, what stands on the other side with the inverse operator between.
fn cancels(module: &Module, akari: AkariOp, lhs: ValueId, rhs: ValueId) -> bool {
    let additive = matches!(akari, AkariOp::Add | AkariOp::Sub);
    let inverse = matches!(akari, AkariOp::Sub | AkariOp::Div);
    if inverse && same_value(module, lhs, rhs, DEPTH) {
        return true;
    }
    let mut left = Vec::new();
    let mut right = Vec::new();
    leaves(module, additive, lhs, false, DEPTH, &mut left);
    leaves(module, additive, rhs, inverse, DEPTH, &mut right);
    left.iter().any(|(a, inverted)| right.iter().any(|(b, other)| inverted != other && same_value(module, *a, *b, DEPTH)))
}

/// What a chain of one family is made of, each with whether it is subtracted or divided by.
fn leaves(module: &Module, additive: bool, value: ValueId, inverted: bool, depth: u32, found: &mut Vec<(ValueId, bool)>) {
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

/// Whether two values are computed alike. Loads count as alike though a write may stand between them.
fn same_value(module: &Module, a: ValueId, b: ValueId, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Some(x), Some(y)) = (module.defining_op(a), module.defining_op(b)) else { return false };
    if depth == 0 {
        return false;
    }
    if view::Local::cast(module, x).is_some() || view::Call::cast(module, x).is_some() {
        return false;
    }
    let (x, y) = (module.op(x), module.op(y));
    x.def == y.def
        && x.attrs == y.attrs
        && x.regions.is_empty()
        && x.operands.len() == y.operands.len()
        && x.operands.iter().zip(&y.operands).all(|(x, y)| same_value(module, *x, *y, depth - 1))
}
