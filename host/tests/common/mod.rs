//! Kernels written by hand, and the devices on which a test runs.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses some of this"
)]

use host::Device;

/// Returns the emulator, and the GPU if there is one. Prints to the test's output whether there is
/// a GPU.
pub fn devices() -> Vec<Device> {
    let mut devices = vec![Device::emulator()];
    match Device::gpu(0) {
        Ok(gpu) => devices.push(gpu),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
    for device in &devices {
        println!("{}", device.where_it_ran());
    }
    devices
}

/// Returns the devices of [`devices`] that run PTX for `sm_90a`.
pub fn hoppers() -> Vec<Device> {
    let all = devices().into_iter();
    all.filter(|device| device.compute_capability() == (9, 0))
        .collect()
}

/// Returns the text of a module for `target`.
pub fn ptx_for(target: &str) -> String {
    PTX.replace("sm_80", target)
}

/// Five small kernels.
///
/// - `axpy(x, y, a, n)`: `y[i] += a * x[i]` in f32.
/// - `reverse(data, n)`: reverses `n` u32 through `4 n` bytes of dynamic shared memory, one block.
/// - `copy16(dst, src)`: one 16-byte access per thread, at any alignment.
/// - `pick(out, table, at)`: `out[0] = table.entries[at]`. The table is passed by value.
/// - `narrow(out)`: for blocks of at most 64 threads.
pub const PTX: &str = r"
.version 7.0
.target sm_80
.address_size 64

.extern .shared .align 16 .b8 smem[];

.visible .entry axpy(.param .u64 .ptr .global .align 4 x, .param .u64 .ptr .global .align 4 y,
                     .param .f32 a, .param .u32 n)
{
    .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<5>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    ld.param.f32 %f1, [a];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra DONE;
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mul.wide.u32 %rd5, %r5, 4;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.f32 %f2, [%rd6];
    ld.global.f32 %f3, [%rd7];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%rd7], %f4;
DONE:
    ret;
}

.visible .entry reverse(.param .u64 data, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [data];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, smem;
    mov.u32 %r4, %tid.x;
LOAD:
    setp.ge.u32 %p1, %r4, %r1;
    @%p1 bra LOADED;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    ld.global.u32 %r5, [%rd4];
    shl.b32 %r6, %r4, 2;
    add.s32 %r7, %r3, %r6;
    st.shared.u32 [%r7], %r5;
    add.s32 %r4, %r4, %r2;
    bra LOAD;
LOADED:
    bar.sync 0;
    mov.u32 %r4, %tid.x;
STORE:
    setp.ge.u32 %p2, %r4, %r1;
    @%p2 bra DONE;
    sub.s32 %r8, %r1, %r4;
    add.s32 %r9, %r8, -1;
    shl.b32 %r10, %r9, 2;
    add.s32 %r11, %r3, %r10;
    ld.shared.u32 %r5, [%r11];
    mul.wide.u32 %rd5, %r4, 4;
    add.s64 %rd6, %rd2, %rd5;
    st.global.u32 [%rd6], %r5;
    add.s32 %r4, %r4, %r2;
    bra STORE;
DONE:
    ret;
}

.visible .entry copy16(.param .u64 dst, .param .u64 src)
{
    .reg .b32 %r<6>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [dst];
    ld.param.u64 %rd2, [src];
    cvta.to.global.u64 %rd3, %rd1;
    cvta.to.global.u64 %rd4, %rd2;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd5, %r1, 16;
    add.s64 %rd6, %rd3, %rd5;
    add.s64 %rd7, %rd4, %rd5;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd7];
    st.global.v4.u32 [%rd6], {%r2, %r3, %r4, %r5};
    ret;
}

.visible .entry pick(.param .u64 out, .param .align 4 .b8 table[16], .param .u32 at)
{
    .reg .b32 %r<8>; .reg .pred %p<4>; .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.param.u32 %r1, [at];
    ld.param.u32 %r2, [table];
    ld.param.u32 %r3, [table+4];
    ld.param.u32 %r4, [table+8];
    ld.param.u32 %r5, [table+12];
    setp.eq.u32 %p1, %r1, 1;
    setp.eq.u32 %p2, %r1, 2;
    setp.eq.u32 %p3, %r1, 3;
    selp.b32 %r6, %r3, %r2, %p1;
    selp.b32 %r6, %r4, %r6, %p2;
    selp.b32 %r6, %r5, %r6, %p3;
    st.global.u32 [%rd2], %r6;
    ret;
}

.visible .entry narrow(.param .u64 out)
.maxntid 64, 1, 1
{
    .reg .b32 %r<2>; .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r1;
    ret;
}
";
