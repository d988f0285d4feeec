//! Kernels of the collective with an epilogue operation that a user's crate defines.
//!
//! ```text
//!   Collective<..>      boxes, stages, instruction, tiles ─┐
//!   BiasGeluResidual    accumulator ─ bias, GELU, C ─► D  ─┴─ WithOperation<Collective<..>, BiasGeluResidual>
//! ```
//!
//! Law: the mainloop is that of `C`, the arithmetic after it that of `Op`. If `Op` is not the
//! identity, D is its result, rounded once.

use super::config::{CollectiveConfig, GemmConfig};
use core::marker::PhantomData;
use gpu_kernels::gemm::epilogue::op::EpilogueOp;
use gpu_kernels::gemm::epilogue::reads::of_operation;
use kernel_abi::gemm::{Majors, OperationReads};

/// The configuration `C` with the epilogue operation `Op`.
///
/// `examples/hopper-kernels/src/gemm.rs` has such a kernel, in a crate that depends on this one
/// without its default features. The [`configuration`](super::collective::configuration) of this
/// type plans its launch.
pub struct WithOperation<C, Op>(PhantomData<(C, Op)>);

impl<C: GemmConfig, Op: EpilogueOp + 'static> CollectiveConfig for WithOperation<C, Op> {
    type Element = C::Element;
    type D = C::D;
    type MajorA = C::MajorA;
    type MajorB = C::MajorB;
    type Registers = C::Registers;
    type SmemA = C::SmemA;
    type SmemB = C::SmemB;
    type PartA = C::PartA;
    type PartB = C::PartB;
    type Atoms = C::Atoms;
    type Chunks = C::Chunks;
    type Tiles = C::Tiles;
    type Operation = Op;
    const TILE: [u32; 3] = C::TILE;
    const CLUSTER: [u32; 2] = C::CLUSTER;
    const STAGES: u32 = C::STAGES;
    const CLUSTER_SPLIT: bool = C::CLUSTER_SPLIT;
    const MAJORS: Majors = C::MAJORS;
    const READS: Option<OperationReads> = of_operation::<Op>();
    const SWAPPED: bool = C::SWAPPED;
    const CHUNK: u32 = C::CHUNK;
    const BYTES_A: u32 = C::BYTES_A;
    const BYTES_B: u32 = C::BYTES_B;
}

impl<C: GemmConfig, Op: EpilogueOp + 'static> GemmConfig for WithOperation<C, Op> {
    type Kind = C::Kind;
    type N = C::N;
    type Atom = C::Atom;
    type Mainloop = C::Mainloop;
    const PINGPONG: bool = C::PINGPONG;
    const ANY_CLUSTER: bool = C::ANY_CLUSTER;
}
