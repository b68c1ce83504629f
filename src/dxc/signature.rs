//! The hash that Direct3D 12 asks of a container before it takes it: MD5 (RFC 1321) over all behind the hash, with the message's end written in another
//! way. DXC puts it there itself only where it finds a library for that; its source (`DxilHash`) is open, so that anybody may.

/// Where the hash stands in a container, after the four letters.
const HASH: std::ops::Range<usize> = 4..20;
const BLOCK: usize = 64;

/// How far each step of the four rounds turns its sum.
const TURNS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Puts the hash into a container that has none. What is no container, or has its hash, stays as it is.
pub fn sign(container: &mut [u8]) {
    if container.len() < HASH.end || !container.starts_with(b"DXBC") || container[HASH].iter().any(|byte| *byte != 0) {
        return;
    }
    let hash = hash(&container[HASH.end..]);
    container[HASH].copy_from_slice(&hash);
}

fn hash(data: &[u8]) -> [u8; 16] {
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    let constants = constants();
    let (blocks, rest) = data.as_chunks::<BLOCK>();
    for block in blocks {
        mix(&mut state, block, &constants);
    }
    // The length in bits, which MD5 writes at the end, stands at the beginning of the last block and, in another form, at its end. What of a
    // length goes beyond 32 bits is left out.
    let bits = (data.len() as u32).wrapping_mul(8);
    let mut last = [0; BLOCK];
    if rest.len() < BLOCK - 8 {
        last[4..4 + rest.len()].copy_from_slice(rest);
        last[4 + rest.len()] = 0x80;
    } else {
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        block[rest.len()] = 0x80;
        mix(&mut state, &block, &constants);
    }
    last[..4].copy_from_slice(&bits.to_le_bytes());
    last[BLOCK - 4..].copy_from_slice(&(bits >> 2 | 1).to_le_bytes());
    mix(&mut state, &last, &constants);
    let mut hash = [0; 16];
    for (bytes, word) in hash.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *bytes = word.to_le_bytes();
    }
    hash
}

/// The constants of MD5: the sines of 1 to 64, as the first 32 bits after their point.
fn constants() -> [u32; 64] {
    std::array::from_fn(|step| (f64::from(step as u32 + 1).sin().abs() * 4_294_967_296.0) as u32)
}

/// MD5's step from one block to the next.
fn mix(state: &mut [u32; 4], block: &[u8; BLOCK], constants: &[u32; 64]) {
    let words: [u32; 16] =
        std::array::from_fn(|word| u32::from_le_bytes(std::array::from_fn(|byte| block[4 * word + byte])));
    let [mut a, mut b, mut c, mut d] = *state;
    for (step, constant) in constants.iter().enumerate() {
        let (chosen, word) = match step / 16 {
            0 => (b & c | !b & d, step),
            1 => (d & b | !d & c, 5 * step + 1),
            2 => (b ^ c ^ d, 3 * step + 5),
            _ => (c ^ (b | !d), 7 * step),
        };
        let sum = a.wrapping_add(chosen).wrapping_add(*constant).wrapping_add(words[word % 16]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(TURNS[step / 16][step % 4]));
    }
    for (word, more) in state.iter_mut().zip([a, b, c, d]) {
        *word = word.wrapping_add(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes of `7 * i` modulo 256. What computed them gave the hashes of 119 containers that Microsoft's library had signed.
    #[test]
    fn hashes_are_those_of_direct3d() {
        let wanted = [
            (0, "140d60f6b775e2ba4e4abed401b2e9a1"),
            (12, "7ebd070435a82faedb2d2c05a36dcc1c"),
            (55, "82870c2c2302ec3dd7833a2390f767d7"),
            (56, "4b4a1f138b0eb5ed62aa60d379008fea"),
            (63, "59e7b2ad2c2b2d5f1c9802175ff6e952"),
            (64, "5950153754d11d4e8a2c16d1c33ed8e0"),
            (100, "9105e24bfeb55f4742e7272236ff5c4f"),
            (120, "370fd73fe9bf95fa11dcfc5a9acb4826"),
        ];
        for (length, wanted) in wanted {
            let data: Vec<u8> = (0..length).map(|index: u32| (7 * index).to_le_bytes()[0]).collect();
            let found: String = hash(&data).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(found, wanted, "{length} bytes");
        }
    }

    #[test]
    fn only_what_has_no_hash_gets_one() {
        let mut container = [b"DXBC".as_slice(), &[0; 16], &[1, 0, 0, 0]].concat();
        sign(&mut container);
        assert_eq!(container[HASH], hash(&[1, 0, 0, 0]));
        let signed = container.clone();
        container[20] = 2;
        sign(&mut container);
        assert_eq!(container[HASH], signed[HASH], "it has one");
        for other in [&b"DXBC"[..], &[0; 32]] {
            let mut bytes = other.to_vec();
            sign(&mut bytes);
            assert_eq!(bytes, other);
        }
    }
}
