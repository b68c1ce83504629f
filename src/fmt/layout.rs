//! Text with places where lines may end, and its printing within a width.
//!
//! A document is a flat list of commands. A group is printed on one line where it fits and holds nothing that forces a line
//! end; else every [`Command::Line`] and [`Command::Soft`] directly in it ends a line. Printing is linear.

/// The width that groups are fitted into, in characters.
pub(super) const WIDTH: usize = 100;

/// One level of indentation.
const INDENT: usize = 4;

/// A piece of a document.
#[derive(Clone, Debug)]
pub(super) enum Command<'t> {
    /// Text without a line end.
    Text(&'t str),
    /// A comment that must be followed by a line end.
    LineComment(&'t str),
    /// A comment that may hold line ends, which stay as they are.
    BlockComment(&'t str),
    /// The same behind a token that ends a line in the source. Where no line ends here it goes with what follows, as it will
    /// when the output is read again.
    TrailingComment(&'t str),
    /// A blank, or a line end where the group around it is broken.
    Line,
    /// Nothing, or a line end where the group around it is broken.
    Soft,
    /// A line end. Several in a row are one.
    Hard,
    /// A line end and an empty line. Several in a row are one.
    Blank,
    /// Text that is printed only where the group around it is broken.
    IfBroken(&'t str),
    /// Forces the groups around it to break.
    Break,
    /// The beginning of a group.
    Group,
    /// Its end.
    EndGroup,
    /// From here on lines are indented by one level more.
    Indent,
    /// From here on lines are indented by one level less.
    Dedent,
}

/// Prints a document; every line ends in a line end.
pub(super) fn print(commands: &[Command<'_>]) -> String {
    let extents = Extents::measure(commands);
    let mut printer = Printer {
        out: String::new(),
        column: 0,
        indent: 0,
        pending: Pending::Start,
        pending_indent: 0,
        forced: false,
        trailing: None,
    };
    // Whether each open group is broken; outside of groups lines end.
    let mut broken = vec![true];
    for (index, command) in commands.iter().enumerate() {
        let is_broken = broken.last().copied().unwrap_or(true);
        match *command {
            Command::Text(text) => printer.text(text),
            Command::IfBroken(text) => {
                if is_broken {
                    printer.text(text);
                }
            }
            Command::LineComment(text) => {
                printer.text(text);
                printer.forced = true;
            }
            Command::BlockComment(text) => printer.block_comment(text),
            Command::TrailingComment(text) => printer.trailing_comment(text),
            Command::Line | Command::Soft => {
                if is_broken {
                    printer.line_end(false);
                } else if matches!(command, Command::Line) {
                    printer.text(" ");
                }
            }
            Command::Hard => printer.line_end(false),
            Command::Blank => printer.line_end(true),
            Command::Break => {}
            Command::Group => {
                let fits = extents.fits(index, WIDTH.saturating_sub(printer.current_column()));
                broken.push(!fits);
            }
            Command::EndGroup => {
                broken.pop();
            }
            Command::Indent => printer.indent += 1,
            Command::Dedent => printer.indent = printer.indent.saturating_sub(1),
        }
    }
    printer.out.truncate(printer.out.trim_end().len());
    if !printer.out.is_empty() {
        printer.out.push('\n');
    }
    printer.out
}

/// How much room the commands take on one line.
struct Extents {
    /// The width of everything before each command.
    before: Vec<usize>,
    /// For each group, the command just behind its end; for others, nothing of interest.
    group_end: Vec<usize>,
    /// For each command, the next one that may end a line (or the end).
    next_line: Vec<usize>,
    /// How many commands before each one force a line end.
    forced: Vec<usize>,
}

impl Extents {
    fn measure(commands: &[Command<'_>]) -> Self {
        let count = commands.len();
        let mut extents = Self {
            before: vec![0; count + 1],
            group_end: vec![count; count],
            next_line: vec![count; count + 1],
            forced: vec![0; count + 1],
        };
        let mut open = Vec::new();
        for (index, command) in commands.iter().enumerate() {
            let (width, forces) = match command {
                Command::Text(text) => (text.chars().count(), false),
                Command::BlockComment(text) => (text.chars().count(), text.contains('\n')),
                Command::TrailingComment(text) => (text.chars().count() + 1, text.contains('\n')),
                // However the code before it is broken, a comment that trails it gets no shorter.
                Command::LineComment(_) => (0, true),
                Command::Line => (1, false),
                Command::Hard | Command::Blank | Command::Break => (0, true),
                Command::Soft | Command::IfBroken(_) | Command::Indent | Command::Dedent => (0, false),
                Command::Group => {
                    open.push(index);
                    (0, false)
                }
                Command::EndGroup => {
                    if let Some(group) = open.pop() {
                        extents.group_end[group] = index + 1;
                    }
                    (0, false)
                }
            };
            extents.before[index + 1] = extents.before[index] + width;
            extents.forced[index + 1] = extents.forced[index] + usize::from(forces);
        }
        for (index, command) in commands.iter().enumerate().rev() {
            let may_end = matches!(command, Command::Line | Command::Soft | Command::Hard | Command::Blank);
            extents.next_line[index] = if may_end { index } else { extents.next_line[index + 1] };
        }
        extents
    }

    /// Whether the group at `index`, with the text that follows it up to where a line may end, fits into `room`.
    fn fits(&self, index: usize, room: usize) -> bool {
        let end = self.group_end[index];
        self.forced[end] == self.forced[index] && self.before[self.next_line[end]] - self.before[index] <= room
    }
}

/// What the next text has to wait for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    /// Nothing: the line goes on.
    None,
    /// Nothing, and nothing was printed yet.
    Start,
    /// A line end.
    Line,
    /// A line end and an empty line.
    Blank,
}

struct Printer {
    out: String,
    column: usize,
    indent: usize,
    pending: Pending,
    /// How far the line that waits to be begun is indented.
    pending_indent: usize,
    /// Whether a line comment stands last: whatever follows begins a line.
    forced: bool,
    /// Where the blank before the trailing comments that stand last is.
    trailing: Option<usize>,
}

impl Printer {
    fn current_column(&self) -> usize {
        match self.pending {
            Pending::None if !self.forced => self.column,
            Pending::None => self.indent * INDENT,
            Pending::Start | Pending::Line | Pending::Blank => self.pending_indent * INDENT,
        }
    }

    fn line_end(&mut self, blank: bool) {
        self.forced = false;
        self.pending_indent = self.indent;
        self.pending = match self.pending {
            Pending::Start => Pending::Start,
            Pending::Blank => Pending::Blank,
            Pending::None | Pending::Line => {
                if blank {
                    Pending::Blank
                } else {
                    Pending::Line
                }
            }
        };
    }

    /// Begins the line that waits to be begun. The last line loses the blanks at its end.
    fn settle(&mut self) {
        if self.forced {
            self.line_end(false);
        }
        let ends = match std::mem::replace(&mut self.pending, Pending::None) {
            Pending::None | Pending::Start => return,
            Pending::Line => 1,
            Pending::Blank => 2,
        };
        self.out.truncate(self.out.trim_end_matches(' ').len());
        for _ in 0..ends {
            self.out.push('\n');
        }
        self.column = self.pending_indent * INDENT;
        for _ in 0..self.column {
            self.out.push(' ');
        }
    }

    fn text(&mut self, text: &str) {
        // A blank never begins a line.
        if text == " " && (self.pending != Pending::None || self.forced) {
            return;
        }
        let trailing = self.trailing.take();
        if let Some(blank) = trailing
            && self.pending == Pending::None
            && !matches!(text, " " | "," | ";" | ")" | "]" | "}")
        {
            self.out.remove(blank);
            self.out.push(' ');
        }
        self.settle();
        self.out.push_str(text);
        self.column += text.chars().count();
    }

    fn trailing_comment(&mut self, text: &str) {
        let on_this_line = self.pending == Pending::None && !self.forced;
        let blank = self.trailing.or(on_this_line.then_some(self.out.len()));
        self.text(" ");
        self.block_comment(text);
        self.trailing = blank;
    }

    fn block_comment(&mut self, text: &str) {
        self.trailing = None;
        self.settle();
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                self.out.push('\n');
            }
            self.out.push_str(line.trim_end());
        }
        self.column = text.lines().last().map_or(0, |line| line.chars().count());
    }
}
