//! `hlsl-precise`: for Vulkan, declares what decides something after float arithmetic, so that it can be `precise`.
//!
//! DXC and the drivers behind it take floats for real numbers where they may: `a * b + c` is rounded once, `x * 0` becomes 0,
//! `(a + b) - a` becomes `b`. They may not where SPIR-V says `NoContraction`, which DXC puts on all that goes into a `precise` declaration.
//! What is stored or given back has a declaration to be marked: `print-hlsl` does that. A condition, an index or a coordinate in the middle of
//! an expression has none, so this pass makes one. (For Direct3D 12, DXC's option `-Gis` says the same of everything.)

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_gpu_abi::Target;
use akari_dialect_hlsl::HlslOp;
use akari_ir::{Module, OpId, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::float_flow::{FloatFlow, handed_on, is_arithmetic, observed};
use crate::analysis::uses::Uses;
use crate::analysis::walk::walk;
use crate::rewrite::{Outcome, Rewriter};
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct HlslPrecise;

impl Pass for HlslPrecise {
    const NAME: &'static str = "hlsl-precise";
    const SUMMARY: &'static str =
        "declare conditions and indices that float arithmetic goes into, so that DXC keeps it as written";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        if context.target != Some(Target::VulkanHlsl) {
            return Ok(Changed::No);
        }
        let marked = to_be_declared(module);
        if marked.is_empty() {
            return Ok(Changed::No);
        }
        context.count("precise values", marked.len() as u64);
        Rewriter::new(module).module(&mut |r, id| {
            let op = r.module.op(id).clone();
            let Some((result, role)) = op.result.and_then(|result| Some((result, *marked.get(&result)?))) else {
                return Outcome::Keep;
            };
            let ty = r.type_of(result);
            let copy = r.op(op.def, &op.operands, &op.attrs, &op.regions, Some(ty));
            let Some(copy) = r.module.op(copy).result else { return Outcome::Keep };
            let value = r.value_of(HlslOp::Precise.def(), &[copy], &[], ty);
            let name = r.module.value(result).name.or_else(|| role.map(|role| r.module.symbols.intern(role)));
            r.module.value_mut(value).name = name;
            Outcome::Replace(value)
        });
        Ok(Changed::Yes)
    }
}

/// What is observed in the middle of an expression with arithmetic in it. What consists of variables and declared values is not: those can be
/// marked. With what it is to its first observer, as a name.
fn to_be_declared(module: &Module) -> FxHashMap<ValueId, Option<&'static str>> {
    let flow = FloatFlow::of(module);
    let uses = Uses::of(module);
    let mut found = FxHashMap::default();
    for (_, function) in module.functions.iter() {
        walk(module, function.body, &mut |id| {
            for value in observed(module, id) {
                if flow.reaches(value) && computes(module, &flow, &uses, value) {
                    found.entry(value).or_insert_with(|| role(module, id, value));
                }
            }
        });
    }
    found
}

/// Whether there is arithmetic between a value and the declarations that it is made of.
fn computes(module: &Module, flow: &FloatFlow, uses: &Uses, value: ValueId) -> bool {
    let Some(id) = module.defining_op(value) else { return false };
    is_arithmetic(module, id)
        || handed_on(module, id).into_iter().any(|part| {
            // As `shape-expressions` will have it.
            let is_declared = module.value(part).name.is_some() || uses.count(part) > 1;
            flow.reaches(part) && !is_declared && computes(module, flow, uses, part)
        })
}

/// What a value is to the texture method that observes it.
fn role(module: &Module, observer: OpId, value: ValueId) -> Option<&'static str> {
    let op = module.op(observer);
    if AkariOp::of(op) != Some(AkariOp::Builtin) {
        return None;
    }
    let position = op.operands.iter().position(|operand| *operand == value)?;
    match (Builtin::from_index(op.enumerated(0)), position) {
        (Builtin::TextureStore, 2) => Some("texel"),
        (
            Builtin::TextureSample
            | Builtin::TextureSampleLevel
            | Builtin::TextureSampleGrad
            | Builtin::TextureSampleCmp
            | Builtin::TextureSampleCmpLevelZero
            | Builtin::TextureGather
            | Builtin::TextureGatherCmp,
            2,
        ) => Some("coordinate"),
        (Builtin::TextureSampleLevel, 3) => Some("level"),
        (Builtin::TextureSampleCmp | Builtin::TextureSampleCmpLevelZero | Builtin::TextureGatherCmp, 3) => {
            Some("reference")
        }
        _ => None,
    }
}
