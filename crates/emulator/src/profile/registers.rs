//! How many registers a kernel takes, by its PTX: before `ptxas` has seen it.
//!
//! ```text
//!  lives of the PTX's registers ─► live ──┐
//!  .maxnreg, .maxntid, setmaxnreg ─► most ┴─► expected, spills
//! ```
//!
//! Law: `live` and `most` follow from the text, and so does `at_start`; `expected` is an estimate.
//! `ptxas` orders the instructions of a block by itself: it takes more registers than are live in
//! the order of the text, so that more loads are under way, or fewer. Of 127 kernels (Cutlet's for
//! sm_80, compiled for sm_80 and sm_90, and those for sm_90a without `setmaxnreg`) `ptxas` 13.0
//! takes 0.76 to 1.20 of `expected` in eight of ten, and 0.59 to 1.30 in all; of 79 with
//! `setmaxnreg` what `at_start` says. Of 14 kernels, given 1.1 of `live` by `.maxnreg`, two spill,
//! at most 84 bytes of a thread; given `live` ten do, at most 136; given 0.8 of it 13, up to 1,032.

use std::fmt;

use crate::ir::{Function, Image, Kernel, registers};

/// Registers that `ptxas` takes beside those that are live: an eighth more, and these.
const BESIDE: u32 = 6;

/// What a kernel needs of registers, by its PTX alone.
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
    /// 32-bit words of registers of a thread that are live at once, at most. What is the same in
    /// all threads of a warp is not counted: the GPU has registers of warps for it.
    pub live: u32,
    /// The line of the PTX behind which so many are.
    pub line: u32,
    /// The most registers that a thread can have: by the kernel's directives, or by its
    /// `setmaxnreg`.
    pub most: u32,
    /// Registers of each thread at the start of a kernel that moves them between warps by
    /// `setmaxnreg`: the directives say them.
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

    /// The registers of a thread that `ptxas` may be expected to take for the launch: an estimate,
    /// but for kernels with `setmaxnreg`.
    #[must_use]
    pub fn expected(&self) -> u32 {
        let estimate = self.live + self.live / 8 + BESIDE;
        self.at_start.unwrap_or(estimate.min(self.most))
    }

    /// Whether more registers are live than a thread can have: `ptxas` needs an order in which
    /// fewer are, and spills those for which it finds none.
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

/// The most registers that a `setmaxnreg` of a function asks for, if it has one.
fn most_set(function: &Function) -> Option<u32> {
    let set = function
        .places
        .iter()
        .filter(|place| place.opcode.starts_with("setmaxnreg"));
    let number = |text: &str| text.trim_end_matches(';').rsplit(' ').next()?.parse().ok();
    set.filter_map(|place| number(&place.text)).max()
}

/// The most registers of a thread by the kernel's directives: what a multiprocessor has for a
/// block, or for `.minnctapersm` blocks, and at most 255.
fn most(kernel: &Kernel) -> u32 {
    /// Registers of a multiprocessor, threads of four warps, to which they are given, and the step.
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
