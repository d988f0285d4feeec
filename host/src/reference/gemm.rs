//! The reference GEMM: C = A·Bᵀ in float64, by the definition.
//!
//! ```text
//!   C[i, j] = Σ_k A[i, k] · B[j, k]        A (M, K), B (N, K), C (M, N), all row-major
//! ```
//!
//! Products of two f16, bf16 or f32 values are exact in float64 (at most 2 · 24 of 53 bits), so
//! only the sum rounds. Its error is below `K · 2⁻⁵³` times Σ|a||b|, which is negligible compared
//! with the error of a kernel that adds in float32.
//!
//! [`gemm`] computes every element: 2·M·N·K operations, some seconds at 8192³ on 16 cores.
//! [`gemm_rows`] computes only the given rows, for products that would take too long as a whole.
//! The caller then has to report that only some rows were compared.
//!
//! The loops are blocked for the caches as in Goto, van de Geijn, "Anatomy of High-Performance
//! Matrix Multiplication" (2008): a block of Bᵀ is converted and packed once, and strips of A's
//! rows are multiplied by the block in parallel.

use super::element::Element;
use rayon::prelude::*;
use thiserror::Error;

/// A slice does not have the elements of its shape, or a row does not exist.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// The slice is longer or shorter than the shape.
    #[error("{name} has {given} elements; its shape ({rows}, {columns}) needs {}", (*rows as u128) * (*columns as u128))]
    Length {
        /// The name of the matrix.
        name: &'static str,
        /// The number of elements of the slice.
        given: usize,
        /// The number of rows of the shape.
        rows: usize,
        /// The number of columns of the shape.
        columns: usize,
    },
    /// The result is larger than any memory.
    #[error("a result of shape ({rows}, {columns}) is more than any memory holds")]
    TooLarge {
        /// The number of rows of the result.
        rows: usize,
        /// The number of columns of the result.
        columns: usize,
    },
    /// A requested row does not exist.
    #[error("row {row} was requested of a matrix of {rows} rows")]
    Row {
        /// The number of the row.
        row: usize,
        /// The number of rows.
        rows: usize,
    },
}

pub(super) fn check_shape(
    name: &'static str,
    given: usize,
    rows: usize,
    columns: usize,
) -> Result<(), ShapeError> {
    if rows.checked_mul(columns) == Some(given) {
        Ok(())
    } else {
        Err(ShapeError::Length {
            name,
            given,
            rows,
            columns,
        })
    }
}

/// Checks that `rows * columns` float64 numbers do not exceed any address space.
fn check_result(rows: usize, columns: usize) -> Result<(), ShapeError> {
    let bytes = rows
        .checked_mul(columns)
        .and_then(|elements| elements.checked_mul(size_of::<f64>()));
    match bytes {
        Some(bytes) if isize::try_from(bytes).is_ok() => Ok(()),
        _ => Err(ShapeError::TooLarge { rows, columns }),
    }
}

/// Returns all of C = A·Bᵀ in float64. `a` is `(m, k)`, `b` is `(n, k)`, and the result is
/// `(m, n)`, all row-major.
///
/// ```
/// let c = host::reference::gemm(&[1.0_f32, 2.0], &[3.0, 4.0, 5.0, 6.0], 1, 2, 2)?;
/// assert_eq!(c, [11.0, 17.0]);
/// # Ok::<(), host::reference::ShapeError>(())
/// ```
///
/// # Errors
/// Returns a [`ShapeError`] unless both slices have the elements of their shapes.
pub fn gemm<T: Element>(
    a: &[T],
    b: &[T],
    m: usize,
    n: usize,
    k: usize,
) -> Result<Vec<f64>, ShapeError> {
    check_shape("A", a.len(), m, k)?;
    check_result(m, n)?;
    let rows: Vec<usize> = (0..if n == 0 { 0 } else { m }).collect();
    gemm_rows(a, b, (m, n, k), &rows)
}

/// Returns the rows `rows` of C = A·Bᵀ in float64, in the order given: the result is
/// `(rows.len(), n)`.
///
/// `shape` is `(m, n, k)`.
///
/// # Errors
/// Returns a [`ShapeError`] unless both slices have the elements of their shapes and every row
/// exists.
pub fn gemm_rows<T: Element>(
    a: &[T],
    b: &[T],
    shape: (usize, usize, usize),
    rows: &[usize],
) -> Result<Vec<f64>, ShapeError> {
    let (m, n, k) = shape;
    check_shape("A", a.len(), m, k)?;
    check_shape("B", b.len(), n, k)?;
    if let Some(&row) = rows.iter().find(|&&row| row >= m) {
        return Err(ShapeError::Row { row, rows: m });
    }
    check_result(rows.len(), n)?;
    if rows.is_empty() || n == 0 {
        return Ok(Vec::new());
    }
    let widen_a = |row: usize, (k_start, depth): Depth, to: &mut [f64], stride| {
        T::widen(&a[row * k + k_start..][..depth], to, stride);
    };
    let widen_b = |row: usize, (k_start, depth): Depth, to: &mut [f64], stride| {
        T::widen(&b[row * k + k_start..][..depth], to, stride);
    };
    Ok(product(&widen_a, &widen_b, shape, rows))
}

