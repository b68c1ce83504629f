//! Changes to a program that must not change what it does.

use akari::syntax::ast::{Expr, ExprKind, InfixOp, ItemKind, Literal, LocalKind, Stmt, StmtKind, UnaryOp};
use akari_harness::fuzz::random::Random;
use akari_ir::Span;

use super::source::{Edit, Piece, Source, operands, with_source};
use super::{compile_time, tokens};

/// A changed program, and modules that it imports by name.
pub(crate) struct Rewritten {
    pub(crate) text: String,
    pub(crate) modules: Vec<(String, String)>,
}

/// A kind of change.
pub(crate) struct Rewrite {
    pub(crate) name: &'static str,
    /// Whether the text for other compilers stays what it is, byte for byte.
    pub(crate) keeps_text: bool,
    change: fn(&Source<'_>, &mut Random) -> Option<Rewritten>,
}

impl Rewrite {
    /// The changed program; nothing where there is nothing to change.
    pub(crate) fn of(&self, text: &str, random: &mut Random) -> Option<Rewritten> {
        with_source(text, |source| (self.change)(source, random))?.filter(|rewritten| rewritten.text != text)
    }
}

/// All kinds of changes.
pub(crate) const ALL: &[Rewrite] = &[
    Rewrite {
        name: "comments and blanks",
        keeps_text: true,
        change: |source, random| only(tokens::respaced(source, random)),
    },
    Rewrite { name: "unused items", keeps_text: true, change: |source, _| only(unused_items(source)) },
    Rewrite { name: "other names", keeps_text: false, change: |source, random| only(tokens::renamed(source, random)) },
    Rewrite { name: "items reordered", keeps_text: false, change: |source, random| only(reordered(source, random)) },
    Rewrite { name: "items in a module", keeps_text: false, change: |source, _| in_a_module(source) },
    Rewrite { name: "ifs negated", keeps_text: false, change: |source, _| only(source.edited(negated(source))) },
    Rewrite { name: "for as while", keeps_text: false, change: |source, _| only(source.edited(loops(source))) },
    Rewrite { name: "expressions split", keeps_text: false, change: |source, _| only(source.edited(split(source))) },
    Rewrite { name: "helper functions", keeps_text: false, change: |source, random| only(wrapped(source, random)) },
    Rewrite {
        name: "literals named",
        keeps_text: false,
        change: |source, random| only(literals_named(source, random)),
    },
    Rewrite {
        name: "constants inlined",
        keeps_text: false,
        change: |source, _| only(source.edited(constants_inlined(source))),
    },
    Rewrite {
        name: "dead statements",
        keeps_text: false,
        change: |source, _| only(source.edited(dead_statements(source))),
    },
    Rewrite {
        name: "values in closures",
        keeps_text: false,
        change: |source, random| only(compile_time::values_in_closures(source, random)),
    },
    Rewrite {
        name: "statements in closures",
        keeps_text: false,
        change: |source, random| only(compile_time::statements_in_closures(source, random)),
    },
    Rewrite {
        name: "entries as instances",
        keeps_text: false,
        change: |source, random| only(compile_time::entries_as_instances(source, random)),
    },
    Rewrite {
        name: "literals as parameters",
        keeps_text: false,
        change: |source, random| only(compile_time::literals_as_parameters(source, random)),
    },
    Rewrite {
        name: "optional resources",
        keeps_text: false,
        change: |source, random| only(compile_time::optional_resources(source, random)),
    },
    Rewrite {
        name: "package bindings",
        keeps_text: false,
        change: |source, random| only(compile_time::package_bindings(source, random)),
    },
];

fn only(text: String) -> Option<Rewritten> {
    Some(Rewritten { text, modules: Vec::new() })
}

const UNUSED: &str = "
struct UnusedStruct { a: float; b: uint[3]; }
const UNUSED_TABLE: uint[3] = [1u, 2u, 3u];
enum UnusedEnum: uint { UnusedFirst, UnusedSecond = 7u, }
fn unused_function(a: UnusedStruct, b: inout float) -> float {
    b += a.a * float(UNUSED_TABLE[a.b[1] % 3u]);
    return b;
}
";

fn unused_items(source: &Source<'_>) -> String {
    format!("{}\n{UNUSED}", source.text)
}

/// The items with their comments, in another order; what stands between them goes with the item after it.
fn reordered(source: &Source<'_>, random: &mut Random) -> String {
    let items = source.file.items;
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return source.text.to_owned() };
    let end_of = |span: Span| span.end as usize + if source.text[span.end as usize..].starts_with(';') { 1 } else { 0 };
    let mut starts: Vec<usize> = items.iter().map(|item| end_of(item.span)).collect();
    starts.pop();
    // Comments directly before the first item stay where they are.
    starts.insert(0, first.span.start as usize);
    let mut parts: Vec<&str> =
        starts.iter().zip(items).map(|(start, item)| &source.text[*start..end_of(item.span)]).collect();
    // Directives may stand between items.
    if parts.iter().any(|part| part.lines().any(|line| line.starts_with('#'))) {
        return source.text.to_owned();
    }
    for index in (1..parts.len()).rev() {
        parts.swap(index, random.below(index + 1));
    }
    let rest = &source.text[end_of(last.span)..];
    format!("{}{}\n{rest}", &source.text[..first.span.start as usize], parts.join("\n"))
}

