//! What makes the contents of groupshared memory a matter of luck: reads of what nobody wrote, and two threads at one scalar, one of them
//! writing, without a barrier between. Other ways to run the program need not agree on any of it.

use std::collections::HashMap;

use super::machine::{Machine, Mask};
use super::value::{Place, Root, Value};

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
    /// By the number of the variable, and the way to the scalar in it.
    cells: HashMap<(usize, Vec<u32>), Cell>,
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
        let Root::Workgroup(variable) = place.root else { return };
        if self.lanes[lane].demoted && touch != Touch::Read {
            return;
        }
        let whole = self.workgroup[variable].value.clone();
        let value = place.path.iter().fold(whole, |value, index| value.part(*index as usize));
        self.touch_parts(lane, variable, &mut place.path.clone(), &value, touch);
    }

    fn touch_parts(&mut self, lane: usize, variable: usize, path: &mut Vec<u32>, value: &Value, touch: Touch) {
        if let Value::Composite(parts) = value {
            for (index, part) in (0..).zip(parts.iter()) {
                path.push(index);
                self.touch_parts(lane, variable, path, part, touch);
                path.pop();
            }
            return;
        }
        let cell = self.races.cells.entry((variable, path.clone())).or_default();
        let apart = |(other, earlier): &(usize, Touch)| *other != lane && (*earlier != touch || touch == Touch::Write);
        let raced = cell.touched.iter().any(apart);
        let unwritten = !cell.written && touch != Touch::Write;
        cell.written |= touch != Touch::Read;
        if !cell.touched.contains(&(lane, touch)) {
            cell.touched.push((lane, touch));
        }
        let name = || self.module.text(self.module.globals[self.workgroup[variable].global].name).to_owned();
        if raced {
            let fault = format!("two threads touch {path:?} of groupshared `{}` without a barrier between", name());
            self.races.found(fault);
        } else if unwritten {
            let fault = format!("{path:?} of groupshared `{}` is read before it is written", name());
            self.races.found(fault);
        }
    }
}
