//! Litmus tests of the proxies: threads write by the generic proxy, a bulk copy uses the place by
//! the async proxy.
//!
//! ```text
//! x = 1; fence.proxy.async; st.release f   ||   ld.acquire f; bulk load of x       ordered
//! x = 1; st.release f                      ||   ld.acquire f; bulk load of x       racy
//! ```
//!
//! Law: the copy is ordered behind the write where causality orders the two and a proxy fence for
//! the memory lies on the way, by the writer behind its write or by whoever copies before the copy;
//! what a copy writes is ordered behind its wait, which is not `.read`, and needs no proxy fence.
//! Each case runs with its warps, or its blocks, in both orders. Source: PTX ISA, "Memory
//! Consistency Model", "Proxies", "Proxy-preserved Base Causality Order"; Lustig, Cooksey
//! and Giroux, "Mixed-Proxy Extensions for the NVIDIA PTX Memory Consistency Model", 2022.

use emulator::Config;

use super::*;

/// Where the thread that copies is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Copier {
    Itself,
    Block,
    Cluster,
    Grid,
}

const COPIERS: [Copier; 4] = [Copier::Itself, Copier::Block, Copier::Cluster, Copier::Grid];

/// What the copy does with the place that was written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Does {
    /// It reads it in global memory.
    Load,
    /// It writes over it in global memory.
    Overwrite,
    /// It reads it in shared memory.
    Store,
}

/// Where the fence between the proxies stands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stands {
    Nowhere,
    BeforeTheWrite,
    BehindTheWrite,
    BeforeTheCopy,
    BehindTheCopy,
}

const STANDS: [Stands; 5] = [
    Stands::Nowhere,
    Stands::BeforeTheWrite,
    Stands::BehindTheWrite,
    Stands::BeforeTheCopy,
    Stands::BehindTheCopy,
];

const FENCES: [&str; 3] = [
    "fence.proxy.async",
    "fence.proxy.async.global",
    "fence.proxy.async.shared::cta",
];

/// A program: who copies, what, the fence and where it stands, and whether the threads meet.
#[derive(Clone, Copy, Debug)]
struct Case {
    copier: Copier,
    copy: Does,
    fence: &'static str,
    stands: Stands,
    meet: bool,
}

impl Case {
    /// Whether the write and the copy are ordered by the definition: by causality, and by a fence
    /// for the memory on the way.
    fn is_ordered(&self) -> bool {
        let covers = match self.copy {
            Does::Store => self.fence != FENCES[1],
            _ => self.fence != FENCES[2],
        };
        let on_the_way = [Stands::BehindTheWrite, Stands::BeforeTheCopy].contains(&self.stands);
        self.meet && covers && on_the_way
    }

