//! The declarations of Metal source: structs, functions, program-scope variables, with attributes and address spaces. Bodies and initializers
//! stay ranges of tokens; clang is the one that understands expressions.

use super::lexer::{Directive, Kind, Token, Tokens, tokenize};
use std::ops::Range;

/// One of Metal's address spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressSpace {
    Device,
    Constant,
    Thread,
    Threadgroup,
}

impl AddressSpace {
    fn named(word: &str) -> Option<Self> {
        match word {
            "device" => Some(Self::Device),
            "constant" => Some(Self::Constant),
            "thread" => Some(Self::Thread),
            "threadgroup" => Some(Self::Threadgroup),
            _ => None,
        }
    }
}

/// How a declared name relates to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Indirection {
    Value,
    Pointer,
    Reference,
}

/// `[[name(argument)]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Attribute {
    /// Its name.
    pub(super) name: String,
    /// What stands in its parentheses.
    pub(super) argument: Option<String>,
    /// The line it stands on.
    pub(super) line: u32,
}

impl Attribute {
    /// The argument as a number.
    pub(super) fn index(&self) -> Option<u32> {
        self.argument.as_deref()?.parse().ok()
    }
}

/// A variable, parameter or field.
#[derive(Clone, Debug)]
pub(super) struct Declaration {
    /// Its name; empty for an unnamed parameter.
    pub(super) name: String,
    /// The type without qualifiers and indirection, its tokens joined by single blanks only where needed.
    pub(super) ty: String,
    /// The address spaces named, in order.
    pub(super) spaces: Vec<AddressSpace>,
    /// `*` or `&`.
    pub(super) indirection: Indirection,
    /// Whether `const` or `constant` is among the words before the name.
    pub(super) constant: bool,
    /// Storage words: `static`, `constexpr`, `extern`, `volatile`, …
    pub(super) storage: Vec<String>,
    /// The array extents after the name, as written.
    pub(super) extents: Vec<String>,
    /// Its attributes.
    pub(super) attributes: Vec<Attribute>,
    /// The line of its first token.
    pub(super) line: u32,
    /// Whether an initializer follows.
    pub(super) initialized: bool,
    /// The tokens of the whole declaration, without `;`.
    pub(super) tokens: Range<usize>,
}

impl Declaration {
    /// The attribute of that name.
    pub(super) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// A struct.
#[derive(Clone, Debug)]
pub(super) struct Struct {
    /// Its name.
    pub(super) name: String,
    /// Its fields in order.
    pub(super) fields: Vec<Declaration>,
    /// The line it begins on.
    pub(super) line: u32,
}

/// The stage of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryStage {
    Kernel,
    Vertex,
    Fragment,
}

/// A function, or its prototype.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its name.
    pub(super) name: String,
    /// Present for an entry.
    pub(super) stage: Option<EntryStage>,
    /// The attributes before and after the declarator.
    pub(super) attributes: Vec<Attribute>,
    /// What it returns; the declaration has no name.
    pub(super) result: Declaration,
    /// Its parameters in order.
    pub(super) parameters: Vec<Declaration>,
    /// The line of its name.
    pub(super) line: u32,
    /// Whether it is a template.
    pub(super) template: bool,
    /// The tokens between the braces of its body.
    pub(super) body: Option<Range<usize>>,
}

/// A parsed source.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) source: String,
    pub(super) tokens: Vec<Token>,
    pub(super) directives: Vec<Directive>,
    /// In the order of the source.
    pub(super) structs: Vec<Struct>,
    /// In the order of the source, prototypes included.
    pub(super) functions: Vec<Function>,
    /// Variables of program scope.
    pub(super) variables: Vec<Declaration>,
}

impl Unit {
    /// The struct of that name.
    pub(super) fn struct_named(&self, name: &str) -> Option<&Struct> {
        self.structs.iter().find(|item| item.name == name)
    }
}

/// Reads the declarations of `source`.
///
/// # Errors
/// The first place that cannot be read.
pub(super) fn parse(source: &str) -> Result<Unit, String> {
    let Tokens { tokens, directives } = tokenize(source)?;
    let mut parser =
        Parser { tokens: &tokens, at: 0, structs: Vec::new(), functions: Vec::new(), variables: Vec::new() };
    parser.items(tokens.len())?;
    let Parser { structs, functions, variables, .. } = parser;
    Ok(Unit { source: source.to_owned(), tokens, directives, structs, functions, variables })
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    structs: Vec<Struct>,
    functions: Vec<Function>,
    variables: Vec<Declaration>,
}

/// Words before a declared name that are neither type nor address space.
const STORAGE: [&str; 7] = ["static", "constexpr", "extern", "inline", "volatile", "mutable", "register"];

