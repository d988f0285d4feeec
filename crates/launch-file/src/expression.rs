//! Integers that are computed from sizes.
//!
//! ```text
//!   sum     = product { ("+" | "-") product }
//!   product = factor { ("*" | "/" | "%") factor }
//!   factor  = number | name | name "(" sum { "," sum } ")" | "(" sum ")" | "-" factor
//! ```
//!
//! Law: the value is that of the same expression over the integers, with division towards zero. An
//! expression whose value does not fit into 128 bits, or that divides by 0, has no value.

use super::error::LaunchFileErrorKind as Kind;

/// An expression with the place of each operand in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The byte offset in the file.
    pub(super) offset: usize,
    node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Node {
    Number(i128),
    Name(String),
    Binary(Operator, Box<[Expression; 2]>),
    Negative(Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    CeilDiv,
    RoundUp,
    Min,
    Max,
}

/// The largest nesting depth of parentheses.
const DEPTH: usize = 64;

/// The reason why a value does not exist, with its place in the file.
pub(super) type Problem = (usize, Kind);

impl Expression {
    /// Makes an expression of a number that the file contains directly.
    pub(super) fn number(offset: usize, value: i128) -> Self {
        Self {
            offset,
            node: Node::Number(value),
        }
    }

    /// Parses an expression that begins at byte `offset` of the file, with these names.
    pub(super) fn parse(text: &str, offset: usize, names: &[String]) -> Result<Self, Problem> {
        let mut parser = Parser {
            text,
            at: 0,
            offset,
            names,
        };
        let found = parser.sum(0)?;
        parser.skip();
        if parser.at < text.len() {
            return Err(parser.expected("an operator or the end"));
        }
        Ok(found)
    }

    /// Returns the expression's value for these values of the names.
    pub(super) fn evaluate(&self, values: &[(String, i128)]) -> Result<i128, Problem> {
        let fails = |problem: &str| {
            let sizes = shown(values);
            let problem = problem.to_owned();
            (self.offset, Kind::Evaluation { problem, sizes })
        };
        match &self.node {
            Node::Number(number) => Ok(*number),
            Node::Name(name) => values
                .iter()
                .find(|(found, _)| found == name)
                .map(|&(_, value)| value)
                .ok_or_else(|| fails(&format!("`{name}` has no value"))),
            Node::Negative(inner) => inner
                .evaluate(values)?
                .checked_neg()
                .ok_or_else(|| fails("the value does not fit into 128 bits")),
            Node::Binary(operator, operands) => {
                let [a, b] = &**operands;
                let (a, b) = (a.evaluate(values)?, b.evaluate(values)?);
                let divides = !matches!(
                    operator,
                    Operator::Add
                        | Operator::Subtract
                        | Operator::Multiply
                        | Operator::Min
                        | Operator::Max
                );
                if divides && b == 0 {
                    return Err(fails("division by 0"));
                }
                operator
                    .apply(a, b)
                    .ok_or_else(|| fails("the value does not fit into 128 bits"))
            }
        }
    }
}

impl Operator {
    fn apply(self, a: i128, b: i128) -> Option<i128> {
        let ceil = |a: i128, b: i128| {
            let quotient = a.checked_div(b)?;
            let more = a.checked_rem(b)? != 0 && (a < 0) == (b < 0);
            quotient.checked_add(i128::from(more))
        };
        match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_div(b),
            Self::Remainder => a.checked_rem(b),
            Self::CeilDiv => ceil(a, b),
            Self::RoundUp => ceil(a, b)?.checked_mul(b),
            Self::Min => Some(a.min(b)),
            Self::Max => Some(a.max(b)),
        }
    }
}

/// Formats values, such as `n = 5, m = 3`.
pub(super) fn shown(values: &[(String, i128)]) -> String {
    let list: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    list.join(", ")
}

/// Whether a text can be the name of a size.
pub(super) fn is_name(text: &str) -> bool {
    let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(in_name) && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    offset: usize,
    names: &'a [String],
}

