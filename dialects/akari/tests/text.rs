//! The textual form round-trips, and the verifier takes what is sound and refuses what is not.
#![allow(clippy::unwrap_used, reason = "tests")]

use akari_dialect::AKARI;
use akari_ir::verify::verify;
use akari_ir::{Registry, parse, print_module};

const SAMPLE: &str = r#"module "post"

doc "What the vertex stage gives."
struct @V {
  position: vec<f32, 4> position
  uv: vec<f32, 2> noperspective location 0
}

packed struct @Nested {
  a: array<@V, 3> offset 4
  m: mat<2, 3>
}

const @PI: f32 = 3.1415927
const @TABLE: array<vec<i32, 2>, 2> = ((1, -2147483648), (0, 3))
const @TINY: f16 = bits 0x1
workgroup @tile: array<f32, 64>
resource @hdr: texture<2d, float> bind post.hdr slot t 0 space 1

func @helper(inout %quota: ref<function, u32>, %s: sampler) -> u32 {
  %0: u32 = akari.load %quota
  akari.return %0
}

func @helper#1() {
}

compute(64, 1, 1) func @main(%id: vec<u32, 3> dispatch_id, %data: rwbuf<f32> bind in.data slot metal 3, %samp: sampler state linear clamp) {
  %i: u32 = akari.extract %id {index: 0}
  %0: ref<storage, f32> = akari.buffer_element %data, %i
  %x: f32 = akari.load %0
  %nan: f32 = akari.const {value: f32 bits 0x7fc00000}
  %big: f32 = akari.const {value: f32 1e-20}
  %1: bool = akari.compare %x, %nan {predicate: lt}
  %2: ref<function, u32> = akari.local
  %3: u32 = akari.call %2, %samp {callee: @helper}
  akari.if %1 {hint: branch} then {
    akari.switch %3 {labels: [1, 0, 2, 0, 7, 1], default: 1} cases {
      akari.store %0, %big
    } cases {
      akari.break
    }
  } otherwise {
    %x.1: f32 = akari.builtin %x {function: sin}
    akari.store %0, %x.1
  }
  akari.return
}
"#;

#[test]
fn round_trips() {
    let module = parse(Registry(&[&AKARI]), SAMPLE).unwrap();
    verify(&module).map_err(|report| report.render(&module)).unwrap();
    assert_eq!(print_module(&module), SAMPLE);
}

fn faults(body: &str) -> String {
    let text = format!("func @f(%x: f32, %v: vec<f32, 3>, %p: ref<storage_read, f32>) -> f32 {{\n{body}\n}}\n");
    let module = parse(Registry(&[&AKARI]), &text).unwrap();
    verify(&module).map_err(|report| report.render(&module)).unwrap_err()
}

#[test]
fn refuses_unsound_operations() {
    for (body, message) in [
        ("akari.store %p, %x", "operand 0 is not of the kind WritablePlace"),
        ("%0: f32 = akari.add %x, %v", "its result has the wrong type"),
        ("akari.return %x akari.return %x", "it stands after a terminator"),
        ("%0: vec<f32, 4> = akari.builtin %v {function: normalize}", "its result has the wrong type"),
        ("%0: bool = akari.and_then %x rhs { }", "operand 0 is not of the kind Bool"),
    ] {
        let found = faults(body);
        assert!(found.contains(message), "{body}: {found}");
    }
}

#[test]
fn parse_errors_name_the_place() {
    let error = parse(Registry(&[&AKARI]), "func @f() { akari.nope }").unwrap_err();
    assert_eq!((error.offset, error.message.as_str()), (23, "there is no operation `akari.nope`"));
}
