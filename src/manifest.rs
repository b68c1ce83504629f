//! Reads a binding manifest (`bindings.kaji.json`, version 1). Every fault of the file is reported, also in rows that nothing
//! uses.

use akari_dialect_gpu_abi::manifest::{
    FIRST_RESERVED_SPACE, Manifest, ResourceRow, RowClass, SamplerRow, StaticSamplers, TargetRow,
};
use akari_ir::interface::{Address, Compare, Filter, SamplerState};
use akari_ir::slots::{Descriptor, Register, RegisterClass};
use akari_ir::{Diagnostic, FileId, Span, nearest};
use indexmap::IndexMap;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::foreign;
use crate::json::{Faults, Reader};

/// The codes of the faults of a manifest: `E41xx`.
pub mod codes {
    akari_ir::codes! {
        /// The file is not JSON.
        SYNTAX = "E4100";
        /// A value of the wrong JSON type.
        WRONG_TYPE = "E4101";
        /// A key that manifests do not have.
        UNKNOWN_KEY = "E4102";
        /// A key twice in one object.
        DUPLICATE_KEY = "E4103";
        /// A key that must be there is not.
        MISSING_KEY = "E4104";
        /// A version other than 1.
        VERSION = "E4105";
        /// A binding's key that is not written `HK_BUFFER(group,name)`, `HK_TEXTURE(…)` or `HK_TARGET(…)`.
        BAD_NAME = "E4106";
        /// A Metal index, D3D12 register or Vulkan descriptor that is not written as it must be.
        BAD_TOKEN = "E4107";
        /// A colour target beyond the eighth.
        TARGET_RANGE = "E4108";
        /// A D3D12 register where a Vulkan descriptor belongs.
        REGISTER_AS_DESCRIPTOR = "E4109";
        /// A filter, address mode or comparison that there is none of.
        BAD_SAMPLER_STATE = "E4110";
        /// Two static samplers of one state.
        DUPLICATE_SAMPLER_STATE = "E4111";
        /// Two static samplers on one register or descriptor.
        DUPLICATE_SAMPLER_SLOT = "E4112";
        /// A D3D12 space that the system keeps for itself.
        RESERVED_SPACE = "E4113";
    }
}

const FAULTS: Faults = Faults {
    syntax: codes::SYNTAX,
    wrong_type: codes::WRONG_TYPE,
    unknown_key: codes::UNKNOWN_KEY,
    duplicate_key: codes::DUPLICATE_KEY,
    missing_key: codes::MISSING_KEY,
};

/// How many colour targets there are on every target.
const COLOUR_TARGETS: u32 = 8;

/// Reads a manifest. Without errors among the diagnostics, it is sound.
#[must_use]
pub fn read(file: FileId, text: &str) -> (Manifest, Vec<Diagnostic>) {
    let (reader, value) = Reader::parse(file, text, FAULTS);
    let mut reader = ManifestReader { reader };
    let manifest = value.and_then(|value| reader.manifest(&value)).unwrap_or_default();
    (manifest, reader.reader.diagnostics)
}

struct ManifestReader {
    reader: Reader,
}

impl ManifestReader {
    fn manifest(&mut self, value: &Value<'_>) -> Option<Manifest> {
        let object = self.reader.object(value, "a manifest")?;
        let [version, bindings, samplers] =
            self.reader.fields(object, "a manifest", ["version", "bindings", "static_samplers"]);
        if let Some(version) = self.reader.required(version, object, "the manifest", "version") {
            self.version(version);
        }
        let mut manifest = Manifest::default();
        if let Some(bindings) = bindings.and_then(|bindings| self.reader.object(bindings, "`bindings`")) {
            for entry in self.reader.entries(bindings) {
                self.binding(entry, &mut manifest);
            }
        }
        if let Some(samplers) = samplers {
            manifest.samplers = self.samplers(samplers);
        }
        Some(manifest)
    }

