//! Checks the costs of accesses.

use super::*;

#[test]
fn bank_conflicts_and_sectors_by_instruction() {
    let at = |report: &emulator::Report, text: &str| {
        report
            .lines
            .iter()
            .find(|l| l.instruction.starts_with(text))
            .unwrap_or_else(|| panic!("{text}"))
            .memory
    };
    for (stride, wavefronts) in [(4, 1), (8, 2), (16, 4), (128, 32), (132, 1)] {
        let body = format!(
            "mul.lo.u32 %r1, %tid, {stride}; add.u32 %r1, %r30, %r1; st.shared.u32 [%r1], %tid;"
        );
        let text = entry(0, &format!("mov.u32 %r30, dynamic; {body} ret;"));
        let bench = Bench::new(&text);
        let launch = Launch {
            grid: [3, 1, 1],
            block: [64, 1, 1],
            dynamic_shared: 16384,
        };
        let report = bench.launch_with("k", launch, &[]).unwrap();
        let counts = at(&report, "st.shared");
        assert_eq!(
            (counts.shared_requests, counts.shared_wavefronts),
            (6, 6 * wavefronts),
            "stride {stride}"
        );
        assert_eq!(counts.bank_conflicts, 6 * (wavefronts - 1));
        assert_eq!(report.memory.bank_conflicts, counts.bank_conflicts);
    }
    let input = vec![0; 32 * 128];
    for (stride, sectors) in [(4, 4), (32, 32), (64, 32), (128, 32), (0, 1)] {
        let body = format!(
            "mul.wide.u32 %d0, %tid, {stride}; add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1];"
        );
        let (_, report) = run(&body, 32, &input, 4);
        assert_eq!(
            at(&report, "ld.global.u32 %r1").global_sectors,
            sectors,
            "stride {stride}"
        );
    }
    let (_, report) = run(
        "st.global.u32 [%a1], 7; setp.ne.u32 %p1, %tid, %tid; add.u32 %r1, %r1, 1; @%p1 add.u32 %r1, %r1, 1;",
        32,
        &[0],
        4,
    );
    // An instruction with a false guard is still counted.
    assert_eq!(report.opcodes["add.u32"], 2);
    assert_eq!(
        report.instructions,
        report.lines.iter().map(|l| l.executed).sum::<u64>()
    );
}
