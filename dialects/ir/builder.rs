//! Building operations at an insertion point.

use smallvec::SmallVec;

use crate::constant::Constant;
use crate::entity::{ConstId, OpId, RegionId, Symbol, Type, ValueId};
use crate::module::Module;
use crate::op::{Attr, OpDef};
use crate::span::Span;
use crate::types::Scalar;

/// Appends operations to a region of a module, stamping each with the current location.
pub struct Builder<'m> {
    /// The module that is built.
    pub module: &'m mut Module,
    /// The region that operations are appended to.
    pub region: RegionId,
    /// The location that new operations get.
    pub loc: Option<Span>,
}

impl<'m> Builder<'m> {
    /// A builder at the end of `region`.
    pub fn at_end(module: &'m mut Module, region: RegionId) -> Self {
        Self { module, region, loc: None }
    }

    /// Appends an operation.
    pub fn op(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: impl Into<SmallVec<[Attr; 1]>>,
        regions: impl Into<SmallVec<[RegionId; 2]>>,
        result: Option<Type>,
    ) -> OpId {
        let op = self.module.new_op(def, SmallVec::from_slice(operands), attrs, regions, result, self.loc);
        self.module.region_mut(self.region).ops.push(op);
        op
    }

    /// Appends an operation with a result and without regions, and gives the result.
    ///
    /// # Panics
    /// Never: the result is asked for.
    pub fn value(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: impl Into<SmallVec<[Attr; 1]>>,
        ty: Type,
    ) -> ValueId {
        let op = self.op(def, operands, attrs, SmallVec::new(), Some(ty));
        self.module.op(op).result.expect("an operation built with a result type has a result")
    }

    /// Names a value after its name in the source.
    pub fn name(&mut self, value: ValueId, name: Symbol) {
        self.module.value_mut(value).name = Some(name);
    }

    /// Builds into `region` with `build`, then comes back here.
    pub fn inside<R>(&mut self, region: RegionId, build: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::replace(&mut self.region, region);
        let result = build(self);
        self.region = outer;
        result
    }

    /// Interns a scalar constant of 32 bits or fewer (more for `u64`).
    pub fn scalar(&mut self, scalar: Scalar, bits: u64) -> ConstId {
        self.module.scalar_constant(scalar, bits)
    }

    /// Interns a constant.
    pub fn constant(&mut self, constant: Constant) -> ConstId {
        self.module.constants.intern(constant)
    }
}
