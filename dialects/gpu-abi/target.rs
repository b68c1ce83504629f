//! The targets.

/// What a module is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// Metal Shading Language.
    Metal,
    /// HLSL for Direct3D 12.
    D3d12,
    /// HLSL in its Vulkan dialect.
    VulkanHlsl,
    /// SPIR-V for Vulkan.
    Spirv,
}

impl Target {
    /// Every target with its name in pipelines.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Metal, "metal"), (Self::D3d12, "d3d12"), (Self::VulkanHlsl, "vulkan-hlsl"), (Self::Spirv, "spirv")];
}
