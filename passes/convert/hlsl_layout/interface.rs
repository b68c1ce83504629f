//! Structures that are both the interface of a stage and in memory: their interface gets a structure of its own, since what Direct3D,
//! DXC and Vulkan want of varyings (their order, other types) must not move the bytes that the host knows.

use akari_dialect::AkariOp;
use akari_ir::interface::ParamRole;
use akari_ir::{FuncId, Module, StructId, Type, TypeKind, ValueId};
use rustc_hash::FxHashSet;

use crate::analysis::walk::operations;
use crate::rewrite::{Outcome, Rewriter};

/// Gives entries copies of the structures in their interfaces that are in memory too. True where there were some.
pub(super) fn split(module: &mut Module, in_buffers: &FxHashSet<StructId>) -> bool {
    let mut changed = false;
    for func in module.functions.ids().collect::<Vec<_>>() {
        if module.functions[func].entry.is_none() {
            continue;
        }
        let inputs = module.functions[func].params.iter().filter(|param| param.role == ParamRole::StageIn);
        let shared_inputs: Vec<ValueId> = inputs
            .map(|param| param.value)
            .filter(|value| shared(module, module.value_type(*value), in_buffers).is_some())
            .collect();
        for input in shared_inputs {
            take(module, func, input);
            changed = true;
        }
        if let Some(id) = module.functions[func].result.and_then(|result| shared(module, result, in_buffers)) {
            give(module, func, id);
            changed = true;
        }
    }
    changed
}

fn shared(module: &Module, ty: Type, in_buffers: &FxHashSet<StructId>) -> Option<StructId> {
    match module.kind(ty) {
        TypeKind::Struct(id) if in_buffers.contains(&id) => Some(id),
        _ => None,
    }
}

/// A structure with the same fields, for the interface alone.
fn copy_of(module: &mut Module, id: StructId) -> Type {
    let mut copy = module.structs[id].clone();
    let name = format!("{}_interface", module.text(copy.name));
    copy.name = module.symbols.intern(&name);
    let copy = module.structs.alloc(copy);
    module.types.intern(TypeKind::Struct(copy))
}

/// Lets the entry take a copy, and makes the structure of it where that is used as a whole.
fn take(module: &mut Module, func: FuncId, input: ValueId) {
    let TypeKind::Struct(id) = module.value_kind(input) else { return };
    let old = module.value_type(input);
    let used_whole = operations(module, func).into_iter().any(|op| {
        let op = module.op(op);
        op.operands.contains(&input) && AkariOp::of(op) != Some(AkariOp::Extract)
    });
    let copy = copy_of(module, id);
    module.value_mut(input).ty = copy;
    if !used_whole {
        return;
    }
    let mut rewriter = Rewriter::new(module);
    let (prologue, whole) = rewriter.region_of(|r| {
        let parts: Vec<ValueId> =
            (0..r.module.structs[id].fields.len()).map(|index| r.extract(input, index as u32)).collect();
        r.construct(old, &parts)
    });
    rewriter.replace(input, whole);
    rewriter.function(func, &mut |_, _| Outcome::Keep);
    rewriter.prepend(func, prologue);
}

/// Lets the entry give a copy.
fn give(module: &mut Module, func: FuncId, id: StructId) {
    let copy = copy_of(module, id);
    module.functions[func].result = Some(copy);
    Rewriter::new(module).function(func, &mut |r, op| {
        if AkariOp::of(r.module.op(op)) != Some(AkariOp::Return) {
            return Outcome::Keep;
        }
        let value = r.module.op(op).operands[0];
        let parts: Vec<ValueId> =
            (0..r.module.structs[id].fields.len()).map(|index| r.extract(value, index as u32)).collect();
        let value = r.construct(copy, &parts);
        r.module.op_mut(op).operands[0] = value;
        Outcome::Keep
    });
}
