//! Words that a name in HLSL may not be, as DXC sees them in HLSL 2021.

/// Keywords and names of types: never a name of anything.
pub static KEYWORDS: &[&str] = &[
    "AppendStructuredBuffer", "BlendState", "Buffer", "ByteAddressBuffer", "ComputeShader", "ConsumeStructuredBuffer",
    "ConstantBuffer", "DepthStencilState", "DepthStencilView", "DomainShader", "FeedbackTexture2D", "FeedbackTexture2DArray",
    "GeometryShader", "GlobalRootSignature", "HullShader", "InputPatch", "LineStream", "LocalRootSignature", "NULL", "OutputPatch",
    "PixelShader", "PointStream", "RWBuffer", "RWByteAddressBuffer", "RWStructuredBuffer", "RWTexture1D",
    "RWTexture1DArray", "RWTexture2D", "RWTexture2DArray", "RWTexture2DMS", "RWTexture2DMSArray", "RWTexture3D", "RasterizerOrderedBuffer",
    "RasterizerOrderedByteAddressBuffer", "RasterizerOrderedStructuredBuffer", "RasterizerOrderedTexture1D",
    "RasterizerOrderedTexture1DArray", "RasterizerOrderedTexture2D", "RasterizerOrderedTexture2DArray", "RasterizerOrderedTexture3D",
    "RasterizerState", "RayDesc", "RayQuery", "RaytracingAccelerationStructure", "RaytracingPipelineConfig",
    "RaytracingShaderConfig", "RenderTargetView", "ResourceDescriptorHeap", "SamplerComparisonState", "SamplerDescriptorHeap",
    "SamplerState", "StateObjectConfig", "StructuredBuffer", "SubobjectToExportsAssociation", "SubpassInput", "SubpassInputMS",
    "Texture1D", "Texture1DArray", "Texture2D", "Texture2DArray", "Texture2DMS", "Texture2DMSArray", "Texture3D", "TextureBuffer",
    "TextureCube", "TextureCubeArray", "TriangleHitGroup", "TriangleStream", "VertexShader",
    "alignas", "alignof", "and", "and_eq", "asm", "asm_fragment", "auto", "bitand", "bitor", "bool", "break", "case", "catch", "cbuffer", "center",
    "centroid", "char", "class", "column_major", "compile", "compile_fragment", "compl", "concept", "const", "const_cast", "constexpr",
    "continue", "decltype", "default", "delete", "discard", "do", "double", "dword", "dynamic_cast", "else", "enum", "explicit", "export",
    "extern", "false", "float", "float16_t", "float32_t", "float64_t", "for", "friend", "fxgroup", "globallycoherent", "goto", "groupshared",
    "half", "if", "in", "indices", "inline", "inout", "int", "int16_t", "int32_t", "int64_t", "int8_t4_packed", "interface", "lineadj",
    "line", "linear", "long", "matrix", "min10float", "min12int", "min16float", "min16int", "min16uint", "mutable", "namespace", "new", "noexcept",
    "nointerpolation", "noperspective", "not", "not_eq", "nullptr", "operator", "or", "or_eq", "out", "packoffset", "pass", "payload", "pixelfragment",
    "pixelshader", "point", "precise", "primitives", "private", "protected", "public", "register", "reinterpret_cast", "return", "row_major", "sample",
    "sampler", "sampler1D", "sampler2D", "sampler3D", "samplerCUBE", "sampler_state", "shared", "short", "signed", "sizeof", "snorm",
    "stateblock", "stateblock_state", "std", "Technique", "_Static_assert", "static", "static_assert", "static_cast", "string", "struct", "switch", "tbuffer", "technique",
    "technique10", "technique11", "template", "texture", "texture1D", "texture1DArray", "texture2D", "texture2DArray", "texture2DMS",
    "texture3D", "textureCUBE", "textureCube", "this", "thread_local", "throw", "triangle", "triangleadj", "true", "try", "typedef", "typeid",
    "typename", "uint", "uint16_t", "uint32_t", "uint64_t", "uint8_t4_packed", "uniform", "union", "unorm", "unsigned", "using", "vector",
    "vertexfragment", "vertexshader", "vertices", "virtual", "vk", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    "bool2", "bool3", "bool4", "double2", "double3", "double4", "float2", "float3", "float4", "half2", "half3", "half4", "int2", "int3", "int4",
    "uint2", "uint3", "uint4", "float16_t2", "float16_t3", "float16_t4", "uint64_t2", "uint64_t3", "uint64_t4", "int64_t2", "int64_t3", "int64_t4",
    "float1", "int1", "uint1", "bool1", "half1", "double1", "float2x2", "float2x3", "float2x4", "float3x2", "float3x3", "float3x4", "float4x2", "float4x3", "float4x4",
    "float1x1", "float1x2", "float1x3", "float1x4", "float2x1", "float3x1", "float4x1",
    "ray_description", "RAY_FLAG_NONE", "RAY_FLAG_FORCE_OPAQUE", "RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH", "COMMITTED_NOTHING",
    "LINE_STRIP", "__LINE__", "__FILE__", "__hlsl_dx_compiler", "__HLSL_VERSION", "__SHADER_TARGET_STAGE",
];

