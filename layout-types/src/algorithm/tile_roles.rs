//! Requirements of a kernel's body on its tiles. Each role is a module with its own law: the shape
//! of a chunk, a matrix in global memory, the fragments of a k block, a tile that another CTA
//! saved.
//!
//! ```text
//!   chunk_shape     (64,64) of a tile of D        global_matrix   rows × columns, one of them contiguous
//!   k_block         shared memory ─► fragments    partial_tile    accumulator ◄─► workspace
//! ```
//!
//! Law: each module states its own.

pub mod chunk_shape {
    //! Chunks of a tile of D: which elements each of a CTA's threads stores, and how these elements
    //! lie in shared memory before they are stored.
    //!
    //! ```text
    //!   (32,32)   thread 0 0 0 0 0 0 0 0  1 1 1 ..      eight neighbours each, a row by four threads
    //!             thread 4 4 ..
    //! ```
    //!
    //! Law: in each of the three orders, each element of a chunk belongs to one thread; the
    //! swizzles keep vectors of 16 bytes contiguous.
    //!
    //! Source: CUTLASS `cutlass/epilogue/threadblock/output_tile_thread_map.h`.

    use crate::algebra::compose::Composition;
    use crate::algebra::shape_tiling::TileToShape;
    use crate::algebra::swizzle::Swizzle;
    use crate::layout::LayoutFn;

    /// The elements that all threads of a CTA store together, eight neighbouring elements each.
    ///
    /// ```
    /// use layout_types::algorithm::chunk_shape::{Chunk32x32, ChunkShape};
    /// assert_eq!(Chunk32x32::EXTENTS, [32, 32]);
    /// // Element by element, warp 1 has row 1, and a row further down for each element.
    /// assert_eq!((Chunk32x32::place(32, 0), Chunk32x32::place(35, 2)), ([1, 0], [9, 3]));
    /// ```
    pub trait ChunkShape {
        /// The number of rows and the number of columns.
        const EXTENTS: [u32; 2];
        /// The tiler with these extents.
        type Tile;
        /// Maps `(thread, value)` to a chunk, with eight neighbouring elements per thread.
        type Narrow;
        /// Maps `(thread, value)` to a chunk, with two vectors of four 32-bit elements per thread:
        /// neighbouring threads fill the sectors of D together.
        type Wide;
        /// The shape of `Chunks` chunks in shared memory, `(rows, columns, chunk)`.
        type Shape<Chunks>;
        /// The layout of a chunk of 16-bit elements in shared memory.
        type Halves;
        /// The layout of a chunk of 32-bit elements in shared memory.
        type Words;
        /// Returns the row and the column of a thread's element if elements are stored one by one.
        fn place(thread: u32, element: u32) -> [u32; 2];
    }
    /// `Count` chunks of the shape `Chunk` in shared memory, each of the layout `One`.
    pub type ChunksOf<Chunk, One, Count> = TileToShape<One, <Chunk as ChunkShape>::Shape<Count>>;
    /// Chunks of (32, 32) by 128 threads.
    pub struct Chunk32x32;
    impl ChunkShape for Chunk32x32 {
        const EXTENTS: [u32; 2] = [32, 32];
        type Tile = crate::tile!(32, 32);
        type Narrow = crate::layout!(((4,32),8):((256,1),32));
        type Wide = crate::layout!(((4,32),(4,2)):((128,1),(32,512)));
        type Shape<Chunks> = crate::shape!((32, 32, Chunks));
        type Halves = Composition<Swizzle<2, 3, 3>, crate::layout!((32,32):(32,1))>;
        type Words = Composition<Swizzle<2, 3, 2>, crate::layout!((32,32):(32,1))>;
        #[inline(always)]
        fn place(thread: u32, element: u32) -> [u32; 2] {
            <crate::layout!(((32,4),8):((1@1,1@0),4@0))>::coordinate::<u32, _, 2>((thread, element))
        }
    }
    /// Chunks of (32, 64) by 256 threads.
    pub struct Chunk32x64;
    impl ChunkShape for Chunk32x64 {
        const EXTENTS: [u32; 2] = [32, 64];
        type Tile = crate::tile!(32, 64);
        type Narrow = crate::layout!(((8,32),8):((256,1),32));
        type Wide = crate::layout!(((8,32),(4,2)):((128,1),(32,1024)));
        type Shape<Chunks> = crate::shape!((32, 64, Chunks));
        type Halves = Composition<Swizzle<3, 3, 3>, crate::layout!((32,64):(64,1))>;
        type Words = Composition<Swizzle<2, 3, 3>, crate::layout!((32,64):(64,1))>;
        #[inline(always)]
        fn place(thread: u32, element: u32) -> [u32; 2] {
            <crate::layout!(((64,4),8):((1@1,1@0),4@0))>::coordinate::<u32, _, 2>((thread, element))
        }
    }

