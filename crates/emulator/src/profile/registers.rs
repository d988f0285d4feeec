//! Estimates the number of registers of a kernel from its PTX, before `ptxas` compiles it.
//!
//! ```text
//!  lives of the PTX's registers ─► live ──┐
//!  .maxnreg, .maxntid, setmaxnreg ─► most ┴─► expected, spills
//! ```
//!
//! Law: `live`, `most` and `at_start` follow from the text; `expected` is an estimate. `ptxas`
//! reorders the instructions of a block: it takes more registers than are live in the order of the
//! text, so that more loads are in flight, or it takes fewer. For 127 kernels (Cutlet's for sm_80,
//! compiled for sm_80 and sm_90, and those for sm_90a without `setmaxnreg`) `ptxas` 13.0 takes 0.76
//! to 1.20 times `expected` in eight of ten cases, and 0.59 to 1.30 times in all; for 79 kernels
//! with `setmaxnreg` it takes `at_start`. Of 14 kernels that `.maxnreg` limits to 1.1 times `live`,
//! two spill, at most 84 bytes per thread; limited to `live`, ten spill, at most 136 bytes; limited
//! to 0.8 times `live`, 13 spill, up to 1,032 bytes.

use std::fmt;

use crate::ir::{Function, Image, Kernel, registers};

/// The registers that `ptxas` takes in addition to those that are live: an eighth more, and this
/// number.
const BESIDE: u32 = 6;

/// The registers that a kernel needs, from its PTX alone.
///
/// ```
/// use emulator::Program;
/// let ptx = ".version 7.0 .target sm_80 .address_size 64
///     .visible .entry k(.param .u64 p) .maxntid 1024 {
///       .reg .b64 %a<3>; .reg .b32 %r<2>;
///       ld.param.u64 %a1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %a2, %r1, 4; add.s64 %a2, %a1, %a2;
///       st.global.u32 [%a2], %r1; ret; }";
/// let registers = Program::parse(ptx)?.registers("k").unwrap();
/// assert_eq!(
///     registers.to_string(),
///     "about 9 registers of at most 64: 3 are live behind line 4 of the PTX"
/// );
/// # Ok::<(), emulator::PtxError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveRegisters {
    /// The largest number of 32-bit words of registers of a thread that are live at the same time.
    /// Values that are the same in all threads of a warp are not counted: the GPU has uniform
    /// registers for them.
    pub live: u32,
    /// The line of the PTX after which this number of words is live.
    pub line: u32,
    /// The most registers that a thread can have, by the kernel's directives or by its
    /// `setmaxnreg`.
    pub most: u32,
    /// The registers of each thread at the start, for a kernel that moves registers between warps
    /// by `setmaxnreg`: the directives state them.
    pub at_start: Option<u32>,
}

impl LiveRegisters {
    pub(crate) fn of(image: &Image, kernel: &str) -> Option<Self> {
        let mut kernels = image.kernels.iter();
        let (_, kernel) = kernels.find(|(signature, _)| signature.name == kernel)?;
        let (mut reached, mut next) = (vec![kernel.function], 0);
        let (mut live, mut line, mut set) = (0, 0, None);
        while let Some(&number) = reached.get(next) {
            next += 1;
            let function = &image.functions[number as usize];
            if function.pressure.words > live {
                live = function.pressure.words;
                let place = function.places.get(function.pressure.pc as usize);
                line = place.map_or(0, |place| place.line);
            }
            set = set.max(most_set(function));
            for &called in &function.calls {
                if !reached.contains(&called) {
                    reached.push(called);
                }
            }
        }
        let at_start = set.map(|_| registers(kernel)).filter(|&each| each > 0);
        Some(Self {
            live,
            line,
            most: at_start.and(set).unwrap_or_else(|| most(kernel)),
            at_start,
        })
    }

    /// Returns the registers per thread that `ptxas` is expected to take for the launch. This is an
    /// estimate, except for kernels with `setmaxnreg`.
    #[must_use]
    pub fn expected(&self) -> u32 {
        let estimate = self.live + self.live / 8 + BESIDE;
        self.at_start.unwrap_or(estimate.min(self.most))
    }

    /// Whether more registers are live than a thread can have: then `ptxas` needs an order in which
    /// fewer are live, and otherwise spills.
    #[must_use]
    pub fn may_spill(&self) -> bool {
        self.live > self.most
    }
}

impl fmt::Display for LiveRegisters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at_start {
            Some(each) => write!(
                f,
                "{each} registers, and at most {} by setmaxnreg",
                self.most
            )?,
            None => write!(
                f,
                "about {} registers of at most {}",
                self.expected(),
                self.most
            )?,
        }
        write!(
            f,
            ": {} are live behind line {} of the PTX",
            self.live, self.line
        )?;
        if self.may_spill() {
            write!(f, ", {} of them may be spilled", self.live - self.most)?;
        }
        Ok(())
    }
}

/// Returns the most registers that a `setmaxnreg` of a function requests, or `None` if the function
/// has no `setmaxnreg`.
fn most_set(function: &Function) -> Option<u32> {
    let set = function
        .places
        .iter()
        .filter(|place| place.opcode.starts_with("setmaxnreg"));
    let number = |text: &str| text.trim_end_matches(';').rsplit(' ').next()?.parse().ok();
    set.filter_map(|place| number(&place.text)).max()
}

/// Returns the most registers of a thread by the kernel's directives: the registers of a
/// multiprocessor divided among the threads of a block, or of `.minnctapersm` blocks, and at most
/// `.maxnreg` or, without it, 255.
fn most(kernel: &Kernel) -> u32 {
    /// The number of registers of a multiprocessor. `FOUR_WARPS` is the number of threads of four
    /// warps, the unit of allocation, and `STEP` the step in which registers are allocated.
    const ALL: u32 = 65_536;
    const FOUR_WARPS: u32 = 128;
    const STEP: u32 = 8;
    let threads = kernel.required_threads.or(kernel.max_threads);
    let threads = threads.map_or(1, |of| of.iter().product::<u32>());
    let blocks = kernel.min_blocks.unwrap_or(1).max(1);
    let warps = threads.div_ceil(32).saturating_mul(blocks);
    let given = warps.div_ceil(4).max(1).saturating_mul(FOUR_WARPS);
    let each = ALL / given / STEP * STEP;
    each.min(kernel.max_registers.unwrap_or(255)).clamp(1, 255)
}
