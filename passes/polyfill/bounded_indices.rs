//! `bounded-indices`: keeps computed indices within arrays, vectors and matrices in a program's own memory, and within arrays of
//! resources, where reaching beyond them would be undefined.
//!
//! That holds for every target. C++ (Metal) leaves it undefined; Vulkan's robust access covers buffers and images, but neither
//! variables nor groupshared memory, and SPIR-V no component of a vector; Direct3D leaves open what a local array gives, lets a
//! write beyond groupshared memory spoil all of it, and DXC takes a variable for LLVM's, or, for Vulkan, an access chain as it is.
//!
//! ```text
//! %p = akari.element %tile, %i        =>   %0 = akari.builtin %i, %last {function: min}
//!                                         %p = akari.element %tile, %0
//! ```
//!
//! The only element of an array of length 1 is taken at 0, whatever the index. Other indices that are seen to be within are left alone:
//! constants, masked numbers, counters of loops, places of threads in their group, and what a condition on the way has compared. What
//! lies in buffers is the host's business.

use akari_dialect::ops::view;
use akari_dialect::{AkariOp, Builtin, LoopTest};
use akari_ir::{Module, OpId, RegionId, Scalar, Space, Traits, Type, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::constants::constant_of;
use crate::analysis::loop_ranges::LoopRanges;
use crate::analysis::range::{Known, Range};
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
pub struct BoundedIndices;

impl Pass for BoundedIndices {
    const NAME: &'static str = "bounded-indices";
    const SUMMARY: &'static str = "keep computed indices within arrays, vectors and matrices";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut count = 0;
        let mut counters = None;
        for func in module.functions.ids() {
            let body = module.functions[func].body;
            if !has_computed_index(module, body) {
                continue;
            }
            let counters = counters.get_or_insert_with(|| LoopRanges::of(module));
            let known = Known { counters: std::mem::take(counters), ..Known::default() };
            let mut search = Search { module, known, unbounded: FxHashMap::default() };
            search.region(body);
            let unbounded = search.unbounded;
            *counters = search.known.counters;
            count += unbounded.len() as u64;
            if !unbounded.is_empty() {
                Rewriter::new(module).function(func, &mut |r, op| bound(r, op, &unbounded));
            }
        }
        context.count("bounded indices", count);
        Ok(if count > 0 { Changed::Yes } else { Changed::No })
    }
}

/// The index of an operation that takes a part of what a program owns, with the number of parts; none for what is no such operation,
/// and for constants, which are within.
fn computed_index(module: &Module, id: OpId) -> Option<(ValueId, u32)> {
    let op = module.op(id);
    let aggregate: Type = match AkariOp::of(op)? {
        AkariOp::Element => match module.types.as_place(module.value_type(op.operands[0]))? {
            (Space::Function | Space::Workgroup | Space::Constant, of) => of,
            (Space::Uniform | Space::StorageRead | Space::Storage | Space::Atomic, _) => return None,
        },
        AkariOp::Index => module.value_type(op.operands[0]),
        _ => return None,
    };
    // Nobody knows how many resources there are in an array of length 0.
    let length = module.types.length(aggregate).filter(|length| *length > 0)?;
    let index = op.operands[1];
    let bits = constant_of(module, index).and_then(|constant| module.scalar_bits(constant));
    bits.is_none_or(|bits| bits >= u64::from(length)).then_some((index, length))
}

fn has_computed_index(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.iter().any(|op| {
        computed_index(module, *op).is_some()
            || module.op(*op).regions.iter().any(|region| has_computed_index(module, *region))
    })
}

/// Looks for indices that may be beyond, with what the conditions on the way say.
struct Search<'m> {
    module: &'m Module,
    known: Known,
    /// The number of the last part, for each operation whose index is to be bounded.
    unbounded: FxHashMap<OpId, u32>,
}

impl Search<'_> {
    fn region(&mut self, region: RegionId) {
        let module = self.module;
        let mark = self.known.conditions.mark();
        for id in &module.region(region).ops {
            let op = module.op(*id);
            match AkariOp::of(op) {
                Some(AkariOp::Element | AkariOp::Index) => self.index(*id),
                Some(AkariOp::If) => {
                    let [then, otherwise] = op.regions[..] else { continue };
                    self.under(op.operands[0], true, then);
                    self.under(op.operands[0], false, otherwise);
                    // Who goes on has not taken an arm that leaves.
                    if leaves(module, then) {
                        self.known.assume(module, op.operands[0], false);
                    }
                    if leaves(module, otherwise) {
                        self.known.assume(module, op.operands[0], true);
                    }
                }
                Some(AkariOp::Cond) => {
                    let [then, otherwise] = op.regions[..] else { continue };
                    self.under(op.operands[0], true, then);
                    self.under(op.operands[0], false, otherwise);
                }
                Some(AkariOp::AndThen) => self.under(op.operands[0], true, op.regions[0]),
                Some(AkariOp::OrElse) => self.under(op.operands[0], false, op.regions[0]),
                Some(AkariOp::Loop) => {
                    let (loop_, tests_first) = (view::Loop(*id), op.enumerated(0) == LoopTest::Before as u16);
                    self.region(loop_.test(module));
                    let test =
                        module.region(loop_.test(module)).ops.last().and_then(|op| view::Yield::cast(module, *op));
                    for region in [loop_.body(module), loop_.step(module)] {
                        match test {
                            Some(test) if tests_first => self.under(test.value(module), true, region),
                            _ => self.region(region),
                        }
                    }
                }
                _ => op.regions.iter().for_each(|region| self.region(*region)),
            }
        }
        self.known.conditions.forget(mark);
    }

    fn under(&mut self, condition: ValueId, holds: bool, region: RegionId) {
        let mark = self.known.conditions.mark();
        self.known.assume(self.module, condition, holds);
        self.region(region);
        self.known.conditions.forget(mark);
    }

    fn index(&mut self, id: OpId) {
        let Some((index, length)) = computed_index(self.module, id) else { return };
        let last = length - 1;
        if last == 0 {
            self.unbounded.insert(id, 0);
            return;
        }
        let within = Range { low: 0, high: i128::from(last) };
        if !Range::of_known(self.module, index, &self.known).is_some_and(|range| range.within(within)) {
            self.unbounded.insert(id, last);
        }
    }
}

/// Whether a region never comes to its end.
fn leaves(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.last().is_some_and(|op| module.traits(*op).has(Traits::TERMINATOR))
}

fn bound(r: &mut Rewriter<'_>, op: OpId, unbounded: &FxHashMap<OpId, u32>) -> Outcome {
    let Some(last) = unbounded.get(&op) else { return Outcome::Keep };
    let index = r.module.op(op).operands[1];
    if *last == 0 {
        // Said outright: NVIDIA's driver reads elsewhere when a variable copied from a uniform is indexed by what it can compute to be 0.
        let scalar = r.scalar_of(index).unwrap_or(Scalar::U32);
        r.module.op_mut(op).operands[1] = r.bits(scalar, 0);
        return Outcome::Keep;
    }
    // A negative number is a large unsigned one.
    let unsigned = match r.kind(index) {
        TypeKind::Scalar(Scalar::I32) => r.convert(index, Scalar::U32),
        _ => index,
    };
    let Some(scalar) = r.scalar_of(unsigned) else { return Outcome::Keep };
    let last = r.bits(scalar, u64::from(*last));
    let bounded = r.builtin(Builtin::Min, &[unsigned, last]);
    r.module.op_mut(op).operands[1] = bounded;
    Outcome::Keep
}
