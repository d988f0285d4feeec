//! A product's data and its float64 reference, for all types, orders and epilogues.
//!
//! ```text
//!   GemmData  A (batch, m, k), B (batch, n, k), C (batch, m, n), bias (n), each without gaps
//!   Expected  act(alpha Σ A B + beta C + bias) of some rows, and the distance that a result may have from it
//! ```

use super::gemm::activate;
use super::groups::Groups;
use crate::CutletError;
use crate::gemm::{
    AccumulatorType, Activation, Epilogue, GemmProblem, InputType, Named, Order, OutputType,
    Scaling,
};
use bytemuck::Pod;
use half::f16;
use host::reference::{self, Difference, Element, GemmTolerance};
use kernel_abi::gemm::SCALED_BLOCK;

/// The matrices in logical order, as the product's definition names them.
pub(super) struct GemmData<I, O> {
    a: Vec<I>,
    b: Vec<I>,
    c: Vec<O>,
    /// One number per column. The list is empty if there is no bias.
    pub bias: Vec<f32>,
    /// The scales of A and of B. The lists are empty unless blocks have scales.
    pub scales: [Vec<f32>; 2],
    /// The groups of a grouped product.
    pub groups: Groups,
}

impl<I: Element, O: Element> GemmData<I, O> {
    /// Makes the data of a problem with these groups, from `seed`. Elements of A and B that belong
    /// to no group are NaN.
    pub fn new(problem: &GemmProblem, groups: Groups, seed: u64) -> Self {
        let &GemmProblem {
            m,
            n,
            k,
            input,
            epilogue,
            ..
        } = problem;
        let [m, n, k] = [m, n, k].map(|x| x as usize);
        let [of_a, of_b, of_c, _] = problem.matrices().map(|x| x as usize);
        let mut a: Vec<I> = reference::fill(seed, of_a * m * k);
        let mut b: Vec<I> = reference::fill(!seed, of_b * n * k);
        if input == InputType::Tf32 {
            // Rounds to values that TF32 represents, so that products are exact in the reference as
            // they are in the kernel.
            round_to_tf32(&mut a);
            round_to_tf32(&mut b);
        }
        groups.clear_rest(&mut a, &mut b, I::from_f64(f64::NAN));
        let c = if epilogue.beta == 0.0 {
            0
        } else {
            of_c * m * n
        };
        let bias = if epilogue.bias { n } else { 0 };
        Self {
            a,
            b,
            c: reference::fill(seed ^ 0xc, c),
            bias: reference::fill(seed ^ 0xb1a5, bias),
            scales: scales(problem, seed),
            groups,
        }
    }

    /// Returns empty data, for a problem whose result is not checked.
    pub fn nothing(groups: Groups) -> Self {
        Self {
            a: Vec::new(),
            b: Vec::new(),
            c: Vec::new(),
            bias: Vec::new(),
            scales: [Vec::new(), Vec::new()],
            groups,
        }
    }

    /// Makes the data of a product from these A (m, k) and B (n, k), with C and bias from `seed`.
    pub fn of_numbers(problem: &GemmProblem, a: Vec<I>, b: Vec<I>, seed: u64) -> Self {
        let [m, n] = [problem.m, problem.n].map(|x| x as usize);
        let c = if problem.epilogue.beta == 0.0 {
            0
        } else {
            m * n
        };
        let bias = if problem.epilogue.bias { n } else { 0 };
        Self {
            a,
            b,
            c: reference::fill(seed ^ 0xc, c),
            bias: reference::fill(seed ^ 0xb1a5, bias),
            scales: [Vec::new(), Vec::new()],
            groups: Groups::new(problem, &[]),
        }
    }

    /// Returns the indices of the matrices of A and of B that row `row` of D uses. Rows of all
    /// batches are counted in sequence.
    fn matrices(&self, problem: &GemmProblem, row: usize) -> [usize; 2] {
        if problem.groups == 0 {
            return [row / problem.m as usize; 2];
        }
        [0, self.groups.of_row(row)]
    }

