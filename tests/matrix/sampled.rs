//! What is written of sampled textures.

use super::forms::{Form, Scalar, literal};
use super::image::{self, MIPS, Shape, Texel};
use super::{Call, Value};

/// The face that cubes are looked up in.
const FACE: u32 = 3;

/// Every call of every method of textures, on a texture of that type, which diagnostics show as `shown`.
pub(crate) fn calls(shape: Shape, texel: Texel, shown: &str) -> Vec<Call> {
    let place = Place { shape, texel };
    let mut calls = Vec::new();
    for method in Sampling::ALL {
        place.sampling(method, shown, &mut calls);
    }
    place.loads(shown, &mut calls);
    place.sizes(&mut calls);
    let store = format!("tex.store({}, float4(1.0))", literal(Scalar::Uint, &vec![0.0; place.load_width()]));
    calls.push(Call::refused(store, format!("`{shown}` is read only: it has no `store`")));
    calls
}

/// The methods that take a sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sampling {
    Sample,
    Level,
    Grad,
    Compare,
    Gather,
    GatherCompare,
}

impl Sampling {
    const ALL: [Self; 6] = [Self::Sample, Self::Level, Self::Grad, Self::Compare, Self::Gather, Self::GatherCompare];

    fn name(self) -> &'static str {
        match self {
            Self::Sample => "sample",
            Self::Level => "sample_level",
            Self::Grad => "sample_grad",
            Self::Compare => "sample_cmp",
            Self::Gather => "gather",
            Self::GatherCompare => "gather_cmp",
        }
    }

    fn compares(self) -> bool {
        matches!(self, Self::Compare | Self::GatherCompare)
    }
}

/// A texture type, and where its texture is looked up.
#[derive(Clone, Copy)]
struct Place {
    shape: Shape,
    texel: Texel,
}

impl Place {
    fn layer(self) -> u32 {
        match self.shape {
            Shape::D2 | Shape::D3 => 0,
            Shape::D2Array => 2,
            Shape::Cube => FACE,
            Shape::CubeArray => 6 + FACE,
        }
    }

    /// The coordinate of a sample at normalized coordinates in that layer.
    fn coordinate(self, at: [f64; 3]) -> String {
        let mut parts = if self.shape.is_cube() {
            image::direction(FACE, at[0], at[1]).to_vec()
        } else {
            at[..self.shape.gradient()].to_vec()
        };
        match self.shape {
            Shape::D2 | Shape::D3 | Shape::Cube => {}
            Shape::D2Array => parts.push(2.0),
            Shape::CubeArray => parts.push(1.0),
        }
        literal(Scalar::Float, &parts)
    }

    /// A texel in the middle of the level, and normalized coordinates of its centre.
    fn middle(self, mip: u32) -> ([u32; 3], [f64; 3]) {
        let size = image::size(self.shape, mip);
        let at = size.map(|extent| extent / 2);
        (at, [0, 1, 2].map(|axis| (f64::from(at[axis]) + 0.5) / f64::from(size[axis])))
    }

    fn texel_at(self, at: [u32; 3], mip: u32) -> Vec<f64> {
        image::texel(self.texel, at, self.layer(), mip)
    }

    /// Why the texture has no such method.
    fn refusal(self, method: Sampling, shown: &str) -> Option<String> {
        let name = method.name();
        match self.texel {
            Texel::Uint | Texel::Int => Some(format!("`{shown}` cannot be filtered: it has no `{name}`")),
            Texel::Float if method.compares() => Some(format!("`{name}` needs a `TexDepth2D`, not a `{shown}`")),
            Texel::Float | Texel::Depth => {
                let no_gather = method == Sampling::Gather && matches!(self.shape, Shape::D3 | Shape::CubeArray);
                no_gather.then(|| format!("`{shown}` has no `{name}`"))
            }
        }
    }

    /// What follows the coordinate in a call that is right.
    fn rest(self, method: Sampling) -> String {
        let zero = literal(Scalar::Float, &vec![0.0; self.shape.gradient()]);
        match method {
            Sampling::Sample | Sampling::Gather => String::new(),
            Sampling::Level => ", 0.0".into(),
            Sampling::Grad => format!(", {zero}, {zero}"),
            Sampling::Compare | Sampling::GatherCompare => ", 0.5".into(),
        }
    }

