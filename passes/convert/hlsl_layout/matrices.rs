//! Arrays of arrays of matrices in buffers, for Vulkan. DXC gives a matrix its stride and its order only where it is a field or the element of
//! an array that is one; deeper, its SPIR-V leaves both out. So the innermost array becomes the field of a structure: `float3x4 m[2][4]` is
//! `Matrices m[2]` with `struct Matrices { float3x4 matrices[4]; }`, which takes the same bytes, in all of the module.

use akari_dialect::AkariOp;
use akari_ir::{Attr, ConstId, Constant, Module, OpId, Struct, StructId, Type, TypeKind};
use rustc_hash::FxHashMap;

use super::rewrite::{map_global_constants, plain_field};
use crate::rewrite::{Outcome, Rewriter};

/// The arrays of matrices that became structures, with those.
type Wrapped = FxHashMap<Type, Type>;

/// Wraps the innermost arrays. True where there were some.
pub(super) fn wrap_inner_arrays(module: &mut Module) -> bool {
    let mut found = Vec::new();
    for (_, _, contents) in super::buffers(module) {
        collect(module, contents, false, &mut found);
    }
    if found.is_empty() {
        return false;
    }
    let old_structs: Vec<StructId> = module.structs.ids().collect();
    let wrapped: Wrapped = found.into_iter().map(|array| (array, wrapper_of(module, array))).collect();
    for id in old_structs {
        for index in 0..module.structs[id].fields.len() {
            let ty = module.structs[id].fields[index].ty;
            module.structs[id].fields[index].ty = mapped(module, &wrapped, ty);
        }
    }
    map_global_constants(module, |module, constant| mapped_constant(module, &wrapped, constant));
    for global in module.globals.ids() {
        module.globals[global].ty = mapped(module, &wrapped, module.globals[global].ty);
    }
    for function in module.functions.ids().collect::<Vec<_>>() {
        if let Some(result) = module.functions[function].result {
            module.functions[function].result = Some(mapped(module, &wrapped, result));
        }
        for index in 0..module.functions[function].params.len() {
            let value = module.functions[function].params[index].value;
            let ty = mapped(module, &wrapped, module.value_type(value));
            module.value_mut(value).ty = ty;
        }
    }
    Rewriter::new(module).module(&mut |r, id| visit(r, id, &wrapped));
    true
}

/// The arrays of matrices that are elements of arrays.
fn collect(module: &Module, ty: Type, inside_array: bool, found: &mut Vec<Type>) {
    match module.kind(ty) {
        TypeKind::Struct(id) => {
            for field in &module.structs[id].fields {
                collect(module, field.ty, false, found);
            }
        }
        TypeKind::Array(element, _) => {
            if inside_array && matches!(module.kind(element), TypeKind::Matrix { .. }) && !found.contains(&ty) {
                found.push(ty);
            }
            collect(module, element, true, found);
        }
        _ => {}
    }
}

fn wrapper_of(module: &mut Module, array: Type) -> Type {
    let (name, field) = (module.symbols.intern("Matrices"), module.symbols.intern("matrices"));
    let field = plain_field(field, array);
    let id = module.structs.alloc(Struct { name, doc: None, fields: vec![field], packed: false, loc: None });
    module.types.intern(TypeKind::Struct(id))
}

fn mapped(module: &mut Module, wrapped: &Wrapped, ty: Type) -> Type {
    if let Some(structure) = wrapped.get(&ty) {
        return *structure;
    }
    let kind = match module.kind(ty) {
        TypeKind::Array(element, length) => TypeKind::Array(mapped(module, wrapped, element), length),
        TypeKind::Place(space, pointee) => TypeKind::Place(space, mapped(module, wrapped, pointee)),
        TypeKind::Buffer(kind, contents) => TypeKind::Buffer(kind, mapped(module, wrapped, contents)),
        _ => return ty,
    };
    module.types.intern(kind)
}

fn mapped_constant(module: &mut Module, wrapped: &Wrapped, constant: ConstId) -> ConstId {
    let mapped = match module.constant(constant).clone() {
        Constant::Scalar(..) => return constant,
        Constant::Zero(ty) => Constant::Zero(mapped(module, wrapped, ty)),
        Constant::Composite(ty, parts) => {
            let parts = parts.iter().map(|part| mapped_constant(module, wrapped, *part)).collect();
            match wrapped.get(&ty) {
                Some(structure) => {
                    let array = module.constants.intern(Constant::Composite(ty, parts));
                    Constant::Composite(*structure, Box::new([array]))
                }
                None => Constant::Composite(mapped(module, wrapped, ty), parts),
            }
        }
    };
    module.constants.intern(mapped)
}

fn visit(r: &mut Rewriter<'_>, id: OpId, wrapped: &Wrapped) -> Outcome {
    let op = r.module.op(id).clone();
    let old = op.result.map(|result| r.type_of(result));
    if let (Some(result), Some(old)) = (op.result, old) {
        let new = mapped(r.module, wrapped, old);
        r.module.value_mut(result).ty = new;
    }
    let is_wrapper = |structure: Type| wrapped.values().any(|wrapper| *wrapper == structure);
    match AkariOp::of(&op) {
        Some(AkariOp::Const) => {
            let constant = mapped_constant(r.module, wrapped, op.constant(0));
            r.module.op_mut(id).attrs[0] = Attr::Const(constant);
        }
        Some(AkariOp::Element) => {
            let of = r.type_of(op.operands[0]);
            if let Some((_, pointee)) = r.module.types.as_place(of)
                && is_wrapper(pointee)
            {
                let place = r.member(op.operands[0], 0);
                r.module.op_mut(id).operands[0] = place;
            }
        }
        Some(AkariOp::Extract | AkariOp::Index) if is_wrapper(r.type_of(op.operands[0])) => {
            let value = r.extract(op.operands[0], 0);
            r.module.op_mut(id).operands[0] = value;
        }
        Some(AkariOp::Construct) => {
            if let (Some(old), Some(result)) = (old.filter(|old| wrapped.contains_key(old)), op.result) {
                let array = r.construct(old, &op.operands);
                let structure = r.type_of(result);
                return Outcome::Replace(r.construct(structure, &[array]));
            }
        }
        _ => {}
    }
    Outcome::Keep
}
