//! What is known at a point of a body: whether anything gets there, and which of the `let`s declared without a value have
//! theirs by then.

use super::tree::LocalId;

/// Why nothing gets to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreachable {
    /// A jump stands before it: a statement here deserves a warning.
    Jump,
    /// A constant condition excludes it, or the warning was given.
    Silent,
}

#[derive(Clone, Copy, Debug)]
struct Deferred {
    local: LocalId,
    /// Loops around its declaration.
    loops: u32,
    /// Assigned on every path to here.
    always: bool,
    /// Assigned on some path to here.
    sometimes: bool,
    /// That it was read too early has been told.
    told: bool,
}

/// What is known at a point.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    pub(super) unreachable: Option<Unreachable>,
    /// In the order of their declaration, which is that of their ids.
    deferred: Vec<Deferred>,
}

impl Flow {
    /// A `let` without a value, declared inside so many loops.
    pub(super) fn defer(&mut self, local: LocalId, loops: u32) {
        self.deferred.push(Deferred { local, loops, always: false, sometimes: false, told: false });
    }

    fn find(&self, local: LocalId) -> Option<&Deferred> {
        let index = self.deferred.binary_search_by_key(&local, |deferred| deferred.local).ok()?;
        self.deferred.get(index)
    }

    fn find_mut(&mut self, local: LocalId) -> Option<&mut Deferred> {
        let index = self.deferred.binary_search_by_key(&local, |deferred| deferred.local).ok()?;
        self.deferred.get_mut(index)
    }

    /// Locals from this one on are out of scope.
    pub(super) fn forget(&mut self, first: LocalId) {
        while self.deferred.last().is_some_and(|deferred| deferred.local >= first) {
            self.deferred.pop();
        }
    }

    /// Whether it has its value here.
    pub(super) fn is_assigned(&self, local: LocalId) -> bool {
        self.unreachable.is_some() || self.find(local).is_none_or(|deferred| deferred.always || deferred.told)
    }

    /// Whether it may have a value here.
    pub(super) fn may_be_assigned(&self, local: LocalId) -> bool {
        self.unreachable.is_none() && self.find(local).is_some_and(|deferred| deferred.sometimes)
    }

    /// Loops around its declaration.
    pub(super) fn loops_around(&self, local: LocalId) -> u32 {
        self.find(local).map_or(0, |deferred| deferred.loops)
    }

    /// That it was read too early has been reported.
    pub(super) fn tell(&mut self, local: LocalId) {
        if let Some(deferred) = self.find_mut(local) {
            deferred.told = true;
        }
    }

    /// It gets its value here.
    pub(super) fn assign(&mut self, local: LocalId) {
        if let Some(deferred) = self.find_mut(local) {
            deferred.always = true;
            deferred.sometimes = true;
        }
    }

    /// Nothing gets past here.
    pub(super) fn leave(&mut self) {
        self.unreachable.get_or_insert(Unreachable::Jump);
    }

    /// The same, but where nothing gets to.
    #[must_use]
    pub(super) fn excluded(self, why: Unreachable) -> Self {
        Self { unreachable: Some(why), ..self }
    }

    /// The point where two paths meet.
    #[must_use]
    pub(super) fn join(self, other: Self) -> Self {
        match (self.unreachable, other.unreachable) {
            (Some(Unreachable::Silent), Some(_)) => self,
            (Some(_), _) => other,
            (None, Some(_)) => self,
            (None, None) => {
                let mut joined = self;
                for deferred in &mut joined.deferred {
                    if let Some(other) = other.find(deferred.local) {
                        deferred.always &= other.always;
                        deferred.sometimes |= other.sometimes;
                        deferred.told |= other.told;
                    }
                }
                joined
            }
        }
    }
}
