//! Statements: one for each operation without a result, each declaration, and each operation whose result nobody uses but
//! whose effect somebody needs.

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, BranchHint, LoopHint, LoopTest, component};
use akari_ir::{ConstId, Constant, Module, OpId, RegionId, Traits, TypeKind, ValueDef, ValueId};

use super::expression::{Filling, Printer, binary_operator, components, constant_index, is_declaration, literal};
use super::language::Language;
use super::precedence::{Precedence, Side};
use crate::analysis::uses::Uses;

impl<L: Language> Printer<'_, L> {
    /// Prints the operations of a region as statements.
    pub fn region(&mut self, region: RegionId) {
        let module = self.module;
        let ops = &module.region(region).ops;
        let mut index = 0;
        while let Some(&op) = ops.get(index) {
            index += 1;
            if !self.is_statement(op) {
                continue;
            }
            if let Some(next) = loop_variable(module, &self.uses, op, &ops[index..]) {
                self.loop_statement(view::Loop(ops[index + next]), Some(op));
                index += next + 1;
                continue;
            }
            self.statement(op);
        }
    }

    /// Whether an operation is a statement, not (a part of) an expression.
    #[must_use]
    pub fn is_statement(&self, op: OpId) -> bool {
        is_statement(self.module, &self.uses, op)
    }

    fn statement(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        self.text.came_from(op.loc);
        if self.language.statement(self, id) {
            return;
        }
        match AkariOp::of(op) {
            Some(AkariOp::If) => {
                self.if_statement(view::If(id));
                self.text.end_line();
            }
            Some(AkariOp::Loop) => self.loop_statement(view::Loop(id), None),
            Some(AkariOp::Switch) => self.switch_statement(view::Switch(id)),
            Some(AkariOp::Let | AkariOp::Local)
                if op.operands.first().is_some_and(|init| self.is_struct_literal(*init)) =>
            {
                self.declare(id);
                if let Some(value) = self.language.value_before_parts(module, module.value_type(op.operands[0])) {
                    self.text.push(&format!(" = {}", value.text));
                }
                self.text.push(";");
                self.text.end_line();
                let name = op.result.map(|result| self.name(result)).unwrap_or_default();
                self.fill(&name, op.operands[0]);
            }
            _ => {
                self.simple_statement(id);
                self.text.push(";");
                self.text.end_line();
            }
        }
    }

    /// Whether a value is a literal of a structure, or of an array of them.
    fn is_struct_literal(&self, value: ValueId) -> bool {
        let mut kind = self.module.value_kind(value);
        while let TypeKind::Array(element, _) = kind {
            kind = self.module.kind(element);
        }
        self.literal_parts(value).is_some() && matches!(kind, TypeKind::Struct(_))
    }

    fn literal_parts(&self, value: ValueId) -> Option<&[ValueId]> {
        let op = self.module.defining_op(value)?;
        let literal = matches!(self.module.value_kind(value), TypeKind::Struct(_) | TypeKind::Array(..));
        let construct = view::Construct::cast(self.module, op)?;
        literal.then(|| construct.parts(self.module))
    }

    /// Assigns the parts of a struct literal one by one, so that fields are named where they get their values.
    fn fill(&mut self, path: &str, value: ValueId) {
        if let Some(constant) = self.aggregate_constant(value) {
            return self.fill_constant(path, constant);
        }
        let Some(parts) = self.literal_parts(value).map(<[ValueId]>::to_vec) else {
            self.text.came_from(self.module.defining_op(value).and_then(|op| self.module.op(op).loc));
            self.text.push(path);
            self.text.push(" = ");
            self.whole(value);
            self.text.push(";");
            return self.text.end_line();
        };
        for (index, part) in parts.into_iter().enumerate() {
            let path = match self.module.value_kind(value) {
                TypeKind::Struct(id) => {
                    format!("{path}.{}", self.module.text(self.module.structs[id].fields[index].name))
                }
                _ => format!("{path}[{index}]"),
            };
            self.fill(&path, part);
        }
    }

    /// The constant in braces that a value is.
    fn aggregate_constant(&self, value: ValueId) -> Option<ConstId> {
        let op = self.module.op(self.module.defining_op(value)?);
        let is_aggregate = matches!(self.module.value_kind(value), TypeKind::Struct(_) | TypeKind::Array(..));
        (is_aggregate && AkariOp::of(op) == Some(AkariOp::Const)).then(|| op.constant(0))
    }

    fn fill_constant(&mut self, path: &str, constant: ConstId) {
        let module = self.module;
        if let Constant::Composite(ty, parts) = module.constant(constant) {
            let path_of = |index: usize| match module.kind(*ty) {
                TypeKind::Struct(id) => Some(format!("{path}.{}", module.text(module.structs[id].fields[index].name))),
                TypeKind::Array(..) => Some(format!("{path}[{index}]")),
                _ => None,
            };
            if path_of(0).is_some() {
                for (index, part) in parts.iter().enumerate() {
                    self.fill_constant(&path_of(index).unwrap_or_default(), *part);
                }
                return;
            }
        }
        let text = literal(self.language, module, constant).text;
        self.text.line(&format!("{path} = {text};"));
    }

    /// `type name` of a `let` or `local`.
    fn declare(&mut self, op: OpId) {
        let module = self.module;
        let Some(result) = module.op(op).result else { return };
        let ty = match module.types.as_place(module.value_type(result)) {
            Some((_, pointee)) => pointee,
            None => module.value_type(result),
        };
        let name = self.name(result);
        let text = self.language.declarator(module, ty, &name);
        self.text.push(self.language.qualifier(result));
        self.text.push(&text);
    }

    /// A statement that is one expression, without its `;`.
    fn simple_statement(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        match AkariOp::of(op) {
            Some(AkariOp::Let | AkariOp::Local) => {
                self.declare(id);
                if let Some(&init) = op.operands.first() {
                    self.text.push(" = ");
                    self.whole(init);
                }
            }
            Some(AkariOp::Store) => self.assignment(op.operands[0], op.operands[1]),
            Some(AkariOp::StoreComponents) => {
                self.value(op.operands[0], Precedence::Primary, Side::Left);
                self.text.push(".");
                self.text.push(&components(op.ints(0)));
                let compound = compound_components(module, op.operands[0], op.ints(0), op.operands[1])
                    .filter(|(binary, ..)| self.language.operation(module, *binary).is_none())
                    .filter(|_| self.language.assigns_components_in_place(module, op.operands[0]))
                    .and_then(|(_, akari, rhs)| Some((binary_operator(akari)?.0, rhs)));
                match compound {
                    Some((operator, rhs)) => {
                        self.text.push(&format!(" {operator}= "));
                        self.operand_of_compound(rhs);
                    }
                    None => {
                        self.text.push(" = ");
                        self.whole(op.operands[1]);
                    }
                }
            }
            Some(AkariOp::Break) => self.text.push("break"),
            Some(AkariOp::Continue) => self.text.push("continue"),
            Some(AkariOp::Return) => {
                self.text.push("return");
                if let Some(&value) = op.operands.first() {
                    self.text.push(" ");
                    self.whole(value);
                }
            }
            _ => {
                let spelling = self.spelling(id);
                self.spelled(&spelling, Precedence::Whole, Side::Left);
            }
        }
    }

    fn assignment(&mut self, place: ValueId, value: ValueId) {
        let module = self.module;
        let compound = compound_assignment(module, place, value)
            .filter(|(binary, ..)| self.language.operation(module, *binary).is_none())
            .filter(|_| {
                vector_of(module, place).is_none_or(|vector| self.language.assigns_components_in_place(module, vector))
            });
        match compound {
            Some((binary, akari, rhs)) => {
                let one = constant_index(module, rhs) == Some(1)
                    && matches!(module.value_kind(rhs), TypeKind::Scalar(scalar) if scalar.is_integer())
                    && module.op(binary).result.map(|result| module.value_type(result)) == Some(module.value_type(rhs));
                match akari {
                    AkariOp::Add if one => self.text.push("++"),
                    AkariOp::Sub if one => self.text.push("--"),
                    _ => {
                        self.value(place, Precedence::Primary, Side::Left);
                        let (operator, _) = binary_operator(akari).unwrap_or(("+", Precedence::Additive));
                        self.text.push(&format!(" {operator}= "));
                        return self.operand_of_compound(rhs);
                    }
                }
                self.value(place, Precedence::Primary, Side::Left);
            }
            None => {
                self.value(place, Precedence::Primary, Side::Left);
                self.text.push(" = ");
                self.whole(value);
            }
        }
    }

    /// The right side of a compound assignment, a scalar where it fills a vector.
    fn operand_of_compound(&mut self, rhs: ValueId) {
        match self.filling_scalar(rhs) {
            Some(Filling::Value(scalar)) => self.whole(scalar),
            Some(Filling::Literal(literal)) => self.text.push(&literal.text),
            None => self.whole(rhs),
        }
    }

    fn is_empty(&self, region: RegionId) -> bool {
        !self.module.region(region).ops.iter().any(|op| self.is_statement(*op))
    }

    fn braced(&mut self, region: RegionId) {
        self.text.open_brace();
        self.region(region);
        self.text.close_brace();
    }

    fn if_statement(&mut self, op: view::If) {
        let module = self.module;
        if let Some(hint) = self.language.branch_hint(BranchHint::from_index(module.op(op.0).enumerated(0))) {
            self.text.line(hint);
        }
        let mut op = op;
        loop {
            self.text.push("if (");
            if self.is_empty(op.then(module)) && !self.is_empty(op.otherwise(module)) {
                self.text.push("!");
                self.value(op.condition(module), Precedence::Prefix, Side::Left);
                self.text.push(")");
                return self.braced(op.otherwise(module));
            }
            self.whole(op.condition(module));
            self.text.push(")");
            self.braced(op.then(module));
            let otherwise = op.otherwise(module);
            let mut statements = module.region(otherwise).ops.iter().copied().filter(|op| self.is_statement(*op));
            match (statements.next(), statements.next()) {
                (None, _) => return,
                (Some(only), None) => match view::If::cast(module, only) {
                    Some(chained) if module.op(only).enumerated(0) == BranchHint::None as u16 => {
                        self.text.push(" else ");
                        op = chained;
                    }
                    _ => break,
                },
                (Some(_), Some(_)) => break,
            }
        }
        self.text.push(" else");
        self.braced(op.otherwise(module));
    }

    /// Prints a loop; `variable` is the local that its head declares.
    fn loop_statement(&mut self, op: view::Loop, variable: Option<OpId>) {
        let module = self.module;
        let loop_op = module.op(op.0);
        let hint = LoopHint::from_index(loop_op.enumerated(1));
        if let Some(hint) = self.language.loop_hint(hint, loop_op.int(2)) {
            self.text.line(&hint);
        }
        self.text.came_from(variable.and_then(|variable| module.op(variable).loc).or(loop_op.loc));
        let test = yielded(module, op.test(module));
        let steps: Vec<OpId> =
            module.region(op.step(module)).ops.iter().copied().filter(|op| self.is_statement(*op)).collect();
        if LoopTest::from_index(loop_op.enumerated(0)) == LoopTest::After {
            self.text.push("do");
            self.braced(op.body(module));
            self.text.push(" while (");
            self.test(test);
            self.text.push(");");
            return self.text.end_line();
        }
        if steps.is_empty() && variable.is_none() {
            self.text.push("while (");
            self.test(test);
        } else {
            self.text.push("for (");
            if let Some(variable) = variable {
                self.simple_statement(variable);
            }
            self.text.push("; ");
            self.test(test);
            self.text.push("; ");
            for (index, step) in steps.into_iter().enumerate() {
                if index > 0 {
                    self.text.push(", ");
                }
                self.simple_statement(step);
            }
        }
        self.text.push(")");
        self.braced(op.body(module));
        self.text.end_line();
    }

    fn test(&mut self, test: Option<ValueId>) {
        match test {
            Some(test) => self.whole(test),
            None => self.text.push("true"),
        }
    }

    fn switch_statement(&mut self, op: view::Switch) {
        let module = self.module;
        let switch = module.op(op.0);
        self.text.push("switch (");
        self.whole(op.selector(module));
        self.text.push(")");
        self.text.open_brace();
        let TypeKind::Scalar(scalar) = module.value_kind(op.selector(module)) else { return };
        for (case, &region) in op.cases(module).iter().enumerate() {
            let mut labels: Vec<String> = switch
                .ints(0)
                .chunks_exact(2)
                .filter(|pair| pair[1] == case as i64)
                .map(|pair| format!("case {}:", self.language.literal(scalar, label_bits(pair[0], scalar)).text))
                .collect();
            if switch.int(1) == case as i64 {
                labels.push("default:".into());
            }
            let Some((last, stacked)) = labels.split_last() else { continue };
            for label in stacked {
                self.text.line(label);
            }
            self.text.push(last);
            self.text.open_brace();
            self.region(region);
            if !ends_in_terminator(module, region) {
                self.text.line("break;");
            }
            self.text.close_brace();
            self.text.end_line();
        }
        self.text.close_brace();
        self.text.end_line();
    }
}

