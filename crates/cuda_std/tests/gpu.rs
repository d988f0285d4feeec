//! Runs the fixture's kernels on the emulator, and on a GPU if there is one, and compares the
//! results with their definitions, which the tests compute on the host.
//!
//! ```text
//!   kernel on the device ──► buffer ──┐
//!   definition on the host ───────────┴──► equal
//! ```
//!
//! Each test prints on which device it ran.

mod common;

use common::device::{Argument, Device, Failure, value};

fn numbers(count: usize, seed: u32) -> Vec<f32> {
    (0..count as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 20) as f32 / 256.0 - 8.0)
        .collect()
}

fn kernels_do_what_they_are_defined_to_do(device: &Device) {
    vecadd(device);
    gemm(device);
    threads(device);
    shuffles(device);
    votes_matches_reductions(device);
    groups(device);
    shared(device);
    parameters(device);
    floats(device);
    atomics(device);
}

#[test]
fn kernels_do_on_the_emulator_what_they_are_defined_to_do() {
    kernels_do_what_they_are_defined_to_do(&Device::emulator());
}

#[test]
fn kernels_do_on_a_gpu_what_they_are_defined_to_do() {
    Device::with_gpu(kernels_do_what_they_are_defined_to_do);
}

#[test]
fn a_failed_check_is_a_fault_of_the_emulator_with_its_place() {
    let device = Device::emulator();
    let said = |failure: Failure| match failure {
        Failure::Assertion(Some(said)) => said,
        other => panic!("{other:?}"),
    };
    let assertion = said(assertion(&device));
    for word in ["src/parameters.rs:52 ", "a == b", "kernel `assertions`"] {
        assert!(assertion.contains(word), "{word}: {assertion}");
    }
    let bounds = said(bounds(&device));
    for word in ["src/vecadd.rs:8 ", "panicked", "thread (31,0,0)"] {
        assert!(bounds.contains(word), "{word}: {bounds}");
    }
}

/// The environment variable that says which launch the child process breaks.
const BROKEN: &str = "CUDA_STD_BROKEN_LAUNCH";

#[test]
fn a_failed_check_ends_the_launch_and_names_its_place() {
    let in_this_process = |break_it: fn(&Device) -> Failure| {
        Device::with_gpu(|device| assert_eq!(break_it(device), Failure::Assertion(None)))
    };
    match std::env::var(BROKEN).as_deref() {
        Ok("assertion") => in_this_process(assertion),
        Ok(_) => in_this_process(bounds),
        Err(_) => Device::with_gpu(|_| {
            broken("assertion", "src/parameters.rs:52", "a == b");
            broken("bounds", "src/vecadd.rs:8", "panicked");
        }),
    };
}

/// Makes a launch fail in a separate process, since the driver runs no further launch after a
/// failed assertion.
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

fn vecadd(device: &Device) {
    let (a, b) = (numbers(1000, 1), numbers(1000, 2));
    let (da, db) = (device.upload(&a), device.upload(&b));
    let c = device.upload(&[0f32; 1024]);
    let [a0, a1] = da.slice();
    let [b0, b1] = db.slice();
    device.run("vecadd", 4, 256, 0, vec![a0, a1, b0, b1, c.address()]);
    let mut expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    expected.resize(1024, 0.0);
    assert_eq!(device.download(&c), expected);
}

fn gemm(device: &Device) {
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
    let (da, db) = (device.upload(&a), device.upload(&b));
    for kernel in ["gemm_naive", "gemm_tiled"] {
        let dc = device.upload(&c);
        let mut arguments: Vec<Argument> = da.slice().into_iter().chain(db.slice()).collect();
        arguments.push(dc.address());
        arguments.extend([m, n, k].map(|extent| value(extent as u64)));
        arguments.extend([value(alpha), value(beta)]);
        device.run(kernel, (3, 5, 1), (16, 16, 1), 0, arguments);
        assert_eq!(device.download(&dc), expected, "{kernel}");
    }

    let n = 64;
    let (a, b) = (numbers(n * n, 6), numbers(n * n, 7));
    let (da, db, dc) = (
        device.upload(&a),
        device.upload(&b),
        device.upload(&vec![0f32; n * n]),
    );
    let arguments = vec![da.address(), db.address(), dc.address(), value(n as u32)];
    device.run("gemm_tiled_raw", (4, 4, 1), (16, 16, 1), 0, arguments);
    let expected: Vec<f32> = (0..n * n)
        .map(|i| (0..n).fold(0.0, |sum, l| sum + a[i / n * n + l] * b[l * n + i % n]))
        .collect();
    assert_eq!(device.download(&dc), expected);
}

