//! Checks the calls that the driver receives while a launch sequence is enqueued, with a driver
//! that logs calls.
//!
//! ```text
//!   LaunchSequence::enqueue ──► logging_driver.rs: push, load, attribute, map, launch, pop
//! ```
//!
//! Law: the driver receives the calls of the sequence's steps, in the order of the steps, with the
//! given addresses.

use cuda_driver::Driver;
use cutlet_ops::kernel_abi::attention::{
    AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionType,
};
use cutlet_ops::kernel_abi::gemm::{GemmProblem, InputType, OutputType};
use cutlet_ops::kernel_abi::weights::{PackedLayout, WeightsProblem};
use cutlet_ops::{
    AttentionScores, BackwardKernels, CudaDevice, LaunchSequence, LaunchValue, OpsError, Step,
    attention, attention_backward, gemm, kernel_count, weights_gemm,
};
use std::ffi::{CStr, c_int, c_void};
use std::path::Path;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Compiles the logging driver and selects it, once. While a test holds the guard, no other test
/// reads the log.
fn driver() -> MutexGuard<'static, ()> {
    static CHOSEN: OnceLock<()> = OnceLock::new();
    static TURN: Mutex<()> = Mutex::new(());
    CHOSEN.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/logging_driver.rs");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("liblogging_driver.so");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let built = Command::new(rustc)
            .args([
                "--edition=2024",
                "--crate-type=cdylib",
                "--crate-name=logging_driver",
                "-o",
            ])
            .args([&library, &source])
            .status()
            .expect("rustc runs");
        assert!(built.success(), "the logging driver does not build");
        cuda_driver::choose(Driver::Library(library)).expect("this is the first use");
    });
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn function(name: &CStr) -> *const c_void {
    cuda_driver::symbol(name).expect("the logging driver has it")
}

