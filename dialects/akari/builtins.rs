//! The builtin functions and texture methods: one row each. The type checker, the verifier, the documentation and the
//! reference interpreter read the row; each target has one arm a builtin for its spelling.

use akari_ir::interface::Stage;
use akari_ir::op::{Attr, EnumDef, Traits};
use akari_ir::types::{Scalar, TexelKind, TextureDim};

/// The types that a builtin's type parameter `T` ranges over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `float` and `half`, scalars and vectors.
    Float,
    /// Vectors of `float` and `half`.
    FloatVector,
    /// `float3` and `half3`.
    FloatVector3,
    /// Scalars and vectors of every number type.
    Numeric,
    /// Scalars and vectors of `int`, `float` and `half`.
    Signed,
    /// Scalars and vectors of `int` and `uint`.
    Integer32,
    /// Scalars and vectors of `int`, `uint` and `float`.
    Bits32,
    /// `bool` and vectors of it.
    Bool,
    /// Scalars and vectors of everything.
    ScalarOrVector,
    /// Matrices.
    Matrix,
    /// No type parameter.
    None,
}

/// A parameter's or result's type in terms of `T`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// `T`; the first such argument that is no scalar decides it, scalars beside it are broadcast.
    T,
    /// The scalar of `T`.
    ScalarOfT,
    /// `T` with its scalar replaced.
    ShapeOfT(Scalar),
    /// The transposed matrix type of `T`.
    TransposeOfT,
    /// A scalar or vector.
    Is(Scalar, u8),
    /// An acceleration structure.
    AccelStruct,
    /// The table of all bindless buffers.
    BufferTable,
    /// The table of all bindless textures.
    TextureTable,
    /// A sampled texture.
    Texture(TextureDim, TexelKind),
    /// A buffer that is only read, of any type.
    ReadBuffer,
    /// A struct of `bool`, `float`, `uint`, `uint` and `float2`: what a ray has met.
    TraceHit,
    /// Nothing.
    Nothing,
}

/// How a builtin is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// A function of values.
    Function {
        /// What `T` may be.
        class: Class,
        /// The parameters' types.
        params: &'static [Ty],
        /// The result's type.
        result: Ty,
    },
    /// An atomic on a place of `u32` or `i32` in an `AtomicBuf` or groupshared memory: the place, then this many values of
    /// its type; gives the previous value. The source writes the place as `(buffer, index, …)`.
    Atomic {
        /// How many values follow the place.
        values: u8,
    },
    /// A method of a texture; `texture::signature` knows its types.
    Texture,
}

/// What a program needs of a device, as named by `#require`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// `ddx`, `ddy`.
    Derivatives,
    /// `atomic_*`
    Atomics,
    /// `barrier`, `@groupshared`.
    Threadgroup,
    /// `wave_*`
    Wave,
    /// `rt_*`, `AccelStruct`.
    RayQuery,
    /// `store`, storage textures.
    RwTexture,
}

impl Capability {
    /// Every capability with its name and the stages whose entries may use it.
    pub const ALL: [(Self, &'static str, &'static [Stage]); 6] = [
        (Self::Derivatives, "derivatives", &[Stage::Fragment]),
        (Self::Atomics, "atomics", &[Stage::Compute]),
        (Self::Threadgroup, "threadgroup", &[Stage::Compute]),
        (Self::Wave, "wave", &[Stage::Fragment, Stage::Compute]),
        (Self::RayQuery, "ray_query", &[Stage::Vertex, Stage::Fragment, Stage::Compute]),
        (Self::RwTexture, "rw_texture", &[Stage::Vertex, Stage::Fragment, Stage::Compute]),
    ];

    /// The stages whose entries may use it.
    #[must_use]
    pub fn stages(self) -> &'static [Stage] {
        Self::ALL[self as usize].2
    }

    /// Its name in `#require`.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinDef {
    /// Its name in the IR; in the source too, less the prefix `texture_` of a method.
    pub name: &'static str,
    /// What it gives.
    pub doc: &'static str,
    /// How it is called.
    pub signature: Signature,
    /// What it does.
    pub traits: Traits,
    /// What it needs.
    pub capability: Option<Capability>,
    /// See [`Self::call`], where the signature alone does not tell.
    call: Option<&'static str>,
}

