//! Splits text into tokens.
//!
//! ```text
//! @%p1 ld.global.v4.u32 {%r1, _}, [%rd2+16];
//! @ %p1 ld .global .v4 .u32 { %r1 , _ } , [ %rd2 + 16 ] ;
//! ```
//!
//! Law: the tokens are the text without white space and comments, in order; a token's `offset` is
//! the byte where it starts. A dot belongs to the word after it (`.shared::cta` is one token), and
//! the component of a special register to the register (`%tid.x` is one token), so later stages
//! need no white space. Source: PTX ISA, "Syntax" (identifiers, constants, comments).

use winnow::Result;
use winnow::ascii::{digit0, digit1, hex_digit1, multispace1, oct_digit1, till_line_ending};
use winnow::combinator::{alt, delimited, not, opt, peek, preceded, repeat, terminated};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take, take_until, take_while};

use crate::error::{PtxError, PtxErrorKind};

/// A token and its offset.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Token<'s> {
    pub kind: Kind<'s>,
    pub offset: usize,
    pub end: usize,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind<'s> {
    /// `vecadd`, `%r1`, `%tid.x`, `$L__BB0_2`, `_`.
    Name(&'s str),
    /// `.global`, `.shared::cta`: without the dot.
    Dot(&'s str),
    /// An integer constant without its sign.
    Int(u64),
    /// The bits of a constant like `0f3F800000`.
    F32(u32),
    /// The bits of a constant like `0d3FF0000000000000` or `1.5`.
    F64(u64),
    /// A text in quotes, with escapes not resolved.
    Text(&'s str),
    /// One character of punctuation, or `<<`, `>>` as `«`, `»`.
    Mark(char),
    /// The end of the text.
    End,
}

impl Kind<'_> {
    /// Returns the token as an error message shows it.
    pub fn describe(&self) -> String {
        match self {
            Kind::Name(name) => format!("`{name}`"),
            Kind::Dot(word) => format!("`.{word}`"),
            Kind::Int(value) => format!("`{value}`"),
            Kind::F32(bits) => format!("`0f{bits:08X}`"),
            Kind::F64(bits) => format!("`0d{bits:016X}`"),
            Kind::Text(text) => format!("\"{text}\""),
            Kind::Mark(mark) => format!("`{mark}`"),
            Kind::End => "the end of the text".to_owned(),
        }
    }
}

type Input<'s> = LocatingSlice<&'s str>;

/// Returns all tokens of `source`; the last one is `End`.
pub(crate) fn tokens(source: &str) -> std::result::Result<Vec<Token<'_>>, PtxError> {
    let mut input = LocatingSlice::new(source);
    let mut tokens = Vec::with_capacity(source.len() / 4);
    loop {
        let failed = |input: &Input| {
            let offset = input.current_token_start();
            let (expected, found) = refusal(&source[offset..]);
            let expected = expected.to_owned();
            PtxError::at(source, offset, PtxErrorKind::Expected { expected, found })
        };
        space.parse_next(&mut input).map_err(|_| failed(&input))?;
        let offset = input.current_token_start();
        if input.is_empty() {
            tokens.push(Token {
                kind: Kind::End,
                offset,
                end: offset,
            });
            return Ok(tokens);
        }
        let kind = token.parse_next(&mut input).map_err(|_| failed(&input))?;
        tokens.push(Token {
            kind,
            offset,
            end: input.current_token_start(),
        });
    }
}

