//! `docs/syntax.ebnf`: the grammar in the notation of the W3C, with what is written instead of the codes of tokens.
//!
//! A crate of its own: `pest_meta` turns on pest's stack probe in everything that is built with it, benchmarks included.

use std::fmt::Write;

use pest_meta::ast::{Expr, Rule};
use pest_meta::parser;

use akari::syntax::SPELLINGS;

const GRAMMAR: &str = include_str!("../../src/syntax/akari.pest");

const HEADER: &str = "\
/* The syntax of Akari, in the EBNF of the W3C (https://www.w3.org/TR/xml/#sec-notation).
   Generated from src/syntax/akari.pest by a test: change that file, then run
   AKARI_BLESS=1 cargo test -p akari-grammar */
";

#[test]
fn the_documented_grammar_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/syntax.ebnf");
    let generated = generate();
    if std::env::var_os("AKARI_BLESS").is_some() {
        std::fs::write(path, generated).expect("docs/syntax.ebnf can be written");
        return;
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == generated, "docs/syntax.ebnf is not current: run AKARI_BLESS=1 cargo test -p akari-grammar");
}

/// The rules of a section of the grammar file.
struct Section<'g> {
    heading: &'g str,
    /// Names of rules, with the comments above them.
    rules: Vec<(&'g str, Vec<&'g str>)>,
}

fn generate() -> String {
    let pairs = parser::parse(parser::Rule::grammar_rules, GRAMMAR).expect("the grammar parses");
    let rules = parser::consume_rules(pairs).expect("the grammar is sound");
    let sections = sections();
    let ebnf = Ebnf {
        rules: &rules,
        tokens: names_in(&sections, "Tokens"),
        lexical: names_in(&sections, "Lexical structure"),
    };
    let mut out = HEADER.to_string();
    for section in &sections {
        let mut body = String::new();
        for (name, comments) in &section.rules {
            if name.starts_with("lone_") || name.starts_with("missing_") || ebnf.is_inlined(name) {
                continue;
            }
            if !comments.is_empty() {
                let _ = writeln!(body, "\n/* {} */", comments.join("\n   "));
            }
            let expr = &ebnf.rule(name).expr;
            let _ = writeln!(body, "{}", production(&ebnf.printed_name(name), &ebnf.alternatives(name, expr)));
        }
        if !body.is_empty() {
            let _ =
                write!(out, "\n\n/* {} */\n{}{body}", section.heading, if body.starts_with('\n') { "" } else { "\n" });
        }
    }
    out
}

/// One production: on one line where it fits, else an alternative a line.
fn production(name: &str, alternatives: &[String]) -> String {
    let line = format!("{name} ::= {}", alternatives.join(" | "));
    if line.chars().count() <= 140 || alternatives.len() < 2 {
        return line;
    }
    let mut out = format!("{name} ::=\n      {}", alternatives[0]);
    for alternative in &alternatives[1..] {
        let _ = write!(out, "\n    | {alternative}");
    }
    out
}

/// The sections of the grammar file: a line `// Heading.` begins one.
fn sections() -> Vec<Section<'static>> {
    let mut sections: Vec<Section<'static>> = Vec::new();
    let mut comments = Vec::new();
    for line in GRAMMAR.lines() {
        if let Some(comment) = line.strip_prefix("/// ") {
            comments.push(comment);
        } else if let Some(heading) = line.strip_prefix("// ").and_then(|line| line.strip_suffix('.'))
            && heading.split(' ').count() <= 2
        {
            sections.push(Section { heading, rules: Vec::new() });
        } else if let Some((name, _)) = line.split_once('=')
            && line.starts_with(|c: char| c.is_ascii_lowercase())
            && let Some(section) = sections.last_mut()
        {
            section.rules.push((name.trim(), std::mem::take(&mut comments)));
        }
    }
    sections
}

fn names_in<'g>(sections: &[Section<'g>], heading: &str) -> Vec<&'g str> {
    let rules = sections.iter().filter(|section| section.heading == heading).flat_map(|section| &section.rules);
    rules.map(|(name, _)| *name).collect()
}

/// How tightly a piece of notation binds.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Choice,
    Sequence,
    Item,
}

struct Ebnf<'g> {
    rules: &'g [Rule],
    tokens: Vec<&'g str>,
    lexical: Vec<&'g str>,
}

