//! Each construct of the language, as text and as tree.

use super::{golden, read};

#[test]
fn trees() {
    golden("trees.txt", include_str!("trees.txt"), |source| {
        let (tree, diagnostics) = read(source);
        diagnostics.into_iter().fold(tree, |text, diagnostic| text + &diagnostic + "\n")
    });
}
