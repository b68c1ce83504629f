//! Input made to break the reader: it answers in time, with an error or a tree, whatever comes.

use std::time::{Duration, Instant};

use super::read;

/// Reads `text` in the time allowed; gives the messages.
fn survives(text: &str) -> Vec<String> {
    let start = Instant::now();
    let (_, diagnostics) = read(text);
    let took = start.elapsed();

    // Without optimization, and beside other tests, everything takes long.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 60 } else { 1 });
    assert!(took < limit, "took {took:?}");
    diagnostics
}

fn in_function(body: &str) -> String {
    format!("#module m\nfn f() {{ {body} }}\n")
}

fn fails(text: &str, part: &str) {
    let diagnostics = survives(text);
    assert!(diagnostics.iter().any(|diagnostic| diagnostic.contains(part)), "no `{part}` in {diagnostics:?}");
}

fn passes(text: &str) {
    assert_eq!(survives(text), Vec::<String>::new());
}

/// An unoptimized build shows the same in less.
const MANY: usize = if cfg!(debug_assertions) { 20_000 } else { 100_000 };

#[test]
fn nesting() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("-(", ")"), ("if (a) {", "}"), ("a[", "]"), ("V { a: ", "}")]
    {
        fails(&in_function(&format!("x = {}1{};", open.repeat(MANY), close.repeat(MANY))), "nested too deeply");
        survives(&in_function(&format!("x = {}", open.repeat(MANY))));
        survives(&in_function(&close.repeat(MANY)));
        survives(&open.repeat(MANY));
        survives(&close.repeat(MANY));
    }
}

