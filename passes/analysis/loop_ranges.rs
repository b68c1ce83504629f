//! Between which numbers the counters of loops lie while a loop runs.
//!
//! A loop that tests before it runs, and first compares a variable with something, bounds that variable: until it is written,
//! in what the test asks then, in the body and in the step, it has passed the test. Where nothing but that loop writes it, and only ever adds to it (or only
//! subtracts), what it starts with bounds it from the other side.

use akari_dialect::ops::view;
use akari_dialect::{AkariOp, LoopTest, Predicate};
use akari_ir::{Module, OpId, RegionId, SecondaryMap, ValueId};
use rustc_hash::FxHashMap;

use super::range::Range;

/// The ranges of loads of loop counters, by the load.
#[derive(Clone, Debug, Default)]
pub struct LoopRanges {
    loads: FxHashMap<OpId, Range>,
}

impl LoopRanges {
    /// Looks at all loops of a module.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut found = Self::default();
        // The tables serve all functions: each would be as long as there are operations in the module.
        let mut order = Order {
            module,
            next: 0,
            begins: SecondaryMap::new(),
            ends: SecondaryMap::new(),
            loops: Vec::new(),
            uses: FxHashMap::default(),
        };
        for (_, function) in module.functions.iter() {
            order.region(function.body);
            for loop_ in std::mem::take(&mut order.loops) {
                order.counter(loop_, &mut found);
            }
            order.uses.clear();
        }
        found
    }

    /// The range of what a load gives, where it is a counter's.
    #[must_use]
    pub fn of_load(&self, load: OpId) -> Option<Range> {
        self.loads.get(&load).copied()
    }
}

/// Where variables are used in a function. Lists are in the order of the text.
#[derive(Default)]
struct Uses {
    loads: Vec<OpId>,
    /// All that may write.
    others: Vec<OpId>,
}

/// The operations of a module, numbered in the order of the text, with the loops and variables of the function at hand.
struct Order<'m> {
    module: &'m Module,
    next: u32,
    begins: SecondaryMap<OpId, u32>,
    /// The number after the last operation within each.
    ends: SecondaryMap<OpId, u32>,
    loops: Vec<view::Loop>,
    uses: FxHashMap<ValueId, Uses>,
}

