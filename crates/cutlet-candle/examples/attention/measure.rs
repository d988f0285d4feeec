//! Random problems of attention, their comparison with float32, and timed calls.
//!
//! ```text
//!   Case::random ─► operands ─► check: flash_attn against candle's operations in f32
//!                            ─► seconds: a b a b ..    each: calls in a row, between two waits for the device
//! ```

use candle::{D, DType, Device, Result, Tensor, Var};
use cutlet_candle::{flash_attn, flash_attn_alibi_windowed_softcap, flash_attn_varlen};
use std::time::Instant;

/// A call whose time is measured.
pub type Contestant<'a> = &'a dyn Fn() -> Result<Tensor>;

/// A problem of attention.
#[derive(Clone, Copy)]
pub struct Case {
    pub batch: usize,
    pub heads: usize,
    pub key_heads: usize,
    pub rows: usize,
    pub dim: usize,
    pub causal: bool,
    pub dtype: DType,
}

/// A generator of random numbers, the same on every run.
struct Random(u64);

impl Random {
    /// Returns a random number below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

impl Case {
    /// Returns `count` random problems: batches of 1 to 8, 4 to 32 heads, grouped or not, 256 to
    /// 8192 rows (their logarithm is uniform; half of them are multiples of 128), head sizes of 64
    /// and 128, causal or not, f16 or bf16.
    pub fn random(count: usize, seed: u64) -> Vec<Self> {
        let mut random = Random(seed);
        let mut case = || {
            let key_heads = 1 + random.below(32);
            let heads = key_heads * random.one_of(&[1, 1, 2, 4, 8]);
            let rows = 2.0_f64.powf(8.0 + 5.0 * random.below(1001) as f64 / 1000.0);
            let rows = match random.one_of(&[true, false]) {
                true => (rows / 128.0).round() as usize * 128,
                false => rows as usize,
            };
            Self {
                batch: 1 + random.below(8),
                heads,
                key_heads,
                rows,
                dim: random.one_of(&[64, 128]),
                causal: random.one_of(&[true, false]),
                dtype: random.one_of(&[DType::F16, DType::BF16]),
            }
        };
        let all = std::iter::repeat_with(&mut case);
        all.filter(|of| (4..=32).contains(&of.heads))
            .take(count)
            .collect()
    }

    /// Returns the factor of the scores.
    pub fn scale(&self) -> f32 {
        (self.dim as f32).sqrt().recip()
    }

    /// Returns q, k and v with normally distributed elements.
    pub fn operands(&self, device: &Device) -> Result<[Tensor; 3]> {
        let of = |heads| {
            let dims = (self.batch, self.rows, heads, self.dim);
            Tensor::randn(0.0_f32, 1.0, dims, device)?.to_dtype(self.dtype)
        };
        Ok([of(self.heads)?, of(self.key_heads)?, of(self.key_heads)?])
    }

    /// Returns the largest |o - r| / (1 + |r|) between `flash_attn` and candle's operations in f32,
    /// for the heads of up to six key heads.
    ///
    /// # Errors
    /// Returns an error if this is more than two roundings of the elements' type.
    pub fn check(&self, operands: &[Tensor; 3]) -> Result<f32> {
        self.check_of(operands, "cutlet-candle", |[q, k, v]| {
            flash_attn(q, k, v, self.scale(), self.causal)
        })
    }

    /// Checks as [`check`](Self::check) does, for the function that `name` names.
    pub fn check_of(
        &self,
        operands: &[Tensor; 3],
        name: &str,
        attention: impl Fn([&Tensor; 3]) -> Result<Tensor>,
    ) -> Result<f32> {
        let [q, k, v] = operands;
        let o = attention([q, k, v])?;
        let group = self.heads / self.key_heads;
        let pairs = self.batch * self.key_heads;
        let mut largest = 0.0_f32;
        for pair in (0..6).map(|i| i * (pairs - 1) / 5) {
            let (batch, head) = (pair / self.key_heads, pair % self.key_heads);
            let of = |of: &Tensor, group| {
                let of = of.narrow(0, batch, 1)?.narrow(2, head * group, group)?;
                of.to_dtype(DType::F32)
            };
            let parts = [of(q, group)?, of(k, 1)?, of(v, 1)?];
            let expected = eager(parts.each_ref(), self.scale(), self.causal, DType::F32)?;
            let apart = (of(&o, group)? - &expected)?.abs()?;
            let apart = (apart / (expected.abs()? + 1.0)?)?.flatten_all()?;
            // `max` ignores a NaN, but `sum_all` does not.
            largest = match apart.sum_all()?.to_scalar::<f32>()? {
                sum if sum.is_nan() => sum,
                _ => largest.max(apart.max(0)?.to_scalar::<f32>()?),
            };
            if largest.is_nan() {
                break;
            }
        }
        let most = if self.dtype == DType::F16 {
            1.0 / 1024.0
        } else {
            1.0 / 128.0
        };
        if largest.is_nan() || largest > most {
            candle::bail!("{name}, {}: {largest} apart, at most {most}", self.name())
        }
        Ok(largest)
    }

