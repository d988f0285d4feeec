//! Values of expressions in CuTe's notation, and their pictures.

use crate::raise;
use notation::{Laws, Session, Value as Found, describe};
use pictures::{ColourBy, ExpressionError, Format, Options, Theme, draw_expression, render};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// An evaluated expression.
#[pyclass(frozen, module = "cutlet._native")]
pub struct Value {
    text: String,
    value: Found,
}

#[pymethods]
impl Value {
    #[new]
    fn new(py: Python<'_>, text: &str) -> PyResult<Self> {
        let value = Session::new()
            .eval(text)
            .map_err(|error| refused(py, text, &error))?;
        Ok(Self {
            text: text.to_owned(),
            value,
        })
    }

    /// Returns the expression.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value as CuTe prints it.
    #[getter]
    fn value(&self) -> String {
        self.value.to_string()
    }

    /// Returns the kind of the value.
    #[getter]
    fn kind(&self) -> &'static str {
        self.value.kind()
    }

    /// Returns the layout of the value as CuTe prints it, or `None` if the value has no layout.
    #[getter]
    fn layout(&self) -> Option<String> {
        self.value.layout().map(|layout| layout.to_string())
    }

    /// Returns the lines that `cutlet layout` prints.
    fn described(&self) -> Vec<String> {
        describe(&self.value)
    }

    /// Returns the properties of a layout, or `None` if the value is not a layout.
    fn laws<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(laws) = Laws::of_value(&self.value) else {
            return Ok(None);
        };
        let dict = PyDict::new(py);
        dict.set_item("size", laws.size)?;
        // `cosize` is a number. If the strides name modes, it is the box of coordinates instead.
        match laws
            .cosize
            .as_deref()
            .map(|text| (text, text.parse::<i64>()))
        {
            Some((_, Ok(number))) => dict.set_item("cosize", number)?,
            Some((text, Err(_))) => dict.set_item("cosize", text)?,
            None => dict.set_item("cosize", py.None())?,
        }
        dict.set_item("rank", laws.rank)?;
        dict.set_item("depth", laws.depth)?;
        dict.set_item("injective", laws.injective)?;
        dict.set_item("compact", laws.compact)?;
        dict.set_item("contiguous", laws.contiguous)?;
        dict.set_item("vector", laws.vector)?;
        Ok(Some(dict))
    }

    /// Applies the value to a coordinate, or slices it. `arguments` is the text between the
    /// parentheses.
    fn call(&self, py: Python<'_>, arguments: &str) -> PyResult<Self> {
        let mut session = Session::new();
        session.set("value", self.value.clone());
        let text = format!("value({arguments})");
        let value = session
            .eval(&text)
            .map_err(|error| refused(py, &text, &error))?;
        Ok(Self { text, value })
    }

    /// Returns the value as an integer, or `None` if the value is no integer.
    fn integer(&self) -> Option<i64> {
        match self.value {
            Found::Integer(value) => Some(value),
            _ => None,
        }
    }
}

/// Raises the exception for a refused expression, with its place in characters.
fn refused(py: Python<'_>, text: &str, error: &notation::Error) -> PyErr {
    let at = |byte: usize| text.get(..byte).unwrap_or(text).chars().count();
    let span = error.span();
    raise(
        py,
        "NotationError",
        (
            error.message(),
            text,
            at(span.start),
            at(span.end),
            error.help().map(str::to_owned),
        ),
    )
}

/// Draws an expression. Returns the bytes of a file in the format `svg`, `png`, `latex` or `text`.
#[pyfunction]
pub fn draw(
    py: Python<'_>,
    text: &str,
    format: &str,
    theme: &str,
    colour: &str,
    bits: u32,
    access: u32,
) -> PyResult<Vec<u8>> {
    let unknown = |what: &str, found: &str, known: &str| {
        PyValueError::new_err(format!(
            "there is no {what} {found:?}: it is one of {known}"
        ))
    };
    let options = Options {
        theme: match theme {
            "auto" => Theme::Auto,
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            other => return Err(unknown("theme", other, "auto, light, dark")),
        },
        colour: match colour {
            "auto" => ColourBy::Auto,
            "offset" => ColourBy::Offset,
            "bank" => ColourBy::Bank,
            "none" => ColourBy::None,
            other => return Err(unknown("colour", other, "auto, offset, bank, none")),
        },
        element_bits: bits,
        access_bytes: access,
        terminal_colour: false,
        ..Options::default()
    };
    let format = match format {
        "svg" => Format::Svg,
        "png" => Format::Png,
        "latex" => Format::Latex,
        "text" => Format::Terminal,
        other => return Err(unknown("format", other, "svg, png, latex, text")),
    };
    let picture = draw_expression(text, &options).map_err(|error| match error {
        ExpressionError::Expression(error) => refused(py, text, &error),
        ExpressionError::Draw(error) => raise(py, "DrawError", (error.to_string(),)),
    })?;
    render(&picture, format, &options).map_err(|error| raise(py, "DrawError", (error.to_string(),)))
}