    fn version(&mut self, version: &Value<'_>) {
        let Some(number) = self.reader.number(version, "`version`") else { return };
        if number != 1 {
            let span = self.reader.place(version);
            let error = self.reader.error(codes::VERSION, span, format!("manifest version {number} is not known"));
            error.help = Some("write `\"version\": 1`".into());
        }
    }

    fn binding(&mut self, entry: &ObjectProp<'_>, manifest: &mut Manifest) {
        let key = entry.name.as_str();
        let span = self.reader.place(&entry.name);
        let parsed = parse_key(key);
        if parsed.is_none() {
            let error = self.reader.error(codes::BAD_NAME, span, format!("`{key}` is no binding"));
            error.help = Some(help_for_key(key));
        }
        let Some(row) = self.reader.object(&entry.value, &format!("the row of `{key}`")) else { return };
        let Some((class, name)) = parsed else { return };
        match class {
            RowClass::Buffer => {
                let row = self.resource(row, span, class);
                manifest.buffers.insert(name, row);
            }
            RowClass::Texture => {
                let row = self.resource(row, span, class);
                manifest.textures.insert(name, row);
            }
            RowClass::Target => {
                let row = self.target(row, span);
                manifest.targets.insert(name, row);
            }
        }
    }

    fn resource(&mut self, row: &Object<'_>, span: Span, class: RowClass) -> ResourceRow {
        let [metal, d3d12, spirv] = self.reader.fields(row, "a binding", ["metal", "d3d12", "spirv"]);
        let letters: &[RegisterClass] = match class {
            RowClass::Buffer => {
                &[RegisterClass::ConstantBuffer, RegisterClass::ShaderResource, RegisterClass::UnorderedAccess]
            }
            RowClass::Texture | RowClass::Target => &[RegisterClass::ShaderResource, RegisterClass::UnorderedAccess],
        };
        ResourceRow {
            span,
            metal: metal.and_then(|value| self.index(value)),
            d3d12: d3d12.and_then(|value| self.register(value, letters)),
            vulkan: spirv.and_then(|value| self.descriptor(value)),
        }
    }

    fn target(&mut self, row: &Object<'_>, span: Span) -> TargetRow {
        let [metal, d3d12] = self.reader.fields(row, "a render target", ["metal", "d3d12"]);
        let metal = metal.and_then(|value| {
            let index = self.index(value)?;
            self.in_range(value, index)
        });
        let d3d12 = d3d12.and_then(|value| {
            let token = self.reader.string(value, "`d3d12`")?;
            let (prefix, digits) = token.split_at_checked("SV_TARGET".len()).unwrap_or(("", ""));
            match decimal(digits).filter(|_| prefix.eq_ignore_ascii_case("SV_TARGET")) {
                Some(index) => self.in_range(value, index),
                None => {
                    self.bad_token(value, token, "a colour target", "`SV_TARGET0` to `SV_TARGET7`");
                    None
                }
            }
        });
        TargetRow { span, metal, d3d12 }
    }

    fn in_range(&mut self, value: &Value<'_>, index: u32) -> Option<u32> {
        if index >= COLOUR_TARGETS {
            let span = self.reader.place(value);
            let message = format!("there is no colour target {index}; they are 0 to 7");
            self.reader.error(codes::TARGET_RANGE, span, message).help = Some("every target has eight of them".into());
            return None;
        }
        Some(index)
    }

