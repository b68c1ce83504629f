//! Whether two runs of a random program left the same behind.

use std::fmt::Write as _;

use super::types::{Leaf, Scalar};
use super::{Generated, Output};
use crate::job::{Job, Outcome};

/// What lies in a buffer of a job after it.
fn left<'o>(job: &Job, outcome: &'o Outcome, name: &str) -> &'o [u8] {
    let index = job.resources.iter().position(|resource| resource.name == name);
    index.and_then(|index| outcome.resources.get(index)).map_or(&[], Vec::as_slice)
}

/// Compares what two runs of a program left behind; with `padding` also what lies between the scalars.
///
/// # Errors
/// The differences.
pub fn differences(
    program: &Generated,
    run: (&Job, &Outcome),
    other: (&Job, &Outcome),
    padding: bool,
) -> Result<(), String> {
    let mut said = String::new();
    for Output { name, stride, leaves } in &program.outputs {
        let elements =
            left(run.0, run.1, name).chunks_exact(*stride).zip(left(other.0, other.1, name).chunks_exact(*stride));
        for (element, (expected, found)) in elements.enumerate() {
            let is_in = |leaf: &Leaf, byte: usize| (leaf.offset..leaf.offset + leaf.scalar.bytes()).contains(&byte);
            let between = (0..*stride).filter(|byte| padding && !leaves.iter().any(|leaf| is_in(leaf, *byte)));
            if let Some(byte) = between.into_iter().find(|byte| expected[*byte] != found[*byte]) {
                let _ = writeln!(said, "{name}[{element}]+{byte}: the padding has changed");
            }
            for leaf in leaves {
                let (expected, found) = (&expected[leaf.offset..], &found[leaf.offset..]);
                if !alike(*leaf, expected, found) && said.len() < 2000 {
                    let width = if leaf.scalar == Scalar::Uint64 { 8 } else { 4 };
                    let hex = |bytes: &[u8]| {
                        bytes.iter().take(width).rev().map(|byte| format!("{byte:02x}")).collect::<String>()
                    };
                    let (expected, found) = (hex(expected), hex(found));
                    let offset = leaf.offset;
                    let _ = writeln!(
                        said,
                        "{name}[{element}]+{offset} {:?}: expected {expected}, found {found}",
                        leaf.scalar
                    );
                }
            }
        }
    }
    if said.is_empty() { Ok(()) } else { Err(format!("results differ\n{said}")) }
}

/// Whether two scalars are the same. One NaN is as good as another, and so is one zero: `min` and `max` may give either, and lavapipe drops the
/// addition of a constant zero. It also takes denormals for zeros.
fn alike(leaf: Leaf, expected: &[u8], found: &[u8]) -> bool {
    let words = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    // Numbers in order are counted by their bits, of which the sign is the first.
    let steps = |a: u32, b: u32, sign: u32| {
        let place = |bits: u32| if bits & sign == 0 { i64::from(bits) } else { -i64::from(bits & (sign - 1)) };
        (place(a) - place(b)).unsigned_abs() <= u64::from(leaf.ulps)
    };
    match leaf.scalar {
        Scalar::Float => {
            let (a, b) = (f32::from_bits(words(expected)), f32::from_bits(words(found)));
            let zero = |x: f32| x.abs() < f32::MIN_POSITIVE;
            let nan = a.is_nan() && b.is_nan();
            nan || !(a.is_nan() || b.is_nan()) && steps(a.to_bits(), b.to_bits(), 1 << 31) || zero(a) && zero(b)
        }
        Scalar::Half => {
            let half = |bytes: &[u8]| u16::from_le_bytes([bytes[0], bytes[1]]);
            let (a, b) = (half(expected), half(found));
            let nan = |x: u16| x & 0x7FFF > 0x7C00;
            let zero = |x: u16| x & 0x7FFF < 0x400;
            nan(a) && nan(b) || !(nan(a) || nan(b)) && steps(a.into(), b.into(), 1 << 15) || zero(a) && zero(b)
        }
        Scalar::Bool => (words(expected) != 0) == (words(found) != 0),
        Scalar::Int | Scalar::Uint => expected[..4] == found[..4],
        Scalar::Uint64 => expected[..8] == found[..8],
    }
}
