//! Wrong programs by the thousand: sources of the repository with words dropped, doubled, exchanged or replaced, or with other bytes. Whatever
//! comes of it, the front end must soon end without a panic and say where an error is; what it accepts must pass the verifier, and
//! every target must print it or say why not.
//!
//! `AKARI_MUTANTS=20000 cargo test --test mutants` tries more of them; `AKARI_MUTANTS_SEED=7` tries others.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, panic};

use akari::driver::{self, Platform, Request, Wanted};
use akari::frontend::{Found, compile};
use akari::render;
use akari::source::SourceMap;
use akari_ir::verify::verify;
use akari_passes::Observer;

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
        } else if path.extension().is_some_and(|extension| extension == "akari") {
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
        let length =
            if word(first) { rest.find(|letter| !word(letter)).unwrap_or(rest.len()) } else { first.len_utf8() };
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

/// Another byte here and there: what comes of it need not be UTF-8.
fn flip(text: &str, random: &mut Random) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        let Some(byte) = bytes.get_mut(at) else { break };
        *byte = match random.below(3) {
            0 => *byte ^ (1 << random.below(8)),
            1 => BYTES[random.below(BYTES.len())],
            _ => random.below(256) as u8,
        };
    }
    bytes
}

/// Bytes to put into sources.
const BYTES: &[u8] = b"(){}[];,.:<>=+-*/%&|^~!?@#\"'\n\t\r 09azAZ_\0\x7F\x80\xC3\xE2\xF0\xFF";

/// How long a compile may take on a busy machine, without optimisation.
const SOON: Duration = Duration::from_secs(20);

/// Words to put into sources.
const WORDS: &[&str] = &[
    "float", "float3", "int", "uint", "uint64", "half", "bool", "float3x3", "Buf", "Tex2D", "0", "1u", "1.5", "-", "!",
    "~", "[", "]", "{", "}", "(", ")", "..", "?", ":", "<<", "==", "&&", "%", "=", "+=", "++", "inout", "ref",
    "private", "const", "let", "var", "return", "break", "continue", "discard", "default", "@vertex", "@compute",
    "@flat", "@groupshared", "as", "true", "sizeof", "mul", "select", "dot", "barrier", "atomic_add", "ddx",
    "4294967295", "struct", "enum", "bitfield", "fn", "switch", "case", "if", "else", "for", "while", "do", ".x",
    ".xy", ".rgba", ";", ",", "none", "|",
];

fn accepts(path: &Path, text: &[u8]) -> Result<bool, String> {
    let mut sources = SourceMap::new();
    let Ok(root) = sources.add(path.display().to_string(), text.to_vec()) else {
        return Ok(false);
    };
    let folder = path.parent().unwrap_or(Path::new(".")).to_path_buf();
    let mut find = |name: &str, sources: &mut SourceMap| {
        for directory in [folder.join("../modules"), folder.join("modules"), folder.clone()] {
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
    for diagnostic in &compiled.check() {
        // What is wrong with a file as a whole has no place in it.
        let known = diagnostic
            .span
            .is_none_or(|span| span.end as usize <= sources.text(span.file).len() && span.start <= span.end);
        if !known {
            return Err(format!("no such place: {diagnostic:?}"));
        }
        if diagnostic.span.is_none() {
            return Err(format!("no place: {diagnostic:?}"));
        }
    }
    let _ = render::report(&sources, &compiled.check());
    let Some(module) = compiled.module else {
        return if compiled.check().is_empty() { Err("no module, and nothing said".into()) } else { Ok(false) };
    };
    verify(&module).map_err(|report| report.render(&module))?;
    for platform in [Platform::Metal, Platform::D3d12, Platform::Vulkan] {
        let wanted = Wanted { hlsl: platform != Platform::Metal, spirv: platform == Platform::Vulkan };
        let request = Request { platform, wanted, manifest: None, debug_lines: false };
        let mut observer = Observer { verify_each: true, ..Observer::default() };
        let emission = driver::emit(module.clone(), &request, &sources, &mut observer);
        if let Some(error) = emission.internal {
            return Err(format!("{platform:?}: {error}"));
        }
    }
    Ok(true)
}

#[test]
fn nothing_panics_and_what_is_accepted_verifies() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["tests/numeric", "tests/ui", "docs/examples"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let texts: Vec<(PathBuf, String)> =
        files.into_iter().filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?))).collect();
    let count = env::var("AKARI_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(2000);
    let seed: u64 = env::var("AKARI_MUTANTS_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0);
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ seed.wrapping_mul(0xD134_2543_DE82_EF95));
    let mut accepted = 0;
    for _ in 0..count {
        let (path, text) = &texts[random.below(texts.len())];
        let mutant =
            if random.below(4) == 0 { flip(text, &mut random) } else { mutate(text, WORDS, &mut random).into_bytes() };
        let start = Instant::now();
        let ended = panic::catch_unwind(|| accepts(path, &mutant));
        let mutant = String::from_utf8_lossy(&mutant);
        assert!(start.elapsed() < SOON, "{}: takes {:?}\n{mutant}", path.display(), start.elapsed());
        match ended {
            Ok(Ok(true)) => accepted += 1,
            Ok(Ok(false)) => {}
            Ok(Err(fault)) => panic!("{}: {fault}\n{mutant}", path.display()),
            Err(_) => panic!("{}: the compiler panics on\n{mutant}", path.display()),
        }
    }
    assert!(accepted > 0, "some mutants are programs");
}
