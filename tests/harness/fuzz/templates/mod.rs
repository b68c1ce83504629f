//! Random programs about what exists at compile time: templates, function values, closures, optional resources, instances.
//!
//! All numbers are `uint`, so that nothing is left to a target. A variable that is lent is one that nothing captures.

mod expressions;

use super::random::Random;
use super::{Generated, Output, Scalar};

/// Invocations.
const THREADS: usize = 4;
/// Results of an invocation.
const RESULTS: usize = 4;

/// What a parameter of a template takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Value,
    Inout,
    Number,
    Truth,
    Case,
    /// `fn(uint) -> uint`
    Function,
    /// `fn(inout uint)`
    Action,
    Buffer,
}

const TAKES: [Takes; 8] = [
    Takes::Value,
    Takes::Inout,
    Takes::Number,
    Takes::Truth,
    Takes::Case,
    Takes::Function,
    Takes::Action,
    Takes::Buffer,
];

/// What can be called or passed on: a template, an instance, or a function that takes no more than one number.
#[derive(Clone, Debug)]
struct Template {
    name: String,
    params: Vec<(String, Takes)>,
}

/// What a name in scope is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A number that does not change.
    Let,
    /// A number that may be assigned to.
    Var,
    Number,
    Truth,
    Case,
    Function,
    Action,
    /// An optional buffer.
    Optional,
    /// A buffer that is there.
    Buffer,
    /// An array, with as many elements as the name of a `const` parameter and one more say.
    Table,
}

#[derive(Clone, Debug)]
struct Known {
    name: String,
    kind: Kind,
}

struct Program {
    random: Random,
    text: String,
    indent: usize,
    names: usize,
    scope: Vec<Known>,
    templates: Vec<Template>,
    /// How many of the templates may be called: those before the one that is written.
    callable: usize,
    /// How many calls the function that is written may still make.
    calls: usize,
    /// How many closures there are around what is written.
    closures: usize,
    loops: usize,
}

/// The program of a seed.
#[must_use]
pub fn generate(seed: u64) -> Generated {
    let mut program = Program {
        random: Random::new(seed ^ 0x7E3A_1A7E),
        text: String::new(),
        indent: 0,
        names: 0,
        scope: Vec::new(),
        templates: Vec::new(),
        callable: 0,
        calls: 0,
        closures: 0,
        loops: 0,
    };
    program.package();
    let words = |count: usize, step: usize| {
        let words: Vec<_> = (0..count).map(|n| (n * step + 3).to_string()).collect();
        words.join(" ")
    };
    let results = THREADS * RESULTS;
    let header = format!(
        "//! from the other ways to run it\n//! run compute 1 1 1\n//! buffer io.ins : u32 = {}\n//! buffer io.table : u32 = {}\n\
         //! buffer io.words : u32 = 0 x {results}\n//! expect io.words : u32 = _ x {results}\n#shader templates\n\n",
        words(16, 7),
        words(16, 1_000_003),
    );
    Generated { text: header + &program.text, outputs: vec![Output::plain("words", Scalar::Uint, 0)] }
}

impl Program {
    fn package(&mut self) {
        self.line("enum Mode: uint {");
        self.line("    Off = 0,");
        self.line("    On = 1,");
        self.line("    Twice = 2,");
        self.line("}");
        self.line("");
        self.line("@bind(io.table) let table: Buf<uint>;");
        self.line("");
        self.line("fn triple(x: uint) -> uint { return x * 3u; }");
        self.line("fn step(x: inout uint) { x = x * 5u + 1u; }");
        self.line("");
        for _ in 0..2 + self.random.below(4) {
            self.template();
        }
        self.callable = self.templates.len();
        for number in 0..self.random.below(4) {
            self.instance(number);
        }
        self.entry();
    }

