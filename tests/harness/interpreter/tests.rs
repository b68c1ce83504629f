//! What exists at compile time only, run as it stands: textual IR, since every form of it must be met, whatever source can make.

use akari_dialect::AKARI;
use akari_ir::{Registry, parse, verify};

use super::run;
use crate::job::{BoundResource, Contents, Job, Slot, Work};

/// Runs the entry `main` on the buffer `out.result`, all zero at first, and gives what it holds then. Groups have as many
/// threads as `threads` says; there is one.
fn result(text: &str, threads: [u32; 3], words: usize) -> Result<Vec<u32>, String> {
    let text = format!("module \"test\"\n{text}");
    let module = parse(Registry(&[&AKARI]), &text).map_err(|error| format!("{error:?}: {}", &text[error.offset..]))?;
    verify::verify(&module).map_err(|report| report.render(&module))?;
    let job = Job {
        work: Work::Compute { entry: "main".into(), groups: [1, 1, 1], threads },
        resources: vec![BoundResource {
            name: "out.result".into(),
            slot: Slot::new(0, 0),
            contents: Contents::StorageBuffer(vec![0; words * 4]),
        }],
        samplers: Vec::new(),
    };
    let outcome = run(&module, &job)?;
    let words = outcome.resources[0].chunks_exact(4);
    Ok(words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

#[track_caller]
fn check(text: &str, threads: [u32; 3], expected: &[u32]) {
    assert_eq!(result(text, threads, expected.len()).as_deref(), Ok(expected));
}

/// A function that writes a word of the buffer.
const PUT: &str = "
func @put(%out: rwbuf<u32>, %i: u32, %x: u32) {
  %to: ref<storage, u32> = akari.buffer_element %out, %i
  akari.store %to, %x
}
";

#[test]
fn closures_see_what_is_written_to_captured_variables() {
    let text = format!(
        "{PUT}
closure func @main_add(%x: u32, %sum: ref<function, u32>, %by: u32) -> u32 {{
  %s: u32 = akari.load %sum
  %a: u32 = akari.add %s, %by
  akari.store %sum, %a
  akari.return %a
}}
closure func @main_read(%sum: ref<function, u32>) -> u32 {{
  %s: u32 = akari.load %sum
  akari.return %s
}}
func @twice(%x: u32, %f: fn(u32) -> u32) -> u32 {{
  %a: u32 = akari.call_value %f, %x
  %b: u32 = akari.call_value %f, %a
  akari.return %b
}}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  %one: u32 = akari.const {{value: u32 1}}
  %two: u32 = akari.const {{value: u32 2}}
  %ten: u32 = akari.const {{value: u32 10}}
  %three: u32 = akari.const {{value: u32 3}}
  %sum: ref<function, u32> = akari.local %ten
  %add: fn(u32) -> u32 = akari.function %sum, %three {{callee: @main_add}}
  %read: fn() -> u32 = akari.function %sum {{callee: @main_read}}
  %a: u32 = akari.call %one, %add {{callee: @twice}}
  akari.call %out, %zero, %a {{callee: @put}}
  akari.store %sum, %two
  %b: u32 = akari.call_value %read
  akari.call %out, %one, %b {{callee: @put}}
  %c: u32 = akari.call_value %add, %one
  akari.call %out, %two, %c {{callee: @put}}
}}"
    );
    // 10 + 3 + 3; what was stored; 2 + 3.
    check(&text, [1, 1, 1], &[16, 2, 5]);
}

#[test]
fn function_values_take_places() {
    let text = format!(
        "{PUT}
func @bump(inout %x: ref<function, u32>) {{
  %a: u32 = akari.load %x
  %b: u32 = akari.add %a, %a
  akari.store %x, %b
}}
func @on(%f: fn(inout u32), inout %x: ref<function, u32>) {{
  akari.call_value %f, %x
}}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  %seven: u32 = akari.const {{value: u32 7}}
  %x: ref<function, u32> = akari.local %seven
  %f: fn(inout u32) = akari.function {{callee: @bump}}
  akari.call %f, %x {{callee: @on}}
  %a: u32 = akari.load %x
  akari.call %out, %zero, %a {{callee: @put}}
}}"
    );
    check(&text, [1, 1, 1], &[14]);
}

