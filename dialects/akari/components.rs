//! The numbers by which `swizzle` and `store_components` name components: 0 to 3 for `xyzw`, and [`COLOUR`] more for the same
//! components where the source calls them `rgba`. Nothing but the spelling in text targets depends on that.

/// What the number of a component has more where the source calls it `r`, `g`, `b` or `a`.
pub const COLOUR: i64 = 4;

/// Which component a number names, from 0.
#[must_use]
pub const fn component(number: i64) -> i64 {
    number & 3
}
