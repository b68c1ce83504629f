//! The module: everything of one program, in arenas.

use smallvec::SmallVec;

use crate::constant::{Constant, Constants, OpenConst, OpenConsts};
use crate::entity::{
    ConstId, FuncId, GlobalId, OpId, OpenConstId, RegionId, SecondaryMap, StructId, Symbol, Type, ValueId,
};
use crate::interface::{BindingSource, FieldRole, Interpolation, ParamRole, PassMode, Stage};
use crate::intern::Symbols;
use crate::op::{Attr, Op, OpDef, Traits};
use crate::slots::Slot;
use crate::span::Span;
use crate::types::{Scalar, TypeKind, Types};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDef {
    /// The result of an operation.
    Result(OpId),
    /// The n-th parameter of a function.
    Param(FuncId, u32),
}

/// An SSA value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub def: ValueDef,
    /// The name it has in the source, or that a pass gave it.
    pub name: Option<Symbol>,
}

/// A list of operations with a scope of its own. A value may be used by later operations of its region and by all
/// regions nested in them.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The operations, in order.
    pub ops: Vec<OpId>,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct Param {
    /// The value it has in the body. Its type is a place for `ref` and `inout`.
    pub value: ValueId,
    /// How the argument is passed.
    pub mode: PassMode,
    /// What the parameter of an entry is; `Plain` elsewhere.
    pub role: ParamRole,
    /// Where a resource of an entry is found on the target, once `assign-slots` has run.
    pub slot: Option<Slot>,
    /// Whether it takes what a closure captured: no call in the source gives it. `specialize` makes these.
    pub is_capture: bool,
    /// Where it is declared.
    pub loc: Option<Span>,
}

/// What makes a function an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its stage.
    pub stage: Stage,
    /// Threads a group, of a compute entry; all 1 else.
    pub threads: [u32; 3],
}

/// What asked for a specialization: told with errors in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Requested {
    /// The function whose call asked for it; none for a named instance.
    pub by: Option<FuncId>,
    /// The call, or the name of the instance.
    pub at: Option<Span>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name in the source (or made from it); unique in the module after `assign-names` only, since overloads share one.
    pub name: Symbol,
    /// Its documentation comment, lines joined by `\n`.
    pub doc: Option<Symbol>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type of its result.
    pub result: Option<Type>,
    /// What its result is, for an entry that returns a bare scalar or vector.
    pub result_role: FieldRole,
    /// Present on entries.
    pub entry: Option<Entry>,
    /// Whether it is the body of a closure: only a `function` operation of the function around it names it, or of several where
    /// it is the default of a parameter or a builtin. It stands before them in the module. Gone after `specialize`.
    pub is_closure: bool,
    /// What asked for it, if `specialize` made it of a template.
    pub requested: Option<Requested>,
    /// Its body; ends in a `return` where it has a result.
    pub body: RegionId,
    /// Where it is declared.
    pub loc: Option<Span>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Type,
    /// What it is in a stage interface.
    pub role: FieldRole,
    /// How it is interpolated as a varying.
    pub interpolation: Interpolation,
    /// Its location as a varying or its number as a colour target, once `assign-slots` has run.
    pub location: Option<u32>,
    /// Byte offset, once a pass has made this the structure of one memory layout.
    pub offset: Option<u32>,
    /// Where it is declared.
    pub loc: Option<Span>,
}

/// A structure.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Its name.
    pub name: Symbol,
    /// Its documentation comment.
    pub doc: Option<Symbol>,
    /// Its fields in declaration order.
    pub fields: Vec<Field>,
    /// `@packed`: storage packing even under a `Uniform`.
    pub packed: bool,
    /// Where it is declared.
    pub loc: Option<Span>,
}

