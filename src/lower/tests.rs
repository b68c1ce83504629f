//! Source text to printed IR, for what the numeric cases cannot tell apart.

use akari_ir::print_module;

use crate::frontend::{Found, compile};
use crate::render;
use crate::source::SourceMap;

/// The functions of a module with this text, as printed.
fn lowered(text: &str) -> String {
    let mut sources = SourceMap::new();
    let root = sources.add("test.akari", format!("#module test\n{text}").into_bytes()).expect("the text is UTF-8");
    let compiled = compile(root, &mut sources, &mut |_, _| Found::Nowhere);
    let module = compiled.module.unwrap_or_else(|| panic!("{}", render::report(&sources, &compiled.diagnostics)));
    akari_ir::verify::verify(&module).unwrap_or_else(|report| panic!("{}", report.render(&module)));
    let printed = print_module(&module);
    printed.trim_start_matches("module \"test\"").trim().to_owned()
}

#[track_caller]
pub(super) fn check(text: &str, expected: &str) {
    let expected: Vec<&str> = expected.trim_matches('\n').lines().collect();
    let indent = expected.first().map_or(0, |line| line.len() - line.trim_start().len());
    let expected: Vec<&str> = expected.iter().map(|line| line.get(indent..).unwrap_or("").trim_end()).collect();
    assert_eq!(lowered(text), expected.join("\n").trim_end());
}

#[test]
fn a_function_ends_in_a_return_without_an_invented_value() {
    check(
        "fn f(c: bool, n: int) -> int {
            if (c) { return 1; } else { switch (n) { case 0: return 2; default: return 3; } }
        }",
        "
        func @f(%c: bool, %n: i32) -> i32 {
          akari.if %c {hint: none} then {
            %0: i32 = akari.const {value: i32 1}
            akari.return %0
          } otherwise {
          }
          akari.switch %n {labels: [0, 0], default: -1} cases {
            %1: i32 = akari.const {value: i32 2}
            akari.return %1
          }
          %2: i32 = akari.const {value: i32 3}
          akari.return %2
        }",
    );
}

#[test]
fn the_place_of_a_compound_assignment_is_evaluated_once_and_first() {
    check(
        "fn next(n: inout uint) -> uint { n++; return n; }
        fn f(values: RwBuf<uint>) { var n = 0u; values[next(n)] += next(n); }",
        "
        func @next(inout %n: ref<function, u32>) -> u32 {
          %0: u32 = akari.load %n
          %1: u32 = akari.const {value: u32 1}
          %2: u32 = akari.add %0, %1
          akari.store %n, %2
          %3: u32 = akari.load %n
          akari.return %3
        }

        func @f(%values: rwbuf<u32>) {
          %0: u32 = akari.const {value: u32 0}
          %n: ref<function, u32> = akari.local %0
          %1: u32 = akari.call %n {callee: @next}
          %2: ref<storage, u32> = akari.buffer_element %values, %1
          %3: u32 = akari.load %2
          %4: u32 = akari.call %n {callee: @next}
          %5: u32 = akari.add %3, %4
          akari.store %2, %5
        }",
    );
}

#[test]
fn conditionals_run_one_side_unless_both_cost_nothing() {
    check(
        "fn f(c: bool, x: float) -> float { return (c ? x : 0.0) + (c ? sin(x) : 1.0); }",
        "
        func @f(%c: bool, %x: f32) -> f32 {
          %0: f32 = akari.const {value: f32 0.0}
          %1: f32 = akari.select %c, %x, %0
          %2: f32 = akari.cond %c then {
            %3: f32 = akari.builtin %x {function: sin}
            akari.yield %3
          } otherwise {
            %4: f32 = akari.const {value: f32 1.0}
            akari.yield %4
          }
          %5: f32 = akari.add %1, %2
          akari.return %5
        }",
    );
}

#[test]
fn bitfields_are_shifts_and_masks() {
    check(
        "bitfield W: uint { low: 4, high: 28, }
        fn f(w: W) -> uint { return w.low + w.high; }
        fn g(v: uint) -> uint { var w = W { high: v, .. }; w.low = v; return w; }",
        "
        func @f(%w: u32) -> u32 {
          %0: u32 = akari.const {value: u32 15}
          %1: u32 = akari.and %w, %0
          %2: u32 = akari.const {value: u32 4}
          %3: u32 = akari.shr %w, %2
          %4: u32 = akari.add %1, %3
          akari.return %4
        }

        func @g(%v: u32) -> u32 {
          %0: u32 = akari.const {value: u32 4}
          %1: u32 = akari.shl %v, %0
          %w: ref<function, u32> = akari.local %1
          %2: u32 = akari.load %w
          %3: u32 = akari.const {value: u32 4294967280}
          %4: u32 = akari.and %2, %3
          %5: u32 = akari.const {value: u32 15}
          %6: u32 = akari.and %v, %5
          %7: u32 = akari.or %4, %6
          akari.store %w, %7
          %8: u32 = akari.load %w
          akari.return %8
        }",
    );
}

