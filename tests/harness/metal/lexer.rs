//! Metal source as tokens. Comments and preprocessor lines are left out; the lines are kept for `rules`.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, with its suffix.
    Number,
    /// A string or character literal.
    Text,
    /// An operator or bracket.
    Sign,
}

/// A token.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// Byte offset of its first byte.
    pub(super) start: usize,
    /// From 1.
    pub(super) line: u32,
}

impl Token {
    /// Byte offset after its last byte.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// A preprocessor line.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) line: u32,
}

/// The tokens and preprocessor lines of a source.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) tokens: Vec<Token>,
    pub(super) directives: Vec<Directive>,
}

/// Signs of more than one character that matter here. `>>` is left apart, for template arguments.
const SIGNS: [&str; 21] = [
    "<<=", ">>=", "...", "::", "->", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=",
];

/// Splits `source` into tokens.
///
/// # Errors
/// A character that C++ has no use for, or an unterminated comment or literal.
pub(super) fn tokenize(source: &str) -> Result<Tokens, String> {
    let bytes = source.as_bytes();
    let mut result = Tokens::default();
    let (mut at, mut line, mut line_start) = (0, 1, true);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        match byte {
            b'\n' => {
                line += 1;
                line_start = true;
                at += 1;
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b'#' if line_start => {
                at += source[at..].find('\n').unwrap_or(source.len() - at);
                let text = source[start..at].trim_end();
                if text.ends_with('\\') {
                    return Err(format!("line {line}: a preprocessor line that goes on is not read here"));
                }
                result.directives.push(Directive { text: text.to_owned(), start, line });
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at += source[at..].find('\n').unwrap_or(source.len() - at);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let length = source[at..].find("*/").ok_or_else(|| format!("line {line}: comment without end"))?;
                line += source[at..at + length].matches('\n').count() as u32;
                at += length + 2;
                continue;
            }
            _ => {}
        }
        line_start = false;
        let kind = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                at += source[at..].find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(source.len() - at);
                Kind::Word
            }
            b'0'..=b'9' => {
                at = number_end(bytes, at);
                Kind::Number
            }
            b'.' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {
                at = number_end(bytes, at);
                Kind::Number
            }
            b'"' | b'\'' => {
                at += 1;
                while bytes.get(at).is_some_and(|&b| b != byte && b != b'\n') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                if bytes.get(at) != Some(&byte) {
                    return Err(format!("line {line}: literal without end"));
                }
                at += 1;
                Kind::Text
            }
            33..=126 if !matches!(byte, b'$' | b'@' | b'`' | b'\\') => {
                at += SIGNS.iter().find(|sign| source[at..].starts_with(**sign)).map_or(1, |sign| sign.len());
                Kind::Sign
            }
            _ => return Err(format!("line {line}: character that Metal source cannot hold")),
        };
        result.tokens.push(Token { kind, text: source[start..at].to_owned(), start, line });
    }
    Ok(result)
}

/// Where the number ends that starts at `at`: a preprocessing number of C++, with signs after exponents.
fn number_end(bytes: &[u8], mut at: usize) -> usize {
    let hex = bytes.get(at + 1).is_some_and(|b| matches!(b, b'x' | b'X'));
    while let Some(&byte) = bytes.get(at) {
        let exponent = if hex { matches!(byte, b'p' | b'P') } else { matches!(byte, b'e' | b'E') };
        if exponent && bytes.get(at + 1).is_some_and(|b| matches!(b, b'+' | b'-')) {
            at += 2;
        } else if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'\'' {
            at += 1;
        } else {
            break;
        }
    }
    at
}
