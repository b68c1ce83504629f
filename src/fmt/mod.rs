//! `akari fmt`: source text in the one style.
//!
//! The grammar's nodes say where lines may end; the tokens and comments are those of the source, in its order. Only `;` and
//! trailing `,` are put in or left out. A list whose source has a trailing `,` keeps an element a line, blank lines between
//! items, fields and statements stay (one of several), and a block of one statement stays on one line where it was.
//! Formatting formatted text changes nothing.

mod expressions;
mod items;
mod layout;
mod statements;
mod writer;

use akari_ir::{Diagnostic, FileId, Severity};
use bumpalo::Bump;

use crate::syntax::codes;
use crate::syntax::names::Names;

/// Gives `text` in the one style.
///
/// # Errors
/// The diagnostics of a text with syntax errors other than missing `;`.
pub fn format(file: FileId, text: &str) -> Result<String, Vec<Diagnostic>> {
    let (_, diagnostics) = crate::syntax::parse(&Bump::new(), &mut Names::new(), file, text);
    // A missing `;` can be put in.
    let stops =
        |diagnostic: &Diagnostic| diagnostic.severity == Severity::Error && diagnostic.code != codes::MISSING_SEMICOLON;
    if diagnostics.iter().any(stops) {
        return Err(diagnostics);
    }
    let mut formatted = once(file, text);
    // A comment that moves, or a `,` that is put in, may let the next pass choose otherwise; it soon has nothing left to choose.
    for _ in 0..MOST_PASSES {
        let again = once(file, &formatted);
        if again == formatted {
            break;
        }
        formatted = again;
    }
    Ok(formatted)
}

/// How often a text is formatted until nothing changes any more.
const MOST_PASSES: usize = 8;

/// One pass over a text without other syntax errors than missing `;`.
fn once(file: FileId, text: &str) -> String {
    let lexed = crate::syntax::lexer::lex(file, text, &mut Vec::new());
    let mut writer = writer::Writer::new(&lexed);
    let mut before = None;
    for (kind, nodes) in crate::syntax::nodes(file, &lexed) {
        if let Some(root) = nodes.root() {
            writer.piece(root, kind, before);
            before = Some(kind);
        }
    }
    layout::print(&writer.finish())
}

#[cfg(test)]
mod tests;
