//! What templates, closures and instances are lowered to.

use super::tests::check;

#[test]
fn a_template_keeps_what_depends_on_its_parameters() {
    check(
        "enum Mode: uint { A, B, }
        fn f(const n: uint, const mode: Mode, image: Tex2D?, g: fn(float[n]) -> float) -> float {
            var values: float[n * 2u];
            if (mode == Mode.B && image != none) { return values[n]; }
            @unroll(n)
            while (false) { }
            switch (n) { case 1u: case n + 1u: return 2.0; default: break; }
            return g([3.0; n]) + float(sizeof(float[n]));
        }",
        "
        const @Mode_A: u32 = 0
        const @Mode_B: u32 = 1

        func @f(%n: u32 const, %mode: u32 const Mode, %image: texture<2d, float> optional, %g: fn(open<f32, param 0 u32>) -> f32) -> f32 {
          %0: f32 = akari.const {value: f32 0.0}
          %1: open<f32, akari.mul(param 0 u32, known u32 2) -> u32> = akari.repeat %0
          %values: ref<function, open<f32, akari.mul(param 0 u32, known u32 2) -> u32>> = akari.local %1
          %2: u32 = akari.global_const {global: @Mode_B}
          %3: bool = akari.compare %mode, %2 {predicate: eq}
          %4: bool = akari.and_then %3 rhs {
            %5: bool = akari.is_none %image
            %6: bool = akari.not %5
            akari.yield %6
          }
          akari.if %4 {hint: none} then {
            %7: ref<function, f32> = akari.element %values, %n
            %8: f32 = akari.load %7
            akari.return %8
          } otherwise {
          }
          akari.loop %n {when: before, hint: unroll, unroll: 0} test {
            %9: bool = akari.const {value: bool false}
            akari.yield %9
          } body {
          } step {
          }
          %10: u32 = akari.const {value: u32 1}
          %11: u32 = akari.const {value: u32 1}
          %12: u32 = akari.add %n, %11
          akari.open_switch %n, %10, %12 {cases: [0, 0], default: 1} bodies {
            %13: f32 = akari.const {value: f32 2.0}
            akari.return %13
          } bodies {
          }
          %14: f32 = akari.const {value: f32 3.0}
          %15: open<f32, param 0 u32> = akari.repeat %14
          %16: f32 = akari.call_value %g, %15
          %17: u32 = akari.size_of {ty: open<f32, param 0 u32>, uniform: false}
          %18: f32 = akari.convert %17
          %19: f32 = akari.add %16, %18
          akari.return %19
        }",
    );
}

