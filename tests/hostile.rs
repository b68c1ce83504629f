//! Hostile sources: each ends in success or in errors with a place, never in a signal, and within a gibibyte of memory. A run that
//! hangs is ended after a limit that no sound run comes near.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Failed, Trial};

/// When a run counts as hanging. Debug builds on a busy machine are far from it.
const LIMIT: Duration = Duration::from_secs(300);
const MEMORY_KIB: u64 = 1 << 20;
const MANY: usize = 100_000;

/// What a run must come to.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    /// Errors with a place.
    Errors,
    /// Output.
    Success,
    /// Either.
    Either,
}

fn main() {
    let trials = cases()
        .into_iter()
        .flat_map(|(name, source, expect)| {
            ["metal", "d3d12", "spirv"].map(|target| {
                let source = source.clone();
                Trial::test(format!("{name} {target}"), move || check(&source, target, expect))
            })
        })
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A compute package whose entry holds `body`.
fn entry(body: &str) -> Vec<u8> {
    format!(
        "#shader hostile\n\n@compute(threads = (1, 1, 1))\nfn main_cs(@bind(o.o) out: RwBuf<float>, @dispatch_id id: uint) {{\n    \
         var x: float = out[id];\n    var n: uint = id;\n{body}\n    out[id] = x + float(n);\n}}\n"
    )
    .into_bytes()
}

fn items(items: &str) -> Vec<u8> {
    let mut source = format!("#shader hostile\n\n{items}\n").into_bytes();
    source.extend_from_slice(&entry("")[b"#shader hostile\n".len()..]);
    source
}

fn joined(count: usize, separator: &str, of: impl Fn(usize) -> String) -> String {
    (0..count).map(of).collect::<Vec<_>>().join(separator)
}

/// Functions of which each has a closure for a default that calls the next.
fn closure_defaults(count: usize, lead: &str) -> String {
    let mut list = joined(count, "\n", |n| {
        format!(
            "fn f{n}(x: float, f: fn(float) -> float = |v| {{ {lead} f{}(v); }}) -> float {{ return f(x); }}",
            n + 1
        )
    });
    let _ = writeln!(list, "\nfn f{count}(x: float) -> float {{ return x; }}\nfn g() -> float {{ return f0(1.0); }}");
    list
}

fn cases() -> Vec<(&'static str, Vec<u8>, Expect)> {
    use Expect::{Either, Errors, Success};
    let nested = |open: &str, close: &str, inside: &str| format!("{}{inside}{}", open.repeat(MANY), close.repeat(MANY));
    let mut junk = Vec::new();
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..MANY {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        junk.push(state as u8);
    }
    let mut chain = String::from("fn f0(x: float) -> float { return x; }\n");
    for n in 1..10_000 {
        let _ = writeln!(chain, "fn f{n}(x: float) -> float {{ return f{}(x) + 1.0; }}", n - 1);
    }
    let mut nested_structs = String::from("struct S0 { x: float; }\n");
    for n in 1..1_000 {
        let _ = writeln!(nested_structs, "struct S{n} {{ s: S{}; }}", n - 1);
    }
    let mut wide_structs = String::from("struct W0 { x: float; }\n");
    for n in 1..60 {
        let _ = writeln!(wide_structs, "struct W{n} {{ a: W{0}; b: W{0}; }}", n - 1);
    }
    wide_structs.push_str("@compute(threads = (1, 1, 1)) fn wide(@bind(o.w) w: RwBuf<W59>) { }\n");
    let mut bad_utf8 = entry("    // ");
    bad_utf8.extend_from_slice(b"\xff\xfe\n");
    vec![
        ("nested parentheses", entry(&format!("    x = {};", nested("(", ")", "x"))), Errors),
        ("nested blocks", entry(&nested("{", "}", "")), Errors),
        ("nested brackets", entry(&format!("    x = out[{}];", nested("out[", "]", "0u"))), Errors),
        ("nested calls", entry(&format!("    x = {};", nested("sin(", ")", "x"))), Errors),
        ("nested ifs", entry(&nested("if (true) {", "}", "")), Errors),
        ("nested array literals", entry(&format!("    let a = {};", nested("[", "]", "1.0"))), Errors),
        ("unclosed parentheses", entry(&format!("    x = {}", "(".repeat(MANY))), Errors),
        ("unclosed braces", entry(&"{".repeat(MANY)), Errors),
        ("closing brackets only", ")]}".repeat(MANY).into_bytes(), Errors),
        ("a sum of many terms", entry(&format!("    x = {};", joined(MANY, " + ", |_| "x".into()))), Either),
        (
            "a product of many terms",
            entry(&format!("    n = {};", joined(MANY, " * ", |n| format!("{}u", n % 7)))),
            Either,
        ),
        ("many minuses", entry(&format!("    x = {}x;", "- ".repeat(MANY))), Errors),
        ("many exclamation marks", entry(&format!("    let b = {}true;", "!".repeat(MANY))), Errors),
        ("many casts", entry(&format!("    n = n{};", " as int as uint".repeat(MANY / 2))), Either),
        ("many ternaries", entry(&format!("    x = {}x;", "n > 1u ? 1.0 : ".repeat(MANY))), Errors),
        ("many conjunctions", entry(&format!("    let b = {};", joined(MANY, " && ", |_| "n > 1u".into()))), Either),
        ("many else-ifs", entry(&joined(MANY, " else ", |n| format!("if (n == {n}u) {{ x = 1.0; }}"))), Either),
        ("many statements", entry(&joined(MANY, "\n", |n| format!("    x = x + {n}.0;"))), Success),
        ("many locals", entry(&joined(20_000, "\n", |n| format!("    let v{n} = x + {n}.0;"))), Success),
        (
            "many loops of one counter",
            entry(&format!(
                "    var i = 0u;\n{}",
                joined(10_000, "\n", |n| { format!("    for (i = 0u; i < {n}u; i++) {{ x += 1.0; }}") })
            )),
            Success,
        ),
        (
            "many guarded indices",
            entry(&format!(
                "    var a: float[8];\n{}",
                joined(10_000, "\n", |n| { format!("    if (n >= {n}u) {{ x += a[n % 9u]; return; }}") })
            )),
            Either,
        ),
        (
            "many cases",
            entry(&format!("    switch (n) {{ {} }}", joined(20_000, " ", |n| format!("case {n}: x = {n}.0; break;")))),
            Success,
        ),
        (
            "many elements",
            items(&format!("const T: uint[{MANY}] = [{}];", joined(MANY, ",", |n| format!("{n}u")))),
            Success,
        ),
        (
            "many functions",
            items(&joined(10_000, "\n", |n| format!("fn f{n}(x: float) -> float {{ return x * {n}.0; }}"))),
            Success,
        ),
        (
            "a long chain of calls",
            items(&format!(
                "{chain}\n@compute(threads = (1, 1, 1)) fn c(@bind(o.c) o: RwBuf<float>) {{ o[0] = f9999(1.0); }}"
            )),
            Either,
        ),
        ("many parameters", items(&format!("fn f({}) {{ }}", joined(MANY, ", ", |n| format!("p{n}: float")))), Either),
        (
            "many imports",
            format!("#shader hostile\n#import {}\n", joined(MANY, ", ", |n| format!("m{n}"))).into_bytes(),
            Errors,
        ),
        ("many errors", entry(&joined(MANY, "\n", |n| format!("    x = nope{n};"))), Errors),
        (
            "deeply nested structs",
            items(&format!("{nested_structs}\n@compute(threads = (1, 1, 1)) fn d(@bind(o.s) s: RwBuf<S999>) {{ }}")),
            Errors,
        ),
        ("a struct of 2^59 floats", items(&wide_structs), Errors),
        ("an array of arrays of arrays", items(&format!("struct A {{ a: float{}; }}", "[2]".repeat(MANY))), Errors),
        (
            "an array of four thousand million",
            items("struct A { a: float[4294967295]; }\n@compute(threads = (1, 1, 1)) fn d(@bind(o.s) s: RwBuf<A>) { }"),
            Errors,
        ),
        ("a repeat literal of a thousand million", entry("    let a = [1.0; 1000000000];\n    x = a[n];"), Errors),
        ("rows of rows", entry("    let a = [[[[1.0; 60]; 60]; 60]; 60]; x = a[n][n][n][n];"), Errors),
        (
            "constants of constants",
            items(
                "const S: float[4096] = [1.0; 4096]; const T: float[4096][4096] = [S; 4096]; const U: float[4096][4096][4096] = [T; 4096];\nfn f(n: uint) -> float { return U[n][n][n]; }",
            ),
            Errors,
        ),
        ("lists of rows", entry("    let a = [1.0; 60000]; let b = [a; 60]; let c = [b; 60]; x = c[n][n][n];"), Errors),
        (
            "many large rows",
            entry(&joined(100, " ", |k| format!("let a{k} = [[{k}.5; 1000]; 1000]; x += a{k}[n][n];"))),
            Errors,
        ),
        (
            "rows of rows of each instance",
            items(&format!(
                "fn f(const n: uint, i: uint) -> float {{ let a = [[1.5; n]; n]; return a[i][i]; }}\n@compute(threads = (1, 1, 1)) fn c(@bind(o.c) o: RwBuf<float>) {{ {} }}",
                joined(300, " ", |k| format!("o[{k}] = f({}u, {k}u);", 700 + k))
            )),
            Errors,
        ),
        (
            "many overloads",
            items(&format!(
                "{}\nfn g() -> float {{ return {}; }}",
                joined(3_000, "\n", |n| format!(
                    "struct T{n} {{ x: float; }} fn h(a: T{n}) -> float {{ return a.x; }}"
                )),
                joined(3_000, " + ", |n| format!("h(T{n} {{ x: 1.0 }})"))
            )),
            Errors,
        ),
        (
            "many bindings",
            [
                b"#shader hostile\n".to_vec(),
                joined(1_500, "\n", |n| {
                    format!(
                        "@bind(o.b{n}) let b{n}: RwBuf<float>; fn h{n}(x: float) -> float {{ return x * b{n}[0]; }}"
                    )
                })
                .into_bytes(),
                entry(&joined(1_500, "\n", |n| format!("x = h{n}(x);")))["#shader hostile\n".len()..].to_vec(),
            ]
            .concat(),
            Either,
        ),
        ("a long name", items(&format!("fn {}() {{ }}", "a".repeat(1 << 20))), Either),
        ("a long number", entry(&format!("    x = {}.0;", "9".repeat(1 << 20))), Errors),
        ("a long comment", entry(&format!("/* {} */", "x".repeat(1 << 20))), Success),
        ("nested comments", entry(&format!("{}{}", "/*".repeat(MANY), "*/".repeat(MANY))), Success),
        ("an unclosed comment", entry(&"/*".repeat(MANY)), Errors),
        ("many semicolons", entry(&";".repeat(MANY)), Either),
        ("many directives", "#import a\n".repeat(MANY).into_bytes(), Errors),
        ("many attributes", items(&format!("{}fn f() {{ }}", "@unroll ".repeat(MANY))), Errors),
        ("binary junk", junk, Errors),
        ("zero bytes", vec![0; MANY], Errors),
        ("invalid UTF-8", bad_utf8, Errors),
        ("an empty file", Vec::new(), Errors),
        ("a byte order mark alone", b"\xef\xbb\xbf".to_vec(), Errors),
        ("a chain of defaults that are closures", items(&closure_defaults(395, "return")), Errors),
        (
            "a chain of defaults deep in statements",
            items(&closure_defaults(395, "if (v > 1.0) { while (v > 2.0) { { return v; } } } return")),
            Errors,
        ),
        (
            "defaults that double",
            items(&joined(31, "\n", |n| match n {
                30 => "fn f30(x: float) -> float { return x; }".to_owned(),
                n => format!(
                    "fn f{n}(x: float, f: fn(float) -> float = |v| f{0}(v) + f{0}(v)) -> float {{ return f(x); }}",
                    n + 1
                ),
            })),
            Errors,
        ),
        (
            "many closures",
            entry(&format!(
                "let f = |x: float| x; {}",
                joined(2_000, " ", |n| format!("x = f({n}.0); let g{n} = |x: float| x + {n}.0; x = g{n}(1.0);"))
            )),
            Success,
        ),
        (
            "a closure that sees everything",
            entry(&format!(
                "{} let f = || {}; x = f();",
                joined(2_000, " ", |n| format!("var v{n} = 1.0;")),
                joined(2_000, " + ", |n| format!("v{n}"))
            )),
            Errors,
        ),
        (
            "closures in closures",
            items(&format!(
                "fn a(f: fn() -> float) -> float {{ return f(); }}\nfn g() -> float {{ return a(|| {}1.0{}); }}",
                "a(|| ".repeat(1_000),
                ")".repeat(1_000)
            )),
            Errors,
        ),
        (
            "closures that call the one before twice",
            entry(&format!(
                "let f0 = || 1.0; {} x = f24();",
                joined(24, " ", |n| format!("let f{} = || f{n}() + f{n}();", n + 1))
            )),
            Success,
        ),
        (
            "array lengths that grow",
            items(&format!(
                "fn f(const n: uint) {{ {} }}",
                joined(60, " ", |n| format!(
                    "const m{} = {1} * {1} + n; var a{n}: float[m{0}];",
                    n + 1,
                    if n == 0 { "n".to_owned() } else { format!("m{n}") }
                ))
            )),
            Errors,
        ),
        (
            "recursion",
            items("fn f(x: float) -> float { return g(x); }\nfn g(x: float) -> float { return f(x); }"),
            Errors,
        ),
        ("a struct in itself", items("struct A { a: B; }\nstruct B { a: A; }"), Errors),
        ("a constant of itself", items("const A: uint = B;\nconst B: uint = A;"), Errors),
    ]
}

fn check(source: &[u8], target: &str, expect: Expect) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let input = folder.path().join("hostile.akari");
    fs::write(&input, source)?;
    let stderr = folder.path().join("stderr");
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -v {MEMORY_KIB}; exec \"$0\" \"$@\""))
        .arg(env!("CARGO_BIN_EXE_akari"))
        .args(["transpile", "--target", target, "--input"])
        .arg(&input)
        .arg("--out")
        .arg(folder.path().join("out"))
        .stdout(Stdio::null())
        .stderr(fs::File::create(&stderr)?)
        .spawn()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Err(format!("it runs for more than {LIMIT:?}").into());
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let mut said = String::new();
    fs::File::open(&stderr)?.take(4000).read_to_string(&mut said)?;
    if let Some(signal) = status.signal() {
        return Err(format!("signal {signal}\n{said}").into());
    }
    match status.code() {
        Some(0) if expect != Expect::Errors => Ok(()),
        Some(1) if expect != Expect::Success => {
            let placed = said.contains("\"line\":") || said.contains("cannot read");
            if placed && !said.contains("internal error") {
                Ok(())
            } else {
                Err(format!("an error without a place:\n{said}").into())
            }
        }
        code => Err(format!("exit status {code:?}\n{said}").into()),
    }
}
