// Lanes as fibers, and where they meet.
//
// A lane runs until it reaches a function that needs others (a barrier, a lane function, a derivative). When every lane of its
// SIMD-group stands at such a place or has ended, those at the earliest place go on together, the others wait. A place is the path
// to it: outermost first, for each function on the stack the loops entered there, each with its place in the code and the iteration, and
// then the place of the call. Code is compiled without optimisation, hence in the order of the source, so that "earlier" is a comparison of
// return addresses; lanes at one address in different iterations, or behind different calls, are not at one place. That is the
// reconvergence of structured control flow: a lane that took the longer way is waited for where the ways join.
//
// A barrier goes on when every thread of the group stands at it; one that some threads never reach is an error, as are two.
#include "runtime.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace akari_runtime {
void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    _exit(3);
}

constexpr uint most_lanes = 1024, longest_path = 256;
constexpr size_t stack_bytes = 256 * 1024;

struct lane {
    ucontext_t context;
    lane_state state;
    io *inputs;
    bool discarded;
    loop_state *loops;
    void **base_frame;
    // Where it waits: the path from the outside in, and what for.
    uintptr_t path[longest_path];
    uint path_length;
    meeting kind;
    const void *value;
    uint size;
    char *stack;
    gathering result;
};

static lane lanes[most_lanes];
static uint lane_count;
static lane *current;
static ucontext_t scheduler;
static void (*entry_call)(io &);
static unsigned char brought_values[most_lanes / 8][8][64];
static ulong threadgroup_serial = 1;

static void lane_main() {
    current->base_frame = static_cast<void **>(__builtin_frame_address(0));
    entry_call(*current->inputs);
    current->state = lane_done;
    swapcontext(&current->context, &scheduler);
}

void start_lanes(uint count, void (*call)(io &), io *inputs) {
    if (count > most_lanes) fail("%u threads in a group are more than Metal allows", count);
    lane_count = count;
    entry_call = call;
    for (uint i = 0; i < count; ++i) {
        lane &l = lanes[i];
        if (!l.stack) {
            void *memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) fail("no memory for stacks");
            l.stack = static_cast<char *>(memory);
        }
        getcontext(&l.context);
        l.context.uc_stack.ss_sp = l.stack;
        l.context.uc_stack.ss_size = stack_bytes;
        l.context.uc_link = &scheduler;
        makecontext(&l.context, lane_main, 0);
        l.state = lane_ready;
        l.inputs = inputs + i;
        l.discarded = false;
        l.loops = nullptr;
    }
}
void drop_lane(uint i) { lanes[i].state = lane_absent; }
bool lane_discarded(uint i) { return lanes[i].discarded; }
void begin_threadgroup() { ++threadgroup_serial; }

static void note_path(lane &l, void **frame) {
    uintptr_t reversed[longest_path];
    uint n = 0;
    loop_state *loops = l.loops;
    for (; frame != l.base_frame; frame = static_cast<void **>(frame[0])) {
        if (n + 3 > longest_path || !frame) fail("the call stack is too deep to follow");
        reversed[n++] = reinterpret_cast<uintptr_t>(frame[1]);
        for (; loops && reinterpret_cast<uintptr_t>(loops) < reinterpret_cast<uintptr_t>(frame[0]); loops = loops->outer) {
            if (n + 3 > longest_path) fail("the call stack is too deep to follow");
            reversed[n++] = loops->iteration;
            reversed[n++] = reinterpret_cast<uintptr_t>(loops->place);
        }
    }
    l.path_length = n;
    for (uint i = 0; i < n; ++i) l.path[i] = reversed[n - 1 - i];
}

static int compare_paths(const lane &a, const lane &b) {
    for (uint i = 0; i < a.path_length && i < b.path_length; ++i)
        if (a.path[i] != b.path[i]) return a.path[i] < b.path[i] ? -1 : 1;
    return a.path_length == b.path_length ? 0 : a.path_length < b.path_length ? -1 : 1;
}

static void resume(lane &l) {
    current = &l;
    swapcontext(&scheduler, &l.context);
    current = nullptr;
}

// Lets those of the SIMD-group at `first` that stand at the earliest place meet. Gives false where that is a barrier, or nobody waits.
static bool meet_once(uint first) {
    lane *earliest = nullptr;
    uint waiting = 0, end = first + 8 < lane_count ? first + 8 : lane_count;
    for (uint i = first; i < end; ++i) {
        if (lanes[i].state != lane_waiting) continue;
        ++waiting;
        if (!earliest || compare_paths(lanes[i], *earliest) < 0) earliest = &lanes[i];
    }
    if (!earliest) return false;
    uint together = 0, here = 0, helpers = 0;
    for (uint i = first; i < end; ++i) {
        if (lanes[i].state != lane_waiting || compare_paths(lanes[i], *earliest) != 0) continue;
        ++together;
        here |= 1u << (i - first);
        if (lanes[i].inputs->helper || lanes[i].discarded) helpers |= 1u << (i - first);
    }
    if (earliest->kind == meet_threadgroup) {
        if (together != waiting) fail("a threadgroup_barrier is not reached by all threads");
        return false;
    }
    for (uint i = first; i < end; ++i) {
        if (!(here >> (i - first) & 1)) continue;
        lane &l = lanes[i];
        if (l.size) memcpy(brought_values[first / 8][i - first], l.value, l.size);
        // Helpers and discarded fragments take part in derivatives only.
        l.result = {l.kind == meet_quad ? here : here & ~helpers, i - first, brought_values[first / 8]};
        l.state = lane_ready;
    }
    return true;
}

