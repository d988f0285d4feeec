//! A GEMM as the host states it, and the launch that a configuration makes of it: plain numbers.
//!
//! ```text
//!   Gemm { m, n, k, majors, .. }  ─┐
//!   Configuration (of the table)  ─┼─ plan ─►  Plan { contract: grid, block, shared memory, buffers; parameters; workspace }
//!   Schedule                      ─┘
//! ```
//!
//! Law: a plan that is not refused is a launch that computes [`Gemm`], to the bit the same on every run: the order of every
//! sum follows from the configuration, the schedule and the extents alone.

use super::abi::{Parameters, flags};
use crate::contract::{Buffer, Contract, MOST_EXTENT, Refused};

/// The type of A's and B's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputType {
    /// IEEE binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// f32, multiplied as TF32: rounded to 10 bits of fraction, to nearest, ties away from zero.
    Tf32,
    /// Signed bytes.
    S8,
}
impl InputType {
    /// Bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::Tf32 => 4,
            Self::S8 => 1,
        }
    }
}

/// The type of the sums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SumType {
    /// f32, of all inputs but bytes.
    F32,
    /// binary16, of binary16.
    F16,
    /// 32-bit integers, of bytes. They wrap.
    S32,
}

/// The type of D's and C's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputType {
    /// The inputs' type: rounded to nearest even; bytes clamped to -128..=127.
    Same,
    /// f32.
    F32,
    /// The 32-bit integer sums as they are, without an epilogue. Of bytes only.
    S32,
}
impl OutputType {
    /// Bytes of an element, the inputs being `input`.
    #[must_use]
    pub const fn bytes(self, input: InputType) -> u32 {
        match self {
            Self::Same => input.bytes(),
            Self::F32 | Self::S32 => 4,
        }
    }
}

/// Along which extent an operand's elements lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Major {
    /// Along k: A is row-major, B column-major.
    K,
    /// Along m or n: A is column-major, B row-major.
    Mn,
}

/// The majors of A and B, by BLAS's letters as CuTe uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Majors {
    /// A (m, k) row-major, B (k, n) column-major: both along k.
    Tn,
    /// A column-major, B column-major.
    Nn,
    /// A row-major, B row-major.
    Tt,
    /// A column-major, B row-major.
    Nt,
}
impl Majors {
    /// A's.
    #[must_use]
    pub const fn a(self) -> Major {
        match self {
            Self::Tn | Self::Tt => Major::K,
            Self::Nn | Self::Nt => Major::Mn,
        }
    }
    /// B's.
    #[must_use]
    pub const fn b(self) -> Major {
        match self {
            Self::Tn | Self::Nn => Major::K,
            Self::Tt | Self::Nt => Major::Mn,
        }
    }
}

/// What is applied last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// Nothing.
    #[default]
    None,
    /// `max(x, 0)`.
    Relu,
    /// `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`.
    Gelu,
}

/// What happens to a sum on its way to D: `act(alpha sum + beta C + bias)`, in f32, rounded once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epilogue {
    /// What the product is multiplied by.
    pub alpha: f32,
    /// What C is multiplied by. With 0, C is not read.
    pub beta: f32,
    /// Whether a bias, n f32 numbers, is added to every row.
    pub bias: bool,
    /// What is applied last.
    pub activation: Activation,
}
impl Epilogue {
    /// D is the product.
    pub const NONE: Self = Self {
        alpha: 1.0,
        beta: 0.0,
        bias: false,
        activation: Activation::None,
    };
}
impl Default for Epilogue {
    fn default() -> Self {
        Self::NONE
    }
}

