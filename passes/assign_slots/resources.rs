//! The slots of resources.

use akari_dialect_gpu_abi::manifest::{ResourceRow, RowClass};
use akari_dialect_gpu_abi::{Manifest, Target};
use akari_ir::interface::{BindingSource, ParamRole, SamplerState};
use akari_ir::slots::{Descriptor, Register, RegisterClass, Slot};
use akari_ir::{Diagnostic, FuncId, Module, Span, Symbol, with_article};

use super::automatic::Namespaces;
use super::class::{Class, Shape, letter};
use super::{codes, nearest};

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

/// What automatic numbers are given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Name {
    Bound(Symbol, Symbol),
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
    let mut slots = vec![None; uses.len()];
    for index in in_order_of_declaration(assigner.module, &uses) {
        slots[index] = assigner.slot(&uses[index]);
    }
    for entry in uses.chunk_by(|a, b| a.func == b.func) {
        let first = uses.partition_point(|other| other.func < entry[0].func);
        assigner.check_clashes(entry, &slots[first..first + entry.len()]);
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
    let mut files = Vec::new();
    for place in module.functions.iter().filter_map(|(_, function)| function.loc) {
        if !files.contains(&place.file) {
            files.push(place.file);
        }
    }
    let mut order: Vec<usize> = (0..uses.len()).collect();
    if uses.iter().all(|resource| resource.span.is_some()) {
        let place = |span: Span| (files.iter().position(|file| *file == span.file), span.start);
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
    fn error(&mut self, code: akari_ir::Code, span: Option<Span>, message: String) -> &mut Diagnostic {
        let error = Diagnostic::error(code, span, message);
        self.diagnostics.push(error);
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

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
            (BindingSource::Named { group, name }, None) => self.numbered(resource, Name::Bound(group, name)),
            (BindingSource::Named { group, name }, Some(manifest)) => {
                let name = format!("{}.{}", self.module.text(group), self.module.text(name));
                self.named(resource, &name, manifest)?
            }
        };
        self.check_range(resource, slot)
    }

    /// The slot of this number among those of the resource's class.
    fn at(&self, shape: Shape, number: u32) -> Slot {
        match self.target {
            Target::Metal => Slot::Metal(number),
            Target::D3d12 => Slot::D3d12(Register { class: shape.register, number, space: 0 }),
            Target::VulkanHlsl | Target::Spirv => {
                Slot::Vulkan(Descriptor { set: shape.class.set(), binding: table_binding(shape.class).unwrap_or(number) })
            }
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
        let row = manifest.samplers.as_ref().and_then(|set| set.rows.get(&state));
        let Some(row) = row else {
            let state = describe(state);
            let message = format!("the manifest has no static sampler `{state}`");
            self.error(codes::SAMPLER_STATE, resource.span, message).help =
                Some("add a row to `static_samplers`, or use a state of the set".into());
            return None;
        };
        let slot = match self.target {
            Target::Metal => return None,
            Target::D3d12 => row.d3d12.map(Slot::D3d12),
            Target::VulkanHlsl | Target::Spirv => row
                .vulkan
                .or(row.d3d12.map(|register| Descriptor { set: Class::Sampler.set(), binding: register.number }))
                .map(Slot::Vulkan),
        };
        if slot.is_none() {
            self.missing_column(resource, &format!("static sampler `{}`", describe(state)), row.span);
        }
        slot
    }

    fn missing_column(&mut self, resource: &Use, what: &str, row: Span) {
        let column = match self.target {
            Target::Metal => "`metal`",
            Target::D3d12 => "`d3d12`",
            Target::VulkanHlsl | Target::Spirv => match resource.shape.class {
                Class::Sampler => "`spirv` or `d3d12`",
                _ => "`spirv` or `metal`",
            },
        };
        let message = format!("the manifest gives no {column} slot for {what}");
        let error = self.error(codes::MISSING_COLUMN, resource.span, message);
        *error = error.clone().note_at(row, "its row");
    }

    fn named(&mut self, resource: &Use, name: &str, manifest: &Manifest) -> Option<Slot> {
        let Some(row) = resource.shape.class.row().and_then(|class| find(manifest, class, name)) else {
            self.unknown(resource, name, manifest);
            return None;
        };
        let slot = match self.target {
            Target::Metal => row.metal.map(Slot::Metal),
            Target::D3d12 => row.d3d12.map(Slot::D3d12),
            Target::VulkanHlsl | Target::Spirv => match (table_binding(resource.shape.class), row.vulkan, row.metal) {
                (Some(binding), ..) => Some(Slot::Vulkan(Descriptor { set: resource.shape.class.set(), binding })),
                (None, Some(descriptor), _) => Some(Slot::Vulkan(descriptor)),
                (None, None, Some(binding)) => {
                    Some(Slot::Vulkan(Descriptor { set: resource.shape.class.set(), binding }))
                }
                (None, None, None) => None,
            },
        };
        match slot {
            None => self.missing_column(resource, &format!("`{name}`"), row.span),
            Some(Slot::D3d12(register)) if register.class != resource.shape.register => {
                let (has, wants) = (letter(register.class), letter(resource.shape.register));
                let message = format!("`{name}` is bound to {} register, but a resource of this type takes `{wants}`", with_article(&has.to_string()));
                let error = self.error(codes::REGISTER_CLASS, resource.span, message);
                *error = error.clone().note_at(row.span, "its row");
                return None;
            }
            Some(_) => {}
        }
        slot
    }

    fn unknown(&mut self, resource: &Use, name: &str, manifest: &Manifest) {
        let Some(class) = resource.shape.class.row() else {
            let message = "samplers are not bound by name".to_owned();
            self.error(codes::UNKNOWN_NAME, resource.span, message).help =
                Some("write `@sampler(filter, address)`".into());
            return;
        };
        let (kind, other) = match class {
            RowClass::Buffer => ("buffer", RowClass::Texture),
            RowClass::Texture | RowClass::Target => ("texture", RowClass::Buffer),
        };
        let error = self.error(codes::UNKNOWN_NAME, resource.span, format!("the manifest has no {kind} `{name}`"));
        if let Some(place) = manifest.place(other, name) {
            *error = error.clone().note_at(place, format!("it has `{}` for this name", other.prefix()));
        } else if let Some(near) = nearest(name, manifest.names(class)) {
            error.help = Some(format!("did you mean `{near}`?"));
        }
    }

    fn check_range(&mut self, resource: &Use, slot: Slot) -> Option<Slot> {
        let length = resource.shape.length;
        let (first, limit, last) = match slot {
            Slot::Metal(first) => {
                let limit = resource.shape.class.metal_limit();
                (first, limit, format!("Metal's last, {}", limit - 1))
            }
            // The greatest number stands for an open range there.
            Slot::D3d12(register) => (register.number, u32::MAX, "Direct3D's last".to_owned()),
            Slot::Vulkan(_) => return Some(slot),
        };
        if first.saturating_add(length) > limit {
            let slot = describe_slot(resource, slot);
            let message = match length {
                1 => format!("{slot} is beyond {last}"),
                _ => format!("{slot} and the {} after it, which an array of {length} takes, go beyond {last}", length - 1),
            };
            self.error(codes::OUT_OF_RANGE, resource.span, message);
            return None;
        }
        Some(slot)
    }

    /// Two different resources of an entry must not share a slot.
    fn check_clashes(&mut self, entry: &[Use], slots: &[Option<Slot>]) {
        for (index, (resource, slot)) in entry.iter().zip(slots).enumerate() {
            let Some(slot) = slot else { continue };
            let earlier = entry[..index].iter().zip(slots).find(|(other, taken)| {
                // One resource may have two names, if it is the same for both.
                let same = resource.source == other.source && self.type_of(resource) == self.type_of(other);
                !same && taken.is_some_and(|taken| overlap((resource, *slot), (other, taken)))
            });
            if let Some((other, _)) = earlier {
                let (this, that) = (self.param_name(resource), self.param_name(other));
                let place = describe_slot(resource, *slot);
                let message = format!("`{this}` and `{that}` are both bound to {place}");
                let rows: Vec<_> = [resource, other].into_iter().filter_map(|each| self.row(each)).collect();
                let that_span = other.span;
                let error = self.error(codes::CLASH, resource.span, message);
                if let Some(span) = that_span {
                    *error = error.clone().note_at(span, format!("`{that}`"));
                }
                for (name, span) in rows {
                    *error = error.clone().note_at(span, format!("the row of `{name}`"));
                }
            }
        }
    }

    fn row(&self, resource: &Use) -> Option<(String, Span)> {
        let BindingSource::Named { group, name } = resource.source else { return None };
        let name = format!("{}.{}", self.module.text(group), self.module.text(name));
        let place = self.manifest?.place(resource.shape.class.row()?, &name)?;
        Some((name, place))
    }

    fn type_of(&self, resource: &Use) -> akari_ir::Type {
        self.module.value_type(self.module.functions[resource.func].params[resource.index].value)
    }

    fn param_name(&self, resource: &Use) -> String {
        let param = &self.module.functions[resource.func].params[resource.index];
        match self.module.value(param.value).name {
            Some(name) => self.module.text(name).to_owned(),
            None => format!("parameter {}", resource.index),
        }
    }
}

fn find(manifest: &Manifest, class: RowClass, name: &str) -> Option<ResourceRow> {
    match class {
        RowClass::Buffer => manifest.buffers.get(name).copied(),
        RowClass::Texture => manifest.textures.get(name).copied(),
        RowClass::Target => None,
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

fn overlap((resource, slot): (&Use, Slot), (other, taken): (&Use, Slot)) -> bool {
    let meet = |(a, length): (u32, u32), (b, other): (u32, u32)| a < b.saturating_add(other) && b < a.saturating_add(length);
    match (slot, taken) {
        (Slot::Metal(a), Slot::Metal(b)) => {
            resource.shape.class.metal_attribute() == other.shape.class.metal_attribute() && meet((a, resource.shape.length), (b, other.shape.length))
        }
        (Slot::D3d12(a), Slot::D3d12(b)) => {
            let ((spaces, registers), (other_spaces, others)) = (resource.shape.registers(), other.shape.registers());
            a.class == b.class
                && meet((a.space, spaces), (b.space, other_spaces))
                && meet((a.number, registers), (b.number, others))
        }
        (Slot::Vulkan(a), Slot::Vulkan(b)) => {
            a.set == b.set && meet((a.binding, resource.shape.bindings()), (b.binding, other.shape.bindings()))
        }
        _ => false,
    }
}

fn describe_slot(resource: &Use, slot: Slot) -> String {
    match slot {
        Slot::Metal(index) => format!("`[[{}({index})]]`", resource.shape.class.metal_attribute()),
        Slot::D3d12(register) if register.space == 0 => format!("`{}{}`", letter(register.class), register.number),
        Slot::D3d12(register) => format!("`{}{},space{}`", letter(register.class), register.number, register.space),
        Slot::Vulkan(descriptor) => format!("set {}, binding {}", descriptor.set, descriptor.binding),
    }
}

/// A state as the source writes it.
fn describe(state: SamplerState) -> String {
    use akari_ir::interface::{Address, Compare, Filter};
    let name = |names: &[(Filter, &'static str)]| names.iter().find(|(value, _)| *value == state.filter).map_or("", |(_, n)| *n);
    let filter = name(&Filter::ALL);
    let address = Address::ALL.iter().find(|(value, _)| *value == state.address).map_or("", |(_, name)| *name);
    match state.compare {
        Some(compare) => {
            let compare = Compare::ALL.iter().find(|(value, _)| *value == compare).map_or("", |(_, name)| *name);
            format!("@sampler(comparison, {compare}, {filter}, {address})")
        }
        None => format!("@sampler({filter}, {address})"),
    }
}
