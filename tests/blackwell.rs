//! Checks the example for Blackwell on the emulator, under every schedule: it agrees with float64,
//! and the emulator finds a missing part. No card has run it.

mod common;

use common::ptx_text::entry;
use emulator::Schedule;
use example_blackwell_kernels::{SHARED_BYTES, THREADS, TILE};
use half::bf16;
use host::reference::fill;
use host::{Contract, Device, EmulatorConfig};

fn device(schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        compute_capability: (10, 0),
        schedule,
        ..EmulatorConfig::default()
    })
}

/// Runs the kernel of a module, and counts the elements of D that differ from the float64 sum by
/// more than f32 sums of `k` products can.
fn wrong(device: &Device, ptx: &str, [m, n, k]: [usize; 3]) -> Result<usize, String> {
    let module = device.load(ptx).map_err(|error| error.to_string())?;
    let kernel = module.kernel("blackwell_gemm_bf16").unwrap();
    let (a, b) = (fill::<bf16>(1, m * k), fill::<bf16>(2, n * k));
    let (on_a, on_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let mut d = device.upload(&vec![f32::NAN; m * n]).unwrap();
    let launch = Contract::new()
        .grid([n as u32 / TILE[1], m as u32 / TILE[0], 1])
        .block(THREADS)
        .shared(SHARED_BYTES as usize)
        .reads_of::<bf16>(0, "a", m * k, 16)
        .reads_of::<bf16>(1, "b", n * k, 16)
        .writes_of::<f32>(2, "d", m * n, 16)
        .scalar(3, "n", n as u32)
        .scalar(4, "k", k as u32)
        .launch();
    kernel
        .launch(&launch, (&on_a, &on_b, &mut d, n as u32, k as u32))
        .map_err(|error| error.to_string())?;
    let d = d.to_vec().unwrap();
    let mut wrong = 0;
    for (i, &found) in d.iter().enumerate() {
        let (row, column) = (&a[i / n * k..][..k], &b[i % n * k..][..k]);
        let products = row.iter().zip(column).map(|(a, b)| a.to_f64() * b.to_f64());
        let (sum, size) = products.fold((0.0, 0.0), |(sum, size), p| (sum + p, size + p.abs()));
        // Each of k / 16 sums truncates its terms 25 bits below the largest.
        let allowed = size * (k as f64 / 16.0 + 1.0) * f64::powi(2.0, -20);
        wrong += usize::from(f64::is_nan(found.into()) || (f64::from(found) - sum).abs() > allowed);
    }
    Ok(wrong)
}

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(3)];

#[test]
fn a_product_is_right_under_every_schedule() {
    let ptx = example_ptx::blackwell().unwrap();
    for (schedule, extents) in
        SCHEDULES
            .into_iter()
            .zip([[256, 128, 192], [128, 256, 64], [128, 128, 320]])
    {
        assert_eq!(
            wrong(&device(schedule), ptx, extents),
            Ok(0),
            "{schedule:?}"
        );
    }
}

/// Returns the kernel's PTX without the lines that contain a word.
fn without(word: &str) -> String {
    let ptx = example_ptx::blackwell().unwrap();
    assert!(entry(ptx, "blackwell_gemm_bf16").contains(word), "{word}");
    let lines = ptx.lines().filter(|line| !line.contains(word));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_missing_is_found_under_every_schedule() {
    for schedule in SCHEDULES {
        for (word, said) in [
            ("fence.proxy.async", "no fence.proxy.async orders the two"),
            ("tcgen05.commit", "deadlock"),
            ("tcgen05.wait::ld", "no tcgen05.wait::ld follows"),
            ("tcgen05.dealloc", "no tcgen05.dealloc gave back"),
        ] {
            let found = wrong(&device(schedule), &without(word), [128, 128, 128]).unwrap_err();
            assert!(found.contains(said), "{word}, {schedule:?}: {found}");
        }
    }
}
