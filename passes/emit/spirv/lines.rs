//! Where instructions come from: `OpLine`, and names of values, when debug information is asked for.

use akari_dialect_spirv::Opcode;
use akari_ir::entity::ValueId;
use akari_ir::span::Span;

use super::emitter::Emitter;
use super::words::push_text;
use crate::manager::pass::SourceFile;

/// The source files, and the line that holds for the instructions to come.
#[derive(Debug)]
pub(super) struct Lines<'m> {
    files: Option<&'m [SourceFile]>,
    /// The ids of the files' names; 0 for what was not needed yet.
    names: Vec<u32>,
    current: Option<(u32, u32, u32)>,
}

impl<'m> Lines<'m> {
    pub(super) fn new(files: Option<&'m [SourceFile]>) -> Self {
        Self { files, names: vec![0; files.map_or(0, <[_]>::len)], current: None }
    }

    /// A line holds to the end of its block.
    pub(super) fn end_block(&mut self) {
        self.current = None;
    }
}

impl Emitter<'_> {
    /// Says that the instructions to come are of this place in the source.
    pub(super) fn line(&mut self, loc: Option<Span>) {
        let (Some(files), Some(span)) = (self.lines.files, loc) else { return };
        let index = span.file.0 as usize;
        let Some(file) = files.get(index) else { return };
        let line = file.line_starts.partition_point(|start| *start <= span.start);
        let start = line.checked_sub(1).and_then(|line| file.line_starts.get(line)).copied().unwrap_or(0);
        if self.lines.names[index] == 0 {
            let id = self.fresh();
            push_text(&mut self.sections.strings, Opcode::String, &[id], &file.name, &[]);
            self.lines.names[index] = id;
        }
        let place = (self.lines.names[index], line.max(1) as u32, span.start - start + 1);
        if self.lines.current.replace(place) != Some(place) {
            self.emit(Opcode::Line, &[place.0, place.1, place.2]);
        }
    }

    /// Names the id of a value as in the source.
    pub(super) fn value_name(&mut self, value: ValueId, id: u32) {
        if let Some(name) = self.module.value(value).name.filter(|_| self.lines.files.is_some()) {
            self.name(id, name);
        }
    }
}
