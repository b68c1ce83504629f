//! Constructs of Rust, WGSL and Slang that Akari writes otherwise, recognized by the tokens around the fault.

use akari_ir::Diagnostic;

use super::{Place, akari_type};
use crate::foreign;
use crate::syntax::codes;
use crate::syntax::grammar::Rule;

/// How far before the fault the word is looked for that a construct begins with.
const NEAR: usize = 60;

impl Place<'_> {
    /// A construct of another language in which the grammar gave up.
    pub(super) fn construct(&self, expected: &[Rule]) -> Option<Diagnostic> {
        let expects = |rule| expected.contains(&rule);
        let value = expects(Rule::expression) || expects(Rule::operand);
        let (before, found) = (self.text(-1), self.text(0));
        match found {
            "if" if value => Some(self.foreign("an `if` has no value", "a value is chosen by `condition ? a : b`")),
            "switch" if value => Some(
                self.foreign("a `switch` has no value", "declare a `var` before it, and assign to it in each case"),
            ),
            "for" | "while" | "do" if value => {
                Some(self.foreign(format!("a `{found}` has no value"), "it is a statement of its own"))
            }
            "fn" if value => {
                Some(self.foreign("a function without a name is a closure", "write `|x: type| -> type { … }`"))
            }
            "fn" if self.in_struct() => {
                let help = "a function stands outside of structs, and takes the struct as a parameter";
                Some(self.error(codes::UNEXPECTED, "a struct has fields only").help(help))
            }
            "*" if (value || expects(Rule::statement)) && !expects(Rule::equals) => {
                Some(self.foreign(
                    "Akari has no pointers",
                    "a parameter passed by `inout` is read and assigned to by its name",
                ))
            }
            "&" if expects(Rule::equals) && self.is_name(-1) => Some(self.foreign(
                "Akari has no references",
                "a parameter is borrowed with `name: inout type` or `name: ref type`",
            )),
            "#" if value || expects(Rule::statement) => Some(
                self.error(codes::UNEXPECTED, "a directive stands outside of functions")
                    .help("a comment begins with `//`"),
            ),
            "=>" => self.arm(expects(Rule::arrow)),
            "," if expects(Rule::colon) && self.in_label() => {
                let error = self.error(codes::UNEXPECTED, "expected `:`, found `,`");
                Some(error.help("each value has a `case` of its own: `case 1: case 2:`"))
            }
            "{" if expects(Rule::colon) && (before == "default" || self.in_label()) => {
                let error = self.error(codes::UNEXPECTED, "expected `:`, found `{`");
                Some(error.help("a case is written `case value: … break;`, without braces"))
            }
            "(" if before == "->" => {
                Some(self.foreign("there is no type `()`", "a function without a result has no `->`"))
            }
            "(" if matches!(before, "let" | "var" | "const") => Some(
                self.error(codes::UNEXPECTED, format!("`{before}` declares one name"))
                    .help("several values in one are a `struct`"),
            ),
            "[" if expects(Rule::type_expression) => {
                let ty = if self.is_name(1) { akari_type(self.text(1)) } else { "type" };
                let length = if matches!(self.text(2), ";" | ",") { self.text(3) } else { "length" };
                Some(self.foreign("an array type does not begin with `[`", format!("write `{ty}[{length}]`")))
            }
            "<" if self.text(-2) == "fn" => {
                let help = "overload it for each type; a compile-time value is a parameter `const name: type`";
                Some(self.foreign("Akari has no generic functions", help))
            }
            ":" if self.text(-2) == "struct" => Some(self.foreign(
                "a struct has no base and no interfaces",
                "hold the other struct in a field; functions may be overloaded by the types of their parameters",
            )),
            "<" if self.text(-2) == "struct" => {
                Some(self.foreign("Akari has no generic structs", "write one for each type"))
            }
            "in" | "of" if self.is_name(-1) && self.text(-2) == "(" && self.text(-3) == "for" => {
                Some(self.range(before))
            }
            _ => self.passing_argument(expected).or_else(|| self.not_word(expected)),
        }
    }

    /// `word {` and `word expression`, with a word that no statement of Akari begins with, behind the word.
    pub(super) fn statement_word(&self) -> Option<Diagnostic> {
        let word = self.text(-1);
        if !self.is_name(-1)
            || !matches!(self.text(-2), ";" | "{" | "}" | ":" | ")")
            || matches!(self.text(0), "." | "[")
        {
            return None;
        }
        let help = foreign::help(foreign::Place::Statement, word)?;
        let message = format!("`{word}` begins no statement of Akari");
        Some(Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_of(self.at - 1), message).help(help))
    }

    /// `for i in 0..4`, of which the loop's variable is `name`.
    pub(super) fn range(&self, name: &str) -> Diagnostic {
        let error = self.error(codes::UNEXPECTED, "Akari has no loops over ranges");
        error.help(format!("write `for (var {name} = 0; {name} < count; {name}++) {{ … }}`"))
    }

    /// `=>`: behind the parameters of a function, in a `match`, or elsewhere.
    fn arm(&self, result: bool) -> Option<Diagnostic> {
        if result {
            return Some(self.foreign("`=>` is not an operator of Akari", "a result type follows `->`"));
        }
        let start = self.at.saturating_sub(NEAR).max(self.item.start);
        let word = (start..self.at).rev().find(|&index| self.lexed.text_at(index) == "match")?;
        let help = foreign::help(foreign::Place::Statement, "match")?;
        let error = self.foreign("`match` is not a word of Akari", help);
        Some(Diagnostic { span: Some(self.span_of(word)), ..error })
    }

    /// Whether the fault stands in the value of a `case`.
    fn in_label(&self) -> bool {
        let start = self.at.saturating_sub(NEAR).max(self.item.start);
        let word = (start..self.at)
            .rev()
            .map(|index| self.lexed.text_at(index))
            .find(|text| matches!(*text, "case" | ";" | "{" | "}" | "?"));
        word == Some("case")
    }

    /// `f(inout x)`, at the `x`.
    fn passing_argument(&self, expected: &[Rule]) -> Option<Diagnostic> {
        let is_argument =
            matches!(self.text(-1), "inout" | "ref" | "out" | "mut") && matches!(self.text(-2), "(" | ",");
        if !is_argument || !self.is_name(0) || !expected.contains(&Rule::close_paren) {
            return None;
        }
        let in_signature = !(self.item.start..self.at).any(|index| self.lexed.text_at(index) == "{");
        if in_signature {
            return None;
        }
        let error = self.error(codes::UNEXPECTED, format!("`{}` stands in the wrong place", self.text(-1)));
        let error = error.help("an argument for an `inout` or `ref` parameter is just named");
        Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error })
    }

    /// `not x`, at the `x`.
    fn not_word(&self, expected: &[Rule]) -> Option<Diagnostic> {
        if self.text(-1) != "not"
            || !(self.is_word(0) || self.is_number(0))
            || !expected.contains(&Rule::infix_operator)
        {
            return None;
        }
        let error = self.foreign("`not` is not an operator of Akari", "Akari calls it `!`");
        Some(Diagnostic { span: Some(self.span_of(self.at - 1)), ..error })
    }
}
