//! The program under check: its files, items and types, and what was found out about them.

use std::rc::Rc;

use akari_dialect_gpu_abi::layout::{LayoutError, Layouts};
use akari_ir::entity::{ConstId, StructId as IrStruct, Symbol, Type};
use akari_ir::interface::{BindingSource, FieldRole, Interpolation, PassMode};
use akari_ir::types::{Scalar, TypeKind};
use akari_ir::{Diagnostic, Module, Span};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

pub use super::function_info::{EntryInfo, FunctionInfo, InstanceInfo, ParamInfo, Request, Time, Written};
use super::open::OpenTable;
use super::tree::BitRange;
use super::types::{
    BindingId, BitfieldId, ConstantId, EnumId, FunctionId, StructId, Ty, TyKind, TypeTable, scalar_name,
};
use crate::syntax::ast;
use crate::syntax::names::Name;
use crate::syntax::names::Names;

/// After so many errors and warnings the check ends.
const MOST_DIAGNOSTICS: usize = 1000;

/// Where a definition stands and what was written.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Position of its file in [`Program::files`].
    pub file: usize,
    /// The item.
    pub item: &'a ast::Item<'a>,
}

/// How far an item has been looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Not at all.
    New,
    /// Right now; meeting it again is a cycle.
    Busy,
    /// Wholly.
    Done,
}

/// A source file and which others it sees.
#[derive(Clone, Debug)]
pub struct FileInfo<'a> {
    /// Its tree.
    pub tree: ast::File<'a>,
    /// Whether each file (by position) is this one or imported by it, directly or not.
    pub sees: Vec<bool>,
    /// Whether some of what it imports, directly or not, is not there, which has been reported: what nothing visible has may be there.
    pub incomplete: bool,
}

/// A definition by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    /// A struct.
    Struct(StructId),
    /// An enum.
    Enum(EnumId),
    /// A bitfield.
    Bitfield(BitfieldId),
    /// A function.
    Function(FunctionId),
    /// A constant.
    Constant(ConstantId),
    /// A package binding.
    Binding(BindingId),
}

impl Def {
    /// The function that it is.
    #[must_use]
    pub fn function(&self) -> Option<FunctionId> {
        match *self {
            Self::Function(id) => Some(id),
            Self::Struct(_) | Self::Enum(_) | Self::Bitfield(_) | Self::Constant(_) | Self::Binding(_) => None,
        }
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub struct StructInfo<'a> {
    /// Where it is defined.
    pub source: Source<'a>,
    /// How far it is known.
    pub state: State,
    /// Its fields; whole once it is known.
    pub fields: Rc<Fields<'a>>,
    /// `@packed`.
    pub packed: bool,
    /// How many arguments it is passed as if it holds resources, which makes it a context; 0 of an ordinary struct.
    pub leaves: u32,
    /// How many contexts stand in one another in it, itself one of them; 0 of an ordinary struct.
    pub depth: u32,
    /// It in the module; none where something in it is wrong.
    pub ir: Option<IrStruct>,
    /// Its type.
    pub ty: Ty,
}

/// The fields of a struct, found by name or by position.
pub type Fields<'a> = IndexMap<Name, FieldInfo<'a>, FxBuildHasher>;

/// A field of a struct.
#[derive(Clone, Debug)]
pub struct FieldInfo<'a> {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its type.
    pub ty: Ty,
    /// Its place in a stage interface.
    pub role: FieldRole,
    /// How it is interpolated.
    pub interpolation: Interpolation,
    /// Whether what it is in an interface could not be read, which was reported.
    pub faulty: bool,
    /// What a literal without it takes.
    pub default: Option<&'a ast::Expr<'a>>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct EnumInfo<'a> {
    /// Where it is defined.
    pub source: Source<'a>,
    /// How far it is known.
    pub state: State,
    /// `int` or `uint`.
    pub underlying: Scalar,
    /// Its cases; those before the one under check while that goes on.
    pub cases: IndexMap<Name, CaseInfo, FxBuildHasher>,
    /// Its type.
    pub ty: Ty,
}

/// A case of an enum.
#[derive(Clone, Copy, Debug)]
pub struct CaseInfo {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its value, as bits.
    pub bits: u32,
}

