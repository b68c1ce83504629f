//! What is right of a program with errors, so that it can be checked further: errors that passes find are to be told together with
//! those of the front end.

use akari_ir::verify::verify;
use akari_ir::{Diagnostic, Module, Severity, Span};

use crate::sema::errors;
use crate::sema::program::{Program, Written};
use crate::sema::tree::{Body, ExprKind, Local, LocalKind};
use crate::sema::types::{FunctionId, Ty, TyKind};

/// The module of a program in which errors were found: functions with an error in them have no bodies. None where what is left
/// makes no sense by itself. Nothing may be emitted from it.
#[must_use]
pub fn sound_part(mut program: Program<'_>, diagnostics: &[Diagnostic]) -> Option<Module> {
    let mut places: Vec<Span> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == Severity::Error)
        .flat_map(|diagnostic| {
            // Of a recursion every function is at fault; other notes only tell of something.
            let notes = diagnostic.notes.iter().filter(|_| diagnostic.code == errors::RECURSION);
            diagnostic.span.into_iter().chain(notes.filter_map(|note| note.span))
        })
        .collect();
    places.sort_unstable_by_key(|place| (place.file, place.start));
    let faulty: Vec<usize> =
        (0..program.functions.len()).filter(|index| !is_sound(&program, FunctionId(*index as u32), &places)).collect();
    for index in faulty {
        let function = &mut program.functions[index];
        let locals = function.params.iter().map(|param| Local {
            name: param.name,
            ty: param.ty,
            kind: LocalKind::Parameter,
            span: param.span,
            depth: 0,
        });
        let locals = locals.collect();
        function.body = Body::default();
        function.body.locals = locals;
        function.instance = None;
    }
    let module = super::lower(program);
    verify(&module).is_ok().then_some(module)
}

/// Whether there is no error in a function. `places` are those of the errors, in order.
fn is_sound(program: &Program<'_>, id: FunctionId, places: &[Span]) -> bool {
    let function = &program.functions[id.index()];
    let item = function.source.item;
    // What is wrong with a signature shows in its types, where it matters to the body.
    let part = match function.written {
        Written::Function(function) => function.body.span(),
        Written::Instance(_) => item.span,
    };
    let first = places.partition_point(|place| (place.file, place.start) < (part.file, part.start));
    let begins_within = |place: &&Span| place.file == part.file && place.start <= part.end;
    let is_faulty = places[first..].iter().take_while(begins_within).any(|place| place.end <= part.end);
    let body = &function.body;
    let template = function.instance.as_ref().map(|instance| instance.template);
    let mut used = function.calls.iter().map(|(callee, _)| callee).chain(&function.values).chain(&template);
    item.intact
        && !is_faulty
        && has_sound_signature(program, id)
        && (template.is_some() || body.locals.len() >= function.params.len())
        && body.locals.iter().all(|local| is_sound_type(program, local.ty))
        && body.exprs().iter().all(|expr| !matches!(expr.kind, ExprKind::Error) && is_sound_type(program, expr.ty))
        && used.all(|function| has_sound_signature(program, *function))
}

fn has_sound_signature(program: &Program<'_>, id: FunctionId) -> bool {
    let function = &program.functions[id.index()];
    is_sound_type(program, function.result) && function.params.iter().all(|param| is_sound_type(program, param.ty))
}

fn is_sound_type(program: &Program<'_>, ty: Ty) -> bool {
    match program.kind(ty) {
        TyKind::Error => false,
        TyKind::Struct(id) => program.structs[id.index()].ir.is_some(),
        kind => kind.element().is_none_or(|element| is_sound_type(program, element)),
    }
}