    fn line(&mut self, text: impl AsRef<str>) {
        let text = text.as_ref();
        if !text.is_empty() {
            self.text += &"    ".repeat(self.indent);
        }
        self.text += text;
        self.text.push('\n');
    }

    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}{}", self.names)
    }

    fn declare(&mut self, name: &str, kind: Kind) {
        self.scope.push(Known { name: name.to_owned(), kind });
    }

    fn known(&mut self, kinds: &[Kind]) -> Option<String> {
        let fitting: Vec<&Known> = self.scope.iter().filter(|known| kinds.contains(&known.kind)).collect();
        let index = self.random.below(fitting.len());
        fitting.get(index).map(|known| known.name.clone())
    }

    fn template(&mut self) {
        let name = self.name("work");
        let mut params = vec![("x".to_owned(), Takes::Value)];
        for _ in 0..1 + self.random.below(4) {
            let takes = self.random.pick(&TAKES);
            params.push((self.name("p"), takes));
        }
        let at = self.random.below(params.len());
        params.swap(0, at);
        let list: Vec<String> = params
            .iter()
            .map(|(name, takes)| match takes {
                Takes::Value => format!("{name}: uint"),
                Takes::Inout => format!("{name}: inout uint"),
                Takes::Number => format!("const {name}: uint"),
                Takes::Truth => format!("const {name}: bool"),
                Takes::Case => format!("const {name}: Mode"),
                Takes::Function => format!("{name}: fn(uint) -> uint"),
                Takes::Action => format!("{name}: fn(inout uint)"),
                Takes::Buffer => format!("{name}: Buf<uint>?"),
            })
            .collect();
        self.line(format!("fn {name}({}) -> uint {{", list.join(", ")));
        for (name, takes) in &params {
            let kind = match takes {
                Takes::Value => Kind::Let,
                Takes::Inout => Kind::Var,
                Takes::Number => Kind::Number,
                Takes::Truth => Kind::Truth,
                Takes::Case => Kind::Case,
                Takes::Function => Kind::Function,
                Takes::Action => Kind::Action,
                Takes::Buffer => Kind::Optional,
            };
            self.declare(name, kind);
        }
        self.callable = self.templates.len();
        self.calls = 3;
        let statements = 3 + self.random.below(3);
        self.body(statements);
        self.line("}");
        self.line("");
        self.scope.clear();
        self.templates.push(Template { name, params });
    }

    /// The statements of a function with a result, which the last one returns.
    fn body(&mut self, statements: usize) {
        self.indent += 1;
        let outer = self.scope.len();
        for _ in 0..statements {
            self.statement(true);
        }
        let value = self.number(2);
        self.line(format!("return {value};"));
        self.scope.truncate(outer);
        self.indent -= 1;
    }

    fn block(&mut self, statements: usize, returns: bool) {
        self.indent += 1;
        let outer = self.scope.len();
        for _ in 0..statements {
            self.statement(returns);
        }
        self.scope.truncate(outer);
        self.indent -= 1;
    }

    fn statement(&mut self, returns: bool) {
        // Blocks nest only so deep.
        let most = if self.indent < 4 { 14 } else { 5 };
        match self.random.below(most) {
            0 => {
                let (name, value) = (self.name("a"), self.number(2));
                self.line(format!("let {name} = {value};"));
                self.declare(&name, Kind::Let);
            }
            1 | 2 => {
                let (name, value) = (self.name("v"), self.number(2));
                self.line(format!("var {name} = {value};"));
                self.declare(&name, Kind::Var);
            }
            3 | 4 => self.assignment(),
            5 | 6 => {
                let condition = self.truth(2);
                self.line(format!("if ({condition}) {{"));
                self.block(2, returns);
                if returns && self.random.chance(30) {
                    let value = self.number(1);
                    self.line(format!("    return {value};"));
                }
                self.line("} else {");
                self.block(1, returns);
                self.line("}");
            }
            7 if self.loops < 2 => {
                let name = self.name("i");
                let unroll = match self.known(&[Kind::Number]).filter(|_| self.random.chance(40)) {
                    Some(count) => format!("@unroll({count} + 1u) "),
                    None => String::new(),
                };
                self.line(format!("{unroll}for (var {name} = 0u; {name} < 3u; {name} += 1u) {{"));
                self.loops += 1;
                let outer = self.scope.len();
                self.declare(&name, Kind::Let);
                if self.random.chance(30) {
                    let condition = self.truth(1);
                    let leave = self.random.pick(&["break", "continue"]);
                    self.line(format!("    if ({condition}) {{ {leave}; }}"));
                }
                self.block(2, returns);
                self.scope.truncate(outer);
                self.loops -= 1;
                self.line("}");
            }
            8 => self.switch(returns),
            9 | 10 if self.closures < 2 => self.closure(),
            11 => self.action(),
            12 => {
                if let Some(name) = self.known(&[Kind::Optional]) {
                    self.line(format!("if ({name} != none) {{"));
                    let outer = self.scope.len();
                    self.declare(&name, Kind::Buffer);
                    self.block(2, returns);
                    self.scope.truncate(outer);
                    self.line("}");
                }
            }
            13 => {
                if let Some(length) = self.known(&[Kind::Number]) {
                    let (name, value) = (self.name("t"), self.number(1));
                    self.line(format!("var {name}: uint[{length} + 1u] = [{value}; {length} + 1u];"));
                    let (index, value) = (self.number(1), self.number(2));
                    self.line(format!("{name}[({index}) % ({length} + 1u)] += {value};"));
                    self.declare(&format!("{name}[{length}]"), Kind::Table);
                }
            }
            _ => self.assignment(),
        }
    }

    fn assignment(&mut self) {
        let Some(name) = self.known(&[Kind::Var]) else { return };
        let value = self.number(2);
        let op = self.random.pick(&["=", "+=", "^=", "*="]);
        self.line(format!("{name} {op} {value};"));
    }

    fn switch(&mut self, returns: bool) {
        let (value, labels) = match self.known(&[Kind::Case]).filter(|_| self.random.chance(50)) {
            Some(case) => (case, ["Mode.Off".to_owned(), "Mode.Twice".to_owned()]),
            None => {
                let label = match self.known(&[Kind::Number]).filter(|_| self.random.chance(50)) {
                    Some(number) => format!("{number} + 1u"),
                    None => "1u".to_owned(),
                };
                let value = self.known(&[Kind::Number]).filter(|_| self.random.chance(50));
                (value.unwrap_or_else(|| format!("({}) % 3u", self.number(1))), [label, "0u".to_owned()])
            }
        };
        self.line(format!("switch ({value}) {{"));
        for label in labels {
            self.line(format!("    case {label}: {{"));
            self.indent += 1;
            if self.random.chance(30) {
                let condition = self.truth(1);
                self.line(format!("    if ({condition}) {{ break; }}"));
            }
            self.block(1, returns);
            self.line("    break;");
            self.indent -= 1;
            self.line("    }");
        }
        self.line("    default: {");
        self.indent += 1;
        self.block(1, returns);
        self.line("    break;");
        self.indent -= 1;
        self.line("    }");
        self.line("}");
    }

    /// A closure with a name.
    fn closure(&mut self) {
        let is_action = self.random.chance(30);
        let name = self.name("f");
        if is_action {
            self.line(format!("let {name} = |y: inout uint| {{"));
            self.inside(Kind::Var, |program| {
                program.block(2, false);
                let value = program.number(1);
                program.line(format!("    y += {value};"));
            });
        } else {
            self.line(format!("let {name} = |y: uint| -> uint {{"));
            self.inside(Kind::Let, |program| program.body(2));
        }
        self.line("};");
        self.declare(&name, if is_action { Kind::Action } else { Kind::Function });
    }

    /// Writes the body of a closure, whose parameter is `y`.
    fn inside(&mut self, parameter: Kind, write: impl FnOnce(&mut Self)) {
        let outer = self.scope.len();
        let (loops, calls) = (std::mem::replace(&mut self.loops, 1), std::mem::replace(&mut self.calls, 1));
        // A closure's own parameter hides that of one around it.
        let hidden: Vec<Known> = self.scope.clone();
        self.scope.retain(|known| known.name != "y");
        self.declare("y", parameter);
        self.closures += 1;
        write(self);
        self.closures -= 1;
        self.scope = hidden;
        self.scope.truncate(outer);
        (self.loops, self.calls) = (loops, calls);
    }

    /// Lends a fresh variable.
    fn action(&mut self) {
        let (name, value) = (self.name("w"), self.number(1));
        let action = self.function(Takes::Action, false);
        self.line(format!("var {name} = {value};"));
        self.line(format!("{action}({name});"));
        // Others may capture it from here on; nothing lends it any more.
        self.declare(&name, Kind::Var);
    }

    /// An instance of one of the templates, with all that it takes at compile time.
    fn instance(&mut self, number: usize) {
        let templates: Vec<&Template> = self.templates[..self.callable]
            .iter()
            .filter(|template| template.params.iter().any(|(_, takes)| !matches!(takes, Takes::Value | Takes::Inout)))
            .collect();
        let index = self.random.below(templates.len());
        let Some(template) = templates.get(index).copied().cloned() else { return };
        let mut arguments = Vec::new();
        for (name, takes) in &template.params {
            match takes {
                Takes::Value | Takes::Inout => {}
                Takes::Number | Takes::Truth | Takes::Case => {
                    arguments.push(format!("{name}: {}", self.constant(*takes)))
                }
                Takes::Function => {
                    let function = self.random.pick(&["triple", "|y| y + 40u", "|y| y ^ table[3u]"]);
                    arguments.push(format!("{name}: {function}"));
                }
                Takes::Action => {
                    let action = self.random.pick(&["step", "|y| { y += 2u; }"]);
                    arguments.push(format!("{name}: {action}"));
                }
                Takes::Buffer => arguments.push(format!("{name}: none")),
            }
        }
        let name = format!("named{number}");
        self.line(format!("fn {name} = {}({});", template.name, arguments.join(", ")));
        self.line("");
        let params =
            template.params.into_iter().filter(|(_, takes)| matches!(takes, Takes::Value | Takes::Inout)).collect();
        self.templates.push(Template { name, params });
    }

    fn entry(&mut self) {
        self.callable = self.templates.len();
        self.line(format!("@compute(threads = ({THREADS}, 1, 1))"));
        self.line("fn main(@dispatch_id id: uint, @bind(io.ins) ins: Buf<uint>, @bind(io.words) words: RwBuf<uint>) {");
        self.declare("id", Kind::Let);
        self.declare("ins", Kind::Buffer);
        self.indent = 1;
        self.line("let first = ins[id];");
        self.declare("first", Kind::Let);
        self.line("var total = first + table[id];");
        self.declare("total", Kind::Var);
        for slot in 0..RESULTS {
            self.calls = 4;
            self.statement(false);
            self.statement(false);
            let value = self.number(3);
            self.line(format!("words[id * {RESULTS}u + {slot}u] = {value} + total;"));
        }
        self.line("total += 1u;");
        self.indent = 0;
        self.line("}");
    }
}
