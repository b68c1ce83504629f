//! What passes ask about a module, computed when asked and never kept.

pub mod calls;
pub mod capabilities;
pub mod conditions;
pub mod constants;
pub mod cycles;
pub mod effects;
pub mod float_flow;
pub mod float_range;
pub mod loop_ranges;
pub mod plain_arrays;
pub mod range;
pub mod resource_use;
pub mod rounds;
pub mod storage_access;
pub mod uniformity;
pub mod used_structures;
pub mod uses;
pub mod walk;
pub mod whole_numbers;
