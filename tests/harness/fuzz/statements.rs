//! Statements: every loop ends, every index is inside, and whatever a statement needs stands in it, so that taking other
//! statements away leaves a program of defined results.

use super::Program;
use super::choice::Row;
use super::expressions::Use;
use super::names::Names;
use super::scope::{Kind, Variable};
use super::types::{BOOL, Scalar, Type, UINT};

/// What may leave a block, and how.
#[derive(Clone, Debug, Default)]
pub(super) struct Around {
    pub(super) breaks: bool,
    pub(super) continues: bool,
    /// Whether it may return, and what.
    pub(super) returns: Option<Option<Type>>,
    pub(super) depth: usize,
    pub(super) loops: usize,
}

const ANYWHERE: fn(&Program, &Around) -> bool = |_, _| true;
/// Where a block may be opened.
const NESTED: fn(&Program, &Around) -> bool = |program, around| around.depth < 3 && program.budget > 0;
/// Where a loop may be.
const LOOPS: fn(&Program, &Around) -> bool = |program, around| NESTED(program, around) && around.loops < 2;
/// What may be left.
const INSIDE: fn(&Program, &Around) -> bool =
    |_, around| around.depth > 0 && (around.breaks || around.continues || around.returns.is_some());

const STATEMENTS: &[Row<Around, ()>] = &[
    Row(5, ANYWHERE, |program, _| program.declaration()),
    Row(5, ANYWHERE, |program, _| program.assignment()),
    Row(2, NESTED, |program, around| program.branch(around)),
    Row(2, LOOPS, |program, around| program.repeat(around)),
    Row(1, NESTED, |program, around| program.switch(around)),
    Row(1, NESTED, |program, around| program.bare_block(around)),
    Row(1, INSIDE, |program, around| program.leave_if(around)),
    Row(1, ANYWHERE, |program, _| program.swizzled_write()),
    Row(1, ANYWHERE, |program, _| program.step_statement()),
    Row(1, ANYWHERE, |program, _| program.late_let()),
    Row(2, ANYWHERE, |program, _| program.call_statement()),
    Row(1, ANYWHERE, |program, _| program.bitfield_write()),
    Row(2, |program, _| program.waves, |program, _| program.wave()),
    Row(2, ANYWHERE, |program, _| program.effect()),
    Row(1, ANYWHERE, |program, _| program.texture_let()),
];

impl Program {
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A whole expression of a statement.
    fn fresh(&mut self, ty: &Type) -> String {
        self.nodes = 0;
        let depth = 1 + self.random.below(4);
        self.expression(ty, depth)
    }

    pub(super) fn block(&mut self, around: &Around, count: usize) {
        self.scopes.enter();
        self.indent += 1;
        for _ in 0..count {
            self.statement(around);
        }
        self.indent -= 1;
        self.scopes.leave();
    }

    fn declare(&mut self, name: String, ty: Type, mutable: bool) {
        self.scopes.declare(Variable { name, ty, mutable, kind: Kind::Local });
    }

    pub(super) fn new_name(&mut self) -> String {
        let taken = self.scopes.taken();
        Names::local(&mut self.random, &taken)
    }

    pub(super) fn statement(&mut self, around: &Around) {
        self.budget = self.budget.saturating_sub(1);
        self.choose(STATEMENTS, around);
    }

    fn bare_block(&mut self, around: &Around) {
        self.line("{");
        let inside = Around { depth: around.depth + 1, ..around.clone() };
        let count = 1 + self.random.below(3);
        self.block(&inside, count);
        self.line("}");
    }

    fn leave_if(&mut self, around: &Around) {
        let condition = self.fresh(&BOOL);
        self.line(format!("if ({condition}) {{"));
        self.indent += 1;
        self.leave(around);
        self.indent -= 1;
        self.line("}");
    }

    fn leave(&mut self, around: &Around) {
        match self.random.below(3) {
            0 if around.breaks => self.line("break;"),
            1 if around.continues => self.line("continue;"),
            _ => match &around.returns {
                Some(Some(ty)) => {
                    let value = self.fresh(&ty.clone());
                    self.line(format!("return {value};"));
                }
                Some(None) => self.line("return;"),
                None if around.breaks => self.line("break;"),
                None if around.continues => self.line("continue;"),
                None => {}
            },
        }
    }

    fn declaration(&mut self) {
        let ty = self.some_type();
        let kind = self.random.below(10);
        let value = match kind {
            0 => self.constant(&ty),
            1 => String::new(),
            _ => self.fresh(&ty),
        };
        // A local may be called as what its initializer reads.
        let name = self.new_name();
        let type_name = self.types.name(&ty);
        // A list without a type takes that of its elements; so does a number.
        let spelled = if self.random.chance(60) { format!(": {type_name}") } else { String::new() };
        match kind {
            0 => self.line(format!("const {name}: {type_name} = {value};")),
            1 => self.line(format!("var {name}: {type_name};")),
            2..=5 => self.line(format!("let {name}{spelled} = {value};")),
            _ => self.line(format!("var {name}{spelled} = {value};")),
        }
        self.declare(name, ty, kind == 1 || kind > 5);
    }

