//! Operations and their definitions.

use std::fmt;

use smallvec::SmallVec;

use crate::entity::{ConstId, FuncId, GlobalId, OpId, RegionId, StructId, Symbol, Type, ValueId};
use crate::module::Module;
use crate::span::Span;
use crate::verify::Report;

/// What an operation does to the world and where it may stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Traits(pub u16);

impl Traits {
    /// No trait.
    pub const NONE: Self = Self(0);
    /// Depends on nothing but its operands and changes nothing: may be moved, merged and dropped.
    pub const PURE: Self = Self(1);
    /// Reads memory that something else may write.
    pub const READS: Self = Self(1 << 1);
    /// Writes memory.
    pub const WRITES: Self = Self(1 << 2);
    /// Exchanges data or control with other invocations: may not cross control flow, be duplicated or dropped.
    pub const CONVERGENT: Self = Self(1 << 3);
    /// Ends its region.
    pub const TERMINATOR: Self = Self(1 << 4);
    /// Stays legal in every target's stage.
    pub const CORE: Self = Self(1 << 5);
    /// Its two operands may be exchanged.
    pub const COMMUTES: Self = Self(1 << 6);
    /// Gone after `specialize`.
    pub const COMPTIME: Self = Self(1 << 7);
    /// Makes a place; what it costs is nothing, its result may be used many times.
    pub const ADDRESS: Self = Self(1 << 8);
    /// Its result is declared under a name in printed text.
    pub const DECLARES: Self = Self(1 << 9);
    /// Names of the traits, in the order of their bits.
    pub const NAMES: [&'static str; 10] =
        ["pure", "reads", "writes", "convergent", "terminator", "core", "commutes", "comptime", "address", "declares"];

    /// Both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether every trait of `other` is here.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any trait of `other` is here.
    #[must_use]
    pub const fn any(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

impl fmt::Debug for Traits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> =
            Self::NAMES.iter().enumerate().filter(|(bit, _)| self.0 >> bit & 1 == 1).map(|(_, name)| *name).collect();
        f.write_str(&names.join(" "))
    }
}

/// What an operand's type must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeRule {
    /// Anything at all.
    Any,
    /// A value type: no place, no handle.
    Value,
    /// `bool`.
    Bool,
    /// `bool` or a vector of it.
    BoolShaped,
    /// An integer scalar or vector.
    Integer,
    /// An integer scalar.
    IntegerScalar,
    /// A number: integer or float, scalar, vector or matrix.
    Numeric,
    /// A scalar or vector of anything.
    ScalarOrVector,
    /// A place.
    Place,
    /// A place that may be written.
    WritablePlace,
    /// The pointee of the place that is the n-th operand.
    Pointee(u8),
    /// The type of the n-th operand.
    Same(u8),
    /// A buffer handle.
    Buffer,
}

/// A named operand of an operation; the last one may stand for any number.
#[derive(Clone, Copy, Debug)]
pub struct OperandDef {
    /// Its name in the table and the documentation.
    pub name: &'static str,
    /// What its type must be.
    pub rule: TypeRule,
    /// Whether it stands for any number of operands, none included.
    pub variadic: bool,
}

/// The closed set of values of an enumerated attribute.
#[derive(Debug)]
pub struct EnumDef {
    /// The name of the set.
    pub name: &'static str,
    /// The values' names; a value is its index.
    pub values: &'static [&'static str],
}

/// What an attribute slot holds.
#[derive(Clone, Copy, Debug)]
pub enum AttrKind {
    /// A number.
    Int,
    /// A truth value.
    Bool,
    /// A type.
    Type,
    /// A constant value.
    Const,
    /// A name; never compared by a pass.
    Symbol,
    /// A function.
    Func,
    /// A module-level constant, variable or resource.
    Global,
    /// A structure.
    Struct,
    /// One of a closed set.
    Enum(&'static EnumDef),
    /// A list of numbers.
    Ints,
}

/// A named attribute slot.
#[derive(Clone, Copy, Debug)]
pub struct AttrDef {
    /// Its name in the table, the textual form and the documentation.
    pub name: &'static str,
    /// What it holds.
    pub kind: AttrKind,
}

/// The value in an attribute slot.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attr {
    /// See [`AttrKind::Int`].
    Int(i64),
    /// See [`AttrKind::Bool`].
    Bool(bool),
    /// See [`AttrKind::Type`].
    Type(Type),
    /// See [`AttrKind::Const`].
    Const(ConstId),
    /// See [`AttrKind::Symbol`].
    Symbol(Symbol),
    /// See [`AttrKind::Func`].
    Func(FuncId),
    /// See [`AttrKind::Global`].
    Global(GlobalId),
    /// See [`AttrKind::Struct`].
    Struct(StructId),
    /// See [`AttrKind::Enum`]; the index of the value.
    Enum(u16),
    /// See [`AttrKind::Ints`].
    Ints(Box<[i64]>),
}

