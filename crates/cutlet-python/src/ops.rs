//! Plans an operator's launches for a problem and a device, and starts the launches on torch's
//! stream or runs them on the emulator. Users call this through `cutlet.ops`.
//!
//! ```text
//!   attention((dtype, extents, strides, ..), device) ──► Launches ─┬─ launch(stream, addresses)      cuda:device
//!                                                                  └─ emulate(bytes of buffers)      the CPU
//! ```
//!
//! Law: a problem that no kernel computes raises `cutlet.OperatorError` with the values found and
//! the values allowed.

use crate::raise;
use cutlet_ops::kernel_abi::attention::{
    AttentionBackwardProblem, AttentionMask, AttentionProblem, AttentionStrides, AttentionType,
    PackedAttentionProblem, PackedBackwardProblem,
};
use cutlet_ops::kernel_abi::gemm::{Epilogue, GemmProblem, InputType, Majors, Order, OutputType};
use cutlet_ops::{
    AttentionScores, BackwardKernels, BufferRole, CudaDevice, EMULATED_GPU, GpuTraits,
    LaunchSequence, OpsError,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

/// A planned operator.
#[pyclass(frozen, module = "cutlet._native")]
pub struct Launches {
    sequence: LaunchSequence,
    device: Option<&'static CudaDevice>,
    /// The compute capability of the emulated GPU, if `device` is `None`.
    emulated: (u32, u32),
}

#[pymethods]
impl Launches {
    /// Returns the buffers in the order of the addresses: name, bytes and role (0 input, 1 output,
    /// 2 scratch).
    fn buffers(&self) -> Vec<(&'static str, u64, u8)> {
        let buffers = self.sequence.buffers().iter();
        buffers
            .map(|of| {
                let role = match of.role {
                    BufferRole::Input => 0,
                    BufferRole::Output => 1,
                    BufferRole::Scratch => 2,
                };
                (of.name, of.bytes, role)
            })
            .collect()
    }

    /// Returns the names of the kernels, in the order of their launches.
    fn kernels(&self) -> Vec<&'static str> {
        self.sequence.kernels().collect()
    }

    /// Enqueues the launches on the stream with this handle.
    #[allow(unsafe_code)]
    fn launch(&self, py: Python<'_>, stream: u64, addresses: Vec<u64>) -> PyResult<()> {
        let Some(device) = self.device else {
            return Err(raise(py, "OperatorError", ("it is planned for the CPU",)));
        };
        let stream = std::ptr::with_exposed_provenance_mut(stream as usize);
        // SAFETY: `cutlet.ops` passes torch's current stream of this device, and addresses of
        // tensors on this device with the extents and strides for which the plan was made. torch's
        // allocator keeps the memory of these tensors until the stream has passed the launches.
        // Outputs and scratch are new tensors, which overlap no other tensor.
        unsafe { self.sequence.enqueue(device, stream, &addresses) }
            .map_err(|error| refused(py, &error))
    }

    /// Runs the launches on the emulator with the bytes of the buffers, and returns the outputs'
    /// bytes.
    fn emulate<'py>(
        &self,
        py: Python<'py>,
        buffers: Vec<PyBackedBytes>,
    ) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let mut bytes: Vec<Vec<u8>> = buffers.iter().map(|of| of.to_vec()).collect();
        py.detach(|| self.sequence.emulate(self.emulated, &mut bytes))
            .map_err(|error| refused(py, &error))?;
        let outputs = self.sequence.buffers().iter().zip(&bytes);
        Ok(outputs
            .filter(|(of, _)| of.role == BufferRole::Output)
            .map(|(_, bytes)| PyBytes::new(py, bytes))
            .collect())
    }
}

fn refused(py: Python<'_>, error: &OpsError) -> PyErr {
    raised(py, error.to_string())
}

/// Makes a `cutlet.OperatorError` with this message.
pub fn raised(py: Python<'_>, said: String) -> PyErr {
    raise(py, "OperatorError", (said,))
}

