//! Weights by chance, packed for a kernel; the product's launch; what it is held against, float64.
#![allow(dead_code, reason = "an example and a test use a part of this each")]

use bytemuck::Pod;
use gpu_kernels::weights::format::WeightFormat;
use gpu_kernels::weights::pack::{pack_codes, pack_groups};
use half::{bf16, f16};
use host::reference::{Element, fill, fill_bits, sample};
use host::{
    Buffer, Contract, Device, Kernel, Launch, Module, PreparedLaunch, TensorMap, TensorMapSpec,
    TmaElement,
};
use kernel_abi::weights::{
    PackedLayout, Resources, TiledWeightsConfiguration, TiledWeightsPlan, WeightsConfiguration,
    WeightsPlan, WeightsProblem,
};
use layout_types::check::Reflect;
use layout_types::layout::LayoutFn;
use std::error::Error;

/// What a launch of a kernel may use of its device: CTAs that have a multiprocessor each.
pub fn resources(kernel: &Kernel) -> Resources {
    let limits = kernel.device().limits();
    let clusters = [2, 4, 8].map(|ctas| {
        let launch = Launch::new(8, 256).shared(limits.max_shared).cluster(ctas);
        let most = kernel.max_active_clusters(&launch);
        most.unwrap_or(1).clamp(1, limits.multiprocessors / ctas)
    });
    Resources {
        multiprocessors: limits.multiprocessors,
        clusters,
        shared_bytes: limits.max_shared as u32,
    }
}

/// Packed weights on a device.
pub struct Quantised {
    pub codes: Buffer<u8>,
    pub groups: Buffer<u8>,
}
impl Quantised {
    /// Codes by chance and one scale: for times.
    pub fn random(
        device: &Device,
        of: &WeightsConfiguration,
        n: u32,
        k: u32,
        seed: u64,
    ) -> Result<Self, host::Error> {
        let codes: Vec<u8> = fill_bits(seed, of.packed.code_bytes(n, k) as usize);
        let mut groups = device.alloc(of.packed.group_bytes(n, k) as usize)?;
        groups.fill_bytes(0x3c)?;
        Ok(Self {
            codes: device.upload(&codes)?,
            groups,
        })
    }
}

/// A product's kernel and launch.
pub struct Prepared<'a> {
    pub kernel: &'a Kernel,
    pub plan: &'a WeightsPlan,
}
impl Prepared<'_> {
    /// The launch, its buffers borrowed.
    pub fn prepare<'a, T: Pod>(
        &self,
        x: &'a Buffer<T>,
        weights: &'a Quantised,
        d: &'a mut Buffer<T>,
    ) -> Result<PreparedLaunch<impl Sized + use<'a, T>>, host::Error> {
        let scalars = self.plan.scalars;
        let contract = scalars.iter().enumerate().fold(
            Contract::from(&self.plan.launch),
            |contract, (i, (name, value))| contract.scalar(4 + i, name, *value),
        );
        let launch = contract.launch().programmatic();
        let [m, n, k, ldx, ldd, at_once] = scalars.map(|(_, value)| value);
        let arguments = (
            d,
            x,
            &weights.codes,
            &weights.groups,
            m,
            n,
            k,
            ldx,
            ldd,
            at_once,
        );
        self.kernel.prepare(&launch, arguments)
    }
}

/// A number below `below` by chance, of a place.
fn chance(seed: u64, row: u32, column: u32, below: u32) -> u32 {
    let mut x = seed
        .wrapping_add(u64::from(row) << 32 | u64::from(column))
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    (((x >> 32) * u64::from(below)) >> 32) as u32
}

/// Bits of a scale by chance, and its number.
fn scale<F: WeightFormat>(seed: u64, row: u32, group: u32) -> (u16, f64) {
    let number = (500 + chance(seed + 1, row, group, 1000)) as f32 / 16_000.0;
    match F::SCALES {
        "f16" => {
            let number = f16::from_f32(number);
            (number.to_bits(), number.to_f64())
        }
        "bf16" => {
            let number = bf16::from_f32(number);
            (number.to_bits(), number.to_f64())
        }
        _ => {
            let exponent = 118 + chance(seed + 1, row, group, 12);
            (exponent as u16, (f64::from(exponent) - 127.0).exp2())
        }
    }
}

/// A number rounded to the element's type.
fn rounded<E: Element>(number: f64) -> f64 {
    match E::NAME {
        "f16" => f16::from_f32(number as f32).to_f64(),
        _ => bf16::from_f32(number as f32).to_f64(),
    }
}

