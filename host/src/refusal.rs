//! Why a launch is refused before its kernel starts.

use crate::contract::ExtentRule;
use crate::launch::Dim3;
use emulator::counted;
use thiserror::Error;

/// What is wrong with a launch: the values found and the values allowed.
///
/// Arguments are counted from 0, as the fields of the tuple are.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Too many or too few arguments.
    #[error("{given} arguments were given, it takes {expected}: ({})", .parameters.join(", "))]
    ArgumentCount {
        /// Arguments given.
        given: usize,
        /// Parameters of the kernel.
        expected: usize,
        /// Their types in the PTX.
        parameters: Vec<String>,
    },
    /// An argument of another size than its parameter.
    #[error(
        "argument {index} is {given}; the kernel's parameter is {declared}, {}",
        counted(expected_size, "byte")
    )]
    ArgumentSize {
        /// Which argument.
        index: usize,
        /// What was given, with its size.
        given: String,
        /// Its size in bytes.
        given_size: usize,
        /// The parameter's type in the PTX.
        declared: String,
        /// Its size in bytes.
        expected_size: usize,
    },
    /// An argument of another kind than its parameter.
    #[error("argument {index} is {given}; the kernel's parameter is {declared}, {expected}")]
    ArgumentKind {
        /// Which argument.
        index: usize,
        /// What was given.
        given: String,
        /// The parameter's type in the PTX.
        declared: String,
        /// What that takes.
        expected: &'static str,
    },
    /// A tensor map for a parameter that the tensor memory accelerator cannot read it from.
    #[error(
        "argument {index} is a tensor map; the kernel's parameter is aligned to {found} bytes and must be to {required}: declare it `#[grid_constant] map: &TensorMap`"
    )]
    TensorMapAlignment {
        /// Which argument.
        index: usize,
        /// The parameter's alignment, in bytes.
        found: usize,
        /// The least alignment, in bytes.
        required: usize,
    },
    /// A buffer of another device.
    #[error("argument {index} is a buffer of {owner}; the kernel runs on {device}")]
    OtherDevice {
        /// Which argument.
        index: usize,
        /// Where the buffer is.
        owner: String,
        /// Where the kernel runs.
        device: String,
    },
    /// A grid with an extent of 0 or beyond the device's limit.
    #[error("the grid is {grid}: {axis} must be from 1 to {max}")]
    Grid {
        /// The grid.
        grid: Dim3,
        /// The axis at fault.
        axis: char,
        /// The device's limit along it.
        max: u32,
    },
    /// A block with an extent of 0 or beyond the device's limit.
    #[error("the block is {block}: {axis} must be from 1 to {max}")]
    Block {
        /// The block.
        block: Dim3,
        /// The axis at fault.
        axis: char,
        /// The device's limit along it.
        max: u32,
    },
    /// More threads than a block may have.
    #[error(
        "the block {block} has {}; {limit} is {max}",
        counted(threads, "thread")
    )]
    Threads {
        /// The block.
        block: Dim3,
        /// Its threads.
        threads: u128,
        /// The most allowed.
        max: u32,
        /// Whose limit that is.
        limit: &'static str,
    },
    /// Another block than the only one that the kernel was compiled for.
    #[error("the block is {block}; the kernel's .reqntid is {required}")]
    RequiredBlock {
        /// The block.
        block: Dim3,
        /// The kernel's.
        required: Dim3,
    },
    /// A cluster of no blocks, or of too many.
    #[error(
        "the cluster {cluster} has {}; {limit} is {max}",
        counted(blocks, "block")
    )]
    Cluster {
        /// The cluster.
        cluster: Dim3,
        /// Its blocks.
        blocks: u128,
        /// The most allowed.
        max: u32,
        /// Whose limit that is.
        limit: &'static str,
    },
    /// Another cluster than the only one that the kernel was compiled for.
    #[error("the cluster is {cluster}; the kernel's .reqnctapercluster is {required}")]
    RequiredCluster {
        /// The cluster.
        cluster: Dim3,
        /// The kernel's.
        required: Dim3,
    },
    /// A grid that does not fall into clusters.
    #[error(
        "the grid is {grid}, in clusters of {cluster}: {axis} must be a multiple of the cluster's"
    )]
    ClusterGrid {
        /// The grid.
        grid: Dim3,
        /// The cluster.
        cluster: Dim3,
        /// The axis at fault.
        axis: char,
    },
    /// Programmatic dependent launch on a device that has none.
    #[error("programmatic dependent launch needs a device of compute capability 9.0 or more")]
    NotProgrammatic,
    /// More shared memory than the device gives a block.
    #[error(
        "{fixed} bytes of static and {dynamic} bytes of dynamic shared memory; the device gives a block at most {max}"
    )]
    Shared {
        /// Static shared memory of the kernel, in bytes.
        fixed: usize,
        /// Dynamic shared memory of the launch, in bytes.
        dynamic: usize,
        /// The device's opt-in limit, in bytes.
        max: usize,
    },
    /// The contract of another kernel.
    #[error("the contract of this launch is that of `{contract}`")]
    ContractKernel {
        /// The kernel that the contract is of.
        contract: String,
    },
    /// Another grid than the contract's.
    #[error("the grid is {given}; the kernel's contract requires {required}")]
    ContractGrid {
        /// The grid of the launch.
        given: Dim3,
        /// The contract's.
        required: Dim3,
    },
    /// Another block than the contract's.
    #[error("the block is {given}; the kernel's contract requires {required}")]
    ContractBlock {
        /// The block of the launch.
        given: Dim3,
        /// The contract's.
        required: Dim3,
    },
    /// Another cluster than the contract's.
    #[error("the cluster is {given}; the kernel's contract requires {required}")]
    ContractCluster {
        /// The cluster of the launch.
        given: Dim3,
        /// The contract's.
        required: Dim3,
    },
    /// Less dynamic shared memory than the contract requires.
    #[error(
        "{} of dynamic shared memory; the kernel's contract requires {required}",
        counted(given, "byte")
    )]
    ContractShared {
        /// Dynamic shared memory of the launch, in bytes.
        given: usize,
        /// The contract's, in bytes.
        required: usize,
    },
    /// An extent that the kernel is not made for.
    #[error("{} is {}; the kernel's contract requires {}", .0.name, .0.value, .0)]
    Extent(ExtentRule),
    /// The contract speaks of an argument that is not there, or is no buffer.
    #[error(
        "the kernel's contract requires a buffer as argument {index} (`{name}`); it is {given}"
    )]
    NotABuffer {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
        /// What was given.
        given: String,
    },
    /// A buffer that is shorter than the kernel needs.
    #[error(
        "argument {index} (`{name}`) has {}; the kernel needs {required}",
        counted(given, "element")
    )]
    TooShort {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
        /// Elements given.
        given: usize,
        /// Elements needed.
        required: usize,
    },
    /// A buffer of elements of another size than the kernel's.
    #[error(
        "argument {index} (`{name}`) has elements of {} ({given_type}); the kernel's have {required}",
        counted(given, "byte")
    )]
    ElementBytes {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
        /// Bytes of an element given.
        given: usize,
        /// Its type, or what the buffer is behind.
        given_type: &'static str,
        /// Bytes of one of the kernel's.
        required: usize,
    },
    /// A buffer on a smaller boundary than the kernel needs.
    #[error(
        "argument {index} (`{name}`) lies at {address:#x}, which is a multiple of {found} and not of {required} as the kernel needs"
    )]
    Misaligned {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
        /// Its address.
        address: u64,
        /// The largest power of two that divides the address.
        found: u64,
        /// The alignment needed, in bytes.
        required: usize,
    },
    /// A buffer that the kernel writes, given as one to be read.
    #[error(
        "argument {index} (`{name}`) was given as `&`; the kernel writes to it, so it must be given as `&mut`"
    )]
    ReadOnly {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
    },
    /// The kernel reaches an instruction that the emulator does not know; a GPU may know it.
    #[error("{0}")]
    NotEmulated(Box<emulator::NotEmulated>),
    /// A scalar that differs from the one that the contract was computed from.
    #[error(
        "argument {index} (`{name}`) is {given}; the contract of this launch was made for {required}"
    )]
    Scalar {
        /// Which argument.
        index: usize,
        /// Its name in the contract.
        name: String,
        /// What was given.
        given: String,
        /// The contract's value.
        required: String,
    },
}
