//! What is told of a use that the manifest does not serve: at the use, with the place in the manifest that it rests on.

use akari_dialect_gpu_abi::Manifest;
use akari_dialect_gpu_abi::manifest::{RowClass, StaticSamplers};
use akari_ir::interface::SamplerState;
use akari_ir::slots::{Register, RegisterClass};
use akari_ir::{Diagnostic, Span, nearest, with_article};

use super::codes;

/// Uses are told of without a place where no source text stands behind the module.
type Place = Option<Span>;

/// A `@bind` name that has no row of the class.
pub(super) fn unknown_resource(manifest: &Manifest, class: RowClass, name: &str, at: Place) -> Diagnostic {
    let (kind, other) = match class {
        RowClass::Buffer => ("buffer", RowClass::Texture),
        RowClass::Texture | RowClass::Target => ("texture", RowClass::Buffer),
    };
    let error = Diagnostic::error(codes::UNKNOWN_NAME, at, format!("the manifest has no {kind} `{name}`"));
    match manifest.place(other, name) {
        Some(place) => {
            error.note_at(place, format!("it has `{}` for this name", other.prefix())).help(add_row(class, name))
        }
        None => with_near_name(error, manifest, class, name),
    }
}

/// A `@target` name that has no row.
pub(super) fn unknown_target(manifest: &Manifest, name: &str, at: Place) -> Diagnostic {
    let error = Diagnostic::error(codes::UNKNOWN_NAME, at, format!("the manifest has no render target `{name}`"));
    with_near_name(error, manifest, RowClass::Target, name)
}

fn with_near_name(error: Diagnostic, manifest: &Manifest, class: RowClass, name: &str) -> Diagnostic {
    let near = nearest(name, manifest.names(class));
    match near.and_then(|near| Some((near, manifest.place(class, near)?))) {
        Some((near, place)) => {
            error.note_at(place, format!("`{near}` has its row")).help(format!("did you mean `{near}`?"))
        }
        None => error.help(add_row(class, name)),
    }
}

fn add_row(class: RowClass, name: &str) -> String {
    format!("add a row `{}({})` to the manifest", class.prefix(), name.replace('.', ","))
}

/// A sampler by name.
pub(super) fn named_sampler(at: Place) -> Diagnostic {
    Diagnostic::error(codes::UNKNOWN_NAME, at, "samplers are not bound by name")
        .help("write `@sampler(filter, address)`")
}

/// A sampler state that the static set does not have.
pub(super) fn unknown_state(samplers: &StaticSamplers, state: SamplerState, at: Place) -> Diagnostic {
    let message = format!("the manifest has no static sampler `{state}`");
    let alike = |other: &&SamplerState| {
        other.compare.is_some() == state.compare.is_some()
            && (other.filter == state.filter || other.address == state.address)
    };
    let near: Vec<String> = samplers.rows.keys().filter(alike).take(3).map(|state| format!("`{state}`")).collect();
    let row = row_of(state);
    let help = match near.as_slice() {
        [] => format!("add the row `{row}`"),
        near => format!("use {}, or add the row `{row}`", near.join(" or ")),
    };
    Diagnostic::error(codes::SAMPLER_STATE, at, message).note_at(samplers.span, "the set").help(help)
}

/// The row of a state, less its slots.
fn row_of(state: SamplerState) -> String {
    let compare = state.compare.map_or(String::new(), |compare| format!(", \"compare\": \"{}\"", compare.name()));
    format!("{{ \"filter\": \"{}\", \"address\": \"{}\"{compare}, … }}", state.filter.name(), state.address.name())
}

/// A row, used, without a value for the target; `column` names the columns that would do.
pub(super) fn missing_column(column: &str, what: &str, row: Span, at: Place) -> Diagnostic {
    let message = format!("the manifest gives no {column} slot for {what}");
    Diagnostic::error(codes::MISSING_COLUMN, at, message).note_at(row, "its row")
}

/// A D3D12 register of another class than the type's.
pub(super) fn register_class(
    name: &str,
    register: Register,
    wanted: RegisterClass,
    row: Span,
    at: Place,
) -> Diagnostic {
    let has = with_article(register.class.letter());
    let message =
        format!("`{name}` is bound to {has} register, but a resource of this type takes `{}`", wanted.letter());
    let help = "`b` is for `Uniform`, `t` for what is only read, `u` for what is written, `s` for samplers";
    Diagnostic::error(codes::REGISTER_CLASS, at, message).note_at(row, "its row").help(help)
}
