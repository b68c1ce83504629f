//! Numbers, conditions, constants and function values, and calls that take them.

use std::fmt::Write as _;

use super::{Kind, Program, Takes};

impl Program {
    /// A function value: a name, or where it may a closure on the spot.
    pub(super) fn function(&mut self, takes: Takes, inline: bool) -> String {
        let (kind, free) = if takes == Takes::Action { (Kind::Action, "step") } else { (Kind::Function, "triple") };
        if inline && self.closures < 2 && self.random.chance(40) {
            let mut body = String::new();
            let parameter = if takes == Takes::Action { Kind::Var } else { Kind::Let };
            // What it calls may need a statement before the one that is made up, which does not see its parameter.
            let callable = std::mem::replace(&mut self.callable, 0);
            self.inside(parameter, |program| body = program.number(2));
            self.callable = callable;
            let assigned = self.known(&[Kind::Var]).filter(|name| name != "y" && self.random.chance(40));
            return match (takes, assigned) {
                (Takes::Action, Some(name)) => format!("|y| {{ y = {body}; {name} += y; }}"),
                (Takes::Action, None) => format!("|y| {{ y = {body}; }}"),
                (_, Some(name)) => format!("|y| {{ {name} += y; return {body}; }}"),
                (_, None) => format!("|y| {body}"),
            };
        }
        match self.known(&[kind]).filter(|_| self.random.chance(80)) {
            Some(name) => name,
            None => free.to_owned(),
        }
    }

    /// A number. Up to `depth` operators deep.
    pub(super) fn number(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        match self.random.below(9) {
            0 | 1 => {
                let (a, b) = (self.number(depth - 1), self.number(depth - 1));
                let op = self.random.pick(&["+", "-", "*", "^", "&", "|"]);
                format!("({a} {op} {b})")
            }
            2 => {
                let (condition, a, b) = (self.truth(1), self.number(depth - 1), self.number(depth - 1));
                format!("({condition} ? {a} : {b})")
            }
            3 | 4 if self.calls > 0 => {
                self.calls -= 1;
                let function = self.function(Takes::Function, false);
                let value = self.number(depth - 1);
                format!("{function}({value})")
            }
            5 | 6 if self.calls > 0 && self.callable > 0 => {
                self.calls -= 1;
                self.call()
            }
            7 => {
                let index = self.number(depth - 1);
                format!("table[({index}) & 15u]")
            }
            _ => self.leaf(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(10) {
            0 => format!("{}u", self.random.below(20)),
            1 => match self.known(&[Kind::Buffer]) {
                Some(name) => format!("{name}[{}u]", self.random.below(16)),
                None => "7u".to_owned(),
            },
            2 => match self.known(&[Kind::Table]) {
                Some(name) => {
                    let (table, length) = name.split_once('[').unwrap_or((&name, "1u]"));
                    let length = length.trim_end_matches(']').to_owned();
                    let table = table.to_owned();
                    let index = self.known(&[Kind::Let, Kind::Number]).unwrap_or("0u".to_owned());
                    format!("{table}[{index} % ({length} + 1u)]")
                }
                None => "1u".to_owned(),
            },
            3 => match self.known(&[Kind::Truth]) {
                Some(name) => format!("({name} ? 3u : 4u)"),
                None => "2u".to_owned(),
            },
            4 => match self.known(&[Kind::Case]) {
                Some(name) => format!("({name} as uint)"),
                None => "9u".to_owned(),
            },
            5 => self.known(&[Kind::Number]).unwrap_or("5u".to_owned()),
            _ => self.known(&[Kind::Let, Kind::Var]).unwrap_or("6u".to_owned()),
        }
    }

    pub(super) fn truth(&mut self, depth: usize) -> String {
        match self.random.below(7) {
            0 if depth > 0 => {
                let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
                let op = self.random.pick(&["&&", "||"]);
                format!("({a} {op} {b})")
            }
            1 => match self.known(&[Kind::Truth]) {
                Some(name) => name,
                None => "true".to_owned(),
            },
            2 => match self.known(&[Kind::Case]) {
                Some(name) => format!("{name} == Mode.{}", self.case()),
                None => "false".to_owned(),
            },
            3 => match self.known(&[Kind::Optional]) {
                Some(name) => format!("{name} == none"),
                None => "true".to_owned(),
            },
            4 => match self.known(&[Kind::Number]) {
                Some(name) => format!("{name} > {}u", self.random.below(3)),
                None => "false".to_owned(),
            },
            _ => {
                let a = self.leaf();
                format!("({a} & 1u) == {}u", self.random.below(2))
            }
        }
    }

    fn case(&mut self) -> &'static str {
        self.random.pick(&["Off", "On", "Twice"])
    }

    /// A constant for a `const` parameter; where there is a scope, it may depend on one of these.
    pub(super) fn constant(&mut self, takes: Takes) -> String {
        let outer = match takes {
            Takes::Number => self.known(&[Kind::Number]),
            Takes::Truth => self.known(&[Kind::Truth]),
            _ => self.known(&[Kind::Case]),
        };
        match (takes, outer.filter(|_| self.random.chance(50))) {
            (Takes::Number, Some(name)) => {
                self.random.pick(&["({} + 1u) % 5u", "{}", "({} > 1u ? 0u : {})"]).replace("{}", &name)
            }
            (Takes::Number, None) => format!("{}u", self.random.below(4)),
            (Takes::Truth, Some(name)) => self.random.pick(&["!{}", "{}", "({} || false)"]).replace("{}", &name),
            (Takes::Truth, None) => self.random.pick(&["true", "false"]).to_owned(),
            (_, Some(name)) => name,
            (_, None) => format!("Mode.{}", self.case()),
        }
    }

    /// A call of a template or an instance. What it is lent, it is lent by a closure's own variable.
    fn call(&mut self) -> String {
        let number = self.random.below(self.callable);
        let template = self.templates[number].clone();
        let mut lent = Vec::new();
        let arguments: Vec<String> = template
            .params
            .iter()
            .map(|(_, takes)| match takes {
                Takes::Value => self.leaf(),
                Takes::Inout => {
                    let name = self.name("l");
                    lent.push(name.clone());
                    name
                }
                Takes::Number | Takes::Truth | Takes::Case => self.constant(*takes),
                Takes::Function | Takes::Action => self.function(*takes, lent.is_empty()),
                Takes::Buffer => match self.known(&[Kind::Optional, Kind::Buffer]).filter(|_| self.random.chance(70)) {
                    Some(name) => name,
                    None => self.random.pick(&["none", "table"]).to_owned(),
                },
            })
            .collect();
        let call = format!("{}({})", template.name, arguments.join(", "));
        if lent.is_empty() {
            return call;
        }
        // A statement before would change the order of things: the variable's own place is a function.
        let text = lent.iter().fold(String::new(), |mut text, name| {
            let _ = write!(text, "var {name} = 11u; ");
            text
        });
        let sum = lent.join(" + ");
        let wrapper = self.name("c");
        self.pending(&wrapper, &format!("{text}let r = {call}; return r + {sum};"));
        format!("{wrapper}()")
    }

    /// Writes a closure without parameters before the statement that is being made up.
    fn pending(&mut self, name: &str, body: &str) {
        self.line(format!("let {name} = || -> uint {{ {body} }};"));
    }
}