    const _: () = {
        crate::assert_covers!(<Chunk32x32 as ChunkShape>::Narrow, (32, 32));
        crate::assert_covers!(<Chunk32x32 as ChunkShape>::Wide, (32, 32));
        crate::assert_covers!(<Chunk32x64 as ChunkShape>::Narrow, (32, 64));
        crate::assert_covers!(<Chunk32x64 as ChunkShape>::Wide, (32, 64));
    };
}

pub mod global_matrix {
    //! An operand's matrix in global memory, along whose k a thread advances.
    //!
    //! ```text
    //!   pointer ─ from_part ─► this thread's first element ─ advance ─► its first element of the next k tile ─ advance ─► ..
    //! ```
    //!
    //! Law: element `(i, j)` of [`offset_by`](GlobalMatrix::offset_by)`([r, c])` is element
    //! `(r + i, c + j)` of the matrix, and it is in bounds if that element of the matrix is in
    //! bounds.

    use super::super::tile_load::{MatrixTensor, PartitionTile};
    use crate::arch::mov::here;
    use crate::ragged::RaggedIdentity;
    use crate::tensor::{Assume, Plain, Tensor};
    use typenum::U2;

    /// A matrix `(rows, k)` in global memory that begins at one of its elements.
    ///
    /// A thread holds the matrix from the first element that the thread copies, and advances this
    /// element along k. This takes one address, instead of one for each row.
    #[derive(Clone, Copy)]
    pub struct GlobalMatrix<T> {
        /// The address of the first element.
        pub pointer: *const T,
        /// The number of rows, and k.
        pub extents: [u32; 2],
        /// The distance between rows, and between elements along k: one of them is 1.
        pub strides: [u64; 2],
    }

    impl<T: Plain> GlobalMatrix<T> {
        /// Returns the matrix from element `by` on.
        ///
        /// ```
        /// use layout_types::algorithm::global_matrix::GlobalMatrix;
        /// let memory = [0u16; 60];
        /// let matrix = GlobalMatrix { pointer: memory.as_ptr(), extents: [6, 10], strides: [10, 1] };
        /// let part = matrix.offset_by([2, 3]);
        /// assert_eq!((part.pointer, part.extents), (&raw const memory[23], [4, 7]));
        /// ```
        #[inline(always)]
        #[must_use]
        pub fn offset_by(mut self, by: [u32; 2]) -> Self {
            let mut mode = 0;
            while mode < 2 {
                let offset = u64::from(by[mode]).wrapping_mul(self.strides[mode]);
                self.pointer = self.pointer.wrapping_add(offset as usize);
                self.extents[mode] = self.extents[mode].saturating_sub(by[mode]);
                mode += 1;
            }
            self
        }

        /// Returns the matrix from the first element of thread `thread` on, in the tile at `at`, as
        /// partitioned by the tiled copy `Copy`.
        #[inline(always)]
        #[must_use]
        pub fn from_part<Copy: PartitionTile<T, Tile>, Tile>(
            self,
            at: (u32, u32),
            thread: u32,
        ) -> Self {
            // SAFETY: only a coordinate of the tensor is taken, no element is read.
            let part = Copy::partition_tile(&unsafe { self.tensor::<Copy, Tile>() }, at, thread);
            self.offset_by(part.engine().coordinate())
        }

        /// Advances to the next tile along k.
        #[inline(always)]
        pub fn advance<Copy: PartitionTile<T, Tile>, Tile>(&mut self) {
            // SAFETY: only a coordinate of the tensor is taken, no element is read.
            let next = Copy::coordinate_of_tile(&unsafe { self.tensor::<Copy, Tile>() }, (0, 1));
            *self = self.offset_by(next);
        }