/// A function that writes the columns `start .. start + depth` of a row as float64. The last
/// argument is the distance between the places to which two neighbouring columns are written.
type Widen<'a> = &'a (dyn Fn(usize, Depth, &mut [f64], usize) + Sync);
/// The start and the depth of a block of k.
type Depth = (usize, usize);

/// Computes [`gemm_rows`] for shapes that are already checked. The function is not generic, so that
/// it is compiled in this crate.
fn product(a: Widen, b: Widen, (_, n, k): (usize, usize, usize), rows: &[usize]) -> Vec<f64> {
    let mut c = vec![0.0; rows.len() * n];
    let run = micro_kernel();
    let mut packed_b = vec![0.0; n.div_ceil(NR) * NR * K_BLOCK.min(k)];
    for k_start in (0..k).step_by(K_BLOCK) {
        let depth = K_BLOCK.min(k - k_start);
        let packed_b = &mut packed_b[..n.div_ceil(NR) * NR * depth];
        packed_b
            .par_chunks_mut(NR * depth)
            .enumerate()
            .for_each(|(panel, packed)| {
                pack::<NR>(b, (panel * NR, n), (k_start, depth), packed, |row| row);
            });
        c.par_chunks_mut(STRIP * n)
            .zip(rows.par_chunks(STRIP))
            .for_each(|(c, rows)| strip(a, rows, (k_start, depth), packed_b, c, n, run));
    }
    c
}

/// The numbers of rows and columns of C that the innermost loop keeps in registers.
const MR: usize = 4;
const NR: usize = 8;
/// The depth of a packed block: `NR * K_BLOCK` float64 numbers are 16 KiB, half of a first-level
/// cache.
const K_BLOCK: usize = 256;
/// The number of rows of one task, over all columns.
const STRIP: usize = 32;
/// The number of columns that are computed together. Their block of Bᵀ, 512 KiB, stays in the L2
/// cache.
const COLUMNS: usize = 256;

/// Writes rows `first .. first + R` (below `end`, mapped by `row_of`) of these columns, column by
/// column. Rows from `end` on are 0.
fn pack<const R: usize>(
    matrix: Widen,
    (first, end): (usize, usize),
    columns: Depth,
    packed: &mut [f64],
    row_of: impl Fn(usize) -> usize,
) {
    packed.fill(0.0);
    for lane in 0..R.min(end - first) {
        matrix(row_of(first + lane), columns, &mut packed[lane..], R);
    }
}

fn strip(
    a: Widen,
    rows: &[usize],
    (k_start, depth): Depth,
    packed_b: &[f64],
    c: &mut [f64],
    n: usize,
    run: MicroKernel,
) {
    let mut packed_a = vec![0.0; STRIP.div_ceil(MR) * MR * depth];
    for (group, packed) in packed_a.chunks_mut(MR * depth).enumerate() {
        if group * MR < rows.len() {
            let range = (group * MR, rows.len());
            pack::<MR>(a, range, (k_start, depth), packed, |row| rows[row]);
        }
    }
    let panels: Vec<&[f64]> = packed_b.chunks(NR * depth).collect();
    for (block, panels) in panels.chunks(COLUMNS / NR).enumerate() {
        for (group, packed_a) in packed_a.chunks(MR * depth).enumerate() {
            let first_row = group * MR;
            if first_row >= rows.len() {
                break;
            }
            for (panel, packed_b) in panels.iter().enumerate() {
                let tile = run(packed_a, packed_b);
                let first_column = block * COLUMNS + panel * NR;
                let width = NR.min(n - first_column);
                for (lane, tile) in tile.iter().take(rows.len() - first_row).enumerate() {
                    let start = (first_row + lane) * n + first_column;
                    for (c, sum) in c[start..start + width].iter_mut().zip(tile) {
                        *c += sum;
                    }
                }
            }
        }
    }
}

type MicroKernel = fn(&[f64], &[f64]) -> [[f64; NR]; MR];

