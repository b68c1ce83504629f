//! How HLSL spells types, literals and operations.

use std::borrow::Cow;

use akari_dialect::ops::{view, yielded};
use akari_dialect::{AkariOp, BranchHint, Builtin, LoopHint, RayFact};
use akari_dialect_hlsl::HlslOp;
use akari_dialect_hlsl::ops::INTERLOCKED;
use akari_ir::{ConstId, Constant, MemoryType, Module, OpId, Scalar, TexelKind, TextureDim, Type, TypeKind, ValueId};

use super::precise::Precise;
use crate::emit::c_like::expression::{Filling, binary_operator, constant_index, filling_scalar, literal};
use crate::emit::c_like::language::{Literal, declarator};
use crate::emit::c_like::literal as number;
use crate::emit::c_like::{Language, Piece, Precedence, Printer, Side, Spelling};

/// HLSL 2021 as DXC takes it, with what is declared `precise`.
pub(super) struct Hlsl<'p>(pub Option<&'p Precise>);

/// HLSL where nothing is declared.
pub(super) const PLAIN: Hlsl<'static> = Hlsl(None);

/// The name of a scalar type.
#[must_use]
pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I32 => "int",
        Scalar::U32 => "uint",
        Scalar::U64 => "uint64_t",
        Scalar::F16 => "half",
        Scalar::F32 => "float",
    }
}

