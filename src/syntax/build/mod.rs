//! What the grammar found, to nodes of the tree.
//!
//! What the grammar lets pass for the sake of better messages (a missing `;`, a constant without a value) is reported here.

mod directives;
mod expressions;
mod items;
pub(crate) mod literals;
mod nodes;
mod statements;
mod types;

use std::ops::Range;

use akari_ir::{Code, Diagnostic, FileId, Span};
use bumpalo::Bump;

use super::ast::{Ident, MAX_DEPTH};
use super::codes;
use super::grammar::Rule;
use super::lexer::{Comment, CommentKind, Lexed};
use super::names::Names;

pub(crate) use directives::Header;
pub(crate) use expressions::precedence_of;
use nodes::Children;
pub(crate) use nodes::{Node, Nodes};

/// What it takes to build nodes.
pub(crate) struct Builder<'a, 's> {
    pub(crate) arena: &'a Bump,
    pub(crate) names: &'s mut Names,
    pub(crate) file: FileId,
    pub(crate) lexed: &'s Lexed<'s>,
    pub(crate) diagnostics: &'s mut Vec<Diagnostic>,
    /// Doc comments, in order.
    docs: Vec<Comment>,
    /// The tokens of the item that is being built.
    item: Range<usize>,
    /// Up to here nothing is reported: the rest of a line that was not understood.
    quiet_until: u32,
    /// Whether nothing of the item was passed over for a syntax error.
    intact: bool,
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
        lexed: &'s Lexed<'s>,
        diagnostics: &'s mut Vec<Diagnostic>,
    ) -> Self {
        let docs = lexed.comments.iter().filter(|comment| comment.kind == CommentKind::Doc).copied().collect();
        Self { arena, names, file, lexed, diagnostics, docs, item: 0..0, quiet_until: 0, intact: true, depth: 0 }
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span.is_none_or(|span| span.start >= self.quiet_until) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The text of a node.
    fn text(&self, node: Node<'_>) -> &'s str {
        let span = self.span(node);
        self.lexed.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The place of a node; where it is empty, just after the token before it.
    fn span(&self, node: Node<'_>) -> Span {
        let tokens = &self.lexed.tokens;
        let end = node.end().checked_sub(1).and_then(|last| tokens.get(last)).map_or(0, |last| last.end);
        let start = tokens.get(node.start()).map_or(end, |first| first.start);
        Span::new(self.file, start.min(end), end)
    }

    /// The place just after the token before an empty node, where something is missing.
    fn gap(&self, node: Node<'_>) -> Span {
        let end = node.start().checked_sub(1).map_or(0, |before| self.lexed.tokens[before].end);
        Span::new(self.file, end, end)
    }

    fn ident(&mut self, node: Node<'_>) -> Ident {
        let name = self.names.intern(self.lexed.text_at(node.start()));
        Ident { name, span: self.span(node) }
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
            let line = self.lexed.text.get(comment.start as usize + 3..comment.end as usize).unwrap_or("");
            &*self.arena.alloc_str(line.strip_prefix(' ').unwrap_or(line).trim_end())
        });
        let lines: Vec<&'a str> = lines.collect();
        self.arena.alloc_slice_copy(&lines)
    }
}
