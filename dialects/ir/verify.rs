//! The verifier. What holds of every module it accepts:
//!
//! - an operation has the operands, attributes, regions and result that its row asks for, of types that fit the row's rules,
//!   and passes the row's own check;
//! - a value is used only by later operations of the region it is defined in and by the regions nested in them, and only
//!   in its own function; an operation stands in one place only;
//! - nothing follows a terminator in its region;
//! - a result or parameter says that it is defined where it is.
//!
//! A fault is a bug in the pass that ran before, never the fault of the source.

use crate::entity::{FuncId, OpId, RegionId, SecondaryMap, ValueId};
use crate::module::{Module, ValueDef};
use crate::op::{Attr, AttrKind, OpDef, ResultRule, Traits, TypeRule};
use crate::types::{Scalar, TypeKind};

/// What the verifier found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Each fault with the operation it is about.
    pub faults: Vec<(Option<OpId>, String)>,
}

impl Report {
    /// Adds a fault of `op`.
    pub fn fault(&mut self, op: OpId, message: impl Into<String>) {
        self.faults.push((Some(op), message.into()));
    }

    /// The faults as lines of text, each with its operation.
    #[must_use]
    pub fn render(&self, module: &Module) -> String {
        let mut text = String::new();
        for (op, message) in &self.faults {
            text.push_str(message);
            if let Some(op) = op {
                text.push_str("\n  in: ");
                text.push_str(&crate::text::print_op(module, *op));
            }
            text.push('\n');
        }
        text
    }
}

/// Checks a module.
///
/// # Errors
/// Every fault found.
pub fn verify(module: &Module) -> Result<(), Report> {
    let mut verifier = Verifier {
        module,
        report: Report::default(),
        visible: SecondaryMap::new(),
        placed: SecondaryMap::new(),
        scope: Vec::new(),
    };
    for func in module.functions.ids() {
        verifier.function(func);
    }
    if verifier.report.faults.is_empty() { Ok(()) } else { Err(verifier.report) }
}

struct Verifier<'m> {
    module: &'m Module,
    report: Report,
    /// Whether a value may be used here.
    visible: SecondaryMap<ValueId, bool>,
    /// Whether an operation was met already.
    placed: SecondaryMap<OpId, bool>,
    /// The values of the open regions, to be hidden again when these end.
    scope: Vec<ValueId>,
}

