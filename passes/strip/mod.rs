//! `strip` and `extract`: what the entries reach, and nothing else.
//!
//! `strip` leaves of a package what its entries reach: functions, globals and structures, and in the functions the
//! operations that do something or whose result is used. Resources that have slots stay, since they are the entries' interface.
//! A module without entries keeps all its declarations.
//! [`extract`] gives a copy of a module with the entries one asks for; the targets that make one output an entry start from
//! it. Both keep the order of everything, and what they cost is in proportion to what is reached.
//!
//! ```text
//! func @unused() [ … ]                      →
//! func @main() compute(1, 1, 1) [             func @main() compute(1, 1, 1) [
//!   %1: u32 = akari.const {value: 3}
//!   akari.return                                akari.return
//! ]                                           ]
//! ```

pub(crate) mod reach;

use akari_ir::Module;
use akari_ir::entity::{Entity, FuncId, OpId, RegionId, StructId};

use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::rewrite::clone::{Cloned, Cloner, Hook};
use reach::Reach;

/// A copy of the module with the given functions and what they reach.
#[must_use]
pub fn extract(module: &Module, roots: &[FuncId]) -> Module {
    copy_reached(module, &Reach::from_functions(module, roots.iter().copied()))
}

/// The entries of a module, in order.
#[must_use]
pub fn entries(module: &Module) -> Vec<FuncId> {
    module.functions.iter().filter(|(_, function)| function.entry.is_some()).map(|(id, _)| id).collect()
}

fn copy_reached(module: &Module, reach: &Reach) -> Module {
    let mut target = Module::new(module.name.clone());
    let mut cloner = Cloner::between(module, &mut target);
    copy_declarations(&mut cloner, reach);
    for (index, function) in reach.functions.iter().enumerate() {
        cloner.set_function(*function, FuncId::from_index(index as u32));
    }
    for function in &reach.functions {
        cloner.function(*function, &mut Live(reach));
    }
    target
}

/// Copies everything that is reached but functions.
pub(crate) fn copy_declarations(cloner: &mut Cloner<'_>, reach: &Reach) {
    cloner.target.varyings = cloner.source().varyings.clone();
    // A structure's type may be asked for before the structure is there; its number is known beforehand.
    for (index, structure) in reach.structs.iter().enumerate() {
        cloner.set_structure(*structure, StructId::from_index(index as u32));
    }
    for structure in &reach.structs {
        cloner.structure(*structure);
    }
    for global in &reach.globals {
        cloner.global(*global);
    }
}

/// Copies the operations that count.
struct Live<'a>(&'a Reach);

impl Hook for Live<'_> {
    fn op(&mut self, _: &mut Cloner<'_>, op: OpId, _: RegionId) -> Cloned {
        if self.0.is_live(op) { Cloned::Verbatim } else { Cloned::Done }
    }
}

/// The pass `strip`.
#[derive(Clone, Copy, Debug)]
pub struct Strip;

impl Pass for Strip {
    const NAME: &'static str = "strip";
    const SUMMARY: &'static str = "drop what no entry reaches, and pure operations without uses";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let entries = entries(module);
        let reach = if entries.is_empty() { Reach::everything(module) } else { Reach::from_entries(module, entries) };
        let stripped = copy_reached(module, &reach);
        context.count("functions stripped", (module.functions.len() - stripped.functions.len()) as u64);
        let changed = stripped.op_count() != module.op_count()
            || stripped.functions.len() != module.functions.len()
            || stripped.globals.len() != module.globals.len()
            || stripped.structs.len() != module.structs.len();
        if changed {
            *module = stripped;
        }
        Ok(if changed { Changed::Yes } else { Changed::No })
    }
}
