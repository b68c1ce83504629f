//! Which structures a module uses.

use akari_ir::{Module, StructId, Type, TypeKind};
use rustc_hash::FxHashSet;

use crate::rewrite::functions::operations;

/// The structures that values have, or hold.
#[must_use]
pub fn used_structures(module: &Module) -> FxHashSet<StructId> {
    let mut pending: Vec<Type> = Vec::new();
    for func in module.functions.ids() {
        let function = &module.functions[func];
        pending.extend(function.params.iter().map(|param| module.value_type(param.value)));
        pending.extend(function.result);
        for op in operations(module, func) {
            pending.extend(module.op(op).result.map(|result| module.value_type(result)));
        }
    }
    pending.extend(module.globals.iter().map(|(_, global)| global.ty));
    let mut used = FxHashSet::default();
    let mut seen = FxHashSet::default();
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match module.kind(ty) {
            TypeKind::Struct(id) => {
                used.insert(id);
                pending.extend(module.structs[id].fields.iter().map(|field| field.ty));
            }
            TypeKind::Array(of, _) | TypeKind::Place(_, of) | TypeKind::Buffer(_, of) => pending.push(of),
            _ => {}
        }
    }
    used
}
