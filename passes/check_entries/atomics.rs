//! Atomics on `inout` parameters: what is lent to them must be groupshared.

use akari_dialect::{AkariOp, Builtin, Signature};
use akari_ir::module::{GlobalKind, ValueDef};
use akari_ir::{FuncId, Module, Note, Span, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Check, codes};
use crate::analysis::walk::operations;

/// Where the variable that a place is part of comes from.
enum Root {
    Groupshared,
    /// A parameter of the function.
    Param(u32),
    Other,
}

/// A place that a call lends to a function.
struct Lent {
    by: FuncId,
    root: Root,
    at: Option<Span>,
}

impl Check<'_> {
    /// Looks at the functions that entries reach.
    pub(super) fn lent_to_atomics(&mut self, functions: &[FuncId]) {
        let module = self.module;
        let mut needs: Vec<((FuncId, u32), Option<Span>)> = Vec::new();
        let mut lent: FxHashMap<(FuncId, u32), Vec<Lent>> = FxHashMap::default();
        for func in functions {
            for id in operations(module, *func) {
                let op = module.op(id);
                match AkariOp::of(op) {
                    Some(AkariOp::Builtin) => {
                        let builtin = Builtin::from_index(op.enumerated(0));
                        if matches!(builtin.def().signature, Signature::Atomic { .. })
                            && let Some(place) = op.operands.first()
                            && let Root::Param(index) = root(module, *place)
                            && !is_buffer(module, *func, index)
                        {
                            needs.push(((*func, index), op.loc));
                        }
                    }
                    Some(AkariOp::Call) => {
                        let arguments = (0..).zip(&op.operands);
                        for (index, argument) in
                            arguments.filter(|(_, value)| module.types.as_place(module.value_type(**value)).is_some())
                        {
                            let lender = Lent { by: *func, root: root(module, *argument), at: op.loc };
                            lent.entry((op.func(0), index)).or_default().push(lender);
                        }
                    }
                    _ => {}
                }
            }
        }
        let mut told: FxHashSet<(FuncId, u32)> = FxHashSet::default();
        let mut next = 0;
        while let Some((need, at)) = needs.get(next).copied() {
            next += 1;
            if !told.insert(need) {
                continue;
            }
            for lent in lent.get(&need).into_iter().flatten() {
                match lent.root {
                    Root::Groupshared => {}
                    Root::Param(index) => needs.push(((lent.by, index), at)),
                    Root::Other => {
                        let param = module.functions[need.0].params[need.1 as usize].value;
                        let param = module.value(param).name.map_or("", |name| module.text(name));
                        let function = self.name(need.0);
                        let message = format!(
                            "`{function}` does atomics on `{param}`: what is passed for it must be `@groupshared`"
                        );
                        let note = Note { message: "the atomic stands here".to_owned(), span: at };
                        self.error(lent.by, codes::NOT_GROUPSHARED, lent.at, message, vec![note]);
                    }
                }
            }
        }
    }
}

/// An atomic buffer is no place, and may be a parameter of any function.
fn is_buffer(module: &Module, func: FuncId, index: u32) -> bool {
    let param = module.functions[func].params[index as usize].value;
    module.types.as_place(module.value_type(param)).is_none()
}

fn root(module: &Module, place: ValueId) -> Root {
    let mut value = place;
    loop {
        let op = match module.value(value).def {
            ValueDef::Param(_, index) => return Root::Param(index),
            ValueDef::Result(op) => module.op(op),
        };
        value = match AkariOp::of(op) {
            Some(AkariOp::GlobalPlace) if module.globals[op.global(0)].kind == GlobalKind::Workgroup => {
                return Root::Groupshared;
            }
            Some(AkariOp::Element | AkariOp::Member) => op.operands[0],
            _ => return Root::Other,
        };
    }
}
