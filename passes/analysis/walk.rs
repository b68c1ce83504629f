//! Visiting operations.

use akari_ir::{FuncId, Module, OpId, RegionId};

/// Visits the operations of a region and of all regions in it, in order. Nesting is bounded by the front end's limit.
pub fn walk(module: &Module, region: RegionId, visit: &mut impl FnMut(OpId)) {
    for op in &module.region(region).ops {
        visit(*op);
        for nested in &module.op(*op).regions {
            walk(module, *nested, visit);
        }
    }
}

/// The operations of a function, in order.
#[must_use]
pub fn operations(module: &Module, func: FuncId) -> Vec<OpId> {
    let mut ops = Vec::new();
    walk(module, module.functions[func].body, &mut |op| ops.push(op));
    ops
}
