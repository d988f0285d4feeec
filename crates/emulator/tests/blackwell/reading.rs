//! What is read of `tcgen05`, and what is refused by its name.

use emulator::Program;

fn module(line: &str) -> String {
    format!(
        ".version 8.7
.target sm_100a
.address_size 64
.visible .entry k()
{{
    .reg .b32 %r<16>, %d, %i, %s, %m;
    .reg .f32 %f<16>;
    .reg .b64 %a, %b;
    .reg .b16 %h;
    .reg .pred %p;
    {line}
    ret;
}}
"
    )
}

#[test]
fn modifiers_stand_in_any_order() {
    for line in [
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 512;",
        "tcgen05.alloc.sync.aligned.cta_group::1.b32 [%a], %r1;",
        "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %d, 512;",
        "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;",
        "tcgen05.mma.cta_group::1.kind::f16 [%d], %a, %b, %i, %p;",
        "tcgen05.mma.kind::f16.cta_group::1 [%d], [%s], %b, %i, %p;",
        "tcgen05.mma.cta_group::1.kind::f16 [%d], %a, %b, %i, {%r0,%r1,%r2,%r3}, %p;",
        "tcgen05.mma.cta_group::2.kind::f16 [%d], %a, %b, %i, {%r0,%r1,%r2,%r3,%r0,%r1,%r2,%r3}, %p;",
        "tcgen05.mma.cta_group::1.kind::i8.collector::a::lastuse [%d+16], %a, %b, %i, %p;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.block32 [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.block_scale.kind::mxf4.cta_group::1 [%d], [%s], %b, %i, [%r0+4], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X.collector::a::fill [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::2X [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.cp.cta_group::1.128x256b [%d], %a;",
        "tcgen05.cp.cta_group::1.4x256b [%d], %a;",
        "tcgen05.cp.cta_group::1.128x128b [%d+4], %a;",
        "tcgen05.cp.cta_group::1.64x128b.warpx2::02_13 [%d], %a;",
        "tcgen05.cp.warpx2::01_23.64x128b.cta_group::1 [%d], %a;",
        "tcgen05.cp.cta_group::1.32x128b.warpx4 [%d], %a;",
        "tcgen05.cp.cta_group::1.128x128b.b8x16.b6x16_p32 [%d], %a;",
        "tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%d], %a;",
        "tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r0, %r1, %r2, %r3}, [%d];",
        "tcgen05.ld.sync.aligned.b32.x4.16x64b {%f0, %f1, %f2, %f3}, [%d+8];",
        "tcgen05.ld.sync.aligned.16x32bx2.x2.b32 {%r0, %r1}, [%d], 16;",
        "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32 {%r0, %r1}, [%d];",
        "tcgen05.st.sync.aligned.16x256b.x1.b32 [%d], {%r0, %r1, %r2, %r3};",
        "tcgen05.st.sync.aligned.16x32bx2.x1.unpack::16b.b32 [%d], 16, {%r0};",
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%s], 512;",
        "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %d, %r1;",
        "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;",
        "tcgen05.mma.cta_group::2.kind::f16 [%d], [%s], %b, %i, %p;",
        "tcgen05.mma.cta_group::2.kind::mxf4.block_scale [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.cp.cta_group::2.32x128b.warpx4 [%d], %a;",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [%m];",
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%m], %h;",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster.shared::cluster.b64 [%m], 3;",
        "tcgen05.wait::ld.sync.aligned;",
        "tcgen05.wait::st.sync.aligned;",
        "tcgen05.fence::before_thread_sync;",
        "tcgen05.fence::after_thread_sync;",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%m];",
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%a];",
    ] {
        let program = Program::parse(&module(line)).unwrap();
        let refused = program.not_emulated("k").map(ToString::to_string);
        assert_eq!(refused, None, "{line}");
    }
}

#[test]
fn what_is_not_emulated_is_refused_by_its_name() {
    for (line, said) in [
        (
            "tcgen05.mma.ws.cta_group::1.kind::f16 [%d], %a, %b, %i, %p;",
            ".ws is not emulated",
        ),
        (
            "tcgen05.mma.cta_group::1.kind::f16 [%d], %a, %b, %i, %p, 8;",
            "the scale of D is not emulated",
        ),
        (
            "tcgen05.shift.cta_group::1.down [%d];",
            "tcgen05.shift is not emulated",
        ),
    ] {
        let program = Program::parse(&module(line)).unwrap();
        let refused = program.not_emulated("k").map(ToString::to_string);
        assert!(
            refused
                .as_ref()
                .is_some_and(|refused| refused.contains(said)),
            "{line}: {refused:?}"
        );
    }
    for line in [
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], 48;",
        "tcgen05.ld.sync.aligned.16x256b.x64.b32 {%r0}, [%d];",
        "tcgen05.ld.sync.aligned.32x32b.x3.b32 {%r0, %r1, %r2}, [%d];",
        "tcgen05.mma.kind::f16 [%d], %a, %b, %i, %p;",
        "tcgen05.mma.cta_group::2.kind::f16 [%d], %a, %b, %i, {%r0,%r1,%r2,%r3}, %p;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4 [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::2X [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%d], %a, %b, %i, {%r0,%r1,%r2,%r3}, [%r0], [%r1], %p;",
        "tcgen05.mma.cta_group::1.kind::f16.block_scale [%d], %a, %b, %i, [%r0], [%r1], %p;",
        "tcgen05.cp.cta_group::1.64x128b [%d], %a;",
        "tcgen05.cp.cta_group::1.128x128b [%d], %a; tcgen05.cp.cta_group::2.128x128b [%d], %a;",
        "tcgen05.cp.cta_group::1.32x128b [%d], %a;",
        "tcgen05.cp.cta_group::1.128x128b.warpx4 [%d], %a;",
        "tcgen05.cp.cta_group::1.128x128b.b8x16 [%d], %a;",
    ] {
        let program = Program::parse(&module(line));
        let refused = match program {
            Ok(program) => program.not_emulated("k").is_some(),
            Err(_) => true,
        };
        assert!(refused, "{line}");
    }
}
