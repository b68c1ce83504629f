struct sample_ {
    float _sample;
    float distance;
    float half_way;
};

static const float line_ = 2.0f;

[[vk::binding(0, 0)]] StructuredBuffer<sample_> matrix_;
[[vk::binding(1, 0)]] RWStructuredBuffer<float> register_;

precise float mul_(precise float x) {
    return x * line_;
}

precise float2 mul_float2(precise float2 x) {
    return x * line_;
}

precise float saturate_all(sample_ _texture, float _lerp) {
    float _step = _texture._sample + _texture.distance * _lerp;
    float result = _step;
    float _step_1 = mul_(_step);
    result += _step_1;
    float _step_2 = mul_float2((float2)_step).x;
    result += _step_2;
    return result + _texture.half_way;
}

[numthreads(1, 1, 1)]
void names() {
    register_[0] = saturate_all(matrix_[0], 0.5f);
}
