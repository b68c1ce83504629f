//! Programs in a line each, and what is said of them: beside the ui tests, for rules that need many small programs.

use akari_ir::Severity;

use crate::frontend::{Found, compile};
use crate::source::SourceMap;

/// What is said of a module with this text: errors first, then warnings.
fn said(text: &str) -> Vec<String> {
    let mut sources = SourceMap::new();
    let head = if text.contains("#shader") || text.contains("#module") { "" } else { "#module test\n" };
    let root = sources.add("test.akari", format!("{head}{text}").into_bytes()).expect("the text is UTF-8");
    let compiled = compile(root, &mut sources, &mut |_, _| Found::Nowhere);
    if let Some(module) = &compiled.module {
        akari_ir::verify::verify(module).unwrap_or_else(|report| panic!("{text}\n{}", report.render(module)));
    }
    compiled
        .check()
        .into_iter()
        .map(|diagnostic| match diagnostic.severity {
            Severity::Error => diagnostic.message,
            Severity::Warning => format!("warning: {}", diagnostic.message),
        })
        .collect()
}

/// Each is a program of which nothing is said.
#[track_caller]
pub(super) fn right(programs: &[&str]) {
    for program in programs {
        assert_eq!(said(program), Vec::<String>::new(), "{program}");
    }
}

/// Each is a program of which one thing is said, with this text in it.
#[track_caller]
pub(super) fn wrong(programs: &[(&str, &str)]) {
    for (program, expected) in programs {
        match said(program).as_slice() {
            [message] if message.contains(expected) => {}
            messages => panic!("{program}\nexpected: {expected}\nsaid: {messages:#?}"),
        }
    }
}

#[test]
fn literals_take_the_type_beside_them() {
    right(&[
        "fn f(x: uint64) -> uint64 { return x << 3; }",
        "fn f(x: half) -> half { return x * 2 + 1.5; }",
        "fn f(x: uint) -> bool { return 4000000000 < x; }",
        "fn f(x: float) -> float { return 1 + 2 + x; }",
        "fn f(c: bool, u: uint) -> uint { return c ? 1 : u; }",
        "fn f(c: bool) -> uint { return c ? 1 : 2; }",
        "fn f(u: uint) -> uint { return max(u, 1); }",
        "fn f() -> float { return max(1, 2); }",
        "fn f(v: float3) -> float3 { return clamp(v, 0, 1); }",
        "fn f(v: half3) -> half3 { return mix(v, 1, 0.5); }",
        "fn f() -> int { return -2147483648; }",
        "fn f() -> float { return float(1) + float(-1); }",
        "fn f() -> uint { return uint(-1) + uint(4000000000); }",
        "fn f() { let a: uint[2] = [1, 2]; let b = [1, 2u, 3]; let c: uint = b[0]; }",
        "fn f() { let a = [1, 2.5]; let b: float = a[0]; }",
        "fn f(u: uint) -> uint { var v = u; v += 1; v <<= 1; v &= 7; return v; }",
        "fn f(x: float) -> float { return x * (1 + 2); }",
        "fn f(m: float2x2) -> float2x2 { return 2 * m; }",
        "fn f(v: int2) -> int2 { return v << 1; }",
        "fn f(i: int) -> int { return select(i, 1, true); }",
    ]);
    wrong(&[
        ("fn f(x: int) -> int { return x + 1.5; }", "`int` and `float`"),
        ("fn f() -> int { return 1.5; }", "expected `int`, found `float`"),
        ("fn f(u: uint) -> uint { return u + -1; }", "`-1` does not fit `uint`"),
        ("fn f() -> half { return 70000; }", "does not fit `half`"),
        ("fn f() { let x = 3000000000; }", "does not fit `int`"),
        ("fn f() -> float3 { return 1.0; }", "expected `float3`, found `float`"),
    ]);
}

