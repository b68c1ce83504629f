//! Text to tokens, in one pass that cannot fail.
//!
//! Each token has a code, one character of ASCII, and `akari.pest` is a grammar of texts made of these characters: it never
//! sees a blank, a comment or the letters of a name. That makes it several times faster than a grammar of source
//! characters, and lets it say which token is wrong instead of which letter. `SPELLINGS` is the table of codes.

use akari_ir::{Diagnostic, FileId, Span};

use super::codes;

/// The code of a name that is none of the words below.
pub(crate) const NAME: u8 = b'a';

/// The code of a number, well formed or not.
pub(crate) const NUMBER: u8 = b'0';

/// The code of a name with a `:` after it, such as that of a named argument.
pub(crate) const NAME_BEFORE_COLON: u8 = b'n';

/// What is written for each code: the contract between this file and the grammar, from which the documented grammar takes
/// its spellings. Names are `a` or `n`; any other small letter is a name that means something in some places
/// only. Capital letters up to `O` begin statements, items, or parts of statements.
pub const SPELLINGS: &[(u8, &[&str])] = &[
    // Keywords.
    (b'A', &["let"]),
    (b'B', &["var"]),
    (b'C', &["const"]),
    (b'D', &["if"]),
    (b'E', &["for"]),
    (b'F', &["return"]),
    (b'G', &["while"]),
    (b'H', &["switch"]),
    (b'I', &["do"]),
    (b'J', &["break"]),
    (b'K', &["continue"]),
    (b'L', &["discard"]),
    (b'M', &["case"]),
    (b'N', &["default"]),
    (b'O', &["else"]),
    (b'P', &["as"]),
    (b'Q', &["false", "true"]),
    (b'R', &["none"]),
    (b'S', &["offsetof"]),
    (b'T', &["sizeof"]),
    (b'U', &["fn"]),
    (b'V', &["struct"]),
    (b'W', &["enum"]),
    (b'X', &["bitfield"]),
    (b'_', &["_"]),
    // Names with a meaning in some places.
    (b'i', &["import"]),
    (b'l', &["layout"]),
    (b'm', &["module"]),
    (b'p', &["private"]),
    (b'q', &["require"]),
    (b'r', &["inout", "ref"]),
    (b's', &["shader"]),
    (b'v', &["version"]),
    // Operators that can only stand between operands.
    (b'*', &["&&", "==", "!=", "<=", ">=", "^", "&", "<<", ">>", "+", "*", "/", "%"]),
    // Other operators of more than one character.
    (b'$', &["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="]),
    (b'2', &["||"]),
    (b'7', &["++", "--"]),
    (b'8', &["->"]),
    (b'9', &[".."]),
    // Not Akari's, but known from elsewhere.
    (b'"', &["::", "=>"]),
];

/// A token: its code and its bytes. The code of a sign without an entry in `SPELLINGS` is the sign itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) code: u8,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Token {
    /// Whether it is a name or keyword.
    pub(crate) fn is_word(self) -> bool {
        self.code.is_ascii_alphabetic() || self.code == b'_'
    }

    /// Whether it is a name.
    pub(crate) fn is_name(self) -> bool {
        self.code.is_ascii_lowercase()
    }
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
pub(crate) struct Lexed<'t> {
    /// The text as written.
    pub(crate) text: &'t str,
    pub(crate) tokens: Vec<Token>,
    /// The codes of the tokens, a character each.
    pub(crate) codes: String,
    pub(crate) comments: Vec<Comment>,
    /// Where characters were passed over that are no part of any token.
    pub(crate) bad: Vec<u32>,
}

/// Bad characters reported in one file before the rest is passed over in silence.
const MAX_BAD_CHARACTERS: usize = 10;

/// Whether `byte` may begin a name.
pub(crate) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether `byte` may continue a name.
pub(crate) fn continues_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Splits `text` into tokens and comments; reports what is neither.
pub(crate) fn lex<'t>(file: FileId, text: &'t str, diagnostics: &mut Vec<Diagnostic>) -> Lexed<'t> {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Vec::with_capacity(text.len() / 4),
        comments: Vec::new(),
        bad: Vec::new(),
        diagnostics,
    };
    lexer.run();
    let Lexer { tokens, comments, bad, .. } = lexer;
    let codes = tokens.iter().map(|token| char::from(token.code)).collect();
    Lexed { text, tokens, codes, comments, bad }
}

