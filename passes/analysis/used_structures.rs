//! Which structures a module uses.

use akari_ir::{Module, StructId, Type, TypeKind};
use rustc_hash::FxHashSet;

use super::uses::Uses;
use crate::analysis::walk::operations;

/// The structures that values have, or hold. Results that nothing uses do not count.
#[must_use]
pub fn used_structures(module: &Module) -> FxHashSet<StructId> {
    let uses = Uses::of(module);
    let mut pending: Vec<Type> = Vec::new();
    for func in module.functions.ids() {
        let function = &module.functions[func];
        pending.extend(function.params.iter().map(|param| module.value_type(param.value)));
        pending.extend(function.result);
        for op in operations(module, func) {
            let result = module.op(op).result.filter(|result| uses.count(*result) > 0);
            pending.extend(result.map(|result| module.value_type(result)));
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
            kind => pending.extend(kind.part()),
        }
    }
    used
}
