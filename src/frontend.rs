//! The front half of the compiler: from a root file and the modules it imports to a module of the `akari` dialect.

use akari_ir::{Diagnostic, FileId, Module, Severity, Span};
use bumpalo::Bump;
use rustc_hash::FxHashMap;

use crate::driver;
use crate::lower;
use crate::render;
use crate::sema::declarations::Declarations;
use crate::sema::{self, errors, program::FileInfo};
use crate::source::SourceMap;
use crate::syntax;
use crate::syntax::ast::{File, FileKind, Ident};
use crate::syntax::names::{Name, Names};

/// What was found for the name of a module.
#[derive(Debug)]
pub enum Found {
    /// This file.
    File(FileId),
    /// No import directory has it.
    Nowhere,
    /// A file that is no text; the diagnostic points into it.
    Unreadable(Diagnostic),
    /// A file that could not be read, and why.
    Failed(String),
}

/// What became of a program.
#[derive(Debug)]
pub struct Compiled {
    /// The program; none after errors.
    pub module: Option<Module>,
    /// What the root's `#shader` or `#module` line calls it.
    pub name: String,
    /// The root's `#layout`.
    pub layout: Option<String>,
    /// What the program declares beside what is in the module; nothing after errors.
    pub declarations: Declarations,
    /// What there is to say, by place: errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Compiled {
    /// What there is to say of the program, by place, when nothing is to be made of it: what the passes find too that every platform
    /// begins with. (After errors this has been looked for already.)
    #[must_use]
    pub fn check(&self) -> Vec<Diagnostic> {
        let mut diagnostics = self.diagnostics.clone();
        diagnostics.extend(self.module.clone().map(driver::check).into_iter().flatten());
        render::sort(&mut diagnostics);
        diagnostics
    }
}

/// Reads, checks and lowers the program of a root file. `find` gives the file of an imported module; it is asked once for each
/// name.
pub fn compile(root: FileId, sources: &mut SourceMap, find: &mut dyn FnMut(&str, &mut SourceMap) -> Found) -> Compiled {
    let arena = Bump::new();
    let mut names = Names::new();
    let mut loader = Loader {
        arena: &arena,
        names: &mut names,
        sources,
        find,
        files: Vec::new(),
        known: FxHashMap::default(),
        diagnostics: Vec::new(),
    };
    loader.root(root);
    let Loader { files, mut diagnostics, .. } = loader;
    let tree = files.last().map(|file| file.tree);
    let name = tree.and_then(|tree| tree.root).map_or(String::new(), |root| names.text(root.name.name).to_owned());
    let layout = tree.and_then(|tree| tree.layout).map(|layout| names.text(layout.name).to_owned());
    let (program, found) = sema::check(&names, files);
    diagnostics.extend(found);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.file, span.start, span.end)));
    let is_wrong = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let declarations = if is_wrong { Declarations::default() } else { Declarations::of(&program) };
    let module = if is_wrong {
        // What is right may still hold errors that only the passes see.
        let found = lower::sound_part(program, &diagnostics).map(driver::check);
        diagnostics.extend(found.into_iter().flatten());
        render::sort(&mut diagnostics);
        None
    } else {
        Some(lower::lower(program))
    };
    Compiled { module, name, layout, declarations, diagnostics }
}

/// How far a module has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Its imports are being read: importing it now is a cycle.
    Open,
    /// Read; its position among the files.
    Done(usize),
    /// Not to be had, which has been reported.
    Missing,
}

struct Loader<'a, 's> {
    arena: &'a Bump,
    names: &'s mut Names,
    sources: &'s mut SourceMap,
    find: &'s mut dyn FnMut(&str, &mut SourceMap) -> Found,
    /// Imported files before those that import them.
    files: Vec<FileInfo<'a>>,
    known: FxHashMap<Name, Progress>,
    diagnostics: Vec<Diagnostic>,
}

/// A file whose imports are being read.
struct Open<'a> {
    tree: File<'a>,
    /// The name it was imported under; none for the root.
    name: Option<Name>,
    /// How many of its imports have been followed.
    followed: usize,
    /// The positions of the files it imports.
    imports: Vec<usize>,
    /// Whether one of its imports is not to be had.
    misses: bool,
}

