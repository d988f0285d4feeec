//! What has to lie before a pair allocates tensor memory, and before it gives the columns back.
//!
//! ```text
//!   block 0   begins ─ before ─ alloc ─ between ─ dealloc        before: the peer has begun (CUTLASS #3316)
//!   block 1       begins ─ before ─ alloc ─ between ─ dealloc    between: the peer has allocated (CUTLASS #3435)
//! ```

use super::common::{Arg, Bench};
use super::{SCHEDULES, blackwell};
use emulator::{Config, Launch, LaunchError, Schedule};

/// Returns a kernel of two warps that allocates and gives back. Warp 0 does both.
fn kernel(before: &str, between: &str) -> String {
    format!(
        ".version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 p)
.reqnctapercluster 2
{{
    .reg .b32 %t<8>, %warp, %base;
    .reg .b64 %flag;
    .reg .pred %p, %other, %lane;
    .shared .align 4 .b32 slot;
    ld.param.u64 %flag, [p];
    cvta.to.global.u64 %flag, %flag;
    mov.u32 %t0, %tid.x;
    shr.u32 %warp, %t0, 5;
    and.b32 %t0, %t0, 31;
    setp.eq.u32 %lane, %t0, 0;
    setp.ne.u32 %other, %warp, 0;{before}
    @%other bra DONE;
    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 32;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %base, [slot];
    tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;
DONE:
    bar.warp.sync 0xffffffff;{between}
    @%other bra END;
    tcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 32;
END:
    ret;
}}
"
    )
}

const CLUSTER: &str = "
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;";

const RELAXED: &str = "
    barrier.cluster.arrive.relaxed.aligned;
    barrier.cluster.wait.aligned;";

/// Warp 1 alone waits for the other block, and warp 0 for warp 1.
const BY_ANOTHER_WARP: &str = "
    barrier.cluster.arrive.relaxed.aligned;
    @!%other bra WAITED;
    barrier.cluster.wait.aligned;
WAITED:
    bar.sync 0;";

/// Warp 0 waits, too, and all meet again.
const BY_WARP_0: &str = "
    @%other bra BOTH;
    barrier.cluster.wait.aligned;
BOTH:
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;";

/// Writes code by which one lane of warp 0 counts itself in a word of global memory, and waits
/// until two have.
fn flags(word: u32) -> String {
    format!(
        "
    @%other bra PASSED{word};
    @!%lane bra SEEN{word};
    red.release.gpu.global.add.u32 [%flag+{word}], 1;
POLL{word}:
    ld.acquire.gpu.global.u32 %t1, [%flag+{word}];
    setp.lt.u32 %p, %t1, 2;
    @%p bra POLL{word};
SEEN{word}:
    bar.warp.sync 0xffffffff;
PASSED{word}:"
    )
}

/// Launches two pairs and returns the text of the finding as the error if there is one.
fn launch(text: &str, schedule: Schedule) -> Result<(), String> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    let bench = Bench::with(text, config);
    let words = bench.words(&[0; 2]);
    let launch = Launch {
        grid: [2, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 0,
    };
    match bench.launch_with("k", launch, &[Arg::U64(words)]) {
        Ok(_) => Ok(()),
        Err(LaunchError::Fault(fault)) => Err(fault.to_string()),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn an_allocation_needs_that_the_peer_has_begun() {
    let said = "has begun: no barrier.cluster stands between";
    for schedule in SCHEDULES {
        for (before, between) in [
            (CLUSTER, CLUSTER),
            (RELAXED, CLUSTER),
            (BY_ANOTHER_WARP, BY_WARP_0),
            (&flags(0), CLUSTER),
        ] {
            let found = launch(&kernel(before, between), schedule);
            assert_eq!(found, Ok(()), "{before}, {schedule:?}");
        }
        let arrives_only = "\n    barrier.cluster.arrive.aligned;";
        let waits = "\n    barrier.cluster.wait.aligned;";
        for (before, between) in [
            ("", CLUSTER),
            ("\n    bar.sync 0;", CLUSTER),
            (arrives_only, waits),
        ] {
            let found = launch(&kernel(before, between), schedule).expect_err(before);
            assert!(found.contains(said), "{before}, {schedule:?}: {found}");
        }
    }
}

#[test]
fn a_deallocation_needs_that_the_peer_has_allocated() {
    let said = "nothing orders that after the allocation of the pair's other block, rank";
    for schedule in SCHEDULES {
        for between in [CLUSTER, RELAXED, &flags(4)] {
            let found = launch(&kernel(CLUSTER, between), schedule);
            assert_eq!(found, Ok(()), "{between}, {schedule:?}");
        }
        let arrives_only = "\n    barrier.cluster.arrive.aligned;";
        for between in ["", "\n    bar.sync 0;", arrives_only] {
            let found = launch(&kernel(CLUSTER, between), schedule).expect_err(between);
            assert!(found.contains(said), "{between}, {schedule:?}: {found}");
        }
    }
}
