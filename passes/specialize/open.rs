//! Lengths that depend on `const` parameters, once these are known.

use std::rc::Rc;

use akari_dialect::AkariOp;
use akari_dialect::fold::fold_constant_expression;
use akari_ir::op::{Attr, OpDef};
use akari_ir::{ConstId, Diagnostic, FuncId, Module, OpId, OpenConst, OpenConstId, Scalar, Type, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::codes;
use super::instances::Specializer;
use super::key::{Argument, Key};
use crate::analysis::walk::walk;
use crate::rewrite::clone::Cloner;

/// The most elements that an array may have whose length depends on `const` parameters.
const LONGEST: i64 = 1 << 24;

/// The most elements that an array value may have, for each of which something is made. Larger arrays are no values but memory: a variable, or a buffer.
pub const LONGEST_VALUE: u32 = 1 << 16;

/// The most bytes that an array value may have, arrays of arrays included.
pub const LARGEST_VALUE: u64 = 1 << 22;

/// The open array types that a function mentions, those of elements before those of the arrays of them.
fn open_types(module: &Module, function: FuncId) -> Rc<[Type]> {
    let mut seen = FxHashSet::default();
    let definition = &module.functions[function];
    let mut add = |ty| mentioned(module, ty, &mut seen);
    definition.params.iter().for_each(|param| add(module.value_type(param.value)));
    definition.result.into_iter().for_each(&mut add);
    walk(module, definition.body, &mut |op| {
        let op = module.op(op);
        op.result.into_iter().for_each(|value| add(module.value_type(value)));
        op.attrs.iter().filter_map(|attr| type_in(module, attr)).for_each(&mut add);
    });
    // A type is interned after those that it is made of.
    let mut types: Vec<Type> =
        seen.into_iter().filter(|ty| matches!(module.kind(*ty), TypeKind::OpenArray(..))).collect();
    types.sort_unstable();
    types.into()
}

/// The type that an attribute mentions.
fn type_in(module: &Module, attr: &Attr) -> Option<Type> {
    match attr {
        Attr::Type(ty) => Some(*ty),
        Attr::Global(global) => Some(module.globals[*global].ty),
        Attr::Const(_)
        | Attr::Int(_)
        | Attr::Bool(_)
        | Attr::Symbol(_)
        | Attr::Func(_)
        | Attr::Struct(_)
        | Attr::Enum(_)
        | Attr::Ints(_) => None,
    }
}

fn mentioned(module: &Module, ty: Type, seen: &mut FxHashSet<Type>) {
    let mut next = Some(ty);
    while let Some(ty) = next.filter(|ty| seen.insert(*ty)) {
        next = module.kind(ty).part();
    }
}

impl Specializer<'_> {
    /// Makes the copier turn the open types of a function into those that they are under these arguments. A length that is none
    /// is an error where something of the type is copied: it may stand behind a condition that is false.
    pub(super) fn close_types(&mut self, cloner: &mut Cloner<'_>, key: &Key) {
        let function = key.function;
        let source = self.source;
        let open = Rc::clone(self.open_types.entry(function).or_insert_with(|| open_types(source, function)));
        self.bad_lengths.clear();
        if self.types_closed {
            cloner.substitute_types([]);
        }
        self.types_closed = !open.is_empty();
        let mut values = FxHashMap::default();
        for ty in open.iter() {
            let TypeKind::OpenArray(element, length) = self.source.kind(*ty) else { continue };
            let value = self.evaluate(cloner, key, length, &mut values);
            let length = value.and_then(|value| integer(cloner.target, value));
            let Some(length) = length.filter(|length| (1..=LONGEST).contains(length)) else {
                self.bad_lengths.insert(*ty, length);
                continue;
            };
            if self.bad_length(element).is_none() {
                let element = cloner.ty(element);
                let closed = match cloner.target.kind(element).is_handle() {
                    true => TypeKind::ResourceArray(element, length as u32),
                    false => TypeKind::Array(element, length as u32),
                };
                let closed = cloner.target.types.intern(closed);
                cloner.substitute_type(*ty, closed);
            }
        }
    }

    /// What is wrong with the length of an array that a type is made of.
    fn bad_length(&self, ty: Type) -> Option<String> {
        if self.bad_lengths.is_empty() {
            return None;
        }
        let mut next = Some(ty);
        while let Some(ty) = next {
            if let Some(length) = self.bad_lengths.get(&ty) {
                return Some(match length {
                    Some(length) if *length > LONGEST => {
                        format!("an array here has {length} elements, more than {LONGEST}")
                    }
                    Some(length) => {
                        format!("an array here has the length {length}, and must have one element at least")
                    }
                    None => "the length of an array here has no value".to_owned(),
                });
            }
            next = self.source.kind(ty).part();
        }
        None
    }

    /// An error about an array in the parameters or the result of a function.
    pub(super) fn bad_length_in_signature(&self, function: FuncId) -> Option<Diagnostic> {
        let function = &self.source.functions[function];
        let params = function.params.iter().map(|param| (self.source.value_type(param.value), param.loc));
        let mut types = params.chain(function.result.map(|ty| (ty, None)));
        types.find_map(|(ty, loc)| Some(Diagnostic::error(codes::LENGTH, loc.or(function.loc), self.bad_length(ty)?)))
    }

    /// An error about an array in an operation.
    pub(super) fn bad_length_in(&self, op: OpId) -> Option<String> {
        if self.bad_lengths.is_empty() {
            return None;
        }
        let op = self.source.op(op);
        let of_attr = op.attrs.iter().find_map(|attr| self.bad_length(type_in(self.source, attr)?));
        of_attr.or_else(|| op.result.and_then(|value| self.bad_length(self.source.value_type(value))))
    }

    /// The value of an open constant, in the target module. `values` holds those that are known already.
    fn evaluate(
        &self,
        cloner: &mut Cloner<'_>,
        key: &Key,
        constant: OpenConstId,
        values: &mut FxHashMap<OpenConstId, Option<ConstId>>,
    ) -> Option<ConstId> {
        let mut pending = vec![constant];
        while let Some(constant) = pending.last().copied() {
            let value = match self.source.open_constant(constant) {
                _ if values.contains_key(&constant) => {
                    pending.pop();
                    continue;
                }
                OpenConst::Parameter(number, _) => match key.argument(*number as usize) {
                    Argument::Const(value) => Some(value),
                    Argument::Runtime
                    | Argument::Captured(_)
                    | Argument::Resource(_)
                    | Argument::None
                    | Argument::Closure(_) => None,
                },
                OpenConst::Known(value) => Some(cloner.constant(*value)),
                OpenConst::Apply { def, attrs, operands, ty } => {
                    let needed = needed(cloner.target, def, operands, values);
                    let missing = needed.iter().filter(|operand| !values.contains_key(operand)).copied();
                    let before = pending.len();
                    pending.extend(missing);
                    if pending.len() > before {
                        continue;
                    }
                    match *needed {
                        // The condition of a choice has no value, or the arm that it chooses is the value.
                        [chosen] if is_choice(def) => values.get(&chosen).copied().flatten(),
                        _ => {
                            let known: Option<Vec<ConstId>> =
                                needed.iter().map(|operand| values.get(operand).copied().flatten()).collect();
                            let ty = cloner.ty(*ty);
                            known
                                .filter(|known| {
                                    known.len() >= def.operands.len()
                                        && def.dialect_id == AkariOp::Const.def().dialect_id
                                })
                                .and_then(|known| {
                                    let kind = AkariOp::ALL[usize::from(def.index)];
                                    fold_constant_expression(cloner.target, kind, attrs, &known, ty).ok()
                                })
                        }
                    }
                }
            };
            values.insert(constant, value);
            pending.pop();
        }
        values.get(&constant).copied().flatten()
    }
}

