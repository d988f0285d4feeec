//! From a problem with scale factors to a launch.
//!
//! ```text
//!   ScaledProblem ─ k in bytes ─► GemmProblem ─ Configuration::plan ─► grid, parameters, maps of A, B, D
//!                 └─ blocks of 512 bytes ────────────────────────────► maps of the scale factors of A and of B
//! ```
//!
//! Law: the kernel sees bytes of A and B where another kernel of the collective sees elements. So
//! its parameters and the maps of A, B and D are those of a product with as many elements as there
//! are bytes. The maps of scale factors have three dimensions: the words of a block, the blocks
//! along k, and the blocks along the rows. Blocks that do not exist read as zero.

use super::products::{BLOCK_BYTES, BLOCK_FACTORS, BLOCK_ROWS};
use kernel_abi::gemm::{
    Configuration, Epilogue, GemmArgument, GemmParams, GemmProblem, MapBuffer, MapElement,
    OutputType, Schedule, TensorMapPlan, scaled_arguments,
};
use kernel_abi::{KernelArguments, LaunchSpec, ProblemError};

/// The types of A and B and of their scale factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaledFormat {
    /// OCP's MXFP8: e4m3, with a ue8m0 for each 32 elements along k.
    Mxfp8,
    /// NVIDIA's NVFP4: e2m1, two to a byte, with a ue4m3 for each 16 elements along k.
    Nvfp4,
}

impl ScaledFormat {
    /// Returns the number of elements along k that share a scale factor.
    #[must_use]
    pub const fn vector_size(self) -> u32 {
        match self {
            Self::Mxfp8 => 32,
            Self::Nvfp4 => 16,
        }
    }

    /// Returns the number of elements in a byte.
    #[must_use]
    pub const fn elements_of_byte(self) -> u32 {
        match self {
            Self::Mxfp8 => 1,
            Self::Nvfp4 => 2,
        }
    }

    /// Returns the numbers of blocks of scale factors along k and along the rows, for an operand of
    /// `rows` rows.
    ///
    /// ```
    /// use gpu_kernels_sm100::gemm::scaled::plan::ScaledFormat;
    /// assert_eq!(ScaledFormat::Mxfp8.blocks(300, 160), [2, 3]);
    /// assert_eq!(ScaledFormat::Nvfp4.blocks(128, 64), [1, 1]);
    /// ```
    #[must_use]
    pub const fn blocks(self, rows: u32, k: u32) -> [u32; 2] {
        [
            k.div_ceil(BLOCK_FACTORS * self.vector_size()),
            rows.div_ceil(BLOCK_ROWS),
        ]
    }

    /// Returns the number of bytes that the scale factors of an operand of `rows` rows have.
    #[must_use]
    pub const fn scale_bytes(self, rows: u32, k: u32) -> u64 {
        let [along_k, along_rows] = self.blocks(rows, k);
        along_k as u64 * along_rows as u64 * BLOCK_BYTES as u64
    }

    /// Returns the offset, in bytes, of a row's scale factor for element `k` of `extent` along k.
    /// The layout is that of cuBLAS and CUTLASS.
    ///
    /// ```
    /// use gpu_kernels_sm100::gemm::scaled::plan::ScaledFormat;
    /// // Row 33 is in the second column of 32 rows; elements 32 .. 64 have the second factor.
    /// assert_eq!(ScaledFormat::Mxfp8.scale_place(33, 32, 128), 16 + 4 + 1);
    /// // The next four factors are in the next block, and rows 128 .. after all blocks of a row.
    /// assert_eq!(ScaledFormat::Mxfp8.scale_place(0, 128, 256), 512);
    /// assert_eq!(ScaledFormat::Mxfp8.scale_place(128, 0, 256), 1024);
    /// ```
    #[must_use]
    pub const fn scale_place(self, row: u32, k: u32, extent: u32) -> u64 {
        let [along_k, _] = self.blocks(1, extent);
        let factor = k / self.vector_size();
        let (block, row_of_block) = (row / BLOCK_ROWS, row % BLOCK_ROWS);
        let first = block as u64 * along_k as u64 + (factor / BLOCK_FACTORS) as u64;
        let within = 16 * (row_of_block % 32) + 4 * (row_of_block / 32) + factor % BLOCK_FACTORS;
        first * BLOCK_BYTES as u64 + within as u64
    }
}

