// What the parts of the runtime share. The runtime runs one job in one process: a dispatch or a draw.
#ifndef AKARI_RUNTIME_H
#define AKARI_RUNTIME_H
#include "../include/akari_driver.h"
#include <stdint.h>

namespace akari_runtime {
using namespace metal::akari;
using metal::sampler;

// Ends the process with a message; the harness shows it.
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum texel_format { rgba32f, rgba16f, rgba8unorm, r32f, r16f, rg16f, rg32f, r11g11b10f, r32u, r32i, rgba32u, rgba32i, depth32f };
uint texel_bytes(texel_format format);
bool is_unsigned(texel_format format);
bool is_signed(texel_format format);
void encode_texel(texel_format format, words value, unsigned char *to);

// A lane: one invocation, as a fiber.
enum lane_state { lane_absent, lane_ready, lane_waiting, lane_done };
void start_lanes(uint count, void (*call)(io &), io *inputs);
// Runs all lanes given to `start_lanes` to their ends; lanes 8n to 8n + 7 are a SIMD-group.
void run_lanes();
// Leaves a lane out.
void drop_lane(uint lane);
bool lane_discarded(uint lane);
void begin_threadgroup();
} // namespace akari_runtime

namespace metal { namespace akari {
struct image {
    akari_runtime::texel_format format;
    uint form, width, height, depth, mips, layers;
    unsigned char *texels;
    ulong bytes;
    bool read_only;
};
} }
#endif
