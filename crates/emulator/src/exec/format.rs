//! The formatting of `vprintf`.
//!
//! ```text
//! "x = %5.2f, %s\n"  + arguments in a buffer, each at a multiple of its size
//! ```
//!
//! Law: patterns are those of C's `printf`: flags `-+ 0#`, width and precision (also `*`),
//! `h hh l ll z j t`, conversions `d i u x X o c s p f F e E g G %`. Arguments have 4 bytes; with
//! `l`, `ll`, `z`, `j`, `t`, and for floating point and pointers they have 8 bytes.

use super::Outcome;

/// One conversion of a pattern.
#[derive(Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
    short: u32,
}

/// The source from which a pattern's conversions read.
pub(crate) trait Source {
    /// Reads `bytes` bytes, at most 8, at an offset in the argument buffer.
    fn argument(&mut self, at: u64, bytes: u64) -> Outcome<u64>;
    /// Reads the text at an address.
    fn text(&mut self, address: u64) -> Outcome<String>;
}

/// The arguments, read one after another.
struct Arguments<'a> {
    source: &'a mut dyn Source,
    at: u64,
    count: u64,
}

impl Arguments<'_> {
    fn next(&mut self, bytes: u64) -> Outcome<u64> {
        let at = self.at.next_multiple_of(bytes);
        self.at = at + bytes;
        self.count += 1;
        self.source.argument(at, bytes)
    }
}

/// Returns the formatted text and the number of arguments used. A text of more than `limit` bytes
/// is cut at some point after `limit`.
pub(crate) fn format(
    pattern: &str,
    limit: usize,
    source: &mut dyn Source,
) -> Outcome<(String, u64)> {
    let mut arguments = Arguments {
        source,
        at: 0,
        count: 0,
    };
    let mut out = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(c) = rest.next() {
        if out.len() > limit {
            break;
        }
        if c != '%' {
            out.push(c);
            continue;
        }
        let mut spec = Spec::default();
        while let Some(&flag) = rest.peek() {
            match flag {
                '-' => spec.left = true,
                '+' => spec.plus = true,
                ' ' => spec.space = true,
                '0' => spec.zero = true,
                '#' => spec.alternate = true,
                _ => break,
            }
            rest.next();
        }
        let mut number = |rest: &mut std::iter::Peekable<std::str::Chars>| -> Outcome<Option<i64>> {
            if rest.peek() == Some(&'*') {
                rest.next();
                return Ok(Some(i64::from(arguments.next(4)? as i32)));
            }
            let mut value = None;
            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                value = Some(value.unwrap_or(0).min(1 << 20) * 10 + i64::from(digit));
                rest.next();
            }
            Ok(value)
        };
        if let Some(width) = number(&mut rest)? {
            spec.left |= width < 0;
            spec.width = width.unsigned_abs().min(1 << 16) as usize;
        }
        if rest.peek() == Some(&'.') {
            rest.next();
            spec.precision = usize::try_from(number(&mut rest)?.unwrap_or(0))
                .ok()
                .map(|p| p.min(1 << 12));
        }
        while let Some(&modifier) = rest.peek() {
            match modifier {
                'l' | 'z' | 'j' | 't' | 'L' => spec.long = true,
                'h' => spec.short += 1,
                _ => break,
            }
            rest.next();
        }
        let Some(conversion) = rest.next() else { break };
        let size = if spec.long { 8 } else { 4 };
        let piece = match conversion {
            '%' => "%".to_owned(),
            'c' => spec.pad(char::from(arguments.next(4)? as u8).to_string(), false),
            's' => {
                let mut string = {
                    let address = arguments.next(8)?;
                    arguments.source.text(address)?
                };
                if let Some(precision) = spec.precision {
                    string = string.chars().take(precision).collect();
                }
                spec.pad(string, false)
            }
            'p' => spec.pad(format!("{:#x}", arguments.next(8)?), false),
            'd' | 'i' => {
                let value = arguments.next(size)?;
                let value = match (size, spec.short) {
                    (8, _) => value as i64,
                    (_, 0) => i64::from(value as i32),
                    (_, 1) => i64::from(value as i16),
                    _ => i64::from(value as i8),
                };
                spec.integer(value < 0, value.unsigned_abs().to_string())
            }
            'u' | 'x' | 'X' | 'o' => {
                let value = match (arguments.next(size)?, spec.short) {
                    (value, _) if size == 8 => value,
                    (value, 0) => value & 0xffff_ffff,
                    (value, 1) => value & 0xffff,
                    (value, _) => value & 0xff,
                };
                (spec.plus, spec.space) = (false, false);
                let alternate = spec.alternate && value != 0;
                let (prefix, digits) = match conversion {
                    'x' => (if alternate { "0x" } else { "" }, format!("{value:x}")),
                    'X' => (if alternate { "0X" } else { "" }, format!("{value:X}")),
                    'o' => (if alternate { "0" } else { "" }, format!("{value:o}")),
                    _ => ("", value.to_string()),
                };
                spec.prefixed(prefix, digits)
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                spec.float(f64::from_bits(arguments.next(8)?), conversion)
            }
            other => format!("%{other}"),
        };
        out.push_str(&piece);
    }
    Ok((out, arguments.count))
}