#[test]
fn lengths_follow_from_parameters() {
    let text = format!(
        "{PUT}
func @fill(%n: u32 const, %x: u32) -> open<u32, akari.add(akari.mul(param 0 u32, known u32 2) -> u32, known u32 1) -> u32> {{
  %a: open<u32, akari.add(akari.mul(param 0 u32, known u32 2) -> u32, known u32 1) -> u32> = akari.repeat %x
  akari.return %a
}}
func @sum(%n: u32 const) -> u32 {{
  %five: u32 = akari.const {{value: u32 5}}
  %a: open<u32, akari.add(akari.mul(param 0 u32, known u32 2) -> u32, known u32 1) -> u32> = akari.call %n, %five {{callee: @fill}}
  %v: ref<function, open<u32, akari.add(akari.mul(param 0 u32, known u32 2) -> u32, known u32 1) -> u32>> = akari.local %a
  %z: ref<function, open<u32, param 0 u32>> = akari.local
  %one: u32 = akari.const {{value: u32 1}}
  %two: u32 = akari.const {{value: u32 2}}
  %last: u32 = akari.mul %n, %two
  %end: ref<function, u32> = akari.element %v, %last
  akari.store %end, %one
  %first: ref<function, u32> = akari.element %v, %one
  %x: u32 = akari.load %end
  %y: u32 = akari.load %first
  %p: u32 = akari.sub %n, %one
  %q: ref<function, u32> = akari.element %z, %p
  %w: u32 = akari.load %q
  %s: u32 = akari.add %x, %y
  %t: u32 = akari.add %s, %w
  akari.return %t
}}
func @bytes(%n: u32 const) -> u32 {{
  %a: u32 = akari.size_of {{ty: array<open<vec<f32, 3>, param 0 u32>, 2>, uniform: false}}
  %b: u32 = akari.size_of {{ty: open<f32, param 0 u32>, uniform: true}}
  %k: u32 = akari.const {{value: u32 1000}}
  %c: u32 = akari.mul %a, %k
  %d: u32 = akari.add %c, %b
  akari.return %d
}}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  %one: u32 = akari.const {{value: u32 1}}
  %three: u32 = akari.const {{value: u32 3}}
  %a: u32 = akari.call %three {{callee: @sum}}
  akari.call %out, %zero, %a {{callee: @put}}
  %b: u32 = akari.call %three {{callee: @bytes}}
  akari.call %out, %one, %b {{callee: @put}}
}}"
    );
    // 1 + 5 + 0; 2 * 3 * 12 bytes and 3 * 16.
    check(&text, [1, 1, 1], &[6, 72_048]);
}

#[test]
fn labels_and_optional_handles() {
    let text = format!(
        "{PUT}
func @pick(%k: u32 const, %x: u32) -> u32 {{
  %one: u32 = akari.const {{value: u32 1}}
  %kk: u32 = akari.add %k, %one
  akari.open_switch %x, %k, %kk {{cases: [1, 0], default: 2}} bodies {{
    %r100: u32 = akari.const {{value: u32 100}}
    akari.return %r100
  }} bodies {{
    %r200: u32 = akari.const {{value: u32 200}}
    akari.return %r200
  }} bodies {{
    %r300: u32 = akari.const {{value: u32 300}}
    akari.return %r300
  }}
  akari.return %one
}}
func @put_if(%out: rwbuf<u32> optional, %i: u32, %x: u32) -> bool {{
  %none: bool = akari.is_none %out
  akari.if %none {{hint: none}} then {{
    akari.return %none
  }} otherwise {{
    akari.call %out, %i, %x {{callee: @put}}
  }}
  akari.return %none
}}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  %one: u32 = akari.const {{value: u32 1}}
  %two: u32 = akari.const {{value: u32 2}}
  %seven: u32 = akari.const {{value: u32 7}}
  %eight: u32 = akari.const {{value: u32 8}}
  %a: u32 = akari.call %seven, %seven {{callee: @pick}}
  %w: bool = akari.call %out, %zero, %a {{callee: @put_if}}
  %b: u32 = akari.call %seven, %eight {{callee: @pick}}
  %x: bool = akari.call %out, %one, %b {{callee: @put_if}}
  %nothing: rwbuf<u32> = akari.none
  %c: u32 = akari.call %seven, %one {{callee: @pick}}
  %y: bool = akari.call %nothing, %one, %c {{callee: @put_if}}
  %z: u32 = akari.convert %y
  akari.call %out, %two, %z {{callee: @put}}
}}"
    );
    check(&text, [1, 1, 1], &[200, 100, 1]);
}

