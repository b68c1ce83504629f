//! Manifests by the thousand: a sound one with bytes and words dropped, doubled, exchanged or replaced. Whatever comes of it, each fault
//! has its place and a hint; and what is JSON here is JSON to `serde_json`.
//!
//! `AKARI_MUTANTS=100000 cargo test --lib manifest::mutants` tries more of them.

use std::env;

use super::*;
use crate::render;
use crate::source::SourceMap;

const SOUND: &str = include_str!("../../tests/numeric/manifests/bindings.json");

/// What is put in the place of something else.
const WORDS: [&str; 44] = [
    "{", "}", "[", "]", ",", ":", "\"", "\"\"", "null", "true", "0", "1", "-1", "01", "1.", "1e5", "1e999",
    "9999999999", "+1", "0x1", ".5", "'", "\\", "\\u0041", "\\ud800", "\\x", "//", "/* */", "\u{0}", "\n", "\t",
    "\u{feff}", "\u{2028}", "é", "\"b0\"", "\"t4294967295,space4294967295\"", "\"SV_TARGET8\"", "\"0:4294967296\"",
    "\"HK_BUFFER(a,b)\"", "HK_TARGET(a,b)", "\"version\"", "\"metal\"", "{}", "[[]]",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Pieces that a change may take or leave whole: words, strings, signs.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for character in text.chars() {
        match pieces.last_mut() {
            Some(last) if character.is_alphanumeric() && last.ends_with(char::is_alphanumeric) => last.push(character),
            _ => pieces.push(character.to_string()),
        }
    }
    pieces
}

fn mutant(random: &mut Random) -> String {
    let mut pieces = pieces(SOUND);
    for _ in 0..=random.below(4) {
        let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
        match random.below(6) {
            0 => drop(pieces.remove(at)),
            1 => pieces.insert(at, WORDS[random.below(WORDS.len())].to_owned()),
            2 => pieces[at] = WORDS[random.below(WORDS.len())].to_owned(),
            3 => pieces.swap(at, other),
            4 => {
                let copy = pieces[at.min(other)..(at.min(other) + random.below(40)).min(pieces.len())].to_vec();
                pieces.splice(at..at, copy);
            }
            _ if random.below(8) == 0 => pieces.truncate(at),
            _ => drop(pieces.drain(at..(at + random.below(12)).min(pieces.len()))),
        }
        if pieces.is_empty() {
            break;
        }
    }
    pieces.concat()
}

/// What is wrong with what is told of a text, if anything.
fn complaint(text: &str) -> Option<String> {
    let mut sources = SourceMap::new();
    let file = sources.add("bindings.json", text.as_bytes().to_vec()).ok()?;
    let (_, faults) = read(file, sources.text(file));
    for fault in &faults {
        let Some(span) = fault.span else { return Some(format!("no place: {}", fault.message)) };
        let text = sources.text(file);
        if text.get(span.start as usize..span.end as usize).is_none() {
            return Some(format!("{span:?} is no place: {}", fault.message));
        }
        if fault.help.is_none() {
            return Some(format!("no hint: {}", fault.message));
        }
        if !text.trim().is_empty()
            && !render::human(&sources, fault).contains("\n  | ")
            && !text[..span.start as usize].ends_with('\n')
        {
            return Some(format!("no line: {}", fault.message));
        }
    }
    let refused = faults.iter().any(|fault| fault.code == codes::SYNTAX);
    let json = sources.text(file).trim_start_matches('\u{feff}');
    let reference = serde_json::from_str::<serde_json::Value>(json);
    match (refused, reference) {
        // A number too large for a double is JSON; what it is for is another question.
        (false, Err(error)) if !error.to_string().contains("number out of range") => {
            Some(format!("taken for JSON, but: {error}"))
        }
        (true, Ok(_)) => Some(format!("no JSON? {}", faults[0].message)),
        _ => None,
    }
}

#[test]
fn mutants() {
    let count = env::var("AKARI_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(3000);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..count {
        let text = mutant(&mut random);
        assert_eq!(complaint(&text), None, "{text}");
    }
}

#[test]
fn every_piece_dropped_and_every_beginning() {
    let pieces = pieces(SOUND);
    for at in 0..pieces.len() {
        let without: String = pieces[..at].iter().chain(&pieces[at + 1..]).map(String::as_str).collect();
        assert_eq!(complaint(&without), None, "{without}");
        let beginning = pieces[..at].concat();
        assert_eq!(complaint(&beginning), None, "{beginning}");
    }
}

#[test]
fn odd_texts() {
    let deep = format!("{{ \"version\": 1, \"bindings\": {}", "{ \"a\": ".repeat(20_000));
    let wide = format!("{{ \"version\": 1, {}\"bindings\": {{}} }}", "\"x\": 0, ".repeat(5_000));
    for text in [
        "", " ", "\u{feff}", "\u{feff}{}", "null", "\"\"", "0", "[]", "{}", "{} {}", "{\"version\":1}x",
        "{\"a\":\"\u{1}\"}", &deep, &wide,
    ] {
        assert_eq!(complaint(text), None, "{}", text.get(..60).unwrap_or(text));
    }
}
