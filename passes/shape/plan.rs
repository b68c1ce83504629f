//! What `shape-expressions` is going to declare.

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, Builtin};
use akari_dialect_hlsl::HlslOp;
use akari_ir::{Constant, Module, OpId, RegionId, SecondaryMap, Traits, TypeKind, ValueDef, ValueId};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use crate::analysis::effects::{Access, Effects, Memory};
use crate::analysis::uses::Uses;
use crate::shape::names::name_for;

/// How deep an expression may be.
pub const MAX_DEPTH: u8 = 100;

/// What is to be declared, and which regions cannot be printed as one expression.
#[derive(Debug, Default)]
pub struct Plan {
    /// The operations whose results are declared, with a name for those that the source does not name.
    pub declared: IndexMap<OpId, String>,
    /// The regions that hold statements.
    pub with_statements: Vec<RegionId>,
}

impl Plan {
    /// Plans all functions.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut planner = Planner {
            module,
            uses: Uses::of(module),
            users: SecondaryMap::new(),
            scattered: SecondaryMap::new(),
            places: FxHashMap::default(),
            effects: Effects::new(module),
            plan: Self::default(),
            pending: Pending::default(),
            states: SecondaryMap::new(),
            remaining: SecondaryMap::new(),
            depths: SecondaryMap::new(),
            marks: SecondaryMap::new(),
            mark: 0,
            current: None,
        };
        for (_, function) in module.functions.iter() {
            planner.find_users(function.body);
            planner.region(function.body);
        }
        planner.plan
    }
}

/// What has become of an operation that reads or writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// It reads and writes nothing, or has been evaluated.
    #[default]
    Settled,
    /// It is evaluated where its result will be used.
    Pending,
}

/// The operations of the current region that are still to be evaluated, by what they read and write.
#[derive(Debug, Default)]
struct Pending {
    readers: FxHashMap<Memory, Vec<OpId>>,
    writers: FxHashMap<Memory, Vec<OpId>>,
    all: Vec<OpId>,
}

struct Planner<'m> {
    module: &'m Module,
    uses: Uses,
    /// The last user of each value, and the region it stands in.
    users: SecondaryMap<ValueId, Option<(OpId, RegionId)>>,
    /// The values whose users stand in several regions.
    scattered: SecondaryMap<ValueId, bool>,
    /// The places that each value is an index of.
    places: FxHashMap<ValueId, Vec<ValueId>>,
    effects: Effects<'m>,
    plan: Plan,
    pending: Pending,
    states: SecondaryMap<OpId, State>,
    /// How many uses of a place have not been printed yet.
    remaining: SecondaryMap<ValueId, u32>,
    /// How deep the expression of a value that is not declared is.
    depths: SecondaryMap<ValueId, u8>,
    marks: SecondaryMap<OpId, u32>,
    mark: u32,
    /// The operation at hand, whose tree is marked.
    current: Option<OpId>,
}

