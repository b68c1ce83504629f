//! The header of a numeric case: the `//!` lines of a shader that say how to run it, what it reads and what must come out.
//!
//! ```text
//! from <where the expected numbers come from>
//! run compute 2 1 1 [entry=name]
//! run draw 3 size=4x4 [targets=rgba32f,-,r32u] [instances=1] [vertex=name] [fragment=name]
//!                                                               `-`: nothing is attached there
//!                                                               several `run`s go one after the other
//! buffer in.values : f32 = 1 2.5 -0 nan 0x1.8p3 bits:0x7fc00001 0 x 16
//! buffer in.frame : mixed = f32 1 | u32 3 | pad 4 | f32 2 3 4
//! texture in.tex : rgba32f 4x4 [mips=1] [layers=1] = <texels, or `zero`>
//! texture in.maps[2] : …                      one line for each element of an array; likewise `expect out.mips[0] : …`
//! scene rt.scene = instance mask=0xFF id=0 opaque translate=0,0,0 scale=1,1,1 : 0,0,0 1,0,0 0,1,0 | <more triangles> instance …
//!                                                               an acceleration structure; what is left out of an instance is as here, less
//!                                                               `opaque`. `id` is the host's number, which no shader sees; `rows=` has three rows of
//!                                                               four numbers instead of `translate=` and `scale=`; `force=opaque` or
//!                                                               `force=non_opaque` is for the whole instance. After its triangles
//!                                                               `geometry [opaque] : <triangles>` begins one more geometry
//! table in.buffers[2] : f32 = 1 2 3         the buffer at an index of a bindless table; where no line says so, nothing is bound
//! table in.textures[5] : rgba32f 4x4 = …    the texture at an index: `layers=6` makes it a `TexCube`, a size of three numbers a `Tex3D`,
//!                                               `depth32f` a `TexDepth2D`, else it is a `Tex2D`; an index may have one of each
//! expect out.result : u32 = 1 2 _ 4
//! expect out.result : f32 ~ulp 2 = …        or `~abs 1e-5`, or both, one of which must hold
//! expect target0 : f32 = …
//! import-dir: modules
//! bindings: bindings.kaji.json            a binding manifest beside the case; without one, slots are given automatically
//! skip msl: <reason>
//! ```
//! A directive goes on in lines that begin with `//!` and three or more blanks. In a case that is written in the textual IR, `;!` stands for `//!`.

mod parse;
mod scene;

use std::fmt;

pub use parse::parse;

use crate::job::{Image, Way};
use crate::scalar::Scalar;
use crate::scene::Scene;
use crate::texel::TexelFormat;

/// A parsed header.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Where the expected numbers come from.
    pub from: String,
    /// What to start, one after the other, each with what the one before left behind.
    pub runs: Vec<Run>,
    /// Buffers, by the name that they are bound by.
    pub buffers: Vec<Buffer>,
    /// Textures and storage textures, by the name that they are bound by.
    pub textures: Vec<Texture>,
    /// Acceleration structures, by the name that they are bound by.
    pub scenes: Vec<(String, Scene)>,
    /// Elements of bindless tables.
    pub tables: Vec<TableElement>,
    /// What must come out.
    pub expectations: Vec<Expectation>,
    /// Where imported modules are found, as folders beside the case.
    pub import_dirs: Vec<String>,
    /// The binding manifest, as a file beside the case.
    pub bindings: Option<String>,
    /// Ways that cannot run the case, and why.
    pub skips: Vec<(Way, String)>,
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// Thread groups of a compute entry.
    Compute {
        /// How many groups in x, y, z.
        groups: [u32; 3],
        /// The entry; the only compute entry if absent.
        entry: Option<String>,
    },
    /// Triangles.
    Draw {
        /// Vertices per instance.
        vertices: u32,
        /// Instances.
        instances: u32,
        /// Width and height of the targets.
        size: [u32; 2],
        /// The formats of targets 0, 1, …; absent where nothing is attached.
        targets: Vec<Option<TexelFormat>>,
        /// The vertex entry; the only one if absent.
        vertex: Option<String>,
        /// The fragment entry; the only one if absent.
        fragment: Option<String>,
    },
}

/// A part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// One number.
    Number(Scalar),
    /// So many bytes that mean nothing.
    Padding(usize),
}

impl Part {
    /// How many bytes it takes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::Number(scalar) => scalar.bytes(),
            Self::Padding(bytes) => bytes,
        }
    }
}

/// A buffer before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name in `@bind(…)`.
    pub name: String,
    /// The line of the directive.
    pub line: usize,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// A texture before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texture {
    /// The name in `@bind(…)`.
    pub name: String,
    /// The line of the directive.
    pub line: usize,
    /// Its texel format.
    pub format: TexelFormat,
    /// Width, height, depth.
    pub size: [u32; 3],
    /// How many mips.
    pub mips: u32,
    /// How many layers; every face of a cube is one.
    pub layers: u32,
    /// All texels, mip by mip, layer by layer, slice by slice, row by row.
    pub texels: Vec<u8>,
}

/// An element of a bindless table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableElement {
    /// The name that the table is bound by.
    pub table: String,
    /// Which element.
    pub index: u32,
    /// What it is.
    pub resource: TableResource,
}

/// What an element of a bindless table is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableResource {
    /// A buffer.
    Buffer(Vec<u8>),
    /// A texture.
    Texture(Image),
}

/// A number that must come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Whatever it is.
    Anything,
    /// Any NaN.
    Nan,
    /// This number; how exactly is the expectation's tolerance.
    Bits(u64),
}

/// How far a number may be off: by one of the two. NaN and infinity must be met in any case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// So many representable numbers away; 0 and -0 are the same. `None`: all bits are equal.
    pub steps: Option<u64>,
    /// The difference is at most this.
    pub absolute: Option<f64>,
}

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A buffer.
    Buffer {
        /// The name in `@bind(…)`.
        name: String,
        /// What it is made of, one `expected` for each number.
        parts: Vec<Part>,
    },
    /// A storage texture.
    Texture {
        /// The name in `@bind(…)`.
        name: String,
    },
    /// A colour target of a draw.
    Target(usize),
}

/// What must come out.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The line of the directive.
    pub line: usize,
    /// What is looked at.
    pub place: Place,
    /// Every number of it, in order; those of a texel in the order of its components.
    pub expected: Vec<Expected>,
    /// How exactly.
    pub tolerance: Tolerance,
}

/// What is wrong with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseError {
    /// The line, from 1; 0 where something is missing from the whole header.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 { f.write_str(&self.message) } else { write!(f, "line {}: {}", self.line, self.message) }
    }
}

impl std::error::Error for CaseError {}

#[cfg(test)]
mod tests;