/// All but entries in a module.
fn in_a_module(source: &Source<'_>) -> Option<Rewritten> {
    let mut edits = Vec::new();
    let mut module = "#module moved_items\n\n".to_owned();
    if source.file.root?.kind != akari::syntax::ast::FileKind::Shader || !source.file.requires.is_empty() {
        return None;
    }
    let imports: Vec<&str> = source.file.imports.iter().map(|import| source.name(import.name)).collect();
    if !imports.is_empty() {
        module += &format!("#import {}\n", imports.join(", "));
    }
    for item in source.file.items {
        if item.private.is_some() || matches!(item.kind, ItemKind::Binding(_)) {
            return None;
        }
        if !source.is_entry(item) {
            module += source.at(item.span);
            module += if matches!(item.kind, ItemKind::Const(_) | ItemKind::Instance(_))
                && !source.at(item.span).ends_with(';')
            {
                ";\n"
            } else {
                "\n"
            };
            edits.push(Edit::text(
                item.span,
                if source.text[item.span.end as usize..].starts_with(';') { "#" } else { "" },
            ));
        }
    }
    edits.push(match source.file.imports.last() {
        Some(last) => Edit::before(last.span.end, last.span.file, ", moved_items"),
        None => {
            let root = source.file.root?.span;
            Edit::before(root.end, root.file, "\n#import moved_items")
        }
    });
    // What is left of a constant is its `;`.
    let text = source.edited(edits).replace("#;", "");
    Some(Rewritten { text, modules: vec![("moved_items".to_owned(), module)] })
}

fn negated(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in source.statements() {
        let StmtKind::If(conditional) = stmt.kind else { continue };
        let [arm] = conditional.arms else { continue };
        let mut pieces = vec![Piece::Text("if (!(".into()), Piece::Of(arm.condition.span), Piece::Text(")) ".into())];
        match conditional.otherwise {
            Some(otherwise) => pieces.push(Piece::Of(otherwise.span())),
            None => pieces.push(Piece::Text("{ }".into())),
        }
        pieces.extend([Piece::Text(" else ".into()), Piece::Of(arm.body.span())]);
        let start = arm.keyword.start;
        edits.push(Edit { span: Span::new(stmt.span.file, start, stmt.span.end), pieces });
    }
    edits
}

