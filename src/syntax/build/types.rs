//! Types and attributes.

use super::{Builder, Built, Children, Node, Rule};
use crate::syntax::ast::{Attribute, AttributeArg, AttributeValue, FnTypeParam, Passing, PassingKind, Type, TypeKind};

impl<'a> Builder<'a, '_> {
    /// A [`Rule::type_expression`] or [`Rule::type_argument`].
    pub(super) fn ty(&mut self, node: Node<'_>) -> Built<&'a Type<'a>> {
        let span = self.span(node);
        let suffixes = node.children().count();
        self.deeper(suffixes, span, |builder| {
            let mut children = Children::of(node);
            let base = children.expect()?;
            let mut ty = builder.base_type(base)?;
            for suffix in children {
                let span = ty.span.to(builder.span(suffix));
                let length = builder.expression(Children::of(suffix).expect()?)?;
                let element = builder.arena.alloc(ty);
                ty = Type { span, kind: TypeKind::Array { element, length } };
            }
            Ok(&*builder.arena.alloc(ty))
        })
    }

    fn base_type(&mut self, node: Node<'_>) -> Built<Type<'a>> {
        let span = self.span(node);
        let is_function = node.as_rule() == Rule::fn_type;
        let mut children = Children::of(node);
        if is_function {
            let mut params = Vec::new();
            let mut result = None;
            for child in children.skip(1) {
                if child.as_rule() == Rule::fn_type_param {
                    let span = self.span(child);
                    let mut parts = Children::of(child);
                    let passing = parts.take_if(Rule::passing).map(|word| self.passing(word));
                    params.push(FnTypeParam { span, passing, ty: self.ty(parts.expect()?)? });
                } else {
                    result = Some(self.ty(child)?);
                }
            }
            let params = self.arena.alloc_slice_copy(&params);
            return Ok(Type { span, kind: TypeKind::Fn { params, result } });
        }
        let name = self.ident(children.expect()?);
        let mut args = Vec::new();
        if let Some(list) = children.take_if(Rule::type_args) {
            for arg in Children::of(list) {
                args.push(*self.ty(arg)?);
            }
        }
        Ok(Type { span, kind: TypeKind::Named { name, args: self.arena.alloc_slice_copy(&args) } })
    }

    pub(super) fn passing(&self, node: Node<'_>) -> Passing {
        let kind = if self.text(node) == "ref" { PassingKind::Ref } else { PassingKind::Inout };
        Passing { kind, span: self.span(node) }
    }

    /// All attributes that come next.
    pub(super) fn attributes(&mut self, children: &mut Children<'_>) -> Built<&'a [Attribute<'a>]> {
        let mut attributes = Vec::new();
        while let Some(node) = children.take_if(Rule::attribute) {
            attributes.push(self.attribute(node)?);
        }
        Ok(self.arena.alloc_slice_copy(&attributes))
    }

    fn attribute(&mut self, node: Node<'_>) -> Built<Attribute<'a>> {
        let span = self.span(node);
        let mut children = Children::of(node);
        let name = self.ident(children.expect()?);
        let mut args = Vec::new();
        for arg in children {
            let span = self.span(arg);
            let mut parts = Children::of(arg);
            let name = match parts.take_if(Rule::attribute_name) {
                Some(name) => Some(self.ident(Children::of(name).expect()?)),
                None => None,
            };
            let value = parts.expect()?;
            let value = if value.as_rule() == Rule::tuple {
                let mut elements = Vec::new();
                for element in Children::of(value) {
                    elements.push(*self.expression(element)?);
                }
                AttributeValue::Tuple(self.arena.alloc_slice_copy(&elements))
            } else {
                AttributeValue::Expr(self.expression(value)?)
            };
            args.push(AttributeArg { span, name, value });
        }
        let args: Option<&'a [_]> = if args.is_empty() { None } else { Some(self.arena.alloc_slice_copy(&args)) };
        Ok(Attribute { span, name, args })
    }
}
