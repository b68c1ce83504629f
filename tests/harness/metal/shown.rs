//! What the attributes in Metal source say of the interfaces of its entries.

use super::lexer::Token;
use super::syntax::{AddressSpace, Attribute, Declaration, EntryStage, Function, Indirection, Unit, parse};
use crate::shown::{Class, Located, Resource, SamplerState, Shown, Threads};

/// The interfaces of the entries in Metal source, in its order.
///
/// # Errors
/// When the source cannot be read, or something in an interface is of no kind that Akari emits.
pub fn of_metal(source: &str) -> Result<Vec<Shown>, String> {
    let unit = parse(source)?;
    let entries = unit.functions.iter().filter(|function| function.body.is_some());
    entries.filter_map(|function| Some(of_entry(&unit, function, function.stage?))).collect()
}

fn of_entry(unit: &Unit, function: &Function, stage: EntryStage) -> Result<Shown, String> {
    let mut shown = Shown { entry: function.name.clone(), ..Shown::default() };
    let total = function.attributes.iter().find(|attribute| attribute.name == "max_total_threads_per_threadgroup");
    shown.threads = total.and_then(Attribute::index).map(Threads::Total);
    if let Some(body) = &function.body {
        shown.baked = baked(&unit.tokens[body.clone()])?;
    }
    for parameter in &function.parameters {
        for kind in ["buffer", "texture", "sampler"] {
            if let Some(index) = parameter.attribute(kind).and_then(Attribute::index) {
                shown.resources.push(resource(unit, parameter, index)?);
            }
        }
        if parameter.attribute("stage_in").is_some() {
            for field in fields(unit, &parameter.ty) {
                shown.position |= field.attribute("position").is_some();
                shown.inputs.extend(varying(field)?);
            }
        }
    }
    let result = &function.result;
    match stage {
        EntryStage::Kernel => {}
        EntryStage::Vertex => {
            shown.position =
                function.attributes.iter().any(|attribute| attribute.name == "position") || result.ty == "float4";
            for field in fields(unit, &result.ty) {
                shown.position |= field.attribute("position").is_some();
                if field.attribute("clip_distance").is_some() {
                    shown.clip_distances += field.extents.first().and_then(|extent| extent.parse().ok()).unwrap_or(1);
                }
                shown.outputs.extend(varying(field)?);
            }
        }
        EntryStage::Fragment => {
            for field in fields(unit, &result.ty) {
                if let Some(number) = field.attribute("color").and_then(Attribute::index) {
                    shown.outputs.push(located(&field.ty, number, None)?);
                }
            }
            if unit.struct_named(&result.ty).is_none() && result.ty != "void" {
                shown.outputs.push(located(&result.ty, 0, None)?);
            }
        }
    }
    shown.inputs.sort();
    shown.outputs.sort();
    Ok(shown)
}

/// The samplers that are declared in the tokens of a body.
fn baked(tokens: &[Token]) -> Result<Vec<SamplerState>, String> {
    let mut found = Vec::new();
    for (at, pair) in tokens.windows(2).enumerate() {
        if !(pair[0].is("constexpr") && pair[1].is("sampler")) {
            continue;
        }
        let (mut state, mut mips) = (("", "", None), "");
        let words = tokens[at..].iter().take_while(|token| !token.is(";")).collect::<Vec<_>>();
        for word in words.windows(3).filter(|word| word[1].is("::")) {
            let named = |names: &[(&str, &'static str)]| {
                let found = names.iter().find(|(name, _)| word[2].is(name)).map(|(_, name)| *name);
                found.ok_or_else(|| format!("a sampler with `{}::{}`", word[0].text, word[2].text))
            };
            match word[0].text.as_str() {
                "filter" => state.0 = named(&[("nearest", "point"), ("linear", "linear")])?,
                "mip_filter" => mips = named(&[("nearest", "point"), ("linear", "linear")])?,
                "address" => {
                    state.1 = named(&[("clamp_to_edge", "clamp"), ("repeat", "repeat"), ("mirrored_repeat", "mirror")])?
                }
                "compare_func" => {
                    let names =
                        ["never", "less", "equal", "less_equal", "greater", "not_equal", "greater_equal", "always"];
                    state.2 = Some(named(&names.map(|name| (name, name)))?);
                }
                other => return Err(format!("a sampler with `{other}`")),
            }
        }
        if state.0 != mips {
            return Err(format!("a sampler that filters by `{}`, and levels by `{mips}`", state.0));
        }
        found.push(state);
    }
    Ok(found)
}

fn fields<'u>(unit: &'u Unit, ty: &str) -> &'u [Declaration] {
    unit.struct_named(ty).map_or(&[], |structure| &structure.fields)
}

