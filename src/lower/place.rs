//! Places: where values are read from and written to.

use akari_dialect::{AkariOp, COLOUR};
use akari_ir::op::Attr;
use akari_ir::types::BufferKind;
use akari_ir::{Scalar, Space, ValueId};

use super::function::{FunctionLowerer, Slot};
use crate::sema::tree::{BitRange, Components, ExprId, ExprKind};
use crate::sema::types::TyKind;

/// Where a value is written to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// All that is in a place.
    Whole(ValueId),
    /// Components of the vector in a place.
    Components(ValueId, Components),
    /// A field of the bitfield in a place.
    Bits(ValueId, BitRange),
}

pub(super) fn component_list(components: Components) -> Attr {
    let spelling = if components.is_colour() { COLOUR } else { 0 };
    let numbers = components.as_slice().iter().map(|index| i64::from(*index) + spelling);
    Attr::Ints(numbers.collect())
}

impl FunctionLowerer<'_, '_, '_, '_> {
    fn kind(&self, expr: ExprId) -> TyKind {
        self.outer.program.kind(self.body.expr(expr).ty)
    }

    /// Whether the expression names something in memory, as opposed to (a part of) a value.
    pub(super) fn is_place(&self, expr: ExprId) -> bool {
        match self.body.expr(expr).kind {
            ExprKind::Local(local) => match self.slots[local.0 as usize] {
                Some(Slot::Value(_)) => false,
                Some(Slot::Place(_) | Slot::Shared(_)) => true,
                None => self.known_local(local).is_none(),
            },
            ExprKind::Contents(_) => true,
            ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) | ExprKind::Bits(base, _) => self.is_place(base),
            ExprKind::Index(base, _) => {
                if let ExprKind::Swizzle(..) = self.body.expr(base).kind {
                    return false;
                }
                matches!(self.kind(base), TyKind::Buffer(..)) || self.is_place(base)
            }
            _ => false,
        }
    }

    /// Whether the expression is an element of a module-level constant at an index known at run time only.
    pub(super) fn is_computed_part_of_constant(&self, expr: ExprId) -> bool {
        let mut part = expr;
        let mut computed = false;
        loop {
            match self.body.expr(part).kind {
                ExprKind::Constant(_) => return computed,
                ExprKind::Field(base, _) => part = base,
                ExprKind::Index(base, index) => {
                    let known = matches!(
                        self.body.expr(index).kind,
                        ExprKind::Const(_) | ExprKind::EnumCase(..) | ExprKind::Constant(_)
                    );
                    computed |= !known;
                    part = base;
                }
                _ => return false,
            }
        }
    }

    /// The place of an expression for which [`Self::is_place`] or [`Self::is_computed_part_of_constant`] holds, as a place of the
    /// IR.
    pub(super) fn address(&mut self, expr: ExprId) -> ValueId {
        let body = self.body;
        let node = body.expr(expr);
        match node.kind {
            ExprKind::Local(local) => match self.slot(local) {
                Slot::Place(place) | Slot::Value(place) => place,
                Slot::Shared(global) => {
                    self.at(expr);
                    self.shared_place(global)
                }
            },
            ExprKind::Constant(id) => {
                let pointee = self.erase(node.ty);
                let ty = self.module().types.place(Space::Constant, pointee);
                self.at(expr);
                match self.outer.constants[id.index()] {
                    Some(global) => self.value_of(AkariOp::GlobalPlace, &[], &[Attr::Global(global)], ty),
                    None => self.temporary(expr),
                }
            }
            ExprKind::Contents(buffer) => {
                let buffer = self.value(buffer);
                let pointee = self.erase(node.ty);
                let ty = self.module().types.place(Space::Uniform, pointee);
                self.at(expr);
                self.value_of(AkariOp::Contents, &[buffer], &[], ty)
            }
            ExprKind::Field(base, index) => {
                let base = self.address(base);
                self.part_of(AkariOp::Member, &[base], Some(index), expr)
            }
            ExprKind::Index(base, index) => match self.kind(base) {
                TyKind::Buffer(kind, _) if kind != BufferKind::Uniform => {
                    let buffer = self.value(base);
                    let index = self.value(index);
                    let pointee = self.erase(node.ty);
                    let ty = self.module().types.place(kind.space(), pointee);
                    self.at(expr);
                    self.value_of(AkariOp::BufferElement, &[buffer, index], &[], ty)
                }
                _ => {
                    let base = self.address(base);
                    let index = self.value(index);
                    self.part_of(AkariOp::Element, &[base, index], None, expr)
                }
            },
            _ => self.temporary(expr),
        }
    }

    /// A part of the place that is the first operand.
    fn part_of(&mut self, op: AkariOp, operands: &[ValueId], index: Option<u32>, expr: ExprId) -> ValueId {
        let pointee = self.erase(self.body.expr(expr).ty);
        let base = self.ty_of(operands[0]);
        let space = self.module().types.as_place(base).map_or(Space::Function, |(space, _)| space);
        let ty = self.module().types.place(space, pointee);
        self.at(expr);
        match index {
            Some(index) => self.value_of(op, operands, &[Attr::Int(i64::from(index))], ty),
            None => self.value_of(op, operands, &[], ty),
        }
    }

    /// A nameless variable that holds the value of an expression.
    pub(super) fn temporary(&mut self, expr: ExprId) -> ValueId {
        let value = self.value(expr);
        let pointee = self.ty_of(value);
        let ty = self.module().types.place(Space::Function, pointee);
        self.at(expr);
        self.value_of(AkariOp::Local, &[value], &[], ty)
    }

    /// The place that an assignment writes.
    pub(super) fn place(&mut self, expr: ExprId) -> Place {
        match self.body.expr(expr).kind {
            ExprKind::Swizzle(base, components) => match self.place(base) {
                Place::Components(place, inner) => {
                    let inner = inner.as_slice().to_vec();
                    let list: Vec<u8> = components.as_slice().iter().map(|index| inner[usize::from(*index)]).collect();
                    Place::Components(place, Components::new(&list, components.is_colour()))
                }
                Place::Whole(place) | Place::Bits(place, _) => Place::Components(place, components),
            },
            ExprKind::Bits(base, bits) => match self.place(base) {
                Place::Whole(place) | Place::Bits(place, _) | Place::Components(place, _) => Place::Bits(place, bits),
            },
            _ => Place::Whole(self.address(expr)),
        }
    }

    /// The value in a place.
    pub(super) fn load(&mut self, place: ValueId) -> ValueId {
        let ty = self.ty_of(place);
        let pointee = self.module().types.as_place(ty).map_or(ty, |(_, pointee)| pointee);
        self.value_of(AkariOp::Load, &[place], &[], pointee)
    }

    /// The value of what an assignment writes.
    pub(super) fn read(&mut self, place: Place) -> ValueId {
        match place {
            Place::Whole(place) => self.load(place),
            Place::Components(place, components) => {
                let vector = self.load(place);
                self.swizzle(vector, components)
            }
            Place::Bits(place, bits) => {
                let word = self.load(place);
                self.bits_of(word, bits)
            }
        }
    }

    /// Writes a place.
    pub(super) fn write(&mut self, place: Place, value: ValueId) {
        match place {
            Place::Whole(place) => {
                self.emit(AkariOp::Store, &[place, value], &[], None);
            }
            Place::Components(place, components) => {
                self.emit(AkariOp::StoreComponents, &[place, value], &[component_list(components)], None);
            }
            Place::Bits(place, bits) => {
                let word = self.load(place);
                let kept = self.without_bits(word, mask_of(bits));
                let field = self.placed_bits(value, bits);
                let word = match kept {
                    Some(kept) => self.binary_uint(AkariOp::Or, kept, field),
                    None => field,
                };
                self.emit(AkariOp::Store, &[place, word], &[], None);
            }
        }
    }

    pub(super) fn swizzle(&mut self, vector: ValueId, components: Components) -> ValueId {
        let ty = self.ty_of(vector);
        let scalar = self.module().kind(ty).scalar().unwrap_or(Scalar::F32);
        let width = components.as_slice().len() as u8;
        let ty = self.module().types.vector(scalar, width);
        self.value_of(AkariOp::Swizzle, &[vector], &[component_list(components)], ty)
    }

    pub(super) fn binary_uint(&mut self, op: AkariOp, lhs: ValueId, rhs: ValueId) -> ValueId {
        let ty = self.module().types.scalar(Scalar::U32);
        self.value_of(op, &[lhs, rhs], &[], ty)
    }

    /// A field of a word.
    pub(super) fn bits_of(&mut self, word: ValueId, bits: BitRange) -> ValueId {
        let mut value = word;
        if bits.offset > 0 {
            let offset = self.uint(bits.offset);
            value = self.binary_uint(AkariOp::Shr, value, offset);
        }
        if bits.offset + bits.width < 32 {
            let mask = self.uint(low_mask(bits.width));
            value = self.binary_uint(AkariOp::And, value, mask);
        }
        value
    }

    /// A field's value, masked, where it stands in the word.
    pub(super) fn placed_bits(&mut self, value: ValueId, bits: BitRange) -> ValueId {
        let mut value = value;
        if bits.offset + bits.width < 32 {
            let mask = self.uint(low_mask(bits.width));
            value = self.binary_uint(AkariOp::And, value, mask);
        }
        if bits.offset > 0 {
            let offset = self.uint(bits.offset);
            value = self.binary_uint(AkariOp::Shl, value, offset);
        }
        value
    }

    /// A word with bits cleared; none where none is left.
    pub(super) fn without_bits(&mut self, word: ValueId, mask: u32) -> Option<ValueId> {
        if mask == u32::MAX {
            return None;
        }
        let keep = self.uint(!mask);
        Some(self.binary_uint(AkariOp::And, word, keep))
    }
}

fn low_mask(width: u32) -> u32 {
    ((1_u64 << width) - 1) as u32
}

/// The bits of a field in its word.
pub(super) fn mask_of(bits: BitRange) -> u32 {
    low_mask(bits.width) << bits.offset
}
