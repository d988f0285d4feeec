//! Checks exchanges within a warp, barriers, and control flow in which lanes diverge and converge.

mod atomics;
mod branches;
mod calls;
#[path = "../common/mod.rs"]
mod common;
mod exchange;
mod waiting;
mod wmma;

use common::{Arg, Bench, Random, entry, kind};
use emulator::FaultKind;

/// Runs a body in which thread `i` of `threads` leaves its result in `%r1`. `%a0` is an input of
/// `threads` words.
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
