//! Reads a binding manifest (`bindings.kaji.json`, version 1). Every fault of the file is reported, also in rows that nothing
//! uses.

use akari_dialect_gpu_abi::manifest::{Manifest, ResourceRow, RowClass, SamplerRow, TargetRow};
use akari_ir::interface::{Address, Compare, Filter, SamplerState};
use akari_ir::slots::{Descriptor, Register, RegisterClass};
use akari_ir::{Diagnostic, FileId, Span};
use indexmap::IndexMap;
use jsonc_parser::ast::{Object, ObjectProp, Value};

use crate::json::{self, Faults, Reader};

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
            self.reader.error(codes::VERSION, span, format!("manifest version {number} is not known; write `1`"));
        }
    }

    fn binding(&mut self, entry: &ObjectProp<'_>, manifest: &mut Manifest) {
        let key = entry.name.as_str();
        let span = self.reader.place(&entry.name);
        let parsed = parse_key(key);
        if parsed.is_none() {
            let error = self.reader.error(codes::BAD_NAME, span, format!("`{key}` is no binding"));
            error.help = Some("write `HK_BUFFER(group,name)`, `HK_TEXTURE(group,name)` or `HK_TARGET(group,name)`".into());
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
            self.reader.error(codes::TARGET_RANGE, span, format!("there is no colour target {index}; they are 0 to 7"));
            return None;
        }
        Some(index)
    }

    fn samplers(&mut self, value: &Value<'_>) -> Option<IndexMap<SamplerState, SamplerRow>> {
        let rows = self.reader.array(value, "`static_samplers`")?;
        let mut samplers: IndexMap<SamplerState, SamplerRow> = IndexMap::new();
        for value in &rows.elements {
            let Some(object) = self.reader.object(value, "a static sampler") else { continue };
            let Some((state, row)) = self.sampler(object) else { continue };
            if let Some(first) = samplers.get(&state) {
                let error =
                    Diagnostic::error(codes::DUPLICATE_SAMPLER_STATE, row.span, "this sampler state stands twice");
                self.reader.diagnostics.push(error.note_at(first.span, "first"));
                continue;
            }
            let clash = samplers.values().find(|other| {
                (row.d3d12.is_some() && row.d3d12 == other.d3d12)
                    || (row.vulkan.is_some() && row.vulkan == other.vulkan)
            });
            if let Some(clash) = clash {
                let message = "two static samplers have one slot";
                let error = Diagnostic::error(codes::DUPLICATE_SAMPLER_SLOT, row.span, message);
                self.reader.diagnostics.push(error.note_at(clash.span, "the other"));
            }
            samplers.insert(state, row);
        }
        Some(samplers)
    }

    fn sampler(&mut self, object: &Object<'_>) -> Option<(SamplerState, SamplerRow)> {
        let [filter, address, compare, d3d12, spirv] = self.reader.fields(
            object,
            "a static sampler",
            ["filter", "address", "compare", "d3d12", "spirv"],
        );
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
            let near = json::nearest(word, choices.iter().map(|(_, name)| *name));
            let error = self.reader.error(codes::BAD_SAMPLER_STATE, span, format!("{what} cannot be `{word}`"));
            error.help = Some(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("it is one of {}", names.join(", ")),
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
        if register.is_none() {
            let letters = RegisterClass::ALL.iter().filter(|(class, _)| classes.contains(class));
            let letters: Vec<_> = letters.map(|(_, letter)| format!("`{letter}`")).collect();
            let form = format!("{} and a number, then perhaps `,space` and a number", letters.join(", "));
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
        let error = self.reader.error(codes::BAD_TOKEN, span, format!("`{token}` is not {what}"));
        error.help = Some(format!("write {form}"));
    }
}

/// The class and the dotted name of a key such as `HK_BUFFER(frame,uniforms)`.
fn parse_key(key: &str) -> Option<(RowClass, String)> {
    let (class, rest) = RowClass::ALL.iter().find_map(|(class, prefix)| Some((*class, key.strip_prefix(prefix)?)))?;
    let (group, name) = rest.strip_prefix('(')?.strip_suffix(')')?.split_once(',')?;
    (is_identifier(group) && is_identifier(name)).then(|| (class, format!("{group}.{name}")))
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
mod tests {
    use super::*;

    const FILE: FileId = FileId(7);

    /// The faults of a manifest as `line:column code message`.
    fn faults(text: &str) -> Vec<String> {
        let (_, diagnostics) = read(FILE, text);
        diagnostics
            .iter()
            .map(|diagnostic| {
                let start = diagnostic.span.map_or(0, |span| span.start as usize);
                let line = text[..start].matches('\n').count() + 1;
                let column = text[..start].rsplit('\n').next().unwrap_or("").chars().count() + 1;
                format!("{line}:{column} {} {}", diagnostic.code.0, diagnostic.message)
            })
            .collect()
    }

    fn fault_of_row(row: &str) -> Vec<String> {
        faults(&format!("{{ \"version\": 1, \"bindings\": {{\n{row} }} }}"))
    }

    #[test]
    fn reads_the_sound_one() {
        let text = r#"{ "version": 1,
          "bindings": {
            "HK_BUFFER(frame,uniforms)": { "metal": "1", "d3d12": "b0", "spirv": "0:1" },
            "HK_TEXTURE(post,hdr)":      { "metal": "0", "d3d12": "t0,space2" },
            "HK_TARGET(gbuffer,albedo)": { "metal": "0", "d3d12": "SV_TARGET0" } },
          "static_samplers": [
            { "filter": "linear", "address": "clamp", "d3d12": "s0", "spirv": "2:0" },
            { "filter": "linear", "address": "clamp", "compare": "greater_equal", "d3d12": "s4" } ] }"#;
        let (manifest, diagnostics) = read(FILE, text);
        assert_eq!(diagnostics, []);
        let frame = manifest.buffers["frame.uniforms"];
        assert_eq!(frame.metal, Some(1));
        assert_eq!(frame.d3d12, Some(Register { class: RegisterClass::ConstantBuffer, number: 0, space: 0 }));
        assert_eq!(frame.vulkan, Some(Descriptor { set: 0, binding: 1 }));
        assert_eq!(manifest.textures["post.hdr"].d3d12.map(|register| register.space), Some(2));
        assert_eq!(manifest.targets["gbuffer.albedo"].d3d12, Some(0));
        let compare = SamplerState {
            filter: Filter::Linear,
            address: Address::Clamp,
            compare: Some(Compare::GreaterEqual),
        };
        let row = manifest.samplers.expect("the set")[&compare];
        assert_eq!(row.d3d12.map(|register| register.number), Some(4));
        assert_eq!(row.vulkan, None);
    }

    #[test]
    fn a_byte_order_mark_does_not_shift_places() {
        let text = "\u{feff}{ \"version\": 2 }";
        let (_, diagnostics) = read(FILE, text);
        let span = diagnostics[0].span.expect("a place");
        assert_eq!(&text[span.start as usize..span.end as usize], "2");
    }

    #[test]
    fn what_is_not_json() {
        assert_eq!(faults("{ \"version\": 1,\n }"), ["1:15 E4100 this is not JSON: trailing commas are not allowed"]);
        assert_eq!(faults(""), ["1:1 E4100 the file is empty; it must hold a JSON object"]);
        assert_eq!(faults("[]"), ["1:1 E4101 a manifest must be an object, not an array"]);
        assert_eq!(faults(&"[".repeat(100_000)).len(), 1);
    }

    #[test]
    fn versions() {
        assert_eq!(faults("{}"), ["1:1 E4104 the manifest lacks the key `version`"]);
        assert_eq!(faults("{ \"version\": 2 }"), ["1:14 E4105 manifest version 2 is not known; write `1`"]);
        assert_eq!(faults("{ \"version\": \"1\" }"), ["1:14 E4101 `version` must be a number, not a string"]);
        assert_eq!(faults("{ \"version\": 1.5 }"), ["1:14 E4101 `version` must be a whole number, not `1.5`"]);
    }

    #[test]
    fn unknown_and_duplicate_keys() {
        assert_eq!(faults("{ \"version\": 1, \"binding\": {} }"), ["1:17 E4102 a manifest has no key `binding`"]);
        assert_eq!(faults("{ \"version\": 1, \"version\": 1 }"), ["1:17 E4103 the key `version` stands twice"]);
        assert_eq!(
            fault_of_row(r#""HK_BUFFER(a,b)": { "metal": "0" }, "HK_BUFFER(a,b)": { "metal": "1" }"#),
            ["2:37 E4103 the key `HK_BUFFER(a,b)` stands twice"]
        );
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "vulkan": "0:1" }"#), ["2:21 E4102 a binding has no key `vulkan`"]);
        assert_eq!(
            fault_of_row(r#""HK_TARGET(a,b)": { "spirv": "0:1" }"#),
            ["2:21 E4102 a render target has no key `spirv`"]
        );
    }

    #[test]
    fn tokens() {
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "metal": 1 }"#), ["2:30 E4101 `metal` must be a string, not a number"]);
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "metal": "+1" }"#), ["2:30 E4107 `+1` is not a Metal index"]);
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "c0" }"#), ["2:30 E4107 `c0` is not a register for this"]);
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "s0" }"#), ["2:30 E4107 `s0` is not a register for this"]);
        assert_eq!(fault_of_row(r#""HK_TEXTURE(a,b)": { "d3d12": "b0" }"#), ["2:31 E4107 `b0` is not a register for this"]);
        assert_eq!(
            fault_of_row(r#""HK_BUFFER(a,b)": { "d3d12": "t0,space" }"#),
            ["2:30 E4107 `t0,space` is not a register for this"]
        );
        assert_eq!(
            fault_of_row(r#""HK_BUFFER(a,b)": { "spirv": "t0" }"#),
            ["2:30 E4109 `t0` is a D3D12 register; `spirv` takes a descriptor"]
        );
        assert_eq!(fault_of_row(r#""HK_BUFFER(a,b)": { "spirv": "1" }"#), ["2:30 E4107 `1` is not a Vulkan descriptor"]);
        assert_eq!(
            fault_of_row(r#""HK_TARGET(a,b)": { "d3d12": "SV_TARGET8" }"#),
            ["2:30 E4108 there is no colour target 8; they are 0 to 7"]
        );
        assert_eq!(
            fault_of_row(r#""HK_TARGET(a,b)": { "metal": "8", "d3d12": "o0" }"#),
            ["2:30 E4108 there is no colour target 8; they are 0 to 7", "2:44 E4107 `o0` is not a colour target"]
        );
        for key in ["HK_BUFFER(a)", "HK_BUFFER(a,b", "HK_UNIFORM(a,b)", "HK_BUFFER(a,b,c)", "HK_BUFFER(a, b)", "hk_buffer(a,b)"] {
            assert_eq!(fault_of_row(&format!("\"{key}\": {{}}")), [format!("2:1 E4106 `{key}` is no binding")]);
        }
    }

    #[test]
    fn static_samplers() {
        let set = |rows: &str| faults(&format!("{{ \"version\": 1, \"static_samplers\": [\n{rows} ] }}"));
        assert_eq!(
            set("{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s0\" },\n{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s1\" }"),
            ["3:1 E4111 this sampler state stands twice"]
        );
        assert_eq!(
            set("{ \"filter\": \"linear\", \"address\": \"clamp\", \"d3d12\": \"s0\" },\n{ \"filter\": \"point\", \"address\": \"clamp\", \"d3d12\": \"s0\" }"),
            ["3:1 E4112 two static samplers have one slot"]
        );
        assert_eq!(
            set("{ \"filter\": \"trilinear\", \"address\": \"clamp\", \"d3d12\": \"t0\" }"),
            ["2:13 E4110 `filter` cannot be `trilinear`", "2:55 E4107 `t0` is not a register for this"]
        );
        assert_eq!(
            set("{ \"filter\": \"linear\" }"),
            ["2:1 E4104 the static sampler lacks the key `address`"]
        );
    }
}
