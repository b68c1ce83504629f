//! Regions, loops, branches, and what ends them.

use akari_ir::entity::{OpId, Type};
use akari_ir::module::Module;
use akari_ir::types::{Scalar, TypeKind};
use akari_ir::verify::Report;

use super::result_type;
use crate::ops::yielded;

fn expect_yield(m: &Module, op: OpId, region: usize, ty: Option<Type>, report: &mut Report) {
    let name = m.op(op).def.regions[region];
    match yielded(m, m.op(op).regions[region]) {
        Some(value) if Some(m.value_type(value)) == ty => {}
        Some(_) => report.fault(op, format!("the region `{name}` yields the wrong type")),
        None => report.fault(op, format!("the region `{name}` does not end in a yield")),
    }
}

pub(crate) fn short_circuit(m: &Module, op: OpId, report: &mut Report) {
    expect_yield(m, op, 0, result_type(m, op), report);
}

pub(crate) fn cond(m: &Module, op: OpId, report: &mut Report) {
    expect_yield(m, op, 0, result_type(m, op), report);
    expect_yield(m, op, 1, result_type(m, op), report);
}

pub(crate) fn loop_(m: &Module, op: OpId, report: &mut Report) {
    if m.op(op).operands.len() > 1 {
        report.fault(op, "a loop has at most one count to unroll by");
    }
    expect_yield(m, op, 0, m.types.find(TypeKind::Scalar(Scalar::Bool)), report);
}

pub(crate) fn switch(m: &Module, op: OpId, report: &mut Report) {
    let labels = m.op(op).ints(0);
    let cases = m.op(op).regions.len() as i64;
    if !labels.len().is_multiple_of(2) || labels.iter().skip(1).step_by(2).any(|case| !(0..cases).contains(case)) {
        report.fault(op, "the labels do not name its cases");
    }
    let mut values: Vec<i64> = labels.iter().step_by(2).copied().collect();
    values.sort_unstable();
    if values.windows(2).any(|pair| pair[0] == pair[1]) {
        report.fault(op, "a label stands twice");
    }
    if !(-1..cases).contains(&m.op(op).int(1)) {
        report.fault(op, "the default names no case");
    }
}

pub(crate) fn return_(m: &Module, op: OpId, report: &mut Report) {
    if m.op(op).operands.len() > 1 {
        report.fault(op, "a function has at most one result");
    }
}