/// `D = act(alpha A B + beta C + bias)`, of every batch.
///
/// Leading dimensions and batch strides count elements; see [`Parameters`] for what they are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// Rows of A and D.
    pub m: u32,
    /// Columns of B and D.
    pub n: u32,
    /// Columns of A, rows of B.
    pub k: u32,
    /// How many products.
    pub batches: u32,
    /// The type of A and B.
    pub input: InputType,
    /// The type of the sums.
    pub sums: SumType,
    /// The type of C and D.
    pub output: OutputType,
    /// How A and B lie in memory.
    pub majors: Majors,
    /// A's leading dimension: at least k, or m where A is column-major.
    pub lda: u64,
    /// B's leading dimension: at least k, or n where B is row-major.
    pub ldb: u64,
    /// C's leading dimension, at least n.
    pub ldc: u64,
    /// D's leading dimension, at least n.
    pub ldd: u64,
    /// From batch to batch of A, B, C and D.
    pub batch_strides: [u64; 4],
    /// A power of two that the addresses of A and B are multiples of, in bytes; more than 16 is as good as 16.
    pub addresses: u32,
    /// The same of D, C and the bias; at least the bytes of D's element. The bias is a multiple of 4 in any case.
    pub outputs: u32,
    /// What happens to a sum.
    pub epilogue: Epilogue,
}

impl Gemm {
    /// One product of matrices without gaps, nothing but rounded.
    #[must_use]
    pub const fn new(m: u32, n: u32, k: u32, input: InputType, output: OutputType) -> Self {
        Self {
            m,
            n,
            k,
            batches: 1,
            input,
            sums: match input {
                InputType::S8 => SumType::S32,
                _ => SumType::F32,
            },
            output,
            majors: Majors::Tn,
            lda: k as u64,
            ldb: k as u64,
            ldc: n as u64,
            ldd: n as u64,
            batch_strides: [0; 4],
            addresses: 16,
            outputs: 16,
            epilogue: Epilogue::NONE,
        }
    }

    /// The same with A and B in other orders, without gaps.
    #[must_use]
    pub const fn with_majors(mut self, majors: Majors) -> Self {
        self.majors = majors;
        self.lda = match majors.a() {
            Major::K => self.k as u64,
            Major::Mn => self.m as u64,
        };
        self.ldb = match majors.b() {
            Major::K => self.k as u64,
            Major::Mn => self.n as u64,
        };
        self
    }

    /// The same for so many batches, one behind the other.
    #[must_use]
    pub const fn with_batches(mut self, batches: u32) -> Self {
        let [m, n, k] = [self.m as u64, self.n as u64, self.k as u64];
        self.batches = batches;
        self.batch_strides = [
            match self.majors.a() {
                Major::K => m * self.lda,
                Major::Mn => k * self.lda,
            },
            match self.majors.b() {
                Major::K => n * self.ldb,
                Major::Mn => k * self.ldb,
            },
            m * self.ldc,
            m * self.ldd,
        ];
        self
    }

    /// The largest power of two, up to 16, that every row of A and B that is loaded begins at a multiple of, in bytes, and
    /// that divides its length. A configuration's `load_bytes` must be no more than it.
    #[must_use]
    pub const fn alignment(&self) -> u32 {
        let along_a = match self.majors.a() {
            Major::K => self.k,
            Major::Mn => self.m,
        };
        let along_b = match self.majors.b() {
            Major::K => self.k,
            Major::Mn => self.n,
        };
        let all = along_a as u64
            | along_b as u64
            | self.lda
            | self.ldb
            | self.batch_strides[0]
            | self.batch_strides[1];
        aligned((all * self.input.bytes() as u64) | self.addresses as u64)
    }
}

/// The largest power of two up to 16 that divides `bytes`.
const fn aligned(bytes: u64) -> u32 {
    let power = (bytes | 16).trailing_zeros();
    1 << if power > 4 { 4 } else { power }
}

/// How the work is shared out among blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schedule {
    /// A tile a block.
    Tiles,
    /// A tile's k is shared by so many blocks, at least 2.
    SplitK(u32),
    /// So many blocks share all tiles' steps of k evenly. Best as many as run at once.
    StreamK(u32),
    /// Each of so many blocks computes every so manieth tile, and stores it while it multiplies the next: of persistent
    /// configurations. Best as many as run at once.
    Persistent(u32),
}

