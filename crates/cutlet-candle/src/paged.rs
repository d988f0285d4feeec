//! Attention of packed queries to keys in pages of a cache, by candle-flash-attn's name.
//!
//! ```text
//!   q (rows of all, heads, D)   k, v (blocks, page size, key heads, D)   block_table (sequences, most blocks)
//! ```
//!
//! Law: the keys of a sequence fill its blocks from the first on; its last query and its last key
//! are on one diagonal. There are no gradients.

use crate::flash::scores;
#[cfg(feature = "cuda")]
use crate::op3::on_cuda;
use crate::op3::{Operands, on_cpu, result};
use crate::operands::{Operand, check_device, check_integers, sequences};
use crate::padding::padded;
use crate::problem::{extents, mask, of_extents, strides};
use crate::refused;
use crate::run::run;
use candle::{CpuStorage, CustomOp3, DType, Layout, Result, Shape, Storage, Tensor};
use cutlet_ops::kernel_abi::attention::PagedAttentionProblem;

/// The operator.
#[derive(Clone)]
struct FlashAttnPaged {
    softmax_scale: f32,
    max_seqlen_k: usize,
    seqlens_q: Tensor,
    /// The keys of each sequence.
    lengths: Tensor,
    block_table: Tensor,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: Option<f32>,
}

impl FlashAttnPaged {
    fn problem(&self, dtype: DType, [q, k, v]: [&Layout; 3]) -> Result<PagedAttentionProblem> {
        if q.dims().len() != 3 || k.dims().len() != 4 || v.dims().len() != 4 {
            candle::bail!(
                "flash-attn-varlen paged expects q of rank 3, k and v of rank 4: {:?}, {:?}, {:?}",
                q.shape(),
                k.shape(),
                v.shape()
            )
        }
        let ([_, queries, heads, dim], [pages, page, key_heads, _]) = (extents(q)?, extents(k)?);
        let [.., dim_v] = extents(v)?;
        let mask = mask(
            self.window_size_left,
            self.window_size_right,
            self.max_seqlen_k,
        );
        let strides = [strides("q", q)?, strides("k", k)?, strides("v", v)?];
        let of = of_extents(
            dtype,
            [1, queries, heads, dim],
            [page, key_heads, dim_v],
            strides,
            (mask, self.softmax_scale),
        )?;
        let found = sequences("seqlens_q", &self.seqlens_q)?;
        let (of_table, most) = self.block_table.dims2()?;
        if (of_table, self.lengths.elem_count()) != (found as usize, found as usize) {
            candle::bail!(
                "seqlens_q is of {found} sequences, seqlens_k of {} and block_table of {of_table}",
                self.lengths.elem_count()
            )
        }
        Ok(PagedAttentionProblem {
            of,
            sequences: found,
            packed: true,
            pages,
            table_pages: u32::try_from(most).map_err(refused)?,
        })
    }

    fn forward(&self, [q, k, v]: Operands<'_>, of: DType) -> Result<Storage> {
        let problem = self.problem(of, [q.1, k.1, v.1])?;
        let lists = [&self.seqlens_q, &self.lengths, &self.block_table];
        let lists = lists.map(Tensor::storage_and_layout);
        let mut inputs = vec![q.0, k.0, v.0];
        for (storage, layout) in &lists {
            inputs.push(Operand::of(storage, layout)?);
        }
        let scores = scores(None, self.softcap);
        let plan =
            |gpu: &cutlet_ops::GpuTraits<'_>| cutlet_ops::attention_paged(gpu, &problem, scores);
        let outputs = run(of, &inputs, plan)?;
        result(outputs)
    }
}

impl CustomOp3 for FlashAttnPaged {
    fn name(&self) -> &'static str {
        "flash-attn-varlen-paged"
    }

    fn cpu_fwd(
        &self,
        q: &CpuStorage,
        q_l: &Layout,
        k: &CpuStorage,
        k_l: &Layout,
        v: &CpuStorage,
        v_l: &Layout,
    ) -> Result<(CpuStorage, Shape)> {
        on_cpu([(q, q_l), (k, k_l), (v, v_l)], |of, dtype| {
            self.forward(of, dtype)
        })
    }

    #[cfg(feature = "cuda")]
    fn cuda_fwd(
        &self,
        q: &candle::CudaStorage,
        q_l: &Layout,
        k: &candle::CudaStorage,
        k_l: &Layout,
        v: &candle::CudaStorage,
        v_l: &Layout,
    ) -> Result<(candle::CudaStorage, Shape)> {
        on_cuda([(q, q_l), (k, k_l), (v, v_l)], |of, dtype| {
            self.forward(of, dtype)
        })
    }
}

/// `softmax(softmax_scale Q Kᵀ) V` of packed queries to keys in blocks of `page_block_size`, a
/// power of two of at least 8: `k` and `v` are the cache, a row of `block_table` has a sequence's
/// blocks, `seqlens_q` and `seqlens_k` are cumulative. The kernels are for GPUs of compute
/// capability 9.0.
///
/// # Errors
/// As of [`flash_attn_varlen`](crate::flash_attn_varlen); `mm_prefix_ranges` are refused, since no
/// kernel has them.
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_paged_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    block_table: &Tensor,
    mm_prefix_ranges: Option<&Tensor>,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    page_block_size: usize,
    softcap: Option<f32>,
) -> Result<Tensor> {
    if mm_prefix_ranges.is_some() {
        candle::bail!("mm_prefix_ranges are not computed: no kernel has them")
    }
    if k.dim(1)? != page_block_size {
        candle::bail!(
            "k has blocks of {}; page_block_size is {page_block_size}",
            k.dim(1)?
        )
    }
    let lists = [
        ("seqlens_q", seqlens_q),
        ("seqlens_k", seqlens_k),
        ("block_table", block_table),
    ];
    for (name, of) in lists {
        check_device(name, of, q)?;
        check_integers(name, of)?;
    }
    let count = sequences("seqlens_k", seqlens_k)? as usize;
    let lengths = (seqlens_k.narrow(0, 1, count)? - seqlens_k.narrow(0, 0, count)?)?;
    let op = FlashAttnPaged {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        lengths,
        block_table: block_table.contiguous()?,
        window_size_left,
        window_size_right,
        softcap,
    };
    let scores = scores(None, softcap);
    padded(
        [q, k, v],
        (scores, crate::padding::Sequences::Paged),
        |[q, k, v]| q.apply_op3(&k, &v, op.clone()),
    )
}