impl Language for Hlsl<'_> {
    fn qualifier(&self, declared: ValueId) -> &'static str {
        if self.0.is_some_and(|precise| precise.values.contains(&declared)) { "precise " } else { "" }
    }

    fn type_name(&self, module: &Module, ty: Type) -> Cow<'static, str> {
        match module.kind(ty) {
            TypeKind::Scalar(scalar) => Cow::Borrowed(scalar_name(scalar)),
            TypeKind::Vector(scalar, width) => Cow::Owned(format!("{}{width}", scalar_name(scalar))),
            // Rows of HLSL's matrix are columns of ours.
            TypeKind::Matrix { columns, rows } => Cow::Owned(format!("float{columns}x{rows}")),
            TypeKind::Array(element, _) => self.type_name(module, element),
            TypeKind::Struct(id) => Cow::Owned(module.text(module.structs[id].name).to_owned()),
            TypeKind::Memory(MemoryType::RayQuery) => Cow::Borrowed("RayQuery<RAY_FLAG_NONE>"),
            other => Cow::Owned(format!("/* {other:?} */")),
        }
    }

    fn literal(&self, scalar: Scalar, bits: u64) -> Literal {
        match scalar {
            Scalar::Bool => Literal { text: (bits != 0).to_string(), precedence: Precedence::Primary },
            Scalar::I32 => number::i32(bits as u32),
            Scalar::U32 => number::u32(bits as u32),
            Scalar::U64 => number::u64(bits, "ull"),
            Scalar::F16 => number::f16(bits as u16, "h").unwrap_or_else(|| Literal {
                text: format!("half(f16tof32(0x{:X}u))", bits as u16),
                precedence: Precedence::Primary,
            }),
            Scalar::F32 => number::f32(bits as u32, "f").unwrap_or_else(|| Literal {
                text: format!("asfloat(0x{:X}u)", bits as u32),
                precedence: Precedence::Primary,
            }),
        }
    }

    fn composite_constant(&self, module: &Module, constant: ConstId) -> Literal {
        let (ty, parts): (Type, &[ConstId]) = match module.constant(constant) {
            Constant::Composite(ty, parts) => (*ty, parts),
            Constant::Zero(ty) | Constant::Scalar(ty, _) => (*ty, &[]),
        };
        let kind = module.kind(ty);
        if parts.is_empty() {
            return self.zero(module, ty);
        }
        let texts: Vec<String> = parts.iter().map(|part| literal(self, module, *part).text).collect();
        let text = match kind {
            TypeKind::Array(..) | TypeKind::Struct(_) => format!("{{ {} }}", texts.join(", ")),
            _ => format!("{}({})", self.type_name(module, ty), texts.join(", ")),
        };
        Literal { text, precedence: Precedence::Primary }
    }

    fn operation(&self, module: &Module, id: OpId) -> Option<Spelling> {
        let op = module.op(id);
        let operands = &op.operands[..];
        if let Some(hlsl) = HlslOp::of(op) {
            return Some(match hlsl {
                HlslOp::Interlocked => {
                    let name = INTERLOCKED.values.get(usize::from(op.enumerated(0))).copied().unwrap_or_default();
                    Spelling::call(format!("Interlocked{name}"), operands)
                }
                HlslOp::GetDimensions => Spelling::method(operands[0], "GetDimensions", &operands[1..]),
                HlslOp::F16ToF32 => Spelling::call("f16tof32", operands),
                HlslOp::HalfFromBits => {
                    let mut spelling = Spelling::text("asfloat16(uint16_t");
                    spelling.push_arguments("(", operands, "))");
                    spelling
                }
                HlslOp::ByteLoad => {
                    let ty = self.type_name(module, module.value_type(op.result?));
                    let mut spelling = Spelling::postfix(operands[0], format!(".Load<{ty}>("));
                    spelling.push_argument(operands[1]);
                    spelling.push_text(")");
                    spelling
                }
                HlslOp::Truncate => Spelling::prefix(
                    format!("({})", self.type_name(module, module.value_type(op.result?))),
                    operands[0],
                ),
                HlslOp::Precise => Spelling::same_as(operands[0], Precedence::Whole),
            });
        }
        match AkariOp::of(op)? {
            AkariOp::MatMul => Some(Spelling::call("mul", &[operands[1], operands[0]])),
            AkariOp::Splat => Some(Spelling::prefix(
                format!("({})", self.type_name(module, module.value_type(op.result?))),
                operands[0],
            )),
            AkariOp::Select => select(module, operands[0], operands[1], operands[2]),
            AkariOp::Cond => {
                let (then, otherwise) = (yielded(module, op.regions[0])?, yielded(module, op.regions[1])?);
                select(module, operands[0], then, otherwise)
            }
            akari @ (AkariOp::Shl | AkariOp::Shr) => shift(self, module, akari, operands),
            AkariOp::Discard => Some(Spelling::text("discard")),
            AkariOp::NonUniform => Some(Spelling::call("NonUniformResourceIndex", operands)),
            AkariOp::RayQueryProceed => Some(Spelling::method(operands[0], "Proceed", &[])),
            AkariOp::RayQueryHit => Some(ray_fact(operands[0], RayFact::from_index(op.enumerated(0)))),
            AkariOp::RayQueryCandidate => Some(candidate_fact(operands[0], RayFact::from_index(op.enumerated(0)))),
            AkariOp::RayQueryAccept => Some(Spelling::method(operands[0], "CommitNonOpaqueTriangleHit", &[])),
            _ => None,
        }
    }

    /// DXC makes invalid DXIL of it ("Instruction does not dominate all uses") where the place is a column of a matrix in an array,
    /// or in structures in one.
    fn assigns_components_in_place(&self, module: &Module, place: ValueId) -> bool {
        let part_of = |place: ValueId| {
            let op = module.op(module.defining_op(place)?);
            AkariOp::of(op)
                .filter(|op| matches!(op, AkariOp::Element | AkariOp::Member))
                .map(|akari| (akari, op.operands[0]))
        };
        let is_matrix = |place: ValueId| {
            let of = module.types.as_place(module.value_type(place));
            of.is_some_and(|(_, ty)| matches!(module.kind(ty), TypeKind::Matrix { .. }))
        };
        let Some((_, mut whole)) = part_of(place).filter(|(_, whole)| is_matrix(*whole)) else { return true };
        while let Some((akari, around)) = part_of(whole) {
            if akari == AkariOp::Element {
                return false;
            }
            whole = around;
        }
        true
    }

    /// DXC crashes on variables with an array of one structure in them that are assigned part by part, where such a one is copied to
    /// groupshared memory elsewhere.
    fn value_before_parts(&self, module: &Module, ty: Type) -> Option<Literal> {
        holds_array_of_one_structure(module, ty).then(|| self.zero(module, ty))
    }

    fn builtin(&self, module: &Module, id: OpId, builtin: Builtin) -> Spelling {
        let op = module.op(id);
        let operands = &op.operands[..];
        let call = |name: &'static str| Spelling::call(name, operands);
        let broadcast = |name: &'static str| broadcast_call(self, module, name, operands);
        let cast = |name: &'static str| {
            let mut spelling = match op.result {
                Some(result) => Spelling::text(self.type_name(module, module.value_type(result))),
                None => Spelling::text(""),
            };
            spelling.push_text(format!("({name}"));
            spelling.push_arguments("(", operands, "))");
            spelling
        };
        match builtin {
            Builtin::Min => broadcast("min"),
            Builtin::Max => broadcast("max"),
            Builtin::Clamp => broadcast("clamp"),
            Builtin::Abs => call("abs"),
            Builtin::Floor => call("floor"),
            Builtin::Ceil => call("ceil"),
            Builtin::Round => call("round"),
            Builtin::Trunc => call("trunc"),
            // HLSL's gives an `int`.
            Builtin::Sign => cast("sign"),
            Builtin::Saturate => call("saturate"),
            Builtin::Sin => call("sin"),
            Builtin::Cos => call("cos"),
            Builtin::Tan => call("tan"),
            Builtin::Asin => call("asin"),
            Builtin::Acos => call("acos"),
            Builtin::Atan => call("atan"),
            Builtin::Atan2 => broadcast("atan2"),
            Builtin::Sqrt => call("sqrt"),
            Builtin::Rsqrt => call("rsqrt"),
            Builtin::Exp => call("exp"),
            Builtin::Log => call("log"),
            Builtin::Exp2 => call("exp2"),
            Builtin::Log2 => call("log2"),
            Builtin::Pow => broadcast("pow"),
            Builtin::Fma => broadcast("mad"),
            Builtin::Normalize => call("normalize"),
            Builtin::Length => call("length"),
            Builtin::Distance => call("distance"),
            Builtin::Dot => call("dot"),
            Builtin::Cross => call("cross"),
            Builtin::Reflect => call("reflect"),
            Builtin::Refract => call("refract"),
            Builtin::Smoothstep => broadcast("smoothstep"),
            Builtin::Any => call("any"),
            Builtin::All => call("all"),
            Builtin::Select => select(module, operands[2], operands[1], operands[0]).unwrap_or_else(|| call("select")),
            Builtin::Transpose => call("transpose"),
            Builtin::CountBits => call("countbits"),
            Builtin::FirstBitLow => call("firstbitlow"),
            Builtin::FirstBitHigh => call("firstbithigh"),
            Builtin::ReverseBits => call("reversebits"),
            Builtin::AsUint => call("asuint"),
            Builtin::AsInt => call("asint"),
            Builtin::AsFloat => call("asfloat"),
            Builtin::Ddx => call("ddx"),
            Builtin::Ddy => call("ddy"),
            Builtin::Barrier => Spelling::text("GroupMemoryBarrierWithGroupSync()"),
            Builtin::WavePrefixSum => call("WavePrefixSum"),
            Builtin::WaveSum => call("WaveActiveSum"),
            Builtin::WaveIsFirst => call("WaveIsFirstLane"),
            Builtin::WaveReadFirst => match typed_number(module, operands[0]) {
                Some(number) => Spelling::text(format!("WaveReadLaneFirst({number})")),
                None => call("WaveReadLaneFirst"),
            },
            Builtin::WaveAny => call("WaveActiveAnyTrue"),
            Builtin::WaveAll => call("WaveActiveAllTrue"),
            Builtin::WaveCount => call("WaveActiveCountBits"),
            Builtin::WavePrefixCount => call("WavePrefixCountBits"),
            Builtin::TextureSample => Spelling::method(operands[0], "Sample", &operands[1..]),
            Builtin::TextureSampleLevel => Spelling::method(operands[0], "SampleLevel", &operands[1..]),
            Builtin::TextureSampleGrad => Spelling::method(operands[0], "SampleGrad", &operands[1..]),
            Builtin::TextureSampleCmp => Spelling::method(operands[0], "SampleCmp", &operands[1..]),
            Builtin::TextureSampleCmpLevelZero => Spelling::method(operands[0], "SampleCmpLevelZero", &operands[1..]),
            Builtin::TextureGather => {
                let component = operands.get(3).and_then(|component| constant_index(module, *component)).unwrap_or(0);
                let name = ["GatherRed", "GatherGreen", "GatherBlue", "GatherAlpha"][(component & 3) as usize];
                Spelling::method(operands[0], name, &operands[1..operands.len().min(3)])
            }
            Builtin::TextureGatherCmp => Spelling::method(operands[0], "GatherCmp", &operands[1..]),
            Builtin::TextureLoad => texture_load(module, operands),
            Builtin::TextureStore => {
                let mut spelling = Spelling::element(operands[0], operands[1]);
                spelling.push_text(" = ");
                spelling.push_argument(operands[2]);
                Spelling { precedence: Precedence::Whole, ..spelling }
            }
            Builtin::Mix
            | Builtin::Fract
            | Builtin::Step
            | Builtin::Min3
            | Builtin::Max3
            | Builtin::Median3
            | Builtin::IsNan
            | Builtin::IsInf
            | Builtin::RemapClipZ
            | Builtin::ExtractBits
            | Builtin::InsertBits
            | Builtin::PackUnorm4x8
            | Builtin::UnpackUnorm4x8
            | Builtin::PackUnorm2x16
            | Builtin::UnpackUnorm2x16
            | Builtin::PackSnorm2x16
            | Builtin::UnpackSnorm2x16
            | Builtin::PackHalf2x16
            | Builtin::UnpackHalf2x16
            | Builtin::PackUint4x8
            | Builtin::UnpackUint4x8
            | Builtin::AtomicAdd
            | Builtin::AtomicSub
            | Builtin::AtomicMin
            | Builtin::AtomicMax
            | Builtin::AtomicAnd
            | Builtin::AtomicOr
            | Builtin::AtomicXor
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchange
            | Builtin::TextureDimensions
            | Builtin::TextureMipLevels
            | Builtin::RtVisibility
            | Builtin::RtOccluderDistance
            | Builtin::RtTrace
            | Builtin::RtVisibilityMasked
            | Builtin::RtOccluderDistanceMasked
            | Builtin::RtTraceMasked
            | Builtin::BindlessLoadF32
            | Builtin::BindlessLoadF32x2
            | Builtin::BindlessLoadF32x3
            | Builtin::BindlessLoadF32x4
            | Builtin::BindlessLoadU32
            | Builtin::BindlessTex2d
            | Builtin::BindlessTexCube
            | Builtin::BindlessTex3d
            | Builtin::BindlessTexDepth => Spelling::call(builtin.name(), operands),
        }
    }

    fn statement(&self, printer: &mut Printer<'_, Self>, id: OpId) -> bool {
        let module = printer.module;
        if AkariOp::of(module.op(id)) == Some(AkariOp::RayQueryBegin) {
            begin_ray_query(printer, id);
            return true;
        }
        let Some(declaration) = view::Let::cast(module, id) else { return false };
        let value = declaration.value(module);
        let Some(definition) = module.defining_op(value) else { return false };
        if HlslOp::of(module.op(definition)) != Some(HlslOp::Precise) {
            return false;
        }
        let Some(result) = module.op(id).result else { return false };
        let name = printer.name(result);
        let text = declarator(self, module, module.value_type(result), &name);
        printer.text.push(&format!("precise {text} = "));
        printer.whole(module.op(definition).operands[0]);
        printer.text.push(";");
        printer.text.end_line();
        true
    }

    fn loop_hint(&self, hint: LoopHint, unroll: i64) -> Option<String> {
        match (hint, unroll) {
            (LoopHint::None, _) => None,
            (LoopHint::Unroll, 0) => Some("[unroll]".into()),
            (LoopHint::Unroll, count) => Some(format!("[unroll({count})]")),
            (LoopHint::Loop, _) => Some("[loop]".into()),
        }
    }

    fn branch_hint(&self, hint: BranchHint) -> Option<&'static str> {
        match hint {
            BranchHint::None => None,
            BranchHint::Branch => Some("[branch]"),
            BranchHint::Flatten => Some("[flatten]"),
        }
    }
}

