//! Changes that put what a program does into closures, templates, instances and package bindings, which must leave no trace in it.

use akari::syntax::ast::{
    AttributeValue, Expr, ExprKind, FileKind, Function, Item, ItemKind, Literal, LocalKind, Stmt, StmtKind, UnaryOp,
};
use akari_harness::fuzz::random::Random;

use super::rewrites::evaluated_first;
use super::source::{Edit, Source, operands};

/// The function that the language itself calls.
pub(super) const JUDGE: &str = "hikari_rt_candidate_accepts";

/// How many literals become parameters of one function.
const MOST_LITERALS: usize = 40;

/// Values of statements as closures: called at once, by a template, or by a template's closure in another template.
pub(super) fn values_in_closures(source: &Source<'_>, random: &mut Random) -> String {
    let mut edits = Vec::new();
    let mut templates = String::new();
    for (number, stmt) in source.statements().into_iter().enumerate() {
        if source.has_templates() && matches!(stmt.kind, StmtKind::If(_) | StmtKind::Switch(_)) {
            continue;
        }
        let Some(value) = evaluated_first(source, &stmt).filter(|value| !acts_on_shared(source, value)) else {
            continue;
        };
        let Some(known) = source.known(value).filter(|known| known.is_value) else { continue };
        let is_left = matches!(value.kind, ExprKind::Literal(_) | ExprKind::Closure(_) | ExprKind::MethodCall { .. });
        if is_left || known.ty.contains('…') || random.chance(30) {
            continue;
        }
        let (ty, text) = (&known.ty, source.at(value.span));
        if known.is_open || random.chance(40) {
            let closure = format!("let closure_{number} = || -> {ty} {{ return {text}; }}; ");
            edits.push(Edit::before(stmt.span.start, stmt.span.file, closure));
            edits.push(Edit::text(value.span, format!("closure_{number}()")));
            continue;
        }
        if random.chance(50) {
            templates += &format!("fn through_{number}(f: fn() -> {ty}) -> {ty} {{ return f(); }}\n");
        } else {
            templates += &format!(
                "fn inner_{number}(f: fn(uint) -> {ty}, const n: uint) -> {ty} {{ if (n == 3u) {{ return f(n); }} return f(0u); }}\n\
                 fn through_{number}(f: fn() -> {ty}) -> {ty} {{ return inner_{number}(|unused| f(), 3u); }}\n"
            );
        }
        edits.push(Edit::text(value.span, format!("through_{number}(|| {text})")));
    }
    format!("{}\n{templates}", source.edited(edits))
}

/// Whether an expression may write groupshared memory, which closures only read.
fn acts_on_shared(source: &Source<'_>, expr: &Expr<'_>) -> bool {
    fn look(source: &Source<'_>, expr: &Expr<'_>, shared: &mut bool, acts: &mut bool) {
        match expr.kind {
            ExprKind::Name(_) => *shared |= source.known(expr).is_some_and(|known| known.is_shared),
            ExprKind::IncDec { .. } => *acts = true,
            ExprKind::Call { callee, .. } => {
                let name = if let ExprKind::Name(name) = callee.kind { source.name(name) } else { "" };
                let is_user =
                    source.known(callee).is_some() || source.functions.iter().any(|function| function == name);
                *acts |= is_user || name.starts_with("atomic_");
            }
            _ => {}
        }
        operands(expr).into_iter().for_each(|operand| look(source, operand, shared, acts));
    }
    let (mut shared, mut acts) = (false, false);
    look(source, expr, &mut shared, &mut acts);
    shared && acts
}

/// Assignments and calls as closures without a result, handed to a template.
pub(super) fn statements_in_closures(source: &Source<'_>, random: &mut Random) -> String {
    let statements = source.statements();
    // What is assigned later, once, is not assigned in a closure.
    let late: Vec<_> = statements
        .iter()
        .filter_map(|stmt| match stmt.kind {
            StmtKind::Local(local) if local.kind == LocalKind::Let && local.init.is_none() => Some(local.name.name),
            _ => None,
        })
        .collect();
    let mut edits = Vec::new();
    for stmt in statements {
        let (target, value) = match stmt.kind {
            StmtKind::Assign(assign) => (assign.target, Some(assign.value)),
            StmtKind::Expr(expr) => (expr, None),
            _ => continue,
        };
        let root = root_of(target);
        let is_late = matches!(root.kind, ExprKind::Name(name) if late.contains(&name));
        let is_shared = source.known(root).is_none_or(|known| known.is_shared) && value.is_some();
        let acts = [Some(target), value].into_iter().flatten().any(|expr| acts_on_shared(source, expr));
        if is_late || is_shared || acts || random.chance(30) {
            continue;
        }
        let text = source.at(stmt.span).trim_end_matches(';');
        let text = match random.below(3) {
            0 => format!("act(|| {{ {text}; }});"),
            1 => format!("act_twice_removed(|| {{ {text}; }}, |f: uint| {{ }});"),
            _ => format!("act(|| {{ act(|| {{ {text}; }}); }});"),
        };
        let end = if source.at(stmt.span).ends_with(';') { text } else { text.trim_end_matches(';').to_owned() };
        edits.push(Edit::text(stmt.span, end));
    }
    format!(
        "{}\nfn act(f: fn()) {{ f(); }}\nfn act_twice_removed(f: fn(), g: fn(uint)) {{ g(1u); act(|| {{ f(); }}); g(2u); }}\n",
        source.edited(edits)
    )
}

