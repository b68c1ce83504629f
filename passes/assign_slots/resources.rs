//! The slots of resources.

use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_dialect_gpu_abi::manifest::{FIRST_RESERVED_SPACE, RowClass};
use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::interface::{BindingSource, ParamRole, SamplerState};
use akari_ir::slots::{Descriptor, Register, RegisterClass, Slot};
use akari_ir::types::BufferKind;
use akari_ir::{Diagnostic, FuncId, Module, Span, Symbol, TypeKind};
use indexmap::IndexSet;

use super::automatic::Namespaces;
use super::clashes::{Bound, ResourceKey, clashes, describe_slot, param_name};
use super::class::{Class, Shape};
use super::{codes, faults, names};

/// A resource parameter of an entry.
#[derive(Clone, Copy, Debug)]
struct Use {
    func: FuncId,
    index: usize,
    source: BindingSource,
    shape: Shape,
    /// The place of the parameter, else of the entry. Absent in modules that no source text stands behind.
    span: Option<Span>,
}

/// So many bytes an element of a structured buffer of D3D12 may have.
const LARGEST_ELEMENT: u32 = 2048;

/// What automatic numbers are given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// A row of the manifest that there is none of: buffers and textures have names of their own.
    Bound(Option<RowClass>, Symbol, Symbol),
    Numbered(u32),
    State(SamplerState),
}

/// The namespaces of automatic numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Namespace {
    /// Metal indices, Vulkan bindings. Bindless tables are counted among the buffers, which they are to Metal.
    Class(Class),
    /// D3D12 spaces of bindless tables, from 1.
    Space,
    /// D3D12 registers.
    Register(RegisterClass),
}

pub(super) fn assign(
    module: &mut Module,
    target: Target,
    manifest: Option<&Manifest>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let uses = uses(module);
    let mut assigner = Assigner { module, target, manifest, diagnostics, automatic: Namespaces::default() };
    for taken in &uses {
        if let BindingSource::Slot(number) = taken.source
            && !assigner.has_spaces(taken.shape)
        {
            assigner.namespace(taken.shape).take(number, taken.shape.length);
        }
    }
    for named in &uses {
        if let (BindingSource::Named { group, name }, None) = (named.source, manifest) {
            assigner
                .namespace(named.shape)
                .expect(Name::Bound(named.shape.class.row(), group, name), named.shape.length);
        }
    }
    let mut slots = vec![None; uses.len()];
    for index in in_order_of_declaration(assigner.module, &uses) {
        slots[index] = assigner.slot(&uses[index]);
    }
    for entry in uses.chunk_by(|a, b| a.func == b.func) {
        let first = uses.partition_point(|other| other.func < entry[0].func);
        let bound = assigner.bound(entry, &slots[first..first + entry.len()]);
        assigner.diagnostics.extend(clashes(&bound));
    }
    for (resource, slot) in uses.iter().zip(slots) {
        module.functions[resource.func].params[resource.index].slot = slot;
    }
}

fn uses(module: &Module) -> Vec<Use> {
    let mut uses = Vec::new();
    for (func, function) in module.functions.iter().filter(|(_, function)| function.entry.is_some()) {
        for (index, param) in function.params.iter().enumerate() {
            let ParamRole::Resource(source) = param.role else { continue };
            let Some(shape) = Shape::of(&module.types, module.value_kind(param.value)) else { continue };
            uses.push(Use { func, index, source, shape, span: param.loc.or(function.loc) });
        }
    }
    uses
}

/// The uses in the order in which the source declares them, files in the order of their functions. A package binding is declared
/// where it stands, not where an entry gets it. Without places the order is that of the parameters.
fn in_order_of_declaration(module: &Module, uses: &[Use]) -> Vec<usize> {
    let files: IndexSet<_> =
        module.functions.iter().filter_map(|(_, function)| function.loc).map(|place| place.file).collect();
    let mut order: Vec<usize> = (0..uses.len()).collect();
    if uses.iter().all(|resource| resource.span.is_some()) {
        let place = |span: Span| (files.get_index_of(&span.file), span.start);
        order.sort_by_key(|index| uses[*index].span.map(place));
    }
    order
}

struct Assigner<'a> {
    module: &'a Module,
    target: Target,
    manifest: Option<&'a Manifest>,
    diagnostics: &'a mut Vec<Diagnostic>,
    automatic: Namespaces<Namespace, Name>,
}

