//! `--dump-layout`: the bytes of every structure, as JSON for checks of the host's mirrors.

use akari_dialect_gpu_abi::layout::{LayoutError, Layouts, Packing};
use akari_ir::{Module, StructId, Type, TypeKind};
use serde::Serialize;

use crate::reflect::source_name;

#[derive(Serialize)]
struct Dump {
    version: u32,
    structs: Vec<StructDump>,
}

#[derive(Serialize)]
struct StructDump {
    name: String,
    packed: bool,
    uniform: LayoutDump,
    storage: LayoutDump,
}

#[derive(Serialize)]
struct LayoutDump {
    size: u32,
    align: u32,
    fields: Vec<FieldDump>,
}

#[derive(Serialize)]
struct FieldDump {
    name: String,
    #[serde(rename = "type")]
    ty: String,
    offset: u32,
    size: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    stride: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column_stride: Option<u32>,
}

/// The layouts of all structures of a module that hold values only, in order.
///
/// # Errors
/// A structure whose layout overflows or nests too deep; the type is the structure's.
pub fn dump_layout(module: &Module) -> Result<String, LayoutError> {
    let mut layouts = Layouts::new();
    let mut structs = Vec::new();
    let contexts = module.contexts();
    for id in in_order_of_definition(module) {
        let structure = &module.structs[id];
        let Some(ty) = module.types.find(TypeKind::Struct(id)) else { continue };
        if *contexts.get(id) {
            continue;
        }
        let name = module.text(structure.name).to_owned();
        let uniform = layout(module, &mut layouts, ty, Packing::Uniform)?;
        let storage = layout(module, &mut layouts, ty, Packing::Storage)?;
        structs.push(StructDump { name, packed: structure.packed, uniform, storage });
    }
    let mut text = serde_json::to_string_pretty(&Dump { version: 1, structs }).unwrap_or_default();
    text.push('\n');
    Ok(text)
}

/// The structures as they stand in the sources, imported files first. In the module a structure comes after those it holds, and
/// those of one file stand together.
fn in_order_of_definition(module: &Module) -> Vec<StructId> {
    let mut files = Vec::new();
    let mut order: Vec<(usize, u32, StructId)> = Vec::new();
    for (id, structure) in module.structs.iter() {
        let file = structure.loc.map(|span| span.file);
        let rank = files.iter().position(|known| *known == file).unwrap_or_else(|| {
            files.push(file);
            files.len() - 1
        });
        order.push((rank, structure.loc.map_or(0, |span| span.start), id));
    }
    order.sort();
    order.into_iter().map(|(_, _, id)| id).collect()
}

fn layout(module: &Module, layouts: &mut Layouts, ty: Type, packing: Packing) -> Result<LayoutDump, LayoutError> {
    let TypeKind::Struct(id) = module.kind(ty) else { return Err(LayoutError::Opaque(ty)) };
    let whole = layouts.structure(module, ty, packing)?;
    let fields = module.structs[id]
        .fields
        .iter()
        .zip(whole.fields)
        .map(|(field, layout)| {
            let matrix = matches!(module.kind(field.ty), TypeKind::Matrix { .. });
            FieldDump {
                name: module.text(field.name).to_owned(),
                ty: source_name(module, field.ty),
                offset: layout.offset,
                size: layout.layout.size,
                stride: layout.layout.stride.filter(|_| !matrix),
                column_stride: layout.layout.stride.filter(|_| matrix),
            }
        })
        .collect();
    Ok(LayoutDump { size: whole.layout.size, align: whole.layout.align, fields })
}

#[cfg(test)]
mod tests {
    use crate::frontend::{Found, compile};
    use crate::source::SourceMap;

    #[test]
    fn structures_stand_in_order_of_definition_imported_ones_first() {
        let mut sources = SourceMap::new();
        let text = "#module root\n#import far\nstruct A { b: B; c: Far; }\nstruct B { x: float; }\n";
        let root = sources.add("root.akari", text.into()).expect("UTF-8");
        let compiled = compile(root, &mut sources, &mut |_, sources| {
            let text = "#module far\nstruct Far { n: Near; }\nstruct Near { x: float; }\n";
            sources.add("far.akari", text.into()).map_or(Found::Nowhere, Found::File)
        });
        let module = compiled.module.expect("the program is right");
        let dump = super::dump_layout(&module).expect("all is small");
        let names: Vec<&str> = dump
            .lines()
            .filter_map(|line| line.strip_prefix("      \"name\": \""))
            .map(|rest| rest.trim_end_matches("\","))
            .collect();
        assert_eq!(names, ["Far", "Near", "A", "B"]);
    }
}
