//! `--emit-host`: what is written compiles in Rust, C11 and C++17 with all its assertions, without a warning, and says of every struct what those say
//! who read the SPIR-V.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "ways/package.rs"]
#[allow(dead_code, reason = "not every target uses all of it")]
mod package;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use akari::driver::{self, OutputKind, Platform, Request, Wanted};
use akari::reflect::{Package, host};
use akari_harness::job::Stage;
use akari_harness::{hlsl, spirv};
use akari_ir::interface::Stage as IrStage;
use akari_passes::Observer;
use host::Language;
use rspirv::dr::{Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

/// A package or module with its mirrors.
struct Mirrored {
    name: String,
    rust: String,
    c: String,
    /// Offsets of fields by struct of the host and field, as SPIR-V has them. None where there are two: a struct in a `@packed` one is packed too.
    read: BTreeMap<(String, String), Option<u32>>,
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host");
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn sources() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        ["docs/examples/akari/packages", "docs/examples/akari/modules", "tests/reflection", "tests/numeric/layout"];
    folders.iter().flat_map(|folder| package::files(&root.join(folder), "akari")).collect()
}

fn mirrored(path: &Path) -> Mirrored {
    let text = fs::read_to_string(path).unwrap();
    let modules = path.parent().unwrap().join("../modules");
    let (compiled, sources) = package::compile(path, &text, &[modules]).unwrap();
    let module = compiled.module.as_ref().unwrap_or_else(|| panic!("{}: {:#?}", path.display(), compiled.diagnostics));
    let of = Package { module, declarations: &compiled.declarations, name: &compiled.name, layout: None, stem: "" };
    let emit = |language| host::emit(of, language).unwrap().unwrap();
    let mut read = BTreeMap::new();
    let wanted = Wanted { hlsl: true, spirv: true };
    let request = Request { platform: Platform::Vulkan, wanted, manifest: None, debug_lines: false };
    for output in driver::emit(module.clone(), &request, &sources, &mut Observer::default()).outputs {
        let Some((stage, _, name)) = &output.entry else { continue };
        let words = if output.kind == OutputKind::Spirv {
            spirv::words(&output.bytes).unwrap()
        } else {
            let stage = match stage {
                IrStage::Vertex => Stage::Vertex,
                IrStage::Fragment => Stage::Fragment,
                IrStage::Compute => Stage::Compute,
            };
            let source = std::str::from_utf8(&output.bytes).unwrap();
            hlsl::vulkan(hlsl::Entry { source, stage, name, shader_model: output.shader_model(), half: output.half })
                .unwrap()
                .words
        };
        offsets(&rspirv::dr::load_words(words).unwrap(), &mut read);
    }
    let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().with_extension("").display().to_string();
    let name = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    Mirrored { name, rust: emit(Language::Rust), c: emit(Language::C), read }
}

fn number(operand: Option<&Operand>) -> u32 {
    if let Some(Operand::LiteralBit32(number)) = operand { *number } else { 0 }
}

/// Adds the offsets of the members of all structs in the buffers of a module, by the names that the host has for them.
fn offsets(module: &Module, found: &mut BTreeMap<(String, String), Option<u32>>) {
    let mut names: HashMap<(u32, Option<u32>), String> = HashMap::new();
    for debug in &module.debug_names {
        let id = debug.operands[0].unwrap_id_ref();
        let (member, text) = match debug.class.opcode {
            Op::Name => (None, &debug.operands[1]),
            Op::MemberName => (Some(number(debug.operands.get(1))), &debug.operands[2]),
            _ => continue,
        };
        if let Operand::LiteralString(text) = text {
            names.insert((id, member), text.clone());
        }
    }
    let mut declared: HashMap<(u32, u32), u32> = HashMap::new();
    for annotation in module.annotations.iter().filter(|annotation| annotation.class.opcode == Op::MemberDecorate) {
        if annotation.operands[2] == Operand::Decoration(Decoration::Offset) {
            let id = annotation.operands[0].unwrap_id_ref();
            declared.insert((id, number(annotation.operands.get(1))), number(annotation.operands.get(3)));
        }
    }
    let types: HashMap<u32, _> = module.types_global_values.iter().filter_map(|ty| Some((ty.result_id?, ty))).collect();
    for variable in module.types_global_values.iter().filter(|instruction| instruction.class.opcode == Op::Variable) {
        let suffix = match variable.operands[0] {
            Operand::StorageClass(StorageClass::Uniform) => "Uniform",
            Operand::StorageClass(StorageClass::StorageBuffer) => "Storage",
            _ => continue,
        };
        let mut open = vec![types[&variable.result_type.unwrap()].operands[1].unwrap_id_ref()];
        while let Some(id) = open.pop() {
            let ty = types[&id];
            match ty.class.opcode {
                Op::TypeArray | Op::TypeRuntimeArray => open.push(ty.operands[0].unwrap_id_ref()),
                Op::TypeStruct => {
                    open.extend(ty.operands.iter().map(Operand::unwrap_id_ref));
                    let Some(name) = names.get(&(id, None)) else { continue };
                    let name = format!("{}{suffix}", name.rsplit('.').next().unwrap_or(name));
                    for member in 0..ty.operands.len() as u32 {
                        let (Some(field), Some(offset)) = (names.get(&(id, Some(member))), declared.get(&(id, member)))
                        else {
                            continue;
                        };
                        let known = found.entry((name.clone(), field.clone())).or_insert(Some(*offset));
                        *known = known.filter(|known| known == offset);
                    }
                }
                _ => {}
            }
        }
    }
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}:\n{said}");
    said
}

