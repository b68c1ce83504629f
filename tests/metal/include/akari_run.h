// What the headers ask of the runtime in run mode (tests/metal/runtime). In check mode none of it is called.
#ifndef AKARI_RUN_H
#define AKARI_RUN_H
#include "metal_types"

namespace metal {
namespace akari {
// What a lane meets others for.
enum meeting { meet_simdgroup, meet_quad, meet_threadgroup, meet_simdgroup_barrier };

// The lanes that stand at the same place: a bit for each of the eight, this lane's number, and what each brought.
struct gathering {
    uint lanes;
    uint lane;
    const unsigned char (*values)[64];
};

#ifdef AKARI_METAL_CHECK
#define AKARI_LINKAGE static inline
#define AKARI_RUNTIME(SIGNATURE, ...) static inline SIGNATURE { __VA_ARGS__ }
#else
// Not duplicated, not merged: its return address says where in the program the lane stands.
#define AKARI_RUNTIME(SIGNATURE, ...) extern "C" __attribute__((noinline, convergent, nomerge)) SIGNATURE;
#endif
AKARI_RUNTIME(gathering akari_meet(meeting kind, const void *value, uint size), return gathering();)
AKARI_RUNTIME(bool akari_in_fragment(), return false;)
AKARI_RUNTIME(bool akari_is_helper(), return false;)
AKARI_RUNTIME(void akari_discard(), )
AKARI_RUNTIME(void akari_threadgroup_variable(void *memory, ulong size), )

#ifndef AKARI_METAL_CHECK
struct loop_state { loop_state *outer; void *place; ulong iteration; };
extern "C" __attribute__((noinline)) void akari_loop_enter(loop_state *);
extern "C" void akari_loop_leave(loop_state *);
// Counts the iterations of a loop, so that lanes in different ones do not meet. The harness puts one around each loop.
struct loop : loop_state {
    __attribute__((always_inline)) loop() { akari_loop_enter(this); }
    __attribute__((always_inline)) ~loop() { akari_loop_leave(this); }
    __attribute__((always_inline)) void next() { ++iteration; }
};
#endif

// The value that a lane brought.
template <class T> AKARI_INLINE T brought(gathering g, uint lane) {
    T value;
    __builtin_memcpy(&value, g.values[lane], sizeof(T));
    return value;
}
template <class T> AKARI_INLINE gathering meet(meeting kind, T value) {
    static_assert(sizeof(T) <= 64, "");
    return akari_meet(kind, &value, sizeof(T));
}
} // namespace akari
} // namespace metal
#endif
