//! Times products with weights of few bits that are cold in the L2 cache.
//!
//! ```text
//!   copies of the weights, together larger than the cache:   launch on copy 0, 1, 2, .., 0, ..       and so cuBLAS on copies in 16 bits
//! ```
//!
//! Law: two launches that follow each other read different copies, so that a launch finds none of
//! its weights in the cache; X is small, and stays there.

use crate::CutletError;
use crate::weights::{
    FormatValue, Weights, WeightsArguments, WeightsLibrary, WeightsOperands, WeightsProblem,
};
use half::bf16;
use host::cublas::{Compute, Cublas, CublasProduct};
use host::reference::fill_bits;
use host::{Buffer, Device, Enqueue, PreparedLaunch, Time, Timing, time_interleaved};
use std::cell::Cell;

/// The bytes of all copies of the weights: several times the cache of any GPU so far.
const COLD: u64 = 300_000_000;
/// The least duration of a sample, in seconds.
const LEAST_SAMPLE: f64 = 300e-6;

/// Launches on one copy after the other.
struct InTurn<L>(Vec<L>, Cell<usize>);

impl<L: Enqueue> InTurn<L> {
    fn new(all: Vec<L>) -> Self {
        Self(all, Cell::new(0))
    }
}

impl<L: Enqueue> Enqueue for InTurn<L> {
    fn enqueue(&self) -> Result<(), host::Error> {
        let at = self.1.get();
        self.1.set((at + 1) % self.0.len());
        self.0[at].enqueue()
    }
    fn device(&self) -> &Device {
        self.0[0].device()
    }
}

/// Returns the number of copies of `bytes` bytes with which each launch finds its copy cold.
fn copies(bytes: u64) -> usize {
    COLD.div_ceil(bytes.max(1)).max(2) as usize
}

/// Random weights, with enough copies that a launch finds its copy cold.
pub struct ColdWeights {
    all: Vec<Weights>,
    /// Copies in bf16 with the same numbers of rows and columns, for cuBLAS.
    dense: Vec<Buffer<bf16>>,
}

impl ColdWeights {
    /// Makes W (n, k) of a format, and with `with_dense` also in bf16, for cuBLAS.
    ///
    /// # Errors
    /// Returns the device's errors, such as too little memory.
    pub fn new(
        device: &Device,
        format: &FormatValue,
        (n, k): (u32, u32),
        with_dense: bool,
    ) -> Result<Self, CutletError> {
        let packed = format.packed;
        let [codes, groups] = [packed.code_bytes(n, k), packed.group_bytes(n, k)];
        let bytes: Vec<u8> = fill_bits(7, codes as usize);
        let all = (0..copies(codes + groups)).map(|_| {
            let mut scales = device.alloc(groups as usize)?;
            scales.fill_bytes(0x3c)?;
            Weights::from_packed(packed, (n, k), device.upload(&bytes)?, scales)
        });
        let all = all.collect::<Result<_, _>>()?;
        let elements = n as usize * k as usize;
        let count = if with_dense {
            copies(2 * elements as u64)
        } else {
            0
        };
        let dense = (0..count).map(|_| {
            let mut copy = device.alloc::<bf16>(elements)?;
            copy.fill_bytes(0x3c)?;
            Ok::<_, CutletError>(copy)
        });
        Ok(Self {
            all,
            dense: dense.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the bytes of codes and scales.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.all[0].bytes()
    }

    /// Times these kernels, followed by cuBLAS, in turn. The problem has no C and no bias. X and D
    /// are bf16 or f16, on which cuBLAS's time does not depend.
    ///
    /// # Errors
    /// Returns the errors of [`WeightsLibrary::choose`], of cuBLAS and of the device.
    pub fn times(
        &self,
        library: &WeightsLibrary,
        problem: &WeightsProblem,
        kernels: &[&str],
        cublas: Option<&Cublas>,
        timing: Timing,
    ) -> Result<Vec<Time>, CutletError> {
        let device = library.modules().device();
        let product = &problem.product;
        let [m, n] = [product.m, product.n].map(|x| x as usize);
        let mut x = device.alloc::<bf16>(m * product.lda as usize)?;
        x.fill_bytes(0x3c)?;
        let outputs = |count: usize| -> Result<Vec<Buffer<bf16>>, CutletError> {
            (0..count).map(|_| Ok(device.alloc(m * n)?)).collect()
        };
        let mut results = Vec::new();
        for _ in kernels {
            results.push(outputs(self.all.len())?);
        }
        let mut of_cublas = outputs(self.dense.len())?;
        let mut ours: Vec<InTurn<PreparedLaunch<WeightsArguments<'_>>>> = Vec::new();
        for (kernel, results) in kernels.iter().zip(&mut results) {
            let choice = library.choose(problem, Some(kernel))?;
            let mut launches = Vec::new();
            for (weights, d) in self.all.iter().zip(results) {
                let operands = WeightsOperands {
                    x: &x,
                    weights,
                    c: None,
                    bias: None,
                    d,
                };
                launches.push(library.prepare(&choice, operands)?);
            }
            ours.push(InTurn::new(launches));
        }
        let mut dense = Vec::new();
        if let Some(cublas) = cublas {
            let of = CublasProduct::new((product.m, product.n, product.k), Compute::F32);
            for (weights, d) in self.dense.iter().zip(&mut of_cublas) {
                dense.push(cublas.prepare(d, &x, weights, of)?);
            }
        }
        let dense = (!dense.is_empty()).then(|| InTurn::new(dense));
        let mut all: Vec<&dyn Enqueue> = ours.iter().map(|one| one as &dyn Enqueue).collect();
        all.extend(dense.iter().map(|one| one as &dyn Enqueue));
        let times = time_interleaved(&all, timing, LEAST_SAMPLE)?;
        Ok(times.into_iter().map(|(time, _)| time).collect())
    }
}
