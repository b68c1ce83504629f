//! Two different resources of an entry must not share a slot of the target.

use akari_ir::slots::Slot;
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
    /// Whether any slot that one takes is taken by the other.
    fn meets(&self, other: &Self) -> bool {
        let meet = |(a, length): (u32, u32), (b, other): (u32, u32)| a < b.saturating_add(other) && b < a.saturating_add(length);
        match (self.slot, other.slot) {
            (Slot::Metal(a), Slot::Metal(b)) => {
                self.shape.class.metal_attribute() == other.shape.class.metal_attribute()
                    && meet((a, self.shape.length), (b, other.shape.length))
            }
            (Slot::D3d12(a), Slot::D3d12(b)) => {
                let ((spaces, registers), (other_spaces, others)) = (self.shape.registers(), other.shape.registers());
                a.class == b.class
                    && meet((a.space, spaces), (b.space, other_spaces))
                    && meet((a.number, registers), (b.number, others))
            }
            (Slot::Vulkan(a), Slot::Vulkan(b)) => {
                a.set == b.set && meet((a.binding, self.shape.bindings()), (b.binding, other.shape.bindings()))
            }
            (Slot::Metal(_) | Slot::D3d12(_) | Slot::Vulkan(_), _) => false,
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
    for (index, (bound, key)) in entry.iter().enumerate() {
        // One resource may have two names, if it is the same for both.
        let earlier = entry[..index].iter().find(|(other, of)| key != of && bound.meets(other));
        let Some((other, of)) = earlier else { continue };
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

/// What makes two resources of an entry the same: where they come from, and their type.
pub(super) type ResourceKey = (akari_ir::interface::BindingSource, akari_ir::Type);

/// The name of a parameter in the source.
pub(super) fn param_name(module: &Module, param: &akari_ir::Param, index: usize) -> String {
    module.value(param.value).name.map_or_else(|| format!("parameter {index}"), |name| module.text(name).to_owned())
}
