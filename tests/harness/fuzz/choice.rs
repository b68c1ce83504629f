//! Tables of what may be made at some point of a random program.

use super::Program;

/// A row: how often it is chosen beside the others, where it fits, and what is made.
pub(super) struct Row<C, R>(
    pub(super) usize,
    pub(super) fn(&Program, &C) -> bool,
    pub(super) fn(&mut Program, &C) -> R,
);

impl Program {
    /// Makes one of the rows that fit; at least one must.
    pub(super) fn choose<C, R>(&mut self, rows: &[Row<C, R>], context: &C) -> R {
        let fitting: Vec<_> = rows.iter().filter(|Row(_, fits, _)| fits(self, context)).collect();
        let mut number = self.random.below(fitting.iter().map(|Row(weight, ..)| weight).sum());
        let chosen = fitting.iter().find(|Row(weight, ..)| match number.checked_sub(*weight) {
            Some(rest) => {
                number = rest;
                false
            }
            None => true,
        });
        let Row(_, _, make) = chosen.unwrap_or(&fitting[0]);
        make(self, context)
    }
}
