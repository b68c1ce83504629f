//! Printing for languages with the expressions and statements of C: MSL and HLSL. The module must have been through
//! `shape-expressions` and `assign-names`.
//!
//! [`Printer`] knows precedence, statements and the order of things; a [`Language`] knows how its types, literals and
//! operations are spelled.

pub mod expression;
pub mod language;
pub mod literal;
pub mod precedence;
pub mod statement;

pub use expression::Printer;
pub use language::{Language, Piece, Spelling};
pub use precedence::{Precedence, Side};
