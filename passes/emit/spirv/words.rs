//! Words: instructions appended to the sections of a module, in whatever order they come up.

use akari_dialect_spirv::{Capability, MAGIC, Opcode, VERSION};

/// Appends an instruction.
pub(super) fn push(words: &mut Vec<u32>, opcode: Opcode, operands: &[u32]) {
    words.push(((operands.len() as u32 + 1) << 16) | opcode as u32);
    words.extend_from_slice(operands);
}

/// Appends an instruction that ends in a literal string and perhaps further words.
pub(super) fn push_text(words: &mut Vec<u32>, opcode: Opcode, operands: &[u32], text: &str, rest: &[u32]) {
    let start = words.len();
    words.push(opcode as u32);
    words.extend_from_slice(operands);
    for chunk in text.as_bytes().chunks(4) {
        let mut bytes = [0; 4];
        bytes[..chunk.len()].copy_from_slice(chunk);
        words.push(u32::from_le_bytes(bytes));
    }
    // The string ends in at least one zero byte.
    if text.len().is_multiple_of(4) {
        words.push(0);
    }
    words.extend_from_slice(rest);
    let length = (words.len() - start) as u32;
    words[start] |= length << 16;
}

/// The sections of a module, in the order of the specification (2.4, logical layout).
#[derive(Debug, Default)]
pub(super) struct Sections {
    capabilities: Vec<Capability>,
    extensions: Vec<&'static str>,
    /// The id of `GLSL.std.450`, once it is used.
    pub(super) glsl: Option<u32>,
    /// `OpEntryPoint` and the execution modes after it.
    pub(super) entry_points: Vec<u32>,
    pub(super) strings: Vec<u32>,
    pub(super) names: Vec<u32>,
    pub(super) annotations: Vec<u32>,
    /// Types, constants, module-level variables.
    pub(super) globals: Vec<u32>,
    pub(super) functions: Vec<u32>,
}

impl Sections {
    /// The sections of a shader module.
    pub(super) fn for_shaders() -> Self {
        Self { capabilities: vec![Capability::Shader], ..Self::default() }
    }

    /// Says that the module needs a capability.
    pub(super) fn capability(&mut self, capability: Capability) {
        if let Err(at) = self.capabilities.binary_search(&capability) {
            self.capabilities.insert(at, capability);
        }
    }

    /// Says that the module uses an extension.
    pub(super) fn extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    /// The whole module; every id is below `bound`.
    pub(super) fn finish(self, bound: u32) -> Vec<u32> {
        let sections =
            [&self.entry_points, &self.strings, &self.names, &self.annotations, &self.globals, &self.functions];
        let length = sections.iter().map(|section| section.len()).sum::<usize>();
        let mut words = Vec::with_capacity(length + 64);
        // The generator's number is 0: this one is not registered with Khronos.
        words.extend([MAGIC, VERSION, 0, bound, 0]);
        for capability in self.capabilities {
            push(&mut words, Opcode::Capability, &[capability as u32]);
        }
        for extension in self.extensions {
            push_text(&mut words, Opcode::Extension, &[], extension, &[]);
        }
        if let Some(id) = self.glsl {
            push_text(&mut words, Opcode::ExtInstImport, &[id], "GLSL.std.450", &[]);
        }
        // Logical addressing, the GLSL450 memory model.
        push(&mut words, Opcode::MemoryModel, &[0, 1]);
        for section in sections {
            words.extend_from_slice(section);
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_end_in_a_zero_byte() {
        let mut words = Vec::new();
        push_text(&mut words, Opcode::Name, &[7], "abcd", &[9]);
        assert_eq!(words, [5 << 16 | 5, 7, u32::from_le_bytes(*b"abcd"), 0, 9]);
        words.clear();
        push_text(&mut words, Opcode::Name, &[7], "abc", &[]);
        assert_eq!(words, [3 << 16 | 5, 7, u32::from_le_bytes(*b"abc\0")]);
    }
}
