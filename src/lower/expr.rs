//! Expressions to values.

use akari_dialect::AkariOp;
use akari_ir::entity::{ConstId, Type};
use akari_ir::op::Attr;
use akari_ir::{Scalar, TypeKind, ValueId};
use smallvec::SmallVec;

use super::function::{FunctionLowerer, Slot};
use super::place::{component_list, mask_of};
use crate::sema::tree::{BitPart, ExprId, ExprKind, LocalId, LocalKind, Part};

impl FunctionLowerer<'_, '_, '_, '_> {
    /// The value of an expression that has one.
    pub(super) fn value(&mut self, expr: ExprId) -> ValueId {
        match self.evaluate(expr) {
            Some(value) => value,
            // Only calls of functions without a result have no value, and none stands where a value is wanted.
            None => self.uint(0),
        }
    }

    /// Evaluates an expression and gives its value, if it has one.
    pub(super) fn evaluate(&mut self, expr: ExprId) -> Option<ValueId> {
        // Chains of operators are as deep as they are long: down to the first operand in a loop.
        let mut spine: SmallVec<[ExprId; 8]> = SmallVec::new();
        let mut first = expr;
        while let ExprKind::Binary(_, lhs, _)
        | ExprKind::Compare(_, lhs, _)
        | ExprKind::And(lhs, _)
        | ExprKind::Or(lhs, _) = self.body.expr(first).kind
        {
            spine.push(first);
            first = lhs;
        }
        let mut value = self.evaluate_one(first);
        while let Some(step) = spine.pop() {
            let lhs = value?;
            value = Some(self.chain_step(step, lhs));
        }
        value
    }

    fn chain_step(&mut self, expr: ExprId, lhs: ValueId) -> ValueId {
        let node = self.body.expr(expr);
        let ty = self.erase(node.ty);
        match node.kind {
            ExprKind::Binary(op, _, rhs) => {
                let rhs = self.value(rhs);
                self.at(expr);
                self.value_of(op, &[lhs, rhs], &[], ty)
            }
            ExprKind::Compare(predicate, _, rhs) => {
                let rhs = self.value(rhs);
                self.at(expr);
                self.value_of(AkariOp::Compare, &[lhs, rhs], &[predicate.attr()], ty)
            }
            ExprKind::And(_, rhs) | ExprKind::Or(_, rhs) => {
                let op = if matches!(node.kind, ExprKind::And(..)) { AkariOp::AndThen } else { AkariOp::OrElse };
                let region = self.yielding(rhs);
                self.at(expr);
                let op = self.append(op.def(), &[lhs], &[], &[region], Some(ty));
                self.module().op(op).result.unwrap_or(lhs)
            }
            _ => lhs,
        }
    }

    /// A region that gives the value of an expression.
    fn yielding(&mut self, expr: ExprId) -> akari_ir::RegionId {
        let (region, _) = self.in_region(|lowerer| {
            let value = lowerer.value(expr);
            lowerer.at(expr);
            lowerer.emit(AkariOp::Yield, &[value], &[], None);
        });
        region
    }