#[test]
fn constants() {
    right(&[
        "const A: uint = B * 2u; const B: uint = sizeof(S); struct S { x: float[C]; } const C: uint = 4u;",
        "enum E: uint { A, B = 4u, C = E.B | 1u, D, } const N: uint = E.D; fn f() { var a: float[E.D]; }",
        "enum E: int { A = -1, B, } fn f() -> int { return E.B; }",
        "const A: float = sqrt(2.0) + sin(1.0) + dot(float2(1.0), float2(2.0));",
        "const T: uint[4] = [3u, 0u, 2u, 1u]; const U: uint = T[2]; const V: uint[2] = [7u; 2];",
        "const M: float2x2 = float2x2(1.0, 2.0, 3.0, 4.0); const C: float2 = M[1];",
        "struct S { a: int = 3; b: float2; } const X: S = S { b: float2(1.0) }; const Y: int = X.a;",
        "bitfield W: uint { a: 4, b: 8, } const X: W = W { a: 3u, b: 300u }; const Y: uint = X.b;",
        "fn f() { const N = 4; var a: float[N * 2]; const M = N + 1; let b = [0.0; M]; }",
        "const A: bool = true && !(1 > 2); const B: int = A ? 1 : 2;",
        "const A: uint = ~0; const B: int = ~1; const C: uint = uint(int2(3, 4).y);",
        "const A: float = 1.0; const B: float3 = float3(A, 2, 3).zyx * 2;",
    ]);
    wrong(&[
        ("fn g() -> int { return 1; } const A: int = g();", "must be a constant expression"),
        ("const A: int = 1 / 0;", "division by zero"),
        ("fn f(x: int) -> int { return x % 0; }", "division by zero"),
        ("fn f(x: int2) -> int2 { return x / int2(1, 0); }", "division by zero"),
        ("const A: float = 1.0 / 0.0;", "NaN or infinite"),
        ("const A: uint = 1u << 32u;", "shift"),
        ("fn f(n: uint) { var a: float[n]; }", "constant"),
        ("enum E: uint { A = 4294967295u, B, }", "does not fit"),
        ("enum E: uint { A = -1, }", "`uint`"),
        ("enum E: float { A, }", "not `float`"),
        ("const A: Buf<float> = 1;", "resource"),
        ("const A: int = A;", "cycle"),
    ]);
}

#[test]
fn operators() {
    right(&[
        "fn f(m: float3x2, v: float3, w: float2) -> float2 { return m * v + w * float2x2(1.0); }",
        "fn f(m: float2x3, w: float3) -> float2 { return w * m; }",
        "fn f(a: float3x2, b: float4x3) -> float4x2 { return a * b; }",
        "fn f(m: float3x3) -> float3x3 { return m / 2.0 - transpose(m); }",
        "fn f(v: bool3, w: bool3) -> bool3 { return v == w; }",
        "fn f(v: float3) -> bool3 { return v > 0.5; }",
        "fn f(a: bool, b: bool) -> bool { return a != b; }",
        "enum E: uint { A, B, } fn f(e: E, u: uint) -> bool { return e == E.A || (u & E.B) != 0u; }",
        "enum E: uint { A, B, } fn f(c: bool) -> E { return c ? E.A : E.B; }",
        "enum E: uint { A, B, } fn f(c: bool) -> uint { return c ? E.A : 7u; }",
        "fn f(n: int, c: uint) -> int { return n << c >> 1; }",
        "fn f(n: int, c: uint2) -> int2 { return n << c; }",
        "fn f(c: bool2, x: float2) -> float2 { return c ? x : 0.0; }",
        "fn f(u: uint) -> uint { return -u; }",
        "fn f(h: half) -> half { var x = h; x++; --x; return x % h; }",
        "fn f(x: uint64) -> bool { return (x & 1ul) == 0 && x / 3ul > 2; }",
        "struct S { x: float[2]; } fn f(c: bool, a: S, b: S) -> S { return c ? a : b; }",
        "fn f(v: float3) -> float3 { var w = v; w *= float3x3(2.0); w.xy += 1.0; return w; }",
    ]);
    wrong(&[
        ("fn f(m: float2x2) -> float2x2 { return m + 1.0; }", "`float2x2` and `float`"),
        ("fn f(a: bool, b: bool) -> bool { return a & b; }", "`&` does not take `bool`"),
        ("fn f(a: float, b: int) -> bool { return a == b; }", "`float` and `int`"),
        ("fn f(m: float2x2) -> bool { return m == m; }", "`float2x2`"),
        ("fn f(x: float) -> float { return x & 1; }", "`float`"),
        ("fn f(x: int, y: uint64) -> int { return x << y; }", "`int` and `uint64`"),
        ("enum E: uint { A, } fn f() -> E { return E.A | 1u; }", "expected `E`, found `uint`"),
        ("fn f(c: bool2, x: float3) -> float3 { return c ? x : x; }", "`bool2`"),
    ]);
}

