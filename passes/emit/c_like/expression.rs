//! Expressions: an operation is printed where its result is used, unless a declaration holds the result.

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, Builtin, COLOUR, Predicate, component};
use akari_ir::{Constant, Module, OpId, Scalar, Traits, TypeKind, ValueDef, ValueId};

use super::language::{Language, Literal, Piece, Spelling};
use super::precedence::{Precedence, Side, needs_parentheses};
use crate::analysis::uses::Uses;
use crate::emit::text::Text;

/// Prints the functions of a module.
pub struct Printer<'m, L: Language> {
    /// The module.
    pub module: &'m Module,
    /// The language.
    pub language: &'m L,
    /// What has been printed.
    pub text: Text<'m>,
    /// How often each value is used.
    pub uses: Uses,
}

impl<'m, L: Language> Printer<'m, L> {
    /// A printer that has printed nothing yet.
    #[must_use]
    pub fn new(module: &'m Module, language: &'m L) -> Self {
        Self { module, language, text: Text::default(), uses: Uses::of(module) }
    }

    /// The name of a declared value.
    #[must_use]
    pub fn name(&self, value: ValueId) -> String {
        match self.module.value(value).name {
            Some(name) => self.module.text(name).to_owned(),
            None => format!("unnamed_{value:?}"),
        }
    }

    /// Prints `value` between brackets or commas.
    pub fn whole(&mut self, value: ValueId) {
        self.value(value, Precedence::Whole, Side::Left);
    }

    /// Prints `value` as an operand of an operator.
    pub fn value(&mut self, value: ValueId, outer: Precedence, side: Side) {
        match self.module.value(value).def {
            ValueDef::Result(op) if !is_declaration(self.module, op) => {
                let spelling = self.spelling(op);
                self.spelled(&spelling, outer, side);
            }
            ValueDef::Result(_) | ValueDef::Param(..) => {
                let name = self.name(value);
                self.text.push(&name);
            }
        }
    }

    /// Prints an operation as an operand of an operator.
    pub fn spelled(&mut self, spelling: &Spelling, outer: Precedence, side: Side) {
        // Pieces that only hand a value on take the place of it.
        if let [Piece::Value(value, inner, _)] = spelling.pieces[..]
            && inner == Precedence::Whole
        {
            return self.value(value, outer, side);
        }
        let parenthesized = needs_parentheses(outer, side, spelling.precedence);
        if parenthesized {
            self.text.push("(");
        }
        for piece in &spelling.pieces {
            match piece {
                Piece::Text(text) => self.text.push(text),
                Piece::Value(value, outer, side) => self.value(*value, *outer, *side),
            }
        }
        if parenthesized {
            self.text.push(")");
        }
    }

    /// How an operation is written here.
    #[must_use]
    pub fn spelling(&self, op: OpId) -> Spelling {
        if let Some(spelling) = self.language.operation(self.module, op) {
            return spelling;
        }
        match AkariOp::of(self.module.op(op)) {
            Some(akari) => self.core_spelling(op, akari),
            None => Spelling::text(format!("/* {:?} */", self.module.op(op).def)),
        }
    }

