//! Closures: each is a function of its own, whose last parameters are what it captures.

use akari_dialect::AkariOp;
use akari_ir::entity::Type;
use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::module::Function;
use akari_ir::op::Attr;
use akari_ir::{FuncId, OpenConst, OpenConstId, Signature, Space, TypeKind, ValueId};
use smallvec::SmallVec;

use super::Lowerer;
use super::function::{FunctionLowerer, Slot};
use crate::sema::tree::{Body, Capture, Closure, ClosureId, ExprId, LocalId, LocalKind};
use crate::sema::types::{FunctionId, Ty, TyKind};

/// How a local gets into a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// As a value.
    Value,
    /// As a place, so that what is written is seen, and nothing large is copied.
    Place(Space),
}

impl Lowerer<'_, '_> {
    fn passed(&self, body: &Body, local: LocalId) -> Passed {
        let info = body.local(local);
        match info.kind {
            LocalKind::Groupshared => Passed::Place(Space::Workgroup),
            LocalKind::Var | LocalKind::Ref | LocalKind::Inout | LocalKind::DeferredLet => {
                Passed::Place(Space::Function)
            }
            LocalKind::Let | LocalKind::Parameter | LocalKind::OpenConst(_) => {
                let is_large = match self.program.kind(info.ty) {
                    TyKind::Array(..) | TyKind::OpenArray(..) => true,
                    TyKind::Struct(id) => self.program.structs[id.index()].leaves == 0,
                    _ => false,
                };
                if is_large { Passed::Place(Space::Function) } else { Passed::Value }
            }
            LocalKind::ConstParameter | LocalKind::Optional | LocalKind::Const(_) => Passed::Value,
        }
    }

    /// The functions of a body's closures, in their order.
    pub(super) fn closure_functions(&mut self, id: FunctionId) -> Vec<FuncId> {
        let info = &self.program.functions[id.index()];
        let around = self.program.text(info.source.item.name.name);
        let list: Vec<_> = info
            .body
            .closures
            .iter()
            .map(|closure| (closure.name, closure.span))
            .collect();
        list.into_iter()
            .map(|(name, span)| {
                let own = name.map_or("closure", |name| self.program.text(name));
                let name = self.program.module.symbols.intern(&format!("{around}_{own}"));
                let body = self.program.module.new_region();
                self.program.module.functions.alloc(Function {
                    name,
                    doc: None,
                    params: Vec::new(),
                    result: None,
                    result_role: FieldRole::Plain,
                    entry: None,
                    is_closure: true,
                    requested: None,
                    body,
                    loc: Some(span),
                })
            })
            .collect()
    }
}

impl FunctionLowerer<'_, '_, '_, '_> {
    /// The captured locals that are kept as places although their values never change.
    pub(super) fn kept_in_places(outer: &Lowerer<'_, '_>, body: &Body) -> Vec<bool> {
        let mut kept = vec![false; body.locals.len()];
        for capture in body.closures.iter().flat_map(|closure| &closure.captures) {
            let info = body.local(capture.local);
            let is_value = matches!(
                info.kind,
                LocalKind::Let | LocalKind::Parameter | LocalKind::OpenConst(_)
            );
            if is_value && outer.passed(body, capture.local) != Passed::Value {
                kept[capture.local.0 as usize] = true;
            }
        }
        kept
    }

    /// Lowers the function of a closure.
    pub(super) fn closure_function(&mut self, closure: &Closure, func: FuncId) {
        let first_capture = closure.params.len() as u32;
        self.renumber = closure
            .captures
            .iter()
            .zip(first_capture..)
            .filter(|(capture, _)| {
                self.body.local(capture.local).kind == LocalKind::ConstParameter
            })
            .map(|(capture, number)| (capture.local.0, number))
            .collect();
        let result = (closure.result != Ty::NOTHING).then(|| self.erase(closure.result));
        self.module().functions[func].result = result;
        self.region = self.module().functions[func].body;
        self.terminated = false;
        for local in &closure.params {
            let mode = match self.body.local(*local).kind {
                LocalKind::Ref => PassMode::Ref,
                LocalKind::Inout => PassMode::Inout,
                _ => PassMode::Value,
            };
            self.parameter(func, *local, mode, ParamRole::Plain, !closure.is_builtin);
        }
        for capture in &closure.captures {
            self.capture_parameter(func, *capture);
        }
        self.statements(&closure.stmts, result.is_some());
        self.end_with_result(closure.result);
        self.renumber.clear();
    }

