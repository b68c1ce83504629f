//! Parsing types, constants and interface attributes.

use super::keywords::value_of;
use super::lex::{ParseError, Token};
use super::parse::Parser;
use crate::constant::{Constant, OpenConst};
use crate::entity::{ConstId, OpenConstId, Type};
use crate::interface::{
    Address, BindingSource, Compare, FieldRole, Filter, Interpolation, ParamRole, PassMode, SamplerState, SystemValue,
};
use crate::slots::{Descriptor, Register, RegisterClass, Slot};
use crate::types::{BufferKind, MemoryType, Scalar, Signature, Space, StorageFormat, TexelKind, TextureDim, TypeKind};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        if let Token::Global(name, count) = &self.token {
            let key = (name.clone(), *count);
            let id = *self.structs.get(&key).ok_or_else(|| self.error("no struct of this name stands before"))?;
            self.advance()?;
            return Ok(self.module.types.intern(TypeKind::Struct(id)));
        }
        let word = self.word("a type")?;
        if let Some(scalar) = value_of(&Scalar::ALL, &word) {
            return Ok(self.module.types.scalar(scalar));
        }
        if word == "fn" {
            return self.signature();
        }
        let kind = match word.as_str() {
            "sampler" => TypeKind::Sampler,
            "sampler_cmp" => TypeKind::SamplerCmp,
            "accel_struct" => TypeKind::AccelStruct,
            "ray_query" => TypeKind::Memory(MemoryType::RayQuery),
            "bytes" => TypeKind::Memory(MemoryType::Bytes),
            "buffer_table" => TypeKind::BufferTable,
            "texture_table" => TypeKind::TextureTable,
            _ => return self.parametric(&word),
        };
        Ok(self.module.types.intern(kind))
    }

    fn signature(&mut self) -> Result<Type, ParseError> {
        self.mark('(')?;
        let mut params = Vec::new();
        while !self.eat(')')? {
            if !params.is_empty() {
                self.mark(',')?;
            }
            let mode = self.pass_mode()?;
            params.push((mode, self.ty()?));
        }
        let result = if self.eat_arrow()? { Some(self.ty()?) } else { None };
        Ok(self.module.types.function(Signature { params: params.into(), result }))
    }

    pub(super) fn pass_mode(&mut self) -> Result<PassMode, ParseError> {
        // `ref<…>` is the type of a place, not a way to pass one.
        if self.begins_place() {
            return Ok(PassMode::Value);
        }
        Ok(if self.eat_word("ref")? {
            PassMode::Ref
        } else if self.eat_word("inout")? {
            PassMode::Inout
        } else {
            PassMode::Value
        })
    }

    fn open_constant(&mut self) -> Result<OpenConstId, ParseError> {
        let word = self.word("`param`, `known` or an operation")?;
        let constant = match word.as_str() {
            "param" => {
                let number = self.number()?;
                OpenConst::Parameter(number, self.ty()?)
            }
            "known" => {
                let ty = self.ty()?;
                OpenConst::Known(self.constant(ty)?)
            }
            dialect => {
                self.mark('.')?;
                let def = self.operation(dialect)?;
                let attrs = self.attrs(def, &mut Vec::new())?;
                self.mark('(')?;
                let mut operands = Vec::new();
                while !self.eat(')')? {
                    if !operands.is_empty() {
                        self.mark(',')?;
                    }
                    operands.push(self.open_constant()?);
                }
                if !self.eat_arrow()? {
                    return Err(self.error("`->` must stand here"));
                }
                OpenConst::Apply { def, attrs, operands: operands.into(), ty: self.ty()? }
            }
        };
        Ok(self.module.open_constants.intern(constant))
    }

    fn parametric(&mut self, word: &str) -> Result<Type, ParseError> {
        self.mark('<')?;
        let kind = match word {
            "vec" => {
                let scalar = self.named(&Scalar::ALL, "a scalar type")?;
                self.mark(',')?;
                let width = self.small(2, 4)?;
                TypeKind::Vector(scalar, width)
            }
            "mat" => {
                let columns = self.small(2, 4)?;
                self.mark(',')?;
                TypeKind::Matrix { columns, rows: self.small(2, 4)? }
            }
            "packed" => {
                let scalar = self.named(&Scalar::ALL, "a scalar type")?;
                self.mark(',')?;
                TypeKind::Memory(MemoryType::PackedVector(scalar, self.small(2, 4)?))
            }
            "atomic" => TypeKind::Memory(MemoryType::Atomic(self.named(&Scalar::ALL, "a scalar type")?)),
            "padding" => TypeKind::Memory(MemoryType::Padding(self.number()?)),
            "array" | "resources" => {
                let element = self.ty()?;
                self.mark(',')?;
                let length = self.number()?;
                if word == "array" {
                    TypeKind::Array(element, length)
                } else {
                    TypeKind::ResourceArray(element, length)
                }
            }
            "open" => {
                let element = self.ty()?;
                self.mark(',')?;
                TypeKind::OpenArray(element, self.open_constant()?)
            }
            "ref" => {
                let space = self.named(&Space::ALL, "a space")?;
                self.mark(',')?;
                TypeKind::Place(space, self.ty()?)
            }
            "texture" => {
                let dim = self.named(&TextureDim::ALL, "a texture shape")?;
                self.mark(',')?;
                TypeKind::Texture(dim, self.named(&TexelKind::ALL, "a texel kind")?)
            }
            "storage_texture" => {
                let dim = self.named(&TextureDim::ALL, "a texture shape")?;
                self.mark(',')?;
                TypeKind::StorageTexture(dim, self.named(&StorageFormat::ALL, "a format")?)
            }
            other => match value_of(&BufferKind::ALL, other) {
                Some(kind) => TypeKind::Buffer(kind, self.ty()?),
                None => return Err(self.error(format!("`{other}` is no type"))),
            },
        };
        self.mark('>')?;
        Ok(self.module.types.intern(kind))
    }

    fn small(&mut self, low: u8, high: u8) -> Result<u8, ParseError> {
        let value: u8 = self.number()?;
        if (low..=high).contains(&value) {
            Ok(value)
        } else {
            Err(self.error(format!("a number from {low} to {high} must stand here")))
        }
    }

    /// A value from one of the `ALL` tables.
    pub(super) fn named<T: Copy>(&mut self, table: &[(T, &'static str)], what: &str) -> Result<T, ParseError> {
        let word = self.word(what)?;
        value_of(table, &word).ok_or_else(|| self.error(format!("`{word}` is not {what}")))
    }

    /// A constant of a known type.
    pub(super) fn constant(&mut self, ty: Type) -> Result<ConstId, ParseError> {
        let constant = match (&self.token, self.module.kind(ty)) {
            (Token::Word(word), kind) if word == "zero" && !matches!(kind, TypeKind::Scalar(_)) => {
                self.advance()?;
                Constant::Zero(ty)
            }
            (_, TypeKind::Scalar(scalar)) => Constant::Scalar(ty, self.scalar(scalar)?),
            (Token::Mark('('), kind) => {
                self.advance()?;
                let mut parts = Vec::new();
                while !self.eat(')')? {
                    if !parts.is_empty() {
                        self.mark(',')?;
                    }
                    let part = match kind {
                        TypeKind::Struct(id) => self.module.structs[id].fields.get(parts.len()).map(|field| field.ty),
                        _ => self.module.types.element(ty),
                    };
                    let part = part.ok_or_else(|| self.error("the type has no such part"))?;
                    parts.push(self.constant(part)?);
                }
                Constant::Composite(ty, parts.into())
            }
            _ => return Err(self.error("a constant must stand here")),
        };
        Ok(self.module.constants.intern(constant))
    }

    fn scalar(&mut self, scalar: Scalar) -> Result<u64, ParseError> {
        if self.eat_word("bits")? {
            return self.number();
        }
        match scalar {
            Scalar::Bool => {
                let word = self.word("`true` or `false`")?;
                match word.as_str() {
                    "true" => Ok(1),
                    "false" => Ok(0),
                    _ => Err(self.error("`true` or `false` must stand here")),
                }
            }
            Scalar::I32 => Ok(u64::from(self.number::<i32>()? as u32)),
            Scalar::U32 => Ok(u64::from(self.number::<u32>()?)),
            Scalar::U64 => self.number(),
            Scalar::F16 => Err(self.error("a half constant is written `bits 0x…`")),
            Scalar::F32 => {
                let Token::Number(text) = &self.token else { return Err(self.error("a number must stand here")) };
                let value: f32 = text.parse().map_err(|_| self.error("this is no number"))?;
                self.advance()?;
                Ok(u64::from(value.to_bits()))
            }
        }
    }

    pub(super) fn param_role(&mut self) -> Result<ParamRole, ParseError> {
        if let Token::Word(word) = &self.token {
            if let Some(value) = value_of(&SystemValue::ALL, word) {
                self.advance()?;
                return Ok(ParamRole::System(value));
            }
            let role = match word.as_str() {
                "stage_in" => Some(ParamRole::StageIn),
                "optional" => Some(ParamRole::Optional),
                "const" => Some(ParamRole::Const(None)),
                _ => None,
            };
            if let Some(role) = role {
                self.advance()?;
                let named = role == ParamRole::Const(None) && matches!(self.token, Token::Word(_));
                return Ok(if named { ParamRole::Const(Some(self.symbol()?)) } else { role });
            }
        }
        Ok(self.binding_source()?.map_or(ParamRole::Plain, ParamRole::Resource))
    }

    pub(super) fn binding_source(&mut self) -> Result<Option<BindingSource>, ParseError> {
        if self.eat_word("bind")? {
            let group = self.symbol()?;
            self.mark('.')?;
            let name = self.symbol()?;
            return Ok(Some(BindingSource::Named { group, name }));
        }
        if self.eat_word("at")? {
            return Ok(Some(BindingSource::Slot(self.number()?)));
        }
        if self.eat_word("state")? {
            let filter = self.named(&Filter::ALL, "a filter")?;
            let address = self.named(&Address::ALL, "an address mode")?;
            let compare = match &self.token {
                Token::Word(word) => value_of(&Compare::ALL, word),
                _ => None,
            };
            if compare.is_some() {
                self.advance()?;
            }
            return Ok(Some(BindingSource::Sampler(SamplerState { filter, address, compare })));
        }
        Ok(None)
    }

    pub(super) fn slot(&mut self) -> Result<Option<Slot>, ParseError> {
        if !self.eat_word("slot")? {
            return Ok(None);
        }
        if self.eat_word("metal")? {
            return Ok(Some(Slot::Metal(self.number()?)));
        }
        if self.eat_word("set")? {
            let set = self.number()?;
            self.keyword("binding")?;
            return Ok(Some(Slot::Vulkan(Descriptor { set, binding: self.number()? })));
        }
        let class = self.named(&RegisterClass::ALL, "a register class")?;
        let number = self.number()?;
        self.keyword("space")?;
        Ok(Some(Slot::D3d12(Register { class, number, space: self.number()? })))
    }

    pub(super) fn field_role(&mut self) -> Result<FieldRole, ParseError> {
        if self.eat_attribute("position")? {
            Ok(FieldRole::Position)
        } else if self.eat_attribute("clip_distance")? {
            Ok(FieldRole::ClipDistance)
        } else if self.eat_attribute("target")? {
            if matches!(self.token, Token::Number(_)) {
                return Ok(FieldRole::Location(self.number()?));
            }
            let group = self.symbol()?;
            self.mark('.')?;
            Ok(FieldRole::Target { group, name: self.symbol()? })
        } else {
            Ok(FieldRole::Plain)
        }
    }

    pub(super) fn interpolation(&mut self) -> Result<Interpolation, ParseError> {
        if self.eat_attribute("flat")? {
            Ok(Interpolation::Flat)
        } else if self.eat_attribute("noperspective")? {
            Ok(Interpolation::Linear)
        } else {
            Ok(Interpolation::Perspective)
        }
    }
}
