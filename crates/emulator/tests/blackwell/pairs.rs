//! Products of pairs of blocks (`.cta_group::2`) against plain sums, and what is wrong around them.
//!
//! ```text
//!   block 0   A rows 0 ..,   B columns 0 ..    ─┐            ┌─► D rows 0 ..
//!                                                ├─ mma ─ commit at both
//!   block 1   A rows M/2 .., B columns N/2 ..  ─┘            └─► D rows M/2 ..
//! ```

use super::common::operand::{Layout, bits, bytes};
use super::common::{Arg, Random};
use super::faults::says;
use super::kernel::{BEGUN, Kernel, PLACE, Run, none};
use super::products::{
    SMEM, TYPES, Types, descriptors, instruction, layout, operand, rows_by_lane, words_of_d,
};
use super::{SCHEDULES, blackwell};
use emulator::{Config, Schedule, TensorElement, TensorMap, TensorSwizzle};

/// Returns the index of the word that has an element of D, counted over both blocks.
pub fn place(m: usize, n: usize, row: usize, column: usize) -> usize {
    let (block, row, half) = (row / (m / 2), row % (m / 2), n / 2);
    let (lane, column) = match m {
        128 => (row + 64 * (column / half), column % half),
        _ => (row, column),
    };
    256 * (128 * block + lane) + column
}

/// Returns the number of columns that D has in each block.
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
    let what = format!("{types:?} {m} x {n}, {lies:?}, {tensor}, {schedule:?}");
    let case = (types, (m, n), lies, tensor, schedule);
    let found = words_of_d(case, &kernel.pair_ptx(), 2, [&of_a, &of_b])
        .unwrap_or_else(|error| panic!("{what}: {error}"));
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

/// Runs a module for a product of 256 x 32 and returns the text of the fault as the error if there
/// is one.
fn found(text: &str, schedule: Schedule) -> Result<(), String> {
    let config = Config {
        schedule,
        ..blackwell()
    };
    let run = Run {
        text,
        config,
        blocks: 2,
        places: [&[0; 2 * PLACE]; 2],
        descriptors: descriptors([layout("bf16", 128, false); 2]),
        instruction: instruction(BF16, 256, 32, [false; 2]),
    };
    run.finding(none)
}

/// A name, what is replaced in the module by what, and a part of the finding.
type Fault = (&'static str, &'static str, &'static str, &'static str);

const ALLOC: &str = "    tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 512;";
const DEALLOC: &str = "    tcgen05.dealloc.cta_group::2.sync.aligned.b32 %base, 512;";

