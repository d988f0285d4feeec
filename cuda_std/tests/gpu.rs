//! The fixture's kernels on a GPU, where there is one, against their definitions computed here.
//!
//! ```text
//!   kernel on the GPU ──► buffer ──┐
//!   definition on the host ────────┴──► equal
//! ```

mod common;

use common::build;
use cuda_builder::NvvmArch;
use cust::error::CudaError;
use cust::function::{BlockSize, GridSize};
use cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};
use std::ffi::c_void;

struct Gpu {
    module: Module,
    stream: Stream,
}

/// A kernel's argument: the bytes of one parameter.
struct Argument(Vec<u8>);

impl Argument {
    fn of<T: Copy>(value: T) -> Self {
        let bytes = (&raw const value).cast::<u8>();
        // SAFETY: the bytes of a plain value.
        Self(unsafe { std::slice::from_raw_parts(bytes, size_of::<T>()) }.to_vec())
    }
}

impl Gpu {
    fn launch(
        &self,
        kernel: &str,
        grid: impl Into<GridSize>,
        block: impl Into<BlockSize>,
        shared: u32,
        mut arguments: Vec<Argument>,
    ) -> Result<(), CudaError> {
        let function = self.module.get_function(kernel)?;
        let pointers: Vec<*mut c_void> = arguments
            .iter_mut()
            .map(|argument| argument.0.as_mut_ptr().cast())
            .collect();
        // SAFETY: the tests pass what the kernels' signatures ask for.
        unsafe {
            self.stream
                .launch(&function, grid, block, shared, &pointers)?
        };
        self.stream.synchronize()
    }

    /// Runs and expects success.
    fn run(
        &self,
        kernel: &str,
        grid: impl Into<GridSize>,
        block: impl Into<BlockSize>,
        shared: u32,
        arguments: Vec<Argument>,
    ) {
        let result = self.launch(kernel, grid, block, shared, arguments);
        assert_eq!(result, Ok(()), "{kernel}");
    }
}

fn upload<T: DeviceCopy>(data: &[T]) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(data).expect("memory")
}

fn download<T: DeviceCopy + Default + Clone>(buffer: &DeviceBuffer<T>) -> Vec<T> {
    let mut data = vec![T::default(); buffer.len()];
    buffer.copy_to(&mut data).expect("a copy");
    data
}

fn address<T: DeviceCopy>(buffer: &DeviceBuffer<T>) -> Argument {
    Argument::of(buffer.as_device_ptr().as_raw())
}

fn value<T: Copy>(value: T) -> Argument {
    Argument::of(value)
}

/// A slice: address and length.
fn slice<T: DeviceCopy>(buffer: &DeviceBuffer<T>) -> [Argument; 2] {
    [address(buffer), value(buffer.len() as u64)]
}

fn numbers(count: usize, seed: u32) -> Vec<f32> {
    (0..count as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 20) as f32 / 256.0 - 8.0)
        .collect()
}

/// The GPU with the fixture's kernels, or `None` after saying why there is none. The first one that the process
/// asks for; a context that an assertion has ended cannot be replaced.
fn with_gpu(run: impl FnOnce(&Gpu)) -> Option<()> {
    if let Err(error) = cust::init(cust::CudaFlags::empty()) {
        println!("not run: {} (cuInit: {error:?})", cuda_driver::status());
        return None;
    }
    let device = cust::device::Device::get_device(0).expect("a device");
    println!("on {}, {}", device.name().unwrap(), cuda_driver::status());
    let ptx = build("kernels", NvvmArch::Compute80);
    let _context = cust::quick_init().expect("a context");
    let gpu = Gpu {
        module: Module::from_ptx(&ptx, &[]).expect("the PTX loads"),
        stream: Stream::new(StreamFlags::NON_BLOCKING, None).expect("a stream"),
    };
    run(&gpu);
    // After a failed launch the driver refuses to free anything.
    std::mem::forget(gpu);
    Some(())
}

