//! Array literals.

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::Span;
use akari_passes::specialize::{LARGEST_VALUE, LONGEST_VALUE};

use super::checker::Checker;
use super::construct::in_order;
use super::errors;
use super::literal::Flexible;
use super::resolve::Length;
use super::tree::{ExprId, ExprKind};
use super::types::{Ty, TyKind};
use crate::syntax::ast;

/// The most bytes that all repetitions of a program may have together.
const LARGEST_VALUES: u64 = 1 << 25;

impl<'a> Checker<'_, 'a> {
    /// `[a, b, c]`.
    pub(super) fn array_list(&mut self, written: &'a [ast::Expr<'a>], span: Span, hint: Option<Ty>) -> ExprId {
        let wanted = match hint.map(|hint| self.kind(hint)) {
            Some(TyKind::Array(element, _) | TyKind::OpenArray(element, _)) => Some(element),
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
            let typed = written.iter().position(|element| Flexible::of(element).is_none());
            if let Some(index) = typed {
                let id = self.held(&written[index], None);
                element = Some(self.ty(id));
                ids[index] = Some(id);
            }
        }
        for (index, expr) in written.iter().enumerate() {
            let hint = element_hint.or(element);
            let id = match ids[index] {
                Some(id) => id,
                None => self.held(expr, hint),
            };
            element.get_or_insert(self.ty(id));
            ids[index] = Some(id);
        }
        let mut element = element.unwrap_or(Ty::ERROR);
        if element == Ty::ERROR {
            return self.poison(span);
        }
        // Beside a number, a case of an enum or a bitfield is one too.
        if let Some(underlying) = self.program.underlying(element).filter(|_| wanted.is_none())
            && ids.iter().flatten().any(|id| self.ty(*id) != element && self.ty(*id) != Ty::ERROR)
        {
            element = underlying;
        }
        for id in ids.iter_mut().flatten() {
            *id = self.expect(*id, element);
        }
        if !self.is_data(element) {
            let message = format!("{} cannot be kept in an array", self.one(element));
            return self.fail(errors::BAD_TYPE, span, message);
        }
        let length = u32::try_from(written.len()).unwrap_or(u32::MAX);
        let ty = self.program.types.intern(TyKind::Array(element, length));
        if matches!(self.kind(element), TyKind::Array(..) | TyKind::Struct(_)) && !self.is_small_value(ty, span) {
            return self.poison(span);
        }
        self.add(ExprKind::Construct(in_order(ids.into_iter().flatten())), ty, span)
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
            Some(TyKind::Array(element, _) | TyKind::OpenArray(element, _)) => Some(element),
            _ => None,
        };
        let id = self.held(value, wanted);
        let id = match wanted {
            Some(wanted) => self.expect(id, wanted),
            None => id,
        };
        let element = self.ty(id);
        let Some(length) = self.array_length(count) else {
            return self.poison(span);
        };
        if let Length::Known(length) = length
            && length > LONGEST_VALUE
        {
            let message = format!("an array value of {length} elements is too large: at most {LONGEST_VALUE}");
            return self.fail(errors::TOO_LARGE, span, message);
        }
        if element == Ty::ERROR {
            return self.poison(span);
        }
        if !self.is_data(element) {
            let message = format!("{} cannot be kept in an array", self.one(element));
            return self.fail(errors::BAD_TYPE, span, message);
        }
        let ty = self.array_type(element, length);
        if !self.is_small_value(ty, span) {
            return self.poison(span);
        }
        self.add(ExprKind::Repeat(id), ty, span)
    }

    /// Whether all of an array value can be written out, alone and beside those before it; tells what is too large. Lengths that
    /// depend on `const` parameters are looked at in each instance.
    fn is_small_value(&mut self, ty: Ty, span: Span) -> bool {
        if self.program.is_open(ty) {
            return true;
        }
        let ir = self.program.erase(ty);
        // What has no layout is told where its type is checked.
        let Ok(layout) = self.program.layouts.of(&self.program.module, ir, Packing::Storage) else { return true };
        let size = u64::from(layout.size);
        if size > LARGEST_VALUE {
            let message = format!("an array value of {size} bytes is too large: at most {LARGEST_VALUE}");
            self.error(errors::TOO_LARGE, span, message);
            return false;
        }
        self.program.array_values += size;
        if self.program.array_values > LARGEST_VALUES {
            self.too_much(span);
            return false;
        }
        true
    }
}
