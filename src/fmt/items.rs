//! Directives, items, types and attributes.

use super::layout::Command;
use super::writer::Writer;
use crate::syntax::build::Node;
use crate::syntax::grammar::Rule;
use crate::syntax::prescan::PieceKind;

impl Writer<'_> {
    /// Writes a directive or item; `before` is what stands before it in the file.
    pub(super) fn piece(&mut self, root: Node<'_>, kind: PieceKind, before: Option<PieceKind>) {
        while self.next() < root.start() {
            self.drop_token();
        }
        if kind == PieceKind::Item && before == Some(PieceKind::Directive) {
            self.command(Command::Blank);
        }
        self.begin_line(before.is_none());
        for node in root.children() {
            match node.as_rule() {
                Rule::directive => self.directive(node),
                Rule::item => self.item(node),
                _ => self.drop_token(),
            }
        }
    }

    fn directive(&mut self, node: Node<'_>) {
        self.token();
        self.token();
        self.space();
        while self.next() < node.end() {
            let comma = self.ahead(0) == ",";
            self.token();
            if comma {
                self.space();
            }
        }
    }

    fn item(&mut self, node: Node<'_>) {
        let binds = node.children().any(|child| child.as_rule() == Rule::binding_item);
        for child in node.children() {
            match child.as_rule() {
                Rule::attribute => {
                    self.attribute(child);
                    self.command(if binds { Command::Text(" ") } else { Command::Hard });
                }
                Rule::word_private => {
                    self.token();
                    self.space();
                }
                _ => self.definition(child),
            }
        }
    }

    fn definition(&mut self, node: Node<'_>) {
        // The keyword and the name.
        self.token();
        self.space();
        self.token();
        let parts: Vec<Node<'_>> = node.children().skip(2).collect();
        match node.as_rule() {
            Rule::struct_item => {
                self.space();
                let fields: Vec<Node<'_>> =
                    parts.iter().copied().filter(|part| part.as_rule() == Rule::field).collect();
                self.vertical(&fields, node.end() - 1, |writer, field| {
                    writer.field(field);
                    writer.end_mark(";", true);
                });
            }
            Rule::enum_item | Rule::bitfield_item => {
                let cases: Vec<Node<'_>> = parts
                    .iter()
                    .copied()
                    .filter(|part| matches!(part.as_rule(), Rule::enum_case | Rule::bitfield_field))
                    .collect();
                self.annotation(parts.first().copied());
                self.space();
                self.vertical(&cases, node.end() - 1, |writer, case| {
                    writer.case_of_list(case);
                    writer.end_mark(",", true);
                });
            }
            Rule::fn_item => {
                if let Some(&rest) = parts.first() {
                    if rest.as_rule() == Rule::instance { self.instance(rest) } else { self.function(rest) }
                }
            }
            _ => {
                for part in parts {
                    match part.as_rule() {
                        Rule::type_expression => self.annotation(Some(part)),
                        Rule::expression => self.value(part),
                        _ => {}
                    }
                }
                self.end_mark(";", true);
            }
        }
    }

    /// `: type`.
    pub(super) fn annotation(&mut self, ty: Option<Node<'_>>) {
        if let Some(ty) = ty {
            self.token();
            self.space();
            self.ty(ty);
        }
    }

    /// `= value`, before which a blank stands.
    pub(super) fn value(&mut self, value: Node<'_>) {
        self.space();
        self.token();
        self.space();
        self.expression(value);
    }

    fn default_value(&mut self, node: Node<'_>) {
        for value in node.children() {
            self.value(value);
        }
    }

    fn field(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::attribute => {
                    self.attribute(child);
                    self.space();
                }
                Rule::name => self.token(),
                Rule::type_expression => self.annotation(Some(child)),
                _ => self.default_value(child),
            }
        }
    }

    fn case_of_list(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::name => self.token(),
                Rule::default_value => self.default_value(child),
                _ => {
                    self.token();
                    self.space();
                    self.expression(child);
                }
            }
        }
    }

    fn instance(&mut self, node: Node<'_>) {
        self.space();
        self.token();
        self.space();
        self.token();
        let arguments: Vec<Node<'_>> = node.children().filter(|child| child.as_rule() == Rule::argument).collect();
        self.list(&arguments, " ", Self::argument);
        self.end_mark(";", true);
    }

    fn function(&mut self, node: Node<'_>) {
        let params: Vec<Node<'_>> = node.children().filter(|child| child.as_rule() == Rule::param).collect();
        self.list(&params, "", Self::param);
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
                _ => {}
            }
        }
    }

    /// A parameter of a function or closure.
    pub(super) fn param(&mut self, node: Node<'_>) {
        let mut named = false;
        for child in node.children() {
            match child.as_rule() {
                Rule::attribute => {
                    self.attribute(child);
                    self.space();
                }
                Rule::word_const => {
                    self.token();
                    self.space();
                }
                Rule::name => {
                    self.token();
                    named = true;
                }
                Rule::passing => {
                    self.token();
                    self.space();
                    self.token();
                    self.space();
                    named = false;
                }
                Rule::type_expression => {
                    if named {
                        self.token();
                        self.space();
                    }
                    self.ty(child);
                }
                Rule::question => self.token(),
                _ => self.default_value(child),
            }
        }
    }

    pub(super) fn attribute(&mut self, node: Node<'_>) {
        self.token();
        self.token();
        let args: Vec<Node<'_>> = node.children().filter(|child| child.as_rule() == Rule::attribute_arg).collect();
        if !args.is_empty() {
            self.list(&args, "", Self::attribute_arg);
        }
    }

    fn attribute_arg(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::attribute_name => {
                    self.token();
                    self.space();
                    self.token();
                    self.space();
                }
                Rule::tuple => {
                    let elements: Vec<Node<'_>> = child.children().collect();
                    self.list(&elements, "", Self::expression);
                }
                _ => self.expression(child),
            }
        }
    }

    /// A type.
    pub(super) fn ty(&mut self, node: Node<'_>) {
        for child in node.children() {
            match child.as_rule() {
                Rule::array_suffix => {
                    self.token();
                    for length in child.children() {
                        self.expression(length);
                    }
                    self.token();
                }
                Rule::fn_type => {
                    self.token();
                    let params: Vec<Node<'_>> =
                        child.children().filter(|child| child.as_rule() == Rule::fn_type_param).collect();
                    self.list(&params, "", Self::fn_type_param);
                    for result in child.children().filter(|child| child.as_rule() == Rule::type_expression) {
                        self.space();
                        self.token();
                        self.space();
                        self.ty(result);
                    }
                }
                _ => {
                    self.token();
                    for args in child.children().filter(|child| child.as_rule() == Rule::type_args) {
                        self.token();
                        for (index, arg) in args.children().enumerate() {
                            if index > 0 {
                                self.token();
                                self.space();
                            }
                            self.ty(arg);
                        }
                        self.token();
                    }
                }
            }
        }
    }

    fn fn_type_param(&mut self, node: Node<'_>) {
        for child in node.children() {
            if child.as_rule() == Rule::passing {
                self.token();
                self.space();
            } else {
                self.ty(child);
            }
        }
    }

    /// Elements in brackets, separated by commas: on one line, or an element a line. The next token is the opening bracket;
    /// `gap` is what stands inside of the brackets on one line.
    pub(super) fn list(&mut self, elements: &[Node<'_>], gap: &str, mut each: impl FnMut(&mut Self, Node<'_>)) {
        let Some(last) = elements.last().copied() else {
            self.token();
            self.comments();
            self.token();
            return;
        };
        let edge = if gap == " " && self.ahead(0) == "{" { Command::Line } else { Command::Soft };
        let keeps_comma = self.lexed.text_at(last.end()) == ",";
        self.group();
        self.token();
        self.indent();
        if keeps_comma {
            self.command(Command::Break);
        }
        self.command(edge.clone());
        for (index, &element) in elements.iter().enumerate() {
            if index > 0 {
                self.token();
                self.line();
            }
            each(self, element);
        }
        if keeps_comma {
            self.token();
        } else if last.as_rule() != Rule::struct_rest {
            self.comma_if_broken();
        }
        self.comments();
        self.dedent();
        self.command(edge);
        self.token();
        self.end_group();
    }

    /// Elements in braces, one a line. The next token is the opening brace; the closing one has the number `close`.
    pub(super) fn vertical(&mut self, elements: &[Node<'_>], close: usize, mut each: impl FnMut(&mut Self, Node<'_>)) {
        self.token();
        if elements.is_empty() && !self.comments_before(close) {
            self.drop_to(close);
            self.token();
            return;
        }
        self.indent();
        for (index, &element) in elements.iter().enumerate() {
            self.drop_to(element.start());
            self.begin_line(index == 0);
            each(self, element);
        }
        self.drop_to(close);
        if self.comments_before(close) {
            self.begin_line(elements.is_empty());
        }
        self.dedent();
        self.command(Command::Hard);
        self.token();
    }

    /// Leaves out the tokens before the one with the number `end`: `;` that end nothing.
    pub(super) fn drop_to(&mut self, end: usize) {
        while self.next() < end {
            self.drop_token();
        }
    }

    /// `;` or `,` after an element, put in where it is missing and `wanted`.
    pub(super) fn end_mark(&mut self, mark: &'static str, wanted: bool) {
        if self.ahead(0) == mark {
            self.token();
        } else if wanted {
            self.put_in(mark);
        }
    }
}
