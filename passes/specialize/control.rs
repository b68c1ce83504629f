//! Control flow while copying: arms that are not taken are never copied.

use akari_dialect::{AkariOp, LoopTest};
use akari_ir::op::{Attr, Traits};
use akari_ir::{Module, OpId, RegionId, ValueId};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::body::Body;
use super::codes;
use super::open::integer;
use crate::rewrite::clone::{Cloned, Cloner, Hook};

/// Whether operations hold a `break` that leaves what they stand in.
fn breaks_out(module: &Module, ops: &[OpId]) -> bool {
    ops.iter().any(|op| {
        let op = module.op(*op);
        match AkariOp::of(op) {
            Some(AkariOp::Break) => true,
            Some(AkariOp::Loop | AkariOp::Switch | AkariOp::OpenSwitch) => false,
            _ => op.regions.iter().any(|region| breaks_out(module, &module.region(*region).ops)),
        }
    })
}

impl Body<'_, '_> {
    /// Copies operations to the end of `into`. Whether control can reach their end.
    fn ops(&mut self, cloner: &mut Cloner<'_>, ops: &[OpId], into: RegionId) -> bool {
        for op in ops {
            match self.op(cloner, *op, into) {
                Cloned::Verbatim => {
                    cloner.op(*op, into, self);
                    if self.specializer.source.traits(*op).has(Traits::TERMINATOR) {
                        return false;
                    }
                }
                Cloned::Done => {}
                Cloned::Left => return false,
            }
        }
        true
    }

    /// Copies a region of a choice in the place of that; its yield, if it has one, gives the choice's result.
    fn take(&mut self, cloner: &mut Cloner<'_>, region: RegionId, result: Option<ValueId>, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let ops = &source.region(region).ops;
        let yielded = ops.last().filter(|last| AkariOp::of(source.op(**last)) == Some(AkariOp::Yield));
        let rest = if yielded.is_some() { &ops[..ops.len() - 1] } else { &ops[..] };
        if !self.ops(cloner, rest, into) {
            return Cloned::Left;
        }
        if let (Some(last), Some(result)) = (yielded, result) {
            self.alias(cloner, result, source.op(*last).operands[0]);
        }
        Cloned::Done
    }

    /// `if`, `cond`, `&&`, `||` and `select`.
    pub(super) fn choice(&mut self, cloner: &mut Cloner<'_>, id: OpId, kind: AkariOp, into: RegionId) -> Cloned {
        let op = self.specializer.source.op(id);
        let Some(bits) = self.known_bits(cloner, op.operands[0]) else {
            if kind == AkariOp::Select {
                return self.generic(cloner, id, Some(kind), into);
            }
            if let Some(done) = self.known_on_the_right(cloner, id, kind, into) {
                return done;
            }
            return match self.operand(cloner, op.operands[0], into, op.loc) {
                Some(_) => Cloned::Verbatim,
                None => Cloned::Left,
            };
        };
        let holds = bits != 0;
        match kind {
            AkariOp::If | AkariOp::Cond => self.take(cloner, op.regions[usize::from(!holds)], op.result, into),
            AkariOp::AndThen | AkariOp::OrElse if holds == (kind == AkariOp::AndThen) => {
                self.take(cloner, op.regions[0], op.result, into)
            }
            AkariOp::AndThen | AkariOp::OrElse => self.replace(cloner, op.result, op.operands[0]),
            _ => self.replace(cloner, op.result, op.operands[if holds { 1 } else { 2 }]),
        }
    }

    /// `x && false` is false and `x && true` is `x`, and so with `||`: the left side has been computed where it stands, so that
    /// nothing it does is lost. Nothing where more than constants stands on the right.
    fn known_on_the_right(
        &mut self,
        cloner: &mut Cloner<'_>,
        id: OpId,
        kind: AkariOp,
        into: RegionId,
    ) -> Option<Cloned> {
        if !matches!(kind, AkariOp::AndThen | AkariOp::OrElse) {
            return None;
        }
        let source = self.specializer.source;
        let op = source.op(id);
        let (last, rest) = source.region(op.regions[0]).ops.split_last()?;
        let right = *source.op(*last).operands.first()?;
        let results: SmallVec<[ValueId; 4]> = rest.iter().filter_map(|op| source.op(*op).result).collect();
        let is_constant = |value: &ValueId| results.contains(value) || self.known(*value).is_some();
        let folds = rest.iter().all(|id| {
            let op = source.op(*id);
            let is_test = AkariOp::of(op) == Some(AkariOp::IsNone);
            op.regions.is_empty()
                && source.traits(*id).has(Traits::PURE)
                && (is_test || op.operands.iter().all(is_constant))
        });
        if !folds || !(results.contains(&right) || self.known(right).is_some()) {
            return None;
        }
        if !self.ops(cloner, rest, into) {
            return Some(Cloned::Left);
        }
        let holds = self.known_bits(cloner, right)? != 0;
        let decides = holds == (kind == AkariOp::OrElse);
        Some(self.replace(cloner, op.result, if decides { right } else { op.operands[0] }))
    }

    fn replace(&mut self, cloner: &mut Cloner<'_>, result: Option<ValueId>, value: ValueId) -> Cloned {
        if let Some(result) = result {
            self.alias(cloner, result, value);
        }
        Cloned::Done
    }

