//! Constants that depend on `const` parameters: how they are written down, when two are one, and what becomes of them where a
//! call gives the parameters.

use akari_dialect::AkariOp;
use akari_dialect::fold::{self, Fault};
use akari_ir::entity::{ConstId, Entity};
use akari_ir::intern::Interner;
use akari_ir::op::Attr;
use akari_ir::{OpenConst, OpenConstId, Scalar};
use smallvec::SmallVec;

use super::constant::integer;
use super::program::Program;
use super::types::{Signature, Ty, TyKind};
use crate::syntax::names::Name;

/// An interned open constant; equal ids are equal constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OpenId(u32);

impl Entity for OpenId {
    fn from_index(index: u32) -> Self {
        Self(index)
    }
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// A constant that may depend on parameters of the function around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Open {
    /// A `const` parameter, by its position.
    Parameter {
        /// Its position among the parameters.
        index: u32,
        /// Its name.
        name: Name,
        /// Its type.
        ty: Ty,
    },
    /// Whether the optional parameter at a position is `none`. Not part of types.
    IsNone(u32),
    /// The bytes that a type takes which holds arrays whose length is open, in a uniform or in storage. Not part of types.
    SizeOf(Ty, bool),
    /// A constant.
    Known(ConstId),
    /// An operation on constants.
    Apply {
        /// The operation.
        op: AkariOp,
        /// Its attributes.
        attrs: Box<[Attr]>,
        /// What it is applied to.
        operands: Box<[OpenId]>,
        /// The type of the result.
        ty: Ty,
    },
}

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// Known here.
    Known(ConstId),
    /// Known once the `const` parameters are.
    Open(OpenId),
}

/// How large an open constant may be, written out. What is larger is no constant, so that none takes long to look through.
const MAX_SIZE: u32 = 1000;

/// The open constants of a program.
#[derive(Clone, Debug, Default)]
pub struct OpenTable {
    constants: Interner<OpenId, Open>,
    sizes: Vec<u32>,
}

impl OpenTable {
    /// The id of an open constant; none where it is too large.
    fn intern(&mut self, open: Open) -> Option<OpenId> {
        let size = match &open {
            Open::Parameter { .. } | Open::IsNone(_) | Open::SizeOf(..) | Open::Known(_) => 1,
            Open::Apply { operands, .. } => {
                let parts: u32 = operands.iter().map(|operand| self.sizes[operand.index()]).sum();
                parts + 1
            }
        };
        if size > MAX_SIZE {
            return None;
        }
        let id = self.constants.intern(open);
        if id.index() == self.sizes.len() {
            self.sizes.push(size);
        }
        Some(id)
    }

    /// An open constant.
    #[must_use]
    pub fn get(&self, id: OpenId) -> &Open {
        self.constants.get(id)
    }
}

