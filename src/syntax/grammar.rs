//! The parser that pest makes of `akari.pest`.

use pest_derive::Parser;

/// Reads text by the rules of the grammar.
#[derive(Parser)]
#[grammar = "syntax/akari.pest"]
pub(crate) struct AkariParser;