/// Whether an operation is a statement, not (a part of) an expression.
#[must_use]
pub fn is_statement(module: &Module, uses: &Uses, op: OpId) -> bool {
    let Some(result) = module.op(op).result else {
        return AkariOp::of(module.op(op)) != Some(AkariOp::Yield);
    };
    let effects = Traits::WRITES.with(Traits::CONVERGENT);
    is_declaration(module, op) || (uses.count(result) == 0 && module.traits(op).any(effects))
}

/// Where in `following` the loop stands whose head may declare `local`: it tests first, its one step writes the local, it comes next,
/// and nothing but it uses the local.
#[must_use]
pub fn loop_variable(module: &Module, uses: &Uses, local: OpId, following: &[OpId]) -> Option<usize> {
    let [_] = view::Local::cast(module, local)?.init(module) else { return None };
    let result = module.op(local).result?;
    let next = following.iter().position(|next| is_statement(module, uses, *next))?;
    let loop_ = view::Loop::cast(module, following[next])?;
    let mut steps = module.region(loop_.step(module)).ops.iter().filter(|op| is_statement(module, uses, **op));
    let (Some(step), None) = (steps.next(), steps.next()) else { return None };
    let steps_it = view::Store::cast(module, *step).is_some_and(|store| store.place(module) == result);
    let is_own = module.op(loop_.0).enumerated(0) == LoopTest::Before as u16
        && steps_it
        && uses.count(result) > 0
        && uses.count_inside(module, loop_.0, result) == uses.count(result);
    is_own.then_some(next)
}

