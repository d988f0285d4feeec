//! Checks bulk copies and tensor copies under every schedule: the bytes that they move, and the
//! faults around them.

use super::listing::{self, Parameters};
use super::*;
use emulator::{Emulator, Schedule, TensorElement, TensorMap, TensorSwizzle};

pub const SCHEDULES: [Schedule; 5] = [
    Schedule::Early,
    Schedule::Late,
    Schedule::Seeded(1),
    Schedule::Seeded(2),
    Schedule::Seeded(3),
];

/// Writes a kernel `k` with a tensor map, whose generic address is `%map`, and a buffer `%a1`.
pub fn mapped(directives: &str, body: &str) -> String {
    format!(
        ".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 dynamic[];\n\
         .visible .entry k(.param .align 64 .b8 tensor[128], .param .u64 p1) {directives} {{\n\
         .reg .pred %p<16>; .reg .b16 %h<8>; .reg .b32 %r<64>; .reg .b64 %d<64>; .reg .b64 %a1; .reg .b64 %map; .reg .b32 %tid;\n\
         mov.u32 %tid, %tid.x; ld.param.u64 %a1, [p1]; mov.b64 %map, tensor; cvta.param.u64 %map, %map; mov.u32 %r30, dynamic;\n\
         setp.eq.u32 %p1, %tid, 0;\n{body}\nret;\n}}\n"
    )
}

/// A device under a schedule, with a tensor of distinct bytes and a buffer of words that count up.
pub struct Tensors {
    pub device: Emulator,
    pub tensor: u64,
    pub buffer: u64,
}

impl Tensors {
    pub fn new(schedule: Schedule, bytes: &[u8]) -> Tensors {
        let config = Config {
            schedule,
            ..Config::default()
        };
        Tensors::with(config, bytes)
    }

    pub fn with(config: Config, bytes: &[u8]) -> Tensors {
        let device = Emulator::new(config);
        let tensor = device.alloc(bytes.len()).unwrap();
        device.write(tensor, bytes).unwrap();
        let buffer = device.alloc(1 << 16).unwrap();
        let words: Vec<u8> = (0..1u32 << 14).flat_map(u32::to_le_bytes).collect();
        device.write(buffer, &words).unwrap();
        Tensors {
            device,
            tensor,
            buffer,
        }
    }

    pub fn run(
        &self,
        text: &str,
        grid: u32,
        threads: u32,
        map: &TensorMap,
    ) -> Result<Report, LaunchError> {
        let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
        self.device.load(&program).unwrap();
        let launch = Launch {
            grid: [grid, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: 48 << 10,
        };
        let map = map.encode().unwrap();
        let params: [&[u8]; 2] = [&map, &self.buffer.to_le_bytes()];
        self.device.launch(&program, "k", &launch, &params, None)
    }

    pub fn read(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut out = vec![0; bytes];
        self.device.read(address, &mut out).unwrap();
        out
    }
}

pub fn numbers(n: usize) -> Vec<u8> {
    (0..n as u32)
        .flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 7).to_le_bytes())
        .collect()
}

/// Initialises an object at `%r30` for one arrival, and makes it visible to all threads.
pub const MADE: &str = "@%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 fence.mbarrier_init.release.cluster; bar.sync 0;\n";
pub const WAIT: &str =
    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT;\n";

/// Writes code that loads a box to `%r30 + 1024`, and copies it from shared memory to the buffer,
/// byte after byte.
pub fn loading(rank: usize, at: &[i32], bytes: usize) -> String {
    loading_rows(rank, at, bytes, (0, bytes))
}

/// Writes code as [`loading`] does, for a box of `bytes` bytes at `base` bytes after `%r30 + 1024`,
/// and copies `span` bytes from there on.
fn loading_rows(rank: usize, at: &[i32], bytes: usize, (base, span): (usize, usize)) -> String {
    let base = base + 1024;
    let list: Vec<String> = at.iter().map(i32::to_string).collect();
    format!(
        "{MADE}add.u32 %r1, %r30, {base};\n@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], {bytes};\n\
         @%p1 cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%map, {{{}}}], [%r30];\n\
         {WAIT}mov.u32 %r2, %tid;\nLOOP: setp.ge.u32 %p3, %r2, {}; @%p3 bra END;\n\
         mad.lo.u32 %r3, %r2, 4, %r1; ld.shared.u32 %r4, [%r3]; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a1, %d1; st.global.u32 [%d1], %r4;\n\
         add.u32 %r2, %r2, 32; bra LOOP; END:",
        list.join(", "),
        span / 4,
    )
}

