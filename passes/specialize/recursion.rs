//! Functions that call themselves by way of function values. (Calls by name were looked at before.)

use akari_ir::{Diagnostic, Module};

use super::codes;
use super::instances::Specializer;
use crate::analysis::cycles::cycles;

/// So many circles of calls are told.
const MOST_CYCLES: usize = 10;

/// So many of the functions of a circle are told.
const LONGEST: usize = 8;

/// Looks for circles among the calls of the specializations.
pub(super) fn check(specializer: &mut Specializer<'_>, target: &Module) {
    let instances = &specializer.instances;
    let callee = |caller: usize, call: usize| instances[caller].calls.get(call).map(|(callee, _)| *callee);
    for cycle in cycles(instances.len(), MOST_CYCLES, callee) {
        tell(specializer, target, &cycle);
    }
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
