//! Splits a text into tokens.
//!
//! ```text
//! Sw<2,3,3> o _0      Name(Sw) < 2 , 3 , 3 > Name(o) 0 End
//! ```
//!
//! Law: the tokens are the text without white space, in order. `_8` is the integer 8, `∘` is `o`.

use std::ops::Range;

use winnow::ascii::{digit1, multispace0};
use winnow::combinator::{alt, opt, preceded};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, one_of, take_while};

use crate::error::{Error, Result};

/// One token and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Integer(i64),
    Name(String),
    Underscore,
    Mark(char),
    End,
}

impl TokenKind {
    /// Returns the token as a message prints it.
    pub fn describe(&self) -> String {
        match self {
            Self::Integer(value) => format!("`{value}`"),
            Self::Name(name) => format!("`{}`", shorten(name)),
            Self::Underscore => "`_`".to_string(),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::End => "the end".to_string(),
        }
    }
}

/// Shortens a name of any length for a message.
pub(crate) fn shorten(name: &str) -> String {
    if name.chars().count() <= 60 {
        name.to_string()
    } else {
        name.chars().take(57).chain("...".chars()).collect()
    }
}

type Input<'s> = LocatingSlice<&'s str>;

fn name<'s>(input: &mut Input<'s>) -> winnow::Result<&'s str> {
    (
        one_of(|c: char| c.is_ascii_alphabetic()),
        take_while(0.., |c: char| c.is_ascii_alphanumeric() || c == '_'),
    )
        .take()
        .parse_next(input)
}

/// Reads the digits of an integer, with or without CuTe's `_` before them. The caller checks
/// whether they fit in 64 bits.
fn digits<'s>(input: &mut Input<'s>) -> winnow::Result<&'s str> {
    preceded(opt('_'), digit1).parse_next(input)
}

enum Lexeme<'s> {
    Digits(&'s str),
    Name(&'s str),
    Other(char),
}

/// Returns all tokens of the text; the last token is `End`.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>> {
    let mut input = LocatingSlice::new(text);
    let mut tokens = Vec::new();
    loop {
        let _: winnow::Result<&str> = multispace0(&mut input);
        let start = input.current_token_start();
        let lexeme: winnow::Result<Lexeme> = alt((
            digits.map(Lexeme::Digits),
            name.map(Lexeme::Name),
            any.map(Lexeme::Other),
        ))
        .parse_next(&mut input);
        let span = start..input.current_token_start();
        let kind = match lexeme {
            Err(_) => {
                tokens.push(Token {
                    kind: TokenKind::End,
                    span: text.len()..text.len(),
                });
                return Ok(tokens);
            }
            Ok(Lexeme::Digits(digits)) => match digits.parse() {
                Ok(value) => TokenKind::Integer(value),
                Err(_) => {
                    return Err(Error::syntax("the number does not fit in 64 bits", span));
                }
            },
            Ok(Lexeme::Name(name)) => TokenKind::Name(name.to_string()),
            Ok(Lexeme::Other('_')) => TokenKind::Underscore,
            Ok(Lexeme::Other('∘')) => TokenKind::Name("o".to_string()),
            Ok(Lexeme::Other(mark)) if "(),:<>.@=;-{}".contains(mark) => TokenKind::Mark(mark),
            Ok(Lexeme::Other(other)) => {
                return Err(Error::syntax(
                    format!("`{}` is no part of the notation", other.escape_debug()),
                    span,
                ));
            }
        };
        tokens.push(Token { kind, span });
    }
}
