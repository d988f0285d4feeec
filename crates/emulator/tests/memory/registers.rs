//! Checks special registers and clocks.

use super::*;

#[test]
fn special_registers() {
    let body = "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z; mov.u32 %r4, %nctaid.y;\n\
        mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.z; mov.u32 %r8, %laneid; mov.u32 %r9, %warpid;\n\
        mov.u32 %r10, %lanemask_lt; mov.u32 %r11, %lanemask_ge; mov.u32 %r12, %dynamic_smem_size;\n\
        mov.u32 %r13, %total_smem_size; mov.u32 %r14, %nwarpid; mov.u32 %r15, %lanemask_eq;\n\
        mov.u32 %r20, %nctaid.x; mad.lo.u32 %r21, %r3, %r4, %r2; mad.lo.u32 %r21, %r21, %r20, %r1;\n\
        mul.lo.u32 %r21, %r21, 36; mad.lo.u32 %r22, %r6, 3, %r5; mad.lo.u32 %r22, %r22, 6, %tid; add.u32 %r21, %r21, %r22;\n\
        mul.wide.u32 %d1, %r21, 64; add.u64 %d1, %a0, %d1;\n\
        st.global.v4.u32 [%d1], {%r1,%r2,%r3,%tid}; st.global.v4.u32 [%d1+16], {%r5,%r6,%r7,%r8};\n\
        st.global.v4.u32 [%d1+32], {%r9,%r10,%r11,%r12}; st.global.v4.u32 [%d1+48], {%r13,%r14,%r15,%r4}; ret;";
    let bench = Bench::new(&entry(1, body));
    let (grid, block) = ([2u32, 3, 2], [6u32, 3, 2]);
    let out = bench.words(&vec![0; 12 * 36 * 16]);
    bench
        .launch_with(
            "k",
            Launch {
                grid,
                block,
                dynamic_shared: 96,
            },
            &[Arg::U64(out)],
        )
        .unwrap();
    let found = bench.read_words(out, 12 * 36 * 16);
    for b in 0..12u32 {
        for t in 0..36u32 {
            let record = &found[((b * 36 + t) * 16) as usize..][..16];
            let lane = t % 32;
            let lt = (1u64 << lane) as u32 - 1;
            let expected = [
                b % 2,
                b / 2 % 3,
                b / 6,
                t % 6,
                t / 6 % 3,
                t / 18,
                2,
                lane,
                t / 32,
                lt,
                !lt,
                96,
                96,
                2,
                1 << lane,
                3,
            ];
            assert_eq!(record, expected, "block {b}, thread {t}");
        }
    }
}

#[test]
fn clocks_run() {
    let body = "mov.u64 %d1, %clock64; mov.u32 %r1, %clock; add.u32 %r2, %r2, 1; mov.u64 %d2, %clock64; mov.u64 %d3, %globaltimer;\n\
                sub.u64 %d2, %d2, %d1; st.global.u64 [%a1], %d2;";
    let (out, _) = run(body, 1, &[0], 8);
    assert_eq!(out[0], 3, "one for each instruction");
}
