//! Random programs whose result every backend must agree on.
//!
//! A program reads buffers of arbitrary contents and leaves its results in others; [`Generated::outputs`] says what lies in these. Nothing in it
//! has a result that a target may choose: see `expressions` and `statements`.

mod choice;
mod compare;
mod composites;
mod expressions;
mod functions;
mod groups;
mod names;
pub mod random;
mod rays;
mod reduce;
mod scope;
mod statements;
pub mod templates;
mod types;

pub use compare::differences;
pub use names::{ITEMS, LOCALS};
pub use rays::rays;
pub use reduce::reduce;
pub use types::{Leaf, Scalar};

use functions::Function;
use groups::{Pool, TileFunction};
use names::Names;
use random::Random;
use scope::{Kind, Scopes, Variable};
use statements::Around;
use types::{FLOAT, INT, Struct, Type, Types, UINT, UINT64};

/// A program with its header.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The text of an `.akari` file, with the header of a numeric case.
    pub text: String,
    /// The buffers that hold results.
    pub outputs: Vec<Output>,
}

/// What lies in a buffer.
#[derive(Clone, Debug)]
pub struct Output {
    /// The name that it is bound by.
    pub name: String,
    /// Bytes of an element.
    pub stride: usize,
    /// The scalars of an element. What lies between them keeps its bytes, but in Metal and where DXC compiles.
    pub leaves: Vec<Leaf>,
}

impl Output {
    /// A buffer of scalars.
    #[must_use]
    pub fn plain(name: &str, scalar: Scalar, ulps: u32) -> Self {
        Self { name: format!("io.{name}"), stride: scalar.bytes(), leaves: vec![Leaf { offset: 0, scalar, ulps }] }
    }
}

/// The buffers of results that every program has: of each thread `RESULTS` elements. Vulkan lets a quotient be 2.5 units in the last place
/// from the right one.
pub const PLAIN: [(&str, Scalar, u32); 5] = [
    ("words", Scalar::Uint, 0),
    ("floats", Scalar::Float, 0),
    ("longs", Scalar::Uint64, 0),
    ("quotients", Scalar::Float, 3),
    ("halves", Scalar::Half, 3),
];

/// Threads of a group, which are one wave.
const THREADS: usize = 8;
const GROUPS: usize = 2;
/// Elements that a thread may write in each of the plain output buffers.
const RESULTS: usize = 8;

/// Rows of the storage textures, of which each thread has a column.
const IMAGE_ROWS: usize = 3;
/// Storage textures in their array.
const IMAGES: usize = 2;

/// The program of that seed.
#[must_use]
pub fn generate(seed: u64) -> Generated {
    let random = Random::new(seed);
    let program = Program {
        random,
        types: Types::default(),
        names: Names::default(),
        scopes: Scopes::default(),
        functions: Vec::new(),
        tile_functions: Vec::new(),
        pools: Vec::new(),
        some_types: Vec::new(),
        text: String::new(),
        bits: String::new(),
        divisor: String::new(),
        half_divisor: String::new(),
        indent: 0,
        nodes: 0,
        budget: 0,
        pure: 0,
        fuels: 0,
        tiles: 0,
        waves: false,
        in_entry: false,
    };
    program.finish()
}

/// A program being made up.
struct Program {
    random: Random,
    types: Types,
    names: Names,
    scopes: Scopes,
    functions: Vec<Function>,
    tile_functions: Vec<TileFunction>,
    /// The groupshared arrays that atomics may change now.
    pools: Vec<Pool>,
    /// The types that variables have.
    some_types: Vec<Type>,
    text: String,
    /// The function that gives the bits of a float where they are known.
    bits: String,
    /// The functions that give a number to divide by.
    divisor: String,
    half_divisor: String,
    indent: usize,
    /// Expressions in the statement so far.
    nodes: usize,
    /// Statements that may still open a block.
    budget: usize,
    /// Above 0, expressions have no effects.
    pure: usize,
    fuels: usize,
    tiles: usize,
    /// Whether lanes ask each other.
    waves: bool,
    in_entry: bool,
}

