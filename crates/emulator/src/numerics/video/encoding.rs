//! Encodes a video instruction as one word, which is an operand of the instruction that executes
//! it.
//!
//! ```text
//!   operation (4)  signed (3)  saturate (1)  form (2)  what the form has
//! ```
//!
//! Law: `decode(encode(video)) == video`.

use super::{Comparison, Form, Operation, Part, Secondary, Video};

/// The parts of a register, by number.
const PARTS: [Part; 7] = [
    Part { at: 0, bits: 8 },
    Part { at: 8, bits: 8 },
    Part { at: 16, bits: 8 },
    Part { at: 24, bits: 8 },
    Part { at: 0, bits: 16 },
    Part { at: 16, bits: 16 },
    Part::ALL,
];

const OPERATIONS: [Operation; 15] = [
    Operation::Add,
    Operation::Sub,
    Operation::Average,
    Operation::AbsoluteDifference,
    Operation::Min,
    Operation::Max,
    Operation::ShiftLeft,
    Operation::ShiftRight,
    Operation::MultiplyAdd,
    Operation::Set(Comparison::Equal),
    Operation::Set(Comparison::NotEqual),
    Operation::Set(Comparison::Less),
    Operation::Set(Comparison::LessEqual),
    Operation::Set(Comparison::Greater),
    Operation::Set(Comparison::GreaterEqual),
];

const SECONDARIES: [Secondary; 3] = [Secondary::Add, Secondary::Min, Secondary::Max];

/// Packs fields into a word, one after another, the first lowest.
struct Packer {
    word: u64,
    at: u32,
}

impl Packer {
    fn put(&mut self, bits: u32, value: usize) {
        self.word |= (value as u64) << self.at;
        self.at += bits;
    }

    fn get(&mut self, bits: u32) -> usize {
        let value = self.word >> self.at & ((1 << bits) - 1);
        self.at += bits;
        value as usize
    }

    fn flag(&mut self) -> bool {
        self.get(1) == 1
    }

    fn put_parts(&mut self, parts: [Part; 2]) {
        for part in parts {
            self.put(3, number(&PARTS, &part));
        }
    }

    /// Returns a part, or `None` if no part has the number.
    fn part(&mut self) -> Option<Part> {
        PARTS.get(self.get(3)).copied()
    }

    fn parts(&mut self) -> [Part; 2] {
        std::array::from_fn(|_| self.part().unwrap_or(Part::ALL))
    }
}

/// Returns the index of `value` in `table`, or the table's length if `value` is not in it.
fn number<T: PartialEq>(table: &[T], value: &T) -> usize {
    table
        .iter()
        .position(|entry| entry == value)
        .unwrap_or(table.len())
}

impl Video {
    /// Encodes the instruction in 64 bits, as an operand that [`decode`](Self::decode) reads back.
    pub fn encode(&self) -> u64 {
        let mut out = Packer { word: 0, at: 0 };
        out.put(4, number(&OPERATIONS, &self.operation));
        for flag in self.signed {
            out.put(1, flag.into());
        }
        out.put(1, self.saturate.into());
        match self.form {
            Form::Scalar {
                parts,
                merge,
                secondary,
                wrap,
            } => {
                out.put(2, 0);
                out.put_parts(parts);
                out.put(3, merge.map_or(7, |part| number(&PARTS, &part)));
                out.put(2, secondary.map_or(3, |which| number(&SECONDARIES, &which)));
                out.put(1, wrap.into());
            }
            Form::Multiply {
                parts,
                negated,
                plus_one,
                shift,
            } => {
                out.put(2, 1);
                out.put_parts(parts);
                for flag in negated {
                    out.put(1, flag.into());
                }
                out.put(1, plus_one.into());
                out.put(4, shift as usize);
            }
            Form::Simd {
                lanes,
                select,
                mask,
                accumulate,
            } => {
                out.put(2, 2);
                out.put(3, lanes as usize);
                for which in select.as_flattened() {
                    out.put(3, usize::from(*which));
                }
                out.put(4, mask.into());
                out.put(1, accumulate.into());
            }
        }
        out.word
    }

    /// Decodes the instruction from the result of [`encode`](Self::encode).
    pub fn decode(word: u64) -> Self {
        let mut from = Packer { word, at: 0 };
        let operation = OPERATIONS[from.get(4).min(OPERATIONS.len() - 1)];
        let signed = std::array::from_fn(|_| from.flag());
        let saturate = from.flag();
        let form = match from.get(2) {
            0 => Form::Scalar {
                parts: from.parts(),
                merge: from.part(),
                secondary: SECONDARIES.get(from.get(2)).copied(),
                wrap: from.flag(),
            },
            1 => Form::Multiply {
                parts: from.parts(),
                negated: std::array::from_fn(|_| from.flag()),
                plus_one: from.flag(),
                shift: from.get(4) as u32,
            },
            _ => Form::Simd {
                lanes: from.get(3) as u32,
                select: std::array::from_fn(|_| std::array::from_fn(|_| from.get(3) as u8)),
                mask: from.get(4) as u8,
                accumulate: from.flag(),
            },
        };
        Self {
            operation,
            signed,
            saturate,
            form,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_read_back() {
        for (i, operation) in OPERATIONS.into_iter().enumerate() {
            let part = |i: usize| PARTS[i % 7];
            let flag = |bit: usize| i >> bit & 1 == 1;
            let forms = [
                Form::Scalar {
                    parts: [part(i), part(i + 3)],
                    merge: flag(0).then_some(part(i + 1)),
                    secondary: flag(1).then_some(SECONDARIES[i % 3]),
                    wrap: flag(2),
                },
                Form::Multiply {
                    parts: [part(i + 2), part(i)],
                    negated: [flag(0), flag(2)],
                    plus_one: flag(1),
                    shift: [0, 7, 15][i % 3],
                },
                Form::Simd {
                    lanes: [2, 4][i % 2],
                    select: [[7, 0, 3, i as u8 & 7], [i as u8 >> 1, 4, 5, 2]],
                    mask: i as u8,
                    accumulate: flag(1),
                },
            ];
            for form in forms {
                let video = Video {
                    operation,
                    signed: [flag(0), flag(1), flag(2)],
                    saturate: flag(3),
                    form,
                };
                assert_eq!(Video::decode(video.encode()), video);
            }
        }
    }
}