fn rustc() -> Command {
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    rustc.args(["--edition", "2024", "-D", "warnings", "-A", "dead_code"]);
    rustc
}

fn clang(language: &str, standard: &str) -> Command {
    let mut clang = Command::new("clang-19");
    clang.args([standard, "-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic"]);
    clang
}

/// What a host may have included before: headers of C, and macros of `<windows.h>`.
const HEADERS: &str = "#include <errno.h>\n#include <float.h>\n#include <limits.h>\n#include <math.h>\n#include <stdio.h>\n\
#define near\n#define far\n#define small char\n#define interface struct\n#define IN\n#define OUT\n#define TRUE 1\n#define OPAQUE 2\n#define ERROR 0\n";

#[test]
fn mirrors_compile_and_agree_with_what_is_read() {
    let folder = folder();
    let mut all = String::from("#![no_std]\n");
    let (mut structs, mut compared) = (0, 0);
    for path in sources() {
        let Mirrored { name, rust, c, read } = mirrored(&path);
        structs += rust.matches("#[repr(C)]").count();
        let (mut rust_asserts, mut c_asserts) = (String::new(), String::new());
        for ((structure, field), offset) in &read {
            let Some(offset) = offset else { continue };
            // Structs that a target takes apart, pads or renames are not on the host, nor fields that the host calls otherwise.
            let is_field = |text: &str, assert: &str| {
                text.lines().any(|line| line.trim().starts_with(&format!("{assert}({structure}, {field})")))
            };
            if is_field(&rust, "assert!(core::mem::offset_of!") {
                compared += 1;
                let _ = writeln!(
                    rust_asserts,
                    "const _: () = assert!(core::mem::offset_of!({structure}, {field}) == {offset});"
                );
            }
            if is_field(&c, "static_assert(offsetof") {
                compared += 1;
                let _ = writeln!(c_asserts, "static_assert(offsetof({structure}, {field}) == {offset}, \"as read\");");
            }
        }
        let (rust_file, c_file) = (folder.join(format!("{name}.rs")), folder.join(format!("{name}.h")));
        fs::write(&rust_file, &rust).unwrap();
        fs::write(&c_file, &c).unwrap();
        let _ = writeln!(all, "pub mod {name} {{\n    include!({rust_file:?});\n{rust_asserts}}}");
        let unit = folder.join(format!("{name}.c"));
        fs::write(&unit, format!("{HEADERS}#include \"{name}.h\"\n#include \"{name}.h\"\n{c_asserts}")).unwrap();
        run(clang("c", "-std=c11").arg("-fsyntax-only").arg(&unit));
        run(clang("c", "-std=gnu17").arg("-fsyntax-only").arg(&unit));
        run(clang("c++", "-std=c++17").arg("-fsyntax-only").arg(&unit));
    }
    let unit = folder.join("all.rs");
    fs::write(&unit, all).unwrap();
    run(rustc().args(["--crate-type", "lib", "--emit", "metadata", "-o"]).arg(folder.join("all.rmeta")).arg(&unit));
    assert!(structs >= 150 && compared >= 500, "too little was compared: {structs} structs, {compared} fields");
}

