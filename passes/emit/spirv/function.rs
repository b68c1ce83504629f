//! Functions, and the walk over their operations.

use akari_dialect::{AkariOp, RayFact, component};
use akari_dialect_spirv::{Opcode, StorageClass};
use akari_ir::entity::{FuncId, OpId, RegionId, Type, ValueId};
use akari_ir::interface::PassMode;
use akari_ir::module::GlobalKind;
use akari_ir::op::Traits;
use akari_ir::types::TypeKind;
use smallvec::SmallVec;

use super::control::Jump;
use super::emitter::{Emitter, Meaning};
use super::place::Place;
use super::ray::Intersection;
use super::types::Memory;
use super::words::push;

/// The function being written.
#[derive(Debug, Default)]
pub(super) struct FunctionState {
    /// Its variables, which stand at the start of its first block.
    pub(super) variables: Vec<u32>,
    /// All else after the label of its first block.
    pub(super) body: Vec<u32>,
    /// The label of the first block.
    pub(super) first: u32,
    /// The label of the current block.
    pub(super) block: u32,
    /// Whether the current block still takes instructions.
    pub(super) open: bool,
    /// Where `break` goes, innermost last.
    pub(super) breaks: Vec<Jump>,
    /// Where `continue` goes, innermost last.
    pub(super) continues: Vec<Jump>,
    /// Whether it is the entry, whose result goes to output variables.
    pub(super) is_entry: bool,
}

