//! Executes copy atoms of the tensor memory accelerator, and a mainloop of `wgmma`: the kernels of
//! `fixtures/hopper`. They run on the emulator, with all its checks, under three schedules, and on
//! a GPU if there is one.
//!
//! ```text
//!   SM90_TMA_LOAD_MULTICAST ─► SM90_TMA_STORE, SM90_TMA_REDUCE_ADD        clusters of two, f16
//!   SM90_TMA_LOAD           ─► SM90_TMA_REDUCE_ADD                        a sum over splits, f32
//!   SM90_BULK_COPY          ─► SM90_BULK_COPY                             compact tiles of five types
//!   wgmma alone             ─► D, and on a GPU its rate
//! ```

mod hopper_fixture;

use bytemuck::Pod;
use emulator::{Config, Schedule};
use half::{bf16, f16};
use host::{Device, Kind, Launch, TensorMapSpec, Timing};
use layout_types::atom::Element;
use layout_types::atom::copy::{Sm90_BULK_COPY, Sm90_TMA_LOAD, Sm90_TMA_REDUCE_ADD};
use layout_types::atom::gmma::LayoutKSw128Atom;
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use layout_types::prelude::*;

const SCHEDULES: [Schedule; 3] = [Schedule::Early, Schedule::Late, Schedule::Seeded(7)];

/// Returns the emulator under each schedule, and the GPU if there is one of compute capability 9.0.
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

/// Returns a whole number from -8 to 8. All sums of such numbers are exact here.
fn number(i: usize) -> f32 {
    (i.wrapping_mul(2_654_435_761) >> 7) as f32 % 17.0 - 8.0
}

#[test]
fn a_store_writes_and_a_reduction_adds_what_a_multicast_brought() {
    type Smem = TileToShape<LayoutKSw128Atom<f16>, shape!((64, 128, 2))>;
    type Add = Sm90_TMA_REDUCE_ADD<Smem, f16>;
    // Rows have 168 of 176 elements; the tiles of the last cluster and column reach past the end.
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
    // The sum has fewer rows than a split, and a number of columns at which no tile ends.
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

fn bulk_copy<Tile: LayoutFn + Reflect, T: Element + Pod>(device: &Device, name: &str) {
    let (tiles, bytes) = (5, Sm90_BULK_COPY::<Tile, T>::BYTES as usize);
    let n = tiles * bytes;
    let numbers = |seed: usize| -> Vec<T> {
        let byte = |i: usize| ((i + seed).wrapping_mul(2_654_435_761) >> 9) as u8;
        bytemuck::pod_collect_to_vec::<u8, T>(&(0..n).map(byte).collect::<Vec<_>>())
    };
    let source = device.upload(&numbers(1)).unwrap();
    let mut to = device.upload(&numbers(77)).unwrap();
    let kernel = device.load(&hopper_fixture::PTX).unwrap();
    let launch = Launch::new(tiles as u32, 32).shared(bytes + 8);
    let run = kernel.kernel(name).unwrap();
    let run = run.launch(&launch, (&source, &mut to));
    run.unwrap_or_else(|error| panic!("{name}: {error}"));
    let (found, expected) = (to.to_vec().unwrap(), numbers(1));
    let bytes_of = |numbers| bytemuck::cast_slice::<T, u8>(numbers);
    assert!(bytes_of(&found) == bytes_of(&expected), "{name}, {device}");
}

#[test]
fn bulk_copies_move_compact_tiles() {
    for (_, device) in devices() {
        bulk_copy::<layout!((16):(1)), u8>(&device, "bulk_copy_u8");
        bulk_copy::<layout!((24,5):(5,1)), f16>(&device, "bulk_copy_f16");
        bulk_copy::<layout!(((2,4),(3,8)):((1,2),(8,24))), bf16>(&device, "bulk_copy_bf16");
        bulk_copy::<layout!((64,8):(8,1)), f32>(&device, "bulk_copy_f32");
        bulk_copy::<layout!((32,128):(1,32)), f64>(&device, "bulk_copy_f64");
    }
}

/// The stages of `wgmma_alone`: (M, K, stages) and (N, K, stages).
type SmemA = TileToShape<LayoutKSw128Atom<f16>, shape!((128, 64, 4))>;
type SmemB = TileToShape<LayoutKSw128Atom<f16>, shape!((256, 64, 4))>;

/// Returns a tile as it lies in shared memory, with the values of (row, k), where k counts through
/// all stages.
fn image<Tile: LayoutFn>(rows: usize, value: impl Fn(usize, usize) -> f32) -> Vec<f16> {
    let mut image = vec![f16::ZERO; rows * 256];
    for i in 0..rows * 256 {
        image[Tile::index(i as u32) as usize] = f16::from_f32(value(i % rows, i / rows));
    }
    image
}

/// Checks the product, whose sums are exact. On a GPU its rate is printed: on an H200 956 TFLOP/s
/// for a millisecond (`docs/benchmarks/gemm.md`), before the card's power limit lowers its clock.
#[test]
fn a_mainloop_of_wgmma_alone() {
    let a = |row, k| number(row * 256 + k);
    let b = |row, k| number(row * 256 + k + 12345);
    for (name, device) in devices() {
        let blocks = match device.kind() {
            Kind::Gpu => device.limits().multiprocessors,
            Kind::Emulator => 1,
        };
        let kernel = device.load(&hopper_fixture::PTX).unwrap();
        let kernel = kernel.kernel("wgmma_alone").unwrap();
        let launch = Launch::new(blocks, 256).shared((128 + 256) * 256 * 2 + 8);
        let mut d = device
            .upload(&vec![f32::NAN; blocks as usize * 128 * 256])
            .unwrap();
        let loops = 3_u32;
        let images = [image::<SmemA>(128, a), image::<SmemB>(256, b)];
        let [image_a, image_b] = images.map(|image| device.upload(&image).unwrap());
        let run = kernel.launch(&launch, (&image_a, &image_b, &mut d, loops));
        run.unwrap_or_else(|error| panic!("{name}: {error}"));
        for (i, found) in d.to_vec().unwrap().into_iter().enumerate() {
            let (m, n) = (i / 256 % 128, i % 256);
            let sum: f32 = (0..256).map(|k| a(m, k) * b(n, k)).sum();
            assert_eq!(found, loops as f32 * sum, "{name}: ({m},{n})");
        }
        if device.kind() != Kind::Gpu {
            continue;
        }
        let random = [image_a, image_b];
        let zeros = [128, 256].map(|rows| device.upload(&vec![f16::ZERO; rows * 256]).unwrap());
        let mut print_rate = |what: &str, [a, b]: &[_; 2], loops: u32| {
            let timing = Timing { warmup: 1, runs: 5 };
            let time = kernel.time(&launch, (a, b, &mut d, loops), timing).unwrap();
            let products = f64::from(blocks) * f64::from(loops);
            let rate = time.tera_per_second(products * 2.0 * 128.0 * 256.0 * 256.0);
            let shown = 1e3 * time.median;
            println!("{name}: wgmma alone, {what}, {shown:.2} ms: {rate:.0} TFLOP/s");
        };
        print_rate("zeros", &zeros, 500);
        print_rate("random numbers", &random, 500);
        print_rate("random numbers", &random, 50_000);
    }
}
