//! Calls of functions and builtins.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::entity::Type;
use akari_ir::interface::PassMode;
use akari_ir::op::Attr;
use akari_ir::{TypeKind, ValueId};
use akari_passes::ray_queries::masked::add_function;
use smallvec::SmallVec;

use super::function::FunctionLowerer;
use super::place::Place;
use crate::sema::tree::{Components, ExprId, ExprKind, Part};
use crate::sema::types::{FunctionId, Ty, TyKind};

/// The arguments of a call.
struct Arguments {
    /// In the order of the parameters.
    values: SmallVec<[ValueId; 8]>,
    /// Components of vectors have no place of their own on every target: they go by way of a variable.
    copied: SmallVec<[(ValueId, Place); 2]>,
}

impl FunctionLowerer<'_, '_, '_, '_> {
    /// A call; none where it gives nothing.
    pub(super) fn call(&mut self, expr: ExprId) -> Option<ValueId> {
        let body = self.body;
        let node = body.expr(expr);
        match &node.kind {
            ExprKind::Call(id, parts) => self.function_call(expr, *id, parts),
            ExprKind::CallValue(callee, parts) => self.value_call(expr, *callee, parts),
            ExprKind::LiftedCall(id, parts) => Some(self.lifted_call(expr, *id, parts)),
            ExprKind::Builtin(builtin, arguments) => {
                let arguments: SmallVec<[ValueId; 4]> =
                    arguments.iter().map(|argument| self.value(*argument)).collect();
                let result = match self.outer.program.kind(node.ty) {
                    TyKind::Nothing => None,
                    _ => Some(self.erase(node.ty)),
                };
                self.at(expr);
                self.emit(AkariOp::Builtin, &arguments, &[builtin.attr()], result)
            }
            ExprKind::MaskedRay(builtin, accepts, arguments) => self.masked_ray(expr, *builtin, *accepts, arguments),
            ExprKind::Atomic(builtin, place, values) => {
                let mut operands: SmallVec<[ValueId; 4]> = SmallVec::new();
                operands.push(self.address(*place));
                for value in values {
                    operands.push(self.value(*value));
                }
                let ty = self.erase(node.ty);
                self.at(expr);
                Some(self.value_of(AkariOp::Builtin, &operands, &[builtin.attr()], ty))
            }
            _ => None,
        }
    }

    fn function_call(&mut self, expr: ExprId, id: FunctionId, parts: &[Part]) -> Option<ValueId> {
        let params = std::rc::Rc::clone(&self.outer.program.functions[id.index()].params);
        let modes: SmallVec<[PassMode; 8]> = params.iter().map(|param| param.mode).collect();
        let arguments = self.arguments(parts, &modes, false);
        let func = self.outer.functions[id.index()];
        let result = self.result_of(expr);
        self.at(expr);
        let value = self.emit(AkariOp::Call, &arguments.values, &[Attr::Func(func)], result);
        self.write_back(arguments);
        value
    }

    fn value_call(&mut self, expr: ExprId, callee: ExprId, parts: &[Part]) -> Option<ValueId> {
        let signature = self.outer.program.types.signature_of(self.body.expr(callee).ty);
        let modes: SmallVec<[PassMode; 8]> =
            signature.into_iter().flat_map(|signature| &signature.params).map(|(mode, _)| *mode).collect();
        let callee = self.value(callee);
        let mut arguments = self.arguments(parts, &modes, true);
        arguments.values.insert(0, callee);
        let result = self.result_of(expr);
        self.at(expr);
        let value = self.emit(AkariOp::CallValue, &arguments.values, &[], result);
        self.write_back(arguments);
        value
    }

    /// A ray whose triangles a function judges: a call of the function that casts such rays, which is made when it is first needed.
    fn masked_ray(
        &mut self,
        expr: ExprId,
        builtin: Builtin,
        accepts: FunctionId,
        arguments: &[ExprId],
    ) -> Option<ValueId> {
        let arguments: SmallVec<[ValueId; 8]> = arguments.iter().map(|argument| self.value(*argument)).collect();
        let result = self.result_of(expr)?;
        let func = match self.outer.masked_rays.get(&(builtin, accepts)) {
            Some(func) => *func,
            None => {
                let types: Vec<Type> = arguments.iter().map(|argument| self.ty_of(*argument)).collect();
                let judge = self.outer.functions[accepts.index()];
                let func = add_function(self.module(), builtin, judge, &types, result)?;
                self.outer.masked_rays.insert((builtin, accepts), func);
                func
            }
        };
        self.at(expr);
        self.emit(AkariOp::Call, &arguments, &[Attr::Func(func)], Some(result))
    }

    /// The type of what a call gives.
    fn result_of(&mut self, expr: ExprId) -> Option<Type> {
        let ty = self.body.expr(expr).ty;
        (ty != Ty::NOTHING).then(|| self.erase(ty))
    }

