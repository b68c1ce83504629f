//! One forward walk that replaces operations by others, and short words for building expressions.

use akari_dialect::{AkariOp, BranchHint, Builtin, Predicate};
use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::{
    Attr, Builder, Constant, FuncId, Function, Module, OpId, RegionId, Scalar, SecondaryMap, Space, Type, TypeKind, ValueId,
};
use indexmap::IndexMap;
use smallvec::{SmallVec, smallvec};

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stays.
    Keep,
    /// It goes, and this value takes the place of its result.
    Replace(ValueId),
    /// It goes, and its result is in this place, which is written nowhere else.
    Placed(ValueId),
    /// It goes, and nobody uses its result.
    Remove,
}

/// Replaces operations of all functions that are there now: `visit` sees each one, its operands and regions already rewritten, with a
/// builder where it stands. Says whether anything changed.
pub fn rewrite(module: &mut Module, helpers: &mut Helpers, mut visit: impl FnMut(&mut Build<'_, '_>, OpId) -> Outcome) -> bool {
    let mut walk =
        Walk { replaced: SecondaryMap::new(), placed: SecondaryMap::new(), helpers, changed: false };
    for function in module.functions.ids().collect::<Vec<_>>() {
        let body = module.functions[function].body;
        walk.region(module, body, &mut visit);
    }
    walk.changed
}

struct Walk<'h> {
    replaced: SecondaryMap<ValueId, Option<ValueId>>,
    placed: SecondaryMap<ValueId, Option<ValueId>>,
    helpers: &'h mut Helpers,
    changed: bool,
}

impl Walk<'_> {
    fn region(&mut self, module: &mut Module, region: RegionId, visit: &mut impl FnMut(&mut Build<'_, '_>, OpId) -> Outcome) {
        let ops = std::mem::take(&mut module.region_mut(region).ops);
        for op in ops {
            for index in 0..module.op(op).operands.len() {
                let operand = module.op(op).operands[index];
                if let Some(value) = *self.replaced.get(operand) {
                    module.op_mut(op).operands[index] = value;
                } else if let Some(place) = *self.placed.get(operand) {
                    let ty = module.value_type(operand);
                    let mut builder = Builder { loc: module.op(op).loc, ..Builder::at_end(module, region) };
                    let value = builder.value(AkariOp::Load.def(), &[place], smallvec![], ty);
                    module.op_mut(op).operands[index] = value;
                }
            }
            for nested in module.op(op).regions.clone() {
                self.region(module, nested, visit);
            }
            let loc = module.op(op).loc;
            let builder = Builder { loc, ..Builder::at_end(module, region) };
            let outcome = visit(&mut Build { builder, helpers: self.helpers }, op);
            match outcome {
                Outcome::Keep => module.region_mut(region).ops.push(op),
                Outcome::Replace(value) => {
                    self.changed = true;
                    if let Some(result) = module.op(op).result {
                        if let (Some(name), None) = (module.value(result).name, module.value(value).name) {
                            module.value_mut(value).name = Some(name);
                        }
                        self.replaced.set(result, Some(value));
                    }
                }
                Outcome::Placed(place) => {
                    self.changed = true;
                    if let Some(result) = module.op(op).result {
                        if let Some(name) = module.value(result).name {
                            module.value_mut(place).name = Some(name);
                        }
                        self.placed.set(result, Some(place));
                    }
                }
                Outcome::Remove => self.changed = true,
            }
        }
    }
}

/// Small functions that rewrites make when they first need them, one a name and list of types.
#[derive(Debug, Default)]
pub struct Helpers {
    functions: IndexMap<(String, Vec<Type>), FuncId>,
}

/// Builds expressions.
pub struct Build<'b, 'm> {
    /// Where they go.
    pub builder: Builder<'m>,
    /// The helper functions of the module.
    pub helpers: &'b mut Helpers,
}

impl Build<'_, '_> {
    /// The module.
    #[must_use]
    pub fn module(&self) -> &Module {
        self.builder.module
    }

    /// The type of a value.
    #[must_use]
    pub fn type_of(&self, value: ValueId) -> Type {
        self.builder.module.value_type(value)
    }

    /// What the type of a value is made of.
    #[must_use]
    pub fn kind_of(&self, value: ValueId) -> TypeKind {
        self.builder.module.value_kind(value)
    }

    /// The type of this kind.
    pub fn ty(&mut self, kind: TypeKind) -> Type {
        self.builder.module.types.intern(kind)
    }

    /// The type with the shape of `like` and this scalar.
    pub fn shaped(&mut self, like: Type, scalar: Scalar) -> Type {
        let width = self.builder.module.kind(like).width().unwrap_or(1);
        self.builder.module.types.vector(scalar, width)
    }