    /// Returns rows of A, and all of `b`, without the elements beyond a group's N and K.
    fn of_group(
        &self,
        problem: &GemmProblem,
        rows: &[usize],
        b: &[I],
        [of_n, of_k]: [usize; 2],
    ) -> [Vec<I>; 2] {
        let k = problem.k as usize;
        let a = rows.iter().flat_map(|row| &self.a[row * k..][..of_k]);
        let b = b.chunks(k).take(of_n).flat_map(|column| &column[..of_k]);
        [a.copied().collect(), b.copied().collect()]
    }

    /// Returns rows of A and all of B of a batch, with each element multiplied by the scale of its
    /// block.
    fn scaled(&self, problem: &GemmProblem, rows: &[usize]) -> [Vec<f64>; 2] {
        let [m, n, k] = [problem.m, problem.n, problem.k].map(|x| x as usize);
        let block = SCALED_BLOCK as usize;
        let [of_a, of_b] = &self.scales;
        let a = rows.iter().flat_map(|&i| {
            (0..k).map(move |p| self.a[i * k + p].to_f64() * f64::from(of_a[p / block * m + i]))
        });
        let b = (0..n).flat_map(|j| {
            let of_column = &of_b[j / block * k.div_ceil(block)..];
            (0..k).map(move |p| self.b[j * k + p].to_f64() * f64::from(of_column[p / block]))
        });
        [a.collect(), b.collect()]
    }

    /// Returns A in its memory layout.
    pub fn a_in_memory(&self, problem: &GemmProblem) -> Vec<I> {
        let [order, _] = problem.majors.orders();
        place(&self.a, (problem.m, problem.k), order, problem.lda)
    }

    /// Returns B in its memory layout. Logically B is (n, k), so its row-major order is the
    /// transposed order.
    pub fn b_in_memory(&self, problem: &GemmProblem) -> Vec<I> {
        let order = match problem.majors.orders() {
            [_, Order::Rows] => Order::Columns,
            [_, Order::Columns] => Order::Rows,
        };
        place(&self.b, (problem.n, problem.k), order, problem.ldb)
    }

    /// Returns C in its memory layout.
    pub fn c_in_memory(&self, problem: &GemmProblem) -> Vec<O> {
        place(&self.c, (problem.m, problem.n), Order::Rows, problem.ldc)
    }
}

/// Returns the scales of blocks, from 0.7 to 1.4: the tolerances assume elements of similar size.
fn scales(problem: &GemmProblem, seed: u64) -> [Vec<f32>; 2] {
    let [a, b] = problem.scaling.counts(problem);
    [(a, seed ^ 0x5ca1e), (b, seed ^ 0xb5ca1e)].map(|(count, seed)| {
        let numbers: Vec<f32> = reference::fill(seed, count as usize);
        numbers.iter().map(|x| (0.5 * x).exp2()).collect()
    })
}

/// Returns matrices with these extents, one after the other, in this order and with this leading
/// dimension. The gaps are NaN in every floating-point type, so that a kernel that reads them gives
/// a wrong result.
pub(super) fn place<T: Pod>(
    logical: &[T],
    (rows, columns): (u32, u32),
    order: Order,
    leading: u64,
) -> Vec<T> {
    let [rows, columns, leading] = [rows as usize, columns as usize, leading as usize];
    if order == Order::Rows && leading == columns {
        return logical.to_vec();
    }
    let across = match order {
        Order::Rows => rows,
        Order::Columns => columns,
    };
    let count = logical.len() / (rows * columns);
    let mut poison = T::zeroed();
    bytemuck::bytes_of_mut(&mut poison).fill(0xff);
    let mut placed = vec![poison; count * across * leading];
    for (batch, matrix) in logical.chunks(rows * columns).enumerate() {
        for (at, &value) in matrix.iter().enumerate() {
            let (row, column) = (at / columns, at % columns);
            let (i, j) = match order {
                Order::Rows => (row, column),
                Order::Columns => (column, row),
            };
            placed[(batch * across + i) * leading + j] = value;
        }
    }
    placed
}

/// Rounds to 10 bits of fraction, ties away from zero, as the kernels do.
fn round_to_tf32<T: Element>(data: &mut [T]) {
    for value in data {
        let bits = (value.to_f64() as f32).to_bits();
        *value = T::from_f64(f64::from(f32::from_bits((bits + 0x1000) & !0x1fff)));
    }
}

