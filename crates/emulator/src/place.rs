//! The origin of an instruction: its line in the PTX, its line in the source, and the calls that
//! the compiler inlined around it.
//!
//! ```text
//!   at kernels/src/x.rs:41:9                      the innermost place in the kernel's own crate
//!     inlined there: layout-types/src/copy.rs:8:5      the way from there to the instruction
//!     inlined at kernels/src/lib.rs:18:22              the way from the kernel to there
//! ```
//!
//! Law: an instruction has the `.loc` that is in force at its place in the text, and nothing is
//! guessed beyond that. The kernel's own crate is the folder `src` of the file that contains the
//! kernel, or that file's folder. Source: PTX ISA, "Debugging Directives: .loc".

use std::fmt;

use crate::names::demangle;

/// A call that the compiler inlined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Inlined {
    /// The function that was inlined, by the compiler's name; [`demangle`](crate::demangle) makes
    /// it readable.
    pub function: Option<String>,
    /// The file of the call.
    pub file: String,
    /// The line of the call, from 1.
    pub line: u32,
    /// The column of the call, or 0 if it is not known.
    pub column: u32,
}

impl fmt::Display for Inlined {
    /// Writes the call, such as `` `load(float const*)` inlined at kernel.cu:20:7 ``.
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

/// An instruction with its place in the PTX and its origin in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePlace {
    /// The kernel or function that contains the instruction, as the PTX names it.
    pub function: String,
    /// The instruction as written in the PTX.
    pub instruction: String,
    /// The instruction's line in the PTX, from 1.
    pub line: usize,
    /// File and line of the source, if the PTX has them (`.loc`).
    pub source_line: Option<(String, u32)>,
    /// The calls that were inlined around the instruction, the innermost first.
    pub inlined: Vec<Inlined>,
    /// The places of the instruction and of these calls, with columns: the innermost place first,
    /// the kernel's own last.
    pub frames: Vec<Frame>,
}

/// A place of the source that leads to an instruction: the instruction's own place, or that of a
/// call that was inlined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// The file, relative to the workspace if the PTX names it like this.
    pub file: String,
    /// The line, from 1, or 0 if the compiler names none.
    pub line: u32,
    /// The column, or 0 if it is not known.
    pub column: u32,
    /// The inlined function that contains this place, or `None` if no call was inlined or its name
    /// is not known.
    pub function: Option<String>,
    /// Whether the place is in the kernel's own crate.
    pub own: bool,
}

impl fmt::Display for Frame {
    /// Writes the place, such as `kernels/src/x.rs:41:9`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        match self.column {
            0 => Ok(()),
            column => write!(f, ":{column}"),
        }
    }
}

/// Returns the frame that a message names first: the innermost one in the kernel's own crate that
/// has a line, or otherwise the innermost one.
///
/// ```
/// use emulator::{Frame, own_frame};
/// let frame = |file: &str, own| Frame { file: file.into(), line: 7, column: 0, function: None, own };
/// let frames = [frame("layout-types/src/copy.rs", false), frame("kernels/src/x.rs", true), frame("kernels/src/lib.rs", true)];
/// assert_eq!(own_frame(&frames), Some(1));
/// ```
#[must_use]
pub fn own_frame(frames: &[Frame]) -> Option<usize> {
    let own = |frame: &Frame| frame.own && frame.line != 0;
    let any = (!frames.is_empty()).then_some(0);
    frames.iter().position(own).or(any)
}

/// The most lines that are shown from the own line to the instruction.
const WAY: usize = 6;

/// Writes the own line, the frames from there to the instruction, and the calls around it. Each of
/// the frames and calls is on a line of its own, which begins with `indent`.
pub(crate) fn write_frames(f: &mut fmt::Formatter, indent: &str, frames: &[Frame]) -> fmt::Result {
    let Some(own) = own_frame(frames) else {
        return Ok(());
    };
    f.write_str(&frames[own].to_string())?;
    // From the own line inwards; only the ends of a long list are shown.
    let way: Vec<&Frame> = frames[..own].iter().rev().collect();
    let left_out = match way.len() {
        long if long > WAY => WAY - 2..long - 1,
        _ => 0..0,
    };
    for (i, frame) in way.iter().enumerate() {
        if i == left_out.start && !left_out.is_empty() {
            write!(f, "\n{indent}  ... {} more", left_out.len())?;
        }
        if !left_out.contains(&i) {
            write!(f, "\n{indent}  inlined there: {frame}")?;
            if let Some(function) = &frame.function {
                write!(f, " in `{}`", demangle(function))?;
            }
        }
    }
    for (inner, outer) in frames[own..].iter().zip(&frames[own + 1..]) {
        write!(f, "\n{indent}  ")?;
        if let Some(function) = &inner.function {
            write!(f, "`{}` ", demangle(function))?;
        }
        write!(f, "inlined at {outer}")?;
    }
    Ok(())
}
