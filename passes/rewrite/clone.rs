//! Copying functions, with substitutions: within a module, or from one module into another whose arenas and tables then hold
//! nothing else.
//!
//! What a copy is made of goes through maps: values, types and functions are substituted by setting what their copy is before
//! they are met; all else follows. A [`Hook`] sees each operation before it is copied, and may leave it out, put something
//! else in its place or copy what is in its regions instead.

use akari_ir::constant::{Constant, OpenConst};
use akari_ir::entity::{
    ConstId, FuncId, GlobalId, OpId, OpenConstId, RegionId, SecondaryMap, StructId, Symbol, Type, ValueId,
};
use akari_ir::interface::{BindingSource, FieldRole, ParamRole};
use akari_ir::module::{Field, Global, GlobalKind, Module, Param, Struct};
use akari_ir::op::{Attr, Traits};
use akari_ir::types::{Signature, TypeKind};
use rustc_hash::FxHashMap;

/// A copy under way.
pub struct Cloner<'m> {
    /// The module that is copied from; none where that is the target.
    source: Option<&'m Module>,
    /// The module that is copied to.
    pub target: &'m mut Module,
    types: FxHashMap<Type, Type>,
    constants: FxHashMap<ConstId, ConstId>,
    symbols: SecondaryMap<Symbol, Option<Symbol>>,
    structs: SecondaryMap<StructId, Option<StructId>>,
    globals: SecondaryMap<GlobalId, Option<GlobalId>>,
    functions: SecondaryMap<FuncId, Option<FuncId>>,
    values: SecondaryMap<ValueId, Option<ValueId>>,
    /// Whether a constant was copied whose type the substitution of types may change.
    open_constant_copied: bool,
}

/// What becomes of an operation that is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cloned {
    /// It is to be copied as it is.
    Verbatim,
    /// It is dealt with: what takes its place, if anything, stands at the end of the region, and where something uses its
    /// result, [`Cloner::set_value`] has said what that is.
    Done,
    /// As [`Cloned::Done`], and control does not go on after it: what follows in its region is left out.
    Left,
}

/// What is done otherwise than to copy.
pub trait Hook {
    /// Sees `op` of the source, whose copy would be appended to `into`.
    fn op(&mut self, cloner: &mut Cloner<'_>, op: OpId, into: RegionId) -> Cloned;
}

/// Copies everything as it is.
#[derive(Clone, Copy, Debug)]
pub struct Verbatim;

impl Hook for Verbatim {
    fn op(&mut self, _: &mut Cloner<'_>, _: OpId, _: RegionId) -> Cloned {
        Cloned::Verbatim
    }
}

/// A copy of `func` in its module, the same in every part and with values of its own. It is no entry.
pub fn clone_function(module: &mut Module, func: FuncId) -> FuncId {
    let copy = Cloner::within(module).function(func, &mut Verbatim);
    module.functions[copy].entry = None;
    copy
}

impl<'m> Cloner<'m> {
    /// Copies within a module.
    pub fn within(module: &'m mut Module) -> Self {
        Self::new(None, module)
    }

    /// Copies from `source` to `target`: structures, globals and functions one by one, and with these the types, constants and
    /// names that they use.
    pub fn between(source: &'m Module, target: &'m mut Module) -> Self {
        Self::new(Some(source), target)
    }

    fn new(source: Option<&'m Module>, target: &'m mut Module) -> Self {
        Self {
            source,
            target,
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            symbols: SecondaryMap::new(),
            structs: SecondaryMap::new(),
            globals: SecondaryMap::new(),
            functions: SecondaryMap::new(),
            values: SecondaryMap::new(),
            open_constant_copied: false,
        }
    }

    /// The module that is copied from.
    #[must_use]
    pub fn source(&self) -> &Module {
        self.source.unwrap_or(self.target)
    }

