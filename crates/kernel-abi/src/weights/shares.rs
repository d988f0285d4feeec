//! The shares of clusters in the tiles of a kernel of many rows.
//!
//! ```text
//!   5 tiles of 12 units, 3 clusters     cluster 0           cluster 1             cluster 2
//!   tiles 3, 4: shared by units         3: 0 .. 8           3: 8 .. 12, 4: 0..4   4: 4 .. 12
//!   tiles 0 to 2: whole                 0                   1                     2
//! ```
//!
//! Law: every unit of every tile is multiplied by exactly one cluster, and a cluster has parts of
//! at most two shared tiles.
//!
//! Source: Osama et al., *Stream-K* (2023), §4.

use crate::gemm::MOST_PARTS;

/// The number of warps of a CTA of many rows that multiply.
pub const MULTIPLYING_WARPS: u32 = 8;

/// The fewest units of k that a cluster multiplies of a tile that clusters share.
const LEAST_PART: u32 = 4;

/// Returns the time in which a cluster saves its parts of shared tiles and adds the parts of
/// others, in units of k. A part has as many rows as a tile has tokens. An H200 takes 3 to 5 us for
/// 32 tokens, and 7 to 10 us for 128.
const fn fix_up(tokens: u32) -> u64 {
    6 + tokens as u64 / 20
}

/// The clusters of a kernel of many rows, and which of them share the last tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShares {
    /// The number of clusters.
    pub clusters: u32,
    /// The number of clusters that divide the units of the last `tiles % clusters` tiles among
    /// themselves, or 0 if each tile is multiplied by one cluster. It exceeds the number of these
    /// tiles, so that a cluster has parts of at most two of them.
    pub sharers: u32,
    /// An estimate of the units that the busiest cluster takes the time of.
    pub units: u64,
}

impl TileShares {
    /// Divides `tiles` tiles of `tokens` tokens and `units` units each among at most `most`
    /// clusters. The last tiles are shared if this shortens the launch.
    ///
    /// ```
    /// use kernel_abi::weights::TileShares;
    /// // 112 tiles take 66 clusters two rounds, or one round and 46 tiles that all clusters share.
    /// let shared = TileShares::of((112, 64), 64, 66);
    /// assert_eq!((shared.clusters, shared.sharers), (66, 66));
    /// // Two tiles are divided into eight parts each at most.
    /// assert_eq!(TileShares::of((2, 64), 64, 66).sharers, 16);
    /// // No wave is left half empty, or only a little of it.
    /// assert_eq!(TileShares::of((448, 64), 128, 66).sharers, 0);
    /// assert_eq!(TileShares::of((132, 64), 64, 66), TileShares { clusters: 66, sharers: 0, units: 128 });
    /// ```
    #[must_use]
    pub const fn of((tiles, units): (u32, u32), tokens: u32, most: u32) -> Self {
        let most = if most == 0 { 1 } else { most };
        let (rounds, rest) = (tiles / most, tiles % most);
        let whole = Self {
            clusters: if tiles < most { tiles } else { most },
            sharers: 0,
            units: tiles.div_ceil(most) as u64 * units as u64,
        };
        let of_rest = rest as u64 * units as u64;
        let by_parts = rest as u64 * MOST_PARTS as u64;
        let by_units = of_rest / LEAST_PART as u64;
        let fewer = if by_parts < by_units {
            by_parts
        } else {
            by_units
        };
        let sharers = if fewer < most as u64 {
            fewer as u32
        } else {
            most
        };
        if sharers <= rest {
            return whole;
        }
        let shared =
            rounds as u64 * units as u64 + of_rest.div_ceil(sharers as u64) + fix_up(tokens);
        // A gain of less than 3 % is below the error of the estimate.
        if shared + shared / 32 >= whole.units {
            return whole;
        }
        Self {
            clusters: if rounds == 0 { sharers } else { most },
            sharers,
            units: shared,
        }
    }
}

/// Returns the bytes of the counters of shared tiles at the workspace's start: one counter for each
/// warp that multiplies, in each of the sharing clusters of `ctas` CTAs.
#[must_use]
pub const fn shared_counter_bytes(sharers: u32, ctas: u32) -> u64 {
    (4 * MULTIPLYING_WARPS as u64 * ctas as u64 * sharers as u64).next_multiple_of(256)
}
