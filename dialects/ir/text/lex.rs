//! Tokens of the textual form.

use std::fmt;

/// Why a text is no module, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset.
    pub offset: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.message)
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A bare word: letters, digits, `_`; also one with a leading digit, such as `2d`.
    Word(String),
    /// `%name`
    Value(String),
    /// `@name` or `@name#1`; the name and the count.
    Global(String, u32),
    /// A quoted string.
    Text(String),
    /// A number as written, with its sign.
    Number(String),
    /// A punctuation mark.
    Mark(char),
    /// `->`
    Arrow,
    End,
}

#[derive(Clone)]
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Where the token just given starts.
    pub(super) start: usize,
    /// Whether it is the first of its line. Operands follow their operation on its line, since `akari.return` may or may
    /// not have one and the next line may begin with a value.
    pub(super) begins_line: bool,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, start: 0, begins_line: true }
    }

    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { offset: self.start, message: message.into() }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        while let Some(c) = self.peek().filter(|c| keep(*c)) {
            self.at += c.len_utf8();
        }
        &self.text[start..self.at]
    }

    fn quoted(&mut self) -> Result<String, ParseError> {
        let mut text = String::new();
        self.at += 1;
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => {
                    let escaped = self.peek().ok_or_else(|| self.error("the string does not end"))?;
                    self.at += escaped.len_utf8();
                    text.push(if escaped == 'n' { '\n' } else { escaped });
                }
                other => text.push(other),
            }
        }
        Err(self.error("the string does not end"))
    }

    pub(super) fn next(&mut self) -> Result<Token, ParseError> {
        self.begins_line = self.at == 0;
        loop {
            let blanks = self.take_while(char::is_whitespace);
            self.begins_line |= blanks.contains('\n');
            if self.peek() != Some(';') {
                break;
            }
            self.take_while(|c| c != '\n');
        }
        self.start = self.at;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let Some(c) = self.peek() else { return Ok(Token::End) };
        match c {
            '"' => Ok(Token::Text(self.quoted()?)),
            '%' => {
                self.at += 1;
                Ok(Token::Value(self.take_while(|c| is_word(c) || c == '.').to_owned()))
            }
            '@' => {
                self.at += 1;
                let name = if self.peek() == Some('"') { self.quoted()? } else { self.take_while(is_word).to_owned() };
                let mut count = 0;
                if self.peek() == Some('#') {
                    self.at += 1;
                    count = self
                        .take_while(|c| c.is_ascii_digit())
                        .parse()
                        .map_err(|_| self.error("a number must follow `#`"))?;
                }
                Ok(Token::Global(name, count))
            }
            '-' if self.text[self.at..].starts_with("->") => {
                self.at += 2;
                Ok(Token::Arrow)
            }
            '-' => {
                self.at += 1;
                let digits = self.take_while(|c| is_word(c) || c == '.');
                let exponent = self.exponent(digits);
                Ok(Token::Number(format!("-{digits}{exponent}")))
            }
            c if c.is_ascii_digit() => {
                let digits = self.take_while(|c| is_word(c) || c == '.');
                let hexadecimal = digits.starts_with("0x");
                let exponent = if hexadecimal { "" } else { self.exponent(digits) };
                let text = format!("{digits}{exponent}");
                let numeric = hexadecimal || text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'-' | b'+'));
                Ok(if numeric { Token::Number(text) } else { Token::Word(text) })
            }
            c if is_word(c) => Ok(Token::Word(self.take_while(is_word).to_owned())),
            other => {
                self.at += other.len_utf8();
                Ok(Token::Mark(other))
            }
        }
    }

    /// The signed rest of an exponent: `e` was taken with the digits, its minus was not.
    fn exponent(&mut self, digits: &str) -> &'t str {
        if digits.ends_with('e') && matches!(self.peek(), Some('-' | '+')) {
            let start = self.at;
            self.at += 1;
            self.take_while(|c| c.is_ascii_digit());
            &self.text[start..self.at]
        } else {
            ""
        }
    }
}
