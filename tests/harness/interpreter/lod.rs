//! Cube faces, and levels of detail from derivatives.

use crate::job::{Image, TextureShape};

/// The face that a direction meets and the coordinates on it in 0..1 (Vulkan 1.2, 15.6.4 and 15.6.5).
pub(super) fn cube_face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let [x, y, z] = direction;
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, major) = if az >= ax && az >= ay {
        if z >= 0.0 { (4, x, -y, az) } else { (5, -x, -y, az) }
    } else if ay >= ax {
        if y >= 0.0 { (2, x, z, ay) } else { (3, x, -z, ay) }
    } else if x >= 0.0 {
        (0, -z, -y, ax)
    } else {
        (1, z, -y, ax)
    };
    (face, [(s / major + 1.0) * 0.5, (t / major + 1.0) * 0.5])
}

/// The direction that meets a face at these coordinates, which may lie beyond its edges: [`cube_face`] the other way round.
fn direction(face: u32, [s, t]: [f32; 2]) -> [f32; 3] {
    let (s, t) = (2.0 * s - 1.0, 2.0 * t - 1.0);
    match face {
        0 => [1.0, -t, -s],
        1 => [-1.0, -t, s],
        2 => [s, 1.0, t],
        3 => [s, -1.0, -t],
        4 => [s, -t, 1.0],
        _ => [-s, -t, -1.0],
    }
}

/// The face and texel that stand for a texel which lies beyond one edge of a face (Vulkan 1.2, 15.6.6): the one of the neighbouring
/// face that touches it there.
pub(super) fn across_edge(face: u32, at: [i64; 2], extent: u32) -> (u32, [i64; 2]) {
    let size = extent as f32;
    let (face, at) = cube_face(direction(face, at.map(|index| (index as f32 + 0.5) / size)));
    (face, at.map(|coordinate| ((coordinate * size).floor() as i64).clamp(0, i64::from(extent) - 1)))
}

/// The level of detail for the change of a coordinate to the next pixel in x and in y. The coordinate of an array texture comes
/// without its layer.
pub(super) fn level(image: &Image, coordinate: &[f32], dx: &[f32], dy: &[f32]) -> f32 {
    let size = image.size.map(|extent| extent as f32);
    let (dx, dy): (Vec<f32>, Vec<f32>) = match image.shape {
        TextureShape::Cube | TextureShape::CubeArray => {
            let moved = |by: &[f32]| -> Vec<f32> {
                let at = [coordinate[0], coordinate[1], coordinate[2]];
                let (face, here) = cube_face(at);
                let (other, there) = cube_face([at[0] + by[0], at[1] + by[1], at[2] + by[2]]);
                // Across an edge the change on the face itself is not to be had from two faces; use the major axis' scale.
                if face == other {
                    vec![there[0] - here[0], there[1] - here[1]]
                } else {
                    let major = at.iter().fold(0.0f32, |major, part| major.max(part.abs()));
                    vec![by.iter().fold(0.0f32, |most, part| most.max(part.abs())) / major * 0.5, 0.0]
                }
            };
            (moved(dx), moved(dy))
        }
        TextureShape::D2 | TextureShape::D2Array | TextureShape::D3 => (dx.to_vec(), dy.to_vec()),
    };
    let length = |by: &[f32]| by.iter().zip(size).map(|(by, size)| (by * size) * (by * size)).sum::<f32>().sqrt();
    length(&dx).max(length(&dy)).log2()
}
