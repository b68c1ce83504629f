//! The intermediate representation itself: entities, types, operations, and their textual form. It knows no operation of any dialect.

pub mod diagnostic;
pub mod span;

pub use diagnostic::{Code, Diagnostic, Note, Severity};
pub use span::{FileId, Span};
