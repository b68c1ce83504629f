//! Operator precedence of C, and where parentheses stand.

/// How tightly an expression binds, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precedence {
    /// An argument, an initializer, an index: whatever stands between brackets or commas.
    Whole,
    /// `?:`
    Conditional,
    /// `||`
    OrElse,
    /// `&&`
    AndThen,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `&`
    BitAnd,
    /// `==` `!=`
    Equality,
    /// `<` `<=` `>` `>=`
    Relational,
    /// `<<` `>>`
    Shift,
    /// `+` `-`
    Additive,
    /// `*` `/` `%`
    Multiplicative,
    /// `-x` `!x` `~x` `(T)x`
    Prefix,
    /// Names, literals, calls, members, elements.
    Primary,
}

/// On which side of its operator an operand stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Left of a left-associative operator, or its only operand.
    Left,
    /// Right of it.
    Right,
}

/// Whether an operand that binds as `inner` needs parentheses on `side` of an operator that binds as `outer`.
///
/// Beside the grammar's rule, mixtures that compilers warn of and readers stumble over get parentheses: `&&` in `||`, `&`
/// and `^` in other bitwise operators, arithmetic in shifts, comparisons in comparisons, a prefix in a prefix.
#[must_use]
pub fn needs_parentheses(outer: Precedence, side: Side, inner: Precedence) -> bool {
    use Precedence::{
        Additive, AndThen, BitAnd, BitOr, BitXor, Conditional, Equality, Multiplicative, OrElse, Prefix, Primary,
        Relational, Shift, Whole,
    };
    match outer {
        Whole => false,
        // The right arm of `?:` may be another `?:`; its condition and left arm are easier to read in parentheses.
        Conditional => match side {
            Side::Left => inner <= Conditional,
            Side::Right => inner < Conditional,
        },
        OrElse | AndThen | BitOr | BitXor | BitAnd | Equality | Relational | Shift | Additive | Multiplicative => {
            let grammar = match side {
                Side::Left => inner < outer,
                Side::Right => inner <= outer,
            };
            let same_kind = side == Side::Left && inner == outer;
            let prudent = match outer {
                OrElse => inner == AndThen,
                BitOr | BitXor | BitAnd => inner < Prefix && !same_kind && inner != Multiplicative,
                Equality | Relational => matches!(inner, Equality | Relational),
                Shift => inner < Prefix && !same_kind,
                _ => false,
            };
            grammar || prudent
        }
        Prefix => inner <= Prefix,
        Primary => inner < Primary,
    }
}
