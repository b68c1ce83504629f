//! Copying what is reached of a module into a fresh one, whose arenas and tables hold nothing else.

use akari_ir::constant::Constant;
use akari_ir::entity::{ConstId, Entity, FuncId, GlobalId, OpId, RegionId, SecondaryMap, StructId, Symbol, Type, ValueId};
use akari_ir::interface::{BindingSource, FieldRole, ParamRole};
use akari_ir::module::{Field, Function, Global, GlobalKind, Module, Struct};
use akari_ir::op::Attr;
use akari_ir::types::TypeKind;

use super::reach::Reach;

/// A copy under way.
pub(crate) struct Copier<'s> {
    /// The module that is copied from.
    pub(crate) source: &'s Module,
    /// The module that is copied to.
    pub(crate) target: Module,
    /// What is copied.
    pub(crate) reach: &'s Reach,
    types: SecondaryMap<Type, Option<Type>>,
    symbols: SecondaryMap<Symbol, Option<Symbol>>,
    constants: SecondaryMap<ConstId, Option<ConstId>>,
    structs: SecondaryMap<StructId, Option<StructId>>,
    globals: SecondaryMap<GlobalId, Option<GlobalId>>,
    functions: SecondaryMap<FuncId, Option<FuncId>>,
    values: SecondaryMap<ValueId, Option<ValueId>>,
}

/// What a pass that copies may do otherwise than copy.
pub(crate) trait Rewrite {
    /// Copies `op` in its own way to the end of `into`, or gives `false` to have it copied as it is.
    fn op(&mut self, copier: &mut Copier<'_>, op: OpId, into: RegionId) -> bool;
}

/// Copies everything as it is.
pub(crate) struct Verbatim;

impl Rewrite for Verbatim {
    fn op(&mut self, _: &mut Copier<'_>, _: OpId, _: RegionId) -> bool {
        false
    }
}

impl<'s> Copier<'s> {
    /// A copy that has the structures and globals of `reach`, and no function yet.
    pub(crate) fn new(source: &'s Module, reach: &'s Reach) -> Self {
        let mut copier = Self {
            source,
            target: Module::new(source.name.clone()),
            reach,
            types: SecondaryMap::new(),
            symbols: SecondaryMap::new(),
            constants: SecondaryMap::new(),
            structs: SecondaryMap::new(),
            globals: SecondaryMap::new(),
            functions: SecondaryMap::new(),
            values: SecondaryMap::new(),
        };
        copier.target.varyings.clone_from(&source.varyings);
        // A structure's type may be asked for before the structure is there; its number is known beforehand.
        for (index, structure) in reach.structs.iter().enumerate() {
            copier.structs.set(*structure, Some(StructId::from_index(index as u32)));
        }
        reach.structs.iter().for_each(|structure| copier.structure(*structure));
        reach.globals.iter().for_each(|global| copier.global(*global));
        copier
    }

    /// Says which function of the target `function` is called as, before any call of it is copied.
    pub(crate) fn set_function(&mut self, function: FuncId, copy: FuncId) {
        self.functions.set(function, Some(copy));
    }

    /// The copy of a type.
    pub(crate) fn ty(&mut self, ty: Type) -> Type {
        if let Some(copy) = *self.types.get(ty) {
            return copy;
        }
        let kind = match self.source.kind(ty) {
            TypeKind::Array(element, length) => TypeKind::Array(self.ty(element), length),
            TypeKind::Struct(id) => TypeKind::Struct(self.structs.get(id).unwrap_or(id)),
            TypeKind::Place(space, pointee) => TypeKind::Place(space, self.ty(pointee)),
            TypeKind::Buffer(kind, element) => TypeKind::Buffer(kind, self.ty(element)),
            TypeKind::ResourceArray(element, length) => TypeKind::ResourceArray(self.ty(element), length),
            kind @ (TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Matrix { .. }
            | TypeKind::Texture(..)
            | TypeKind::StorageTexture(..)
            | TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::AccelStruct
            | TypeKind::BufferTable
            | TypeKind::TextureTable
            | TypeKind::Memory(_)) => kind,
        };
        let copy = self.target.types.intern(kind);
        self.types.set(ty, Some(copy));
        copy
    }

