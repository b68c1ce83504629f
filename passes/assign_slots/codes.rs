//! The codes of what `assign-slots` tells: `E32xx`.

akari_ir::codes! {
    /// A `@bind` or `@target` name that the manifest does not have.
    UNKNOWN_NAME = "E3201";
    /// A D3D12 register whose letter does not fit the type bound to it.
    REGISTER_CLASS = "E3202";
    /// A manifest row, used, without a value for the target.
    MISSING_COLUMN = "E3203";
    /// Two resources of an entry, or two fields of an output, in one place.
    CLASH = "E3204";
    /// A sampler state outside of the manifest's static set.
    SAMPLER_STATE = "E3205";
    /// A number beyond what the target has.
    OUT_OF_RANGE = "E3206";
}
