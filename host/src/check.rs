//! Checks a launch against the kernel's signature, the device's limits and the contract. Only this
//! module decides whether the driver or the emulator receives a launch.
//!
//! ```text
//!   arguments ──► count, size, kind, device ─┐
//!   grid, cluster, block, shared ──► limits ─┼──► Ok, or the first Refusal
//!   contract ──► lengths, alignments, …  ────┘
//! ```
//!
//! Law: the check has no side effects. A GPU and an emulator with the same limits get the same
//! answer.

use crate::args::{Argument, ArgumentKind, Pointer};
use crate::contract::Contract;
use crate::device::{DeviceId, Limits};
use crate::launch::{Dim3, Launch};
use crate::refusal::Refusal;
use crate::signature::{Parameter, ParameterKind, Signature};

/// The rules that a launch must satisfy.
pub(crate) struct Rules<'a> {
    pub signature: &'a Signature,
    /// The static shared memory of the kernel, in bytes.
    pub fixed_shared: usize,
    /// The largest number of threads with which the compiled kernel can run, if that is known.
    pub compiled_threads: Option<u32>,
    pub limits: &'a Limits,
    pub device: DeviceId,
}

/// The alignment that the tensor memory accelerator requires of a tensor map's address, in bytes.
const TENSOR_MAP_ALIGN: usize = 64;

/// The largest number of blocks of a cluster that every device with clusters supports.
const PORTABLE_CLUSTER: u32 = 8;

const AXES: [char; 3] = ['x', 'y', 'z'];

