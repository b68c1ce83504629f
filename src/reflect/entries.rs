//! The entries of a package: their stages, and what goes in and out of them.

use akari_ir::interface::{FieldRole, Interpolation, ParamRole, Stage, SystemValue};
use akari_ir::{FuncId, Module, Type, TypeKind};
use akari_passes::analysis::capabilities::Capabilities;

use super::model::{ColourTarget, Entry, Targets, Varying};
use super::outputs::Outputs;
use super::resources::Resources;
use super::types::source_name;

/// All entries, in order of emission.
pub(super) fn entries(module: &Module, resources: &mut Resources<'_>, outputs: &Outputs) -> Vec<Entry> {
    let capabilities = Capabilities::of_module(module);
    let mut entries = Vec::new();
    for (func, function) in module.functions.iter() {
        let Some(entry) = function.entry else { continue };
        let name = module.text(function.name).to_owned();
        let system_values = function.params.iter().filter_map(|param| match param.role {
            ParamRole::System(value) => Some(SystemValue::ALL[value as usize].1),
            ParamRole::Plain
            | ParamRole::StageIn
            | ParamRole::Resource(_)
            | ParamRole::Const(_)
            | ParamRole::Optional => None,
        });
        let stage_in = function.params.iter().find(|param| param.role == ParamRole::StageIn);
        let taken = stage_in.map(|param| module.value_type(param.value));
        let (is_vertex, is_fragment) = (entry.stage == Stage::Vertex, entry.stage == Stage::Fragment);
        let given = function.result.filter(|_| is_vertex);
        let bare_position = is_vertex && function.result_role == FieldRole::Position;
        let located = resources.located();
        let position = [taken, given].into_iter().flatten().any(|ty| has_position(located, ty));
        let clip_distances = given.map_or(0, |ty| clip_distances(located, ty));
        let inputs = taken.map_or_else(Vec::new, |ty| varyings(located, ty));
        let given = given.map_or_else(Vec::new, |ty| varyings(located, ty));
        let colour_targets = if is_fragment { colour_targets(module, resources, func) } else { Vec::new() };
        let (bindings, static_samplers) = resources.entry(func);
        entries.push(Entry {
            stage: entry.stage.name(),
            thread_group_size: (entry.stage == Stage::Compute).then_some(entry.threads),
            capabilities: capabilities.of(func).map(|capability| capability.name()).collect(),
            system_values: system_values.collect(),
            position: position || bare_position,
            clip_distances,
            inputs,
            outputs: given,
            colour_targets,
            bindings,
            static_samplers,
            targets: outputs.of(entry.stage, &name),
            name,
        });
    }
    entries
}

fn fields(module: &Module, ty: Type) -> &[akari_ir::module::Field] {
    match module.kind(ty) {
        TypeKind::Struct(id) => &module.structs[id].fields,
        _ => &[],
    }
}

fn has_position(module: &Module, ty: Type) -> bool {
    fields(module, ty).iter().any(|field| field.role == FieldRole::Position)
}

fn clip_distances(module: &Module, ty: Type) -> u32 {
    let of = |field: &akari_ir::module::Field| match (field.role, module.kind(field.ty)) {
        (FieldRole::ClipDistance, TypeKind::Array(_, length)) => length,
        _ => 0,
    };
    fields(module, ty).iter().map(of).sum()
}

fn varyings(module: &Module, ty: Type) -> Vec<Varying> {
    let varyings = fields(module, ty).iter().filter_map(|field| {
        let location = field.location.filter(|_| matches!(field.role, FieldRole::Plain | FieldRole::Location(_)))?;
        let interpolation = match field.interpolation {
            Interpolation::Perspective => "perspective",
            Interpolation::Linear => "noperspective",
            Interpolation::Flat => "flat",
        };
        Some(Varying {
            name: module.text(field.name).to_owned(),
            ty: source_name(module, field.ty),
            location,
            interpolation,
        })
    });
    varyings.collect()
}

fn colour_targets(module: &Module, resources: &Resources<'_>, func: FuncId) -> Vec<ColourTarget> {
    let Some(result) = module.functions[func].result else { return Vec::new() };
    let TypeKind::Struct(id) = module.kind(result) else {
        let slots = Targets { metal: Some(0), d3d12: Some(0), vulkan: Some(0) };
        return vec![ColourTarget { name: None, target: None, ty: source_name(module, result), slots }];
    };
    let targets = module.structs[id].fields.iter().enumerate().filter_map(|(index, field)| {
        let target = match field.role {
            FieldRole::Target { group, name } => Some(module.dotted(group, name)),
            FieldRole::Location(_) => None,
            FieldRole::Plain | FieldRole::Position | FieldRole::ClipDistance => return None,
        };
        let slots = resources.on_each_target(|module| module.structs[id].fields[index].location);
        Some(ColourTarget {
            name: Some(module.text(field.name).to_owned()),
            target,
            ty: source_name(module, field.ty),
            slots,
        })
    });
    targets.collect()
}
