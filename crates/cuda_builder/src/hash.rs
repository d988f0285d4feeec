//! A 128-bit hash of a sequence of byte strings. The hash is the same in every process.
//!
//! Law: the two strings `a`, `b` and the single string `ab` have different hashes, because each
//! string is hashed with its length.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// Two 64-bit hashes of the same strings, which begin with different values.
pub(crate) struct Hash128([DefaultHasher; 2]);

impl Hash128 {
    pub fn new() -> Self {
        let mut second = DefaultHasher::new();
        "second".hash(&mut second);
        Self([DefaultHasher::new(), second])
    }

    /// Adds a string.
    pub fn add(&mut self, bytes: &[u8]) {
        for hasher in &mut self.0 {
            (1_u8, bytes).hash(hasher);
        }
    }

    /// Adds the absence of a string, which differs from an empty string.
    pub fn add_nothing(&mut self) {
        for hasher in &mut self.0 {
            0_u8.hash(hasher);
        }
    }

    /// Returns the hash as 32 hexadecimal digits.
    pub fn name(&self) -> String {
        let [first, second] = self.0.each_ref().map(Hasher::finish);
        format!("{first:016x}{second:016x}")
    }
}
