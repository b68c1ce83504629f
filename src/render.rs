//! Diagnostics as text: for people, and as one line of JSON each for tools.

use std::borrow::Cow;
use std::fmt::Write;

use akari_ir::{Diagnostic, Note, Severity, Span};
use serde::Serialize;

use crate::source::SourceMap;

/// The most characters of a source line that are quoted.
const MAX_QUOTE: usize = 160;

/// How many characters of a long line are shown before the place, at least.
const LEAD: usize = 60;

/// Puts diagnostics in the order of their places (files as they were loaded, those without a place last), and drops
/// repetitions.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let key = |diagnostic: &Diagnostic| {
            let place = diagnostic.span.map(|span| (span.file, span.start, span.end));
            (place.is_none(), place, diagnostic.severity)
        };
        key(a).cmp(&key(b))
    });
    diagnostics.dedup();
}

/// All of them: first a line of JSON each, then the text for people, which ends in a line end.
#[must_use]
pub fn report(sources: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&json_line(sources, diagnostic));
        out.push('\n');
    }
    for diagnostic in diagnostics {
        out.push_str(&human(sources, diagnostic));
        out.push('\n');
    }
    out
}

/// The text for people, led by its severity:
///
/// ```text
/// error: modules/m.akari:3:57: unknown field `nope` on `uint`
///   | fn scale(const k: uint, x: float) -> float { return x * k.nope; }
///   = note: in instance `triple` at packages/p.akari:5:1
///   = help: …
/// ```
#[must_use]
pub fn human(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    format!("{}: {}", severity(diagnostic.severity), message(sources, diagnostic))
}

/// The text for people without the severity.
#[must_use]
pub fn message(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    let mut out = String::new();
    if let Some(span) = diagnostic.span {
        let _ = write!(out, "{}: ", place(sources, span));
    }
    out.push_str(&printable(&shortened(&diagnostic.message)));
    if let Some(span) = diagnostic.span {
        let quote = quote(sources, span);
        if !quote.is_empty() {
            let _ = write!(out, "\n  | {quote}");
        }
    }
    for note in &diagnostic.notes {
        let _ = write!(out, "\n  = note: {}", note_text(sources, note));
    }
    if let Some(help) = &diagnostic.help {
        let _ = write!(out, "\n  = help: {}", printable(&shortened(help)));
    }
    out
}

/// The line for tools: `@akari diag {…}`.
#[must_use]
pub fn json_line(sources: &SourceMap, diagnostic: &Diagnostic) -> String {
    #[derive(Serialize)]
    struct Line<'d> {
        sev: &'d str,
        msg: &'d str,
        file: Option<&'d str>,
        line: Option<u32>,
        col: Option<u32>,
        notes: Vec<String>,
        code: &'d str,
    }
    let place = diagnostic.span.map(|span| sources.place(span));
    let mut notes: Vec<String> = diagnostic.notes.iter().map(|note| note_text(sources, note)).collect();
    notes.extend(diagnostic.help.iter().map(|help| format!("help: {}", shortened(help))));
    let line = Line {
        sev: severity(diagnostic.severity),
        msg: &shortened(&diagnostic.message),
        file: diagnostic.span.map(|span| sources.name(span.file)),
        line: place.map(|place| place.line),
        col: place.map(|place| place.column),
        notes,
        code: diagnostic.code.0,
    };
    // Strings and numbers always serialize.
    format!("@akari diag {}", serde_json::to_string(&line).unwrap_or_default())
}

/// How a severity is written.
pub(crate) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn place(sources: &SourceMap, span: Span) -> String {
    let place = sources.place(span);
    format!("{}:{}:{}", sources.name(span.file), place.line, place.column)
}

fn note_text(sources: &SourceMap, note: &Note) -> String {
    let message = printable(&shortened(&note.message));
    match note.span {
        Some(span) => format!("{message} at {}", place(sources, span)),
        None => message,
    }
}

/// The line that holds the beginning of `span`; of a very long one, what surrounds the place.
fn quote(sources: &SourceMap, span: Span) -> String {
    let Some(file) = sources.file(span.file) else { return String::new() };
    let (line, at) = file.line_around(span.start);
    let line = line.trim_end();
    if line.chars().nth(MAX_QUOTE).is_none() {
        return printable(line);
    }
    // Walking back from the place, not forward from the start: a megabyte in one line costs nothing.
    let at = line.floor_char_boundary(at);
    let start = line[..at].char_indices().rev().nth(LEAD - 1).map_or(0, |(start, _)| start);
    let mut rest = line[start..].chars();
    let shown: String = rest.by_ref().take(MAX_QUOTE).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("{before}{}{after}", printable(&shown))
}

