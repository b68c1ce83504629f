//! Structures, constants, resources, groupshared variables and function heads.

use akari_ir::interface::{FieldRole, Interpolation, ParamRole, PassMode, Stage, SystemValue};
use akari_ir::slots::{RegisterClass, Slot};
use akari_ir::{BufferKind, FuncId, GlobalKind, Module, StructId, Type, TypeKind};

use indexmap::IndexMap;

use super::language::{Hlsl, PLAIN, image_format, resource_type};
use super::precise::Precise;
use crate::emit::c_like::Printer;
use crate::emit::c_like::expression::literal;
use crate::emit::c_like::language::{Language, declarator};

/// Which of the two dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `register(t0, space0)`.
    Direct3d,
    /// `[[vk::binding(0, 1)]]`, `[[vk::location(0)]]`, `[[vk::image_format("r32f")]]`.
    Vulkan,
}

/// On which side of which stage a structure stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interface {
    None,
    Varyings,
    Targets,
}

/// Everything before the functions.
pub(super) fn module(printer: &mut Printer<'_, Hlsl<'_>>, dialect: Dialect) {
    let module = printer.module;
    if module
        .globals
        .iter()
        .any(|(_, global)| matches!(global.kind, GlobalKind::Resource { .. }) && holds_matrix(module, global.ty))
    {
        // A row of HLSL's matrix is a column of ours, and columns lie in memory one after the other.
        printer.text.directive("#pragma pack_matrix(row_major)");
        printer.text.blank_line();
    }
    for id in held_first(module) {
        structure(printer, dialect, id);
        printer.text.blank_line();
    }
    let mut last = None;
    for (id, global) in module.globals.iter() {
        let kind = std::mem::discriminant(&global.kind);
        if last.is_some_and(|last| last != kind) {
            printer.text.blank_line();
        }
        last = Some(kind);
        printer.text.came_from(global.loc);
        let name = module.text(global.name).to_owned();
        match &global.kind {
            GlobalKind::Constant(constant) => {
                let value = literal(&PLAIN, module, *constant).text;
                let line = format!("static const {} = {value};", declarator(&PLAIN, module, global.ty, &name));
                printer.text.line(&line);
            }
            GlobalKind::Workgroup => {
                let precise = precise(printer, |precise| precise.globals.contains(&id));
                let line = format!("groupshared {precise}{};", declarator(&PLAIN, module, global.ty, &name));
                printer.text.line(&line);
            }
            GlobalKind::Resource { slot, .. } => {
                let precise = precise(printer, |precise| precise.globals.contains(&id));
                resource(
                    printer,
                    dialect,
                    &format!("{precise}{}", resource_type(module, module.kind(global.ty))),
                    &name,
                    global.ty,
                    *slot,
                );
            }
        }
    }
    printer.text.blank_line();
}

/// The structures of a module, each after those that it holds, else in their order.
fn held_first(module: &Module) -> Vec<StructId> {
    let mut order = Vec::new();
    for id in module.structs.ids() {
        hold(module, id, &mut order);
    }
    order
}

fn hold(module: &Module, id: StructId, order: &mut Vec<StructId>) {
    if order.contains(&id) {
        return;
    }
    for field in &module.structs[id].fields {
        let mut ty = field.ty;
        while let TypeKind::Array(element, _) = module.kind(ty) {
            ty = element;
        }
        if let TypeKind::Struct(held) = module.kind(ty) {
            hold(module, held, order);
        }
    }
    order.push(id);
}

fn holds_matrix(module: &Module, ty: Type) -> bool {
    match module.kind(ty) {
        TypeKind::Matrix { .. } => true,
        TypeKind::Struct(id) => module.structs[id].fields.iter().any(|field| holds_matrix(module, field.ty)),
        kind => kind.part().is_some_and(|part| holds_matrix(module, part)),
    }
}