void run_lanes() {
    for (;;) {
        for (uint first = 0; first < lane_count; first += 8) {
            do {
                for (uint i = first; i < first + 8 && i < lane_count; ++i)
                    if (lanes[i].state == lane_ready) resume(lanes[i]);
            } while (meet_once(first));
        }
        uint waiting = 0, done = 0;
        lane *any = nullptr;
        for (uint i = 0; i < lane_count; ++i) {
            if (lanes[i].state == lane_done) ++done;
            if (lanes[i].state != lane_waiting) continue;
            if (any && compare_paths(lanes[i], *any) != 0) fail("threads of a group wait at different barriers");
            any = &lanes[i];
            ++waiting;
        }
        if (!waiting) return;
        if (done) fail("a threadgroup_barrier is not reached by all threads");
        for (uint i = 0; i < lane_count; ++i)
            if (lanes[i].state == lane_waiting) lanes[i].state = lane_ready;
    }
}
} // namespace akari_runtime

using namespace akari_runtime;

namespace metal { namespace akari {
extern "C" {
gathering akari_meet(meeting kind, const void *value, uint size) {
    if (!current) fail("a function of lanes in a stage that has none");
    lane &l = *current;
    note_path(l, static_cast<void **>(__builtin_frame_address(0)));
    l.kind = kind;
    l.value = value;
    l.size = size;
    l.state = lane_waiting;
    swapcontext(&l.context, &scheduler);
    return l.result;
}
bool akari_in_fragment() { return current && current->inputs->fragment_stage; }
// Not after a discard: Metal's implementations differ there, so code may not rely on it.
bool akari_is_helper() { return current && current->inputs->helper; }
void akari_discard() { current->discarded = true; }
bool akari_spurious_failure() {
    static bool failed;
    return failed = !failed;
}
void akari_loop_enter(loop_state *loop) {
    loop->iteration = 0;
    loop->place = __builtin_return_address(0);
    loop->outer = nullptr;
    if (current) { loop->outer = current->loops; current->loops = loop; }
}
void akari_loop_leave(loop_state *loop) { if (current) current->loops = loop->outer; }
// Threadgroup memory holds garbage when a group starts.
void akari_threadgroup_variable(void *memory, ulong size) {
    constexpr uint most = 256;
    static struct { void *memory; ulong serial; } known[most];
    uint i = 0;
    while (i < most && known[i].memory && known[i].memory != memory) ++i;
    if (i == most) fail("more threadgroup variables than the runtime keeps");
    if (known[i].memory && known[i].serial == threadgroup_serial) return;
    known[i].memory = memory;
    known[i].serial = threadgroup_serial;
    memset(memory, 0xa5, size);
}
}
} }

// What the compiler's checks of undefined behaviour call. Every record begins with the place.
struct source_place { const char *file; uint32_t line, column; };
#define AKARI_UNDEFINED(NAME, WHAT) \
    extern "C" void __ubsan_handle_##NAME##_abort(source_place *at, ...) { fail("%s:%u:%u: undefined behaviour: " WHAT, at->file ? at->file : "?", at->line, at->column); }
AKARI_UNDEFINED(add_overflow, "signed overflow of +")
AKARI_UNDEFINED(sub_overflow, "signed overflow of -")
AKARI_UNDEFINED(mul_overflow, "signed overflow of *")
AKARI_UNDEFINED(negate_overflow, "signed overflow of a negation")
AKARI_UNDEFINED(divrem_overflow, "division by zero, or of the smallest number by -1")
AKARI_UNDEFINED(shift_out_of_bounds, "shift by the width or more")
AKARI_UNDEFINED(out_of_bounds, "index out of bounds")
AKARI_UNDEFINED(float_cast_overflow, "conversion of a float out of the integer's range")
AKARI_UNDEFINED(type_mismatch_v1, "misaligned address")
extern "C" void __ubsan_handle_builtin_unreachable(source_place *at) { fail("%s:%u: undefined behaviour: reached what cannot be reached", at->file, at->line); }
extern "C" void __ubsan_handle_missing_return(source_place *at) { fail("%s:%u: undefined behaviour: a function ends without its result", at->file, at->line); }
