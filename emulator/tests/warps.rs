//! Exchanges within a warp, barriers, and control flow in which lanes part and meet.

mod common;

use common::{Arg, Bench, Random, entry, kind};
use emulator::FaultKind;

/// Runs a body in which thread `i` of `threads` leaves `%r1` as its result; `%a0` is an input of as many words.
fn results(body: &str, threads: u32, input: &[u32]) -> Vec<u32> {
    let text = entry(
        2,
        &format!(
            "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0; ld.global.u32 %r0, [%d1]; mov.u32 %r1, 0;\n\
             {body}\nadd.u64 %d1, %a1, %d0; st.global.u32 [%d1], %r1; ret;"
        ),
    );
    let bench = Bench::new(&text);
    let (a, b) = (
        bench.words(input),
        bench.device.alloc(4 * threads as usize).unwrap(),
    );
    bench.run("k", 1, threads, &[Arg::U64(a), Arg::U64(b)]);
    bench.read_words(b, threads as usize)
}

fn random_words(n: usize, seed: u64) -> Vec<u32> {
    let mut random = Random(seed);
    (0..n).map(|_| random.word()).collect()
}

/// PTX ISA's own program for shfl, written down again.
fn shfl(mode: &str, lane: i32, b: i32, c: i32) -> (usize, bool) {
    let (bval, cval, segmask) = (b & 31, c & 31, c >> 8 & 31);
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, p) = match mode {
        "up" => (lane - bval, lane - bval >= max_lane),
        "down" => (lane + bval, lane + bval <= max_lane),
        "bfly" => (lane ^ bval, (lane ^ bval) <= max_lane),
        _ => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    (if p { j as usize } else { lane as usize }, p)
}

#[test]
fn shuffles() {
    let input = random_words(64, 3);
    for mode in ["up", "down", "bfly", "idx"] {
        for b in [0, 1, 2, 5, 16, 31] {
            for segment in [0, 16, 24, 28, 31] {
                let clamp = if mode == "up" { 0 } else { 31 };
                let c = segment << 8 | clamp;
                let body = format!(
                    "shfl.sync.{mode}.b32 %r1|%p1, %r0, {b}, {c}, 0xffffffff; selp.u32 %r2, 1, 0, %p1; xor.b32 %r1, %r1, %r2;"
                );
                let found = results(&body, 64, &input);
                for (i, &found) in found.iter().enumerate() {
                    let (source, valid) = shfl(mode, i as i32 % 32, b, c);
                    let expected = input[i / 32 * 32 + source] ^ u32::from(valid);
                    assert_eq!(found, expected, "{mode} b={b} c={c:#x} lane {i}");
                }
            }
        }
    }
}

#[test]
fn votes_matches_and_reductions() {
    let input: Vec<u32> = random_words(64, 5).into_iter().map(|w| w % 5).collect();
    let mask_of = |warp: usize, holds: &dyn Fn(u32) -> bool| {
        (0..32).fold(0u32, |m, l| m | u32::from(holds(input[warp * 32 + l])) << l)
    };
    let each = |body: &str, expected: &dyn Fn(usize) -> u32| {
        let found = results(body, 64, &input);
        for (i, &found) in found.iter().enumerate() {
            assert_eq!(found, expected(i), "{body} lane {i}");
        }
    };
    let zero = |i: usize| mask_of(i / 32, &|v| v == 0);
    each(
        "setp.eq.u32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, %p1, -1;",
        &zero,
    );
    each(
        "setp.eq.u32 %p1, %r0, 0; vote.sync.ballot.b32 %r1, !%p1, -1;",
        &|i| !zero(i),
    );
    each(
        "setp.lt.u32 %p1, %r0, 5; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each(
        "setp.eq.u32 %p1, %r0, 4; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 0,
    );
    each(
        "setp.eq.u32 %p1, %r0, 4; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each(
        "setp.eq.u32 %p1, %r0, 9; vote.sync.uni.pred %p2, %p1, -1; selp.u32 %r1, 7, 0, %p2;",
        &|_| 7,
    );
    each("match.any.sync.b32 %r1, %r0, -1;", &|i| {
        mask_of(i / 32, &|v| v == input[i])
    });
    each(
        "match.all.sync.b32 %r1|%p1, %r0, -1; @%p1 mov.u32 %r1, 99;",
        &|_| 0,
    );
    each(
        "mov.u64 %d9, 5; match.all.sync.b64 %r1|%p1, %d9, -1; @!%p1 mov.u32 %r1, 99;",
        &|_| u32::MAX,
    );
    let fold = |i: usize, f: fn(u32, u32) -> u32| {
        input[i / 32 * 32..i / 32 * 32 + 32]
            .iter()
            .copied()
            .reduce(f)
            .unwrap()
    };
    each("redux.sync.add.u32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a + b)
    });
    each("redux.sync.max.s32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a.max(b))
    });
    each("redux.sync.xor.b32 %r1, %r0, -1;", &|i| {
        fold(i, |a, b| a ^ b)
    });
    each("activemask.b32 %r1;", &|_| u32::MAX);
    each(
        "elect.sync %r2|%p1, -1; selp.u32 %r1, 1, 0, %p1; add.u32 %r1, %r1, %r2;",
        &|i| u32::from(i % 32 == 0),
    );
}