/// The reference: some rows of D.
pub(super) struct Expected {
    values: Vec<f64>,
    /// The root mean square of the accumulator, before the epilogue.
    rms_of_accumulator: f64,
    problem: GemmProblem,
    accumulator: AccumulatorType,
    tolerance: fn(&Self, AccumulatorType, f64) -> GemmTolerance,
}

impl Expected {
    /// Computes the rows `rows`. Rows of all batches are counted in sequence.
    pub fn new<I: Element, O: Element>(
        problem: &GemmProblem,
        data: &GemmData<I, O>,
        rows: &[usize],
        accumulator: AccumulatorType,
    ) -> Result<Self, CutletError> {
        let &GemmProblem {
            m,
            n,
            k,
            input,
            output,
            ..
        } = problem;
        verdict_is_possible(problem, accumulator)?;
        let [m, n, k] = [m, n, k].map(|x| x as usize);
        let mut values = Vec::with_capacity(rows.len() * n);
        let of = |row: &usize| data.matrices(problem, *row);
        for batch in rows.chunk_by(|a, b| of(a) == of(b)) {
            let [of_a, of_b] = batch.first().map_or([0; 2], of);
            let a = &data.a[of_a * m * k..][..m * k];
            let b = &data.b[of_b * n * k..][..n * k];
            let within: Vec<usize> = batch.iter().map(|row| row % m).collect();
            values.extend(match problem.scaling {
                _ if problem.own_extents => {
                    let of = data.groups.extents_of(within[0]);
                    let [a, b] = data.of_group(problem, &within, b, of);
                    reference::gemm(&a, &b, within.len(), of[0], of[1])?
                }
                Scaling::Tensor => reference::gemm_rows(a, b, (m, n, k), &within)?,
                // These scales exist for a single batch only.
                Scaling::Blocks => {
                    let [a, b] = data.scaled(problem, &within);
                    reference::gemm(&a, &b, within.len(), n, k)?
                }
            });
        }
        let mean_square = values.iter().map(|x| x * x).sum::<f64>() / values.len().max(1) as f64;
        let Epilogue {
            alpha,
            beta,
            bias,
            activation,
        } = problem.epilogue;
        let places = rows.iter().flat_map(|&row| {
            let [columns, _] = data.groups.extents_of(row);
            (0..columns).map(move |column| (row, column))
        });
        for (value, (row, column)) in values.iter_mut().zip(places) {
            let c = (beta != 0.0).then(|| data.c[row * n + column].to_f64());
            let bias = bias.then(|| data.bias[column]);
            let x = if input == InputType::S8 && output != OutputType::S32 {
                // The sum is exact, and the f32 arithmetic after it has one right result. It is
                // done as in the kernels, because a rounding to f32 halfway between two bytes
                // decides which of the two follows.
                let mut x = *value as i64 as i32 as f32 * alpha;
                x += c.map_or(0.0, |c| beta * c as f32);
                f64::from(x + bias.unwrap_or(0.0))
            } else {
                // The kernels multiply in f32: a product that overflows there is an infinity before
                // C and the bias are added.
                let mut product = f64::from(alpha) * *value;
                if product.abs() > f64::from(f32::MAX) {
                    product = f64::from(product as f32);
                }
                let with_c = product + c.map_or(0.0, |c| f64::from(beta) * c);
                with_c + bias.map_or(0.0, f64::from)
            };
            *value = activate(activation, x);
            if input == InputType::S8 && output == OutputType::Same {
                // PTX's `cvt.rni.sat.s8.f32` gives 0 for a NaN.
                *value = if value.is_nan() {
                    0.0
                } else {
                    value.round_ties_even().clamp(-128.0, 127.0)
                };
            }
            if input.is_fp8() && output == OutputType::Same {
                // Saturates to the largest finite number.
                let largest = O::from_f64(f64::MAX).to_f64();
                *value = value.clamp(-largest, largest);
            }
        }
        Ok(Self {
            values,
            rms_of_accumulator: mean_square.sqrt(),
            problem: *problem,
            accumulator,
            tolerance: Self::tolerance_of::<O>,
        })
    }

    /// Returns the accumulator type of the reference.
    pub fn accumulator(&self) -> AccumulatorType {
        self.accumulator
    }

