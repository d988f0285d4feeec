//! Attention of sequences of one length, in functions with candle-flash-attn's names.
//!
//! ```text
//!   q (batch, rows, heads, D)   k, v (batch, keys, key heads, D) ──► o (batch, rows, heads, D), contiguous
//! ```
//!
//! Law: q, k and v have gradients. The backward pass computes the log-sum-exp a second time, since
//! candle keeps one result of an operator.

#[cfg(feature = "cuda")]
use crate::op3::on_cuda;
use crate::op3::{Gradients, Operands, gradients, log_sum_exp, on_cpu, result};
use crate::operands::{Operand, check_of_heads, on_device_of};
use crate::padding::{Sequences, padded};
use crate::problem::{attention, contiguous, mask};
use crate::run::run;
use candle::{CpuStorage, CustomOp3, Layout, Result, Shape, Storage, Tensor};
use cutlet_ops::kernel_abi::attention::AttentionBackwardProblem;
use cutlet_ops::{AttentionScores, BackwardKernels, GpuTraits};

/// The operator, for [`Tensor::apply_op3`] on q, k and v.
#[derive(Clone)]
pub struct FlashAttn {
    /// The factor of the scores.
    pub softmax_scale: f32,
    /// ALiBi's slope of each head of q.
    pub alibi_slopes: Option<Tensor>,
    /// The number of keys before a query's own position that the query sees, or `None` for all
    /// keys.
    pub window_size_left: Option<usize>,
    /// The number of keys after a query's own position that the query sees, or `None` for all keys.
    pub window_size_right: Option<usize>,
    /// The soft cap, which bounds the scores. A cap of 0 or less means no cap.
    pub softcap: Option<f32>,
}

/// Returns the score functions of an operator.
pub fn scores(alibi_slopes: Option<&Tensor>, softcap: Option<f32>) -> AttentionScores {
    AttentionScores {
        soft_cap: softcap.filter(|cap| *cap > 0.0),
        alibi: alibi_slopes.is_some(),
        sinks: false,
    }
}

impl FlashAttn {
    fn forward(&self, [q, k, v]: Operands<'_>, of: candle::DType) -> Result<Storage> {
        let keys = k.1.dims().get(1).copied().unwrap_or(0);
        let mask = mask(self.window_size_left, self.window_size_right, keys);
        let problem = attention(of, [q.1, k.1, v.1], mask, self.softmax_scale)?;
        let scores = scores(self.alibi_slopes.as_ref(), self.softcap);
        let mut inputs = vec![q.0, k.0, v.0];
        let slopes = self.alibi_slopes.as_ref().map(Tensor::storage_and_layout);
        if let (Some(of), Some((storage, layout))) = (&self.alibi_slopes, &slopes) {
            check_of_heads("alibi_slopes", of, problem.heads)?;
            inputs.push(Operand::of(storage, layout)?);
        }
        let outputs = run(of, &inputs, |gpu| {
            cutlet_ops::attention(gpu, &problem, scores, None)
        })?;
        result(outputs)
    }
}

