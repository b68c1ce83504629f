//! Types as written to types.

use akari_ir::types::{BufferKind, StorageFormat, TexelKind};
use akari_ir::{Diagnostic, Scalar, Span, with_article};

use super::checker::Checker;
use super::constant::integer;
use super::context::{CONTEXTS_ARE_PARAMETERS, RESOURCES_ARE_PARAMETERS};
use super::errors;
use super::open::{OpenId, Value};
use super::program::Def;
use super::scope::{Found, suggest};
use super::types::{COMMON_TYPES, GENERICS, Generic, Ty, TyKind, plain_type};
use crate::foreign;
use crate::syntax::ast::{self, TypeKind};
use crate::syntax::names::Name;
use crate::syntax::prelude::TRACE_HIT_NAME;

/// How many textures an array may hold: what Direct3D 12 and Vulkan bind as one table on every device (Metal's limit is lower, and checked
/// with its slots).
const LONGEST_RESOURCE_ARRAY: u32 = 65536;

/// How many elements an array has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Known(u32),
    Open(OpenId),
}

impl<'a> Checker<'_, 'a> {
    /// The type that was written; [`Ty::ERROR`] once a fault has been reported.
    pub(super) fn resolve_type(&mut self, written: &'a ast::Type<'a>) -> Ty {
        match written.kind {
            TypeKind::Named { name, args } => self.named_type(name, args, written.span),
            TypeKind::Array { element, length } => {
                let ty = self.resolve_type(element);
                let length_span = length.span;
                let Some(length) = self.array_length(length) else {
                    return Ty::ERROR;
                };
                match self.kind(ty) {
                    TyKind::Error => Ty::ERROR,
                    TyKind::Struct(_) if self.holds_resources(ty) => {
                        let message = format!("{} cannot be kept in an array", self.one(ty));
                        self.resource_error(errors::BAD_TYPE, written.span, message, CONTEXTS_ARE_PARAMETERS);
                        Ty::ERROR
                    }
                    kind if kind.is_handle() => self.resource_array_type(ty, length, written.span, length_span),
                    _ => self.array_type(ty, length),
                }
            }
            TypeKind::Fn { .. } => {
                let message = "a function type stands only as the type of a parameter";
                self.error(errors::BAD_TYPE, written.span, message);
                Ty::ERROR
            }
        }
    }

    /// A type that a value in memory may have.
    pub(super) fn resolve_data_type(&mut self, written: &'a ast::Type<'a>) -> Ty {
        let ty = self.resolve_type(written);
        if self.holds_resources(ty) {
            let message = format!("{} is or holds a resource and cannot be kept here", self.one(ty));
            let help = if matches!(self.kind(ty), TyKind::Struct(_)) {
                CONTEXTS_ARE_PARAMETERS
            } else {
                RESOURCES_ARE_PARAMETERS
            };
            self.resource_error(errors::BAD_TYPE, written.span, message, help);
            return Ty::ERROR;
        }
        ty
    }

    /// The type of an array.
    pub(super) fn array_type(&mut self, element: Ty, length: Length) -> Ty {
        self.program.types.intern(match length {
            Length::Known(length) => TyKind::Array(element, length),
            Length::Open(length) => TyKind::OpenArray(element, length),
        })
    }

    /// The type of an array of resources: of textures alone.
    fn resource_array_type(&mut self, element: Ty, length: Length, span: Span, length_span: Span) -> Ty {
        let help = match self.kind(element) {
            TyKind::Texture(..) | TyKind::StorageTexture(..) => None,
            TyKind::ResourceArray(..) | TyKind::OpenResourceArray(..) => {
                let message =
                    format!("{} cannot be kept in an array: arrays of resources have one dimension", self.one(element));
                self.resource_error(
                    errors::BAD_TYPE,
                    span,
                    message,
                    "compute the index: `textures[row * columns + column]`",
                );
                return Ty::ERROR;
            }
            TyKind::Buffer(..) => Some("put all of it in one buffer, or take a `BufferTable`"),
            TyKind::Sampler | TyKind::SamplerCmp => Some("declare each sampler: its state is part of the program"),
            _ => Some("declare each as a resource of its own"),
        };
        if let Some(help) = help {
            let message = format!("{} cannot be kept in an array: only textures can", self.one(element));
            self.resource_error(errors::BAD_TYPE, span, message, help);
            return Ty::ERROR;
        }
        if let Length::Known(length) = length
            && length > LONGEST_RESOURCE_ARRAY
        {
            let message = format!("an array of {length} textures is too long: at most {LONGEST_RESOURCE_ARRAY}");
            self.resource_error(
                errors::TOO_LARGE,
                length_span,
                message,
                "a `TextureTable` holds any number of textures",
            );
            return Ty::ERROR;
        }
        self.program.types.intern(match length {
            Length::Known(length) => TyKind::ResourceArray(element, length),
            Length::Open(length) => TyKind::OpenResourceArray(element, length),
        })
    }

    /// A positive constant array length, or one that depends on `const` parameters.
    pub(super) fn array_length(&mut self, written: &'a ast::Expr<'a>) -> Option<Length> {
        let id = self.value(written, None);
        let id = self.as_number(id);
        let ty = self.ty(id);
        if ty == Ty::ERROR {
            return None;
        }
        let Some(scalar) =
            self.kind(ty).scalar().filter(|scalar| scalar.is_integer() && self.kind(ty).width() == Some(1))
        else {
            let message = format!("an array length must be an integer, not `{}`", self.show(ty));
            self.error(errors::BAD_LENGTH, written.span, message);
            return None;
        };
        let value = match self.require_value(id, "an array length")? {
            Value::Known(value) => value,
            Value::Open(open) => {
                if let Some(message) = self.program.why_no_length(open) {
                    self.error(errors::BAD_LENGTH, written.span, message);
                    return None;
                }
                return Some(Length::Open(open));
            }
        };
        let bits = self.program.module.scalar_bits(value)?;
        match u32::try_from(integer(scalar, bits)) {
            Ok(length) if length > 0 => Some(Length::Known(length)),
            _ => {
                let message = format!("an array length must be positive, not {}", integer(scalar, bits));
                self.error(errors::BAD_LENGTH, written.span, message);
                None
            }
        }
    }

    /// The type that `name` is, without arguments.
    pub(super) fn type_named(&mut self, name: Name, span: Span) -> Option<Ty> {
        if let Some(kind) = plain_type(self.program.text(name)) {
            return Some(self.program.types.intern(kind));
        }
        if self.program.text(name) == TRACE_HIT_NAME {
            return Some(self.program.trace_hit());
        }
        match self.program.find(name, self.file) {
            Found::Defs(defs) => match defs[0] {
                Def::Struct(id) => {
                    let known = self.program.ensure_struct(id, span);
                    Some(if known { self.program.structs[id.index()].ty } else { Ty::ERROR })
                }
                Def::Enum(id) => {
                    self.program.ensure_enum(id, span);
                    Some(self.program.enums[id.index()].ty)
                }
                Def::Bitfield(id) => {
                    self.program.ensure_bitfield(id, span);
                    Some(self.program.bitfields[id.index()].ty)
                }
                Def::Function(_) | Def::Constant(_) | Def::Binding(_) => None,
            },
            Found::Lost => Some(Ty::ERROR),
            Found::Private(def @ (Def::Struct(_) | Def::Enum(_) | Def::Bitfield(_))) => {
                self.program.report_private(def, span);
                Some(Ty::ERROR)
            }
            Found::Private(_) | Found::Nothing => None,
        }
    }

    fn named_type(&mut self, name: ast::Ident, args: &'a [ast::Type<'a>], span: Span) -> Ty {
        let text = self.program.text(name.name);
        if let Some((_, generic)) = GENERICS.iter().find(|(candidate, _)| *candidate == text) {
            return self.generic_type(text, *generic, args, span);
        }
        if let Some(ty) = self.type_named(name.name, name.span) {
            if !args.is_empty() && ty != Ty::ERROR {
                let message = format!("`{text}` takes no type arguments");
                self.error(errors::BAD_TYPE_ARGUMENTS, span, message);
                return Ty::ERROR;
            }
            return ty;
        }
        if let Found::Defs(defs) = self.program.find(name.name, self.file) {
            let what = match defs[0] {
                Def::Function(_) => "a function",
                Def::Binding(_) => "a resource",
                _ => "a constant",
            };
            self.error(errors::WRONG_KIND_OF_NAME, name.span, format!("`{text}` is {what}, not a type"));
            return Ty::ERROR;
        }
        let mut diagnostic = self.unknown_type(text, name.span);
        if let [argument] = args
            && let ast::TypeKind::Named { name: argument, .. } = argument.kind
            && let Some(help) = foreign::type_help(text, Some(self.program.text(argument.name)))
        {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
        Ty::ERROR
    }

    /// The error about a type name that nothing has.
    pub(super) fn unknown_type(&self, text: &str, span: Span) -> Diagnostic {
        let diagnostic = Diagnostic::error(errors::UNKNOWN_TYPE, span, format!("unknown type `{text}`"));
        if let Some(help) = foreign::help(foreign::Place::Type, text) {
            return diagnostic.help(help);
        }
        let own = self
            .program
            .visible_names(self.file, |def| matches!(def, Def::Struct(_) | Def::Enum(_) | Def::Bitfield(_)));
        let candidates = own.into_iter().chain(COMMON_TYPES).chain(GENERICS.iter().map(|(name, _)| *name));
        suggest(diagnostic, text, candidates)
    }

    fn generic_type(&mut self, name: &str, generic: Generic, args: &'a [ast::Type<'a>], span: Span) -> Ty {
        let wrong_count = match generic {
            Generic::Buffer(_) => args.len() != 1,
            Generic::Texture(_) | Generic::Storage(_) => args.len() > 1,
        };
        if wrong_count {
            let message = match generic {
                Generic::Buffer(_) => format!("`{name}` takes one type argument: `{name}<T>`"),
                Generic::Texture(_) | Generic::Storage(_) => {
                    format!("`{name}` takes at most one argument")
                }
            };
            self.error(errors::BAD_TYPE_ARGUMENTS, span, message);
            return Ty::ERROR;
        }
        let kind = match generic {
            Generic::Buffer(buffer) => {
                let element = self.resolve_data_type(&args[0]);
                if element == Ty::ERROR {
                    return Ty::ERROR;
                }
                if buffer == BufferKind::Atomic && element != Ty::INT && element != Ty::UINT {
                    let message = format!(
                        "`AtomicBuf<{}>` does not exist: an `AtomicBuf` holds `uint` or `int`",
                        self.show(element)
                    );
                    self.error(errors::BAD_TYPE_ARGUMENTS, args[0].span, message);
                    return Ty::ERROR;
                }
                TyKind::Buffer(buffer, element)
            }
            Generic::Texture(dim) => {
                let texel = match args.first() {
                    None => TexelKind::Float,
                    Some(arg) => match self.argument_type(arg) {
                        Some(TyKind::Scalar(Scalar::F32)) => TexelKind::Float,
                        Some(TyKind::Scalar(Scalar::U32)) => TexelKind::Uint,
                        Some(TyKind::Scalar(Scalar::I32)) => TexelKind::Int,
                        _ => {
                            let message = format!("`{name}` holds `float`, `uint` or `int` texels");
                            self.error(errors::BAD_TYPE_ARGUMENTS, arg.span, message);
                            return Ty::ERROR;
                        }
                    },
                };
                TyKind::Texture(dim, texel)
            }
            Generic::Storage(dim) => {
                let format = match args.first() {
                    None => StorageFormat::Any,
                    Some(arg) => match self.storage_format(name, arg) {
                        Some(format) => format,
                        None => return Ty::ERROR,
                    },
                };
                TyKind::StorageTexture(dim, format)
            }
        };
        self.program.types.intern(kind)
    }

    /// The language's own type that an argument names.
    fn argument_type(&self, arg: &ast::Type<'a>) -> Option<TyKind> {
        match arg.kind {
            TypeKind::Named { name, args: [] } => plain_type(self.program.text(name.name)),
            _ => None,
        }
    }

    fn storage_format(&mut self, generic: &str, arg: &ast::Type<'a>) -> Option<StorageFormat> {
        let text = match arg.kind {
            TypeKind::Named { name, args: [] } => self.program.text(name.name),
            _ => "",
        };
        if let Some((format, _)) = StorageFormat::ALL.iter().find(|(_, name)| *name == text) {
            return Some(*format);
        }
        let message = if text.is_empty() {
            format!("`{generic}` takes a format here")
        } else {
            format!("unknown format `{text}` of {}", with_article(generic))
        };
        let names = StorageFormat::ALL.iter().map(|(_, name)| *name);
        self.report(suggest(Diagnostic::error(errors::BAD_TYPE_ARGUMENTS, arg.span, message), text, names));
        None
    }
}