    fn sampling(self, method: Sampling, shown: &str, calls: &mut Vec<Call>) {
        let name = method.name();
        let (_, middle) = self.middle(0);
        let coordinate = self.coordinate(middle);
        let sampler = if method.compares() { "compare" } else { "nearest" };
        let rest = self.rest(method);
        if let Some(message) = self.refusal(method, shown) {
            calls.push(Call::refused(format!("tex.{name}({sampler}, {coordinate}{rest})"), &message));
            if method == Sampling::Gather {
                calls.push(Call::refused(format!("tex.{name}({sampler}, {coordinate}, 1)"), message));
            }
            return;
        }
        self.values(method, calls);

        // The sampler.
        let wanted = if method.compares() { "SamplerCmp" } else { "Sampler" };
        let wrong = if method.compares() { ("nearest", "Sampler") } else { ("compare", "SamplerCmp") };
        for (other, found) in [wrong, ("tex", shown), ("0.5", "float")] {
            let message = format!("expected `{wanted}`, found `{found}`");
            calls.push(Call::refused(format!("tex.{name}({other}, {coordinate}{rest})"), message));
        }
        // The coordinate.
        let width = self.shape.coordinate();
        for form in Form::all().iter().filter(|form| !form.is(&[Scalar::Float], width)) {
            let message = format!("expected `{}`, found `{}`", Scalar::Float.vector(width), form.ty());
            calls.push(Call::refused(format!("tex.{name}({sampler}, {}{rest})", form.text), message));
        }
        // How many arguments there are.
        calls.push(Call::refused(format!("tex.{name}({sampler})"), format!("`{name}` takes ")));
        calls.push(Call::refused(format!("tex.{name}()"), format!("`{name}` takes ")));
        calls.push(Call::refused(
            format!("tex.{name}({sampler}, {coordinate}, 0, 0, 0, 0)"),
            format!("`{name}` takes "),
        ));
        // What follows the coordinate.
        let mismatch = |wanted: &str, form: &Form| format!("expected `{wanted}`, found `{}`", form.ty());
        match method {
            Sampling::Sample => {}
            Sampling::Level | Sampling::Compare | Sampling::GatherCompare => {
                for form in Form::all().iter().filter(|form| !form.is(&[Scalar::Float], 1)) {
                    calls.push(Call::refused(
                        format!("tex.{name}({sampler}, {coordinate}, {})", form.text),
                        mismatch("float", form),
                    ));
                }
            }
            Sampling::Grad => {
                let width = self.shape.gradient();
                let zero = literal(Scalar::Float, &vec![0.0; width]);
                for form in Form::all().iter().filter(|form| !form.is(&[Scalar::Float], width)) {
                    let message = mismatch(&Scalar::Float.vector(width), form);
                    calls.push(Call::refused(
                        format!("tex.{name}({sampler}, {coordinate}, {}, {zero})", form.text),
                        &message,
                    ));
                    calls.push(Call::refused(
                        format!("tex.{name}({sampler}, {coordinate}, {zero}, {})", form.text),
                        message,
                    ));
                }
            }
            Sampling::Gather if self.texel == Texel::Depth => {
                let message = "a depth texture has one component";
                calls.push(Call::refused(format!("tex.{name}({sampler}, {coordinate}, 0)"), message));
            }
            Sampling::Gather => {
                for (component, message) in [
                    ("4", "the component of a `gather` is 0, 1, 2 or 3, not 4"),
                    ("-1", "-1"),
                    ("1.0", "expected `uint`, found `float`"),
                    ("uint2(0u)", "expected `uint`, found `uint2`"),
                    ("stage", "the component of a `gather` must be a constant expression"),
                ] {
                    calls.push(Call::refused(format!("tex.{name}({sampler}, {coordinate}, {component})"), message));
                }
            }
        }
    }

