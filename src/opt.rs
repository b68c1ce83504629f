//! `akari opt`: passes over the textual IR, for those who work on the compiler and for the tests of passes.

use akari_dialect::AKARI;
use akari_dialect_gpu_abi::Target;
use akari_dialect_hlsl::HLSL;
use akari_dialect_msl::MSL;
use akari_ir::{Dialect, ParseError, Registry, parse, print_module, verify};
use akari_passes::{IrStage, Observer, PassContext, Pipeline, PipelineError, RunError, run};

use crate::{render, spirv_text};

/// The dialects that a text may use.
pub static DIALECTS: &[&Dialect] = &[&AKARI, &MSL, &HLSL];

/// Why there is no output.
#[derive(Debug)]
pub enum OptError {
    /// The text is no module.
    Parse(ParseError),
    /// The module is unsound.
    Unsound(Vec<Fault>),
    /// The list of passes is none.
    Pipeline(PipelineError),
    /// A pass left an unsound module.
    Run(RunError),
}

/// A fault of an operation in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset of the operation, where it is one operation's.
    pub offset: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// Parses and verifies `text`.
///
/// # Errors
/// [`OptError::Parse`] and [`OptError::Unsound`].
pub fn read(text: &str) -> Result<akari_ir::Module, OptError> {
    let module = parse(Registry(DIALECTS), text).map_err(OptError::Parse)?;
    match verify::verify(&module) {
        Ok(()) => Ok(module),
        Err(report) => Err(OptError::Unsound(
            report
                .faults
                .into_iter()
                .map(|(op, message)| Fault {
                    offset: op.and_then(|op| module.op(op).loc).map(|span| span.start as usize),
                    message,
                })
                .collect(),
        )),
    }
}

/// Reads `text`, runs `passes` and prints what came out: the diagnostics as comments, then what emitters printed, or the
/// module where none ran. The module is taken to be at the stage that the first pass needs.
///
/// # Errors
/// See [`OptError`]; a pass that fails with diagnostics is no error here.
pub fn opt(text: &str, passes: &str, target: Option<Target>, observer: &mut Observer) -> Result<String, OptError> {
    opt_in(text, passes, &mut PassContext { target, ..PassContext::default() }, observer)
}

/// As [`opt`], with a context of the caller's making, which keeps the diagnostics.
///
/// # Errors
/// See [`OptError`].
pub fn opt_in(
    text: &str,
    passes: &str,
    context: &mut PassContext,
    observer: &mut Observer,
) -> Result<String, OptError> {
    let mut module = read(text)?;
    let start = Pipeline::first_stage(passes).map_err(OptError::Pipeline)?;
    let pipeline = Pipeline::parse(passes, start.unwrap_or(IrStage::Source)).map_err(OptError::Pipeline)?;
    let outcome = run(&pipeline, &mut module, context, observer);
    let mut output = String::new();
    for diagnostic in &context.diagnostics {
        let severity = render::severity(diagnostic.severity);
        output.push_str(&format!("; {severity}[{}]: {}\n", diagnostic.code.0, diagnostic.message));
        for note in &diagnostic.notes {
            output.push_str(&format!(";   note: {}\n", note.message));
        }
        if let Some(help) = &diagnostic.help {
            output.push_str(&format!(";   help: {help}\n"));
        }
    }
    match outcome {
        Ok(()) if context.artifacts.is_empty() => output.push_str(&print_module(&module)),
        Ok(()) => {
            for artifact in &context.artifacts {
                // Text starts with no control characters; a SPIR-V module does, with its magic number.
                match spirv_text::disassemble(&artifact.bytes) {
                    Some(text) => output.push_str(&text),
                    None => output.push_str(&String::from_utf8_lossy(&artifact.bytes)),
                }
            }
        }
        Err(RunError::Failed(_)) if !context.diagnostics.is_empty() => {}
        Err(error) => return Err(OptError::Run(error)),
    }
    Ok(output)
}
