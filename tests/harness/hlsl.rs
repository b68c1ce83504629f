//! Compiles emitted HLSL with DXC, as its callers would: for Vulkan to SPIR-V that the runner takes, for Direct3D 12 to DXIL.
//!
//! A warning fails as an error does: what Akari emits is to compile without one.

use akari_dxc::flags;

use crate::dxc::{self, DxcOutput};
use crate::job::Stage;
use crate::spirv;
use crate::vulkan::Module;

/// An entry point in emitted HLSL.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The text.
    pub source: &'a str,
    /// The stage.
    pub stage: Stage,
    /// The name of the function.
    pub name: &'a str,
    /// The shader model, such as `6_0`.
    pub shader_model: &'a str,
    /// Whether `half` has 16 bits, which takes shader model 6_2.
    pub half: bool,
}

/// Compiles the Vulkan dialect.
///
/// # Errors
/// What DXC has to say, or why it could not be run.
pub fn vulkan(entry: Entry<'_>) -> Result<Module, String> {
    vulkan_with(entry, flags::spirv_positions(entry.stage == Stage::Vertex))
}

/// As [`vulkan`], with one operation for each of the source: nothing is optimized, and what Vulkan's conventions take is left out.
///
/// # Errors
/// What DXC has to say, or why it could not be run.
pub fn vulkan_as_written(entry: Entry<'_>) -> Result<Module, String> {
    vulkan_with(entry, &["-Od"])
}

fn vulkan_with(entry: Entry<'_>, more: &[&str]) -> Result<Module, String> {
    let arguments = [flags::SPIRV, more].concat();
    let object = compile(entry, &arguments)?;
    let words = spirv::words(&object).ok_or("DXC gave half a word of SPIR-V")?;
    Ok(Module { stage: entry.stage, entry: entry.name.to_owned(), words })
}

/// Compiles the Direct3D 12 dialect; gives the DXIL container.
///
/// # Errors
/// What DXC has to say, or why it could not be run.
pub fn d3d12(entry: Entry<'_>) -> Result<Vec<u8>, String> {
    compile(entry, flags::DXIL)
}

/// As [`d3d12`], without optimization, where DXC has other bugs.
///
/// # Errors
/// What DXC has to say, or why it could not be run.
pub fn d3d12_unoptimized(entry: Entry<'_>) -> Result<Vec<u8>, String> {
    compile(entry, &[flags::DXIL, &["-O0"]].concat())
}

fn compile(entry: Entry<'_>, more: &[&str]) -> Result<Vec<u8>, String> {
    let stage = match entry.stage {
        Stage::Vertex => "vs",
        Stage::Fragment => "ps",
        Stage::Compute => "cs",
    };
    let profile = format!("{stage}_{}", entry.shader_model);
    let mut arguments = vec!["-T", &profile, "-E", entry.name];
    arguments.extend(flags::LANGUAGE);
    if entry.half {
        arguments.push(flags::HALF);
    }
    arguments.extend(more);
    let run = |arguments: &[&str]| dxc::shared()?.compile(entry.source, arguments).map_err(|error| error.to_string());
    let first = run(&arguments)?;
    let less = flags::with_less(&first.messages).filter(|_| !first.succeeded);
    let output = match less {
        Some(less) => run(&[&arguments, less].concat())?,
        None => first,
    };
    match output {
        DxcOutput { object: Some(object), messages, .. } if messages.is_empty() => Ok(object),
        DxcOutput { messages, .. } => Err(format!("dxc {}:\n{messages}", arguments.join(" "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(stage: Stage, source: &'a str, half: bool) -> Entry<'a> {
        Entry { source, stage, name: "main", shader_model: "6_2", half }
    }

    #[test]
    fn sums_over_a_wave_need_no_vendor_extension() {
        let source = "RWStructuredBuffer<uint> r;\n\
            [numthreads(8, 1, 1)] void main(uint i : SV_DispatchThreadID) { r[i] = WaveActiveSum(i) + WavePrefixSum(i); }";
        let module = vulkan(entry(Stage::Compute, source, false)).expect("a module");
        assert_eq!(spirv::check(&module.words), Ok(()));
        assert!(!spirv::disassemble(&module.words).expect("text").contains("PartitionedNV"));
    }

    #[test]
    fn discard_demotes() {
        let source = "float main(float2 uv : UV) : SV_Target { if (uv.x < 1) { discard; } return ddx(uv.x); }";
        let module = vulkan(entry(Stage::Fragment, source, false)).expect("a module");
        assert!(spirv::disassemble(&module.words).expect("text").contains("OpDemoteToHelperInvocation"));
    }

    #[test]
    fn half_has_sixteen_bits() {
        let source = "half main(half a : A) : SV_Target { return a; }";
        assert!(d3d12(entry(Stage::Fragment, source, true)).is_ok());
        let module = vulkan(entry(Stage::Fragment, source, true)).expect("a module");
        assert!(spirv::disassemble(&module.words).expect("text").contains("OpTypeFloat 16"));
    }

    #[test]
    fn a_warning_is_an_error() {
        let source = "float main(float2 a : A) : SV_Target { float b = a; return b; }";
        assert!(d3d12(entry(Stage::Fragment, source, false)).is_err_and(|error| error.contains("implicit truncation")));
    }
}
