//! Functions of which there are so many specializations that whoever compiles them next pays for it.
//!
//! A function that passes closures of its own closures on, at two places, doubles what is below it; ten such functions make a
//! thousand specializations of the last. All of them are different, so none can be shared, and each is right. That is told as a
//! warning, of the function with most of them. Many calls with one closure each are no such thing: their number is that of the calls.

use akari_ir::{Diagnostic, FuncId, Module, Span};
use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashSet};

use super::chain;
use super::codes;
use super::instances::Instance;
use super::key::Argument;

/// So many specializations for function values a function may have without a word.
const MOST_FOR_CLOSURES: usize = 100;

/// So many a function may have for constants and resources: those are often meant.
const MOST_FOR_CONSTANTS: usize = 1000;

/// So many specializations a place that asks for them may make.
const MOST_PER_PLACE: usize = 8;

/// What is known of the specializations of one function.
#[derive(Default)]
struct Crowd {
    /// How many there are.
    count: usize,
    /// Whether function values are among the arguments.
    closures: bool,
    /// The places that ask for them.
    places: FxHashSet<Option<Span>>,
    /// The specialization that was found last.
    last: Option<FuncId>,
}

/// The warning about these specializations of the source's functions in `target`, if there is reason for one.
pub(super) fn warning(source: &Module, target: &Module, instances: &[Instance]) -> Option<Diagnostic> {
    let mut crowds: IndexMap<FuncId, Crowd, FxBuildHasher> = IndexMap::default();
    for instance in
        instances.iter().filter(|instance| instance.is_special() && !source.functions[instance.key.function].is_closure)
    {
        let crowd = crowds.entry(instance.key.function).or_default();
        crowd.count += 1;
        crowd.closures |= instance.key.arguments.iter().any(|argument| matches!(argument, Argument::Closure(_)));
        crowd.places.insert(target.functions[instance.copy].requested.and_then(|requested| requested.at));
        crowd.last = Some(instance.copy);
    }
    let is_crowded = |crowd: &Crowd| {
        let most = if crowd.closures { MOST_FOR_CLOSURES } else { MOST_FOR_CONSTANTS };
        crowd.count > most && crowd.count / MOST_PER_PLACE > crowd.places.len()
    };
    let crowded = crowds.iter().filter(|(_, crowd)| is_crowded(crowd));
    // Of equals the first.
    let (function, crowd) = crowded.min_by_key(|(_, crowd)| usize::MAX - crowd.count)?;
    let (name, count, places) = (source.text(source.functions[*function].name), crowd.count, crowd.places.len());
    let calls = if places == 1 { "call passes" } else { "calls pass" };
    let (what, help) = if crowd.closures {
        (
            "function values",
            "a function that passes closures on at two places doubles what it calls: pass values, or one closure",
        )
    } else {
        (
            "arguments",
            "a function that passes constants on at two places doubles what it calls: take what need not be constant at run time",
        )
    };
    let message = format!("`{name}` is compiled {count} times, for the {what} that {places} {calls} it");
    let warning = Diagnostic::warning(codes::CROWDED, source.functions[*function].loc, message).help(help);
    Some(match crowd.last {
        Some(last) => chain::with_instances(target, last, warning),
        None => warning,
    })
}
