//! Makes the problem that the kernels compute from candle's layouts.
//!
//! ```text
//!   (batches, rows, heads, D), (rows, heads, D)     the last stride is 1, others are free
//!   window_size_left, window_size_right             None, or more than there are keys: all keys
//! ```

use crate::refused;
use candle::{DType, Layout, Result};
use cutlet_ops::kernel_abi::attention::{
    AttentionMask, AttentionProblem, AttentionStrides, AttentionType,
};

/// Returns the kernels' element type for candle's type.
pub fn element(dtype: DType) -> Result<AttentionType> {
    match dtype {
        DType::F16 => Ok(AttentionType::F16),
        DType::BF16 => Ok(AttentionType::Bf16),
        dtype => candle::bail!("flash-attn is only supported for f16/bf16 ({dtype:?})"),
    }
}

/// Returns the mask of a window. A side of more than `keys` keys covers all keys on that side.
pub fn mask(left: Option<usize>, right: Option<usize>, keys: usize) -> AttentionMask {
    let side = |keys_of_side: Option<usize>| {
        let within = keys_of_side.filter(|count| *count <= keys);
        within.and_then(|count| u32::try_from(count).ok())
    };
    match (side(left), side(right)) {
        (None, None) => AttentionMask::Full,
        (None, Some(0)) => AttentionMask::Causal,
        (before, after) => AttentionMask::Window {
            before: before.unwrap_or(u32::MAX),
            after: after.unwrap_or(u32::MAX),
        },
    }
}

/// Returns the extents of a tensor as batches, rows, heads and columns. Packed rows are one batch.
pub fn extents(of: &Layout) -> Result<[u32; 4]> {
    let extents = match *of.dims() {
        [batches, rows, heads, columns] => [batches, rows, heads, columns],
        [rows, heads, columns] => [1, rows, heads, columns],
        ref dims => {
            candle::bail!("flash-attn expects tensors of rank 4, of packed sequences 3: {dims:?}")
        }
    };
    let [a, b, c, d] = extents.map(|n| u32::try_from(n).map_err(refused));
    Ok([a?, b?, c?, d?])
}

/// Returns the strides of a tensor whose last dimension is contiguous.
pub fn strides(name: &str, of: &Layout) -> Result<AttentionStrides> {
    let strides: Vec<u64> = of.stride().iter().map(|by| *by as u64).collect();
    match strides[..] {
        [batch, row, head, 1] => Ok(AttentionStrides { row, head, batch }),
        [row, head, 1] => Ok(AttentionStrides {
            row,
            head,
            batch: 0,
        }),
        _ => candle::bail!(
            "the last dim of {name} must be contiguous {:?}",
            of.stride()
        ),
    }
}

/// Returns the strides of a contiguous tensor of these extents.
pub fn contiguous([_, rows, heads, columns]: [u32; 4]) -> AttentionStrides {
    let head = u64::from(columns);
    let row = head * u64::from(heads);
    let batch = row * u64::from(rows);
    AttentionStrides { row, head, batch }
}

/// Makes the attention problem for tensors with these layouts and a contiguous result. V may have
/// another number of columns than Q and K.
pub fn attention(
    dtype: DType,
    [q, k, v]: [&Layout; 3],
    mask: AttentionMask,
    scale: f32,
) -> Result<AttentionProblem> {
    let [of_q, of_k, of_v] = [extents(q)?, extents(k)?, extents(v)?];
    let ([batches, _, _, dim], [of_batches, keys, key_heads, columns]) = (of_q, of_k);
    if (of_batches, columns) != (batches, dim) || q.dims().len() != k.dims().len() {
        candle::bail!("shape mismatch q {:?} and k {:?}", q.shape(), k.shape())
    }
    if of_v[..3] != of_k[..3] {
        candle::bail!("shape mismatch k {:?} and v {:?}", k.shape(), v.shape())
    }
    let strides = [strides("q", q)?, strides("k", k)?, strides("v", v)?];
    let of_keys = [keys, key_heads, of_v[3]];
    of_extents(dtype, of_q, of_keys, strides, (mask, scale))
}

/// Makes the attention problem for queries with these extents, `keys` keys in `key_heads` heads,
/// and V with `dim_v` columns.
pub fn of_extents(
    dtype: DType,
    of_q: [u32; 4],
    [keys, key_heads, dim_v]: [u32; 3],
    [q, k, v]: [AttentionStrides; 3],
    (mask, scale): (AttentionMask, f32),
) -> Result<AttentionProblem> {
    let [batches, queries, heads, dim] = of_q;
    Ok(AttentionProblem {
        element: element(dtype)?,
        batches,
        heads,
        key_heads,
        queries,
        keys,
        dim,
        dim_v,
        mask,
        scale,
        lse: false,
        strides: [q, k, v, contiguous([batches, queries, heads, dim_v])],
    })
}
