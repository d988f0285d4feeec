//! The arguments of a launch, each given by its name in the kernel's list.
//!
//! ```text
//!   KernelArguments ─ with(name, value), in any order ─ bind ─► BoundArguments: the values in the order of the list
//! ```
//!
//! Law: each argument of the list has one value, and each value has the name of an argument.
//! Otherwise `bind` returns an error, which contains the name.

use crate::args::{Argument, KernelArg, KernelArgs};
use crate::error::Error;
use kernel_abi::{ArgumentName, KernelArguments};
use std::marker::PhantomData;

/// Values of a kernel's arguments, by their names.
///
/// ```
/// use host::{Contract, Device, NamedArguments};
/// use kernel_abi::{KernelArguments, argument_names, arguments};
/// argument_names! {
///     /// An argument of the kernel `copy`.
///     pub enum CopyArgument {
///         /// The copy.
///         To = "to", "the copy";
///         /// The element.
///         From = "from", "the element";
///     }
/// }
/// const ARGUMENTS: KernelArguments<CopyArgument> =
///     KernelArguments::new(arguments!(CopyArgument { To: [*mut u32], From: [*const u32] }), "u32");
///
/// # let ptx = r"
/// # .version 7.0
/// # .target sm_80
/// # .address_size 64
/// # .visible .entry copy(.param .u64 to, .param .u64 from)
/// # {
/// #     .reg .b32 %r<2>; .reg .b64 %rd<5>;
/// #     ld.param.u64 %rd1, [to];
/// #     ld.param.u64 %rd2, [from];
/// #     cvta.to.global.u64 %rd3, %rd1;
/// #     cvta.to.global.u64 %rd4, %rd2;
/// #     ld.global.u32 %r1, [%rd4];
/// #     st.global.u32 [%rd3], %r1;
/// #     ret;
/// # }";
/// let device = Device::emulator();
/// let kernel = device.load(ptx)?.kernel("copy")?;
/// let (mut to, from) = (device.alloc::<u32>(1)?, device.upload(&[7_u32])?);
/// let values = NamedArguments::new(ARGUMENTS);
/// let values = values.with(CopyArgument::From, &from).with(CopyArgument::To, &mut to);
/// kernel.launch(&Contract::new().launch(), values.bind()?)?;
/// assert_eq!(to.to_vec()?, [7]);
///
/// let one = NamedArguments::new(ARGUMENTS).with(CopyArgument::From, &from);
/// assert_eq!(one.bind().unwrap_err().to_string(), "the kernel's argument `to` has 0 values; it needs 1");
/// # Ok::<(), host::Error>(())
/// ```
#[derive(Debug)]
pub struct NamedArguments<'a, N: 'static> {
    list: KernelArguments<N>,
    values: Vec<(N, Argument)>,
    borrowed: PhantomData<&'a mut ()>,
}

impl<'a, N: ArgumentName> NamedArguments<'a, N> {
    /// Returns the arguments of a kernel with this list, without values.
    #[must_use]
    pub const fn new(list: KernelArguments<N>) -> Self {
        Self {
            list,
            values: Vec::new(),
            borrowed: PhantomData,
        }
    }

    /// Adds the value of an argument. A buffer stays borrowed as long as the arguments exist.
    #[must_use]
    pub fn with(mut self, name: N, value: impl KernelArg + 'a) -> Self {
        self.values.push((name, value.lower()));
        self
    }

    /// Returns the values in the order of the list.
    ///
    /// # Errors
    /// Returns [`Error::ArgumentValues`] if an argument of the list does not have exactly one
    /// value, and [`Error::NoSuchArgument`] if a value has a name that is not in the list.
    pub fn bind(mut self) -> Result<BoundArguments<'a>, Error> {
        let mut bound = Vec::new();
        for of in self.list.iter() {
            let (mut own, others): (Vec<_>, Vec<_>) =
                (self.values.into_iter()).partition(|(name, _)| *name == of.name);
            self.values = others;
            let values = own.len();
            let (Some((_, value)), 1) = (own.pop(), values) else {
                let name = of.name.name();
                return Err(Error::ArgumentValues { name, values });
            };
            bound.push(value);
        }
        if let Some((name, _)) = self.values.pop() {
            return Err(Error::NoSuchArgument { name: name.name() });
        }
        Ok(BoundArguments {
            values: bound,
            borrowed: PhantomData,
        })
    }
}

/// The values of a kernel's arguments, in their order. [`NamedArguments::bind`] makes them.
#[derive(Debug)]
pub struct BoundArguments<'a> {
    values: Vec<Argument>,
    borrowed: PhantomData<&'a mut ()>,
}

impl KernelArgs for BoundArguments<'_> {
    fn lower(&self) -> Vec<Argument> {
        self.values.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_abi::gemm::{GemmArgument, Packing};

    /// Returns values for all arguments of the kernel that packs, from the last one to the first.
    fn all() -> NamedArguments<'static, GemmArgument> {
        let list = Packing::arguments(2);
        let names: Vec<_> = list.iter().map(|of| of.name).collect();
        let backwards = names.into_iter().enumerate().rev();
        backwards.fold(NamedArguments::new(list), |values, (place, name)| {
            values.with(name, place as u64)
        })
    }

    #[test]
    fn values_are_in_the_order_of_the_list() {
        let bound = all().bind().unwrap().lower();
        let places = bound.iter().map(|of| of.bytes[0]);
        assert!(places.eq(0..8));
    }

    #[test]
    fn an_argument_has_one_value() {
        let absent = NamedArguments {
            values: all().values.split_off(1),
            ..all()
        };
        let said = absent.bind().unwrap_err().to_string();
        assert_eq!(
            said,
            "the kernel's argument `batch_stride_to` has 0 values; it needs 1"
        );
        let twice = all().with(GemmArgument::Rows, 1_u64).bind().unwrap_err();
        assert_eq!(
            twice.to_string(),
            "the kernel's argument `rows` has 2 values; it needs 1"
        );
        let foreign = all().with(GemmArgument::Bias, 1_u64).bind().unwrap_err();
        assert_eq!(foreign.to_string(), "the kernel has no argument `bias`");
    }
}
