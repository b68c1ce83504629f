// Draws: a triangle list at pixel centres, in blocks of 4 x 2 pixels, which are a SIMD-group of two quads.
//
// Coverage and interpolation use edge functions of the homogeneous vertices: e_i(x, y) is the barycentric weight of vertex i divided by w
// there, so their sum is 1/w, perspective weights are e_i / sum, and those linear on the screen e_i * w_i. Clipping is then a test per pixel.
#include "raster.h"
#include <stdlib.h>
#include <string.h>

namespace akari_runtime {
struct corner { double x, y, z, w; const io *out; };

static void cross_of(const double *a, const double *b, double *to) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

struct triangle {
    corner corners[3];
    double edges[3][3];
    bool clockwise;
};

// Gives false for a triangle without area.
static bool set_up(triangle &t, const io *const *vertices, const draw &d) {
    double v[3][3];
    for (int i = 0; i < 3; ++i) {
        float4 p = vertices[i]->position;
        double w = p.e[3];
        t.corners[i] = {p.e[0], p.e[1], p.e[2], w, vertices[i]};
        // Pixels, times w; y points down.
        v[i][0] = (p.e[0] * 0.5 + w * 0.5) * d.width;
        v[i][1] = (w * 0.5 - p.e[1] * 0.5) * d.height;
        v[i][2] = w;
    }
    for (int i = 0; i < 3; ++i) cross_of(v[(i + 1) % 3], v[(i + 2) % 3], t.edges[i]);
    double determinant = v[0][0] * t.edges[0][0] + v[0][1] * t.edges[0][1] + v[0][2] * t.edges[0][2];
    if (!(determinant < 0 || determinant > 0)) return false;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) t.edges[i][k] /= determinant;
    t.clockwise = determinant > 0;
    return true;
}

struct weights { double perspective[3], screen[3], z, inverse_w; };

// The weights at a pixel centre; gives whether the triangle covers it.
static bool weigh(const triangle &t, double x, double y, weights &to) {
    bool inside = true;
    double e[3], sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double *a = t.edges[i];
        e[i] = a[0] * x + a[1] * y + a[2];
        sum += e[i];
        // A pixel on an edge belongs to the triangle right of it, or below it.
        inside &= e[i] > 0 || (e[i] == 0 && (a[0] > 0 || (a[0] == 0 && a[1] > 0)));
    }
    inside &= sum > 0;
    to.inverse_w = sum;
    to.z = 0;
    for (int i = 0; i < 3; ++i) {
        to.perspective[i] = sum != 0 ? e[i] / sum : 0;
        to.screen[i] = e[i] * t.corners[i].w;
        to.z += e[i] * t.corners[i].z;
    }
    if (!(to.z >= 0 && to.z <= 1)) inside = false;
    uint clips = t.corners[0].out->clip_count;
    for (uint c = 0; c < clips; ++c) {
        double distance = 0;
        for (int i = 0; i < 3; ++i) distance += to.perspective[i] * t.corners[i].out->clips[c];
        if (!(distance >= 0)) inside = false;
    }
    return inside;
}

static void interpolate(io &in, const triangle &t, const weights &w, const draw &d) {
    for (uint i = 0; i < d.fragment_entry->varying_count; ++i) {
        varying v = d.fragment_entry->varyings[i];
        for (uint c = 0; c < v.components; ++c) {
            if (v.mode == flat) {
                in.varyings[v.slot][c] = t.corners[0].out->varyings[v.slot][c];
                continue;
            }
            const double *weight = v.mode == perspective ? w.perspective : w.screen;
            double value = 0;
            for (int k = 0; k < 3; ++k) value += weight[k] * double(__builtin_bit_cast(float, t.corners[k].out->varyings[v.slot][c]));
            in.varyings[v.slot][c] = __builtin_bit_cast(uint, float(value));
        }
    }
}

// Helper lanes work on copies, which are thrown away.
static void copy_for_helpers(const draw &d) {
    for (uint i = 0; i < most_buffers; ++i)
        if (d.resources->buffers[i]) memcpy(d.helper_buffers[i], d.resources->buffers[i], d.resources->buffer_bytes[i]);
}

