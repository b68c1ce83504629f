//! Random programs of structured control flow, integers, floats, vectors and borrows, and random structs copied from uniforms to
//! storage: valid as SPIR-V, HLSL and Metal, and of the same result on lavapipe (as our SPIR-V and as DXC's of our HLSL), and as Metal
//! on the CPU, as in the reference interpreter.
//!
//! `AKARI_SEEDS=100..400 cargo test --test spirv_random` runs other programs than the usual few; a failure shows its program.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::ops::Range;
use std::{env, fs, thread_local};

use akari::opt::read;
use akari_dialect_gpu_abi::Target;
use akari_harness::job::{Interface, Job, Outcome, Stage, Work};
use akari_harness::vulkan::{Module as VulkanModule, VulkanRunner, serve_if_asked};
use akari_harness::{bind, case, hlsl, interpreter, metal, spirv};
use akari_ir::{Module, Scalar, TypeKind, verify};
use akari_passes::{IrStage, Observer, PassContext, Pipeline, run};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() {
    serve_if_asked();
    let seeds = env::var("AKARI_SEEDS").ok().and_then(|text| {
        let (first, last) = text.split_once("..")?;
        Some(first.parse().ok()?..last.parse().ok()?)
    });
    let seeds: Range<u64> = seeds.unwrap_or(0..24);
    let programs = seeds.clone().map(|seed| Trial::test(format!("program {seed}"), move || check("program", seed)));
    let structs = seeds.clone().map(|seed| Trial::test(format!("struct {seed}"), move || check("struct", seed)));
    let lanes = seeds.map(|seed| Trial::test(format!("lanes {seed}"), move || check("lanes", seed)));
    let trials = programs.chain(structs).chain(lanes).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

const HEADER: &str = ";! from the reference interpreter
;! run compute 2 1 1
;! buffer in.values : u32 = 0 1 2 3 7 31 32 33 0x80000000 0xffffffff 0x3f800000 0xc0490fdb 100 1000 65535 5
;! buffer out.words : u32 = 0 x 64
;! buffer out.floats : f32 = 0 x 64
;! expect out.words : u32 = _ x 64
";

fn check(kind: &str, seed: u64) -> Result<(), Failed> {
    let text = match kind {
        "program" => format!("{HEADER}{}", Program::new(seed).finish()),
        "lanes" => format!("{HEADER}{}", Program { lanes: true, ..Program::new(seed) }.finish()),
        _ => Program::new(seed).copy_of_a_struct(),
    };
    outcome(&text, kind == "lanes").map_err(|error| {
        let path = env::temp_dir().join(format!("akari-random-{kind}-{seed}.air"));
        let _ = fs::write(&path, &text);
        format!("{error}\nthe program: {}", path.display()).into()
    })
}

/// Vulkan says less about which lanes meet after control flow than the interpreter and Metal's runner do: `lanes` leaves it out.
fn outcome(text: &str, lanes: bool) -> Result<(), String> {
    let mut module = read(text).map_err(|error| format!("{error:?}"))?;
    let case = case::parse(text).map_err(|errors| format!("{} errors in the header", errors.len()))?;
    let unslotted = module.clone();
    passes(&mut module, "assign-slots", Target::Spirv)?;
    let interface = Interface::of(&module)?;
    let job = bind::jobs(&case, &interface)?.into_iter().next().ok_or("nothing to run")?;
    let expected = interpreter::run(&module, &job)?;
    compare(&expected, &metal(unslotted.clone(), &job)?, Padding::Free).map_err(|error| format!("as Metal: {error}"))?;
    if lanes {
        return Ok(());
    }
    thread_local!(static RUNNER: RefCell<VulkanRunner> = const { RefCell::new(VulkanRunner::new()) });
    let run = |module| RUNNER.with_borrow_mut(|runner| runner.run(&[module], &job)).map_err(|error| error.to_string());
    let (compiled, source) = vulkan_hlsl(unslotted)?;
    // What DXC does with the padding of a struct is its own affair.
    run(compiled)
        .and_then(|found| compare(&expected, &found, Padding::Free))
        .map_err(|error| format!("as HLSL: {error}\n{source}"))?;
    let artifacts = passes(&mut module, "@spirv", Target::Spirv)?;
    let bytes = artifacts.first().ok_or("nothing was emitted")?;
    let words = spirv::words(bytes).ok_or("half a word of SPIR-V")?;
    spirv::check(&words)?;
    let found = run(VulkanModule { stage: Stage::Compute, entry: "main".to_owned(), words })?;
    compare(&expected, &found, Padding::Kept)
}

/// Whether what lies between the fields of a struct outlives an assignment of the whole struct. In Metal it need not.
#[derive(PartialEq)]
enum Padding {
    Kept,
    Free,
}

/// What a buffer holds that nothing was written to.
const UNWRITTEN: [u8; 4] = 0xdead_beef_u32.to_le_bytes();

/// The module's Vulkan HLSL, compiled by DXC, and its text; its Direct3D HLSL compiles as well.
fn vulkan_hlsl(module: Module) -> Result<(VulkanModule, String), String> {
    let half = [1, 2, 3, 4].iter().any(|width| module.types.find(TypeKind::vector(Scalar::F16, *width)).is_some());
    let emit = |target, pipeline: &str| {
        let artifacts = passes(&mut module.clone(), pipeline, target)?;
        let bytes = artifacts.into_iter().next().ok_or("no HLSL was emitted")?;
        String::from_utf8(bytes).map_err(|error| error.to_string())
    };
    let shader_model = if half { "6_2" } else { "6_0" };
    let entry = |source| hlsl::Entry { source, stage: Stage::Compute, name: "main", shader_model, half };
    let source = emit(Target::D3d12, "assign-slots,@d3d12")?;
    hlsl::d3d12(entry(&source)).map_err(|error| format!("{error}\n{source}"))?;
    let source = emit(Target::VulkanHlsl, "assign-slots,@vulkan-hlsl")?;
    let compiled = hlsl::vulkan(entry(&source)).map_err(|error| format!("{error}\n{source}"))?;
    Ok((compiled, source))
}

/// The result of the module's Metal source on the CPU.
fn metal(mut module: Module, job: &Job) -> Result<Outcome, String> {
    let artifacts = passes(&mut module, "assign-slots,@metal", Target::Metal)?;
    let bytes = artifacts.into_iter().next().ok_or("no Metal source was emitted")?;
    let source = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut job = job.clone();
    if let Work::Compute { entry, .. } = &mut job.work {
        // Metal does not allow `main`.
        *entry = "main_".to_owned();
    }
    metal::check(&source).and_then(|()| metal::run_job(&source, &job)).map_err(|error| format!("{error}\n{source}"))
}

fn compare(expected: &Outcome, found: &Outcome, padding: Padding) -> Result<(), String> {
    let mut differences = String::new();
    for (index, (expected, found)) in expected.resources.iter().zip(&found.resources).enumerate() {
        for (at, (expected, found)) in expected.chunks(4).zip(found.chunks(4)).enumerate() {
            let float = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
            let (wanted, got) = (float(expected), float(found));
            // `min` and `max` of zeros may give either; lavapipe drops the addition of a constant zero.
            let alike = index == 2 && (wanted == got || wanted.is_nan() && got.is_nan());
            let kept = expected.iter().zip(found).zip(UNWRITTEN).all(|((expected, found), unwritten)| expected == found || *expected == unwritten);
            let free = padding == Padding::Free && kept;
            if expected != found && !alike && !free {
                let _ = writeln!(differences, "resource {index}, word {at}: expected {expected:x?}, got {found:x?}");
            }
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(differences) }
}

fn passes(module: &mut Module, pipeline: &str, target: Target) -> Result<Vec<Vec<u8>>, String> {
    let start = Pipeline::first_stage(pipeline).map_err(|error| error.to_string())?.unwrap_or(IrStage::Source);
    let pipeline = Pipeline::parse(pipeline, start).map_err(|error| error.to_string())?;
    let mut context = PassContext { target: Some(target), ..PassContext::default() };
    run(&pipeline, module, &mut context, &mut Observer::default()).map_err(|error| error.to_string())?;
    verify::verify(module).map_err(|report| report.render(module))?;
    Ok(context.artifacts.into_iter().map(|artifact| artifact.bytes).collect())
}

/// A program being made up.
struct Program {
    state: u64,
    text: String,
    values: u32,
    indent: usize,
    /// Functions made so far, which later ones may call.
    functions: u32,
    /// How many statements the function may still have.
    budget: u32,
    /// Whether lanes ask each other.
    lanes: bool,
    /// Whether the entry is being made, where `%id` is the lane; else a function, which has `%p`.
    inside_main: bool,
}

/// What may leave a region, and how.
#[derive(Clone, Copy)]
struct Scope {
    breaks: bool,
    continues: bool,
    depth: u32,
    loops: u32,
    returns: bool,
}

impl Program {
    fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
        Self { state, text: String::from("module \"random\"\n"), values: 0, indent: 1, functions: 0, budget: 0, lanes: false, inside_main: false }
    }

    /// A number below `bound` (xorshift).
    fn below(&mut self, bound: u32) -> u32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 33) % u64::from(bound)) as u32
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u32) as usize]
    }

    fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("  ");
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Defines a value and gives its name.
    fn value(&mut self, ty: &str, op: impl AsRef<str>) -> String {
        self.values += 1;
        let name = format!("%t{}", self.values);
        self.line(format!("{name}: {ty} = {}", op.as_ref()));
        name
    }

    fn finish(mut self) -> String {
        self.text.push_str("struct @S {\n  a: u32\n  b: array<u32, 5>\n  c: vec<f32, 3>\n}\n");
        for _ in 0..1 + self.below(3) {
            let name = self.functions;
            self.text.push_str(&format!("func @f{name}(%p: u32, inout %io: ref<function, u32>, %q: f32) -> u32 {{\n"));
            self.locals();
            self.line("akari.store %u0, %p");
            self.line("akari.store %f0, %q");
            self.budget = 12;
            self.statements(Scope { breaks: false, continues: false, depth: 0, loops: 0, returns: true });
            let result = self.uint(0);
            self.line(format!("akari.store %io, {result}"));
            let result = self.uint(2);
            self.line(format!("akari.return {result}"));
            self.text.push_str("}\n");
            self.functions += 1;
        }
        self.text.push_str(
            "compute(8, 1, 1) func @main(%values: buf<u32> bind in.values, %words: rwbuf<u32> bind out.words, %floats: rwbuf<f32> bind out.floats, %id: u32 dispatch_id) {\n",
        );
        self.inside_main = true;
        self.locals();
        let place = self.value("ref<storage_read, u32>", "akari.buffer_element %values, %id");
        let loaded = self.value("u32", format!("akari.load {place}"));
        self.line(format!("akari.store %u0, {loaded}"));
        let float = self.value("f32", format!("akari.builtin {loaded} {{function: as_float}}"));
        self.line(format!("akari.store %f0, {float}"));
        self.line("akari.store %u1, %id");
        self.budget = 30;
        self.statements(Scope { breaks: false, continues: false, depth: 0, loops: 0, returns: false });
        let four = self.value("u32", "akari.const {value: u32 4}");
        let base = self.value("u32", format!("akari.mul %id, {four}"));
        for index in 0..4 {
            let offset = self.value("u32", format!("akari.const {{value: u32 {index}}}"));
            let at = self.value("u32", format!("akari.add {base}, {offset}"));
            let word = self.uint(2);
            let to = self.value("ref<storage, u32>", format!("akari.buffer_element %words, {at}"));
            self.line(format!("akari.store {to}, {word}"));
            let float = self.float(1);
            let to = self.value("ref<storage, f32>", format!("akari.buffer_element %floats, {at}"));
            self.line(format!("akari.store {to}, {float}"));
        }
        self.text.push_str("}\n");
        self.text
    }

    /// Copies a struct from a uniform to storage: as a whole, and leaf by leaf. What lies between the leaves stays.
    fn copy_of_a_struct(mut self) -> String {
        let count = 1 + self.below(3);
        let mut structs: Vec<Vec<String>> = Vec::new();
        for index in 0..count {
            let packed = if self.below(4) == 0 { "packed " } else { "" };
            let mut fields = Vec::new();
            let _ = writeln!(self.text, "{packed}struct @S{index} {{");
            for field in 0..1 + self.below(5) {
                let ty = self.field_type(index);
                let _ = writeln!(self.text, "  f{field}: {ty}");
                fields.push(ty);
            }
            self.text.push_str("}\n");
            structs.push(fields);
        }
        let last = format!("@S{}", count - 1);
        self.text.push_str(&format!(
            "compute(1, 1, 1) func @main(%from: uniform<{last}> bind in.data, %to: rwbuf<{last}> bind out.data) {{\n"
        ));
        self.line("%zero: u32 = akari.const {value: u32 0}");
        self.line("%one: u32 = akari.const {value: u32 1}");
        self.line(format!("%contents: ref<uniform, {last}> = akari.contents %from"));
        self.line(format!("%first: ref<storage, {last}> = akari.buffer_element %to, %zero"));
        self.line(format!("%second: ref<storage, {last}> = akari.buffer_element %to, %one"));
        self.line(format!("%whole: {last} = akari.load %contents"));
        self.line("akari.store %first, %whole");
        self.copy_leaves(&structs, &last, "%contents", "%second");
        self.text.push_str("}\n");
        // Halves of 0x3b3b at most and words of as much are finite floats of every width.
        let words: Vec<String> = (0..4096).map(|_| (self.below(u32::MAX) & 0x3b3b_3b3b).to_string()).collect();
        let words = words.join(" ");
        format!(
            ";! from the reference interpreter\n;! run compute 1 1 1\n;! buffer in.data : u32 = {words}\n\
             ;! buffer out.data : u32 = 0xdeadbeef x 8192\n;! expect out.data : u32 = _ x 8192\n{}",
            self.text
        )
    }

    fn field_type(&mut self, structs: u32) -> String {
        let scalar = self.pick(&["f32", "u32", "i32", "bool", "f16"]);
        match self.below(8) {
            0 if structs > 0 => format!("@S{}", self.below(structs)),
            1 => {
                let element = self.field_type(structs);
                // Long arrays are converted in a loop; longer ones of more than scalars only take lavapipe's time.
                let most = if element.contains(['<', '@']) { 2 } else { 3 };
                let length = [1, 3, 70][self.below(most) as usize];
                format!("array<{element}, {length}>")
            }
            2 => format!("mat<{}, {}>", 2 + self.below(3), 2 + self.below(3)),
            3 => "u64".to_owned(),
            4 => scalar.to_owned(),
            _ => format!("vec<{scalar}, {}>", 2 + self.below(3)),
        }
    }

    fn copy_leaves(&mut self, structs: &[Vec<String>], ty: &str, from: &str, to: &str) {
        if let Some(index) = ty.strip_prefix("@S") {
            let fields = structs[index.parse::<usize>().unwrap_or_default()].clone();
            for (field, ty) in fields.iter().enumerate() {
                let from = self.value(&format!("ref<uniform, {ty}>"), format!("akari.member {from} {{index: {field}}}"));
                let to = self.value(&format!("ref<storage, {ty}>"), format!("akari.member {to} {{index: {field}}}"));
                self.copy_leaves(structs, ty, &from, &to);
            }
            return;
        }
        let element = ty.strip_prefix("array<").and_then(|rest| rest.strip_suffix('>')).and_then(|rest| rest.rsplit_once(", "));
        let (element, length) = match element {
            Some((element, length)) => (element.to_owned(), length.parse().unwrap_or(1)),
            None => match ty.strip_prefix("mat<").and_then(|rest| rest.strip_suffix('>')?.split_once(", ")) {
                Some((columns, rows)) => (format!("vec<f32, {rows}>"), columns.parse().unwrap_or(1)),
                None => {
                    let value = self.value(ty, format!("akari.load {from}"));
                    return self.line(format!("akari.store {to}, {value}"));
                }
            },
        };
        let index = self.below(length);
        let index = self.value("u32", format!("akari.const {{value: u32 {index}}}"));
        let from = self.value(&format!("ref<uniform, {element}>"), format!("akari.element {from}, {index}"));
        let to = self.value(&format!("ref<storage, {element}>"), format!("akari.element {to}, {index}"));
        self.copy_leaves(structs, &element, &from, &to);
    }

    fn locals(&mut self) {
        self.line("%zu: u32 = akari.const {value: u32 0}");
        self.line("%zf: f32 = akari.const {value: f32 1.5}");
        for name in ["u0", "u1"] {
            self.line(format!("%{name}: ref<function, u32> = akari.local %zu"));
        }
        for name in ["f0", "f1"] {
            self.line(format!("%{name}: ref<function, f32> = akari.local %zf"));
        }
        self.line("%zv: vec<f32, 3> = akari.splat %zf");
        self.line("%za: array<u32, 5> = akari.const {value: array<u32, 5> zero}");
        self.line("%zs: @S = akari.construct %zu, %za, %zv");
        self.line("%s: ref<function, @S> = akari.local %zs");
    }

    fn statements(&mut self, scope: Scope) {
        for _ in 0..2 + self.below(3) {
            if self.budget == 0 || self.statement(scope) {
                return;
            }
        }
    }

    /// A statement; whether nothing may follow it.
    fn statement(&mut self, scope: Scope) -> bool {
        self.budget = self.budget.saturating_sub(1);
        let nested = scope.depth < 4;
        if self.lanes && self.below(3) == 0 {
            self.ask_lanes();
            return false;
        }
        match self.below(14) {
            0 | 1 if nested => {
                let condition = self.truth(2);
                let hint = self.pick(&["none", "branch", "flatten"]);
                self.line(format!("akari.if {condition} {{hint: {hint}}} then {{"));
                self.region(Scope { depth: scope.depth + 1, ..scope });
                self.line("} otherwise {");
                if self.below(2) == 0 {
                    self.region(Scope { depth: scope.depth + 1, ..scope });
                }
                self.line("}");
            }
            2 | 3 if nested && scope.loops < 2 => self.repeat(scope),
            4 if nested => self.switch(scope),
            5 if scope.depth > 0 && scope.breaks => {
                self.line("akari.break");
                return true;
            }
            6 if scope.depth > 0 && scope.continues => {
                self.line("akari.continue");
                return true;
            }
            7 if scope.depth > 0 && scope.returns => {
                let value = self.uint(2);
                self.line(format!("akari.return {value}"));
                return true;
            }
            8 => {
                let index = self.uint(1);
                let array = self.value("ref<function, array<u32, 5>>", "akari.member %s {index: 1}");
                let place = self.value("ref<function, u32>", format!("akari.element {array}, {index}"));
                // The interpreter is not asked what an index past the end means: the emitter clamps it.
                let value = self.uint(2);
                let five = self.value("u32", "akari.const {value: u32 5}");
                let inside = self.value("bool", format!("akari.compare {index}, {five} {{predicate: lt}}"));
                self.line(format!("akari.if {inside} {{hint: none}} then {{"));
                self.indent += 1;
                self.line(format!("akari.store {place}, {value}"));
                self.indent -= 1;
                self.line("} otherwise {");
                self.line("}");
            }
            9 => {
                let vector = self.value("ref<function, vec<f32, 3>>", "akari.member %s {index: 2}");
                let value = self.vector(1);
                let two = self.value("vec<f32, 2>", format!("akari.swizzle {value} {{components: [2, 1]}}"));
                let components = self.pick(&["[0, 1]", "[2, 0]", "[1, 2]"]);
                self.line(format!("akari.store_components {vector}, {two} {{components: {components}}}"));
            }
            10 | 11 => {
                let value = self.float(3);
                let to = self.pick(&["%f0", "%f1"]);
                self.line(format!("akari.store {to}, {value}"));
            }
            _ => {
                let value = self.uint(3);
                let to = self.pick(&["%u0", "%u1"]);
                self.line(format!("akari.store {to}, {value}"));
            }
        }
        false
    }

    /// Something of all lanes that are here, into a local.
    fn ask_lanes(&mut self) {
        let to = self.pick(&["%u0", "%u1"]);
        let value = match self.below(5) {
            0 => {
                let condition = self.truth(1);
                self.value("u32", format!("akari.builtin {condition} {{function: wave_count}}"))
            }
            1 => {
                let condition = self.truth(1);
                let any = self.value("bool", format!("akari.builtin {condition} {{function: wave_any}}"));
                self.value("u32", format!("akari.convert {any}"))
            }
            2 => {
                let first = self.value("bool", "akari.builtin {function: wave_is_first}");
                self.value("u32", format!("akari.convert {first}"))
            }
            _ => {
                let value = self.uint(1);
                let function = self.pick(&["wave_sum", "wave_prefix_sum", "wave_read_first"]);
                self.value("u32", format!("akari.builtin {value} {{function: {function}}}"))
            }
        };
        let old = self.value("u32", format!("akari.load {to}"));
        let mixed = self.value("u32", format!("akari.add {old}, {value}"));
        self.line(format!("akari.store {to}, {mixed}"));
    }

    fn region(&mut self, scope: Scope) {
        self.indent += 1;
        self.statements(scope);
        self.indent -= 1;
    }

    /// A loop that ends after a few rounds whatever its body does.
    fn repeat(&mut self, scope: Scope) {
        let counter = self.value("ref<function, u32>", "akari.local %zu");
        let when = self.pick(&["before", "after"]);
        let rounds = 1 + self.below(4);
        self.line(format!("akari.loop {{when: {when}, hint: none, unroll: 0}} test {{"));
        self.indent += 1;
        let count = self.value("u32", format!("akari.load {counter}"));
        let limit = self.value("u32", format!("akari.const {{value: u32 {rounds}}}"));
        let more = self.value("bool", format!("akari.compare {count}, {limit} {{predicate: lt}}"));
        let more = if self.below(2) == 0 { self.lazily(&more) } else { more };
        self.line(format!("akari.yield {more}"));
        self.indent -= 1;
        self.line("} body {");
        if self.lanes {
            // Lanes leave the loop, or the round, and the rest ask each other.
            self.indent += 1;
            let condition = self.truth(1);
            let way = self.pick(&["akari.break", "akari.continue", "akari.continue"]);
            self.line(format!("akari.if {condition} {{hint: none}} then {{"));
            self.line(format!("  {way}"));
            self.line("} otherwise {");
            self.line("}");
            self.ask_lanes();
            self.indent -= 1;
        }
        self.region(Scope { breaks: true, continues: true, depth: scope.depth + 1, loops: scope.loops + 1, ..scope });
        self.line("} step {");
        self.indent += 1;
        let count = self.value("u32", format!("akari.load {counter}"));
        let one = self.value("u32", "akari.const {value: u32 1}");
        let next = self.value("u32", format!("akari.add {count}, {one}"));
        self.line(format!("akari.store {counter}, {next}"));
        self.indent -= 1;
        self.line("}");
    }

    fn switch(&mut self, scope: Scope) {
        let value = self.uint(1);
        let three = self.value("u32", "akari.const {value: u32 3}");
        let selector = self.value("u32", format!("akari.and {value}, {three}"));
        let default = self.pick(&["-1", "0", "1"]);
        self.line(format!("akari.switch {selector} {{labels: [0, 0, 1, 1, 3, 1], default: {default}}} cases {{"));
        let inside = Scope { breaks: true, depth: scope.depth + 1, ..scope };
        self.region(inside);
        self.line("} cases {");
        self.region(inside);
        self.line("}");
    }

    /// `%lhs && …` or `%lhs || …`, where the right side may do something; conjunctions only, so that loops end.
    fn lazily(&mut self, lhs: &str) -> String {
        self.values += 1;
        let name = format!("%t{}", self.values);
        self.line(format!("{name}: bool = akari.and_then {lhs} rhs {{"));
        self.indent += 1;
        let rhs = self.truth(1);
        self.line(format!("akari.yield {rhs}"));
        self.indent -= 1;
        self.line("}");
        name
    }

    fn truth(&mut self, depth: u32) -> String {
        let predicate = self.pick(&["eq", "ne", "lt", "le", "gt", "ge"]);
        if self.lanes && self.below(3) > 0 {
            // Some lanes of eight.
            let mask = [1, 2, 3, 6, 7][self.below(5) as usize];
            let bound = self.below(4);
            let lane = if self.inside_main { "%id" } else { "%p" };
            let turn = self.pick(&["%u0", "%u1"]);
            let turn = self.value("u32", format!("akari.load {turn}"));
            let mixed = self.value("u32", format!("akari.add {lane}, {turn}"));
            let mask = self.value("u32", format!("akari.const {{value: u32 {mask}}}"));
            let masked = self.value("u32", format!("akari.and {mixed}, {mask}"));
            let bound = self.value("u32", format!("akari.const {{value: u32 {bound}}}"));
            return self.value("bool", format!("akari.compare {masked}, {bound} {{predicate: {predicate}}}"));
        }
        match self.below(5) {
            0 if depth > 0 => {
                let lhs = self.truth(depth - 1);
                self.lazily(&lhs)
            }
            1 => {
                let (a, b) = (self.float(depth), self.float(depth));
                self.value("bool", format!("akari.compare {a}, {b} {{predicate: {predicate}}}"))
            }
            2 => {
                let (a, b) = (self.int(depth), self.int(depth));
                self.value("bool", format!("akari.compare {a}, {b} {{predicate: {predicate}}}"))
            }
            3 => {
                let a = self.float(depth);
                let test = self.pick(&["isnan", "isinf"]);
                self.value("bool", format!("akari.builtin {a} {{function: {test}}}"))
            }
            _ => {
                let (a, b) = (self.uint(depth), self.uint(depth));
                self.value("bool", format!("akari.compare {a}, {b} {{predicate: {predicate}}}"))
            }
        }
    }

    fn uint(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => {
                    let number = [0_u32, 1, 2, 5, 31, 32, 255, 0x8000_0000, 0xffff_ffff][self.below(9) as usize];
                    self.value("u32", format!("akari.const {{value: u32 {number}}}"))
                }
                1 => self.value("u32", "akari.load %u0"),
                _ => self.value("u32", "akari.load %u1"),
            };
        }
        match self.below(12) {
            0 if self.functions > 0 => {
                let callee = self.below(self.functions);
                let (argument, float) = (self.uint(depth - 1), self.float(0));
                // A whole local, or an element of one.
                let place = if self.below(2) == 0 {
                    self.pick(&["%u0", "%u1"]).to_owned()
                } else {
                    self.value("ref<function, u32>", "akari.member %s {index: 0}")
                };
                self.value("u32", format!("akari.call {argument}, {place}, {float} {{callee: @f{callee}}}"))
            }
            1 => {
                let int = self.int(depth - 1);
                self.value("u32", format!("akari.convert {int}"))
            }
            2 => {
                let condition = self.truth(depth - 1);
                self.choose("u32", &condition, depth - 1, Self::uint)
            }
            3 => {
                let (a, b, c) = (self.uint(depth - 1), self.uint(0), self.uint(0));
                self.value("u32", format!("akari.builtin {a}, {b}, {c} {{function: extract_bits}}"))
            }
            4 => {
                let a = self.uint(depth - 1);
                let function = self.pick(&["countbits", "firstbitlow", "firstbithigh", "reversebits"]);
                self.value("u32", format!("akari.builtin {a} {{function: {function}}}"))
            }
            5 => {
                let (a, b) = (self.uint(depth - 1), self.uint(depth - 1));
                let function = self.pick(&["min", "max"]);
                self.value("u32", format!("akari.builtin {a}, {b} {{function: {function}}}"))
            }
            6 => self.non_zero_quotient("u32", depth, Self::uint),
            7 => {
                let three = self.value("u32", "akari.const {value: u32 3}");
                let (a, mask) = (self.uint(depth - 1), three);
                let index = self.value("u32", format!("akari.and {a}, {mask}"));
                let array = self.value("ref<function, array<u32, 5>>", "akari.member %s {index: 1}");
                let whole = self.value("array<u32, 5>", format!("akari.load {array}"));
                self.value("u32", format!("akari.index {whole}, {index}"))
            }
            _ => {
                let (a, b) = (self.uint(depth - 1), self.uint(depth - 1));
                let op = self.pick(&["add", "sub", "mul", "and", "or", "xor", "shl", "shr"]);
                self.value("u32", format!("akari.{op} {a}, {b}"))
            }
        }
    }

    /// Division by zero gives any value, so the two ways need not agree on it.
    fn non_zero_quotient(&mut self, ty: &str, depth: u32, operand: fn(&mut Self, u32) -> String) -> String {
        let (a, b) = (operand(self, depth - 1), operand(self, depth - 1));
        let one = self.value(ty, format!("akari.const {{value: {ty} 1}}"));
        let odd = self.value(ty, format!("akari.or {b}, {one}"));
        let op = self.pick(&["div", "rem"]);
        self.value(ty, format!("akari.{op} {a}, {odd}"))
    }

    fn int(&mut self, depth: u32) -> String {
        if depth == 0 {
            let number = self.pick(&["0", "1", "-1", "-2147483648", "2147483647", "-7", "100"]);
            return self.value("i32", format!("akari.const {{value: i32 {number}}}"));
        }
        match self.below(6) {
            0 => {
                let value = self.uint(depth - 1);
                self.value("i32", format!("akari.convert {value}"))
            }
            1 => {
                let value = self.int(depth - 1);
                self.value("i32", format!("akari.neg {value}"))
            }
            2 => self.non_zero_quotient("i32", depth, Self::int),
            3 => {
                let value = self.int(depth - 1);
                let function = self.pick(&["abs", "sign"]);
                self.value("i32", format!("akari.builtin {value} {{function: {function}}}"))
            }
            _ => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let op = self.pick(&["add", "sub", "mul", "and", "or", "xor", "shl", "shr"]);
                self.value("i32", format!("akari.{op} {a}, {b}"))
            }
        }
    }

    fn choose(&mut self, ty: &str, condition: &str, depth: u32, arm: fn(&mut Self, u32) -> String) -> String {
        self.values += 1;
        let name = format!("%t{}", self.values);
        self.line(format!("{name}: {ty} = akari.cond {condition} then {{"));
        for between in ["} otherwise {", "}"] {
            self.indent += 1;
            let value = arm(self, depth);
            self.line(format!("akari.yield {value}"));
            self.indent -= 1;
            self.line(between);
        }
        name
    }

    fn float(&mut self, depth: u32) -> String {
        if depth == 0 {
            return match self.below(3) {
                0 => {
                    let number = self.pick(&["0.0", "1.0", "-1.0", "0.5", "3.25", "-1000.0", "16777216.0"]);
                    self.value("f32", format!("akari.const {{value: f32 {number}}}"))
                }
                1 => self.value("f32", "akari.load %f0"),
                _ => self.value("f32", "akari.load %f1"),
            };
        }
        match self.below(9) {
            0 => {
                let value = self.uint(depth - 1);
                self.value("f32", format!("akari.convert {value}"))
            }
            1 => {
                let condition = self.truth(depth - 1);
                self.choose("f32", &condition, depth - 1, Self::float)
            }
            2 => {
                let value = self.float(depth - 1);
                let function = self.pick(&["floor", "ceil", "round", "trunc", "abs", "fract", "saturate"]);
                self.value("f32", format!("akari.builtin {value} {{function: {function}}}"))
            }
            3 => {
                let (a, b) = (self.float(depth - 1), self.float(depth - 1));
                let function = self.pick(&["min", "max", "step"]);
                self.value("f32", format!("akari.builtin {a}, {b} {{function: {function}}}"))
            }
            4 => {
                let (a, b, c) = (self.float(depth - 1), self.float(0), self.float(0));
                let function = self.pick(&["mix", "min3", "max3", "median3"]);
                self.value("f32", format!("akari.builtin {a}, {b}, {c} {{function: {function}}}"))
            }
            5 => {
                let vector = self.vector(depth - 1);
                self.value("f32", format!("akari.extract {vector} {{index: 1}}"))
            }
            _ => {
                let (a, b) = (self.float(depth - 1), self.float(depth - 1));
                let op = self.pick(&["add", "sub", "mul"]);
                self.value("f32", format!("akari.{op} {a}, {b}"))
            }
        }
    }

    fn vector(&mut self, depth: u32) -> String {
        match self.below(3) {
            0 => {
                let place = self.value("ref<function, vec<f32, 3>>", "akari.member %s {index: 2}");
                self.value("vec<f32, 3>", format!("akari.load {place}"))
            }
            1 if depth > 0 => {
                let (a, b) = (self.vector(depth - 1), self.float(0));
                let op = self.pick(&["add", "sub", "mul"]);
                self.value("vec<f32, 3>", format!("akari.{op} {b}, {a}"))
            }
            _ => {
                let (a, b, c) = (self.float(depth), self.float(0), self.float(0));
                self.value("vec<f32, 3>", format!("akari.construct {a}, {b}, {c}"))
            }
        }
    }
}