    fn body(&self, swapped: bool) -> String {
        let fence = |stands: Stands| match self.stands == stands {
            true => format!("{};", self.fence),
            false => String::new(),
        };
        let write = match self.copy {
            Does::Store => "st.shared.u32 [%r1], 7;",
            _ => "st.global.u32 [%a0], 7;",
        };
        let copy = match self.copy {
            Does::Load => {
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16;
                 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%a0], 16, [%r2];"
            }
            Does::Overwrite => "cp.async.bulk.global.shared::cta.bulk_group [%a0], [%r3], 16;",
            Does::Store => "cp.async.bulk.global.shared::cta.bulk_group [%a0], [%r1], 16;",
        };
        let wait = match self.copy {
            Does::Load => {
                "LOADED: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2], 0; @!%p3 bra LOADED;"
            }
            _ => "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
        };
        let meet = |text: &'static str| if self.meet { text } else { "" };
        let cluster = "barrier.cluster.arrive; barrier.cluster.wait;";
        // Between the two, and at the end of those who only come to meet.
        let (release, acquire) = match self.copier {
            Copier::Itself => ("", ""),
            Copier::Block => (meet("bar.sync 1, 64;"), meet("bar.sync 1, 64;")),
            Copier::Cluster => (meet(cluster), meet(cluster)),
            Copier::Grid => (
                meet("st.release.gpu.global.u32 [%a0+64], 1;"),
                meet(
                    "POLL: ld.acquire.gpu.global.u32 %r7, [%a0+64]; setp.eq.u32 %p4, %r7, 0; @%p4 bra POLL;",
                ),
            ),
        };
        // A whole warp meets, and one thread of it writes or copies.
        let one = |text: &str, label: &str| format!("@!%p1 bra {label}; {text} {label}:");
        let (before, behind) = (fence(Stands::BeforeTheWrite), fence(Stands::BehindTheWrite));
        let writer = format!("{before} {write} {behind}");
        let (before, behind) = (fence(Stands::BeforeTheCopy), fence(Stands::BehindTheCopy));
        let copies = format!("{before} {copy} {behind} {wait}");
        let (writer, copies) = match self.copier {
            Copier::Itself => (one(&format!("{writer} {copies}"), "DONE"), String::new()),
            Copier::Grid => (
                one(&format!("{writer} {release}"), "WROTE"),
                one(&format!("{acquire} {copies}"), "COPIED"),
            ),
            _ => (
                format!("{} {release}", one(&writer, "WROTE")),
                format!("{acquire} {}", one(&copies, "COPIED")),
            ),
        };
        let number = match self.copier {
            Copier::Itself | Copier::Block => "shr.u32 %r4, %tid, 5;",
            _ => "mov.u32 %r4, %ctaid.x;",
        };
        let first = u32::from(swapped);
        format!(
            ".shared .align 128 .b8 tiles[256]; .shared .align 8 .b8 object[8];
             mov.u32 %r1, tiles; add.u32 %r3, %r1, 128; mov.u32 %r2, object; {number}
             and.b32 %r5, %tid, 31; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %tid, 0;
             @!%p2 bra MADE;
             mbarrier.init.shared::cta.b64 [%r2], 1; fence.mbarrier_init.release.cluster;
             st.shared.v4.u32 [%r1], {{%r4, %r4, %r4, %r4}}; st.shared.v4.u32 [%r3], {{%r4, %r4, %r4, %r4}};
             fence.proxy.async.shared::cta;
             MADE: bar.sync 0;
             setp.ne.u32 %p5, %r4, {first}; @%p5 bra COPIER;
             {writer}
             bra END;
             COPIER: {copies}
             END: bar.sync 0; ret;"
        )
    }

    /// Whether the emulator finds anything, with the roles of the two swapped or not.
    fn finds(&self, swapped: bool, warps: u32) -> bool {
        let text = entry(1, &self.body(swapped)).replace(".target sm_90\n", ".target sm_90a\n");
        let config = Config {
            warp_order: warps,
            ..Config::default()
        };
        let bench = Bench::with(&text, config);
        let buffer = bench.words(&[0; 32]);
        let (grid, block) = match self.copier {
            Copier::Itself => (1, 32),
            Copier::Block => (1, 64),
            _ => (2, 32),
        };
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [block, 1, 1],
            dynamic_shared: 0,
        };
        let attributes = LaunchAttributes {
            cluster: (self.copier == Copier::Cluster).then_some([2, 1, 1]),
            ..LaunchAttributes::default()
        };
        let parameters: [&[u8]; 1] = [&buffer.to_le_bytes()];
        let (device, program) = (&bench.device, &bench.program);
        match device.launch_with(program, "k", &launch, &attributes, &parameters, None) {
            Ok(_) => false,
            Err(LaunchError::Fault(fault)) => {
                let order = matches!(
                    fault.what,
                    FaultKind::GlobalRace { .. }
                        | FaultKind::ThreadRace { .. }
                        | FaultKind::Race { .. }
                        | FaultKind::Unfenced { .. }
                        | FaultKind::BeingRead { .. }
                );
                assert!(order, "{self:?}: {fault}");
                true
            }
            Err(other) => panic!("{self:?}: {other}"),
        }
    }
}

/// Returns every case. Only threads of the writer's block copy out of shared memory.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for copier in COPIERS {
        for copy in [Does::Load, Does::Overwrite, Does::Store] {
            if copy == Does::Store && !matches!(copier, Copier::Itself | Copier::Block) {
                continue;
            }
            for fence in FENCES {
                for stands in STANDS {
                    for meet in [true, false] {
                        if copier == Copier::Itself && !meet {
                            continue;
                        }
                        all.push(Case {
                            copier,
                            copy,
                            fence,
                            stands,
                            meet,
                        });
                    }
                }
            }
        }
    }
    all
}

#[test]
fn a_copy_is_behind_a_write_by_causality_and_a_fence_for_its_memory() {
    let (mut racy, mut ordered) = (0, 0);
    let mut wrong = Vec::new();
    for case in cases() {
        let is_ordered = case.is_ordered();
        *(if is_ordered { &mut ordered } else { &mut racy }) += 1;
        let swaps: &[bool] = match case.copier {
            Copier::Itself => &[false],
            _ => &[false, true],
        };
        for &swapped in swaps {
            for warps in [0, 1] {
                // Without a flag to wait for, a copy that comes first finds nothing that was
                // written: then the write finds the copy.
                if case.finds(swapped, warps) == is_ordered {
                    wrong.push(format!("{case:?}, swapped: {swapped}, order {warps}"));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(racy > 150 && ordered > 30, "{racy} racy, {ordered} ordered");
}