impl BuiltinDef {
    /// What its arguments are, in parentheses, where their number alone does not tell.
    #[must_use]
    pub fn call(&self) -> Option<&'static str> {
        match self.signature {
            Signature::Atomic { values: 1 } => Some("(buffer, index, value)"),
            Signature::Atomic { .. } => Some("(buffer, index, expected, desired)"),
            Signature::Function { .. } | Signature::Texture => self.call,
        }
    }
}

macro_rules! builtins {
    (@signature fn $class:ident ($($param:ident $(($($arg:expr),+))?),*) -> $result:ident $(($($result_arg:expr),+))?) => {
        Signature::Function {
            class: Class::$class,
            params: &[$(Ty::$param $(($($arg),+))?),*],
            result: Ty::$result $(($($result_arg),+))?,
        }
    };
    (@signature atomic $values:literal) => { Signature::Atomic { values: $values } };
    (@signature texture) => { Signature::Texture };
    (@call) => { None };
    (@call $call:literal) => { Some($call) };
    (@capability) => { None };
    (@capability $capability:ident) => { Some(Capability::$capability) };
    ($($(#[doc = $doc:literal])+ $Variant:ident $name:literal [$($signature:tt)+] = $($trait:ident)|+ $(, needs $capability:ident)? $(, call $call:literal)?;)+) => {
        /// A builtin function or texture method.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        pub enum Builtin { $($(#[doc = $doc])+ $Variant,)+ }

        /// The names of the builtins.
        pub static BUILTIN: EnumDef = EnumDef { name: "builtin", values: &[$($name),+] };

        static TABLE: &[BuiltinDef] = &[$(
            BuiltinDef {
                name: $name,
                doc: concat!($($doc, "\n"),+),
                signature: builtins!(@signature $($signature)+),
                traits: Traits::NONE$(.with(Traits::$trait))+,
                capability: builtins!(@capability $($capability)?),
                call: builtins!(@call $($call)?),
            },
        )+];

        impl Builtin {
            /// Every builtin, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Variant),+];
        }
    };
}

impl Builtin {
    /// Its row.
    #[must_use]
    pub fn def(self) -> &'static BuiltinDef {
        &TABLE[self as usize]
    }

    /// Its name in the IR.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.def().name
    }

    /// It as an attribute.
    #[must_use]
    pub fn attr(self) -> Attr {
        Attr::Enum(self as u16)
    }

    /// Whether it lets a function of the program's judge what a ray meets.
    #[must_use]
    pub fn is_masked_ray(self) -> bool {
        matches!(self, Self::RtVisibilityMasked | Self::RtOccluderDistanceMasked | Self::RtTraceMasked)
    }

    /// The builtin of an attribute.
    #[must_use]
    pub fn from_index(index: u16) -> Self {
        Self::ALL[usize::from(index)]
    }

    /// The function that the source calls by this name.
    #[must_use]
    pub fn function(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|b| b.name() == name && b.def().signature != Signature::Texture)
    }

    /// The texture method that the source calls by this name.
    #[must_use]
    pub fn method(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|b| b.def().signature == Signature::Texture && b.name().strip_prefix("texture_") == Some(name))
    }
}

const F32: Scalar = Scalar::F32;
const U32: Scalar = Scalar::U32;
const I32: Scalar = Scalar::I32;
const BOOL: Scalar = Scalar::Bool;
const FLOAT: TexelKind = TexelKind::Float;
const DEPTH: TexelKind = TexelKind::Depth;
const D2: TextureDim = TextureDim::D2;
const D3: TextureDim = TextureDim::D3;
const CUBE: TextureDim = TextureDim::Cube;