/// A product of operands with scale factors. Extents and leading dimensions are in elements.
///
/// Scale factors for rows and for k beyond the operand's extents fill up the blocks. Those for k
/// multiply zeros, and so have to be numbers, and not NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledProblem {
    /// Rows of A and D.
    pub m: u32,
    /// Rows of B, columns of D.
    pub n: u32,
    /// Columns of A and B: a multiple of the elements that share a scale factor.
    pub k: u32,
    /// A's leading dimension: whole vectors of 16 bytes.
    pub lda: u64,
    /// B's leading dimension: whole vectors of 16 bytes.
    pub ldb: u64,
    /// C's leading dimension.
    pub ldc: u64,
    /// D's leading dimension.
    pub ldd: u64,
    /// Whether C and D are f32, and not the configuration's 16-bit type.
    pub wide: bool,
    /// The epilogue; its `alpha` takes the scale of a whole tensor, which NVFP4 has as well.
    pub epilogue: Epilogue,
}

impl ScaledProblem {
    /// Returns the product of packed matrices whose rows of A and B are filled up to 16 bytes, with
    /// a D of 16-bit elements and no epilogue operation.
    #[must_use]
    pub const fn new(m: u32, n: u32, k: u32) -> Self {
        let ld = (k as u64).next_multiple_of(32);
        Self {
            m,
            n,
            k,
            lda: ld,
            ldb: ld,
            ldc: n as u64,
            ldd: n as u64,
            wide: false,
            epilogue: Epilogue::NONE,
        }
    }
}

/// A kernel with scale factors from the host's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledConfiguration {
    /// The types of A and B.
    pub format: ScaledFormat,
    /// The kernel as one whose elements of A and B are bytes, and whose `input` is D's 16-bit type.
    pub bytes: Configuration,
    /// The number of blocks of scale factors along k in a k tile.
    pub blocks_k: u32,
}

/// The operand that a tensor map of a launch describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaledOperand {
    /// A.
    A,
    /// B.
    B,
    /// D.
    D,
    /// The scale factors of A.
    ScalesA,
    /// The scale factors of B.
    ScalesB,
}

/// The type of a tensor map's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScaledElement {
    /// A byte.
    Byte,
    /// binary16.
    F16,
    /// bfloat16.
    Bf16,
    /// A word of 32 bits.
    Word,
}

impl ScaledElement {
    /// Returns the number of bytes of an element.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        match self {
            Self::Byte => 1,
            Self::F16 | Self::Bf16 => 2,
            Self::Word => 4,
        }
    }
}

/// A tensor map of a launch, in plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScaledMap {
    /// The operand that the map is of; the map begins at the operand's first byte.
    pub operand: ScaledOperand,
    /// The type of its elements.
    pub element: ScaledElement,
    /// The number of elements along each dimension, the contiguous one first.
    pub extents: [u64; 3],
    /// The number of bytes between neighbours along the second and the third dimension.
    pub strides: [u64; 2],
    /// The number of elements of a box along each dimension.
    pub box_extents: [u32; 3],
    /// Whether a box lies in shared memory in the 128-byte swizzle.
    pub swizzled: bool,
}

/// A launch of a kernel with scale factors. [`ARGUMENTS`](Self::ARGUMENTS) lists the kernel's
/// arguments; the number of batches is 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledPlan {
    /// The kernel, its grid, CTA and shared memory, and its buffers: D, A, B, C, bias, workspace.
    /// The kernel does not access a buffer of no elements.
    pub launch: LaunchSpec<6>,
    /// The parameters of the kernel; their `k` counts bytes.
    pub params: GemmParams,
    /// The maps of A, B, D, and of the scale factors of A and of B.
    pub maps: [ScaledMap; 5],
}

impl ScaledPlan {
    /// The arguments of the launch, by name, in their order.
    pub const ARGUMENTS: KernelArguments<GemmArgument> = scaled_arguments();
}

/// The number of words of a block of scale factors.
const BLOCK_WORDS: u32 = BLOCK_BYTES / 4;

