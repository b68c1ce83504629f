//! Splits a file into directives and items, and measures nesting, before the grammar sees any of it.
//!
//! A syntax error in one item thus hides none in the next, and the grammar's recursion is bounded by [`MAX_NESTING`]
//! whatever the input. Linear in the number of tokens.

use std::ops::Range;

use akari_ir::{Diagnostic, FileId, Span};

use super::codes;
use super::lexer::{Lexed, Token};

/// How deep brackets, conditional operators, closures and function types may nest in one another.
pub(crate) const MAX_NESTING: usize = 128;

/// How many tokens one item may have; a bound on the memory that reading it takes.
const MAX_ITEM_TOKENS: usize = 1_000_000;

/// The words and signs that begin an item or directive; seen at the start of a line they end whatever was before.
const STARTERS: &[&str] = &["fn", "struct", "enum", "bitfield", "const", "let", "private", "@", "#"];

/// What a piece of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A line that begins with `#`.
    Directive,
    /// A definition, or what may have been meant as one.
    Item,
}

/// A run of tokens that is read on its own.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    /// Indices of its tokens; never empty.
    pub(crate) tokens: Range<usize>,
    /// Whether it must not be read: its brackets are wrong (reported), or it is too large.
    pub(crate) broken: bool,
}

/// Splits `lexed` into pieces, in order.
pub(crate) fn split(file: FileId, lexed: &Lexed<'_>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Piece> {
    let mut splitter = Splitter { file, lexed, at: 0, cut_at_first_column: false, diagnostics };
    let mut pieces = Vec::new();
    while splitter.at < lexed.tokens.len() {
        pieces.extend(splitter.piece());
    }
    pieces
}

impl<'t> Lexed<'t> {
    /// The text of a token.
    pub(crate) fn token_text(&self, token: Token) -> &'t str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or("")
    }

    /// The text of the token with this index; empty when there is none.
    pub(crate) fn text_at(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |&token| self.token_text(token))
    }

    /// Whether only blanks stand before the token on its line.
    pub(crate) fn starts_line(&self, index: usize) -> bool {
        index == 0 || self.newline_between(self.tokens[index - 1].end, self.tokens[index].start)
    }

    /// Whether a line ends between two offsets.
    pub(crate) fn newline_between(&self, from: u32, to: u32) -> bool {
        self.text.as_bytes().get(from as usize..to as usize).is_some_and(|gap| gap.contains(&b'\n'))
    }

    /// Whether characters that were reported stand between the token and the one before it.
    pub(crate) fn bad_before(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before)).map_or(0, |before| before.end);
        let start = self.tokens.get(index).map_or(u32::MAX, |token| token.start);
        let at = self.bad.partition_point(|&bad| bad < before);
        self.bad.get(at).is_some_and(|&bad| bad < start)
    }

    /// The offset where the line of the token ends.
    pub(crate) fn rest_of_line(&self, index: usize) -> u32 {
        let start = self.tokens.get(index).map_or(self.text.len(), |token| token.start as usize);
        let length = self.text[start..].find('\n').unwrap_or(self.text.len() - start);
        u32::try_from(start + length).unwrap_or(u32::MAX)
    }

    /// How many bytes of blanks begin the line that holds `offset`.
    fn indentation(&self, offset: u32) -> usize {
        let before = &self.text.as_bytes()[..offset as usize];
        let line = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        self.text.as_bytes()[line..].iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count()
    }
}

struct Splitter<'s> {
    file: FileId,
    lexed: &'s Lexed<'s>,
    /// The next token.
    at: usize,
    /// Set when a bracket turned out to be open at the end of the file: from then on an item is taken to end where
    /// something that begins an item stands in the first column, whatever is still open.
    cut_at_first_column: bool,
    diagnostics: &'s mut Vec<Diagnostic>,
}

/// An open bracket.
struct Open {
    token: usize,
    /// `?`, closures and function types since the last `,` or `;` directly in it, which nest without brackets.
    unbracketed: usize,
}

/// What is known of the brackets of an item so far.
#[derive(Default)]
struct Brackets {
    open: Vec<Open>,
    unbracketed: usize,
    /// Whether the `|` that ends a closure's parameters is still to come.
    in_closure_parameters: bool,
    /// A `{` whose `}` is indented otherwise: the likely culprit when a bracket stays open.
    suspect: Option<(usize, usize)>,
    broken: bool,
}

