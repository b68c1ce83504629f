//! Values made from parts: constructors, struct and bitfield literals, array literals; and layout queries.

use std::rc::Rc;

use akari_dialect::fold;
use akari_ir::entity::Type;
use akari_ir::{Diagnostic, Scalar, Span};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::program::Def;
use super::scope::{Found, suggest};
use super::tree::{BitPart, ExprId, ExprKind, Part};
use super::types::{BitfieldId, StructId, Ty, TyKind};
use crate::syntax::ast;

/// The most elements that `[value; count]` may make. Larger arrays are no values but memory: a `var`, or a buffer.
const LONGEST_REPETITION: u32 = 65536;

/// Parts in the order of their slots.
fn in_order(values: impl IntoIterator<Item = ExprId>) -> Box<[Part]> {
    values
        .into_iter()
        .enumerate()
        .map(|(slot, value)| Part {
            slot: slot as u32,
            value,
        })
        .collect()
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
            TyKind::Matrix { columns, rows } => {
                self.matrix_constructor(ty, columns, rows, args, span)
            }
            TyKind::Struct(id) => {
                if self.holds_resources(ty) {
                    self.program.not_available("a struct of resources", span);
                    return self.poison(span);
                }
                let fields = Rc::clone(&self.program.structs[id.index()].fields);
                if fields.len() != args.len() {
                    let what = format!("{} arguments, one for each field", fields.len());
                    return self.wrong_parts(ty, args, span, &what);
                }
                let values: Vec<ExprId> = fields
                    .values()
                    .zip(args)
                    .map(|(field, arg)| self.typed(arg.value, field.ty))
                    .collect();
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
                    format!("a `{name}` is not made by `{name}(…)`"),
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

    fn wrong_parts(
        &mut self,
        ty: Ty,
        args: &'a [ast::Arg<'a>],
        span: Span,
        wanted: &str,
    ) -> ExprId {
        let ids: Vec<ExprId> = args.iter().map(|arg| self.value(arg.value, None)).collect();
        if ids.iter().any(|id| self.ty(*id) == Ty::ERROR) {
            return self.poison(span);
        }
        let given: Vec<String> = ids
            .iter()
            .map(|id| format!("`{}`", self.show(self.ty(*id))))
            .collect();
        let given = if given.is_empty() {
            "nothing".into()
        } else {
            given.join(", ")
        };
        let message = format!("`{}` takes {wanted}, not {given}", self.show(ty));
        self.fail(errors::BAD_CONSTRUCTOR, span, message)
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
        parts
            .iter()
            .map(|part| self.ty_kind(*part).width())
            .collect()
    }

    fn bad_parts(&mut self, ty: Ty, parts: &[ExprId], span: Span, wanted: &str) -> ExprId {
        if parts.iter().any(|part| self.ty(*part) == Ty::ERROR) {
            return self.poison(span);
        }
        let given: Vec<String> = parts
            .iter()
            .map(|part| format!("`{}`", self.show(self.ty(*part))))
            .collect();
        let given = if given.is_empty() {
            "nothing".into()
        } else {
            given.join(", ")
        };
        let message = format!("`{}` is made of {wanted}, not of {given}", self.show(ty));
        self.fail(errors::BAD_CONSTRUCTOR, span, message)
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
        let total = self
            .widths(&parts)
            .map(|widths| widths.iter().map(|width| u32::from(*width)).sum::<u32>());
        match (parts.as_slice(), total) {
            ([single], Some(1)) => self.add(ExprKind::Splat(*single), ty, span),
            ([single], Some(total)) if total == u32::from(width) => {
                let single = *single;
                // Only a conversion, or nothing at all; the place in the text is that of the whole.
                let mut expr = self.body.expr(single).clone();
                expr.span = span;
                self.body.add(expr)
            }
            (_, Some(total)) if total == u32::from(width) => {
                self.add(ExprKind::Construct(in_order(parts)), ty, span)
            }
            _ => self.bad_parts(
                ty,
                &parts,
                span,
                &format!("{width} components, or one scalar for all"),
            ),
        }
    }

    fn matrix_constructor(
        &mut self,
        ty: Ty,
        columns: u8,
        rows: u8,
        args: &'a [ast::Arg<'a>],
        span: Span,
    ) -> ExprId {
        let parts = self.converted_parts(Scalar::F32, args);
        if let [single] = parts.as_slice()
            && self.ty(*single) == ty
        {
            return *single;
        }
        let column = self.vector(Scalar::F32, rows);
        let widths = self.widths(&parts);
        let all = |wanted: u8| {
            widths
                .as_ref()
                .is_some_and(|widths| widths.iter().all(|width| *width == wanted))
        };
        if parts.len() == usize::from(columns) && all(rows) {
            return self.add(ExprKind::Construct(in_order(parts)), ty, span);
        }
        if parts.len() == usize::from(columns * rows) && all(1) {
            let columns: Vec<ExprId> = parts
                .chunks(usize::from(rows))
                .map(|scalars| {
                    let span = self
                        .span(scalars[0])
                        .to(self.span(scalars[scalars.len() - 1]));
                    self.add(
                        ExprKind::Construct(in_order(scalars.iter().copied())),
                        column,
                        span,
                    )
                })
                .collect();
            return self.add(ExprKind::Construct(in_order(columns)), ty, span);
        }
        if columns == rows && parts.len() == 1 && all(1) {
            return self.add(ExprKind::Diagonal(parts[0]), ty, span);
        }
        let diagonal = if columns == rows {
            ", or one scalar for the diagonal"
        } else {
            ""
        };
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
                if let Found::Defs(defs) = self.program.find(name.name, self.file) {
                    if !matches!(defs[0], Def::Unavailable(_)) {
                        let message = format!("`{text}` is no struct or bitfield");
                        self.error(errors::WRONG_KIND_OF_NAME, name.span, message);
                    }
                } else {
                    let structs = self.program.visible_names(self.file, |def| {
                        matches!(def, Def::Struct(_) | Def::Bitfield(_))
                    });
                    let diagnostic = Diagnostic::error(
                        errors::UNKNOWN_TYPE,
                        name.span,
                        format!("unknown struct `{text}`"),
                    );
                    self.report(suggest(diagnostic, text, structs));
                }
                abandon(self)
            }
        }
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
        let struct_name = self.program.text(source.item.name.name);
        if self.holds_resources(ty) {
            self.program.not_available("a struct of resources", span);
            return self.poison(span);
        }
        let mut parts: Vec<Part> = Vec::with_capacity(fields.len());
        let mut given = vec![None; fields.len()];
        let mut wrong = !source.item.intact;
        for init in written {
            let text = self.program.text(init.name.name);
            let Some(slot) = fields.get_index_of(&init.name.name) else {
                self.value(init.value, None);
                if source.item.intact {
                    let message = format!("unknown field `{text}` on `{struct_name}`");
                    let names = fields.keys().map(|field| self.program.text(*field));
                    let diagnostic = suggest(
                        Diagnostic::error(errors::UNKNOWN_FIELD, init.name.span, message),
                        text,
                        names,
                    );
                    self.report(diagnostic);
                }
                wrong = true;
                continue;
            };
            let value = self.typed(init.value, fields[slot].ty);
            if let Some(first) = given[slot].replace(init.name.span) {
                let diagnostic = Diagnostic::error(
                    errors::BAD_LITERAL,
                    init.name.span,
                    format!("`{text}` is given twice"),
                )
                .note_at(first, "the first one");
                self.report(diagnostic);
                wrong = true;
                continue;
            }
            parts.push(Part {
                slot: slot as u32,
                value,
            });
        }
        if let Some(base) = rest.and_then(|rest| rest.base) {
            let base = self.typed(base, ty);
            let kind = if wrong {
                ExprKind::Error
            } else {
                ExprKind::Update(parts.into(), base)
            };
            return self.add(kind, ty, span);
        }
        let mut missing = Vec::new();
        for (slot, field) in fields.values().enumerate() {
            if given[slot].is_some() {
                continue;
            }
            let value = match (field.default, rest) {
                (Some(default), _) => self.default(Def::Struct(id), default, field.ty),
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
            parts.push(Part {
                slot: slot as u32,
                value,
            });
        }
        if !missing.is_empty() && !wrong {
            let what = if missing.len() == 1 {
                "field"
            } else {
                "fields"
            };
            let message = format!(
                "missing {what} {} in `{struct_name}` literal",
                missing.join(", ")
            );
            let diagnostic = Diagnostic::error(errors::BAD_LITERAL, span, message)
                .help("give a value, or end the literal with `..` for zero or `..base` for a copy");
            self.report(diagnostic);
        }
        let whole = missing.is_empty() && !wrong;
        let kind = if whole {
            ExprKind::Construct(parts.into())
        } else {
            ExprKind::Error
        };
        self.add(kind, ty, span)
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
        let name = self.program.text(source.item.name.name);
        let fields = self.program.bitfields[id.index()].fields.clone();
        let mut given = vec![None; fields.len()];
        let mut parts = Vec::with_capacity(written.len());
        let mut wrong = false;
        for init in written {
            let text = self.program.text(init.name.name);
            let Some(slot) = fields.get_index_of(&init.name.name) else {
                self.value(init.value, None);
                if source.item.intact {
                    let message = format!("unknown field `{text}` on `{name}`");
                    let names = fields.keys().map(|field| self.program.text(*field));
                    let diagnostic = suggest(
                        Diagnostic::error(errors::UNKNOWN_FIELD, init.name.span, message),
                        text,
                        names,
                    );
                    self.report(diagnostic);
                }
                wrong = true;
                continue;
            };
            let value = self.typed(init.value, Ty::UINT);
            if let Some(first) = given[slot].replace(init.name.span) {
                let diagnostic = Diagnostic::error(
                    errors::BAD_LITERAL,
                    init.name.span,
                    format!("`{text}` is given twice"),
                )
                .note_at(first, "the first one");
                self.report(diagnostic);
                wrong = true;
                continue;
            }
            parts.push(BitPart {
                bits: fields[slot].bits,
                value,
            });
        }
        let base = rest
            .and_then(|rest| rest.base)
            .map(|base| self.typed(base, ty));
        let missing: Vec<String> = fields
            .values()
            .zip(&given)
            .filter(|(_, given)| given.is_none())
            .map(|(field, _)| format!("`{}`", self.program.text(field.name)))
            .collect();
        if rest.is_none() && !missing.is_empty() && !wrong && source.item.intact {
            let what = if missing.len() == 1 {
                "field"
            } else {
                "fields"
            };
            let message = format!("missing {what} {} in `{name}` literal", missing.join(", "));
            let diagnostic = Diagnostic::error(errors::BAD_LITERAL, span, message)
                .help("give a value, or end the literal with `..` for zero or `..base` for a copy");
            self.report(diagnostic);
            wrong = true;
        }
        let kind = if wrong {
            ExprKind::Error
        } else {
            ExprKind::MakeBits(parts.into(), base)
        };
        self.add(kind, ty, span)
    }

    /// `[a, b, c]`.
    pub(super) fn array_list(
        &mut self,
        written: &'a [ast::Expr<'a>],
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let wanted = match hint.map(|hint| self.kind(hint)) {
            Some(TyKind::Array(element, _)) => Some(element),
            _ => None,
        };
        // Without a declared type the first element with a type of its own decides; where all are literals, a float
        // among them makes all floats.
        let element_hint = wanted.or_else(|| {
            let mut kind = None;
            for element in written {
                match Flexible::of(element) {
                    Some(flexible) => kind = kind.max(Some(flexible)),
                    None => return None,
                }
            }
            kind.and_then(|kind| self.flexible_hint(kind, None))
        });
        let mut ids: Vec<Option<ExprId>> = vec![None; written.len()];
        let mut element = wanted;
        if element_hint.is_none() {
            let typed = written
                .iter()
                .position(|element| Flexible::of(element).is_none());
            if let Some(index) = typed {
                let id = self.value(&written[index], None);
                element = Some(self.ty(id));
                ids[index] = Some(id);
            }
        }
        for (index, expr) in written.iter().enumerate() {
            let hint = element_hint.or(element);
            let id = match ids[index] {
                Some(id) => id,
                None => self.value(expr, hint),
            };
            let ty = *element.get_or_insert(self.ty(id));
            ids[index] = Some(self.expect(id, ty));
        }
        let element = element.unwrap_or(Ty::ERROR);
        if element == Ty::ERROR {
            return self.poison(span);
        }
        if !self.is_data(element) {
            let message = format!("a `{}` cannot be kept in an array", self.show(element));
            return self.fail(errors::BAD_TYPE, span, message);
        }
        let length = u32::try_from(written.len()).unwrap_or(u32::MAX);
        let ty = self.program.types.intern(TyKind::Array(element, length));
        self.add(
            ExprKind::Construct(in_order(ids.into_iter().flatten())),
            ty,
            span,
        )
    }

    /// `[value; count]`.
    pub(super) fn array_repeat(
        &mut self,
        value: &'a ast::Expr<'a>,
        count: &'a ast::Expr<'a>,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let wanted = match hint.map(|hint| self.kind(hint)) {
            Some(TyKind::Array(element, _)) => Some(element),
            _ => None,
        };
        let id = self.value(value, wanted);
        let id = match wanted {
            Some(wanted) => self.expect(id, wanted),
            None => id,
        };
        let element = self.ty(id);
        let Some(length) = self.array_length(count) else {
            return self.poison(span);
        };
        if length > LONGEST_REPETITION {
            let message = format!(
                "an array value of {length} elements is too large: at most {LONGEST_REPETITION}"
            );
            return self.fail(errors::TOO_LARGE, span, message);
        }
        if element == Ty::ERROR {
            return self.poison(span);
        }
        if !self.is_data(element) {
            let message = format!("a `{}` cannot be kept in an array", self.show(element));
            return self.fail(errors::BAD_TYPE, span, message);
        }
        let ty = self.program.types.intern(TyKind::Array(element, length));
        self.add(ExprKind::Repeat(id), ty, span)
    }

    /// A type in `sizeof` or `offsetof`, with the packing it asks for.
    fn layout_type(
        &mut self,
        written: &'a ast::Type<'a>,
    ) -> Option<(Ty, Type, akari_dialect_gpu_abi::layout::Packing)> {
        use akari_dialect_gpu_abi::layout::Packing;
        let ty = self.resolve_type(written);
        let (held, packing) = match self.kind(ty) {
            TyKind::Error => return None,
            TyKind::Buffer(buffer, held) => (held, Packing::of_buffer(buffer)),
            _ if self.holds_resources(ty) => {
                let message = format!("a `{}` has no size", self.show(ty));
                self.error(errors::LAYOUT, written.span, message);
                return None;
            }
            _ => (ty, Packing::Storage),
        };
        if !self.is_laid_out(held) {
            return None;
        }
        let ir = self.program.erase(held);
        Some((held, ir, packing))
    }

    /// `sizeof(T)`.
    pub(super) fn size_of(&mut self, written: &'a ast::Type<'a>, span: Span) -> ExprId {
        let Some((_, ir, packing)) = self.layout_type(written) else {
            return self.poison(span);
        };
        match self.program.layouts.of(&self.program.module, ir, packing) {
            Ok(layout) => self.scalar_expr(Scalar::U32, u64::from(layout.size), span),
            Err(error) => {
                let message = super::program::Program::layout_error(error);
                self.fail(errors::LAYOUT, written.span, message)
            }
        }
    }

    /// `offsetof(T, a.b)`.
    pub(super) fn offset_of(
        &mut self,
        written: &'a ast::Type<'a>,
        path: &'a [ast::Ident],
        span: Span,
    ) -> ExprId {
        let Some((mut ty, ir, mut packing)) = self.layout_type(written) else {
            return self.poison(span);
        };
        let mut current = ir;
        let mut offset = 0;
        for name in path {
            let text = self.program.text(name.name);
            let TyKind::Struct(id) = self.kind(ty) else {
                let message = format!("unknown field `{text}` on `{}`", self.show(ty));
                return self.fail(errors::UNKNOWN_FIELD, name.span, message);
            };
            let fields = Rc::clone(&self.program.structs[id.index()].fields);
            let Some(index) = fields.get_index_of(&name.name) else {
                let message = format!("unknown field `{text}` on `{}`", self.show(ty));
                let names = fields.keys().map(|field| self.program.text(*field));
                let diagnostic = suggest(
                    Diagnostic::error(errors::UNKNOWN_FIELD, name.span, message),
                    text,
                    names,
                );
                self.report(diagnostic);
                return self.poison(span);
            };
            let found = self
                .program
                .layouts
                .structure(&self.program.module, current, packing);
            match found.map(|layout| layout.fields[index].offset) {
                Ok(at) => offset += at,
                Err(error) => {
                    let message = super::program::Program::layout_error(error);
                    return self.fail(errors::LAYOUT, written.span, message);
                }
            }
            if let Some(id) = self.program.structs[id.index()].ir {
                packing = packing.inside(&self.program.module.structs[id]);
            }
            ty = fields[index].ty;
            current = self.program.erase(ty);
        }
        self.scalar_expr(Scalar::U32, u64::from(offset), span)
    }
}