impl Program {
    fn some_type(&mut self) -> Type {
        self.some_types[self.random.below(self.some_types.len())].clone()
    }

    /// A statement that leaves something behind.
    fn effect(&mut self) {
        self.nodes = 0;
        if self.random.chance(25) && self.atomic() {
            return;
        }
        if !self.in_entry {
            let ty = self.some_type();
            let value = self.expression(&ty, 3);
            return self.line(format!("let _ = {value};"));
        }
        if self.random.chance(12) {
            let (image, row, value) = (self.texture_index(IMAGES, 2), self.random.below(IMAGE_ROWS), self.word(3));
            return self.line(format!("images[{image}].store(uint2(id, {row}u), {value});"));
        }
        let slot = self.random.below(RESULTS);
        let (buffer, value) = match self.random.below(7) {
            0 | 1 => ("floats", self.expression(&FLOAT, 3)),
            2 => ("longs", self.expression(&UINT64, 3)),
            3 => ("quotients", self.quotient()),
            4 => ("halves", self.half_quotient()),
            _ => ("words", self.word(3)),
        };
        self.line(format!("{buffer}[id * {RESULTS}u + {slot}u] = {value};"));
    }

    fn value_type(&mut self, depth: usize) -> Type {
        match self.random.below(16) {
            0..=5 => Type::Scalar(self.random.pick(&[
                Scalar::Bool,
                Scalar::Int,
                Scalar::Uint,
                Scalar::Uint64,
                Scalar::Float,
                Scalar::Half,
            ])),
            6..=9 => {
                let scalar = self.random.pick(&[
                    Scalar::Bool,
                    Scalar::Int,
                    Scalar::Uint,
                    Scalar::Float,
                    Scalar::Float,
                    Scalar::Half,
                ]);
                Type::Vector(scalar, 2 + self.random.below(3))
            }
            10 => Type::Matrix(2 + self.random.below(3), 2 + self.random.below(3)),
            // Long ones are copied in a loop.
            11 if depth == 2 && self.random.chance(15) => {
                Type::Array(Box::new(Type::Scalar(self.random.pick(&Scalar::NUMBERS))), 70)
            }
            11 | 12 if depth > 0 => {
                let mut element = self.value_type(depth - 1);
                // DXC forgets the order and the stride of matrices in arrays of arrays in buffers.
                if matches!(&element, Type::Array(inner, _) if matches!(**inner, Type::Matrix(..) | Type::Array(..))) {
                    element = FLOAT;
                }
                Type::Array(Box::new(element), 1 + self.random.below(4))
            }
            13 if !self.types.structs.is_empty() => Type::Struct(self.random.below(self.types.structs.len())),
            14 => Type::Enum,
            15 => Type::Bitfield,
            _ => FLOAT,
        }
    }

    fn declare_types(&mut self) {
        self.types.enumeration = self.names.item(&mut self.random);
        let cases: Vec<String> = (0..3).map(|_| self.names.item(&mut self.random)).collect();
        let name = self.types.enumeration.clone();
        self.line(format!("enum {name}: uint {{"));
        for (index, case) in cases.iter().enumerate() {
            if index == 2 { self.line(format!("    {case} = 0x80000001u,")) } else { self.line(format!("    {case},")) }
        }
        self.line("}\n");
        self.types.cases = cases;
        self.types.bitfield = self.names.item(&mut self.random);
        let name = self.types.bitfield.clone();
        self.line(format!("bitfield {name}: uint {{"));
        let mut rest = 32;
        for _ in 0..1 + self.random.below(4) {
            if rest > 0 {
                let width = if self.random.chance(20) { rest } else { 1 + self.random.below(rest) };
                rest -= width;
                let taken: Vec<_> = self.types.bits.iter().map(|(name, _)| name.clone()).collect();
                let field = Names::local(&mut self.random, &taken);
                self.line(format!("    {field}: {width},"));
                self.types.bits.push((field, width as u32));
            }
        }
        self.line("}\n");
        for _ in 0..2 + self.random.below(3) {
            let packed = self.random.chance(20);
            let mut fields: Vec<(String, Type)> = Vec::new();
            for _ in 0..1 + self.random.below(5) {
                let taken: Vec<_> = fields.iter().map(|(name, _)| name.clone()).collect();
                let field = Names::local(&mut self.random, &taken);
                let ty = self.value_type(2);
                fields.push((field, ty));
            }
            let name = self.names.item(&mut self.random);
            if packed {
                self.line("@packed");
            }
            self.line(format!("struct {name} {{"));
            for (field, ty) in &fields {
                let ty = self.types.name(ty);
                self.line(format!("    {field}: {ty};"));
            }
            self.line("}\n");
            self.types.structs.push(Struct { name, fields });
        }
    }

