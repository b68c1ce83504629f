//! Where every scalar of a buffer lies: as a SPIR-V module declares it, and as the ABI says.
#![allow(clippy::unwrap_used, dead_code, reason = "tests, of which each uses a part")]

use std::collections::HashMap;

use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_ir::{BufferKind, Module as IrModule, Type, TypeKind};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass};

/// The scalars of one element, or of a uniform, by offset in bytes.
pub(crate) type Leaves = Vec<u32>;

/// The buffers of the entry in the order of its parameters, each with its kind, its scalars and the stride of its elements.
pub(crate) fn of_the_abi(module: &IrModule) -> Vec<(BufferKind, Leaves, u32)> {
    let mut layouts = Layouts::new();
    let entry = module.functions.iter().find(|(_, function)| function.entry.is_some()).unwrap().1;
    let kinds = entry.params.iter().map(|param| module.value_kind(param.value));
    kinds
        .filter_map(|kind| if let TypeKind::Buffer(kind, contents) = kind { Some((kind, contents)) } else { None })
        .map(|(kind, contents)| {
            let packing = Packing::of_buffer(kind);
            let mut leaves = Leaves::new();
            abi(module, &mut layouts, contents, packing, 0, &mut leaves);
            let layout = layouts.of(module, contents, packing).unwrap();
            (kind, leaves, layout.size.next_multiple_of(layout.align))
        })
        .collect()
}

fn abi(module: &IrModule, layouts: &mut Layouts, ty: Type, packing: Packing, at: u32, leaves: &mut Leaves) {
    match module.kind(ty) {
        TypeKind::Scalar(_) => leaves.push(at),
        TypeKind::Vector(scalar, width) => {
            let bytes = (scalar.bits() / 8).max(4 * u32::from(scalar == akari_ir::Scalar::Bool));
            leaves.extend((0..u32::from(width)).map(|index| at + bytes * index));
        }
        TypeKind::Matrix { columns, rows } => {
            let stride = layouts.of(module, ty, packing).unwrap().stride.unwrap();
            for column in 0..u32::from(columns) {
                leaves.extend((0..u32::from(rows)).map(|row| at + stride * column + 4 * row));
            }
        }
        TypeKind::Array(element, length) => {
            let stride = layouts.of(module, ty, packing).unwrap().stride.unwrap();
            (0..length).for_each(|index| abi(module, layouts, element, packing, at + stride * index, leaves));
        }
        TypeKind::Struct(id) => {
            let offsets: Vec<u32> =
                layouts.structure(module, ty, packing).unwrap().fields.iter().map(|field| field.offset).collect();
            let inner = packing.inside(&module.structs[id]);
            for (field, offset) in module.structs[id].fields.iter().zip(offsets) {
                abi(module, layouts, field.ty, inner, at + offset, leaves);
            }
        }
        other => panic!("{other:?} in a buffer"),
    }
}

/// What a SPIR-V module says of its types.
struct Declared<'m> {
    types: HashMap<u32, &'m Instruction>,
    constants: HashMap<u32, u32>,
    decorations: HashMap<(u32, Option<u32>, Decoration), u32>,
}

