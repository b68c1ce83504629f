//! What tools say, told of the `.akari` source: Clang's form `file:line:column: error: …`, which DXC and Metal share.

use akari_ir::{Code, Diagnostic, FileId, Note, Severity, Span};

use super::process::shortened;
use crate::cli::codes;
use crate::driver::Output;
use crate::source::SourceMap;

/// A remark of a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Remark<'a> {
    weight: Weight,
    place: Option<(&'a str, u32)>,
    text: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weight {
    Error,
    Warning,
    Note,
}

/// How remarks begin, after their place.
const WEIGHTS: [(&str, Weight); 4] = [
    ("fatal error: ", Weight::Error),
    ("error: ", Weight::Error),
    ("warning: ", Weight::Warning),
    ("note: ", Weight::Note),
];

/// What is said beside and helps nobody: lists of functions that did not fit, attributes that an older compiler does not know, and frames
/// around what is said elsewhere.
const NOISE: [&str; 8] = [
    "candidate ", "validation errors", "too many errors emitted", "please file a bug report", "unknown attribute ",
    "attribute ignored", "-Wunknown-attributes", "expanded from macro",
];

/// How many errors, and how many warnings, are told of an output.
const MOST: usize = 100;
/// How many characters of each.
const LONGEST: usize = 2000;

/// The remarks among the words of a tool, in their order, without noise.
fn remarks(messages: &str) -> Vec<Remark<'_>> {
    messages
        .lines()
        .filter_map(remark)
        .filter(|remark| !NOISE.iter().any(|noise| remark.text.contains(noise)))
        .collect()
}

/// Whether there is an error among the words of a tool.
pub(super) fn tell_an_error(messages: &str) -> bool {
    remarks(messages).iter().any(|remark| remark.weight == Weight::Error)
}

fn remark(line: &str) -> Option<Remark<'_>> {
    let found = WEIGHTS.iter().filter_map(|(mark, weight)| Some((line.find(mark)?, *mark, *weight)));
    let (at, mark, weight) = found.min_by_key(|(at, mark, _)| (*at, usize::MAX - mark.len()))?;
    let (before, text) = (&line[..at], &line[at + mark.len()..]);
    if before.is_empty() {
        return Some(Remark { weight, place: None, text });
    }
    // A quoted line of source may hold such words too.
    let before = before.strip_suffix(": ")?;
    Some(Remark { weight, place: place(before), text })
}

/// `file:line:column` or `file:line`; a file may have colons in its name.
fn place(text: &str) -> Option<(&str, u32)> {
    let (front, last) = text.rsplit_once(':')?;
    let last = last.parse().ok()?;
    let whole = front.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)));
    Some(whole.unwrap_or((front, last)))
}

/// What a tool said of an output, of the source: errors and warnings in the tool's order. An error where it said nothing of the kind.
pub(in crate::cli::compile) fn diagnostics(
    tool: &str,
    messages: &str,
    refused: bool,
    output: &Output,
    sources: &SourceMap,
) -> Vec<Diagnostic> {
    let text = String::from_utf8_lossy(&output.bytes);
    let mut found: Vec<Diagnostic> = Vec::new();
    let (mut errors, mut warnings, mut more) = (0, 0, 0);
    for remark in remarks(messages) {
        let told = match remark.weight {
            Weight::Error => &mut errors,
            Weight::Warning => &mut warnings,
            // Of what is not told, nothing is.
            Weight::Note if more > 0 => continue,
            Weight::Note => &mut 0,
        };
        if *told == MOST {
            more += 1;
            continue;
        }
        let span = remark.place.and_then(|(file, line)| home(file, line, output, sources));
        let text_of_remark = shortened(remark.text, LONGEST);
        let said = format!("{tool}: {text_of_remark}");
        let emitted = remark.place.and_then(|(file, line)| emitted_line(file, line, &text, sources));
        let notes: Vec<Note> = emitted
            .map(|line| Note { message: format!("it was emitted as `{line}`"), span: None })
            .into_iter()
            .collect();
        let (severity, code) = match remark.weight {
            Weight::Error => (Severity::Error, codes::TOOL),
            Weight::Warning => (Severity::Warning, codes::TOOL_WARNING),
            Weight::Note => {
                if let Some(last) = found.last_mut() {
                    last.notes.push(Note { message: text_of_remark, span });
                }
                continue;
            }
        };
        let diagnostic = Diagnostic { severity, notes, ..error(code, span, said) };
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
            *told += 1;
        }
    }
    if more > 0 {
        let said = format!("{tool}: {more} more errors and warnings; `--verbose` prints all that it said");
        found.push(Diagnostic { severity: Severity::Warning, ..error(codes::TOOL_WARNING, None, said) });
    }
    if refused && !found.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        let words = messages.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("it said nothing");
        found.insert(0, error(codes::TOOL, None, format!("{tool}: {}", shortened(words, LONGEST))));
    }
    found
}

