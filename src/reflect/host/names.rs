//! Names that a host's language takes.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use super::Mirror;
use super::layout::packing_of;

/// Gives names that are neither reserved nor taken.
#[derive(Clone)]
pub(super) struct Names {
    taken: IndexSet<String>,
    reserved: &'static [&'static str],
}

impl Names {
    /// No name is taken yet.
    pub(super) fn new(reserved: &'static [&'static str]) -> Self {
        Self { taken: IndexSet::new(), reserved }
    }

    /// As these, with no name taken but those that are reserved or taken here.
    pub(super) fn inside(&self) -> Self {
        self.clone()
    }

    /// The name, or it with underscores after it.
    pub(super) fn give(&mut self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.reserved.contains(&name.as_str()) || self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.insert(name.clone());
        name
    }
}

/// What the types of a program are called on the host.
pub(super) struct TypeNames {
    /// The mirrors of structs by packing.
    structs: FxHashMap<(String, &'static str), String>,
    /// Enums and bitfields.
    integers: FxHashMap<String, String>,
}

impl TypeNames {
    /// Names all types of a mirror.
    pub(super) fn of(mirror: &Mirror<'_>, names: &mut Names) -> Self {
        let enums = mirror.enums.iter().map(|declared| &declared.item.name);
        let integers = enums.chain(mirror.bitfields.iter().map(|declared| &declared.item.name));
        let integers = integers.map(|name| (name.clone(), names.give(name))).collect();
        let mut structs = FxHashMap::default();
        for structure in mirror.structs.values() {
            for (packing, _) in structure.layouts.iter() {
                let suffix = if packing == "uniform" { "Uniform" } else { "Storage" };
                structs.insert((structure.name.clone(), packing), names.give(&format!("{}{suffix}", structure.name)));
            }
        }
        Self { structs, integers }
    }

    /// The mirror of a struct that lies in something of this packing.
    pub(super) fn structure(&self, mirror: &Mirror<'_>, name: &str, around: &'static str) -> &str {
        self.structs.get(&(name.to_owned(), packing_of(mirror, name, around))).map_or("", String::as_str)
    }

    /// An enum or bitfield.
    pub(super) fn integer(&self, name: &str) -> &str {
        self.integers.get(name).map_or("", String::as_str)
    }
}

/// What Rust keeps for itself (its strict and reserved keywords, and what the mirrors define).
pub(super) const RUST: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    "Padded", "ZERO", "bool", "f32", "i32", "u16", "u32", "u64", "u8", "usize", "core", "assert",
];

/// What C11, C23 or C++17 keep for themselves, and macros that common headers define: the last lines are those of `<math.h>`, `<limits.h>`,
/// `<float.h>`, `<stdint.h>` and `<stdio.h>` which are likely in shaders, and those of `<windows.h>`.
pub(super) const C: &[&str] = &[
    "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool", "break", "case",
    "catch", "char", "char16_t", "char32_t", "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
    "concept", "const", "const_cast", "consteval", "constexpr", "constinit", "continue", "decltype", "default",
    "delete", "do", "double", "dynamic_cast", "else", "enum", "errno", "explicit", "export", "extern", "false", "far",
    "float", "for", "friend", "goto", "if", "inline", "int", "int16_t", "int32_t", "int64_t", "int8_t", "intmax_t",
    "intptr_t", "linux", "max_align_t", "long", "mutable", "namespace", "near", "new", "noexcept", "not", "not_eq",
    "nullptr", "offsetof", "operator", "or", "or_eq", "private", "protected", "ptrdiff_t", "public", "register",
    "reinterpret_cast", "requires", "restrict", "return", "short", "signed", "size_t", "sizeof", "static",
    "static_assert", "static_cast", "struct", "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uintmax_t", "uintptr_t", "union",
    "unix", "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq", "NULL", "NAN",
    "INFINITY", "main", "typeof", "typeof_unqual", "_Alignas", "_Alignof", "_Atomic", "_BitInt", "_Bool", "_Complex",
    "_Generic", "_Imaginary", "_Noreturn", "_Pragma", "_Static_assert", "_Thread_local", "M_E", "M_LOG2E", "M_LOG10E",
    "M_LN2", "M_LN10", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2",
    "HUGE_VAL", "HUGE_VALF", "MAXFLOAT", "EOF", "CHAR_BIT", "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MAX", "LONG_MIN",
    "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "INT32_MAX", "INT32_MIN", "UINT32_MAX", "INT64_MAX", "INT64_MIN",
    "UINT64_MAX", "UINT8_MAX", "UINT16_MAX", "SIZE_MAX", "ABSOLUTE", "CONST", "DELETE", "ERROR", "FALSE", "IN",
    "OPAQUE", "OPTIONAL", "OUT", "RELATIVE", "TRANSPARENT", "TRUE", "VOID", "cdecl", "hyper", "interface", "pascal",
    "small",
];
