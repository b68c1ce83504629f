//! Ray queries, by `SPV_KHR_ray_query`.

use akari_dialect::RayFact;
use akari_dialect_spirv::{Capability, Opcode};
use akari_ir::Op;
use akari_ir::entity::ValueId;
use akari_ir::types::Scalar;

use super::emitter::Emitter;

/// Bits of the ray flags (3.RF): every triangle is opaque; the first hit ends the search.
const OPAQUE: u32 = 1;
const TERMINATE_ON_FIRST_HIT: u32 = 4;

/// Which intersection is meant (3.RQIntersection).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Intersection {
    /// What the search has come to.
    Candidate = 0,
    /// What it has found.
    Committed = 1,
}

/// The committed type (3.RQCommittedType) where nothing is hit.
const NO_HIT: u32 = 0;
/// The candidate type (3.RQCandidateType) of a triangle.
const CANDIDATE_TRIANGLE: u32 = 0;

impl Emitter<'_> {
    /// The type of acceleration structures, or of queries.
    pub(super) fn ray_type(&mut self, opcode: Opcode) -> u32 {
        self.sections.capability(Capability::RayQueryKHR);
        self.sections.extension("SPV_KHR_ray_query");
        self.unique_type(opcode, &[])
    }

    /// The variable of a query.
    fn query(&mut self, value: ValueId) -> u32 {
        match self.place(value) {
            Some(place) if place.chain.is_empty() => place.base,
            Some(_) | None => {
                self.fail("a ray query that is no variable");
                self.uint(0)
            }
        }
    }

    pub(super) fn ray_query_begin(&mut self, op: &Op) {
        let query = self.query(op.operands[0]);
        let scene = self.handle(op.operands[1]);
        let ray: Vec<u32> = op.operands[2..].iter().map(|operand| self.id(*operand)).collect();
        let &[origin, direction, t_min, t_max, mask] = &ray[..] else {
            return self.fail("a ray without its parts");
        };
        let mut flags = 0;
        if op.flag(0) {
            flags |= TERMINATE_ON_FIRST_HIT;
        }
        if op.flag(1) {
            flags |= OPAQUE;
        }
        let flags = self.uint(flags);
        self.emit(Opcode::RayQueryInitializeKHR, &[query, scene, flags, mask, origin, t_min, direction, t_max]);
    }

    pub(super) fn ray_query_proceed(&mut self, query: ValueId) -> u32 {
        let query = self.query(query);
        let ty = self.vector_type(Scalar::Bool, 1);
        self.op(Opcode::RayQueryProceedKHR, ty, &[query])
    }

    pub(super) fn ray_query_accept(&mut self, query: ValueId) {
        let query = self.query(query);
        self.emit(Opcode::RayQueryConfirmIntersectionKHR, &[query]);
    }

    pub(super) fn ray_query_fact(&mut self, query: ValueId, of: Intersection, fact: RayFact) -> u32 {
        let query = self.query(query);
        let intersection = self.uint(of as u32);
        let (opcode, scalar, width) = match fact {
            RayFact::IsHit => {
                let uint = self.vector_type(Scalar::U32, 1);
                let kind = self.op(Opcode::RayQueryGetIntersectionTypeKHR, uint, &[query, intersection]);
                let (compare, known) = match of {
                    Intersection::Committed => (Opcode::INotEqual, NO_HIT),
                    Intersection::Candidate => (Opcode::IEqual, CANDIDATE_TRIANGLE),
                };
                let (known, bool_type) = (self.uint(known), self.vector_type(Scalar::Bool, 1));
                return self.op(compare, bool_type, &[kind, known]);
            }
            RayFact::Distance => (Opcode::RayQueryGetIntersectionTKHR, Scalar::F32, 1),
            RayFact::InstanceId => (Opcode::RayQueryGetIntersectionInstanceIdKHR, Scalar::U32, 1),
            RayFact::PrimitiveId => (Opcode::RayQueryGetIntersectionPrimitiveIndexKHR, Scalar::U32, 1),
            RayFact::Barycentric => (Opcode::RayQueryGetIntersectionBarycentricsKHR, Scalar::F32, 2),
        };
        let ty = self.vector_type(scalar, width);
        self.op(opcode, ty, &[query, intersection])
    }
}
