//! Copies each instance of each function with its specialised parameters replaced.

use akari_dialect::AkariOp;
use akari_ir::entity::{Entity, FuncId, GlobalId, OpId, RegionId, SecondaryMap, Symbol, Type, ValueId};
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{Global, GlobalKind, Module, Param, ValueDef};
use akari_ir::op::{Attr, OpDef, Traits};
use akari_ir::span::Span;
use akari_ir::types::{Space, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::instances::{Instance, Instances, called};
use super::origin::{IndexSource, Origin, Root, Step, Traced, trace};
use crate::strip::copy::{Copier, Rewrite};
use crate::strip::reach::Reach;

/// Builds the module with every instance.
pub(super) fn rewrite(module: &Module, reach: &Reach, instances: &Instances) -> Module {
    let mut copier = Copier::new(module, reach);
    let entry_params = make_resources(module, &mut copier, instances);
    let mut count: SecondaryMap<FuncId, u32> = SecondaryMap::new();
    instances.list.iter().for_each(|instance| *count.get_mut(instance.function) += 1);
    let mut needed = SecondaryMap::new();
    for (number, instance) in instances.list.iter().enumerate() {
        let copy = copier.declare(instance.function);
        if *count.get(instance.function) > 1 {
            let name = name_of(module, instance);
            copier.target.functions[copy].name = copier.target.symbols.intern(&name);
        }
        let source = module.functions[instance.function].body;
        let region = copier.target.functions[copy].body;
        let needed = Needed { by: &mut needed, instance: number as u32 + 1 };
        let mut body = Body::new(module, reach, instances, instance, &entry_params, needed);
        body.params(&mut copier, copy);
        body.mark(source);
        copier.region(source, region, &mut body);
        copier.target.region_mut(region).ops.splice(0..0, body.prologue);
    }
    copier.target
}

type EntryParams = FxHashMap<(FuncId, u32), GlobalId>;

/// A global for each resource parameter of an entry, in the order of the parameters, used or not. Two parameters that name
/// the same resource of the same type, such as two samplers of one state, share one: targets refuse two on one register.
fn make_resources(module: &Module, copier: &mut Copier<'_>, instances: &Instances) -> EntryParams {
    let mut globals = EntryParams::default();
    for instance in &instances.list {
        let params = &module.functions[instance.function].params;
        for (index, param) in params.iter().enumerate() {
            let ParamRole::Resource(source) = param.role else { continue };
            let same = |other: &Param| {
                (other.role, other.slot) == (param.role, param.slot)
                    && module.value_type(other.value) == module.value_type(param.value)
            };
            if let Some(first) = params[..index].iter().position(same) {
                let global = globals[&(instance.function, first as u32)];
                globals.insert((instance.function, index as u32), global);
                continue;
            }
            let name = match module.value(param.value).name {
                Some(name) => copier.symbol(name),
                None => copier.target.symbols.intern("resource"),
            };
            let global = Global {
                name,
                ty: copier.ty(module.value_type(param.value)),
                kind: GlobalKind::Resource { source: copier.binding(source), slot: param.slot },
                loc: module.functions[instance.function].loc,
            };
            globals.insert((instance.function, index as u32), copier.target.globals.alloc(global));
        }
    }
    globals
}

fn root_name(module: &Module, root: Root) -> Option<Symbol> {
    match root {
        Root::Global(global) => Some(module.globals[global].name),
        Root::EntryParam(function, index) => {
            module.value(module.functions[function].params[index as usize].value).name
        }
    }
}

/// The function's name followed by the names of what it is specialised for.
fn name_of(module: &Module, instance: &Instance) -> String {
    let mut name = module.text(module.functions[instance.function].name).to_owned();
    for origin in instance.params.iter().flatten() {
        name.push('_');
        name.push_str(root_name(module, origin.root).map_or("resource", |symbol| module.text(symbol)));
    }
    name
}

/// Values that something else than a specialised argument uses. One table serves all instances, since to clear one for each
/// would cost the square of their number: it tells by which instance a value was needed last.
struct Needed<'a> {
    by: &'a mut SecondaryMap<ValueId, u32>,
    instance: u32,
}

impl Needed<'_> {
    fn add(&mut self, value: ValueId) {
        self.by.set(value, self.instance);
    }

    fn has(&self, value: ValueId) -> bool {
        *self.by.get(value) == self.instance
    }
}

/// The copying of one instance's body.
struct Body<'a> {
    module: &'a Module,
    reach: &'a Reach,
    instances: &'a Instances,
    instance: &'a Instance,
    entry_params: &'a EntryParams,
    needed: Needed<'a>,
    /// The parameters that bring the computed indices of each specialised parameter.
    incoming: Vec<SmallVec<[ValueId; 2]>>,
    /// Which specialised parameters have been made in the prologue.
    made: Vec<bool>,
    prologue: Vec<OpId>,
    loc: Option<Span>,
}

