//! What to say about a syntax error: what stands there, what should, and what was probably meant.

mod elsewhere;
mod expected;
mod slips;

use std::ops::Range;

use akari_ir::{Diagnostic, FileId, Span};

use self::expected::expected_list;
use super::codes;
use super::grammar::Rule;
use super::lexer::{Lexed, NUMBER, Token};
use crate::foreign;

/// A place in an item, to be explained.
struct Place<'l> {
    file: FileId,
    lexed: &'l Lexed<'l>,
    item: Range<usize>,
    /// The token at which the grammar gave up; the end of `item` when it wanted more.
    at: usize,
}

/// Explains why the item with the tokens `item` cannot be read beyond the token `fault`, where one of `expected` should stand.
pub(crate) fn item(file: FileId, lexed: &Lexed<'_>, item: Range<usize>, fault: usize, expected: &[Rule]) -> Diagnostic {
    let at = fault.clamp(item.start, item.end);
    let place = Place { file, lexed, item, at };
    if expected.is_empty() {
        return Diagnostic::error(codes::NESTED_TOO_DEEPLY, place.span(), "nested too deeply");
    }
    place.slip(expected).unwrap_or_else(|| place.unexpected(expected))
}

/// Explains why a directive cannot be read.
pub(crate) fn directive(
    file: FileId,
    lexed: &Lexed<'_>,
    tokens: Range<usize>,
    fault: usize,
    expected: &[Rule],
) -> Diagnostic {
    let word = tokens.start + 1;
    let at = fault.clamp(tokens.start, tokens.end);
    if at <= word {
        let place = Place { file, lexed, item: tokens.clone(), at: word.min(tokens.end) };
        let name = lexed.text_at(word);
        if word >= tokens.end {
            return place.error(codes::BAD_DIRECTIVE, "expected the name of a directive after `#`");
        }
        let diagnostic = place.error(codes::BAD_DIRECTIVE, format!("unknown directive `#{name}`"));
        if name == "[" {
            return diagnostic.help("an attribute begins with `@`, and stands before what it belongs to");
        }
        if lexed.tokens[tokens.start].end != lexed.tokens[word].start {
            return diagnostic.help("a comment begins with `//`");
        }
        return match name {
            "include" | "use" => diagnostic.help("write `#import name` with the name of a module"),
            "define" | "undef" => {
                diagnostic.help("Akari has no preprocessor: write `const NAME: type = value;` or a function")
            }
            "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif" => diagnostic
                .help("Akari has no preprocessor: a `const` parameter of a function folds its `if`s at compile time"),
            "pragma" | "extension" | "line" | "error" => diagnostic.help("Akari has no preprocessor: remove this line"),
            _ => match closest(name, &["shader", "module", "version", "layout", "import", "require"], 2) {
                Some(known) => diagnostic.help(format!("did you mean `#{known}`?")),
                None => diagnostic.help("the directives are `#shader #module #version #layout #import #require`"),
            },
        };
    }
    let place = Place { file, lexed, item: tokens, at };
    if let Some(diagnostic) = place.quoted_in_directive() {
        return diagnostic;
    }
    let diagnostic = place.unexpected_in_directive(expected);
    if place.text(0) == "-" || place.text(0) == "." || place.text(0) == "/" {
        return diagnostic.help("a name is made of letters, digits and `_`");
    }
    diagnostic
}

/// Explains `[unroll]` before the token `next`, if a statement was meant to have this attribute.
pub(crate) fn attribute_before(file: FileId, lexed: &Lexed<'_>, item: Range<usize>, next: usize) -> Option<Diagnostic> {
    Place { file, lexed, item, at: next }.bracket_attribute()
}

/// Explains why a statement does not end before the token `next` on its line; `after_name` says that it is a lone name.
pub(crate) fn trailing(
    file: FileId,
    lexed: &Lexed<'_>,
    item: Range<usize>,
    next: usize,
    after_name: bool,
) -> Diagnostic {
    let place = Place { file, lexed, item, at: next };
    let declared = matches!(place.text(-2), "let" | "var" | "const") || matches!(place.text(-1), "inout" | "ref");
    if after_name && let Some(diagnostic) = place.statement_word() {
        return diagnostic;
    }
    let slip = if after_name || declared {
        place.foreign_word(true).or_else(|| if place.is_name(0) { place.declaration() } else { None })
    } else {
        None
    };
    let slip = slip.or_else(|| place.bracket_attribute());
    let slip = slip.or_else(|| if declared { place.name_slip() } else { None }).or_else(|| place.trailing_slip());
    slip.or_else(|| place.slip(&[Rule::semicolon, Rule::infix_operator])).unwrap_or_else(|| {
        place.error(codes::UNEXPECTED, format!("expected `;` or an operator, found {}", place.found()))
    })
}

