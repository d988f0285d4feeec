//! The launches of an operator as data: kernels, grids and arguments. Arguments name buffers by
//! their places in a list, because the buffers have no addresses yet.
//!
//! ```text
//!   LaunchSequence { buffers: O, LSE, Q, K, V, ..   steps: clear, launch, launch }
//!          │ addresses of the buffers
//!          ├── enqueue(device, stream, addresses)        libcuda, on the caller's stream
//!          └── emulate(bytes of the buffers)             the emulator, on the CPU
//! ```
//!
//! Law: a step names buffers by their places in the sequence's list of buffers, and steps run in
//! their order.

use crate::OpsError;
use cuda_driver::TensorMapBytes;
use kernel_abi::attention::{AttentionMapPlan, AttentionType};
use kernel_abi::gemm::{InputType, MapElement, TensorMapPlan};
use kernel_abi::{ArgumentName, BufferSpec, KernelArguments, LaunchSpec};
use std::sync::Mutex;

/// The use that a sequence makes of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BufferRole {
    /// The sequence reads the buffer.
    Input,
    /// The sequence writes the buffer.
    Output,
    /// The sequence writes the buffer and then reads it. The buffer's contents before and after the
    /// sequence have no meaning.
    Scratch,
}

/// A buffer of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferUse {
    /// The name of the buffer in messages: `Q`.
    pub name: &'static str,
    /// The smallest number of bytes of the buffer, or 0 if no kernel accesses it.
    pub bytes: u64,
    /// The alignment of the buffer's address, in bytes.
    pub alignment: usize,
    /// The use that the sequence makes of the buffer.
    pub role: BufferRole,
}

/// A tensor map of a buffer: the arguments of `cuTensorMapEncodeTiled`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapValue {
    /// The buffer's place.
    pub buffer: usize,
    /// The tensor's offset in the buffer, in bytes.
    pub offset: u64,
    /// The value of `CUtensorMapDataType`.
    pub format: u32,
    /// The number of elements along each dimension, the contiguous one first.
    pub extents: Vec<u64>,
    /// The number of bytes between neighbours along each dimension except the first.
    pub strides: Vec<u64>,
    /// The number of elements of a box along each dimension.
    pub box_extents: Vec<u32>,
    /// The value of `CUtensorMapSwizzle`.
    pub swizzle: u32,
}

/// The values of `CU_TENSOR_MAP_DATA_TYPE_*`.
const FORMAT_U8: u32 = 0;
const FORMAT_F16: u32 = 6;
const FORMAT_F32: u32 = 7;
const FORMAT_BF16: u32 = 9;
const FORMAT_TF32: u32 = 11;
/// The values of `CU_TENSOR_MAP_SWIZZLE_*`.
const SWIZZLE_NONE: u32 = 0;
const SWIZZLE_64: u32 = 2;
const SWIZZLE_128: u32 = 3;

impl MapValue {
    /// Makes the map of a tensor of attention.
    pub(crate) fn of_attention(
        buffer: usize,
        element: AttentionType,
        map: &AttentionMapPlan,
    ) -> Self {
        Self {
            buffer,
            offset: 0,
            format: match element {
                AttentionType::F16 => FORMAT_F16,
                AttentionType::Bf16 => FORMAT_BF16,
            },
            extents: map.extents.to_vec(),
            strides: map.strides.map(|stride| stride.saturating_mul(2)).to_vec(),
            box_extents: map.box_extents.to_vec(),
            swizzle: match map.swizzle_bytes(2) {
                64 => SWIZZLE_64,
                _ => SWIZZLE_128,
            },
        }
    }

    /// Returns the number of bytes from the tensor's first element to the end of its last.
    pub(crate) fn reach_bytes(&self) -> u64 {
        let element_bytes = match self.format {
            FORMAT_U8 => 1,
            FORMAT_F16 | FORMAT_BF16 => 2,
            _ => 4,
        };
        let Some((columns, outer)) = self.extents.split_first() else {
            return 0;
        };
        (outer.iter().zip(&self.strides))
            .map(|(count, stride)| count.saturating_sub(1).saturating_mul(*stride))
            .fold(columns.saturating_mul(element_bytes), u64::saturating_add)
    }

