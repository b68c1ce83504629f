struct Frame {
    float scale;
};

RWStructuredBuffer<float> result : register(u0, space0);
StructuredBuffer<uint> skipped : register(t1, space0);
ConstantBuffer<Frame> frame : register(b0, space0);
cbuffer vector__buffer : register(b1, space0) {
    float3 vector_;
}
Texture2DArray<float4> texture_ : register(t2, space0);
RWTexture2D<float2> image : register(u1, space0);
TextureCube<float4> maps[3] : register(t3, space0);
SamplerState smooth : register(s0, space0);
StructuredBuffer<float> reached : register(t0, space0);

float helper() {
    return reached[0];
}

[numthreads(1, 1, 1)]
void main() {
    result[0] = helper();
}
