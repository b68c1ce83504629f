//! Calls of builtin functions: the type parameter from the arguments, and scalars repeated beside vectors.

use akari_dialect::builtins::{Builtin, Capability, Class, Signature, Ty as Pattern};
use akari_ir::types::{BufferKind, MemoryType};
use akari_ir::{Diagnostic, Scalar, Span, TypeKind};

use super::checker::Checker;
use super::errors;
use super::literal::Flexible;
use super::overload::Argument;
use super::tree::{ExprId, ExprKind, LocalKind};
use super::types::{Ty, TyKind, scalar_name};
use crate::syntax::ast::{self, InfixOp};

/// The types that a builtin takes, where each is one.
fn listed(params: &[Pattern]) -> Option<String> {
    let names = params.iter().map(|param| match param {
        Pattern::Is(scalar, 1) => Some(format!("`{}`", scalar_name(*scalar))),
        Pattern::Is(scalar, width) => Some(format!("`{}{width}`", scalar_name(*scalar))),
        Pattern::T
        | Pattern::ScalarOfT
        | Pattern::ShapeOfT(_)
        | Pattern::TransposeOfT
        | Pattern::AccelStruct
        | Pattern::BufferTable
        | Pattern::TextureTable
        | Pattern::Texture(..)
        | Pattern::ReadBuffer
        | Pattern::TraceHit
        | Pattern::Nothing => None,
    });
    let names: Option<Vec<String>> = names.collect();
    names.map(|names| names.join(", ")).filter(|names| !names.is_empty())
}

/// How to call a builtin that was called with so many arguments, where that is not plain from the number.
fn usage(name: &str, given: usize) -> Option<String> {
    /// Up to here a call can be quoted.
    const SHORT: usize = 60;
    if (name, given) == ("atan", 2) {
        return Some("write `atan2(y, x)`".to_owned());
    }
    let call = Builtin::function(name)?.def().call()?;
    if call.len() <= SHORT {
        return Some(format!("write `{name}{call}`"));
    }
    Some(format!("it takes {}", call.trim_matches(['(', ')'])))
}

