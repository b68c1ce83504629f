//! `emit-spirv`: SPIR-V 1.5 for Vulkan 1.2, one module an entry.
//!
//! Instructions are selected straight from the core operations, in one walk over each function; words go to the sections of
//! the module as they come up, types and constants on first use, capabilities where something needs them. What the
//! specification leaves undefined, and the language does not, is guarded where it is selected.
//!
//! Requires `assign-slots` and `resources-to-globals`. The interface to the host is that of DXC's output for the Vulkan HLSL:
//! the same sets and bindings, locations, and the entry's own name.
//!
//! ```text
//! compute(64, 1, 1) func @main(%i: u32 dispatch_id) {        OpEntryPoint GLCompute %main "main" %gl_GlobalInvocationID %out
//!   %0: rwbuf<u32> = akari.resource {global: @out}           …
//!   %p: ref<storage, u32> = akari.buffer_element %0, %i  →   %p = OpAccessChain %_ptr_StorageBuffer_uint %out %uint_0 %i
//!   akari.store %p, %i                                       OpStore %p %i
//! }                                                          OpReturn
//! ```

mod arithmetic;
mod builtin;
mod constants;
mod control;
mod emitter;
mod function;
mod globals;
mod interface;
mod invocations;
mod lines;
mod packing;
mod place;
mod ray;
mod resource_array;
mod texture;
mod types;
mod words;

use akari_ir::entity::FuncId;
use akari_ir::{Diagnostic, Module, Severity, Span};

use crate::codes::NOT_EXPRESSIBLE;
use crate::manager::pass::{Artifact, Changed, Failed, Pass, PassContext, SourceFile};
use crate::manager::stage::IrStage;
use crate::strip::entries;
use emitter::Emitter;

/// The words of the module for one entry and the functions that it calls. With `debug`, the source files by number,
/// instructions say which line they come from, and values keep their names.
///
/// # Errors
/// What cannot be expressed, and where.
pub fn emit(
    module: &Module,
    entry: FuncId,
    debug: Option<&[SourceFile]>,
) -> Result<Vec<u32>, (&'static str, Option<Span>)> {
    let Some(stage) = module.functions[entry].entry.map(|entry| entry.stage) else {
        return Err(("a function that is no entry", module.functions[entry].loc));
    };
    let mut emitter = Emitter::new(module, stage, debug);
    emitter.entry(entry);
    while let Some(function) = emitter.called.pop() {
        emitter.function(function);
    }
    emitter.entry_point(entry);
    emitter.finish()
}

/// The pass `emit-spirv`.
#[derive(Clone, Copy, Debug)]
pub struct EmitSpirv;

impl Pass for EmitSpirv {
    const NAME: &'static str = "emit-spirv";
    const SUMMARY: &'static str = "write SPIR-V, a module for each entry";
    const GIVES: Option<IrStage> = Some(IrStage::Printed);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        for entry in entries(module) {
            let name = module.text(module.functions[entry].name).to_owned();
            let debug = context.line_directives.then_some(&context.sources[..]);
            match emit(module, entry, debug) {
                Ok(words) => {
                    context.count("SPIR-V words", words.len() as u64);
                    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                    context.artifacts.push(Artifact { entry: Some(name), bytes, lines: Vec::new() });
                }
                Err((reason, span)) => {
                    context.diagnostics.push(Diagnostic {
                        severity: Severity::Error,
                        code: NOT_EXPRESSIBLE,
                        message: format!("`{name}` cannot be written as SPIR-V: {reason}"),
                        span,
                        notes: Vec::new(),
                        help: None,
                    });
                }
            }
        }
        if context.diagnostics.iter().any(|diagnostic| diagnostic.code == NOT_EXPRESSIBLE) {
            return Err(Failed);
        }
        Ok(Changed::No)
    }
}

#[cfg(test)]
mod tests {
    use akari_dialect::AKARI;
    use akari_ir::{Registry, parse};

    use super::*;

    const TEXT: &str = "module \"m\"
compute(1, 1, 1) func @main(%i: u32 dispatch_id) {
  %one: u32 = akari.const {value: u32 1}
  %sum: u32 = akari.add %i, %one
  %more: u32 = akari.add %sum, %one
}
";

    fn text_of(words: &[u32]) -> String {
        words.iter().flat_map(|word| word.to_le_bytes()).map(char::from).collect()
    }

    #[test]
    fn debug_information_is_there_when_asked_for() {
        let module = parse(Registry(&[&AKARI]), TEXT).expect("a module");
        let entry = entries(&module)[0];
        let plain = text_of(&emit(&module, entry, None).expect("words"));
        assert!(!plain.contains("post.akari") && !plain.contains("sum"));
        let starts = std::iter::once(0).chain(TEXT.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        let files = [SourceFile { name: "post.akari".to_owned(), line_starts: starts }];
        let words = emit(&module, entry, Some(&files)).expect("words");
        assert!(text_of(&words).contains("post.akari") && text_of(&words).contains("sum"));
        // `OpLine` is four words: file, line, column.
        let lines: Vec<_> =
            words.windows(4).filter(|line| line[0] == 4 << 16 | 8).map(|line| (line[2], line[3])).collect();
        assert_eq!(lines, [(3, 3), (4, 3), (5, 3)]);
    }

    #[test]
    fn two_runs_give_the_same_words() {
        let module = parse(Registry(&[&AKARI]), TEXT).expect("a module");
        let entry = entries(&module)[0];
        assert_eq!(emit(&module, entry, None), emit(&module, entry, None));
    }
}