/// Runs a product of operands by chance on poisoned D, by `run` of X, the weights and D, and gives
/// the largest error, as a part of what it may be: a rounding to 16 bits and 2^-19 of the sum of
/// all magnitudes. `rounds` says that each weight is rounded to the activations' type.
pub fn held_to_float64<F: WeightFormat, E: Element + Pod>(
    device: &Device,
    packed: &PackedLayout,
    (m, n, k): (u32, u32, u32),
    seed: u64,
    rounds: bool,
    run: impl FnOnce(&Buffer<E>, &Quantised, &mut Buffer<E>) -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    let group = packed.group;
    let has_zero = F::GROUP_BYTES == 4;
    let code = |row, column| chance(seed, row, column, 1 << F::BITS);
    let zero = |row, group| {
        if has_zero {
            chance(seed + 2, row, group, 16)
        } else {
            0
        }
    };
    let codes = pack_codes::<F>(n, k, code);
    let groups = pack_groups::<F>(
        n,
        k,
        group,
        |row, group| scale::<F>(seed, row, group).0,
        |row, group| zero(row, group) as u16,
    );
    assert_eq!(codes.len() as u64, packed.code_bytes(n, k));
    assert_eq!(groups.len() as u64, packed.group_bytes(n, k));
    let x: Vec<E> = fill(seed, (m * k) as usize);
    let (on_x, weights) = (
        device.upload(&x)?,
        Quantised {
            codes: device.upload(&codes)?,
            groups: device.upload(&groups)?,
        },
    );
    let mut d = device.alloc::<E>((m * n) as usize)?;
    d.fill_bytes(0xff)?;
    run(&on_x, &weights, &mut d)?;
    let found = d.to_vec()?;
    let epsilon = if E::NAME == "f16" {
        2f64.powi(-11)
    } else {
        2f64.powi(-8)
    };
    let mut worst: f64 = 0.0;
    for row in sample(seed, n as usize, 200) {
        let row = row as u32;
        let weights: Vec<f64> = (0..k)
            .map(|column| {
                let of = column / group;
                let value = f64::from(F::value(code(row, column))) - f64::from(zero(row, of));
                let weight = value * scale::<F>(seed, row, of).1;
                if rounds { rounded::<E>(weight) } else { weight }
            })
            .collect();
        for token in 0..m {
            let x = &x[(token * k) as usize..][..k as usize];
            let products = || x.iter().zip(&weights).map(|(x, w)| Element::to_f64(*x) * w);
            let exact: f64 = products().sum();
            let magnitude: f64 = products().map(f64::abs).sum();
            let found = Element::to_f64(found[(token * n + row) as usize]);
            let bound = exact.abs() * epsilon + magnitude * 2f64.powi(-19) + 1e-30;
            let error = (found - exact).abs() / bound;
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
        }
    }
    Ok(worst)
}

/// [`held_to_float64`] of a kernel of few rows.
pub fn check<F: WeightFormat, E: Element + Pod>(
    module: &Module,
    of: &WeightsConfiguration,
    (m, n, k): (u32, u32, u32),
    seed: u64,
    resources: &Resources,
) -> Result<f64, Box<dyn Error>> {
    let packed = of.packed;
    let problem = WeightsProblem {
        m,
        n,
        k,
        ldx: k,
        ldd: n,
        packed,
    };
    let plan = of.plan(&problem, resources)?;
    let kernel = module.kernel(of.kernel)?;
    held_to_float64::<F, E>(
        module.device(),
        packed,
        (m, n, k),
        seed,
        false,
        |x, weights, d| {
            let launch = Prepared {
                kernel: &kernel,
                plan: &plan,
            };
            Ok(host::launch_in_order(&[&launch.prepare(x, weights, d)?])?)
        },
    )
}

/// The launch of a kernel of many rows, its buffers and X's map borrowed.
pub fn prepare_tiled<'a, E: Pod>(
    kernel: &Kernel,
    plan: &TiledWeightsPlan,
    x: &'a TensorMap<'a>,
    weights: &'a Quantised,
    d: &'a mut Buffer<E>,
) -> Result<PreparedLaunch<impl Sized + use<'a, E>>, host::Error> {
    let scalars = plan.scalars;
    let contract = scalars.iter().enumerate().fold(
        Contract::from(&plan.launch),
        |contract, (i, (name, value))| contract.scalar(4 + i, name, *value),
    );
    let launch = contract.launch().programmatic();
    let [m, n, k, ldd] = scalars.map(|(_, value)| value);
    let arguments = (d, x, &weights.codes, &weights.groups, m, n, k, ldd);
    kernel.prepare(&launch, arguments)
}

/// [`held_to_float64`] of a kernel of many rows, whose X has stages `Smem`.
pub fn check_tiled<F: WeightFormat, E: Element + Pod + TmaElement, Smem: LayoutFn + Reflect>(
    module: &Module,
    of: &TiledWeightsConfiguration,
    (m, n, k): (u32, u32, u32),
    seed: u64,
    resources: &Resources,
) -> Result<f64, Box<dyn Error>> {
    let packed = of.packed;
    let problem = WeightsProblem {
        m,
        n,
        k,
        ldx: k,
        ldd: n,
        packed,
    };
    let plan = of.plan(&problem, resources)?;
    let kernel = module.kernel(of.kernel)?;
    held_to_float64::<F, E>(
        module.device(),
        packed,
        (m, n, k),
        seed,
        true,
        |x, weights, d| {
            let spec = TensorMapSpec::tile::<Smem, E>(&[m.into(), k.into()], &[k.into(), 1])?;
            let map = x.tensor_map(&spec)?;
            let launch = prepare_tiled(&kernel, &plan, &map, weights, d)?;
            Ok(host::launch_in_order(&[&launch])?)
        },
    )
}
