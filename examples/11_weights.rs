//! Products of few tokens with weights of 4 and 8 bits: right against float64 on random shapes, and
//! on a GPU timed, weights cold in L2, beside cuBLAS in bf16.
//!
//! ```console
//! cargo run --release --example 11_weights
//! ```
//!
//! The kernels: `examples/weights-kernels`, of `gpu_kernels::weights`.

#[path = "common/mod.rs"]
mod common;
#[path = "common/weights.rs"]
mod weights;

use common::{Outcome, size};
use example_weights_kernels as kernels;
use gpu_kernels::weights::format::{Int4, Int8, Mxfp4, UInt4};
use gpu_kernels_sm90::weights::ManyRows;
use half::{bf16, f16};
use host::cublas::{Compute, Cublas, CublasProduct};
use host::{Buffer, Device, Enqueue, Kind, TensorMapSpec, Timing, time_interleaved};
use kernel_abi::weights::WeightsConfiguration;
use weights::{Prepared, Quantised, resources};

/// Runs the example.
pub fn main() -> Outcome {
    let text = match std::env::args()
        .nth(1)
        .filter(|path| path.ends_with(".ptx"))
    {
        Some(path) => std::fs::read_to_string(path)?.leak(),
        None => example_ptx::weights()?,
    };
    let (device, module) = Device::best_for(text)?;
    println!("{}", device.where_it_ran());
    let of = resources(&module.kernel(kernels::Int4G128Bf16T8::CONFIGURATION.kernel)?);
    println!("{of:?}");
    let shapes = size(
        &device,
        vec![(1, 40, 256), (5, 100, 1000), (8, 64, 4096)],
        vec![
            (1, 4096, 4096),
            (7, 1000, 2048 + 128),
            (8, 3000, 8192),
            (3, 300, 8192),
            (8, 512, 14336),
        ],
    );
    macro_rules! right {
        ($($config:ident: $format:ty, $element:ty;)*) => {$(
            let configuration = kernels::$config::CONFIGURATION;
            for &(m, n, k) in &shapes {
                let m = m * configuration.tokens / 8;
                let k = u32::next_multiple_of(k, configuration.packed.group);
                let error = weights::check::<$format, $element>(&module, &configuration, (m, n, k), 7, &of)?;
                println!("{:32} {m:3} x {n:5} x {k:5}   error {error:.1e} of the bound", configuration.kernel);
                common::ensure(error <= 1.0, || "beyond the bound".into())?;
            }
        )*};
    }
    right! {
        Int4G128Bf16T8: Int4<bf16>, bf16;
        Int4G128Bf16T16: Int4<bf16>, bf16;
        Int4G128Bf16T32: Int4<bf16>, bf16;
        Int4G128Bf16T8N2: Int4<bf16>, bf16;
        Int4G128Bf16T8N4: Int4<bf16>, bf16;
        Int4G128Bf16T16N2: Int4<bf16>, bf16;
        Int4G128F16T8: Int4<f16>, f16;
        UInt4G64Bf16T8: UInt4<f16>, bf16;
        Mxfp4Bf16T8: Mxfp4, bf16;
        Int8G128Bf16T8: Int8<bf16>, bf16;
    }
    let tiled_shapes = size(
        &device,
        vec![(3, 40, 128), (70, 200, 384)],
        vec![
            (1, 128, 128),
            (64, 4096, 4096),
            (100, 1000, 2048 + 128),
            (300, 3000, 8192),
        ],
    );
    macro_rules! right_tiled {
        ($($config:ident: $format:ty, $element:ty;)*) => {$(
            let configuration = kernels::$config::CONFIGURATION;
            for &(m, n, k) in &tiled_shapes {
                let k = u32::next_multiple_of(k, configuration.packed.group);
                let error = weights::check_tiled::<
                    $format,
                    $element,
                    <kernels::$config as ManyRows>::SmemX,
                >(&module, &configuration, (m, n, k), 7, &of)?;
                println!("{:32} {m:3} x {n:5} x {k:5}   error {error:.1e} of the bound", configuration.kernel);
                common::ensure(error <= 1.0, || "beyond the bound".into())?;
            }
        )*};
    }
    right_tiled! {
        Int4G128Bf16M32: Int4<bf16>, bf16;
        Int4G128Bf16M64: Int4<bf16>, bf16;
        Int4G128Bf16M128: Int4<bf16>, bf16;
        Int4G128Bf16M256: Int4<bf16>, bf16;
        UInt4G64F16M64: UInt4<f16>, f16;
        Mxfp4Bf16M64: Mxfp4, bf16;
        Int8G128F16M64: Int8<f16>, f16;
    }
    if device.kind() == Kind::Emulator {
        return Ok(());
    }
    let int4 = [
        kernels::Int4G128Bf16T8::CONFIGURATION,
        kernels::Int4G128Bf16T16::CONFIGURATION,
        kernels::Int4G128Bf16T32::CONFIGURATION,
    ];
    let two = [
        kernels::Int4G128Bf16T8N2::CONFIGURATION,
        kernels::Int4G128Bf16T16N2::CONFIGURATION,
    ];
    let four = [kernels::Int4G128Bf16T8N4::CONFIGURATION];
    let others = [
        kernels::Int4G128F16T8::CONFIGURATION,
        kernels::UInt4G64Bf16T8::CONFIGURATION,
        kernels::Mxfp4Bf16T8::CONFIGURATION,
        kernels::Int8G128Bf16T8::CONFIGURATION,
    ];
    println!("\nus, weights cold in L2 (GB/s of codes and scales); cuBLAS in bf16, cold too");
    let cublas = Cublas::open(&device);
    if let Err(why) = &cublas {
        println!("{why}");
    }
    let bytes: Vec<u8> = host::reference::fill_bits(5, 256 << 20);
    for (n, k) in [(28672, 8192), (8192, 8192), (4096, 4096), (6144, 4096)] {
        let mut dense = Vec::new();
        if let Ok(cublas) = &cublas {
            dense = time_cublas(&device, cublas, (n, k))?;
        }
        let line = |menu: &[WeightsConfiguration], name: &str| -> Outcome {
            let times = times(&device, &module, menu, (n, k), &bytes)?;
            let cells = times.iter().zip(TOKENS).map(|((time, rate), m)| {
                let beside = dense.iter().zip(TOKENS).find(|(_, of)| *of == m);
                let beside =
                    beside.map_or_else(String::new, |(dense, _)| format!(" x{:.2}", dense / time));
                format!("M {m}: {:6.2} ({rate:4.0}){beside}", time * 1e6)
            });
            println!(
                "{n:5} x {k:5} {name:10} {}",
                cells.collect::<Vec<_>>().join("  ")
            );
            Ok(())
        };
        line(&int4, "int4:128")?;
        line(&two, "32 rows")?;
        line(&four, "64 rows")?;
        let tiled = times_tiled(&device, &module, (n, k), &bytes)?;
        let cells = tiled.iter().map(|(m, name, time)| {
            let beside = dense.iter().zip(TOKENS).find(|(_, of)| of == m);
            let beside =
                beside.map_or_else(String::new, |(dense, _)| format!(" x{:.2}", dense / time));
            format!("M {m} {name}: {:6.2}{beside}", time * 1e6)
        });
        println!(
            "{n:5} x {k:5} wgmma      {}",
            cells.collect::<Vec<_>>().join("  ")
        );
        for (other, name) in others
            .iter()
            .zip(["int4 f16", "uint4:64", "mxfp4", "int8:128"])
        {
            line(std::slice::from_ref(other), name)?;
        }
        let dense = dense
            .iter()
            .zip(TOKENS)
            .map(|(time, m)| format!("M {m}: {:6.2}", time * 1e6));
        println!(
            "{n:5} x {k:5} {:10} {}",
            "cuBLAS",
            dense.collect::<Vec<_>>().join("  ")
        );
    }
    Ok(())
}

