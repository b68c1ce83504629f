//! The passes there are.

use akari_ir::Module;

use super::pass::{Changed, Failed, Pass, PassContext};
use super::stage::IrStage;

/// A registered pass.
#[derive(Clone, Copy, Debug)]
pub struct PassEntry {
    /// Its name in pipelines.
    pub name: &'static str,
    /// One line about it.
    pub summary: &'static str,
    /// The earliest stage it runs at.
    pub needs: IrStage,
    /// The latest stage it runs at.
    pub until: IrStage,
    /// The stage it leaves, if it moves the module on.
    pub gives: Option<IrStage>,
    /// Runs it.
    pub run: fn(&mut Module, &mut PassContext) -> Result<Changed, Failed>,
}

impl PassEntry {
    /// The entry of a pass.
    #[must_use]
    pub const fn of<P: Pass>() -> Self {
        Self { name: P::NAME, summary: P::SUMMARY, needs: P::NEEDS, until: P::UNTIL, gives: P::GIVES, run: P::run }
    }
}

/// Every pass, in the order in which `--list-passes` shows them.
pub static PASSES: &[PassEntry] = &[
    PassEntry::of::<crate::assign_slots::KnownNames>(),
    PassEntry::of::<crate::assign_slots::AssignSlots>(),
    PassEntry::of::<crate::const_fold::ConstFold>(),
    PassEntry::of::<crate::specialize::Specialize>(),
    PassEntry::of::<crate::flatten_contexts::FlattenContexts>(),
    PassEntry::of::<crate::reach::ReachBindings>(),
    PassEntry::of::<crate::trim_captures::TrimCaptures>(),
    PassEntry::of::<crate::check_entries::CheckEntries>(),
    PassEntry::of::<crate::ray_queries::RayQueries>(),
    PassEntry::of::<crate::bindless_tables::BindlessTables>(),
    PassEntry::of::<crate::lower_implicit_lod::LowerImplicitLod>(),
    PassEntry::of::<crate::strip::Strip>(),
    PassEntry::of::<crate::resources_to_globals::ResourcesToGlobals>(),
    PassEntry::of::<crate::convert::hlsl_layout::HlslLayout>(),
    PassEntry::of::<crate::convert::hlsl_builtins::AkariToHlsl>(),
    PassEntry::of::<crate::convert::hlsl_precise::HlslPrecise>(),
    PassEntry::of::<crate::convert::hlsl_loops::HlslLoops>(),
    PassEntry::of::<crate::polyfill::region_results::RegionResultsToLocals>(),
    PassEntry::of::<crate::polyfill::loop_heads::LoopHeads>(),
    PassEntry::of::<crate::polyfill::convergent_breaks::ConvergentBreaks>(),
    PassEntry::of::<crate::shape::ShapeExpressions>(),
    PassEntry::of::<crate::names::AssignNames>(),
    PassEntry::of::<crate::convert::msl::demote::MslDemote>(),
    PassEntry::of::<crate::convert::msl::textures::MslTextures>(),
    PassEntry::of::<crate::convert::msl::builtins::MslBuiltins>(),
    PassEntry::of::<crate::convert::msl::memory::MslMemory>(),
    PassEntry::of::<crate::convert::msl::address_spaces::MslAddressSpaces>(),
    PassEntry::of::<crate::convert::msl::entries::MslEntries>(),
    PassEntry::of::<crate::polyfill::bounded_indices::BoundedIndices>(),
    PassEntry::of::<crate::polyfill::whole_layers::WholeLayers>(),
    PassEntry::of::<crate::polyfill::non_uniform_indices::NonUniformIndices>(),
    PassEntry::of::<crate::polyfill::defined_arithmetic::DefinedArithmetic>(),
    PassEntry::of::<crate::emit::hlsl::PrintHlsl>(),
    PassEntry::of::<crate::emit::msl::PrintMsl>(),
    PassEntry::of::<crate::emit::spirv::EmitSpirv>(),
];

/// The pass of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static PassEntry> {
    PASSES.iter().find(|pass| pass.name == name)
}
