//! Parameters, buffers, structures and variables of a launch file.
//!
//! ```text
//!   { type = "f32", length = "n", fill = .. }          a buffer, and its address as the parameter
//!   { type = "pointer", buffer = "x", offset = 16 }    an address in a buffer
//!   { type = "tensor_map", buffer = "x", .. }          a tensor map of a buffer, 128 bytes aligned to 64
//!   { type = "struct", fields = [..] }                 members one after the other, each aligned as in C
//! ```
//!
//! Law: a member without `at` begins at the next multiple of its alignment; a structure is as long
//! as its members, rounded up to the largest of these, or as `size` says.

use super::decode::{Decoded, Decoder, Value, hex, known, list_of_tables, real, wrong};
use super::element::ScalarType;
use super::error::LaunchFileErrorKind as Kind;
use super::expression::Expression;
use super::tensor_map;
use super::{FileArgument, FileBuffer, FileParameter, Scalar, Variable};
use toml::de::DeTable;

/// The largest number of bytes of a kernel's parameters (PTX ISA, "Kernel Function Parameters").
const MOST_BYTES: i128 = 32_764;
/// The largest depth of structures within structures.
const DEPTH: usize = 16;

const TYPES: &str = "bytes, pointer, tensor_map or struct";

/// A buffer before it is read: pointers and tensor maps may refer to buffers that come later.
pub(super) struct Declared {
    pub(super) name: Option<String>,
    pub(super) element: Option<ScalarType>,
}

impl Declared {
    pub(super) fn new(table: &DeTable) -> Self {
        let text = |key: &str| table.get(key).and_then(|value| value.get_ref().as_str());
        Self {
            name: text("name").map(str::to_owned),
            element: text("type").and_then(ScalarType::named),
        }
    }
}

