//! The checker of one body: a function's, or that of a single expression (a constant, a default). Its parts are spread over
//! this folder: expressions, calls, places, statements.

use std::ops::Range;

use akari_ir::entity::ConstId;
use akari_ir::{Code, Diagnostic, Scalar, Span};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::closures::{Frame, NamedClosure};
use super::errors;
use super::flow::Flow;
use super::program::{Def, Program, Request};
use super::tree::{Body, Expr, ExprId, ExprKind, Local, LocalId, LocalKind};
use super::types::{FunctionId, Ty, TyKind};
use super::untyped_closures::UntypedClosure;
use crate::syntax::ast;
use crate::syntax::names::Name;

/// What jumps have to leave.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nesting {
    /// Loops around.
    pub(super) loops: u32,
}

/// The checker of one body.
pub(super) struct Checker<'c, 'a> {
    pub(super) program: &'c mut Program<'a>,
    /// The file whose names are seen.
    pub(super) file: usize,
    pub(super) body: Body,
    /// What the function gives.
    pub(super) result: Ty,
    /// Whether the first `return` of a closure says what it gives.
    pub(super) infers_result: bool,
    /// The closures around, the innermost last.
    pub(super) frames: Vec<Frame>,
    /// The closures that `let`s are bound to.
    pub(super) named_closures: FxHashMap<LocalId, NamedClosure>,
    /// Those of them whose parameters have no types.
    pub(super) untyped_closures: FxHashMap<LocalId, UntypedClosure<'a>>,
    /// The numbers of locals that are not seen: those declared after a closure that is checked where it is used.
    pub(super) hidden: Vec<Range<u32>>,
    /// Whether everything of the item could be read: if not, what may come of that is not reported.
    pub(super) intact: bool,
    pub(super) flow: Flow,
    pub(super) nesting: Nesting,
    pub(super) targets: Vec<super::stmt::Target>,
    pub(super) calls: Vec<(FunctionId, Span)>,
    /// Which functions are used as values.
    pub(super) values: Vec<FunctionId>,
    pub(super) requests: Vec<Request>,
    /// The locals of each name, the innermost last, each with the number of its scope.
    visible: FxHashMap<Name, SmallVec<[(usize, LocalId); 2]>>,
    /// The locals of each open scope.
    scopes: Vec<Vec<LocalId>>,
    /// Names that may not be used here, as parameters in a default of one of them.
    pub(super) forbidden: Vec<Name>,
}

impl<'c, 'a> Checker<'c, 'a> {
    pub(super) fn new(program: &'c mut Program<'a>, file: usize, intact: bool) -> Self {
        Self {
            program,
            file,
            body: Body::default(),
            result: Ty::NOTHING,
            infers_result: false,
            frames: Vec::new(),
            named_closures: FxHashMap::default(),
            untyped_closures: FxHashMap::default(),
            hidden: Vec::new(),
            intact,
            flow: Flow::default(),
            nesting: Nesting::default(),
            targets: Vec::new(),
            calls: Vec::new(),
            values: Vec::new(),
            requests: Vec::new(),
            visible: FxHashMap::default(),
            scopes: vec![Vec::new()],
            forbidden: Vec::new(),
        }
    }

