//! `shape-expressions`: decides for text targets which value is printed where it is used and which is declared.
//!
//! After it, the results of `let` and `local` and the parameters of functions are declared under a name, and every other value is
//! printed at its use, and evaluated there. The order in which memory is read and written, and where convergent
//! operations run, is that of the operations. A value is declared where
//!
//! - it has a name in the source;
//! - it is used several times, unless repeating it costs nothing to run or to read: constants, fields of uniforms, and what a variable
//!   holds while nothing writes it;
//! - it is used in another region;
//! - it would be evaluated on the other side of something that may change it, or that it may change; operands of one
//!   expression included, since C++ and HLSL evaluate them in any order;
//! - it is a struct or array literal where the language cannot write one;
//! - the expression that it would be part of would be more than [`plan::MAX_DEPTH`] deep.
//!
//! Run `region-results-to-locals` and `loop-heads` before, which see to it that whatever stands within an expression is one.

mod names;
pub mod plan;

use akari_dialect::AkariOp;
use akari_ir::{Module, OpId, RegionId, SecondaryMap, Type, ValueId};

use rustc_hash::FxHashSet;
use smallvec::smallvec;

use crate::analysis::walk::walk;
use crate::{Changed, Failed, IrStage, Pass, PassContext};
use plan::Plan;

/// See the module.
pub struct ShapeExpressions;

impl Pass for ShapeExpressions {
    const NAME: &'static str = "shape-expressions";
    const SUMMARY: &'static str = "declare the values that are not to be printed where they are used";
    const GIVES: Option<IrStage> = Some(IrStage::Shaped);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let Plan { declared, .. } = Plan::of(module);
        if declared.is_empty() {
            return Ok(Changed::No);
        }
        context.count("declared values", declared.len() as u64);
        let given = NamesGiven::of(module);
        let mut lets: SecondaryMap<OpId, Option<OpId>> = SecondaryMap::new();
        let mut replaced: SecondaryMap<ValueId, Option<ValueId>> = SecondaryMap::new();
        for (op, name) in declared {
            let Some(value) = module.op(op).result else { continue };
            let ty: Type = module.value_type(value);
            let loc = module.op(op).loc;
            let declaration =
                module.new_op(AkariOp::Let.def(), [value].as_slice(), smallvec![], smallvec![], Some(ty), loc);
            let result = module.op(declaration).result;
            let hint = match module.value(value).name {
                Some(name) => name,
                None => {
                    // A variable of the source keeps its name, also where it comes later.
                    let is_free = |name: &String| given.is_free(op, name);
                    let numbered = (1..).map(|number| format!("{name}_{number}"));
                    let free = std::iter::once(name.clone()).chain(numbered).find(is_free);
                    module.symbols.intern(&free.unwrap_or(name))
                }
            };
            if let Some(result) = result {
                module.value_mut(result).name = Some(hint);
                replaced.set(value, Some(result));
            }
            lets.set(op, Some(declaration));
        }
        for function in module.functions.ids() {
            rewrite(module, module.functions[function].body, &lets, &replaced);
        }
        Ok(Changed::Yes)
    }
}

/// The names that parameters and values have already, by function.
struct NamesGiven {
    functions: SecondaryMap<OpId, usize>,
    names: Vec<FxHashSet<String>>,
}

impl NamesGiven {
    fn of(module: &Module) -> Self {
        let mut given = Self { functions: SecondaryMap::new(), names: Vec::new() };
        for (_, function) in module.functions.iter() {
            let mut names = FxHashSet::default();
            let mut take =
                |value: ValueId| names.extend(module.value(value).name.map(|name| module.text(name).to_owned()));
            function.params.iter().for_each(|param| take(param.value));
            walk(module, function.body, &mut |op| {
                given.functions.set(op, given.names.len());
                if let Some(result) = module.op(op).result {
                    take(result);
                }
            });
            given.names.push(names);
        }
        given
    }

    /// Whether nothing in the function that `op` stands in has this name.
    fn is_free(&self, op: OpId, name: &str) -> bool {
        self.names.get(*self.functions.get(op)).is_none_or(|names| !names.contains(name))
    }
}

/// Puts each declaration after its operation, and uses the declared value from there on.
fn rewrite(
    module: &mut Module,
    region: RegionId,
    lets: &SecondaryMap<OpId, Option<OpId>>,
    replaced: &SecondaryMap<ValueId, Option<ValueId>>,
) {
    let ops = std::mem::take(&mut module.region_mut(region).ops);
    let mut rewritten = Vec::with_capacity(ops.len());
    for op in ops {
        for operand in &mut module.op_mut(op).operands {
            if let Some(value) = replaced.get(*operand) {
                *operand = *value;
            }
        }
        for nested in module.op(op).regions.clone() {
            rewrite(module, nested, lets, replaced);
        }
        rewritten.push(op);
        rewritten.extend(lets.get(op));
    }
    module.region_mut(region).ops = rewritten;
}
