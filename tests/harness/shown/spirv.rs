//! SPIR-V, by rspirv.

use std::collections::HashMap;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass};

use super::{Class, Located, Resource, Shown, Threads};

/// What a module of one entry point says.
///
/// # Errors
/// When the module cannot be read, or something in its interface is of no kind that Akari emits.
pub fn of_spirv(words: &[u32]) -> Result<Shown, String> {
    let module = rspirv::dr::load_words(words).map_err(|error| error.to_string())?;
    let [entry] = module.entry_points.as_slice() else {
        return Err(format!("{} entry points", module.entry_points.len()));
    };
    let mut shown = Shown::default();
    let is_fragment = entry.operands.first() == Some(&Operand::ExecutionModel(ExecutionModel::Fragment));
    if let Some(Operand::LiteralString(name)) = entry.operands.get(2) {
        shown.entry.clone_from(name);
    }
    for mode in module
        .execution_modes
        .iter()
        .filter(|mode| mode.operands.get(1) == Some(&Operand::ExecutionMode(ExecutionMode::LocalSize)))
    {
        let axis = |index: usize| number(mode.operands.get(index));
        shown.threads = Some(Threads::Axes([axis(2), axis(3), axis(4)]));
    }
    for capability in &module.capabilities {
        if let Some(Operand::Capability(capability)) = capability.operands.first() {
            shown.capabilities.push(format!("{capability:?}"));
        }
    }
    for extension in &module.extensions {
        if let Some(Operand::LiteralString(name)) = extension.operands.first() {
            shown.extensions.push(name.clone());
        }
    }
    let reader = Reader::new(&module);
    for variable in module.types_global_values.iter().filter(|instruction| instruction.class.opcode == Op::Variable) {
        let (Some(id), Some(pointer)) = (variable.result_id, variable.result_type) else { continue };
        let Some(Operand::StorageClass(class)) = variable.operands.first() else { continue };
        let pointee = reader.operand(pointer, 1)?;
        match class {
            StorageClass::Input | StorageClass::Output => {
                let builtin = reader.builtin(id);
                if builtin == Some(BuiltIn::Position as u32)
                    || (is_fragment && builtin == Some(BuiltIn::FragCoord as u32))
                {
                    shown.position = true;
                }
                if builtin == Some(BuiltIn::ClipDistance as u32) && *class == StorageClass::Output {
                    shown.clip_distances += reader.constants[&reader.operand(pointee, 1)?];
                }
                if let Some(location) = reader.decoration(id, Decoration::Location) {
                    let one = reader.located(id, pointee, location)?;
                    if *class == StorageClass::Input { shown.inputs.push(one) } else { shown.outputs.push(one) }
                }
            }
            StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer => {
                let place = |decoration| reader.decoration(id, decoration);
                let Some((set, binding)) = place(Decoration::DescriptorSet).zip(place(Decoration::Binding)) else {
                    // DXC leaves variables behind that it does not bind.
                    continue;
                };
                shown.resources.push(reader.resource(id, *class, pointee, set, binding)?);
            }
            _ => {}
        }
    }
    shown.inputs.sort();
    shown.outputs.sort();
    Ok(shown)
}

fn number(operand: Option<&Operand>) -> u32 {
    if let Some(Operand::LiteralBit32(number)) = operand { *number } else { 0 }
}

struct Reader<'m> {
    types: HashMap<u32, &'m Instruction>,
    constants: HashMap<u32, u32>,
    member_names: HashMap<(u32, u32), String>,
    /// What is said of ids, and of their members.
    decorations: HashMap<(u32, Option<u32>, Decoration), u32>,
}

