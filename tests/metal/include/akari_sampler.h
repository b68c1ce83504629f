// Samplers and the options that steer a sample's level of detail.
#ifndef AKARI_SAMPLER_H
#define AKARI_SAMPLER_H
#include "metal_vector"

namespace metal {
enum class access { sample, read, write, read_write };
enum class component { x, y, z, w };
enum class coord { normalized, pixel };
enum class address { clamp_to_edge, repeat, mirrored_repeat, clamp_to_zero, clamp_to_border };
enum class s_address { clamp_to_edge, repeat, mirrored_repeat, clamp_to_zero, clamp_to_border };
enum class t_address { clamp_to_edge, repeat, mirrored_repeat, clamp_to_zero, clamp_to_border };
enum class r_address { clamp_to_edge, repeat, mirrored_repeat, clamp_to_zero, clamp_to_border };
enum class filter { nearest, linear };
enum class min_filter { nearest, linear };
enum class mag_filter { nearest, linear };
enum class mip_filter { none, nearest, linear };
enum class compare_func { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
enum class border_color { transparent_black, opaque_black, opaque_white };

struct max_anisotropy {
    int akari_value;
    constexpr explicit max_anisotropy(int value) : akari_value(value) {}
};
struct lod_clamp {
    float akari_low, akari_high;
    constexpr lod_clamp(float low, float high) : akari_low(low), akari_high(high) {}
};

struct sampler {
    metal::coord akari_coord = coord::normalized;
    metal::address akari_address[3] = {address::clamp_to_edge, address::clamp_to_edge, address::clamp_to_edge};
    metal::filter akari_mag = filter::nearest, akari_min = filter::nearest;
    metal::mip_filter akari_mip = mip_filter::none;
    metal::compare_func akari_compare = compare_func::never;
    metal::border_color akari_border = border_color::transparent_black;
    float akari_low = 0.0f, akari_high = 1000.0f;

    constexpr sampler() = default;
    template <class... Options, class = enable_if_t<(sizeof...(Options) > 0) && (true && ... && !is_same_v<Options, sampler>)>>
    constexpr explicit sampler(Options... options) { (akari_set(options), ...); }

    constexpr void akari_set(metal::coord v) { akari_coord = v; }
    constexpr void akari_set(metal::address v) { for (int i = 0; i < 3; ++i) akari_address[i] = v; }
    constexpr void akari_set(s_address v) { akari_address[0] = static_cast<metal::address>(v); }
    constexpr void akari_set(t_address v) { akari_address[1] = static_cast<metal::address>(v); }
    constexpr void akari_set(r_address v) { akari_address[2] = static_cast<metal::address>(v); }
    constexpr void akari_set(metal::filter v) { akari_mag = akari_min = v; }
    constexpr void akari_set(mag_filter v) { akari_mag = static_cast<metal::filter>(v); }
    constexpr void akari_set(min_filter v) { akari_min = static_cast<metal::filter>(v); }
    constexpr void akari_set(mip_filter v) { akari_mip = v; }
    constexpr void akari_set(compare_func v) { akari_compare = v; }
    constexpr void akari_set(border_color v) { akari_border = v; }
    constexpr void akari_set(max_anisotropy) {}
    constexpr void akari_set(lod_clamp v) { akari_low = v.akari_low; akari_high = v.akari_high; }
};

struct bias {
    float akari_value;
    constexpr explicit bias(float value) : akari_value(value) {}
};
struct level {
    float akari_value;
    constexpr explicit level(float lod) : akari_value(lod) {}
};
struct min_lod_clamp {
    float akari_value;
    constexpr explicit min_lod_clamp(float lod) : akari_value(lod) {}
};
struct gradient2d {
    float2 akari_dx, akari_dy;
    constexpr gradient2d(float2 dPdx, float2 dPdy) : akari_dx(dPdx), akari_dy(dPdy) {}
};
struct gradient3d {
    float3 akari_dx, akari_dy;
    constexpr gradient3d(float3 dPdx, float3 dPdy) : akari_dx(dPdx), akari_dy(dPdy) {}
};
struct gradientcube {
    float3 akari_dx, akari_dy;
    constexpr gradientcube(float3 dPdx, float3 dPdy) : akari_dx(dPdx), akari_dy(dPdy) {}
};
} // namespace metal
#endif
