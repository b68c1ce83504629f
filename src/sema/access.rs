//! Parts of values: fields, swizzles, elements.

use akari_ir::types::BufferKind;
use akari_ir::{Diagnostic, Scalar, Span};
use std::rc::Rc;

use super::checker::Checker;
use super::errors;
use super::program::Def;
use super::scope::{Found, suggest};
use super::tree::{Components, ExprId, ExprKind};
use super::types::{EnumId, Ty, TyKind};
use crate::syntax::ast;

/// How many fields are listed where one is unknown.
const MOST_LISTED: usize = 12;

impl<'a> Checker<'_, 'a> {
    /// `base.name`: a case of an enum, a field or a swizzle.
    pub(super) fn field_access(&mut self, base: &'a ast::Expr<'a>, name: ast::Ident, span: Span) -> ExprId {
        if let ast::ExprKind::Name(enum_name) = base.kind
            && self.local(enum_name).is_none()
        {
            match self.program.find(enum_name, self.file) {
                Found::Defs(defs) => {
                    if let Def::Enum(id) = defs[0] {
                        return self.enum_case(id, name, span);
                    }
                }
                Found::Lost => return self.poison(span),
                Found::Private(_) | Found::Nothing => {}
            }
        }
        let base = self.value(base, None);
        self.field_of(base, name, span)
    }

    fn enum_case(&mut self, id: EnumId, name: ast::Ident, span: Span) -> ExprId {
        self.program.ensure_enum(id, span);
        let info = &self.program.enums[id.index()];
        if let Some(case) = info.cases.get_index_of(&name.name) {
            let ty = info.ty;
            return self.add(ExprKind::EnumCase(id, case as u32), ty, span);
        }
        let source = info.source;
        if source.item.intact {
            let text = self.program.text(name.name);
            let message = format!("unknown case `{text}` of `{}`", self.program.text(source.item.name.name));
            let cases = self.program.enums[id.index()].cases.keys().map(|case| self.program.text(*case));
            let diagnostic = suggest(Diagnostic::error(errors::UNKNOWN_FIELD, name.span, message), text, cases);
            self.report(diagnostic);
        }
        self.poison(span)
    }

    /// What a uniform holds; anything else as it is.
    pub(super) fn contents(&mut self, id: ExprId) -> ExprId {
        match self.ty_kind(id) {
            TyKind::Buffer(BufferKind::Uniform, ty) => {
                let span = self.span(id);
                self.add(ExprKind::Contents(id), ty, span)
            }
            _ => id,
        }
    }

    fn field_of(&mut self, base: ExprId, name: ast::Ident, span: Span) -> ExprId {
        let base = self.contents(base);
        let text = self.program.text(name.name);
        match self.ty_kind(base) {
            TyKind::Error => self.poison(span),
            TyKind::Struct(id) => {
                let info = &self.program.structs[id.index()];
                let fields = Rc::clone(&info.fields);
                match fields.get_index_of(&name.name) {
                    Some(index) => self.add(ExprKind::Field(base, index as u32), fields[index].ty, span),
                    None if !info.source.item.intact => self.poison(span),
                    None => {
                        let names: Vec<&str> = fields.keys().map(|field| self.program.text(*field)).collect();
                        self.unknown_field(base, name, names)
                    }
                }
            }
            TyKind::Bitfield(id) => {
                let fields = &self.program.bitfields[id.index()].fields;
                match fields.get(&name.name) {
                    Some(field) => {
                        let bits = field.bits;
                        self.add(ExprKind::Bits(base, bits), Ty::UINT, span)
                    }
                    None => {
                        let names: Vec<&str> = fields.keys().map(|field| self.program.text(*field)).collect();
                        self.unknown_field(base, name, names)
                    }
                }
            }
            TyKind::Vector(scalar, width) => self.swizzle(base, scalar, width, text, name, span),
            _ => self.unknown_field(base, name, []),
        }
    }

    fn unknown_field<'n>(
        &mut self,
        base: ExprId,
        name: ast::Ident,
        candidates: impl IntoIterator<Item = &'n str>,
    ) -> ExprId {
        let text = self.program.text(name.name);
        let message = format!("unknown field `{text}` on `{}`", self.show(self.ty(base)));
        let fields: Vec<&str> = candidates.into_iter().collect();
        let mut diagnostic =
            suggest(Diagnostic::error(errors::UNKNOWN_FIELD, name.span, message), text, fields.iter().copied());
        if diagnostic.help.is_none() && (1..=MOST_LISTED).contains(&fields.len()) {
            diagnostic = diagnostic.help(format!("it has `{}`", fields.join("`, `")));
        }
        if diagnostic.help.is_none()
            && let TyKind::Scalar(scalar) = self.ty_kind(base)
            && (1..=4).contains(&text.len())
            && text.chars().all(|component| "xr".contains(component))
        {
            let value = self.spelled(base);
            diagnostic = diagnostic.help(match text.len() {
                1 if value == "…" => "a scalar has no components: it is the value itself".to_owned(),
                1 => format!("a scalar has no components: write `{value}`"),
                _ if scalar == Scalar::U64 => {
                    "a scalar has no components, and there are no vectors of `uint64`".to_owned()
                }
                width => format!("a scalar has no components: write `{}{width}({value})`", self.show(self.ty(base))),
            });
        }
        if diagnostic.help.is_none()
            && let TyKind::Array(_, length) = self.ty_kind(base)
            && matches!(text, "length" | "size" | "len" | "count")
        {
            diagnostic = diagnostic.help(format!("its length is in its type: {length}"));
        }
        if diagnostic.help.is_none()
            && let TyKind::Matrix { .. } = self.ty_kind(base)
        {
            diagnostic = diagnostic.help("a column is `m[column]`, an element `m[column][row]`");
        }
        if diagnostic.help.is_none()
            && let TyKind::Buffer(kind, _) = self.ty_kind(base)
            && kind != BufferKind::Uniform
        {
            diagnostic = diagnostic.help(format!("index the buffer first: `buffer[i].{text}`"));
        }
        if let TyKind::ResourceArray(..) | TyKind::OpenResourceArray(..) = self.ty_kind(base) {
            diagnostic = diagnostic.help("name one of the textures: `textures[i]`");
        }
        let span = self.span(base).to(name.span);
        self.report(diagnostic);
        self.poison(span)
    }

    fn swizzle(&mut self, base: ExprId, scalar: Scalar, width: u8, text: &str, name: ast::Ident, span: Span) -> ExprId {
        const SETS: [&str; 2] = ["xyzw", "rgba"];
        let in_set = |set: &str| text.chars().all(|letter| set.contains(letter));
        let Some(set) = SETS.iter().find(|set| in_set(set)) else {
            if text.chars().all(|letter| SETS.iter().any(|set| set.contains(letter))) {
                let message = format!("the swizzle `{text}` mixes `xyzw` and `rgba`");
                return self.fail(errors::BAD_SWIZZLE, name.span, message);
            }
            return self.unknown_field(base, name, []);
        };
        if text.len() > 4 {
            let message = format!("the swizzle `{text}` has more than four components");
            return self.fail(errors::BAD_SWIZZLE, name.span, message);
        }
        let mut indices: Vec<u8> = Vec::with_capacity(4);
        for letter in text.chars() {
            let index = set.find(letter).unwrap_or(0) as u8;
            if index >= width {
                let message = format!("`{}` has no component `{letter}` (in `{text}`)", self.show(self.ty(base)));
                return self.fail(errors::BAD_SWIZZLE, name.span, message);
            }
            indices.push(index);
        }
        let ty = self.vector(scalar, indices.len() as u8);
        self.add(ExprKind::Swizzle(base, Components::new(&indices, *set == SETS[1])), ty, span)
    }

    /// Reports an index that is no integer of 32 bits.
    pub(super) fn bad_index(&mut self, index: ExprId, span: Span) {
        let message = format!("an index must be `int` or `uint`, not `{}`", self.show(self.ty(index)));
        let diagnostic = Diagnostic::error(errors::BAD_INDEX, span, message);
        let is_float = self.ty_kind(index) == TyKind::Scalar(Scalar::F32);
        self.report(if is_float {
            diagnostic.help(format!("convert it: `uint({})`", self.spelled(index)))
        } else {
            diagnostic
        });
    }

    /// `base[index]`.
    pub(super) fn index(&mut self, base: &'a ast::Expr<'a>, index: &'a ast::Expr<'a>, span: Span) -> ExprId {
        let base = self.value(base, None);
        let written_ty = self.ty(base);
        let is_uniform_of_elements = match self.kind(written_ty) {
            TyKind::Buffer(BufferKind::Uniform, held) => {
                matches!(
                    self.kind(held),
                    TyKind::Array(..) | TyKind::OpenArray(..) | TyKind::Vector(..) | TyKind::Matrix { .. }
                )
            }
            _ => false,
        };
        let base = if is_uniform_of_elements { self.contents(base) } else { base };
        let index_span = index.span;
        let index = self.value(index, None);
        let index = self.as_number(index);
        let (element, length) = match self.ty_kind(base) {
            TyKind::Error => return self.poison(span),
            TyKind::Vector(scalar, width) => (Ty::scalar(scalar), Some(u32::from(width))),
            TyKind::Matrix { columns, rows } => (self.vector(Scalar::F32, rows), Some(u32::from(columns))),
            TyKind::Array(element, length) | TyKind::ResourceArray(element, length) => (element, Some(length)),
            TyKind::OpenArray(element, _) | TyKind::OpenResourceArray(element, _) => (element, None),
            TyKind::Buffer(kind, element) if kind != BufferKind::Uniform => (element, None),
            kind => {
                let message = format!("{} cannot be indexed", self.one(written_ty));
                let mut diagnostic = Diagnostic::error(errors::BAD_INDEX, self.span(base), message);
                match kind {
                    TyKind::Texture(..) => diagnostic = diagnostic.help("read it with `.load(coordinate)`"),
                    TyKind::Buffer(..) => {
                        diagnostic = diagnostic.help("a `Uniform` holds one value: name its fields");
                    }
                    TyKind::StorageTexture(..) => {
                        let help = "read it with `.load(coordinate)`, write it with `.store(coordinate, value)`";
                        diagnostic = diagnostic.help(help);
                    }
                    TyKind::BufferTable => {
                        let help = "load from one of its buffers: `bindless_load_f32(table, buffer, element)`";
                        diagnostic = diagnostic.help(help);
                    }
                    TyKind::TextureTable => {
                        diagnostic = diagnostic.help("take one of its textures: `bindless_tex2d(table, index)`");
                    }
                    _ => {}
                }
                self.report(diagnostic);
                return self.poison(span);
            }
        };
        match self.ty(index) {
            Ty::ERROR => return self.poison(span),
            Ty::INT | Ty::UINT => {}
            _ => {
                self.bad_index(index, index_span);
                return self.poison(index_span);
            }
        }
        if let Some(value) = self.integer_value(index) {
            let out = value < 0 || length.is_some_and(|length| value >= i64::from(length));
            if out {
                let message = match length {
                    Some(length) => format!(
                        "the index {value} is out of range: `{}` has {length} elements",
                        self.show(self.ty(base))
                    ),
                    None => format!("the index {value} is out of range"),
                };
                return self.fail(errors::INDEX_RANGE, index_span, message);
            }
        }
        self.add(ExprKind::Index(base, index), element, span)
    }
}
