//! From text to syntax tree: [`parse`].
//!
//! ```text
//! text ─lexer─▶ tokens ─prescan─▶ pieces ─akari.pest─▶ nodes ─build─▶ ast
//!                                    └─ on error: explain (what to say), recovery (what to pass over)
//! ```

pub mod ast;
pub(crate) mod build;
pub mod codes;
#[cfg(test)]
mod dump;
mod explain;
pub(crate) mod grammar;
pub(crate) mod lexer;
pub mod names;
pub mod prelude;
pub(crate) mod prescan;
mod recovery;
#[cfg(test)]
mod tests;

use akari_ir::{Diagnostic, FileId, Severity, Span};
use bumpalo::Bump;
use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};
use rustc_hash::FxHashSet;

use ast::{File, Ident, Item};
use build::{Builder, Header, Nodes};
use grammar::{AkariParser, Rule};
pub use lexer::SPELLINGS;
use lexer::offset;
use names::Names;
use prescan::{Piece, PieceKind};

/// The longest text that is read, in bytes. It bounds the memory that reading takes.
pub const MAX_TEXT: usize = 8 << 20;

/// Syntax errors reported in one item before the rest of it is passed over.
const MAX_ERRORS_PER_ITEM: usize = 10;

/// Errors reported in one file.
const MAX_ERRORS: usize = 100;

/// How many tokens may be read again in one file to find further errors.
const MAX_REREAD: usize = 1 << 20;

/// Reads a source file.
///
/// Gives what could be read, also after errors, and the diagnostics sorted by place. Never panics, and takes time linear in
/// the length of `text`.
pub fn parse<'a>(arena: &'a Bump, names: &mut Names, file: FileId, text: &str) -> (File<'a>, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let too_large = text.len() > MAX_TEXT;
    let text = if too_large {
        let message = format!("this file is too large: it has more than {MAX_TEXT} bytes");
        diagnostics.push(Diagnostic::error(codes::TOO_LARGE, Span::new(file, 0, 0), message));
        ""
    } else {
        text
    };
    let lexed = lexer::lex(file, text, &mut diagnostics);
    let pieces = prescan::split(file, &lexed, &mut diagnostics);
    let builder = Builder::new(arena, names, file, &lexed, &mut diagnostics);
    let mut reader = Reader {
        builder,
        header: Header::default(),
        items: Vec::new(),
        lost: Vec::new(),
        lost_import: false,
        lost_root: false,
        reread: 0,
        faulty: FxHashSet::default(),
    };
    for piece in pieces {
        match piece.kind {
            PieceKind::Directive => reader.directive(&piece),
            PieceKind::Item => reader.item(&piece),
        }
    }
    let Reader { mut builder, header, items, lost, lost_import, lost_root, faulty, .. } = reader;
    if !too_large {
        builder.finish_header(&header, lost_root);
    }
    let tree = File {
        id: file,
        root: header.root,
        version: header.version,
        layout: header.layout,
        imports: arena.alloc_slice_copy(&header.imports),
        requires: arena.alloc_slice_copy(&header.requires),
        items: arena.alloc_slice_copy(&items),
        lost: arena.alloc_slice_copy(&lost),
        lost_import,
    };
    // What could not be read may well have wanted the `;` behind it.
    diagnostics.retain(|diagnostic| {
        let at = diagnostic.span.filter(|_| diagnostic.code == codes::STRAY_SEMICOLON);
        let before = at.map(|at| lexed.tokens.partition_point(|token| token.start < at.start));
        before.is_none_or(|next| !faulty.contains(&next))
    });
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.map_or((0, 0), |span| (span.start, span.end)));
    limit(&mut diagnostics);
    (tree, diagnostics)
}

