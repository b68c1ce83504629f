//! What surrounds a function: stages, system values, bindings, samplers, interpolation.

use std::fmt;

use crate::entity::Symbol;

/// A pipeline stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stage {
    /// `@vertex`
    Vertex,
    /// `@fragment`
    Fragment,
    /// `@compute`
    Compute,
}

impl Stage {
    /// Every stage with its name in the source and in the textual form.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Vertex, "vertex"), (Self::Fragment, "fragment"), (Self::Compute, "compute")];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The suffix of the stage's output files.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Vertex => "vs",
            Self::Fragment => "ps",
            Self::Compute => "cs",
        }
    }
}

/// A value that the pipeline gives to an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SystemValue {
    /// Index of the vertex.
    VertexId,
    /// Index of the instance.
    InstanceId,
    /// Global thread id.
    DispatchId,
    /// Thread group id.
    GroupId,
    /// Thread id in the group.
    LocalId,
    /// Flat thread index in the group.
    LocalIndex,
    /// Whether the fragment is of a front face.
    FrontFacing,
}

impl SystemValue {
    /// Every system value with its attribute name.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::VertexId, "vertex_id"),
        (Self::InstanceId, "instance_id"),
        (Self::DispatchId, "dispatch_id"),
        (Self::GroupId, "group_id"),
        (Self::LocalId, "local_id"),
        (Self::LocalIndex, "local_index"),
        (Self::FrontFacing, "front_facing"),
    ];
}

/// The filter of a static sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Filter {
    /// Nearest texel, nearest mip.
    Point,
    /// Bilinear, linear between mips.
    Linear,
}

impl Filter {
    /// Every filter with its source name.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Point, "point"), (Self::Linear, "linear")];

    /// Its source name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// What a sampler does outside `0..1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Address {
    /// The edge texel.
    Clamp,
    /// Wrap around.
    Repeat,
    /// Mirror at each integer.
    Mirror,
}

impl Address {
    /// Every mode with its source name.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Clamp, "clamp"), (Self::Repeat, "repeat"), (Self::Mirror, "mirror")];

    /// Its source name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The comparison of a comparison sampler: `reference OP texel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Compare {
    /// `<=`, the default.
    LessEqual,
    /// `>=`
    GreaterEqual,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// Always true.
    Always,
    /// Always false.
    Never,
}

impl Compare {
    /// Every function with its source name.
    pub const ALL: [(Self, &'static str); 8] = [
        (Self::LessEqual, "less_equal"),
        (Self::GreaterEqual, "greater_equal"),
        (Self::Less, "less"),
        (Self::Greater, "greater"),
        (Self::Equal, "equal"),
        (Self::NotEqual, "not_equal"),
        (Self::Always, "always"),
        (Self::Never, "never"),
    ];

    /// Its source name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The whole state of a static sampler; its register follows from this alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplerState {
    /// Texel and mip filter.
    pub filter: Filter,
    /// Addressing of all axes.
    pub address: Address,
    /// Present on comparison samplers.
    pub compare: Option<Compare>,
}

impl fmt::Display for SamplerState {
    /// As the source writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("@sampler(")?;
        if let Some(compare) = self.compare {
            write!(f, "comparison, {}, ", compare.name())?;
        }
        write!(f, "{}, {})", self.filter.name(), self.address.name())
    }
}

/// Where a resource comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BindingSource {
    /// `@bind(group.name)`
    Named {
        /// The domain.
        group: Symbol,
        /// The name in it.
        name: Symbol,
    },
    /// `@slot(N)`
    Slot(u32),
    /// `@sampler(…)`
    Sampler(SamplerState),
}

/// What a parameter of an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ParamRole {
    /// An ordinary parameter of a function.
    Plain,
    /// A system value.
    System(SystemValue),
    /// `@stage_in`: the interpolated outputs of the vertex stage.
    StageIn,
    /// A resource.
    Resource(BindingSource),
    /// `const`: a constant that each call gives; with the name of the enum it is of, if it is of one. Gone after `specialize`.
    Const(Option<Symbol>),
    /// `T?`: a resource, or `none`. Gone after `specialize`.
    Optional,
}

/// What a field of a stage interface struct is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum FieldRole {
    /// A user varying (in a stage interface), or just a field.
    #[default]
    Plain,
    /// `@position`
    Position,
    /// `@location(N)`: colour target N.
    Location(u32),
    /// `@target(group.name)`: a colour target named in the manifest.
    Target {
        /// The domain.
        group: Symbol,
        /// The name in it.
        name: Symbol,
    },
    /// `@clip_distance`
    ClipDistance,
}

/// How a varying is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Interpolation {
    /// With perspective correction.
    #[default]
    Perspective,
    /// `@noperspective`
    Linear,
    /// `@flat`
    Flat,
}

/// How an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassMode {
    /// By value; handles too.
    Value,
    /// `ref`: a read-only place.
    Ref,
    /// `inout`: a writable place.
    Inout,
}
