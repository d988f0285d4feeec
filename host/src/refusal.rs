//! The errors of a launch that is refused before its kernel starts.

use crate::contract::ExtentRule;
use crate::launch::Dim3;
use emulator::counted;
use thiserror::Error;

/// The fault of a launch: the values found and the values allowed.
///
/// Arguments are counted from 0, in the order of the tuple's fields.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The number of arguments is wrong.
    #[error("{given} arguments were given, it takes {expected}: ({})", .parameters.join(", "))]
    ArgumentCount {
        /// The number of arguments given.
        given: usize,
        /// The number of the kernel's parameters.
        expected: usize,
        /// The parameters' types in the PTX.
        parameters: Vec<String>,
    },
    /// The size of an argument differs from the size of its parameter.
    #[error(
        "argument {index} is {given}; the kernel's parameter is {declared}, {}",
        counted(expected_size, "byte")
    )]
    ArgumentSize {
        /// The index of the argument.
        index: usize,
        /// What was given, with its size.
        given: String,
        /// The argument's size in bytes.
        given_size: usize,
        /// The parameter's type in the PTX.
        declared: String,
        /// The parameter's size in bytes.
        expected_size: usize,
    },
    /// The kind of an argument differs from the kind of its parameter.
    #[error("argument {index} is {given}; the kernel's parameter is {declared}, {expected}")]
    ArgumentKind {
        /// The index of the argument.
        index: usize,
        /// The argument that was given.
        given: String,
        /// The parameter's type in the PTX.
        declared: String,
        /// The kind of value that the parameter takes.
        expected: &'static str,
    },
    /// An argument is a tensor map, but the tensor memory accelerator cannot read it from its
    /// parameter.
    #[error(
        "argument {index} is a tensor map; the kernel's parameter is aligned to {found} bytes and must be to {required}: declare it `#[grid_constant] map: &TensorMap`"
    )]
    TensorMapAlignment {
        /// The index of the argument.
        index: usize,
        /// The parameter's alignment, in bytes.
        found: usize,
        /// The smallest alignment required, in bytes.
        required: usize,
    },
    /// A buffer belongs to another device.
    #[error("argument {index} is a buffer of {owner}; the kernel runs on {device}")]
    OtherDevice {
        /// The index of the argument.
        index: usize,
        /// The device of the buffer.
        owner: String,
        /// The device on which the kernel runs.
        device: String,
    },
    /// An extent of the grid is 0 or beyond the device's limit.
    #[error("the grid is {grid}: {axis} must be from 1 to {max}")]
    Grid {
        /// The grid.
        grid: Dim3,
        /// The axis at fault.
        axis: char,
        /// The device's limit along this axis.
        max: u32,
    },
    /// An extent of the block is 0 or beyond the device's limit.
    #[error("the block is {block}: {axis} must be from 1 to {max}")]
    Block {
        /// The block.
        block: Dim3,
        /// The axis at fault.
        axis: char,
        /// The device's limit along this axis.
        max: u32,
    },
    /// The block has more threads than allowed.
    #[error(
        "the block {block} has {}; {limit} is {max}",
        counted(threads, "thread")
    )]
    Threads {
        /// The block.
        block: Dim3,
        /// The number of the block's threads.
        threads: u128,
        /// The largest number allowed.
        max: u32,
        /// The source of the limit, as text.
        limit: &'static str,
    },
    /// The block differs from the only one for which the kernel was compiled.
    #[error("the block is {block}; the kernel's .reqntid is {required}")]
    RequiredBlock {
        /// The block.
        block: Dim3,
        /// The kernel's block.
        required: Dim3,
    },
    /// The cluster has no blocks, or too many.
    #[error(
        "the cluster {cluster} has {}; {limit} is {max}",
        counted(blocks, "block")
    )]
    Cluster {
        /// The cluster.
        cluster: Dim3,
        /// The number of the cluster's blocks.
        blocks: u128,
        /// The largest number allowed.
        max: u32,
        /// The source of the limit, as text.
        limit: &'static str,
    },
    /// The cluster differs from the only one for which the kernel was compiled.
    #[error("the cluster is {cluster}; the kernel's .reqnctapercluster is {required}")]
    RequiredCluster {
        /// The cluster.
        cluster: Dim3,
        /// The kernel's cluster.
        required: Dim3,
    },
    /// The grid is not a multiple of the cluster.
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
    /// The device does not support programmatic dependent launch.
    #[error("programmatic dependent launch needs a device of compute capability 9.0 or more")]
    NotProgrammatic,
    /// The launch needs more shared memory than a block may have on the device.
    #[error(
        "{fixed} bytes of static and {dynamic} bytes of dynamic shared memory; the device gives a block at most {max}"
    )]
    Shared {
        /// The static shared memory of the kernel, in bytes.
        fixed: usize,
        /// The dynamic shared memory of the launch, in bytes.
        dynamic: usize,
        /// The device's opt-in limit, in bytes.
        max: usize,
    },
    /// The contract belongs to another kernel.
    #[error("the contract of this launch is that of `{contract}`")]
    ContractKernel {
        /// The kernel of the contract.
        contract: String,
    },
    /// The grid differs from the contract's.
    #[error("the grid is {given}; the kernel's contract requires {required}")]
    ContractGrid {
        /// The grid of the launch.
        given: Dim3,
        /// The contract's grid.
        required: Dim3,
    },
    /// The block differs from the contract's.
    #[error("the block is {given}; the kernel's contract requires {required}")]
    ContractBlock {
        /// The block of the launch.
        given: Dim3,
        /// The contract's block.
        required: Dim3,
    },
    /// The cluster differs from the contract's.
    #[error("the cluster is {given}; the kernel's contract requires {required}")]
    ContractCluster {
        /// The cluster of the launch.
        given: Dim3,
        /// The contract's cluster.
        required: Dim3,
    },
    /// The launch has less dynamic shared memory than the contract requires.
    #[error(
        "{} of dynamic shared memory; the kernel's contract requires {required}",
        counted(given, "byte")
    )]
    ContractShared {
        /// The dynamic shared memory of the launch, in bytes.
        given: usize,
        /// The contract's dynamic shared memory, in bytes.
        required: usize,
    },
    /// The kernel does not support this extent.
    #[error("{} is {}; the kernel's contract requires {}", .0.name, .0.value, .0)]
    Extent(ExtentRule),
    /// The contract names an argument that does not exist, or that is not a buffer.
    #[error(
        "the kernel's contract requires a buffer as argument {index} (`{name}`); it is {given}"
    )]
    NotABuffer {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
        /// The argument that was given.
        given: String,
    },
    /// A buffer is shorter than the kernel needs.
    #[error(
        "argument {index} (`{name}`) has {}; the kernel needs {required}",
        counted(given, "element")
    )]
    TooShort {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
        /// The number of elements that were given.
        given: usize,
        /// The number of elements needed.
        required: usize,
    },
    /// The buffer's elements have another size than the kernel's.
    #[error(
        "argument {index} (`{name}`) has elements of {} ({given_type}); the kernel's have {required}",
        counted(given, "byte")
    )]
    ElementBytes {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
        /// The size of a given element, in bytes.
        given: usize,
        /// The type of the given elements, or the kind of the buffer's wrapper.
        given_type: &'static str,
        /// The size of an element of the kernel, in bytes.
        required: usize,
    },
    /// The address of a buffer has a smaller alignment than the kernel needs.
    #[error(
        "argument {index} (`{name}`) lies at {address:#x}, which is a multiple of {found} and not of {required} as the kernel needs"
    )]
    Misaligned {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
        /// The buffer's address.
        address: u64,
        /// The largest power of two that divides the address.
        found: u64,
        /// The alignment needed, in bytes.
        required: usize,
    },
    /// The kernel writes a buffer that was given as read-only.
    #[error(
        "argument {index} (`{name}`) was given as `&`; the kernel writes to it, so it must be given as `&mut`"
    )]
    ReadOnly {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
    },
    /// The kernel reaches an instruction that the emulator does not know. A GPU may know it.
    #[error("{0}")]
    NotEmulated(Box<emulator::NotEmulated>),
    /// A scalar argument differs from the value from which the contract was computed.
    #[error(
        "argument {index} (`{name}`) is {given}; the contract of this launch was made for {required}"
    )]
    Scalar {
        /// The index of the argument.
        index: usize,
        /// The argument's name in the contract.
        name: String,
        /// The value that was given.
        given: String,
        /// The contract's value.
        required: String,
    },
}
