struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
    nointerpolation uint material : TEXCOORD1;
};

ByteAddressBuffer buffers[] : register(t0, space4);

V bindless_vertex(uint vertex_index : SV_VertexID, uint mesh : SV_InstanceID) {
    uint index = buffers[0].Load<uint>(vertex_index * 4u);
    V result;
    result.position = float4(buffers[NonUniformResourceIndex(mesh)].Load<float3>(index * 12u), 1.0f);
    result.uv = buffers[NonUniformResourceIndex(mesh + 1u)].Load<float2>(index * 8u);
    result.material = mesh % 4u;
    return result;
}

struct Frame {
    uint material;
    float time;
};

struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
    nointerpolation uint material : TEXCOORD1;
};

ConstantBuffer<Frame> frame : register(b0, space0);
Texture2D<float4> textures_2d[] : register(t0, space5);
SamplerState wrap_s : register(s0, space0);
SamplerComparisonState shadow_s : register(s4, space0);
TextureCube<float4> textures_cube[] : register(t0, space6);
Texture2D<float> textures_depth[] : register(t0, space8);

/// The colour and what is mirrored, at one place.
float4 shade(float2 uv, float3 direction, uint material_colour_index, uint material_mirror_index) {
    return textures_2d[NonUniformResourceIndex(material_colour_index)].Sample(wrap_s, uv)
        + textures_cube[material_mirror_index].SampleLevel(wrap_s, direction, 0.0f);
}

float bindless_fragment_of(uint i, V inn, uint shadow_index) {
    return textures_depth[NonUniformResourceIndex(shadow_index)].SampleCmp(shadow_s, inn.uv + float(i), 0.5f);
}

float taps__of_bindless_fragment_of(uint count, V inn, uint shadow_index) {
    float sum = 0.0f;
    for (uint i = 0u; i < count; ++i) {
        sum += bindless_fragment_of(i, inn, shadow_index);
    }
    return sum;
}

float4 bindless_fragment(V inn) : SV_Target0 {
    V inn_1 = inn;
    float _lit = taps__of_bindless_fragment_of(4u, inn_1, inn_1.material + 8u);
    return shade(inn_1.uv, float3(0.0f, 0.0f, 1.0f), inn_1.material, frame.material) * _lit;
}

RWStructuredBuffer<float4> values : register(u0, space0);
ByteAddressBuffer buffers[] : register(t0, space4);
Texture3D<float4> textures_3d[] : register(t0, space7);

uint remainder(uint dividend, uint divisor) {
    return dividend % (divisor == 0u ? 1u : divisor);
}

[numthreads(64, 1, 1)]
void bindless_compute(uint id : SV_DispatchThreadID) {
    uint fog_index = buffers[2].Load<uint>(id * 4u);
    uint width;
    uint height;
    uint depth;
    textures_3d[NonUniformResourceIndex(fog_index)].GetDimensions(width, height, depth);
    uint3 size = uint3(width, height, depth);
    values[id] = textures_3d[NonUniformResourceIndex(fog_index)].Load(int4(uint3(remainder(id, size.x), 0u, 0u), 0u))
        * buffers[NonUniformResourceIndex(id)].Load<float4>(0u) * buffers[3].Load<float>(id * 4u);
}