    /// The calls of a method that the texture has, with what they give.
    fn values(self, method: Sampling, calls: &mut Vec<Call>) {
        let name = method.name();
        let (shape, texel) = (self.shape, self.texel);
        let (at, middle) = self.middle(0);
        let (at_1, middle_1) = self.middle(1);
        // A quarter of the way from one texel to the next along the first axis, half of it along the others.
        let between = [0.4375, 0.5, 0.5];
        let filtered = |at: [f64; 3], lod: f64| Value::Floats(image::filtered(shape, texel, at, self.layer(), lod));
        let exact = |at: [u32; 3], mip: u32| Value::Floats(self.texel_at(at, mip));
        let mut call = |sampler: &str, at: [f64; 3], rest: &str, value: Value| {
            calls.push(Call::gives(format!("tex.{name}({sampler}, {}{rest})", self.coordinate(at)), value));
        };
        match method {
            Sampling::Sample => {
                call("nearest", middle, "", exact(at, 0));
                call("smooth", between, "", filtered(between, 0.0));
            }
            Sampling::Level => {
                call("nearest", middle, ", 0.0", exact(at, 0));
                call("nearest", middle_1, ", 1", exact(at_1, 1));
                call("nearest", middle_1, ", 1.25", exact(at_1, 1));
                call("nearest", middle_1, ", 0.75", exact(at_1, 1));
                call("smooth", between, ", 0.0", filtered(between, 0.0));
                call("smooth", middle_1, ", 1.0", filtered(middle_1, 1.0));
                call("smooth", between, ", 0.5", filtered(between, 0.5));
                call("smooth", middle_1, ", 1.75", filtered(middle_1, 1.75));
                call("smooth", middle, ", -3.0", filtered(middle, 0.0));
                call("smooth", middle, ", 9.0", filtered(middle, 2.0));
            }
            Sampling::Grad => {
                // Two texels of the whole texture a step is level 1, a quarter of a texel is none. In a cube a face is two wide, and
                // directions here are two long.
                let steps = |texels: f64, axis: usize| {
                    let along =
                        texels / f64::from(image::size(shape, 0)[axis]) * if shape.is_cube() { 4.0 } else { 1.0 };
                    let axis = if shape.is_cube() { 2 * axis } else { axis };
                    let parts: Vec<f64> =
                        (0..shape.gradient()).map(|index| if index == axis { along } else { 0.0 }).collect();
                    literal(Scalar::Float, &parts)
                };
                let none = literal(Scalar::Float, &vec![0.0; shape.gradient()]);
                call("nearest", middle, &format!(", {none}, {none}"), exact(at, 0));
                call("nearest", middle, &format!(", {}, {none}", steps(0.25, 0)), exact(at, 0));
                call("nearest", middle_1, &format!(", {}, {none}", steps(2.0, 0)), exact(at_1, 1));
                call("nearest", middle_1, &format!(", {none}, {}", steps(2.0, 1)), exact(at_1, 1));
                call("nearest", middle_1, &format!(", {}, {}", steps(0.25, 0), steps(-2.0, 1)), exact(at_1, 1));
                call("smooth", between, &format!(", {none}, {none}"), filtered(between, 0.0));
            }
            Sampling::Gather => {
                // The corner that four texels share.
                let corner = [0.5, 0.5, 0.5];
                let [width, height, _] = image::size(shape, 0);
                let (right, bottom) = (width / 2, height / 2);
                let order =
                    [[right - 1, bottom, 0], [right, bottom, 0], [right, bottom - 1, 0], [right - 1, bottom - 1, 0]];
                let of =
                    |component: usize| Value::Floats(order.iter().map(|at| self.texel_at(*at, 0)[component]).collect());
                call("nearest", corner, "", of(0));
                call("smooth", corner, "", of(0));
                if texel != Texel::Depth {
                    for (rest, component) in [(", 0", 0), (", 1", 1), (", 2u", 2), (", int(3)", 3), (", LAST - 1u", 2)]
                    {
                        call("smooth", corner, rest, of(component));
                    }
                }
            }
            Sampling::Compare => {
                // `less_equal`: 1 where the reference is not above the texel.
                let value = self.texel_at(at, 0)[0];
                for (reference, holds) in [(value, 1.0), (value - 1.0 / 128.0, 1.0), (value + 1.0 / 128.0, 0.0)] {
                    call("compare", middle, &format!(", {reference:?}"), Value::Floats(vec![holds]));
                }
            }
            Sampling::GatherCompare => {
                let corner = [0.5, 0.5, 0.5];
                let [width, height, _] = image::size(shape, 0);
                let (right, bottom) = (width / 2, height / 2);
                let order =
                    [[right - 1, bottom, 0], [right, bottom, 0], [right, bottom - 1, 0], [right - 1, bottom - 1, 0]];
                let values = order.map(|at| self.texel_at(at, 0)[0]);
                for reference in values {
                    let holds = values.map(|value| f64::from(u8::from(reference <= value)));
                    call("compare", corner, &format!(", {reference:?}"), Value::Floats(holds.to_vec()));
                }
            }
        }
    }

