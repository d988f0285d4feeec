//! An operation with its operands; each operand is read as the type that the operation requires.
//!
//! ```text
//! upcast((8,4):(1,8), 2)      call.layout(0)?   call.positive(1)?
//! ```
//!
//! Law: an operand of the wrong type is an error at that operand, which names the type found.

use std::ops::Range;

use layout_types::dynamic::{AnyLayout, Coord, DynLayout, IntTuple, LayoutError, Swizzle, Tiler};

use super::Function;
use crate::atoms::{CopyAtom, MmaAtom};
use crate::error::{Error, Result};
use crate::fields::tile_error;
use crate::limits::MAX_LEAVES;
use crate::thread_value::ThreadValue;
use crate::tiled::{TileError, TiledCopy, TiledMma};
use crate::value::Value;

/// An operand and its bytes in the text.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub value: Value,
    pub span: Range<usize>,
}

/// An operation with its operands.
pub(crate) struct Call {
    function: &'static Function,
    arguments: Vec<Argument>,
    span: Range<usize>,
}

impl Call {
    pub fn new(function: &'static Function, arguments: Vec<Argument>, span: Range<usize>) -> Self {
        Self {
            function,
            arguments,
            span,
        }
    }

    /// Applies the operation.
    pub fn run(&self) -> Result<Value> {
        let (found, arity) = (self.arguments.len(), &self.function.arity);
        if !arity.contains(&found) {
            let (least, most) = (*arity.start(), *arity.end());
            let wanted = match (least, most) {
                (1, 1) => "1 operand".to_string(),
                _ if least == most => format!("{least} operands"),
                (_, usize::MAX) => format!("at least {least} operands"),
                _ => format!("{least} to {most} operands"),
            };
            return Err(Error::operand(
                format!("`{}` takes {wanted}, not {found}", self.function.name()),
                self.span.clone(),
            )
            .with_help(self.function.signature));
        }
        (self.function.run)(self)
    }

    pub fn into_values(self) -> Vec<Value> {
        self.arguments
            .into_iter()
            .map(|argument| argument.value)
            .collect()
    }

    pub fn len(&self) -> usize {
        self.arguments.len()
    }

    pub fn value(&self, i: usize) -> &Value {
        &self.arguments[i].value
    }

    /// Makes an error at operand `i`.
    pub fn wrong(&self, i: usize, message: impl Into<String>) -> Error {
        Error::operand(message, self.arguments[i].span.clone())
    }

    /// Makes an error at the whole operation.
    pub fn fail(&self, message: impl Into<String>) -> Error {
        Error::operand(message, self.span.clone())
    }

    fn expected<T>(&self, i: usize, what: &str) -> Result<T> {
        Err(self
            .wrong(
                i,
                format!(
                    "{what} is expected here, not {} {}",
                    self.value(i).kind(),
                    short(self.value(i))
                ),
            )
            .with_help(self.function.signature))
    }

    /// Converts the result of an operation of the algebra to a value.
    pub fn done<T: Into<Value>>(&self, result: Result<T, LayoutError>) -> Result<Value> {
        result.map(Into::into).map_err(|error| self.refused(error))
    }

    pub fn refused(&self, error: LayoutError) -> Error {
        Error::refused(error, self.span.clone())
    }

    /// Converts an error of an operation on atoms.
    pub fn tiled<T>(&self, result: Result<T, TileError>) -> Result<T> {
        result.map_err(|error| tile_error(error, &self.span))
    }

    pub fn layout(&self, i: usize) -> Result<AnyLayout> {
        match self.value(i).layout() {
            Some(layout) => Ok(layout),
            None => self.expected(i, "a layout"),
        }
    }

    pub fn plain(&self, i: usize) -> Result<DynLayout> {
        match self.layout(i)? {
            AnyLayout::Plain(layout) => Ok(layout),
            AnyLayout::Composed(_) => Err(self.wrong(
                i,
                format!(
                    "`{}` takes no layout behind a swizzle",
                    self.function.name()
                ),
            )),
        }
    }

    pub fn tiler(&self, i: usize) -> Result<Tiler> {
        match self.value(i).tiler() {
            Some(tiler) => Ok(tiler),
            None => self.expected(i, "a tiler: a layout, a number, `_` or a tuple of these"),
        }
    }

    pub fn tuple(&self, i: usize) -> Result<IntTuple> {
        match self.value(i) {
            Value::Layout(AnyLayout::Plain(layout)) => Ok(layout.shape().clone()),
            other => match other.int_tuple() {
                Some(tuple) => Ok(tuple),
                None => self.expected(i, "a number or a tuple of numbers"),
            },
        }
    }