/// Returns the bytes of a box in shared memory, computed by the definition, element after element.
fn expected(map: &TensorMap, tensor: &[u8], at: &[i32]) -> Vec<u8> {
    let (moved, size) = (map.moved(), map.element.bytes());
    let mut all = vec![0; map.box_span()];
    for n in 0..moved.iter().product::<usize>() {
        let (mut rest, mut inside, mut place) = (n, true, 0);
        for d in 0..map.rank() {
            let i = i64::from(at[d]) + (rest % moved[d]) as i64 * i64::from(map.element_strides[d]);
            rest /= moved[d];
            inside &= i >= 0 && i < map.extents[d] as i64;
            place += i * if d == 0 {
                size as i64
            } else {
                map.strides[d - 1] as i64
            };
        }
        for byte in 0..size {
            let nan = if byte % 2 == 1 { 0x7f } else { 0xf7 };
            let offset = n / moved[0] * map.row_pitch() + n % moved[0] * size + byte;
            all[map.swizzle.apply(offset)] = match inside {
                true => tensor[place as usize + byte],
                false if map.fill_nan => nan,
                false => 0,
            };
        }
    }
    all
}

#[test]
fn boxes_of_every_rank_and_swizzle_come_as_they_are_defined() {
    let tensor = numbers(1 << 13);
    type Boxed<'a> = (&'a [u64], &'a [u64], &'a [u32], &'a [i32]);
    let ranks: [Boxed; 5] = [
        (&[1000], &[], &[64], &[968]),
        (&[70, 50], &[160], &[32, 16], &[-8, 40]),
        (&[33, 9, 7], &[80, 720], &[16, 4, 4], &[24, 7, -2]),
        (
            &[16, 5, 4, 3],
            &[32, 160, 640],
            &[16, 4, 2, 2],
            &[8, 3, 3, 2],
        ),
        (
            &[16, 3, 3, 3, 3],
            &[48, 144, 432, 1296],
            &[16, 2, 2, 2, 2],
            &[0, -1, 2, 1, 2],
        ),
    ];
    let mut tried = 0;
    for (extents, strides, sides, at) in ranks {
        for (element, swizzle) in [
            (TensorElement::U16, TensorSwizzle::None),
            (TensorElement::U16, TensorSwizzle::B32),
            (TensorElement::Bf16, TensorSwizzle::B64),
            (TensorElement::F16, TensorSwizzle::B128),
        ] {
            let bench = Tensors::new(Schedule::Late, &tensor);
            let mut map = TensorMap::new(element, bench.tensor, extents, strides, sides);
            (map.swizzle, map.fill_nan) = (swizzle, element != TensorElement::U16);
            if map.encode().is_err()
                || !map.box_span().is_multiple_of(1024) && swizzle != TensorSwizzle::None
            {
                map.box_extents[0] = 16;
            }
            if map.encode().is_err() {
                continue;
            }
            tried += 1;
            let (bytes, span) = (map.box_bytes(), map.box_span());
            let text = mapped("", &loading_rows(map.rank(), at, bytes, (0, span)));
            if let Err(error) = bench.run(&text, 1, 32, &map) {
                panic!("{map:?}: {error}");
            }
            assert_eq!(
                bench.read(bench.buffer, span),
                expected(&map, &tensor, at),
                "{map:?}"
            );
        }
    }
    assert!(tried >= 15, "{tried}");
}

