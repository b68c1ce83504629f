//! How far a module has come: which passes may run on it.

/// A stage of a module's way to a target, in order. A pass says the earliest and the latest stage it runs at and the stage it
/// leaves; the pipeline is checked for this before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IrStage {
    /// As lowered from source.
    Source,
    /// Resources have slots, varyings and targets have locations.
    Slotted,
    /// One entry and what it reaches (HLSL, SPIR-V), or all entries (MSL).
    Extracted,
    /// What the target cannot say is rewritten: only core operations and the target's own remain.
    Target,
    /// It is decided what is an expression and what a declaration.
    Shaped,
    /// Every name is a legal and unique identifier of the target.
    Named,
    /// Printed; nothing may follow.
    Printed,
}

impl IrStage {
    /// Every stage with its name in messages.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Source, "source"),
        (Self::Slotted, "slotted"),
        (Self::Extracted, "extracted"),
        (Self::Target, "target"),
        (Self::Shaped, "shaped"),
        (Self::Named, "named"),
        (Self::Printed, "printed"),
    ];

    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}
