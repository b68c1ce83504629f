//! The operations of the `msl` dialect.

use akari_ir::module::Module;
use akari_ir::op::{Op, Traits};

use crate::attributes::{ADDRESS, ATOMIC, COMPARE, FILTER, METHOD, Method, OPTION};

akari_ir::dialect! {
    /// What MSL has beyond the core operations.
    dialect "msl" 2, enum MslOp, static MSL;

    /// A groupshared variable, declared in a kernel: `threadgroup T name;`.
    Threadgroup "threadgroup" () {} [] -> Declared = DECLARES;
    /// A sampler whose state is part of the code: `constexpr sampler name(…);`.
    Sampler "sampler" () {filter: Enum(FILTER), address: Enum(ADDRESS), compare: Enum(COMPARE)} [] -> Declared = PURE | DECLARES;
    /// The vector that a packed vector holds.
    Unpack "unpack" (packed: Any) {} [] -> Declared = PURE;
    /// The packed vector that holds a vector.
    Pack "pack" (vector: Any) {} [] -> Declared = PURE;
    /// A call of a texture's method. The option wraps the last operands: `level(x)`, `gradient2d(dx, dy)`, `component::x`.
    Texture "texture" (texture: Any, operands: Any "...") {method: Enum(METHOD), option: Enum(OPTION)} [] -> Optional
        = NONE, traits texture_traits;
    /// How many zeros stand below the lowest set bit; the width for 0.
    CountTrailingZeros "ctz" (value: Integer) {} [] -> Same(0) = PURE;
    /// How many zeros stand above the highest set bit; the width for 0.
    CountLeadingZeros "clz" (value: Integer) {} [] -> Same(0) = PURE;
    /// `atomic_load_explicit`
    AtomicLoad "atomic_load" (place: Place) {} [] -> Declared = READS;
    /// `atomic_store_explicit`
    AtomicStore "atomic_store" (place: Place, value: Any) {} [] -> None = WRITES;
    /// `atomic_fetch_…_explicit`, `atomic_exchange_explicit`; gives the previous value.
    AtomicFetch "atomic_fetch" (place: Place, value: Any) {operation: Enum(ATOMIC)} [] -> Declared = READS | WRITES;
    /// `atomic_compare_exchange_weak_explicit`: whether it stored, which it may fail to do without a reason. Writes the value it
    /// found to `expected` where it did not.
    AtomicCompareExchangeWeak "atomic_compare_exchange_weak" (place: Place, expected: Place, desired: Any) {} [] -> Declared
        = READS | WRITES;
}

/// A sample with an implicit level depends on the quad; storage textures are read and written. Sampled textures are never written.
fn texture_traits(module: &Module, op: &Op) -> Traits {
    let storage = op
        .operands
        .first()
        .is_some_and(|texture| matches!(module.value_kind(*texture), akari_ir::TypeKind::StorageTexture(..)));
    match Method::from_index(op.enumerated(0)) {
        Method::Sample | Method::SampleCompare if op.enumerated(1) == 0 => Traits::CONVERGENT,
        Method::Read if storage => Traits::READS,
        Method::Write | Method::Fence => Traits::WRITES,
        Method::Sample
        | Method::SampleCompare
        | Method::Gather
        | Method::GatherCompare
        | Method::Read
        | Method::GetWidth
        | Method::GetHeight
        | Method::GetDepth
        | Method::GetArraySize
        | Method::GetNumMipLevels => Traits::PURE,
    }
}
