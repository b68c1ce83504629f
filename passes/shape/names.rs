//! Names for values that are declared and have none in the source.

use akari_dialect::{AkariOp, Builtin, Signature};
use akari_dialect_hlsl::HlslOp;
use akari_dialect_msl::MslOp;
use akari_ir::{Module, OpId, TypeKind, ValueId};

/// A name for a value that has none in the source.
pub(super) fn name_for(module: &Module, id: OpId) -> String {
    let op = module.op(id);
    if HlslOp::of(op) == Some(HlslOp::Precise) {
        return module.defining_op(op.operands[0]).map_or_else(|| "value".to_owned(), |inner| name_for(module, inner));
    }
    if MslOp::of(op) == Some(MslOp::Unpack)
        && let Some(inner) = module.defining_op(op.operands[0])
    {
        return name_for(module, inner);
    }
    let name = match AkariOp::of(op) {
        Some(AkariOp::Add) => "sum",
        Some(AkariOp::Sub) => "difference",
        Some(AkariOp::Mul | AkariOp::MatMul) => "product",
        Some(AkariOp::Div) => "quotient",
        Some(AkariOp::Rem) => "remainder",
        Some(AkariOp::And | AkariOp::Or | AkariOp::Xor | AkariOp::BitNot | AkariOp::Shl | AkariOp::Shr) => "bits",
        Some(AkariOp::Compare | AkariOp::Not | AkariOp::AndThen | AkariOp::OrElse) => "condition",
        Some(AkariOp::Select | AkariOp::Cond) => "chosen",
        Some(AkariOp::Load) => return loaded_name(module, op.operands[0]),
        Some(AkariOp::Extract | AkariOp::Swizzle | AkariOp::Splat | AkariOp::Convert) => {
            if let Some(inner) = module.defining_op(op.operands[0]) {
                return name_for(module, inner);
            }
            "value"
        }
        // What an instance was made for follows `__`.
        Some(AkariOp::Call) => {
            let name = module.text(module.functions[op.func(0)].name);
            return format!("{}_result", name.split("__").next().filter(|base| !base.is_empty()).unwrap_or(name));
        }
        Some(AkariOp::Builtin) => return builtin_name(Builtin::from_index(op.enumerated(0))).to_owned(),
        _ => match op.result.map(|result| module.value_kind(result)) {
            Some(TypeKind::Struct(_)) => "result",
            Some(TypeKind::Array(..)) => "values",
            _ => "value",
        },
    };
    name.to_owned()
}

fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::TextureSample
        | Builtin::TextureSampleLevel
        | Builtin::TextureSampleGrad
        | Builtin::TextureSampleCmp
        | Builtin::TextureSampleCmpLevelZero => "sampled",
        Builtin::TextureGather | Builtin::TextureGatherCmp => "gathered",
        Builtin::TextureLoad => "texel",
        Builtin::TextureDimensions => "size",
        Builtin::WaveSum | Builtin::WavePrefixSum => "wave_total",
        Builtin::Dot => "dot_product",
        Builtin::Normalize => "direction",
        _ if matches!(builtin.def().signature, Signature::Atomic { .. }) => "previous",
        _ => "value",
    }
}

/// What a place holds, by the name of the field or variable.
fn loaded_name(module: &Module, place: ValueId) -> String {
    if let Some(name) = module.value(place).name {
        return format!("previous_{}", module.text(name));
    }
    let Some(op) = module.defining_op(place).map(|op| module.op(op)) else { return "value".into() };
    match AkariOp::of(op) {
        Some(AkariOp::Member) => match module.types.as_place(module.value_type(op.operands[0])) {
            Some((_, of)) => match module.kind(of) {
                TypeKind::Struct(id) => module.text(module.structs[id].fields[op.int(0) as usize].name).to_owned(),
                _ => "value".into(),
            },
            None => "value".into(),
        },
        _ => "value".into(),
    }
}
