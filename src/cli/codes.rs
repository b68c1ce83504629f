//! The codes of what goes wrong around the compiler: `E43xx`.

akari_ir::codes! {
    /// A file that cannot be read.
    UNREADABLE = "E4300";
    /// A file that cannot be written.
    UNWRITABLE = "E4301";
    /// A tool that a build needs and that is not there, or cannot be started.
    NO_TOOL = "E4302";
    /// What a tool has against the text that it was given.
    TOOL = "E4303";
    /// A shader model that is too low for what a package does.
    SHADER_MODEL = "E4304";
    /// A tool that crashed, took too long, or made something else than it was asked for.
    TOOL_FAILED = "E4305";
    /// A package that needs the binding manifest, which has errors.
    FAULTY_MANIFEST = "E4306";
    /// What a tool says of a text that it takes.
    TOOL_WARNING = "W4300";
    /// A cache that cannot be used, written or reached.
    CACHE = "W4302";
    /// A file of an earlier build that cannot be removed.
    LEFT = "W4303";
    /// A package of a build that has no entry.
    NO_ENTRY = "W4304";
}
