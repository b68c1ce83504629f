//! What DXC's SPIR-V needs beside what DXC can be asked for.
//!
//! Unless a module says otherwise, a driver may take a product with zero for zero, whatever the other factor is, and a product and a sum for
//! one operation. Akari's own SPIR-V forbids both. DXC could be told the first in the source, but its optimizer, seeing that, folds
//! integers wrongly (`tests/numeric/integers/smaller_of_constants_after_an_if`); the second Akari's Vulkan HLSL does say (`precise`), and what DXC's
//! passes forget of it on the way is given back here. So both are added to what it has made.

/// The execution mode and the capability of this name (SPIR-V 1.4 and later have them without an extension).
const SIGNED_ZERO_INF_NAN_PRESERVE: (u32, u32) = (4461, 4466);
/// The decoration of this name.
const NO_CONTRACTION: u32 = 42;

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_FLOAT: u32 = 22;
const OP_DECORATE: u32 = 71;

/// Whether annotations stand after an instruction: everything of debugging, entries and what comes before them (SPIR-V specification, 2.4).
fn is_preamble(opcode: u32) -> bool {
    // Source and names; extensions, imports, memory model, entries, modes, capabilities; OpModuleProcessed, OpExecutionModeId.
    matches!(opcode, 2..=7 | 10 | 11 | 14..=17 | 330 | 331)
}

/// Whether an instruction is float arithmetic that may be combined with another or be folded.
fn is_float_arithmetic(opcode: u32) -> bool {
    // FNegate, FAdd, FSub, FMul, FDiv, FRem and FMod; the products of vectors and matrices.
    matches!(opcode, 127 | 129 | 131 | 133 | 136 | 140 | 141 | 142..=148)
}

/// What is found of a module.
#[derive(Default)]
struct Found {
    entries: Vec<u32>,
    widths: Vec<u32>,
    arithmetic: Vec<u32>,
    decorated: Vec<u32>,
    after_capabilities: usize,
    after_entries: usize,
    annotations: Option<usize>,
    keeps: bool,
}

impl Found {
    /// Reads a module; none for words that are none.
    fn read(words: &[u32]) -> Option<Self> {
        let mut found = Self::default();
        let mut at = 5;
        while let Some(&first) = words.get(at) {
            let (length, opcode) = ((first >> 16) as usize, first & 0xFFFF);
            // No instruction is empty: a length of 0 has no operands to get either.
            let operands = words.get(at + 1..at + length)?;
            if !is_preamble(opcode) {
                found.annotations.get_or_insert(at);
            }
            match (opcode, operands) {
                (OP_CAPABILITY, [capability]) => {
                    found.keeps |= *capability == SIGNED_ZERO_INF_NAN_PRESERVE.1;
                    found.after_capabilities = at + length;
                }
                (OP_ENTRY_POINT, [_, function, ..]) => {
                    found.entries.push(*function);
                    found.after_entries = at + length;
                }
                (OP_TYPE_FLOAT, [_, width, ..]) => found.widths.push(*width),
                (OP_DECORATE, [target, NO_CONTRACTION]) => found.decorated.push(*target),
                (opcode, [_, result, ..]) if is_float_arithmetic(opcode) => found.arithmetic.push(*result),
                _ => {}
            }
            at += length;
        }
        (found.after_capabilities > 0 && found.after_entries > 0).then_some(found)
    }
}

/// The module that DXC made of Akari's Vulkan HLSL, with every float's zeros, infinities and NaN to be kept by the driver and no two
/// float operations to be taken for one. Words that are no module come back as they are.
#[must_use]
pub fn as_written(words: &[u32]) -> Vec<u32> {
    let Some(mut found) = Found::read(words) else { return words.to_vec() };
    let (mode, capability) = SIGNED_ZERO_INF_NAN_PRESERVE;
    let annotations = found.annotations.unwrap_or(words.len());
    found.decorated.sort_unstable();
    let keep = !found.keeps && !found.widths.is_empty();
    let mut module = words[..found.after_capabilities].to_vec();
    if keep {
        module.extend([2 << 16 | OP_CAPABILITY, capability]);
    }
    module.extend_from_slice(&words[found.after_capabilities..found.after_entries]);
    if keep {
        for entry in &found.entries {
            for width in &found.widths {
                module.extend([4 << 16 | OP_EXECUTION_MODE, *entry, mode, *width]);
            }
        }
    }
    module.extend_from_slice(&words[found.after_entries..annotations]);
    for operation in found.arithmetic.iter().filter(|operation| found.decorated.binary_search(operation).is_err()) {
        module.extend([3 << 16 | OP_DECORATE, *operation, NO_CONTRACTION]);
    }
    module.extend_from_slice(&words[annotations..]);
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_stays() {
        for words in [&[][..], &[0; 5], &[1, 2, 3, 4, 5, 0], &[1, 2, 3, 4, 5, 9 << 16 | 17]] {
            assert_eq!(as_written(words), words);
        }
    }

    #[test]
    fn each_request_stands_in_its_section_once() {
        let header = [0x0723_0203, 0x0001_0500, 0, 9, 0];
        let capability = [2 << 16 | 17, 1];
        let entry = [4 << 16 | 15, 5, 3, 0];
        let types = [3 << 16 | 22, 4, 32];
        let sum = [5 << 16 | 129, 4, 6, 7, 8];
        let module = as_written(&[&header[..], &capability, &entry, &types, &sum].concat());
        let wanted = [
            &header[..],
            &capability,
            &[2 << 16 | 17, 4466],
            &entry,
            &[4 << 16 | 16, 3, 4461, 32],
            &[3 << 16 | 71, 6, 42],
            &types,
            &sum,
        ];
        assert_eq!(module, wanted.concat());
        assert_eq!(as_written(&module), module);
    }
}
