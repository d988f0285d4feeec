//! Attention of packed sequences, in functions with candle-flash-attn's names.
//!
//! ```text
//!   q (rows of all, heads, D)   k, v (keys of all, key heads, D)      starts of q's sequences   0  9  14  28      u32, cumulative
//! ```
//!
//! Law: the result of a sequence equals the attention of a batch with only that sequence. Rows that
//! belong to no sequence stay unwritten, in the gradients too. The host reads the starts only if it
//! has to copy them from another of candle's devices for q's GPU. The functions use `max_seqlen_k`
//! only to decide whether a window covers all keys, and do not use `max_seqlen_q`.

use crate::flash::scores;
#[cfg(feature = "cuda")]
use crate::op3::on_cuda;
use crate::op3::{Gradients, Operands, gradients, log_sum_exp, on_cpu, result};
use crate::operands::{Operand, check_of_heads, on_device_of, sequences};
use crate::padding::{Sequences, padded};
use crate::problem::{attention, contiguous, mask};
use crate::run::run;
use candle::{CpuStorage, CustomOp3, DType, Layout, Result, Shape, Storage, Tensor};
use cutlet_ops::GpuTraits;
use cutlet_ops::kernel_abi::attention::{
    AttentionBackwardProblem, PackedAttentionProblem, PackedBackwardProblem,
};

/// The operator that computes attention of packed sequences.
#[derive(Clone)]
struct FlashAttnVarLen {
    softmax_scale: f32,
    max_seqlen_k: usize,
    seqlens_q: Tensor,
    seqlens_k: Tensor,
    alibi_slopes: Option<Tensor>,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: Option<f32>,
}

impl FlashAttnVarLen {
    fn problem(&self, dtype: DType, layouts: [&Layout; 3]) -> Result<PackedAttentionProblem> {
        let mask = mask(
            self.window_size_left,
            self.window_size_right,
            self.max_seqlen_k,
        );
        let found = sequences("seqlens_q", &self.seqlens_q)?;
        let of_keys = sequences("seqlens_k", &self.seqlens_k)?;
        if found != of_keys {
            candle::bail!(
                "seqlens_q has {} elements, and seqlens_k {}",
                found + 1,
                of_keys + 1
            )
        }
        Ok(PackedAttentionProblem {
            all: attention(dtype, layouts, mask, self.softmax_scale)?,
            sequences: found,
        })
    }

    fn forward(&self, [q, k, v]: Operands<'_>, of: DType) -> Result<Storage> {
        let problem = self.problem(of, [q.1, k.1, v.1])?;
        let scores = scores(self.alibi_slopes.as_ref(), self.softcap);
        let mut inputs = vec![q.0, k.0, v.0];
        let starts = [&self.seqlens_q, &self.seqlens_k].map(Tensor::storage_and_layout);
        for (storage, layout) in &starts {
            inputs.push(Operand::of(storage, layout)?);
        }
        let slopes = self.alibi_slopes.as_ref().map(Tensor::storage_and_layout);
        if let (Some(of), Some((storage, layout))) = (&self.alibi_slopes, &slopes) {
            check_of_heads("alibi_slopes", of, problem.all.heads)?;
            inputs.push(Operand::of(storage, layout)?);
        }
        let outputs = run(of, &inputs, |gpu| {
            cutlet_ops::attention_packed(gpu, &problem, scores, None)
        })?;
        result(outputs)
    }
}

impl CustomOp3 for FlashAttnVarLen {
    fn name(&self) -> &'static str {
        "flash-attn-varlen"
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

    fn bwd(
        &self,
        q: &Tensor,
        k: &Tensor,
        v: &Tensor,
        o: &Tensor,
        grad: &Tensor,
    ) -> Result<Gradients> {
        let scores = scores(self.alibi_slopes.as_ref(), self.softcap);
        let grad = grad.contiguous()?;
        let of =
            [q, k, v, o, &grad, &self.seqlens_q, &self.seqlens_k].map(Tensor::storage_and_layout);
        let [q_l, k_l, v_l, ..] = of.each_ref().map(|(_, layout)| *layout);
        let mut problem = self.problem(q.dtype(), [q_l, k_l, v_l])?;
        problem.all = problem.all.with_lse();
        let operand = |i: usize| Operand::of(&of[i].0, of[i].1);
        let slopes = self.alibi_slopes.as_ref().map(Tensor::storage_and_layout);
        let slopes = match &slopes {
            Some((storage, layout)) => Some(Operand::of(storage, layout)?),
            None => None,
        };
        let tensors = [operand(0)?, operand(1)?, operand(2)?];
        let starts = [operand(5)?, operand(6)?];
        let inputs: Vec<Operand<'_>> = (tensors.into_iter().chain(starts)).chain(slopes).collect();
        let again = |gpu: &GpuTraits<'_>| cutlet_ops::attention_packed(gpu, &problem, scores, None);
        let all = problem.all;
        let rows = all.heads as usize * all.queries as usize;
        let lse = log_sum_exp(run(q.dtype(), &inputs, again)?, rows)?;
        let (lse, lse_l) = lse.storage_and_layout();
        let of_queries = [1, all.queries, all.heads, all.dim];
        let of_keys = [1, all.keys, all.key_heads, all.dim];
        let backward = PackedBackwardProblem {
            all: AttentionBackwardProblem {
                forward: all,
                gradients: [of_queries, of_queries, of_keys, of_keys].map(contiguous),
            },
            sequences: problem.sequences,
        };
        let of_rows = [operand(3)?, operand(4)?, Operand::of(&lse, lse_l)?];
        let inputs: Vec<Operand<'_>> = (tensors.into_iter().chain(of_rows))
            .chain(starts)
            .chain(slopes)
            .collect();
        let plan = |gpu: &GpuTraits<'_>| {
            cutlet_ops::attention_backward_packed(gpu, &backward, scores, None)
        };
        gradients(run(q.dtype(), &inputs, plan)?, [q, k, v])
    }
}

