//! Names, many of which a target keeps for itself. Names of items and of locals are apart, as a local would hide the item.

use super::random::Random;

/// For locals, parameters and fields.
pub const LOCALS: &[&str] = &[
    "a", "b", "count", "value", "sample", "kernel", "device", "constant", "thread", "threadgroup", "vertex",
    "fragment", "vector", "matrix", "register", "cbuffer", "texture", "sampler", "buffer", "precise", "groupshared",
    "distance", "length", "sin", "pow", "lerp", "frac", "rsqrt", "ddx", "mad", "SV_Position", "SV_Target", "main",
    "metal", "std", "simd_sum", "WaveActiveSum", "min16float", "dword", "string", "technique", "pass", "line", "point",
    "triangle", "lineadj", "linear", "centroid", "globallycoherent", "unsigned", "long", "short", "char", "double",
    "this", "class", "template", "typename", "operator", "new", "delete", "auto", "goto", "friend", "public",
    "virtual", "union", "typedef", "namespace", "using", "inline", "static", "extern", "volatile", "mutable",
    "explicit", "throw", "try", "catch", "alignas", "constexpr", "decltype", "nullptr", "noexcept", "and", "or", "not",
    "xor", "bitand", "compl", "char8_t", "uchar", "ushort", "ulong", "size_t", "uint8_t", "int32_t", "float2x4_t",
    "half4x4", "int4x4", "bool2x2", "packed_float3", "atomic_uint", "a__b", "a_b", "a_b_", "_a", "_", "__x", "x_1",
    "x_2", "x", "x1", "gl_Position", "type", "out", "in_", "result", "self", "NULL", "TRUE", "interface", "export",
    "asm", "asm_fragment", "snorm", "unorm", "packoffset", "row_major", "column_major", "shared", "stateblock",
    "tbuffer", "uniform", "compile", "visible", "ray_data", "object_data", "mesh", "access", "select_", "as_type",
    "isnormal", "fmin", "mix_", "bitcast", "half_", "E", "M_PI_F", "INT_MAX", "FLT_MAX", "assert",
];

/// For items.
pub const ITEMS: &[&str] = &[
    "Foo", "Surface", "light", "shade", "mad24", "fmod", "ldexp", "clip", "lit", "noise", "log10", "D3DCOLORtoUBYTE4",
    "transpose_all", "Texture2D_", "ByteAddressBuffer", "RWTexture2D", "StructuredBuffer", "SamplerState", "RayDesc",
    "thread_index", "read_only", "imageblock", "dispatch", "quad_sum", "simd_any", "popcount", "clz", "ctz", "madsat",
    "mulhi", "rotate", "hadd", "absdiff", "copysign", "nextafter", "fdim", "rint", "InterlockedAdd",
    "AllMemoryBarrier", "asfloat", "asuint", "f32tof16", "firstbithigh_", "mul_", "dst", "sincos", "modf", "frexp",
    "printf", "abort", "errorf", "is_null", "Point", "Line", "Vector", "Matrix", "Item", "outer__inner",
    "pack_float_to_unorm4x8", "thread_position", "vec", "vec3", "mat4", "float3_", "precision", "highp", "layout",
    "subroutine", "patch", "invariant", "smooth", "buffer_", "coherent", "restrict", "readonly", "writeonly", "Helper",
    "helper", "helper_1", "helper__1",
];

/// Gives names.
#[derive(Debug, Default)]
pub(super) struct Names {
    items: Vec<String>,
}

impl Names {
    /// For an item; never twice.
    pub(super) fn item(&mut self, random: &mut Random) -> String {
        let mut name = random.pick(ITEMS).to_owned();
        while self.items.contains(&name) {
            name = format!("{name}{}", random.below(10));
        }
        self.items.push(name.clone());
        name
    }

    /// For a local or field that is not one of `taken`.
    pub(super) fn local(random: &mut Random, taken: &[String]) -> String {
        let mut name = random.pick(LOCALS).to_owned();
        while name == "_" || taken.contains(&name) {
            name = format!("{name}{}", random.below(10));
        }
        name
    }
}
