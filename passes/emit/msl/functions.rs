//! Functions and entries.

use akari_ir::interface::{ParamRole, PassMode, Stage, SystemValue};
use akari_ir::module::{Function, Param};
use akari_ir::slots::Slot;
use akari_ir::{Module, Space, TypeKind};

use super::language::Msl;
use super::structures::documentation;
use super::types;
use crate::analysis::plain_arrays::{Declared, PlainArrays};
use crate::analysis::storage_access::StorageAccess;
use crate::emit::c_like::expression::Printer;

/// What the types of parameters depend on.
struct About<'a> {
    access: &'a StorageAccess,
    plain_arrays: &'a PlainArrays,
}

/// The columns that a signature may take on one line.
const LINE: usize = 120;

pub(super) fn print(printer: &mut Printer<'_, Msl>, access: &StorageAccess) {
    let module = printer.module;
    let about = &About { access, plain_arrays: &printer.language.plain_arrays };
    // The functions stand in the order of the source, which prototypes make possible; entries, which nothing calls, come last.
    let (entries, helpers): (Vec<_>, Vec<_>) =
        module.functions.iter().map(|(_, function)| function).partition(|function| function.entry.is_some());
    if !helpers.is_empty() {
        printer.text.blank_line();
    }
    for function in &helpers {
        let prototype = format!("{};", signature(module, function, about, false));
        printer.text.came_from(function.loc);
        printer.text.line(&prototype);
    }
    for function in helpers.into_iter().chain(entries) {
        printer.text.blank_line();
        documentation(printer, function.doc);
        printer.text.came_from(function.loc);
        let entry = function.entry.filter(|entry| entry.stage == Stage::Compute);
        if let Some(entry) = entry {
            let threads: u32 = entry.threads.iter().product();
            printer.text.line(&format!("[[max_total_threads_per_threadgroup({threads})]]"));
        }
        for (index, line) in signature(module, function, about, true).lines().enumerate() {
            if index > 0 {
                printer.text.end_line();
            }
            printer.text.push(line);
        }
        printer.text.open_brace();
        printer.region(function.body);
        printer.text.close_brace();
        printer.text.end_line();
    }
}

fn signature(module: &Module, function: &Function, about: &About<'_>, may_break: bool) -> String {
    let stage = match function.entry.map(|entry| entry.stage) {
        Some(Stage::Vertex) => "vertex ",
        Some(Stage::Fragment) => "fragment ",
        Some(Stage::Compute) => "kernel ",
        None => "",
    };
    let result = function.result.map_or("void".into(), |ty| types::value(module, ty));
    let head = format!("{stage}{result} {}(", module.text(function.name));
    let params: Vec<String> = function.params.iter().map(|param| parameter(module, param, about)).collect();
    let line = format!("{head}{})", params.join(", "));
    if line.len() <= LINE || !may_break || params.is_empty() {
        return line;
    }
    format!("{head}\n    {})", params.join(",\n    "))
}

fn parameter(module: &Module, param: &Param, about: &About<'_>) -> String {
    let value = module.value(param.value);
    let name = value.name.map_or("unnamed", |name| module.text(name));
    let declarator = match module.kind(value.ty) {
        TypeKind::Place(space, of) => {
            let constant = param.mode == PassMode::Ref && matches!(space, Space::Function | Space::Workgroup);
            let constant = if constant { " const" } else { "" };
            let is_array =
                matches!(module.kind(of), TypeKind::Array(..)) && matches!(space, Space::Workgroup | Space::Constant);
            let declarator = if is_array && about.plain_arrays.is_plain(Declared::Value(param.value)) {
                types::c_reference(module, of, name)
            } else {
                format!("{}& {name}", types::value(module, of))
            };
            format!("{}{constant} {declarator}", types::address_space(space))
        }
        TypeKind::Buffer(kind, of) => types::buffer(module, kind, of, name),
        TypeKind::StorageTexture(..) | TypeKind::ResourceArray(..) => {
            format!("{} {name}", types::texture_handle(module, value.ty, about.access.access(param.value)))
        }
        _ => types::declarator(module, value.ty, name),
    };
    match attribute(module, param) {
        Some(attribute) => format!("{declarator} [[{attribute}]]"),
        None => declarator,
    }
}

fn attribute(module: &Module, param: &Param) -> Option<String> {
    match param.role {
        ParamRole::Plain | ParamRole::Const(_) | ParamRole::Optional => None,
        ParamRole::StageIn => Some("stage_in".into()),
        ParamRole::System(system) => Some(system_value(system).into()),
        ParamRole::Resource(_) => {
            let Some(Slot::Metal(index)) = param.slot else { return None };
            let class = match module.value_kind(param.value) {
                TypeKind::Texture(..) | TypeKind::StorageTexture(..) | TypeKind::ResourceArray(..) => "texture",
                TypeKind::Sampler | TypeKind::SamplerCmp => "sampler",
                _ => "buffer",
            };
            Some(format!("{class}({index})"))
        }
    }
}

fn system_value(system: SystemValue) -> &'static str {
    match system {
        SystemValue::VertexId => "vertex_id",
        SystemValue::InstanceId => "instance_id",
        SystemValue::DispatchId => "thread_position_in_grid",
        SystemValue::GroupId => "threadgroup_position_in_grid",
        SystemValue::LocalId => "thread_position_in_threadgroup",
        SystemValue::LocalIndex => "thread_index_in_threadgroup",
        SystemValue::FrontFacing => "front_facing",
    }
}
