//! The textual form of the IR (`.air`), which round-trips: parsing what was printed gives the same text again.
//!
//! ```text
//! module "post"
//! struct @V {
//!   position: vec<f32, 4> position
//!   uv: vec<f32, 2> location 0
//! }
//! const @PI: f32 = 3.1415927
//! workgroup @tile: array<f32, 64>
//! resource @hdr: texture<2d, float> bind post.hdr slot t0 space0
//! fragment func @main(%inn: @V stage_in, %hdr: texture<2d, float> bind post.hdr) -> vec<f32, 4> {
//!   %uv: vec<f32, 2> = akari.extract %inn {index: 1}
//!   akari.if %c {hint: none} then {
//!     …
//!   } otherwise {
//!   }
//!   akari.return %0
//! }
//! ```
//!
//! A value is `%name` after its name hint (`%name.1` for the next of that name in the function) or `%0`, numbered. Functions,
//! structs and globals that share a name are told apart as `@name`, `@name#1`. Comments run from `;` to the end of the line.

mod keywords;
mod lex;
mod parse;
mod parse_types;
mod print;
mod print_types;

pub use lex::ParseError;
pub use parse::parse;
pub use print::{print_function, print_module, print_op};