/// The bits of a `switch` label, which the attribute holds as a number.
fn label_bits(label: i64, scalar: akari_ir::Scalar) -> u64 {
    if scalar.bits() == 64 { label as u64 } else { u64::from(label as u32) }
}

fn ends_in_terminator(module: &Module, region: RegionId) -> bool {
    module.region(region).ops.last().is_some_and(|op| module.traits(*op).has(Traits::TERMINATOR))
}

/// The place of the vector that `place` is a component of.
fn vector_of(module: &Module, place: ValueId) -> Option<ValueId> {
    let op = module.op(module.defining_op(place)?);
    let whole = op.operands.first().copied().filter(|_| AkariOp::of(op) == Some(AkariOp::Element))?;
    let (_, ty) = module.types.as_place(module.value_type(whole))?;
    matches!(module.kind(ty), TypeKind::Vector(..)).then_some(whole)
}

/// `place.xy = place.xy OP rhs` as its binary operation and `rhs`, where it can be written `place.xy OP= rhs`.
fn compound_components(
    module: &Module,
    place: ValueId,
    list: &[i64],
    value: ValueId,
) -> Option<(OpId, AkariOp, ValueId)> {
    let binary = module.defining_op(value)?;
    let akari = AkariOp::of(module.op(binary))?;
    let &[lhs, rhs] = &module.op(binary).operands[..] else { return None };
    let part = module.op(module.defining_op(lhs)?);
    let same_part = match AkariOp::of(part)? {
        AkariOp::Swizzle => part.ints(0).iter().copied().map(component).eq(list.iter().copied().map(component)),
        AkariOp::Extract => list.iter().copied().map(component).eq([part.int(0)]),
        _ => false,
    };
    let load = view::Load::cast(module, module.defining_op(*part.operands.first()?)?)?;
    let same = same_part && load.place(module) == place && module.value_type(lhs) == module.value_type(value);
    (same && is_assignable(akari)).then_some((binary, akari, rhs))
}

/// Whether an operator has a compound assignment.
fn is_assignable(akari: AkariOp) -> bool {
    matches!(
        akari,
        AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor
            | AkariOp::Shl
            | AkariOp::Shr
    )
}

/// `place = load place OP rhs` as its binary operation and `rhs`, where it can be written `place OP= rhs`.
#[must_use]
pub fn compound_assignment(module: &Module, place: ValueId, value: ValueId) -> Option<(OpId, AkariOp, ValueId)> {
    let binary = module.defining_op(value)?;
    let akari = AkariOp::of(module.op(binary))?;
    let &[lhs, rhs] = &module.op(binary).operands[..] else { return None };
    let ValueDef::Result(load) = module.value(lhs).def else { return None };
    let same = view::Load::cast(module, load)?.place(module) == place;
    // A scalar on the left of a vector would be widened by the assignment to what it cannot hold.
    (is_assignable(akari) && same && module.value_type(lhs) == module.value_type(value)).then_some((binary, akari, rhs))
}
