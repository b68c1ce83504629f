//! What the threads of a group do together: groupshared variables, written and read in turns, atomics whose order does not show, barriers
//! where all threads come by, and wave operations wherever some do.

use super::scope::{Kind, Variable};
use super::statements::Around;
use super::types::{BOOL, INT, Scalar, Type, UINT};
use super::{Program, THREADS};

/// A groupshared array that threads change at the same time, by operations of one kind.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    name: String,
    scalar: Scalar,
    operations: &'static [&'static str],
}

/// A function of a whole array, which all threads of a group call at once.
#[derive(Clone, Debug)]
pub(super) struct TileFunction {
    name: String,
    /// Of an element.
    ty: Type,
    result: Type,
    writes: bool,
}

/// Operations that may be mixed without the order showing.
const FAMILIES: [&[&str]; 6] = [&["add", "sub"], &["min"], &["max"], &["and"], &["or"], &["xor"]];

impl Program {
    /// Something that all threads of the group do at once.
    pub(super) fn together(&mut self, around: &Around) {
        let nested = around.depth < 2;
        match self.random.below(8) {
            0 | 1 => self.pool(around),
            2 => self.shared_value(around),
            3 | 4 if !self.tile_functions.is_empty() => self.call_tile_function(around),
            5 if nested => {
                self.fuels += 1;
                let (round, rounds) = (format!("round{}", self.fuels), 1 + self.random.below(3));
                let hint = self.random.pick(&["", "", "@unroll ", "@loop "]);
                self.line(format!("{hint}for (var {round} = 0u; {round} < {rounds}u; {round}++) {{"));
                self.together_inside(around, Some(round));
            }
            6 if nested => {
                let test = self.random.pick(&["id / 8u == 1u", "id < 8u", "ins[2] == 2u", "ins[3] < 2u"]);
                self.line(format!("if ({test}) {{"));
                self.together_inside(around, None);
            }
            _ => self.tile(around),
        }
    }

    fn together_inside(&mut self, around: &Around, counter: Option<String>) {
        self.scopes.enter();
        if let Some(name) = counter {
            self.scopes.declare(Variable { name, ty: UINT, mutable: false, kind: Kind::Local });
        }
        self.indent += 1;
        let inside = Around { depth: around.depth + 1, ..around.clone() };
        self.statement(&inside);
        self.together(&inside);
        self.statement(&inside);
        self.indent -= 1;
        self.scopes.leave();
        self.line("}");
    }

    /// What may be an element: the memory of a group is small.
    fn tile_type(&mut self) -> Type {
        let ty = self.some_type();
        if self.types.size(&ty) > 200 { UINT } else { ty }
    }

    fn new_tile(&mut self) -> String {
        self.tiles += 1;
        format!("tile{}", self.tiles)
    }

    /// A block in which a variable can be seen.
    fn block_with(&mut self, variable: Variable, around: &Around) {
        self.line("{");
        self.scopes.enter();
        self.scopes.declare(variable);
        let inside = Around { depth: around.depth + 1, ..around.clone() };
        let count = 1 + self.random.below(3);
        self.block(&inside, count);
        self.scopes.leave();
        self.line("}");
    }

    /// A thread's own element of a groupshared array.
    fn own(tile: &str, ty: &Type) -> Variable {
        Variable { name: format!("{tile}[lane]"), ty: ty.clone(), mutable: true, kind: Kind::Local }
    }

    fn readable(tile: &str, ty: &Type) -> Variable {
        Variable { name: tile.to_owned(), ty: ty.clone(), mutable: false, kind: Kind::Buffer(THREADS) }
    }

