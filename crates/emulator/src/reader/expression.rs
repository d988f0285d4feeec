//! Constant expressions, operands and initialisers.
//!
//! ```text
//! [%rd1 + 4*(2+1)]      Address { base: %rd1, offset: 12 }
//! {%r1, _}              Vector([%r1, _])
//! {generic(table)+8}    Aggregate([Address { table, 8, generic }])
//! ```
//!
//! Law: integers are 64 bits wide and wrap, `/` and `%` by zero are errors; precedence is C's.
//! Source: PTX ISA, "Constant Expressions", "Operand Costs", "Initializers".

use super::Reader;
use super::syntax::{Constant, Initializer, Operand};
use super::token::Kind;
use crate::error::PtxError;

/// The elements of a vector register, by either of their names.
pub(crate) const COMPONENTS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

/// `WARP_SZ`, a name for a constant.
const WARP_SIZE: i64 = 32;

/// The binary operators, those with the lowest precedence first.
const LEVELS: [&[char]; 6] = [
    &['|'],
    &['^'],
    &['&'],
    &['«', '»'],
    &['+', '-'],
    &['*', '/'],
];

impl<'s> Reader<'s> {
    /// Reads an integer expression.
    pub(super) fn integer(&mut self) -> Result<i64, PtxError> {
        self.binary(0)
    }

    fn binary(&mut self, level: usize) -> Result<i64, PtxError> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Kind::Mark(operator) = self.kind()
            && operators.contains(&operator)
        {
            self.advance();
            let right = self.binary(level + 1)?;
            left = match operator {
                '|' => left | right,
                '^' => left ^ right,
                '&' => left & right,
                '«' => left.wrapping_shl(right as u32),
                '»' => left.wrapping_shr(right as u32),
                '+' => left.wrapping_add(right),
                '-' => left.wrapping_sub(right),
                '*' => left.wrapping_mul(right),
                _ if right == 0 => return self.fail("a divisor other than 0"),
                _ => left.wrapping_div(right),
            };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, PtxError> {
        match self.kind() {
            Kind::Int(value) => {
                self.advance();
                Ok(value as i64)
            }
            Kind::Name("WARP_SZ") => {
                self.advance();
                Ok(WARP_SIZE)
            }
            Kind::Mark(mark @ ('-' | '+' | '~' | '!' | '(')) => {
                self.advance();
                if mark == '(' {
                    let value = self.nested(Self::integer)?;
                    self.expect(')')?;
                    return Ok(value);
                }
                let value = self.nested(Self::unary)?;
                Ok(match mark {
                    '-' => value.wrapping_neg(),
                    '~' => !value,
                    '!' => i64::from(value == 0),
                    _ => value,
                })
            }
            _ => self.fail("an integer"),
        }
    }

    /// Reads a constant of any kind; a floating-point constant may have a sign.
    pub(super) fn constant(&mut self) -> Result<Constant, PtxError> {
        let negative = self.kind() == Kind::Mark('-');
        match if negative {
            self.kind_after(1)
        } else {
            self.kind()
        } {
            Kind::F32(bits) => {
                self.position += usize::from(negative) + 1;
                Ok(Constant::F32(bits ^ u32::from(negative) << 31))
            }
            Kind::F64(bits) => {
                self.position += usize::from(negative) + 1;
                Ok(Constant::F64(bits ^ u64::from(negative) << 63))
            }
            _ => self.integer().map(Constant::Int),
        }
    }

    /// Reads the offset after a name, such as `+ 16`, `+-16` or `- 4`. Returns 0 if there is no
    /// offset.
    fn offset_behind(&mut self) -> Result<i64, PtxError> {
        match self.kind() {
            Kind::Mark('+') => {
                self.advance();
                self.binary(4)
            }
            // Reads the whole sum, including its sign.
            Kind::Mark('-') => self.binary(4),
            _ => Ok(0),
        }
    }

    /// Reads one operand of an instruction.
    pub(super) fn operand(&mut self) -> Result<Operand<'s>, PtxError> {
        let operand = match self.kind() {
            Kind::Name("_") => {
                self.advance();
                Operand::Sink
            }
            Kind::Name(name) if name != "WARP_SZ" => {
                let start = self.offset();
                self.advance();
                // `v.x`: the dot of a name without `%` is a token of its own.
                let component =
                    matches!(self.kind(), Kind::Dot(word) if COMPONENTS.contains(&word));
                if component && self.offset() == start + name.len() {
                    self.advance();
                    let end = self.previous_end();
                    Operand::Name(&self.source[start..end], 0)
                } else if let Kind::Dot(part) = self.kind() {
                    self.advance();
                    Operand::Part(name, part)
                } else {
                    Operand::Name(name, self.offset_behind()?)
                }
            }
            Kind::Mark('-') if matches!(self.kind_after(1), Kind::Name(name) if name.starts_with('%')) =>
            {
                self.advance();
                Operand::Minus(Box::new(self.nested(Self::operand)?))
            }
            Kind::Mark('!') if matches!(self.kind_after(1), Kind::Name(name) if name != "WARP_SZ") =>
            {
                self.advance();
                Operand::Not(self.name("a predicate")?)
            }
            Kind::Mark('{') => {
                self.advance();
                let elements = self.nested(|reader| reader.separated(Self::operand))?;
                self.expect('}')?;
                Operand::Vector(elements)
            }
            Kind::Mark('[') => {
                self.advance();
                let base = match self.kind() {
                    Kind::Name(name) if name != "WARP_SZ" => {
                        self.advance();
                        Operand::Name(name, 0)
                    }
                    _ => Operand::Constant(Constant::Int(self.integer()?)),
                };
                let offset = self.offset_behind()?;
                if offset == 0 && self.eat(',') {
                    let coordinates = self.nested(Self::operand)?;
                    if self.kind() == Kind::Mark(',') {
                        return self.unsupported("an address with tensor coordinates");
                    }
                    self.expect(']')?;
                    return Ok(Operand::Texel {
                        object: Box::new(base),
                        coordinates: Box::new(coordinates),
                    });
                }
                self.expect(']')?;
                Operand::Address {
                    base: Box::new(base),
                    offset,
                }
            }
            Kind::Mark('(') if self.list_ahead() => {
                self.advance();
                if self.eat(')') {
                    return Ok(Operand::List(Vec::new()));
                }
                let elements = self.nested(|reader| reader.separated(Self::operand))?;
                self.expect(')')?;
                return Ok(Operand::List(elements));
            }
            Kind::Int(_)
            | Kind::F32(_)
            | Kind::F64(_)
            | Kind::Name(_)
            | Kind::Mark('-' | '+' | '~' | '!' | '(') => Operand::Constant(self.constant()?),
            _ => return self.fail("an operand or `;`"),
        };
        if self.eat('|') {
            let second = self.nested(Self::operand)?;
            return Ok(Operand::Pair(Box::new(operand), Box::new(second)));
        }
        Ok(operand)
    }

