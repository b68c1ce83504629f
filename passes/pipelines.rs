//! The named pipelines, as text, each with the reasons for its order.

/// Name and passes. A pipeline may name those before it as `@name`.
pub static NAMED: &[(&str, &str)] = &[
    // What every target shares, before anything is known of the target.
    ("shared", "const-fold"),
    // From slots to words. Several entries may go through together: each gets a module of its own.
    ("spirv", "resources-to-globals,emit-spirv"),
];