    fn evaluate_one(&mut self, expr: ExprId) -> Option<ValueId> {
        let body = self.body;
        let node = body.expr(expr);
        if let ExprKind::Call(..)
        | ExprKind::LiftedCall(..)
        | ExprKind::CallValue(..)
        | ExprKind::Builtin(..)
        | ExprKind::MaskedRay(..)
        | ExprKind::Atomic(..) = node.kind
        {
            return self.call(expr);
        }
        let ty = self.erase(node.ty);
        Some(match &node.kind {
            ExprKind::Const(value) => {
                self.at(expr);
                self.constant(*value)
            }
            ExprKind::EnumCase(id, case) => {
                self.at(expr);
                let global = self.outer.cases[id.index()][*case as usize];
                self.value_of(AkariOp::GlobalConst, &[], &[Attr::Global(global)], ty)
            }
            ExprKind::Constant(id) => {
                self.at(expr);
                match self.outer.constants[id.index()] {
                    Some(global) => self.value_of(AkariOp::GlobalConst, &[], &[Attr::Global(global)], ty),
                    None => self.zero(ty),
                }
            }
            ExprKind::Binding(id) => {
                self.at(expr);
                match self.outer.bindings[id.index()] {
                    Some(global) => self.value_of(AkariOp::Resource, &[], &[Attr::Global(global)], ty),
                    None => self.zero(ty),
                }
            }
            ExprKind::Local(local) => {
                // A closure does not capture what is constant.
                if let (None, Some(value)) = (self.slots[local.0 as usize], self.known_local(*local)) {
                    self.at(expr);
                    return Some(self.constant(value));
                }
                match self.slot(*local) {
                    Slot::Value(value) => value,
                    Slot::Place(_) | Slot::Shared(_) => self.loaded(expr),
                }
            }
            ExprKind::Function(id) => {
                let func = self.outer.functions[id.index()];
                self.at(expr);
                self.value_of(AkariOp::Function, &[], &[Attr::Func(func)], ty)
            }
            ExprKind::Closure(id) => self.closure_value(expr, *id),
            ExprKind::None => {
                self.at(expr);
                self.value_of(AkariOp::None, &[], &[], ty)
            }
            ExprKind::IsNone(handle) => {
                let handle = self.value(*handle);
                self.at(expr);
                self.value_of(AkariOp::IsNone, &[handle], &[], ty)
            }
            ExprKind::SizeOf { ty: of, uniform } => {
                let of = self.erase(*of);
                self.at(expr);
                let attrs = [Attr::Type(of), Attr::Bool(*uniform)];
                self.value_of(AkariOp::SizeOf, &[], &attrs, ty)
            }
            ExprKind::TargetValue => match self.target_value {
                Some(value) => value,
                None => self.zero(ty),
            },
            ExprKind::Unary(op, operand) => {
                let operand = self.value(*operand);
                self.at(expr);
                self.value_of(*op, &[operand], &[], ty)
            }
            ExprKind::Conditional(condition, yes, no) => self.conditional(expr, *condition, *yes, *no, ty),
            ExprKind::Select(condition, yes, no) => {
                let operands = [self.value(*condition), self.value(*yes), self.value(*no)];
                self.at(expr);
                self.value_of(AkariOp::Select, &operands, &[], ty)
            }
            ExprKind::Convert(operand) => {
                let operand = self.value(*operand);
                self.at(expr);
                self.value_of(AkariOp::Convert, &[operand], &[], ty)
            }
            ExprKind::Reinterpret(operand) => self.value(*operand),
            ExprKind::Splat(operand) => {
                let operand = self.value(*operand);
                self.at(expr);
                self.value_of(AkariOp::Splat, &[operand], &[], ty)
            }
            ExprKind::Construct(parts) => {
                let parts = self.parts(parts);
                self.at(expr);
                self.value_of(AkariOp::Construct, &parts, &[], ty)
            }
            ExprKind::Repeat(value) => {
                let value = self.value(*value);
                if let TypeKind::OpenArray(..) = self.module().kind(ty) {
                    self.at(expr);
                    return Some(self.value_of(AkariOp::Repeat, &[value], &[], ty));
                }
                let length = self.module().types.length(ty).unwrap_or(1) as usize;
                self.at(expr);
                if let Some(constant) = self.constant_of(value) {
                    // A long table of one number is one constant, not an operation with as many operands.
                    let whole = akari_dialect::fold::construct(self.module(), &vec![constant; length], ty);
                    return Some(self.constant(whole));
                }
                self.value_of(AkariOp::Construct, &vec![value; length], &[], ty)
            }
            ExprKind::Diagonal(scalar) => {
                let scalar = self.value(*scalar);
                self.diagonal(scalar, ty, expr)
            }
            ExprKind::Update(parts, base) => self.update(expr, parts, *base, ty),
            ExprKind::Field(base, index) => {
                if self.is_place(expr) || self.is_computed_part_of_constant(expr) {
                    return Some(self.loaded(expr));
                }
                let base = self.value(*base);
                self.at(expr);
                self.value_of(AkariOp::Extract, &[base], &[Attr::Int(i64::from(*index))], ty)
            }
            ExprKind::Bits(base, bits) => {
                let word = self.value(*base);
                self.at(expr);
                self.bits_of(word, *bits)
            }
            ExprKind::MakeBits(parts, base) => self.make_bits(expr, parts, *base),
            ExprKind::Swizzle(base, components) => {
                let vector = self.value(*base);
                self.at(expr);
                self.value_of(AkariOp::Swizzle, &[vector], &[component_list(*components)], ty)
            }
            ExprKind::Index(base, index) => {
                if self.is_place(expr) || self.is_computed_part_of_constant(expr) {
                    return Some(self.loaded(expr));
                }
                let is_of_resources = self.outer.program.kind(self.body.expr(*base).ty).is_handle();
                let base = self.value(*base);
                if let Some(index) = self.known_index(*index).filter(|_| !is_of_resources) {
                    self.at(expr);
                    return Some(self.value_of(AkariOp::Extract, &[base], &[Attr::Int(index)], ty));
                }
                let index = self.value(*index);
                self.at(expr);
                self.value_of(AkariOp::Index, &[base, index], &[], ty)
            }
            ExprKind::Contents(_) => self.loaded(expr),
            ExprKind::Step { place, op, postfix } => {
                let place = self.place(*place);
                self.at(expr);
                let old = self.read(place);
                let one = self.one(ty);
                let new = self.value_of(*op, &[old, one], &[], ty);
                self.write(place, new);
                if *postfix { old } else { new }
            }
            // Chains start below these; calls were dealt with above; nothing wrong is lowered.
            ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Call(..)
            | ExprKind::LiftedCall(..)
            | ExprKind::CallValue(..)
            | ExprKind::Builtin(..)
            | ExprKind::MaskedRay(..)
            | ExprKind::Atomic(..)
            | ExprKind::Error => self.zero(ty),
        })
    }