/// Tokens.
const TOKENS: [u32; 9] = [1, 4, 8, 16, 32, 64, 128, 256, 512];

/// Launches one after the other, in a row of copies that together are more than the L2.
struct InTurn<'a>(Vec<Box<dyn Enqueue + 'a>>, std::cell::Cell<usize>);
impl Enqueue for InTurn<'_> {
    fn enqueue(&self) -> Result<(), host::Error> {
        let at = self.1.get();
        self.1.set((at + 1) % self.0.len());
        self.0[at].enqueue()
    }
    fn device(&self) -> &Device {
        self.0[0].device()
    }
}
fn median(all: Vec<Box<dyn Enqueue + '_>>) -> Result<f64, host::Error> {
    let turns = InTurn(all, std::cell::Cell::new(0));
    let timing = Timing {
        warmup: 20,
        runs: 60,
    };
    Ok(time_interleaved(&[&turns], timing, 500e-6)?[0].0.median)
}
fn copies(bytes: u64) -> usize {
    (240_000_000 / bytes).max(2) as usize
}

/// The times and GB/s for each number of tokens that the menu has a kernel for: the first one.
fn times(
    device: &Device,
    module: &host::Module,
    menu: &[WeightsConfiguration],
    (n, k): (u32, u32),
    random: &[u8],
) -> Result<Vec<(f64, f64)>, Box<dyn std::error::Error>> {
    let of = resources(&module.kernel(menu[0].kernel)?);
    let packed = menu[0].packed;
    let [codes, groups] = [packed.code_bytes(n, k), packed.group_bytes(n, k)];
    let count = copies(codes + groups);
    let weights: Vec<Quantised> = (0..count)
        .map(|i| {
            let mut scales = device.alloc(groups as usize)?;
            scales.fill_bytes(0x3c)?;
            let codes = device.upload(&random[4096 * i..][..codes as usize])?;
            Ok(Quantised {
                codes,
                groups: scales,
            })
        })
        .collect::<Result<_, host::Error>>()?;
    let mut all = Vec::new();
    for m in TOKENS {
        let Some(configuration) = menu.iter().find(|of| of.tokens >= m) else {
            break;
        };
        let problem = kernel_abi::weights::WeightsProblem {
            m,
            n,
            k,
            ldx: k,
            ldd: n,
            packed,
        };
        let plan = configuration.plan(&problem, &of)?;
        let x = device.upload(&vec![0x3c00u16; (m * k) as usize])?;
        let kernel = module.kernel(configuration.kernel)?;
        let mut outputs: Vec<Buffer<u16>> = (0..count)
            .map(|_| device.alloc((m * n) as usize))
            .collect::<Result<_, _>>()?;
        let launches = weights
            .iter()
            .zip(&mut outputs)
            .map(|(weights, d)| {
                let launch = Prepared {
                    kernel: &kernel,
                    plan: &plan,
                };
                Ok(Box::new(launch.prepare(&x, weights, d)?) as Box<dyn Enqueue>)
            })
            .collect::<Result<Vec<_>, host::Error>>()?;
        let time = median(launches)?;
        all.push((time, (codes + groups) as f64 / time * 1e-9));
    }
    Ok(all)
}

