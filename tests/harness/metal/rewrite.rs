//! Metal source as clang's C++ takes it: small insertions, each on the line it concerns, so that places in messages stay true.

use super::lexer::Kind;
use super::syntax::Unit;

/// Insertions and replacements, by byte offset.
struct Edits {
    /// (offset, bytes replaced, text); at equal offsets in the order given.
    edits: Vec<(usize, usize, String)>,
}

impl Edits {
    fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.edits.push((at, 0, text.into()));
    }

    fn replace(&mut self, at: usize, length: usize, text: impl Into<String>) {
        self.edits.push((at, length, text.into()));
    }

    fn apply(mut self, source: &str) -> String {
        self.edits.sort_by_key(|edit| edit.0);
        let mut result = String::with_capacity(source.len() + 16 * self.edits.len());
        let mut at = 0;
        for (start, length, text) in self.edits {
            result.push_str(&source[at..start]);
            result.push_str(&text);
            at = start + length;
        }
        result.push_str(&source[at..]);
        result
    }
}

/// Source for the check mode.
pub(super) fn for_check(unit: &Unit) -> String {
    let mut edits = Edits { edits: Vec::new() };
    blank_line_directives(unit, &mut edits);
    for variable in &unit.variables {
        // Program scope takes constant initializers only; clang's mode would run others at start-up.
        if variable.initialized && !variable.storage.iter().any(|word| word == "constexpr") {
            edits.insert(unit.tokens[variable.tokens.start].start, "constexpr ");
        }
    }
    for local in threadgroup_locals(unit) {
        // A reference to memory that is never made: OpenCL allows such variables only in its own kernels.
        let Local { ty, name, extents, start, end, .. } = local;
        edits.replace(
            start,
            end - start,
            format!("threadgroup {ty} (&{name}){extents} = *(threadgroup {ty} (*){extents})0"),
        );
    }
    ternary_operands(unit, &mut edits);
    edits.apply(&unit.source)
}

/// Source for the run mode. Its first line names the file, for messages.
pub(super) fn for_run(unit: &Unit) -> String {
    let mut edits = Edits { edits: Vec::new() };
    for directive in &unit.directives {
        // `#pragma unroll` wants its loop right after it.
        edits.replace(directive.start, directive.text.len(), "");
    }
    for local in threadgroup_locals(unit) {
        // One group runs at a time: a static variable is its memory.
        edits.insert(local.start, "static ");
        edits.insert(
            local.end,
            format!("; metal::akari::akari_threadgroup_variable((void *)&{0}, sizeof({0}))", local.name),
        );
    }
    if needs_lanes(unit) {
        loops(unit, &mut edits);
    }
    format!("# 1 \"shader.metal\"\n{}", edits.apply(&unit.source))
}

/// Whether lanes can meet anywhere in the source.
fn needs_lanes(unit: &Unit) -> bool {
    unit.tokens.iter().any(|token| {
        let text = token.text.as_str();
        text.starts_with("simd_")
            || text.starts_with("simdgroup_")
            || text.starts_with("quad_")
            || ["dfdx", "dfdy", "fwidth", "sample", "sample_compare"].contains(&text)
    })
}

/// Every loop with a body in braces counts its iterations, see the runtime's `lanes.cpp`.
fn loops(unit: &Unit, edits: &mut Edits) {
    let tokens = &unit.tokens;
    let closing = |open: usize| {
        let mut depth = 0_u32;
        (open..tokens.len()).find(|&at| {
            if ["(", "[", "{"].iter().any(|sign| tokens[at].is(sign)) {
                depth += 1;
            } else if [")", "]", "}"].iter().any(|sign| tokens[at].is(sign)) {
                depth -= 1;
            }
            depth == 0
        })
    };
    for body in unit.functions.iter().filter_map(|function| function.body.clone()) {
        for at in body {
            let brace = if tokens[at].is("for") || tokens[at].is("while") {
                closing(at + 1).map(|close| close + 1)
            } else if tokens[at].is("do") {
                Some(at + 1)
            } else {
                None
            };
            if let Some(brace) = brace.filter(|&brace| tokens.get(brace).is_some_and(|token| token.is("{"))) {
                // `switch` takes the object without catching an `else` behind the loop; `break` and `continue` stay the loop's.
                edits.insert(tokens[at].start, "switch (metal::akari::loop akari_loop; 0) default: ");
                edits.insert(tokens[brace].end(), " akari_loop.next();");
            }
        }
    }
}

