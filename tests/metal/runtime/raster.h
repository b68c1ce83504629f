// A draw, ready to run.
#ifndef AKARI_RASTER_H
#define AKARI_RASTER_H
#include "runtime.h"

namespace akari_runtime {
struct resources {
    void *buffers[most_buffers];
    ulong buffer_bytes[most_buffers];
    const image *textures[most_textures];
    const sampler *samplers[most_samplers];
};
struct draw {
    resources *resources;
    const entry *vertex_entry, *fragment_entry;
    uint vertices, instances, width, height, target_count;
    texel_format target_formats[most_targets];
    unsigned char *targets[most_targets];
    // Set by `run_draw`.
    const image *const *helper_textures;
    void **helper_buffers;
};
void run_draw(draw &d);
} // namespace akari_runtime
#endif
