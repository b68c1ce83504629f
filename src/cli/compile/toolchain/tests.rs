//! What a real DXC says of a text with a fault in it is told of the source, with `#line` in the text and without.

use akari_harness::tools;
use akari_passes::Observer;

use super::*;
use crate::driver::{Platform, Request, Wanted, emit};
use crate::frontend::{Found, compile};
use crate::render;
use crate::source::SourceMap;

const SOURCE: &str = "#shader paint
@compute(threads = (8, 1, 1))
fn fill(@bind(a.values) values: RwBuf<float>, @dispatch_id index: uint) {
    let before = values[index];

    values[index] = before * 3.25;
}
";

fn dxc(native: Native) -> Tool {
    let conduct = Conduct { limit: Duration::from_secs(300), quiet: false };
    Tool::find(native, Some(&tools::dxc_library().expect("DXC")), conduct).expect("DXC")
}

/// What is told when the text says `nothing` where it should say 3.25.
fn told(native: Native, debug_lines: bool) -> Vec<String> {
    let platform = if native == Native::Dxil { Platform::D3d12 } else { Platform::Vulkan };
    let mut sources = SourceMap::new();
    let root = sources.add("paint.akari", SOURCE.as_bytes().to_vec()).expect("fine text");
    let module = compile(root, &mut sources, &mut |_, _| Found::Nowhere).module.expect("a module");
    let request = Request { platform, wanted: Wanted { hlsl: true, spirv: false }, manifest: None, debug_lines };
    let mut output = emit(module, &request, &sources, &mut Observer::default()).outputs.remove(0);
    let text = String::from_utf8(output.bytes).expect("text").replace("3.25f", "nothing");
    let entry = output.entry.clone();
    let entry = entry.as_ref().map(|(stage, _, name)| (*stage, name.as_str()));
    let order = Order { native, entry, shader_model: (6, 0), half: false, optimization: 3, debug: debug_lines };
    let tool = dxc(native);
    let task = Task { native, package: "paint", entry: None, text: &text };
    let Err(Trouble::Refused(messages)) = tool.make(&task, &tool.arguments(&order)) else { panic!("DXC takes {text}") };
    output.bytes = text.into_bytes();
    let found = diagnostics(tool.name(), &messages, true, &output, &sources);
    found.iter().map(|diagnostic| render::human(&sources, diagnostic)).collect()
}

#[test]
fn faults_are_told_of_the_source() {
    for native in [Native::Dxil, Native::Spirv] {
        for debug_lines in [false, true] {
            let told = told(native, debug_lines);
            let wanted = "error: paint.akari:6:5: DXC: use of undeclared identifier 'nothing'\n  |     values[index] = before * 3.25;";
            assert!(told.len() == 1 && told[0].starts_with(wanted), "{native:?} {debug_lines}: {told:#?}");
        }
    }
}

#[test]
fn dxc_can_leave_out_what_it_may_break() {
    let entry = Some((Stage::Compute, "main"));
    for (native, words) in
        [(Native::Dxil, "validation errors"), (Native::Spirv, "fatal error: generated SPIR-V is invalid: x")]
    {
        let tool = dxc(native);
        let order = Order { native, entry, shader_model: (6, 0), half: false, optimization: 3, debug: false };
        let less = akari_dxc::flags::with_less(words).expect("something to leave out");
        let arguments = [tool.arguments(&order), less.iter().map(|flag| (*flag).to_owned()).collect()].concat();
        let task = Task { native, package: "paint", entry: Some("main"), text: "[numthreads(1, 1, 1)] void main() {}" };
        let made = tool.make(&task, &arguments).expect("an object");
        assert!(made.messages.is_empty(), "{}", made.messages);
    }
}
