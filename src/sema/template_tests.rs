//! Programs in a line each about templates, closures and instances.

use super::tests::{right, wrong};

#[test]
fn const_parameters_stand_where_constants_do() {
    right(&[
        "fn f(const n: uint) { var a: float[n]; var b: float[n * 2]; let c = [0.0; n + 1u]; }",
        "fn f(const n: uint, v: float[n]) -> float[n] { return v; }",
        "fn f(v: float[n], const n: uint) -> float[n + n] { return [v[0]; 2 * n]; }",
        "fn f(const n: int) -> int { switch (n) { case 1: return 2; case n: return 3; default: return 4; } }",
        "fn f(const n: uint) { @unroll(n) for (var i = 0u; i < n; i++) { } }",
        "@compute(threads = (w, h * 2u, 1)) fn f(const w: uint, const h: uint, @dispatch_id id: uint) { }",
        "fn f(const n: uint) -> float { const m = n * 2u; const k = m - 1u; var a: float[k]; return g(m, a); }
         fn g(const n: uint, a: float[n - 1u]) -> float { return a[0]; }",
        "enum E: uint { A, B, Count, } fn f(const e: E) { var a: float[e + 1u]; var b: float[E.Count]; }
         fn g() { f(E.B); }",
        "fn f(const v: uint2) { var a: float[v.x * v.y]; var b: float[max(v.x, 2u)]; var c: float[min(v, 3u).x]; }",
        "fn f(const c: bool) { var a: float[c ? 1 : 2]; var b: float[c && !c ? 1 : 2]; }",
        "fn f(const n: uint) -> uint { return sizeof(float[n]) + sizeof(Uniform<float4[n]>); }",
        "const T: uint[3] = [1u, 2u, 3u]; fn f(const n: uint) { var a: float[T[n]]; }",
        "struct S { n: uint; } fn f(const s: S) { var a: float[s.n]; } fn g() { f(S { n: 3u }); }",
        "bitfield W: uint { low: 4, rest: 28, } fn f(const w: W) { var a: float[w.low]; var b: float[W { low: w.rest, .. } as uint]; }",
        "fn f(const n: uint, t: Tex2D, s: Sampler) -> float4 { return t.gather(s, float2(0.0), n); }",
        "fn f(const n: uint) { var a: float[n][2]; var b: float[2][n]; a[1][0] = 1.0; b[0] = [1.0, 2.0]; }",
        "fn f(const n: uint) -> uint { @groupshared var tile: uint[n]; return atomic_add(tile, 1u, 2u); }",
        "fn f(const n: uint, b: Buf<float[n]>) -> float { return b[0][1]; } fn g(b: Buf<float[3]>) -> float { return f(3u, b); }",
    ]);
}

#[test]
fn lengths_are_compared_as_expressions() {
    right(&[
        "fn f(const n: uint) { let a: float[n * 2u] = [0.0; 2u * n]; }",
        "fn f(const n: uint) { let a: float[n + 3u] = [0.0; 1u + n + 2u]; }",
        "fn f(const n: uint) { let a: float[n * 4u] = [0.0; n * 2u * 2u]; }",
        "fn f(const n: uint) { let a: float[n + 0u] = [0.0; n * 1u]; }",
        "fn f(const n: uint, const m: uint) { let a: float[n * m] = [0.0; m * n]; }",
        "fn f(const n: uint) { const m = n; let a: float[m] = [0.0; n]; }",
        "fn f(const n: int, const m: int) { let a: float[(n + m) * (n - m)] = [0.0; n * n - m * m]; let b: float[3 - n] = [0.0; -(n - 3)]; }",
        "fn f(const n: uint) { let a: float[n * 2u / 3u + 1u] = [0.0; 1u + (n + n) / 3u]; }",
        "fn f(const n: uint) -> float[n] { return g(n + 1u, 2u); } fn g(const a: uint, const b: uint) -> float[a + 1u - b] { return [0.0; a + 1u - b]; }
         fn h() -> float[3] { return g(4u, 2u); }",
    ]);
    wrong(&[
        ("fn f(const n: uint) { let a: float[n] = [0.0; n + 1u]; }", "expected `float[n]`, found `float[n + 1]`"),
        ("fn f(const n: uint, const m: uint) { let a: float[n] = [0.0; m]; }", "expected `float[n]`, found `float[m]`"),
        ("fn f(const n: uint) -> float { let a = [0.0, 1.0]; let b: float[n] = a; return b[0]; }", "found `float[2]`"),
        ("fn f(const n: uint) -> bool { return [0.0; n] == [1.0; n]; }", "`==` does not take `float[n]`"),
    ]);
}

