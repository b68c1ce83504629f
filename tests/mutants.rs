//! Wrong programs by the thousand: sources of the repository with words dropped, doubled, exchanged or replaced. Whatever comes of
//! it, the front end must not panic, and what it accepts must pass the verifier.
//!
//! `AKARI_MUTANTS=20000 cargo test --test mutants` tries more of them.

use std::path::{Path, PathBuf};
use std::{env, fs, panic};

use akari::frontend::{Found, compile};
use akari::source::SourceMap;
use akari_ir::verify::verify;

/// A small generator of numbers, the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "akari")
        {
            files.push(path);
        }
    }
}

/// The text in words, numbers, signs and blanks.
fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if word(first) {
            rest.find(|letter| !word(letter)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (head, tail) = rest.split_at(length);
        words.push(head);
        rest = tail;
    }
    words
}

fn mutate(text: &str, others: &[&str], random: &mut Random) -> String {
    let mut words = words(text);
    for _ in 0..=random.below(3) {
        let at = random.below(words.len());
        let other = random.below(words.len());
        if words.is_empty() {
            break;
        }
        match random.below(5) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, words[other]),
            2 => words.swap(at, other),
            3 => words[at] = words[other],
            _ => words[at] = others[random.below(others.len())],
        }
    }
    words.concat()
}

/// Words to put into sources.
const WORDS: &[&str] = &[
    "float",
    "float3",
    "int",
    "uint",
    "uint64",
    "half",
    "bool",
    "float3x3",
    "Buf",
    "Tex2D",
    "0",
    "1u",
    "1.5",
    "-",
    "!",
    "~",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "..",
    "?",
    ":",
    "<<",
    "==",
    "&&",
    "%",
    "=",
    "+=",
    "++",
    "inout",
    "ref",
    "private",
    "const",
    "let",
    "var",
    "return",
    "break",
    "continue",
    "discard",
    "default",
    "@vertex",
    "@compute",
    "@flat",
    "@groupshared",
    "as",
    "true",
    "sizeof",
    "mul",
    "select",
    "dot",
    "barrier",
    "atomic_add",
    "ddx",
    "4294967295",
    "struct",
    "enum",
    "bitfield",
    "fn",
    "switch",
    "case",
    "if",
    "else",
    "for",
    "while",
    "do",
    ".x",
    ".xy",
    ".rgba",
    ";",
    ",",
    "none",
    "|",
];

fn accepts(path: &Path, text: &str) -> Result<bool, String> {
    let mut sources = SourceMap::new();
    let Ok(root) = sources.add(path.display().to_string(), text.as_bytes().to_vec()) else {
        return Ok(false);
    };
    let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
    let mut find = |name: &str, sources: &mut SourceMap| {
        for directory in [
            folder.join("../modules"),
            folder.join("modules"),
            folder.clone(),
        ] {
            if let Ok(bytes) = fs::read(directory.join(format!("{name}.akari"))) {
                return match sources.add(name, bytes) {
                    Ok(file) => Found::File(file),
                    Err(diagnostic) => Found::Unreadable(diagnostic),
                };
            }
        }
        Found::Nowhere
    };
    let compiled = compile(root, &mut sources, &mut find);
    match compiled.module {
        Some(module) => verify(&module)
            .map(|()| true)
            .map_err(|report| report.render(&module)),
        None if compiled.diagnostics.is_empty() => Err("no module, and nothing said".into()),
        None => Ok(false),
    }
}

#[test]
fn nothing_panics_and_what_is_accepted_verifies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/numeric", "tests/ui", "docs/examples"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let texts: Vec<(PathBuf, String)> = files
        .into_iter()
        .filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?)))
        .collect();
    let count = env::var("AKARI_MUTANTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(2000);
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut accepted = 0;
    for _ in 0..count {
        let (path, text) = &texts[random.below(texts.len())];
        let mutant = mutate(text, WORDS, &mut random);
        match panic::catch_unwind(|| accepts(path, &mutant)) {
            Ok(Ok(true)) => accepted += 1,
            Ok(Ok(false)) => {}
            Ok(Err(fault)) => panic!("{}: {fault}\n{mutant}", path.display()),
            Err(_) => panic!("{}: the front end panics on\n{mutant}", path.display()),
        }
    }
    assert!(accepted > 0, "some mutants are programs");
}
