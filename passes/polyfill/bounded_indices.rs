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
//! Indices that are seen to be within are left alone: constants, masked numbers, counters of loops, places of threads in their group. What
//! lies in buffers is the host's business.

use akari_dialect::{AkariOp, Builtin};
use akari_ir::{Module, OpId, Scalar, Space, TypeKind};

use crate::analysis::loop_ranges::LoopRanges;
use crate::analysis::range::Range;
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
        let counters = LoopRanges::of(module);
        let mut bound = Bound { counters, count: 0 };
        Rewriter::new(module).module(&mut |r, op| bound.op(r, op));
        context.count("bounded indices", bound.count);
        Ok(if bound.count > 0 { Changed::Yes } else { Changed::No })
    }
}

struct Bound {
    counters: LoopRanges,
    count: u64,
}

impl Bound {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let aggregate = match AkariOp::of(r.module.op(op)) {
            Some(AkariOp::Element) => {
                let place = r.module.op(op).operands[0];
                match r.space(place) {
                    Space::Function | Space::Workgroup | Space::Constant => r.pointee(place),
                    Space::Uniform | Space::StorageRead | Space::Storage | Space::Atomic => return Outcome::Keep,
                }
            }
            Some(AkariOp::Index) => r.module.value_type(r.module.op(op).operands[0]),
            _ => return Outcome::Keep,
        };
        let Some(length) = r.module.types.length(aggregate) else { return Outcome::Keep };
        let index = r.module.op(op).operands[1];
        let last = i128::from(length) - 1;
        if Range::of_counted(r.module, index, &self.counters).is_some_and(|range| range.within(Range { low: 0, high: last })) {
            return Outcome::Keep;
        }
        // A negative number is a large unsigned one.
        let unsigned = match r.kind(index) {
            TypeKind::Scalar(Scalar::I32) => r.convert(index, Scalar::U32),
            _ => index,
        };
        let Some(scalar) = r.scalar_of(unsigned) else { return Outcome::Keep };
        let last = r.bits(scalar, u64::from(length) - 1);
        let bounded = r.builtin(Builtin::Min, &[unsigned, last]);
        r.module.op_mut(op).operands[1] = bounded;
        self.count += 1;
        Outcome::Keep
    }
}
