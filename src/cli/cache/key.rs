//! Keys: hashes of everything that a result depends on.

use std::fmt;
use std::path::Path;

/// What an entry is found by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::cli) struct Key(blake3::Hash);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_hex())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hashes parts into a key. Each part goes in behind its length, so that no two lists of parts are the same bytes.
#[derive(Clone, Debug)]
pub(in crate::cli) struct KeyBuilder(blake3::Hasher);

impl KeyBuilder {
    /// Begins a key of one kind of entries: keys of different kinds never meet.
    pub(in crate::cli) fn new(kind: &str) -> Self {
        Self(blake3::Hasher::new()).text(kind)
    }

    /// Adds bytes.
    #[must_use]
    pub(in crate::cli) fn bytes(mut self, part: &[u8]) -> Self {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// Adds text.
    #[must_use]
    pub(in crate::cli) fn text(self, part: &str) -> Self {
        self.bytes(part.as_bytes())
    }

    /// Adds a path as it is written.
    #[must_use]
    pub(in crate::cli) fn path(self, part: &Path) -> Self {
        self.bytes(part.as_os_str().as_encoded_bytes())
    }

    /// Adds a number.
    #[must_use]
    pub(in crate::cli) fn number(self, part: u64) -> Self {
        self.bytes(&part.to_le_bytes())
    }

    /// Adds a hash.
    #[must_use]
    pub(in crate::cli) fn hash(self, part: &blake3::Hash) -> Self {
        self.bytes(part.as_bytes())
    }

    /// Adds a key, of a more general entry say.
    #[must_use]
    pub(in crate::cli) fn key(self, part: &Key) -> Self {
        self.hash(&part.0)
    }

    /// The key of all parts.
    pub(in crate::cli) fn finish(&self) -> Key {
        Key(self.0.finalize())
    }
}
