//! The Metal checker accepts what it must and rejects what it must.
//!
//! `tests/metal/reject/*.metal` hold cases that begin with a line `//! case: name`; each line that must be faulted ends in
//! `//~ part of the message`. `tests/metal/accept/*.metal` hold whole cases that must pass. Both start with `<metal_stdlib>` included.

use akari_harness::metal;
use std::fs;
use std::path::Path;

const PRELUDE: &str = "#include <metal_stdlib>\nusing namespace metal;\n";

/// (file and case, source with the prelude) of every case in the folder.
fn cases(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../metal").join(folder);
    let mut files: Vec<_> = fs::read_dir(&folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("a case file");
        let name = file.file_stem().expect("a file name").to_string_lossy().into_owned();
        for case in text.split("//! case: ").skip(1) {
            let (title, body) = case.split_once('\n').expect("a line");
            cases.push((format!("{name}: {}", title.trim()), format!("{PRELUDE}{body}")));
        }
    }
    assert!(!cases.is_empty());
    cases
}

#[test]
fn rejects_wrong_metal() {
    let mut faults = Vec::new();
    for (name, source) in cases("reject") {
        let Err(messages) = metal::check(&source) else {
            faults.push(format!("{name}: accepted"));
            continue;
        };
        for (index, line) in source.lines().enumerate() {
            let Some((_, expected)) = line.split_once("//~ ") else { continue };
            let place = format!("line {}: ", index + 1);
            if !messages.lines().any(|message| message.strip_prefix(&place).is_some_and(|text| text.contains(expected.trim()))) {
                faults.push(format!("{name}: no `{expected}` at line {} in:\n{messages}", index + 1));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn accepts_right_metal() {
    let mut faults = Vec::new();
    for (name, source) in cases("accept") {
        if let Err(messages) = metal::check(&source) {
            faults.push(format!("{name}:\n{messages}"));
        }
        if let Err(messages) = metal::Program::compile(&source) {
            faults.push(format!("{name}, for the CPU:\n{messages}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Sources cut short or with bytes replaced: any answer will do, but an answer.
#[test]
fn damaged_metal_is_answered() {
    let whole: Vec<String> = cases("accept").into_iter().map(|(_, source)| source).collect();
    let mut seed = 0x9e37_79b9_u32;
    let mut next = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        seed as usize % below
    };
    for round in 0..3000 {
        let mut bytes = whole[next(whole.len())].clone().into_bytes();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            match round % 3 {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] = b"(){}[]<>;,=*&?:\"'/#x0"[next(21)],
                _ => drop(bytes.drain(at..(at + next(12)).min(bytes.len()))),
            }
            if bytes.is_empty() {
                bytes.push(b' ');
            }
        }
        let source = String::from_utf8(bytes).expect("the cases are ASCII");
        drop(metal::scan(&source));
    }
}
