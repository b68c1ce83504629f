//! The number formats that buffers and texels are made of: how a case writes them, their bits, and how far two of them lie apart.

use std::fmt;

use half::f16;

/// A number format. Bits are kept in the low end of a `u64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// IEEE-754 binary32.
    F32,
    /// IEEE-754 binary16.
    F16,
    /// Unsigned, 32 bits.
    U32,
    /// Two's complement, 32 bits.
    I32,
    /// Unsigned, 64 bits.
    U64,
    /// Eight bits that stand for 0 to 1.
    Unorm8,
    /// An unsigned float of 5 exponent and 6 mantissa bits.
    UnsignedFloat11,
    /// An unsigned float of 5 exponent and 5 mantissa bits.
    UnsignedFloat10,
}

impl Scalar {
    /// The formats that a buffer may hold, by the name that a case gives them.
    #[must_use]
    pub fn of_buffer(name: &str) -> Option<Self> {
        match name {
            "f32" => Some(Self::F32),
            "f16" => Some(Self::F16),
            "u32" => Some(Self::U32),
            "i32" => Some(Self::I32),
            "u64" => Some(Self::U64),
            _ => None,
        }
    }

    /// Bytes that one number takes in a buffer; for the packed formats, in its own integer.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Unorm8 => 1,
            Self::F16 | Self::UnsignedFloat11 | Self::UnsignedFloat10 => 2,
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::U64 => 8,
        }
    }

    /// The number that `bits` stand for; a `u64` above 2^53 is rounded.
    #[must_use]
    pub fn value(self, bits: u64) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::U32 => f64::from(bits as u32),
            Self::I32 => f64::from(bits as u32 as i32),
            Self::U64 => bits as f64,
            Self::Unorm8 => f64::from(bits as u8) / 255.0,
            Self::UnsignedFloat11 => f16::from_bits((bits as u16) << 4).to_f64(),
            Self::UnsignedFloat10 => f16::from_bits((bits as u16) << 5).to_f64(),
        }
    }

    /// The bits of the number of this format nearest to `value`, ties to even.
    #[must_use]
    pub fn nearest(self, value: f64) -> u64 {
        match self {
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F16 => u64::from(f16::from_f64(value).to_bits()),
            Self::U32 => u64::from(value as u32),
            Self::I32 => u64::from((value as i32).cast_unsigned()),
            Self::U64 => value as u64,
            Self::Unorm8 => (value.clamp(0.0, 1.0) * 255.0).round_ties_even() as u64,
            Self::UnsignedFloat11 => nearest_unsigned_float(value, 4),
            Self::UnsignedFloat10 => nearest_unsigned_float(value, 5),
        }
    }

    /// Whether `bits` are a NaN of this format.
    #[must_use]
    pub fn is_nan(self, bits: u64) -> bool {
        self.value(bits).is_nan()
    }

    /// How many representable numbers lie between the two, counting one of the ends; both zeros are one number. `None` where either is NaN.
    #[must_use]
    pub fn steps_apart(self, left: u64, right: u64) -> Option<u64> {
        let order = |bits: u64| -> i128 {
            match self {
                Self::F32 => sign_magnitude(bits, 31),
                Self::F16 => sign_magnitude(bits, 15),
                Self::I32 => i128::from(bits as u32 as i32),
                Self::U32 | Self::U64 | Self::Unorm8 | Self::UnsignedFloat11 | Self::UnsignedFloat10 => {
                    i128::from(bits)
                }
            }
        };
        if self.is_nan(left) || self.is_nan(right) {
            return None;
        }
        u64::try_from(order(left).abs_diff(order(right))).ok()
    }

    /// Reads a number as a case writes it: decimal, `0x…`, a hexadecimal float such as `0x1.8p3`, `nan`, `inf`, `-inf`, or `bits:0x…`.
    ///
    /// # Errors
    /// When `text` is no number of this format.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let wrong = || format!("`{text}` is no {self} number");
        if let Some(hex) = text.strip_prefix("bits:0x") {
            let bits = u64::from_str_radix(hex, 16).map_err(|_| wrong())?;
            let width = match self {
                Self::UnsignedFloat11 => 11,
                Self::UnsignedFloat10 => 10,
                other => 8 * other.bytes(),
            };
            return if width == 64 || bits >> width == 0 { Ok(bits) } else { Err(wrong()) };
        }
        match self {
            Self::U32 => u32::try_from(parse_integer(text).ok_or_else(wrong)?).map(u64::from).map_err(|_| wrong()),
            Self::I32 => i32::try_from(parse_integer(text).ok_or_else(wrong)?)
                .map(|value| u64::from(value.cast_unsigned()))
                .map_err(|_| wrong()),
            Self::U64 => u64::try_from(parse_integer(text).ok_or_else(wrong)?).map_err(|_| wrong()),
            Self::F32 if !is_hexadecimal(text) => {
                parse_decimal::<f32>(text).map(|value| u64::from(value.to_bits())).ok_or_else(wrong)
            }
            Self::F32 | Self::F16 | Self::Unorm8 | Self::UnsignedFloat11 | Self::UnsignedFloat10 => {
                let value =
                    if is_hexadecimal(text) { parse_hexadecimal_float(text) } else { parse_decimal::<f64>(text) };
                value.map(|value| self.nearest(value)).ok_or_else(wrong)
            }
        }
    }

    /// A number for a person to read, with its bits.
    #[must_use]
    pub fn show(self, bits: u64) -> String {
        let digits = 2 * self.bytes();
        match self {
            Self::F32 => format!("{:?} (0x{bits:0digits$x})", f32::from_bits(bits as u32)),
            Self::F16 | Self::Unorm8 | Self::UnsignedFloat11 | Self::UnsignedFloat10 => {
                format!("{:?} (0x{bits:0digits$x})", self.value(bits))
            }
            Self::U32 | Self::U64 => format!("{bits} (0x{bits:0digits$x})"),
            Self::I32 => format!("{} (0x{bits:0digits$x})", bits as u32 as i32),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::Unorm8 => "unorm8",
            Self::UnsignedFloat11 => "11-bit float",
            Self::UnsignedFloat10 => "10-bit float",
        })
    }
}

