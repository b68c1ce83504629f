//! `print-hlsl`: HLSL 2021 for DXC, one text an entry, for Direct3D 12 or in the Vulkan dialect. The dialects differ in how
//! bindings and stage interfaces are declared, and in that floats are `precise` for Vulkan alone: for Direct3D 12, DXC takes `-Gis`.
//!
//! Requires a module with one entry whose resources are globals with slots, in the form that `akari-to-hlsl`, `hlsl-layout`,
//! `region-results-to-locals`, `loop-heads`, `shape-expressions` and `assign-names` leave.

mod declarations;
mod language;
mod precise;

use akari_dialect_gpu_abi::Target;
use akari_ir::slots::Slot;
use akari_ir::{Diagnostic, GlobalKind, Module, Severity, Span};

use crate::analysis::calls::callees_first;
use crate::codes::IMPURE;
use crate::emit::c_like::Printer;
use crate::{Artifact, Changed, Failed, IrStage, Pass, PassContext};
use declarations::Dialect;
use language::Hlsl;
use precise::Precise;

/// See the module.
pub struct PrintHlsl;

impl Pass for PrintHlsl {
    const NAME: &'static str = "print-hlsl";
    const SUMMARY: &'static str = "print HLSL for Direct3D 12, or in its Vulkan dialect";
    const GIVES: Option<IrStage> = Some(IrStage::Printed);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let dialect = match context.target {
            Some(Target::VulkanHlsl | Target::Spirv) => Dialect::Vulkan,
            Some(Target::D3d12 | Target::Metal) | None => Dialect::Direct3d,
        };
        let entry = module.functions.iter().find(|(_, function)| function.entry.is_some());
        let entry = entry.map(|(_, function)| module.text(function.name).to_owned());
        let precise = (dialect == Dialect::Vulkan).then(|| Precise::of(module));
        let language = Hlsl(precise.as_ref());
        let mut printer = Printer::new(module, &language);
        printer.text.set_sources(context.line_directives.then_some(&context.sources[..]));
        declarations::module(&mut printer, dialect);
        let arrays = declarations::array_names(&mut printer);
        for function in callees_first(module) {
            declarations::function(&mut printer, dialect, &arrays, function);
        }
        let (text, lines) = printer.text.finish();
        let before = context.diagnostics.len();
        check_purity(module, &text, context);
        if context.diagnostics.len() > before {
            return Err(Failed);
        }
        context.artifacts.push(Artifact { entry, bytes: text.into_bytes(), lines });
        Ok(Changed::No)
    }
}

/// Nothing may be left unresolved: every resource has its place, and every operation was one that HLSL has. The first is a mistake of
/// the pipeline's caller, the second one of ours.
fn check_purity(module: &Module, text: &str, context: &mut PassContext) {
    let mut tell = |message: String, span: Option<Span>| {
        context.diagnostics.push(Diagnostic {
            severity: Severity::Error,
            code: IMPURE,
            message,
            span,
            notes: Vec::new(),
            help: None,
        });
    };
    let has_entry = module.functions.iter().any(|(_, function)| function.entry.is_some());
    for (_, global) in module.globals.iter() {
        // Where no entry says which resources are meant, they have no place.
        if let GlobalKind::Resource { slot: Some(Slot::Metal(_)) | None, .. } = global.kind
            && has_entry
        {
            tell(format!("`{}` has no place among the target's bindings", module.text(global.name)), global.loc);
        }
    }
    // The printer writes what it cannot spell as a comment, and nothing else as one that ends.
    let leftover = text.lines().filter(|line| !line.trim_start().starts_with("//")).find(|line| line.contains("/*"));
    if let Some(line) = leftover {
        tell(format!("bug in the HLSL passes: an operation was left that HLSL does not have: {}", line.trim()), None);
    }
}
