//! Threads that do not converge, and kernels that do not end.

use super::{PLAIN, Planted, Setup};

pub fn rows() -> Vec<Planted> {
    vec![
        Planted {
            kind: "barrier in divergent code",
            body: "setp.lt.u32 %p1, %tid, 40; @!%p1 bra E; bar.sync 0; E: add.u32 %r1, %r1, 1;",
            right: ("%tid, 40;", "%tid, 64;"),
            threads: 64,
            says: "`.aligned` instruction in divergent code: lanes 0x000000ff execute it",
            at: "bar.sync 0;",
            thread: 32,
            lanes: 0xff,
            ..PLAIN
        },
        Planted {
            kind: "barrier in divergent code",
            body: "and.b32 %r1, %tid, 1; setp.eq.u32 %p1, %r1, 1; @%p1 bar.sync 1;",
            right: ("@%p1 bar", "bar"),
            says: "`.aligned` instruction in divergent code: lanes 0xaaaaaaaa execute it",
            at: "@%p1 bar.sync 1;",
            thread: 1,
            lanes: 0xaaaa_aaaa,
            ..PLAIN
        },
        Planted {
            kind: "mismatched barrier",
            body: "setp.ge.u32 %p1, %tid, 32; @%p1 bra B; bar.sync 1, 64; bra E; B: bar.sync 1; E: add.u32 %r1, %r1, 1;",
            right: ("B: bar.sync 1;", "B: bar.sync 1, 64;"),
            threads: 64,
            says: "barrier 1: ",
            at: "bar.sync 1;",
            thread: 32,
            ..PLAIN
        },
        Planted {
            kind: "mismatched barrier",
            body: "mov.u32 %r1, 48; bar.sync 2, %r1;",
            right: ("48", "32"),
            threads: 64,
            says: "multiple of 32 up to 64, not 48",
            at: "bar.sync 2, %r1;",
            ..PLAIN
        },
        Planted {
            kind: "deadlock",
            body: "setp.ge.u32 %p1, %tid, 32; @%p1 bra B; bar.sync 1; bra E; B: bar.sync 2; E: add.u32 %r1, %r1, 1;",
            right: ("B: bar.sync 2;", "B: bar.sync 1;"),
            threads: 64,
            says: "waits for all 64 threads, 32 came, missing: warp 1",
            at: "bar.sync 1;",
            // The finding names the first warp that waits.
            lanes: 0,
            ..PLAIN
        },
        Planted {
            kind: "deadlock",
            body: "setp.lt.u32 %p1, %tid, 32; @%p1 bar.sync 3, 96;",
            right: ("setp.lt.u32 %p1, %tid, 32;", "setp.lt.u32 %p1, %tid, 96;"),
            threads: 96,
            says: "waits for 96 threads, 32 came",
            at: "@%p1 bar.sync 3, 96;",
            // The finding names the first warp that waits.
            lanes: 0,
            ..PLAIN
        },
        Planted {
            kind: "aligned instruction with a part of the warp",
            body: "setp.lt.u32 %p1, %tid, 8; @!%p1 bra E; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %tid; E: add.u32 %r2, %r2, 1;",
            right: ("%tid, 8;", "%tid, 32;"),
            says: "lanes 0x000000ff execute it, 0xffffffff must",
            at: "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %tid;",
            lanes: 0xff,
            ..PLAIN
        },
        Planted {
            kind: "aligned instruction with a part of the warp",
            body: "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7}, {%r1,%r2,%r3,%r4};",
            right: (
                "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7}, {%r1,%r2,%r3,%r4};",
                "",
            ),
            threads: 48,
            says: "lanes 0x0000ffff execute it, 0xffffffff must",
            at: "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%r7}, {%r1,%r2,%r3,%r4};",
            thread: 32,
            lanes: 0xffff,
            ..PLAIN
        },
        Planted {
            kind: "endless kernel",
            body: "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 2; setp.ne.u32 %p1, %r1, 65537; @%p1 bra L;",
            right: ("65537", "65536"),
            says: "the block executed 1000000 warp instructions (Config::max_instructions_per_block): an endless loop?",
            at: "",
            setup: Setup::Budget,
            ..PLAIN
        },
        Planted {
            kind: "endless kernel",
            body: "L: ld.acquire.gpu.global.u32 %r1, [%a0]; setp.ne.u32 %p1, %r1, 1; @%p1 bra L;",
            right: ("ne", "eq"),
            says: "the block executed 1000000 warp instructions",
            at: "",
            setup: Setup::Budget,
            ..PLAIN
        },
    ]
}
