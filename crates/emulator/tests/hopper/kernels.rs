//! Runs whole kernels: a GEMM and attention forward in the PTX of rustc, from TMA and `wgmma` to
//! the stores.
//!
//! ```text
//! warps 0..4    wait for a free stage ─ TMA of A and B ─►  4 stages of 128x64 and 256x64, swizzled by 128 bytes
//! warps 4..12   wait for a full stage ─ 4 wgmma of 64x256x16 ─ free the previous stage ─► D from registers
//! ```
//!
//! `ptx/gemm.ptx` and `ptx/attention.ptx` are rustc 1.95's output for Rust with `asm!` for
//! `sm_90a`: one producer and two consumer groups, `setmaxnreg`, persistent blocks. Attention has
//! rows of 128, softmax between two products, and P as A in registers.

use super::bulk::SCHEDULES;
use super::*;
use emulator::{Emulator, Fault, Schedule, TensorElement, TensorMap, TensorSwizzle};
use half::f16;

fn matrix(seed: u64, n: usize) -> Vec<f16> {
    let mut random = common::Random(seed);
    (0..n)
        .map(|_| f16::from_f32((random.next() >> 40) as f32 / (1 << 24) as f32 - 0.5))
        .collect()
}

struct Machine {
    device: Emulator,
    program: Program,
}

impl Machine {
    fn new(text: &str, schedule: Schedule) -> Machine {
        let device = Emulator::new(Config {
            schedule,
            ..Config::default()
        });
        let program = Program::parse(text).unwrap_or_else(|error| panic!("{error}"));
        device.load(&program).unwrap();
        Machine { device, program }
    }

    fn halves(&self, values: &[f16]) -> u64 {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let at = self.device.alloc(bytes.len()).unwrap();
        self.device.write(at, &bytes).unwrap();
        at
    }

    /// Returns a map of rows with `columns` halves, in boxes with 64 columns.
    fn map(&self, address: u64, rows: usize, columns: usize, box_rows: u32) -> [u8; 128] {
        self.map_with(TensorSwizzle::B128, address, (rows, columns), box_rows)
    }

    fn map_with(
        &self,
        swizzle: TensorSwizzle,
        address: u64,
        (rows, columns): (usize, usize),
        box_rows: u32,
    ) -> [u8; 128] {
        let extents = [columns as u64, rows as u64];
        let strides = [2 * columns as u64];
        let mut map = TensorMap::new(
            TensorElement::F16,
            address,
            &extents,
            &strides,
            &[64, box_rows],
        );
        map.swizzle = swizzle;
        map.encode().unwrap()
    }

    fn read(&self, address: u64, n: usize) -> Vec<f32> {
        let mut bytes = vec![0; 2 * n];
        self.device.read(address, &mut bytes).unwrap();
        let halves = bytes
            .chunks_exact(2)
            .map(|b| f16::from_le_bytes([b[0], b[1]]));
        halves.map(f16::to_f32).collect()
    }

    fn launch(
        &self,
        name: &str,
        grid: [u32; 3],
        shared: usize,
        params: &[&[u8]],
    ) -> Result<Report, LaunchError> {
        let launch = Launch {
            grid,
            block: [384, 1, 1],
            dynamic_shared: shared,
        };
        self.device
            .launch(&self.program, name, &launch, params, None)
    }
}

pub const GEMM: &str = include_str!("ptx/gemm.ptx");

/// Runs the GEMM. Returns the largest difference from the product, and the report.
pub fn gemm(
    text: &str,
    sizes: (usize, usize, usize),
    schedule: Schedule,
) -> Result<(f64, Report), LaunchError> {
    gemm_with(TensorSwizzle::B128, text, sizes, schedule)
}

