//! `specialize`: nothing of compile time is left.
//!
//! From the entries on, every function that takes constants, functions or optional resources is copied for each set of such
//! arguments that it is called with, once. What a function value has captured becomes trailing parameters of the copy, one for each
//! distinct value. While copying, constants are folded and arms that are not taken are left out, so that what a folded condition
//! excludes costs nothing and needs nothing. The pass looks at each function only as often as there are specializations of it.
//!
//! ```text
//! func @apply(%x: f32, %f: fn(f32) -> f32) -> f32 {        func @apply__f_main_f(%x: f32, %s: f32) -> f32 {
//!   %y: f32 = akari.call_value %f, %x                        %y: f32 = akari.call %x, %s {callee: @main_f}
//!   …                                                        …
//! func @main(%s: f32) {                               →    func @main(%s: f32) {
//!   %f: fn(f32) -> f32 = akari.function %s {callee: @main_f}
//!   %z: f32 = akari.call %s, %f {callee: @apply}             %z: f32 = akari.call %s, %s {callee: @apply__f_main_f}
//! ```
//!
//! A specialization stands where its template stood, named ones first. Recursion by way of function values, and programs
//! that need more specializations than anyone would write, are errors; those tell which calls led there.

mod body;
mod calls;
pub mod chain;
pub mod codes;
mod control;
mod crowd;
mod instances;
mod key;
pub mod names;
mod open;
mod order;
mod recursion;

use akari_ir::module::GlobalKind;
use akari_ir::op::Attr;
use akari_ir::{FuncId, Module};
use rustc_hash::FxHashSet;

use crate::analysis::walk::walk;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::clone::Cloner;
use crate::strip::copy_declarations;
use crate::strip::reach::Reach;
use instances::Specializer;
pub use open::{LARGEST_VALUE, LONGEST_VALUE};

/// The pass `specialize`.
#[derive(Clone, Copy, Debug)]
pub struct Specialize;

impl Pass for Specialize {
    const NAME: &'static str = "specialize";
    const SUMMARY: &'static str =
        "copy templates for the constants, functions and optional resources they are called with";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let functions = || module.functions.iter();
        // Without function values and templates there is nothing that exists at compile time only.
        let has_closures = functions().any(|(_, function)| function.is_closure) || module.types.has_functions();
        if !has_closures && !module.functions.ids().any(|id| module.is_template(id)) {
            return Ok(Changed::No);
        }
        let is_root = |id: FuncId| !module.is_template(id) && !module.functions[id].is_closure;
        let entries: Vec<FuncId> =
            functions().filter(|(id, function)| function.entry.is_some() && is_root(*id)).map(|(id, _)| id).collect();
        let (mut reach, roots) = if functions().all(|(_, function)| function.entry.is_none()) {
            (Reach::everything(module), module.functions.ids().filter(|id| is_root(*id)).collect())
        } else {
            (Reach::from_functions(module, entries.iter().copied()), entries)
        };
        leave_to_instances(module, &mut reach);
        let mut target = Module::new(module.name.clone());
        let mut cloner = Cloner::between(module, &mut target);
        copy_declarations(&mut cloner, &reach);
        let mut specializer = Specializer::new(module, &reach);
        specializer.copy_all(&mut cloner, &roots);
        let before = context.diagnostics.len();
        let instances = specializer.finish(&target, context);
        context.count("instances", instances.iter().filter(|instance| instance.is_special()).count() as u64);
        let crowded = crowd::warning(module, &target, &instances);
        order::arrange(&mut target, &instances);
        check_unreached(module, &reach, context, before);
        let failed = context.diagnostics.len() > before;
        if !failed {
            context.diagnostics.extend(crowded);
        }
        *module = target;
        if failed { Err(Failed) } else { Ok(Changed::Yes) }
    }
}

/// Looks for errors in what no entry reaches, of which nothing is kept: named instances, and functions that call templates.
/// Errors since `before` are not told twice.
fn check_unreached(module: &Module, reach: &Reach, context: &mut PassContext, before: usize) {
    let reached: FxHashSet<FuncId> = reach.functions.iter().copied().collect();
    let asks_for_instances = |id: FuncId| {
        let mut asks = false;
        walk(module, module.functions[id].body, &mut |op| {
            asks |= module.op(op).attrs.iter().any(|attr| match attr {
                Attr::Func(of) => module.is_template(*of) || module.functions[*of].is_closure,
                _ => false,
            });
        });
        asks
    };
    let roots: Vec<FuncId> = (module.functions.ids())
        .filter(|id| !reached.contains(id) && !module.is_template(*id) && !module.functions[*id].is_closure)
        .filter(|id| asks_for_instances(*id))
        .collect();
    if roots.is_empty() {
        return;
    }
    let mut reach = Reach::everything(module);
    leave_to_instances(module, &mut reach);
    let mut scratch = Module::new(module.name.clone());
    let mut cloner = Cloner::between(module, &mut scratch);
    copy_declarations(&mut cloner, &reach);
    let mut specializer = Specializer::new(module, &reach);
    specializer.copy_all(&mut cloner, &roots);
    let found = context.diagnostics.len();
    specializer.finish(&scratch, context);
    let told: FxHashSet<_> = context.diagnostics[before..found].iter().map(|told| (told.code, told.span)).collect();
    let new = context.diagnostics.split_off(found);
    context.diagnostics.extend(new.into_iter().filter(|new| !told.contains(&(new.code, new.span))));
}

/// Groupshared variables of templates and closures are not declared once: each specialization has its own.
fn leave_to_instances(module: &Module, reach: &mut Reach) {
    let mut own = FxHashSet::default();
    let has_instances = |function: &&FuncId| module.functions[**function].is_closure || module.is_template(**function);
    for &function in reach.functions.iter().filter(has_instances) {
        walk(module, module.functions[function].body, &mut |op| {
            for attr in &module.op(op).attrs {
                if let Attr::Global(global) = attr
                    && module.globals[*global].kind == GlobalKind::Workgroup
                {
                    own.insert(*global);
                }
            }
        });
    }
    reach.globals.retain(|global| !own.contains(global));
}
