//! The operations of the `hlsl` dialect: what HLSL says with `out` parameters.

use akari_ir::op::{Attr, EnumDef};

/// An `Interlocked…` function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u16)]
pub enum Interlocked {
    /// Adds.
    Add,
    /// Takes the smaller.
    Min,
    /// Takes the larger.
    Max,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Replaces.
    Exchange,
    /// Replaces where equal.
    CompareExchange,
}

/// The names of the functions, as printed after `Interlocked`.
pub static INTERLOCKED: EnumDef = EnumDef {
    name: "interlocked function",
    values: &["Add", "Min", "Max", "And", "Or", "Xor", "Exchange", "CompareExchange"],
};

impl Interlocked {
    /// Every function, in order.
    pub const ALL: &'static [Self] =
        &[Self::Add, Self::Min, Self::Max, Self::And, Self::Or, Self::Xor, Self::Exchange, Self::CompareExchange];

    /// It as an attribute.
    #[must_use]
    pub fn attr(self) -> Attr {
        Attr::Enum(self as u16)
    }
}

akari_ir::dialect! {
    /// What HLSL has beyond the core operations.
    dialect "hlsl" 3, enum HlslOp, static HLSL;

    /// `InterlockedF(target, values…)`, or `InterlockedF(target, values…, previous)` where the last operand is a place in `function`
    /// that takes the previous value.
    Interlocked "interlocked" (target: WritablePlace, rest: Any "...") {function: Enum(INTERLOCKED)} [] -> None = READS | WRITES;
    /// `texture.GetDimensions(…)`: a level, where the first operand after the texture is no place, then the places that take the sizes.
    GetDimensions "get_dimensions" (texture: Any, rest: Any "...") {} [] -> None = WRITES;
    /// `f16tof32(value)`: the low half of the bits as a float.
    F16ToF32 "f16tof32" (value: IntegerScalar) {} [] -> Declared = PURE;
    /// `asfloat16(uint16_t(value))`: the low half of the bits as a half.
    HalfFromBits "half_from_bits" (value: IntegerScalar) {} [] -> Declared = PURE;
    /// A declaration marked `precise`: the value, with all float arithmetic that goes into it, is evaluated as written.
    Precise "precise" (value: Value) {} [] -> Same(0) = PURE;
    /// `buffer.Load<T>(offset)`: what stands at a number of bytes in a `ByteAddressBuffer`.
    ByteLoad "byte_load" (buffer: Any, offset: IntegerScalar) {} [] -> Declared = PURE;
    /// `(T)value`: the upper left of a matrix.
    Truncate "truncate" (value: Numeric) {} [] -> Declared = PURE;
}
