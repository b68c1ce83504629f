struct Frame {
    float scale;
};

[[vk::binding(1, 0)]] RWStructuredBuffer<float> result;
[[vk::binding(2, 0)]] StructuredBuffer<uint> skipped;
[[vk::binding(3, 0)]] ConstantBuffer<Frame> frame;
[[vk::binding(4, 0)]] cbuffer vector__buffer {
    float3 vector_;
}
[[vk::binding(0, 1)]] Texture2DArray<float4> texture_;
[[vk::binding(1, 1)]] [[vk::image_format("rg16f")]] RWTexture2D<float2> image;
[[vk::binding(2, 1)]] TextureCube<float4> maps[3];
[[vk::binding(0, 2)]] SamplerState smooth;
[[vk::binding(0, 0)]] StructuredBuffer<float> reached;

float helper() {
    return reached[0];
}

[numthreads(1, 1, 1)]
void main() {
    result[0] = helper();
}
