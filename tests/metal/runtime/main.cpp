// The program: reads a job from the file named first, runs it, and writes what it left behind to the file named second. The format is that of
// `metal/program.rs` in the harness.
#include "raster.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace akari_runtime {
static unsigned char *job, *job_end;

static const unsigned char *take(ulong bytes) {
    if (ulong(job_end - job) < bytes) fail("the job file is too short");
    const unsigned char *at = job;
    job += bytes;
    return at;
}
static uint take_uint() {
    uint value;
    memcpy(&value, take(4), 4);
    return value;
}
static const entry *take_entry(entry_stage stage) {
    uint length = take_uint();
    const char *name = reinterpret_cast<const char *>(take(length));
    for (uint i = 0; i < akari_entry_count; ++i) {
        const entry &e = akari_entries[i];
        if (e.stage == stage && strlen(e.name) == length && memcmp(e.name, name, length) == 0) return &e;
    }
    fail("there is no entry `%.*s` of that stage", int(length), name);
}
static texel_format take_format() {
    uint format = take_uint();
    if (format > depth32f) fail("unknown texel format");
    return static_cast<texel_format>(format);
}

static resources bound;
static uint resource_count;
static struct { unsigned char *bytes; ulong size; } all[256];
constexpr ulong margin = 64;

static void put_resources(FILE *out) {
    for (uint i = 0; i < resource_count; ++i) {
        const unsigned char *bytes = all[i].bytes;
        if (!bytes) continue;
        for (ulong k = 0; k < margin; ++k)
            if (bytes[all[i].size + k] != 0xa5 || bytes[k - margin] != 0xa5) fail("resource %u is written outside of its bounds", i);
        fwrite(bytes, 1, all[i].size, out);
    }
}

// Bytes led by their number, between two margins, which nothing may write to.
static unsigned char *take_bytes(uint &size) {
    size = take_uint();
    ulong whole = (ulong(size) / 64 + 1) * 64 + 2 * margin;
    unsigned char *bytes = static_cast<unsigned char *>(aligned_alloc(64, whole));
    memset(bytes, 0xa5, whole);
    bytes += margin;
    memcpy(bytes, take(size), size);
    return bytes;
}
static image *take_image() {
    image *t = static_cast<image *>(calloc(1, sizeof(image)));
    t->format = take_format();
    t->form = take_uint();
    t->width = take_uint();
    t->height = take_uint();
    t->depth = take_uint();
    t->mips = take_uint();
    t->layers = take_uint();
    uint size;
    t->texels = take_bytes(size);
    t->bytes = size;
    return t;
}

// Elements of bindless tables: room for as many as a case may have, null where nothing is bound. What the shader declares as a struct of
// handles is as many pointers.
constexpr uint most_elements = 1024, texture_kinds = 4;

static void **take_table(uint kinds) {
    void **table = static_cast<void **>(calloc(ulong(most_elements) * kinds, sizeof(void *)));
    uint count = take_uint();
    for (uint i = 0; i < count; ++i) {
        uint index = take_uint();
        uint kind = kinds == 1 ? 0 : take_uint();
        if (index >= most_elements || kind >= kinds) fail("element %u of a table is beyond the last", index);
        uint size;
        table[index * kinds + kind] = kinds == 1 ? static_cast<void *>(take_bytes(size)) : take_image();
    }
    return table;
}

enum resource_kind { buffer_resource, texture_resource, buffer_table, texture_table };

static void take_resources() {
    resource_count = take_uint();
    if (resource_count > 256) fail("too many resources");
    for (uint i = 0; i < resource_count; ++i) {
        uint kind = take_uint();
        uint index = take_uint();
        if (kind == texture_resource) {
            if (index >= most_textures) fail("texture %u is beyond the last", index);
            image *t = take_image();
            all[i] = {t->texels, t->bytes};
            bound.textures[index] = t;
            continue;
        }
        if (index >= most_buffers) fail("buffer %u is beyond the last", index);
        if (kind == buffer_table || kind == texture_table) {
            // Nothing writes a table.
            uint kinds = kind == buffer_table ? 1 : texture_kinds;
            bound.buffers[index] = take_table(kinds);
            bound.buffer_bytes[index] = ulong(most_elements) * kinds * sizeof(void *);
            continue;
        }
        uint size;
        unsigned char *bytes = take_bytes(size);
        all[i] = {bytes, size};
        bound.buffers[index] = bytes;
        bound.buffer_bytes[index] = size;
    }
    uint samplers = take_uint();
    for (uint i = 0; i < samplers; ++i) {
        uint index = take_uint(), filter = take_uint(), address = take_uint(), compare = take_uint();
        if (index >= most_samplers) fail("sampler %u is beyond the last", index);
        sampler *s = static_cast<sampler *>(calloc(1, sizeof(sampler)));
        *s = sampler(static_cast<metal::filter>(filter), static_cast<metal::mip_filter>(filter + 1), static_cast<metal::address>(address), static_cast<metal::compare_func>(compare));
        bound.samplers[index] = s;
    }
}