static void shade_block(const draw &d, const triangle &t, uint x0, uint y0) {
    io lanes[8];
    bool covered[8], present[2] = {false, false}, helpers = false;
    weights w[8];
    for (uint i = 0; i < 8; ++i) {
        uint x = x0 + (i / 4) * 2 + (i & 1), y = y0 + (i >> 1 & 1);
        covered[i] = weigh(t, x + 0.5, y + 0.5, w[i]) && x < d.width && y < d.height;
        present[i / 4] |= covered[i];
    }
    if (!present[0] && !present[1]) return;
    for (uint i = 0; i < 8; ++i) {
        uint x = x0 + (i / 4) * 2 + (i & 1), y = y0 + (i >> 1 & 1);
        io &in = lanes[i];
        memset(&in, 0, sizeof in);
        in.helper = !covered[i];
        helpers |= in.helper;
        in.buffers = in.helper ? d.helper_buffers : d.resources->buffers;
        in.textures = in.helper ? d.helper_textures : d.resources->textures;
        in.samplers = d.resources->samplers;
        in.fragment_stage = true;
        in.front_facing = t.clockwise;
        in.position = float4(float(x) + 0.5f, float(y) + 0.5f, float(w[i].z), float(w[i].inverse_w));
        interpolate(in, t, w[i], d);
    }
    if (helpers) copy_for_helpers(d);
    start_lanes(8, d.fragment_entry->call, lanes);
    for (uint i = 0; i < 8; ++i)
        if (!present[i / 4]) drop_lane(i);
    run_lanes();
    for (uint i = 0; i < 8; ++i) {
        if (!covered[i] || lane_discarded(i)) continue;
        uint x = x0 + (i / 4) * 2 + (i & 1), y = y0 + (i >> 1 & 1);
        for (uint k = 0; k < d.target_count; ++k) {
            if (!lanes[i].color_written[k]) continue;
            texel_format format = d.target_formats[k];
            texel_kind kind = is_unsigned(format) ? kind_uint : is_signed(format) ? kind_int : kind_float;
            if (lanes[i].color_kinds[k] != kind) fail("the colour %u is not of the kind of its target", k);
            words value;
            memcpy(value.word, lanes[i].colors[k], sizeof value.word);
            encode_texel(format, value, d.targets[k] + (ulong(y) * d.width + x) * texel_bytes(format));
        }
    }
}

void run_draw(draw &d) {
    static image images[most_textures];
    static const image *image_pointers[most_textures];
    static void *copies[most_buffers];
    for (uint i = 0; i < most_textures; ++i) {
        if (!d.resources->textures[i]) continue;
        images[i] = *d.resources->textures[i];
        images[i].read_only = true;
        image_pointers[i] = &images[i];
    }
    for (uint i = 0; i < most_buffers; ++i)
        if (d.resources->buffers[i]) copies[i] = malloc(d.resources->buffer_bytes[i] + 64);
    d.helper_textures = image_pointers;
    d.helper_buffers = copies;

    io *vertices = static_cast<io *>(calloc(d.vertices + 1, sizeof(io)));
    if (!vertices) fail("no memory for %u vertices", d.vertices);
    for (uint instance = 0; instance < d.instances; ++instance) {
        for (uint i = 0; i < d.vertices; ++i) {
            io &in = vertices[i];
            memset(&in, 0, sizeof in);
            in.buffers = d.resources->buffers;
            in.textures = d.resources->textures;
            in.samplers = d.resources->samplers;
            in.vertex_id = i;
            in.instance_id = instance;
            d.vertex_entry->call(in);
        }
        for (uint i = 0; i + 2 < d.vertices; i += 3) {
            const io *corners[3] = {&vertices[i], &vertices[i + 1], &vertices[i + 2]};
            triangle t;
            if (!set_up(t, corners, d)) continue;
            for (uint y = 0; y < d.height; y += 2)
                for (uint x = 0; x < d.width; x += 4) shade_block(d, t, x, y);
        }
    }
}
} // namespace akari_runtime