/// Returns the calls since the log was last read.
fn log() -> Vec<String> {
    let mut bytes = vec![0_u8; 1 << 20];
    // SAFETY: the logging driver defines `fakeLog` with this signature.
    let read: unsafe extern "C" fn(*mut u8, usize) -> usize =
        unsafe { std::mem::transmute(function(c"fakeLog")) };
    // SAFETY: `fakeLog` writes at most as many bytes as `bytes` has.
    let count = unsafe { read(bytes.as_mut_ptr(), bytes.len()) };
    let text = std::str::from_utf8(&bytes[..count]).unwrap();
    text.lines().map(String::from).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const STREAM: usize = 0x5000;

/// The layout of int4 in groups of 128 with scales in bf16.
static INT4: PackedLayout = PackedLayout {
    format: "int4",
    bits: 4,
    scales: "bf16",
    zeros: false,
    record_bytes: 4,
    group: Some(128),
    order: "m16n8k16",
};

/// Returns the calls that the steps of a sequence make once its kernels are loaded.
fn expected(of: &LaunchSequence, addresses: &[u64]) -> Vec<String> {
    let mut calls = vec!["push 0xe8".to_string()];
    for step in of.steps() {
        let launch = match step {
            Step::Clear { buffer, bytes } => {
                calls.push(format!(
                    "clear {:#x} by 0: {bytes} on {STREAM:#x}",
                    addresses[*buffer]
                ));
                continue;
            }
            Step::Launch(launch) => launch,
        };
        let mut values = Vec::new();
        for argument in &launch.arguments {
            values.push(match argument {
                LaunchValue::Address { buffer, offset } => {
                    hex(&(addresses[*buffer] + offset).to_le_bytes())
                }
                LaunchValue::Null => hex(&[0; 8]),
                LaunchValue::Bytes(bytes) => hex(bytes),
                LaunchValue::Map(map) => {
                    let address = addresses[map.buffer] + map.offset;
                    let (extents, strides, boxes) = (&map.extents, &map.strides, &map.box_extents);
                    calls.push(format!(
                        "map {} {address:#x} {extents:?} {strides:?} {boxes:?} {}",
                        map.format, map.swizzle
                    ));
                    // Bit 21 of the second word may be cleared; no address here has it set.
                    hex(&address.to_le_bytes().repeat(16))
                }
            });
        }
        let mut more = String::new();
        if launch.cluster != [1; 3] {
            more += &format!(" cluster {:?}", launch.cluster);
        }
        if launch.programmatic {
            more += " programmatic 1";
        }
        let (grid, block, shared) = (launch.grid, launch.block, launch.shared_bytes);
        calls.push(format!(
            "launch {} {grid:?} {block:?} {shared}{more} on {STREAM:#x}",
            launch.kernel
        ));
        calls.extend(values.into_iter().map(|value| format!("  {value}")));
    }
    calls.push("pop".into());
    calls
}

/// Returns an address for each buffer of a sequence, or 0 for a buffer without bytes.
fn addresses(of: &LaunchSequence) -> Vec<u64> {
    let places = (1..).zip(of.buffers());
    places
        .map(|(i, of)| if of.bytes == 0 { 0 } else { i << 32 })
        .collect()
}

fn enqueue(of: &LaunchSequence, addresses: &[u64]) -> Result<(), OpsError> {
    let device = CudaDevice::get(0)?;
    let stream = std::ptr::without_provenance_mut(STREAM);
    // SAFETY: the logging driver follows no address.
    unsafe { of.enqueue(device, stream, addresses) }
}

#[test]
fn a_device_is_the_drivers() {
    let _turn = driver();
    let device = CudaDevice::get(0).unwrap();
    let traits = device.traits();
    assert_eq!(
        (traits.name, traits.compute_capability),
        ("NVIDIA H200", (9, 0))
    );
    assert_eq!(
        (traits.multiprocessors, traits.shared_bytes),
        (132, 227 << 10)
    );
    assert!(std::ptr::eq(device, CudaDevice::get(0).unwrap()));
    let refused = CudaDevice::get(7).unwrap_err().to_string();
    assert_eq!(
        refused,
        "cuDeviceGet failed: CUDA_ERROR_FAKE: it was asked to fail"
    );
}

#[test]
fn every_call_is_that_of_a_step() {
    let _turn = driver();
    if kernel_count() == 0 {
        return;
    }
    let gpu = CudaDevice::get(0).unwrap().traits();
    let extents = (2, 4, 300, 64);
    let forward = AttentionProblem::new(AttentionType::Bf16, extents, AttentionMask::Causal, 0.125)
        .with_lse();
    let gradients = AttentionBackwardProblem::new(forward);
    let kernels = BackwardKernels::Fastest;
    let gemms = [(300, 200, 100), (4096, 4096, 4096), (64, 64, 65536)];
    let gemms = gemms.map(|(m, n, k)| {
        gemm(
            &gpu,
            &GemmProblem::new(m, n, k, InputType::Bf16, OutputType::Same),
        )
        .unwrap()
    });
    let mut sequences = vec![
        attention(&gpu, &forward, AttentionScores::default(), None).unwrap(),
        attention_backward(&gpu, &gradients, AttentionScores::default(), kernels, None).unwrap(),
    ];
    sequences.extend(gemms);
    // The products have few rows, or many rows and then tensor maps, if this build has such
    // kernels.
    for tokens in [3, 70] {
        let problem = WeightsProblem::new((tokens, 300, 512), InputType::Bf16, &INT4);
        sequences.extend(weights_gemm(&gpu, &problem));
    }
    for of in sequences {
        let addresses = addresses(&of);
        log();
        CudaDevice::get(0).unwrap().load(&of).unwrap();
        let loaded = log();
        for name in of.kernels() {
            assert!(
                loaded
                    .iter()
                    .filter(|call| **call == format!("load {name}"))
                    .count()
                    <= 1
            );
        }
        enqueue(&of, &addresses).unwrap();
        assert_eq!(log(), expected(&of, &addresses));
    }
}

#[test]
fn addresses_and_failures_are_said() {
    let _turn = driver();
    if kernel_count() == 0 {
        return;
    }
    let gpu = CudaDevice::get(0).unwrap().traits();
    let problem = GemmProblem::new(300, 200, 104, InputType::Bf16, OutputType::Same);
    let of = gemm(&gpu, &problem).unwrap();
    let mut places = addresses(&of);
    log();
    let refused = enqueue(&of, &places[1..]).unwrap_err().to_string();
    assert_eq!(refused, "5 buffers are given; the launches have 6");
    places[1] += 3;
    let refused = enqueue(&of, &places).unwrap_err().to_string();
    assert!(
        refused.starts_with("A begins at address 0x200000003; it must be a multiple of "),
        "{refused}"
    );
    places[1] = 0;
    let refused = enqueue(&of, &places).unwrap_err().to_string();
    assert!(
        refused.starts_with("A begins at address 0x0;") && refused.ends_with(", and not 0"),
        "{refused}"
    );
    // The call is refused before it calls the driver.
    assert_eq!(log(), Vec::<String>::new());
    places[1] = 2 << 32;
    // SAFETY: the logging driver defines `fakeFail` with this signature.
    let fail: extern "C" fn(c_int) = unsafe { std::mem::transmute(function(c"fakeFail")) };
    fail(700);
    let refused = enqueue(&of, &places).unwrap_err().to_string();
    assert!(refused.starts_with("the launch of "), "{refused}");
    assert!(
        refused.ends_with(" failed: CUDA_ERROR_FAKE: it was asked to fail"),
        "{refused}"
    );
    // The context is popped after the failure too.
    assert_eq!(log().last().map(String::as_str), Some("pop"));
}