    /// A core operation.
    pub fn op(&mut self, op: AkariOp, operands: &[ValueId], ty: Type) -> ValueId {
        self.builder.value(op.def(), operands, smallvec![], ty)
    }

    /// A binary operation of two values of one type.
    pub fn binary(&mut self, op: AkariOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = match self.kind_of(lhs) {
            TypeKind::Scalar(_) => self.type_of(rhs),
            _ => self.type_of(lhs),
        };
        self.op(op, &[lhs, rhs], ty)
    }

    /// A shift; the result has the type of the value.
    pub fn shift(&mut self, op: AkariOp, value: ValueId, count: u32) -> ValueId {
        let count = self.u32(count);
        let ty = self.type_of(value);
        self.op(op, &[value, count], ty)
    }

    /// A comparison.
    pub fn compare(&mut self, predicate: Predicate, lhs: ValueId, rhs: ValueId) -> ValueId {
        let like = match self.kind_of(lhs) {
            TypeKind::Scalar(_) => self.type_of(rhs),
            _ => self.type_of(lhs),
        };
        let ty = self.shaped(like, Scalar::Bool);
        self.builder.value(AkariOp::Compare.def(), &[lhs, rhs], smallvec![predicate.attr()], ty)
    }

    /// `condition ? if_true : if_false`, both being there.
    pub fn select(&mut self, condition: ValueId, if_true: ValueId, if_false: ValueId) -> ValueId {
        let ty = self.type_of(if_true);
        self.op(AkariOp::Select, &[condition, if_true, if_false], ty)
    }

    /// A builtin whose result has this type.
    pub fn builtin(&mut self, builtin: Builtin, operands: &[ValueId], ty: Type) -> ValueId {
        self.builder.value(AkariOp::Builtin.def(), operands, smallvec![builtin.attr()], ty)
    }

    /// A builtin whose result has the type of its first operand.
    pub fn same(&mut self, builtin: Builtin, operands: &[ValueId]) -> ValueId {
        let ty = self.type_of(operands[0]);
        self.builtin(builtin, operands, ty)
    }

    /// A conversion to the same shape of another scalar.
    pub fn convert(&mut self, value: ValueId, scalar: Scalar) -> ValueId {
        let from = self.type_of(value);
        let ty = self.shaped(from, scalar);
        if ty == from { value } else { self.op(AkariOp::Convert, &[value], ty) }
    }

    /// A scalar constant.
    pub fn scalar(&mut self, scalar: Scalar, bits: u64) -> ValueId {
        let ty = self.builder.module.types.scalar(scalar);
        let constant = self.builder.scalar(scalar, bits);
        self.builder.value(AkariOp::Const.def(), &[], smallvec![Attr::Const(constant)], ty)
    }

    /// A `u32`.
    pub fn u32(&mut self, value: u32) -> ValueId {
        self.scalar(Scalar::U32, u64::from(value))
    }

    /// A constant of the shape of `like`: each component the number `value`, in the scalar type of `like`.
    pub fn number(&mut self, like: Type, value: f64) -> ValueId {
        let kind = self.builder.module.kind(like);
        let scalar = kind.scalar().unwrap_or(Scalar::F32);
        let bits = match scalar {
            Scalar::F32 => u64::from((value as f32).to_bits()),
            Scalar::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            Scalar::Bool => u64::from(value != 0.0),
            Scalar::I32 => u64::from(value as i64 as u32),
            Scalar::U32 => u64::from(value as i64 as u32),
            Scalar::U64 => value as u64,
        };
        self.filled(like, scalar, bits)
    }

    /// A constant of type `ty`, each component with these bits.
    pub fn filled(&mut self, ty: Type, scalar: Scalar, bits: u64) -> ValueId {
        let part = self.builder.scalar(scalar, bits);
        let constant = match self.builder.module.kind(ty) {
            TypeKind::Vector(_, width) => {
                self.builder.constant(Constant::Composite(ty, vec![part; usize::from(width)].into_boxed_slice()))
            }
            _ => part,
        };
        self.builder.value(AkariOp::Const.def(), &[], smallvec![Attr::Const(constant)], ty)
    }

    /// A component.
    pub fn component(&mut self, vector: ValueId, index: i64) -> ValueId {
        let Some(scalar) = self.kind_of(vector).scalar() else { return vector };
        let ty = self.builder.module.types.scalar(scalar);
        self.builder.value(AkariOp::Extract.def(), &[vector], smallvec![Attr::Int(index)], ty)
    }

    /// Some components as a vector.
    pub fn swizzle(&mut self, vector: ValueId, components: &[i64]) -> ValueId {
        let scalar = self.kind_of(vector).scalar().unwrap_or(Scalar::F32);
        let ty = self.builder.module.types.vector(scalar, components.len() as u8);
        self.builder.value(AkariOp::Swizzle.def(), &[vector], smallvec![Attr::Ints(components.into())], ty)
    }

