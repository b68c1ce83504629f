//! Clip distances as vectors: each element of an array would take a register of its own, and there are two for all.

use akari_dialect::AkariOp;
use akari_ir::interface::FieldRole;
use akari_ir::{Attr, Module, OpId, Scalar, StructId, Type, TypeKind, ValueId};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::polyfill::rewriter::{Build, Helpers, Outcome, rewrite};

/// The field that is now a vector, and the array type that it was.
type Fields = FxHashMap<StructId, (i64, Type)>;

/// Makes vectors of the clip distances in the results of entries. True where there were some.
pub(super) fn to_vectors(module: &mut Module) -> bool {
    let mut changed = Fields::default();
    let results: Vec<Type> =
        module.functions.iter().filter(|(_, function)| function.entry.is_some()).filter_map(|(_, function)| function.result).collect();
    for result in results {
        let TypeKind::Struct(id) = module.kind(result) else { continue };
        for index in 0..module.structs[id].fields.len() {
            let field = &module.structs[id].fields[index];
            if let (FieldRole::ClipDistance, TypeKind::Array(_, length @ 2..=4)) = (field.role, module.kind(field.ty)) {
                changed.insert(id, (index as i64, field.ty));
                module.structs[id].fields[index].ty = module.types.vector(Scalar::F32, length as u8);
            }
        }
    }
    !changed.is_empty() && rewrite(module, &mut Helpers::default(), |b, id| visit(b, id, &changed))
}

fn visit(b: &mut Build<'_, '_>, id: OpId, fields: &Fields) -> Outcome {
    let op = b.module().op(id).clone();
    match AkariOp::of(&op) {
        Some(AkariOp::Construct) => {
            let Some(result) = op.result else { return Outcome::Keep };
            let TypeKind::Struct(of) = b.kind_of(result) else { return Outcome::Keep };
            if let Some((index, _)) = fields.get(&of) {
                let vector = as_vector(b, op.operands[*index as usize]);
                b.builder.module.op_mut(id).operands[*index as usize] = vector;
            }
            Outcome::Keep
        }
        Some(AkariOp::Extract) => {
            let TypeKind::Struct(of) = b.kind_of(op.operands[0]) else { return Outcome::Keep };
            match fields.get(&of) {
                Some((index, array)) if *index == op.int(0) => {
                    let ty = b.module().structs[of].fields[*index as usize].ty;
                    let vector = b.builder.value(AkariOp::Extract.def(), &op.operands, smallvec![Attr::Int(*index)], ty);
                    Outcome::Replace(as_array(b, vector, *array))
                }
                _ => Outcome::Keep,
            }
        }
        Some(AkariOp::Member) => {
            let Some((space, of)) = b.module().types.as_place(b.type_of(op.operands[0])) else { return Outcome::Keep };
            let TypeKind::Struct(of) = b.module().kind(of) else { return Outcome::Keep };
            if let (Some((index, _)), Some(result)) = (fields.get(&of), op.result) {
                if *index == op.int(0) {
                    let ty = b.module().structs[of].fields[*index as usize].ty;
                    let place = b.builder.module.types.place(space, ty);
                    b.builder.module.value_mut(result).ty = place;
                }
            }
            Outcome::Keep
        }
        Some(AkariOp::Load) => {
            let (Some((_, pointee)), Some(result)) = (b.module().types.as_place(b.type_of(op.operands[0])), op.result) else {
                return Outcome::Keep;
            };
            let wanted = b.type_of(result);
            match (b.module().kind(pointee), b.module().kind(wanted)) {
                (TypeKind::Vector(..), TypeKind::Array(..)) => {
                    let vector = b.op(AkariOp::Load, &op.operands, pointee);
                    Outcome::Replace(as_array(b, vector, wanted))
                }
                _ => Outcome::Keep,
            }
        }
        Some(AkariOp::Store) => {
            let Some((_, pointee)) = b.module().types.as_place(b.type_of(op.operands[0])) else { return Outcome::Keep };
            if let (TypeKind::Vector(..), TypeKind::Array(..)) = (b.module().kind(pointee), b.kind_of(op.operands[1])) {
                let vector = as_vector(b, op.operands[1]);
                b.builder.module.op_mut(id).operands[1] = vector;
            }
            Outcome::Keep
        }
        _ => Outcome::Keep,
    }
}

fn as_vector(b: &mut Build<'_, '_>, array: ValueId) -> ValueId {
    let TypeKind::Array(_, length) = b.kind_of(array) else { return array };
    let float = b.ty(TypeKind::Scalar(Scalar::F32));
    let literal = b.module().defining_op(array).map(|op| b.module().op(op).clone());
    let parts: Vec<ValueId> = match literal.filter(|op| AkariOp::of(op) == Some(AkariOp::Construct)) {
        Some(construct) => construct.operands.to_vec(),
        None => (0..length)
            .map(|index| b.builder.value(AkariOp::Extract.def(), &[array], smallvec![Attr::Int(i64::from(index))], float))
            .collect(),
    };
    let ty = b.ty(TypeKind::Vector(Scalar::F32, length as u8));
    b.construct(ty, &parts)
}

fn as_array(b: &mut Build<'_, '_>, vector: ValueId, array: Type) -> ValueId {
    let width = b.kind_of(vector).width().unwrap_or(1);
    let parts: Vec<ValueId> = (0..width).map(|index| b.component(vector, i64::from(index))).collect();
    b.construct(array, &parts)
}