impl Place<'_> {
    /// The text of the token so many places after the fault (before it where negative).
    fn text(&self, distance: isize) -> &str {
        self.at.checked_add_signed(distance).map_or("", |index| self.lexed.text_at(index))
    }

    fn token(&self, distance: isize) -> Option<Token> {
        self.lexed.tokens.get(self.at.checked_add_signed(distance)?).copied()
    }

    fn is_name(&self, distance: isize) -> bool {
        self.token(distance).is_some_and(Token::is_name)
    }

    fn is_keyword(&self, distance: isize) -> bool {
        self.token(distance).is_some_and(|token| token.is_word() && !token.is_name())
    }

    fn is_word(&self, distance: isize) -> bool {
        self.token(distance).is_some_and(Token::is_word)
    }

    fn is_number(&self, distance: isize) -> bool {
        self.token(distance).is_some_and(|token| token.code == NUMBER)
    }

    /// The fault's token; behind the last one where the item ends too early.
    fn span(&self) -> Span {
        if self.at < self.item.end {
            return self.span_of(self.at);
        }
        let end = self.item.end.checked_sub(1).map_or(0, |last| self.lexed.tokens[last].end);
        Span::new(self.file, end, end)
    }

    fn span_of(&self, index: usize) -> Span {
        self.lexed
            .tokens
            .get(index)
            .map_or(Span::new(self.file, 0, 0), |token| Span::new(self.file, token.start, token.end))
    }

    fn error(&self, code: akari_ir::Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(code, self.span(), message)
    }

    fn found(&self) -> String {
        let text = self.text(0);
        if self.at >= self.lexed.tokens.len() {
            return "the end of the file".into();
        }
        if self.at >= self.item.end {
            return match text {
                "#" => "the next line".into(),
                _ => "the end of this item".into(),
            };
        }
        let text = shorten(text);
        if self.is_keyword(0) { format!("the keyword `{text}`") } else { format!("`{text}`") }
    }

    fn unexpected(&self, expected: &[Rule]) -> Diagnostic {
        let list = expected_list(expected, "the end of the item");
        if list.is_empty() {
            return self.error(codes::UNEXPECTED, format!("unexpected {}", self.found().trim_start_matches("the ")));
        }
        let diagnostic = self.error(codes::UNEXPECTED, format!("expected {list}, found {}", self.found()));
        match self.text(0) {
            "else" => diagnostic.help("`else` follows the `}` of an `if`"),
            word if expected.contains(&Rule::name) && self.is_keyword(0) => {
                diagnostic.help(format!("`{word}` is a keyword and cannot be a name"))
            }
            _ => diagnostic,
        }
    }

    /// A string where a name belongs: the lexer makes no tokens of strings.
    fn quoted_in_directive(&self) -> Option<Diagnostic> {
        let start = self.lexed.tokens.get(self.at.checked_sub(1)?)?.end as usize;
        let end = self
            .token(0)
            .filter(|_| self.at < self.item.end)
            .map_or(self.lexed.text.len(), |token| token.start as usize);
        let gap = self.lexed.text.get(start..end)?;
        let line = gap.split(['\r', '\n']).next()?;
        let quote = line.trim_start().chars().next().filter(|first| matches!(first, '"' | '\''))?;
        let quoted = line.trim_start().get(1..)?.split(quote).next()?;
        let at = super::lexer::offset(start + line.len() - line.trim_start().len());
        let span = Span::new(self.file, at, at + super::lexer::offset(quoted.len() + 1));
        let error = Diagnostic::error(codes::BAD_DIRECTIVE, span, "a directive takes no quotation marks");
        let word = self.lexed.text_at(self.item.start + 1);
        let plain = quoted.strip_suffix(".akari").unwrap_or(quoted);
        let is_name = !plain.is_empty() && plain.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        Some(if is_name {
            error.help(format!("write `#{word} {plain}`"))
        } else {
            error.help("modules are named without folder and extension")
        })
    }

    fn unexpected_in_directive(&self, expected: &[Rule]) -> Diagnostic {
        let expected: Vec<Rule> = expected.iter().copied().filter(|&rule| rule != Rule::semicolon).collect();
        let list = expected_list(&expected, "the end of the line");
        let found = if self.at < self.item.end { self.found() } else { "the end of the line".into() };
        self.error(codes::UNEXPECTED, format!("expected {list}, found {found}"))
    }

    /// The word that says what the item is.
    fn item_word(&self) -> &str {
        let mut words = self.item.clone().map(|index| self.lexed.text_at(index));
        words.find(|word| matches!(*word, "fn" | "struct" | "enum" | "bitfield" | "const" | "let")).unwrap_or("")
    }

    fn in_list_item(&self) -> bool {
        matches!(self.item_word(), "enum" | "bitfield")
    }

    fn in_struct(&self) -> bool {
        self.item_word() == "struct"
    }

    fn in_body(&self) -> bool {
        // A statement begins after one of these; a parameter after a bracket or comma.
        self.item_word() != "struct" && matches!(self.text(-2), ";" | "{" | "}" | ":")
    }

    /// Whether an item should begin at the fault, after its attributes.
    fn begins_item(&self, expected: &[Rule]) -> bool {
        expected.contains(&Rule::struct_item)
            || expected.contains(&Rule::word_private)
            || expected.contains(&Rule::item)
    }

    fn no_item(&self) -> Diagnostic {
        let found = self.text(0);
        if found == "[" {
            let help = match self.text(1) {
                "numthreads" => "write `@compute(threads = (x, y, z))`",
                "shader" => "a stage is written `@vertex`, `@fragment` or `@compute(threads = (x, y, z))`",
                _ => "write `@name` or `@name(…)`",
            };
            return self.foreign("an attribute begins with `@`", help);
        }
        let has = |attribute: &str| {
            (self.item.start..self.at)
                .any(|index| self.lexed.text_at(index) == "@" && self.lexed.text_at(index + 1) == attribute)
        };
        if has("bind") && (found == "var" || (self.is_name(0) && self.text(1) == ":")) {
            let name = if found == "var" { self.text(1) } else { found };
            return self
                .error(codes::UNEXPECTED, format!("expected `let`, found {}", self.found()))
                .help(format!("write `@bind(…) let {name}: type;`"));
        }
        let word = match (found, self.text(1), self.text(2)) {
            ("var", "<", "workgroup") => "var<workgroup>",
            ("var", "<", "private") => "var<private>",
            ("var", _, _) if has("groupshared") => "var<workgroup>",
            ("var", _, _) if has("group") || has("binding") => "var<",
            ("-", "-", _) | ("--", _, _) => "--",
            ("var", "<", _) => "var<",
            _ => found,
        };
        if let Some(help) = foreign::help(foreign::Place::Item, word) {
            return self.error(codes::FOREIGN_SYNTAX, format!("`{found}` does not begin an item")).help(help);
        }
        let limit = if found.len() > 4 { 2 } else { 1 };
        let known = closest(found, &["fn", "struct", "enum", "bitfield", "const", "let", "private"], limit)
            .filter(|_| !is_type_word(found));
        if let (Some(word), true) = (known, found.len() > 2) {
            return self
                .error(codes::UNEXPECTED, format!("expected an item, found {}", self.found()))
                .help(format!("did you mean `{word}`?"));
        }
        if self.is_name(0) && self.is_name(1) {
            let (ty, name) = (akari_type(found), self.text(1));
            let help = if matches!(self.text(2), "(" | "<") {
                let result = if found == "void" { String::new() } else { format!(" -> {ty}") };
                format!("a function is declared with `fn {name}(…){result} {{ … }}`")
            } else {
                format!("a constant is declared with `const {name}: {ty} = value;`")
            };
            return self.foreign("this declaration is written as in C", help);
        }
        let message = format!("expected an item, found {}", self.found());
        let diagnostic = self.error(codes::UNEXPECTED, message);
        if self.at >= self.item.end {
            return diagnostic.help("an attribute belongs to the item after it");
        }
        if self.is_keyword(0) {
            return diagnostic.help("statements stand in functions");
        }
        diagnostic.help("items begin with `fn`, `struct`, `enum`, `bitfield` or `const`, and with `private` or attributes before that")
    }
}

/// Whether `word` is the name of a type of Akari, or of another language.
fn is_type_word(word: &str) -> bool {
    let scalar = word.trim_end_matches(|c: char| c.is_ascii_digit() || c == 'x');
    matches!(
        scalar,
        "float" | "int" | "uint" | "half" | "bool" | "vec" | "mat" | "ivec" | "uvec" | "bvec" | "double" | "void"
    ) || foreign::help(foreign::Place::Type, word).is_some()
        || matches!(
            word,
            "Buf"
                | "RwBuf"
                | "AtomicBuf"
                | "Uniform"
                | "Tex2D"
                | "Tex3D"
                | "TexCube"
                | "RwTex2D"
                | "RwTex3D"
                | "Sampler"
                | "SamplerCmp"
        )
}

/// Akari's name of a type, where `name` is another language's.
fn akari_type(name: &str) -> &str {
    foreign::name(foreign::Place::Type, name).unwrap_or(name)
}

/// The one of `known` that `word` is probably a misspelling of.
fn closest<'k>(word: &str, known: &[&'k str], limit: usize) -> Option<&'k str> {
    if word.len() > 16 {
        return None;
    }
    known
        .iter()
        .map(|known| (strsim::damerau_levenshtein(word, known), *known))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, known)| known)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}