fn error(code: Code, span: Option<Span>, message: String) -> Diagnostic {
    Diagnostic::error(code, span, message)
}

/// The place in the source of a line that a tool names: of the source itself, which it knows through `#line`, or of the text.
fn home(file: &str, line: u32, output: &Output, sources: &SourceMap) -> Option<Span> {
    if let Some((id, source)) = source_called(file, sources) {
        let text = source.line(line);
        let start = *source.line_starts().get(line.checked_sub(1)? as usize)?;
        let blank = text.len() - text.trim_start().len();
        let start = start + u32::try_from(blank).unwrap_or(0);
        return Some(Span::new(id, start, start));
    }
    // A line that says nothing of its own goes on with what the one before it says.
    let after = output.lines.partition_point(|origin| origin.line <= line);
    after.checked_sub(1).map(|index| output.lines[index].span)
}

/// What stands in a line of the text, where a tool names one of it.
fn emitted_line<'t>(file: &str, line: u32, text: &'t str, sources: &SourceMap) -> Option<&'t str> {
    if source_called(file, sources).is_some() {
        return None;
    }
    let line = text.lines().nth(line.checked_sub(1)? as usize)?.trim();
    (!line.is_empty()).then_some(line)
}

fn source_called<'s>(name: &str, sources: &'s SourceMap) -> Option<(FileId, &'s crate::source::SourceFile)> {
    sources.files().find(|(_, source)| source.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::OutputKind;
    use akari_passes::emit::text::LineOrigin;

    const SOURCE: &str = "#shader p\n\n    let a = 1;\n";

    fn said(messages: &str, refused: bool) -> Vec<String> {
        let mut sources = SourceMap::new();
        let file = sources.add("p.akari", SOURCE.as_bytes().to_vec()).expect("fine text");
        let output = Output {
            kind: OutputKind::Hlsl,
            entry: None,
            half: false,
            ray_query: false,
            bytes: b"// head\nint a =\n  1;\n".to_vec(),
            lines: vec![LineOrigin { line: 2, span: Span::new(file, 15, 25) }],
        };
        let found = diagnostics("DXC", messages, refused, &output, &sources);
        found.iter().map(|diagnostic| crate::render::human(&sources, diagnostic)).collect()
    }

    #[test]
    fn places_in_the_text_are_mapped_home() {
        let words =
            "hlsl.hlsl:3:5: error: use of undeclared identifier 'x'\n  1 + x;\n      ^\nhlsl.hlsl:2:1: note: here\n";
        assert_eq!(
            said(words, true),
            [
                "error: p.akari:3:5: DXC: use of undeclared identifier 'x'\n  |     let a = 1;\n  = note: it was emitted as `1;`\n  = note: here at p.akari:3:5"
            ]
        );
    }

    #[test]
    fn places_in_the_source_are_kept() {
        assert_eq!(said("p.akari:3:9: fatal error: no\n", true), ["error: p.akari:3:5: DXC: no\n  |     let a = 1;"]);
    }

    #[test]
    fn noise_is_dropped_and_the_first_error_is_first() {
        let words = "error: validation errors\nC:\\t\\hlsl.hlsl:1:1: error: first\nx.hlsl:2:1: error: second [-Wfoo]\n\
            x.hlsl:2:1: note: candidate function not viable\nx:1:1: warning: unknown attribute 'y' ignored [-Wunknown-attributes]\n\
            x.hlsl:1:1: warning: odd\n2 errors generated.\n";
        let found = said(words, true);
        assert_eq!(found.len(), 3, "{found:#?}");
        assert!(found[0].starts_with("error: DXC: first\n  = note: it was emitted as `// head`"), "{found:#?}");
        assert!(found[1].starts_with("error: p.akari:3:5: DXC: second"), "{found:#?}");
        assert!(found[2].starts_with("warning: DXC: odd"), "{found:#?}");
    }

    #[test]
    fn of_very_many_the_first_are_told() {
        let warnings: String = (0..5000).map(|number| format!("x.hlsl:1:1: warning: odd {number}\n")).collect();
        let found = said(&(warnings + "x.hlsl:1:1: error: wrong\nx.hlsl:1:1: note: here\n"), true);
        assert_eq!(found.len(), MOST + 2);
        assert!(found[MOST].starts_with("error: DXC: wrong"), "{}", found[MOST]);
        assert_eq!(found[MOST + 1], "warning: DXC: 4900 more errors and warnings; `--verbose` prints all that it said");
        assert!(said(&format!("error: {}\n", "x".repeat(1 << 20)), true)[0].len() < 2 * LONGEST);
    }

    #[test]
    fn words_without_a_form_are_an_error_all_the_same() {
        assert_eq!(said("\nInternal compiler error\n", true), ["error: DXC: Internal compiler error"]);
        assert_eq!(said("", true), ["error: DXC: it said nothing"]);
        assert_eq!(said("hm\n", false), Vec::<String>::new());
    }
}