impl Rules<'_> {
    /// Checks the launch. Returns the first fault as an error.
    pub(crate) fn check(&self, launch: &Launch, arguments: &[Argument]) -> Result<(), Refusal> {
        self.arguments(arguments)?;
        self.shape_of(launch)?;
        launch.contract.as_ref().map_or(Ok(()), |contract| {
            honour(contract, self.signature, launch, arguments)
        })
    }

    /// Checks the launch's grid, clusters, block and shared memory. Returns the first fault as an
    /// error.
    pub(crate) fn shape_of(&self, launch: &Launch) -> Result<(), Refusal> {
        self.shape(launch)?;
        self.cluster(launch)?;
        self.shared(launch)
    }

    fn arguments(&self, arguments: &[Argument]) -> Result<(), Refusal> {
        let parameters = &self.signature.parameters;
        if arguments.len() != parameters.len() {
            return Err(Refusal::ArgumentCount {
                given: arguments.len(),
                expected: parameters.len(),
                parameters: parameters
                    .iter()
                    .map(|parameter| parameter.declared.clone())
                    .collect(),
            });
        }
        for (index, (argument, parameter)) in arguments.iter().zip(parameters).enumerate() {
            self.argument(index, argument, parameter)?;
        }
        Ok(())
    }

    fn argument(
        &self,
        index: usize,
        argument: &Argument,
        parameter: &Parameter,
    ) -> Result<(), Refusal> {
        if let ArgumentKind::Pointer(pointer) | ArgumentKind::TensorMap(pointer) = &argument.kind
            && pointer.device != self.device
        {
            return Err(Refusal::OtherDevice {
                index,
                owner: pointer.device.to_string(),
                device: self.device.to_string(),
            });
        }
        if argument.bytes.len() != parameter.size {
            return Err(Refusal::ArgumentSize {
                index,
                given: match argument.kind {
                    ArgumentKind::Pointer(_) => format!("{}, 8 bytes", argument.describe()),
                    _ => argument.describe(),
                },
                given_size: argument.bytes.len(),
                declared: parameter.declared.clone(),
                expected_size: parameter.size,
            });
        }
        use ArgumentKind as A;
        use ParameterKind as P;
        let expected = match (parameter.kind, &argument.kind) {
            (_, A::Bytes) | (P::Pointer, A::Pointer(_)) | (P::Bytes, A::Float) => None,
            (P::Bytes, A::TensorMap(_)) => None,
            (P::Integer | P::Bytes, A::Pointer(_) | A::Integer) | (P::Float, A::Float) => None,
            // A half-precision argument has the type `.b16`. `.b32` and `.b64` may contain any
            // type.
            (P::Integer, A::Float) if parameter.declared.starts_with(".b") => None,
            (P::Pointer, _) => Some("a pointer: give a buffer"),
            (P::Integer, _) => Some("an integer"),
            (P::Float, _) => Some("a floating-point number"),
        };
        if let Some(expected) = expected {
            return Err(Refusal::ArgumentKind {
                index,
                given: argument.describe(),
                declared: parameter.declared.clone(),
                expected,
            });
        }
        match &argument.kind {
            A::TensorMap(_) if parameter.align < TENSOR_MAP_ALIGN => {
                Err(Refusal::TensorMapAlignment {
                    index,
                    found: parameter.align,
                    required: TENSOR_MAP_ALIGN,
                })
            }
            A::Pointer(pointer) => {
                let name = &parameter.declared;
                aligned(index, name, pointer, parameter.pointer_align)
            }
            _ => Ok(()),
        }
    }

    fn shape(&self, launch: &Launch) -> Result<(), Refusal> {
        let outside = |extents: [u32; 3], limits: [u32; 3]| {
            (0..3).find(|&axis| !(1..=limits[axis]).contains(&extents[axis]))
        };
        let (grid, block) = (launch.grid, launch.block);
        if let Some(axis) = outside(grid.0, self.limits.max_grid) {
            return Err(Refusal::Grid {
                grid,
                axis: AXES[axis],
                max: self.limits.max_grid[axis],
            });
        }
        if let Some(axis) = outside(block.0, self.limits.max_block) {
            return Err(Refusal::Block {
                block,
                axis: AXES[axis],
                max: self.limits.max_block[axis],
            });
        }
        let limits = [
            (
                Some(self.limits.max_threads_per_block),
                "the device's limit",
            ),
            (
                self.signature.max_threads,
                "the kernel's .maxntid or .reqntid",
            ),
            (
                self.compiled_threads,
                "the most that the kernel's registers leave room for",
            ),
        ];
        let threads = block.count();
        for (max, limit) in limits {
            if let Some(max) = max
                && threads > u128::from(max)
            {
                return Err(Refusal::Threads {
                    block,
                    threads,
                    max,
                    limit,
                });
            }
        }
        match self.signature.required_block {
            Some(required) if required != block.0 => Err(Refusal::RequiredBlock {
                block,
                required: required.into(),
            }),
            _ => Ok(()),
        }
    }

    /// Checks the cluster, the grid in clusters, and programmatic dependent launch.
    fn cluster(&self, launch: &Launch) -> Result<(), Refusal> {
        if launch.programmatic && self.limits.max_cluster == 1 {
            return Err(Refusal::NotProgrammatic);
        }
        let cluster = cluster_of(launch, self.signature);
        let required = self.signature.required_cluster.map(Dim3);
        if let Some(required) = required.filter(|&required| required != cluster) {
            return Err(Refusal::RequiredCluster { cluster, required });
        }
        let blocks = cluster.count();
        let portable = self.limits.max_cluster.min(PORTABLE_CLUSTER);
        let limits = [
            (Some(self.limits.max_cluster), "the device's limit"),
            (
                (!launch.non_portable_cluster).then_some(portable),
                "the portable limit, without Launch::non_portable_cluster",
            ),
            (self.signature.max_cluster, "the kernel's .maxclusterrank"),
        ];
        for (max, limit) in limits {
            if let Some(max) = max
                && !(1..=u128::from(max)).contains(&blocks)
            {
                return Err(Refusal::Cluster {
                    cluster,
                    blocks,
                    max,
                    limit,
                });
            }
        }
        let grid = launch.grid;
        match (0..3).find(|&axis| !grid.0[axis].is_multiple_of(cluster.0[axis])) {
            Some(axis) => Err(Refusal::ClusterGrid {
                grid,
                cluster,
                axis: AXES[axis],
            }),
            None => Ok(()),
        }
    }

    fn shared(&self, launch: &Launch) -> Result<(), Refusal> {
        let (fixed, dynamic) = (self.fixed_shared, launch.dynamic_shared);
        let max = self.limits.max_shared;
        if fixed.saturating_add(dynamic) > max {
            return Err(Refusal::Shared {
                fixed,
                dynamic,
                max,
            });
        }
        Ok(())
    }
}