impl Parser<'_> {
    fn is(&self, at: usize, text: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(text))
    }

    fn line(&self, at: usize) -> u32 {
        self.tokens.get(at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    /// The token that closes the bracket at `open`.
    fn closing(&self, open: usize) -> Result<usize, String> {
        let mut stack = Vec::new();
        for (at, token) in self.tokens.iter().enumerate().skip(open) {
            if token.kind != Kind::Sign {
                continue;
            }
            match token.text.as_str() {
                "(" => stack.push(")"),
                "[" => stack.push("]"),
                "{" => stack.push("}"),
                ")" | "]" | "}" => {
                    if stack.pop() != Some(token.text.as_str()) {
                        return Err(format!("line {}: `{}` closes nothing", token.line, token.text));
                    }
                    if stack.is_empty() {
                        return Ok(at);
                    }
                }
                _ => {}
            }
        }
        Err(format!("line {}: `{}` is never closed", self.line(open), self.tokens[open].text))
    }

    /// The `>` that closes the `<` at `open`, or `None` where it is a comparison.
    fn closing_angle(&self, open: usize, end: usize) -> Option<usize> {
        let mut depth = 0;
        let mut at = open;
        while at < end {
            match self.tokens[at].text.as_str() {
                "<" => depth += 1,
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at);
                    }
                }
                "(" | "[" => at = self.closing(at).ok()?,
                ";" | "{" | "}" | "&&" | "||" | "=" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn items(&mut self, end: usize) -> Result<(), String> {
        while self.at < end {
            let token = &self.tokens[self.at];
            match token.text.as_str() {
                ";" => self.at += 1,
                "using" | "typedef" | "static_assert" => self.skip_statement(end)?,
                "namespace" => {
                    let open = (self.at..end)
                        .find(|&at| self.is(at, "{"))
                        .ok_or_else(|| format!("line {}: namespace without body", token.line))?;
                    let close = self.closing(open)?;
                    self.at = open + 1;
                    self.items(close)?;
                    self.at = close + 1;
                }
                "enum" => self.skip_statement(end)?,
                "struct"
                    if self.tokens.get(self.at + 1).is_some_and(Token::is_word)
                        && (self.is(self.at + 2, "{") || self.is(self.at + 2, ";")) =>
                {
                    self.struct_item(end)?;
                }
                _ => self.declaration_item(end)?,
            }
        }
        Ok(())
    }

    fn skip_statement(&mut self, end: usize) -> Result<(), String> {
        while self.at < end && !self.is(self.at, ";") {
            if matches!(self.tokens[self.at].text.as_str(), "(" | "[" | "{") && self.tokens[self.at].kind == Kind::Sign
            {
                self.at = self.closing(self.at)?;
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    fn struct_item(&mut self, end: usize) -> Result<(), String> {
        let line = self.line(self.at);
        let name = self.tokens[self.at + 1].text.to_owned();
        let open = self.at + 2;
        if self.is(open, ";") {
            self.at = open + 1;
            return Ok(());
        }
        let close = self.closing(open)?;
        let mut fields = Vec::new();
        let mut at = open + 1;
        while at < close {
            let mut field_end = at;
            let mut function = false;
            while field_end < close && !self.is(field_end, ";") {
                match self.tokens[field_end].text.as_str() {
                    "(" | "[" => field_end = self.closing(field_end)?,
                    "{" => {
                        let initializer = field_end > at
                            && (self.is(field_end - 1, "=")
                                || self.tokens[field_end - 1].is_word() && !self.is(field_end - 1, "const"));
                        field_end = self.closing(field_end)?;
                        if !initializer {
                            function = true;
                            break;
                        }
                    }
                    _ => {}
                }
                field_end += 1;
            }
            if function {
                return Err(format!("line {}: member functions are not read here", self.line(at)));
            }
            if field_end > at {
                fields.push(self.declaration(at..field_end)?);
            }
            at = field_end + 1;
        }
        self.structs.push(Struct { name, fields, line });
        self.at = close + 1;
        if self.at < end && self.is(self.at, ";") {
            self.at += 1;
            Ok(())
        } else {
            Err(format!("line {}: a struct ends with `;`", self.line(close)))
        }
    }

    /// A function, a prototype or a variable.
    fn declaration_item(&mut self, end: usize) -> Result<(), String> {
        let mut begin = self.at;
        let mut template = false;
        if self.is(begin, "template") {
            template = true;
            let close = if self.is(begin + 1, "<") { self.closing_angle(begin + 1, end) } else { None };
            begin = close.ok_or_else(|| format!("line {}: template without parameters", self.line(begin)))? + 1;
        }
        let mut at = begin;
        let mut parameters = None;
        let mut assigned = false;
        while at < end && !self.is(at, ";") && !self.is(at, "{") {
            if self.is(at, "=") {
                assigned = true;
            } else if self.is(at, "[") {
                at = self.closing(at)?;
            } else if self.is(at, "(") {
                let close = self.closing(at)?;
                if parameters.is_none() && !assigned && at > begin && self.tokens[at - 1].is_word() {
                    parameters = Some((at, close));
                }
                at = close;
            } else if assigned && self.is(at, "{") {
                at = self.closing(at)?;
            }
            if assigned && self.is(at + 1, "{") {
                at = self.closing(at + 1)?;
            }
            at += 1;
        }
        if at >= end {
            return Err(format!("line {}: declaration without end", self.line(begin)));
        }
        // `sampler s(filter::linear)` is a variable, however it looks.
        let sampler = |open: usize, close: usize| {
            self.tokens[begin..open].iter().any(|token| token.is("sampler"))
                && self.tokens[open..close].iter().any(|token| token.is("::"))
                && !self.is(at, "{")
        };
        match parameters {
            Some((open, close)) if !sampler(open, close) => self.function(begin, open, close, at, template),
            _ => {
                if self.is(at, "{") {
                    return Err(format!("line {}: `{{` begins no body here", self.line(at)));
                }
                let declaration = self.declaration(begin..at)?;
                self.variables.push(declaration);
                self.at = at + 1;
                Ok(())
            }
        }
    }

    fn function(&mut self, begin: usize, open: usize, close: usize, body: usize, template: bool) -> Result<(), String> {
        let (mut attributes, head) = self.without_attributes(begin..open)?;
        let (after, tail) = self.without_attributes(close + 1..body)?;
        attributes.extend(after);
        if let Some(&at) = tail.first() {
            return Err(format!(
                "line {}: `{}` after the parameters of a function",
                self.line(at),
                self.tokens[at].text
            ));
        }
        let name_at = *head.last().ok_or_else(|| format!("line {}: function without name", self.line(begin)))?;
        let mut stage = None;
        let stage_of = |word: &str| match word {
            "kernel" => Some(EntryStage::Kernel),
            "vertex" => Some(EntryStage::Vertex),
            "fragment" => Some(EntryStage::Fragment),
            _ => None,
        };
        let mut result = Vec::new();
        for &at in &head[..head.len() - 1] {
            match stage_of(&self.tokens[at].text) {
                Some(found) if stage.is_none() => stage = Some(found),
                Some(_) => return Err(format!("line {}: two stages on one function", self.line(at))),
                None => result.push(at),
            }
        }
        attributes.retain(|attribute| match stage_of(&attribute.name) {
            Some(found) if stage.is_none() => {
                stage = Some(found);
                false
            }
            _ => true,
        });
        let result = self.declarator(&result, false, begin..open)?;
        let mut parameters = Vec::new();
        let mut start = open + 1;
        for part_end in self.commas(open + 1..close)? {
            if part_end > start && !(part_end == start + 1 && self.is(start, "void")) {
                parameters.push(self.declaration(start..part_end)?);
            }
            start = part_end + 1;
        }
        let line = self.line(name_at);
        let name = self.tokens[name_at].text.to_owned();
        let body_range = if self.is(body, "{") {
            let end = self.closing(body)?;
            self.at = end + 1;
            Some(body + 1..end)
        } else {
            self.at = body + 1;
            None
        };
        self.functions.push(Function { name, stage, attributes, result, parameters, line, template, body: body_range });
        Ok(())
    }

    /// The ends of the parts of `range` that commas separate.
    fn commas(&self, range: Range<usize>) -> Result<Vec<usize>, String> {
        let mut ends = Vec::new();
        let mut at = range.start;
        while at < range.end {
            match self.tokens[at].text.as_str() {
                "(" | "[" | "{" => at = self.closing(at)?,
                "<" => at = self.closing_angle(at, range.end).unwrap_or(at),
                "," => ends.push(at),
                _ => {}
            }
            at += 1;
        }
        ends.push(range.end);
        Ok(ends)
    }

    /// The attributes in `range`, and the tokens that belong to none.
    fn without_attributes(&self, range: Range<usize>) -> Result<(Vec<Attribute>, Vec<usize>), String> {
        let mut attributes = Vec::new();
        let mut rest = Vec::new();
        let mut at = range.start;
        while at < range.end {
            if self.is(at, "[") && self.is(at + 1, "[") {
                let close = self.closing(at)?;
                let mut start = at + 2;
                for end in self.commas(at + 2..close - 1)? {
                    attributes.push(self.attribute(start..end)?);
                    start = end + 1;
                }
                at = close;
            } else {
                rest.push(at);
            }
            at += 1;
        }
        Ok((attributes, rest))
    }

    fn attribute(&self, range: Range<usize>) -> Result<Attribute, String> {
        let line = self.line(range.start);
        let name = self.tokens[range.clone()]
            .first()
            .filter(|token| token.is_word())
            .ok_or_else(|| format!("line {line}: attribute without name"))?;
        let argument = if range.len() > 1 {
            let open = range.start + 1;
            if !self.is(open, "(") || self.closing(open)? + 1 != range.end {
                return Err(format!("line {line}: attribute `{}` is not closed where it should be", name.text));
            }
            Some(self.join(&(open + 1..range.end - 1).collect::<Vec<_>>()))
        } else {
            None
        };
        Ok(Attribute { name: name.text.to_owned(), argument, line })
    }

    fn declaration(&self, range: Range<usize>) -> Result<Declaration, String> {
        let (attributes, rest) = self.without_attributes(range.clone())?;
        let mut declaration = self.declarator(&rest, true, range)?;
        declaration.attributes = attributes;
        Ok(declaration)
    }

    /// Reads type and name from `tokens`, which hold no attributes.
    fn declarator(&self, tokens: &[usize], named: bool, range: Range<usize>) -> Result<Declaration, String> {
        let line = self.line(range.start);
        let initializer = tokens.iter().position(|&at| self.is(at, "="));
        let mut initialized = initializer.is_some();
        let tokens = &tokens[..initializer.unwrap_or(tokens.len())];
        // `sampler s(…)`, `T x{…}`.
        let mut depth_end = tokens.len();
        let mut angle = 0_i32;
        for (index, &at) in tokens.iter().enumerate() {
            match self.tokens[at].text.as_str() {
                "<" => angle += 1,
                ">" => angle -= 1,
                "(" | "{"
                    if angle == 0
                        && index > 0
                        && self.tokens[tokens[index - 1]].is_word()
                        && tokens.get(index + 1).is_some_and(|&n| !self.is(n, "&") && !self.is(n, "*")) =>
                {
                    initialized = true;
                    depth_end = index;
                    break;
                }
                _ => {}
            }
        }
        let mut head = tokens[..depth_end].to_vec();
        let mut extents = Vec::new();
        while head.last().is_some_and(|&at| self.is(at, "]")) {
            let open =
                head.iter().rposition(|&at| self.is(at, "[")).ok_or_else(|| format!("line {line}: `]` without `[`"))?;
            extents.insert(0, self.join(&head[open + 1..head.len() - 1]));
            head.truncate(open);
        }
        // `T (&name)`.
        head.retain(|&at| !self.is(at, "(") && !self.is(at, ")"));
        let mut name_token = None;
        if named
            && head.len() > 1
            && head
                .last()
                .is_some_and(|&at| self.tokens[at].is_word() && AddressSpace::named(&self.tokens[at].text).is_none())
        {
            let after_type = head[..head.len() - 1].iter().any(|&at| {
                let token = &self.tokens[at];
                token.is_word()
                    && AddressSpace::named(&token.text).is_none()
                    && !STORAGE.contains(&token.text.as_str())
                    && token.text != "const"
            });
            let qualified = self.is(head[head.len() - 2], "::");
            if after_type && !qualified {
                name_token = head.pop();
            }
        }
        let mut declaration = Declaration {
            name: name_token.map_or_else(String::new, |at| self.tokens[at].text.to_owned()),
            ty: String::new(),
            spaces: Vec::new(),
            indirection: Indirection::Value,
            constant: false,
            storage: Vec::new(),
            extents,
            attributes: Vec::new(),
            line,
            initialized,
            tokens: range,
        };
        let mut ty = Vec::new();
        let mut angle = 0;
        for &at in &head {
            let text = self.tokens[at].text.as_str();
            match text {
                "<" => angle += 1,
                ">" => angle -= 1,
                _ => {}
            }
            if angle == 0 {
                if let Some(space) = AddressSpace::named(text) {
                    declaration.spaces.push(space);
                    declaration.constant |= space == AddressSpace::Constant;
                    continue;
                }
                match text {
                    "*" => declaration.indirection = Indirection::Pointer,
                    "&" | "&&" => declaration.indirection = Indirection::Reference,
                    "const" => declaration.constant = true,
                    _ if STORAGE.contains(&text) => declaration.storage.push(text.to_owned()),
                    _ => ty.push(at),
                }
            } else {
                ty.push(at);
            }
        }
        declaration.ty = self.join(&ty);
        if declaration.ty.is_empty() {
            return Err(format!("line {line}: declaration without type"));
        }
        Ok(declaration)
    }

    /// The text of tokens, with blanks only between words and after commas.
    fn join(&self, tokens: &[usize]) -> String {
        let mut text = String::new();
        let mut previous: Option<&Token> = None;
        for &at in tokens {
            let token = &self.tokens[at];
            let word = |t: &Token| matches!(t.kind, Kind::Word | Kind::Number);
            if previous.is_some_and(|before| word(before) && word(token) || before.is(",")) {
                text.push(' ');
            }
            text.push_str(&token.text);
            previous = Some(token);
        }
        text
    }
}
