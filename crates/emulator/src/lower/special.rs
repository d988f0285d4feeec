//! Special registers.
//! Source: PTX ISA, "Special Registers".

use crate::address::{SHARED_START, SYSTEM_SHARED};
use crate::ir::Special;

/// What reading a special register means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A value that stays while the warp runs, and its bits.
    Fixed(Special, u32),
    /// A counter: its bits, and whether it is the upper half of 64.
    Clock { bits: u32, high: bool },
}

/// The special register of that name.
pub(crate) fn special(name: &str) -> Option<Source> {
    let (base, axis) = match name.as_bytes() {
        [.., b'.', axis @ b'x'..=b'z'] => (&name[..name.len() - 2], Some(axis - b'x')),
        [.., b'.', b'w'] => return None,
        _ => (name, None),
    };
    let fixed = |special| Some(Source::Fixed(special, 32));
    if let Some(axis) = axis {
        return match base {
            "%tid" => fixed(Special::Tid(axis)),
            "%ntid" => fixed(Special::Ntid(axis)),
            "%ctaid" => fixed(Special::Ctaid(axis)),
            "%nctaid" => fixed(Special::Nctaid(axis)),
            "%cluster_ctaid" => fixed(Special::ClusterCtaid(axis)),
            "%cluster_nctaid" => fixed(Special::ClusterNctaid(axis)),
            "%clusterid" => fixed(Special::ClusterId(axis)),
            "%nclusterid" => fixed(Special::NClusterId(axis)),
            _ => None,
        };
    }
    match base {
        "%laneid" => fixed(Special::LaneId),
        "%warpid" => fixed(Special::WarpId),
        "%nwarpid" => fixed(Special::NWarpId),
        "%smid" => fixed(Special::SmId),
        "%nsmid" => fixed(Special::NSmId),
        "%gridid" => Some(Source::Fixed(Special::GridId, 64)),
        "%lanemask_eq" => fixed(Special::LaneMaskEq),
        "%lanemask_le" => fixed(Special::LaneMaskLe),
        "%lanemask_lt" => fixed(Special::LaneMaskLt),
        "%lanemask_ge" => fixed(Special::LaneMaskGe),
        "%lanemask_gt" => fixed(Special::LaneMaskGt),
        "%dynamic_smem_size" => fixed(Special::DynamicSharedSize),
        "%total_smem_size" => fixed(Special::TotalSharedSize),
        "%aggr_smem_size" => fixed(Special::AggregateSharedSize),
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" | "%reserved_smem_offset_1" => {
            fixed(Special::SystemShared(0))
        }
        "%reserved_smem_offset_end" => fixed(Special::SystemShared(SYSTEM_SHARED as u32)),
        // All that the system keeps: the first KiB, from sm_80 on.
        "%reserved_smem_offset_cap" => fixed(Special::Known(SHARED_START)),
        "%cluster_ctarank" => fixed(Special::ClusterRank),
        "%cluster_nctarank" => fixed(Special::ClusterRanks),
        "%clock" | "%globaltimer_lo" => Some(Source::Clock {
            bits: 32,
            high: false,
        }),
        "%clock_hi" | "%globaltimer_hi" => Some(Source::Clock {
            bits: 32,
            high: true,
        }),
        "%clock64" | "%globaltimer" => Some(Source::Clock {
            bits: 64,
            high: false,
        }),
        // Environment registers, set by a driver: none here.
        _ if base
            .strip_prefix("%envreg")
            .is_some_and(|n| n.parse::<u8>().is_ok_and(|n| n < 32)) =>
        {
            fixed(Special::Zero)
        }
        _ => None,
    }
}