    /// Says which function `function` is called as in what is copied from here on. Within a module it is itself else.
    pub fn set_function(&mut self, function: FuncId, copy: FuncId) {
        self.functions.set(function, Some(copy));
    }

    /// Says which structure of the target a structure is: before a type of it is asked for.
    pub fn set_structure(&mut self, structure: StructId, copy: StructId) {
        self.structs.set(structure, Some(copy));
    }

    /// Says which global of the target a global is in what is copied from here on.
    pub fn set_global(&mut self, global: GlobalId, copy: GlobalId) {
        self.globals.set(global, Some(copy));
    }

    /// From here on these types of the source become those of the target, and the types made of them accordingly; earlier such
    /// substitutions end.
    pub fn substitute_types(&mut self, types: impl IntoIterator<Item = (Type, Type)>) {
        if std::mem::take(&mut self.open_constant_copied) {
            self.constants.clear();
        }
        self.types.clear();
        self.types.extend(types);
    }

    /// As [`Self::substitute_types`], beside those that there are: before a type made of it is asked for.
    pub fn substitute_type(&mut self, ty: Type, copy: Type) {
        self.types.insert(ty, copy);
    }

    /// The copy of a type.
    pub fn ty(&mut self, ty: Type) -> Type {
        if let Some(copy) = self.types.get(&ty) {
            return *copy;
        }
        let kind = match self.source().kind(ty) {
            TypeKind::Struct(id) => TypeKind::Struct(self.structs.get(id).unwrap_or(id)),
            TypeKind::OpenArray(element, length) => {
                let element = self.ty(element);
                TypeKind::OpenArray(element, self.open_constant(length))
            }
            TypeKind::Function(signature) => {
                let Signature { mut params, result } = self.source().types.signature(signature).clone();
                params.iter_mut().for_each(|(_, ty)| *ty = self.ty(*ty));
                let result = result.map(|ty| self.ty(ty));
                let copy = self.target.types.function(Signature { params, result });
                self.types.insert(ty, copy);
                return copy;
            }
            kind => kind.with_part(|part| self.ty(part)),
        };
        let copy = self.target.types.intern(kind);
        self.types.insert(ty, copy);
        copy
    }

    /// The copy of a name.
    pub fn symbol(&mut self, symbol: Symbol) -> Symbol {
        let Some(source) = self.source else { return symbol };
        if let Some(copy) = *self.symbols.get(symbol) {
            return copy;
        }
        let copy = self.target.symbols.intern(source.text(symbol));
        self.symbols.set(symbol, Some(copy));
        copy
    }

    /// The copy of a constant.
    pub fn constant(&mut self, constant: ConstId) -> ConstId {
        if let Some(copy) = self.constants.get(&constant) {
            return *copy;
        }
        let value = match self.source().constant(constant).clone() {
            Constant::Scalar(ty, bits) => Constant::Scalar(self.ty(ty), bits),
            Constant::Composite(ty, mut parts) => {
                parts.iter_mut().for_each(|part| *part = self.constant(*part));
                Constant::Composite(self.ty(ty), parts)
            }
            Constant::Zero(ty) => Constant::Zero(self.ty(ty)),
        };
        let mut whole = self.source().constant(constant).ty();
        while let TypeKind::Array(element, _) = self.source().kind(whole) {
            whole = element;
        }
        self.open_constant_copied |= matches!(self.source().kind(whole), TypeKind::OpenArray(..));
        let copy = self.target.constants.intern(value);
        self.constants.insert(constant, copy);
        copy
    }

    fn open_constant(&mut self, constant: OpenConstId) -> OpenConstId {
        let copy = match self.source().open_constant(constant).clone() {
            OpenConst::Parameter(number, ty) => OpenConst::Parameter(number, self.ty(ty)),
            OpenConst::Known(constant) => OpenConst::Known(self.constant(constant)),
            OpenConst::Apply { def, mut attrs, mut operands, ty } => {
                attrs.iter_mut().for_each(|attr| self.attr(attr));
                operands.iter_mut().for_each(|operand| *operand = self.open_constant(*operand));
                OpenConst::Apply { def, attrs, operands, ty: self.ty(ty) }
            }
        };
        self.target.open_constants.intern(copy)
    }

