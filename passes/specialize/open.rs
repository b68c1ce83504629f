//! Lengths that depend on `const` parameters, once these are known.

use akari_dialect::AkariOp;
use akari_dialect::fold::fold_constant_expression;
use akari_ir::op::{Attr, Traits};
use akari_ir::{ConstId, Diagnostic, FuncId, Module, OpId, OpenConst, OpenConstId, Scalar, Type, TypeKind};

use super::codes;
use super::instances::{Specializer, fault};
use super::key::{Argument, Key};
use crate::rewrite::clone::Cloner;
use crate::rewrite::functions::walk;

/// The most elements that an array may have whose length depends on `const` parameters.
const LONGEST: i64 = 1 << 24;

/// The open array types that a function mentions, those of elements before those of the arrays of them.
pub(super) fn open_types(module: &Module, function: FuncId) -> Box<[Type]> {
    let mut types: Vec<Type> = Vec::new();
    let definition = &module.functions[function];
    let mut add = |ty| mentioned(module, ty, &mut types);
    definition.params.iter().for_each(|param| add(module.value_type(param.value)));
    definition.result.into_iter().for_each(&mut add);
    walk(module, definition.body, &mut |op| {
        let op = module.op(op);
        op.result.into_iter().for_each(|value| add(module.value_type(value)));
        for attr in &op.attrs {
            match attr {
                Attr::Type(ty) => add(*ty),
                Attr::Global(global) => add(module.globals[*global].ty),
                _ => {}
            }
        }
    });
    types.sort_unstable();
    types.dedup();
    types.into()
}

fn mentioned(module: &Module, ty: Type, types: &mut Vec<Type>) {
    match module.kind(ty) {
        TypeKind::OpenArray(element, _) => {
            if !types.contains(&ty) {
                types.push(ty);
                mentioned(module, element, types);
            }
        }
        TypeKind::Array(inner, _) | TypeKind::Place(_, inner) => mentioned(module, inner, types),
        TypeKind::Scalar(_)
        | TypeKind::Vector(..)
        | TypeKind::Matrix { .. }
        | TypeKind::Struct(_)
        | TypeKind::Function(_)
        | TypeKind::Buffer(..)
        | TypeKind::Texture(..)
        | TypeKind::StorageTexture(..)
        | TypeKind::Sampler
        | TypeKind::SamplerCmp
        | TypeKind::AccelStruct
        | TypeKind::BufferTable
        | TypeKind::TextureTable
        | TypeKind::ResourceArray(..)
        | TypeKind::Memory(_) => {}
    }
}

impl Specializer<'_> {
    /// Makes the copier turn the open types of a function into those that they are under these arguments. A length that is none
    /// is an error where something of the type is copied: it may stand behind a condition that is false.
    pub(super) fn close_types(&mut self, cloner: &mut Cloner<'_>, key: &Key) {
        self.bad_lengths.clear();
        let function = key.function;
        let source = self.source;
        let open = self.open_types.entry(function).or_insert_with(|| open_types(source, function)).clone();
        if open.is_empty() {
            if std::mem::take(&mut self.types_closed) {
                cloner.substitute_types([]);
            }
            return;
        }
        self.types_closed = true;
        let mut closed: Vec<(Type, Type)> = Vec::new();
        for ty in open {
            let TypeKind::OpenArray(element, length) = self.source.kind(ty) else { continue };
            cloner.substitute_types(closed.iter().copied());
            let value = self.evaluate(cloner, key, length);
            let length = value.and_then(|value| integer(cloner.target, value));
            let Some(length) = length.filter(|length| (1..=LONGEST).contains(length)) else {
                self.bad_lengths.push((ty, length));
                continue;
            };
            if self.bad_length(element).is_some() {
                continue;
            }
            let element = cloner.ty(element);
            closed.push((ty, cloner.target.types.intern(TypeKind::Array(element, length as u32))));
        }
        cloner.substitute_types(closed);
    }

    /// What is wrong with the length of an array that a type is made of.
    fn bad_length(&self, ty: Type) -> Option<String> {
        if self.bad_lengths.is_empty() {
            return None;
        }
        let mut types = Vec::new();
        mentioned(self.source, ty, &mut types);
        let (_, length) = self.bad_lengths.iter().find(|(bad, _)| types.contains(bad))?;
        Some(match length {
            Some(length) if *length > LONGEST => format!("an array here has {length} elements, more than {LONGEST}"),
            Some(length) => format!("an array here has the length {length}, and must have one element at least"),
            None => "the length of an array here has no value".to_owned(),
        })
    }

    /// An error about an array in the parameters or the result of a function.
    pub(super) fn bad_length_in_signature(&self, function: FuncId) -> Option<Diagnostic> {
        let function = &self.source.functions[function];
        let params = function.params.iter().map(|param| (self.source.value_type(param.value), param.loc));
        let mut types = params.chain(function.result.map(|ty| (ty, None)));
        types.find_map(|(ty, loc)| Some(fault(codes::LENGTH, loc.or(function.loc), self.bad_length(ty)?)))
    }

    /// An error about an array in an operation.
    pub(super) fn bad_length_in(&self, op: OpId) -> Option<String> {
        let op = self.source.op(op);
        let of_attr = op.attrs.iter().find_map(|attr| match attr {
            Attr::Type(ty) => self.bad_length(*ty),
            Attr::Global(global) => self.bad_length(self.source.globals[*global].ty),
            _ => None,
        });
        of_attr.or_else(|| op.result.and_then(|value| self.bad_length(self.source.value_type(value))))
    }

    /// The value of an open constant, in the target module.
    fn evaluate(&self, cloner: &mut Cloner<'_>, key: &Key, constant: OpenConstId) -> Option<ConstId> {
        match self.source.open_constant(constant) {
            OpenConst::Parameter(number, _) => match key.argument(*number as usize) {
                Argument::Const(value) => Some(value),
                _ => None,
            },
            OpenConst::Known(value) => Some(cloner.constant(*value)),
            OpenConst::Apply { def, attrs, operands, ty } => {
                let kind = *AkariOp::ALL.iter().find(|op| op.def() == *def)?;
                debug_assert!(def.traits.has(Traits::PURE) || kind == AkariOp::Cond || kind == AkariOp::Builtin);
                let operands: Option<Vec<ConstId>> =
                    operands.iter().map(|operand| self.evaluate(cloner, key, *operand)).collect();
                let ty = cloner.ty(*ty);
                fold_constant_expression(cloner.target, kind, attrs, &operands?, ty).ok()
            }
        }
    }
}

/// The value of an integer constant.
pub(super) fn integer(module: &Module, value: ConstId) -> Option<i64> {
    let bits = module.scalar_bits(value)?;
    match module.kind(module.constant(value).ty()) {
        TypeKind::Scalar(Scalar::I32) => Some(i64::from(bits as u32 as i32)),
        TypeKind::Scalar(Scalar::U32) => Some(bits as i64),
        TypeKind::Scalar(Scalar::U64) => i64::try_from(bits).ok(),
        _ => None,
    }
}