    /// Returns the problem in words.
    pub fn name(&self) -> String {
        let Self {
            batch,
            heads,
            key_heads,
            rows,
            dim,
            ..
        } = self;
        let (mask, dtype) = (
            if self.causal { "causal" } else { "full" },
            self.dtype.as_str(),
        );
        format!(
            "batch {batch}, heads {heads:2}/{key_heads:<2}, rows {rows:4}, d {dim:3}, {mask:6}, {dtype:4}"
        )
    }

    /// Returns the number of floating-point operations. With a causal mask, only visible keys
    /// count.
    pub fn operations(&self) -> f64 {
        let pairs = self.rows as f64 * self.rows as f64 / if self.causal { 2.0 } else { 1.0 };
        4.0 * pairs * (self.batch * self.heads * self.dim) as f64
    }

    /// Formats a line with two times in seconds: ours and another implementation's.
    pub fn line(&self, error: f32, ours: f64, other: Option<(&str, f64)>) -> String {
        let rate = self.operations() / ours * 1e-12;
        let name = self.name();
        let line = format!(
            "{name}   error {error:.5}   {:9.1} us {rate:6.1} TFLOPS",
            ours * 1e6
        );
        match other {
            Some((name, other)) => {
                format!(
                    "{line}   {name} {:9.1} us   ratio {:.2}",
                    other * 1e6,
                    other / ours
                )
            }
            None => line,
        }
    }
}

/// Computes attention by candle's operations, with elements of type `dtype`.
pub fn eager(tensors: [&Tensor; 3], scale: f32, causal: bool, dtype: DType) -> Result<Tensor> {
    eager_with(tensors, scale, causal, None, dtype)
}

/// Computes attention as [`eager`] does, with a soft cap.
fn eager_with(
    tensors: [&Tensor; 3],
    scale: f32,
    causal: bool,
    softcap: Option<f32>,
    dtype: DType,
) -> Result<Tensor> {
    let [q, k, v] = tensors.map(|of| of.to_dtype(dtype)?.transpose(1, 2)?.contiguous());
    let (q, k, v) = (q?, k?, v?);
    let group = q.dim(1)? / k.dim(1)?;
    let repeat = |of: Tensor| -> Result<Tensor> {
        let (b, h, n, d) = of.dims4()?;
        match group {
            1 => Ok(of),
            _ => {
                let all = of.unsqueeze(2)?.expand((b, h, group, n, d))?;
                all.reshape((b, h * group, n, d))
            }
        }
    };
    let (k, v) = (repeat(k)?, repeat(v)?);
    let mut scores = (q.matmul(&k.t()?.contiguous()?)? * f64::from(scale))?;
    if let Some(cap) = softcap.map(f64::from) {
        scores = ((scores / cap)?.tanh()? * cap)?;
    }
    if causal {
        let (rows, device) = (q.dim(2)? as u32, q.device());
        let places = Tensor::arange(0, rows, device)?;
        let seen = places.unsqueeze(1)?.broadcast_ge(&places.unsqueeze(0)?)?;
        let number = |of: f32| Tensor::full(of, seen.shape(), device)?.to_dtype(dtype);
        let mask = seen.where_cond(&number(0.0)?, &number(f32::NEG_INFINITY)?)?;
        scores = scores.broadcast_add(&mask)?;
    }
    let weights = candle_nn::ops::softmax(&scores, D::Minus1)?;
    weights.matmul(&v)?.transpose(1, 2)?.contiguous()
}

/// Returns the median seconds of each contestant's call. The contestants take turns, and at each
/// turn one is called as often as about 20 milliseconds allow.
pub fn seconds(contestants: &[Contestant<'_>], device: &Device) -> Result<Vec<f64>> {
    let time = |of: Contestant<'_>, calls: u32| -> Result<f64> {
        device.synchronize()?;
        let start = Instant::now();
        for _ in 0..calls {
            of()?;
        }
        device.synchronize()?;
        Ok(start.elapsed().as_secs_f64() / f64::from(calls))
    };
    let mut calls = Vec::new();
    for of in contestants {
        // The first calls compile kernels and grow candle's pool of memory.
        time(*of, 3)?;
        calls.push((0.02 / time(*of, 3)?).clamp(1.0, 500.0) as u32);
    }
    let mut found = vec![Vec::new(); contestants.len()];
    for _ in 0..9 {
        for ((of, calls), found) in contestants.iter().zip(&calls).zip(&mut found) {
            found.push(time(*of, *calls)?);
        }
    }
    Ok(found.iter_mut().map(|all| median(all)).collect())
}

fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    let half = all.len() / 2;
    if all.len() % 2 == 1 {
        all[half]
    } else {
        (all[half - 1] + all[half]) / 2.0
    }
}

