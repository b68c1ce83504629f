//! The flags that Akari's HLSL is made for. Whoever runs DXC on it gives these, the program and the tests alike.

/// What every text takes: scalar `&&`, `||` and `?:` do not evaluate what they do not need.
pub const LANGUAGE: &[&str] = &["-HV", "2021"];

/// What texts with 16-bit types take, beside shader model 6.2.
pub const HALF: &str = "-enable-16bit-types";

/// For Direct3D 12: floats are evaluated as written. The text does not say so itself.
pub const DXIL: &[&str] = &["-Gis"];

/// For Vulkan. Naming the extensions that may be used keeps DXC from declaring `GroupNonUniformPartitionedNV` beside sums over a wave, which
/// not every device has, and makes `discard` demote the invocation, so that derivatives after it stay defined.
pub const SPIRV: &[&str] = &[
    "-spirv", "-fspv-target-env=vulkan1.2", "-fspv-extension=KHR",
    "-fspv-extension=SPV_EXT_demote_to_helper_invocation", "-fspv-extension=SPV_EXT_descriptor_indexing",
    "-fvk-use-dx-layout",
];

/// What makes positions mean in Vulkan what they mean elsewhere, for a vertex stage and for the others.
#[must_use]
pub fn spirv_positions(is_vertex: bool) -> &'static [&'static str] {
    if is_vertex { &["-fvk-use-dx-position-w", "-fvk-invert-y"] } else { &["-fvk-use-dx-position-w"] }
}

/// What DXC is to leave out where its own validator refuses what it made, by what it says then: the text is right, and made otherwise.
///
/// - DXIL: global value numbering, which may merge two places of memory into one value, which DXIL does not have.
/// - SPIR-V: all optimization, which drivers do anyway. After unrolling a loop, `if-conversion` and `merge-blocks` may leave the end of an inner one
///   where structured control flow does not allow it.
#[must_use]
pub fn with_less(messages: &str) -> Option<&'static [&'static str]> {
    if messages.contains("generated SPIR-V is invalid") {
        return Some(&["-O0"]);
    }
    messages.to_ascii_lowercase().contains("validation").then_some(&["-opt-disable", "gvn"])
}
