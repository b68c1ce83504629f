//! Each construct of the language, as text and as tree.

use super::read;

/// A sound file with a bit of everything.
pub(super) const EVERYTHING: &str = r"#shader composite
#version 2
#layout fullscreen_texture_table
#import preamble, fullscreen_triangle
#require ray_query

/// A vertex.
/// Two lines.
struct V {
    @position position: float4;
    uv: float2 = float2(0.0);
    /// lights
    l: Buf<float4x4[6]>[N * 2u];
}
enum MapMask: uint { Albedo = 1u, Normal = 2u, Rest, /* x */ }
bitfield W: uint { work: 22, fade: 8 }
const PI: float = 3.14159265;
@bind(vsm.frame) let frame: Uniform<VsmFrame>;
@sampler(point, clamp) let point_s;
private fn f(const k: uint, x: inout float, s: AccelStruct?, g: fn(inout uint, float) -> float = q) -> float3 { return x }
fn inst = f(k: 1, Foo.Bar);
@compute(threads = (64, 1, 1))
fn composite_vertex(@vertex_id vid: uint, @sampler(linear, clamp) samp,) -> V {
    @groupshared var tile: float[64];
    let a = -b.c[1].d(x, y: 2u) as uint + 3 * 4 - 5 << 2u == 1 && z || w ? p : q ? r : s;
    let c = x == y ? a | b & c ^ d : ~e;
    a[i++] += 4; x <<= 2;
    let _ = g(|v| v * s, |x: inout uint| { x = x - 1u }, || 3);
    let tap = |offset: float2| -> float4 { return history.sample(samp, uv + offset * step); };
    @unroll(4) for (var i: uint = 0u; i < 6u; i = i + 1u) { continue; }
    for (;;) { break }
    if (a) { } else if (b) { x = 1; } else { discard; }
    switch (x) { case 0: a(); break; case 1: case 2: break; default: { } return }
    do { x++; } while (x < 3);
    while (true) { { } }
    let n = [1, 2u, 0xFFul, 0b101]; let z = [0u; 4];
    let s = sizeof(Uniform<T>) + offsetof(T, a.b);
    return V { position: p, ..base };
}
";

#[test]
fn everything() {
    assert_eq!(read(EVERYTHING).1, Vec::<String>::new());
}