fn varying(field: &Declaration) -> Result<Option<Located>, String> {
    let Some(user) = field.attribute("user") else { return Ok(None) };
    let number = user.argument.as_deref().and_then(|argument| argument.strip_prefix("loc")?.parse().ok());
    let number = number.ok_or_else(|| format!("`{}` is not at `user(locN)`", field.name))?;
    let has = |name| field.attribute(name).is_some();
    let interpolation = if has("flat") {
        "flat"
    } else if has("center_no_perspective") {
        "noperspective"
    } else {
        "perspective"
    };
    located(&field.ty, number, Some(interpolation)).map(Some)
}

fn located(ty: &str, location: u32, interpolation: Option<&'static str>) -> Result<Located, String> {
    let (name, width) = match ty.chars().last().and_then(|last| last.to_digit(10)) {
        Some(width) => (&ty[..ty.len() - 1], width),
        None => (ty, 1),
    };
    let scalar = ["float", "half", "int", "uint"].into_iter().find(|scalar| *scalar == name);
    let scalar = scalar.ok_or_else(|| format!("`{ty}` at a location"))?;
    Ok(Located { location, scalar, width, interpolation })
}

/// The name of a template, and what stands between its brackets.
fn arguments(ty: &str) -> (&str, Vec<&str>) {
    let Some((name, rest)) = ty.split_once('<') else { return (ty, Vec::new()) };
    let inner = rest.strip_suffix('>').unwrap_or(rest);
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, character) in inner.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(inner[from..].trim());
    (name.trim(), found)
}

fn resource(unit: &Unit, parameter: &Declaration, number: u32) -> Result<Resource, String> {
    let of = |class| Resource::new(class, 0, number);
    let (name, found) = arguments(&parameter.ty);
    if parameter.spaces.contains(&AddressSpace::Constant) && parameter.indirection == Indirection::Reference {
        return Ok(Resource { writable: Some(false), ..of(Class::UniformBuffer) });
    }
    if parameter.spaces.contains(&AddressSpace::Device) {
        let holds_resources = fields(unit, &parameter.ty)
            .iter()
            .any(|field| field.indirection == Indirection::Pointer || texture_shape(arguments(&field.ty).0).is_some());
        if holds_resources {
            return Ok(Resource { count: None, ..of(Class::Table) });
        }
        return Ok(Resource { writable: Some(!parameter.constant), ..of(Class::StorageBuffer) });
    }
    if let ("array", [element, length]) = (name, found.as_slice()) {
        let element = Declaration { ty: (*element).to_owned(), ..parameter.clone() };
        let count = length.trim_end_matches('u').parse().map_err(|_| format!("an array of {length}"))?;
        return Ok(Resource { count: Some(count), ..resource(unit, &element, number)? });
    }
    if let Some((dimension, is_depth)) = texture_shape(name) {
        let texel = match found.first() {
            _ if is_depth => "depth",
            Some(&"float") => "float",
            Some(&"half") => "half",
            Some(&"int") => "int",
            Some(&"uint") => "uint",
            other => return Err(format!("a texture of {other:?}")),
        };
        let (class, writable) = match found.get(1).copied() {
            None | Some("access::sample") => (Class::Texture, false),
            Some("access::read") => (Class::StorageTexture, false),
            Some("access::write" | "access::read_write") => (Class::StorageTexture, true),
            Some(other) => return Err(format!("a texture with {other}")),
        };
        return Ok(Resource { dimension: Some(dimension), texel: Some(texel), writable: Some(writable), ..of(class) });
    }
    match name {
        "sampler" => Ok(of(Class::Sampler)),
        "raytracing::instance_acceleration_structure" | "instance_acceleration_structure" => {
            Ok(of(Class::AccelerationStructure))
        }
        other => Err(format!("a resource of the type `{other}`")),
    }
}

/// The shape of a texture type, and whether it is of depths.
fn texture_shape(name: &str) -> Option<(&'static str, bool)> {
    Some(match name {
        "texture2d" => ("2d", false),
        "texture2d_array" => ("2d_array", false),
        "texture3d" => ("3d", false),
        "texturecube" => ("cube", false),
        "texturecube_array" => ("cube_array", false),
        "depth2d" => ("2d", true),
        _ => return None,
    })
}
