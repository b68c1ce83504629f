//! The entry: its parameters from input variables, its result to output variables.
//!
//! As from DXC with `-fvk-invert-y -fvk-use-dx-position-w`: the clip position's y is negated on its way out, since Vulkan's
//! points down, and a fragment's `w` is the clip-space one, not its reciprocal.

use akari_dialect_spirv::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Opcode, StorageClass};
use akari_ir::entity::{FuncId, Symbol, Type};
use akari_ir::interface::{FieldRole, Interpolation, ParamRole, Stage, SystemValue};
use akari_ir::module::{Entry, Field};
use akari_ir::types::{Scalar, TypeKind};

use super::emitter::Emitter;
use super::function::FunctionState;
use super::words::{push, push_text};

/// The output variables of the entry.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    /// One for each field of the result, or one for the whole.
    parts: Vec<Output>,
    is_struct: bool,
}

#[derive(Clone, Copy, Debug)]
struct Output {
    variable: u32,
    ty: Type,
    is_position: bool,
}

impl Emitter<'_> {
    /// Writes the entry.
    pub(super) fn entry(&mut self, function: FuncId) {
        let definition = &self.module.functions[function];
        self.loc = definition.loc;
        self.f = FunctionState { is_entry: true, ..FunctionState::default() };
        let id = self.function_id(function);
        let void = self.void_type();
        let ty = self.unique_type(Opcode::TypeFunction, &[void]);
        self.open_function();
        self.declare_outputs(function);
        for param in &definition.params {
            let ty = self.module.value_type(param.value);
            let value = match param.role {
                ParamRole::System(system) => {
                    let name = self.module.value(param.value).name;
                    self.system_value(system, ty, name)
                }
                ParamRole::StageIn => self.stage_in(ty),
                ParamRole::Plain | ParamRole::Resource(_) | ParamRole::Const(_) | ParamRole::Optional => {
                    self.fail("a parameter of an entry that is not of the pipeline");
                    continue;
                }
            };
            self.set(param.value, value);
        }
        self.region(definition.body);
        self.close_function(id, void, ty, &[], false);
        self.name(id, definition.name);
    }

    /// Declares the entry point, once everything else is written and its interface is known.
    pub(super) fn entry_point(&mut self, function: FuncId) {
        let Some(Entry { stage, threads }) = self.module.functions[function].entry else {
            return self.fail("a function that is no entry is emitted as one");
        };
        let id = self.function_id(function);
        let model = match stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        let name = self.module.text(self.module.functions[function].name);
        let words = &mut self.sections.entry_points;
        push_text(words, Opcode::EntryPoint, &[model as u32, id], name, &self.interface);
        match stage {
            Stage::Vertex => {}
            Stage::Fragment => push(words, Opcode::ExecutionMode, &[id, ExecutionMode::OriginUpperLeft as u32]),
            Stage::Compute => {
                let [x, y, z] = threads;
                push(words, Opcode::ExecutionMode, &[id, ExecutionMode::LocalSize as u32, x, y, z]);
            }
        }
        // Without this a driver may assume that there is no NaN, no infinity and no negative zero.
        for scalar in [Scalar::F32, Scalar::F16] {
            if self.vectors[scalar as usize][1] != 0 {
                self.sections.capability(Capability::SignedZeroInfNanPreserve);
                let mode = [id, ExecutionMode::SignedZeroInfNanPreserve as u32, scalar.bits()];
                push(&mut self.sections.entry_points, Opcode::ExecutionMode, &mode);
            }
        }
    }

    fn builtin_variable(&mut self, builtin: BuiltIn, class: StorageClass, ty: u32) -> u32 {
        let id = self.module_variable(class, ty, None);
        self.decorate(id, Decoration::BuiltIn, &[builtin as u32]);
        id
    }

    fn read_builtin(&mut self, builtin: BuiltIn, scalar: Scalar, width: u8, name: Option<Symbol>) -> u32 {
        let ty = self.vector_type(scalar, width);
        let variable = self.builtin_variable(builtin, StorageClass::Input, ty);
        if let Some(name) = name {
            self.name(variable, name);
        }
        self.op(Opcode::Load, ty, &[variable])
    }

    fn system_value(&mut self, system: SystemValue, ty: Type, name: Option<Symbol>) -> u32 {
        let (builtin, width) = match system {
            SystemValue::FrontFacing => return self.read_builtin(BuiltIn::FrontFacing, Scalar::Bool, 1, name),
            SystemValue::VertexId => (BuiltIn::VertexIndex, 1),
            SystemValue::InstanceId => (BuiltIn::InstanceIndex, 1),
            SystemValue::LocalIndex => (BuiltIn::LocalInvocationIndex, 1),
            SystemValue::DispatchId => (BuiltIn::GlobalInvocationId, 3),
            SystemValue::GroupId => (BuiltIn::WorkgroupId, 3),
            SystemValue::LocalId => (BuiltIn::LocalInvocationId, 3),
        };
        let value = self.read_builtin(builtin, Scalar::U32, width, name);
        // The parameter may be of fewer components, or of `int`.
        let (scalar, wanted) = self.shape(ty);
        let uint = self.vector_type(Scalar::U32, wanted);
        let narrowed = match wanted {
            _ if wanted >= width => value,
            1 => self.op(Opcode::CompositeExtract, uint, &[value, 0]),
            _ => {
                let operands: Vec<u32> = [value, value].into_iter().chain(0..u32::from(wanted)).collect();
                self.op(Opcode::VectorShuffle, uint, &operands)
            }
        };
        self.convert_id(narrowed, Scalar::U32, scalar, wanted)
    }

    fn stage_in(&mut self, ty: Type) -> u32 {
        let TypeKind::Struct(id) = self.module.kind(ty) else {
            self.fail("a stage input that is no struct");
            return self.uint(0);
        };
        let fields = &self.module.structs[id].fields;
        let parts: Vec<u32> = fields.iter().map(|field| self.read_field(field)).collect();
        let ty = self.value_type(ty);
        self.op(Opcode::CompositeConstruct, ty, &parts)
    }

    fn read_field(&mut self, field: &Field) -> u32 {
        match field.role {
            FieldRole::Position => self.fragment_position(field.name),
            FieldRole::Plain | FieldRole::Location(_) | FieldRole::Target { .. } => {
                let (scalar, width) = self.shape(field.ty);
                let shared = interface_scalar(scalar);
                let ty = self.vector_type(shared, width);
                let variable = self.module_variable(StorageClass::Input, ty, None);
                self.varying(variable, field);
                let value = self.op(Opcode::Load, ty, &[variable]);
                self.convert_id(value, shared, scalar, width)
            }
            FieldRole::ClipDistance => {
                self.fail("clip distances are no fragment input");
                self.uint(0)
            }
        }
    }

    fn fragment_position(&mut self, name: Symbol) -> u32 {
        let position = self.read_builtin(BuiltIn::FragCoord, Scalar::F32, 4, Some(name));
        let (float, float4) = (self.vector_type(Scalar::F32, 1), self.vector_type(Scalar::F32, 4));
        let reciprocal = self.op(Opcode::CompositeExtract, float, &[position, 3]);
        let one = self.number(Scalar::F32, 1.0);
        let w = self.exact(Opcode::FDiv, float, &[one, reciprocal]);
        self.op(Opcode::CompositeInsert, float4, &[w, position, 3])
    }

    /// The location and interpolation of a varying.
    fn varying(&mut self, variable: u32, field: &Field) {
        self.name(variable, field.name);
        match field.location {
            Some(location) => self.decorate(variable, Decoration::Location, &[location]),
            None => self.fail("a varying without a location: `assign-slots` has not run"),
        }
        match field.interpolation {
            Interpolation::Perspective => {}
            Interpolation::Linear => self.decorate(variable, Decoration::NoPerspective, &[]),
            Interpolation::Flat => self.decorate(variable, Decoration::Flat, &[]),
        }
    }

    fn declare_outputs(&mut self, function: FuncId) {
        let definition = &self.module.functions[function];
        let Some(result) = definition.result else { return };
        let parts = match self.module.kind(result) {
            TypeKind::Struct(id) => {
                self.outputs.is_struct = true;
                self.module.structs[id].fields.iter().map(|field| self.output_field(field)).collect()
            }
            _ => vec![self.output_value(result, definition.result_role)],
        };
        self.outputs.parts = parts;
    }

    fn output_field(&mut self, field: &Field) -> Output {
        match field.role {
            FieldRole::Position => {
                let output = self.position_output(field.ty);
                self.name(output.variable, field.name);
                output
            }
            FieldRole::ClipDistance => {
                self.sections.capability(Capability::ClipDistance);
                let length = self.module.types.length(field.ty).unwrap_or(1);
                let (float, length) = (self.vector_type(Scalar::F32, 1), self.uint(length));
                let array = self.type_id(Opcode::TypeArray, &[float, length]);
                let variable = self.builtin_variable(BuiltIn::ClipDistance, StorageClass::Output, array);
                self.name(variable, field.name);
                Output { variable, ty: field.ty, is_position: false }
            }
            FieldRole::Plain | FieldRole::Location(_) | FieldRole::Target { .. } => {
                let variable = self.output_variable(field.ty);
                match (self.stage, field.role) {
                    (Stage::Vertex, _) => self.varying(variable, field),
                    (_, FieldRole::Location(number)) => {
                        self.name(variable, field.name);
                        self.decorate(variable, Decoration::Location, &[field.location.unwrap_or(number)]);
                    }
                    _ => {
                        self.name(variable, field.name);
                        match field.location {
                            Some(location) => self.decorate(variable, Decoration::Location, &[location]),
                            None => self.fail("a colour target without a number: `assign-slots` has not run"),
                        }
                    }
                }
                Output { variable, ty: field.ty, is_position: false }
            }
        }
    }

    /// The output of an entry that returns a bare value.
    fn output_value(&mut self, ty: Type, role: FieldRole) -> Output {
        match role {
            FieldRole::Position => self.position_output(ty),
            FieldRole::Plain | FieldRole::Location(_) | FieldRole::Target { .. } | FieldRole::ClipDistance => {
                let variable = self.output_variable(ty);
                let location = if let FieldRole::Location(number) = role { number } else { 0 };
                self.decorate(variable, Decoration::Location, &[location]);
                Output { variable, ty, is_position: false }
            }
        }
    }

    fn position_output(&mut self, ty: Type) -> Output {
        let float4 = self.vector_type(Scalar::F32, 4);
        let variable = self.builtin_variable(BuiltIn::Position, StorageClass::Output, float4);
        Output { variable, ty, is_position: true }
    }

    fn output_variable(&mut self, ty: Type) -> u32 {
        let (scalar, width) = self.shape(ty);
        let ty = self.vector_type(interface_scalar(scalar), width);
        self.module_variable(StorageClass::Output, ty, None)
    }

    /// Writes the result of the entry to its output variables.
    pub(super) fn write_outputs(&mut self, value: u32, _: Type) {
        let outputs = std::mem::take(&mut self.outputs);
        for (index, output) in outputs.parts.iter().enumerate() {
            let part = if outputs.is_struct {
                let ty = self.value_type(output.ty);
                self.op(Opcode::CompositeExtract, ty, &[value, index as u32])
            } else {
                value
            };
            self.write_output(*output, part);
        }
        self.outputs = outputs;
    }

    fn write_output(&mut self, output: Output, value: u32) {
        if output.is_position {
            let (float, float4) = (self.vector_type(Scalar::F32, 1), self.vector_type(Scalar::F32, 4));
            let y = self.op(Opcode::CompositeExtract, float, &[value, 1]);
            let down = self.op(Opcode::FNegate, float, &[y]);
            let position = self.op(Opcode::CompositeInsert, float4, &[down, value, 1]);
            return self.emit(Opcode::Store, &[output.variable, position]);
        }
        match self.module.kind(output.ty) {
            TypeKind::Scalar(scalar) => {
                let value = self.convert_id(value, scalar, interface_scalar(scalar), 1);
                self.emit(Opcode::Store, &[output.variable, value]);
            }
            TypeKind::Vector(scalar, width) => {
                let value = self.convert_id(value, scalar, interface_scalar(scalar), width);
                self.emit(Opcode::Store, &[output.variable, value]);
            }
            TypeKind::Array(_, length) => {
                let float = self.vector_type(Scalar::F32, 1);
                let pointer = self.pointer_type(StorageClass::Output, float);
                for index in 0..length {
                    let part = self.op(Opcode::CompositeExtract, float, &[value, index]);
                    let index = self.uint(index);
                    let to = self.op(Opcode::AccessChain, pointer, &[output.variable, index]);
                    self.emit(Opcode::Store, &[to, part]);
                }
            }
            _ => self.fail("an output of a type that is none of a stage's"),
        }
    }

    /// Whether an operation may use derivatives of its quad.
    pub(super) fn has_quads(&self) -> bool {
        self.stage == Stage::Fragment
    }
}

/// What a scalar is between stages. `half` travels as `float`: 16-bit inputs and outputs need a feature that few devices have.
fn interface_scalar(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::F16 => Scalar::F32,
        Scalar::Bool | Scalar::I32 | Scalar::U32 | Scalar::U64 | Scalar::F32 => scalar,
    }
}
