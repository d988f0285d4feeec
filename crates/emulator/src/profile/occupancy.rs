//! The number of blocks of a kernel that a multiprocessor holds.
//!
//! ```text
//! threads   ─► warps of the block     into 64 warps        ┐
//! registers ─► of a warp, by 256      into 65536, by four  ├─ the least number fits, and its resource is the limit
//! shared    ─► with 1 KiB, by 128     into 228 KiB         │
//! blocks                              at most 32           ┘
//! ```
//!
//! Law: the numbers are those of NVIDIA's occupancy calculator. The limits by warps, registers and
//! blocks that Nsight Compute reports on an H200 are these numbers. Nsight Compute's limit by
//! shared memory refers to the share that the driver has reserved for the launch; the limit here
//! refers to all shared memory. Source: CUDA C++ Programming Guide, "Occupancy Calculator", and the
//! calculator of Nsight Compute for the units in which registers and shared memory are allocated.

use super::Chip;

/// The resources of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resources {
    /// The number of threads of a block.
    pub threads: u32,
    /// The number of registers of a thread, as `ptxas -v` prints it.
    pub registers: u32,
    /// The bytes of shared memory of a block, static and dynamic.
    pub shared: u32,
}

/// The resource that limits the number of blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// A multiprocessor holds no more warps.
    Warps,
    /// The multiprocessor's registers are used up.
    Registers,
    /// The multiprocessor's shared memory is used up.
    Shared,
    /// A multiprocessor holds no more blocks.
    Blocks,
}

/// The occupancy of a multiprocessor by blocks of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occupancy {
    /// The number of blocks at the same time, or 0 if not even one block fits.
    pub blocks: u32,
    /// The number of warps of these blocks.
    pub warps: u32,
    /// The number of warps that the multiprocessor can hold.
    pub of: u32,
    /// The resource that limits the blocks.
    pub limit: Limit,
    /// The number of blocks that each resource permits: warps, registers, shared memory, blocks.
    pub room: [u32; 4],
}

/// The number of registers in the unit of allocation for a warp; `WARP_UNIT` is the number of warps
/// in the unit for a block.
const REGISTER_UNIT: u32 = 256;
const WARP_UNIT: u32 = 4;
/// The bytes in the unit of allocation of shared memory; `SYSTEM_SHARED` are the bytes that the
/// system takes of each block.
const SHARED_UNIT: u32 = 128;
const SYSTEM_SHARED: u32 = 1024;

impl Occupancy {
    /// Computes the occupancy of `chip` by blocks that take `resources`.
    ///
    /// ```
    /// use emulator::profile::{Chip, Limit, Occupancy, Resources};
    /// let h200 = Chip::of("sm_90").unwrap();
    /// let block = Resources { threads: 128, registers: 128, shared: 64 << 10 };
    /// let occupancy = Occupancy::new(h200, &block);
    /// assert_eq!((occupancy.blocks, occupancy.limit), (3, Limit::Shared));
    /// assert_eq!(occupancy.percent(), 18.75);
    /// ```
    pub fn new(chip: &Chip, resources: &Resources) -> Occupancy {
        let warps = resources.threads.div_ceil(32).max(1);
        let of_warp = (resources.registers * 32).next_multiple_of(REGISTER_UNIT);
        let by_registers = match of_warp {
            0 => chip.blocks,
            of_warp => chip.registers / of_warp / WARP_UNIT * WARP_UNIT / warps,
        };
        let shared = resources
            .shared
            .saturating_add(SYSTEM_SHARED)
            .div_ceil(SHARED_UNIT)
            .saturating_mul(SHARED_UNIT);
        let by_shared = if resources.shared > chip.shared_per_block {
            0
        } else {
            chip.shared / shared
        };
        let room = [chip.warps / warps, by_registers, by_shared, chip.blocks];
        let limits = [Limit::Warps, Limit::Registers, Limit::Shared, Limit::Blocks];
        let (blocks, limit) = room
            .into_iter()
            .zip(limits)
            .min_by_key(|(blocks, _)| *blocks)
            .unwrap_or((0, Limit::Blocks));
        Occupancy {
            blocks,
            warps: blocks * warps,
            of: chip.warps,
            limit,
            room,
        }
    }

    /// Returns the warps in percent of those that a multiprocessor holds.
    pub fn percent(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.of) * 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::CHIPS;
    use super::*;

    /// Compares with Nsight Compute's `launch__occupancy_limit_{warps,registers,blocks}` on an
    /// H200, for numbers of threads and registers.
    #[test]
    fn limits_are_an_h200s() {
        let h200 = Chip::of("sm_90").unwrap();
        for (threads, registers, limits) in [
            (128, 222, [16, 2, 32]),
            (128, 226, [16, 2, 32]),
            (256, 40, [8, 6, 32]),
            (256, 18, [8, 10, 32]),
        ] {
            let block = Resources {
                threads,
                registers,
                shared: 0,
            };
            let room = Occupancy::new(h200, &block).room;
            assert_eq!([room[0], room[1], room[3]], limits, "{block:?}");
        }
    }

    #[test]
    fn what_fits_is_within_every_limit_and_one_more_is_not() {
        for chip in CHIPS {
            for threads in [1, 32, 96, 128, 256, 1000, 1024] {
                for registers in [16, 32, 40, 64, 100, 168, 255] {
                    for shared in [0, 100, 8 << 10, 48 << 10, 99 << 10] {
                        let block = Resources {
                            threads,
                            registers,
                            shared,
                        };
                        let found = Occupancy::new(chip, &block);
                        let warps = threads.div_ceil(32);
                        // Whether `n` blocks fit, resource by resource.
                        let fits = |n: u32| {
                            let of_warp = (registers * 32).div_ceil(256) * 256;
                            let four = |warps: u32| warps.div_ceil(4) * 4;
                            n * warps <= chip.warps
                                && four(n * warps) * of_warp <= chip.registers
                                && n * ((shared + 1024).div_ceil(128) * 128) <= chip.shared
                                && n <= chip.blocks
                        };
                        assert!(
                            found.blocks == 0 || fits(found.blocks),
                            "{chip:?} {block:?}"
                        );
                        assert!(!fits(found.blocks + 1), "{chip:?} {block:?}");
                        assert_eq!(found.warps, found.blocks * warps);
                    }
                }
            }
        }
    }
}
