//! Number literals, exact to the bit.

use super::language::Literal;
use super::precedence::Precedence;

fn signed(text: String) -> Literal {
    let precedence = if text.starts_with('-') { Precedence::Prefix } else { Precedence::Primary };
    Literal { text, precedence }
}

/// The shortest decimal text that reads back as this `f32`, with a point or an exponent and then `suffix`; `None` for NaN
/// and infinity, which have no literal.
#[must_use]
pub fn f32(bits: u32, suffix: &str) -> Option<Literal> {
    let value = f32::from_bits(bits);
    // Whole numbers are easier to read with all their digits than with the fewest.
    let is_whole = value.fract() == 0.0 && (1e7..1e10).contains(&value.abs());
    let text = if is_whole { format!("{value:.1}{suffix}") } else { format!("{value:?}{suffix}") };
    value.is_finite().then(|| signed(text))
}

/// As [`f32`](fn@f32), for the `f16` of these bits: enough digits to read back as it.
#[must_use]
pub fn f16(bits: u16, suffix: &str) -> Option<Literal> {
    let value = half::f16::from_bits(bits);
    if !value.is_finite() {
        return None;
    }
    let exact = value.to_f32();
    let shortest = (1..=5)
        .map(|digits| format!("{exact:.*e}", digits - 1))
        .find(|text| text.parse::<f32>().is_ok_and(|read| half::f16::from_f32(read).to_bits() == bits))
        .and_then(|text| text.parse::<f32>().ok())
        .unwrap_or(exact);
    Some(signed(format!("{shortest:?}{suffix}")))
}

/// An `i32`. The smallest has no literal in C, since `2147483648` is no `int`.
#[must_use]
pub fn i32(bits: u32) -> Literal {
    match bits as i32 {
        i32::MIN => Literal { text: "-2147483647 - 1".into(), precedence: Precedence::Additive },
        value => signed(value.to_string()),
    }
}

/// A `u32`, in hexadecimal where it looks like a mask.
#[must_use]
pub fn u32(bits: u32) -> Literal {
    let text = if looks_like_a_mask(u64::from(bits)) { format!("0x{bits:X}u") } else { format!("{bits}u") };
    signed(text)
}

/// A `u64` with the language's suffix.
#[must_use]
pub fn u64(bits: u64, suffix: &str) -> Literal {
    let text = if looks_like_a_mask(bits) { format!("0x{bits:X}{suffix}") } else { format!("{bits}{suffix}") };
    signed(text)
}

/// A number that is an operand of `&`, `|` or `^` in hexadecimal, where that says more: not for those that bound shift counts.
#[must_use]
pub fn mask(bits: u64, suffix: &str) -> Option<String> {
    (bits > 9 && bits != 31 && bits != 63).then(|| format!("0x{bits:X}{suffix}"))
}

/// Long numbers that are a run of ones, or end in as many zeros as half a word has, are read as bits.
fn looks_like_a_mask(bits: u64) -> bool {
    let zeros = bits.trailing_zeros().min(63);
    let run = bits >> zeros;
    bits > 0xFFFF && (run & run.wrapping_add(1) == 0 || zeros >= 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_read_back_as_their_bits() {
        for bits in [0, 0x8000_0000, 1, 0x3f80_0000, 0x7f7f_ffff, 0x3dcc_cccd, 0x0080_0000, 0x4b80_0000, 0x60ad_78ec] {
            let text = f32(bits, "").expect("finite").text;
            assert_eq!(text.parse::<f32>().expect("a number").to_bits(), bits, "{text}");
            assert!(text.contains(['.', 'e']), "{text}");
        }
        assert_eq!(f32(0x4f7f_ffff, "").expect("finite").text, "4294967040.0");
        assert_eq!(f32(0x7f80_0000, ""), None);
        assert_eq!(f32(0xbf80_0000, "f").expect("finite").text, "-1.0f");
    }

    #[test]
    fn every_half_reads_back() {
        for bits in 0..=u16::MAX {
            if let Some(literal) = f16(bits, "") {
                let read = half::f16::from_f32(literal.text.parse::<f32>().expect("a number"));
                assert_eq!(read.to_bits(), bits, "{}", literal.text);
            }
        }
        assert_eq!(f16(0x2e66, "h").expect("finite").text, "0.1h");
    }

    #[test]
    fn integers() {
        assert_eq!(i32(0x8000_0000).text, "-2147483647 - 1");
        assert_eq!(i32(u32::MAX).text, "-1");
        assert_eq!(u32(u32::MAX).text, "0xFFFFFFFFu");
        assert_eq!(u32(0x8000_0000).text, "0x80000000u");
        assert_eq!(u32(2_891_336_453).text, "2891336453u");
        assert_eq!(mask(0xFF, "u").as_deref(), Some("0xFFu"));
        assert_eq!(mask(1, "u"), None);
        assert_eq!(u32(64).text, "64u");
        assert_eq!(u32(0xFF).text, "255u");
    }
}