impl Assigner<'_> {
    fn namespace(&mut self, shape: Shape) -> &mut super::automatic::Numbers<Name> {
        self.automatic.of(match self.target {
            Target::Metal | Target::VulkanHlsl | Target::Spirv => Namespace::Class(match shape.class {
                Class::Buffer | Class::BufferTable | Class::TextureTable => Class::Buffer,
                Class::Texture => Class::Texture,
                Class::Sampler => Class::Sampler,
            }),
            Target::D3d12 if shape.class.is_table() => Namespace::Space,
            Target::D3d12 => Namespace::Register(shape.register),
        })
    }

    fn slot(&mut self, resource: &Use) -> Option<Slot> {
        let slot = match (resource.source, self.manifest) {
            // Metal bakes the state of a static sampler into the code; the set is checked all the same.
            (BindingSource::Sampler(state), Some(manifest)) if manifest.samplers.is_some() => {
                self.static_sampler(resource, state, manifest)?
            }
            (BindingSource::Sampler(_), _) if self.target == Target::Metal => return None,
            (BindingSource::Sampler(state), _) => self.numbered(resource, Name::State(state)),
            (BindingSource::Slot(number), _) if self.has_spaces(resource.shape) => {
                self.in_own_spaces(resource.shape, Name::Numbered(number), number)
            }
            (BindingSource::Slot(number), _) => self.at(resource.shape, number),
            (BindingSource::Named { group, name }, None) => {
                self.numbered(resource, Name::Bound(resource.shape.class.row(), group, name))
            }
            (BindingSource::Named { group, name }, Some(manifest)) => {
                let name = self.module.dotted(group, name);
                self.named(resource, &name, manifest)?
            }
        };
        self.check_element(resource);
        self.check_range(resource, slot)
    }

    /// Whether D3D12 takes elements of this size in a buffer.
    fn check_element(&mut self, resource: &Use) {
        let param = &self.module.functions[resource.func].params[resource.index];
        let TypeKind::Buffer(kind, element) = self.module.value_kind(param.value) else { return };
        if self.target != Target::D3d12 || kind == BufferKind::Uniform {
            return;
        }
        // What has no layout is told by whoever lays it out.
        let size = Layouts::new().of(self.module, element, Packing::Storage).map_or(0, |layout| layout.size);
        if size > LARGEST_ELEMENT {
            let message =
                format!("an element of this buffer has {size} bytes, and Direct3D takes {LARGEST_ELEMENT} at most");
            let error = Diagnostic::error(codes::OUT_OF_RANGE, resource.span, message);
            self.diagnostics.push(error.help("make its arrays buffers of their own"));
        }
    }

    /// The slot of this number among those of the resource's class.
    fn at(&self, shape: Shape, number: u32) -> Slot {
        match self.target {
            Target::Metal => Slot::Metal(number),
            Target::D3d12 => Slot::D3d12(Register { class: shape.register, number, space: 0 }),
            Target::VulkanHlsl | Target::Spirv => Slot::Vulkan(Descriptor {
                set: shape.class.set(),
                binding: table_binding(shape.class).unwrap_or(number),
            }),
        }
    }

    /// Whether the resource is given spaces of its own without a manifest: a bindless table of D3D12 goes on to a space's end.
    fn has_spaces(&self, shape: Shape) -> bool {
        self.target == Target::D3d12 && shape.class.is_table()
    }

    fn in_own_spaces(&mut self, shape: Shape, name: Name, number: u32) -> Slot {
        let (spaces, _) = shape.registers();
        let space = self.namespace(shape).number(name, spaces).saturating_add(1);
        Slot::D3d12(Register { class: shape.register, number, space })
    }

    fn numbered(&mut self, resource: &Use, name: Name) -> Slot {
        if self.has_spaces(resource.shape) {
            return self.in_own_spaces(resource.shape, name, 0);
        }
        let number = self.namespace(resource.shape).number(name, resource.shape.length);
        self.at(resource.shape, number)
    }

    fn static_sampler(&mut self, resource: &Use, state: SamplerState, manifest: &Manifest) -> Option<Slot> {
        let Some(row) = manifest.samplers.as_ref().and_then(|set| set.rows.get(&state)) else {
            self.unknown(resource, manifest);
            return None;
        };
        let slot = match self.target {
            Target::Metal => return None,
            Target::D3d12 => row.d3d12.map(Slot::D3d12),
            Target::VulkanHlsl | Target::Spirv => row.descriptor().map(Slot::Vulkan),
        };
        if slot.is_none() {
            self.missing_column(resource, &format!("static sampler `{state}`"), row.span);
        }
        slot
    }

    fn missing_column(&mut self, resource: &Use, what: &str, row: Span) {
        let column = match self.target {
            Target::Metal => "`metal`",
            Target::D3d12 => "`d3d12`",
            Target::VulkanHlsl | Target::Spirv => match resource.shape.class {
                Class::Sampler => "`spirv` or `d3d12`",
                Class::Buffer | Class::Texture | Class::BufferTable | Class::TextureTable => "`spirv` or `metal`",
            },
        };
        self.diagnostics.push(faults::missing_column(column, what, row, resource.span));
    }

    fn unknown(&mut self, resource: &Use, manifest: &Manifest) {
        let ty = self.type_of(resource);
        self.diagnostics.extend(names::unknown(self.module, manifest, resource.source, ty, resource.span));
    }

    fn named(&mut self, resource: &Use, name: &str, manifest: &Manifest) -> Option<Slot> {
        let Some(row) = resource.shape.class.row().and_then(|class| manifest.resource(class, name)) else {
            self.unknown(resource, manifest);
            return None;
        };
        let slot = match self.target {
            Target::Metal => row.metal.map(Slot::Metal),
            Target::D3d12 => row.d3d12.map(Slot::D3d12),
            Target::VulkanHlsl | Target::Spirv => {
                let set = resource.shape.class.set();
                let table = table_binding(resource.shape.class).map(|binding| Descriptor { set, binding });
                let counted = row.metal.map(|binding| Descriptor { set, binding });
                table.or(row.vulkan).or(counted).map(Slot::Vulkan)
            }
        };
        match slot {
            None => self.missing_column(resource, &format!("`{name}`"), row.span),
            Some(Slot::D3d12(register)) if register.class != resource.shape.register => {
                let error = faults::register_class(name, register, resource.shape.register, row.span, resource.span);
                self.diagnostics.push(error);
                return None;
            }
            Some(_) => {}
        }
        slot
    }

    fn check_range(&mut self, resource: &Use, slot: Slot) -> Option<Slot> {
        let length = resource.shape.length;
        if let Slot::D3d12(register) = slot
            && let (spaces, _) = resource.shape.registers()
            && register.space.saturating_add(spaces) > FIRST_RESERVED_SPACE
        {
            let slot = describe_slot(resource.shape, slot);
            let message = format!("{slot} goes on to space {FIRST_RESERVED_SPACE}, which D3D12 keeps for itself");
            return self.out_of_range(resource, message);
        }
        let (first, limit, last) = match slot {
            Slot::Metal(first) => {
                let limit = resource.shape.class.metal_limit();
                (first, limit, format!("Metal's last, {}", limit - 1))
            }
            // The greatest number stands for an open range there.
            Slot::D3d12(register) => (register.number, u32::MAX, format!("Direct3D's last, {}", u32::MAX - 1)),
            Slot::Vulkan(_) => return Some(slot),
        };
        if u64::from(first) + u64::from(length) > u64::from(limit) {
            let slot = describe_slot(resource.shape, slot);
            let message = match length {
                1 => format!("{slot} is beyond {last}"),
                _ => format!(
                    "{slot} and the {} after it, which an array of {length} takes, go beyond {last}",
                    length - 1
                ),
            };
            return self.out_of_range(resource, message);
        }
        Some(slot)
    }

    fn out_of_range(&mut self, resource: &Use, message: String) -> Option<Slot> {
        let mut error = Diagnostic::error(codes::OUT_OF_RANGE, resource.span, message);
        if let Some((_, row)) = self.row(resource) {
            error = error.note_at(row, "its row");
        }
        self.diagnostics.push(error);
        None
    }

    /// The resources of one entry that have slots.
    fn bound(&self, entry: &[Use], slots: &[Option<Slot>]) -> Vec<(Bound, ResourceKey)> {
        let bound = entry.iter().zip(slots).filter_map(|(resource, slot)| {
            let param = &self.module.functions[resource.func].params[resource.index];
            let name = param_name(self.module, param, resource.index);
            let bound =
                Bound { name, shape: resource.shape, slot: (*slot)?, at: resource.span, row: self.row(resource) };
            Some((bound, (resource.source, self.type_of(resource))))
        });
        bound.collect()
    }

    fn row(&self, resource: &Use) -> Option<(String, Span)> {
        let BindingSource::Named { group, name } = resource.source else { return None };
        let name = self.module.dotted(group, name);
        let place = self.manifest?.place(resource.shape.class.row()?, &name)?;
        Some((name, place))
    }

    fn type_of(&self, resource: &Use) -> akari_ir::Type {
        self.module.value_type(self.module.functions[resource.func].params[resource.index].value)
    }
}

/// The fixed binding of a bindless table in Vulkan's set of tables: that of its first kind.
fn table_binding(class: Class) -> Option<u32> {
    match class {
        Class::BufferTable => Some(0),
        Class::TextureTable => Some(1),
        Class::Buffer | Class::Texture | Class::Sampler => None,
    }
}