#[test]
fn halves_of_a_warp_exchange_with_masks_of_their_own() {
    let input = random_words(32, 9);
    let found = results(
        "and.b32 %r3, %tid, 16; shl.b32 %r2, 0xffff, %r3; shfl.sync.bfly.b32 %r1, %r0, 3, 31, %r2;",
        32,
        &input,
    );
    assert_eq!(found, (0..32).map(|i| input[i ^ 3]).collect::<Vec<_>>());
    // The same in code where the halves have parted.
    let found = results(
        "setp.lt.u32 %p1, %tid, 16; @%p1 bra LOW;\n\
         shfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff0000; bra END;\n\
         LOW: shfl.sync.idx.b32 %r1, %r0, 3, 31, 0x0000ffff;\n\
         END:",
        32,
        &input,
    );
    assert_eq!(
        found,
        (0..32)
            .map(|i| input[if i < 16 { 3 } else { 20 }])
            .collect::<Vec<_>>()
    );
}

#[test]
fn lanes_that_come_by_different_ways_meet_at_a_sync_instruction() {
    // Both ways lead to one shfl of all lanes, reached one after the other: `brx` hides that they meet there.
    let input = random_words(32, 11);
    let found = results(
        "setp.lt.u32 %p1, %tid, 7; @%p1 bra A; add.u32 %r0, %r0, 1; bra B;\n\
         A: add.u32 %r0, %r0, 2;\n\
         B: shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;",
        32,
        &input,
    );
    let changed = |i: usize| input[i].wrapping_add(if i < 7 { 2 } else { 1 });
    assert_eq!(found, (0..32).map(|i| changed(i ^ 1)).collect::<Vec<_>>());
}

#[test]
fn a_lane_may_wait_for_another_lane_of_its_warp() {
    // Lanes take a lock in turn. With lanes in lockstep only, the loser's loop would never let the winner go on.
    let text = entry(
        2,
        "L: atom.global.cas.b32 %r1, [%a0], 0, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n\
         ld.volatile.global.u32 %r2, [%a1]; add.u32 %r2, %r2, 1; st.volatile.global.u32 [%a1], %r2;\n\
         membar.gl; atom.global.exch.b32 %r3, [%a0], 0; ret;",
    );
    let bench = Bench::new(&text);
    let (lock, count) = (bench.words(&[0]), bench.words(&[0]));
    bench.run("k", 3, 96, &[Arg::U64(lock), Arg::U64(count)]);
    assert_eq!(bench.read_words(count, 1), [288]);
}