/// A bitfield.
#[derive(Clone, Debug)]
pub struct BitfieldInfo<'a> {
    /// Where it is defined.
    pub source: Source<'a>,
    /// How far it is known.
    pub state: State,
    /// Its fields, from the lowest bit.
    pub fields: IndexMap<Name, BitfieldFieldInfo, FxBuildHasher>,
    /// Its type.
    pub ty: Ty,
}

/// A field of a bitfield.
#[derive(Clone, Copy, Debug)]
pub struct BitfieldFieldInfo {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its bits.
    pub bits: BitRange,
}

/// A module-level constant.
#[derive(Clone, Debug)]
pub struct ConstantInfo<'a> {
    /// Where it is defined.
    pub source: Source<'a>,
    /// How far it is known.
    pub state: State,
    /// Its type.
    pub ty: Ty,
    /// Its value; none where it has been reported.
    pub value: Option<ConstId>,
}

/// A package binding.
#[derive(Clone, Debug)]
pub struct BindingInfo<'a> {
    /// Where it is declared.
    pub source: Source<'a>,
    /// How far it is known.
    pub state: State,
    /// Its type.
    pub ty: Ty,
    /// Where the resource is found; none where that has been reported.
    pub bound: Option<BindingSource>,
    /// Whether something names it.
    pub named: bool,
}

/// A way to pass an argument, as it is written before the type, with a blank.
pub(super) fn mode_word(mode: PassMode) -> &'static str {
    match mode {
        PassMode::Value => "",
        PassMode::Ref => "ref ",
        PassMode::Inout => "inout ",
    }
}

/// The whole program. After an error-free check it is what `lower` turns into a module.
#[derive(Debug)]
pub struct Program<'a> {
    /// The names of the source.
    pub names: &'a Names,
    /// The IR module that will hold the program; while checking it holds its types, constants and structs.
    pub module: Module,
    /// The types of the source.
    pub types: TypeTable,
    /// Constants that depend on `const` parameters.
    pub open: OpenTable,
    /// The files; imported ones before those that import them.
    pub files: Vec<FileInfo<'a>>,
    /// What each name is defined as, in any file.
    pub defs: IndexMap<Name, Vec<Def>, FxBuildHasher>,
    /// The structs.
    pub structs: Vec<StructInfo<'a>>,
    /// The enums.
    pub enums: Vec<EnumInfo<'a>>,
    /// The bitfields.
    pub bitfields: Vec<BitfieldInfo<'a>>,
    /// The constants.
    pub constants: Vec<ConstantInfo<'a>>,
    /// The package bindings.
    pub bindings: Vec<BindingInfo<'a>>,
    /// The functions.
    pub functions: Vec<FunctionInfo<'a>>,
    /// Every definition in order.
    pub order: Vec<Def>,
    /// Sizes and offsets, for `sizeof` and the limits.
    pub layouts: Layouts,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The definitions being looked into, each needed by the one before it.
    pub(super) busy: Vec<Def>,
    /// The functions and structs whose defaults are being put in.
    pub(super) expanding: Vec<Def>,
    /// How deep the checker is in expressions, also of other definitions.
    pub(super) depth: u32,
    /// Whether something was too large to check: the rest is passed over.
    pub(super) gave_up: bool,
    /// How many bytes the array values have together that are to be written out.
    pub(super) array_values: u64,
    /// While above zero, nothing is reported: something is checked a second time.
    pub(super) muted: u32,
    /// Which of the diagnostics are about the body of a template.
    pub(super) in_templates: Vec<(FunctionId, std::ops::Range<usize>)>,
    symbols: FxHashMap<Name, Symbol>,
    erased: FxHashMap<Ty, Type>,
}

