//! Items and their parts.

use akari_ir::{Diagnostic, Severity, Span};

use super::{Builder, Built, Children, Node, Rule, codes};
use crate::syntax::ast::{
    Arg, Binding, Bitfield, BitfieldField, Const, Enum, EnumCase, Field, Function, Instance, Item, ItemKind, Param,
};

impl<'a> Builder<'a, '_> {
    /// The item of a [`Rule::lone_item`]; `intact` says whether nothing in it was passed over.
    pub(crate) fn item(&mut self, node: Node<'_>, intact: bool) -> Built<Item<'a>> {
        self.item = node.start()..node.end();
        self.intact = intact;
        self.quiet_until = 0;
        let item = Children::of(node).expect()?;
        let span = self.span(item);
        let doc = self.docs_before(span.start);
        let mut children = Children::of(item);
        let attributes = self.attributes(&mut children)?;
        let private = children.take_if(Rule::word_private).map(|word| self.span(word));
        let kind = children.expect()?;
        let rule = kind.as_rule();
        let mut parts = Children::of(kind);
        let keyword = parts.expect()?;
        let name = self.ident(parts.expect()?);
        let kind = match rule {
            Rule::struct_item => ItemKind::Struct(self.fields(parts)?),
            Rule::enum_item => ItemKind::Enum(self.enumeration(parts, name.span)?),
            Rule::bitfield_item => ItemKind::Bitfield(self.bitfield(parts)?),
            Rule::fn_item => {
                let rest = parts.expect()?;
                if rest.as_rule() == Rule::instance {
                    ItemKind::Instance(self.instance(rest)?)
                } else {
                    ItemKind::Fn(self.function(rest)?)
                }
            }
            Rule::const_item => {
                let ty = self.optional_type(&mut parts)?;
                let value = self.expression(parts.expect()?)?;
                self.end(parts.expect()?, "this constant");
                ItemKind::Const(Const { ty, value })
            }
            _ => {
                let ty = self.optional_type(&mut parts)?;
                self.end(parts.expect()?, "this binding");
                if let Some(private) = private {
                    let error = Diagnostic::error(codes::BAD_DECLARATION, private, "a binding cannot be `private`");
                    self.report(error.help("bindings are never visible to other files"));
                } else if attributes.is_empty() {
                    let message = "`let` outside of a function needs `@bind(…)` or `@sampler(…)` before it";
                    let error = Diagnostic::error(codes::BAD_DECLARATION, self.span(keyword), message);
                    self.report(error.help("a constant is declared with `const`"));
                }
                ItemKind::Binding(Binding { ty })
            }
        };
        let intact = intact && !self.has_error_in(span);
        Ok(Item { span, doc, attributes, private, name, kind, intact })
    }

    /// Whether something in an item was reported: what was meant there is not known. In a file with very many errors, always.
    fn has_error_in(&self, item: Span) -> bool {
        const MANY: usize = 1000;
        let inside = |span: Span| item.start <= span.start && span.start < item.end;
        self.diagnostics.len() > MANY
            || self
                .diagnostics
                .iter()
                .any(|diagnostic| diagnostic.severity == Severity::Error && diagnostic.span.is_some_and(inside))
    }

    fn optional_type(&mut self, parts: &mut Children<'_>) -> Built<Option<&'a crate::syntax::ast::Type<'a>>> {
        match parts.take_if(Rule::type_expression) {
            Some(ty) => Ok(Some(self.ty(ty)?)),
            None => Ok(None),
        }
    }

    fn fields(&mut self, mut parts: Children<'_>) -> Built<&'a [Field<'a>]> {
        let mut fields = Vec::new();
        parts.take_if(Rule::open_brace);
        while let Some(node) = parts.take_if(Rule::field) {
            fields.push(self.field(node)?);
            let end = parts.expect()?;
            if end.as_rule() == Rule::missing_semicolon && parts.peek() != Some(Rule::close_brace) {
                self.missing_field_end(end);
            }
        }
        Ok(self.arena.alloc_slice_copy(&fields))
    }

    fn missing_field_end(&mut self, end: Node<'_>) {
        let gap = self.gap(end);
        let message = "missing `;` after field";
        if self.lexed.starts_line(end.start()) {
            self.report(Diagnostic::warning(codes::FIELD_WITHOUT_SEMICOLON, gap, message));
        } else {
            self.error(codes::MISSING_SEMICOLON, gap, message);
        }
    }

    fn field(&mut self, node: Node<'_>) -> Built<Field<'a>> {
        let span = self.span(node);
        let doc = self.docs_before(span.start);
        let mut children = Children::of(node);
        let attributes = self.attributes(&mut children)?;
        let name = self.ident(children.expect()?);
        let ty = self.ty(children.expect()?)?;
        let default = self.default_value(&mut children)?;
        Ok(Field { span, doc, attributes, name, ty, default })
    }

    fn default_value(&mut self, children: &mut Children<'_>) -> Built<Option<&'a crate::syntax::ast::Expr<'a>>> {
        match children.take_if(Rule::default_value) {
            Some(value) => Ok(Some(self.expression(Children::of(value).expect()?)?)),
            None => Ok(None),
        }
    }

    fn enumeration(&mut self, mut parts: Children<'_>, name: Span) -> Built<Enum<'a>> {
        let underlying = self.ty(parts.expect()?)?;
        let mut cases = Vec::new();
        for node in parts {
            if node.as_rule() != Rule::enum_case {
                continue;
            }
            let span = self.span(node);
            let doc = self.docs_before(span.start);
            let mut children = Children::of(node);
            let name = self.ident(children.expect()?);
            let value = self.default_value(&mut children)?;
            cases.push(EnumCase { span, doc, name, value });
        }
        if cases.is_empty() && self.intact {
            self.error(codes::BAD_DECLARATION, name, "an enum needs at least one case");
        }
        Ok(Enum { underlying, cases: self.arena.alloc_slice_copy(&cases) })
    }

    fn bitfield(&mut self, mut parts: Children<'_>) -> Built<Bitfield<'a>> {
        let storage = self.ty(parts.expect()?)?;
        let mut fields = Vec::new();
        for node in parts {
            if node.as_rule() != Rule::bitfield_field {
                continue;
            }
            let span = self.span(node);
            let doc = self.docs_before(span.start);
            let mut children = Children::of(node);
            let name = self.ident(children.expect()?);
            let width = self.expression(children.expect()?)?;
            fields.push(BitfieldField { span, doc, name, width });
        }
        Ok(Bitfield { storage, fields: self.arena.alloc_slice_copy(&fields) })
    }

    fn instance(&mut self, node: Node<'_>) -> Built<Instance<'a>> {
        let mut children = Children::of(node);
        let template = self.ident(children.expect()?);
        let args = self.arguments(&mut children)?;
        self.end(children.expect()?, "this instance");
        Ok(Instance { template, args })
    }

    /// All arguments that come next.
    pub(super) fn arguments(&mut self, children: &mut Children<'_>) -> Built<&'a [Arg<'a>]> {
        let mut args = Vec::new();
        while let Some(node) = children.take_if(Rule::argument) {
            let mut parts = Children::of(node);
            let name = match parts.take_if(Rule::argument_name) {
                Some(name) => Some(self.ident(Children::of(name).expect()?)),
                None => None,
            };
            args.push(Arg { name, value: self.expression(parts.expect()?)? });
        }
        Ok(self.arena.alloc_slice_copy(&args))
    }

    fn function(&mut self, node: Node<'_>) -> Built<Function<'a>> {
        let mut children = Children::of(node);
        let mut params = Vec::new();
        while let Some(node) = children.take_if(Rule::param) {
            params.push(self.param(node)?);
        }
        let result = self.optional_type(&mut children)?;
        let body = self.block(children.expect()?)?;
        Ok(Function { params: self.arena.alloc_slice_copy(&params), result, body })
    }

    /// A [`Rule::param`] or [`Rule::closure_param`].
    pub(super) fn param(&mut self, node: Node<'_>) -> Built<Param<'a>> {
        let span = self.span(node);
        let in_closure = node.as_rule() == Rule::closure_param;
        let mut children = Children::of(node);
        let attributes = self.attributes(&mut children)?;
        let is_const = children.take_if(Rule::word_const).map(|word| self.span(word));
        let name = self.ident(children.expect()?);
        let passing = children.take_if(Rule::passing).map(|word| self.passing(word));
        let ty = self.optional_type(&mut children)?;
        let optional = children.take_if(Rule::question).map(|sign| self.span(sign));
        let default = self.default_value(&mut children)?;
        if ty.is_none()
            && !in_closure
            && !attributes.iter().any(|attribute| self.names.text(attribute.name.name) == "sampler")
        {
            let text = self.names.text(name.name);
            let error =
                Diagnostic::error(codes::BAD_DECLARATION, name.span, format!("the parameter `{text}` needs a type"));
            let error = match text {
                "void" => error.help("a function without parameters is written `fn name()`"),
                text => error.help(format!("write `{text}: type`")),
            };
            self.report(error);
        }
        Ok(Param { span, attributes, is_const, name, passing, ty, optional, default })
    }
}
