//! The style, case by case; and that formatting loses nothing and is stable.

use akari_ir::FileId;

use super::format;
use crate::syntax::lexer::{Lexed, lex};

fn formatted(text: &str) -> String {
    format(FileId(0), text).unwrap_or_else(|diagnostics| panic!("{diagnostics:?}\n{text}"))
}

fn lexed(text: &str) -> Lexed<'_> {
    lex(FileId(0), text, &mut Vec::new())
}

/// The tokens of a text, without those that formatting puts in or leaves out.
fn essence(text: &str) -> Vec<&str> {
    let lexed = lexed(text);
    (0..lexed.tokens.len()).map(|index| lexed.text_at(index)).filter(|token| !matches!(*token, ";" | ",")).collect()
}

fn comments(text: &str) -> Vec<String> {
    let lexed = lexed(text);
    let text_of = |comment: &crate::syntax::lexer::Comment| {
        let text = &text[comment.start as usize..comment.end as usize];
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    lexed.comments.iter().map(text_of).collect()
}

/// Formats, and checks that nothing was lost and that formatting again changes nothing.
fn check(text: &str) -> String {
    let once = formatted(text);
    assert_eq!(essence(&once), essence(text), "{once}");
    assert_eq!(comments(&once), comments(text), "{once}");
    let twice = formatted(&once);
    assert_eq!(twice, once, "not stable, from\n{text}");
    assert!(once.lines().all(|line| line.trim_end() == line), "blanks at the end of a line in\n{once}");
    once
}

#[test]
fn style() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/fmt/tests/style.formatted.akari");
    let once = check(include_str!("tests/style.akari"));
    if std::env::var_os("AKARI_BLESS").is_some() {
        std::fs::write(path, once).expect("the file can be written");
        return;
    }
    assert_eq!(once, include_str!("tests/style.formatted.akari"));
}

#[test]
fn the_least() {
    assert_eq!(check("#module m"), "#module m\n");
    assert_eq!(check("#module m // c"), "#module m // c\n");
    assert_eq!(check("\n\n// only\n\n\n#module m\n\n"), "// only\n\n#module m\n");
    assert_eq!(check("#module m\r\nfn f() { }\r\n"), "#module m\n\nfn f() {}\n");
    assert_eq!(check("#module m\nconst A: int = 1;;\n;"), "#module m\n\nconst A: int = 1;\n");
}

#[test]
fn texts_with_errors_are_left_alone() {
    assert!(format(FileId(0), "#module m\nfn f( { }").is_err());
    assert!(format(FileId(0), "").is_err());
    assert_eq!(formatted("#module m\nfn f() { a()\nb() }"), "#module m\n\nfn f() {\n    a();\n    b();\n}\n");
}

/// Comments between any two tokens survive, and stay where they are.
#[test]
fn comments_anywhere() {
    for source in [include_str!("tests/style.akari"), include_str!("../syntax/tests/sound.akari")] {
        let lexed = lexed(source);
        let directives = source.rfind("\n#").map_or(0, |at| at + 1 + source[at + 1..].find('\n').unwrap_or(0));
        for comment in [" // c\n", " /* c */ ", "\n/* c */\n", "\n\n// c\n\n", " /* a\n b */ "] {
            for (index, token) in lexed.tokens.iter().enumerate() {
                // A line end in a directive ends it. Of a few hundred places some will do.
                if (token.start as usize) < directives || index % 31 != comment.len() {
                    continue;
                }
                let (before, after) = source.split_at(token.start as usize);
                check(&format!("{before}{comment}{after}"));
            }
        }
    }
}

/// Many comments in one text: where one goes depends on where the others went.
#[test]
fn many_comments_at_once() {
    const FORMS: [&str; 9] = [
        "/* c */", " /* c */ ", " /* c */\n", "\n/* c */ ", "\n/* c */\n", " // c\n", "\n\n// c\n\n", "/* a\n b */",
        "/* a /* b */ */ ",
    ];
    for source in [include_str!("tests/style.akari"), include_str!("../syntax/tests/sound.akari")] {
        let lexed = lexed(source);
        let directives = source.rfind("\n#").map_or(0, |at| at + 1 + source[at + 1..].find('\n').unwrap_or(0));
        for seed in 0..6_u64 {
            // Multiplication by an odd number scatters; the high bits are the good ones.
            let mut state = seed;
            let mut below = |bound: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize % bound
            };
            let (mut text, mut from) = (String::new(), 0);
            for token in lexed.tokens.iter().map(|token| token.start as usize).filter(|&start| start >= directives) {
                if below(7) == 0 {
                    text += &source[from..token];
                    text += FORMS[below(FORMS.len())];
                    from = token;
                }
            }
            text += &source[from..];
            check(&text);
        }
    }
}

/// Every sound file of the repository.
#[test]
fn files_of_the_repository() {
    fn visit(folder: &std::path::Path, seen: &mut usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                visit(&path, seen);
            } else if path.extension().is_some_and(|extension| extension == "akari")
                && let Ok(text) = std::fs::read_to_string(&path)
                && format(FileId(0), &text).is_ok()
            {
                check(&text);
                *seen += 1;
            }
        }
    }
    let mut seen = 0;
    for folder in ["tests", "docs"] {
        visit(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut seen);
    }
    assert!(seen > 100, "{seen}");
}
