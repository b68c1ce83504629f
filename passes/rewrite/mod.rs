//! Rewriting functions operation by operation, in one forward walk: what passes that say something otherwise share.

pub mod build;
pub mod clone;
pub mod functions;

use akari_ir::entity::Type;
use akari_ir::op::{Attr, OpDef};
use akari_ir::{FuncId, Module, OpId, RegionId, SecondaryMap, Span, ValueId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// What becomes of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It stays, after what was built for it.
    Keep,
    /// It goes, and this value takes the place of its result.
    Replace(ValueId),
    /// It goes, and its result is what this place holds, which is written nowhere else: it is loaded where it is used.
    Placed(ValueId),
    /// It goes; nothing uses its result.
    Remove,
}

/// What takes the place of a value.
#[derive(Clone, Copy, Debug)]
enum StandIn {
    Value(ValueId),
    Place(ValueId),
}

/// Walks the functions of a module once, forwards, and builds what takes the place of operations.
///
/// A `visit` function says what becomes of each operation. Its operands are rewritten already, and so are its regions; what is
/// built meanwhile stands before it.
pub struct Rewriter<'m> {
    /// The module.
    pub module: &'m mut Module,
    /// Whether anything has been built, removed or replaced.
    pub changed: bool,
    out: Vec<OpId>,
    replaced: SecondaryMap<ValueId, Option<StandIn>>,
    loc: Option<Span>,
    helpers: FxHashMap<(String, Vec<Type>), FuncId>,
}

impl<'m> Rewriter<'m> {
    /// A rewriter that has seen nothing yet.
    #[must_use]
    pub fn new(module: &'m mut Module) -> Self {
        Self {
            module,
            changed: false,
            out: Vec::new(),
            replaced: SecondaryMap::new(),
            loc: None,
            helpers: FxHashMap::default(),
        }
    }

    /// Rewrites all functions that the module has now.
    pub fn module(&mut self, visit: &mut impl FnMut(&mut Self, OpId) -> Outcome) {
        for func in self.module.functions.ids() {
            self.function(func, visit);
        }
    }

    /// Rewrites one function.
    pub fn function(&mut self, func: FuncId, visit: &mut impl FnMut(&mut Self, OpId) -> Outcome) {
        self.region(self.module.functions[func].body, visit);
    }

    fn region(&mut self, region: RegionId, visit: &mut impl FnMut(&mut Self, OpId) -> Outcome) {
        let ops = std::mem::take(&mut self.module.region_mut(region).ops);
        let outer = std::mem::replace(&mut self.out, Vec::with_capacity(ops.len()));
        for op in ops {
            self.loc = self.module.op(op).loc;
            self.substitute_operands(op);
            for index in 0..self.module.op(op).regions.len() {
                let nested = self.module.op(op).regions[index];
                self.region(nested, visit);
            }
            self.loc = self.module.op(op).loc;
            let stand_in = match visit(self, op) {
                Outcome::Keep => {
                    self.out.push(op);
                    continue;
                }
                Outcome::Replace(value) => Some(StandIn::Value(value)),
                Outcome::Placed(place) => Some(StandIn::Place(place)),
                Outcome::Remove => None,
            };
            self.changed = true;
            if let (Some(result), Some(stand_in)) = (self.module.op(op).result, stand_in) {
                self.stand_in(result, stand_in);
            }
        }
        self.module.region_mut(region).ops = std::mem::replace(&mut self.out, outer);
    }

    fn substitute_operands(&mut self, op: OpId) {
        for index in 0..self.module.op(op).operands.len() {
            let value = match *self.replaced.get(self.module.op(op).operands[index]) {
                Some(StandIn::Value(value)) => value,
                Some(StandIn::Place(place)) => self.load(place),
                None => continue,
            };
            self.module.op_mut(op).operands[index] = value;
        }
    }

    /// The operation that stands last where the walk is: nothing happens between it and what is built next.
    #[must_use]
    pub fn last(&self) -> Option<OpId> {
        self.out.last().copied()
    }

    /// Lets `value` stand for `old` in all that follows; it inherits the name of `old` where it has none and is new.
    pub fn replace(&mut self, old: ValueId, value: ValueId) {
        self.stand_in(old, StandIn::Value(value));
    }

    fn stand_in(&mut self, old: ValueId, new: StandIn) {
        self.replaced.set(old, Some(new));
        let name = self.module.value(old).name;
        match new {
            StandIn::Value(value) => {
                let is_new = self.out.last().copied() == self.module.defining_op(value);
                if is_new && self.module.value(value).name.is_none() {
                    self.module.value_mut(value).name = name;
                }
            }
            StandIn::Place(place) => {
                if name.is_some() {
                    self.module.value_mut(place).name = name;
                }
            }
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
    pub fn value_of(&mut self, def: &'static OpDef, operands: &[ValueId], attrs: &[Attr], ty: Type) -> ValueId {
        let op = self.op(def, operands, attrs, &[], Some(ty));
        self.module.op(op).result.expect("an operation built with a result type has a result")
    }

    /// Builds a region.
    pub fn region_of<R>(&mut self, build: impl FnOnce(&mut Self) -> R) -> (RegionId, R) {
        let region = self.module.new_region();
        let result = self.fill(region, build);
        (region, result)
    }

    fn fill<R>(&mut self, region: RegionId, build: impl FnOnce(&mut Self) -> R) -> R {
        let outer = std::mem::take(&mut self.out);
        let result = build(self);
        self.module.region_mut(region).ops = std::mem::replace(&mut self.out, outer);
        result
    }

    /// Sets the place in the source of what is built next.
    pub fn place(&mut self, loc: Option<Span>) {
        self.loc = loc;
    }

    /// Builds at the start of a function's body.
    pub fn at_start<R>(&mut self, func: FuncId, build: impl FnOnce(&mut Self) -> R) -> R {
        self.loc = self.module.functions[func].loc;
        let (prologue, result) = self.region_of(build);
        self.prepend(func, prologue);
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
