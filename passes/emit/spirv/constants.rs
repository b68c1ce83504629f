//! Constants, each declared once.

use akari_dialect_spirv::Opcode;
use akari_ir::constant::Constant;
use akari_ir::entity::{ConstId, ValueId};
use akari_ir::types::{Scalar, TypeKind};

use super::emitter::Emitter;
use super::words::push;
use crate::analysis::constants::constant_of;

impl Emitter<'_> {
    /// A scalar constant.
    pub(super) fn scalar(&mut self, scalar: Scalar, bits: u64) -> u32 {
        if let Some(id) = self.scalars.get(&(scalar, bits)) {
            return *id;
        }
        let ty = self.vector_type(scalar, 1);
        let id = self.fresh();
        let globals = &mut self.sections.globals;
        match scalar {
            Scalar::Bool => {
                let opcode = if bits == 0 { Opcode::ConstantFalse } else { Opcode::ConstantTrue };
                push(globals, opcode, &[ty, id]);
            }
            Scalar::U64 => push(globals, Opcode::Constant, &[ty, id, bits as u32, (bits >> 32) as u32]),
            Scalar::I32 | Scalar::U32 | Scalar::F16 | Scalar::F32 => {
                push(globals, Opcode::Constant, &[ty, id, bits as u32]);
            }
        }
        self.scalars.insert((scalar, bits), id);
        id
    }

    /// A `u32` constant.
    pub(super) fn uint(&mut self, value: u32) -> u32 {
        self.scalar(Scalar::U32, u64::from(value))
    }

    /// A number as a float of either width.
    pub(super) fn number(&mut self, scalar: Scalar, value: f32) -> u32 {
        let bits = match scalar {
            Scalar::F16 => u64::from(half::f16::from_f32(value).to_bits()),
            _ => u64::from(value.to_bits()),
        };
        self.scalar(scalar, bits)
    }

    /// A constant with the same scalar in each component.
    pub(super) fn splat_constant(&mut self, scalar: Scalar, width: u8, bits: u64) -> u32 {
        let component = self.scalar(scalar, bits);
        self.repeat_constant(component, scalar, width)
    }

    /// As [`Self::number`], in each component.
    pub(super) fn splat_number(&mut self, scalar: Scalar, width: u8, value: f32) -> u32 {
        let component = self.number(scalar, value);
        self.repeat_constant(component, scalar, width)
    }

    fn repeat_constant(&mut self, component: u32, scalar: Scalar, width: u8) -> u32 {
        if width == 1 {
            return component;
        }
        let ty = self.vector_type(scalar, width);
        self.composite(ty, &[component; 4][..usize::from(width)])
    }

    /// A composite constant.
    pub(super) fn composite(&mut self, ty: u32, parts: &[u32]) -> u32 {
        let mut key = Vec::with_capacity(parts.len() + 1);
        key.push(ty);
        key.extend_from_slice(parts);
        if let Some(id) = self.composites.get(&key) {
            return *id;
        }
        let id = self.fresh();
        let globals = &mut self.sections.globals;
        globals.push(((parts.len() as u32 + 3) << 16) | Opcode::ConstantComposite as u32);
        globals.extend([ty, id]);
        globals.extend_from_slice(parts);
        self.composites.insert(key, id);
        id
    }

    /// The constant with all bits zero.
    pub(super) fn null(&mut self, ty: u32) -> u32 {
        if let Some(id) = self.nulls.get(&ty) {
            return *id;
        }
        let id = self.type_id_of(Opcode::ConstantNull, ty);
        self.nulls.insert(ty, id);
        id
    }

    fn type_id_of(&mut self, opcode: Opcode, ty: u32) -> u32 {
        let id = self.fresh();
        push(&mut self.sections.globals, opcode, &[ty, id]);
        id
    }

    /// A constant of the IR.
    pub(super) fn constant(&mut self, constant: ConstId) -> u32 {
        let known = *self.constants.get(constant);
        if known != 0 {
            return known;
        }
        let module = self.module;
        let id = match module.constant(constant) {
            Constant::Scalar(ty, bits) => match module.kind(*ty) {
                TypeKind::Scalar(scalar) => self.scalar(scalar, *bits),
                _ => {
                    self.fail("a scalar constant of a type that is no scalar");
                    self.uint(0)
                }
            },
            Constant::Composite(ty, parts) => {
                let parts: Vec<u32> = parts.iter().map(|part| self.constant(*part)).collect();
                let ty = self.value_type(*ty);
                self.composite(ty, &parts)
            }
            Constant::Zero(ty) => {
                let ty = self.value_type(*ty);
                self.null(ty)
            }
        };
        self.constants.set(constant, id);
        id
    }

    /// The bits of a constant scalar.
    pub(super) fn scalar_of(&self, value: ValueId) -> Option<u64> {
        self.module.scalar_bits(constant_of(self.module, value)?)
    }
}
