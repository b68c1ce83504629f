//! Expressions.

use super::layout::Command;
use super::writer::Writer;
use crate::syntax::build::{Node, precedence_of};
use crate::syntax::grammar::Rule;

/// The list that ends an argument: the arguments of a call, or the inside of a literal.
fn list_operand(argument: Node<'_>) -> Option<Node<'_>> {
    let mut node = argument;
    for expected in [Rule::expression, Rule::operand] {
        let mut children = node.children().filter(|child| child.as_rule() != Rule::argument_name);
        let only = children.next().filter(|child| child.as_rule() == expected)?;
        if children.next().is_some() {
            return None;
        }
        node = only;
    }
    let list = node.children().last()?;
    (matches!(list.as_rule(), Rule::call | Rule::struct_body | Rule::array) && list.children().next().is_some())
        .then_some(list)
}

/// The block of an argument that is a closure with one.
fn closure_block(argument: Node<'_>) -> Option<Node<'_>> {
    // An argument is an expression is an operand is a closure, if each is nothing more.
    let mut node = argument;
    for expected in [Rule::expression, Rule::operand, Rule::closure] {
        let mut children = node.children().filter(|child| child.as_rule() != Rule::argument_name);
        let only = children.next().filter(|child| child.as_rule() == expected)?;
        if children.next().is_some() {
            return None;
        }
        node = only;
    }
    node.children().find(|child| child.as_rule() == Rule::block)
}

impl Writer<'_> {
    /// An expression.
    pub(super) fn expression(&mut self, node: Node<'_>) {
        let parts: Vec<Node<'_>> = node.children().collect();
        let mut segments = parts.split(|part| part.as_rule() == Rule::question);
        let Some(condition) = segments.next() else { return };
        if condition.len() == parts.len() {
            self.infix(condition);
            return;
        }
        self.group();
        self.indent();
        self.infix(condition);
        for segment in segments {
            let Some((&yes, no)) = segment.split_first() else { continue };
            self.line();
            self.token();
            self.space();
            self.expression(yes);
            self.line();
            self.token();
            self.space();
            self.infix(no);
        }
        self.dedent();
        self.end_group();
    }

    /// Operands with operators between them; lines end before the operators that bind least, first.
    fn infix(&mut self, parts: &[Node<'_>]) {
        if let [only] = parts {
            self.operand(*only);
            return;
        }
        let level = |part: &Node<'_>| precedence_of(self.lexed.text_at(part.start()));
        let levels: Vec<Option<u8>> =
            parts.iter().map(|part| if part.as_rule() == Rule::infix_operator { level(part) } else { None }).collect();
        let Some(weakest) = levels.iter().flatten().min().copied() else { return };
        if self.ends_in_kept_list(parts) {
            for part in parts {
                if part.as_rule() == Rule::infix_operator {
                    self.space();
                    self.token();
                    self.space();
                } else {
                    self.operand(*part);
                }
            }
            return;
        }
        self.group();
        self.indent();
        let mut from = 0;
        for (index, level) in levels.iter().enumerate() {
            if *level == Some(weakest) {
                self.infix(&parts[from..index]);
                self.line();
                self.token();
                self.space();
                from = index + 1;
            }
        }
        self.infix(&parts[from..]);
        self.dedent();
        self.end_group();
    }

    fn operand(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::prefix_operator => {
                    let minus = self.ahead(0) == "-";
                    self.token();
                    if minus && self.ahead(0).starts_with('-') {
                        self.space();
                    }
                }
                Rule::struct_body => {
                    self.space();
                    let fields: Vec<Node<'_>> =
                        child.children().filter(|child| child.as_rule() != Rule::close_brace).collect();
                    self.list(&fields, " ", Self::struct_part);
                }
                Rule::call => self.call(child),
                Rule::index | Rule::parenthesized => {
                    self.token();
                    for inner in child.children() {
                        self.expression(inner);
                    }
                    self.token();
                }
                Rule::cast => {
                    self.space();
                    self.token();
                    self.space();
                    self.token();
                }
                Rule::array => self.array(child),
                Rule::closure => self.closure(child),
                Rule::size_of | Rule::offset_of => self.layout_query(child),
                _ => self.tokens_to(child.end()),
            }
        }
    }

    /// Whether the last of some short operands ends in a list that has an element a line: it then takes the line ends, and
    /// the operators none.
    fn ends_in_kept_list(&self, parts: &[Node<'_>]) -> bool {
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
        let list = last.children().last();
        list.is_some_and(|list| {
            matches!(list.as_rule(), Rule::call | Rule::struct_body | Rule::array)
                && self.lexed.text_at(list.end() - 2) == ","
                && self.fits_before(first.start(), list.start())
        })
    }

    /// The arguments of a call. A closure with a block that comes last keeps the line, where the others are short; so does a
    /// lone argument that ends in a list.
    fn call(&mut self, node: Node<'_>) {
        let arguments: Vec<Node<'_>> = node.children().collect();
        let block = arguments.last().and_then(|last| closure_block(*last));
        let lone = match arguments.as_slice() {
            [only] if self.lexed.text_at(only.end()) == ")" => list_operand(*only),
            _ => None,
        };
        let Some(block) = block.or(lone).filter(|block| self.fits_before(node.start(), block.start())) else {
            self.list(&arguments, "", Self::argument);
            return;
        };
        self.token();
        for (index, &argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.token();
                self.space();
            }
            self.argument(argument);
        }
        debug_assert!(self.next() >= block.end());
        if self.ahead(0) == "," {
            self.drop_token();
        }
        self.token();
    }

    /// Whether the tokens from `from` to `to` are few and without comments.
    fn fits_before(&self, from: usize, to: usize) -> bool {
        let tokens = &self.lexed.tokens[from..=to];
        let width: u32 = tokens.iter().map(|token| token.end - token.start + 1).sum();
        let braces = tokens[..tokens.len() - 1].iter().any(|token| token.code == b'{');
        width <= 70 && !braces && !self.comments_before(to + 1)
    }

    fn struct_part(&mut self, node: Node<'_>) {
        self.token();
        if node.as_rule() == Rule::field_value {
            self.token();
            self.space();
        }
        for value in node.children().filter(|child| child.as_rule() == Rule::expression) {
            self.expression(value);
        }
    }

    /// An argument of a call or instance.
    pub(super) fn argument(&mut self, node: Node<'_>) {
        for child in node.children() {
            if child.as_rule() == Rule::argument_name {
                self.token();
                self.token();
                self.space();
            } else {
                self.expression(child);
            }
        }
    }

    fn array(&mut self, node: Node<'_>) {
        let parts: Vec<Node<'_>> = node.children().collect();
        if let [value, count] = parts.as_slice()
            && count.as_rule() == Rule::array_count
        {
            self.token();
            self.expression(*value);
            self.token();
            self.space();
            for count in count.children() {
                self.expression(count);
            }
            self.token();
            return;
        }
        if self.comments_before(node.end() - 1) {
            self.list(&parts, "", Self::expression);
        } else {
            self.table(&parts);
        }
    }

    /// Elements in brackets: in the rows of the source, else as many on a line as fit.
    fn table(&mut self, elements: &[Node<'_>]) {
        self.group();
        self.token();
        self.indent();
        if elements.iter().any(|element| self.lexed.starts_line(element.start())) {
            self.command(Command::Break);
        }
        self.command(Command::Soft);
        for (index, &element) in elements.iter().enumerate() {
            if index > 0 {
                self.token();
            }
            let new_row = index > 0 && self.lexed.starts_line(element.start());
            if new_row {
                self.command(Command::Hard);
            }
            // The blank before an element ends a line where the element would not fit.
            self.group();
            if index > 0 && !new_row {
                self.line();
            }
            self.expression(element);
            self.end_group();
        }
        if self.ahead(0) == "," {
            self.drop_token();
        }
        self.comma_if_broken();
        self.dedent();
        self.command(Command::Soft);
        self.token();
        self.end_group();
    }

    fn closure(&mut self, node: Node<'_>) {
        let mut params = node.children().filter(|child| child.as_rule() == Rule::closure_param).peekable();
        let empty = params.peek().is_none();
        self.token();
        for (index, param) in params.enumerate() {
            if index > 0 {
                self.token();
                self.space();
            }
            self.param(param);
        }
        if self.ahead(0) == "," {
            self.drop_token();
        }
        if !empty || self.ahead(0) == "|" {
            self.token();
        }
        for child in node.children() {
            match child.as_rule() {
                Rule::type_expression => {
                    self.space();
                    self.token();
                    self.space();
                    self.ty(child);
                }
                Rule::block => {
                    self.space();
                    self.block(child);
                }
                Rule::expression => {
                    self.space();
                    self.expression(child);
                }
                _ => {}
            }
        }
    }

    /// `sizeof(T)` and `offsetof(T, a.b)`.
    fn layout_query(&mut self, node: Node<'_>) {
        self.token();
        self.token();
        for ty in node.children().filter(|child| child.as_rule() == Rule::type_expression) {
            self.ty(ty);
        }
        if self.ahead(0) == "," {
            self.token();
            self.command(Command::Text(" "));
        }
        self.tokens_to(node.end());
    }
}
