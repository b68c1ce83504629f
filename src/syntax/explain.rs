//! What to say about a syntax error: what stands there, what should, and what was probably meant.

use std::ops::Range;

use akari_ir::{Diagnostic, FileId, Span};

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
pub(crate) fn directive(file: FileId, lexed: &Lexed<'_>, tokens: Range<usize>, fault: usize, expected: &[Rule]) -> Diagnostic {
    let word = tokens.start + 1;
    let at = fault.clamp(tokens.start, tokens.end);
    if at <= word {
        let place = Place { file, lexed, item: tokens.clone(), at: word.min(tokens.end) };
        let name = lexed.text_at(word);
        if word >= tokens.end {
            return place.error(codes::BAD_DIRECTIVE, "expected the name of a directive after `#`");
        }
        let diagnostic = place.error(codes::BAD_DIRECTIVE, format!("unknown directive `#{name}`"));
        return match name {
            "include" | "use" => diagnostic.help("write `#import name` with the name of a module"),
            "define" | "undef" => diagnostic.help("Akari has no preprocessor: write `const NAME: type = value;` or a function"),
            "if" | "ifdef" | "ifndef" | "else" | "elif" | "endif" => {
                diagnostic.help("Akari has no preprocessor: a `const` parameter of a function folds its `if`s at compile time")
            }
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

/// Explains why a statement does not end before the token `next` on its line; `after_name` says that it is a lone name.
pub(crate) fn trailing(file: FileId, lexed: &Lexed<'_>, item: Range<usize>, next: usize, after_name: bool) -> Diagnostic {
    let place = Place { file, lexed, item, at: next };
    let declared = matches!(place.text(-2), "let" | "var" | "const") || matches!(place.text(-1), "inout" | "ref");
    let slip = if after_name || declared {
        place.foreign_word(true).or_else(|| if place.is_name(0) { place.declaration() } else { None })
    } else {
        None
    };
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
        self.lexed.tokens.get(index).map_or(Span::new(self.file, 0, 0), |token| Span::new(self.file, token.start, token.end))
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
        let end = self.token(0).filter(|_| self.at < self.item.end).map_or(self.lexed.text.len(), |token| token.start as usize);
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
        Some(if is_name { error.help(format!("write `#{word} {plain}`")) } else { error.help("modules are named without folder and extension") })
    }

    fn unexpected_in_directive(&self, expected: &[Rule]) -> Diagnostic {
        let expected: Vec<Rule> = expected.iter().copied().filter(|&rule| rule != Rule::semicolon).collect();
        let list = expected_list(&expected, "the end of the line");
        let found = if self.at < self.item.end { self.found() } else { "the end of the line".into() };
        self.error(codes::UNEXPECTED, format!("expected {list}, found {found}"))
    }

    /// The usual slips, recognized by the tokens around the fault.
    fn slip(&self, expected: &[Rule]) -> Option<Diagnostic> {
        let expects = |rule| expected.contains(&rule);
        let (before, found) = (self.text(-1), self.text(0));
        if self.at == self.item.start || self.begins_item(expected) {
            return Some(self.no_item());
        }
        if found == "else" && before == "}" {
            let block = self.opener(self.at - 1, "{", "}")?;
            if let Some(diagnostic) = self.foreign_statement(block.checked_sub(1)?) {
                return Some(diagnostic);
            }
        }
        if found == "@" && before == "private" {
            let name = self.text(1);
            let error = self.error(codes::UNEXPECTED, format!("`@{name}` stands behind `private`"));
            return Some(error.help(format!("attributes come first: `@{name} private …`")));
        }
        if expects(Rule::open_paren) {
            match before {
                "if" | "while" | "switch" | "for" => {
                    return Some(
                        self.error(codes::UNEXPECTED, format!("expected `(` after `{before}`, found {}", self.found()))
                            .help(format!("`{before}` needs its parentheses: `{before} (…) {{ … }}`")),
                    );
                }
                _ => {}
            }
        }
        if expects(Rule::open_brace) && matches!(before, ")" | "else" | "do") && found != "{" && !expects(Rule::arrow) {
            return Some(
                self.error(codes::UNEXPECTED, format!("expected `{{`, found {}", self.found())).help("a block always has its braces"),
            );
        }
        if found == "=" && self.item_word() == "let" {
            let error = self.error(codes::BAD_DECLARATION, "`let` outside of a function declares a binding, which has no value");
            return Some(error.help("a constant is declared with `const`"));
        }
        if let Some(diagnostic) = self.struct_literal_slip() {
            return Some(diagnostic);
        }
        if matches!(self.text(-2), "let" | "var" | "const")
            && let Some(diagnostic) = self.name_slip()
        {
            return Some(diagnostic);
        }
        if let Some(diagnostic) = self.number_slip() {
            return Some(diagnostic);
        }
        match found {
            "=" if expects(Rule::close_paren) || expects(Rule::close_bracket) || expects(Rule::semicolon) => {
                let help = if expects(Rule::semicolon) {
                    "one statement assigns to one place"
                } else {
                    "`==` compares; an argument is named with `name: value`"
                };
                return Some(self.error(codes::UNEXPECTED, "an assignment is a statement and has no value").help(help));
            }
            "::" => return Some(self.foreign("`::` is not an operator of Akari", "a case of an enum is written `Name.Case`")),
            "=>" => return Some(self.foreign("`=>` is not an operator of Akari", "a case is written `case value:`")),
            "+" if expects(Rule::expression) || expects(Rule::operand) => {
                return Some(self.foreign("there is no prefix `+`", "leave it out"));
            }
            "*" if expects(Rule::type_expression) || expects(Rule::equals) => return Some(self.foreign("Akari has no pointers", "a parameter is borrowed with `name: inout type`")),
            "&" if expects(Rule::expression) || expects(Rule::operand) => {
                return Some(self.foreign("Akari has no address operator", "an argument for an `inout` or `ref` parameter is just named"));
            }
            "]" if before == "[" => {
                return Some(self.error(codes::UNEXPECTED, "an array type needs its length").help("write `type[length]`, as `float[4]`"));
            }
            "?" if expects(Rule::equals) || (expects(Rule::semicolon) && self.is_name(-1)) => {
                return Some(self.error(codes::UNEXPECTED, "`?` may follow only the type of a parameter"));
            }
            ";" if expects(Rule::comma) && self.in_list_item() => {
                return Some(self.error(codes::UNEXPECTED, "expected `,` or `}`, found `;`").help("cases and bitfield fields are separated by `,`"));
            }
            "," if expects(Rule::semicolon) && self.in_struct() => {
                return Some(self.error(codes::UNEXPECTED, "expected `;`, found `,`").help("every field of a struct ends with `;`"));
            }
            "," if expects(Rule::semicolon) => {
                return Some(self.error(codes::UNEXPECTED, "expected `;`, found `,`").help("one statement declares one name; there is no `,` operator"));
            }
            "," | "}" | "=" if expects(Rule::colon) && self.is_name(-1) => {
                let help = format!("write `{before}: value`");
                return Some(self.error(codes::UNEXPECTED, format!("expected `:` after the field `{before}`, found `{found}`")).help(help));
            }
            "<" if expects(Rule::close_angle) => return Some(self.error(codes::UNEXPECTED, "type arguments do not nest")),
            ":" if expects(Rule::arrow) => {
                return Some(self.error(codes::UNEXPECTED, "expected `->` or `{`, found `:`").help("a result type follows `->`"));
            }
            "." | "[" | "(" | "<" if self.text(-2) == "as" => {
                let help = format!("`as` takes the name of a type; to go on, write `(… as {before}){found}…`");
                return Some(self.error(codes::UNEXPECTED, format!("unexpected `{found}` after a conversion")).help(help));
            }
            _ => {}
        }
        if self.is_word(0) && expects(Rule::arrow) && before == ")" {
            let help = "a result type follows `->`";
            return Some(self.error(codes::UNEXPECTED, format!("expected `->` or `{{`, found {}", self.found())).help(help));
        }
        let in_for = before != "for" && self.text(-2) == "(" && self.text(-3) == "for";
        if self.is_name(-1) && self.is_name(0) && (expects(Rule::colon) || in_for) {
            return self.foreign_word(false).or_else(|| self.declaration());
        }
        if matches!(before, ">") && self.is_name(-2) && self.text(-3) == "<" && self.text(-5) == "as" {
            return Some(self.error(codes::UNEXPECTED, "`as` takes the name of a type without arguments"));
        }
        if self.is_name(0) && before == ")" && self.is_name(-2) && self.text(-3) == "(" && !self.is_name(-4) {
            let ty = self.text(-2);
            return Some(self.foreign("a conversion is not written as in C", format!("write `{ty}({found})` or `{found} as {ty}`")));
        }
        None
    }

    fn foreign(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.error(codes::FOREIGN_SYNTAX, message).help(help)
    }

    /// `V { a, b }`, `V { a = 1 }` and `V { .a = 1 }`, of which the grammar makes a name and a block.
    fn struct_literal_slip(&self) -> Option<Diagnostic> {
        let found = self.text(0);
        if found == "." && self.text(-1) == "{" && self.is_name(-2) && self.is_name(1) {
            let help = format!("write `{}: value`", self.text(1));
            return Some(self.foreign("a field in a struct literal has no `.` before it", help));
        }
        if matches!(found, "," | "}") && self.is_name(-1) && self.text(-2) == "{" && self.is_name(-3) && !self.in_list_item() {
            let field = self.text(-1);
            let message = format!("expected `:` after the field `{field}`, found `{found}`");
            return Some(self.error(codes::UNEXPECTED, message).help(format!("write `{field}: value`")));
        }
        None
    }

    /// What the grammar took for the end of a statement, and was not meant as one.
    fn trailing_slip(&self) -> Option<Diagnostic> {
        match self.text(0) {
            "{" if self.is_name(-1) && self.is_name(1) && self.text(2) == "=" => {
                let field = self.text(1);
                let message = format!("expected `:` after the field `{field}`, found `=`");
                let error = Diagnostic::error(codes::UNEXPECTED, self.span_of(self.at + 2), message);
                Some(error.help(format!("write `{field}: value`")))
            }
            "{" if self.text(-1) == ")" => self.foreign_statement(self.at - 1),
            "[" if self.text(1) == "]" => {
                Some(self.error(codes::UNEXPECTED, "an array type needs its length").help("write `type[length]`, as `float[4]`"))
            }
            _ => None,
        }
    }

    /// `let a-b` and `let a.b`, behind the first part of the name.
    fn name_slip(&self) -> Option<Diagnostic> {
        let found = self.text(0);
        if !matches!(found, "-" | ".") || !self.is_name(-1) {
            return None;
        }
        let message = format!("expected `:`, `=` or `;` after the name `{}`, found `{found}`", self.text(-1));
        Some(self.error(codes::UNEXPECTED, message).help("a name is made of letters, digits and `_`"))
    }

    /// `word (…) { … }` with a word that no statement of Akari begins with; `close` is its `)`.
    fn foreign_statement(&self, close: usize) -> Option<Diagnostic> {
        let word = self.opener(close, "(", ")")?.checked_sub(1)?;
        let help = foreign::help(foreign::Place::Statement, self.lexed.text_at(word))?;
        let message = format!("`{}` begins no statement of Akari", self.lexed.text_at(word));
        Some(Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_of(word), message).help(help))
    }

    /// The bracket that the one at `close` closes, if it is near.
    fn opener(&self, close: usize, open: &str, closing: &str) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (self.item.start..=close).rev().take(1000) {
            let text = self.lexed.text_at(index);
            if text == closing {
                depth += 1;
            } else if text == open {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(index);
                }
            }
        }
        None
    }

    /// `.5` and `1.`.
    fn number_slip(&self) -> Option<Diagnostic> {
        if self.text(0) == "." && self.is_number(1) {
            let help = format!("write `0.{}`", shorten(self.text(1)));
            return Some(self.error(codes::MALFORMED_NUMBER, "a number does not begin with a point").help(help));
        }
        let dot = if self.text(0) == "." { 0 } else { -1 };
        if self.text(dot) == "." && self.is_number(dot - 1) && !(dot == 0 && self.is_name(1)) {
            let number = shorten(self.text(dot - 1));
            let mut diagnostic = self.error(codes::MALFORMED_NUMBER, "a number does not end with a point").help(format!("write `{number}.0`"));
            if let Some(index) = self.at.checked_add_signed(dot) {
                diagnostic.span = Some(self.span_of(index));
            }
            return Some(diagnostic);
        }
        None
    }

    /// `float x` or `x float`, where `x: float` was meant.
    fn declaration(&self) -> Option<Diagnostic> {
        let (first, second) = (self.text(-1), self.text(0));
        let whole = self.span_of(self.at - 1).to(self.span());
        let declared = matches!(self.text(-2), "let" | "var" | "const");
        match first {
            "mut" => return Some(self.foreign("`mut` is not a word of Akari", format!("a mutable local is declared with `var {second}`"))),
            "inout" | "ref" => return Some(self.error(codes::UNEXPECTED, format!("only parameters are passed by `{first}`"))),
            _ => {}
        }
        if declared || (is_type_word(second) && !is_type_word(first)) {
            let message = format!("expected `:` after `{first}`, found `{second}`");
            return Some(self.error(codes::UNEXPECTED, message).help(format!("write `{first}: {}`", akari_type(second))));
        }
        let mut ty = akari_type(first).to_string();
        if self.text(1) == "[" && self.text(3) == "]" {
            ty = format!("{ty}[{}]", self.text(2));
        }
        let open = if self.in_body() || self.text(-3) == "for" { "var " } else { "" };
        let error = Diagnostic::error(codes::FOREIGN_SYNTAX, whole, "this declaration is written as in C");
        Some(error.help(format!("the name comes first: `{open}{second}: {ty}`")))
    }

    /// A word of another language that stands before a name.
    fn foreign_word(&self, statement: bool) -> Option<Diagnostic> {
        let word = self.text(-1);
        match word {
            // These may be names of types where none of them can be a modifier.
            "auto" | "def" | "val" if !statement => return None,
            "in" | "out" | "inout" | "ref" if statement => return None,
            _ => {}
        }
        let help = foreign::help(foreign::Place::Modifier, word)?;
        let span = self.span_of(self.at - 1);
        let message = if matches!(word, "inout" | "ref") {
            format!("`{word}` stands in the wrong place")
        } else {
            format!("`{word}` is not a word of Akari")
        };
        Some(Diagnostic::error(codes::FOREIGN_SYNTAX, span, message).help(help))
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
        expected.contains(&Rule::struct_item) || expected.contains(&Rule::word_private) || expected.contains(&Rule::item)
    }

    fn no_item(&self) -> Diagnostic {
        let found = self.text(0);
        if found == "[" {
            let help = match self.text(1) {
                "numthreads" => "write `@compute(threads = (x, y, z))`",
                _ => "write `@name` or `@name(…)`",
            };
            return self.foreign("an attribute begins with `@`", help);
        }
        let word = if found == "var" && self.text(1) == "<" { "var<" } else { found };
        if let Some(help) = foreign::help(foreign::Place::Item, word) {
            return self.error(codes::FOREIGN_SYNTAX, format!("`{found}` does not begin an item")).help(help);
        }
        let limit = if found.len() > 4 { 2 } else { 1 };
        let known = closest(found, &["fn", "struct", "enum", "bitfield", "const", "let", "private"], limit).filter(|_| !is_type_word(found));
        if let (Some(word), true) = (known, found.len() > 2) {
            return self.error(codes::UNEXPECTED, format!("expected an item, found {}", self.found())).help(format!("did you mean `{word}`?"));
        }
        if self.is_name(0) && self.is_name(1) {
            let (ty, name) = (akari_type(found), self.text(1));
            let help = if self.text(2) == "(" {
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
    matches!(scalar, "float" | "int" | "uint" | "half" | "bool" | "vec" | "mat" | "ivec" | "uvec" | "bvec" | "double" | "void")
        || foreign::help(foreign::Place::Type, word).is_some()
        || matches!(word, "Buf" | "RwBuf" | "AtomicBuf" | "Uniform" | "Tex2D" | "Tex3D" | "TexCube" | "RwTex2D" | "RwTex3D" | "Sampler" | "SamplerCmp")
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
    known.iter().map(|known| (strsim::damerau_levenshtein(word, known), *known)).filter(|&(distance, _)| distance <= limit).min().map(|(_, known)| known)
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_string(),
    }
}

/// What is expected, as a list in plain words; `end` is what the end of the text is called.
fn expected_list(expected: &[Rule], end: &'static str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for &rule in expected {
        if let Some(word) = describe(rule)
            && !words.contains(&word)
        {
            words.push(word);
        }
    }
    // What begins a statement is a statement, whatever else it is.
    if words.contains(&"a statement") {
        words.retain(|word| matches!(*word, "a statement" | "`}`"));
    }
    // An operator could continue almost everything; it is worth a word only where little else could.
    if words.len() > 2 {
        words.retain(|word| *word != "an operator");
    }
    if expected.contains(&Rule::EOI) {
        words.push(end);
    }
    match words.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [start @ .., last] => format!("{} or {last}", start.join(", ")),
    }
}