    fn capture_parameter(&mut self, func: FuncId, capture: Capture) {
        let info = *self.body.local(capture.local);
        let name = self.outer.program.symbol(info.name);
        let ty = self.erase(info.ty);
        let passed = self.outer.passed(self.body, capture.local);
        let (ty, mode) = match passed {
            Passed::Value => (ty, PassMode::Value),
            Passed::Place(space) => {
                let mode = if capture.written { PassMode::Inout } else { PassMode::Ref };
                (self.module().types.place(space, ty), mode)
            }
        };
        let role = match info.kind {
            LocalKind::ConstParameter => self.outer.const_role(info.ty),
            LocalKind::Optional => ParamRole::Optional,
            _ => ParamRole::Plain,
        };
        let module = self.module();
        let value = module.add_param(func, Some(name), ty, mode, role);
        if let Some(param) = module.functions[func].params.last_mut() {
            param.loc = Some(info.span);
        }
        self.slots[capture.local.0 as usize] = Some(match passed {
            Passed::Value => Slot::Value(value),
            Passed::Place(_) => Slot::Place(value),
        });
    }

    /// A closure as a value.
    pub(super) fn closure_value(&mut self, expr: ExprId, id: ClosureId) -> ValueId {
        let body = self.body;
        self.at(expr);
        let captures: SmallVec<[ValueId; 8]> = body.closures[id.0 as usize]
            .captures
            .iter()
            .map(|capture| match self.slot(capture.local) {
                Slot::Value(value) | Slot::Place(value) => value,
                Slot::Shared(global) => self.shared_place(global),
            })
            .collect();
        let func = self.closures[id.0 as usize];
        let ty = self.erase(body.expr(expr).ty);
        self.at(expr);
        self.value_of(AkariOp::Function, &captures, &[Attr::Func(func)], ty)
    }

    /// A type in which lengths depend on parameters of the function around, as the closure sees it.
    pub(super) fn renumbered(&mut self, ty: Type) -> Type {
        let kind = match self.module().kind(ty) {
            TypeKind::OpenArray(element, length) => {
                TypeKind::OpenArray(self.renumbered(element), self.renumbered_constant(length))
            }
            TypeKind::Array(element, length) => TypeKind::Array(self.renumbered(element), length),
            TypeKind::Buffer(kind, element) => TypeKind::Buffer(kind, self.renumbered(element)),
            TypeKind::Function(id) => {
                let signature = self.module().types.signature(id).clone();
                let params = signature.params.iter().map(|(mode, ty)| (*mode, self.renumbered(*ty)));
                let params = params.collect();
                let result = signature.result.map(|ty| self.renumbered(ty));
                return self.module().types.function(Signature { params, result });
            }
            _ => return ty,
        };
        self.module().types.intern(kind)
    }

    fn renumbered_constant(&mut self, constant: OpenConstId) -> OpenConstId {
        let renumbered = match self.module().open_constant(constant).clone() {
            OpenConst::Parameter(number, ty) => {
                let own = self.renumber.iter().find(|(outer, _)| *outer == number);
                OpenConst::Parameter(own.map_or(number, |(_, own)| *own), ty)
            }
            OpenConst::Known(value) => OpenConst::Known(value),
            OpenConst::Apply { def, attrs, operands, ty } => OpenConst::Apply {
                def,
                attrs,
                operands: operands.iter().map(|operand| self.renumbered_constant(*operand)).collect(),
                ty,
            },
        };
        self.module().open_constants.intern(renumbered)
    }
}
