//! Places: what may be assigned to and borrowed, and when two borrows overlap.

use akari_ir::interface::PassMode;
use akari_ir::types::BufferKind;
use akari_ir::{Diagnostic, Span, with_article};

use super::checker::Checker;
use super::errors;
use super::tree::{ExprId, ExprKind, LocalId, LocalKind};
use super::types::TyKind;

/// One step from a variable to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Projection {
    Field(u32),
    /// An element, by its index if that is constant.
    Element(Option<i64>),
}

/// A part of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    pub(super) root: LocalId,
    pub(super) steps: Vec<Projection>,
}

impl Path {
    /// Whether the two may be, or share, memory.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.root == other.root
            && self.steps.iter().zip(&other.steps).all(|(a, b)| match (a, b) {
                (Projection::Field(a), Projection::Field(b)) => a == b,
                (Projection::Element(Some(a)), Projection::Element(Some(b))) => a == b,
                _ => true,
            })
    }
}

impl<'a> Checker<'_, 'a> {
    /// Whether the expression may be assigned to; if not, why not is reported. `reads` says that its old value is used too.
    pub(super) fn check_assignable(&mut self, id: ExprId, reads: bool) -> bool {
        match self.why_not_assignable(id, reads, "assigned to") {
            None => {
                self.note_write(id);
                true
            }
            Some(diagnostic) => {
                self.report(diagnostic);
                false
            }
        }
    }

    fn why_not_assignable(&self, id: ExprId, reads: bool, what: &str) -> Option<Diagnostic> {
        let expr = self.body.expr(id);
        let code = errors::NOT_ASSIGNABLE;
        match &expr.kind {
            ExprKind::Error | ExprKind::TargetValue => None,
            ExprKind::Local(id) => {
                let local = self.body.local(*id);
                let name = self.program.text(local.name);
                let (why, help) = match local.kind {
                    LocalKind::Groupshared if self.is_captured(*id) => {
                        ("is `@groupshared`, which a closure only reads,", None)
                    }
                    LocalKind::Var | LocalKind::Inout | LocalKind::Groupshared => return None,
                    LocalKind::Parameter if matches!(self.kind(local.ty), TyKind::Function(_)) => {
                        ("is a function", None)
                    }
                    LocalKind::Let if matches!(self.kind(local.ty), TyKind::Function(_)) => ("is a closure", None),
                    LocalKind::ConstParameter => ("is a `const` parameter", None),
                    LocalKind::Optional => ("is a resource", None),
                    LocalKind::Parameter if self.kind(local.ty).is_handle() => ("is a resource", None),
                    LocalKind::Parameter | LocalKind::Let if self.holds_resources(local.ty) => (
                        "is a context",
                        Some(format!("make another of it: `{} {{ field: value, ..{name} }}`", self.show(local.ty))),
                    ),
                    LocalKind::Parameter => ("is a parameter", Some(format!("copy it: `var {name} = {name};`"))),
                    LocalKind::Ref => ("is a `ref` parameter", Some("declare it `inout`".to_owned())),
                    LocalKind::Let | LocalKind::DeferredLet => {
                        ("is a `let`", Some(format!("declare it with `var`: `var {name}`")))
                    }
                    LocalKind::Const(_) | LocalKind::OpenConst(_) => {
                        ("is a constant", Some(format!("declare it with `var`: `var {name}`")))
                    }
                };
                let mut diagnostic = Diagnostic::error(code, expr.span, format!("`{name}` {why} and cannot be {what}"))
                    .note_at(local.span, format!("`{name}` is declared here"));
                diagnostic.help = help;
                Some(diagnostic)
            }
            ExprKind::Field(base, _) => self.why_not_assignable(*base, reads, what),
            ExprKind::Bits(base, _) => {
                if reads {
                    let message =
                        format!("`{}` is a field of a bitfield and takes a plain `=` only", self.bits_name(id));
                    return Some(Diagnostic::error(code, expr.span, message).help("write `w.field = w.field + …`"));
                }
                self.why_not_assignable(*base, reads, what)
            }
            ExprKind::Swizzle(base, components) => {
                let list = components.as_slice();
                if let Some(index) = (0..list.len()).find(|index| list[..*index].contains(&list[*index])) {
                    let written = components.text();
                    let letter = &written[index..=index];
                    let message = format!("the component `{letter}` is written twice in `{written}`");
                    return Some(Diagnostic::error(errors::BAD_SWIZZLE, expr.span, message));
                }
                self.why_not_assignable(*base, reads, what)
            }
            ExprKind::Index(base, _) if matches!(self.body.expr(*base).kind, ExprKind::Swizzle(..)) => {
                let message = "an element of a swizzle cannot be assigned to";
                Some(Diagnostic::error(code, expr.span, message).help("name the component"))
            }
            ExprKind::Index(base, _) => match self.ty_kind(*base) {
                TyKind::Buffer(BufferKind::Read | BufferKind::Uniform, _) => {
                    Some(self.read_only(*base, expr.span, what))
                }
                TyKind::Buffer(BufferKind::ReadWrite | BufferKind::Atomic, _) => None,
                TyKind::ResourceArray(element, _) | TyKind::OpenResourceArray(element, _) => {
                    let message = format!("this `{}` is a resource and cannot be {what}", self.show(element));
                    let mut diagnostic = Diagnostic::error(code, expr.span, message);
                    if let TyKind::StorageTexture(..) = self.kind(element) {
                        diagnostic = diagnostic.help("write one of its texels with `.store(coordinate, value)`");
                    }
                    Some(diagnostic)
                }
                _ => self.why_not_assignable(*base, reads, what),
            },
            ExprKind::Contents(buffer) => Some(self.read_only(*buffer, expr.span, what)),
            ExprKind::Constant(id) => {
                let name = self.program.text(self.program.constants[id.index()].source.item.name.name);
                Some(Diagnostic::error(code, expr.span, format!("`{name}` is a constant and cannot be {what}")))
            }
            ExprKind::Binding(id) => {
                let name = self.program.text(self.program.bindings[id.index()].source.item.name.name);
                let message = format!("`{name}` is a resource and cannot be {what}");
                Some(Diagnostic::error(code, expr.span, message))
            }
            ExprKind::EnumCase(..) => Some(Diagnostic::error(
                code,
                expr.span,
                format!("a case of an enum is a constant and cannot be {what}"),
            )),
            ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::Compare(..)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Conditional(..)
            | ExprKind::Select(..)
            | ExprKind::Convert(_)
            | ExprKind::Reinterpret(_)
            | ExprKind::Splat(_)
            | ExprKind::Construct(_)
            | ExprKind::Repeat(_)
            | ExprKind::Diagonal(_)
            | ExprKind::Update(..)
            | ExprKind::MakeBits(..)
            | ExprKind::Call(..)
            | ExprKind::LiftedCall(..)
            | ExprKind::CallValue(..)
            | ExprKind::Function(_)
            | ExprKind::Closure(_)
            | ExprKind::None
            | ExprKind::IsNone(_)
            | ExprKind::SizeOf { .. }
            | ExprKind::Builtin(..)
            | ExprKind::MaskedRay(..)
            | ExprKind::Atomic(..)
            | ExprKind::Step { .. } => Some(Diagnostic::error(
                code,
                expr.span,
                format!("this is a value, not a variable: it cannot be {what}"),
            )),
        }
    }

    /// The name of the bitfield's field that an expression is.
    fn bits_name(&self, id: ExprId) -> &'a str {
        let ExprKind::Bits(base, bits) = self.body.expr(id).kind else {
            return "";
        };
        let TyKind::Bitfield(bitfield) = self.ty_kind(base) else {
            return "";
        };
        let fields = &self.program.bitfields[bitfield.index()].fields;
        fields.values().find(|field| field.bits == bits).map_or("", |field| self.program.text(field.name))
    }

    fn read_only(&self, buffer: ExprId, span: Span, what: &str) -> Diagnostic {
        let ty = self.show(self.ty(buffer));
        let name = match self.body.expr(buffer).kind {
            ExprKind::Local(local) => {
                format!("`{}`", self.program.text(self.body.local(local).name))
            }
            ExprKind::Binding(id) => {
                let item = self.program.bindings[id.index()].source.item;
                format!("`{}`", self.program.text(item.name.name))
            }
            _ => "this buffer".into(),
        };
        let diagnostic = Diagnostic::error(
            errors::NOT_ASSIGNABLE,
            span,
            format!("{name} is {}: its contents cannot be {what}", with_article(&ty)),
        );
        if ty.starts_with("Buf<") { diagnostic.help(format!("declare it `Rw{ty}`")) } else { diagnostic }
    }

    /// Whether the expression may be the argument of a `ref` or `inout` parameter; if not, why not is reported.
    pub(super) fn check_borrow(&mut self, id: ExprId, mode: PassMode) -> bool {
        let word = if mode == PassMode::Inout { "inout" } else { "ref" };
        let span = self.span(id);
        let mut part = id;
        loop {
            match &self.body.expr(part).kind {
                ExprKind::Error => return false,
                ExprKind::Local(local) => {
                    let local = *self.body.local(*local);
                    let readable = mode == PassMode::Ref && !self.kind(local.ty).is_handle();
                    if readable {
                        return true;
                    }
                    break;
                }
                ExprKind::Constant(_) if mode == PassMode::Ref => return true,
                ExprKind::Constant(_) => break,
                ExprKind::Field(base, _) => part = *base,
                ExprKind::Index(base, _) => {
                    if let TyKind::Buffer(..) = self.ty_kind(*base) {
                        let diagnostic = Diagnostic::error(
                            errors::NOT_BORROWABLE,
                            span,
                            format!("an element of a buffer cannot be borrowed by `{word}`"),
                        )
                        .help("pass the buffer and the index, or a copy in a `var`");
                        self.report(diagnostic);
                        return false;
                    }
                    part = *base;
                }
                ExprKind::Contents(_) => {
                    let message = format!("the contents of a uniform buffer cannot be borrowed by `{word}`");
                    let diagnostic =
                        Diagnostic::error(errors::NOT_BORROWABLE, span, message).help("pass a copy in a `let`");
                    self.report(diagnostic);
                    return false;
                }
                ExprKind::Swizzle(base, components) if components.as_slice().len() == 1 => part = *base,
                ExprKind::Bits(..) => {
                    let message = format!(
                        "`{}` is a field of a bitfield and cannot be borrowed by `{word}`",
                        self.bits_name(part)
                    );
                    self.error(errors::NOT_BORROWABLE, span, message);
                    return false;
                }
                ExprKind::Swizzle(..) => {
                    let message = format!("several components cannot be borrowed together by `{word}`");
                    self.error(errors::NOT_BORROWABLE, span, message);
                    return false;
                }
                _ => {
                    let message = format!("what {} parameter takes must be a variable", with_article(word));
                    let diagnostic = Diagnostic::error(errors::NOT_BORROWABLE, span, message)
                        .help("keep the value in a `var` and pass that");
                    self.report(diagnostic);
                    return false;
                }
            }
        }
        match self.why_not_assignable(id, true, &format!("passed as `{word}`")) {
            None => {
                if mode == PassMode::Inout {
                    self.note_write(id);
                }
                true
            }
            Some(diagnostic) => {
                self.report(diagnostic);
                false
            }
        }
    }

    /// The part of a variable that an expression is, if it is one.
    pub(super) fn path(&mut self, id: ExprId) -> Option<Path> {
        match self.body.expr(id).kind {
            ExprKind::Local(root) => Some(Path { root, steps: Vec::new() }),
            ExprKind::Field(base, index) => {
                let mut path = self.path(base)?;
                path.steps.push(Projection::Field(index));
                Some(path)
            }
            ExprKind::Index(base, index) => {
                let mut path = self.path(base)?;
                path.steps.push(Projection::Element(self.integer_value(index)));
                Some(path)
            }
            ExprKind::Swizzle(base, components) => {
                let mut path = self.path(base)?;
                if let [component] = components.as_slice() {
                    path.steps.push(Projection::Element(Some(i64::from(*component))));
                }
                Some(path)
            }
            ExprKind::Bits(base, _) => self.path(base),
            _ => None,
        }
    }
}
