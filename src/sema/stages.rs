//! What concerns functions together: recursion, the interfaces of stages, required capabilities.

use std::rc::Rc;

use akari_dialect::Capability;
use akari_ir::interface::{FieldRole, Interpolation, ParamRole, Stage};
use akari_ir::{Diagnostic, Scalar, Span, listed, with_article};
use akari_passes::analysis::cycles::cycles;

use super::errors;
use super::program::{EntryInfo, FieldInfo, Program, Written};
use super::scope::suggest;
use super::types::{FunctionId, StructId, Ty, TyKind};
use crate::syntax::ast::FileKind;

impl<'a> Program<'a> {
    fn name_of(&self, id: FunctionId) -> &'a str {
        self.text(self.functions[id.index()].source.item.name.name)
    }

    /// Functions that call one another in a circle; each circle once.
    pub(super) fn check_recursion(&mut self) {
        let callee =
            |caller: usize, call: usize| self.functions[caller].calls.get(call).map(|(callee, _)| callee.index());
        let found = cycles(self.functions.len(), usize::MAX, callee);
        let of_program =
            |(caller, call): &(usize, usize)| (FunctionId(*caller as u32), self.functions[*caller].calls[*call].1);
        let cycles: Vec<Vec<(FunctionId, Span)>> =
            found.iter().map(|cycle| cycle.iter().map(of_program).collect()).collect();
        let mut told = vec![false; self.functions.len()];
        for cycle in cycles {
            if cycle.iter().any(|(id, _)| told[id.index()]) {
                continue;
            }
            for (id, _) in &cycle {
                told[id.index()] = true;
            }
            let names: Vec<String> =
                cycle.iter().chain(cycle.first()).map(|(id, _)| format!("`{}`", self.name_of(*id))).collect();
            let at = self.functions[cycle[0].0.index()].source.item.name.span;
            let mut diagnostic = Diagnostic::error(
                errors::RECURSION,
                at,
                format!("recursion is not allowed: {}", names.join(" calls ")),
            );
            for (id, span) in &cycle {
                diagnostic = diagnostic.note_at(*span, format!("`{}` calls on here", self.name_of(*id)));
            }
            self.report(diagnostic);
        }
    }

    /// Whether a function is an entry of the package: one of its own file, or one of an imported module that is not private.
    #[must_use]
    pub fn is_entry(&self, id: FunctionId) -> bool {
        let function = &self.functions[id.index()];
        let own = function.source.file + 1 == self.files.len();
        function.entry.is_some() && !function.template && (own || function.source.item.private.is_none())
    }

    /// The entries of the package.
    #[must_use]
    pub fn entries(&self) -> Vec<(FunctionId, EntryInfo)> {
        (0..self.functions.len() as u32)
            .map(FunctionId)
            .filter(|id| self.is_entry(*id))
            .filter_map(|id| Some((id, self.functions[id.index()].entry?)))
            .collect()
    }

    /// The interfaces of entries, alone and together. What entries reach is checked on the IR, where that is known.
    pub(super) fn check_entries(&mut self) {
        for (entry, info) in self.entries() {
            self.check_interface(entry, info);
        }
        for index in 0..self.functions.len() {
            let function = &self.functions[index];
            if let Some(info) = function.entry.filter(|_| function.template) {
                self.check_interface(FunctionId(index as u32), info);
            }
        }
        self.check_pairs();
        self.check_requires();
    }

    /// The result and the `@stage_in` of one entry.
    fn check_interface(&mut self, entry: FunctionId, info: EntryInfo) {
        let function = &self.functions[entry.index()];
        let result = function.result;
        let written = match function.written {
            Written::Function(function) => function.result,
            // Those of its template were looked at.
            Written::Instance(_) => return,
        };
        let name = function.source.item.name.span;
        let params = Rc::clone(&function.params);
        let at = written.map_or(name, |written| written.span);
        for param in params.iter().filter(|param| param.role == ParamRole::StageIn) {
            if let TyKind::Struct(id) = self.kind(param.ty) {
                self.check_fields(id, Stage::Fragment, true);
            }
        }
        match (info.stage, self.kind(result)) {
            (_, TyKind::Error) | (Stage::Compute, _) | (Stage::Fragment, TyKind::Nothing) => {}
            (Stage::Vertex, TyKind::Struct(id)) => {
                self.check_fields(id, Stage::Vertex, false);
                let fields = Rc::clone(&self.structs[id.index()].fields);
                if self.structs[id.index()].source.item.intact
                    && !fields.values().any(|field| field.role == FieldRole::Position || field.faulty)
                {
                    let text = self.text(self.structs[id.index()].source.item.name.name);
                    let message = format!("a vertex entry must give a position: no field of `{text}` is `@position`");
                    self.report(Diagnostic::error(errors::BAD_INTERFACE, at, message));
                }
            }
            (Stage::Vertex, _) => {
                let message = "a vertex entry must give a position: return a struct with a `@position` field";
                self.report(Diagnostic::error(errors::BAD_INTERFACE, at, message));
            }
            (Stage::Fragment, TyKind::Struct(id)) => self.check_fields(id, Stage::Fragment, false),
            (Stage::Fragment, kind) => {
                if !is_target(kind) {
                    let message =
                        format!("a fragment entry returns a number, a vector or a struct, not `{}`", self.show(result));
                    self.report(Diagnostic::error(errors::BAD_INTERFACE, at, message));
                }
            }
        }
    }

    /// The fields of a struct as inputs or outputs of a stage.
    fn check_fields(&mut self, id: StructId, stage: Stage, input: bool) {
        let fields = Rc::clone(&self.structs[id.index()].fields);
        let targets = stage == Stage::Fragment && !input;
        let mut positions: Option<Span> = None;
        for (index, field) in fields.values().enumerate() {
            let text = self.text(field.name);
            let kind = self.kind(field.ty);
            if kind == TyKind::Error || field.faulty {
                continue;
            }
            let shown = self.show(field.ty);
            let fault = match field.role {
                FieldRole::Position if targets => Some("a fragment's result has no `@position`".to_owned()),
                FieldRole::Position => {
                    let twice = positions.replace(field.span).is_some();
                    if twice {
                        Some("a struct has one `@position`".to_owned())
                    } else if kind != TyKind::Vector(Scalar::F32, 4) {
                        Some(format!("`@position` is a `float4`, not `{shown}`"))
                    } else {
                        None
                    }
                }
                FieldRole::ClipDistance if stage != Stage::Vertex => {
                    let message =
                        "`@clip_distance` is an output of vertex entries: the fragment entry takes a struct without it";
                    Some(message.to_owned())
                }
                FieldRole::ClipDistance if fields.values().take(index).any(|other| other.role == field.role) => {
                    Some("a struct has one `@clip_distance`".to_owned())
                }
                FieldRole::ClipDistance => match kind {
                    TyKind::Array(Ty::FLOAT, 1..=4) => None,
                    _ => Some(format!("`@clip_distance` is a `float[1]` to `float[4]`, not `{shown}`")),
                },
                FieldRole::Location(_) | FieldRole::Target { .. } if !targets => {
                    Some(format!("`{text}` names a colour target, which only a fragment's result has"))
                }
                FieldRole::Location(_) | FieldRole::Target { .. } => {
                    let twice = fields.values().take(index).any(|other| other.role == field.role);
                    if twice {
                        Some(match field.role {
                            FieldRole::Location(location) => {
                                format!("two fields have the location {location}")
                            }
                            _ => format!("`{text}` names a colour target that another field names"),
                        })
                    } else if is_target(kind) {
                        None
                    } else {
                        Some(format!("a colour target is a number or a vector, not `{shown}`"))
                    }
                }
                FieldRole::Plain if targets => {
                    Some(format!("`{text}` needs `@location(N)` or `@target(group.name)` in a fragment's result"))
                }
                FieldRole::Plain => self.varying_fault(field, &shown),
            };
            if let Some(message) = fault {
                let mut diagnostic = Diagnostic::error(errors::BAD_INTERFACE, field.span, message);
                if matches!(field.role, FieldRole::Location(_)) && !targets {
                    diagnostic = diagnostic
                        .help("leave `@location` out: fields that go from stage to stage are matched by their names");
                }
                self.report_once(diagnostic);
            }
        }
    }

    fn varying_fault(&self, field: &FieldInfo<'a>, shown: &str) -> Option<String> {
        let text = self.text(field.name);
        match self.kind(self.underlying(field.ty).unwrap_or(field.ty)) {
            TyKind::Scalar(scalar) | TyKind::Vector(scalar, _) => match scalar {
                Scalar::F32 | Scalar::F16 => None,
                Scalar::I32 | Scalar::U32 => (field.interpolation != Interpolation::Flat)
                    .then(|| format!("the integer `{text}` cannot be interpolated: it needs `@flat`")),
                Scalar::Bool | Scalar::U64 => {
                    Some(format!("{} cannot be passed from stage to stage", with_article(shown)))
                }
            },
            _ => Some(format!("{} cannot be passed from stage to stage", with_article(shown))),
        }
    }

    /// A struct may serve several entries: its faults are told once.
    fn report_once(&mut self, diagnostic: Diagnostic) {
        if !self.diagnostics.contains(&diagnostic) {
            self.report(diagnostic);
        }
    }

    fn varyings(&self, ty: Ty) -> Vec<FieldInfo<'a>> {
        match self.kind(ty) {
            TyKind::Struct(id) => {
                let fields = &self.structs[id.index()].fields;
                fields.values().filter(|field| field.role == FieldRole::Plain).cloned().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Each fragment entry takes a part of what some vertex entry gives.
    fn check_pairs(&mut self) {
        let entries = self.entries();
        let vertices: Vec<(FunctionId, Vec<FieldInfo<'a>>)> = entries
            .iter()
            .filter(|(_, info)| info.stage == Stage::Vertex)
            .map(|(id, _)| (*id, self.varyings(self.functions[id.index()].result)))
            .collect();
        if vertices.is_empty() {
            return;
        }
        for (id, info) in &entries {
            if info.stage != Stage::Fragment {
                continue;
            }
            let params = Rc::clone(&self.functions[id.index()].params);
            let Some(param) = params.iter().find(|param| param.role == ParamRole::StageIn) else {
                continue;
            };
            let wanted = self.varyings(param.ty);
            let mut nearest: Option<(Vec<FieldInfo<'a>>, FunctionId)> = None;
            for (vertex, given) in &vertices {
                let missing: Vec<&FieldInfo<'a>> =
                    wanted.iter().filter(|field| !given.iter().any(|other| is_same_varying(other, field))).collect();
                if missing.is_empty() {
                    nearest = None;
                    break;
                }
                if nearest.as_ref().is_none_or(|(fewest, _)| missing.len() < fewest.len()) {
                    nearest = Some((missing.into_iter().cloned().collect(), *vertex));
                }
            }
            let Some((missing, vertex)) = nearest else {
                continue;
            };
            for field in missing {
                let text = self.text(field.name);
                let other = vertices
                    .iter()
                    .find(|(id, _)| *id == vertex)
                    .and_then(|(_, given)| given.iter().find(|other| other.name == field.name));
                let vertex_name = self.name_of(vertex);
                let message = match other {
                    Some(other) if other.ty != field.ty => format!(
                        "the input `{text}` is {}, and the vertex entry `{vertex_name}` gives {}",
                        with_article(&self.show(field.ty)),
                        with_article(&self.show(other.ty))
                    ),
                    Some(other) => format!(
                        "the input `{text}` {}, and the vertex entry `{vertex_name}` gives one that {}",
                        interpolated(field.interpolation),
                        interpolated(other.interpolation)
                    ),
                    None => format!("no vertex entry gives the input `{text}`"),
                };
                let mut diagnostic = Diagnostic::error(errors::BAD_INTERFACE, field.span, message);
                let at = self.functions[vertex.index()].source.item.name.span;
                diagnostic = diagnostic.note_at(at, format!("the vertex entry `{vertex_name}`"));
                self.report_once(diagnostic);
            }
        }
    }

    /// `#require` of every file, and of the package against its entries.
    fn check_requires(&mut self) {
        let entries = self.entries();
        let root = self.files.len().wrapping_sub(1);
        for file in 0..self.files.len() {
            let tree = self.files[file].tree;
            let is_package = file == root && tree.root.is_some_and(|root| root.kind == FileKind::Shader);
            for require in tree.requires {
                let text = self.text(require.name);
                let Some((capability, ..)) = Capability::ALL.iter().find(|(_, name, _)| *name == text) else {
                    let diagnostic = Diagnostic::error(
                        errors::UNKNOWN_CAPABILITY,
                        require.span,
                        format!("unknown capability `{text}`"),
                    );
                    self.report(suggest(diagnostic, text, Capability::ALL.iter().map(|(_, name, _)| *name)));
                    continue;
                };
                let stages = capability.stages();
                if is_package && !entries.iter().any(|(_, info)| stages.contains(&info.stage)) {
                    let names: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
                    let message = format!("`{text}` is for {} entries, and this package has none", listed(&names));
                    self.report(Diagnostic::error(errors::UNUSABLE_CAPABILITY, require.span, message));
                }
            }
        }
    }
}

/// Whether a vertex entry's varying is what a fragment entry takes.
fn is_same_varying(given: &FieldInfo<'_>, taken: &FieldInfo<'_>) -> bool {
    given.name == taken.name && given.ty == taken.ty && given.interpolation == taken.interpolation
}

fn interpolated(interpolation: Interpolation) -> &'static str {
    match interpolation {
        Interpolation::Perspective => "is interpolated",
        Interpolation::Linear => "is `@noperspective`",
        Interpolation::Flat => "is `@flat`",
    }
}

/// Whether a colour target can hold a value of this type.
fn is_target(kind: TyKind) -> bool {
    match kind {
        TyKind::Scalar(scalar) | TyKind::Vector(scalar, _) => {
            matches!(scalar, Scalar::F32 | Scalar::F16 | Scalar::I32 | Scalar::U32)
        }
        _ => false,
    }
}
