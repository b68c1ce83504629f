//! What the outputs of each platform are called and ask for.

use std::sync::Arc;

use akari_dialect_gpu_abi::Manifest;
use akari_ir::Diagnostic;
use akari_ir::interface::Stage;
use akari_passes::assign_slots::codes::MISSING_COLUMN;
use akari_passes::{Observer, RunError};
use rspirv::dr::Operand;

use super::Package;
use super::model::{Direct3d12, Metal, Targets, Vulkan};
use crate::driver::{Output, OutputKind, Platform, Request, Wanted, emit, file_stem};
use crate::source::SourceMap;

/// The outputs of the platforms.
#[derive(Default)]
pub(super) struct Outputs {
    outputs: Vec<(Platform, String, Output)>,
    metal: Vec<(Stage, String, String)>,
    metal_file: Option<String>,
    pub(super) diagnostics: Vec<(Platform, Diagnostic)>,
    pub(super) internal: Option<RunError>,
}

impl Outputs {
    /// Compiles a package for a platform.
    pub(super) fn add(
        &mut self,
        package: &Package<'_>,
        platform: Platform,
        manifest: Option<&Arc<Manifest>>,
        sources: &SourceMap,
    ) {
        let wanted = Wanted { hlsl: true, spirv: true };
        let request = Request { platform, wanted, manifest: manifest.cloned(), debug_lines: false };
        let emission = emit(package.module.clone(), &request, sources, &mut Observer::default());
        self.internal = self.internal.take().or(emission.internal);
        let found = emission.diagnostics.into_iter().filter(|found| found.code != MISSING_COLUMN);
        self.diagnostics.extend(found.map(|found| (platform, found)));
        let stems: Vec<String> =
            emission.outputs.iter().map(|output| file_stem(package.stem, output, &emission.outputs)).collect();
        if platform == Platform::Metal {
            self.metal = emission.entries;
            self.metal_file = stems.first().map(|stem| format!("{stem}.metal"));
        }
        self.outputs.extend(stems.into_iter().zip(emission.outputs).map(|(stem, output)| (platform, stem, output)));
    }

    /// What an entry is on each target.
    pub(super) fn of(&self, stage: Stage, name: &str) -> Targets<Metal, Direct3d12, Vulkan> {
        let metal = self.metal.iter().find(|(other, declared, _)| *other == stage && declared == name);
        let metal = metal.zip(self.metal_file.as_ref());
        Targets {
            metal: metal.map(|((.., emitted), file)| Metal { entry: emitted.clone(), file: file.clone() }),
            d3d12: self.output(Platform::D3d12, OutputKind::Hlsl, stage, name).map(|(stem, entry, output)| {
                Direct3d12 {
                    entry: entry.to_owned(),
                    file: format!("{stem}.hlsl"),
                    shader_model: output.shader_model(),
                    native_16_bit: output.half,
                }
            }),
            vulkan: self.output(Platform::Vulkan, OutputKind::Spirv, stage, name).map(|(stem, entry, output)| {
                let header = Header::of(&output.bytes);
                let hlsl = self.output(Platform::Vulkan, OutputKind::Hlsl, stage, name);
                Vulkan {
                    entry: entry.to_owned(),
                    file: format!("{stem}.spv"),
                    version: header.version,
                    capabilities: header.capabilities,
                    extensions: header.extensions,
                    hlsl_entry: hlsl.map(|(_, entry, _)| entry.to_owned()),
                }
            }),
        }
    }

    fn output(&self, platform: Platform, kind: OutputKind, stage: Stage, name: &str) -> Option<(&str, &str, &Output)> {
        self.outputs.iter().filter(|(other, ..)| *other == platform).find_map(|(_, stem, output)| {
            let (other, declared, emitted) = output.entry.as_ref()?;
            (output.kind == kind && *other == stage && declared == name).then_some((
                stem.as_str(),
                emitted.as_str(),
                output,
            ))
        })
    }
}

/// What a SPIR-V module says of itself before its first function.
#[derive(Default)]
struct Header {
    version: String,
    capabilities: Vec<String>,
    extensions: Vec<String>,
}

impl Header {
    fn of(bytes: &[u8]) -> Self {
        let Ok(module) = rspirv::dr::load_bytes(bytes) else { return Self::default() };
        let operands = |instruction: &rspirv::dr::Instruction| match instruction.operands.first() {
            Some(Operand::Capability(capability)) => format!("{capability:?}"),
            Some(Operand::LiteralString(text)) => text.clone(),
            _ => String::new(),
        };
        Self {
            version: module
                .header
                .as_ref()
                .map(|header| header.version())
                .map_or(String::new(), |(major, minor)| format!("{major}.{minor}")),
            capabilities: module.capabilities.iter().map(operands).collect(),
            extensions: module.extensions.iter().map(operands).collect(),
        }
    }
}
