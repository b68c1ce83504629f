//! What only `specialize` understands.

use akari_ir::entity::OpId;
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::Module;
use akari_ir::types::{Scalar, TypeKind};
use akari_ir::verify::Report;

use super::calls::{expect_argument, is_alike};
use super::{expect_result, kind, result_kind, result_type};

pub(crate) fn function(m: &Module, op: OpId, report: &mut Report) {
    let callee = &m.functions[m.op(op).func(0)];
    let captures = &m.op(op).operands;
    let Some(TypeKind::Function(signature)) = result_kind(m, op) else {
        return report.fault(op, "its result is no function");
    };
    let signature = m.types.signature(signature);
    if callee.params.len() != signature.params.len() + captures.len() {
        return report.fault(op, "the function has not the parameters of its type and its captures");
    }
    for (param, (mode, ty)) in callee.params.iter().zip(&signature.params) {
        let wanted = m.value_type(param.value);
        let wanted = m.types.as_place(wanted).map_or(wanted, |(_, pointee)| pointee);
        if param.mode != *mode || !is_alike(m, Some(wanted), Some(*ty)) {
            report.fault(op, "a parameter of the function is not that of its type");
        }
    }
    for (param, capture) in callee.params[signature.params.len()..].iter().zip(captures) {
        let (wanted, given) = (m.value_type(param.value), m.value_type(*capture));
        let fits = match (m.types.as_place(wanted), m.types.as_place(given)) {
            (Some((_, wanted)), Some((_, given))) => is_alike(m, Some(wanted), Some(given)),
            _ => is_alike(m, Some(wanted), Some(given)),
        };
        if !fits {
            report.fault(op, "a capture has another type than its parameter");
        }
    }
    if !is_alike(m, callee.result, signature.result) {
        report.fault(op, "its result is not that of its type");
    }
}

pub(crate) fn call_value(m: &Module, op: OpId, report: &mut Report) {
    let operands = &m.op(op).operands;
    let TypeKind::Function(signature) = kind(m, operands[0]) else {
        return report.fault(op, "what is called is no function");
    };
    let signature = m.types.signature(signature);
    let arguments = &operands[1..];
    if signature.params.len() != arguments.len() {
        return report.fault(op, "the number of arguments is not that of the parameters");
    }
    for ((mode, ty), argument) in signature.params.iter().zip(arguments) {
        let given = m.value_type(*argument);
        let fits = match (mode, m.types.as_place(given)) {
            (PassMode::Value, _) => given == *ty,
            (PassMode::Ref | PassMode::Inout, Some((_, pointee))) => pointee == *ty,
            (PassMode::Ref | PassMode::Inout, None) => false,
        };
        if !fits {
            report.fault(op, "an argument has another type than its parameter");
        }
    }
    if result_type(m, op) != signature.result {
        report.fault(op, "its result is not that of the function");
    }
}

pub(crate) fn none(m: &Module, op: OpId, report: &mut Report) {
    if !result_kind(m, op).is_some_and(TypeKind::is_handle) {
        report.fault(op, "only a resource can be none");
    }
}

pub(crate) fn is_none(m: &Module, op: OpId, report: &mut Report) {
    if !kind(m, m.op(op).operands[0]).is_handle() {
        report.fault(op, "only a resource can be none");
    }
    expect_result(m, op, Some(TypeKind::Scalar(Scalar::Bool)), report);
}

pub(crate) fn repeat(m: &Module, op: OpId, report: &mut Report) {
    match result_kind(m, op) {
        Some(TypeKind::Array(element, _) | TypeKind::OpenArray(element, _))
            if m.value_type(m.op(op).operands[0]) == element => {}
        _ => report.fault(op, "its result is no array of the value"),
    }
}

pub(crate) fn size_of(m: &Module, op: OpId, report: &mut Report) {
    expect_result(m, op, Some(TypeKind::Scalar(Scalar::U32)), report);
}

pub(crate) fn open_switch(m: &Module, op: OpId, report: &mut Report) {
    let (operands, labels) = (&m.op(op).operands, m.op(op).ints(0));
    let cases = m.op(op).regions.len() as i64;
    if labels.len() + 1 != operands.len() || labels.iter().any(|case| !(0..cases).contains(case)) {
        report.fault(op, "the labels do not name its cases");
    }
    if !(-1..cases).contains(&m.op(op).int(1)) {
        report.fault(op, "the default names no case");
    }
}

pub(crate) fn instance(m: &Module, op: OpId, report: &mut Report) {
    let template = &m.functions[m.op(op).func(0)];
    let (operands, numbers) = (&m.op(op).operands, m.op(op).ints(1));
    if operands.len() != numbers.len() {
        return report.fault(op, "the number of arguments is not that of the parameters");
    }
    let is_fixed = |index: usize| numbers.iter().filter(|number| usize::try_from(**number) == Ok(index)).count();
    let fits = template.params.iter().enumerate().all(|(index, param)| {
        let known = matches!(param.role, ParamRole::Const(_) | ParamRole::Optional)
            || matches!(kind(m, param.value), TypeKind::Function(_));
        is_fixed(index) == usize::from(known)
    });
    if !fits || numbers.is_empty() {
        report.fault(op, "the arguments are not those for the compile-time parameters of a template");
    }
    for (operand, number) in operands.iter().zip(numbers) {
        match usize::try_from(*number).ok().and_then(|number| template.params.get(number)) {
            Some(param) => expect_argument(m, op, m.value_type(param.value), *operand, report),
            None => report.fault(op, "the template has no such parameter"),
        }
    }
}
