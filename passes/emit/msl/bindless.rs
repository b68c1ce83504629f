//! Bindless tables: arrays of argument buffers in device memory.
//!
//! A table of buffers is an array of their 64-bit GPU addresses. A table of textures is an array of argument buffers with one texture of
//! each kind, so that an index means one of each kind, as it does where every kind has an array of descriptors of its own. A pointer to
//! a handle type alone is not allowed; one to a structure with handles is, and it may be indexed by a number of run time that differs in each thread
//! (MSL specification, 2.13 "Argument Buffers" and 2.13.1 "Tier 2 Hardware Support for Argument Buffers"; Metal 3 writes GPU addresses
//! and resource ids, 8 bytes each, into them directly).

use akari_ir::{Module, TypeKind, ValueId};

use super::language::Msl;
use crate::emit::c_like::expression::Printer;
use crate::emit::c_like::language::{Piece, Spelling};
use crate::emit::c_like::precedence::{Precedence, Side};

/// The type of a table of buffers.
pub(super) const BUFFER_TABLE: &str = "device const BindlessBuffer*";

/// The type of a table of textures.
pub(super) const TEXTURE_TABLE: &str = "device const BindlessTexture*";

/// Declares what tables are arrays of.
pub(super) fn print(printer: &mut Printer<'_, Msl>) {
    let has = |module: &Module, kind| module.types.find(kind).is_some();
    if has(printer.module, TypeKind::BufferTable) {
        structure(printer, "A buffer of a table: its address.", "BindlessBuffer", &["device const uint* words;"]);
    }
    if has(printer.module, TypeKind::TextureTable) {
        let kinds = [
            "texture2d<float> tex2d;", "texturecube<float> texcube;", "texture3d<float> tex3d;",
            "depth2d<float> texdepth;",
        ];
        structure(printer, "The textures of a table at one index, one of each kind.", "BindlessTexture", &kinds);
    }
}

fn structure(printer: &mut Printer<'_, Msl>, about: &str, name: &str, fields: &[&str]) {
    printer.text.blank_line();
    printer.text.comment(&format!("/// {about}"));
    printer.text.push(&format!("struct {name}"));
    printer.text.open_brace();
    fields.iter().for_each(|field| printer.text.line(field));
    printer.text.close_brace();
    printer.text.push(";");
    printer.text.end_line();
}

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    Uint,
    Float,
    /// So many floats, packed.
    Floats(u8),
}

/// An element of a buffer; the operands are the table, the index of the buffer, and that of the element.
pub(super) fn load(operands: &[ValueId], load: Load) -> Spelling {
    let &[table, buffer, element] = operands else { return Spelling::text("/* no load */") };
    let mut spelling = Spelling::text("");
    let after = match load {
        Load::Uint => "]",
        Load::Float => {
            spelling.push_text("as_type<float>(");
            "])"
        }
        Load::Floats(width) => {
            spelling.push_text(format!("float{width}(((device const packed_float{width}*)"));
            "])"
        }
    };
    push_element(&mut spelling, table, buffer);
    spelling.push_text(if matches!(load, Load::Floats(_)) { ".words)[" } else { ".words[" });
    spelling.push_argument(element);
    spelling.push_text(after);
    spelling
}

/// A texture; the operands are the table and the index.
pub(super) fn texture(operands: &[ValueId], kind: &'static str) -> Spelling {
    let &[table, index] = operands else { return Spelling::text("/* no texture */") };
    let mut spelling = Spelling::text("");
    push_element(&mut spelling, table, index);
    spelling.push_text(format!(".{kind}"));
    spelling
}

fn push_element(spelling: &mut Spelling, table: ValueId, index: ValueId) {
    spelling.pieces.push(Piece::Value(table, Precedence::Primary, Side::Left));
    spelling.push_text("[");
    spelling.push_argument(index);
    spelling.push_text("]");
}