#[test]
fn named_arguments_are_evaluated_as_written_and_defaults_after_them() {
    check(
        "fn g(a: float, b: float, c: float = 3.0) -> float { return a + b + c; }
        fn f(x: float) -> float { return g(b: sin(x), a: cos(x)); }",
        "
        func @g(%a: f32, %b: f32, %c: f32) -> f32 {
          %0: f32 = akari.add %a, %b
          %1: f32 = akari.add %0, %c
          akari.return %1
        }

        func @f(%x: f32) -> f32 {
          %0: f32 = akari.builtin %x {function: sin}
          %1: f32 = akari.builtin %x {function: cos}
          %2: f32 = akari.const {value: f32 3.0}
          %3: f32 = akari.call %1, %0, %2 {callee: @g}
          akari.return %3
        }",
    );
}

#[test]
fn components_are_lent_by_way_of_a_variable() {
    check(
        "fn bump(x: inout float) { x += 1.0; }
        fn f(v: float2) -> float2 { var w = v; bump(w.y); return w; }",
        "
        func @bump(inout %x: ref<function, f32>) {
          %0: f32 = akari.load %x
          %1: f32 = akari.const {value: f32 1.0}
          %2: f32 = akari.add %0, %1
          akari.store %x, %2
        }

        func @f(%v: vec<f32, 2>) -> vec<f32, 2> {
          %w: ref<function, vec<f32, 2>> = akari.local %v
          %0: vec<f32, 2> = akari.load %w
          %1: f32 = akari.swizzle %0 {components: [1]}
          %2: ref<function, f32> = akari.local %1
          akari.call %2 {callee: @bump}
          %3: f32 = akari.load %2
          akari.store_components %w, %3 {components: [1]}
          %4: vec<f32, 2> = akari.load %w
          akari.return %4
        }",
    );
}

#[test]
fn tables_are_read_in_place_where_the_index_is_computed() {
    check(
        "const T: uint[3] = [4u, 2u, 1u];
        fn f(i: uint) -> uint { return T[i] + T[1]; }",
        "
        const @T: array<u32, 3> = (4, 2, 1)

        func @f(%i: u32) -> u32 {
          %0: ref<constant, array<u32, 3>> = akari.global_place {global: @T}
          %1: ref<constant, u32> = akari.element %0, %i
          %2: u32 = akari.load %1
          %3: array<u32, 3> = akari.global_const {global: @T}
          %4: u32 = akari.extract %3 {index: 1}
          %5: u32 = akari.add %2, %4
          akari.return %5
        }",
    );
}

#[test]
fn loops_keep_their_parts() {
    check(
        "fn f() -> uint {
            var sum = 0u;
            @unroll(2)
            for (var i = 0u; i < 8u; i++) { if (i == 3u) { continue; } sum += i; }
            do { sum--; } while (sum > 9u);
            return sum;
        }",
        "
        func @f() -> u32 {
          %0: u32 = akari.const {value: u32 0}
          %sum: ref<function, u32> = akari.local %0
          %1: u32 = akari.const {value: u32 0}
          %i: ref<function, u32> = akari.local %1
          akari.loop {when: before, hint: unroll, unroll: 2} test {
            %2: u32 = akari.load %i
            %3: u32 = akari.const {value: u32 8}
            %4: bool = akari.compare %2, %3 {predicate: lt}
            akari.yield %4
          } body {
            %5: u32 = akari.load %i
            %6: u32 = akari.const {value: u32 3}
            %7: bool = akari.compare %5, %6 {predicate: eq}
            akari.if %7 {hint: none} then {
              akari.continue
            } otherwise {
            }
            %8: u32 = akari.load %sum
            %9: u32 = akari.load %i
            %10: u32 = akari.add %8, %9
            akari.store %sum, %10
          } step {
            %11: u32 = akari.load %i
            %12: u32 = akari.const {value: u32 1}
            %13: u32 = akari.add %11, %12
            akari.store %i, %13
          }
          akari.loop {when: after, hint: none, unroll: 0} test {
            %14: u32 = akari.load %sum
            %15: u32 = akari.const {value: u32 9}
            %16: bool = akari.compare %14, %15 {predicate: gt}
            akari.yield %16
          } body {
            %17: u32 = akari.load %sum
            %18: u32 = akari.const {value: u32 1}
            %19: u32 = akari.sub %17, %18
            akari.store %sum, %19
          } step {
          }
          %20: u32 = akari.load %sum
          akari.return %20
        }",
    );
}

