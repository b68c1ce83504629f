//! `hlsl-layout`: buffers whose bytes HLSL would lay out in another way than the ABI.
//!
//! - Constant buffers: structures get padding where that is enough; where HLSL cannot express a layout at all (a structure that does
//!   not start at a multiple of 16, a vector across one, tight arrays), the buffer becomes an array of `uint4`, read by
//!   offset through small functions.
//! - Structured buffers are tight in HLSL as in the ABI. But DXC ignores the order of rows of a matrix that is itself the element,
//!   so that matrices and arrays are wrapped in a structure.
//! - In Vulkan, arrays of matrices that are elements of arrays are wrapped in a structure too.
//! - Vectors of `bool` in buffers are vectors of `uint`.
//! - Stage interfaces are structures that no buffer holds: clip distances are a vector; in Vulkan halves are floats; for Direct3D 12 both sides of the pipeline declare
//!   the same varyings in the same order.

mod interface;
mod matrices;
mod packing;
mod raw;
mod retype;
mod rewrite;
mod signature;

use akari_dialect_gpu_abi::Target;
use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_ir::{BufferKind, GlobalId, GlobalKind, Module, StructId, Type, TypeKind};
use rustc_hash::FxHashSet;

use crate::{Changed, Failed, Pass, PassContext};
use packing::{Declared, Slot};

/// See the module.
pub struct HlslLayout;

impl Pass for HlslLayout {
    const NAME: &'static str = "hlsl-layout";
    const SUMMARY: &'static str = "declare buffers so that HLSL lays them out as the ABI says";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let is_vulkan = context.target == Some(Target::VulkanHlsl);
        let has_nested = is_vulkan && matrices::wrap_inner_arrays(module);
        let wrapped: Vec<_> = buffers(module)
            .into_iter()
            .filter(|(_, kind, contents)| {
                *kind != BufferKind::Uniform
                    && matches!(module.kind(*contents), TypeKind::Matrix { .. } | TypeKind::Array(..))
            })
            .collect();
        rewrite::wrap_elements(module, &wrapped);

        let (mut in_storage, mut in_buffers) = (FxHashSet::default(), FxHashSet::default());
        for (_, kind, contents) in buffers(module) {
            collect_structs(module, contents, &mut in_buffers);
            if kind != BufferKind::Uniform {
                collect_structs(module, contents, &mut in_storage);
            }
        }
        let has_split = interface::split(module, &in_buffers);
        let signatures = if context.target == Some(Target::D3d12) { signature::ordered(module) } else { Vec::new() };
        let has_new_types = retype::retype(module, is_vulkan, &in_buffers);

        let in_values = structs_of_values(module);
        let mut layouts = Layouts::new();
        let mut padded = Declared::default();
        let mut raw = Vec::new();
        for (id, kind, contents) in buffers(module) {
            if kind != BufferKind::Uniform {
                continue;
            }
            let mut declared = Declared { structs: padded.structs.clone() };
            let expressible = declared.add(module, &mut layouts, contents, Packing::Uniform).is_ok()
                && declared.structs.iter().all(|(id, (_, slots))| may_change(*id, slots, &in_storage, &in_values));
            if expressible {
                padded = declared;
            } else {
                raw.push((id, contents));
            }
        }
        raw::rewrite(module, &mut layouts, &raw);

        let mut restructured = signatures;
        for (id, (_, slots)) in &padded.structs {
            if slots.iter().any(|slot| !matches!(slot, Slot::Field(_))) {
                restructured.push((*id, signature::padded(module, slots)));
            }
        }
        let changed = !(wrapped.is_empty() && raw.is_empty() && restructured.is_empty())
            || has_new_types
            || has_nested
            || has_split;
        rewrite::restructure(module, restructured);
        Ok(if changed { Changed::Yes } else { Changed::No })
    }
}

/// The buffers of the module, with what they hold.
fn buffers(module: &Module) -> Vec<(GlobalId, BufferKind, Type)> {
    module
        .globals
        .iter()
        .filter_map(|(id, global)| match (module.kind(global.ty), &global.kind) {
            (TypeKind::Buffer(kind, contents), GlobalKind::Resource { .. }) => Some((id, kind, contents)),
            _ => None,
        })
        .collect()
}

/// Whether a structure may be declared with these slots everywhere.
fn may_change(id: StructId, slots: &[Slot], in_storage: &FxHashSet<StructId>, in_values: &FxHashSet<StructId>) -> bool {
    let is_padded = slots.iter().any(|slot| !matches!(slot, Slot::Field(_)));
    let is_widened = slots.iter().any(|slot| matches!(slot, Slot::Widened(_)));
    !(is_padded && in_storage.contains(&id) || is_widened && in_values.contains(&id))
}

/// The structures that a type holds.
fn collect_structs(module: &Module, ty: Type, structs: &mut FxHashSet<StructId>) {
    match module.kind(ty) {
        TypeKind::Struct(id) if structs.insert(id) => {
            for field in &module.structs[id].fields {
                collect_structs(module, field.ty, structs);
            }
        }
        TypeKind::Array(element, _) => collect_structs(module, element, structs),
        _ => {}
    }
}

/// The structures of which there are values, or places outside of uniforms.
fn structs_of_values(module: &Module) -> FxHashSet<StructId> {
    let mut structs = FxHashSet::default();
    let mut visit = |ty: Type| match module.kind(ty) {
        TypeKind::Place(akari_ir::Space::Uniform, _) => {}
        TypeKind::Place(_, pointee) => collect_structs(module, pointee, &mut structs),
        _ => collect_structs(module, ty, &mut structs),
    };
    for (_, function) in module.functions.iter() {
        for param in &function.params {
            visit(module.value_type(param.value));
        }
        crate::analysis::walk::walk(module, function.body, &mut |op| {
            if let Some(result) = module.op(op).result {
                visit(module.value_type(result));
            }
        });
    }
    structs
}