/// Tokens, the tile's name, and the time in seconds.
type TiledTime = (u32, &'static str, f64);

/// The times of tiles of 32 to 256 tokens.
fn times_tiled(
    device: &Device,
    module: &host::Module,
    (n, k): (u32, u32),
    random: &[u8],
) -> Result<Vec<TiledTime>, Box<dyn std::error::Error>> {
    let packed = kernels::Int4G128Bf16M64::CONFIGURATION.packed;
    let [codes, groups] = [packed.code_bytes(n, k), packed.group_bytes(n, k)];
    let count = copies(codes + groups);
    let weights: Vec<Quantised> = (0..count)
        .map(|i| {
            let mut scales = device.alloc(groups as usize)?;
            scales.fill_bytes(0x3c)?;
            let codes = device.upload(&random[4096 * i..][..codes as usize])?;
            Ok(Quantised {
                codes,
                groups: scales,
            })
        })
        .collect::<Result<_, host::Error>>()?;
    let mut all = Vec::new();
    macro_rules! time {
        ($($config:ident $name:literal $tokens:expr;)*) => {$(
            let configuration = kernels::$config::CONFIGURATION;
            let kernel = module.kernel(configuration.kernel)?;
            let of = resources(&kernel);
            for m in $tokens {
                let problem = kernel_abi::weights::WeightsProblem { m, n, k, ldx: k, ldd: n, packed };
                let plan = configuration.plan(&problem, &of)?;
                let x = device.upload(&vec![bf16::ONE; (m * k) as usize])?;
                let spec = TensorMapSpec::tile::<<kernels::$config as ManyRows>::SmemX, bf16>(
                    &[m.into(), k.into()],
                    &[k.into(), 1],
                )?;
                let map = x.tensor_map(&spec)?;
                let mut outputs: Vec<Buffer<bf16>> = (0..count)
                    .map(|_| device.alloc((m * n) as usize))
                    .collect::<Result<_, _>>()?;
                let launches = weights
                    .iter()
                    .zip(&mut outputs)
                    .map(|(weights, d)| {
                        let launch = weights::prepare_tiled(&kernel, &plan, &map, weights, d)?;
                        Ok(Box::new(launch) as Box<dyn Enqueue>)
                    })
                    .collect::<Result<Vec<_>, host::Error>>()?;
                all.push((m, $name, median(launches)?));
            }
        )*};
    }
    time! {
        Int4G128Bf16M32 "of 32" [16u32, 32];
        Int4G128Bf16M64 "of 64" [32u32, 64, 128];
        Int4G128Bf16M128 "of 128" [128u32, 256, 512];
        Int4G128Bf16M256 "of 256" [256u32, 512];
    }
    Ok(all)
}

/// The times for each number of tokens.
fn time_cublas(
    device: &Device,
    cublas: &Cublas,
    (n, k): (u32, u32),
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let count = copies(u64::from(n) * u64::from(k) * 2);
    let all: Vec<Buffer<bf16>> = (0..count)
        .map(|_| device.alloc((n * k) as usize))
        .collect::<Result<_, _>>()?;
    let mut times = Vec::new();
    for m in TOKENS {
        let a = device.upload(&vec![bf16::ONE; (m * k) as usize])?;
        let mut outputs: Vec<Buffer<bf16>> = (0..count)
            .map(|_| device.alloc((m * n) as usize))
            .collect::<Result<_, _>>()?;
        let launches = all
            .iter()
            .zip(&mut outputs)
            .map(|(b, d)| {
                let product = CublasProduct::new((m, n, k), Compute::F32);
                Ok(Box::new(cublas.prepare(d, &a, b, product)?) as Box<dyn Enqueue>)
            })
            .collect::<Result<Vec<_>, Box<dyn std::error::Error>>>()?;
        times.push(median(launches)?);
    }
    Ok(times)
}
