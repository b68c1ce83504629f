//! What is said about wrong text.

use super::{golden, read};

#[test]
fn messages() {
    golden("messages.txt", include_str!("messages.txt"), |source| {
        read(source).1.into_iter().fold(String::new(), |text, diagnostic| text + &diagnostic + "\n")
    });
}
