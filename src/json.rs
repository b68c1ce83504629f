//! Strict JSON with the place of everything, for the files that people write beside shaders.
//!
//! `serde_json` keeps neither places nor duplicate keys, and both must be told to the author of a manifest; `jsonc-parser`
//! (of the Deno formatter) keeps both, and refuses what is not JSON with all its leniencies switched off.

use akari_ir::{Code, Diagnostic, FileId, Span, nearest};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::{Range, Ranged};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The codes that a file format gives to the faults that every such file can have.
#[derive(Clone, Copy, Debug)]
pub struct Faults {
    /// The text is not JSON.
    pub syntax: Code,
    /// A value of another type than the key's.
    pub wrong_type: Code,
    /// A key that the format does not have.
    pub unknown_key: Code,
    /// A key twice in one object.
    pub duplicate_key: Code,
    /// A key that must be there is not.
    pub missing_key: Code,
}

/// Reads one file, and collects what is wrong with it.
#[derive(Debug)]
pub struct Reader {
    file: FileId,
    /// Bytes before the JSON text: those of a byte order mark.
    offset: usize,
    faults: Faults,
    /// What was found so far, in the order of reading.
    pub diagnostics: Vec<Diagnostic>,
}

impl Reader {
    /// Parses `text` and gives a reader of it with the value, if there is one.
    #[must_use]
    pub fn parse(file: FileId, text: &str, faults: Faults) -> (Self, Option<Value<'_>>) {
        let json = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut reader = Self { file, offset: text.len() - json.len(), faults, diagnostics: Vec::new() };
        let value = match parse_to_ast(json, &CollectOptions::default(), &STRICT) {
            Ok(parsed) if parsed.value.is_none() => {
                let span = reader.span(Range::new(0, 0));
                let error = reader.error(faults.syntax, span, "the file is empty; it must hold a JSON object");
                error.help = Some("write `{ \"version\": … }`".into());
                None
            }
            Ok(parsed) => match leniency(json) {
                Some((range, message)) => {
                    reader.not_json(range, &message);
                    None
                }
                None => parsed.value,
            },
            Err(error) => {
                reader.not_json(error.range(), &error.kind().to_string());
                None
            }
        };
        (reader, value)
    }

    fn not_json(&mut self, range: Range, message: &str) {
        let span = self.span(range);
        let error = self.error(self.faults.syntax, span, format!("this is not JSON: {}", lower_first(message)));
        error.help = Some("JSON has keys and texts in double quotes, a comma between two of them and none after the last, and no comments".into());
    }

    /// The place of a range of the JSON text.
    #[must_use]
    pub fn span(&self, range: Range) -> Span {
        let at = |index: usize| u32::try_from(index + self.offset).unwrap_or(u32::MAX);
        Span::new(self.file, at(range.start), at(range.end))
    }

    /// The place of a node.
    #[must_use]
    pub fn place(&self, node: &impl Ranged) -> Span {
        self.span(node.range())
    }

