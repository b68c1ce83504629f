//! Methods of textures, brought into the canonical form of the IR.

use akari_dialect::builtins::{Builtin, Signature};
use akari_dialect::texture::{NoMethod, signature};
use akari_ir::types::{BufferKind, StorageFormat, TexelKind, TextureDim};
use akari_ir::{Diagnostic, Scalar, Span, TypeKind, with_article};

use super::checker::Checker;
use super::errors;
use super::open::Value;
use super::scope::suggest;
use super::tree::{Components, ExprId, ExprKind};
use super::types::{Ty, TyKind};
use crate::foreign;
use crate::syntax::ast;

impl<'a> Checker<'_, 'a> {
    /// `receiver.method(args)`.
    pub(super) fn method(
        &mut self,
        receiver: &'a ast::Expr<'a>,
        method: ast::Ident,
        args: &'a [ast::Arg<'a>],
        span: Span,
    ) -> ExprId {
        let texture = self.value(receiver, None);
        let name = self.program.text(method.name);
        let kind = self.ir_kind(self.ty(texture));
        if self.ty(texture) == Ty::ERROR {
            return self.method_arguments(args, span);
        }
        let builtin = match Builtin::method(name) {
            Some(Builtin::TextureSampleCmpLevelZero) | None => {
                self.unknown_method(texture, method);
                return self.method_arguments(args, span);
            }
            Some(builtin) => builtin,
        };
        let canonical = match signature(builtin, kind) {
            Ok(canonical) => canonical,
            Err(reason) => {
                self.no_method(texture, method, reason);
                return self.method_arguments(args, span);
            }
        };
        // What the canonical form always has, and the source may leave out.
        let optional = match (builtin, kind) {
            (Builtin::TextureLoad | Builtin::TextureDimensions, TypeKind::Texture(..)) => 1,
            (Builtin::TextureGather, TypeKind::Texture(_, texel)) if texel != TexelKind::Depth => 1,
            _ => 0,
        };
        let most = canonical.params.len();
        let counts: Vec<usize> = (most - optional..=most).collect();
        let depth = matches!(kind, TypeKind::Texture(_, TexelKind::Depth));
        if builtin == Builtin::TextureGather && depth && args.len() == 3 {
            let message = "a depth texture has one component: its `gather` takes none";
            self.error(errors::BAD_ARGUMENTS, args[2].value.span, message);
            return self.method_arguments(args, span);
        }
        if args.iter().all(|arg| arg.name.is_none())
            && !counts.contains(&args.len())
            && let Some(call) = builtin.def().call()
        {
            let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
            let message = format!("`{name}` takes {} arguments, not {}", counts.join(" or "), args.len());
            self.report(
                Diagnostic::error(errors::BAD_ARGUMENTS, span, message).help(format!("write `tex.{name}{call}`")),
            );
            return self.method_arguments(args, span);
        }
        if !self.check_count(name, args, &counts, span) {
            return self.method_arguments(args, span);
        }
        let takes_sampler = matches!(canonical.params.first(), Some(TypeKind::Sampler | TypeKind::SamplerCmp));
        if let [first, second, ..] = args
            && takes_sampler
            && !self.is_sampler(first.value)
            && self.is_sampler(second.value)
        {
            let diagnostic = Diagnostic::error(
                errors::BAD_ARGUMENTS,
                second.value.span,
                format!("the sampler is the first argument of `{name}`"),
            );
            self.report(diagnostic.help(format!("write `.{name}(sampler, coordinate, …)`")));
            return self.method_arguments(args, span);
        }
        let mut arguments = vec![texture];
        for (index, wanted) in canonical.params.iter().enumerate() {
            let argument = match args.get(index) {
                // What is left out has no text of its own.
                None => self.scalar_expr(Scalar::U32, 0, Span::new(span.file, span.end, span.end)),
                Some(arg) => self.method_argument(builtin, kind, index, *wanted, arg.value),
            };
            arguments.push(argument);
        }
        if arguments.iter().any(|id| self.ty(*id) == Ty::ERROR) {
            return self.poison(span);
        }
        let ty = match canonical.result {
            None => Ty::NOTHING,
            Some(kind) => self.ty_of_ir(kind),
        };
        self.add(ExprKind::Builtin(builtin, arguments.into()), ty, span)
    }

    /// Whether an argument names a sampler.
    fn is_sampler(&self, written: &ast::Expr<'a>) -> bool {
        let ast::ExprKind::Name(name) = written.kind else { return false };
        self.local(name)
            .is_some_and(|local| matches!(self.kind(self.body.local(local).ty), TyKind::Sampler | TyKind::SamplerCmp))
    }

    fn method_arguments(&mut self, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        for arg in args {
            self.any(arg.value, None);
        }
        self.poison(span)
    }

    /// One argument, as the canonical form wants it.
    fn method_argument(
        &mut self,
        builtin: Builtin,
        texture: TypeKind,
        index: usize,
        wanted: TypeKind,
        written: &'a ast::Expr<'a>,
    ) -> ExprId {
        let wanted_ty = self.ty_of_ir(wanted);
        if builtin == Builtin::TextureStore && index == 1 {
            return self.stored_value(texture, wanted, written);
        }
        let id = self.value(written, Some(wanted_ty));
        if let Some(id) = self.coerce(id, wanted_ty) {
            if builtin == Builtin::TextureGather && index == 2 {
                return self.gather_component(id, written.span);
            }
            return id;
        }
        let id = self.as_number(id);
        // Coordinates and levels may be signed.
        if wanted.scalar() == Some(Scalar::U32)
            && self.ty_kind(id).scalar() == Some(Scalar::I32)
            && self.ty_kind(id).width() == wanted.width()
        {
            let converted = self.add(ExprKind::Convert(id), wanted_ty, written.span);
            if builtin == Builtin::TextureGather && index == 2 {
                return self.gather_component(converted, written.span);
            }
            return converted;
        }
        let mut diagnostic = self.mismatch(written.span, wanted_ty, id);
        match (wanted, self.ty_kind(id)) {
            (TypeKind::SamplerCmp, TyKind::Sampler) => {
                diagnostic = diagnostic.help("a comparison takes a `@sampler(comparison, …)`");
            }
            (TypeKind::Sampler, TyKind::SamplerCmp) => {
                diagnostic = diagnostic.help("a comparison sampler serves `sample_cmp` and `gather_cmp` only");
            }
            _ => {}
        }
        self.report(diagnostic);
        self.poison(written.span)
    }

    fn gather_component(&mut self, id: ExprId, span: Span) -> ExprId {
        match self.require_value(id, "the component of a `gather`") {
            Some(Value::Known(_)) => {}
            Some(Value::Open(_)) => return id,
            None => return self.poison(span),
        }
        match self.integer_value(id) {
            Some(component @ 0..=3) => self.scalar_expr(Scalar::U32, component as u64, span),
            Some(other) => {
                let message = format!("the component of a `gather` is 0, 1, 2 or 3, not {other}");
                self.fail(errors::INDEX_RANGE, span, message)
            }
            None => self.poison(span),
        }
    }

    /// The value of a `store`: at least as many components as the format has; those beyond are dropped.
    fn stored_value(&mut self, texture: TypeKind, wanted: TypeKind, written: &'a ast::Expr<'a>) -> ExprId {
        let (scalar, channels) = (wanted.scalar().unwrap_or(Scalar::F32), wanted.width().unwrap_or(4));
        let id = self.value(written, Some(Ty::scalar(scalar)));
        let id = self.as_number(id);
        let found = self.ty_kind(id);
        if found == TyKind::Error {
            return id;
        }
        let (Some(of), Some(width)) = (found.scalar(), found.width()) else {
            let wanted = self.ty_of_ir(wanted);
            return self.expect(id, wanted);
        };
        if of != scalar {
            let wanted = self.vector(scalar, width.max(channels));
            let diagnostic = self.mismatch(written.span, wanted, id);
            self.report(diagnostic);
            return self.poison(written.span);
        }
        if width < channels {
            let format = match texture {
                TypeKind::StorageTexture(_, format) => {
                    StorageFormat::ALL.iter().find(|(other, _)| *other == format).map_or("", |(_, name)| *name)
                }
                _ => "",
            };
            let format = if format == "float4" { "rgba32f" } else { format };
            let message = format!("a `store` to `{format}` takes {channels} components, not {width}");
            return self.fail(errors::BAD_ARGUMENTS, written.span, message);
        }
        if width == channels {
            return id;
        }
        let components: Vec<u8> = (0..channels).collect();
        let ty = self.vector(scalar, channels);
        self.add(ExprKind::Swizzle(id, Components::new(&components, false)), ty, written.span)
    }

    fn unknown_method(&mut self, receiver: ExprId, method: ast::Ident) {
        let name = self.program.text(method.name);
        let message = format!("unknown method `{name}` on `{}`", self.show(self.ty(receiver)));
        let methods = Builtin::ALL
            .iter()
            .filter(|builtin| {
                builtin.def().signature == Signature::Texture && **builtin != Builtin::TextureSampleCmpLevelZero
            })
            .filter_map(|builtin| builtin.name().strip_prefix("texture_"));
        let diagnostic = Diagnostic::error(errors::UNKNOWN_METHOD, method.span, message);
        let foreign = || foreign::help(foreign::Place::Method, name);
        let help = self.instead_of_methods(receiver).map(Into::into).or_else(foreign);
        self.report(match help {
            Some(help) => diagnostic.help(help),
            None => suggest(diagnostic, name, methods),
        });
    }

    /// What values without any method have instead.
    fn instead_of_methods(&self, receiver: ExprId) -> Option<&'static str> {
        match self.ty_kind(receiver) {
            TyKind::Buffer(BufferKind::Atomic, _) => Some(
                "an element is `buffer[i]`; what no other thread may come between is `atomic_add(buffer, i, value)` and its kin",
            ),
            TyKind::Buffer(..) => {
                Some("a buffer is read and written by its index, `buffer[i]`; its length is known to the host only")
            }
            TyKind::ResourceArray(..) | TyKind::OpenResourceArray(..) => {
                Some("name one of the textures: `textures[i]`; how many there are is in the type")
            }
            TyKind::Array(..) => {
                Some("an array has no methods: its elements are `a[i]`, and its length is in its type")
            }
            _ => None,
        }
    }

    fn no_method(&mut self, receiver: ExprId, method: ast::Ident, reason: NoMethod) {
        let name = self.program.text(method.name);
        let ty = self.show(self.ty(receiver));
        let (message, help) = match reason {
            NoMethod::NotATexture => (format!("unknown method `{name}` on `{ty}`"), self.instead_of_methods(receiver)),
            NoMethod::IntegerTexture => {
                (format!("`{ty}` cannot be filtered: it has no `{name}`"), Some("read integer textures with `load`"))
            }
            NoMethod::NeedsDepth => (
                format!("`{name}` needs a `TexDepth2D`, not {}", with_article(&ty)),
                Some("declare the texture `TexDepth2D`"),
            ),
            NoMethod::NeedsStorage => {
                (format!("`{ty}` is read only: it has no `{name}`"), Some("declare the texture `RwTex2D` or `RwTex3D`"))
            }
            NoMethod::Storage => {
                (format!("the storage texture `{ty}` has no `{name}`"), Some("it has `load`, `store` and `dimensions`"))
            }
            NoMethod::Shape => {
                let cube =
                    matches!(self.ty_kind(receiver), TyKind::Texture(TextureDim::Cube | TextureDim::CubeArray, _));
                let help = if cube && name == "load" { Some("read cubes with `sample_level`") } else { None };
                (format!("`{ty}` has no `{name}`"), help)
            }
        };
        let mut diagnostic = Diagnostic::error(errors::UNKNOWN_METHOD, method.span, message);
        diagnostic.help = help.map(Into::into);
        self.report(diagnostic);
    }
}
