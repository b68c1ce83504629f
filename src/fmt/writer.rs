//! Writes tokens and comments into a document.

use super::layout::Command;
use crate::syntax::lexer::{Comment, CommentKind, Lexed};

/// Makes a document of the tokens of a file. Every token is written or dropped exactly once, in order; comments come along.
pub(super) struct Writer<'t> {
    pub(super) lexed: &'t Lexed<'t>,
    out: Vec<Command<'t>>,
    /// The next token.
    at: usize,
    /// The next comment.
    comment: usize,
    /// Comments that stand behind the last token on its line. They wait for what is put in after that token.
    trailing: Vec<Comment>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(lexed: &'t Lexed<'t>) -> Self {
        Self { lexed, out: Vec::new(), at: 0, comment: 0, trailing: Vec::new() }
    }

    /// The finished document.
    pub(super) fn finish(mut self) -> Vec<Command<'t>> {
        while self.at < self.lexed.tokens.len() {
            self.drop_token();
        }
        self.begin_line(false);
        self.out
    }

    /// The number of the next token.
    pub(super) fn next(&self) -> usize {
        self.at
    }

    /// The text of the token so many places ahead.
    pub(super) fn ahead(&self, distance: usize) -> &'t str {
        self.lexed.text_at(self.at + distance)
    }

    pub(super) fn command(&mut self, command: Command<'t>) {
        self.flush();
        self.out.push(command);
    }

    /// Text that is not in the source, right behind the last token.
    pub(super) fn put_in(&mut self, text: &'static str) {
        self.out.push(Command::Text(text));
    }

    /// A `,` that is not in the source, right behind the last token, if the group is broken.
    pub(super) fn comma_if_broken(&mut self) {
        self.out.push(Command::IfBroken(","));
    }

    pub(super) fn space(&mut self) {
        self.command(Command::Text(" "));
    }

    pub(super) fn line(&mut self) {
        self.command(Command::Line);
    }

    /// Begins a group. The comments before its first token stand outside, so that they break what is around it.
    pub(super) fn group(&mut self) {
        self.comments();
        self.command(Command::Group);
    }

    pub(super) fn end_group(&mut self) {
        // What trails the last token stays inside, so that a line comment breaks the group.
        self.command(Command::EndGroup);
    }

    pub(super) fn indent(&mut self) {
        self.command(Command::Indent);
    }

    pub(super) fn dedent(&mut self) {
        self.command(Command::Dedent);
    }

    /// Writes the next token.
    pub(super) fn token(&mut self) {
        self.flush();
        self.leading();
        let text = self.lexed.text_at(self.at);
        self.out.push(Command::Text(text));
        self.advance();
    }

    /// Writes the next tokens up to `end`, with nothing between them.
    pub(super) fn tokens_to(&mut self, end: usize) {
        while self.at < end {
            self.token();
        }
    }

    /// Leaves the next token out; its comments stay.
    pub(super) fn drop_token(&mut self) {
        self.leading();
        self.advance();
    }

    /// Begins a line for the next token, after the comments before it, with an empty line where the source has some;
    /// `first` says that nothing stands before it in its block.
    pub(super) fn begin_line(&mut self, first: bool) {
        self.flush();
        let mut before = self.end_of_last();
        let mut first = first;
        while let Some(comment) = self.next_comment() {
            self.line_end(before, comment.start, first);
            self.write_comment(comment);
            before = comment.end;
            first = false;
            self.comment += 1;
        }
        let start = self.lexed.tokens.get(self.at).map_or(before, |token| token.start);
        self.line_end(before, start, first);
    }

    fn line_end(&mut self, from: u32, to: u32, first: bool) {
        let gap = self.lexed.text.get(from as usize..to as usize).unwrap_or("");
        let blank = !first && gap.bytes().filter(|&byte| byte == b'\n').count() > 1;
        self.out.push(if blank { Command::Blank } else { Command::Hard });
    }

    /// Where the last token, or the last comment behind it, ends.
    fn end_of_last(&self) -> u32 {
        let token = self.at.checked_sub(1).map_or(0, |last| self.lexed.tokens[last].end);
        let comment = self.comment.checked_sub(1).map_or(0, |last| self.lexed.comments[last].end);
        token.max(comment)
    }

    /// Whether a comment stands between the next token and the one with the number `end`.
    pub(super) fn comments_before(&self, end: usize) -> bool {
        let limit = self.lexed.tokens.get(end).map_or(u32::MAX, |token| token.start);
        !self.trailing.is_empty() || self.lexed.comments.get(self.comment).is_some_and(|comment| comment.start < limit)
    }

    /// The next comment, if it stands before the next token.
    fn next_comment(&self) -> Option<Comment> {
        let comment = *self.lexed.comments.get(self.comment)?;
        let token = self.lexed.tokens.get(self.at).map_or(u32::MAX, |token| token.start);
        (comment.start < token).then_some(comment)
    }

    fn comment_text(&self, comment: Comment) -> &'t str {
        self.lexed.text.get(comment.start as usize..comment.end as usize).unwrap_or("").trim_end()
    }

    fn write_comment(&mut self, comment: Comment) {
        let text = self.comment_text(comment);
        self.out.push(match comment.kind {
            CommentKind::Line | CommentKind::Doc => Command::LineComment(text),
            CommentKind::Block => Command::BlockComment(text),
        });
    }

    /// Writes the comments before the next token.
    pub(super) fn comments(&mut self) {
        if self.comments_before(self.at) {
            self.flush();
            self.leading();
        }
    }

    /// Writes the comments between the last token and the next one that do not trail the last one.
    fn leading(&mut self) {
        let start = self.lexed.tokens.get(self.at).map_or(u32::MAX, |token| token.start);
        while let Some(comment) = self.next_comment() {
            let own_line = self.lexed.newline_between(self.end_of_last(), comment.start);
            if own_line {
                self.out.push(Command::Hard);
            }
            self.write_comment(comment);
            self.comment += 1;
            let following = self.next_comment().map_or(start, |next| next.start);
            if self.lexed.newline_between(comment.end, following) {
                self.out.push(Command::Hard);
            } else {
                self.out.push(Command::Text(" "));
            }
        }
    }

    /// Goes to the next token, and takes up the comments that trail the last one.
    fn advance(&mut self) {
        let Some(last) = self.lexed.tokens.get(self.at).copied() else { return };
        self.at += 1;
        let next = self.lexed.tokens.get(self.at).copied();
        let end = next.map_or(self.lexed.text.len(), |next| next.start as usize);
        let gap = self.lexed.text.get(last.end as usize..end).unwrap_or("");
        let line_ends = gap
            .find('\n')
            .zip(gap.rfind('\n'))
            .map(|(first, end)| (last.end as usize + first, last.end as usize + end));
        while let Some(comment) = self.next_comment() {
            if line_ends.is_some_and(|(first, _)| first < comment.start as usize) {
                break;
            }
            // A block comment before more of the line goes with what follows, unless that is a sign that ends something.
            let with_next = next.is_some_and(|next| {
                line_ends.is_none_or(|(_, last)| last < comment.end as usize)
                    && !matches!(self.lexed.token_text(next), "," | ";" | ")" | "]" | "}")
            });
            if with_next {
                break;
            }
            self.trailing.push(comment);
            self.comment += 1;
        }
    }

    fn flush(&mut self) {
        for comment in std::mem::take(&mut self.trailing) {
            if comment.kind == CommentKind::Block {
                self.out.push(Command::TrailingComment(self.comment_text(comment)));
            } else {
                self.out.push(Command::Text(" "));
                self.write_comment(comment);
            }
        }
    }
}