/// Runs the GEMM as [`gemm`] does, with a tensor map of this swizzle for A.
fn gemm_with(
    swizzle: TensorSwizzle,
    text: &str,
    (m, n, k): (usize, usize, usize),
    schedule: Schedule,
) -> Result<(f64, Report), LaunchError> {
    let machine = Machine::new(text, schedule);
    let (a, b) = (matrix(1, m * k), matrix(2, n * k));
    let maps = [
        machine.map_with(swizzle, machine.halves(&a), (m, k), 128),
        machine.map(machine.halves(&b), n, k, 256),
    ];
    let c = machine.device.alloc(2 * m * n).unwrap();
    let sizes = [m, n, k].map(|size| (size as u32).to_le_bytes());
    let params: [&[u8]; 6] = [
        &maps[0],
        &maps[1],
        &c.to_le_bytes(),
        &sizes[0],
        &sizes[1],
        &sizes[2],
    ];
    let report = machine.launch("gemm", [3, 1, 1], 200_000, &params)?;
    let found = machine.read(c, m * n);
    let mut worst = 0f64;
    for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
        let sum: f64 = (0..k)
            .map(|l| a[i * k + l].to_f64() * b[j * k + l].to_f64())
            .sum();
        worst = worst.max((f64::from(found[i * n + j]) - sum).abs());
    }
    Ok((worst, report))
}

#[test]
fn a_gemm_of_tma_and_wgmma_is_right_under_every_schedule() {
    for schedule in SCHEDULES.into_iter().take(3) {
        let (worst, _) = gemm(GEMM, (256, 512, 128), schedule)
            .unwrap_or_else(|error| panic!("{schedule:?}: {error}"));
        assert!(worst < 4e-3, "{schedule:?}: {worst}");
    }
}

/// Checks the time with every check, on all CPU threads. The shortest of three runs counts, since
/// other tests and programs run at the same time.
#[test]
fn a_gemm_of_256_by_512_by_256_takes_less_than_10_seconds() {
    const LIMIT: std::time::Duration = std::time::Duration::from_secs(10);
    let took = || {
        let start = std::time::Instant::now();
        let (worst, _) =
            gemm(GEMM, (256, 512, 256), Schedule::Early).unwrap_or_else(|error| panic!("{error}"));
        assert!(worst < 8e-3, "{worst}");
        start.elapsed()
    };
    let mut times = Vec::new();
    while times.len() < 3 && times.iter().all(|&took| took >= LIMIT) {
        times.push(took());
    }
    println!("256 x 512 x 256: {times:?}");
    assert!(times.iter().any(|&took| took < LIMIT), "{times:?}");
}

#[test]
fn what_is_taken_away_from_the_gemm_is_found() {
    let fault = |from: &str, to: &str| {
        assert!(GEMM.contains(from), "{from}");
        let wrong = GEMM.replace(from, to);
        let [early, late, seeded] =
            [Schedule::Early, Schedule::Late, Schedule::Seeded(5)].map(|schedule| {
                match gemm(&wrong, (256, 256, 512), schedule) {
                    Err(LaunchError::Fault(fault)) => *fault,
                    Err(other) => panic!("{schedule:?}: {other}"),
                    Ok((worst, _)) => panic!("{schedule:?}: no fault without {from}: {worst}"),
                }
            });
        let place = |fault: &Fault| (fault.line, std::mem::discriminant(&fault.what));
        assert_eq!(place(&early), place(&late), "{early}\n{late}");
        assert_eq!(place(&early), place(&seeded), "{early}\n{seeded}");
        early
    };
    let wait = fault("wgmma.wait_group.sync.aligned 1;", "");
    assert!(
        matches!(
            wait.what,
            FaultKind::BeingRead { .. } | FaultKind::Race { .. }
        ),
        "{wait}"
    );
    let fence = fault("wgmma.fence.sync.aligned;", "");
    assert!(
        matches!(fence.what, FaultKind::WgmmaRegister { .. }),
        "{fence}"
    );
    let init = fault("fence.mbarrier_init.release.cluster;", "");
    assert!(matches!(init.what, FaultKind::Mbarrier { .. }), "{init}");
    let registers = fault(
        "setmaxnreg.dec.sync.aligned.u32 40;",
        "setmaxnreg.dec.sync.aligned.u32 168;",
    );
    assert!(
        registers.to_string().contains("wait for registers"),
        "{registers}"
    );
}

