//! Expressions whose value every backend must agree on: no lossy conversion out of range, no index outside, no division by zero, no
//! builtin that a target may compute in its own way.

use super::choice::Row;
use super::scope::{Kind, Variable, holds};
use super::types::{BOOL, FLOAT, INT, Scalar, Type, UINT, UINT64};
use super::{IMAGE_ROWS, Program};

/// What a place is wanted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
    /// For `inout`: no buffer element.
    Borrow,
}

/// A number, or a vector of them, that is wanted.
struct Number {
    scalar: Scalar,
    width: Option<usize>,
    ty: Type,
    depth: usize,
}

const ALWAYS: fn(&Program, &Number) -> bool = |_, _| true;
const INTEGER: fn(&Program, &Number) -> bool = |_, number| number.scalar.is_integer();

const NUMBERS: &[Row<Number, String>] = &[
    Row(2, ALWAYS, |program, number| program.builtin(number.scalar, &number.ty, number.depth)),
    Row(2, ALWAYS, |program, number| program.conversion(number.scalar, number.width, number.depth)),
    Row(1, |program, number| number.width.is_none() && program.pure == 0, |program, number| program.step(number)),
    Row(1, ALWAYS, |program, number| format!("(-{})", program.expression(&number.ty, number.depth))),
    Row(1, INTEGER, |program, number| format!("(~{})", program.expression(&number.ty, number.depth))),
    Row(1, INTEGER, |program, number| program.shift(number)),
    Row(1, INTEGER, |program, number| program.integer_quotient(number)),
    Row(1, |_, number| number.scalar.is_float(), |program, number| program.exact_quotient(number)),
    Row(6, ALWAYS, |program, number| program.sum_or_product(number)),
];

/// An expression that is wanted.
struct Wanted {
    ty: Type,
    depth: usize,
}

const EXPRESSIONS: &[Row<Wanted, String>] = &[
    Row(4, |_, _| true, |program, wanted| program.leaf(&wanted.ty)),
    Row(1, |program, _| program.waves, |program, wanted| program.ask(&wanted.ty, wanted.depth)),
    Row(2, |_, _| true, |program, wanted| program.conditional(&wanted.ty, wanted.depth)),
    Row(
        4,
        |_, _| true,
        |program, wanted| match program.call(&wanted.ty, wanted.depth) {
            Some(call) => call,
            None => program.of_type(&wanted.ty, wanted.depth),
        },
    ),
    Row(
        2,
        |_, _| true,
        |program, wanted| match program.place(&wanted.ty, Use::Read, wanted.depth) {
            Some(place) => place,
            None => program.of_type(&wanted.ty, wanted.depth),
        },
    ),
    Row(16, |_, _| true, |program, wanted| program.of_type(&wanted.ty, wanted.depth)),
];

impl Program {
    /// Whether there is room for another composite expression.
    fn room(&mut self, depth: usize) -> bool {
        self.nodes += 1;
        depth > 0 && self.nodes < 60
    }

    pub(super) fn expression(&mut self, ty: &Type, depth: usize) -> String {
        if !self.room(depth) {
            return self.leaf(ty);
        }
        self.choose(EXPRESSIONS, &Wanted { ty: ty.clone(), depth: depth - 1 })
    }

    fn conditional(&mut self, ty: &Type, depth: usize) -> String {
        let (condition, yes, no) =
            (self.expression(&BOOL, depth), self.expression(ty, depth), self.expression(ty, depth));
        format!("({condition} ? {yes} : {no})")
    }

    fn of_type(&mut self, ty: &Type, depth: usize) -> String {
        match ty {
            Type::Scalar(Scalar::Bool) => self.truth(depth),
            Type::Scalar(scalar) => self.number(*scalar, None, depth),
            Type::Vector(Scalar::Bool, width) => self.truths(*width, depth),
            Type::Vector(scalar, width) => self.vector(*scalar, *width, depth),
            Type::Matrix(columns, rows) => self.matrix(*columns, *rows, depth),
            Type::Array(..) | Type::Struct(_) | Type::Bitfield => self.composite(ty, depth),
            Type::Enum => {
                let value = self.expression(&UINT, depth);
                format!("({value} as {})", self.types.enumeration)
            }
        }
    }

