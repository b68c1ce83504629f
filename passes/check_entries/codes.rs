//! The codes of what `check-entries` tells.

akari_ir::codes! {
    /// An operation that an entry's stage does not have.
    STAGE = "E3003";
    /// Too much groupshared memory.
    GROUPSHARED_SIZE = "E3009";
    /// A variable of other memory where atomics are done on a parameter.
    NOT_GROUPSHARED = "E3013";
    /// A fault of an entry's parameters or result.
    BAD_ENTRY = "E3006";
}
