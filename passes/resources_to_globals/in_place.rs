//! An entry whose resources go no further: its parameters become globals where they stand.

use akari_dialect::AkariOp;
use akari_ir::entity::{FuncId, GlobalId, Type};
use akari_ir::interface::{BindingSource, ParamRole};
use akari_ir::module::{Global, GlobalKind, Module, ValueDef};
use akari_ir::op::Attr;
use akari_ir::slots::Slot;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::strip::reach::Reach;

/// Turns the resource parameters of an entry into globals, without touching their uses: the value that was a parameter becomes
/// the result of the operation that gives the global's handle.
pub(super) fn entry(module: &mut Module, reach: &Reach, function: FuncId) {
    let params = std::mem::take(&mut module.functions[function].params);
    let loc = module.functions[function].loc;
    let mut made: FxHashMap<(BindingSource, Option<Slot>, Type), GlobalId> = FxHashMap::default();
    let mut prologue = Vec::new();
    let mut kept = Vec::with_capacity(params.len());
    for param in params {
        let ParamRole::Resource(source) = param.role else {
            module.value_mut(param.value).def = ValueDef::Param(function, kept.len() as u32);
            kept.push(param);
            continue;
        };
        let ty = module.value_type(param.value);
        let key = (source, param.slot, ty);
        let is_used = reach.is_used(param.value);
        let global = match made.get(&key) {
            Some(_) if !is_used => continue,
            Some(global) => *global,
            None => {
                let name = module.value(param.value).name.unwrap_or_else(|| module.symbols.intern("resource"));
                let kind = GlobalKind::Resource { source, slot: param.slot };
                let global = module.globals.alloc(Global { name, ty, kind, loc: param.loc.or(loc) });
                made.insert(key, global);
                global
            }
        };
        // What an entry declares is part of its interface, used or not; but what a table is, only its uses say.
        if !is_used && module.kind(ty).is_table() {
            continue;
        }
        let attrs: SmallVec<[Attr; 1]> = smallvec![Attr::Global(global)];
        let op = module.new_op(AkariOp::Resource.def(), SmallVec::new(), attrs, SmallVec::new(), None, loc);
        module.op_mut(op).result = Some(param.value);
        let value = module.value_mut(param.value);
        (value.def, value.name) = (ValueDef::Result(op), None);
        prologue.push(op);
    }
    module.functions[function].params = kept;
    let body = module.functions[function].body;
    module.region_mut(body).ops.splice(0..0, prologue);
}
