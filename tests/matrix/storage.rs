//! What is written of storage textures.

use super::forms::{Form, Scalar, literal};
use super::{Call, Value, Verdict};

/// The format of a storage texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Any,
    Rgba32f,
    Rgba16f,
    R16f,
    R32f,
    Rg16f,
    R11g11b10f,
    R32u,
    R32i,
}

impl Format {
    pub(crate) const ALL: [(Self, &str); 9] = [
        (Self::Any, "float4"),
        (Self::Rgba32f, "rgba32f"),
        (Self::Rgba16f, "rgba16f"),
        (Self::R16f, "r16f"),
        (Self::R32f, "r32f"),
        (Self::Rg16f, "rg16f"),
        (Self::R11g11b10f, "r11g11b10f"),
        (Self::R32u, "r32u"),
        (Self::R32i, "r32i"),
    ];

    /// What the host makes it of.
    pub(crate) fn of_the_host(self) -> &'static str {
        match self {
            Self::Any => "rgba32f",
            named => Self::ALL.into_iter().find(|(format, _)| *format == named).map_or("", |(_, name)| name),
        }
    }

    pub(crate) fn channels(self) -> usize {
        match self {
            Self::Any | Self::Rgba32f | Self::Rgba16f => 4,
            Self::R11g11b10f => 3,
            Self::Rg16f => 2,
            Self::R16f | Self::R32f | Self::R32u | Self::R32i => 1,
        }
    }

    pub(crate) fn scalar(self) -> Scalar {
        match self {
            Self::R32u => Scalar::Uint,
            Self::R32i => Scalar::Int,
            Self::Any | Self::Rgba32f | Self::Rgba16f | Self::R16f | Self::R32f | Self::Rg16f | Self::R11g11b10f => {
                Scalar::Float
            }
        }
    }
}

/// How wide the images are: a texel for every store of a stage.
pub(crate) const WIDTH: usize = 8;
/// How high: a row for every round of stores, which the programs call `stage`.
pub(crate) const HEIGHT: usize = 4;
/// How deep a volume is. Stores go to its last slice.
pub(crate) const DEPTH: usize = 2;

/// What a store of that number writes as a component: every format holds it exactly.
pub(crate) fn number(format: Format, store: usize, component: usize) -> f64 {
    let (store, component) = (store as f64, component as f64);
    match format.scalar() {
        Scalar::Uint => 4_294_967_295.0 - 1000.0 * store - component,
        Scalar::Int => -2_147_483_648.0 + 1000.0 * store + component,
        Scalar::Float | Scalar::Half | Scalar::Bool => 1.0 + store + component / 2.0,
    }
}

/// How many stores there are of a format: of every width, with both kinds of coordinates.
pub(crate) fn stores(format: Format) -> usize {
    2 * (5 - format.channels())
}

/// The coordinate of a texel in the row of the stage.
fn coordinate(scalar: Scalar, is_volume: bool, x: usize) -> String {
    let (row, suffix) = match scalar {
        Scalar::Int => ("int(stage)", ""),
        Scalar::Uint | Scalar::Float | Scalar::Half | Scalar::Bool => ("stage", "u"),
    };
    if is_volume {
        format!("{}({x}{suffix}, {row}, {}{suffix})", scalar.vector(3), DEPTH - 1)
    } else {
        format!("{}({x}{suffix}, {row})", scalar.vector(2))
    }
}

/// Every call of every method of textures, on a storage texture of that type, which diagnostics show as `shown`.
pub(crate) fn calls(is_volume: bool, format: Format, shown: &str) -> Vec<Call> {
    let mut calls = Vec::new();
    let width = if is_volume { 3 } else { 2 };
    let (channels, scalar) = (format.channels(), format.scalar());
    let mut store = 0;
    for coordinates in [Scalar::Uint, Scalar::Int] {
        for components in channels..=4 {
            let numbers: Vec<f64> = (0..components).map(|component| number(format, store, component)).collect();
            let at = coordinate(coordinates, is_volume, store);
            calls.push(Call {
                text: format!("tex.store({at}, {})", literal(scalar, &numbers)),
                verdict: Verdict::Stores,
            });
            let kept = &numbers[..channels];
            let value = match scalar {
                Scalar::Uint | Scalar::Int => Value::Texels(kept.iter().map(|number| *number as i64).collect()),
                Scalar::Float | Scalar::Half | Scalar::Bool => Value::Floats(kept.to_vec()),
            };
            calls.push(Call::gives(format!("tex.load({at})"), value));
            store += 1;
        }
    }
    let size = [WIDTH, HEIGHT, DEPTH].map(|extent| extent as u32);
    calls.push(Call::gives("tex.dimensions()", Value::Sizes(size[..width].to_vec())));

    let at = coordinate(Scalar::Uint, is_volume, 0);
    let full = literal(scalar, &[1.0; 4]);
    for form in Form::all() {
        if !form.is(&[Scalar::Uint, Scalar::Int], width) {
            let message = format!("expected `{}`, found `{}`", Scalar::Uint.vector(width), form.ty());
            calls.push(Call::refused(format!("tex.load({})", form.text), &message));
            calls.push(Call::refused(format!("tex.store({}, {full})", form.text), message));
        }
        let message = if form.scalar != scalar {
            format!("found `{}`", form.ty())
        } else if form.width < channels {
            format!("a `store` to `{}` takes {channels} components, not {}", format.of_the_host(), form.width)
        } else {
            continue;
        };
        calls.push(Call::refused(format!("tex.store({at}, {})", form.text), message));
    }
    calls.push(Call::refused(format!("tex.load({at}, 0)"), "`load` takes 1 argument, not 2"));
    calls.push(Call::refused("tex.dimensions(0)", "`dimensions` takes 0 arguments, not 1"));
    calls.push(Call::refused("tex.load()", "`load` takes 1 argument, not 0"));
    calls.push(Call::refused(format!("tex.store({at})"), "`store` takes 2 arguments, not 1"));
    calls.push(Call::refused(format!("tex.store({at}, {full}, {full})"), "`store` takes 2 arguments, not 3"));
    let uv = literal(Scalar::Float, &vec![0.5; width]);
    for (method, rest) in [
        ("sample", format!("(nearest, {uv})")),
        ("sample_level", format!("(nearest, {uv}, 0.0)")),
        ("sample_grad", format!("(nearest, {uv}, {uv}, {uv})")),
        ("sample_cmp", format!("(compare, {uv}, 0.5)")),
        ("gather", format!("(nearest, {uv})")),
        ("gather_cmp", format!("(compare, {uv}, 0.5)")),
        ("mip_levels", "()".into()),
    ] {
        calls.push(Call::refused(
            format!("tex.{method}{rest}"),
            format!("the storage texture `{shown}` has no `{method}`"),
        ));
    }
    calls
}
