//! `st.bulk`: the bytes that it makes zero, and what is wrong around it.
//!
//! ```text
//! shared memory of 0xff ─► st.bulk of each lane's own size ─► 0 in each lane's first bytes, 0xff behind
//! ```

use super::blackwell;
use super::common::{Arg, Bench, Random, entry, kind};
use emulator::{FaultKind, Launch, LaunchError, Report};

/// Bytes of shared memory that a lane has.
const EACH: usize = 64;

/// Runs a block that fills shared memory with ones, executes `store`, and copies all bytes to the
/// output. Each lane has 64 bytes: `%r4` is their shared address, `%d4` is their generic address,
/// and `%d5` is the lane's entry of `sizes`.
fn launch(store: &str, sizes: &[u64]) -> Result<(Vec<u64>, Report), LaunchError> {
    let words = EACH / 8;
    let fill: String = (0..words)
        .map(|k| format!("st.shared.u64 [%r4+{}], -1; ", 8 * k))
        .collect();
    let copy: String = (0..words)
        .map(|k| {
            let at = 8 * k;
            format!("ld.shared.u64 %d8, [%r4+{at}]; st.global.u64 [%d7+{at}], %d8; ")
        })
        .collect();
    let body = format!(
        "mov.u32 %r1, dynamic; mad.lo.u32 %r4, %tid, {EACH}, %r1; cvt.u64.u32 %d4, %r4; cvta.shared.u64 %d4, %d4;\n\
         mul.wide.u32 %d6, %tid, 8; add.u64 %d6, %a0, %d6; ld.global.u64 %d5, [%d6];\n\
         {fill}\n{store}\nbar.sync 0;\n\
         mul.wide.u32 %d7, %tid, {EACH}; add.u64 %d7, %a1, %d7;\n{copy}\nret;"
    );
    let bench = Bench::with(&entry(2, &body), blackwell());
    let words = sizes.len() * EACH / 8;
    let (input, output) = (bench.longs(sizes), bench.longs(&vec![0; words]));
    let launch = Launch {
        grid: [1, 1, 1],
        block: [sizes.len() as u32, 1, 1],
        dynamic_shared: sizes.len() * EACH,
    };
    let report = bench.launch_with("k", launch, &[Arg::U64(input), Arg::U64(output)])?;
    Ok((bench.read_longs(output, words), report))
}

/// Computes in plain Rust the words that the output must have.
fn expected(sizes: &[u64]) -> Vec<u64> {
    let words =
        |&size: &u64| (0..EACH as u64 / 8).map(move |k| if 8 * k < size { 0 } else { u64::MAX });
    sizes.iter().flat_map(words).collect()
}

#[test]
fn each_lane_zeroes_its_own_run() {
    let mut random = Random(11);
    for store in [
        "st.bulk.weak.shared::cta [%r4], %d5, 0;",
        "st.bulk.shared::cta [%r4], %d5, 0;",
        "st.bulk.weak [%d4], %d5, 0;",
        "st.bulk [%d4], %d5, 0;",
    ] {
        let sizes: Vec<u64> = (0..32).map(|_| random.next() % 9 * 8).collect();
        let (found, report) = launch(store, &sizes).unwrap_or_else(|e| panic!("{e}\n{store}"));
        assert_eq!(found, expected(&sizes), "{store}");
        assert!(report.instructions > 0);
    }
    // A guard, and a size that the text says.
    let store = "setp.lt.u32 %p1, %tid, 7; @%p1 st.bulk.shared::cta [%r4+8], 16, 0;";
    let (found, _) = launch(store, &[0; 32]).unwrap();
    for (i, word) in found.iter().enumerate() {
        let is_zero = i / 8 < 7 && matches!(i % 8, 1 | 2);
        assert_eq!(*word == 0, is_zero, "word {i}");
    }
}

/// Reads before the barrier race with the zeros, and words that a size leaves out keep what they
/// were: nothing.
#[test]
fn the_zeros_are_stores_of_their_lane() {
    let race = "st.bulk.shared::cta [%r4], 8, 0; xor.b32 %r5, %r4, 64; ld.shared.u32 %r6, [%r5];";
    let found = kind(launch(race, &[0; 64]).map(|(_, report)| report));
    assert!(matches!(found, FaultKind::Race { .. }), "{found:?}");
    let text = |size: u32| {
        entry(
            1,
            &format!(
                "mov.u32 %r1, dynamic; st.bulk.shared::cta [%r1], {size}, 0; ld.shared.u32 %r2, [%r1+12];\n\
                 st.global.u32 [%a0], %r2; ret;"
            ),
        )
    };
    for (size, is_written) in [(8, false), (16, true)] {
        let bench = Bench::with(&text(size), blackwell());
        let out = bench.words(&[7]);
        let launch = Launch {
            grid: [1, 1, 1],
            block: [1, 1, 1],
            dynamic_shared: 64,
        };
        match bench.launch_with("k", launch, &[Arg::U64(out)]) {
            Ok(_) => assert!(is_written && bench.read_words(out, 1) == [0]),
            result => {
                let found = kind(result);
                assert!(!is_written, "{found:?}");
                assert!(
                    matches!(found, FaultKind::Uninitialised { .. }),
                    "{found:?}"
                );
            }
        }
    }
}

#[test]
fn sizes_and_places_of_no_store_are_faults() {
    let fault = |store: &str, size: u64| kind(launch(store, &[size; 32]).map(|(_, r)| r));
    let store = "st.bulk.shared::cta [%r4], %d5, 0;";
    for size in [4, 12, (1 << 24) + 8, u64::MAX] {
        assert!(matches!(fault(store, size), FaultKind::Operand(_)));
    }
    let beyond = fault(
        "setp.eq.u32 %p1, %tid, 31; @%p1 st.bulk.shared::cta [%r4], 72, 0;",
        0,
    );
    assert!(
        matches!(beyond, FaultKind::OutOfBounds { .. }),
        "{beyond:?}"
    );
    let askew = fault("st.bulk.shared::cta [%r4+4], 8, 0;", 0);
    assert!(matches!(askew, FaultKind::Misaligned { .. }), "{askew:?}");
    let global = fault("st.bulk [%a1], 8, 0;", 0);
    assert!(matches!(global, FaultKind::Operand(_)), "{global:?}");
    let refused = |store: &str| {
        let text = entry(0, &format!("mov.u32 %r4, dynamic; {store} ret;"));
        emulator::Program::parse(&text).map(|program| program.not_emulated("k").is_some())
    };
    assert!(refused("st.bulk.shared::cta [%r4], 8, 1;").is_err());
    assert!(refused("st.bulk.shared::cta [%r4], 8;").is_err());
    assert_ne!(
        refused("st.bulk.relaxed.shared::cta [%r4], 8, 0;"),
        Ok(false)
    );
}
