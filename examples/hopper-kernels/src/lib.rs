//! The GEMM for Hopper, step by step: nine kernels, each with one idea more than the previous one.
//! `docs/hopper-gemm.md` tells the story.
//!
//! ```text
//!   1 tma ► 2 stages ► 3 roles ► 4 registers ► 5 persistent ► 6 order ► 7 cluster ► 8 store ► 9 pingpong
//! ```
//!
//! Law: `D = A·Bᵀ` in f16, summed in f32: A `(m, k)`, B `(n, k)`, D `(m, n)`, row-major, on 16-byte
//! boundaries, A and B by tensor maps with the boxes of [`Step`]; `m` and `n` are multiples of 256,
//! `k` of 64. Nothing is predicated: the kernels of `gpu-kernels-sm90` take any extents.

pub mod attention;
mod by_hand;
pub mod gemm;
mod one_group;
pub mod paged;
mod roles;
mod tiles;

pub use by_hand::*;
pub use one_group::*;
pub use roles::*;

/// A step: its kernel, the tile and the resources of a CTA, and the boxes of its tensor maps.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The name of the step's new idea.
    pub name: &'static str,
    /// The kernel's name.
    pub kernel: &'static str,
    /// The numbers of rows and columns in a tile of D.
    pub tile: [u32; 2],
    /// The number of threads in a CTA.
    pub threads: u32,
    /// The number of stages of A and B in shared memory.
    pub stages: u32,
    /// The number of CTAs in a cluster, along m.
    pub cluster: u32,
    /// Whether a CTA computes tile after tile.
    pub persistent: bool,
    /// Whether D is stored by its tensor map, in boxes of 16 rows and 64 columns, and not by its
    /// address.
    pub stores_boxes: bool,
}

impl Step {
    /// Returns the number of bytes of dynamic shared memory: the stages, the staged D of two
    /// groups, and two barriers for each stage.
    #[must_use]
    pub const fn shared_bytes(&self) -> u32 {
        let [m, n] = self.tile;
        let staged = if self.stores_boxes {
            2 * STAGED_BYTES
        } else {
            0
        };
        self.stages * (m + n) * 64 * 2 + staged + self.stages * 16
    }

    /// Returns how many rows the boxes of A and B have, which a CTA loads for a k tile.
    #[must_use]
    pub const fn box_rows(&self) -> [u32; 2] {
        [self.tile[0], self.tile[1] / self.cluster]
    }
}

/// The bytes of a consumer group's staged D: two buffers of 64 rows and columns.
pub(crate) const STAGED_BYTES: u32 = 2 * 64 * 64 * 2;

/// The step with one group of 128 threads and a tile of 128 × 128.
const FIRST: Step = Step {
    name: "tma",
    kernel: "hopper_1_tma",
    tile: [128, 128],
    threads: 128,
    stages: 1,
    cluster: 1,
    persistent: false,
    stores_boxes: false,
};

/// The step with three groups and a tile of 128 × 256.
const ROLES: Step = Step {
    name: "roles",
    kernel: "hopper_3_roles",
    tile: [128, 256],
    threads: 384,
    stages: 4,
    ..FIRST
};

/// The same step, but each CTA computes tile after tile.
const PERSISTENT: Step = Step {
    name: "persistent",
    kernel: "hopper_5_persistent",
    persistent: true,
    ..ROLES
};

/// Step 8 by hand, which computes the same bits.
pub const BY_HAND: Step = Step {
    name: "by hand",
    kernel: "hopper_8_by_hand",
    ..STORE
};

/// The same step in clusters, with D stored by TMA.
const STORE: Step = Step {
    name: "store",
    kernel: "hopper_8_store",
    cluster: 2,
    stores_boxes: true,
    ..PERSISTENT
};

/// The steps in order.
pub const STEPS: [Step; 9] = [
    FIRST,
    Step {
        name: "stages",
        kernel: "hopper_2_stages",
        stages: 4,
        ..FIRST
    },
    ROLES,
    Step {
        name: "registers",
        kernel: "hopper_4_registers",
        ..ROLES
    },
    PERSISTENT,
    Step {
        name: "order",
        kernel: "hopper_6_order",
        ..PERSISTENT
    },
    Step {
        name: "cluster",
        kernel: "hopper_7_cluster",
        cluster: 2,
        ..PERSISTENT
    },
    STORE,
    Step {
        name: "pingpong",
        kernel: "hopper_9_pingpong",
        tile: [128, 128],
        stages: 6,
        cluster: 2,
        stores_boxes: true,
        ..PERSISTENT
    },
];