fn resource(
    printer: &mut Printer<'_, Hlsl<'_>>,
    dialect: Dialect,
    declared: &str,
    name: &str,
    ty: Type,
    slot: Option<Slot>,
) {
    let module = printer.module;
    let kind = module.kind(ty);
    let (mut before, mut after) = (String::new(), String::new());
    match (dialect, slot) {
        (Dialect::Direct3d, Some(Slot::D3d12(register))) => {
            let class = RegisterClass::ALL[register.class as usize].1;
            after = format!(" : register({class}{}, space{})", register.number, register.space);
        }
        (Dialect::Vulkan, Some(Slot::Vulkan(descriptor))) => {
            before = format!("[[vk::binding({}, {})]] ", descriptor.binding, descriptor.set);
        }
        _ => {}
    }
    if let (Dialect::Vulkan, Some(format)) = (dialect, image_format(module, kind)) {
        before.push_str(&format!("[[vk::image_format(\"{format}\")]] "));
    }
    match kind {
        // `ConstantBuffer` takes structures alone.
        TypeKind::Buffer(BufferKind::Uniform, contents) if !matches!(module.kind(contents), TypeKind::Struct(_)) => {
            printer.text.push(&format!("{before}cbuffer {name}_buffer{after}"));
            printer.text.open_brace();
            let line = format!("{};", declarator(&PLAIN, module, contents, name));
            printer.text.line(&line);
            printer.text.close_brace();
            printer.text.end_line();
        }
        _ => {
            let length = match kind {
                TypeKind::ResourceArray(_, 0) => "[]".to_owned(),
                TypeKind::ResourceArray(_, length) => format!("[{length}]"),
                _ => String::new(),
            };
            printer.text.line(&format!("{before}{declared} {name}{length}{after};"));
        }
    }
}

/// `precise `, where this declaration is marked so.
fn precise(printer: &Printer<'_, Hlsl<'_>>, is_marked: impl Fn(&Precise) -> bool) -> &'static str {
    if printer.language.0.is_some_and(is_marked) { "precise " } else { "" }
}

/// What the entry of the module says of a structure.
fn interface_of(module: &Module, id: StructId) -> Interface {
    for (_, function) in module.functions.iter() {
        let Some(entry) = function.entry else { continue };
        if function.result.is_some_and(|result| module.kind(result) == TypeKind::Struct(id)) {
            return if entry.stage == Stage::Fragment { Interface::Targets } else { Interface::Varyings };
        }
        let is_input = function
            .params
            .iter()
            .any(|param| param.role == ParamRole::StageIn && module.value_kind(param.value) == TypeKind::Struct(id));
        if is_input {
            return Interface::Varyings;
        }
    }
    Interface::None
}

fn structure(printer: &mut Printer<'_, Hlsl<'_>>, dialect: Dialect, id: StructId) {
    let module = printer.module;
    let structure = &module.structs[id];
    let interface = interface_of(module, id);
    doc(printer, structure.doc);
    printer.text.came_from(structure.loc);
    printer.text.push(&format!("struct {}", module.text(structure.name)));
    printer.text.open_brace();
    for field in &structure.fields {
        printer.text.came_from(field.loc);
        let name = module.text(field.name);
        let plain = declarator(&PLAIN, module, field.ty, name);
        let line = match interface {
            Interface::None => format!("{plain};"),
            Interface::Targets => {
                let number = field.location.unwrap_or(0);
                format!("{}{plain} : SV_Target{number};", location(dialect, number))
            }
            Interface::Varyings => match field.role {
                FieldRole::Position => format!("{plain} : SV_Position;"),
                FieldRole::ClipDistance => format!("{plain} : SV_ClipDistance0;"),
                FieldRole::Plain | FieldRole::Location(_) | FieldRole::Target { .. } => {
                    let number = field.location.unwrap_or(0);
                    let modifier = match field.interpolation {
                        Interpolation::Perspective => "",
                        Interpolation::Linear => "noperspective ",
                        Interpolation::Flat => "nointerpolation ",
                    };
                    format!("{}{modifier}{plain} : TEXCOORD{number};", location(dialect, number))
                }
            },
        };
        printer.text.line(&line);
    }
    printer.text.close_brace();
    printer.text.push(";");
    printer.text.end_line();
}

fn location(dialect: Dialect, number: u32) -> String {
    match dialect {
        Dialect::Direct3d => String::new(),
        Dialect::Vulkan => format!("[[vk::location({number})]] "),
    }
}

fn doc(printer: &mut Printer<'_, Hlsl<'_>>, doc: Option<akari_ir::Symbol>) {
    let Some(doc) = doc else { return };
    let module = printer.module;
    for line in module.text(doc).lines() {
        // A backslash at the end of a line would make a comment of the next one.
        let line = line.trim_end().trim_end_matches('\\');
        printer.text.comment(&if line.is_empty() { "///".to_owned() } else { format!("/// {}", line.trim_start()) });
    }
}