/// The directives and items of a text without syntax errors, as the grammar sees them.
pub(crate) fn nodes(file: FileId, lexed: &lexer::Lexed<'_>) -> Vec<(PieceKind, Nodes)> {
    let pieces = prescan::split(file, lexed, &mut Vec::new());
    let nodes = pieces.into_iter().filter(|piece| !piece.broken).filter_map(|piece| {
        let rule = match piece.kind {
            PieceKind::Directive => Rule::lone_directive,
            PieceKind::Item => Rule::lone_item,
        };
        let pairs = AkariParser::parse(rule, &lexed.codes[piece.tokens.clone()]).ok()?;
        Some((piece.kind, Nodes::new(&pairs, |at| offset(piece.tokens.start + at))))
    });
    nodes.collect()
}

/// Drops the errors beyond the limit, and says so.
fn limit(diagnostics: &mut Vec<Diagnostic>) {
    if diagnostics.len() <= MAX_ERRORS {
        return;
    }
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    diagnostics.truncate(MAX_ERRORS);
    if let Some(span) = diagnostics.last().and_then(|last| last.span) {
        let message = format!("too many errors in this file ({errors}): the rest is not shown");
        diagnostics.push(Diagnostic::error(codes::TOO_MANY_ERRORS, span, message));
    }
}

/// Reads piece after piece.
struct Reader<'a, 's> {
    builder: Builder<'a, 's>,
    header: Header,
    items: Vec<Item<'a>>,
    lost: Vec<Ident>,
    /// Whether a line that may have been meant for an `#import` could not be read.
    lost_import: bool,
    /// Whether a line that may have been meant for `#shader` or `#module` could not be read.
    lost_root: bool,
    reread: usize,
    /// The tokens behind items that could not be read as they are.
    faulty: FxHashSet<usize>,
}

