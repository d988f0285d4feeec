//! The fault of a kernel: its kind and its place.
//!
//! ```text
//! kernel, instruction text, PTX line, source line   from the instruction
//! block, thread                                     from the lane
//! address, allocation                               from the access
//! ```
//!
//! Law: if a launch has several faults, the one of the lowest block is reported, so that a faulty
//! kernel gives the same fault in every run.

mod access;
mod element;
mod kind;
mod slot;
mod trap;

use std::fmt;

pub use access::{Access, Earlier, Later, Reached, Space};
pub use element::TensorShape;
pub use kind::FaultKind;
pub(crate) use kind::meant;
pub use slot::{Completion, Slot};
pub(crate) use trap::{Outcome, Trap};

use crate::counted::counted;
use crate::excerpt::shown;
use crate::names::demangle;
use crate::place::{CodePlace, Frame, Inlined, own_frame, write_frames};

/// The fault by which an instruction stopped a kernel.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct Fault {
    /// The kernel that was launched.
    pub kernel: String,
    /// The function in which it happened: the kernel, or a function that the kernel calls.
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
    /// The file of the PTX, if the PTX names it.
    pub ptx: Option<String>,
    /// Whether the PTX lacks source lines, which `cuda_builder` would add with
    /// `debug(DebugInfo::LineTables)`.
    pub lacks_lines: bool,
    /// For a race, or a copy that is not waited for: the other thread's access, if it is known.
    pub earlier: Option<Box<CodePlace>>,
    /// The block.
    pub block: [u32; 3],
    /// The thread in the block, or `None` if the whole warp or block is at fault.
    pub thread: Option<[u32; 3]>,
    /// The warp in the block, or `None` if the whole block is at fault.
    pub warp: Option<u32>,
    /// The lanes that executed the instruction together, or 0 if the fault is not that of one
    /// instruction.
    pub lanes: u32,
    /// The address of the access, as in the instruction.
    pub address: Option<u64>,
    /// For global memory: the allocation that contains or contained the address, or the nearest
    /// one.
    pub buffer: Option<Buffer>,
    /// The reason of a rule of `Config::accept` that names this place, although no kernel can
    /// continue after such a finding.
    pub not_accepted: Option<String>,
    /// The kind of the fault.
    pub what: FaultKind,
}

impl Fault {
    /// Describes the element that is accessed, if the host has described the buffer's tensor.
    #[must_use]
    pub fn element(&self) -> Option<String> {
        let buffer = self.buffer.as_ref()?;
        let offset = self.address?.checked_sub(buffer.base)?;
        let strayed = matches!(
            self.what,
            FaultKind::GlobalRace { .. }
                | FaultKind::ThreadRace { .. }
                | FaultKind::OutOfBounds { .. }
                | FaultKind::Unmapped { .. }
        );
        buffer.tensor.as_ref()?.named(offset, strayed)
    }

    /// Describes what happened, and to which element.
    pub(crate) fn sentence(&self) -> String {
        match self.element() {
            Some(element) => format!("{}, {element}", self.what),
            None => self.what.to_string(),
        }
    }

    /// Returns the line that an author should look at first: the innermost line in the kernel's own
    /// crate, or otherwise the instruction's own line.
    #[must_use]
    pub fn own_line(&self) -> Option<&Frame> {
        Some(&self.frames[own_frame(&self.frames)?])
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.sentence())?;
        if !self.frames.is_empty() {
            f.write_str("\n  at ")?;
            write_frames(f, "  ", &self.frames)?;
        }
        write!(f, "\n  in kernel `{}`", demangle(&self.kernel))?;
        if self.function != self.kernel {
            write!(f, ", function `{}`", demangle(&self.function))?;
        }
        write!(f, ", PTX line {}: {}", self.line, shown(&self.instruction))?;
        if let Some(earlier) = &self.earlier {
            let which = match self.what {
                FaultKind::Uninitialised { .. } => "later",
                _ => "earlier",
            };
            write!(f, "\n  the {which} access: ")?;
            if earlier.function != self.function {
                write!(f, "function `{}`, ", demangle(&earlier.function))?;
            }
            if !earlier.frames.is_empty() {
                write_frames(f, "    ", &earlier.frames)?;
                f.write_str("\n    ")?;
            }
            write!(
                f,
                "PTX line {}: {}",
                earlier.line,
                shown(&earlier.instruction)
            )?;
        }
        if let Some(path) = &self.ptx {
            write!(f, "\n  the PTX is {path}")?;
        }
        if self.lacks_lines {
            f.write_str(
                "\n  the PTX has no lines of the source: `.debug(DebugInfo::LineTables)` of CudaBuilder adds them",
            )?;
        }
        let [x, y, z] = self.block;
        write!(f, "\n  block ({x},{y},{z})")?;
        if let Some([x, y, z]) = self.thread {
            write!(f, ", thread ({x},{y},{z})")?;
        }
        if let Some(address) = self.address {
            write!(f, ", address {address:#x}")?;
        }
        if let Some(warp) = self.warp {
            write!(f, "\n  warp {warp}")?;
            if self.lanes != 0 {
                write!(f, ", lanes {:#010x}", self.lanes)?;
            }
        }
        if let Some(buffer) = &self.buffer {
            write!(f, "\n  {buffer}")?;
        }
        if let Some(reason) = &self.not_accepted {
            write!(
                f,
                "\n  an acceptance names this place ({reason}), but the kernel cannot go on from such a finding"
            )?;
        }
        Ok(())
    }
}

/// An allocation of global memory, as a fault names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// The address of the first byte.
    pub base: u64,
    /// The number of bytes.
    pub size: usize,
    /// Whether it was freed.
    pub freed: bool,
    /// The name of the module's variable, or of the kernel's parameters that hold the allocation's
    /// address.
    pub name: Option<String>,
    /// The tensor in the allocation, if the host has described one.
    pub tensor: Option<TensorShape>,
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let freed = if self.freed { "freed " } else { "" };
        let size = counted(self.size, "byte");
        write!(f, "{freed}buffer {:#x} of {size}", self.base)?;
        match &self.name {
            Some(name) => write!(f, ", {name}"),
            None => Ok(()),
        }
    }
}
