//! Where a resource is found on each target.

use std::fmt;

/// A D3D12 register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// `b`, `t`, `u` or `s`.
    pub class: RegisterClass,
    /// Its number.
    pub number: u32,
    /// Its space.
    pub space: u32,
}

/// The class of a D3D12 register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterClass {
    /// `b`: constant buffers.
    ConstantBuffer,
    /// `t`: shader resource views.
    ShaderResource,
    /// `u`: unordered access views.
    UnorderedAccess,
    /// `s`: samplers.
    Sampler,
}

impl fmt::Display for Register {
    /// As D3D12 writes it: `t3`, `t3,space1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.letter(), self.number)?;
        if self.space == 0 { Ok(()) } else { write!(f, ",space{}", self.space) }
    }
}

impl RegisterClass {
    /// Every class with its letter.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::ConstantBuffer, "b"), (Self::ShaderResource, "t"), (Self::UnorderedAccess, "u"), (Self::Sampler, "s")];

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// A Vulkan descriptor set and binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Descriptor {
    /// The set.
    pub set: u32,
    /// The binding in it.
    pub binding: u32,
}

impl fmt::Display for Descriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "set {}, binding {}", self.set, self.binding)
    }
}

/// The place of a resource on the target that a module is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// A Metal `[[buffer(n)]]`, `[[texture(n)]]` or `[[sampler(n)]]` index.
    Metal(u32),
    /// A D3D12 register.
    D3d12(Register),
    /// A Vulkan descriptor.
    Vulkan(Descriptor),
}
