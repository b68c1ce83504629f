//! What HLSL, DXC or Vulkan wants to be of another type:
//!
//! - vectors of `bool` in buffers as vectors of `uint`: DXC makes invalid SPIR-V of many uses of the former;
//! - in stage interfaces, clip distances as vectors, since each element of an array would take a register, of which there are two for all;
//! - in stage interfaces for Vulkan, halves as floats, since few devices take 16-bit varyings and targets.

use akari_dialect::AkariOp;
use akari_dialect_gpu_abi::layout::Packing;
use akari_ir::interface::{FieldRole, ParamRole, PassMode};
use akari_ir::{Attr, ConstId, Constant, FuncId, Module, OpId, Scalar, StructId, Type, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::rewrite::{Outcome, Rewriter};

/// The fields with a new type, each with the old one.
type Fields = FxHashMap<(StructId, i64), Type>;

/// Gives buffers, the fields of structures in them and those of the entries' interfaces the types that they should have. True where
/// there were some.
pub(super) fn retype(module: &mut Module, halves: bool, in_buffers: &FxHashSet<StructId>) -> bool {
    let mut interfaces: Vec<StructId> = Vec::new();
    let mut bare_results: Vec<FuncId> = Vec::new();
    for (id, function) in module.functions.iter() {
        if function.entry.is_none() {
            continue;
        }
        let inputs = function.params.iter().filter(|param| param.role == ParamRole::StageIn);
        for ty in inputs.map(|param| module.value_type(param.value)).chain(function.result) {
            match module.kind(ty) {
                TypeKind::Struct(id) if !in_buffers.contains(&id) && !interfaces.contains(&id) => interfaces.push(id),
                kind if halves && kind.scalar() == Some(Scalar::F16) => bare_results.push(id),
                _ => {}
            }
        }
    }
    let mut fields = Fields::default();
    let mut changed = false;
    let mut structs: Vec<StructId> = in_buffers.iter().copied().collect();
    structs.sort_unstable();
    for id in structs {
        for index in 0..module.structs[id].fields.len() {
            let old = module.structs[id].fields[index].ty;
            if let Some(new) = without_bool_vectors(module, old) {
                module.structs[id].fields[index].ty = new;
                fields.insert((id, index as i64), old);
            }
        }
    }
    for global in module.globals.ids() {
        if let TypeKind::Buffer(kind, contents) = module.kind(module.globals[global].ty)
            && let Some(new) = without_bool_vectors(module, contents)
        {
            module.globals[global].ty = module.types.intern(TypeKind::Buffer(kind, new));
            changed = true;
        }
    }
    for id in interfaces {
        for index in 0..module.structs[id].fields.len() {
            let field = &module.structs[id].fields[index];
            let (old, kind) = (field.ty, module.kind(field.ty));
            let wanted = match (field.role, kind) {
                (FieldRole::ClipDistance, TypeKind::Array(_, length @ 2..=4)) => {
                    TypeKind::Vector(Scalar::F32, length as u8)
                }
                (_, TypeKind::Scalar(Scalar::F16)) if halves => TypeKind::Scalar(Scalar::F32),
                (_, TypeKind::Vector(Scalar::F16, width)) if halves => TypeKind::Vector(Scalar::F32, width),
                _ => continue,
            };
            module.structs[id].fields[index].ty = module.types.intern(wanted);
            fields.insert((id, index as i64), old);
        }
    }
    for function in bare_results {
        widen_result(module, function);
        changed = true;
    }
    if !fields.is_empty() || changed {
        super::rewrite::map_global_constants(module, |module, constant| retyped_constant(module, &fields, constant));
        Rewriter::new(module).module(&mut |r, id| visit(r, id, &fields));
        changed = true;
    }
    changed
}

/// The type with `uint` for `bool` in its vectors, if it has some.
fn without_bool_vectors(module: &mut Module, ty: Type) -> Option<Type> {
    match module.kind(ty) {
        TypeKind::Vector(Scalar::Bool, width) => Some(module.types.vector(Scalar::U32, width)),
        TypeKind::Array(element, length) => {
            let element = without_bool_vectors(module, element)?;
            Some(module.types.intern(TypeKind::Array(element, length)))
        }
        _ => None,
    }
}

/// Whether a type is, or holds, a structure with a field that was a vector of `bool`.
fn holds_flags(module: &Module, fields: &Fields, ty: Type) -> bool {
    match module.kind(ty) {
        TypeKind::Struct(id) => module.structs[id].fields.iter().enumerate().any(|(index, field)| {
            fields.get(&(id, index as i64)).is_some_and(|old| is_flags(module, *old))
                || holds_flags(module, fields, field.ty)
        }),
        TypeKind::Array(element, _) => holds_flags(module, fields, element),
        _ => false,
    }
}

fn is_flags(module: &Module, ty: Type) -> bool {
    match module.kind(ty) {
        TypeKind::Vector(scalar, _) => scalar == Scalar::Bool,
        TypeKind::Array(element, _) => is_flags(module, element),
        _ => false,
    }
}

/// A structure read from memory, with what was `bool` there 0 or 1, as it is to be when it is written again.
fn normalized(r: &mut Rewriter<'_>, fields: &Fields, value: ValueId) -> ValueId {
    let ty = r.type_of(value);
    if !holds_flags(r.module, fields, ty) {
        return value;
    }
    match r.module.kind(ty) {
        TypeKind::Struct(id) => {
            let name = format!("normalized_{}", r.module.text(r.module.structs[id].name));
            r.helper(&name, &["value"], &[value], ty, |r, params| {
                let types: Vec<Type> = r.module.structs[id].fields.iter().map(|field| field.ty).collect();
                let mut parts = Vec::new();
                for (index, field) in types.into_iter().enumerate() {
                    let attributes = [Attr::Int(index as i64)];
                    let part = r.value_of(AkariOp::Extract.def(), &[params[0]], &attributes, field);
                    parts.push(match fields.get(&(id, index as i64)).filter(|old| is_flags(r.module, **old)) {
                        Some(old) => {
                            let flags = converted(r, part, *old);
                            converted(r, flags, field)
                        }
                        None => normalized(r, fields, part),
                    });
                }
                r.construct(ty, &parts)
            })
        }
        TypeKind::Array(_, length) => {
            let parts: Vec<ValueId> =
                array_parts(r, value, length).into_iter().map(|part| normalized(r, fields, part)).collect();
            r.construct(ty, &parts)
        }
        _ => value,
    }
}

/// A call whose borrowed arguments are of another type than its parameters by now: by way of variables.
fn call(r: &mut Rewriter<'_>, op: &akari_ir::Op) -> Outcome {
    let params: Vec<(PassMode, Type)> = r.module.functions[op.func(0)]
        .params
        .iter()
        .map(|param| (param.mode, r.module.value_type(param.value)))
        .collect();
    let mut operands = op.operands.to_vec();
    let mut written_back = Vec::new();
    for (operand, (mode, param)) in operands.iter_mut().zip(params) {
        let (Some((_, wanted)), Some((_, given))) =
            (r.module.types.as_place(param), r.module.types.as_place(r.type_of(*operand)))
        else {
            continue;
        };
        if wanted == given {
            continue;
        }
        let value = r.load(*operand);
        let value = converted(r, value, wanted);
        let variable = r.local(wanted, Some(value), "argument");
        if mode == PassMode::Inout {
            written_back.push((*operand, given, variable));
        }
        *operand = variable;
    }
    if operands[..] == op.operands[..] {
        return Outcome::Keep;
    }
    let ty = op.result.map(|result| r.type_of(result));
    let new = r.op(op.def, &operands, &op.attrs.clone(), &[], ty);
    let result = r.module.op(new).result;
    for (place, ty, variable) in written_back {
        let value = r.load(variable);
        let value = converted(r, value, ty);
        r.store(place, value);
    }
    result.map_or(Outcome::Remove, Outcome::Replace)
}

/// An entry that gives a half gives a float.
fn widen_result(module: &mut Module, function: FuncId) {
    let Some(old) = module.functions[function].result else { return };
    let width = module.kind(old).width().unwrap_or(1);
    let wide = module.types.vector(Scalar::F32, width);
    module.functions[function].result = Some(wide);
    let body = module.functions[function].body;
    let mut returns = FxHashSet::default();
    crate::analysis::walk::walk(module, body, &mut |op| {
        if AkariOp::of(module.op(op)) == Some(AkariOp::Return) {
            returns.insert(op);
        }
    });
    Rewriter::new(module).module(&mut |r, id| {
        if returns.contains(&id) {
            let value = r.module.op(id).operands[0];
            let value = r.convert(value, Scalar::F32);
            r.module.op_mut(id).operands[0] = value;
        }
        Outcome::Keep
    });
}

fn visit(r: &mut Rewriter<'_>, id: OpId, fields: &Fields) -> Outcome {
    let op = r.module.op(id).clone();
    match AkariOp::of(&op) {
        Some(AkariOp::Construct) => {
            let Some(result) = op.result else { return Outcome::Keep };
            let TypeKind::Struct(of) = r.kind(result) else { return Outcome::Keep };
            for (index, part) in op.operands.iter().enumerate() {
                if fields.contains_key(&(of, index as i64)) {
                    let ty = r.module.structs[of].fields[index].ty;
                    let part = converted(r, *part, ty);
                    r.module.op_mut(id).operands[index] = part;
                }
            }
            Outcome::Keep
        }
        Some(AkariOp::Const) => {
            let constant = retyped_constant(r.module, fields, op.constant(0));
            r.module.op_mut(id).attrs[0] = Attr::Const(constant);
            Outcome::Keep
        }
        Some(AkariOp::Extract) => {
            let TypeKind::Struct(of) = r.kind(op.operands[0]) else { return Outcome::Keep };
            match fields.get(&(of, op.int(0))) {
                Some(old) => {
                    let ty = r.module.structs[of].fields[op.int(0) as usize].ty;
                    let field = r.value_of(op.def, &op.operands, &[Attr::Int(op.int(0))], ty);
                    Outcome::Replace(converted(r, field, *old))
                }
                None => Outcome::Keep,
            }
        }
        Some(AkariOp::Call) => call(r, &op),
        Some(AkariOp::Resource) => {
            if let Some(result) = op.result {
                let ty = r.module.globals[op.global(0)].ty;
                r.module.value_mut(result).ty = ty;
            }
            Outcome::Keep
        }
        Some(AkariOp::BufferElement | AkariOp::Contents) => {
            if let (TypeKind::Buffer(kind, contents), Some(result)) = (r.kind(op.operands[0]), op.result) {
                let place = r.module.types.place(kind.space(), contents);
                r.module.value_mut(result).ty = place;
            }
            Outcome::Keep
        }
        Some(AkariOp::Member) => {
            let Some((space, of)) = r.module.types.as_place(r.type_of(op.operands[0])) else { return Outcome::Keep };
            let TypeKind::Struct(of) = r.module.kind(of) else { return Outcome::Keep };
            if let (true, Some(result)) = (fields.contains_key(&(of, op.int(0))), op.result) {
                let ty = r.module.structs[of].fields[op.int(0) as usize].ty;
                let place = r.module.types.place(space, ty);
                r.module.value_mut(result).ty = place;
            }
            Outcome::Keep
        }
        Some(AkariOp::Element) => {
            let Some((space, of)) = r.module.types.as_place(r.type_of(op.operands[0])) else { return Outcome::Keep };
            if let (Some(element), Some(result)) = (r.module.types.element(of), op.result) {
                let place = r.module.types.place(space, element);
                r.module.value_mut(result).ty = place;
            }
            Outcome::Keep
        }
        Some(AkariOp::Load) => {
            let (Some((space, pointee)), Some(result)) =
                (r.module.types.as_place(r.type_of(op.operands[0])), op.result)
            else {
                return Outcome::Keep;
            };
            let wanted = r.type_of(result);
            let is_raw = Packing::of_space(space).is_some() && holds_flags(r.module, fields, pointee);
            if pointee == wanted && !is_raw {
                return Outcome::Keep;
            }
            let mut value = r.core(AkariOp::Load, &op.operands, &[], pointee);
            if is_raw {
                value = normalized(r, fields, value);
            }
            Outcome::Replace(converted(r, value, wanted))
        }
        Some(AkariOp::Store) => {
            if let Some((_, pointee)) = r.module.types.as_place(r.type_of(op.operands[0])) {
                let value = converted(r, op.operands[1], pointee);
                r.module.op_mut(id).operands[1] = value;
            }
            Outcome::Keep
        }
        Some(AkariOp::StoreComponents) => {
            if let Some((_, pointee)) = r.module.types.as_place(r.type_of(op.operands[0])) {
                let scalar = r.module.kind(pointee).scalar().unwrap_or(Scalar::F32);
                let value = r.convert(op.operands[1], scalar);
                r.module.op_mut(id).operands[1] = value;
            }
            Outcome::Keep
        }
        _ => Outcome::Keep,
    }
}

/// A constant with the fields of structures in it of the new types.
fn retyped_constant(module: &mut Module, fields: &Fields, constant: ConstId) -> ConstId {
    let Constant::Composite(ty, parts) = module.constant(constant).clone() else { return constant };
    let structure = if let TypeKind::Struct(id) = module.kind(ty) { Some(id) } else { None };
    let parts: Vec<ConstId> = parts
        .iter()
        .enumerate()
        .map(|(index, part)| {
            let part = retyped_constant(module, fields, *part);
            match structure.filter(|id| fields.contains_key(&(*id, index as i64))) {
                Some(id) => converted_constant(module, part, module.structs[id].fields[index].ty),
                None => part,
            }
        })
        .collect();
    module.constants.intern(Constant::Composite(ty, parts.into_boxed_slice()))
}

/// As [`converted`], of a constant.
fn converted_constant(module: &mut Module, constant: ConstId, to: Type) -> ConstId {
    match module.constant(constant).clone() {
        Constant::Zero(_) => module.constants.intern(Constant::Zero(to)),
        Constant::Scalar(_, bits) => {
            let bits = match module.kind(to) {
                TypeKind::Scalar(Scalar::F32) => u64::from(half::f16::from_bits(bits as u16).to_f32().to_bits()),
                _ => bits,
            };
            module.constants.intern(Constant::Scalar(to, bits))
        }
        Constant::Composite(from, parts) => {
            // The elements of clip distances are floats before and after.
            let same = matches!((module.kind(from), module.kind(to)), (TypeKind::Array(..), TypeKind::Vector(..)));
            let element = module.types.element(to).unwrap_or(to);
            let parts: Vec<ConstId> = parts
                .iter()
                .map(|part| if same { *part } else { converted_constant(module, *part, element) })
                .collect();
            module.constants.intern(Constant::Composite(to, parts.into_boxed_slice()))
        }
    }
}

/// A value as one of the other type that its field has or had.
fn converted(r: &mut Rewriter<'_>, value: ValueId, to: Type) -> ValueId {
    if r.type_of(value) == to {
        return value;
    }
    match (r.kind(value), r.module.kind(to)) {
        (TypeKind::Array(_, length), TypeKind::Vector(..)) => {
            let parts = array_parts(r, value, length);
            r.construct(to, &parts)
        }
        (TypeKind::Vector(_, width), TypeKind::Array(..)) => {
            let parts: Vec<ValueId> = (0..width).map(|index| r.extract_component(value, index)).collect();
            r.construct(to, &parts)
        }
        (TypeKind::Array(_, length), TypeKind::Array(element, _)) => {
            let parts: Vec<ValueId> =
                array_parts(r, value, length).into_iter().map(|part| converted(r, part, element)).collect();
            r.construct(to, &parts)
        }
        (_, kind) => match kind.scalar() {
            Some(scalar) => r.convert(value, scalar),
            None => value,
        },
    }
}

fn array_parts(r: &mut Rewriter<'_>, array: ValueId, length: u32) -> Vec<ValueId> {
    let literal = r.module.defining_op(array).map(|op| r.module.op(op).clone());
    match literal.filter(|op| AkariOp::of(op) == Some(AkariOp::Construct)) {
        Some(construct) => construct.operands.to_vec(),
        None => {
            let of = r.type_of(array);
            let element = r.module.types.element(of).unwrap_or(of);
            (0..i64::from(length))
                .map(|index| r.value_of(AkariOp::Extract.def(), &[array], &[Attr::Int(index)], element))
                .collect()
        }
    }
}
