//! The interface of a shader, read off its IR once `assign-slots` has run for the target.

use akari_ir::interface as ir;
use akari_ir::slots::Slot as IrSlot;
use akari_ir::{BufferKind, Module, Param, TextureDim, TypeKind};

use crate::job::{
    Address, Binding, BindingKind, Compare, EntryPoint, Filter, Interface, Sampler, SamplerState, Slot, Stage,
    TextureShape,
};

impl Interface {
    /// The interface of all entries of `module`. A resource bound by `@slot(N)` is called `slotN`.
    ///
    /// # Errors
    /// For what cannot be run: a resource without a slot, on a D3D12 register, or bound differently in two entries.
    pub fn of(module: &Module) -> Result<Self, String> {
        let mut interface = Self::default();
        for (_, function) in module.functions.iter() {
            let Some(entry) = function.entry else { continue };
            let name = module.symbols.text(function.name).to_owned();
            interface.entries.push(EntryPoint {
                emitted: name.clone(),
                name,
                stage: stage(entry.stage),
                threads: entry.threads,
            });
            for param in &function.params {
                interface.add_resource(module, param)?;
            }
        }
        Ok(interface)
    }

    fn add_resource(&mut self, module: &Module, param: &Param) -> Result<(), String> {
        let ir::ParamRole::Resource(source) = param.role else { return Ok(()) };
        let ty = module.types.kind(module.value(param.value).ty);
        let name = match source {
            ir::BindingSource::Named { group, name } => {
                format!("{}.{}", module.symbols.text(group), module.symbols.text(name))
            }
            ir::BindingSource::Slot(number) => format!("slot{number}"),
            ir::BindingSource::Sampler(state) => return self.add_sampler(state, param.slot),
        };
        let (one, length) = match ty {
            TypeKind::ResourceArray(element, length) => (module.types.kind(element), Some(length)),
            one => (one, None),
        };
        let kind = kind(one).ok_or_else(|| format!("`{name}` is a resource that no test can bind: {ty:?}"))?;
        let slot = match (param.slot, kind) {
            (Some(IrSlot::Vulkan(descriptor)), _) => Slot::new(descriptor.set, descriptor.binding),
            (
                Some(IrSlot::Metal(binding)),
                BindingKind::UniformBuffer
                | BindingKind::StorageBuffer
                | BindingKind::Scene
                | BindingKind::BufferTable
                | BindingKind::TextureTable,
            ) => Slot::new(0, binding),
            (Some(IrSlot::Metal(binding)), BindingKind::Texture(_) | BindingKind::StorageTexture(_)) => {
                Slot::new(1, binding)
            }
            (Some(IrSlot::D3d12(_)) | None, _) => return Err(format!("`{name}` has no slot to be run with")),
        };
        let binding = Binding { name, slot, kind, length };
        match self.bindings.iter().find(|other| other.name == binding.name) {
            Some(other) if *other == binding => {}
            Some(other) => return Err(format!("`{}` is bound as {other:?} and as {binding:?}", other.name)),
            None => self.bindings.push(binding),
        }
        Ok(())
    }

    /// Metal source carries its samplers' state, so that they have no slot there.
    fn add_sampler(&mut self, state: ir::SamplerState, slot: Option<IrSlot>) -> Result<(), String> {
        let slot = match slot {
            Some(IrSlot::Vulkan(descriptor)) => Slot::new(descriptor.set, descriptor.binding),
            Some(IrSlot::Metal(binding)) => Slot::new(2, binding),
            Some(IrSlot::D3d12(_)) => return Err("a sampler on a D3D12 register cannot be run".into()),
            None => return Ok(()),
        };
        let sampler = Sampler { slot, state: sampler_state(state) };
        if !self.samplers.contains(&sampler) {
            self.samplers.push(sampler);
        }
        Ok(())
    }
}

const fn stage(stage: ir::Stage) -> Stage {
    match stage {
        ir::Stage::Vertex => Stage::Vertex,
        ir::Stage::Fragment => Stage::Fragment,
        ir::Stage::Compute => Stage::Compute,
    }
}