/// `for` as `while`, with the step at the start of every round but the first; `while` as `for`.
fn loops(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (number, stmt) in source.statements().into_iter().enumerate() {
        let text = |text: String| Piece::Text(text);
        let pieces = match stmt.kind {
            StmtKind::For(loop_) if loop_.condition.is_some() => {
                let mut pieces = vec![text("{ ".into())];
                if let Some(init) = loop_.init {
                    pieces.extend([Piece::Of(init.span), text("; ".into())]);
                }
                pieces.push(text(format!("var goes_on_{number} = false; while (true) {{ if (goes_on_{number}) {{ ")));
                if let Some(step) = loop_.step {
                    pieces.extend([Piece::Of(step.span), text(";".into())]);
                }
                pieces.push(text(format!(" }} goes_on_{number} = true; if (!(")));
                pieces.extend(loop_.condition.map(|condition| Piece::Of(condition.span)));
                pieces.extend([text(")) { break; } ".into()), Piece::Of(loop_.body.span()), text(" } }".into())]);
                pieces
            }
            StmtKind::While(loop_) => vec![
                text("for (; ".into()),
                Piece::Of(loop_.condition.span),
                text(";) ".into()),
                Piece::Of(loop_.body.span()),
            ],
            _ => continue,
        };
        edits.push(Edit { span: stmt.span, pieces });
    }
    edits
}

/// The expression that a statement evaluates first and once, where others may be put before the statement.
pub(super) fn evaluated_first<'a>(source: &Source<'_>, stmt: &Stmt<'a>) -> Option<&'a Expr<'a>> {
    match stmt.kind {
        StmtKind::Local(local) if local.kind != LocalKind::Const => local.init,
        StmtKind::Ignore(value) | StmtKind::Return(Some(value)) => Some(value),
        StmtKind::Assign(assign) if assign.op.is_none() && matches!(assign.target.kind, ExprKind::Name(_)) => {
            Some(assign.value)
        }
        StmtKind::If(conditional) => conditional.arms.first().map(|arm| arm.condition),
        StmtKind::Switch(switch) => Some(switch.value),
        StmtKind::Local(_)
        | StmtKind::Assign(_)
        | StmtKind::Return(None)
        | StmtKind::Expr(_)
        | StmtKind::For(_)
        | StmtKind::While(_)
        | StmtKind::DoWhile(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Discard
        | StmtKind::Block(_) => None,
    }
    .filter(|value| source.known(value).is_some())
}

/// The statements of `for` headers stand in no list of statements, so that nothing goes before them: they are not among these.
fn split(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut number = 0;
    for stmt in source.statements() {
        let Some(value) = evaluated_first(source, &stmt) else { continue };
        let mut lets = String::new();
        let Some(text) = flat(source, value, &mut lets, &mut number, 0) else { continue };
        if !lets.is_empty() {
            edits.push(Edit::before(stmt.span.start, stmt.span.file, lets));
            edits.push(Edit::text(value.span, text));
        }
    }
    edits
}

/// An expression of names and literals, after the `let`s of its parts; nothing where a part has no type to write.
fn flat(source: &Source<'_>, expr: &Expr<'_>, lets: &mut String, number: &mut u32, depth: u32) -> Option<String> {
    let mut part = |inner: &Expr<'_>| -> Option<String> {
        if matches!(inner.kind, ExprKind::Literal(_)) {
            return Some(source.at(inner.span).to_owned());
        }
        let known = source.known(inner)?;
        if !known.is_value {
            return Some(source.at(inner.span).to_owned());
        }
        let (ty, value) = (known.ty.clone(), flat(source, inner, lets, number, depth + 1)?);
        *number += 1;
        lets.push_str(&format!("let split_{number}: {ty} = {value}; "));
        Some(format!("split_{number}"))
    };
    let whole = || Some(source.at(expr.span).to_owned());
    if depth > 6 {
        return whole();
    }
    match expr.kind {
        ExprKind::Infix { first, rest }
            if !rest.iter().any(|operand| matches!(operand.op, InfixOp::And | InfixOp::Or)) =>
        {
            let mut text = format!("({}", part(first)?);
            let mut end = first.span.end;
            for operand in rest {
                let operator = &source.text[end as usize..operand.operand.span.start as usize];
                text += operator;
                text += &part(operand.operand)?;
                end = operand.operand.span.end;
            }
            Some(text + ")")
        }
        ExprKind::Unary { operand, op_span, .. } if !matches!(operand.kind, ExprKind::Literal(_)) => {
            Some(format!("({}{})", source.at(op_span), part(operand)?))
        }
        ExprKind::Cast { operand, ty } if !matches!(operand.kind, ExprKind::Literal(_)) => {
            Some(format!("({} as {})", part(operand)?, source.at(ty.span)))
        }
        ExprKind::Conditional { condition, yes, no } => {
            Some(format!("({} ? {} : {})", part(condition)?, source.at(yes.span), source.at(no.span)))
        }
        ExprKind::Call { callee, args } => {
            let ExprKind::Name(name) = callee.kind else { return whole() };
            let name = source.name(name);
            let is_user = source.known(callee).is_some() || source.functions.iter().any(|function| function == name);
            if is_user || name.starts_with("atomic_") {
                return whole();
            }
            let parts: Option<Vec<String>> = args
                .iter()
                .map(|arg| {
                    let label = arg.name.map_or(String::new(), |name| format!("{}: ", source.name(name.name)));
                    Some(label + &part(arg.value)?)
                })
                .collect();
            Some(format!("{name}({})", parts?.join(", ")))
        }
        _ => whole(),
    }
}

