//! The notes that tell which instance an error is in, and what asked for that.

use akari_ir::{Diagnostic, FuncId, Module, Note};

/// So many steps of a chain are told; of a longer one the first and the last.
const LONGEST: usize = 8;

/// Adds to an error in `function` the instances on the way to it, from the innermost.
#[must_use]
pub fn with_instances(module: &Module, function: FuncId, mut diagnostic: Diagnostic) -> Diagnostic {
    let mut steps = Vec::new();
    let mut next = Some(function);
    while let Some(function) = next {
        let function = &module.functions[function];
        let Some(requested) = function.requested else { break };
        let message = format!("in instance `{}`", module.text(function.name));
        steps.push(Note { message, span: requested.at });
        next = requested.by;
        // A chain is no longer than there are functions: a circle of calls would otherwise never end here.
        if steps.len() > module.functions.len() {
            break;
        }
    }
    if steps.len() > LONGEST {
        let left_out = steps.len() - LONGEST;
        let last = steps.split_off(steps.len() - 1);
        steps.truncate(LONGEST - 1);
        steps.push(Note { message: format!("… and {left_out} more"), span: None });
        steps.extend(last);
    }
    diagnostic.notes.extend(steps);
    diagnostic
}
