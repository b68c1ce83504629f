//! The codes of what passes tell, those of `assign-slots` aside.

akari_ir::codes! {
    /// Something of the source was left that SPIR-V does not have.
    NOT_EXPRESSIBLE = "E3080";
    /// Something of the source was left that HLSL does not have.
    IMPURE = "E3081";
    /// A function is needed with too many different resources.
    TOO_MANY_SPECIALISATIONS = "E3090";
    /// A type that has no layout. The front end refuses such programs, so this tells of a fault of the compiler.
    NO_LAYOUT = "E4002";
}
