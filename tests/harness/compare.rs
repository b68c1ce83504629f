//! Compares what came out of a run with what a case expects.

use std::fmt::Write as _;

use crate::case::{Case, Expectation, Expected, Part, Place, Tolerance};
use crate::job::{BoundResource, Contents, Job, Outcome, Work, mip_size};
use crate::scalar::Scalar;
use crate::texel::{TexelFormat, little_endian};

/// How many differences a report lists.
const LISTED: usize = 8;

/// Checks every expectation of `case`.
///
/// # Errors
/// A report of the numbers that differ: which, what was expected, what came out, and the bits of both.
pub fn compare(case: &Case, job: &Job, outcome: &Outcome) -> Result<(), String> {
    let reports: Vec<String> =
        case.expectations.iter().filter_map(|expectation| check(expectation, job, outcome).err()).collect();
    if reports.is_empty() { Ok(()) } else { Err(reports.join("\n")) }
}

/// A number that came out, and its name for a report.
struct Got {
    name: String,
    scalar: Scalar,
    bits: u64,
}

fn check(expectation: &Expectation, job: &Job, outcome: &Outcome) -> Result<(), String> {
    let got = numbers(&expectation.place, job, outcome)?;
    if got.len() != expectation.expected.len() {
        return Err(format!(
            "line {}: {} numbers came out, {} are expected",
            expectation.line,
            got.len(),
            expectation.expected.len()
        ));
    }
    let wrong: Vec<_> = expectation
        .expected
        .iter()
        .zip(&got)
        .filter(|(expected, got)| !matches(**expected, got.scalar, got.bits, expectation.tolerance))
        .collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let mut report = format!("line {}: {} of {} numbers differ", expectation.line, wrong.len(), got.len());
    for (expected, got) in wrong.iter().take(LISTED) {
        let wanted = match expected {
            Expected::Anything => "anything".to_owned(),
            Expected::Nan => "nan".to_owned(),
            Expected::Bits(bits) => got.scalar.show(*bits),
        };
        let _ = write!(report, "\n  {}: expected {wanted}, got {}", got.name, got.scalar.show(got.bits));
        if let Expected::Bits(bits) = expected
            && let Some(steps) = got.scalar.steps_apart(*bits, got.bits)
        {
            let _ = write!(report, ", {steps} apart");
        }
    }
    if wrong.len() > LISTED {
        let _ = write!(report, "\n  … and {} more", wrong.len() - LISTED);
    }
    Err(report)
}

fn matches(expected: Expected, scalar: Scalar, got: u64, tolerance: Tolerance) -> bool {
    match expected {
        Expected::Anything => true,
        Expected::Nan => scalar.is_nan(got),
        Expected::Bits(bits) if bits == got => true,
        Expected::Bits(bits) => {
            let few_steps = |most| scalar.steps_apart(bits, got).is_some_and(|steps| steps <= most);
            let close = |most| (scalar.value(bits) - scalar.value(got)).abs() <= most;
            tolerance.steps.is_some_and(few_steps) || tolerance.absolute.is_some_and(close)
        }
    }
}

fn numbers(place: &Place, job: &Job, outcome: &Outcome) -> Result<Vec<Got>, String> {
    match place {
        Place::Buffer { name, parts } => {
            let (_, bytes) = resource(name, job, outcome)?;
            Ok(buffer_numbers(name, parts, bytes))
        }
        Place::Texture { name } => {
            let (resource, texels) = resource(name, job, outcome)?;
            let (Contents::Texture(image) | Contents::StorageTexture(image)) = &resource.contents else {
                return Err(format!("`{name}` is no texture"));
            };
            Ok(texel_numbers(name, image.format, image.size, image.mips, image.layers, texels))
        }
        Place::Target(index) => {
            let texels = outcome.targets.get(*index).ok_or_else(|| format!("the run gave no target {index}"))?;
            let Work::Draw { targets, size: [width, height], .. } = &job.work else {
                return Err("a target without a draw".into());
            };
            let format =
                targets.get(*index).copied().flatten().ok_or_else(|| format!("the job has no target {index}"))?;
            Ok(texel_numbers(&format!("target{index}"), format, [*width, *height, 1], 1, 1, texels))
        }
    }
}

fn resource<'a>(name: &str, job: &'a Job, outcome: &'a Outcome) -> Result<(&'a BoundResource, &'a [u8]), String> {
    let mut pairs = job.resources.iter().zip(&outcome.resources);
    let found = pairs.find(|(resource, _)| resource.name == name);
    found
        .map(|(resource, bytes)| (resource, bytes.as_slice()))
        .ok_or_else(|| format!("the run gave nothing for `{name}`"))
}

fn buffer_numbers(name: &str, parts: &[Part], bytes: &[u8]) -> Vec<Got> {
    let mut offset = 0;
    let mut got = Vec::new();
    for part in parts {
        let range = offset..offset + part.bytes();
        if let (Part::Number(scalar), Some(bytes)) = (part, bytes.get(range.clone())) {
            let name = format!("{name}[{}] at byte {offset} ({scalar})", got.len());
            got.push(Got { name, scalar: *scalar, bits: little_endian(bytes) });
        }
        offset = range.end;
    }
    got
}

