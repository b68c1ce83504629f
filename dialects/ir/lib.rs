//! The intermediate representation itself: entities, types, operations, and their textual form. It knows no operation of
//! any dialect.

pub mod arena;
pub mod builder;
pub mod constant;
pub mod diagnostic;
pub mod dialect;
pub mod entity;
pub mod interface;
pub mod intern;
pub mod module;
pub mod op;
pub mod slots;
pub mod span;
pub mod text;
pub mod types;
pub mod verify;

pub use builder::Builder;
pub use constant::{Constant, OpenConst};
pub use diagnostic::{Code, Diagnostic, Note, Severity, listed, nearest, with_article};
pub use dialect::{Dialect, Registry};
pub use entity::{
    ConstId, Entity, FuncId, GlobalId, OpId, OpenConstId, RegionId, SecondaryMap, SignatureId, StructId, Symbol, Type,
    ValueId,
};
pub use module::{
    Entry, Field, Function, Global, GlobalKind, Module, Param, Region, Requested, Struct, Value, ValueDef, Varying,
};
pub use op::{Attr, Op, OpDef, Traits};
pub use span::{FileId, Span};
pub use text::{ParseError, parse, print_function, print_module, print_op};
pub use types::{
    BufferKind, MemoryType, Scalar, Signature, Space, StorageFormat, TexelKind, TextureDim, TypeKind, Types,
};