/// Returns the cluster of a launch: the launch's own cluster, or else the cluster for which the
/// kernel was compiled, or else one block.
pub(crate) fn cluster_of(launch: &Launch, signature: &Signature) -> Dim3 {
    let compiled = signature.required_cluster.map(Dim3);
    launch.cluster.or(compiled).unwrap_or(Dim3([1; 3]))
}

/// Checks a launch against its contract.
fn honour(
    contract: &Contract,
    signature: &Signature,
    launch: &Launch,
    arguments: &[Argument],
) -> Result<(), Refusal> {
    if let Some(of) = &contract.kernel
        && *of != signature.name
    {
        return Err(Refusal::ContractKernel {
            contract: of.clone(),
        });
    }
    let cluster = cluster_of(launch, signature);
    if let Some(extent) = contract.extents.iter().find(|extent| !extent.holds()) {
        return Err(Refusal::Extent(extent.clone()));
    }
    if let Some(required) = contract.grid
        && required != launch.grid
    {
        return Err(Refusal::ContractGrid {
            given: launch.grid,
            required,
        });
    }
    if let Some(required) = contract.block
        && required != launch.block
    {
        return Err(Refusal::ContractBlock {
            given: launch.block,
            required,
        });
    }
    if let Some(required) = contract.cluster
        && required != cluster
    {
        return Err(Refusal::ContractCluster {
            given: cluster,
            required,
        });
    }
    if let Some(required) = contract.dynamic_shared
        && launch.dynamic_shared < required
    {
        return Err(Refusal::ContractShared {
            given: launch.dynamic_shared,
            required,
        });
    }
    for rule in &contract.scalars {
        let given = arguments.get(rule.index);
        if given.is_none_or(|argument| argument.bytes != rule.bytes) {
            return Err(Refusal::Scalar {
                index: rule.index,
                name: rule.name.clone(),
                given: given.map_or_else(|| "not there".into(), shown),
                required: rule.shown.clone(),
            });
        }
    }
    for rule in &contract.buffers {
        let given = arguments.get(rule.index);
        let Some(ArgumentKind::Pointer(pointer) | ArgumentKind::TensorMap(pointer)) =
            given.map(|argument| &argument.kind)
        else {
            return Err(Refusal::NotABuffer {
                index: rule.index,
                name: rule.name.clone(),
                given: given.map_or_else(|| "not there".into(), Argument::describe),
            });
        };
        let mut elements = pointer.elements;
        // Buffers that the kernel does not access may have any element type.
        if let Some(required) = rule.element_bytes.filter(|_| rule.min_elements > 0) {
            // A buffer of bytes may hold elements of any type, if it has enough bytes.
            if ![1, required].contains(&pointer.element_bytes) {
                return Err(Refusal::ElementBytes {
                    index: rule.index,
                    name: rule.name.clone(),
                    given: pointer.element_bytes,
                    given_type: given.map_or("", |argument| argument.type_name),
                    required,
                });
            }
            elements = elements * pointer.element_bytes / required.max(1);
        }
        if elements < rule.min_elements {
            return Err(Refusal::TooShort {
                index: rule.index,
                name: rule.name.clone(),
                given: elements,
                required: rule.min_elements,
            });
        }
        if rule.writable && !pointer.writable {
            return Err(Refusal::ReadOnly {
                index: rule.index,
                name: rule.name.clone(),
            });
        }
        aligned(rule.index, &rule.name, pointer, rule.align)?;
    }
    Ok(())
}

/// Checks the alignment of a buffer. A buffer without elements has no memory at its address, so its
/// alignment is not checked.
fn aligned(index: usize, name: &str, pointer: &Pointer, required: usize) -> Result<(), Refusal> {
    let address = pointer.address;
    if pointer.elements == 0 || address.is_multiple_of(required.max(1) as u64) {
        return Ok(());
    }
    Err(Refusal::Misaligned {
        index,
        name: name.into(),
        address,
        found: 1 << address.trailing_zeros(),
        required,
    })
}

/// Formats an argument's value for a message.
fn shown(argument: &Argument) -> String {
    let mut wide = [0; 8];
    match (&argument.kind, argument.bytes.len()) {
        (ArgumentKind::Integer, size @ 1..=8) => {
            wide[..size].copy_from_slice(&argument.bytes);
            u64::from_le_bytes(wide).to_string()
        }
        _ => argument.describe(),
    }
}
