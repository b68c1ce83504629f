//! The types of builtin functions: `T` from the arguments, and the result from `T`.

use akari_ir::types::{Scalar, TypeKind};

use crate::builtins::{Builtin, Class, Signature, Ty};

impl Class {
    /// Whether `T` may be `kind`.
    #[must_use]
    pub fn admits(self, kind: TypeKind) -> bool {
        let (scalar, width) = match kind {
            TypeKind::Scalar(scalar) => (scalar, 1),
            TypeKind::Vector(scalar, width) => (scalar, width),
            TypeKind::Matrix { .. } => return self == Self::Matrix,
            _ => return false,
        };
        match self {
            Self::Float => scalar.is_float(),
            Self::FloatVector => scalar.is_float() && width > 1,
            Self::FloatVector3 => scalar.is_float() && width == 3,
            Self::Numeric => scalar != Scalar::Bool,
            Self::Signed => scalar.is_float() || scalar == Scalar::I32,
            Self::Integer32 => matches!(scalar, Scalar::I32 | Scalar::U32),
            Self::Bits32 => matches!(scalar, Scalar::I32 | Scalar::U32 | Scalar::F32),
            Self::Bool => scalar == Scalar::Bool,
            Self::ScalarOrVector => true,
            Self::Matrix | Self::None => false,
        }
    }
}

impl Ty {
    /// The type this stands for, with `T` being `t`; `None` for [`Ty::Nothing`], for [`Ty::TraceHit`], which is a struct of the module,
    /// and for [`Ty::ReadBuffer`], which is of one.
    #[must_use]
    pub fn with(self, t: TypeKind) -> Option<TypeKind> {
        let width = t.width().unwrap_or(1);
        match self {
            Self::T => Some(t),
            Self::ScalarOfT => t.scalar().map(TypeKind::Scalar),
            Self::ShapeOfT(scalar) => Some(TypeKind::vector(scalar, width)),
            Self::TransposeOfT => match t {
                TypeKind::Matrix { columns, rows } => Some(TypeKind::Matrix { columns: rows, rows: columns }),
                other => Some(other),
            },
            Self::Is(scalar, width) => Some(TypeKind::vector(scalar, width)),
            Self::AccelStruct => Some(TypeKind::AccelStruct),
            Self::BufferTable => Some(TypeKind::BufferTable),
            Self::TextureTable => Some(TypeKind::TextureTable),
            Self::Texture(dim, texel) => Some(TypeKind::Texture(dim, texel)),
            Self::ReadBuffer | Self::TraceHit | Self::Nothing => None,
        }
    }
}

/// The result of a builtin of values whose arguments have exactly these types (no broadcast left to do), or what is wrong.
pub fn result(builtin: Builtin, arguments: &[TypeKind]) -> Result<Option<TypeKind>, String> {
    let name = builtin.name();
    match builtin.def().signature {
        Signature::Function { class, params, result } => {
            if params.len() != arguments.len() {
                return Err(format!("`{name}` takes {} operands, not {}", params.len(), arguments.len()));
            }
            let t = params
                .iter()
                .position(|param| *param == Ty::T)
                .map_or(TypeKind::Scalar(Scalar::Bool), |index| arguments[index]);
            if class != Class::None && !class.admits(t) {
                return Err(format!("`{name}` does not take this type"));
            }
            match params.iter().zip(arguments).position(|(param, argument)| param.with(t) != Some(*argument)) {
                Some(index) => Err(format!("operand {index} of `{name}` has the wrong type")),
                None => Ok(result.with(t)),
            }
        }
        Signature::Texture => {
            let Some((texture, rest)) = arguments.split_first() else {
                return Err(format!("`{name}` takes a texture first"));
            };
            let signature = crate::texture::signature(builtin, *texture)
                .map_err(|reason| format!("no `{name}` on this type: {reason:?}"))?;
            if signature.params != rest {
                return Err(format!("the operands of `{name}` have the wrong types"));
            }
            Ok(signature.result)
        }
        Signature::Atomic { .. } => Err(format!("`{name}` takes a place")),
    }
}
