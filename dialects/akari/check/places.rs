//! Variables, buffers, and the places in them.

use akari_ir::entity::{OpId, ValueId};
use akari_ir::module::{GlobalKind, Module};
use akari_ir::op::{Op, Traits};
use akari_ir::types::{BufferKind, MemoryType, Space, TypeKind};
use akari_ir::verify::Report;

use super::values::{components_fit, part};
use super::{kind, result_kind, result_type};
use crate::components::component;

pub(super) fn place(m: &Module, value: ValueId) -> Option<(Space, TypeKind)> {
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
        )) => match part(m, of, 0) {
            Some(element) => expect_place(m, op, space, element, report),
            None => report.fault(op, "there is no element"),
        },
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
