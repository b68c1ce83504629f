//! What invocations do together: barriers, atomics, lane groups.

use akari_dialect::Builtin;
use akari_dialect_spirv::{Capability, GroupOperation, Opcode, Scope};
use akari_ir::Op;
use akari_ir::entity::Type;
use akari_ir::types::{Scalar, TypeKind};
use smallvec::{SmallVec, smallvec};

use super::emitter::Emitter;

/// `AcquireRelease` of `WorkgroupMemory` (3.25).
const WORKGROUP_ACQUIRE_RELEASE: u32 = 0x8 | 0x100;

impl Emitter<'_> {
    /// Waits for the group and makes its writes to groupshared memory visible.
    pub(super) fn barrier(&mut self) {
        let scope = self.uint(Scope::Workgroup as u32);
        let semantics = self.uint(WORKGROUP_ACQUIRE_RELEASE);
        self.emit(Opcode::ControlBarrier, &[scope, scope, semantics]);
    }

    /// Atomics are relaxed: they order nothing but themselves.
    pub(super) fn atomic(&mut self, function: Builtin, op: &Op, ty: Type) -> u32 {
        let Some((pointer, scope)) = self.atomic_pointer(op.operands[0]) else { return self.uint(0) };
        let signed = self.module.kind(ty) == TypeKind::Scalar(Scalar::I32);
        let ty = self.value_type(ty);
        let (scope, relaxed) = (self.uint(scope as u32), self.uint(0));
        let values: SmallVec<[u32; 2]> = op.operands[1..].iter().map(|value| self.id(*value)).collect();
        let value = values.first().copied().unwrap_or(0);
        let opcode = match function {
            Builtin::AtomicCompareExchange => {
                let new = values.get(1).copied().unwrap_or(0);
                let operands = [pointer, scope, relaxed, relaxed, new, value];
                return self.op(Opcode::AtomicCompareExchange, ty, &operands);
            }
            Builtin::AtomicAdd => Opcode::AtomicIAdd,
            Builtin::AtomicSub => Opcode::AtomicISub,
            Builtin::AtomicMin if signed => Opcode::AtomicSMin,
            Builtin::AtomicMin => Opcode::AtomicUMin,
            Builtin::AtomicMax if signed => Opcode::AtomicSMax,
            Builtin::AtomicMax => Opcode::AtomicUMax,
            Builtin::AtomicAnd => Opcode::AtomicAnd,
            Builtin::AtomicOr => Opcode::AtomicOr,
            Builtin::AtomicXor => Opcode::AtomicXor,
            _ => Opcode::AtomicExchange,
        };
        self.op(opcode, ty, &[pointer, scope, relaxed, value])
    }

    pub(super) fn wave(&mut self, function: Builtin, op: &Op, ty: Type) -> u32 {
        self.sections.capability(Capability::GroupNonUniform);
        let argument = op.operands.first().map(|operand| self.id(*operand));
        let scope = self.uint(Scope::Subgroup as u32);
        let mut operands: SmallVec<[u32; 3]> = smallvec![scope];
        let ty = self.value_type(ty);
        let (capability, opcode) = match function {
            Builtin::WaveSum | Builtin::WavePrefixSum => {
                let operation =
                    if function == Builtin::WaveSum { GroupOperation::Reduce } else { GroupOperation::ExclusiveScan };
                operands.push(operation as u32);
                (Capability::GroupNonUniformArithmetic, Opcode::GroupNonUniformIAdd)
            }
            Builtin::WaveAny => (Capability::GroupNonUniformVote, Opcode::GroupNonUniformAny),
            Builtin::WaveAll => (Capability::GroupNonUniformVote, Opcode::GroupNonUniformAll),
            Builtin::WaveReadFirst => (Capability::GroupNonUniformBallot, Opcode::GroupNonUniformBroadcastFirst),
            Builtin::WaveCount | Builtin::WavePrefixCount => {
                return self.wave_count(function, argument.unwrap_or(0), scope);
            }
            _ => (Capability::GroupNonUniform, Opcode::GroupNonUniformElect),
        };
        self.sections.capability(capability);
        operands.extend(argument);
        self.op(opcode, ty, &operands)
    }

    fn wave_count(&mut self, function: Builtin, vote: u32, scope: u32) -> u32 {
        self.sections.capability(Capability::GroupNonUniformBallot);
        let (uint, uint4) = (self.vector_type(Scalar::U32, 1), self.vector_type(Scalar::U32, 4));
        let ballot = self.op(Opcode::GroupNonUniformBallot, uint4, &[scope, vote]);
        let operation =
            if function == Builtin::WaveCount { GroupOperation::Reduce } else { GroupOperation::ExclusiveScan };
        self.op(Opcode::GroupNonUniformBallotBitCount, uint, &[scope, operation as u32, ballot])
    }
}