    /// Returns the distance of a result, and the allowed distance.
    pub fn compare<O: Element>(
        &self,
        found: &[O],
    ) -> Result<(Difference, GemmTolerance), CutletError> {
        let difference = reference::difference(found, &self.values)?;
        Ok((difference, self.tolerance(self.accumulator, difference.rms)))
    }

    /// Returns the allowed distance of a result with this accumulator type, if the reference's root
    /// mean square is `rms`.
    pub fn tolerance(&self, accumulator: AccumulatorType, rms: f64) -> GemmTolerance {
        (self.tolerance)(self, accumulator, rms)
    }

    /// Computes the accumulator's own tolerance, scaled as the epilogue scales the accumulator,
    /// plus one rounding of the result to D's type.
    fn tolerance_of<O: Element>(&self, accumulator: AccumulatorType, rms: f64) -> GemmTolerance {
        let GemmProblem {
            k,
            input,
            output,
            epilogue,
            ..
        } = self.problem;
        let k = k as usize;
        let integers = input == InputType::S8;
        // Every result is exact, except with GELU's approximations.
        if integers && epilogue.activation != Activation::Gelu {
            return GemmTolerance::exact::<O>(rms);
        }
        let bound = match self.problem.scaling {
            Scaling::Tensor => of_accumulator(accumulator, input, k, self.rms_of_accumulator),
            // The tensor core adds the products of one block; the errors of two blocks are
            // independent.
            Scaling::Blocks => {
                let block = k.min(SCALED_BLOCK as usize);
                let rms = (block as f64).sqrt() / 3.0;
                let of_block = of_accumulator(accumulator, input, block, rms);
                of_block.scaled(self.rms_of_accumulator / rms)
            }
        };
        // The slope of every activation is at most 1.13. The kernels' GELU uses the device's
        // `tanh`, whose relative error is 2⁻¹⁰. With a factor that is not finite there is no
        // distance: every element must be the expected NaN or infinity.
        let finite = |factor: f32| {
            if factor.is_finite() {
                f64::from(factor).abs()
            } else {
                0.0
            }
        };
        let steep = 1.13 * finite(epilogue.alpha);
        let rough = match epilogue.activation {
            Activation::Gelu => 2_f64.powi(-10),
            Activation::None | Activation::Relu => f64::from(f32::EPSILON) * 4.0,
        };
        let scale = steep * self.rms_of_accumulator + finite(epilogue.beta) + 1.0;
        // A byte is off by one if GELU's approximation decides between two bytes: at most one byte
        // in 400.
        let (unit, quantum) = if output == OutputType::Same && integers {
            (0.0, 1.0)
        } else {
            (O::UNIT_ROUNDOFF, 0.0)
        };
        let error = steep * bound.relative * self.rms_of_accumulator;
        GemmTolerance {
            relative: unit + (error + rough * scale + 0.05 * quantum + O::UNDERFLOW) / rms,
            absolute: steep * bound.absolute
                + 8.0 * (rough + unit) * scale
                + quantum
                + O::UNDERFLOW,
        }
    }
}

/// Returns the tolerance of an accumulator of `k` products, if the reference's root mean square is
/// `rms`.
fn of_accumulator(
    accumulator: AccumulatorType,
    input: InputType,
    k: usize,
    rms: f64,
) -> GemmTolerance {
    match accumulator {
        AccumulatorType::F16 => GemmTolerance::f16_accumulator::<f16>(k, rms),
        AccumulatorType::F32 if input.is_fp8() => GemmTolerance::fp8_accumulator::<f32>(k, rms),
        // A tensor core adds at least this many products to the accumulator at a time.
        AccumulatorType::F32 => {
            let at_a_time = if input == InputType::Tf32 { 4 } else { 8 };
            GemmTolerance::f32_accumulator::<f32>(k, at_a_time, rms)
        }
        // The sum is exact, and is rounded to f32 once or twice.
        AccumulatorType::S32 => GemmTolerance {
            relative: f64::from(f32::EPSILON),
            absolute: 64.0 * f64::from(f32::EPSILON) * rms,
        },
    }
}

