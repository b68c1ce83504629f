//! Scenes for rays: instances of geometries of triangles, and what a ray meets among them, found by looking at every triangle.

use serde::{Deserialize, Serialize};

/// A point or a direction.
pub type Vector = [f32; 3];

/// Instances of geometries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// The instances; a ray tells which one it has met by its number here.
    pub instances: Vec<Instance>,
}

/// Geometries, and where they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Instance {
    /// Rays meet it whose mask has a bit of this one; eight bits.
    pub mask: u32,
    /// The number that the host gives it.
    pub id: u32,
    /// Whether its triangles are opaque, whatever its geometries say.
    pub forced: Option<bool>,
    /// Three rows of four: what makes of a point of a triangle a point of the scene.
    pub transform: [[f32; 4]; 3],
    /// The geometries.
    pub geometries: Vec<Geometry>,
}

/// Triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Whether they stop rays without being asked.
    pub opaque: bool,
    /// The corners of each; a ray tells which one it has met by its number here.
    pub triangles: Vec<[Vector; 3]>,
}

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it begins.
    pub origin: Vector,
    /// Where it goes; distances count in its lengths.
    pub direction: Vector,
    /// The shortest distance that counts.
    pub t_min: f32,
    /// The longest.
    pub t_max: f32,
    /// Which instances it meets.
    pub mask: u32,
}

/// What a ray has met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// How far along the ray.
    pub distance: f32,
    /// The number of the instance.
    pub instance: u32,
    /// The number of the triangle in its geometry.
    pub primitive: u32,
    /// The weights of the triangle's second and third vertex.
    pub barycentric: [f32; 2],
    /// Whether the triangle is opaque.
    pub opaque: bool,
}

impl Scene {
    /// The triangles that a ray meets, from whichever side, in the order of the scene.
    #[must_use]
    pub fn met(&self, ray: &Ray) -> Vec<Hit> {
        let mut met = Vec::new();
        for (number, instance) in (0..).zip(&self.instances) {
            if instance.mask & ray.mask & 0xff == 0 {
                continue;
            }
            for (opaque, primitive, triangle) in instance.triangles() {
                if let Some((distance, barycentric)) = meet(ray, triangle.map(|vertex| instance.place(vertex))) {
                    met.push(Hit { distance, instance: number, primitive, barycentric, opaque });
                }
            }
        }
        met
    }

    /// The nearest triangle that a ray meets.
    #[must_use]
    pub fn nearest(&self, ray: &Ray) -> Option<Hit> {
        self.met(ray).into_iter().min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

impl Instance {
    /// The triangles of all geometries: whether each is opaque, its number in its geometry, and its corners.
    pub fn triangles(&self) -> impl Iterator<Item = (bool, u32, [Vector; 3])> {
        self.geometries.iter().flat_map(|geometry| {
            let opaque = self.forced.unwrap_or(geometry.opaque);
            (0..).zip(&geometry.triangles).map(move |(number, triangle)| (opaque, number, *triangle))
        })
    }

    /// Where a point of a triangle is in the scene.
    fn place(&self, point: Vector) -> [f64; 3] {
        self.transform.map(|row| {
            let row = row.map(f64::from);
            row[0] * f64::from(point[0]) + row[1] * f64::from(point[1]) + row[2] * f64::from(point[2]) + row[3]
        })
    }
}

/// The method of Möller and Trumbore, in double precision.
fn meet(ray: &Ray, [a, b, c]: [[f64; 3]; 3]) -> Option<(f32, [f32; 2])> {
    let (origin, direction) = (ray.origin.map(f64::from), ray.direction.map(f64::from));
    let (ab, ac) = (subtract(b, a), subtract(c, a));
    let across = cross(direction, ac);
    let determinant = dot(ab, across);
    if determinant == 0.0 {
        return None;
    }
    let from_a = subtract(origin, a);
    let u = dot(from_a, across) / determinant;
    let along = cross(from_a, ab);
    let v = dot(direction, along) / determinant;
    let t = dot(ac, along) / determinant;
    let is_inside = u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    let counts = t >= f64::from(ray.t_min) && t <= f64::from(ray.t_max);
    (is_inside && counts).then_some((t as f32, [u as f32, v as f32]))
}

fn subtract(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Scene {
        let triangle = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
        let at = |z: f32, mask: u32| Instance {
            mask,
            id: 7,
            forced: None,
            transform: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, z]],
            geometries: vec![Geometry { opaque: true, triangles: vec![triangle] }],
        };
        Scene { instances: vec![at(8.0, 1), at(4.0, 2)] }
    }

    #[test]
    fn the_nearest_of_those_that_the_mask_lets_through() {
        let ray = |mask| Ray { origin: [1.0, 2.0, 0.0], direction: [0.0, 0.0, 2.0], t_min: 0.0, t_max: 100.0, mask };
        let hit =
            |instance, distance| Some(Hit { distance, instance, primitive: 0, barycentric: [0.25, 0.5], opaque: true });
        assert_eq!(scene().nearest(&ray(3)), hit(1, 2.0));
        assert_eq!(scene().nearest(&ray(1)), hit(0, 4.0));
        assert_eq!(scene().nearest(&ray(4)), None);
        assert_eq!(scene().nearest(&Ray { t_min: 2.5, ..ray(3) }), hit(0, 4.0));
        assert_eq!(scene().nearest(&Ray { t_max: 1.5, ..ray(3) }), None);
        assert_eq!(scene().nearest(&Ray { origin: [3.0, 3.0, 0.0], ..ray(3) }), None);
    }
}
