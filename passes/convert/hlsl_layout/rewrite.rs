//! Padding structures and wrapping elements, with every use of them.

use akari_dialect::AkariOp;
use akari_dialect_hlsl::HlslOp;
use akari_ir::interface::{FieldRole, Interpolation};
use akari_ir::{
    Attr, BufferKind, ConstId, Constant, Field, GlobalId, GlobalKind, Module, Scalar, Space, Struct, StructId, Type,
    TypeKind, ValueId,
};
use rustc_hash::FxHashMap;

use crate::rewrite::{Outcome, Rewriter};

/// Puts the elements of buffers into structures with one field.
pub(super) fn wrap_elements(module: &mut Module, buffers: &[(GlobalId, BufferKind, Type)]) {
    let mut wrappers: FxHashMap<Type, Type> = FxHashMap::default();
    let mut of_global: FxHashMap<GlobalId, (Type, Type)> = FxHashMap::default();
    for (global, kind, element) in buffers {
        let wrapper = match wrappers.get(element) {
            Some(wrapper) => *wrapper,
            None => {
                let wrapper = wrapper_of(module, *element);
                wrappers.insert(*element, wrapper);
                wrapper
            }
        };
        let buffer = module.types.intern(TypeKind::Buffer(*kind, wrapper));
        module.globals[*global].ty = buffer;
        of_global.insert(*global, (buffer, wrapper));
    }
    if of_global.is_empty() {
        return;
    }
    Rewriter::new(module).module(&mut |r, id| {
        let op = r.module.op(id).clone();
        match AkariOp::of(&op) {
            Some(AkariOp::Resource) => {
                if let (Some((buffer, _)), Some(result)) = (of_global.get(&op.global(0)), op.result) {
                    r.module.value_mut(result).ty = *buffer;
                }
                Outcome::Keep
            }
            Some(AkariOp::BufferElement) => {
                let (TypeKind::Buffer(kind, wrapper), Some(result)) = (r.kind(op.operands[0]), op.result) else {
                    return Outcome::Keep;
                };
                let Some((space, pointee)) = r.module.types.as_place(r.type_of(result)) else { return Outcome::Keep };
                if pointee == wrapper || kind == BufferKind::Uniform {
                    return Outcome::Keep;
                }
                let place = r.module.types.place(space, wrapper);
                let element = r.core(AkariOp::BufferElement, &op.operands, &[], place);
                let ty = r.type_of(result);
                Outcome::Replace(r.value_of(AkariOp::Member.def(), &[element], &[Attr::Int(0)], ty))
            }
            _ => Outcome::Keep,
        }
    });
}

fn wrapper_of(module: &mut Module, element: Type) -> Type {
    let (name, field) = match module.kind(element) {
        TypeKind::Matrix { .. } => ("Matrix", "columns"),
        _ => ("Elements", "elements"),
    };
    let (name, field) = (module.symbols.intern(name), module.symbols.intern(field));
    let field = plain_field(field, element);
    let id = module.structs.alloc(Struct { name, doc: None, fields: vec![field], packed: false, loc: None });
    module.types.intern(TypeKind::Struct(id))
}

/// A field that is nothing but a name and a type.
pub(super) fn plain_field(name: akari_ir::Symbol, ty: Type) -> Field {
    Field {
        name,
        ty,
        role: FieldRole::Plain,
        interpolation: Interpolation::Perspective,
        location: None,
        offset: None,
        loc: None,
    }
}

/// A field of a structure that is declared otherwise.
#[derive(Clone, Debug)]
pub(super) enum NewField {
    /// The field of this number.
    Old(u32),
    /// The field of this number, a matrix whose columns are widened to four rows.
    Widened(u32),
    /// A field that the program knows nothing of.
    Added(Field),
}

/// Where the fields of a structure are now.
struct Moved {
    /// The new number of each old field.
    fields: Vec<i64>,
    /// For each new field the old one, or the type of what was added.
    layout: Vec<Result<u32, Type>>,
    /// The old type of each widened field, by its new number.
    widened: FxHashMap<i64, Type>,
}

/// Gives structures new fields, in new places, and follows in all that uses them.
pub(super) fn restructure(module: &mut Module, structs: Vec<(StructId, Vec<NewField>)>) {
    let mut moved: FxHashMap<StructId, Moved> = FxHashMap::default();
    for (id, fields) in structs {
        moved.insert(id, move_fields(module, id, fields));
    }
    if moved.is_empty() {
        return;
    }
    map_global_constants(module, |module, constant| moved_constant(module, &moved, constant));
    Rewriter::new(module).module(&mut |r, id| {
        let op = r.module.op(id).clone();
        match AkariOp::of(&op) {
            Some(AkariOp::Extract) => {
                if let TypeKind::Struct(of) = r.kind(op.operands[0])
                    && let Some(moved) = moved.get(&of)
                {
                    r.module.op_mut(id).attrs[0] = Attr::Int(moved.fields[op.int(0) as usize]);
                }
                Outcome::Keep
            }
            Some(AkariOp::Member) => member(r, id, &moved),
            Some(AkariOp::Element) => widened_column(r, id),
            Some(AkariOp::Load) => narrowed_load(r, id),
            Some(AkariOp::Construct) => {
                let Some(result) = op.result else { return Outcome::Keep };
                let TypeKind::Struct(of) = r.kind(result) else { return Outcome::Keep };
                let Some(moved) = moved.get(&of) else { return Outcome::Keep };
                let parts: Vec<ValueId> = moved
                    .layout
                    .iter()
                    .map(|field| match field {
                        Ok(old) => op.operands[*old as usize],
                        Err(added) => r.filled(*added, 0.0),
                    })
                    .collect();
                let ty = r.type_of(result);
                Outcome::Replace(r.construct(ty, &parts))
            }
            Some(AkariOp::Const) => {
                let constant = moved_constant(r.module, &moved, op.constant(0));
                r.module.op_mut(id).attrs[0] = Attr::Const(constant);
                Outcome::Keep
            }
            _ => Outcome::Keep,
        }
    });
}

