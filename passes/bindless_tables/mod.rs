//! `bindless-tables`: a bindless table becomes arrays of resources without a length, one a kind of resource that is asked of it.
//!
//! Direct3D 12 has a register space for each kind of texture, from that of the table on, Vulkan a binding: `Tex2D`, `TexCube`, `Tex3D`,
//! `TexDepth2D`. A kind that nothing asks for is not declared; of a table that nothing uses, the first is. Buffers are arrays of words to
//! SPIR-V, of bytes to HLSL, whose `ByteAddressBuffer`s are loaded from by offset.
//!
//! ```text
//! resource @maps: texture_table … slot t 0 space 2           resource @maps_2d: resources<texture<2d, float>, 0> … slot t 0 space 2
//! resource @meshes: buffer_table … slot t 0 space 1     →    resource @meshes: resources<buf<u32>, 0> … slot t 0 space 1
//! %t = akari.builtin %maps, %i {bindless_tex2d}              %t = akari.index %maps_2d, %i
//! %u = akari.builtin %meshes, %b, %e {bindless_load_u32}     %0 = akari.index %meshes, %b
//!                                                            %1 = akari.buffer_element %0, %e
//!                                                            %u = akari.load %1
//! ```
//!
//! It comes after `resources-to-globals`, so that a table is only ever used where something is asked of it, and before
//! `non-uniform-indices`.

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_gpu_abi::Target;
use akari_dialect_hlsl::HlslOp;
use akari_ir::module::{Global, GlobalKind};
use akari_ir::slots::Slot;
use akari_ir::types::{BufferKind, MemoryType, TexelKind, TextureDim};
use akari_ir::{Attr, GlobalId, Module, OpId, Scalar, Space, TypeKind, ValueId};
use rustc_hash::FxHashMap;

use crate::analysis::walk::walk;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct BindlessTables;

impl Pass for BindlessTables {
    const NAME: &'static str = "bindless-tables";
    const SUMMARY: &'static str = "turn bindless tables into arrays of resources, one a kind";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let tables: Vec<GlobalId> = module.globals.ids().filter(|global| is_table(module, *global)).collect();
        if tables.is_empty() {
            return Ok(Changed::No);
        }
        let by_offset = match context.target {
            Some(Target::D3d12 | Target::VulkanHlsl) => true,
            Some(Target::Metal | Target::Spirv) | None => false,
        };
        let uses = Uses::of(module);
        let mut arrays = FxHashMap::default();
        for table in tables {
            context.count("arrays for tables", split(module, table, by_offset, &uses.kinds, &mut arrays));
        }
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| convert(r, op, &uses.tables, &arrays, by_offset));
        Ok(Changed::Yes)
    }
}

/// A kind of resource that a table has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Buffer,
    Texture(TextureKind),
}

/// The kinds of textures, in the order of their spaces and bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TextureKind {
    /// `Tex2D`
    Tex2d,
    /// `TexCube`
    TexCube,
    /// `Tex3D`
    Tex3d,
    /// `TexDepth2D`
    TexDepth,
}

impl TextureKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Tex2d, Self::TexCube, Self::Tex3d, Self::TexDepth];

    /// Its type in the source.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tex2d => "Tex2D",
            Self::TexCube => "TexCube",
            Self::Tex3d => "Tex3D",
            Self::TexDepth => "TexDepth2D",
        }
    }

    /// The kind that a builtin takes out of a table, if it takes a texture.
    #[must_use]
    pub fn asked_by(builtin: Builtin) -> Option<Self> {
        match Asked::of(builtin)? {
            Asked::Texture(kind) => Some(kind),
            Asked::Words(..) => None,
        }
    }

    fn ty(self) -> TypeKind {
        match self {
            Self::Tex2d => TypeKind::Texture(TextureDim::D2, TexelKind::Float),
            Self::TexCube => TypeKind::Texture(TextureDim::Cube, TexelKind::Float),
            Self::Tex3d => TypeKind::Texture(TextureDim::D3, TexelKind::Float),
            Self::TexDepth => TypeKind::Texture(TextureDim::D2, TexelKind::Depth),
        }
    }

    /// What is appended to the name of the table.
    fn suffix(self) -> &'static str {
        match self {
            Self::Tex2d => "2d",
            Self::TexCube => "cube",
            Self::Tex3d => "3d",
            Self::TexDepth => "depth",
        }
    }
}

