//! Which part of an item to pass over after a syntax error, so that the next error in it is found too.

use std::ops::Range;

use super::lexer::Lexed;

/// Words that begin a statement, and that a statement before them has ended when they begin a line.
const STATEMENT_WORDS: &[&str] = &[
    "let", "var", "const", "if", "for", "while", "do", "switch", "case", "default", "return", "break", "continue",
    "discard",
];

/// A bracket that is open at the error.
struct Open {
    /// What the parts in it are; `None` for brackets that hold no parts to pass over.
    parts: Option<Parts>,
    /// Where its current part begins, as an index of a token.
    part: usize,
}

/// What a pair of braces holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parts {
    /// Statements or fields, which `;` ends.
    Ended,
    /// Cases or bitfield fields, which `,` separates.
    Separated,
}

/// The tokens of the statement, field or case that holds the token `fault` of the item `item`; `None` where there is none,
/// as in the signature of a function.
pub(crate) fn faulty_part(lexed: &Lexed<'_>, item: Range<usize>, fault: usize) -> Option<Range<usize>> {
    let mut open: Vec<Open> = Vec::new();
    let keyword = (item.start..fault.min(item.end))
        .find(|&index| matches!(lexed.text_at(index), "fn" | "struct" | "enum" | "bitfield"));
    let body = if keyword.is_some_and(|keyword| matches!(lexed.text_at(keyword), "enum" | "bitfield")) {
        Parts::Separated
    } else {
        Parts::Ended
    };
    for index in item.start..fault.min(item.end) {
        match lexed.text_at(index) {
            "(" | "[" => open.push(Open { parts: None, part: index }),
            "{" => {
                let parts =
                    if open.is_empty() { Some(body) } else { opens_block(lexed, index).then_some(Parts::Ended) };
                open.push(Open { parts, part: index + 1 });
            }
            ")" | "]" | "}" => {
                let closed = open.pop()?;
                if let Some(parent) = open.last_mut()
                    && closed.parts.is_some()
                    && parent.parts == Some(Parts::Ended)
                    && block_ends_statement(lexed, parent.part, index)
                {
                    parent.part = index + 1;
                }
            }
            ";" => advance(&mut open, Parts::Ended, index),
            "," => advance(&mut open, Parts::Separated, index),
            ":" if open.last().is_some_and(|open| matches!(lexed.text_at(open.part), "case" | "default")) => {
                advance(&mut open, Parts::Ended, index);
            }
            _ => {}
        }
    }
    let position = open.iter().rposition(|open| open.parts.is_some())?;
    let block = &open[position];
    let end = part_end(lexed, item.end, block, fault, open.len() - position - 1);
    (block.part < end).then_some(block.part..end)
}

fn advance(open: &mut [Open], parts: Parts, index: usize) {
    if let Some(innermost) = open.last_mut()
        && innermost.parts == Some(parts)
    {
        innermost.part = index + 1;
    }
}

/// Where the part of `block` that holds `fault` ends; `depth` brackets are open between the two.
fn part_end(lexed: &Lexed<'_>, limit: usize, block: &Open, fault: usize, mut depth: usize) -> usize {
    // The `;` of a `for` without parentheses do not end it.
    let header = fault.checked_sub(1).is_some_and(|before| lexed.text_at(before) == "for");
    for index in fault..limit {
        let text = lexed.text_at(index);
        if depth == 0
            && !header
            && index > fault
            && STATEMENT_WORDS.contains(&text)
            && lexed.starts_line(index)
            && index > block.part
        {
            return index;
        }
        match text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                let Some(outer) = depth.checked_sub(1) else { return index };
                depth = outer;
                if depth == 0 && text == "}" && block_ends_statement(lexed, block.part, index) {
                    return index + 1;
                }
            }
            ";" if depth == 0 && !header && block.parts == Some(Parts::Ended) => return index + 1,
            "," if depth == 0 && block.parts == Some(Parts::Separated) => return index + 1,
            _ => {}
        }
    }
    limit
}

/// Whether the `{` at `index` opens a block and not a struct literal.
fn opens_block(lexed: &Lexed<'_>, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return true };
    match lexed.text_at(before) {
        "else" | "do" | ")" | ";" | "{" | "}" | "|" | "||" | ":" => true,
        _ => lexed.text_at(before.wrapping_sub(1)) == "->" || !lexed.tokens[before].is_name(),
    }
}

/// Whether the `}` at `index` ends the statement that begins at `first`.
fn block_ends_statement(lexed: &Lexed<'_>, first: usize, index: usize) -> bool {
    if lexed.text_at(index + 1) == "else" {
        return false;
    }
    let mut word = first;
    while lexed.text_at(word) == "@" {
        word += 2;
        if lexed.text_at(word) == "(" {
            word = (word..index).find(|&at| lexed.text_at(at) == ")").map_or(index, |close| close + 1);
        }
    }
    matches!(lexed.text_at(word), "if" | "for" | "while" | "switch" | "else" | "{")
}