/// The place of a sign-and-magnitude number in the order of numbers.
fn sign_magnitude(bits: u64, sign: u32) -> i128 {
    let magnitude = i128::from(bits & ((1 << sign) - 1));
    if bits >> sign & 1 == 1 { -magnitude } else { magnitude }
}

/// Rounds to a float that is a binary16 without its sign and without the last `dropped` mantissa bits. Negative numbers give 0.
fn nearest_unsigned_float(value: f64, dropped: u32) -> u64 {
    if value.is_nan() {
        return u64::from(0x7e00_u16 >> dropped);
    }
    let half = u64::from(f16::from_f64(value.max(0.0)).to_bits());
    let low = half & ((1 << dropped) - 1);
    let middle = 1 << (dropped - 1);
    let kept = half >> dropped;
    if low > middle || (low == middle && kept & 1 == 1) { kept + 1 } else { kept }
}

fn parse_integer(text: &str) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let magnitude = match digits.strip_prefix("0x") {
        Some(hex) => i128::from(u64::from_str_radix(hex, 16).ok()?),
        None if digits.starts_with(|first: char| first.is_ascii_digit()) => i128::from(digits.parse::<u64>().ok()?),
        None => return None,
    };
    Some(if negative { -magnitude } else { magnitude })
}

fn is_hexadecimal(text: &str) -> bool {
    text.trim_start_matches('-').starts_with("0x")
}

/// Rust also reads `infinity`, `NaN` and `+1`; a case is stricter.
fn parse_decimal<F: std::str::FromStr>(text: &str) -> Option<F> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let number = digits.starts_with(|first: char| first.is_ascii_digit());
    if number || text == "nan" || digits == "inf" { text.parse().ok() } else { None }
}