    /// A vector, matrix, array or struct from parts.
    pub fn construct(&mut self, ty: Type, parts: &[ValueId]) -> ValueId {
        self.op(AkariOp::Construct, parts, ty)
    }

    /// A scalar in the shape of `like`.
    pub fn splat(&mut self, scalar: ValueId, like: Type) -> ValueId {
        match (self.kind_of(scalar), self.builder.module.kind(like)) {
            (TypeKind::Scalar(_), TypeKind::Vector(..)) => self.op(AkariOp::Splat, &[scalar], like),
            _ => scalar,
        }
    }

    /// A variable.
    pub fn local(&mut self, name: &str, ty: Type, init: Option<ValueId>) -> ValueId {
        let place = self.builder.module.types.place(Space::Function, ty);
        let init: SmallVec<[ValueId; 1]> = init.into_iter().collect();
        let local = self.builder.value(AkariOp::Local.def(), &init, smallvec![], place);
        self.named(local, name)
    }

    /// Gives a value a name, so that it is declared.
    pub fn named(&mut self, value: ValueId, name: &str) -> ValueId {
        let symbol = self.builder.module.symbols.intern(name);
        self.builder.name(value, symbol);
        value
    }

    /// What is in a place.
    pub fn load(&mut self, place: ValueId) -> ValueId {
        let ty = self.builder.module.types.as_place(self.type_of(place)).map_or_else(|| self.type_of(place), |(_, ty)| ty);
        self.op(AkariOp::Load, &[place], ty)
    }

    /// Writes a place.
    pub fn store(&mut self, place: ValueId, value: ValueId) {
        self.builder.op(AkariOp::Store.def(), &[place, value], smallvec![], smallvec![], None);
    }

    /// `if (condition) { then }`
    pub fn when(&mut self, condition: ValueId, then: impl FnOnce(&mut Self)) {
        let (yes, no) = (self.builder.module.new_region(), self.builder.module.new_region());
        let outer = std::mem::replace(&mut self.builder.region, yes);
        then(self);
        self.builder.region = outer;
        self.builder.op(AkariOp::If.def(), &[condition], smallvec![BranchHint::None.attr()], smallvec![yes, no], None);
    }

    /// Ends the function.
    pub fn give_back(&mut self, value: ValueId) {
        self.builder.op(AkariOp::Return.def(), &[value], smallvec![], smallvec![], None);
    }

    /// Calls the helper function `name` with these arguments, after `build` has built its body when it is needed for the first
    /// time with arguments of these types: from its parameters it makes the value to return.
    pub fn helper(
        &mut self,
        name: &str,
        params: &[&str],
        arguments: &[ValueId],
        result: Type,
        build: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
    ) -> ValueId {
        self.helper_with_key(name.to_owned(), name, params, arguments, result, build)
    }

    /// As [`Self::helper`], for functions that differ in more than their name and the types of their parameters.
    pub fn helper_with_key(
        &mut self,
        key: String,
        name: &str,
        params: &[&str],
        arguments: &[ValueId],
        result: Type,
        build: impl FnOnce(&mut Self, &[ValueId]) -> ValueId,
    ) -> ValueId {
        let types: Vec<Type> = arguments.iter().map(|argument| self.type_of(*argument)).collect();
        let key = (key, types);
        let function = match self.helpers.functions.get(&key) {
            Some(function) => *function,
            None => {
                let function = self.new_function(name, params, &key.1, result);
                let values: Vec<ValueId> =
                    self.module().functions[function].params.iter().map(|param| param.value).collect();
                let body = self.module().functions[function].body;
                let outer = std::mem::replace(&mut self.builder.region, body);
                let value = build(self, &values);
                self.give_back(value);
                self.builder.region = outer;
                self.helpers.functions.insert(key, function);
                function
            }
        };
        self.builder.value(AkariOp::Call.def(), arguments, smallvec![Attr::Func(function)], result)
    }

    fn new_function(&mut self, name: &str, params: &[&str], types: &[Type], result: Type) -> FuncId {
        let module = &mut *self.builder.module;
        let body = module.new_region();
        let name = module.symbols.intern(name);
        let function = module.functions.alloc(Function {
            name,
            doc: None,
            params: Vec::new(),
            result: Some(result),
            result_role: FieldRole::Plain,
            entry: None,
            is_closure: false,
            requested: None,
            body,
            loc: None,
        });
        for (name, ty) in params.iter().zip(types) {
            let symbol = module.symbols.intern(name);
            module.add_param(function, Some(symbol), *ty, PassMode::Value, ParamRole::Plain);
        }
        function
    }
}