struct Lexer<'t, 'd> {
    file: FileId,
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Comment>,
    bad: Vec<u32>,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Lexer<'_, '_> {
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
                    self.push(word_code(&self.bytes[start..self.at]), start);
                }
                b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'@' | b'#' | b'?' | b'~' => {
                    self.at += 1;
                    self.push(byte, self.at - 1);
                }
                b':' | b'.' | b'=' | b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'!' | b'&' | b'|' | b'^' => {
                    self.operator(byte)
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

    fn push(&mut self, code: u8, start: usize) {
        self.tokens.push(Token { code, start: offset(start), end: offset(self.at) });
    }

    /// An operator that may have more than one character: the longest that fits.
    fn operator(&mut self, first: u8) {
        let start = self.at;
        let (second, third) = (self.peek(1), self.peek(2));
        let (code, length) = match (first, second, third) {
            (b'<', b'<', b'=') | (b'>', b'>', b'=') => (b'$', 3),
            (b'+', b'+', _) | (b'-', b'-', _) => (b'7', 2),
            (b'=' | b'!' | b'<' | b'>', b'=', _) | (b'&', b'&', _) | (b'<', b'<', _) | (b'>', b'>', _) => (b'*', 2),
            (b'+' | b'-' | b'*' | b'/' | b'%' | b'&' | b'|' | b'^', b'=', _) => (b'$', 2),
            (b'|', b'|', _) => (b'2', 2),
            (b'-', b'>', _) => (b'8', 2),
            (b'.', b'.', _) => (b'9', 2),
            (b':', b':', _) | (b'=', b'>', _) => (b'"', 2),
            (b'+' | b'/' | b'%' | b'&' | b'^', _, _) => (b'*', 1),
            _ => (first, 1),
        };
        if code == b':'
            && let Some(before) = self.tokens.last_mut()
            && before.code == NAME
        {
            before.code = NAME_BEFORE_COLON;
        }
        self.at += length;
        self.push(code, start);
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
        self.push(NUMBER, start);
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
                    let mut diagnostic =
                        Diagnostic::error(codes::UNTERMINATED_COMMENT, place, "this comment has no end");
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
    }

    /// Passes over a run of characters that cannot stand here, and reports it.
    fn bad_character(&mut self) {
        let start = self.at;
        let Some(first) = self.text[start..].chars().next() else { return };
        if first == '"' || first == '\'' {
            self.quoted(first);
            return;
        }
        let is_bad = |c: char| {
            !c.is_ascii() || (c.is_ascii_control() && !c.is_ascii_whitespace()) || "$\\`\u{b}\u{c}".contains(c)
        };
        let length = self.text[start..].find(|c| !is_bad(c)).unwrap_or(self.bytes.len() - start);
        self.at = start + length.max(first.len_utf8());
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
        if quote == '\'' && self.lone_quote(start) {
            return;
        }
        self.skip_while(|byte| byte != quote as u8 && byte != b'\n');
        if self.peek(0) == quote as u8 {
            self.at += 1;
        }
        // Of a line such as `#include "x"` the directive is reported. Looking for it has an end when nothing more would be.
        if self.bad.len() < MAX_BAD_CHARACTERS {
            let line = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
            if self.text[line..start].trim_start().starts_with('#') {
                return;
            }
        }
        let diagnostic =
            Diagnostic::error(codes::BAD_CHARACTER, self.span(start), "Akari has no strings or character literals");
        self.report_bad_character(diagnostic);
    }

    /// The quote of a label, as in `'outer: while`, or between the digits of a number: what is behind it is no text.
    fn lone_quote(&mut self, start: usize) -> bool {
        let in_number = self.tokens.last().is_some_and(|token| token.code == NUMBER && token.end == offset(start))
            && self.peek(0).is_ascii_digit();
        if in_number {
            self.skip_while(|byte| continues_name(byte) || byte == b'\'');
            if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
                self.at += 1;
                self.skip_while(|byte| continues_name(byte) || byte == b'\'');
            }
            let diagnostic = Diagnostic::error(codes::BAD_CHARACTER, self.span(start), "a number has no `'` in it");
            self.report_bad_character(diagnostic.help("digits are set apart by `_`, as in `1_000`"));
            return true;
        }
        if !begins_name(self.peek(0)) {
            return false;
        }
        let name = self.at;
        self.skip_while(continues_name);
        if self.peek(0) == b'\'' {
            self.at = name;
            return false;
        }
        if self.peek(0) == b':' {
            self.at += 1;
        }
        let diagnostic = Diagnostic::error(codes::BAD_CHARACTER, self.span(start), "Akari has no labels");
        self.report_bad_character(
            diagnostic.help("`break` and `continue` belong to the innermost loop; a `bool` tells outer ones to end"),
        );
        true
    }

    fn report_bad_character(&mut self, diagnostic: Diagnostic) {
        self.bad.extend(diagnostic.span.map(|span| span.start));
        if self.bad.len() < MAX_BAD_CHARACTERS {
            self.diagnostics.push(diagnostic);
        } else if self.bad.len() == MAX_BAD_CHARACTERS {
            self.diagnostics.push(diagnostic.note("further unexpected characters in this file are not reported"));
        }
    }
}

/// The code of a word.
fn word_code(word: &[u8]) -> u8 {
    match word {
        b"let" => b'A',
        b"var" => b'B',
        b"const" => b'C',
        b"if" => b'D',
        b"for" => b'E',
        b"return" => b'F',
        b"while" => b'G',
        b"switch" => b'H',
        b"do" => b'I',
        b"break" => b'J',
        b"continue" => b'K',
        b"discard" => b'L',
        b"case" => b'M',
        b"default" => b'N',
        b"else" => b'O',
        b"as" => b'P',
        b"false" | b"true" => b'Q',
        b"none" => b'R',
        b"offsetof" => b'S',
        b"sizeof" => b'T',
        b"fn" => b'U',
        b"struct" => b'V',
        b"enum" => b'W',
        b"bitfield" => b'X',
        b"_" => b'_',
        b"import" => b'i',
        b"layout" => b'l',
        b"module" => b'm',
        b"private" => b'p',
        b"require" => b'q',
        b"inout" | b"ref" => b'r',
        b"shader" => b's',
        b"version" => b'v',
        _ => NAME,
    }
}

/// Byte offsets fit: the caller has refused longer text.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn describe_character(c: char) -> String {
    if c.is_control()
        || c.is_whitespace()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{feff}')
    {
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
