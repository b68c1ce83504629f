//! The interfaces of entries: attributes, parameters, results, what passes between stages.

use super::{Rules, is_texture, numeric};
use crate::metal::syntax::{AddressSpace, Declaration, EntryStage, Function, Indirection, Struct};
use std::collections::{BTreeMap, BTreeSet};

/// Values that Metal gives to an entry's parameter, by stage.
fn builtin_types(stage: EntryStage, name: &str) -> Option<&'static [&'static str]> {
    const POSITION: &[&str] = &["uint", "uint2", "uint3", "ushort", "ushort2", "ushort3"];
    const INDEX: &[&str] = &["uint", "ushort"];
    match (stage, name) {
        (
            EntryStage::Kernel,
            "thread_position_in_grid"
            | "thread_position_in_threadgroup"
            | "threadgroup_position_in_grid"
            | "threads_per_grid"
            | "threads_per_threadgroup"
            | "threadgroups_per_grid"
            | "dispatch_threads_per_threadgroup"
            | "grid_origin"
            | "grid_size",
        ) => Some(POSITION),
        (
            EntryStage::Kernel,
            "thread_index_in_threadgroup"
            | "thread_index_in_simdgroup"
            | "simdgroup_index_in_threadgroup"
            | "threads_per_simdgroup"
            | "thread_execution_width"
            | "simdgroups_per_threadgroup"
            | "dispatch_simdgroups_per_threadgroup"
            | "thread_index_in_quadgroup"
            | "quadgroup_index_in_threadgroup"
            | "quadgroups_per_threadgroup",
        )
        | (
            EntryStage::Vertex,
            "vertex_id" | "instance_id" | "base_vertex" | "base_instance" | "amplification_id" | "amplification_count",
        ) => Some(INDEX),
        (EntryStage::Fragment, "thread_index_in_simdgroup" | "threads_per_simdgroup" | "thread_index_in_quadgroup") => {
            Some(INDEX)
        }
        (
            EntryStage::Fragment,
            "sample_id"
            | "sample_mask"
            | "primitive_id"
            | "render_target_array_index"
            | "viewport_array_index"
            | "amplification_id",
        ) => Some(&["uint"]),
        (EntryStage::Fragment, "position") => Some(&["float4"]),
        (EntryStage::Fragment, "front_facing") => Some(&["bool"]),
        (EntryStage::Fragment, "point_coord") => Some(&["float2", "half2"]),
        (EntryStage::Fragment, "barycentric_coord") => Some(&["float", "float2", "float3"]),
        (EntryStage::Kernel | EntryStage::Vertex | EntryStage::Fragment, _) => None,
    }
}

/// How a varying is interpolated.
pub(super) const INTERPOLATION: [&str; 7] = [
    "flat", "center_perspective", "center_no_perspective", "centroid_perspective", "centroid_no_perspective",
    "sample_perspective", "sample_no_perspective",
];

