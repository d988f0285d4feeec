//! Checks values that depend on a register that nothing wrote. They are reported if they are
//! addresses, decide branches or reach memory, and otherwise not.

use super::common::{Arg, Bench, entry};
use emulator::{Config, FaultKind, Launch, LaunchError, Reached, Report};

/// Only odd threads write `%r5`; `%d1` is the address of the thread's word.
const HALF: &str = "and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 1; @%p1 mov.u32 %r5, 7;\n\
     mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %a0, %d0;";

fn run(body: &str, config: Config) -> Result<Report, LaunchError> {
    let bench = Bench::with(&entry(1, &format!("{HALF}\n{body}\nret;")), config);
    let a = bench.words(&[0; 64]);
    let launch = Launch {
        grid: [1, 1, 1],
        block: [64, 1, 1],
        dynamic_shared: 256,
    };
    bench.launch_with("k", launch, &[Arg::U64(a)])
}

/// Checks what an undefined value reaches: each entry has a body, the instruction of the finding,
/// and what is reached.
#[test]
fn what_reaches_memory_an_address_or_a_branch_is_found() {
    for (body, at, reached) in [
        ("st.global.u32 [%d1], %r5;", "st.global", Reached::Memory),
        (
            "add.u32 %r6, %r5, 1; mul.lo.u32 %r7, %r6, 3; st.global.u32 [%d1], %r7;",
            "st.global",
            Reached::Memory,
        ),
        (
            "mul.wide.u32 %d2, %r5, 4; and.b64 %d2, %d2, 252; add.u64 %d3, %a0, %d2; ld.global.u32 %r6, [%d3];",
            "ld.global",
            Reached::Address,
        ),
        (
            "setp.lt.s32 %p2, %r5, 3; @%p2 bra L; st.global.u32 [%d1], 1; L:",
            "bra",
            Reached::Branch,
        ),
        (
            "setp.gt.s32 %p2, %r5, 100; @%p2 st.global.u32 [%d1], 1;",
            "st.global",
            Reached::Branch,
        ),
        (
            "selp.b32 %r6, %r5, 9, %p1; not.pred %p2, %p1; selp.b32 %r7, %r5, 9, %p2; st.global.u32 [%d1], %r7;",
            "st.global",
            Reached::Memory,
        ),
        (
            "atom.global.add.u32 %r6, [%a0], %r5;",
            "atom.global",
            Reached::Memory,
        ),
        // Even lanes' values come to odd lanes.
        (
            "shfl.sync.bfly.b32 %r6, %r5, 1, 31, -1; @%p1 st.global.u32 [%d1], %r6;",
            "st.global",
            Reached::Memory,
        ),
        (
            "cvt.u16.u32 %h1, %r5; mov.b32 %r6, {%h1, %h2}; st.global.u32 [%d1], %r6;",
            "st.global",
            Reached::Memory,
        ),
    ] {
        let Err(LaunchError::Fault(fault)) = run(body, Config::default()) else {
            panic!("a finding is expected of {body}");
        };
        let FaultKind::Undefined {
            register,
            reached: found,
        } = &fault.what
        else {
            panic!("{body}: {fault}");
        };
        assert_eq!(*found, reached, "{body}: {fault}");
        assert!(fault.instruction.contains(at), "{body}: {fault}");
        assert!(["%r5", "%h2"].contains(&register.as_str()), "{fault}");
        // The text says what the value reached.
        let said = format!("{reached} depends on register {register}, which nothing wrote");
        assert_eq!(fault.what.to_string(), said);
        let off = Config {
            check_undefined: false,
            ..Config::default()
        };
        assert!(run(body, off).is_ok(), "{body}");
    }
}

/// Checks bits that compilers leave undefined on purpose: no result depends on them.
#[test]
fn what_reaches_nothing_is_none() {
    for body in [
        // A value that is read, and never used.
        "add.u32 %r6, %r5, 1;",
        // A merge in which only the written side is used.
        "selp.b32 %r6, %r5, 9, %p1; st.global.u32 [%d1], %r6;",
        "@%p1 st.global.u32 [%d1], %r5;",
        // One half of a pair.
        "mov.b32 %r6, {%h1, %h2}; and.b32 %r7, %r6, 0; st.global.u32 [%d1], %r7;",
        "cvt.u16.u32 %h1, %tid; mov.b32 %r6, {%h1, %h2}; mov.b32 {%h3, %h4}, %r6; st.global.u16 [%d1], %h3;",
        // Results that do not depend on the operand's value.
        "xor.b32 %r6, %r5, %r5; st.global.u32 [%d1], %r6;",
        "mul.lo.u32 %r6, %r5, 0; st.global.u32 [%d1], %r6;",
        "or.b32 %r6, %r5, -1; st.global.u32 [%d1], %r6;",
        // Lanes whose sums no instruction uses.
        "shfl.sync.down.b32 %r6, %r5, 1, 31, -1; setp.eq.u32 %p2, %tid, 0; @%p2 st.global.u32 [%d1], %r6;",
        // A register that is written before its use.
        "@!%p1 mov.u32 %r5, 3; st.global.u32 [%d1], %r5;",
        "mov.u32 %r6, 4; N: add.u32 %r5, %r5, 1; mov.u32 %r5, 2; sub.u32 %r6, %r6, 1; setp.ne.u32 %p2, %r6, 0;\n\
         @%p2 bra N; st.global.u32 [%d1], %r5;",
    ] {
        let result = run(body, Config::default());
        assert!(result.is_ok(), "{body}: {result:?}");
        // For these, the strict check finds the reads.
        let strict = Config {
            check_registers: true,
            ..Config::default()
        };
        let strict = run(body, strict);
        let silent = body.starts_with("@") || strict.is_err();
        assert!(silent, "{body}: {strict:?}");
    }
}
