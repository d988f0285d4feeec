//! Runs a matrix product and attention of `cutlet-ops` on a stream and on memory of cudarc's.
//!
//! ```text
//!   problem ─► cutlet_ops::gemm, attention ─► LaunchSequence ─ addresses of cudarc's slices ─► enqueue on cudarc's stream
//!                                                            └ bytes, without a GPU ─────────► emulate
//! ```
//!
//! The kernels are those of the file that `CUTLET_KERNELS_PACK` named when `cutlet-kernels` was
//! compiled.
//!
//! Law: each element of a result differs from float64's by at most half a step of f16 and the
//! error of the kernel's sums. An element that no kernel wrote is NaN, and wrong.

use crate::numbers;
use cudarc::driver::{CudaContext, CudaStream, DevicePtrMut};
use cutlet_ops::kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
use cutlet_ops::kernel_abi::gemm::{GemmProblem, InputType, OutputType};
use cutlet_ops::{
    AttentionScores, BufferRole, CudaDevice, EMULATED_GPU, GpuTraits, LaunchSequence, attention,
    gemm,
};
use half::f16;
use std::error::Error;
use std::sync::Arc;

/// The place where a sequence runs.
enum Place {
    /// A GPU: `cutlet-ops` and cudarc both use its primary context.
    Gpu(&'static CudaDevice, Arc<CudaStream>),
    /// The CPU.
    Emulator,
}

impl Place {
    /// Returns the first GPU with a new stream, or the emulator if there is no GPU.
    fn open() -> Result<Self, Box<dyn Error>> {
        // cudarc panics without a driver. `cutlet-ops` returns an error.
        match CudaDevice::get(0) {
            Ok(device) => {
                println!("{}", device.traits().name);
                Ok(Self::Gpu(device, CudaContext::new(0)?.new_stream()?))
            }
            Err(error) => {
                println!("no GPU ({error}): the emulator executes the kernels");
                Ok(Self::Emulator)
            }
        }
    }

    fn traits(&self) -> GpuTraits<'_> {
        match self {
            Self::Gpu(device, _) => device.traits(),
            Self::Emulator => EMULATED_GPU,
        }
    }

    /// Runs a sequence with these inputs, in the order of the sequence's inputs that have bytes.
    /// Returns the elements of the first buffer, which is the result.
    fn run(&self, of: &LaunchSequence, inputs: &[&[f16]]) -> Result<Vec<f16>, Box<dyn Error>> {
        let mut inputs = inputs.iter();
        let mut buffers = Vec::new();
        for buffer in of.buffers() {
            let size = buffer.bytes as usize;
            buffers.push(match buffer.role {
                BufferRole::Input if size > 0 => {
                    let input = inputs.next().ok_or("an input is missing")?;
                    input.iter().copied().flat_map(f16::to_le_bytes).collect()
                }
                // Bytes of 0xff are NaN.
                _ => vec![0xff; size],
            });
        }
        match self {
            Self::Gpu(device, stream) => enqueue(device, stream, of, &mut buffers)?,
            Self::Emulator => of.emulate(EMULATED_GPU.compute_capability, &mut buffers)?,
        }
        let elements = buffers[0].chunks_exact(2);
        Ok(elements
            .map(|bytes| f16::from_le_bytes([bytes[0], bytes[1]]))
            .collect())
    }
}

/// Copies the buffers to the GPU, enqueues a sequence, and copies the first buffer back.
fn enqueue(
    device: &CudaDevice,
    stream: &Arc<CudaStream>,
    of: &LaunchSequence,
    buffers: &mut [Vec<u8>],
) -> Result<(), Box<dyn Error>> {
    let mut slices = Vec::new();
    for (buffer, bytes) in of.buffers().iter().zip(&*buffers) {
        if (bytes.len() as u64) < buffer.bytes {
            return Err(format!("{} has {} bytes", buffer.name, bytes.len()).into());
        }
        // No kernel accesses a buffer without bytes.
        let slice = match bytes[..] {
            [] => None,
            _ => Some(stream.clone_htod(bytes)?),
        };
        slices.push(slice);
    }
    let (mut addresses, mut guards) = (Vec::new(), Vec::new());
    for slice in &mut slices {
        let (address, guard) = match slice {
            None => (0, None),
            Some(slice) => {
                let (address, guard) = slice.device_ptr_mut(stream);
                (address, Some(guard))
            }
        };
        addresses.push(address);
        guards.push(guard);
    }
    // SAFETY: each slice has at least the bytes that the sequence states, as compared above, and is
    // a separate allocation; the slices live until the stream is synchronised below; the stream
    // belongs to the primary context of GPU 0, which is the context of `device`.
    unsafe { of.enqueue(device, stream.cu_stream().cast(), &addresses)? };
    drop(guards);
    if let Some(Some(result)) = slices.first() {
        buffers[0] = stream.clone_dtoh(result)?;
    }
    stream.synchronize()?;
    Ok(())
}