fn kind(ty: TypeKind) -> Option<BindingKind> {
    match ty {
        TypeKind::Buffer(BufferKind::Uniform, _) => Some(BindingKind::UniformBuffer),
        TypeKind::Buffer(BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic, _) => {
            Some(BindingKind::StorageBuffer)
        }
        TypeKind::Texture(dim, _) => Some(BindingKind::Texture(shape(dim))),
        TypeKind::AccelStruct => Some(BindingKind::Scene),
        TypeKind::BufferTable => Some(BindingKind::BufferTable),
        TypeKind::TextureTable => Some(BindingKind::TextureTable),
        TypeKind::StorageTexture(dim, _) => Some(BindingKind::StorageTexture(shape(dim))),
        TypeKind::Scalar(_)
        | TypeKind::Vector(..)
        | TypeKind::Matrix { .. }
        | TypeKind::Array(..)
        | TypeKind::Struct(_)
        | TypeKind::Place(..)
        | TypeKind::Sampler
        | TypeKind::SamplerCmp
        | TypeKind::OpenArray(..)
        | TypeKind::Function(_)
        | TypeKind::Memory(_)
        | TypeKind::ResourceArray(..) => None,
    }
}

const fn shape(dim: TextureDim) -> TextureShape {
    match dim {
        TextureDim::D2 => TextureShape::D2,
        TextureDim::D2Array => TextureShape::D2Array,
        TextureDim::D3 => TextureShape::D3,
        TextureDim::Cube => TextureShape::Cube,
        TextureDim::CubeArray => TextureShape::CubeArray,
    }
}

fn sampler_state(state: ir::SamplerState) -> SamplerState {
    SamplerState {
        filter: match state.filter {
            ir::Filter::Point => Filter::Point,
            ir::Filter::Linear => Filter::Linear,
        },
        address: match state.address {
            ir::Address::Clamp => Address::Clamp,
            ir::Address::Repeat => Address::Repeat,
            ir::Address::Mirror => Address::Mirror,
        },
        compare: state.compare.map(|compare| match compare {
            ir::Compare::LessEqual => Compare::LessEqual,
            ir::Compare::GreaterEqual => Compare::GreaterEqual,
            ir::Compare::Less => Compare::Less,
            ir::Compare::Greater => Compare::Greater,
            ir::Compare::Equal => Compare::Equal,
            ir::Compare::NotEqual => Compare::NotEqual,
            ir::Compare::Always => Compare::Always,
            ir::Compare::Never => Compare::Never,
        }),
    }
}

#[cfg(test)]
mod tests {
    use akari_ir::Registry;

    use super::*;

    fn interface(entries: &str) -> Result<Interface, String> {
        let text = format!("module \"m\"\n{entries}\n");
        Interface::of(
            &akari_ir::parse(Registry(&[]), &text)
                .unwrap_or_else(|error| panic!("{error:?}: {}", &text[error.offset..])),
        )
    }

    #[test]
    fn entries_share_their_resources() {
        let interface = interface(
            "compute(8, 4, 1) func @first(%a: rwbuf<f32> bind in.a slot set 0 binding 3, %i: u32 dispatch_id) {\n}\n\
             compute(1, 1, 1) func @second(%t: texture<cube, float> bind in.t slot set 1 binding 0, %x: rwbuf<f32> bind in.a slot set 0 binding 3) {\n}",
        );
        let entry = |name: &str, threads| EntryPoint {
            name: name.into(),
            emitted: name.into(),
            stage: Stage::Compute,
            threads,
        };
        let expected = Interface {
            entries: vec![entry("first", [8, 4, 1]), entry("second", [1, 1, 1])],
            bindings: vec![
                Binding { name: "in.a".into(), slot: Slot::new(0, 3), kind: BindingKind::StorageBuffer, length: None },
                Binding {
                    name: "in.t".into(),
                    slot: Slot::new(1, 0),
                    kind: BindingKind::Texture(TextureShape::Cube),
                    length: None,
                },
            ],
            samplers: Vec::new(),
        };
        assert_eq!(interface, Ok(expected));
    }

    #[test]
    fn what_cannot_be_run() {
        assert!(
            interface("compute(1, 1, 1) func @first(%a: rwbuf<f32> bind in.a) {\n}")
                .is_err_and(|error| error.contains("no slot"))
        );
        let twice = "compute(1, 1, 1) func @first(%a: rwbuf<f32> bind in.a slot set 0 binding 3) {\n}\n\
            compute(1, 1, 1) func @second(%a: rwbuf<f32> bind in.a slot set 0 binding 4) {\n}";
        assert!(interface(twice).is_err_and(|error| error.contains("is bound as")));
    }
}
