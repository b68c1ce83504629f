//! What Metal demands of declarations and C++ does not: entries and their interfaces, address spaces, program scope, forbidden words, stages.

mod entries;

use super::rewrite::threadgroup_locals;
use super::syntax::{AddressSpace, Attribute, Declaration, EntryStage, Indirection, Unit};
use std::collections::{BTreeMap, BTreeSet};

/// All faults, a line each, in no particular order of kinds.
pub(super) fn check(unit: &Unit) -> Vec<String> {
    let mut rules = Rules { unit, faults: Vec::new() };
    rules.includes();
    rules.words();
    rules.program_scope();
    rules.structs();
    rules.functions();
    rules.locals();
    rules.calls();
    rules.faults
}

struct Rules<'u> {
    unit: &'u Unit,
    faults: Vec<String>,
}

/// Words of C++ that Metal does not have, and types it does not have.
const FORBIDDEN: [&str; 28] = [
    "double", "goto", "try", "catch", "throw", "new", "delete", "virtual", "dynamic_cast", "typeid", "asm",
    "thread_local", "std", "wchar_t", "char16_t", "char32_t", "__attribute__", "__declspec", "extern", "co_await",
    "co_return", "co_yield", "__kernel", "__global", "bfloat", "object_data", "ray_data", "threadgroup_imageblock",
];

/// Identifiers that name something in Metal and cannot name anything else.
const RESERVED: [&str; 7] = ["kernel", "vertex", "fragment", "device", "constant", "thread", "threadgroup"];

fn is_texture(ty: &str) -> bool {
    let ty = ty.strip_prefix("metal::").unwrap_or(ty);
    if let Some(element) = ty.strip_prefix("array<") {
        return is_texture(element);
    }
    ["texture1d", "texture2d", "texture3d", "texturecube", "depth2d", "depthcube", "texture_buffer"]
        .iter()
        .any(|name| ty.starts_with(name))
}

/// The scalar type and width of a scalar or vector type name.
fn numeric(ty: &str) -> Option<(&str, u32)> {
    let ty = ty.strip_prefix("metal::").unwrap_or(ty);
    let (scalar, width) = match ty.as_bytes().last()? {
        digit @ b'2'..=b'4' => (&ty[..ty.len() - 1], u32::from(digit - b'0')),
        _ => (ty, 1),
    };
    ["bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float"]
        .contains(&scalar)
        .then_some((scalar, width))
}