/// Computes `softmax(softmax_scale Q Kᵀ) V` for packed sequences. `seqlens_q` and `seqlens_k` hold
/// the rows at which each sequence begins in q and in k, and the end of the last sequence, as u32
/// on the tensors' device. With `causal` a query sees the keys up to its own position, where a
/// sequence's last query has the position of its last key.
///
/// ```
/// use candle::{DType, Device, Tensor};
/// let q = Tensor::zeros((9, 2, 64), DType::BF16, &Device::Cpu)?;
/// let starts = Tensor::new(&[0_u32, 4, 9], &Device::Cpu)?;
/// match cutlet_candle::flash_attn_varlen(&q, &q, &q, &starts, &starts, 5, 5, 0.125, true) {
///     Ok(o) => assert_eq!(o.dims(), q.dims()),
///     // cutlet-kernels was built without kernels.
///     Err(error) => assert!(error.to_string().contains("kernel"), "{error}"),
/// }
/// # Ok::<(), candle::Error>(())
/// ```
///
/// # Errors
/// Returns an error for a problem that no kernel computes. The error states the values found and
/// the values allowed.
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        seqlens_k: seqlens_k.clone(),
        alibi_slopes: None,
        window_size_left: None,
        window_size_right: causal.then_some(0),
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_varlen`] with a window: a query sees `window_size_left` keys before its
/// own position and `window_size_right` keys after it. `None` means all keys on that side.
///
/// # Errors
/// Returns the errors of [`flash_attn_varlen`].
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        seqlens_k: seqlens_k.clone(),
        alibi_slopes: None,
        window_size_left,
        window_size_right,
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_varlen`] with ALiBi: each score is reduced by the head's slope times the
/// distance between the query's own position and the key.
///
/// # Errors
/// Returns the errors of [`flash_attn_varlen`].
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        seqlens_k: seqlens_k.clone(),
        alibi_slopes: Some(alibi_slopes.clone()),
        window_size_left: None,
        window_size_right: causal.then_some(0),
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_varlen_alibi`] with the window of [`flash_attn_varlen_windowed`].
///
/// # Errors
/// Returns the errors of [`flash_attn_varlen`].
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        seqlens_k: seqlens_k.clone(),
        alibi_slopes: Some(alibi_slopes.clone()),
        window_size_left,
        window_size_right,
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_varlen_windowed`] with optional slopes and a soft cap: each score becomes
/// `softcap tanh(score / softcap)`. A cap of 0 or less means no cap.
///
/// # Errors
/// Returns the errors of [`flash_attn_varlen`].
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_varlen_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        softmax_scale,
        max_seqlen_k,
        seqlens_q: seqlens_q.clone(),
        seqlens_k: seqlens_k.clone(),
        alibi_slopes: alibi_slopes.cloned(),
        window_size_left,
        window_size_right,
        softcap: Some(softcap),
    };
    apply([q, k, v], op)
}

/// Applies the operator to tensors that satisfy the kernels' requirements.
fn apply(tensors: [&Tensor; 3], mut op: FlashAttnVarLen) -> Result<Tensor> {
    let q = tensors[0];
    op.seqlens_q = on_device_of(q, "seqlens_q", &op.seqlens_q)?;
    op.seqlens_k = on_device_of(q, "seqlens_k", &op.seqlens_k)?;
    if let Some(of) = &mut op.alibi_slopes {
        *of = on_device_of(q, "alibi_slopes", of)?;
    }
    let scores = scores(op.alibi_slopes.as_ref(), op.softcap);
    padded(tensors, (scores, Sequences::Packed), |[q, k, v]| {
        q.apply_op3(&k, &v, op.clone())
    })
}
