//! The operations of the `akari` dialect.
//!
//! An operation with regions has, beside its own traits, the effects of the operations in them. A region that runs to its
//! end without a terminator leaves its operation normally, where its row does not ask for a `yield`.

use akari_ir::entity::{RegionId, ValueId};
use akari_ir::module::Module;

use crate::attributes::{BRANCH_HINT, LOOP_HINT, LOOP_TEST, PREDICATE, RAY_FACT};
use crate::builtins::BUILTIN;
use crate::check;

akari_ir::dialect! {
    /// Source-level operations, and the core ones that every target keeps: arithmetic, places, structured control flow.
    dialect "akari" 0, enum AkariOp, static AKARI;

    /// A constant value.
    Const "const" () {value: Const} [] -> Declared = CORE | PURE, verify check::constant;
    /// The value of a named module-level constant.
    GlobalConst "global_const" () {global: Global} [] -> Declared = CORE | PURE, verify check::global_const;

    /// Component-wise sum. Either operand may be a scalar beside a vector. Integers wrap.
    Add "add" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE | COMMUTES, verify check::arithmetic;
    /// Component-wise difference. Either operand may be a scalar beside a vector. Integers wrap.
    Sub "sub" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE, verify check::arithmetic;
    /// Component-wise product. Either operand may be a scalar beside a vector or matrix. Integers wrap.
    Mul "mul" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE | COMMUTES, verify check::arithmetic;
    /// Component-wise quotient. Signed integers truncate toward zero and the minimum by -1 wraps to itself; division by
    /// zero gives some value. Either operand may be a scalar beside a vector (a matrix only before a scalar).
    Div "div" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE, verify check::arithmetic;
    /// Component-wise remainder with the sign of the dividend; for floats `x - y*trunc(x/y)`. Either operand may be a
    /// scalar beside a vector.
    Rem "rem" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE, verify check::arithmetic;
    /// Component-wise negation. Integers wrap.
    Neg "neg" (value: Numeric) {} [] -> Same(0) = CORE | PURE;
    /// Product of linear algebra: matrix by column vector, row vector by matrix, or matrix by matrix.
    MatMul "matmul" (lhs: Numeric, rhs: Numeric) {} [] -> Declared = CORE | PURE, verify check::matmul;
    /// Bitwise and. Either operand may be a scalar beside a vector.
    And "and" (lhs: Integer, rhs: Integer) {} [] -> Declared = CORE | PURE | COMMUTES, verify check::arithmetic;
    /// Bitwise or. Either operand may be a scalar beside a vector.
    Or "or" (lhs: Integer, rhs: Integer) {} [] -> Declared = CORE | PURE | COMMUTES, verify check::arithmetic;
    /// Bitwise exclusive or. Either operand may be a scalar beside a vector.
    Xor "xor" (lhs: Integer, rhs: Integer) {} [] -> Declared = CORE | PURE | COMMUTES, verify check::arithmetic;
    /// Bitwise complement.
    BitNot "bit_not" (value: Integer) {} [] -> Same(0) = CORE | PURE;
    /// Left shift by `count` modulo the width of the value. The count has the value's shape or is a scalar, and is `i32` or `u32`.
    Shl "shl" (value: Integer, count: Integer) {} [] -> Declared = CORE | PURE, verify check::shift;
    /// Right shift by `count` modulo the width of the value, arithmetic for signed values. The count is as for `shl`.
    Shr "shr" (value: Integer, count: Integer) {} [] -> Declared = CORE | PURE, verify check::shift;
    /// Component-wise logical complement.
    Not "not" (value: BoolShaped) {} [] -> Same(0) = CORE | PURE;
    /// Component-wise comparison; `bool` operands for `eq` and `ne` only. Comparisons with NaN are false, `ne` true. Either
    /// operand may be a scalar beside a vector.
    Compare "compare" (lhs: ScalarOrVector, rhs: ScalarOrVector) {predicate: Enum(PREDICATE)} [] -> Declared
        = CORE | PURE, verify check::compare;

    /// `lhs && rhs`: the region runs, and yields the result, only where `lhs` is true.
    AndThen "and_then" (lhs: Bool) {} [rhs] -> Same(0) = CORE, verify check::short_circuit;
    /// `lhs || rhs`: the region runs, and yields the result, only where `lhs` is false.
    OrElse "or_else" (lhs: Bool) {} [rhs] -> Same(0) = CORE, verify check::short_circuit;
    /// `condition ? if_true : if_false` of values that are both there; per lane under a vector condition.
    Select "select" (condition: BoolShaped, if_true: Value, if_false: Same(1)) {} [] -> Same(1) = CORE | PURE, verify check::select;
    /// `condition ? then : otherwise`: only the selected region runs; each yields a value.
    Cond "cond" (condition: Bool) {} [then, otherwise] -> Declared = CORE, verify check::cond;

    /// Conversion of each component to another scalar type. Float to integer truncates (out of range: any value); `bool` to
    /// number gives 0 or 1; number to `bool` is `!= 0`.
    Convert "convert" (value: ScalarOrVector) {} [] -> Declared = CORE | PURE, verify check::convert;
    /// A vector from scalars and vectors of its total width, a matrix from its columns, an array or a struct from its parts.
    Construct "construct" (parts: Any "...") {} [] -> Declared = CORE | PURE, verify check::construct;
    /// A vector with one scalar in each component.
    Splat "splat" (value: Value) {} [] -> Declared = CORE | PURE, verify check::splat;
    /// A component, column, element or field at a fixed index of a value.
    Extract "extract" (aggregate: Value) {index: Int} [] -> Declared = CORE | PURE, verify check::extract;
    /// A component, column or element of a value (or a resource array) at a computed index.
    Index "index" (aggregate: Any, index: IntegerScalar) {} [] -> Declared = CORE | PURE, verify check::index, traits check::index_traits;
    /// The index, which may differ between invocations that run together: targets that ask for it to be said where it chooses a resource.
    /// Made by `non-uniform-indices`.
    NonUniform "non_uniform" (index: IntegerScalar) {} [] -> Same(0) = CORE | PURE;
    /// The named components of a vector, in order: a scalar for one, else a vector. 4 to 7 are 0 to 3 called `rgba`.
    Swizzle "swizzle" (vector: ScalarOrVector) {components: Ints} [] -> Declared = CORE | PURE, verify check::swizzle;

    /// A variable of this invocation; undefined until stored to, where it has no initial value.
    Local "local" (init: Value "...") {} [] -> Declared = CORE | DECLARES, verify check::local;
    /// The value in a place.
    Load "load" (place: Place) {} [] -> Declared = CORE, verify check::load, traits check::load_traits;
    /// Writes a place.
    Store "store" (place: WritablePlace, value: Pointee(0)) {} [] -> None = CORE | WRITES;
    /// Writes the named components of a vector in a place, none twice; numbers as in `swizzle`.
    StoreComponents "store_components" (place: WritablePlace, value: ScalarOrVector) {components: Ints} [] -> None
        = CORE | WRITES, verify check::store_components;
    /// The place of a field.
    Member "member" (place: Place) {index: Int} [] -> Declared = CORE | PURE | ADDRESS, verify check::member;
    /// The place of a component, column or element.
    Element "element" (place: Place, index: IntegerScalar) {} [] -> Declared = CORE | PURE | ADDRESS, verify check::element;
    /// The place of a groupshared variable or of a module-level constant.
    GlobalPlace "global_place" () {global: Global} [] -> Declared = CORE | PURE | ADDRESS, verify check::global_place;
    /// The place of what a `Uniform<T>` holds.
    Contents "contents" (buffer: Buffer) {} [] -> Declared = CORE | PURE | ADDRESS, verify check::contents;
    /// The place of an element of a buffer.
    BufferElement "buffer_element" (buffer: Buffer, index: IntegerScalar) {} [] -> Declared = CORE | PURE | ADDRESS, verify check::buffer_element;
    /// The handle of a module-level resource.
    Resource "resource" () {global: Global} [] -> Declared = CORE | PURE | ADDRESS, verify check::resource;

    /// Runs one of its regions.
    If "if" (condition: Bool) {hint: Enum(BRANCH_HINT)} [then, otherwise] -> None = CORE;
    /// Runs `test`, and while it yields true `body` and then `step`; with the test `after`, runs `body`, `step`, `test` in this
    /// order while `test` yields true. `continue` goes to the end of `body`, `break` leaves. `unroll` is the argument of
    /// `@unroll(N)`, 0 without one; where that depends on `const` parameters, it is an operand until `specialize`.
    Loop "loop" (unroll_count: IntegerScalar "...") {when: Enum(LOOP_TEST), hint: Enum(LOOP_HINT), unroll: Int} [test, body, step] -> None = CORE, verify check::loop_;
    /// Runs the case whose label equals the selector, else the default, else nothing. `labels` lists pairs of a label and
    /// the number of its case; `default` is the number of a case, or -1. A case that runs to its end leaves the switch, as
    /// does `break` in it.
    Switch "switch" (selector: IntegerScalar) {labels: Ints, default: Int} [cases "*"] -> None = CORE, verify check::switch;
    /// Leaves the nearest loop or switch.
    Break "break" () {} [] -> None = CORE | TERMINATOR;
    /// Goes to the end of the nearest loop's body.
    Continue "continue" () {} [] -> None = CORE | TERMINATOR;
    /// Leaves the function, with its result if it has one.
    Return "return" (value: Value "...") {} [] -> None = CORE | TERMINATOR, verify check::return_;
    /// Gives the value of the region it ends.
    Yield "yield" (value: Value) {} [] -> None = CORE | TERMINATOR;
    /// Demotes the invocation to a helper: what follows runs on, without stores and atomics taking effect.
    Discard "discard" () {} [] -> None = CORE | WRITES | CONVERGENT;
    /// Calls a function. Arguments of `ref` and `inout` parameters are places.
    Call "call" (arguments: Any "...") {callee: Func} [] -> Optional = CORE | READS | WRITES | CONVERGENT, verify check::call;
    /// Calls a builtin function; its row in the table of builtins says the rest.
    Builtin "builtin" (arguments: Any "...") {function: Enum(BUILTIN)} [] -> Optional = CORE, verify check::builtin, traits check::builtin_traits;
    /// Begins the search for what a ray meets among the instances that share a bit with the mask; with `any`, the first hit ends it, else it
    /// is for the nearest. With `opaque`, every triangle is opaque; else those that are not are candidates.
    RayQueryBegin "ray_query_begin" (query: WritablePlace, scene: Any, origin: Value, direction: Same(2), t_min: Value, t_max: Same(4), mask: IntegerScalar)
        {any: Bool, opaque: Bool} [] -> None = CORE | READS | WRITES, verify check::ray_query_begin;
    /// Goes on with the search; whether there is more to do.
    RayQueryProceed "ray_query_proceed" (query: WritablePlace) {} [] -> Declared = CORE | READS | WRITES, verify check::ray_query;
    /// What the search has found.
    RayQueryHit "ray_query_hit" (query: Place) {fact: Enum(RAY_FACT)} [] -> Declared = CORE | READS, verify check::ray_query;
    /// What the search has come to that may be a hit, after a `ray_query_proceed` that gave true. `is_hit` tells whether it is a triangle,
    /// which all else is asked of.
    RayQueryCandidate "ray_query_candidate" (query: Place) {fact: Enum(RAY_FACT)} [] -> Declared = CORE | READS, verify check::ray_query;
    /// Takes the candidate, a triangle, for what is hit: nothing farther away is come to any more, and with `any` nothing at all.
    RayQueryAccept "ray_query_accept" (query: WritablePlace) {} [] -> None = CORE | READS | WRITES, verify check::ray_query;
    /// A function value: `callee`, whose last parameters are bound to the captures.
    Function "function" (captures: Any "...") {callee: Func} [] -> Declared = PURE | COMPTIME, verify check::function;
    /// Calls a function value. Arguments of `ref` and `inout` parameters are places.
    CallValue "call_value" (function: Any, arguments: Any "...") {} [] -> Optional
        = READS | WRITES | CONVERGENT | COMPTIME, verify check::call_value;
    /// No resource, for an optional parameter.
    None "none" () {} [] -> Declared = PURE | COMPTIME, verify check::none;
    /// Whether an optional parameter is `none`.
    IsNone "is_none" (handle: Any) {} [] -> Declared = PURE | COMPTIME, verify check::is_none;
    /// An array whose elements all have one value; its length depends on `const` parameters.
    Repeat "repeat" (value: Value) {} [] -> Declared = PURE | COMPTIME, verify check::repeat;
    /// The bytes that a type takes which holds arrays whose length depends on `const` parameters.
    SizeOf "size_of" () {ty: Type, uniform: Bool} [] -> Declared = PURE | COMPTIME, verify check::size_of;
    /// As `switch`, with labels that depend on `const` parameters: `cases` gives the number of the case of each.
    OpenSwitch "open_switch" (selector: IntegerScalar, labels: Same(0) "...") {cases: Ints, default: Int} [bodies "*"] -> None
        = COMPTIME, verify check::open_switch;
    /// The thread-group size of an entry, where it depends on `const` parameters.
    Threads "threads" (x: IntegerScalar, y: IntegerScalar, z: IntegerScalar) {} [] -> None = WRITES | COMPTIME;
    /// The only statement of a named instance: its body is that of `template`, whose parameters with the numbers in `params` are
    /// bound to the arguments. The instance has the other parameters.
    Instance "instance" (arguments: Any "...") {template: Func, params: Ints} [] -> None
        = TERMINATOR | COMPTIME, verify check::instance;
    /// A named copy of a value: a declaration in the printed text. Made by `shape-expressions`.
    Let "let" (value: Any) {} [] -> Same(0) = CORE | PURE | DECLARES;
}

/// The value that a region ends in, if it ends in a `yield`.
#[must_use]
pub fn yielded(module: &Module, region: RegionId) -> Option<ValueId> {
    let last = module.op(*module.region(region).ops.last()?);
    last.operands.first().copied().filter(|_| AkariOp::of(last) == Some(AkariOp::Yield))
}