/// The variable or resource that a place is in.
fn root_of<'a>(mut place: &'a Expr<'a>) -> &'a Expr<'a> {
    loop {
        place = match place.kind {
            ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => base,
            ExprKind::IncDec { operand, .. } => operand,
            _ => return place,
        };
    }
}

/// The literals that are values in a list of statements, with their types.
fn literals<'a>(source: &Source<'a>, stmts: &[Stmt<'a>], random: &mut Random) -> Vec<(&'a Expr<'a>, String)> {
    let mut found = Vec::new();
    for stmt in source.within(stmts) {
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
                    found.push((expr, ty.to_owned()));
                }
                // The number after a minus need not fit alone; a count is none of the operands.
                ExprKind::Unary { op: UnaryOp::Negate, .. } | ExprKind::MethodCall { .. } => {}
                // It may decide on the type of another argument.
                ExprKind::Call { callee, .. } if matches!(callee.kind, ExprKind::Name(name) if source.functions.iter().any(|f| f == source.name(name))) =>
                    {}
                _ => pending.extend(operands(expr)),
            }
        }
    }
    found
}

/// Entries as instances of templates that take their literals, those of their thread counts too.
pub(super) fn entries_as_instances(source: &Source<'_>, random: &mut Random) -> String {
    let mut edits = Vec::new();
    let mut instances = String::new();
    for item in source.file.items {
        let ItemKind::Fn(function) = item.kind else { continue };
        if !source.is_entry(item) || source.is_template(&function) {
            continue;
        }
        let name = source.name(item.name.name);
        let (mut params, mut args) = (String::new(), Vec::new());
        let counts =
            item.attributes.iter().filter_map(|attribute| attribute.args).flatten().filter_map(|arg| match arg.value {
                AttributeValue::Tuple(parts) => Some(parts),
                AttributeValue::Expr(_) => None,
            });
        let counts = counts.flatten().filter(|count| matches!(count.kind, ExprKind::Literal(_)));
        let counts = counts.map(|count| (count, "uint".to_owned()));
        let all: Vec<_> = counts.chain(literals(source, function.body.stmts, random)).take(MOST_LITERALS).collect();
        for (number, (expr, ty)) in all.into_iter().enumerate() {
            params += &format!("const given_{number}: {ty}, ");
            args.push(format!("given_{number}: {}", source.at(expr.span)));
            edits.push(Edit::text(expr.span, format!("given_{number}")));
        }
        for index in (1..args.len()).rev() {
            args.swap(index, random.below(index + 1));
        }
        if args.is_empty() {
            continue;
        }
        let open = item.name.span.end + source.text[item.name.span.end as usize..].find('(').unwrap_or(0) as u32 + 1;
        edits.push(Edit::text(item.name.span, format!("{name}_for")));
        edits.push(Edit::before(open, item.span.file, params));
        instances += &format!("fn {name} = {name}_for({});\n", args.join(", "));
    }
    format!("{}\n{instances}", source.edited(edits))
}

/// The functions that are only ever called, and by a name that is theirs alone.
fn called_only<'a>(source: &Source<'a>) -> Vec<(Item<'a>, Function<'a>)> {
    let mut found = Vec::new();
    for item in source.file.items {
        let ItemKind::Fn(function) = item.kind else { continue };
        let name = source.name(item.name.name);
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let bytes = source.text.as_bytes();
        let is_only_called = source.text.match_indices(name).all(|(at, _)| {
            let end = at + name.len();
            let is_part = at > 0 && is_name(bytes[at - 1]) || bytes.get(end).is_some_and(|byte| is_name(*byte));
            is_part || bytes.get(end) == Some(&b'(')
        });
        // What the language calls is called as it is.
        let is_only_called = is_only_called && name != JUDGE;
        let is_unique = source.functions.iter().filter(|function| *function == name).count() == 1;
        let has_instances = source.file.items.iter().any(
            |other| matches!(other.kind, ItemKind::Instance(instance) if instance.template.name == item.name.name),
        );
        if !source.is_entry(item) && is_unique && is_only_called && !has_instances {
            found.push((*item, function));
        }
    }
    found
}

