//! Packs weights of 4 bits on the host, and plans products with them. Users call this through
//! `cutlet.ops`.
//!
//! ```text
//!   codes, scales, zeros of a checkpoint ─ pack_int4 ─► codes and scales for the kernels
//!   (m, n, k), format ─ linear_int4 ─► Launches with buffers X, codes, scales, ..
//! ```
//!
//! Law: weights are packed in the layout that the kernels' own types define, and the kernel is
//! chosen by the same [`PackedLayout`](cutlet_ops::kernel_abi::weights::PackedLayout).

use crate::ops::{Launches, planned, raised};
use cutlet_ops::EMULATED_HOPPER;
use cutlet_ops::kernel_abi::gemm::{Epilogue, GemmProblem, InputType, OutputType};
use cutlet_ops::kernel_abi::weights::WeightsProblem;
use gpu_kernels::weights::config::packed_layout;
use gpu_kernels::weights::format::{Int4, UInt4};
use gpu_kernels::weights::order::{COLUMNS, ROWS};
use gpu_kernels::weights::pack::{FormatValue, Published, published, tile_order};
use gpu_kernels::weights::scaling::{RowScale, ScaleGroups, ZeroGroups};
use half::{bf16, f16};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// Returns the format of 4-bit codes in groups of `group` columns, for bf16 or f16 activations:
/// `uint4` with zeros, `int4` without them.
fn format(is_bf16: bool, group: u32, zeros: bool) -> Result<FormatValue, String> {
    macro_rules! formats {
        ($($group:literal)*) => {
            match (group, zeros, is_bf16) {
                $(
                    ($group, false, true) => of!(Int4<ScaleGroups<bf16, $group>>),
                    ($group, false, false) => of!(Int4<ScaleGroups<f16, $group>>),
                    ($group, true, true) => of!(UInt4<ZeroGroups<bf16, $group>>),
                    ($group, true, false) => of!(UInt4<ZeroGroups<f16, $group>>),
                )*
                _ => Err(format!("a group has {group} columns; it must have 32, 64 or 128")),
            }
        };
    }
    macro_rules! of {
        ($format:ty) => {
            Ok(FormatValue::new::<$format>(
                const { &packed_layout::<$format>() },
            ))
        };
    }
    formats!(32 64 128)
}

/// The weights of a checkpoint (`rows`, GPTQ or AWQ), as Python passes them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct PublishedWeights {
    bf16: bool,
    n: u32,
    k: u32,
    /// The number of columns of a group.
    group: u32,
    /// The order of the codes: `rows`, `gptq` or `awq`.
    order: String,
    /// The codes, two in each byte, in the order that `order` names.
    codes: PyBackedBytes,
    /// The scales, 16 bits each, (n, groups).
    scales: PyBackedBytes,
    /// The zeros. In order `rows`: one byte each, (n, groups). In the other orders: two in each
    /// byte, in the order of the codes.
    zeros: Option<PyBackedBytes>,
    /// The number that is added to the stored bits of a zero to get the zero.
    stored_less: u32,
}

/// The bytes of codes, the bytes of scales and zeros, and whether there are zeros.
type PackedBytes = (Vec<u8>, Vec<u8>, bool);