/// Whether an operation chooses between two values, of which the other may have none.
fn is_choice(def: &'static OpDef) -> bool {
    std::ptr::eq(def, AkariOp::Select.def()) || std::ptr::eq(def, AkariOp::Cond.def())
}

/// The operands of an operation whose values count: of a choice the condition, and once that is known what it chooses.
fn needed<'a>(
    module: &Module,
    def: &'static OpDef,
    operands: &'a [OpenConstId],
    values: &FxHashMap<OpenConstId, Option<ConstId>>,
) -> &'a [OpenConstId] {
    match operands {
        [condition, _, _] if is_choice(def) => match values.get(condition) {
            None | Some(None) => &operands[..1],
            Some(Some(condition)) => match module.scalar_bits(*condition) {
                Some(0) => &operands[2..],
                Some(_) => &operands[1..2],
                None => operands,
            },
        },
        _ => operands,
    }
}

/// A type that is an array, in words.
pub(super) fn describe(module: &Module, ty: Type) -> String {
    let mut text = String::new();
    let mut next = ty;
    while let TypeKind::Array(element, length) = module.kind(next) {
        let what = if matches!(module.kind(element), TypeKind::Array(..)) { "arrays" } else { "elements" };
        text += if text.is_empty() { "an array of " } else { " of " };
        text += &format!("{length} {what}");
        next = element;
    }
    if text.is_empty() { "a value of another type".to_owned() } else { text }
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
