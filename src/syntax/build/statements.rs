//! Blocks and statements.

use akari_ir::{Diagnostic, Span};

use super::{Abandoned, Builder, Built, Children, Node, Rule, codes};
use crate::syntax::ast::{
    Assign, Attribute, Block, Case, CaseLabel, Expr, ExprKind, For, If, IfArm, InfixOp, Local, LocalKind, Stmt,
    StmtKind, Switch, While,
};
use crate::syntax::explain;

impl<'a> Builder<'a, '_> {
    /// A [`Rule::block`].
    pub(super) fn block(&mut self, node: Node<'_>) -> Built<Block<'a>> {
        let mut children = Children::of(node);
        let open = self.span(children.expect()?);
        let stmts = self.statements(&mut children)?;
        let close = self.span(children.expect()?);
        Ok(Block { open, close, stmts })
    }

    /// All statements that come next.
    fn statements(&mut self, children: &mut Children<'_>) -> Built<&'a [Stmt<'a>]> {
        let mut stmts = Vec::new();
        while let Some(node) = children.take_if(Rule::statement) {
            let span = self.span(node);
            if let Some(stmt) = self.deeper(1, span, |builder| builder.statement(node))? {
                stmts.push(stmt);
            }
        }
        Ok(self.arena.alloc_slice_copy(&stmts))
    }

    /// A [`Rule::statement`]; nothing for a lone `;`.
    fn statement(&mut self, node: Node<'_>) -> Built<Option<Stmt<'a>>> {
        let mut children = Children::of(node);
        let attributes = self.attributes(&mut children)?;
        if children.peek() == Some(Rule::empty_statement) {
            let span = self.span(children.expect()?);
            self.report(Diagnostic::warning(codes::STRAY_SEMICOLON, span, "this `;` ends nothing"));
            return Ok(None);
        }
        let stmt = self.simple(&mut children, attributes)?;
        let after_slip = stmt.span.start < self.quiet_until;
        let ends_well = children.next().is_none_or(|end| self.statement_end(end, &stmt));
        // What stands around a slip on its line was meant otherwise: nothing shall be said of what it seems to be.
        let is_believed = ends_well && !after_slip || !matches!(stmt.kind, StmtKind::Expr(_) | StmtKind::Assign(_));
        Ok(is_believed.then_some(stmt))
    }

    /// A statement from its first node after the attributes, without its end.
    fn simple(&mut self, children: &mut Children<'_>, attributes: &'a [Attribute<'a>]) -> Built<Stmt<'a>> {
        let node = children.expect()?;
        let mut span = self.span(node);
        if let Some(first) = attributes.first() {
            span = first.span.to(span);
        }
        let rule = node.as_rule();
        let kind = match rule {
            Rule::expression => {
                let target = self.expression(node)?;
                match children.take_if(Rule::assignment) {
                    Some(assignment) => {
                        span = span.to(self.span(assignment));
                        StmtKind::Assign(self.assignment(target, assignment)?)
                    }
                    None => StmtKind::Expr(target),
                }
            }
            Rule::block => StmtKind::Block(self.block(node)?),
            Rule::break_statement => StmtKind::Break,
            Rule::continue_statement => StmtKind::Continue,
            Rule::discard_statement => StmtKind::Discard,
            _ => {
                let mut parts = Children::of(node);
                let word = parts.expect()?;
                let keyword = self.span(word);
                match rule {
                    Rule::local => self.local(word.as_rule(), keyword, parts)?,
                    Rule::if_statement => StmtKind::If(self.if_statement(keyword, parts)?),
                    Rule::for_statement => StmtKind::For(self.for_statement(keyword, parts)?),
                    Rule::while_statement => {
                        let condition = self.expression(parts.expect()?)?;
                        StmtKind::While(While { keyword, condition, body: self.block(parts.expect()?)? })
                    }
                    Rule::do_statement => {
                        let body = self.block(parts.expect()?)?;
                        parts.take_if(Rule::word_while);
                        StmtKind::DoWhile(While { keyword, condition: self.expression(parts.expect()?)?, body })
                    }
                    Rule::switch_statement => StmtKind::Switch(self.switch_statement(keyword, parts)?),
                    Rule::return_statement => StmtKind::Return(match parts.next() {
                        Some(value) => Some(self.expression(value)?),
                        None => None,
                    }),
                    _ => return Err(Abandoned),
                }
            }
        };
        Ok(Stmt { span, attributes, kind })
    }

    fn assignment(&mut self, target: &'a Expr<'a>, node: Node<'_>) -> Built<Assign<'a>> {
        let mut children = Children::of(node);
        let operator = children.expect()?;
        let op_span = self.span(operator);
        let op = match self.text(operator) {
            "+=" => Some(InfixOp::Add),
            "-=" => Some(InfixOp::Sub),
            "*=" => Some(InfixOp::Mul),
            "/=" => Some(InfixOp::Div),
            "%=" => Some(InfixOp::Rem),
            "&=" => Some(InfixOp::BitAnd),
            "|=" => Some(InfixOp::BitOr),
            "^=" => Some(InfixOp::BitXor),
            "<<=" => Some(InfixOp::ShiftLeft),
            ">>=" => Some(InfixOp::ShiftRight),
            _ => None,
        };
        Ok(Assign { target, op, op_span, value: self.expression(children.expect()?)? })
    }

    fn local(&mut self, word: Rule, keyword: Span, mut parts: Children<'_>) -> Built<StmtKind<'a>> {
        let kind = match word {
            Rule::word_let => LocalKind::Let,
            Rule::word_var => LocalKind::Var,
            _ => LocalKind::Const,
        };
        let name = parts.expect()?;
        let ty = match parts.take_if(Rule::type_expression) {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        let init = match parts.next() {
            Some(init) => Some(self.expression(init)?),
            None => None,
        };
        if name.as_rule() == Rule::wildcard {
            let span = self.span(name);
            let (Some(value), LocalKind::Let, None) = (init, kind, ty) else {
                let error = Diagnostic::error(codes::BAD_DECLARATION, span, "`_` is not a name");
                self.report(error.help("`let _ = value;` drops a value"));
                return Err(Abandoned);
            };
            return Ok(StmtKind::Ignore(value));
        }
        let next = name.end();
        let name = self.ident(name);
        // Before another name it is no name itself: `const float X` is told of where the statement ends.
        let is_type = self.lexed.tokens.get(next).is_some_and(|next| next.is_name());
        if kind == LocalKind::Const && init.is_none() && !is_type {
            let message = format!("the constant `{}` has no value", self.names.text(name.name));
            self.error(codes::BAD_DECLARATION, name.span, message);
        }
        Ok(StmtKind::Local(Local { kind, keyword, name, ty, init }))
    }

    fn if_statement(&mut self, keyword: Span, mut parts: Children<'_>) -> Built<If<'a>> {
        let condition = self.expression(parts.expect()?)?;
        let mut arms = vec![IfArm { keyword, condition, body: self.block(parts.expect()?)? }];
        let mut otherwise = None;
        for part in parts {
            let is_arm = part.as_rule() == Rule::else_if;
            let mut children = Children::of(part);
            children.take_if(Rule::word_else);
            if is_arm {
                let keyword = self.span(children.expect()?);
                let arm = self.deeper(arms.len(), keyword, |builder| {
                    let condition = builder.expression(children.expect()?)?;
                    Ok(IfArm { keyword, condition, body: builder.block(children.expect()?)? })
                })?;
                arms.push(arm);
            } else {
                let block = children.expect()?;
                otherwise = Some(self.deeper(arms.len(), keyword, |builder| builder.block(block))?);
            }
        }
        Ok(If { arms: self.arena.alloc_slice_copy(&arms), otherwise })
    }

    fn for_statement(&mut self, keyword: Span, mut parts: Children<'_>) -> Built<For<'a>> {
        let init = match parts.take_if(Rule::for_init) {
            Some(init) => Some(self.for_part(init)?),
            None => None,
        };
        parts.take_if(Rule::semicolon);
        let condition = match parts.take_if(Rule::for_condition) {
            Some(condition) => Some(self.expression(Children::of(condition).expect()?)?),
            None => None,
        };
        parts.take_if(Rule::semicolon);
        let step = match parts.take_if(Rule::for_step) {
            Some(step) => Some(self.for_part(step)?),
            None => None,
        };
        Ok(For { keyword, init, condition, step, body: self.block(parts.expect()?)? })
    }

    fn for_part(&mut self, node: Node<'_>) -> Built<&'a Stmt<'a>> {
        let stmt = self.simple(&mut Children::of(node), &[])?;
        Ok(self.arena.alloc(stmt))
    }

    fn switch_statement(&mut self, keyword: Span, mut parts: Children<'_>) -> Built<Switch<'a>> {
        let value = self.expression(parts.expect()?)?;
        let open = self.span(parts.expect()?);
        let mut cases = Vec::new();
        while let Some(node) = parts.take_if(Rule::case) {
            let span = self.span(node);
            let mut children = Children::of(node);
            let mut labels = Vec::new();
            while let Some(label) = children.take_if(Rule::case_label) {
                let span = self.span(label);
                let value = match Children::of(label).nth(1) {
                    Some(value) => Some(self.expression(value)?),
                    None => None,
                };
                labels.push(CaseLabel { span, value });
            }
            let stmts = self.statements(&mut children)?;
            cases.push(Case { span, labels: self.arena.alloc_slice_copy(&labels), stmts });
        }
        let close = self.span(parts.expect()?);
        Ok(Switch { keyword, value, open, close, cases: self.arena.alloc_slice_copy(&cases) })
    }

    /// The end of an item that `;` ends.
    pub(super) fn end(&mut self, end: Node<'_>, what: &str) {
        if end.as_rule() == Rule::missing_semicolon {
            let gap = self.gap(end);
            self.error(codes::MISSING_SEMICOLON, gap, format!("missing `;` after {what}"));
        }
    }

    /// The end of a statement: its `;` may be missing before a `}`. Gives whether the statement ends where it seems to.
    fn statement_end(&mut self, end: Node<'_>, stmt: &Stmt<'a>) -> bool {
        if end.as_rule() != Rule::missing_semicolon {
            return true;
        }
        let gap = self.gap(end);
        let next = end.start();
        let found = self.lexed.text_at(next);
        if found == "}" || found.is_empty() || gap.start < self.quiet_until {
            return true;
        }
        if self.lexed.starts_line(next) && !self.lexed.bad_before(next) {
            if let Some(error) = explain::attribute_before(self.file, self.lexed, self.item.clone(), next) {
                self.report(error);
                return false;
            }
            self.error(codes::MISSING_SEMICOLON, gap, "missing `;` after this statement");
            return true;
        }
        let after_name = matches!(stmt.kind, StmtKind::Expr(Expr { kind: ExprKind::Name(_), .. }));
        if !self.lexed.bad_before(next) {
            let error = explain::trailing(self.file, self.lexed, self.item.clone(), next, after_name);
            // The parts around a slip may each have shown it.
            if !self.diagnostics.iter().rev().take(4).any(|other| *other == error) {
                self.report(error);
            }
        }
        // What follows on the line was most likely no statement of its own.
        self.quiet_until = self.lexed.rest_of_line(next);
        false
    }
}