/// Parts of expressions that become functions of what they name.
fn wrapped(source: &Source<'_>, random: &mut Random) -> String {
    let mut edits = Vec::new();
    let mut helpers = String::new();
    for stmt in source.statements() {
        if source.has_templates() && matches!(stmt.kind, StmtKind::If(_) | StmtKind::Switch(_)) {
            continue;
        }
        let mut pending: Vec<&Expr<'_>> = Vec::new();
        pending.extend(evaluated_first(source, &stmt));
        if let StmtKind::Assign(assign) = stmt.kind {
            pending.push(assign.value);
        }
        while let Some(expr) = pending.pop() {
            let composite = !matches!(expr.kind, ExprKind::Name(_) | ExprKind::Literal(_));
            let mut locals = Vec::new();
            let known = source.known(expr).filter(|known| known.is_value);
            if let Some(known) = known.filter(|_| composite && random.chance(60))
                && is_pure(source, expr, &mut locals)
            {
                let number = edits.len();
                let mut text = String::new();
                let mut at = expr.span.start;
                let (mut params, mut args): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
                for (span, ty) in locals {
                    let name = source.at(span);
                    let index = args.iter().position(|arg| *arg == name).unwrap_or_else(|| {
                        params.push(format!("part_{}: {ty}", args.len()));
                        args.push(name);
                        args.len() - 1
                    });
                    text += &source.text[at as usize..span.start as usize];
                    text += &format!("part_{index}");
                    at = span.end;
                }
                text += &source.text[at as usize..expr.span.end as usize];
                helpers +=
                    &format!("fn wrapped_{number}({}) -> {} {{ return {text}; }}\n", params.join(", "), known.ty);
                edits.push(Edit::text(expr.span, format!("wrapped_{number}({})", args.join(", "))));
            } else if !matches!(
                expr.kind,
                ExprKind::IncDec { .. }
                    | ExprKind::ArrayRepeat { .. }
                    | ExprKind::Index { .. }
                    | ExprKind::Field { .. }
            ) {
                // Places stay places; arguments may be borrowed.
                let is_call = matches!(expr.kind, ExprKind::Call { .. } | ExprKind::MethodCall { .. });
                pending.extend(operands(expr).into_iter().filter(|_| !is_call));
            }
        }
    }
    format!("{}\n{helpers}", source.edited(edits))
}

