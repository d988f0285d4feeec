//! Copy atoms of the tensor memory accelerator, executed: the kernels of `fixtures/hopper` on the emulator, with all its checks, under
//! three schedules, and on a GPU where there is one.
//!
//! ```text
//!   SM90_TMA_LOAD_MULTICAST ─► SM90_TMA_STORE, SM90_TMA_REDUCE_ADD        clusters of two, f16
//!   SM90_TMA_LOAD           ─► SM90_TMA_REDUCE_ADD                        a sum over splits, f32
//! ```

mod hopper_fixture;

use emulator::{Config, Schedule};
use half::f16;
use host::{Device, Launch, TensorMapSpec};
use layout_types::atom::copy::{Sm90_TMA_LOAD, Sm90_TMA_REDUCE_ADD};
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::prelude::*;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// The emulator under each schedule, and the GPU where there is one of compute capability 9.0.
fn devices() -> Vec<(String, Device)> {
    let emulator = |schedule| {
        Device::emulator_with(Config {
            schedule,
            ..Config::default()
        })
    };
    let mut all: Vec<_> = SCHEDULES
        .iter()
        .map(|&schedule| (format!("{schedule:?}"), emulator(schedule)))
        .collect();
    match Device::gpu(0) {
        Ok(gpu) if gpu.compute_capability() == (9, 0) => all.push((gpu.name().into(), gpu)),
        Ok(gpu) => println!("{gpu} is no Hopper: ran on the emulator alone"),
        Err(why) => println!("no CUDA device: ran on the emulator alone ({why})"),
    }
    for (_, device) in &all {
        println!("{}", device.where_it_ran());
    }
    all
}

/// Whole numbers of -8 to 8, of which every sum here is exact.
fn number(i: usize) -> f32 {
    (i.wrapping_mul(2_654_435_761) >> 7) as f32 % 17.0 - 8.0
}

#[test]
fn a_store_writes_and_a_reduction_adds_what_a_multicast_brought() {
    type Smem = TileToShape<LayoutKSw128Atom<f16>, shape!((64, 128, 2))>;
    type Add = Sm90_TMA_REDUCE_ADD<Smem, f16>;
    // Rows of 168 of 176 elements; the tiles of the last cluster and column reach beyond.
    let (m, n, pitch) = (180, 168, 176);
    for (name, device) in devices() {
        let halves = |seed| -> Vec<f16> {
            let all = 0..m * pitch;
            all.map(|i| f16::from_f32(number(seed + i))).collect()
        };
        let (from, before) = (halves(1), halves(77));
        let source = device.upload(&from).unwrap();
        let mut to = device.upload(&before).unwrap();
        let mut sum = device.upload(&before).unwrap();
        let shape = [m as u64, n as u64];
        let spec = TensorMapSpec::tile::<Smem, f16>(&shape, &[pitch as u64, 1]).unwrap();
        let maps = (
            source.tensor_map(&spec).unwrap(),
            to.tensor_map_mut(&spec).unwrap(),
            sum.tensor_map_mut(&spec).unwrap(),
        );
        let kernel = device.load(&hopper_fixture::PTX).unwrap();
        let kernel = kernel.kernel("round_trip").unwrap();
        let launch = Launch::new((4, 2), 32).shared(2 * Add::BYTES as usize + 8);
        let run = kernel.launch(&launch, (&maps.0, &maps.1, &maps.2));
        run.unwrap_or_else(|error| panic!("{name}: {error}"));
        drop(maps);
        let (to, sum) = (to.to_vec().unwrap(), sum.to_vec().unwrap());
        for i in 0..m * pitch {
            let (stored, added) = match i % pitch < n {
                true => (
                    from[i],
                    f16::from_f32(from[i].to_f32() + before[i].to_f32()),
                ),
                false => (before[i], before[i]),
            };
            assert_eq!((to[i], sum[i]), (stored, added), "{name} {i}");
        }
    }
}

#[test]
fn reductions_of_all_splits_are_their_sum() {
    type Smem = TileToShape<LayoutKSw128Atom<f32>, shape!((64, 64))>;
    type Load = Sm90_TMA_LOAD<Smem, f32>;
    let (rows, splits) = (128, 3);
    // The sum has fewer rows than a split, and columns that no tile ends at.
    let (m, n) = (100, 72);
    for (name, device) in devices() {
        let from: Vec<f32> = (0..splits * rows * n).map(number).collect();
        let before: Vec<f32> = (0..m * n).map(|i| number(i + 31)).collect();
        let source = device.upload(&from).unwrap();
        let mut sum = device.upload(&before).unwrap();
        let spec = |rows: usize| {
            TensorMapSpec::tile::<Smem, f32>(&[rows as u64, n as u64], &[n as u64, 1]).unwrap()
        };
        let map = source.tensor_map(&spec(splits * rows)).unwrap();
        let into = sum.tensor_map_mut(&spec(m)).unwrap();
        let kernel = device.load(&hopper_fixture::PTX).unwrap();
        let kernel = kernel.kernel("sum_of_splits").unwrap();
        let launch = Launch::new((2, 2, splits as u32), 32).shared(Load::BYTES as usize + 8);
        let run = kernel.launch(&launch, (&map, &into, rows as u32));
        run.unwrap_or_else(|error| panic!("{name}: {error}"));
        drop(into);
        for (i, &found) in sum.to_vec().unwrap().iter().enumerate() {
            let all = (0..splits).map(|split| from[split * rows * n + i]);
            assert_eq!(found, before[i] + all.sum::<f32>(), "{name} {i}");
        }
    }
}