    /// The copy of a name.
    pub(crate) fn symbol(&mut self, symbol: Symbol) -> Symbol {
        if let Some(copy) = *self.symbols.get(symbol) {
            return copy;
        }
        let copy = self.target.symbols.intern(self.source.text(symbol));
        self.symbols.set(symbol, Some(copy));
        copy
    }

    /// The copy of a constant.
    pub(crate) fn constant(&mut self, constant: ConstId) -> ConstId {
        if let Some(copy) = *self.constants.get(constant) {
            return copy;
        }
        let value = match self.source.constant(constant) {
            Constant::Scalar(ty, bits) => Constant::Scalar(self.ty(*ty), *bits),
            Constant::Composite(ty, parts) => {
                Constant::Composite(self.ty(*ty), parts.iter().map(|part| self.constant(*part)).collect())
            }
            Constant::Zero(ty) => Constant::Zero(self.ty(*ty)),
        };
        let copy = self.target.constants.intern(value);
        self.constants.set(constant, Some(copy));
        copy
    }

    fn structure(&mut self, id: StructId) {
        let structure = &self.source.structs[id];
        let fields = structure
            .fields
            .iter()
            .map(|field| Field {
                name: self.symbol(field.name),
                ty: self.ty(field.ty),
                role: self.field_role(field.role),
                interpolation: field.interpolation,
                location: field.location,
                offset: field.offset,
                loc: field.loc,
            })
            .collect();
        let name = self.symbol(structure.name);
        let doc = structure.doc.map(|doc| self.symbol(doc));
        self.target.structs.alloc(Struct { name, doc, fields, packed: structure.packed, loc: structure.loc });
    }

    fn global(&mut self, id: GlobalId) {
        let global = &self.source.globals[id];
        let kind = match global.kind {
            GlobalKind::Constant(value) => GlobalKind::Constant(self.constant(value)),
            GlobalKind::Workgroup => GlobalKind::Workgroup,
            GlobalKind::Resource { source, slot } => GlobalKind::Resource { source: self.binding(source), slot },
        };
        let copy = Global { name: self.symbol(global.name), ty: self.ty(global.ty), kind, loc: global.loc };
        let copy = self.target.globals.alloc(copy);
        self.globals.set(id, Some(copy));
    }

    /// The copy of a global that is reached.
    pub(crate) fn global_copy(&self, global: GlobalId) -> Option<GlobalId> {
        *self.globals.get(global)
    }

    /// The copy of where a resource comes from.
    pub(crate) fn binding(&mut self, source: BindingSource) -> BindingSource {
        match source {
            BindingSource::Named { group, name } => {
                BindingSource::Named { group: self.symbol(group), name: self.symbol(name) }
            }
            BindingSource::Slot(_) | BindingSource::Sampler(_) => source,
        }
    }

    fn field_role(&mut self, role: FieldRole) -> FieldRole {
        match role {
            FieldRole::Target { group, name } => {
                FieldRole::Target { group: self.symbol(group), name: self.symbol(name) }
            }
            FieldRole::Plain | FieldRole::Position | FieldRole::Location(_) | FieldRole::ClipDistance => role,
        }
    }

    /// A new function with everything of `function` but its parameters and its body.
    pub(crate) fn declare(&mut self, function: FuncId) -> FuncId {
        let original = &self.source.functions[function];
        let copy = Function {
            name: self.symbol(original.name),
            doc: original.doc.map(|doc| self.symbol(doc)),
            params: Vec::new(),
            result: original.result.map(|ty| self.ty(ty)),
            result_role: self.field_role(original.result_role),
            entry: original.entry,
            body: self.target.new_region(),
            loc: original.loc,
        };
        self.target.functions.alloc(copy)
    }

