//! The usual slips, recognized by the tokens around the fault.

use akari_ir::Diagnostic;

use super::{Place, akari_type, is_type_word, shorten};
use crate::foreign;
use crate::syntax::codes;
use crate::syntax::grammar::Rule;

impl Place<'_> {
    /// The usual slips, recognized by the tokens around the fault.
    pub(super) fn slip(&self, expected: &[Rule]) -> Option<Diagnostic> {
        let expects = |rule| expected.contains(&rule);
        let (before, found) = (self.text(-1), self.text(0));
        if self.at == self.item.start || self.begins_item(expected) {
            return Some(self.no_item());
        }
        if found == "else" && before == "}" {
            let block = self.opener(self.at - 1, "{", "}", 1000)?;
            if let Some(diagnostic) = self.foreign_statement(block.checked_sub(1)?) {
                return Some(diagnostic);
            }
        }
        if found == "@" && before == "private" {
            let name = self.text(1);
            let error = self.error(codes::UNEXPECTED, format!("`@{name}` stands behind `private`"));
            return Some(match name {
                "bind" | "sampler" | "slot" => {
                    error.help("a binding is seen by its package alone: leave `private` out")
                }
                _ => error.help(format!("attributes come first: `@{name} private …`")),
            });
        }
        if expects(Rule::open_paren) && matches!(before, "if" | "while" | "switch" | "for") {
            let error = self.error(codes::UNEXPECTED, format!("expected `(` after `{before}`, found {}", self.found()));
            return Some(if before == "for" && matches!(self.text(1), "in" | "of" | ":") {
                self.range(found)
            } else {
                error.help(format!("`{before}` needs its parentheses: `{before} (…) {{ … }}`"))
            });
        }
        if let Some(diagnostic) = self.foreign_operator(expected) {
            return Some(diagnostic);
        }
        if let Some(diagnostic) = self.construct(expected) {
            return Some(diagnostic);
        }
        if let Some(diagnostic) = self.semantic() {
            return Some(diagnostic);
        }
        if found == "," && before == ">" && expects(Rule::semicolon) && self.in_struct() {
            return Some(self.comma_in_struct());
        }
        if let Some(diagnostic) = self.type_arguments() {
            return Some(diagnostic);
        }
        if expects(Rule::open_brace) && matches!(before, ")" | "else" | "do") && found != "{" && !expects(Rule::arrow) {
            return Some(
                self.error(codes::UNEXPECTED, format!("expected `{{`, found {}", self.found()))
                    .help("a block always has its braces"),
            );
        }
        if found == "=" && self.in_closure_parameters() {
            let error = self.error(codes::UNEXPECTED, "a closure's parameter has no default");
            return Some(error.help("use the value in the closure, which sees the names around it"));
        }
        if found == "=" && self.item_word() == "let" {
            let error = self
                .error(codes::BAD_DECLARATION, "`let` outside of a function declares a binding, which has no value");
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
            "::" => {
                return Some(
                    self.foreign("`::` is not an operator of Akari", "a case of an enum is written `Name.Case`"),
                );
            }
            "=>" if before == ")" => {
                return Some(
                    self.foreign("`=>` is not an operator of Akari", "a closure is written `|x: type| value`"),
                );
            }
            "=>" => return Some(self.foreign("`=>` is not an operator of Akari", "a case is written `case value:`")),
            "+" if expects(Rule::expression) || expects(Rule::operand) => {
                return Some(self.foreign("there is no prefix `+`", "leave it out"));
            }
            "*" if expects(Rule::type_expression) || expects(Rule::equals) => {
                return Some(self.foreign("Akari has no pointers", "a parameter is borrowed with `name: inout type`"));
            }
            "&" if expects(Rule::expression) || expects(Rule::operand) => {
                return Some(self.foreign(
                    "Akari has no address operator",
                    "an argument for an `inout` or `ref` parameter is just named",
                ));
            }
            "&" if expects(Rule::type_expression) => {
                return Some(self.foreign(
                    "Akari has no references",
                    "a parameter is borrowed with `name: inout type` or `name: ref type`",
                ));
            }
            "->" if self.is_name(-1) && self.is_name(1) && !expects(Rule::arrow) && !expects(Rule::bar) => {
                return Some(self.foreign(
                    "Akari has no pointers",
                    format!("a part is named with `.`: `{before}.{}`", self.text(1)),
                ));
            }
            "{" if expects(Rule::expression) || expects(Rule::operand) => {
                let error = self.error(codes::UNEXPECTED, "a value is not written in braces");
                return Some(
                    error.help("an array is written `[a, b]`, a vector `float4(…)`, a struct `Name { field: value }`"),
                );
            }
            "{" if before == "enum" || self.text(-2) == "enum" => {
                let error = self.error(codes::UNEXPECTED, "expected `:`, found `{`");
                return Some(error.help(format!("an enum names its integer: `enum {before}: uint {{ … }}`")));
            }
            "fn" if self.in_body() || expects(Rule::statement) => {
                let error = self.error(codes::UNEXPECTED, "a function stands outside of functions");
                return Some(
                    error.help("what is needed only here is a closure: `let name = |x: type| -> type { … };`"),
                );
            }
            ";" if expects(Rule::open_brace)
                && self.item_word() == "fn"
                && (expects(Rule::arrow) || self.text(-2) == "->" || self.text(-2) == ":") =>
            {
                let error = self.error(codes::UNEXPECTED, "expected `{`, found `;`");
                return Some(error.help("a function may be used before its definition, and has no other declaration"));
            }
            _ if self.text(-2) == "enum" && matches!(before, "class" | "struct") => {
                let error = self.foreign(
                    format!("`{before}` is no part of an enum's declaration"),
                    format!("write `enum {found}: uint {{ … }}`"),
                );
                return Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error });
            }
            ")" if before == "(" && self.text(-2) == "discard" => {
                let error = self.foreign("`discard` is a statement, not a function", "write `discard;`");
                return Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error });
            }
            "@" if before == "->" => {
                let help = match self.text(1) {
                    "position" | "builtin" => "return a struct with a field `@position name: float4`",
                    _ => "a bare result is colour target 0; else return a struct whose fields have attributes",
                };
                return Some(self.foreign("a result has no attribute", help));
            }
            "]" if before == "[" => {
                return Some(
                    self.error(codes::UNEXPECTED, "an array type needs its length")
                        .help("write `type[length]`, as `float[4]`"),
                );
            }
            "?" if expects(Rule::equals) || (expects(Rule::semicolon) && self.is_name(-1)) => {
                return Some(self.error(codes::UNEXPECTED, "`?` may follow only the type of a parameter"));
            }
            ";" if expects(Rule::comma) && self.in_list_item() => {
                return Some(
                    self.error(codes::UNEXPECTED, "expected `,` or `}`, found `;`")
                        .help("cases and bitfield fields are separated by `,`"),
                );
            }
            "," if expects(Rule::semicolon) && self.in_struct() => return Some(self.comma_in_struct()),
            "," if expects(Rule::semicolon)
                && let Some(name) = self.literal_around() =>
            {
                let help =
                    format!("write `{name} {{ field: value, … }}`, or `{name}(value, …)` in the order of the fields");
                return Some(self.error(codes::UNEXPECTED, "a struct literal names its fields").help(help));
            }
            "," if expects(Rule::semicolon) => {
                return Some(
                    self.error(codes::UNEXPECTED, "expected `;`, found `,`")
                        .help("one statement declares one name; there is no `,` operator"),
                );
            }
            "," | "}" | "=" if expects(Rule::colon) && self.is_name(-1) => {
                let help = format!("write `{before}: value`");
                return Some(
                    self.error(codes::UNEXPECTED, format!("expected `:` after the field `{before}`, found `{found}`"))
                        .help(help),
                );
            }
            "<" if expects(Rule::close_angle) => {
                let error = self.error(codes::UNEXPECTED, "type arguments do not nest");
                return Some(error.help(
                    "a resource is no element of another: bind each one, or use `BufferTable` and `TextureTable`",
                ));
            }
            ":" if expects(Rule::arrow) => {
                return Some(
                    self.error(codes::UNEXPECTED, "expected `->` or `{`, found `:`").help("a result type follows `->`"),
                );
            }
            "." | "[" | "(" | "<" if self.text(-2) == "as" => {
                let help = format!("`as` takes the name of a type; to go on, write `(… as {before}){found}…`");
                return Some(
                    self.error(codes::UNEXPECTED, format!("unexpected `{found}` after a conversion")).help(help),
                );
            }
            _ => {}
        }
        if self.is_word(0) && expects(Rule::arrow) && before == ")" {
            let help = "a result type follows `->`";
            return Some(
                self.error(codes::UNEXPECTED, format!("expected `->` or `{{`, found {}", self.found())).help(help),
            );
        }
        let in_for = before != "for" && self.text(-2) == "(" && self.text(-3) == "for";
        if self.is_name(-1) && self.is_name(0) && (expects(Rule::colon) || in_for) {
            return self.foreign_word(false).or_else(|| self.declaration());
        }
        if matches!(before, ">") && self.is_name(-2) && self.text(-3) == "<" && self.text(-5) == "as" {
            return Some(self.error(codes::UNEXPECTED, "`as` takes the name of a type without arguments"));
        }
        self.c_conversion()
    }

    fn comma_in_struct(&self) -> Diagnostic {
        self.error(codes::UNEXPECTED, "expected `;`, found `,`").help("every field of a struct ends with `;`")
    }

    /// `(float)x`.
    fn c_conversion(&self) -> Option<Diagnostic> {
        let is_operand = self.is_name(0) || self.is_number(0);
        if !is_operand || self.text(-1) != ")" || !self.is_name(-2) || self.text(-3) != "(" || self.is_name(-4) {
            return None;
        }
        let (ty, found) = (akari_type(self.text(-2)), shorten(self.text(0)));
        let help = if self.is_number(0) {
            format!("write `{ty}({found})`")
        } else {
            format!("write `{ty}({found})` or `{found} as {ty}`")
        };
        Some(self.foreign("a conversion is not written as in C", help))
    }

    /// `a and b`, `a === b`, `x ** y`, `let x := 1`.
    fn foreign_operator(&self, expected: &[Rule]) -> Option<Diagnostic> {
        let (before, found) = (self.text(-1), self.text(0));
        let touches = self.token(-1).zip(self.token(0)).is_some_and(|(before, found)| before.end == found.start);
        if touches && !self.is_word(0) {
            let written = format!("{before}{found}");
            if let Some(help) = foreign::help(foreign::Place::Operator, &written) {
                let error = self.foreign(format!("`{written}` is not an operator of Akari"), help);
                return Some(Diagnostic { span: Some(self.span_of(self.at - 1).to(self.span())), ..error });
            }
        }
        if found == ":" && self.text(1) == "=" {
            let name = if self.is_name(-1) { before } else { "name" };
            let error = self.foreign(
                "`:=` is not an operator of Akari",
                format!("a local is declared with `let {name} = value;` or `var {name} = value;`"),
            );
            return Some(Diagnostic { span: Some(self.span().to(self.span_of(self.at + 1))), ..error });
        }
        if self.is_name(0) && expected.contains(&Rule::infix_operator) {
            let help = foreign::help(foreign::Place::Operator, found)?;
            return Some(self.foreign(format!("`{found}` is not an operator of Akari"), help));
        }
        None
    }

    /// `name: type : SV_Position` and `fn f() -> type : SV_Target`.
    fn semantic(&self) -> Option<Diagnostic> {
        if self.text(0) != ":" || !self.is_name(1) {
            return None;
        }
        let word = self.text(1);
        let help = foreign::help(foreign::Place::Semantic, word).or_else(|| {
            word.get(..3)
                .filter(|start| start.eq_ignore_ascii_case("sv_"))
                .map(|_| "what an entry takes and gives has attributes, such as `@position`".into())
        })?;
        let error = self.foreign(format!("Akari has no semantics such as `{word}`"), help);
        Some(Diagnostic { span: Some(self.span_of(self.at + 1)), ..error })
    }

    /// `array<float, 4>` and `vec3<f32>(…)`, which are read as comparisons or as types with arguments.
    fn type_arguments(&self) -> Option<Diagnostic> {
        let start = self.at.saturating_sub(40).max(self.item.start);
        for index in (start..self.at).rev() {
            if matches!(self.lexed.text_at(index), ";" | "{" | "}") {
                return None;
            }
            let word = self.lexed.text_at(index);
            if self.lexed.text_at(index + 1) != "<" || !self.lexed.tokens[index].is_name() {
                continue;
            }
            if let Some(help) = foreign::type_help(word, Some(self.lexed.text_at(index + 2))) {
                let error = self.foreign(format!("Akari has no type `{word}`"), help);
                return Some(Diagnostic { span: Some(self.span_of(index)), ..error });
            }
        }
        None
    }

    /// Whether what stands before, back to a `|`, is parameters.
    fn in_closure_parameters(&self) -> bool {
        let start = self.at.saturating_sub(40).max(self.item.start);
        let mut before = (start..self.at).rev();
        before
            .find(|index| {
                !(self.lexed.tokens[*index].is_name()
                    || matches!(self.lexed.text_at(*index), "," | ":" | "ref" | "inout"))
            })
            .filter(|index| self.lexed.text_at(*index) == "|" && index + 1 < self.at)
            .and_then(|index| index.checked_sub(1))
            .is_some_and(|index| matches!(self.lexed.text_at(index), "(" | "," | "=" | ":" | "return"))
    }

    pub(super) fn foreign(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        self.error(codes::FOREIGN_SYNTAX, message).help(help)
    }

    /// `V { a, b }`, `V { a = 1 }` and `V { .a = 1 }`, of which the grammar makes a name and a block.
    fn struct_literal_slip(&self) -> Option<Diagnostic> {
        let found = self.text(0);
        if found == "." && self.text(-1) == "{" && self.is_name(-2) && self.is_name(1) {
            let help = format!("write `{}: value`", self.text(1));
            return Some(self.foreign("a field in a struct literal has no `.` before it", help));
        }
        if matches!(found, "," | "}")
            && self.is_name(-1)
            && self.text(-2) == "{"
            && self.is_name(-3)
            && !self.in_list_item()
        {
            let field = self.text(-1);
            let message = format!("expected `:` after the field `{field}`, found `{found}`");
            return Some(self.error(codes::UNEXPECTED, message).help(format!("write `{field}: value`")));
        }
        None
    }

    /// What the grammar took for the end of a statement, and was not meant as one.
    pub(super) fn trailing_slip(&self) -> Option<Diagnostic> {
        match self.text(0) {
            "{" if self.is_name(-1) && self.is_name(1) && self.text(2) == "=" => {
                let field = self.text(1);
                let message = format!("expected `:` after the field `{field}`, found `=`");
                let error = Diagnostic::error(codes::UNEXPECTED, self.span_of(self.at + 2), message);
                Some(error.help(format!("write `{field}: value`")))
            }
            "{" if self.text(-1) == ")" => self.foreign_statement(self.at - 1),
            "(" if self.text(-1) == "discard" => {
                Some(self.foreign("`discard` is a statement, not a function", "write `discard;`"))
            }
            _ if self.statement_word().is_some() => self.statement_word(),
            _ if self.text(-1) == "new" => {
                let help = foreign::help(foreign::Place::Modifier, "new")?;
                let error = self.foreign("`new` is not a word of Akari", help);
                Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error })
            }
            "[" if self.text(2) == "," => {
                let error = self.error(codes::UNEXPECTED, "an index is one number");
                let help = "an element of a matrix is `m[column][row]`, one of an array of arrays `a[i][j]`";
                Some(Diagnostic { span: Some(self.span_of(self.at + 2)), ..error }.help(help))
            }
            "[" if self.text(1) == "]" => Some(
                self.error(codes::UNEXPECTED, "an array type needs its length")
                    .help("write `type[length]`, as `float[4]`"),
            ),
            _ => None,
        }
    }

    /// `let a-b` and `let a.b`, behind the first part of the name.
    pub(super) fn name_slip(&self) -> Option<Diagnostic> {
        let found = self.text(0);
        if !matches!(found, "-" | ".") || !self.is_name(-1) {
            return None;
        }
        let message = format!("expected `:`, `=` or `;` after the name `{}`, found `{found}`", self.text(-1));
        Some(self.error(codes::UNEXPECTED, message).help("a name is made of letters, digits and `_`"))
    }

    /// `[unroll] for …`, at the `for`.
    pub(super) fn bracket_attribute(&self) -> Option<Diagnostic> {
        if self.text(-1) != "]" {
            return None;
        }
        let open = self.opener(self.at - 1, "[", "]", 20)?;
        let word = self.lexed.text_at(open + 1);
        let is_first = matches!(self.lexed.text_at(open.checked_sub(1)?), ";" | "{" | "}" | ")" | ":");
        let help = foreign::help(foreign::Place::Bracket, word).filter(|_| is_first)?;
        let error = self.foreign("an attribute begins with `@`", help);
        Some(Diagnostic { span: Some(self.span_of(open)), ..error })
    }

    /// `word (…) { … }` with a word that no statement of Akari begins with; `close` is its `)`.
    fn foreign_statement(&self, close: usize) -> Option<Diagnostic> {
        let word = self.opener(close, "(", ")", 1000)?.checked_sub(1)?;
        let help = foreign::help(foreign::Place::Statement, self.lexed.text_at(word))?;
        let message = format!("`{}` begins no statement of Akari", self.lexed.text_at(word));
        Some(Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_of(word), message).help(help))
    }

    /// The bracket that the one at `close` closes, if it is among so many tokens before.
    fn opener(&self, close: usize, open: &str, closing: &str, near: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for index in (self.item.start..=close).rev().take(near) {
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

    /// The name before the brace that is open around the fault, where that is a struct literal's.
    fn literal_around(&self) -> Option<&str> {
        let mut depth = 0_usize;
        for index in (self.item.start..self.at).rev().take(200) {
            match self.lexed.text_at(index) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" if depth > 0 => depth -= 1,
                "{" => {
                    let name = index.checked_sub(1).filter(|name| self.lexed.tokens[*name].is_name())?;
                    let before = self.lexed.text_at(name.checked_sub(1)?);
                    return matches!(before, "return" | "=" | "(" | "," | "[" | ":" | "?")
                        .then(|| self.lexed.text_at(name));
                }
                ";" => return None,
                _ => {}
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
            let mut diagnostic = self
                .error(codes::MALFORMED_NUMBER, "a number does not end with a point")
                .help(format!("write `{number}.0`"));
            if let Some(index) = self.at.checked_add_signed(dot) {
                diagnostic.span = Some(self.span_of(index));
            }
            return Some(diagnostic);
        }
        None
    }

    /// `float x` or `x float`, where `x: float` was meant.
    pub(super) fn declaration(&self) -> Option<Diagnostic> {
        let (first, second) = (self.text(-1), self.text(0));
        let whole = self.span_of(self.at - 1).to(self.span());
        let declared = matches!(self.text(-2), "let" | "var" | "const");
        if let Some(help) = foreign::help(foreign::Place::Statement, first) {
            let error = self.foreign(format!("`{first}` begins no statement of Akari"), help);
            return Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error });
        }
        if matches!(first, "unsigned" | "signed") && is_type_word(second) && self.is_name(1) {
            let (ty, name) = (if first == "unsigned" { "uint" } else { second }, self.text(1));
            let error = Diagnostic::error(codes::FOREIGN_SYNTAX, whole, "this declaration is written as in C");
            return Some(error.help(format!("the name comes first: `var {name}: {ty}`")));
        }
        match first {
            "mut" => {
                return Some(self.foreign(
                    "`mut` is not a word of Akari",
                    format!("a mutable local is declared with `var {second}`"),
                ));
            }
            "inout" | "ref" => {
                return Some(self.error(codes::UNEXPECTED, format!("only parameters are passed by `{first}`")));
            }
            _ => {}
        }
        if declared && is_type_word(first) && !is_type_word(second) {
            let word = self.text(-2);
            let error = Diagnostic::error(codes::FOREIGN_SYNTAX, whole, "this declaration is written as in C");
            return Some(error.help(format!("the name comes first: `{word} {second}: {}`", akari_type(first))));
        }
        if declared || (is_type_word(second) && !is_type_word(first)) {
            let message = format!("expected `:` after `{first}`, found `{second}`");
            return Some(
                self.error(codes::UNEXPECTED, message).help(format!("write `{first}: {}`", akari_type(second))),
            );
        }
        let mut ty = akari_type(first).to_string();
        if self.text(1) == "[" && self.text(3) == "]" {
            ty = format!("{ty}[{}]", self.text(2));
        }
        let open = if self.in_body() || self.text(-3) == "for" { "var " } else { "" };
        let error = Diagnostic::error(codes::FOREIGN_SYNTAX, whole, "this declaration is written as in C");
        let mut help = format!("the name comes first: `{open}{second}: {ty}`");
        if self.text(1) == ":"
            && let Some(semantic) = foreign::help(foreign::Place::Semantic, self.text(2))
        {
            help = format!("{help}; for `{}`, {semantic}", self.text(2));
        }
        Some(error.help(help))
    }

    /// A word of another language that stands before a name.
    pub(super) fn foreign_word(&self, statement: bool) -> Option<Diagnostic> {
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
}