#[test]
fn casts_and_constructors() {
    right(&[
        "fn f(i: int3) -> float3 { return float3(i); }",
        "fn f(i: int3) -> float3 { return i as float3; }",
        "fn f(x: float, v: half2) -> float4 { return float4(x, v, 1); }",
        "fn f(b: bool3) -> uint3 { return uint3(b) + uint3(b as bool3); }",
        "fn f(x: float) -> bool { return x as bool ? true : bool(x); }",
        "fn f(m: float3x3) -> float3x3 { return float3x3(m[0], m[1], m[2]); }",
        "enum E: uint { A, } fn f(u: uint) -> E { return u as E; }",
        "enum E: uint { A, } fn f(e: E) -> float { return float(e) + (e as float); }",
        "bitfield W: uint { a: 4, } fn f(w: W) -> uint { return (w as uint) + uint(w) + w; }",
        "fn f(v: float3) -> float3 { return float3(v); }",
        "fn f(x: uint64) -> uint { return uint(x) + (x as uint); }",
        "fn f(x: float2) -> uint2 { return as_uint(x) + as_uint(as_float(uint2(1, 2))); }",
    ]);
    wrong(&[
        ("fn f(v: float3) -> float2 { return float2(v); }", "`float2`"),
        ("enum E: uint { A, } fn f(i: int) -> E { return i as E; }", "`int` to `E`"),
        ("enum E: uint { A, } fn f(u: uint) -> E { return E(u); }", "`E`"),
        ("fn f(x: half) -> uint { return as_uint(x); }", "`as_uint`"),
        ("fn f(m: float4x4) -> float3x3 { return float3x3(m); }", "`float3x3`"),
    ]);
}

#[test]
fn calls() {
    right(&[
        "fn f(x: float) -> float { return x; } fn g(v: float3) -> float3 { return f(v); }",
        "fn f(x: float, k: float = 2.0) -> float { return x * k; } fn g(v: float3) -> float3 { return f(v) + f(v, 3) + f(v, k: v); }",
        "fn f(x: float) -> float { return x; } fn f(x: float3) -> float3 { return x; } fn g(v: float3) -> float3 { return f(v); }",
        "fn f(x: float) -> float { return x; } fn f(x: float3) -> float3 { return x; } fn g(v: float2) -> float2 { return f(v); }",
        "fn f(x: int) -> int { return x; } fn f(x: float) -> float { return x; } fn g() -> int { return f(1); }",
        "fn f(x: uint) -> uint { return x; } fn f(x: float3) -> float3 { return x; } fn g() -> uint { return f(1); }",
        "enum E: uint { A, } fn f(x: uint) -> uint { return x; } fn g() -> uint { return f(E.A); }",
        "fn f(b: Buf<float>, i: uint) -> float { return b[i]; } fn g(b: ref Buf<float>) -> float { return f(b, 0); }",
        "fn f(a: ref float[4]) -> float { return a[0]; } fn g(p: float[4]) -> float { let q = p; return f(p) + f(q); }",
        "const T: float[2] = [1.0, 2.0]; fn f(a: ref float[2]) -> float { return a[0]; } fn g() -> float { return f(T); }",
        "fn f(a: inout float, b: inout float) { a = b; } fn g() { var p: float[2]; f(p[0], p[1]); }",
        "fn f(a: inout float, b: float) { a = b; } fn g() { var p = 1.0; f(p, p); }",
        "fn f(a: inout uint) -> uint { a += 1u; return a; } fn g() -> uint { var n = 0u; return f(n) + f(n); }",
        "fn f(x: float) -> float { return g(x); } fn g(x: float) -> float { return x; }",
        "fn f(x: float) -> float { let sin = sin(x); return sin; }",
        "fn fma(x: float) -> float { return x; } fn g(x: float) -> float { return fma(x); }",
        "fn min(v: float3) -> float { return min(min(v.x, v.y), v.z); }",
        "struct S { x: float; } fn max(a: S, b: S) -> S { return S { x: max(a.x, b.x) }; }",
        "struct S { x: float; } fn max(a: S, b: S) -> S { return a; } fn max(a: S, b: float) -> S { return a; } fn f(x: float) -> float { return max(x, 1); }",
    ]);
    wrong(&[
        ("fn f(x: float) { } fn g(v: float3) { f(v); }", "expected `float`, found `float3`"),
        (
            "fn f(x: float2) -> float { return x.x; } fn g(v: float3) -> float { return f(v); }",
            "expected `float2`, found `float3`",
        ),
        (
            "fn f(x: uint) -> uint { return x; } fn f(x: half) -> half { return x; } fn g() { let x = f(1); }",
            "ambiguous",
        ),
        ("fn f(a: inout float) { } fn g(x: float) { f(x); }", "`x` is a parameter"),
        ("fn f(a: inout float) { } fn g(b: RwBuf<float>) { f(b[0]); }", "buffer"),
        ("fn f(x: float, x2: float = 1.0, y: float) { }", "`y` needs a default"),
        ("fn f(x: float) -> float { return f(x); }", "recursion"),
        ("fn f(a: int = 1) { } fn f(b: int) { }", "`f` is already defined"),
    ]);
}

