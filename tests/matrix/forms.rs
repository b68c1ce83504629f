//! Arguments of every type.

/// What an argument is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    Float,
    Int,
    Uint,
    Half,
    Bool,
}

impl Scalar {
    pub(crate) const ALL: [Self; 5] = [Self::Float, Self::Int, Self::Uint, Self::Half, Self::Bool];

    /// The name of its type.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Half => "half",
            Self::Bool => "bool",
        }
    }

    /// The name of the vector of so many, or of one.
    pub(crate) fn vector(self, width: usize) -> String {
        if width == 1 { self.name().into() } else { format!("{}{width}", self.name()) }
    }
}

/// An argument and its type.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    pub(crate) text: String,
    pub(crate) scalar: Scalar,
    pub(crate) width: usize,
}

impl Form {
    /// A scalar or vector of every type.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for scalar in Scalar::ALL {
            let one = match scalar {
                Scalar::Float => "0.5",
                Scalar::Int => "int(1)",
                Scalar::Uint => "1u",
                Scalar::Half => "0.5h",
                Scalar::Bool => "true",
            };
            for width in 1..=4 {
                let text = if width == 1 { one.into() } else { format!("{}({one})", scalar.vector(width)) };
                all.push(Self { text, scalar, width });
            }
        }
        all
    }

    /// The name of its type.
    pub(crate) fn ty(&self) -> String {
        self.scalar.vector(self.width)
    }

    /// Whether it is of so many components of one of the types.
    pub(crate) fn is(&self, scalars: &[Scalar], width: usize) -> bool {
        self.width == width && scalars.contains(&self.scalar)
    }
}

/// The numbers as a scalar or vector literal of the type.
pub(crate) fn literal(scalar: Scalar, numbers: &[f64]) -> String {
    let one = |number: &f64| match scalar {
        Scalar::Float => format!("{number:?}"),
        Scalar::Half => format!("{number:?}h"),
        Scalar::Int => format!("{number}"),
        Scalar::Uint => format!("{number}u"),
        Scalar::Bool => format!("{}", *number != 0.0),
    };
    let parts: Vec<String> = numbers.iter().map(one).collect();
    match parts.as_slice() {
        [only] => only.clone(),
        parts => format!("{}({})", scalar.vector(parts.len()), parts.join(", ")),
    }
}
