//! The order of stage interfaces for Direct3D 12, which matches the stages by the registers of their signatures.
//!
//! Registers are given in order of declaration, so both sides declare the same from the start: the position, then every varying of
//! the package by location as far as the stage goes, those that it does not have included, then clip distances.

use akari_ir::interface::{FieldRole, ParamRole};
use akari_ir::{Module, StructId, TypeKind};

use super::packing::Slot;
use super::rewrite::{NewField, plain_field};

/// The structures to declare otherwise, with their fields.
pub(super) fn ordered(module: &mut Module) -> Vec<(StructId, Vec<NewField>)> {
    let mut interfaces: Vec<StructId> = Vec::new();
    for (_, function) in module.functions.iter() {
        if function.entry.is_none() {
            continue;
        }
        let inputs = function.params.iter().filter(|param| param.role == ParamRole::StageIn);
        let input = inputs.map(|param| module.value_type(param.value)).next();
        let is_vertex = function.entry.is_some_and(|entry| entry.stage == akari_ir::interface::Stage::Vertex);
        for ty in input.into_iter().chain(function.result.filter(|_| is_vertex)) {
            if let TypeKind::Struct(id) = module.kind(ty) {
                interfaces.push(id);
            }
        }
    }
    interfaces.dedup();
    interfaces
        .into_iter()
        .filter_map(|id| {
            let fields = order(module, id);
            let unchanged =
                fields.iter().enumerate().all(|(at, field)| matches!(field, NewField::Old(old) if *old as usize == at));
            (!unchanged).then_some((id, fields))
        })
        .collect()
}

fn order(module: &mut Module, id: StructId) -> Vec<NewField> {
    let old = module.structs[id].fields.clone();
    let find =
        |wanted: &dyn Fn(&akari_ir::Field) -> bool| old.iter().position(wanted).map(|at| NewField::Old(at as u32));
    let mut fields = Vec::new();
    match find(&|field| field.role == FieldRole::Position) {
        Some(position) => fields.push(position),
        None => {
            let name = module.symbols.intern("position");
            let ty = module.types.vector(akari_ir::Scalar::F32, 4);
            fields.push(NewField::Added(akari_ir::Field { role: FieldRole::Position, ..plain_field(name, ty) }));
        }
    }
    let is_varying = |field: &akari_ir::Field| !matches!(field.role, FieldRole::Position | FieldRole::ClipDistance);
    let last = old.iter().filter(|field| is_varying(field)).filter_map(|field| field.location).max();
    let varyings = module.varyings.clone();
    for location in 0..last.map_or(0, |last| last + 1) {
        if let Some(field) = find(&|field| is_varying(field) && field.location == Some(location)) {
            fields.push(field);
        } else if let Some(varying) = varyings.iter().find(|varying| varying.location == location) {
            let name = module.symbols.intern(&format!("unused_{location}"));
            let ty = module.types.vector(varying.scalar, varying.width);
            fields.push(NewField::Added(akari_ir::Field {
                interpolation: varying.interpolation,
                location: Some(location),
                ..plain_field(name, ty)
            }));
        }
    }
    let listed: Vec<u32> =
        fields.iter().filter_map(|field| if let NewField::Old(at) = field { Some(*at) } else { None }).collect();
    fields.extend((0..old.len() as u32).filter(|at| !listed.contains(at)).map(NewField::Old));
    fields
}

/// The fields of a padded structure.
pub(super) fn padded(module: &mut Module, slots: &[Slot]) -> Vec<NewField> {
    let mut padding = 0;
    slots
        .iter()
        .map(|slot| match *slot {
            Slot::Field(index) => NewField::Old(index),
            Slot::Widened(index) => NewField::Widened(index),
            Slot::Words(_) | Slot::Half => {
                let ty = match *slot {
                    Slot::Words(count) => module.types.vector(akari_ir::Scalar::U32, count),
                    _ => module.types.scalar(akari_ir::Scalar::F16),
                };
                let name = module.symbols.intern(&format!("padding_{padding}"));
                padding += 1;
                NewField::Added(plain_field(name, ty))
            }
        })
        .collect()
}