    /// Makes the map of a product's operand, which is in the buffer at this place.
    pub(crate) fn of_gemm(buffer: usize, map: &TensorMapPlan, input: InputType) -> Self {
        let format = match (map.element, input) {
            (MapElement::Word, _) => FORMAT_F32,
            (MapElement::Bf16, _) | (_, InputType::Bf16) => FORMAT_BF16,
            (_, InputType::Tf32) => FORMAT_TF32,
            (_, InputType::F16) => FORMAT_F16,
            (_, InputType::S8 | InputType::E4m3 | InputType::E5m2) => FORMAT_U8,
        };
        let bytes = u64::from(map.element.bytes(input));
        Self {
            buffer,
            offset: map.offset,
            format,
            extents: map.extents.to_vec(),
            strides: map.strides.map(|by| by.saturating_mul(bytes)).to_vec(),
            box_extents: map.box_extents.to_vec(),
            swizzle: match map.swizzled {
                true => SWIZZLE_128,
                false => SWIZZLE_NONE,
            },
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchValue {
    /// The address of a byte of a buffer.
    Address {
        /// The buffer's place.
        buffer: usize,
        /// The number of bytes from the buffer's start.
        offset: u64,
    },
    /// The null pointer, for a buffer that the kernel does not access.
    Null,
    /// A scalar or a structure, by its bytes.
    Bytes(Vec<u8>),
    /// A tensor map.
    Map(MapValue),
}

impl LaunchValue {
    /// Makes the address of a buffer's start.
    pub(crate) const fn start(buffer: usize) -> Self {
        Self::Address { buffer, offset: 0 }
    }

    /// Makes a structure from its words.
    pub(crate) fn words<const N: usize>(words: [u64; N]) -> Self {
        Self::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
    }
}

/// Makes the error for an argument that has no value.
pub(crate) fn unbound(argument: impl ArgumentName) -> OpsError {
    OpsError::Argument(argument.name())
}

/// A launch of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelLaunch {
    /// The name of the kernel, which [`cutlet_kernels::kernel`] knows.
    pub kernel: &'static str,
    /// The number of CTAs along x, y and z.
    pub grid: [u32; 3],
    /// The number of threads of a CTA along x, y and z.
    pub block: [u32; 3],
    /// The number of CTAs of a cluster along x, y and z.
    pub cluster: [u32; 3],
    /// The dynamic shared memory of a CTA, in bytes.
    pub shared_bytes: usize,
    /// Programmatic dependent launch: the launch may begin before the previous launch has ended,
    /// and its kernel waits for that launch.
    pub programmatic: bool,
    /// The arguments.
    pub arguments: Vec<LaunchValue>,
    /// The tensor maps of the last launch, kept for the next launch with the same addresses.
    pub(crate) encoded: EncodedMaps,
}

/// Encoded tensor maps of a launch, each with its buffer's address. A launch encodes a map only if
/// the address has changed, which saves a driver call if the allocator reuses memory. With unified
/// addressing, no two devices share an address. A clone starts without encoded maps, and equality
/// ignores the maps.
#[derive(Debug, Default)]
pub(crate) struct EncodedMaps(pub(crate) Mutex<Vec<(u64, TensorMapBytes)>>);

impl Clone for EncodedMaps {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for EncodedMaps {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for EncodedMaps {}

impl KernelLaunch {
    /// Makes a launch with a value for each argument of the kernel's list.
    ///
    /// # Errors
    /// Returns the error of `value`, such as [`unbound`] for an argument that `value` does not
    /// know.
    pub(crate) fn of_list<N: ArgumentName, const BUFFERS: usize>(
        spec: &LaunchSpec<BUFFERS>,
        list: KernelArguments<N>,
        mut value: impl FnMut(N) -> Result<LaunchValue, OpsError>,
    ) -> Result<Self, OpsError> {
        let arguments: Result<_, _> = list.iter().map(|of| value(of.name)).collect();
        Ok(Self::new(spec, arguments?))
    }

    pub(crate) fn new<const BUFFERS: usize>(
        spec: &LaunchSpec<BUFFERS>,
        arguments: Vec<LaunchValue>,
    ) -> Self {
        Self {
            kernel: spec.kernel,
            grid: spec.grid,
            block: spec.block,
            cluster: spec.cluster,
            shared_bytes: spec.shared_bytes,
            programmatic: false,
            arguments,
            encoded: EncodedMaps::default(),
        }
    }
}

/// A step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Sets bytes at a buffer's start to 0.
    Clear {
        /// The buffer's place.
        buffer: usize,
        /// The number of bytes.
        bytes: u64,
    },
    /// A launch.
    Launch(KernelLaunch),
}

/// The launches of an operator for one problem on one kind of GPU.
///
/// ```
/// use cutlet_ops::{EMULATED_GPU, OpsError, attention};
/// use kernel_abi::attention::{AttentionMask, AttentionProblem, AttentionType};
/// # use cutlet_ops::kernel_abi;
/// let problem = AttentionProblem::new(AttentionType::Bf16, (1, 2, 100, 64), AttentionMask::Causal, 0.125);
/// match attention(&EMULATED_GPU, &problem, Default::default(), None) {
///     Ok(of) => assert_eq!(of.buffers().iter().map(|of| of.name).collect::<Vec<_>>(), ["O", "LSE", "Q", "K", "V"]),
///     // Built without kernels.
///     Err(error) => assert!(matches!(error, OpsError::Shipped(_)), "{error}"),
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchSequence {
    pub(crate) buffers: Vec<BufferUse>,
    pub(crate) steps: Vec<Step>,
}

impl LaunchSequence {
    /// Returns the buffers, in the order in which addresses are given.
    #[must_use]
    pub fn buffers(&self) -> &[BufferUse] {
        &self.buffers
    }

    /// Returns the steps, in their order.
    #[must_use]
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the names of the kernels, in the order of their launches.
    pub fn kernels(&self) -> impl Iterator<Item = &'static str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Clear { .. } => None,
            Step::Launch(launch) => Some(launch.kernel),
        })
    }

