//! Structs, enums, bitfields and constants, each looked into when it is first needed.

use std::rc::Rc;

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::interface::{FieldRole, Interpolation};
use akari_ir::module::{Field, Struct};
use akari_ir::{Diagnostic, Scalar, Span, Symbol, TypeKind};

use super::attributes::On;
use super::checker::Checker;
use super::context::RESOURCES_ARE_PARAMETERS;
use super::errors;
use super::program::{BitfieldFieldInfo, CaseInfo, Def, FieldInfo, Fields, Program, State};
use super::tree::BitRange;
use super::types::{BitfieldId, ConstantId, EnumId, StructId, Ty, TyKind};
use crate::syntax::ast::{self, ItemKind};

/// How many definitions may be under way, each needed by the one before it.
const MAX_NESTED_DEFINITIONS: usize = 64;

impl<'a> Program<'a> {
    /// The documentation comment as one name.
    pub(crate) fn doc(&mut self, lines: &[&str]) -> Option<Symbol> {
        (!lines.is_empty()).then(|| self.module.symbols.intern(&lines.join("\n")))
    }

    /// Something is met that is being looked into: a cycle, reported at the definition where it was entered.
    fn report_cycle(&mut self, def: Def, what: &str, used: Span) {
        let from = self.busy.iter().position(|busy| *busy == def).unwrap_or(0);
        let name = |def: &Def| format!("`{}`", self.text(self.source(*def).item.name.name));
        let chain: Vec<String> = self.busy[from..].iter().chain([&def]).map(name).collect();
        let message = format!("a cycle of definitions: {}", chain.join(what));
        let at = self.source(def).item.name.span;
        let diagnostic =
            Diagnostic::error(errors::DEFINITION_CYCLE, at, message).note_at(used, "the cycle closes here");
        // Also where something is checked a second time: it may be the first that sees the cycle.
        self.diagnostics.push(diagnostic);
    }

    /// Whether one more definition may be looked into on the way to another; if not, that is reported.
    fn may_nest(&mut self, def: Def) -> bool {
        if self.busy.len() < MAX_NESTED_DEFINITIONS {
            return true;
        }
        let source = self.source(def);
        let message =
            format!("`{}` is too many definitions away from where it is used", self.text(source.item.name.name));
        self.diagnostics.push(Diagnostic::error(errors::DEFINITION_CYCLE, source.item.name.span, message));
        false
    }

    /// Looks into a struct; false where it is being looked into already, which is reported.
    pub(super) fn ensure_struct(&mut self, id: StructId, used: Span) -> bool {
        let info = &self.structs[id.index()];
        let (source, state) = (info.source, info.state);
        match state {
            State::Done => true,
            State::Busy => {
                self.report_cycle(Def::Struct(id), " holds ", used);
                false
            }
            State::New if !self.may_nest(Def::Struct(id)) => {
                self.structs[id.index()].state = State::Done;
                false
            }
            State::New => {
                self.structs[id.index()].state = State::Busy;
                self.busy.push(Def::Struct(id));
                let muted = std::mem::take(&mut self.muted);
                let mut checker = Checker::new(self, source.file, source.item.intact);
                checker.check_struct(id);
                self.muted = muted;
                self.busy.pop();
                self.structs[id.index()].state = State::Done;
                true
            }
        }
    }

    /// Looks into an enum. While that goes on its earlier cases are known.
    pub(super) fn ensure_enum(&mut self, id: EnumId, _used: Span) {
        let info = &mut self.enums[id.index()];
        if info.state == State::New {
            info.state = State::Busy;
            let source = info.source;
            let muted = std::mem::take(&mut self.muted);
            Checker::new(self, source.file, source.item.intact).check_enum(id);
            self.muted = muted;
            self.enums[id.index()].state = State::Done;
        }
    }

    /// Looks into a bitfield.
    pub(super) fn ensure_bitfield(&mut self, id: BitfieldId, _used: Span) {
        let info = &mut self.bitfields[id.index()];
        if info.state == State::New {
            info.state = State::Busy;
            let source = info.source;
            let muted = std::mem::take(&mut self.muted);
            Checker::new(self, source.file, source.item.intact).check_bitfield(id);
            self.muted = muted;
            self.bitfields[id.index()].state = State::Done;
        }
    }