impl ScaledConfiguration {
    /// Returns the kernel's name in the PTX.
    #[must_use]
    pub const fn kernel(&self) -> &'static str {
        self.bytes.kernel
    }

    /// Returns the extents of a CTA's tile along m, n and k, in elements.
    #[must_use]
    pub const fn tile(&self) -> [u32; 3] {
        let [m, n, k] = self.bytes.tile;
        [m, n, k * self.format.elements_of_byte()]
    }

    /// Returns the launch of this kernel that computes `problem`, with one CTA for each tile or, by
    /// [`Schedule::Persistent`], with fewer.
    ///
    /// # Errors
    /// [`ProblemError::Mismatch`] for a `k` that ends within the elements of a scale factor, for
    /// rows of A or B that are not whole vectors of 16 bytes, and for other schedules; and the
    /// errors of [`GemmProblem::check`].
    ///
    /// ```
    /// use gpu_kernels_sm100::gemm::scaled::{CONFIGURATIONS, plan::*};
    /// use kernel_abi::gemm::Schedule;
    /// let kernel = CONFIGURATIONS.iter().find(|of| of.format == ScaledFormat::Nvfp4).unwrap();
    /// let plan = kernel.plan(&ScaledProblem::new(300, 200, 656), Schedule::Persistent(4))?;
    /// assert_eq!((plan.launch.grid, plan.params.k), ([4, 1, 1], 328));
    /// // Blocks of 64 elements: 11 along k, of 3 times 128 rows.
    /// assert_eq!(plan.maps[3].extents, [128, 11, 3]);
    /// # Ok::<(), kernel_abi::ProblemError>(())
    /// ```
    pub fn plan(
        &self,
        problem: &ScaledProblem,
        schedule: Schedule,
    ) -> Result<ScaledPlan, ProblemError> {
        let mismatch = |what| {
            Err(ProblemError::Mismatch {
                kernel: self.bytes.name,
                what,
            })
        };
        let &ScaledProblem { m, n, k, .. } = problem;
        if !k.is_multiple_of(self.format.vector_size()) {
            return mismatch("K, a multiple of the elements of a scale factor,");
        }
        let packed = u64::from(self.format.elements_of_byte());
        if !(problem.lda | problem.ldb).is_multiple_of(16 * packed) {
            return mismatch("the alignment of rows of A or B");
        }
        if !matches!(schedule, Schedule::Tiles | Schedule::Persistent(_)) {
            return mismatch("the schedule");
        }
        let in_bytes = self.in_bytes(problem);
        let plan = self.bytes.plan(&in_bytes, schedule)?;
        let Some(maps) = plan.tensor_maps else {
            return mismatch("the kernel");
        };
        let mut launch = plan.launch;
        for operand in [1, 2] {
            launch.buffers[operand].element_bytes = Some(1);
        }
        let [a, b, d] = maps.map(|map| self.map(&map));
        let tile = self.bytes.tile;
        Ok(ScaledPlan {
            launch,
            params: plan.params,
            maps: [
                a,
                b,
                d,
                self.scales(ScaledOperand::ScalesA, m, k, tile[0]),
                self.scales(ScaledOperand::ScalesB, n, k, tile[1]),
            ],
        })
    }

    /// Returns the product of bytes of A and B whose plan is the kernel's.
    fn in_bytes(&self, problem: &ScaledProblem) -> GemmProblem {
        let packed = self.format.elements_of_byte();
        let output = if problem.wide {
            OutputType::F32
        } else {
            OutputType::Same
        };
        let &ScaledProblem { m, n, k, .. } = problem;
        GemmProblem {
            lda: problem.lda / u64::from(packed),
            ldb: problem.ldb / u64::from(packed),
            ldc: problem.ldc,
            ldd: problem.ldd,
            epilogue: problem.epilogue,
            ..GemmProblem::new(m, n, k / packed, self.bytes.input, output)
        }
    }

    /// Returns the map of A, B or D for a map of the plan in bytes.
    fn map(&self, map: &TensorMapPlan) -> ScaledMap {
        let (operand, element) = match (map.buffer, map.element) {
            (MapBuffer::A, _) => (ScaledOperand::A, ScaledElement::Byte),
            (MapBuffer::B, _) => (ScaledOperand::B, ScaledElement::Byte),
            (_, MapElement::Word) => (ScaledOperand::D, ScaledElement::Word),
            _ if self.bytes.input == kernel_abi::gemm::InputType::F16 => {
                (ScaledOperand::D, ScaledElement::F16)
            }
            _ => (ScaledOperand::D, ScaledElement::Bf16),
        };
        ScaledMap {
            operand,
            element,
            extents: map.extents,
            strides: map
                .strides
                .map(|stride| stride * u64::from(element.bytes())),
            box_extents: map.box_extents,
            swizzled: map.swizzled,
        }
    }

    /// Returns the map of the scale factors of an operand that has `rows` rows, `tile` of them in a
    /// tile.
    fn scales(&self, operand: ScaledOperand, rows: u32, k: u32, tile: u32) -> ScaledMap {
        let [along_k, along_rows] = self.format.blocks(rows, k);
        let block = u64::from(BLOCK_BYTES);
        ScaledMap {
            operand,
            element: ScaledElement::Word,
            extents: [BLOCK_WORDS.into(), along_k.into(), along_rows.into()],
            strides: [block, block * u64::from(along_k)],
            box_extents: [BLOCK_WORDS, self.blocks_k, tile / BLOCK_ROWS],
            swizzled: false,
        }
    }
}
