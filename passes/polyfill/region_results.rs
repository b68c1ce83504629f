//! `region-results-to-locals`: `cond`, `and_then` and `or_else` whose regions are not expressions become statements.
//!
//! ```text
//! %x = cond %c then [ …statements… yield %a ] otherwise [ yield %b ]
//! ```
//! becomes
//! ```text
//! %p = local
//! if %c then [ …statements… store %p, %a ] otherwise [ store %p, %b ]
//! %x = load %p          ; before each use
//! ```
//! So do those, and `select`s, whose result is of a type that the target's `?:` does not take: structures and arrays. Where only
//! what the regions do counts, since nothing uses the result, an `if` without a local does.

use akari_dialect::AkariOp;
use akari_dialect::ops::yielded;
use akari_dialect_gpu_abi::Target;
use akari_ir::{Builder, Module, OpId, RegionId, SecondaryMap, Space, TypeKind, ValueId};
use rustc_hash::FxHashSet;
use smallvec::smallvec;

use super::append_if;
use crate::analysis::uses::{Uses, has_operation};
use crate::analysis::walk::walk;
use crate::shape::plan::Plan;
use crate::strip::reach::has_effect;
use crate::{Changed, Failed, Pass, PassContext};

/// See the module.
pub struct RegionResultsToLocals;

impl Pass for RegionResultsToLocals {
    const NAME: &'static str = "region-results-to-locals";
    const SUMMARY: &'static str = "turn conditional expressions that are no expressions in the target into statements";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let conditional = [AkariOp::Cond, AkariOp::AndThen, AkariOp::OrElse, AkariOp::Select];
        if !has_operation(module, &conditional) {
            return Ok(Changed::No);
        }
        let plan = Plan::of(module);
        let mut rewrite = Rewrite {
            with_statements: plan.with_statements.into_iter().collect(),
            target: context.target,
            places: SecondaryMap::new(),
            uses: Uses::of(module),
            retired: SecondaryMap::new(),
            count: 0,
        };
        for function in module.functions.ids() {
            let body = module.functions[function].body;
            rewrite.region(module, body);
        }
        context.count("conditional expressions made statements", rewrite.count);
        Ok(if rewrite.count > 0 { Changed::Yes } else { Changed::No })
    }
}

struct Rewrite {
    with_statements: FxHashSet<RegionId>,
    target: Option<Target>,
    /// The local that holds what was a result.
    places: SecondaryMap<ValueId, Option<ValueId>>,
    /// Before this pass.
    uses: Uses,
    /// How many uses of a value are gone.
    retired: SecondaryMap<ValueId, u32>,
    count: u64,
}

impl Rewrite {
    /// Rewrites a region. True where there are statements in it now.
    fn region(&mut self, module: &mut Module, region: RegionId) -> bool {
        let mut has_statements = self.with_statements.contains(&region);
        let ops = std::mem::take(&mut module.region_mut(region).ops);
        for op in ops {
            let mut nested_statements = false;
            if self.is_for_effect(module, op) {
                let values: Vec<_> = module.op(op).regions.iter().filter_map(|arm| yielded(module, *arm)).collect();
                values.into_iter().for_each(|value| self.retire_use(module, value));
            }
            if self.is_retired(module, op) {
                continue;
            }
            for nested in module.op(op).regions.clone() {
                nested_statements |= self.region(module, nested);
            }
            self.load_operands(module, region, op);
            if self.is_for_effect(module, op) {
                self.statement_without_result(module, region, op);
                self.count += 1;
                has_statements = true;
            } else if self.must_be_statement(module, op, nested_statements) {
                self.statement(module, region, op);
                self.count += 1;
                has_statements = true;
            } else {
                module.region_mut(region).ops.push(op);
            }
        }
        has_statements
    }

    fn load_operands(&self, module: &mut Module, region: RegionId, op: OpId) {
        for index in 0..module.op(op).operands.len() {
            let operand = module.op(op).operands[index];
            let Some(place) = *self.places.get(operand) else { continue };
            let ty = module.value_type(operand);
            let mut builder = Builder { loc: module.op(op).loc, ..Builder::at_end(module, region) };
            let loaded = builder.value(AkariOp::Load.def(), &[place], smallvec![], ty);
            module.op_mut(op).operands[index] = loaded;
        }
    }

    fn must_be_statement(&self, module: &Module, id: OpId, nested_statements: bool) -> bool {
        let op = module.op(id);
        let Some(result) = op.result else { return false };
        match AkariOp::of(op) {
            Some(AkariOp::AndThen | AkariOp::OrElse) => nested_statements,
            Some(AkariOp::Cond | AkariOp::Select) => nested_statements || self.is_refused(module.value_kind(result)),
            _ => false,
        }
    }

