//! Printing types, constants and interface attributes.

use std::fmt::Write;

use super::keywords::name_of;
use super::print::Printer;
use crate::constant::{Constant, OpenConst};
use crate::entity::{ConstId, OpenConstId, SignatureId, Type};
use crate::interface::{
    Address, BindingSource, Compare, FieldRole, Filter, Interpolation, ParamRole, PassMode, SystemValue,
};
use crate::slots::{RegisterClass, Slot};
use crate::types::{BufferKind, MemoryType, Scalar, Space, StorageFormat, TexelKind, TextureDim, TypeKind};

impl Printer<'_> {
    pub(super) fn ty(&mut self, ty: Type) {
        match self.module.kind(ty) {
            TypeKind::Scalar(scalar) => self.out.push_str(scalar.name()),
            TypeKind::Vector(scalar, width) => self.write(format_args!("vec<{}, {width}>", scalar.name())),
            TypeKind::Matrix { columns, rows } => self.write(format_args!("mat<{columns}, {rows}>")),
            TypeKind::Array(element, length) => self.parametric("array", element, length),
            TypeKind::ResourceArray(element, length) => self.parametric("resources", element, length),
            TypeKind::OpenArray(element, length) => {
                self.out.push_str("open<");
                self.ty(element);
                self.out.push_str(", ");
                self.open_constant(length);
                self.out.push('>');
            }
            TypeKind::Function(signature) => self.signature(signature),
            TypeKind::Struct(id) => {
                let name = self.struct_names.get(id).clone();
                self.out.push_str(&name);
            }
            TypeKind::Place(space, pointee) => {
                self.write(format_args!("ref<{}, ", name_of(&Space::ALL, space)));
                self.ty(pointee);
                self.out.push('>');
            }
            TypeKind::Buffer(kind, element) => {
                self.write(format_args!("{}<", name_of(&BufferKind::ALL, kind)));
                self.ty(element);
                self.out.push('>');
            }
            TypeKind::Texture(dim, texel) => self.write(format_args!(
                "texture<{}, {}>",
                name_of(&TextureDim::ALL, dim),
                name_of(&TexelKind::ALL, texel)
            )),
            TypeKind::StorageTexture(dim, format) => self.write(format_args!(
                "storage_texture<{}, {}>",
                name_of(&TextureDim::ALL, dim),
                name_of(&StorageFormat::ALL, format)
            )),
            TypeKind::Memory(MemoryType::PackedVector(scalar, width)) => {
                self.write(format_args!("packed<{}, {width}>", scalar.name()));
            }
            TypeKind::Memory(MemoryType::Atomic(scalar)) => self.write(format_args!("atomic<{}>", scalar.name())),
            TypeKind::Memory(MemoryType::Padding(bytes)) => self.write(format_args!("padding<{bytes}>")),
            TypeKind::Memory(MemoryType::RayQuery) => self.out.push_str("ray_query"),
            TypeKind::Memory(MemoryType::Bytes) => self.out.push_str("bytes"),
            TypeKind::Sampler => self.out.push_str("sampler"),
            TypeKind::SamplerCmp => self.out.push_str("sampler_cmp"),
            TypeKind::AccelStruct => self.out.push_str("accel_struct"),
            TypeKind::BufferTable => self.out.push_str("buffer_table"),
            TypeKind::TextureTable => self.out.push_str("texture_table"),
        }
    }

    fn parametric(&mut self, name: &str, element: Type, length: u32) {
        self.write(format_args!("{name}<"));
        self.ty(element);
        self.write(format_args!(", {length}>"));
    }

    fn signature(&mut self, id: SignatureId) {
        let module = self.module;
        let signature = module.types.signature(id);
        self.out.push_str("fn(");
        for (index, (mode, ty)) in signature.params.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.pass_mode(*mode);
            self.ty(*ty);
        }
        self.out.push(')');
        if let Some(result) = signature.result {
            self.out.push_str(" -> ");
            self.ty(result);
        }
    }

    pub(super) fn pass_mode(&mut self, mode: PassMode) {
        self.out.push_str(match mode {
            PassMode::Value => "",
            PassMode::Ref => "ref ",
            PassMode::Inout => "inout ",
        });
    }

    fn open_constant(&mut self, id: OpenConstId) {
        let module = self.module;
        match module.open_constant(id) {
            OpenConst::Parameter(number, ty) => {
                self.write(format_args!("param {number} "));
                self.ty(*ty);
            }
            OpenConst::Known(constant) => {
                self.out.push_str("known ");
                self.typed_constant(*constant);
            }
            OpenConst::Apply { def, attrs, operands, ty } => {
                self.write(format_args!("{}.{}", def.dialect, def.name));
                self.attrs(def, attrs);
                self.out.push('(');
                for (index, operand) in operands.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.open_constant(*operand);
                }
                self.out.push_str(") -> ");
                self.ty(*ty);
            }
        }
    }

    /// A constant with its type in front.
    pub(super) fn typed_constant(&mut self, constant: ConstId) {
        self.ty(self.module.constant(constant).ty());
        self.out.push(' ');
        self.constant(constant);
    }

    /// A constant whose type is known from the context.
    pub(super) fn constant(&mut self, constant: ConstId) {
        let module = self.module;
        match module.constant(constant) {
            Constant::Zero(_) => self.out.push_str("zero"),
            Constant::Composite(_, parts) => {
                self.out.push('(');
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    self.constant(*part);
                }
                self.out.push(')');
            }
            Constant::Scalar(ty, bits) => match module.kind(*ty) {
                TypeKind::Scalar(scalar) => self.scalar(scalar, *bits),
                other => self.write(format_args!("bits 0x{bits:x} ; of {other:?}")),
            },
        }
    }

    fn scalar(&mut self, scalar: Scalar, bits: u64) {
        match scalar {
            Scalar::Bool => self.out.push_str(if bits == 0 { "false" } else { "true" }),
            Scalar::I32 => self.write(format_args!("{}", bits as u32 as i32)),
            Scalar::U32 | Scalar::U64 => self.write(format_args!("{bits}")),
            Scalar::F16 => self.write(format_args!("bits 0x{bits:x}")),
            Scalar::F32 => {
                let value = f32::from_bits(bits as u32);
                if value.is_finite() {
                    self.write(format_args!("{value:?}"));
                } else {
                    self.write(format_args!("bits 0x{bits:x}"));
                }
            }
        }
    }

    pub(super) fn param_role(&mut self, role: &ParamRole) {
        match role {
            ParamRole::Plain => {}
            ParamRole::System(value) => self.write(format_args!(" {}", name_of(&SystemValue::ALL, *value))),
            ParamRole::StageIn => self.out.push_str(" stage_in"),
            ParamRole::Resource(source) => self.binding_source(source),
            ParamRole::Const(None) => self.out.push_str(" const"),
            ParamRole::Const(Some(name)) => {
                let name = self.module.text(*name);
                self.write(format_args!(" const {name}"));
            }
            ParamRole::Optional => self.out.push_str(" optional"),
        }
    }

    pub(super) fn binding_source(&mut self, source: &BindingSource) {
        match source {
            BindingSource::Named { group, name } => {
                let (group, name) = (self.module.text(*group), self.module.text(*name));
                let _ = write!(self.out, " bind {group}.{name}");
            }
            BindingSource::Slot(number) => self.write(format_args!(" at {number}")),
            BindingSource::Sampler(state) => {
                self.write(format_args!(
                    " state {} {}",
                    name_of(&Filter::ALL, state.filter),
                    name_of(&Address::ALL, state.address)
                ));
                if let Some(compare) = state.compare {
                    self.write(format_args!(" {}", name_of(&Compare::ALL, compare)));
                }
            }
        }
    }

    pub(super) fn slot(&mut self, slot: Option<Slot>) {
        match slot {
            None => {}
            Some(Slot::Metal(index)) => self.write(format_args!(" slot metal {index}")),
            Some(Slot::D3d12(register)) => self.write(format_args!(
                " slot {} {} space {}",
                name_of(&RegisterClass::ALL, register.class),
                register.number,
                register.space
            )),
            Some(Slot::Vulkan(descriptor)) => {
                self.write(format_args!(" slot set {} binding {}", descriptor.set, descriptor.binding));
            }
        }
    }

    pub(super) fn field_role(&mut self, role: FieldRole) {
        match role {
            FieldRole::Plain => {}
            FieldRole::Position => self.out.push_str(" position"),
            FieldRole::ClipDistance => self.out.push_str(" clip_distance"),
            FieldRole::Location(number) => self.write(format_args!(" target {number}")),
            FieldRole::Target { group, name } => {
                let (group, name) = (self.module.text(group), self.module.text(name));
                let _ = write!(self.out, " target {group}.{name}");
            }
        }
    }

    pub(super) fn interpolation(&mut self, interpolation: Interpolation) {
        match interpolation {
            Interpolation::Perspective => {}
            Interpolation::Linear => self.out.push_str(" noperspective"),
            Interpolation::Flat => self.out.push_str(" flat"),
        }
    }
}