impl Hlsl<'_> {
    /// All zero bits: written out for scalars and vectors, else as a cast of 0.
    fn zero(&self, module: &Module, ty: Type) -> Literal {
        match module.kind(ty) {
            TypeKind::Scalar(scalar) => self.literal(scalar, 0),
            TypeKind::Vector(scalar, width) => {
                let parts = vec![self.literal(scalar, 0).text; usize::from(width)];
                Literal {
                    text: format!("{}({})", self.type_name(module, ty), parts.join(", ")),
                    precedence: Precedence::Primary,
                }
            }
            _ => {
                let lengths = declarator(self, module, ty, "");
                Literal { text: format!("({})0", lengths.replace(' ', "")), precedence: Precedence::Prefix }
            }
        }
    }
}

/// A shift of a signed constant says of what type it is: DXC warns of a bare number there.
fn shift(language: &Hlsl<'_>, module: &Module, akari: AkariOp, operands: &[ValueId]) -> Option<Spelling> {
    let definition = module.op(module.defining_op(operands[0])?);
    let (operator, precedence) = binary_operator(akari)?;
    if AkariOp::of(definition) != Some(AkariOp::Const) {
        return None;
    }
    let mut spelling = Spelling::infix(operator, precedence, operands[0], operands[1]);
    if module.value_kind(operands[0]) == TypeKind::Scalar(Scalar::I32) {
        let text = literal(language, module, definition.constant(0)).text;
        spelling.pieces[0] = Piece::Text(format!("int({text})").into());
    }
    Some(spelling)
}