/// What a global is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GlobalKind {
    /// A named constant.
    Constant(ConstId),
    /// A groupshared variable, without initial value.
    Workgroup,
    /// A resource, with its place on the target once slots are assigned.
    Resource {
        /// Where it comes from.
        source: BindingSource,
        /// Its register, index or set and binding.
        slot: Option<Slot>,
    },
}

/// A module-level constant, groupshared variable or resource.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub name: Symbol,
    /// The type of its value (not of a place).
    pub ty: Type,
    /// What it is.
    pub kind: GlobalKind,
    /// Where it is declared.
    pub loc: Option<Span>,
}

/// A varying of a package: what the vertex stage hands to the fragment stage at one location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Varying {
    /// Its location.
    pub location: u32,
    /// The type of its components.
    pub scalar: Scalar,
    /// How many components it has.
    pub width: u8,
    /// How it is interpolated.
    pub interpolation: Interpolation,
}

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The name of the package or module.
    pub name: String,
    /// Interned types.
    pub types: Types,
    /// Interned constants.
    pub constants: Constants,
    /// Interned constants that depend on `const` parameters.
    pub open_constants: OpenConsts,
    /// Interned names.
    pub symbols: Symbols,
    /// Structures, in order of definition (a structure comes after those it holds).
    pub structs: EntityArenaOf<StructId, Struct>,
    /// Globals, in order of definition.
    pub globals: EntityArenaOf<GlobalId, Global>,
    /// Functions, in order of emission.
    pub functions: EntityArenaOf<FuncId, Function>,
    /// The varyings of the whole package by location, once `assign-slots` has run: Direct3D 12 matches stages by registers, which
    /// follow from all varyings before one.
    pub varyings: Vec<Varying>,
    ops: EntityArenaOf<OpId, Op>,
    values: EntityArenaOf<ValueId, Value>,
    regions: EntityArenaOf<RegionId, Region>,
}

/// An arena that can be cloned and starts empty.
pub type EntityArenaOf<E, T> = crate::arena::ClonableArena<E, T>;

impl Module {
    /// An empty module.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// An operation.
    #[must_use]
    pub fn op(&self, op: OpId) -> &Op {
        &self.ops[op]
    }

    /// An operation, to be changed.
    pub fn op_mut(&mut self, op: OpId) -> &mut Op {
        &mut self.ops[op]
    }

    /// A value.
    #[must_use]
    pub fn value(&self, value: ValueId) -> &Value {
        &self.values[value]
    }

    /// A value, to be changed.
    pub fn value_mut(&mut self, value: ValueId) -> &mut Value {
        &mut self.values[value]
    }

    /// A region.
    #[must_use]
    pub fn region(&self, region: RegionId) -> &Region {
        &self.regions[region]
    }

    /// A region, to be changed.
    pub fn region_mut(&mut self, region: RegionId) -> &mut Region {
        &mut self.regions[region]
    }

    /// The type of a value.
    #[must_use]
    pub fn value_type(&self, value: ValueId) -> Type {
        self.values[value].ty
    }

    /// What the type of a value is made of.
    #[must_use]
    pub fn value_kind(&self, value: ValueId) -> TypeKind {
        self.types.kind(self.values[value].ty)
    }

    /// What a type is made of.
    #[must_use]
    pub fn kind(&self, ty: Type) -> TypeKind {
        self.types.kind(ty)
    }

    /// The contexts: which structures hold a handle, themselves or in one that they hold.
    #[must_use]
    pub fn contexts(&self) -> SecondaryMap<StructId, bool> {
        let mut contexts = SecondaryMap::new();
        for (id, structure) in self.structs.iter() {
            let is_context = structure.fields.iter().any(|field| {
                let mut ty = field.ty;
                while let TypeKind::Array(element, _) = self.types.kind(ty) {
                    ty = element;
                }
                match self.types.kind(ty) {
                    TypeKind::Struct(held) => *contexts.get(held),
                    kind => kind.is_handle(),
                }
            });
            contexts.set(id, is_context);
        }
        contexts
    }

