//! Which functions call which.

use akari_dialect::AkariOp;
use akari_ir::{Entity, FuncId, Module, SecondaryMap};

use super::walk::walk;

/// The functions that each function calls, in order of first call.
#[must_use]
pub fn callees(module: &Module) -> Vec<Vec<FuncId>> {
    let mut caller: SecondaryMap<FuncId, Option<FuncId>> = SecondaryMap::new();
    let functions = module.functions.iter();
    functions
        .map(|(func, function)| {
            let mut called = Vec::new();
            walk(module, function.body, &mut |op| {
                let op = module.op(op);
                if AkariOp::of(op) == Some(AkariOp::Call) {
                    let callee = op.func(0);
                    if caller.get_mut(callee).replace(func) != Some(func) {
                        called.push(callee);
                    }
                }
            });
            called
        })
        .collect()
}

/// The functions of a module such that each stands after those it calls, else in their order. (There is no recursion.)
#[must_use]
pub fn callees_first(module: &Module) -> Vec<FuncId> {
    order(&callees(module))
}

/// Without recursion, since chains of calls may be long.
fn order(callees: &[Vec<FuncId>]) -> Vec<FuncId> {
    let mut seen = vec![false; callees.len()];
    let mut order = Vec::with_capacity(callees.len());
    let mut open: Vec<(FuncId, usize)> = Vec::new();
    for index in 0..callees.len() {
        open.push((FuncId::from_index(index as u32), 0));
        while let Some((func, next)) = open.last_mut() {
            let func = *func;
            if *next == 0 && std::mem::replace(&mut seen[func.index()], true) {
                open.pop();
                continue;
            }
            match callees[func.index()].get(*next) {
                Some(callee) => {
                    *next += 1;
                    if !seen[callee.index()] {
                        open.push((*callee, 0));
                    }
                }
                None => {
                    order.push(func);
                    open.pop();
                }
            }
        }
    }
    order
}

/// The functions for which `holds`, and all that call such a function.
#[must_use]
pub fn reaching(module: &Module, holds: impl Fn(FuncId) -> bool) -> Vec<bool> {
    let callees = callees(module);
    let mut reaching = vec![false; callees.len()];
    for func in order(&callees) {
        reaching[func.index()] = holds(func) || callees[func.index()].iter().any(|callee| reaching[callee.index()]);
    }
    reaching
}

/// The functions that some functions reach, themselves included.
#[must_use]
pub fn reached_from(module: &Module, roots: impl IntoIterator<Item = FuncId>) -> Vec<bool> {
    let callees = callees(module);
    let mut reached = vec![false; callees.len()];
    let mut pending: Vec<FuncId> = roots.into_iter().collect();
    while let Some(func) = pending.pop() {
        if !std::mem::replace(&mut reached[func.index()], true) {
            pending.extend(&callees[func.index()]);
        }
    }
    reached
}
