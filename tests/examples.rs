//! What the driver makes of every package of `docs/examples`, with `#line` in it, satisfies DXC: the HLSL of Vulkan and of Direct3D 12.
//! `metal_checks` and `spirv_checks` do the same for Metal source and SPIR-V.

#[path = "ways/mod.rs"]
mod ways;

use std::path::Path;

use akari::driver::{Output, Platform, Wanted};
use akari_harness::job::Stage;
use akari_harness::{hlsl, spirv};
use akari_ir::interface::Stage as IrStage;
use libtest_mimic::{Arguments, Failed, Trial};
use ways::package;

fn main() {
    let mut trials = Vec::new();
    for path in package::examples() {
        let name = package::stem(&path);
        for (form, check) in FORMS {
            let path = path.clone();
            trials.push(Trial::test(format!("{name} {form}"), move || check(&path)));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

type Check = fn(&Path) -> Result<(), Failed>;

const FORMS: [(&str, Check); 2] = [("vulkan-hlsl", check_vulkan_hlsl), ("d3d12", check_d3d12)];

fn check_vulkan_hlsl(path: &Path) -> Result<(), Failed> {
    for output in package::emit(path, Platform::Vulkan, Wanted { hlsl: true, spirv: false }, true)?.outputs {
        let module = hlsl::vulkan(entry(&output)?).map_err(|error| with_source(&error, &output))?;
        spirv::validate(&module.words)?;
    }
    Ok(())
}

fn check_d3d12(path: &Path) -> Result<(), Failed> {
    for output in package::emit(path, Platform::D3d12, Wanted { hlsl: true, spirv: false }, true)?.outputs {
        hlsl::d3d12(entry(&output)?).map_err(|error| with_source(&error, &output))?;
    }
    Ok(())
}

fn entry(output: &Output) -> Result<hlsl::Entry<'_>, Failed> {
    let (stage, _, name) = output.entry.as_ref().ok_or("HLSL without an entry")?;
    let stage = match stage {
        IrStage::Vertex => Stage::Vertex,
        IrStage::Fragment => Stage::Fragment,
        IrStage::Compute => Stage::Compute,
    };
    let shader_model = output.shader_model();
    Ok(hlsl::Entry { source: std::str::from_utf8(&output.bytes)?, stage, name, shader_model, half: output.half })
}

fn with_source(error: &str, output: &Output) -> String {
    format!("{error}\n{}", String::from_utf8_lossy(&output.bytes))
}