    /// Adds the `index`-th parameter of `function` to its copy.
    pub(crate) fn param(&mut self, function: FuncId, index: usize, copy: FuncId) {
        let param = &self.source.functions[function].params[index];
        let role = match param.role {
            ParamRole::Resource(source) => ParamRole::Resource(self.binding(source)),
            ParamRole::Plain | ParamRole::System(_) | ParamRole::StageIn => param.role,
        };
        let name = self.source.value(param.value).name.map(|name| self.symbol(name));
        let ty = self.ty(self.source.value_type(param.value));
        let value = self.target.add_param(copy, name, ty, param.mode, role);
        if let Some(added) = self.target.functions[copy].params.last_mut() {
            added.slot = param.slot;
            added.loc = param.loc;
        }
        self.set_value(param.value, value);
    }

    /// The copy of a value that was copied before.
    ///
    /// # Panics
    /// Where it was not: the verifier has refused a use before its definition.
    pub(crate) fn value(&self, value: ValueId) -> ValueId {
        self.values.get(value).expect("a value is copied before its uses")
    }

    /// Says what the copy of a value is.
    pub(crate) fn set_value(&mut self, value: ValueId, copy: ValueId) {
        self.values.set(value, Some(copy));
    }

    /// Appends copies of the operations of a region that count.
    pub(crate) fn region(&mut self, region: RegionId, into: RegionId, rewrite: &mut impl Rewrite) {
        for &op in &self.source.region(region).ops {
            if self.reach.is_live(op) && !rewrite.op(self, op, into) {
                self.op(op, into, rewrite);
            }
        }
    }

    /// Appends a copy of an operation.
    pub(crate) fn op(&mut self, id: OpId, into: RegionId, rewrite: &mut impl Rewrite) -> OpId {
        let op = self.source.op(id);
        let operands = op.operands.iter().map(|operand| self.value(*operand)).collect::<smallvec::SmallVec<_>>();
        let attrs = op.attrs.iter().map(|attr| self.attr(attr)).collect::<smallvec::SmallVec<_>>();
        let regions = op.regions.iter().map(|region| (*region, self.target.new_region())).collect::<smallvec::SmallVec<[_; 2]>>();
        let result = op.result.map(|value| self.ty(self.source.value_type(value)));
        let targets = regions.iter().map(|(_, copy)| *copy).collect::<smallvec::SmallVec<_>>();
        let copy = self.target.new_op(op.def, operands, attrs, targets, result, op.loc);
        self.target.region_mut(into).ops.push(copy);
        for (region, target) in regions {
            self.region(region, target, rewrite);
        }
        self.result(id, copy);
        copy
    }

    /// Makes the result of `copy`, an operation of the target, the copy of the result of `op`, name included.
    pub(crate) fn result(&mut self, op: OpId, copy: OpId) {
        let (Some(value), Some(result)) = (self.source.op(op).result, self.target.op(copy).result) else {
            return;
        };
        let name = self.source.value(value).name.map(|name| self.symbol(name));
        self.target.value_mut(result).name = name;
        self.set_value(value, result);
    }

    /// The copy of an attribute.
    pub(crate) fn attr(&mut self, attr: &Attr) -> Attr {
        match attr {
            Attr::Type(ty) => Attr::Type(self.ty(*ty)),
            Attr::Const(constant) => Attr::Const(self.constant(*constant)),
            Attr::Symbol(symbol) => Attr::Symbol(self.symbol(*symbol)),
            Attr::Func(function) => Attr::Func(self.functions.get(*function).unwrap_or(*function)),
            Attr::Global(global) => Attr::Global(self.globals.get(*global).unwrap_or(*global)),
            Attr::Struct(structure) => Attr::Struct(self.structs.get(*structure).unwrap_or(*structure)),
            Attr::Int(_) | Attr::Bool(_) | Attr::Enum(_) | Attr::Ints(_) => attr.clone(),
        }
    }
}
