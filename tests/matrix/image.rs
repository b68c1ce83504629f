//! The textures that the matrix reads. Their texels are a linear formula of where they stand, so that what a filter makes of them is
//! the same formula between the texels.

/// The shape of a sampled texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    D2,
    D2Array,
    D3,
    Cube,
    CubeArray,
}

/// What its texels are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texel {
    Float,
    Uint,
    Int,
    Depth,
}

impl Shape {
    pub(crate) const ALL: [(Self, &str); 5] = [
        (Self::D2, "Tex2D"),
        (Self::D2Array, "Tex2DArray"),
        (Self::D3, "Tex3D"),
        (Self::Cube, "TexCube"),
        (Self::CubeArray, "TexCubeArray"),
    ];

    pub(crate) fn is_cube(self) -> bool {
        matches!(self, Self::Cube | Self::CubeArray)
    }

    /// Components of a sampling coordinate.
    pub(crate) fn coordinate(self) -> usize {
        match self {
            Self::D2 => 2,
            Self::D2Array | Self::D3 | Self::Cube => 3,
            Self::CubeArray => 4,
        }
    }

    /// Components of a gradient.
    pub(crate) fn gradient(self) -> usize {
        match self {
            Self::D2 | Self::D2Array => 2,
            Self::D3 | Self::Cube | Self::CubeArray => 3,
        }
    }
}

/// Levels of every texture here.
pub(crate) const MIPS: u32 = 3;

/// How large a level of the texture of that shape is: width, height, depth. The last level of a cube still has texels that do not
/// lie at two edges, so that there is a place in every level where a filter stays on its face.
pub(crate) fn size(shape: Shape, mip: u32) -> [u32; 3] {
    let whole = match shape {
        Shape::D2 | Shape::D2Array => [4, 2, 1],
        Shape::D3 => [4, 2, 2],
        Shape::Cube | Shape::CubeArray => [8, 8, 1],
    };
    whole.map(|extent: u32| (extent >> mip).max(1))
}

/// Layers, faces included.
pub(crate) fn layers(shape: Shape) -> u32 {
    match shape {
        Shape::D2 | Shape::D3 => 1,
        Shape::D2Array => 3,
        Shape::Cube => 6,
        Shape::CubeArray => 12,
    }
}

/// The formula: linear in the place, in the level and in the component. Every number that comes of it is a `float`.
pub(crate) fn number(texel: Texel, at: [f64; 3], layer: u32, mip: u32, component: usize) -> f64 {
    let [x, y, z] = at;
    let (layer, mip, component) = (f64::from(layer), f64::from(mip), component as f64);
    let place = x + 4.0 * y + 16.0 * z;
    match texel {
        Texel::Float => place + 64.0 * layer + 1024.0 * mip + component / 8.0,
        Texel::Depth => (1.0 + place + 16.0 * mip) / 64.0,
        Texel::Uint => 2_147_483_648.0 + place + 64.0 * layer + 1024.0 * mip + 65536.0 * component,
        Texel::Int => -1.0 - place - 64.0 * layer - 1024.0 * mip - 65536.0 * component,
    }
}

/// Components of a texel as a shader reads it.
pub(crate) fn components(texel: Texel) -> usize {
    if texel == Texel::Depth { 1 } else { 4 }
}

/// The texel of that number in each direction, all its components.
pub(crate) fn texel(texel: Texel, at: [u32; 3], layer: u32, mip: u32) -> Vec<f64> {
    (0..components(texel)).map(|component| number(texel, at.map(f64::from), layer, mip, component)).collect()
}

/// What a linear filter gives at normalized coordinates, at a level that need not be whole: texels beyond the edge are those at it.
pub(crate) fn filtered(shape: Shape, kind: Texel, at: [f64; 3], layer: u32, lod: f64) -> Vec<f64> {
    let level = |mip: u32, component: usize| {
        let size = size(shape, mip);
        let within =
            [0, 1, 2].map(|axis| (at[axis] * f64::from(size[axis]) - 0.5).clamp(0.0, f64::from(size[axis] - 1)));
        number(kind, within, layer, mip, component)
    };
    let low = lod.floor() as u32;
    let high = (low + 1).min(MIPS - 1);
    let part = lod.fract();
    (0..components(kind))
        .map(|component| level(low, component) * (1.0 - part) + level(high, component) * part)
        .collect()
}

/// All texels, as a case lists them: level by level, layer by layer, slice by slice, row by row.
pub(crate) fn contents(shape: Shape, kind: Texel) -> Vec<f64> {
    let mut all = Vec::new();
    for mip in 0..MIPS {
        let [width, height, depth] = size(shape, mip);
        for layer in 0..layers(shape) {
            for z in 0..depth {
                for y in 0..height {
                    for x in 0..width {
                        all.extend(texel(kind, [x, y, z], layer, mip));
                    }
                }
            }
        }
    }
    all
}

/// A direction that meets a face of a cube at `s` and `t` in 0 to 1, by the tables of Vulkan and Direct3D, which agree. It is two long
/// along its axis.
pub(crate) fn direction(face: u32, s: f64, t: f64) -> [f64; 3] {
    let (s, t) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    let unit = match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    };
    unit.map(|component| 2.0 * component)
}