        /// Returns the matrix with strides that the compiler cannot hoist. Otherwise the compiler
        /// would keep each row's distance in two registers. The strides are at most 2^31, so that a
        /// distance in 32 bits is multiplied in one instruction.
        #[inline(always)]
        #[must_use]
        pub fn with_opaque_strides(mut self) -> Self {
            self.strides = self.strides.map(|stride| u64::from(here(stride as u32)));
            self
        }

        /// Returns the matrix from row `rows` on, by one addition to the address. Otherwise the
        /// compiler would multiply for each row, and ptxas's 64-bit products delay the tensor cores
        /// by 2.5 % (`docs/benchmarks/gemm-mma-sync.md`).
        #[inline(always)]
        #[must_use]
        pub fn skip_rows(mut self, rows: u32) -> Self {
            let offset = u64::from(rows).wrapping_mul(self.strides[0]);
            self.pointer = here(self.pointer.wrapping_add(offset as usize));
            self
        }

        /// Returns the matrix as a tensor `(rows, k)`, whose type states that the mode of the
        /// copy's vectors has stride 1.
        ///
        /// # Safety
        /// The elements within the extents are readable, and nothing writes them while the kernel
        /// runs. If `Copy` moves several elements at once, the stride of their mode is 1, and the
        /// pointer and the other stride are multiples of a load's size.
        #[inline(always)]
        #[must_use]
        pub unsafe fn tensor<Copy: PartitionTile<T, Tile>, Tile>(
            &self,
        ) -> MatrixTensor<T, RaggedIdentity<U2>, Copy::Strides> {
            // SAFETY: the caller guarantees that the elements within the extents are readable and
            // not written while the kernel runs, and that the strides are as required.
            unsafe {
                Tensor::global(
                    self.pointer,
                    self.extents,
                    Assume::<Copy::Strides, 2>::new(self.strides),
                )
            }
        }
    }
}

pub mod k_block {
    //! k blocks of a mainloop: fragments that are loaded from stages in shared memory and
    //! multiplied. For a mainloop that is generic over its tiled MMA and tiled copies, each role is
    //! one bound.
    //!
    //! ```text
    //!   LoadKBlock       stages (CPY,CPY_M,CPY_K,stage) at (k block, stage) ─► fragment (MMA,MMA_M,MMA_K) at k block
    //!   MultiplyKBlock   C += A B of a k block
    //! ```
    //!
    //! Law: each trait holds for all tiled copies, tiled MMAs and fragments that [`copy`] and
    //! [`gemm`] take.
    //!
    //! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`, its loop over `K_BLOCK_MAX`.

    use super::super::Walk;
    use super::super::copy::{CopyBy, copy};
    use super::super::elementwise::transform_in_place;
    use super::super::gemm::{GemmBy, IsElement, gemm};
    use crate::algebra::cast::RecastTo;
    use crate::atom::Element;
    use crate::atom::MmaAtom;
    use crate::layout::LayoutFn;
    use crate::ragged::SliceTensorBy;
    use crate::tensor::{
        __, Fragment, FragmentLayout, GetSlice, PartitionLayout, Plain, Registers, Role, Shared,
        Tensor, ThrCopy,
    };
    use crate::tiled::{
        MadeFor, OperandA, OperandB, OperandC, Retile, RetileOf, Source, TiledCopyTraits,
        TiledMmaTraits,
    };
    use crate::tree::Underscore;

    /// Selects a k block of a fragment, and of a stage.
    type OfBlock = (Underscore, Underscore, u32);
    type OfStage = (Underscore, Underscore, u32, u32);
    type BlockOf<L> = <L as SliceTensorBy<OfBlock>>::Output;
    type StageOf<L> = <L as SliceTensorBy<OfStage>>::Output;
    type Recast<L, V, T> = <L as RecastTo<<V as Element>::Bits, <T as Element>::Bits>>::Output;
    type Part<L, C> = <L as PartitionLayout<C, Source>>::Part;