    fn finish(mut self) -> Generated {
        self.line("#shader fuzz\n");
        self.declare_types();
        self.bits = self.names.item(&mut self.random);
        let bits = self.bits.clone();
        self.line(format!("fn {bits}(x: float) -> uint {{"));
        self.line("    return isnan(x) || abs(x) < 1e-37 ? 5u : as_uint(x) >> 12u;");
        self.line("}\n");
        self.divisor = self.names.item(&mut self.random);
        self.half_divisor = self.names.item(&mut self.random);
        for (name, ty, low, high, other) in [
            (self.divisor.clone(), "float", "1e-15", "1e15", "3.0"),
            (self.half_divisor.clone(), "half", "0.01h", "100.0h", "3.0h"),
        ] {
            self.line(format!("fn {name}(x: {ty}) -> {ty} {{"));
            self.line(format!("    return abs(x) > {low} && abs(x) < {high} ? x : {other};"));
            self.line("}\n");
        }
        self.waves = self.random.chance(60);
        self.some_types =
            vec![Type::Scalar(Scalar::Bool), INT, UINT, FLOAT, UINT, FLOAT, Type::Vector(Scalar::Float, 3)];
        for _ in 0..6 {
            let ty = self.value_type(2);
            self.some_types.push(ty);
        }
        let last = self.types.structs.len() - 1;
        self.some_types.push(Type::Struct(last));
        self.scopes.enter();
        for index in 0..self.random.below(4) {
            // The first is a table more often than not.
            let mut ty = self.some_type();
            if index == 0 && self.random.chance(70) && !matches!(ty, Type::Array(..)) {
                ty = Type::Array(Box::new(ty), 2 + self.random.below(4));
            }
            let value = self.constant(&ty);
            let name = self.names.item(&mut self.random);
            self.line(format!("const {name}: {} = {value};\n", self.types.name(&ty)));
            self.scopes.declare(Variable { name, ty, mutable: false, kind: Kind::Local });
        }
        let resources = self.resources();
        for _ in 0..1 + self.random.below(5) {
            self.function(&resources);
        }
        for _ in 0..self.random.below(3) {
            self.tile_function();
        }
        self.entry(&resources);
        self.with_header(&resources)
    }

    /// The resources, and their types in a parameter list.
    fn resources(&mut self) -> Vec<(Variable, String)> {
        let last = self.types.structs.len();
        let mut made = Vec::new();
        let own = Type::Struct(self.random.below(last));
        let rows = if self.random.chance(70) { Type::Struct(self.random.below(last)) } else { self.value_type(1) };
        let frame = Type::Struct(self.random.below(last));
        for (name, ty, mutable, kind, wrapper) in [
            ("frame", frame, false, Kind::Local, "Uniform"),
            ("rows", rows, false, Kind::Buffer(4), "Buf"),
            ("own", own, true, Kind::Own, "RwBuf"),
            ("ins", UINT, false, Kind::Buffer(16), "Buf"),
            ("infs", FLOAT, false, Kind::Buffer(16), "Buf"),
        ] {
            let spelled = format!("{wrapper}<{}>", self.types.name(&ty));
            made.push((Variable { name: name.to_owned(), ty, mutable, kind }, spelled));
        }
        let length = 1 + self.random.below(4);
        let maps = Variable { name: "maps".to_owned(), ty: UINT, mutable: false, kind: Kind::Textures(length) };
        made.push((maps, format!("Tex2D<uint>[{length}]")));
        made
    }