impl<'a> Checker<'_, 'a> {
    /// Whether there are as many positional arguments as wanted; if not, that is reported.
    pub(super) fn check_count(&mut self, name: &str, args: &'a [ast::Arg<'a>], wanted: &[usize], span: Span) -> bool {
        if let Some(named) = args.iter().find_map(|arg| arg.name) {
            self.error(errors::BAD_ARGUMENTS, named.span, format!("`{name}` takes no named arguments"));
            return false;
        }
        if wanted.contains(&args.len()) {
            return true;
        }
        let counts: Vec<String> = wanted.iter().map(usize::to_string).collect();
        let plural = if wanted == [1] { "" } else { "s" };
        let message = format!("`{name}` takes {} argument{plural}, not {}", counts.join(" or "), args.len());
        let mut diagnostic = Diagnostic::error(errors::BAD_ARGUMENTS, span, message);
        if let Some(usage) = usage(name, args.len()) {
            diagnostic = diagnostic.help(usage);
        }
        self.report(diagnostic);
        false
    }

    fn poisoned_call(&mut self, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        for arg in args {
            self.any(arg.value, None);
        }
        self.poison(span)
    }

    /// `mul(a, b)`.
    pub(super) fn mul(&mut self, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        if !self.check_count("mul", args, &[2], span) {
            return self.poisoned_call(args, span);
        }
        let (lhs, rhs) = match (Flexible::of(args[0].value), Flexible::of(args[1].value)) {
            (Some(_), None) => {
                let rhs = self.value(args[1].value, None);
                (self.value(args[0].value, Some(self.ty(rhs))), rhs)
            }
            _ => {
                let lhs = self.value(args[0].value, None);
                (lhs, self.value(args[1].value, Some(self.ty(lhs))))
            }
        };
        self.binary(InfixOp::Mul, span, lhs, rhs)
    }

    /// A call of a builtin function.
    ///
    /// `known` has the arguments that were checked already, if any were: all that are not flexible.
    pub(super) fn builtin_call(
        &mut self,
        builtin: Builtin,
        args: &'a [ast::Arg<'a>],
        known: &[Argument<'a>],
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        let name = builtin.name();
        match builtin.def().signature {
            Signature::Function { class, params, result } => {
                if !self.check_count(name, args, &[params.len()], span) {
                    return self.poisoned_call(args, span);
                }
                self.function_call(builtin, class, params, result, args, known, span, hint)
            }
            Signature::Atomic { values } => self.atomic_call(builtin, usize::from(values), args, span),
            // Methods are not found by the name of a function.
            Signature::Texture => self.poisoned_call(args, span),
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one table row and of one call")]
    fn function_call(
        &mut self,
        builtin: Builtin,
        class: Class,
        params: &[Pattern],
        result: Pattern,
        args: &'a [ast::Arg<'a>],
        known: &[Argument<'a>],
        span: Span,
        hint: Option<Ty>,
    ) -> ExprId {
        // What is wanted of the result says something of the arguments only where the result has their type.
        let hint = hint.filter(|_| result == Pattern::T);
        let mut ids: Vec<Option<ExprId>> = vec![None; args.len()];
        // Arguments with a type of their own first: they decide the type of literals beside them.
        let mut scalar: Option<Scalar> = None;
        let mut literals: Option<Flexible> = None;
        for (index, (arg, pattern)) in args.iter().zip(params).enumerate() {
            let generic = matches!(pattern, Pattern::T | Pattern::ScalarOfT | Pattern::ShapeOfT(_));
            if let Some(kind) = Flexible::of(arg.value) {
                if matches!(pattern, Pattern::T | Pattern::ScalarOfT) {
                    literals = literals.max(Some(kind));
                }
                continue;
            }
            let wanted = match pattern {
                Pattern::Is(scalar, width) => Some(self.vector(*scalar, *width)),
                Pattern::T if generic => hint,
                _ => None,
            };
            let id = match known.get(index) {
                Some(Argument::Typed(id)) => *id,
                Some(Argument::Flexible(..) | Argument::Waiting(_)) | None => self.value(arg.value, wanted),
            };
            let id = self.as_number(id);
            ids[index] = Some(id);
            match (pattern, self.ty_kind(id)) {
                (_, TyKind::Error) => {}
                (Pattern::T, TyKind::Scalar(of) | TyKind::Vector(of, _)) | (Pattern::ScalarOfT, TyKind::Scalar(of)) => {
                    scalar = scalar.or(Some(of))
                }
                _ => {}
            }
        }
        if ids.iter().flatten().any(|id| self.ty(*id) == Ty::ERROR) {
            for arg in args.iter().filter(|arg| Flexible::of(arg.value).is_some()) {
                self.value(arg.value, None);
            }
            return self.poison(span);
        }
        let float_only = matches!(class, Class::Float | Class::FloatVector | Class::FloatVector3);
        let literal_ty = match (scalar, literals) {
            (Some(scalar), _) => Ty::scalar(scalar),
            (None, Some(kind)) => {
                let kind = if float_only { Flexible::Float } else { kind };
                self.flexible_hint(kind, hint).unwrap_or(Ty::INT)
            }
            (None, None) => Ty::INT,
        };
        for (index, (arg, pattern)) in args.iter().zip(params).enumerate() {
            if ids[index].is_some() {
                continue;
            }
            let wanted = match pattern {
                Pattern::T | Pattern::ScalarOfT => literal_ty,
                Pattern::Is(scalar, _) | Pattern::ShapeOfT(scalar) => Ty::scalar(*scalar),
                Pattern::TransposeOfT
                | Pattern::AccelStruct
                | Pattern::BufferTable
                | Pattern::TextureTable
                | Pattern::Texture(..)
                | Pattern::ReadBuffer
                | Pattern::TraceHit
                | Pattern::Nothing => Ty::FLOAT,
            };
            let id = self.value(arg.value, Some(wanted));
            if self.ty(id) == Ty::ERROR {
                return self.poison(span);
            }
            ids[index] = Some(id);
        }
        let ids: Vec<ExprId> = ids.into_iter().flatten().collect();
        self.builtin_of(builtin, &ids, span)
    }

    /// A builtin function applied to checked arguments, as many as it takes; all numbers.
    pub(super) fn builtin_of(&mut self, builtin: Builtin, ids: &[ExprId], span: Span) -> ExprId {
        let Signature::Function { class, params, result } = builtin.def().signature else {
            return self.poison(span);
        };
        if params.len() != ids.len() {
            return self.poison(span);
        }
        let mut scalar: Option<Scalar> = None;
        let mut width = 1_u8;
        let mut matrix: Option<Ty> = None;
        for (id, pattern) in ids.iter().zip(params) {
            let kind = self.ty_kind(*id);
            match (pattern, kind) {
                (Pattern::T, TyKind::Scalar(of) | TyKind::Vector(of, _)) => {
                    scalar = scalar.or(Some(of));
                    width = width.max(kind.width().unwrap_or(1));
                }
                (Pattern::ShapeOfT(_), TyKind::Vector(_, of)) => width = width.max(of),
                (Pattern::ScalarOfT, TyKind::Scalar(of)) => scalar = scalar.or(Some(of)),
                (Pattern::T, TyKind::Matrix { .. }) => matrix = matrix.or(Some(self.ty(*id))),
                _ => {}
            }
        }
        // T itself.
        let t = match (matrix, scalar) {
            (Some(matrix), _) => matrix,
            (None, Some(scalar)) => self.vector(scalar, width),
            (None, None) => Ty::BOOL,
        };
        let t_kind = self.ir_kind(t);
        if width > 1 && scalar == Some(Scalar::U64) {
            return self.bad_builtin_arguments(builtin, ids, span);
        }
        if class != Class::None && !class.admits(t_kind) {
            return self.bad_builtin_arguments(builtin, ids, span);
        }
        let mut arguments = Vec::with_capacity(ids.len());
        for (id, pattern) in ids.iter().zip(params) {
            if *pattern == Pattern::ReadBuffer {
                if !matches!(self.ty_kind(*id), TyKind::Buffer(BufferKind::Read, _)) {
                    return self.bad_builtin_arguments(builtin, ids, span);
                }
                arguments.push(*id);
                continue;
            }
            let Some(wanted) = pattern.with(t_kind) else {
                continue;
            };
            let id = match pattern {
                Pattern::T | Pattern::ShapeOfT(_) => self.splat_to(*id, width),
                _ => *id,
            };
            if self.ir_kind(self.ty(id)) != wanted {
                return self.bad_builtin_arguments(builtin, ids, span);
            }
            arguments.push(id);
        }
        let ty = match result.with(t_kind) {
            None if result == Pattern::TraceHit => self.program.trace_hit(),
            None => Ty::NOTHING,
            Some(kind) => self.ty_of_ir(kind),
        };
        if builtin.is_masked_ray() {
            return self.masked_ray(builtin, arguments, ty, span);
        }
        self.add(ExprKind::Builtin(builtin, arguments.into()), ty, span)
    }

    /// The IR's kind of a scalar, vector or matrix type; of any other type some kind that no builtin takes.
    pub(super) fn ir_kind(&self, ty: Ty) -> TypeKind {
        match self.kind(ty) {
            TyKind::Scalar(scalar) => TypeKind::Scalar(scalar),
            TyKind::Vector(scalar, width) => TypeKind::Vector(scalar, width),
            TyKind::Matrix { columns, rows } => TypeKind::Matrix { columns, rows },
            TyKind::Texture(dim, texel) => TypeKind::Texture(dim, texel),
            TyKind::StorageTexture(dim, format) => TypeKind::StorageTexture(dim, format),
            TyKind::Sampler => TypeKind::Sampler,
            TyKind::SamplerCmp => TypeKind::SamplerCmp,
            TyKind::AccelStruct => TypeKind::AccelStruct,
            TyKind::BufferTable => TypeKind::BufferTable,
            TyKind::TextureTable => TypeKind::TextureTable,
            TyKind::Error
            | TyKind::Nothing
            | TyKind::Array(..)
            | TyKind::OpenArray(..)
            | TyKind::ResourceArray(..)
            | TyKind::OpenResourceArray(..)
            | TyKind::Function(_)
            | TyKind::Struct(_)
            | TyKind::Enum(_)
            | TyKind::Bitfield(_)
            | TyKind::Buffer(..) => TypeKind::Memory(MemoryType::Padding(0)),
        }
    }

    /// The type of a kind that [`Self::ir_kind`] gives.
    pub(super) fn ty_of_ir(&mut self, kind: TypeKind) -> Ty {
        match kind {
            TypeKind::Scalar(scalar) => Ty::scalar(scalar),
            TypeKind::Vector(scalar, width) => self.vector(scalar, width),
            TypeKind::Matrix { columns, rows } => self.program.types.intern(TyKind::Matrix { columns, rows }),
            TypeKind::Sampler => self.program.types.intern(TyKind::Sampler),
            TypeKind::SamplerCmp => self.program.types.intern(TyKind::SamplerCmp),
            TypeKind::Texture(dim, texel) => self.program.types.intern(TyKind::Texture(dim, texel)),
            _ => Ty::ERROR,
        }
    }

    fn bad_builtin_arguments(&mut self, builtin: Builtin, ids: &[ExprId], span: Span) -> ExprId {
        let name = builtin.name();
        let class = match builtin.def().signature {
            Signature::Function { class, .. } => class,
            Signature::Atomic { .. } | Signature::Texture => Class::None,
        };
        let given: Vec<String> = ids.iter().map(|id| format!("`{}`", self.show(self.ty(*id)))).collect();
        let message = format!("`{name}` does not take {}", given.join(", "));
        let takes = match class {
            Class::Float => "it takes `float` or `half`, scalars or vectors",
            Class::FloatVector => "it takes vectors of `float` or `half`",
            Class::FloatVector3 => "it takes `float3` or `half3`",
            Class::Numeric => "it takes numbers of one type, scalars or vectors of one width",
            Class::Signed => "it takes `int`, `float` or `half`, scalars or vectors",
            Class::Integer32 => "it takes `int` or `uint`, scalars or vectors",
            Class::Bits32 => "it takes `int`, `uint` or `float`, scalars or vectors",
            Class::Bool => "it takes `bool` or a vector of it",
            Class::ScalarOrVector => "it takes scalars or vectors of one type",
            Class::Matrix => "it takes a matrix",
            Class::None if builtin.is_masked_ray() => {
                "it takes `AccelStruct`, `Buf` instances and materials, `BufferTable`, `TextureTable`, a `uint` instance_count, `float3` origin and direction, `float` t_min and t_max, and a `uint` mask"
            }
            Class::None if builtin.def().capability == Some(Capability::RayQuery) => {
                "it takes `AccelStruct`, `float3` origin and direction, `float` t_min and t_max, and a `uint` mask"
            }
            Class::None => match builtin.def().signature {
                Signature::Function { params: [Pattern::BufferTable, ..], .. } => {
                    "it takes a `BufferTable`, which of its buffers and which element of that, both as `uint`"
                }
                Signature::Function { params: [Pattern::TextureTable, ..], .. } => {
                    "it takes a `TextureTable` and which of its textures, as `uint`"
                }
                Signature::Function { .. } | Signature::Atomic { .. } | Signature::Texture => "",
            },
        };
        let listed = match builtin.def().signature {
            Signature::Function { params, .. } if takes.is_empty() => listed(params),
            Signature::Function { .. } | Signature::Atomic { .. } | Signature::Texture => None,
        };
        let mut diagnostic = Diagnostic::error(errors::BAD_ARGUMENTS, span, message);
        let first = ids.first().map(|id| self.ty_kind(*id).scalar());
        let last = ids.last().map(|id| self.ty_kind(*id).scalar());
        let widths: Vec<u8> =
            ids.iter().filter_map(|id| self.ty_kind(*id).width()).filter(|width| *width > 1).collect();
        let differ = widths.windows(2).any(|pair| pair[0] != pair[1]);
        if name == "select" && first == Some(Some(Scalar::Bool)) {
            diagnostic = diagnostic.help("the condition comes last: `select(no, yes, condition)`");
        } else if name == "mix" && last == Some(Some(Scalar::Bool)) {
            diagnostic =
                diagnostic.help("by a `bool` is chosen with `select(no, yes, condition)` or `condition ? yes : no`");
        } else if differ && !matches!(class, Class::None | Class::FloatVector3) {
            diagnostic = diagnostic.help("its vectors have one width");
        } else if let Some(listed) = listed {
            diagnostic = diagnostic.help(format!("it takes {listed}"));
        } else if !takes.is_empty() {
            diagnostic = diagnostic.help(takes);
        }
        self.report(diagnostic);
        self.poison(span)
    }

    /// `atomic_add(buffer, index, value)` and the like.
    fn atomic_call(&mut self, builtin: Builtin, values: usize, args: &'a [ast::Arg<'a>], span: Span) -> ExprId {
        let name = builtin.name();
        if !self.check_count(name, args, &[values + 2], span) {
            return self.poisoned_call(args, span);
        }
        let target = self.value(args[0].value, None);
        let element = match self.ty_kind(target) {
            TyKind::Error => Some(Ty::ERROR),
            TyKind::Buffer(BufferKind::Atomic, element) => Some(element),
            TyKind::Array(element @ (Ty::INT | Ty::UINT), _) | TyKind::OpenArray(element @ (Ty::INT | Ty::UINT), _)
                if self.is_groupshared(target) =>
            {
                if !self.check_assignable(target, true) {
                    self.check_arguments(&args[1..]);
                    return self.poison(span);
                }
                Some(element)
            }
            _ => None,
        };
        let Some(element) = element else {
            let found = self.show(self.ty(target));
            let message =
                format!("`{name}` takes an `AtomicBuf` or a `@groupshared` array of `uint` or `int`, not `{found}`");
            let mut diagnostic = Diagnostic::error(errors::BAD_ARGUMENTS, self.span(target), message);
            if let TyKind::Buffer(_, element @ (Ty::INT | Ty::UINT)) = self.ty_kind(target) {
                diagnostic = diagnostic.help(format!("declare it `AtomicBuf<{}>`", self.show(element)));
            }
            self.report(diagnostic);
            for arg in &args[1..] {
                self.value(arg.value, None);
            }
            return self.poison(span);
        };
        let index = self.value(args[1].value, None);
        let index = self.as_number(index);
        if !matches!(self.ty(index), Ty::INT | Ty::UINT | Ty::ERROR) {
            self.bad_index(index, self.span(index));
        }
        if let (TyKind::Array(_, length), Some(value)) = (self.ty_kind(target), self.integer_value(index))
            && !(0..i64::from(length)).contains(&value)
        {
            let message = format!("the index {value} is out of range: there are {length} elements");
            self.error(errors::INDEX_RANGE, self.span(index), message);
        }
        let values: Vec<ExprId> = args[2..].iter().map(|arg| self.typed(arg.value, element)).collect();
        if element == Ty::ERROR {
            return self.poison(span);
        }
        let place = self.add(ExprKind::Index(target, index), element, args[0].value.span.to(args[1].value.span));
        self.add(ExprKind::Atomic(builtin, place, values.into()), element, span)
    }

    /// Whether an expression is (part of) a groupshared variable.
    fn is_groupshared(&self, id: ExprId) -> bool {
        match self.body.expr(id).kind {
            ExprKind::Local(local) => matches!(self.body.local(local).kind, LocalKind::Groupshared | LocalKind::Inout),
            ExprKind::Field(base, _) | ExprKind::Index(base, _) => self.is_groupshared(base),
            _ => false,
        }
    }
}