    /// Implemented if the tiled copy `Self` loads k blocks of `Stages`, `(rows,k,stage)` of bits
    /// `T`, into a fragment of `V`.
    pub trait LoadKBlock<T: Plain, Stages: LayoutFn, V: Plain, L: FragmentLayout, R: Role>:
        TiledCopyTraits
    {
        /// A thread's part of the stages: `(CPY,CPY_M,CPY_K,stage)`.
        type Source: LayoutFn;
        /// Returns thread `thread`'s part of the stages.
        fn partition_stages(
            stages: &Tensor<Shared<T>, Stages>,
            thread: u32,
        ) -> Tensor<Shared<T>, Self::Source>;
        /// Loads k block `k_block` of stage `stage`. The copies move bits, for any element type.
        ///
        /// # Safety
        /// The conditions of [`copy`] hold.
        unsafe fn load_k_block(
            source: &Tensor<Shared<T>, Self::Source>,
            fragment: &Fragment<V, L, R>,
            k_block: u32,
            stage: u32,
        );
        /// Replaces the bits of k block `k_block` by `f` of these bits.
        fn transform_k_block(fragment: &Fragment<V, L, R>, k_block: u32, f: impl Fn(T) -> T);
    }
    impl<C, T: Plain, Stages: LayoutFn, V: Plain, L: FragmentLayout, R: Role>
        LoadKBlock<T, Stages, V, L, R> for C
    where
        C: TiledCopyTraits + GetSlice<Thr = ThrCopy<C>>,
        Stages:
            PartitionLayout<C, Source, Part: LayoutFn + SliceTensorBy<OfStage, Output: LayoutFn>>,
        L: RecastTo<<V as Element>::Bits, <T as Element>::Bits, Output: LayoutFn>,
        R: MadeFor<C::Role>,
        C: Retile<Recast<L, V, T>, Output: SliceTensorBy<OfBlock, Output: LayoutFn>>,
        C: for<'a> CopyBy<
                Shared<T>,
                StageOf<Part<Stages, C>>,
                Registers<'a, T, R>,
                BlockOf<RetileOf<C, Recast<L, V, T>>>,
            >,
        L: SliceTensorBy<
                OfBlock,
                Output: RecastTo<<V as Element>::Bits, <T as Element>::Bits, Output: Walk>
                            + LayoutFn,
            >,
    {
        type Source = Part<Stages, C>;
        #[inline(always)]
        fn partition_stages(
            stages: &Tensor<Shared<T>, Stages>,
            thread: u32,
        ) -> Tensor<Shared<T>, Self::Source> {
            C::get_slice(thread).partition_s(stages)
        }
        #[inline(always)]
        unsafe fn load_k_block(
            source: &Tensor<Shared<T>, Self::Source>,
            fragment: &Fragment<V, L, R>,
            k_block: u32,
            stage: u32,
        ) {
            let target = C::get_slice(0).retile_d(&fragment.view().recast::<T>()); // (CPY,CPY_M,CPY_K)
            let source = source.slice((__, __, k_block, stage)); // (CPY,CPY_M)
            // SAFETY: the caller guarantees that the threads of an atom execute this together.
            unsafe { copy(C::default(), &source, &target.slice((__, __, k_block))) };
        }
        #[inline(always)]
        fn transform_k_block(fragment: &Fragment<V, L, R>, k_block: u32, f: impl Fn(T) -> T) {
            transform_in_place(&fragment.slice((__, __, k_block)).recast::<T>(), f);
        }
    }