#[test]
fn compile_time_arguments() {
    right(&[
        "fn f(x: float, const k: float = 2.0, const c: bool = false) -> float { return c ? x : k; }
         fn g(x: float) -> float { return f(x) + f(x, 3.0) + f(x, c: true) + f(k: 1, x: x); }",
        "fn f(t: Tex2D? = none) -> bool { return t == none; } fn g(t: Tex2D, o: Tex2D?) -> bool { return f() && f(none) && f(t) && f(o); }",
        "fn f(b: RwBuf<uint>?, s: Sampler?, u: Uniform<float4>?) -> float { if (b != none && s == none) { b[0] = 1u; } return u == none ? 0.0 : u.x; }",
        "fn f(const k: half, const l: uint64, const m: int) -> int { return m; } fn g() -> int { return f(1.5, 3, -2); }",
        "fn f(const n: uint, v: float[n][2]) -> float { return v[0][1]; } fn g(x: float) -> float { return f(2u, [[1.0, 2.0], [x, 4.0]]) + f(3u, [[x; 3]; 2]); }",
        "fn f(v: float[n], const n: uint, g: fn(float[n]) -> float) -> float { return g(v); } fn h() -> float { return f([1, 2], g: |v| v[0] + v[1], n: 2u); }",
        "fn f(const n: uint, g: fn(float[n]) -> float) -> float { return g([0.0; n]); } fn f(const b: bool) { } fn s(v: float[2]) -> float { return v[1]; } fn i = f(2u, s); fn j = f(true);",
        "fn f(x: float, const k: int) -> float { return x; } fn g(v: float3) -> float3 { return f(v, 2); }",
        "fn f(const n: uint) -> uint { return n == 0u ? 0u : 7u / n; } fn g() -> uint { return f(0u); }",
    ]);
    wrong(&[
        (
            "fn f(x: uint, const n: uint) -> uint { return x << n; } fn g() -> uint { return f(1u, 40u); }",
            "shifts by 40",
        ),
        ("fn f(const k: int) { } fn g(k: int) { f(k); }", "must be a constant expression"),
        ("fn f(const k: int) { } fn g() { f(); }", "gives no argument for `k`"),
        ("fn f(t: Tex2D?) { } fn g() { f(); }", "gives no argument for `t`"),
        ("fn f(t: Tex2D?) { } fn g(s: Sampler) { f(s); }", "expected `Tex2D`, found `Sampler`"),
        ("fn f(const k: int2) { } fn g(v: int2) { f(v); }", "must be a constant expression"),
        ("fn f(const n: uint) { const m = 3u; var a: float[m - 3u]; }", "must be positive"),
        ("struct S { n: uint; } fn f(const s: S) { s.n = 1u; }", "is a `const` parameter"),
    ]);
}

#[test]
fn closures_take_types_and_give_values() {
    const APPLY: &str =
        "fn apply(x: float, f: fn(float) -> float) -> float { return f(x); } fn id(x: float) -> float { return x; }";
    let right_bodies = [
        "return apply(x, |v| v * 2);",
        "return apply(x, |v| 1);",
        "return apply(x, |v: float| -> float { return v; });",
        "let f = |v: float| v * x; return f(1) + apply(2, f);",
        "let f = || x; return f();",
        "let f = |v: float| { if (v > 1.0) { return v; } return 2.0; }; return apply(x, f);",
        "let f = |v: float, w: inout float| -> float { w += v; return w; }; var a = x; return f(1.0, a) + a;",
        "let x = 2.0; let f = |x: float| x; return f(x);",
        "let f = |v: float| v + x; let x = 3u; return f(1.0);",
        "let f = |v: float| v; let g = f; return g(1.0) + apply(x, g);",
        "let f = |v: float| -> float { let f = |w: float| w * v; return f(v); }; return f(x);",
        "return apply(x, |v| apply(v, |w| apply(w, |u| u + v + w + x)));",
        "return apply(x, id) + apply(x, sqrt) + apply(x, abs);",
        "var n = 0; let up = || { n++; }; up(); up(); return float(n);",
        "let id = |v: float| v * 2.0; return apply(x, id);",
        "let none_of_it = |v: float| v; return apply(f: none_of_it, x: x);",
    ];
    for body in right_bodies {
        right(&[&format!("{APPLY} fn g(x: float) -> float {{ {body} }}")]);
    }
    let wrong_bodies = [
        ("let f = |v| v; return x;", "the type of the closure's parameter `v`"),
        ("let f = |v: float| v; return f(1u);", "expected `float`, found `uint`"),
        ("let f = |v: float| v; return f();", "`f` takes 1 argument, not 0"),
        ("return apply(x, x);", "expected `fn(float) -> float`, found `float`"),
        ("return apply(x, |v| w);", "unknown name `w`"),
        ("let f = |v: float| { if (v > 1.0) { return; } return v; }; return x;", "returns nothing"),
        ("let f = |v: float| f(v); return x;", "unknown function `f`"),
        ("let a: Tex2D = |v: float| v; return x;", "a closure stands only"),
    ];
    for (body, message) in wrong_bodies {
        wrong(&[(&format!("{APPLY} fn g(x: float) -> float {{ {body} }}"), message)]);
    }
}

