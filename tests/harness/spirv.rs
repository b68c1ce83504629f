//! Checks of SPIR-V by programs that share no code with the emitter: spirv-val, rspirv's loader and naga.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Once;

use rspirv::binary::Disassemble;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Decoration, Op};

use crate::tools;

/// All checks. `Err` holds everything that is wrong, with a disassembly.
///
/// # Errors
/// When a check fails or spirv-val is not installed.
pub fn check(words: &[u32]) -> Result<(), String> {
    let complaints: Vec<String> =
        [validate(words), load(words), read_with_naga(words)].into_iter().filter_map(Result::err).collect();
    if complaints.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}", complaints.join("\n"), disassemble(words).unwrap_or_else(|error| error)))
}

/// The module in bytes.
#[must_use]
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of a module in bytes, which must be a multiple of four and little-endian.
#[must_use]
pub fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks::<4>();
    rest.is_empty().then(|| words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}

/// spirv-val for Vulkan 1.2, with the scalar block layout that the GPU ABI's tight packing needs.
///
/// # Errors
/// When the module is invalid or the program is not installed.
pub fn validate(words: &[u32]) -> Result<(), String> {
    let program = tools::spirv_val().map_err(|error| error.to_string())?;
    run(&program, &["--scalar-block-layout", "--target-env", "vulkan1.2", "-"], words)
        .map(drop)
        .map_err(|error| format!("spirv-val: {error}"))
}

/// The module as text.
///
/// # Errors
/// When it cannot be read or the program is not installed.
pub fn disassemble(words: &[u32]) -> Result<String, String> {
    let program = tools::spirv_dis().map_err(|error| error.to_string())?;
    run(&program, &["--no-color", "--comment", "-"], words).map_err(|error| format!("spirv-dis: {error}"))
}

/// rspirv's loader, which checks the structure of the module against the grammar.
///
/// # Errors
/// When the module cannot be loaded.
pub fn load(words: &[u32]) -> Result<(), String> {
    rspirv::dr::load_words(words).map(drop).map_err(|error| format!("rspirv: {error}"))
}

/// The float operations of a module that a driver may contract or fold as if floats were real numbers: those that are not decorated
/// `NoContraction`, unless they are of constants.
///
/// # Errors
/// When the module cannot be read.
pub fn contractible(words: &[u32]) -> Result<Vec<String>, String> {
    let module = rspirv::dr::load_words(words).map_err(|error| error.to_string())?;
    let kept: HashSet<u32> = module
        .annotations
        .iter()
        .filter(|annotation| annotation.operands.contains(&Operand::Decoration(Decoration::NoContraction)))
        .map(|annotation| annotation.operands[0].unwrap_id_ref())
        .collect();
    let constants: HashSet<u32> = module
        .types_global_values
        .iter()
        .filter(|instruction| {
            matches!(instruction.class.opcode, Op::Constant | Op::ConstantComposite | Op::ConstantNull)
        })
        .filter_map(|instruction| instruction.result_id)
        .collect();
    let is_free = |instruction: &&Instruction| {
        is_float_arithmetic(instruction.class.opcode)
            && instruction.result_id.is_some_and(|id| !kept.contains(&id))
            && !instruction
                .operands
                .iter()
                .all(|operand| operand.id_ref_any().is_some_and(|id| constants.contains(&id)))
    };
    Ok(module.all_inst_iter().filter(is_free).map(Disassemble::disassemble).collect())
}

fn is_float_arithmetic(op: Op) -> bool {
    matches!(
        op,
        Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
            | Op::FNegate
            | Op::VectorTimesScalar
            | Op::MatrixTimesScalar
            | Op::VectorTimesMatrix
            | Op::MatrixTimesVector
            | Op::MatrixTimesMatrix
            | Op::OuterProduct
            | Op::Dot
    )
}

/// naga's SPIR-V reader and its validator. What naga cannot read is listed in `naga_allow.txt`.
///
/// # Errors
/// When naga refuses the module for a reason that is not on the list.
pub fn read_with_naga(words: &[u32]) -> Result<(), String> {
    let read = || -> Result<(), String> {
        let module = naga::front::spv::parse_u8_slice(
            &bytes(&without_unknown_words(words)),
            &naga::front::spv::Options::default(),
        )
        .map_err(|error| format!("{error:?}"))?;
        let mut validator =
            naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::all());
        validator.validate(&module).map(drop).map_err(|error| format!("{:?}", error.into_inner()))
    };
    let complaint = match catch_unwind(AssertUnwindSafe(|| quietly(read))) {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(complaint)) => complaint,
        Err(payload) => {
            let message = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
            format!("panicked: {}", message.or_else(|| payload.downcast_ref().cloned()).unwrap_or_default())
        }
    };
    if allowed_by_naga_list(&complaint) { Ok(()) } else { Err(format!("naga: {complaint}")) }
}