/// Checks that a swizzle other than the tensor map's is found: A is loaded unswizzled, or read with
/// another swizzle.
#[test]
fn a_swizzle_that_is_not_the_tensor_maps_is_found_under_every_schedule() {
    // The descriptors of the four k blocks: bits 63 and 62 are 1 for 128 bytes, 2 for 64.
    let mut other = GEMM.to_owned();
    for offset in [0, 2, 4, 6] {
        let descriptor = 0x4000_0040_0001_0000_u64 + offset;
        let changed = other.replace(
            &descriptor.to_string(),
            &format!("{:#x}", descriptor + (1 << 62)),
        );
        assert!(changed != other, "{descriptor}");
        other = changed;
    }
    for (swizzle, text, says) in [
        (
            TensorSwizzle::None,
            GEMM,
            "is read with a 128-byte swizzle, and came by a tensor map with no swizzle (16384 bytes from 0x400, phase 0 of the mbarrier at 0x30400)",
        ),
        (
            TensorSwizzle::B128,
            other.as_str(),
            "is read with a 64-byte swizzle, and came by a tensor map with a 128-byte swizzle (16384 bytes from 0x400, phase 0 of the mbarrier at 0x30400)",
        ),
    ] {
        for schedule in SCHEDULES {
            let found = gemm_with(swizzle, text, (256, 256, 512), schedule);
            let Err(LaunchError::Fault(fault)) = found else {
                panic!("{schedule:?}: {says}")
            };
            assert!(matches!(fault.what, FaultKind::Swizzle { .. }), "{fault}");
            assert!(fault.to_string().contains(says), "{fault}");
            assert!(fault.instruction.starts_with("wgmma.mma_async"), "{fault}");
            let earlier = fault.earlier.as_ref().expect("the copy");
            assert!(
                earlier.instruction.contains("cp.async.bulk.tensor"),
                "{fault}"
            );
        }
    }
}

const ATTENTION: &str = include_str!("ptx/attention.ptx");

#[test]
fn attention_of_tma_and_wgmma_is_right() {
    let (heads, length, width) = (1, 256, 128);
    let rows = heads * length;
    for schedule in [Schedule::Late, Schedule::Seeded(5)] {
        let machine = Machine::new(ATTENTION, schedule);
        let [q, k, v] = [3, 4, 5].map(|seed| matrix(seed, rows * width));
        let maps = [&q, &k, &v].map(|m| machine.map(machine.halves(m), rows, width, 128));
        let out = machine.device.alloc(2 * rows * width).unwrap();
        let (pointer, size) = (out.to_le_bytes(), (length as u32).to_le_bytes());
        let params: [&[u8]; 5] = [&maps[0], &maps[1], &maps[2], &pointer, &size];
        let grid = [(length / 128) as u32, heads as u32, 1];
        if let Err(error) = machine.launch("att", grid, 164_000, &params) {
            panic!("{schedule:?}: {error}");
        }
        let found = machine.read(out, rows * width);
        for row in (0..rows).step_by(5) {
            let dot = |key: usize| -> f64 {
                (0..width)
                    .map(|d| q[row * width + d].to_f64() * k[key * width + d].to_f64())
                    .sum()
            };
            let weights: Vec<f64> = (0..length)
                .map(|key| (dot(key) * 0.088_388_347_64).exp())
                .collect();
            let total: f64 = weights.iter().sum();
            for d in 0..width {
                let wanted: f64 = (0..length)
                    .map(|key| weights[key] * v[key * width + d].to_f64())
                    .sum::<f64>()
                    / total;
                let error = (f64::from(found[row * width + d]) - wanted).abs();
                assert!(error < 1e-3, "{schedule:?} ({row}, {d}): {error}");
            }
        }
    }
}
