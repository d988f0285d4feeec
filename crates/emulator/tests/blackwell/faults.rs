//! What is wrong around tensor memory is found, under every schedule; the kernel that is right is
//! silent (`products.rs`).

use super::common::Arg;
use super::kernel::{Kernel, PLACE, Run, none};
use super::products::{SMEM, Types, instruction, layout};
use super::{SCHEDULES, blackwell};
use emulator::{Config, Schedule, TensorElement, TensorMap, TensorSwizzle};

pub const TYPES: Types = Types {
    kind: "f16",
    a: "bf16",
    b: "bf16",
    d: "f32",
};

fn launch(kernel: &Kernel, schedule: Schedule, bits: u32) -> Result<(), String> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    launch_with(kernel, config, bits)
}

/// Launches a kernel and returns the text of the finding as the error if there is one.
pub fn launch_with(kernel: &Kernel, config: Config, bits: u32) -> Result<(), String> {
    let lies = layout("bf16", 128, false);
    let run = Run {
        text: &kernel.ptx(),
        config,
        blocks: 1,
        places: [&[0; PLACE]; 2],
        descriptors: [SMEM, SMEM + PLACE].map(|at| lies.blackwell_descriptor(at)),
        instruction: bits,
    };
    run.finding(none)
}

/// Whether a finding has one of the texts between bars, `.*` standing for anything.
pub fn says(found: &str, said: &str) -> bool {
    said.split('|').any(|said| {
        let mut rest = found;
        said.split(".*").all(|part| match rest.split_once(part) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    })
}

pub fn right() -> Kernel {
    Kernel::new("f16", 32, 2, false)
}

/// A name, what is changed, and a part of the finding.
type Fault = (&'static str, fn(&mut Kernel), &'static str);

const AFTER: &str = "\n    tcgen05.fence::after_thread_sync;";
const BEFORE: &str = "\n    tcgen05.fence::before_thread_sync;";

/// What a finding says of a fence that is missing behind the synchronisation, or before it.
const NO_AFTER: &str = "no tcgen05.fence::after_thread_sync stands between";
const NO_BEFORE: &str = "no tcgen05.fence::before_thread_sync stands between";

/// Adds another product, which overwrites the sums after every warp has read them. `fences` are the
/// fences before and after the barrier between.
fn again(k: &mut Kernel, fences: [&str; 2]) {
    k.after_read = format!(
        "{}
    bar.sync 0;{}
    @!%first bra AGAIN;
    tcgen05.mma.cta_group::1.kind::f16 [%base], %da, %db, %idesc, %none;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
AGAIN:
    bar.warp.sync 0xffffffff;
REST:
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 1;
    @!%p bra REST;
    bar.sync 0;",
        fences[0], fences[1]
    );
}

const FAULTS: [Fault; 19] = [
    (
        "no wait for the commit",
        |k| k.wait.clear(),
        "no tcgen05.commit behind it has completed|was never written",
    ),
    (
        "no fence behind the wait for the commit",
        |k| k.wait = k.wait.replace(AFTER, ""),
        NO_AFTER,
    ),
    (
        "a fence before the wait for the commit",
        |k| k.wait = format!("{AFTER}{}", k.wait.replace(AFTER, "")),
        NO_AFTER,
    ),
    (
        "one warp of four without a fence behind the wait",
        |k| {
            let fence = "
    setp.eq.u32 %p, %warp, 2;
    @%p bra UNFENCED;
    tcgen05.fence::after_thread_sync;
UNFENCED:
    bar.warp.sync 0xffffffff;";
            k.wait = k.wait.replace(AFTER, fence);
        },
        NO_AFTER,
    ),
    (
        "no fence between the loads and the barrier before the next product",
        |k| again(k, ["", AFTER]),
        NO_BEFORE,
    ),
    (
        "no fence between the barrier behind the loads and the next product",
        |k| again(k, [BEFORE, ""]),
        NO_AFTER,
    ),
    (
        "no commit: the thread arrives itself",
        |k| k.commit = "\n    mbarrier.arrive.shared.b64 %q0, [bar];".to_owned(),
        "no tcgen05.commit behind it has completed",
    ),
    (
        "a commit in front of the products",
        |k| std::mem::swap(&mut k.commit, &mut k.products),
        "no tcgen05.commit behind it has completed",
    ),
    (
        "operands by threads without a fence of the proxies",
        |k| k.before = "\n    bar.sync 0;".to_owned(),
        "no fence.proxy.async orders the two",
    ),
    (
        "columns given back under loads of other warps",
        |k| k.after_read.clear(),
        "columns are given back|is in no allocation",
    ),
    (
        "columns given back under loads that nobody has waited for",
        |k| k.read = k.read.replace("    tcgen05.wait::ld.sync.aligned;\n", ""),
        "no tcgen05.wait::ld follows",
    ),
    (
        "the next product over sums that are still read",
        |k| {
            k.read = k.read.replace("    tcgen05.wait::ld.sync.aligned;\n", "");
            k.after_read += "
    @!%first bra AGAIN;
    tcgen05.mma.cta_group::1.kind::f16 [%base], %da, %db, %idesc, %none;
AGAIN:
    bar.warp.sync 0xffffffff;";
        },
        "no tcgen05.wait::ld follows",
    ),
    (
        "sums added to what was never written",
        |k| k.products = k.products.replace("%none", "%all"),
        "which was never written",
    ),
    (
        "columns beyond the allocation",
        |k| {
            k.columns = 32;
            k.read = k.read.replace("%t1, %t1, 24;", "%t1, %t1, 40;");
        },
        "column .* is in no allocation",
    ),
    (
        "another warp's lanes",
        |k| k.read = k.read.replace("%base, %wlane", "%base, 0"),
        "this warp reaches lanes 32 to 63",
    ),
    (
        "never given back",
        |k| k.end.clear(),
        "no tcgen05.dealloc gave back",
    ),
    (
        "given back twice",
        |k| {
            let twice = k.end.clone();
            k.end += &twice;
        },
        "no allocation of 512 columns begins",
    ),
    (
        "an allocation behind the permit",
        |k| {
            k.columns = 128;
            k.end += "
    tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;";
        },
        "behind tcgen05.relinquish_alloc_permit",
    ),
    (
        "Hopper's descriptor",
        |k| k.before += "\n    and.b64 %db, %db, 0xffff3fffffffffff;",
        "bits 46 to 48 are 0, not 1",
    ),
];

/// The same of the kernel whose threads put A into tensor memory.
const FAULTS_OF_A: [Fault; 5] = [
    (
        "no fence between A's stores and the barrier",
        |k| k.load_a = k.load_a.replace(BEFORE, ""),
        NO_BEFORE,
    ),
    (
        "no fence between the barrier and the products",
        |k| k.fence.clear(),
        NO_AFTER,
    ),
    (
        "A stored without a wait",
        |k| k.load_a = k.load_a.replace("    tcgen05.wait::st.sync.aligned;\n", ""),
        "no tcgen05.wait::st follows",
    ),
    (
        "no barrier between A and the products",
        |k| k.before = "\n    fence.proxy.async;".to_owned(),
        "it was written, and nothing orders the two|A is read in lane",
    ),
    (
        "A stored again under the products",
        // Before anybody has waited, by all four warps.
        |k| k.wait = k.load_a.clone() + &k.wait,
        "it was read, and nothing orders the two|a tcgen05.mma read it|it was written, and nothing",
    ),
];

#[test]
fn planted_faults_are_found_under_every_schedule() {
    let bits = instruction(TYPES, 128, 32, [false; 2]);
    for schedule in SCHEDULES {
        let in_tensor = || Kernel::new("f16", 32, 2, true);
        assert_eq!(launch(&right(), schedule, bits), Ok(()));
        assert_eq!(launch(&in_tensor(), schedule, bits), Ok(()));
        let of_shared = FAULTS.iter().map(|fault| (right(), fault));
        let of_tensor = FAULTS_OF_A.iter().map(|fault| (in_tensor(), fault));
        for (mut kernel, (name, plant, said)) in of_shared.chain(of_tensor) {
            let before = kernel.ptx();
            plant(&mut kernel);
            assert_ne!(kernel.ptx(), before, "{name}");
            let found = launch(&kernel, schedule, bits).expect_err(name);
            assert!(says(&found, said), "{name}, {schedule:?}: {found}");
        }
    }
}

/// A use of the columns of a product, as right as it can be without each fence.
type Use = (&'static str, fn(&mut Kernel));

/// Kernels whose fences are other ones, or fewer, and all that PTX asks for.
const SILENT: [Use; 6] = [
    ("the next product, with both fences", |k| {
        again(k, [BEFORE, AFTER])
    }),
    ("no fence where nothing was used before", |k| {
        k.fence.clear()
    }),
    ("no fence before columns are given back", |k| {
        k.after_read = k.after_read.replace(BEFORE, "")
    }),
    ("the fence ahead of the wait for the loads", |k| {
        again(k, ["", AFTER]);
        let (wait, fenced) = (
            "\n    tcgen05.wait::ld.sync.aligned;",
            "\n    tcgen05.fence::before_thread_sync;\n    tcgen05.wait::ld.sync.aligned;",
        );
        k.read = k.read.replace(wait, fenced);
    }),
    ("products of the thread that waited for its own", |k| {
        let products = k.products.replace("%none", "%all");
        let second = k
            .wait
            .replace("WAIT", "REST")
            .replace("[bar], 0;", "[bar], 1;");
        k.wait = format!(
            "{}
    bar.sync 0;
    @!%first bra OWN;{products}{}
OWN:
    bar.warp.sync 0xffffffff;{second}",
            k.wait.replace(AFTER, ""),
            k.commit
        );
    }),
    ("a thread between, which has no fences", |k| {
        let by_way = "
    setp.eq.u32 %p, %warp, 1;
    @%p bra WAIT;
    bar.sync 1, 128;
    bra FENCE;";
        k.wait = k
            .wait
            .replace("\nWAIT:", &format!("{by_way}\nWAIT:"))
            .replace(
                AFTER,
                "
    bar.sync 1, 128;
FENCE:
    tcgen05.fence::after_thread_sync;",
            );
    }),
];

#[test]
fn what_ptx_orders_with_fewer_fences_is_silent() {
    let bits = instruction(TYPES, 128, 32, [false; 2]);
    for schedule in SCHEDULES {
        for (name, change) in SILENT {
            let mut kernel = right();
            change(&mut kernel);
            assert_ne!(kernel.ptx(), right().ptx(), "{name}");
            assert_eq!(
                launch(&kernel, schedule, bits),
                Ok(()),
                "{name}, {schedule:?}"
            );
        }
    }
}

/// Kernels that lean on `ptxas`, which makes no instruction of a fence, accept that kind alone.
#[test]
fn missing_fences_are_accepted_by_their_kind() {
    let bits = instruction(TYPES, 128, 32, [false; 2]);
    let mut kernel = right();
    kernel.wait = kernel.wait.replace(AFTER, "");
    for (kind, silent) in [("tensor-fence", true), ("tensor-memory", false)] {
        let config = Config {
            accept: vec![kind.parse().unwrap()],
            ..blackwell()
        };
        let found = launch_with(&kernel, config, bits);
        assert_eq!(found.is_ok(), silent, "{kind}: {found:?}");
    }
}

#[test]
fn descriptors_of_no_instruction_are_refused() {
    for (bits, said) in [
        (instruction(TYPES, 128, 40, [false; 2]), "no 128 x 40"),
        (instruction(TYPES, 256, 32, [false; 2]), "no 256 x 32"),
        (
            instruction(TYPES, 128, 32, [false; 2]) | 4,
            "sparse products are not emulated",
        ),
    ] {
        let found = launch(&right(), Schedule::Early, bits).unwrap_err();
        assert!(found.contains(said), "{found}");
    }
}

/// The first eight rows of A come by TMA, which swizzles their 128 bytes as a whole. A product that
/// reads them by another swizzle is found.
#[test]
fn another_swizzle_than_the_tensor_map_s_is_found() {
    let mut kernel = right();
    kernel.before += "
    @!%first bra LOADED;
    mbarrier.init.shared.b64 [bar2], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 %q0, [bar2], 1024;
    mov.b64 %q1, map;
    cvta.param.u64 %q1, %q1;
    mov.u32 %r0, 0;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%t3], [%q1, {%r0, %r0}], [bar2];
LOADED:
    bar.sync 0;
LOADING:
    mbarrier.try_wait.parity.shared.b64 %p, [bar2], 0;
    @!%p bra LOADING;";
    let text = kernel
        .ptx()
        .replace(
            ".param .u32 pi)",
            ".param .u32 pi, .param .align 64 .b8 map[128])",
        )
        .replace(".b64 bar;", ".b64 bar;\n    .shared .align 8 .b64 bar2;");
    for schedule in SCHEDULES {
        for (width, said) in [(128, false), (64, true), (32, true)] {
            let config = Config {
                schedule,
                ..blackwell()
            };
            let descriptors = [(width, SMEM), (128, SMEM + PLACE)]
                .map(|(width, at)| layout("bf16", width, false).blackwell_descriptor(at));
            let run = Run {
                text: &text,
                config,
                blocks: 1,
                places: [&[0; PLACE]; 2],
                descriptors,
                instruction: instruction(TYPES, 128, 32, [false; 2]),
            };
            let found = run.finding(|[pa, _]| {
                let mut map = TensorMap::new(TensorElement::Bf16, pa, &[64, 8], &[128], &[64, 8]);
                map.swizzle = TensorSwizzle::B128;
                vec![Arg::Bytes(map.encode().unwrap().to_vec())]
            });
            let found = found.err();
            let as_said = found.as_ref().map(|found| found.contains("swizzle"));
            assert_eq!(
                as_said,
                said.then_some(true),
                "{schedule:?}, {width}: {found:?}"
            );
        }
    }
}
