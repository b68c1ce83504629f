//! Whether a type lies in an HLSL constant buffer as the ABI says, and which padding it takes.
//!
//! HLSL's rules: a scalar or vector is aligned to its components and does not cross a multiple of 16; arrays, matrices and structures
//! start at one, elements and rows of them are 16 apart; what follows may lie in the unused end of the last element.

use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_ir::{Module, Scalar, StructId, Type, TypeKind};
use indexmap::IndexMap;

/// HLSL cannot declare the ABI's layout of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Inexpressible;

/// A field of a structure as HLSL is to declare it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The field of this number.
    Field(u32),
    /// The field of this number, a matrix whose columns are widened to four rows: SPIR-V lets nothing lie in the end of a matrix.
    Widened(u32),
    /// Padding of this many 32-bit words, 1 to 4.
    Words(u8),
    /// Padding of one `half`.
    Half,
}

/// How the structures that a uniform holds are to be declared.
#[derive(Debug, Default)]
pub(super) struct Declared {
    /// By structure, each under one set of packing rules.
    pub structs: IndexMap<StructId, (Packing, Vec<Slot>)>,
}

impl Declared {
    /// Adds what `ty` needs.
    pub(super) fn add(
        &mut self,
        module: &Module,
        layouts: &mut Layouts,
        ty: Type,
        packing: Packing,
    ) -> Result<(), Inexpressible> {
        let abi_stride = layouts.of(module, ty, packing).map_err(|_| Inexpressible)?.stride;
        match module.kind(ty) {
            TypeKind::Array(element, length) => {
                self.add(module, layouts, element, packing)?;
                let stride = self.natural_end(module, element, 0)?.next_multiple_of(16);
                if length > 1 && abi_stride != Some(stride) { Err(Inexpressible) } else { Ok(()) }
            }
            TypeKind::Matrix { .. } if abi_stride != Some(16) => Err(Inexpressible),
            TypeKind::Struct(id) => self.add_struct(module, layouts, id, ty, packing),
            _ => Ok(()),
        }
    }

    fn add_struct(
        &mut self,
        module: &Module,
        layouts: &mut Layouts,
        id: StructId,
        ty: Type,
        packing: Packing,
    ) -> Result<(), Inexpressible> {
        let inner = packing.inside(&module.structs[id]);
        if let Some((known, _)) = self.structs.get(&id) {
            return if *known == inner { Ok(()) } else { Err(Inexpressible) };
        }
        let offsets: Vec<u32> = layouts
            .structure(module, ty, packing)
            .map_err(|_| Inexpressible)?
            .fields
            .iter()
            .map(|field| field.offset)
            .collect();
        let mut slots = Vec::new();
        let mut end = 0;
        for (index, (field, offset)) in module.structs[id].fields.iter().zip(offsets).enumerate() {
            self.add(module, layouts, field.ty, inner)?;
            if natural_start(module, field.ty, end) != offset {
                if let (Some(Slot::Field(last)), true) = (slots.last().copied(), end % 16 != 0) {
                    let kind = module.kind(module.structs[id].fields[last as usize].ty);
                    if ends_in_matrix(module, kind) {
                        if !matches!(kind, TypeKind::Matrix { .. }) {
                            return Err(Inexpressible);
                        }
                        slots.pop();
                        slots.push(Slot::Widened(last));
                        end = end.next_multiple_of(16);
                    }
                }
                end = pad(&mut slots, end, offset)?;
            }
            if natural_start(module, field.ty, end) != offset {
                return Err(Inexpressible);
            }
            slots.push(Slot::Field(index as u32));
            end = self.natural_end(module, field.ty, offset)?;
        }
        self.structs.insert(id, (inner, slots));
        Ok(())
    }

    /// Where a value of type `ty` that starts at `start` ends.
    fn natural_end(&self, module: &Module, ty: Type, start: u32) -> Result<u32, Inexpressible> {
        let size = self.natural_size(module, ty)?;
        start.checked_add(size).ok_or(Inexpressible)
    }

    fn natural_size(&self, module: &Module, ty: Type) -> Result<u32, Inexpressible> {
        Ok(match module.kind(ty) {
            TypeKind::Scalar(scalar) => bytes(scalar),
            TypeKind::Vector(scalar, width) => bytes(scalar) * u32::from(width),
            TypeKind::Matrix { columns, rows } => 16 * u32::from(columns - 1) + 4 * u32::from(rows),
            TypeKind::Array(element, length) => {
                let element = self.natural_size(module, element)?;
                let before_last = element.next_multiple_of(16).checked_mul(length - 1).ok_or(Inexpressible)?;
                before_last.checked_add(element).ok_or(Inexpressible)?
            }
            TypeKind::Struct(id) => {
                let (_, slots) = self.structs.get(&id).ok_or(Inexpressible)?;
                let mut end = 0;
                for slot in slots {
                    end = match *slot {
                        Slot::Field(field) => {
                            let ty = module.structs[id].fields[field as usize].ty;
                            natural_start(module, ty, end)
                                .checked_add(self.natural_size(module, ty)?)
                                .ok_or(Inexpressible)?
                        }
                        Slot::Widened(field) => {
                            let columns =
                                module.types.length(module.structs[id].fields[field as usize].ty).unwrap_or(1);
                            end.next_multiple_of(16) + 16 * columns
                        }
                        Slot::Words(count) => end + 4 * u32::from(count),
                        Slot::Half => end + 2,
                    };
                }
                end
            }
            _ => return Err(Inexpressible),
        })
    }
}

fn bytes(scalar: Scalar) -> u32 {
    match scalar {
        Scalar::F16 => 2,
        Scalar::U64 => 8,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
    }
}

/// Where HLSL puts a value of type `ty` after `end` bytes.
fn natural_start(module: &Module, ty: Type, end: u32) -> u32 {
    match module.kind(ty) {
        TypeKind::Scalar(scalar) => end.next_multiple_of(bytes(scalar)),
        TypeKind::Vector(scalar, width) => {
            let start = end.next_multiple_of(bytes(scalar));
            if start % 16 + bytes(scalar) * u32::from(width) > 16 { start.next_multiple_of(16) } else { start }
        }
        _ => end.next_multiple_of(16),
    }
}

fn ends_in_matrix(module: &Module, kind: TypeKind) -> bool {
    match kind {
        TypeKind::Matrix { rows, .. } => rows < 4,
        TypeKind::Array(element, _) => ends_in_matrix(module, module.kind(element)),
        TypeKind::Struct(id) => {
            module.structs[id].fields.last().is_some_and(|field| ends_in_matrix(module, module.kind(field.ty)))
        }
        _ => false,
    }
}

/// Appends padding from `end` to `offset`.
fn pad(slots: &mut Vec<Slot>, end: u32, offset: u32) -> Result<u32, Inexpressible> {
    let mut end = end;
    if offset < end || offset - end > 64 {
        return Err(Inexpressible);
    }
    while end < offset {
        if !end.is_multiple_of(4) || offset - end < 4 {
            slots.push(Slot::Half);
            end += 2;
        } else {
            let words = ((offset - end) / 4).min((16 - end % 16) / 4);
            slots.push(Slot::Words(words as u8));
            end += 4 * words;
        }
    }
    Ok(end)
}