#[test]
fn nesting_without_brackets() {
    fails(&in_function(&format!("x = {}1;", "- ".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1;", "-".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}a;", "!".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = a{};", " as int".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = a{};", ".b".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = a{};", "[0]".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = a{};", "()".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = a{};", "++".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1;", "a ? b : ".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1{};", "a ? ".repeat(MANY), " : 2".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1;", "|a| ".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1;", "|a, b| ".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("x = {}1;", "|| ".repeat(MANY))), "nested too deeply");
    fails(&in_function(&format!("if (a) {{ }}{}", " else if (a) { }".repeat(MANY))), "nested too deeply");
    fails(&format!("#module m\nfn f(a: {}float) {{ }}", "fn() -> ".repeat(MANY)), "nested too deeply");
    fails(
        &format!("#module m\nfn f(a: {}float{}) {{ }}", "Buf<".repeat(MANY), ">".repeat(MANY)),
        "type arguments do not nest",
    );
    fails(&format!("#module m\nfn f(a: float{}) {{ }}", "[2]".repeat(MANY)), "nested too deeply");
}

#[test]
fn the_deepest_that_is_accepted_fits_a_small_stack() {
    let deep = |open: &str, close: &str| in_function(&format!("x = {}1{};", open.repeat(120), close.repeat(120)));
    let texts = [
        deep("(", ")"),
        deep("f(", ")"),
        deep("[", "]"),
        deep("V { a: -", "}"),
        deep("a[1 + ", "]"),
        deep("a ? b : ", ""),
        deep("|a| ", ""),
    ];
    let blocks = in_function(&format!("{}{}", "if (a) { ".repeat(120), "}".repeat(120)));
    let closures = in_function(&format!("x = {}{};", "|a| { return f(".repeat(40), ")}".repeat(40)));
    for text in texts.iter().chain([&blocks, &closures]) {
        let text = text.clone();
        // What the threads of `cargo test` have.
        let thread = std::thread::Builder::new().stack_size(1 << 21).spawn(move || survives(&text)).expect("a thread");
        assert_eq!(thread.join().expect("no overflow"), Vec::<String>::new());
    }
}

#[test]
fn length() {
    passes(&in_function(&format!("x = 1{};", " + 1".repeat(MANY))));
    passes(&in_function(&format!("x = a{};", " && a || b".repeat(MANY))));
    passes(&in_function(&format!("x = f(1{});", ", 1".repeat(MANY))));
    passes(&in_function(&format!("x = [1{}];", ", 1".repeat(MANY))));
    passes(&in_function(&"x = 1;".repeat(MANY)));
    passes(&in_function(&"/* */".repeat(MANY)));
    passes(&in_function(&format!("let {} = 1;", "a".repeat(1 << 20))));
    fails(&in_function(&format!("x = {};", "1".repeat(1 << 20))), "too large");
    fails(&in_function(&format!("x = 0x{};", "f".repeat(1 << 20))), "too large");
    passes(&in_function(&format!("x = 1.{};", "1".repeat(1 << 20))));
    passes(&format!("#module m\n#import {}a", (0..10_000).map(|n| format!("m{n}, ")).collect::<String>()));
    passes(&format!("#module m\n{}", "fn f() { }\n".repeat(10_000)));
    passes(&format!("#module m\n{}", "/// doc\nfn f() { }\n".repeat(10_000)));
    passes(&format!("#module m\nfn f({}) {{ }}", "a: float, ".repeat(MANY)));
    passes(&format!("#module m\nstruct S {{ {} }}", "a: float; ".repeat(MANY)));
    fails(&in_function(&"x = 1; ".repeat(300_000)), "too long");
    passes(&in_function(&format!("switch (x) {{ {} }}", "case 1: ".repeat(MANY))));
}

#[test]
fn unterminated() {
    for text in [
        "/*", "/* /* */", "\"", "'", "fn", "fn f", "fn f(", "fn f() {", "struct S {", "struct S", "enum", "#",
        "#import", "#import a,", "@", "@bind(", "const", "const A = ", "private", "fn f() { if", "fn f() { let", "1",
        ".", "0x", "1e", "let",
    ] {
        assert_ne!(survives(text), Vec::<String>::new(), "{text}");
        assert_ne!(survives(&format!("#module m\n{text}")), Vec::<String>::new(), "{text}");
    }
    fails(&"/*".repeat(MANY), "this comment has no end");
    survives(&"#".repeat(MANY));
    survives(&"#\n".repeat(MANY));
    survives(&"@".repeat(MANY));
    survives(&"@a(".repeat(MANY));
    survives(&";".repeat(MANY));
    survives(&"fn ".repeat(MANY));
    survives(&"fn f(\n".repeat(MANY));
    survives(&"fn f() {\n".repeat(MANY));
    survives(&"fn f() { x = ; \n".repeat(MANY));
    survives(&in_function(&"x = ;\n".repeat(MANY)));
    survives(&in_function(&"let = 1\n".repeat(MANY)));
    survives(&"\"\n".repeat(MANY));
}

#[test]
fn empty() {
    fails("", "missing `#shader name`");
    fails("// nothing\n", "missing `#shader name`");
    fails(" \r\n\t", "missing `#shader name`");
}

#[test]
fn junk() {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let bytes: Vec<u8> = (0..1 << 20).map(|_| next() as u8).collect();
    assert_ne!(survives(&String::from_utf8_lossy(&bytes)), Vec::<String>::new());
    let words = [
        "fn", "f", "(", ")", "{", "}", "[", "]", ";", ",", ":", "=", "==", "if", "else", "let", "var", "1", "1u",
        "1.5", "+", "-", "?", "|", "||", "@", "a", "struct", "enum", "as", "for", "return", "\n", "#", "..", "->", "<",
        ">", "switch", "case", "const", ".", "none", "while", "do", "sizeof",
    ];
    for _ in 0..300 {
        let text: String = (0..200).flat_map(|_| [words[(next() % words.len() as u64) as usize], " "]).collect();
        survives(&text);
        survives(&in_function(&text));
        survives(&format!("#module m\n{text}"));
    }
    survives(&"\0".repeat(MANY));
    survives(&"é".repeat(MANY));
    survives(&"x\u{301}".repeat(MANY));
}

/// A sound file with bytes taken out, put in twice, or swapped: never a panic, and the places stay inside the text.
#[test]
fn mutants() {
    let sound = include_str!("sound.akari");
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..1500 {
        let mut bytes = sound.as_bytes().to_vec();
        for _ in 0..=next(3) {
            let (from, length) = (next(bytes.len() - 8), next(8));
            match next(3) {
                0 => drop(bytes.drain(from..from + length)),
                1 => {
                    let copy = bytes[from..from + length].to_vec();
                    let to = next(bytes.len());
                    bytes.splice(to..to, copy);
                }
                _ => {
                    let to = next(bytes.len());
                    bytes.swap(from, to);
                }
            }
        }
        let _ = read(&String::from_utf8_lossy(&bytes));
    }
}

/// Everything on one line, where looking back to its beginning or ahead to its end for each fault would take forever.
#[test]
fn long_lines() {
    survives(&"\"a\" ".repeat(MANY));
    survives(&in_function(&"\"a\" ".repeat(MANY)));
    survives(&in_function(&"a b ".repeat(MANY)));
    survives(&in_function(&"float a = 1; ".repeat(MANY / 2)));
    survives(&"fn f() { x y } ".repeat(MANY / 10));
    survives(&"fn f( ".repeat(MANY));
    survives(&"} ".repeat(MANY));
    survives(&format!("{}{}", "{ ".repeat(MANY), "\n}".repeat(MANY)));
    survives(&"struct S { a: int b: int } ".repeat(MANY / 10));
}
