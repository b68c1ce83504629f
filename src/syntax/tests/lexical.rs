//! The lexer against the lexical rules of the grammar.

use akari_ir::FileId;
use pest::Parser;

use crate::syntax::build::literals::{NumberForm, classify};
use crate::syntax::grammar::{AkariParser, Rule};
use crate::syntax::lexer::{Lexed, NAME, NUMBER, SPELLINGS, lex};

fn tokens(text: &str) -> Lexed<'_> {
    lex(FileId(0), text, &mut Vec::new())
}

/// Whether all of `text` is a `rule`.
fn matches(rule: Rule, text: &str) -> bool {
    AkariParser::parse(rule, text)
        .is_ok_and(|mut pairs| pairs.next().is_some_and(|pair| pair.as_span().end() == text.len()))
}

#[test]
fn every_spelling_has_its_code() {
    for (code, spellings) in SPELLINGS {
        for spelling in *spellings {
            let lexed = tokens(spelling);
            assert_eq!(lexed.codes.as_bytes(), [*code], "{spelling}");
            let is_keyword = code.is_ascii_uppercase() || *code == b'_';
            assert_eq!(matches(Rule::lexical_keyword, spelling), is_keyword, "{spelling}");
            assert_eq!(matches(Rule::lexical_name, spelling), code.is_ascii_lowercase(), "{spelling}");
        }
    }
    for sign in "(){}[],;:@#=-.<>!~|?".chars() {
        assert_eq!(tokens(&sign.to_string()).codes, sign.to_string());
    }
}

#[test]
fn names() {
    for name in ["a", "Z9", "_a", "__", "lets", "as_uint", "If", "default_", "f32"] {
        assert_eq!(tokens(name).codes.as_bytes(), [NAME], "{name}");
        assert!(matches(Rule::lexical_name, name), "{name}");
    }
}

#[test]
fn numbers() {
    let all = [
        "0", "1", "12", "1_000", "1_", "1__0", "1u", "1ul", "1l", "1lu", "1U", "1f", "1h", "0x1", "0xFFu", "0xfful",
        "0x", "0xg", "0x_1", "0x_", "0b1", "0b", "0b2", "0b1_0u", "0X1", "0B1", "0o7", "007", "1.0", "1.5h", "1.5f",
        "1.5u", "1.5H", "1e3", "1E+3", "1e-3h", "1e", "1e+", "1.0e5", "1.0e", "1_0.0_1", "1.0.0", "1.0e1.0", "1e3e3",
        "1x", "0x1.0", "0x1p3", "1e_3", "1.5ul", "12345678901234567890123", "1e400", "0xul", "0bu",
    ];
    for text in all {
        let expected = if matches(Rule::lexical_int, text) {
            NumberForm::Int
        } else if matches(Rule::lexical_float, text) {
            NumberForm::Float
        } else {
            NumberForm::Malformed
        };
        assert_eq!(classify(text), expected, "{text}");
        if expected != NumberForm::Malformed {
            assert_eq!(tokens(text).codes.as_bytes(), [NUMBER], "{text}");
        }
    }
}

#[test]
fn comments() {
    for text in ["//", "// a", "/// a", "/**/", "/***/", "/* a */", "/* /* */ */", "/*\n*/", "/*/ */", "/* // */"] {
        let lexed = tokens(text);
        assert_eq!((lexed.comments.len(), lexed.tokens.len()), (1, 0), "{text}");
        assert!(matches(Rule::lexical_comment, text), "{text}");
    }
    let lexed = tokens("a // b\nc /* d */ e");
    assert_eq!((lexed.comments.len(), lexed.codes.as_str()), (2, "aaa"));
    assert_eq!(&lexed.text[lexed.comments[0].start as usize..lexed.comments[0].end as usize], "// b");
}
