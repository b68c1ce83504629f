//! Tests of passes and of the verifier on the textual IR: every `tests/filetests/**/*.air`.
//!
//! ```text
//! ; RUN: opt --passes=const-fold --target=metal
//! <a module>
//! ; EXPECT
//! ; <the module after the passes, or what an emitter printed>
//! ```
//!
//! `--bindings=F` names a binding manifest beside the file. In place of an expectation, `; error: part of the message` at the end of
//! a line says that the passes fail with an error there, and `; note: part of the message` that it has a note there; both are
//! complete, notes that stand nowhere aside. `; error anywhere: …` and `; note anywhere: …` are of those that stand nowhere.
//!
//! Or `; RUN: verify`, with `; error: part of the message` at the end of each line whose operation is at fault. Every module is
//! also printed and parsed again. `AKARI_BLESS=1 cargo test --test filetests` writes the expectations.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{env, fs};

use akari::opt::{DIALECTS, OptError, opt_in, read};
use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::{Diagnostic, FileId, Registry, Span, parse, print_module};
use akari_passes::{Observer, PassContext};
use libtest_mimic::{Arguments, Failed, Trial};
use similar::TextDiff;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trials = files
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
            Trial::test(name, move || check(&path))
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "air") {
            files.push(path);
        }
    }
}

fn check(path: &Path) -> Result<(), Failed> {
    let text = fs::read_to_string(path)?;
    let run = text.lines().find_map(|line| line.strip_prefix("; RUN: ")).ok_or("no `; RUN:` line")?;
    let mut words = run.split_whitespace();
    let command = words.next().unwrap_or_default();
    let options: Vec<(&str, &str)> = words.map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
    let option = |name: &str| options.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
    match command {
        "verify" => check_verifier(&text),
        "opt" => {
            let passes = option("--passes").ok_or("`opt` needs `--passes=`")?;
            let target = match option("--target") {
                Some(name) => Some(
                    Target::ALL
                        .iter()
                        .find(|(_, candidate)| *candidate == name)
                        .map(|(target, _)| *target)
                        .ok_or_else(|| format!("no target `{name}`"))?,
                ),
                None => None,
            };
            let manifest = match option("--bindings") {
                Some(name) => Some(Arc::new(manifest(&path.with_file_name(name))?)),
                None => None,
            };
            check_passes(path, &text, passes, PassContext { target, manifest, ..PassContext::default() })
        }
        other => Err(format!("no test command `{other}`").into()),
    }
}

/// The comment lines before the module and the module itself, and the expectation.
fn split(text: &str) -> (&str, Option<&str>) {
    match text.find("; EXPECT\n") {
        Some(at) => (&text[..at], Some(&text[at + "; EXPECT\n".len()..])),
        None => (text, None),
    }
}

fn round_trip(text: &str) -> Result<(), Failed> {
    let module = parse(Registry(DIALECTS), text).map_err(|error| located(text, error.offset, &error.message))?;
    let once = print_module(&module);
    let again = parse(Registry(DIALECTS), &once).map_err(|error| located(&once, error.offset, &error.message))?;
    same(&once, &print_module(&again), "printing, parsing and printing again")
}

fn located(text: &str, offset: usize, message: &str) -> String {
    let line = text[..offset.min(text.len())].matches('\n').count() + 1;
    format!("line {line}: {message}: {}", text.lines().nth(line - 1).unwrap_or_default().trim())
}

fn same(expected: &str, found: &str, what: &str) -> Result<(), Failed> {
    if expected == found {
        return Ok(());
    }
    let diff = TextDiff::from_lines(expected, found);
    Err(format!("{what} differs:\n{}", diff.unified_diff().context_radius(3).header("expected", "found")).into())
}

fn manifest(path: &Path) -> Result<Manifest, Failed> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (manifest, diagnostics) = akari::manifest::read(FileId(1), &text);
    match diagnostics.first() {
        Some(diagnostic) => Err(format!("{}: {}", path.display(), diagnostic.message).into()),
        None => Ok(manifest),
    }
}

fn check_passes(path: &Path, text: &str, passes: &str, context: PassContext) -> Result<(), Failed> {
    let (input, expected) = split(text);
    round_trip(input)?;
    let mut observer = Observer { verify_each: true, ..Observer::default() };
    let mut context = context;
    let output = opt_in(input, passes, &mut context, &mut observer).map_err(|error| describe(input, &error))?;
    let marks = Mark::all(input);
    if !marks.is_empty() {
        return check_diagnostics(input, marks, &context.diagnostics);
    }
    let mut comment = String::new();
    for line in output.lines() {
        let _ = if line.is_empty() { writeln!(comment, ";") } else { writeln!(comment, "; {line}") };
    }
    if env::var_os("AKARI_BLESS").is_some() {
        if expected != Some(&comment) {
            fs::write(path, format!("{}\n\n; EXPECT\n{comment}", input.trim_end()))?;
        }
        return Ok(());
    }
    same(expected.ok_or("no `; EXPECT`; run with AKARI_BLESS=1")?, &comment, "the output")
}