#[test]
fn kernels_do_on_a_gpu_what_they_are_defined_to_do() {
    with_gpu(|gpu| {
        vecadd(gpu);
        gemm(gpu);
        threads(gpu);
        shuffles(gpu);
        votes_matches_reductions(gpu);
        shared(gpu);
        parameters(gpu);
        floats(gpu);
        atomics(gpu);
    });
}

/// Which launch the child process breaks.
const BROKEN: &str = "CUDA_STD_BROKEN_LAUNCH";

#[test]
fn a_failed_check_ends_the_launch_and_names_its_place() {
    match std::env::var(BROKEN).as_deref() {
        Ok("assertion") => with_gpu(assertion),
        Ok(_) => with_gpu(bounds),
        Err(_) => with_gpu(|_| {
            broken("assertion", "src/parameters.rs:52", "a == b");
            broken("bounds", "src/vecadd.rs:8", "panicked");
        }),
    };
}

/// Breaks a launch in a process of its own, since the driver serves none after a failed assertion.
fn broken(which: &str, place: &str, what: &str) {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "a_failed_check_ends_the_launch_and_names_its_place",
            "--nocapture",
        ])
        .env(BROKEN, which)
        .output()
        .expect("this test runs again");
    // The driver writes the assertion to standard error.
    let said = [child.stdout, child.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(child.status.success(), "{said}");
    for word in [place, what] {
        assert!(said.contains(word), "{word}: {said}");
    }
}

fn vecadd(gpu: &Gpu) {
    let (a, b) = (numbers(1000, 1), numbers(1000, 2));
    let (da, db) = (upload(&a), upload(&b));
    let c = upload(&[0f32; 1024]);
    let [a0, a1] = slice(&da);
    let [b0, b1] = slice(&db);
    gpu.run("vecadd", 4, 256, 0, vec![a0, a1, b0, b1, address(&c)]);
    let mut expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    expected.resize(1024, 0.0);
    assert_eq!(download(&c), expected);
}

fn gemm(gpu: &Gpu) {
    let (m, n, k) = (45, 70, 37);
    let (a, b, c) = (numbers(m * k, 3), numbers(k * n, 4), numbers(m * n, 5));
    let (alpha, beta) = (0.5f32, 2.0f32);
    let mut expected = c.clone();
    for row in 0..m {
        for column in 0..n {
            let mut sum = 0.0f32;
            for l in 0..k {
                sum += a[row * k + l] * b[l * n + column];
            }
            let at = &mut expected[row * n + column];
            *at = alpha * sum + beta * *at;
        }
    }
    let (da, db) = (upload(&a), upload(&b));
    for kernel in ["gemm_naive", "gemm_tiled"] {
        let dc = upload(&c);
        let mut arguments: Vec<Argument> = slice(&da).into_iter().chain(slice(&db)).collect();
        arguments.push(address(&dc));
        arguments.extend([m, n, k].map(|extent| value(extent as u64)));
        arguments.extend([value(alpha), value(beta)]);
        gpu.run(kernel, (3, 5, 1), (16, 16, 1), 0, arguments);
        assert_eq!(download(&dc), expected, "{kernel}");
    }

    let n = 64;
    let (a, b) = (numbers(n * n, 6), numbers(n * n, 7));
    let (da, db, dc) = (upload(&a), upload(&b), upload(&vec![0f32; n * n]));
    let arguments = vec![address(&da), address(&db), address(&dc), value(n as u32)];
    gpu.run("gemm_tiled_raw", (4, 4, 1), (16, 16, 1), 0, arguments);
    let expected: Vec<f32> = (0..n * n)
        .map(|i| (0..n).fold(0.0, |sum, l| sum + a[i / n * n + l] * b[l * n + i % n]))
        .collect();
    assert_eq!(download(&dc), expected);
}

