//! The numbers of SPIR-V: instructions, extended instructions, enumerants.
//!
//! The target needs no operations of its own in the IR: `emit-spirv` selects instructions straight from the core operations.

pub mod enumerants;
pub mod opcode;

pub use enumerants::{
    BuiltIn, Capability, Decoration, Dim, ExecutionMode, ExecutionModel, GroupOperation, ImageFormat, Scope,
    StorageClass,
};
pub use opcode::{Glsl, Opcode};

/// The first word of a module.
pub const MAGIC: u32 = 0x0723_0203;
/// SPIR-V 1.5, the version of Vulkan 1.2.
pub const VERSION: u32 = 0x0001_0500;

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! agree {
        ($($Ours:ident with $Theirs:ty;)+) => {$(
            for ours in $Ours::ALL {
                let theirs = <$Theirs>::from_u32(*ours as u32).map(|theirs| format!("{theirs:?}"));
                assert_eq!(theirs, Some(format!("{ours:?}")), stringify!($Ours));
            }
        )+};
    }

    #[test]
    fn numbers_are_those_of_the_grammar() {
        agree! {
            Opcode with spirv::Op;
            Glsl with spirv::GlslStd450Op;
            Capability with spirv::Capability;
            StorageClass with spirv::StorageClass;
            Decoration with spirv::Decoration;
            BuiltIn with spirv::BuiltIn;
            ExecutionModel with spirv::ExecutionModel;
            ExecutionMode with spirv::ExecutionMode;
            Dim with spirv::Dim;
            ImageFormat with spirv::ImageFormat;
            Scope with spirv::Scope;
            GroupOperation with spirv::GroupOperation;
        }
    }
}
