//! Checks that `vprintf` reads global memory as a load does: it can race with other blocks' writes.

use super::*;

/// Writes a kernel of which block 0 writes `%a0` (a string) and `%a1` (a buffer of arguments) with
/// `write`, and block `printer` executes `after` and prints.
fn printing(write: &str, printer: u32, after: &str) -> String {
    let body = entry(
        3,
        &format!(
            "mov.u32 %r9, %ctaid.x; setp.eq.u32 %p1, %r9, 0; setp.eq.u32 %p2, %r9, {printer};\n\
             @!%p1 bra WAIT;\n{write}\nWAIT: @!%p2 bra END;\n{after}\n\
             {{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], %a0; st.param.b64 [b], %a1;\n\
             call (r), vprintf, (a, b); }}\nEND: ret;"
        ),
    );
    let declared =
        ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n.extern .shared";
    body.replacen(".extern .shared", declared, 1)
}

fn launch(text: &str, threads: usize) -> Result<emulator::Report, LaunchError> {
    let config = Config {
        threads: Some(threads),
        ..Config::default()
    };
    let bench = Bench::with(text, config);
    let name = bench.bytes(b"text\0\0\0\0");
    let pattern = bench.bytes(b"%d %s\n\0\0");
    let arguments = bench.longs(&[5, name]);
    let flag = bench.words(&[0]);
    let arguments = [pattern, arguments, flag].map(Arg::U64);
    bench.launch("k", 8, 1, &arguments)
}

const WRITES: [(&str, &str); 3] = [
    ("the pattern", "mov.u16 %h1, 33; st.global.u8 [%a0+2], %h1;"),
    ("an argument", "st.global.u32 [%a1], 6;"),
    (
        "the text of an argument",
        "ld.global.u64 %d1, [%a1+8]; mov.u16 %h1, 33; st.global.u8 [%d1+1], %h1;",
    ),
];

#[test]
fn what_another_block_prints_is_a_race() {
    for (what, write) in WRITES {
        for threads in [1, 4] {
            let text = printing(write, 7, "");
            let Err(LaunchError::Fault(fault)) = launch(&text, threads) else {
                panic!("{what}: a race expected")
            };
            let expected = FaultKind::GlobalRace {
                access: Access::Read,
                earlier: Earlier::Wrote,
                other: [0, 0, 0],
                note: None,
            };
            assert_eq!((&fault.what, fault.block), (&expected, [7, 0, 0]), "{what}");
            assert!(fault.instruction.starts_with("call"), "{what}: {fault}");
            let earlier = fault.earlier.as_ref().unwrap();
            assert!(
                earlier.instruction.starts_with("st.global"),
                "{what}: {fault}"
            );
        }
    }
}

#[test]
fn a_write_of_what_an_earlier_block_printed_is_a_race() {
    let text = printing(WRITES[1].1, 0, "")
        .replace("setp.eq.u32 %p1, %r9, 0;", "setp.eq.u32 %p1, %r9, 7;");
    let Err(LaunchError::Fault(fault)) = launch(&text, 4) else {
        panic!("a race expected")
    };
    assert!(
        matches!(
            fault.what,
            FaultKind::GlobalRace {
                access: Access::Write,
                earlier: Earlier::Read,
                ..
            }
        ),
        "{fault}"
    );
}

#[test]
fn what_is_ordered_or_the_block_s_own_is_printed() {
    for (what, write) in WRITES {
        // The block that wrote prints.
        let report = launch(&printing(write, 0, ""), 4).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(report.output.lines().count(), 1, "{what}");
        // Another block prints, after an atomic that saw the writer's.
        let publish = format!("{write} membar.gl; atom.global.add.u32 %r1, [%a2], 1;");
        let wait =
            "L: atom.global.add.u32 %r1, [%a2], 0; setp.eq.u32 %p3, %r1, 0; @%p3 bra L; membar.gl;";
        let report = launch(&printing(&publish, 7, wait), 4);
        let report = report.unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(report.output.lines().count(), 1, "{what}");
    }
}

#[test]
fn blocks_that_print_what_nobody_writes_do_not_race() {
    let text = printing("", 0, "").replace("@!%p2 bra END;", "");
    let report = launch(&text, 4).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(report.output, "5 text\n".repeat(8));
}