/// Refuses a product whose accumulators lose so much precision, for elements of typical size, that
/// no verdict is possible.
///
/// # Errors
/// Returns [`CutletError::NoVerdict`] for such a product.
pub fn verdict_is_possible(
    problem: &GemmProblem,
    accumulator: AccumulatorType,
) -> Result<(), CutletError> {
    let allowed_at = |k: u32| {
        of_accumulator(
            accumulator,
            problem.input,
            k as usize,
            f64::from(k).sqrt() / 3.0,
        )
    };
    let tolerance = allowed_at(problem.k);
    if problem.k == 0 || tolerance.judges() {
        return Ok(());
    }
    // The loss grows with k.
    let (mut most, mut too_many) = (1, problem.k);
    while most + 1 < too_many {
        let middle = most + (too_many - most) / 2;
        if allowed_at(middle).judges() {
            most = middle;
        } else {
            too_many = middle;
        }
    }
    Err(CutletError::NoVerdict {
        accumulator: accumulator.name(),
        k: problem.k,
        allowed: tolerance.relative,
        most_k: most,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that the reference knows every byte. For one sum in a hundred, 0.01 times the sum is
    /// halfway between two bytes, but only after a rounding to f32: 0.01 as an f32 is a bit less
    /// than a hundredth.
    #[test]
    fn every_byte_is_known() {
        let problem =
            GemmProblem::new(48, 64, 16, InputType::S8, OutputType::Same).with_epilogue(Epilogue {
                alpha: 0.01,
                ..Epilogue::NONE
            });
        let groups = Groups::new(&problem, &[]);
        let data = GemmData::<i8, i8>::new(&problem, groups, 0);
        let rows: Vec<usize> = (0..48).collect();
        let expected = Expected::new(&problem, &data, &rows, AccumulatorType::S32).unwrap();
        let accumulator = (0..48 * 64).map(|at| {
            let (a, b) = (&data.a[at / 64 * 16..][..16], &data.b[at % 64 * 16..][..16]);
            a.iter()
                .zip(b)
                .map(|(&a, &b)| i32::from(a) * i32::from(b))
                .sum::<i32>()
        });
        let (mut found, mut ties) = (Vec::new(), 0);
        for sum in accumulator {
            let byte = (sum as f32 * 0.01).round_ties_even().clamp(-128.0, 127.0);
            let in_float64 = (f64::from(sum) * f64::from(0.01f32)).round_ties_even();
            ties += usize::from(in_float64.clamp(-128.0, 127.0) != f64::from(byte));
            found.push(byte as i8);
        }
        assert!(ties > 0, "no tie was met: the test shows nothing");
        let (difference, tolerance) = expected.compare(&found).unwrap();
        assert!(tolerance.admits(&difference), "{difference:?}");
        found[7] ^= 1;
        let (difference, tolerance) = expected.compare(&found).unwrap();
        assert!(!tolerance.admits(&difference), "{tolerance:?}");
    }

    #[test]
    fn accumulators_that_lose_too_much_have_no_verdict() {
        let at = |k, input, accumulator| {
            let problem = GemmProblem::new(16, 16, k, input, OutputType::Same);
            verdict_is_possible(&problem, accumulator)
        };
        let refused = at(3_000_000, InputType::F16, AccumulatorType::F16).unwrap_err();
        let CutletError::NoVerdict { most_k, .. } = refused else {
            panic!("{refused}")
        };
        assert_eq!(
            refused.to_string(),
            format!(
                "no verdict: with f16 accumulators at k = 3000000 a right result may be 60 % from the reference, and beyond \
                 10 % a wrong one is not told from it; f16 accumulators are judged up to k = {most_k}, f32 accumulators \
                 (`--accumulator f32`) far beyond"
            )
        );
        assert!(at(most_k, InputType::F16, AccumulatorType::F16).is_ok());
        assert!(at(most_k + 1, InputType::F16, AccumulatorType::F16).is_err());
        for (input, accumulator) in [
            (InputType::F16, AccumulatorType::F32),
            (InputType::Bf16, AccumulatorType::F32),
            (InputType::Tf32, AccumulatorType::F32),
            (InputType::S8, AccumulatorType::S32),
        ] {
            assert!(at(3_000_000, input, accumulator).is_ok());
        }
    }
}