#[test]
fn structs_and_bitfields() {
    right(&[
        "struct S { a: float = 1.0; b: uint; } fn f() -> S { return S { b: 2 }; }",
        "struct S { a: float = K; } const K: float = 2.0; fn f() -> S { return S { }; }",
        "struct S { a: float = g(); } fn g() -> float { return 2.0; } fn f() -> S { return S { .. }; }",
        "struct S { a: float; b: uint; } fn f(s: S) -> S { return S { b: 2u, ..s }; }",
        "struct S { a: float; b: float[3]; } fn f() -> S { return S { .. }; }",
        "bitfield W: uint { a: 4, b: 8, } fn f(w: W) -> W { return W { a: 1, ..w }; }",
        "bitfield W: uint { a: 32, } fn f(w: W) -> uint { var x = w; x.a = 3; return x.a; }",
        "struct S { w: W; } bitfield W: uint { a: 4, } fn f(s: S) -> uint { var t = s; t.w.a = 1; return t.w.a; }",
        "fn f(b: RwBuf<W>) { b[0].a = 3; } bitfield W: uint { a: 4, }",
        "struct S { a: float; } fn f(b: Uniform<S>) -> float { let s = b; return s.a + b.a; }",
        "fn f(b: Uniform<float>) -> float { return b * 2; }",
        "fn f(b: Uniform<float4[4]>) -> float { return b[1].x; }",
    ]);
    wrong(&[
        ("struct S { a: float; b: uint; } fn f() -> S { return S { b: 2u }; }", "missing field `a` in `S` literal"),
        ("struct S { a: float = 1; } fn f() -> S { return S { a: 1.0, a: 2.0 }; }", "`a` is given twice"),
        ("bitfield W: uint { a: 4, } fn f(w: W) { var x = w; x.a += 1; }", "plain `=`"),
        ("bitfield W: uint { a: 4, b: 29, }", "more than 32"),
        ("bitfield W: uint { a: 0, }", "width"),
        ("struct S { }", "no fields"),
        ("struct S { s: S; }", "cycle"),
    ]);
}

#[test]
fn statements() {
    right(&[
        "fn f(c: bool) -> int { let x: int; if (c) { x = 1; } else { x = 2; } return x; }",
        "fn f(n: int) -> int { let x: int; switch (n) { case 0: x = 1; break; default: x = 2; break; } return x; }",
        "fn f(c: bool) -> int { let x: int; if (c) { return 1; } else { x = 2; } return x; }",
        "fn f(c: bool) { for (var i = 0; i < 3; i++) { let x: int; x = i; if (c) { continue; } let y = x; } }",
        "fn f(n: int) -> int { for (;;) { if (n > 3) { return n; } } }",
        "fn f() -> int { do { return 1; } while (true); }",
        "fn f() -> int { if (true) { return 1; } }",
        "fn f(n: uint) -> int { switch (n) { case 0: return 1; case 1: case 2: return 2; default: return 3; } }",
        "fn f(n: int) { switch (n) { default: break; case 1: { break; } } }",
        "fn f(n: int) { while (n > 0) { switch (n) { case 1: continue; default: break; } } }",
        "fn f(x: float) { var x = x; { let x = x * 2.0; let y = x; } x += 1.0; }",
        "fn f() { let _ = 1; let _ = 2.0; }",
        "fn f() -> float { var a: float[3]; a[0] = 1; var i = 0; a[i++] += 2; return a[1]; }",
        "fn f(v: float4) -> float4 { var w = v; w.wzyx = w; w[2] = 1.0; return w; }",
        "fn f(t: Tex2D) -> uint2 { let u = t; return u.dimensions(); }",
    ]);
    wrong(&[
        ("fn f() -> int { while (true) { } }", "this loop never ends"),
        ("fn f() -> int { do { break; } while (true); }", "`f` does not return"),
        ("fn f(c: bool) -> int { while (true) { if (c) { break; } } }", "`f` does not return"),
        ("fn f(c: bool) -> int { let x: int; if (c) { x = 1; } return x; }", "not assigned on every path"),
        ("fn f(c: bool) { let x: int; while (c) { x = 1; } }", "loop"),
        ("fn f() -> int { return 1; let x = 2; }", "warning: this statement is unreachable"),
        ("fn f(n: int) { switch (n) { case 1: let x = 1; } }", "falls through"),
        ("fn f(n: int) { switch (n) { case 1: break; case 1: break; } }", "duplicate label"),
        ("fn f(n: uint) { switch (n) { case -1: break; } }", "`uint`"),
        ("fn f(x: float) { x; }", "no effect"),
        ("fn f(b: Buf<float>) { var c = b; }", "`Buf<float>`"),
        ("fn f() { continue; }", "`continue`"),
        ("fn f(x: int) { discard; x = 1; }", "`x` is a parameter"),
        ("fn f() { @groupshared var a: float[4] = [1.0; 4]; }", "initial value"),
    ]);
}