#[test]
fn a_closure_is_a_function_with_captures() {
    check(
        "fn apply(f: fn(uint) -> float) -> float { return f(0u); }
        fn f(const n: uint, given: ref float, changed: inout float, x: float, table: float[2], image: Tex2D, g: fn(float) -> float) -> float {
            let fixed = x * 2.0;
            let list = [x, fixed];
            const known = 3.0;
            var moving: float[n];
            @groupshared var tile: float[4];
            return apply(|i| {
                changed += 1.0;
                moving[0] = given;
                return apply(|j| tile[i] + list[j] + table[i] + g(fixed) + known + image.load(uint2(i)).x + moving[0]);
            });
        }",
        "
        workgroup @tile: array<f32, 4>

        func @apply(%f: fn(u32) -> f32) -> f32 {
          %0: u32 = akari.const {value: u32 0}
          %1: f32 = akari.call_value %f, %0
          akari.return %1
        }

        closure func @f_f(%j: u32, ref %tile: ref<workgroup, array<f32, 4>>, %i: u32, ref %list: ref<function, array<f32, 2>>, ref %table: ref<function, array<f32, 2>>, %g: fn(f32) -> f32, %fixed: f32, %image: texture<2d, float>, ref %moving: ref<function, open<f32, param 9 u32>>, %n: u32 const) -> f32 {
          %0: ref<workgroup, f32> = akari.element %tile, %i
          %1: f32 = akari.load %0
          %2: ref<function, f32> = akari.element %list, %j
          %3: f32 = akari.load %2
          %4: f32 = akari.add %1, %3
          %5: ref<function, f32> = akari.element %table, %i
          %6: f32 = akari.load %5
          %7: f32 = akari.add %4, %6
          %8: f32 = akari.call_value %g, %fixed
          %9: f32 = akari.add %7, %8
          %10: f32 = akari.const {value: f32 3.0}
          %11: f32 = akari.add %9, %10
          %12: vec<u32, 2> = akari.splat %i
          %13: u32 = akari.const {value: u32 0}
          %14: vec<f32, 4> = akari.builtin %image, %12, %13 {function: texture_load}
          %15: f32 = akari.swizzle %14 {components: [0]}
          %16: f32 = akari.add %11, %15
          %17: i32 = akari.const {value: i32 0}
          %18: ref<function, f32> = akari.element %moving, %17
          %19: f32 = akari.load %18
          %20: f32 = akari.add %16, %19
          akari.return %20
        }

        closure func @f_f_2(%i: u32, inout %changed: ref<function, f32>, inout %moving: ref<function, open<f32, param 3 u32>>, %n: u32 const, ref %given: ref<function, f32>, ref %tile: ref<workgroup, array<f32, 4>>, ref %list: ref<function, array<f32, 2>>, ref %table: ref<function, array<f32, 2>>, %g: fn(f32) -> f32, %fixed: f32, %image: texture<2d, float>) -> f32 {
          %0: f32 = akari.load %changed
          %1: f32 = akari.const {value: f32 1.0}
          %2: f32 = akari.add %0, %1
          akari.store %changed, %2
          %3: i32 = akari.const {value: i32 0}
          %4: ref<function, f32> = akari.element %moving, %3
          %5: f32 = akari.load %given
          akari.store %4, %5
          %6: fn(u32) -> f32 = akari.function %tile, %i, %list, %table, %g, %fixed, %image, %moving, %n {callee: @f_f}
          %7: f32 = akari.call %6 {callee: @apply}
          akari.return %7
        }

        func @f(%n: u32 const, ref %given: ref<function, f32>, inout %changed: ref<function, f32>, %x: f32, %table: array<f32, 2>, %image: texture<2d, float>, %g: fn(f32) -> f32) -> f32 {
          %table.1: ref<function, array<f32, 2>> = akari.local %table
          %0: f32 = akari.const {value: f32 2.0}
          %fixed: f32 = akari.mul %x, %0
          %1: array<f32, 2> = akari.construct %x, %fixed
          %list: ref<function, array<f32, 2>> = akari.local %1
          %known: f32 = akari.const {value: f32 3.0}
          %2: f32 = akari.const {value: f32 0.0}
          %3: open<f32, param 0 u32> = akari.repeat %2
          %moving: ref<function, open<f32, param 0 u32>> = akari.local %3
          %4: ref<workgroup, array<f32, 4>> = akari.global_place {global: @tile}
          %5: ref<workgroup, array<f32, 4>> = akari.global_place {global: @tile}
          %6: fn(u32) -> f32 = akari.function %changed, %moving, %n, %given, %5, %list, %table.1, %g, %fixed, %image {callee: @f_f_2}
          %7: f32 = akari.call %6 {callee: @apply}
          akari.return %7
        }",
    );
}

