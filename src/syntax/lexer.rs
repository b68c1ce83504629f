//! Text to tokens, in one pass that cannot fail.
//!
//! The grammar in `akari.pest` decides what is Akari. The tokens here serve what a grammar is bad at: finding the items,
//! counting brackets, blanking comments so that the grammar need not skip them, and saying what was found where an error is.

use akari_ir::{Diagnostic, FileId, Span};

use super::codes;

/// What a token is. Operators and brackets are told apart by their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name or keyword.
    Word,
    /// A number, well formed or not.
    Number,
    /// A bracket, separator or operator.
    Punctuation,
}

/// A token: its kind and its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// How a comment is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommentKind {
    /// `// …`
    Line,
    /// `/* … */`
    Block,
    /// `/// …`
    Doc,
}

/// A comment and its bytes, without the line end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Comment {
    pub(crate) kind: CommentKind,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A file as tokens.
pub(crate) struct Lexed {
    /// The text with comments and characters that were reported replaced by as many blanks (line ends stay).
    pub(crate) clean: String,
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Comment>,
}

/// Bad characters reported in one file before the rest is passed over in silence.
const MAX_BAD_CHARACTERS: usize = 10;

/// Operators of more than one character, the longest first.
const LONG_OPERATORS: &[&[u8]] = &[
    b"<<=", b">>=", b"++", b"--", b"&&", b"||", b"==", b"!=", b"<=", b">=", b"<<", b">>", b"->", b"..", b"+=", b"-=", b"*=", b"/=",
    b"%=", b"&=", b"|=", b"^=", b"::", b"=>",
];

/// Whether `byte` may begin a name.
pub(crate) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether `byte` may continue a name.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Splits `text` into tokens and comments; reports what is neither.
pub(crate) fn lex(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        at: 0,
        clean: text.as_bytes().to_vec(),
        tokens: Vec::with_capacity(text.len() / 4),
        comments: Vec::new(),
        bad_characters: 0,
        diagnostics,
    };
    lexer.run();
    let Lexer { clean, tokens, comments, .. } = lexer;
    // Only whole characters are ever blanked, so this never takes the second arm.
    let clean = String::from_utf8(clean).unwrap_or_default();
    Lexed { clean, tokens, comments }
}