    fn entry(&mut self, resources: &[(Variable, String)]) {
        self.scopes.enter();
        let name = self.random.pick(&["main", "run", "kernel", "compute", "fragment", "entry_point", "a__main"]);
        self.line(format!("@compute(threads = ({THREADS}, 1, 1))"));
        self.line(format!("fn {name}("));
        self.line("    @dispatch_id id: uint,");
        self.line("    @local_index lane: uint,");
        for (variable, ty) in resources {
            self.line(format!("    @bind(io.{}) {}: {ty},", variable.name, variable.name));
            self.scopes.declare(variable.clone());
        }
        let frame = self.types.name(&resources[0].0.ty);
        self.line(format!("    @bind(io.copies) copies: RwBuf<{frame}>,"));
        self.line("    @bind(io.counts) counts: AtomicBuf<uint>,");
        self.line(format!("    @bind(io.images) images: RwTex2D<r32u>[{IMAGES}],"));
        self.line("    @bind(io.words) words: RwBuf<uint>,");
        self.line("    @bind(io.floats) floats: RwBuf<float>,");
        self.line("    @bind(io.longs) longs: RwBuf<uint64>,");
        self.line("    @bind(io.quotients) quotients: RwBuf<float>,");
        self.line("    @bind(io.halves) halves: RwBuf<half>,");
        self.line(") {");
        for (name, ty) in [("id", UINT), ("lane", UINT)] {
            self.scopes.declare(Variable { name: name.to_owned(), ty, mutable: false, kind: Kind::Local });
        }
        let images = Kind::Images(IMAGES);
        self.scopes.declare(Variable { name: "images".to_owned(), ty: UINT, mutable: false, kind: images });
        for name in ["copies", "counts", "words", "floats", "longs", "quotients", "halves"] {
            self.scopes.declare(Variable { name: name.to_owned(), ty: UINT, mutable: false, kind: Kind::Reserved });
        }
        self.in_entry = true;
        self.indent = 1;
        self.scopes.enter();
        self.budget = 14;
        if let Some((frame, _)) = resources.first()
            && self.random.chance(40)
        {
            let name = self.new_name();
            self.line(format!("var {name}: {} = frame;", self.types.name(&frame.ty)));
            self.scopes.declare(Variable { name, ty: frame.ty.clone(), mutable: true, kind: Kind::Local });
        }
        let around = Around::default();
        for _ in 0..1 + self.random.below(3) {
            for _ in 0..2 + self.random.below(4) {
                self.statement(&around);
            }
            if self.random.chance(50) {
                self.together(&around);
            }
        }
        let around = Around { returns: Some(None), ..Around::default() };
        for _ in 0..self.random.below(5) {
            self.statement(&around);
        }
        // What became of the variables.
        for slot in 0..RESULTS {
            self.nodes = 0;
            let (word, float, long) = (self.word(1), self.expression(&FLOAT, 1), self.expression(&UINT64, 1));
            self.line(format!("words[id * {RESULTS}u + {slot}u] += {word};"));
            self.line(format!("floats[id * {RESULTS}u + {slot}u] += {float};"));
            self.line(format!("longs[id * {RESULTS}u + {slot}u] ^= {long};"));
        }
        self.line("if (id == 0u) {");
        self.line("    copies[0] = frame;");
        self.copy_parts("", &resources[0].0.ty);
        self.line("}");
        self.scopes.leave();
        self.indent = 0;
        self.line("}");
    }

    /// Copies the parts of the uniform buffer one by one, of each array one element.
    fn copy_parts(&mut self, path: &str, ty: &Type) {
        match ty {
            Type::Struct(number) => {
                for (name, ty) in self.types.structs[*number].fields.clone() {
                    self.copy_parts(&format!("{path}.{name}"), &ty);
                }
            }
            Type::Array(element, length) => {
                let index = self.random.below(*length);
                self.copy_parts(&format!("{path}[{index}]"), element);
            }
            Type::Matrix(columns, _) => {
                let index = self.random.below(*columns);
                self.line(format!("    copies[1]{path}[{index}] = frame{path}[{index}];"));
            }
            Type::Scalar(_) | Type::Vector(..) | Type::Enum | Type::Bitfield => {
                self.line(format!("    copies[1]{path} = frame{path};"));
            }
        }
    }