#[test]
fn entries() {
    let vertex = "struct V { @position p: float4; uv: float2; } ";
    right(&[
        "#shader s\n@compute(threads = (8, 8, 1)) fn f(@dispatch_id id: uint2, @group_id g: uint, @local_id l: uint3) { }",
        "#shader s\nconst N: uint = 4u; @compute(threads = (N, N * 2u, 1)) fn f() { @groupshared var a: float[8192]; barrier(); }",
        "#shader s\n@fragment fn f() -> uint { return 1; }",
        "#shader s\n@fragment fn f(@front_facing b: bool) { if (b) { discard; } }",
        "#shader s\nstruct O { @location(1) a: float4; @target(g.b) b: uint2; } @fragment fn f() -> O { return O { .. }; }",
        "#shader s\nstruct V { @position p: float4; @flat n: uint; @noperspective x: half2; @clip_distance c: float[2]; } struct F { @flat n: uint; } @vertex fn v(@vertex_id i: uint, @instance_id j: uint) -> V { return V { .. }; } @fragment fn f(@stage_in x: F) -> float4 { return float4(float(x.n)); }",
        "#shader s\n@fragment fn f(@bind(a.t) t: Tex2D, @sampler(linear, clamp) s, @sampler(comparison, greater_equal, linear, clamp) c: SamplerCmp, @bind(a.d) d: TexDepth2D) -> float4 { return t.sample(s, float2(0.5)) * d.sample_cmp(c, float2(0.5), 0.5); }",
        "#shader s\nfn wait() { barrier(); } @compute(threads = (1, 1, 1)) fn f() { wait(); }",
        "#shader s\n#require wave, atomics\n@compute(threads = (1, 1, 1)) fn f() { }",
        "#shader s\n@compute(threads = (64, 1, 1)) fn f(@bind(a.b) b: AtomicBuf<int>, @local_index i: uint) { @groupshared var t: uint[64]; let o = atomic_add(t, i, 1); b[0] = b[1] + atomic_max(b, 2, -1); }",
    ]);
    wrong(&[
        ("#shader s\n@vertex fn f() -> float4 { return float4(0.0); }", "position"),
        ("#shader s\n@vertex fn f() { }", "position"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f() -> float { return 1.0; }", "returns nothing"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f(@vertex_id i: uint) { }", "`@vertex_id` is for vertex entries"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f(@dispatch_id i: int) { }", "`@dispatch_id`"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f(x: float) { }", "says not where it comes from"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f() { let x = ddx(1.0); }", "`ddx`"),
        ("#shader s\n@compute(threads = (1, 1, 1)) fn f(@dispatch_id a: uint, @dispatch_id b: uint) { }", "once"),
        ("#shader s\n@fragment fn f() -> float3x3 { return float3x3(1.0); }", "`float3x3`"),
        ("#shader s\n@fragment fn f() -> bool { return true; }", "`bool`"),
        ("#shader s\nstruct O { a: float4; } @fragment fn f() -> O { return O { .. }; }", "`@location(N)`"),
        ("#shader s\nstruct V { @position p: float4; n: uint; } @vertex fn f() -> V { return V { .. }; }", "`@flat`"),
        ("#shader s\nstruct V { @position p: float4; b: bool; } @vertex fn f() -> V { return V { .. }; }", "`bool`"),
        ("#shader s\nstruct V { @position p: float3; } @vertex fn f() -> V { return V { .. }; }", "`float4`"),
        (
            "#shader s\n#require wave\n@vertex fn f() -> V { return V { .. }; } struct V { @position p: float4; }",
            "`wave`",
        ),
        ("#shader s\n#require wafe\n@compute(threads = (1, 1, 1)) fn f() { }", "unknown capability `wafe`"),
        ("#shader s\nfn f(@dispatch_id i: uint) { }", "`@dispatch_id`"),
        ("#shader s\n@bind(a.b) let t: Tex2D;", "no function names the binding"),
    ]);
    let pair = format!(
        "#shader s\n{vertex}struct F {{ uv: float3; }} @vertex fn v() -> V {{ return V {{ .. }}; }} @fragment fn f(@stage_in x: F) {{ }}"
    );
    wrong(&[(&pair, "the input `uv` is a `float3`")]);
}

#[test]
fn textures() {
    let shader = |body: &str| {
        format!(
            "#shader s\n@fragment fn f(@bind(a.t) t: Tex2D, @bind(a.a) a: Tex2DArray, @bind(a.c) c: TexCube, \
             @bind(a.u) u: Tex2D<uint>, @bind(a.d) d: TexDepth2D, @bind(a.w) w: RwTex2D<rg16f>, @bind(a.v) v: RwTex3D, \
             @bind(a.r) r: RwTex2D<r32u>, @sampler(linear, clamp) s, @sampler(comparison, linear, clamp) k, \
             @stage_in x: F) {{ {body} }} struct F {{ uv: float2; @flat i: int2; }}"
        )
    };
    for body in [
        "let q: float4 = t.sample(s, x.uv);",
        "let q: float = d.sample(s, x.uv) + d.load(x.i) + d.sample_cmp(k, x.uv, 0.5);",
        "let q: uint4 = u.load(x.i) + u.load(uint2(x.i), 1);",
        "let q: float4 = t.load(x.i, x.i.x) + t.gather(s, x.uv) + t.gather(s, x.uv, 2) + d.gather_cmp(k, x.uv, 1);",
        "let q: uint2 = t.dimensions() + t.dimensions(1) + w.dimensions(); let n: uint3 = v.dimensions() + a.dimensions();",
        "let q: float4 = a.sample(s, float3(x.uv, 1)) + c.sample_level(s, float3(1.0), 2);",
        "w.store(x.i, x.uv); w.store(uint2(x.i), float4(1.0)); v.store(uint3(1), float4(0.5)); r.store(x.i, 3);",
        "let q: float2 = w.load(x.i); let z: uint = r.load(x.i); let y: float4 = v.load(uint3(0));",
        "let q = t.sample_grad(s, x.uv, ddx(x.uv), ddy(x.uv)).xyz + float3(float(t.mip_levels()));",
    ] {
        right(&[&shader(body)]);
    }
    for (body, expected) in [
        ("let q = u.sample(s, x.uv);", "cannot be filtered"),
        ("let q = t.sample_cmp(k, x.uv, 0.5);", "`TexDepth2D`"),
        ("let q = t.sample(k, x.uv);", "expected `Sampler`, found `SamplerCmp`"),
        ("let q = t.sample(s, float3(1.0));", "expected `float2`, found `float3`"),
        ("let q = c.load(uint3(1));", "`load`"),
        ("t.store(x.i, x.uv);", "read only"),
        ("w.store(x.i, 1.0);", "takes 2 components"),
        ("r.store(x.i, 1.0);", "expected `uint`, found `float`"),
        ("let q = w.sample(s, x.uv);", "has no `sample`"),
        ("let q = t.gather(s, x.uv, 4);", "component"),
        ("let q = t.smaple(s, x.uv);", "unknown method `smaple`"),
        ("let q = t.load(x.uv);", "expected `uint2`, found `float2`"),
        ("let q = t.width;", "unknown field `width` on `Tex2D`"),
    ] {
        wrong(&[(&shader(body), expected)]);
    }
}

#[test]
fn definitions_that_nest_in_one_another_do_not_exhaust_the_stack() {
    let open = "sin(abs(-(1.0 + float3(".repeat(12);
    let close = ").x)))".repeat(12);
    let chain: String =
        (0..64).map(|index| format!("const A{index}: float = {open}A{}{close};\n", index + 1)).collect();
    let said = said(&format!("{chain}const A64: float = 0.5;"));
    assert!(said.iter().any(|message| message.contains("too large")), "{said:?}");
    let calls = "f(".repeat(100);
    let ends = ")".repeat(100);
    right(&[&format!(
        "fn f(x: float) -> float {{ return x; }} fn g(v: float3) -> float3 {{ return {calls}v{ends}; }}"
    )]);
}
