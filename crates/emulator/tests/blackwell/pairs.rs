//! Products of pairs of blocks (`.cta_group::2`) against plain sums, and what is wrong around them.
//!
//! ```text
//!   block 0   A rows 0 ..,   B columns 0 ..    ─┐            ┌─► D rows 0 ..
//!                                                ├─ mma ─ commit at both
//!   block 1   A rows M/2 .., B columns N/2 ..  ─┘            └─► D rows M/2 ..
//! ```

use super::common::operand::{Layout, bits, bytes};
use super::common::{Arg, Bench, Random};
use super::faults::says;
use super::kernel::{Kernel, PLACE};
use super::products::{SMEM, TYPES, Types, instruction, layout, operand, rows_by_lane};
use super::{SCHEDULES, blackwell};
use emulator::{Config, Launch, LaunchError, Schedule};

/// Two blocks of 128 threads.
pub const LAUNCH: Launch = Launch {
    grid: [2, 1, 1],
    block: [128, 1, 1],
    dynamic_shared: 2 * PLACE,
};

/// Where an element of D is in the blocks' D.
pub fn place(m: usize, n: usize, row: usize, column: usize) -> usize {
    let (block, row, half) = (row / (m / 2), row % (m / 2), n / 2);
    let (lane, column) = match m {
        128 => (row + 64 * (column / half), column % half),
        _ => (row, column),
    };
    256 * (128 * block + lane) + column
}

/// The columns that D has in each block.
pub fn columns(m: usize, n: usize) -> usize {
    if m == 128 { n / 2 } else { n }
}

fn product(
    types: Types,
    (m, n): (usize, usize),
    lies: [Layout; 2],
    tensor: bool,
    schedule: Schedule,
) {
    let mut random = Random((m * 1000 + n) as u64);
    let mut halves = |ty, rows, lies| {
        let [(mut all, mut place), (more, second)] =
            [(); 2].map(|()| operand(&mut random, ty, rows / 2, lies));
        all.extend(more);
        place.extend(second);
        (all, place)
    };
    let (a, mut of_a) = halves(types.a, m, lies[0]);
    let (b, of_b) = halves(types.b, n, lies[1]);
    if tensor {
        // Of 64 rows each is there twice.
        let by_lane = |rows: &[Vec<i32>]| match m {
            128 => rows_by_lane(types.a, &[rows, rows].concat()),
            _ => rows_by_lane(types.a, rows),
        };
        of_a = a.chunks(m / 2).flat_map(by_lane).collect();
    }
    let kernel = Kernel::new(types.kind, columns(m, n), 2, tensor).pair();
    let config = Config {
        schedule,
        ..blackwell()
    };
    let bench = Bench::with(&kernel.pair_ptx(), config);
    let (pa, pb) = (bench.bytes(&of_a), bench.bytes(&of_b));
    let out = bench.words(&vec![0xdead_beef; 2 * 128 * 256]);
    let transposed = [!tensor && lies[0].transposed, lies[1].transposed];
    let arguments = [
        Arg::U64(pa),
        Arg::U64(pb),
        Arg::U64(out),
        Arg::U64(lies[0].blackwell_descriptor(SMEM)),
        Arg::U64(lies[1].blackwell_descriptor(SMEM + PLACE)),
        Arg::U32(instruction(types, m, n, transposed)),
    ];
    let what = format!("{types:?} {m} x {n}, {lies:?}, {tensor}, {schedule:?}");
    bench
        .launch_with("k", LAUNCH, &arguments)
        .unwrap_or_else(|error| panic!("{what}: {error}"));
    let found = bench.read_words(out, 2 * 128 * 256);
    for (row, a) in a.iter().enumerate() {
        for (column, b) in b.iter().enumerate() {
            let sum: i32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            let found = found[place(m, n, row, column)];
            assert_eq!(found, bits(types.d, 2 * sum), "{what}: ({row}, {column})");
        }
    }
}

#[test]
fn pairs_multiply_every_type_and_layout() {
    let mut random = Random(21);
    for types in TYPES {
        for m in [128, 256] {
            for of_mn in 0..4 {
                let transposed = [of_mn & 1 == 1, of_mn & 2 == 2];
                if types.kind == "tf32" && of_mn != 0 {
                    continue;
                }
                let width = [32, 64, 128][random.below(3)];
                let step = if bytes(types.b) == 1 { 32 } else { 16 };
                let n = step * (1 + random.below(256 / step));
                let lies = [
                    layout(types.a, width, transposed[0]),
                    layout(types.b, width, transposed[1]),
                ];
                product(types, (m, n), lies, false, SCHEDULES[random.below(4)]);
            }
            let lies = [types.a, types.b].map(|ty| layout(ty, 128, false));
            product(types, (m, 64), lies, true, SCHEDULES[random.below(4)]);
        }
    }
}

const BF16: Types = Types {
    kind: "f16",
    a: "bf16",
    b: "bf16",
    d: "f32",
};

fn right() -> Kernel {
    Kernel::new("f16", 32, 2, false).pair()
}