builtins! {
    /// The smaller; the number where one is NaN.
    Min "min" [fn Numeric (T, T) -> T] = PURE;
    /// The larger; the number where one is NaN.
    Max "max" [fn Numeric (T, T) -> T] = PURE;
    /// `min(max(x, low), high)`.
    Clamp "clamp" [fn Numeric (T, T, T) -> T] = PURE,
        call "(x, low, high)";
    /// The absolute value; of the smallest integer itself.
    Abs "abs" [fn Signed (T) -> T] = PURE;
    /// The largest integer not above.
    Floor "floor" [fn Float (T) -> T] = PURE;
    /// The smallest integer not below.
    Ceil "ceil" [fn Float (T) -> T] = PURE;
    /// The nearest integer, ties to even.
    Round "round" [fn Float (T) -> T] = PURE;
    /// The integer part.
    Trunc "trunc" [fn Float (T) -> T] = PURE;
    /// -1, 0 or 1.
    Sign "sign" [fn Signed (T) -> T] = PURE;
    /// `x - floor(x)`.
    Fract "fract" [fn Float (T) -> T] = PURE;
    /// `clamp(x, 0, 1)`.
    Saturate "saturate" [fn Float (T) -> T] = PURE;
    /// Sine of radians.
    Sin "sin" [fn Float (T) -> T] = PURE;
    /// Cosine of radians.
    Cos "cos" [fn Float (T) -> T] = PURE;
    /// Tangent of radians.
    Tan "tan" [fn Float (T) -> T] = PURE;
    /// Arc sine in radians.
    Asin "asin" [fn Float (T) -> T] = PURE;
    /// Arc cosine in radians.
    Acos "acos" [fn Float (T) -> T] = PURE;
    /// Arc tangent in radians.
    Atan "atan" [fn Float (T) -> T] = PURE;
    /// The angle of the point `(x, y)` in radians, given `y` then `x`.
    Atan2 "atan2" [fn Float (T, T) -> T] = PURE;
    /// Square root.
    Sqrt "sqrt" [fn Float (T) -> T] = PURE;
    /// Reciprocal of the square root.
    Rsqrt "rsqrt" [fn Float (T) -> T] = PURE;
    /// `e` to the power.
    Exp "exp" [fn Float (T) -> T] = PURE;
    /// Natural logarithm.
    Log "log" [fn Float (T) -> T] = PURE;
    /// 2 to the power.
    Exp2 "exp2" [fn Float (T) -> T] = PURE;
    /// Logarithm to base 2.
    Log2 "log2" [fn Float (T) -> T] = PURE;
    /// The first to the power of the second.
    Pow "pow" [fn Float (T, T) -> T] = PURE,
        call "(x, exponent)";
    /// `a * b + c`, rounded once where the target can.
    Fma "fma" [fn Float (T, T, T) -> T] = PURE,
        call "(a, b, c)";
    /// The vector of length 1 in the same direction.
    Normalize "normalize" [fn FloatVector (T) -> T] = PURE;
    /// Euclidean length.
    Length "length" [fn FloatVector (T) -> ScalarOfT] = PURE;
    /// Length of the difference.
    Distance "distance" [fn FloatVector (T, T) -> ScalarOfT] = PURE;
    /// Inner product.
    Dot "dot" [fn FloatVector (T, T) -> ScalarOfT] = PURE;
    /// Vector product.
    Cross "cross" [fn FloatVector3 (T, T) -> T] = PURE;
    /// The incident vector mirrored at a surface with the unit normal: `i - 2 * dot(n, i) * n`.
    Reflect "reflect" [fn FloatVector (T, T) -> T] = PURE,
        call "(incident, normal)";
    /// The incident vector refracted at a surface with the unit normal, given the ratio of refraction indices.
    Refract "refract" [fn FloatVector (T, T, ScalarOfT) -> T] = PURE,
        call "(incident, normal, ratio)";
    /// `a + (b - a) * t`.
    Mix "mix" [fn Float (T, T, T) -> T] = PURE,
        call "(a, b, t)";
    /// 0 where `x < edge`, else 1; given `edge` then `x`.
    Step "step" [fn Float (T, T) -> T] = PURE,
        call "(edge, x)";
    /// Hermite interpolation between two edges.
    Smoothstep "smoothstep" [fn Float (T, T, T) -> T] = PURE,
        call "(from, to, x)";
    /// Whether any component is true.
    Any "any" [fn Bool (T) -> Is(BOOL, 1)] = PURE;
    /// Whether every component is true.
    All "all" [fn Bool (T) -> Is(BOOL, 1)] = PURE;
    /// `b` where the condition is true, else `a`; given `a`, `b`, condition.
    Select "select" [fn ScalarOrVector (T, T, ShapeOfT(BOOL)) -> T] = PURE,
        call "(no, yes, condition)";
    /// Whether it is NaN.
    IsNan "isnan" [fn Float (T) -> ShapeOfT(BOOL)] = PURE;
    /// Whether it is an infinity.
    IsInf "isinf" [fn Float (T) -> ShapeOfT(BOOL)] = PURE;
    /// The smallest of three.
    Min3 "min3" [fn Numeric (T, T, T) -> T] = PURE;
    /// The largest of three.
    Max3 "max3" [fn Numeric (T, T, T) -> T] = PURE;
    /// The middle one of three.
    Median3 "median3" [fn Numeric (T, T, T) -> T] = PURE;
    /// Rows and columns exchanged.
    Transpose "transpose" [fn Matrix (T) -> TransposeOfT] = PURE;
    /// How many bits are set.
    CountBits "countbits" [fn Integer32 (T) -> ShapeOfT(U32)] = PURE;
    /// Index of the lowest set bit; all ones for 0.
    FirstBitLow "firstbitlow" [fn Integer32 (T) -> ShapeOfT(U32)] = PURE;
    /// Index of the highest set bit (for a negative `int`, of its complement); all ones where there is none.
    FirstBitHigh "firstbithigh" [fn Integer32 (T) -> ShapeOfT(U32)] = PURE;
    /// The bits in reverse order.
    ReverseBits "reversebits" [fn Integer32 (T) -> T] = PURE;
    /// `count` bits from `offset`, as an unsigned number. Offset is clamped to 32, count to `32 - offset`.
    ExtractBits "extract_bits" [fn Integer32 (T, Is(U32, 1), Is(U32, 1)) -> T] = PURE,
        call "(x, offset, count)";
    /// The first with `count` bits from `offset` replaced by the low bits of the second. Clamped as for `extract_bits`.
    InsertBits "insert_bits" [fn Integer32 (T, T, Is(U32, 1), Is(U32, 1)) -> T] = PURE,
        call "(base, bits, offset, count)";
    /// The bits as unsigned integers.
    AsUint "as_uint" [fn Bits32 (T) -> ShapeOfT(U32)] = PURE;
    /// The bits as signed integers.
    AsInt "as_int" [fn Bits32 (T) -> ShapeOfT(I32)] = PURE;
    /// The bits as floats.
    AsFloat "as_float" [fn Bits32 (T) -> ShapeOfT(F32)] = PURE;
    /// Change to the next pixel in x.
    Ddx "ddx" [fn Float (T) -> T] = CONVERGENT, needs Derivatives;
    /// Change to the next pixel in y.
    Ddy "ddy" [fn Float (T) -> T] = CONVERGENT, needs Derivatives;
    /// `float4(p.xy, (p.z + p.w) * 0.5, p.w)`.
    RemapClipZ "remap_clip_z" [fn None (Is(F32, 4)) -> Is(F32, 4)] = PURE;
    /// `uint(clamp(v, 0, 1) * 255.0 + 0.5)` in each byte, x lowest.
    PackUnorm4x8 "pack_unorm4x8" [fn None (Is(F32, 4)) -> Is(U32, 1)] = PURE;
    /// Each byte by 255.
    UnpackUnorm4x8 "unpack_unorm4x8" [fn None (Is(U32, 1)) -> Is(F32, 4)] = PURE;
    /// `uint(clamp(v, 0, 1) * 65535.0 + 0.5)` in each half, x lowest.
    PackUnorm2x16 "pack_unorm2x16" [fn None (Is(F32, 2)) -> Is(U32, 1)] = PURE;
    /// Each half by 65535.
    UnpackUnorm2x16 "unpack_unorm2x16" [fn None (Is(U32, 1)) -> Is(F32, 2)] = PURE;
    /// `int(floor(clamp(v, -1, 1) * 32767.0 + 0.5))` in each half, x lowest.
    PackSnorm2x16 "pack_snorm2x16" [fn None (Is(F32, 2)) -> Is(U32, 1)] = PURE;
    /// Each signed half by 32767, at least -1.
    UnpackSnorm2x16 "unpack_snorm2x16" [fn None (Is(U32, 1)) -> Is(F32, 2)] = PURE;
    /// IEEE half floats, rounded to nearest even, x lowest.
    PackHalf2x16 "pack_half2x16" [fn None (Is(F32, 2)) -> Is(U32, 1)] = PURE;
    /// IEEE half floats, x lowest.
    UnpackHalf2x16 "unpack_half2x16" [fn None (Is(U32, 1)) -> Is(F32, 2)] = PURE;
    /// Each component masked to 8 bits, x lowest.
    PackUint4x8 "pack_uint4x8" [fn None (Is(U32, 4)) -> Is(U32, 1)] = PURE;
    /// The four bytes, x lowest.
    UnpackUint4x8 "unpack_uint4x8" [fn None (Is(U32, 1)) -> Is(U32, 4)] = PURE;

    /// Waits until every thread of the group is here and sees what all wrote to groupshared memory.
    Barrier "barrier" [fn None () -> Nothing] = READS | WRITES | CONVERGENT, needs Threadgroup;
    /// Adds; gives the previous value.
    AtomicAdd "atomic_add" [atomic 1] = READS | WRITES, needs Atomics;
    /// Subtracts; gives the previous value.
    AtomicSub "atomic_sub" [atomic 1] = READS | WRITES, needs Atomics;
    /// Takes the smaller; gives the previous value.
    AtomicMin "atomic_min" [atomic 1] = READS | WRITES, needs Atomics;
    /// Takes the larger; gives the previous value.
    AtomicMax "atomic_max" [atomic 1] = READS | WRITES, needs Atomics;
    /// Bitwise and; gives the previous value.
    AtomicAnd "atomic_and" [atomic 1] = READS | WRITES, needs Atomics;
    /// Bitwise or; gives the previous value.
    AtomicOr "atomic_or" [atomic 1] = READS | WRITES, needs Atomics;
    /// Bitwise exclusive or; gives the previous value.
    AtomicXor "atomic_xor" [atomic 1] = READS | WRITES, needs Atomics;
    /// Replaces; gives the previous value.
    AtomicExchange "atomic_exchange" [atomic 1] = READS | WRITES, needs Atomics;
    /// Replaces by the second value where the first equals the old one; gives the previous value.
    AtomicCompareExchange "atomic_compare_exchange" [atomic 2] = READS | WRITES, needs Atomics;

    /// Sum over the active lanes before this one.
    WavePrefixSum "wave_prefix_sum" [fn None (Is(U32, 1)) -> Is(U32, 1)] = CONVERGENT, needs Wave;
    /// Sum over the active lanes.
    WaveSum "wave_sum" [fn None (Is(U32, 1)) -> Is(U32, 1)] = CONVERGENT, needs Wave;
    /// Whether this is the first active lane.
    WaveIsFirst "wave_is_first" [fn None () -> Is(BOOL, 1)] = CONVERGENT, needs Wave;
    /// The value of the first active lane.
    WaveReadFirst "wave_read_first" [fn ScalarOrVector (T) -> T] = CONVERGENT, needs Wave;
    /// Whether it is true in any active lane.
    WaveAny "wave_any" [fn None (Is(BOOL, 1)) -> Is(BOOL, 1)] = CONVERGENT, needs Wave;
    /// Whether it is true in all active lanes.
    WaveAll "wave_all" [fn None (Is(BOOL, 1)) -> Is(BOOL, 1)] = CONVERGENT, needs Wave;
    /// In how many active lanes it is true.
    WaveCount "wave_count" [fn None (Is(BOOL, 1)) -> Is(U32, 1)] = CONVERGENT, needs Wave;
    /// In how many active lanes before this one it is true.
    WavePrefixCount "wave_prefix_count" [fn None (Is(BOOL, 1)) -> Is(U32, 1)] = CONVERGENT, needs Wave;

    /// Filtered texel at a coordinate; the level of detail follows from the quad in fragment stages, 0 elsewhere. A layer is the nearest,
    /// ties to even, and no further than the first or last.
    TextureSample "texture_sample" [texture] = CONVERGENT,
        call "(sampler, coordinate)";
    /// Filtered texel at an explicit level.
    TextureSampleLevel "texture_sample_level" [texture] = PURE,
        call "(sampler, coordinate, level)";
    /// Filtered texel with explicit gradients.
    TextureSampleGrad "texture_sample_grad" [texture] = PURE,
        call "(sampler, coordinate, ddx, ddy)";
    /// Filtered comparison with a reference; level 0 outside fragment stages.
    TextureSampleCmp "texture_sample_cmp" [texture] = CONVERGENT,
        call "(sampler, coordinate, reference)";
    /// Filtered comparison at level 0. Not in the source: what `texture_sample_cmp` becomes outside fragment stages.
    TextureSampleCmpLevelZero "texture_sample_cmp_level_zero" [texture] = PURE;
    /// One component of the four texels that a bilinear sample would use, in the order (-,+) (+,+) (+,-) (-,-). The component is a
    /// constant operand; depth textures have none.
    TextureGather "texture_gather" [texture] = PURE,
        call "(sampler, coordinate)";
    /// Four comparison results, in the order of `texture_gather`.
    TextureGatherCmp "texture_gather_cmp" [texture] = PURE,
        call "(sampler, coordinate, reference)";
    /// A texel by integer coordinates (and level, for sampled textures always present). Beyond the extent or the layers every component
    /// that the format has is 0; Vulkan hosts ask for robust image access to that end. A level that is not there gives any value.
    TextureLoad "texture_load" [texture] = READS;
    /// Writes a texel of a storage texture; the value has exactly the format's channels. Beyond the extent it does nothing.
    TextureStore "texture_store" [texture] = WRITES, needs RwTexture,
        call "(coordinate, value)";
    /// Size in texels (of a level that is there, for sampled textures always present), with the number of layers of an array last, of
    /// cubes in an array of cubes.
    TextureDimensions "texture_dimensions" [texture] = PURE,
        call "()";
    /// How many mip levels there are.
    TextureMipLevels "texture_mip_levels" [texture] = PURE;

    /// 1 where nothing is met between `t_min` and `t_max`, else 0. Given the scene, origin, direction, `t_min`, `t_max`, and a mask that
    /// shares a bit with that of each instance which counts. All triangles are opaque, and seen from both sides.
    RtVisibility "rt_visibility" [fn None (AccelStruct, Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> Is(F32, 1)]
        = READS, needs RayQuery,
        call "(scene, origin, direction, t_min, t_max, mask)";
    /// How far along the ray something is met, not always the nearest; -1 where nothing is. Given what `rt_visibility` is.
    RtOccluderDistance "rt_occluder_distance" [fn None (AccelStruct, Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> Is(F32, 1)]
        = READS, needs RayQuery,
        call "(scene, origin, direction, t_min, t_max, mask)";
    /// The nearest that is met; all 0 where nothing is. Given what `rt_visibility` is.
    RtTrace "rt_trace" [fn None (AccelStruct, Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> TraceHit]
        = READS, needs RayQuery,
        call "(scene, origin, direction, t_min, t_max, mask)";
    /// What `rt_visibility` is, where each triangle that is not opaque is only met if `hikari_rt_candidate_accepts` accepts it. That is a
    /// function of the program's, which is given the five arguments after the scene, the instance, the triangle, and the weights of its
    /// second and third vertex, and gives a `bool`. In the IR a call of a function that asks so.
    RtVisibilityMasked "rt_visibility_masked" [fn None (AccelStruct, ReadBuffer, ReadBuffer, BufferTable, TextureTable, Is(U32, 1),
        Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> Is(F32, 1)] = READS, needs RayQuery,
        call "(scene, instances, materials, buffers, textures, instance_count, origin, direction, t_min, t_max, mask)";
    /// What `rt_occluder_distance` is, with triangles judged as by `rt_visibility_masked`.
    RtOccluderDistanceMasked "rt_occluder_distance_masked" [fn None (AccelStruct, ReadBuffer, ReadBuffer, BufferTable, TextureTable, Is(U32, 1),
        Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> Is(F32, 1)] = READS, needs RayQuery,
        call "(scene, instances, materials, buffers, textures, instance_count, origin, direction, t_min, t_max, mask)";
    /// What `rt_trace` is, with triangles judged as by `rt_visibility_masked`.
    RtTraceMasked "rt_trace_masked" [fn None (AccelStruct, ReadBuffer, ReadBuffer, BufferTable, TextureTable, Is(U32, 1),
        Is(F32, 3), Is(F32, 3), Is(F32, 1), Is(F32, 1), Is(U32, 1)) -> TraceHit] = READS, needs RayQuery,
        call "(scene, instances, materials, buffers, textures, instance_count, origin, direction, t_min, t_max, mask)";

    /// A `float` of a bindless buffer, given the table, which buffer, and which element of the loaded type. Both may differ in each invocation.
    BindlessLoadF32 "bindless_load_f32" [fn None (BufferTable, Is(U32, 1), Is(U32, 1)) -> Is(F32, 1)] = PURE,
        call "(table, buffer, element)";
    /// Two floats of a bindless buffer; an element takes 8 bytes.
    BindlessLoadF32x2 "bindless_load_f32x2" [fn None (BufferTable, Is(U32, 1), Is(U32, 1)) -> Is(F32, 2)] = PURE,
        call "(table, buffer, element)";
    /// Three floats of a bindless buffer; an element takes 12 bytes.
    BindlessLoadF32x3 "bindless_load_f32x3" [fn None (BufferTable, Is(U32, 1), Is(U32, 1)) -> Is(F32, 3)] = PURE,
        call "(table, buffer, element)";
    /// Four floats of a bindless buffer; an element takes 16 bytes.
    BindlessLoadF32x4 "bindless_load_f32x4" [fn None (BufferTable, Is(U32, 1), Is(U32, 1)) -> Is(F32, 4)] = PURE,
        call "(table, buffer, element)";
    /// A `uint` of a bindless buffer.
    BindlessLoadU32 "bindless_load_u32" [fn None (BufferTable, Is(U32, 1), Is(U32, 1)) -> Is(U32, 1)] = PURE,
        call "(table, buffer, element)";
    /// A `Tex2D` of the table of textures, whose index may differ in each invocation.
    BindlessTex2d "bindless_tex2d" [fn None (TextureTable, Is(U32, 1)) -> Texture(D2, FLOAT)] = PURE | ADDRESS;
    /// A `TexCube` of the table of textures.
    BindlessTexCube "bindless_texcube" [fn None (TextureTable, Is(U32, 1)) -> Texture(CUBE, FLOAT)] = PURE | ADDRESS;
    /// A `Tex3D` of the table of textures.
    BindlessTex3d "bindless_tex3d" [fn None (TextureTable, Is(U32, 1)) -> Texture(D3, FLOAT)] = PURE | ADDRESS;
    /// A `TexDepth2D` of the table of textures.
    BindlessTexDepth "bindless_texdepth" [fn None (TextureTable, Is(U32, 1)) -> Texture(D2, DEPTH)] = PURE | ADDRESS;
}