impl Decoder<'_> {
    /// Reads a list of parameters, and adds their buffers to the file's.
    pub(super) fn parameters(&mut self, value: &Value) -> Decoded<Vec<FileParameter>> {
        let list = list_of_tables(value, "parameters")?;
        let numbered = list.into_iter().enumerate();
        numbered
            .map(|(index, (table, here))| self.parameter(table, here, index))
            .collect()
    }

    fn parameter(&mut self, table: &DeTable, here: usize, index: usize) -> Decoded<FileParameter> {
        let name = match table.get("name") {
            None => format!("parameter {index}"),
            Some(value) => string(value, "name", "a string")?.to_owned(),
        };
        if table.contains_key("at") {
            // Only members of structures have places: parameters come one after the other.
            let keys = [&["value", "fields", "size"], &tensor_map::KEYS[..]].concat();
            known(table, &keys)?;
        }
        let is_value = table.contains_key("value") || !table.contains_key("length");
        if is_value {
            let (argument, _) = self.argument(table, here, 0)?;
            if table.contains_key("length") {
                let both = "one of `value` (a scalar) and `length` (a buffer)";
                return Err((here, Kind::Missing(both)));
            }
            return Ok(FileParameter { name, argument });
        }
        let mut buffer = self.buffer(table, here, index)?;
        buffer.name.clone_from(&name);
        let argument = FileArgument::Pointer {
            buffer: self.buffers.len(),
            offset: Expression::number(here, 0),
        };
        self.buffers.push(buffer);
        Ok(FileParameter { name, argument })
    }

    /// Reads a buffer, in `[[buffers]]` or as a parameter.
    pub(super) fn buffer(&self, table: &DeTable, here: usize, index: usize) -> Decoded<FileBuffer> {
        let keys = ["name", "type", "length", "fill", "output"];
        let element = element(table, here, "")?;
        known(table, &keys)?;
        let required = |key: &'static str| table.get(key).ok_or((here, Kind::Missing(key)));
        let name = match table.get("name") {
            None => format!("buffer {index}"),
            Some(value) => string(value, "name", "a string")?.to_owned(),
        };
        Ok(FileBuffer {
            name,
            element,
            length: self.expression(required("length")?, "length")?,
            fill: self.fill(required("fill")?, index)?,
            output: table
                .get("output")
                .map(|value| self.output(value))
                .transpose()?,
        })
    }

    /// Reads a variable of the module.
    pub(super) fn variable(&self, table: &DeTable, here: usize, index: usize) -> Decoded<Variable> {
        known(
            table,
            &["name", "type", "offset", "length", "fill", "output"],
        )?;
        let name = table.get("name").ok_or((here, Kind::Missing("name")))?;
        let found = Variable {
            name: string(name, "name", "a variable's name")?.to_owned(),
            at: name.span().start,
            element: element(table, here, "")?,
            offset: self.offset(table, here)?,
            length: table
                .get("length")
                .map(|value| self.expression(value, "length"))
                .transpose()?,
            fill: table
                .get("fill")
                .map(|value| self.fill(value, index))
                .transpose()?,
            output: table
                .get("output")
                .map(|value| self.output(value))
                .transpose()?,
        };
        if found.fill.is_none() && found.output.is_none() {
            return Err((here, Kind::Missing("one of `fill` and `output`")));
        }
        Ok(found)
    }

    /// Reads `offset`, in bytes, or returns 0 if the table has none.
    pub(super) fn offset(&self, table: &DeTable, here: usize) -> Decoded<Expression> {
        match table.get("offset") {
            Some(value) => self.expression(value, "offset"),
            None => Ok(Expression::number(here, 0)),
        }
    }

    /// Reads a value, and returns it with the alignment that C gives it.
    fn argument(
        &self,
        table: &DeTable,
        here: usize,
        depth: usize,
    ) -> Decoded<(FileArgument, usize)> {
        let required = |key: &'static str| table.get(key).ok_or((here, Kind::Missing(key)));
        let ty = required("type")?;
        match ty.get_ref().as_str().unwrap_or("") {
            "bytes" => {
                known(table, &["name", "type", "value", "at"])?;
                let value = required("value")?;
                let bytes = value.get_ref().as_str().and_then(hex);
                let expected = "bytes as pairs of hexadecimal digits";
                let bytes = bytes.ok_or_else(|| wrong(value, "value", expected))?;
                Ok((FileArgument::Bytes(bytes), 1))
            }
            "pointer" => {
                known(table, &["name", "type", "buffer", "offset", "at"])?;
                let buffer = self.buffer_named(required("buffer")?)?;
                let offset = self.offset(table, here)?;
                Ok((FileArgument::Pointer { buffer, offset }, 8))
            }
            "tensor_map" => {
                let map = self.tensor_map(table, here)?;
                Ok((
                    FileArgument::TensorMap(Box::new(map)),
                    tensor_map::ALIGNMENT,
                ))
            }
            "struct" => {
                known(table, &["name", "type", "fields", "size", "at"])?;
                let fields = required("fields")?;
                if depth == DEPTH {
                    let expected = format!("at most {DEPTH} structures within each other");
                    return Err(wrong(fields, "fields", &expected));
                }
                self.structure(table, fields, depth + 1)
            }
            _ => {
                let element = element(table, here, TYPES)?;
                let neither = "one of `value` (a scalar) and `length` (a buffer)";
                let value = table.get("value").ok_or((here, Kind::Missing(neither)))?;
                if !table.contains_key("length") {
                    known(table, &["name", "type", "value", "at"])?;
                }
                Ok((
                    FileArgument::Scalar(element, self.scalar(value, element)?),
                    element.size(),
                ))
            }
        }
    }

    fn structure(
        &self,
        table: &DeTable,
        value: &Value,
        depth: usize,
    ) -> Decoded<(FileArgument, usize)> {
        let (mut fields, mut end, mut most) = (Vec::new(), 0, 1);
        for (field, here) in list_of_tables(value, "fields")? {
            let (argument, alignment) = self.argument(field, here, depth)?;
            let at = match field.get("at") {
                None => usize::next_multiple_of(end, alignment),
                Some(value) => bytes(value, "at", end)?,
            };
            end = at + argument.size();
            most = most.max(alignment);
            fields.push((at, argument));
        }
        let size = match table.get("size") {
            None => end.next_multiple_of(most),
            Some(value) => bytes(value, "size", end)?,
        };
        Ok((FileArgument::Struct { fields, size }, most))
    }

    /// Returns the index of the buffer with that name, which only one buffer of the file may have.
    pub(super) fn buffer_named(&self, value: &Value) -> Decoded<usize> {
        let known = || -> String {
            let names = self.declared.iter().filter_map(|one| one.name.as_deref());
            let names: Vec<&str> = names.collect();
            format!("the name of one buffer; there are {}", names.join(", "))
        };
        let name = value.get_ref().as_str();
        let mut found = (0..self.declared.len())
            .filter(|&index| name.is_some() && self.declared[index].name.as_deref() == name);
        match (found.next(), found.next()) {
            (Some(index), None) => Ok(index),
            _ => Err(wrong(value, "buffer", &known())),
        }
    }

    fn scalar(&self, value: &Value, element: ScalarType) -> Decoded<Scalar> {
        if element.is_float()
            && let Some(number) = real(value)
        {
            return Ok(Scalar::Real(number));
        }
        if value.get_ref().is_float() {
            return Err(wrong(value, "value", "an integer or an expression"));
        }
        Ok(Scalar::Integer(self.expression(value, "value")?))
    }
}

impl FileArgument {
    /// Returns the number of bytes of the parameter or member.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::Scalar(element, _) => element.size(),
            Self::Bytes(bytes) => bytes.len(),
            Self::Pointer { .. } => 8,
            Self::TensorMap(_) => tensor_map::BYTES,
            Self::Struct { size, .. } => *size,
        }
    }
}

fn string<'v>(value: &'v Value, key: &str, expected: &str) -> Decoded<&'v str> {
    let found = value.get_ref().as_str();
    found.ok_or_else(|| wrong(value, key, expected))
}

/// Reads the type of a table's elements. `also` names other types that are allowed, for the
/// message.
fn element(table: &DeTable, here: usize, also: &str) -> Decoded<ScalarType> {
    let ty = table.get("type").ok_or((here, Kind::Missing("type")))?;
    let name = ty.get_ref().as_str().unwrap_or("");
    ScalarType::named(name).ok_or_else(|| {
        let names = ScalarType::names();
        let expected = match also {
            "" => format!("one of {names}"),
            also => format!("one of {names}, {also}"),
        };
        wrong(ty, "type", &expected)
    })
}

/// Reads a number of bytes, which is at least `least`.
fn bytes(value: &Value, key: &str, least: usize) -> Decoded<usize> {
    let found = super::decode::integer(value);
    found
        .filter(|number| (least as i128..=MOST_BYTES).contains(number))
        .map(|number| number as usize)
        .ok_or_else(|| {
            let expected =
                format!("bytes from {least}, where the members before end, to {MOST_BYTES}");
            wrong(value, key, &expected)
        })
}