/// `[-]0x<hex>[.<hex>][p<exponent>]`, exactly; the fraction may have up to 13 digits.
fn parse_hexadecimal_float(text: &str) -> Option<f64> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let digits = digits.strip_prefix("0x")?;
    let (mantissa, exponent) = match digits.split_once('p') {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() || whole.len() + fraction.len() > 13 {
        return None;
    }
    let significand = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let magnitude = significand as f64 * 2f64.powi(exponent.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?);
    Some(if negative { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_cases_write_them() {
        let bits = |scalar: Scalar, text: &str| scalar.parse(text);
        assert_eq!(bits(Scalar::F32, "1"), Ok(0x3f80_0000));
        assert_eq!(bits(Scalar::F32, "-0"), Ok(0x8000_0000));
        assert_eq!(bits(Scalar::F32, "-0x1.8p3"), Ok(u64::from((-12.0_f32).to_bits())));
        assert_eq!(bits(Scalar::F32, "0x1p-149"), Ok(1));
        assert_eq!(bits(Scalar::F32, "1e-45"), Ok(1));
        assert_eq!(bits(Scalar::F32, "bits:0x7fc00001"), Ok(0x7fc0_0001));
        assert_eq!(bits(Scalar::F32, "-inf"), Ok(0xff80_0000));
        assert_eq!(bits(Scalar::F16, "1.5"), Ok(0x3e00));
        assert_eq!(bits(Scalar::I32, "-1"), Ok(0xffff_ffff));
        assert_eq!(bits(Scalar::I32, "-2147483648"), Ok(0x8000_0000));
        assert_eq!(bits(Scalar::U64, "18446744073709551615"), Ok(u64::MAX));
        assert_eq!(bits(Scalar::U32, "0xFFFFFFFF"), Ok(0xffff_ffff));
        assert_eq!(bits(Scalar::Unorm8, "0.5"), Ok(128));
        assert_eq!(bits(Scalar::UnsignedFloat11, "1"), Ok(0x3c0));
        assert_eq!(bits(Scalar::UnsignedFloat10, "1.03125"), Ok(0x1e1));
    }

    #[test]
    fn what_is_no_number() {
        for (scalar, text) in [
            (Scalar::U32, "-1"),
            (Scalar::U32, "4294967296"),
            (Scalar::U32, "1.0"),
            (Scalar::I32, "2147483648"),
            (Scalar::F32, "infinity"),
            (Scalar::F32, "+1"),
            (Scalar::F32, ""),
            (Scalar::F32, "1f"),
            (Scalar::F16, "bits:0x10000"),
            (Scalar::UnsignedFloat10, "bits:0x400"),
        ] {
            assert!(scalar.parse(text).is_err(), "{scalar} {text}");
        }
    }

    #[test]
    fn distance_in_steps() {
        let f32_steps =
            |left: f32, right: f32| Scalar::F32.steps_apart(u64::from(left.to_bits()), u64::from(right.to_bits()));
        assert_eq!(f32_steps(1.0, f32::from_bits(0x3f80_0002)), Some(2));
        assert_eq!(f32_steps(0.0, -0.0), Some(0));
        assert_eq!(f32_steps(f32::from_bits(1), -f32::from_bits(1)), Some(2));
        assert_eq!(f32_steps(f32::MAX, f32::INFINITY), Some(1));
        assert_eq!(f32_steps(f32::NAN, f32::NAN), None);
        assert_eq!(Scalar::I32.steps_apart(0xffff_ffff, 1), Some(2));
    }

    #[test]
    fn packed_floats_round_trip() {
        for bits in (0..0x7c0).filter(|&bits| !Scalar::UnsignedFloat11.is_nan(bits)) {
            assert_eq!(Scalar::UnsignedFloat11.nearest(Scalar::UnsignedFloat11.value(bits)), bits);
        }
        assert!(Scalar::UnsignedFloat10.is_nan(Scalar::UnsignedFloat10.nearest(f64::NAN)));
    }
}