/// Functions give arrays under names that stand for their types.
pub(super) fn array_names(printer: &mut Printer<'_, Hlsl<'_>>) -> IndexMap<Type, String> {
    let module = printer.module;
    let taken: Vec<&str> = module
        .functions
        .iter()
        .map(|(_, function)| function.name)
        .chain(module.structs.iter().map(|(_, structure)| structure.name))
        .chain(module.globals.iter().map(|(_, global)| global.name))
        .map(|name| module.text(name))
        .collect();
    let mut names: IndexMap<Type, String> = IndexMap::new();
    for (_, function) in module.functions.iter() {
        let Some(result) = function.result.filter(|result| matches!(module.kind(*result), TypeKind::Array(..))) else {
            continue;
        };
        if names.contains_key(&result) {
            continue;
        }
        let mut name = format!("{}_array", PLAIN.type_name(module, result));
        let mut element = result;
        while let TypeKind::Array(of, length) = module.kind(element) {
            name.push_str(&format!("_{length}"));
            element = of;
        }
        while taken.contains(&name.as_str()) {
            name.push('_');
        }
        let line = format!("typedef {};", declarator(&PLAIN, module, result, &name));
        printer.text.line(&line);
        names.insert(result, name);
    }
    names
}

/// A function with its body.
pub(super) fn function(
    printer: &mut Printer<'_, Hlsl<'_>>,
    dialect: Dialect,
    arrays: &IndexMap<Type, String>,
    id: FuncId,
) {
    let module = printer.module;
    let function = &module.functions[id];
    printer.text.blank_line();
    doc(printer, function.doc);
    printer.text.came_from(function.loc);
    if let Some(entry) = function.entry
        && entry.stage == Stage::Compute
    {
        let [x, y, z] = entry.threads;
        printer.text.line(&format!("[numthreads({x}, {y}, {z})]"));
    }
    let head = head(printer, dialect, arrays, id);
    printer.text.push(&head);
    printer.text.open_brace();
    printer.region(function.body);
    printer.text.close_brace();
    printer.text.end_line();
}

fn head(printer: &Printer<'_, Hlsl<'_>>, dialect: Dialect, arrays: &IndexMap<Type, String>, id: FuncId) -> String {
    let module = printer.module;
    let function = &module.functions[id];
    let mut params = Vec::new();
    for param in &function.params {
        let ty = module.value_type(param.value);
        let name = printer.name(param.value);
        let precise = printer.language.qualifier(param.value);
        let text = match (param.mode, module.types.as_place(ty)) {
            (PassMode::Inout, Some((_, pointee))) => {
                format!("inout {precise}{}", declarator(&PLAIN, module, pointee, &name))
            }
            (PassMode::Ref | PassMode::Value, Some((_, pointee))) => {
                format!("{precise}{}", declarator(&PLAIN, module, pointee, &name))
            }
            (_, None) => format!("{precise}{}", declarator(&PLAIN, module, ty, &name)),
        };
        let semantic = match param.role {
            ParamRole::System(value) => system_value(value),
            ParamRole::Plain
            | ParamRole::StageIn
            | ParamRole::Resource(_)
            | ParamRole::Const(_)
            | ParamRole::Optional => "",
        };
        params.push(format!("{text}{semantic}"));
    }
    let result = match function.result {
        None => "void".into(),
        Some(result) => arrays.get(&result).map_or_else(|| PLAIN.type_name(module, result), |name| name.clone().into()),
    };
    let is_bare_target = function.entry.is_some()
        && function.result.is_some_and(|result| !matches!(module.kind(result), TypeKind::Struct(_)));
    let semantic = match (is_bare_target, function.entry.map(|entry| entry.stage)) {
        (true, Some(Stage::Fragment)) => " : SV_Target0",
        (true, Some(Stage::Vertex)) => " : SV_Position",
        _ => "",
    };
    let attribute = if semantic == " : SV_Target0" { location(dialect, 0) } else { String::new() };
    let name = module.text(function.name);
    let precise = precise(printer, |precise| precise.functions.contains(&id));
    format!("{attribute}{precise}{result} {name}({}){semantic}", params.join(", "))
}

fn system_value(value: SystemValue) -> &'static str {
    match value {
        SystemValue::VertexId => " : SV_VertexID",
        SystemValue::InstanceId => " : SV_InstanceID",
        SystemValue::DispatchId => " : SV_DispatchThreadID",
        SystemValue::GroupId => " : SV_GroupID",
        SystemValue::LocalId => " : SV_GroupThreadID",
        SystemValue::LocalIndex => " : SV_GroupIndex",
        SystemValue::FrontFacing => " : SV_IsFrontFace",
    }
}
