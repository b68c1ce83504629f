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
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("the folder of cases").map(|entry| entry.expect("an entry").path()).collect();
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
    let cases = cases("reject");
    let faults: Vec<String> = std::thread::scope(|scope| {
        let check = |part: &[(String, String)]| {
            part.iter().flat_map(|(name, source)| missing(name, source)).collect::<Vec<_>>()
        };
        let threads: Vec<_> =
            cases.chunks(cases.len().div_ceil(4)).map(|part| scope.spawn(move || check(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a thread")).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What the checker should say of a case and does not.
fn missing(name: &str, source: &str) -> Vec<String> {
    let Err(messages) = metal::check(source) else { return vec![format!("{name}: accepted")] };
    let said = |line: usize, expected: &str| {
        let place = format!("line {line}: ");
        messages.lines().any(|message| message.strip_prefix(&place).is_some_and(|text| text.contains(expected)))
    };
    let marks =
        source.lines().enumerate().filter_map(|(index, line)| Some((index + 1, line.split_once("//~ ")?.1.trim())));
    marks
        .filter(|(line, expected)| !said(*line, expected))
        .map(|(line, expected)| format!("{name}: no `{expected}` at line {line} in:\n{messages}"))
        .collect()
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
