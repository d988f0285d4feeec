//! The arguments of a kernel, as a list of names and types in their order. All code that plans,
//! binds, checks or describes a launch uses this list.
//!
//! ```text
//!   #[kernel] fn(o: *mut bf16, lse: *mut f32, params: AttentionParams, #[grid_constant] map_q: &TensorMap)
//!   arguments! { O: *mut T,    Lse: *mut f32, Params: AttentionParams, MapQ: TensorMap }
//!        ├─► a plan                     KernelArguments::buffer: the place of a buffer
//!        ├─► host, operators, check     a value for each argument of the list
//!        └─► manifest                   name and type of each
//! ```
//!
//! Law: a list has the names, the types and the order of the parameters in the kernel's source.

use crate::BufferSpec;
use core::fmt;

/// The name of an argument.
pub trait ArgumentName: Copy + Eq + 'static {
    /// Returns the name of the parameter in the kernel's source.
    fn name(self) -> &'static str;
    /// Returns the name that messages use.
    fn said(self) -> &'static str;
}

/// What kind of parameter an argument is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentType {
    /// The address of elements of this type, which the kernel only reads.
    Input(&'static str),
    /// The address of elements of this type, which the kernel writes.
    Output(&'static str),
    /// A tensor map.
    Map,
    /// A structure, passed by value: the name of its type and its size in bytes.
    Structure(&'static str, usize),
    /// A number of this type.
    Number(&'static str),
}

impl ArgumentType {
    /// Returns the size of the argument in bytes.
    #[must_use]
    pub fn bytes(self) -> usize {
        match self {
            Self::Input(_) | Self::Output(_) => 8,
            Self::Map => 128,
            Self::Structure(_, bytes) => bytes,
            Self::Number(ty) => bytes_of(ty),
        }
    }

    /// Returns the size of an element in bytes if the argument is an address, otherwise `None`.
    ///
    /// ```
    /// use kernel_abi::ArgumentType;
    /// assert_eq!(ArgumentType::Output("bf16").element_bytes(), Some(2));
    /// assert_eq!(ArgumentType::Map.element_bytes(), None);
    /// ```
    #[must_use]
    pub fn element_bytes(self) -> Option<usize> {
        match self {
            Self::Input(of) | Self::Output(of) => Some(bytes_of(of)),
            _ => None,
        }
    }
}

/// Returns the size in bytes of a number of the type `ty`. The name of the type ends with the
/// number of its bits; a name without digits gives 0.
fn bytes_of(ty: &str) -> usize {
    let bits = ty.trim_start_matches(|c: char| !c.is_ascii_digit());
    bits.parse::<usize>().map_or(0, |bits| bits / 8)
}

/// Writes the type as Rust source spells it.
impl fmt::Display for ArgumentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(of) => write!(f, "*const {of}"),
            Self::Output(of) => write!(f, "*mut {of}"),
            Self::Map => f.write_str("TensorMap"),
            Self::Structure(name, _) | Self::Number(name) => f.write_str(name),
        }
    }
}

/// An argument of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelArgument<N: 'static> {
    /// The argument's name.
    pub name: N,
    /// The argument's type.
    pub ty: ArgumentType,
}

/// The name that a list writes in place of the kernel's element type.
const ELEMENT: &str = "T";
/// The number of groups that a list of arguments consists of. Unused groups are empty.
const GROUPS: usize = 6;

/// The arguments of a kernel, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelArguments<N: 'static> {
    groups: [&'static [KernelArgument<N>]; GROUPS],
    element: &'static str,
}