/// Describes the ray in a block of its own, and hands it to the query.
fn begin_ray_query(printer: &mut Printer<'_, Hlsl<'_>>, id: OpId) {
    let op = printer.module.op(id);
    let &[query, scene, origin, direction, t_min, t_max, mask] = &op.operands[..] else { return };
    printer.text.push("{");
    printer.text.end_line();
    printer.text.indent();
    printer.text.line("RayDesc ray_description;");
    for (field, value) in [("Origin", origin), ("TMin", t_min), ("Direction", direction), ("TMax", t_max)] {
        printer.text.push(&format!("ray_description.{field} = "));
        printer.whole(value);
        printer.text.push(";");
        printer.text.end_line();
    }
    let mut flags = Vec::new();
    if op.flag(0) {
        flags.push("RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH");
    }
    if op.flag(1) {
        flags.push("RAY_FLAG_FORCE_OPAQUE");
    }
    if flags.is_empty() {
        flags.push("RAY_FLAG_NONE");
    }
    let mut call = Spelling::postfix(query, ".TraceRayInline(");
    call.push_argument(scene);
    call.push_text(format!(", {}, ", flags.join(" | ")));
    call.push_argument(mask);
    call.push_text(", ray_description)");
    printer.spelled(&call, Precedence::Whole, Side::Left);
    printer.text.push(";");
    printer.text.end_line();
    printer.text.close_brace();
    printer.text.end_line();
}

