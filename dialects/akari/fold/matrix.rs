//! Products of linear algebra on constants.

use akari_ir::entity::{ConstId, Type};
use akari_ir::module::Module;
use akari_ir::types::{Scalar, TypeKind};

use super::builtin::dot;
use super::{Fault, Lanes, from_lanes, lanes, scalar_of};

/// `a * b`, where at least one is a matrix and a vector is a column on the right, a row on the left. Every sum of products is
/// taken from the first, each step rounded.
pub(super) fn product(module: &mut Module, a: ConstId, b: ConstId, result: Type) -> Result<ConstId, Fault> {
    let scalar = scalar_of(module, a).unwrap_or(Scalar::F32);
    let shape = |operand: ConstId| match module.kind(module.constant(operand).ty()) {
        TypeKind::Matrix { columns, rows } => Some((usize::from(columns), usize::from(rows))),
        _ => None,
    };
    let (left, right) = (shape(a), shape(b));
    let a = lanes(module, a).ok_or(Fault::NotFoldable)?;
    let b = lanes(module, b).ok_or(Fault::NotFoldable)?;
    // What the right side has as columns, and the left as rows.
    let columns: Vec<Lanes> = match right {
        Some((_, rows)) => b.chunks(rows).map(Lanes::from_slice).collect(),
        None => vec![b],
    };
    let rows: Vec<Lanes> = match left {
        Some((_, rows)) => (0..rows).map(|row| a.iter().copied().skip(row).step_by(rows).collect()).collect(),
        None => vec![a],
    };
    let mut all = Lanes::new();
    for column in &columns {
        for row in &rows {
            all.push(dot(scalar, row, column)?);
        }
    }
    Ok(from_lanes(module, result, &all))
}