    fn samplers(&mut self, value: &Value<'_>) -> Option<StaticSamplers> {
        let rows = self.reader.array(value, "`static_samplers`")?;
        let mut samplers: IndexMap<SamplerState, SamplerRow> = IndexMap::new();
        for value in &rows.elements {
            let Some(object) = self.reader.object(value, "a static sampler") else { continue };
            let Some((state, row)) = self.sampler(object) else { continue };
            if let Some(first) = samplers.get(&state) {
                let error =
                    Diagnostic::error(codes::DUPLICATE_SAMPLER_STATE, row.span, "this sampler state stands twice");
                let error = error.note_at(first.span, "first").help("keep one row for each state");
                self.reader.diagnostics.push(error);
                continue;
            }
            let shares = |slot: fn(&SamplerRow) -> Option<String>| {
                let slot_of_row = slot(&row)?;
                let clash = samplers.values().find(|other| slot(other).as_ref() == Some(&slot_of_row))?;
                Some((slot_of_row, clash.span))
            };
            let register = |row: &SamplerRow| row.d3d12.map(|register| register.to_string());
            let descriptor = |row: &SamplerRow| row.descriptor().map(|descriptor| format!("Vulkan's {descriptor}"));
            if let Some((slot, other)) = shares(register).or_else(|| shares(descriptor)) {
                let message = format!("two static samplers are at {slot}");
                let error = Diagnostic::error(codes::DUPLICATE_SAMPLER_SLOT, row.span, message);
                let error = error.note_at(other, "the other").help("give each state a slot of its own");
                self.reader.diagnostics.push(error);
            }
            samplers.insert(state, row);
        }
        Some(StaticSamplers { span: self.reader.place(value), rows: samplers })
    }

    fn sampler(&mut self, object: &Object<'_>) -> Option<(SamplerState, SamplerRow)> {
        let [filter, address, compare, d3d12, spirv] =
            self.reader.fields(object, "a static sampler", ["filter", "address", "compare", "d3d12", "spirv"]);
        let span = self.reader.place(object);
        let filter = self.reader.required(filter, object, "the static sampler", "filter");
        let address = self.reader.required(address, object, "the static sampler", "address");
        let filter = filter.and_then(|value| self.choice(value, "`filter`", &Filter::ALL));
        let address = address.and_then(|value| self.choice(value, "`address`", &Address::ALL));
        let (compare, comparison_is_sound) = match compare {
            Some(value) => {
                let compare = self.choice(value, "`compare`", &Compare::ALL);
                (compare, compare.is_some())
            }
            None => (None, true),
        };
        let row = SamplerRow {
            span,
            d3d12: d3d12.and_then(|value| self.register(value, &[RegisterClass::Sampler])),
            vulkan: spirv.and_then(|value| self.descriptor(value)),
        };
        comparison_is_sound.then_some((SamplerState { filter: filter?, address: address?, compare }, row))
    }

    fn choice<T: Copy>(&mut self, value: &Value<'_>, what: &str, choices: &[(T, &str)]) -> Option<T> {
        let word = self.reader.string(value, what)?;
        let found = choices.iter().find(|(_, name)| *name == word).map(|(choice, _)| *choice);
        if found.is_none() {
            let span = self.reader.place(value);
            let names: Vec<_> = choices.iter().map(|(_, name)| format!("`{name}`")).collect();
            let near = nearest(word, choices.iter().map(|(_, name)| *name));
            let foreign = foreign::name(foreign::Place::Sampler, word);
            let foreign = foreign.filter(|known| choices.iter().any(|(_, name)| name == known));
            let error = self.reader.error(codes::BAD_SAMPLER_STATE, span, format!("{what} cannot be `{word}`"));
            error.help = Some(match (foreign, near) {
                (Some(name), _) => format!("Akari calls it `{name}`"),
                (None, Some(near)) => format!("did you mean `{near}`?"),
                (None, None) => format!("it is one of {}", names.join(", ")),
            });
        }
        found
    }

    fn index(&mut self, value: &Value<'_>) -> Option<u32> {
        let token = self.reader.string(value, "`metal`")?;
        let index = decimal(token);
        if index.is_none() {
            self.bad_token(value, token, "a Metal index", "a number such as `3`");
        }
        index
    }

