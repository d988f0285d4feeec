//! Where an instruction comes from: its line in the PTX, the source's, and the calls that the compiler inlined around it.
//!
//! ```text
//! PTX line 40: ld.global.f32 %f1, [%rd4];
//!   from helper.h:5                        the innermost place
//!     `load(float const*)` inlined at kernel.cu:20:7     what was inlined there, up to the kernel's own line
//! ```
//!
//! Law: an instruction has the `.loc` that is in force where it stands, and nothing is guessed beyond that.
//! Source: PTX ISA, "Debugging Directives: .loc".

use std::borrow::Cow;
use std::fmt;

use crate::ir::Image;
use crate::names::demangle;

/// A call that the compiler inlined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inlined {
    /// The function that was inlined, by the compiler's name; [`demangle`](crate::demangle) makes it readable.
    pub function: Option<String>,
    /// The file of the call.
    pub file: String,
    /// The line of the call, from 1.
    pub line: u32,
    /// Its column, 0 where it is not known.
    pub column: u32,
}

impl fmt::Display for Inlined {
    /// `` `load(float const*)` inlined at kernel.cu:20:7 ``
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(function) = &self.function {
            write!(f, "`{}` ", demangle(function))?;
        }
        write!(f, "inlined at {}:{}", self.file, self.line)?;
        match self.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}

/// An instruction, where it stands and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The kernel or function that it is in, as the PTX names it.
    pub function: String,
    /// The instruction as it stands in the PTX.
    pub instruction: String,
    /// Its line in the PTX, from 1.
    pub line: usize,
    /// File and line of the source, where the PTX has them (`.loc`).
    pub source_line: Option<(String, u32)>,
    /// The calls that were inlined around it, the innermost first.
    pub inlined: Vec<Inlined>,
}

/// Writes the source's line and the inlined calls, each on a line of its own that begins with `indent`.
pub(crate) fn write_source(
    f: &mut fmt::Formatter,
    indent: &str,
    source_line: Option<&(String, u32)>,
    inlined: &[Inlined],
) -> fmt::Result {
    if let Some((file, line)) = source_line {
        write!(f, "\n{indent}from {file}:{line}")?;
    }
    for call in inlined {
        write!(f, "\n{indent}  {call}")?;
    }
    Ok(())
}

impl Image {
    fn file(&self, number: u32) -> Option<&str> {
        let (_, name) = self.files.iter().find(|(known, _)| *known == number)?;
        Some(name)
    }

    /// The file's name and the line of a location.
    pub fn source_line(&self, location: u32) -> Option<(String, u32)> {
        let location = self.locations.get(location as usize)?;
        Some((self.file(location.file)?.to_owned(), location.line))
    }

    /// The calls that were inlined around a location, the innermost first.
    pub fn inlined(&self, location: u32) -> Vec<Inlined> {
        let mut calls = Vec::new();
        let mut inner = self.locations.get(location as usize);
        while let Some(location) = inner {
            // A location is inlined at an earlier one, so that there is an end to it.
            let outer = location
                .inlined_at
                .and_then(|outer| self.locations.get(outer as usize));
            if let Some(outer) = outer {
                let file = self.file(outer.file).map_or(Cow::from("?"), Cow::from);
                calls.push(Inlined {
                    function: location.function.clone(),
                    file: file.into_owned(),
                    line: outer.line,
                    column: outer.column,
                });
            }
            inner = outer;
        }
        calls
    }
}
