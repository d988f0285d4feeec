//! What a buffer holds before the kernel, and what becomes of it afterwards.
//!
//! ```text
//!   zeros     00 00 00 00 ..          iota     0, 1, 2, 3, ..
//!   poison    ff ff ff ff ..  NaN     random   uniform in a range, or any bits, by a seed
//! ```

use super::element::ElementType;
use host::reference::Random;
use std::path::PathBuf;

/// What a buffer holds before the kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Fill {
    /// Nothing was written to it: the emulator finds reads of it.
    Uninitialised,
    /// Zeros.
    Zeros,
    /// Bytes of 0xff: NaN in every floating-point type, and no index that makes sense.
    Poison,
    /// 0, 1, 2, ..., modulo the type's range.
    Iota,
    /// One value everywhere.
    Value(f64),
    /// These values, again and again.
    Values(Vec<f64>),
    /// Uniform in `low..high`, of integers in `low..=high`.
    Random {
        /// The least value.
        low: f64,
        /// The end of the range.
        high: f64,
        /// What the values are made from.
        seed: u64,
    },
    /// Any bits, which for floating-point types has infinities and NaNs in it.
    Bits {
        /// What the bits are made from.
        seed: u64,
    },
    /// A file's bytes, from its start; it must be as long as the buffer, or longer.
    File(PathBuf),
}

impl Fill {
    /// The bytes of `length` elements; none where nothing is written. A file is not read here.
    pub(super) fn bytes(&self, ty: ElementType, length: usize) -> Option<Vec<u8>> {
        let size = length * ty.size();
        let mut bytes = Vec::with_capacity(size);
        match self {
            Self::Uninitialised | Self::File(_) => return None,
            Self::Zeros => bytes.resize(size, 0),
            Self::Poison => bytes.resize(size, 0xff),
            Self::Iota => (0..length).for_each(|i| ty.whole(i as i128, &mut bytes)),
            Self::Value(value) => (0..length).for_each(|_| ty.real(*value, &mut bytes)),
            Self::Values(values) => {
                let values = values.iter().cycle().take(length);
                values.for_each(|&value| ty.real(value, &mut bytes));
            }
            Self::Random { low, high, seed } => {
                let mut random = Random::new(*seed);
                for _ in 0..length {
                    let unit = (random.uniform() + 1.0) / 2.0;
                    if ty.is_float() {
                        ty.real(low + (high - low) * unit, &mut bytes);
                    } else {
                        ty.real((low + (high - low + 1.0) * unit).floor(), &mut bytes);
                    }
                }
            }
            Self::Bits { seed } => {
                let mut random = Random::new(*seed);
                while bytes.len() < size {
                    bytes.extend(random.next_u64().to_le_bytes());
                }
                bytes.truncate(size);
            }
        }
        Some(bytes)
    }
}

/// What becomes of a buffer after the kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Its values are printed, this many of them.
    Print(usize),
    /// Its [hash](super::OutputBytes::hash) is printed, and compared where one is given.
    Hash(Option<u64>),
    /// Its bytes are written to a file.
    Save(PathBuf),
    /// It is compared with a file's bytes.
    Compare {
        /// The file.
        file: PathBuf,
        /// The greatest distance of two values that counts as equal: `absolute + relative · |expected|`.
        absolute: f64,
        /// See `absolute`.
        relative: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills_are_what_they_say() {
        let bytes = |fill: Fill, ty, n| fill.bytes(ty, n).unwrap();
        assert_eq!(bytes(Fill::Zeros, ElementType::U16, 2), [0; 4]);
        assert_eq!(bytes(Fill::Poison, ElementType::F32, 1), [0xff; 4]);
        assert_eq!(
            bytes(Fill::Iota, ElementType::U8, 258)[254..],
            [254, 255, 0, 1]
        );
        assert_eq!(
            bytes(Fill::Values(vec![1.0, -1.0]), ElementType::I16, 3),
            [1, 0, 255, 255, 1, 0]
        );
        assert_eq!(Fill::Uninitialised.bytes(ElementType::U8, 3), None);
        let (low, high, seed) = (-2.0, 3.0, 5);
        let fill = Fill::Random { low, high, seed };
        let values = bytes(fill.clone(), ElementType::I32, 600);
        let found: std::collections::BTreeSet<i64> = values
            .chunks(4)
            .map(|b| ElementType::I32.value(b) as i64)
            .collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [-2, -1, 0, 1, 2, 3]);
        let values = bytes(fill, ElementType::F64, 600);
        let mut values = values.chunks(8).map(|b| ElementType::F64.value(b));
        assert!(values.all(|x| (-2.0..3.0).contains(&x)));
        assert_eq!(bytes(Fill::Bits { seed }, ElementType::U16, 5).len(), 10);
    }
}
