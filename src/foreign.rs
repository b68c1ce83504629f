//! Words of HLSL, GLSL, MSL, WGSL, Slang and C that Akari does not have, and what it has instead: one table.

use std::borrow::Cow;

/// Where a word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the beginning of an item.
    Item,
    /// At the beginning of a statement.
    Statement,
    /// Before the name in a declaration.
    Modifier,
    /// As a type.
    Type,
    /// As a function that is called.
    Function,
    /// As a method of a texture or buffer.
    Method,
    /// After `@`.
    Attribute,
    /// After the `:` behind a declaration, as HLSL has it.
    Semantic,
    /// As a value.
    Value,
    /// Between two operands.
    Operator,
    /// In the state of a `@sampler`.
    Sampler,
    /// In brackets before a statement, as HLSL has it.
    Bracket,
}

/// What Akari has instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instead {
    /// The same thing under this name.
    Name(&'static str),
    /// Something to be written otherwise.
    Advice(&'static str),
}

use Instead::{Advice, Name};

const CONSTANT: Instead = Advice("a constant is declared with `const NAME: type = value;`");
const BUFFER: Instead =
    Advice("a buffer is a binding: `@bind(group.name) name: Buf<T>` (or `RwBuf<T>`, `AtomicBuf<T>`)");
const UNIFORM: Instead = Advice("declare a `struct`, and bind it as `@bind(group.name) name: Uniform<Struct>`");
const TEXTURE: Instead =
    Advice("a texture is a binding: `@bind(group.name) name: Tex2D` (or `Tex3D`, `TexCube`, `RwTex2D<rgba16f>`, …)");
const SAMPLER: Instead = Advice("a sampler is declared as `@sampler(linear, clamp) name`");
const GROUP_MEMORY: Instead = Advice("group memory is a local: `@groupshared var name: type;`");
const FUNCTION: Instead = Advice("a function is declared with `fn name(…) -> type { … }`");
const TYPE: Instead = Advice("a type is declared with `struct`, `enum` or `bitfield`");
const NO_WORD: Instead = Advice("leave it out: Akari has no such word");
const LOCAL: Instead = Advice("a local is declared with `let` (immutable) or `var`");
const PASSING: Instead = Advice("how a parameter is passed is written after its colon: `name: inout type`");
const VARYING: Instead = Advice("fields that go from stage to stage are matched by their names: leave it out");
const SAMPLED: Instead = Advice("a texture is sampled by its method: `tex.sample(samp, uv)`");
const SAMPLED_LEVEL: Instead = Advice("a texture is sampled by its method: `tex.sample_level(samp, uv, level)`");
const LOADED: Instead = Advice("a texture is read by its method: `tex.load(coord)`");
const STORED: Instead = Advice("a texture is written by its method: `tex.store(coord, value)`");
const SIZED: Instead = Advice("a texture has the method `dimensions()`");
const COMPARED: Instead =
    Advice("vectors are compared with `<`, `<=`, `>`, `>=`, `==` and `!=`, component by component");
const NO_MEMORY_BARRIER: Instead = Advice("the only barrier is `barrier()`: of group memory, with all its threads");
const REGISTER: Instead = Advice("a resource is bound by name: `@bind(group.name)`; the manifest has its place");
const INTERFACE: Instead = Advice(
    "what an entry takes has an attribute: `@vertex_id`, `@instance_id`, `@dispatch_id`, `@group_id`, `@local_id`, `@local_index`, `@front_facing`; a position is a field with `@position`",
);
const THREADS: Instead = Advice("write `@compute(threads = (x, y, z))`");
const NO_ASSERTION: Instead = Advice("there are no assertions: leave it out");
const STATEMENTS: Instead = Advice("there are `if`, `for`, `while`, `do` and `switch`");

/// The words by the place they stand in.
const WORDS: &[(Place, &[&str], Instead)] = &[
    // Items.
    (Place::Item, &["static", "constexpr", "constant"], CONSTANT),
    (Place::Item, &["cbuffer", "tbuffer", "ConstantBuffer", "uniform"], UNIFORM),
    (
        Place::Item,
        &[
            "StructuredBuffer", "RWStructuredBuffer", "ByteAddressBuffer", "RWByteAddressBuffer", "Buffer", "RWBuffer",
            "buffer", "device", "AppendStructuredBuffer", "ConsumeStructuredBuffer",
        ],
        BUFFER,
    ),
    (
        Place::Item,
        &[
            "Texture2D", "Texture2DArray", "Texture3D", "TextureCube", "TextureCubeArray", "RWTexture2D",
            "RWTexture2DArray", "RWTexture3D", "sampler2D", "texture2D", "texture2d", "image2D",
        ],
        TEXTURE,
    ),
    (Place::Item, &["SamplerState", "SamplerComparisonState", "sampler"], SAMPLER),
    (Place::Item, &["groupshared", "shared", "threadgroup"], GROUP_MEMORY),
    (Place::Item, &["func", "function", "def", "fun"], FUNCTION),
    (
        Place::Item,
        &["kernel", "compute"],
        Advice("a compute entry is a function with `@compute(threads = (x, y, z))` before it"),
    ),
    (Place::Item, &["vertex"], Advice("a vertex entry is a function with `@vertex` before it")),
    (Place::Item, &["fragment", "pixel"], Advice("a fragment entry is a function with `@fragment` before it")),
    (Place::Item, &["class", "union"], TYPE),
    (
        Place::Item,
        &["type", "typedef", "alias", "typealias"],
        Advice("there are no other names for types: write the type itself"),
    ),
    (Place::Item, &["impl", "extension"], Advice("there are no methods: a function takes the struct as a parameter")),
    (
        Place::Item,
        &["interface", "trait", "protocol"],
        Advice(
            "there are no interfaces: functions may be overloaded by the types of their parameters, and passed to parameters such as `f: fn(float) -> float`",
        ),
    ),
    (Place::Item, &["const_assert", "static_assert", "_Static_assert"], NO_ASSERTION),
    (Place::Item, &["ParameterBlock"], Advice("resources are bound one by one: `@bind(group.name) name: type`")),
    (Place::Item, &["--"], Advice("a comment begins with `//`")),
    (
        Place::Item,
        &["template", "generic"],
        Advice("compile-time parameters are written in the parameter list: `fn f(const n: uint, …)`"),
    ),
    (
        Place::Item,
        &["import", "using", "use", "include"],
        Advice("modules are imported with `#import name` at the top of the file"),
    ),
    (Place::Item, &["require", "enable", "requires"], Advice("capabilities are named with `#require name`")),
    (
        Place::Item,
        &["namespace", "mod"],
        Advice("what belongs together is a file that begins with `#module name`; its names need no prefix"),
    ),
    (Place::Item, &["module", "shader", "package"], Advice("a file begins with `#shader name` or `#module name`")),
    (
        Place::Item,
        &["pub", "public", "export", "internal"],
        Advice("every item is visible to importers unless `private` stands before it"),
    ),
    (
        Place::Item,
        &["layout", "in", "out", "inout", "varying", "flat", "attribute"],
        Advice(
            "resources are bound with `@bind(group.name)`; what goes from stage to stage is a struct, returned by the vertex entry and `@stage_in` in the fragment entry",
        ),
    ),
    (Place::Item, &["inline", "extern", "precise", "highp", "mediump", "lowp", "precision"], NO_WORD),
    (Place::Item, &["var<workgroup>"], GROUP_MEMORY),
    (
        Place::Item,
        &["var<"],
        Advice("a resource is a binding of an entry: `@bind(group.name) name: Uniform<T>` (or `Buf<T>`, `RwBuf<T>`)"),
    ),
    (
        Place::Item,
        &["var<private>"],
        Advice("there are no global variables: pass it on as a parameter, `name: inout type`"),
    ),
    (Place::Item, &["var"], Advice("a constant is declared with `const`; variables stand in functions")),
    (
        Place::Item,
        &["override"],
        Advice(
            "what is chosen when a shader is compiled is a parameter `const name: type`, which an instance gives: `fn name = target(…);`",
        ),
    ),
    // Statements.
    (Place::Statement, &["elif", "elseif", "elsif"], Advice("write `else if (…) { … }`, in two words")),
    (Place::Statement, &["foreach", "unless", "until", "repeat"], STATEMENTS),
    (Place::Statement, &["loop", "forever"], Advice("a loop that is left by `break` is written `while (true) { … }`")),
    (
        Place::Statement,
        &["match"],
        Advice("there is the statement `switch (x) { case 0: … break; default: … break; }`, which has no value"),
    ),
    (
        Place::Statement,
        &["continuing"],
        Advice("what is done after each turn is the last part of a `for`: `for (…; …; i++) { … }`"),
    ),
    (Place::Statement, &["const_assert", "static_assert", "_Static_assert"], NO_ASSERTION),
    // Before a name.
    (Place::Modifier, &["static", "constexpr"], CONSTANT),
    (
        Place::Modifier,
        &["groupshared", "shared", "threadgroup", "workgroup"],
        Advice("group memory is declared with `@groupshared var name: type;`"),
    ),
    (Place::Modifier, &["auto", "def", "val"], LOCAL),
    (Place::Modifier, &["in", "out", "inout", "ref"], PASSING),
    (Place::Modifier, &["goto"], Advice("there are `break`, `continue` and `return`")),
    (Place::Modifier, &["nointerpolation", "flat"], Advice("a field that is not interpolated has `@flat` before it")),
    (
        Place::Modifier,
        &["noperspective"],
        Advice("a field that is interpolated without perspective has `@noperspective` before it"),
    ),
    (
        Place::Modifier,
        &[
            "new", "precise", "uniform", "highp", "mediump", "lowp", "linear", "centroid", "sample", "volatile",
            "register", "inline",
        ],
        NO_WORD,
    ),
    // Types.
    (Place::Type, &["vec2", "vec2f"], Name("float2")),
    (Place::Type, &["vec3", "vec3f", "packed_float3"], Name("float3")),
    (Place::Type, &["vec4", "vec4f"], Name("float4")),
    (Place::Type, &["vec2h", "f16vec2", "float16_t2", "min16float2"], Name("half2")),
    (Place::Type, &["vec3h", "f16vec3", "float16_t3", "min16float3"], Name("half3")),
    (Place::Type, &["vec4h", "f16vec4", "float16_t4", "min16float4"], Name("half4")),
    (Place::Type, &["ivec2", "vec2i"], Name("int2")),
    (Place::Type, &["ivec3", "vec3i"], Name("int3")),
    (Place::Type, &["ivec4", "vec4i"], Name("int4")),
    (Place::Type, &["uvec2", "vec2u"], Name("uint2")),
    (Place::Type, &["uvec3", "vec3u"], Name("uint3")),
    (Place::Type, &["uvec4", "vec4u"], Name("uint4")),
    (Place::Type, &["bvec2"], Name("bool2")),
    (Place::Type, &["bvec3"], Name("bool3")),
    (Place::Type, &["bvec4"], Name("bool4")),
    (Place::Type, &["mat2", "mat2x2", "mat2x2f"], Name("float2x2")),
    (Place::Type, &["mat2x3", "mat2x3f"], Name("float2x3")),
    (Place::Type, &["mat2x4", "mat2x4f"], Name("float2x4")),
    (Place::Type, &["mat3x2", "mat3x2f"], Name("float3x2")),
    (Place::Type, &["mat3", "mat3x3", "mat3x3f"], Name("float3x3")),
    (Place::Type, &["mat3x4", "mat3x4f"], Name("float3x4")),
    (Place::Type, &["mat4x2", "mat4x2f"], Name("float4x2")),
    (Place::Type, &["mat4x3", "mat4x3f"], Name("float4x3")),
    (Place::Type, &["mat4", "mat4x4", "mat4x4f", "matrix"], Name("float4x4")),
    (Place::Type, &["double", "float32_t"], Name("float")),
    (Place::Type, &["float16_t", "min16float"], Name("half")),
    (Place::Type, &["unsigned", "uint32_t", "dword", "DWORD", "ushort", "uint16_t"], Name("uint")),
    (Place::Type, &["int32_t", "short", "int16_t", "long"], Name("int")),
    (Place::Type, &["uint64_t", "ulong", "size_t", "usize"], Name("uint64")),
    (Place::Type, &["i64", "int64", "int64_t"], Advice("there is no signed type of 64 bits: take `uint64`")),
    (
        Place::Type,
        &["u8", "i8", "u16", "i16", "uchar", "uint8_t", "int8_t", "byte", "char"],
        Advice(
            "there are integers of 32 bits and `uint64`; smaller ones are packed into a `uint`, in a `bitfield` say",
        ),
    ),
    (Place::Type, &["float1"], Name("float")),
    (Place::Type, &["int1"], Name("int")),
    (Place::Type, &["uint1"], Name("uint")),
    (Place::Type, &["half1"], Name("half")),
    (Place::Type, &["boolean"], Name("bool")),
    (Place::Type, &["uint642", "uint643", "uint644"], Advice("there are no vectors of `uint64`")),
    (Place::Type, &["void"], Advice("a function without a result has no `->`")),
    (Place::Type, &["array"], Advice("an array type is written `type[length]`, as `float[4]`")),
    (Place::Type, &["ptr"], Advice("a parameter is borrowed with `name: inout type`")),
    (
        Place::Type,
        &["atomic", "atomic_uint", "atomic_int"],
        Advice("atomics work on `AtomicBuf<uint>` and on `@groupshared` arrays of `uint` or `int`"),
    ),
    (Place::Type, &["Texture2D", "texture2D", "texture2d", "texture_2d", "sampler2D"], Name("Tex2D")),
    (Place::Type, &["Texture2DArray", "texture2d_array", "texture_2d_array", "sampler2DArray"], Name("Tex2DArray")),
    (Place::Type, &["Texture3D", "texture3d", "texture_3d", "sampler3D"], Name("Tex3D")),
    (Place::Type, &["TextureCube", "texturecube", "texture_cube", "samplerCube"], Name("TexCube")),
    (
        Place::Type,
        &["TextureCubeArray", "texturecube_array", "texture_cube_array", "samplerCubeArray"],
        Name("TexCubeArray"),
    ),
    (Place::Type, &["depth2d", "texture_depth_2d", "sampler2DShadow", "Texture2DDepth"], Name("TexDepth2D")),
    (Place::Type, &["RWTexture2D", "image2D", "texture_storage_2d"], Name("RwTex2D")),
    (
        Place::Type,
        &["TexDepth2DArray", "depth2d_array", "texture_depth_2d_array", "sampler2DArrayShadow"],
        Advice("several depth textures are a resource array: `TexDepth2D[N]`"),
    ),
    (
        Place::Type,
        &["RwTex2DArray", "RWTexture2DArray", "image2DArray", "texture_storage_2d_array"],
        Advice("several storage textures are a resource array: `RwTex2D<format>[N]`"),
    ),
    (Place::Type, &["RWTexture3D", "image3D", "texture_storage_3d"], Name("RwTex3D")),
    (Place::Type, &["SamplerState", "sampler"], Name("Sampler")),
    (Place::Type, &["SamplerComparisonState", "sampler_comparison"], Name("SamplerCmp")),
    (Place::Type, &["StructuredBuffer", "Buffer"], Name("Buf")),
    (Place::Type, &["RWStructuredBuffer", "RWBuffer"], Name("RwBuf")),
    (Place::Type, &["ByteAddressBuffer"], Advice("there are typed buffers only: `Buf<uint>`")),
    (
        Place::Type,
        &["RWByteAddressBuffer"],
        Advice("there are typed buffers only: `RwBuf<uint>`, or `AtomicBuf<uint>`"),
    ),
    (Place::Type, &["ConstantBuffer", "cbuffer"], Name("Uniform")),
    (
        Place::Type,
        &[
            "RaytracingAccelerationStructure", "acceleration_structure", "instance_acceleration_structure",
            "accelerationStructureEXT",
        ],
        Name("AccelStruct"),
    ),
    (
        Place::Type,
        &["RayQuery", "RayDesc", "rayQueryEXT", "ray_query", "intersector", "intersection_query"],
        Advice(
            "a ray is cast in one call: `rt_trace`, `rt_visibility` or `rt_occluder_distance` with `(scene, origin, direction, t_min, t_max, mask)`",
        ),
    ),
    (Place::Function, &["TraceRay", "traceRayEXT", "rayQueryInitializeEXT", "rayQueryInitialize"], Name("rt_trace")),
    // Functions.
    (Place::Function, &["lerp"], Name("mix")),
    (Place::Function, &["frac"], Name("fract")),
    (Place::Function, &["mod", "fmod"], Advice("use the operator `%`")),
    (
        Place::Function,
        &["dfdx", "dFdx", "dpdx", "ddx_fine", "ddx_coarse", "dFdxFine", "dFdxCoarse", "dpdxFine", "dpdxCoarse"],
        Name("ddx"),
    ),
    (
        Place::Function,
        &["dfdy", "dFdy", "dpdy", "ddy_fine", "ddy_coarse", "dFdyFine", "dFdyCoarse", "dpdyFine", "dpdyCoarse"],
        Name("ddy"),
    ),
    (Place::Function, &["fwidth"], Advice("write `abs(ddx(x)) + abs(ddy(x))`")),
    (Place::Function, &["mad"], Name("fma")),
    (Place::Function, &["inversesqrt", "inverseSqrt", "invsqrt"], Name("rsqrt")),
    (Place::Function, &["asuint", "floatBitsToUint"], Name("as_uint")),
    (Place::Function, &["asint", "floatBitsToInt"], Name("as_int")),
    (Place::Function, &["asfloat", "uintBitsToFloat", "intBitsToFloat"], Name("as_float")),
    (
        Place::Function,
        &["bitcast", "as_type", "reinterpret_cast"],
        Advice("the bits are taken by `as_uint`, `as_int` and `as_float`"),
    ),
    (Place::Function, &["static_cast"], Advice("write `type(value)` or `value as type`")),
    (Place::Function, &["popcount", "bitCount", "countOneBits"], Name("countbits")),
    (Place::Function, &["findLSB", "firstTrailingBit", "countTrailingZeros", "ctz"], Name("firstbitlow")),
    (Place::Function, &["findMSB", "firstLeadingBit"], Name("firstbithigh")),
    (Place::Function, &["bitfieldReverse", "reverseBits", "reverse_bits"], Name("reversebits")),
    (Place::Function, &["bitfieldExtract", "extractBits"], Name("extract_bits")),
    (Place::Function, &["bitfieldInsert", "insertBits"], Name("insert_bits")),
    (
        Place::Function,
        &["inverse", "determinant", "outerProduct", "outer_product"],
        Advice("write it out, or compute it on the CPU"),
    ),
    (Place::Function, &["rcp"], Advice("write `1.0 / x`")),
    (Place::Function, &["clip"], Advice("write `if (x < 0.0) { discard; }`")),
    (Place::Function, &["sincos"], Advice("write `sin(x)` and `cos(x)`")),
    (Place::Function, &["radians"], Advice("write `x * (PI / 180.0)` with a constant of your own")),
    (Place::Function, &["degrees"], Advice("write `x * (180.0 / PI)` with a constant of your own")),
    (Place::Function, &["log10"], Advice("write `log2(x) * 0.30102999`")),
    (Place::Function, &["fmin"], Name("min")),
    (Place::Function, &["fmax"], Name("max")),
    (Place::Function, &["fabs"], Name("abs")),
    (Place::Function, &["powr"], Name("pow")),
    (Place::Function, &["rint", "roundEven"], Name("round")),
    (Place::Function, &["mid3"], Name("median3")),
    (Place::Function, &["isfinite"], Advice("write `!(isnan(x) || isinf(x))`")),
    (Place::Function, &["matrixCompMult"], Advice("multiply column by column")),
    (Place::Function, &["lessThan", "lessThanEqual", "greaterThan", "greaterThanEqual", "equal", "notEqual"], COMPARED),
    (Place::Function, &["not"], Advice("use the operator `!`")),
    (Place::Function, &["texture", "tex2D", "texture2D", "textureSample", "texCUBE", "tex3D"], SAMPLED),
    (Place::Function, &["textureLod", "tex2Dlod", "texture2DLod", "textureSampleLevel"], SAMPLED_LEVEL),
    (
        Place::Function,
        &["textureGrad", "tex2Dgrad", "textureSampleGrad"],
        Advice("a texture is sampled by its method: `tex.sample_grad(samp, uv, ddx, ddy)`"),
    ),
    (
        Place::Function,
        &["textureSampleCompare", "textureSampleCompareLevel", "shadow2D"],
        Advice("a depth texture is compared by its method: `tex.sample_cmp(samp, uv, reference)`"),
    ),
    (Place::Function, &["textureGather"], Advice("a texture is gathered by its method: `tex.gather(samp, uv)`")),
    (Place::Function, &["texelFetch", "textureLoad", "imageLoad"], LOADED),
    (Place::Function, &["textureStore", "imageStore"], STORED),
    (
        Place::Function,
        &["textureSize", "textureDimensions", "imageSize", "textureQueryLevels", "textureNumLevels"],
        SIZED,
    ),
    (Place::Function, &["InterlockedAdd", "atomicAdd", "atomic_fetch_add_explicit"], Name("atomic_add")),
    (Place::Function, &["atomicSub", "atomic_fetch_sub_explicit"], Name("atomic_sub")),
    (Place::Function, &["InterlockedMin", "atomicMin", "atomic_fetch_min_explicit"], Name("atomic_min")),
    (Place::Function, &["InterlockedMax", "atomicMax", "atomic_fetch_max_explicit"], Name("atomic_max")),
    (Place::Function, &["InterlockedAnd", "atomicAnd", "atomic_fetch_and_explicit"], Name("atomic_and")),
    (Place::Function, &["InterlockedOr", "atomicOr", "atomic_fetch_or_explicit"], Name("atomic_or")),
    (Place::Function, &["InterlockedXor", "atomicXor", "atomic_fetch_xor_explicit"], Name("atomic_xor")),
    (Place::Function, &["InterlockedExchange", "atomicExchange", "atomic_exchange_explicit"], Name("atomic_exchange")),
    (
        Place::Function,
        &[
            "InterlockedCompareExchange", "InterlockedCompareStore", "atomicCompSwap", "atomicCompareExchangeWeak",
            "atomic_compare_exchange_weak_explicit",
        ],
        Name("atomic_compare_exchange"),
    ),
    (
        Place::Function,
        &["atomicLoad", "atomicStore", "atomic_load", "atomic_store", "atomic_load_explicit", "atomic_store_explicit"],
        Advice("an `AtomicBuf` is read and written by its index: `buffer[i]`"),
    ),
    (
        Place::Function,
        &[
            "GroupMemoryBarrierWithGroupSync", "threadgroup_barrier", "workgroupBarrier",
            "groupMemoryBarrierWithGroupSync", "syncthreads", "__syncthreads", "controlBarrier",
        ],
        Name("barrier"),
    ),
    (
        Place::Function,
        &[
            "GroupMemoryBarrier", "AllMemoryBarrier", "AllMemoryBarrierWithGroupSync", "DeviceMemoryBarrier",
            "DeviceMemoryBarrierWithGroupSync", "memoryBarrier", "memoryBarrierShared", "memoryBarrierBuffer",
            "groupMemoryBarrier", "storageBarrier", "simdgroup_barrier",
        ],
        NO_MEMORY_BARRIER,
    ),
    (Place::Function, &["WaveActiveSum", "subgroupAdd", "simd_sum"], Name("wave_sum")),
    (Place::Function, &["WavePrefixSum", "subgroupExclusiveAdd", "simd_prefix_exclusive_sum"], Name("wave_prefix_sum")),
    (Place::Function, &["WaveIsFirstLane", "subgroupElect", "simd_is_first"], Name("wave_is_first")),
    (
        Place::Function,
        &["WaveReadLaneFirst", "subgroupBroadcastFirst", "simd_broadcast_first"],
        Name("wave_read_first"),
    ),
    (Place::Function, &["WaveActiveAnyTrue", "subgroupAny", "simd_any"], Name("wave_any")),
    (Place::Function, &["WaveActiveAllTrue", "subgroupAll", "simd_all"], Name("wave_all")),
    (Place::Function, &["WaveActiveCountBits", "subgroupBallotBitCount"], Name("wave_count")),
    (Place::Function, &["WavePrefixCountBits", "subgroupBallotExclusiveBitCount"], Name("wave_prefix_count")),
    (
        Place::Function,
        &["WaveGetLaneIndex", "subgroup_invocation_id", "gl_SubgroupInvocationID", "wave_lane_index"],
        Advice("`wave_prefix_count(true)` numbers the active lanes"),
    ),
    (
        Place::Function,
        &["WaveGetLaneCount", "wave_lane_count"],
        Advice("`wave_count(true)` is how many lanes are active"),
    ),
    (
        Place::Function,
        &[
            "WaveActiveMin", "WaveActiveMax", "WaveActiveProduct", "WaveActiveBallot", "WaveActiveBitAnd",
            "WaveActiveBitOr", "WaveActiveBitXor", "WaveReadLaneAt", "WavePrefixProduct", "WaveActiveAllEqual",
            "WaveMatch", "subgroupMin", "subgroupMax", "subgroupMul", "subgroupBallot", "subgroupAnd", "subgroupOr",
            "subgroupXor", "subgroupBroadcast", "subgroupShuffle", "subgroupShuffleXor", "subgroupInclusiveAdd",
            "simd_min", "simd_max", "simd_product", "simd_shuffle", "simd_ballot", "QuadReadAcrossX",
            "QuadReadAcrossY", "QuadReadAcrossDiagonal", "QuadReadLaneAt", "quad_broadcast", "subgroupQuadBroadcast",
        ],
        Advice(
            "lanes are summed, counted, asked and read by `wave_sum`, `wave_count`, `wave_any`, `wave_all`, `wave_read_first` and the prefixes; all else goes through group memory",
        ),
    ),
    (Place::Function, &["packHalf2x16", "pack2x16float"], Name("pack_half2x16")),
    (Place::Function, &["unpackHalf2x16", "unpack2x16float"], Name("unpack_half2x16")),
    (Place::Function, &["packUnorm4x8", "pack4x8unorm", "pack_float_to_unorm4x8"], Name("pack_unorm4x8")),
    (Place::Function, &["unpackUnorm4x8", "unpack4x8unorm", "unpack_unorm4x8_to_float"], Name("unpack_unorm4x8")),
    (Place::Function, &["packUnorm2x16", "pack2x16unorm", "pack_float_to_unorm2x16"], Name("pack_unorm2x16")),
    (Place::Function, &["unpackUnorm2x16", "unpack2x16unorm", "unpack_unorm2x16_to_float"], Name("unpack_unorm2x16")),
    (Place::Function, &["packSnorm2x16", "pack2x16snorm", "pack_float_to_snorm2x16"], Name("pack_snorm2x16")),
    (Place::Function, &["unpackSnorm2x16", "unpack2x16snorm", "unpack_snorm2x16_to_float"], Name("unpack_snorm2x16")),
    (Place::Function, &["f32tof16"], Advice("write `pack_half2x16(float2(x, 0.0))`")),
    (Place::Function, &["f16tof32"], Advice("write `unpack_half2x16(x).x`")),
    (
        Place::Function,
        &["NonUniformResourceIndex", "nonuniformEXT"],
        Advice("leave it out: indices into tables may differ between threads"),
    ),
    (Place::Function, &["printf", "debugPrintfEXT", "assert"], Advice("there is no output but buffers and textures")),
    // Methods.
    (Place::Method, &["Sample"], Name("sample")),
    (
        Place::Method,
        &["SampleBias", "sample_bias"],
        Advice("no level is biased: name it in `sample_level`, or scale the gradients of `sample_grad`"),
    ),
    (Place::Method, &["SampleLevel", "sample_lod"], Name("sample_level")),
    (Place::Method, &["SampleGrad"], Name("sample_grad")),
    (Place::Method, &["SampleCmp", "SampleCmpLevelZero", "sample_compare"], Name("sample_cmp")),
    (Place::Method, &["Gather"], Name("gather")),
    (Place::Method, &["GatherRed", "gather_red"], Advice("write `.gather(sampler, coordinate, 0)`")),
    (Place::Method, &["GatherGreen", "gather_green"], Advice("write `.gather(sampler, coordinate, 1)`")),
    (Place::Method, &["GatherBlue", "gather_blue"], Advice("write `.gather(sampler, coordinate, 2)`")),
    (Place::Method, &["GatherAlpha", "gather_alpha"], Advice("write `.gather(sampler, coordinate, 3)`")),
    (
        Place::Method,
        &[
            "CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped", "calculate_clamped_lod",
            "calculate_unclamped_lod",
        ],
        Advice("compute the level from `ddx` and `ddy` of the coordinate"),
    ),
    (Place::Method, &["GatherCmp", "gather_compare"], Name("gather_cmp")),
    (Place::Method, &["Load", "read", "fetch"], Name("load")),
    (Place::Method, &["Store", "write"], Name("store")),
    (Place::Method, &["GetDimensions", "get_width", "get_height", "get_depth", "size"], Name("dimensions")),
    (Place::Method, &["get_num_mip_levels", "GetNumberOfLevels"], Name("mip_levels")),
    // Attributes.
    (Place::Attribute, &["workgroup_size", "numthreads", "threads", "local_size", "shader"], THREADS),
    (Place::Attribute, &["builtin"], INTERFACE),
    (Place::Attribute, &["group", "binding", "register", "buffer", "texture"], REGISTER),
    (Place::Attribute, &["interpolate", "nointerpolation"], Advice("write `@flat` or `@noperspective`")),
    (Place::Attribute, &["pixel", "ps", "frag"], Name("fragment")),
    (Place::Attribute, &["kernel", "cs"], Name("compute")),
    (Place::Attribute, &["vs", "vert"], Name("vertex")),
    (Place::Attribute, &["depth", "frag_depth", "sample_mask"], Advice("a fragment entry gives colours only")),
    (
        Place::Attribute,
        &[
            "primitive_id", "sample_index", "sample_id", "view_index", "layer", "point_size", "viewport",
            "subgroup_size", "num_workgroups",
        ],
        Advice("Akari has no such system value"),
    ),
    (
        Place::Attribute,
        &["inline", "always_inline", "noinline", "must_use", "const", "precise", "invariant", "derive"],
        Advice("leave it out: Akari has no such attribute"),
    ),
    (
        Place::Attribute,
        &["global_id", "global_invocation_id", "thread_position_in_grid", "thread_id", "dispatch_thread_id"],
        Name("dispatch_id"),
    ),
    (Place::Attribute, &["workgroup_id", "threadgroup_position_in_grid"], Name("group_id")),
    (Place::Attribute, &["local_invocation_id", "thread_position_in_threadgroup", "group_thread_id"], Name("local_id")),
    (Place::Attribute, &["local_invocation_index", "thread_index_in_threadgroup", "group_index"], Name("local_index")),
    (Place::Attribute, &["vertex_index"], Name("vertex_id")),
    (Place::Attribute, &["instance_index"], Name("instance_id")),
    (Place::Attribute, &["front_face", "is_front_face"], Name("front_facing")),
    (Place::Attribute, &["shared", "workgroup", "threadgroup"], Name("groupshared")),
    (Place::Attribute, &["color"], Name("location")),
    (Place::Attribute, &["semantic", "user"], VARYING),
    (
        Place::Attribute,
        &["size", "align", "offset", "repr", "std140", "std430"],
        Advice("the layout follows from the types: `akari transpile --dump-layout` shows it; `@packed` packs a struct"),
    ),
    // Semantics.
    (Place::Semantic, &["SV_Position", "SV_POSITION", "POSITION"], Advice("write `@position` before the field")),
    (
        Place::Semantic,
        &[
            "SV_Target", "SV_TARGET", "SV_Target0", "SV_Target1", "SV_Target2", "SV_Target3", "SV_Target4",
            "SV_Target5", "SV_Target6", "SV_Target7", "SV_TARGET0", "SV_TARGET1", "SV_TARGET2", "SV_TARGET3",
        ],
        Advice(
            "a result is colour target 0; the fields of a struct have `@location(n)` or `@target(group.name)` before them",
        ),
    ),
    (Place::Semantic, &["SV_VertexID", "SV_VERTEXID"], Advice("write `@vertex_id` before the parameter")),
    (Place::Semantic, &["SV_InstanceID", "SV_INSTANCEID"], Advice("write `@instance_id` before the parameter")),
    (
        Place::Semantic,
        &["SV_DispatchThreadID", "SV_DispatchThreadId"],
        Advice("write `@dispatch_id` before the parameter"),
    ),
    (Place::Semantic, &["SV_GroupID", "SV_GroupId"], Advice("write `@group_id` before the parameter")),
    (Place::Semantic, &["SV_GroupThreadID", "SV_GroupThreadId"], Advice("write `@local_id` before the parameter")),
    (Place::Semantic, &["SV_GroupIndex"], Advice("write `@local_index` before the parameter")),
    (Place::Semantic, &["SV_IsFrontFace"], Advice("write `@front_facing` before the parameter")),
    (Place::Semantic, &["SV_ClipDistance", "SV_ClipDistance0"], Advice("write `@clip_distance` before the field")),
    (
        Place::Semantic,
        &[
            "TEXCOORD", "TEXCOORD0", "TEXCOORD1", "TEXCOORD2", "TEXCOORD3", "TEXCOORD4", "TEXCOORD5", "TEXCOORD6",
            "TEXCOORD7", "COLOR", "COLOR0", "COLOR1", "NORMAL", "NORMAL0", "TANGENT", "TANGENT0", "BINORMAL",
        ],
        VARYING,
    ),
    (Place::Semantic, &["register", "packoffset"], REGISTER),
    // Values.
    (Place::Value, &["gl_Position"], Advice("the position is the `@position` field of what the vertex entry returns")),
    (Place::Value, &["gl_FragCoord"], Advice("the position is the `@position` field of the `@stage_in` struct")),
    (Place::Value, &["gl_FragColor", "gl_FragData"], Advice("a colour is what the fragment entry returns")),
    (Place::Value, &["gl_VertexIndex", "gl_VertexID"], Advice("take a parameter `@vertex_id name: uint`")),
    (Place::Value, &["gl_InstanceIndex", "gl_InstanceID"], Advice("take a parameter `@instance_id name: uint`")),
    (Place::Value, &["gl_GlobalInvocationID"], Advice("take a parameter `@dispatch_id name: uint3`")),
    (Place::Value, &["gl_WorkGroupID"], Advice("take a parameter `@group_id name: uint3`")),
    (Place::Value, &["gl_LocalInvocationID"], Advice("take a parameter `@local_id name: uint3`")),
    (Place::Value, &["gl_LocalInvocationIndex"], Advice("take a parameter `@local_index name: uint`")),
    (Place::Value, &["gl_FrontFacing"], Advice("take a parameter `@front_facing name: bool`")),
    (
        Place::Value,
        &["null", "nullptr", "NULL", "nil"],
        Advice("there are no pointers; a missing optional resource is `none`"),
    ),
    (Place::Value, &["TRUE", "True"], Name("true")),
    (Place::Value, &["FALSE", "False"], Name("false")),
    (Place::Value, &["this", "self"], Advice("a function takes what it works on as a parameter")),
    // Operators.
    (Place::Operator, &["and"], Name("&&")),
    (Place::Operator, &["or"], Name("||")),
    (Place::Operator, &["xor"], Name("^")),
    (Place::Operator, &["mod"], Name("%")),
    (Place::Operator, &["eq", "==="], Name("==")),
    (Place::Operator, &["ne", "!==", "<>"], Name("!=")),
    (Place::Operator, &["**"], Advice("write `pow(x, y)`")),
    (Place::Operator, &[":="], LOCAL),
    // States of samplers.
    (Place::Sampler, &["wrap", "repeating"], Name("repeat")),
    (Place::Sampler, &["nearest"], Name("point")),
    (Place::Sampler, &["bilinear", "trilinear", "anisotropic"], Name("linear")),
    (Place::Sampler, &["clamp_to_edge", "clamped", "edge"], Name("clamp")),
    (Place::Sampler, &["mirror_repeat", "mirrored_repeat", "mirrored"], Name("mirror")),
    (Place::Sampler, &["lequal"], Name("less_equal")),
    (Place::Sampler, &["gequal"], Name("greater_equal")),
    // Attributes in brackets.
    (Place::Bracket, &["unroll", "fastopt"], Advice("write `@unroll` or `@unroll(count)` before the loop")),
    (Place::Bracket, &["loop", "allow_uav_condition"], Advice("write `@loop` before the loop")),
    (Place::Bracket, &["branch"], Advice("write `@branch` before the `if`")),
    (Place::Bracket, &["flatten"], Advice("write `@flatten` before the `if`")),
    (Place::Bracket, &["forcecase", "call"], Advice("leave it out: a `switch` takes no attributes")),
];

fn find(place: Place, word: &str) -> Option<Instead> {
    WORDS.iter().find(|(at, words, _)| *at == place && words.contains(&word)).map(|(_, _, instead)| *instead)
}

/// Akari's name for what another language calls `word`.
pub(crate) fn name(place: Place, word: &str) -> Option<&'static str> {
    match find(place, word)? {
        Name(name) => Some(name),
        Advice(_) => None,
    }
}

