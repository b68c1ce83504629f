//! `msl-memory`: makes the bytes of buffers those of the GPU ABI, and atomics what Metal has.
//!
//! The contents of a buffer get the types of `types.rs`; loads and stores convert between those and the types of values.
//!
//! ```text
//! %p: ref<storage_read, vec<f32, 3>> = akari.member %light {index: 1}   %p: ref<storage_read, packed<f32, 3>> = akari.member %light {index: 1}
//! %v: vec<f32, 3> = akari.load %p                                 =>   %0: packed<f32, 3> = akari.load %p
//!                                                                      %v: vec<f32, 3> = msl.unpack %0
//! ```
//!
//! A structure that is loaded or stored as a whole, and lies otherwise in memory than as a value, is so by a function.

mod access;
mod atomics;
pub mod types;

use akari_dialect::{AkariOp, Builtin, component};
use akari_dialect_gpu_abi::layout::Packing;
use akari_dialect_msl::MslOp;
use akari_ir::interface::PassMode;
use akari_ir::{
    Attr, BufferKind, Diagnostic, FuncId, MemoryType, Module, OpId, Scalar, Space, Type, TypeKind, ValueId,
};
use rustc_hash::FxHashMap;

use crate::analysis::used_structures::used_structures;
use crate::codes::NO_LAYOUT;
use crate::manager::pass::{Changed, Failed, Pass, PassContext};
use crate::manager::stage::IrStage;
use crate::rewrite::{Outcome, Rewriter};
use types::MemoryTypes;

/// See the module.
pub struct MslMemory;

impl Pass for MslMemory {
    const NAME: &'static str = "msl-memory";
    const SUMMARY: &'static str = "lay buffers out by the GPU ABI in Metal's types";
    const UNTIL: IrStage = IrStage::Extracted;

    fn run(module: &mut Module, context: &mut PassContext) -> Result<Changed, Failed> {
        let mut memory = Memory {
            types: MemoryTypes::default(),
            functions: FxHashMap::default(),
            exchanges: FxHashMap::default(),
            atomics: atomics::groupshared(module),
        };
        if let Err(message) = memory.buffers(module) {
            context.diagnostics.push(Diagnostic::error(NO_LAYOUT, None, message));
            return Err(Failed);
        }
        memory.atomics.retype(module);
        let mut rewriter = Rewriter::new(module);
        rewriter.module(&mut |r, op| memory.op(r, op));
        let changed = rewriter.changed;
        memory.name_structures(module);
        Ok(if changed { Changed::Yes } else { Changed::No })
    }
}

/// Loads or stores a whole structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Transfer {
    Load,
    Store,
}

struct Memory {
    types: MemoryTypes,
    /// The functions that load and store structures, by space, memory type and value type.
    functions: FxHashMap<(Transfer, Space, Type, Type), FuncId>,
    /// The functions that compare and exchange, by space and scalar type.
    exchanges: FxHashMap<(Space, Type), FuncId>,
    atomics: atomics::Groupshared,
}

impl Memory {
    /// Gives each buffer parameter the memory type of what it holds.
    fn buffers(&mut self, module: &mut Module) -> Result<(), String> {
        for func in module.functions.ids() {
            for index in 0..module.functions[func].params.len() {
                let value = module.functions[func].params[index].value;
                let TypeKind::Buffer(kind, of) = module.value_kind(value) else { continue };
                let memory = match (kind, module.kind(of)) {
                    (BufferKind::Atomic, TypeKind::Scalar(scalar @ (Scalar::U32 | Scalar::I32))) => {
                        module.types.intern(TypeKind::Memory(MemoryType::Atomic(scalar)))
                    }
                    _ => self
                        .types
                        .of_buffer(module, of, Packing::of_buffer(kind))
                        .map_err(|error| format!("a buffer holds what has no layout: {error:?}"))?,
                };
                module.value_mut(value).ty = module.types.intern(TypeKind::Buffer(kind, memory));
            }
        }
        Ok(())
    }

    /// Names the structures made: as that of the source, where it is not used as it is, else after what they are for.
    fn name_structures(&self, module: &mut Module) {
        let used = used_structures(module);
        for (made, of, packing) in &self.types.made {
            let name = module.structs[*of].name;
            let others = self.types.made.iter().filter(|(_, other, _)| module.structs[*other].name == name).count();
            if !used.contains(of) && others == 1 {
                continue;
            }
            let suffix = match packing {
                Packing::Uniform => "uniform",
                Packing::Storage => "storage",
            };
            let name = format!("{}_{suffix}", module.text(name));
            module.structs[*made].name = module.symbols.intern(&name);
        }
        for ((transfer, _, memory, _), func) in &self.functions {
            let TypeKind::Struct(memory) = module.kind(*memory) else { continue };
            let verb = match transfer {
                Transfer::Load => "load",
                Transfer::Store => "store",
            };
            let name = format!("{verb}_{}", module.text(module.structs[memory].name));
            module.functions[*func].name = module.symbols.intern(&name);
        }
    }
}

/// The place of a packed vector that was loaded just now to be `vector`: one of its components can be loaded instead.
fn packed_source(r: &Rewriter<'_>, vector: ValueId) -> Option<ValueId> {
    let unpack = r.module.defining_op(vector)?;
    if MslOp::of(r.module.op(unpack)) != Some(MslOp::Unpack) || r.last() != Some(unpack) {
        return None;
    }
    let load = r.module.op(r.module.defining_op(r.module.op(unpack).operands[0])?);
    (AkariOp::of(load) == Some(AkariOp::Load) && r.module.value(vector).name.is_none()).then(|| load.operands[0])
}