    fn core_spelling(&self, id: OpId, akari: AkariOp) -> Spelling {
        let module = self.module;
        let op = module.op(id);
        let operands = &op.operands[..];
        let infix = |operator, precedence| {
            let mut spelling = Spelling::infix(operator, precedence, operands[0], operands[1]);
            // A scalar that fills a vector need not say so beside another vector.
            let fills = |index: usize| {
                let beside_vector = matches!(module.value_kind(operands[1 - index]), TypeKind::Vector(..));
                self.filling_scalar(operands[index]).filter(|_| beside_vector)
            };
            let scalars = [fills(0), fills(1)];
            if let [Some(scalar), None] = &scalars {
                spelling.pieces[0] = beside(scalar, precedence, Side::Left);
            } else if let [None, Some(scalar)] = &scalars {
                spelling.pieces[2] = beside(scalar, precedence, Side::Right);
            }
            spelling
        };
        let type_name =
            || op.result.map(|result| self.language.type_name(module, module.value_type(result))).unwrap_or_default();
        match akari {
            AkariOp::Const => self.constant(op.constant(0)),
            AkariOp::GlobalConst | AkariOp::GlobalPlace | AkariOp::Resource => {
                Spelling::text(module.text(module.globals[op.global(0)].name).to_owned())
            }
            AkariOp::Compare => match Predicate::from_index(op.enumerated(0)) {
                Predicate::Eq => infix("==", Precedence::Equality),
                Predicate::Ne => infix("!=", Precedence::Equality),
                Predicate::Lt => infix("<", Precedence::Relational),
                Predicate::Le => infix("<=", Precedence::Relational),
                Predicate::Gt => infix(">", Precedence::Relational),
                Predicate::Ge => infix(">=", Precedence::Relational),
            },
            AkariOp::Neg => Spelling::prefix("-", operands[0]),
            AkariOp::BitNot => Spelling::prefix("~", operands[0]),
            AkariOp::Not => Spelling::prefix("!", operands[0]),
            AkariOp::AndThen | AkariOp::OrElse => {
                let (operator, precedence) = binary_operator(akari).unwrap_or(("&&", Precedence::AndThen));
                match yielded(module, op.regions[0]) {
                    Some(rhs) => Spelling::infix(operator, precedence, operands[0], rhs),
                    None => Spelling::text("/* no value */"),
                }
            }
            AkariOp::Select => conditional(operands[0], operands[1], operands[2]),
            AkariOp::Cond => match (yielded(module, op.regions[0]), yielded(module, op.regions[1])) {
                (Some(then), Some(otherwise)) => conditional(operands[0], then, otherwise),
                _ => Spelling::text("/* no value */"),
            },
            AkariOp::Convert | AkariOp::Splat => Spelling::call(type_name(), operands),
            AkariOp::Construct => match op.result.map(|result| module.value_kind(result)) {
                Some(TypeKind::Array(..) | TypeKind::Struct(_)) => Spelling::braces(operands),
                _ => Spelling::call(type_name(), operands),
            },
            AkariOp::Extract => {
                let (aggregate, index) = self.unswizzled(operands[0], &[op.int(0)]);
                self.part(aggregate, module.value_kind(aggregate), index[0])
            }
            AkariOp::Member => {
                let of = module.types.as_place(module.value_type(operands[0])).map(|(_, pointee)| module.kind(pointee));
                self.part(operands[0], of.unwrap_or(TypeKind::Sampler), op.int(0))
            }
            AkariOp::Index => self.element(operands[0], operands[1]),
            AkariOp::Element => {
                let of = module.types.as_place(module.value_type(operands[0])).map(|(_, pointee)| module.kind(pointee));
                match (of, constant_index(module, operands[1])) {
                    (Some(vector @ TypeKind::Vector(..)), Some(index)) => self.part(operands[0], vector, index),
                    _ => self.element(operands[0], operands[1]),
                }
            }
            AkariOp::BufferElement => self.element(operands[0], operands[1]),
            AkariOp::Swizzle => {
                let (vector, list) = self.unswizzled(operands[0], op.ints(0));
                Spelling::postfix(vector, format!(".{}", components(&list)))
            }
            AkariOp::Load
            | AkariOp::Contents
            | AkariOp::Let
            | AkariOp::Local
            | AkariOp::Yield
            | AkariOp::NonUniform => match operands.first() {
                Some(operand) => Spelling::same_as(*operand, Precedence::Whole),
                None => Spelling::text("/* no value */"),
            },
            AkariOp::Call => Spelling::call(module.text(module.functions[op.func(0)].name).to_owned(), operands),
            AkariOp::Builtin => self.language.builtin(module, id, Builtin::from_index(op.enumerated(0))),
            AkariOp::Add
            | AkariOp::Sub
            | AkariOp::Mul
            | AkariOp::Div
            | AkariOp::Rem
            | AkariOp::MatMul
            | AkariOp::And
            | AkariOp::Or
            | AkariOp::Xor
            | AkariOp::Shl
            | AkariOp::Shr => {
                let (operator, precedence) = binary_operator(akari).unwrap_or(("*", Precedence::Multiplicative));
                let mut spelling = infix(operator, precedence);
                if matches!(akari, AkariOp::And | AkariOp::Or | AkariOp::Xor) {
                    for (piece, operand) in [(0, operands[0]), (2, operands[1])] {
                        if let Some(mask) = self.mask(operand) {
                            spelling.pieces[piece] = Piece::Text(mask.into());
                        }
                    }
                }
                spelling
            }
            AkariOp::Store
            | AkariOp::StoreComponents
            | AkariOp::If
            | AkariOp::Loop
            | AkariOp::Switch
            | AkariOp::Break
            | AkariOp::Continue
            | AkariOp::Return
            | AkariOp::Discard
            | AkariOp::RayQueryBegin
            | AkariOp::RayQueryProceed
            | AkariOp::RayQueryHit
            | AkariOp::RayQueryCandidate
            | AkariOp::RayQueryAccept
            | AkariOp::Function
            | AkariOp::CallValue
            | AkariOp::None
            | AkariOp::IsNone
            | AkariOp::Repeat
            | AkariOp::SizeOf
            | AkariOp::OpenSwitch
            | AkariOp::Threads
            | AkariOp::Instance => Spelling::text(format!("/* {:?} */", op.def)),
        }
    }

