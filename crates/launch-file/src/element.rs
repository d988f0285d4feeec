//! The types of scalars and buffers, and their values as bytes.

use half::{bf16, f16};
use std::fmt;

/// The type of a scalar or of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the Rust type of its name")]
pub enum ScalarType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

/// All types, each with its name in a launch file.
const NAMES: [(&str, ScalarType); 12] = [
    ("u8", ScalarType::U8),
    ("i8", ScalarType::I8),
    ("u16", ScalarType::U16),
    ("i16", ScalarType::I16),
    ("u32", ScalarType::U32),
    ("i32", ScalarType::I32),
    ("u64", ScalarType::U64),
    ("i64", ScalarType::I64),
    ("f16", ScalarType::F16),
    ("bf16", ScalarType::Bf16),
    ("f32", ScalarType::F32),
    ("f64", ScalarType::F64),
];

impl ScalarType {
    /// Returns the type with this name, or `None` if no type has it. The names are `u8` ... `u64`,
    /// `i8` ... `i64`, `f16`, `bf16`, `f32` and `f64`.
    pub fn named(name: &str) -> Option<Self> {
        NAMES
            .iter()
            .find(|(found, _)| *found == name)
            .map(|&(_, ty)| ty)
    }

    /// Returns all names, for messages.
    pub(super) fn names() -> String {
        NAMES.map(|(name, _)| name).join(", ")
    }

    /// Returns the number of bytes of an element.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether it is a floating-point type.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::F16 | Self::Bf16 | Self::F32 | Self::F64)
    }

    /// Returns the smallest and the largest value of an integer type, or `None` for other types.
    #[must_use]
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.size() as u32;
        match self {
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some((0, (1 << bits) - 1)),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                Some((-1 << (bits - 1), (1 << (bits - 1)) - 1))
            }
            _ => None,
        }
    }

    /// Appends the bytes of an integer, modulo the type's range, or rounded if the type is a
    /// floating-point type.
    pub(super) fn integer(self, value: i128, bytes: &mut Vec<u8>) {
        if self.is_float() {
            self.real(value as f64, bytes);
        } else {
            bytes.extend_from_slice(&value.to_le_bytes()[..self.size()]);
        }
    }

    /// Appends the bytes of a number, rounded to the nearest value, or truncated if the type is an
    /// integer type.
    pub(super) fn real(self, value: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::F16 => bytes.extend(f16::from_f64(value).to_le_bytes()),
            Self::Bf16 => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            Self::F32 => bytes.extend((value as f32).to_le_bytes()),
            Self::F64 => bytes.extend(value.to_le_bytes()),
            _ => self.integer(value as i128, bytes),
        }
    }

    /// Returns the value of an element as a number that can be compared. Missing bytes count as 0.
    #[must_use]
    pub fn value(self, bytes: &[u8]) -> f64 {
        let mut number = [0; 8];
        let size = self.size().min(bytes.len());
        number[..size].copy_from_slice(&bytes[..size]);
        let raw = u64::from_le_bytes(number);
        match self {
            Self::F16 => f16::from_bits(raw as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(raw as u16).to_f64(),
            Self::F32 => f64::from(f32::from_bits(raw as u32)),
            Self::F64 => f64::from_bits(raw),
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => raw as f64,
            Self::I8 => f64::from(raw as i8),
            Self::I16 => f64::from(raw as i16),
            Self::I32 => f64::from(raw as i32),
            Self::I64 => (raw as i64) as f64,
        }
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES
            .iter()
            .find(|(_, ty)| ty == self)
            .map_or("?", |(name, _)| name);
        f.pad(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for (name, ty) in NAMES {
            assert_eq!(
                (ScalarType::named(name), ty.to_string().as_str()),
                (Some(ty), name)
            );
            for value in [0_i128, 1, 100, -3] {
                let mut bytes = Vec::new();
                ty.integer(value, &mut bytes);
                assert_eq!(bytes.len(), ty.size());
                let back = match ty.range() {
                    Some((0, high)) => value.rem_euclid(high + 1),
                    _ => value,
                };
                assert_eq!(ty.value(&bytes), back as f64, "{name} {value}");
            }
        }
        let mut bytes = Vec::new();
        ScalarType::F16.real(0.1, &mut bytes);
        assert_eq!(bytes, [0x66, 0x2e]);
    }
}
