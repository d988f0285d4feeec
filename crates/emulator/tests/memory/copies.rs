//! Checks `cp.async`.

use super::*;

#[test]
fn copies_fill_with_zeros() {
    let input = bytes(512, 3);
    for (bytes, op) in [(4usize, "ca"), (8, "ca"), (16, "ca"), (16, "cg")] {
        for size in [0, 1, 3, bytes - 1, bytes] {
            let body = format!(
                "mul.wide.u32 %d0, %tid, 16; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0; add.u64 %d3, %a1, %d0; cvt.u32.u64 %r2, %d1;\n\
                 st.shared.v4.u32 [%d1], {{-1, -1, -1, -1}}; mov.u32 %r1, {size};\n\
                 cp.async.{op}.shared.global.L2::128B [%r2], [%d2], {bytes}, %r1; cp.async.commit_group; cp.async.wait_group 0;\n\
                 ld.shared.v4.u32 {{%r3,%r4,%r5,%r6}}, [%d1]; st.global.v4.u32 [%d3], {{%r3,%r4,%r5,%r6}};"
            );
            let (out, _) = run(&body, 32, &input, 512);
            for (i, &found) in out.iter().enumerate() {
                let expected = match i % 16 {
                    at if at < size => input[i],
                    at if at < bytes => 0,
                    _ => 0xff,
                };
                assert_eq!(
                    found, expected,
                    "{op} {bytes} bytes, {size} from the source, byte {i}"
                );
            }
        }
    }
    // The copy ignores the source for odd threads.
    let body = "mul.wide.u32 %d0, %tid, 4; add.u64 %d1, %d30, %d0; add.u64 %d2, %a0, %d0; add.u64 %d3, %a1, %d0; and.b32 %r1, %tid, 1;\n\
                setp.eq.u32 %p1, %r1, 1; cp.async.ca.shared.global [%d1], [%d2], 4, %p1; cp.async.wait_all;\n\
                ld.shared.u32 %r3, [%d1]; st.global.u32 [%d3], %r3;";
    let (out, _) = run(body, 32, &input, 128);
    assert!(out.chunks(4).enumerate().all(|(i, word)| if i % 2 == 1 {
        word == [0; 4]
    } else {
        word == &input[4 * i..4 * i + 4]
    }));
}

#[test]
fn groups_of_copies_arrive_in_order() {
    // There are three groups. With one in flight, the first two may be read.
    let input = bytes(64, 5);
    let body = "cp.async.ca.shared.global [%d30], [%a0], 4; cp.async.commit_group;\n\
                cp.async.ca.shared.global [%d30+4], [%a0+4], 4; cp.async.commit_group;\n\
                cp.async.ca.shared.global [%d30+8], [%a0+8], 4; cp.async.commit_group; cp.async.wait_group 1;\n\
                ld.shared.v2.u32 {%r1,%r2}, [%d30]; cp.async.wait_all; ld.shared.u32 %r3, [%d30+8];\n\
                st.global.v2.u32 [%a1], {%r1,%r2}; st.global.u32 [%a1+8], %r3;";
    let (out, _) = run(body, 1, &input, 12);
    assert_eq!(out, input[..12]);
}