    /// The operation whose result `value` is.
    #[must_use]
    pub fn defining_op(&self, value: ValueId) -> Option<OpId> {
        match self.values[value].def {
            ValueDef::Result(op) => Some(op),
            ValueDef::Param(..) => None,
        }
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, symbol: Symbol) -> &str {
        self.symbols.text(symbol)
    }

    /// The name of a binding or a colour target as the source writes it: `group.name`.
    #[must_use]
    pub fn dotted(&self, group: Symbol, name: Symbol) -> String {
        format!("{}.{}", self.text(group), self.text(name))
    }

    /// What holds of an operation: its row's traits and what follows from this use.
    #[must_use]
    pub fn traits(&self, op: OpId) -> Traits {
        let op = &self.ops[op];
        op.def.dynamic_traits.map_or(op.def.traits, |dynamic| op.def.traits.with(dynamic(self, op)))
    }

    /// A new empty region.
    pub fn new_region(&mut self) -> RegionId {
        self.regions.alloc(Region::default())
    }

    /// A new operation in no region yet, with a result of type `result` if one is given.
    pub fn new_op(
        &mut self,
        def: &'static OpDef,
        operands: impl Into<SmallVec<[ValueId; 3]>>,
        attrs: impl Into<SmallVec<[Attr; 1]>>,
        regions: impl Into<SmallVec<[RegionId; 2]>>,
        result: Option<Type>,
        loc: Option<Span>,
    ) -> OpId {
        let op = self.ops.alloc(Op {
            def,
            operands: operands.into(),
            attrs: attrs.into(),
            regions: regions.into(),
            result: None,
            loc,
        });
        if let Some(ty) = result {
            let value = self.values.alloc(Value { ty, def: ValueDef::Result(op), name: None });
            self.ops[op].result = Some(value);
        }
        op
    }

    /// Adds a parameter to a function and gives the value it has in the body.
    pub fn add_param(
        &mut self,
        func: FuncId,
        name: Option<Symbol>,
        ty: Type,
        mode: PassMode,
        role: ParamRole,
    ) -> ValueId {
        let index = self.functions[func].params.len() as u32;
        let value = self.values.alloc(Value { ty, def: ValueDef::Param(func, index), name });
        self.functions[func].params.push(Param { value, mode, role, slot: None, is_capture: false, loc: None });
        value
    }

    /// The constant's value.
    #[must_use]
    pub fn constant(&self, constant: ConstId) -> &Constant {
        self.constants.get(constant)
    }

    /// The open constant's value.
    #[must_use]
    pub fn open_constant(&self, constant: OpenConstId) -> &OpenConst {
        self.open_constants.get(constant)
    }

    /// Whether a function takes something at compile time: then only its specializations are emitted.
    #[must_use]
    pub fn is_template(&self, func: FuncId) -> bool {
        self.functions[func].params.iter().any(|param| {
            matches!(param.role, ParamRole::Const(_) | ParamRole::Optional)
                || matches!(self.value_kind(param.value), TypeKind::Function(_))
        })
    }

    /// Interns a scalar constant.
    pub fn scalar_constant(&mut self, scalar: Scalar, bits: u64) -> ConstId {
        let ty = self.types.scalar(scalar);
        self.constants.intern(Constant::Scalar(ty, bits))
    }

    /// The bits of a scalar constant.
    #[must_use]
    pub fn scalar_bits(&self, constant: ConstId) -> Option<u64> {
        match *self.constants.get(constant) {
            Constant::Scalar(_, bits) => Some(bits),
            Constant::Composite(..) | Constant::Zero(_) => None,
        }
    }

    /// How many operations were ever made; the length that tables keyed by operation need.
    #[must_use]
    pub fn op_count(&self) -> usize {
        self.ops.len()
    }

    /// How many values were ever made.
    #[must_use]
    pub fn value_count(&self) -> usize {
        self.values.len()
    }
}
