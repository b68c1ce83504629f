//! `known-names`: the manifest has every name and sampler state that is declared, whether an entry reaches it or not.
//!
//! It changes nothing, and does nothing without a manifest. It runs before bindings are given to the entries that reach them, so that those
//! count that none does; slots are looked up when that is known. It does not fail: what comes after it may have other things to tell.

use akari_dialect_gpu_abi::Manifest;
use akari_ir::interface::{BindingSource, FieldRole, ParamRole};
use akari_ir::module::GlobalKind;
use akari_ir::{Diagnostic, Module, Span, Type};

use super::class::Shape;
use super::faults;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;

/// See the module.
pub struct KnownNames;

impl Pass for KnownNames {
    const NAME: &'static str = "known-names";
    const SUMMARY: &'static str = "check that the manifest has what is declared";
    const UNTIL: IrStage = IrStage::Source;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        if let Some(manifest) = &context.manifest {
            let resources = resources(module).filter_map(|(source, ty, at)| unknown(module, manifest, source, ty, at));
            context.diagnostics.extend(resources.chain(unknown_targets(module, manifest)).collect::<Vec<_>>());
        }
        Ok(Changed::No)
    }
}

/// Every resource that the source declares, with its type and its place.
fn resources(module: &Module) -> impl Iterator<Item = (BindingSource, Type, Option<Span>)> {
    let globals = module.globals.iter().filter_map(|(_, global)| match global.kind {
        GlobalKind::Resource { source, .. } => Some((source, global.ty, global.loc)),
        GlobalKind::Constant(_) | GlobalKind::Workgroup => None,
    });
    let params =
        module.functions.iter().flat_map(|(_, function)| function.params.iter().map(move |param| (function, param)));
    globals.chain(params.filter_map(|(function, param)| match param.role {
        ParamRole::Resource(source) => Some((source, module.value_type(param.value), param.loc.or(function.loc))),
        ParamRole::Plain | ParamRole::System(_) | ParamRole::StageIn | ParamRole::Const(_) | ParamRole::Optional => {
            None
        }
    }))
}

/// What is to be told of a resource that the manifest does not know.
pub(super) fn unknown(
    module: &Module,
    manifest: &Manifest,
    source: BindingSource,
    ty: Type,
    at: Option<Span>,
) -> Option<Diagnostic> {
    match source {
        BindingSource::Slot(_) => None,
        BindingSource::Sampler(state) => {
            let samplers = manifest.samplers.as_ref()?;
            (!samplers.rows.contains_key(&state)).then(|| faults::unknown_state(samplers, state, at))
        }
        BindingSource::Named { group, name } => {
            let Some(class) = Shape::of(&module.types, module.kind(ty))?.class.row() else {
                return Some(faults::named_sampler(at));
            };
            let name = module.dotted(group, name);
            let is_known = manifest.place(class, &name).is_some();
            (!is_known).then(|| faults::unknown_resource(manifest, class, &name, at))
        }
    }
}

fn unknown_targets(module: &Module, manifest: &Manifest) -> impl Iterator<Item = Diagnostic> {
    let fields =
        module.structs.iter().flat_map(|(_, known)| known.fields.iter().map(|field| (field, field.loc.or(known.loc))));
    fields.filter_map(|(field, at)| {
        let FieldRole::Target { group, name } = field.role else { return None };
        let name = module.dotted(group, name);
        (!manifest.targets.contains_key(&name)).then(|| faults::unknown_target(manifest, &name, at))
    })
}
