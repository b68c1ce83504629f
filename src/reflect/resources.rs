//! The resources that a package declares, each with its slot on every target.

use std::sync::Arc;

use akari_dialect_gpu_abi::Manifest;
use akari_dialect_gpu_abi::layout::LayoutError;
use akari_ir::interface::{BindingSource, FieldRole, ParamRole, PassMode, SamplerState, Stage};
use akari_ir::module::{Entry, Function, GlobalKind, Param};
use akari_ir::slots::{RegisterClass, Slot};
use akari_ir::types::{BufferKind, TexelKind};
use akari_ir::{FuncId, Module, Scalar, Type, TypeKind};
use akari_passes::analysis::resource_use::{ResourceUse, Usage};
use akari_passes::bindless_tables::{TextureKind, slot_of};
use indexmap::IndexMap;

use super::model::{self, Class, Descriptor, MetalSlot, Register, SamplerSlots, Targets};
use super::types::{Memory, format_name, source_name, state_names, texture};
use super::world::World;
use crate::driver::{Platform, assign_slots};
use crate::sema::declarations::Declarations;

/// The slot of a resource on each platform, in the order of [`Platform::ALL`].
type Slots = [Option<Slot>; 3];

/// A resource as it is found.
struct Found {
    variable: String,
    declared: &'static str,
    in_interface: bool,
    slots: Slots,
    /// What all entries together do with it.
    usage: Usage,
}

/// Collects resources.
pub(super) struct Resources<'a> {
    world: World<'a>,
    /// The module with its slots on each platform.
    slotted: [Module; 3],
    manifest: Option<Arc<Manifest>>,
    usage: ResourceUse,
    bindings: IndexMap<(BindingSource, Type), Found>,
    samplers: IndexMap<SamplerState, Found>,
}

impl<'a> Resources<'a> {
    /// Begins with the package's own. `declared` is the module as it was lowered, `shared` what [`crate::driver::shared`] made of it.
    pub(super) fn new(declared: &Module, shared: &'a Module, manifest: Option<&Arc<Manifest>>) -> Self {
        let slotted = Platform::ALL.map(|(platform, _)| assign_slots(shared.clone(), platform, manifest.cloned()));
        let usage = ResourceUse::of_module(shared);
        let world = World::new(declared, shared);
        let (bindings, samplers) = (IndexMap::new(), IndexMap::new());
        let mut resources = Self { world, slotted, manifest: manifest.cloned(), usage, bindings, samplers };
        for (_, global) in declared.globals.iter() {
            let GlobalKind::Resource { source, .. } = global.kind else { continue };
            let variable = declared.text(global.name).to_owned();
            let found =
                Found { variable, declared: "package", in_interface: false, slots: [None; 3], usage: Usage::default() };
            resources.add(source, global.ty, found);
        }
        resources
    }

    /// Gives package bindings that no entry reaches their slots. Numbers that are given out in order are given to what is reached alone.
    fn place_unreached(&mut self) {
        let has_rows = self.manifest.is_some();
        let is_open = |source: &BindingSource, found: &&mut Found| {
            !found.in_interface && (has_rows || matches!(source, BindingSource::Slot(_)))
        };
        let bindings = self.bindings.iter_mut().map(|((source, ty), found)| (*source, Some(*ty), found));
        let samplers = self.samplers.iter_mut().map(|(state, found)| (BindingSource::Sampler(*state), None, found));
        let open: Vec<_> = bindings.chain(samplers).filter(|(source, _, found)| is_open(source, found)).collect();
        if open.is_empty() {
            return;
        }
        // Each is the only parameter of an entry, so that none is in the way of another.
        let mut alone = self.world.module.clone();
        for func in alone.functions.ids() {
            alone.functions[func].entry = None;
        }
        let entries: Vec<FuncId> = open.iter().map(|(source, ty, _)| entry_with(&mut alone, *source, *ty)).collect();
        let slotted = Platform::ALL.map(|(platform, _)| assign_slots(alone.clone(), platform, self.manifest.clone()));
        for ((.., found), func) in open.into_iter().zip(entries) {
            found.slots = [0, 1, 2].map(|platform: usize| slotted[platform].functions[func].params[0].slot);
        }
    }

