//! What makes the contents of groupshared memory a matter of luck: reads of what nobody wrote, and two threads at one scalar, one of them
//! writing, without a barrier between. Other ways to run the program need not agree on any of it.

use std::collections::HashMap;

use akari_ir::{GlobalId, Type};

use super::machine::{Machine, Mask};
use super::value::{Place, Root};

/// How groupshared memory is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read,
    Write,
    /// Atomics among themselves are in order.
    Atomic,
}

/// A scalar.
#[derive(Debug, Default)]
struct Cell {
    written: bool,
    /// Who touched it since the last barrier.
    touched: Vec<(usize, Touch)>,
}

/// Groupshared memory of a group.
#[derive(Debug, Default)]
pub(super) struct Races {
    cells: HashMap<(GlobalId, Vec<u32>), Cell>,
    /// The first fault found in the run.
    fault: Option<String>,
}

impl Races {
    /// Another group begins.
    pub(super) fn clear(&mut self) {
        self.cells.clear();
    }

    /// All threads of the group are at a barrier.
    pub(super) fn barrier(&mut self, mask: &Mask) {
        if mask.contains(&false) {
            self.found("not all threads of the group come to a barrier".to_owned());
        }
        for cell in self.cells.values_mut() {
            cell.touched.clear();
        }
    }

    fn found(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    pub(super) fn verdict(self) -> Result<(), String> {
        self.fault.map_or(Ok(()), Err)
    }
}

impl Machine<'_> {
    /// Notes that a lane touches a place; what a demoted one writes does not count.
    pub(super) fn touch(&mut self, lane: usize, place: &Place, touch: Touch) {
        let Root::Workgroup(global) = place.root else { return };
        if self.lanes[lane].demoted && touch != Touch::Read {
            return;
        }
        let mut path = place.path.clone();
        self.touch_parts(lane, global, &mut path, place.ty, touch);
    }

    fn touch_parts(&mut self, lane: usize, global: GlobalId, path: &mut Vec<u32>, ty: Type, touch: Touch) {
        let parts = self.part_types(ty);
        if !parts.is_empty() {
            for (index, part) in parts.into_iter().enumerate() {
                path.push(index as u32);
                self.touch_parts(lane, global, path, part, touch);
                path.pop();
            }
            return;
        }
        let cell = self.races.cells.entry((global, path.clone())).or_default();
        let apart = |(other, earlier): &(usize, Touch)| {
            *other != lane && (*earlier != touch || touch == Touch::Write)
        };
        let raced = cell.touched.iter().any(apart);
        let unwritten = !cell.written && touch != Touch::Write;
        cell.written |= touch != Touch::Read;
        if !cell.touched.contains(&(lane, touch)) {
            cell.touched.push((lane, touch));
        }
        let name = || self.module.text(self.module.globals[global].name).to_owned();
        if raced {
            let fault = format!("two threads touch {path:?} of groupshared `{}` without a barrier between", name());
            self.races.found(fault);
        } else if unwritten {
            let fault = format!("{path:?} of groupshared `{}` is read before it is written", name());
            self.races.found(fault);
        }
    }
}