impl<'a> Program<'a> {
    pub(super) fn new(names: &'a Names, mut files: Vec<FileInfo<'a>>) -> Self {
        let count = files.len();
        for file in &mut files {
            file.sees.resize(count, false);
        }
        let root = files.last().and_then(|file| file.tree.root);
        Self {
            names,
            module: Module::new(root.map_or("", |root| names.text(root.name.name))),
            types: TypeTable::default(),
            open: OpenTable::default(),
            files,
            defs: IndexMap::default(),
            structs: Vec::new(),
            enums: Vec::new(),
            bitfields: Vec::new(),
            constants: Vec::new(),
            bindings: Vec::new(),
            functions: Vec::new(),
            order: Vec::new(),
            layouts: Layouts::new(),
            diagnostics: Vec::new(),
            busy: Vec::new(),
            expanding: Vec::new(),
            depth: 0,
            gave_up: false,
            array_values: 0,
            muted: 0,
            in_templates: Vec::new(),
            symbols: FxHashMap::default(),
            erased: FxHashMap::default(),
        }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.muted > 0 || self.gave_up {
            return;
        }
        if self.diagnostics.len() >= MOST_DIAGNOSTICS {
            self.gave_up = true;
            let message = format!("more than {MOST_DIAGNOSTICS} errors and warnings: the rest is not shown");
            self.diagnostics.push(Diagnostic { message, notes: Vec::new(), help: None, ..diagnostic });
            return;
        }
        self.diagnostics.push(diagnostic);
    }

