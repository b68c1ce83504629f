//! The closed sets that attributes of `akari` operations take their values from.

use akari_ir::op::{Attr, EnumDef};
use akari_ir::types::{Scalar, TypeKind};

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

            /// Its name in the textual form.
            #[must_use]
            pub fn name(self) -> &'static str {
                $TABLE.values[self as usize]
            }
        }
    )+};
}

attribute_enums! {
    /// A comparison.
    Predicate PREDICATE "predicate" {
        /// `==`
        Eq "eq",
        /// `!=`
        Ne "ne",
        /// `<`
        Lt "lt",
        /// `<=`
        Le "le",
        /// `>`
        Gt "gt",
        /// `>=`
        Ge "ge",
    }
    /// What the author asked of an `if`.
    BranchHint BRANCH_HINT "branch hint" {
        /// Nothing.
        None "none",
        /// `@branch`
        Branch "branch",
        /// `@flatten`
        Flatten "flatten",
    }
    /// What the author asked of a loop.
    LoopHint LOOP_HINT "loop hint" {
        /// Nothing.
        None "none",
        /// `@unroll`
        Unroll "unroll",
        /// `@loop`
        Loop "loop",
    }
    /// What a ray query knows of the hit once it has gone to its end, or of a candidate on the way; all but the first only where there is one.
    RayFact RAY_FACT "ray fact" {
        /// Whether there is a triangle.
        IsHit "is_hit",
        /// How far along the ray, in lengths of its direction.
        Distance "distance",
        /// Which instance of the acceleration structure, counted from 0.
        InstanceId "instance_id",
        /// Which triangle of the geometry.
        PrimitiveId "primitive_id",
        /// The weights of the triangle's second and third vertex.
        Barycentric "barycentric",
    }
    /// When a loop's test runs.
    LoopTest LOOP_TEST "loop test" {
        /// Before the body: `for` and `while`.
        Before "before",
        /// After the body: `do`.
        After "after",
    }
}

impl RayFact {
    /// Its type.
    #[must_use]
    pub fn ty(self) -> TypeKind {
        match self {
            Self::IsHit => TypeKind::Scalar(Scalar::Bool),
            Self::Distance => TypeKind::Scalar(Scalar::F32),
            Self::InstanceId | Self::PrimitiveId => TypeKind::Scalar(Scalar::U32),
            Self::Barycentric => TypeKind::Vector(Scalar::F32, 2),
        }
    }
}

impl Predicate {
    /// The comparison that holds where this one does not, of values that are all comparable: no NaN.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Eq => Self::Ne,
            Self::Ne => Self::Eq,
            Self::Lt => Self::Ge,
            Self::Le => Self::Gt,
            Self::Gt => Self::Le,
            Self::Ge => Self::Lt,
        }
    }
}