    /// Components of a vector that is itself printed as components of another one, as components of that.
    fn unswizzled(&self, vector: ValueId, list: &[i64]) -> (ValueId, Vec<i64>) {
        let inner = self.module.defining_op(vector).and_then(|op| view::Swizzle::cast(self.module, op));
        match inner {
            Some(inner) => {
                let of = self.module.op(inner.0).ints(0);
                let list: Vec<i64> =
                    list.iter().map(|index| of.get(component(*index) as usize).copied().unwrap_or(0)).collect();
                self.unswizzled(inner.vector(self.module), &list)
            }
            None => (vector, list.to_vec()),
        }
    }

    /// The scalar that an undeclared vector repeats.
    #[must_use]
    pub fn filling_scalar(&self, value: ValueId) -> Option<Filling> {
        filling_scalar(self.language, self.module, value)
    }

    /// A constant.
    #[must_use]
    pub fn constant(&self, constant: akari_ir::ConstId) -> Spelling {
        let Literal { text, precedence } = literal(self.language, self.module, constant);
        Spelling { precedence, ..Spelling::text(text) }
    }

    /// A scalar constant of 32 bits in hexadecimal, as the operand of a bitwise operation.
    fn mask(&self, value: ValueId) -> Option<String> {
        let op = self.module.op(self.module.defining_op(value)?);
        let TypeKind::Scalar(scalar) = self.module.value_kind(value) else { return None };
        if AkariOp::of(op) != Some(AkariOp::Const) {
            return None;
        }
        let bits = self.module.scalar_bits(op.constant(0))?;
        match scalar {
            Scalar::U32 => super::literal::mask(bits, "u"),
            Scalar::I32 if bits <= i32::MAX as u64 => super::literal::mask(bits, ""),
            Scalar::I32 | Scalar::U64 | Scalar::Bool | Scalar::F16 | Scalar::F32 => None,
        }
    }

    /// `value[index]`, where an index that is a number needs no suffix.
    fn element(&self, value: ValueId, index: ValueId) -> Spelling {
        match constant_index(self.module, index) {
            Some(index) => Spelling::postfix(value, format!("[{index}]")),
            None => Spelling::element(value, index),
        }
    }

    /// The component, column, element or field of a value.
    fn part(&self, aggregate: ValueId, of: TypeKind, index: i64) -> Spelling {
        match of {
            TypeKind::Struct(id) => match self.module.structs[id].fields.get(index as usize) {
                Some(field) => Spelling::postfix(aggregate, format!(".{}", self.module.text(field.name))),
                None => Spelling::postfix(aggregate, ".missing"),
            },
            TypeKind::Vector(..) => Spelling::postfix(aggregate, format!(".{}", components(&[index]))),
            _ => Spelling::postfix(aggregate, format!("[{index}]")),
        }
    }
}

/// A scalar that fills a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// This value.
    Value(ValueId),
    /// This constant.
    Literal(Literal),
}

impl Filling {
    /// As an argument of a call.
    #[must_use]
    pub fn argument(self) -> Piece {
        match self {
            Self::Value(value) => Piece::Value(value, Precedence::Whole, Side::Left),
            Self::Literal(literal) => Piece::Text(literal.text.into()),
        }
    }
}

