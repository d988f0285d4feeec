//! Attention of packed queries to keys in pages of a cache, in a function with candle-flash-attn's
//! name.
//!
//! ```text
//!   q (rows of all, heads, D)   k, v (blocks, page size, key heads, D)   block_table (sequences, most blocks)
//!
//!   a kernel that reads pages     of compute capability 9.0, D up to 256
//!   packed rows, then a kernel    elsewhere: the keys are copied                              pages.rs
//!   a launch for each run         with mm_prefix_ranges: the keys are copied, the host waits  prefix.rs
//! ```
//!
//! Law: the keys of a sequence fill its blocks, beginning with the first block. The sequence's last
//! query has the position of its last key. The operator has no gradients.

use crate::flash::{flash_attn_alibi_windowed_softcap, scores};
#[cfg(feature = "cuda")]
use crate::op3::on_cuda;
use crate::op3::{Operands, on_cpu, result};
use crate::operands::{Operand, check_integers, on_device_of, sequences, unsigned};
use crate::padding::{Sequences, dims_of_kernel, padded};
use crate::pages::Pages;
use crate::prefix::runs;
use crate::problem::{extents, mask, of_extents, strides};
use crate::refused;
use crate::run::run;
use crate::varlen::flash_attn_varlen_alibi_windowed_softcap;
use candle::{CpuStorage, CustomOp3, D, DType, Device, Layout, Result, Shape, Storage, Tensor};
use cutlet_ops::kernel_abi::attention::{MIN_PAGE, PagedAttentionProblem};

