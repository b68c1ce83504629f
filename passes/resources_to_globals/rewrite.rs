//! Copies each instance of each function with its specialised parameters replaced.

use akari_dialect::{AkariOp, signature};
use akari_ir::entity::{Entity, FuncId, GlobalId, OpId, RegionId, SecondaryMap, Symbol, Type, ValueId};
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{Global, GlobalKind, Module, ValueDef};
use akari_ir::op::{Attr, OpDef, Traits};
use akari_ir::span::Span;
use akari_ir::types::{Scalar, Space, TypeKind};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use super::instances::{Instance, Instances, called, first_of_resources};
use super::origin::{IndexSource, Origin, Root, Step, Traced, trace};
use crate::rewrite::clone::{Cloned, Cloner, Hook};
use crate::strip::copy_declarations;
use crate::strip::reach::Reach;

/// Builds the module with every instance.
pub(super) fn rewrite(module: &Module, reach: &Reach, instances: &Instances) -> Module {
    let mut target = Module::new(module.name.clone());
    let mut cloner = Cloner::between(module, &mut target);
    copy_declarations(&mut cloner, reach);
    let entry_params = make_resources(module, &mut cloner, instances);
    let mut count: SecondaryMap<FuncId, u32> = SecondaryMap::new();
    instances.list.iter().for_each(|instance| *count.get_mut(instance.function) += 1);
    let mut needed = SecondaryMap::new();
    for (number, instance) in instances.list.iter().enumerate() {
        let copy = cloner.declare(instance.function);
        if *count.get(instance.function) > 1 {
            let name = name_of(module, instance);
            cloner.target.functions[copy].name = cloner.target.symbols.intern(&name);
        }
        let source = module.functions[instance.function].body;
        let region = cloner.target.functions[copy].body;
        let needed = Needed { by: &mut needed, instance: number as u32 + 1 };
        let mut body = Body::new(module, reach, instances, instance, &entry_params, needed);
        body.params(&mut cloner, copy);
        body.interface(&mut cloner);
        body.mark(source);
        cloner.region(source, region, &mut body);
        cloner.target.region_mut(region).ops.splice(0..0, body.prologue);
    }
    target
}

type EntryParams = FxHashMap<(FuncId, u32), GlobalId>;

/// A global for each resource parameter of an entry, in the order of the parameters, used or not; one for those that name the same.
fn make_resources(module: &Module, cloner: &mut Cloner<'_>, instances: &Instances) -> EntryParams {
    let mut globals = EntryParams::default();
    for instance in &instances.list {
        let params = &module.functions[instance.function].params;
        if !params.iter().any(|param| matches!(param.role, ParamRole::Resource(_))) {
            continue;
        }
        let first = first_of_resources(module, instance.function);
        for (index, param) in params.iter().enumerate() {
            let ParamRole::Resource(source) = param.role else { continue };
            let first = first[index];
            if first < index {
                let global = globals[&(instance.function, first as u32)];
                globals.insert((instance.function, index as u32), global);
                continue;
            }
            let name = match module.value(param.value).name {
                Some(name) => cloner.symbol(name),
                None => cloner.target.symbols.intern("resource"),
            };
            let global = Global {
                name,
                ty: cloner.ty(module.value_type(param.value)),
                kind: GlobalKind::Resource { source: cloner.binding(source), slot: param.slot },
                loc: param.loc.or(module.functions[instance.function].loc),
            };
            globals.insert((instance.function, index as u32), cloner.target.globals.alloc(global));
        }
    }
    globals
}

fn root_name(module: &Module, root: Root) -> Option<Symbol> {
    match root {
        Root::Global(global) => Some(module.globals[global].name),
        Root::EntryParam(function, index) => module.value(module.functions[function].params[index as usize].value).name,
    }
}

