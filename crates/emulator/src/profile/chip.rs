//! Named chips: the resources of a multiprocessor, and the published peaks.
//!
//! Sources: the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability" and
//! "Shared Memory" of each architecture, for what a multiprocessor holds; NVIDIA's data sheets and
//! architecture white papers of the A100 (80 GB SXM), GeForce RTX 3090 (GA102), GeForce RTX 4090
//! (AD102), H200 (SXM) and B200 (HGX, per GPU) for the peaks: dense, without sparsity, at boost
//! clock, sums in `.f32`. The peaks are published, not measured.

use super::Unit;

/// A chip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chip {
    /// The chip's name on the market.
    pub name: &'static str,
    /// The chip's target, such as `sm_90`.
    pub target: &'static str,
    /// The chip's compute capability.
    pub compute_capability: (u32, u32),
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The most warps that a multiprocessor holds.
    pub warps: u32,
    /// The most blocks that a multiprocessor holds.
    pub blocks: u32,
    /// The number of 32-bit registers of a multiprocessor.
    pub registers: u32,
    /// The bytes of shared memory of a multiprocessor.
    pub shared: u32,
    /// The most bytes of shared memory that a block can have.
    pub shared_per_block: u32,
    /// The memory bandwidth in bytes per second.
    pub bandwidth: f64,
    /// The published peaks, by execution unit.
    pub peaks: &'static [Peak],
}

/// A published peak.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Peak {
    /// The execution unit.
    pub unit: Unit,
    /// Operations per second; an `fma` counts as two.
    pub per_second: f64,
}

impl Chip {
    /// Returns the chip of a target, such as `sm_90`, `sm_90a` or `90`.
    ///
    /// ```
    /// use emulator::profile::Chip;
    /// assert_eq!(Chip::of("sm_90").unwrap().name, "H200 SXM");
    /// assert_eq!(Chip::of("sm_70"), None);
    /// ```
    pub fn of(target: &str) -> Option<&'static Chip> {
        let number = target
            .trim_start_matches("sm_")
            .trim_end_matches(['a', 'f']);
        CHIPS.iter().find(|chip| chip.target[3..] == *number)
    }

    /// Returns the peak of a unit, or `None` if none is published.
    pub fn peak(&self, unit: Unit) -> Option<f64> {
        let peak = self.peaks.iter().find(|peak| peak.unit == unit);
        peak.map(|peak| peak.per_second)
    }
}

const fn peak(unit: Unit, tera: f64) -> Peak {
    Peak {
        unit,
        per_second: tera * 1e12,
    }
}

/// The chips that are known.
pub const CHIPS: &[Chip] = &[
    Chip {
        name: "A100 80GB SXM",
        target: "sm_80",
        compute_capability: (8, 0),
        multiprocessors: 108,
        warps: 64,
        blocks: 32,
        registers: 65536,
        shared: 164 << 10,
        shared_per_block: 163 << 10,
        bandwidth: 2.039e12,
        peaks: &[
            peak(Unit::F32, 19.5),
            peak(Unit::F64, 9.7),
            peak(Unit::F16, 78.0),
            peak(Unit::Bf16, 39.0),
            peak(Unit::TensorF16, 312.0),
            peak(Unit::TensorBf16, 312.0),
            peak(Unit::TensorTf32, 156.0),
            peak(Unit::TensorF64, 19.5),
            peak(Unit::TensorI8, 624.0),
            peak(Unit::TensorI4, 1248.0),
        ],
    },
    Chip {
        name: "GeForce RTX 3090",
        target: "sm_86",
        compute_capability: (8, 6),
        multiprocessors: 82,
        warps: 48,
        blocks: 16,
        registers: 65536,
        shared: 100 << 10,
        shared_per_block: 99 << 10,
        bandwidth: 0.936e12,
        peaks: &[
            peak(Unit::F32, 35.6),
            peak(Unit::F16, 35.6),
            peak(Unit::Bf16, 35.6),
            peak(Unit::TensorF16, 71.0),
            peak(Unit::TensorBf16, 71.0),
            peak(Unit::TensorTf32, 35.6),
            peak(Unit::TensorI8, 284.0),
            peak(Unit::TensorI4, 568.0),
        ],
    },
    Chip {
        name: "GeForce RTX 4090",
        target: "sm_89",
        compute_capability: (8, 9),
        multiprocessors: 128,
        warps: 48,
        blocks: 24,
        registers: 65536,
        shared: 100 << 10,
        shared_per_block: 99 << 10,
        bandwidth: 1.008e12,
        peaks: &[
            peak(Unit::F32, 82.6),
            peak(Unit::F16, 82.6),
            peak(Unit::Bf16, 82.6),
            peak(Unit::TensorF16, 165.2),
            peak(Unit::TensorBf16, 165.2),
            peak(Unit::TensorTf32, 82.6),
            peak(Unit::TensorF8, 330.3),
            peak(Unit::TensorI8, 660.6),
            peak(Unit::TensorI4, 1321.2),
        ],
    },
    Chip {
        name: "H200 SXM",
        target: "sm_90",
        compute_capability: (9, 0),
        multiprocessors: 132,
        warps: 64,
        blocks: 32,
        registers: 65536,
        shared: 228 << 10,
        shared_per_block: 227 << 10,
        bandwidth: 4.8e12,
        peaks: &[
            peak(Unit::F32, 67.0),
            peak(Unit::F64, 34.0),
            peak(Unit::F16, 134.0),
            peak(Unit::Bf16, 134.0),
            peak(Unit::TensorF16, 989.5),
            peak(Unit::TensorBf16, 989.5),
            peak(Unit::TensorTf32, 494.7),
            peak(Unit::TensorF64, 67.0),
            peak(Unit::TensorF8, 1979.0),
            peak(Unit::TensorI8, 1979.0),
        ],
    },
    Chip {
        name: "B200",
        target: "sm_100",
        compute_capability: (10, 0),
        multiprocessors: 148,
        warps: 64,
        blocks: 32,
        registers: 65536,
        shared: 228 << 10,
        shared_per_block: 227 << 10,
        bandwidth: 8.0e12,
        peaks: &[
            peak(Unit::F32, 75.0),
            peak(Unit::F64, 37.0),
            peak(Unit::TensorF16, 2250.0),
            peak(Unit::TensorBf16, 2250.0),
            peak(Unit::TensorTf32, 1125.0),
            peak(Unit::TensorF64, 37.0),
            peak(Unit::TensorF8, 4500.0),
            peak(Unit::TensorI8, 4500.0),
        ],
    },
];
