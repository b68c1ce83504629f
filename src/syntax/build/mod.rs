//! Pairs of the grammar to nodes of the tree.
//!
//! What the grammar lets pass for the sake of better messages (a missing `;`, a constant without a value) is reported here.

mod directives;
mod expressions;
mod items;
mod literals;
mod statements;
mod types;

use akari_ir::{Code, Diagnostic, FileId, Span};
use bumpalo::Bump;
use pest::iterators::{Pair, Pairs};

use super::ast::{Ident, MAX_DEPTH};
use super::codes;
use super::grammar::Rule;
use super::lexer::{Comment, CommentKind, Lexed, offset};
use super::names::Names;

pub(crate) use directives::Header;

/// What it takes to build nodes.
pub(crate) struct Builder<'a, 's> {
    pub(crate) arena: &'a Bump,
    pub(crate) names: &'s mut Names,
    pub(crate) file: FileId,
    pub(crate) lexed: &'s Lexed,
    pub(crate) diagnostics: &'s mut Vec<Diagnostic>,
    /// Doc comments, in order.
    docs: Vec<Comment>,
    /// The text as written, for doc comments.
    text: &'s str,
    /// Where in the file the text begins that the grammar read.
    base: u32,
    /// The depth of the node that is being built; at most [`MAX_DEPTH`].
    depth: usize,
}

/// The node cannot be built; the reason has been reported.
#[derive(Debug)]
pub(crate) struct Abandoned;

/// A node, unless the reason against it has been reported.
pub(crate) type Built<T> = Result<T, Abandoned>;

impl<'a, 's> Builder<'a, 's> {
    pub(crate) fn new(
        arena: &'a Bump,
        names: &'s mut Names,
        file: FileId,
        text: &'s str,
        lexed: &'s Lexed,
        diagnostics: &'s mut Vec<Diagnostic>,
    ) -> Self {
        let docs = lexed.comments.iter().filter(|comment| comment.kind == CommentKind::Doc).copied().collect();
        Self { arena, names, file, lexed, diagnostics, docs, text, base: 0, depth: 0 }
    }

    /// Begins to build from a text that starts at `base` of the file.
    pub(crate) fn start(&mut self, base: u32) {
        self.base = base;
        self.depth = 0;
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.report(Diagnostic::error(code, span, message))
    }

    fn report(&mut self, diagnostic: Diagnostic) -> &mut Diagnostic {
        let index = self.diagnostics.len();
        self.diagnostics.push(diagnostic);
        &mut self.diagnostics[index]
    }

    /// The place of a pair. A pair may end in blanks that the grammar skipped for something that did not come; they are not part of it.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let span = pair.as_span();
        let start = self.base + offset(span.start());
        let mut end = self.base + offset(span.end());
        let bytes = self.lexed.clean.as_bytes();
        while end > start && bytes[end as usize - 1].is_ascii_whitespace() {
            end -= 1;
        }
        Span::new(self.file, start, end)
    }

    /// The place just after the last sign before the end of `pair`, where something is missing.
    fn gap_before(&self, pair: &Pair<'_, Rule>) -> Span {
        let at = self.base + offset(pair.as_span().start());
        let index = self.lexed.tokens.partition_point(|token| token.start < at);
        let end = index.checked_sub(1).map_or(at, |index| self.lexed.tokens[index].end);
        Span::new(self.file, end, end)
    }

    fn ident(&mut self, pair: &Pair<'_, Rule>) -> Ident {
        Ident { name: self.names.intern(pair.as_str()), span: self.span(pair) }
    }

    /// Builds something `levels` deeper than what is being built; refuses beyond the limit.
    fn deeper<T>(&mut self, levels: usize, at: Span, build: impl FnOnce(&mut Self) -> Built<T>) -> Built<T> {
        if self.depth + levels > MAX_DEPTH {
            let message = format!("nested too deeply: more than {MAX_DEPTH} levels");
            self.error(codes::NESTED_TOO_DEEPLY, at, message);
            return Err(Abandoned);
        }
        self.depth += levels;
        let built = build(self);
        self.depth -= levels;
        built
    }

    /// The doc comment that ends just before `start`, where a definition begins.
    fn docs_before(&self, start: u32) -> &'a [&'a str] {
        if self.docs.is_empty() {
            return &[];
        }
        let first_token = self.lexed.tokens.partition_point(|token| token.start < start);
        let after = first_token.checked_sub(1).map_or(0, |index| self.lexed.tokens[index].end);
        let from = self.docs.partition_point(|comment| comment.start < after);
        let to = self.docs.partition_point(|comment| comment.start < start);
        let lines = self.docs[from..to].iter().map(|comment| {
            let line = self.text.get(comment.start as usize + 3..comment.end as usize).unwrap_or("");
            &*self.arena.alloc_str(line.strip_prefix(' ').unwrap_or(line).trim_end())
        });
        let lines: Vec<&'a str> = lines.collect();
        self.arena.alloc_slice_copy(&lines)
    }
}

/// The pairs inside a pair, one after the other, without punctuation that says nothing.
struct Children<'i> {
    pairs: Pairs<'i, Rule>,
    next: Option<Pair<'i, Rule>>,
}

impl<'i> Children<'i> {
    fn of(pair: Pair<'i, Rule>) -> Self {
        let mut children = Self { pairs: pair.into_inner(), next: None };
        children.advance();
        children
    }

    fn advance(&mut self) -> Option<Pair<'i, Rule>> {
        let following = loop {
            match self.pairs.next() {
                Some(pair) if is_silent(pair.as_rule()) => {}
                following => break following,
            }
        };
        std::mem::replace(&mut self.next, following)
    }

    fn peek(&self) -> Option<Rule> {
        self.next.as_ref().map(Pair::as_rule)
    }

    fn take_if(&mut self, rule: Rule) -> Option<Pair<'i, Rule>> {
        if self.peek() == Some(rule) { self.advance() } else { None }
    }

    /// The next pair, which the grammar promises.
    fn expect(&mut self) -> Built<Pair<'i, Rule>> {
        self.advance().ok_or(Abandoned)
    }
}

impl<'i> Iterator for Children<'i> {
    type Item = Pair<'i, Rule>;

    fn next(&mut self) -> Option<Self::Item> {
        self.advance()
    }
}

fn is_silent(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::open_paren
            | Rule::close_paren
            | Rule::close_bracket
            | Rule::comma
            | Rule::colon
            | Rule::equals
            | Rule::at
            | Rule::arrow
            | Rule::bar
            | Rule::close_angle
            | Rule::EOI
    )
}
