//! The abstract syntax tree of a source file: what was written, with nothing resolved.
//!
//! All nodes live in one arena and are `Copy`. Every node that a diagnostic may point to has a [`Span`], names apart from
//! the whole they stand in. Comments are not in the tree, except doc comments; parentheses only as `Expr::parenthesized`.
//!
//! **Depth.** A walk that recurses is safe: no path from a [`File`] down through statements, expressions and types is
//! longer than [`MAX_DEPTH`] nodes; deeper input is a diagnostic and its item is left out. What a machine may write at any
//! length lies flat instead of deep: a chain of infix operators of one precedence is one [`ExprKind::Infix`] with any
//! number of operands (100,000 of them are fine), which is to be folded in a loop. The arms of an `else if` chain count
//! as depth although they lie flat, because every later form nests them.

mod expressions;
mod items;
mod statements;
mod types;

use akari_ir::Span;

use super::names::Name;

pub use expressions::*;
pub use items::*;
pub use statements::*;
pub use types::*;

/// The longest path from the root of the tree to a leaf, in nodes (see the module's header).
pub const MAX_DEPTH: usize = 256;

/// A name where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: Name,
    /// Where it stands.
    pub span: Span,
}