impl<'a> Loader<'a, '_> {
    fn parse(&mut self, file: FileId) -> File<'a> {
        let text = self.sources.file(file).map_or("", |file| file.text());
        let (tree, diagnostics) = syntax::parse(self.arena, self.names, file, text);
        self.diagnostics.extend(diagnostics);
        tree
    }

    /// Reads the root and all that it imports, depth first, without recursion: chains of imports may be long.
    fn root(&mut self, root: FileId) {
        let tree = self.parse(root);
        // A module that imports its own importer is a cycle, also where the importer is the root.
        let own_name = tree.root.filter(|root| root.kind == FileKind::Module).map(|root| root.name.name);
        if let Some(name) = own_name {
            self.known.insert(name, Progress::Open);
        }
        let mut stack = vec![Open { tree, name: own_name, followed: 0, imports: Vec::new(), misses: false }];
        while let Some(top) = stack.last_mut() {
            let Some(import) = top.tree.imports.get(top.followed).copied() else {
                self.close(&mut stack);
                continue;
            };
            top.followed += 1;
            match self.known.get(&import.name) {
                Some(Progress::Done(index)) => top.imports.push(*index),
                Some(Progress::Missing) => top.misses = true,
                Some(Progress::Open) => {
                    top.misses = true;
                    let diagnostic = self.cycle(&stack, import);
                    self.diagnostics.push(diagnostic);
                }
                None => match self.import(import) {
                    Some(tree) => {
                        self.known.insert(import.name, Progress::Open);
                        stack.push(Open {
                            tree,
                            name: Some(import.name),
                            followed: 0,
                            imports: Vec::new(),
                            misses: false,
                        });
                    }
                    None => {
                        if let Some(top) = stack.last_mut() {
                            top.misses = true;
                        }
                        self.known.insert(import.name, Progress::Missing);
                    }
                },
            }
        }
    }

    /// The topmost file has all its imports: it takes its place after them.
    fn close(&mut self, stack: &mut Vec<Open<'a>>) {
        let Some(open) = stack.pop() else { return };
        let index = self.files.len();
        let mut sees = vec![false; index + 1];
        sees[index] = true;
        let mut incomplete = open.misses || open.tree.lost_import;
        for import in open.imports {
            incomplete |= self.files[import].incomplete;
            for (seen, sees_it) in self.files[import].sees.iter().enumerate() {
                sees[seen] |= sees_it;
            }
        }
        self.files.push(FileInfo { tree: open.tree, sees, incomplete });
        if let Some(name) = open.name {
            self.known.insert(name, Progress::Done(index));
        }
        if let Some(importer) = stack.last_mut() {
            importer.imports.push(index);
        }
    }

    fn import(&mut self, import: Ident) -> Option<File<'a>> {
        let name = self.names.text(import.name).to_owned();
        let file = match (self.find)(&name, self.sources) {
            Found::File(file) => file,
            Found::Nowhere => {
                let message = format!("there is no module `{name}` in the import directories");
                self.diagnostics.push(Diagnostic::error(errors::MISSING_MODULE, import.span, message));
                return None;
            }
            Found::Failed(reason) => {
                let message = format!("the module `{name}` cannot be read: {reason}");
                self.diagnostics.push(Diagnostic::error(errors::MISSING_MODULE, import.span, message));
                return None;
            }
            Found::Unreadable(diagnostic) => {
                self.diagnostics.push(diagnostic.note_at(import.span, format!("`{name}` is imported here")));
                return None;
            }
        };
        let tree = self.parse(file);
        match tree.root {
            Some(root) if root.kind == FileKind::Shader => {
                let message = format!("`{name}` is a `#shader`, and only a `#module` can be imported");
                let diagnostic = Diagnostic::error(errors::CONTRADICTING_MODULE, import.span, message)
                    .note_at(root.span, "its first line");
                self.diagnostics.push(diagnostic);
                None
            }
            Some(root) if root.name.name != import.name => {
                let own = self.names.text(root.name.name);
                let message = format!("the file of the module `{name}` calls itself `{own}`");
                let diagnostic = Diagnostic::error(errors::CONTRADICTING_MODULE, import.span, message)
                    .note_at(root.name.span, "here");
                self.diagnostics.push(diagnostic);
                None
            }
            _ => Some(tree),
        }
    }

    fn cycle(&self, stack: &[Open<'a>], import: Ident) -> Diagnostic {
        let from = stack.iter().position(|open| open.name == Some(import.name)).unwrap_or(0);
        let chain: Vec<String> = stack[from..]
            .iter()
            .filter_map(|open| open.name)
            .chain([import.name])
            .map(|name| format!("`{}`", self.names.text(name)))
            .collect();
        let message = format!("an import cycle: {}", chain.join(" imports "));
        // Told where the program enters the circle, if that is not the circle itself.
        let followed = |open: &Open<'a>| open.tree.imports.get(open.followed.wrapping_sub(1)).map(|import| import.span);
        let entered: Option<Span> = from.checked_sub(1).and_then(|before| followed(&stack[before]));
        let diagnostic = Diagnostic::error(errors::IMPORT_CYCLE, entered.unwrap_or(import.span), message);
        if entered.is_some() { diagnostic.note_at(import.span, "the import that closes it") } else { diagnostic }
    }
}
