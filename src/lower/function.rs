//! One function: its parameters, its locals, and how operations are appended.

use akari_dialect::{AkariOp, fold};
use akari_ir::entity::{ConstId, Type};
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{Global, GlobalKind};
use akari_ir::op::{Attr, OpDef};
use akari_ir::{FuncId, GlobalId, OpId, RegionId, Scalar, Space, Span, TypeKind, ValueId};
use smallvec::SmallVec;

use super::Lowerer;
use super::closures::ClosureFunction;
use crate::sema::program::{InstanceInfo, ParamInfo, Time};
use crate::sema::tree::{Body, ExprId, LocalId, LocalKind};
use crate::sema::types::{FunctionId, Ty};
use crate::syntax::names::Name;

/// What a local is in the IR.
#[derive(Clone, Copy, Debug)]
pub(super) enum Slot {
    /// A value.
    Value(ValueId),
    /// The place of a variable, or of what was borrowed.
    Place(ValueId),
    /// A groupshared variable.
    Shared(GlobalId),
}

/// The lowering of one function.
pub(super) struct FunctionLowerer<'l, 'p, 'a, 'b> {
    pub(super) outer: &'l mut Lowerer<'p, 'a>,
    pub(super) body: &'b Body,
    /// Where operations are appended.
    pub(super) region: RegionId,
    /// Their place in the source.
    pub(super) loc: Option<Span>,
    pub(super) slots: Vec<Option<Slot>>,
    /// Whether each local is kept in a place because a closure sees it, although its value never changes.
    pub(super) kept: Vec<bool>,
    /// The functions of the body's closures.
    pub(super) closures: &'b [ClosureFunction],
    /// In a closure, the own numbers of the `const` parameters that it captures.
    pub(super) renumber: Vec<(u32, u32)>,
    /// The value that the target of a compound assignment had.
    pub(super) target_value: Option<ValueId>,
    /// Whether the region has ended in a jump.
    pub(super) terminated: bool,
}

impl FunctionLowerer<'_, '_, '_, '_> {
    /// Lowers the body of a function whose signature is there, and its closures.
    pub(super) fn lower(outer: &mut Lowerer<'_, '_>, id: FunctionId) {
        let info = &mut outer.program.functions[id.index()];
        let body = std::mem::take(&mut info.body);
        let (params, result, instance) = (std::rc::Rc::clone(&info.params), info.result, info.instance.take());
        let whole = info.source.item.span;
        let func = outer.functions[id.index()];
        let region = outer.program.module.functions[func].body;
        let closures = std::mem::take(&mut outer.closures[id.index()]);
        let is_entry = outer.program.module.functions[func].entry.is_some();
        let kept = FunctionLowerer::kept_in_places(outer, &body);
        let mut lowerer = FunctionLowerer {
            outer,
            body: &body,
            region,
            loc: None,
            slots: vec![None; body.locals.len()],
            kept,
            closures: &closures,
            renumber: Vec::new(),
            target_value: None,
            terminated: false,
        };
        // What a closure sees of its locals' slots it sets itself, and so does the function after it.
        for (closure, made) in body.closures.iter().zip(&closures) {
            if !made.is_shared {
                lowerer.closure_function(closure, made.func);
            }
        }
        lowerer.region = region;
        lowerer.terminated = false;
        if let Some(instance) = instance {
            lowerer.instance(func, &params, &instance, whole);
            return;
        }
        for (index, param) in params.iter().enumerate() {
            let role = match param.time {
                Time::Const => lowerer.outer.const_role(param.ty),
                Time::Optional => ParamRole::Optional,
                Time::Run if is_entry => param.role,
                Time::Run | Time::Function => ParamRole::Plain,
            };
            lowerer.parameter(func, LocalId(index as u32), param.mode, role, true);
        }
        lowerer.statements(&body.stmts, result != Ty::NOTHING);
        lowerer.end_with_result(result);
    }

