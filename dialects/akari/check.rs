//! What the rows of the dialect cannot say about operand, attribute and result types.

use akari_ir::constant::Constant;
use akari_ir::entity::{OpId, StructId, Type, ValueId};
use akari_ir::interface::{ParamRole, PassMode};
use akari_ir::module::{GlobalKind, Module};
use akari_ir::op::{Op, Traits};
use akari_ir::types::{BufferKind, MemoryType, Scalar, Space, TypeKind};
use akari_ir::verify::Report;

use crate::attributes::RayFact;
use crate::builtins::{Builtin, Signature};
use crate::components::{COLOUR, component};
use crate::ops::{AkariOp, view};

fn kind(m: &Module, value: ValueId) -> TypeKind {
    m.value_kind(value)
}

fn result_type(m: &Module, op: OpId) -> Option<Type> {
    m.op(op).result.map(|value| m.value_type(value))
}

fn result_kind(m: &Module, op: OpId) -> Option<TypeKind> {
    result_type(m, op).map(|ty| m.kind(ty))
}

fn expect_result(m: &Module, op: OpId, wanted: Option<TypeKind>, report: &mut Report) {
    if result_kind(m, op) != wanted {
        report.fault(op, "its result has the wrong type");
    }
}

/// The common shape of two operands of which one may be a scalar beside a vector, if they fit.
fn broadcast(lhs: TypeKind, rhs: TypeKind) -> Option<TypeKind> {
    match (lhs, rhs) {
        _ if lhs == rhs => Some(lhs),
        (TypeKind::Scalar(scalar), TypeKind::Vector(of, _)) if scalar == of => Some(rhs),
        (TypeKind::Vector(of, _), TypeKind::Scalar(scalar)) if scalar == of => Some(lhs),
        _ => None,
    }
}

pub(crate) fn constant(m: &Module, op: OpId, report: &mut Report) {
    let value = m.constant(m.op(op).constant(0));
    if result_type(m, op) != Some(value.ty()) {
        report.fault(op, "its result has another type than its value");
    }
    if let Constant::Composite(ty, parts) = value
        && m.types.length(*ty).is_some_and(|length| length as usize != parts.len())
    {
        report.fault(op, "the constant has the wrong number of parts");
    }
}

pub(crate) fn global_const(m: &Module, op: OpId, report: &mut Report) {
    let global = &m.globals[m.op(op).global(0)];
    if !matches!(global.kind, GlobalKind::Constant(_)) {
        report.fault(op, "the global is no constant");
    }
    if result_type(m, op) != Some(global.ty) {
        report.fault(op, "its result has another type than the constant");
    }
}

pub(crate) fn arithmetic(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let shape = match (AkariOp::of(m.op(op)), lhs, rhs) {
        (Some(AkariOp::Mul | AkariOp::Div), TypeKind::Matrix { .. }, TypeKind::Scalar(Scalar::F32)) => Some(lhs),
        (Some(AkariOp::Mul), TypeKind::Scalar(Scalar::F32), TypeKind::Matrix { .. }) => Some(rhs),
        (Some(AkariOp::Mul | AkariOp::Div | AkariOp::Rem), TypeKind::Matrix { .. }, _) => None,
        _ => broadcast(lhs, rhs),
    };
    match shape {
        Some(shape) => expect_result(m, op, Some(shape), report),
        None => report.fault(op, "the operands do not fit together"),
    }
}

pub(crate) fn matmul(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let result = match (lhs, rhs) {
        (TypeKind::Matrix { columns, rows }, TypeKind::Vector(Scalar::F32, width)) if columns == width => {
            TypeKind::Vector(Scalar::F32, rows)
        }
        (TypeKind::Vector(Scalar::F32, width), TypeKind::Matrix { columns, rows }) if rows == width => {
            TypeKind::Vector(Scalar::F32, columns)
        }
        (TypeKind::Matrix { columns: inner, rows }, TypeKind::Matrix { columns, rows: other }) if inner == other => {
            TypeKind::Matrix { columns, rows }
        }
        _ => return report.fault(op, "the operands do not fit together"),
    };
    expect_result(m, op, Some(result), report);
}

