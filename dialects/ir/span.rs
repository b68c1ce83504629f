//! Places in source text.

/// A source file, as numbered by the source map of the program that loaded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A half-open range of bytes in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file the range lies in.
    pub file: FileId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset just after the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    #[must_use]
    pub const fn new(file: FileId, start: u32, end: u32) -> Self {
        Self { file, start, end }
    }

    /// The range, unless it holds nothing: what the language itself defines stands in no file.
    #[must_use]
    pub fn somewhere(self) -> Option<Self> {
        (self.start < self.end).then_some(self)
    }

    /// The smallest range that holds both; `self` where the files differ.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        if self.file != other.file {
            return self;
        }
        Self::new(self.file, self.start.min(other.start), self.end.max(other.end))
    }
}