/// Checks rows with every multiple of 16 bytes, under every swizzle and from every multiple of 128
/// bytes on, with an H200's result: rows are the swizzle's span apart, the barrier counts only the
/// rows' bytes, and the swizzle applies to addresses, not to positions in the box.
#[test]
fn rows_narrower_than_their_swizzle_lie_its_span_apart() {
    const ROWS: usize = 20;
    let tensor: Vec<u8> = (0..64 * 64u16).flat_map(u16::to_le_bytes).collect();
    let swizzles = [
        (TensorSwizzle::None, 128),
        (TensorSwizzle::B32, 32),
        (TensorSwizzle::B64, 64),
        (TensorSwizzle::B128, 128),
    ];
    for (swizzle, widest) in swizzles {
        for (row, base) in (16..=widest)
            .step_by(16)
            .flat_map(|row| (0..1024).step_by(128).map(move |base| (row, base)))
        {
            let pitch = if swizzle == TensorSwizzle::None {
                row
            } else {
                widest
            };
            let bench = Tensors::new(Schedule::Late, &tensor);
            let sides = [row as u32 / 2, ROWS as u32];
            let mut map =
                TensorMap::new(TensorElement::U16, bench.tensor, &[64, 64], &[128], &sides);
            map.swizzle = swizzle;
            // The span of a box that does not begin at a multiple of the swizzle's pattern ends
            // within the pattern.
            let span = (ROWS * pitch).next_multiple_of(1024);
            let text = mapped("", &loading_rows(2, &[0, 3], ROWS * row, (base, span)));
            // Bytes that no row has are not written; this test does not check reads of them.
            let text = text.replace(MADE, &format!("{MADE}{ZEROS}"));
            let ran = bench.run(&text, 1, 32, &map);
            ran.unwrap_or_else(|error| panic!("{swizzle:?} {row} {base}: {error}"));
            let found = bench.read(bench.buffer, span);
            for (j, i) in (0..ROWS).flat_map(|j| (0..row / 2).map(move |i| (j, i))) {
                let place = swizzle.apply(base + j * pitch + 2 * i) - base;
                let wanted = (64 * (j + 3) + i) as u16;
                assert_eq!(
                    found[place..place + 2],
                    wanted.to_le_bytes(),
                    "{swizzle:?} {row} {base}"
                );
            }
            // The box is stored back, to rows 20 further on.
            let store = format!(
                "add.u32 %r1, %r30, {}; mov.u32 %r2, %tid; LOOP: mad.lo.u32 %r3, %r2, 4, %r1; st.shared.u32 [%r3], %r2; add.u32 %r2, %r2, 32; setp.lt.u32 %p3, %r2, {}; @%p3 bra LOOP;\n\
                 fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END;\n\
                 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {{0, 23}}], [%r1]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; END:",
                base + 1024,
                span / 4
            );
            let ran = bench.run(&mapped("", &store), 1, 32, &map);
            ran.unwrap_or_else(|error| panic!("{swizzle:?} {row} {base}: {error}"));
            let found = bench.read(bench.tensor, tensor.len());
            for (j, i) in (0..ROWS).flat_map(|j| (0..row).map(move |i| (j, i))) {
                let place = swizzle.apply(base + j * pitch + i) - base;
                let wanted = (place as u32 / 4).to_le_bytes()[place % 4];
                assert_eq!(
                    found[128 * (j + 23) + i],
                    wanted,
                    "{swizzle:?} {row} {base}"
                );
            }
        }
    }
}

/// Writes zeros from `%r30 + 1024` on, over which asynchronous copies then write.
const ZEROS: &str = "mov.u32 %r2, %tid; ZERO: mad.lo.u32 %r3, %r2, 4, %r30; st.shared.u32 [%r3+1024], 0; add.u32 %r2, %r2, 32; setp.lt.u32 %p3, %r2, 1024; @%p3 bra ZERO;\n\
    fence.proxy.async.shared::cta; bar.sync 0;\n";

/// Returns the map of a tile with 64 rows and 64 columns of halves.
pub fn tile(address: u64, swizzle: TensorSwizzle) -> TensorMap {
    let mut map = TensorMap::new(TensorElement::F16, address, &[128, 96], &[256], &[64, 64]);
    map.swizzle = swizzle;
    map
}