pub(crate) fn shift(m: &Module, op: OpId, report: &mut Report) {
    let (value, count) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    if !matches!(count.scalar(), Some(Scalar::I32 | Scalar::U32)) {
        report.fault(op, "the count is neither `i32` nor `u32`");
    }
    match (value.scalar(), value.width(), count.width()) {
        (Some(scalar), Some(width), Some(count)) if count == 1 || width == 1 || count == width => {
            expect_result(m, op, Some(TypeKind::vector(scalar, width.max(count))), report);
        }
        _ => report.fault(op, "the operands do not fit together"),
    }
}

pub(crate) fn compare(m: &Module, op: OpId, report: &mut Report) {
    let (lhs, rhs) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    let ordered = m.op(op).enumerated(0) > 1;
    match broadcast(lhs, rhs) {
        Some(shape) if !(ordered && shape.scalar() == Some(Scalar::Bool)) => {
            expect_result(m, op, Some(TypeKind::vector(Scalar::Bool, shape.width().unwrap_or(1))), report);
        }
        _ => report.fault(op, "the operands cannot be compared"),
    }
}

/// The value that ends a region, if it ends in a `yield`.
fn yielded(m: &Module, region: akari_ir::entity::RegionId) -> Option<ValueId> {
    let last = *m.region(region).ops.last()?;
    let last = Some(m.op(last)).filter(|last| AkariOp::of(last) == Some(AkariOp::Yield))?;
    last.operands.first().copied()
}

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

pub(crate) fn select(m: &Module, op: OpId, report: &mut Report) {
    let (condition, value) = (kind(m, m.op(op).operands[0]), kind(m, m.op(op).operands[1]));
    if condition.width() != Some(1) && condition.width() != value.width() {
        report.fault(op, "the condition and the values differ in width");
    }
}

pub(crate) fn convert(m: &Module, op: OpId, report: &mut Report) {
    let from = kind(m, m.op(op).operands[0]).width();
    if result_kind(m, op).and_then(TypeKind::width) != from {
        report.fault(op, "a conversion keeps the width");
    }
}

pub(crate) fn construct(m: &Module, op: OpId, report: &mut Report) {
    let parts = &m.op(op).operands;
    let fits = match result_kind(m, op) {
        Some(TypeKind::Vector(scalar, width)) => {
            parts.iter().all(|part| kind(m, *part).scalar() == Some(scalar))
                && parts.iter().map(|part| u32::from(kind(m, *part).width().unwrap_or(0))).sum::<u32>()
                    == u32::from(width)
        }
        Some(TypeKind::Matrix { columns, rows }) => {
            parts.len() == usize::from(columns)
                && parts.iter().all(|part| kind(m, *part) == TypeKind::Vector(Scalar::F32, rows))
        }
        Some(TypeKind::Array(element, length)) => {
            parts.len() == length as usize && parts.iter().all(|part| m.value_type(*part) == element)
        }
        Some(TypeKind::Struct(id)) => {
            let fields = &m.structs[id].fields;
            parts.len() == fields.len()
                && parts.iter().zip(fields).all(|(part, field)| m.value_type(*part) == field.ty)
        }
        _ => false,
    };
    if !fits {
        report.fault(op, "the parts do not make up its type");
    }
}

pub(crate) fn splat(m: &Module, op: OpId, report: &mut Report) {
    match (kind(m, m.op(op).operands[0]), result_kind(m, op)) {
        (TypeKind::Scalar(from), Some(TypeKind::Vector(to, _))) if from == to => {}
        _ => report.fault(op, "a splat makes a vector of its scalar"),
    }
}

/// The type at a fixed index of a composite type.
fn part(m: &Module, of: TypeKind, index: i64) -> Option<TypeKind> {
    let index = usize::try_from(index).ok()?;
    match of {
        TypeKind::Struct(id) => m.structs[id].fields.get(index).map(|field| m.kind(field.ty)),
        TypeKind::Array(element, length) | TypeKind::ResourceArray(element, length) => {
            (index < length as usize).then(|| m.kind(element))
        }
        // How many there are is seen when the length is known.
        TypeKind::OpenArray(element, _) => Some(m.kind(element)),
        TypeKind::Vector(scalar, width) => (index < usize::from(width)).then_some(TypeKind::Scalar(scalar)),
        TypeKind::Matrix { columns, rows } => {
            (index < usize::from(columns)).then_some(TypeKind::Vector(Scalar::F32, rows))
        }
        TypeKind::Memory(MemoryType::PackedVector(scalar, width)) => {
            (index < usize::from(width)).then_some(TypeKind::Scalar(scalar))
        }
        _ => None,
    }
}