impl Parser<'_> {
    fn skip(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(sign);
        if found {
            self.at += sign.len_utf8();
        }
        found
    }

    fn expected(&mut self, expected: &'static str) -> Problem {
        let found = match self.peek() {
            Some(sign) => format!("`{sign}`"),
            None => "the end".to_owned(),
        };
        (self.offset + self.at, Kind::Expression { expected, found })
    }

    fn binary(&mut self, depth: usize, signs: &[(char, Operator)]) -> Result<Expression, Problem> {
        let operand = |parser: &mut Self| match signs[0].0 {
            '+' => parser.product(depth),
            _ => parser.factor(depth),
        };
        let mut left = operand(self)?;
        let mut length = 0;
        loop {
            self.skip();
            let offset = self.offset + self.at;
            let Some(&(_, operator)) = signs.iter().find(|&&(sign, _)| self.eat(sign)) else {
                return Ok(left);
            };
            length += 1;
            if length > DEPTH {
                return Err(self.expected("a shorter expression"));
            }
            let node = Node::Binary(operator, Box::new([left, operand(self)?]));
            left = Expression { offset, node };
        }
    }

    fn sum(&mut self, depth: usize) -> Result<Expression, Problem> {
        if depth > DEPTH {
            return Err(self.expected("fewer parentheses"));
        }
        self.binary(depth, &[('+', Operator::Add), ('-', Operator::Subtract)])
    }

    fn product(&mut self, depth: usize) -> Result<Expression, Problem> {
        let signs = [
            ('*', Operator::Multiply),
            ('/', Operator::Divide),
            ('%', Operator::Remainder),
        ];
        self.binary(depth, &signs)
    }

    fn factor(&mut self, depth: usize) -> Result<Expression, Problem> {
        if depth > DEPTH {
            return Err(self.expected("fewer signs"));
        }
        let first = self.peek();
        let offset = self.offset + self.at;
        match first {
            Some('(') => {
                self.at += 1;
                let inner = self.sum(depth + 1)?;
                if self.eat(')') {
                    Ok(inner)
                } else {
                    Err(self.expected("`)`"))
                }
            }
            Some('-') => {
                self.at += 1;
                let node = Node::Negative(Box::new(self.factor(depth + 1)?));
                Ok(Expression { offset, node })
            }
            Some(c) if c.is_ascii_alphanumeric() || c == '_' => self.token(depth, offset),
            _ => Err(self.expected("a number, a size, a function or `(`")),
        }
    }

    fn token(&mut self, depth: usize, offset: usize) -> Result<Expression, Problem> {
        let rest = &self.text[self.at..];
        let in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let token = &rest[..rest.find(|c| !in_name(c)).unwrap_or(rest.len())];
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = token.replace('_', "");
            let value = match digits.strip_prefix("0x") {
                Some(digits) => i128::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            let Ok(value) = value else {
                let found = format!("`{token}`");
                let expected = "an integer below 2^127";
                return Err((offset, Kind::Expression { expected, found }));
            };
            self.at += token.len();
            return Ok(Expression::number(offset, value));
        }
        self.at += token.len();
        if !self.eat('(') {
            if self.names.iter().any(|name| name == token) {
                let node = Node::Name(token.to_owned());
                return Ok(Expression { offset, node });
            }
            let known = match self.names {
                [] => "none (`sizes` gives them)".to_owned(),
                names => names.join(", "),
            };
            let name = token.to_owned();
            return Err((offset, Kind::UnknownVariable { name, known }));
        }
        let mut arguments = vec![self.sum(depth + 1)?];
        while self.eat(',') {
            arguments.push(self.sum(depth + 1)?);
        }
        if !self.eat(')') {
            return Err(self.expected("`,` or `)`"));
        }
        let operator = match token {
            "ceil_div" => Some(Operator::CeilDiv),
            "round_up" => Some(Operator::RoundUp),
            "min" => Some(Operator::Min),
            "max" => Some(Operator::Max),
            _ => None,
        };
        let count = arguments.len();
        match (operator, <[Expression; 2]>::try_from(arguments)) {
            (Some(operator), Ok(operands)) => {
                let node = Node::Binary(operator, Box::new(operands));
                Ok(Expression { offset, node })
            }
            _ => Err((
                offset,
                Kind::UnknownFunction {
                    name: token.to_owned(),
                    arguments: count,
                },
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        vec!["n".into(), "tile_k".into()]
    }

    fn value(text: &str) -> Result<i128, Problem> {
        let values = [("n".to_owned(), 31), ("tile_k".to_owned(), 8)];
        Expression::parse(text, 0, &names())?.evaluate(&values)
    }

    #[test]
    fn values_are_those_of_arithmetic() {
        for (text, expected) in [
            ("7", 7),
            ("0x1f + 1_000", 1031),
            ("2 + 3 * 4 - 1", 13),
            ("(2 + 3) * 4 % 7", 6),
            ("20 - 5 - 5", 10),
            ("-n + 1", -30),
            ("--n", 31),
            ("n / tile_k * tile_k", 24),
            ("ceil_div(n, tile_k)", 4),
            ("round_up(n, tile_k) * 4", 128),
            ("min(n, max(3, tile_k))", 8),
            ("ceil_div(0, 5) + ceil_div(-7, 2) + ceil_div(7, 2)", 1),
            (" ( ( n ) ) ", 31),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors_have_their_place() {
        for (text, place, says) in [
            (
                "",
                0,
                "expected a number, a size, a function or `(`, found the end",
            ),
            ("1 +", 3, "found the end"),
            ("1 2", 2, "expected an operator or the end, found `2`"),
            ("n + m", 4, "unknown variable `m`; there are n, tile_k"),
            ("1 + foo(2)", 4, "no function `foo` of 1"),
            ("min(1, 2, 3)", 0, "no function `min` of 3"),
            ("(1", 2, "expected `)`, found the end"),
            ("4 / (n - 31)", 2, "division by 0 at n = 31, tile_k = 8"),
            ("ceil_div(1, 0)", 0, "division by 0"),
            (
                "0xffffffffffffffffffffffffffffffff",
                0,
                "an integer below 2^127, found `0xffffffffffffffffffffffffffffffff`",
            ),
            (
                "0x7fffffffffffffffffffffffffffffff + n",
                35,
                "does not fit into 128 bits",
            ),
        ] {
            let (offset, kind) = value(text).unwrap_err();
            assert_eq!(offset, place, "{text}: {kind}");
            assert!(kind.to_string().contains(says), "{text}: {kind}");
        }
        for text in [
            "(".repeat(100_000),
            "-".repeat(100_000),
            "1+".repeat(100_000) + "1",
        ] {
            assert!(value(&text).is_err());
        }
    }
}
