//! Which specialisations of which functions there must be.

use akari_dialect::AkariOp;
use akari_ir::entity::{FuncId, OpId, RegionId};
use akari_ir::interface::ParamRole;
use akari_ir::module::Module;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::origin::{Origin, Root, may_be_global, trace};
use crate::strip::reach::Reach;

/// How many functions one module may need beyond those it has before it is refused.
pub(super) const LIMIT: usize = 8192;

/// A function together with what its specialised parameters stand for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Instance {
    pub(super) function: FuncId,
    /// One an original parameter: `Some` where it is specialised away. Empty where no parameter could be.
    pub(super) params: Box<[Option<Origin>]>,
}

impl Instance {
    /// What a parameter is specialised to.
    pub(super) fn origin(&self, param: usize) -> Option<&Origin> {
        self.params.get(param).and_then(Option::as_ref)
    }
}

/// Whether a function has a parameter that may be specialised; most have none, and are not looked at closely.
fn is_open(module: &Module, function: FuncId) -> bool {
    module.functions[function].params.iter().any(|param| may_be_global(module.value_kind(param.value)))
}

/// All instances, in the order of their functions and then of discovery.
pub(super) struct Instances {
    pub(super) list: Vec<Instance>,
    numbers: FxHashMap<Instance, usize>,
}

impl Instances {
    /// Whether only entries have parameters to specialise: then nothing is to be copied.
    pub(super) fn are_as_they_stand(&self, module: &Module) -> bool {
        self.list.iter().all(|instance| {
            module.functions[instance.function].entry.is_some() || instance.params.iter().all(Option::is_none)
        })
    }

    /// The number of an instance.
    pub(super) fn number(&self, instance: &Instance) -> Option<usize> {
        self.numbers.get(instance).copied()
    }

    /// What `roots` need; `Err` with the function at which the limit was passed.
    pub(super) fn from_roots(module: &Module, reach: &Reach, roots: &[FuncId]) -> Result<Self, FuncId> {
        let mut list: Vec<Instance> = roots.iter().map(|root| root_instance(module, *root)).collect();
        let mut numbers: FxHashMap<Instance, usize> =
            list.iter().cloned().enumerate().map(|(number, instance)| (instance, number)).collect();
        let most = reach.functions.len() + LIMIT;
        let mut next = 0;
        while next < list.len() {
            if list.len() > most {
                return Err(list[next].function);
            }
            let instance = list[next].clone();
            calls(module, reach, module.functions[instance.function].body, &mut |call| {
                let callee = called(module, call, &instance);
                if !numbers.contains_key(&callee) {
                    numbers.insert(callee.clone(), list.len());
                    list.push(callee);
                }
            });
            next += 1;
        }
        // Stable: the instances of one function stay in the order of discovery.
        list.sort_by_key(|instance| instance.function);
        let numbers = list.iter().cloned().enumerate().map(|(number, instance)| (instance, number)).collect();
        Ok(Self { list, numbers })
    }
}

/// An entry's resources are globals.
fn root_instance(module: &Module, function: FuncId) -> Instance {
    if !is_open(module, function) {
        return Instance { function, params: Box::default() };
    }
    let first = first_of_resources(module, function);
    let params = module.functions[function]
        .params
        .iter()
        .zip(first)
        .map(|(param, first)| match param.role {
            ParamRole::Resource(_) => {
                let root = Root::EntryParam(function, first as u32);
                Some(Origin { root, steps: SmallVec::new() })
            }
            ParamRole::Plain
            | ParamRole::System(_)
            | ParamRole::StageIn
            | ParamRole::Const(_)
            | ParamRole::Optional => None,
        })
        .collect();
    Instance { function, params }
}

/// For each parameter of an entry the number of the first one that is for the same. Two parameters that name the same resource of the
/// same type, such as two samplers of one state, stand for one global: targets refuse two on one register.
pub(super) fn first_of_resources(module: &Module, entry: FuncId) -> Vec<usize> {
    let mut first = FxHashMap::default();
    let params = module.functions[entry].params.iter().enumerate();
    params
        .map(|(index, param)| *first.entry((param.role, param.slot, module.value_type(param.value))).or_insert(index))
        .collect()
}

/// The instance that a call in `caller` needs.
pub(super) fn called(module: &Module, call: OpId, caller: &Instance) -> Instance {
    let op = module.op(call);
    if !is_open(module, op.func(0)) {
        return Instance { function: op.func(0), params: Box::default() };
    }
    let origin = |argument| {
        if !may_be_global(module.value_kind(argument)) {
            return None;
        }
        trace(module, argument, &caller.params).map(|traced| traced.origin)
    };
    Instance { function: op.func(0), params: op.operands.iter().map(|argument| origin(*argument)).collect() }
}

/// Finds the calls in a region.
pub(super) fn calls(module: &Module, reach: &Reach, region: RegionId, found: &mut impl FnMut(OpId)) {
    for &id in &module.region(region).ops {
        if !reach.is_live(id) {
            continue;
        }
        let op = module.op(id);
        if AkariOp::of(op) == Some(AkariOp::Call) {
            found(id);
        }
        op.regions.iter().for_each(|region| calls(module, reach, *region, found));
    }
}