pub(crate) fn extract(m: &Module, op: OpId, report: &mut Report) {
    match part(m, kind(m, m.op(op).operands[0]), m.op(op).int(0)) {
        Some(wanted) => expect_result(m, op, Some(wanted), report),
        None => report.fault(op, "there is no such part"),
    }
}

/// An element of an array of resources is found as a place is, and is no value that could be computed in advance.
pub(crate) fn index_traits(m: &Module, op: &Op) -> Traits {
    match kind(m, op.operands[0]) {
        TypeKind::ResourceArray(..) => Traits::ADDRESS,
        _ => Traits::NONE,
    }
}

pub(crate) fn index(m: &Module, op: OpId, report: &mut Report) {
    let aggregate = kind(m, m.op(op).operands[0]);
    let first = match aggregate {
        // Length 0 leaves open how many there are.
        TypeKind::ResourceArray(element, _) => Some(m.kind(element)),
        _ => part(m, aggregate, 0),
    };
    match first {
        Some(wanted) if !matches!(aggregate, TypeKind::Struct(_)) => expect_result(m, op, Some(wanted), report),
        _ => report.fault(op, "the operand cannot be indexed"),
    }
}

fn components_fit(of: TypeKind, components: &[i64]) -> bool {
    let width = i64::from(of.width().unwrap_or(0));
    let is_known = |number: &i64| (0..2 * COLOUR).contains(number) && component(*number) < width;
    (1..=4).contains(&components.len()) && components.iter().all(is_known)
}

pub(crate) fn swizzle(m: &Module, op: OpId, report: &mut Report) {
    let vector = kind(m, m.op(op).operands[0]);
    let components = m.op(op).ints(0);
    match vector.scalar() {
        Some(scalar) if components_fit(vector, components) => {
            expect_result(m, op, Some(TypeKind::vector(scalar, components.len() as u8)), report);
        }
        _ => report.fault(op, "there are no such components"),
    }
}

fn place(m: &Module, value: ValueId) -> Option<(Space, TypeKind)> {
    m.types.as_place(m.value_type(value)).map(|(space, pointee)| (space, m.kind(pointee)))
}

fn expect_place(m: &Module, op: OpId, space: Space, pointee: TypeKind, report: &mut Report) {
    let fits = match result_kind(m, op) {
        Some(TypeKind::Place(of, ty)) => of == space && m.kind(ty) == pointee,
        _ => false,
    };
    if !fits {
        report.fault(op, "its result is not the place it makes");
    }
}

pub(crate) fn local(m: &Module, op: OpId, report: &mut Report) {
    let operands = &m.op(op).operands;
    match result_kind(m, op) {
        Some(TypeKind::Place(Space::Function, ty))
            if operands.is_empty() || (operands.len() == 1 && m.value_type(operands[0]) == ty) => {}
        _ => report.fault(op, "a local is a place in `function` with at most one initial value of its type"),
    }
}

pub(crate) fn load(m: &Module, op: OpId, report: &mut Report) {
    let pointee = m.types.as_place(m.value_type(m.op(op).operands[0])).map(|(_, pointee)| pointee);
    if pointee.is_none() || result_type(m, op) != pointee {
        report.fault(op, "its result is not what the place holds");
    }
}

pub(crate) fn load_traits(m: &Module, op: &Op) -> Traits {
    match m.types.as_place(m.value_type(op.operands[0])) {
        Some((Space::Constant | Space::Uniform | Space::StorageRead, _)) => Traits::PURE,
        _ => Traits::READS,
    }
}

pub(crate) fn store_components(m: &Module, op: OpId, report: &mut Report) {
    let components = m.op(op).ints(0);
    let written: Vec<i64> = components.iter().map(|number| component(*number)).collect();
    let distinct = (0..written.len()).all(|i| !written[..i].contains(&written[i]));
    let value = kind(m, m.op(op).operands[1]);
    match place(m, m.op(op).operands[0]) {
        Some((_, vector @ TypeKind::Vector(scalar, _)))
            if distinct
                && components_fit(vector, components)
                && value == TypeKind::vector(scalar, components.len() as u8) => {}
        _ => report.fault(op, "the components do not fit the place and the value"),
    }
}

