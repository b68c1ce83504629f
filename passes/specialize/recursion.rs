//! Functions that call themselves by way of function values. (Calls by name were looked at before.)

use akari_ir::{Diagnostic, Module};

use super::codes;
use super::instances::Specializer;

/// So many circles of calls are told.
const MOST_CYCLES: usize = 10;

/// So many of the functions of a circle are told.
const LONGEST: usize = 8;

#[derive(Clone, Copy, PartialEq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Looks for circles among the calls of the specializations.
pub(super) fn check(specializer: &mut Specializer<'_>, target: &Module) {
    for cycle in cycles(specializer) {
        tell(specializer, target, &cycle);
    }
}

/// Circles of calls, each as its specializations and the number of the call that goes on to the next.
fn cycles(specializer: &Specializer<'_>) -> Vec<Vec<(usize, usize)>> {
    let instances = &specializer.instances;
    let mut marks = vec![Mark::New; instances.len()];
    let mut cycles = Vec::new();
    for start in 0..instances.len() {
        if marks[start] != Mark::New {
            continue;
        }
        marks[start] = Mark::Open;
        let mut path = vec![(start, 0)];
        while let Some((instance, next)) = path.last_mut() {
            let instance = *instance;
            let Some((callee, _)) = instances[instance].calls.get(*next).copied() else {
                marks[instance] = Mark::Done;
                path.pop();
                continue;
            };
            *next += 1;
            match marks[callee] {
                Mark::Done => {}
                Mark::New => {
                    marks[callee] = Mark::Open;
                    path.push((callee, 0));
                }
                Mark::Open => {
                    let from = path.iter().position(|(open, _)| *open == callee).unwrap_or(0);
                    cycles.push(path[from..].iter().map(|(open, next)| (*open, next - 1)).collect());
                    if cycles.len() == MOST_CYCLES {
                        return cycles;
                    }
                }
            }
        }
    }
    cycles
}

fn tell(specializer: &mut Specializer<'_>, target: &Module, cycle: &[(usize, usize)]) {
    let name = |instance: usize| {
        let function = &target.functions[specializer.instances[instance].copy];
        format!("`{}`", target.text(function.name))
    };
    let mut names: Vec<String> = cycle.iter().take(LONGEST).map(|(instance, _)| name(*instance)).collect();
    if cycle.len() > LONGEST {
        names.push(format!("{} more", cycle.len() - LONGEST));
    }
    names.push(name(cycle[0].0));
    let span = target.functions[specializer.instances[cycle[0].0].copy].loc;
    let message = format!("recursion is not allowed: {}", names.join(" calls "));
    let mut diagnostic = Diagnostic::error(codes::RECURSION, span, message);
    for (instance, call) in cycle.iter().take(LONGEST) {
        let (_, op) = specializer.instances[*instance].calls[*call];
        if let Some(at) = target.op(op).loc {
            diagnostic = diagnostic.note_at(at, format!("{} calls on here", name(*instance)));
        }
    }
    specializer.report(None, diagnostic);
}