impl<N: ArgumentName> KernelArguments<N> {
    /// Returns the arguments of all groups in one list, in the groups' order, for a kernel with
    /// this element type.
    pub(crate) const fn of(
        groups: [&'static [KernelArgument<N>]; GROUPS],
        element: &'static str,
    ) -> Self {
        Self { groups, element }
    }

    /// Returns the list of these arguments, which [`arguments!`](crate::arguments) makes, for a
    /// kernel with this element type.
    #[must_use]
    pub const fn new(arguments: &'static [KernelArgument<N>], element: &'static str) -> Self {
        Self::of([arguments, &[], &[], &[], &[], &[]], element)
    }

    /// Returns an iterator over the arguments in their order, with the element type in place of
    /// `T`.
    pub fn iter(self) -> impl Iterator<Item = KernelArgument<N>> {
        let element = move |of| if of == ELEMENT { self.element } else { of };
        let all = self.groups.into_iter().flatten();
        all.map(move |&KernelArgument { name, ty }| KernelArgument {
            name,
            ty: match ty {
                ArgumentType::Input(of) => ArgumentType::Input(element(of)),
                ArgumentType::Output(of) => ArgumentType::Output(element(of)),
                other => other,
            },
        })
    }

    /// Returns the position of an argument, counted from 0, or `None` if the kernel does not have
    /// it.
    #[must_use]
    pub fn place(self, name: N) -> Option<usize> {
        self.iter().position(|of| of.name == name)
    }

    /// Returns the contract of a buffer of at least `elements` elements, aligned to `alignment`
    /// bytes. If the kernel has no such argument, the contract names a position that no argument
    /// has, and every launch is refused.
    #[must_use]
    pub fn buffer(self, name: N, elements: u64, alignment: usize) -> BufferSpec {
        let found = self.iter().enumerate().find(|(_, of)| of.name == name);
        let (argument, written) = found.map_or((usize::MAX, false), |(place, of)| {
            (place, matches!(of.ty, ArgumentType::Output(_)))
        });
        BufferSpec {
            argument,
            name: name.said(),
            elements,
            alignment,
            written,
            element_bytes: None,
        }
    }
}

/// Makes the arguments of a [`KernelArguments`](crate::KernelArguments), written in the same way
/// as the kernel's parameters. `T` is the kernel's element type.
///
/// ```
/// use kernel_abi::{BufferSpec, KernelArguments, argument_names, arguments};
/// argument_names! {
///     /// An argument of the kernel `scale`.
///     pub enum ScaleArgument {
///         /// The elements, which the kernel multiplies.
///         Data = "data", "the elements";
///         /// The number of elements.
///         N = "n", "n";
///     }
/// }
/// /// The arguments of `fn scale(data: *mut f32, n: u32)`.
/// const ARGUMENTS: KernelArguments<ScaleArgument> =
///     KernelArguments::new(arguments!(ScaleArgument { Data: [*mut T], N: [u32] }), "f32");
///
/// let data: BufferSpec = ARGUMENTS.buffer(ScaleArgument::Data, 100, 4);
/// assert_eq!((data.argument, data.name, data.written), (0, "the elements", true));
/// assert_eq!(ARGUMENTS.place(ScaleArgument::N), Some(1));
/// ```
#[macro_export]
macro_rules! arguments {
    ($names:ident { $($argument:ident: [$($ty:tt)+]),+ $(,)? }) => {
        &[$($crate::KernelArgument {
            name: $names::$argument,
            ty: $crate::argument_type!($($ty)+),
        }),+]
    };
}
/// Makes an [`ArgumentType`](crate::ArgumentType) from the tokens of a parameter's type.
#[doc(hidden)]
#[macro_export]
macro_rules! argument_type {
    (*const $of:ident) => {
        $crate::ArgumentType::Input(stringify!($of))
    };
    (*mut $of:ident) => {
        $crate::ArgumentType::Output(stringify!($of))
    };
    (TensorMap) => {
        $crate::ArgumentType::Map
    };
    (u32) => {
        $crate::ArgumentType::Number("u32")
    };
    (u64) => {
        $crate::ArgumentType::Number("u64")
    };
    ($of:ident) => {
        $crate::ArgumentType::Structure(stringify!($of), size_of::<$of>())
    };
}
/// Declares the names of a kernel's arguments: each has a name in the kernel's source and a name in
/// messages. [`arguments!`](crate::arguments) shows an example.
#[macro_export]
macro_rules! argument_names {
    ($(#[$doc:meta])* $vis:vis enum $names:ident {
        $($(#[$argument_doc:meta])+ $argument:ident = $name:literal, $said:literal;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        $vis enum $names {
            $($(#[$argument_doc])+ $argument,)+
        }
        impl $crate::ArgumentName for $names {
            fn name(self) -> &'static str {
                match self { $(Self::$argument => $name,)+ }
            }
            fn said(self) -> &'static str {
                match self { $(Self::$argument => $said,)+ }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::attention::{AttentionArgument, AttentionKernel, AttentionType};
    use crate::gemm::{GemmArgument, Packing};

    #[test]
    fn a_buffer_has_its_place_and_its_use() {
        let list = AttentionKernel::Sinks.arguments(AttentionType::F16);
        let sinks = list.buffer(AttentionArgument::Sinks, 12, 4);
        assert_eq!(
            (sinks.argument, sinks.name, sinks.written),
            (1, "the sinks", false)
        );
        assert!(
            list.buffer(AttentionArgument::GradientOfSinks, 12, 4)
                .written
        );
        // A planted fault: the kernel has no such argument.
        assert_eq!(
            list.buffer(AttentionArgument::MapQ, 12, 4).argument,
            usize::MAX
        );
        assert_eq!(list.place(AttentionArgument::MapQ), None);
    }

    #[test]
    fn types_have_the_bytes_that_ptx_has() {
        let bytes = |list: crate::KernelArguments<GemmArgument>| {
            list.iter().map(|of| of.ty.bytes()).collect::<Vec<_>>()
        };
        assert_eq!(bytes(Packing::arguments(2)), [8, 8, 4, 4, 8, 8, 8, 8]);
        let list = AttentionKernel::FusedTiles.arguments(AttentionType::Bf16);
        let bytes: Vec<_> = list.iter().map(|of| of.ty.bytes()).collect();
        assert_eq!(bytes, [8, 8, 8, 104, 128, 128, 128, 128, 8]);
    }
}
