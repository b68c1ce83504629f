//! The offsets that reach the GPU are those of `--dump-layout`: read back from the decorations of our own SPIR-V and of what DXC makes
//! of our HLSL, for every structure and every scalar in the buffers of the layout cases. (That the bytes are right as well, the numeric cases show by running.)
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "leaves/mod.rs"]
mod leaves;

use std::collections::HashMap;
use std::path::Path;
use std::{env, fs};

use akari::driver::{self, OutputKind, Platform, Request, Wanted};
use akari::dump_layout::dump_layout;
use akari::frontend::{self, Found};
use akari::source::SourceMap;
use akari_harness::hlsl;
use akari_harness::job::Stage;
use akari_ir::BufferKind;
use akari_passes::Observer;
use leaves::Leaves;
use rspirv::dr::{Module, Operand, load_words};
use rspirv::spirv::{Decoration, Op};
use serde_json::Value;

/// Name, and name and offset of each member, of every structure with explicit offsets.
fn structures(module: &Module) -> Vec<(String, Vec<(String, u32)>)> {
    let text =
        |operand: &Operand| if let Operand::LiteralString(text) = operand { text.clone() } else { String::new() };
    let number = |operand: &Operand| if let Operand::LiteralBit32(number) = operand { *number } else { 0 };
    let mut names: HashMap<u32, String> = HashMap::new();
    let mut members: HashMap<(u32, u32), String> = HashMap::new();
    for debug in &module.debug_names {
        let id = debug.operands[0].unwrap_id_ref();
        match debug.class.opcode {
            Op::Name => drop(names.insert(id, text(&debug.operands[1]))),
            Op::MemberName => drop(members.insert((id, number(&debug.operands[1])), text(&debug.operands[2]))),
            _ => {}
        }
    }
    let mut offsets: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for annotation in &module.annotations {
        if annotation.class.opcode == Op::MemberDecorate
            && annotation.operands[2] == Operand::Decoration(Decoration::Offset)
        {
            let id = annotation.operands[0].unwrap_id_ref();
            offsets.entry(id).or_default().push((number(&annotation.operands[1]), number(&annotation.operands[3])));
        }
    }
    let mut found: Vec<_> = offsets
        .into_iter()
        .map(|(id, mut list)| {
            list.sort_unstable();
            let member = |(index, offset)| (members.get(&(id, index)).cloned().unwrap_or_default(), offset);
            (names.get(&id).cloned().unwrap_or_default(), list.into_iter().map(member).collect())
        })
        .collect();
    found.sort();
    found
}

/// Checks the structures of a module against the dump; gives how many it knew.
fn check(way: &str, words: &[u32], dump: &Value) -> usize {
    let mut known = 0;
    for (name, members) in structures(&load_words(words).unwrap()) {
        for structure in dump["structs"].as_array().unwrap() {
            let wanted = structure["name"].as_str().unwrap();
            // A target may tell the variants of one structure apart by more than its name.
            if !name.rsplit('.').next().unwrap_or(&name).starts_with(wanted) {
                continue;
            }
            let offsets = |packing: &str| -> Vec<(String, u32)> {
                let fields = structure[packing]["fields"].as_array().unwrap().iter();
                fields
                    .map(|field| (field["name"].as_str().unwrap().to_owned(), field["offset"].as_u64().unwrap() as u32))
                    .collect()
            };
            let fields: Vec<String> = offsets("uniform").into_iter().map(|(name, _)| name).collect();
            let here: Vec<_> = members.iter().filter(|(name, _)| fields.contains(name)).cloned().collect();
            if here.len() != fields.len() {
                continue;
            }
            known += 1;
            assert!(
                here == offsets("uniform") || here == offsets("storage"),
                "{way}: `{name}` has {here:?}; uniform {:?}, storage {:?}",
                offsets("uniform"),
                offsets("storage"),
            );
        }
    }
    known
}

/// Checks where every scalar of every buffer lies; gives how many it saw.
fn check_scalars(way: &str, words: &[u32], abi: &[(BufferKind, Leaves, u32)]) -> usize {
    let declared = leaves::of_spirv(&load_words(words).unwrap()).unwrap_or_else(|error| panic!("{way}: {error}"));
    assert_eq!(declared.len(), abi.len(), "{way}: buffers were lost");
    let mut seen = 0;
    for ((binding, scalars, stride), (kind, wanted, wanted_stride)) in declared.iter().zip(abi) {
        if *kind == BufferKind::Uniform {
            // There is padding beside the scalars, or nothing but `uint4` where HLSL cannot declare the layout.
            let lost: Vec<_> = wanted.iter().filter(|offset| !scalars.contains(offset)).collect();
            let is_raw =
                scalars.len() % 4 == 0 && scalars.iter().enumerate().all(|(at, offset)| 4 * at as u32 == *offset);
            assert!(lost.is_empty() || is_raw, "{way}, binding {binding}: nothing is at {lost:?}");
        } else {
            assert_eq!((scalars, stride), (wanted, &Some(*wanted_stride)), "{way}, binding {binding}");
        }
        seen += wanted.len();
    }
    seen
}

#[test]
fn offsets_are_those_of_the_layout() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/numeric/layout");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let (mut native, mut dxc, mut scalars) = (0, 0, 0);
    for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "akari")) {
        let mut sources = SourceMap::new();
        let root = sources.add(path.display().to_string(), fs::read(path).unwrap()).unwrap();
        let compiled = frontend::compile(root, &mut sources, &mut |_, _| Found::Nowhere);
        let module = compiled.module.unwrap_or_else(|| panic!("{}: {:#?}", path.display(), compiled.diagnostics));
        let dump: Value = serde_json::from_str(&dump_layout(&module).unwrap()).unwrap();
        let abi = leaves::of_the_abi(&module);
        let wanted = Wanted { hlsl: true, spirv: true };
        let request = Request { platform: Platform::Vulkan, wanted, manifest: None, debug_lines: true };
        for output in driver::emit(module, &request, &sources, &mut Observer::default()).outputs {
            let place = path.display();
            match output.kind {
                OutputKind::Spirv => {
                    let words: Vec<u32> =
                        output.bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect();
                    native += check(&format!("{place}, our SPIR-V"), &words, &dump);
                    scalars += check_scalars(&format!("{place}, our SPIR-V"), &words, &abi);
                }
                OutputKind::Hlsl => {
                    let source = std::str::from_utf8(&output.bytes).unwrap();
                    let (_, _, name) = output.entry.as_ref().unwrap();
                    let shader_model = output.shader_model();
                    let stage = Stage::Compute;
                    let entry = hlsl::Entry { source, stage, name, shader_model, half: output.half };
                    let module = hlsl::vulkan(entry).unwrap_or_else(|error| panic!("{place}: {error}\n{source}"));
                    dxc += check(&format!("{place}, DXC"), &module.words, &dump);
                    scalars += check_scalars(&format!("{place}, DXC\n{source}"), &module.words, &abi);
                }
                OutputKind::Metal => {}
            }
        }
    }
    // Structures that HLSL cannot lay out are read by offset and have no declaration there.
    assert!(native >= 20 && dxc >= 15, "too few structures were found: {native} in our SPIR-V, {dxc} in DXC's");
    assert!(scalars >= 3000, "too few scalars were found: {scalars}");
}
