//! Attributes: which there are, where each may stand, and their arguments.

use std::borrow::Cow;

use akari_ir::interface::{Address, BindingSource, Compare, Filter, ParamRole, SamplerState, Stage, SystemValue};
use akari_ir::{Diagnostic, Span};

use super::checker::Checker;
use super::errors;
use super::scope::{nearest, suggest};
use super::tree::ExprId;
use crate::foreign;
use crate::syntax::ast::{self, AttributeArg, AttributeValue, ExprKind};

/// What an attribute may stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    Struct,
    Field,
    Function,
    Parameter,
    Branch,
    Loop,
    Variable,
    Binding,
    Instance,
    Enum,
    Bitfield,
    Constant,
    /// Statements that take none.
    Statement,
}

impl On {
    fn what(self) -> &'static str {
        match self {
            Self::Struct => "a struct",
            Self::Field => "a field",
            Self::Function => "a function",
            Self::Parameter => "a parameter",
            Self::Branch => "an `if`",
            Self::Loop => "a loop",
            Self::Variable => "a variable",
            Self::Binding => "a package binding",
            Self::Instance => "an instance",
            Self::Enum => "an enum",
            Self::Bitfield => "a bitfield",
            Self::Constant => "a constant",
            Self::Statement => "this statement",
        }
    }
}

/// Every attribute with what it may stand on.
const ATTRIBUTES: [(&str, &[On]); 26] = [
    ("packed", &[On::Struct]),
    ("location", &[On::Field]),
    ("position", &[On::Field]),
    ("clip_distance", &[On::Field]),
    ("flat", &[On::Field]),
    ("noperspective", &[On::Field]),
    ("target", &[On::Field]),
    ("vertex", &[On::Function]),
    ("fragment", &[On::Function]),
    ("compute", &[On::Function]),
    ("vertex_id", &[On::Parameter]),
    ("instance_id", &[On::Parameter]),
    ("dispatch_id", &[On::Parameter]),
    ("group_id", &[On::Parameter]),
    ("local_id", &[On::Parameter]),
    ("local_index", &[On::Parameter]),
    ("front_facing", &[On::Parameter]),
    ("stage_in", &[On::Parameter]),
    ("bind", &[On::Parameter, On::Binding]),
    ("slot", &[On::Parameter, On::Binding]),
    ("sampler", &[On::Parameter, On::Binding]),
    ("groupshared", &[On::Variable]),
    ("unroll", &[On::Loop]),
    ("loop", &[On::Loop]),
    ("branch", &[On::Branch]),
    ("flatten", &[On::Branch]),
];

/// Pairs of attributes that may not stand together.
const CONFLICTS: [(&str, &str); 22] = [
    ("unroll", "loop"),
    ("branch", "flatten"),
    ("flat", "noperspective"),
    ("vertex", "fragment"),
    ("vertex", "compute"),
    ("fragment", "compute"),
    ("position", "location"),
    ("position", "target"),
    ("position", "clip_distance"),
    ("location", "target"),
    ("location", "clip_distance"),
    ("target", "clip_distance"),
    ("position", "flat"),
    ("position", "noperspective"),
    ("location", "flat"),
    ("location", "noperspective"),
    ("target", "flat"),
    ("target", "noperspective"),
    ("clip_distance", "flat"),
    ("clip_distance", "noperspective"),
    ("bind", "slot"),
    ("bind", "sampler"),
];