    fn with_header(mut self, resources: &[(Variable, String)]) -> Generated {
        use std::fmt::Write as _;
        let mut header = format!("//! from the other ways to run it\n//! run compute {GROUPS} 1 1\n");
        let threads = THREADS * GROUPS;
        let mut outputs = Vec::new();
        for (variable, _) in resources {
            if let Kind::Textures(length) = variable.kind {
                for index in 0..length {
                    let (a, b) = (10 + 7 * index, self.random.pick(&[0, 1, 0xFFFF_FFFF_u32]));
                    let _ = writeln!(header, "//! texture io.{}[{index}] : r32u 2x1 = {a} {b}", variable.name);
                }
            }
        }
        for index in 0..IMAGES {
            let _ = writeln!(header, "//! texture io.images[{index}] : r32u {threads}x{IMAGE_ROWS} = zero");
            outputs.push(Output::plain(&format!("images[{index}]"), Scalar::Uint, 0));
        }
        let mut buffer = |name: &str, words: &[u32]| {
            let words: Vec<_> = words.iter().map(u32::to_string).collect();
            let _ = writeln!(header, "//! buffer io.{name} : u32 = {}", words.join(" "));
        };
        for (variable, _) in resources {
            let bytes = match variable.kind {
                Kind::Textures(_) | Kind::Texture | Kind::Images(_) => continue,
                Kind::Local => self.types.uniform_bound(&variable.ty),
                Kind::Buffer(length) => self.types.size(&variable.ty) * length,
                Kind::Own => self.types.size(&variable.ty) * 2 * threads,
                Kind::Reserved => 0,
            };
            let words: Vec<u32> = match variable.name.as_str() {
                "ins" => vec![
                    0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x3F80_0000, 100,
                ],
                "infs" => [
                    0.0,
                    1.0,
                    -1.0,
                    0.5,
                    1.5,
                    2.5,
                    -2.5,
                    3.0,
                    1e10,
                    -1e10,
                    0.1,
                    f32::INFINITY,
                    f32::NAN,
                    255.0,
                    1e-3,
                    65504.0,
                ]
                .map(f32::to_bits)
                .to_vec(),
                _ => (0..bytes.div_ceil(4)).map(|_| self.benign()).collect(),
            };
            buffer(&variable.name, &words);
            if variable.kind == Kind::Own {
                let mut leaves = Vec::new();
                let stride = self.types.place(&variable.ty, 0, &mut leaves);
                outputs.push(Output { name: format!("io.{}", variable.name), stride, leaves });
            }
        }
        let mut leaves = Vec::new();
        let stride = self.types.place(&resources[0].0.ty, 0, &mut leaves);
        buffer("copies", &vec![0xDEAD_BEEF; (2 * stride).div_ceil(4)]);
        outputs.push(Output { name: "io.copies".to_owned(), stride, leaves });
        buffer("counts", &[0, 5, 100, 0xFFFF_FFFF, 0, 0xFFFF_FFFF, 0, 3]);
        let zeros = vec![0; threads * RESULTS * 2];
        for (name, scalar, ulps) in PLAIN {
            buffer(name, &zeros[..threads * RESULTS * scalar.bytes() / 4]);
            outputs.push(Output::plain(name, scalar, ulps));
        }
        outputs.push(Output::plain("counts", Scalar::Uint, 0));
        let _ = writeln!(header, "//! expect io.words : u32 = _ x {}", threads * RESULTS);
        Generated { text: format!("{header}{}", self.text), outputs }
    }

    /// A word that is no NaN and no denormal, neither as a float nor as two halves.
    fn benign(&mut self) -> u32 {
        if self.random.chance(25) {
            return 0;
        }
        let mut half = || (0x3C00 + self.random.below(0x1000) as u32) | if self.random.chance(50) { 0x8000 } else { 0 };
        half() | half() << 16
    }
}