impl PublishedWeights {
    fn pack(&self) -> Result<PackedBytes, String> {
        let Self { n, k, group, .. } = *self;
        // The call also refuses a group size other than 32, 64 and 128.
        format(self.bf16, group, true)?;
        let (groups, of_bytes) = (k / group, self.order == "rows");
        let all = n as usize * groups as usize;
        let zero_bytes = if of_bytes { all } else { all / 2 };
        let found = self.zeros.as_ref().map_or(zero_bytes, |of| of.len());
        for (what, found, expected) in [
            ("codes", self.codes.len(), n as usize * k as usize / 2),
            ("scales", self.scales.len(), 2 * all),
            ("zeros", found, zero_bytes),
        ] {
            if found != expected {
                return Err(format!(
                    "the {what} are {found} bytes; they must be {expected}"
                ));
            }
        }
        let order = match &*self.order {
            "gptq" => Published::Gptq,
            "awq" => Published::Awq,
            _ => Published::RowMajor,
        };
        let zeros = self.zeros.as_ref().map(|of| self.zeros(of, groups));
        // If every zero is 8, `int4` computes the same in fewer bytes.
        let zeros = zeros.filter(|zeros| zeros.iter().any(|&zero| zero != 8));
        let format = format(self.bf16, group, zeros.is_some())?;
        let at = |row: u32, of_k: u32| row as usize * groups as usize + of_k as usize;
        let scale = |row, of_k| {
            let at = 2 * at(row, of_k);
            u32::from(u16::from_le_bytes([self.scales[at], self.scales[at + 1]]))
        };
        let zero = |row, of_k| match &zeros {
            Some(zeros) => zeros[at(row, of_k)].into(),
            None => 0,
        };
        let codes = format.pack_codes(n, k, published(&self.codes, order, n, k));
        let records = format.pack_groups(n, k, scale, zero)?;
        Ok((codes, records, zeros.is_some()))
    }

    /// Decodes the zeros to (n, groups).
    fn zeros(&self, stored: &[u8], groups: u32) -> Vec<u8> {
        let all = |of: &dyn Fn(u32, u32) -> u32| {
            let rows = (0..self.n).flat_map(|row| (0..groups).map(move |of_k| (row, of_k)));
            // A zero has 4 bits, and the sum wraps: GPTQ stores the zero minus one, and so stores 0
            // as 15.
            rows.map(|(row, of_k)| (of(row, of_k).wrapping_add(self.stored_less) & 15) as u8)
                .collect()
        };
        match &*self.order {
            // GPTQ packs 8 neighbours along n into a word, so the stored rows are along n.
            "gptq" => {
                let of = published(stored, Published::RowMajor, groups, self.n);
                all(&|row, of_k| of(of_k, row))
            }
            "awq" => all(&published(stored, Published::Awq, self.n, groups)),
            _ => stored.to_vec(),
        }
    }
}

/// Packs 4-bit weights in the order in which the kernels read them. Returns the codes, the scales
/// with the zeros, and whether there are zeros.
#[pyfunction]
pub fn pack_int4<'py>(
    py: Python<'py>,
    of: PublishedWeights,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, bool)> {
    let (codes, groups, zeros) = py.detach(|| of.pack()).map_err(|said| raised(py, said))?;
    Ok((PyBytes::new(py, &codes), PyBytes::new(py, &groups), zeros))
}

/// Returns, at index `n + 16 k`, the position of the code of row `n` and column `k` in a packed
/// tile of 16 rows and 64 columns.
#[pyfunction]
pub fn int4_places() -> Vec<i64> {
    let order = tile_order::<Int4<RowScale>>();
    (0..i64::from(ROWS * COLUMNS))
        .filter_map(|at| order.offset(at).ok())
        .collect()
}

/// A product with 4-bit weights, as Python passes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Linear {
    bf16: bool,
    m: u32,
    n: u32,
    k: u32,
    /// The number of elements between the starts of neighbouring rows of X.
    ld: u64,
    /// The number of columns of a group.
    group: u32,
    zeros: bool,
    bias: bool,
}

/// Plans D = X Wᵀ + bias with a row-major and compact D.
#[pyfunction]
pub fn linear_int4(py: Python<'_>, of: Linear, device: Option<u32>) -> PyResult<Launches> {
    let format = format(of.bf16, of.group, of.zeros).map_err(|said| raised(py, said))?;
    planned(py, device, &EMULATED_HOPPER, |gpu| {
        let input = match of.bf16 {
            true => InputType::Bf16,
            false => InputType::F16,
        };
        let product = GemmProblem {
            lda: of.ld,
            epilogue: Epilogue {
                bias: of.bias,
                ..Epilogue::NONE
            },
            ..GemmProblem::new(of.m, of.n, of.k, input, OutputType::Same)
        };
        let problem = WeightsProblem {
            product,
            packed: format.packed,
        };
        cutlet_ops::weights_gemm(gpu, &problem)
    })
}