/// A diagnostic or note that is expected.
#[derive(Debug)]
struct Mark<'t> {
    /// The line that it stands on; 0 where it stands nowhere.
    line: usize,
    is_note: bool,
    part: &'t str,
}

impl<'t> Mark<'t> {
    fn all(text: &'t str) -> Vec<Self> {
        let mut marks = Vec::new();
        for (index, line) in text.lines().enumerate() {
            for mark in line.split(';').skip(1).map(str::trim) {
                let kinds = [
                    ("error: ", false, true),
                    ("note: ", true, true),
                    ("error anywhere: ", false, false),
                    ("note anywhere: ", true, false),
                ];
                for (start, is_note, is_placed) in kinds {
                    if let Some(part) = mark.strip_prefix(start) {
                        marks.push(Self { line: if is_placed { index + 1 } else { 0 }, is_note, part });
                    }
                }
            }
        }
        marks
    }
}

fn check_diagnostics(text: &str, mut marks: Vec<Mark<'_>>, diagnostics: &[Diagnostic]) -> Result<(), Failed> {
    let line_of = |span: Option<Span>| span.map_or(0, |span| text[..span.start as usize].matches('\n').count() + 1);
    let mut surprises = Vec::new();
    let mut meet = |line: usize, is_note: bool, message: &str| {
        let fits = |mark: &Mark<'_>| mark.line == line && mark.is_note == is_note && message.contains(mark.part);
        match marks.iter().position(fits) {
            Some(index) => drop(marks.remove(index)),
            None if is_note && line == 0 => {}
            None => {
                surprises.push(format!("line {line}: unexpected {}: {message}", if is_note { "note" } else { "error" }))
            }
        }
    };
    for diagnostic in diagnostics {
        meet(line_of(diagnostic.span), false, &diagnostic.message);
        for note in &diagnostic.notes {
            meet(line_of(note.span), true, &note.message);
        }
    }
    surprises.extend(marks.iter().map(|mark| format!("line {}: missing: {}", mark.line, mark.part)));
    if surprises.is_empty() { Ok(()) } else { Err(surprises.join("\n").into()) }
}

fn describe(text: &str, error: &OptError) -> String {
    match error {
        OptError::Parse(error) => located(text, error.offset, &error.message),
        OptError::Unsound(faults) => faults
            .iter()
            .map(|fault| located(text, fault.offset.unwrap_or(0), &fault.message))
            .collect::<Vec<_>>()
            .join("\n"),
        OptError::Pipeline(error) => error.to_string(),
        OptError::Run(error) => error.to_string(),
    }
}

fn check_verifier(text: &str) -> Result<(), Failed> {
    let mut expected: Vec<(usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(index, line)| line.split_once("; error: ").map(|(_, message)| (index + 1, message.trim())))
        .collect();
    let found: Vec<(usize, String)> = match read(text) {
        Ok(_) => Vec::new(),
        Err(OptError::Unsound(faults)) => faults
            .into_iter()
            .map(|fault| {
                let offset = fault.offset.unwrap_or(0);
                (text[..offset].matches('\n').count() + 1, fault.message)
            })
            .collect(),
        Err(OptError::Parse(error)) => {
            vec![(text[..error.offset].matches('\n').count() + 1, error.message)]
        }
        Err(error) => return Err(describe(text, &error).into()),
    };
    let mut surprises = Vec::new();
    for (line, message) in &found {
        match expected.iter().position(|(wanted, part)| wanted == line && message.contains(part)) {
            Some(index) => drop(expected.remove(index)),
            None => surprises.push(format!("line {line}: unexpected: {message}")),
        }
    }
    surprises.extend(expected.iter().map(|(line, part)| format!("line {line}: missing: {part}")));
    if expected.is_empty() && surprises.is_empty() && !found.is_empty() {
        Ok(())
    } else if found.is_empty() && text.contains("; error: ") {
        Err("the verifier accepts it".into())
    } else if surprises.is_empty() {
        Ok(())
    } else {
        Err(surprises.join("\n").into())
    }
}
