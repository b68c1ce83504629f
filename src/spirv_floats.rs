//! What DXC's SPIR-V needs beside what DXC can be asked for.
//!
//! Unless a module says otherwise, a driver may take a product with zero for zero, whatever the other factor is. Akari's own SPIR-V asks for
//! infinities, NaN and the sign of zero to be kept. DXC could be told to do the same in the source, but its optimizer, seeing that, folds
//! integers wrongly (`tests/numeric/integers/smaller_of_constants_after_an_if`). So the request is added to what it has made.

/// The execution mode and the capability of this name (SPIR-V 1.4 and later have them without an extension).
const SIGNED_ZERO_INF_NAN_PRESERVE: (u32, u32) = (4461, 4466);

const OP_ENTRY_POINT: u32 = 15;
const OP_EXECUTION_MODE: u32 = 16;
const OP_CAPABILITY: u32 = 17;
const OP_TYPE_FLOAT: u32 = 22;

/// The module that DXC made of Akari's Vulkan HLSL, with every float type's zeros, infinities and NaN to be kept by the driver.
/// Words that are no module come back as they are.
#[must_use]
pub fn keep_special_floats(words: &[u32]) -> Vec<u32> {
    let (mode, capability) = SIGNED_ZERO_INF_NAN_PRESERVE;
    let (mut entries, mut widths) = (Vec::new(), Vec::new());
    let (mut after_capabilities, mut after_entries) = (None, None);
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let (length, opcode) = ((first >> 16) as usize, first & 0xFFFF);
        // No instruction is empty: a length of 0 has no operands to get either.
        let Some(operands) = words.get(at + 1..at + length) else { return words.to_vec() };
        let end = at + length;
        match (opcode, operands) {
            (OP_CAPABILITY, [known]) if *known == capability => return words.to_vec(),
            (OP_CAPABILITY, _) => after_capabilities = Some(end),
            (OP_ENTRY_POINT, [_, function, ..]) => {
                entries.push(*function);
                after_entries = Some(end);
            }
            (OP_TYPE_FLOAT, [_, width]) => widths.push(*width),
            _ => {}
        }
        at = end;
    }
    let (Some(capabilities), Some(modes)) = (after_capabilities, after_entries) else { return words.to_vec() };
    let mut module = words[..capabilities].to_vec();
    if !widths.is_empty() {
        module.extend([2 << 16 | OP_CAPABILITY, capability]);
    }
    module.extend_from_slice(&words[capabilities..modes]);
    for entry in entries {
        for width in &widths {
            module.extend([4 << 16 | OP_EXECUTION_MODE, entry, mode, *width]);
        }
    }
    module.extend_from_slice(&words[modes..]);
    module
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_module_stays() {
        for words in [&[][..], &[0; 5], &[1, 2, 3, 4, 5, 0], &[1, 2, 3, 4, 5, 9 << 16 | 17]] {
            assert_eq!(keep_special_floats(words), words);
        }
    }

    #[test]
    fn the_request_stands_behind_capabilities_and_entries() {
        let header = [0x0723_0203, 0x0001_0500, 0, 9, 0];
        let body = [2 << 16 | 17, 1, 4 << 16 | 15, 5, 3, 0, 3 << 16 | 22, 4, 32];
        let module = keep_special_floats(&[&header[..], &body].concat());
        let wanted = [2 << 16 | 17, 1, 2 << 16 | 17, 4466, 4 << 16 | 15, 5, 3, 0, 4 << 16 | 16, 3, 4461, 32, 3 << 16 | 22, 4, 32];
        assert_eq!(module[5..], wanted);
        assert_eq!(keep_special_floats(&module), module, "asked for once");
    }
}