/// The parts of a word, and constants, by the language's reference: the first field has the lowest bits.
#[test]
fn bitfields_and_constants_are_what_the_source_says() {
    let folder = folder();
    let Mirrored { rust, c, .. } =
        mirrored(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reflection/layouts.akari"));
    fs::write(folder.join("mirror.rs"), rust).unwrap();
    fs::write(folder.join("mirror.h"), c).unwrap();
    let program = "include!(\"mirror.rs\");\n\
        fn main() {\n\
            let packed = Word(0xC0C0_0005);\n\
            assert_eq!((packed.work(), packed.fade(), packed.target(), packed.late()), (5, 3, 1, 1));\n\
            assert_eq!(packed.with_fade(0x1FF).0, 0xFFC0_0005);\n\
            assert_eq!(packed.with_work(0).with_late(2).0, 0x40C0_0000);\n\
            assert_eq!(Whole(7).with_all(u32::MAX).all(), u32::MAX);\n\
            assert_eq!((Kind::Sun.0, Kind::Lamp.0, Kind::Tube.0), (3, 4, 0xFFFF_FFFF));\n\
            assert_eq!((Level::Low.0, Level::Middle.0, Level::High.0), (i32::MIN, -1, 0));\n\
            assert_eq!((COUNT, RATIO.to_bits(), BIG, LEAST, YES), (3, 0x3DCC_CCCD, 0xFFF_FFFF_FFFF, i32::MIN, true));\n\
            let around = AroundUniform { after: 2.0, ..AroundUniform::ZERO };\n\
            assert_eq!((around.after, around.deep.turn[2][1]), (2.0, 0.0));\n\
        }\n";
    fs::write(folder.join("program.rs"), program).unwrap();
    run(rustc().arg("-o").arg(folder.join("program_rs")).arg(folder.join("program.rs")));
    run(&mut Command::new(folder.join("program_rs")));
    let program = "#include \"mirror.h\"\n#include <string.h>\n\
        int main(void) {\n\
            Word word = 0xC0C00005u;\n\
            float ratio = RATIO;\n\
            uint32_t bits;\n\
            memcpy(&bits, &ratio, 4);\n\
            int is_right = Word_work(word) == 5u && Word_fade(word) == 3u && Word_target(word) == 1u && Word_late(word) == 1u\n\
                && Word_with_fade(word, 0x1FFu) == 0xFFC00005u && Word_with_late(Word_with_work(word, 0u), 2u) == 0x40C00000u\n\
                && Whole_all(Whole_with_all(7u, 0xFFFFFFFFu)) == 0xFFFFFFFFu\n\
                && Kind_Sun == 3u && Kind_Lamp == 4u && Kind_Tube == 0xFFFFFFFFu && Level_Low == INT32_MIN && Level_Middle == -1 && Level_High == 0\n\
                && COUNT == 3u && bits == 0x3DCCCCCDu && BIG == 0xFFFFFFFFFFFull && LEAST == INT32_MIN && YES;\n\
            return is_right ? 0 : 1;\n\
        }\n";
    fs::write(folder.join("program.c"), program).unwrap();
    for (language, standard) in [("c", "-std=c11"), ("c++", "-std=c++17")] {
        let to = folder.join(format!("program_{}", language.len()));
        run(clang(language, standard).arg("-o").arg(&to).arg(folder.join("program.c")));
        run(&mut Command::new(to));
    }
}

/// A struct of which two headers say different things is found out when both are included.
#[test]
fn headers_that_disagree_do_not_compile_together() {
    let folder = folder();
    for (name, fields) in [("one", "a: float; b: uint;"), ("other", "b: uint; a: float;")] {
        let path = folder.join(format!("{name}.akari"));
        fs::write(&path, format!("#module {name}\nstruct Shared {{ {fields} }}\n")).unwrap();
        fs::write(folder.join(format!("disagree_{name}.h")), mirrored_c(&path)).unwrap();
    }
    let both = folder.join("both.c");
    fs::write(&both, "#include \"disagree_one.h\"\n#include \"disagree_other.h\"\n").unwrap();
    let output = clang("c", "-std=c11").arg("-fsyntax-only").arg(&both).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("SharedStorage.a"), "{said}");
}

fn mirrored_c(path: &Path) -> String {
    let (compiled, _) = package::compile(path, &fs::read_to_string(path).unwrap(), &[]).unwrap();
    let module = compiled.module.as_ref().unwrap();
    let of = Package { module, declarations: &compiled.declarations, name: &compiled.name, layout: None, stem: "" };
    host::emit(of, Language::C).unwrap().unwrap()
}
