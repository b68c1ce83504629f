//! Which memory an operation reads and writes.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::interface::PassMode;
use akari_ir::{FuncId, Module, OpId, SecondaryMap, Space, Traits, TypeKind, ValueId};

use super::calls::callees_first;
use super::walk::walk;

/// A part of the world. Accesses of different parts never meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    /// The variable that this value is the place of: a local or a `ref`/`inout` parameter.
    Variable(ValueId),
    /// Groupshared variables.
    Group,
    /// Buffers and storage textures that a shader may write.
    Device,
    /// Which invocations run: what convergent operations depend on and `discard` and barriers change.
    Invocations,
}

/// A read or a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// May read.
    Read(Memory),
    /// May write.
    Write(Memory),
}

/// What the functions of a module do to memory that is not their own.
#[derive(Debug)]
pub struct Effects<'m> {
    module: &'m Module,
    functions: SecondaryMap<FuncId, Summary>,
    /// Whether all functions were looked at.
    is_ordered: bool,
}

#[derive(Clone, Debug, Default)]
enum Summary {
    #[default]
    Unknown,
    /// Being computed: only in a cycle of calls, which the front end refuses.
    Running,
    Known(Vec<Access>),
}

const EVERYTHING: [Access; 3] =
    [Access::Write(Memory::Group), Access::Write(Memory::Device), Access::Write(Memory::Invocations)];

impl<'m> Effects<'m> {
    /// Knows nothing yet; functions are looked at when the first call is.
    #[must_use]
    pub fn new(module: &'m Module) -> Self {
        Self { module, functions: SecondaryMap::new(), is_ordered: false }
    }

    /// What `op`, its regions included, reads and writes beside its own operands and result.
    pub fn of(&mut self, op: OpId) -> Vec<Access> {
        let mut accesses = Vec::new();
        self.collect(op, &mut accesses);
        accesses.sort_unstable();
        accesses.dedup();
        accesses
    }

    fn collect(&mut self, id: OpId, accesses: &mut Vec<Access>) {
        let module = self.module;
        let op = module.op(id);
        for region in &op.regions {
            let mut nested = Vec::new();
            walk(module, *region, &mut |op| nested.push(op));
            for op in nested {
                self.own(op, accesses);
            }
        }
        self.own(id, accesses);
    }

    /// What `op` does without its regions.
    fn own(&mut self, id: OpId, accesses: &mut Vec<Access>) {
        let module = self.module;
        let op = module.op(id);
        let traits = module.traits(id);
        if traits.has(Traits::PURE) {
            return;
        }
        match AkariOp::of(op) {
            Some(AkariOp::Call) => {
                let callee = op.func(0);
                accesses.extend(self.function(callee));
                for (param, argument) in module.functions[callee].params.iter().zip(&op.operands) {
                    match param.mode {
                        PassMode::Value => {}
                        PassMode::Ref => place(module, *argument, Access::Read, accesses),
                        PassMode::Inout => place(module, *argument, Access::Write, accesses),
                    }
                }
            }
            Some(AkariOp::Builtin) if Builtin::from_index(op.enumerated(0)) == Builtin::Barrier => {
                accesses.extend(EVERYTHING);
            }
            Some(AkariOp::Discard) => {
                accesses.extend([Access::Write(Memory::Device), Access::Write(Memory::Invocations)]);
            }
            _ => {
                let is_write = traits.has(Traits::WRITES);
                let access = if is_write { Access::Write } else { Access::Read };
                if traits.any(Traits::READS.with(Traits::WRITES)) {
                    let mut places = op.operands.iter().filter(|operand| is_place(module, **operand)).peekable();
                    if places.peek().is_none() {
                        accesses.push(access(Memory::Device));
                    }
                    for operand in places {
                        place(module, *operand, access, accesses);
                    }
                }
                // A demoted invocation writes nothing.
                if traits.has(Traits::CONVERGENT) || (is_write && touches_device(accesses)) {
                    accesses.push(Access::Read(Memory::Invocations));
                }
            }
        }
    }

    /// What calling `function` does to memory that outlives the call and is not passed to it.
    fn function(&mut self, function: FuncId) -> Vec<Access> {
        // Callees first, since chains of calls may be longer than the stack is deep.
        if !std::mem::replace(&mut self.is_ordered, true) {
            callees_first(self.module).into_iter().for_each(|function| self.summarize(function));
        }
        match self.functions.get(function) {
            Summary::Known(accesses) => accesses.clone(),
            Summary::Running | Summary::Unknown => EVERYTHING.to_vec(),
        }
    }

    /// Computes that for a function whose callees are known.
    fn summarize(&mut self, function: FuncId) {
        self.functions.set(function, Summary::Running);
        let mut ops = Vec::new();
        walk(self.module, self.module.functions[function].body, &mut |op| ops.push(op));
        let mut accesses = Vec::new();
        for op in ops {
            self.own(op, &mut accesses);
        }
        accesses.retain(|access| {
            let (Access::Read(memory) | Access::Write(memory)) = access;
            !matches!(memory, Memory::Variable(_))
        });
        accesses.sort_unstable();
        accesses.dedup();
        self.functions.set(function, Summary::Known(accesses));
    }
}

fn touches_device(accesses: &[Access]) -> bool {
    accesses.contains(&Access::Write(Memory::Device))
}

fn is_place(module: &Module, value: ValueId) -> bool {
    matches!(module.value_kind(value), TypeKind::Place(..))
}

/// The access of a place.
fn place(module: &Module, place: ValueId, access: fn(Memory) -> Access, accesses: &mut Vec<Access>) {
    let Some((space, _)) = module.types.as_place(module.value_type(place)) else { return };
    match space {
        Space::Constant | Space::Uniform | Space::StorageRead => {}
        Space::Workgroup => accesses.push(access(Memory::Group)),
        Space::Storage | Space::Atomic => accesses.push(access(Memory::Device)),
        Space::Function => {
            let root = root(module, place);
            accesses.push(access(Memory::Variable(root)));
            // A parameter may stand for a groupshared variable.
            if module.defining_op(root).is_none() {
                accesses.push(access(Memory::Group));
            }
        }
    }
}

/// The variable that a place in the function's own memory lies in.
fn root(module: &Module, place: ValueId) -> ValueId {
    let mut place = place;
    while let Some(op) = module.defining_op(place) {
        match AkariOp::of(module.op(op)) {
            Some(AkariOp::Member | AkariOp::Element) => place = module.op(op).operands[0],
            _ => break,
        }
    }
    place
}
