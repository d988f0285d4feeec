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
    /// Shared memory of any block of the cluster: the address carries the block's rank.
    Cluster,
    Local,
    /// Parameters of the launch.
    EntryParam,
    /// Parameters, results and call variables of a function.
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

/// The order of a strong access; a weak access has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strength {
    pub acquires: bool,
    pub releases: bool,
    pub scope: Scope,
    /// Bytes of an element; 0 if it matches accesses of any size.
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

/// How an address is computed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub base: u32,
    /// Whether `base` is a 64-bit row.
    pub wide: bool,
    pub offset: i64,
    pub window: Window,
    /// Index in the function's `root_sets`; `NONE` if it may be any address.
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
    /// Whether it is a whole window of generic addresses, within which only the access's own bounds
    /// are checked.
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
    /// Bytes of an element.
    pub bytes: u8,
    /// Elements: 1, 2, 4 or 8.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    /// Whether an element is a pair of halves.
    pub pairs: bool,
    pub registers: [u32; 8],
}

/// What a `multimem` instruction does with the memory of all devices.
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
    /// Bytes of an element.
    pub bytes: u8,
    /// Elements: 1, 2, 4 or 8.
    pub count: u8,
    /// Whether the registers are 64-bit rows.
    pub wide: bool,
    /// Bits to which a narrow element is sign-extended; 0 for zero extension.
    pub sign_bits: u8,
    /// The strength of an access that is ordered or volatile: it may communicate with other
    /// threads.
    pub strength: Option<Strength>,
    /// `ld.global.nc`: reads through a cache that does not see writes.
    pub non_coherent: bool,
    /// Whether this is the first guess of a loop around `atom.cas` on the same place: the loop is
    /// correct whatever it reads.
    pub guess: bool,
    pub registers: [u32; 8],
}

/// `atom`, `red`.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub address: Address,
    /// Bytes of an element.
    pub bytes: u8,
    /// The number of elements; more than one for a vector, which is in global memory.
    pub count: u8,
    pub strength: Strength,
    /// Computes the new value from the old value and the operands, as bits.
    pub apply: fn(u64, u64, u64) -> u64,
    /// The same for global memory, where `add.f32` flushes subnormals.
    pub apply_global: fn(u64, u64, u64) -> u64,
    /// One row per element, or `NONE` if the old value is not used.
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
    /// `.cg`: bypasses the first-level cache.
    pub bypass: bool,
    /// Row of the source size, or `NONE`.
    pub source_size: u32,
    /// Predicate that makes the copy write zeros, or `NONE`.
    pub ignore: u32,
}

/// `tex`, `suld`, `sust`.
#[derive(Debug)]
pub(crate) struct Texel {
    pub act: TexelAct,
    pub shape: ArrayShape,
    /// Row of the handle.
    pub object: u32,
    /// Rows of the layer, if there are layers, and of the coordinates; a coordinate that the shape
    /// does not use is any row.
    pub coordinates: [u32; 4],
    /// Bytes of an element; 8 for 64-bit rows.
    pub bytes: u8,
    pub count: u8,
    pub registers: [u32; 4],
    pub outside: Outside,
}

/// What a texture or surface instruction does.
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
    /// The nearest place.
    Clamp,
    /// Loads return 0, stores have no effect.
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
