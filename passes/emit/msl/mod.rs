//! `print-msl`: prints a module in the Metal Shading Language, all entries in one file.

mod bindless;
mod builtins;
mod functions;
mod language;
mod rays;
mod structures;
mod types;

use akari_ir::module::GlobalKind;
use akari_ir::{Module, TypeKind};

use crate::SourceFile;
use crate::analysis::plain_arrays::{Declared, PlainArrays};
use crate::analysis::storage_access::StorageAccess;
use crate::emit::c_like::expression::Printer;
use crate::emit::text::LineOrigin;
use crate::manager::pass::{Artifact, Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use language::Msl;

/// See the module.
pub struct PrintMsl;

impl Pass for PrintMsl {
    const NAME: &'static str = "print-msl";
    const SUMMARY: &'static str = "print the Metal Shading Language";
    const NEEDS: IrStage = IrStage::Named;
    const GIVES: Option<IrStage> = Some(IrStage::Printed);

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let (text, lines) = print(module, context.line_directives.then_some(&context.sources[..]));
        context.artifacts.push(Artifact { entry: None, bytes: text.into_bytes(), lines });
        Ok(Changed::No)
    }
}

/// What every file has after its includes. Akari neither contracts nor reorders float arithmetic, and knows NaN and infinity; without this, Metal's
/// compiler would do the one and forget the other.
const HEAD: [&str; 5] =
    ["", "#pragma METAL fp math_mode(safe)", "#pragma METAL fp contract(off)", "", "using namespace metal;"];

fn print(module: &Module, sources: Option<&[SourceFile]>) -> (String, Vec<LineOrigin>) {
    let language = Msl { plain_arrays: PlainArrays::of(module) };
    let mut printer = Printer::new(module, &language);
    printer.text.set_sources(sources);
    printer.text.directive("#include <metal_stdlib>");
    // A package that traces no ray reads no more of Metal's library than it needs.
    if module.types.find(TypeKind::AccelStruct).is_some() {
        printer.text.directive("#include <metal_raytracing>");
    }
    for line in HEAD {
        printer.text.directive(line);
    }
    bindless::print(&mut printer);
    structures::print(&mut printer);
    constants(&mut printer);
    functions::print(&mut printer, &StorageAccess::of_module(module));
    printer.text.finish()
}

fn constants(printer: &mut Printer<'_, Msl>) {
    let module = printer.module;
    let mut first = true;
    for (id, global) in module.globals.iter() {
        let GlobalKind::Constant(value) = global.kind else { continue };
        if std::mem::take(&mut first) {
            printer.text.blank_line();
        }
        printer.text.came_from(global.loc);
        let name = module.text(global.name);
        let is_array = matches!(module.kind(global.ty), TypeKind::Array(..));
        let (declarator, value) = if is_array && printer.language.plain_arrays.is_plain(Declared::Global(id)) {
            (types::c_declarator(module, global.ty, name), language::c_initializer(module, value))
        } else {
            (types::declarator(module, global.ty, name), language::composite(module, value, false))
        };
        printer.text.line(&format!("constant {declarator} = {value};"));
    }
}