    /// The body of a named instance, which is `whole`.
    fn instance(&mut self, func: FuncId, params: &[ParamInfo<'_>], instance: &InstanceInfo, whole: Span) {
        let is_entry = self.module().functions[func].entry.is_some();
        for param in params {
            let name = self.outer.program.symbol(param.name);
            let ty = self.passed_type(param.ty, param.mode);
            let role = if is_entry { param.role } else { ParamRole::Plain };
            let module = self.module();
            module.add_param(func, Some(name), ty, param.mode, role);
            if let Some(added) = module.functions[func].params.last_mut() {
                added.loc = Some(param.span);
            }
        }
        let operands = self.parts(&instance.parts);
        let numbers = instance.parts.iter().map(|part| i64::from(part.slot)).collect();
        let template = self.outer.functions[instance.template.index()];
        self.loc = Some(whole);
        let attrs = [Attr::Func(template), Attr::Ints(numbers)];
        self.emit(AkariOp::Instance, &operands, &attrs, None);
    }

    /// The type of a parameter that is passed in a way.
    fn passed_type(&mut self, ty: Ty, mode: PassMode) -> Type {
        let ty = self.erase(ty);
        match mode {
            PassMode::Value => ty,
            PassMode::Ref | PassMode::Inout => self.module().types.place(Space::Function, ty),
        }
    }

    /// A parameter of the function that is lowered, which is a local of the body.
    pub(super) fn parameter(&mut self, func: FuncId, local: LocalId, mode: PassMode, role: ParamRole, named: bool) {
        let info = *self.body.local(local);
        let name = named.then(|| self.outer.program.symbol(info.name));
        let ty = self.passed_type(info.ty, mode);
        let module = self.module();
        let value = module.add_param(func, name, ty, mode, role);
        if let Some(param) = module.functions[func].params.last_mut() {
            param.loc = Some(info.span);
        }
        self.slots[local.0 as usize] = Some(match mode {
            PassMode::Value => Slot::Value(value),
            PassMode::Ref | PassMode::Inout => Slot::Place(value),
        });
        if self.kept[local.0 as usize] {
            self.declare(local, ty, Some(value));
        }
    }

    /// Nothing gets to the end, but every function with a result ends in a `return`.
    pub(super) fn end_with_result(&mut self, result: Ty) {
        if result != Ty::NOTHING && !self.terminated {
            let ty = self.erase(result);
            let zero = self.zero(ty);
            self.emit(AkariOp::Return, &[zero], &[], None);
        }
    }

    pub(super) fn erase(&mut self, ty: Ty) -> Type {
        let erased = self.outer.program.erase(ty);
        if self.renumber.is_empty() || !self.outer.program.is_open(ty) {
            return erased;
        }
        self.renumbered(erased)
    }

    pub(super) fn module(&mut self) -> &mut akari_ir::Module {
        &mut self.outer.program.module
    }

    // Operations.

    pub(super) fn append(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: &[Attr],
        regions: &[RegionId],
        result: Option<Type>,
    ) -> OpId {
        let (region, loc) = (self.region, self.loc);
        let module = self.module();
        let op = module.new_op(def, SmallVec::from_slice(operands), attrs, regions, result, loc);
        module.region_mut(region).ops.push(op);
        op
    }

    /// An operation without regions.
    pub(super) fn emit(
        &mut self,
        op: AkariOp,
        operands: &[ValueId],
        attrs: &[Attr],
        result: Option<Type>,
    ) -> Option<ValueId> {
        let op = self.append(op.def(), operands, attrs, &[], result);
        self.module().op(op).result
    }

    /// An operation without regions that gives a value.
    pub(super) fn value_of(&mut self, op: AkariOp, operands: &[ValueId], attrs: &[Attr], ty: Type) -> ValueId {
        let op = self.append(op.def(), operands, attrs, &[], Some(ty));
        self.module().op(op).result.expect("an operation made with a result type has a result")
    }

    pub(super) fn ty_of(&self, value: ValueId) -> Type {
        self.outer.program.module.value_type(value)
    }

    pub(super) fn constant(&mut self, value: ConstId) -> ValueId {
        let ty = self.module().constant(value).ty();
        self.value_of(AkariOp::Const, &[], &[Attr::Const(value)], ty)
    }

    pub(super) fn uint(&mut self, value: u32) -> ValueId {
        let value = self.module().scalar_constant(Scalar::U32, u64::from(value));
        self.constant(value)
    }

    pub(super) fn zero(&mut self, ty: Type) -> ValueId {
        if let TypeKind::OpenArray(element, _) | TypeKind::Array(element, _) = self.module().kind(ty)
            && self.has_open_length(ty)
        {
            let zero = self.zero(element);
            return self.value_of(AkariOp::Repeat, &[zero], &[], ty);
        }
        let value = fold::zero(self.module(), ty);
        self.constant(value)
    }

    /// Whether it is an array whose length, or that of its elements, depends on `const` parameters.
    fn has_open_length(&self, ty: Type) -> bool {
        match self.outer.program.module.kind(ty) {
            TypeKind::OpenArray(..) => true,
            TypeKind::Array(element, _) => self.has_open_length(element),
            _ => false,
        }
    }

    /// Runs `build` with operations going to a new region, and gives the region and whether it ended in a jump.
    pub(super) fn in_region(&mut self, build: impl FnOnce(&mut Self)) -> (RegionId, bool) {
        let region = self.module().new_region();
        let outer = std::mem::replace(&mut self.region, region);
        let terminated = std::mem::replace(&mut self.terminated, false);
        build(self);
        self.region = outer;
        let ended = std::mem::replace(&mut self.terminated, terminated);
        (region, ended)
    }

    /// Names a value after its name in the source, where it has none yet.
    pub(super) fn name(&mut self, value: ValueId, name: Name) {
        let symbol = self.outer.program.symbol(name);
        let value = self.module().value_mut(value);
        if value.name.is_none() {
            value.name = Some(symbol);
        }
    }

    // Locals.

    pub(super) fn slot(&mut self, local: LocalId) -> Slot {
        if let Some(slot) = self.slots[local.0 as usize] {
            return slot;
        }
        // Declarations in code that nothing reaches are not lowered, and neither are their uses; the checker has seen that every
        // other use follows its declaration.
        let info = *self.body.local(local);
        let ty = self.erase(info.ty);
        Slot::Place(self.declare(local, ty, None))
    }

    /// A variable, with its first value if it has one.
    pub(super) fn declare(&mut self, local: LocalId, ty: Type, init: Option<ValueId>) -> ValueId {
        let place_ty = self.module().types.place(Space::Function, ty);
        let place = self.value_of(AkariOp::Local, init.as_slice(), &[], place_ty);
        self.name(place, self.body.local(local).name);
        self.slots[local.0 as usize] = Some(Slot::Place(place));
        place
    }

    /// A groupshared variable.
    pub(super) fn declare_shared(&mut self, local: LocalId) {
        let info = *self.body.local(local);
        debug_assert_eq!(info.kind, LocalKind::Groupshared);
        let global = Global {
            name: self.outer.program.symbol(info.name),
            ty: self.erase(info.ty),
            kind: GlobalKind::Workgroup,
            loc: Some(info.span),
        };
        let ty = self.module().types.place(Space::Workgroup, global.ty);
        let global = self.module().globals.alloc(global);
        // Nothing uses this place. It says that the variable is declared here, in this arm.
        self.value_of(AkariOp::GlobalPlace, &[], &[Attr::Global(global)], ty);
        self.slots[local.0 as usize] = Some(Slot::Shared(global));
    }

    /// The place of a groupshared variable.
    pub(super) fn shared_place(&mut self, global: GlobalId) -> ValueId {
        let ty = self.module().globals[global].ty;
        let ty = self.module().types.place(Space::Workgroup, ty);
        self.value_of(AkariOp::GlobalPlace, &[], &[Attr::Global(global)], ty)
    }

    pub(super) fn at(&mut self, expr: ExprId) {
        self.loc = Some(self.body.expr(expr).span);
    }
}
