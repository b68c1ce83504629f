//! Changes that look at words alone: other names, and other blanks and comments.

use std::collections::{BTreeMap, BTreeSet};

use akari::syntax::ast::{Field, ItemKind, Param, Stmt, StmtKind};
use akari_dialect::Builtin;
use akari_harness::fuzz::random::Random;
use akari_harness::fuzz::{ITEMS, LOCALS};

use super::compile_time::JUDGE;
use super::source::Source;

/// What stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    /// A number, or a sign.
    Other(&'t str),
    Blank(&'t str),
    /// `//` to the end of the line, or `/* … */`.
    Comment(&'t str),
    /// A line that begins with `#`.
    Directive(&'t str),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let until = |end: Option<usize>| end.unwrap_or(rest.len());
        let length = if first.is_ascii_digit() {
            until(rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_' && letter != '.'))
        } else if first.is_alphabetic() || first == '_' {
            until(rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_'))
        } else if first.is_whitespace() {
            until(rest.find(|letter: char| !letter.is_whitespace()))
        } else if rest.starts_with("//") || first == '#' {
            until(rest.find('\n'))
        } else if rest.starts_with("/*") {
            comment(rest)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        found.push(if token.starts_with("//") || token.starts_with("/*") {
            Token::Comment(token)
        } else if first == '#' {
            Token::Directive(token)
        } else if first.is_whitespace() {
            Token::Blank(token)
        } else if first.is_alphabetic() || first == '_' {
            Token::Word(token)
        } else {
            Token::Other(token)
        });
        rest = after;
    }
    found
}

/// The length of a comment, which may hold others.
fn comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The program with other blanks, and comments among them.
pub(crate) fn respaced(source: &Source<'_>, random: &mut Random) -> String {
    // Attributes and directives keep to their lines; what stands before the first item is the header.
    let Some(first) = source.file.items.first() else { return source.text.to_owned() };
    let start = first.span.start as usize;
    let mut result = source.text[..start].to_owned();
    for token in tokens(&source.text[start..]) {
        let around = |random: &mut Random| {
            random.pick(&["", "", " ", "\n", "\t", " /* a /* b */ ; } */ ", " // it's \"so\" {\n", "\r\n", "  \n\n  "])
        };
        match token {
            Token::Word(text) => result += text,
            Token::Other(text) => {
                // Signs may be parts of longer ones.
                let apart = matches!(text, "(" | ")" | "{" | "}" | ";" | ",");
                if apart {
                    result += around(random);
                }
                result += text;
                if apart {
                    result += around(random);
                }
            }
            Token::Blank(text) => {
                // A missing `;` may count on the end of its line.
                let line = text.contains('\n');
                result += if line { "\n" } else { " " };
                result += around(random);
            }
            Token::Comment(text) => result += if text.starts_with("///") { text } else { " " },
            Token::Directive(text) => result += text,
        }
    }
    result
}

/// Every name that the program declares, and nothing else means, exchanged for another, often one that a target keeps for itself.
pub(crate) fn renamed(source: &Source<'_>, random: &mut Random) -> String {
    if !source.file.imports.is_empty() {
        return source.text.to_owned();
    }
    let mut items = BTreeSet::new();
    let mut locals = BTreeSet::new();
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    for item in source.file.items {
        // Entries are called by their names from outside, and what judges rays by the language.
        let name = source.name(item.name.name);
        let is_entry = source.is_entry(item) || name == JUDGE;
        if is_entry {
            kept.insert(name)
        } else {
            items.insert(name)
        };
        match item.kind {
            ItemKind::Struct(fields) => {
                locals.extend(fields.iter().map(|field: &Field<'_>| source.name(field.name.name)))
            }
            ItemKind::Enum(of) => items.extend(of.cases.iter().map(|case| source.name(case.name.name))),
            ItemKind::Bitfield(of) => locals.extend(of.fields.iter().map(|field| source.name(field.name.name))),
            ItemKind::Fn(function) => {
                locals.extend(function.params.iter().map(|param: &Param<'_>| source.name(param.name.name)));
            }
            ItemKind::Const(_) | ItemKind::Instance(_) | ItemKind::Binding(_) => {}
        }
    }
    for stmt in source.statements() {
        let local = |stmt: &Stmt<'_>| match stmt.kind {
            StmtKind::Local(local) => Some(source.name(local.name.name)),
            _ => None,
        };
        locals.extend(local(&stmt));
        if let StmtKind::For(loop_) = stmt.kind {
            locals.extend(loop_.init.and_then(local));
        }
    }
    // Words that mean something without being declared.
    let all = tokens(source.text);
    let mut words = BTreeSet::new();
    let mut inside_attribute = 0;
    for (index, token) in all.iter().enumerate() {
        match token {
            Token::Word(word) => {
                words.insert(*word);
                if inside_attribute > 0 || index > 0 && all[index - 1] == Token::Other("@") {
                    kept.insert(word);
                }
            }
            Token::Other("(") => {
                let attribute =
                    index > 1 && matches!(all[index - 1], Token::Word(_)) && all[index - 2] == Token::Other("@");
                inside_attribute += usize::from(inside_attribute > 0 || attribute);
            }
            Token::Other(")") => inside_attribute = inside_attribute.saturating_sub(1),
            Token::Directive(line) => {
                kept.extend(line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'))
            }
            Token::Other(_) | Token::Blank(_) | Token::Comment(_) => {}
        }
    }
    let swizzle = |name: &str| name.len() <= 4 && name.chars().all(|letter| "xyzwrgba".contains(letter));
    let builtin = |name: &str| Builtin::ALL.iter().any(|builtin| builtin.name() == name);
    let is_type = |name: &str| {
        let is_width = |rest: &str| rest.chars().all(|letter| "234x".contains(letter));
        SCALARS.iter().any(|scalar| name.strip_prefix(scalar).is_some_and(is_width))
    };
    let free = |name: &&str| {
        !kept.contains(*name) && !swizzle(name) && !MEANT.contains(name) && !builtin(name) && !is_type(name)
    };
    let fresh = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| *name != "_" && !words.contains(name) && free(name)).collect()
    };
    // A local that is called as an item hides it.
    let (mut new_items, mut new_locals) = (fresh(ITEMS), fresh(LOCALS));
    let mut others: BTreeMap<&str, String> = BTreeMap::new();
    for name in items.union(&locals).copied().filter(free) {
        let list = if items.contains(name) { &mut new_items } else { &mut new_locals };
        let other = match list.len() {
            0 => format!("other_{}", others.len()),
            length => list.swap_remove(random.below(length)).to_owned(),
        };
        others.insert(name, other);
    }
    all.iter()
        .map(|token| match token {
            Token::Word(word) => others.get(word).map_or(*word, String::as_str),
            Token::Other(text) | Token::Blank(text) | Token::Comment(text) | Token::Directive(text) => text,
        })
        .collect()
}

const SCALARS: &[&str] = &["bool", "int", "uint", "float", "half", "uint64", "i32", "u32", "f32", "u64", "f16"];

/// Methods, and fields of builtin structs, which may be fields and locals too.
const MEANT: &[&str] = &[
    "hit", "distance", "instance_id", "primitive_id", "barycentric", "sample", "load", "store", "gather", "dimensions",
    "threads", "sample_cmp", "sample_level", "sample_grad", "gather_cmp", "mip_levels",
];