/// Names of intrinsic functions: not for anything that could hide them, so fields alone may have them.
pub static INTRINSICS: &[&str] = &[
    "AcceptHitAndEndSearch", "AddUint64", "AllMemoryBarrier", "AllMemoryBarrierWithGroupSync", "AllocateRayQuery", "CallShader",
    "CheckAccessFullyMapped", "D3DCOLORtoUBYTE4", "DeviceMemoryBarrier", "DeviceMemoryBarrierWithGroupSync", "DispatchMesh",
    "DispatchRaysDimensions", "DispatchRaysIndex", "EvaluateAttributeAtSample", "EvaluateAttributeCentroid", "EvaluateAttributeSnapped",
    "GetAttributeAtVertex", "GetRenderTargetSampleCount", "GetRenderTargetSamplePosition", "GroupMemoryBarrier",
    "GroupMemoryBarrierWithGroupSync", "HitKind", "IgnoreHit", "InstanceID", "InstanceIndex", "InterlockedAdd", "InterlockedAnd",
    "InterlockedCompareExchange", "InterlockedCompareExchangeFloatBitwise", "InterlockedCompareStore", "InterlockedCompareStoreFloatBitwise",
    "InterlockedExchange", "InterlockedMax", "InterlockedMin", "InterlockedOr", "InterlockedXor", "IsHelperLane", "NonUniformResourceIndex",
    "ObjectRayDirection", "ObjectRayOrigin", "ObjectToWorld", "PrimitiveIndex", "Process2DQuadTessFactorsAvg", "Process2DQuadTessFactorsMax",
    "Process2DQuadTessFactorsMin", "ProcessIsolineTessFactors", "ProcessQuadTessFactorsAvg", "ProcessQuadTessFactorsMax",
    "ProcessQuadTessFactorsMin", "ProcessTriTessFactorsAvg", "ProcessTriTessFactorsMax", "ProcessTriTessFactorsMin", "QuadAll", "QuadAny",
    "QuadReadAcrossDiagonal", "QuadReadAcrossX", "QuadReadAcrossY", "QuadReadLaneAt", "RayFlags", "RayTCurrent", "RayTMin", "ReportHit",
    "SetMeshOutputCounts", "TraceRay", "WaveActiveAllEqual", "WaveActiveAllTrue", "WaveActiveAnyTrue", "WaveActiveBallot", "WaveActiveBitAnd",
    "WaveActiveBitOr", "WaveActiveBitXor", "WaveActiveCountBits", "WaveActiveMax", "WaveActiveMin", "WaveActiveProduct", "WaveActiveSum",
    "WaveGetLaneCount", "WaveGetLaneIndex", "WaveIsFirstLane", "WaveMatch", "WaveMultiPrefixBitAnd", "WaveMultiPrefixBitOr",
    "WaveMultiPrefixBitXor", "WaveMultiPrefixCountBits", "WaveMultiPrefixProduct", "WaveMultiPrefixSum", "WavePrefixCountBits",
    "WavePrefixProduct", "WavePrefixSum", "WaveReadLaneAt", "WaveReadLaneFirst", "WorldRayDirection", "WorldRayOrigin", "WorldToObject",
    "abort", "abs", "acos", "all", "any", "asdouble", "asfloat", "asfloat16", "asin", "asint", "asint16", "asuint", "asuint16", "atan", "atan2",
    "ceil", "clamp", "clip", "cos", "cosh", "countbits", "cross", "ddx", "ddx_coarse", "ddx_fine", "ddy", "ddy_coarse", "ddy_fine", "degrees",
    "determinant", "distance", "dot", "dot2add", "dot4add_i8packed", "dot4add_u8packed", "dst", "exp", "exp2", "f16tof32", "f32tof16", "faceforward",
    "firstbithigh", "firstbitlow", "floor", "fma", "fmod", "frac", "frexp", "fwidth", "isfinite", "isinf", "isnan", "isnormal", "ldexp", "length",
    "lerp", "lit", "log", "log10", "log2", "mad", "max", "min", "modf", "msad4", "mul", "noise", "normalize", "pack_clamp_s8", "pack_clamp_u8", "pack_s8",
    "pack_u8", "pow", "printf", "radians", "rcp", "reflect", "refract", "reversebits", "round", "rsqrt", "saturate", "select", "sign", "sin",
    "sincos", "sinh", "smoothstep", "source_mark", "sqrt", "step", "tan", "tanh", "tex1D", "tex1Dbias", "tex1Dgrad", "tex1Dlod", "tex1Dproj",
    "tex2D", "tex2Dbias", "tex2Dgrad", "tex2Dlod", "tex2Dproj", "tex3D", "tex3Dbias", "tex3Dgrad", "tex3Dlod", "tex3Dproj", "texCUBE",
    "texCUBEbias", "texCUBEgrad", "texCUBElod", "texCUBEproj", "transpose", "trunc", "unpack_s8s16", "unpack_s8s32", "unpack_u8u16",
    "unpack_u8u32",
];