impl<'s> Splitter<'s> {
    fn text(&self, index: usize) -> &'s str {
        self.lexed.text_at(index)
    }

    fn span(&self, index: usize) -> Span {
        self.lexed
            .tokens
            .get(index)
            .map_or(Span::new(self.file, 0, 0), |token| Span::new(self.file, token.start, token.end))
    }

    fn piece(&mut self) -> Option<Piece> {
        match self.text(self.at) {
            "#" => Some(self.directive()),
            ";" => {
                let message = "this `;` ends nothing";
                self.diagnostics.push(Diagnostic::warning(codes::STRAY_SEMICOLON, self.span(self.at), message));
                while self.text(self.at) == ";" {
                    self.at += 1;
                }
                None
            }
            closer @ (")" | "]" | "}") => {
                let message = format!("unexpected `{closer}`: no bracket is open here");
                self.diagnostics.push(Diagnostic::error(codes::UNOPENED_BRACKET, self.span(self.at), message));
                while matches!(self.text(self.at), ")" | "]" | "}" | ";") {
                    self.at += 1;
                }
                None
            }
            _ => Some(self.item()),
        }
    }

    /// A directive: to the end of its line, or of the next one after a `,`.
    fn directive(&mut self) -> Piece {
        let first = self.at;
        self.at += 1;
        while self.at < self.lexed.tokens.len() {
            let continues = self.text(self.at - 1) == "," && self.lexed.tokens[self.at].is_word();
            let ends = !continues || STARTERS.contains(&self.text(self.at));
            if ends && self.lexed.starts_line(self.at) {
                break;
            }
            self.at += 1;
        }
        Piece { kind: PieceKind::Directive, tokens: first..self.at, broken: false }
    }

    fn item(&mut self) -> Piece {
        let first = self.at;
        let mut brackets = Brackets::default();
        // The first word that is no attribute and not `private`: what the item is.
        let mut keyword = None;
        let end = loop {
            let index = self.at;
            let Some(&token) = self.lexed.tokens.get(index) else { break index };
            let text = self.lexed.token_text(token);
            let outside = brackets.open.is_empty();
            if outside
                && index > first
                && keyword.is_some()
                && STARTERS.contains(&text)
                && self.lexed.starts_line(index)
            {
                break index;
            }
            let first_column = token.start == 0 || self.lexed.text.as_bytes()[token.start as usize - 1] == b'\n';
            if !outside && first_column && (self.cut_at_first_column || brackets.broken) && STARTERS.contains(&text) {
                break index;
            }
            self.at += 1;
            match text {
                "(" | "[" | "{" => self.nest(&mut brackets, index, false),
                ")" | "]" | "}" => {
                    self.close(&mut brackets, index);
                    let ends_item = text == "}" && brackets.open.is_empty();
                    let value = keyword.is_some_and(|keyword| matches!(self.text(keyword), "const" | "let"));
                    if ends_item && !value {
                        break self.at;
                    }
                }
                "?" => self.nest(&mut brackets, index, true),
                "||" if self.begins_closure(first, index) => self.nest(&mut brackets, index, true),
                "|" if brackets.in_closure_parameters => brackets.in_closure_parameters = false,
                "|" if self.begins_closure(first, index) => {
                    brackets.in_closure_parameters = true;
                    self.nest(&mut brackets, index, true);
                }
                ";" if outside => break self.at,
                ";" | "," if !brackets.in_closure_parameters => {
                    if let Some(innermost) = brackets.open.last_mut() {
                        brackets.unbracketed -= innermost.unbracketed;
                        innermost.unbracketed = 0;
                    }
                }
                _ if token.is_word() => {
                    if outside
                        && keyword.is_none()
                        && text != "private"
                        && self.lexed.text_at(index.wrapping_sub(1)) != "@"
                    {
                        keyword = Some(index);
                    }
                    if text == "fn" && self.lexed.text_at(index.wrapping_sub(1)) == "->" {
                        self.nest(&mut brackets, index, true);
                    }
                }
                _ => {}
            }
        };
        if !brackets.open.is_empty() && !brackets.broken {
            self.report_unclosed(&mut brackets);
            if end == self.lexed.tokens.len() && !self.cut_at_first_column {
                // Everything up to here was taken for one item. Read it again, ending at the first sign of another.
                self.cut_at_first_column = true;
                let next = (first + 1..end).find(|&index| {
                    let start = self.lexed.tokens[index].start as usize;
                    let first_column = self.lexed.text.as_bytes().get(start.wrapping_sub(1)) == Some(&b'\n');
                    let attributed = keyword.is_none_or(|keyword| index <= keyword);
                    first_column && !attributed && STARTERS.contains(&self.text(index))
                });
                self.at = next.unwrap_or(end);
                return Piece { kind: PieceKind::Item, tokens: first..self.at, broken: true };
            }
        }
        if end - first > MAX_ITEM_TOKENS && !brackets.broken {
            brackets.broken = true;
            let message = format!("this item is too long: it has more than {MAX_ITEM_TOKENS} words and signs");
            self.diagnostics.push(Diagnostic::error(codes::TOO_LARGE, self.span(first), message));
        }
        Piece { kind: PieceKind::Item, tokens: first..end, broken: brackets.broken }
    }

    /// Whether the bar at `index` stands where an operand is due.
    fn begins_closure(&self, first: usize, index: usize) -> bool {
        if index == first {
            return false;
        }
        let before = self.lexed.tokens[index - 1];
        match self.lexed.token_text(before) {
            "return" => true,
            ")" | "]" | "}" | "++" | "--" => false,
            _ => !before.is_word() && before.code != super::lexer::NUMBER,
        }
    }

    /// Goes one level deeper, by a bracket or without one.
    fn nest(&mut self, brackets: &mut Brackets, index: usize, unbracketed: bool) {
        if unbracketed {
            // Outside of brackets nothing takes this back before the item ends.
            brackets.unbracketed += 1;
            if let Some(innermost) = brackets.open.last_mut() {
                innermost.unbracketed += 1;
            }
        } else {
            brackets.open.push(Open { token: index, unbracketed: 0 });
        }
        if brackets.open.len() + brackets.unbracketed > MAX_NESTING && !brackets.broken {
            brackets.broken = true;
            let message = format!("nested too deeply: more than {MAX_NESTING} levels");
            self.diagnostics.push(Diagnostic::error(codes::NESTED_TOO_DEEPLY, self.span(index), message));
        }
    }

    fn close(&mut self, brackets: &mut Brackets, index: usize) {
        let closer = self.text(index);
        let opener = match closer {
            ")" => "(",
            "]" => "[",
            _ => "{",
        };
        let Some(position) = brackets.open.iter().rposition(|open| self.text(open.token) == opener) else {
            if !brackets.broken {
                brackets.broken = true;
                let message = format!("unexpected `{closer}`: no `{opener}` is open here");
                let mut diagnostic = Diagnostic::error(codes::UNOPENED_BRACKET, self.span(index), message);
                if let Some(open) = brackets.open.last() {
                    let message = format!("the innermost open bracket is this `{}`", self.text(open.token));
                    diagnostic = diagnostic.note_at(self.span(open.token), message);
                }
                self.diagnostics.push(diagnostic);
            }
            return;
        };
        if position + 1 < brackets.open.len() && !brackets.broken {
            brackets.broken = true;
            let unclosed = brackets.open.last().map_or(index, |open| open.token);
            let message = format!("this `{}` is never closed", self.text(unclosed));
            let note = format!("this `{closer}` comes first");
            let diagnostic = Diagnostic::error(codes::UNCLOSED_BRACKET, self.span(unclosed), message);
            self.diagnostics.push(diagnostic.note_at(self.span(index), note));
        }
        let opened = brackets.open[position].token;
        for open in brackets.open.drain(position..) {
            brackets.unbracketed -= open.unbracketed;
        }
        if closer == "}" && brackets.suspect.is_none() && !brackets.broken && self.lexed.starts_line(index) {
            let (open_at, close_at) = (self.lexed.tokens[opened].start, self.lexed.tokens[index].start);
            if self.lexed.indentation(open_at) > self.lexed.indentation(close_at) {
                brackets.suspect = Some((opened, index));
            }
        }
    }

    fn report_unclosed(&mut self, brackets: &mut Brackets) {
        brackets.broken = true;
        let Some(innermost) = brackets.open.last().map(|open| open.token) else { return };
        let diagnostic = match brackets.suspect {
            Some((opened, closer)) => {
                let message = format!("this `{}` is never closed", self.text(opened));
                Diagnostic::error(codes::UNCLOSED_BRACKET, self.span(opened), message)
                    .note_at(self.span(closer), "going by its indentation, this `}` was meant to close another one")
            }
            None => {
                let message = format!("this `{}` is never closed", self.text(innermost));
                Diagnostic::error(codes::UNCLOSED_BRACKET, self.span(innermost), message)
            }
        };
        self.diagnostics.push(diagnostic);
    }
}