#[test]
fn function_values() {
    right(&[
        "fn f(g: fn(inout uint, float) -> float) -> float { var n = 1u; return g(n, 2.0); }
         fn h(a: inout uint, b: float) -> float { a++; return b; } fn i() -> float { return f(h) + f(|a, b| { a += 2u; return b; }); }",
        "fn f(g: fn()) { g(); g(); } fn h() { } fn i() { f(h); f(|| { }); f(|| h()); }",
        "fn f(g: fn(ref float[2]) -> float) -> float { let a = [1.0, 2.0]; return g(a); } fn h(a: ref float[2]) -> float { return a[0]; } fn i() -> float { return f(h) + f(|a| a[1]); }",
        "fn f(g: fn(Tex2D, Sampler) -> float4, t: Tex2D, s: Sampler) -> float4 { return g(t, s); }
         fn h(t: Tex2D, s: Sampler) -> float4 { return f(|t, s| t.sample_level(s, float2(0.0), 0.0), t, s); }",
        "fn f(g: fn(float) -> float = h) -> float { return k(g); } fn k(g: fn(float) -> float = |x| x) -> float { return g(1.0); } fn h(x: float) -> float { return x; }
         fn l() -> float { return f() + f(h) + k() + f(g: |g| g); }",
        "fn f(g: fn(uint) -> uint) -> uint { return g(1u); } fn h(x: uint) -> uint { return x; } fn h(x: float) -> uint { return 1u; } fn i() -> uint { return f(h) + f(countbits); }",
        "fn f(g: fn(float3, float3) -> float) -> float { return g(float3(1.0), float3(2.0)); } fn h() -> float { return f(dot) + f(distance); }",
        "fn f(g: fn(float3x3, float3) -> float3) -> float3 { return g(float3x3(1.0), float3(2.0)); } fn h() -> float3 { return f(mul); }",
        "fn f(g: fn(float) -> float, x: float) -> float { let h = |v: float| g(v) * 2.0; return f2(h) + f2(g); } fn f2(g: fn(float) -> float) -> float { return g(1.0); }",
        "fn f(const n: uint, g: fn(float[n]) -> float, v: float[n]) -> float { return g(v); } fn s(v: float[2]) -> float { return v[0]; }
         fn h(v: float[2], w: float[3]) -> float { return f(2u, s, v) + f(3u, |v| v[2], w); }",
    ]);
    wrong(&[
        ("fn f(g: fn(float)) { g(1u); }", "expected `float`, found `uint`"),
        ("fn f(g: fn(inout uint)) { g(1u); }", "must be a variable"),
        (
            "fn f(g: fn(float) -> float) { } fn h(x: float) -> float { return x; } fn i() { f(h(1.0)); }",
            "found `float`",
        ),
        ("fn f(g: fn(float[0])) { }", "must be positive"),
        ("fn f(const n: uint, g: fn(float[n])) { } fn s(v: float[2]) { } fn h() { f(3u, s); }", "is no `fn(float[3])`"),
    ]);
}

#[test]
fn instances() {
    right(&[
        "fn f(x: float, const k: float) -> float { return x * k; } fn g = f(2.0); fn h(x: float) -> float { return g(x) + g(x: 1.0); }",
        "fn f(x: float, const k: float) -> float { return x * k; } fn g = f(2.0); fn a(x: fn(float) -> float) -> float { return x(1.0); } fn h() -> float { return a(g); }",
        "fn h() -> float { return g(1.0); } fn g = f(k: 2.0); fn f(const k: float, x: float) -> float { return x * k; }",
        "fn f(x: float, const k: float) -> float { return x * k; } fn g = f(2.0); fn g(x: uint) -> uint { return x; } fn h() -> float { return g(1.0) + float(g(2u)); }",
        "fn f(x: float, const k: float = 3.0) -> float { return x * k; } fn g = f();",
        "fn f(x: float, g: fn(float) -> float, const k: float) -> float { return g(x * k); } fn g = f(|v| v + 1.0, 2.0); fn h = f(saturate, k: 1.0);",
        "fn f(t: Tex2D?, const mip: uint) -> float { if (t == none) { return 1.0; } return t.load(uint2(0u), mip).x; } fn g = f(none, 2u);",
        "fn f(const n: uint) -> float[n] { return [1.0; n]; } fn g = f(4u); fn h() -> float[4] { return g(); }",
        "fn f(const n: uint, a: inout float[n]) { a[0] = 1.0; } fn g = f(2u); fn h() { var a: float[2]; g(a); }",
        "@compute(threads = (n, 1, 1)) fn f(const n: uint, @dispatch_id id: uint, @bind(a.b) out: RwBuf<uint>) { out[id] = n; } fn g = f(64u); fn h = f(n: 32u);",
        "@fragment fn f(const k: float) -> float4 { return float4(k); } private fn g = f(1.0); fn h = f(2.0);",
    ]);
    wrong(&[
        ("fn f(const k: int) { } fn g = f(1); fn h() { g(1); }", "`g` takes 0 arguments, not 1"),
        ("fn g = f(1);", "unknown function `f`"),
        ("fn f(const k: int) { } fn g = f(1); fn g() { }", "`g` is already defined"),
        ("fn f(const k: int) { g(); } fn g = f(1);", "recursion"),
        ("fn f(const k: int) { } fn g = g(1);", "`g` is no template"),
    ]);
}