/// What to write instead of a word of another language.
pub(crate) fn help(place: Place, word: &str) -> Option<Cow<'static, str>> {
    Some(match find(place, word)? {
        Name(name) => {
            let at = if place == Place::Attribute { "@" } else { "" };
            Cow::Owned(format!("Akari calls it `{at}{name}`"))
        }
        Advice(advice) => Cow::Borrowed(advice),
    })
}

/// What to write instead of a type of another language with the type argument `argument`: of `vec3<u32>`, `uint3`.
pub(crate) fn type_help(word: &str, argument: Option<&str>) -> Option<Cow<'static, str>> {
    let scalar = match argument? {
        "f32" | "float" => "float",
        "f16" | "half" => "half",
        "i32" | "int" => "int",
        "u32" | "uint" => "uint",
        "bool" => "bool",
        _ => return help(Place::Type, word),
    };
    let shape = match word {
        "vec2" | "vec3" | "vec4" => &word[3..],
        "vector" => return Some(Cow::Owned(format!("Akari calls it `{scalar}2`, `{scalar}3` or `{scalar}4`"))),
        _ => return help(Place::Type, word),
    };
    Some(Cow::Owned(format!("Akari calls it `{scalar}{shape}`")))
}

/// Whether `word` is a type, function or value of another language.
pub(crate) fn is_known(word: &str) -> bool {
    [Place::Type, Place::Function, Place::Value].into_iter().any(|place| find(place, word).is_some())
}

#[cfg(test)]
mod tests {
    use akari_dialect::Builtin;

    use super::*;
    use crate::sema::types::{GENERICS, plain_type};

    #[test]
    fn every_name_is_one_of_akari() {
        for (place, words, instead) in WORDS {
            let Name(name) = instead else { continue };
            let known = match place {
                Place::Type => plain_type(name).is_some() || GENERICS.iter().any(|(generic, _)| generic == name),
                Place::Function => Builtin::function(name).is_some(),
                Place::Method => {
                    Builtin::ALL.iter().any(|builtin| builtin.name().strip_prefix("texture_") == Some(name))
                }
                _ => true,
            };
            assert!(known, "{words:?}: {name}");
        }
    }

    #[test]
    fn no_word_is_akaris_own() {
        for (place, words, _) in WORDS {
            for word in *words {
                let own = match place {
                    Place::Type => plain_type(word).is_some() || GENERICS.iter().any(|(generic, _)| generic == word),
                    Place::Function => Builtin::function(word).is_some(),
                    _ => false,
                };
                assert!(!own, "{word}");
            }
        }
    }
}