impl CustomOp3 for FlashAttn {
    fn name(&self) -> &'static str {
        "flash-attn"
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
        let of = [q, k, v, o, &grad].map(Tensor::storage_and_layout);
        let mask = mask(self.window_size_left, self.window_size_right, k.dim(1)?);
        let [q_l, k_l, v_l, o_l, _] = of.each_ref().map(|(_, layout)| *layout);
        let problem = attention(q.dtype(), [q_l, k_l, v_l], mask, self.softmax_scale)?.with_lse();
        let operand = |i: usize| Operand::of(&of[i].0, of[i].1);
        let slopes = self.alibi_slopes.as_ref().map(Tensor::storage_and_layout);
        let slopes = match &slopes {
            Some((storage, layout)) => Some(Operand::of(storage, layout)?),
            None => None,
        };
        let tensors = [operand(0)?, operand(1)?, operand(2)?];
        let inputs: Vec<Operand<'_>> = tensors.into_iter().chain(slopes).collect();
        let again = |gpu: &GpuTraits<'_>| cutlet_ops::attention(gpu, &problem, scores, None);
        let rows = problem.heads as usize * problem.batches as usize * problem.queries as usize;
        let lse = log_sum_exp(run(q.dtype(), &inputs, again)?, rows)?;
        let (lse, lse_l) = lse.storage_and_layout();
        let of_queries = [problem.batches, problem.queries, problem.heads, problem.dim];
        let of_keys = [
            problem.batches,
            problem.keys,
            problem.key_heads,
            problem.dim,
        ];
        let backward = AttentionBackwardProblem {
            forward: problem,
            gradients: [of_queries, of_queries, of_keys, of_keys].map(contiguous),
        };
        let of_rows = [operand(3)?, operand(4)?, Operand::of(&lse, lse_l)?];
        let inputs: Vec<Operand<'_>> = (tensors.into_iter().chain(of_rows)).chain(slopes).collect();
        debug_assert!(o_l.is_contiguous());
        let made = run(q.dtype(), &inputs, |gpu| {
            cutlet_ops::attention_backward(gpu, &backward, scores, BackwardKernels::Fastest, None)
        })?;
        gradients(made, [q, k, v])
    }
}

/// Computes `softmax(softmax_scale Q Kᵀ) V` for tensors (batch, rows, heads, head size). With
/// `causal` a query sees the keys up to its own position, where the last query has the position of
/// the last key. The number of heads of `q` is a multiple of the number of heads of `k` and `v`.
///
/// ```
/// use candle::{DType, Device, Tensor};
/// let q = Tensor::zeros((1, 5, 2, 64), DType::BF16, &Device::Cpu)?;
/// match cutlet_candle::flash_attn(&q, &q, &q, 0.125, true) {
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
pub fn flash_attn(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let op = FlashAttn {
        softmax_scale,
        alibi_slopes: None,
        window_size_left: None,
        window_size_right: causal.then_some(0),
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn`] with a window: a query sees `window_size_left` keys before its own
/// position and `window_size_right` keys after it. `None` means all keys on that side.
///
/// # Errors
/// Returns the errors of [`flash_attn`].
pub fn flash_attn_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = FlashAttn {
        softmax_scale,
        alibi_slopes: None,
        window_size_left,
        window_size_right,
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn`] with ALiBi: each score is reduced by the head's slope times the distance
/// between the query's own position and the key. `alibi_slopes` has one f32 for each head of `q`.
///
/// # Errors
/// Returns the errors of [`flash_attn`].
pub fn flash_attn_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let op = FlashAttn {
        softmax_scale,
        alibi_slopes: Some(alibi_slopes.clone()),
        window_size_left: None,
        window_size_right: causal.then_some(0),
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_alibi`] with the window of [`flash_attn_windowed`].
///
/// # Errors
/// Returns the errors of [`flash_attn`].
pub fn flash_attn_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = FlashAttn {
        softmax_scale,
        alibi_slopes: Some(alibi_slopes.clone()),
        window_size_left,
        window_size_right,
        softcap: None,
    };
    apply([q, k, v], op)
}

/// Computes [`flash_attn_windowed`] with optional slopes and a soft cap: each score becomes
/// `softcap tanh(score / softcap)`. A cap of 0 or less means no cap.
///
/// # Errors
/// Returns the errors of [`flash_attn`].
#[allow(clippy::too_many_arguments)]
pub fn flash_attn_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let op = FlashAttn {
        softmax_scale,
        alibi_slopes: alibi_slopes.cloned(),
        window_size_left,
        window_size_right,
        softcap: Some(softcap),
    };
    apply([q, k, v], op)
}

/// Applies the operator to tensors that satisfy the kernels' requirements.
fn apply(tensors: [&Tensor; 3], mut op: FlashAttn) -> Result<Tensor> {
    if let Some(of) = &mut op.alibi_slopes {
        *of = on_device_of(tensors[0], "alibi_slopes", of)?;
    }
    let scores = scores(op.alibi_slopes.as_ref(), op.softcap);
    padded(tensors, (scores, Sequences::Uniform), |[q, k, v]| {
        q.apply_op3(&k, &v, op.clone())
    })
}