fn threads(gpu: &Gpu) {
    let (grid, block) = ((2u32, 3u32, 2u32), (4u32, 2u32, 3u32));
    let total = 2 * 3 * 2 * 4 * 2 * 3;
    let out = upload(&vec![u32::MAX; total]);
    gpu.run("thread_indices", grid, block, 0, vec![address(&out)]);
    let out = download(&out);
    let mut index = 0;
    for bz in 0..grid.2 {
        for by in 0..grid.1 {
            for bx in 0..grid.0 {
                for tz in 0..block.2 {
                    for ty in 0..block.1 {
                        for tx in 0..block.0 {
                            let x = tx + bx * block.0;
                            let y = ty + by * block.1;
                            let z = tz + bz * block.2;
                            let expected = if index == 0 {
                                24 + 12 + 32
                            } else {
                                x ^ y ^ z ^ y
                            };
                            assert_eq!(out[index], expected, "thread {index}");
                            index += 1;
                        }
                    }
                }
            }
        }
    }

    let out = upload(&[0u32; 128]);
    gpu.run("thread_barriers", 2, 64, 0, vec![address(&out)]);
    // 32 odd indices in each block; all are non-zero in the second only; some are in both.
    let expected: Vec<u32> = (0..128).map(|i| 32 + u32::from(i >= 64) + 1).collect();
    assert_eq!(download(&out), expected);

    let flag = upload(&[0u32]);
    gpu.run("thread_fences", 1, 1, 0, vec![address(&flag)]);
    assert_eq!(download(&flag), [5]);
}

fn shuffles(gpu: &Gpu) {
    let out = upload(&[0u32; 32]);
    let wide: Vec<f64> = (0..32).map(|i| f64::from(i) * 1e100 + 0.1).collect();
    let dwide = upload(&wide);
    gpu.run(
        "warp_shuffles",
        1,
        32,
        0,
        vec![address(&out), address(&dwide)],
    );
    let expected: Vec<u32> = (0..32u32)
        .map(|lane| {
            let down = if lane + 1 < 32 { lane + 1 } else { lane };
            let in_range = lane % 16 >= 2;
            let up = if in_range { lane - 2 } else { lane };
            let idx = lane / 8 * 8 + 5;
            down ^ up ^ idx ^ (lane ^ 4) ^ u32::from(in_range)
        })
        .collect();
    assert_eq!(download(&out), expected);
    let expected: Vec<f64> = (0..32).map(|i| wide[i ^ 1]).collect();
    assert_eq!(download(&dwide), expected);
}

fn votes_matches_reductions(gpu: &Gpu) {
    let out = upload(&[0u32; 32]);
    gpu.run("warp_votes", 1, 32, 0, vec![address(&out)]);
    // all: no; any: yes; ballot: lanes 4 to 31; active: all.
    let expected = 0u32
        .wrapping_add(1)
        .wrapping_add(!0xf)
        .wrapping_add(u32::MAX);
    assert_eq!(download(&out), [expected; 32]);

    for (keys, all) in [
        ([9u64 << 40; 32], u32::MAX),
        (std::array::from_fn(|i| (i as u64 / 31) << 40), 7),
    ] {
        let keys = upload(&keys);
        gpu.run(
            "warp_matches",
            1,
            32,
            0,
            vec![address(&out), address(&keys)],
        );
        let expected: Vec<u32> = (0..32u32)
            .map(|lane| (0xfu32 << (lane / 4 * 4)).wrapping_add(all))
            .collect();
        assert_eq!(download(&out), expected);
    }

    let values: Vec<i32> = (0..32).map(|i| (i * 37 % 32 - 16) * 1000).collect();
    let d = upload(&values);
    gpu.run("warp_reductions", 1, 32, 0, vec![address(&d)]);
    let sum: i32 = values.iter().sum();
    let min = *values.iter().min().unwrap();
    let max = values.iter().map(|&v| v as u32).max().unwrap() as i32;
    let xor = values.iter().fold(0, |all, v| all ^ v);
    let expected = sum.wrapping_add(min).wrapping_add(max).wrapping_add(xor);
    assert_eq!(download(&d), [expected; 32]);
}

