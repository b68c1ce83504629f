//! What passes ask about a module, computed when asked and never kept.

pub mod effects;
pub mod uses;
