//! Checks `convert` and `convert_type` in kernels: they give the same numbers as on the host, by
//! the expected instructions, for every pattern of 8 and 16 bits and for f32 around every tie. They
//! run on the emulator and, if there is one, on a GPU.
//!
//! ```text
//!   fixtures/convert ──► PTX for sm_80 (8-bit floats by arithmetic) and sm_90a (by instruction) ──► equal to `convert` here, to the bit
//! ```

use bytemuck::Pod;
use cuda_builder::software::Software;
use cuda_builder::{Built, CudaBuilder, NvvmArch};
use half::{bf16, f16};
use host::{Device, Launch, Module};
use layout_types::atom::convert::convert;
use layout_types::atom::element::{FloatE4M3, FloatE5M2, TFloat32};
use std::fmt::Debug;
use std::path::Path;

fn built(arch: NvvmArch) -> Built {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent();
    CudaBuilder::new(root.join("tests/fixtures/convert"))
        .build_folder(target.expect("target/tmp").join("cuda-builder"))
        .arch(arch)
        .build_with_details()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Returns numbers around every tie of f16, bf16, TF32 and the 8-bit floats, with both signs and
/// all exponents, and infinities and NaN.
fn f32s() -> Vec<f32> {
    let patterns = (0..1u32 << 16).flat_map(|upper| {
        [0, 1, 0x0fff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001, 0xffff]
            .map(|lower| upper << 16 | lower)
    });
    let small = (-600..600).map(|i| i as f32 * 0.25);
    let all: Vec<_> = patterns.map(f32::from_bits).chain(small).collect();
    let whole = all.len() / 1024 * 1024;
    // The last numbers are repeated, so that blocks are full.
    let rest = all[all.len() - 1024..].to_vec();
    all[..whole].iter().copied().chain(rest).collect()
}

/// Checks one kernel of each module on all of `from`, with one element and with four elements per
/// thread.
fn check<S: Pod + Debug, D: Pod + Debug>(
    modules: &[Module],
    name: &str,
    from: &[S],
    expected: fn(S) -> D,
    is_nan: fn(D) -> bool,
) {
    // The expected numbers are computed once for all modules: the host's conversions take longer
    // than the kernels.
    let all_expected: Vec<D> = from.iter().map(|&from| expected(from)).collect();
    for module in modules {
        let device = module.device();
        let source = device.upload(from).unwrap();
        for (kind, per_thread) in [("one", 1), ("four", 4)] {
            let name = format!("{name}_{kind}");
            let poison = bytemuck::zeroed_vec::<u8>(size_of_val(from) * 4);
            let poison: Vec<D> = bytemuck::pod_collect_to_vec(&poison);
            let mut to = device.upload(&poison[..from.len()]).unwrap();
            let kernel = module.kernel(&name).unwrap();
            let blocks = from.len() / 256 / per_thread;
            let run = kernel.launch(&Launch::new(blocks as u32, 256), (&mut to, &source));
            run.unwrap_or_else(|error| panic!("{name}: {error}"));
            let found = to.to_vec().unwrap();
            assert_same(&name, from, &found, &all_expected, is_nan);
        }
    }
}

/// Checks that the bits are the same, or both are NaN.
fn assert_same<S: Pod + Debug, D: Pod + Debug>(
    name: &str,
    from: &[S],
    found: &[D],
    expected: &[D],
    is_nan: fn(D) -> bool,
) {
    assert_eq!(found.len(), expected.len(), "{name}");
    // Equal bytes of many elements are compared at once.
    const PIECE: usize = 256;
    let pieces = found.chunks(PIECE).zip(expected.chunks(PIECE));
    for ((found, expected), from) in pieces.zip(from.chunks(PIECE)) {
        if bytemuck::cast_slice::<_, u8>(found) == bytemuck::cast_slice::<_, u8>(expected) {
            continue;
        }
        for ((found, expected), from) in found.iter().zip(expected).zip(from) {
            let same = bytemuck::bytes_of(found) == bytemuck::bytes_of(expected);
            assert!(
                same || is_nan(*found) && is_nan(*expected),
                "{name} {from:?}: {found:?}, and not {expected:?}"
            );
        }
    }
}

fn check_all(on: &[Module]) {
    let halves: Vec<u16> = (0..=u16::MAX).collect();
    let bytes: Vec<u8> = (0..1 << 12).map(|i| i as u8).collect();
    let f32s = f32s();
    let f16s: &[f16] = bytemuck::cast_slice(&halves);
    let e4m3s: &[FloatE4M3] = bytemuck::cast_slice(&bytes);
    check(on, "f32_of_f16", f16s, convert::<_, f32>, f32::is_nan);
    check(on, "bf16_of_f16", f16s, convert::<_, bf16>, bf16::is_nan);
    check(
        on,
        "f32_of_bf16",
        bytemuck::cast_slice(&halves),
        |x: bf16| convert::<_, f32>(x),
        f32::is_nan,
    );
    check(on, "f32_of_e4m3", e4m3s, convert::<_, f32>, f32::is_nan);
    check(on, "f16_of_e4m3", e4m3s, convert::<_, f16>, f16::is_nan);
    check(
        on,
        "f32_of_e5m2",
        bytemuck::cast_slice(&bytes),
        |x: FloatE5M2| convert::<_, f32>(x),
        f32::is_nan,
    );
    check(on, "f16_of_f32", &f32s, convert::<_, f16>, f16::is_nan);
    check(on, "bf16_of_f32", &f32s, convert::<_, bf16>, bf16::is_nan);
    check(on, "e4m3_of_f32", &f32s, convert::<_, FloatE4M3>, |x| {
        x.to_f32().is_nan()
    });
    check(on, "e5m2_of_f32", &f32s, convert::<_, FloatE5M2>, |x| {
        x.to_f32().is_nan()
    });
    check(on, "s8_of_f32", &f32s, convert::<_, i8>, |_| false);
    check(on, "s32_of_f32", &f32s, convert::<_, i32>, |_| false);
    check(
        on,
        "tf32_of_f32",
        &f32s,
        |x| convert::<_, TFloat32>(x).0,
        |bits| f32::from_bits(bits).is_nan(),
    );
}

#[test]
fn kernels_convert_as_the_host_does() {
    let devices = [Device::emulator()].into_iter().chain(hopper());
    let devices: Vec<Device> = devices.collect();
    let mut modules = Vec::new();
    for arch in [NvvmArch::Compute80, NvvmArch::Compute90a] {
        let built = built(arch);
        let ptx = std::fs::read_to_string(&built.ptx).unwrap();
        // Only kernels that call `half` directly convert in software.
        let slow = |routine, kernel: &str| (routine, vec![kernel.to_owned()]);
        let found = built
            .software
            .into_iter()
            .map(|found| (found.routine, found.functions));
        assert_eq!(
            found.collect::<Vec<_>>(),
            [
                slow(Software::F32FromF16, "slow_f32_of_f16"),
                slow(Software::F16FromF32, "slow_f16_of_f32"),
                slow(Software::Bf16FromF32, "slow_bf16_of_f32"),
            ]
        );
        modules.extend(devices.iter().map(|device| device.load(&ptx).unwrap()));
    }
    check_all(&modules);
}

/// Returns a GPU that both modules are for, or `None` if there is no such GPU.
fn hopper() -> Option<Device> {
    match Device::gpu(0) {
        Ok(gpu) if gpu.compute_capability() == (9, 0) => return Some(gpu),
        Ok(gpu) => println!("{gpu} is no Hopper: ran on the emulator alone"),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
    None
}

#[test]
fn kernels_print_layouts_and_tensors() {
    let ptx = std::fs::read_to_string(built(NvvmArch::Compute80).ptx).unwrap();
    let device = Device::emulator();
    let x = device
        .upload(&[0.5f32, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -7.25])
        .unwrap();
    let kernel = device.load(&ptx).unwrap().kernel("printing").unwrap();
    let run = kernel.launch(&Launch::new(2, 64), (&x, 4u32)).unwrap();
    let expected = "\
(ext0,ext1):(1@0,1@1)
rmem +0 o (4,2):(2,1):
      0.5        1
        2        3
        4        5
        6    -7.25
(2,(2,2)):(4,(2,1))
     0     2     1     3
     4     6     5     7
(0,0) o (2,2):(1@0,1@1):
  (0,0)  (0,1)
  (1,0)  (1,1)
4
";
    assert_eq!(run.report.unwrap().output, expected);
}
