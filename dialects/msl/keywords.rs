//! Words that a name in MSL may not be: those of C++17, of Metal, and macros of its headers.

/// Keywords, names of types and macros: never a name of anything.
pub static KEYWORDS: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "atomic_bool", "atomic_float", "atomic_int", "atomic_uint", "atomic_ulong", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "class", "compl", "const", "const_cast", "constant", "constexpr",
    "continue", "decltype", "default", "delete", "device", "do", "double", "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
    "final", "float", "for", "fragment", "friend", "goto", "half", "if", "inline", "int", "intersection", "kernel", "long", "main", "mesh", "metal", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "object", "object_data", "operator", "or", "or_eq", "override", "private",
    "protected", "ptrdiff_t", "public", "ray_data", "register", "reinterpret_cast", "return", "sampler", "short", "signed", "size_t", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread", "thread_local", "threadgroup", "threadgroup_imageblock",
    "throw", "true", "try", "typedef", "typeid", "typename", "uint", "ulong", "union", "unsigned", "uchar", "ushort", "using", "vertex", "virtual",
    "visible", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "bfloat", "vec", "matrix", "array", "array_ref", "packed_vec",
    "bool2", "bool3", "bool4", "char2", "char3", "char4", "float2", "float3", "float4", "half2", "half3", "half4", "int2", "int3", "int4",
    "long2", "long3", "long4", "short2", "short3", "short4", "uchar2", "uchar3", "uchar4", "uint2", "uint3", "uint4", "ulong2", "ulong3", "ulong4",
    "ushort2", "ushort3", "ushort4", "float2x2", "float2x3", "float2x4", "float3x2", "float3x3", "float3x4", "float4x2", "float4x3", "float4x4",
    "half2x2", "half2x3", "half2x4", "half3x2", "half3x3", "half3x4", "half4x2", "half4x3", "half4x4", "packed_bool2", "packed_bool3",
    "packed_bool4", "packed_float2", "packed_float3", "packed_float4", "packed_half2", "packed_half3", "packed_half4", "packed_int2", "packed_int3",
    "packed_int4", "packed_uint2", "packed_uint3", "packed_uint4", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "atomic", "texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture2d_ms", "texture2d_ms_array", "texture3d",
    "texturecube", "texturecube_array", "texture_buffer", "depth2d", "depth2d_array", "depth2d_ms", "depth2d_ms_array", "depthcube",
    "depthcube_array", "command_buffer", "compute_pipeline_state", "render_pipeline_state", "acceleration_structure", "imageblock",
    "access", "address", "coord", "filter", "mag_filter", "min_filter", "mip_filter", "s_address", "t_address", "r_address", "compare_func",
    "border_color", "component", "level", "bias", "gradient2d", "gradient3d", "gradientcube", "lod_clamp", "lod_options", "memory_order",
    "memory_order_relaxed", "mem_flags", "thread_scope", "quad_group", "simdgroup", "raytracing", "mesh_grid_properties", "interpolant",
    "INFINITY", "NAN", "HUGE_VALF", "HUGE_VALH", "MAXFLOAT", "MAXHALF", "NULL", "assert", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "FLT_DIG", "FLT_MANT_DIG",
    "FLT_RADIX", "HALF_MAX", "HALF_MIN", "HALF_EPSILON", "INT_MAX", "INT_MIN", "UINT_MAX", "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "SHRT_MAX", "SHRT_MIN", "UCHAR_MAX",
    "USHRT_MAX", "LONG_MAX", "LONG_MIN", "ULONG_MAX", "M_E_F", "M_LOG2E_F", "M_LOG10E_F", "M_LN2_F", "M_LN10_F", "M_PI_F", "M_PI_2_F", "M_PI_4_F",
    "M_1_PI_F", "M_2_PI_F", "M_2_SQRTPI_F", "M_SQRT2_F", "M_SQRT1_2_F", "M_E_H", "M_PI_H", "M_PI_2_H", "M_PI_4_H", "FP_INFINITE", "FP_NAN", "FP_NORMAL",
    "FP_SUBNORMAL", "FP_ZERO", "METAL_FUNC", "METAL_ASM", "METAL_CONST", "METAL_PURE",
];

/// Names of library functions: not for anything that could hide them, so fields alone may have them.
pub static INTRINSICS: &[&str] = &[
    "abs", "absdiff", "acos", "acosh", "addsat", "all", "any", "as_type", "asin", "asinh", "atan", "atan2", "atan2pi", "atanpi",
    "atomic_compare_exchange_weak_explicit", "atomic_exchange_explicit", "atomic_fetch_add_explicit", "atomic_fetch_and_explicit",
    "atomic_fetch_max_explicit", "atomic_fetch_min_explicit", "atomic_fetch_or_explicit", "atomic_fetch_sub_explicit", "atomic_fetch_xor_explicit",
    "atomic_load_explicit", "atomic_store_explicit", "ceil", "clamp", "clz", "copysign", "cos", "cosh", "cospi", "cross", "ctz", "determinant", "dfdx", "dfdy",
    "discard_fragment", "distance", "distance_squared", "divide", "dot", "exp", "exp10", "exp2", "extract_bits", "fabs", "faceforward", "fast", "fdim", "floor",
    "fma", "fmax", "fmax3", "fmedian3", "fmin", "fmin3", "fmod", "fract", "frexp", "fwidth", "get_num_samples", "hadd", "ilogb", "insert_bits", "isfinite",
    "isinf", "isnan", "isnormal", "isordered", "isunordered", "ldexp", "length", "length_squared", "log", "log10", "log2", "mad24", "madhi", "madsat",
    "max", "max3", "median3", "min", "min3", "mix", "modf", "mul24", "mulhi", "nextafter", "normalize", "pack_float_to_snorm2x16", "pack_float_to_snorm4x8",
    "pack_float_to_unorm2x16", "pack_float_to_unorm4x8", "pack_half_to_snorm4x8", "pack_half_to_unorm4x8", "popcount", "pow", "powr", "precise", "quad_all",
    "quad_any", "quad_broadcast", "quad_shuffle", "reflect", "refract", "reverse_bits", "rhadd", "rint", "rotate", "round", "rsqrt", "saturate", "select", "sign",
    "signbit", "simd_active_threads_mask", "simd_all", "simd_any", "simd_ballot", "simd_broadcast", "simd_broadcast_first", "simd_is_first",
    "simd_prefix_exclusive_sum", "simd_prefix_inclusive_sum", "simd_product", "simd_shuffle", "simd_sum", "simdgroup_barrier", "sin", "sincos", "sinh",
    "sinpi", "smoothstep", "sqrt", "step", "subsat", "tan", "tanh", "tanpi", "threadgroup_barrier", "transpose", "trunc", "unpack_snorm2x16_to_float",
    "unpack_snorm4x8_to_float", "unpack_unorm2x16_to_float", "unpack_unorm4x8_to_float", "abort", "atomic_thread_fence",
];
