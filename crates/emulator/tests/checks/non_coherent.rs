//! Checks `ld.global.nc` of words that the same launch writes.

use super::*;
use emulator::{Access, Earlier};

/// Launches blocks of 32 threads on two buffers of 1,024 words, `%a0` and `%a1`. `%d1` is the
/// address of the thread's word in the first buffer, over all blocks.
fn launched(
    body: &str,
    blocks: u32,
    threads: Option<usize>,
) -> Result<emulator::Report, LaunchError> {
    let text = entry(
        2,
        &format!(
            "mov.u32 %r50, %ctaid.x; mad.lo.u32 %r50, %r50, 32, %tid; mul.wide.u32 %d0, %r50, 4; add.u64 %d1, %a0, %d0;\n\
             add.u64 %d2, %a1, %d0;\n{body}\nret;"
        ),
    );
    let config = Config {
        threads,
        ..Config::default()
    };
    let bench = Bench::with(&text, config);
    let words: Vec<u32> = (0..1024).collect();
    let args = [Arg::U64(bench.words(&words)), Arg::U64(bench.words(&words))];
    bench.launch("k", blocks, 32, &args)
}

#[test]
fn what_a_launch_reads_through_nc_and_writes_is_found() {
    let read = (Access::Read, Earlier::Wrote);
    let written = (Access::Write, Earlier::Read);
    for (body, expected) in [
        // A write to the same word: by the thread itself or by another, before or after the load.
        (
            "ld.global.nc.u32 %r1, [%d1]; st.global.u32 [%d1], %r1;",
            written,
        ),
        ("st.global.u32 [%d1], 7; ld.global.nc.u32 %r1, [%d1];", read),
        (
            "ld.global.nc.v2.u32 {%r1, %r2}, [%a0]; st.global.u32 [%d1], %r1;",
            written,
        ),
        (
            "ld.global.nc.L1::no_allocate.L2::128B.u8 %r1, [%a0+5]; st.u8 [%a0+5], %r1;",
            written,
        ),
        // A write by an atomic, or by a generic store.
        (
            "ld.global.nc.u32 %r1, [%d1]; red.global.add.u32 [%d1], 1;",
            written,
        ),
        (
            "atom.global.add.u32 %r2, [%d1], 1; ld.global.nc.u32 %r1, [%d1];",
            read,
        ),
        ("st.u32 [%d1], 7; ld.global.nc.u32 %r1, [%d1];", read),
    ] {
        let what = kind(launched(body, 1, None));
        let (access, earlier) = expected;
        assert_eq!(what, FaultKind::NonCoherent { access, earlier }, "{body}");
    }
    for body in [
        // These use another buffer, other bytes of the buffer, plain loads, or no store.
        "ld.global.nc.u32 %r1, [%d1]; st.global.u32 [%d2], %r1;",
        "ld.global.nc.u32 %r1, [%a0]; st.global.u32 [%d1+1024], %r1;",
        "ld.global.nc.u8 %r1, [%a0+4095]; st.global.u8 [%d1+1], 3;",
        "ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1;",
        "ld.global.nc.u32 %r1, [%d1];",
    ] {
        launched(body, 1, None).unwrap_or_else(|error| panic!("{body}\n{error}"));
    }
}

/// Checks that, between blocks, the finding is the same on any number of CPU threads.
#[test]
fn it_is_found_between_blocks() {
    let body = "setp.eq.u32 %p1, %r50, 700; @%p1 st.global.u32 [%a0+64], 7; ld.global.nc.u32 %r1, [%d1]; add.u64 %d3, %d2, 4;\n\
        st.global.u32 [%d2], %r1;";
    let mut said: Vec<String> = [Some(1), Some(2), None]
        .into_iter()
        .map(|threads| match launched(body, 32, threads) {
            Err(LaunchError::Fault(fault)) => fault.to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    said.dedup();
    assert_eq!(said.len(), 1, "{said:#?}");
    assert!(
        said[0].contains("NonCoherent") || said[0].contains("ld.global.nc"),
        "{}",
        said[0]
    );
}
