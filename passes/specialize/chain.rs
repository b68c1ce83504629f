//! The notes that tell which instance an error is in, and what asked for that.

use akari_ir::{Diagnostic, FuncId, Module, Note, Span};

/// So many steps of a chain are told; of a longer one the first and the last.
const LONGEST: usize = 8;

/// Adds to an error in `function` the instances on the way to it, from the innermost.
#[must_use]
pub fn with_instances(module: &Module, function: FuncId, diagnostic: Diagnostic) -> Diagnostic {
    let mut chain = Vec::new();
    let mut next = Some(function);
    while let Some((id, requested)) = next.and_then(|id| Some((id, module.functions[id].requested?))) {
        chain.push((id, requested.at));
        next = requested.by;
        // A chain is no longer than there are functions: a circle of calls would otherwise never end here.
        if chain.len() > module.functions.len() {
            break;
        }
    }
    with_chain(module, &chain, diagnostic)
}

/// Adds these instances to an error, from the innermost, each with the place that asked for it.
#[must_use]
pub fn with_chain(module: &Module, chain: &[(FuncId, Option<Span>)], mut diagnostic: Diagnostic) -> Diagnostic {
    let steps: Vec<(&str, Option<Span>)> =
        chain.iter().map(|(id, at)| (module.text(module.functions[*id].name), *at)).collect();
    diagnostic.notes.extend(notes(&steps));
    diagnostic
}

/// The notes for these instances, from the innermost, each with the place that asked for it.
#[must_use]
pub fn notes(steps: &[(&str, Option<Span>)]) -> Vec<Note> {
    let left_out = steps.len().saturating_sub(LONGEST);
    let mut notes = Vec::new();
    for (index, (name, at)) in steps.iter().enumerate() {
        if left_out > 0 && index == LONGEST - 1 {
            notes.push(Note { message: format!("… and {left_out} more"), span: None });
        }
        if left_out == 0 || index < LONGEST - 1 || index == steps.len() - 1 {
            notes.push(Note { message: format!("in instance `{name}`"), span: *at });
        }
    }
    notes
}