    /// Evaluates arguments in the order in which they are written. `closure` says that a function value is called.
    fn arguments(&mut self, parts: &[Part], modes: &[PassMode], closure: bool) -> Arguments {
        let is_function =
            |part: &Part| matches!(self.outer.program.kind(self.body.expr(part.value).ty), TyKind::Function(_));
        let with_closures = closure || parts.iter().any(is_function);
        let mut arguments: SmallVec<[(u32, ValueId); 8]> = SmallVec::with_capacity(parts.len());
        let mut copies: SmallVec<[(&Part, Place); 2]> = SmallVec::new();
        for part in parts {
            let mode = modes[part.slot as usize];
            let value = match mode {
                PassMode::Value => self.value(part.value),
                PassMode::Ref | PassMode::Inout => {
                    if !self.is_place(part.value) {
                        self.borrowed_value(part.value)
                    } else if self.is_component(part.value) || with_closures && self.is_beside_writes(part.value) {
                        let place = self.place(part.value);
                        copies.push((part, place));
                        continue;
                    } else {
                        self.address(part.value)
                    }
                }
            };
            arguments.push((part.slot, value));
        }
        // What is lent is read once all arguments are evaluated.
        let mut copied: SmallVec<[(ValueId, Place); 2]> = SmallVec::new();
        for (part, place) in copies {
            self.at(part.value);
            let value = self.read(place);
            let pointee = self.ty_of(value);
            let ty = self.module().types.place(akari_ir::Space::Function, pointee);
            let variable = self.value_of(AkariOp::Local, &[value], &[], ty);
            if modes[part.slot as usize] == PassMode::Inout {
                copied.push((variable, place));
            }
            arguments.push((part.slot, variable));
        }
        arguments.sort_by_key(|(slot, _)| *slot);
        let values = arguments.into_iter().map(|(_, value)| value).collect();
        Arguments { values, copied }
    }

    /// Whether the expression is a part of a variable of which a closure writes another part: the closure has all of the variable,
    /// and a language that copies borrows in and out would give the part back as it was.
    fn is_beside_writes(&self, expr: ExprId) -> bool {
        let mut root = expr;
        while let ExprKind::Field(base, _) | ExprKind::Index(base, _) | ExprKind::Swizzle(base, _) =
            self.body.expr(root).kind
        {
            root = base;
        }
        let ExprKind::Local(local) = self.body.expr(root).kind else { return false };
        let mut captures = self.body.closures.iter().flat_map(|closure| &closure.captures);
        root != expr && captures.any(|capture| capture.local == local && capture.written)
    }

    /// Writes the parts of variables that a call has changed in copies of them.
    fn write_back(&mut self, arguments: Arguments) {
        for (variable, place) in arguments.copied {
            let new = self.load(variable);
            self.write(place, new);
        }
    }

    /// The place of a value that is lent for reading: a constant's own, else that of a copy.
    fn borrowed_value(&mut self, expr: ExprId) -> ValueId {
        let mut root = expr;
        while let ExprKind::Field(base, _) | ExprKind::Index(base, _) = self.body.expr(root).kind {
            root = base;
        }
        let is_table = matches!(self.body.expr(root).kind, ExprKind::Constant(_))
            && matches!(self.outer.program.kind(self.body.expr(expr).ty), TyKind::Array(..));
        if is_table { self.address(expr) } else { self.temporary(expr) }
    }

    /// Whether the expression is a component of a vector in memory.
    fn is_component(&self, expr: ExprId) -> bool {
        match self.body.expr(expr).kind {
            ExprKind::Swizzle(..) => true,
            ExprKind::Index(base, _) => matches!(self.outer.program.kind(self.body.expr(base).ty), TyKind::Vector(..)),
            _ => false,
        }
    }

    /// A scalar function for each component.
    fn lifted_call(&mut self, expr: ExprId, id: FunctionId, parts: &[Part]) -> ValueId {
        let arguments = self.parts(parts);
        let func = self.outer.functions[id.index()];
        let ty = self.erase(self.body.expr(expr).ty);
        let width = self.module().kind(ty).width().unwrap_or(1);
        let result = self.module().functions[func].result;
        self.at(expr);
        let mut components: SmallVec<[ValueId; 4]> = SmallVec::new();
        for component in 0..width {
            let lane: SmallVec<[ValueId; 8]> = arguments
                .iter()
                .map(|argument| {
                    let ty = self.ty_of(*argument);
                    match self.module().kind(ty) {
                        TypeKind::Vector(..) => self.swizzle(*argument, Components::new(&[component], false)),
                        _ => *argument,
                    }
                })
                .collect();
            if let Some(value) = self.emit(AkariOp::Call, &lane, &[Attr::Func(func)], result) {
                components.push(value);
            }
        }
        self.value_of(AkariOp::Construct, &components, &[], ty)
    }
}
