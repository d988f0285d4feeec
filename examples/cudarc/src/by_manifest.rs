//! Launches Cutlet's kernels by cudarc without a crate of Cutlet's: it gets the PTX and the JSON
//! file next to the PTX.
//!
//! ```text
//!   cutlet ptx --out ptx                                        ptx/kernels.ptx, ptx/kernels.json
//!   cd examples/cudarc && cargo run --release -- ../../ptx      needs a GPU; with --features beside Cutlet's own launch is timed too
//! ```
//!
//! Law: the sum has the bits of float32's addition. Each element of the product differs from
//! float64's by at most half a step of f16 and float32's error in adding k products.

use crate::numbers;
use cudarc::driver::sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
use cudarc::driver::{
    CudaContext, CudaFunction, CudaModule, CudaStream, DeviceRepr, LaunchConfig, PushKernelArg,
};
use half::f16;
use serde_json::Value;
use std::error::Error;
use std::mem::offset_of;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// `GemmParams` of kernels.json, whose size and offsets are compared before the first launch.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct GemmParams {
    m: u32,
    n: u32,
    k: u32,
    k_slices: u32,
    lda: u64,
    ldb: u64,
    ldc: u64,
    ldd: u64,
    batch_a: u64,
    batch_b: u64,
    batch_c: u64,
    batch_d: u64,
    alpha: f32,
    beta: f32,
    epilogue: u32,
    raster_group: u32,
}
// SAFETY: the structure is `repr(C)` and has plain numbers without padding, at the offsets of the
// kernel's own structure: `agrees` compares them.
unsafe impl DeviceRepr for GemmParams {}

/// The JSON file next to the PTX.
struct Manifest(Value);

impl Manifest {
    /// Returns the entry of a list of the manifest whose `key` is `value`.
    fn find<'a>(list: &'a Value, key: &str, value: &str) -> Result<&'a Value, String> {
        let mut entries = list.as_array().into_iter().flatten();
        let found = entries.find(|entry| entry[key] == value);
        found.ok_or_else(|| format!("the manifest has no {key} {value}"))
    }

    fn kernel(&self, entry: &str) -> Result<&Value, String> {
        Self::find(&self.0["kernels"], "entry", entry)
    }

    /// Checks that the kernel's parameters have these sizes in bytes, in this order.
    fn takes(&self, entry: &str, bytes: &[usize]) -> Result<(), String> {
        let parameters = &self.kernel(entry)?["parameters"];
        let found: Vec<_> = parameters.as_array().into_iter().flatten().collect();
        let theirs: Vec<_> = found.iter().map(|one| one["bytes"].as_u64()).collect();
        let ours: Vec<_> = bytes.iter().map(|&one| Some(one as u64)).collect();
        if theirs == ours {
            return Ok(());
        }
        Err(format!("{entry} takes {found:?}, not {bytes:?} bytes"))
    }

    /// Checks that the manifest's `GemmParams` has the size and the offsets of this file's.
    fn agrees(&self) -> Result<(), String> {
        let structure = Self::find(&self.0["structures"], "name", "GemmParams")?;
        if structure["bytes"] != size_of::<GemmParams>() {
            return Err(format!("GemmParams has {} bytes", structure["bytes"]));
        }
        for (field, offset) in [
            ("m", offset_of!(GemmParams, m)),
            ("k_slices", offset_of!(GemmParams, k_slices)),
            ("lda", offset_of!(GemmParams, lda)),
            ("ldd", offset_of!(GemmParams, ldd)),
            ("alpha", offset_of!(GemmParams, alpha)),
            ("epilogue", offset_of!(GemmParams, epilogue)),
            ("raster_group", offset_of!(GemmParams, raster_group)),
        ] {
            let found = &Self::find(&structure["fields"], "name", field)?["offset"];
            if *found != offset {
                return Err(format!("{field} is at {found}, here at {offset}"));
            }
        }
        Ok(())
    }

    /// Returns the value of a flag of `GemmParams::epilogue`.
    fn flag(&self, name: &str) -> Result<u32, String> {
        let structure = Self::find(&self.0["structures"], "name", "GemmParams")?;
        let value = Self::find(&structure["flags"], "name", name)?["value"].as_u64();
        let value = value.and_then(|value| u32::try_from(value).ok());
        value.ok_or_else(|| format!("{name} has no value"))
    }

    /// Returns the launch of a kernel on `ctas` CTAs, with its entry's threads and shared memory.
    fn launch(&self, entry: &str, ctas: u32) -> Result<LaunchConfig, String> {
        let kernel = self.kernel(entry)?;
        let number = |value: &Value| {
            let digits = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let parsed = digits.parse::<u32>();
            parsed.map_err(|_| format!("{entry}: {digits} depends on the problem"))
        };
        let block = &kernel["block"];
        Ok(LaunchConfig {
            grid_dim: (ctas, 1, 1),
            block_dim: (number(&block[0])?, number(&block[1])?, number(&block[2])?),
            shared_mem_bytes: number(&kernel["shared_bytes"])?,
        })
    }
}