/// An entry that is an instance: its thread-group size, its groupshared array and its bindings follow from the template.
const INSTANCE: &str = "
workgroup @tile: open<u32, param 0 u32>
resource @result: rwbuf<u32> bind out.result
resource @other: rwbuf<u32> bind out.other
struct @Ctx {
  to: rwbuf<u32>
  unused: rwbuf<u32>
}

closure func @reverse_read(%i: u32, ref %tile: ref<workgroup, open<u32, param 2 u32>>, %n: u32) -> u32 {
  %e: ref<workgroup, u32> = akari.element %tile, %i
  %v: u32 = akari.load %e
  akari.return %v
}

func @write(%ctx: @Ctx, %i: u32, %f: fn(u32) -> u32, %j: u32) {
  %out: rwbuf<u32> = akari.extract %ctx {index: 0}
  %v: u32 = akari.call_value %f, %j
  akari.call %out, %i, %v {callee: @put}
}

compute(1, 1, 1) func @reverse(%n: u32 const, %i: u32 local_index) {
  %one: u32 = akari.const {value: u32 1}
  akari.threads %n, %one, %one
  %tile: ref<workgroup, open<u32, param 0 u32>> = akari.global_place {global: @tile}
  %e: ref<workgroup, u32> = akari.element %tile, %i
  %sq: u32 = akari.mul %i, %i
  akari.store %e, %sq
  akari.builtin {function: barrier}
  %read: fn(u32) -> u32 = akari.function %tile, %n {callee: @reverse_read}
  %a: rwbuf<u32> = akari.resource {global: @result}
  %b: rwbuf<u32> = akari.resource {global: @other}
  %ctx: @Ctx = akari.construct %a, %b
  %last: u32 = akari.sub %n, %one
  %j: u32 = akari.sub %last, %i
  akari.call %ctx, %i, %read, %j {callee: @write}
}

compute(4, 1, 1) func @main(%i: u32 local_index) {
  %n: u32 = akari.const {value: u32 4}
  akari.instance %n {template: @reverse, params: [0]}
}";

#[test]
fn instances_are_entries() {
    check(&format!("{PUT}{INSTANCE}"), [4, 1, 1], &[9, 4, 1, 0]);
}

#[test]
fn an_instance_runs_with_its_own_thread_count() {
    let error = result(&format!("{PUT}{INSTANCE}"), [2, 1, 1], 4);
    assert_eq!(error, Err("the entry asks for [4, 1, 1] threads a group and runs with [2, 1, 1]".into()));
}

#[test]
fn a_template_is_no_entry() {
    let text = format!(
        "{PUT}
compute(1, 1, 1) func @main(%n: u32 const, %out: rwbuf<u32> bind out.result) {{
}}"
    );
    assert_eq!(result(&text, [1, 1, 1], 1), Err("the module has no entry `main`".into()));
}

#[test]
fn what_is_none_or_has_no_elements_is_not_used() {
    let text = format!(
        "{PUT}
func @empty(%n: u32 const) {{
  %a: ref<function, open<u32, param 0 u32>> = akari.local
}}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  akari.call %zero {{callee: @empty}}
}}"
    );
    assert_eq!(result(&text, [1, 1, 1], 1), Err("an array has 0 elements".into()));
    let text = format!(
        "{PUT}
compute(1, 1, 1) func @main(%out: rwbuf<u32> bind out.result) {{
  %zero: u32 = akari.const {{value: u32 0}}
  %nothing: rwbuf<u32> = akari.none
  akari.call %nothing, %zero, %zero {{callee: @put}}
}}"
    );
    assert_eq!(result(&text, [1, 1, 1], 1), Err("a resource is used that is `none`".into()));
}
