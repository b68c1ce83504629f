//! Types as written.

use akari_ir::Span;

use super::{Expr, Ident, Passing};

/// A type as written.
#[derive(Clone, Copy, Debug)]
pub struct Type<'a> {
    /// All of it.
    pub span: Span,
    /// What it is.
    pub kind: TypeKind<'a>,
}

/// What a type is.
#[derive(Clone, Copy, Debug)]
pub enum TypeKind<'a> {
    /// `float4`, `Buf<Light>`, `RwTex2D<r32f>`.
    Named {
        /// The name.
        name: Ident,
        /// What stands in `<…>`; empty without them, never empty with them.
        args: &'a [Type<'a>],
    },
    /// `element[length]`; `T[N][M]` is the array of `M` elements of type `T[N]`.
    Array {
        /// The type of an element.
        element: &'a Type<'a>,
        /// The number of elements.
        length: &'a Expr<'a>,
    },
    /// `fn(inout uint, float) -> float`.
    Fn {
        /// What it takes.
        params: &'a [FnTypeParam<'a>],
        /// What it gives.
        result: Option<&'a Type<'a>>,
    },
}

/// A parameter of a function type.
#[derive(Clone, Copy, Debug)]
pub struct FnTypeParam<'a> {
    /// All of it.
    pub span: Span,
    /// `ref` or `inout`.
    pub passing: Option<Passing>,
    /// Its type.
    pub ty: &'a Type<'a>,
}
