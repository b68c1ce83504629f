//! Two different resources of an entry must not share a slot of the target.

use std::ops::Range;

use akari_ir::slots::{RegisterClass, Slot};
use akari_ir::{Diagnostic, Module, Span};

use super::class::Shape;
use super::codes;

/// A resource of an entry where it is bound.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    /// Its name in the source.
    pub(super) name: String,
    pub(super) shape: Shape,
    pub(super) slot: Slot,
    pub(super) at: Option<Span>,
    /// Its name in the manifest and the place of its row.
    pub(super) row: Option<(String, Span)>,
}

impl Bound {
    /// The slots that it takes: a bindless table of D3D12 takes some in each of several spaces.
    fn ranges(&self) -> Vec<(Namespace, Range<u32>)> {
        let from = |first: u32, length: u32| first..first.saturating_add(length);
        match self.slot {
            Slot::Metal(index) => vec![(Namespace::Metal(self.shape.class.metal_attribute()), from(index, self.shape.length))],
            Slot::Vulkan(descriptor) => {
                vec![(Namespace::Vulkan(descriptor.set), from(descriptor.binding, self.shape.bindings()))]
            }
            Slot::D3d12(register) => {
                let (spaces, registers) = self.shape.registers();
                let of = |space| (Namespace::D3d12(register.class, space), from(register.number, registers));
                from(register.space, spaces).map(of).collect()
            }
        }
    }

    /// The slots that it takes.
    fn slots(&self) -> String {
        let first = describe_slot(self.shape, self.slot);
        match self.slot {
            Slot::D3d12(register) if self.shape.class.is_table() => match self.shape.registers() {
                (1, _) => format!("{first} and all after it"),
                (spaces, _) => format!("{first} and all after it, to space {}", register.space.saturating_add(spaces - 1)),
            },
            Slot::Metal(_) | Slot::D3d12(_) if self.shape.length > 1 => format!("{first} and the {} after it", self.shape.length - 1),
            Slot::Metal(_) | Slot::D3d12(_) => first,
            Slot::Vulkan(_) => match self.shape.bindings() {
                1 => first,
                bindings => format!("{first} and the {} after it", bindings - 1),
            },
        }
    }
}

/// What slots are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Namespace {
    /// The arguments with an attribute.
    Metal(&'static str),
    /// The registers of a class in a space.
    D3d12(RegisterClass, u32),
    /// The bindings of a set.
    Vulkan(u32),
}

/// A slot as the target writes it.
pub(super) fn describe_slot(shape: Shape, slot: Slot) -> String {
    match slot {
        Slot::Metal(index) => format!("`[[{}({index})]]`", shape.class.metal_attribute()),
        Slot::D3d12(register) => format!("`{register}`"),
        Slot::Vulkan(descriptor) => descriptor.to_string(),
    }
}

/// What is to be told of the resources of one entry.
pub(super) fn clashes(entry: &[(Bound, ResourceKey)]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for ((bound, key), earlier) in entry.iter().zip(earlier_in_the_way(entry)) {
        let Some((other, of)) = earlier.map(|earlier| &entry[earlier]) else { continue };
        let message = if bound.slot == other.slot {
            format!("`{}` and `{}` are both bound to {}", bound.name, other.name, describe_slot(bound.shape, bound.slot))
        } else {
            format!("`{}` is bound to {}, and `{}` to {}", bound.name, bound.slots(), other.name, other.slots())
        };
        let mut error = Diagnostic::error(codes::CLASH, bound.at, message);
        if let Some(at) = other.at {
            error = error.note_at(at, format!("`{}`", other.name));
        }
        if key.0 == of.0 {
            error = error.help("what has one name has one type in an entry");
        }
        for (name, row) in [bound, other].into_iter().filter_map(|each| each.row.as_ref()) {
            error = error.note_at(*row, format!("the row of `{name}`"));
        }
        found.push(error);
    }
    found
}

