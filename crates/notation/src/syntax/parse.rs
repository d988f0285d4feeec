//! Parses tokens into the tree.
//!
//! The parser is a recursive descent with one function per line of the grammar in
//! [`syntax`](super). Chains of `o`, calls and fields are loops, so the depth of the tree is the
//! nesting of the text, which is bounded.

use std::ops::Range;

use super::ast::{Expr, Kind, Statement, Suffix};
use super::token::{Token, TokenKind, tokens};
use super::{MAX_BASIS, MAX_NESTING, MAX_TEXT};
use crate::error::{Error, Result};

/// Parses statements, such as `let a = (8,6); zipped_divide(a, (4,3))`.
///
/// # Errors
/// Returns a syntax error at the byte where parsing stopped, or
/// [`TooLarge`](crate::ErrorKind::TooLarge) for a text of more than [`MAX_TEXT`] bytes or nesting
/// deeper than [`MAX_NESTING`].
///
/// ```
/// let statements = notation::parse("let a = (8,6); zipped_divide(a, (4,3))").unwrap();
/// assert_eq!(statements.len(), 2);
/// assert_eq!(notation::parse("(8,6").unwrap_err().span(), 4..4);
/// ```
pub fn parse(text: &str) -> Result<Vec<Statement>> {
    read(text).map_err(|error| error.in_text(text))
}

/// Parses one expression.
///
/// # Errors
/// Returns the errors of [`parse`], and an error if the text holds no expression, several
/// expressions, or a `let`.
pub fn parse_expression(text: &str) -> Result<Expr> {
    let mut statements = parse(text)?;
    match (statements.pop(), statements.pop()) {
        (Some(Statement { name: None, value }), None) => Ok(value),
        _ => Err(Error::syntax("one expression is expected", 0..text.len()).in_text(text)),
    }
}

fn read(text: &str) -> Result<Vec<Statement>> {
    if text.len() > MAX_TEXT {
        let mut at = MAX_TEXT;
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        return Err(Error::too_large(
            format!("a text holds at most {MAX_TEXT} bytes"),
            at..at,
        ));
    }
    let mut reader = Reader {
        tokens: tokens(text)?,
        at: 0,
        nesting: 0,
    };
    let mut statements = Vec::new();
    loop {
        while reader.eat(';') {}
        if *reader.peek() == TokenKind::End {
            break;
        }
        statements.push(reader.statement()?);
        if *reader.peek() != TokenKind::End && !reader.eat(';') {
            return reader.unexpected("the end");
        }
    }
    if statements.is_empty() {
        return Err(Error::syntax(
            "an expression is expected",
            text.len()..text.len(),
        ));
    }
    Ok(statements)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
}

impl Reader {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn peek(&self) -> &TokenKind {
        &self.token().kind
    }