#[test]
fn blocks_may_wait_for_later_blocks() {
    // A barrier of the whole grid: everyone counts in, then waits for all.
    let text = entry(
        2,
        "bar.sync 0; setp.ne.u32 %p1, %tid, 0; @%p1 bra W;\n\
         red.global.add.u32 [%a0], 1;\n\
         S: ld.acquire.gpu.global.u32 %r1, [%a0]; setp.lt.u32 %p2, %r1, 20; @%p2 bra S;\n\
         W: bar.sync 0; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r2, %r2, %r3, %tid;\n\
         ld.relaxed.gpu.global.u32 %r4, [%a0]; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a1, %d1;\n\
         st.global.u32 [%d1], %r4; ret;",
    );
    let bench = Bench::new(&text);
    let (count, out) = (bench.words(&[0]), bench.device.alloc(4 * 20 * 64).unwrap());
    bench.run("k", 20, 64, &[Arg::U64(count), Arg::U64(out)]);
    assert_eq!(bench.read_words(out, 20 * 64), vec![20; 20 * 64]);
}

#[test]
fn warps_may_wait_for_each_other_through_shared_memory() {
    // Warp 1 waits for a flag that warp 0 sets later.
    let text = entry(
        1,
        "mov.u64 %d1, dynamic; setp.ge.u32 %p1, %tid, 32; setp.eq.u32 %p3, %tid, 0;\n\
         @%p3 st.shared.u32 [%d1], 0; bar.sync 0; @%p1 bra W;\n\
         @!%p3 bra E; st.shared.u32 [%d1+4], 77; membar.cta; st.release.cta.shared.u32 [%d1], 1; bra E;\n\
         W: ld.acquire.cta.shared.u32 %r1, [%d1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra W;\n\
         ld.shared.u32 %r2, [%d1+4]; st.global.u32 [%a0], %r2;\n\
         E: ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0]);
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 8,
    };
    bench.launch_with("k", launch, &[Arg::U64(out)]).unwrap();
    assert_eq!(bench.read_words(out, 1), [77]);
}

/// Loops and branches in random nests, against a plain interpreter of one thread at a time.
#[test]
fn random_nests_of_branches_and_loops() {
    for seed in 1..60 {
        let mut random = Random(seed * 977);
        let program = Nest::random(&mut random, 4);
        let mut labels = 0;
        let body = program
            .iter()
            .map(|n| n.ptx(&mut labels, 0))
            .collect::<String>();
        let input = random_words(64, seed);
        // Every value of %r0 that decides is taken from the input, so that lanes go different ways.
        let found = results(&body, 64, &input);
        for (i, &word) in input.iter().enumerate() {
            let mut state = word;
            let mut result = 0u32;
            for nest in &program {
                nest.run(&mut state, &mut result);
            }
            assert_eq!(found[i], result, "seed {seed}, lane {i}\n{body}");
        }
    }
}

enum Nest {
    Mix(u32),
    If(u32, Vec<Nest>, Vec<Nest>),
    Loop(u32, Vec<Nest>),
    Switch(Vec<Vec<Nest>>),
    /// The rest of the innermost loop's round is left out.
    Break(u32),
}

impl Nest {
    fn random(random: &mut Random, depth: u32) -> Vec<Nest> {
        let n = 1 + random.next() % 3;
        (0..n)
            .map(|_| match if depth == 0 { 0 } else { random.next() % 5 } {
                1 => Nest::If(
                    random.next() as u32 % 32,
                    Nest::random(random, depth - 1),
                    Nest::random(random, depth - 1),
                ),
                2 => Nest::Loop(
                    1 + random.next() as u32 % 7,
                    Nest::random(random, depth - 1),
                ),
                3 => Nest::Switch(
                    (0..2 + random.next() % 3)
                        .map(|_| Nest::random(random, depth - 1))
                        .collect(),
                ),
                4 => Nest::Break(random.next() as u32 % 32),
                _ => Nest::Mix(random.next() as u32),
            })
            .collect()
    }