pub(crate) fn member(m: &Module, op: OpId, report: &mut Report) {
    match place(m, m.op(op).operands[0]) {
        Some((space, of @ TypeKind::Struct(_))) => match part(m, of, m.op(op).int(0)) {
            Some(field) => expect_place(m, op, space, field, report),
            None => report.fault(op, "there is no such field"),
        },
        _ => report.fault(op, "the place holds no struct"),
    }
}

pub(crate) fn element(m: &Module, op: OpId, report: &mut Report) {
    match place(m, m.op(op).operands[0]) {
        Some((
            space,
            of @ (TypeKind::Vector(..)
            | TypeKind::Matrix { .. }
            | TypeKind::Array(..)
            | TypeKind::OpenArray(..)
            | TypeKind::Memory(MemoryType::PackedVector(..))),
        )) => {
            match part(m, of, 0) {
                Some(element) => expect_place(m, op, space, element, report),
                None => report.fault(op, "there is no element"),
            }
        }
        _ => report.fault(op, "the place has no elements"),
    }
}

pub(crate) fn global_place(m: &Module, op: OpId, report: &mut Report) {
    let global = &m.globals[m.op(op).global(0)];
    match global.kind {
        GlobalKind::Workgroup => expect_place(m, op, Space::Workgroup, m.kind(global.ty), report),
        GlobalKind::Constant(_) => expect_place(m, op, Space::Constant, m.kind(global.ty), report),
        GlobalKind::Resource { .. } => report.fault(op, "a resource is no place"),
    }
}

pub(crate) fn contents(m: &Module, op: OpId, report: &mut Report) {
    match kind(m, m.op(op).operands[0]) {
        TypeKind::Buffer(BufferKind::Uniform, ty) => expect_place(m, op, Space::Uniform, m.kind(ty), report),
        _ => report.fault(op, "only a uniform has contents"),
    }
}

pub(crate) fn buffer_element(m: &Module, op: OpId, report: &mut Report) {
    match kind(m, m.op(op).operands[0]) {
        TypeKind::Buffer(buffer @ (BufferKind::Read | BufferKind::ReadWrite | BufferKind::Atomic), ty) => {
            expect_place(m, op, buffer.space(), m.kind(ty), report);
        }
        _ => report.fault(op, "the operand has no elements"),
    }
}

pub(crate) fn resource(m: &Module, op: OpId, report: &mut Report) {
    let global = &m.globals[m.op(op).global(0)];
    if !matches!(global.kind, GlobalKind::Resource { .. }) || result_type(m, op) != Some(global.ty) {
        report.fault(op, "the global is no resource of this type");
    }
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

pub(crate) fn call(m: &Module, op: OpId, report: &mut Report) {
    let callee = &m.functions[m.op(op).func(0)];
    let arguments = &m.op(op).operands;
    if callee.params.len() != arguments.len() {
        return report.fault(op, "the number of arguments is not that of the parameters");
    }
    for (param, argument) in callee.params.iter().zip(arguments) {
        expect_argument(m, op, m.value_type(param.value), *argument, report);
    }
    if !is_alike(m, result_type(m, op), callee.result) {
        report.fault(op, "its result is not that of the function");
    }
}

fn expect_argument(m: &Module, op: OpId, wanted: Type, argument: ValueId, report: &mut Report) {
    let given = m.value_type(argument);
    // A borrow may be of groupshared memory or of a constant: the space of the parameter follows from its calls.
    let fits = match (m.types.as_place(wanted), m.types.as_place(given)) {
        (Some((Space::Function, wanted)), Some((_, given))) => is_alike(m, Some(wanted), Some(given)),
        _ => is_alike(m, Some(wanted), Some(given)),
    };
    if !fits {
        report.fault(op, "an argument has another type than its parameter");
    }
}

/// Whether two types are one, or may be once the `const` parameters of the functions they stand in are known.
fn is_alike(m: &Module, a: Option<Type>, b: Option<Type>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) if a != b => match (m.kind(a), m.kind(b)) {
            (TypeKind::OpenArray(a, _), TypeKind::OpenArray(b, _) | TypeKind::Array(b, _) | TypeKind::ResourceArray(b, _))
            | (TypeKind::ResourceArray(a, _), TypeKind::OpenArray(b, _))
            | (TypeKind::Array(a, _), TypeKind::OpenArray(b, _) | TypeKind::Array(b, _)) => is_alike(m, Some(a), Some(b)),
            (TypeKind::Buffer(of, a), TypeKind::Buffer(other, b)) => of == other && is_alike(m, Some(a), Some(b)),
            // Signatures may mention open types.
            (TypeKind::Function(_), TypeKind::Function(_)) => true,
            _ => false,
        },
        _ => a == b,
    }
}

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

