//! What the grammar found, laid out flat for the builder.

use pest::iterators::Pairs;

use super::Rule;

/// A node of the grammar and the tokens it covers.
#[derive(Clone, Copy, Debug)]
struct NodeData {
    rule: Rule,
    /// Its first token.
    start: u32,
    /// Just behind its last token; equal to `start` where it is empty.
    end: u32,
    /// Just behind its last descendant in the list.
    after: u32,
}

/// The nodes of one item or directive, parents before children. Punctuation that says nothing is left out.
pub(crate) struct Nodes {
    list: Vec<NodeData>,
}

impl Nodes {
    /// Lays out `pairs`. `token` gives the number in the file of the token with a number in the text that was read.
    pub(crate) fn new(pairs: &Pairs<'_, Rule>, token: impl Fn(usize) -> u32) -> Self {
        let tokens = pairs.clone().tokens();
        let mut list: Vec<NodeData> = Vec::with_capacity(tokens.len() / 2);
        let mut open = Vec::with_capacity(32);
        for event in tokens {
            match event {
                pest::Token::Start { rule, pos } => {
                    if !is_silent(rule) {
                        open.push(list.len());
                        let start = token(pos.pos());
                        list.push(NodeData { rule, start, end: start, after: 0 });
                    }
                }
                pest::Token::End { rule, pos } => {
                    if is_silent(rule) {
                        continue;
                    }
                    let after = list.len() as u32;
                    if let Some(node) = open.pop().and_then(|index| list.get_mut(index)) {
                        node.after = after;
                        node.end = match pos.pos().checked_sub(1) {
                            Some(last) => (token(last) + 1).max(node.start),
                            None => node.start,
                        };
                    }
                }
            }
        }
        Self { list }
    }

    /// The outermost node.
    pub(crate) fn root(&self) -> Option<Node<'_>> {
        (!self.list.is_empty()).then_some(Node { nodes: self, index: 0 })
    }
}

/// A node.
#[derive(Clone, Copy)]
pub(crate) struct Node<'n> {
    nodes: &'n Nodes,
    index: u32,
}

impl<'n> Node<'n> {
    fn data(self) -> NodeData {
        self.nodes.list[self.index as usize]
    }

    pub(crate) fn as_rule(self) -> Rule {
        self.data().rule
    }

    /// The number of its first token.
    pub(crate) fn start(self) -> usize {
        self.data().start as usize
    }

    /// The number of the token behind its last one.
    pub(crate) fn end(self) -> usize {
        self.data().end as usize
    }

    pub(crate) fn children(self) -> Children<'n> {
        Children { nodes: self.nodes, at: self.index + 1, end: self.data().after }
    }
}

/// The nodes directly in a node that are still to come.
#[derive(Clone, Copy)]
pub(crate) struct Children<'n> {
    nodes: &'n Nodes,
    at: u32,
    end: u32,
}

impl<'n> Children<'n> {
    pub(super) fn of(node: Node<'n>) -> Self {
        node.children()
    }

    pub(super) fn peek(&self) -> Option<Rule> {
        (self.at < self.end).then(|| self.nodes.list[self.at as usize].rule)
    }

    pub(super) fn take_if(&mut self, rule: Rule) -> Option<Node<'n>> {
        if self.peek() == Some(rule) { self.next() } else { None }
    }

    /// The next node, which the grammar promises.
    pub(super) fn expect(&mut self) -> super::Built<Node<'n>> {
        self.next().ok_or(super::Abandoned)
    }
}

impl<'n> Iterator for Children<'n> {
    type Item = Node<'n>;

    fn next(&mut self) -> Option<Node<'n>> {
        if self.at >= self.end {
            return None;
        }
        let node = Node { nodes: self.nodes, index: self.at };
        self.at = node.data().after;
        Some(node)
    }
}

fn is_silent(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::open_paren
            | Rule::close_paren
            | Rule::close_bracket
            | Rule::comma
            | Rule::colon
            | Rule::equals
            | Rule::arrow
            | Rule::bar
            | Rule::close_angle
            | Rule::EOI
    )
}