/// The function's name followed by the names of what it is specialised for.
fn name_of(module: &Module, instance: &Instance) -> String {
    let mut name = module.text(module.functions[instance.function].name).to_owned();
    for origin in instance.params.iter().flatten() {
        name.push('_');
        name.push_str(root_name(module, origin.root).map_or("resource", |symbol| module.text(symbol)));
        for step in &origin.steps {
            if let Step::FixedResource(index) = step {
                let number = module.scalar_bits(*index).unwrap_or(0);
                name.push_str(&format!("_{number}"));
            }
        }
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
    fn params(&mut self, cloner: &mut Cloner<'_>, copy: FuncId) {
        for index in 0..self.module.functions[self.instance.function].params.len() {
            if self.instance.origin(index).is_none() {
                cloner.param(self.instance.function, index, copy);
            }
        }
        for (index, origin) in self.instance.params.iter().enumerate() {
            let mut values = SmallVec::new();
            for scalar in origin.iter().flat_map(Origin::indices) {
                let param = self.module.functions[self.instance.function].params[index].value;
                let name = self.module.value(param).name.map_or("place", |name| self.module.text(name));
                let name = cloner.target.symbols.intern(&format!("{name}_index"));
                let ty = cloner.target.types.scalar(scalar);
                values.push(cloner.target.add_param(copy, Some(name), ty, PassMode::Value, ParamRole::Plain));
            }
            self.incoming.push(values);
        }
    }

    /// What an entry declares is part of its interface, used or not; but what a table is, only its uses say.
    fn interface(&mut self, cloner: &mut Cloner<'_>) {
        let function = &self.module.functions[self.instance.function];
        if function.entry.is_none() {
            return;
        }
        let first = first_of_resources(self.module, self.instance.function);
        for (index, param) in function.params.iter().enumerate() {
            let is_resource = matches!(param.role, ParamRole::Resource(_));
            if is_resource && first[index] == index && !self.module.value_kind(param.value).is_table() {
                self.make(cloner, index as u32);
            }
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

    fn call(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) {
        let op = self.module.op(id);
        let callee = called(self.module, id, self.instance);
        let mut operands: SmallVec<[ValueId; 3]> = SmallVec::new();
        let mut indices: SmallVec<[ValueId; 3]> = SmallVec::new();
        for (index, argument) in op.operands.iter().enumerate() {
            if callee.origin(index).is_none() {
                operands.push(cloner.value(*argument));
                continue;
            }
            for index in self.trace(*argument).into_iter().flat_map(|traced| traced.indices) {
                indices.push(match index {
                    IndexSource::Value(value) => cloner.value(value),
                    IndexSource::Incoming { param, nth } => self.incoming[param as usize][nth as usize],
                });
            }
        }
        operands.extend(indices);
        let number = self.instances.number(&callee).unwrap_or_default();
        let attrs: SmallVec<[Attr; 1]> = smallvec![Attr::Func(FuncId::from_index(number as u32))];
        let result = op.result.map(|value| cloner.ty(self.module.value_type(value)));
        let copy = cloner.target.new_op(op.def, operands, attrs, SmallVec::new(), result, op.loc);
        cloner.target.region_mut(into).ops.push(copy);
        cloner.result(id, copy);
    }

    /// Makes the handle or place that a specialised parameter stands for, at the start of the function.
    fn make(&mut self, cloner: &mut Cloner<'_>, param: u32) {
        let Some(origin) = self.instance.origin(param as usize) else { return };
        if std::mem::replace(&mut self.made[param as usize], true) {
            return;
        }
        let (mut value, mut ty) = self.make_root(cloner, origin.root);
        let mut incoming = self.incoming[param as usize].clone().into_iter();
        for step in &origin.steps {
            let Some(next) = part(cloner.target, ty, *step) else { return };
            ty = next;
            let mut operands: SmallVec<[ValueId; 2]> = smallvec![value];
            operands.extend(step.index().and_then(|_| incoming.next()));
            let mut attrs = SmallVec::new();
            let def = match *step {
                Step::Contents => AkariOp::Contents,
                Step::BufferElement(_) => AkariOp::BufferElement,
                Step::Element(_) => AkariOp::Element,
                Step::Resource(_) => AkariOp::Index,
                Step::Bindless(builtin, _) => {
                    attrs.push(builtin.attr());
                    AkariOp::Builtin
                }
                Step::Member(index) => {
                    attrs.push(Attr::Int(index));
                    AkariOp::Member
                }
                Step::FixedResource(constant) => {
                    let constant = cloner.constant(constant);
                    let of = cloner.target.constant(constant).ty();
                    operands.push(self.emit(cloner, AkariOp::Const.def(), &[], smallvec![Attr::Const(constant)], of));
                    AkariOp::Index
                }
            };
            value = self.emit(cloner, def.def(), &operands, attrs, ty);
        }
        let original = self.module.functions[self.instance.function].params[param as usize].value;
        cloner.set_value(original, value);
    }

    fn make_root(&mut self, cloner: &mut Cloner<'_>, root: Root) -> (ValueId, Type) {
        let (global, space) = match root {
            Root::EntryParam(function, index) => (self.entry_params[&(function, index)], None),
            Root::Global(global) => {
                let space = match self.module.globals[global].kind {
                    GlobalKind::Constant(_) => Some(Space::Constant),
                    GlobalKind::Workgroup => Some(Space::Workgroup),
                    GlobalKind::Resource { .. } => None,
                };
                (cloner.global_copy(global), space)
            }
        };
        let of = cloner.target.globals[global].ty;
        let (def, ty) = match space {
            Some(space) => (AkariOp::GlobalPlace.def(), cloner.target.types.place(space, of)),
            None => (AkariOp::Resource.def(), of),
        };
        (self.emit(cloner, def, &[], smallvec![Attr::Global(global)], ty), ty)
    }

    fn emit(
        &mut self,
        cloner: &mut Cloner<'_>,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: SmallVec<[Attr; 1]>,
        ty: Type,
    ) -> ValueId {
        let op = cloner.target.new_op(def, SmallVec::from_slice(operands), attrs, SmallVec::new(), Some(ty), self.loc);
        self.prologue.push(op);
        cloner.target.op(op).result.expect("an operation built with a result type has a result")
    }
}

/// Whether the operation does nothing but step from a handle or place to another.
fn is_step(module: &Module, id: OpId) -> bool {
    module.traits(id).has(Traits::ADDRESS)
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
        (TypeKind::TextureTable, Step::Bindless(builtin, _)) => {
            let table = [TypeKind::TextureTable, TypeKind::Scalar(Scalar::U32)];
            let texture = signature::result(builtin, &table).ok().flatten()?;
            Some(module.types.intern(texture))
        }
        _ => None,
    }
}

impl Hook for Body<'_> {
    fn op(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        if !self.reach.is_live(id) || !self.is_needed(id) {
            return Cloned::Done;
        }
        let op = self.module.op(id);
        if AkariOp::of(op) == Some(AkariOp::Call) {
            self.call(cloner, id, into);
            return Cloned::Done;
        }
        for operand in &op.operands {
            if let ValueDef::Param(_, index) = self.module.value(*operand).def {
                self.make(cloner, index);
            }
        }
        Cloned::Verbatim
    }
}
