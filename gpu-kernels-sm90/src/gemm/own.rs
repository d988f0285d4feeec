//! A configuration of the table with an epilogue operation of a crate's own.
//!
//! ```text
//!   Bf16Wide            boxes, stages, instruction, tiles ─┐
//!   BiasGeluResidual    accumulator ─ bias, GELU, C ─► D  ─┴─ WithOperation<Bf16Wide, BiasGeluResidual>
//! ```
//!
//! Law: the mainloop is `C`'s, the arithmetic behind it `Op`'s; where `Op` is no identity D is what
//! it gives, rounded once.

use super::config::GemmConfig;
use core::marker::PhantomData;
use gpu_kernels::gemm::epilogue::op::EpilogueOp;

/// The configuration `C` with the epilogue operation `Op`.
///
/// A kernel of it, in a crate that depends on this one without its default features, is
/// `examples/hopper-kernels/src/gemm.rs`; its launch is planned by
/// `Bf16Wide::CONFIGURATION.with_operation("gemm_..", of_operation::<Op>())`.
pub struct WithOperation<C, Op>(PhantomData<(C, Op)>);

impl<C: GemmConfig, Op: EpilogueOp + 'static> GemmConfig for WithOperation<C, Op> {
    type Element = C::Element;
    type D = C::D;
    type MajorA = C::MajorA;
    type MajorB = C::MajorB;
    type N = C::N;
    type Atom = C::Atom;
    type Registers = C::Registers;
    type SmemA = C::SmemA;
    type SmemB = C::SmemB;
    type PartA = C::PartA;
    type PartB = C::PartB;
    type Atoms = C::Atoms;
    type Chunks = C::Chunks;
    type Tiles = C::Tiles;
    type Mainloop = C::Mainloop;
    type Operation = Op;
    const TILE: [u32; 3] = C::TILE;
    const CLUSTER: [u32; 2] = C::CLUSTER;
    const PINGPONG: bool = C::PINGPONG;
    const STAGES: u32 = C::STAGES;
    const CLUSTER_SPLIT: bool = C::CLUSTER_SPLIT;
    const SWAPPED: bool = C::SWAPPED;
    const CHUNK: u32 = C::CHUNK;
}
