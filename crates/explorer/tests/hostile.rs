//! Checks that random expressions from the notation's own names, with small, large and impossible
//! numbers, each have an answer.

use explorer::{Question, answer};
use std::time::{Duration, Instant};

/// A random generator that gives the same numbers every time (Marsaglia's xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most as u64) as usize
    }

    fn choose<'c>(&mut self, from: &[&'c str]) -> &'c str {
        from[self.below(from.len())]
    }

    fn number(&mut self) -> String {
        match self.below(12) {
            0 => self
                .choose(&[
                    "0",
                    "-1",
                    "-8",
                    "9223372036854775807",
                    "4611686018427387904",
                    "4294967296",
                    "1048577",
                ])
                .into(),
            1 => (1 << self.below(20)).to_string(),
            _ => (1 + self.below(16)).to_string(),
        }
    }

    fn tuple(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(3) == 0 {
            return self.number();
        }
        let modes: Vec<String> = (0..1 + self.below(3))
            .map(|_| self.tuple(depth - 1))
            .collect();
        format!("({})", modes.join(","))
    }

    /// Returns the text of a shape and strides of its profile.
    fn layout(&mut self) -> String {
        let shape = self.tuple(2);
        let stride: String = {
            let mut out = String::new();
            let mut in_number = false;
            for c in shape.chars() {
                if c.is_ascii_digit() || c == '-' {
                    if !in_number {
                        out.push_str(&match self.below(6) {
                            0 => "0".into(),
                            1 => self.number(),
                            2 => format!("{}@{}", 1 + self.below(3), self.below(2)),
                            _ => (1 << self.below(7)).to_string(),
                        });
                    }
                    in_number = true;
                } else {
                    in_number = false;
                    out.push(c);
                }
            }
            out
        };
        format!("{shape}:{stride}")
    }

    fn expression(&mut self, names: &[&str], depth: usize) -> String {
        match self.below(if depth == 0 { 4 } else { 9 }) {
            0 => self.tuple(2),
            1 | 2 => self.layout(),
            3 => self
                .choose(&[
                    "SM80_16x8x16_F32F16F16F32_TN",
                    "SM80_8x8x4_F64F64F64F64_TN.C",
                    "SM75_U32x4_LDSM_N",
                    "f16",
                    "_",
                    "Sw<3,3,3>",
                    "Sw<2,0,-3>",
                ])
                .into(),
            4 => format!(
                "{} o {}",
                self.expression(names, depth - 1),
                self.expression(names, depth - 1)
            ),
            5 => format!(
                "Sw<{},{},{}> o {}",
                self.below(5),
                self.below(5),
                self.below(9) as i64 - 4,
                self.expression(names, depth - 1)
            ),
            _ => {
                let name = self.choose(names);
                let arguments: Vec<String> = (0..1 + self.below(3))
                    .map(|_| self.expression(names, depth - 1))
                    .collect();
                format!("{name}({})", arguments.join(", "))
            }
        }
    }
}

#[test]
fn every_expression_has_an_answer() {
    let names: Vec<&str> = notation::functions()
        .flat_map(|function| function.names.iter().copied())
        .collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let cases = std::env::var("HOSTILE_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(250);
    let (mut values, mut refusals) = (0, 0);
    for _ in 0..cases {
        let text = numbers.expression(&names, 2);
        let begin = Instant::now();
        let question = Question {
            text: text.clone(),
            ..Question::default()
        };
        let found = std::panic::catch_unwind(|| answer(&question))
            .unwrap_or_else(|_| panic!("a panic: {text}"));
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{:?}: {text}",
            begin.elapsed()
        );
        assert!(
            found.value.is_some() != found.error.is_some() || found.svg.is_some(),
            "{text}: {found:?}"
        );
        values += usize::from(found.value.is_some());
        refusals += usize::from(found.error.is_some());
        if let Some(error) = found.error {
            assert!(
                error.start <= error.end && error.end <= text.encode_utf16().count() + 1,
                "{text}: {error:?}"
            );
        }
    }
    // Values and refusals both occur often enough for the test to mean something.
    assert!(
        values * 20 > cases && refusals * 20 > cases,
        "{values} values, {refusals} refusals of {cases}"
    );
}