fn texel_numbers(name: &str, format: TexelFormat, size: [u32; 3], mips: u32, layers: u32, texels: &[u8]) -> Vec<Got> {
    let mut places = Vec::new();
    for mip in 0..mips {
        let [width, height, depth] = mip_size(size, mip);
        for layer in 0..layers {
            for z in 0..depth {
                for y in 0..height {
                    places.extend((0..width).map(|x| (mip, layer, [x, y, z])));
                }
            }
        }
    }
    let mut got = Vec::new();
    for ((mip, layer, [x, y, z]), texel) in places.into_iter().zip(texels.chunks_exact(format.bytes())) {
        for ((scalar, bits), letter) in format.components().iter().zip(format.decode(texel)).zip("rgba".chars()) {
            let mut place = format!("{name}[{x}, {y}");
            if size[2] > 1 {
                let _ = write!(place, ", {z}");
            }
            place.push(']');
            if layers > 1 {
                let _ = write!(place, " layer {layer}");
            }
            if mips > 1 {
                let _ = write!(place, " mip {mip}");
            }
            got.push(Got { name: format!("{place}.{letter} ({format})"), scalar: *scalar, bits });
        }
    }
    got
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bind;
    use crate::case;
    use crate::job::{Binding, BindingKind, EntryPoint, Interface, Sampler, Slot, Stage, TextureShape};

    const HEADER: &str =
        "//! from x\n//! run compute 1 1 1\n//! buffer out.r : f32 = 0 x 4\n//! texture out.t : rg16f 2x1 = zero\n";

    fn report(expectations: &str, buffer: [u32; 4], texels: [u16; 4]) -> Result<(), String> {
        let case = case::parse(&format!("{HEADER}{expectations}")).expect("a sound header");
        let binding =
            |name: &str, set, kind| Binding { name: name.into(), slot: Slot::new(set, 0), kind, length: None };
        let interface = Interface {
            entries: vec![EntryPoint {
                name: "run".into(),
                emitted: "run".into(),
                stage: Stage::Compute,
                threads: [1; 3],
            }],
            bindings: vec![
                binding("out.r", 0, BindingKind::StorageBuffer),
                binding("out.t", 1, BindingKind::StorageTexture(TextureShape::D2)),
            ],
            samplers: Vec::<Sampler>::new(),
        };
        let job = bind::jobs(&case, &interface).expect("a job").remove(0);
        let buffer = buffer.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let texels = texels.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        compare(&case, &job, &Outcome { resources: vec![buffer, texels], targets: Vec::new() })
    }

    #[test]
    fn what_matches() {
        let texels = [0x3c00, 0x7e01, 0x8000, 0x0000];
        assert_eq!(
            report(
                "//! expect out.r : f32 = 1 nan -0 _\n//! expect out.t : rg16f = 1 nan -0 0",
                [0x3f80_0000, 0xffc0_0001, 0x8000_0000, 9],
                texels
            ),
            Ok(())
        );
        assert_eq!(
            report(
                "//! expect out.r : f32 ~ulp 1 = 1 1 0 inf",
                [0x3f80_0001, 0x3f7f_ffff, 0x8000_0000, 0x7f80_0000],
                texels
            ),
            Ok(())
        );
        assert_eq!(
            report("//! expect out.r : f32 ~abs 0.5 = 1 -1 0 inf", [0x3fc0_0000, 0xbf00_0000, 0, 0x7f80_0000], texels),
            Ok(())
        );
    }

    #[test]
    fn what_differs() {
        let got = report(
            "//! expect out.r : f32 = 1 nan 0 2\n//! expect out.t : rg16f ~ulp 1 = 1 0 0 nan",
            [0x3f80_0001, 0x3f80_0000, 0x8000_0000, 0x7fc0_0000],
            [0x3c02, 0, 0x7c00, 0],
        );
        let expected = "line 5: 4 of 4 numbers differ\n\
            \x20 out.r[0] at byte 0 (f32): expected 1.0 (0x3f800000), got 1.0000001 (0x3f800001), 1 apart\n\
            \x20 out.r[1] at byte 4 (f32): expected nan, got 1.0 (0x3f800000)\n\
            \x20 out.r[2] at byte 8 (f32): expected 0.0 (0x00000000), got -0.0 (0x80000000), 0 apart\n\
            \x20 out.r[3] at byte 12 (f32): expected 2.0 (0x40000000), got NaN (0x7fc00000)\n\
            line 6: 3 of 4 numbers differ\n\
            \x20 out.t[0, 0].r (rg16f): expected 1.0 (0x3c00), got 1.001953125 (0x3c02), 2 apart\n\
            \x20 out.t[1, 0].r (rg16f): expected 0.0 (0x0000), got inf (0x7c00), 31744 apart\n\
            \x20 out.t[1, 0].g (rg16f): expected nan, got 0.0 (0x0000)";
        assert_eq!(got, Err(expected.into()));
    }

    #[test]
    fn a_tolerance_does_not_hide_nan_and_infinity() {
        assert!(report("//! expect out.r : f32 ~abs 1e30 = 1 1 1 1", [0x7fc0_0000; 4], [0; 4]).is_err());
        assert!(report("//! expect out.r : f32 ~abs 1e30 = inf inf inf inf", [0x7f7f_ffff; 4], [0; 4]).is_err());
        assert!(report("//! expect out.r : f32 ~ulp 99 = nan nan nan nan", [0x7f7f_ffff; 4], [0; 4]).is_err());
    }
}
