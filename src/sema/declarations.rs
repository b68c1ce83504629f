//! What a program says that its module no longer does: enums and bitfields, which are integers there, with their names; the
//! constants; and which fields of structs are of an enum or a bitfield. For the host's mirrors of a program.

use akari_ir::constant::Constant;
use akari_ir::entity::StructId;
use akari_ir::types::{Scalar, TypeKind};
use rustc_hash::FxHashMap;

use super::program::{Def, Program, Source};
use super::types::{Ty, TyKind};

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The lines of its documentation comment.
    pub doc: Vec<String>,
    /// Whether its own file alone may name it.
    pub is_private: bool,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumDeclaration {
    /// Its name.
    pub named: Named,
    /// `int` or `uint`.
    pub underlying: Scalar,
    /// Its cases with their bits, in order.
    pub cases: Vec<(String, u32)>,
}

/// A bitfield.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BitfieldDeclaration {
    /// Its name.
    pub named: Named,
    /// Its fields, from the lowest bit: name, lowest bit, number of bits.
    pub fields: Vec<(String, u32, u32)>,
}

/// A module-level constant of a scalar type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConstantDeclaration {
    /// Its name.
    pub named: Named,
    /// Its type.
    pub scalar: Scalar,
    /// Its value, as the module's constants have it.
    pub bits: u64,
}

/// A type that is an integer in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntegerName {
    /// The enum with this number.
    Enum(usize),
    /// The bitfield with this number.
    Bitfield(usize),
}

/// What a program declares, files that are imported first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Its enums.
    pub enums: Vec<EnumDeclaration>,
    /// Its bitfields.
    pub bitfields: Vec<BitfieldDeclaration>,
    /// Its constants of scalar types.
    pub constants: Vec<ConstantDeclaration>,
    /// What the fields of structs are, or are arrays of, by the number of the field.
    fields: FxHashMap<(StructId, usize), IntegerName>,
}

impl Declarations {
    /// What a program without errors declares.
    #[must_use]
    pub fn of(program: &Program<'_>) -> Self {
        let mut found = Self::default();
        let (mut enums, mut bitfields) = (FxHashMap::default(), FxHashMap::default());
        for def in &program.order {
            match *def {
                Def::Enum(id) => {
                    let info = &program.enums[id.index()];
                    enums.insert(id, found.enums.len());
                    let cases =
                        info.cases.values().map(|case| (program.text(case.name).to_owned(), case.bits)).collect();
                    let named = named(program, info.source);
                    found.enums.push(EnumDeclaration { named, underlying: info.underlying, cases });
                }
                Def::Bitfield(id) => {
                    let info = &program.bitfields[id.index()];
                    bitfields.insert(id, found.bitfields.len());
                    let fields = info.fields.values();
                    let fields =
                        fields.map(|field| (program.text(field.name).to_owned(), field.bits.offset, field.bits.width));
                    found
                        .bitfields
                        .push(BitfieldDeclaration { named: named(program, info.source), fields: fields.collect() });
                }
                Def::Constant(id) => {
                    let info = &program.constants[id.index()];
                    let Some(Constant::Scalar(ty, bits)) =
                        info.value.map(|value| program.module.constant(value).clone())
                    else {
                        continue;
                    };
                    let TypeKind::Scalar(scalar) = program.module.kind(ty) else { continue };
                    found.constants.push(ConstantDeclaration { named: named(program, info.source), scalar, bits });
                }
                Def::Struct(_) | Def::Function(_) | Def::Binding(_) => {}
            }
        }
        for structure in &program.structs {
            let Some(id) = structure.ir else { continue };
            for (index, field) in structure.fields.values().enumerate() {
                let name = match program.kind(innermost(program, field.ty)) {
                    TyKind::Enum(id) => enums.get(&id).map(|index| IntegerName::Enum(*index)),
                    TyKind::Bitfield(id) => bitfields.get(&id).map(|index| IntegerName::Bitfield(*index)),
                    _ => None,
                };
                if let Some(name) = name {
                    found.fields.insert((id, index), name);
                }
            }
        }
        found
    }

    /// What a field of a struct is, or is an array of, where that is an enum or a bitfield.
    #[must_use]
    pub fn field(&self, structure: StructId, index: usize) -> Option<IntegerName> {
        self.fields.get(&(structure, index)).copied()
    }
}

fn named(program: &Program<'_>, source: Source<'_>) -> Named {
    Named {
        name: program.text(source.item.name.name).to_owned(),
        doc: source.item.doc.iter().map(|line| (*line).to_owned()).collect(),
        is_private: source.item.private.is_some(),
    }
}

/// The type of the elements of the innermost array.
fn innermost(program: &Program<'_>, mut ty: Ty) -> Ty {
    while let TyKind::Array(element, _) = program.kind(ty) {
        ty = element;
    }
    ty
}