    /// PTX: %r0 is the state, %r1 the result; loop counters are %r(10 + depth).
    fn ptx(&self, labels: &mut u32, depth: u32) -> String {
        *labels += 1;
        let id = *labels;
        let all = |nests: &[Nest], labels: &mut u32, depth: u32| {
            nests
                .iter()
                .map(|n| n.ptx(labels, depth))
                .collect::<String>()
        };
        match self {
            Nest::Mix(by) => {
                format!("mad.lo.u32 %r1, %r1, 31, %r0; mad.lo.u32 %r0, %r0, 1664525, {by};\n")
            }
            Nest::If(bit, then, other) => {
                let (then, other) = (all(then, labels, depth), all(other, labels, depth));
                format!(
                    "shr.u32 %r2, %r0, {bit}; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra ELSE{id};\n\
                     {then}bra END{id};\nELSE{id}: {other}END{id}:\n"
                )
            }
            Nest::Loop(most, body) => {
                let counter = 10 + depth;
                let body = all(body, labels, depth + 1);
                format!(
                    "rem.u32 %r{counter}, %r0, {most};\n\
                     HEAD{id}: setp.eq.u32 %p1, %r{counter}, 0; @%p1 bra OUT{id};\n\
                     sub.u32 %r{counter}, %r{counter}, 1;\n{{ {body} }}\nbra HEAD{id};\nOUT{id}:\n"
                )
            }
            Nest::Switch(cases) => {
                let n = cases.len();
                let list: Vec<String> = (0..n).map(|k| format!("CASE{id}_{k}")).collect();
                let mut text = format!(
                    "rem.u32 %r2, %r0, {n};\nLIST{id}: .branchtargets {};\nbrx.idx %r2, LIST{id};\n",
                    list.join(", ")
                );
                for (k, case) in cases.iter().enumerate() {
                    text += &format!("CASE{id}_{k}: {}bra DONE{id};\n", all(case, labels, depth));
                }
                text + &format!("DONE{id}:\n")
            }
            Nest::Break(bit) => format!(
                "shr.u32 %r2, %r0, {bit}; and.b32 %r2, %r2, 1; setp.eq.u32 %p1, %r2, 1; @%p1 add.u32 %r1, %r1, 5;\n"
            ),
        }
    }

    fn run(&self, state: &mut u32, result: &mut u32) {
        match self {
            Nest::Mix(by) => {
                *result = result.wrapping_mul(31).wrapping_add(*state);
                *state = state.wrapping_mul(1664525).wrapping_add(*by);
            }
            Nest::If(bit, then, other) => {
                let nests = if *state >> bit & 1 == 1 { then } else { other };
                nests.iter().for_each(|n| n.run(state, result));
            }
            Nest::Loop(most, body) => {
                for _ in 0..*state % most {
                    body.iter().for_each(|n| n.run(state, result));
                }
            }
            Nest::Switch(cases) => {
                let case = &cases[*state as usize % cases.len()];
                case.iter().for_each(|n| n.run(state, result));
            }
            Nest::Break(bit) => {
                if *state >> bit & 1 == 1 {
                    *result = result.wrapping_add(5);
                }
            }
        }
    }
}