fn beside(scalar: &Filling, precedence: Precedence, side: Side) -> Piece {
    match scalar {
        Filling::Value(value) => Piece::Value(*value, precedence, side),
        Filling::Literal(literal) if needs_parentheses(precedence, side, literal.precedence) => {
            Piece::Text(format!("({})", literal.text).into())
        }
        Filling::Literal(literal) => Piece::Text(literal.text.clone().into()),
    }
}

/// The scalar that a vector repeats which is printed where it is used.
#[must_use]
pub fn filling_scalar(language: &impl Language, module: &Module, value: ValueId) -> Option<Filling> {
    let TypeKind::Vector(scalar, _) = module.value_kind(value) else { return None };
    let op = module.op(module.defining_op(value)?);
    match AkariOp::of(op)? {
        AkariOp::Splat => Some(Filling::Value(op.operands[0])),
        AkariOp::Const => match module.constant(op.constant(0)) {
            Constant::Zero(_) => Some(Filling::Literal(language.literal(scalar, 0))),
            Constant::Composite(_, parts) if parts.iter().all(|part| part == &parts[0]) => {
                Some(Filling::Literal(literal(language, module, parts[0])))
            }
            Constant::Composite(..) | Constant::Scalar(..) => None,
        },
        _ => None,
    }
}

/// The text of a constant.
#[must_use]
pub fn literal(language: &impl Language, module: &Module, constant: akari_ir::ConstId) -> Literal {
    match *module.constant(constant) {
        Constant::Scalar(ty, bits) => match module.kind(ty) {
            TypeKind::Scalar(scalar) => language.literal(scalar, bits),
            _ => language.composite_constant(module, constant),
        },
        Constant::Composite(..) | Constant::Zero(_) => language.composite_constant(module, constant),
    }
}

fn conditional(condition: ValueId, then: ValueId, otherwise: ValueId) -> Spelling {
    use Precedence::Conditional;
    let mut spelling = Spelling::same_as(condition, Conditional);
    spelling.push_text(" ? ");
    spelling.pieces.push(Piece::Value(then, Conditional, Side::Left));
    spelling.push_text(" : ");
    spelling.pieces.push(Piece::Value(otherwise, Conditional, Side::Right));
    spelling
}

/// The C operator of a binary operation.
#[must_use]
pub fn binary_operator(op: AkariOp) -> Option<(&'static str, Precedence)> {
    Some(match op {
        AkariOp::Add => ("+", Precedence::Additive),
        AkariOp::Sub => ("-", Precedence::Additive),
        AkariOp::Mul | AkariOp::MatMul => ("*", Precedence::Multiplicative),
        AkariOp::Div => ("/", Precedence::Multiplicative),
        AkariOp::Rem => ("%", Precedence::Multiplicative),
        AkariOp::And => ("&", Precedence::BitAnd),
        AkariOp::Or => ("|", Precedence::BitOr),
        AkariOp::Xor => ("^", Precedence::BitXor),
        AkariOp::Shl => ("<<", Precedence::Shift),
        AkariOp::Shr => (">>", Precedence::Shift),
        AkariOp::AndThen => ("&&", Precedence::AndThen),
        AkariOp::OrElse => ("||", Precedence::OrElse),
        _ => return None,
    })
}

/// `xyzw` or `rgba` of component numbers.
#[must_use]
pub fn components(components: &[i64]) -> String {
    let is_colour = components.iter().any(|number| *number >= COLOUR);
    let letters = if is_colour { ['r', 'g', 'b', 'a'] } else { ['x', 'y', 'z', 'w'] };
    components.iter().map(|number| letters[component(*number) as usize]).collect()
}

/// The value of a scalar integer constant.
#[must_use]
pub fn constant_index(module: &Module, value: ValueId) -> Option<i64> {
    let op = module.op(module.defining_op(value)?);
    if AkariOp::of(op) != Some(AkariOp::Const) {
        return None;
    }
    module.scalar_bits(op.constant(0)).and_then(|bits| i64::try_from(bits).ok())
}

/// Whether the operation's result is declared under a name.
#[must_use]
pub fn is_declaration(module: &Module, op: OpId) -> bool {
    module.op(op).def.traits.has(Traits::DECLARES)
}