/// A `threadgroup` variable of a function body.
pub(super) struct Local {
    pub(super) ty: String,
    pub(super) name: String,
    /// `[2][3]`, or empty.
    pub(super) extents: String,
    /// Byte range, from `threadgroup` up to `;`.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: u32,
    /// Whether an initializer follows, which Metal forbids.
    pub(super) initialized: bool,
}

/// The `threadgroup` variables that function bodies declare by value.
pub(super) fn threadgroup_locals(unit: &Unit) -> Vec<Local> {
    let mut locals = Vec::new();
    for body in unit.functions.iter().filter_map(|function| function.body.clone()) {
        let mut at = body.start;
        while at < body.end {
            let begins = at == body.start || ["{", "}", ";"].iter().any(|sign| unit.tokens[at - 1].is(sign));
            if !(begins && unit.tokens[at].is("threadgroup")) {
                at += 1;
                continue;
            }
            let end = (at..body.end).find(|&end| unit.tokens[end].is(";")).unwrap_or(body.end);
            let tokens = &unit.tokens[at..end];
            let assigned = tokens.iter().position(|token| token.is("="));
            let declarator = &tokens[..assigned.unwrap_or(tokens.len())];
            let name = declarator.iter().enumerate().rev().find(|(index, token)| {
                let outside = declarator[..*index].iter().filter(|t| t.is("[")).count()
                    == declarator[..*index].iter().filter(|t| t.is("]")).count();
                token.is_word() && outside
            });
            if let Some((name_at, name)) = name
                && name_at >= 2
                && !declarator.iter().any(|token| token.is("&") || token.is("*"))
            {
                let text = |from: usize, to: usize| unit.source.get(from..to).unwrap_or_default().trim().to_owned();
                let stop = declarator.last().map_or(name.end(), super::lexer::Token::end);
                locals.push(Local {
                    ty: text(tokens[0].end(), name.start),
                    name: name.text.clone(),
                    extents: text(name.end(), stop),
                    start: tokens[0].start,
                    end: stop,
                    line: tokens[0].line,
                    initialized: assigned.is_some(),
                });
            }
            at = end;
        }
    }
    locals
}

/// `#line` would move places away from the text that is checked.
fn blank_line_directives(unit: &Unit, edits: &mut Edits) {
    for directive in unit
        .directives
        .iter()
        .filter(|directive| directive.text.trim_start_matches('#').trim_start().starts_with("line"))
    {
        edits.replace(directive.start, directive.text.len(), "");
    }
}

/// `c ? a : b` of class type wants both operands in one address space, where Metal compares the types alone: both become values.
fn ternary_operands(unit: &Unit, edits: &mut Edits) {
    let tokens = &unit.tokens;
    for body in unit.functions.iter().filter_map(|function| function.body.clone()) {
        for at in body.clone().filter(|&at| tokens[at].is("?")) {
            let Some(colon) = operand_end(unit, at + 1, body.end, true) else { continue };
            let Some(end) = operand_end(unit, colon + 1, body.end, false) else { continue };
            if colon > at + 1 && end > colon + 1 {
                edits.insert(tokens[at + 1].start, "metal::akari::value(");
                edits.insert(tokens[colon - 1].end(), ")");
                edits.insert(tokens[colon + 1].start, "metal::akari::value(");
                edits.insert(tokens[end - 1].end(), ")");
            }
        }
    }
}

/// The token after the operand that begins at `at`: the `:` of its `?`, or what ends the last operand.
fn operand_end(unit: &Unit, mut at: usize, end: usize, middle: bool) -> Option<usize> {
    let (mut depth, mut questions) = (0_u32, 0_u32);
    while at < end {
        let token = &unit.tokens[at];
        if token.kind == Kind::Sign {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => {
                    if depth == 0 {
                        return (!middle).then_some(at);
                    }
                    depth -= 1;
                }
                "?" if depth == 0 => questions += 1,
                ":" if depth == 0 => {
                    if questions == 0 {
                        return Some(at);
                    }
                    questions -= 1;
                }
                "," if depth == 0 && !middle && questions == 0 => return Some(at),
                ";" if depth == 0 => return (!middle).then_some(at),
                _ => {}
            }
        }
        at += 1;
    }
    None
}
