// Textures: texel formats, reads, writes, filtering, gathers, comparisons.
#include "runtime.h"
#include <string.h>

namespace akari_runtime {

uint texel_bytes(texel_format format) {
    switch (format) {
    case rgba32f: case rgba32u: case rgba32i: return 16;
    case rgba16f: case rg32f: return 8;
    case rgba8unorm: case r32f: case rg16f: case r11g11b10f: case r32u: case r32i: case depth32f: return 4;
    case r16f: return 2;
    }
    fail("unknown texel format");
}
bool is_unsigned(texel_format format) { return format == r32u || format == rgba32u; }
bool is_signed(texel_format format) { return format == r32i || format == rgba32i; }
static bool is_integer(texel_format format) { return is_unsigned(format) || is_signed(format); }

static float as_float(uint word) { return __builtin_bit_cast(float, word); }
static uint as_word(float value) { return __builtin_bit_cast(uint, value); }

// Unsigned floats of 5 exponent bits and `bits` of mantissa.
static float small_float(uint word, uint bits) {
    uint exponent = word >> bits, mantissa = word & ((1u << bits) - 1);
    if (exponent == 31) return mantissa ? __builtin_nanf("") : __builtin_inff();
    float fraction = float(mantissa) / float(1u << bits);
    return exponent ? __builtin_ldexpf(1 + fraction, int(exponent) - 15) : __builtin_ldexpf(fraction, -14);
}
static uint to_small_float(float value, uint bits) {
    uint infinite = 31u << bits;
    if (value != value) return infinite | 1;
    if (!(value > 0)) return 0;
    if (value == __builtin_inff()) return infinite;
    int exponent;
    __builtin_frexpf(value, &exponent);
    int scale = exponent - 1 < -14 ? -14 : exponent - 1;
    uint number = uint(__builtin_rintf(__builtin_ldexpf(value, int(bits) - scale)));
    uint word = number + (uint(scale + 14) << bits);
    return word >= infinite ? infinite - 1 : word;
}

static float from_half(const unsigned char *p) { _Float16 h; memcpy(&h, p, 2); return float(h); }
static void put_half(unsigned char *p, uint word) { _Float16 h = _Float16(as_float(word)); memcpy(p, &h, 2); }

// Components that a format lacks are 0, alpha is 1.
static words decode_texel(texel_format format, const unsigned char *p) {
    uint one = is_integer(format) ? 1u : as_word(1.0f);
    words w = {{0, 0, 0, one}};
    switch (format) {
    case rgba32f: case rgba32u: case rgba32i: memcpy(w.word, p, 16); break;
    case rgba16f: for (int i = 0; i < 4; ++i) w.word[i] = as_word(from_half(p + 2 * i)); break;
    case rgba8unorm: for (int i = 0; i < 4; ++i) w.word[i] = as_word(float(p[i]) / 255.0f); break;
    case r32f: case r32u: case r32i: case depth32f: memcpy(w.word, p, 4); break;
    case r16f: w.word[0] = as_word(from_half(p)); break;
    case rg16f: for (int i = 0; i < 2; ++i) w.word[i] = as_word(from_half(p + 2 * i)); break;
    case rg32f: memcpy(w.word, p, 8); break;
    case r11g11b10f: {
        uint word;
        memcpy(&word, p, 4);
        w.word[0] = as_word(small_float(word & 0x7ff, 6));
        w.word[1] = as_word(small_float(word >> 11 & 0x7ff, 6));
        w.word[2] = as_word(small_float(word >> 22, 5));
    }
    }
    return w;
}

void encode_texel(texel_format format, words v, unsigned char *p) {
    switch (format) {
    case rgba32f: case rgba32u: case rgba32i: memcpy(p, v.word, 16); break;
    case rgba16f: for (int i = 0; i < 4; ++i) put_half(p + 2 * i, v.word[i]); break;
    case rgba8unorm:
        for (int i = 0; i < 4; ++i) {
            float f = as_float(v.word[i]);
            p[i] = static_cast<unsigned char>(__builtin_rintf((f > 0 ? f < 1 ? f : 1 : 0) * 255.0f));
        }
        break;
    case r32f: case r32u: case r32i: case depth32f: memcpy(p, v.word, 4); break;
    case r16f: put_half(p, v.word[0]); break;
    case rg16f: for (int i = 0; i < 2; ++i) put_half(p + 2 * i, v.word[i]); break;
    case rg32f: memcpy(p, v.word, 8); break;
    case r11g11b10f: {
        uint word = to_small_float(as_float(v.word[0]), 6) | to_small_float(as_float(v.word[1]), 6) << 11 | to_small_float(as_float(v.word[2]), 5) << 22;
        memcpy(p, &word, 4);
    }
    }
}

static uint at_level(uint extent, uint level) { return extent >> level ? extent >> level : 1; }

static unsigned char *texel_at(const image &t, uint level, uint layer, uint x, uint y, uint z) {
    ulong offset = 0, bytes = texel_bytes(t.format);
    for (uint i = 0; i < level; ++i) offset += ulong(at_level(t.width, i)) * at_level(t.height, i) * at_level(t.depth, i) * t.layers;
    ulong w = at_level(t.width, level), h = at_level(t.height, level), d = at_level(t.depth, level);
    offset += ((ulong(layer) * d + z) * h + y) * w + x;
    return t.texels + offset * bytes;
}

// A texel, or zeros outside the texture.
static words texel(const image &t, uint level, uint layer, uint x, uint y, uint z) {
    if (level >= t.mips || layer >= t.layers || x >= at_level(t.width, level) || y >= at_level(t.height, level) || z >= at_level(t.depth, level)) return words();
    return decode_texel(t.format, texel_at(t, level, layer, x, y, z));
}

// The texel number for coordinate `i`, or -1 for the border.
static int addressed(metal::address mode, int i, int size) {
    switch (mode) {
    case metal::address::clamp_to_edge: return i < 0 ? 0 : i >= size ? size - 1 : i;
    case metal::address::repeat: return (i % size + size) % size;
    case metal::address::mirrored_repeat: {
        int k = (i % (2 * size) + 2 * size) % (2 * size);
        return k < size ? k : 2 * size - 1 - k;
    }
    case metal::address::clamp_to_zero: case metal::address::clamp_to_border: return i < 0 || i >= size ? -1 : i;
    }
    return -1;
}

struct face_coordinate { uint face; float s, t; };
static const struct { int major, sign, s, s_sign, t, t_sign; } faces[6] = {
    {0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1}, {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1}, {2, -1, 0, -1, 1, -1}};

static uint face_of(const float *d) {
    float x = __builtin_fabsf(d[0]), y = __builtin_fabsf(d[1]), z = __builtin_fabsf(d[2]);
    uint major = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * major + (d[major] < 0 ? 1 : 0);
}
static face_coordinate on_face(const float *d) {
    uint face = face_of(d);
    auto f = faces[face];
    float m = __builtin_fabsf(d[f.major]);
    return {face, 0.5f * (f.s_sign * d[f.s] / m + 1), 0.5f * (f.t_sign * d[f.t] / m + 1)};
}

static words fetch(const image &t, const sampler &s, uint level, uint layer, const int *i, bool cube);

// Beyond the corner of a cube's face there is no texel: the mean of the three that meet there.
static words beyond_corner(const image &t, const sampler &s, uint level, uint layer, int x, int y, int near_x, int near_y) {
    const int three[3][2] = {{near_x, near_y}, {x, near_y}, {near_x, y}};
    words mean = {};
    for (auto at : three) {
        int i[3] = {at[0], at[1], 0};
        words w = fetch(t, s, level, layer, i, true);
        for (int k = 0; k < 4; ++k) mean.word[k] = as_word(as_float(mean.word[k]) + as_float(w.word[k]) / 3);
    }
    return mean;
}

// One texel of a level by addressed coordinates; a cube's edges go on in the neighbouring face.
static words fetch(const image &t, const sampler &s, uint level, uint layer, const int *i, bool cube) {
    int w = int(at_level(t.width, level)), h = int(at_level(t.height, level)), d = int(at_level(t.depth, level));
    if (cube) {
        bool in_row = i[0] >= 0 && i[0] < w, in_column = i[1] >= 0 && i[1] < h;
        if (in_row && in_column) return texel(t, level, layer, uint(i[0]), uint(i[1]), 0);
        if (!in_row && !in_column) return beyond_corner(t, s, level, layer, i[0], i[1], i[0] < 0 ? 0 : w - 1, i[1] < 0 ? 0 : h - 1);
        auto f = faces[layer % 6];
        float direction[3];
        direction[f.major] = float(f.sign);
        direction[f.s] = f.s_sign * (2 * (i[0] + 0.5f) / w - 1);
        direction[f.t] = f.t_sign * (2 * (i[1] + 0.5f) / h - 1);
        face_coordinate c = on_face(direction);
        int x = int(c.s * w), y = int(c.t * h);
        x = x < 0 ? 0 : x >= w ? w - 1 : x;
        y = y < 0 ? 0 : y >= h ? h - 1 : y;
        return texel(t, level, layer - layer % 6 + c.face, uint(x), uint(y), 0);
    }
    int x = addressed(s.akari_address[0], i[0], w), y = addressed(s.akari_address[1], i[1], h), z = t.form == shape_3d ? addressed(s.akari_address[2], i[2], d) : 0;
    if (x < 0 || y < 0 || z < 0) {
        words border = {};
        if (s.akari_address[0] == metal::address::clamp_to_border && s.akari_border != metal::border_color::transparent_black) {
            float color = s.akari_border == metal::border_color::opaque_white ? 1.0f : 0.0f;
            for (int k = 0; k < 4; ++k) border.word[k] = as_word(k == 3 ? 1.0f : color);
        }
        return border;
    }
    return texel(t, level, layer, uint(x), uint(y), uint(z));
}

static float compared(metal::compare_func f, float reference, float depth) {
    bool passes = false;
    switch (f) {
    case metal::compare_func::never: break;
    case metal::compare_func::less: passes = reference < depth; break;
    case metal::compare_func::equal: passes = reference == depth; break;
    case metal::compare_func::less_equal: passes = reference <= depth; break;
    case metal::compare_func::greater: passes = reference > depth; break;
    case metal::compare_func::not_equal: passes = reference != depth; break;
    case metal::compare_func::greater_equal: passes = reference >= depth; break;
    case metal::compare_func::always: passes = true; break;
    }
    return passes ? 1.0f : 0.0f;
}

// Coordinates of a request in texels of a level, the layer they fall on, and how many of them there are.
struct located { float at[3]; uint layer; int dimensions; bool cube; };
static located locate(const image &t, const sampler &s, const request &q, uint level) {
    float w = float(at_level(t.width, level)), h = float(at_level(t.height, level)), d = float(at_level(t.depth, level));
    located l = {{q.coord[0], q.coord[1], q.coord[2]}, 0, 2, false};
    uint last = t.layers - 1;
    switch (q.form) {
    case shape_2d: break;
    case shape_2d_array: l.layer = q.layer < last ? q.layer : last; break;
    case shape_3d: l.dimensions = 3; break;
    case shape_cube: case shape_cube_array: {
        face_coordinate c = on_face(q.coord);
        uint cubes = t.layers / 6, layer = q.layer < cubes ? q.layer : cubes - 1;
        l = {{c.s, c.t, 0}, (q.form == shape_cube ? 0 : layer * 6) + c.face, 2, true};
    }
    }
    if (l.cube || s.akari_coord == metal::coord::normalized) { l.at[0] *= w; l.at[1] *= h; l.at[2] *= d; }
    for (int i = 0; i < 3; ++i) l.at[i] += float(q.offset[i]);
    return l;
}

static int floored(float x) { return x < -2e9f || x != x ? -2000000000 : x > 2e9f ? 2000000000 : int(__builtin_floorf(x)); }

static words sample_level(const image &t, const sampler &s, const request &q, uint level, metal::filter filter) {
    located l = locate(t, s, q, level);
    if (filter == metal::filter::nearest) {
        int i[3] = {floored(l.at[0]), floored(l.at[1]), floored(l.at[2])};
        words w = fetch(t, s, level, l.layer, i, l.cube);
        if (q.compares) w.word[0] = as_word(compared(s.akari_compare, q.reference, as_float(w.word[0])));
        return w;
    }
    if (is_integer(t.format)) fail("an integer texture is sampled with a linear filter");
    int base[3];
    float part[3];
    for (int k = 0; k < 3; ++k) {
        float x = l.at[k] - 0.5f;
        base[k] = floored(x);
        part[k] = x - __builtin_floorf(x);
    }
    float sum[4] = {};
    for (int corner = 0; corner < 1 << l.dimensions; ++corner) {
        int i[3] = {0, 0, 0};
        float weight = 1;
        for (int k = 0; k < l.dimensions; ++k) {
            bool upper = corner >> k & 1;
            i[k] = base[k] + upper;
            weight *= upper ? part[k] : 1 - part[k];
        }
        if (weight == 0) continue;
        words w = fetch(t, s, level, l.layer, i, l.cube);
        for (int c = 0; c < 4; ++c) sum[c] += weight * (q.compares ? compared(s.akari_compare, q.reference, as_float(w.word[0])) : as_float(w.word[c]));
    }
    return {{as_word(sum[0]), as_word(sum[1]), as_word(sum[2]), as_word(sum[3])}};
}

// Length of a step of the screen, in texels of level 0.
static float footprint(const image &t, const request &q, const float *step) {
    float size[3] = {float(t.width), float(t.height), float(t.depth)}, d[3] = {step[0], step[1], step[2]};
    int n = q.form == shape_3d ? 3 : 2;
    if (q.form == shape_cube || q.form == shape_cube_array) {
        auto f = faces[face_of(q.coord)];
        float m = __builtin_fabsf(q.coord[f.major]), dm = f.sign * step[f.major];
        d[0] = 0.5f * f.s_sign * (step[f.s] * m - q.coord[f.s] * dm) / (m * m);
        d[1] = 0.5f * f.t_sign * (step[f.t] * m - q.coord[f.t] * dm) / (m * m);
    }
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += d[i] * size[i] * d[i] * size[i];
    return __builtin_sqrtf(sum);
}
} // namespace akari_runtime

