//! Parsing modules, functions and operations.

use std::str::FromStr;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::keywords::value_of;
use super::lex::{Lexer, ParseError, Token};
use crate::dialect::Registry;
use crate::entity::{FuncId, GlobalId, OpId, RegionId, StructId, Symbol, ValueId};
use crate::interface::{FieldRole, Stage};
use crate::module::{Entry, Field, Function, Global, GlobalKind, Module, Struct, Varying};
use crate::op::{Attr, AttrKind, OpDef};
use crate::span::{FileId, Span};
use crate::types::Scalar;

/// How deep regions may nest in a text.
const NESTING_LIMIT: u32 = 1000;

/// Parses a module. Each operation's location is its place in `text`, in file 0.
///
/// # Errors
/// The first fault. That the module obeys the rules of its operations is the verifier's business.
pub fn parse(registry: Registry<'_>, text: &str) -> Result<Module, ParseError> {
    let mut parser = Parser {
        registry,
        lexer: Lexer::new(text),
        token: Token::End,
        start: 0,
        module: Module::default(),
        structs: FxHashMap::default(),
        globals: FxHashMap::default(),
        functions: FxHashMap::default(),
        calls: Vec::new(),
        values: FxHashMap::default(),
        depth: 0,
    };
    parser.advance()?;
    parser.whole_module()?;
    Ok(parser.module)
}

pub(super) struct Parser<'t> {
    registry: Registry<'t>,
    lexer: Lexer<'t>,
    pub(super) token: Token,
    start: usize,
    pub(super) module: Module,
    pub(super) structs: FxHashMap<(String, u32), StructId>,
    globals: FxHashMap<(String, u32), GlobalId>,
    functions: FxHashMap<(String, u32), FuncId>,
    /// Function attributes to fill once every function is known: operation, slot, name, place.
    calls: Vec<(OpId, usize, (String, u32), usize)>,
    values: FxHashMap<String, ValueId>,
    depth: u32,
}

