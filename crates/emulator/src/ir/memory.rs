//! Operands of what accesses memory: addresses, loads and stores, atomics, copies by threads,
//! texels.

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

/// The threads that a strong operation or a fence reaches, each wider than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scope {
    /// `.cta`.
    Block,
    Cluster,
    /// `.gpu` and `.sys`: one device is all there is.
    Device,
}

/// What a strong access says of order; a weak one says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Strength {
    pub acquires: bool,
    pub releases: bool,
    pub scope: Scope,
    /// Bytes of an element; 0 where it counts as of the size of any other.
    pub bytes: u8,
}

impl Strength {
    /// A volatile access, or a relaxed one of the device's scope.
    pub const RELAXED: Strength = Strength {
        acquires: false,
        releases: false,
        scope: Scope::Device,
        bytes: 0,
    };
}

/// Where an address comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Address {
    pub base: u32,
    /// Whether `base` is a 64-bit row.
    pub wide: bool,
    pub offset: i64,
    pub window: Window,
    /// Index in the function's `root_sets`; `NONE` where it may be any address.
    pub roots: u32,
}

/// An object that an address comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Root {
    /// A variable of the module.
    Variable(u32),
    /// What the 8 bytes at this offset of the launch's parameters point to.
    Parameter(u32),
    /// Shared memory, wherever: an address that `mapa`, `cvta.shared` of a number or the system's
    /// part give.
    Shared,
    /// A local variable or what `alloca` gave.
    Local,
    /// The launch's parameters themselves, by `cvta.param`.
    Parameters,
}

impl Root {
    /// Whether it is a whole window of generic addresses, within which the access's own bounds
    /// decide.
    pub fn is_window(self) -> bool {
        matches!(self, Root::Shared | Root::Local | Root::Parameters)
    }
}

/// Old value and operands to new value, as bits.
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

/// What is done with the memory of all devices.
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
    /// Of a strong access, ordered or volatile: it may be used to talk to other threads.
    pub strength: Option<Strength>,
    /// `ld.global.nc`: by way of a cache that does not see writes.
    pub non_coherent: bool,
    /// The first guess of a loop around `atom.cas` on the same place: whatever it reads, the loop
    /// is right.
    pub guess: bool,
    pub registers: [u32; 8],
}

/// `atom`, `red`.
#[derive(Debug)]
pub(crate) struct Atomic {
    pub address: Address,
    /// Of an element.
    pub bytes: u8,
    /// Elements: more than one of a vector, which is in global memory.
    pub count: u8,
    pub strength: Strength,
    /// Old value and operands to new value, as bits.
    pub apply: fn(u64, u64, u64) -> u64,
    /// The same in global memory, where `add.f32` flushes subnormals.
    pub apply_global: fn(u64, u64, u64) -> u64,
    /// A row each element, or `NONE` where nothing takes the old value.
    pub result: [u32; 8],
    pub a: [u32; 8],
    pub b: u32,
    /// `exch` whose result nobody reads: a write that needs no value to be there before.
    pub overwrites: bool,
}

/// `cp.async`.
#[derive(Debug)]
pub(crate) struct CopyAsync {
    pub destination: Address,
    pub source: Address,
    pub bytes: u8,
    /// `.cg`: past the first level cache.
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
    /// Rows of the layer, if there are layers, and of the coordinates; what the shape lacks is any
    /// row.
    pub coordinates: [u32; 4],
    /// Bytes of an element; 8 for 64-bit rows.
    pub bytes: u8,
    pub count: u8,
    pub registers: [u32; 4],
    pub outside: Outside,
}

/// What is done with a texture or surface.
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

/// What becomes of a surface access outside of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    Trap,
    /// The nearest place.
    Clamp,
    /// Loads give 0, stores do nothing.
    Zero,
}

/// `cp.async.commit_group`.
#[derive(Debug)]
pub(crate) struct CommitAsync;

/// `cp.async.wait_group`: all but the last `keep` groups have arrived; `NONE` for `wait_all`.
#[derive(Debug)]
pub(crate) struct WaitAsync {
    pub keep: u32,
}

/// `discard`: 128 bytes of global memory become undetermined.
#[derive(Debug)]
pub(crate) struct Discard(pub Address);

/// `membar`, `fence`: orders what the thread did for whoever acquires what it writes behind it.
#[derive(Debug)]
pub(crate) struct Fence(pub Scope);

/// `fence.proxy.tensormap::generic.acquire`: shows the tensor map at the address to operations.
#[derive(Debug)]
pub(crate) struct MapFence(pub Address);

/// `fence.proxy.async`, and which memory it is for.
#[derive(Debug)]
pub(crate) struct ProxyFence {
    pub global: bool,
    pub shared: bool,
}

/// `fence.mbarrier_init`.
#[derive(Debug)]
pub(crate) struct InitFence;