/// What is asked of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    Texture(TextureKind),
    /// So many words of a buffer.
    Words(Scalar, u8),
}

impl Asked {
    fn of(builtin: Builtin) -> Option<Self> {
        match builtin {
            Builtin::BindlessLoadF32 => Some(Self::Words(Scalar::F32, 1)),
            Builtin::BindlessLoadF32x2 => Some(Self::Words(Scalar::F32, 2)),
            Builtin::BindlessLoadF32x3 => Some(Self::Words(Scalar::F32, 3)),
            Builtin::BindlessLoadF32x4 => Some(Self::Words(Scalar::F32, 4)),
            Builtin::BindlessLoadU32 => Some(Self::Words(Scalar::U32, 1)),
            Builtin::BindlessTex2d => Some(Self::Texture(TextureKind::Tex2d)),
            Builtin::BindlessTexCube => Some(Self::Texture(TextureKind::TexCube)),
            Builtin::BindlessTex3d => Some(Self::Texture(TextureKind::Tex3d)),
            Builtin::BindlessTexDepth => Some(Self::Texture(TextureKind::TexDepth)),
            _ => None,
        }
    }

    fn kind(self) -> Kind {
        match self {
            Self::Texture(kind) => Kind::Texture(kind),
            Self::Words(..) => Kind::Buffer,
        }
    }
}

fn asked(module: &Module, id: OpId) -> Option<Asked> {
    let op = module.op(id);
    if AkariOp::of(op) == Some(AkariOp::Builtin) { Asked::of(Builtin::from_index(op.enumerated(0))) } else { None }
}

fn is_table(module: &Module, global: GlobalId) -> bool {
    module.kind(module.globals[global].ty).is_table()
}

/// Where tables are used, and for what.
#[derive(Default)]
struct Uses {
    /// The table that a value is the handle of.
    tables: FxHashMap<ValueId, GlobalId>,
    /// The kinds of textures that each table is asked for.
    kinds: FxHashMap<GlobalId, Vec<TextureKind>>,
}

impl Uses {
    fn of(module: &Module) -> Self {
        let mut uses = Self::default();
        for (_, function) in module.functions.iter() {
            walk(module, function.body, &mut |id| uses.note(module, id));
        }
        uses
    }