/// Each thread writes its part of the box to shared memory, and the box is stored from there.
pub const STORING: &str = "mov.u32 %r2, %tid; LOOP: mad.lo.u32 %r3, %r2, 4, %r30; st.shared.u32 [%r3], %r2; add.u32 %r2, %r2, 32; setp.lt.u32 %p3, %r2, 2048; @%p3 bra LOOP;\n\
    fence.proxy.async.shared::cta; bar.sync 0; @!%p1 bra END;\n\
    cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {96, 48}], [%r30]; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; END:";

#[test]
fn boxes_are_stored_where_they_are_inside() {
    for schedule in SCHEDULES {
        let before = numbers(128 * 96 / 2);
        let bench = Tensors::new(schedule, &before);
        let map = tile(bench.tensor, TensorSwizzle::B128);
        let run = |body: &str| bench.run(&mapped("", body), 1, 32, &map);
        run(STORING).unwrap_or_else(|error| panic!("{error}"));
        let after = bench.read(bench.tensor, before.len());
        let half = |bytes: &[u8], at: usize| u16::from_le_bytes([bytes[2 * at], bytes[2 * at + 1]]);
        let stored = |i: usize, j: usize| {
            let place = map.swizzle.apply(128 * j + 2 * i);
            ((place / 4) as u32 >> (place % 4 * 8)) as u16
        };
        for (y, x) in (0..96).flat_map(|y| (0..128).map(move |x| (y, x))) {
            let at = 128 * y + x;
            let wanted = match (x >= 96, y >= 48) {
                (true, true) => stored(x - 96, y - 48),
                _ => half(&before, at),
            };
            assert_eq!(half(&after, at), wanted, "{schedule:?} ({x}, {y})");
        }
        // The reduction adds the same box to the values that the store has left.
        let reduce = STORING.replace(
            "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group",
            "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group",
        );
        run(&reduce).unwrap_or_else(|error| panic!("{error}"));
        let twice = bench.read(bench.tensor, before.len());
        let number = |bits: u16| half_number(bits);
        let at = 128 * 60 + 100;
        assert_eq!(number(half(&twice, at)), 2.0 * number(half(&after, at)));
    }
}

/// Checks with an H200's result that a store writes whole units of 16 bytes: if a row's bytes are
/// no multiple of 16, the bytes after the row are written to the end of its last unit.
#[test]
fn a_store_writes_16_bytes_at_a_time() {
    let before = numbers(128 * 96 / 2);
    for (extent, end) in [(112, 112), (113, 120), (119, 120), (125, 128)] {
        let bench = Tensors::new(Schedule::Early, &before);
        let mut map = tile(bench.tensor, TensorSwizzle::None);
        map.extents[0] = extent;
        bench
            .run(&mapped("", STORING), 1, 32, &map)
            .unwrap_or_else(|error| panic!("{error}"));
        let after = bench.read(bench.tensor, before.len());
        for (y, x) in (0..96).flat_map(|y| (0..128).map(move |x| (y, x))) {
            let at = 2 * (128 * y + x);
            let wanted = match (96..end).contains(&x) && y >= 48 {
                true => {
                    let place = 128 * (y - 48) + 2 * (x - 96);
                    ((place / 4) as u32 >> (place % 4 * 8)) as u16
                }
                false => u16::from_le_bytes([before[at], before[at + 1]]),
            };
            let found = u16::from_le_bytes([after[at], after[at + 1]]);
            assert_eq!(found, wanted, "extent {extent}: ({x}, {y})");
        }
    }
}