    /// Looks into a constant; false where it is being looked into already, which is reported.
    pub(super) fn ensure_constant(&mut self, id: ConstantId, used: Span) -> bool {
        let info = &self.constants[id.index()];
        let (source, state) = (info.source, info.state);
        match state {
            State::Done => true,
            State::Busy => {
                self.report_cycle(Def::Constant(id), " needs ", used);
                false
            }
            State::New if !self.may_nest(Def::Constant(id)) => {
                self.constants[id.index()].state = State::Done;
                false
            }
            State::New => {
                self.constants[id.index()].state = State::Busy;
                self.busy.push(Def::Constant(id));
                let muted = std::mem::take(&mut self.muted);
                Checker::new(self, source.file, source.item.intact).check_constant(id);
                self.muted = muted;
                self.busy.pop();
                self.constants[id.index()].state = State::Done;
                true
            }
        }
    }
}

impl<'a> Checker<'_, 'a> {
    fn check_struct(&mut self, id: StructId) {
        let source = self.program.structs[id.index()].source;
        let ItemKind::Struct(written) = source.item.kind else {
            return;
        };
        let packed = self.attributes(source.item.attributes, On::Struct).iter().any(|(name, _)| *name == "packed");
        let mut fields = Fields::default();
        for field in written {
            if let Some(other) = fields.get(&field.name.name) {
                let name = self.program.text(field.name.name);
                let diagnostic =
                    Diagnostic::error(errors::DUPLICATE_NAME, field.name.span, format!("`{name}` is already a field"))
                        .note_at(other.span, format!("the other `{name}`"));
                self.report(diagnostic);
                continue;
            }
            let info = self.field(field);
            fields.insert(field.name.name, info);
        }
        if written.is_empty() && source.item.intact {
            let name = self.program.text(source.item.name.name);
            self.error(errors::BAD_TYPE, source.item.name.span, format!("`{name}` has no fields"));
        }
        let context = self.note_context(id, &fields, packed);
        // Its parts are never counted out: there may be any number of them.
        let too_large = self.is_too_large(self.program.structs[id.index()].ty);
        if !fields.is_empty()
            && !too_large
            && fields.values().all(|field| field.ty != Ty::ERROR && self.is_laid_out(field.ty))
        {
            let ir_fields = fields
                .values()
                .map(|field| Field {
                    name: self.program.symbol(field.name),
                    ty: self.program.erase(field.ty),
                    role: field.role,
                    interpolation: field.interpolation,
                    location: None,
                    offset: None,
                    loc: field.span.somewhere(),
                })
                .collect();
            let name = self.program.symbol(source.item.name.name);
            let doc = self.program.doc(source.item.doc);
            let loc = source.item.name.span.somewhere();
            let ir = self.program.module.structs.alloc(Struct { name, doc, fields: ir_fields, packed, loc });
            self.program.structs[id.index()].ir = Some(ir);
            let ty = self.program.module.types.intern(TypeKind::Struct(ir));
            let name = self.program.text(source.item.name.name);
            // Storage packing is the tighter one: what is too large there is too large everywhere.
            if !context && let Err(error) = self.program.layouts.of(&self.program.module, ty, Packing::Storage) {
                let message = format!("`{name}`: {}", Program::layout_error(error));
                self.error(errors::LAYOUT, source.item.name.span, message);
                self.program.structs[id.index()].ir = None;
            }
        }
        let info = &mut self.program.structs[id.index()];
        info.fields = Rc::new(fields);
        info.packed = packed;
    }

    /// Whether the structs in a type are known and right.
    pub(super) fn is_laid_out(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            TyKind::Struct(id) => self.program.structs[id.index()].ir.is_some(),
            TyKind::Array(element, _) | TyKind::Buffer(_, element) => self.is_laid_out(element),
            TyKind::Error | TyKind::OpenArray(..) | TyKind::OpenResourceArray(..) | TyKind::Function(_) => false,
            _ => true,
        }
    }

    fn field(&mut self, field: &'a ast::Field<'a>) -> FieldInfo<'a> {
        let mut info = FieldInfo {
            name: field.name.name,
            span: field.name.span,
            ty: Ty::ERROR,
            role: FieldRole::Plain,
            interpolation: Interpolation::Perspective,
            faulty: false,
            default: field.default,
        };
        let accepted = self.attributes(field.attributes, On::Field);
        // What a faulty attribute was meant to say is not known.
        info.faulty = accepted.len() < field.attributes.len();
        for (name, attribute) in accepted {
            match name {
                "position" => info.role = FieldRole::Position,
                "clip_distance" => info.role = FieldRole::ClipDistance,
                "location" => match self.number_argument(attribute, 7) {
                    Some(location) => info.role = FieldRole::Location(location),
                    None => info.faulty = true,
                },
                "target" => match self.dotted_argument(attribute) {
                    Some((group, name)) => {
                        let group = self.program.symbol(group.name);
                        info.role = FieldRole::Target { group, name: self.program.symbol(name.name) };
                    }
                    None => info.faulty = true,
                },
                "flat" | "noperspective" => {
                    info.interpolation = if name == "flat" { Interpolation::Flat } else { Interpolation::Linear };
                }
                _ => {}
            }
        }
        info.ty = self.resolve_type(field.ty);
        info
    }

    fn check_enum(&mut self, id: EnumId) {
        let source = self.program.enums[id.index()].source;
        let ItemKind::Enum(written) = source.item.kind else {
            return;
        };
        self.attributes(source.item.attributes, On::Enum);
        let underlying = match self.resolve_type(written.underlying) {
            Ty::INT => Scalar::I32,
            Ty::UINT | Ty::ERROR => Scalar::U32,
            other => {
                let message = format!("an enum is a `uint` or an `int`, not `{}`", self.show(other));
                self.error(errors::BAD_ENUM, written.underlying.span, message);
                Scalar::U32
            }
        };
        self.program.enums[id.index()].underlying = underlying;
        let ty = Ty::scalar(underlying);
        let mut next = Some(0_i64);
        for case in written.cases {
            let name = self.program.text(case.name.name);
            let other = self.program.enums[id.index()].cases.get(&case.name.name).copied();
            if let Some(other) = other {
                let message = format!("`{name}` is already a case");
                let diagnostic = Diagnostic::error(errors::DUPLICATE_NAME, case.name.span, message)
                    .note_at(other.span, format!("the other `{name}`"));
                self.report(diagnostic);
                continue;
            }
            let value = match case.value {
                Some(value) => self.case_value(value, ty),
                None => next,
            };
            let fits = |value: i64| match underlying {
                Scalar::I32 => i32::try_from(value).is_ok(),
                _ => u32::try_from(value).is_ok(),
            };
            let value = match value {
                Some(value) if fits(value) => Some(value),
                Some(value) => {
                    let message = format!("the value {value} of `{name}` does not fit `{}`", self.show(ty));
                    self.error(errors::BAD_ENUM, case.span, message);
                    None
                }
                None => None,
            };
            next = value.map(|value| value + 1);
            let bits = value.unwrap_or(0) as u32;
            let info = CaseInfo { name: case.name.name, span: case.name.span, bits };
            self.program.enums[id.index()].cases.insert(case.name.name, info);
        }
    }

    fn case_value(&mut self, written: &'a ast::Expr<'a>, ty: Ty) -> Option<i64> {
        let id = self.value(written, Some(ty));
        let id = self.as_number(id);
        let found = self.ty(id);
        if found == Ty::ERROR {
            return None;
        }
        if found != Ty::INT && found != Ty::UINT {
            let diagnostic = self.mismatch(written.span, ty, id);
            self.report(diagnostic);
            return None;
        }
        self.require_constant(id, "the value of a case")?;
        if let Some(part) = self.what_wraps(id) {
            let message =
                format!("the value of a case must not leave the range of `{}` on the way", self.show(self.ty(part)));
            let diagnostic = Diagnostic::error(errors::BAD_ENUM, self.span(part), message);
            self.report(diagnostic.help("write the value that is meant as one number"));
            return None;
        }
        self.integer_value(id)
    }

    fn check_bitfield(&mut self, id: BitfieldId) {
        let source = self.program.bitfields[id.index()].source;
        let ItemKind::Bitfield(written) = source.item.kind else {
            return;
        };
        self.attributes(source.item.attributes, On::Bitfield);
        let storage = self.resolve_type(written.storage);
        if storage != Ty::UINT && storage != Ty::ERROR {
            let message = format!("a bitfield is a `uint`, not `{}`", self.show(storage));
            self.error(errors::BAD_BITFIELD, written.storage.span, message);
        }
        let mut offset = 0;
        for field in written.fields {
            let name = self.program.text(field.name.name);
            let fields = &self.program.bitfields[id.index()].fields;
            if let Some(other) = fields.get(&field.name.name).copied() {
                let message = format!("`{name}` is already a field");
                let diagnostic = Diagnostic::error(errors::DUPLICATE_NAME, field.name.span, message)
                    .note_at(other.span, format!("the other `{name}`"));
                self.report(diagnostic);
                continue;
            }
            let width = match self.integer_constant(field.width, None, &format!("the width of `{name}`")) {
                Some(width @ 1..=32) => width as u32,
                Some(_) => {
                    let message = format!("the width of `{name}` must be from 1 to 32 bits");
                    self.error(errors::BAD_BITFIELD, field.width.span, message);
                    1
                }
                None => 1,
            };
            if offset + width > 32 {
                let bitfield = self.program.text(source.item.name.name);
                let message = format!("the fields of `{bitfield}` take {} bits, more than 32", offset + width);
                let diagnostic = Diagnostic::error(errors::BAD_BITFIELD, source.item.name.span, message)
                    .note_at(field.span, "with this field");
                self.report(diagnostic);
                return;
            }
            let bits = BitRange { offset, width };
            let info = BitfieldFieldInfo { name: field.name.name, span: field.name.span, bits };
            self.program.bitfields[id.index()].fields.insert(field.name.name, info);
            offset += width;
        }
    }

    fn check_constant(&mut self, id: ConstantId) {
        let source = self.program.constants[id.index()].source;
        let ItemKind::Const(written) = source.item.kind else {
            return;
        };
        self.attributes(source.item.attributes, On::Constant);
        let wanted = written.ty.map(|ty| self.resolve_data_type(ty));
        // While its value is looked at, the constant already has its type.
        self.program.constants[id.index()].ty = wanted.unwrap_or(Ty::ERROR);
        let value = self.value(written.value, wanted);
        let value = match wanted {
            Some(wanted) => self.expect(value, wanted),
            None => value,
        };
        let ty = self.ty(value);
        if self.holds_resources(ty) {
            // A type that says so has been told of.
            if wanted != Some(Ty::ERROR) {
                let message = format!("{} cannot be kept in a constant", self.one(ty));
                self.resource_error(errors::BAD_TYPE, written.value.span, message, RESOURCES_ARE_PARAMETERS);
            }
            return;
        }
        self.program.constants[id.index()].ty = wanted.unwrap_or(ty);
        self.program.constants[id.index()].value = self.require_constant(value, "the value of a module constant");
    }

    /// The defaults of a struct's fields, checked where they are written.
    pub(super) fn check_field_defaults(&mut self, id: StructId) {
        let fields = Rc::clone(&self.program.structs[id.index()].fields);
        for field in fields.values() {
            if let Some(default) = field.default {
                if self.holds_resources(field.ty) {
                    self.default_of_resource(field, default.span);
                    continue;
                }
                let first = self.body.size();
                let value = self.value(default, Some(field.ty));
                self.expect(value, field.ty);
                self.forbid_bindings(first);
            }
        }
    }

    /// Whether values of the type can be made, copied and stored.
    pub(super) fn is_data(&self, ty: Ty) -> bool {
        !self.holds_resources(ty) && !matches!(self.kind(ty), TyKind::Nothing | TyKind::Function(_))
    }
}