/// Accumulates `MR` by `NR` elements over the depth of two packed panels.
#[inline(always)]
fn accumulate(
    a: &[f64],
    b: &[f64],
    multiply_add: impl Fn(f64, f64, f64) -> f64,
) -> [[f64; NR]; MR] {
    let mut accumulator = [[0.0; NR]; MR];
    let (a, _) = a.as_chunks::<MR>();
    let (b, _) = b.as_chunks::<NR>();
    for (a, b) in a.iter().zip(b) {
        for (row, &x) in accumulator.iter_mut().zip(a) {
            for (sum, &y) in row.iter_mut().zip(b) {
                *sum = multiply_add(x, y, *sum);
            }
        }
    }
    accumulator
}

fn plain(a: &[f64], b: &[f64]) -> [[f64; NR]; MR] {
    accumulate(a, b, |x, y, sum| x * y + sum)
}

/// Returns the fastest micro-kernel that the processor supports. The micro-kernels differ only in
/// the rounding of products, which are exact for every type narrower than f64.
fn micro_kernel() -> MicroKernel {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn wide(a: &[f64], b: &[f64]) -> [[f64; NR]; MR] {
            accumulate(a, b, f64::mul_add)
        }
        // SAFETY: `is_x86_feature_detected` just reported both features.
        return |a, b| unsafe { wide(a, b) };
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::random::{fill, sample};
    use super::*;
    use half::{bf16, f16};

    /// Computes the matrix product by its definition, one sum at a time.
    fn definition<T: Element>(a: &[T], b: &[T], m: usize, n: usize, k: usize) -> Vec<f64> {
        let mut c = Vec::with_capacity(m * n);
        for i in 0..m {
            for j in 0..n {
                c.push(
                    (0..k)
                        .map(|x| a[i * k + x].to_f64() * b[j * k + x].to_f64())
                        .sum(),
                );
            }
        }
        c
    }

    fn close(found: &[f64], expected: &[f64], k: usize) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= k as f64 * f64::EPSILON * k as f64);
        }
    }

    fn agree<T: Element>(m: usize, n: usize, k: usize) {
        let a: Vec<T> = fill(m as u64, m * k);
        let b: Vec<T> = fill(n as u64 + 1000, n * k);
        let expected = definition(&a, &b, m, n, k);
        close(&gemm(&a, &b, m, n, k).unwrap(), &expected, k);
        let rows = sample(7, m, 3);
        let some: Vec<f64> = rows
            .iter()
            .flat_map(|&row| &expected[row * n..][..n])
            .copied()
            .collect();
        close(&gemm_rows(&a, &b, (m, n, k), &rows).unwrap(), &some, k);
    }

    #[test]
    fn blocks_and_edges_agree_with_the_definition() {
        for (m, n, k) in [
            (1, 1, 1),
            (4, 8, 256),
            (5, 9, 257),
            (33, 7, 3),
            (3, 300, 17),
            (70, 261, 513),
        ] {
            agree::<f16>(m, n, k);
            agree::<bf16>(m, n, k);
            agree::<f32>(m, n, k);
            agree::<f64>(m, n, k);
        }
    }

    #[test]
    fn both_micro_kernels_agree() {
        let a: Vec<f64> = fill(1, MR * 100);
        let b: Vec<f64> = fill(2, NR * 100);
        let (one, other) = (plain(&a, &b), micro_kernel()(&a, &b));
        for (one, other) in one.as_flattened().iter().zip(other.as_flattened()) {
            assert!((one - other).abs() < 1e-13);
        }
    }

    #[test]
    fn empty_extents_give_empty_or_zero() {
        assert_eq!(gemm::<f32>(&[], &[], 0, 0, 5).unwrap(), []);
        assert_eq!(gemm::<f32>(&[], &[], 2, 3, 0).unwrap(), [0.0; 6]);
        assert_eq!(gemm::<f32>(&[], &[1.0, 2.0], 0, 1, 2).unwrap(), []);
    }

    #[test]
    fn wrong_shapes_are_refused() {
        let error = gemm(&[1.0_f32; 5], &[1.0; 6], 2, 2, 3).unwrap_err();
        assert_eq!(
            error.to_string(),
            "A has 5 elements; its shape (2, 3) needs 6"
        );
        let error = gemm_rows(&[1.0_f32; 6], &[1.0; 6], (2, 2, 3), &[1, 2]).unwrap_err();
        assert_eq!(error, ShapeError::Row { row: 2, rows: 2 });
        assert!(gemm::<f32>(&[], &[], usize::MAX, 1, 2).is_err());
        assert_eq!(
            gemm::<f32>(&[], &[], usize::MAX, 1, 0),
            Err(ShapeError::TooLarge {
                rows: usize::MAX,
                columns: 1
            })
        );
    }
}