    fn next(&self) -> &TokenKind {
        &self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn span(&self) -> Range<usize> {
        self.token().span.clone()
    }

    /// Returns the byte at which the preceding token ends.
    fn end(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    fn skip(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, mark: char) -> bool {
        let found = *self.peek() == TokenKind::Mark(mark);
        if found {
            self.skip();
        }
        found
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T> {
        Err(Error::syntax(
            format!("{expected} is expected, not {}", self.peek().describe()),
            self.span(),
        ))
    }

    fn expect(&mut self, mark: char) -> Result<()> {
        if self.eat(mark) {
            Ok(())
        } else {
            self.unexpected(&format!("`{mark}`"))
        }
    }

    /// Runs `f` one level deeper.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(Error::too_large(
                format!("the expression nests deeper than {MAX_NESTING} levels"),
                self.span(),
            ));
        }
        let out = f(self);
        self.nesting -= 1;
        out
    }

    fn statement(&mut self) -> Result<Statement> {
        let is_let = matches!(self.peek(), TokenKind::Name(name) if name == "let");
        if is_let {
            self.skip();
        }
        let name = match (self.peek().clone(), self.next()) {
            (TokenKind::Name(name), TokenKind::Mark('=')) => {
                let span = self.span();
                self.skip();
                self.skip();
                if name == "o" || name == "let" {
                    return Err(Error::syntax(
                        format!("`{name}` is part of the notation and cannot be a name"),
                        span,
                    ));
                }
                Some((name, span))
            }
            (TokenKind::Name(_), _) if is_let => {
                self.skip();
                return self.unexpected("`=`");
            }
            _ if is_let => return self.unexpected("a name"),
            _ => None,
        };
        let value = self.expression()?;
        Ok(Statement { name, value })
    }

    fn expression(&mut self) -> Result<Expr> {
        let start = self.span().start;
        let first = self.layout()?;
        if !self.is_o() {
            return Ok(first);
        }
        let mut operands = vec![first];
        while self.is_o() {
            self.skip();
            operands.push(self.layout()?);
        }
        Ok(Expr {
            kind: Kind::Compose(operands),
            span: start..self.end(),
        })
    }

    fn is_o(&self) -> bool {
        matches!(self.peek(), TokenKind::Name(name) if name == "o")
    }

    fn layout(&mut self) -> Result<Expr> {
        let start = self.span().start;
        let shape = self.postfix()?;
        if !self.eat(':') {
            return Ok(shape);
        }
        let stride = self.postfix()?;
        Ok(Expr {
            kind: Kind::Layout(Box::new(shape), Box::new(stride)),
            span: start..self.end(),
        })
    }

    fn postfix(&mut self) -> Result<Expr> {
        let start = self.span().start;
        let primary = self.primary()?;
        let mut suffixes = Vec::new();
        loop {
            if *self.peek() == TokenKind::Mark('(') {
                let open = self.span().start;
                self.skip();
                let (arguments, _) = self.arguments(')')?;
                suffixes.push(Suffix::Call {
                    arguments,
                    span: open..self.end(),
                });
            } else if self.eat('.') {
                let span = self.span();
                let TokenKind::Name(name) = self.peek().clone() else {
                    return self.unexpected("a name");
                };
                self.skip();
                let template = self.template()?;
                suffixes.push(Suffix::Field {
                    name,
                    template,
                    span,
                });
            } else {
                break;
            }
        }
        if suffixes.is_empty() {
            return Ok(primary);
        }
        Ok(Expr {
            kind: Kind::Postfix(Box::new(primary), suffixes),
            span: start..self.end(),
        })
    }

    fn primary(&mut self) -> Result<Expr> {
        let start = self.span().start;
        let kind = match self.peek().clone() {
            TokenKind::Underscore => {
                self.skip();
                Kind::Underscore
            }
            TokenKind::Integer(value) => {
                self.skip();
                self.basis(value)?
            }
            TokenKind::Mark('-') => {
                self.skip();
                let TokenKind::Integer(value) = *self.peek() else {
                    return self.unexpected("a number");
                };
                self.skip();
                self.basis(-value)?
            }
            TokenKind::Mark('(') => {
                self.skip();
                let (modes, comma) = self.arguments(')')?;
                Kind::Tuple { modes, comma }
            }
            TokenKind::Name(name) if name == "o" => {
                return Err(Error::syntax(
                    "`o` stands between two layouts: the left one after the right one",
                    self.span(),
                ));
            }
            TokenKind::Name(name) => {
                self.skip();
                let template = self.template()?;
                if self.eat('{') {
                    self.expect('}')?;
                }
                Kind::Name { name, template }
            }
            _ => return self.unexpected("a layout, a number, a tuple or a name"),
        };
        Ok(Expr {
            kind,
            span: start..self.end(),
        })
    }

    /// Parses `@0@1` after a number.
    fn basis(&mut self, value: i64) -> Result<Kind> {
        let mut path = Vec::new();
        while self.eat('@') {
            let TokenKind::Integer(mode) = *self.peek() else {
                return self.unexpected("the number of a mode");
            };
            if mode >= MAX_BASIS {
                return Err(Error::too_large(
                    format!("a stride names modes below {MAX_BASIS}"),
                    self.span(),
                ));
            }
            if path.len() >= MAX_NESTING {
                return Err(Error::too_large(
                    "a stride names no mode so deep",
                    self.span(),
                ));
            }
            self.skip();
            path.push(mode);
        }
        Ok(if path.is_empty() {
            Kind::Integer(value)
        } else {
            Kind::Basis(value, path)
        })
    }

    fn template(&mut self) -> Result<Option<Vec<Expr>>> {
        if !self.eat('<') {
            return Ok(None);
        }
        self.arguments('>').map(|(arguments, _)| Some(arguments))
    }

    /// Parses the elements of a list after its opening mark. Also returns whether a comma follows
    /// the last element.
    fn arguments(&mut self, close: char) -> Result<(Vec<Expr>, bool)> {
        self.nested(|reader| {
            let (mut out, mut comma) = (Vec::new(), false);
            while !reader.eat(close) {
                if !out.is_empty() && !comma {
                    return reader.unexpected(&format!("`,` or `{close}`"));
                }
                out.push(reader.expression()?);
                comma = reader.eat(',');
            }
            Ok((out, comma))
        })
    }
}
