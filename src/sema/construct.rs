//! Values made from parts: constructors, struct and bitfield literals, array literals; and layout queries.

use std::rc::Rc;

use akari_dialect::fold;
use akari_ir::{Diagnostic, Scalar, Span};
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::checker::Checker;
use super::errors;
use super::program::Def;
use super::scope::{Found, suggest};
use super::tree::{BitPart, ExprId, ExprKind, Part};
use super::types::{BitfieldId, StructId, Ty, TyKind};
use crate::syntax::ast;
use crate::syntax::names::Name;

/// Parts in the order of their slots.
pub(super) fn in_order(values: impl IntoIterator<Item = ExprId>) -> Box<[Part]> {
    values.into_iter().enumerate().map(|(slot, value)| Part { slot: slot as u32, value }).collect()
}

/// The fields that a literal gives.
struct Written {
    /// The number of each field and its value, in the order written.
    values: Vec<(usize, ExprId)>,
    /// Which fields are among them.
    given: Vec<bool>,
    /// Whether a fault was reported.
    wrong: bool,
}

impl<'a> Checker<'_, 'a> {
    /// `T(args)`.
    pub(super) fn constructor(&mut self, ty: Ty, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        if let Some(named) = args.iter().find_map(|arg| arg.name) {
            for arg in args {
                self.value(arg.value, None);
            }
            let message = format!("`{}` takes no named arguments here", self.show(ty));
            return self.fail(errors::BAD_ARGUMENTS, named.span, message);
        }
        match self.kind(ty) {
            TyKind::Error => {
                for arg in args {
                    self.value(arg.value, None);
                }
                self.poison(span)
            }
            TyKind::Scalar(_) => {
                let [arg] = args else {
                    return self.wrong_parts(ty, args, span, "one argument");
                };
                let hint = self.conversion_hint(arg.value, ty);
                let id = self.value(arg.value, hint);
                let id = self.as_number(id);
                self.convert(id, ty, span)
            }
            TyKind::Vector(scalar, width) => self.vector_constructor(ty, scalar, width, args, span),
            TyKind::Matrix { columns, rows } => self.matrix_constructor(ty, columns, rows, args, span),
            TyKind::Struct(id) => {
                let fields = Rc::clone(&self.program.structs[id.index()].fields);
                if fields.len() != args.len() {
                    let what = format!("{} arguments, one for each field", fields.len());
                    return self.wrong_parts(ty, args, span, &what);
                }
                let values: Vec<ExprId> =
                    fields.values().zip(args).map(|(field, arg)| self.typed(arg.value, field.ty)).collect();
                self.add(ExprKind::Construct(in_order(values)), ty, span)
            }
            _ => {
                for arg in args {
                    self.value(arg.value, None);
                }
                let name = self.show(ty);
                let diagnostic = Diagnostic::error(
                    errors::BAD_CONSTRUCTOR,
                    span,
                    format!("{} is not made by `{name}(…)`", self.one(ty)),
                );
                let diagnostic = match self.program.underlying(ty) {
                    Some(_) => diagnostic.help(format!("convert an integer: `x as {name}`")),
                    None => diagnostic,
                };
                self.report(diagnostic);
                self.poison(span)
            }
        }
    }

    fn wrong_parts(&mut self, ty: Ty, args: &'a [ast::Arg<'a>], span: Span, wanted: &str) -> ExprId {
        let ids: Vec<ExprId> = args.iter().map(|arg| self.value(arg.value, None)).collect();
        if ids.iter().any(|id| self.ty(*id) == Ty::ERROR) {
            return self.poison(span);
        }
        let given: Vec<String> = ids.iter().map(|id| format!("`{}`", self.show(self.ty(*id)))).collect();
        let given = if given.is_empty() { "nothing".into() } else { given.join(", ") };
        let name = self.show(ty);
        let message = format!("`{name}` takes {wanted}, not {given}");
        let mut diagnostic = Diagnostic::error(errors::BAD_CONSTRUCTOR, span, message);
        if args.is_empty() && matches!(self.kind(ty), TyKind::Struct(_)) {
            diagnostic = diagnostic.help(format!("`{name} {{ .. }}` has every field's default, or zero"));
        }
        self.report(diagnostic);
        self.poison(span)
    }

    /// Checks the arguments of a constructor and converts each to `scalar`.
    fn converted_parts(&mut self, scalar: Scalar, args: &'a [ast::Arg<'a>]) -> Vec<ExprId> {
        args.iter()
            .map(|arg| {
                let hint = self.conversion_hint(arg.value, Ty::scalar(scalar));
                let id = self.value(arg.value, hint);
                let id = self.as_number(id);
                let span = self.span(id);
                match self.ty_kind(id) {
                    TyKind::Scalar(from) | TyKind::Vector(from, _) if from != scalar => {
                        let width = self.ty_kind(id).width().unwrap_or(1);
                        let ty = self.vector(scalar, width);
                        self.add(ExprKind::Convert(id), ty, span)
                    }
                    _ => id,
                }
            })
            .collect()
    }

    /// The number of scalars in each part; none where one is no scalar or vector.
    fn widths(&self, parts: &[ExprId]) -> Option<Vec<u8>> {
        parts.iter().map(|part| self.ty_kind(*part).width()).collect()
    }

    fn bad_parts(&mut self, ty: Ty, parts: &[ExprId], span: Span, wanted: &str) -> ExprId {
        if parts.iter().any(|part| self.ty(*part) == Ty::ERROR) {
            return self.poison(span);
        }
        let given: Vec<String> = parts.iter().map(|part| format!("`{}`", self.show(self.ty(*part)))).collect();
        let given = if given.is_empty() { "nothing".into() } else { given.join(", ") };
        let name = self.show(ty);
        let message = format!("`{name}` is made of {wanted}, not of {given}");
        let mut diagnostic = Diagnostic::error(errors::BAD_CONSTRUCTOR, span, message);
        if let [single] = parts {
            let value = self.spelled(*single);
            diagnostic = match (self.kind(ty), self.ty_kind(*single)) {
                (TyKind::Matrix { columns, rows }, TyKind::Matrix { columns: from, rows: long })
                    if columns <= from && rows <= long =>
                {
                    let part = if rows < long { format!(".{}", &"xyzw"[..usize::from(rows)]) } else { String::new() };
                    let parts: Vec<String> = (0..columns).map(|column| format!("{value}[{column}]{part}")).collect();
                    diagnostic.help(format!("take its columns: `{name}({})`", parts.join(", ")))
                }
                (TyKind::Scalar(_) | TyKind::Vector(..), TyKind::Vector(_, from)) => match self.kind(ty).width() {
                    Some(width) if width < from => diagnostic
                        .help(format!("take its components: `{name}({value}.{})`", &"xyzw"[..usize::from(width)])),
                    Some(width) => {
                        let missing = ", …".repeat(usize::from(width.saturating_sub(from)));
                        diagnostic.help(format!("add what is missing: `{name}({value}{missing})`"))
                    }
                    None => diagnostic,
                },
                _ => diagnostic,
            };
        }
        self.report(diagnostic);
        self.poison(span)
    }

    fn vector_constructor(
        &mut self,
        ty: Ty,
        scalar: Scalar,
        width: u8,
        args: &'a [ast::Arg<'a>],
        span: Span,
    ) -> ExprId {
        let parts = self.converted_parts(scalar, args);
        let total = self.widths(&parts).map(|widths| widths.iter().map(|width| u32::from(*width)).sum::<u32>());
        match (parts.as_slice(), total) {
            ([single], Some(1)) => self.add(ExprKind::Splat(*single), ty, span),
            ([single], Some(total)) if total == u32::from(width) => {
                let single = *single;
                let value = self.as_value(single, span);
                if value != single {
                    return value;
                }
                // Only a conversion; the place in the text is that of the whole.
                let mut expr = self.body.expr(single).clone();
                expr.span = span;
                self.body.add(expr)
            }
            (_, Some(total)) if total == u32::from(width) => self.add(ExprKind::Construct(in_order(parts)), ty, span),
            _ => self.bad_parts(ty, &parts, span, &format!("{width} components, or one scalar for all")),
        }
    }

    fn matrix_constructor(&mut self, ty: Ty, columns: u8, rows: u8, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        let parts = self.converted_parts(Scalar::F32, args);
        if let [single] = parts.as_slice()
            && self.ty(*single) == ty
        {
            return self.as_value(*single, span);
        }
        let column = self.vector(Scalar::F32, rows);
        let widths = self.widths(&parts);
        let all = |wanted: u8| widths.as_ref().is_some_and(|widths| widths.iter().all(|width| *width == wanted));
        if parts.len() == usize::from(columns) && all(rows) {
            return self.add(ExprKind::Construct(in_order(parts)), ty, span);
        }
        if parts.len() == usize::from(columns * rows) && all(1) {
            let columns: Vec<ExprId> = parts
                .chunks(usize::from(rows))
                .map(|scalars| {
                    let span = self.span(scalars[0]).to(self.span(scalars[scalars.len() - 1]));
                    self.add(ExprKind::Construct(in_order(scalars.iter().copied())), column, span)
                })
                .collect();
            return self.add(ExprKind::Construct(in_order(columns)), ty, span);
        }
        if columns == rows && parts.len() == 1 && all(1) {
            return self.add(ExprKind::Diagonal(parts[0]), ty, span);
        }
        let diagonal = if columns == rows { ", or one scalar for the diagonal" } else { "" };
        let wanted = format!(
            "{columns} columns of `float{rows}`, or {} scalars{diagonal}",
            u32::from(columns) * u32::from(rows)
        );
        self.bad_parts(ty, &parts, span, &wanted)
    }

    /// `Name { field: value, … }`.
    pub(super) fn struct_literal(
        &mut self,
        name: ast::Ident,
        fields: &'a [ast::FieldInit<'a>],
        rest: Option<ast::StructRest<'a>>,
        span: Span,
    ) -> ExprId {
        let text = self.program.text(name.name);
        let abandon = |checker: &mut Self| {
            for field in fields {
                checker.value(field.value, None);
            }
            if let Some(base) = rest.and_then(|rest| rest.base) {
                checker.value(base, None);
            }
            checker.poison(span)
        };
        match self.type_named(name.name, name.span) {
            Some(Ty::ERROR) => abandon(self),
            Some(ty) => match self.kind(ty) {
                TyKind::Struct(id) => self.struct_of_fields(id, ty, fields, rest, span),
                TyKind::Bitfield(id) => self.bitfield_of_fields(id, ty, fields, rest, span),
                _ => {
                    let message = format!("`{text}` has no fields");
                    self.error(errors::WRONG_KIND_OF_NAME, name.span, message);
                    abandon(self)
                }
            },
            None => {
                if let Found::Defs(_) = self.program.find(name.name, self.file) {
                    let message = format!("`{text}` is no struct or bitfield");
                    self.error(errors::WRONG_KIND_OF_NAME, name.span, message);
                } else {
                    let structs =
                        self.program.visible_names(self.file, |def| matches!(def, Def::Struct(_) | Def::Bitfield(_)));
                    let diagnostic =
                        Diagnostic::error(errors::UNKNOWN_TYPE, name.span, format!("unknown struct `{text}`"));
                    self.report(suggest(diagnostic, text, structs));
                }
                abandon(self)
            }
        }
    }

    /// Checks the fields that a literal of `item` gives.
    fn written_fields<Field>(
        &mut self,
        item: &ast::Item<'a>,
        fields: &IndexMap<Name, Field, FxBuildHasher>,
        ty: impl Fn(&Field) -> Ty,
        written: &'a [ast::FieldInit<'a>],
    ) -> Written {
        let mut values: Vec<(usize, ExprId)> = Vec::with_capacity(fields.len());
        let mut places = vec![None; fields.len()];
        let mut wrong = false;
        for init in written {
            let text = self.program.text(init.name.name);
            let Some((slot, _, field)) = fields.get_full(&init.name.name) else {
                self.value(init.value, None);
                if item.intact {
                    let owner = self.program.text(item.name.name);
                    let message = format!("unknown field `{text}` on `{owner}`");
                    let names = fields.keys().map(|field| self.program.text(*field));
                    let diagnostic =
                        suggest(Diagnostic::error(errors::UNKNOWN_FIELD, init.name.span, message), text, names);
                    self.report(diagnostic);
                }
                wrong = true;
                continue;
            };
            let value = self.typed(init.value, ty(field));
            if let Some(first) = places[slot].replace(init.name.span) {
                let diagnostic =
                    Diagnostic::error(errors::BAD_LITERAL, init.name.span, format!("`{text}` is given twice"))
                        .note_at(first, "the first one");
                self.report(diagnostic);
                wrong = true;
                continue;
            }
            values.push((slot, value));
        }
        let given = places.iter().map(Option::is_some).collect();
        Written { values, given, wrong }
    }

    fn struct_of_fields(
        &mut self,
        id: StructId,
        ty: Ty,
        written: &'a [ast::FieldInit<'a>],
        rest: Option<ast::StructRest<'a>>,
        span: Span,
    ) -> ExprId {
        let source = self.program.structs[id.index()].source;
        let fields = Rc::clone(&self.program.structs[id.index()].fields);
        let Written { values, given, mut wrong } = self.written_fields(source.item, &fields, |field| field.ty, written);
        wrong |= !source.item.intact;
        let mut parts: Vec<Part> =
            values.iter().map(|(slot, value)| Part { slot: *slot as u32, value: *value }).collect();
        if let Some(base) = rest.and_then(|rest| rest.base) {
            let base = self.typed(base, ty);
            let kind = if wrong { ExprKind::Error } else { ExprKind::Update(parts.into(), base) };
            return self.add(kind, ty, span);
        }
        let mut missing = Vec::new();
        for (slot, field) in fields.values().enumerate() {
            if given[slot] {
                continue;
            }
            let resource = self.holds_resources(field.ty);
            let value = match (field.default.filter(|_| !resource), rest) {
                (None, Some(rest)) if resource => {
                    self.unfillable_field(field, rest.dots);
                    wrong = true;
                    continue;
                }
                (Some(default), _) => {
                    self.default(Def::Struct(id), default, |checker, default| checker.typed(default, field.ty))
                }
                (None, Some(rest)) => {
                    let ir = self.program.erase(field.ty);
                    let zero = fold::zero(&mut self.program.module, ir);
                    self.constant_expr(zero, field.ty, rest.dots)
                }
                (None, None) => {
                    missing.push(format!("`{}`", self.program.text(field.name)));
                    continue;
                }
            };
            parts.push(Part { slot: slot as u32, value });
        }
        if !missing.is_empty() && !wrong {
            self.missing_fields(&missing, ty, span);
        }
        let whole = missing.is_empty() && !wrong;
        let kind = if whole { ExprKind::Construct(parts.into()) } else { ExprKind::Error };
        self.add(kind, ty, span)
    }

    /// Reports the fields that a literal neither gives nor takes from elsewhere.
    fn missing_fields(&mut self, missing: &[String], ty: Ty, span: Span) {
        let plural = if missing.len() == 1 { "" } else { "s" };
        let message = format!("missing field{plural} {} in `{}` literal", missing.join(", "), self.show(ty));
        let help = if self.holds_resources(ty) {
            "name every resource, or end the literal with `..base` for those of another context"
        } else {
            "give a value, or end the literal with `..` for zero or `..base` for a copy"
        };
        self.report(Diagnostic::error(errors::BAD_LITERAL, span, message).help(help));
    }

    fn bitfield_of_fields(
        &mut self,
        id: BitfieldId,
        ty: Ty,
        written: &'a [ast::FieldInit<'a>],
        rest: Option<ast::StructRest<'a>>,
        span: Span,
    ) -> ExprId {
        let source = self.program.bitfields[id.index()].source;
        let fields = self.program.bitfields[id.index()].fields.clone();
        let Written { values, given, mut wrong } = self.written_fields(source.item, &fields, |_| Ty::UINT, written);
        let parts: Vec<BitPart> =
            values.iter().map(|(slot, value)| BitPart { bits: fields[*slot].bits, value: *value }).collect();
        let base = rest.and_then(|rest| rest.base).map(|base| self.typed(base, ty));
        let missing: Vec<String> = fields
            .values()
            .zip(&given)
            .filter(|(_, given)| !**given)
            .map(|(field, _)| format!("`{}`", self.program.text(field.name)))
            .collect();
        if rest.is_none() && !missing.is_empty() && !wrong && source.item.intact {
            self.missing_fields(&missing, ty, span);
            wrong = true;
        }
        let kind = if wrong { ExprKind::Error } else { ExprKind::MakeBits(parts.into(), base) };
        self.add(kind, ty, span)
    }
}
