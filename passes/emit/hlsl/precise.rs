//! Which declarations of the Vulkan dialect are `precise`.
//!
//! DXC goes backwards through each function. What is stored to something `precise`, or given back by a `precise` function, is precise with
//! all that goes into it, and with the variables that are read whole on the way, from there on. So resources, groupshared variables, functions
//! and parameters that float arithmetic goes into are marked, and of variables those that DXC does not come to know of in time: what a
//! loop carries, what is read by parts, what decides something.

use akari_dialect::AkariOp;
use akari_ir::{FuncId, GlobalId, Module, OpId, RegionId, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::analysis::float_flow::{FloatFlow, Root, handed_on, observed, root};

/// The declarations that say `precise`.
#[derive(Clone, Debug, Default)]
pub(super) struct Precise {
    /// Variables, declared values and parameters.
    pub values: FxHashSet<ValueId>,
    /// Resources and groupshared variables.
    pub globals: FxHashSet<GlobalId>,
    /// Functions, for what they give back.
    pub functions: FxHashSet<FuncId>,
}

/// Where a variable is declared, written and read last.
#[derive(Clone, Copy, Debug, Default)]
struct Life {
    loops: usize,
    written: usize,
    read: usize,
}

struct Walk<'m> {
    module: &'m Module,
    flow: FloatFlow,
    precise: Precise,
    lives: FxHashMap<ValueId, Life>,
    function: Option<FuncId>,
    loops: usize,
    position: usize,
}

impl Precise {
    /// Of a module in its last shape.
    pub(super) fn of(module: &Module) -> Self {
        let mut walk = Walk {
            module,
            flow: FloatFlow::of(module),
            precise: Self::default(),
            lives: FxHashMap::default(),
            function: None,
            loops: 0,
            position: 0,
        };
        for (id, function) in module.functions.iter() {
            walk.function = Some(id);
            walk.region(function.body);
        }
        for (variable, life) in &walk.lives {
            if walk.flow.reaches(*variable) && life.read <= life.written {
                walk.precise.values.insert(*variable);
            }
        }
        walk.precise
    }
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) {
        for id in &self.module.region(region).ops {
            self.position += 1;
            self.operation(*id);
            let is_loop = AkariOp::of(self.module.op(*id)) == Some(AkariOp::Loop);
            self.loops += usize::from(is_loop);
            for nested in &self.module.op(*id).regions {
                self.region(*nested);
            }
            self.loops -= usize::from(is_loop);
        }
    }

    fn operation(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        for value in observed(module, id) {
            self.decides(value);
        }
        match AkariOp::of(op) {
            Some(AkariOp::Local) => {
                if let Some(variable) = op.result {
                    self.lives.insert(variable, Life { loops: self.loops, written: self.position, read: 0 });
                }
            }
            Some(AkariOp::Store | AkariOp::StoreComponents) => match root(module, op.operands[0]) {
                Some(Root::Variable(variable)) => match self.lives.get_mut(&variable) {
                    Some(life) => {
                        life.written = self.position;
                        if self.loops > life.loops {
                            self.mark_variable(variable);
                        }
                    }
                    None => self.mark_variable(variable),
                },
                Some(Root::Global(global)) if self.flow.reaches(op.operands[1]) => {
                    self.precise.globals.insert(global);
                }
                Some(Root::Global(_)) | None => {}
            },
            Some(AkariOp::Load) => {
                if let Some(Root::Variable(variable)) = root(module, op.operands[0]) {
                    if let Some(life) = self.lives.get_mut(&variable) {
                        life.read = self.position;
                    }
                    if variable != op.operands[0] {
                        self.mark_variable(variable);
                    }
                }
            }
            Some(AkariOp::Extract | AkariOp::Index) => self.mark_declaration(op.operands[0]),
            Some(AkariOp::Swizzle) if op.ints(0).len() == 1 => self.mark_declaration(op.operands[0]),
            Some(AkariOp::Call) => {
                for (argument, param) in op.operands.iter().zip(&module.functions[op.func(0)].params) {
                    match module.types.as_place(module.value_type(*argument)) {
                        Some(_) => {
                            if let Some(Root::Variable(variable)) = root(module, *argument) {
                                self.mark_variable(variable);
                            }
                        }
                        None if self.flow.reaches(*argument) => drop(self.precise.values.insert(param.value)),
                        None => {}
                    }
                }
            }
            Some(AkariOp::Return) if op.operands.iter().any(|value| self.flow.reaches(*value)) => {
                self.precise.functions.extend(self.function);
            }
            _ => {}
        }
    }

    fn mark_variable(&mut self, variable: ValueId) {
        if self.flow.reaches(variable) {
            self.precise.values.insert(variable);
        }
    }

    /// Marks the declarations that a value consists of, which decides something: DXC does not come to them from there.
    fn decides(&mut self, value: ValueId) {
        let module = self.module;
        let Some(id) = module.defining_op(value).filter(|_| self.flow.reaches(value)) else { return };
        match AkariOp::of(module.op(id)) {
            Some(AkariOp::Let | AkariOp::Load) => self.mark_declaration(value),
            _ => handed_on(module, id).into_iter().for_each(|part| self.decides(part)),
        }
    }

    /// Marks what is declared under the name that a value is printed as, if it is.
    fn mark_declaration(&mut self, value: ValueId) {
        let module = self.module;
        let Some(op) = module.defining_op(value).map(|id| module.op(id)) else { return };
        match AkariOp::of(op) {
            Some(AkariOp::Load) => {
                if let Some(Root::Variable(variable)) = root(module, op.operands[0]) {
                    self.mark_variable(variable);
                }
            }
            Some(AkariOp::Extract | AkariOp::Swizzle | AkariOp::Index) => self.mark_declaration(op.operands[0]),
            Some(AkariOp::Let) if self.flow.reaches(value) => drop(self.precise.values.insert(value)),
            _ => {}
        }
    }
}