#[test]
fn rays_that_are_judged_are_cast_by_one_function_for_each_judge() {
    check(
        "private fn hikari_rt_candidate_accepts(a: Buf<uint>, b: Buf<uint>, buffers: BufferTable, textures: TextureTable,
            count: uint, instance: uint, triangle: uint, at: float2) -> bool { return at.x > 0.5; }
        fn seen(scene: AccelStruct, a: Buf<uint>, buffers: BufferTable, textures: TextureTable, p: float3) -> float {
            return rt_visibility_masked(scene, a, a, buffers, textures, 3, p, p, 0.0, 1.0, 255)
                + rt_visibility_masked(scene, a, a, buffers, textures, 4, p, p, 0.0, 1.0, 255);
        }",
        "
        func @hikari_rt_candidate_accepts(%a: buf<u32>, %b: buf<u32>, %buffers: buffer_table, %textures: texture_table, %count: u32, %instance: u32, %triangle: u32, %at: vec<f32, 2>) -> bool {
          %0: f32 = akari.swizzle %at {components: [0]}
          %1: f32 = akari.const {value: f32 0.5}
          %2: bool = akari.compare %0, %1 {predicate: gt}
          akari.return %2
        }

        func @seen(%scene: accel_struct, %a: buf<u32>, %buffers: buffer_table, %textures: texture_table, %p: vec<f32, 3>) -> f32 {
          %0: u32 = akari.const {value: u32 3}
          %1: f32 = akari.const {value: f32 0.0}
          %2: f32 = akari.const {value: f32 1.0}
          %3: u32 = akari.const {value: u32 255}
          %4: f32 = akari.call %scene, %a, %a, %buffers, %textures, %0, %p, %p, %1, %2, %3 {callee: @rt_visibility_masked}
          %5: u32 = akari.const {value: u32 4}
          %6: f32 = akari.const {value: f32 0.0}
          %7: f32 = akari.const {value: f32 1.0}
          %8: u32 = akari.const {value: u32 255}
          %9: f32 = akari.call %scene, %a, %a, %buffers, %textures, %5, %p, %p, %6, %7, %8 {callee: @rt_visibility_masked}
          %10: f32 = akari.add %4, %9
          akari.return %10
        }

        func @rt_visibility_masked(%scene: accel_struct, %instances: buf<u32>, %materials: buf<u32>, %buffers: buffer_table, %textures: texture_table, %instance_count: u32, %origin: vec<f32, 3>, %direction: vec<f32, 3>, %t_min: f32, %t_max: f32, %mask: u32) -> f32 {
          %query: ref<function, ray_query> = akari.local
          akari.ray_query_begin %query, %scene, %origin, %direction, %t_min, %t_max, %mask {any: true, opaque: false}
          akari.loop {when: before, hint: none, unroll: 0} test {
            %0: bool = akari.ray_query_proceed %query
            akari.yield %0
          } body {
            %1: bool = akari.ray_query_candidate %query {fact: is_hit}
            %2: bool = akari.and_then %1 rhs {
              %3: u32 = akari.ray_query_candidate %query {fact: instance_id}
              %4: u32 = akari.ray_query_candidate %query {fact: primitive_id}
              %5: vec<f32, 2> = akari.ray_query_candidate %query {fact: barycentric}
              %6: bool = akari.call %instances, %materials, %buffers, %textures, %instance_count, %3, %4, %5 {callee: @hikari_rt_candidate_accepts}
              akari.yield %6
            }
            akari.if %2 {hint: none} then {
              akari.ray_query_accept %query
            } otherwise {
            }
          } step {
          }
          %7: bool = akari.ray_query_hit %query {fact: is_hit}
          %8: f32 = akari.const {value: f32 0.0}
          %9: f32 = akari.const {value: f32 1.0}
          %10: f32 = akari.select %7, %8, %9
          akari.return %10
        }",
    );
}
