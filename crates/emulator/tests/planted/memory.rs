//! Accesses that are wrong by themselves: their place, alignment, or memory that was never written
//! or was freed.

use super::{P0, P1, PLAIN, Planted, Setup};

pub fn rows() -> Vec<Planted> {
    vec![
        Planted {
            kind: "out of bounds, global",
            body: "add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1+904];",
            right: ("+904", "+896"),
            says: "global access of 4 bytes outside of every allocation",
            at: "ld.global.u32 %r1, [%d1+904];",
            thread: 30,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "out of bounds, global",
            body: "setp.eq.u32 %p1, %tid, 7; add.u64 %d1, %a0, %d0; @%p1 st.v4.u32 [%d1+-44], {%tid, %tid, %tid, %tid};",
            right: ("+-44", "+-28"),
            says: "access of 16 bytes outside of every allocation",
            at: "@%p1 st.v4.u32 [%d1+-44], {%tid, %tid, %tid, %tid};",
            thread: 7,
            lanes: 1 << 7,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "out of bounds, shared",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; add.u32 %r1, %r1, 4; st.shared.u32 [%r1+12], 1;",
            right: ("+12", "+8"),
            says: "shared access of 4 bytes out of bounds: offset 512 in 512 bytes",
            at: "st.shared.u32 [%r1+12], 1;",
            thread: 31,
            ..PLAIN
        },
        Planted {
            kind: "out of bounds, shared",
            body: "cvt.u32.u64 %r2, %d0; add.u32 %r1, %r30, %r2; sub.u32 %r1, %r1, 4; st.shared.u32 [%r1], 1;",
            right: ("sub.u32 %r1, %r1, 4;", ""),
            says: "shared access of 4 bytes out of bounds: offset -4 in 512 bytes",
            at: "st.shared.u32 [%r1], 1;",
            ..PLAIN
        },
        Planted {
            kind: "out of bounds, local",
            body: "and.b32 %r1, %tid, 7; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d31, %d1; st.local.u32 [%d1], 1;",
            right: ("%tid, 7", "%tid, 3"),
            says: "local access of 4 bytes out of bounds: offset 16 in 16 bytes",
            at: "st.local.u32 [%d1], 1;",
            thread: 4,
            ..PLAIN
        },
        Planted {
            kind: "out of bounds, local",
            body: "cvta.local.u64 %d1, %d31; st.u64 [%d1+8], %d0; ld.u64 %d2, [%d1+16];",
            right: ("+16", "+8"),
            says: "local access of 8 bytes out of bounds: offset 16 in 16 bytes",
            at: "ld.u64 %d2, [%d1+16];",
            ..PLAIN
        },
        Planted {
            kind: "misaligned, vector",
            body: "add.u64 %d1, %a0, %d0; ld.global.v2.u32 {%r1, %r2}, [%d1];",
            right: ("%a0, %d0;", "%a0, %d0; and.b64 %d1, %d1, -8;"),
            says: "misaligned global access: 8 bytes need an address that is a multiple of 8",
            at: "ld.global.v2.u32 {%r1, %r2}, [%d1];",
            thread: 1,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "misaligned, vector",
            body: "mad.lo.u32 %r1, %tid, 8, %r30; st.shared.v4.u32 [%r1], {%tid, %tid, %tid, %tid};",
            right: ("%tid, 8,", "%tid, 16,"),
            says: "misaligned shared access: 16 bytes need an address that is a multiple of 16",
            at: "st.shared.v4.u32 [%r1], {%tid, %tid, %tid, %tid};",
            thread: 1,
            ..PLAIN
        },
        Planted {
            kind: "misaligned, vector",
            body: "add.u64 %d1, %a0, %d0; red.global.add.v2.f32 [%d1], {%tid, %tid};",
            right: ("%a0, %d0;", "%a0, %d0; and.b64 %d1, %d1, -8;"),
            says: "misaligned global access: 8 bytes need an address that is a multiple of 8",
            at: "red.global.add.v2.f32 [%d1], {%tid, %tid};",
            thread: 1,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "misaligned, ldmatrix",
            body: "and.b32 %r1, %tid, 7; mad.lo.u32 %r1, %r1, 16, %r30; mad.lo.u32 %r2, %tid, 8, %r30;\n\
                   st.shared.v2.u32 [%r2], {%tid, %tid}; bar.sync 0; sub.u32 %r1, %r1, 8; add.u32 %r1, %r1, 16;\n\
                   ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
            right: ("sub.u32 %r1, %r1, 8;", ""),
            says: "misaligned shared access: 16 bytes",
            at: "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
            ..PLAIN
        },
        Planted {
            kind: "misaligned, ldmatrix",
            body: "mad.lo.u32 %r1, %tid, 18, %r30; and.b32 %r1, %r1, 2046;\n\
                   stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%tid, %tid};",
            right: ("%tid, 18,", "%tid, 16,"),
            says: "misaligned shared access: 16 bytes",
            at: "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r1], {%tid, %tid};",
            thread: 1,
            shared: 1024,
            ..PLAIN
        },
        Planted {
            kind: "misaligned, cp.async",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; mul.wide.u32 %d1, %tid, 4; add.u64 %d1, %a0, %d1;\n\
                   cp.async.cg.shared.global [%r1], [%d1], 16; cp.async.wait_all;",
            right: ("%tid, 4;", "%tid, 16;"),
            says: "misaligned global access: 16 bytes",
            at: "cp.async.cg.shared.global [%r1], [%d1], 16;",
            thread: 1,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "misaligned, cp.async",
            body: "mad.lo.u32 %r1, %tid, 12, %r30; mul.wide.u32 %d1, %tid, 8; add.u64 %d1, %a0, %d1;\n\
                   cp.async.ca.shared.global [%r1], [%d1], 8; cp.async.wait_all;",
            right: ("%tid, 12,", "%tid, 8,"),
            says: "misaligned shared access: 8 bytes",
            at: "cp.async.ca.shared.global [%r1], [%d1], 8;",
            thread: 1,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, global",
            body: "add.u64 %d1, %a1, %d0; st.global.u32 [%d1+4], 1; bar.warp.sync -1; ld.global.u32 %r1, [%d1];",
            right: ("[%d1];", "[%d1+4];"),
            says: "read of uninitialised global memory: byte 0 of 1024",
            at: "ld.global.u32 %r1, [%d1];",
            buffer: P1,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, global",
            body: "mul.wide.u32 %d1, %tid, 8; add.u64 %d1, %a1, %d1; st.global.u32 [%d1], 1; red.global.add.v2.f32 [%d1], {%tid, %tid};",
            right: ("st.global.u32 [%d1], 1;", "st.global.v2.u32 [%d1], {1, 1};"),
            says: "read of uninitialised global memory: byte 4 of 1024",
            at: "red.global.add.v2.f32 [%d1], {%tid, %tid};",
            buffer: P1,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, global",
            body: "add.u64 %d1, %a1, %d0; setp.ne.u32 %p1, %tid, 21; @%p1 st.global.u32 [%d1], 1; red.global.add.u32 [%d1], 1;",
            right: ("@%p1", ""),
            says: "read of uninitialised global memory: byte 84 of 1024",
            at: "red.global.add.u32 [%d1], 1;",
            thread: 21,
            buffer: P1,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, shared",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; st.shared.u32 [%r1], 1; bar.sync 0; ld.shared.u32 %r2, [%r1+4];",
            right: ("[%r1+4];", "[%r1];"),
            says: "read of uninitialised shared memory: byte 128 of 512",
            at: "ld.shared.u32 %r2, [%r1+4];",
            thread: 31,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, shared",
            body: "and.b32 %r1, %tid, 15; mad.lo.u32 %r1, %r1, 8, %r30; st.shared.u16 [%r1], 1; st.shared.u16 [%r1+2], 1;\n\
                   bar.sync 0; ld.shared.v2.u16 {%h1, %h2}, [%r1]; ld.shared.v2.u32 {%r2, %r3}, [%r1];",
            right: ("ld.shared.v2.u32 {%r2, %r3}", "ld.shared.u32 %r2"),
            says: "read of uninitialised shared memory: byte 4 of 512",
            at: "ld.shared.v2.u32 {%r2, %r3}, [%r1];",
            ..PLAIN
        },
        Planted {
            kind: "dynamic shared memory beyond the launch's",
            body: "st.shared.u32 [%r30+1020], 1;",
            right: ("1020", "508"),
            says: "shared access of 4 bytes out of bounds: offset 1020 in 512 bytes",
            at: "st.shared.u32 [%r30+1020], 1;",
            ..PLAIN
        },
        Planted {
            kind: "dynamic shared memory beyond the launch's",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; st.shared.v4.u32 [%r1], {%tid, %tid, %tid, %tid};",
            shared: 0,
            says: "shared access of 16 bytes out of bounds: offset 0 in 0 bytes",
            at: "st.shared.v4.u32 [%r1], {%tid, %tid, %tid, %tid};",
            setup: Setup::Wrong,
            ..PLAIN
        },
        Planted {
            kind: "use after free",
            body: "add.u64 %d1, %a0, %d0; ld.global.u32 %r1, [%d1+12];",
            says: "access of 4 bytes to freed memory: offset 12 in an allocation of 1024 bytes",
            at: "ld.global.u32 %r1, [%d1+12];",
            buffer: P0,
            setup: Setup::Free,
            ..PLAIN
        },
        Planted {
            kind: "use after free",
            body: "setp.eq.u32 %p1, %tid, 30; add.u64 %d1, %a0, %d0; @%p1 red.add.u32 [%d1], 1;",
            says: "access of 4 bytes to freed memory: offset 120 in an allocation of 1024 bytes",
            at: "@%p1 red.add.u32 [%d1], 1;",
            thread: 30,
            lanes: 1 << 30,
            buffer: P0,
            setup: Setup::Free,
            ..PLAIN
        },
        Planted {
            kind: "local memory use",
            body: "and.b32 %r1, %tid, 3; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %d31, %d1; st.local.u32 [%d1], 1;",
            right: ("st.local.u32 [%d1], 1;", ""),
            says: "access of local memory, which the launch does not allow: 16 bytes a thread",
            at: "st.local.u32 [%d1], 1;",
            setup: Setup::NoLocal,
            ..PLAIN
        },
        Planted {
            kind: "local memory use",
            body: "cvta.local.u64 %d1, %d31; setp.gt.u32 %p1, %tid, 15; @%p1 st.u64 [%d1], %d0;",
            right: ("@%p1 st.u64 [%d1], %d0;", ""),
            says: "access of local memory, which the launch does not allow: 16 bytes a thread",
            at: "@%p1 st.u64 [%d1], %d0;",
            thread: 16,
            lanes: 0xffff_0000,
            setup: Setup::NoLocal,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, register",
            body: "setp.lt.u32 %p1, %tid, 9; @%p1 mov.u32 %r1, 7; add.u64 %d1, %a0, %d0; st.global.u32 [%d1], %r1;",
            right: ("@%p1 mov", "mov"),
            says: "read of uninitialised register %r1",
            at: "st.global.u32 [%d1], %r1;",
            thread: 9,
            setup: Setup::Registers,
            ..PLAIN
        },
        Planted {
            kind: "uninitialised, register",
            body: "mov.u32 %r2, 0; setp.gt.u32 %p1, %tid, 20; @%p1 bra L; add.u32 %r3, %r2, 1; L: add.u32 %r4, %r2, %r3;",
            right: ("mov.u32 %r2, 0;", "mov.u32 %r2, 0; mov.u32 %r3, 0;"),
            says: "read of uninitialised register %r3",
            at: "add.u32 %r4, %r2, %r3;",
            thread: 21,
            setup: Setup::Registers,
            ..PLAIN
        },
        Planted {
            kind: "another variable, shared",
            body: ".shared .align 16 .b8 first[128]; .shared .align 16 .b8 second[128]; mov.u32 %r1, first; mov.u32 %r2, second;\n\
                   mad.lo.u32 %r3, %tid, 4, %r2; st.shared.u32 [%r3], 1; mad.lo.u32 %r4, %tid, 4, %r1; bar.sync 0;\n\
                   st.shared.u32 [%r4+4], 2;",
            right: ("+4], 2;", "], 2;"),
            says: "shared access of 4 bytes beyond what its address comes from: offset 128 in `first` of 128 bytes, which is in \
                   `second`",
            at: "st.shared.u32 [%r4+4], 2;",
            thread: 31,
            ..PLAIN
        },
        Planted {
            kind: "another variable, shared",
            body: ".shared .align 16 .b8 first[128]; mov.u32 %r1, first; mad.lo.u32 %r2, %tid, 4, %r1; st.shared.u32 [%r2], 1;\n\
                   mad.lo.u32 %r3, %tid, 4, %r30; st.shared.u32 [%r3], 2; bar.sync 0; ld.shared.u32 %r4, [%r3+-4];",
            right: ("+-4];", "];"),
            says: "offset -4 in `dynamic` of 512 bytes, which is in `first`",
            at: "ld.shared.u32 %r4, [%r3+-4];",
            ..PLAIN
        },
        Planted {
            kind: "another buffer, global",
            body: "add.u64 %d1, %a0, %d0; st.global.u32 [%d1+1280], 1;",
            right: ("+1280", "+128"),
            says: "global access of 4 bytes beyond what its address comes from: offset 1280 in the buffer of parameter `p0` of \
                   1024 bytes",
            at: "st.global.u32 [%d1+1280], 1;",
            buffer: P1,
            ..PLAIN
        },
        Planted {
            kind: "another buffer, global",
            body: "setp.eq.u32 %p1, %tid, 9; sub.u64 %d1, %a1, 1280; add.u64 %d2, %d1, %d0; @%p1 ld.global.u32 %r1, [%d2];",
            right: ("%a1, 1280;", "%a0, 0;"),
            says: "offset -1244 in the buffer of parameter `p1` of 1024 bytes",
            at: "@%p1 ld.global.u32 %r1, [%d2];",
            thread: 9,
            lanes: 1 << 9,
            buffer: P0,
            ..PLAIN
        },
    ]
}