/// The finding of a module, for a product of 256 x 32.
fn found(text: &str, schedule: Schedule) -> Result<(), String> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    let bench = Bench::with(text, config);
    let (pa, pb) = (bench.bytes(&[0; 2 * PLACE]), bench.bytes(&[0; 2 * PLACE]));
    let out = bench.words(&vec![0; 2 * 128 * 256]);
    let lies = layout("bf16", 128, false);
    let arguments = [
        Arg::U64(pa),
        Arg::U64(pb),
        Arg::U64(out),
        Arg::U64(lies.blackwell_descriptor(SMEM)),
        Arg::U64(lies.blackwell_descriptor(SMEM + PLACE)),
        Arg::U32(instruction(BF16, 256, 32, [false; 2])),
    ];
    match bench.launch_with("k", LAUNCH, &arguments) {
        Ok(_) => Ok(()),
        Err(LaunchError::Fault(fault)) => Err(fault.to_string()),
        Err(other) => panic!("{other}"),
    }
}

/// A name, what is replaced in the module by what, and a part of the finding.
type Fault = (&'static str, &'static str, &'static str, &'static str);

const ALLOC: &str = "    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 512;";
const DEALLOC: &str = "    tcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 512;";

const FAULTS: [Fault; 12] = [
    (
        "the blocks ask for different numbers of columns",
        ALLOC,
        "    shr.u32 %t4, 512, %rank;\n    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], %t4;",
        "the pair's blocks disagree: this one asks for .* columns, rank .* of the cluster for .* columns",
    ),
    (
        "one block alone allocates",
        ALLOC,
        "    setp.eq.u32 %p, %rank, 1;\n    @%p bra ALLOCATED;\n    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 512;",
        "for a warp of the pair's other block, rank 1 of the cluster|uninitialised shared memory",
    ),
    (
        "one block alone gives back",
        DEALLOC,
        "    setp.eq.u32 %p, %rank, 1;\n    @%p bra DONE;\n    tcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 512;",
        "for a warp of the pair's other block|has ended|the block ends with 512 columns",
    ),
    (
        "one block ends before the pair multiplies",
        "    barrier.cluster.wait.aligned;\n    tcgen05.fence::after_thread_sync;",
        "    barrier.cluster.wait.aligned;\n    setp.eq.u32 %p, %rank, 1;\n    @%p exit;\n    tcgen05.fence::after_thread_sync;",
        "the block ends with 512 columns|rank 1 of the cluster, has ended|nothing in it has waited for this `tcgen05.mma",
    ),
    (
        "the leader has not waited for the peer's operands",
        "    fence.proxy.async;\n    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;",
        "    fence.proxy.async;\n    bar.sync 0;",
        "uninitialised shared memory|of block (1,0,0)|which are not all in an allocation",
    ),
    (
        "both blocks multiply",
        "@!%leader bra ISSUED;",
        "@!%first bra ISSUED;",
        "D is written in column .*: |waits at the mbarrier|the phase waits for",
    ),
    (
        "a commit at the leader alone",
        "%both, 3;",
        "%both, 1;",
        "of the cluster's block 1 (.*) wait.* at the mbarrier",
    ),
    (
        "a commit at a block that there is not",
        "%both, 3;",
        "%both, 5;",
        "tcgen05.commit at the blocks 0x0005 of a cluster of 2",
    ),
    (
        "the peer waits by the wrong parity",
        "mbarrier.try_wait.parity.shared.b64 %p, [bar], 0;",
        "mbarrier.try_wait.parity.shared.b64 %p, [bar], %rank;",
        "no tcgen05.commit behind it has completed|which was never written|is read and was never written",
    ),
    (
        "the peer reads D without a wait",
        "WAIT:\n",
        "    setp.eq.u32 %p, %rank, 1;\n    @%p bra WAITED;\nWAIT:\n",
        "no tcgen05.commit behind it has completed|is read and was never written",
    ),
    (
        "the pair's blocks in no cluster",
        ".reqnctapercluster 2\n",
        "",
        "`.cta_group::2` in a cluster of 1",
    ),
    (
        "columns given back under the peer's loads",
        "    tcgen05.fence::before_thread_sync;\n    barrier.cluster.arrive.aligned;\n    barrier.cluster.wait.aligned;\n    @!%zero bra DONE;",
        "    tcgen05.fence::before_thread_sync;\n    @!%zero bra DONE;",
        "columns are given back|is in no allocation",
    ),
];

#[test]
fn what_is_wrong_around_pairs_is_found_under_every_schedule() {
    let text = right().pair_ptx().replace(
        "after_thread_sync;\n    add.u32",
        "after_thread_sync;\nWAITED:\n    add.u32",
    );
    for schedule in SCHEDULES {
        assert_eq!(found(&text, schedule), Ok(()), "{schedule:?}");
        for (name, from, to, said) in FAULTS {
            assert!(text.contains(from), "{name}\n{text}");
            let fault = found(&text.replace(from, to), schedule).expect_err(name);
            assert!(says(&fault, said), "{name}, {schedule:?}: {fault}");
        }
    }
}

/// What is another way of doing the same right.
#[test]
fn other_ways_of_a_pair_are_silent() {
    let text = right().pair_ptx();
    for (name, from, to) in [
        // Either block's thread may multiply.
        (
            "the odd block multiplies",
            "or.b32 %t0, %tid, %rank;",
            "xor.b32 %t0, %rank, 1;\n    or.b32 %t0, %t0, %tid;",
        ),
        // Columns need not be all.
        ("fewer columns", ", 512;", ", 64;"),
    ] {
        let other = text.replace(from, to);
        assert_ne!(other, text, "{name}");
        for schedule in SCHEDULES {
            assert_eq!(found(&other, schedule), Ok(()), "{name}, {schedule:?}");
        }
    }
}
