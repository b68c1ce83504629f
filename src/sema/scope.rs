//! Module-level names: which definitions there are, who sees them, and which clash.

use akari_dialect::Builtin;
use akari_ir::{Diagnostic, Span};
use indexmap::IndexMap;
use smallvec::SmallVec;

use super::errors;
use super::program::{
    BindingInfo, BitfieldInfo, ConstantInfo, Def, EnumInfo, FileInfo, FunctionInfo, Program, Source, State, StructInfo,
    Written,
};
use super::types::{BindingId, BitfieldId, ConstantId, EnumId, FunctionId, GENERICS, StructId, Ty, TyKind, plain_type};
use crate::foreign;
use crate::syntax::ast::{self, ItemKind};
use crate::syntax::names::Name;
use crate::syntax::prelude::{TRACE_HIT, TRACE_HIT_NAME};

/// How many definitions may share a name.
const MOST_OVERLOADS: usize = 256;

/// Beyond so many errors nothing is suggested any more, which would take longer than all else.
const MOST_SUGGESTIONS: usize = 100;

/// What a name means in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// These; several only of functions, unless an error was reported.
    Defs(SmallVec<[Def; 2]>),
    /// Something that could not be read, or may stand in a module that is not there: the error is known.
    Lost,
    /// Something that only another file may use.
    Private(Def),
    /// Nothing.
    Nothing,
}