#[test]
fn lanes_meet_again_behind_a_branch() {
    // An .aligned instruction behind branches and loops that lanes leave at different times: fine where they meet.
    let input: Vec<u32> = (0..32).collect();
    let found = results(
        "and.b32 %r3, %tid, 3;\n\
         H: setp.eq.u32 %p1, %r3, 0; @%p1 bra OUT; sub.u32 %r3, %r3, 1; add.u32 %r1, %r1, 1; bra H;\n\
         OUT: setp.lt.u32 %p2, %tid, 5; @%p2 bra A; add.u32 %r1, %r1, 10; bra B; A: add.u32 %r1, %r1, 20; B:\n\
         movmatrix.sync.aligned.m8n8.trans.b16 %r4, %r0; activemask.b32 %r5; setp.ne.u32 %p3, %r5, -1;\n\
         @%p3 mov.u32 %r1, 0;",
        32,
        &input,
    );
    let expected: Vec<u32> = (0..32)
        .map(|i| i % 4 + if i < 5 { 20 } else { 10 })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn an_early_return_does_not_hold_up_a_barrier() {
    // 40 threads of 64 return before the barrier: once as a branch to the end, once by exit, once far from the end.
    for leave in [
        "@%p1 bra END;",
        "@%p1 exit;",
        "@!%p1 bra ON; st.global.u32 [%a0+8], %r9; ret; ON:",
    ] {
        let text = entry(
            1,
            &format!(
                "setp.ge.u32 %p1, %tid, 24; mov.u32 %r9, 3; {leave}\nbar.sync 0;\n\
                 mul.wide.u32 %d0, %tid, 4; add.u64 %d0, %a0, %d0; st.global.u32 [%d0], %tid;\nEND: ret;"
            ),
        );
        let bench = Bench::new(&text);
        let out = bench.words(&[99; 64]);
        bench.run("k", 1, 64, &[Arg::U64(out)]);
        let found = bench.read_words(out, 64);
        assert_eq!((found[0], found[23], found[24]), (0, 23, 99), "{leave}");
    }
}

#[test]
fn barriers_reduce() {
    let text = entry(
        1,
        "rem.u32 %r0, %tid, 3; setp.eq.u32 %p1, %r0, 0; bar.red.popc.u32 %r1, 0, %p1;\n\
         bar.red.and.pred %p2, 1, %p1; bar.red.or.pred %p3, 2, !%p1; bar.red.popc.u32 %r2, 3, 96, !%p1;\n\
         selp.u32 %r3, 100, 0, %p2; selp.u32 %r4, 1000, 0, %p3; add.u32 %r1, %r1, %r3; add.u32 %r1, %r1, %r4;\n\
         mad.lo.u32 %r1, %r2, 10000, %r1;\n\
         mul.wide.u32 %d0, %tid, 4; add.u64 %d0, %a0, %d0; st.global.u32 [%d0], %r1; ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0; 96]);
    bench.run("k", 1, 96, &[Arg::U64(out)]);
    // 32 of 96 are multiples of 3; not all; some are not; 64 are not.
    assert_eq!(bench.read_words(out, 96), [640_000 + 1000 + 32; 96]);
}

#[test]
fn producers_and_consumers_at_named_barriers() {
    // Warp 0 fills, warp 1 uses, three times: "full" is barrier 1, "empty" barrier 2.
    let text = entry(
        1,
        "mov.u64 %d1, dynamic; mul.wide.u32 %d2, %tid, 4; and.b32 %r5, %tid, 31; mul.wide.u32 %d3, %r5, 4;\n\
         add.u64 %d1, %d1, %d3; mov.u32 %r1, 0; mov.u32 %r2, 0; setp.ge.u32 %p1, %tid, 32; @%p1 bra USE;\n\
         FILL: mad.lo.u32 %r3, %r1, 100, %tid; st.shared.u32 [%d1], %r3; bar.arrive 1, 64; bar.sync 2, 64;\n\
         add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3; @%p2 bra FILL; ret;\n\
         USE: bar.sync 1, 64; ld.shared.u32 %r3, [%d1]; add.u32 %r2, %r2, %r3; bar.arrive 2, 64;\n\
         add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 3; @%p2 bra USE;\n\
         add.u64 %d0, %a0, %d3; st.global.u32 [%d0], %r2; ret;",
    );
    let bench = Bench::new(&text);
    let out = bench.words(&[0; 32]);
    let launch = emulator::Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 128,
    };
    bench
        .launch_with("k", launch, &[Arg::U64(out)])
        .unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        bench.read_words(out, 32),
        (0..32).map(|i| 300 + 3 * i).collect::<Vec<_>>()
    );
}

