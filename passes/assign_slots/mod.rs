//! `assign-slots`: says where everything is found that the host binds or the pipeline hands on.
//!
//! For the context's target it sets the slot of every resource parameter of every entry, from the manifest or, without one, in
//! order of first declaration; the number of every colour target; and the location of every varying, by name over the
//! package. It looks at a package as a whole, so it runs before entries are extracted from it: then an extract has the slots
//! of the package.
//!
//! Vulkan's sets are 0 for buffers, 1 for textures, 2 for samplers and 3 for the
//! bindless tables; Metal bakes samplers, which therefore have no slot there.

mod automatic;
mod clashes;
mod class;
pub mod codes;
mod faults;
mod interface;
mod names;
mod overlaps;
mod resources;

use akari_ir::Module;

pub(crate) use class::Shape;
pub use names::KnownNames;
pub(crate) use overlaps::first_overlaps;

use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;

/// See the module.
pub struct AssignSlots;

impl Pass for AssignSlots {
    const NAME: &'static str = "assign-slots";
    const SUMMARY: &'static str = "give resources, colour targets and varyings their places on the target";
    const UNTIL: IrStage = IrStage::Source;
    const GIVES: Option<IrStage> = Some(IrStage::Slotted);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let errors = context.diagnostics.len();
        if let Some(target) = context.target {
            resources::assign(module, target, context.manifest.as_deref(), &mut context.diagnostics);
            interface::threads(module, target, &mut context.diagnostics);
            interface::colour_targets(module, target, context.manifest.as_deref(), &mut context.diagnostics);
        }
        interface::varyings(module, &mut context.diagnostics);
        if context.diagnostics.len() > errors { Err(Failed) } else { Ok(Changed::Yes) }
    }
}