/// The operator that computes attention to keys in pages.
#[derive(Clone)]
struct FlashAttnPaged {
    softmax_scale: f32,
    max_seqlen_k: usize,
    seqlens_q: Tensor,
    /// The number of keys of each sequence.
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
        let (_, most) = self.block_table.dims2()?;
        Ok(PagedAttentionProblem {
            of,
            sequences: sequences("seqlens_q", &self.seqlens_q)?,
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

/// Computes attention in which a query in one of `ranges` also sees all keys of that range.
/// `ranges` is (sequences, ranges, 2) and holds the start and the end of each range.
fn with_ranges(
    q: &Tensor,
    [k, v]: [&Tensor; 2],
    (of_q, pages, ranges): (&Tensor, &Pages<'_>, &Tensor),
    (softmax_scale, window, softcap): (f32, [Option<usize>; 2], Option<f32>),
) -> Result<Tensor> {
    let count = sequences("seqlens_q", of_q)? as usize;
    match ranges.dims() {
        [of, _, 2] if *of == count => {}
        _ => candle::bail!(
            "mm_prefix_ranges shape must be ({count}, max_ranges, 2), got {:?}",
            ranges.shape()
        ),
    }
    // The host converts the lists: candle has no CUDA kernel that converts i32.
    let on_host = |of: &Tensor, dtype| of.to_device(&Device::Cpu)?.to_dtype(dtype);
    let starts = |of: &Tensor| on_host(of, DType::I64)?.to_vec1::<i64>();
    let [of_q, of_k] = [starts(of_q)?, starts(pages.starts)?];
    let ranges = on_host(ranges, DType::I64)?.to_vec3::<i64>()?;
    let table = on_host(pages.table, DType::U32)?.to_vec2::<u32>()?;
    let window = window.map(|side| side.filter(|keys| *keys <= pages.longest));
    let rows_of_none = |from: usize, to: usize| q.narrow(0, from, to - from)?.zeros_like();
    let [covered, all] = [*of_q.last().unwrap_or(&0), q.dim(0)? as i64];
    if covered > all {
        candle::bail!("seqlens_q ends at row {covered}; q has {all}")
    }
    let mut outputs = vec![rows_of_none(0, of_q[0].clamp(0, all) as usize)?];
    for (at, ranges) in ranges.iter().enumerate() {
        let [start, queries] = extent_of("seqlens_q", &of_q, at)?;
        let [_, keys] = extent_of("seqlens_k", &of_k, at)?;
        let room = table[at].len() * pages.size;
        if keys > room {
            candle::bail!("sequence {at} has {keys} keys, and block_table blocks for {room}")
        }
        let place = |of: i64| usize::try_from(of.max(0)).unwrap_or(usize::MAX);
        let ranges: Vec<_> = ranges
            .iter()
            .map(|of| [place(of[0]), place(of[1])])
            .collect();
        for run in runs([queries, keys], window, &ranges) {
            let [first, end] = run.queries;
            let q = q.narrow(0, start + first, end - first)?;
            let [from, to] = run.keys;
            if from == to {
                outputs.push(q.zeros_like()?);
                continue;
            }
            let row = |key: usize| {
                let first = table[at][key / pages.size] as usize * pages.size;
                u32::try_from(first + key % pages.size).map_err(refused)
            };
            let rows = (from..to).map(row).collect::<Result<Vec<_>>>()?;
            let rows = Tensor::new(rows, q.device())?;
            let [k, v] = [k, v].map(|of| pages.packed(of, &rows)?.unsqueeze(0));
            let o = flash_attn_alibi_windowed_softcap(
                &q.unsqueeze(0)?,
                &k?,
                &v?,
                None,
                softmax_scale,
                run.before,
                run.after,
                softcap.unwrap_or(0.0),
            )?;
            outputs.push(o.squeeze(0)?);
        }
    }
    outputs.push(rows_of_none(covered.max(0) as usize, all as usize)?);
    outputs.retain(|of| of.elem_count() > 0);
    Tensor::cat(&outputs, 0)
}

/// Returns a sequence's first row and its number of rows, from a list of cumulative starts.
fn extent_of(name: &str, starts: &[i64], at: usize) -> Result<[usize; 2]> {
    let (start, end) = (starts[at], starts[at + 1]);
    match (usize::try_from(start), usize::try_from(end - start)) {
        (Ok(start), Ok(rows)) => Ok([start, rows]),
        _ => candle::bail!("{name} has to be cumulative: {start} stands before {end}"),
    }
}

/// Computes `softmax(softmax_scale Q Kᵀ) V` of packed queries to keys in blocks of
/// `page_block_size` keys: `k` and `v` are the cache, a row of `block_table` lists a sequence's
/// blocks, and `seqlens_q` and `seqlens_k` are cumulative. `mm_prefix_ranges`, (sequences, ranges,
/// 2), contains ranges such as the tokens of an image: a query in a range sees all keys in that
/// range, in addition to the keys of its window. An empty range has no effect.
///
/// GPUs of compute capability 9.0 read the blocks in place, if the page size is a power of two of
/// at least 8 keys and the head size is at most 256. Otherwise, and with `mm_prefix_ranges`,
/// candle's operators first copy the keys into packed rows. With ranges the host waits for the
/// stream and reads the lists. It then enqueues one launch for each run of queries that one window
/// describes.
///
/// # Errors
/// Returns the errors of [`flash_attn_varlen`](crate::flash_attn_varlen).
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_paged_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    block_table: &Tensor,
    mm_prefix_ranges: Option<&Tensor>,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    page_block_size: usize,
    softcap: Option<f32>,
) -> Result<Tensor> {
    if k.dim(1)? != page_block_size {
        candle::bail!(
            "k has blocks of {}; page_block_size is {page_block_size}",
            k.dim(1)?
        )
    }
    let list = |name: &str, of: &Tensor| {
        check_integers(name, of)?;
        on_device_of(q, name, of)
    };
    let seqlens_q = &list("seqlens_q", seqlens_q)?;
    let seqlens_k = &unsigned(&list("seqlens_k", seqlens_k)?)?;
    let block_table = &list("block_table", block_table)?;
    let (of_q, of_k) = (
        sequences("seqlens_q", seqlens_q)?,
        sequences("seqlens_k", seqlens_k)?,
    );
    let (of_table, blocks) = block_table.dims2()?;
    if blocks == 0 {
        candle::bail!("block_table has no column; it must have one for each block of a sequence")
    }
    if (of_k, of_table) != (of_q, of_q as usize) {
        candle::bail!(
            "seqlens_q is of {of_q} sequences, seqlens_k of {of_k} and block_table of {of_table}"
        )
    }
    let pages = Pages {
        starts: seqlens_k,
        table: block_table,
        size: page_block_size,
        longest: max_seqlen_k,
    };
    if let Some(ranges) = mm_prefix_ranges {
        check_integers("mm_prefix_ranges", ranges)?;
        let window = [window_size_left, window_size_right];
        let lists = (seqlens_q, &pages, ranges);
        return with_ranges(q, [k, v], lists, (softmax_scale, window, softcap));
    }
    let of_kernel = (scores(None, softcap), Sequences::Paged);
    let reads_pages = page_block_size.is_power_of_two() && page_block_size >= MIN_PAGE as usize;
    let dim = q.dim(D::Minus1)?;
    if !reads_pages || dims_of_kernel(q, of_kernel, dim)?.is_none() {
        let rows = pages.rows()?;
        return flash_attn_varlen_alibi_windowed_softcap(
            q,
            &pages.packed(k, &rows)?,
            &pages.packed(v, &rows)?,
            None,
            seqlens_q,
            seqlens_k,
            max_seqlen_q,
            max_seqlen_k,
            softmax_scale,
            window_size_left,
            window_size_right,
            softcap.unwrap_or(0.0),
        );
    }
    let count = of_k as usize;
    let lengths = (seqlens_k.narrow(0, 1, count)? - seqlens_k.narrow(0, 0, count)?)?;
    let op = FlashAttnPaged {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        lengths,
        block_table: match block_table.is_contiguous() {
            true => block_table.clone(),
            // candle has no CUDA kernel that copies i32.
            false => unsigned(block_table)?.contiguous()?,
        },
        window_size_left,
        window_size_right,
        softcap,
    };
    padded([q, k, v], of_kernel, |[q, k, v]| {
        q.apply_op3(&k, &v, op.clone())
    })
}
