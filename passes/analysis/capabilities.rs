//! Which capabilities of the language a function uses, itself and through the functions that it calls.

use std::collections::BTreeSet;

use akari_dialect::{AkariOp, Builtin, Capability};
use akari_ir::module::GlobalKind;
use akari_ir::{Entity, FuncId, Module, TypeKind};

use super::calls::{callees, callees_first};
use super::walk::operations;

/// The capabilities of each function, in the order of the table.
#[derive(Clone, Debug)]
pub struct Capabilities {
    functions: Vec<BTreeSet<Capability>>,
}

impl Capabilities {
    /// Looks at all functions of a module.
    #[must_use]
    pub fn of_module(module: &Module) -> Self {
        let mut functions: Vec<BTreeSet<Capability>> = vec![BTreeSet::new(); module.functions.len()];
        let callees = callees(module);
        for func in callees_first(module) {
            let mut found = own(module, func);
            for callee in &callees[func.index()] {
                found.extend(&functions[callee.index()]);
            }
            functions[func.index()] = found;
        }
        Self { functions }
    }

    /// Those of a function.
    pub fn of(&self, func: FuncId) -> impl Iterator<Item = Capability> {
        self.functions[func.index()].iter().copied()
    }
}

fn own(module: &Module, func: FuncId) -> BTreeSet<Capability> {
    let mut found = BTreeSet::new();
    for param in &module.functions[func].params {
        found.extend(of_type(module, module.value_kind(param.value)));
    }
    for op in operations(module, func) {
        let op = module.op(op);
        match AkariOp::of(op) {
            Some(AkariOp::Builtin) => found.extend(Builtin::from_index(op.enumerated(0)).def().capability),
            Some(AkariOp::GlobalPlace) if module.globals[op.global(0)].kind == GlobalKind::Workgroup => {
                found.insert(Capability::Threadgroup);
            }
            _ => {}
        }
    }
    found
}

/// The capability that a resource of a type takes by being there.
fn of_type(module: &Module, kind: TypeKind) -> Option<Capability> {
    match kind {
        TypeKind::AccelStruct => Some(Capability::RayQuery),
        TypeKind::StorageTexture(..) => Some(Capability::RwTexture),
        TypeKind::ResourceArray(element, _) => of_type(module, module.kind(element)),
        TypeKind::Scalar(_)
        | TypeKind::Vector(..)
        | TypeKind::Matrix { .. }
        | TypeKind::Array(..)
        | TypeKind::OpenArray(..)
        | TypeKind::Function(_)
        | TypeKind::Struct(_)
        | TypeKind::Place(..)
        | TypeKind::Buffer(..)
        | TypeKind::Texture(..)
        | TypeKind::Sampler
        | TypeKind::SamplerCmp
        | TypeKind::BufferTable
        | TypeKind::TextureTable
        | TypeKind::Memory(_) => None,
    }
}