fn move_fields(module: &mut Module, id: StructId, new: Vec<NewField>) -> Moved {
    let old = std::mem::take(&mut module.structs[id].fields);
    let mut moved = Moved { fields: vec![0; old.len()], layout: Vec::new(), widened: FxHashMap::default() };
    let mut fields = Vec::new();
    for field in new {
        let number = fields.len() as i64;
        match field {
            NewField::Old(index) => {
                moved.fields[index as usize] = number;
                moved.layout.push(Ok(index));
                fields.push(old[index as usize].clone());
            }
            NewField::Widened(index) => {
                let mut field = old[index as usize].clone();
                moved.fields[index as usize] = number;
                moved.layout.push(Ok(index));
                moved.widened.insert(number, field.ty);
                if let TypeKind::Matrix { columns, .. } = module.kind(field.ty) {
                    field.ty = module.types.intern(TypeKind::Matrix { columns, rows: 4 });
                }
                fields.push(field);
            }
            NewField::Added(field) => {
                moved.layout.push(Err(field.ty));
                fields.push(field);
            }
        }
    }
    module.structs[id].fields = fields;
    moved
}

fn member(r: &mut Rewriter<'_>, id: akari_ir::OpId, moved: &FxHashMap<StructId, Moved>) -> Outcome {
    let op = r.module.op(id).clone();
    let Some((space, of)) = r.module.types.as_place(r.type_of(op.operands[0])) else { return Outcome::Keep };
    let TypeKind::Struct(structure) = r.module.kind(of) else { return Outcome::Keep };
    let Some(moved) = moved.get(&structure) else { return Outcome::Keep };
    let number = moved.fields[op.int(0) as usize];
    r.module.op_mut(id).attrs[0] = Attr::Int(number);
    if let (true, Some(result)) = (moved.widened.contains_key(&number), op.result) {
        let ty = r.module.structs[structure].fields[number as usize].ty;
        let place = r.module.types.place(space, ty);
        r.module.value_mut(result).ty = place;
    }
    Outcome::Keep
}

/// The column of a widened matrix has four components.
fn widened_column(r: &mut Rewriter<'_>, id: akari_ir::OpId) -> Outcome {
    let op = r.module.op(id).clone();
    let (Some((space, of)), Some(result)) = (r.module.types.as_place(r.type_of(op.operands[0])), op.result) else {
        return Outcome::Keep;
    };
    if let (TypeKind::Matrix { rows, .. }, Space::Uniform) = (r.module.kind(of), space) {
        let column = r.module.types.vector(Scalar::F32, rows);
        let place = r.module.types.place(space, column);
        r.module.value_mut(result).ty = place;
    }
    Outcome::Keep
}

/// A load of a widened matrix, or of a column of it, drops what was added.
fn narrowed_load(r: &mut Rewriter<'_>, id: akari_ir::OpId) -> Outcome {
    let op = r.module.op(id).clone();
    let (Some((_, pointee)), Some(result)) = (r.module.types.as_place(r.type_of(op.operands[0])), op.result) else {
        return Outcome::Keep;
    };
    let wanted = r.type_of(result);
    if pointee == wanted {
        return Outcome::Keep;
    }
    let loaded = r.core(AkariOp::Load, &op.operands, &[], pointee);
    Outcome::Replace(match r.module.kind(wanted) {
        TypeKind::Vector(_, width) => r.swizzle(loaded, &(0..width).collect::<Vec<_>>()),
        _ => r.value_of(HlslOp::Truncate.def(), &[loaded], &[], wanted),
    })
}

/// A constant with the fields of structures in it where they are now.
fn moved_constant(module: &mut Module, moved: &FxHashMap<StructId, Moved>, constant: ConstId) -> ConstId {
    let Constant::Composite(ty, parts) = module.constant(constant).clone() else { return constant };
    let parts: Vec<ConstId> = parts.iter().map(|part| moved_constant(module, moved, *part)).collect();
    let layout = match module.kind(ty) {
        TypeKind::Struct(of) => moved.get(&of).map(|moved| &moved.layout),
        _ => None,
    };
    let parts = match layout {
        Some(layout) => layout
            .iter()
            .map(|field| match field {
                Ok(old) => parts[*old as usize],
                Err(added) => match module.kind(*added) {
                    TypeKind::Scalar(scalar) => module.scalar_constant(scalar, 0),
                    _ => module.constants.intern(Constant::Zero(*added)),
                },
            })
            .collect(),
        None => parts,
    };
    module.constants.intern(Constant::Composite(ty, parts.into_boxed_slice()))
}

/// Replaces the values of module-level constants.
pub(super) fn map_global_constants(module: &mut Module, mut map: impl FnMut(&mut Module, ConstId) -> ConstId) {
    for global in module.globals.ids() {
        if let GlobalKind::Constant(constant) = module.globals[global].kind {
            module.globals[global].kind = GlobalKind::Constant(map(module, constant));
        }
    }
}
