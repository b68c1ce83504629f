//! Which arrays in groupshared memory and among constants are used element by element only, so that a target may declare them
//! as arrays of C, which cannot be copied or passed by value.

use akari_dialect::AkariOp;
use akari_ir::{Attr, GlobalId, Module, OpId, Space, TypeKind, ValueId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::walk::walk;

/// What declares an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declared {
    /// A module-level constant.
    Global(GlobalId),
    /// A parameter, or the result of an operation that declares a variable.
    Value(ValueId),
}

/// The arrays that are used whole, and which share their kind with which: a reference parameter with all its arguments.
#[derive(Clone, Debug, Default)]
pub struct PlainArrays {
    /// Union-find: what speaks for a declaration.
    speakers: FxHashMap<Declared, Declared>,
    whole: FxHashSet<Declared>,
}

impl PlainArrays {
    /// Looks at a module.
    #[must_use]
    pub fn of(module: &Module) -> Self {
        let mut found = Self::default();
        for (_, function) in module.functions.iter() {
            walk(module, function.body, &mut |op| found.operation(module, op));
        }
        found
    }

    /// Whether an array is used element by element only.
    #[must_use]
    pub fn is_plain(&self, declared: Declared) -> bool {
        !self.whole.contains(&self.speaker(declared))
    }

    fn speaker(&self, declared: Declared) -> Declared {
        let mut speaker = declared;
        while let Some(next) = self.speakers.get(&speaker) {
            speaker = *next;
        }
        speaker
    }

    fn join(&mut self, a: Declared, b: Declared) {
        let (a, b) = (self.speaker(a), self.speaker(b));
        if a != b {
            self.speakers.insert(b, a);
            if self.whole.contains(&b) {
                self.whole.insert(a);
            }
        }
    }

    fn use_whole(&mut self, declared: Declared) {
        let speaker = self.speaker(declared);
        self.whole.insert(speaker);
    }

    fn operation(&mut self, module: &Module, id: OpId) {
        let op = module.op(id);
        let akari = AkariOp::of(op);
        for (index, operand) in op.operands.iter().enumerate() {
            match module.value_kind(*operand) {
                TypeKind::Place(Space::Workgroup | Space::Constant, of) => {
                    if !matches!(module.kind(of), TypeKind::Array(..)) || akari == Some(AkariOp::Element) {
                        continue;
                    }
                    let root = root(module, *operand);
                    let param = op.attrs.first().and_then(|attr| match attr {
                        Attr::Func(callee) => module.functions[*callee].params.get(index).map(|param| param.value),
                        _ => None,
                    });
                    match (param, root) {
                        (Some(param), Some(root)) => self.join(Declared::Value(param), root),
                        (Some(param), None) => self.use_whole(Declared::Value(param)),
                        (None, Some(root)) => self.use_whole(root),
                        (None, None) => {}
                    }
                }
                TypeKind::Array(..) => {
                    let Some(definition) = module.defining_op(*operand).map(|op| module.op(op)) else { continue };
                    if AkariOp::of(definition) != Some(AkariOp::GlobalConst) {
                        continue;
                    }
                    let takes_element = matches!(akari, Some(AkariOp::Extract | AkariOp::Index))
                        && !op.result.is_some_and(|result| matches!(module.value_kind(result), TypeKind::Array(..)));
                    if !takes_element {
                        self.use_whole(Declared::Global(definition.global(0)));
                    }
                }
                _ => {}
            }
        }
    }
}

/// What declares the array that a place is an element or the whole of; nothing for an array within a structure.
fn root(module: &Module, place: ValueId) -> Option<Declared> {
    let mut place = place;
    while let Some(id) = module.defining_op(place) {
        let op = module.op(id);
        match AkariOp::of(op) {
            Some(AkariOp::Element) => place = op.operands[0],
            Some(AkariOp::GlobalPlace) => return Some(Declared::Global(op.global(0))),
            Some(AkariOp::Member) => return None,
            _ => break,
        }
    }
    Some(Declared::Value(place))
}