    fn note(&mut self, module: &Module, id: OpId) {
        let op = module.op(id);
        if let (Some(AkariOp::Resource), Some(result)) = (AkariOp::of(op), op.result)
            && is_table(module, op.global(0))
        {
            self.tables.insert(result, op.global(0));
        }
        if let Some(Asked::Texture(kind)) = asked(module, id)
            && let Some(table) = self.tables.get(&op.operands[0])
        {
            let kinds = self.kinds.entry(*table).or_default();
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
}

/// Makes arrays of a table, the first in its place. How many there are.
fn split(
    module: &mut Module,
    table: GlobalId,
    by_offset: bool,
    kinds: &FxHashMap<GlobalId, Vec<TextureKind>>,
    arrays: &mut FxHashMap<(GlobalId, Kind), GlobalId>,
) -> u64 {
    if module.kind(module.globals[table].ty) == TypeKind::BufferTable {
        let contents = if by_offset { TypeKind::Memory(MemoryType::Bytes) } else { TypeKind::Scalar(Scalar::U32) };
        let contents = module.types.intern(contents);
        module.globals[table].ty = array_of(module, TypeKind::Buffer(BufferKind::Read, contents));
        arrays.insert((table, Kind::Buffer), table);
        return 1;
    }
    let whole = module.globals[table].clone();
    let mut asked = kinds.get(&table).cloned().unwrap_or_else(|| vec![TextureKind::Tex2d]);
    asked.sort_unstable();
    for (number, kind) in asked.iter().enumerate() {
        let name = format!("{}_{}", module.text(whole.name), kind.suffix());
        let array = Global {
            name: module.symbols.intern(&name),
            ty: array_of(module, kind.ty()),
            kind: match whole.kind {
                GlobalKind::Resource { source, slot } => {
                    GlobalKind::Resource { source, slot: slot.map(|slot| slot_of(slot, *kind)) }
                }
                GlobalKind::Constant(_) | GlobalKind::Workgroup => whole.kind.clone(),
            },
            loc: whole.loc,
        };
        let global = if number == 0 {
            module.globals[table] = array;
            table
        } else {
            module.globals.alloc(array)
        };
        arrays.insert((table, Kind::Texture(*kind)), global);
    }
    asked.len() as u64
}

fn array_of(module: &mut Module, element: TypeKind) -> akari_ir::Type {
    let element = module.types.intern(element);
    module.types.intern(TypeKind::ResourceArray(element, 0))
}

/// Where the textures of a kind are, given where the table is.
#[must_use]
pub fn slot_of(table: Slot, kind: TextureKind) -> Slot {
    let place = TextureKind::ALL.iter().position(|other| *other == kind).unwrap_or_default() as u32;
    match table {
        Slot::D3d12(mut register) => {
            register.space = register.space.saturating_add(place);
            Slot::D3d12(register)
        }
        Slot::Vulkan(mut descriptor) => {
            descriptor.binding = descriptor.binding.saturating_add(place);
            Slot::Vulkan(descriptor)
        }
        Slot::Metal(index) => Slot::Metal(index),
    }
}

fn convert(
    r: &mut Rewriter<'_>,
    id: OpId,
    tables: &FxHashMap<ValueId, GlobalId>,
    arrays: &FxHashMap<(GlobalId, Kind), GlobalId>,
    by_offset: bool,
) -> Outcome {
    let op = r.module.op(id);
    if op.result.is_some_and(|result| tables.contains_key(&result)) {
        return Outcome::Remove;
    }
    let Some(asked) = asked(r.module, id) else { return Outcome::Keep };
    let op = r.module.op(id);
    let (table, index, rest) = (op.operands[0], op.operands[1], op.operands.get(2).copied());
    let array = tables.get(&table).and_then(|table| arrays.get(&(*table, asked.kind()))).copied();
    let Some(array) = array else { return Outcome::Keep };
    let ty = r.module.globals[array].ty;
    let whole = r.core(AkariOp::Resource, &[], &[Attr::Global(array)], ty);
    let Some(element) = r.module.types.element(ty) else { return Outcome::Keep };
    let resource = r.core(AkariOp::Index, &[whole, index], &[], element);
    match (asked, rest) {
        (Asked::Words(scalar, width), Some(element)) if by_offset => {
            let offset = scaled(r, element, u32::from(width) * 4);
            let ty = r.module.types.vector(scalar, width);
            Outcome::Replace(r.value_of(HlslOp::ByteLoad.def(), &[resource, offset], &[], ty))
        }
        (Asked::Words(scalar, width), Some(element)) => {
            let first = scaled(r, element, u32::from(width));
            let words: Vec<ValueId> = (0..u32::from(width)).map(|number| word(r, resource, first, number)).collect();
            let words: Vec<ValueId> = words.into_iter().map(|word| r.as_bits(word, scalar)).collect();
            Outcome::Replace(r.vector(&words))
        }
        (Asked::Texture(_) | Asked::Words(..), _) => Outcome::Replace(resource),
    }
}

/// Where an element begins, of so many units each.
fn scaled(r: &mut Rewriter<'_>, element: ValueId, units: u32) -> ValueId {
    if units == 1 {
        return element;
    }
    match r.known_bits(element) {
        Some(element) => r.uint((element as u32).wrapping_mul(units)),
        None => {
            let units = r.uint(units);
            r.binary(AkariOp::Mul, element, units)
        }
    }
}

/// The word of a buffer so far behind another.
fn word(r: &mut Rewriter<'_>, buffer: ValueId, first: ValueId, number: u32) -> ValueId {
    let index = match r.known_bits(first) {
        _ if number == 0 => first,
        Some(first) => r.uint((first as u32).wrapping_add(number)),
        None => {
            let number = r.uint(number);
            r.binary(AkariOp::Add, first, number)
        }
    };
    let word = r.ty(TypeKind::Scalar(Scalar::U32));
    let ty = r.module.types.place(Space::StorageRead, word);
    let place = r.core(AkariOp::BufferElement, &[buffer, index], &[], ty);
    r.load(place)
}
