//! Rewriting functions operation by operation, in one forward walk: what passes that say something otherwise share.

pub mod build;
pub mod clone;
pub mod functions;

use akari_ir::entity::Type;
use akari_ir::op::{Attr, OpDef};
use akari_ir::{Builder, FuncId, Module, OpId, RegionId, SecondaryMap, Span, ValueId};
use smallvec::SmallVec;

use crate::polyfill::rewriter::{Build, Helpers};

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stays, after what was built for it.
    Keep,
    /// It goes, and this value takes the place of its result.
    Become(ValueId),
    /// It goes; nothing uses its result.
    Drop,
}

/// Says what becomes of each operation.
pub trait Rewrite {
    /// What becomes of `op`. Its operands are rewritten already, and so are its regions. What is built meanwhile stands before it.
    fn op(&mut self, rewriter: &mut Rewriter<'_>, op: OpId) -> Outcome;
}

/// Walks the functions of a module and builds what takes the place of operations.
pub struct Rewriter<'m> {
    /// The module.
    pub module: &'m mut Module,
    /// Whether anything has been built, dropped or replaced.
    pub changed: bool,
    out: Vec<OpId>,
    replaced: SecondaryMap<ValueId, Option<ValueId>>,
    loc: Option<Span>,
}

impl<'m> Rewriter<'m> {
    /// A rewriter that has seen nothing yet.
    #[must_use]
    pub fn new(module: &'m mut Module) -> Self {
        Self { module, changed: false, out: Vec::new(), replaced: SecondaryMap::new(), loc: None }
    }

    /// Rewrites all functions that the module has now.
    pub fn module(&mut self, rewrite: &mut impl Rewrite) {
        for func in self.module.functions.ids() {
            self.function(func, rewrite);
        }
    }

    /// Rewrites one function.
    pub fn function(&mut self, func: FuncId, rewrite: &mut impl Rewrite) {
        self.region(self.module.functions[func].body, rewrite);
    }

    fn region(&mut self, region: RegionId, rewrite: &mut impl Rewrite) {
        let ops = std::mem::take(&mut self.module.region_mut(region).ops);
        let outer = std::mem::take(&mut self.out);
        for op in ops {
            self.substitute_operands(op);
            for nested in self.module.op(op).regions.clone() {
                self.region(nested, rewrite);
            }
            self.loc = self.module.op(op).loc;
            match rewrite.op(self, op) {
                Outcome::Keep => self.out.push(op),
                Outcome::Become(value) => {
                    self.changed = true;
                    if let Some(result) = self.module.op(op).result {
                        self.replace(result, value);
                    }
                }
                Outcome::Drop => self.changed = true,
            }
        }
        self.module.region_mut(region).ops = std::mem::replace(&mut self.out, outer);
    }

    fn substitute_operands(&mut self, op: OpId) {
        for index in 0..self.module.op(op).operands.len() {
            let operand = self.module.op(op).operands[index];
            let current = self.current(operand);
            self.module.op_mut(op).operands[index] = current;
        }
    }

    /// What stands for a value of the function as it was.
    #[must_use]
    pub fn current(&self, value: ValueId) -> ValueId {
        self.replaced.get(value).unwrap_or(value)
    }

    /// The operation that stands last where the walk is: nothing happens between it and what is built next.
    #[must_use]
    pub fn last(&self) -> Option<OpId> {
        self.out.last().copied()
    }

    /// Lets `value` stand for `old` in all that follows; it inherits the name of `old` where it has none and is new.
    pub fn replace(&mut self, old: ValueId, value: ValueId) {
        self.replaced.set(old, Some(value));
        if self.module.value(value).name.is_none() && self.out.last().copied() == self.module.defining_op(value) {
            self.module.value_mut(value).name = self.module.value(old).name;
        }
    }

    /// Appends an operation.
    pub fn op(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: &[Attr],
        regions: &[RegionId],
        result: Option<Type>,
    ) -> OpId {
        let attrs: SmallVec<[Attr; 1]> = attrs.iter().cloned().collect();
        let op = self.module.new_op(def, operands, attrs, regions, result, self.loc);
        self.out.push(op);
        self.changed = true;
        op
    }

    /// Appends an operation with a result, and gives the result.
    ///
    /// # Panics
    /// Never: the result is asked for.
    pub fn value_of(
        &mut self,
        def: &'static OpDef,
        operands: &[ValueId],
        attrs: &[Attr],
        ty: Type,
    ) -> ValueId {
        let op = self.op(def, operands, attrs, &[], Some(ty));
        self.module.op(op).result.expect("an operation built with a result type has a result")
    }

    /// Builds with what the rewrites of `polyfill` share.
    pub fn shared<R>(&mut self, helpers: &mut Helpers, build: impl FnOnce(&mut Build<'_, '_>) -> R) -> R {
        let region = self.module.new_region();
        let builder = Builder { module: &mut *self.module, region, loc: self.loc };
        let result = build(&mut Build { builder, helpers });
        let built = std::mem::take(&mut self.module.region_mut(region).ops);
        self.changed |= !built.is_empty();
        self.out.extend(built);
        result
    }

    /// Builds a region.
    pub fn region_of<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (RegionId, R) {
        let region = self.module.new_region();
        let result = self.fill(region, build);
        (region, result)
    }

    /// Builds the operations of a region that has none.
    pub fn fill<R>(&mut self, region: RegionId, build: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::take(&mut self.out);
        let result = build(self);
        self.module.region_mut(region).ops = std::mem::replace(&mut self.out, outer);
        result
    }

    /// Builds at the start of a function's body.
    pub fn at_start<R>(&mut self, func: FuncId, build: impl FnOnce(&mut Self) -> R) -> R {
        let body = self.module.functions[func].body;
        let outer = std::mem::take(&mut self.out);
        self.loc = self.module.functions[func].loc;
        let result = build(self);
        let built = std::mem::replace(&mut self.out, outer);
        self.module.region_mut(body).ops.splice(0..0, built);
        result
    }

    /// Moves the operations of a region to the start of a function's body.
    pub fn prepend(&mut self, func: FuncId, prologue: RegionId) {
        let body = self.module.functions[func].body;
        let ops = std::mem::take(&mut self.module.region_mut(prologue).ops);
        self.module.region_mut(body).ops.splice(0..0, ops);
    }

    /// Names a value after its name in the source.
    pub fn name(&mut self, value: ValueId, name: &str) -> ValueId {
        let name = self.module.symbols.intern(name);
        self.module.value_mut(value).name = Some(name);
        value
    }
}
