//! Accesses that nothing orders: threads in shared memory, blocks in global memory, copies in
//! flight.

use super::{P0, P1, PLAIN, Planted};

pub fn rows() -> Vec<Planted> {
    vec![
        Planted {
            kind: "race in shared memory, read and write",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; xor.b32 %r2, %tid, 33; mad.lo.u32 %r2, %r2, 4, %r30; st.shared.u32 [%r1], 1;\n\
                   bar.sync 0; ld.shared.u32 %r3, [%r2]; st.shared.u32 [%r1], %r2;",
            right: ("[%r2]; st", "[%r2]; bar.sync 0; st"),
            threads: 64,
            // The warp that came to the barrier last continues first.
            says: "race on shared memory: read after thread (33,0,0) wrote it",
            at: "ld.shared.u32 %r3, [%r2];",
            ..PLAIN
        },
        Planted {
            kind: "race in shared memory, read and write",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; st.shared.u32 [%r1], %tid; xor.b32 %r2, %tid, 3; mad.lo.u32 %r2, %r2, 4, %r30;\n\
                   ld.shared.u32 %r3, [%r2];",
            right: ("ld.shared", "bar.warp.sync -1; ld.shared"),
            says: "race on shared memory: read after thread (3,0,0) wrote it",
            at: "ld.shared.u32 %r3, [%r2];",
            ..PLAIN
        },
        Planted {
            kind: "race in shared memory, two writes",
            body: "and.b32 %r1, %tid, 31; mad.lo.u32 %r1, %r1, 4, %r30; add.u32 %r2, %tid, 1; st.shared.u32 [%r1], %r2;",
            right: ("and.b32 %r1, %tid, 31;", "mov.u32 %r1, %tid;"),
            threads: 64,
            says: "race on shared memory: write after thread (0,0,0) wrote it",
            at: "st.shared.u32 [%r1], %r2;",
            thread: 32,
            ..PLAIN
        },
        Planted {
            kind: "race in shared memory, two writes",
            body: "shr.u32 %r1, %tid, 1; mad.lo.u32 %r1, %r1, 4, %r30; st.shared.u32 [%r1], %tid;",
            right: ("shr.u32 %r1, %tid, 1;", "mov.u32 %r1, %tid;"),
            says: "two lanes of the warp write different values to one place: this thread and thread (0,0,0)",
            at: "st.shared.u32 [%r1], %tid;",
            thread: 1,
            ..PLAIN
        },
        Planted {
            kind: "another swizzle in shared memory",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; shr.u32 %r2, %tid, 5; shl.b32 %r2, %r2, 4; xor.b32 %r2, %r1, %r2;\n\
                   st.shared.u32 [%r2], %tid; // smem Sw<1,4,3>\n\
                   bar.sync 0;\n\
                   ld.shared.u32 %r3, [%r1]; // smem Sw<0,4,3>",
            right: ("[%r1]; // smem Sw<0,4,3>", "[%r2]; // smem Sw<1,4,3>"),
            threads: 64,
            says: "shared memory is read through no swizzle, and thread (36,0,0) wrote it through Sw<1,4,3> of bytes",
            at: "ld.shared.u32 %r3, [%r1];",
            thread: 32,
            ..PLAIN
        },
        Planted {
            kind: "another swizzle in shared memory",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; mul.wide.u32 %d1, %tid, 16; add.u64 %d1, %a0, %d1; shr.u32 %r2, %tid, 3; shl.b32 %r2, %r2, 4;\n\
                   xor.b32 %r2, %r1, %r2;\n\
                   cp.async.cg.shared.global [%r1], [%d1], 16; // smem Sw<0,4,3>\n\
                   cp.async.wait_all; bar.sync 0;\n\
                   ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2]; // smem Sw<2,4,3>",
            right: ("[%r2]; // smem Sw<2,4,3>", "[%r1]; // smem Sw<0,4,3>"),
            says: "shared memory is read through Sw<2,4,3> of bytes, and thread (9,0,0) wrote it through no swizzle",
            at: "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r2];",
            thread: 8,
            ..PLAIN
        },
        Planted {
            kind: "race in shared memory, cp.async",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; mul.wide.u32 %d1, %tid, 16; add.u64 %d1, %a0, %d1; xor.b32 %r2, %tid, 1;\n\
                   mad.lo.u32 %r2, %r2, 16, %r30; st.shared.u32 [%r2], 1; cp.async.cg.shared.global [%r1], [%d1], 16; cp.async.wait_all;",
            right: ("cp.async.cg", "bar.sync 0; cp.async.cg"),
            says: "race on shared memory: write after thread (1,0,0) wrote it",
            at: "cp.async.cg.shared.global [%r1], [%d1], 16;",
            ..PLAIN
        },
        Planted {
            kind: "race in shared memory, cp.async",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; add.u64 %d1, %a0, %d0; st.shared.u32 [%r1], 1; bar.sync 0; xor.b32 %r2, %tid, 16;\n\
                   mad.lo.u32 %r2, %r2, 4, %r30; ld.shared.u32 %r3, [%r2]; cp.async.ca.shared.global [%r1], [%d1], 4; cp.async.wait_all;",
            right: ("cp.async.ca", "bar.sync 0; cp.async.ca"),
            says: "race on shared memory: write after thread (16,0,0) read it",
            at: "cp.async.ca.shared.global [%r1], [%d1], 4;",
            ..PLAIN
        },
        Planted {
            kind: "race between blocks in global memory",
            body: "mad.lo.u32 %r1, %r20, 16, %tid; mul.wide.u32 %d1, %r1, 4; add.u64 %d1, %a1, %d1; add.u32 %r2, %r20, 1;\n\
                   st.global.u32 [%d1], %r2;",
            right: ("%r20, 16,", "%r20, 32,"),
            blocks: 4,
            says: "race on global memory: write after block (0,0,0) wrote it",
            at: "st.global.u32 [%d1], %r2;",
            block: 1,
            buffer: P1,
            ..PLAIN
        },
        Planted {
            kind: "race between blocks in global memory",
            body: "setp.ne.u32 %p1, %tid, 0; @%p1 exit; ld.global.u32 %r1, [%a0+16]; add.u32 %r1, %r1, 1; st.global.u32 [%a0+16], %r1;",
            right: (
                "ld.global.u32 %r1, [%a0+16]; add.u32 %r1, %r1, 1; st.global.u32 [%a0+16], %r1;",
                "red.global.add.u32 [%a0+16], 1;",
            ),
            blocks: 4,
            says: "race on global memory: read after block (0,0,0) wrote it",
            at: "ld.global.u32 %r1, [%a0+16];",
            block: 1,
            lanes: 1,
            buffer: P0,
            ..PLAIN
        },
        Planted {
            kind: "cp.async read before its wait",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; add.u64 %d1, %a0, %d0; cp.async.ca.shared.global [%r1], [%d1], 4;\n\
                   cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %r2, [%r1];",
            right: ("wait_group 1", "wait_group 0"),
            says: "read of shared memory that a cp.async of thread (0,0,0) writes, before that thread waited",
            at: "ld.shared.u32 %r2, [%r1];",
            ..PLAIN
        },
        Planted {
            kind: "cp.async read before its wait",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; mul.wide.u32 %d1, %tid, 16; add.u64 %d1, %a0, %d1;\n\
                   cp.async.cg.shared.global [%r1], [%d1], 16; bar.sync 0; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];",
            right: ("bar.sync", "cp.async.wait_all; bar.sync"),
            says: "read of shared memory that a cp.async of thread (0,0,0) writes, before that thread waited",
            at: "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r1];",
            ..PLAIN
        },
        Planted {
            kind: "cp.async read before its barrier",
            body: "mad.lo.u32 %r1, %tid, 4, %r30; add.u64 %d1, %a0, %d0; cp.async.ca.shared.global [%r1], [%d1], 4;\n\
                   cp.async.wait_all; xor.b32 %r2, %tid, 5; mad.lo.u32 %r2, %r2, 4, %r30; ld.shared.u32 %r3, [%r2];",
            right: ("wait_all;", "wait_all; bar.sync 0;"),
            says: "race on shared memory: read after thread (5,0,0) wrote it",
            at: "ld.shared.u32 %r3, [%r2];",
            ..PLAIN
        },
        Planted {
            kind: "cp.async read before its barrier",
            body: "mad.lo.u32 %r1, %tid, 16, %r30; mul.wide.u32 %d1, %tid, 16; add.u64 %d1, %a0, %d1;\n\
                   cp.async.cg.shared.global [%r1], [%d1], 16; cp.async.wait_all; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+128];",
            says: "race on shared memory: read after thread (8,0,0) wrote it",
            at: "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+128];",
            right: (
                "wait_all; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1+128];",
                "wait_all; bar.sync 0; and.b32 %r1, %r1, -129; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];",
            ),
            ..PLAIN
        },
    ]
}