    fn register(&mut self, value: &Value<'_>, classes: &[RegisterClass]) -> Option<Register> {
        let token = self.reader.string(value, "`d3d12`")?;
        let register = parse_register(token).filter(|register| classes.contains(&register.class));
        if let Some(Register { space: space @ FIRST_RESERVED_SPACE.., .. }) = register {
            let span = self.reader.place(value);
            let error = self.reader.error(codes::RESERVED_SPACE, span, format!("D3D12 keeps space {space} for itself"));
            error.help = Some(format!("spaces go to {}", FIRST_RESERVED_SPACE - 1));
            return None;
        }
        if register.is_none() {
            let letters = RegisterClass::ALL.iter().filter(|(class, _)| classes.contains(class));
            let letters: Vec<_> = letters.map(|(_, letter)| format!("`{letter}`")).collect();
            let form = format!("{} and a number, then perhaps `,space` and a number", letters.join(" or "));
            self.bad_token(value, token, "a register for this", &form);
        }
        register
    }

    fn descriptor(&mut self, value: &Value<'_>) -> Option<Descriptor> {
        let token = self.reader.string(value, "`spirv`")?;
        let descriptor = token
            .split_once(':')
            .and_then(|(set, binding)| Some(Descriptor { set: decimal(set)?, binding: decimal(binding)? }));
        if descriptor.is_none() {
            if parse_register(token).is_some() {
                let span = self.reader.place(value);
                let message = format!("`{token}` is a D3D12 register; `spirv` takes a descriptor");
                let error = self.reader.error(codes::REGISTER_AS_DESCRIPTOR, span, message);
                error.help = Some("write `set:binding`, such as `0:1`".into());
            } else {
                self.bad_token(value, token, "a Vulkan descriptor", "`set:binding`, such as `0:1`");
            }
        }
        descriptor
    }

    fn bad_token(&mut self, value: &Value<'_>, token: &str, what: &str, form: &str) {
        let span = self.reader.place(value);
        let token = if token.is_empty() { "the empty text".to_owned() } else { format!("`{token}`") };
        let error = self.reader.error(codes::BAD_TOKEN, span, format!("{token} is not {what}"));
        error.help = Some(format!("write {form}"));
    }
}

/// The class and the dotted name of a key such as `HK_BUFFER(frame,uniforms)`.
fn parse_key(key: &str) -> Option<(RowClass, String)> {
    let (class, rest) = RowClass::ALL.iter().find_map(|(class, prefix)| Some((*class, key.strip_prefix(prefix)?)))?;
    let (group, name) = rest.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    (is_identifier(group) && is_identifier(name)).then(|| (class, format!("{group}.{name}")))
}

/// How a key that is no binding may have been meant.
fn help_for_key(key: &str) -> String {
    let form = "write `HK_BUFFER(group,name)`, `HK_TEXTURE(group,name)` or `HK_TARGET(group,name)`".to_owned();
    let compact: String = key.chars().filter(|c| !c.is_whitespace()).collect();
    let Some((prefix, rest)) = compact.split_once('(') else { return form };
    if prefix.eq_ignore_ascii_case("HK_SAMPLER") {
        return "samplers have no names: they are rows of `static_samplers`".to_owned();
    }
    let prefix = nearest(&prefix.to_ascii_uppercase(), RowClass::ALL.iter().map(|(_, prefix)| *prefix));
    let meant = prefix.map(|prefix| format!("{prefix}({}", rest.replace('.', ",")));
    match meant.filter(|meant| parse_key(meant).is_some()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => form,
    }
}

fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A D3D12 register such as `t3` or `t3,space1`.
fn parse_register(token: &str) -> Option<Register> {
    let (register, space) = match token.split_once(',') {
        Some((register, space)) => (register, decimal(space.trim_start_matches(' ').strip_prefix("space")?)?),
        None => (token, 0),
    };
    let (class, number) =
        RegisterClass::ALL.iter().find_map(|(class, letter)| Some((*class, register.strip_prefix(letter)?)))?;
    Some(Register { class, number: decimal(number)?, space })
}

/// A number of decimal digits alone: no sign, no blank.
fn decimal(text: &str) -> Option<u32> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod mutants;
#[cfg(test)]
mod tests;
