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

/// The columns that a line should not exceed.
const WIDTH: usize = 120;

/// Where to break a line that is wider than `width`: after a comma or before an operator, as little nested as may be, there at what
/// binds most weakly, then as far to the right.
fn best_break(line: &str, width: usize) -> Option<usize> {
    if line.len() <= width {
        return None;
    }
    let bytes = line.as_bytes();
    // Below 0 where what stands before the line opened more than it closed.
    let mut depth = 0_isize;
    let mut best: Option<(isize, u8, usize)> = None;
    for at in 0..bytes.len().min(width) {
        let (binding, here) = match bytes[at] {
            b'(' | b'[' | b'{' => {
                depth += 1;
                continue;
            }
            b')' | b']' | b'}' => {
                depth -= 1;
                continue;
            }
            b',' if bytes.get(at + 1) == Some(&b' ') => (0, at + 2),
            b' ' => match operator_binding(&line[at + 1..]) {
                Some(binding) => (binding, at + 1),
                None => continue,
            },
            _ => continue,
        };
        let is_better = best.is_none_or(|(least, weakest, _)| (depth, binding) <= (least, weakest));
        if at > width / 3 && is_better {
            best = Some((depth, binding, here));
        }
    }
    best.map(|(.., at)| at)
}

/// How strongly the binary operator binds that stands here, if a line may begin with it; above the 0 of a comma.
fn operator_binding(text: &str) -> Option<u8> {
    let word = text.split(' ').next().unwrap_or_default();
    let binding = match word {
        "?" | ":" => 1,
        "||" => 2,
        "&&" => 3,
        "|" => 4,
        "^" => 5,
        "&" => 6,
        "+" | "-" => 7,
        "*" | "/" => 8,
        _ => return None,
    };
    (text.len() > word.len()).then_some(binding)
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

    /// Ends the current line; a long one is broken where it nests least.
    pub fn end_line(&mut self) {
        self.wrap();
        self.line_feed();
    }

    fn line_feed(&mut self) {
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

    /// A line that is not indented nor broken, such as a preprocessor directive or a comment.
    pub fn directive(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.line_feed();
    }

    /// A comment line, never broken.
    pub fn comment(&mut self, text: &str) {
        self.push(text);
        self.line_feed();
    }

    /// Breaks the current line, which is indented, into lines of at most [`WIDTH`] columns where that can be.
    fn wrap(&mut self) {
        let start = self.buffer.rfind('\n').map_or(0, |at| at + 1);
        if self.buffer.len() - start <= WIDTH {
            return;
        }
        let line = self.buffer.split_off(start);
        let continuation = INDENT.repeat(self.indent + 1);
        let mut rest = line.as_str();
        let mut is_first = true;
        while let Some(at) = best_break(rest, WIDTH - if is_first { 0 } else { continuation.len() }) {
            if !is_first {
                self.buffer.push_str(&continuation);
            }
            self.buffer.push_str(rest[..at].trim_end());
            self.line_feed();
            rest = rest[at..].trim_start();
            is_first = false;
        }
        if !is_first {
            self.buffer.push_str(&continuation);
        }
        self.buffer.push_str(rest);
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
            // A name may hold anything; a directive ends with its line.
            let name: String = file.name.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect();
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
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
