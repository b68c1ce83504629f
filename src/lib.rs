//! Akari.