pub(crate) fn ray_query(m: &Module, op: OpId, report: &mut Report) {
    if !is_ray_query(m, m.op(op).operands[0]) {
        report.fault(op, "the place holds no ray query");
    }
    let wanted = match AkariOp::of(m.op(op)) {
        Some(AkariOp::RayQueryHit | AkariOp::RayQueryCandidate) => Some(RayFact::from_index(m.op(op).enumerated(0)).ty()),
        Some(AkariOp::RayQueryAccept) => None,
        _ => Some(TypeKind::Scalar(Scalar::Bool)),
    };
    expect_result(m, op, wanted, report);
}

pub(crate) fn ray_query_begin(m: &Module, op: OpId, report: &mut Report) {
    let operands = &m.op(op).operands;
    let float = TypeKind::Scalar(Scalar::F32);
    let float3 = TypeKind::Vector(Scalar::F32, 3);
    let wanted = [TypeKind::AccelStruct, float3, float3, float, float, TypeKind::Scalar(Scalar::U32)];
    if !is_ray_query(m, operands[0]) || !operands[1..].iter().map(|operand| kind(m, *operand)).eq(wanted) {
        report.fault(op, "the operands are not a ray query, a scene and a ray");
    }
}

fn is_ray_query(m: &Module, value: ValueId) -> bool {
    place(m, value) == Some((Space::Function, TypeKind::Memory(MemoryType::RayQuery)))
}

pub(crate) fn builtin(m: &Module, op: OpId, report: &mut Report) {
    let function = view::Builtin(op).function(m);
    let akari_ir::op::Attr::Enum(function) = function else {
        return report.fault(op, "the function is no builtin");
    };
    let function = Builtin::from_index(*function);
    let operands = &m.op(op).operands;
    if let Signature::Atomic { values } = function.def().signature {
        let place = operands.first().and_then(|value| place(m, *value));
        match place {
            // A parameter's place is that of what is lent to it, which `check-entries` looks at.
            Some((Space::Atomic | Space::Workgroup | Space::Function, of @ TypeKind::Scalar(Scalar::U32 | Scalar::I32)))
                if operands.len() == usize::from(values) + 1
                    && operands[1..].iter().all(|value| kind(m, *value) == of) =>
            {
                expect_result(m, op, Some(of), report);
            }
            _ => report.fault(op, "an atomic takes an atomic place and values of its type"),
        }
        return;
    }
    let kinds: Vec<_> = operands.iter().map(|value| kind(m, *value)).collect();
    match crate::signature::result(function, &kinds) {
        Ok(_) if function == Builtin::RtTrace => match result_kind(m, op) {
            Some(TypeKind::Struct(id)) if is_trace_hit(m, id) => {}
            _ => report.fault(op, "its result is not what a ray meets"),
        },
        Ok(wanted) => expect_result(m, op, wanted, report),
        Err(message) => report.fault(op, message),
    }
}

/// Whether a struct has the fields of `RtTraceHit`.
fn is_trace_hit(m: &Module, id: StructId) -> bool {
    let wanted = [
        TypeKind::Scalar(Scalar::Bool),
        TypeKind::Scalar(Scalar::F32),
        TypeKind::Scalar(Scalar::U32),
        TypeKind::Scalar(Scalar::U32),
        TypeKind::Vector(Scalar::F32, 2),
    ];
    m.structs[id].fields.iter().map(|field| m.kind(field.ty)).eq(wanted)
}

pub(crate) fn builtin_traits(m: &Module, op: &Op) -> Traits {
    let function = Builtin::from_index(op.enumerated(0));
    // Sampled textures are never written by a shader; storage textures are.
    let sampled = op.operands.first().is_some_and(|value| matches!(kind(m, *value), TypeKind::Texture(..)));
    match function {
        Builtin::TextureLoad if sampled => Traits::PURE,
        _ => function.def().traits,
    }
}
