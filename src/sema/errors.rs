//! The codes of what the checker reports. A code is never reused for another meaning.

pub use akari_passes::check_entries::codes::BAD_ENTRY;

akari_ir::codes! {
    /// A name that nothing visible has.
    UNKNOWN_NAME = "E1001";
    /// A type name that nothing visible has.
    UNKNOWN_TYPE = "E1002";
    /// A function name that nothing visible has.
    UNKNOWN_FUNCTION = "E1003";
    /// A field, case or swizzle that the value does not have.
    UNKNOWN_FIELD = "E1004";
    /// A method that the value does not have.
    UNKNOWN_METHOD = "E1005";
    /// An item that is private to another file.
    PRIVATE_ITEM = "E1006";
    /// Two visible things of one name.
    DUPLICATE_NAME = "E1007";
    /// A name that stands for something of another kind than is wanted here.
    WRONG_KIND_OF_NAME = "E1008";
    /// An imported module that no import directory has.
    MISSING_MODULE = "E1009";
    /// A file whose `#module` line contradicts the name it is imported under.
    CONTRADICTING_MODULE = "E1010";
    /// Modules that import one another in a circle.
    IMPORT_CYCLE = "E1011";
    /// A value of another type than its place wants.
    TYPE_MISMATCH = "E1101";
    /// An operator on operands it does not take.
    BAD_OPERANDS = "E1102";
    /// A call with too few, too many or misnamed arguments.
    BAD_ARGUMENTS = "E1103";
    /// A call that no overload takes.
    NO_OVERLOAD = "E1104";
    /// A call that several overloads take equally well.
    AMBIGUOUS_CALL = "E1105";
    /// A literal that its type cannot hold.
    LITERAL_RANGE = "E1106";
    /// A conversion that does not exist.
    BAD_CAST = "E1107";
    /// Arguments from which the type cannot be made.
    BAD_CONSTRUCTOR = "E1108";
    /// Wrong type arguments.
    BAD_TYPE_ARGUMENTS = "E1109";
    /// A type that may not stand here.
    BAD_TYPE = "E1110";
    /// A struct literal that misses a field, or names one twice.
    BAD_LITERAL = "E1111";
    /// A call for its effect of something that has none, or a value of something that gives none.
    NO_VALUE = "E1112";
    /// Something that cannot be indexed, or a wrong index.
    BAD_INDEX = "E1113";
    /// A swizzle that mixes sets or repeats a written component.
    BAD_SWIZZLE = "E1114";

    /// An expression that must be constant and is not.
    NOT_CONSTANT = "E2001";
    /// A constant division by zero.
    DIVISION_BY_ZERO = "E2002";
    /// A constant shift count outside the width.
    SHIFT_COUNT = "E2003";
    /// A constant index out of range.
    INDEX_RANGE = "E2004";
    /// Something that cannot be assigned to.
    NOT_ASSIGNABLE = "E2005";
    /// A variable that is read before it is assigned.
    NOT_ASSIGNED = "E2006";
    /// A `let` that is assigned twice.
    ASSIGNED_TWICE = "E2007";
    /// A path that does not return.
    MISSING_RETURN = "E2008";
    /// Functions that call one another in a circle.
    RECURSION = "E2009";
    /// An item that is defined by way of itself.
    DEFINITION_CYCLE = "E2010";
    /// An argument that cannot be borrowed.
    NOT_BORROWABLE = "E2011";
    /// Two borrows of one variable in one call.
    OVERLAPPING_BORROWS = "E2012";
    /// `break`, `continue` or `return` where there is nothing to leave.
    MISPLACED_JUMP = "E2013";
    /// A fault of a `switch`.
    BAD_SWITCH = "E2014";
    /// A fault of an enum.
    BAD_ENUM = "E2015";
    /// A fault of a bitfield.
    BAD_BITFIELD = "E2016";
    /// An array length that is no positive integer.
    BAD_LENGTH = "E2017";
    /// A declaration that lacks a type or a value.
    INCOMPLETE_DECLARATION = "E2018";
    /// A statement without effect.
    NO_EFFECT = "E2019";
    /// A body that is larger than can be sensible.
    TOO_LARGE = "E2020";
    /// A loop that nothing leaves.
    ENDLESS_LOOP = "E2021";
    /// A closure that does not say enough, or stands where none may.
    BAD_CLOSURE = "E2022";
    /// A compile-time parameter that cannot be one.
    BAD_TEMPLATE = "E2023";
    /// A fault of an instance.
    BAD_INSTANCE = "E2024";
    /// `none` where it cannot stand.
    BAD_NONE = "E2025";

    /// An attribute that does not exist.
    UNKNOWN_ATTRIBUTE = "E3001";
    /// An attribute where it may not stand, twice, or with wrong arguments.
    BAD_ATTRIBUTE = "E3002";
    /// An unknown capability.
    UNKNOWN_CAPABILITY = "E3004";
    /// A required capability that no entry may use.
    UNUSABLE_CAPABILITY = "E3005";
    /// A fault of a stage's inputs or outputs.
    BAD_INTERFACE = "E3007";
    /// A fault of the number of threads.
    BAD_THREADS = "E3008";
    /// A fault of a package binding.
    BAD_BINDING = "E3012";
    /// A package binding that nothing names.
    UNNAMED_BINDING = "W3001";
    /// An entry of a package that takes compile-time arguments, and has no instance.
    UNUSED_TEMPLATE = "W3002";
    /// A type without a layout, or a layout too large.
    LAYOUT = "E4001";

    /// A statement that nothing reaches.
    UNREACHABLE = "W2001";
    /// A uniform larger than every device offers.
    LARGE_UNIFORM = "W4001";
}