/// How the type of an operation's result follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRule {
    /// No result.
    None,
    /// The type of the n-th operand.
    Same(u8),
    /// Given where the operation is built; the operation's own check decides whether it fits.
    Declared,
    /// As `Declared`, or no result at all.
    Optional,
}

impl std::hash::Hash for OpDef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (self.dialect_id, self.index).hash(state);
    }
}

/// A row of a dialect's table: everything there is to know about an operation.
pub struct OpDef {
    /// The dialect's name.
    pub dialect: &'static str,
    /// The dialect's number.
    pub dialect_id: u8,
    /// The row's number in the dialect's table.
    pub index: u8,
    /// The operation's name, without the dialect.
    pub name: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// Its operands.
    pub operands: &'static [OperandDef],
    /// Its attribute slots, all filled.
    pub attrs: &'static [AttrDef],
    /// The names of its regions; a last name that ends in `*` stands for any number.
    pub regions: &'static [&'static str],
    /// How its result's type follows.
    pub result: ResultRule,
    /// What holds of every such operation.
    pub traits: Traits,
    /// What holds of one operation beyond that.
    pub dynamic_traits: Option<fn(&Module, &Op) -> Traits>,
    /// Checks what the rules above cannot say.
    pub verify: Option<fn(&Module, OpId, &mut Report)>,
}

impl OpDef {
    /// Whether the last region stands for any number.
    #[must_use]
    pub fn has_variadic_regions(&self) -> bool {
        self.regions.last().is_some_and(|name| name.ends_with('*'))
    }

    /// The slot of the attribute `name`.
    #[must_use]
    pub fn attr_slot(&self, name: &str) -> Option<usize> {
        self.attrs.iter().position(|attr| attr.name == name)
    }
}

impl fmt::Debug for OpDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.dialect, self.name)
    }
}

impl PartialEq for OpDef {
    fn eq(&self, other: &Self) -> bool {
        (self.dialect_id, self.index) == (other.dialect_id, other.index)
    }
}

impl Eq for OpDef {}

/// An operation.
#[derive(Clone, Debug)]
pub struct Op {
    /// Its row.
    pub def: &'static OpDef,
    /// The values it uses.
    pub operands: SmallVec<[ValueId; 3]>,
    /// Its attributes, by slot.
    pub attrs: SmallVec<[Attr; 1]>,
    /// Its regions.
    pub regions: SmallVec<[RegionId; 2]>,
    /// Its result.
    pub result: Option<ValueId>,
    /// The source text it came from.
    pub loc: Option<Span>,
}

macro_rules! attr_getters {
    ($($(#[$doc:meta])* $getter:ident $kind:ident $type:ty;)*) => {$(
        $(#[$doc])*
        ///
        /// # Panics
        /// Where the slot holds something else: the verifier has refused such an operation before.
        #[must_use]
        pub fn $getter(&self, slot: usize) -> $type {
            match &self.attrs[slot] {
                Attr::$kind(value) => *value,
                other => panic!("{:?}: slot {slot} holds {other:?}", self.def),
            }
        }
    )*};
}

impl Op {
    attr_getters! {
        /// The number in a slot.
        int Int i64;
        /// The truth value in a slot.
        flag Bool bool;
        /// The type in a slot.
        ty Type Type;
        /// The constant in a slot.
        constant Const ConstId;
        /// The name in a slot.
        symbol Symbol Symbol;
        /// The function in a slot.
        func Func FuncId;
        /// The global in a slot.
        global Global GlobalId;
        /// The structure in a slot.
        structure Struct StructId;
        /// The index of the enumerated value in a slot.
        enumerated Enum u16;
    }

    /// The numbers in a slot.
    ///
    /// # Panics
    /// Where the slot holds something else: the verifier has refused such an operation before.
    #[must_use]
    pub fn ints(&self, slot: usize) -> &[i64] {
        match &self.attrs[slot] {
            Attr::Ints(values) => values,
            other => panic!("{:?}: slot {slot} holds {other:?}", self.def),
        }
    }
}
