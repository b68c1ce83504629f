//! Expressions: names, unary operators, conditionals, casts; the rest is passed on.

use akari_dialect::AkariOp;
use akari_dialect::builtins::Builtin;
use akari_ir::{Diagnostic, Scalar, Span};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::program::Def;
use super::scope::{Found, suggest};
use super::tree::{ExprId, ExprKind, LocalKind};
use super::types::{Ty, TyKind, plain_type};
use crate::foreign;
use crate::syntax::ast::{self, IncDecOp, IncDecPosition, UnaryOp};
use crate::syntax::names::Name;

/// How deep expressions and statements may nest, through the definitions that they use.
const MAX_DEPTH: u32 = 400;

/// How many expressions a body may have, those of defaults at each use.
const MAX_EXPRESSIONS: usize = 1_000_000;

impl<'a> Checker<'_, 'a> {
    /// An expression that gives a value. `hint` is the type that is wanted, if known; it decides the type of literals, and
    /// nothing else: the caller still has to compare.
    pub(super) fn value(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>) -> ExprId {
        let id = self.any(written, hint);
        if self.ty(id) == Ty::NOTHING {
            return self.fail(errors::NO_VALUE, written.span, "this call gives no value");
        }
        id
    }

    /// An expression of type `ty`.
    pub(super) fn typed(&mut self, written: &'a ast::Expr<'a>, ty: Ty) -> ExprId {
        let id = self.value(written, Some(ty));
        self.expect(id, ty)
    }

    /// An expression that must be `bool`.
    pub(super) fn condition(&mut self, written: &'a ast::Expr<'a>, what: &str) -> ExprId {
        let id = self.held(written, Some(Ty::BOOL));
        match self.ty(id) {
            Ty::BOOL | Ty::ERROR => id,
            other => {
                let spelled = self.spelled(id);
                self.bad_condition(written.span, what, other, &spelled);
                self.poison(written.span)
            }
        }
    }

    /// The value of an expression, which of a uniform is what it holds.
    pub(super) fn held(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>) -> ExprId {
        let id = self.value(written, hint);
        self.contents(id)
    }

    /// Any expression, also a call that gives nothing.
    pub(super) fn any(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>) -> ExprId {
        match self.deeper(1, written.span, |checker| checker.expression(written, hint)) {
            Some(id) => id,
            None => self.poison(written.span),
        }
    }

    /// Runs `check` so many levels deeper, unless that is deeper than can be sensible, which is reported.
    pub(super) fn deeper<R>(&mut self, levels: u32, span: Span, check: impl FnOnce(&mut Self) -> R) -> Option<R> {
        if self.program.gave_up || self.program.depth + levels > MAX_DEPTH || self.body.size() >= MAX_EXPRESSIONS {
            self.too_much(span);
            return None;
        }
        self.program.depth += levels;
        let result = check(self);
        self.program.depth -= levels;
        Some(result)
    }

    /// Gives up on an expression, whose function (with the defaults it uses) is larger than can be sensible.
    #[cold]
    pub(super) fn too_much(&mut self, span: Span) {
        let message = "this expression is too large, with the defaults and constants that it uses";
        let diagnostic = Diagnostic::error(errors::TOO_LARGE, span, message);
        if !std::mem::replace(&mut self.program.gave_up, true) {
            self.program.diagnostics.push(diagnostic);
        }
    }

    fn expression(&mut self, written: &'a ast::Expr<'a>, hint: Option<Ty>) -> ExprId {
        let span = written.span;
        match written.kind {
            ast::ExprKind::Literal(literal) => self.literal(literal, span, hint),
            ast::ExprKind::Name(name) => self.name(name, span),
            ast::ExprKind::None => {
                let message =
                    "`none` stands only as the argument of an optional parameter, and in `== none` and `!= none`";
                self.fail(errors::BAD_NONE, span, message)
            }
            ast::ExprKind::Unary { op, op_span, operand } => self.unary(op, op_span, operand, span, hint),
            ast::ExprKind::IncDec { op, position, op_span, operand } => self.step(op, position, op_span, operand, span),
            ast::ExprKind::Infix { first, rest } => self.infix(first, rest, hint),
            ast::ExprKind::Conditional { condition, yes, no } => self.conditional(condition, yes, no, span, hint),
            ast::ExprKind::Cast { operand, ty } => self.cast(operand, ty, span),
            ast::ExprKind::Call { callee, args } => self.call(callee, args, span, hint),
            ast::ExprKind::MethodCall { receiver, method, args } => self.method(receiver, method, args, span),
            ast::ExprKind::Field { base, name } => self.field_access(base, name, span),
            ast::ExprKind::Index { base, index } => self.index(base, index, span),
            ast::ExprKind::StructLiteral { name, fields, rest } => self.struct_literal(name, fields, rest, span),
            ast::ExprKind::ArrayList(elements) => self.array_list(elements, span, hint),
            ast::ExprKind::ArrayRepeat { value, count } => self.array_repeat(value, count, span, hint),
            ast::ExprKind::Closure(_) => {
                let message =
                    "a closure stands only as the argument of a parameter of function type, or behind `let name =`";
                self.fail(errors::BAD_CLOSURE, span, message)
            }
            ast::ExprKind::SizeOf(ty) => self.size_of(ty, span),
            ast::ExprKind::OffsetOf { ty, path } => self.offset_of(ty, path, span),
        }
    }

    fn name(&mut self, name: Name, span: Span) -> ExprId {
        if let Some(local) = self.local(name) {
            return self.local_use(local, span);
        }
        if self.forbidden.contains(&name) {
            let text = self.program.text(name);
            let message = format!("a default cannot use the parameter `{text}`");
            return self.fail(errors::UNKNOWN_NAME, span, message);
        }
        let text = self.program.text(name);
        match self.program.find(name, self.file) {
            Found::Defs(defs) => match defs[0] {
                Def::Constant(id) => {
                    if !self.program.ensure_constant(id, span) {
                        return self.poison(span);
                    }
                    let ty = self.program.constants[id.index()].ty;
                    self.add(ExprKind::Constant(id), ty, span)
                }
                Def::Binding(id) => self.binding_use(id, span),
                def => {
                    let (what, help) = match def {
                        Def::Function(_) => {
                            let help = format!(
                                "call it: `{text}(…)`; as a value it stands only as the argument of a parameter of function type"
                            );
                            ("a function", Some(help))
                        }
                        Def::Struct(_) => ("a struct", Some(format!("make one: `{text} {{ … }}`"))),
                        Def::Enum(_) => ("an enum", Some(format!("name a case: `{text}.Case`"))),
                        _ => ("a bitfield", Some(format!("make one: `{text} {{ … }}`"))),
                    };
                    let mut diagnostic =
                        Diagnostic::error(errors::WRONG_KIND_OF_NAME, span, format!("`{text}` is {what}, not a value"));
                    diagnostic.help = help;
                    self.report(diagnostic);
                    self.poison(span)
                }
            },
            Found::Lost => self.poison(span),
            Found::Private(def) => {
                self.program.report_private(def, span);
                self.poison(span)
            }
            // In an item that could not be read whole, a stray word is most likely no name at all.
            Found::Nothing if !self.intact => self.poison(span),
            Found::Nothing => {
                if plain_type(text).is_some() {
                    return self.fail(errors::WRONG_KIND_OF_NAME, span, format!("`{text}` is a type, not a value"));
                }
                if Builtin::function(text).is_some() || text == "mul" {
                    let message = format!("`{text}` is a function, not a value");
                    return self.fail(errors::WRONG_KIND_OF_NAME, span, message);
                }
                let constants = self.program.visible_names(self.file, |def| {
                    matches!(def, Def::Constant(_) | Def::Binding(_) | Def::Enum(_) | Def::Function(_))
                });
                let diagnostic = Diagnostic::error(errors::UNKNOWN_NAME, span, format!("unknown name `{text}`"));
                let candidates: Vec<&str> = self.local_names().chain(constants).collect();
                if let Some(case) = self.case_of_some_enum(name) {
                    self.report(diagnostic.help(format!("a case is named with its enum: `{case}`")));
                    return self.poison(span);
                }
                let foreign = [foreign::Place::Value, foreign::Place::Type, foreign::Place::Function]
                    .into_iter()
                    .find_map(|place| foreign::help(place, text));
                self.report(match foreign {
                    Some(help) => diagnostic.help(help),
                    None => suggest(diagnostic, text, candidates),
                });
                self.poison(span)
            }
        }
    }

    /// The full name of a visible enum's case called `name`.
    fn case_of_some_enum(&self, name: Name) -> Option<String> {
        let found = self.program.enums.iter().find(|info| {
            let item = info.source.item;
            let ast::ItemKind::Enum(written) = item.kind else { return false };
            written.cases.iter().any(|case| case.name.name == name)
                && matches!(self.program.find(item.name.name, self.file), Found::Defs(_))
        });
        let enum_name = self.program.text(found?.source.item.name.name);
        Some(format!("{enum_name}.{}", self.program.text(name)))
    }

    fn unary(
        &mut self,
        op: UnaryOp,
        op_span: Span,
        operand: &'a ast::Expr<'a>,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        if op == UnaryOp::Negate
            && let ast::ExprKind::Literal(literal) = operand.kind
            && let Some(id) = self.negated_literal(literal, span, hint)
        {
            return id;
        }
        let hint = match op {
            UnaryOp::Negate => hint,
            UnaryOp::Not => Some(Ty::BOOL),
            UnaryOp::BitNot => self.integer_hint(hint),
        };
        let id = self.value(operand, hint);
        let id = self.as_number(id);
        let ty = self.ty(id);
        if ty == Ty::ERROR {
            return self.poison(span);
        }
        let kind = self.kind(ty);
        let scalar = kind.scalar();
        let (sign, ir, fits) = match op {
            UnaryOp::Negate => ("-", AkariOp::Neg, scalar.is_some_and(|scalar| scalar != Scalar::Bool)),
            UnaryOp::Not => ("!", AkariOp::Not, scalar == Some(Scalar::Bool)),
            UnaryOp::BitNot => ("~", AkariOp::BitNot, scalar.is_some_and(Scalar::is_integer)),
        };
        if !fits {
            let message = format!("`{sign}` does not take `{}`", self.show(ty));
            let mut diagnostic = Diagnostic::error(errors::BAD_OPERANDS, op_span, message);
            if op == UnaryOp::Not && scalar.is_some_and(Scalar::is_integer) {
                diagnostic = diagnostic.help("compare with zero (`x == 0`), or use `~` for the bits");
            }
            self.report(diagnostic);
            return self.poison(span);
        }
        self.add(ExprKind::Unary(ir, id), ty, span)
    }

    fn step(
        &mut self,
        op: IncDecOp,
        position: IncDecPosition,
        op_span: Span,
        operand: &'a ast::Expr<'a>,
        span: Span,
    ) -> ExprId {
        let sign = if op == IncDecOp::Increment { "++" } else { "--" };
        let place = self.value(operand, None);
        let ty = self.ty(place);
        if ty == Ty::ERROR {
            return self.poison(span);
        }
        match self.kind(ty) {
            TyKind::Scalar(scalar) if scalar != Scalar::Bool => {}
            _ => {
                let message = format!("`{sign}` takes a number, not `{}`", self.show(ty));
                return self.fail(errors::BAD_OPERANDS, op_span, message);
            }
        }
        if !self.check_assignable(place, true) {
            return self.poison(span);
        }
        let op = if op == IncDecOp::Increment { AkariOp::Add } else { AkariOp::Sub };
        self.add(ExprKind::Step { place, op, postfix: position == IncDecPosition::Postfix }, ty, span)
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr<'a>,
        yes: &'a ast::Expr<'a>,
        no: &'a ast::Expr<'a>,
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let condition_id = self.held(condition, Some(Ty::BOOL));
        // An unsuffixed literal takes the type of the other arm.
        let (yes_id, no_id) = match (Flexible::of(yes), Flexible::of(no)) {
            (Some(a), Some(b)) => {
                let hint = self.flexible_hint(a.max(b), hint);
                (self.held(yes, hint), self.held(no, hint))
            }
            (Some(_), None) => {
                let no = self.held(no, hint);
                (self.held(yes, Some(self.ty(no))), no)
            }
            (None, Some(_)) => {
                let yes = self.held(yes, hint);
                (yes, self.held(no, Some(self.ty(yes))))
            }
            (None, None) => {
                let yes = self.held(yes, hint);
                let hint = if hint.is_some() { hint } else { Some(self.ty(yes)) };
                (yes, self.held(no, hint))
            }
        };
        let (yes_id, no_id) = self.same_type(yes_id, no_id);
        let (ty, other) = (self.ty(yes_id), self.ty(no_id));
        let condition_ty = self.ty(condition_id);
        if ty == Ty::ERROR || other == Ty::ERROR {
            if !matches!(
                self.kind(condition_ty),
                TyKind::Error | TyKind::Scalar(Scalar::Bool) | TyKind::Vector(Scalar::Bool, _)
            ) {
                let spelled = self.spelled(condition_id);
                self.bad_condition(condition.span, "the condition", condition_ty, &spelled);
            }
            return self.poison(span);
        }
        match self.kind(condition_ty) {
            TyKind::Error => self.poison(span),
            TyKind::Scalar(Scalar::Bool) => {
                if ty != other {
                    let message =
                        format!("the arms of `?:` differ in type: `{}` and `{}`", self.show(ty), self.show(other));
                    return self.fail(errors::TYPE_MISMATCH, span, message);
                }
                if let TyKind::Function(_) = self.kind(ty) {
                    let message = "`?:` cannot choose a function";
                    let diagnostic = Diagnostic::error(errors::BAD_TYPE, span, message)
                        .help("choose in a closure that calls the one or the other");
                    self.report(diagnostic);
                    return self.poison(span);
                }
                if self.holds_resources(ty) {
                    let message = format!("`?:` cannot choose {}", self.one(ty));
                    self.resource_error(
                        errors::BAD_TYPE,
                        span,
                        message,
                        "choose between values that are read from each",
                    );
                    return self.poison(span);
                }
                self.add(ExprKind::Conditional(condition_id, yes_id, no_id), ty, span)
            }
            TyKind::Vector(Scalar::Bool, width) => {
                let (Some(a), Some(b)) = (self.kind(ty).scalar(), self.kind(other).scalar()) else {
                    return self.vector_condition(condition.span, condition_ty, ty, other);
                };
                let fits = |of: Option<u8>| of == Some(1) || of == Some(width);
                // There are no vectors of `uint64`.
                if a != b || a == Scalar::U64 || !fits(self.kind(ty).width()) || !fits(self.kind(other).width()) {
                    return self.vector_condition(condition.span, condition_ty, ty, other);
                }
                let ty = self.vector(a, width);
                let (yes, no) = (self.splat_to(yes_id, width), self.splat_to(no_id, width));
                self.add(ExprKind::Select(condition_id, yes, no), ty, span)
            }
            _ => {
                let spelled = self.spelled(condition_id);
                self.bad_condition(condition.span, "the condition", condition_ty, &spelled);
                self.poison(span)
            }
        }
    }

    /// The error about a condition that is no `bool`, but `spelled` of type `ty`.
    fn bad_condition(&mut self, span: Span, what: &str, ty: Ty, spelled: &str) {
        let message = format!("{what} must be `bool`, not `{}`", self.show(ty));
        let diagnostic = Diagnostic::error(errors::TYPE_MISMATCH, span, message);
        self.report(match self.kind(ty) {
            TyKind::Vector(Scalar::Bool, _) => diagnostic.help("use `any(…)` or `all(…)`"),
            TyKind::Scalar(scalar) if scalar.is_float() => diagnostic.help(format!("compare it: `{spelled} != 0.0`")),
            TyKind::Scalar(_) => diagnostic.help(format!("compare it: `{spelled} != 0`")),
            TyKind::Vector(..) => diagnostic.help("compare it, and use `any(…)` or `all(…)`"),
            _ => diagnostic,
        });
    }

    fn vector_condition(&mut self, span: Span, condition: Ty, yes: Ty, no: Ty) -> ExprId {
        let message =
            format!("{} cannot choose between `{}` and `{}`", self.one(condition), self.show(yes), self.show(no));
        self.fail(errors::TYPE_MISMATCH, span, message)
    }

    /// Two values of which one may be an enum or bitfield beside another's integer.
    fn same_type(&mut self, a: ExprId, b: ExprId) -> (ExprId, ExprId) {
        if self.ty(a) == self.ty(b) {
            return (a, b);
        }
        (self.as_number(a), self.as_number(b))
    }

    /// A scalar in every component of a vector; a vector as it is.
    pub(super) fn splat_to(&mut self, id: ExprId, width: u8) -> ExprId {
        match self.ty_kind(id) {
            TyKind::Scalar(scalar) if width > 1 => {
                let (ty, span) = (self.vector(scalar, width), self.span(id));
                self.add(ExprKind::Splat(id), ty, span)
            }
            _ => id,
        }
    }

    fn cast(&mut self, operand: &'a ast::Expr<'a>, ty: ast::Ident, span: Span) -> ExprId {
        let text = self.program.text(ty.name);
        let Some(target) = self.type_named(ty.name, ty.span) else {
            let diagnostic = self.unknown_type(text, ty.span);
            self.report(diagnostic);
            self.value(operand, None);
            return self.poison(span);
        };
        let hint = self.conversion_hint(operand, target);
        let id = self.value(operand, hint);
        self.convert(id, target, span)
    }

    /// The type that a literal takes where it is converted at once.
    pub(super) fn conversion_hint(&self, operand: &ast::Expr<'_>, target: Ty) -> Option<Ty> {
        let scalar = self.kind(self.program.underlying(target).unwrap_or(target)).scalar()?;
        match Flexible::of(operand)? {
            // `uint(-1)` wraps: the literal is an `int` there. `uint(3000000000)` is one `uint`.
            Flexible::Int if scalar.is_integer() => {
                matches!(operand.kind, ast::ExprKind::Literal(_)).then_some(Ty::scalar(scalar))
            }
            Flexible::Int | Flexible::Float if scalar.is_float() => Some(Ty::scalar(scalar)),
            Flexible::Int | Flexible::Bits | Flexible::Float => None,
        }
    }

    /// `id as target`.
    pub(super) fn convert(&mut self, id: ExprId, target: Ty, span: Span) -> ExprId {
        let from = self.ty(id);
        if from == Ty::ERROR || target == Ty::ERROR {
            return self.poison(span);
        }
        if from == target {
            return self.as_value(id, span);
        }
        let bad = |checker: &mut Self| {
            let message = format!("cannot convert `{}` to `{}`", checker.show(from), checker.show(target));
            let mut diagnostic = Diagnostic::error(errors::BAD_CAST, span, message);
            if let (TyKind::Vector(_, a), TyKind::Vector(_, b)) = (checker.kind(from), checker.kind(target))
                && a > b
            {
                diagnostic = diagnostic.help(format!("take the components: `.{}`", &"xyzw"[..usize::from(b)]));
            }
            if let (Some(underlying), TyKind::Scalar(scalar)) = (checker.program.underlying(target), checker.kind(from))
                && scalar.is_integer()
            {
                let (integer, value) = (checker.show(underlying), checker.spelled(id));
                diagnostic =
                    diagnostic.help(format!("convert it twice: `{integer}({value}) as {}`", checker.show(target)));
            }
            checker.report(diagnostic);
            checker.poison(span)
        };
        // An integer becomes an enum or bitfield of the same integer type only.
        if let Some(underlying) = self.program.underlying(target) {
            let number = self.as_number(id);
            if self.ty(number) != underlying {
                return bad(self);
            }
            return self.add(ExprKind::Reinterpret(number), target, span);
        }
        let number = self.as_number(id);
        let from_kind = self.ty_kind(number);
        match (from_kind, self.kind(target)) {
            (TyKind::Scalar(_), TyKind::Scalar(_)) => {}
            (TyKind::Vector(_, a), TyKind::Vector(_, b)) if a == b => {}
            _ => return bad(self),
        }
        if self.ty(number) == target {
            return self.as_value(number, span);
        }
        self.add(ExprKind::Convert(number), target, span)
    }

    /// What a conversion that changes nothing gives: a value, where its operand may be a variable that could be assigned to.
    pub(super) fn as_value(&mut self, id: ExprId, span: Span) -> ExprId {
        let expr = self.body.expr(id);
        let ty = expr.ty;
        let variable = matches!(
            expr.kind,
            ExprKind::Local(_)
                | ExprKind::Constant(_)
                | ExprKind::Field(..)
                | ExprKind::Bits(..)
                | ExprKind::Swizzle(..)
                | ExprKind::Index(..)
                | ExprKind::Contents(_)
        );
        if variable && !self.holds_resources(ty) { self.add(ExprKind::Reinterpret(id), ty, span) } else { id }
    }

    /// The use of a local, whose name was found.
    pub(super) fn local_use(&mut self, local: super::tree::LocalId, span: Span) -> ExprId {
        if self.untyped_closures.contains_key(&local) {
            return self.untyped_as_value(local, span);
        }
        let info = *self.body.local(local);
        if info.kind == LocalKind::DeferredLet && !self.flow.is_assigned(local) && self.intact {
            let text = self.program.text(info.name);
            let message = if self.flow.may_be_assigned(local) {
                format!("`{text}` is not assigned on every path to here")
            } else {
                format!("`{text}` is read before it is assigned")
            };
            let diagnostic = Diagnostic::error(errors::NOT_ASSIGNED, span, message)
                .note_at(info.span, format!("`{text}` is declared here, without a value"));
            self.report(diagnostic);
            self.flow.tell(local);
        }
        self.capture(local);
        self.add(ExprKind::Local(local), info.ty, span)
    }
}
