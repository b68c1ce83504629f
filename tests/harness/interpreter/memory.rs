//! Places: reading and writing locals, groupshared variables, constants and the bytes of buffers.

use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::module::GlobalKind;
use akari_ir::{GlobalId, Scalar, Type, TypeKind};

use super::machine::{Frame, Machine, WorkgroupVariable};
use super::value::{Place, Root, Value};
use crate::job::Contents;
use std::rc::Rc;

impl Machine<'_> {
    /// The place of a part of what `place` holds.
    pub(super) fn subplace(&mut self, place: &Place, index: u32, ty: Type) -> Place {
        let mut part = place.clone();
        part.ty = ty;
        match &mut part.root {
            Root::Memory { offset, packing, .. } => {
                let (at, inner) = self.part_offset(place.ty, *packing, index);
                *offset = match (*offset, at) {
                    (Some(offset), Some(at)) => offset.checked_add(at),
                    _ => None,
                };
                *packing = inner;
            }
            // An index past the end means the last part.
            Root::Local(_) | Root::Workgroup(_) | Root::Constant(_) => {
                let last = self.module.types.length(place.ty).map_or(index, |length| index.min(length - 1));
                part.path.push(last);
            }
        }
        part
    }

    /// Where a part lies in a composite of type `of`, and the layout rules inside; nowhere for an index past the end.
    fn part_offset(&mut self, of: Type, packing: Packing, index: u32) -> (Option<u32>, Packing) {
        let module = self.module;
        match module.kind(of) {
            TypeKind::Struct(id) => {
                let fields =
                    self.layouts.structure(module, of, packing).map(|layout| layout.fields[index as usize].offset);
                (fields.ok(), packing.inside(&module.structs[id]))
            }
            TypeKind::Vector(scalar, width) => {
                let size = if scalar == Scalar::F16 {
                    2
                } else if scalar == Scalar::U64 {
                    8
                } else {
                    4
                };
                ((index < u32::from(width)).then_some(index * size), packing)
            }
            _ => {
                let length = module.types.length(of).unwrap_or(0);
                let stride = self.layouts.of(module, of, packing).ok().and_then(|layout| layout.stride).unwrap_or(0);
                ((index < length).then(|| index.checked_mul(stride)).flatten(), packing)
            }
        }
    }

    /// The number of a groupshared variable. One of a template is there once for each set of arguments of compile time.
    pub(super) fn workgroup_variable(&mut self, frame: &Frame, lane: usize, global: GlobalId) -> Result<usize, String> {
        let ty = self.module.globals[global].ty;
        let mut instance = self.instance_of(frame, lane);
        instance.extend(self.lengths(frame, lane, ty)?.into_iter().map(u64::from));
        let known =
            self.workgroup.iter().position(|variable| variable.global == global && variable.instance == instance);
        if let Some(known) = known {
            return Ok(known);
        }
        let value = self.zero(frame, lane, ty)?;
        self.workgroup.push(WorkgroupVariable { global, instance, value });
        Ok(self.workgroup.len() - 1)
    }

    /// The place of an element of a buffer.
    pub(super) fn buffer_place(&mut self, resource: usize, index: u32, ty: Type) -> Place {
        let stride = self.layouts.stride(self.module, ty, Packing::Storage).unwrap_or(0);
        let offset = index.checked_mul(stride);
        Place { root: Root::Memory { resource, offset, packing: Packing::Storage }, path: Vec::new(), ty }
    }

    pub(super) fn load(&mut self, lane: usize, place: &Place) -> Value {
        let follow = |whole: &Value| place.path.iter().fold(whole.clone(), |value, index| value.part(*index as usize));
        match place.root {
            Root::Local(local) => follow(&self.lanes[lane].locals[local]),
            Root::Workgroup(variable) => follow(&self.workgroup[variable].value),
            Root::Constant(global) => match self.module.globals[global].kind {
                GlobalKind::Constant(constant) => follow(&Value::constant(self.module, constant)),
                GlobalKind::Workgroup | GlobalKind::Resource { .. } => Value::Undefined,
            },
            Root::Memory { resource, offset, packing } => self.load_bytes(resource, offset, place.ty, packing),
        }
    }

    /// Reads from a buffer; out of bounds gives 0.
    fn load_bytes(&mut self, resource: usize, offset: Option<u32>, ty: Type, packing: Packing) -> Value {
        let module = self.module;
        if let TypeKind::Scalar(scalar) = module.kind(ty) {
            let (Contents::UniformBuffer(bytes) | Contents::StorageBuffer(bytes)) = &self.resources[resource] else {
                return Value::Scalar(0);
            };
            let size = match scalar {
                Scalar::F16 => 2,
                Scalar::U64 => 8,
                Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            };
            let range = offset.map(|offset| offset as usize..offset as usize + size);
            let bits = range.and_then(|range| bytes.get(range)).map_or(0, crate::texel::little_endian);
            return Value::Scalar(if scalar == Scalar::Bool { u64::from(bits != 0) } else { bits });
        }
        let parts = self.part_types(ty);
        let parts = parts.into_iter().enumerate().map(|(index, part)| {
            let (at, inner) = self.part_offset(ty, packing, index as u32);
            let offset = offset.zip(at).and_then(|(offset, at)| offset.checked_add(at));
            self.load_bytes(resource, offset, part, inner)
        });
        Value::composite(parts.collect())
    }

    /// The types of the parts of a composite.
    pub(super) fn part_types(&self, ty: Type) -> Vec<Type> {
        let module = self.module;
        let repeat = |kind: TypeKind, count: u32| {
            let part = module.types.find(kind).unwrap_or(ty);
            vec![part; count as usize]
        };
        match module.kind(ty) {
            TypeKind::Vector(scalar, width) => repeat(TypeKind::Scalar(scalar), u32::from(width)),
            TypeKind::Matrix { columns, rows } => repeat(TypeKind::Vector(Scalar::F32, rows), u32::from(columns)),
            TypeKind::Array(element, length) => vec![element; length as usize],
            TypeKind::Struct(id) => module.structs[id].fields.iter().map(|field| field.ty).collect(),
            _ => Vec::new(),
        }
    }

    /// Writes a place. What a demoted lane writes outside of its own locals has no effect.
    pub(super) fn store(&mut self, lane: usize, place: &Place, value: Value) {
        match place.root {
            Root::Local(local) => replace(&mut self.lanes[lane].locals[local], &place.path, value),
            Root::Workgroup(variable) => {
                if !self.lanes[lane].demoted {
                    replace(&mut self.workgroup[variable].value, &place.path, value);
                }
            }
            Root::Constant(_) => {}
            Root::Memory { resource, offset, packing } => {
                if !self.lanes[lane].demoted {
                    self.store_bytes(resource, offset, place.ty, packing, &value);
                }
            }
        }
    }

    /// Writes to a buffer; out of bounds does nothing. Padding keeps its bytes.
    fn store_bytes(&mut self, resource: usize, offset: Option<u32>, ty: Type, packing: Packing, value: &Value) {
        if let TypeKind::Scalar(scalar) = self.module.kind(ty) {
            let size = match scalar {
                Scalar::F16 => 2,
                Scalar::U64 => 8,
                Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            };
            let Contents::StorageBuffer(bytes) = &mut self.resources[resource] else { return };
            let range = offset.map(|offset| offset as usize..offset as usize + size);
            if let Some(target) = range.and_then(|range| bytes.get_mut(range)) {
                target.copy_from_slice(&value.bits().to_le_bytes()[..size]);
            }
            return;
        }
        for (index, part) in self.part_types(ty).into_iter().enumerate() {
            let (at, inner) = self.part_offset(ty, packing, index as u32);
            let offset = offset.zip(at).and_then(|(offset, at)| offset.checked_add(at));
            self.store_bytes(resource, offset, part, inner, &value.part(index));
        }
    }
}

fn replace(whole: &mut Value, path: &[u32], value: Value) {
    match (path.split_first(), whole) {
        (None, whole) => *whole = value,
        (Some((index, rest)), Value::Composite(parts)) => {
            let parts = Rc::make_mut(parts);
            let last = parts.len() - 1;
            replace(&mut parts[(*index as usize).min(last)], rest, value);
        }
        (Some(_), _) => {}
    }
}