/// The most characters of a name or literal that a message quotes.
const MAX_NAME: usize = 80;

/// `text` with what stands in backquotes cut to a length that can be read.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_NAME {
        return Cow::Borrowed(text);
    }
    let part = |(index, part): (usize, &str)| match part.char_indices().nth(MAX_NAME) {
        Some((end, _)) if index % 2 == 1 => format!("{}…", &part[..end]),
        _ => part.to_owned(),
    };
    Cow::Owned(text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`"))
}

/// `text` with characters that would disturb a terminal or the lines of a log written out.
fn printable(text: &str) -> String {
    let disturbs = |c: char| {
        (c.is_control() && c != '\t')
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(disturbs) {
        return text.to_string();
    }
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if disturbs(c) {
            let _ = write!(out, "<U+{:04X}>", u32::from(c));
        } else {
            out.push(c);
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use akari_ir::{Code, FileId};

    use super::*;

    const CODE: Code = Code("E0000");

    fn sources(text: &str) -> SourceMap {
        let mut sources = SourceMap::new();
        sources.add("modules/m.akari", text.as_bytes().to_vec()).expect("fine text");
        sources.add("p.akari", b"#shader p\n\nfn x = y();".to_vec()).expect("fine text");
        sources
    }

    fn span(start: u32) -> Span {
        Span::new(FileId(0), start, start + 1)
    }

    #[test]
    fn the_form_for_people() {
        let sources = sources("#module m\r\nlet a = k.nope;\r\n");
        let diagnostic = Diagnostic::error(CODE, span(21), "unknown field `nope` on `uint`")
            .note_at(Span::new(FileId(1), 11, 12), "in instance `triple`")
            .note("say more")
            .help("do better");
        assert_eq!(
            human(&sources, &diagnostic),
            "error: modules/m.akari:2:11: unknown field `nope` on `uint`\n  | let a = k.nope;\n  \
             = note: in instance `triple` at p.akari:3:1\n  = note: say more\n  = help: do better"
        );
        assert!(message(&sources, &diagnostic).starts_with("modules/m.akari:2:11: unknown"));
    }

    #[test]
    fn the_form_for_tools() {
        let sources = sources("a \"b\"\n");
        let diagnostic = Diagnostic::warning(CODE, span(2), "odd \"b\"").note_at(span(0), "see").help("stop");
        assert_eq!(
            json_line(&sources, &diagnostic),
            r#"@akari diag {"sev":"warning","msg":"odd \"b\"","file":"modules/m.akari","line":1,"col":3,"notes":["see at modules/m.akari:1:1","help: stop"],"code":"E0000"}"#
        );
    }

    #[test]
    fn without_a_place() {
        let diagnostic = Diagnostic { span: None, ..Diagnostic::error(CODE, span(0), "no tool") };
        assert_eq!(human(&sources(""), &diagnostic), "error: no tool");
        assert_eq!(
            json_line(&sources(""), &diagnostic),
            r#"@akari diag {"sev":"error","msg":"no tool","file":null,"line":null,"col":null,"notes":[],"code":"E0000"}"#
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}X{}", "a".repeat(1000), "b".repeat(1000));
        let sources = sources(&text);
        let shown = human(&sources, &Diagnostic::error(CODE, span(1000), "here"));
        let quoted = shown.lines().nth(1).expect("a quote");
        assert_eq!(quoted, format!("  | …{}X{}…", "a".repeat(60), "b".repeat(99)));
        let start = human(&sources, &Diagnostic::error(CODE, span(3), "here"));
        assert_eq!(start.lines().nth(1).expect("a quote"), format!("  | {}…", "a".repeat(160)));
    }

    #[test]
    fn control_characters_are_written_out() {
        let sources = sources("a\u{1b}[31m\tb\u{202e}");
        let shown = human(&sources, &Diagnostic::error(CODE, span(0), "x\ny"));
        assert_eq!(shown, "error: modules/m.akari:1:1: x<U+000A>y\n  | a<U+001B>[31m\tb<U+202E>");
    }

    #[test]
    fn the_order_is_that_of_places() {
        let mut all = vec![
            Diagnostic { span: None, ..Diagnostic::error(CODE, span(0), "last") },
            Diagnostic::error(CODE, Span::new(FileId(1), 0, 1), "third"),
            Diagnostic::warning(CODE, span(5), "second"),
            Diagnostic::error(CODE, span(2), "first"),
            Diagnostic::error(CODE, span(2), "first"),
        ];
        sort(&mut all);
        let order: Vec<&str> = all.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(order, ["first", "second", "third", "last"]);
    }
}
