//! Which storage textures are read and which are written.

use akari_dialect::{AkariOp, Builtin};
use akari_dialect_msl::{Method, MslOp};
use akari_ir::types::TypeKind;
use akari_ir::{Module, SecondaryMap, Type, ValueId};

use super::walk::walk;

/// What is done with a storage texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Nothing but asking for its size.
    #[default]
    None,
    /// It is read.
    Read,
    /// It is written.
    Write,
    /// Both.
    ReadWrite,
}

impl Access {
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, access) | (access, Self::None) => access,
            _ if self == other => self,
            _ => Self::ReadWrite,
        }
    }
}

/// The access of each parameter that is a storage texture or an array of them. An argument has the access of its parameter and the
/// other way round, so that types which name the access agree at every call; likewise an element and its array.
#[derive(Clone, Debug, Default)]
pub struct StorageAccess {
    /// Union-find: the parameter that speaks for a parameter.
    speakers: SecondaryMap<ValueId, Option<ValueId>>,
    accesses: SecondaryMap<ValueId, Access>,
}

impl StorageAccess {
    /// The accesses in a module.
    #[must_use]
    pub fn of_module(module: &Module) -> Self {
        let mut found = Self::default();
        for (_, function) in module.functions.iter() {
            walk(module, function.body, &mut |id| {
                let op = module.op(id);
                if AkariOp::of(op) == Some(AkariOp::Call) {
                    for (param, argument) in module.functions[op.func(0)].params.iter().zip(&op.operands) {
                        if is_storage(module, module.value_type(*argument)) {
                            found.join(param.value, *argument);
                        }
                    }
                    return;
                }
                if let (Some(AkariOp::Index), Some(element)) = (AkariOp::of(op), op.result) {
                    if is_storage(module, module.value_type(element)) {
                        found.join(op.operands[0], element);
                    }
                    return;
                }
                let access = match (AkariOp::of(op), MslOp::of(op)) {
                    (Some(AkariOp::Builtin), _) => match Builtin::from_index(op.enumerated(0)) {
                        Builtin::TextureLoad => Access::Read,
                        Builtin::TextureStore => Access::Write,
                        _ => return,
                    },
                    (_, Some(MslOp::Texture)) => match Method::from_index(op.enumerated(0)) {
                        Method::Read => Access::Read,
                        Method::Write => Access::Write,
                        _ => return,
                    },
                    _ => return,
                };
                if let Some(texture) = op.operands.first() {
                    let speaker = found.speaker(*texture);
                    let all = found.accesses.get(speaker).with(access);
                    found.accesses.set(speaker, all);
                }
            });
        }
        found
    }

    fn speaker(&self, value: ValueId) -> ValueId {
        let mut speaker = value;
        while let Some(next) = *self.speakers.get(speaker) {
            speaker = next;
        }
        speaker
    }

    fn join(&mut self, a: ValueId, b: ValueId) {
        let (a, b) = (self.speaker(a), self.speaker(b));
        if a != b {
            let all = self.accesses.get(a).with(*self.accesses.get(b));
            self.speakers.set(b, Some(a));
            self.accesses.set(a, all);
        }
    }

    /// What is done with the texture that `value` is.
    #[must_use]
    pub fn access(&self, value: ValueId) -> Access {
        *self.accesses.get(self.speaker(value))
    }
}

fn is_storage(module: &Module, ty: Type) -> bool {
    match module.kind(ty) {
        TypeKind::StorageTexture(..) => true,
        TypeKind::ResourceArray(element, _) => is_storage(module, element),
        _ => false,
    }
}
