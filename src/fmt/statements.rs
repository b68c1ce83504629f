//! Blocks and statements.

use super::layout::Command;
use super::writer::Writer;
use crate::syntax::build::Node;
use crate::syntax::grammar::Rule;

impl Writer<'_> {
    /// A block. One with a single simple statement stays on its line where it was on one.
    pub(super) fn block(&mut self, node: Node<'_>) {
        let close = node.end() - 1;
        let statements: Vec<Node<'_>> = node.children().filter(|child| child.as_rule() == Rule::statement).collect();
        let (open_end, close_start) = (self.lexed.tokens[node.start()].end, self.lexed.tokens[close].start);
        if let [only] = statements.as_slice()
            && is_simple(*only)
            && !self.lexed.newline_between(open_end, close_start)
            && !self.comments_before(close)
        {
            self.group();
            self.token();
            self.indent();
            self.line();
            self.statement(*only);
            self.dedent();
            self.drop_to(close);
            self.line();
            self.token();
            self.end_group();
            return;
        }
        self.statements(&statements, close);
    }

    /// Statements in braces, one a line; a lone `;` is left out.
    fn statements(&mut self, statements: &[Node<'_>], close: usize) {
        let real: Vec<Node<'_>> = statements.iter().copied().filter(|statement| !is_empty(*statement)).collect();
        self.vertical(&real, close, Self::statement);
    }

    fn statement(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::attribute => {
                    self.attribute(child);
                    let hint = node.children().all(|child| child.as_rule() != Rule::local);
                    self.command(if hint { Command::Hard } else { Command::Text(" ") });
                }
                Rule::expression => self.expression(child),
                Rule::assignment => self.assignment(child),
                Rule::semicolon | Rule::missing_semicolon => self.end_mark(";", true),
                Rule::block => self.block(child),
                Rule::local => self.local(child),
                Rule::if_statement => self.if_statement(child),
                Rule::for_statement => self.for_statement(child),
                Rule::while_statement => {
                    self.token();
                    self.space();
                    self.condition_and_block(child);
                }
                Rule::do_statement => self.do_statement(child),
                Rule::switch_statement => self.switch_statement(child),
                Rule::return_statement => {
                    self.token();
                    for value in child.children().filter(|child| child.as_rule() == Rule::expression) {
                        self.space();
                        self.expression(value);
                    }
                }
                _ => self.token(),
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        for child in node.children().filter(|child| child.as_rule() == Rule::expression) {
            self.value(child);
        }
    }

    fn local(&mut self, node: Node<'_>) {
        self.token();
        self.space();
        self.token();
        for child in node.children() {
            match child.as_rule() {
                Rule::type_expression => self.annotation(Some(child)),
                Rule::expression => self.value(child),
                _ => {}
            }
        }
    }

    /// `(condition) { … }`, of the children of a statement.
    fn condition_and_block(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::expression => self.condition(child),
                Rule::block => {
                    self.space();
                    self.block(child);
                }
                _ => {}
            }
        }
    }

    fn condition(&mut self, node: Node<'_>) {
        self.group();
        self.token();
        self.indent();
        self.command(Command::Soft);
        self.expression(node);
        self.comments();
        self.dedent();
        self.command(Command::Soft);
        self.token();
        self.end_group();
    }

    fn if_statement(&mut self, node: Node<'_>) {
        self.token();
        self.space();
        self.condition_and_block(node);
        for child in node.children() {
            match child.as_rule() {
                Rule::else_if => {
                    self.space();
                    self.token();
                    self.space();
                    self.token();
                    self.space();
                    self.condition_and_block(child);
                }
                Rule::else_block => {
                    self.space();
                    self.token();
                    self.condition_and_block(child);
                }
                _ => {}
            }
        }
    }

    fn for_statement(&mut self, node: Node<'_>) {
        // `for`, then `(`.
        self.token();
        self.space();
        self.token();
        let mut semicolons = 0;
        for child in node.children() {
            match child.as_rule() {
                Rule::semicolon => {
                    self.token();
                    semicolons += 1;
                }
                Rule::for_init | Rule::for_condition | Rule::for_step => {
                    if semicolons > 0 {
                        self.space();
                    }
                    for part in child.children() {
                        match part.as_rule() {
                            Rule::local => self.local(part),
                            Rule::assignment => self.assignment(part),
                            _ => self.expression(part),
                        }
                    }
                }
                Rule::block => {
                    self.token();
                    self.space();
                    self.block(child);
                }
                _ => {}
            }
        }
    }

    fn do_statement(&mut self, node: Node<'_>) {
        self.token();
        for child in node.children() {
            match child.as_rule() {
                Rule::block => {
                    self.space();
                    self.block(child);
                    self.space();
                    self.token();
                    self.space();
                }
                Rule::expression => self.condition(child),
                _ => {}
            }
        }
    }

    fn switch_statement(&mut self, node: Node<'_>) {
        self.token();
        self.space();
        let cases: Vec<Node<'_>> = node.children().filter(|child| child.as_rule() == Rule::case).collect();
        for value in node.children().filter(|child| child.as_rule() == Rule::expression) {
            self.condition(value);
        }
        self.space();
        self.vertical(&cases, node.end() - 1, Self::case);
    }

    fn case(&mut self, node: Node<'_>) {
        let mut first = true;
        for child in node.children() {
            if child.as_rule() == Rule::case_label {
                if !first {
                    self.begin_line(true);
                }
                first = false;
                self.token();
                for value in child.children().filter(|child| child.as_rule() == Rule::expression) {
                    self.space();
                    self.expression(value);
                }
                self.token();
            } else if !is_empty(child) {
                self.drop_to(child.start());
                self.indent();
                self.begin_line(false);
                self.statement(child);
                self.dedent();
            }
        }
        self.drop_to(node.end());
    }
}

/// Whether a statement is a lone `;`.
fn is_empty(node: Node<'_>) -> bool {
    node.children().all(|child| child.as_rule() == Rule::empty_statement)
}

/// Whether a statement has no block of its own.
fn is_simple(node: Node<'_>) -> bool {
    node.children().all(|child| {
        !matches!(
            child.as_rule(),
            Rule::attribute
                | Rule::block
                | Rule::if_statement
                | Rule::for_statement
                | Rule::while_statement
                | Rule::do_statement
                | Rule::switch_statement
                | Rule::empty_statement
        )
    })
}