impl Verifier<'_> {
    fn function(&mut self, func: FuncId) {
        let module = self.module;
        let function = &module.functions[func];
        for (index, param) in function.params.iter().enumerate() {
            if module.value(param.value).def != ValueDef::Param(func, index as u32) {
                self.report.faults.push((None, format!("parameter {index} of {func:?} says it is defined elsewhere")));
            }
            self.define(param.value);
        }
        self.region(function.body);
        self.leave(0);
    }

    fn define(&mut self, value: ValueId) {
        self.visible.set(value, true);
        self.scope.push(value);
    }

    fn leave(&mut self, depth: usize) {
        for value in self.scope.drain(depth..) {
            self.visible.set(value, false);
        }
    }

    fn region(&mut self, region: RegionId) {
        let depth = self.scope.len();
        let ops = &self.module.region(region).ops;
        for (index, op) in ops.iter().enumerate() {
            self.op(*op);
            if self.module.op(*op).def.traits.has(Traits::TERMINATOR) && index + 1 < ops.len() {
                self.report.fault(ops[index + 1], "it stands after a terminator");
            }
        }
        self.leave(depth);
    }

    fn op(&mut self, id: OpId) {
        let module = self.module;
        let op = module.op(id);
        if std::mem::replace(self.placed.get_mut(id), true) {
            return self.report.fault(id, "it stands in two places");
        }
        let mut sound = true;
        for operand in &op.operands {
            if !*self.visible.get(*operand) {
                self.report.fault(id, "it uses a value that is not defined before it in an enclosing region");
                sound = false;
            }
        }
        sound &= self.arity(id, op.def);
        if sound {
            for (index, operand) in op.operands.iter().enumerate() {
                let rule = op.def.operands.get(index).or(op.def.operands.last()).map_or(TypeRule::Any, |def| def.rule);
                if !self.fits(id, *operand, rule) {
                    self.report.fault(id, format!("operand {index} is not of the kind {rule:?}"));
                    sound = false;
                }
            }
        }
        if sound {
            if let ResultRule::Same(index) = op.def.result {
                let wanted = module.value_type(op.operands[usize::from(index)]);
                if op.result.map(|value| module.value_type(value)) != Some(wanted) {
                    self.report.fault(id, "its result has another type than its operand");
                }
            }
            if let Some(check) = op.def.verify {
                check(module, id, &mut self.report);
            }
        }
        for region in &op.regions {
            self.region(*region);
        }
        if let Some(result) = op.result {
            if module.value(result).def != ValueDef::Result(id) {
                self.report.fault(id, "its result says it is defined elsewhere");
            }
            self.define(result);
        }
    }

    /// Whether there are as many operands, attributes, regions and results as the row says.
    fn arity(&mut self, id: OpId, def: &OpDef) -> bool {
        let op = self.module.op(id);
        let variadic = def.operands.last().is_some_and(|operand| operand.variadic);
        let operands = def.operands.len() - usize::from(variadic);
        let operands_fit = op.operands.len() == operands || (variadic && op.operands.len() > operands);
        let star = def.has_variadic_regions();
        let regions = def.regions.len() - usize::from(star);
        let regions_fit = op.regions.len() == regions || (star && op.regions.len() > regions);
        let attrs_fit = op.attrs.len() == def.attrs.len()
            && op.attrs.iter().zip(def.attrs).all(|(attr, slot)| attr_fits(attr, slot.kind));
        let result_fits = match def.result {
            ResultRule::None => op.result.is_none(),
            ResultRule::Same(_) | ResultRule::Declared => op.result.is_some(),
            ResultRule::Optional => true,
        };
        for (fits, what) in
            [(operands_fit, "operands"), (regions_fit, "regions"), (attrs_fit, "attributes"), (result_fits, "results")]
        {
            if !fits {
                self.report.fault(id, format!("it has not the {what} that its row asks for"));
            }
        }
        operands_fit && regions_fit && attrs_fit && result_fits
    }

    fn fits(&self, id: OpId, value: ValueId, rule: TypeRule) -> bool {
        let module = self.module;
        let operands = &module.op(id).operands;
        let kind = module.value_kind(value);
        match rule {
            TypeRule::Any => true,
            TypeRule::Value => !kind.is_handle() && !matches!(kind, TypeKind::Place(..)),
            TypeRule::Bool => kind == TypeKind::Scalar(Scalar::Bool),
            TypeRule::BoolShaped => {
                matches!(kind, TypeKind::Scalar(Scalar::Bool) | TypeKind::Vector(Scalar::Bool, _))
            }
            TypeRule::Integer => kind.scalar().is_some_and(Scalar::is_integer),
            TypeRule::IntegerScalar => matches!(kind, TypeKind::Scalar(scalar) if scalar.is_integer()),
            TypeRule::Numeric => kind.scalar().is_some_and(|scalar| scalar != Scalar::Bool),
            TypeRule::ScalarOrVector => kind.width().is_some(),
            TypeRule::Place => matches!(kind, TypeKind::Place(..)),
            TypeRule::WritablePlace => matches!(kind, TypeKind::Place(space, _) if space.is_writable()),
            TypeRule::Pointee(index) => {
                let place = module.types.as_place(module.value_type(operands[usize::from(index)]));
                place.is_some_and(|(_, pointee)| pointee == module.value_type(value))
            }
            TypeRule::Same(index) => module.value_type(operands[usize::from(index)]) == module.value_type(value),
            TypeRule::Buffer => matches!(kind, TypeKind::Buffer(..)),
        }
    }
}

fn attr_fits(attr: &Attr, kind: AttrKind) -> bool {
    match kind {
        AttrKind::Int => matches!(attr, Attr::Int(_)),
        AttrKind::Bool => matches!(attr, Attr::Bool(_)),
        AttrKind::Type => matches!(attr, Attr::Type(_)),
        AttrKind::Const => matches!(attr, Attr::Const(_)),
        AttrKind::Symbol => matches!(attr, Attr::Symbol(_)),
        AttrKind::Func => matches!(attr, Attr::Func(_)),
        AttrKind::Global => matches!(attr, Attr::Global(_)),
        AttrKind::Struct => matches!(attr, Attr::Struct(_)),
        AttrKind::Enum(set) => matches!(attr, Attr::Enum(index) if usize::from(*index) < set.values.len()),
        AttrKind::Ints => matches!(attr, Attr::Ints(_)),
    }
}
