//! Closures: each is a function of its own, whose last parameters are what it captures.

use akari_dialect::AkariOp;
use akari_ir::entity::Type;
use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::module::Function;
use akari_ir::op::Attr;
use akari_ir::{FuncId, OpenConst, OpenConstId, Signature, Space, Span, TypeKind, ValueId};
use smallvec::SmallVec;

use super::Lowerer;
use super::function::{FunctionLowerer, Slot};
use crate::sema::tree::{Body, Capture, Closure, ClosureId, ClosureOrigin, ExprId, LocalId, LocalKind};
use crate::sema::types::{FunctionId, Ty, TyKind};
use crate::syntax::names::Name;

/// How a local gets into a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passed {
    /// As a value.
    Value,
    /// As a place, so that what is written is seen, and nothing large is copied.
    Place(Space),
}

/// The function of a closure.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosureFunction {
    pub func: FuncId,
    /// Whether it is lowered with the body of another function, which came first.
    pub is_shared: bool,
}

/// The text of a closure that is the same function wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum SharedText {
    /// The default of a parameter, by its place.
    Default(Span),
    Builtin(Name),
}

/// A closure that is the same function wherever it stands: so the specializations for it are the same, too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct SharedClosure {
    written: SharedText,
    /// The types of the parameters and of what it captures.
    locals: SmallVec<[Type; 4]>,
    result: Option<Type>,
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
    pub(super) fn closure_functions(&mut self, id: FunctionId) -> Vec<ClosureFunction> {
        let body = std::mem::take(&mut self.program.functions[id.index()].body);
        let functions = body.closures.iter().map(|closure| self.function_of(id, &body, closure)).collect();
        self.program.functions[id.index()].body = body;
        functions
    }

    fn function_of(&mut self, around: FunctionId, body: &Body, closure: &Closure) -> ClosureFunction {
        let shared = self.shared(body, closure);
        if let Some(func) = shared.as_ref().and_then(|shared| self.shared.get(shared)) {
            return ClosureFunction { func: *func, is_shared: true };
        }
        let own = closure.name.map_or("closure", |name| self.program.text(name));
        let of = |function: FunctionId| {
            let around = self.program.functions[function.index()].source.item.name.name;
            format!("{}_{own}", self.program.text(around))
        };
        let name = match closure.origin {
            ClosureOrigin::Written => of(around),
            ClosureOrigin::Default(function) => of(function),
            ClosureOrigin::Builtin => own.to_owned(),
        };
        // The second of a name is told from the first here, so that it and what is made for it are called the same in every output.
        let ordinal = self.closure_names.entry(name.clone()).or_insert(0);
        *ordinal += 1;
        let name = if *ordinal == 1 { name } else { format!("{name}_{ordinal}") };
        let module = &mut self.program.module;
        let name = module.symbols.intern(&name);
        let region = module.new_region();
        let func = module.functions.alloc(Function {
            name,
            doc: None,
            params: Vec::new(),
            result: None,
            result_role: FieldRole::Plain,
            entry: None,
            is_closure: true,
            requested: None,
            body: region,
            loc: Some(closure.span),
        });
        self.shared.extend(shared.map(|shared| (shared, func)));
        ClosureFunction { func, is_shared: false }
    }

    /// What a closure has in common with those that are the same function, unless it is one of its own.
    fn shared(&mut self, body: &Body, closure: &Closure) -> Option<SharedClosure> {
        let written = match closure.origin {
            ClosureOrigin::Written => return None,
            ClosureOrigin::Default(_) => SharedText::Default(closure.span),
            ClosureOrigin::Builtin => SharedText::Builtin(closure.name?),
        };
        let captures = || closure.captures.iter().map(|capture| capture.local);
        // Lengths that depend on constants of the function around are not the same in another.
        if captures().any(|local| body.local(local).kind == LocalKind::ConstParameter) {
            return None;
        }
        let locals = closure.params.iter().copied().chain(captures());
        let locals = locals.map(|local| self.program.erase(body.local(local).ty)).collect();
        let result = (closure.result != Ty::NOTHING).then(|| self.program.erase(closure.result));
        Some(SharedClosure { written, locals, result })
    }
}

impl FunctionLowerer<'_, '_, '_, '_> {
    /// The captured locals that are kept as places although their values never change.
    pub(super) fn kept_in_places(outer: &Lowerer<'_, '_>, body: &Body) -> Vec<bool> {
        let mut kept = vec![false; body.locals.len()];
        for capture in body.closures.iter().flat_map(|closure| &closure.captures) {
            let info = body.local(capture.local);
            let is_value = matches!(info.kind, LocalKind::Let | LocalKind::Parameter | LocalKind::OpenConst(_));
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
            .filter(|(capture, _)| self.body.local(capture.local).kind == LocalKind::ConstParameter)
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
            self.parameter(func, *local, mode, ParamRole::Plain, closure.origin != ClosureOrigin::Builtin);
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
        let func = self.closures[id.0 as usize].func;
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
            TypeKind::Function(id) => {
                let signature = self.module().types.signature(id).clone();
                let params = signature.params.iter().map(|(mode, ty)| (*mode, self.renumbered(*ty)));
                let params = params.collect();
                let result = signature.result.map(|ty| self.renumbered(ty));
                return self.module().types.function(Signature { params, result });
            }
            kind => kind.with_part(|part| self.renumbered(part)),
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