struct Lexer<'t> {
    file: FileId,
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    clean: Vec<u8>,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    bad_characters: usize,
    diagnostics: &'t mut Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.line_comment(),
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                b'0'..=b'9' => self.number(),
                _ if begins_name(byte) => {
                    let start = self.at;
                    self.skip_while(continues_name);
                    self.push(TokenKind::Word, start);
                }
                b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b':' | b'.' | b'@' | b'#' | b'=' | b'+' | b'-' | b'*'
                | b'/' | b'%' | b'<' | b'>' | b'!' | b'~' | b'&' | b'|' | b'^' | b'?' => {
                    let start = self.at;
                    let rest = &self.bytes[start..];
                    let long = LONG_OPERATORS.iter().find(|operator| rest.starts_with(operator));
                    self.at += long.map_or(1, |operator| operator.len());
                    self.push(TokenKind::Punctuation, start);
                }
                _ => self.bad_character(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn skip_while(&mut self, mut accept: impl FnMut(u8) -> bool) {
        while self.bytes.get(self.at).is_some_and(|&byte| accept(byte)) {
            self.at += 1;
        }
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.file, offset(start), offset(self.at))
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        self.tokens.push(Token { kind, start: offset(start), end: offset(self.at) });
    }

    fn blank(&mut self, start: usize) {
        for byte in &mut self.clean[start..self.at] {
            if *byte != b'\n' && *byte != b'\r' {
                *byte = b' ';
            }
        }
    }

    /// A number and whatever sticks to it, so that `1.5f` or `0b12` is one token.
    fn number(&mut self) {
        let start = self.at;
        let hexadecimal = self.peek(0) == b'0' && matches!(self.peek(1), b'x' | b'X');
        self.skip_while(continues_name);
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(continues_name);
        }
        let exponent = !hexadecimal && matches!(self.bytes[self.at - 1], b'e' | b'E');
        if exponent && matches!(self.peek(0), b'+' | b'-') && self.peek(1).is_ascii_digit() {
            self.at += 1;
            self.skip_while(continues_name);
        }
        self.push(TokenKind::Number, start);
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.skip_while(|byte| byte != b'\n');
        if self.bytes[self.at - 1] == b'\r' {
            self.at -= 1;
        }
        let doc = self.bytes.get(start + 2) == Some(&b'/') && self.bytes.get(start + 3) != Some(&b'/');
        let kind = if doc { CommentKind::Doc } else { CommentKind::Line };
        self.comment(kind, start);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ if self.at >= self.bytes.len() => {
                    let place = Span::new(self.file, offset(start), offset(start + 2));
                    let mut diagnostic = Diagnostic::error(codes::UNTERMINATED_COMMENT, place, "this comment has no end");
                    if depth > 1 {
                        diagnostic = diagnostic.note("block comments nest: each `/*` needs its own `*/`");
                    }
                    self.diagnostics.push(diagnostic);
                    break;
                }
                _ => self.at += 1,
            }
        }
        self.comment(CommentKind::Block, start);
    }

    fn comment(&mut self, kind: CommentKind, start: usize) {
        self.comments.push(Comment { kind, start: offset(start), end: offset(self.at) });
        self.blank(start);
    }

    /// Reports a run of characters that cannot stand here, and blanks it.
    fn bad_character(&mut self) {
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else { return };
        if first == '"' || first == '\'' {
            self.quoted(first);
            return;
        }
        let is_bad = |c: char| !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace()) || "$\\`\u{b}\u{c}".contains(c);
        let length = self.text[start..].find(|c| !is_bad(c)).unwrap_or(self.bytes.len() - start);
        self.at = start + length.max(first.len_utf8());
        self.blank(start);
        if matches!(first, '\u{b}' | '\u{c}') {
            return;
        }
        let mut diagnostic = Diagnostic::error(
            codes::BAD_CHARACTER,
            Span::new(self.file, offset(start), offset(start + first.len_utf8())),
            format!("unexpected character {}", describe_character(first)),
        );
        if first.is_alphabetic() {
            diagnostic = diagnostic.help("names are made of ASCII letters, digits and `_`");
        } else if let Some(plain) = plain_form(first) {
            diagnostic = diagnostic.help(format!("write {plain}"));
        }
        self.report_bad_character(diagnostic);
    }

    fn quoted(&mut self, quote: char) {
        let start = self.at;
        self.at += 1;
        self.skip_while(|byte| byte != quote as u8 && byte != b'\n');
        if self.peek(0) == quote as u8 {
            self.at += 1;
        }
        self.blank(start);
        let diagnostic = Diagnostic::error(codes::BAD_CHARACTER, self.span(start), "Akari has no strings or character literals");
        self.report_bad_character(diagnostic);
    }

    fn report_bad_character(&mut self, diagnostic: Diagnostic) {
        self.bad_characters += 1;
        if self.bad_characters < MAX_BAD_CHARACTERS {
            self.diagnostics.push(diagnostic);
        } else if self.bad_characters == MAX_BAD_CHARACTERS {
            self.diagnostics.push(diagnostic.note("further unexpected characters in this file are not reported"));
        }
    }
}

/// Byte offsets fit: the caller has refused longer text.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn describe_character(c: char) -> String {
    if c.is_control() || c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}') {
        format!("U+{:04X}", u32::from(c))
    } else {
        format!("`{c}`")
    }
}

/// What was probably meant by a character that looks like an ASCII one.
fn plain_form(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{a0}' | '\u{2002}'..='\u{200b}' | '\u{3000}' | '\u{feff}' => "an ordinary blank",
        '–' | '—' | '−' | '‐' | '‑' => "`-`",
        '×' | '⋅' | '∗' => "`*`",
        '÷' | '∕' => "`/`",
        '≤' => "`<=`",
        '≥' => "`>=`",
        '≠' => "`!=`",
        '；' => "`;`",
        '，' => "`,`",
        '：' => "`:`",
        '（' => "`(`",
        '）' => "`)`",
        '→' => "`->`",
        _ => return None,
    })
}
