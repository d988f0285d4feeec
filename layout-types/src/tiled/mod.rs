//! Tiled MMA and tiled copy: atoms laid over threads and values, and tensors that are divided among
//! the threads.
//!
//! ```text
//!   TiledMma<Atom, (2,2,1), (32,32,16)>     partition_a: (MMA, MMA_M, MMA_K)      one thread's part of A
//!   TiledCopy<Op, T, TV, Tiler>             partition_s: (CPY, CPY_M, CPY_K)      one thread's part of a source
//!                                           retile_s:    a fragment of the MMA, grouped as the copy takes it
//! ```
//!
//! Law: for every thread and value, a partition's offset is the tensor's offset of the coordinate
//! that the thread-value layout gives. So a partition is a composition, and all parts together are
//! the tensor.
//!
//! Source: CuTe `cute/atom/mma_atom.hpp`, `cute/atom/copy_atom.hpp`.

mod copy;
mod make_copy;
mod mma;
mod partition;
mod tmem;
mod vectors;

pub use copy::{
    CopyLayoutTv, CopyPartitionOf, CopySide, CopyThreadOf, CopyTvOf, Covering, CoversTile,
    Destination, EnoughThreads, EnoughValues, OwnsEachCell, SideToReference, Source, ThrValToTile,
    TidFrg, TidFrgOf, TileShape, TiledCopy, TiledCopyTraits, WrittenCopy,
};
pub use make_copy::{
    ActiveAlong, AddressesIn, AllExist, Axes, CotiledCopy, HasAddresses, MakeCotiledCopy,
    SameModes, Zeros,
};
pub use make_copy::{
    MakeTiledCopy, MakeTiledCopyA, MakeTiledCopyB, MakeTiledCopyC, MakeTiledCopyCAtom,
};
pub use mma::{AnyRole, LayoutTv, MadeFor, MmaOperand, OperandA, OperandB, OperandC, TvOf};
pub use mma::{HoldsAtoms, Permutation, ThreadPlaces, TiledMma, TiledMmaTraits};
pub use partition::{DividesMode, LeavesNoRest, WholeTiles, tiled_copy, tiled_mma};
pub use partition::{
    FragmentOf, PartitionFragmentOf, PartitionMma, PartitionOf, PartitionShape, ThrFrg, ThrFrgOf,
    ThreadOf, thread_offset,
};
pub use partition::{Retile, RetileOf};
pub use tmem::MakeTmemCopy;
pub use vectors::{
    AlongUnit, AutoVector, Begin, BeginsVectors, Contiguous, CopiesVectors, HasUnit, HasVectors,
    IsAligned, IsContiguous, IsUnparted, MovesAcross, MovesAligned, MovesAlongUnknown, MovesFrom,
    MovesRun, MovesThrough, Placed, RefusesAlong, SideVector, ThreadsAligned, Unparted,
    VectorStrides, copies_vectors,
};

/// The walk-throughs of `docs/walkthroughs/` as tests. Each Rust block is a test, and each
/// `compile_fail` block is a refusal.
#[cfg(doctest)]
mod walkthroughs {
    macro_rules! pages {
        ($($name:ident $page:literal;)*) => {$(
            #[doc = include_str!(concat!("../../../docs/walkthroughs/", $page, ".md"))]
            pub struct $name;
        )*};
    }
    pages! {
        MakeTiledCopy "make-tiled-copy";
        CpAsync "cp-async";
        TidFrg "tidfrg";
        Ldmatrix "ldmatrix";
        Retile "retile";
        TiledCopyC "tiled-copy-c";
        Permutation "permutation";
        ThreadValueLayouts "thread-value-layouts";
        Errata "errata";
    }
}