/// For each resource the first before it that is another and takes a slot that it takes.
fn earlier_in_the_way(entry: &[(Bound, ResourceKey)]) -> Vec<Option<usize>> {
    let mut taken: Vec<(Namespace, Range<u32>, usize)> = Vec::new();
    for (index, (bound, _)) in entry.iter().enumerate() {
        taken.extend(bound.ranges().into_iter().map(|(space, range)| (space, range, index)));
    }
    taken.sort_by_key(|(space, range, _)| (*space, range.start));
    let mut earlier: Vec<Option<usize>> = vec![None; entry.len()];
    let mut rest = &mut taken[..];
    // Only those that hang together can be in each other's way, and most hang together with none: comparing all of them would be quadratic.
    while let Some((space, first, _)) = rest.first() {
        let (space, mut end, mut length) = (*space, first.end, 1);
        while let Some((other, range, _)) = rest.get(length)
            && *other == space
            && range.start < end
        {
            end = end.max(range.end);
            length += 1;
        }
        let (neighbours, others) = rest.split_at_mut(length);
        neighbours.sort_by_key(|(.., index)| *index);
        for (place, (_, range, index)) in neighbours.iter().enumerate() {
            // One resource may have two names, if it is the same for both.
            let is_in_the_way = |(_, other, of): &&(Namespace, Range<u32>, usize)| {
                entry[*of].1 != entry[*index].1 && range.start < other.end && other.start < range.end
            };
            let first = neighbours[..place].iter().find(is_in_the_way).map(|(.., first)| *first);
            earlier[*index] = earlier[*index].into_iter().chain(first).min();
        }
        rest = others;
    }
    earlier
}

/// What makes two resources of an entry the same: where they come from, and their type.
pub(super) type ResourceKey = (akari_ir::interface::BindingSource, akari_ir::Type);

/// The name of a parameter in the source.
pub(super) fn param_name(module: &Module, param: &akari_ir::Param, index: usize) -> String {
    module.value(param.value).name.map_or_else(|| format!("parameter {index}"), |name| module.text(name).to_owned())
}

#[cfg(test)]
mod tests {
    use akari_ir::interface::BindingSource;
    use akari_ir::slots::{Descriptor, Register};
    use akari_ir::types::{TypeKind, Types};

    use super::super::class::Class;
    use super::*;

    /// Whether any slot that one takes is taken by the other.
    fn meet(a: &Bound, b: &Bound) -> bool {
        let others = b.ranges();
        a.ranges().iter().any(|(space, range)| {
            others.iter().any(|(other, taken)| space == other && range.start < taken.end && taken.start < range.end)
        })
    }

    #[test]
    fn what_is_in_the_way_is_what_comparing_all_with_all_finds() {
        let ty = Types::default().intern(TypeKind::Sampler);
        let mut state = 1_u32;
        let mut below = |limit: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % limit
        };
        for round in 0..600 {
            let resource = |_| {
                let class = [Class::Buffer, Class::Texture, Class::BufferTable, Class::TextureTable][below(4) as usize];
                let register = [RegisterClass::ShaderResource, RegisterClass::UnorderedAccess][below(2) as usize];
                let shape = Shape { class, register, length: if class.is_table() { 1 } else { 1 + below(4) } };
                let number = below(40);
                let slot = match round % 3 {
                    0 => Slot::Metal(number),
                    1 => Slot::D3d12(Register { class: register, number, space: below(6) }),
                    _ => Slot::Vulkan(Descriptor { set: class.set(), binding: number }),
                };
                let bound = Bound { name: String::new(), shape, slot, at: None, row: None };
                (bound, (BindingSource::Slot(below(6)), ty))
            };
            let entry: Vec<_> = (0..12).map(resource).collect();
            let first = |(index, (bound, key)): (usize, &(Bound, ResourceKey))| {
                entry[..index].iter().position(|(other, of)| key != of && meet(bound, other))
            };
            let expected: Vec<_> = entry.iter().enumerate().map(first).collect();
            assert_eq!(earlier_in_the_way(&entry), expected, "{entry:?}");
        }
    }
}
