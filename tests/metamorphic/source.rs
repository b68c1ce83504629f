//! A program as text with its syntax tree and the types of its expressions, and changes to the text.

use std::collections::HashMap;

use akari::sema::program::FileInfo;
use akari::sema::tree::{ExprKind as Typed, LocalKind};
use akari::sema::types::TyKind;
use akari::source::SourceMap;
use akari::syntax::ast::{Arg, Block, Expr, ExprKind, File, Function, Item, ItemKind, Stmt, StmtKind, StructRest};
use akari::syntax::names::{Name, Names};
use akari::{sema, syntax};
use akari_ir::Span;
use bumpalo::Bump;

/// What is known of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// Its type as one would write it.
    pub(crate) ty: String,
    /// Whether it can be kept in a `let`: it is no resource.
    pub(crate) is_value: bool,
    /// Whether its type depends on parameters of the function around.
    pub(crate) is_open: bool,
    /// Whether all threads of a group share it.
    pub(crate) is_shared: bool,
    /// Whether it is a parameter or variable of the function alone.
    pub(crate) is_local: bool,
}

/// A program.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) file: File<'a>,
    names: &'a Names,
    /// By place; nothing for programs with imports.
    known: HashMap<(u32, u32), Known>,
    /// The functions of the program.
    pub(crate) functions: Vec<String>,
}

/// A part of what a piece of text is replaced by.
pub(crate) enum Piece {
    Text(String),
    /// Text of the program, with the changes inside it.
    Of(Span),
}

/// A replacement.
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) pieces: Vec<Piece>,
}

impl Edit {
    pub(crate) fn text(span: Span, text: impl Into<String>) -> Self {
        Self { span, pieces: vec![Piece::Text(text.into())] }
    }

    pub(crate) fn before(at: u32, file: akari_ir::FileId, text: impl Into<String>) -> Self {
        Self::text(Span::new(file, at, at), text)
    }
}

/// Reads a program and has something done with it; nothing where it is wrong.
pub(crate) fn with_source<R>(text: &str, work: impl FnOnce(&Source<'_>) -> R) -> Option<R> {
    let mut sources = SourceMap::new();
    let id = sources.add("metamorphic.akari", text.as_bytes().to_vec()).ok()?;
    let arena = Bump::new();
    let mut names = Names::new();
    let (file, diagnostics) = syntax::parse(&arena, &mut names, id, text);
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == akari_ir::Severity::Error) {
        return None;
    }
    let mut known = HashMap::new();
    if file.imports.is_empty() {
        let (program, _) = sema::check(&names, vec![FileInfo { tree: file, sees: vec![true], incomplete: false }]);
        for function in &program.functions {
            for expr in function.body.exprs() {
                let kind = program.kind(expr.ty);
                let is_value = !matches!(kind, TyKind::Error | TyKind::Nothing | TyKind::Function(_))
                    && !kind.is_handle()
                    && !matches!(kind, TyKind::Struct(id) if program.structs[id.index()].leaves > 0);
                let ty = program.show(expr.ty);
                let is_open = ty
                    .split_once('[')
                    .is_some_and(|(_, lengths)| lengths.contains(|c: char| c.is_alphabetic() || c == '…'));
                let local = match expr.kind {
                    Typed::Local(id) => Some(function.body.local(id).kind),
                    _ => None,
                };
                // A borrowed array may be that of the group.
                let is_borrowed =
                    matches!(local, Some(LocalKind::Ref | LocalKind::Inout)) && matches!(kind, TyKind::Array(..));
                let is_shared = local == Some(LocalKind::Groupshared) || is_borrowed;
                let of = Known { ty, is_value, is_open, is_shared, is_local: local.is_some() && !is_shared };
                // What it is before it is converted to what is wanted.
                known.entry((expr.span.start, expr.span.end)).or_insert(of);
            }
        }
    }
    let functions = file.items.iter().filter(|item| matches!(item.kind, ItemKind::Fn(_) | ItemKind::Instance(_)));
    let functions = functions.map(|item| names.text(item.name.name).to_owned()).collect();
    Some(work(&Source { text, file, names: &names, known, functions }))
}