    // Diagnostics.

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.program.report(diagnostic);
    }

    pub(super) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    // Types.

    pub(super) fn kind(&self, ty: Ty) -> TyKind {
        self.program.kind(ty)
    }

    pub(super) fn show(&self, ty: Ty) -> String {
        self.program.show(ty)
    }

    /// A type's name with its article, as in "an `int`".
    pub(super) fn one(&self, ty: Ty) -> String {
        akari_ir::with_article(&self.show(ty))
    }

    pub(super) fn vector(&mut self, scalar: Scalar, width: u8) -> Ty {
        self.program.types.vector(scalar, width)
    }

    // Expressions.

    pub(super) fn add(&mut self, kind: ExprKind, ty: Ty, span: Span) -> ExprId {
        self.capture_lengths(ty);
        self.body.add(Expr { ty, span, kind })
    }

    pub(super) fn poison(&mut self, span: Span) -> ExprId {
        self.add(ExprKind::Error, Ty::ERROR, span)
    }

    /// Reports an error and gives the expression that stands for it.
    pub(super) fn fail(&mut self, code: Code, span: Span, message: impl Into<String>) -> ExprId {
        self.error(code, span, message);
        self.poison(span)
    }

    pub(super) fn ty(&self, id: ExprId) -> Ty {
        self.body.expr(id).ty
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.body.expr(id).span
    }

    pub(super) fn ty_kind(&self, id: ExprId) -> TyKind {
        self.kind(self.ty(id))
    }

    pub(super) fn constant_expr(&mut self, value: ConstId, ty: Ty, span: Span) -> ExprId {
        self.add(ExprKind::Const(value), ty, span)
    }

    pub(super) fn scalar_expr(&mut self, scalar: Scalar, bits: u64, span: Span) -> ExprId {
        let value = self.program.module.scalar_constant(scalar, bits);
        self.constant_expr(value, Ty::scalar(scalar), span)
    }

    /// An enum or bitfield as its integer, a uniform as what it holds; anything else as it is.
    pub(super) fn as_number(&mut self, id: ExprId) -> ExprId {
        let id = self.contents(id);
        match self.program.underlying(self.ty(id)) {
            Some(underlying) => self.add(ExprKind::Reinterpret(id), underlying, self.span(id)),
            None => id,
        }
    }

    /// `id` where a value of type `to` is wanted, if it may stand there.
    pub(super) fn coerce(&mut self, id: ExprId, to: Ty) -> Option<ExprId> {
        let from = self.ty(id);
        if from == to || from == Ty::ERROR || to == Ty::ERROR {
            return Some(id);
        }
        if let TyKind::Buffer(akari_ir::BufferKind::Uniform, held) = self.kind(from) {
            let id = (held == to || self.program.underlying(held) == Some(to)).then(|| self.contents(id))?;
            return self.coerce(id, to);
        }
        (self.program.underlying(from) == Some(to)).then(|| self.as_number(id))
    }

    /// `id` where a value of type `to` is wanted; anything else is an error.
    pub(super) fn expect(&mut self, id: ExprId, to: Ty) -> ExprId {
        if let Some(id) = self.coerce(id, to) {
            return id;
        }
        let span = self.span(id);
        let diagnostic = self.mismatch(span, to, id);
        self.report(diagnostic);
        self.poison(span)
    }

    /// The error about a value of another type than wanted, `id`.
    pub(super) fn mismatch(&self, span: Span, wanted: Ty, id: ExprId) -> Diagnostic {
        let found = self.ty(id);
        let (wanted_name, found_name) = (self.show(wanted), self.show(found));
        let message = format!("expected `{wanted_name}`, found `{found_name}`");
        let diagnostic = Diagnostic::error(errors::TYPE_MISMATCH, span, message);
        let from = self.program.underlying(found).unwrap_or(found);
        let value = self.spelled(id);
        match (self.kind(wanted), self.kind(from)) {
            (_, TyKind::Buffer(_, element)) if element == wanted => {
                diagnostic.help(format!("take one of its elements: `{value}[i]`"))
            }
            (TyKind::Function(_), kind) if !matches!(kind, TyKind::Function(_)) => {
                diagnostic.help("pass a function by its name, or a closure: `|x| …`")
            }
            (TyKind::Enum(_) | TyKind::Bitfield(_), TyKind::Scalar(_))
                if self.program.underlying(wanted) == Some(from) =>
            {
                diagnostic.help(format!("convert it: `{value} as {wanted_name}`"))
            }
            (wanted, from) => match (wanted.width(), from.width()) {
                (Some(a), Some(b)) if a == b => diagnostic.help(format!("convert it: `{wanted_name}({value})`")),
                (Some(_), Some(1)) if wanted.scalar() == from.scalar() => {
                    diagnostic.help(format!("fill every component: `{wanted_name}({value})`"))
                }
                (Some(a), Some(b)) if a < b && wanted.scalar() == from.scalar() => {
                    let value = if value == "…" { "" } else { &value };
                    diagnostic.help(format!("take its components: `{value}.{}`", &"xyzw"[..usize::from(a)]))
                }
                (Some(a), Some(b)) if a < b => diagnostic.help(format!(
                    "take its components, and convert them: `{wanted_name}({value}.{})`",
                    &"xyzw"[..usize::from(a)]
                )),
                (Some(a), Some(b)) => {
                    let missing = ", …".repeat(usize::from(a - b));
                    diagnostic.help(format!("add what is missing: `{wanted_name}({value}{missing})`"))
                }
                _ => diagnostic,
            },
        }
    }

    /// A value as the source spells it, where that is a name or a field of one; else `…`.
    pub(super) fn spelled(&self, id: ExprId) -> String {
        match self.body.expr(id).kind {
            ExprKind::Local(local) => self.program.text(self.body.local(local).name).to_owned(),
            ExprKind::Constant(constant) => {
                let item = self.program.constants[constant.index()].source.item;
                self.program.text(item.name.name).to_owned()
            }
            ExprKind::Binding(binding) => {
                let item = self.program.bindings[binding.index()].source.item;
                self.program.text(item.name.name).to_owned()
            }
            ExprKind::Swizzle(base, components) => match self.spelled(base) {
                base if base == "…" => base,
                base => format!("{base}.{}", components.spelled()),
            },
            ExprKind::Contents(inner) | ExprKind::Reinterpret(inner) => self.spelled(inner),
            ExprKind::Field(base, field) => match (self.spelled(base), self.ty_kind(base)) {
                (base, TyKind::Struct(of)) if base != "…" => {
                    let field = &self.program.structs[of.index()].fields[field as usize];
                    format!("{base}.{}", self.program.text(field.name))
                }
                _ => "…".to_owned(),
            },
            _ => "…".to_owned(),
        }
    }

    // Locals.

    pub(super) fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    pub(super) fn close_scope(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        if let Some(first) = scope.first() {
            self.flow.forget(*first);
        }
        for local in scope {
            self.forget_untyped(local);
            let name = self.body.local(local).name;
            if let Some(stack) = self.visible.get_mut(&name) {
                stack.pop();
            }
        }
    }

    pub(super) fn local(&self, name: Name) -> Option<LocalId> {
        let is_hidden = |local: &LocalId| self.hidden.iter().any(|hidden| hidden.contains(&local.0));
        self.visible.get(&name)?.iter().rev().map(|(_, local)| *local).find(|local| !is_hidden(local))
    }

    /// Declares a local in the innermost scope, where its name must be new.
    pub(super) fn declare(&mut self, name: Name, ty: Ty, kind: LocalKind, span: Span) -> LocalId {
        let depth = self.scopes.len();
        let taken = self.visible.get(&name).and_then(|stack| stack.last()).copied();
        if let Some((_, other)) = taken.filter(|(scope, _)| *scope == depth) {
            let text = self.program.text(name);
            let diagnostic =
                Diagnostic::error(errors::DUPLICATE_NAME, span, format!("`{text}` is already declared in this block"))
                    .note_at(self.body.local(other).span, format!("the other `{text}`"));
            self.report(diagnostic);
        }
        self.capture_lengths(ty);
        let id = LocalId(self.body.locals.len() as u32);
        self.body.locals.push(Local { name, ty, kind, span, depth: self.frames.len() as u32 });
        self.visible.entry(name).or_default().push((depth, id));
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(id);
        }
        id
    }

    /// The names of the locals in scope.
    pub(super) fn local_names(&self) -> impl Iterator<Item = &'a str> + use<'a, '_> {
        let names = self.program.names;
        let scopes = if self.program.may_suggest() { self.scopes.as_slice() } else { &[] };
        scopes.iter().flatten().map(move |local| names.text(self.body.local(*local).name))
    }

    /// The value of a default of `def`, which was checked where it is written: no locals are seen, and nothing is reported.
    /// `check` is given the default and says what it must be.
    pub(super) fn default(
        &mut self,
        def: Def,
        default: &'a ast::Expr<'a>,
        check: impl FnOnce(&mut Self, &'a ast::Expr<'a>) -> ExprId,
    ) -> ExprId {
        let source = self.program.source(def);
        if self.program.expanding.contains(&def) {
            let name = self.program.text(source.item.name.name);
            let message = format!("a default of `{name}` needs itself");
            self.program.diagnostics.push(Diagnostic::error(errors::DEFINITION_CYCLE, default.span, message));
            return self.poison(default.span);
        }
        if self.program.gave_up {
            return self.poison(default.span);
        }
        self.program.expanding.push(def);
        let value = self.elsewhere(source.file, |checker| check(checker, default));
        self.program.expanding.pop();
        value
    }

    /// What `check` finds, as if it had not run: nothing is reported, and no call, request, closure or local of it stays. It may be
    /// used where one function of several is chosen.
    pub(super) fn tentatively<R>(&mut self, check: impl FnOnce(&mut Self) -> R) -> R {
        let (calls, values, requests) = (self.calls.len(), self.values.len(), self.requests.len());
        let (closures, locals) = (self.body.closures.len(), self.body.locals.len());
        self.program.muted += 1;
        let result = check(self);
        self.program.muted -= 1;
        self.calls.truncate(calls);
        self.values.truncate(values);
        self.requests.truncate(requests);
        self.body.closures.truncate(closures);
        self.body.locals.truncate(locals);
        result
    }

    /// Runs `check` as if it stood at the top of `file`: no locals are seen and nothing is reported. What it makes goes
    /// into this body.
    fn elsewhere<R>(&mut self, file: usize, check: impl FnOnce(&mut Self) -> R) -> R {
        let visible = std::mem::take(&mut self.visible);
        let scopes = std::mem::replace(&mut self.scopes, vec![Vec::new()]);
        let here = std::mem::replace(&mut self.file, file);
        self.program.muted += 1;
        let result = check(self);
        self.program.muted -= 1;
        self.file = here;
        self.scopes = scopes;
        self.visible = visible;
        result
    }
}
