//! The codes of what `specialize` tells: `E33xx` and `W33xx`.

akari_ir::codes! {
    /// An array whose length, in this instance, is no positive number or too large.
    LENGTH = "E3301";
    /// A division by a constant that is zero in this instance.
    DIVISION_BY_ZERO = "E3302";
    /// A shift by a constant that, in this instance, is the width of the value or more.
    SHIFT_COUNT = "E3303";
    /// A constant index that lies outside of what is indexed in this instance.
    INDEX = "E3304";
    /// Two labels of a switch that are equal in this instance.
    DUPLICATE_LABEL = "E3305";
    /// A resource that is `none` in this instance is used.
    NONE_USED = "E3306";
    /// Something that must be constant is none, for instance since it divides by zero or overflows.
    NOT_CONSTANT = "E3307";
    /// A count to unroll by, or a thread-group size, that is out of range in this instance.
    OUT_OF_RANGE = "E3308";
    /// A function that calls itself by way of function values.
    RECURSION = "E3309";
    /// Too many specializations, or too large ones.
    TOO_MANY = "E3310";
    /// A function of which a few calls make very many specializations.
    CROWDED = "W3301";
}