impl Rules<'_> {
    fn fault(&mut self, line: u32, message: impl AsRef<str>) {
        self.faults.push(format!("line {line}: {}", message.as_ref()));
    }

    fn includes(&mut self) {
        const HEADERS: [&str; 4] = ["<metal_stdlib>", "<metal_raytracing>", "<metal_atomic>", "<metal_texture>"];
        let mut standard = false;
        for directive in &self.unit.directives {
            let text = directive.text.trim_start_matches('#').trim_start();
            if let Some(header) = text.strip_prefix("include") {
                let header = header.trim();
                standard |= header == "<metal_stdlib>";
                if !HEADERS.contains(&header) {
                    self.faults.push(format!("line {}: {header} is no header of Metal's", directive.line));
                }
            } else if !["line", "pragma"].iter().any(|known| text.starts_with(known)) {
                self.faults.push(format!("line {}: `{}` is not read here", directive.line, directive.text));
            }
        }
        if !standard {
            self.fault(1, "<metal_stdlib> is not included");
        }
    }

    fn words(&mut self) {
        let tokens = &self.unit.tokens;
        let mut faults = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if token.is_word() && FORBIDDEN.contains(&token.text.as_str()) {
                faults.push((token.line, format!("`{}` is not in Metal", token.text)));
            }
            if token.is("long") && tokens.get(at + 1).is_some_and(|next| next.is("long") || next.is("double")) {
                faults.push((token.line, "`long long` is not in Metal".to_owned()));
            }
            if token.is("[")
                && tokens.get(at + 1).is_some_and(|next| next.is("]"))
                && tokens.get(at + 2).is_some_and(|next| next.is("(") || next.is("{"))
            {
                faults.push((token.line, "lambda".to_owned()));
            }
        }
        for (line, message) in faults {
            self.fault(line, message);
        }
    }

    fn program_scope(&mut self) {
        for variable in &self.unit.variables {
            let sampler = variable.ty == "sampler" || variable.ty == "metal::sampler";
            let constexpr = variable.storage.iter().any(|word| word == "constexpr");
            if sampler {
                if !constexpr {
                    self.fault(
                        variable.line,
                        format!("the sampler `{}` at program scope is not constexpr", variable.name),
                    );
                }
                continue;
            }
            if variable.spaces != [AddressSpace::Constant] {
                self.fault(
                    variable.line,
                    format!("`{}` at program scope is not in the constant address space", variable.name),
                );
            } else if !variable.initialized {
                self.fault(variable.line, format!("the constant `{}` has no initializer", variable.name));
            }
            if is_texture(&variable.ty) {
                self.fault(variable.line, format!("the texture `{}` is no parameter", variable.name));
            }
        }
        let mut names = BTreeSet::new();
        let items = self
            .unit
            .variables
            .iter()
            .map(|v| (&v.name, v.line))
            .chain(self.unit.structs.iter().map(|s| (&s.name, s.line)));
        let doubles: Vec<_> =
            items.filter(|(name, _)| !names.insert(*name)).map(|(name, line)| (line, name.clone())).collect();
        for (line, name) in doubles {
            self.fault(line, format!("`{name}` is declared twice"));
        }
    }

    /// A pointer or reference lives in an address space that the source names.
    fn spaces(&mut self, declaration: &Declaration, place: &str) {
        match declaration.indirection {
            Indirection::Value => {}
            Indirection::Pointer | Indirection::Reference => {
                if declaration.spaces.is_empty() && declaration.ty != "auto" {
                    self.fault(
                        declaration.line,
                        format!("{place} `{}` points without an address space", declaration.name),
                    );
                }
            }
        }
        if RESERVED.contains(&declaration.name.as_str()) {
            self.fault(declaration.line, format!("`{}` is a keyword", declaration.name));
        }
    }

    fn structs(&mut self) {
        for item in &self.unit.structs {
            if item.fields.is_empty() {
                continue;
            }
            let mut names = BTreeSet::new();
            for field in &item.fields {
                self.spaces(field, "field");
                if field.indirection == Indirection::Value && !field.spaces.is_empty() {
                    self.fault(field.line, format!("field `{}` names an address space", field.name));
                }
                if !names.insert(&field.name) {
                    self.fault(field.line, format!("field `{}` is declared twice", field.name));
                }
                for attribute in &field.attributes {
                    const FIELD: [&str; 13] = [
                        "position", "point_size", "clip_distance", "user", "color", "depth", "stencil", "sample_mask",
                        "render_target_array_index", "viewport_array_index", "primitive_id", "id", "invariant",
                    ];
                    let known = FIELD.contains(&attribute.name.as_str())
                        || entries::INTERPOLATION.contains(&attribute.name.as_str())
                        || attribute.name == "attribute";
                    if !known {
                        self.fault(attribute.line, format!("[[{}]] is no attribute of a field", attribute.name));
                    }
                    self.argument(attribute);
                }
            }
        }
    }

    /// Attributes that need an argument have one, and only those.
    fn argument(&mut self, attribute: &Attribute) {
        let name = attribute.name.as_str();
        let message = match (name, &attribute.argument) {
            (
                "buffer" | "texture" | "sampler" | "threadgroup" | "color" | "id" | "attribute" | "raster_order_group",
                Some(_),
            ) => {
                if attribute.index().is_some() {
                    None
                } else {
                    Some(format!("[[{name}]] needs a number"))
                }
            }
            ("depth", Some(argument)) if ["any", "greater", "less"].contains(&argument.as_str()) => None,
            ("user", Some(argument)) if argument.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => None,
            ("max_total_threads_per_threadgroup", Some(_)) => {
                if attribute.index().is_some_and(|threads| (1..=1024).contains(&threads)) {
                    None
                } else {
                    Some(format!("[[{name}]] needs a number up to 1024"))
                }
            }
            (
                "buffer"
                | "texture"
                | "sampler"
                | "threadgroup"
                | "color"
                | "id"
                | "attribute"
                | "depth"
                | "user"
                | "max_total_threads_per_threadgroup",
                _,
            ) => Some(format!("[[{name}]] needs an argument it does not have")),
            (_, Some(_)) => Some(format!("[[{name}]] takes no argument")),
            (_, None) => None,
        };
        if let Some(message) = message {
            self.fault(attribute.line, message);
        }
    }

    fn functions(&mut self) {
        let mut entries = BTreeSet::new();
        for function in &self.unit.functions {
            self.spaces(&function.result, "result of");
            for parameter in &function.parameters {
                self.spaces(parameter, "parameter");
                if parameter.indirection == Indirection::Value
                    && !parameter.spaces.is_empty()
                    && parameter.extents.is_empty()
                {
                    self.fault(
                        parameter.line,
                        format!(
                            "parameter `{}` is a value, which lies in no address space but `thread`",
                            parameter.name
                        ),
                    );
                }
                if parameter.indirection == Indirection::Value
                    && !parameter.extents.is_empty()
                    && parameter.spaces.is_empty()
                {
                    self.fault(
                        parameter.line,
                        format!("array parameter `{}` is a pointer without an address space", parameter.name),
                    );
                }
            }
            let Some(stage) = function.stage else {
                for parameter in &function.parameters {
                    if let Some(attribute) = parameter.attributes.first() {
                        self.fault(attribute.line, format!("[[{}]] outside an entry", attribute.name));
                    }
                }
                continue;
            };
            if function.body.is_none() {
                continue;
            }
            if !entries.insert(&function.name) {
                self.fault(function.line, format!("two entries are named `{}`", function.name));
            }
            if function.name == "main" {
                self.fault(function.line, "an entry cannot be named `main`");
            }
            if function.template {
                self.fault(function.line, format!("the entry `{}` is a template", function.name));
            }
            self.entry_attributes(function, stage);
            self.entry_parameters(function, stage);
            match stage {
                EntryStage::Kernel => {
                    if function.result.ty != "void" || function.result.indirection != Indirection::Value {
                        self.fault(function.line, format!("the kernel `{}` returns something", function.name));
                    }
                }
                EntryStage::Vertex => self.vertex_result(function),
                EntryStage::Fragment => self.fragment_result(function),
            }
        }
    }

    fn locals(&mut self) {
        for local in threadgroup_locals(self.unit) {
            if local.initialized {
                self.fault(local.line, format!("the threadgroup variable `{}` has an initializer", local.name));
            }
        }
        let mut faults = Vec::new();
        for function in &self.unit.functions {
            let Some(body) = function.body.clone() else { continue };
            let tokens = &self.unit.tokens;
            let mut depth = 0_u32;
            for at in body.clone() {
                let token = &tokens[at];
                depth = if token.is("{") { depth + 1 } else { depth.saturating_sub(u32::from(token.is("}"))) };
                let begins = at == body.start || ["{", "}", ";", "("].iter().any(|sign| tokens[at - 1].is(sign));
                if !begins || !token.is_word() {
                    continue;
                }
                if token.is("static") && !tokens[at..body.end].iter().take(4).any(|token| token.is("constant")) {
                    faults.push((token.line, "a static variable is not in the constant address space".to_owned()));
                }
                if token.is("constant") && self.value_declaration(at, body.end) {
                    faults.push((token.line, "a constant variable stands in a function".to_owned()));
                }
                if token.is("device") && self.value_declaration(at, body.end) {
                    faults.push((token.line, "a device variable stands in a function".to_owned()));
                }
                if token.is("threadgroup") && self.value_declaration(at, body.end) {
                    if function.stage != Some(EntryStage::Kernel) {
                        faults.push((
                            token.line,
                            format!("a threadgroup variable stands in `{}`, which is no kernel", function.name),
                        ));
                    } else if depth > 0 {
                        faults.push((
                            token.line,
                            "a threadgroup variable stands in an inner block of a kernel".to_owned(),
                        ));
                    }
                }
                if let Some(name) = self.bare_pointer(at, body.end) {
                    faults.push((token.line, format!("`{name}` points without an address space")));
                }
            }
        }
        for (line, message) in faults {
            self.fault(line, message);
        }
    }

    /// Whether a declaration that begins at `at` has no `*` or `&` before its name.
    fn value_declaration(&self, at: usize, end: usize) -> bool {
        for token in &self.unit.tokens[at..end] {
            if [";", "=", "{", ")"].iter().any(|sign| token.is(sign)) {
                return true;
            }
            if token.is("*") || token.is("&") {
                return false;
            }
        }
        true
    }

    /// The name that a declaration `T *name` or `T &name` at `at` declares without an address space.
    fn bare_pointer(&self, at: usize, end: usize) -> Option<&str> {
        let tokens = &self.unit.tokens[at..end];
        let mut index = 0;
        while tokens.get(index).is_some_and(|token| token.is("const") || token.is("volatile")) {
            index += 1;
        }
        let first = tokens.get(index)?;
        if !first.is_word() || !self.is_type(&first.text) {
            return None;
        }
        index += 1;
        while tokens.get(index).is_some_and(|token| token.is("::"))
            && tokens.get(index + 1).is_some_and(crate::metal::lexer::Token::is_word)
        {
            index += 2;
        }
        if tokens.get(index).is_some_and(|token| token.is("<")) {
            let close = tokens[index..].iter().position(|token| token.is(">") || token.is(";"))? + index;
            index = close + 1;
        }
        let sign = tokens.get(index)?;
        if !(sign.is("*") || sign.is("&")) {
            return None;
        }
        let name = tokens.get(index + 1)?;
        let after = tokens.get(index + 2)?;
        (name.is_word() && (after.is("=") || after.is(";"))).then_some(name.text.as_str())
    }

    /// Whether a declaration can begin with this word; a product `a * b` begins with another.
    fn is_type(&self, word: &str) -> bool {
        let matrix = |name: &str| {
            name.strip_prefix("float")
                .or(name.strip_prefix("half"))
                .is_some_and(|rest| matches!(rest.as_bytes(), [b'2'..=b'4', b'x', b'2'..=b'4']))
        };
        numeric(word).is_some()
            || matrix(word)
            || is_texture(word)
            || ["packed_", "atomic"].iter().any(|prefix| word.starts_with(prefix))
            || ["metal", "vec", "array", "sampler", "void"].contains(&word)
            || self.unit.struct_named(word).is_some()
    }

    /// Entries are not called, functions do not recurse, and what one stage alone can do is reached from that stage alone.
    fn calls(&mut self) {
        let mut callees = BTreeMap::<&str, BTreeSet<&str>>::new();
        let defined: BTreeSet<&str> = self.unit.functions.iter().map(|function| function.name.as_str()).collect();
        let mut special = BTreeMap::<&str, BTreeSet<&str>>::new();
        let mut faults = Vec::new();
        for function in &self.unit.functions {
            let Some(body) = function.body.clone() else { continue };
            let tokens = &self.unit.tokens;
            for at in body.clone() {
                let called = tokens[at].is_word() && tokens.get(at + 1).is_some_and(|next| next.is("("));
                let member = at > body.start && (tokens[at - 1].is(".") || tokens[at - 1].is("->"));
                if !called || member {
                    continue;
                }
                let name = tokens[at].text.as_str();
                if defined.contains(name) {
                    callees.entry(&function.name).or_default().insert(name);
                    if self.unit.functions.iter().any(|other| other.name == name && other.stage.is_some()) {
                        faults.push((tokens[at].line, format!("the entry `{name}` is called")));
                    }
                } else if stage_of_builtin(name).is_some() {
                    special.entry(&function.name).or_default().insert(name);
                }
            }
        }
        for function in &self.unit.functions {
            let Some(_) = function.body else { continue };
            let mut reached = BTreeSet::new();
            let mut open = vec![function.name.as_str()];
            while let Some(name) = open.pop() {
                for callee in callees.get(name).into_iter().flatten() {
                    if reached.insert(*callee) {
                        open.push(callee);
                    }
                }
            }
            // Overloads share a name, and one may call another.
            let overloaded =
                self.unit.functions.iter().filter(|other| other.name == function.name && other.body.is_some()).count()
                    > 1;
            if !overloaded && reached.contains(function.name.as_str()) {
                faults.push((function.line, format!("`{}` calls itself", function.name)));
            }
            if let Some(stage) = function.stage {
                reached.insert(&function.name);
                for builtin in reached.iter().filter_map(|name| special.get(name)).flatten() {
                    if !stage_of_builtin(builtin).unwrap_or_default().contains(&stage) {
                        faults.push((
                            function.line,
                            format!(
                                "`{builtin}` is reached from the entry `{}`, whose stage does not have it",
                                function.name
                            ),
                        ));
                    }
                }
            }
        }
        for (line, message) in faults {
            self.fault(line, message);
        }
    }
}

/// The stages that may call a function; `None` for all.
fn stage_of_builtin(name: &str) -> Option<&'static [EntryStage]> {
    match name {
        "dfdx" | "dfdy" | "fwidth" | "discard_fragment" | "simd_is_helper_thread" => Some(&[EntryStage::Fragment]),
        "threadgroup_barrier" => Some(&[EntryStage::Kernel]),
        _ if name.starts_with("simd_") || name.starts_with("simdgroup_") || name.starts_with("quad_") => {
            Some(&[EntryStage::Kernel, EntryStage::Fragment])
        }
        _ => None,
    }
}