    pub(super) fn switch(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let op = self.specializer.source.op(id);
        let labels: Vec<(i64, i64)> = op.ints(0).chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        self.cases(cloner, id, &labels, op.int(1), into)
    }

    /// A switch whose labels depend on `const` parameters.
    pub(super) fn open_switch(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let op = self.specializer.source.op(id);
        let mut labels: Vec<(i64, i64)> = Vec::new();
        let mut seen = FxHashSet::default();
        for (operand, case) in op.operands[1..].iter().zip(op.ints(0)) {
            let value = self.demanded(*operand).and_then(|value| integer(cloner.target, value));
            let Some(value) = value else {
                self.fail(codes::NOT_CONSTANT, op.loc, "a label of this `switch` is no constant here");
                return Cloned::Left;
            };
            if !seen.insert(value) {
                self.fail(codes::DUPLICATE_LABEL, op.loc, format!("two labels of this `switch` are {value} here"));
                return Cloned::Left;
            }
            labels.push((value, *case));
        }
        self.cases(cloner, id, &labels, op.int(1), into)
    }

    fn cases(
        &mut self,
        cloner: &mut Cloner<'_>,
        id: OpId,
        labels: &[(i64, i64)],
        default: i64,
        into: RegionId,
    ) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let known = self.known(op.operands[0]).and_then(|(value, _)| integer(cloner.target, value));
        let mut regions: SmallVec<[RegionId; 2]> = SmallVec::new();
        let mut attrs = (labels.iter().flat_map(|(label, case)| [*label, *case]).collect::<Box<[i64]>>(), default);
        if let Some(value) = known {
            let case = labels.iter().find(|(label, _)| *label == value).map_or(default, |(_, case)| *case);
            let Some(region) = usize::try_from(case).ok().and_then(|case| op.regions.get(case)) else {
                return Cloned::Done;
            };
            let copy = cloner.target.new_region();
            let mut goes_on = cloner.region(*region, copy, self);
            if self.failed {
                return Cloned::Left;
            }
            let last = cloner.target.region(copy).ops.last();
            if last.is_some_and(|last| AkariOp::of(cloner.target.op(*last)) == Some(AkariOp::Break)) {
                cloner.target.region_mut(copy).ops.pop();
                goes_on = true;
            }
            if !breaks_out(cloner.target, &cloner.target.region(copy).ops) {
                let ops = std::mem::take(&mut cloner.target.region_mut(copy).ops);
                cloner.target.region_mut(into).ops.extend(ops);
                return if goes_on { Cloned::Done } else { Cloned::Left };
            }
            // A case that breaks out deep inside keeps the switch around it, with this case alone.
            attrs = (Box::default(), 0);
            regions.push(copy);
        }
        let Some(selector) = self.operand(cloner, op.operands[0], into, op.loc) else { return Cloned::Left };
        if known.is_none() {
            for region in &op.regions {
                let copy = cloner.target.new_region();
                cloner.region(*region, copy, self);
                regions.push(copy);
            }
        }
        let attrs = SmallVec::from_vec(vec![Attr::Ints(attrs.0), Attr::Int(attrs.1)]);
        let copy = cloner.target.new_op(AkariOp::Switch.def(), [selector].as_slice(), attrs, regions, None, op.loc);
        cloner.target.region_mut(into).ops.push(copy);
        Cloned::Done
    }

    pub(super) fn loop_(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let mut attrs = op.attrs.clone();
        if let Some(count) = op.operands.first() {
            let value = self.demanded(*count).and_then(|value| integer(cloner.target, value));
            let Some(value) = value.filter(|value| (1..=i64::from(u32::MAX)).contains(value)) else {
                let shown = value.map_or("no number".to_owned(), |value| value.to_string());
                self.fail(
                    codes::OUT_OF_RANGE,
                    op.loc,
                    format!("the count to unroll by is {shown} here, and must be positive"),
                );
                return Cloned::Left;
            };
            attrs[2] = Attr::Int(value);
        }
        let regions: SmallVec<[RegionId; 2]> = op.regions.iter().map(|_| cloner.target.new_region()).collect();
        cloner.region(op.regions[0], regions[0], self);
        let test = &source.region(op.regions[0]).ops;
        if self.failed {
            return Cloned::Done;
        }
        let never = LoopTest::from_index(op.enumerated(0)) == LoopTest::Before
            && test.last().is_some_and(|last| {
                source.op(*last).operands.first().is_some_and(|value| self.known_bits(cloner, *value) == Some(0))
            });
        let tested = &mut cloner.target.region_mut(regions[0]).ops;
        if never && let Some(last) = tested.pop() {
            // What the test does is done once, the loop never.
            let mut tested = std::mem::take(tested);
            if AkariOp::of(cloner.target.op(last)) != Some(AkariOp::Yield) {
                tested.push(last);
            }
            cloner.target.region_mut(into).ops.extend(tested);
            return Cloned::Done;
        }
        cloner.region(op.regions[1], regions[1], self);
        cloner.region(op.regions[2], regions[2], self);
        let copy = cloner.target.new_op(op.def, [].as_slice(), attrs, regions, None, op.loc);
        cloner.target.region_mut(into).ops.push(copy);
        Cloned::Done
    }
}