/// Prints the median, the smallest and the largest of the ratios.
pub fn print_median(ratios: &mut [f64], other: &str) {
    if ratios.is_empty() {
        return;
    }
    let median = median(ratios);
    let (least, most) = (ratios[0], ratios[ratios.len() - 1]);
    let count = ratios.len();
    println!(
        "{other} / cutlet-candle, {count} shapes: median {median:.2} ({least:.2} to {most:.2})"
    );
}

/// Compares gradients of q, k and v with those of candle's operations in f32, for sequences of one
/// length, for packed sequences, and with a soft cap.
///
/// # Errors
/// Returns an error if the norm of a difference is more than three roundings of the elements' type.
pub fn check_gradients(device: &Device) -> Result<()> {
    for (rows, [heads, key_heads], dim, causal, dtype) in [
        (256, [8, 8], 64, true, DType::BF16),
        (777, [8, 2], 128, true, DType::BF16),
        (1000, [4, 4], 128, false, DType::F16),
        (2048, [16, 4], 64, true, DType::F16),
        (4096, [8, 8], 128, true, DType::BF16),
    ] {
        let batch = 2;
        let case = Case {
            batch,
            heads,
            key_heads,
            rows,
            dim,
            causal,
            dtype,
        };
        let [q, k, v] = case.operands(device)?;
        let grad = Tensor::randn(0.0_f32, 1.0, q.dims(), device)?.to_dtype(dtype)?;
        let vars = [
            Var::from_tensor(&q)?,
            Var::from_tensor(&k)?,
            Var::from_tensor(&v)?,
        ];
        let [q, k, v] = vars.each_ref().map(|of| of.as_tensor());
        let loss = |o: Tensor| (o.to_dtype(DType::F32)? * grad.to_dtype(DType::F32)?)?.sum_all();
        let starts: Vec<u32> = (0..=batch as u32).map(|at| at * rows as u32).collect();
        let starts = Tensor::new(starts, device)?;
        let packed = || {
            let [q, k, v] = [q, k, v].map(|of| of.flatten(0, 1));
            let (q, k, v) = (q?, k?, v?);
            let of = &starts;
            let o = flash_attn_varlen(&q, &k, &v, of, of, rows, rows, case.scale(), causal)?;
            o.reshape((batch, rows, heads, dim))
        };
        let right = causal.then_some(0);
        let capped =
            || flash_attn_alibi_windowed_softcap(q, k, v, None, case.scale(), None, right, 2.0);
        let plain = || flash_attn(q, k, v, case.scale(), causal);
        let all: [(&str, Contestant<'_>, Option<f32>); 3] = [
            ("plain", &plain, None),
            ("packed", &packed, None),
            ("soft cap", &capped, Some(2.0)),
        ];
        for (name, attention, softcap) in all {
            let found = loss(attention()?)?.backward()?;
            let by = eager_with([q, k, v], case.scale(), causal, softcap, DType::F32)?;
            let expected = loss(by)?.backward()?;
            let mut apart = [0.0_f32; 3];
            for (apart, of) in apart.iter_mut().zip([q, k, v]) {
                let (Some(found), Some(expected)) = (found.get(of), expected.get(of)) else {
                    candle::bail!("a gradient is missing")
                };
                let norm = |of: &Tensor| {
                    of.to_dtype(DType::F32)?
                        .sqr()?
                        .sum_all()?
                        .to_scalar::<f32>()
                };
                let difference = (found.to_dtype(DType::F32)? - expected.to_dtype(DType::F32)?)?;
                *apart = (norm(&difference)? / norm(expected)?).sqrt();
            }
            let most = if dtype == DType::F16 {
                3.0 / 2048.0
            } else {
                3.0 / 256.0
            };
            let [dq, dk, dv] = apart;
            println!(
                "{}   gradients, {name:8}   dq {dq:.5} dk {dk:.5} dv {dv:.5}",
                case.name()
            );
            if !apart.iter().all(|of| *of <= most) {
                candle::bail!(
                    "gradients, {name}, {}: {apart:?} apart, at most {most}",
                    case.name()
                )
            }
        }
    }
    Ok(())
}