/// Whether places of the space have memory types.
fn is_laid_out(space: Space) -> bool {
    match space {
        Space::Uniform | Space::StorageRead | Space::Storage | Space::Atomic => true,
        Space::Function | Space::Workgroup | Space::Constant => false,
    }
}

impl Memory {
    fn op(&mut self, r: &mut Rewriter<'_>, op: OpId) -> Outcome {
        let Some(akari) = AkariOp::of(r.module.op(op)) else { return Outcome::Keep };
        let operands = r.module.op(op).operands.to_vec();
        let result = r.module.op(op).result;
        let place = operands.first().copied().filter(|first| matches!(r.kind(*first), TypeKind::Place(..)));
        match (akari, place, result) {
            (AkariOp::Contents | AkariOp::BufferElement, _, Some(result)) => {
                let TypeKind::Buffer(kind, of) = r.kind(operands[0]) else { return Outcome::Keep };
                let ty = r.module.types.place(kind.space(), of);
                r.module.value_mut(result).ty = ty;
                Outcome::Keep
            }
            (AkariOp::GlobalPlace, _, Some(result)) => {
                let global = r.module.op(op).global(0);
                if self.atomics.contains(global) {
                    let of = r.module.globals[global].ty;
                    r.module.value_mut(result).ty = r.module.types.place(Space::Workgroup, of);
                }
                Outcome::Keep
            }
            (AkariOp::Member, Some(place), _) if is_laid_out(r.space(place)) => {
                let field = r.module.op(op).int(0) as u32;
                let field = match r.module.kind(r.pointee(place)) {
                    TypeKind::Struct(id) => self.types.field(id, field),
                    _ => field,
                };
                Outcome::Replace(r.member(place, field))
            }
            (AkariOp::Element, Some(place), _) if is_laid_out(r.space(place)) || self.holds_atomics(r, place) => {
                Outcome::Replace(self.element(r, place, operands[1]))
            }
            (AkariOp::Load, Some(place), Some(result)) if self.is_converted(r, place) => {
                let ty = r.module.value_type(result);
                Outcome::Replace(self.load(r, place, ty))
            }
            (AkariOp::Store, Some(place), _) if self.is_converted(r, place) => {
                self.store(r, place, operands[1]);
                Outcome::Remove
            }
            (AkariOp::StoreComponents, Some(place), _) if self.is_converted(r, place) => {
                let components: Vec<u8> =
                    r.module.op(op).ints(0).iter().map(|number| component(*number) as u8).collect();
                self.store_components(r, place, operands[1], &components);
                Outcome::Remove
            }
            (AkariOp::Extract | AkariOp::Swizzle, ..) => {
                let component = match &r.module.op(op).attrs[0] {
                    Attr::Int(index) => Some(*index),
                    Attr::Ints(components) => <[i64; 1]>::try_from(&components[..]).ok().map(|[only]| component(only)),
                    _ => None,
                };
                match (component, packed_source(r, operands[0])) {
                    (Some(component), Some(place)) => {
                        let index = r.uint(component as u32);
                        let component = r.element(place, index);
                        Outcome::Replace(r.load(component))
                    }
                    _ => Outcome::Keep,
                }
            }
            (AkariOp::Call, ..) => {
                self.copy_borrowed(r, op);
                Outcome::Keep
            }
            (AkariOp::Builtin, Some(place), Some(_)) => {
                let builtin = Builtin::from_index(r.module.op(op).enumerated(0));
                match self.atomic(r, builtin, place, &operands[1..]) {
                    Some(value) => Outcome::Replace(value),
                    None => Outcome::Keep,
                }
            }
            _ => Outcome::Keep,
        }
    }
}

impl Memory {
    fn is_converted(&self, r: &Rewriter<'_>, place: ValueId) -> bool {
        is_laid_out(r.space(place)) || self.holds_atomics(r, place)
    }

    /// Whether a place is of groupshared atomics.
    fn holds_atomics(&self, r: &Rewriter<'_>, place: ValueId) -> bool {
        let mut ty = r.pointee(place);
        while let TypeKind::Array(element, _) = r.module.kind(ty) {
            ty = element;
        }
        matches!(r.module.kind(ty), TypeKind::Memory(MemoryType::Atomic(_)))
    }

    /// What a call borrows from a buffer is copied into a variable first: functions take references to variables, and
    /// buffers have types of their own. Only what is not written can be borrowed so.
    fn copy_borrowed(&mut self, r: &mut Rewriter<'_>, op: OpId) {
        let callee = r.module.op(op).func(0);
        for index in 0..r.module.op(op).operands.len() {
            let argument = r.module.op(op).operands[index];
            let Some(param) = r.module.functions[callee].params.get(index) else { continue };
            let (mode, wanted) = (param.mode, param.value);
            if mode == PassMode::Value || !matches!(r.kind(argument), TypeKind::Place(..)) {
                continue;
            }
            if self.is_converted(r, argument) {
                let ty = r.pointee(wanted);
                let name = r.module.value(wanted).name.map(|name| r.module.text(name).to_owned());
                let value = self.load(r, argument, ty);
                let copy = r.local(ty, Some(value), name.as_deref().unwrap_or("copy"));
                r.module.op_mut(op).operands[index] = copy;
            }
        }
    }
}