impl Program<'_> {
    /// An open constant, unless it is too large.
    pub(super) fn intern_open(&mut self, open: Open) -> Result<Value, Fault> {
        self.open.intern(open).map(Value::Open).ok_or(Fault::NotFoldable)
    }

    pub(super) fn open_of(&mut self, value: Value) -> Result<OpenId, Fault> {
        match value {
            Value::Known(value) => self.open.intern(Open::Known(value)).ok_or(Fault::NotFoldable),
            Value::Open(open) => Ok(open),
        }
    }

    /// The value of an operation on constants.
    pub(super) fn apply(&mut self, op: AkariOp, attrs: &[Attr], operands: &[Value], ty: Ty) -> Result<Value, Fault> {
        let known: Option<SmallVec<[ConstId; 4]>> = operands
            .iter()
            .map(|operand| match operand {
                Value::Known(value) => Some(*value),
                Value::Open(_) => None,
            })
            .collect();
        let result = self.erase(ty);
        if let Some(known) = known {
            return fold::fold_constant_expression(&mut self.module, op, attrs, &known, result).map(Value::Known);
        }
        if let Some(value) = self.polynomial(op, operands, ty)? {
            return Ok(value);
        }
        let operands: Result<Box<[OpenId]>, Fault> = operands.iter().map(|operand| self.open_of(*operand)).collect();
        self.intern_open(Open::Apply { op, attrs: attrs.into(), operands: operands?, ty })
    }

    /// What an open constant is where the parameters have these values; none where one of them is missing.
    ///
    /// # Errors
    /// The fault of an operation that has no value then.
    pub(super) fn substitute_open(
        &mut self,
        open: OpenId,
        arguments: &[Option<Value>],
    ) -> Result<Option<Value>, Fault> {
        match self.open.get(open).clone() {
            Open::Parameter { index, .. } => Ok(arguments.get(index as usize).copied().flatten()),
            Open::IsNone(_) | Open::SizeOf(..) => Ok(None),
            Open::Known(value) => Ok(Some(Value::Known(value))),
            Open::Apply { op: AkariOp::Select, operands, ty, attrs } if operands.len() == 3 => {
                // One arm alone counts where the condition is known: the other may have no value.
                let Some(condition) = self.substitute_open(operands[0], arguments)? else {
                    return Ok(None);
                };
                if let Value::Known(condition) = condition
                    && let Some(bits) = self.module.scalar_bits(condition)
                {
                    return self.substitute_open(operands[if bits == 0 { 2 } else { 1 }], arguments);
                }
                let (Some(yes), Some(no)) =
                    (self.substitute_open(operands[1], arguments)?, self.substitute_open(operands[2], arguments)?)
                else {
                    return Ok(None);
                };
                self.apply(AkariOp::Select, &attrs, &[condition, yes, no], ty).map(Some)
            }
            Open::Apply { op, attrs, operands, ty } => {
                let mut values: SmallVec<[Value; 4]> = SmallVec::new();
                for operand in &operands {
                    match self.substitute_open(*operand, arguments)? {
                        Some(value) => values.push(value),
                        None => return Ok(None),
                    }
                }
                self.apply(op, &attrs, &values, ty).map(Some)
            }
        }
    }

    /// A type of a function's signature where the parameters have these values. [`Ty::ERROR`] where a value is missing.
    ///
    /// # Errors
    /// What is wrong with an array length then.
    pub(super) fn substitute(&mut self, ty: Ty, arguments: &[Option<Value>]) -> Result<Ty, String> {
        let kind = match self.kind(ty) {
            TyKind::OpenArray(element, length) | TyKind::OpenResourceArray(element, length) => {
                let is_of_resources = self.kind(element).is_handle();
                let element = self.substitute(element, arguments)?;
                let value = self.substitute_open(length, arguments).map_err(|fault| {
                    let why = match fault {
                        Fault::DivisionByZero => "divides by zero",
                        Fault::ShiftCount => "shifts by the width or more",
                        Fault::Index => "indexes out of range",
                        Fault::NotFoldable | Fault::NotFinite | Fault::OutOfRange => "has no value",
                    };
                    format!("the array length `{}` {why} here", self.show_open(length))
                })?;
                let Some(value) = value else {
                    return Ok(Ty::ERROR);
                };
                if element == Ty::ERROR {
                    return Ok(Ty::ERROR);
                }
                match value {
                    Value::Open(length) if is_of_resources => TyKind::OpenResourceArray(element, length),
                    Value::Open(length) => TyKind::OpenArray(element, length),
                    Value::Known(known) => {
                        let bits = self.module.scalar_bits(known).unwrap_or(0);
                        let number = integer(self.scalar_of(known), bits);
                        match u32::try_from(number) {
                            Ok(length) if length > 0 && is_of_resources => TyKind::ResourceArray(element, length),
                            Ok(length) if length > 0 => TyKind::Array(element, length),
                            _ => {
                                return Err(format!(
                                    "the array length `{}` is {number} here: it must be positive",
                                    self.show_open(length)
                                ));
                            }
                        }
                    }
                }
            }
            TyKind::Array(element, length) => TyKind::Array(self.substitute(element, arguments)?, length),
            TyKind::Buffer(kind, element) => TyKind::Buffer(kind, self.substitute(element, arguments)?),
            TyKind::Function(id) => {
                let signature = self.types.signature(id).clone();
                let mut params = Vec::with_capacity(signature.params.len());
                for (mode, ty) in &signature.params {
                    params.push((*mode, self.substitute(*ty, arguments)?));
                }
                let result = self.substitute(signature.result, arguments)?;
                return Ok(self.types.function(Signature { params: params.into(), result }));
            }
            TyKind::Error
            | TyKind::Nothing
            | TyKind::Scalar(_)
            | TyKind::Vector(..)
            | TyKind::Matrix { .. }
            | TyKind::Struct(_)
            | TyKind::Enum(_)
            | TyKind::Bitfield(_)
            | TyKind::ResourceArray(..)
            | TyKind::Texture(..)
            | TyKind::StorageTexture(..)
            | TyKind::Sampler
            | TyKind::SamplerCmp
            | TyKind::AccelStruct
            | TyKind::BufferTable
            | TyKind::TextureTable => return Ok(ty),
        };
        Ok(match kind {
            TyKind::Array(Ty::ERROR, _) | TyKind::Buffer(_, Ty::ERROR) => Ty::ERROR,
            kind => self.types.intern(kind),
        })
    }

    /// Whether an array length in the type depends on parameters.
    #[must_use]
    pub fn is_open(&self, ty: Ty) -> bool {
        match self.kind(ty) {
            TyKind::OpenArray(..) | TyKind::OpenResourceArray(..) => true,
            TyKind::Function(id) => {
                let signature = self.types.signature(id);
                self.is_open(signature.result) || signature.params.iter().any(|(_, ty)| self.is_open(*ty))
            }
            kind => kind.element().is_some_and(|element| self.is_open(element)),
        }
    }

    /// The positions of the parameters that array lengths in the type depend on.
    pub(super) fn open_parameters(&self, ty: Ty, found: &mut SmallVec<[u32; 4]>) {
        match self.kind(ty) {
            TyKind::OpenArray(element, length) | TyKind::OpenResourceArray(element, length) => {
                self.open_parameters(element, found);
                self.parameters_of(length, found);
            }
            TyKind::Function(id) => {
                let signature = self.types.signature(id);
                for (_, ty) in &signature.params {
                    self.open_parameters(*ty, found);
                }
                self.open_parameters(signature.result, found);
            }
            kind => {
                if let Some(element) = kind.element() {
                    self.open_parameters(element, found);
                }
            }
        }
    }

    fn parameters_of(&self, open: OpenId, found: &mut SmallVec<[u32; 4]>) {
        match self.open.get(open) {
            Open::Parameter { index, .. } => {
                if !found.contains(index) {
                    found.push(*index);
                }
            }
            Open::IsNone(_) | Open::SizeOf(..) | Open::Known(_) => {}
            Open::Apply { operands, .. } => {
                for operand in operands {
                    self.parameters_of(*operand, found);
                }
            }
        }
    }

    /// Why no array length may depend on an open constant, if none may.
    pub(super) fn why_no_length(&self, open: OpenId) -> Option<&'static str> {
        match self.open.get(open) {
            Open::IsNone(_) => Some("an array length cannot depend on an optional parameter"),
            Open::SizeOf(..) => {
                Some("an array length cannot depend on the size of a type that depends on a `const` parameter")
            }
            Open::Parameter { .. } | Open::Known(_) => None,
            Open::Apply { operands, .. } => operands.iter().find_map(|operand| self.why_no_length(*operand)),
        }
    }

    /// The open constant of the IR.
    pub(super) fn erase_open(&mut self, open: OpenId) -> OpenConstId {
        let erased = match self.open.get(open).clone() {
            Open::Parameter { index, ty, .. } => OpenConst::Parameter(index, self.erase(ty)),
            Open::Known(value) => OpenConst::Known(value),
            // No type depends on these.
            Open::IsNone(_) | Open::SizeOf(..) => OpenConst::Known(self.module.scalar_constant(Scalar::U32, 0)),
            Open::Apply { op, attrs, operands, ty } => OpenConst::Apply {
                def: op.def(),
                attrs: attrs.iter().cloned().collect(),
                operands: operands.iter().map(|operand| self.erase_open(*operand)).collect(),
                ty: self.erase(ty),
            },
        };
        self.module.open_constants.intern(erased)
    }

    /// An open constant as its author might write it.
    #[must_use]
    pub fn show_open(&self, open: OpenId) -> String {
        match self.open.get(open) {
            Open::Parameter { name, .. } => self.text(*name).to_owned(),
            Open::IsNone(_) => "…".to_owned(),
            Open::SizeOf(ty, _) => format!("sizeof({})", self.show(*ty)),
            Open::Known(value) => self.show_constant(*value),
            Open::Apply { op, operands, .. } => {
                let (sign, level) = match op {
                    AkariOp::Add => ("+", 1),
                    AkariOp::Sub => ("-", 1),
                    AkariOp::Mul => ("*", 2),
                    AkariOp::Div => ("/", 2),
                    AkariOp::Rem => ("%", 2),
                    AkariOp::Shl => ("<<", 0),
                    AkariOp::Shr => (">>", 0),
                    AkariOp::And => ("&", 0),
                    AkariOp::Or => ("|", 0),
                    AkariOp::Xor => ("^", 0),
                    _ => return "…".to_owned(),
                };
                let [a, b] = **operands else {
                    return "…".to_owned();
                };
                let part = |operand: OpenId, is_right: bool| {
                    let inner = match self.open.get(operand) {
                        Open::Apply { op: AkariOp::Add | AkariOp::Sub, .. } => 1,
                        Open::Apply { op: AkariOp::Mul | AkariOp::Div | AkariOp::Rem, .. } => 2,
                        Open::Apply { .. } => 0,
                        _ => 3,
                    };
                    let binds = inner > level || inner == level && level > 0 && !is_right;
                    let text = self.show_open(operand);
                    if binds || inner == 3 { text } else { format!("({text})") }
                };
                format!("{} {sign} {}", part(a, false), part(b, true))
            }
        }
    }

    /// A scalar constant as a literal; `…` for anything else.
    pub(super) fn show_constant(&self, value: ConstId) -> String {
        match (self.scalar_of(value), self.module.scalar_bits(value)) {
            (Scalar::Bool, Some(bits)) => (bits != 0).to_string(),
            (Scalar::F32, Some(bits)) => f32::from_bits(bits as u32).to_string(),
            (scalar, Some(bits)) if scalar.is_integer() => integer(scalar, bits).to_string(),
            _ => "…".to_owned(),
        }
    }

    fn scalar_of(&self, value: ConstId) -> Scalar {
        let ty = self.module.constant(value).ty();
        self.module.kind(ty).scalar().unwrap_or(Scalar::U32)
    }
}