#[test]
fn recursion_and_indirect_calls() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b32 out) fib(.param .b32 n);\n\
        .func (.param .b32 out) twice(.param .b32 n) {\n\
          .reg .b32 %r<3>; ld.param.b32 %r1, [n]; shl.b32 %r2, %r1, 1; st.param.b32 [out], %r2; ret; }\n\
        .global .u64 table[2] = {fib, twice};\n\
        .func (.param .b32 out) fib(.param .b32 n) {\n\
          .reg .b32 %r<8>; .reg .pred %p<2>; .local .b32 kept;\n\
          ld.param.b32 %r1, [n]; st.local.b32 [kept], %r1; setp.lt.u32 %p1, %r1, 2; @%p1 bra BASE;\n\
          { .param .b32 a; .param .b32 r; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (r), fib, (a);\n\
            ld.param.b32 %r3, [r]; }\n\
          { .param .b32 a; .param .b32 r; ld.local.b32 %r4, [kept]; sub.u32 %r4, %r4, 2; st.param.b32 [a], %r4;\n\
            call (r), fib, (a); ld.param.b32 %r5, [r]; }\n\
          add.u32 %r6, %r3, %r5; st.param.b32 [out], %r6; ret;\n\
          BASE: st.param.b32 [out], %r1; ret; }\n\
        .visible .entry k(.param .u64 p) {\n\
          .reg .b32 %r<8>; .reg .b64 %d<8>; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n\
          and.b32 %r2, %r1, 1; mov.u64 %d2, table; mul.wide.u32 %d3, %r2, 8; add.u64 %d2, %d2, %d3; ld.global.u64 %d4, [%d2];\n\
          proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
          { .param .b32 a; .param .b32 r; shr.u32 %r3, %r1, 1; st.param.b32 [a], %r3; call (r), %d4, (a), proto;\n\
            ld.param.b32 %r4, [r]; }\n\
          mul.wide.u32 %d5, %r1, 4; add.u64 %d1, %d1, %d5; st.global.u32 [%d1], %r4; ret; }";
    let bench = Bench::new(text);
    let out = bench.words(&[0; 32]);
    bench.run("k", 1, 32, &[Arg::U64(out)]);
    fn fib(n: u32) -> u32 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
    }
    let expected: Vec<u32> = (0..32)
        .map(|i| if i % 2 == 0 { fib(i / 2) } else { i / 2 * 2 })
        .collect();
    assert_eq!(bench.read_words(out, 32), expected);
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func f() { call f; ret; }\n.visible .entry k() { call f; ret; }";
    let what = kind(Bench::new(text).launch("k", 1, 1, &[]));
    assert!(
        matches!(what, FaultKind::StackOverflow { limit: 0x80000, .. }),
        "{what}"
    );
}