impl Rules<'_> {
    pub(super) fn entry_attributes(&mut self, function: &Function, stage: EntryStage) {
        for attribute in &function.attributes {
            let allowed = match attribute.name.as_str() {
                "max_total_threads_per_threadgroup" => stage == EntryStage::Kernel,
                "early_fragment_tests" => stage == EntryStage::Fragment,
                "position" => stage == EntryStage::Vertex,
                "color" | "depth" => stage == EntryStage::Fragment,
                _ => false,
            };
            if !allowed {
                self.fault(attribute.line, format!("[[{}]] on `{}`", attribute.name, function.name));
            }
            self.argument(attribute);
        }
    }

    pub(super) fn entry_parameters(&mut self, function: &Function, stage: EntryStage) {
        // Slots taken per class of resource, builtins taken, and the width that vector positions agree on.
        let mut slots = BTreeMap::<(&str, u32), &str>::new();
        let mut builtins = BTreeSet::new();
        let mut width: Option<(u32, &str)> = None;
        let mut staged = false;
        for parameter in &function.parameters {
            let [attribute] = parameter.attributes.as_slice() else {
                let count = parameter.attributes.len();
                self.fault(
                    parameter.line,
                    format!(
                        "parameter `{}` of the entry `{}` has {count} attributes, not one",
                        parameter.name, function.name
                    ),
                );
                continue;
            };
            self.argument(attribute);
            let name = attribute.name.as_str();
            let class = match name {
                "buffer" => Some(("buffer", 31)),
                "texture" => Some(("texture", 128)),
                "sampler" => Some(("sampler", 16)),
                "threadgroup" => Some(("threadgroup", 31)),
                _ => None,
            };
            if let (Some((class, limit)), Some(first)) = (class, attribute.index()) {
                let count = if name == "texture" { array_length(&parameter.ty).unwrap_or(1) } else { 1 };
                if first.saturating_add(count) > limit {
                    self.fault(
                        attribute.line,
                        format!("[[{class}({first})]] of `{}` is beyond the last, {}", parameter.name, limit - 1),
                    );
                }
                for index in first..first.saturating_add(count.min(limit)) {
                    if let Some(other) = slots.insert((class, index), &parameter.name) {
                        self.fault(
                            attribute.line,
                            format!("[[{class}({index})]] is given to `{other}` and to `{}`", parameter.name),
                        );
                    }
                }
            }
            let value = parameter.indirection == Indirection::Value && parameter.extents.is_empty();
            let fits = match name {
                "buffer" if parameter.ty.ends_with("acceleration_structure") => value,
                "buffer" => {
                    parameter.indirection != Indirection::Value
                        && matches!(parameter.spaces.as_slice(), [AddressSpace::Device | AddressSpace::Constant])
                        && !is_texture(&parameter.ty)
                }
                "texture" => value && is_texture(&parameter.ty),
                "sampler" => value && parameter.ty.ends_with("sampler"),
                "threadgroup" => {
                    parameter.indirection != Indirection::Value
                        && parameter.spaces == [AddressSpace::Threadgroup]
                        && stage == EntryStage::Kernel
                }
                "stage_in" => {
                    if staged {
                        self.fault(attribute.line, "two parameters are [[stage_in]]");
                    }
                    staged = true;
                    let Some(item) = self.unit.struct_named(&parameter.ty) else {
                        self.fault(
                            attribute.line,
                            format!("[[stage_in]] `{}` is of no struct declared here", parameter.name),
                        );
                        continue;
                    };
                    if stage == EntryStage::Fragment {
                        self.fragment_input(item);
                    }
                    value
                }
                _ => match builtin_types(stage, name) {
                    None => {
                        self.fault(
                            attribute.line,
                            format!("[[{name}]] on parameter `{}` of `{}`", parameter.name, function.name),
                        );
                        continue;
                    }
                    Some(types) => {
                        if !builtins.insert(name) {
                            self.fault(attribute.line, format!("[[{name}]] is given twice"));
                        }
                        if stage == EntryStage::Kernel
                            && let Some((_, columns @ 2..)) = numeric(&parameter.ty)
                        {
                            match width {
                                Some((other, first)) if other != columns => {
                                    self.fault(
                                        attribute.line,
                                        format!(
                                            "`{}` and `{first}` have different widths, which Metal wants equal",
                                            parameter.name
                                        ),
                                    );
                                }
                                _ => width = Some((columns, &parameter.name)),
                            }
                        }
                        value && types.contains(&parameter.ty.strip_prefix("metal::").unwrap_or(&parameter.ty))
                    }
                },
            };
            if !fits {
                self.fault(
                    parameter.line,
                    format!("parameter `{}` has no type that [[{name}]] can have", parameter.name),
                );
            }
        }
    }

    pub(super) fn vertex_result(&mut self, function: &Function) {
        if function.result.ty == "void" {
            return;
        }
        if numeric(&function.result.ty).is_some() {
            if function.result.ty != "float4"
                || !function.attributes.iter().any(|attribute| attribute.name == "position")
            {
                self.fault(function.line, format!("the vertex entry `{}` returns no [[position]]", function.name));
            }
            return;
        }
        let Some(item) = self.unit.struct_named(&function.result.ty) else {
            return self
                .fault(function.line, format!("the vertex entry `{}` returns no struct declared here", function.name));
        };
        let mut positions = 0;
        for field in &item.fields {
            if field.attribute("color").is_some() || field.attribute("depth").is_some() {
                self.fault(field.line, format!("field `{}` of a vertex result is a fragment's", field.name));
            }
            if let Some(clip) = field.attribute("clip_distance") {
                let count = field.extents.first().map_or(Ok(1), |extent| extent.parse::<u32>());
                if field.ty != "float" || field.extents.len() > 1 || !matches!(count, Ok(1..=8)) {
                    self.fault(clip.line, "[[clip_distance]] is a float or an array of up to eight");
                }
                continue;
            }
            if field.attribute("position").is_some() {
                positions += 1;
                if field.ty != "float4" {
                    self.fault(field.line, "[[position]] is no float4");
                }
                continue;
            }
            self.varying(field);
        }
        if positions != 1 {
            self.fault(
                function.line,
                format!("the result of the vertex entry `{}` has {positions} [[position]] fields", function.name),
            );
        }
        self.user_names(item);
    }

    /// A value between stages is a scalar or vector of numbers.
    fn varying(&mut self, field: &Declaration) {
        match numeric(&field.ty) {
            Some((scalar, _)) if !["bool", "long", "ulong"].contains(&scalar) => {}
            _ => self.fault(
                field.line,
                format!(
                    "`{}` passes between stages and is neither a scalar nor a vector of numbers of up to 32 bits",
                    field.name
                ),
            ),
        }
        if field.indirection != Indirection::Value {
            self.fault(field.line, format!("`{}` passes between stages and points", field.name));
        }
        if !field.extents.is_empty() {
            self.fault(field.line, format!("`{}` passes between stages and is an array", field.name));
        }
        if field.attributes.iter().filter(|attribute| INTERPOLATION.contains(&attribute.name.as_str())).count() > 1 {
            self.fault(field.line, format!("`{}` is interpolated in two ways", field.name));
        }
    }

    fn user_names(&mut self, item: &Struct) {
        let mut names = BTreeSet::new();
        for field in &item.fields {
            let name = field.attribute("user").and_then(|attribute| attribute.argument.clone());
            if name.as_ref().is_some_and(|name| !names.insert(name.clone())) {
                self.fault(field.line, format!("[[user]] of `{}` is used twice", field.name));
            }
        }
    }

    fn fragment_input(&mut self, item: &Struct) {
        for field in &item.fields {
            if field.attribute("position").is_some() {
                continue;
            }
            for name in ["clip_distance", "point_size", "color", "depth"] {
                if field.attribute(name).is_some() {
                    self.fault(field.line, format!("`{}` is [[{name}]], which no fragment takes in", field.name));
                }
            }
            self.varying(field);
            let integer = numeric(&field.ty).is_some_and(|(scalar, _)| scalar != "half" && scalar != "float");
            let builtin = ["primitive_id", "render_target_array_index", "viewport_array_index", "sample_mask"]
                .iter()
                .any(|name| field.attribute(name).is_some());
            if integer && !builtin && field.attribute("flat").is_none() {
                self.fault(field.line, format!("the integer `{}` is not [[flat]]", field.name));
            }
        }
        self.user_names(item);
    }

    pub(super) fn fragment_result(&mut self, function: &Function) {
        if function.result.ty == "void" {
            return;
        }
        if let Some((scalar, _)) = numeric(&function.result.ty) {
            if ["bool", "long", "ulong"].contains(&scalar) {
                self.fault(function.line, format!("the fragment entry `{}` returns no colour", function.name));
            }
            return;
        }
        let Some(item) = self.unit.struct_named(&function.result.ty) else {
            return self.fault(
                function.line,
                format!("the fragment entry `{}` returns no struct declared here", function.name),
            );
        };
        let mut places = BTreeSet::new();
        for field in &item.fields {
            let place = field
                .attributes
                .iter()
                .find(|attribute| ["color", "depth", "stencil", "sample_mask"].contains(&attribute.name.as_str()));
            let Some(place) = place else {
                self.fault(field.line, format!("`{}` of a fragment result goes nowhere", field.name));
                continue;
            };
            if !places.insert((place.name.clone(), if place.name == "color" { place.index() } else { None })) {
                self.fault(field.line, format!("`{}` goes where another field goes", field.name));
            }
            let fits = match place.name.as_str() {
                "color" => {
                    place.index().is_some_and(|index| index < 8)
                        && numeric(&field.ty).is_some_and(|(scalar, _)| !["bool", "long", "ulong"].contains(&scalar))
                }
                "depth" => field.ty == "float",
                _ => field.ty == "uint",
            };
            if !fits || field.indirection != Indirection::Value || !field.extents.is_empty() {
                self.fault(field.line, format!("`{}` has no type that [[{}]] can have", field.name, place.name));
            }
        }
    }
}

/// N of `array<T, N>`.
fn array_length(ty: &str) -> Option<u32> {
    let inner = ty.strip_prefix("metal::").unwrap_or(ty).strip_prefix("array<")?.strip_suffix('>')?;
    inner.rsplit_once(',')?.1.trim().parse().ok()
}
