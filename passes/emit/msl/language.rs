//! Expressions and statements that MSL writes in its own way.

use std::borrow::Cow;

use akari_dialect::{AkariOp, BranchHint, Builtin, LoopHint, RayFact};
use akari_dialect_msl::ops::view as msl_view;
use akari_dialect_msl::{Atomic, Method, MslOp, SamplerAddress, SamplerCompare, SamplerFilter, Wrap};
use akari_ir::{ConstId, Constant, MemoryType, Module, OpId, Scalar, Space, Type, TypeKind, ValueId};

use super::{rays, types};
use crate::analysis::plain_arrays::{Declared, PlainArrays};
use crate::emit::c_like::expression::{Printer, constant_index};
use crate::emit::c_like::language::{Language, Literal, Piece, Spelling};
use crate::emit::c_like::literal as number;
use crate::emit::c_like::precedence::{Precedence, Side};

/// The Metal Shading Language, for one module.
pub(super) struct Msl {
    /// The groupshared and constant arrays that are arrays of C.
    pub(super) plain_arrays: PlainArrays,
}

fn primary(text: impl Into<String>) -> Literal {
    Literal { text: text.into(), precedence: Precedence::Primary }
}

fn scalar_literal(scalar: Scalar, bits: u64) -> Literal {
    match scalar {
        Scalar::Bool => primary(if bits == 0 { "false" } else { "true" }),
        Scalar::I32 => number::i32(bits as u32),
        Scalar::U32 => number::u32(bits as u32),
        Scalar::U64 => number::u64(bits, "ul"),
        Scalar::F16 => number::f16(bits as u16, "h")
            .unwrap_or_else(|| primary(format!("as_type<half>(ushort(0x{:X}))", bits as u16))),
        Scalar::F32 => {
            number::f32(bits as u32, "f").unwrap_or_else(|| primary(format!("as_type<float>(0x{:X}u)", bits as u32)))
        }
    }
}

impl Language for Msl {
    fn type_name(&self, module: &Module, ty: Type) -> Cow<'static, str> {
        types::value(module, ty)
    }

    fn declarator(&self, module: &Module, ty: Type, name: &str) -> String {
        types::declarator(module, ty, name)
    }

    fn literal(&self, scalar: Scalar, bits: u64) -> Literal {
        scalar_literal(scalar, bits)
    }

    fn composite_constant(&self, module: &Module, constant: ConstId) -> Literal {
        primary(composite(module, constant, true))
    }

    fn operation(&self, module: &Module, id: OpId) -> Option<Spelling> {
        let op = module.op(id);
        if let Some(msl) = MslOp::of(op) {
            return Some(own_operation(module, id, msl));
        }
        let operands = &op.operands[..];
        match AkariOp::of(op)? {
            AkariOp::Select if !matches!(module.value_kind(operands[0]), TypeKind::Scalar(_)) => {
                Some(Spelling::call("select", &[operands[2], operands[1], operands[0]]))
            }
            AkariOp::Construct => {
                let ty = module.value_type(op.result?);
                if !matches!(module.kind(ty), TypeKind::Struct(_) | TypeKind::Array(..)) {
                    return None;
                }
                let mut spelling = Spelling::text(types::value(module, ty));
                spelling.push_arguments("{ ", operands, " }");
                Some(spelling)
            }
            AkariOp::Element | AkariOp::Index | AkariOp::BufferElement => fixed_element(module, operands),
            AkariOp::Discard => Some(Spelling::text("discard_fragment()")),
            AkariOp::RayQueryProceed => Some(Spelling::method(operands[0], "next", &[])),
            AkariOp::RayQueryHit => Some(rays::fact(operands[0], RayFact::from_index(op.enumerated(0)))),
            AkariOp::RayQueryCandidate => {
                Some(rays::candidate_fact(operands[0], RayFact::from_index(op.enumerated(0))))
            }
            AkariOp::RayQueryAccept => Some(Spelling::method(operands[0], "commit_triangle_intersection", &[])),
            _ => None,
        }
    }

    fn builtin(&self, module: &Module, id: OpId, builtin: Builtin) -> Spelling {
        super::builtins::spelling(module, id, builtin)
    }

    fn statement(&self, printer: &mut Printer<'_, Self>, id: OpId) -> bool {
        let module = printer.module;
        if AkariOp::of(module.op(id)) == Some(AkariOp::RayQueryBegin) {
            rays::begin(printer, id);
            return true;
        }
        let Some(result) = module.op(id).result else { return false };
        let name = printer.name(result);
        if let Some(init) = braced_initializer(module, id) {
            let ty = module.value_type(module.op(id).operands[0]);
            printer.text.push(&types::declarator(module, ty, &name));
            printer.text.push(" = ");
            printer.spelled(&init, Precedence::Whole, Side::Left);
            printer.text.push(";");
            printer.text.end_line();
            return true;
        }
        match MslOp::of(module.op(id)) {
            Some(MslOp::Threadgroup) => {
                let Some((_, of)) = module.types.as_place(module.value_type(result)) else { return false };
                let declarator = if self.plain_arrays.is_plain(Declared::Value(result)) {
                    types::c_declarator(module, of, &name)
                } else {
                    types::declarator(module, of, &name)
                };
                printer.text.line(&format!("threadgroup {declarator};"));
                true
            }
            Some(MslOp::Sampler) => {
                printer.text.line(&format!("constexpr sampler {name}({});", sampler_state(module, id)));
                true
            }
            _ => false,
        }
    }

    fn loop_hint(&self, hint: LoopHint, _: i64) -> Option<String> {
        match hint {
            LoopHint::None => None,
            LoopHint::Unroll => Some("[[unroll]]".into()),
            LoopHint::Loop => Some("[[dont_unroll]]".into()),
        }
    }

    fn branch_hint(&self, _: BranchHint) -> Option<&'static str> {
        None
    }
}

