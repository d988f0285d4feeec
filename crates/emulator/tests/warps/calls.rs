//! Checks calls, recursion and the stack.

use super::*;

#[test]
fn recursion_and_indirect_calls() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func (.param .b32 out) fib(.param .b32 n);\n\
        .func (.param .b32 out) twice(.param .b32 n) {\n\
          .reg .b32 %r<3>; ld.param.b32 %r1, [n]; shl.b32 %r2, %r1, 1; st.param.b32 [out], %r2; ret; }\n\
        .global .u64 table[2] = {fib, twice};\n\
        .func (.param .b32 out) fib(.param .b32 n) {\n\
          .reg .b32 %r<8>; .reg .pred %p<2>; .local .b32 kept;\n\
          ld.param.b32 %r1, [n]; st.local.b32 [kept], %r1; setp.lt.u32 %p1, %r1, 2; @%p1 bra BASE;\n\
          { .param .b32 a; .param .b32 r; sub.u32 %r2, %r1, 1; st.param.b32 [a], %r2; call (r), fib, (a);\n\
            ld.param.b32 %r3, [r]; }\n\
          { .param .b32 a; .param .b32 r; ld.local.b32 %r4, [kept]; sub.u32 %r4, %r4, 2; st.param.b32 [a], %r4;\n\
            call (r), fib, (a); ld.param.b32 %r5, [r]; }\n\
          add.u32 %r6, %r3, %r5; st.param.b32 [out], %r6; ret;\n\
          BASE: st.param.b32 [out], %r1; ret; }\n\
        .visible .entry k(.param .u64 p) {\n\
          .reg .b32 %r<8>; .reg .b64 %d<8>; ld.param.u64 %d1, [p]; mov.u32 %r1, %tid.x;\n\
          and.b32 %r2, %r1, 1; mov.u64 %d2, table; mul.wide.u32 %d3, %r2, 8; add.u64 %d2, %d2, %d3; ld.global.u64 %d4, [%d2];\n\
          proto: .callprototype (.param .b32 _) _ (.param .b32 _);\n\
          { .param .b32 a; .param .b32 r; shr.u32 %r3, %r1, 1; st.param.b32 [a], %r3; call (r), %d4, (a), proto;\n\
            ld.param.b32 %r4, [r]; }\n\
          mul.wide.u32 %d5, %r1, 4; add.u64 %d1, %d1, %d5; st.global.u32 [%d1], %r4; ret; }";
    let bench = Bench::new(text);
    let out = bench.words(&[0; 32]);
    bench.run("k", 1, 32, &[Arg::U64(out)]);
    fn fib(n: u32) -> u32 {
        if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
    }
    let expected: Vec<u32> = (0..32)
        .map(|i| if i % 2 == 0 { fib(i / 2) } else { i / 2 * 2 })
        .collect();
    assert_eq!(bench.read_words(out, 32), expected);
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n\
        .func f() { call f; ret; }\n.visible .entry k() { call f; ret; }";
    let what = kind(Bench::new(text).launch("k", 1, 1, &[]));
    assert!(
        matches!(what, FaultKind::StackOverflow { limit: 0x80000, .. }),
        "{what}"
    );
}