/// The buffers of a SPIR-V module by binding, as [`of_the_abi`]; the error names what lacks a decoration.
pub(crate) fn of_spirv(module: &Module) -> Result<Vec<(u32, Leaves, Option<u32>)>, String> {
    let number =
        |operand: Option<&Operand>| if let Some(Operand::LiteralBit32(number)) = operand { *number } else { 0 };
    let mut declared = Declared { types: HashMap::new(), constants: HashMap::new(), decorations: HashMap::new() };
    for annotation in &module.annotations {
        let operands = &annotation.operands;
        let (member, rest) = match annotation.class.opcode {
            Op::Decorate => (None, &operands[1..]),
            Op::MemberDecorate => (Some(number(operands.get(1))), &operands[2..]),
            _ => continue,
        };
        if let Operand::Decoration(decoration) = rest[0] {
            declared.decorations.insert((operands[0].unwrap_id_ref(), member, decoration), number(rest.get(1)));
        }
    }
    for instruction in &module.types_global_values {
        let Some(id) = instruction.result_id else { continue };
        match instruction.class.opcode {
            Op::Constant => drop(declared.constants.insert(id, number(instruction.operands.first()))),
            _ => drop(declared.types.insert(id, instruction)),
        }
    }
    let mut found = Vec::new();
    for variable in module.types_global_values.iter().filter(|instruction| instruction.class.opcode == Op::Variable) {
        let is_buffer =
            matches!(variable.operands[0], Operand::StorageClass(StorageClass::Uniform | StorageClass::StorageBuffer));
        let id = variable.result_id.unwrap();
        let (Some(binding), true) = (declared.decorations.get(&(id, None, Decoration::Binding)), is_buffer) else {
            continue;
        };
        let block = declared.types[&variable.result_type.unwrap()].operands[1].unwrap_id_ref();
        let contents = declared.types[&block];
        if contents.class.opcode != Op::TypeStruct {
            // An array of buffers: a bindless table.
            continue;
        }
        let last = contents.operands.last().unwrap().unwrap_id_ref();
        let mut leaves = Leaves::new();
        let mut stride = None;
        if declared.types[&last].class.opcode == Op::TypeRuntimeArray {
            stride = Some(declared.decoration(last, None, Decoration::ArrayStride)?);
            // A matrix that is the element is one of the field that the array is.
            declared.leaves(declared.types[&last].operands[0].unwrap_id_ref(), 0, Some((block, 0)), &mut leaves)?;
        } else {
            declared.leaves(block, 0, None, &mut leaves)?;
        }
        found.push((*binding, leaves, stride));
    }
    found.sort();
    Ok(found)
}

impl Declared<'_> {
    fn decoration(&self, id: u32, member: Option<u32>, decoration: Decoration) -> Result<u32, String> {
        let found = self.decorations.get(&(id, member, decoration)).copied();
        found.ok_or_else(|| format!("%{id} has no {decoration:?} ({member:?})"))
    }

    /// The scalars of a type at an offset; `member` is the field that a matrix is, or is an element of.
    fn leaves(&self, id: u32, at: u32, member: Option<(u32, u32)>, leaves: &mut Leaves) -> Result<(), String> {
        let ty = self.types[&id];
        let operand = |index: usize| ty.operands[index].unwrap_id_ref();
        let literal = |index: usize| if let Operand::LiteralBit32(number) = ty.operands[index] { number } else { 0 };
        match ty.class.opcode {
            Op::TypeInt | Op::TypeFloat => leaves.push(at),
            Op::TypeVector => {
                let component = self.types[&operand(0)];
                let Operand::LiteralBit32(bits) = component.operands[0] else { return Err("a vector of what?".into()) };
                leaves.extend((0..literal(1)).map(|index| at + bits / 8 * index));
            }
            Op::TypeMatrix => {
                let (structure, field) = member.ok_or_else(|| format!("%{id} is no field"))?;
                let stride = self.decoration(structure, Some(field), Decoration::MatrixStride)?;
                self.decoration(structure, Some(field), Decoration::ColMajor)?;
                (0..literal(1)).try_for_each(|column| self.leaves(operand(0), at + stride * column, None, leaves))?;
            }
            Op::TypeArray => {
                let stride = self.decoration(id, None, Decoration::ArrayStride)?;
                let length = self.constants[&operand(1)];
                (0..length).try_for_each(|index| self.leaves(operand(0), at + stride * index, member, leaves))?;
            }
            Op::TypeStruct => {
                for index in 0..ty.operands.len() {
                    let offset = self.decoration(id, Some(index as u32), Decoration::Offset)?;
                    self.leaves(operand(index), at + offset, Some((id, index as u32)), leaves)?;
                }
            }
            other => return Err(format!("{other:?} in a buffer")),
        }
        Ok(())
    }
}