/// Returns what was expected and what was found, for a text that does not begin with a token.
fn refusal(rest: &str) -> (&'static str, String) {
    /// The most characters of a word that are shown.
    const SHOWN: usize = 40;
    let end = rest.find(|c| !word_character(c)).unwrap_or(rest.len());
    let (word, digits) = (&rest[..end], rest[..end].trim_end_matches('U'));
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let prefixed = |prefixes: [&str; 2], radix| {
        let digits = prefixes.iter().find_map(|of| digits.strip_prefix(of));
        digits.is_some_and(|of| !of.is_empty() && of.chars().all(|c| c.is_digit(radix)))
    };
    let is_integer = is_decimal
        || prefixed(["0x", "0X"], 16)
        || prefixed(["0b", "0B"], 2)
        || prefixed(["0", "0"], 8);
    if !word.starts_with(|c: char| c.is_ascii_digit()) {
        let found = rest.chars().next();
        let found = found.map_or("the end of the text".to_owned(), |c| format!("`{c}`"));
        return ("a PTX token", found);
    }
    let found = match word.get(SHOWN..) {
        Some("") | None => format!("`{word}`"),
        Some(_) => format!("`{}..`", &word[..SHOWN]),
    };
    let expected = match is_integer {
        true => "an integer below 2^64",
        false => "a number",
    };
    (expected, found)
}

fn space(input: &mut Input) -> Result<()> {
    let line = ("//", till_line_ending).void();
    let block = ("/*", take_until(0.., "*/"), "*/").void();
    repeat(0.., alt((multispace1.void(), line, block))).parse_next(input)
}

fn token<'s>(input: &mut Input<'s>) -> Result<Kind<'s>> {
    match peek(any).parse_next(input)? {
        '0'..='9' => number(input),
        '.' => preceded('.', dotted).map(Kind::Dot).parse_next(input),
        '"' => delimited('"', take_while(0.., |c| c != '"'), '"')
            .map(Kind::Text)
            .parse_next(input),
        c if c.is_ascii_alphabetic() || matches!(c, '%' | '$' | '_') => name(input),
        _ => alt((
            "<<".value(Kind::Mark('«')),
            ">>".value(Kind::Mark('»')),
            // An unterminated comment must not be read as a division.
            preceded(not("/*"), one_of(b",;:{}[]()@!+-*/|&^~=<>").map(Kind::Mark)),
        ))
        .parse_next(input),
    }
}

fn word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$')
}

fn dotted<'s>(input: &mut Input<'s>) -> Result<&'s str> {
    // `take` of the recognised parts: words joined by `::`.
    (
        take_while(1.., word_character),
        repeat::<_, _, (), _, _>(0.., ("::", take_while(1.., word_character))),
    )
        .take()
        .parse_next(input)
}

fn name<'s>(input: &mut Input<'s>) -> Result<Kind<'s>> {
    let component = ('.', one_of(['x', 'y', 'z', 'w']), peek(not_a_word)).void();
    let special = ('%', take_while(1.., word_character), opt(component)).take();
    let plain = (
        one_of(|c: char| word_character(c)),
        take_while(0.., word_character),
    )
        .take();
    alt((special, plain)).map(Kind::Name).parse_next(input)
}

fn not_a_word(input: &mut Input) -> Result<()> {
    not(one_of(|c: char| word_character(c) || c == '.')).parse_next(input)
}

fn number<'s>(input: &mut Input<'s>) -> Result<Kind<'s>> {
    let bits = |n: usize| take(n).verify(|s: &str| s.bytes().all(|b| b.is_ascii_hexdigit()));
    let f32_bits = preceded(alt(("0f", "0F")), bits(8))
        .try_map(|s| u32::from_str_radix(s, 16))
        .map(Kind::F32);
    let f64_bits = preceded(alt(("0d", "0D")), bits(16))
        .try_map(|s| u64::from_str_radix(s, 16))
        .map(Kind::F64);
    let exponent = (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1).void();
    let decimal = alt((
        (digit1, '.', digit0, opt(exponent)).void(),
        (
            digit1,
            (one_of(['e', 'E']), opt(one_of(['+', '-'])), digit1),
        )
            .void(),
    ))
    .take()
    .try_map(|s: &str| s.parse::<f64>())
    .map(|value| Kind::F64(value.to_bits()));
    let integer = alt((
        preceded(alt(("0x", "0X")), hex_digit1).try_map(|s| u64::from_str_radix(s, 16)),
        preceded(alt(("0b", "0B")), take_while(1.., ['0', '1']))
            .try_map(|s| u64::from_str_radix(s, 2)),
        preceded('0', oct_digit1).try_map(|s| u64::from_str_radix(s, 8)),
        // A number with a leading 0 is octal, so it has no digits 8 and 9.
        digit1
            .verify(|s: &str| s == "0" || !s.starts_with('0'))
            .try_map(|s: &str| s.parse::<u64>()),
    ))
    .map(Kind::Int);
    // A word that begins with a number but is not one is refused from its first digit on.
    let start = input.checkpoint();
    let number = terminated(
        alt((f32_bits, f64_bits, decimal, terminated(integer, opt('U')))),
        peek(not_word),
    )
    .parse_next(input);
    number.inspect_err(|_| input.reset(&start))
}

