//! What a set of functions reaches: functions, globals, structures, and the operations whose result or effect counts.

use akari_dialect::AkariOp;
use akari_ir::entity::{FuncId, GlobalId, OpId, RegionId, SecondaryMap, StructId, Type, ValueId};
use akari_ir::module::{GlobalKind, Module};
use akari_ir::op::{Attr, Traits};
use akari_ir::types::TypeKind;

/// What is reached, each list in the order of the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reach {
    /// The functions.
    pub(crate) functions: Vec<FuncId>,
    /// The globals.
    pub(crate) globals: Vec<GlobalId>,
    /// The structures.
    pub(crate) structs: Vec<StructId>,
    live: SecondaryMap<OpId, bool>,
    live_ops: usize,
    used: SecondaryMap<ValueId, bool>,
}

impl Reach {
    /// What `roots` reach.
    pub(crate) fn from_functions(module: &Module, roots: impl IntoIterator<Item = FuncId>) -> Self {
        let mut walk = Walk { module, reach: Self::default(), pending: Vec::new(), seen: Seen::default() };
        roots.into_iter().for_each(|root| walk.function(root));
        walk.finish()
    }

    /// What entries reach, and the resources that are globals: these are the entries' interface. Of bindless tables only those that are reached: no
    /// target can declare one before it is known what it is asked for.
    pub(crate) fn from_entries(module: &Module, entries: impl IntoIterator<Item = FuncId>) -> Self {
        let mut walk = Walk { module, reach: Self::default(), pending: Vec::new(), seen: Seen::default() };
        entries.into_iter().for_each(|entry| walk.function(entry));
        for (id, global) in module.globals.iter() {
            if matches!(global.kind, GlobalKind::Resource { slot: Some(_), .. }) && !module.kind(global.ty).is_table() {
                walk.global(id);
            }
        }
        walk.finish()
    }

    /// Everything that stands in the module.
    pub(crate) fn everything(module: &Module) -> Self {
        let mut walk = Walk { module, reach: Self::default(), pending: Vec::new(), seen: Seen::default() };
        module.functions.ids().for_each(|function| walk.function(function));
        module.globals.ids().for_each(|global| walk.global(global));
        // Contexts have been taken apart.
        let contexts = module.contexts();
        module.structs.ids().filter(|id| !contexts.get(*id)).for_each(|structure| walk.structure(structure));
        walk.finish()
    }

    /// Whether there is nothing in the module that is not reached.
    pub(crate) fn is_everything(&self, module: &Module) -> bool {
        self.functions.len() == module.functions.len()
            && self.globals.len() == module.globals.len()
            && self.structs.len() == module.structs.len()
            && self.live_ops == module.op_count()
    }

    /// Whether an operation of a reached function is to be kept: it does something, or its result is used.
    pub(crate) fn is_live(&self, op: OpId) -> bool {
        *self.live.get(op)
    }

    /// Whether an operation that is kept uses `value`.
    pub(crate) fn is_used(&self, value: ValueId) -> bool {
        *self.used.get(value)
    }
}

#[derive(Default)]
struct Seen {
    functions: SecondaryMap<FuncId, bool>,
    globals: SecondaryMap<GlobalId, bool>,
    structs: SecondaryMap<StructId, bool>,
    types: SecondaryMap<Type, bool>,
}

struct Walk<'m> {
    module: &'m Module,
    reach: Reach,
    pending: Vec<FuncId>,
    seen: Seen,
}

impl Walk<'_> {
    fn finish(mut self) -> Reach {
        while let Some(function) = self.pending.pop() {
            let body = self.module.functions[function].body;
            self.region(body);
        }
        self.reach.functions.sort_unstable();
        self.reach.globals.sort_unstable();
        self.reach.structs.sort_unstable();
        self.reach
    }

    fn function(&mut self, id: FuncId) {
        if std::mem::replace(self.seen.functions.get_mut(id), true) {
            return;
        }
        self.reach.functions.push(id);
        self.pending.push(id);
        let function = &self.module.functions[id];
        function.params.iter().for_each(|param| self.ty(self.module.value_type(param.value)));
        if let Some(result) = function.result {
            self.ty(result);
        }
    }

    fn global(&mut self, id: GlobalId) {
        if std::mem::replace(self.seen.globals.get_mut(id), true) {
            return;
        }
        self.reach.globals.push(id);
        let global = &self.module.globals[id];
        self.ty(global.ty);
        match global.kind {
            GlobalKind::Constant(_) | GlobalKind::Workgroup | GlobalKind::Resource { .. } => {}
        }
    }

    fn structure(&mut self, id: StructId) {
        if std::mem::replace(self.seen.structs.get_mut(id), true) {
            return;
        }
        self.reach.structs.push(id);
        self.module.structs[id].fields.iter().for_each(|field| self.ty(field.ty));
    }

    fn ty(&mut self, ty: Type) {
        if std::mem::replace(self.seen.types.get_mut(ty), true) {
            return;
        }
        match self.module.kind(ty) {
            TypeKind::Struct(id) => self.structure(id),
            TypeKind::Function(signature) => {
                let signature = self.module.types.signature(signature);
                signature.params.iter().for_each(|(_, ty)| self.ty(*ty));
                if let Some(result) = signature.result {
                    self.ty(result);
                }
            }
            kind => {
                if let Some(part) = kind.part() {
                    self.ty(part);
                }
            }
        }
    }

    /// From the last operation to the first, so that every use is seen before what it uses.
    fn region(&mut self, region: RegionId) {
        for &op in self.module.region(region).ops.iter().rev() {
            if self.counts(op) {
                self.op(op);
            }
        }
    }

    fn counts(&self, id: OpId) -> bool {
        let op = self.module.op(id);
        op.result.is_none_or(|result| self.reach.is_used(result)) || has_effect(self.module, id)
    }

    fn op(&mut self, id: OpId) {
        self.reach.live.set(id, true);
        self.reach.live_ops += 1;
        let op = self.module.op(id);
        op.operands.iter().for_each(|operand| self.reach.used.set(*operand, true));
        if let Some(result) = op.result {
            self.ty(self.module.value_type(result));
        }
        for attr in &op.attrs {
            match *attr {
                Attr::Func(function) => self.function(function),
                Attr::Global(global) => self.global(global),
                Attr::Struct(structure) => self.structure(structure),
                Attr::Type(ty) => self.ty(ty),
                Attr::Const(constant) => self.ty(self.module.constant(constant).ty()),
                Attr::Int(_) | Attr::Bool(_) | Attr::Symbol(_) | Attr::Enum(_) | Attr::Ints(_) => {}
            }
        }
        op.regions.iter().rev().for_each(|region| self.region(*region));
    }
}

/// Whether an operation, or one in its regions, does anything beside giving its result.
pub(crate) fn has_effect(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    // The yields of a region that has a value leave nothing but that region.
    if AkariOp::of(op) == Some(AkariOp::Yield) {
        return false;
    }
    module.traits(id).any(Traits::WRITES.with(Traits::CONVERGENT).with(Traits::TERMINATOR))
        || op.regions.iter().any(|region| module.region(*region).ops.iter().any(|inner| has_effect(module, *inner)))
}