/// A kernel of the table: what it computes, and what a launch of it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The kernel's name in the PTX.
    pub kernel: &'static str,
    /// The type of A and B.
    pub input: InputType,
    /// The type of the sums.
    pub sums: SumType,
    /// How A and B lie in memory.
    pub majors: Majors,
    /// The extents of a block's tile along m, n and a step of k.
    pub tile: [u32; 3],
    /// Warps along m and n.
    pub warps: [u32; 2],
    /// Stages of shared memory.
    pub stages: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// Bytes of a load of A and B: [`Gemm::alignment`] must be at least that.
    pub load_bytes: u32,
    /// Bytes of workspace for a part of a tile.
    pub part_bytes: u32,
    /// Whether its blocks can stay for several tiles: it takes [`Schedule::Tiles`] and [`Schedule::Persistent`], others all
    /// but the latter.
    pub persistent: bool,
    /// The compute capability that it needs: 80, 90.
    pub arch: u32,
}

/// A launch of a configuration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The kernel, its grid, block and shared memory, and its buffers: D, A, B, C, bias, workspace, arguments 0 to 5, of which
    /// those with no elements are not touched. Elements are D's, A's, B's, C's, f32 and bytes.
    pub contract: Contract<6>,
    /// Argument 6.
    pub parameters: Parameters,
    /// So many bytes at the workspace's start are zero before the first launch, and are zero again after each.
    pub zeroed_bytes: u64,
}

/// The most tiles of a batch, and the most steps of all its tiles.
const MOST_TILES: u64 = (1 << 31) - 1;
/// The most batches: blocks in a grid's z direction.
const MOST_BATCHES: u32 = 65_535;

