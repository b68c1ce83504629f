//! What of the binding manifest a package depends on: the rows that its source names, and no others, so that a new row rebuilds nothing.

use std::collections::BTreeSet;

use akari_dialect_gpu_abi::Manifest;
use akari_dialect_gpu_abi::manifest::{ResourceRow, SamplerRow, TargetRow};
use akari_ir::Module;
use akari_ir::interface::{BindingSource, FieldRole, ParamRole};
use akari_ir::module::GlobalKind;

use crate::cli::cache::KeyBuilder;

/// What a package looks for in the manifest, used or not: `group.name` of bindings and targets, the states of static samplers.
pub(super) fn names(module: &Module) -> BTreeSet<String> {
    let source = |source: BindingSource| match source {
        BindingSource::Named { group, name } => Some(module.dotted(group, name)),
        BindingSource::Sampler(state) => Some(format!("{state:?}")),
        BindingSource::Slot(_) => None,
    };
    let params =
        module.functions.iter().flat_map(|(_, function)| &function.params).filter_map(|param| match param.role {
            ParamRole::Resource(from) => source(from),
            ParamRole::Plain
            | ParamRole::System(_)
            | ParamRole::StageIn
            | ParamRole::Const(_)
            | ParamRole::Optional => None,
        });
    let globals = module.globals.iter().filter_map(|(_, global)| match global.kind {
        GlobalKind::Resource { source: from, .. } => source(from),
        GlobalKind::Constant(_) | GlobalKind::Workgroup => None,
    });
    let fields = module.structs.iter().flat_map(|(_, found)| &found.fields).filter_map(|field| match field.role {
        FieldRole::Target { group, name } => Some(module.dotted(group, name)),
        FieldRole::Plain | FieldRole::Position | FieldRole::Location(_) | FieldRole::ClipDistance => None,
    });
    params.chain(globals).chain(fields).collect()
}

/// Adds to a key what a manifest has under names: everything but where it stands in the file.
pub(super) fn add_to(key: KeyBuilder, manifest: Option<&Manifest>, names: &BTreeSet<String>) -> KeyBuilder {
    if names.is_empty() {
        return key;
    }
    let Some(manifest) = manifest else { return key.text("no manifest") };
    let key = key.text(if manifest.samplers.is_some() { "static samplers" } else { "no static samplers" });
    names.iter().fold(key, |key, name| {
        let resources = [manifest.buffers.get(name), manifest.textures.get(name)]
            .map(|row| row.map(|ResourceRow { span: _, metal, d3d12, vulkan }| (metal, d3d12, vulkan)));
        let target = manifest.targets.get(name).map(|TargetRow { span: _, metal, d3d12 }| (metal, d3d12));
        let mut samplers = manifest.samplers.iter().flat_map(|set| &set.rows);
        let sampler = samplers.find(|(state, _)| format!("{state:?}") == *name);
        let sampler = sampler.map(|(_, SamplerRow { span: _, d3d12, vulkan })| (d3d12, vulkan));
        // The key holds which compiler this is: the same one writes the same value in the same way.
        key.text(name).text(&format!("{resources:?} {target:?} {sampler:?}"))
    })
}