    /// Reads a tuple of extents, each at least 1.
    pub fn shape(&self, i: usize) -> Result<IntTuple> {
        let shape = self.tuple(i)?;
        let leaves = shape.leaves();
        if leaves.is_empty() {
            return Err(self.wrong(i, "a shape has at least one extent"));
        }
        match leaves.into_iter().find(|extent| **extent < 1) {
            Some(extent) => Err(self.wrong(i, format!("an extent is at least 1, not {extent}"))),
            None => Ok(shape),
        }
    }

    pub fn coord(&self, i: usize) -> Result<Coord> {
        match self.value(i).coord() {
            Some(coord) => Ok(coord),
            None => self.expected(i, "a coordinate: a number, `_` or a tuple of these"),
        }
    }

    pub fn integer(&self, i: usize) -> Result<i64> {
        match self.value(i) {
            Value::Integer(value) => Ok(*value),
            _ => self.expected(i, "a number"),
        }
    }

    pub fn positive(&self, i: usize) -> Result<i64> {
        match self.integer(i)? {
            value if value < 1 => Err(self.wrong(i, format!("at least 1 is needed, not {value}"))),
            value => Ok(value),
        }
    }

    /// Reads the index of a mode, or a number of modes.
    pub fn index(&self, i: usize) -> Result<usize> {
        let value = self.integer(i)?;
        match usize::try_from(value) {
            Ok(index) if index <= MAX_LEAVES => Ok(index),
            _ => Err(self.wrong(i, format!("there is no mode {value}"))),
        }
    }

    /// Reads the bits of an element, given as an element type or as a number.
    pub fn bits(&self, i: usize) -> Result<u32> {
        match self.value(i) {
            Value::Element(element) => Ok(element.bits()),
            Value::Integer(bits @ 1..=1024) => Ok(*bits as u32),
            Value::Integer(bits) => Err(self.wrong(i, format!("no element has {bits} bits"))),
            _ => self.expected(i, "an element type or its bits"),
        }
    }

    pub fn swizzle(&self, i: usize) -> Option<Swizzle> {
        match self.value(i) {
            Value::Swizzle(swizzle) => Some(*swizzle),
            _ => None,
        }
    }

    pub fn mma_atom(&self, i: usize) -> Result<MmaAtom> {
        match self.value(i) {
            Value::MmaAtom(atom) => Ok(atom.clone()),
            _ => self.expected(i, "an MMA atom"),
        }
    }

    pub fn tiled_mma(&self, i: usize) -> Result<&TiledMma> {
        match self.value(i) {
            Value::TiledMma(mma) => Ok(mma),
            _ => self.expected(i, "a tiled MMA"),
        }
    }

    pub fn tiled_copy(&self, i: usize) -> Result<&TiledCopy> {
        match self.value(i) {
            Value::TiledCopy(copy) => Ok(copy),
            _ => self.expected(i, "a tiled copy"),
        }
    }

    pub fn thread_value(&self, i: usize) -> Result<&ThreadValue> {
        match self.value(i) {
            Value::ThreadValue(tv) => Ok(tv),
            _ => self.expected(i, "a thread-value layout"),
        }
    }

    /// Reads a copy atom at operand 0, or a copy operation at operand 0 and an element type at
    /// operand 1. Returns the atom and the index of the next operand.
    pub fn copy_atom(&self) -> Result<(CopyAtom, usize)> {
        match (self.value(0), (self.len() > 1).then(|| self.value(1))) {
            (Value::CopyAtom(atom), _) => Ok((atom.clone(), 1)),
            (Value::CopyOperation(operation), Some(Value::Element(element))) => {
                let atom = CopyAtom::new(operation.clone(), *element);
                Ok((self.tiled(atom)?, 2))
            }
            (Value::CopyOperation(_), Some(_)) => self.expected(1, "the type of the elements"),
            _ => self.expected(0, "a copy atom, or a copy operation and an element type"),
        }
    }

    /// Returns an error if there are more than `most` operands.
    pub fn at_most(&self, most: usize) -> Result<()> {
        if self.len() <= most {
            return Ok(());
        }
        Err(self
            .wrong(
                most,
                format!("`{}` takes no operand here", self.function.name()),
            )
            .with_help(self.function.signature))
    }

    /// Returns an error if operand `i` is missing.
    pub fn need(&self, i: usize) -> Result<()> {
        if i < self.len() {
            return Ok(());
        }
        Err(self
            .fail(format!("`{}` needs another operand", self.function.name()))
            .with_help(self.function.signature))
    }

    pub fn name(&self) -> &'static str {
        self.function.name()
    }
}

/// Formats a value for a message.
fn short(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((cut, _)) => format!("{}...", &text[..cut]),
        None => text,
    }
}
