//! `whole-layers`: the layer in the coordinate of a sample is rounded to the nearest, ties to even, before the texture sees it.
//!
//! That is what Direct3D does itself (D3D11.3 functional specification, 7.18.7). Vulkan prefers it and also allows half of a layer to go
//! up (Vulkan 1.2, 15.5.2), so that the same program would read another layer on another device. A layer that is a whole number
//! already stays as it is.
//!
//! ```text
//! akari.builtin %layers, %samp, %at {function: texture_sample}
//!     =>  %whole = akari.construct %at.xy, round(%at.z)
//!         akari.builtin %layers, %samp, %whole {function: texture_sample}
//! ```

use akari_dialect::{AkariOp, Builtin};
use akari_ir::{Module, OpId, TypeKind};

use crate::analysis::whole_numbers::is_whole;
use crate::rewrite::{Outcome, Rewriter};
use crate::{Changed, Failed, IrStage, Pass, PassContext};

/// See the module.
pub struct WholeLayers;

impl Pass for WholeLayers {
    const NAME: &'static str = "whole-layers";
    const SUMMARY: &'static str = "round layers where the target may round ties in another way";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, _: &mut PassContext) -> Result<Changed, Failed> {
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| {
            round_layer(r, op);
            Outcome::Keep
        });
        Ok(if rewriter.changed { Changed::Yes } else { Changed::No })
    }
}

/// Where the coordinate of a sample stands among the operands of its builtin: after the texture and the sampler.
const COORDINATE: usize = 2;

fn round_layer(r: &mut Rewriter<'_>, id: OpId) {
    let op = r.module.op(id);
    if AkariOp::of(op) != Some(AkariOp::Builtin) {
        return;
    }
    let takes_a_sampler = matches!(
        Builtin::from_index(op.enumerated(0)),
        Builtin::TextureSample
            | Builtin::TextureSampleLevel
            | Builtin::TextureSampleGrad
            | Builtin::TextureSampleCmp
            | Builtin::TextureSampleCmpLevelZero
            | Builtin::TextureGather
            | Builtin::TextureGatherCmp
    );
    let (Some(&texture), Some(&at)) = (op.operands.first(), op.operands.get(COORDINATE)) else { return };
    let TypeKind::Texture(dim, _) = r.kind(texture) else { return };
    if !takes_a_sampler || !dim.is_array() {
        return;
    }
    let last = dim.coordinate_width() - 1;
    let layer = r.swizzle(at, &[last]);
    if is_whole(r.module, layer) {
        return;
    }
    let within: Vec<u8> = (0..last).collect();
    let within = r.swizzle(at, &within);
    let nearest = match r.known_bits(layer) {
        Some(bits) => r.float(f32::from_bits(bits as u32).round_ties_even()),
        None => r.builtin(Builtin::Round, &[layer]),
    };
    let whole = r.vector(&[within, nearest]);
    r.module.op_mut(id).operands[COORDINATE] = whole;
    r.changed = true;
}
