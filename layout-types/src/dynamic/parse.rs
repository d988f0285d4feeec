//! Parses CuTe's notation, and defines the error of a refused operation.
//!
//! ```text
//! "(4,8):(8,1)"  ─►  DynLayout          composition (4,4):(4,1) o (2,2):(3,1) is not admissible: ...
//! ```

use super::composed::{AnyLayout, Composed};
use super::coord::{Coord, CoordLeaf};
use super::divide::Tiler;
use super::int_tuple::{IntTuple, Nested, Stride};
use super::layout::DynLayout;
use super::rules::{Rule, Swizzle};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

// -- Errors ---------------------------------------------------------------------------------------
//
// The error of an operation: what is refused, in which mode, and with which operands.
//
// ```text
// composition (4,4):(4,1) o (2,2):(3,1) is not admissible: together the modes of the right side reach 4 ...
// ^operation  ^operands                                     ^the rule, in decimals
// ```

/// The result of an operation on layouts.
pub type Result<T, E = LayoutError> = core::result::Result<T, E>;

/// A refused operation: its name, its operands as CuTe prints them, the mode at fault and the
/// broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    operation: &'static str,
    operands: Vec<String>,
    mode: Vec<usize>,
    reason: Reason,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    Rule(Rule),
    Within(Box<LayoutError>),
}

impl LayoutError {
    pub(super) fn new(operation: &'static str, operands: &[&dyn fmt::Display], rule: Rule) -> Self {
        Self {
            operation,
            operands: operands.iter().map(ToString::to_string).collect(),
            mode: Vec::new(),
            reason: Reason::Rule(rule),
        }
    }

    /// Makes this refusal the cause of the refusal of a larger operation.
    pub(super) fn within(self, operation: &'static str, operands: &[&dyn fmt::Display]) -> Self {
        Self {
            operation,
            operands: operands.iter().map(ToString::to_string).collect(),
            mode: Vec::new(),
            reason: Reason::Within(Box::new(self)),
        }
    }

    /// Returns this refusal with the operands that the caller gave. The refused operand is a part
    /// of the caller's operands, and was refused by the same operation or by a step that the caller
    /// did not write.
    pub(super) fn again(self, operation: &'static str, operands: &[&dyn fmt::Display]) -> Self {
        Self {
            operation,
            operands: operands.iter().map(ToString::to_string).collect(),
            mode: self.mode,
            reason: self.reason,
        }
    }

    pub(super) fn at(mut self, mode: &[usize]) -> Self {
        self.mode = mode.to_vec();
        self
    }

    /// Returns the operation's name in CuTe.
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// Returns the operands in CuTe's order and notation.
    pub fn operands(&self) -> &[String] {
        &self.operands
    }

    /// Returns the mode at fault, outermost index first, or an empty slice if no single mode is at
    /// fault. For a refusal inside a larger operation, this is the mode of the inner operation.
    pub fn mode(&self) -> &[usize] {
        match &self.reason {
            Reason::Within(inner) if self.mode.is_empty() => inner.mode(),
            _ => &self.mode,
        }
    }

    /// Returns the broken rule.
    pub fn rule(&self) -> Rule {
        match &self.reason {
            Reason::Rule(rule) => *rule,
            Reason::Within(inner) => inner.rule(),
        }
    }
}

/// Returns the word or sign between an operation's first and second operand.
fn joiner(operation: &str) -> &'static str {
    match operation {
        "composition" | "max_common_layout" | "max_common_vector" => " o ",
        name if name.ends_with("divide") || name.ends_with("cast") || name == "ceil_div" => " / ",
        name if name.ends_with("product") => " x ",
        _ => ", ",
    }
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.operation)?;
        for (i, operand) in self.operands.iter().enumerate() {
            let before = match i {
                0 => " ",
                1 => joiner(self.operation),
                _ => ", ",
            };
            write!(f, "{before}{operand}")?;
        }
        write!(f, " is not admissible: ")?;
        if let Some((first, rest)) = self.mode.split_first() {
            write!(f, "mode {first}")?;
            rest.iter().try_for_each(|mode| write!(f, ".{mode}"))?;
            write!(f, ": ")?;
        }
        match &self.reason {
            Reason::Rule(rule) => write!(f, "{rule}"),
            Reason::Within(inner) => write!(f, "{inner}"),
        }
    }
}

impl core::error::Error for LayoutError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match &self.reason {
            Reason::Rule(_) => None,
            Reason::Within(inner) => Some(&**inner),
        }
    }
}

// -- Notation -------------------------------------------------------------------------------------
//
// Reads CuTe's notation: the inverse of every `Display` in this module.
//
// ```text
// layout   ::= tuple ':' tuple                    ((4,8),2):((32,1),16)
//            | '()' ':' '()'                      the layout without modes
// tuple    ::= leaf | '(' tuple (',' tuple)* ')'
// stride   ::= int ('@' mode)*                    1@0@1
// coord    ::= int | '_'                          (_,(3,_))
// tiler    ::= int | '_' | layout | tuple         (4:1,_,(2,2))
// swizzle  ::= 'Sw<' B ',' M ',' S '>'
// any      ::= (swizzle 'o' offset 'o')* layout   Sw<2,3,3> o 0 o (8,32):(32,1)
// ```
//
// Law: `x.to_string().parse() == x`. Spaces between tokens are allowed, and `_8` is read as `8`,
// since CuTe prints static integers so.

/// The error for text that is not CuTe's notation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    text: String,
    at: usize,
    message: String,
}