    /// Implemented if the tiled MMA `Self` multiplies k blocks of fragments of the layouts `LA` and
    /// `LB`.
    pub trait MultiplyKBlock<VA: Plain, LA, VB: Plain, LB, VC: Plain, LC>: TiledMmaTraits
    where
        LA: FragmentLayout,
        LB: FragmentLayout,
        LC: FragmentLayout,
    {
        /// Adds the products of k block `k_block` to `c`.
        ///
        /// # Safety
        /// The conditions of [`gemm`] hold.
        unsafe fn multiply_k_block(
            a: &Fragment<VA, LA, OperandA>,
            b: &Fragment<VB, LB, OperandB>,
            c: &Fragment<VC, LC, OperandC>,
            k_block: u32,
        );
    }
    impl<Mma, VA, LA, VB, LB, VC, LC> MultiplyKBlock<VA, LA, VB, LB, VC, LC> for Mma
    where
        Mma: TiledMmaTraits,
        VA: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeA>,
        VB: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeB>,
        VC: Plain + IsElement<<Mma::Atom as MmaAtom>::ValTypeC>,
        LA: FragmentLayout + SliceTensorBy<OfBlock, Output: LayoutFn>,
        LB: FragmentLayout + SliceTensorBy<OfBlock, Output: LayoutFn>,
        LC: FragmentLayout,
        Mma: GemmBy<BlockOf<LA>, BlockOf<LB>, LC>,
    {
        #[inline(always)]
        unsafe fn multiply_k_block(
            a: &Fragment<VA, LA, OperandA>,
            b: &Fragment<VB, LB, OperandB>,
            c: &Fragment<VC, LC, OperandC>,
            k_block: u32,
        ) {
            // (MMA,MMA_M) and (MMA,MMA_N)
            let (a, b) = (a.slice((__, __, k_block)), b.slice((__, __, k_block)));
            // SAFETY: the caller guarantees that whole warps execute this.
            unsafe { gemm(Mma::default(), &a, &b, &c.view()) };
        }
    }
}

pub mod partial_tile {
    //! A thread's accumulator in memory. For split-K code that is generic over its tiled MMA, the
    //! requirements on a fragment are one bound.
    //!
    //! ```text
    //!   fragment of C ─ 32 bits each ─ coalesce ─► (4,4,groups):(1,4,16)   ◄─ copy ─►   (4,4,groups):(1,4 threads,16 threads) in memory
    //! ```
    //!
    //! Law: the vectors of all threads are contiguous, so that a warp's accesses are whole sectors.
    //! `add_group` of every group, with the memory that `save` wrote, replaces each register `x` by
    //! `f(x, y)`, where `y` is the register that was saved at its place.
    //!
    //! Source: CUTLASS `cutlass/block_striped.h`, `BlockStripedReduce`.

    use super::super::copy::{CopyBy, SameCount, copy};
    use super::super::{Walk, clear, transform_with};
    use crate::algebra::cast::RecastTo;
    use crate::algebra::coalesce::CoalescedTree;
    use crate::algebra::compose::Compose;
    use crate::atom::Element;
    use crate::atom::copy::AutoVectorizingCopy;
    use crate::layout::{Layout, LayoutFn, Size};
    use crate::num::{Nat, NatCmp};
    use crate::ragged::SliceTensorBy;
    use crate::tensor::{
        __, Fragment, FragmentLayout, Global, Plain, ReadOnly, ReadWrite, Registers, Tensor,
    };
    use crate::tiled::OperandC;
    use crate::tree::Underscore;
    use crate::unroll::{Unroll, unroll_type};
    use typenum::{U4, U16, U32};

    /// Selects a group of `(register,vector,group)`.
    type OfGroup = (Underscore, Underscore, u32);
    /// A fragment's registers, coalesced to the fewest modes.
    type RegistersOf<L, T> =
        <Words<L, T> as LayoutFn>::With<CoalescedTree<<Words<L, T> as LayoutFn>::Modes>>;
    type Words<L, T> = <L as RecastTo<<T as Element>::Bits, U32>>::Output;
    type GroupsOf<L, T> = <Size<RegistersOf<L, T>> as Nat>::Over<U16>;
    /// The registers as `(register,vector,group)`.
    type InGroups<L, T> = Layout<crate::shape!((4, 4, GroupsOf<L, T>)), crate::shape!((1, 4, 16))>;
    /// A group in memory: `(register,vector)`.
    type Saved<Threads> =
        Layout<crate::shape!((4, 4)), crate::shape!((1, <U4 as Nat>::Times<Threads>))>;
    type Grouped<L, T> = <RegistersOf<L, T> as Compose<InGroups<L, T>>>::Output;
    type GroupOf<L> = <L as SliceTensorBy<OfGroup>>::Output;
    /// Four vectors of four registers.
    type OneGroup = crate::layout!((4, 4));