impl Ebnf<'_> {
    fn rule(&self, name: &str) -> &Rule {
        self.rules.iter().find(|rule| rule.name == name).unwrap_or_else(|| panic!("no rule {name}"))
    }

    /// Whether a token is written where it is used.
    fn is_inlined(&self, name: &str) -> bool {
        self.tokens.contains(&name) && !matches!(self.rule(name).expr, Expr::Choice(..))
    }

    /// Lexical rules lose their prefix, and so take the names of the tokens that they describe.
    fn printed_name(&self, name: &str) -> String {
        name.strip_prefix("lexical_").unwrap_or(name).to_string()
    }

    fn alternatives(&self, rule: &str, expr: &Expr) -> Vec<String> {
        let lexical = self.lexical.contains(&rule);
        match expr {
            Expr::Choice(left, right) => {
                let mut all = self.alternatives(rule, left);
                all.extend(self.alternatives(rule, right));
                let count = all.len();
                all.retain(|alternative| !alternative.is_empty());
                // One of them was `missing_…`.
                if all.len() < count { vec![format!("{}?", all.join(" | "))] } else { all }
            }
            Expr::Str(code) if !lexical => self.spellings(code),
            _ => vec![self.text(expr, lexical, Level::Sequence)],
        }
    }

    fn spellings(&self, code: &str) -> Vec<String> {
        let entry = SPELLINGS.iter().find(|(entry, _)| code.as_bytes() == [*entry]);
        entry.map_or_else(
            || vec![quoted(code)],
            |(_, spellings)| spellings.iter().map(|spelling| quoted(spelling)).collect(),
        )
    }

    /// The notation of `expr`, in parentheses where it binds less tightly than `needed`. Empty for what has no notation.
    fn text(&self, expr: &Expr, lexical: bool, needed: Level) -> String {
        let (text, level) = self.notation(expr, lexical);
        if level < needed && !text.is_empty() { format!("( {text} )") } else { text }
    }

    fn notation(&self, expr: &Expr, lexical: bool) -> (String, Level) {
        match expr {
            Expr::Str(text) if lexical => (quoted(text), Level::Item),
            Expr::Str(code) => {
                let all = self.spellings(code);
                (all.join(" | "), if all.len() == 1 { Level::Item } else { Level::Choice })
            }
            Expr::Range(first, _) => ((if first == "a" { "name" } else { "keyword" }).to_string(), Level::Item),
            Expr::Ident(name) => self.reference(name),
            Expr::Seq(left, right) => {
                if let (Expr::NegPred(excluded), Expr::Ident(any)) = (&**left, &**right)
                    && any == "ANY"
                {
                    return match &**excluded {
                        Expr::Str(text) if text == "\n" => ("[^#xA]".to_string(), Level::Item),
                        excluded => {
                            (format!("[#x0-#x10FFFF] - {}", self.text(excluded, lexical, Level::Item)), Level::Choice)
                        }
                    };
                }
                match (&**left, &**right) {
                    (Expr::NegPred(_) | Expr::PosPred(_), other) | (other, Expr::NegPred(_) | Expr::PosPred(_)) => {
                        return self.notation(other, lexical);
                    }
                    _ => {}
                }
                let parts = [self.text(left, lexical, Level::Sequence), self.text(right, lexical, Level::Sequence)];
                let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                (parts.join(" "), if parts.len() < 2 { Level::Item } else { Level::Sequence })
            }
            Expr::Choice(..) => {
                let all = self.choices(expr, lexical);
                match all.as_slice() {
                    // One of the two is `missing_…`.
                    [one] => (format!("{one}?"), Level::Item),
                    _ => (all.join(" | "), Level::Choice),
                }
            }
            Expr::Opt(inner) => self.repeated(inner, lexical, "?"),
            Expr::Rep(inner) => self.repeated(inner, lexical, "*"),
            Expr::RepOnce(inner) => self.repeated(inner, lexical, "+"),
            // Look-ahead only saves time, except in names, where the comment says it.
            Expr::PosPred(_) | Expr::NegPred(_) => (String::new(), Level::Item),
            other => panic!("no notation for {other:?}"),
        }
    }

    fn choices(&self, expr: &Expr, lexical: bool) -> Vec<String> {
        match expr {
            Expr::Choice(left, right) => {
                let mut all = self.choices(left, lexical);
                all.extend(self.choices(right, lexical));
                all
            }
            _ => Some(self.text(expr, lexical, Level::Sequence)).filter(|text| !text.is_empty()).into_iter().collect(),
        }
    }

    fn repeated(&self, inner: &Expr, lexical: bool, mark: &str) -> (String, Level) {
        let inner = self.text(inner, lexical, Level::Item);
        let text = match inner.strip_suffix('+') {
            _ if inner.is_empty() => inner,
            Some(repeated) if mark == "?" => format!("{repeated}*"),
            _ => format!("{inner}{mark}"),
        };
        (text, Level::Item)
    }

    fn reference(&self, name: &str) -> (String, Level) {
        match name {
            "SOI" | "EOI" => (String::new(), Level::Item),
            "ASCII_ALPHA" => ("[a-zA-Z]".to_string(), Level::Item),
            "ASCII_ALPHANUMERIC" => ("[a-zA-Z0-9]".to_string(), Level::Item),
            "ASCII_DIGIT" => ("[0-9]".to_string(), Level::Item),
            "ASCII_HEX_DIGIT" => ("[0-9a-fA-F]".to_string(), Level::Item),
            "ASCII_BIN_DIGIT" => ("[01]".to_string(), Level::Item),
            "name" | "number" => (name.to_string(), Level::Item),
            _ if name.starts_with("missing_") => (String::new(), Level::Item),
            _ if self.is_inlined(name) => {
                let text = self.alternatives(name, &self.rule(name).expr);
                (text.join(" | "), if text.len() == 1 { Level::Item } else { Level::Choice })
            }
            _ => (self.printed_name(name), Level::Item),
        }
    }
}

fn quoted(text: &str) -> String {
    format!("'{text}'")
}
