//! Structs, enums, bitfields and constants, each looked into when it is first needed.

use std::rc::Rc;

use akari_ir::interface::{FieldRole, Interpolation};
use akari_ir::module::{Field, Struct};
use akari_ir::{Diagnostic, Scalar, Span, Symbol};

use super::attributes::On;
use super::checker::Checker;
use super::errors;
use super::program::{BitfieldFieldInfo, CaseInfo, FieldInfo, Program, State};
use super::tree::BitRange;
use super::types::{BitfieldId, ConstantId, EnumId, StructId, Ty, TyKind};
use crate::syntax::ast::{self, ItemKind};

impl<'a> Program<'a> {
    /// The documentation comment as one name.
    pub(crate) fn doc(&mut self, lines: &[&str]) -> Option<Symbol> {
        (!lines.is_empty()).then(|| self.module.symbols.intern(&lines.join("\n")))
    }

    fn report_cycle(&mut self, name: &str, defined: Span, used: Span) {
        let diagnostic = Diagnostic::error(errors::DEFINITION_CYCLE, used, format!("`{name}` is defined by way of itself"))
            .note_at(defined, format!("`{name}` is defined here"));
        self.report(diagnostic);
    }

    /// Looks into a struct; false where it is being looked into already, which is reported.
    pub(super) fn ensure_struct(&mut self, id: StructId, used: Span) -> bool {
        let info = &self.structs[id.index()];
        let source = info.source;
        match info.state {
            State::Done => true,
            State::Busy => {
                let name = self.text(source.item.name.name);
                let diagnostic = Diagnostic::error(errors::DEFINITION_CYCLE, used, format!("`{name}` contains itself"))
                    .note_at(source.item.name.span, format!("`{name}` is defined here"));
                self.report(diagnostic);
                false
            }
            State::New => {
                self.structs[id.index()].state = State::Busy;
                let muted = std::mem::take(&mut self.muted);
                let mut checker = Checker::new(self, source.file, source.item.intact);
                checker.check_struct(id);
                self.muted = muted;
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
        let source = info.source;
        match info.state {
            State::Done => true,
            State::Busy => {
                let name = self.text(source.item.name.name);
                self.report_cycle(name, source.item.name.span, used);
                false
            }
            State::New => {
                self.constants[id.index()].state = State::Busy;
                let muted = std::mem::take(&mut self.muted);
                Checker::new(self, source.file, source.item.intact).check_constant(id);
                self.muted = muted;
                self.constants[id.index()].state = State::Done;
                true
            }
        }
    }
}

impl<'a> Checker<'_, 'a> {
    fn check_struct(&mut self, id: StructId) {
        let source = self.program.structs[id.index()].source;
        let ItemKind::Struct(written) = source.item.kind else { return };
        let packed = self.attributes(source.item.attributes, On::Struct).iter().any(|(name, _)| *name == "packed");
        let mut fields: Vec<FieldInfo<'a>> = Vec::with_capacity(written.len());
        for field in written {
            if let Some(other) = fields.iter().find(|other| other.name == field.name.name) {
                let name = self.program.text(field.name.name);
                let diagnostic =
                    Diagnostic::error(errors::DUPLICATE_NAME, field.name.span, format!("`{name}` is already a field"))
                        .note_at(other.span, format!("the other `{name}`"));
                self.report(diagnostic);
                continue;
            }
            fields.push(self.field(field));
        }
        if written.is_empty() && source.item.intact {
            let name = self.program.text(source.item.name.name);
            self.error(errors::BAD_TYPE, source.item.name.span, format!("`{name}` has no fields"));
        }
        if !fields.is_empty() && fields.iter().all(|field| field.ty != Ty::ERROR) {
            let ir_fields = fields
                .iter()
                .map(|field| Field {
                    name: self.program.symbol(field.name),
                    ty: self.program.erase(field.ty),
                    role: field.role,
                    interpolation: field.interpolation,
                    location: None,
                    offset: None,
                    loc: Some(field.span),
                })
                .collect();
            let name = self.program.symbol(source.item.name.name);
            let doc = self.program.doc(source.item.doc);
            let loc = Some(source.item.name.span);
            let ir = self.program.module.structs.alloc(Struct { name, doc, fields: ir_fields, packed, loc });
            self.program.structs[id.index()].ir = Some(ir);
        }
        let info = &mut self.program.structs[id.index()];
        info.fields = Rc::new(fields);
        info.packed = packed;
    }

    fn field(&mut self, field: &'a ast::Field<'a>) -> FieldInfo<'a> {
        let mut info = FieldInfo {
            name: field.name.name,
            span: field.name.span,
            ty: Ty::ERROR,
            role: FieldRole::Plain,
            interpolation: Interpolation::Perspective,
            interpolated: None,
            default: field.default,
        };
        for (name, attribute) in self.attributes(field.attributes, On::Field) {
            match name {
                "position" => info.role = FieldRole::Position,
                "clip_distance" => info.role = FieldRole::ClipDistance,
                "location" => {
                    if let Some(location) = self.number_argument(attribute, 7) {
                        info.role = FieldRole::Location(location);
                    }
                }
                "target" => {
                    if let Some((group, name)) = self.dotted_argument(attribute) {
                        let group = self.program.symbol(group.name);
                        info.role = FieldRole::Target { group, name: self.program.symbol(name.name) };
                    }
                }
                "flat" | "noperspective" => {
                    info.interpolation = if name == "flat" { Interpolation::Flat } else { Interpolation::Linear };
                    info.interpolated = Some(attribute.span);
                }
                _ => {}
            }
        }
        info.ty = self.resolve_type(field.ty);
        if self.kind(info.ty).is_handle() {
            self.program.not_available("a struct of resources", field.ty.span);
            info.ty = Ty::ERROR;
        }
        info
    }