impl<'m> Reader<'m> {
    fn new(module: &'m Module) -> Self {
        let mut decorations = HashMap::new();
        for annotation in &module.annotations {
            let operands = &annotation.operands;
            let (member, rest) = match annotation.class.opcode {
                Op::Decorate => (None, &operands[1..]),
                Op::MemberDecorate => (Some(number(operands.get(1))), &operands[2..]),
                _ => continue,
            };
            if let (Some(id), Some(Operand::Decoration(decoration))) = (operands[0].id_ref_any(), rest.first()) {
                let value = match rest.get(1) {
                    Some(Operand::BuiltIn(builtin)) => *builtin as u32,
                    operand => number(operand),
                };
                decorations.insert((id, member, *decoration), value);
            }
        }
        let (mut types, mut constants) = (HashMap::new(), HashMap::new());
        for instruction in &module.types_global_values {
            let Some(id) = instruction.result_id else { continue };
            if instruction.class.opcode == Op::Constant {
                constants.insert(id, number(instruction.operands.first()));
            } else {
                types.insert(id, instruction);
            }
        }
        let names = module.debug_names.iter().filter(|name| name.class.opcode == Op::MemberName);
        let member_names = names.filter_map(|name| match name.operands.as_slice() {
            [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::LiteralString(text)] => {
                Some(((*id, *member), text.clone()))
            }
            _ => None,
        });
        Self { types, constants, member_names: member_names.collect(), decorations }
    }

    fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, None, decoration)).copied()
    }

    fn builtin(&self, id: u32) -> Option<u32> {
        self.decoration(id, Decoration::BuiltIn)
    }

    fn ty(&self, id: u32) -> Result<&'m Instruction, String> {
        self.types.get(&id).copied().ok_or_else(|| format!("%{id} is no type"))
    }

    /// An operand of a type that is an id.
    fn operand(&self, ty: u32, index: usize) -> Result<u32, String> {
        let found = self.ty(ty)?.operands.get(index).and_then(Operand::id_ref_any);
        found.ok_or_else(|| format!("%{ty} has no id at {index}"))
    }

    /// The scalar type and how many of it a value has.
    fn scalars(&self, id: u32) -> Result<(&'static str, u32), String> {
        let ty = self.ty(id)?;
        Ok(match ty.class.opcode {
            Op::TypeVector => (self.scalars(self.operand(id, 0)?)?.0, number(ty.operands.get(1))),
            Op::TypeFloat if number(ty.operands.first()) == 16 => ("half", 1),
            Op::TypeFloat => ("float", 1),
            Op::TypeInt if number(ty.operands.get(1)) == 1 => ("int", 1),
            Op::TypeInt => ("uint", 1),
            other => return Err(format!("{other:?} at a location")),
        })
    }

    fn located(&self, id: u32, ty: u32, location: u32) -> Result<Located, String> {
        let (scalar, width) = self.scalars(ty)?;
        let is = |decoration| self.decoration(id, decoration).is_some();
        let interpolation = if is(Decoration::Flat) {
            "flat"
        } else if is(Decoration::NoPerspective) {
            "noperspective"
        } else {
            "perspective"
        };
        Ok(Located { location, scalar, width, interpolation: Some(interpolation) })
    }

    fn resource(&self, id: u32, class: StorageClass, ty: u32, set: u32, binding: u32) -> Result<Resource, String> {
        let (mut ty, mut count) = (ty, Some(1));
        match self.ty(ty)?.class.opcode {
            Op::TypeArray => (ty, count) = (self.operand(ty, 0)?, Some(self.constants[&self.operand(ty, 1)?])),
            Op::TypeRuntimeArray => (ty, count) = (self.operand(ty, 0)?, None),
            _ => {}
        }
        let what = self.ty(ty)?;
        let of = |class| Resource { count, ..Resource::new(class, set, binding) };
        Ok(match (what.class.opcode, class) {
            (Op::TypeStruct, StorageClass::Uniform) => {
                // A block may hold the struct, or be it.
                let only = self.operand(ty, 0)?;
                let held =
                    if what.operands.len() == 1 && self.ty(only)?.class.opcode == Op::TypeStruct { only } else { ty };
                Resource { size: Some(self.size(ty, None)?), fields: self.fields(held), ..of(Class::UniformBuffer) }
            }
            (Op::TypeStruct, _) => {
                let last = what.operands.len().saturating_sub(1);
                let elements = self.operand(ty, last)?;
                let (stride, element) = match self.ty(elements)?.class.opcode {
                    Op::TypeRuntimeArray => {
                        (self.decoration(elements, Decoration::ArrayStride), self.operand(elements, 0)?)
                    }
                    _ => (None, elements),
                };
                let fields =
                    if self.ty(element)?.class.opcode == Op::TypeStruct { self.fields(element) } else { Vec::new() };
                let is_fixed = |member| self.decorations.contains_key(&(ty, Some(member), Decoration::NonWritable));
                let read_only =
                    (0..=last as u32).all(is_fixed) || self.decoration(id, Decoration::NonWritable).is_some();
                Resource { stride, fields, writable: Some(!read_only), ..of(Class::StorageBuffer) }
            }
            (Op::TypeImage, _) => {
                let (texel, _) = self.scalars(self.operand(ty, 0)?)?;
                let is_array = number(what.operands.get(3)) == 1;
                let dimension = match (what.operands.get(1), is_array) {
                    (Some(Operand::Dim(Dim::Dim2D)), false) => "2d",
                    (Some(Operand::Dim(Dim::Dim2D)), true) => "2d_array",
                    (Some(Operand::Dim(Dim::Dim3D)), false) => "3d",
                    (Some(Operand::Dim(Dim::DimCube)), false) => "cube",
                    (Some(Operand::Dim(Dim::DimCube)), true) => "cube_array",
                    (other, _) => return Err(format!("an image of the shape {other:?}")),
                };
                let class = if number(what.operands.get(5)) == 2 { Class::StorageTexture } else { Class::Texture };
                Resource { dimension: Some(dimension), texel: Some(texel), ..of(class) }
            }
            (Op::TypeSampler, _) => of(Class::Sampler),
            (Op::TypeAccelerationStructureKHR, _) => of(Class::AccelerationStructure),
            (other, _) => return Err(format!("a resource of {other:?}")),
        })
    }

    /// The names and offsets of the members of a struct that has both.
    fn fields(&self, id: u32) -> Vec<(String, u32)> {
        let names = (0..).map_while(|member| Some((member, self.member_names.get(&(id, member))?)));
        names
            .filter_map(|(member, name)| {
                Some((name.clone(), *self.decorations.get(&(id, Some(member), Decoration::Offset))?))
            })
            .collect()
    }

    /// Bytes from the start of a value to the end of its last scalar; `field` is the field that a matrix is, or is an element of.
    fn size(&self, id: u32, field: Option<(u32, u32)>) -> Result<u32, String> {
        let ty = self.ty(id)?;
        let needed = |found: Option<u32>, what: &str| found.ok_or_else(|| format!("%{id} has no {what}"));
        Ok(match ty.class.opcode {
            Op::TypeInt | Op::TypeFloat => number(ty.operands.first()) / 8,
            Op::TypeVector => number(ty.operands.get(1)) * self.size(self.operand(id, 0)?, None)?,
            Op::TypeMatrix => {
                let (structure, member) =
                    needed(field.map(|(id, _)| id), "field").map(|id| (id, field.map_or(0, |(_, member)| member)))?;
                let stride = self.decorations.get(&(structure, Some(member), Decoration::MatrixStride)).copied();
                (number(ty.operands.get(1)) - 1) * needed(stride, "MatrixStride")?
                    + self.size(self.operand(id, 0)?, None)?
            }
            Op::TypeArray => {
                let stride = needed(self.decoration(id, Decoration::ArrayStride), "ArrayStride")?;
                (self.constants[&self.operand(id, 1)?] - 1) * stride + self.size(self.operand(id, 0)?, field)?
            }
            Op::TypeStruct => {
                let mut end = 0;
                for member in 0..ty.operands.len() {
                    let at = self.decorations.get(&(id, Some(member as u32), Decoration::Offset)).copied();
                    end = end
                        .max(needed(at, "Offset")? + self.size(self.operand(id, member)?, Some((id, member as u32)))?);
                }
                end
            }
            other => return Err(format!("{other:?} in a uniform buffer")),
        })
    }
}