    /// The value of a local that is constant.
    pub(super) fn known_local(&self, local: LocalId) -> Option<ConstId> {
        match self.body.local(local).kind {
            LocalKind::Const(value) => Some(value),
            _ => None,
        }
    }

    fn loaded(&mut self, expr: ExprId) -> ValueId {
        let place = self.address(expr);
        self.at(expr);
        self.load(place)
    }

    /// An index that is a literal.
    fn known_index(&self, index: ExprId) -> Option<i64> {
        let ExprKind::Const(value) = self.body.expr(index).kind else {
            return None;
        };
        i64::try_from(self.outer.program.module.scalar_bits(value)?).ok()
    }

    /// The constant that a value is.
    fn constant_of(&self, value: ValueId) -> Option<akari_ir::ConstId> {
        let module = &self.outer.program.module;
        let op = module.op(module.defining_op(value)?);
        (AkariOp::of(op) == Some(AkariOp::Const)).then(|| op.constant(0))
    }

    fn one(&mut self, ty: Type) -> ValueId {
        let (scalar, bits) = match self.module().kind(ty) {
            TypeKind::Scalar(Scalar::F32) => (Scalar::F32, u64::from(1.0_f32.to_bits())),
            TypeKind::Scalar(Scalar::F16) => (Scalar::F16, u64::from(half::f16::ONE.to_bits())),
            TypeKind::Scalar(scalar) => (scalar, 1),
            _ => (Scalar::U32, 1),
        };
        let one = self.module().scalar_constant(scalar, bits);
        self.constant(one)
    }

    /// Parts in the order of their slots, evaluated in the order in which they are listed.
    pub(super) fn parts(&mut self, parts: &[Part]) -> SmallVec<[ValueId; 8]> {
        let mut values: SmallVec<[(u32, ValueId); 8]> = SmallVec::with_capacity(parts.len());
        for part in parts {
            values.push((part.slot, self.value(part.value)));
        }
        values.sort_by_key(|(slot, _)| *slot);
        values.into_iter().map(|(_, value)| value).collect()
    }