impl<'a> Body<'a> {
    fn new(
        module: &'a Module,
        reach: &'a Reach,
        instances: &'a Instances,
        instance: &'a Instance,
        entry_params: &'a EntryParams,
        needed: Needed<'a>,
    ) -> Self {
        Self {
            module,
            reach,
            instances,
            instance,
            entry_params,
            needed,
            incoming: Vec::new(),
            made: vec![false; instance.params.len()],
            prologue: Vec::new(),
            loc: module.functions[instance.function].loc,
        }
    }

    /// The parameters that stay, then those for computed indices.
    fn params(&mut self, copier: &mut Copier<'_>, copy: FuncId) {
        for index in 0..self.module.functions[self.instance.function].params.len() {
            if self.instance.origin(index).is_none() {
                copier.param(self.instance.function, index, copy);
            }
        }
        for (index, origin) in self.instance.params.iter().enumerate() {
            let mut values = SmallVec::new();
            for scalar in origin.iter().flat_map(Origin::indices) {
                let param = self.module.functions[self.instance.function].params[index].value;
                let name = self.module.value(param).name.map_or("place", |name| self.module.text(name));
                let name = copier.target.symbols.intern(&format!("{name}_index"));
                let ty = copier.target.types.scalar(scalar);
                values.push(copier.target.add_param(copy, Some(name), ty, PassMode::Value, ParamRole::Plain));
            }
            self.incoming.push(values);
        }
    }

    fn trace(&self, value: ValueId) -> Option<Traced> {
        trace(self.module, value, &self.instance.params)
    }

    /// From the last operation to the first: marks what is used other than to say which instance a call means.
    fn mark(&mut self, region: RegionId) {
        for &id in self.module.region(region).ops.iter().rev() {
            if !self.reach.is_live(id) || !self.is_needed(id) {
                continue;
            }
            let op = self.module.op(id);
            if AkariOp::of(op) == Some(AkariOp::Call) {
                let callee = called(self.module, id, self.instance);
                for (index, argument) in op.operands.iter().enumerate() {
                    if callee.origin(index).is_none() {
                        self.needed.add(*argument);
                        continue;
                    }
                    for index in self.trace(*argument).into_iter().flat_map(|traced| traced.indices) {
                        if let IndexSource::Value(value) = index {
                            self.needed.add(value);
                        }
                    }
                }
            } else {
                op.operands.iter().for_each(|operand| self.needed.add(*operand));
            }
            op.regions.iter().rev().for_each(|region| self.mark(*region));
        }
    }

    fn is_needed(&self, id: OpId) -> bool {
        match self.module.op(id).result {
            Some(result) if is_step(self.module, id) => self.needed.has(result),
            _ => true,
        }
    }

    fn call(&mut self, copier: &mut Copier<'_>, id: OpId, into: RegionId) {
        let op = self.module.op(id);
        let callee = called(self.module, id, self.instance);
        let mut operands: SmallVec<[ValueId; 3]> = SmallVec::new();
        let mut indices: SmallVec<[ValueId; 3]> = SmallVec::new();
        for (index, argument) in op.operands.iter().enumerate() {
            if callee.origin(index).is_none() {
                operands.push(copier.value(*argument));
                continue;
            }
            for index in self.trace(*argument).into_iter().flat_map(|traced| traced.indices) {
                indices.push(match index {
                    IndexSource::Value(value) => copier.value(value),
                    IndexSource::Incoming { param, nth } => self.incoming[param as usize][nth as usize],
                });
            }
        }
        operands.extend(indices);
        let number = self.instances.number(&callee).unwrap_or_default();
        let attrs: SmallVec<[Attr; 1]> = smallvec![Attr::Func(FuncId::from_index(number as u32))];
        let result = op.result.map(|value| copier.ty(self.module.value_type(value)));
        let copy = copier.target.new_op(op.def, operands, attrs, SmallVec::new(), result, op.loc);
        copier.target.region_mut(into).ops.push(copy);
        copier.result(id, copy);
    }

