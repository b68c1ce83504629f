//! Expressions.

use akari_ir::Span;
use smallvec::SmallVec;

use super::{Abandoned, Builder, Built, Children, Node, Rule, codes};
use crate::syntax::ast::{
    Closure, ClosureBody, Expr, ExprKind, FieldInit, Ident, IncDecOp, IncDecPosition, InfixOp, InfixOperand,
    StructRest, UnaryOp,
};

/// A chain of operators of one precedence that still waits for the operand of its last one.
struct Chain<'a> {
    level: u8,
    first: &'a Expr<'a>,
    rest: SmallVec<[InfixOperand<'a>; 2]>,
    pending: (InfixOp, Span),
}

impl<'a> Builder<'a, '_> {
    fn alloc(&self, span: Span, kind: ExprKind<'a>) -> &'a Expr<'a> {
        self.arena.alloc(Expr { span, parenthesized: false, kind })
    }

    /// A [`Rule::expression`].
    pub(super) fn expression(&mut self, node: Node<'_>) -> Built<&'a Expr<'a>> {
        let span = self.span(node);
        let levels = self.expression_levels(node);
        self.deeper(levels, span, |builder| {
            let mut children = Children::of(node);
            let first = builder.infix(&mut children)?;
            let mut conditions: SmallVec<[(&'a Expr<'a>, &'a Expr<'a>); 2]> = SmallVec::new();
            let mut last = first;
            while children.take_if(Rule::question).is_some() {
                let yes = builder.expression(children.expect()?)?;
                conditions.push((last, yes));
                last = builder.infix(&mut children)?;
            }
            while let Some((condition, yes)) = conditions.pop() {
                let kind = ExprKind::Conditional { condition, yes, no: last };
                last = builder.alloc(condition.span.to(last.span), kind);
            }
            Ok(last)
        })
    }

    /// How many nodes the operators directly in a [`Rule::expression`] put above its operands, at most.
    fn expression_levels(&self, node: Node<'_>) -> usize {
        let (mut conditionals, mut precedences) = (0, 0_u16);
        for child in node.children() {
            match child.as_rule() {
                Rule::question => conditionals += 1,
                Rule::infix_operator => precedences |= infix_op(self.text(child)).map_or(0, |op| 1 << precedence(op)),
                _ => {}
            }
        }
        conditionals + precedences.count_ones() as usize
    }

    /// Operands with infix operators between them, grouped by precedence.
    fn infix(&mut self, children: &mut Children<'_>) -> Built<&'a Expr<'a>> {
        let mut current = self.operand(children.expect()?)?;
        let mut open: SmallVec<[Chain<'a>; 4]> = SmallVec::new();
        while let Some(operator) = children.take_if(Rule::infix_operator) {
            let op_span = self.span(operator);
            let op = infix_op(self.text(operator)).ok_or(Abandoned)?;
            let level = precedence(op);
            // Chains that bind tighter end here.
            while open.last().is_some_and(|chain| chain.level > level) {
                if let Some(chain) = open.pop() {
                    current = self.close(chain, current);
                }
            }
            match open.last_mut() {
                Some(chain) if chain.level == level => {
                    let (op, op_span) = std::mem::replace(&mut chain.pending, (op, op_span));
                    chain.rest.push(InfixOperand { op, op_span, operand: current });
                }
                _ => open.push(Chain { level, first: current, rest: SmallVec::new(), pending: (op, op_span) }),
            }
            current = self.operand(children.expect()?)?;
        }
        while let Some(chain) = open.pop() {
            current = self.close(chain, current);
        }
        Ok(current)
    }

    fn close(&self, mut chain: Chain<'a>, last: &'a Expr<'a>) -> &'a Expr<'a> {
        let (op, op_span) = chain.pending;
        chain.rest.push(InfixOperand { op, op_span, operand: last });
        let rest = self.arena.alloc_slice_copy(&chain.rest);
        self.alloc(chain.first.span.to(last.span), ExprKind::Infix { first: chain.first, rest })
    }

    /// A [`Rule::operand`]: prefix operators, a primary expression, postfix parts, casts.
    fn operand(&mut self, node: Node<'_>) -> Built<&'a Expr<'a>> {
        let span = self.span(node);
        let levels = operand_levels(node);
        self.deeper(levels, span, |builder| {
            let mut children = Children::of(node);
            let mut prefixes: SmallVec<[Node<'_>; 4]> = SmallVec::new();
            while let Some(prefix) = children.take_if(Rule::prefix_operator) {
                prefixes.push(prefix);
            }
            let mut expr = builder.primary(&mut children)?;
            while let Some(part) = children.next() {
                expr = builder.postfix(expr, part, &mut children)?;
            }
            while let Some(prefix) = prefixes.pop() {
                let op_span = builder.span(prefix);
                let span = op_span.to(expr.span);
                let unary = |op| ExprKind::Unary { op, op_span, operand: expr };
                let step = |op| ExprKind::IncDec { op, position: IncDecPosition::Prefix, op_span, operand: expr };
                let kind = match builder.text(prefix) {
                    "-" => unary(UnaryOp::Negate),
                    "!" => unary(UnaryOp::Not),
                    "~" => unary(UnaryOp::BitNot),
                    "++" => step(IncDecOp::Increment),
                    _ => step(IncDecOp::Decrement),
                };
                expr = builder.alloc(span, kind);
            }
            Ok(expr)
        })
    }

    fn postfix(&mut self, base: &'a Expr<'a>, part: Node<'_>, following: &mut Children<'_>) -> Built<&'a Expr<'a>> {
        let part_span = self.span(part);
        let mut span = base.span.to(part_span);
        let kind = match part.as_rule() {
            Rule::call => ExprKind::Call { callee: base, args: self.arguments(&mut Children::of(part))? },
            Rule::index => ExprKind::Index { base, index: self.expression(Children::of(part).expect()?)? },
            Rule::member => {
                let name = self.ident(Children::of(part).expect()?);
                match following.take_if(Rule::call) {
                    Some(call) => {
                        span = base.span.to(self.span(call));
                        ExprKind::MethodCall {
                            receiver: base,
                            method: name,
                            args: self.arguments(&mut Children::of(call))?,
                        }
                    }
                    None => ExprKind::Field { base, name },
                }
            }
            Rule::step => {
                let op = if self.text(part) == "++" { IncDecOp::Increment } else { IncDecOp::Decrement };
                ExprKind::IncDec { op, position: IncDecPosition::Postfix, op_span: part_span, operand: base }
            }
            Rule::cast => ExprKind::Cast { operand: base, ty: self.ident(Children::of(part).nth(1).ok_or(Abandoned)?) },
            _ => return Err(Abandoned),
        };
        Ok(self.alloc(span, kind))
    }

    fn primary(&mut self, children: &mut Children<'_>) -> Built<&'a Expr<'a>> {
        let node = children.expect()?;
        let mut span = self.span(node);
        let kind = match node.as_rule() {
            Rule::name => {
                let name = self.ident(node);
                match children.take_if(Rule::struct_body) {
                    Some(body) => {
                        span = span.to(self.span(body));
                        self.struct_literal(name, body)?
                    }
                    None => ExprKind::Name(name.name),
                }
            }
            Rule::parenthesized => {
                let inner = self.expression(Children::of(node).expect()?)?;
                return Ok(self.arena.alloc(Expr { span, parenthesized: true, kind: inner.kind }));
            }
            Rule::number | Rule::truth => ExprKind::Literal(self.literal(node)),
            Rule::array => self.array(node, span)?,
            Rule::closure => self.closure(node)?,
            Rule::none => ExprKind::None,
            Rule::size_of => ExprKind::SizeOf(self.ty(Children::of(node).nth(1).ok_or(Abandoned)?)?),
            Rule::offset_of => {
                let mut parts = Children::of(node);
                parts.take_if(Rule::word_offsetof);
                let ty = self.ty(parts.expect()?)?;
                let path: Vec<Ident> = parts.map(|part| self.ident(part)).collect();
                ExprKind::OffsetOf { ty, path: self.arena.alloc_slice_copy(&path) }
            }
            _ => return Err(Abandoned),
        };
        Ok(self.alloc(span, kind))
    }

    fn struct_literal(&mut self, name: Ident, body: Node<'_>) -> Built<ExprKind<'a>> {
        let mut fields = Vec::new();
        let mut rest: Option<StructRest<'a>> = None;
        for part in Children::of(body) {
            if let (Some(rest), false) = (rest, part.as_rule() == Rule::close_brace) {
                self.error(codes::BAD_STRUCT_REST, rest.dots, "`..` must come last in a struct literal");
                return Err(Abandoned);
            }
            match part.as_rule() {
                Rule::field_value => {
                    let mut children = Children::of(part);
                    let name = self.ident(children.expect()?);
                    fields.push(FieldInit { name, value: self.expression(children.expect()?)? });
                }
                Rule::struct_rest => {
                    let mut children = Children::of(part);
                    let dots = self.span(children.expect()?);
                    let base = match children.next() {
                        Some(base) => Some(self.expression(base)?),
                        None => None,
                    };
                    rest = Some(StructRest { dots, base });
                }
                _ => {}
            }
        }
        Ok(ExprKind::StructLiteral { name, fields: self.arena.alloc_slice_copy(&fields), rest })
    }

    fn array(&mut self, node: Node<'_>, span: Span) -> Built<ExprKind<'a>> {
        let children = Children::of(node);
        let mut elements = Vec::new();
        for part in children {
            if part.as_rule() == Rule::array_count {
                let value = elements.pop().map(|value| &*self.arena.alloc(value)).ok_or(Abandoned)?;
                let count = self.expression(Children::of(part).expect()?)?;
                return Ok(ExprKind::ArrayRepeat { value, count });
            }
            elements.push(*self.expression(part)?);
        }
        if elements.is_empty() {
            self.error(codes::EMPTY_ARRAY, span, "an array literal needs at least one element");
        }
        Ok(ExprKind::ArrayList(self.arena.alloc_slice_copy(&elements)))
    }

    fn closure(&mut self, node: Node<'_>) -> Built<ExprKind<'a>> {
        let mut children = Children::of(node);
        let mut params = Vec::new();
        while let Some(param) = children.take_if(Rule::closure_param) {
            params.push(self.param(param)?);
        }
        let result = match children.take_if(Rule::type_expression) {
            Some(ty) => Some(self.ty(ty)?),
            None => None,
        };
        let body = children.expect()?;
        let body = if body.as_rule() == Rule::block {
            ClosureBody::Block(self.block(body)?)
        } else {
            ClosureBody::Expr(self.expression(body)?)
        };
        let closure = Closure { params: self.arena.alloc_slice_copy(&params), result, body };
        Ok(ExprKind::Closure(self.arena.alloc(closure)))
    }
}

/// How many nodes a [`Rule::operand`] puts above what is nested in it, at most, or itself has where nothing is.
fn operand_levels(node: Node<'_>) -> usize {
    let (mut parts, mut leaf) = (0, false);
    for child in node.children() {
        match child.as_rule() {
            // What is nested beside these lies in the parts after them, which count.
            Rule::name | Rule::number | Rule::truth => leaf = true,
            _ => parts += 1,
        }
    }
    parts + usize::from(leaf && parts == 0)
}

fn infix_op(text: &str) -> Option<InfixOp> {
    Some(match text {
        "||" => InfixOp::Or,
        "&&" => InfixOp::And,
        "==" => InfixOp::Equal,
        "!=" => InfixOp::NotEqual,
        "<" => InfixOp::Less,
        "<=" => InfixOp::LessEqual,
        ">" => InfixOp::Greater,
        ">=" => InfixOp::GreaterEqual,
        "|" => InfixOp::BitOr,
        "^" => InfixOp::BitXor,
        "&" => InfixOp::BitAnd,
        "<<" => InfixOp::ShiftLeft,
        ">>" => InfixOp::ShiftRight,
        "+" => InfixOp::Add,
        "-" => InfixOp::Sub,
        "*" => InfixOp::Mul,
        "/" => InfixOp::Div,
        "%" => InfixOp::Rem,
        _ => return None,
    })
}

/// How tightly the infix operator with this text binds; a larger number binds tighter.
pub(crate) fn precedence_of(text: &str) -> Option<u8> {
    infix_op(text).map(precedence)
}

/// How tightly an operator binds; a larger number binds tighter.
fn precedence(op: InfixOp) -> u8 {
    match op {
        InfixOp::Or => 0,
        InfixOp::And => 1,
        InfixOp::Equal | InfixOp::NotEqual => 2,
        InfixOp::Less | InfixOp::LessEqual | InfixOp::Greater | InfixOp::GreaterEqual => 3,
        InfixOp::BitOr => 4,
        InfixOp::BitXor => 5,
        InfixOp::BitAnd => 6,
        InfixOp::ShiftLeft | InfixOp::ShiftRight => 7,
        InfixOp::Add | InfixOp::Sub => 8,
        InfixOp::Mul | InfixOp::Div | InfixOp::Rem => 9,
    }
}
