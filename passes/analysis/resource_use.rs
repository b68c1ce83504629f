//! What functions do with the resources they are given, themselves and through the functions that they call.
//!
//! For modules after `reach`: resources are parameters, and there are no function values any more.

use akari_dialect::{AkariOp, Builtin, Signature};
use akari_ir::interface::PassMode;
use akari_ir::module::ValueDef;
use akari_ir::{Module, OpId, SecondaryMap, Traits, TypeKind, ValueId};

use super::calls::callees_first;
use super::walk::operations;
use crate::bindless_tables::TextureKind;
use crate::strip::reach::Reach;

/// What is done with a resource. Operations whose result nothing uses do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Usage {
    /// Something names it that is kept, be it to ask for its size.
    pub reached: bool,
    /// Its contents are read, or sampled, or searched by rays.
    pub reads: bool,
    /// Its contents are written.
    pub writes: bool,
    /// Of a table of textures: which kinds are taken out of it and used, in the order of [`TextureKind::ALL`].
    pub kinds: [bool; 4],
}

impl Usage {
    const READ: Self = Self { reached: true, reads: true, writes: false, kinds: [false; 4] };
    const WRITTEN: Self = Self { reached: true, reads: false, writes: true, kinds: [false; 4] };
    const BOTH: Self = Self { reached: true, reads: true, writes: true, kinds: [false; 4] };
    const ASKED: Self = Self { reached: true, reads: false, writes: false, kinds: [false; 4] };

    /// What is done here or there.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            reached: self.reached | other.reached,
            reads: self.reads | other.reads,
            writes: self.writes | other.writes,
            kinds: [0, 1, 2, 3].map(|kind: usize| self.kinds[kind] | other.kinds[kind]),
        }
    }
}

/// What each parameter that is a resource is used for.
#[derive(Clone, Debug, Default)]
pub struct ResourceUse {
    params: SecondaryMap<ValueId, Usage>,
}

impl ResourceUse {
    /// Looks at all functions of a module.
    #[must_use]
    pub fn of_module(module: &Module) -> Self {
        let mut found = Self::default();
        let live = Reach::from_functions(module, module.functions.ids());
        for func in callees_first(module) {
            for op in operations(module, func).into_iter().filter(|op| live.is_live(*op)) {
                found.operation(module, op);
            }
        }
        found
    }

    /// What a parameter is used for.
    #[must_use]
    pub fn of(&self, param: ValueId) -> Usage {
        *self.params.get(param)
    }

    fn operation(&mut self, module: &Module, id: OpId) {
        let op = module.op(id);
        if is_way_to_resource(module, id) {
            return;
        }
        for (index, operand) in op.operands.iter().enumerate() {
            let Some((param, kind)) = resource(module, *operand) else { continue };
            let mut usage = match AkariOp::of(op) {
                Some(AkariOp::Load) => Usage::READ,
                Some(AkariOp::Store | AkariOp::StoreComponents) => Usage::WRITTEN,
                Some(AkariOp::Call) => {
                    let Some(passed) = module.functions[op.func(0)].params.get(index) else { continue };
                    match (module.types.as_place(module.value_type(*operand)), passed.mode) {
                        (Some(_), PassMode::Inout) => Usage::BOTH,
                        (Some(_), PassMode::Ref | PassMode::Value) => Usage::READ,
                        (None, _) => self.of(passed.value),
                    }
                }
                Some(AkariOp::Builtin) => of_builtin(Builtin::from_index(op.enumerated(0))),
                // What it writes is the query.
                Some(AkariOp::RayQueryBegin) => Usage::READ,
                _ => of_traits(module.traits(id)),
            };
            if let Some(kind) = kind.filter(|_| usage.reached) {
                usage.kinds[kind as usize] = true;
            }
            let all = self.of(param).with(usage);
            self.params.set(param, all);
        }
    }
}

fn of_builtin(builtin: Builtin) -> Usage {
    match builtin {
        Builtin::TextureDimensions | Builtin::TextureMipLevels => Usage::ASKED,
        Builtin::TextureStore => Usage::WRITTEN,
        _ if matches!(builtin.def().signature, Signature::Atomic { .. }) => Usage::BOTH,
        _ => Usage::READ,
    }
}

fn of_traits(traits: Traits) -> Usage {
    match (traits.has(Traits::READS), traits.has(Traits::WRITES)) {
        (_, false) => Usage::READ,
        (false, true) => Usage::WRITTEN,
        (true, true) => Usage::BOTH,
    }
}

/// Whether an operation only leads to a resource, or to a place in one: what is done there counts.
fn is_way_to_resource(module: &Module, op: OpId) -> bool {
    module.op(op).result.is_some_and(|result| {
        let kind = module.value_kind(result);
        kind.is_handle() || matches!(kind, TypeKind::Place(..))
    })
}

/// The parameter that holds the resource which a value is, or which a place lies in; for a texture out of a table, the table and the kind.
fn resource(module: &Module, value: ValueId) -> Option<(ValueId, Option<TextureKind>)> {
    let (mut value, mut found) = (value, None);
    loop {
        let kind = module.value_kind(value);
        if !kind.is_handle() && !matches!(kind, TypeKind::Place(..)) {
            return None;
        }
        match module.value(value).def {
            ValueDef::Param(..) => return kind.is_handle().then_some((value, found)),
            ValueDef::Result(id) => {
                let op = module.op(id);
                if AkariOp::of(op) == Some(AkariOp::Builtin) {
                    found = TextureKind::asked_by(Builtin::from_index(op.enumerated(0)));
                }
                value = *op.operands.first()?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use akari_dialect::AKARI;
    use akari_ir::Registry;

    use super::*;

    fn usages(text: &str) -> Vec<(String, Usage)> {
        let text = format!("module \"m\"\n{text}\n");
        let module = akari_ir::parse(Registry(&[&AKARI]), &text)
            .unwrap_or_else(|error| panic!("{error:?}: {}", &text[error.offset..]));
        let found = ResourceUse::of_module(&module);
        let entries = module.functions.iter().filter(|(_, function)| function.entry.is_some());
        let params = entries
            .flat_map(|(_, function)| &function.params)
            .filter(|param| module.value_kind(param.value).is_handle());
        params
            .map(|param| {
                let name = module.value(param.value).name.map_or("", |name| module.text(name));
                (name.to_owned(), found.of(param.value))
            })
            .collect()
    }

    #[test]
    fn uses_count_through_calls_and_places() {
        let found = usages(
            "func @copy(%from: buf<f32>, %to: rwbuf<f32>, %never: buf<f32>, %i: u32) {\n\
               %a: ref<storage_read, f32> = akari.buffer_element %from, %i\n\
               %x: f32 = akari.load %a\n\
               %b: ref<storage, f32> = akari.buffer_element %to, %i\n\
               akari.store %b, %x\n\
             }\n\
             compute(1, 1, 1) func @main(%from: buf<f32> bind in.a, %to: rwbuf<f32> bind in.b, %never: buf<f32> bind in.c, %other: buf<f32> bind in.d, %i: u32 dispatch_id) {\n\
               %p: ref<storage_read, f32> = akari.buffer_element %other, %i\n\
               akari.call %from, %to, %never, %i {callee: @copy}\n\
             }",
        );
        let expected =
            [("from", Usage::READ), ("to", Usage::WRITTEN), ("never", Usage::default()), ("other", Usage::default())];
        assert_eq!(found, expected.map(|(name, usage)| (name.to_owned(), usage)));
    }
}
