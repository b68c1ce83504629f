//! The order of the functions: specializations stand where their template stood.

use akari_ir::entity::Entity;
use akari_ir::module::ValueDef;
use akari_ir::op::Attr;
use akari_ir::{FuncId, Module, OpId, SecondaryMap};

use super::instances::Instance;

/// Puts the functions into the order of the functions of the source that they were made of: of one template the named ones
/// first, in the order of their names' declarations, then the others, in the order in which they were asked for.
pub(super) fn arrange(module: &mut Module, instances: &[Instance]) {
    let mut order: Vec<&Instance> = instances.iter().collect();
    order.sort_by_key(|instance| (instance.key.function, instance.name.is_none(), instance.name, instance.copy));
    if order.iter().enumerate().all(|(index, instance)| instance.copy.index() == index) {
        return;
    }
    let mut places: SecondaryMap<FuncId, Option<FuncId>> = SecondaryMap::new();
    for (index, instance) in order.iter().enumerate() {
        places.set(instance.copy, Some(FuncId::from_index(index as u32)));
    }
    let moved = |function: FuncId| places.get(function).unwrap_or(function);
    let functions = std::mem::take(&mut module.functions);
    for instance in order {
        let mut function = functions[instance.copy].clone();
        if let Some(requested) = &mut function.requested {
            requested.by = requested.by.map(moved);
        }
        let id = module.functions.alloc(function);
        for index in 0..module.functions[id].params.len() {
            let value = module.functions[id].params[index].value;
            module.value_mut(value).def = ValueDef::Param(id, index as u32);
        }
    }
    for index in 0..module.op_count() {
        for attr in &mut module.op_mut(OpId::from_index(index as u32)).attrs {
            if let Attr::Func(function) = attr {
                *function = moved(*function);
            }
        }
    }
}