#[test]
fn an_instance_binds_parameters_of_its_template() {
    check(
        "@compute(threads = (n, 1, 1))
        fn run(const n: uint, @dispatch_id id: uint, f: fn(float) -> float, @bind(a.b) values: RwBuf<float>) { values[id] = f(1.0); }
        fn run_64 = run(64u, |x| x * 2.0);
        fn run_sin = run(f: sin, n: 32u);",
        "
        func @run(%n: u32 const, %id: u32, %f: fn(f32) -> f32, %values: rwbuf<f32>) {
          %0: i32 = akari.const {value: i32 1}
          %1: i32 = akari.const {value: i32 1}
          akari.threads %n, %0, %1
          %2: ref<storage, f32> = akari.buffer_element %values, %id
          %3: f32 = akari.const {value: f32 1.0}
          %4: f32 = akari.call_value %f, %3
          akari.store %2, %4
        }

        closure func @run_64_f(%x: f32) -> f32 {
          %0: f32 = akari.const {value: f32 2.0}
          %1: f32 = akari.mul %x, %0
          akari.return %1
        }

        compute(1, 1, 1) func @run_64(%id: u32 dispatch_id, %values: rwbuf<f32> bind a.b) {
          %0: u32 = akari.const {value: u32 64}
          %1: fn(f32) -> f32 = akari.function {callee: @run_64_f}
          akari.instance %0, %1 {template: @run, params: [0, 2]}
        }

        closure func @sin(%0: f32) -> f32 {
          %1: f32 = akari.builtin %0 {function: sin}
          akari.return %1
        }

        compute(1, 1, 1) func @run_sin(%id: u32 dispatch_id, %values: rwbuf<f32> bind a.b) {
          %0: u32 = akari.const {value: u32 32}
          %1: fn(f32) -> f32 = akari.function {callee: @sin}
          akari.instance %0, %1 {template: @run, params: [0, 2]}
        }",
    );
}

#[test]
fn arrays_and_structs_that_closures_see_are_not_copied() {
    check(
        "struct S { a: float[2]; }
        fn f(s: S) -> float {
            let t = s;
            let read = |i: uint| t.a[i] + s.a[i];
            return read(0u) + read(1u);
        }",
        "
        struct @S {
          a: array<f32, 2>
        }

        closure func @f_read(%i: u32, ref %t: ref<function, @S>, ref %s: ref<function, @S>) -> f32 {
          %0: ref<function, array<f32, 2>> = akari.member %t {index: 0}
          %1: ref<function, f32> = akari.element %0, %i
          %2: f32 = akari.load %1
          %3: ref<function, array<f32, 2>> = akari.member %s {index: 0}
          %4: ref<function, f32> = akari.element %3, %i
          %5: f32 = akari.load %4
          %6: f32 = akari.add %2, %5
          akari.return %6
        }

        func @f(%s: @S) -> f32 {
          %s.1: ref<function, @S> = akari.local %s
          %0: @S = akari.load %s.1
          %t: ref<function, @S> = akari.local %0
          %read: fn(u32) -> f32 = akari.function %t, %s.1 {callee: @f_read}
          %1: u32 = akari.const {value: u32 0}
          %2: f32 = akari.call_value %read, %1
          %3: u32 = akari.const {value: u32 1}
          %4: f32 = akari.call_value %read, %3
          %5: f32 = akari.add %2, %4
          akari.return %5
        }",
    );
}

#[test]
fn a_default_and_a_builtin_are_one_function_wherever_they_are_put_in() {
    check(
        "fn apply(x: float, f: fn(float) -> float = |y| y * 2.0) -> float { return f(x); }
        fn a(x: float) -> float { return apply(x) + apply(x, abs); }
        fn b(x: float) -> float { return apply(x, abs) + apply(x); }",
        "
        func @apply(%x: f32, %f: fn(f32) -> f32) -> f32 {
          %0: f32 = akari.call_value %f, %x
          akari.return %0
        }

        closure func @apply_f(%y: f32) -> f32 {
          %0: f32 = akari.const {value: f32 2.0}
          %1: f32 = akari.mul %y, %0
          akari.return %1
        }

        closure func @abs(%0: f32) -> f32 {
          %1: f32 = akari.builtin %0 {function: abs}
          akari.return %1
        }

        func @a(%x: f32) -> f32 {
          %0: fn(f32) -> f32 = akari.function {callee: @apply_f}
          %1: f32 = akari.call %x, %0 {callee: @apply}
          %2: fn(f32) -> f32 = akari.function {callee: @abs}
          %3: f32 = akari.call %x, %2 {callee: @apply}
          %4: f32 = akari.add %1, %3
          akari.return %4
        }

        func @b(%x: f32) -> f32 {
          %0: fn(f32) -> f32 = akari.function {callee: @abs}
          %1: f32 = akari.call %x, %0 {callee: @apply}
          %2: fn(f32) -> f32 = akari.function {callee: @apply_f}
          %3: f32 = akari.call %x, %2 {callee: @apply}
          %4: f32 = akari.add %1, %3
          akari.return %4
        }",
    );
}
