//! The types and names of a program as it was lowered, with those that its instances have beside. The module that the passes leave has only
//! what its entries reach, under other numbers, so that what is said of both is said in these.

use akari_ir::interface::BindingSource;
use akari_ir::{Module, StructId, Symbol, Type, TypeKind};
use rustc_hash::FxHashMap;

/// See the module.
pub(super) struct World<'a> {
    /// The program as it was lowered, with types added.
    pub(super) module: Module,
    /// What the passes left of it.
    pub(super) shared: &'a Module,
    /// The structs of what is left.
    structs: FxHashMap<StructId, StructId>,
}

impl<'a> World<'a> {
    pub(super) fn new(declared: &Module, shared: &'a Module) -> Self {
        // Private structs of several files may share a name.
        let known: FxHashMap<_, StructId> = declared
            .structs
            .iter()
            .map(|(id, structure)| ((structure.loc, declared.text(structure.name)), id))
            .collect();
        let left = shared.structs.iter();
        let structs =
            left.filter_map(|(id, structure)| Some((id, *known.get(&(structure.loc, shared.text(structure.name)))?)));
        Self { module: declared.clone(), shared, structs: structs.collect() }
    }

    /// A type of what is left.
    pub(super) fn ty(&mut self, ty: Type) -> Type {
        let kind = match self.shared.kind(ty) {
            TypeKind::Struct(id) => TypeKind::Struct(self.structs.get(&id).copied().unwrap_or(id)),
            kind => kind.with_part(|part| self.ty(part)),
        };
        self.module.types.intern(kind)
    }

    /// Where a resource of what is left comes from.
    pub(super) fn source(&mut self, source: BindingSource) -> BindingSource {
        match source {
            BindingSource::Named { group, name } => {
                BindingSource::Named { group: self.symbol(group), name: self.symbol(name) }
            }
            BindingSource::Slot(_) | BindingSource::Sampler(_) => source,
        }
    }

    fn symbol(&mut self, symbol: Symbol) -> Symbol {
        self.module.symbols.intern(self.shared.text(symbol))
    }
}
