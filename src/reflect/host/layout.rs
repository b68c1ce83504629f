//! How the bytes of a struct are made of what hosts have: values, and padding between them.

use super::super::model::{ArrayOf, Field, StructLayout, ValueType};
use super::Mirror;

/// What stands in a struct of the host, in order.
pub(super) enum Part<'a> {
    /// A field.
    Field(&'a Field),
    /// So many bytes without meaning, at an offset.
    Padding { offset: u32, bytes: u32 },
}

/// The fields of a struct with the padding between and after them.
pub(super) fn parts(layout: &StructLayout) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut end = 0;
    for field in &layout.fields {
        if field.offset > end {
            parts.push(Part::Padding { offset: end, bytes: field.offset - end });
        }
        parts.push(Part::Field(field));
        end = field.offset + field.size;
    }
    if layout.size > end {
        parts.push(Part::Padding { offset: end, bytes: layout.size - end });
    }
    parts
}

/// The innermost element of a field.
pub(super) struct Element<'a> {
    /// What it is.
    pub(super) value: &'a ValueType,
    /// Lengths of the arrays of scalars that it is to the host, the outermost first: columns, then components. A column may be longer than what it
    /// holds.
    pub(super) scalars: Vec<u32>,
    /// Bytes after it, before the next one.
    pub(super) padding: u32,
}

impl<'a> Element<'a> {
    pub(super) fn of(mirror: &Mirror<'_>, value: &'a ValueType, packing: &'static str) -> Self {
        let scalar = value.scalar.map_or(0, scalar_size);
        let mut scalars = Vec::new();
        if let (Some(columns), Some(stride)) = (value.columns, value.column_stride) {
            scalars.extend([columns, stride / scalar.max(1)]);
        } else if let Some(width) = value.width {
            scalars.push(width);
        }
        let size = match &value.structure {
            Some(name) => struct_size(mirror, name, packing),
            None => scalar * scalars.iter().product::<u32>(),
        };
        let stride = value.arrays.last().map_or(size, |array: &ArrayOf| array.stride);
        Self { value, scalars, padding: stride.saturating_sub(size) }
    }
}

/// The packing in which a struct lies that a struct of this packing holds.
pub(super) fn packing_of(mirror: &Mirror<'_>, name: &str, around: &'static str) -> &'static str {
    let is_packed = mirror.structs.get(name).is_some_and(|structure| structure.packed);
    if is_packed { "storage" } else { around }
}

fn struct_size(mirror: &Mirror<'_>, name: &str, around: &'static str) -> u32 {
    let packing = packing_of(mirror, name, around);
    let layout =
        mirror.structs.get(name).and_then(|structure| structure.layouts.iter().find(|(other, _)| *other == packing));
    layout.map_or(0, |(_, layout)| layout.size)
}

fn scalar_size(name: &str) -> u32 {
    match name {
        "half" => 2,
        "uint64" => 8,
        _ => 4,
    }
}