fn shared(gpu: &Gpu) {
    let values: Vec<i32> = (0..64).collect();
    let d = upload(&values);
    gpu.run("reverse_array", 1, 64, 0, vec![address(&d), value(64u64)]);
    assert_eq!(
        download(&d),
        values.iter().rev().copied().collect::<Vec<_>>()
    );

    let out = upload(&[0u64; 32]);
    gpu.run("shared_once", 1, 32, 0, vec![address(&out)]);
    assert_eq!(download(&out), [2; 32], "the last round, in the one array");

    let out = upload(&[0f32; 256]);
    gpu.run("dynamic_shared", 1, 256, 1024, vec![address(&out)]);
    let expected: Vec<f32> = (0..256).map(|t| (t ^ 1) as f32).collect();
    assert_eq!(download(&out), expected, "neighbours, at offset 0");

    let pointers = upload(&[out.as_device_ptr().as_raw()]);
    let found = upload(&[0u32]);
    gpu.run(
        "address_spaces",
        1,
        1,
        0,
        vec![address(&found), address(&pointers)],
    );
    // Global is bit 0; bit 4: a pointer into shared memory is another number there, and comes back.
    assert_eq!(download(&found), [1 | 1 << 4]);

    let out = upload(&[0u64; 2]);
    gpu.run("sizes_and_clock", 1, 32, 2048, vec![address(&out)]);
    let [sizes, cycles] = download(&out)[..] else {
        unreachable!()
    };
    assert!(
        (4096..8192).contains(&sizes),
        "2048 dynamic, and a total that rounds it up: {sizes}"
    );
    assert!((1..1_000_000).contains(&cycles), "{cycles}");

    let out = upload(&[0u32]);
    gpu.run("capability", 1, 1, 0, vec![address(&out)]);
    assert_eq!(download(&out), [8080], "compiled for 8.0, wherever it runs");
}

fn parameters(gpu: &Gpu) {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Foo {
        a: u16,
        b: u64,
        c: u128,
    }
    let bytes = upload(&[0u8; 40]);
    let single = upload(&[1000u64]);
    let text = upload(b"seven..");
    let raw = upload(&[0f64; 3]);
    let out = upload(&[0u64; 2]);
    let [b0, b1] = slice(&bytes);
    let [t0, t1] = slice(&text);
    let [r0, r1] = slice(&raw);
    let [o0, o1] = slice(&out);
    let pair: (bool, u32) = (true, 0);
    // The layout of a tuple is the compiler's: both sides were compiled by the same one.
    let record = Foo {
        a: 20_000,
        b: 300_000,
        c: 4_000_000,
    };
    let arguments = vec![
        b0,
        b1,
        value(2u8),
        value(pair),
        address(&single),
        t0,
        t1,
        r0,
        r1,
        value(record),
        value([0u32, 0, 50_000_000]),
        value(600_000_000f64),
        o0,
        o1,
    ];
    gpu.run("parameters", 1, 1, 0, arguments);
    let sum = (2 + 40) + 1000 + 7 + 3 + 20_000 + 300_000 + 4_000_000 + 50_000_000 + 600_000_000;
    assert_eq!(download(&out), [sum, 0]);

    let values = upload(&[77u32, 1]);
    let first = upload(&[0u32]);
    let [v0, v1] = slice(&values);
    gpu.run("attributes", 1, 1, 0, vec![v0, v1, address(&first)]);
    assert_eq!(download(&first), [77]);
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= expected.abs() * relative,
        "{found} is not {expected}"
    );
}