/// Loads a kernel, and allows it more than 48 KiB of shared memory if it needs more.
fn function(
    module: &Arc<CudaModule>,
    entry: &str,
    launch: LaunchConfig,
) -> Result<CudaFunction, Box<dyn Error>> {
    let function = module.load_function(entry)?;
    if launch.shared_mem_bytes > 48 * 1024 {
        let bytes = launch.shared_mem_bytes.try_into()?;
        function.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    }
    Ok(function)
}

/// Returns the host's time for one of 10,000 calls in microseconds, the median of five times.
fn host_time(
    mut call: impl FnMut() -> Result<(), Box<dyn Error>>,
    wait: impl Fn() -> Result<(), Box<dyn Error>>,
) -> Result<f64, Box<dyn Error>> {
    const CALLS: u32 = 10_000;
    let mut samples = Vec::new();
    for _ in 0..5 {
        wait()?;
        let begun = Instant::now();
        for _ in 0..CALLS {
            call()?;
        }
        samples.push(begun.elapsed().as_secs_f64() * 1e6 / f64::from(CALLS));
        wait()?;
    }
    samples.sort_by(f64::total_cmp);
    Ok(samples[2])
}

/// Runs `vecadd` and a product. Returns whether every element is right.
pub fn run(folder: &Path) -> Result<bool, Box<dyn Error>> {
    let manifest = Manifest(serde_json::from_str(&std::fs::read_to_string(
        folder.join("kernels.json"),
    )?)?);
    let ptx = std::fs::read_to_string(folder.join("kernels.ptx"))?;
    let context = CudaContext::new(0)?;
    println!("{}", context.name()?);
    let stream = context.default_stream();
    let module = context.load_module(ptx.as_str().into())?;
    let mut right = vecadd(&manifest, &stream, &module)?;
    right &= gemm(&manifest, &stream, &module)?;
    launch_cost(&manifest, &stream, &module)?;
    #[cfg(feature = "beside")]
    beside(&ptx)?;
    Ok(right)
}

/// Launches `vecadd(a, b, c, n)` on ceil(n / 1024) CTAs. Returns whether every sum is right.
fn vecadd(
    manifest: &Manifest,
    stream: &Arc<CudaStream>,
    module: &Arc<CudaModule>,
) -> Result<bool, Box<dyn Error>> {
    let n: u32 = 1_000_003;
    manifest.takes("vecadd", &[8, 8, 8, 4])?;
    let launch = manifest.launch("vecadd", n.div_ceil(1024))?;
    let vecadd = function(module, "vecadd", launch)?;
    let [a, b] = [1, 2].map(|seed| numbers(n as usize, seed).collect::<Vec<_>>());
    let (on_a, on_b) = (stream.clone_htod(&a)?, stream.clone_htod(&b)?);
    let mut on_c = stream.clone_htod(&vec![f32::NAN; n as usize])?;
    let mut builder = stream.launch_builder(&vecadd);
    builder.arg(&on_a).arg(&on_b).arg(&mut on_c).arg(&n);
    // SAFETY: the parameters have the manifest's sizes; a, b and c have n elements each, at the
    // allocator's alignment of 256 bytes; the grid is the manifest's for n.
    unsafe { builder.launch(launch)? };
    let c = stream.clone_dtoh(&on_c)?;
    let sums = a
        .iter()
        .zip(&b)
        .map(|(a, b)| (f64::from(*a) + f64::from(*b)) as f32);
    let wrong = sums.zip(&c).filter(|(sum, c)| sum != *c).count();
    println!("vecadd, {n} elements: {wrong} wrong");
    Ok(wrong == 0)
}

