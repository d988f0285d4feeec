//! Checks every check: each wrong program is found with its place, and the corresponding right
//! program passes.

mod accepted;
#[path = "../common/mod.rs"]
mod common;
mod control;
mod equal_writes;
mod hardware;
mod kinds;
mod launches;
mod local;
mod mbarrier;
mod non_coherent;
mod places;
mod printing;
mod provenance;
mod races;
mod undefined;
mod uninitialised;

use common::{Arg, Bench, entry, kind};
use emulator::{
    Access, Config, Earlier, Emulator, FaultKind, Later, Launch, LaunchError, LoadError,
    MemoryError, Program, Space,
};

/// Runs a block of `threads` with `shared` bytes of dynamic shared memory. `%d30` and `%r30` are
/// its address, and `%a0` is a buffer of 1,024 words that count up.
fn run(body: &str, threads: u32, shared: usize) -> Result<emulator::Report, LaunchError> {
    let text = entry(
        1,
        &format!("mov.u64 %d30, dynamic; mov.u32 %r30, dynamic;\n{body}\nret;"),
    );
    let bench = Bench::new(&text);
    let words: Vec<u32> = (0..1024).collect();
    let a = bench.words(&words);
    bench.launch_with(
        "k",
        Launch {
            grid: [1, 1, 1],
            block: [threads, 1, 1],
            dynamic_shared: shared,
        },
        &[Arg::U64(a)],
    )
}

#[track_caller]
fn passes(body: &str, threads: u32, shared: usize) {
    if let Err(error) = run(body, threads, shared) {
        panic!("{error}");
    }
}

const OWN: &str = "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0;";

#[test]
fn a_fault_tells_its_place() {
    let text = entry(
        1,
        "mov.u32 %r2, %tid.y; mad.lo.u32 %r2, %r2, 4, %tid; mov.u32 %r3, %tid.z; mad.lo.u32 %r2, %r3, 16, %r2;\n\
         mul.wide.u32 %d0, %r2, 4;\nadd.u64 %d1, %a0, %d0;\n  ld.global.u32 %r1,\n [%d1+4000];\nret;",
    );
    let bench = Bench::new(&text);
    let a = bench.words(&[0; 1008]);
    let launch = Launch {
        grid: [2, 3, 1],
        block: [4, 4, 2],
        dynamic_shared: 0,
    };
    let Err(LaunchError::Fault(fault)) = bench.launch_with("k", launch, &[Arg::U64(a)]) else {
        panic!()
    };
    assert_eq!((fault.block, fault.thread), ([0, 0, 0], Some([0, 2, 0])));
    assert_eq!(fault.address, Some(a + 4032));
    let line = text.lines().position(|l| l.contains("ld.global")).unwrap() + 1;
    assert_eq!(
        (fault.line, fault.instruction.as_str()),
        (line, "ld.global.u32 %r1, [%d1+4000];")
    );
    assert_eq!(
        fault.to_string(),
        format!(
            "global access of 4 bytes outside of every allocation; its address comes from {a:#x} of 4032 bytes, 1 byte away\n  \
             in kernel `k`, PTX line {line}: ld.global.u32 %r1, [%d1+4000];\n  \
             block (0,0,0), thread (0,2,0), address {:#x}\n  warp 0, lanes 0xffffffff\n  \
             buffer {a:#x} of 4032 bytes, parameter `p0`",
            a + 4032
        )
    );
}

#[test]
fn the_fault_of_the_lowest_block_is_told() {
    // Blocks 5 to 99 read out of bounds; blocks after 5 may do it earlier.
    let text = entry(
        1,
        "mov.u32 %r0, %ctaid.x; mul.wide.u32 %d0, %r0, 4; add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1]; ret;",
    );
    for _ in 0..20 {
        let bench = Bench::new(&text);
        let a = bench.words(&[0; 5]);
        assert_eq!(bench.fault("k", 100, 32, &[Arg::U64(a)]).block, [5, 0, 0]);
    }
}
