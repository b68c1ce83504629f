//! Copying a function within its module, to be changed apart from the original.

use akari_ir::op::Attr;
use akari_ir::{FuncId, Module, RegionId, SecondaryMap, ValueId};

/// A copy of `func`, the same in every part and with values of its own. It is no entry.
pub fn clone_function(module: &mut Module, func: FuncId) -> FuncId {
    let mut function = module.functions[func].clone();
    function.entry = None;
    function.body = module.new_region();
    let params = std::mem::take(&mut function.params);
    let (original, body) = (module.functions[func].body, function.body);
    let copy = module.functions.alloc(function);
    let mut values = SecondaryMap::new();
    for param in params {
        let (name, ty) = (module.value(param.value).name, module.value_type(param.value));
        let value = module.add_param(copy, name, ty, param.mode, param.role);
        if let Some(added) = module.functions[copy].params.last_mut() {
            (added.slot, added.loc) = (param.slot, param.loc);
        }
        values.set(param.value, Some(value));
    }
    clone_region(module, original, body, &mut values);
    copy
}

fn clone_region(
    module: &mut Module,
    from: RegionId,
    to: RegionId,
    values: &mut SecondaryMap<ValueId, Option<ValueId>>,
) {
    for op in module.region(from).ops.clone() {
        let original = module.op(op).clone();
        let operands: Vec<ValueId> =
            original.operands.iter().map(|operand| values.get(*operand).unwrap_or(*operand)).collect();
        let regions: Vec<RegionId> = original
            .regions
            .iter()
            .map(|region| {
                let copy = module.new_region();
                clone_region(module, *region, copy, values);
                copy
            })
            .collect();
        let ty = original.result.map(|result| module.value_type(result));
        let copy = module.new_op(original.def, operands, original.attrs, regions, ty, original.loc);
        if let (Some(old), Some(new)) = (original.result, module.op(copy).result) {
            module.value_mut(new).name = module.value(old).name;
            values.set(old, Some(new));
        }
        module.region_mut(to).ops.push(copy);
    }
}

/// Redirects the calls in a function.
pub fn redirect_calls(module: &mut Module, func: FuncId, callee: impl Fn(FuncId) -> FuncId) {
    let mut ops = Vec::new();
    super::functions::walk(module, module.functions[func].body, &mut |op| ops.push(op));
    for op in ops {
        for index in 0..module.op(op).attrs.len() {
            if let Attr::Func(target) = module.op(op).attrs[index] {
                module.op_mut(op).attrs[index] = Attr::Func(callee(target));
            }
        }
    }
}