    fn add(&mut self, source: BindingSource, ty: Type, found: Found) -> usize {
        match source {
            BindingSource::Sampler(state) => add(&mut self.samplers, state, found),
            BindingSource::Named { .. } | BindingSource::Slot(_) => add(&mut self.bindings, (source, ty), found),
        }
    }

    /// The resources in the interface of an entry, with those that are static samplers apart.
    pub(super) fn entry(&mut self, func: FuncId) -> (Vec<model::EntryBinding>, Vec<model::EntrySampler>) {
        let (mut bindings, mut samplers) = (Vec::new(), Vec::new());
        let shared = self.world.shared;
        for (index, param) in shared.functions[func].params.iter().enumerate() {
            let ParamRole::Resource(source) = param.role else { continue };
            let slots = [0, 1, 2].map(|platform: usize| self.slotted[platform].functions[func].params[index].slot);
            let variable = name(shared, param);
            let usage = self.usage.of(param.value);
            let found = Found { variable, declared: "entry", in_interface: true, slots, usage };
            let (source, ty) = (self.world.source(source), self.world.ty(shared.value_type(param.value)));
            let index = self.add(source, ty, found);
            match source {
                BindingSource::Sampler(_) => {
                    samplers.push(model::EntrySampler { sampler: index, reached: usage.reached })
                }
                BindingSource::Named { .. } | BindingSource::Slot(_) => {
                    let kinds = kinds_used(shared.value_kind(param.value), usage);
                    bindings.push(model::EntryBinding {
                        binding: index,
                        reached: usage.reached,
                        access: access(usage),
                        kinds,
                    });
                }
            }
        }
        (bindings, samplers)
    }

    /// The number of a colour target on each platform: what `of` reads in a module with slots.
    pub(super) fn on_each_target(&self, of: impl Fn(&Module) -> Option<u32>) -> Targets<u32, u32, u32> {
        let [metal, d3d12, vulkan] = [0, 1, 2].map(|platform: usize| of(&self.slotted[platform]));
        Targets { metal, d3d12, vulkan }
    }

    /// The module in which varyings have their locations, which are the same on each target.
    pub(super) fn located(&self) -> &Module {
        &self.slotted[0]
    }

    /// All that was found.
    pub(super) fn finish(mut self, declarations: &Declarations) -> Result<Everything, LayoutError> {
        self.place_unreached();
        let module = &self.world.module;
        let mut memory = Memory::new(module, declarations);
        let bindings =
            self.bindings.into_iter().map(|((source, ty), found)| binding(module, &mut memory, source, ty, found));
        let bindings = bindings.collect::<Result<Vec<_>, _>>()?;
        let samplers = self.samplers.into_iter().map(|(state, found)| {
            let (filter, address, compare) = state_names(state);
            let [_, d3d12, vulkan] = found.slots;
            let slots = SamplerSlots { d3d12: register(d3d12), vulkan: descriptor(vulkan) };
            model::StaticSampler {
                filter,
                address,
                compare,
                variable: found.variable,
                in_interface: found.in_interface,
                slots,
            }
        });
        let static_samplers = samplers.collect();
        if bindings.is_empty() && !self.world.shared.functions.iter().any(|(_, function)| function.entry.is_some()) {
            memory.everything();
        }
        let structs = memory.structs()?;
        let named = memory.named(&structs);
        let enums = memory.enums().filter(|item| named.contains(&item.name)).collect();
        let bitfields = memory.bitfields().filter(|item| named.contains(&item.name)).collect();
        Ok(Everything { bindings, static_samplers, structs, enums, bitfields })
    }
}

/// The resources of a package, and what lies in its buffers.
pub(super) struct Everything {
    pub(super) bindings: Vec<model::Binding>,
    pub(super) static_samplers: Vec<model::StaticSampler>,
    pub(super) structs: Vec<model::Struct>,
    pub(super) enums: Vec<model::Enum>,
    pub(super) bitfields: Vec<model::Bitfield>,
}