/// Plans for a CUDA device, or for an emulator of the GPU `emulated` if `device` is `None`.
pub fn planned(
    py: Python<'_>,
    device: Option<u32>,
    emulated: &'static GpuTraits<'static>,
    plan: impl FnOnce(&GpuTraits<'_>) -> Result<LaunchSequence, OpsError> + Send,
) -> PyResult<Launches> {
    let made = py.detach(|| {
        let device = device.map(CudaDevice::get).transpose()?;
        let sequence = match device {
            Some(device) => plan(&device.traits())?,
            None => plan(emulated)?,
        };
        Ok(Launches {
            sequence,
            device,
            emulated: emulated.compute_capability,
        })
    });
    made.map_err(|error| refused(py, &error))
}

/// The strides of a tensor of heads between rows, heads and batches, in elements.
type Strides = (u64, u64, u64);

fn strides((row, head, batch): Strides) -> AttentionStrides {
    AttentionStrides { row, head, batch }
}

/// An attention, as Python passes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Attention {
    bf16: bool,
    batches: u32,
    heads: u32,
    key_heads: u32,
    queries: u32,
    keys: u32,
    dim: u32,
    dim_v: u32,
    /// The number of keys before and after a query's own position, or `None` for all keys.
    before: Option<u32>,
    after: Option<u32>,
    scale: f32,
    /// Whether the launches write the log-sum-exp of the rows.
    lse: bool,
    /// The strides of Q, K, V and O.
    strides: [Strides; 4],
    /// The strides of dO, dQ, dK and dV, or `None` if no gradients are computed.
    gradients: Option<[Strides; 4]>,
    /// The number of packed sequences, or `None` if sequences are not packed.
    sequences: Option<u32>,
    /// The score functions: the soft cap, and whether there are ALiBi and sinks. Sinks and slopes
    /// are passed in separate buffers.
    soft_cap: Option<f32>,
    alibi: bool,
    sinks: bool,
    /// Whether gradients have the same bits on every run.
    deterministic: bool,
}

impl Attention {
    fn forward(&self) -> AttentionProblem {
        AttentionProblem {
            element: match self.bf16 {
                true => AttentionType::Bf16,
                false => AttentionType::F16,
            },
            batches: self.batches,
            heads: self.heads,
            key_heads: self.key_heads,
            queries: self.queries,
            keys: self.keys,
            dim: self.dim,
            dim_v: self.dim_v,
            mask: match (self.before, self.after) {
                (None, None) => AttentionMask::Full,
                (None, Some(0)) => AttentionMask::Causal,
                (before, after) => AttentionMask::Window {
                    before: before.unwrap_or(u32::MAX),
                    after: after.unwrap_or(u32::MAX),
                },
            },
            scale: self.scale,
            lse: self.lse,
            strides: self.strides.map(strides),
        }
    }
}

/// Plans an attention, or its gradients if `of` has the gradients' strides.
#[pyfunction]
pub fn attention(py: Python<'_>, of: Attention, device: Option<u32>) -> PyResult<Launches> {
    planned(py, device, &EMULATED_GPU, |gpu| {
        let forward = of.forward();
        let scores = AttentionScores {
            soft_cap: of.soft_cap,
            alibi: of.alibi,
            sinks: of.sinks,
        };
        match (of.gradients, of.sequences) {
            (None, None) => cutlet_ops::attention(gpu, &forward, scores, None),
            (None, Some(sequences)) => {
                let all = forward;
                let problem = PackedAttentionProblem { all, sequences };
                cutlet_ops::attention_packed(gpu, &problem, scores, None)
            }
            (Some(gradients), sequences) => {
                let gradients = gradients.map(strides);
                let all = AttentionBackwardProblem { forward, gradients };
                match sequences {
                    None => {
                        let kernels = match of.deterministic {
                            true => BackwardKernels::Deterministic,
                            false => BackwardKernels::Fastest,
                        };
                        cutlet_ops::attention_backward(gpu, &all, scores, kernels, None)
                    }
                    Some(sequences) => {
                        let problem = PackedBackwardProblem { all, sequences };
                        cutlet_ops::attention_backward_packed(gpu, &problem, scores, None)
                    }
                }
            }
        }
    })
}

/// A product, as Python passes it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Product {
    bf16: bool,
    m: u32,
    n: u32,
    k: u32,
    batches: u32,
    /// Whether A and B are row-major.
    rows: (bool, bool),
    ld: (u64, u64),
    /// The batch strides of A, B and D.
    batch_strides: (u64, u64, u64),
    bias: bool,
    alignment: u32,
}

/// Plans a product D = A B + bias with a row-major and compact D.
#[pyfunction]
pub fn matmul(py: Python<'_>, of: Product, device: Option<u32>) -> PyResult<Launches> {
    planned(py, device, &EMULATED_GPU, |gpu| {
        let order = |rows| match rows {
            true => Order::Rows,
            false => Order::Columns,
        };
        let input = match of.bf16 {
            true => InputType::Bf16,
            false => InputType::F16,
        };
        let (a, b, d) = of.batch_strides;
        let problem = GemmProblem {
            batches: of.batches,
            majors: Majors::of(order(of.rows.0), order(of.rows.1)),
            lda: of.ld.0,
            ldb: of.ld.1,
            batch_strides: [a, b, 0, d],
            input_alignment: of.alignment,
            epilogue: Epilogue {
                bias: of.bias,
                ..Epilogue::NONE
            },
            ..GemmProblem::new(of.m, of.n, of.k, input, OutputType::Same)
        };
        cutlet_ops::gemm(gpu, &problem)
    })
}

/// Returns the number of kernels in the package.
#[pyfunction]
pub fn kernel_count() -> usize {
    cutlet_ops::kernel_count()
}