const FAULTS: [Fault; 13] = [
    (
        "the pair allocates before anything shows that the other block has begun",
        BEGUN,
        "    bar.sync 0;\n",
        "nothing shows that the pair's other block, rank .*, has begun: no barrier.cluster stands between",
    ),
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

/// Other correct ways to write the same kernel have no finding.
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

/// Bytes that TMA brings to each block: 128 rows of A and 16 columns of B, of 128 bytes.
const BYTES: usize = 128 * (128 + 16);

/// Returns the module for 256 x 32 whose operands come by TMA. The bytes of both blocks complete at
/// the mbarrier object of the even block, whose first thread waits for it.
fn by_tma() -> String {
    let mut kernel = right();
    kernel.setup = format!(
        "
    mbarrier.init.shared.b64 [bar], 1;
    mbarrier.init.shared.b64 [bar2], 1;
    fence.mbarrier_init.release.cluster;
    @%leader mbarrier.arrive.expect_tx.shared.b64 %q0, [bar2], {};",
        2 * BYTES
    );
    let load = |to: &str, map: &str, rows: usize| {
        format!(
            "
    mov.b64 %q1, {map};
    cvta.param.u64 %q1, %q1;
    mul.lo.u32 %r1, %rank, {rows};
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [{to}], [%q1, {{%r0, %r1}}], [%t4];"
        )
    };
    kernel.before += &format!(
        "
    @!%first bra LOADED;
    mov.u32 %t4, bar2;
    and.b32 %t4, %t4, 0xfeffffff;
    add.u32 %t5, %t3, {PLACE};
    mov.u32 %r0, 0;{}{}
LOADED:
    bar.warp.sync 0xffffffff;",
        load("%t3", "mapa", 128),
        load("%t5", "mapb", 16)
    );
    kernel.products = format!(
        "
LOADING:
    mbarrier.try_wait.parity.shared.b64 %p, [bar2], 0;
    @!%p bra LOADING;{}",
        kernel.products
    );
    let maps = "pi, .param .align 64 .b8 mapa[128], .param .align 64 .b8 mapb[128])";
    kernel
        .pair_ptx()
        .replace("pi)", maps)
        .replace(".b64 bar;", ".b64 bar;\n    .shared .align 8 .b64 bar2;")
}

/// Texts of a module, and what they become.
type Changes<'a> = &'a [(&'a str, &'a str)];

/// Runs a module whose operands come by TMA, and returns the words of D.
fn run_by_tma(text: &str, schedule: Schedule, places: [&[u8]; 2]) -> Result<Vec<u32>, String> {
    // Rows of 128 bytes, eight of them 1024 apart, swizzled as a whole.
    let descriptor = |at: usize| at as u64 >> 4 | 1 << 16 | 64 << 32 | 1 << 46 | 2 << 61;
    let run = Run {
        text,
        config: Config {
            schedule,
            ..blackwell()
        },
        blocks: 2,
        places,
        descriptors: [descriptor(SMEM), descriptor(SMEM + PLACE)],
        instruction: instruction(BF16, 256, 32, [false; 2]),
    };
    let found = run.launch(|buffers| {
        let maps = buffers.into_iter().zip([256, 32]).map(|(buffer, rows)| {
            let boxes = [64, rows as u32 / 2];
            let bf16 = TensorElement::Bf16;
            let mut map = TensorMap::new(bf16, buffer, &[64, rows], &[128], &boxes);
            map.swizzle = TensorSwizzle::B128;
            Arg::Bytes(map.encode().unwrap().to_vec())
        });
        maps.collect()
    });
    found.map_err(|error| error.to_string())
}

#[test]
fn operands_of_a_pair_come_by_tma_to_one_object() {
    let mut random = Random(6);
    let mut rows = |rows: usize| {
        let draw = |_| (0..16).map(|_| random.below(5) as i32 - 2).collect();
        let numbers: Vec<Vec<i32>> = (0..rows).map(draw).collect();
        let mut place = vec![0; 2 * PLACE];
        for (row, values) in numbers.iter().enumerate() {
            for (k, &value) in values.iter().enumerate() {
                let at = 128 * row + 2 * k;
                place[at..at + 2].copy_from_slice(&bits("bf16", value).to_le_bytes()[..2]);
            }
        }
        (numbers, place)
    };
    let ((a, of_a), (b, of_b)) = (rows(256), rows(32));
    let text = by_tma();
    for schedule in SCHEDULES {
        let found = run_by_tma(&text, schedule, [&of_a, &of_b]).unwrap();
        for (row, column) in (0..256).flat_map(|row| (0..32).map(move |column| (row, column))) {
            let products = a[row].iter().zip(&b[column]).map(|(a, b)| a * b);
            let expected = bits("f32", 2 * products.sum::<i32>());
            let found = found[place(256, 32, row, column)];
            assert_eq!(found, expected, "{schedule:?}: ({row}, {column})");
        }
        let expected = format!("[bar2], {};", 2 * BYTES);
        let own = format!("[bar2], {BYTES};");
        let to_leader = "    and.b32 %t4, %t4, 0xfeffffff;\n";
        // Found by whichever comes second: the product, or the copy.
        let unordered = "write of shared memory that a `tcgen05.mma|and no wait for phase .* of the mbarrier at .* orders the two";
        let faults: [(&str, Changes, &str); 4] = [
            (
                "bytes of one block are expected",
                &[(&expected, &own)],
                unordered,
            ),
            (
                "the leader does not wait",
                &[("    @!%p bra LOADING;", "")],
                unordered,
            ),
            (
                "an object of the other block without .cta_group",
                &[(".cta_group::2 [%t", " [%t")],
                "the object is in the cluster's block 0, the destination in block 1",
            ),
            (
                "each block's bytes at its own object, the leader waits for its own",
                &[
                    (&expected, &own),
                    ("@%leader mbarrier", "mbarrier"),
                    (to_leader, ""),
                ],
                unordered,
            ),
        ];
        for (name, changes, said) in faults {
            let mut wrong = text.clone();
            for (from, to) in changes {
                assert!(wrong.contains(from), "{name}: {from}");
                wrong = wrong.replace(from, to);
            }
            let found = run_by_tma(&wrong, schedule, [&of_a, &of_b]).expect_err(name);
            assert!(says(&found, said), "{name}, {schedule:?}: {found}");
        }
    }
}
