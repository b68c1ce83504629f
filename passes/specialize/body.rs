//! The copying of one specialization's body.

use akari_dialect::fold::{fold, fold_constant_expression};
use akari_dialect::{AkariOp, Builtin};
use akari_dialect_gpu_abi::layout::{Layouts, Packing};
use akari_ir::op::{Attr, Traits};
use akari_ir::{
    Code, ConstId, Diagnostic, FuncId, GlobalId, GlobalKind, OpId, RegionId, Scalar, Span, Type, TypeKind, ValueId,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::codes;
use super::instances::{MOST_OPERATIONS, Meaning, Specializer};
use super::open::{LARGEST_VALUE, LONGEST_VALUE, describe, integer};
use crate::rewrite::clone::{Cloned, Cloner, Hook};

/// The copying of a body, or (without an instance) the evaluation of a named instance's arguments.
pub(super) struct Body<'a, 's> {
    pub(super) specializer: &'a mut Specializer<'s>,
    pub(super) instance: Option<usize>,
    /// What is known of the values of the function. Of all others nothing is.
    meanings: FxHashMap<ValueId, Meaning>,
    /// What the values are, by the rules of constant expressions, that have no value which all targets agree on.
    approximations: FxHashMap<ValueId, ConstId>,
    /// Whether an error was found: nothing more of it is copied.
    pub(super) failed: bool,
}

impl Hook for Body<'_, '_> {
    fn op(&mut self, cloner: &mut Cloner<'_>, op: OpId, into: RegionId) -> Cloned {
        if self.failed || self.specializer.gave_up {
            return Cloned::Left;
        }
        let cloned = self.visit(cloner, op, into);
        // The error tells all that there is to tell of this instance; what would use the rest does not come to that.
        if self.failed { Cloned::Left } else { cloned }
    }
}

impl<'a, 's> Body<'a, 's> {
    pub(super) fn new(specializer: &'a mut Specializer<'s>, instance: Option<usize>) -> Self {
        let meanings = std::mem::take(&mut specializer.meanings);
        Self { specializer, instance, meanings, approximations: FxHashMap::default(), failed: false }
    }

    /// Leaves the tables to the next body.
    pub(super) fn end(mut self) {
        self.meanings.clear();
        self.specializer.meanings = self.meanings;
    }

    pub(super) fn meaning(&self, value: ValueId) -> Option<&Meaning> {
        self.meanings.get(&value)
    }

    pub(super) fn set_meaning(&mut self, value: ValueId, meaning: Meaning) {
        self.meanings.insert(value, meaning);
    }

    pub(super) fn fail(&mut self, code: Code, span: Option<Span>, message: impl Into<String>) {
        self.failed = true;
        self.specializer.report(self.instance, Diagnostic::error(code, span, message));
    }

    /// The constant that a value is, and whether that depends on the instance.
    pub(super) fn known(&self, value: ValueId) -> Option<(ConstId, bool)> {
        match self.meaning(value) {
            Some(Meaning::Const { value, open, .. }) => Some((*value, *open)),
            Some(Meaning::None | Meaning::Closure { .. }) | None => None,
        }
    }

    pub(super) fn known_bits(&self, cloner: &Cloner<'_>, value: ValueId) -> Option<u64> {
        cloner.target.scalar_bits(self.known(value)?.0)
    }

    /// Lets the result of an operation be another value.
    pub(super) fn alias(&mut self, cloner: &mut Cloner<'_>, result: ValueId, value: ValueId) {
        if let Some(approximation) = self.approximations.get(&value).copied() {
            self.approximations.insert(result, approximation);
        }
        match self.meaning(value).cloned() {
            Some(meaning) => {
                if let Meaning::Const { stands: true, .. } = meaning {
                    cloner.set_value(result, cloner.value(value));
                }
                self.set_meaning(result, meaning);
            }
            None => {
                let copy = cloner.value(value);
                cloner.set_value(result, copy);
                // The name that the source gave the whole is the better one for a part without a name.
                if cloner.target.value(copy).name.is_none() {
                    let name = self.specializer.source.value(result).name.map(|name| cloner.symbol(name));
                    cloner.target.value_mut(copy).name = name;
                }
            }
        }
    }

    /// A value of the target for a use of `value`: a constant is made where it is used.
    pub(super) fn operand(
        &mut self,
        cloner: &mut Cloner<'_>,
        value: ValueId,
        into: RegionId,
        loc: Option<Span>,
    ) -> Option<ValueId> {
        match self.meaning(value).cloned() {
            None | Some(Meaning::Const { stands: true, .. }) => {}
            Some(Meaning::Const { origin: Some(origin), .. }) => {
                // Copied as it is: what it gives is `origin`'s result.
                let copy = cloner.op(origin, into, self);
                if let Some(result) = cloner.target.op(copy).result {
                    cloner.set_value(value, result);
                }
            }
            Some(Meaning::Const { value: constant, .. }) => {
                let made = Self::constant(cloner, constant, into, loc);
                cloner.set_value(value, made);
            }
            Some(Meaning::None) => {
                let name = self.specializer.source.value(value).name;
                let name = name.map_or("a resource", |name| self.specializer.source.text(name));
                self.fail(codes::NONE_USED, loc, format!("`{name}` is `none` here and cannot be used"));
                return None;
            }
            Some(Meaning::Closure { .. }) => {
                self.fail(codes::NOT_CONSTANT, loc, "a function is used as a value");
                return None;
            }
        }
        Some(cloner.value(value))
    }

    fn constant(cloner: &mut Cloner<'_>, constant: ConstId, into: RegionId, loc: Option<Span>) -> ValueId {
        let ty = cloner.target.constant(constant).ty();
        Self::made(cloner, AkariOp::Const, &[], Attr::Const(constant), ty, into, loc)
    }

    /// The handle of a package's resource.
    pub(super) fn resource(cloner: &mut Cloner<'_>, global: GlobalId, ty: Type, into: RegionId) -> ValueId {
        let global = Attr::Global(cloner.global_copy(global));
        Self::made(cloner, AkariOp::Resource, &[], global, ty, into, None)
    }

    fn made(
        cloner: &mut Cloner<'_>,
        op: AkariOp,
        operands: &[ValueId],
        attr: Attr,
        ty: Type,
        into: RegionId,
        loc: Option<Span>,
    ) -> ValueId {
        let op = cloner.target.new_op(op.def(), operands, [attr], [].as_slice(), Some(ty), loc);
        cloner.target.region_mut(into).ops.push(op);
        cloner.target.op(op).result.expect("an operation made with a result type has a result")
    }

    fn visit(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        if self.instance.is_some() && !self.specializer.reach.is_live(id) {
            return self.look_over(cloner, id);
        }
        self.specializer.copied += 1;
        if self.specializer.copied > MOST_OPERATIONS {
            self.specializer.gave_up = true;
            let loc = source.op(id).loc;
            let message = format!("the specializations of this program have more than {MOST_OPERATIONS} operations");
            self.fail(codes::TOO_MANY, loc, message);
            return Cloned::Left;
        }
        let op = source.op(id);
        if let Some(message) = self.specializer.bad_length_in(id) {
            self.fail(codes::LENGTH, op.loc, message);
            return Cloned::Left;
        }
        let Some(kind) = AkariOp::of(op) else { return self.generic(cloner, id, None, into) };
        match kind {
            AkariOp::Const | AkariOp::GlobalConst => self.constant_op(cloner, id, into),
            AkariOp::If | AkariOp::Cond | AkariOp::AndThen | AkariOp::OrElse | AkariOp::Select => {
                self.choice(cloner, id, kind, into)
            }
            AkariOp::Switch => self.switch(cloner, id, into),
            AkariOp::OpenSwitch => self.open_switch(cloner, id, into),
            AkariOp::Loop => self.loop_(cloner, id, into),
            AkariOp::Call => self.call(cloner, id, into),
            AkariOp::CallValue => self.call_value(cloner, id, into),
            AkariOp::Function => self.function(cloner, id, into),
            AkariOp::None => {
                if let Some(result) = op.result {
                    self.set_meaning(result, Meaning::None);
                }
                Cloned::Done
            }
            AkariOp::IsNone => {
                let is_none = matches!(self.meaning(op.operands[0]), Some(Meaning::None));
                let value = cloner.target.scalar_constant(Scalar::Bool, u64::from(is_none));
                self.found(cloner, op.result, value, true, into)
            }
            AkariOp::SizeOf => self.size_of(cloner, id, into),
            AkariOp::Repeat => self.repeat(cloner, id, into),
            AkariOp::Threads => self.threads(cloner, id),
            AkariOp::GlobalPlace => {
                self.own_workgroup(cloner, op.global(0));
                self.generic(cloner, id, Some(kind), into)
            }
            AkariOp::Return => self.return_(cloner, id, into),
            // What is left of a named instance once its arguments are evaluated: nothing.
            AkariOp::Instance => Cloned::Left,
            _ => self.generic(cloner, id, Some(kind), into),
        }
    }

    /// An operation turned out to be a constant. A number is made where it is used; a whole array or structure stands where the
    /// operation stood, however often it is used.
    pub(super) fn found(
        &mut self,
        cloner: &mut Cloner<'_>,
        result: Option<ValueId>,
        value: ConstId,
        open: bool,
        into: RegionId,
    ) -> Cloned {
        let Some(result) = result else { return Cloned::Done };
        let kind = cloner.target.kind(cloner.target.constant(value).ty());
        let stands = matches!(kind, TypeKind::Array(..) | TypeKind::Struct(_));
        if stands {
            let made = Self::constant(cloner, value, into, None);
            let name = self.specializer.source.value(result).name.map(|name| cloner.symbol(name));
            cloner.target.value_mut(made).name = name;
            cloner.set_value(result, made);
        }
        self.set_meaning(result, Meaning::Const { value, open, origin: None, stands });
        Cloned::Done
    }

    /// A constant stands where it is used, unless it has a name.
    fn constant_op(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let Some(result) = op.result else { return Cloned::Done };
        let value = match op.attrs[0] {
            Attr::Const(value) => value,
            Attr::Global(global) => match source.globals[global].kind {
                GlobalKind::Constant(value) => value,
                GlobalKind::Workgroup | GlobalKind::Resource { .. } => return Cloned::Verbatim,
            },
            _ => return Cloned::Verbatim,
        };
        let value = cloner.constant(value);
        let stands = source.value(result).name.is_some();
        let origin = Some(id).filter(|_| !stands);
        self.set_meaning(result, Meaning::Const { value, open: false, origin, stands });
        if stands {
            cloner.op(id, into, self);
        }
        Cloned::Done
    }

    /// Any other operation: a constant if it is one, else its copy.
    pub(super) fn generic(
        &mut self,
        cloner: &mut Cloner<'_>,
        id: OpId,
        kind: Option<AkariOp>,
        into: RegionId,
    ) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        if let Some(kind) = kind {
            if self.is_wrong(cloner, id, kind) {
                return Cloned::Left;
            }
            if let Some((value, open)) = self.folded(cloner, id, kind) {
                return self.found(cloner, op.result, value, open, into);
            }
        }
        for operand in &op.operands {
            if self.operand(cloner, *operand, into, op.loc).is_none() {
                return Cloned::Left;
            }
        }
        Cloned::Verbatim
    }

    /// The constant that an operation is, and whether that depends on the instance. Where targets may differ it stays what it is, and
    /// its value is remembered for what must be constant.
    fn folded(&mut self, cloner: &mut Cloner<'_>, id: OpId, kind: AkariOp) -> Option<(ConstId, bool)> {
        let source = self.specializer.source;
        let op = source.op(id);
        let is_pure = source.traits(id).has(Traits::PURE) && !source.traits(id).has(Traits::ADDRESS);
        let result = op.result.filter(|_| is_pure && !op.operands.is_empty())?;
        let mut constants: SmallVec<[ConstId; 4]> = SmallVec::new();
        let (mut exact, mut open) = (true, false);
        for operand in &op.operands {
            match self.known(*operand) {
                Some((value, is_open)) => {
                    constants.push(value);
                    open |= is_open;
                }
                None => {
                    constants.push(*self.approximations.get(operand)?);
                    exact = false;
                }
            }
        }
        let ty = cloner.ty(source.value_type(result));
        if exact && let Ok(value) = fold(cloner.target, kind, &op.attrs, &constants, ty) {
            return Some((value, open));
        }
        let value = fold_constant_expression(cloner.target, kind, &op.attrs, &constants, ty).ok()?;
        self.approximations.insert(result, value);
        None
    }

    /// An operation that nothing uses is not copied, but what this instance's constants make wrong of it is an error all the same.
    fn look_over(&mut self, cloner: &mut Cloner<'_>, id: OpId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        if let Some(message) = self.specializer.bad_length_in(id) {
            self.fail(codes::LENGTH, op.loc, message);
            return Cloned::Left;
        }
        let Some(kind) = AkariOp::of(op) else { return Cloned::Done };
        let constant = match (kind, &op.attrs.first()) {
            (AkariOp::Const, Some(Attr::Const(value))) => Some((cloner.constant(*value), false)),
            (AkariOp::GlobalConst, Some(Attr::Global(global))) => match source.globals[*global].kind {
                GlobalKind::Constant(value) => Some((cloner.constant(value), false)),
                GlobalKind::Workgroup | GlobalKind::Resource { .. } => None,
            },
            (AkariOp::IsNone, _) => {
                let is_none = matches!(self.meaning(op.operands[0]), Some(Meaning::None));
                Some((cloner.target.scalar_constant(Scalar::Bool, u64::from(is_none)), true))
            }
            (AkariOp::If | AkariOp::Cond | AkariOp::AndThen | AkariOp::OrElse, _) => {
                // An arm that is not taken may be what the condition keeps from being wrong.
                let condition = self.known_bits(cloner, op.operands[0]).map(|bits| bits != 0);
                let taken = |arm: usize| match (kind, condition) {
                    (_, None) => true,
                    (AkariOp::AndThen, Some(holds)) => holds,
                    (AkariOp::OrElse, Some(holds)) => !holds,
                    (_, Some(holds)) => arm == usize::from(!holds),
                };
                let arms = (0..op.regions.len()).filter(|arm| taken(*arm));
                return self.look_over_all(cloner, arms.flat_map(|arm| source.region(op.regions[arm]).ops.iter()));
            }
            (AkariOp::Loop, _) => {
                return self
                    .look_over_all(cloner, op.regions.iter().flat_map(|region| source.region(*region).ops.iter()));
            }
            _ if !op.regions.is_empty() => None,
            _ if self.is_wrong(cloner, id, kind) => return Cloned::Left,
            _ => self.folded(cloner, id, kind),
        };
        if let (Some((value, open)), Some(result)) = (constant, op.result) {
            self.set_meaning(result, Meaning::Const { value, open, origin: None, stands: false });
        }
        Cloned::Done
    }

    fn look_over_all<'o>(&mut self, cloner: &mut Cloner<'_>, ops: impl Iterator<Item = &'o OpId>) -> Cloned {
        for op in ops {
            if matches!(self.look_over(cloner, *op), Cloned::Left) {
                return Cloned::Left;
            }
        }
        Cloned::Done
    }

    /// What constants of this instance make undefined is an error.
    fn is_wrong(&mut self, cloner: &mut Cloner<'_>, id: OpId, kind: AkariOp) -> bool {
        let source = self.specializer.source;
        let op = source.op(id);
        let rhs = op.operands.get(1).copied();
        match kind {
            AkariOp::Div | AkariOp::Rem => {
                let Some((divisor, true)) = rhs.and_then(|rhs| self.known(rhs)) else { return false };
                let is_integer = source.value_kind(op.operands[0]).scalar().is_some_and(Scalar::is_integer);
                let lanes = akari_dialect::fold::lanes(cloner.target, divisor);
                if is_integer && lanes.is_some_and(|lanes| lanes.contains(&0)) {
                    self.fail(codes::DIVISION_BY_ZERO, op.loc, "this divides by a constant that is zero here");
                }
            }
            AkariOp::Shl | AkariOp::Shr => {
                let Some((count, true)) = rhs.and_then(|rhs| self.known(rhs)) else { return false };
                let bits = source.value_kind(op.operands[0]).scalar().map_or(32, Scalar::bits);
                let lanes = akari_dialect::fold::lanes(cloner.target, count).unwrap_or_default();
                if let Some(count) = lanes.iter().find(|lane| **lane >= u64::from(bits)) {
                    let is_signed = source.value_kind(op.operands[1]).scalar() == Some(Scalar::I32);
                    let count = if is_signed { i64::from(*count as u32 as i32) } else { *count as i64 };
                    let message = format!("this shifts by {count} here, and the value has {bits} bits");
                    self.fail(codes::SHIFT_COUNT, op.loc, message);
                }
            }
            AkariOp::Index | AkariOp::Element | AkariOp::Extract => {
                let of = source.value_type(op.operands[0]);
                let of = source.types.as_place(of).map_or(of, |(_, pointee)| pointee);
                let (index, open) = match rhs {
                    Some(rhs) => match self.known(rhs) {
                        Some((index, open)) => (integer(cloner.target, index), open),
                        None => return false,
                    },
                    None => (Some(op.int(0)), false),
                };
                if !open && !matches!(source.kind(of), TypeKind::OpenArray(..)) {
                    return false;
                }
                let of = cloner.ty(of);
                let Some(length) = cloner.target.types.length(of) else { return false };
                if let Some(index) = index.filter(|index| !(0..i64::from(length)).contains(index)) {
                    let message = format!("the index {index} is out of range here: there are {length} elements");
                    self.fail(codes::INDEX, op.loc, message);
                }
            }
            AkariOp::Builtin if Builtin::from_index(op.enumerated(0)) == Builtin::TextureGather => {
                let Some((component, true)) = op.operands.get(3).and_then(|component| self.known(*component)) else {
                    return false;
                };
                if let Some(component) =
                    integer(cloner.target, component).filter(|component| !(0..4).contains(component))
                {
                    let message =
                        format!("the component of this `gather` is {component} here, and there are 0, 1, 2 and 3");
                    self.fail(codes::INDEX, op.loc, message);
                }
            }
            _ => {}
        }
        self.failed
    }

    fn size_of(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let op = self.specializer.source.op(id);
        let ty = cloner.ty(op.ty(0));
        let packing = if op.flag(1) { Packing::Uniform } else { Packing::Storage };
        match Layouts::new().of(cloner.target, ty, packing) {
            Ok(layout) => {
                let size = cloner.target.scalar_constant(Scalar::U32, u64::from(layout.size));
                self.found(cloner, op.result, size, true, into)
            }
            Err(_) => {
                self.fail(codes::OUT_OF_RANGE, op.loc, "this type is too large here");
                Cloned::Left
            }
        }
    }

    fn repeat(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        let Some(result) = op.result else { return Cloned::Done };
        let ty = cloner.ty(source.value_type(result));
        let length = cloner.target.types.length(ty).unwrap_or(1);
        if length > LONGEST_VALUE {
            let message = format!("an array value of {length} elements is too large: at most {LONGEST_VALUE}");
            self.fail(codes::LENGTH, op.loc, message);
            return Cloned::Left;
        }
        let size =
            Layouts::new().of(cloner.target, ty, Packing::Storage).map_or(u64::MAX, |layout| u64::from(layout.size));
        if size > LARGEST_VALUE {
            let message = format!("an array value of more than {LARGEST_VALUE} bytes is too large");
            self.fail(codes::LENGTH, op.loc, message);
            return Cloned::Left;
        }
        // An operation with so many operands counts for more than one, and each number of an array of arrays is printed.
        self.specializer.copied += size / 32;
        if let Some((value, open)) = self.known(op.operands[0])
            && let Ok(array) = fold(cloner.target, AkariOp::Repeat, &[], &[value], ty)
        {
            return self.found(cloner, Some(result), array, open, into);
        }
        let Some(value) = self.operand(cloner, op.operands[0], into, op.loc) else { return Cloned::Left };
        let parts: SmallVec<[ValueId; 3]> = SmallVec::from_elem(value, length as usize);
        let copy =
            cloner.target.new_op(AkariOp::Construct.def(), parts, [].as_slice(), [].as_slice(), Some(ty), op.loc);
        cloner.target.region_mut(into).ops.push(copy);
        cloner.result(id, copy);
        Cloned::Done
    }

    /// The thread-group size of an entry.
    fn threads(&mut self, cloner: &mut Cloner<'_>, id: OpId) -> Cloned {
        let op = self.specializer.source.op(id);
        let mut threads = [1_u32; 3];
        for (number, operand) in threads.iter_mut().zip(&op.operands) {
            let value = self.known(*operand).and_then(|(value, _)| integer(cloner.target, value));
            let Some(value) = value.and_then(|value| u32::try_from(value).ok()).filter(|value| *value > 0) else {
                let shown = value.map_or("no number".to_owned(), |value| value.to_string());
                self.fail(
                    codes::OUT_OF_RANGE,
                    op.loc,
                    format!("the thread-group size is {shown} here, and must be positive"),
                );
                return Cloned::Left;
            };
            *number = value;
        }
        let total = threads.iter().map(|number| u128::from(*number)).product::<u128>();
        if total > 1024 {
            self.fail(codes::OUT_OF_RANGE, op.loc, format!("a thread group has at most 1024 threads, not {total}"));
            return Cloned::Left;
        }
        if let Some(instance) = self.instance {
            let copy = self.specializer.instances[instance].copy;
            if let Some(entry) = &mut cloner.target.functions[copy].entry {
                entry.threads = threads;
            }
        }
        Cloned::Done
    }

    /// A groupshared variable of a template is one of this specialization alone.
    fn own_workgroup(&mut self, cloner: &mut Cloner<'_>, global: GlobalId) {
        let source = self.specializer.source;
        let is_shared = self.specializer.reach.globals.binary_search(&global).is_ok();
        if source.globals[global].kind != GlobalKind::Workgroup || is_shared {
            return;
        }
        match self.specializer.workgroup.get(&global) {
            Some(copy) => cloner.set_global(global, *copy),
            None => {
                let copy = cloner.global(global);
                self.specializer.workgroup.insert(global, copy);
            }
        }
    }

    fn return_(&mut self, cloner: &mut Cloner<'_>, id: OpId, into: RegionId) -> Cloned {
        let source = self.specializer.source;
        let op = source.op(id);
        if let (Some(instance), Some(value)) = (self.instance, op.operands.first()) {
            let (given, copy) = (source.value_type(*value), self.specializer.instances[instance].copy);
            let wanted = source.functions[self.specializer.instances[instance].key.function].result;
            // Two types of the source are one, unless both depend on constants.
            if Some(given) != wanted {
                let (given, wanted) = (cloner.ty(given), cloner.target.functions[copy].result);
                if let Some(wanted) = wanted.filter(|wanted| *wanted != given) {
                    let (given, wanted) = (describe(cloner.target, given), describe(cloner.target, wanted));
                    self.fail(codes::LENGTH, op.loc, format!("{given} is returned here, and the result is {wanted}"));
                    return Cloned::Left;
                }
            }
        }
        self.generic(cloner, id, None, into)
    }

    /// The constant that an expression is where one is demanded: functions that targets may round differently have a value here.
    pub(super) fn demanded(&self, value: ValueId) -> Option<ConstId> {
        self.known(value).map(|(value, _)| value).or_else(|| self.approximations.get(&value).copied())
    }

    /// Asks for an entry, or for a function of a module without entries.
    pub(super) fn root(&mut self, cloner: &mut Cloner<'_>, function: FuncId) {
        if let Some((key, name)) = self.resolve(cloner, function, &[]) {
            self.specializer.request(cloner, key, name, &[], None);
        }
    }
}
