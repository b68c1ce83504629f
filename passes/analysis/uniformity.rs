//! Which values are the same in all invocations that execute an operation together: of a work group, or of a draw.
//!
//! Constants are, what a `Uniform<T>` holds at such an index, the number of the work group, and what is computed of these. A variable of
//! the invocation's own, written as a whole, is where every write of it is made by all that are there, with such a value: a write in the region
//! that declares it, or one in each round of a loop there, which all that are still in the loop come to together (outside of that loop they differ in
//! when they left it). A parameter of a function is where it is in every call. All else may differ: when in doubt, it does.

use akari_dialect::AkariOp;
use akari_dialect::ops::view;
use akari_ir::interface::{ParamRole, SystemValue};
use akari_ir::{FuncId, Module, OpId, RegionId, SecondaryMap, Space, Traits, ValueDef, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many operations deep the search goes.
const DEPTH: u32 = 64;

/// Whether something in the body of a loop goes on to its next round.
fn has_continue(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.iter().any(|id| {
        let op = module.op(*id);
        match AkariOp::of(op) {
            Some(AkariOp::Continue) => true,
            Some(AkariOp::Loop) => false,
            _ => op.regions.iter().any(|region| has_continue(module, *region)),
        }
    })
}

/// Answers for the values of a module.
pub struct Uniformity<'m> {
    module: &'m Module,
    /// The region that each operation stands in.
    regions: SecondaryMap<OpId, Option<RegionId>>,
    /// The operation that each region belongs to.
    owners: FxHashMap<RegionId, OpId>,
    /// What uses each variable, in the order of the text.
    uses: FxHashMap<ValueId, Vec<OpId>>,
    calls: FxHashMap<FuncId, Vec<OpId>>,
    known: FxHashMap<ValueId, bool>,
    /// The variables whose writes are all the same for all, or are taken to be while that is looked at.
    variables: FxHashMap<ValueId, bool>,
    /// The loops that step each variable, as far as they were asked for.
    loops: FxHashMap<ValueId, FxHashSet<OpId>>,
    /// The variables that were found to differ. These findings never depend on what was taken for granted.
    differing: FxHashSet<ValueId>,
}

impl<'m> Uniformity<'m> {
    /// Looks where the operations of a module stand.
    #[must_use]
    pub fn of(module: &'m Module) -> Self {
        let mut found = Self {
            module,
            regions: SecondaryMap::new(),
            owners: FxHashMap::default(),
            uses: FxHashMap::default(),
            calls: FxHashMap::default(),
            known: FxHashMap::default(),
            variables: FxHashMap::default(),
            loops: FxHashMap::default(),
            differing: FxHashSet::default(),
        };
        for (_, function) in module.functions.iter() {
            found.place(function.body);
        }
        found
    }

    fn place(&mut self, region: RegionId) {
        let module = self.module;
        for id in &module.region(region).ops {
            let op = module.op(*id);
            self.regions.set(*id, Some(region));
            match AkariOp::of(op) {
                Some(AkariOp::Local) => self.uses.extend(op.result.map(|local| (local, Vec::new()))),
                Some(AkariOp::Call) => self.calls.entry(op.func(0)).or_default().push(*id),
                _ => {}
            }
            for operand in &op.operands {
                if let Some(uses) = self.uses.get_mut(operand) {
                    uses.push(*id);
                }
            }
            for nested in &op.regions {
                self.owners.insert(*nested, *id);
                self.place(*nested);
            }
        }
    }

    /// Whether the value is the same in all invocations that are where it is computed.
    pub fn is_uniform(&mut self, value: ValueId) -> bool {
        self.value(value, DEPTH)
    }

    fn value(&mut self, value: ValueId, depth: u32) -> bool {
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let Some(depth) = depth.checked_sub(1) else { return false };
        let uniform = match self.module.value(value).def {
            ValueDef::Param(function, index) => self.param(function, index, depth),
            ValueDef::Result(op) => self.result(op, depth),
        };
        self.known.insert(value, uniform);
        uniform
    }

    fn param(&mut self, function: FuncId, index: u32, depth: u32) -> bool {
        let definition = &self.module.functions[function];
        let Some(param) = definition.params.get(index as usize) else { return false };
        match param.role {
            ParamRole::System(SystemValue::GroupId) | ParamRole::Resource(_) | ParamRole::Const(_) => true,
            ParamRole::System(
                SystemValue::VertexId
                | SystemValue::InstanceId
                | SystemValue::DispatchId
                | SystemValue::LocalId
                | SystemValue::LocalIndex
                | SystemValue::FrontFacing,
            )
            | ParamRole::StageIn
            | ParamRole::Optional => false,
            ParamRole::Plain if definition.entry.is_some() => false,
            ParamRole::Plain => {
                let calls = self.calls.get(&function).cloned().unwrap_or_default();
                !calls.is_empty()
                    && calls.iter().all(|call| {
                        self.module
                            .op(*call)
                            .operands
                            .get(index as usize)
                            .is_some_and(|argument| self.value(*argument, depth))
                    })
            }
        }
    }