/// Returns random elements.
fn elements(count: u32, seed: u64) -> Vec<f16> {
    numbers(count as usize, seed).map(f16::from_f32).collect()
}

/// Compares results with float64's values and bounds, and prints a line. Returns whether every
/// element is within its bound.
fn compare(name: &str, of: &LaunchSequence, found: &[f16], expected: &[(f64, f64)]) -> bool {
    let (mut wrong, mut errors, mut squares) = (0, 0.0, 0.0);
    for (found, (exact, allowed)) in found.iter().zip(expected) {
        let error = (found.to_f64() - exact).abs();
        // NaN is within no bound.
        let within = error <= exact.abs() * 2_f64.powi(-11) + allowed;
        wrong += u32::from(!within);
        (errors, squares) = (errors + error * error, squares + exact * exact);
    }
    let kernels: Vec<&str> = of.kernels().collect();
    println!(
        "{name} by {}: {wrong} of {} wrong, relative error {:.2e}",
        kernels.join(", "),
        expected.len(),
        (errors / squares).sqrt()
    );
    wrong == 0 && found.len() == expected.len()
}

/// Computes D (m,n) = A (m,k) B (n,k)^T.
fn product(place: &Place, [m, n, k]: [u32; 3]) -> Result<bool, Box<dyn Error>> {
    let problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
    let of = gemm(&place.traits(), &problem)?;
    let (a, b) = (elements(m * k, 3), elements(n * k, 4));
    let found = place.run(&of, &[&a, &b])?;
    let wide = |of: &[f16]| of.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let (a, b) = (wide(&a), wide(&b));
    let mut expected = Vec::new();
    for row in a.chunks(k as usize) {
        for column in b.chunks(k as usize) {
            let products = row.iter().zip(column).map(|(a, b)| a * b);
            let all: f64 = products.clone().map(f64::abs).sum();
            // float32's error in adding k products.
            expected.push((products.sum(), all * f64::from(k) * 2_f64.powi(-24)));
        }
    }
    let name = format!("gemm {m}x{n}x{k}, f16");
    Ok(compare(&name, &of, &found, &expected))
}

/// Computes causal attention of `heads` heads with `rows` queries and keys and 64 columns.
fn causal_attention(place: &Place, heads: u32, rows: u32) -> Result<bool, Box<dyn Error>> {
    const COLUMNS: u32 = 64;
    let (shape, scale) = ((1, heads, rows, COLUMNS), 0.125);
    let problem = AttentionProblem::new(AttentionType::F16, shape, AttentionMask::Causal, scale);
    let of = attention(&place.traits(), &problem, AttentionScores::default(), None)?;
    let [q, k, v] = [5, 6, 7].map(|seed| elements(heads * rows * COLUMNS, seed));
    let found = place.run(&of, &[&q, &k, &v])?;
    let mut expected = Vec::new();
    let wide = |of: &[f16]| of.iter().map(|x| x.to_f64()).collect::<Vec<_>>();
    let (q, k, v) = (wide(&q), wide(&k), wide(&v));
    let columns = COLUMNS as usize;
    let head = rows as usize * columns;
    for ((q, k), v) in q.chunks(head).zip(k.chunks(head)).zip(v.chunks(head)) {
        for (row, q) in q.chunks(columns).enumerate() {
            // A query sees the keys up to its own place.
            let keys = k.chunks(columns).take(row + 1);
            let weights: Vec<f64> = keys
                .map(|k| q.iter().zip(k).map(|(q, k)| q * k).sum::<f64>() * f64::from(scale))
                .map(f64::exp)
                .collect();
            let sum: f64 = weights.iter().sum();
            for column in 0..columns {
                let parts = weights.iter().zip(v.chunks(columns));
                let parts = parts.map(|(weight, v)| weight / sum * v[column]);
                let all: f64 = parts.clone().map(f64::abs).sum();
                // Probabilities are rounded to f16; float32's error is far below that.
                expected.push((parts.sum(), all * 2_f64.powi(-10) + 2_f64.powi(-20)));
            }
        }
    }
    let name = format!("causal attention, {heads} heads of {rows}x{COLUMNS}, f16");
    Ok(compare(&name, &of, &found, &expected))
}

/// Runs a product and attention. Returns whether every element is within its bound.
pub fn run() -> Result<bool, Box<dyn Error>> {
    let place = Place::open()?;
    // The emulator takes milliseconds for a CTA.
    let (extents, heads, rows) = match place {
        Place::Gpu(..) => ([1000, 1496, 520], 8, 1000),
        Place::Emulator => ([100, 136, 72], 2, 100),
    };
    let product = product(&place, extents)?;
    Ok(causal_attention(&place, heads, rows)? && product)
}
