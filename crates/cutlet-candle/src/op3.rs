//! The common part of the operators on q, k and v. An operator takes candle's storages, and returns
//! one result or three gradients.
//!
//! ```text
//!   q, k, v with layouts ─► operands ─► the operator's forward ─► its first output, O
//! ```

use crate::operands::{Operand, tensor};
use crate::refused;
#[cfg(feature = "cuda")]
use candle::CudaStorage;
use candle::backend::BackendStorage;
use candle::{CpuStorage, DType, Layout, Result, Shape, Storage, Tensor};

/// q, k and v on the CPU or on a CUDA device.
pub type Operands<'a> = [(Operand<'a>, &'a Layout); 3];

/// The gradients of q, k and v, as candle takes them.
pub type Gradients = (Option<Tensor>, Option<Tensor>, Option<Tensor>);

/// Returns the shape of O: q's shape with v's columns.
fn shape_of_result(q: &Layout, v: &Layout) -> Shape {
    let mut dims = q.dims().to_vec();
    if let (Some(columns), Some(of_v)) = (dims.last_mut(), v.dims().last()) {
        *columns = *of_v;
    }
    Shape::from(dims)
}

/// Runs `forward` on tensors of the CPU. The result has q's type and rows, and v's columns.
pub fn on_cpu<'a>(
    of: [(&'a CpuStorage, &'a Layout); 3],
    forward: impl FnOnce(Operands<'a>, DType) -> Result<Storage>,
) -> Result<(CpuStorage, Shape)> {
    let ((q, q_l), (_, v_l)) = (of[0], of[2]);
    let operands = of.map(|(storage, layout)| (Operand::cpu(storage, layout), layout));
    match forward(operands, q.dtype())? {
        Storage::Cpu(storage) => Ok((storage, shape_of_result(q_l, v_l))),
        _ => candle::bail!("the result is not on the CPU"),
    }
}

/// Runs `forward` on tensors of a CUDA device. The result has q's type and rows, and v's columns.
#[cfg(feature = "cuda")]
pub fn on_cuda<'a>(
    of: [(&'a CudaStorage, &'a Layout); 3],
    forward: impl FnOnce(Operands<'a>, DType) -> Result<Storage>,
) -> Result<(CudaStorage, Shape)> {
    let ((q, q_l), (_, v_l)) = (of[0], of[2]);
    let operands = of.map(|(storage, layout)| (Operand::cuda(storage, layout), layout));
    match forward(operands, q.dtype())? {
        Storage::Cuda(storage) => Ok((storage, shape_of_result(q_l, v_l))),
        _ => candle::bail!("the result is not on the device"),
    }
}

/// Returns O, the first output of a launch sequence.
pub fn result(outputs: Vec<Storage>) -> Result<Storage> {
    let first = outputs.into_iter().next();
    first.ok_or_else(|| refused("attention has no result"))
}

/// Returns the log-sum-exp of `rows` rows, the second output of a launch sequence.
pub fn log_sum_exp(outputs: Vec<Storage>, rows: usize) -> Result<Tensor> {
    let Ok([_, lse]) = <[Storage; 2]>::try_from(outputs) else {
        candle::bail!("attention has no log-sum-exp")
    };
    Ok(tensor(lse, &Shape::from(rows)))
}

/// Returns dQ, dK and dV, the outputs of a sequence for the backward pass, in the shapes of q, k
/// and v.
pub fn gradients(outputs: Vec<Storage>, like: [&Tensor; 3]) -> Result<Gradients> {
    let Ok([dq, dk, dv]) = <[Storage; 3]>::try_from(outputs) else {
        candle::bail!("attention has no gradients")
    };
    let [q, k, v] = like;
    let [dq, dk, dv] = [(dq, q), (dk, k), (dv, v)].map(|(of, like)| tensor(of, like.shape()));
    Ok((Some(dq), Some(dk), Some(dv)))
}
