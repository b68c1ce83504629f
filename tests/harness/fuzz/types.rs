//! The types of random programs, and where the parts of a value lie in a storage buffer: a second opinion on the layout engine.

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the types'")]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Uint64,
    Float,
    Half,
}

impl Scalar {
    pub(super) const NUMBERS: [Self; 5] = [Self::Int, Self::Uint, Self::Uint64, Self::Float, Self::Half];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Uint64 => "uint64",
            Self::Float => "float",
            Self::Half => "half",
        }
    }

    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint | Self::Uint64)
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Half)
    }

    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Bool | Self::Int | Self::Uint | Self::Float => 4,
            Self::Uint64 => 8,
            Self::Half => 2,
        }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Scalar(Scalar),
    Vector(Scalar, usize),
    /// Columns and rows.
    Matrix(usize, usize),
    Array(Box<Type>, usize),
    /// Its number in the program.
    Struct(usize),
    /// The program's only enum.
    Enum,
    /// The program's only bitfield.
    Bitfield,
}

pub(super) const BOOL: Type = Type::Scalar(Scalar::Bool);
pub(super) const UINT: Type = Type::Scalar(Scalar::Uint);
pub(super) const INT: Type = Type::Scalar(Scalar::Int);
pub(super) const FLOAT: Type = Type::Scalar(Scalar::Float);
pub(super) const UINT64: Type = Type::Scalar(Scalar::Uint64);

#[derive(Clone, Debug)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Type)>,
}

/// The named types of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Types {
    pub(super) structs: Vec<Struct>,
    pub(super) enumeration: String,
    pub(super) cases: Vec<String>,
    pub(super) bitfield: String,
    pub(super) bits: Vec<(String, u32)>,
}

/// A scalar in memory, which comparison is by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Bytes from the start.
    pub offset: usize,
    /// What lies there.
    pub scalar: Scalar,
    /// How many representable numbers a result may be away from the right one.
    pub ulps: u32,
}

impl Types {
    pub(super) fn name(&self, ty: &Type) -> String {
        match ty {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Vector(scalar, width) => format!("{}{width}", scalar.name()),
            Type::Matrix(columns, rows) => format!("float{columns}x{rows}"),
            Type::Array(element, length) => format!("{}[{length}]", self.name(element)),
            Type::Struct(number) => self.structs[*number].name.clone(),
            Type::Enum => self.enumeration.clone(),
            Type::Bitfield => self.bitfield.clone(),
        }
    }

    fn align(&self, ty: &Type) -> usize {
        match ty {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => scalar.bytes(),
            Type::Matrix(..) | Type::Enum | Type::Bitfield => 4,
            Type::Array(element, _) => self.align(element),
            Type::Struct(number) => {
                self.structs[*number].fields.iter().map(|(_, ty)| self.align(ty)).max().unwrap_or(1)
            }
        }
    }

    /// Bytes in a storage buffer.
    pub(super) fn size(&self, ty: &Type) -> usize {
        let mut leaves = Vec::new();
        self.place(ty, 0, &mut leaves)
    }

    /// A bound for the bytes in a uniform buffer.
    pub(super) fn uniform_bound(&self, ty: &Type) -> usize {
        match ty {
            Type::Scalar(_) | Type::Enum | Type::Bitfield => 16,
            Type::Vector(..) => 32,
            Type::Matrix(columns, _) => 16 * columns,
            Type::Array(element, length) => self.uniform_bound(element) * length,
            Type::Struct(number) => {
                self.structs[*number].fields.iter().map(|(_, ty)| self.uniform_bound(ty)).sum::<usize>() + 16
            }
        }
    }

    /// Adds the scalars of a value at `start`, and gives its end.
    pub(super) fn place(&self, ty: &Type, start: usize, leaves: &mut Vec<Leaf>) -> usize {
        let mut row = |scalar: Scalar, count: usize| {
            leaves.extend((0..count).map(|index| Leaf { offset: start + index * scalar.bytes(), scalar, ulps: 0 }));
            start + count * scalar.bytes()
        };
        match ty {
            Type::Scalar(scalar) => row(*scalar, 1),
            Type::Vector(scalar, width) => row(*scalar, *width),
            Type::Matrix(columns, rows) => row(Scalar::Float, columns * rows),
            Type::Enum | Type::Bitfield => row(Scalar::Uint, 1),
            Type::Array(element, length) => {
                let mut end = start;
                for _ in 0..*length {
                    end = self.place(element, end.next_multiple_of(self.align(element)), leaves);
                }
                end.next_multiple_of(self.align(element))
            }
            Type::Struct(number) => {
                let mut end = start;
                for (_, ty) in &self.structs[*number].fields {
                    end = self.place(ty, end.next_multiple_of(self.align(ty)), leaves);
                }
                end.next_multiple_of(self.align(&Type::Struct(*number)))
            }
        }
    }
}
