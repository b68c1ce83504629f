//! What a random program may name where it is being written.

use super::random::Random;
use super::types::{Scalar, Type, Types};

/// A variable, or an element of a buffer that stands for one.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) mutable: bool,
    pub(super) kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A local, a parameter, or a uniform buffer.
    Local,
    /// A buffer of this many elements, a power of two, that all threads read.
    Buffer(usize),
    /// A buffer of which each thread has two elements.
    Own,
    /// An array of this many textures, all of two texels.
    Textures(usize),
    /// One of such textures.
    Texture,
    /// An array of this many storage textures, of which each thread has a column.
    Images(usize),
    /// Only a name that nothing else may take.
    Reserved,
}

/// Blocks, from the outermost.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    blocks: Vec<Vec<Variable>>,
}

impl Scopes {
    pub(super) fn enter(&mut self) {
        self.blocks.push(Vec::new());
    }

    pub(super) fn leave(&mut self) {
        self.blocks.pop();
    }

    pub(super) fn declare(&mut self, variable: Variable) {
        if let Some(block) = self.blocks.last_mut() {
            block.push(variable);
        }
    }

    /// The names that a new variable may not take.
    pub(super) fn taken(&self) -> Vec<String> {
        let inner = self.blocks.last().into_iter().flatten();
        // Resources are named throughout.
        let outer = self.blocks.first().into_iter().flatten();
        inner.chain(outer).map(|variable| variable.name.clone()).chain(["id".to_owned(), "lane".to_owned()]).collect()
    }

    /// The variables that are not hidden by a later one.
    pub(super) fn visible(&self) -> Vec<&Variable> {
        let mut seen = Vec::new();
        let mut visible = Vec::new();
        for variable in self.blocks.iter().rev().flat_map(|block| block.iter().rev()) {
            if !seen.contains(&&variable.name) {
                seen.push(&variable.name);
                visible.push(variable);
            }
        }
        visible
    }

    pub(super) fn variable(&self, random: &mut Random, fits: impl Fn(&Variable) -> bool) -> Option<Variable> {
        let fitting: Vec<_> =
            self.visible().into_iter().filter(|variable| variable.kind != Kind::Reserved && fits(variable)).collect();
        fitting.get(random.below(fitting.len())).map(|variable| (*variable).clone())
    }
}

/// Whether a part of `outer` may be of type `inner`; with `whole`, one that is no selection of components.
pub(super) fn holds(types: &Types, outer: &Type, inner: &Type, whole: bool) -> bool {
    outer == inner
        || match outer {
            Type::Scalar(_) | Type::Enum | Type::Bitfield => false,
            Type::Vector(scalar, width) => match inner {
                Type::Scalar(part) => part == scalar,
                Type::Vector(part, narrow) => !whole && part == scalar && narrow < width,
                _ => false,
            },
            Type::Matrix(_, rows) => holds(types, &Type::Vector(Scalar::Float, *rows), inner, whole),
            Type::Array(element, _) => holds(types, element, inner, whole),
            Type::Struct(number) => {
                types.structs[*number].fields.iter().any(|(_, field)| holds(types, field, inner, whole))
            }
        }
}
