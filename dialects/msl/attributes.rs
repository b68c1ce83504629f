//! The closed sets that attributes of `msl` operations take their values from.

use akari_ir::op::{Attr, EnumDef};

macro_rules! attribute_enums {
    ($($(#[doc = $doc:literal])+ $Enum:ident $TABLE:ident $name:literal { $($(#[doc = $case_doc:literal])+ $Case:ident $text:literal),+ $(,)? })+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum $Enum { $($(#[doc = $case_doc])+ $Case,)+ }

        /// The names of the values.
        pub static $TABLE: EnumDef = EnumDef { name: $name, values: &[$($text),+] };

        impl $Enum {
            /// Every value, in order.
            pub const ALL: &'static [Self] = &[$(Self::$Case),+];

            /// The value as an attribute.
            #[must_use]
            pub fn attr(self) -> Attr {
                Attr::Enum(self as u16)
            }

            /// The value of an attribute of this set.
            #[must_use]
            pub fn from_index(index: u16) -> Self {
                Self::ALL[usize::from(index)]
            }

            /// Its name in MSL.
            #[must_use]
            pub fn name(self) -> &'static str {
                $TABLE.values[self as usize]
            }
        }
    )+};
}

attribute_enums! {
    /// A method of textures.
    Method METHOD "texture method" {
        /// A filtered texel.
        Sample "sample",
        /// A filtered comparison.
        SampleCompare "sample_compare",
        /// A component of four texels.
        Gather "gather",
        /// Four comparisons.
        GatherCompare "gather_compare",
        /// A texel.
        Read "read",
        /// Writes a texel.
        Write "write",
        /// Lets later reads of this thread see its writes.
        Fence "fence",
        /// Size in x.
        GetWidth "get_width",
        /// Size in y.
        GetHeight "get_height",
        /// Size in z.
        GetDepth "get_depth",
        /// Number of layers.
        GetArraySize "get_array_size",
        /// Number of levels.
        GetNumMipLevels "get_num_mip_levels",
    }
    /// What the last operands of a texture method are wrapped in.
    Wrap OPTION "texture option" {
        /// Nothing.
        None "none",
        /// An explicit level; one operand.
        Level "level",
        /// Gradients of two components; two operands.
        Gradient2d "gradient2d",
        /// Gradients of three components; two operands.
        Gradient3d "gradient3d",
        /// Gradients of a cube's direction; two operands.
        GradientCube "gradientcube",
        /// A component; one constant operand.
        Component "component",
    }
    /// What an atomic operation does.
    Atomic ATOMIC "atomic operation" {
        /// Adds.
        Add "atomic_fetch_add_explicit",
        /// Subtracts.
        Sub "atomic_fetch_sub_explicit",
        /// Takes the smaller.
        Min "atomic_fetch_min_explicit",
        /// Takes the larger.
        Max "atomic_fetch_max_explicit",
        /// Bitwise and.
        And "atomic_fetch_and_explicit",
        /// Bitwise or.
        Or "atomic_fetch_or_explicit",
        /// Bitwise exclusive or.
        Xor "atomic_fetch_xor_explicit",
        /// Replaces.
        Exchange "atomic_exchange_explicit",
    }
    /// A filter, of texels and between levels.
    SamplerFilter FILTER "sampler filter" {
        /// The nearest.
        Nearest "nearest",
        /// A weighted mean.
        Linear "linear",
    }
    /// What lies beside the texture.
    SamplerAddress ADDRESS "sampler address" {
        /// Its edge.
        ClampToEdge "clamp_to_edge",
        /// The texture again.
        Repeat "repeat",
        /// The texture mirrored.
        MirroredRepeat "mirrored_repeat",
    }
    /// The comparison of a sampler.
    SamplerCompare COMPARE "sampler comparison" {
        /// It does not compare.
        None "none",
        /// `<=`
        LessEqual "less_equal",
        /// `>=`
        GreaterEqual "greater_equal",
        /// `<`
        Less "less",
        /// `>`
        Greater "greater",
        /// `==`
        Equal "equal",
        /// `!=`
        NotEqual "not_equal",
        /// Always true.
        Always "always",
        /// Never true.
        Never "never",
    }
}
