//! Names of files that mean the same file, or none, on some system: what is built on one is to be unpacked on all.

use unicode_normalization::UnicodeNormalization;

/// The same text for names that are one name where upper and lower case, or the ways to write an accent, are not told apart (as with the
/// file systems of Windows and macOS).
pub(crate) fn folded(name: &str) -> String {
    // Upper case first: it knows more letters as one. Letter by letter, so that the place in the word does not count.
    let cased = name.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>();
    cased.nfd().collect()
}

/// The names of devices on Windows, with whatever ending (Microsoft: "Naming Files, Paths, and Namespaces").
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Whether Windows takes a name for a device's, so that no file can have it.
pub(crate) fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let number = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_numbered = number.is_some_and(|number| {
        let mut digits = number.chars();
        matches!((digits.next(), digits.next()), (Some('0'..='9' | '\u{b9}' | '\u{b2}' | '\u{b3}'), None))
    });
    is_numbered || DEVICES.contains(&stem.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_systems_take_for_one_name_is_one() {
        for (one, other) in [
            ("Blur", "bLUR"),
            ("STRASSE", "straße"),
            ("\u{e9}t\u{e9}", "E\u{301}te\u{301}"),
            ("\u{212b}", "\u{e5}"),
            ("\u{212a}", "k"),
            ("ΟΔΟΣ", "οδος"),
            ("\u{1112}\u{1161}", "\u{d558}"),
        ] {
            assert_eq!(folded(one), folded(other), "{one} and {other}");
        }
        for (one, other) in [("blur", "blur2"), ("a_b", "a-b"), ("e", "é"), ("ı", "l")] {
            assert_ne!(folded(one), folded(other), "{one} and {other}");
        }
    }

    #[test]
    fn devices_are_known_with_endings() {
        for name in ["con", "CON", "nul.spv", "Aux.tar.gz", "com1", "LPT9.x", "com²", "conin$", "com0"] {
            assert!(is_device(name), "{name}");
        }
        for name in ["console", "com", "com10", "lpt", "con_vs", "nully.spv", "a.con"] {
            assert!(!is_device(name), "{name}");
        }
    }
}