    /// A name for one of the textures.
    fn texture_let(&mut self) {
        self.nodes = 0;
        match self.some_texture(2) {
            Some(texture) => {
                let name = self.new_name();
                self.line(format!("let {name} = {texture};"));
                self.scopes.declare(Variable { name, ty: UINT, mutable: false, kind: Kind::Texture });
            }
            None => self.effect(),
        }
    }

    fn assignment(&mut self) {
        self.nodes = 0;
        let ty = self.some_type();
        let Some(place) = self.place(&ty, Use::Write, 2) else { return self.declaration() };
        let scalar = match &ty {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(*scalar),
            Type::Matrix(..) if self.random.chance(30) => {
                let operator = self.random.pick(&["+=", "-="]);
                let value = self.fresh(&ty);
                return self.line(format!("{place} {operator} {value};"));
            }
            _ => None,
        };
        match scalar {
            Some(scalar) if scalar != Scalar::Bool && self.random.chance(45) => {
                let operators: &[&str] = if scalar.is_integer() {
                    &["+=", "-=", "*=", "&=", "|=", "^=", "<<=", ">>=", "/=", "%="]
                } else {
                    &["+=", "-=", "*=", "/=", "%="]
                };
                let operator = self.random.pick(operators);
                let one = if scalar == Scalar::Uint64 {
                    "1ul"
                } else if scalar == Scalar::Uint {
                    "1u"
                } else {
                    "1"
                };
                let value = match operator {
                    "<<=" | ">>=" => format!("({} & 31u)", self.fresh(&UINT)),
                    "/=" | "%=" if scalar.is_float() => self.power_of_two(scalar).to_owned(),
                    "/=" | "%=" => format!("({} | {one})", self.fresh(&ty)),
                    _ if self.random.chance(20) => self.fresh(&Type::Scalar(scalar)),
                    _ => self.fresh(&ty),
                };
                self.line(format!("{place} {operator} {value};"));
            }
            _ => {
                let value = self.fresh(&ty);
                self.line(format!("{place} = {value};"));
            }
        }
    }

    fn swizzled_write(&mut self) {
        self.nodes = 0;
        let scalar = self.random.pick(&[Scalar::Float, Scalar::Uint, Scalar::Int, Scalar::Half, Scalar::Bool]);
        let ty = Type::Vector(scalar, 2 + self.random.below(2));
        match self.place(&ty, Use::Write, 2) {
            Some(place) => {
                let value = self.fresh(&ty);
                self.line(format!("{place} = {value};"));
            }
            None => self.assignment(),
        }
    }

    fn step_statement(&mut self) {
        self.nodes = 0;
        let ty = Type::Scalar(self.random.pick(&Scalar::NUMBERS));
        match self.place(&ty, Use::Write, 2) {
            Some(place) => {
                let operator = self.random.pick(&["++", "--"]);
                if self.random.chance(50) {
                    self.line(format!("{place}{operator};"))
                } else {
                    self.line(format!("{operator}{place};"))
                }
            }
            None => self.declaration(),
        }
    }

    fn late_let(&mut self) {
        let ty = self.some_type();
        let condition = self.fresh(&BOOL);
        let (yes, no) = (self.fresh(&ty), self.fresh(&ty));
        let name = self.new_name();
        // What is assigned must not be what the values name.
        let words =
            |text: &str| text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').any(|word| word == name);
        if words(&yes) || words(&no) || words(&condition) {
            return self.assignment();
        }
        self.line(format!("let {name}: {};", self.types.name(&ty)));
        self.line(format!("if ({condition}) {{"));
        self.line(format!("    {name} = {yes};"));
        self.line("} else {");
        self.line(format!("    {name} = {no};"));
        self.line("}");
        self.declare(name, ty, false);
    }

    fn bitfield_write(&mut self) {
        self.nodes = 0;
        match self.place(&Type::Bitfield, Use::Write, 1) {
            Some(place) => {
                let bits = self.types.bits.clone();
                let (field, _) = &bits[self.random.below(bits.len())];
                let value = self.fresh(&UINT);
                self.line(format!("{place}.{field} = {value};"));
            }
            None => {
                let value = self.fresh(&Type::Bitfield);
                let name = self.new_name();
                self.line(format!("var {name} = {value};"));
                self.declare(name, Type::Bitfield, true);
            }
        }
    }

