// What generated code and the runtime exchange in run mode: the inputs and outputs of an invocation, and the table of entries.
#ifndef AKARI_DRIVER_H
#define AKARI_DRIVER_H
#include "metal_stdlib"
#include "metal_raytracing"

namespace metal {
namespace akari {
constexpr uint most_buffers = 31, most_textures = 128, most_samplers = 16, most_targets = 8, most_varyings = 32, most_clips = 8;

enum texel_kind { kind_float, kind_int, kind_uint };

struct io {
    // Bound resources.
    void **buffers;
    const image *const *textures;
    const sampler *const *samplers;
    // Kernels.
    uint3 thread_position_in_grid, threadgroup_position_in_grid, thread_position_in_threadgroup, threads_per_threadgroup, threads_per_grid, threadgroups_per_grid;
    uint thread_index_in_threadgroup;
    // Vertices.
    uint vertex_id, instance_id;
    // Fragments.
    bool front_facing, helper, fragment_stage;
    // The position: of a vertex going out, of a fragment coming in.
    float4 position;
    // Varyings, four words each; a vertex writes them, a fragment reads them.
    uint varyings[most_varyings][4];
    // Vertices: clip distances, and how many there are.
    float clips[most_clips];
    uint clip_count;
    // Fragments: colours as words, which of them were written, and the kind of their components.
    uint colors[most_targets][4];
    texel_kind color_kinds[most_targets];
    bool color_written[most_targets];
};

extern "C" void *akari_buffer(const io *, uint index);
extern "C" const image *akari_texture(const io *, uint index, uint form, texel_kind kind, bool written);
extern "C" const sampler *akari_sampler(const io *, uint index);

template <class T> constexpr texel_kind kind_of = scalar<T>::floating ? kind_float : T(-1) < T(0) ? kind_int : kind_uint;

template <class T> struct texture_argument;
#define AKARI_TEXTURE_ARGUMENT(NAME, FORM) \
    template <class T, access A> struct texture_argument<NAME<T, A>> { \
        static NAME<T, A> at(const io &i, uint index) { return {akari_texture(&i, index, FORM, kind_of<T>, A == access::write || A == access::read_write)}; } \
    };
AKARI_TEXTURE_ARGUMENT(texture2d, shape_2d) AKARI_TEXTURE_ARGUMENT(texture2d_array, shape_2d_array) AKARI_TEXTURE_ARGUMENT(texture3d, shape_3d)
AKARI_TEXTURE_ARGUMENT(texturecube, shape_cube) AKARI_TEXTURE_ARGUMENT(texturecube_array, shape_cube_array) AKARI_TEXTURE_ARGUMENT(depth2d, shape_2d)
AKARI_TEXTURE_ARGUMENT(depth2d_array, shape_2d_array) AKARI_TEXTURE_ARGUMENT(depthcube, shape_cube) AKARI_TEXTURE_ARGUMENT(depthcube_array, shape_cube_array)
#undef AKARI_TEXTURE_ARGUMENT
template <class T, size_t N> struct texture_argument<array<T, N>> {
    static array<T, N> at(const io &i, uint index) {
        array<T, N> all;
        for (uint k = 0; k < N; ++k) all[k] = texture_argument<T>::at(i, index + k);
        return all;
    }
};

// A builtin of the type that the entry declares: a scalar takes the first component.
template <class T> T builtin(uint3 v) {
    if constexpr (scalar<T>::exists) return T(v.x);
    else {
        T to = T(0);
        for (uint i = 0; i < sizeof(to.e) / sizeof(to.e[0]); ++i) to[i] = v.e[i];
        return to;
    }
}

template <class T> uint word_of(T value) { return to_word<T>(value); }
template <class T> void put_words(uint *to, T value) { to[0] = word_of(value); }
template <class T, int N> void put_words(uint *to, vec<T, N> value) { for (int i = 0; i < N; ++i) to[i] = word_of(value.e[i]); }
template <class T> void get_words(const uint *from, T &value) { value = from_word<T>(from[0]); }
template <class T, int N> void get_words(const uint *from, vec<T, N> &value) { for (int i = 0; i < N; ++i) value.e[i] = from_word<T>(from[i]); }

inline void put_clip(io &o, float distance) { o.clips[o.clip_count++] = distance; }
template <size_t N> void put_clip(io &o, const float (&distances)[N]) { for (float d : distances) put_clip(o, d); }
template <class T> struct element { typedef T type; };
template <class T, int N> struct element<vec<T, N>> { typedef T type; };
template <class T> void put_color(io &o, uint index, T value) {
    put_words(o.colors[index], value);
    o.color_kinds[index] = kind_of<typename element<T>::type>;
    o.color_written[index] = true;
}

enum interpolation { perspective, no_perspective, flat };
struct varying {
    uint slot, components;
    interpolation mode;
};
enum entry_stage { stage_kernel, stage_vertex, stage_fragment };
struct entry {
    const char *name;
    entry_stage stage;
    void (*call)(io &);
    // Of a fragment: what it takes in.
    const varying *varyings;
    uint varying_count;
};
} // namespace akari
} // namespace metal

extern const metal::akari::entry akari_entries[];
extern const metal::uint akari_entry_count;
#endif