impl<'a> Program<'a> {
    /// Enters every item of every file.
    pub(super) fn collect(&mut self) {
        if let Some(file) = self.files.len().checked_sub(1) {
            self.define(Source { file, item: &TRACE_HIT });
        }
        for file in 0..self.files.len() {
            let items: &'a [ast::Item<'a>] = self.files[file].tree.items;
            for item in items {
                self.check_type_name(item);
                let def = self.define(Source { file, item });
                self.order.push(def);
                self.defs.entry(item.name.name).or_default().push(def);
            }
        }
        self.check_clashes();
    }

    /// `RtTraceHit`, the first struct of every program.
    pub(super) fn trace_hit(&mut self) -> Ty {
        let id = StructId(0);
        if self.structs.is_empty() || !self.ensure_struct(id, TRACE_HIT.span) {
            return Ty::ERROR;
        }
        self.structs[id.index()].ty
    }

    /// A type that is called as one of the language could never be named.
    fn check_type_name(&mut self, item: &ast::Item<'a>) {
        let text = self.text(item.name.name);
        let is_type = matches!(item.kind, ItemKind::Struct(_) | ItemKind::Enum(_) | ItemKind::Bitfield(_));
        let is_taken =
            plain_type(text).is_some() || GENERICS.iter().any(|(name, _)| *name == text) || text == TRACE_HIT_NAME;
        if is_type && is_taken {
            let message = format!("`{text}` is a type of the language");
            let diagnostic = Diagnostic::error(errors::DUPLICATE_NAME, item.name.span, message);
            self.report(diagnostic.help("give this one another name"));
        }
    }

    fn define(&mut self, source: Source<'a>) -> Def {
        let state = State::New;
        match source.item.kind {
            ItemKind::Struct(_) => {
                let id = StructId(self.structs.len() as u32);
                let ty = self.types.intern(TyKind::Struct(id));
                self.structs.push(StructInfo {
                    source,
                    state,
                    fields: Default::default(),
                    packed: false,
                    leaves: 0,
                    depth: 0,
                    ir: None,
                    ty,
                });
                Def::Struct(id)
            }
            ItemKind::Enum(_) => {
                let id = EnumId(self.enums.len() as u32);
                let ty = self.types.intern(TyKind::Enum(id));
                let underlying = akari_ir::Scalar::U32;
                self.enums.push(EnumInfo { source, state, underlying, cases: IndexMap::default(), ty });
                Def::Enum(id)
            }
            ItemKind::Bitfield(_) => {
                let id = BitfieldId(self.bitfields.len() as u32);
                let ty = self.types.intern(TyKind::Bitfield(id));
                self.bitfields.push(BitfieldInfo { source, state, fields: IndexMap::default(), ty });
                Def::Bitfield(id)
            }
            ItemKind::Fn(function) => self.define_function(source, Written::Function(function)),
            ItemKind::Instance(instance) => self.define_function(source, Written::Instance(instance)),
            ItemKind::Const(_) => {
                let id = ConstantId(self.constants.len() as u32);
                self.constants.push(ConstantInfo { source, state, ty: Ty::ERROR, value: None });
                Def::Constant(id)
            }
            ItemKind::Binding(_) => {
                let id = BindingId(self.bindings.len() as u32);
                self.bindings.push(BindingInfo { source, state, ty: Ty::ERROR, bound: None, named: false });
                Def::Binding(id)
            }
        }
    }

    fn define_function(&mut self, source: Source<'a>, written: Written<'a>) -> Def {
        let id = FunctionId(self.functions.len() as u32);
        self.functions.push(FunctionInfo {
            source,
            written,
            state: State::New,
            params: Default::default(),
            result: Ty::NOTHING,
            entry: None,
            template: false,
            open_signature: false,
            instance: None,
            body: Default::default(),
            calls: Vec::new(),
            values: Vec::new(),
            requests: Vec::new(),
        });
        Def::Function(id)
    }

    /// Two items of one name that some file sees both; overloads are compared once their signatures are known.
    fn check_clashes(&mut self) {
        let mut clashes = Vec::new();
        let mut crowded = Vec::new();
        for defs in self.defs.values_mut().filter(|defs| defs.len() > MOST_OVERLOADS) {
            crowded.push(defs[MOST_OVERLOADS]);
            defs.truncate(MOST_OVERLOADS);
        }
        for defs in self.defs.values().filter(|defs| defs.len() > 1) {
            for (index, def) in defs.iter().enumerate().skip(1) {
                let earlier = defs[..index].iter().find(|earlier| {
                    let functions = matches!((def, earlier), (Def::Function(_), Def::Function(_)));
                    !functions && self.meet(**earlier, *def)
                });
                if let Some(earlier) = earlier {
                    clashes.push((*earlier, *def));
                }
            }
        }
        for def in crowded {
            let name = self.source(def).item.name;
            let message = format!("more than {MOST_OVERLOADS} definitions are called `{}`", self.text(name.name));
            self.report(Diagnostic::error(errors::DUPLICATE_NAME, name.span, message));
        }
        for (earlier, def) in clashes {
            self.report_clash(earlier, def);
        }
    }

    /// Whether some file sees both definitions.
    fn meet(&self, a: Def, b: Def) -> bool {
        let (a, b) = (self.source(a), self.source(b));
        self.files.iter().enumerate().any(|(file, info)| visible(file, info, a) && visible(file, info, b))
    }

    /// The file in which two definitions clash sees the error: at the later one, or at the import that brings them together.
    fn report_clash(&mut self, earlier: Def, def: Def) {
        let (first, second) = (self.source(earlier), self.source(def));
        let name = self.text(second.item.name.name);
        let direct = first.file == second.file || visible(second.file, &self.files[second.file], first);
        let diagnostic = if direct {
            Diagnostic::error(errors::DUPLICATE_NAME, second.item.name.span, format!("`{name}` is already defined"))
                .note_at(first.item.name.span, format!("the other `{name}`"))
        } else {
            let file = self
                .files
                .iter()
                .enumerate()
                .find(|(file, info)| visible(*file, info, first) && visible(*file, info, second));
            let import = file.and_then(|(_, info)| {
                let brings = |import: &&ast::Ident| {
                    self.file_named(import.name).is_some_and(|file| self.files[file].sees[second.file])
                };
                info.tree.imports.iter().find(brings).map(|import| import.span)
            });
            let message = format!("two imported modules define `{name}`");
            Diagnostic::error(errors::DUPLICATE_NAME, import.unwrap_or(second.item.name.span), message)
                .note_at(first.item.name.span, "the one")
                .note_at(second.item.name.span, "the other")
        };
        self.report(diagnostic);
    }

    fn file_named(&self, name: Name) -> Option<usize> {
        self.files.iter().position(|file| file.tree.root.is_some_and(|root| root.name.name == name))
    }

    /// Overloads whose parameters have the same types.
    pub(super) fn check_overloads(&mut self) {
        let mut clashes = Vec::new();
        for defs in self.defs.values().filter(|defs| defs.len() > 1) {
            for (index, def) in defs.iter().enumerate().skip(1) {
                let Def::Function(id) = def else { continue };
                let earlier = defs[..index].iter().find(|earlier| match earlier {
                    Def::Function(other) => self.same_parameters(*id, *other) && self.meet(**earlier, *def),
                    _ => false,
                });
                if let Some(earlier) = earlier {
                    clashes.push((*earlier, *def));
                }
            }
        }
        for (earlier, def) in clashes {
            self.report_clash(earlier, def);
        }
    }

    fn same_parameters(&self, a: FunctionId, b: FunctionId) -> bool {
        let (a, b) = (&self.functions[a.index()].params, &self.functions[b.index()].params);
        a.len() == b.len()
            && a.iter().zip(b.iter()).all(|(a, b)| a.ty == b.ty && a.ty != Ty::ERROR && b.ty != Ty::ERROR)
    }

    /// What a name means in a file, locals aside.
    pub(super) fn find(&self, name: Name, file: usize) -> Found {
        let info = &self.files[file];
        if let Some(defs) = self.defs.get(&name) {
            let seen: SmallVec<[Def; 2]> =
                defs.iter().copied().filter(|def| visible(file, info, self.source(*def))).collect();
            if !seen.is_empty() {
                return Found::Defs(seen);
            }
        }
        let lost = |seen: usize| self.files[seen].tree.lost.iter().any(|lost| lost.name == name);
        if (0..self.files.len()).any(|other| info.sees[other] && lost(other)) {
            return Found::Lost;
        }
        match self.defs.get(&name).and_then(|defs| defs.iter().find(|def| info.sees[self.source(**def).file])) {
            Some(def) => Found::Private(*def),
            None if info.incomplete && !self.is_known(name) => Found::Lost,
            None => Found::Nothing,
        }
    }

    /// Whether a name means something without any definition, in Akari or in another language.
    fn is_known(&self, name: Name) -> bool {
        let text = self.text(name);
        text == "mul" || plain_type(text).is_some() || Builtin::function(text).is_some() || foreign::is_known(text)
    }

    /// Reports the use of a private item.
    pub(super) fn report_private(&mut self, def: Def, span: Span) {
        let source = self.source(def);
        let name = self.text(source.item.name.name);
        let module = self.files[source.file].tree.root.map_or("its file", |root| self.text(root.name.name));
        let diagnostic = Diagnostic::error(errors::PRIVATE_ITEM, span, format!("`{name}` is private to `{module}`"))
            .note_at(source.item.name.span, "defined here");
        self.report(diagnostic);
    }

    /// Whether suggestions are still looked for.
    pub(super) fn may_suggest(&self) -> bool {
        self.diagnostics.len() < MOST_SUGGESTIONS
    }

    /// The names of the definitions that a file sees and that `wanted` picks.
    pub(super) fn visible_names(&self, file: usize, wanted: impl Fn(Def) -> bool) -> Vec<&'a str> {
        let info = &self.files[file];
        if !self.may_suggest() {
            return Vec::new();
        }
        self.order
            .iter()
            .filter(|def| wanted(**def) && visible(file, info, self.source(**def)))
            .map(|def| self.text(self.source(*def).item.name.name))
            .collect()
    }
}

fn visible(file: usize, info: &FileInfo<'_>, source: Source<'_>) -> bool {
    source.file == file || source.item.private.is_none() && info.sees[source.file]
}

/// The candidate that a misspelled name most likely meant.
pub(crate) fn nearest<'n>(wrong: &str, candidates: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (wrong.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && *candidate != wrong)
        .map(|candidate| {
            let distance = if candidate.eq_ignore_ascii_case(wrong) {
                0
            } else if candidate.len().abs_diff(wrong.len()) > limit {
                usize::MAX
            } else {
                strsim::damerau_levenshtein(wrong, candidate)
            };
            (distance, candidate)
        })
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Adds ``did you mean `…`?`` where a candidate is near.
pub(super) fn suggest<'n>(
    diagnostic: Diagnostic,
    wrong: &str,
    candidates: impl IntoIterator<Item = &'n str>,
) -> Diagnostic {
    match nearest(wrong, candidates) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    }
}