    fn branch(&mut self, around: &Around) {
        let inside = Around { depth: around.depth + 1, ..around.clone() };
        let condition = self.fresh(&BOOL);
        let hint = self.random.pick(&["", "", "", "@branch "]);
        self.line(format!("{hint}if ({condition}) {{"));
        let count = 1 + self.random.below(3);
        self.block(&inside, count);
        if self.random.chance(25) {
            let condition = self.fresh(&BOOL);
            self.line(format!("}} else if ({condition}) {{"));
            self.block(&inside, 2);
        }
        if self.random.chance(50) {
            self.line("} else {");
            let count = 1 + self.random.below(3);
            self.block(&inside, count);
        }
        self.line("}");
    }

    fn repeat(&mut self, around: &Around) {
        let inside = Around {
            breaks: true,
            continues: true,
            depth: around.depth + 1,
            loops: around.loops + 1,
            returns: around.returns.clone(),
        };
        let rounds = 1 + self.random.below(4);
        let hint = self.random.pick(&["", "", "", "@loop ", "@unroll "]);
        match self.random.below(3) {
            0 => {
                let counter = self.new_name();
                let header = match self.random.below(4) {
                    0 => format!("for (var {counter} = 0; {counter} < {rounds}; {counter}++)"),
                    1 => format!("for (var {counter}: uint = 0u; {counter} < {rounds}u; {counter} += 1u)"),
                    2 => format!("for (var {counter} = {rounds}u; {counter} > 0u; --{counter})"),
                    _ => {
                        let condition = self.fresh(&BOOL);
                        // The counter hides what it is called as.
                        if condition.contains(counter.as_str()) {
                            format!("for (var {counter} = 0u; {counter} < {rounds}u; {counter}++)")
                        } else {
                            format!("for (var {counter} = 0u; {counter} < {rounds}u && {condition}; {counter}++)")
                        }
                    }
                };
                self.line(format!("{hint}{header} {{"));
                self.scopes.enter();
                let signed = header.contains("= 0;");
                let ty = if signed { super::types::INT } else { UINT };
                self.declare(counter, ty, false);
                let count = 1 + self.random.below(4);
                self.block(&inside, count);
                self.scopes.leave();
                self.line("}");
            }
            kind => {
                // Whatever stands in the block, the loop ends.
                self.line("{");
                self.indent += 1;
                self.fuels += 1;
                let fuel = format!("fuel{}", self.fuels);
                self.line(format!("var {fuel} = 0u;"));
                let condition = self.fresh(&BOOL);
                let count = 1 + self.random.below(4);
                if kind == 1 {
                    self.line(format!("while ({fuel}++ < {rounds}u && {condition}) {{"));
                    self.block(&inside, count);
                    self.line("}");
                } else {
                    self.line("do {");
                    self.block(&inside, count);
                    self.line(format!("}} while (++{fuel} < {rounds}u && {condition});"));
                }
                self.indent -= 1;
                self.line("}");
            }
        }
    }

    fn switch(&mut self, around: &Around) {
        let inside = Around { breaks: true, depth: around.depth + 1, ..around.clone() };
        let on_enum = self.random.chance(20);
        let signed = self.random.chance(40);
        let selector = if on_enum {
            self.fresh(&Type::Enum)
        } else if signed {
            format!("({} % 4)", self.fresh(&super::types::INT))
        } else {
            format!("({} & 3u)", self.fresh(&UINT))
        };
        self.line(format!("switch ({selector}) {{"));
        self.indent += 1;
        let mut labels: Vec<String> = if on_enum {
            // Cases may share a value; the first has its own.
            vec![format!("{}.{}", self.types.enumeration, self.types.cases[0])]
        } else if signed {
            ["0", "1", "-1", "3", "-3", "2"].map(str::to_owned).to_vec()
        } else {
            ["0u", "1u", "2u", "3u", "9u"].map(str::to_owned).to_vec()
        };
        let mut default = self.random.chance(70);
        while !labels.is_empty() && self.random.chance(75) {
            if default && self.random.chance(30) {
                self.line("default:");
                default = false;
            }
            for _ in 0..1 + self.random.below(2) {
                if !labels.is_empty() {
                    let label = labels.remove(self.random.below(labels.len()));
                    self.line(format!("case {label}:"));
                }
            }
            self.case(&inside);
        }
        if default {
            self.line("default:");
            self.case(&inside);
        }
        self.indent -= 1;
        self.line("}");
    }

    fn case(&mut self, inside: &Around) {
        let count = self.random.below(3);
        // What leaves the case still sees its variables.
        self.scopes.enter();
        self.indent += 1;
        for _ in 0..count {
            self.statement(inside);
        }
        if self.random.chance(75) {
            self.line("break;")
        } else {
            self.leave(inside)
        }
        self.indent -= 1;
        self.scopes.leave();
    }
}
