//! Directives, and what a whole file must and must not have of them.

use akari_ir::{Diagnostic, Span};

use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

use super::{Abandoned, Builder, Built, Children, Node, Rule, codes};
use crate::syntax::ast::{FileKind, Ident, Root, Version};
use crate::syntax::names::Name;

/// The directives of a file, as far as they have been read.
#[derive(Default)]
pub(crate) struct Header {
    pub(crate) root: Option<Root>,
    pub(crate) version: Option<Version>,
    pub(crate) layout: Option<Ident>,
    pub(crate) imports: Vec<Ident>,
    /// Where each module is first imported.
    imported: FxHashMap<Name, Span>,
    /// The `#import` line.
    pub(crate) import_line: Option<Span>,
    pub(crate) requires: Vec<Ident>,
    /// Where the first item began, once it has.
    pub(crate) first_item: Option<Span>,
}

/// The only version of the syntax.
const VERSION: u64 = 2;

impl Builder<'_, '_> {
    /// Reads a [`Rule::lone_directive`] into `header`.
    pub(crate) fn directive(&mut self, node: Node<'_>, header: &mut Header) -> Built<()> {
        let mut outer = Children::of(node);
        let directive = outer.expect()?;
        let span = self.span(directive);
        if let Some(semicolon) = outer.take_if(Rule::semicolon) {
            let span = self.span(semicolon);
            self.report(Diagnostic::warning(codes::DIRECTIVE_WITH_SEMICOLON, span, "a directive takes no `;`"));
        }
        let directive = Children::of(directive).expect()?;
        let rule = directive.as_rule();
        if let (Some(item), false) = (header.first_item, rule == Rule::require_directive) {
            let error =
                Diagnostic::error(codes::LATE_DIRECTIVE, span, "this directive must stand before the first item");
            self.report(error.note_at(item, "the first item is"));
        }
        let mut children = Children::of(directive);
        children.expect()?;
        match rule {
            Rule::shader_directive | Rule::module_directive => {
                let name = self.ident(children.expect()?);
                let kind = if rule == Rule::shader_directive { FileKind::Shader } else { FileKind::Module };
                match header.root {
                    Some(root) => self.repeated(span, root.span, "a file has one `#shader` or `#module` line"),
                    None => header.root = Some(Root { kind, name, span }),
                }
            }
            Rule::version_directive => {
                let number = children.expect()?;
                let number_span = self.span(number);
                let value = self.text(number).parse::<u64>().ok();
                if value != Some(VERSION) {
                    let message = format!("unknown version: this compiler reads version {VERSION}");
                    self.error(codes::UNKNOWN_VERSION, number_span, message);
                }
                let number = value.and_then(|value| u32::try_from(value).ok()).unwrap_or(u32::MAX);
                match header.version {
                    Some(version) => self.repeated(span, version.span, "a file has one `#version` line"),
                    None => header.version = Some(Version { number, span: number_span }),
                }
            }
            Rule::layout_directive => {
                let name = self.ident(children.expect()?);
                match header.layout {
                    Some(layout) => self.repeated(span, layout.span, "a file has one `#layout` line"),
                    None => header.layout = Some(name),
                }
            }
            Rule::import_directive => {
                match header.import_line {
                    Some(first) => self.repeated(span, first, "a file has one `#import` line, which names all modules"),
                    None => header.import_line = Some(span),
                }
                for name in children {
                    let name = self.ident(name);
                    match header.imported.entry(name.name) {
                        Entry::Occupied(earlier) => {
                            let message = format!("`{}` is imported twice", self.names.text(name.name));
                            let warning = Diagnostic::warning(codes::REPEATED_IMPORT, name.span, message);
                            self.report(warning.note_at(*earlier.get(), "it is first imported"));
                        }
                        Entry::Vacant(place) => {
                            place.insert(name.span);
                            header.imports.push(name);
                        }
                    }
                }
            }
            Rule::require_directive => {
                for name in children {
                    header.requires.push(self.ident(name));
                }
            }
            _ => return Err(Abandoned),
        }
        Ok(())
    }

    fn repeated(&mut self, span: Span, first: Span, message: &str) {
        self.report(Diagnostic::error(codes::REPEATED_DIRECTIVE, span, message).note_at(first, "the first one is"));
    }

    /// Checks what only the whole file shows.
    pub(crate) fn finish_header(&mut self, header: &Header, lost_root: bool) {
        match header.root {
            None if !lost_root => {
                let start = self
                    .lexed
                    .tokens
                    .first()
                    .map_or(Span::new(self.file, 0, 0), |token| Span::new(self.file, token.start, token.end));
                let message = "missing `#shader name` or `#module name`";
                let help = "the file of a package begins with `#shader name`, that of a module with `#module name`";
                self.report(Diagnostic::error(codes::MISSING_ROOT, start, message).help(help));
            }
            Some(root) if root.kind == FileKind::Module => {
                if let Some(layout) = header.layout {
                    let error = Diagnostic::error(codes::BAD_DIRECTIVE, layout.span, "a module has no `#layout`");
                    self.report(error.help("the packages that import it have one each"));
                }
            }
            None | Some(_) => {}
        }
    }
}