/// Whether an expression is made of values of locals and constants, by operators and builtins without effect; finds the locals.
fn is_pure(source: &Source<'_>, expr: &Expr<'_>, locals: &mut Vec<(Span, String)>) -> bool {
    match expr.kind {
        ExprKind::Literal(_) => return true,
        ExprKind::Name(_) => {
            let Some(known) = source.known(expr) else { return false };
            if known.is_local {
                locals.push((expr.span, known.ty.clone()));
            }
            return known.is_value && !known.is_shared && !known.is_open && !expr.parenthesized;
        }
        ExprKind::Unary { .. }
        | ExprKind::Infix { .. }
        | ExprKind::Conditional { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Index { .. } => {}
        ExprKind::Call { callee, .. } => {
            let ExprKind::Name(name) = callee.kind else { return false };
            let name = source.name(name);
            let acts = ["atomic_", "wave_", "barrier", "dd"].iter().any(|prefix| name.starts_with(prefix));
            if acts || source.known(callee).is_some() || source.functions.iter().any(|function| function == name) {
                return false;
            }
        }
        // A field may be a case of an enum, whose name is no value.
        ExprKind::Field { base, .. } if source.known(base).is_none() => return matches!(base.kind, ExprKind::Name(_)),
        ExprKind::Field { .. } => {}
        _ => return false,
    }
    operands(expr).into_iter().all(|operand| is_pure(source, operand, locals))
}

/// Literals in expressions as constants of the module.
fn literals_named(source: &Source<'_>, random: &mut Random) -> String {
    let mut edits = Vec::new();
    let mut constants = String::new();
    for stmt in source.statements() {
        let mut pending: Vec<&Expr<'_>> = evaluated_first(source, &stmt).into_iter().collect();
        if let StmtKind::Assign(assign) = stmt.kind {
            pending = vec![assign.value];
        }
        while let Some(expr) = pending.pop() {
            match expr.kind {
                ExprKind::Literal(literal) if !expr.parenthesized && random.chance(70) => {
                    let Some(known) = source.known(expr) else { continue };
                    let ty = match literal {
                        Literal::Bool(_) => "bool",
                        Literal::Int { .. } | Literal::Float { .. } => known.ty.as_str(),
                    };
                    let number = edits.len();
                    constants += &format!("const NAMED_{number}: {ty} = {};\n", source.at(expr.span));
                    edits.push(Edit::text(expr.span, format!("NAMED_{number}")));
                }
                // The number after a minus need not fit alone; a count is none of the operands.
                ExprKind::Unary { op: UnaryOp::Negate, .. } | ExprKind::MethodCall { .. } => {}
                _ => pending.extend(operands(expr)),
            }
        }
    }
    format!("{}\n{constants}", source.edited(edits))
}

/// Uses of scalar constants of the module as their values.
fn constants_inlined(source: &Source<'_>) -> Vec<Edit> {
    let mut edits = Vec::new();
    for stmt in source.statements() {
        let mut pending: Vec<&Expr<'_>> = evaluated_first(source, &stmt).into_iter().collect();
        if let StmtKind::Assign(assign) = stmt.kind {
            pending = vec![assign.value];
        }
        while let Some(expr) = pending.pop() {
            let ExprKind::Name(name) = expr.kind else {
                pending.extend(operands(expr));
                continue;
            };
            if source.known(expr).is_none_or(|known| known.is_local) {
                continue;
            }
            let constant = source.file.items.iter().find_map(|item| match item.kind {
                ItemKind::Const(constant) if item.name.name == name => Some(constant),
                _ => None,
            });
            let Some((ty, value)) = constant.and_then(|constant| Some((constant.ty?, constant.value))) else {
                continue;
            };
            let ty = source.at(ty.span);
            if matches!(ty, "float" | "uint" | "int" | "bool" | "half") && !expr.parenthesized {
                edits.push(Edit::text(expr.span, format!("{ty}({})", source.at(value.span))));
            }
        }
    }
    edits
}

fn dead_statements(source: &Source<'_>) -> Vec<Edit> {
    let dead = " let dead_value = 1.5 * 2.0; var dead_array: uint[3] = [1u, 2u, 3u]; if (false) { dead_array[2] += uint(dead_value); } \
                let _ = dead_array; ";
    source.bodies().into_iter().map(|body| Edit::before(body.open.end, body.open.file, dead)).collect()
}