    /// Whether evaluating an expression costs next to nothing and has no effect, so that both arms of a conditional may be.
    fn is_trivial(&self, expr: ExprId) -> bool {
        match self.body.expr(expr).kind {
            ExprKind::Const(_)
            | ExprKind::EnumCase(..)
            | ExprKind::Constant(_)
            | ExprKind::Local(_)
            | ExprKind::TargetValue => true,
            ExprKind::Swizzle(base, _) | ExprKind::Reinterpret(base) | ExprKind::Splat(base) => self.is_trivial(base),
            ExprKind::Unary(_, operand) => self.is_trivial(operand),
            _ => false,
        }
    }

    fn conditional(&mut self, expr: ExprId, condition: ExprId, yes: ExprId, no: ExprId, ty: Type) -> ValueId {
        let condition = self.value(condition);
        let selectable = matches!(self.module().kind(ty), TypeKind::Scalar(_) | TypeKind::Vector(..));
        if selectable && self.is_trivial(yes) && self.is_trivial(no) {
            let operands = [condition, self.value(yes), self.value(no)];
            self.at(expr);
            return self.value_of(AkariOp::Select, &operands, &[], ty);
        }
        let regions = [self.yielding(yes), self.yielding(no)];
        self.at(expr);
        let op = self.append(AkariOp::Cond.def(), &[condition], &[], &regions, Some(ty));
        self.module().op(op).result.unwrap_or(condition)
    }

    fn diagonal(&mut self, scalar: ValueId, ty: Type, expr: ExprId) -> ValueId {
        self.at(expr);
        let TypeKind::Matrix { columns, rows } = self.module().kind(ty) else {
            return scalar;
        };
        let column_ty = self.module().types.vector(Scalar::F32, rows);
        let scalar_ty = self.module().types.scalar(Scalar::F32);
        let zero = self.zero(scalar_ty);
        let columns: Vec<ValueId> = (0..columns)
            .map(|column| {
                let parts: Vec<ValueId> = (0..rows).map(|row| if row == column { scalar } else { zero }).collect();
                self.value_of(AkariOp::Construct, &parts, &[], column_ty)
            })
            .collect();
        self.value_of(AkariOp::Construct, &columns, &[], ty)
    }

    fn update(&mut self, expr: ExprId, parts: &[Part], base: ExprId, ty: Type) -> ValueId {
        let given: Vec<(u32, ValueId)> = parts.iter().map(|part| (part.slot, self.value(part.value))).collect();
        let base = self.value(base);
        let TypeKind::Struct(id) = self.module().kind(ty) else {
            return base;
        };
        let fields: Vec<Type> = self.module().structs[id].fields.iter().map(|field| field.ty).collect();
        self.at(expr);
        let values: Vec<ValueId> = fields
            .into_iter()
            .enumerate()
            .map(|(slot, field)| match given.iter().find(|(given, _)| *given as usize == slot) {
                Some((_, value)) => *value,
                None => self.value_of(AkariOp::Extract, &[base], &[Attr::Int(slot as i64)], field),
            })
            .collect();
        self.value_of(AkariOp::Construct, &values, &[], ty)
    }

    fn make_bits(&mut self, expr: ExprId, parts: &[BitPart], base: Option<ExprId>) -> ValueId {
        let values: Vec<ValueId> = parts.iter().map(|part| self.value(part.value)).collect();
        let base = base.map(|base| self.value(base));
        self.at(expr);
        let all = parts.iter().fold(0, |mask, part| mask | mask_of(part.bits));
        let mut word = base.and_then(|base| if all == 0 { Some(base) } else { self.without_bits(base, all) });
        for (part, value) in parts.iter().zip(values) {
            let field = self.placed_bits(value, part.bits);
            word = Some(match word {
                Some(word) => self.binary_uint(AkariOp::Or, word, field),
                None => field,
            });
        }
        match word {
            Some(word) => word,
            None => self.uint(0),
        }
    }

    /// The condition that was left out.
    pub(super) fn always(&mut self) -> ValueId {
        let value = self.module().scalar_constant(Scalar::Bool, 1);
        self.constant(value)
    }
}
