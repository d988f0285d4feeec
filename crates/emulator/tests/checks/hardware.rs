//! Checks findings in which PTX's model and the hardware differ, each with its own kind:
//! warp-synchronous code, and threads that have exited at a barrier.

use super::common::{Arg, Bench, entry};
use emulator::{Acceptable, Acceptance, Config, FaultKind, Launch, LaunchError, Report};

fn accepting(kind: Option<Acceptable>) -> Config {
    let rule = |kind| Acceptance {
        kind: Some(kind),
        line: None,
        instruction: None,
        kernel: None,
        reason: "the hardware does".to_owned(),
    };
    Config {
        accept: kind.map(rule).into_iter().collect(),
        ..Config::default()
    }
}

/// Runs a block of 64 threads; `%d1` is a thread's word of shared memory, and `%d2` its word of
/// global memory.
fn run(body: &str, config: Config) -> Result<Report, LaunchError> {
    let text = format!(
        "mov.u64 %d30, dynamic; mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0;\n\
         {body}\nret;"
    );
    let bench = Bench::with(&entry(1, &text), config);
    let a = bench.words(&[1; 64]);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 256,
    };
    bench.launch_with("k", launch, &[Arg::U64(a)])
}

fn kind(result: Result<Report, LaunchError>) -> (Option<Acceptable>, String) {
    match result {
        Err(LaunchError::Fault(fault)) => (Acceptable::of(&fault.what), fault.to_string()),
        other => panic!("{other:?}"),
    }
}

/// Checks the last steps of a sum over a warp, in shared and in global memory.
#[test]
fn warp_synchronous_code_is_a_kind_of_its_own() {
    for (space, at) in [("shared", "%d1"), ("global", "%d2")] {
        let read = format!("ld.{space}.u32 %r3, [{at}+4];");
        let body = format!(
            "st.{space}.u32 [{at}], %tid; bar.sync 0; setp.ge.u32 %p1, %tid, 16; @%p1 bra E;\n\
             {read} st.{space}.u32 [{at}], %r3; E:"
        );
        let (found, text) = kind(run(&body, accepting(None)));
        assert_eq!(found, Some(Acceptable::WarpSynchronous), "{text}");
        assert!(text.contains("and no barrier orders") || text.contains("and nothing orders"));
        let accepted = run(&body, accepting(found)).unwrap();
        assert!(accepted.accepted[0] > 0);
        // Accepting the other kinds of races does not accept this one.
        for other in [Acceptable::Race, Acceptable::ThreadRace] {
            assert_eq!(kind(run(&body, accepting(Some(other)))).0, found);
        }
        let right = body.replace(&read, &format!("{read} bar.warp.sync 0xffff;"));
        run(&right, accepting(None)).unwrap();
    }
    // An exchange between threads of two warps is a race.
    let (found, text) = kind(run(
        "st.shared.u32 [%d1], %tid; xor.b32 %r1, %tid, 32; mul.wide.u32 %d3, %r1, 4; add.u64 %d3, %d30, %d3;\n\
         ld.shared.u32 %r3, [%d3];",
        accepting(Some(Acceptable::WarpSynchronous)),
    ));
    assert_ne!(found, Some(Acceptable::WarpSynchronous), "{text}");
}

/// Checks a barrier for all threads, some of which have exited, before or after others wait there.
#[test]
fn a_barrier_without_threads_that_have_exited_is_a_kind_of_its_own() {
    for (exits, thread) in [
        ("setp.ge.u32 %p1, %tid, 32; @%p1 exit; bar.sync 0;", 32),
        ("setp.lt.u32 %p1, %tid, 32; @%p1 exit; bar.sync 0;", 0),
        ("setp.eq.u32 %p1, %tid, 40; @%p1 exit; barrier.sync 2;", 40),
    ] {
        let result = run(exits, accepting(None));
        let Err(LaunchError::Fault(fault)) = &result else {
            panic!("{exits}: {result:?}");
        };
        let FaultKind::ExitedThread { exited, .. } = fault.what else {
            panic!("{exits}: {fault}");
        };
        assert_eq!(exited, [thread, 0, 0], "{fault}");
        assert!(fault.instruction.starts_with("bar"), "{fault}");
        let report = run(exits, accepting(Some(Acceptable::ExitedThread))).unwrap();
        assert_eq!(report.accepted, [1]);
    }
    // All threads come before some exit, or the barrier states its number of threads.
    for right in [
        "bar.sync 0; setp.ge.u32 %p1, %tid, 32; @%p1 exit; add.u32 %r1, %tid, 1;",
        "setp.ge.u32 %p1, %tid, 32; @%p1 exit; bar.sync 1, 32;",
    ] {
        run(right, accepting(None)).unwrap();
    }
}