/// Runs `read` so that a panic in it prints nothing: what it says becomes part of a complaint.
fn quietly<T>(read: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    thread_local!(static QUIET: Cell<bool> = const { Cell::new(false) });
    struct Loud;
    impl Drop for Loud {
        fn drop(&mut self) {
            QUIET.set(false);
        }
    }
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let _loud = Loud;
    read()
}

/// The module without what it says of NaN, infinity and zero, and of how arrays of resources are indexed: naga's reader does not know the words,
/// and reads all that they are said of.
fn without_unknown_words(words: &[u32]) -> Vec<u32> {
    use rspirv::spirv::{Capability, ExecutionMode};
    const CAPABILITIES: [u32; 8] = [
        Capability::SignedZeroInfNanPreserve as u32,
        Capability::SampledImageArrayDynamicIndexing as u32,
        Capability::StorageImageArrayDynamicIndexing as u32,
        Capability::ShaderNonUniform as u32,
        Capability::RuntimeDescriptorArray as u32,
        Capability::SampledImageArrayNonUniformIndexing as u32,
        Capability::StorageImageArrayNonUniformIndexing as u32,
        Capability::StorageBufferArrayNonUniformIndexing as u32,
    ];
    const MODE: u32 = ExecutionMode::SignedZeroInfNanPreserve as u32;
    let says = |instruction: &[u32]| match instruction[0] & 0xffff {
        17 => instruction.get(1).is_some_and(|capability| CAPABILITIES.contains(capability)),
        16 => instruction.get(2) == Some(&MODE),
        71 => instruction.get(2) == Some(&(Decoration::NonUniform as u32)),
        _ => false,
    };
    let (header, mut rest) = words.split_at(words.len().min(5));
    let mut kept = header.to_vec();
    while let Some(first) = rest.first() {
        let (instruction, tail) = rest.split_at(rest.len().min(((first >> 16) as usize).max(1)));
        if !says(instruction) {
            kept.extend_from_slice(instruction);
        }
        rest = tail;
    }
    kept
}

fn allowed_by_naga_list(complaint: &str) -> bool {
    include_str!("naga_allow.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('|'))
        .any(|(part, _reason)| complaint.contains(part.trim()))
}

fn run(program: &Path, arguments: &[&str], words: &[u32]) -> Result<String, String> {
    let start = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = start.map_err(|error| format!("cannot start `{}`: {error}", program.display()))?;
    // Both programs read all input before they write, so this cannot block for ever; one that stops reading has something to say below.
    let written = child.stdin.take().map_or(Ok(()), |mut input| input.write_all(&bytes(words)));
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let mut messages = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        messages.push_str(&String::from_utf8_lossy(&output.stdout));
        let _ = write!(messages, " ({})", output.status);
        return Err(messages);
    }
    written.map_err(|error| error.to_string())?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dxc;

    fn compile(source: &str) -> Vec<u32> {
        let arguments =
            ["-T", "cs_6_0", "-E", "main", "-spirv", "-fspv-target-env=vulkan1.2", "-fvk-use-dx-layout", "-HV", "2021"];
        let output = dxc::shared().expect("DXC").compile(source, &arguments).expect("a result");
        words(&output.object.expect(&output.messages)).expect("whole words")
    }

    #[test]
    fn a_good_module_passes() {
        let module = compile(
            "RWStructuredBuffer<uint> r; [numthreads(8,1,1)] void main(uint i : SV_DispatchThreadID) { r[i] = i * 2u; }",
        );
        assert_eq!(check(&module), Ok(()));
        assert!(disassemble(&module).expect("text").contains("OpIMul"));
    }

    #[test]
    fn a_broken_module_fails_every_check() {
        let mut module = compile(
            "RWStructuredBuffer<uint> r; [numthreads(8,1,1)] void main(uint i : SV_DispatchThreadID) { r[i] = i; }",
        );
        module.truncate(module.len() - 1);
        assert!(validate(&module).is_err_and(|error| error.starts_with("spirv-val: ")));
        assert!(load(&module).is_err_and(|error| error.starts_with("rspirv: ")));
        assert!(read_with_naga(&module).is_err_and(|error| error.starts_with("naga: ")));
    }
}
