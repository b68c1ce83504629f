//! Calls and function values: which specialization a call means, and what it is passed.

use std::rc::Rc;

use akari_dialect::AkariOp;
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::op::Attr;
use akari_ir::{FuncId, OpId, RegionId, Span, TypeKind, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::body::Body;
use super::codes;
use super::instances::{Captured, Meaning, Named};
use super::key::{Argument, Closure, ClosureId, Key};
use crate::rewrite::clone::{Cloned, Cloner};

/// So deep may function values be captured in function values.
const DEEPEST: u32 = 64;

/// What is passed in one call, or captured by one function value.
#[derive(Default)]
struct Passed {
    arguments: Vec<Argument>,
    operands: SmallVec<[ValueId; 8]>,
    captured: Vec<Captured>,
    /// The number of each value among `captured`.
    numbers: FxHashMap<ValueId, u32>,
}

impl Passed {
    /// The number of a captured value, which is passed once however often it was captured.
    fn capture(&mut self, captured: Captured) -> u32 {
        let next = self.captured.len() as u32;
        let number = *self.numbers.entry(captured.value).or_insert(next);
        if number == next {
            self.captured.push(captured);
        } else if captured.mode == PassMode::Inout {
            self.captured[number as usize].mode = PassMode::Inout;
        }
        number
    }

    /// Where nothing but what is passed is known, and what was captured is passed in the order of the last parameters, the function
    /// is an ordinary one.
    fn simplify(&mut self) {
        let mut next = 0;
        let is_ordinary = self.arguments.iter().all(|argument| match *argument {
            Argument::Runtime => next == 0,
            Argument::Captured(number) => {
                next += 1;
                number + 1 == next
            }
            Argument::Const(_) | Argument::Resource(_) | Argument::None | Argument::Closure(_) => false,
        });
        if is_ordinary && next as usize == self.captured.len() {
            self.arguments.clear();
            self.operands.extend(self.captured.drain(..).map(|captured| captured.value));
        }
    }
}

impl Body<'_, '_> {
    /// A function value as it is under the numbers that its captured values have among those of `passed`.
    fn renumbered(&mut self, id: ClosureId, captured: &[ValueId], passed: &mut Passed) -> ClosureId {
        let mut done = FxHashMap::default();
        self.renumbered_once(id, captured, passed, &mut done)
    }

    fn renumbered_once(
        &mut self,
        id: ClosureId,
        captured: &[ValueId],
        passed: &mut Passed,
        done: &mut FxHashMap<ClosureId, ClosureId>,
    ) -> ClosureId {
        if let Some(done) = done.get(&id) {
            return *done;
        }
        let Closure { function, captures } = self.specializer.closures.get(id).clone();
        let source = self.specializer.source;
        let params = &source.functions[function].params;
        let first = params.len() - captures.len();
        let captures = captures
            .iter()
            .enumerate()
            .map(|(index, argument)| match *argument {
                Argument::Captured(number) => {
                    let param = &params[first + index];
                    let name = source.value(param.value).name;
                    let value = captured[number as usize];
                    Argument::Captured(passed.capture(Captured { value, mode: param.mode, name }))
                }
                Argument::Closure(inner) => Argument::Closure(self.renumbered_once(inner, captured, passed, done)),
                other @ (Argument::Runtime | Argument::Const(_) | Argument::Resource(_) | Argument::None) => other,
            })
            .collect();
        let renumbered = self.closure(Closure { function, captures });
        done.insert(id, renumbered);
        renumbered
    }

    fn closure(&mut self, closure: Closure) -> ClosureId {
        let depth = |argument: &Argument| match argument {
            Argument::Closure(inner) => self.specializer.depths[akari_ir::Entity::index(*inner)] + 1,
            Argument::Runtime | Argument::Captured(_) | Argument::Const(_) | Argument::Resource(_) | Argument::None => {
                0
            }
        };
        let depth = closure.captures.iter().map(depth).max().unwrap_or(0);
        let id = self.specializer.closures.intern(closure);
        if self.specializer.closures.len() > self.specializer.depths.len() {
            self.specializer.depths.push(depth);
        }
        id
    }

    /// `function`: a function value, with what it captures.
    pub(super) fn function(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let function = op.func(0);
        let params = &source.functions[function].params;
        let first = params.len() - op.operands.len();
        self.specializer.captures.set(function, op.operands.len());
        let mut passed = Passed::default();
        for (index, operand) in op.operands.iter().enumerate() {
            let param = &params[first + index];
            let argument = match self.meaning(*operand).cloned() {
                Some(Meaning::Closure { id, captured }) => {
                    Argument::Closure(self.renumbered(id, &captured, &mut passed))
                }
                Some(Meaning::None) => Argument::None,
                Some(Meaning::Const { value, open: true, .. }) => Argument::Const(value),
                Some(Meaning::Const { .. }) | None => {
                    let Some(value) = self.operand(cloner, *operand, into, op.loc) else { return Cloned::Left };
                    let name = source.value(param.value).name;
                    Argument::Captured(passed.capture(Captured { value, mode: param.mode, name }))
                }
            };
            passed.arguments.push(argument);
        }
        let id = self.closure(Closure { function, captures: passed.arguments.into() });
        if self.specializer.depths[akari_ir::Entity::index(id)] > DEEPEST {
            let message = format!("function values are captured more than {DEEPEST} deep in one another here");
            self.fail(codes::TOO_MANY, op.loc, message);
            return Cloned::Left;
        }
        let captured: Rc<[ValueId]> = passed.captured.iter().map(|captured| captured.value).collect();
        if let Some(result) = op.result {
            self.set_meaning(result, Meaning::Closure { id, captured });
        }
        Cloned::Done
    }

    pub(super) fn call(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let Some((key, name)) = self.resolve(cloner, op.func(0), &[]) else { return Cloned::Left };
        let mut passed = Passed::default();
        let mut operands = op.operands.iter();
        for (index, param) in source.functions[key.function].params.iter().enumerate() {
            // A named instance takes what its template takes at run time.
            match key.argument(index) {
                Argument::Runtime => {}
                known => {
                    passed.arguments.push(known);
                    continue;
                }
            }
            let Some(operand) = operands.next() else { break };
            if !self.argument(cloner, param.role, *operand, &mut passed, into, op.loc) {
                return Cloned::Left;
            }
        }
        // Entries are not called; should one be, it keeps its name.
        let name = name.filter(|name| source.functions[*name].entry.is_none());
        self.emit(cloner, id, key.function, name, passed, into)
    }

    /// `call_value`: a call of the function that the value is.
    pub(super) fn call_value(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let Some(Meaning::Closure { id: closure, captured }) = self.meaning(op.operands[0]).cloned() else {
            self.fail(codes::NOT_CONSTANT, op.loc, "what is called here is not known at compile time");
            return Cloned::Left;
        };
        let Closure { function, captures } = self.specializer.closures.get(closure).clone();
        let Some((key, name)) = self.resolve(cloner, function, &captures) else { return Cloned::Left };
        let mut passed = Passed::default();
        let mut operands = op.operands[1..].iter();
        for (index, param) in source.functions[key.function].params.iter().enumerate() {
            match key.argument(index) {
                Argument::Runtime => {
                    let Some(operand) = operands.next() else { break };
                    if !self.argument(cloner, param.role, *operand, &mut passed, into, op.loc) {
                        return Cloned::Left;
                    }
                }
                // What function values in its captures have captured too is passed once: two borrows of one variable would each
                // be copied in and out.
                Argument::Captured(number) => {
                    let name = source.value(param.value).name;
                    let captured = Captured { value: captured[number as usize], mode: param.mode, name };
                    let number = passed.capture(captured);
                    passed.arguments.push(Argument::Captured(number));
                }
                Argument::Closure(inner) => {
                    let inner = self.renumbered(inner, &captured, &mut passed);
                    passed.arguments.push(Argument::Closure(inner));
                }
                known @ (Argument::Const(_) | Argument::Resource(_) | Argument::None) => passed.arguments.push(known),
            }
        }
        self.emit(cloner, id, key.function, name, passed, into)
    }

    /// Adds an argument of a call. Whether it could be.
    fn argument(
        &mut self,
        cloner: &mut Cloner<'_>,
        role: ParamRole,
        value: ValueId,
        passed: &mut Passed,
        into: RegionId,
        loc: Option<Span>,
    ) -> bool {
        let argument = match self.meaning(value).cloned() {
            Some(Meaning::Closure { id, captured }) => Argument::Closure(self.renumbered(id, &captured, passed)),
            Some(Meaning::None) if role == ParamRole::Optional => Argument::None,
            _ if matches!(role, ParamRole::Const(_)) => match self.demanded(value) {
                Some(constant) => Argument::Const(constant),
                None => {
                    self.fail(
                        codes::NOT_CONSTANT,
                        loc,
                        "an argument for a `const` parameter has no constant value here",
                    );
                    return false;
                }
            },
            None if matches!(self.specializer.source.value_kind(value), TypeKind::Function(_)) => {
                self.fail(codes::NOT_CONSTANT, loc, "the function that is passed here is not known at compile time");
                return false;
            }
            _ => match self.operand(cloner, value, into, loc) {
                Some(operand) => {
                    passed.operands.push(operand);
                    Argument::Runtime
                }
                None => return false,
            },
        };
        passed.arguments.push(argument);
        true
    }

    /// Appends the call of a specialization.
    fn emit(
        &mut self,
        cloner: &mut Cloner<'_>,
        id: OpId,
        function: FuncId,
        name: Option<FuncId>,
        mut passed: Passed,
        into: RegionId,
    ) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        passed.simplify();
        let key = Key { function, arguments: passed.arguments.into(), entry: None };
        let by = self.instance.map(|instance| (instance, op.loc));
        let number = self.specializer.request(cloner, key, name, &passed.captured, by);
        passed.operands.extend(passed.captured.iter().map(|captured| captured.value));
        let callee = self.specializer.instances[number].copy;
        let result = op.result.map(|value| cloner.ty(source.value_type(value)));
        let operands = passed.operands.as_slice();
        let copy =
            cloner.target.new_op(AkariOp::Call.def(), operands, [Attr::Func(callee)], [].as_slice(), result, op.loc);
        cloner.target.region_mut(into).ops.push(copy);
        cloner.result(id, copy);
        if let Some(instance) = self.instance {
            self.specializer.add_call(instance, number, copy);
        }
        Cloned::Done
    }

    /// The function that is meant by one, with what is known of its arguments: a named instance means its template. `captures` are
    /// what the function's last parameters are bound to. None where the arguments of a named instance are at fault.
    pub(super) fn resolve(
        &mut self,
        cloner: &mut Cloner<'_>,
        function: FuncId,
        captures: &[Argument],
    ) -> Option<(Key, Option<FuncId>)> {
        let source = self.specializer.source;
        let last = source.region(source.functions[function].body).ops.last();
        let instance = last.filter(|last| AkariOp::of(source.op(**last)) == Some(AkariOp::Instance));
        if let Some(instance) = instance.copied() {
            let named = self.named(cloner, function, instance);
            let entry = Some(function).filter(|function| source.functions[*function].entry.is_some());
            let Some(mut arguments) = named.arguments.clone() else {
                self.failed = true;
                return None;
            };
            let open = arguments.iter_mut().rev().filter(|argument| **argument == Argument::Runtime);
            open.zip(captures.iter().rev()).for_each(|(argument, capture)| *argument = *capture);
            return Some((Key { function: named.template, arguments, entry }, Some(function)));
        }
        let params = source.functions[function].params.len();
        let mut arguments = Vec::new();
        if !captures.is_empty() {
            arguments = vec![Argument::Runtime; params - captures.len()];
            arguments.extend_from_slice(captures);
        }
        Some((Key { function, arguments: arguments.into(), entry: None }, None))
    }

    /// What a named instance says of its template's parameters.
    fn named(&mut self, cloner: &mut Cloner<'_>, function: FuncId, instance: OpId) -> Rc<Named> {
        if let Some(named) = self.specializer.named.get(&function) {
            return Rc::clone(named);
        }
        let source = self.specializer.source;
        let op = source.op(instance);
        let template = op.func(0);
        let mut arguments = vec![Argument::Runtime; source.functions[template].params.len()];
        // Its arguments are constant, and what is made for them is dropped.
        let scratch = cloner.target.new_region();
        let mut outer = Body::new(self.specializer, None);
        cloner.region(source.functions[function].body, scratch, &mut outer);
        for (operand, number) in op.operands.iter().zip(op.ints(1)) {
            if outer.failed {
                break;
            }
            let Some(argument) = outer.named_argument(*operand) else {
                let message = "an argument of this instance has no constant value";
                outer.fail(codes::NOT_CONSTANT, source.functions[function].loc, message);
                break;
            };
            if let Some(slot) = usize::try_from(*number).ok().and_then(|number| arguments.get_mut(number)) {
                *slot = argument;
            }
        }
        let arguments = Some(arguments.into()).filter(|_| !outer.failed);
        outer.end();
        let named = Rc::new(Named { template, arguments });
        self.specializer.named.insert(function, Rc::clone(&named));
        named
    }

    fn named_argument(&self, operand: ValueId) -> Option<Argument> {
        let source = self.specializer.source;
        match self.meaning(operand) {
            // What it has captured would be there at run time only.
            Some(Meaning::Closure { id, captured }) => Some(Argument::Closure(*id)).filter(|_| captured.is_empty()),
            Some(Meaning::None) => Some(Argument::None),
            Some(Meaning::Const { .. }) | None => {
                let op = source.defining_op(operand).map(|op| source.op(op));
                match op.filter(|op| AkariOp::of(op) == Some(AkariOp::Resource)) {
                    Some(resource) => Some(Argument::Resource(resource.global(0))),
                    None => self.demanded(operand).map(Argument::Const),
                }
            }
        }
    }
}
