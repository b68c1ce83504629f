//! The matrix of textures: every texture type, every method, every form of its arguments, and for each the reference's answer, either
//! what it gives or why it is refused. Written from the language reference; nothing here asks the compiler.

pub(crate) mod forms;
pub(crate) mod image;
pub(crate) mod program;
pub(crate) mod sampled;
pub(crate) mod storage;

use image::{Shape, Texel};
use storage::Format;

/// A texture type as it is spelled in the source.
#[derive(Clone, Debug)]
pub(crate) enum Texture {
    /// A sampled texture.
    Sampled {
        /// As it is written.
        spelled: String,
        shape: Shape,
        texel: Texel,
    },
    /// A storage texture.
    Storage {
        /// As it is written.
        spelled: String,
        is_volume: bool,
        format: Format,
    },
}

impl Texture {
    /// Every texture type, in every spelling.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for (shape, name) in Shape::ALL {
            for (texel, argument) in
                [(Texel::Float, ""), (Texel::Float, "<float>"), (Texel::Uint, "<uint>"), (Texel::Int, "<int>")]
            {
                all.push(Self::Sampled { spelled: format!("{name}{argument}"), shape, texel });
            }
        }
        all.push(Self::Sampled { spelled: "TexDepth2D".into(), shape: Shape::D2, texel: Texel::Depth });
        for (is_volume, name) in [(false, "RwTex2D"), (true, "RwTex3D")] {
            all.push(Self::Storage { spelled: name.into(), is_volume, format: Format::Any });
            let formats = Format::ALL.map(|(format, argument)| (format, format!("{name}<{argument}>")));
            all.extend(formats.map(|(format, spelled)| Self::Storage { spelled, is_volume, format }));
        }
        all
    }

    /// As it is written.
    pub(crate) fn spelled(&self) -> &str {
        match self {
            Self::Sampled { spelled, .. } | Self::Storage { spelled, .. } => spelled,
        }
    }

    /// The type, if it is spelled in a longer way, in the way that leaves the default out.
    pub(crate) fn shorter(&self) -> Option<Self> {
        let mut shorter = self.clone();
        match &mut shorter {
            Self::Sampled { spelled, .. } | Self::Storage { spelled, .. } => *spelled = self.shown(),
        }
        (shorter.spelled() != self.spelled()).then_some(shorter)
    }

    /// As diagnostics write it: without what is the default.
    pub(crate) fn shown(&self) -> String {
        self.spelled().replace("<float>", "").replace("<float4>", "")
    }

    /// What can be written of it, and what the reference says to that.
    pub(crate) fn calls(&self) -> Vec<Call> {
        match self {
            Self::Sampled { shape, texel, .. } => sampled::calls(*shape, *texel, &self.shown()),
            Self::Storage { is_volume, format, .. } => storage::calls(*is_volume, *format, &self.shown()),
        }
    }
}

/// A call of a method, with the texture as `tex`.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) text: String,
    pub(crate) verdict: Verdict,
}

/// What the reference says to a call.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// It gives this.
    Gives(Value),
    /// It has no value.
    Stores,
    /// It is an error, and this is part of the message.
    Refused(String),
}

/// What a call gives, component by component.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    /// `float`s.
    Floats(Vec<f64>),
    /// Texels of an integer texture: `int`s or `uint`s.
    Texels(Vec<i64>),
    /// `uint`s that say how large the texture is.
    Sizes(Vec<u32>),
}

impl Call {
    pub(crate) fn gives(text: impl Into<String>, value: Value) -> Self {
        Self { text: text.into(), verdict: Verdict::Gives(value) }
    }

    pub(crate) fn refused(text: impl Into<String>, message: impl Into<String>) -> Self {
        Self { text: text.into(), verdict: Verdict::Refused(message.into()) }
    }
}