    /// The text of a name.
    #[must_use]
    pub fn text(&self, name: Name) -> &'a str {
        self.names.text(name)
    }

    /// The name in the IR.
    pub fn symbol(&mut self, name: Name) -> Symbol {
        let Self { symbols, module, names, .. } = self;
        *symbols.entry(name).or_insert_with(|| module.symbols.intern(names.text(name)))
    }

    /// Where a definition stands.
    #[must_use]
    pub fn source(&self, def: Def) -> Source<'a> {
        match def {
            Def::Struct(id) => self.structs[id.index()].source,
            Def::Enum(id) => self.enums[id.index()].source,
            Def::Bitfield(id) => self.bitfields[id.index()].source,
            Def::Function(id) => self.functions[id.index()].source,
            Def::Constant(id) => self.constants[id.index()].source,
            Def::Binding(id) => self.bindings[id.index()].source,
        }
    }

    /// What a type is made of.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> TyKind {
        self.types.kind(ty)
    }

    /// The type as its author would write it.
    #[must_use]
    pub fn show(&self, ty: Ty) -> String {
        match self.kind(ty) {
            TyKind::Error => "?".into(),
            TyKind::Nothing => "nothing".into(),
            TyKind::Scalar(scalar) => scalar_name(scalar).into(),
            TyKind::Vector(scalar, width) => format!("{}{width}", scalar_name(scalar)),
            TyKind::Matrix { columns, rows } => format!("float{columns}x{rows}"),
            TyKind::Array(element, length) | TyKind::ResourceArray(element, length) => {
                format!("{}[{length}]", self.show(element))
            }
            TyKind::OpenArray(element, length) | TyKind::OpenResourceArray(element, length) => {
                format!("{}[{}]", self.show(element), self.show_open(length))
            }
            TyKind::Function(id) => {
                let signature = self.types.signature(id);
                let params: Vec<String> = signature
                    .params
                    .iter()
                    .map(|(mode, ty)| format!("{}{}", mode_word(*mode), self.show(*ty)))
                    .collect();
                let result = match signature.result {
                    Ty::NOTHING => String::new(),
                    result => format!(" -> {}", self.show(result)),
                };
                format!("fn({}){result}", params.join(", "))
            }
            TyKind::Struct(id) => self.text(self.structs[id.index()].source.item.name.name).into(),
            TyKind::Enum(id) => self.text(self.enums[id.index()].source.item.name.name).into(),
            TyKind::Bitfield(id) => self.text(self.bitfields[id.index()].source.item.name.name).into(),
            TyKind::Buffer(kind, element) => {
                use akari_ir::types::BufferKind;
                let name = match kind {
                    BufferKind::Uniform => "Uniform",
                    BufferKind::Read => "Buf",
                    BufferKind::ReadWrite => "RwBuf",
                    BufferKind::Atomic => "AtomicBuf",
                };
                format!("{name}<{}>", self.show(element))
            }
            TyKind::Texture(dim, texel) => {
                use akari_ir::types::{TexelKind, TextureDim};
                let name = match (dim, texel) {
                    (_, TexelKind::Depth) => return "TexDepth2D".into(),
                    (TextureDim::D2, _) => "Tex2D",
                    (TextureDim::D2Array, _) => "Tex2DArray",
                    (TextureDim::D3, _) => "Tex3D",
                    (TextureDim::Cube, _) => "TexCube",
                    (TextureDim::CubeArray, _) => "TexCubeArray",
                };
                match texel {
                    TexelKind::Float | TexelKind::Depth => name.into(),
                    TexelKind::Int => format!("{name}<int>"),
                    TexelKind::Uint => format!("{name}<uint>"),
                }
            }
            TyKind::StorageTexture(dim, format) => {
                use akari_ir::types::{StorageFormat, TextureDim};
                let name = if dim == TextureDim::D3 { "RwTex3D" } else { "RwTex2D" };
                match StorageFormat::ALL.iter().find(|(candidate, _)| *candidate == format) {
                    Some((StorageFormat::Any, _)) | None => name.into(),
                    Some((_, format)) => format!("{name}<{format}>"),
                }
            }
            TyKind::Sampler => "Sampler".into(),
            TyKind::SamplerCmp => "SamplerCmp".into(),
            TyKind::AccelStruct => "AccelStruct".into(),
            TyKind::BufferTable => "BufferTable".into(),
            TyKind::TextureTable => "TextureTable".into(),
        }
    }

    /// The type of the IR: enums and bitfields as their integers. Wrong types become `uint`; nothing is lowered then.
    pub fn erase(&mut self, ty: Ty) -> Type {
        if let Some(erased) = self.erased.get(&ty) {
            return *erased;
        }
        let kind = match self.kind(ty) {
            TyKind::Error | TyKind::Nothing => TypeKind::Scalar(Scalar::U32),
            TyKind::Scalar(scalar) => TypeKind::Scalar(scalar),
            TyKind::Vector(scalar, width) => TypeKind::Vector(scalar, width),
            TyKind::Matrix { columns, rows } => TypeKind::Matrix { columns, rows },
            TyKind::Array(element, length) => TypeKind::Array(self.erase(element), length),
            TyKind::ResourceArray(element, length) => TypeKind::ResourceArray(self.erase(element), length),
            TyKind::OpenArray(element, length) | TyKind::OpenResourceArray(element, length) => {
                TypeKind::OpenArray(self.erase(element), self.erase_open(length))
            }
            TyKind::Function(id) => {
                let signature = self.types.signature(id).clone();
                let params = signature.params.iter().map(|(mode, ty)| (*mode, self.erase(*ty)));
                let params = params.collect();
                let result = (signature.result != Ty::NOTHING).then(|| self.erase(signature.result));
                let erased = self.module.types.function(akari_ir::Signature { params, result });
                self.erased.insert(ty, erased);
                return erased;
            }
            TyKind::Struct(id) => match self.structs[id.index()].ir {
                Some(id) => TypeKind::Struct(id),
                None => return self.module.types.scalar(Scalar::U32),
            },
            TyKind::Enum(id) => TypeKind::Scalar(self.enums[id.index()].underlying),
            TyKind::Bitfield(_) => TypeKind::Scalar(Scalar::U32),
            TyKind::Buffer(kind, element) => TypeKind::Buffer(kind, self.erase(element)),
            TyKind::Texture(dim, texel) => TypeKind::Texture(dim, texel),
            TyKind::StorageTexture(dim, format) => TypeKind::StorageTexture(dim, format),
            TyKind::Sampler => TypeKind::Sampler,
            TyKind::SamplerCmp => TypeKind::SamplerCmp,
            TyKind::AccelStruct => TypeKind::AccelStruct,
            TyKind::BufferTable => TypeKind::BufferTable,
            TyKind::TextureTable => TypeKind::TextureTable,
        };
        let erased = self.module.types.intern(kind);
        self.erased.insert(ty, erased);
        erased
    }

    /// What is wrong with a type that has no layout.
    #[must_use]
    pub(super) fn layout_error(error: LayoutError) -> &'static str {
        match error {
            LayoutError::TooLarge(_) => "this type is too large: it has more than 4 GiB",
            LayoutError::TooDeep(_) => "this type nests too deep",
            LayoutError::Opaque(_) => "a resource has no size",
        }
    }

    /// The integer that a value of the type reads as, of an enum or bitfield.
    #[must_use]
    pub fn underlying(&self, ty: Ty) -> Option<Ty> {
        match self.kind(ty) {
            TyKind::Enum(id) => Some(Ty::scalar(self.enums[id.index()].underlying)),
            TyKind::Bitfield(_) => Some(Ty::UINT),
            _ => None,
        }
    }
}
