//! Mirrors of a program's types for the CPU: each struct that lies in a buffer with the bytes that the GPU sees, padding written out and every
//! offset asserted when the host is compiled; enums, bitfields and scalar constants beside them.
//!
//! A struct `Light` may have two layouts: `LightUniform` is what a `Uniform<Light>` holds, `LightStorage` an element of a `Buf<Light>`, `RwBuf<Light>`
//! or `AtomicBuf<Light>`, and a `@packed` struct everywhere.

mod c;
mod layout;
mod names;
mod rust;

use akari_dialect_gpu_abi::layout::LayoutError;
use akari_ir::module::GlobalKind;
use akari_ir::{BufferKind, Type, TypeKind};
use indexmap::{IndexMap, IndexSet};

use super::Package;
use super::model::{Bitfield, Enum, Struct};
use super::types::Memory;
use super::world::World;
use crate::driver;
use crate::sema::declarations::{ConstantDeclaration, Named};

/// A language of hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// A Rust module, of the standard library's `core` alone.
    Rust,
    /// A header that C11 and C++17 both take.
    C,
}

impl Language {
    /// The extension of its files.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::C => "h",
        }
    }
}

/// What is mirrored of a program.
struct Mirror<'a> {
    /// What it is of.
    package: &'a str,
    /// By name, each after those it holds.
    structs: IndexMap<String, Struct>,
    enums: Vec<Documented<Enum>>,
    bitfields: Vec<Documented<Bitfield>>,
    constants: Vec<&'a ConstantDeclaration>,
}

/// Something with its documentation.
struct Documented<T> {
    item: T,
    doc: Vec<String>,
}

/// The mirrors of a package or module in a language; none where it has errors, which [`driver::check`] gives.
///
/// Of a package they are of the structs that its buffers hold; of a module, which has none, of all its structs. Enums, bitfields and constants are
/// those that are not private, and those that the structs name.
///
/// # Errors
/// A type in a buffer that is too large or nests too deep.
pub fn emit(package: Package<'_>, language: Language) -> Result<Option<String>, LayoutError> {
    let (Some(shared), _) = driver::shared(package.module.clone()) else { return Ok(None) };
    let mut world = World::new(package.module, &shared);
    let buffers = buffers(&mut world);
    let mut memory = Memory::new(&world.module, package.declarations);
    for (kind, content) in &buffers {
        memory.buffer(*kind, *content)?;
    }
    if buffers.is_empty() && !shared.functions.iter().any(|(_, function)| function.entry.is_some()) {
        memory.everything();
    }
    let structs = memory.structs()?;
    let named = memory.named(&structs);
    let wanted = |declared: &Named, name: &str| !declared.is_private || named.contains(name);
    let declarations = package.declarations;
    let enums =
        declarations.enums.iter().zip(memory.enums()).filter(|(declared, item)| wanted(&declared.named, &item.name));
    let bitfields = declarations
        .bitfields
        .iter()
        .zip(memory.bitfields())
        .filter(|(declared, item)| wanted(&declared.named, &item.name));
    let mirror = Mirror {
        package: package.name,
        structs: structs.into_iter().map(|structure| (structure.name.clone(), structure)).collect(),
        enums: enums.map(|(declared, item)| Documented { item, doc: declared.named.doc.clone() }).collect(),
        bitfields: bitfields.map(|(declared, item)| Documented { item, doc: declared.named.doc.clone() }).collect(),
        constants: declarations.constants.iter().filter(|constant| !constant.named.is_private).collect(),
    };
    Ok(Some(match language {
        Language::Rust => rust::print(&mirror),
        Language::C => c::print(&mirror),
    }))
}

/// The buffers that the package and its entries declare.
fn buffers(world: &mut World<'_>) -> IndexSet<(BufferKind, Type)> {
    let globals = world.module.globals.iter().map(|(_, global)| global);
    let mut types: Vec<Type> =
        globals.filter(|global| matches!(global.kind, GlobalKind::Resource { .. })).map(|global| global.ty).collect();
    let shared = world.shared;
    let entries = shared.functions.iter().map(|(_, function)| function).filter(|function| function.entry.is_some());
    let params = entries.flat_map(|function| &function.params).map(|param| shared.value_type(param.value));
    types.extend(params.map(|ty| world.ty(ty)));
    let kinds = types.into_iter().map(|ty| world.module.kind(ty));
    kinds
        .filter_map(|kind| if let TypeKind::Buffer(kind, content) = kind { Some((kind, content)) } else { None })
        .collect()
}
