//! How often values are used.

use akari_dialect::AkariOp;
use akari_ir::{Module, OpId, SecondaryMap, ValueId};

use super::walk::walk;

/// The number of uses of each value in the functions of a module.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    counts: SecondaryMap<ValueId, u32>,
}

impl Uses {
    /// Counts, in one walk.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut uses = Self::default();
        for (_, function) in module.functions.iter() {
            walk(module, function.body, &mut |op| {
                for operand in &module.op(op).operands {
                    *uses.counts.get_mut(*operand) += 1;
                }
            });
        }
        uses
    }

    /// How often `value` is used.
    #[must_use]
    pub fn count(&self, value: ValueId) -> u32 {
        *self.counts.get(value)
    }

    /// How often the regions of `op` use `value`.
    #[must_use]
    pub fn count_inside(&self, module: &Module, op: OpId, value: ValueId) -> u32 {
        let mut count = 0;
        for region in &module.op(op).regions {
            walk(module, *region, &mut |op| {
                count += module.op(op).operands.iter().filter(|operand| **operand == value).count() as u32;
            });
        }
        count
    }
}

/// Whether any function has one of these operations.
#[must_use]
pub fn has_operation(module: &Module, wanted: &[AkariOp]) -> bool {
    let mut found = false;
    for (_, function) in module.functions.iter() {
        walk(module, function.body, &mut |op| {
            found |= AkariOp::of(module.op(op)).is_some_and(|akari| wanted.contains(&akari));
        });
    }
    found
}