impl Configuration {
    /// The same kernel for other majors: of kernels that learn them from their parameters.
    #[cfg(any(
        feature = "gemm-f16",
        feature = "gemm-bf16",
        feature = "gemm-tf32",
        feature = "gemm-s8"
    ))]
    #[must_use]
    pub(super) const fn of(mut self, majors: Majors) -> Self {
        self.majors = majors;
        self
    }

    /// The launch of this kernel that computes `gemm`.
    ///
    /// # Errors
    /// [`Refused::Unfit`] where the kernel computes something else: other types, other majors, rows or a D that are not
    /// aligned enough; [`Refused::Empty`], [`Refused::TooLarge`] for an extent; [`Refused::Overlapping`] for a leading dimension below
    /// the rows' length.
    ///
    /// ```
    /// use gpu_kernels::gemm::{CONFIGURATIONS, Gemm, InputType, OutputType, Schedule, SumType};
    /// let mut gemm = Gemm::new(1000, 520, 264, InputType::F16, OutputType::Same);
    /// gemm.sums = SumType::F16;
    /// let fits = |c: &&gpu_kernels::gemm::Configuration| c.plan(&gemm, Schedule::Tiles).is_ok();
    /// let plan = CONFIGURATIONS.iter().find(fits).unwrap().plan(&gemm, Schedule::Tiles)?;
    /// assert_eq!(plan.contract.buffers[0].elements, 1000 * 520);
    /// assert_eq!((plan.parameters.parts, plan.zeroed_bytes), (1, 0)); // no workspace for whole tiles
    /// # Ok::<(), gpu_kernels::contract::Refused>(())
    /// ```
    pub fn plan(&self, gemm: &Gemm, schedule: Schedule) -> Result<Plan, Refused> {
        self.fits(gemm)?;
        let shared_out = match schedule {
            Schedule::Tiles | Schedule::SplitK(0 | 1) => true,
            Schedule::SplitK(_) | Schedule::StreamK(_) => !self.persistent,
            Schedule::Persistent(_) => self.persistent,
        };
        if !shared_out {
            return Err(Refused::Unfit {
                kernel: self.kernel,
                what: "the schedule",
            });
        }
        let &Gemm { m, n, k, .. } = gemm;
        let tiles = u64::from(m.div_ceil(self.tile[0])) * u64::from(n.div_ceil(self.tile[1]));
        let steps = u64::from(k.div_ceil(self.tile[2]));
        within("tiles", tiles, MOST_TILES)?;
        let (blocks, parts, slots) = match schedule {
            Schedule::Tiles | Schedule::SplitK(0 | 1) => (tiles, 1, 0),
            Schedule::SplitK(parts) => {
                // A part has at least a step.
                let parts = u64::from(parts).min(steps);
                let slots = if parts > 1 { tiles * parts } else { 0 };
                (tiles * parts, parts as u32, slots)
            }
            Schedule::StreamK(blocks) => {
                let blocks = u64::from(blocks).clamp(1, tiles * steps);
                (blocks, 0, 2 * blocks)
            }
            Schedule::Persistent(blocks) => (u64::from(blocks).clamp(1, tiles), 1, 0),
        };
        within("blocks", blocks, MOST_TILES)?;
        if parts != 1 {
            within("steps", tiles * steps, MOST_TILES)?;
        }
        let batches = u64::from(gemm.batches);
        // The counters of all tiles, and then the parts.
        let zeroed_bytes = if slots == 0 {
            0
        } else {
            (4 * tiles * batches).next_multiple_of(256)
        };
        let workspace = zeroed_bytes + slots * batches * u64::from(self.part_bytes);
        Ok(Plan {
            contract: Contract {
                kernel: self.kernel,
                grid: [blocks as u32, 1, gemm.batches],
                block: [self.threads, 1, 1],
                shared_bytes: self.shared_bytes as usize,
                buffers: self.buffers(gemm, workspace),
            },
            parameters: Parameters {
                m,
                n,
                k,
                parts,
                lda: gemm.lda,
                ldb: gemm.ldb,
                ldc: gemm.ldc,
                ldd: gemm.ldd,
                batch_a: gemm.batch_strides[0],
                batch_b: gemm.batch_strides[1],
                batch_c: gemm.batch_strides[2],
                batch_d: gemm.batch_strides[3],
                alpha: gemm.epilogue.alpha,
                beta: gemm.epilogue.beta,
                epilogue: epilogue_flags(gemm) | majors_flags(gemm.majors),
                group: 8,
            },
            zeroed_bytes,
        })
    }

    fn fits(&self, gemm: &Gemm) -> Result<(), Refused> {
        let unfit = |what| {
            Err(Refused::Unfit {
                kernel: self.kernel,
                what,
            })
        };
        if self.input != gemm.input {
            return unfit("the type of A and B");
        }
        if self.sums != gemm.sums {
            return unfit("the type of the sums");
        }
        if self.majors != gemm.majors {
            return unfit("the order of A and B");
        }
        match (gemm.output, gemm.input) {
            (OutputType::S32, InputType::S8) if gemm.epilogue != Epilogue::NONE => {
                return unfit("an epilogue on integers");
            }
            (OutputType::S32, InputType::S8) | (OutputType::Same | OutputType::F32, _) => {}
            (OutputType::S32, _) => return unfit("integers of floats"),
        }
        for (extent, given) in [("M", gemm.m), ("N", gemm.n), ("K", gemm.k)] {
            crate::contract::extent(extent, given, MOST_EXTENT)?;
        }
        crate::contract::extent("batches", gemm.batches, MOST_BATCHES)?;
        if gemm.alignment() < self.load_bytes {
            return unfit("the alignment of rows of A or B");
        }
        if aligned(u64::from(gemm.outputs)) < gemm.output.bytes(gemm.input) {
            return unfit("the alignment of D's address");
        }
        let (along_a, along_b) = (
            match gemm.majors.a() {
                Major::K => gemm.k,
                Major::Mn => gemm.m,
            },
            match gemm.majors.b() {
                Major::K => gemm.k,
                Major::Mn => gemm.n,
            },
        );
        for (name, given, least) in [
            ("lda", gemm.lda, along_a),
            ("ldb", gemm.ldb, along_b),
            ("ldc", gemm.ldc, gemm.n),
            ("ldd", gemm.ldd, gemm.n),
        ] {
            if given < u64::from(least) {
                return Err(Refused::Overlapping {
                    stride: name,
                    given,
                    least: u64::from(least),
                });
            }
            within(name, given, MOST_STRIDE)?;
        }
        if gemm.batches > 1 && gemm.batch_strides[3] < u64::from(gemm.n) {
            return Err(Refused::Overlapping {
                stride: "batch stride of D",
                given: gemm.batch_strides[3],
                least: u64::from(gemm.n),
            });
        }
        for (name, given) in [
            "batch stride of A",
            "batch stride of B",
            "batch stride of C",
            "batch stride of D",
        ]
        .into_iter()
        .zip(gemm.batch_strides)
        {
            within(name, given, MOST_BATCH_STRIDE)?;
        }
        Ok(())
    }

    fn buffers(&self, gemm: &Gemm, workspace: u64) -> [Buffer; 6] {
        let span = |rows: u32, columns: u32, ld: u64, batch: u64| {
            u64::from(gemm.batches - 1) * batch + u64::from(rows - 1) * ld + u64::from(columns)
        };
        let &Gemm {
            m,
            n,
            k,
            batch_strides: [of_a, of_b, of_c, of_d],
            ..
        } = gemm;
        let a = match gemm.majors.a() {
            Major::K => span(m, k, gemm.lda, of_a),
            Major::Mn => span(k, m, gemm.lda, of_a),
        };
        let b = match gemm.majors.b() {
            Major::K => span(n, k, gemm.ldb, of_b),
            Major::Mn => span(k, n, gemm.ldb, of_b),
        };
        let set = epilogue_flags(gemm);
        let when = |flag: u32, elements: u64| if set & flag == 0 { 0 } else { elements };
        let out = if set & flags::VECTORS == 0 {
            gemm.output.bytes(gemm.input) as usize
        } else {
            16
        };
        let input = self.load_bytes as usize;
        let buffer = |argument, name, elements, alignment, written| Buffer {
            argument,
            name,
            elements,
            alignment,
            written,
        };
        [
            buffer(0, "D", span(m, n, gemm.ldd, of_d), out, true),
            buffer(1, "A", a, input, false),
            buffer(2, "B", b, input, false),
            buffer(
                3,
                "C",
                when(flags::C, span(m, n, gemm.ldc, of_c)),
                out,
                false,
            ),
            buffer(
                4,
                "bias",
                when(flags::BIAS, u64::from(n)),
                out.max(4),
                false,
            ),
            buffer(5, "workspace", workspace, 256, true),
        ]
    }
}