    /// Adds a buffer that a launch describes, whose elements have `element_bytes` bytes each.
    /// Returns its place.
    pub(crate) fn buffer(
        &mut self,
        of: &BufferSpec,
        element_bytes: u64,
        role: BufferRole,
    ) -> usize {
        self.buffers.push(BufferUse {
            name: of.name,
            bytes: of.elements.saturating_mul(element_bytes),
            alignment: of.alignment,
            role,
        });
        self.buffers.len() - 1
    }

    /// Refuses addresses that do not fit the buffers.
    pub(crate) fn check(&self, addresses: &[u64]) -> Result<(), OpsError> {
        if addresses.len() != self.buffers.len() {
            return Err(OpsError::Buffers {
                found: addresses.len(),
                expected: self.buffers.len(),
            });
        }
        for (of, address) in self.buffers.iter().zip(addresses) {
            if of.bytes == 0 {
                continue;
            }
            if *address == 0 || address % of.alignment as u64 != 0 {
                return Err(OpsError::Alignment {
                    name: of.name,
                    address: *address,
                    alignment: of.alignment,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_without_a_value_is_refused_by_its_name() {
        use kernel_abi::gemm::{GemmArgument, Reduction};
        let spec = LaunchSpec {
            kernel: "gemm_reduction_f16",
            grid: [1; 3],
            block: [1; 3],
            cluster: [1; 3],
            shared_bytes: 0,
            buffers: [],
        };
        let launch = |absent: Option<GemmArgument>| {
            KernelLaunch::of_list(&spec, Reduction::ARGUMENTS, |argument| {
                match Some(argument) == absent {
                    true => Err(unbound(argument)),
                    false => Ok(LaunchValue::Null),
                }
            })
        };
        assert_eq!(launch(None).unwrap().arguments.len(), 6);
        let said = launch(Some(GemmArgument::Ld)).unwrap_err().to_string();
        assert_eq!(said, "no value is the kernel's argument `ld`");
    }

    #[test]
    fn a_map_reaches_behind_its_last_element() {
        let of = |format, extents: [u64; 2], stride| MapValue {
            buffer: 0,
            offset: 0,
            format,
            extents: extents.to_vec(),
            strides: vec![stride],
            box_extents: vec![64, 1],
            swizzle: SWIZZLE_128,
        };
        assert_eq!(of(FORMAT_U8, [20_000, 1], 20_000).reach_bytes(), 20_000);
        assert_eq!(of(FORMAT_F16, [64, 3], 256).reach_bytes(), 2 * 256 + 128);
        assert_eq!(of(FORMAT_BF16, [64, 1024], 128).reach_bytes(), 131_072);
        assert_eq!(of(FORMAT_TF32, [32, 2], 128).reach_bytes(), 256);
    }
}