/// Launches `gemm_f16_f32_tn_128x256x64_s4`, D (m,n) = A (m,k) B (n,k)^T. Returns whether every
/// element is within its bound.
fn gemm(
    manifest: &Manifest,
    stream: &Arc<CudaStream>,
    module: &Arc<CudaModule>,
) -> Result<bool, Box<dyn Error>> {
    let entry = "gemm_f16_f32_tn_128x256x64_s4";
    let (m, n, k) = (1000_u32, 1496_u32, 520_u32);
    manifest.agrees()?;
    manifest.takes(entry, &[8, 8, 8, 8, 8, 8, size_of::<GemmParams>()])?;
    let launch = manifest.launch(entry, m.div_ceil(128) * n.div_ceil(256))?;
    let gemm = function(module, entry, launch)?;
    let params = GemmParams {
        m,
        n,
        k,
        k_slices: 1,
        lda: k.into(),
        ldb: k.into(),
        ldd: n.into(),
        alpha: 1.0,
        epilogue: manifest.flag("VECTORS")?,
        raster_group: 8,
        ..Default::default()
    };
    let [a, b] = [(m * k, 3), (n * k, 4)].map(|(count, seed)| {
        numbers(count as usize, seed)
            .map(f16::from_f32)
            .collect::<Vec<_>>()
    });
    // cudarc supports f16 only with a feature. The bits of f16 serve as well.
    let bits = |values: &[f16]| {
        values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    let (on_a, on_b) = (stream.clone_htod(&bits(&a))?, stream.clone_htod(&bits(&b))?);
    let mut on_d = stream.clone_htod(&vec![f16::NAN.to_bits(); (m * n) as usize])?;
    let none = 0_u64;
    let mut builder = stream.launch_builder(&gemm);
    builder.arg(&mut on_d).arg(&on_a).arg(&on_b);
    builder.arg(&none).arg(&none).arg(&none).arg(&params);
    // SAFETY: parameters and `GemmParams` are the manifest's; A, B and D have m k, n k and m n
    // elements in rows of lda, ldb and ldd, multiples of 8 elements as VECTORS promises; C, the
    // bias and the workspace are not read by this epilogue and one slice of k; the grid has a CTA
    // for each tile.
    unsafe { builder.launch(launch)? };
    let d = stream.clone_dtoh(&on_d)?;
    let (mut wrong, mut errors, mut squares) = (0, 0.0, 0.0);
    let wide = |values: &[f16]| {
        values
            .iter()
            .map(|value| value.to_f64())
            .collect::<Vec<_>>()
    };
    let (a, b) = (wide(&a), wide(&b));
    for (row, d) in a.chunks(k as usize).zip(d.chunks(n as usize)) {
        for (column, d) in b.chunks(k as usize).zip(d) {
            let products = row.iter().zip(column).map(|(a, b)| a * b);
            let exact: f64 = products.clone().sum();
            let all: f64 = products.map(f64::abs).sum();
            let error = (f16::from_bits(*d).to_f64() - exact).abs();
            let allowed = exact.abs() * 2_f64.powi(-11) + all * f64::from(k) * 2_f64.powi(-24);
            // NaN is within no bound.
            let within = error <= allowed;
            wrong += u32::from(!within);
            (errors, squares) = (errors + error * error, squares + exact * exact);
        }
    }
    let relative = (errors / squares).sqrt();
    println!(
        "gemm {m}x{n}x{k}, f16: {wrong} of {} wrong, relative error {relative:.2e}",
        m * n
    );
    Ok(wrong == 0)
}

/// Prints the host's time for a launch of a kernel with one CTA.
fn launch_cost(
    manifest: &Manifest,
    stream: &Arc<CudaStream>,
    module: &Arc<CudaModule>,
) -> Result<(), Box<dyn Error>> {
    let n = 1024_u32;
    let launch = manifest.launch("vecadd", 1)?;
    let vecadd = function(module, "vecadd", launch)?;
    let [on_a, on_b] = [1, 2].map(|_| stream.alloc_zeros::<f32>(n as usize));
    let (on_a, on_b) = (on_a?, on_b?);
    let mut on_c = stream.alloc_zeros::<f32>(n as usize)?;
    let wait = || Ok(stream.synchronize()?);
    let mut by_cudarc = || {
        let mut builder = stream.launch_builder(&vecadd);
        builder.arg(&on_a).arg(&on_b).arg(&mut on_c).arg(&n);
        // SAFETY: the parameters have the manifest's sizes; a, b and c have 1,024 elements each,
        // and the launch's one CTA computes its share of them.
        unsafe { builder.launch(launch)? };
        Ok(())
    };
    let launched = host_time(&mut by_cudarc, wait)?;
    let waited = host_time(|| by_cudarc().and_then(|()| wait()), wait)?;
    println!(
        "a launch by cudarc: {launched:.2} us of the host's time, {waited:.2} us with the wait for its end"
    );
    Ok(())
}

/// Prints the same for Cutlet's own launches, in the same process: checked once and enqueued, and
/// checked each time and waited for.
#[cfg(feature = "beside")]
fn beside(ptx: &str) -> Result<(), Box<dyn Error>> {
    use host::{Contract, Device, Enqueue};
    let device = Device::gpu(0)?;
    let kernel = device.load(ptx)?.kernel("vecadd")?;
    let n = 1024_u32;
    let contract = Contract::new().grid(1).block(256).scalar(3, "n", n);
    let contract = contract
        .reads(0, "a", 1024, 16)
        .reads(1, "b", 1024, 16)
        .writes(2, "c", 1024, 16);
    let launch = contract.launch();
    let (a, b) = (
        device.upload(&vec![0_f32; 1024])?,
        device.upload(&vec![0_f32; 1024])?,
    );
    let mut c = device.upload(&vec![0_f32; 1024])?;
    // This launch waits for its end. Enqueued launches have no other wait than the next launch's.
    let prepared = kernel.prepare(&launch, (&a, &b, &mut c, n))?;
    let wait = || Ok(prepared.run(None).map(drop)?);
    let enqueued = host_time(|| Ok(prepared.enqueue()?), wait)?;
    drop(prepared);
    let nothing = || Ok(());
    let waited = host_time(
        || Ok(kernel.launch(&launch, (&a, &b, &mut c, n)).map(drop)?),
        nothing,
    )?;
    println!(
        "a launch by Cutlet: {enqueued:.2} us checked once and enqueued, {waited:.2} us checked and waited for"
    );
    Ok(())
}
