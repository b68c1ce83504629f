//! What a package shows to its host: entries, resources with their slots on every target, varyings, colour targets, what each entry takes of a
//! device, and the bytes of what lies in buffers. The same module gives the same bytes.
//!
//! Nothing is worked out here that the compiler works out elsewhere: slots and locations are those of `assign-slots`, bytes those of the one layout
//! engine, names and capabilities of outputs are read off the outputs.

mod entries;
pub mod host;
pub mod model;
mod outputs;
mod resources;
mod types;
mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use akari_dialect_gpu_abi::Manifest;
use akari_dialect_gpu_abi::layout::LayoutError;
use akari_ir::{Diagnostic, Module};
use akari_passes::RunError;

use crate::driver::{self, Platform};
use crate::sema::declarations::Declarations;
use crate::source::SourceMap;
pub use model::{Reflection, VERSION};
use outputs::Outputs;
use resources::{Everything, Resources};
pub use types::source_name;

/// A package that is to be reflected.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// The lowered module.
    pub module: &'a Module,
    /// What else the program declares.
    pub declarations: &'a Declarations,
    /// The name in `#shader` or `#module`.
    pub name: &'a str,
    /// The name in `#layout`.
    pub layout: Option<&'a str>,
    /// What the names of its files begin with.
    pub stem: &'a str,
}

/// What came of a package.
#[derive(Debug)]
pub struct Reflected {
    /// The reflection; none where the package has errors on every target.
    pub reflection: Option<Reflection>,
    /// What there is to say of the package on one platform or another: where that is an error, the reflection knows nothing of its outputs
    /// there. That a manifest has no slot for a platform is no error.
    pub diagnostics: Vec<(Platform, Diagnostic)>,
    /// A fault of the compiler itself.
    pub internal: Option<RunError>,
}

/// Reflects a package.
///
/// # Errors
/// A type in a buffer that is too large or nests too deep.
pub fn reflect(
    package: Package<'_>,
    manifest: Option<&Arc<Manifest>>,
    sources: &SourceMap,
) -> Result<Reflected, LayoutError> {
    let mut outputs = Outputs::default();
    let (shared, diagnostics) = driver::shared(package.module.clone());
    let Some(shared) = shared else {
        let diagnostics =
            diagnostics.into_iter().flat_map(|found| Platform::ALL.map(|(platform, _)| (platform, found.clone())));
        return Ok(Reflected { reflection: None, diagnostics: diagnostics.collect(), internal: None });
    };
    for (platform, _) in Platform::ALL {
        outputs.add(&package, platform, manifest, sources);
    }
    let mut resources = Resources::new(package.module, &shared, manifest);
    let entries = entries::entries(&shared, &mut resources, &outputs);
    let Everything { bindings, static_samplers, structs, enums, bitfields } = resources.finish(package.declarations)?;
    let reflection = Reflection {
        version: VERSION,
        package: package.name.to_owned(),
        layout: package.layout.map(str::to_owned),
        entries,
        bindings,
        static_samplers,
        structs,
        enums,
        bitfields,
    };
    Ok(Reflected { reflection: Some(reflection), diagnostics: outputs.diagnostics, internal: outputs.internal })
}

/// The resources in the interfaces of a package's entries, each as in [`Reflection::bindings`] with the names of those entries. `shared` is what
/// [`driver::shared`] made of the package; slots that it has already do not count.
///
/// # Errors
/// A type in a buffer that is too large or nests too deep.
pub fn bindings(
    package: Package<'_>,
    shared: &Module,
    manifest: Option<&Arc<Manifest>>,
) -> Result<Vec<BoundBy>, LayoutError> {
    let mut resources = Resources::new(package.module, shared, manifest);
    let entries = entries::entries(shared, &mut resources, &Outputs::default());
    let bindings = resources.finish(package.declarations)?.bindings.into_iter();
    let mut bound: Vec<BoundBy> = bindings.map(|binding| BoundBy { entries: Vec::new(), binding }).collect();
    for entry in &entries {
        // An entry may have one resource twice.
        let of_entry: BTreeSet<usize> = entry.bindings.iter().map(|bound| bound.binding).collect();
        for index in of_entry {
            bound[index].entries.push(entry.name.clone());
        }
    }
    bound.retain(|bound| !bound.entries.is_empty());
    Ok(bound)
}

/// A resource with the entries that bind it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct BoundBy {
    /// The names of the entries in the source.
    pub entries: Vec<String>,
    /// The resource.
    #[serde(flatten)]
    pub binding: model::Binding,
}

impl Reflection {
    /// The reflection as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Nothing in it can fail to be written: keys are strings, and there are no floats.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}