    fn result(&mut self, id: OpId, depth: u32) -> bool {
        let module = self.module;
        let op = module.op(id);
        match AkariOp::of(op) {
            Some(AkariOp::Const | AkariOp::GlobalConst | AkariOp::Resource) => true,
            Some(AkariOp::Load) => self.load(id, op.operands[0], depth),
            Some(AkariOp::NonUniform) | None => false,
            Some(_) => {
                let traits = module.traits(id);
                let is_computed = traits.has(Traits::PURE) && !traits.has(Traits::CONVERGENT) && op.regions.is_empty();
                is_computed && op.operands.iter().all(|operand| self.value(*operand, depth))
            }
        }
    }

    /// What a place holds where it is loaded.
    fn load(&mut self, load: OpId, place: ValueId, depth: u32) -> bool {
        let module = self.module;
        let Some((space, _)) = module.types.as_place(module.value_type(place)) else { return false };
        match space {
            Space::Constant | Space::Uniform => self.path(place, depth),
            // A host may bind what a shader writes under another name.
            Space::StorageRead | Space::Storage | Space::Atomic | Space::Workgroup => false,
            Space::Function => {
                let is_whole = module.defining_op(place).is_some_and(|op| view::Local::cast(module, op).is_some());
                is_whole && self.variable(place, depth) && self.is_within_its_loops(place, load)
            }
        }
    }

    /// Whether the indices on the way to a place in a uniform or a constant are the same for all.
    fn path(&mut self, place: ValueId, depth: u32) -> bool {
        let Some(depth) = depth.checked_sub(1) else { return false };
        let Some(definition) = self.module.defining_op(place) else { return false };
        let op = self.module.op(definition);
        match AkariOp::of(op) {
            Some(AkariOp::GlobalPlace) => true,
            Some(AkariOp::Contents) => self.value(op.operands[0], depth),
            Some(AkariOp::Member) => self.path(op.operands[0], depth),
            Some(AkariOp::Element) => self.path(op.operands[0], depth) && self.value(op.operands[1], depth),
            _ => false,
        }
    }

    /// Whether all writes of a variable are the same for all that are there.
    fn variable(&mut self, variable: ValueId, depth: u32) -> bool {
        if self.differing.contains(&variable) {
            return false;
        }
        if let Some(known) = self.variables.get(&variable) {
            return *known;
        }
        // What it is stepped by may be itself.
        self.variables.insert(variable, true);
        let uniform = self.are_writes_uniform(variable, depth).unwrap_or(false);
        if !uniform {
            // What was concluded meanwhile may have taken it for the same.
            self.differing.insert(variable);
            self.known.clear();
            self.variables.clear();
        }
        uniform
    }

    fn are_writes_uniform(&mut self, variable: ValueId, depth: u32) -> Option<bool> {
        let module = self.module;
        let declaration = module.defining_op(variable)?;
        let region = (*self.regions.get(declaration))?;
        for init in module.op(declaration).operands.clone() {
            if !self.value(init, depth) {
                return Some(false);
            }
        }
        for id in self.uses.get(&variable)?.clone() {
            let op = module.op(id);
            match AkariOp::of(op) {
                Some(AkariOp::Load) => {}
                Some(AkariOp::Store) if op.operands[0] == variable => {
                    let is_by_all = *self.regions.get(id) == Some(region) || self.loop_stepped_by(id, region).is_some();
                    if !is_by_all || !self.value(op.operands[1], depth) {
                        return Some(false);
                    }
                }
                _ => return Some(false),
            }
        }
        Some(true)
    }

    /// The loop in `region` that `store` steps: in its step or, where nothing in the body goes on to the next round before, at the end of
    /// the body.
    fn loop_stepped_by(&self, store: OpId, region: RegionId) -> Option<OpId> {
        let module = self.module;
        let at = (*self.regions.get(store))?;
        let owner = *self.owners.get(&at)?;
        let loop_ = view::Loop::cast(module, owner)?;
        let is_by_all = at == loop_.step(module) || (at == loop_.body(module) && !has_continue(module, at));
        (is_by_all && *self.regions.get(owner) == Some(region)).then_some(owner)
    }

    /// Whether a load of a variable stands within every loop that steps it.
    fn is_within_its_loops(&mut self, variable: ValueId, load: OpId) -> bool {
        if !self.loops.contains_key(&variable) {
            let loops = self.loops_that_step(variable);
            self.loops.insert(variable, loops);
        }
        self.loops[&variable].iter().all(|loop_| self.is_within(load, *loop_))
    }

    fn loops_that_step(&self, variable: ValueId) -> FxHashSet<OpId> {
        let declared = self.module.defining_op(variable).and_then(|op| *self.regions.get(op));
        let stores =
            self.uses.get(&variable).into_iter().flatten().filter(|id| view::Store::cast(self.module, **id).is_some());
        declared.map_or_else(FxHashSet::default, |region| {
            stores.filter_map(|id| self.loop_stepped_by(*id, region)).collect()
        })
    }

    fn is_within(&self, op: OpId, around: OpId) -> bool {
        let mut op = op;
        loop {
            if op == around {
                return true;
            }
            let owner = self.regions.get(op).and_then(|region| self.owners.get(&region).copied());
            match owner {
                Some(owner) => op = owner,
                None => return false,
            }
        }
    }
}
