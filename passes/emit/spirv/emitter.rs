//! What the parts of the emitter share: tables of ids, and the function that is being written.

use akari_dialect_gpu_abi::{Layout, Layouts, Packing};
use akari_dialect_spirv::{Decoration, Glsl, Opcode, StorageClass};
use akari_ir::entity::{ConstId, FuncId, GlobalId, SecondaryMap, Symbol, Type, ValueId};
use akari_ir::interface::Stage;
use akari_ir::module::Module;
use akari_ir::span::Span;
use akari_ir::types::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

use super::function::FunctionState;
use super::interface::Outputs;
use super::lines::Lines;
use super::place::Place;
use super::types::Content;
use super::words::{Sections, push, push_text};
use crate::manager::pass::SourceFile;

/// What a value of the IR is in SPIR-V.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) enum Meaning {
    /// Nothing yet.
    #[default]
    None,
    /// An id.
    Id(u32),
    /// A place, or an element of an array of resources, by its number in the table of places.
    Place(u32),
    /// A resource.
    Resource(GlobalId),
}

/// A module being emitted.
pub(super) struct Emitter<'m> {
    pub(super) module: &'m Module,
    pub(super) layouts: Layouts,
    pub(super) sections: Sections,
    next: u32,
    /// The first thing that could not be said, which makes the output worthless.
    failure: Option<(&'static str, Option<Span>)>,
    pub(super) stage: Stage,
    pub(super) loc: Option<Span>,
    pub(super) lines: Lines<'m>,

    pub(super) vectors: [[u32; 5]; 6],
    pub(super) matrices: [[u32; 5]; 5],
    pub(super) types: [SecondaryMap<Type, u32>; 3],
    pub(super) contents: SecondaryMap<Type, Option<Content>>,
    pub(super) pointers: FxHashMap<(StorageClass, u32), u32>,
    pub(super) unique: FxHashMap<Vec<u32>, u32>,
    pub(super) void: u32,
    pub(super) sampler: u32,

    pub(super) constants: SecondaryMap<ConstId, u32>,
    pub(super) scalars: FxHashMap<(Scalar, u64), u32>,
    pub(super) composites: FxHashMap<Vec<u32>, u32>,
    pub(super) nulls: FxHashMap<u32, u32>,

    pub(super) globals: SecondaryMap<GlobalId, u32>,
    pub(super) functions: SecondaryMap<FuncId, u32>,
    /// Functions that are called and not written yet.
    pub(super) called: Vec<FuncId>,
    pub(super) interface: Vec<u32>,
    pub(super) outputs: Outputs,

    pub(super) meanings: SecondaryMap<ValueId, Meaning>,
    pub(super) places: Vec<Place>,
    /// The ids that are decorated `NonUniform`.
    pub(super) non_uniform: FxHashSet<u32>,
    pub(super) f: FunctionState,
}

impl<'m> Emitter<'m> {
    pub(super) fn new(module: &'m Module, stage: Stage, debug: Option<&'m [SourceFile]>) -> Self {
        Self {
            module,
            layouts: Layouts::new(),
            sections: Sections::for_shaders(),
            next: 1,
            failure: None,
            stage,
            loc: None,
            lines: Lines::new(debug),
            vectors: [[0; 5]; 6],
            matrices: [[0; 5]; 5],
            types: Default::default(),
            contents: SecondaryMap::new(),
            pointers: FxHashMap::default(),
            unique: FxHashMap::default(),
            void: 0,
            sampler: 0,
            constants: SecondaryMap::new(),
            scalars: FxHashMap::default(),
            composites: FxHashMap::default(),
            nulls: FxHashMap::default(),
            globals: SecondaryMap::new(),
            functions: SecondaryMap::new(),
            called: Vec::new(),
            interface: Vec::new(),
            outputs: Outputs::default(),
            meanings: SecondaryMap::new(),
            places: Vec::new(),
            non_uniform: FxHashSet::default(),
            f: FunctionState::default(),
        }
    }

    /// A new id.
    pub(super) fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Says that the module cannot be emitted; the first reason counts.
    pub(super) fn fail(&mut self, reason: &'static str) {
        self.failure.get_or_insert((reason, self.loc));
    }

    /// The words, or why there are none.
    pub(super) fn finish(self) -> Result<Vec<u32>, (&'static str, Option<Span>)> {
        match self.failure {
            Some(failure) => Err(failure),
            None => Ok(self.sections.finish(self.next)),
        }
    }

    /// Names an id.
    pub(super) fn name(&mut self, id: u32, name: Symbol) {
        push_text(&mut self.sections.names, Opcode::Name, &[id], self.module.text(name), &[]);
    }

    /// The layout of a type in a buffer.
    pub(super) fn layout(&mut self, ty: Type, packing: Packing) -> Layout {
        match self.layouts.of(self.module, ty, packing) {
            Ok(layout) => layout,
            Err(_) => {
                self.fail("a type in a buffer has no layout");
                Layout::default()
            }
        }
    }

    /// Appends an instruction without a result to the function.
    pub(super) fn emit(&mut self, opcode: Opcode, operands: &[u32]) {
        push(&mut self.f.body, opcode, operands);
    }

    /// Appends an instruction with a result to the function.
    pub(super) fn op(&mut self, opcode: Opcode, ty: u32, operands: &[u32]) -> u32 {
        let id = self.fresh();
        let body = &mut self.f.body;
        body.push(((operands.len() as u32 + 3) << 16) | opcode as u32);
        body.extend([ty, id]);
        body.extend_from_slice(operands);
        id
    }

    /// As [`Self::op`], for float arithmetic: the compiler after us may not fuse or reassociate it.
    pub(super) fn exact(&mut self, opcode: Opcode, ty: u32, operands: &[u32]) -> u32 {
        let id = self.op(opcode, ty, operands);
        self.decorate(id, Decoration::NoContraction, &[]);
        id
    }

    /// Appends an extended instruction.
    pub(super) fn glsl(&mut self, instruction: Glsl, ty: u32, operands: &[u32]) -> u32 {
        let set = match self.sections.glsl {
            Some(set) => set,
            None => {
                let set = self.fresh();
                self.sections.glsl = Some(set);
                set
            }
        };
        let id = self.fresh();
        let body = &mut self.f.body;
        body.push(((operands.len() as u32 + 5) << 16) | Opcode::ExtInst as u32);
        body.extend([ty, id, set, instruction as u32]);
        body.extend_from_slice(operands);
        id
    }
}