fn floats(gpu: &Gpu) {
    for a in [0.75f32, -2.5, 3.5, 1e-3, -7.25] {
        let b = f64::from(a) * 1.125;
        let (x, y) = (upload(&[a, 0.0, 0.0, 0.0]), upload(&[b, 0.0]));
        gpu.run("float_exact", 1, 1, 0, vec![address(&x), address(&y)]);
        let (x, y) = (download(&x), download(&y));
        let expected =
            a.floor() + a.ceil() + a.trunc() + a.sqrt() + a.mul_add(a, 1.0) + a.abs().copysign(-a);
        assert!(
            x[1] == expected || (x[1].is_nan() && expected.is_nan()),
            "{a}: {} {expected}",
            x[1]
        );
        let expected =
            b.floor() + b.ceil() + b.trunc() + b.sqrt() + b.mul_add(b, 1.0) + b.abs().copysign(-b);
        assert!(
            y[1] == expected || (y[1].is_nan() && expected.is_nan()),
            "{b}: {} {expected}",
            y[1]
        );
        assert_eq!(x[2], a.round());
        close(
            f64::from(x[3]),
            f64::from(a.powi(5) + a.signum() + a.fract()),
            1e-6,
        );
    }
    let a = 0.8f32;
    let x = upload(&[a]);
    gpu.run("float_approx", 1, 1, 0, vec![address(&x)]);
    let a = f64::from(a);
    let exact =
        a.sin() + a.cos() + a.exp2() + a.log2() + 1.0 / a + 1.0 / a.sqrt() + a.sqrt() + a.tanh();
    close(f64::from(download(&x)[0]), exact, 1e-3);

    for a in [0.3f64, 1.7, 20.0] {
        let (x, y) = (upload(&[a as f32, 0.0]), upload(&[a, 0.0]));
        gpu.run("float_software", 1, 1, 0, vec![address(&x), address(&y)]);
        let sum = |a: f64| {
            let erf = cuda_std::FloatExt::error_function(a);
            a.exp() + a.ln() + a.powf(0.3) + a.tanh() + a.atan2(2.0) + a.cbrt() + erf
        };
        close(f64::from(download(&x)[1]), sum(f64::from(a as f32)), 1e-6);
        close(download(&y)[1], sum(a), 1e-14);
    }
}

fn atomics(gpu: &Gpu) {
    let (sum, wide, block) = (upload(&[0f32]), upload(&[0f64]), upload(&[0f32]));
    let arguments = vec![address(&sum), address(&wide), address(&block)];
    gpu.run("atomic_floats", 1, 256, 0, arguments);
    assert_eq!(download(&sum), [384.0]);
    // Each value before is subtracted once: 0 + 1.5 + 3 + ... + 382.5.
    assert_eq!(download(&wide), [-1.5 * f64::from(255 * 256 / 2)]);
    assert_eq!(download(&block), [512.0]);

    let (a, b, c) = (upload(&[0u32]), upload(&[5i64]), upload(&[3u64]));
    gpu.run(
        "atomic_integers",
        1,
        1,
        0,
        vec![address(&a), address(&b), address(&c)],
    );
    assert_eq!(
        (download(&a), download(&b), download(&c)),
        (vec![7], vec![-1], vec![2])
    );

    let counter = upload(&[30u32, 0]);
    gpu.run("atomic_raw", 1, 1, 0, vec![address(&counter)]);
    assert_eq!(download(&counter), [31 ^ 5, 1]);

    let counter = upload(&[0u32]);
    gpu.run("atomic_core", 8, 128, 0, vec![address(&counter)]);
    assert_eq!(download(&counter), [1024]);
}

fn assertion(gpu: &Gpu) {
    assert_eq!(
        gpu.launch("assertions", 1, 1, 0, vec![value(3u32), value(3u32)]),
        Ok(())
    );
    let broken = gpu.launch("assertions", 1, 1, 0, vec![value(3u32), value(4u32)]);
    assert_eq!(broken, Err(CudaError::AssertError));
}

fn bounds(gpu: &Gpu) {
    let (a, b, c) = (
        upload(&[1f32; 32]),
        upload(&[1f32; 31]),
        upload(&[0f32; 32]),
    );
    let [a0, a1] = slice(&a);
    let [b0, b1] = slice(&b);
    let broken = gpu.launch("vecadd", 1, 32, 0, vec![a0, a1, b0, b1, address(&c)]);
    assert_eq!(
        broken,
        Err(CudaError::AssertError),
        "a bounds check that fails"
    );
    std::mem::forget((a, b, c));
}