    /// Copies a structure.
    pub fn structure(&mut self, id: StructId) -> StructId {
        let Struct { name, doc, fields, packed, loc } = self.source().structs[id].clone();
        let fields = fields
            .into_iter()
            .map(|field| Field {
                name: self.symbol(field.name),
                ty: self.ty(field.ty),
                role: self.field_role(field.role),
                ..field
            })
            .collect();
        let structure = Struct { name: self.symbol(name), doc: doc.map(|doc| self.symbol(doc)), fields, packed, loc };
        let copy = self.target.structs.alloc(structure);
        self.set_structure(id, copy);
        copy
    }

    /// Copies a global.
    pub fn global(&mut self, id: GlobalId) -> GlobalId {
        let Global { name, ty, kind, loc } = self.source().globals[id].clone();
        let kind = match kind {
            GlobalKind::Constant(value) => GlobalKind::Constant(self.constant(value)),
            GlobalKind::Workgroup => GlobalKind::Workgroup,
            GlobalKind::Resource { source, slot } => GlobalKind::Resource { source: self.binding(source), slot },
        };
        let global = Global { name: self.symbol(name), ty: self.ty(ty), kind, loc };
        let copy = self.target.globals.alloc(global);
        self.globals.set(id, Some(copy));
        copy
    }

    /// The copy of a global that was copied before; within a module, itself.
    #[must_use]
    pub fn global_copy(&self, global: GlobalId) -> GlobalId {
        self.globals.get(global).unwrap_or(global)
    }

