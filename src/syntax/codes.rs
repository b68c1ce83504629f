//! The codes of the diagnostics of source text and syntax: `E00xx` errors, `W00xx` warnings.

akari_ir::codes! {
    /// Something stands where the grammar wants something else.
    UNEXPECTED = "E0001";
    /// A character that no Akari source has outside of comments.
    BAD_CHARACTER = "E0002";
    /// A `/*` without its `*/`.
    UNTERMINATED_COMMENT = "E0003";
    /// An opening bracket that is never closed, or closed by one of another kind.
    UNCLOSED_BRACKET = "E0004";
    /// A closing bracket that nothing opened.
    UNOPENED_BRACKET = "E0005";
    /// Brackets, expressions or statements nested beyond the limit.
    NESTED_TOO_DEEPLY = "E0006";
    /// A missing `;`.
    MISSING_SEMICOLON = "E0007";
    /// A number that is not written as Akari's numbers are.
    MALFORMED_NUMBER = "E0008";
    /// An integer literal beyond 64 bits.
    NUMBER_TOO_LARGE = "E0009";
    /// A file without `#shader` or `#module`.
    MISSING_ROOT = "E0010";
    /// A `#…` line that Akari does not have, or one in a place where none may stand.
    BAD_DIRECTIVE = "E0011";
    /// A directive given twice.
    REPEATED_DIRECTIVE = "E0012";
    /// A directive after the first item.
    LATE_DIRECTIVE = "E0013";
    /// A `#version` that this compiler does not speak.
    UNKNOWN_VERSION = "E0014";
    /// A construct of C, GLSL, HLSL, MSL, WGSL or Rust that Akari writes otherwise.
    FOREIGN_SYNTAX = "E0015";
    /// `[]`, which has no type.
    EMPTY_ARRAY = "E0016";
    /// A declaration without a part that it must have, or with one that it cannot have.
    BAD_DECLARATION = "E0017";
    /// A struct literal whose `..` is not its last part.
    BAD_STRUCT_REST = "E0018";
    /// Source text that is not UTF-8.
    INVALID_UTF8 = "E0019";
    /// A file or a single item larger than the limit.
    TOO_LARGE = "E0020";
    /// More errors than anybody wants to read.
    TOO_MANY_ERRORS = "E0021";
    /// A struct field that ends with its line instead of with `;`.
    FIELD_WITHOUT_SEMICOLON = "W0001";
    /// A `;` after a directive.
    DIRECTIVE_WITH_SEMICOLON = "W0002";
    /// A module imported twice.
    REPEATED_IMPORT = "W0003";
    /// A `;` that ends nothing.
    STRAY_SEMICOLON = "W0004";
}
