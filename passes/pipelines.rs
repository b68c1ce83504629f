//! The named pipelines, as text, each with the reasons for its order.

/// Name and passes. A pipeline may name those before it as `@name`.
pub static NAMED: &[(&str, &str)] = &[
    // What every target shares, before anything is known of the target. Specialization comes before contexts are taken apart, since it
    // passes them as captures; that before `reach`, so that a binding is reached where a part is used and not where the whole is made;
    // captures are trimmed when their parts are known, and what entries reach is checked when that is settled.
    ("shared", "const-fold,specialize,flatten-contexts,reach,trim-captures,check-entries"),
    // From slots to words. Ray queries are written out in functions that take their scene, before resources become globals. Several entries may go through together: each gets a module of its own. Which
    // indices are the same for all is asked of what they have become in the end.
    (
        "spirv",
        "ray-queries,resources-to-globals,bindless-tables,bounded-indices,non-uniform-indices,whole-layers,emit-spirv",
    ),
    // From slots to text, on a module with all its entries. Writes are guarded while they are still the source's; textures and builtins go
    // before arithmetic, since what they become is to be defined too; memory before address spaces, since its functions take references;
    // what nothing needs any more goes before names are given.
    (
        "metal",
        "strip,ray-queries,lower-implicit-lod,bounded-indices,msl-demote,msl-textures,msl-builtins,msl-memory,msl-address-spaces,msl-entries,\
         defined-arithmetic,strip,region-results-to-locals,loop-heads,shape-expressions,assign-names,print-msl",
    ),
    // From slots to text, on a module with one entry. Layouts come first, since what they add is to be converted too; conditional
    // expressions before loop heads, since those may put statements into tests; names last, since shapes and helpers add some.
    (
        "hlsl",
        "ray-queries,resources-to-globals,bindless-tables,lower-implicit-lod,bounded-indices,non-uniform-indices,hlsl-layout,akari-to-hlsl,hlsl-precise,hlsl-loops,strip,region-results-to-locals,loop-heads,convergent-breaks,\
         shape-expressions,assign-names,print-hlsl",
    ),
    ("d3d12", "@hlsl"),
    // Direct3D rounds layers itself.
    ("vulkan-hlsl", "whole-layers,@hlsl"),
];