impl ParseError {
    /// Returns the byte of the text where reading stopped.
    pub fn position(&self) -> usize {
        self.at
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not in CuTe's notation: at byte {}, {}",
            self.text, self.at, self.message
        )
    }
}

impl core::error::Error for ParseError {}

type Parsed<T> = Result<T, ParseError>;

/// The deepest nesting that is read. The limit keeps a text from exhausting the stack.
const MAX_DEPTH: usize = 64;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    fn fail<T>(&self, message: impl fmt::Display) -> Parsed<T> {
        Err(ParseError {
            text: self.text.to_string(),
            at: self.at,
            message: message.to_string(),
        })
    }

    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Parsed<()> {
        if self.eat(byte) {
            Ok(())
        } else {
            self.fail(format_args!("`{}` is expected", byte as char))
        }
    }

    fn int<T: FromStr>(&mut self) -> Parsed<T> {
        self.peek();
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut end = start;
        if bytes.get(end) == Some(&b'-') {
            end += 1;
        }
        while bytes.get(end).is_some_and(u8::is_ascii_digit) {
            end += 1;
        }
        let Ok(value) = self.text[start..end].parse() else {
            return self.fail("a number is expected that fits");
        };
        self.at = end;
        Ok(value)
    }

    /// Reads an integer, or CuTe's static `_8`.
    fn extent(&mut self) -> Parsed<i64> {
        self.eat(b'_');
        self.int()
    }

    fn nested<T>(&mut self, leaf: &impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Nested<T>> {
        if !self.eat(b'(') {
            return leaf(self).map(Nested::Leaf);
        }
        self.tuple(|reader| reader.nested(leaf)).map(Nested::Tuple)
    }

    /// Reads the modes of a tuple whose `(` was already read.
    fn tuple<T>(&mut self, mut mode: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("the tuples nest too deep");
        }
        let mut modes = alloc::vec![mode(self)?];
        while self.eat(b',') {
            modes.push(mode(self)?);
        }
        self.expect(b')')?;
        self.depth -= 1;
        Ok(modes)
    }

    fn stride(&mut self) -> Parsed<Stride> {
        let value = self.extent()?;
        let mut path = Vec::new();
        while self.eat(b'@') {
            path.push(self.int::<usize>()?);
        }
        path.reverse();
        Ok(Stride::new(value, &path))
    }

    fn coord(&mut self) -> Parsed<CoordLeaf> {
        if self.eat(b'_') && !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Ok(CoordLeaf::Underscore);
        }
        self.int().map(CoordLeaf::At)
    }

    fn layout(&mut self) -> Parsed<DynLayout> {
        let start = self.at;
        if self.eat(b'(') && self.eat(b')') {
            for byte in b":()" {
                self.expect(*byte)?;
            }
            return Ok(DynLayout::without_modes());
        }
        self.at = start;
        let shape = self.nested(&Self::extent)?;
        self.expect(b':')?;
        let stride = self.nested(&Self::stride)?;
        DynLayout::new(shape, stride).or_else(|error| {
            self.at = start;
            self.fail(error)
        })
    }

    fn tiler(&mut self) -> Parsed<Tiler> {
        let start = self.at;
        if self.eat(b'_') && !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Ok(Tiler::Underscore);
        }
        self.at = start;
        if self.peek() == Some(b'(') {
            self.at += 1;
            let modes = self.tuple(Self::tiler)?;
            if self.peek() != Some(b':') {
                return Ok(Tiler::Tuple(modes));
            }
        } else {
            let extent = self.extent()?;
            if self.peek() != Some(b':') {
                return Ok(Tiler::Int(extent));
            }
        }
        self.at = start;
        self.layout().map(Tiler::Layout)
    }

    fn swizzle(&mut self) -> Parsed<Swizzle> {
        let start = self.at;
        for byte in b"Sw<" {
            self.expect(*byte)?;
        }
        let bits = self.int()?;
        self.expect(b',')?;
        let base = self.int()?;
        self.expect(b',')?;
        let shift = self.int()?;
        self.expect(b'>')?;
        Swizzle::new(bits, base, shift).or_else(|rule| {
            self.at = start;
            self.fail(rule)
        })
    }

    fn any(&mut self) -> Parsed<AnyLayout> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail("too many functions are composed");
        }
        if self.peek() != Some(b'S') {
            return self.layout().map(AnyLayout::Plain);
        }
        let swizzle = self.swizzle()?;
        self.expect(b'o')?;
        let offset = self.extent()?;
        self.expect(b'o')?;
        Ok(AnyLayout::Composed(Composed::new(
            swizzle,
            offset,
            self.any()?,
        )))
    }

    fn whole<T>(text: &'a str, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let mut reader = Self::new(text);
        let out = read(&mut reader)?;
        match reader.peek() {
            None => Ok(out),
            Some(_) => reader.fail("nothing more is expected"),
        }
    }
}

macro_rules! from_str {
    ($($target:ty => $read:expr),* $(,)?) => {$(
        impl FromStr for $target {
            type Err = ParseError;

            fn from_str(text: &str) -> Result<Self, ParseError> {
                Reader::whole(text, $read)
            }
        }
    )*};
}

from_str! {
    IntTuple => |reader| reader.nested(&Reader::extent),
    Nested<Stride> => |reader| reader.nested(&Reader::stride),
    Coord => |reader| reader.nested(&Reader::coord),
    DynLayout => Reader::layout,
    Tiler => Reader::tiler,
    Swizzle => Reader::swizzle,
    AnyLayout => Reader::any,
}