/// Names of types and constants that DXC defines at module level; variables and fields may have them.
pub static PREDEFINED: &[&str] = &[
    "ALL_MEMORY", "BARRIER_SEMANTIC_FLAG", "BuiltInTriangleIntersectionAttributes", "CANDIDATE_NON_OPAQUE_TRIANGLE",
    "CANDIDATE_PROCEDURAL_PRIMITIVE", "CANDIDATE_TYPE", "COMMITTED_NOTHING", "COMMITTED_PROCEDURAL_PRIMITIVE_HIT", "COMMITTED_STATUS",
    "COMMITTED_TRIANGLE_HIT", "DEVICE_SCOPE", "DispatchNodeInputRecord", "EmptyNodeInput", "EmptyNodeOutput", "EmptyNodeOutputArray",
    "GROUP_SCOPE", "GROUP_SHARED_MEMORY", "GROUP_SYNC", "GroupNodeInputRecords", "GroupNodeOutputRecords", "HIT_KIND_NONE",
    "HIT_KIND_TRIANGLE_BACK_FACE", "HIT_KIND_TRIANGLE_FRONT_FACE", "MEMORY_TYPE_FLAG", "NODE_INPUT_MEMORY", "NODE_OUTPUT_MEMORY",
    "NodeOutput", "NodeOutputArray", "ProceduralPrimitiveHitGroup", "RAYTRACING_PIPELINE_FLAG_NONE",
    "RAYTRACING_PIPELINE_FLAG_SKIP_PROCEDURAL_PRIMITIVES", "RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES", "RAY_FLAG",
    "RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH", "RAY_FLAG_CULL_BACK_FACING_TRIANGLES", "RAY_FLAG_CULL_FRONT_FACING_TRIANGLES",
    "RAY_FLAG_CULL_NON_OPAQUE", "RAY_FLAG_CULL_OPAQUE", "RAY_FLAG_FORCE_NON_OPAQUE", "RAY_FLAG_FORCE_OPAQUE", "RAY_FLAG_NONE",
    "RAY_FLAG_SKIP_CLOSEST_HIT_SHADER", "RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES", "RAY_FLAG_SKIP_TRIANGLES", "RWDispatchNodeInputRecord",
    "RWGroupNodeInputRecords", "RWThreadNodeInputRecord", "RaytracingPipelineConfig1", "SAMPLER_FEEDBACK_MIN_MIP",
    "SAMPLER_FEEDBACK_MIP_REGION_USED", "STATE_OBJECT_FLAGS_ALLOW_EXTERNAL_DEPENDENCIES_ON_LOCAL_DEFINITIONS",
    "STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS", "STATE_OBJECT_FLAG_ALLOW_STATE_OBJECT_ADDITIONS",
    "STATE_OBJECT_FLAG_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS", "SpirvOpaqueType", "SpirvType", "ThreadNodeInputRecord",
    "ThreadNodeOutputRecords", "UAV_MEMORY", "WaveMatrixAccumulator", "WaveMatrixLeft", "WaveMatrixLeftColAcc", "WaveMatrixRight",
    "WaveMatrixRightRowAcc", "ext_result_id", "ext_type", "integral_constant", "Literal", "std",
];

/// Scalar types that vectors and matrices are named after.
static NUMERIC: &[&str] = &[
    "bool", "int", "uint", "float", "half", "double", "dword", "min10float", "min16float", "min12int", "min16int", "min16uint",
    "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t", "float16_t", "float32_t", "float64_t",
];

/// Whether this is the name of a vector or matrix type, such as `half3` or `min16float2x4`.
#[must_use]
pub fn is_vector_or_matrix(name: &str) -> bool {
    NUMERIC.iter().filter_map(|base| name.strip_prefix(base)).any(|shape| {
        let size = |byte: u8| (b'1'..=b'4').contains(&byte);
        match shape.as_bytes() {
            [width] => size(*width),
            [rows, b'x', columns] => size(*rows) && size(*columns),
            _ => false,
        }
    })
}