impl<'a> Reader<'a, '_> {
    fn directive(&mut self, piece: &Piece) {
        let lexed = self.builder.lexed;
        let first = piece.tokens.start;
        match AkariParser::parse(Rule::lone_directive, &lexed.codes[piece.tokens.clone()]) {
            Ok(pairs) => {
                let nodes = Nodes::new(&pairs, |at| offset(first + at));
                if nodes.root().is_none_or(|root| self.builder.directive(root, &mut self.header).is_err()) {
                    self.lost_root = true;
                }
            }
            Err(error) => {
                let (at, expected) = failure(&error);
                let diagnostic =
                    explain::directive(self.builder.file, lexed, piece.tokens.clone(), first + at, &expected);
                self.builder.diagnostics.push(diagnostic);
                self.lost_root = true;
                match lexed.text_at(first + 1) {
                    "define" => self.lose_name(first + 2),
                    "include" | "use" | "using" => self.lost_import = true,
                    word if strsim::damerau_levenshtein(word, "import") <= 2 => self.lost_import = true,
                    _ => {}
                }
            }
        }
    }

    fn item(&mut self, piece: &Piece) {
        let lexed = self.builder.lexed;
        let first = piece.tokens.start;
        if self.header.first_item.is_none() {
            let token = lexed.tokens[first];
            self.header.first_item = Some(Span::new(self.builder.file, token.start, token.end));
        }
        if piece.broken {
            self.faulty.insert(piece.tokens.end);
            self.lose(piece);
            return;
        }
        let error = match AkariParser::parse(Rule::lone_item, &lexed.codes[piece.tokens.clone()]) {
            Ok(pairs) => {
                let nodes = Nodes::new(&pairs, |at| offset(first + at));
                self.build(piece, &nodes, true);
                return;
            }
            Err(error) => error,
        };
        // The name behind a block of another language, as in `uniform B { … } name;`: the block has been told.
        let rest = self.faulty.contains(&first)
            && lexed.tokens[first].is_name()
            && !lexed.starts_line(first)
            && lexed.text_at(first + 1) == ";";
        self.faulty.insert(piece.tokens.end);
        if rest {
            self.lose_name(first);
            return;
        }
        self.reread(piece, &error);
    }

    /// Reads an item with a syntax error again and again, each time without the parts that were found faulty.
    fn reread(&mut self, piece: &Piece, error: &pest::error::Error<Rule>) {
        let lexed = self.builder.lexed;
        let mut failed = failure(error);
        // The tokens that are left.
        let mut tokens: Vec<u32> = piece.tokens.clone().map(offset).collect();
        for errors in 1.. {
            let (at, expected) = failed;
            let fault = tokens.get(at).map_or(piece.tokens.end, |&token| token as usize);
            // Behind a block without braces, which has been told, the `else` stands alone.
            let loose_else = errors > 1 && lexed.text_at(fault) == "else";
            if !lexed.bad_before(fault) && !loose_else {
                self.builder.diagnostics.push(explain::item(
                    self.builder.file,
                    lexed,
                    piece.tokens.clone(),
                    fault,
                    &expected,
                ));
            }
            self.reread += piece.tokens.len();
            let part = recovery::faulty_part(lexed, piece.tokens.clone(), fault);
            let (Some(part), true) = (part, errors < MAX_ERRORS_PER_ITEM && self.reread < MAX_REREAD) else { break };
            let before = tokens.len();
            tokens.retain(|&token| !part.contains(&(token as usize)));
            if tokens.len() == before {
                break;
            }
            let codes: String = tokens.iter().map(|&token| char::from(lexed.tokens[token as usize].code)).collect();
            failed = match AkariParser::parse(Rule::lone_item, &codes) {
                Ok(pairs) => {
                    let nodes = Nodes::new(&pairs, |at| tokens.get(at).copied().unwrap_or(offset(piece.tokens.end)));
                    self.build(piece, &nodes, false);
                    return;
                }
                Err(error) => failure(&error),
            };
        }
        self.lose(piece);
    }

    fn build(&mut self, piece: &Piece, nodes: &Nodes, intact: bool) {
        match nodes.root().map(|root| self.builder.item(root, intact)) {
            Some(Ok(item)) => self.items.push(item),
            Some(Err(_)) | None => self.lose(piece),
        }
    }

    /// Notes the names that an item which could not be read may have declared, also where it is written as in another language.
    fn lose(&mut self, piece: &Piece) {
        let lexed = self.builder.lexed;
        let word = piece.tokens.start;
        if matches!(lexed.text_at(word), "import" | "include" | "use" | "using") {
            self.lost_import = true;
        }
        let keyword = piece
            .tokens
            .clone()
            .find(|&index| matches!(lexed.text_at(index), "fn" | "struct" | "enum" | "bitfield" | "const" | "let"));
        if let Some(keyword) = keyword {
            self.lose_name(keyword + 1);
        }
        if keyword.is_some_and(|keyword| !matches!(lexed.text_at(keyword), "const" | "let")) {
            return;
        }
        // The members of these are named without the block.
        let open_block = matches!(lexed.text_at(word), "cbuffer" | "tbuffer" | "uniform" | "buffer" | "layout");
        let mut depth = 0_usize;
        for index in piece.tokens.clone() {
            match lexed.text_at(index) {
                "{" if depth == 0 && open_block => {}
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {
                    let declares = matches!(lexed.text_at(index + 1), "=" | ";" | "(" | "[" | "{" | ":" | ",");
                    if depth == 0 && declares && lexed.tokens[index].is_name() {
                        self.lose_name(index);
                    }
                }
            }
        }
    }

    /// Notes that the token at `index` is a name which may have been declared.
    fn lose_name(&mut self, index: usize) {
        let lexed = self.builder.lexed;
        if let Some(token) = lexed.tokens.get(index)
            && token.is_word()
        {
            let name = self.builder.names.intern(lexed.token_text(*token));
            self.lost.push(Ident { name, span: Span::new(self.builder.file, token.start, token.end) });
        }
    }
}

/// Where the grammar gave up, and what it would have taken there; nothing expected means that the stack would not do.
fn failure(error: &pest::error::Error<Rule>) -> (usize, Vec<Rule>) {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => (at, positives.clone()),
        ErrorVariant::CustomError { .. } => (at, Vec::new()),
    }
}
