//! Interned names: every identifier of every source file of a session, as a number.

use std::fmt;

use rustc_hash::FxHashMap;

use super::prelude;

/// An interned identifier. Two names of one [`Names`] are equal exactly when their text is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(u32);

impl Name {
    /// The name with this number in the list of the prelude.
    pub(super) const fn of_prelude(number: u32) -> Self {
        Self(number)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "name{}", self.0)
    }
}

/// The table of names of one session. Numbers are given in order of first appearance, so they are the same on every run.
#[derive(Debug)]
pub struct Names {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, Name>,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self { texts: Vec::new(), numbers: FxHashMap::default() };
        for name in prelude::NAMES {
            names.intern(name);
        }
        names
    }
}

impl Names {
    /// A table with the names of the prelude alone.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The name with this text, added when it is new.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(text.into());
        self.numbers.insert(text.into(), name);
        name
    }

    /// The name with this text, if any source text or caller has mentioned it.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of `name`; empty for a name of another table.
    #[must_use]
    pub fn text(&self, name: Name) -> &str {
        self.texts.get(name.0 as usize).map_or("", |text| text)
    }
}
