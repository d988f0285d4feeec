//! Operands of instructions that access memory: addresses, loads and stores, atomics, copies by
//! threads, texels.

use crate::numerics::half_math::HalfKind;
use crate::texture::ArrayShape;

/// The memory that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Window {
    Generic,
    Global,
    Const,
    Shared,
    /// Shared memory of any block of the cluster; the address contains the block's rank.
    Cluster,
    Local,
    /// The parameters of the launch.
    EntryParam,
    /// The parameters, results and call variables of a function.
    FrameParam,
}

/// The threads that a strong operation or a fence reaches; each scope includes the previous one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// `.cta`.
    Block,
    Cluster,
    /// `.gpu` and `.sys`: the emulator has a single device.
    Device,
}

/// The order of a strong access; a weak access has no `Strength`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strength {
    pub acquires: bool,
    pub releases: bool,
    pub scope: Scope,
    /// The bytes of an element, or 0 if the access matches accesses of any size.
    pub bytes: u8,
}

impl Strength {
    /// A volatile access, or a relaxed access with the scope of the device.
    pub const RELAXED: Strength = Strength {
        acquires: false,
        releases: false,
        scope: Scope::Device,
        bytes: 0,
    };
}

/// The operands from which an address is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub base: u32,
    /// Whether `base` is a 64-bit row.
    pub wide: bool,
    pub offset: i64,
    pub window: Window,
    /// An index into the function's `root_sets`, or `NONE` if the address may be any.
    pub roots: u32,
}

/// An object from which an address derives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable of the module.
    Variable(u32),
    /// The object to which the 8 bytes at this offset of the launch's parameters point.
    Parameter(u32),
    /// Any shared memory: an address from `mapa`, from `cvta.shared` of a number, or in the
    /// system's part.
    Shared,
    /// A local variable, or memory from `alloca`.
    Local,
    /// The launch's parameters themselves, by `cvta.param`.
    Parameters,
}

impl Root {
    /// Whether the root is a whole window of generic addresses, within which only the access's own
    /// bounds are checked.
    pub fn is_window(self) -> bool {
        matches!(self, Root::Shared | Root::Local | Root::Parameters)
    }
}

/// Computes the new value from the old value and the operands, as bits.
pub(crate) type Apply = fn(u64, u64, u64) -> u64;

/// `multimem`.
#[derive(Debug)]
pub(crate) struct Multimem {
    pub address: Address,
    pub act: MultimemAct,
    /// The number of bytes of an element.
    pub bytes: u8,
    /// The number of elements: 1, 2, 4 or 8.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    /// Whether an element is a pair of halves.
    pub pairs: bool,
    pub registers: [u32; 8],
}

/// The operation of a `multimem` instruction on the memory of all devices.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MultimemAct {
    LoadReduce(Apply),
    /// The sum of halves in `.f32`, rounded once.
    SumInF32(HalfKind),
    Store,
    Reduce(Apply),
}

/// `ld`, `st`.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub address: Address,
    /// The number of bytes of an element.
    pub bytes: u8,
    /// The number of elements: 1, 2, 4 or 8.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    /// The number of bits to which a narrow element is sign-extended, or 0 for zero extension.
    pub sign_bits: u8,
    /// The strength of an ordered or volatile access. Such an access may communicate with other
    /// threads.
    pub strength: Option<Strength>,
    /// Whether the access is `ld.global.nc`, which reads through a cache that does not see writes.
    pub non_coherent: bool,
    /// Whether this is the first guess of a loop around `atom.cas` on the same place: the loop is
    /// correct whatever value the guess reads.
    pub guess: bool,
    pub registers: [u32; 8],
}

/// `atom`, `red`.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub address: Address,
    /// The number of bytes of an element.
    pub bytes: u8,
    /// The number of elements; more than one for a vector, which is in global memory.
    pub count: u8,
    pub strength: Strength,
    /// Computes the new value from the old value and the operands, as bits.
    pub apply: fn(u64, u64, u64) -> u64,
    /// The function for global memory, where `add.f32` flushes subnormals.
    pub apply_global: fn(u64, u64, u64) -> u64,
    /// The rows of the result, one per element, or `NONE` if the old value is not used.
    pub result: [u32; 8],
    pub a: [u32; 8],
    pub b: u32,
    /// Whether this is an `exch` whose result is not read: a write that needs no initialised value.
    pub overwrites: bool,
}

/// `cp.async`.
#[derive(Debug)]
pub(crate) struct CopyAsync {
    pub destination: Address,
    pub source: Address,
    pub bytes: u8,
    /// Whether the copy bypasses the first-level cache (`.cg`).
    pub bypass: bool,
    /// The row of the source size, or `NONE`.
    pub source_size: u32,
    /// The predicate that makes the copy write zeros, or `NONE`.
    pub ignore: u32,
}

/// `tex`, `suld`, `sust`.
#[derive(Debug)]
pub(crate) struct Texel {
    pub act: TexelAct,
    pub shape: ArrayShape,
    /// The row of the handle.
    pub object: u32,
    /// The rows of the layer, if there are layers, and of the coordinates. A coordinate that the
    /// shape does not use may be any row.
    pub coordinates: [u32; 4],
    /// The number of bytes of an element; 8 for 64-bit rows.
    pub bytes: u8,
    pub count: u8,
    pub registers: [u32; 4],
    pub outside: Outside,
}

/// The operation of a texture or surface instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TexelAct {
    /// `tex`: whether it fetches floats, and whether its coordinates are integers.
    Fetch {
        floats: bool,
        integers: bool,
    },
    Load,
    Store,
}

/// The effect of a surface access outside of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    /// The access uses the nearest place.
    Clamp,
    /// Loads return 0, and stores have no effect.
    Zero,
}

/// `cp.async.commit_group`.
#[derive(Debug)]
pub(crate) struct CommitAsync;

/// `cp.async.wait_group`: waits until all but the last `keep` groups have completed; `NONE` means
/// `wait_all`.
#[derive(Debug)]
pub(crate) struct WaitAsync {
    pub keep: u32,
}

/// `discard`: 128 bytes of global memory become undetermined.
#[derive(Debug)]
pub(crate) struct Discard(pub Address);

/// `membar`, `fence`: orders the thread's earlier accesses for threads that acquire its later
/// writes.
#[derive(Debug)]
pub(crate) struct Fence(pub Scope);

/// `fence.proxy.tensormap::generic.acquire`: makes the tensor map at the address visible to
/// operations.
#[derive(Debug)]
pub(crate) struct MapFence(pub Address);

/// `fence.proxy.async`, and the memory to which it applies.
#[derive(Debug)]
pub(crate) struct ProxyFence {
    pub global: bool,
    pub shared: bool,
}

/// `fence.mbarrier_init`.
#[derive(Debug)]
pub(crate) struct InitFence;