impl Order<'_> {
    fn region(&mut self, region: RegionId) {
        let module = self.module;
        for id in &module.region(region).ops {
            self.begins.set(*id, self.next);
            self.next += 1;
            let op = module.op(*id);
            let akari = AkariOp::of(op);
            match akari {
                Some(AkariOp::Loop) => self.loops.push(view::Loop(*id)),
                Some(AkariOp::Local) => {
                    self.uses.extend(op.result.map(|local| (local, Uses::default())));
                }
                _ => {}
            }
            for operand in &op.operands {
                if let Some(uses) = self.uses.get_mut(operand) {
                    let list = if akari == Some(AkariOp::Load) { &mut uses.loads } else { &mut uses.others };
                    list.push(*id);
                }
            }
            op.regions.iter().for_each(|nested| self.region(*nested));
            self.ends.set(*id, self.next);
        }
    }

    /// The numbers of the operations in a region.
    fn interval(&self, region: RegionId) -> (u32, u32) {
        let ops = &self.module.region(region).ops;
        match (ops.first(), ops.last()) {
            (Some(first), Some(last)) => (*self.begins.get(*first), *self.ends.get(*last)),
            _ => (0, 0),
        }
    }

    fn within<'a>(&self, ops: &'a [OpId], (first, end): (u32, u32)) -> &'a [OpId] {
        let from = ops.partition_point(|op| *self.begins.get(*op) < first);
        let until = ops.partition_point(|op| *self.begins.get(*op) < end);
        &ops[from..until.max(from)]
    }

    /// What a region executes before anything in it may write the variable, by the numbers; and whether nothing does.
    fn unwritten(&self, region: RegionId, uses: &Uses) -> ((u32, u32), bool) {
        let (first, end) = self.interval(region);
        match self.within(&uses.others, (first, end)).first() {
            Some(write) => ((first, self.first_execution(region, *self.begins.get(*write))), false),
            None => ((first, end), true),
        }
    }

    /// The number up to which nothing is executed after the operation of this number: its own, or that of the outermost loop around
    /// it in the region.
    fn first_execution(&self, region: RegionId, number: u32) -> u32 {
        let ops = &self.module.region(region).ops;
        let after = ops.partition_point(|op| *self.begins.get(*op) <= number);
        let Some(around) = after.checked_sub(1).map(|index| ops[index]) else { return number };
        let begin = *self.begins.get(around);
        if begin == number || AkariOp::of(self.module.op(around)) == Some(AkariOp::Loop) {
            return begin;
        }
        let mut regions = self.module.op(around).regions.iter();
        let inside = regions.find(|region| {
            let (first, end) = self.interval(**region);
            first <= number && number < end
        });
        inside.map_or(begin, |region| self.first_execution(*region, number))
    }

    /// Finds what is known of the loads of a loop's counter.
    fn counter(&self, loop_: view::Loop, found: &mut LoopRanges) -> Option<()> {
        let module = self.module;
        if module.op(loop_.0).enumerated(0) != LoopTest::Before as u16 {
            return None;
        }
        let (compare, guarded) = first_comparison(module, loop_)?;
        let loaded = |value: ValueId| {
            let place = view::Load::cast(module, module.defining_op(value)?)?.place(module);
            self.uses.get(&place).map(|uses| (place, uses))
        };
        let predicate = Predicate::from_index(module.op(compare.0).enumerated(0));
        let (lhs, rhs) = (compare.lhs(module), compare.rhs(module));
        let ((counter, uses), bound, counter_is_left) = match (loaded(lhs), loaded(rhs)) {
            (Some(counter), None) => (counter, rhs, true),
            (None, Some(counter)) => (counter, lhs, false),
            // Which of two variables counts is seen by which of them the loop writes.
            (Some(left), Some(right)) => {
                let inside = (*self.begins.get(loop_.0), *self.ends.get(loop_.0));
                let is_written = |uses: &Uses| !self.within(&uses.others, inside).is_empty();
                if is_written(left.1) { (left, rhs, true) } else { (right, lhs, false) }
            }
            (None, None) => return None,
        };
        let whole = Range::of_type(module.value_kind(bound).scalar()?)?;
        let bound = Range::of(module, bound)?;
        let upwards = match predicate {
            Predicate::Lt | Predicate::Le => counter_is_left,
            Predicate::Gt | Predicate::Ge => !counter_is_left,
            Predicate::Eq | Predicate::Ne => return None,
        };
        let strict = i128::from(matches!(predicate, Predicate::Lt | Predicate::Gt));
        let mut range = if upwards {
            Range { low: whole.low, high: bound.high - strict }
        } else {
            Range { low: bound.low + strict, high: whole.high }
        };
        if range.low > range.high || !self.within(&uses.others, self.interval(loop_.test(module))).is_empty() {
            return None;
        }
        let (body, all) = self.unwritten(loop_.body(module), uses);
        let mut bounded = self.within(&uses.loads, body).to_vec();
        if all {
            bounded.extend(self.within(&uses.loads, self.unwritten(loop_.step(module), uses).0));
        }
        for region in guarded {
            bounded.extend(self.within(&uses.loads, self.interval(region)));
        }
        if let Some((start, adds, by)) = self.start_and_step(loop_, counter, uses, &bounded) {
            let next = if adds { range.plus(by) } else { range.minus(by) };
            let stays = if upwards { next.high <= whole.high } else { next.low >= whole.low };
            match (by.low >= 0 && adds == upwards && stays, upwards) {
                (true, true) => range.low = start.low,
                (true, false) => range.high = start.high,
                // A step in the other direction, or beyond the type, leads anywhere.
                (false, _) => {}
            }
        }
        if range.low <= range.high {
            // A loop within another knows more of what they share.
            found.loads.extend(bounded.into_iter().map(|load| (load, range)));
        }
        Some(())
    }

    /// The range of what the counter starts with, and what is added to it (else subtracted), if all that ever writes it is this loop, once
    /// a round.
    fn start_and_step(
        &self,
        loop_: view::Loop,
        counter: ValueId,
        uses: &Uses,
        bounded: &[OpId],
    ) -> Option<(Range, bool, Range)> {
        let module = self.module;
        let local = view::Local::cast(module, module.defining_op(counter)?)?;
        let start = Range::of(module, *local.init(module).first()?)?;
        let inside = (*self.begins.get(loop_.0), *self.ends.get(loop_.0));
        if self.within(&uses.others, inside).len() != uses.others.len() {
            return None;
        }
        let [step] = uses.others[..] else { return None };
        let stepped = module.defining_op(view::Store::cast(module, step)?.value(module))?;
        let [from, by] = module.op(stepped).operands[..] else { return None };
        let adds = match AkariOp::of(module.op(stepped))? {
            AkariOp::Add => true,
            AkariOp::Sub => false,
            _ => return None,
        };
        // More than one step a round could lead further than the test allows for.
        if !bounded.contains(&module.defining_op(from)?) {
            return None;
        }
        Some((start, adds, Range::of(module, by)?))
    }
}

/// The comparison that a loop's test asks first, and the regions that run in the test if it holds.
fn first_comparison(module: &Module, loop_: view::Loop) -> Option<(view::Compare, Vec<RegionId>)> {
    let last = *module.region(loop_.test(module)).ops.last()?;
    let mut condition = module.defining_op(view::Yield::cast(module, last)?.value(module))?;
    let mut guarded = Vec::new();
    while let Some(and) = view::AndThen::cast(module, condition) {
        guarded.push(and.rhs(module));
        condition = module.defining_op(and.lhs(module))?;
    }
    Some((view::Compare::cast(module, condition)?, guarded))
}
