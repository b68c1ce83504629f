//! Trees, messages and hostile input.

use std::fmt::Write;

use akari_ir::{Diagnostic, FileId, Severity};
use bumpalo::Bump;

use super::names::Names;
use super::{dump, parse};

mod hostile;
mod lexical;
mod messages;
mod trees;

/// What a text parses to: its tree, and its diagnostics as `severity code line:column message [note] (help)`.
fn read(text: &str) -> (String, Vec<String>) {
    let arena = Bump::new();
    let mut names = Names::new();
    let (file, diagnostics) = parse(&arena, &mut names, FileId(0), text);
    (dump::file(&names, &file), diagnostics.iter().map(|diagnostic| show(text, diagnostic)).collect())
}

fn show(text: &str, diagnostic: &Diagnostic) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    let start = diagnostic.span.map_or(0, |span| span.start as usize);
    let before = &text[..start];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
    let mut out = format!("{severity} {} {line}:{column} {}", diagnostic.code.0, diagnostic.message);
    for note in &diagnostic.notes {
        let _ = write!(out, " [{}]", note.message);
    }
    if let Some(help) = &diagnostic.help {
        let _ = write!(out, " ({help})");
    }
    out
}

/// Compares what `make` gives for each source in a file of cases with what the file says. A case is a source, a line `=>`
/// and the result; lines `----` stand between cases. `\\r` and `\\t` in a source are those characters.
/// With `AKARI_BLESS=1` the results are written to the file.
fn golden(name: &str, cases: &str, make: impl Fn(&str) -> String) {
    let mut updated = Vec::new();
    let mut wrong = String::new();
    for case in cases.split("----\n") {
        let Some((source, expected)) = case.split_once("\n=>\n") else { panic!("no `=>` in {case}") };
        let result = make(&source.replace("\\r", "\r").replace("\\t", "\t"));
        if result != expected {
            let _ = writeln!(wrong, "{source}\n=> expected\n{expected}=> found\n{result}");
        }
        updated.push(format!("{source}\n=>\n{result}"));
    }
    if std::env::var_os("AKARI_BLESS").is_some() {
        let path = format!("{}/src/syntax/tests/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::write(path, updated.join("----\n")).expect("the file of cases can be written");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}
