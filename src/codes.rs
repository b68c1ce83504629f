//! Every code that a diagnostic may have.

use akari_ir::Code;

use crate::{cli, manifest, sema, spec, syntax};

/// The families of codes, each with what it is about.
pub const FAMILIES: [(&str, &[(Code, &str)]); 9] = [
    ("Source text and syntax", syntax::codes::ALL),
    ("Names, types, meaning and stages", sema::errors::ALL),
    ("What entries reach", akari_passes::check_entries::codes::ALL),
    ("Resources and slots", akari_passes::assign_slots::codes::ALL),
    ("Binding manifests", manifest::codes::ALL),
    ("Build specifications", spec::codes::ALL),
    ("Files and tools", cli::codes::ALL),
    ("Specialization", akari_passes::specialize::codes::ALL),
    ("Passes", akari_passes::codes::ALL),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_has_two_meanings() {
        let mut codes: Vec<_> = FAMILIES.iter().flat_map(|(_, family)| family.iter()).map(|(code, _)| code.0).collect();
        codes.sort_unstable();
        let twice: Vec<_> = codes.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
