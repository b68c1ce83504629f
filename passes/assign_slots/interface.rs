//! The numbers of colour targets, the locations of varyings, and the shapes of thread groups.

use akari_dialect_gpu_abi::manifest::TargetRow;
use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::interface::{FieldRole, ParamRole, Stage, SystemValue};
use akari_ir::module::Field;
use akari_ir::types::TypeKind;
use akari_ir::{Diagnostic, Module, Span, StructId, Symbol, Type, Varying};
use indexmap::IndexSet;

use super::automatic::Numbers;
use super::{codes, faults};

/// How many colour targets there are on every target.
const COLOUR_TARGETS: u32 = 8;

/// How many registers Direct3D 12 has between the stages, each for a varying of up to four components; the position takes one, in the
/// vertex stage clip distances take one together, and in the fragment stage `@front_facing` takes one. Vulkan's devices have as many locations.
const REGISTERS: u32 = 32;

/// How many threads a group of Direct3D 12 has in z.
const THREADS_IN_Z: u32 = 64;

/// Reports thread groups of a shape that the target does not have. Vulkan's devices say themselves what they have, from as many as Direct3D 12's.
pub(super) fn threads(module: &Module, target: Target, diagnostics: &mut Vec<Diagnostic>) {
    if target != Target::D3d12 {
        return;
    }
    for (_, function) in module.functions.iter() {
        let Some([x, y, z]) = function.entry.map(|entry| entry.threads) else { continue };
        if z > THREADS_IN_Z {
            let message = format!(
                "`{}` has {z} threads in z; Direct3D 12 has {THREADS_IN_Z} at most",
                module.text(function.name)
            );
            let help = format!("turn the group: `threads = ({z}, {y}, {x})`, say");
            diagnostics.push(Diagnostic::error(codes::OUT_OF_RANGE, function.loc, message).help(help));
        }
    }
}

/// The structures that entries of a stage return, in order of definition.
fn returned(module: &Module, stage: Stage) -> Vec<StructId> {
    let results = module
        .functions
        .iter()
        .filter(|(_, function)| function.entry.is_some_and(|entry| entry.stage == stage))
        .filter_map(|(_, function)| function.result);
    in_order(module, results)
}

fn in_order(module: &Module, types: impl Iterator<Item = Type>) -> Vec<StructId> {
    let mut structs: Vec<StructId> = types
        .filter_map(|ty| match module.kind(ty) {
            TypeKind::Struct(id) => Some(id),
            _ => None,
        })
        .collect();
    structs.sort_unstable();
    structs.dedup();
    structs
}

/// Sets the location of every field of a fragment entry's result that is a colour target.
pub(super) fn colour_targets(
    module: &mut Module,
    target: Target,
    manifest: Option<&Manifest>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let outputs = returned(module, Stage::Fragment);
    let mut automatic: Numbers<(Symbol, Symbol)> = Numbers::default();
    for field in outputs.iter().flat_map(|id| &module.structs[*id].fields) {
        if let FieldRole::Location(number) = field.role {
            automatic.take(number, 1);
        }
    }
    for id in outputs {
        let mut taken: Vec<(u32, usize)> = Vec::new();
        for index in 0..module.structs[id].fields.len() {
            let field = &module.structs[id].fields[index];
            let span = field.loc.or(module.structs[id].loc);
            let number = match (field.role, manifest) {
                (FieldRole::Location(number), _) => number,
                (FieldRole::Target { group, name }, None) => automatic.number((group, name), 1),
                (FieldRole::Target { .. }, Some(manifest)) => {
                    match in_manifest(module, field, span, target, manifest) {
                        Ok(number) => number,
                        Err(fault) => {
                            diagnostics.push(fault);
                            continue;
                        }
                    }
                }
                (FieldRole::Plain | FieldRole::Position | FieldRole::ClipDistance, _) => continue,
            };
            let name = module.text(field.name);
            if number >= COLOUR_TARGETS {
                let message = format!("`{name}` is colour target {number}; they are 0 to 7");
                diagnostics.push(Diagnostic::error(codes::OUT_OF_RANGE, span, message));
                continue;
            }
            if let Some((_, other)) = taken.iter().find(|(other, _)| *other == number) {
                let other = &module.structs[id].fields[*other];
                let message = format!("`{name}` and `{}` are both colour target {number}", module.text(other.name));
                let mut fault = Diagnostic::error(codes::CLASH, span, message);
                if let Some(place) = other.loc {
                    fault = fault.note_at(place, "the other");
                }
                for (name, row) in [field, other].into_iter().filter_map(|field| row(module, field, manifest?)) {
                    fault = fault.note_at(row.span, format!("the row of `{name}`"));
                }
                diagnostics.push(fault);
                continue;
            }
            taken.push((number, index));
            module.structs[id].fields[index].location = Some(number);
        }
    }
}