    /// Something short.
    pub(super) fn leaf(&mut self, ty: &Type) -> String {
        if self.random.chance(75)
            && let Some(place) = self.place(ty, Use::Read, 0)
        {
            return place;
        }
        self.constant(ty)
    }

    /// A constant expression.
    pub(super) fn constant(&mut self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => self.literal(*scalar),
            Type::Vector(scalar, width) => {
                let parts: Vec<_> = (0..*width).map(|_| self.literal(*scalar)).collect();
                let name = self.types.name(ty);
                if self.random.chance(40) {
                    format!("{name}({})", parts[0])
                } else {
                    format!("{name}({})", parts.join(", "))
                }
            }
            Type::Matrix(columns, rows) => {
                let parts: Vec<_> = (0..columns * rows).map(|_| self.literal(Scalar::Float)).collect();
                format!("{}({})", self.types.name(ty), parts.join(", "))
            }
            Type::Array(element, length) => {
                if self.random.chance(40) || *length > 8 {
                    format!("[{}; {length}]", self.constant(element))
                } else {
                    let parts: Vec<_> = (0..*length).map(|_| self.constant(element)).collect();
                    format!("[{}]", parts.join(", "))
                }
            }
            Type::Struct(number) => {
                let structure = self.types.structs[*number].clone();
                let mut fields = Vec::new();
                for (name, ty) in &structure.fields {
                    if self.random.chance(70) {
                        fields.push(format!("{name}: {}", self.constant(ty)));
                    }
                }
                fields.push("..".to_owned());
                format!("{} {{ {} }}", structure.name, fields.join(", "))
            }
            Type::Enum => {
                let cases = self.types.cases.clone();
                let case = &cases[self.random.below(cases.len())];
                format!("{}.{case}", self.types.enumeration)
            }
            Type::Bitfield => {
                let (name, _) = self.types.bits[0].clone();
                let value = self.literal(Scalar::Uint);
                format!("{} {{ {name}: {value}, .. }}", self.types.bitfield)
            }
        }
    }

    fn literal(&mut self, scalar: Scalar) -> String {
        let from: &[&str] = match scalar {
            Scalar::Bool => &["true", "false"],
            Scalar::Int => &[
                "int(0)", "int(1)", "int(2)", "int(7)", "int(31)", "int(100)", "int(-1)", "int(-7)",
                "int(-2147483648)", "int(2147483647)", "int(0x55AA)",
            ],
            Scalar::Uint => &[
                "0u", "1u", "2u", "3u", "31u", "32u", "255u", "0x7FFFFFFFu", "0x80000000u", "0xFFFFFFFFu",
                "0xABCD1234u",
            ],
            Scalar::Uint64 => &[
                "0ul", "1ul", "3ul", "63ul", "0xFFFFFFFFul", "0x100000000ul", "0xFFFFFFFFFFFFFFFFul",
                "0x8000000000000000ul", "0x123456789ABCDEFul",
            ],
            Scalar::Float => &[
                "0.0", "1.0", "2.0", "(-1.0)", "0.5", "(-3.25)", "0.1", "1000.0", "float(16777216.0)", "float(-1e10)",
                "0.0078125",
            ],
            Scalar::Half => &["0.0h", "1.0h", "(-1.0h)", "0.5h", "3.25h", "0.1h", "1000.0h", "(-2048.0h)"],
        };
        self.random.pick(from).to_owned()
    }

    /// A part of a visible variable.
    pub(super) fn place(&mut self, ty: &Type, wanted: Use, depth: usize) -> Option<String> {
        self.place_outside(ty, wanted, depth, &[])
    }

    /// A part of a visible variable that is none of `not`. Its text is the last that may have an effect.
    pub(super) fn place_outside(&mut self, ty: &Type, wanted: Use, depth: usize, not: &[String]) -> Option<String> {
        let types = self.types.clone();
        let variable = self.scopes.variable(&mut self.random, |variable| {
            (wanted == Use::Read || variable.mutable)
                && (wanted != Use::Borrow || variable.kind == Kind::Local)
                && !not.contains(&variable.name)
                // What a uniform buffer holds cannot be borrowed.
                && !(variable.name == "frame" && wanted == Use::Borrow)
                && holds(&types, &variable.ty, ty, wanted == Use::Borrow)
        })?;
        let start = self.whole(&variable, depth);
        Some(self.part(start, &variable.ty, ty, wanted, depth))
    }

    /// The whole of a variable.
    fn whole(&mut self, variable: &Variable, depth: usize) -> String {
        match variable.kind {
            Kind::Local | Kind::Reserved => variable.name.clone(),
            Kind::Buffer(length) => {
                let index = self.index(length, depth);
                format!("{}[{index}]", variable.name)
            }
            Kind::Textures(_) | Kind::Texture => {
                let texture = self.texture(variable, depth);
                let texel = self.index(2, depth);
                format!("{texture}.load(uint2({texel}, 0u)).x")
            }
            Kind::Images(length) => {
                let index = self.texture_index(length, depth);
                format!("{}[{index}].load(uint2(id, {}u))", variable.name, self.random.below(IMAGE_ROWS))
            }
            Kind::Own => {
                let which = if depth == 0 { self.leaf(&UINT) } else { self.expression(&UINT, depth - 1) };
                format!("{}[id * 2u + ({which} & 1u)]", variable.name)
            }
        }
    }

    /// A texture, or one of an array of them.
    pub(super) fn texture(&mut self, variable: &Variable, depth: usize) -> String {
        match variable.kind {
            Kind::Textures(length) => format!("{}[{}]", variable.name, self.texture_index(length, depth)),
            _ => variable.name.clone(),
        }
    }

    /// The index of a texture in an array, perhaps beyond it, where the last is meant.
    pub(super) fn texture_index(&mut self, length: usize, depth: usize) -> String {
        // What is seen to be constant must be within.
        let ty = if self.random.chance(50) { UINT } else { INT };
        let any = if self.random.chance(40) { self.place(&ty, Use::Write, depth) } else { None };
        any.unwrap_or_else(|| self.index(length, depth))
    }

    /// A way from `text`, which is of type `outer`, to a part of type `inner`.
    fn part(&mut self, text: String, outer: &Type, inner: &Type, wanted: Use, depth: usize) -> String {
        if outer == inner {
            return text;
        }
        match outer {
            Type::Vector(_, width) => match inner {
                Type::Vector(_, narrow) => {
                    let components = self.components(*width, *narrow, wanted != Use::Read);
                    format!("{text}.{components}")
                }
                _ if self.random.chance(50) => {
                    let index = self.index(*width, depth);
                    format!("{text}[{index}]")
                }
                _ => format!("{text}.{}", self.components(*width, 1, true)),
            },
            Type::Matrix(columns, rows) => {
                let index = self.index(*columns, depth);
                self.part(format!("{text}[{index}]"), &Type::Vector(Scalar::Float, *rows), inner, wanted, depth)
            }
            Type::Array(element, length) => {
                let index = self.index(*length, depth);
                self.part(format!("{text}[{index}]"), element, inner, wanted, depth)
            }
            Type::Struct(number) => {
                let types = self.types.clone();
                let fields: Vec<_> = types.structs[*number]
                    .fields
                    .iter()
                    .filter(|(_, field)| holds(&types, field, inner, wanted == Use::Borrow))
                    .collect();
                let (name, field) = fields[self.random.below(fields.len())];
                self.part(format!("{text}.{name}"), field, inner, wanted, depth)
            }
            Type::Scalar(_) | Type::Enum | Type::Bitfield => text,
        }
    }

    pub(super) fn components(&mut self, width: usize, count: usize, distinct: bool) -> String {
        let set = self.random.pick(&["xyzw", "rgba"]);
        let mut chosen = String::new();
        while chosen.len() < count {
            let component = set.as_bytes()[self.random.below(width)] as char;
            if !(distinct && chosen.contains(component)) {
                chosen.push(component);
            }
        }
        chosen
    }

    /// An index below `length`.
    pub(super) fn index(&mut self, length: usize, depth: usize) -> String {
        if depth == 0 && self.random.chance(60) || self.random.chance(25) {
            let index = self.random.below(length);
            return if self.random.chance(50) { index.to_string() } else { format!("{index}u") };
        }
        let value = if depth == 0 { self.leaf(&UINT) } else { self.expression(&UINT, depth - 1) };
        if length.is_power_of_two() {
            if self.random.chance(30) {
                return format!("int({value} & {}u)", length - 1);
            }
            return format!("({value} & {}u)", length - 1);
        }
        format!("({value} % {length}u)")
    }

    fn truth(&mut self, depth: usize) -> String {
        match self.random.below(12) {
            0 | 1 => {
                let (a, b) = (self.expression(&BOOL, depth), self.expression(&BOOL, depth));
                let operator = self.random.pick(&["&&", "||", "&&", "||", "==", "!="]);
                format!("({a} {operator} {b})")
            }
            2 => format!("(!{})", self.expression(&BOOL, depth)),
            3 => {
                let width = 2 + self.random.below(3);
                let all = self.random.pick(&["any", "all"]);
                format!("{all}({})", self.expression(&Type::Vector(Scalar::Bool, width), depth))
            }
            4 => {
                let test = self.random.pick(&["isnan", "isinf"]);
                let scalar = self.random.pick(&[Scalar::Float, Scalar::Float, Scalar::Half]);
                format!("{test}({})", self.expression(&Type::Scalar(scalar), depth))
            }
            5 => {
                let scalar = self.random.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Uint64]);
                format!("bool({})", self.expression(&Type::Scalar(scalar), depth))
            }
            6 if !self.types.cases.is_empty() => {
                let case = self.constant(&Type::Enum);
                let operator = self.random.pick(&["==", "!=", "<", ">="]);
                format!("({} {operator} {case})", self.expression(&Type::Enum, depth))
            }
            _ => {
                let ty = Type::Scalar(self.random.pick(&Scalar::NUMBERS));
                self.comparison(&ty, depth)
            }
        }
    }

    fn comparison(&mut self, ty: &Type, depth: usize) -> String {
        let operator = self.random.pick(&["==", "!=", "<", "<=", ">", ">="]);
        let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
        format!("({a} {operator} {b})")
    }

    fn truths(&mut self, width: usize, depth: usize) -> String {
        let ty = Type::Vector(Scalar::Bool, width);
        match self.random.below(5) {
            0 => format!("(!{})", self.expression(&ty, depth)),
            1 => {
                let parts: Vec<_> = (0..width).map(|_| self.expression(&BOOL, depth)).collect();
                format!("bool{width}({})", parts.join(", "))
            }
            2 => {
                let test = self.random.pick(&["isnan", "isinf"]);
                format!("{test}({})", self.expression(&Type::Vector(Scalar::Float, width), depth))
            }
            _ => {
                let ty =
                    Type::Vector(self.random.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float, Scalar::Half]), width);
                self.comparison(&ty, depth)
            }
        }
    }

    /// A number or a vector of numbers.
    pub(super) fn number(&mut self, scalar: Scalar, width: Option<usize>, depth: usize) -> String {
        let ty = width.map_or(Type::Scalar(scalar), |width| Type::Vector(scalar, width));
        self.choose(NUMBERS, &Number { scalar, width, ty, depth })
    }

    /// `++x` and the like, where effects may stand.
    fn step(&mut self, number: &Number) -> String {
        match self.place(&number.ty, Use::Write, number.depth) {
            Some(place) => match self.random.below(4) {
                0 => format!("(++{place})"),
                1 => format!("(--{place})"),
                2 => format!("({place}++)"),
                _ => format!("({place}--)"),
            },
            None => self.leaf(&number.ty),
        }
    }

    fn shift(&mut self, number: &Number) -> String {
        let count = self.shift_count(number.scalar, number.width, number.depth);
        let operator = self.random.pick(&["<<", ">>"]);
        format!("({} {operator} {count})", self.expression(&number.ty, number.depth))
    }

    /// By nothing that is 0.
    fn integer_quotient(&mut self, number: &Number) -> String {
        let operator = self.random.pick(&["/", "%"]);
        let (a, b) = (self.expression(&number.ty, number.depth), self.expression(&number.ty, number.depth));
        let one = match number.scalar {
            Scalar::Uint64 => "1ul",
            Scalar::Uint => "1u",
            _ => "1",
        };
        format!("({a} {operator} ({b} | {one}))")
    }

    /// Exact, also as a product with the reciprocal.
    fn exact_quotient(&mut self, number: &Number) -> String {
        let operator = self.random.pick(&["/", "/", "%"]);
        let power = self.power_of_two(number.scalar);
        format!("({} {operator} {power})", self.expression(&number.ty, number.depth))
    }

    fn sum_or_product(&mut self, number: &Number) -> String {
        let (ty, depth) = (&number.ty, number.depth);
        let operators: &[&str] =
            if number.scalar.is_integer() { &["+", "-", "*", "&", "|", "^"] } else { &["+", "-", "*"] };
        let operator = self.random.pick(operators);
        let (a, b) = match (number.width, self.random.below(6)) {
            (Some(_), 0) => (self.expression(ty, depth), self.expression(&Type::Scalar(number.scalar), depth)),
            (Some(_), 1) => (self.expression(&Type::Scalar(number.scalar), depth), self.expression(ty, depth)),
            _ => (self.expression(ty, depth), self.expression(ty, depth)),
        };
        format!("({a} {operator} {b})")
    }

    pub(super) fn power_of_two(&mut self, scalar: Scalar) -> &'static str {
        match scalar {
            Scalar::Half => self.random.pick(&["2.0h", "0.5h", "(-4.0h)"]),
            _ => self.random.pick(&["2.0", "0.5", "(-4.0)", "1024.0", "(-0.125)"]),
        }
    }

    /// A quotient whose last places a target may choose.
    pub(super) fn quotient(&mut self) -> String {
        let divisor = self.divisor.clone();
        let (a, b) = (self.expression(&FLOAT, 2), self.expression(&FLOAT, 2));
        match self.random.below(3) {
            0 => {
                let width = 2 + self.random.below(3);
                let vector = self.expression(&Type::Vector(Scalar::Float, width), 2);
                format!("({vector} / {divisor}({b})).{}", self.components(width, 1, true))
            }
            1 => {
                let vector = self.expression(&Type::Vector(Scalar::Float, 3), 2);
                format!("({a} / {divisor}({vector})).{}", self.components(3, 1, true))
            }
            _ => format!("({a} / {divisor}({b}))"),
        }
    }

    pub(super) fn half_quotient(&mut self) -> String {
        let half = Type::Scalar(Scalar::Half);
        let (a, b) = (self.expression(&half, 2), self.expression(&half, 2));
        format!("({a} / {}({b}))", self.half_divisor)
    }

    /// A count for a shift: any, where the compiler cannot know it.
    fn shift_count(&mut self, scalar: Scalar, width: Option<usize>, depth: usize) -> String {
        let signed = self.random.chance(30) && scalar != Scalar::Uint64;
        let count = if signed { Scalar::Int } else { Scalar::Uint };
        let ty = match width {
            Some(width) if self.random.chance(60) => Type::Vector(count, width),
            _ => Type::Scalar(count),
        };
        if self.random.chance(50) {
            // A constant, also one made of parts, would be checked.
            let types = self.types.clone();
            let unknown = self.scopes.variable(&mut self.random, |variable| {
                variable.kind == Kind::Buffer(16) && holds(&types, &variable.ty, &ty, false)
            });
            if let Some(unknown) = unknown {
                let start = self.whole(&unknown, 0);
                return self.part(start, &unknown.ty, &ty, Use::Read, 0);
            }
        }
        let mask = if scalar == Scalar::Uint64 { 63 } else { 31 };
        let suffix = if signed { "" } else { "u" };
        format!("({} & {mask}{suffix})", self.expression(&ty, depth))
    }

    fn builtin(&mut self, scalar: Scalar, ty: &Type, depth: usize) -> String {
        let one = |program: &mut Self, name: &str| format!("{name}({})", program.expression(ty, depth));
        if scalar.is_float() {
            return match self.random.below(5) {
                0 | 1 => {
                    let name =
                        self.random.pick(&["abs", "floor", "ceil", "round", "trunc", "fract", "sign", "saturate"]);
                    one(self, name)
                }
                2 => self.several(&["min", "max", "step"], ty, 2, depth),
                3 => self.clamp(scalar, ty, depth),
                _ => self.several(&["mix", "min3", "max3", "median3", "select"], ty, 3, depth),
            };
        }
        match self.random.below(6) {
            0 if scalar != Scalar::Uint64 => {
                let name = self.random.pick(&["countbits", "firstbitlow", "firstbithigh", "reversebits"]);
                let bits = one(self, name);
                if scalar == Scalar::Int && name != "reversebits" { format!("as_int({bits})") } else { bits }
            }
            1 if scalar != Scalar::Uint64 => {
                let (value, offset, count) =
                    (self.expression(ty, depth), self.expression(&UINT, depth), self.expression(&UINT, depth));
                if self.random.chance(50) {
                    format!("extract_bits({value}, ({offset} & 63u), ({count} & 63u))")
                } else {
                    let bits = self.expression(ty, depth);
                    format!("insert_bits({value}, {bits}, ({offset} & 63u), ({count} & 63u))")
                }
            }
            2 if scalar == Scalar::Int => {
                let name = self.random.pick(&["abs", "sign"]);
                one(self, name)
            }
            3 => self.clamp(scalar, ty, depth),
            4 => self.several(&["min3", "max3", "median3", "select"], ty, 3, depth),
            _ => self.several(&["min", "max"], ty, 2, depth),
        }
    }

    /// A builtin of that many arguments of one type; the last of `select` is the condition.
    fn several(&mut self, names: &[&str], ty: &Type, count: usize, depth: usize) -> String {
        let name = self.random.pick(names);
        let mut arguments: Vec<_> = (1..count).map(|_| self.expression(ty, depth)).collect();
        let last = match (name, ty) {
            ("select", Type::Vector(_, width)) => Type::Vector(Scalar::Bool, *width),
            ("select", _) => BOOL,
            ("mix", Type::Vector(scalar, _)) if self.random.chance(30) => Type::Scalar(*scalar),
            _ => ty.clone(),
        };
        arguments.push(self.expression(&last, depth));
        format!("{name}({})", arguments.join(", "))
    }

    /// What a clamp to reversed bounds gives is up to the target.
    fn clamp(&mut self, scalar: Scalar, ty: &Type, depth: usize) -> String {
        let (low, high) = match scalar {
            Scalar::Float => self.random.pick(&[("0.0", "1.0"), ("(-2.5)", "1000.0"), ("0.25", "0.25")]),
            Scalar::Half => self.random.pick(&[("0.0h", "1.0h"), ("(-2.5h)", "1000.0h")]),
            Scalar::Int => self.random.pick(&[("(-5)", "5"), ("(-2147483648)", "0"), ("3", "2147483647")]),
            Scalar::Uint64 => ("3ul", "0x100000000ul"),
            Scalar::Uint | Scalar::Bool => self.random.pick(&[("1u", "9u"), ("0u", "0x80000000u")]),
        };
        let value = self.expression(ty, depth);
        format!("clamp({value}, {low}, {high})")
    }

    /// A number made of one of another type.
    fn conversion(&mut self, scalar: Scalar, width: Option<usize>, depth: usize) -> String {
        let with = |scalar: Scalar| width.map_or(Type::Scalar(scalar), |width| Type::Vector(scalar, width));
        let name = self.types.name(&with(scalar));
        let from =
            self.random.pick(&[Scalar::Bool, Scalar::Int, Scalar::Uint, Scalar::Uint64, Scalar::Float, Scalar::Half]);
        if from == Scalar::Uint64 && width.is_some() {
            return self.leaf(&with(scalar));
        }
        match (from, scalar) {
            // Out of range is up to the target; so is how an integer rounds twice on its way to half.
            (Scalar::Float, Scalar::Int | Scalar::Uint | Scalar::Uint64) => {
                if self.random.chance(25) && width.is_none() && scalar != Scalar::Uint64 {
                    let value = self.expression(&FLOAT, depth);
                    let bits = format!("{}({value})", self.bits);
                    return if scalar == Scalar::Int {
                        format!("as_int(as_float({bits} & 0x7FFFFFu | 0x3F800000u))")
                    } else {
                        bits
                    };
                }
                let low = if scalar == Scalar::Int { "(-100000.0)" } else { "0.0" };
                format!("{name}(clamp({}, {low}, 100000.0))", self.expression(&with(from), depth))
            }
            (Scalar::Half, Scalar::Int | Scalar::Uint | Scalar::Uint64) => {
                let low = if scalar == Scalar::Int { "(-1000.0h)" } else { "0.0h" };
                format!("{name}(clamp({}, {low}, 1000.0h))", self.expression(&with(from), depth))
            }
            (Scalar::Int, Scalar::Half) => format!("{name}({} & 2047)", self.expression(&with(from), depth)),
            (Scalar::Uint, Scalar::Half) => format!("{name}({} & 2047u)", self.expression(&with(from), depth)),
            (Scalar::Uint64, Scalar::Half) => format!("{name}({} & 2047ul)", self.expression(&with(from), depth)),
            (Scalar::Uint, Scalar::Float) if self.random.chance(30) => {
                let one = width.map_or("0x3F800000u".to_owned(), |width| format!("uint{width}(0x3F800000u)"));
                format!("as_float({} & 0x7FFFFFu | {one})", self.expression(&with(from), depth))
            }
            (Scalar::Uint, Scalar::Int) if self.random.chance(30) => {
                format!("as_int({})", self.expression(&with(from), depth))
            }
            (Scalar::Int, Scalar::Uint) if self.random.chance(30) => {
                format!("as_uint({})", self.expression(&with(from), depth))
            }
            _ if self.random.chance(30) => format!("({} as {name})", self.expression(&with(from), depth)),
            _ => format!("{name}({})", self.expression(&with(from), depth)),
        }
    }

    /// A `uint` of one of the few ways that only it has.
    pub(super) fn word(&mut self, depth: usize) -> String {
        match self.random.below(6) {
            0 => match self.place(&Type::Bitfield, Use::Read, depth) {
                Some(place) => {
                    let bits = self.types.bits.clone();
                    let (field, _) = &bits[self.random.below(bits.len())];
                    format!("{place}.{field}")
                }
                None => self.expression(&UINT, depth),
            },
            1 => format!("({} & 0xFFu)", self.expression(&Type::Enum, depth)),
            2 => format!("uint({} >> 7u)", self.expression(&UINT64, depth)),
            3 => format!("uint({})", self.expression(&INT, depth)),
            4 => {
                let pack = self.random.pick(&["pack_uint4x8"]);
                format!("{pack}({})", self.expression(&Type::Vector(Scalar::Uint, 4), depth))
            }
            _ => self.expression(&UINT, depth),
        }
    }
}