    /// A groupshared array of which each thread changes its own element, then all read any.
    fn tile(&mut self, around: &Around) {
        let (ty, tile) = (self.tile_type(), self.new_tile());
        self.line(format!("@groupshared var {tile}: {}[{THREADS}];", self.types.name(&ty)));
        for _ in 0..1 + self.random.below(2) {
            self.nodes = 0;
            let value = self.expression(&ty, 3);
            self.line(format!("{tile}[lane] = {value};"));
            if self.random.chance(60) {
                self.block_with(Self::own(&tile, &ty), around);
            }
            self.line("barrier();");
            self.block_with(Self::readable(&tile, &ty), around);
            self.line("barrier();");
        }
    }

    /// A groupshared array that all change by atomics.
    fn pool(&mut self, around: &Around) {
        let (name, scalar) = (self.new_tile(), self.random.pick(&[Scalar::Uint, Scalar::Uint, Scalar::Int]));
        let ty = Type::Scalar(scalar);
        self.line(format!("@groupshared var {name}: {}[{THREADS}];", self.types.name(&ty)));
        self.nodes = 0;
        let value = self.expression(&ty, 2);
        self.line(format!("{name}[lane] = {value};"));
        self.line("barrier();");
        let operations = self.random.pick(&FAMILIES);
        self.pools.push(Pool { name: name.clone(), scalar, operations });
        self.atomic();
        let inside = Around { depth: around.depth + 1, ..around.clone() };
        self.line("{");
        self.block(&inside, 2);
        self.line("}");
        self.pools.pop();
        self.line("barrier();");
        self.block_with(Self::readable(&name, &ty), around);
        self.line("barrier();");
    }

    /// A groupshared variable that one thread gives a value.
    fn shared_value(&mut self, around: &Around) {
        let (ty, name) = (self.tile_type(), self.new_tile());
        self.line(format!("@groupshared var {name}: {};", self.types.name(&ty)));
        let writer = self.random.below(THREADS);
        self.line(format!("if (lane == {writer}u) {{"));
        self.nodes = 0;
        let value = self.expression(&ty, 3);
        self.line(format!("    {name} = {value};"));
        self.line("}");
        self.line("barrier();");
        self.block_with(Variable { name, ty, mutable: false, kind: Kind::Local }, around);
        self.line("barrier();");
    }

    /// An atomic whose earlier value is not asked for, on a groupshared array or a buffer, if there is one here.
    pub(super) fn atomic(&mut self) -> bool {
        let pool = self.pools.last().cloned().filter(|_| self.random.chance(80));
        let call = if let Some(Pool { name, scalar, operations }) = pool {
            let operation = self.random.pick(operations);
            let index = self.index(THREADS, 1);
            let value = self.expression(&Type::Scalar(scalar), 2);
            format!("atomic_{operation}({name}, {index}, {value})")
        } else if self.scopes.visible().iter().any(|variable| variable.name == "counts") {
            let slot = self.random.below(8);
            // A counter has one operation throughout.
            let operation = ["add", "sub", "add", "min", "max", "and", "or", "xor"][slot];
            let value = self.expression(&UINT, 2);
            format!("atomic_{operation}(counts, {slot}u, {value})")
        } else {
            return false;
        };
        let discard = self.random.pick(&["", "let _ = "]);
        self.line(format!("{discard}{call};"));
        true
    }