    /// Whether `(` opens a call's list instead of a bracketed constant expression. A list of
    /// constants occurs only in calls, directly before `,` or `;`.
    fn list_ahead(&self) -> bool {
        match self.kind_after(1) {
            Kind::Name(_) | Kind::Mark(')') => true,
            _ => {
                let mut n = 1;
                loop {
                    match self.kind_after(n) {
                        Kind::Mark(',') => return true,
                        Kind::Mark(')' | ';') | Kind::End => return false,
                        _ => n += 1,
                    }
                }
            }
        }
    }

    /// Reads the value of a variable, after `=`.
    pub(super) fn initializer(&mut self) -> Result<Initializer<'s>, PtxError> {
        match self.kind() {
            Kind::Mark('{') => {
                self.advance();
                let mut elements = Vec::new();
                while !self.eat('}') {
                    elements.push(self.nested(Self::initializer)?);
                    if !self.eat(',') {
                        self.expect('}')?;
                        break;
                    }
                }
                Ok(Initializer::Aggregate(elements))
            }
            Kind::Name(name) if name != "WARP_SZ" => self.address(),
            // `0xFF00(name)`: one byte of an address.
            Kind::Int(mask) if self.kind_after(1) == Kind::Mark('(') => {
                self.advance();
                self.advance();
                let inner = self.address()?;
                self.expect(')')?;
                match inner {
                    Initializer::Address {
                        name,
                        offset,
                        generic,
                    } => Ok(Initializer::AddressByte {
                        name,
                        offset,
                        generic,
                        mask,
                    }),
                    _ => self.fail("an address"),
                }
            }
            _ => self.constant().map(Initializer::Constant),
        }
    }

    /// Reads `name+8` or `generic(name)+8`.
    fn address(&mut self) -> Result<Initializer<'s>, PtxError> {
        let mut name = self.name("a variable or function")?;
        let generic = name == "generic" && self.eat('(');
        let mut offset = 0;
        if generic {
            name = self.name("a variable")?;
            offset = self.offset_behind()?;
            self.expect(')')?;
        }
        offset = self.offset_behind()?.wrapping_add(offset);
        Ok(Initializer::Address {
            name,
            offset,
            generic,
        })
    }
}
