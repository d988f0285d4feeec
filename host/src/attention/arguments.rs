//! Binds a kernel's arguments by their names, in the order of the kernel's list.
//!
//! ```text
//!   plan.arguments() ─ a value for each name ─► arguments in their order, rules of the buffers that the launch does not list ─► PreparedLaunch
//! ```
//!
//! Law: a launch has a value for each argument of the list. Otherwise it is refused, and the error
//! names the argument without a value.

use super::AttentionError;
use super::operands::map_spec;
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::{Buffer, View};
use crate::contract::Contract;
use crate::device::Device;
use crate::enqueue::PreparedLaunch;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::tensor_map::TmaElement;
use bytemuck::Pod;
use kernel_abi::attention::{AttentionArgument, AttentionMapPlan};
use kernel_abi::{ArgumentName, BufferSpec, KernelArguments, LaunchSpec};
use std::marker::PhantomData;

/// The value of an argument, and, for a buffer, the elements that the kernel reads.
pub(super) struct Bound {
    argument: Argument,
    /// The name, the number of elements and the alignment of the argument's buffer, if no launch of
    /// a plan lists the buffer.
    buffer: Option<(&'static str, usize, usize)>,
}

impl From<Argument> for Bound {
    fn from(argument: Argument) -> Self {
        let buffer = None;
        Self { argument, buffer }
    }
}

impl Bound {
    /// Returns the value of a buffer that the kernel reads according to this contract.
    pub(super) fn read<T: Pod>(view: &View<'_, T>, of: &BufferSpec) -> Self {
        // No buffer has more elements than an address can count, so the launch will be refused.
        let elements = usize::try_from(of.elements).unwrap_or(usize::MAX);
        Self {
            argument: view.lower(),
            buffer: Some((of.name, elements, of.alignment)),
        }
    }

    /// Returns the value of the buffer that a part of the kernel reads. The kernel reads all
    /// elements of the buffer.
    pub(super) fn all<T: Pod>(name: AttentionArgument, view: &View<'_, T>) -> Self {
        Self {
            argument: view.lower(),
            buffer: Some((name.said(), view.len(), 4)),
        }
    }

    /// Returns the value of a structure, whose numbers are `words`.
    pub(super) fn words<T: Pod>(words: T) -> Self {
        ByValue(words).lower().into()
    }

    /// Returns the value of a tensor's map.
    pub(super) fn map<T: Pod + TmaElement>(
        tensor: &View<'_, T>,
        map: &AttentionMapPlan,
    ) -> Result<Self, Error> {
        let map = tensor.tensor_map(&map_spec::<T>(map))?;
        Ok((&map).lower().into())
    }
}

/// Returns the error for an argument that no operand provides.
pub(super) fn unbound(argument: AttentionArgument) -> AttentionError {
    let name = argument.name();
    AttentionError::Argument { name }
}

/// Returns an argument for a buffer that a kernel does not access.
pub(super) fn nothing<T: Pod>(device: &Device) -> Result<Argument, Error> {
    let mut empty: Buffer<T> = device.alloc(0)?;
    Ok(empty.all_mut().lower())
}

/// A launch whose arguments stay borrowed as long as the launch exists.
pub(super) type BoundLaunch<'a> = PreparedLaunch<PhantomData<&'a mut ()>>;

/// Binds a launch of `kernel`: a value for each argument of the list, and then `score`, the value
/// passed to a score function. The list does not contain that argument.
pub(super) fn bind<'a, const BUFFERS: usize>(
    kernel: &Kernel,
    launch: &LaunchSpec<BUFFERS>,
    list: KernelArguments<AttentionArgument>,
    mut value: impl FnMut(AttentionArgument) -> Result<Bound, AttentionError>,
    score: Option<Argument>,
) -> Result<BoundLaunch<'a>, AttentionError> {
    let mut contract = Contract::from(launch);
    let mut arguments = Vec::new();
    for of in list.iter() {
        let Bound { argument, buffer } = value(of.name)?;
        if let Some((name, elements, alignment)) = buffer {
            contract = contract.reads(arguments.len(), name, elements, alignment);
        }
        arguments.push(argument);
    }
    arguments.extend(score);
    let launch = contract.launch();
    Ok(PreparedLaunch::new(
        kernel,
        &launch,
        &arguments,
        PhantomData,
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_abi::attention::{AttentionKernel, AttentionType};

    /// A kernel without parameters, which is never launched.
    const PTX: &str =
        ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry sinks() { ret; }";
    const LAUNCH: LaunchSpec<0> = LaunchSpec {
        kernel: "sinks",
        grid: [1; 3],
        block: [1; 3],
        cluster: [1; 3],
        shared_bytes: 0,
        buffers: [],
    };

    /// Returns the message of an attempt to bind the kernel of the sinks' gradient without a value
    /// for `absent`.
    fn said(absent: Option<AttentionArgument>) -> String {
        let kernel = Device::emulator()
            .load(PTX)
            .unwrap()
            .kernel("sinks")
            .unwrap();
        let list = AttentionKernel::Sinks.arguments(AttentionType::F16);
        let value = |argument| match argument {
            of if Some(of) == absent => Err(unbound(of)),
            _ => Ok(Bound::words([0_u64])),
        };
        let bound = bind(&kernel, &LAUNCH, list, value, None);
        bound.err().unwrap().to_string()
    }

    #[test]
    fn an_argument_without_a_value_is_refused_by_its_name() {
        assert_eq!(
            said(Some(AttentionArgument::Sinks)),
            "no operand is the kernel's argument `sinks`"
        );
        // If all arguments have values, the launch itself is checked.
        assert!(said(None).contains("4 arguments"), "{}", said(None));
    }
}