fn threads(device: &Device) {
    let (grid, block) = ((2u32, 3u32, 2u32), (4u32, 2u32, 3u32));
    let total = 2 * 3 * 2 * 4 * 2 * 3;
    let out = device.upload(&vec![u32::MAX; total]);
    device.run("thread_indices", grid, block, 0, vec![out.address()]);
    let out = device.download(&out);
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

    let out = device.upload(&[0u32; 128]);
    device.run("thread_barriers", 2, 64, 0, vec![out.address()]);
    // Each block has 32 odd indices. All indices of the second block are non-zero, and some indices
    // of the first block are.
    let expected: Vec<u32> = (0..128).map(|i| 32 + u32::from(i >= 64) + 1).collect();
    assert_eq!(device.download(&out), expected);

    let flag = device.upload(&[0u32]);
    device.run("thread_fences", 1, 1, 0, vec![flag.address()]);
    assert_eq!(device.download(&flag), [5]);
}

fn shuffles(device: &Device) {
    let out = device.upload(&[0u32; 32]);
    let wide: Vec<f64> = (0..32).map(|i| f64::from(i) * 1e100 + 0.1).collect();
    let dwide = device.upload(&wide);
    device.run(
        "warp_shuffles",
        1,
        32,
        0,
        vec![out.address(), dwide.address()],
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
    assert_eq!(device.download(&out), expected);
    let expected: Vec<f64> = (0..32).map(|i| wide[i ^ 1]).collect();
    assert_eq!(device.download(&dwide), expected);
}

/// Composes two maps `x -> a x + b`, each given as `a << 32 | b`: first `f`, then `g`.
fn then(f: u64, g: u64) -> u64 {
    let [a, b, c, d] = [f >> 32, f, g >> 32, g].map(|part| part as u32);
    let (scale, shift) = (a.wrapping_mul(c), c.wrapping_mul(b).wrapping_add(d));
    u64::from(scale) << 32 | u64::from(shift)
}

fn groups(device: &Device) {
    const SAME: u64 = 1 << 32;
    let x: Vec<u64> = (1..=192u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let dx = device.upload(&x);
    let kernels = [
        ("group_block", 192),
        ("group_tiles_1", 1),
        ("group_tiles_2", 2),
        ("group_tiles_8", 8),
        ("group_tiles_16", 16),
        ("group_tiles_32", 32),
    ];
    for (kernel, size) in kernels {
        let out = || device.upload(&[!0u64; 192]);
        let (sum, inclusive, exclusive) = (out(), out(), out());
        let arguments = [&sum, &inclusive, &exclusive, &dx].map(|buffer| buffer.address());
        // The block has two dimensions, and ranks count x first.
        device.run(kernel, 1, (16, 12, 1), 0, arguments.into());
        for (found, expected) in [
            (
                sum,
                each(&x, size, |tile, _| {
                    tile.iter().copied().fold(0, u64::wrapping_add)
                }),
            ),
            (
                inclusive,
                each(&x, size, |tile, i| {
                    tile[..=i].iter().copied().fold(SAME, then)
                }),
            ),
            (
                exclusive,
                each(&x, size, |tile, i| {
                    tile[..i].iter().copied().fold(SAME, then)
                }),
            ),
        ] {
            assert_eq!(device.download(&found), expected, "{kernel}");
        }
    }
    let out = device.upload(&[0u32; 64]);
    device.run("group_votes", 1, 64, 0, vec![out.address()]);
    let expected: Vec<u32> = (0..64u32)
        .map(|rank| {
            let tile = rank / 8 * 8;
            let ballot = (0..8).filter(|i| (tile + i).is_multiple_of(3));
            let ballot = ballot.fold(0, |all, i| all | 1 << i);
            ballot | u32::from(tile == 8) << 8 | u32::from(tile >= 8) << 9 | (tile + 3) << 16
        })
        .collect();
    assert_eq!(device.download(&out), expected);
    // Launches the kernel with a block for which it was not written.
    if let Device::Emulator { .. } = device {
        let said = device.launch("group_votes", 1, 32, 0, vec![out.address()]);
        assert!(matches!(said, Err(Failure::Assertion(Some(_)))), "{said:?}");
    }
}

/// Divides `x` into tiles of `size` values. Returns, for each value, `f` of its tile and its place
/// in the tile.
fn each(x: &[u64], size: usize, f: impl Fn(&[u64], usize) -> u64) -> Vec<u64> {
    x.chunks(size)
        .flat_map(|tile| (0..size).map(|i| f(tile, i)).collect::<Vec<_>>())
        .collect()
}

#[test]
fn a_kernel_prints() {
    let device = Device::emulator();
    let x = device.upload(&[0.1f32]);
    let said = device.printed("printing", 1, 64, vec![x.address(), value(7u32)]);
    assert_eq!(
        said,
        "0 of   7: 0.1 -1.50 1.024000e+03 00000abc 100%\n1 of   7: 0.1 -1.50 1.024000e+03 00000abc 100%\n\
         -9223372036854775808 1 {}\n\n"
    );
}

fn votes_matches_reductions(device: &Device) {
    let out = device.upload(&[0u32; 32]);
    device.run("warp_votes", 1, 32, 0, vec![out.address()]);
    // The votes are: all is false, any is true, ballot has lanes 4 to 31, and all lanes are active.
    let expected = 0u32
        .wrapping_add(1)
        .wrapping_add(!0xf)
        .wrapping_add(u32::MAX);
    assert_eq!(device.download(&out), [expected; 32]);

    for (keys, all) in [
        ([9u64 << 40; 32], u32::MAX),
        (std::array::from_fn(|i| (i as u64 / 31) << 40), 7),
    ] {
        let keys = device.upload(&keys);
        device.run(
            "warp_matches",
            1,
            32,
            0,
            vec![out.address(), keys.address()],
        );
        let expected: Vec<u32> = (0..32u32)
            .map(|lane| (0xfu32 << (lane / 4 * 4)).wrapping_add(all))
            .collect();
        assert_eq!(device.download(&out), expected);
    }

    let values: Vec<i32> = (0..32).map(|i| (i * 37 % 32 - 16) * 1000).collect();
    let d = device.upload(&values);
    device.run("warp_reductions", 1, 32, 0, vec![d.address()]);
    let sum: i32 = values.iter().sum();
    let min = *values.iter().min().unwrap();
    let max = values.iter().map(|&v| v as u32).max().unwrap() as i32;
    let xor = values.iter().fold(0, |all, v| all ^ v);
    let expected = sum.wrapping_add(min).wrapping_add(max).wrapping_add(xor);
    assert_eq!(device.download(&d), [expected; 32]);
}

fn shared(device: &Device) {
    let values: Vec<i32> = (0..64).collect();
    let d = device.upload(&values);
    device.run("reverse_array", 1, 64, 0, vec![d.address(), value(64u64)]);
    assert_eq!(
        device.download(&d),
        values.iter().rev().copied().collect::<Vec<_>>()
    );

    let out = device.upload(&[0u64; 32]);
    device.run("shared_once", 1, 32, 0, vec![out.address()]);
    assert_eq!(
        device.download(&out),
        [2; 32],
        "the last round, in the one array"
    );

    let out = device.upload(&[0f32; 256]);
    device.run("dynamic_shared", 1, 256, 1024, vec![out.address()]);
    let expected: Vec<f32> = (0..256).map(|t| (t ^ 1) as f32).collect();
    assert_eq!(device.download(&out), expected, "neighbours, at offset 0");

    let pointers = device.upload(&[out.raw()]);
    let found = device.upload(&[0u32]);
    device.run(
        "address_spaces",
        1,
        1,
        0,
        vec![found.address(), pointers.address()],
    );
    // Bit 0 means that the pointer is global. Bit 4 means that a shared array's address in the
    // window differs from its generic address, and converts back to it.
    assert_eq!(device.download(&found), [1 | 1 << 4]);

    let out = device.upload(&[0u64; 2]);
    device.run("sizes_and_clock", 1, 32, 2048, vec![out.address()]);
    let [sizes, cycles] = device.download(&out)[..] else {
        unreachable!()
    };
    assert!(
        (4096..8192).contains(&sizes),
        "2048 dynamic, and a total that rounds it up: {sizes}"
    );
    assert!((1..1_000_000).contains(&cycles), "{cycles}");

    let out = device.upload(&[0u32]);
    device.run("capability", 1, 1, 0, vec![out.address()]);
    assert_eq!(
        device.download(&out),
        [8080],
        "compiled for 8.0, wherever it runs"
    );
}

fn parameters(device: &Device) {
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Foo {
        a: u16,
        b: u64,
        c: u128,
    }
    let bytes = device.upload(&[0u8; 40]);
    let single = device.upload(&[1000u64]);
    let text = device.upload(b"seven..");
    let raw = device.upload(&[0f64; 3]);
    let out = device.upload(&[0u64; 2]);
    let [b0, b1] = bytes.slice();
    let [t0, t1] = text.slice();
    let [r0, r1] = raw.slice();
    let [o0, o1] = out.slice();
    let pair: (bool, u32) = (true, 0);
    // The compiler chooses the layout of a tuple. The same compiler compiled the kernel and the
    // test.
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
        single.address(),
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
    device.run("parameters", 1, 1, 0, arguments);
    let sum = (2 + 40) + 1000 + 7 + 3 + 20_000 + 300_000 + 4_000_000 + 50_000_000 + 600_000_000;
    assert_eq!(device.download(&out), [sum, 0]);

    let values = device.upload(&[77u32, 1]);
    let first = device.upload(&[0u32]);
    let [v0, v1] = values.slice();
    device.run("attributes", 1, 1, 0, vec![v0, v1, first.address()]);
    assert_eq!(device.download(&first), [77]);
}

fn close(found: f64, expected: f64, relative: f64) {
    assert!(
        (found - expected).abs() <= expected.abs() * relative,
        "{found} is not {expected}"
    );
}

fn floats(device: &Device) {
    for a in [0.75f32, -2.5, 3.5, 1e-3, -7.25] {
        let b = f64::from(a) * 1.125;
        let (x, y) = (device.upload(&[a, 0.0, 0.0, 0.0]), device.upload(&[b, 0.0]));
        device.run("float_exact", 1, 1, 0, vec![x.address(), y.address()]);
        let (x, y) = (device.download(&x), device.download(&y));
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
    let x = device.upload(&[a]);
    device.run("float_approx", 1, 1, 0, vec![x.address()]);
    let a = f64::from(a);
    let exact =
        a.sin() + a.cos() + a.exp2() + a.log2() + 1.0 / a + 1.0 / a.sqrt() + a.sqrt() + a.tanh();
    close(f64::from(device.download(&x)[0]), exact, 1e-3);

    for a in [0.3f64, 1.7, 20.0] {
        let (x, y) = (device.upload(&[a as f32, 0.0]), device.upload(&[a, 0.0]));
        device.run("float_software", 1, 1, 0, vec![x.address(), y.address()]);
        let sum = |a: f64| {
            let erf = cuda_std::FloatExt::error_function(a);
            a.exp() + a.ln() + a.powf(0.3) + a.tanh() + a.atan2(2.0) + a.cbrt() + erf
        };
        close(
            f64::from(device.download(&x)[1]),
            sum(f64::from(a as f32)),
            1e-6,
        );
        close(device.download(&y)[1], sum(a), 1e-14);
    }
}

fn atomics(device: &Device) {
    let (sum, wide, block) = (
        device.upload(&[0f32]),
        device.upload(&[0f64]),
        device.upload(&[0f32]),
    );
    let arguments = vec![sum.address(), wide.address(), block.address()];
    device.run("atomic_floats", 1, 256, 0, arguments);
    assert_eq!(device.download(&sum), [384.0]);
    // Each value that an addition returned is subtracted once: 0 + 1.5 + 3 + ... + 382.5.
    assert_eq!(device.download(&wide), [-1.5 * f64::from(255 * 256 / 2)]);
    assert_eq!(device.download(&block), [512.0]);

    let (a, b, c) = (
        device.upload(&[0u32]),
        device.upload(&[5i64]),
        device.upload(&[3u64]),
    );
    device.run(
        "atomic_integers",
        1,
        1,
        0,
        vec![a.address(), b.address(), c.address()],
    );
    assert_eq!(
        (
            device.download(&a),
            device.download(&b),
            device.download(&c)
        ),
        (vec![7], vec![-1], vec![2])
    );

    let counter = device.upload(&[30u32, 0]);
    device.run("atomic_raw", 1, 1, 0, vec![counter.address()]);
    assert_eq!(device.download(&counter), [31 ^ 5, 1]);

    let counter = device.upload(&[0u32]);
    device.run("atomic_core", 8, 128, 0, vec![counter.address()]);
    assert_eq!(device.download(&counter), [1024]);
}

/// Makes an assertion fail in a launch.
fn assertion(device: &Device) -> Failure {
    assert_eq!(
        device.launch("assertions", 1, 1, 0, vec![value(3u32), value(3u32)]),
        Ok(())
    );
    device
        .launch("assertions", 1, 1, 0, vec![value(3u32), value(4u32)])
        .unwrap_err()
}

/// Makes a bounds check fail in a launch.
fn bounds(device: &Device) -> Failure {
    let (a, b, c) = (
        device.upload(&[1f32; 32]),
        device.upload(&[1f32; 31]),
        device.upload(&[0f32; 32]),
    );
    let [a0, a1] = a.slice();
    let [b0, b1] = b.slice();
    let broken = device.launch("vecadd", 1, 32, 0, vec![a0, a1, b0, b1, c.address()]);
    // After a failure the driver refuses to free memory, so the buffers are not dropped.
    std::mem::forget((a, b, c));
    broken.unwrap_err()
}
