//! `sizeof` and `offsetof`.

use std::rc::Rc;

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::entity::Type;
use akari_ir::{Diagnostic, Scalar, Span};

use super::checker::Checker;
use super::errors;
use super::scope::suggest;
use super::tree::{ExprId, ExprKind};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

impl<'a> Checker<'_, 'a> {
    /// A type in `sizeof` or `offsetof`, with the packing it asks for.
    fn layout_type(&mut self, written: &'a ast::Type<'a>) -> Option<(Ty, Type, Packing)> {
        let ty = self.resolve_type(written);
        let (held, packing) = match self.kind(ty) {
            TyKind::Error => return None,
            TyKind::Buffer(buffer, held) => (held, Packing::of_buffer(buffer)),
            _ if self.holds_resources(ty) => {
                let message = format!("{} has no size", self.one(ty));
                self.error(errors::LAYOUT, written.span, message);
                return None;
            }
            _ => (ty, Packing::Storage),
        };
        if self.program.is_open(held) {
            let ir = self.program.erase(held);
            return Some((held, ir, packing));
        }
        if !self.is_laid_out(held) {
            return None;
        }
        let ir = self.program.erase(held);
        Some((held, ir, packing))
    }

    /// `sizeof(T)`.
    pub(super) fn size_of(&mut self, written: &'a ast::Type<'a>, span: Span) -> ExprId {
        let Some((held, ir, packing)) = self.layout_type(written) else {
            return self.poison(span);
        };
        if self.program.is_open(held) {
            let uniform = packing == Packing::Uniform;
            return self.add(ExprKind::SizeOf { ty: held, uniform }, Ty::UINT, span);
        }
        match self.program.layouts.of(&self.program.module, ir, packing) {
            Ok(layout) => self.scalar_expr(Scalar::U32, u64::from(layout.size), span),
            Err(error) => {
                let message = super::program::Program::layout_error(error);
                self.fail(errors::LAYOUT, written.span, message)
            }
        }
    }

    /// `offsetof(T, a.b)`.
    pub(super) fn offset_of(&mut self, written: &'a ast::Type<'a>, path: &'a [ast::Ident], span: Span) -> ExprId {
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
                let diagnostic = suggest(Diagnostic::error(errors::UNKNOWN_FIELD, name.span, message), text, names);
                self.report(diagnostic);
                return self.poison(span);
            };
            let found = self.program.layouts.structure(&self.program.module, current, packing);
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
