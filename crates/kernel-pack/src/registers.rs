//! Replaces register numbers in PTX by distances, so that the compressor recognises code that
//! differs only in its register numbers.
//!
//! ```text
//!   add.s32   %r626, %r15, %r14;          add.s32   %r+2, %r-609, %r-610;
//!   mul.lo.s32 %r627, %r626, %r4;   ◄──►  mul.lo.s32 %r+1, %r+0, %r-622;
//!             │                                      │
//!             number                                 - the first number of that class (r, rd, f, ..)
//!                                                    on the last previous line that has one
//! ```
//!
//! Law: `from_distances` of `to_distances` returns the text, for every text in which no name after
//! `%` ends in a sign (`+` or `-`) and a digit. No register of PTX has such a name, and the writer
//! checks the result.
//!
//! Kernels with the same body differ in the numbers of all registers after the first difference.
//! With distances, such kernels take half as many bytes if they are in one frame, and seven tenths
//! as many if they are compressed separately.

/// The numbers of a class of registers, such as `r` or `rd`.
struct Class<'a> {
    name: &'a str,
    /// The last line with a number of this class.
    line: usize,
    /// The first number on that line, and in `before` the first number on the previous line with
    /// this class.
    first: i64,
    before: i64,
}

/// The classes that have occurred in the text so far.
#[derive(Default)]
struct Classes<'a>(Vec<Class<'a>>);

impl<'a> Classes<'a> {
    /// Returns the register's number, which `number` computes from a base. The base is the first
    /// number of this class on the previous line with this class, or 0 if there is no such line.
    /// The first number on this line becomes the base for the next line.
    fn number(&mut self, name: &'a str, line: usize, number: impl FnOnce(i64) -> i64) -> i64 {
        let place = self.0.iter().position(|class| class.name == name);
        let place = place.unwrap_or_else(|| {
            let (first, before) = (0, 0);
            // No line has this number.
            let line = usize::MAX;
            self.0.push(Class {
                name,
                line,
                first,
                before,
            });
            self.0.len() - 1
        });
        let class = &mut self.0[place];
        if class.line == line {
            return number(class.before);
        }
        let found = number(class.first);
        (class.before, class.first, class.line) = (class.first, found, line);
        found
    }
}

/// Writes `text` with registers replaced. At each `%` and name, `replaced` checks the start of the
/// text after the name for a register's number. It returns the number's length in bytes and the
/// replacement.
fn replace<'a>(
    text: &'a str,
    mut replaced: impl FnMut(&mut Classes<'a>, usize, &'a str, &'a str) -> Option<(usize, String)>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut classes = Classes::default();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let mut rest = line;
        while let Some(at) = rest.find('%') {
            let (ahead, behind) = rest.split_at(at + 1);
            out.push_str(ahead);
            let name_ends = behind.find(|c: char| !c.is_ascii_lowercase());
            let (name, digits) = behind.split_at(name_ends.unwrap_or(behind.len()));
            out.push_str(name);
            rest = digits;
            if name.is_empty() {
                continue;
            }
            if let Some((bytes, text)) = replaced(&mut classes, number, name, digits) {
                out.push_str(&text);
                rest = &digits[bytes..];
            }
        }
        out.push_str(rest);
    }
    out
}

/// Parses the decimal number at the start of a text, if it has at most nine digits and no leading
/// zero. Returns its length in bytes and the number.
fn number_at(text: &str) -> Option<(usize, i64)> {
    let bytes = text.find(|c: char| !c.is_ascii_digit());
    let digits = &text[..bytes.unwrap_or(text.len())];
    let is_number = (1..=9).contains(&digits.len()) && (digits == "0" || !digits.starts_with('0'));
    is_number.then(|| Some((digits.len(), digits.parse().ok()?)))?
}

/// Replaces the numbers of registers by distances.
#[cfg(any(feature = "write", test))]
pub(crate) fn to_distances(text: &str) -> String {
    replace(text, |classes, line, name, rest| {
        let (bytes, number) = number_at(rest)?;
        let mut from = 0;
        classes.number(name, line, |base| {
            from = base;
            number
        });
        Some((bytes, format!("{:+}", number - from)))
    })
}

/// Restores the text from the result of [`to_distances`].
pub(crate) fn from_distances(text: &str) -> String {
    replace(text, |classes, line, name, rest| {
        let sign = match rest.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let (bytes, distance) = number_at(&rest[1..])?;
        let number = classes.number(name, line, |base| base + sign * distance);
        Some((1 + bytes, number.to_string()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_from_the_line_before() {
        let text = "add.s32 %r626, %r15, %r14;\nmul.lo.s32 %r627, %r626, %r4;\n";
        let by = "add.s32 %r+626, %r+15, %r+14;\nmul.lo.s32 %r+1, %r+0, %r-622;\n";
        assert_eq!(to_distances(text), by);
        assert_eq!(from_distances(by), text);
    }

    #[test]
    fn texts_come_back() {
        let texts = [
            "",
            "%",
            "%r",
            "%r<12>; %rd007 %r0 %99 %tid.x [%rd4+16] %SP0 %rd1-8",
            "%r12345678901 %r999999999\n%r1 %r1 %r2\n\n%p1 %rd5 %p0",
            "%r5%r6%%r7 é %é1",
        ];
        for text in texts {
            assert_eq!(from_distances(&to_distances(text)), text);
        }
        // A linear congruential generator of random numbers.
        let mut state = 1_u64;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % below
        };
        for _ in 0..200 {
            let mut text = String::new();
            for _ in 0..random(40) {
                match random(6) {
                    0 => text.push('\n'),
                    1 => text.push_str(", "),
                    2 => text.push_str(&format!("%rd{}+{}", random(3000), random(64))),
                    3 => text.push_str(&format!("%p{}", random(9))),
                    _ => text.push_str(&format!("%r{}", random(100))),
                }
            }
            assert_eq!(from_distances(&to_distances(&text)), text);
        }
    }

    /// Checks that invalid distances, as a changed file may have them, do not panic.
    #[test]
    fn any_distances_are_read() {
        for text in [
            "%r-5",
            "%r+999999999\n%r+999999999",
            "%r+",
            "%r-\n",
            "%r+0000000000",
        ] {
            let _: String = from_distances(text);
        }
    }
}