impl<'a> Source<'a> {
    pub(crate) fn name(&self, name: Name) -> &'a str {
        self.names.text(name)
    }

    pub(crate) fn at(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    pub(crate) fn known(&self, expr: &Expr<'_>) -> Option<&Known> {
        self.known.get(&(expr.span.start, expr.span.end))
    }

    /// Whether something runs an item as a stage of its own.
    pub(crate) fn is_entry(&self, item: &Item<'_>) -> bool {
        let stages = ["vertex", "fragment", "compute"];
        let has_stage =
            |item: &Item<'_>| item.attributes.iter().any(|attribute| stages.contains(&self.name(attribute.name.name)));
        match item.kind {
            ItemKind::Instance(instance) => {
                self.file.items.iter().any(|other| other.name.name == instance.template.name && has_stage(other))
            }
            _ => has_stage(item),
        }
    }

    /// Whether a function takes something at compile time.
    pub(crate) fn is_template(&self, function: &Function<'_>) -> bool {
        function.params.iter().any(|param| {
            let ty = param.ty.map_or("", |ty| self.at(ty.span));
            param.is_const.is_some() || param.optional.is_some() || ty.starts_with("fn")
        })
    }

    /// Whether there are templates. Conditions in them fold, and what they drop is not to be kept.
    pub(crate) fn has_templates(&self) -> bool {
        self.file.items.iter().any(|item| matches!(item.kind, ItemKind::Fn(function) if self.is_template(&function)))
    }

    /// The bodies of all functions.
    pub(crate) fn bodies(&self) -> Vec<Block<'a>> {
        let body = |item: &akari::syntax::ast::Item<'a>| match item.kind {
            ItemKind::Fn(function) => Some(function.body),
            _ => None,
        };
        self.file.items.iter().filter_map(body).collect()
    }

    /// All statements, those of blocks in statements included.
    pub(crate) fn statements(&self) -> Vec<Stmt<'a>> {
        let mut found = Vec::new();
        for body in self.bodies() {
            collect(body.stmts, &mut found);
        }
        found
    }

    /// The statements of a list, those of blocks in them included.
    pub(crate) fn within(&self, stmts: &[Stmt<'a>]) -> Vec<Stmt<'a>> {
        let mut found = Vec::new();
        collect(stmts, &mut found);
        found
    }

    /// The text with the changes made.
    pub(crate) fn edited(&self, mut edits: Vec<Edit>) -> String {
        edits.sort_by_key(|edit| (edit.span.start, std::cmp::Reverse(edit.span.end)));
        let mut result = String::new();
        self.render(0, self.text.len() as u32, &edits, 0, &mut result);
        result
    }

    /// The text of a range, with the changes from number `first` on that lie in it.
    fn render(&self, start: u32, end: u32, edits: &[Edit], first: usize, result: &mut String) {
        let mut at = start;
        for (index, edit) in edits.iter().enumerate().skip(first) {
            if edit.span.start < at || edit.span.end > end || edit.span.start > end {
                continue;
            }
            result.push_str(&self.text[at as usize..edit.span.start as usize]);
            for piece in &edit.pieces {
                match piece {
                    Piece::Text(text) => result.push_str(text),
                    Piece::Of(span) => self.render(span.start, span.end, edits, index + 1, result),
                }
            }
            at = edit.span.end;
        }
        result.push_str(&self.text[at as usize..end as usize]);
    }
}

fn collect<'a>(stmts: &[Stmt<'a>], found: &mut Vec<Stmt<'a>>) {
    for stmt in stmts {
        found.push(*stmt);
        match stmt.kind {
            StmtKind::If(conditional) => {
                conditional.arms.iter().for_each(|arm| collect(arm.body.stmts, found));
                conditional.otherwise.iter().for_each(|block| collect(block.stmts, found));
            }
            StmtKind::For(loop_) => collect(loop_.body.stmts, found),
            StmtKind::While(loop_) | StmtKind::DoWhile(loop_) => collect(loop_.body.stmts, found),
            StmtKind::Switch(switch) => switch.cases.iter().for_each(|case| collect(case.stmts, found)),
            StmtKind::Block(block) => collect(block.stmts, found),
            StmtKind::Local(_)
            | StmtKind::Ignore(_)
            | StmtKind::Assign(_)
            | StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Discard => {}
        }
    }
}

/// The expressions that an expression is made of.
pub(crate) fn operands<'a>(expr: &Expr<'a>) -> Vec<&'a Expr<'a>> {
    let arguments = |args: &'a [Arg<'a>]| args.iter().map(|arg| arg.value);
    match expr.kind {
        ExprKind::Literal(_) | ExprKind::Name(_) | ExprKind::None | ExprKind::SizeOf(_) | ExprKind::OffsetOf { .. } => {
            Vec::new()
        }
        ExprKind::Closure(_) => Vec::new(),
        ExprKind::Unary { operand, .. } | ExprKind::IncDec { operand, .. } | ExprKind::Cast { operand, .. } => {
            vec![operand]
        }
        ExprKind::Infix { first, rest } => std::iter::once(first).chain(rest.iter().map(|part| part.operand)).collect(),
        ExprKind::Conditional { condition, yes, no } => vec![condition, yes, no],
        ExprKind::Call { args, .. } => arguments(args).collect(),
        ExprKind::MethodCall { receiver, args, .. } => std::iter::once(receiver).chain(arguments(args)).collect(),
        ExprKind::Field { base, .. } => vec![base],
        ExprKind::Index { base, index } => vec![base, index],
        ExprKind::StructLiteral { fields, rest, .. } => {
            let base = rest.and_then(|StructRest { base, .. }| base);
            fields.iter().map(|field| field.value).chain(base).collect()
        }
        ExprKind::ArrayList(parts) => parts.iter().collect(),
        ExprKind::ArrayRepeat { value, .. } => vec![value],
    }
}
