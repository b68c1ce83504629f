//! Diagnostics as values. Rendering them is the business of the program around the compiler.

use crate::span::Span;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input is wrong; nothing is emitted for it.
    Error,
    /// The input is accepted, and probably not what its author meant.
    Warning,
}

/// The stable code of a kind of diagnostic, such as `E0204`.
///
/// Each family of diagnostics declares its codes in one table; a code is never reused for another meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

/// Declares a family of codes: a constant each, and `ALL` with every code and its meaning, from which the list of codes in the
/// documentation follows.
///
/// ```
/// akari_ir::codes! {
///     /// A file that cannot be read.
///     UNREADABLE = "E0001";
/// }
/// assert_eq!(ALL[0], (UNREADABLE, " A file that cannot be read."));
/// ```
#[macro_export]
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $code:literal;)*) => {
        $($(#[doc = $doc])+ pub const $name: $crate::Code = $crate::Code($code);)*

        /// Every code of this family with its meaning.
        pub const ALL: &[($crate::Code, &str)] = &[$(($name, concat!($($doc),+))),*];
    };
}

/// A name in backquotes with its article, as in "a `float`", "an `int`", "a `uint`".
#[must_use]
pub fn with_article(name: &str) -> String {
    let mut letters = name.chars().map(|letter| letter.to_ascii_lowercase());
    let vowel = match (letters.next(), letters.next(), letters.next()) {
        // A letter by itself is spoken by its own name.
        (Some(letter), None, _) => "aefhilmnorsx".contains(letter),
        (Some('a' | 'e' | 'i' | 'o'), _, _) => true,
        // As "you": `uint`, `Uniform`, `use`.
        (Some('u'), Some('i' | 's'), _) | (Some('u'), Some('n'), Some('i')) => false,
        (Some('u'), _, _) => true,
        _ => false,
    };
    format!("{} `{name}`", if vowel { "an" } else { "a" })
}

/// The candidate that `name` may have been meant to be: of those equally near, the one that begins most alike.
#[must_use]
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let alike = |candidate: &str| name.bytes().zip(candidate.bytes()).take_while(|(a, b)| a == b).count();
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= candidate.len().max(name.len()) / 3)
        .min_by_key(|(distance, candidate)| (*distance, std::cmp::Reverse(alike(candidate))))
        .map(|(_, candidate)| candidate)
}

/// Words in a row, as in "vertex, fragment and compute".
#[must_use]
pub fn listed(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// A remark that follows a diagnostic, printed as `= note: …`; with a place it ends in `at file:line:col`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What is said.
    pub message: String,
    /// The place it speaks of.
    pub span: Option<Span>,
}

/// One thing to tell the author of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Its stable code.
    pub code: Code,
    /// One line, without file or place, names in backquotes.
    pub message: String,
    /// The place it is about; absent only where no source text is to blame.
    pub span: Option<Span>,
    /// Further places and remarks, in order.
    pub notes: Vec<Note>,
    /// What to do about it, printed as `= help: …`.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`, which may be absent.
    #[must_use]
    pub fn error(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            span: span.into(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// A warning at `span`, which may be absent.
    #[must_use]
    pub fn warning(code: Code, span: impl Into<Option<Span>>, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, span, message) }
    }

    /// Adds a remark about another place.
    #[must_use]
    pub fn note_at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.notes.push(Note { message: message.into(), span: Some(span) });
        self
    }

    /// Adds a remark without a place.
    #[must_use]
    pub fn note(mut self, message: impl Into<String>) -> Self {
        self.notes.push(Note { message: message.into(), span: None });
        self
    }

    /// Says what to do about it.
    #[must_use]
    pub fn help(mut self, message: impl Into<String>) -> Self {
        self.help = Some(message.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::with_article;

    #[test]
    fn articles() {
        for right in [
            "a `float`", "an `int`", "a `uint`", "a `Uniform<T>`", "an `AtomicBuf<uint>`", "an `unlit`", "a `b`",
            "an `s`", "a `u`", "an `enum`",
        ] {
            let name = right.split('`').nth(1).unwrap_or_default();
            assert_eq!(with_article(name), right);
        }
    }
}