/// What the declaration of an array is initialized with where it is a literal, or that of a structure where it is a constant: braces
/// that need no type in front.
fn braced_initializer(module: &Module, id: OpId) -> Option<Spelling> {
    if !matches!(AkariOp::of(module.op(id)), Some(AkariOp::Let | AkariOp::Local)) {
        return None;
    }
    let init = *module.op(id).operands.first()?;
    let kind = module.value_kind(init);
    if !matches!(kind, TypeKind::Array(..) | TypeKind::Struct(_)) {
        return None;
    }
    let literal = module.op(module.defining_op(init)?);
    match AkariOp::of(literal)? {
        AkariOp::Construct if matches!(kind, TypeKind::Array(..)) => Some(Spelling::braces(&literal.operands)),
        AkariOp::Const => Some(Spelling::text(composite(module, literal.constant(0), false))),
        _ => None,
    }
}

/// An element at a constant index, which needs no suffix; components of vectors have names.
fn fixed_element(module: &Module, operands: &[ValueId]) -> Option<Spelling> {
    let of = module.value_type(operands[0]);
    let of = module.types.as_place(of).map_or(of, |(_, pointee)| pointee);
    if let TypeKind::Vector(..) = module.kind(of) {
        return None;
    }
    let index = constant_index(module, operands[1])?;
    Some(Spelling::postfix(operands[0], format!("[{index}]")))
}

/// A constant that is no scalar. `typed`: with its type in front of braces, as an expression needs it.
pub(super) fn composite(module: &Module, constant: ConstId, typed: bool) -> String {
    let value = module.constant(constant);
    let ty = value.ty();
    let name = types::value(module, ty);
    let scalar = |scalar, bits| scalar_literal(scalar, bits).text;
    match (value, module.kind(ty)) {
        (Constant::Scalar(_, bits), TypeKind::Scalar(of)) => scalar(of, *bits),
        (Constant::Zero(_), TypeKind::Vector(of, _)) => format!("{name}({})", scalar(of, 0)),
        (Constant::Zero(_), TypeKind::Matrix { .. }) => format!("{name}({})", scalar(Scalar::F32, 0)),
        (Constant::Zero(_) | Constant::Scalar(..), _) => {
            if typed {
                format!("{name}{{}}")
            } else {
                "{}".into()
            }
        }
        (Constant::Composite(_, parts), TypeKind::Vector(..)) if parts.iter().all(|part| *part == parts[0]) => {
            format!("{name}({})", composite(module, parts[0], typed))
        }
        (Constant::Composite(_, parts), TypeKind::Vector(..) | TypeKind::Matrix { .. }) => {
            let parts: Vec<_> = parts.iter().map(|part| composite(module, *part, typed)).collect();
            format!("{name}({})", parts.join(", "))
        }
        (Constant::Composite(_, parts), kind) => {
            let texts: Vec<_> = parts.iter().map(|part| composite(module, *part, typed)).collect();
            let in_braces = texts.first().is_some_and(|text| text.starts_with('{'));
            let list = texts.join(", ");
            let prefix = if typed { name.as_ref() } else { "" };
            // An array is a structure of one C array: its inner braces may be left out where its elements have none.
            if in_braces && matches!(kind, TypeKind::Array(..)) {
                format!("{prefix}{{{{ {list} }}}}")
            } else {
                format!("{prefix}{{ {list} }}")
            }
        }
    }
}

/// What an array of C is initialized with.
pub(super) fn c_initializer(module: &Module, constant: ConstId) -> String {
    match (module.constant(constant), module.kind(module.constant(constant).ty())) {
        (Constant::Composite(_, parts), TypeKind::Array(..)) => {
            let parts: Vec<_> = parts.iter().map(|part| c_initializer(module, *part)).collect();
            format!("{{ {} }}", parts.join(", "))
        }
        _ => composite(module, constant, false),
    }
}