/// Literals of functions as `const` parameters with the literals as defaults.
pub(super) fn literals_as_parameters(source: &Source<'_>, random: &mut Random) -> String {
    let mut edits = Vec::new();
    for (item, function) in called_only(source) {
        let mut literals = literals(source, function.body.stmts, random);
        literals.truncate(MOST_LITERALS);
        let params: Vec<String> = literals
            .iter()
            .enumerate()
            .map(|(number, (expr, ty))| format!("const given_{number}: {ty} = {}", source.at(expr.span)))
            .collect();
        if params.is_empty() {
            continue;
        }
        for (number, (expr, _)) in literals.iter().enumerate() {
            edits.push(Edit::text(expr.span, format!("given_{number}")));
        }
        let params = params.join(", ");
        match function.params.last() {
            Some(last) => edits.push(Edit::before(last.span.end, item.span.file, format!(", {params}"))),
            None => {
                let open = source.text[item.name.span.end as usize..].find('(').unwrap_or(0) as u32 + 1;
                edits.push(Edit::before(item.name.span.end + open, item.span.file, params));
            }
        }
    }
    source.edited(edits)
}

/// Resources of functions as optional ones.
pub(super) fn optional_resources(source: &Source<'_>, _: &mut Random) -> String {
    let handles = ["Uniform<", "Buf<", "RwBuf<", "Tex", "RwTex", "Sampler"];
    let mut edits = Vec::new();
    for (item, function) in called_only(source) {
        for param in function.params {
            let Some(ty) = param.ty.filter(|_| param.optional.is_none()) else { continue };
            let text = source.at(ty.span);
            if handles.iter().any(|handle| text.starts_with(handle)) && !text.ends_with(']') && param.default.is_none()
            {
                edits.push(Edit::before(ty.span.end, item.span.file, "?"));
            }
        }
    }
    source.edited(edits)
}

/// The resources of entries as bindings of the package; nothing where two differ that have one name.
pub(super) fn package_bindings(source: &Source<'_>, _: &mut Random) -> String {
    let unchanged = || source.text.to_owned();
    let mut edits = Vec::new();
    let mut bindings: Vec<(&str, String)> = Vec::new();
    // What judges rays may leave unused what it has to take, and a binding that nothing uses is none of the entry's.
    let has_judge = source.functions.iter().any(|function| *function == JUDGE);
    if has_judge || source.file.root.is_none_or(|root| root.kind != FileKind::Shader) {
        return unchanged();
    }
    for item in source.file.items {
        let ItemKind::Fn(function) = item.kind else { continue };
        let (Some(first), Some(last)) = (function.params.first(), function.params.last()) else { continue };
        if !source.is_entry(item) {
            continue;
        }
        let mut kept = Vec::new();
        for param in function.params {
            let is_resource = param
                .attributes
                .iter()
                .any(|attribute| matches!(source.name(attribute.name.name), "bind" | "sampler" | "slot"));
            let text = source.at(param.span);
            // Entries keep those of their own that they do not use.
            let body = source.at(function.body.span());
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let is_used = body.split(|c: char| !is_part(c)).any(|word| word == source.name(param.name.name));
            if !is_resource || !is_used || param.optional.is_some() {
                kept.push(text);
                continue;
            }
            let name = source.name(param.name.name);
            let (before, after) = text.split_at((param.name.span.start - param.span.start) as usize);
            let binding = format!("{before}let {after};");
            match bindings.iter().find(|(known, _)| *known == name) {
                Some((_, known)) if *known == binding => {}
                Some(_) => return unchanged(),
                None if source.file.items.iter().any(|item| item.name.name == param.name.name) => return unchanged(),
                None => bindings.push((name, binding)),
            }
        }
        let mut span = first.span.to(last.span);
        let rest = &source.text[span.end as usize..];
        if let Some(comma) = rest.find(|c: char| !c.is_whitespace()).filter(|at| rest[*at..].starts_with(',')) {
            span.end += comma as u32 + 1;
        }
        edits.push(Edit::text(span, kept.join(", ")));
    }
    let bindings: Vec<String> = bindings.into_iter().map(|(_, binding)| binding).collect();
    format!("{}\n{}\n", source.edited(edits), bindings.join("\n"))
}