impl Planner<'_> {
    fn find_users(&mut self, region: RegionId) {
        for op in &self.module.region(region).ops {
            for operand in &self.module.op(*op).operands {
                if self.users.get(*operand).is_some_and(|(_, other)| other != region) {
                    self.scattered.set(*operand, true);
                }
                self.users.set(*operand, Some((*op, region)));
                let result = self.module.op(*op).result.filter(|result| self.is_place(*result));
                if let Some(place) = result.filter(|_| !self.is_place(*operand)) {
                    self.places.entry(*operand).or_default().push(place);
                }
            }
            for nested in &self.module.op(*op).regions {
                self.find_users(*nested);
            }
        }
    }

    /// Plans a region; nothing outside is pending within.
    fn region(&mut self, region: RegionId) {
        let outer = std::mem::take(&mut self.pending);
        let declared = self.plan.declared.len();
        let mut statements = false;
        for op in &self.module.region(region).ops {
            statements |= self.op(*op, region);
        }
        if statements || self.plan.declared.len() > declared {
            self.plan.with_statements.push(region);
        }
        self.pending = outer;
    }

    /// Plans one operation. True where it is a statement by itself.
    fn op(&mut self, id: OpId, region: RegionId) -> bool {
        let module = self.module;
        let op = module.op(id);
        let akari = AkariOp::of(op);
        let accesses = self.effects.of(id);
        if !accesses.is_empty() || !op.regions.is_empty() {
            self.mark += 1;
            self.current = Some(id);
            self.mark_tree(id);
        }
        if matches!(akari, Some(AkariOp::If | AkariOp::Loop | AkariOp::Switch)) {
            for pending in std::mem::take(&mut self.pending.all) {
                self.flush_unless_marked(pending);
            }
        } else {
            self.flush_conflicts(&accesses);
        }
        for nested in &op.regions {
            self.region(*nested);
        }
        self.guard_lazy_operands(id);
        self.guard_borrows(id);
        let Some(result) = op.result else {
            self.settle_tree(id);
            return akari != Some(AkariOp::Yield);
        };
        if akari != Some(AkariOp::Let) && op.def.traits.has(Traits::DECLARES) {
            self.settle_tree(id);
            return true;
        }
        self.remaining.set(result, self.uses.count(result));
        if self.is_printed_anywhere(id) {
            self.guard_repeated_operands(id);
            self.depths.set(result, self.depth(id));
            return false;
        }
        let depth = self.depth(id);
        if self.uses.count(result) == 0 {
            let is_statement = accesses.iter().any(|access| matches!(access, Access::Write(_)))
                || module.traits(id).has(Traits::CONVERGENT);
            self.settle_tree(id);
            return is_statement;
        }
        if depth > MAX_DEPTH || self.must_be_declared(id, result, region, &accesses) {
            self.declare(id);
            return false;
        }
        self.depths.set(result, depth);
        if !accesses.is_empty() {
            self.states.set(id, State::Pending);
            self.pending.all.push(id);
            for access in accesses {
                let (list, memory) = match access {
                    Access::Read(memory) => (&mut self.pending.readers, memory),
                    Access::Write(memory) => (&mut self.pending.writers, memory),
                };
                list.entry(memory).or_default().push(id);
            }
        }
        false
    }

    fn declare(&mut self, op: OpId) {
        self.settle_tree(op);
        if let Some(result) = self.module.op(op).result {
            self.depths.set(result, 0);
            self.plan.declared.entry(op).or_insert_with(|| name_for(self.module, op));
        }
    }

    fn is_declared(&self, value: ValueId) -> bool {
        match self.module.value(value).def {
            ValueDef::Param(..) => true,
            ValueDef::Result(op) => {
                self.module.op(op).def.traits.has(Traits::DECLARES) || self.plan.declared.contains_key(&op)
            }
        }
    }

    /// Whether a value is never declared, since printing it at each use is as good: constants, places, handles, parts of what is declared.
    fn is_printed_anywhere(&self, id: OpId) -> bool {
        let module = self.module;
        let op = module.op(id);
        let Some(result) = op.result else { return false };
        let kind = module.value_kind(result);
        if kind.is_handle() || matches!(kind, TypeKind::Place(..)) || AkariOp::of(op) == Some(AkariOp::Let) {
            return true;
        }
        if module.value(result).name.is_some() {
            return false;
        }
        match AkariOp::of(op) {
            Some(AkariOp::Const) => !is_literal_in_braces(module, id) && !self.is_taken_apart(id),
            // It is said where the index chooses, of whatever is printed there.
            Some(AkariOp::GlobalConst | AkariOp::NonUniform) => true,
            Some(AkariOp::Extract | AkariOp::Swizzle) => {
                let aggregate = op.operands[0];
                self.is_declared(aggregate)
                    || self.module.defining_op(aggregate).is_some_and(|inner| self.is_printed_anywhere(inner))
            }
            // A field of a uniform reads like a name.
            Some(AkariOp::Load) => module.traits(id).has(Traits::PURE) && self.is_fixed_path(op.operands[0]),
            _ => false,
        }
    }

    /// Whether a constant aggregate is used by its parts: `((float[4])0)[i]` is nothing that compilers like.
    fn is_taken_apart(&self, id: OpId) -> bool {
        let Some(result) = self.module.op(id).result else { return false };
        let is_aggregate = matches!(self.module.value_kind(result), TypeKind::Struct(_) | TypeKind::Array(..));
        is_aggregate
            && self.users.get(result).is_some_and(|(user, _)| {
                matches!(AkariOp::of(self.module.op(user)), Some(AkariOp::Index | AkariOp::Extract))
            })
    }

    /// Whether a place is found without computing anything.
    fn is_fixed_path(&self, place: ValueId) -> bool {
        let Some(op) = self.module.defining_op(place) else { return true };
        let op = self.module.op(op);
        match AkariOp::of(op) {
            Some(AkariOp::Member) => self.is_fixed_path(op.operands[0]),
            Some(AkariOp::Contents | AkariOp::GlobalPlace | AkariOp::Local) => true,
            Some(AkariOp::Element | AkariOp::BufferElement) => {
                self.is_fixed_path(op.operands[0]) && is_constant(self.module, op.operands[1])
            }
            _ => false,
        }
    }

    /// Declares what a value that is printed several times would otherwise compute several times.
    fn guard_repeated_operands(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        let Some(result) = op.result else { return };
        if self.uses.count(result) < 2 || !module.traits(id).has(Traits::ADDRESS) {
            return;
        }
        for operand in op.operands.iter().copied() {
            let operand = said_of(module, operand);
            let Some(index) = module.defining_op(operand) else { continue };
            let kind = module.value_kind(operand);
            if self.is_declared(operand) || kind.is_handle() || matches!(kind, TypeKind::Place(..)) {
                continue;
            }
            let acts = self.tree_acts(index);
            // The number of a resource is read or worked out once, under its name.
            let is_resource = module.value_kind(result).is_handle();
            let costs = if is_resource {
                let is_sum = matches!(AkariOp::of(module.op(index)), Some(AkariOp::Add | AkariOp::Sub));
                !self.is_printed_anywhere(index) && self.depth_of(operand) > 1 + u8::from(is_sum)
            } else {
                self.depth_of(operand) > 2 && !self.is_assigned_in_place(result)
            };
            if acts || costs {
                self.declare(index);
                if let Some(name) =
                    module.value(result).name.filter(|_| is_resource && module.value(operand).name.is_none())
                {
                    self.plan.declared.insert(index, format!("{}_index", module.text(name)));
                }
            }
        }
    }

    /// `?:` runs one of its arms, `select` both: what an arm does to others is done before.
    fn guard_lazy_operands(&mut self, id: OpId) {
        let op = self.module.op(id);
        let arms = match AkariOp::of(op) {
            Some(AkariOp::Select) => &op.operands[1..],
            Some(AkariOp::Builtin) if Builtin::from_index(op.enumerated(0)) == Builtin::Select => &op.operands[..2],
            _ => return,
        };
        for arm in arms.iter().copied() {
            if let Some(definition) = self.module.defining_op(arm).filter(|_| !self.is_declared(arm))
                && self.tree_acts(definition)
            {
                self.declare(definition);
            }
        }
    }

    /// A call reads what is lent to it once its arguments are evaluated. A language that copies it as one of them has to find it as the
    /// others leave it: those that write it come before.
    fn guard_borrows(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        let lends = op.operands.iter().any(|operand| matches!(module.value_kind(*operand), TypeKind::Place(..)));
        if AkariOp::of(op) != Some(AkariOp::Call) || !lends || op.operands.len() < 2 {
            return;
        }
        let memory = |access: &Access| match *access {
            Access::Read(memory) | Access::Write(memory) => memory,
        };
        let lent: Vec<Memory> = self
            .effects
            .of(id)
            .iter()
            .map(memory)
            .filter(|memory| !matches!(memory, Memory::Device | Memory::Invocations))
            .collect();
        let mut within = Vec::new();
        self.tree(id, &mut |op| within.push(op));
        for op in within.into_iter().filter(|op| *op != id) {
            if *self.states.get(op) == State::Pending
                && self
                    .effects
                    .of(op)
                    .iter()
                    .any(|access| matches!(access, Access::Write(memory) if lent.contains(memory)))
            {
                self.declare(op);
            }
        }
    }

    /// Whether the two uses of a place are a load and a store that will be printed as one compound assignment.
    fn is_assigned_in_place(&self, place: ValueId) -> bool {
        let Some((store, _)) = self.users.get(place) else { return false };
        let store = self.module.op(*store);
        self.uses.count(place) == 2
            && AkariOp::of(store) == Some(AkariOp::Store)
            && crate::emit::c_like::statement::compound_assignment(self.module, place, store.operands[1]).is_some()
    }

    fn must_be_declared(&self, id: OpId, result: ValueId, region: RegionId, accesses: &[Access]) -> bool {
        let module = self.module;
        let Some((user, user_region)) = *self.users.get(result) else { return false };
        module.value(result).name.is_some()
            || HlslOp::of(module.op(id)) == Some(HlslOp::Precise)
            || (self.uses.count(result) > 1 && !self.is_repeatable(id, result, accesses))
            || (user_region != region && !(accesses.is_empty() && self.is_expression_of(user_region, region)))
            || (is_literal_in_braces(module, id) && !self.takes_braces(user))
            || (AkariOp::of(module.op(id)) == Some(AkariOp::Const) && self.is_taken_apart(id))
    }

    /// Whether a value that is used several times may be printed at each use: what a variable holds, as long as nothing writes the
    /// variable before the last use. If something does, the value is declared then.
    fn is_repeatable(&self, id: OpId, result: ValueId, accesses: &[Access]) -> bool {
        let op = self.module.op(id);
        AkariOp::of(op) == Some(AkariOp::Load)
            && matches!(accesses, [Access::Read(Memory::Variable(_))])
            && !*self.scattered.get(result)
            && self.is_fixed_path(op.operands[0])
            && !self.indexes_repeated_place(result)
    }

    /// Whether a value is an index of a place that is printed several times, and so may be printed after its last user.
    fn indexes_repeated_place(&self, value: ValueId) -> bool {
        self.places.get(&value).is_some_and(|places| places.iter().any(|place| self.is_printed_often(*place)))
    }

    /// Whether a place, or one within it, is printed several times.
    fn is_printed_often(&self, place: ValueId) -> bool {
        let mut place = place;
        loop {
            if self.uses.count(place) > 1 {
                return true;
            }
            let user = self.users.get(place).and_then(|(user, _)| self.module.op(user).result);
            match user.filter(|result| self.is_place(*result)) {
                Some(within) => place = within,
                None => return false,
            }
        }
    }

    /// Whether a value is printed as the way to something: to a place, or to a resource.
    fn is_place(&self, value: ValueId) -> bool {
        let kind = self.module.value_kind(value);
        matches!(kind, TypeKind::Place(..)) || kind.is_handle()
    }

    /// How many uses of a value are printed within `id`.
    fn uses_within(&self, id: OpId, value: ValueId) -> u32 {
        let mut seen = Vec::new();
        self.tree(id, &mut |op| seen.push(op));
        seen.sort_unstable();
        seen.dedup();
        let uses = |op: OpId| self.module.op(op).operands.iter().filter(|operand| **operand == value).count() as u32;
        seen.into_iter().map(uses).sum()
    }

    /// Whether `inner` is a region of an expression that stands in `outer`. (Only direct nesting counts; the rest is rare.)
    fn is_expression_of(&self, inner: RegionId, outer: RegionId) -> bool {
        self.module.region(outer).ops.iter().any(|op| {
            let op = self.module.op(*op);
            matches!(AkariOp::of(op), Some(AkariOp::Cond | AkariOp::AndThen | AkariOp::OrElse))
                && op.regions.contains(&inner)
        })
    }

    /// Whether `{ … }` may stand as an operand of this operation.
    fn takes_braces(&self, user: OpId) -> bool {
        match AkariOp::of(self.module.op(user)) {
            Some(AkariOp::Let | AkariOp::Local) => true,
            Some(AkariOp::Construct) => is_literal_in_braces(self.module, user),
            _ => false,
        }
    }

    fn depth_of(&self, value: ValueId) -> u8 {
        *self.depths.get(value)
    }

    fn depth(&self, id: OpId) -> u8 {
        let op = self.module.op(id);
        let yielded = op.regions.iter().filter_map(|region| yielded(self.module, *region));
        let deepest = op.operands.iter().copied().chain(yielded).map(|operand| self.depth_of(operand)).max();
        deepest.unwrap_or(0).saturating_add(1)
    }

    /// Visits the operations that will be printed within `id`, itself included.
    fn tree(&self, id: OpId, visit: &mut impl FnMut(OpId)) {
        visit(id);
        for operand in &self.module.op(id).operands {
            if !self.is_declared(*operand)
                && let Some(op) = self.module.defining_op(*operand)
            {
                self.tree(op, visit);
            }
        }
    }

    fn mark_tree(&mut self, id: OpId) {
        let mut ops = Vec::new();
        self.tree(id, &mut |op| ops.push(op));
        for op in ops {
            self.marks.set(op, self.mark);
        }
    }

    /// Whether others see that the expression is evaluated: it writes, or takes part in a convergent operation.
    fn tree_acts(&mut self, id: OpId) -> bool {
        let mut ops = Vec::new();
        self.tree(id, &mut |op| ops.push(op));
        ops.into_iter().any(|op| {
            *self.states.get(op) == State::Pending
                && self
                    .effects
                    .of(op)
                    .iter()
                    .any(|access| matches!(access, Access::Write(_) | Access::Read(Memory::Invocations)))
        })
    }

    /// Everything that is printed within `id` is evaluated now, but for places that are still to be printed elsewhere.
    fn settle_tree(&mut self, id: OpId) {
        self.states.set(id, State::Settled);
        let op = self.module.op(id);
        for operand in op.operands.iter().copied() {
            let Some(definition) = self.module.defining_op(operand) else { continue };
            if self.is_declared(operand) {
                continue;
            }
            let left = self.remaining.get(operand).saturating_sub(1);
            self.remaining.set(operand, left);
            if left == 0 {
                self.settle_tree(definition);
            }
        }
    }

    fn flush_conflicts(&mut self, accesses: &[Access]) {
        for access in accesses {
            let mut conflicting = Vec::new();
            match access {
                Access::Read(memory) => conflicting.extend(self.pending.writers.remove(memory).unwrap_or_default()),
                Access::Write(memory) => {
                    conflicting.extend(self.pending.writers.remove(memory).unwrap_or_default());
                    conflicting.extend(self.pending.readers.remove(memory).unwrap_or_default());
                }
            }
            let (Access::Read(memory) | Access::Write(memory)) = *access;
            for op in conflicting {
                if self.flush_unless_marked(op) {
                    continue;
                }
                // It belongs to the operation at hand and stays pending with it.
                self.pending.readers.entry(memory).or_default().push(op);
                if self.effects.of(op).contains(&Access::Write(memory)) {
                    self.pending.writers.entry(memory).or_default().push(op);
                }
            }
        }
    }

    /// Whether a pending value is also used outside of the operation at hand.
    fn is_used_later(&self, op: OpId) -> bool {
        let (Some(current), Some(result)) = (self.current, self.module.op(op).result) else { return false };
        self.uses.count(result) > 1 && self.uses_within(current, result) < *self.remaining.get(result)
    }

    /// Declares a pending operation that is no part of the operation at hand. False where it is one.
    fn flush_unless_marked(&mut self, op: OpId) -> bool {
        if *self.states.get(op) != State::Pending {
            return true;
        }
        if *self.marks.get(op) == self.mark && !self.is_used_later(op) {
            return false;
        }
        self.declare(op);
        true
    }
}

/// The index that is said to differ between invocations, or the value itself.
fn said_of(module: &Module, value: ValueId) -> ValueId {
    let said = module.defining_op(value).and_then(|op| view::NonUniform::cast(module, op));
    said.map_or(value, |said| said.index(module))
}

/// Whether a value can be written in braces only: a literal of a struct or array.
fn is_literal_in_braces(module: &Module, id: OpId) -> bool {
    let op = module.op(id);
    let aggregate =
        op.result.is_some_and(|result| matches!(module.value_kind(result), TypeKind::Struct(_) | TypeKind::Array(..)));
    aggregate
        && match AkariOp::of(op) {
            Some(AkariOp::Construct) => true,
            Some(AkariOp::Const) => matches!(module.constant(op.constant(0)), Constant::Composite(..)),
            _ => false,
        }
}

fn is_constant(module: &Module, value: ValueId) -> bool {
    module
        .defining_op(value)
        .is_some_and(|op| matches!(AkariOp::of(module.op(op)), Some(AkariOp::Const | AkariOp::GlobalConst)))
}