impl Spec {
    fn pad(&self, text: String, zeros: bool) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if self.left {
            text + &" ".repeat(missing)
        } else if zeros {
            // Insert the zeros after the sign or the prefix.
            let digits = text.find(|c: char| c.is_ascii_hexdigit()).unwrap_or(0);
            let digits = if text[digits..].starts_with("0x") || text[digits..].starts_with("0X") {
                digits + 2
            } else {
                digits
            };
            format!(
                "{}{}{}",
                &text[..digits],
                "0".repeat(missing),
                &text[digits..]
            )
        } else {
            " ".repeat(missing) + &text
        }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(&self, negative: bool, digits: String) -> String {
        self.prefixed(self.sign(negative), digits)
    }

    fn prefixed(&self, prefix: &str, digits: String) -> String {
        let digits = match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(precision) => format!(
                "{}{digits}",
                "0".repeat(precision.saturating_sub(digits.len()))
            ),
            None => digits,
        };
        self.pad(
            format!("{prefix}{digits}"),
            self.zero && self.precision.is_none(),
        )
    }

    fn float(&self, value: f64, conversion: char) -> String {
        let precision = self.precision.unwrap_or(6);
        let magnitude = value.abs();
        let digits = if !value.is_finite() {
            if value.is_nan() { "nan" } else { "inf" }.to_owned()
        } else {
            match conversion.to_ascii_lowercase() {
                'f' => format!("{magnitude:.precision$}"),
                'e' => exponential(magnitude, precision),
                _ => {
                    let significant = precision.max(1);
                    let exponent = exponential(magnitude, significant - 1);
                    let power: i32 = exponent
                        .split('e')
                        .nth(1)
                        .and_then(|power| power.parse().ok())
                        .unwrap_or(0);
                    let plain = (-4..significant as i32).contains(&power);
                    let text = if plain {
                        format!(
                            "{magnitude:.*}",
                            (significant as i32 - 1 - power).max(0) as usize
                        )
                    } else {
                        exponent
                    };
                    if self.alternate {
                        text
                    } else {
                        without_trailing_zeros(&text)
                    }
                }
            }
        };
        let digits = if conversion.is_ascii_uppercase() {
            digits.to_uppercase()
        } else {
            digits
        };
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        self.pad(format!("{sign}{digits}"), self.zero && value.is_finite())
    }
}

/// Formats a number as in `1.5e+03`: the exponent has a sign and at least two digits.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

fn without_trailing_zeros(text: &str) -> String {
    let (digits, power) = match text.split_once('e') {
        Some((digits, power)) => (digits, format!("e{power}")),
        None => (text, String::new()),
    };
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    format!("{digits}{power}")
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Source for &[u32] {
        fn argument(&mut self, at: u64, bytes: u64) -> Outcome<u64> {
            let word = |i: u64| u64::from(self[i as usize]);
            Ok(if bytes == 8 {
                word(at / 4) | word(at / 4 + 1) << 32
            } else {
                word(at / 4)
            })
        }

        fn text(&mut self, address: u64) -> Outcome<String> {
            Ok(format!("text{address}"))
        }
    }

    fn print(pattern: &str, mut words: &[u32]) -> String {
        format(pattern, 1 << 20, &mut words).unwrap().0
    }

    fn double(value: f64) -> [u32; 2] {
        [value.to_bits() as u32, (value.to_bits() >> 32) as u32]
    }

    #[test]
    fn as_in_c() {
        assert_eq!(print("a%%b", &[]), "a%b");
        assert_eq!(
            print(
                "%d %u %x|%5d|%-5d|%05d",
                &[u32::MAX, u32::MAX, 255, 42, 42, u32::MAX]
            ),
            "-1 4294967295 ff|   42|42   |-0001"
        );
        assert_eq!(
            print("%+d % d %.3d %#x %#o %X", &[1, 2, 7, 31, 8, 0xab]),
            "+1  2 007 0x1f 010 AB"
        );
        assert_eq!(print("%c%lld %s", &[65, 0, 5, 0, 9, 0]), "A5 text9");
        assert_eq!(print("%*d|%hhd|%hu", &[4, 3, 0x1ff, 0x1_0002]), "   3|-1|2");
        let f = |pattern: &str, value: f64| print(pattern, &double(value));
        assert_eq!(f("%f", 1.5), "1.500000");
        assert_eq!(f("%8.2f|", -3.14259), "   -3.14|");
        assert_eq!(f("%08.2f|", -3.14259), "-0003.14|");
        assert_eq!(f("%e", 12345.678), "1.234568e+04");
        assert_eq!(f("%g", 0.0001), "0.0001");
        assert_eq!(f("%g", 1e-5), "1e-05");
        assert_eq!(f("%g", 100000.0), "100000");
        assert_eq!(f("%g", 1e6), "1e+06");
        assert_eq!(f("%f", f64::NAN), "nan");
        assert_eq!(f("%F", f64::NEG_INFINITY), "-INF");
        assert_eq!(print("%p", &[0x10, 0]), "0x10");
    }
}
