//! Two different resources of an entry must not share a slot of the target.

use std::ops::Range;

use akari_ir::interface::BindingSource;
use akari_ir::slots::{RegisterClass, Slot};
use akari_ir::{Diagnostic, Module, Span};

use super::class::Shape;
use super::codes;
use super::overlaps::first_overlaps;

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
            Slot::Metal(index) => {
                vec![(Namespace::Metal(self.shape.class.metal_attribute()), from(index, self.shape.length))]
            }
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
                (spaces, _) => {
                    format!("{first} and all after it, to space {}", register.space.saturating_add(spaces - 1))
                }
            },
            Slot::Metal(_) | Slot::D3d12(_) if self.shape.length > 1 => {
                format!("{first} and the {} after it", self.shape.length - 1)
            }
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
            format!(
                "`{}` and `{}` are both bound to {}",
                bound.name,
                other.name,
                describe_slot(bound.shape, bound.slot)
            )
        } else {
            format!("`{}` is bound to {}, and `{}` to {}", bound.name, bound.slots(), other.name, other.slots())
        };
        let mut error = Diagnostic::error(codes::CLASH, bound.at, message);
        if let Some(at) = other.at {
            error = error.note_at(at, format!("`{}`", other.name));
        }
        if key.0 == of.0 {
            error = error.help(match key.0 {
                BindingSource::Slot(_) => "give one of them another number",
                BindingSource::Named { .. } | BindingSource::Sampler(_) => "what has one name has one type in an entry",
            });
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
    let ranges: Vec<_> = entry.iter().map(|(bound, _)| bound.ranges()).collect();
    // One resource may have two names, if it is the same for both.
    first_overlaps(&ranges, |one, other| entry[one].1 == entry[other].1)
}

/// What makes two resources of an entry the same: where they come from, and their type.
pub(super) type ResourceKey = (BindingSource, akari_ir::Type);

/// The name of a parameter in the source.
pub(super) fn param_name(module: &Module, param: &akari_ir::Param, index: usize) -> String {
    module.value(param.value).name.map_or_else(|| format!("parameter {index}"), |name| module.text(name).to_owned())
}
