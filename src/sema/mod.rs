//! The checker: from the syntax trees of a package and its modules to a checked [`Program`], or to every independent error in
//! them.
//!
//! ```text
//! scope      which definitions there are, and who sees them
//! items      structs, enums, bitfields, constants, each when first needed   (resolve attributes constant layout_query)
//! functions  signatures, then bodies                                        (checker expr infix access call … stmt control flow)
//! stages     recursion, capabilities, entries and their interfaces
//! ```
//!
//! Something wrong gets the poison type, which fits everywhere, so that one mistake is one message. Nothing here panics on any
//! tree.

mod access;
mod array;
mod attributes;
mod binding;
mod builtin;
mod call;
mod checker;
mod closures;
mod constant;
mod construct;
mod context;
mod control;
pub mod declarations;
pub mod errors;
mod expr;
mod flow;
pub mod function_info;
mod function_values;
mod functions;
mod infix;
mod instances;
mod items;
mod layout_query;
mod literal;
mod masked_rays;
mod method;
pub mod open;
mod overload;
mod place;
mod polynomial;
pub mod program;
mod resolve;
mod scope;
mod stages;
mod stmt;
#[cfg(test)]
mod template_tests;
mod templates;
#[cfg(test)]
mod tests;
pub mod tree;
pub mod types;
mod untyped_closures;

pub(crate) use scope::nearest;

use akari_ir::Diagnostic;

use crate::syntax::names::Names;
use program::{Def, FileInfo, Program};
use types::{FunctionId, StructId};

/// Checks the files of a program, imported ones before those that import them. Gives the diagnostics in the order of their
/// places; without an error among them the program can be lowered.
#[must_use]
pub fn check<'a>(names: &'a Names, files: Vec<FileInfo<'a>>) -> (Program<'a>, Vec<Diagnostic>) {
    let mut program = Program::new(names, files);
    program.collect();
    for index in 0..program.order.len() {
        let def = program.order[index];
        let span = program.source(def).item.name.span;
        match def {
            Def::Struct(id) => {
                program.ensure_struct(id, span);
            }
            Def::Enum(id) => program.ensure_enum(id, span),
            Def::Bitfield(id) => program.ensure_bitfield(id, span),
            Def::Constant(id) => {
                program.ensure_constant(id, span);
            }
            Def::Function(id) => program.ensure_signature(id),
            Def::Binding(id) => program.ensure_binding(id),
        }
    }
    program.check_overloads();
    for index in 0..program.structs.len() {
        let source = program.structs[index].source;
        let mut checker = checker::Checker::new(&mut program, source.file, source.item.intact);
        checker.check_field_defaults(StructId(index as u32));
    }
    for index in 0..program.functions.len() {
        program.check_function(FunctionId(index as u32));
    }
    program.check_unnamed_bindings();
    program.check_unused_templates();
    program.add_requests();
    program.check_recursion();
    program.check_entries();
    let mut diagnostics = std::mem::take(&mut program.diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.file, span.start, span.end)));
    diagnostics.dedup();
    (program, diagnostics)
}