fn own_operation(module: &Module, id: OpId, msl: MslOp) -> Spelling {
    let op = module.op(id);
    let operands = &op.operands[..];
    match msl {
        MslOp::Threadgroup | MslOp::Sampler => Spelling::text("/* declared */"),
        MslOp::Unpack => {
            let ty = op.result.map(|result| types::value(module, module.value_type(result))).unwrap_or_default();
            Spelling::call(ty, operands)
        }
        MslOp::Pack => Spelling::same_as(operands[0], Precedence::Whole),
        MslOp::Texture => texture_method(module, msl_view::Texture(id)),
        MslOp::CountTrailingZeros => Spelling::call("ctz", operands),
        MslOp::CountLeadingZeros => Spelling::call("clz", operands),
        MslOp::AtomicLoad => atomic(module, "atomic_load_explicit", operands[0], &[]),
        MslOp::AtomicStore => atomic(module, "atomic_store_explicit", operands[0], &operands[1..]),
        MslOp::AtomicFetch => atomic(module, Atomic::from_index(op.enumerated(0)).name(), operands[0], &operands[1..]),
        MslOp::AtomicCompareExchangeWeak => {
            let mut spelling = atomic_object(module, "atomic_compare_exchange_weak_explicit", operands[0]);
            spelling.push_text(", &");
            spelling.pieces.push(Piece::Value(operands[1], Precedence::Prefix, Side::Left));
            spelling.push_text(", ");
            spelling.push_argument(operands[2]);
            spelling.push_text(", memory_order_relaxed, memory_order_relaxed)");
            spelling
        }
    }
}

/// `function(&object`, where the object is seen as an atomic if it is declared as a number.
fn atomic_object(module: &Module, function: &'static str, place: ValueId) -> Spelling {
    let mut spelling = Spelling::text(format!("{function}("));
    if let Some((space, of)) = module.types.as_place(module.value_type(place))
        && let TypeKind::Scalar(scalar) = module.kind(of)
    {
        let space = if space == Space::Workgroup { "threadgroup" } else { "device" };
        let atomic = TypeKind::Memory(MemoryType::Atomic(scalar));
        let name = match atomic {
            TypeKind::Memory(MemoryType::Atomic(Scalar::I32)) => "atomic_int",
            _ => "atomic_uint",
        };
        spelling.push_text(format!("({space} {name}*)"));
    }
    spelling.push_text("&");
    spelling.pieces.push(Piece::Value(place, Precedence::Prefix, Side::Left));
    spelling
}

fn atomic(module: &Module, function: &'static str, place: ValueId, values: &[ValueId]) -> Spelling {
    let mut spelling = atomic_object(module, function, place);
    for value in values {
        spelling.push_text(", ");
        spelling.push_argument(*value);
    }
    spelling.push_text(", memory_order_relaxed)");
    spelling
}

fn texture_method(module: &Module, view: msl_view::Texture) -> Spelling {
    let op = module.op(view.0);
    let method = Method::from_index(op.enumerated(0));
    let wrap = Wrap::from_index(op.enumerated(1));
    let operands = view.operands(module);
    let wrapped = match wrap {
        Wrap::None => 0,
        Wrap::Level | Wrap::Component => 1,
        Wrap::Gradient2d | Wrap::Gradient3d | Wrap::GradientCube => 2,
    };
    let (plain, wrapped) = operands.split_at(operands.len().saturating_sub(wrapped));
    let mut spelling = Spelling::postfix(view.texture(module), format!(".{}", method.name()));
    spelling.push_arguments("(", plain, "");
    if !wrapped.is_empty() {
        if !plain.is_empty() {
            spelling.push_text(", ");
        }
        if wrap == Wrap::Component {
            let component = constant_index(module, wrapped[0]).unwrap_or(0);
            let names = ["x", "y", "z", "w"];
            spelling.push_text(format!("component::{}", names[(component & 3) as usize]));
        } else {
            spelling.push_text(wrap.name());
            spelling.push_arguments("(", wrapped, ")");
        }
    }
    spelling.push_text(")");
    spelling
}

fn sampler_state(module: &Module, id: OpId) -> String {
    let op = module.op(id);
    let filter = SamplerFilter::from_index(op.enumerated(0)).name();
    let address = SamplerAddress::from_index(op.enumerated(1)).name();
    let mut state = format!("filter::{filter}, mip_filter::{filter}, address::{address}");
    let compare = SamplerCompare::from_index(op.enumerated(2));
    if compare != SamplerCompare::None {
        state.push_str(&format!(", compare_func::{}", compare.name()));
    }
    state
}
