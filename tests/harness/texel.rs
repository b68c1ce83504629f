//! Texel formats: their names in a case, their components, and their bytes as Vulkan and Metal lay them out.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::scalar::Scalar;

/// A format of textures and colour targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it: components, bits each, and their kind")]
pub enum TexelFormat {
    Rgba32f,
    Rgba16f,
    Rgba8Unorm,
    R32f,
    R16f,
    Rg16f,
    Rg32f,
    R11g11b10f,
    R32u,
    R32i,
    Rgba32u,
    Rgba32i,
    Depth32f,
}

impl TexelFormat {
    /// Every format.
    pub const ALL: [Self; 13] = [
        Self::Rgba32f,
        Self::Rgba16f,
        Self::Rgba8Unorm,
        Self::R32f,
        Self::R16f,
        Self::Rg16f,
        Self::Rg32f,
        Self::R11g11b10f,
        Self::R32u,
        Self::R32i,
        Self::Rgba32u,
        Self::Rgba32i,
        Self::Depth32f,
    ];

    /// The name that a case gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rgba32f => "rgba32f",
            Self::Rgba16f => "rgba16f",
            Self::Rgba8Unorm => "rgba8unorm",
            Self::R32f => "r32f",
            Self::R16f => "r16f",
            Self::Rg16f => "rg16f",
            Self::Rg32f => "rg32f",
            Self::R11g11b10f => "r11g11b10f",
            Self::R32u => "r32u",
            Self::R32i => "r32i",
            Self::Rgba32u => "rgba32u",
            Self::Rgba32i => "rgba32i",
            Self::Depth32f => "depth32f",
        }
    }

    /// The format of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The components of one texel, in order.
    #[must_use]
    pub const fn components(self) -> &'static [Scalar] {
        match self {
            Self::Rgba32f => &[Scalar::F32; 4],
            Self::Rgba16f => &[Scalar::F16; 4],
            Self::Rgba8Unorm => &[Scalar::Unorm8; 4],
            Self::R32f | Self::Depth32f => &[Scalar::F32],
            Self::R16f => &[Scalar::F16],
            Self::Rg16f => &[Scalar::F16; 2],
            Self::Rg32f => &[Scalar::F32; 2],
            Self::R11g11b10f => &[Scalar::UnsignedFloat11, Scalar::UnsignedFloat11, Scalar::UnsignedFloat10],
            Self::R32u => &[Scalar::U32],
            Self::R32i => &[Scalar::I32],
            Self::Rgba32u => &[Scalar::U32; 4],
            Self::Rgba32i => &[Scalar::I32; 4],
        }
    }

    /// Bytes of one texel.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::R11g11b10f => 4,
            other => other.components().iter().map(|component| component.bytes()).sum(),
        }
    }

    /// The bytes of one texel with these component bits, as many as the format has components.
    #[must_use]
    pub fn encode(self, components: &[u64]) -> Vec<u8> {
        debug_assert_eq!(components.len(), self.components().len());
        if self == Self::R11g11b10f {
            let word = components.iter().zip([0, 11, 22]).fold(0, |word, (bits, shift)| word | (*bits as u32) << shift);
            return word.to_le_bytes().to_vec();
        }
        self.components()
            .iter()
            .zip(components)
            .flat_map(|(scalar, bits)| bits.to_le_bytes().into_iter().take(scalar.bytes()))
            .collect()
    }

    /// The component bits of one texel.
    #[must_use]
    pub fn decode(self, texel: &[u8]) -> Vec<u64> {
        debug_assert_eq!(texel.len(), self.bytes());
        if self == Self::R11g11b10f {
            let word = little_endian(texel);
            return vec![word & 0x7ff, word >> 11 & 0x7ff, word >> 22];
        }
        let mut rest = texel;
        let take = |scalar: &Scalar| {
            let (component, tail) = rest.split_at(scalar.bytes());
            rest = tail;
            little_endian(component)
        };
        self.components().iter().map(take).collect()
    }
}

impl fmt::Display for TexelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The number that up to eight bytes make, lowest first.
#[must_use]
pub fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_round_trip() {
        for format in TexelFormat::ALL {
            let bits: Vec<u64> = format
                .components()
                .iter()
                .zip(["0.25", "0.5", "1", "0"])
                .map(|(scalar, text)| match scalar {
                    Scalar::U32 | Scalar::I32 => 7,
                    other => other.parse(text).expect("a number"),
                })
                .collect();
            let texel = format.encode(&bits);
            assert_eq!(texel.len(), format.bytes(), "{format}");
            assert_eq!(format.decode(&texel), bits, "{format}");
            assert_eq!(TexelFormat::named(format.name()), Some(format));
        }
    }
}
