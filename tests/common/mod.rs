//! Chooses the devices of the tests, and runs a GEMM, a transpose and a vector sum on them.
#![allow(
    dead_code,
    reason = "each test file is a crate of its own and uses a part of this"
)]

pub mod packed;
pub mod packed_forward;
pub mod ptx_text;
pub mod sample;

use cutlet::attention::AttentionMask;
use cutlet::gemm::{
    GemmOptions, InputElement, Library, Matrix, MatrixMut, Order, OutputElement, ScheduleRequest,
    Table,
};
use cutlet::kernels::Modules;
use emulator::Schedule;
use gpu_kernels::transpose::{self, TransposeArgument, Width};
use gpu_kernels::vecadd::{self, VecaddArgument};
use host::reference::{Element, Random};
use host::{Contract, Device, EmulatorConfig, NamedArguments};
use std::path::PathBuf;

/// Returns the emulator, and the GPU if there is one. Prints a line if there is none.
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

/// Returns the emulator with one thread and with many, and the GPU if there is one: their results
/// must agree.
pub fn all_ways() -> Vec<Device> {
    let single = EmulatorConfig {
        threads: Some(1),
        ..EmulatorConfig::default()
    };
    let mut devices = vec![Device::emulator_with(single)];
    devices.extend(self::devices());
    devices
}

/// Returns the kernels, each of which is loaded at its first use.
pub fn load(device: &Device) -> Modules {
    Modules::load(device).unwrap()
}

/// Returns an emulator with this schedule of asynchronous operations. With few multiprocessors, a
/// CTA has several tiles.
pub fn emulator_of(multiprocessors: u32, schedule: Schedule) -> Device {
    Device::emulator_with(EmulatorConfig {
        schedule,
        multiprocessors,
        ..EmulatorConfig::default()
    })
}

/// Returns an emulator of two multiprocessors with this schedule.
pub fn emulator(schedule: Schedule) -> Device {
    emulator_of(2, schedule)
}

/// Returns the kernels on an emulator of two multiprocessors with this schedule.
pub fn emulated(schedule: Schedule) -> Modules {
    load(&emulator(schedule))
}

/// Returns a pseudorandom mask.
pub fn mask_by_chance(random: &mut Random) -> AttentionMask {
    match random.below(3) {
        0 => AttentionMask::Full,
        1 => AttentionMask::Causal,
        _ => AttentionMask::Window {
            before: random.below(100) as u32,
            after: random.below(40) as u32,
        },
    }
}

/// The sizes at which tiles and vectors begin and end.
pub const SIZES: [u32; 6] = [1, 7, 8, 127, 128, 129];

/// Computes D of the product of A `(m, k)`, row-major, and B `(k, n)`, column-major, by the kernel
/// that an empty table chooses on any device.
pub fn run_gemm<I: InputElement + Element, O: OutputElement<I> + Element>(
    modules: &Modules,
    (m, n, k): (usize, usize, usize),
    (a, b): (&[I], &[I]),
) -> Vec<O> {
    let library = Library::with(modules, Table::default());
    let device = modules.device();
    let (a, b) = (device.upload(a).unwrap(), device.upload(b).unwrap());
    let mut d = device.alloc::<O>(m * n).unwrap();
    d.fill_bytes(0xff).unwrap();
    // The schedule has the same order of additions on every device.
    let options = GemmOptions {
        schedule: ScheduleRequest::Tiles,
        ..GemmOptions::default()
    };
    let (a, b) = (
        Matrix::new(&a, m, k),
        Matrix::new(&b, k, n).order(Order::Columns),
    );
    library
        .gemm(&a, &b, &mut MatrixMut::new(&mut d, m, n), &options, None)
        .unwrap();
    d.to_vec().unwrap()
}

/// Returns dst of a transpose of 32-bit elements.
pub fn run_transpose(modules: &Modules, (rows, cols): (u32, u32), src: &[u32]) -> Vec<u32> {
    let list = Width::B32.arguments();
    let spec = transpose::launch_spec(Width::B32, rows, cols).unwrap();
    let contract = Contract::from(&spec)
        .argument(list, TransposeArgument::Rows, rows)
        .argument(list, TransposeArgument::Cols, cols);
    let device = modules.device();
    let src = device.upload(src).unwrap();
    let mut dst = device.alloc::<u32>(src.len()).unwrap();
    dst.fill_bytes(0xff).unwrap();
    let kernel = modules.kernel(spec.kernel).unwrap();
    let arguments = NamedArguments::new(list)
        .with(TransposeArgument::Dst, &mut dst)
        .with(TransposeArgument::Src, &src)
        .with(TransposeArgument::Rows, rows)
        .with(TransposeArgument::Cols, cols);
    let arguments = arguments.bind().unwrap();
    kernel.launch(&contract.launch(), arguments).unwrap();
    dst.to_vec().unwrap()
}

/// Returns c of a vector sum.
pub fn run_vecadd(modules: &Modules, a: &[f32], b: &[f32]) -> Vec<f32> {
    let n = u32::try_from(a.len()).unwrap();
    let spec = vecadd::launch_spec(n).unwrap();
    let list = vecadd::ARGUMENTS;
    let contract = Contract::from(&spec).argument(list, VecaddArgument::N, n);
    let device = modules.device();
    let (a, b) = (device.upload(a).unwrap(), device.upload(b).unwrap());
    let mut c = device.alloc::<f32>(a.len()).unwrap();
    c.fill_bytes(0xff).unwrap();
    let kernel = modules.kernel(spec.kernel).unwrap();
    let arguments = NamedArguments::new(list)
        .with(VecaddArgument::A, &a)
        .with(VecaddArgument::B, &b)
        .with(VecaddArgument::C, &mut c)
        .with(VecaddArgument::N, n);
    let arguments = arguments.bind().unwrap();
    kernel.launch(&contract.launch(), arguments).unwrap();
    c.to_vec().unwrap()
}

/// Returns the path of the command line's executable: the one that cargo built or, if both were
/// carried to a machine without cargo, the one beside this test's folder.
pub fn cutlet() -> PathBuf {
    let built = PathBuf::from(env!("CARGO_BIN_EXE_cutlet"));
    if built.is_file() {
        return built;
    }
    let test = std::env::current_exe().unwrap();
    let candidates = test
        .ancestors()
        .skip(1)
        .take(2)
        .map(|folder| folder.join("cutlet"));
    candidates
        .clone()
        .find(|path| path.is_file())
        .unwrap_or_else(|| {
            panic!(
                "no cutlet at {} nor in {:?}",
                built.display(),
                candidates.collect::<Vec<_>>()
            )
        })
}
