//! One function: its parameters, its locals, and how operations are appended.

use akari_dialect::{AkariOp, fold};
use akari_ir::entity::{ConstId, Type};
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{Global, GlobalKind};
use akari_ir::op::{Attr, OpDef};
use akari_ir::{GlobalId, OpId, RegionId, Scalar, Space, Span, ValueId};
use smallvec::SmallVec;

use super::Lowerer;
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
    /// The value that the target of a compound assignment had.
    pub(super) target_value: Option<ValueId>,
    /// Whether the region has ended in a jump.
    pub(super) terminated: bool,
}

impl FunctionLowerer<'_, '_, '_, '_> {
    /// Lowers the body of a function whose signature is there.
    pub(super) fn lower(outer: &mut Lowerer<'_, '_>, id: FunctionId) {
        let info = &mut outer.program.functions[id.index()];
        let body = std::mem::take(&mut info.body);
        let (params, result) = (std::rc::Rc::clone(&info.params), info.result);
        let func = outer.functions[id.index()];
        let region = outer.program.module.functions[func].body;
        let mut slots = vec![None; body.locals.len()];
        let is_entry = outer.program.module.functions[func].entry.is_some();
        for (index, param) in params.iter().enumerate() {
            let name = outer.program.symbol(param.name);
            let ty = outer.program.erase(param.ty);
            let ty = match param.mode {
                PassMode::Value => ty,
                PassMode::Ref | PassMode::Inout => {
                    outer.program.module.types.place(Space::Function, ty)
                }
            };
            let role = if is_entry {
                param.role
            } else {
                ParamRole::Plain
            };
            let module = &mut outer.program.module;
            let value = module.add_param(func, Some(name), ty, param.mode, role);
            module.functions[func].params[index].loc = Some(param.span);
            slots[index] = Some(match param.mode {
                PassMode::Value => Slot::Value(value),
                PassMode::Ref | PassMode::Inout => Slot::Place(value),
            });
        }
        let mut lowerer = FunctionLowerer {
            outer,
            body: &body,
            region,
            loc: None,
            slots,
            target_value: None,
            terminated: false,
        };
        lowerer.statements(&body.stmts, result != Ty::NOTHING);
        if result != Ty::NOTHING && !lowerer.terminated {
            // Nothing gets here, but every function with a result ends in a `return`.
            let ty = lowerer.erase(result);
            let zero = lowerer.zero(ty);
            lowerer.emit(AkariOp::Return, &[zero], &[], None);
        }
    }

    pub(super) fn erase(&mut self, ty: Ty) -> Type {
        self.outer.program.erase(ty)
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
        let op = module.new_op(
            def,
            SmallVec::from_slice(operands),
            attrs,
            regions,
            result,
            loc,
        );
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
    pub(super) fn value_of(
        &mut self,
        op: AkariOp,
        operands: &[ValueId],
        attrs: &[Attr],
        ty: Type,
    ) -> ValueId {
        let op = self.append(op.def(), operands, attrs, &[], Some(ty));
        self.module()
            .op(op)
            .result
            .expect("an operation made with a result type has a result")
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
        let value = fold::zero(self.module(), ty);
        self.constant(value)
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

    pub(super) fn at(&mut self, expr: ExprId) {
        self.loc = Some(self.body.expr(expr).span);
    }
}