    /// The copy of where a resource comes from.
    pub fn binding(&mut self, source: BindingSource) -> BindingSource {
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

    /// Copies a function.
    pub fn function(&mut self, function: FuncId, hook: &mut impl Hook) -> FuncId {
        let copy = self.declare(function);
        for index in 0..self.source().functions[function].params.len() {
            self.param(function, index, copy);
        }
        let (from, into) = (self.source().functions[function].body, self.target.functions[copy].body);
        self.region(from, into, hook);
        copy
    }

    /// A new function with everything of `function` but its parameters and its body.
    pub fn declare(&mut self, function: FuncId) -> FuncId {
        let copy = self.declare_without_types(function);
        self.function_result(function, copy);
        copy
    }

    /// As [`Self::declare`], without the result, whose type is not to be asked for yet.
    pub fn declare_without_types(&mut self, function: FuncId) -> FuncId {
        let mut copy = self.source().functions[function].clone();
        copy.params.clear();
        copy.name = self.symbol(copy.name);
        copy.doc = copy.doc.map(|doc| self.symbol(doc));
        copy.result = None;
        copy.result_role = self.field_role(copy.result_role);
        copy.body = self.target.new_region();
        self.target.functions.alloc(copy)
    }

    /// Gives a copy the result of `function`.
    pub fn function_result(&mut self, function: FuncId, copy: FuncId) {
        let result = self.source().functions[function].result;
        self.target.functions[copy].result = result.map(|ty| self.ty(ty));
    }

    /// Adds the `index`-th parameter of `function` to its copy, and gives its value.
    pub fn param(&mut self, function: FuncId, index: usize, copy: FuncId) -> ValueId {
        let Param { value, mode, role, slot, is_capture, loc } =
            self.source().functions[function].params[index].clone();
        let role = match role {
            ParamRole::Resource(source) => ParamRole::Resource(self.binding(source)),
            ParamRole::Const(name) => ParamRole::Const(name.map(|name| self.symbol(name))),
            ParamRole::Plain | ParamRole::System(_) | ParamRole::StageIn | ParamRole::Optional => role,
        };
        let name = self.source().value(value).name.map(|name| self.symbol(name));
        let ty = self.ty(self.source().value_type(value));
        let added = self.target.add_param(copy, name, ty, mode, role);
        if let Some(param) = self.target.functions[copy].params.last_mut() {
            (param.slot, param.is_capture, param.loc) = (slot, is_capture, loc);
        }
        self.set_value(value, added);
        added
    }

    /// The copy of a value that was copied before.
    ///
    /// # Panics
    /// Where it was not: the verifier has refused a use before its definition.
    #[must_use]
    pub fn value(&self, value: ValueId) -> ValueId {
        self.values.get(value).expect("a value is copied before its uses")
    }

    /// Says what the copy of a value is.
    pub fn set_value(&mut self, value: ValueId, copy: ValueId) {
        self.values.set(value, Some(copy));
    }

    /// Appends copies of the operations of `region` to `into`. Whether control can reach their end.
    pub fn region(&mut self, region: RegionId, into: RegionId, hook: &mut impl Hook) -> bool {
        for index in 0..self.source().region(region).ops.len() {
            let op = self.source().region(region).ops[index];
            match hook.op(self, op, into) {
                Cloned::Verbatim => {
                    self.op(op, into, hook);
                    if self.source().traits(op).has(Traits::TERMINATOR) {
                        return false;
                    }
                }
                Cloned::Done => {}
                Cloned::Left => return false,
            }
        }
        true
    }

    /// Appends a copy of an operation, its regions included. A place in a parameter lies in the space of what stands for the
    /// parameter.
    pub fn op(&mut self, id: OpId, into: RegionId, hook: &mut impl Hook) -> OpId {
        let mut op = self.source().op(id).clone();
        op.operands.iter_mut().for_each(|operand| *operand = self.value(*operand));
        op.attrs.iter_mut().for_each(|attr| self.attr(attr));
        let originals = std::mem::take(&mut op.regions);
        op.regions = originals.iter().map(|_| self.target.new_region()).collect();
        let mut result = op.result.map(|value| self.ty(self.source().value_type(value)));
        if op.def.traits.has(Traits::ADDRESS)
            && let (Some(ty), Some(base)) = (result, op.operands.first())
            && let Some((space, _)) = self.target.types.as_place(self.target.value_type(*base))
            && let Some((_, pointee)) = self.target.types.as_place(ty)
        {
            result = Some(self.target.types.place(space, pointee));
        }
        let regions = op.regions.clone();
        let copy = self.target.new_op(op.def, op.operands, op.attrs, op.regions, result, op.loc);
        self.target.region_mut(into).ops.push(copy);
        for (region, copy) in originals.into_iter().zip(regions) {
            self.region(region, copy, hook);
        }
        self.result(id, copy);
        copy
    }

    /// Makes the result of `copy`, an operation of the target, the copy of the result of `op`, name included.
    pub fn result(&mut self, op: OpId, copy: OpId) {
        let (Some(value), Some(result)) = (self.source().op(op).result, self.target.op(copy).result) else {
            return;
        };
        let name = self.source().value(value).name.map(|name| self.symbol(name));
        self.target.value_mut(result).name = name;
        self.set_value(value, result);
    }

    fn attr(&mut self, attr: &mut Attr) {
        match attr {
            Attr::Type(ty) => *ty = self.ty(*ty),
            Attr::Const(constant) => *constant = self.constant(*constant),
            Attr::Symbol(symbol) => *symbol = self.symbol(*symbol),
            Attr::Func(function) => *function = self.functions.get(*function).unwrap_or(*function),
            Attr::Global(global) => *global = self.global_copy(*global),
            Attr::Struct(structure) => *structure = self.structs.get(*structure).unwrap_or(*structure),
            Attr::Int(_) | Attr::Bool(_) | Attr::Enum(_) | Attr::Ints(_) => {}
        }
    }
}
