//! Numbers for making things up, the same on every run.

/// A generator of numbers (xorshift).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Different seeds give unrelated numbers.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self((seed.wrapping_add(1)).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }

    /// 64 bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `limit`; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((self.bits() >> 32) as usize) % limit.max(1)
    }

    /// Whether something of that many chances in a hundred happens.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