#[test]
fn atomics_of_every_kind() {
    type Case = (
        &'static str,
        &'static str,
        u64,
        fn(u64) -> u64,
        fn(u64, u64) -> u64,
    );
    let cases: [Case; 14] = [
        ("add.u32", "u32", 7, |i| i, |o, a| (o + a) & 0xffff_ffff),
        ("add.u64", "u64", 7, |i| i << 40, |o, a| o.wrapping_add(a)),
        (
            "min.s32",
            "s32",
            5,
            |i| (3i64 - i as i64) as u64 & 0xffff_ffff,
            |o, a| (o as i32).min(a as i32) as u32 as u64,
        ),
        ("max.u32", "u32", 5, |i| i * 77 % 31, |o, a| o.max(a)),
        (
            "max.s64",
            "s64",
            5,
            |i| (i as i64 - 16) as u64,
            |o, a| (o as i64).max(a as i64) as u64,
        ),
        (
            "and.b32",
            "b32",
            0xffff_ffff,
            |i| !(1 << i) & 0xffff_ffff,
            |o, a| o & a,
        ),
        ("or.b64", "b64", 0, |i| 1 << (2 * i), |o, a| o | a),
        ("xor.b32", "b32", 9, |i| i * 3, |o, a| o ^ a),
        ("exch.b32", "b32", 9, |i| i * 3, |_, a| a),
        (
            "inc.u32",
            "u32",
            2,
            |_| 5,
            |o, a| if o >= a { 0 } else { o + 1 },
        ),
        (
            "dec.u32",
            "u32",
            2,
            |_| 5,
            |o, a| if o == 0 || o > a { a } else { o - 1 },
        ),
        (
            "add.f32",
            "f32",
            0,
            |i| u64::from((i as f32).to_bits()),
            |o, a| u64::from((f32::from_bits(o as u32) + f32::from_bits(a as u32)).to_bits()),
        ),
        (
            "add.f64",
            "f64",
            0,
            |i| (i as f64).to_bits(),
            |o, a| (f64::from_bits(o) + f64::from_bits(a)).to_bits(),
        ),
        (
            "add.noftz.f16x2",
            "f16x2",
            0,
            |i| half::f16::from_f32(i as f32).to_bits() as u64 * 0x1_0001,
            |o, a| {
                let add = |k: u32| {
                    let h = |x: u64| half::f16::from_bits((x >> k) as u16);
                    u64::from((h(o) + h(a)).to_bits()) << k
                };
                add(0) | add(16)
            },
        ),
    ];
    for (op, ty, start, operand, definition) in cases {
        let wide = ty.ends_with("64");
        let (r, bits) = if wide { ("%d", 64) } else { ("%r", 32) };
        for space in ["global", "shared"] {
            let (base, set, get) = if space == "global" {
                ("%a0", String::new(), String::new())
            } else {
                (
                    "%d30",
                    format!(
                        "setp.eq.u32 %p1, %tid, 0; @%p1 ld.global.b{bits} {r}9, [%a0]; @%p1 st.shared.b{bits} [%d30], {r}9; bar.sync 0;"
                    ),
                    format!(
                        "bar.sync 0; ld.shared.b{bits} {r}9, [%d30]; st.global.b{bits} [%a0], {r}9;"
                    ),
                )
            };
            let text = entry(
                3,
                &format!(
                    "mov.u64 %d30, dynamic; {set} mul.wide.u32 %d0, %tid, 8; add.u64 %d1, %a1, %d0; add.u64 %d2, %a2, %d0;\n\
                     ld.global.b{bits} {r}5, [%d1]; atom.{space}.{op} {r}6, [{base}], {r}5; st.global.b{bits} [%d2], {r}6;\n\
                     {get} ret;"
                ),
            );
            let bench = Bench::new(&text);
            let operands: Vec<u64> = (0..32).map(operand).collect();
            let cell = bench.longs(&[start]);
            let (input, output) = (bench.longs(&operands), bench.longs(&[0; 32]));
            let launch = emulator::Launch {
                grid: [1, 1, 1],
                block: [32, 1, 1],
                dynamic_shared: 8,
            };
            bench
                .launch_with(
                    "k",
                    launch,
                    &[Arg::U64(cell), Arg::U64(input), Arg::U64(output)],
                )
                .unwrap_or_else(|e| panic!("{op} {space}: {e}"));
            let mut value = start;
            for (i, &a) in operands.iter().enumerate() {
                assert_eq!(
                    bench.read_longs(output, 32)[i],
                    value,
                    "{space} {op}: what lane {i} saw"
                );
                value = definition(value, a);
            }
            assert_eq!(bench.read_longs(cell, 1), [value], "{space} {op}");
        }
    }
}

#[test]
fn the_same_in_every_run_and_on_any_number_of_threads() {
    let body = "mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %tid; mul.wide.u32 %d1, %r2, 4; add.u64 %d1, %a0, %d1;\n\
                rem.u32 %r3, %r2, 7; L: setp.eq.u32 %p1, %r3, 0; @%p1 bra E; sub.u32 %r3, %r3, 1;\n\
                mad.lo.u32 %r2, %r2, 5, 1; bra L; E: st.global.u32 [%d1], %r2; ret;";
    let run = |threads| {
        let config = emulator::Config {
            threads: Some(threads),
            ..Default::default()
        };
        let bench = Bench::with(&entry(1, body), config);
        let out = bench.device.alloc(4 * 64 * 100).unwrap();
        let report = bench.run("k", 100, 64, &[Arg::U64(out)]);
        (bench.read_words(out, 6400), report)
    };
    let first = run(1);
    assert_eq!(first, run(2));
    assert_eq!(first, run(5));
}
