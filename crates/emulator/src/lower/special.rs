//! Special registers.
//! Source: PTX ISA, "Special Registers".

use crate::address::{SHARED_START, SYSTEM_SHARED};
use crate::ir::Special;

/// The value that a read of a special register returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// A value that is constant while the warp runs, and its number of bits.
    Fixed(Special, u32),
    /// A counter: its number of bits, and whether it is the upper half of a 64-bit counter.
    Clock { bits: u32, high: bool },
    /// A predicate that is constant while the warp runs: true if the value is not 0.
    Predicate(Special),
}

/// Returns the names of the elements of a special register that is a vector. `mov.v4` reads `.w` as
/// 0.
pub(crate) fn elements(name: &str) -> Option<[String; 4]> {
    let all = ["x", "y", "z", "w"].map(|axis| format!("{name}.{axis}"));
    special(&all[0]).is_some().then_some(all)
}

/// Returns the special register of that name.
pub(crate) fn special(name: &str) -> Option<Source> {
    let (base, axis) = match name.as_bytes() {
        [.., b'.', axis @ b'w'..=b'z'] => (&name[..name.len() - 2], Some(*axis)),
        _ => (name, None),
    };
    let fixed = |special| Some(Source::Fixed(special, 32));
    // The fourth element of each vector is unused, and reads as 0.
    let (axis, fourth) = match axis {
        Some(b'w') => (Some(0), true),
        axis => (axis.map(|axis| axis - b'x'), false),
    };
    if let Some(axis) = axis {
        let fixed = |special| fixed(if fourth { Special::Zero } else { special });
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
        // The shared memory that the system reserves: the first KiB, from sm_80 on.
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
        "%is_explicit_cluster" => Some(Source::Predicate(Special::ExplicitCluster)),
        // No launch of the emulator is part of a graph.
        "%current_graph_exec" => Some(Source::Fixed(Special::Zero, 64)),
        // Performance counters: they count only after a driver starts them.
        _ if numbered(base, "%pm", "", 8) => fixed(Special::Zero),
        _ if numbered(base, "%pm", "_64", 8) => Some(Source::Fixed(Special::Zero, 64)),
        // Environment registers, which a driver sets: a cooperative launch sets two of them.
        "%envreg1" => fixed(Special::GridWorkspace { upper: true }),
        "%envreg2" => fixed(Special::GridWorkspace { upper: false }),
        _ if numbered(base, "%envreg", "", 32) => fixed(Special::Zero),
        _ => None,
    }
}

/// Whether a name consists of `before`, a number below `count`, and `after`, as `%pm0_64` to
/// `%pm7_64` do.
fn numbered(name: &str, before: &str, after: &str, count: u8) -> bool {
    let rest = name.strip_prefix(before);
    let number = rest.and_then(|rest| rest.strip_suffix(after));
    let written =
        |n: &&str| n.bytes().all(|b| b.is_ascii_digit()) && (*n == "0" || !n.starts_with('0'));
    number
        .filter(written)
        .is_some_and(|n| n.parse::<u8>().is_ok_and(|n| n < count))
}

/// Whether an undeclared name looks like a special register rather than like one of a range of
/// registers: `%is_new`, `%pm9_64`.
pub(crate) fn looks_special(name: &str) -> bool {
    let Some(word) = name.strip_prefix('%') else {
        return false;
    };
    word.contains(['_', '.']) || word.len() > 3 && word.bytes().all(|b| b.is_ascii_lowercase())
}