fn not_word(input: &mut Input) -> Result<()> {
    not(one_of(|c: char| word_character(c))).parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(source: &str) -> Vec<Kind<'_>> {
        tokens(source)
            .unwrap()
            .into_iter()
            .map(|t| t.kind)
            .collect()
    }

    #[test]
    fn an_instruction() {
        use Kind::*;
        assert_eq!(
            kinds("@!%p1 ld.shared::cta.v2.b32 {%r1, _}, [%rd2+-16]; // end"),
            [
                Mark('@'),
                Mark('!'),
                Name("%p1"),
                Name("ld"),
                Dot("shared::cta"),
                Dot("v2"),
                Dot("b32"),
                Mark('{'),
                Name("%r1"),
                Mark(','),
                Name("_"),
                Mark('}'),
                Mark(','),
                Mark('['),
                Name("%rd2"),
                Mark('+'),
                Mark('-'),
                Int(16),
                Mark(']'),
                Mark(';'),
                End,
            ]
        );
    }

    #[test]
    fn a_number_that_is_none_is_shown_whole() {
        for (source, says) in [
            (
                "a[99999999999999999999]",
                "an integer below 2^64, found `99999999999999999999`",
            ),
            (
                "18446744073709551616U;",
                "an integer below 2^64, found `18446744073709551616U`",
            ),
            (
                "0x10000000000000000",
                "an integer below 2^64, found `0x10000000000000000`",
            ),
            ("019", "a number, found `019`"),
            ("0xg1", "a number, found `0xg1`"),
            ("12abc", "a number, found `12abc`"),
            ("`", "a PTX token, found ```"),
        ] {
            let error = tokens(source).unwrap_err().to_string();
            assert!(error.contains(says), "{source}: {error}");
        }
        let long = "9".repeat(100_000);
        let error = tokens(&long).unwrap_err().to_string();
        assert!(error.contains("found `9999999999999999999999999999999999999999..`"));
    }

    #[test]
    fn numbers() {
        use Kind::*;
        assert_eq!(
            kinds(
                "0 17 017 0x1F 0x123U 0b101 0f3F800000 0d3FF0000000000000 1.5 2e3 18446744073709551615"
            ),
            [
                Int(0),
                Int(17),
                Int(15),
                Int(31),
                Int(0x123),
                Int(5),
                F32(0x3F80_0000),
                F64(0x3FF0_0000_0000_0000),
                F64(1.5f64.to_bits()),
                F64(2e3f64.to_bits()),
                Int(u64::MAX),
                End,
            ]
        );
    }

    #[test]
    fn special_registers_and_labels() {
        use Kind::*;
        assert_eq!(
            kinds("%tid.x, %r<3>; $L__BB0_1: a_$_b /* x \n y */ mov.u32"),
            [
                Name("%tid.x"),
                Mark(','),
                Name("%r"),
                Mark('<'),
                Int(3),
                Mark('>'),
                Mark(';'),
                Name("$L__BB0_1"),
                Mark(':'),
                Name("a_$_b"),
                Name("mov"),
                Dot("u32"),
                End,
            ]
        );
    }

    #[test]
    fn errors_have_a_place() {
        let error = tokens("mov.u32 a, b;\n  `oops").unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        for bad in [
            "08",
            "\"open",
            "0x",
            "12ab",
            "0f12",
            "/* open",
            "99999999999999999999999",
        ] {
            assert!(tokens(bad).is_err(), "{bad}");
        }
    }
}