impl Emitter<'_> {
    /// The id of a function, written or yet to be written.
    pub(super) fn function_id(&mut self, function: FuncId) -> u32 {
        let known = *self.functions.get(function);
        if known != 0 {
            return known;
        }
        let id = self.fresh();
        self.functions.set(function, id);
        id
    }

    /// Writes a function that is no entry.
    pub(super) fn function(&mut self, function: FuncId) {
        let definition = &self.module.functions[function];
        self.loc = definition.loc;
        self.f = FunctionState::default();
        let result = match definition.result {
            Some(ty) => self.value_type(ty),
            None => self.void_type(),
        };
        let mut signature = vec![result];
        let mut parameters = Vec::new();
        for param in &definition.params {
            let ty = self.module.value_type(param.value);
            let id = self.fresh();
            let param_type = match self.module.kind(ty) {
                TypeKind::Place(_, pointee) => {
                    let pointee = self.value_type(pointee);
                    let place = Place::variable(id, StorageClass::Function);
                    self.set_place(param.value, place);
                    self.pointer_type(StorageClass::Function, pointee)
                }
                _ => {
                    self.set(param.value, id);
                    self.value_type(ty)
                }
            };
            signature.push(param_type);
            push(&mut parameters, Opcode::FunctionParameter, &[param_type, id]);
            if let Some(name) = self.module.value(param.value).name {
                self.name(id, name);
            }
        }
        let ty = self.unique_type(Opcode::TypeFunction, &signature);
        let id = self.function_id(function);
        self.name(id, definition.name);
        self.open_function();
        self.region(definition.body);
        self.close_function(id, result, ty, &parameters, definition.result.is_some());
    }

    /// Begins the first block.
    pub(super) fn open_function(&mut self) {
        self.lines.end_block();
        self.f.first = self.fresh();
        self.f.block = self.f.first;
        self.f.open = true;
    }

    /// Ends the last block and writes the function out.
    pub(super) fn close_function(&mut self, id: u32, result: u32, ty: u32, parameters: &[u32], has_result: bool) {
        if self.f.open {
            // The end of a function with a result is never reached: each path returns.
            self.emit(if has_result { Opcode::Unreachable } else { Opcode::Return }, &[]);
        }
        let state = std::mem::take(&mut self.f);
        let functions = &mut self.sections.functions;
        push(functions, Opcode::Function, &[result, id, 0, ty]);
        functions.extend_from_slice(parameters);
        push(functions, Opcode::Label, &[state.first]);
        functions.extend(state.variables);
        functions.extend(state.body);
        push(functions, Opcode::FunctionEnd, &[]);
    }

    /// A variable of the function, for a value of the IR type.
    pub(super) fn variable(&mut self, ty: Type) -> u32 {
        let ty = self.value_type(ty);
        self.variable_of(ty)
    }

    /// A variable of the function.
    pub(super) fn variable_of(&mut self, ty: u32) -> u32 {
        let pointer = self.pointer_type(StorageClass::Function, ty);
        let id = self.fresh();
        push(&mut self.f.variables, Opcode::Variable, &[pointer, id, StorageClass::Function as u32]);
        id
    }

    /// The id of a value.
    pub(super) fn id(&mut self, value: ValueId) -> u32 {
        match *self.meanings.get(value) {
            Meaning::Id(id) => id,
            Meaning::None | Meaning::Place(_) | Meaning::Resource(_) => {
                self.fail("a value is used that has no id");
                self.uint(0)
            }
        }
    }

    /// Says what the id of a value is.
    pub(super) fn set(&mut self, value: ValueId, id: u32) {
        self.meanings.set(value, Meaning::Id(id));
    }

    /// Writes the operations of a region, up to the first that leaves it.
    pub(super) fn region(&mut self, region: RegionId) {
        for &op in &self.module.region(region).ops {
            if !self.f.open {
                return;
            }
            self.operation(op);
        }
    }

    fn operation(&mut self, id: OpId) {
        let op = self.module.op(id);
        self.loc = op.loc;
        self.line(op.loc);
        let Some(kind) = AkariOp::of(op) else {
            return self.fail("an operation of another dialect");
        };
        match kind {
            AkariOp::If => return self.if_(op),
            AkariOp::Loop => return self.loop_(op),
            AkariOp::Switch => return self.switch(op),
            AkariOp::Break => return self.break_(),
            AkariOp::Continue => return self.continue_(),
            AkariOp::Return => return self.return_(op.operands.first().copied()),
            AkariOp::Yield => return,
            AkariOp::Discard => return self.discard(),
            AkariOp::Store => {
                let value = self.id(op.operands[1]);
                return self.store_place(op.operands[0], value);
            }
            AkariOp::StoreComponents => return self.store_components(op),
            AkariOp::Local => return self.local(op),
            AkariOp::Member => return self.member(op),
            AkariOp::Element => return self.element(op),
            AkariOp::GlobalPlace => return self.global_place(op),
            AkariOp::Contents => return self.contents(op),
            AkariOp::BufferElement => return self.buffer_element(op),
            AkariOp::Resource => {
                if let Some(result) = op.result {
                    self.meanings.set(result, Meaning::Resource(op.global(0)));
                }
                // Also what nothing uses is part of the interface.
                self.global_variable(op.global(0));
                return;
            }
            AkariOp::Index if self.module.traits(id).has(Traits::ADDRESS) => return self.resource_element(op),
            AkariOp::NonUniform => return self.say_non_uniform(op),
            AkariOp::Call => return self.call(op),
            AkariOp::RayQueryBegin => return self.ray_query_begin(op),
            AkariOp::RayQueryAccept => return self.ray_query_accept(op.operands[0]),
            AkariOp::Function
            | AkariOp::CallValue
            | AkariOp::None
            | AkariOp::IsNone
            | AkariOp::Repeat
            | AkariOp::SizeOf
            | AkariOp::OpenSwitch
            | AkariOp::Threads
            | AkariOp::Instance => return self.fail("an operation of compile time is left"),
            AkariOp::Builtin => return self.builtin(op),
            AkariOp::Const
            | AkariOp::GlobalConst
            | AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::Neg
            | AkariOp::MatMul
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor
            | AkariOp::BitNot
            | AkariOp::Shl
            | AkariOp::Shr
            | AkariOp::Not
            | AkariOp::Compare
            | AkariOp::AndThen
            | AkariOp::OrElse
            | AkariOp::Select
            | AkariOp::Cond
            | AkariOp::Convert
            | AkariOp::Construct
            | AkariOp::Splat
            | AkariOp::Extract
            | AkariOp::Index
            | AkariOp::Swizzle
            | AkariOp::Load
            | AkariOp::RayQueryProceed
            | AkariOp::RayQueryHit
            | AkariOp::RayQueryCandidate
            | AkariOp::Let => {}
        }
        let Some(result) = op.result else { return };
        let ty = self.module.value_type(result);
        let value = match kind {
            AkariOp::Const => self.constant(op.constant(0)),
            AkariOp::GlobalConst => match self.module.globals[op.global(0)].kind {
                GlobalKind::Constant(constant) => self.constant(constant),
                GlobalKind::Workgroup | GlobalKind::Resource { .. } => {
                    return self.fail("a global that is no constant is used as one");
                }
            },
            AkariOp::Add | AkariOp::Sub | AkariOp::Mul | AkariOp::Div | AkariOp::Rem => {
                self.arithmetic(kind, op.operands[0], op.operands[1], ty)
            }
            AkariOp::And | AkariOp::Or | AkariOp::Xor => self.bitwise(kind, op.operands[0], op.operands[1], ty),
            AkariOp::Shl | AkariOp::Shr => self.shift(kind, op.operands[0], op.operands[1], ty),
            AkariOp::Neg => self.negate(op.operands[0], ty),
            AkariOp::MatMul => self.matrix_product(op.operands[0], op.operands[1], ty),
            AkariOp::BitNot => self.unary(Opcode::Not, op.operands[0], ty),
            AkariOp::Not => self.unary(Opcode::LogicalNot, op.operands[0], ty),
            AkariOp::Compare => self.compare(op.enumerated(0), op.operands[0], op.operands[1], ty),
            AkariOp::AndThen | AkariOp::OrElse => self.short_circuit(kind, op),
            AkariOp::Cond => self.cond(op, ty),
            AkariOp::Select => {
                let condition = op.operands[0];
                let (condition, then, otherwise) =
                    (self.id(condition), self.id(op.operands[1]), self.id(op.operands[2]));
                self.select(condition, self.module.value_type(op.operands[0]), then, otherwise, ty)
            }
            AkariOp::Convert => self.convert(op.operands[0], ty),
            AkariOp::Construct => self.construct(&op.operands, ty),
            AkariOp::Splat => {
                let scalar = self.id(op.operands[0]);
                self.splat(scalar, ty)
            }
            AkariOp::Extract => {
                let aggregate = self.id(op.operands[0]);
                let ty = self.value_type(ty);
                self.op(Opcode::CompositeExtract, ty, &[aggregate, op.int(0) as u32])
            }
            AkariOp::Index => self.index(op.operands[0], op.operands[1], ty),
            AkariOp::Swizzle => {
                let components: Vec<i64> = op.ints(0).iter().map(|number| component(*number)).collect();
                self.swizzle(op.operands[0], &components, ty)
            }
            AkariOp::Load => self.load_place(op.operands[0], ty),
            AkariOp::RayQueryProceed => self.ray_query_proceed(op.operands[0]),
            AkariOp::RayQueryHit => {
                self.ray_query_fact(op.operands[0], Intersection::Committed, RayFact::from_index(op.enumerated(0)))
            }
            AkariOp::RayQueryCandidate => {
                self.ray_query_fact(op.operands[0], Intersection::Candidate, RayFact::from_index(op.enumerated(0)))
            }
            AkariOp::Let => match *self.meanings.get(op.operands[0]) {
                Meaning::Id(id) => id,
                other => return self.meanings.set(result, other),
            },
            _ => return self.fail("an operation without a value is used as one"),
        };
        self.set(result, value);
        // A constant is used under many names.
        if !matches!(kind, AkariOp::Const | AkariOp::GlobalConst) {
            self.value_name(result, value);
        }
    }

    fn local(&mut self, op: &akari_ir::Op) {
        let Some(result) = op.result else { return };
        let Some((_, pointee)) = self.module.types.as_place(self.module.value_type(result)) else { return };
        let id = self.variable(pointee);
        if let Some(name) = self.module.value(result).name {
            self.name(id, name);
        }
        self.set_place(result, Place::variable(id, StorageClass::Function));
        if let Some(init) = op.operands.first() {
            let init = self.id(*init);
            self.emit(Opcode::Store, &[id, init]);
        }
    }

    fn call(&mut self, op: &akari_ir::Op) {
        let callee = op.func(0);
        let function = &self.module.functions[callee];
        if *self.functions.get(callee) == 0 {
            self.called.push(callee);
        }
        let id = self.function_id(callee);
        let mut arguments: SmallVec<[u32; 8]> = SmallVec::new();
        arguments.push(id);
        let mut copies_out: SmallVec<[(ValueId, u32, Type); 2]> = SmallVec::new();
        for (param, argument) in function.params.iter().zip(&op.operands) {
            let TypeKind::Place(_, pointee) = self.module.value_kind(param.value) else {
                let value = self.id(*argument);
                arguments.push(value);
                continue;
            };
            // A pointer that is passed must be a whole variable (2.16.1, logical addressing): anything else goes through
            // a variable of its own, copied in and, for `inout`, out.
            let direct = self.place(*argument).filter(|place| {
                place.chain.is_empty() && place.class == StorageClass::Function && place.memory == Memory::Value
            });
            if let Some(place) = direct {
                arguments.push(place.base);
                continue;
            }
            let variable = self.variable(pointee);
            let value = self.load_place(*argument, pointee);
            self.emit(Opcode::Store, &[variable, value]);
            arguments.push(variable);
            match param.mode {
                PassMode::Inout => copies_out.push((*argument, variable, pointee)),
                PassMode::Value | PassMode::Ref => {}
            }
        }
        let result = match function.result {
            Some(ty) => self.value_type(ty),
            None => self.void_type(),
        };
        let value = self.op(Opcode::FunctionCall, result, &arguments);
        if let Some(result) = op.result {
            self.set(result, value);
        }
        for (place, variable, pointee) in copies_out {
            let ty = self.value_type(pointee);
            let value = self.op(Opcode::Load, ty, &[variable]);
            self.store_place(place, value);
        }
    }

    fn return_(&mut self, value: Option<ValueId>) {
        let value = value.map(|value| (self.id(value), self.module.value_type(value)));
        match value {
            Some((value, ty)) if self.f.is_entry => {
                self.write_outputs(value, ty);
                self.emit(Opcode::Return, &[]);
            }
            Some((value, _)) => self.emit(Opcode::ReturnValue, &[value]),
            None => self.emit(Opcode::Return, &[]),
        }
        self.f.open = false;
    }
}