/// Puts a resource to those that were found, and gives its number.
fn add<K: std::hash::Hash + Eq>(all: &mut IndexMap<K, Found>, key: K, found: Found) -> usize {
    let entry = all.entry(key);
    let index = entry.index();
    let Found { variable, declared, in_interface, slots, usage } = found;
    let known = entry.or_insert(Found { variable, declared, in_interface, slots, usage: Usage::default() });
    known.in_interface |= in_interface;
    known.usage = known.usage.with(usage);
    for (slot, new) in known.slots.iter_mut().zip(slots) {
        *slot = slot.or(new);
    }
    index
}

/// Adds an entry with a resource to a module. Of a static sampler only the state is known, which tells its type.
fn entry_with(module: &mut Module, source: BindingSource, ty: Option<Type>) -> FuncId {
    let ty = ty.unwrap_or_else(|| match source {
        BindingSource::Sampler(SamplerState { compare: Some(_), .. }) => module.types.intern(TypeKind::SamplerCmp),
        BindingSource::Sampler(SamplerState { compare: None, .. })
        | BindingSource::Named { .. }
        | BindingSource::Slot(_) => module.types.intern(TypeKind::Sampler),
    });
    let name = module.symbols.intern("unreached");
    let body = module.new_region();
    let entry = module.functions.alloc(Function {
        name,
        doc: None,
        params: Vec::new(),
        result: None,
        result_role: FieldRole::Plain,
        entry: Some(Entry { stage: Stage::Compute, threads: [1; 3] }),
        is_closure: false,
        requested: None,
        body,
        loc: None,
    });
    module.add_param(entry, Some(name), ty, PassMode::Value, ParamRole::Resource(source));
    entry
}

fn name(module: &Module, param: &Param) -> String {
    module.value(param.value).name.map_or(String::new(), |name| module.text(name).to_owned())
}

fn access(usage: Usage) -> &'static str {
    match (usage.reads, usage.writes) {
        (false, false) => "none",
        (true, false) => "read",
        (false, true) => "write",
        (true, true) => "read_write",
    }
}

/// What a type says of a resource.
struct Shape {
    class: Class,
    count: Option<u32>,
    argument: &'static str,
    buffer: Option<(BufferKind, Type)>,
    texture: Option<model::Texture>,
}