impl<'a> Checker<'_, 'a> {
    /// Whether there is an attribute of this name.
    pub(super) fn is_attribute(&self, written: &ast::Attribute<'a>) -> bool {
        let name = self.program.text(written.name.name);
        ATTRIBUTES.iter().any(|(candidate, _)| *candidate == name)
    }

    /// What WGSL calls `@builtin(name)`, and other attributes by their names.
    fn foreign_attribute(&self, written: &'a ast::Attribute<'a>) -> Option<Cow<'static, str>> {
        let name = self.program.text(written.name.name);
        if let ("builtin", Some([AttributeArg { name: None, value: AttributeValue::Expr(argument), .. }])) =
            (name, written.args)
            && let ExprKind::Name(argument) = argument.kind
        {
            let argument = self.program.text(argument);
            if ATTRIBUTES.iter().any(|(candidate, _)| *candidate == argument) {
                return Some(format!("write `@{argument}`").into());
            }
            return foreign::help(foreign::Place::Attribute, argument)
                .or_else(|| foreign::help(foreign::Place::Attribute, name));
        }
        foreign::help(foreign::Place::Attribute, name)
    }

    /// The attributes that may stand on `on`, each with its name; all others are reported.
    pub(super) fn attributes(
        &mut self,
        written: &'a [ast::Attribute<'a>],
        on: On,
    ) -> Vec<(&'a str, &'a ast::Attribute<'a>)> {
        let mut accepted: Vec<(&'a str, &'a ast::Attribute<'a>)> = Vec::new();
        for attribute in written {
            let name = self.program.text(attribute.name.name);
            let Some((_, places)) = ATTRIBUTES.iter().find(|(candidate, _)| *candidate == name) else {
                let diagnostic = Diagnostic::error(
                    errors::UNKNOWN_ATTRIBUTE,
                    attribute.name.span,
                    format!("unknown attribute `{name}`"),
                );
                self.report(match self.foreign_attribute(attribute) {
                    Some(help) => diagnostic.help(help),
                    None => match nearest(name, ATTRIBUTES.iter().map(|(name, _)| *name)) {
                        Some(near) => diagnostic.help(format!("did you mean `@{near}`?")),
                        None => diagnostic,
                    },
                });
                continue;
            };
            if !places.contains(&on) {
                let message = format!("`@{name}` stands on {}, not on {}", places[0].what(), on.what());
                let mut diagnostic = Diagnostic::error(errors::BAD_ATTRIBUTE, attribute.span, message);
                if on == On::Instance && places.contains(&On::Function) {
                    diagnostic = diagnostic.help("an instance has the stage of its template");
                } else if on == On::Parameter && name == "location" {
                    diagnostic = diagnostic.help("a fragment entry takes a struct by `@stage_in`; a vertex entry reads its vertex from a `Buf<T>`, by `@vertex_id`");
                } else if on == On::Parameter && name == "position" {
                    diagnostic = diagnostic
                        .help("a fragment entry takes a struct by `@stage_in`, with a field `@position name: float4`");
                }
                self.report(diagnostic);
                continue;
            }
            if let Some((_, first)) = accepted.iter().find(|(other, _)| *other == name) {
                let diagnostic =
                    Diagnostic::error(errors::BAD_ATTRIBUTE, attribute.span, format!("`@{name}` stands here twice"))
                        .note_at(first.span, "the first one");
                self.report(diagnostic);
                continue;
            }
            let clash = accepted.iter().find(|(other, _)| {
                CONFLICTS.contains(&(name, other))
                    || CONFLICTS.contains(&(other, name))
                    || matches!(on, On::Parameter | On::Binding)
            });
            if let Some((other, first)) = clash {
                let message = format!("`@{name}` contradicts `@{other}`");
                let diagnostic = Diagnostic::error(errors::BAD_ATTRIBUTE, attribute.span, message)
                    .note_at(first.span, "stands here");
                self.report(diagnostic);
                continue;
            }
            let takes_arguments =
                matches!(name, "location" | "target" | "compute" | "bind" | "slot" | "sampler" | "unroll");
            if attribute.args.is_some() && !takes_arguments {
                self.error(errors::BAD_ATTRIBUTE, attribute.span, format!("`@{name}` takes no arguments"));
                continue;
            }
            accepted.push((name, attribute));
        }
        accepted
    }

    /// The only argument of an attribute, a positional expression.
    pub(super) fn only_argument(&mut self, attribute: &'a ast::Attribute<'a>, what: &str) -> Option<&'a ast::Expr<'a>> {
        if let Some([AttributeArg { name: None, value: AttributeValue::Expr(value), .. }]) = attribute.args {
            return Some(value);
        }
        let name = self.program.text(attribute.name.name);
        self.error(errors::BAD_ATTRIBUTE, attribute.span, format!("`@{name}` takes {what}"));
        None
    }

    /// A constant argument of at most `limit`.
    pub(super) fn number_argument(&mut self, attribute: &'a ast::Attribute<'a>, limit: u32) -> Option<u32> {
        let value = self.only_argument(attribute, "one number")?;
        let what = format!("the argument of `@{}`", self.program.text(attribute.name.name));
        self.small_constant(value, limit, &what)
    }

    /// A constant integer from 0 to `limit`.
    pub(super) fn small_constant(&mut self, value: &'a ast::Expr<'a>, limit: u32, what: &str) -> Option<u32> {
        match u32::try_from(self.integer_constant(value, None, what)?) {
            Ok(value) if value <= limit => Some(value),
            _ => {
                let message = format!("{what} must be an integer from 0 to {limit}");
                self.error(errors::BAD_ATTRIBUTE, value.span, message);
                None
            }
        }
    }

    /// The argument `group.name`.
    pub(super) fn dotted_argument(&mut self, attribute: &'a ast::Attribute<'a>) -> Option<(ast::Ident, ast::Ident)> {
        let value = self.only_argument(attribute, "one name: `group.name`")?;
        if let ExprKind::Field { base, name } = value.kind
            && let ExprKind::Name(group) = base.kind
        {
            return Some((ast::Ident { name: group, span: base.span }, name));
        }
        let message = format!("`@{}` takes one name: `group.name`", self.program.text(attribute.name.name));
        self.error(errors::BAD_ATTRIBUTE, value.span, message);
        None
    }

    /// The stage that a function's attributes name.
    pub(super) fn stage_of(name: &str) -> Option<Stage> {
        Stage::ALL.iter().find(|(_, candidate)| *candidate == name).map(|(stage, _)| *stage)
    }

    /// What an attribute makes of a parameter.
    pub(super) fn parameter_role(&mut self, name: &'a str, attribute: &'a ast::Attribute<'a>) -> Option<ParamRole> {
        if let Some((value, _)) = SystemValue::ALL.iter().find(|(_, candidate)| *candidate == name) {
            return Some(ParamRole::System(*value));
        }
        match name {
            "stage_in" => Some(ParamRole::StageIn),
            "bind" => {
                let (group, name) = self.dotted_argument(attribute)?;
                let (group, name) = (self.program.symbol(group.name), self.program.symbol(name.name));
                Some(ParamRole::Resource(BindingSource::Named { group, name }))
            }
            "slot" => self.number_argument(attribute, 1023).map(|slot| ParamRole::Resource(BindingSource::Slot(slot))),
            "sampler" => {
                let state = self.sampler_state(attribute)?;
                Some(ParamRole::Resource(BindingSource::Sampler(state)))
            }
            _ => None,
        }
    }

    fn sampler_state(&mut self, attribute: &'a ast::Attribute<'a>) -> Option<SamplerState> {
        let mut words: Vec<(&'a str, Span)> = Vec::new();
        for arg in attribute.args.unwrap_or_default() {
            match arg.value {
                AttributeValue::Expr(ast::Expr { kind: ExprKind::Name(name), span, .. }) if arg.name.is_none() => {
                    words.push((self.program.text(*name), *span));
                }
                _ => {
                    self.error(errors::BAD_ATTRIBUTE, arg.span, "a sampler's state is given by words");
                    return None;
                }
            }
        }
        let mut rest = words.as_slice();
        let comparison = matches!(rest.first(), Some(("comparison", _)));
        let mut compare = None;
        if comparison {
            rest = &rest[1..];
            compare = Some(Compare::LessEqual);
            if rest.len() == 3 {
                compare = self.word(rest[0], &Compare::ALL, "comparison");
                rest = &rest[1..];
            }
        }
        let [filter, address] = rest else {
            let form = if comparison {
                "`@sampler(comparison, filter, address)` or `@sampler(comparison, function, filter, address)`"
            } else {
                "`@sampler(filter, address)`"
            };
            self.error(errors::BAD_ATTRIBUTE, attribute.span, format!("`@sampler` takes its state: {form}"));
            return None;
        };
        let filter = self.word(*filter, &Filter::ALL, "filter");
        let address = self.word(*address, &Address::ALL, "address mode");
        Some(SamplerState {
            filter: filter?,
            address: address?,
            compare: if comparison { Some(compare?) } else { None },
        })
    }

    fn word<T: Copy>(&mut self, (text, span): (&'a str, Span), all: &[(T, &'static str)], what: &str) -> Option<T> {
        if let Some((value, _)) = all.iter().find(|(_, name)| *name == text) {
            return Some(*value);
        }
        let diagnostic = Diagnostic::error(errors::BAD_ATTRIBUTE, span, format!("unknown {what} `{text}`"));
        let foreign = foreign::name(foreign::Place::Sampler, text);
        let is_one = |word: &&str| all.iter().any(|(_, name)| name == word);
        self.report(match foreign.filter(is_one) {
            Some(word) => diagnostic.help(format!("Akari calls it `{word}`")),
            None => suggest(diagnostic, text, all.iter().map(|(_, name)| *name)),
        });
        None
    }

    /// The numbers of `@compute(threads = (x, y, z))`; none where they depend on `const` parameters.
    pub(super) fn threads(&mut self, attribute: &'a ast::Attribute<'a>) -> Option<[u32; 3]> {
        let fallback = Some([1; 3]);
        let Some(values) = self.thread_list(attribute) else {
            return fallback;
        };
        let mut numbers = [1; 3];
        let mut open = false;
        for (number, written) in numbers.iter_mut().zip(values) {
            let Some((id, _)) = self.open_integer(written, None, "a number of threads") else {
                return fallback;
            };
            let Some(value) = self.integer_value(id) else {
                open = true;
                continue;
            };
            match u32::try_from(value).ok().filter(|value| *value > 0) {
                Some(value) => *number = value,
                None => {
                    self.error(errors::BAD_THREADS, written.span, "a number of threads must be a positive integer");
                    return fallback;
                }
            }
        }
        let total: u64 = numbers.iter().map(|number| u64::from(*number)).product();
        if numbers.iter().any(|number| *number > 1024) || total > 1024 {
            let message = format!("a thread group has at most 1024 threads, not {total}");
            self.error(errors::BAD_THREADS, attribute.span, message);
            return fallback;
        }
        (!open).then_some(numbers)
    }

    /// The numbers of the `@compute` at `span` as expressions of the body, each a `uint` or an `int`, with their place.
    pub(super) fn thread_expressions(
        &mut self,
        attributes: &'a [ast::Attribute<'a>],
        span: Span,
    ) -> Option<([ExprId; 3], Span)> {
        let attribute = attributes.iter().find(|attribute| attribute.span == span)?;
        let values = self.thread_list(attribute)?;
        let [x, y, z] = values else { return None };
        let mut number =
            |written: &'a ast::Expr<'a>| self.open_integer(written, None, "a number of threads").map(|(id, _)| id);
        Some(([number(x)?, number(y)?, number(z)?], span))
    }

    /// What is written for the numbers of threads: three of them.
    fn thread_list(&mut self, attribute: &'a ast::Attribute<'a>) -> Option<&'a [ast::Expr<'a>]> {
        let fallback = None;
        let threads = match attribute.args {
            Some([AttributeArg { name: Some(name), value, .. }]) if self.program.text(name.name) == "threads" => value,
            Some([AttributeArg { name: Some(name), .. }, ..]) if self.program.text(name.name) != "threads" => {
                let message = format!("`@compute` has no argument `{}`", self.program.text(name.name));
                let diagnostic = Diagnostic::error(errors::BAD_ATTRIBUTE, name.span, message);
                self.report(diagnostic.help("write `@compute(threads = (x, y, z))`"));
                return fallback;
            }
            _ => {
                let message = "`@compute` needs `threads`: `@compute(threads = (x, y, z))`";
                self.error(errors::BAD_ATTRIBUTE, attribute.span, message);
                return fallback;
            }
        };
        match threads {
            AttributeValue::Tuple(values) if values.len() == 3 => Some(*values),
            AttributeValue::Tuple(values) => {
                let message = format!("`threads` takes three numbers, not {}", values.len());
                self.error(errors::BAD_THREADS, attribute.span, message);
                fallback
            }
            AttributeValue::Expr(value) => {
                self.error(errors::BAD_THREADS, value.span, "`threads` takes three numbers: `(x, y, z)`");
                fallback
            }
        }
    }
}