static void run_compute(const entry *kernel_entry, uint3 groups, uint3 threads) {
    uint count = threads.e[0] * threads.e[1] * threads.e[2];
    io *inputs = static_cast<io *>(calloc(count + 1, sizeof(io)));
    for (uint z = 0; z < groups.e[2]; ++z)
        for (uint y = 0; y < groups.e[1]; ++y)
            for (uint x = 0; x < groups.e[0]; ++x) {
                begin_threadgroup();
                for (uint i = 0; i < count; ++i) {
                    io &in = inputs[i];
                    uint3 local = uint3(i % threads.e[0], i / threads.e[0] % threads.e[1], i / (threads.e[0] * threads.e[1]));
                    in.buffers = bound.buffers;
                    in.textures = bound.textures;
                    in.samplers = bound.samplers;
                    in.threadgroup_position_in_grid = uint3(x, y, z);
                    in.thread_position_in_threadgroup = local;
                    in.thread_position_in_grid = uint3(x, y, z) * threads + local;
                    in.threads_per_threadgroup = threads;
                    in.threads_per_grid = groups * threads;
                    in.threadgroups_per_grid = groups;
                    in.thread_index_in_threadgroup = i;
                }
                start_lanes(count, kernel_entry->call, inputs);
                run_lanes();
            }
}

static uint3 take_uint3() {
    uint x = take_uint(), y = take_uint(), z = take_uint();
    return uint3(x, y, z);
}

static void run_job(FILE *out) {
    if (take_uint() == 0) {
        const entry *kernel_entry = take_entry(stage_kernel);
        uint3 groups = take_uint3(), threads = take_uint3();
        take_resources();
        run_compute(kernel_entry, groups, threads);
        put_resources(out);
        return;
    }
    draw d = {};
    d.vertex_entry = take_entry(stage_vertex);
    d.fragment_entry = take_entry(stage_fragment);
    d.vertices = take_uint();
    d.instances = take_uint();
    d.width = take_uint();
    d.height = take_uint();
    d.target_count = take_uint();
    if (d.target_count > most_targets) fail("too many targets");
    for (uint i = 0; i < d.target_count; ++i) {
        d.target_formats[i] = take_format();
        d.targets[i] = static_cast<unsigned char *>(calloc(ulong(d.width) * d.height + 1, texel_bytes(d.target_formats[i])));
    }
    take_resources();
    d.resources = &bound;
    run_draw(d);
    put_resources(out);
    for (uint i = 0; i < d.target_count; ++i) fwrite(d.targets[i], 1, ulong(d.width) * d.height * texel_bytes(d.target_formats[i]), out);
}
} // namespace akari_runtime

using namespace akari_runtime;

namespace metal { namespace akari {
extern "C" {
void *akari_buffer(const io *in, uint index) {
    if (index >= most_buffers || !in->buffers[index]) fail("[[buffer(%u)]] is not bound", index);
    return in->buffers[index];
}
const image *akari_texture(const io *in, uint index, uint form, texel_kind kind, bool) {
    if (index >= most_textures || !in->textures[index]) fail("[[texture(%u)]] is not bound", index);
    const image *t = in->textures[index];
    texel_kind held = is_unsigned(t->format) ? kind_uint : is_signed(t->format) ? kind_int : kind_float;
    if (held != kind) fail("[[texture(%u)]] holds texels of another kind than its type says", index);
    if (t->form != form) fail("[[texture(%u)]] has another shape than its type says", index);
    return t;
}
const sampler *akari_sampler(const io *in, uint index) {
    if (index >= most_samplers || !in->samplers[index]) fail("[[sampler(%u)]] is not bound", index);
    return in->samplers[index];
}
}
} }

int main(int count, char **arguments) {
    if (count != 3) fail("two file names are needed");
    FILE *in = fopen(arguments[1], "rb");
    if (!in) fail("%s does not open", arguments[1]);
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    rewind(in);
    job = static_cast<unsigned char *>(malloc(ulong(size) + 1));
    if (fread(job, 1, ulong(size), in) != ulong(size)) fail("%s does not read", arguments[1]);
    job_end = job + size;
    fclose(in);
    FILE *out = fopen(arguments[2], "wb");
    if (!out) fail("%s does not open", arguments[2]);
    run_job(out);
    return fclose(out);
}
