//! The verifier. (Rules that hold of every operation; an operation's own rules stand with its row.)

use crate::entity::OpId;

/// What the verifier found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Each fault with the operation it is about.
    pub faults: Vec<(Option<OpId>, String)>,
}

impl Report {
    /// Adds a fault of `op`.
    pub fn fault(&mut self, op: OpId, message: impl Into<String>) {
        self.faults.push((Some(op), message.into()));
    }
}