    /// Fragments `Self` with elements `T` of `Threads` threads. They are saved in groups of 16
    /// registers.
    pub trait PartialTile<T: Plain, Threads>: FragmentLayout {
        /// The number of groups.
        type Groups: Unroll;
        /// Sets all registers to zero.
        fn clear(fragment: &Fragment<T, Self, OperandC>);
        /// Saves thread `thread`'s fragment.
        ///
        /// # Safety
        /// From `to` on there is memory for the fragments of all threads, aligned to vectors, that
        /// no other code accesses.
        unsafe fn save(fragment: &Fragment<T, Self, OperandC>, to: *mut u32, thread: u32);
        /// Replaces the registers of group `group` by `f` of each register and its saved value.
        ///
        /// # Safety
        /// All threads have saved fragments from `from` on, and the saved values are visible here.
        unsafe fn add_group(
            fragment: &Fragment<T, Self, OperandC>,
            group: u32,
            from: *const u32,
            thread: u32,
            f: impl Fn(u32, u32) -> u32,
        );
    }
    impl<L, T: Plain, Threads: Nat> PartialTile<T, Threads> for L
    where
        L: FragmentLayout + RecastTo<T::Bits, U32, Output: Walk>,
        GroupsOf<L, T>: Unroll,
        RegistersOf<L, T>: Compose<InGroups<L, T>, Output: SliceTensorBy<OfGroup, Output: Walk>>,
        <Size<GroupOf<Grouped<L, T>>> as NatCmp>::Equals<Size<OneGroup>>:
            SameCount<Size<GroupOf<Grouped<L, T>>>, Size<OneGroup>>,
        <Size<GroupOf<Grouped<L, T>>> as NatCmp>::Equals<Size<GroupOf<Grouped<L, T>>>>:
            SameCount<Size<GroupOf<Grouped<L, T>>>, Size<GroupOf<Grouped<L, T>>>>,
        Saved<Threads>: LayoutFn,
        AutoVectorizingCopy: for<'a> CopyBy<
                Registers<'a, u32, OperandC>,
                GroupOf<Grouped<L, T>>,
                Global<u32, ReadWrite, 0>,
                Saved<Threads>,
            > + for<'a> CopyBy<Global<u32, ReadOnly, 0>, Saved<Threads>, Registers<'a, u32>, OneGroup>,
    {
        type Groups = GroupsOf<L, T>;
        #[inline(always)]
        fn clear(fragment: &Fragment<T, Self, OperandC>) {
            clear(&fragment.view().recast::<u32>());
        }
        #[inline(always)]
        unsafe fn save(fragment: &Fragment<T, Self, OperandC>, to: *mut u32, thread: u32) {
            let registers = fragment.view().recast::<u32>().coalesce();
            let registers = registers.compose::<InGroups<L, T>>(); // (register,vector,group)
            unroll_type::<Self::Groups>(|group| {
                let registers = registers.slice((__, __, group as u32)); // (register,vector)
                // SAFETY: the caller guarantees the memory, in which the vectors of the threads are
                // contiguous, so no two threads write the same one.
                unsafe {
                    let to = to.add(place::<Threads>(thread, group as u32));
                    let saved = Tensor::<_, Saved<Threads>>::global_static_mut(to);
                    copy(AutoVectorizingCopy::default(), &registers, &saved);
                }
            });
        }
        #[inline(always)]
        unsafe fn add_group(
            fragment: &Fragment<T, Self, OperandC>,
            group: u32,
            from: *const u32,
            thread: u32,
            f: impl Fn(u32, u32) -> u32,
        ) {
            let partial = Fragment::<u32, OneGroup>::new(); // (register,vector)
            let registers = fragment.view().recast::<u32>().coalesce();
            let registers = registers.compose::<InGroups<L, T>>().slice((__, __, group)); // (register,vector)
            // SAFETY: the caller guarantees that `save` wrote there and that the values are visible
            // here.
            unsafe {
                let from = from.add(place::<Threads>(thread, group));
                let saved = Tensor::<_, Saved<Threads>>::global_static(from);
                copy(AutoVectorizingCopy::default(), &saved, &partial.view());
            }
            transform_with(&registers, &partial.view(), &registers, f);
        }
    }

    /// Returns where group `group` of thread `thread` begins.
    #[inline(always)]
    fn place<Threads: Nat>(thread: u32, group: u32) -> usize {
        4 * thread as usize + 16 * Threads::USIZE * group as usize
    }
}