/// What a rule stands for, in plain words; `None` for rules that are not worth a word.
fn describe(rule: Rule) -> Option<&'static str> {
    Some(match rule {
        Rule::open_paren => "`(`",
        Rule::close_paren => "`)`",
        Rule::close_bracket => "`]`",
        Rule::open_brace | Rule::block | Rule::else_block => "`{`",
        Rule::close_brace => "`}`",
        Rule::close_angle => "`>`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::semicolon => "`;`",
        Rule::bar => "`|`",
        Rule::arrow => "`->`",
        Rule::equals | Rule::default_value => "`=`",
        Rule::name | Rule::file_name => "a name",
        Rule::expression | Rule::operand | Rule::for_condition | Rule::struct_rest | Rule::argument => "an expression",
        Rule::type_expression | Rule::type_argument | Rule::plain_type | Rule::named_type | Rule::fn_type | Rule::fn_type_param => "a type",
        Rule::statement => "a statement",
        Rule::field => "a field",
        Rule::field_value => "a field",
        Rule::enum_case => "a case",
        Rule::bitfield_field => "a bitfield field",
        Rule::param | Rule::closure_param => "a parameter",
        Rule::case | Rule::case_label => "a `case`",
        Rule::attribute_arg => "an argument",
        Rule::infix_operator => "an operator",
        Rule::number => "a number",
        Rule::function => "`(`",
        Rule::instance => "`=`",
        Rule::word_while => "`while`",
        Rule::word_if | Rule::if_statement => "`if`",
        Rule::word_fn => "`fn`",
        _ => return None,
    })
}