/// Checks that the innermost coordinate of a load may be negative, and that one of a store may be
/// past the tensor.
#[test]
fn coordinates_outside_of_the_tensor_are_right() {
    let tensor = numbers(128 * 96 / 2);
    for body in [
        loading(2, &[-8, 0], 8192),
        STORING.replace("{96, 48}", "{96, 4096}"),
    ] {
        let bench = Tensors::new(Schedule::Early, &tensor);
        let map = tile(bench.tensor, TensorSwizzle::B128);
        let done = bench.run(&mapped("", &body), 1, 32, &map);
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}

fn half_number(bits: u16) -> f32 {
    let (exponent, fraction) = ((bits >> 10 & 31) as i32, f32::from(bits & 1023));
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}

#[test]
fn a_box_comes_to_several_blocks_at_once() {
    // Block 1 of 2 requests a box for both blocks, and each block waits at its own object.
    let body = format!(
        "{}mov.u32 %r5, %cluster_ctarank; add.u32 %r1, %r30, 1024; setp.eq.and.u32 %p4, %r5, 1, %p1; mov.u16 %h1, 3;\n\
         barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n\
         @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 8192;\n\
         @%p4 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%map, {{0, 32}}], [%r30], %h1;\n\
         {WAIT}mad.lo.u32 %r3, %tid, 4, %r1; ld.shared.u32 %r4, [%r3]; mad.lo.u32 %r6, %r5, 32, %tid; mul.wide.u32 %d1, %r6, 4; add.u64 %d1, %a1, %d1;\n\
         st.global.u32 [%d1], %r4; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
        MADE
    );
    let tensor = numbers(128 * 96 / 2);
    for schedule in SCHEDULES {
        let bench = Tensors::new(schedule, &tensor);
        let map = tile(bench.tensor, TensorSwizzle::B64);
        let mut map = map;
        (map.box_extents[0], map.swizzle) = (32, TensorSwizzle::B64);
        let body = body.replace("8192", "4096");
        let run = |body: &str| bench.run(&mapped(".reqnctapercluster 2", body), 2, 32, &map);
        run(&body).unwrap_or_else(|error| panic!("{error}"));
        let row = &expected(&map, &tensor, &[0, 32])[..128];
        assert_eq!(
            bench.read(bench.buffer, 256),
            [row, row].concat(),
            "{schedule:?}"
        );
        let beyond = body.replace("mov.u16 %h1, 3", "mov.u16 %h1, 5");
        let said = run(&beyond).unwrap_err().to_string();
        assert!(
            said.contains("a mask of blocks 0x0005 in a cluster of 2"),
            "{said}"
        );
    }
}

#[test]
fn runs_go_between_global_and_shared_memory_and_between_blocks() {
    // 512 bytes are copied from the buffer to the next block's shared memory, added there to its
    // own, and copied back.
    let body = "@%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 mbarrier.init.shared::cta.b64 [%r30+8], 1; @%p1 fence.mbarrier_init.release.cluster;\n\
        bar.sync 0; mov.u32 %r5, %cluster_ctarank; xor.b32 %r6, %r5, 1; mapa.shared::cluster.u32 %r7, %r30, %r6; mul.wide.u32 %d1, %r5, 512; add.u64 %d2, %a1, %d1;\n\
        barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; @!%p1 bra END;\n\
        mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 512; mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30+8], 512;\n\
        cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%r30+1024], [%d2], 512, [%r30], %d5;\n\
        WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 0; @!%p2 bra WAIT;\n\
        cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r7+2048], [%r30+1024], 512, [%r7+8];\n\
        NEXT: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p2, [%r30+8], 0; @!%p2 bra NEXT;\n\
        cp.async.bulk.prefetch.L2.global [%d2], 512;\n\
        cp.async.bulk.global.shared::cta.bulk_group [%d2+4096], [%r30+2048], 512;\n\
        cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%d2+4096], [%r30+1024], 512; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n\
        END: barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
        .replace("[%r7+2048]", "[%r20]").replace("[%r7+8]", "[%r21]")
        .replace("mul.wide.u32 %d1, %r5", "add.u32 %r20, %r7, 2048; add.u32 %r21, %r7, 8; mul.wide.u32 %d1, %r5");
    for schedule in SCHEDULES {
        let bench = Tensors::new(schedule, &[0; 32768]);
        let map = tile(bench.tensor, TensorSwizzle::None);
        bench
            .run(&mapped(".reqnctapercluster 2", &body), 2, 32, &map)
            .unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
        let words: Vec<u32> = bench
            .read(bench.buffer + 4096, 1024)
            .chunks_exact(4)
            .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
            .collect();
        let expected: Vec<u32> = (0..256).map(|i| i + (i ^ 128)).collect();
        assert_eq!(words, expected, "{schedule:?}");
    }
}

/// Returns the text of a fault and its instruction, which are the same under every schedule.
fn found(directives: &str, grid: u32, body: &str) -> (String, String) {
    let tensor = numbers(128 * 96 / 2);
    let mut all: Vec<(String, String, String)> = SCHEDULES
        .map(|schedule| {
            let bench = Tensors::new(schedule, &tensor);
            let map = tile(bench.tensor, TensorSwizzle::B128);
            match bench.run(&mapped(directives, body), grid, 32, &map) {
                Err(LaunchError::Fault(fault)) => {
                    let place = fault.to_string();
                    (fault.what.to_string(), fault.instruction, place)
                }
                Err(other) => panic!("{schedule:?}: {other}"),
                Ok(_) => panic!("{schedule:?}: no fault\n{body}"),
            }
        })
        .into();
    all.dedup();
    assert_eq!(all.len(), 1, "{all:#?}");
    let (what, instruction, _) = all.remove(0);
    (what, instruction)
}

#[track_caller]
fn finds(
    what: &str,
    directives: &str,
    grid: u32,
    right: &str,
    (from, to): (&str, &str),
    says: &str,
    at: &str,
) {
    assert_eq!(right.matches(from).count(), 1, "{from}");
    let wrong = right.replace(from, to);
    let (said, instruction) = found(directives, grid, &wrong);
    listing::note(
        what,
        &mapped(directives, &wrong),
        Parameters::Tensor,
        grid,
        &instruction,
    );
    assert!(said.contains(says), "{said}");
    assert!(
        instruction.trim_start_matches("@%p1 ").starts_with(at),
        "{said}\n{instruction}"
    );
    let tensor = numbers(128 * 96 / 2);
    for schedule in SCHEDULES {
        let launched = |config: Config| {
            let bench = Tensors::with(Config { schedule, ..config }, &tensor);
            let map = tile(bench.tensor, TensorSwizzle::B128);
            bench.run(&mapped(directives, &wrong), grid, 32, &map)
        };
        let Err(LaunchError::Fault(fault)) = launched(Config::default()) else {
            panic!("{schedule:?}: no fault");
        };
        common::accepts(&fault, Config::default(), launched);
        let bench = Tensors::new(schedule, &tensor);
        let map = tile(bench.tensor, TensorSwizzle::B128);
        if let Err(error) = bench.run(&mapped(directives, right), grid, 32, &map) {
            panic!("{schedule:?}, right: {error}");
        }
    }
}

#[test]
fn what_is_wrong_around_copies_is_found_under_every_schedule() {
    let load = loading(2, &[0, 0], 8192);
    finds(
        "load read without a wait",
        "",
        1,
        &load,
        (WAIT, ""),
        "writes (8192 bytes from 0x800), and no wait for phase 0 of the mbarrier at 0x400 orders the two",
        "ld.shared",
    );
    finds(
        "mbarrier made without a fence for the copy",
        "",
        1,
        &load,
        ("@%p1 fence.mbarrier_init.release.cluster;", ""),
        "neither fence.mbarrier_init nor fence.proxy.async",
        "cp.async.bulk",
    );
    finds(
        "more bytes expected than come",
        "",
        1,
        &load,
        ("[%r30], 8192;", "[%r30], 8208;"),
        "phase 0 waits for 0 of 1 arrivals and 16 bytes",
        "mbarrier.try_wait",
    );
    // The copies are: a second box while no thread has waited for the first one; a box for which no
    // thread waits; and a box over words that threads still read.
    let twice = load.replace("@%p1 cp.async", "AGAIN:\n@%p1 cp.async");
    let (_, tail) = twice.split_once("AGAIN:\n").unwrap();
    let copy = tail.split_once(";\n").unwrap().0;
    let refilled = load.replace(WAIT, &format!("{WAIT}PLACE"))
        .replace("END:", &format!("END: bar.sync 0; @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30], 8192;\n{copy};\n\
            LAST: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 1; @!%p2 bra LAST;"))
        .replace("PLACE", "");
    finds(
        "buffer filled again while it is read",
        "",
        1,
        &refilled,
        ("END: bar.sync 0;", "END:"),
        "race on shared memory: asynchronous write (8192 bytes from 0x800, phase 1 of the mbarrier at 0x400) after thread",
        "cp.async.bulk",
    );
    finds(
        "second load not waited for at the end",
        "",
        1,
        &refilled,
        (
            "LAST: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r30], 1; @!%p2 bra LAST;",
            "",
        ),
        "which writes 8192 bytes from 0x800 of its shared memory and completes phase 1 of the mbarrier at 0x400",
        "cp.async.bulk",
    );
    finds(
        "thread's write, then a load over it, without a proxy fence",
        "",
        1,
        &refilled,
        (
            "add.u32 %r2, %r2, 32; bra LOOP;",
            "st.shared.u32 [%r3], %r4; add.u32 %r2, %r2, 32; bra LOOP;",
        ),
        "asynchronous write (8192 bytes from 0x800, phase 1 of the mbarrier at 0x400) of shared memory that thread",
        "cp.async.bulk",
    );
    finds(
        "fewer bytes expected than come",
        "",
        1,
        &load,
        ("[%r30], 8192;", "[%r30], 8176;"),
        "phase 0 waits for 0 of 1 arrivals and -16 bytes",
        "mbarrier.try_wait",
    );
    finds(
        "an arrival that nobody makes",
        "",
        1,
        &load,
        (
            "mbarrier.init.shared::cta.b64 [%r30], 1;",
            "mbarrier.init.shared::cta.b64 [%r30], 2;",
        ),
        "phase 0 waits for 1 of 2 arrivals and 0 bytes",
        "mbarrier.try_wait",
    );
    finds(
        "box at a place that its swizzle does not have",
        "",
        1,
        &load,
        ("add.u32 %r1, %r30, 1024", "add.u32 %r1, %r30, 1040"),
        "128",
        "cp.async.bulk.tensor",
    );
    finds(
        "box beyond the shared memory",
        "",
        1,
        &load,
        ("add.u32 %r1, %r30, 1024", "add.u32 %r1, %r30, 44032"),
        "shared",
        "cp.async.bulk.tensor",
    );
    finds(
        "load at a coordinate within 16 bytes",
        "",
        1,
        &load,
        ("{0, 0}", "{3, 0}"),
        "innermost coordinate 3 is byte 6 of a row, not a multiple of 16",
        "cp.async.bulk.tensor",
    );
    // The faults of stores.
    finds(
        "store of what threads wrote, without a proxy fence",
        "",
        1,
        STORING,
        ("fence.proxy.async.shared::cta; ", ""),
        "asynchronous read (6144 bytes from 0x400, bulk group 0 of its thread) of shared memory that thread (0,0,0) wrote, \
         and no fence.proxy.async",
        "cp.async.bulk.tensor",
    );
    finds(
        "proxy fence by one thread alone",
        "",
        1,
        STORING,
        (
            "fence.proxy.async.shared::cta; ",
            "@%p1 fence.proxy.async.shared::cta; ",
        ),
        "wrote, and no fence.proxy.async",
        "cp.async.bulk.tensor",
    );
    finds(
        "store without a barrier after the writes",
        "",
        1,
        STORING,
        ("bar.sync 0; ", ""),
        "race on shared memory: asynchronous read (6144 bytes from 0x400, bulk group 0 of its thread) after thread",
        "cp.async.bulk.tensor",
    );
    finds(
        "store not waited for at the end",
        "",
        1,
        STORING,
        ("cp.async.bulk.wait_group.read 0; ", ""),
        "nothing in it has waited for this `cp.async.bulk.tensor.2d.global.shared::cta.bulk_group`, \
         which reads 6144 bytes from 0x400 of its shared memory, in bulk group 0 of its thread",
        "cp.async.bulk.tensor",
    );
    for (what, at, says) in [
        (
            "store at a coordinate within 16 bytes",
            "{100, 48}",
            "innermost coordinate 100 is byte 200 of a row",
        ),
        (
            "store at a negative coordinate",
            "{-8, 48}",
            "coordinate 0 of what is written is -8",
        ),
        (
            "store at a negative row",
            "{96, -1}",
            "coordinate 1 of what is written is -1",
        ),
    ] {
        finds(
            what,
            "",
            1,
            STORING,
            ("{96, 48}", at),
            says,
            "cp.async.bulk.tensor",
        );
    }
    let after = STORING.replace("END:", "st.shared.u32 [%r30], %tid; END:");
    finds(
        "buffer written again while a store reads it",
        "",
        1,
        &after,
        (
            "cp.async.bulk.wait_group.read 0; st.shared.u32 [%r30], %tid;",
            "st.shared.u32 [%r30], %tid; cp.async.bulk.wait_group.read 0;",
        ),
        "write of shared memory that a `cp.async.bulk.tensor",
        "st.shared",
    );
    finds(
        "store in no group",
        "",
        1,
        &after,
        ("cp.async.bulk.commit_group; ", ""),
        "write of shared memory that a `cp.async.bulk.tensor",
        "st.shared",
    );
}

/// Checks the report of boxes for which no thread waits. The report names the box at the lowest
/// address, with that box's thread, bytes and phase, in whatever order the boxes were issued. A box
/// that was overwritten earlier is reported as overwritten.
#[test]
fn what_is_left_behind_is_told_of_by_itself() {
    let left = |first: u32, second: u32| {
        let one = |at: u32, bytes: u32, object: u32| {
            format!(
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r30+{object}], {bytes}; \
                 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r30+{at}], [%a1], {bytes}, [%r30+{object}];\n"
            )
        };
        let both = [(2048, 512, 0), (4096, 1024, 8)];
        let copies = [first, second].map(|i| {
            let (at, bytes, object) = both[i as usize];
            one(at, bytes, object)
        });
        let body = format!(
            "@%p1 mbarrier.init.shared::cta.b64 [%r30], 1; @%p1 mbarrier.init.shared::cta.b64 [%r30+8], 1; fence.mbarrier_init.release.cluster; bar.sync 0;\n\
             setp.eq.u32 %p4, %tid, 7; @!%p4 bra END;\n{}{}END:",
            copies[0], copies[1]
        );
        let places: Vec<String> = SCHEDULES
            .iter()
            .map(|&schedule| {
                let bench = Tensors::new(schedule, &[0; 32768]);
                let map = tile(bench.tensor, TensorSwizzle::None);
                match bench.run(&mapped("", &body), 1, 32, &map) {
                    Err(LaunchError::Fault(fault)) => fault.to_string(),
                    other => panic!("{schedule:?}: {other:?}"),
                }
            })
            .collect();
        assert!(
            places.iter().all(|place| *place == places[0]),
            "{places:#?}"
        );
        places[0].clone()
    };
    for order in [[0, 1], [1, 0]] {
        let said = left(order[0], order[1]);
        assert!(
            said.contains("which writes 512 bytes from 0xc00 of its shared memory and completes phase 0 of the mbarrier at 0x400")
                && said.contains("thread (7,0,0)"),
            "{said}"
        );
    }
}

#[test]
fn boxes_and_places_that_do_not_fit_are_faults() {
    let load = loading(2, &[0, 0], 8192);
    let bytes = Tensors::new(Schedule::Early, &[0; 4096]);
    let map = tile(bytes.tensor, TensorSwizzle::B128);
    let outside = bytes.run(&mapped("", &load), 1, 32, &map).unwrap_err();
    assert!(
        outside.to_string().contains("global access of"),
        "{outside}"
    );
    let driver = Program::parse(&mapped("", &load)).unwrap();
    bytes.device.load(&driver).unwrap();
    let launch = Launch {
        grid: [1, 1, 1],
        block: [32, 1, 1],
        dynamic_shared: 48 << 10,
    };
    let params: [&[u8]; 2] = [&[0; 128], &bytes.buffer.to_le_bytes()];
    let strange = bytes
        .device
        .launch(&driver, "k", &launch, &params, None)
        .unwrap_err();
    assert!(
        strange.to_string().contains("none that the emulator makes"),
        "{strange}"
    );
}