    fn check_enum(&mut self, id: EnumId) {
        let source = self.program.enums[id.index()].source;
        let ItemKind::Enum(written) = source.item.kind else { return };
        self.attributes(source.item.attributes, On::Nothing);
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
            let other = self.program.enums[id.index()].cases.iter().find(|other| other.name == case.name.name).copied();
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
            self.program.enums[id.index()].cases.push(CaseInfo { name: case.name.name, span: case.name.span, bits });
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
            let diagnostic = self.mismatch(written.span, ty, found);
            self.report(diagnostic);
            return None;
        }
        self.require_constant(id, "the value of a case")?;
        self.integer_value(id)
    }

    fn check_bitfield(&mut self, id: BitfieldId) {
        let source = self.program.bitfields[id.index()].source;
        let ItemKind::Bitfield(written) = source.item.kind else { return };
        self.attributes(source.item.attributes, On::Nothing);
        let storage = self.resolve_type(written.storage);
        if storage != Ty::UINT && storage != Ty::ERROR {
            let message = format!("a bitfield is a `uint`, not `{}`", self.show(storage));
            self.error(errors::BAD_BITFIELD, written.storage.span, message);
        }
        let mut offset = 0;
        for field in written.fields {
            let name = self.program.text(field.name.name);
            let fields = &self.program.bitfields[id.index()].fields;
            if let Some(other) = fields.iter().find(|other| other.name == field.name.name).copied() {
                let message = format!("`{name}` is already a field");
                let diagnostic = Diagnostic::error(errors::DUPLICATE_NAME, field.name.span, message)
                    .note_at(other.span, format!("the other `{name}`"));
                self.report(diagnostic);
                continue;
            }
            let width = self.value(field.width, None);
            let width = self.as_number(width);
            let constant = self.require_constant(width, "the width of a field");
            let width = match constant.map(|_| self.integer_value(width)) {
                Some(Some(width @ 1..=32)) => width as u32,
                Some(_) => {
                    let message = format!("the width of `{name}` must be from 1 to 32 bits");
                    self.error(errors::BAD_BITFIELD, field.width.span, message);
                    1
                }
                None => 1,
            };
            if offset + width > 32 {
                let message = format!("with `{name}` the fields take {} bits, more than 32", offset + width);
                self.error(errors::BAD_BITFIELD, field.span, message);
                return;
            }
            let bits = BitRange { offset, width };
            let info = BitfieldFieldInfo { name: field.name.name, span: field.name.span, bits };
            self.program.bitfields[id.index()].fields.push(info);
            offset += width;
        }
    }

    fn check_constant(&mut self, id: ConstantId) {
        let source = self.program.constants[id.index()].source;
        let ItemKind::Const(written) = source.item.kind else { return };
        self.attributes(source.item.attributes, On::Nothing);
        let wanted = written.ty.map(|ty| self.resolve_data_type(ty));
        // While its value is looked at, the constant already has its type.
        self.program.constants[id.index()].ty = wanted.unwrap_or(Ty::ERROR);
        let value = self.value(written.value, wanted);
        let value = match wanted {
            Some(wanted) => self.expect(value, wanted),
            None => value,
        };
        let ty = self.ty(value);
        if self.kind(ty).is_handle() {
            let message = format!("a `{}` cannot be kept in a constant", self.show(ty));
            self.error(errors::BAD_TYPE, written.value.span, message);
            return;
        }
        self.program.constants[id.index()].ty = wanted.unwrap_or(ty);
        self.program.constants[id.index()].value = self.require_constant(value, "the value of a module constant");
    }

    /// The defaults of a struct's fields, checked where they are written.
    pub(super) fn check_field_defaults(&mut self, id: StructId) {
        let fields = Rc::clone(&self.program.structs[id.index()].fields);
        for field in fields.iter() {
            if let Some(default) = field.default {
                let value = self.value(default, Some(field.ty));
                self.expect(value, field.ty);
            }
        }
    }

    /// Whether values of the type can be made, copied and stored.
    pub(super) fn is_data(&self, ty: Ty) -> bool {
        !self.kind(ty).is_handle() && !matches!(self.kind(ty), TyKind::Nothing)
    }
}