    /// Components of the coordinate of a load.
    fn load_width(self) -> usize {
        self.shape.coordinate()
    }

    fn loads(self, shown: &str, calls: &mut Vec<Call>) {
        let width = self.load_width();
        if self.shape.is_cube() {
            for form in Form::all().iter().filter(|form| form.is(&[Scalar::Uint, Scalar::Int], width)) {
                calls.push(Call::refused(format!("tex.load({})", form.text), format!("`{shown}` has no `load`")));
                calls.push(Call::refused(format!("tex.load({}, 1)", form.text), format!("`{shown}` has no `load`")));
            }
            return;
        }
        let coordinate = |scalar: Scalar, at: [u32; 3]| {
            let mut parts: Vec<f64> = at[..self.shape.gradient()].iter().copied().map(f64::from).collect();
            if self.shape == Shape::D2Array {
                parts.push(f64::from(self.layer()));
            }
            literal(scalar, &parts)
        };
        let value = |at: [u32; 3], mip: u32| {
            let numbers = self.texel_at(at, mip);
            match self.texel {
                Texel::Float | Texel::Depth => Value::Floats(numbers),
                Texel::Uint | Texel::Int => Value::Texels(numbers.into_iter().map(|number| number as i64).collect()),
            }
        };
        for scalar in [Scalar::Uint, Scalar::Int] {
            for mip in 0..MIPS {
                let (at, _) = self.middle(mip);
                let coordinate = coordinate(scalar, at);
                for level in
                    [format!("{mip}"), format!("{mip}u"), format!("int({mip})"), format!("stage * 0u + {mip}u")]
                {
                    calls.push(Call::gives(format!("tex.load({coordinate}, {level})"), value(at, mip)));
                }
            }
            let (at, _) = self.middle(0);
            calls.push(Call::gives(format!("tex.load({})", coordinate(scalar, at)), value(at, 0)));
        }
        let at = coordinate(Scalar::Uint, [0; 3]);
        for form in Form::all() {
            if !form.is(&[Scalar::Uint, Scalar::Int], width) {
                let message = format!("expected `{}`, found `{}`", Scalar::Uint.vector(width), form.ty());
                calls.push(Call::refused(format!("tex.load({})", form.text), message));
            }
            if !form.is(&[Scalar::Uint, Scalar::Int], 1) {
                calls.push(Call::refused(
                    format!("tex.load({at}, {})", form.text),
                    format!("expected `uint`, found `{}`", form.ty()),
                ));
            }
        }
        calls.push(Call::refused("tex.load()", "`load` takes "));
        calls.push(Call::refused(format!("tex.load({at}, 0, 0)"), "`load` takes "));
    }

    fn sizes(self, calls: &mut Vec<Call>) {
        let of = |mip: u32| {
            let [width, height, depth] = image::size(self.shape, mip);
            Value::Sizes(match self.shape {
                Shape::D2 | Shape::Cube => vec![width, height],
                Shape::D2Array => vec![width, height, image::layers(self.shape)],
                Shape::D3 => vec![width, height, depth],
                Shape::CubeArray => vec![width, height, image::layers(self.shape) / 6],
            })
        };
        calls.push(Call::gives("tex.dimensions()", of(0)));
        for mip in 0..MIPS {
            for level in [format!("{mip}"), format!("{mip}u"), format!("int({mip})"), format!("stage * 0u + {mip}u")] {
                calls.push(Call::gives(format!("tex.dimensions({level})"), of(mip)));
            }
        }
        calls.push(Call::gives("tex.mip_levels()", Value::Sizes(vec![MIPS])));
        for form in Form::all().iter().filter(|form| !form.is(&[Scalar::Uint, Scalar::Int], 1)) {
            let message = format!("expected `uint`, found `{}`", form.ty());
            calls.push(Call::refused(format!("tex.dimensions({})", form.text), message));
        }
        calls.push(Call::refused("tex.dimensions(0, 0)", "`dimensions` takes "));
        calls.push(Call::refused("tex.mip_levels(0)", "`mip_levels` takes "));
    }
}