impl Parser<'_> {
    pub(super) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { offset: self.start, message: message.into() }
    }

    pub(super) fn advance(&mut self) -> Result<Token, ParseError> {
        let next = self.lexer.next()?;
        self.start = self.lexer.start;
        Ok(std::mem::replace(&mut self.token, next))
    }

    pub(super) fn eat(&mut self, mark: char) -> Result<bool, ParseError> {
        let found = self.token == Token::Mark(mark);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn mark(&mut self, mark: char) -> Result<(), ParseError> {
        if self.eat(mark)? { Ok(()) } else { Err(self.error(format!("`{mark}` must stand here"))) }
    }

    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool, ParseError> {
        let found = matches!(&self.token, Token::Word(found) if found == word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// As [`Self::eat_word`], for an attribute of a field: not where the word names the next field.
    pub(super) fn eat_attribute(&mut self, word: &str) -> Result<bool, ParseError> {
        let found = matches!(&self.token, Token::Word(found) if found == word)
            && self.lexer.clone().next()? != Token::Mark(':');
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<(), ParseError> {
        if self.eat_word(word)? { Ok(()) } else { Err(self.error(format!("`{word}` must stand here"))) }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<String, ParseError> {
        if !matches!(self.token, Token::Word(_)) {
            return Err(self.error(format!("{what} must stand here")));
        }
        match self.advance()? {
            Token::Word(word) => Ok(word),
            _ => Err(self.error(format!("{what} must stand here"))),
        }
    }

    /// A name: bare or quoted.
    pub(super) fn symbol(&mut self) -> Result<Symbol, ParseError> {
        match &self.token {
            Token::Word(text) | Token::Text(text) => {
                let symbol = self.module.symbols.intern(text);
                self.advance()?;
                Ok(symbol)
            }
            _ => Err(self.error("a name must stand here")),
        }
    }

    pub(super) fn number<T: FromStr + TryFrom<u64>>(&mut self) -> Result<T, ParseError> {
        let Token::Number(text) = &self.token else { return Err(self.error("a number must stand here")) };
        let value = match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok().and_then(|value| T::try_from(value).ok()),
            None => text.parse().ok(),
        };
        let value = value.ok_or_else(|| self.error("the number does not fit here"))?;
        self.advance()?;
        Ok(value)
    }

    fn whole_module(&mut self) -> Result<(), ParseError> {
        if self.eat_word("module")? {
            match self.advance()? {
                Token::Text(name) => self.module.name = name,
                _ => return Err(self.error("the module's name must stand here")),
            }
        }
        while self.token != Token::End {
            let doc = if self.eat_word("doc")? { Some(self.symbol()?) } else { None };
            let packed = self.eat_word("packed")?;
            let word = self.word("an item")?;
            match word.as_str() {
                "struct" => self.structure(doc, packed)?,
                "const" | "workgroup" | "resource" => self.global(&word)?,
                "func" => self.function(doc, None, false)?,
                "closure" => {
                    self.keyword("func")?;
                    self.function(doc, None, true)?;
                }
                "varying" => self.varying()?,
                stage => match value_of(&Stage::ALL, stage) {
                    Some(stage) => {
                        let threads = if stage == Stage::Compute { self.threads()? } else { [1; 3] };
                        self.keyword("func")?;
                        self.function(doc, Some(Entry { stage, threads }), false)?;
                    }
                    None => return Err(self.error(format!("`{stage}` begins no item"))),
                },
            }
        }
        for (op, slot, name, offset) in std::mem::take(&mut self.calls) {
            let message = || format!("no function is called `@{}`", name.0);
            let func = *self.functions.get(&name).ok_or_else(|| ParseError { offset, message: message() })?;
            self.module.op_mut(op).attrs[slot] = Attr::Func(func);
        }
        Ok(())
    }

    fn varying(&mut self) -> Result<(), ParseError> {
        let location = self.number()?;
        self.mark(':')?;
        let name = self.word("a scalar type")?;
        let scalar = value_of(&Scalar::ALL, &name).ok_or_else(|| self.error(format!("`{name}` is no scalar type")))?;
        let width = self.number()?;
        let interpolation = self.interpolation()?;
        self.module.varyings.push(Varying { location, scalar, width, interpolation });
        Ok(())
    }

    fn threads(&mut self) -> Result<[u32; 3], ParseError> {
        self.mark('(')?;
        let x = self.number()?;
        self.mark(',')?;
        let y = self.number()?;
        self.mark(',')?;
        let z = self.number()?;
        self.mark(')')?;
        Ok([x, y, z])
    }

    fn item_name(&mut self) -> Result<(String, u32), ParseError> {
        match self.advance()? {
            Token::Global(name, count) => Ok((name, count)),
            _ => Err(self.error("a name with `@` must stand before this")),
        }
    }

    fn structure(&mut self, doc: Option<Symbol>, packed: bool) -> Result<(), ParseError> {
        let key = self.item_name()?;
        let name = self.module.symbols.intern(&key.0);
        self.mark('{')?;
        let mut fields = Vec::new();
        while !self.eat('}')? {
            let start = self.start;
            let name = self.symbol()?;
            let loc = Some(Span::new(FileId(0), start as u32, self.start as u32));
            self.mark(':')?;
            let ty = self.ty()?;
            let role = self.field_role()?;
            let interpolation = self.interpolation()?;
            let location = if self.eat_attribute("location")? { Some(self.number()?) } else { None };
            let offset = if self.eat_attribute("offset")? { Some(self.number()?) } else { None };
            fields.push(Field { name, ty, role, interpolation, location, offset, loc });
        }
        let id = self.module.structs.alloc(Struct { name, doc, fields, packed, loc: None });
        self.structs.insert(key, id);
        Ok(())
    }

    fn global(&mut self, keyword: &str) -> Result<(), ParseError> {
        let key = self.item_name()?;
        let name = self.module.symbols.intern(&key.0);
        self.mark(':')?;
        let ty = self.ty()?;
        let kind = match keyword {
            "const" => {
                self.mark('=')?;
                GlobalKind::Constant(self.constant(ty)?)
            }
            "workgroup" => GlobalKind::Workgroup,
            _ => {
                let source = self
                    .binding_source()?
                    .ok_or_else(|| self.error("where the resource comes from must stand here"))?;
                GlobalKind::Resource { source, slot: self.slot()? }
            }
        };
        let id = self.module.globals.alloc(Global { name, ty, kind, loc: None });
        self.globals.insert(key, id);
        Ok(())
    }

    fn function(&mut self, doc: Option<Symbol>, entry: Option<Entry>, is_closure: bool) -> Result<(), ParseError> {
        let start = self.start;
        let key = self.item_name()?;
        let name = self.module.symbols.intern(&key.0);
        let body = self.module.new_region();
        let func = self.module.functions.alloc(Function {
            name,
            doc,
            params: Vec::new(),
            result: None,
            result_role: FieldRole::Plain,
            entry,
            is_closure,
            requested: None,
            body,
            loc: Some(Span::new(FileId(0), start as u32, self.start as u32)),
        });
        self.functions.insert(key, func);
        self.values.clear();
        self.mark('(')?;
        while !self.eat(')')? {
            if !self.module.functions[func].params.is_empty() {
                self.mark(',')?;
            }
            let mode = self.pass_mode()?;
            let start = self.start;
            let Token::Value(name) = self.advance()? else { return Err(self.error("a parameter must stand here")) };
            let loc = Some(Span::new(FileId(0), start as u32, self.start as u32));
            self.mark(':')?;
            let ty = self.ty()?;
            let role = self.param_role()?;
            let is_capture = self.eat_word("capture")?;
            let slot = self.slot()?;
            let hint = self.name_hint(&name);
            let value = self.module.add_param(func, hint, ty, mode, role);
            if let Some(param) = self.module.functions[func].params.last_mut() {
                (param.slot, param.is_capture, param.loc) = (slot, is_capture, loc);
            }
            self.bind_value(name, value, start)?;
        }
        if self.eat_arrow()? {
            let result = self.ty()?;
            self.module.functions[func].result = Some(result);
            self.module.functions[func].result_role = self.field_role()?;
        }
        self.mark('{')?;
        self.ops(body)
    }

    fn bind_value(&mut self, name: String, value: ValueId, offset: usize) -> Result<(), ParseError> {
        if self.values.insert(name, value).is_some() {
            let message = "a value of this name stands before in the function".to_owned();
            return Err(ParseError { offset, message });
        }
        Ok(())
    }

    /// The name hint in a value's name: none for a number, the part before the dot else.
    fn name_hint(&mut self, name: &str) -> Option<Symbol> {
        let hint = name.split('.').next().unwrap_or(name);
        (!hint.starts_with(|c: char| c.is_ascii_digit())).then(|| self.module.symbols.intern(hint))
    }

    fn ops(&mut self, region: RegionId) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > NESTING_LIMIT {
            return Err(self.error(format!("regions nest deeper than {NESTING_LIMIT}")));
        }
        while !self.eat('}')? {
            let op = self.op()?;
            self.module.region_mut(region).ops.push(op);
        }
        self.depth -= 1;
        Ok(())
    }

    fn op(&mut self) -> Result<OpId, ParseError> {
        let start = self.start;
        let mut result = None;
        if matches!(self.token, Token::Value(_)) {
            let Token::Value(name) = self.advance()? else { return Err(self.error("a value must stand here")) };
            self.mark(':')?;
            let ty = self.ty()?;
            self.mark('=')?;
            result = Some((name, ty));
        }
        let dialect = self.word("an operation")?;
        self.mark('.')?;
        let def = self.operation(&dialect)?;
        let mut operands: SmallVec<[ValueId; 3]> = SmallVec::new();
        while let (Token::Value(name), true) = (&self.token, !operands.is_empty() || !self.lexer.begins_line) {
            let value =
                *self.values.get(name).ok_or_else(|| self.error(format!("no value `%{name}` stands before")))?;
            operands.push(value);
            self.advance()?;
            if !self.eat(',')? {
                break;
            }
        }
        let mut functions = Vec::new();
        let attrs = self.attrs(def, &mut functions)?;
        let ty = result.as_ref().map(|(_, ty)| *ty);
        let loc = Some(Span::new(FileId(0), start as u32, self.start as u32));
        let op = self.module.new_op(def, operands, attrs, SmallVec::new(), ty, loc);
        self.calls.extend(functions.into_iter().map(|(slot, name, offset)| (op, slot, name, offset)));
        let mut regions: SmallVec<[RegionId; 2]> = SmallVec::new();
        loop {
            let name =
                def.regions.get(regions.len()).or(def.regions.last()).map_or("", |name| name.trim_end_matches('*'));
            let more = regions.len() < def.regions.len() || def.has_variadic_regions();
            if !more || name.is_empty() || !self.eat_word(name)? {
                break;
            }
            self.mark('{')?;
            let region = self.module.new_region();
            self.ops(region)?;
            regions.push(region);
        }
        self.module.op_mut(op).regions = regions;
        if let (Some((name, _)), Some(value)) = (result, self.module.op(op).result) {
            self.module.value_mut(value).name = self.name_hint(&name);
            self.bind_value(name, value, start)?;
        }
        Ok(op)
    }

    /// The operation of a dialect that is named next.
    pub(super) fn operation(&mut self, dialect: &str) -> Result<&'static OpDef, ParseError> {
        let name = self.word("an operation's name")?;
        let found = self.registry.find(dialect, &name);
        found.ok_or_else(|| self.error(format!("there is no operation `{dialect}.{name}`")))
    }

    pub(super) fn eat_arrow(&mut self) -> Result<bool, ParseError> {
        let found = self.token == Token::Arrow;
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Whether the type of a place, `ref<…>`, stands next.
    pub(super) fn begins_place(&self) -> bool {
        matches!(&self.token, Token::Word(word) if word == "ref")
            && matches!(self.lexer.clone().next(), Ok(Token::Mark('<')))
    }

    pub(super) fn attrs(
        &mut self,
        def: &'static OpDef,
        functions: &mut Vec<(usize, (String, u32), usize)>,
    ) -> Result<SmallVec<[Attr; 1]>, ParseError> {
        let mut attrs = SmallVec::new();
        if def.attrs.is_empty() {
            return Ok(attrs);
        }
        self.mark('{')?;
        for (slot, attr) in def.attrs.iter().enumerate() {
            if slot > 0 {
                self.mark(',')?;
            }
            self.keyword(attr.name)?;
            self.mark(':')?;
            let value = match attr.kind {
                AttrKind::Int => Attr::Int(self.number()?),
                AttrKind::Bool => {
                    let word = self.word("`true` or `false`")?;
                    Attr::Bool(word == "true")
                }
                AttrKind::Type => Attr::Type(self.ty()?),
                AttrKind::Const => {
                    let ty = self.ty()?;
                    Attr::Const(self.constant(ty)?)
                }
                AttrKind::Symbol => Attr::Symbol(self.symbol()?),
                AttrKind::Func => {
                    let offset = self.start;
                    functions.push((slot, self.item_name()?, offset));
                    Attr::Int(0)
                }
                AttrKind::Global => {
                    let offset = self.start;
                    let name = self.item_name()?;
                    let message = format!("no global `@{}` stands before", name.0);
                    Attr::Global(*self.globals.get(&name).ok_or(ParseError { offset, message })?)
                }
                AttrKind::Struct => {
                    let offset = self.start;
                    let name = self.item_name()?;
                    let message = format!("no struct `@{}` stands before", name.0);
                    Attr::Struct(*self.structs.get(&name).ok_or(ParseError { offset, message })?)
                }
                AttrKind::Enum(set) => {
                    let word = self.word(set.name)?;
                    let index = set.values.iter().position(|value| *value == word);
                    let index = index.ok_or_else(|| self.error(format!("`{word}` is no {}", set.name)))?;
                    Attr::Enum(index as u16)
                }
                AttrKind::Ints => {
                    self.mark('[')?;
                    let mut values = Vec::new();
                    while !self.eat(']')? {
                        if !values.is_empty() {
                            self.mark(',')?;
                        }
                        values.push(self.number()?);
                    }
                    Attr::Ints(values.into())
                }
            };
            attrs.push(value);
        }
        self.mark('}')?;
        Ok(attrs)
    }
}