/// The largest leading dimension, as of extents.
const MOST_STRIDE: u64 = 1 << 31;
/// The largest batch stride.
const MOST_BATCH_STRIDE: u64 = 1 << 44;

fn within(what: &'static str, given: u64, most: u64) -> Result<(), Refused> {
    if given <= most {
        return Ok(());
    }
    Err(Refused::Beyond { what, given, most })
}

/// The bits of [`Parameters::epilogue`] that say where A and B lie along m and n.
const fn majors_flags(majors: Majors) -> u32 {
    let a = match majors.a() {
        Major::K => 0,
        Major::Mn => flags::A_MN,
    };
    let b = match majors.b() {
        Major::K => 0,
        Major::Mn => flags::B_MN,
    };
    a | b
}

/// [`Parameters::epilogue`] of a GEMM.
fn epilogue_flags(gemm: &Gemm) -> u32 {
    let Epilogue {
        alpha,
        beta,
        bias,
        activation,
    } = gemm.epilogue;
    let mut set = match gemm.output {
        OutputType::Same if gemm.input.bytes() == 4 => flags::WIDE,
        OutputType::Same => 0,
        OutputType::F32 => flags::WIDE,
        OutputType::S32 => flags::INTEGER,
    };
    if beta != 0.0 {
        set |= flags::C;
    }
    if bias {
        set |= flags::BIAS;
    }
    set |= match activation {
        Activation::None => 0,
        Activation::Relu => flags::RELU,
        Activation::Gelu => flags::GELU,
    };
    // Bytes are scaled in f32 and clamped, so that they always take the general path.
    let clamped = gemm.input == InputType::S8 && gemm.output != OutputType::S32;
    if alpha != 1.0 || set & (flags::C | flags::BIAS | flags::RELU | flags::GELU) != 0 || clamped {
        set |= flags::GENERAL;
    }
    let of_c = if beta != 0.0 {
        gemm.ldc | gemm.batch_strides[2]
    } else {
        0
    };
    let bytes = u64::from(gemm.output.bytes(gemm.input));
    let rows = (u64::from(gemm.n) | gemm.ldd | gemm.batch_strides[3] | of_c) * bytes;
    if aligned(rows | u64::from(gemm.outputs)) == 16 {
        set |= flags::VECTORS;
    }
    set
}
