//! `resources-to-globals`: no handle is a parameter.
//!
//! HLSL and SPIR-V know resources as globals. The resource parameters of entries become globals here, and a function that
//! takes handles, or places in groupshared memory or in constants, is specialised for each tuple of such arguments that it is
//! called with. Computed indices on the way to an argument are passed as numbers. What no entry reaches is dropped; in a
//! module without entries all functions stay, and those that none calls are taken for entries: their resources are globals
//! without a slot, bound under the function's and the parameter's names.
//!
//! ```text
//! func @get(%b: buf<f32>, %i: u32) -> f32 [            resource @data: buf<f32> bind in.data
//!   %p: ref<storage_read, f32> =                        func @get(%i: u32) -> f32 [
//!       akari.buffer_element %b, %i                       %0: buf<f32> = akari.resource {global: @data}
//!   …                                              →      %p: ref<storage_read, f32> = akari.buffer_element %0, %i
//! compute func @main(%data: buf<f32> bind in.data) [      …
//!   %x: f32 = akari.call %data, %i {callee: @get}       compute func @main() [
//!                                                         %x: f32 = akari.call %i {callee: @get}
//! ```

mod in_place;
mod instances;
mod origin;
mod rewrite;

use akari_ir::entity::FuncId;
use akari_ir::interface::{BindingSource, ParamRole};
use akari_ir::module::GlobalKind;
use akari_ir::{Diagnostic, Module, Severity};
use rustc_hash::FxHashSet;

use crate::codes::TOO_MANY_SPECIALISATIONS;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::strip::reach::Reach;
use instances::Instances;

/// Which instances of which functions the roots need.
fn instances(module: &Module, reach: &Reach, roots: &[FuncId]) -> Result<Instances, Diagnostic> {
    Instances::from_roots(module, reach, roots).map_err(|function| {
        let function = &module.functions[function];
        Diagnostic {
            severity: Severity::Error,
            code: TOO_MANY_SPECIALISATIONS,
            message: format!(
                "`{}` is called with too many different resources: more than {} functions would be made",
                module.text(function.name),
                instances::LIMIT
            ),
            span: function.loc,
            notes: Vec::new(),
            help: Some("pass fewer resources down through calls".to_owned()),
        }
    })
}

/// The functions that no function calls.
fn uncalled(module: &Module, reach: &Reach) -> Vec<FuncId> {
    let mut called = FxHashSet::default();
    for (_, function) in module.functions.iter() {
        instances::calls(module, reach, function.body, &mut |call| {
            called.insert(module.op(call).func(0));
        });
    }
    module.functions.ids().filter(|function| !called.contains(function)).collect()
}

/// Gives the resources that these functions take a place of their own.
fn bind_resources(module: &mut Module, functions: &[FuncId]) {
    let unnamed = module.symbols.intern("resource");
    for function in functions {
        let group = module.functions[*function].name;
        for index in 0..module.functions[*function].params.len() {
            let value = module.functions[*function].params[index].value;
            if module.value_kind(value).is_handle() {
                let name = module.value(value).name.unwrap_or(unnamed);
                let source = BindingSource::Named { group, name };
                module.functions[*function].params[index].role = ParamRole::Resource(source);
            }
        }
    }
}

/// The pass `resources-to-globals`.
#[derive(Clone, Copy, Debug)]
pub struct ResourcesToGlobals;

impl Pass for ResourcesToGlobals {
    const NAME: &'static str = "resources-to-globals";
    const SUMMARY: &'static str = "turn resources into globals, and specialise the functions that take them";

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let entries = crate::strip::entries(module);
        let (reach, roots) = if entries.is_empty() {
            let reach = Reach::everything(module);
            let uncalled = uncalled(module, &reach);
            bind_resources(module, &uncalled);
            (reach, uncalled)
        } else {
            (Reach::from_functions(module, entries.iter().copied()), entries)
        };
        let instances = match instances(module, &reach, &roots) {
            Ok(instances) => instances,
            Err(diagnostic) => {
                context.diagnostics.push(diagnostic);
                return Err(Failed);
            }
        };
        // What was extracted for an entry has nothing to drop, and often nothing to specialise: then it need not be copied.
        if reach.is_everything(module) && instances.are_as_they_stand(module) {
            roots.iter().for_each(|root| in_place::entry(module, &reach, *root));
        } else {
            *module = rewrite::rewrite(module, &reach, &instances);
        }
        let resources = module.globals.iter().filter(|(_, global)| matches!(global.kind, GlobalKind::Resource { .. }));
        context.count("resources made global", resources.count() as u64);
        Ok(Changed::Yes)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use akari_dialect::AKARI;
    use akari_ir::{Registry, parse};

    use super::*;

    /// Functions that each call the next twice, once with two neighbours among eight buffers exchanged: the last would have to
    /// be there for every order of the eight.
    fn exchanges(levels: usize) -> Module {
        let buffers = |order: &[usize]| order.iter().map(|index| format!("%b{index}")).collect::<Vec<_>>().join(", ");
        let params = (0..8).map(|index| format!("%b{index}: buf<f32>")).collect::<Vec<_>>().join(", ");
        let mut text = format!("module \"m\"\nfunc @f0({params}) {{\n  akari.return\n}}\n");
        for level in 1..=levels {
            let mut order: Vec<usize> = (0..8).collect();
            let same = buffers(&order);
            order.swap(level % 7, level % 7 + 1);
            let (callee, other) = (level - 1, buffers(&order));
            let _ = write!(text, "func @f{level}({params}) {{\n  akari.call {same} {{callee: @f{callee}}}\n");
            let _ = write!(text, "  akari.call {other} {{callee: @f{callee}}}\n  akari.return\n}}\n");
        }
        let bound = (0..8).map(|index| format!("%b{index}: buf<f32> at {index}")).collect::<Vec<_>>().join(", ");
        let all: Vec<usize> = (0..8).collect();
        let _ = write!(
            text,
            "compute(1, 1, 1) func @main({bound}) {{\n  akari.call {} {{callee: @f{levels}}}\n}}\n",
            buffers(&all)
        );
        parse(Registry(&[&AKARI]), &text).expect("a module")
    }

    #[test]
    fn an_explosion_of_specialisations_is_refused() {
        let mut module = exchanges(64);
        let mut context = PassContext::default();
        assert_eq!(ResourcesToGlobals::run(&mut module, &mut context), Err(Failed));
        assert_eq!(context.diagnostics[0].code, TOO_MANY_SPECIALISATIONS);
    }

    #[test]
    fn each_tuple_is_made_once() {
        let mut module = exchanges(3);
        assert_eq!(ResourcesToGlobals::run(&mut module, &mut PassContext::default()), Ok(Changed::Yes));
        // The entry, one `f3`, two `f2`, four `f1`, eight `f0`.
        assert_eq!(module.functions.len(), 16);
        assert_eq!(module.globals.len(), 8);
    }
}
