//! The buffer that text targets print into: lines with indentation, and where in the source each came from.

use akari_ir::{FileId, Span};

use crate::SourceFile;

/// Where a line of emitted text came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOrigin {
    /// The line of the emitted text, counted from 1.
    pub line: u32,
    /// The source text that it says.
    pub span: Span,
}

/// Text under construction.
#[derive(Debug, Default)]
pub struct Text<'s> {
    sources: Option<&'s [SourceFile]>,
    /// The line of the source that a compiler takes the next line of the text for.
    next_line: Option<(FileId, u32)>,
    buffer: String,
    indent: usize,
    line: u32,
    line_open: bool,
    origins: Vec<LineOrigin>,
}

/// The columns that one level of indentation takes.
const INDENT: &str = "    ";

impl<'s> Text<'s> {
    /// Prints `#line` directives for these source files, if there are any.
    pub fn set_sources(&mut self, sources: Option<&'s [SourceFile]>) {
        self.sources = sources;
    }

    /// Appends to the current line; `text` has no line break.
    pub fn push(&mut self, text: &str) {
        if !self.line_open && !text.is_empty() {
            for _ in 0..self.indent {
                self.buffer.push_str(INDENT);
            }
            self.line_open = true;
        }
        self.buffer.push_str(text);
    }

    /// Ends the current line.
    pub fn end_line(&mut self) {
        self.buffer.push('\n');
        self.line += 1;
        self.line_open = false;
        if let Some((_, line)) = &mut self.next_line {
            *line += 1;
        }
    }

    /// A whole line.
    pub fn line(&mut self, text: &str) {
        self.push(text);
        self.end_line();
    }

    /// A line that is not indented, such as a preprocessor directive.
    pub fn directive(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.end_line();
    }

    /// An empty line, unless the text is empty or ends in one, or a brace was just opened.
    pub fn blank_line(&mut self) {
        if !self.buffer.is_empty() && !self.buffer.ends_with("\n\n") && !self.buffer.ends_with("{\n") {
            self.end_line();
        }
    }

    /// Prints ` {` and indents what follows.
    pub fn open_brace(&mut self) {
        self.push(if self.line_open { " {" } else { "{" });
        self.end_line();
        self.indent += 1;
    }

    /// Prints `}` one level further out, and leaves the line open.
    pub fn close_brace(&mut self) {
        self.outdent();
        self.push("}");
    }

    /// Indents what follows by one level more.
    pub fn indent(&mut self) {
        self.indent += 1;
    }

    /// Indents what follows by one level less.
    pub fn outdent(&mut self) {
        self.indent = self.indent.saturating_sub(1);
    }

    /// Says that the current line came from `span`, where one is given.
    pub fn came_from(&mut self, span: Option<Span>) {
        let Some(span) = span else { return };
        if !self.line_open {
            self.line_directive(span);
        }
        let line = self.line + 1;
        if self.origins.last().is_none_or(|last| last.line != line) {
            self.origins.push(LineOrigin { line, span });
        }
    }

    /// Tells the target's compiler where in the source it is, unless it thinks so already.
    fn line_directive(&mut self, span: Span) {
        let Some(file) = self.sources.and_then(|sources| sources.get(span.file.0 as usize)) else { return };
        let line = file.line_starts.partition_point(|start| *start <= span.start) as u32;
        if self.next_line != Some((span.file, line)) {
            let name = file.name.replace('\\', "\\\\").replace('"', "\\\"");
            self.next_line = None;
            self.directive(&format!("#line {line} \"{name}\""));
            self.next_line = Some((span.file, line));
        }
    }

    /// What was printed last, for decisions about spacing.
    #[must_use]
    pub fn ends_with(&self, suffix: &str) -> bool {
        self.buffer.ends_with(suffix)
    }

    /// The text, and the origins of its lines in order.
    #[must_use]
    pub fn finish(self) -> (String, Vec<LineOrigin>) {
        (self.buffer, self.origins)
    }
}