fn ray_fact(query: ValueId, fact: RayFact) -> Spelling {
    let method = match fact {
        RayFact::IsHit => {
            let mut spelling = Spelling::method(query, "CommittedStatus", &[]);
            spelling.push_text(" != COMMITTED_NOTHING");
            spelling.precedence = Precedence::Equality;
            return spelling;
        }
        RayFact::Distance => "CommittedRayT",
        RayFact::InstanceId => "CommittedInstanceIndex",
        RayFact::PrimitiveId => "CommittedPrimitiveIndex",
        RayFact::Barycentric => "CommittedTriangleBarycentrics",
    };
    Spelling::method(query, method, &[])
}

fn candidate_fact(query: ValueId, fact: RayFact) -> Spelling {
    let method = match fact {
        RayFact::IsHit => {
            let mut spelling = Spelling::method(query, "CandidateType", &[]);
            spelling.push_text(" == CANDIDATE_NON_OPAQUE_TRIANGLE");
            spelling.precedence = Precedence::Equality;
            return spelling;
        }
        RayFact::Distance => "CandidateTriangleRayT",
        RayFact::InstanceId => "CandidateInstanceIndex",
        RayFact::PrimitiveId => "CandidatePrimitiveIndex",
        RayFact::Barycentric => "CandidateTriangleBarycentrics",
    };
    Spelling::method(query, method, &[])
}