    /// Makes the handle or place that a specialised parameter stands for, at the start of the function.
    fn make(&mut self, copier: &mut Copier<'_>, param: u32) {
        let Some(origin) = self.instance.origin(param as usize) else { return };
        if std::mem::replace(&mut self.made[param as usize], true) {
            return;
        }
        let (mut value, mut ty) = self.make_root(copier, origin.root);
        let mut incoming = self.incoming[param as usize].clone().into_iter();
        for step in &origin.steps {
            let Some(next) = part(&mut copier.target, ty, *step) else { return };
            ty = next;
            let mut operands: SmallVec<[ValueId; 2]> = smallvec![value];
            operands.extend(step.index().and_then(|_| incoming.next()));
            let mut attrs = SmallVec::new();
            let def = match *step {
                Step::Contents => AkariOp::Contents,
                Step::BufferElement(_) => AkariOp::BufferElement,
                Step::Element(_) => AkariOp::Element,
                Step::Resource(_) => AkariOp::Index,
                Step::Member(index) => {
                    attrs.push(Attr::Int(index));
                    AkariOp::Member
                }
                Step::FixedResource(constant) => {
                    let constant = copier.constant(constant);
                    let of = copier.target.constant(constant).ty();
                    operands.push(self.emit(copier, AkariOp::Const.def(), &[], smallvec![Attr::Const(constant)], of));
                    AkariOp::Index
                }
            };
            value = self.emit(copier, def.def(), &operands, attrs, ty);
        }
        let original = self.module.functions[self.instance.function].params[param as usize].value;
        copier.set_value(original, value);
    }

    fn make_root(&mut self, copier: &mut Copier<'_>, root: Root) -> (ValueId, Type) {
        let (global, space) = match root {
            Root::EntryParam(function, index) => (self.entry_params[&(function, index)], None),
            Root::Global(global) => {
                let space = match self.module.globals[global].kind {
                    GlobalKind::Constant(_) => Some(Space::Constant),
                    GlobalKind::Workgroup => Some(Space::Workgroup),
                    GlobalKind::Resource { .. } => None,
                };
                (copier.global_copy(global).unwrap_or(global), space)
            }
        };
        let of = copier.target.globals[global].ty;
        let (def, ty) = match space {
            Some(space) => (AkariOp::GlobalPlace.def(), copier.target.types.place(space, of)),
            None => (AkariOp::Resource.def(), of),
        };
        (self.emit(copier, def, &[], smallvec![Attr::Global(global)], ty), ty)
    }

    fn emit(
        &mut self,
        copier: &mut Copier<'_>,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: SmallVec<[Attr; 1]>,
        ty: Type,
    ) -> ValueId {
        let op = copier.target.new_op(def, SmallVec::from_slice(operands), attrs, SmallVec::new(), Some(ty), self.loc);
        self.prologue.push(op);
        copier.target.op(op).result.expect("an operation built with a result type has a result")
    }
}

/// Whether the operation does nothing but step from a handle or place to another.
fn is_step(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    op.def.traits.has(Traits::ADDRESS)
        || (AkariOp::of(op) == Some(AkariOp::Index)
            && op.result.is_some_and(|result| module.value_kind(result).is_handle()))
}

/// The type after a step.
fn part(module: &mut Module, ty: Type, step: Step) -> Option<Type> {
    match (module.kind(ty), step) {
        (TypeKind::Buffer(kind, element), Step::Contents | Step::BufferElement(_)) => {
            Some(module.types.place(kind.space(), element))
        }
        (TypeKind::Place(space, of), Step::Member(index)) => match module.kind(of) {
            TypeKind::Struct(id) => {
                let field = module.structs[id].fields.get(usize::try_from(index).ok()?)?.ty;
                Some(module.types.place(space, field))
            }
            _ => None,
        },
        (TypeKind::Place(space, of), Step::Element(_)) => {
            let element = module.types.element(of)?;
            Some(module.types.place(space, element))
        }
        (TypeKind::ResourceArray(element, _), Step::Resource(_) | Step::FixedResource(_)) => Some(element),
        _ => None,
    }
}

impl Rewrite for Body<'_> {
    fn op(&mut self, copier: &mut Copier<'_>, id: OpId, into: RegionId) -> bool {
        if !self.is_needed(id) {
            return true;
        }
        let op = self.module.op(id);
        if AkariOp::of(op) == Some(AkariOp::Call) {
            self.call(copier, id, into);
            return true;
        }
        for operand in &op.operands {
            if let ValueDef::Param(_, index) = self.module.value(*operand).def {
                self.make(copier, index);
            }
        }
        // A place within a parameter lies in the space of what the parameter stands for.
        let result = op.result.and_then(|result| self.module.types.as_place(self.module.value_type(result)));
        let place = op.operands.first().and_then(|operand| {
            let operand = copier.value(*operand);
            copier.target.types.as_place(copier.target.value_type(operand))
        });
        match (AkariOp::of(op), result, place) {
            (Some(AkariOp::Member | AkariOp::Element), Some((was, pointee)), Some((space, _))) if was != space => {
                let pointee = copier.ty(pointee);
                let ty = copier.target.types.place(space, pointee);
                let copy = copier.op(id, into, self);
                if let Some(result) = copier.target.op(copy).result {
                    copier.target.value_mut(result).ty = ty;
                }
                true
            }
            _ => false,
        }
    }
}
