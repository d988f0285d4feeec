#![no_std]
#![feature(abi_ptx, stdarch_nvptx, asm_experimental_arch)]
use core::arch::nvptx::*;
use core::arch::asm;
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! { unsafe { trap() } }

unsafe fn gid() -> usize { unsafe { (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize } }

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn vecadd(a: *const f32, b: *const f32, c: *mut f32, n: u32) { unsafe {
    let i = gid();
    if i < n as usize { *c.add(i) = *a.add(i) + *b.add(i); }
}}

#[repr(C)] #[derive(Clone, Copy)]
pub struct P { a: u32, b: u64, c: [u8; 3] }

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn structs(p: P, q: (u32, u8), out: *mut u64) { unsafe {
    *out.add(gid()) = p.a as u64 + p.b + p.c[1] as u64 + q.0 as u64 + q.1 as u64;
}}

static TABLE: [u32; 5] = [3, 1, 4, 1, 5];
static NAMES: [&str; 3] = ["alpha", "beta", "gamma!"];
static FNS: [fn(u32) -> u32; 3] = [f0, f1, f2];
#[inline(never)] fn f0(x: u32) -> u32 { x.wrapping_mul(3) }
#[inline(never)] fn f1(x: u32) -> u32 { x.rotate_left(5) }
#[inline(never)] fn f2(x: u32) -> u32 { if x == 0 { 0 } else { f2(x / 3) + 1 } }

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn tables(out: *mut u32, n: u32) { unsafe {
    let i = gid();
    if i >= n as usize { return; }
    let mut s = TABLE[i % 5];
    for b in NAMES[i % 3].bytes() { s = s.wrapping_mul(31).wrapping_add(b as u32); }
    s = s.wrapping_add(FNS[(i / 2) % 3](i as u32));
    *out.add(i) = s;
}}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn arith(out: *mut u64, x: u64, y: u32, f: f32, d: f64) { unsafe {
    let i = gid() as u64;
    let mut r = x.leading_zeros() as u64 + (x ^ i).trailing_zeros() as u64 + (x & i).count_ones() as u64;
    r = r.wrapping_add(x.rotate_left((i & 63) as u32)).wrapping_add((x.swap_bytes() / (i + 1)).reverse_bits());
    r ^= (y.wrapping_add(i as u32).checked_mul(77).unwrap_or(9)) as u64;
    r = r.wrapping_add((f * i as f32) as u64).wrapping_add((d / i as f64) as i64 as u64);
    r = r.wrapping_add(((f + 1.5).to_bits() as u64) << (i & 7));
    r = r.wrapping_add(((x as u128 * (i as u128 + 12345678901234567)) >> 64) as u64);
    r = r.saturating_add(y as u64).wrapping_sub((y as i32 as i64 % (i as i64 + 3)) as u64);
    r = r.wrapping_add((x as i64).signum() as u64).wrapping_add((f as f64 * d) as f32 as u64);
    r = r.wrapping_add((f.abs().min(3.0).max(d as f32)) as i32 as u64);
    *out.add(i as usize) = r;
}}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn local(out: *mut u32, n: u32) { unsafe {
    let i = gid();
    let mut a = [0u32; 32];
    for k in 0..n as usize { a[(k * 7 + i) % 32] += k as u32; }
    let mut s = 0u32; for k in 0..32 { s = s.wrapping_mul(17).wrapping_add(a[k]); }
    *out.add(i) = s;
}}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn matcher(out: *mut u32, n: u32) { unsafe {
    let i = gid();
    let v = match (i as u32).wrapping_mul(n) % 11 { 0 => f0(n), 1 => f1(n), 2 => n ^ 77, 3 => n + 5, 4 => n.wrapping_mul(n), 5 => n / 3, 6 => f2(n), 7 => !n, 8 => n >> 3, 9 => n << 4, _ => 1 };
    *out.add(i) = v;
}}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn printer(n: u32) { unsafe {
    #[repr(C)] struct A { i: u32, n: u32, f: f64 }
    let a = A { i: gid() as u32, n, f: n as f64 * 0.5 };
    vprintf(c"thread %u of %d: %f\n".as_ptr() as *const u8, &a as *const A as *const core::ffi::c_void);
    if n == 0 { __assert_fail(c"n".as_ptr() as *const u8, c"k.rs".as_ptr() as *const u8, 3, c"printer".as_ptr() as *const u8); }
}}

core::arch::global_asm!(".extern .shared .align 16 .b8 dynsm[];");
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn asmk(out: *mut u32) { unsafe {
    let t = _thread_idx_x() as u32;
    let base: u32;
    asm!("{{ .reg .u64 t; mov.u64 t, dynsm; cvt.u32.u64 {}, t; }}", out(reg32) base, options(pure, nomem, nostack));
    asm!("st.shared.u32 [{}], {};", in(reg32) base + t * 4, in(reg32) t * t);
    _syncthreads();
    let v: u32;
    asm!("ld.shared.u32 {}, [{}];", out(reg32) v, in(reg32) base + (31 - t) * 4);
    let p: u32;
    asm!("{{ .reg .pred p; setp.gt.u32 p, {1}, 100; selp.u32 {0}, 1, 0, p; }}", out(reg32) p, in(reg32) v);
    *out.add(t as usize) = v + p;
}}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn atomics(p: *mut u32, q: *mut u64) { unsafe {
    use core::sync::atomic::*;
    let a = &*(p as *const AtomicU32);
    a.fetch_add(3, Ordering::Relaxed);
    let b = &*(q as *const AtomicU64);
    b.fetch_max(gid() as u64, Ordering::SeqCst);
    let mut c = a.load(Ordering::Acquire);
    while let Err(e) = a.compare_exchange_weak(c, c ^ 5, Ordering::AcqRel, Ordering::Relaxed) { c = e; }
    b.store(c as u64, Ordering::Release);
    fence(Ordering::SeqCst);
    let c8 = &*(p.add(9) as *const AtomicU8);
    c8.fetch_add(1, Ordering::Relaxed);
}}
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn deadpanic(p: *mut u32, n: usize) { unsafe {
    let s = core::slice::from_raw_parts_mut(p, n);
    s[gid()] = 10 / (n as u32 - 3);
}}