/// `condition ? a : b` for one condition, `select(condition, a, b)` for a vector of them.
fn select(module: &Module, condition: ValueId, if_true: ValueId, if_false: ValueId) -> Option<Spelling> {
    match module.value_kind(condition) {
        TypeKind::Vector(..) => Some(Spelling::call("select", &[condition, if_true, if_false])),
        _ => {
            use Precedence::Conditional;
            let mut spelling = Spelling::same_as(condition, Conditional);
            spelling.push_text(" ? ");
            spelling.pieces.push(match typed_number(module, if_true).filter(|_| is_bare_number(module, if_false)) {
                Some(text) => Piece::Text(text.into()),
                None => Piece::Value(if_true, Conditional, Side::Left),
            });
            spelling.push_text(" : ");
            spelling.pieces.push(Piece::Value(if_false, Conditional, Side::Right));
            Some(spelling)
        }
    }
}

/// An `int` constant with its type: a bare number is of a type of its own in HLSL, which intrinsics do not take.
fn typed_number(module: &Module, value: ValueId) -> Option<String> {
    let op = module.op(module.defining_op(value)?);
    let is_int = module.value_kind(value) == TypeKind::Scalar(Scalar::I32);
    let constant = (is_int && AkariOp::of(op) == Some(AkariOp::Const)).then(|| op.constant(0))?;
    Some(format!("int({})", literal(&PLAIN, module, constant).text))
}

/// Whether a value is printed as bare `int` numbers, or a choice of them.
fn is_bare_number(module: &Module, value: ValueId) -> bool {
    let Some(op) = module.defining_op(value).map(|op| module.op(op)) else { return false };
    module.value_kind(value) == TypeKind::Scalar(Scalar::I32)
        && match AkariOp::of(op) {
            Some(AkariOp::Const) => true,
            Some(AkariOp::Select) => op.operands[1..].iter().all(|arm| is_bare_number(module, *arm)),
            Some(AkariOp::Cond) => {
                op.regions.iter().all(|arm| yielded(module, *arm).is_some_and(|arm| is_bare_number(module, arm)))
            }
            _ => false,
        }
}

/// A call in which scalars spread over vectors need not be written as vectors, as long as one argument is one.
fn broadcast_call(language: &Hlsl<'_>, module: &Module, name: &'static str, operands: &[ValueId]) -> Spelling {
    let scalars: Vec<Option<Filling>> =
        operands.iter().map(|operand| filling_scalar(language, module, *operand)).collect();
    if scalars.iter().all(Option::is_some) {
        return Spelling::call(name, operands);
    }
    let mut spelling = Spelling::text(name);
    spelling.push_text("(");
    for (index, (operand, scalar)) in operands.iter().zip(scalars).enumerate() {
        if index > 0 {
            spelling.push_text(", ");
        }
        spelling.pieces.push(scalar.map_or(Piece::Value(*operand, Precedence::Whole, Side::Left), Filling::argument));
    }
    spelling.push_text(")");
    spelling
}