using namespace akari_runtime;

namespace metal { namespace akari {
extern "C" {
words akari_sample(const image *at, const sampler *s, const request *q) {
    const image &t = *at;
    float lod = q->lod;
    if (q->kind == lod_gradient) {
        float x = footprint(t, *q, q->dx), y = footprint(t, *q, q->dy), longest = x > y ? x : y;
        lod = longest > 0 ? __builtin_log2f(longest) : -1000.0f;
    }
    lod += q->bias;
    float low = s->akari_low > q->low ? s->akari_low : q->low;
    lod = lod > low ? lod : low;
    lod = lod < s->akari_high ? lod : s->akari_high;
    metal::filter filter = lod > 0 ? s->akari_min : s->akari_mag;
    float last = float(t.mips - 1);
    lod = lod < 0 ? 0 : lod > last ? last : lod;
    if (s->akari_mip == mip_filter::none) return sample_level(t, *s, *q, 0, filter);
    if (s->akari_mip == mip_filter::nearest) return sample_level(t, *s, *q, uint(lod + 0.5f), filter);
    uint level = uint(lod);
    float part = lod - float(level);
    words a = sample_level(t, *s, *q, level, filter);
    if (part == 0) return a;
    if (is_integer(t.format)) fail("levels of an integer texture are blended");
    words b = sample_level(t, *s, *q, level + 1, filter);
    for (int c = 0; c < 4; ++c) a.word[c] = as_word(as_float(a.word[c]) * (1 - part) + as_float(b.word[c]) * part);
    return a;
}

words akari_gather(const image *at, const sampler *s, const request *q) {
    located l = locate(*at, *s, *q, 0);
    int x = floored(l.at[0] - 0.5f), y = floored(l.at[1] - 0.5f);
    const int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    words result = {};
    for (int k = 0; k < 4; ++k) {
        int i[3] = {x + order[k][0], y + order[k][1], 0};
        words w = fetch(*at, *s, 0, l.layer, i, l.cube);
        result.word[k] = q->compares ? as_word(compared(s->akari_compare, q->reference, as_float(w.word[0]))) : w.word[q->component];
    }
    return result;
}

words akari_read(const image *at, uint x, uint y, uint z, uint layer, uint lod) { return akari_runtime::texel(*at, lod, layer, x, y, z); }

void akari_write(const image *at, uint x, uint y, uint z, uint layer, uint lod, words value) {
    const image &t = *at;
    if (t.read_only || lod >= t.mips || layer >= t.layers || x >= at_level(t.width, lod) || y >= at_level(t.height, lod) || z >= at_level(t.depth, lod)) return;
    encode_texel(t.format, value, texel_at(t, lod, layer, x, y, z));
}

extent akari_extent(const image *at, uint lod) {
    return {at_level(at->width, lod), at_level(at->height, lod), at_level(at->depth, lod), at->layers, at->mips};
}
}
} }