    /// Whether an operation is a conditional expression that is there for what its regions do.
    fn is_for_effect(&self, module: &Module, id: OpId) -> bool {
        let op = module.op(id);
        matches!(AkariOp::of(op), Some(AkariOp::Cond | AkariOp::AndThen | AkariOp::OrElse))
            && op.result.is_some_and(|result| self.is_unused(result))
            && has_effect(module, id)
    }

    fn is_unused(&self, value: ValueId) -> bool {
        self.uses.count(value) <= *self.retired.get(value)
    }

    /// One use of a value goes, and with the last one what it is computed from.
    fn retire_use(&mut self, module: &Module, value: ValueId) {
        *self.retired.get_mut(value) += 1;
        if let Some(op) = module.defining_op(value).filter(|op| self.is_retired(module, *op)) {
            let mut operands = module.op(op).operands.to_vec();
            for region in &module.op(op).regions {
                walk(module, *region, &mut |inner| operands.extend(&module.op(inner).operands));
            }
            operands.into_iter().for_each(|operand| self.retire_use(module, operand));
        }
    }

    /// Whether nothing needs an operation any more.
    fn is_retired(&self, module: &Module, id: OpId) -> bool {
        module.op(id).result.is_some_and(|result| *self.retired.get(result) > 0 && self.is_unused(result))
            && !has_effect(module, id)
    }

    fn statement_without_result(&self, module: &mut Module, region: RegionId, id: OpId) {
        let op = module.op(id).clone();
        let mut builder = Builder { loc: op.loc, ..Builder::at_end(module, region) };
        let mut condition = op.operands[0];
        if AkariOp::of(&op) == Some(AkariOp::OrElse) {
            let ty = builder.module.value_type(condition);
            condition = builder.value(AkariOp::Not.def(), &[condition], smallvec![], ty);
        }
        for arm in &op.regions {
            builder.module.region_mut(*arm).ops.pop();
        }
        let then = op.regions[0];
        let otherwise = op.regions.get(1).copied().unwrap_or_else(|| builder.module.new_region());
        append_if(&mut builder, condition, then, otherwise);
    }

    /// Whether the target's `?:` does not give this type.
    fn is_refused(&self, kind: TypeKind) -> bool {
        match self.target {
            Some(Target::D3d12 | Target::VulkanHlsl) => {
                matches!(kind, TypeKind::Struct(_) | TypeKind::Array(..) | TypeKind::Matrix { .. })
            }
            Some(Target::Metal) => matches!(kind, TypeKind::Array(..)),
            Some(Target::Spirv) | None => false,
        }
    }

    fn statement(&mut self, module: &mut Module, region: RegionId, id: OpId) {
        let op = module.op(id).clone();
        let Some(result) = op.result else { return };
        let ty = module.value_type(result);
        let place_type = module.types.place(Space::Function, ty);
        let akari = AkariOp::of(&op);
        let short_circuit = matches!(akari, Some(AkariOp::AndThen | AkariOp::OrElse));
        let name = module
            .value(result)
            .name
            .unwrap_or_else(|| module.symbols.intern(if short_circuit { "condition" } else { "chosen" }));
        let mut builder = Builder { loc: op.loc, ..Builder::at_end(module, region) };
        let init: &[ValueId] = if short_circuit { &op.operands[..1] } else { &[] };
        let place = builder.value(AkariOp::Local.def(), init, smallvec![], place_type);
        builder.name(place, name);
        let mut condition = op.operands[0];
        if short_circuit {
            condition = builder.value(AkariOp::Load.def(), &[place], smallvec![], ty);
            if akari == Some(AkariOp::OrElse) {
                condition = builder.value(AkariOp::Not.def(), &[condition], smallvec![], ty);
            }
        }
        let (then, otherwise) = match akari {
            Some(AkariOp::Cond) => (op.regions[0], op.regions[1]),
            Some(AkariOp::Select) => {
                let arm = |builder: &mut Builder<'_>, value| {
                    let arm = builder.module.new_region();
                    builder.inside(arm, |builder| {
                        builder.op(AkariOp::Yield.def(), &[value], smallvec![], smallvec![], None)
                    });
                    arm
                };
                (arm(&mut builder, op.operands[1]), arm(&mut builder, op.operands[2]))
            }
            _ => (op.regions[0], builder.module.new_region()),
        };
        for arm in [then, otherwise] {
            if let Some(value) = yielded(builder.module, arm) {
                builder.module.region_mut(arm).ops.pop();
                builder.inside(arm, |builder| {
                    builder.op(AkariOp::Store.def(), &[place, value], smallvec![], smallvec![], None);
                });
            }
        }
        append_if(&mut builder, condition, then, otherwise);
        self.places.set(result, Some(place));
    }
}
