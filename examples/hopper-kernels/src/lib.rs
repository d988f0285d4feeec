//! The GEMM for Hopper, step by step: nine kernels, each the one before and one idea more.
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
mod roles;
mod tiles;

pub use by_hand::*;
pub use one_group::*;
pub use roles::*;

/// A step: its kernel, what a CTA computes and has, and the boxes of its tensor maps.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// What is new.
    pub name: &'static str,
    /// The kernel.
    pub kernel: &'static str,
    /// Rows and columns of a tile of D.
    pub tile: [u32; 2],
    /// Threads of a CTA.
    pub threads: u32,
    /// Stages of A and B in shared memory.
    pub stages: u32,
    /// CTAs of a cluster, along m.
    pub cluster: u32,
    /// Whether a CTA computes tile after tile.
    pub persistent: bool,
    /// Whether D is stored by its tensor map, in boxes of 16 rows and 64 columns, and not by its
    /// address.
    pub stores_boxes: bool,
}

impl Step {
    /// Bytes of dynamic shared memory: the stages, the staged D of two groups, and two barriers a
    /// stage.
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

    /// Rows of the boxes of A and of B: what a CTA loads of a k tile.
    #[must_use]
    pub const fn box_rows(&self) -> [u32; 2] {
        [self.tile[0], self.tile[1] / self.cluster]
    }
}

/// Bytes of a consumer group's staged D: two buffers of 64 rows and columns.
pub(crate) const STAGED_BYTES: u32 = 2 * 64 * 64 * 2;

/// One group of 128 threads and a tile of 128 × 128.
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

/// Three groups and a tile of 128 × 256.
const ROLES: Step = Step {
    name: "roles",
    kernel: "hopper_3_roles",
    tile: [128, 256],
    threads: 384,
    stages: 4,
    ..FIRST
};

/// The same, tile after tile.
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

/// The same in clusters, D by TMA.
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