impl Shape {
    fn of(module: &Module, ty: Type) -> Option<Self> {
        let plain = |class, argument| Self { class, count: Some(1), argument, buffer: None, texture: None };
        Some(match module.kind(ty) {
            TypeKind::Buffer(kind, content) => {
                let class = match kind {
                    BufferKind::Uniform => Class::UniformBuffer,
                    BufferKind::Read => Class::Buffer,
                    BufferKind::ReadWrite => Class::RwBuffer,
                    BufferKind::Atomic => Class::AtomicBuffer,
                };
                Self { buffer: Some((kind, content)), ..plain(class, "buffer") }
            }
            TypeKind::Texture(dim, texel) => {
                let name = TexelKind::ALL[texel as usize].1;
                Self { texture: Some(texture(dim, name, None)), ..plain(Class::Texture, "texture") }
            }
            TypeKind::StorageTexture(dim, format) => {
                let texel = match format.scalar() {
                    Scalar::I32 => "int",
                    Scalar::U32 => "uint",
                    Scalar::Bool | Scalar::U64 | Scalar::F16 | Scalar::F32 => "float",
                };
                Self {
                    texture: Some(texture(dim, texel, Some(format_name(format)))),
                    ..plain(Class::StorageTexture, "texture")
                }
            }
            TypeKind::AccelStruct => plain(Class::AccelerationStructure, "buffer"),
            TypeKind::BufferTable => Self { count: None, ..plain(Class::BufferTable, "buffer") },
            TypeKind::TextureTable => Self { count: None, ..plain(Class::TextureTable, "buffer") },
            TypeKind::ResourceArray(element, length) => Self { count: Some(length), ..Self::of(module, element)? },
            // Samplers are static ones.
            TypeKind::Sampler
            | TypeKind::SamplerCmp
            | TypeKind::Scalar(_)
            | TypeKind::Vector(..)
            | TypeKind::Matrix { .. }
            | TypeKind::Array(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Function(_)
            | TypeKind::Struct(_)
            | TypeKind::Place(..)
            | TypeKind::Memory(_) => return None,
        })
    }
}

fn binding(
    module: &Module,
    memory: &mut Memory<'_>,
    source: BindingSource,
    ty: Type,
    found: Found,
) -> Result<model::Binding, LayoutError> {
    let shape = Shape::of(module, ty).ok_or(LayoutError::Opaque(ty))?;
    let (name, slot) = match source {
        BindingSource::Named { group, name } => (Some(module.dotted(group, name)), None),
        BindingSource::Slot(number) => (None, Some(number)),
        BindingSource::Sampler(_) => (None, None),
    };
    let access = match shape.class {
        Class::RwBuffer | Class::AtomicBuffer | Class::StorageTexture => "read_write",
        Class::UniformBuffer
        | Class::Buffer
        | Class::Texture
        | Class::AccelerationStructure
        | Class::BufferTable
        | Class::TextureTable => "read",
    };
    let kinds = kinds(shape.class, &found);
    let [metal, d3d12, vulkan] = found.slots;
    let metal = match metal {
        Some(Slot::Metal(index)) => Some(MetalSlot { argument: shape.argument, index }),
        Some(Slot::D3d12(_) | Slot::Vulkan(_)) | None => None,
    };
    let buffer = shape.buffer.map(|(kind, content)| memory.buffer(kind, content)).transpose()?;
    Ok(model::Binding {
        name,
        slot,
        variable: found.variable,
        declared: found.declared,
        in_interface: found.in_interface,
        ty: source_name(module, ty),
        class: shape.class,
        count: shape.count,
        access,
        buffer,
        texture: shape.texture,
        slots: Targets { metal, d3d12: register(d3d12), vulkan: descriptor(vulkan) },
        kinds,
    })
}

/// The kinds of resources in a table that are used.
fn kinds_used(ty: TypeKind, usage: Usage) -> Vec<&'static str> {
    if ty == TypeKind::BufferTable && usage.reached {
        return vec![BUFFER_KIND];
    }
    TextureKind::ALL.into_iter().filter(|kind| usage.kinds[*kind as usize]).map(TextureKind::name).collect()
}

/// What the only kind of a table of buffers is called.
const BUFFER_KIND: &str = "buffer";

/// The slots of what is in a table.
fn kinds(class: Class, found: &Found) -> Vec<model::TableKind> {
    let [_, d3d12, vulkan] = found.slots;
    match class {
        Class::BufferTable => {
            let (d3d12, vulkan) = (register(d3d12), descriptor(vulkan));
            vec![model::TableKind { kind: BUFFER_KIND, reached: found.usage.reached, d3d12, vulkan }]
        }
        Class::TextureTable => TextureKind::ALL
            .into_iter()
            .map(|kind| model::TableKind {
                kind: kind.name(),
                reached: found.usage.kinds[kind as usize],
                d3d12: register(d3d12.map(|slot| slot_of(slot, kind))),
                vulkan: descriptor(vulkan.map(|slot| slot_of(slot, kind))),
            })
            .collect(),
        Class::UniformBuffer
        | Class::Buffer
        | Class::RwBuffer
        | Class::AtomicBuffer
        | Class::Texture
        | Class::StorageTexture
        | Class::AccelerationStructure => Vec::new(),
    }
}

fn register(slot: Option<Slot>) -> Option<Register> {
    let Some(Slot::D3d12(register)) = slot else { return None };
    let letter = match register.class {
        RegisterClass::ConstantBuffer => "b",
        RegisterClass::ShaderResource => "t",
        RegisterClass::UnorderedAccess => "u",
        RegisterClass::Sampler => "s",
    };
    Some(Register { register: letter, number: register.number, space: register.space })
}

fn descriptor(slot: Option<Slot>) -> Option<Descriptor> {
    let Some(Slot::Vulkan(descriptor)) = slot else { return None };
    Some(Descriptor { set: descriptor.set, binding: descriptor.binding })
}
