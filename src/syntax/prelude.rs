//! What the language itself defines as a program would, the struct that `rt_trace` gives, and what it calls of the program's.

use akari_ir::{FileId, Span};

use super::ast::{Field, Ident, Item, ItemKind, Type, TypeKind};
use super::names::Name;

/// The names of the prelude: every table of names begins with them.
pub(super) const NAMES: [&str; 11] = [
    "RtTraceHit", "hit", "distance", "instance_id", "primitive_id", "barycentric", "bool", "float", "uint", "float2",
    "hikari_rt_candidate_accepts",
];

/// The name of the struct that `rt_trace` gives.
pub const TRACE_HIT_NAME: &str = NAMES[0];

/// The name of the function of the program's that judges what a ray meets.
pub const CANDIDATE_ACCEPTS: Name = Name::of_prelude(10);

/// It stands in no file; nothing is ever told about it.
const NOWHERE: Span = Span::new(FileId(0), 0, 0);

const fn ident(number: u32) -> Ident {
    Ident { name: Name::of_prelude(number), span: NOWHERE }
}

const fn named(number: u32) -> Type<'static> {
    Type { span: NOWHERE, kind: TypeKind::Named { name: ident(number), args: &[] } }
}

const fn field(doc: &'static [&'static str], number: u32, ty: &'static Type<'static>) -> Field<'static> {
    Field { span: NOWHERE, doc, attributes: &[], name: ident(number), ty, default: None }
}

static BOOL: Type<'static> = named(6);
static FLOAT: Type<'static> = named(7);
static UINT: Type<'static> = named(8);
static FLOAT2: Type<'static> = named(9);

static FIELDS: [Field<'static>; 5] = [
    field(&["Whether the ray has met something; if not, all else is 0."], 1, &BOOL),
    field(&["How far along the ray, in lengths of its direction."], 2, &FLOAT),
    field(&["Which instance of the acceleration structure, counted from 0."], 3, &UINT),
    field(&["Which triangle of the geometry."], 4, &UINT),
    field(&["The weights of the triangle's second and third vertex."], 5, &FLOAT2),
];

/// `RtTraceHit`.
pub static TRACE_HIT: Item<'static> = Item {
    span: NOWHERE,
    doc: &["What a ray has met."],
    attributes: &[],
    private: None,
    name: ident(0),
    kind: ItemKind::Struct(&FIELDS),
    intact: true,
};
