//! Structures: of values, of memory, and of stage interfaces.

use akari_ir::interface::{FieldRole, Interpolation, ParamRole, Stage};
use akari_ir::module::Field;
use akari_ir::{Module, StructId, Symbol, TypeKind};
use rustc_hash::FxHashSet;

use super::language::Msl;
use super::types;
use crate::convert::msl::memory::types::natural_layout;
use crate::emit::c_like::expression::Printer;

/// The structures that pass from stage to stage.
struct Interfaces {
    varyings: FxHashSet<StructId>,
    targets: FxHashSet<StructId>,
}

impl Interfaces {
    fn of(module: &Module) -> Self {
        let mut found = Self { varyings: FxHashSet::default(), targets: FxHashSet::default() };
        let structure = |ty| match module.kind(ty) {
            TypeKind::Struct(id) => Some(id),
            _ => None,
        };
        for (_, function) in module.functions.iter() {
            let Some(entry) = function.entry else { continue };
            let result = function.result.and_then(structure);
            match entry.stage {
                Stage::Vertex => found.varyings.extend(result),
                Stage::Fragment => found.targets.extend(result),
                Stage::Compute => {}
            }
            let inputs = function.params.iter().filter(|param| param.role == ParamRole::StageIn);
            found.varyings.extend(inputs.filter_map(|param| structure(module.value_type(param.value))));
        }
        found
    }

    /// The attribute of a field.
    fn attribute(&self, id: StructId, field: &Field) -> Option<String> {
        match field.role {
            FieldRole::Position => Some("position".into()),
            FieldRole::ClipDistance if self.varyings.contains(&id) => Some("clip_distance".into()),
            _ if self.varyings.contains(&id) => {
                let location = field.location?;
                let interpolation = match field.interpolation {
                    Interpolation::Perspective => "",
                    Interpolation::Linear => ", center_no_perspective",
                    Interpolation::Flat => ", flat",
                };
                Some(format!("user(loc{location}){interpolation}"))
            }
            _ if self.targets.contains(&id) => Some(format!("color({})", field.location?)),
            FieldRole::Plain | FieldRole::Location(_) | FieldRole::Target { .. } | FieldRole::ClipDistance => None,
        }
    }
}

pub(super) fn print(printer: &mut Printer<'_, Msl>) {
    let module = printer.module;
    let interfaces = Interfaces::of(module);
    for id in in_order(module) {
        let structure = &module.structs[id];
        printer.text.blank_line();
        documentation(printer, structure.doc);
        printer.text.came_from(structure.loc);
        let name = module.text(structure.name);
        printer.text.push(&format!("struct {name}"));
        printer.text.open_brace();
        for field in &structure.fields {
            printer.text.came_from(field.loc);
            let line = field_line(module, &interfaces, id, field);
            printer.text.line(&line);
        }
        printer.text.close_brace();
        printer.text.push(";");
        printer.text.end_line();
        // The host has the same bytes.
        if structure.fields.iter().any(|field| field.offset.is_some()) {
            let ty = module.types.find(TypeKind::Struct(id));
            if let Some(ty) = ty {
                let size = natural_layout(module, ty).0;
                printer
                    .text
                    .line(&format!("static_assert(sizeof({name}) == {size}, \"the size that the host knows\");"));
            }
        }
    }
}

/// The structures such that each stands after those it holds: those of memory were made in another order.
fn in_order(module: &Module) -> Vec<StructId> {
    fn visit(module: &Module, id: StructId, seen: &mut FxHashSet<StructId>, order: &mut Vec<StructId>) {
        if !seen.insert(id) {
            return;
        }
        for field in &module.structs[id].fields {
            let mut ty = field.ty;
            while let TypeKind::Array(element, _) = module.kind(ty) {
                ty = element;
            }
            if let TypeKind::Struct(inner) = module.kind(ty) {
                visit(module, inner, seen, order);
            }
        }
        order.push(id);
    }
    let (mut seen, mut order) = (FxHashSet::default(), Vec::new());
    for id in module.structs.ids() {
        visit(module, id, &mut seen, &mut order);
    }
    order
}

fn field_line(module: &Module, interfaces: &Interfaces, id: StructId, field: &Field) -> String {
    let name = module.text(field.name);
    let attribute = interfaces.attribute(id, field);
    // Elsewhere clip distances are arrays as others are.
    if let (FieldRole::ClipDistance, TypeKind::Array(element, length), true) =
        (field.role, module.kind(field.ty), interfaces.varyings.contains(&id))
    {
        return format!("{} {name} [[clip_distance]] [{length}];", types::value(module, element));
    }
    let declarator = match field.offset {
        Some(_) => types::c_declarator(module, field.ty, name),
        None => types::declarator(module, field.ty, name),
    };
    match attribute {
        Some(attribute) => format!("{declarator} [[{attribute}]];"),
        None => format!("{declarator};"),
    }
}

/// A documentation comment.
pub(super) fn documentation(printer: &mut Printer<'_, Msl>, doc: Option<Symbol>) {
    let module = printer.module;
    for line in doc.map(|doc| module.text(doc)).unwrap_or_default().lines() {
        printer.text.comment(format!("/// {line}").trim_end());
    }
}