    /// A function of a groupshared array, or of one that each thread has for itself.
    pub(super) fn tile_function(&mut self) {
        let (ty, result, name) = (self.tile_type(), self.some_type(), self.names.item(&mut self.random));
        let writes = self.random.chance(60);
        let passing = if writes { "inout" } else { "ref" };
        let (element, result_name) = (self.types.name(&ty), self.types.name(&result));
        self.line(format!(
            "fn {name}(tile: {passing} {element}[{THREADS}], lane: uint, value: {element}) -> {result_name} {{"
        ));
        self.scopes.enter();
        for (name, ty) in [("lane", &UINT), ("value", &ty)] {
            self.scopes.declare(Variable { name: name.to_owned(), ty: ty.clone(), mutable: false, kind: Kind::Local });
        }
        self.scopes.declare(Variable { name: "tile".to_owned(), ty: UINT, mutable: false, kind: Kind::Reserved });
        self.scopes.enter();
        self.indent += 1;
        self.budget = 6;
        let around = Around { depth: 1, ..Around::default() };
        if writes {
            self.nodes = 0;
            let value = self.expression(&ty, 3);
            self.line(format!("tile[lane] = {value};"));
            self.block_with(Self::own("tile", &ty), &around);
            self.line("barrier();");
        }
        self.block_with(Self::readable("tile", &ty), &around);
        self.scopes.enter();
        self.scopes.declare(Self::readable("tile", &ty));
        self.nodes = 0;
        let answer = self.expression(&result, 3);
        self.scopes.leave();
        if writes && self.random.chance(60) {
            // Others may still read.
            self.line(format!("let answer = {answer};"));
            self.line("barrier();");
            self.block_with(Self::own("tile", &ty), &around);
            self.line("return answer;");
        } else {
            self.line(format!("return {answer};"));
        }
        self.indent -= 1;
        self.scopes.leave();
        self.scopes.leave();
        self.line("}\n");
        self.tile_functions.push(TileFunction { name, ty, result, writes });
    }

    fn call_tile_function(&mut self, around: &Around) {
        let function = self.tile_functions[self.random.below(self.tile_functions.len())].clone();
        let (tile, element) = (self.new_tile(), self.types.name(&function.ty));
        let shared = self.random.chance(75);
        self.nodes = 0;
        if shared {
            self.line(format!("@groupshared var {tile}: {element}[{THREADS}];"));
            let value = self.expression(&function.ty, 2);
            self.line(format!("{tile}[lane] = {value};"));
        } else {
            let value = self.expression(&function.ty, 2);
            self.line(format!("var {tile}: {element}[{THREADS}] = [{value}; {THREADS}];"));
        }
        self.line("barrier();");
        for _ in 0..1 + self.random.below(2) {
            let (result, value) = (self.new_name(), self.constant(&function.ty));
            self.line(format!("let {result} = {}({tile}, lane, {value});", function.name));
            self.scopes.declare(Variable {
                name: result,
                ty: function.result.clone(),
                mutable: false,
                kind: Kind::Local,
            });
            if function.writes {
                self.line("barrier();");
            }
        }
        self.block_with(Self::readable(&tile, &function.ty), around);
        self.line("barrier();");
    }

    /// A value that the lanes of the wave which are here have together.
    pub(super) fn ask(&mut self, ty: &Type, depth: usize) -> String {
        let (operation, operand) = match ty {
            Type::Scalar(Scalar::Uint) => self.random.pick(&[
                ("wave_sum", Some(&UINT)),
                ("wave_prefix_sum", Some(&UINT)),
                ("wave_count", Some(&BOOL)),
                ("wave_prefix_count", Some(&BOOL)),
                ("wave_read_first", Some(&UINT)),
            ]),
            Type::Scalar(Scalar::Bool) => self.random.pick(&[
                ("wave_any", Some(&BOOL)),
                ("wave_all", Some(&BOOL)),
                ("wave_is_first", None),
                ("wave_read_first", Some(&BOOL)),
            ]),
            Type::Scalar(_) | Type::Vector(..) => ("wave_read_first", Some(ty)),
            Type::Matrix(..) | Type::Array(..) | Type::Struct(_) | Type::Enum | Type::Bitfield => return self.leaf(ty),
        };
        match operand {
            Some(operand) => format!("{operation}({})", self.expression(operand, depth)),
            None => format!("{operation}()"),
        }
    }

    /// A statement of such a value.
    pub(super) fn wave(&mut self) {
        let ty = self.random.pick(&[&UINT, &UINT, &BOOL, &BOOL, &INT, &Type::Vector(Scalar::Float, 3)]).clone();
        self.nodes = 0;
        let (value, name) = (self.ask(&ty, 3), self.new_name());
        self.line(format!("let {name} = {value};"));
        self.scopes.declare(Variable { name, ty, mutable: false, kind: Kind::Local });
    }
}
