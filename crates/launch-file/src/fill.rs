//! The contents of a buffer before the kernel runs, and their use afterwards.
//!
//! ```text
//!   zeros     00 00 00 00 ..          iota     0, 1, 2, 3, ..
//!   poison    ff ff ff ff ..  NaN     random   uniform in a range, or any bits, by a seed
//! ```

use super::element::ScalarType;
use host::reference::Random;
use std::path::PathBuf;

/// The contents of a buffer before the kernel runs.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Nothing is written to the buffer: the emulator reports reads of it.
    Uninitialised,
    /// Zeros.
    Zeros,
    /// Bytes of 0xff: NaN in every floating-point type, and not a sensible index.
    Poison,
    /// 0, 1, 2, ..., modulo the type's range.
    Iota,
    /// One value everywhere.
    Value(f64),
    /// These values, repeated.
    Values(Vec<f64>),
    /// Uniform values in `low..high`, or for integers in `low..=high`.
    Random {
        /// The smallest value.
        low: f64,
        /// The end of the range.
        high: f64,
        /// The seed of the values.
        seed: u64,
    },
    /// Random bits, which for floating-point types include infinities and NaNs.
    Bits {
        /// The seed of the bits.
        seed: u64,
    },
    /// A file's bytes, from its start. The file must be at least as long as the buffer.
    File(PathBuf),
}

/// Appends the bytes of an element, given its index.
type AppendElement<'a> = Box<dyn FnMut(usize, &mut Vec<u8>) + 'a>;

impl Fill {
    /// Returns the bytes of `length` elements, or `None` if nothing is filled in. A file is not
    /// read here.
    pub(super) fn bytes(&self, ty: ScalarType, length: usize) -> Option<Vec<u8>> {
        if matches!(self, Self::Uninitialised | Self::File(_)) {
            return None;
        }
        let mut bytes = Vec::new();
        let Ok(()) = self.each_chunk(ty, length, &mut |chunk: &[u8]| {
            bytes.extend_from_slice(chunk);
            Ok::<(), std::convert::Infallible>(())
        });
        Some(bytes)
    }

    /// Passes the bytes of `length` elements to `sink`, piece by piece, or no bytes if nothing is
    /// filled in. A file is not read here.
    ///
    /// # Errors
    /// Returns the first error of `sink`.
    pub(super) fn each_chunk<E>(
        &self,
        ty: ScalarType,
        length: usize,
        sink: &mut dyn FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // A multiple of every element's size, so that no element is split.
        const CHUNK: usize = 1 << 20;
        let size = length * ty.size();
        let constant = |byte: u8, sink: &mut dyn FnMut(&[u8]) -> Result<(), E>| {
            let chunk = vec![byte; size.min(CHUNK)];
            (0..size)
                .step_by(CHUNK)
                .try_for_each(|at| sink(&chunk[..(size - at).min(CHUNK)]))
        };
        let mut elements = |mut next: AppendElement<'_>| {
            let mut chunk = Vec::new();
            for i in 0..length {
                next(i, &mut chunk);
                if chunk.len() >= CHUNK {
                    sink(&chunk)?;
                    chunk.clear();
                }
            }
            if chunk.is_empty() {
                Ok(())
            } else {
                sink(&chunk)
            }
        };
        match self {
            Self::Uninitialised | Self::File(_) => Ok(()),
            Self::Zeros => constant(0, sink),
            Self::Poison => constant(0xff, sink),
            Self::Iota => elements(Box::new(|i, bytes| ty.integer(i as i128, bytes))),
            Self::Value(value) => elements(Box::new(|_, bytes| ty.real(*value, bytes))),
            Self::Values(values) => {
                let mut values = values.iter().cycle();
                elements(Box::new(move |_, bytes| {
                    if let Some(&value) = values.next() {
                        ty.real(value, bytes);
                    }
                }))
            }
            Self::Random { low, high, seed } => {
                let mut random = Random::new(*seed);
                elements(Box::new(move |_, bytes| {
                    let unit = (random.uniform() + 1.0) / 2.0;
                    if ty.is_float() {
                        ty.real(low + (high - low) * unit, bytes);
                    } else {
                        ty.real((low + (high - low + 1.0) * unit).floor(), bytes);
                    }
                }))
            }
            Self::Bits { seed } => {
                let mut random = Random::new(*seed);
                let mut number = [0; 8];
                let size = ty.size();
                elements(Box::new(move |i, bytes| {
                    // A number of 64 bits holds several elements.
                    let at = i * size % 8;
                    if at == 0 {
                        number = random.next_u64().to_le_bytes();
                    }
                    bytes.extend_from_slice(&number[at..at + size]);
                }))
            }
        }
    }
}

/// The use of a buffer after the kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Prints this number of the buffer's values.
    Print(usize),
    /// Prints the buffer's [hash](super::OutputBytes::hash), and compares it with the given hash,
    /// if there is one.
    Hash(Option<u64>),
    /// Writes the buffer's bytes to a file.
    Save(PathBuf),
    /// Compares the buffer with a file's bytes.
    Compare {
        /// The file.
        file: PathBuf,
        /// The absolute part of the tolerance: two values count as equal if their distance is at
        /// most `absolute + relative · |expected|`.
        absolute: f64,
        /// The relative part of the tolerance: see `absolute`.
        relative: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_are_what_they_say() {
        let bytes = |fill: Fill, ty, n| fill.bytes(ty, n).unwrap();
        assert_eq!(bytes(Fill::Zeros, ScalarType::U16, 2), [0; 4]);
        assert_eq!(bytes(Fill::Poison, ScalarType::F32, 1), [0xff; 4]);
        assert_eq!(
            bytes(Fill::Iota, ScalarType::U8, 258)[254..],
            [254, 255, 0, 1]
        );
        assert_eq!(
            bytes(Fill::Values(vec![1.0, -1.0]), ScalarType::I16, 3),
            [1, 0, 255, 255, 1, 0]
        );
        assert_eq!(Fill::Uninitialised.bytes(ScalarType::U8, 3), None);
        let (low, high, seed) = (-2.0, 3.0, 5);
        let fill = Fill::Random { low, high, seed };
        let values = bytes(fill.clone(), ScalarType::I32, 600);
        let found: std::collections::BTreeSet<i64> = values
            .chunks(4)
            .map(|b| ScalarType::I32.value(b) as i64)
            .collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
        let values = bytes(fill, ScalarType::F64, 600);
        let mut values = values.chunks(8).map(|b| ScalarType::F64.value(b));
        assert!(values.all(|x| (-2.0..3.0).contains(&x)));
        assert_eq!(bytes(Fill::Bits { seed }, ScalarType::U16, 5).len(), 10);
    }
}
