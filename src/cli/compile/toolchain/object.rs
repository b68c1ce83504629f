//! Whether bytes are what a tool was asked for: their frame, not what is in it.

use super::Native;

/// What is wrong with what a tool made; nothing where it is as it should be.
pub(super) fn fault(native: Native, bytes: &[u8]) -> Option<String> {
    let (is_sound, what) = match native {
        Native::Dxil => (is_container(bytes).unwrap_or(false), "DXIL container"),
        Native::Spirv => (is_module(bytes), "SPIR-V module"),
        Native::MetalLibrary => (bytes.starts_with(b"MTLB"), "Metal library"),
    };
    (!is_sound).then(|| format!("wrote {} bytes that are no {what}", bytes.len()))
}

/// The four bytes at a place, as a number.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// A whole container with a part of code (`DxilContainerHeader` and `DxilPartHeader` in DXC's DxilContainer.h).
fn is_container(bytes: &[u8]) -> Option<bool> {
    const HEADER: usize = 32;
    let (size, parts) = (word(bytes, 24)? as usize, word(bytes, 28)? as usize);
    if !bytes.starts_with(b"DXBC") || size != bytes.len() || parts > size / 4 {
        return Some(false);
    }
    let mut has_code = false;
    for part in 0..parts {
        let at = word(bytes, HEADER + 4 * part)? as usize;
        let length = word(bytes, at.checked_add(4)?)? as usize;
        bytes.get(at + 8..(at + 8).checked_add(length)?)?;
        has_code |= bytes[at..].starts_with(b"DXIL");
    }
    Some(has_code)
}

/// A header, and instructions up to the very end (SPIR-V specification, 2.3).
fn is_module(bytes: &[u8]) -> bool {
    const HEADER: usize = 20;
    if !bytes.len().is_multiple_of(4) || word(bytes, 0) != Some(0x0723_0203) || bytes.len() <= HEADER {
        return false;
    }
    let mut at = HEADER;
    while let Some(first) = word(bytes, at) {
        match (first >> 16) as usize {
            0 => return false,
            length => at += 4 * length,
        }
    }
    at == bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(parts: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        let mut offsets = Vec::new();
        for (name, data) in parts {
            offsets.push((32 + 4 * parts.len() + body.len()) as u32);
            body.extend([name.as_slice(), &(data.len() as u32).to_le_bytes(), data].concat());
        }
        let size = (32 + 4 * parts.len() + body.len()) as u32;
        let words = [1, size, parts.len() as u32].into_iter().chain(offsets);
        [b"DXBC".to_vec(), vec![0; 16], words.flat_map(u32::to_le_bytes).collect(), body].concat()
    }

    fn module(words: &[u32]) -> Vec<u8> {
        [0x0723_0203, 0x0001_0500, 0, 8, 0].iter().chain(words).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn whole_objects_are_taken() {
        assert_eq!(fault(Native::Dxil, &container(&[(b"SFI0", &[0; 8]), (b"DXIL", &[1; 12])])), None);
        assert_eq!(fault(Native::Spirv, &module(&[0x0002_0011, 1, 0x0001_00FD])), None);
        assert_eq!(fault(Native::MetalLibrary, b"MTLB\x01\x80"), None);
    }

    /// Every part of an object, and every one with a byte changed, is told or is an object of the same frame; none is a panic.
    #[test]
    fn parts_of_objects_are_refused() {
        let whole = container(&[(b"SFI0", &[0; 8]), (b"DXIL", &[1; 12])]);
        for length in 0..whole.len() {
            let wanted = format!("wrote {length} bytes that are no DXIL container");
            assert_eq!(fault(Native::Dxil, &whole[..length]), Some(wanted));
        }
        for at in (0..4).chain(24..whole.len()) {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let inside = (48..56).contains(&at) || at >= 64 || (40..44).contains(&at);
            assert_eq!(fault(Native::Dxil, &changed).is_none(), inside, "{at}");
        }
        assert!(fault(Native::Dxil, &container(&[(b"SFI0", &[0; 8])])).is_some(), "there is no code");
        let whole = module(&[0x0002_0011, 1, 0x0001_00FD]);
        assert!(
            (0..whole.len()).filter(|length| ![28].contains(length)).all(|length| fault(
                Native::Spirv,
                &whole[..length]
            )
            .is_some())
        );
        assert_eq!(
            fault(Native::Spirv, &module(&[0x0002_0011, 1, 0])),
            Some("wrote 32 bytes that are no SPIR-V module".to_owned())
        );
        assert!(fault(Native::Spirv, &module(&[0x0003_0011, 1])).is_some());
        assert_eq!(fault(Native::MetalLibrary, b"mtlb"), Some("wrote 4 bytes that are no Metal library".to_owned()));
    }
}