/// `texture.Load(int3(x, y, level))`, or `image[coordinate]`.
fn texture_load(module: &Module, operands: &[ValueId]) -> Spelling {
    let &[texture, coordinate, ref level @ ..] = operands else { return Spelling::text("/* no coordinate */") };
    let TypeKind::Texture(dim, _) = module.value_kind(texture) else { return Spelling::element(texture, coordinate) };
    let mut spelling = Spelling::postfix(texture, format!(".Load(int{}(", dim.coordinate_width() + 1));
    spelling.push_argument(coordinate);
    for level in level {
        spelling.push_text(", ");
        spelling.push_argument(*level);
    }
    spelling.push_text("))");
    spelling
}

/// The type of a resource, as it is declared.
#[must_use]
pub(super) fn resource_type(module: &Module, kind: TypeKind) -> String {
    use akari_ir::BufferKind;
    match kind {
        TypeKind::Buffer(_, bytes) if module.kind(bytes) == TypeKind::Memory(MemoryType::Bytes) => {
            "ByteAddressBuffer".into()
        }
        TypeKind::Buffer(buffer, element) => {
            let element = PLAIN.type_name(module, element);
            match buffer {
                BufferKind::Uniform => format!("ConstantBuffer<{element}>"),
                BufferKind::Read => format!("StructuredBuffer<{element}>"),
                BufferKind::ReadWrite | BufferKind::Atomic => format!("RWStructuredBuffer<{element}>"),
            }
        }
        TypeKind::Texture(dim, texel) => {
            let shape = match dim {
                TextureDim::D2 => "Texture2D",
                TextureDim::D2Array => "Texture2DArray",
                TextureDim::D3 => "Texture3D",
                TextureDim::Cube => "TextureCube",
                TextureDim::CubeArray => "TextureCubeArray",
            };
            let texel = match texel {
                TexelKind::Float => "float4",
                TexelKind::Int => "int4",
                TexelKind::Uint => "uint4",
                TexelKind::Depth => "float",
            };
            format!("{shape}<{texel}>")
        }
        TypeKind::StorageTexture(dim, format) => {
            let shape = if dim == TextureDim::D3 { "RWTexture3D" } else { "RWTexture2D" };
            let width = if format.channels() == 1 { String::new() } else { format.channels().to_string() };
            format!("{shape}<{}{width}>", scalar_name(format.scalar()))
        }
        TypeKind::Sampler => "SamplerState".into(),
        TypeKind::SamplerCmp => "SamplerComparisonState".into(),
        TypeKind::AccelStruct => "RaytracingAccelerationStructure".into(),
        TypeKind::ResourceArray(element, _) => resource_type(module, module.kind(element)),
        other => format!("/* {other:?} */"),
    }
}

/// The format of a storage texture, or of those in an array, as `vk::image_format` names it; none for the format-less one.
#[must_use]
pub(super) fn image_format(module: &Module, kind: TypeKind) -> Option<&'static str> {
    use akari_ir::StorageFormat;
    let format = match kind {
        TypeKind::StorageTexture(_, format) => format,
        TypeKind::ResourceArray(element, _) => return image_format(module, module.kind(element)),
        _ => return None,
    };
    match format {
        StorageFormat::Any => None,
        StorageFormat::Rgba32f => Some("rgba32f"),
        StorageFormat::Rgba16f => Some("rgba16f"),
        StorageFormat::R16f => Some("r16f"),
        StorageFormat::R32f => Some("r32f"),
        StorageFormat::Rg16f => Some("rg16f"),
        StorageFormat::R11g11b10f => Some("r11g11b10f"),
        StorageFormat::R32u => Some("r32ui"),
        StorageFormat::R32i => Some("r32i"),
    }
}

fn holds_array_of_one_structure(module: &Module, ty: Type) -> bool {
    match module.kind(ty) {
        TypeKind::Struct(id) => {
            module.structs[id].fields.iter().any(|field| holds_array_of_one_structure(module, field.ty))
        }
        TypeKind::Array(element, length) => {
            length == 1 && matches!(module.kind(element), TypeKind::Struct(_))
                || holds_array_of_one_structure(module, element)
        }
        _ => false,
    }
}