    /// Reports a fault.
    pub fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.push(Diagnostic::error(code, span, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn wrong_type(&mut self, value: &Value<'_>, what: &str, wanted: &str) {
        let found = match value {
            Value::StringLit(_) => "a string",
            Value::NumberLit(_) => "a number",
            Value::BooleanLit(_) => "a truth value",
            Value::Object(_) => "an object",
            Value::Array(_) => "an array",
            Value::NullKeyword(_) => "`null`",
        };
        let span = self.place(value);
        let help = match (value, wanted) {
            (Value::NumberLit(number), "a string") => format!("write `\"{}\"`", number.value),
            (Value::StringLit(text), "a number") if text.value.parse::<u32>().is_ok() => {
                format!("write `{}`", text.value)
            }
            (_, "a string") => "write it in double quotes".to_owned(),
            (_, "an object") => "write `{ … }`".to_owned(),
            (_, "an array") => "write `[ … ]`".to_owned(),
            _ => format!("write {wanted}"),
        };
        self.error(self.faults.wrong_type, span, format!("{what} must be {wanted}, not {found}")).help = Some(help);
    }

    /// The object that `value` must be.
    pub fn object<'v, 't>(&mut self, value: &'v Value<'t>, what: &str) -> Option<&'v Object<'t>> {
        let object = value.as_object();
        if object.is_none() {
            self.wrong_type(value, what, "an object");
        }
        object
    }

    /// The array that `value` must be.
    pub fn array<'v, 't>(&mut self, value: &'v Value<'t>, what: &str) -> Option<&'v Array<'t>> {
        let array = value.as_array();
        if array.is_none() {
            self.wrong_type(value, what, "an array");
        }
        array
    }

    /// The string that `value` must be.
    pub fn string<'v>(&mut self, value: &'v Value<'_>, what: &str) -> Option<&'v str> {
        let string = value.as_string_lit().map(|literal| literal.value.as_ref());
        if string.is_none() {
            self.wrong_type(value, what, "a string");
        }
        string
    }

    /// The truth value that `value` must be.
    pub fn boolean(&mut self, value: &Value<'_>, what: &str) -> Option<bool> {
        let boolean = value.as_boolean_lit().map(|literal| literal.value);
        if boolean.is_none() {
            self.wrong_type(value, what, "`true` or `false`");
        }
        boolean
    }

    /// The whole number of 32 bits that `value` must be.
    pub fn number(&mut self, value: &Value<'_>, what: &str) -> Option<u32> {
        let Some(literal) = value.as_number_lit() else {
            self.wrong_type(value, what, "a number");
            return None;
        };
        let number = literal.value.parse().ok();
        if number.is_none() {
            let span = self.place(value);
            let message = format!("{what} must be a whole number, not `{}`", literal.value);
            self.error(self.faults.wrong_type, span, message).help = Some("write digits alone".into());
        }
        number
    }

    /// The entries of an object whose keys are data, each key once; a repeated one is reported and left out.
    pub fn entries<'v, 't>(&mut self, object: &'v Object<'t>) -> Vec<&'v ObjectProp<'t>> {
        let mut entries: Vec<&ObjectProp<'t>> = Vec::with_capacity(object.properties.len());
        let mut places = std::collections::HashMap::with_capacity(object.properties.len());
        for property in &object.properties {
            let key = property.name.as_str();
            let span = self.place(&property.name);
            match places.entry(key) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(span);
                    entries.push(property);
                }
                std::collections::hash_map::Entry::Occupied(first) => {
                    let first = *first.get();
                    let error =
                        Diagnostic::error(self.faults.duplicate_key, span, format!("the key `{key}` stands twice"));
                    self.diagnostics.push(error.note_at(first, "first").help("keep one of them"));
                }
            }
        }
        entries
    }

    /// The values of the keys that an object of a format may have, in the order of `keys`. Other keys are reported.
    pub fn fields<'v, 't, const N: usize>(
        &mut self,
        object: &'v Object<'t>,
        what: &str,
        keys: [&str; N],
    ) -> [Option<&'v Value<'t>>; N] {
        let mut values = [None; N];
        for property in self.entries(object) {
            let key = property.name.as_str();
            match keys.iter().position(|known| *known == key) {
                Some(index) => values[index] = Some(&property.value),
                None => {
                    let span = self.place(&property.name);
                    let code = self.faults.unknown_key;
                    let error = self.error(code, span, format!("{what} has no key `{key}`"));
                    error.help = Some(match nearest(key, keys.iter().copied()) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("its keys are {}", list(&keys)),
                    });
                }
            }
        }
        values
    }

    /// As [`Self::fields`], for one key that must be there.
    pub fn required<'v, 't>(
        &mut self,
        value: Option<&'v Value<'t>>,
        object: &Object<'t>,
        what: &str,
        key: &str,
    ) -> Option<&'v Value<'t>> {
        if value.is_none() {
            let start = object.range().start;
            let span = self.span(Range::new(start, start + 1));
            let error = self.error(self.faults.missing_key, span, format!("{what} lacks the key `{key}`"));
            error.help = Some(format!("add `\"{key}\": …`"));
        }
        value
    }
}

/// What is not JSON, though `jsonc-parser` takes it whatever it is told: control characters in texts, blanks of other scripts, `01`.
fn leniency(json: &str) -> Option<(Range, String)> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(json).err()?;
    // `… at line 17 column 19`: the place is told in another way.
    let message = error.to_string();
    let message = message.split_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
    let line_start = json.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
    let start = json.floor_char_boundary(line_start + error.column().saturating_sub(1));
    let end = json[start..].chars().next().map_or(start, |character| start + character.len_utf8());
    Some((Range::new(start, end), message))
}

fn list(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}