/// The number of a named colour target.
fn in_manifest(
    module: &Module,
    field: &Field,
    at: Option<Span>,
    target: Target,
    manifest: &Manifest,
) -> Result<u32, Diagnostic> {
    let name = target_name(module, field).unwrap_or_default();
    let row = manifest.targets.get(&name).ok_or_else(|| faults::unknown_target(manifest, &name, at))?;
    let (number, column) = match target {
        Target::D3d12 => (row.d3d12, "`d3d12`"),
        // Vulkan takes the index of Metal's attachment.
        Target::Metal | Target::VulkanHlsl | Target::Spirv => (row.metal, "`metal`"),
    };
    number.ok_or_else(|| faults::missing_column(column, &format!("render target `{name}`"), row.span, at))
}

/// The row of a field that has one, with its name.
fn row(module: &Module, field: &Field, manifest: &Manifest) -> Option<(String, TargetRow)> {
    let name = target_name(module, field)?;
    manifest.targets.get(&name).map(|row| (name, *row))
}

fn target_name(module: &Module, field: &Field) -> Option<String> {
    match field.role {
        FieldRole::Target { group, name } => Some(module.dotted(group, name)),
        FieldRole::Plain | FieldRole::Position | FieldRole::ClipDistance | FieldRole::Location(_) => None,
    }
}

/// Sets the location of every varying: by name over the package, in order of first declaration.
pub(super) fn varyings(module: &mut Module, diagnostics: &mut Vec<Diagnostic>) {
    let inputs = module.functions.iter().filter(|(_, function)| function.entry.is_some()).flat_map(|(_, function)| {
        function
            .params
            .iter()
            .filter(|param| param.role == ParamRole::StageIn)
            .map(|param| module.value_type(param.value))
    });
    let mut interfaces = in_order(module, inputs);
    interfaces.extend(returned(module, Stage::Vertex));
    interfaces.sort_unstable();
    interfaces.dedup();
    let mut taken = IndexSet::new();
    for field in interfaces.iter().flat_map(|id| &module.structs[*id].fields) {
        if let FieldRole::Location(number) = field.role {
            taken.insert(number);
        }
    }
    let mut automatic: Numbers<Symbol> = Numbers::default();
    for number in taken {
        automatic.take(number, 1);
    }
    for id in &interfaces {
        for field in &mut module.structs[*id].fields {
            match field.role {
                FieldRole::Plain => field.location = Some(automatic.number(field.name, 1)),
                FieldRole::Location(number) => field.location = Some(number),
                FieldRole::Position | FieldRole::ClipDistance | FieldRole::Target { .. } => {}
            }
        }
    }
    let mut varyings: Vec<Varying> = Vec::new();
    for field in interfaces.iter().flat_map(|id| &module.structs[*id].fields) {
        let kind = module.kind(field.ty);
        if let (Some(location), Some(scalar), Some(width)) = (field.location, kind.scalar(), kind.width())
            && !varyings.iter().any(|other| other.location == location)
        {
            varyings.push(Varying { location, scalar, width, interpolation: field.interpolation });
        }
    }
    varyings.sort_by_key(|varying| varying.location);
    module.varyings = varyings;
    too_many(module, &interfaces, diagnostics);
}

/// Reports the first varying for which there is no room.
fn too_many(module: &Module, interfaces: &[StructId], diagnostics: &mut Vec<Diagnostic>) {
    let fields = || interfaces.iter().flat_map(|id| &module.structs[*id].fields);
    let has_clip_distances = fields().any(|field| field.role == FieldRole::ClipDistance);
    let has_facing = module.functions.iter().any(|(_, function)| {
        function.params.iter().any(|param| param.role == ParamRole::System(SystemValue::FrontFacing))
    });
    let room = REGISTERS - 1 - u32::from(has_clip_distances || has_facing);
    let is_beyond =
        |field: &&Field| field.role == FieldRole::Plain && field.location.is_some_and(|location| location >= room);
    let Some(field) = fields().find(is_beyond) else { return };
    let beside = match (has_clip_distances, has_facing) {
        (true, _) => "the position and the clip distances",
        (false, true) => "the position and `@front_facing`",
        (false, false) => "the position",
    };
    let message =
        format!("no room for the varying `{}`: a package has at most {room} beside {beside}", module.text(field.name));
    diagnostics.push(
        Diagnostic::error(codes::OUT_OF_RANGE, field.loc, message)
            .help("put several into one vector: each takes the room of a `float4`"),
    );
}
