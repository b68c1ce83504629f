//! Atomic operations, and the groupshared variables that they touch.

use akari_dialect::{AkariOp, Builtin, LoopHint, LoopTest, Predicate};
use akari_dialect_msl::{Atomic, MslOp};
use akari_ir::interface::PassMode;
use akari_ir::module::GlobalKind;
use akari_ir::{Attr, FuncId, GlobalId, MemoryType, Module, OpId, Scalar, Type, TypeKind, ValueId};
use rustc_hash::FxHashSet;

use super::Memory;
use crate::analysis::walk::operations;
use crate::rewrite::Rewriter;
use crate::rewrite::functions::NewParam;

/// The groupshared variables whose elements become atomics: those that an atomic operation touches, and that are used element by element
/// only. (Others keep their type, and are seen as atomics by the operation.)
#[derive(Debug, Default)]
pub(super) struct Groupshared {
    variables: FxHashSet<GlobalId>,
}

/// Finds the groupshared variables of a module.
pub(super) fn groupshared(module: &Module) -> Groupshared {
    let mut touched = FxHashSet::default();
    let mut used_whole = FxHashSet::default();
    for func in module.functions.ids() {
        for op in operations(module, func) {
            for operand in module.op(op).operands.iter().copied() {
                let Some(global) = root(module, operand) else { continue };
                match use_of(module, op) {
                    Use::Path => {}
                    Use::Atomic => {
                        touched.insert(global);
                    }
                    Use::Access if matches!(module.value_kind(operand), TypeKind::Place(..)) => {
                        let scalar = module.types.as_place(module.value_type(operand)).map(|(_, of)| module.kind(of));
                        if !matches!(scalar, Some(TypeKind::Scalar(_))) {
                            used_whole.insert(global);
                        }
                    }
                    Use::Access | Use::Other => {
                        used_whole.insert(global);
                    }
                }
            }
        }
    }
    let is_numbers = |global: &GlobalId| {
        let mut ty = module.globals[*global].ty;
        while let TypeKind::Array(element, _) = module.kind(ty) {
            ty = element;
        }
        matches!(module.kind(ty), TypeKind::Scalar(Scalar::U32 | Scalar::I32))
    };
    let variables = touched.into_iter().filter(|global| !used_whole.contains(global) && is_numbers(global)).collect();
    Groupshared { variables }
}

enum Use {
    Path,
    Atomic,
    Access,
    Other,
}

fn use_of(module: &Module, op: OpId) -> Use {
    let op = module.op(op);
    match AkariOp::of(op) {
        Some(AkariOp::Member | AkariOp::Element) => Use::Path,
        Some(AkariOp::Load | AkariOp::Store) => Use::Access,
        Some(AkariOp::Builtin) => Use::Atomic,
        _ => Use::Other,
    }
}

/// The groupshared variable that a place lies in.
fn root(module: &Module, place: ValueId) -> Option<GlobalId> {
    let TypeKind::Place(akari_ir::Space::Workgroup, _) = module.value_kind(place) else { return None };
    let mut place = place;
    loop {
        let op = module.op(module.defining_op(place)?);
        match AkariOp::of(op)? {
            AkariOp::Member | AkariOp::Element => place = op.operands[0],
            AkariOp::GlobalPlace => {
                let global = op.global(0);
                return (module.globals[global].kind == GlobalKind::Workgroup).then_some(global);
            }
            _ => return None,
        }
    }
}

impl Groupshared {
    /// Whether a variable's elements are atomics.
    pub(super) fn contains(&self, global: GlobalId) -> bool {
        self.variables.contains(&global)
    }

    /// Gives the variables their types.
    pub(super) fn retype(&self, module: &mut Module) {
        let mut variables: Vec<_> = self.variables.iter().copied().collect();
        variables.sort_unstable();
        for global in variables {
            module.globals[global].ty = atomic_type(module, module.globals[global].ty);
        }
    }
}

fn atomic_type(module: &mut Module, ty: Type) -> Type {
    let kind = match module.kind(ty) {
        TypeKind::Array(element, length) => TypeKind::Array(atomic_type(module, element), length),
        TypeKind::Scalar(scalar) => TypeKind::Memory(MemoryType::Atomic(scalar)),
        other => other,
    };
    module.types.intern(kind)
}

impl Memory {
    /// What an atomic builtin becomes; nothing for other builtins.
    pub(super) fn atomic(
        &mut self,
        r: &mut Rewriter<'_>,
        builtin: Builtin,
        place: ValueId,
        values: &[ValueId],
    ) -> Option<ValueId> {
        let operation = match builtin {
            Builtin::AtomicAdd => Atomic::Add,
            Builtin::AtomicSub => Atomic::Sub,
            Builtin::AtomicMin => Atomic::Min,
            Builtin::AtomicMax => Atomic::Max,
            Builtin::AtomicAnd => Atomic::And,
            Builtin::AtomicOr => Atomic::Or,
            Builtin::AtomicXor => Atomic::Xor,
            Builtin::AtomicExchange => Atomic::Exchange,
            Builtin::AtomicCompareExchange => {
                let &[expected, desired] = values else { return None };
                let ty = r.module.value_type(expected);
                let func = self.compare_exchange(r, place, ty);
                return r.call(func, &[place, expected, desired]);
            }
            _ => return None,
        };
        let &[value] = values else { return None };
        let ty = r.module.value_type(value);
        Some(r.value_of(MslOp::AtomicFetch.def(), &[place, value], &[operation.attr()], ty))
    }

    /// The function that compares and exchanges, and gives the previous value. Metal's may fail though the values are equal;
    /// then it is tried again.
    fn compare_exchange(&mut self, r: &mut Rewriter<'_>, place: ValueId, ty: Type) -> FuncId {
        let place_ty = r.module.value_type(place);
        let key = (r.space(place), place_ty);
        if let Some(func) = self.exchanges.get(&key) {
            return *func;
        }
        let params = [
            NewParam { name: "target", ty: place_ty, mode: PassMode::Inout },
            NewParam::value("expected", ty),
            NewParam::value("desired", ty),
        ];
        let func = r.add_function("akari_compare_exchange", &params, Some(ty), |r, params| {
            let &[target, expected, desired] = params else { return None };
            let previous = r.local(ty, Some(expected), "previous");
            let test = r.yielding(|r| {
                let bool_ty = r.ty(TypeKind::Scalar(Scalar::Bool));
                let operands = [target, previous, desired];
                let stored = r.value_of(MslOp::AtomicCompareExchangeWeak.def(), &operands, &[], bool_ty);
                let failed = r.unary(AkariOp::Not, stored);
                r.short_circuit(AkariOp::AndThen, failed, |r| {
                    let found = r.load(previous);
                    r.compare(Predicate::Eq, found, expected)
                })
            });
            let (body, step) = (r.module.new_region(), r.module.new_region());
            let attrs = [LoopTest::Before.attr(), LoopHint::None.attr(), Attr::Int(0)];
            r.op(AkariOp::Loop.def(), &[], &attrs, &[test, body, step], None);
            Some(r.load(previous))
        });
        self.exchanges.insert(key, func);
        func
    }
}
