//! Groups of threads that compute together: a block, and tiles of a warp. A group has reductions
//! and scans.
//!
//! ```text
//!   block of 128       [0 .. 31 | 32 .. 63 | 64 .. 95 | 96 .. 127]        this_thread_block::<128>()
//!   tiles of 8         [0..7|8..15|16..23|24..31| ...                     block.tiled_partition::<8>()
//!
//!   reduce             3 1 4 1   ──+──►   9 9 9 9
//!   inclusive_scan     3 1 4 1   ──+──►   3 4 8 9
//!   exclusive_scan     3 1 4 1   ──+──►   0 3 4 8          from the identity 0
//! ```
//!
//! Law: let `v[i]` be the value of the thread of rank `i`. Every thread gets `v[0] ∘ v[1] ∘ … ∘
//! v[size - 1]` from `reduce`, `v[0] ∘ … ∘ v[rank]` from `inclusive_scan`, and `identity ∘ v[0] ∘ …
//! ∘ v[rank - 1]` from `exclusive_scan`. The operation must be associative. Scans keep the order of
//! the operands, while `reduce` may exchange operands. The same operations are done in the same
//! order on each run, so floats have the same bits.
//!
//! The function that makes a group is `unsafe`: its caller promises that all threads of the group
//! make each call on the group together. Most calls themselves are then safe.
//!
//! Source: CUDA C++ Programming Guide, *Cooperative Groups*; CUB `BlockReduce`, `BlockScan`,
//! `WarpScan`; W. D. Hillis, G. L. Steele, *Data Parallel Algorithms* (1986).

use crate::thread::{
    block_dim_x, block_dim_y, block_dim_z, sync_threads, thread_idx_x, thread_idx_y, thread_idx_z,
};
use crate::warp::{
    WARP_SIZE, WarpShuffleValue, lane_id, sync_warp, warp_shuffle_idx, warp_shuffle_up,
    warp_shuffle_xor, warp_vote_ballot,
};
use core::marker::PhantomData;
use core::panic::Location;

/// All threads of a block of `SIZE` threads, ranked with x fastest, then y, then z.
///
/// The value is neither `Send` nor `Sync`, because it is the calling thread's view of its own
/// block.
#[derive(Debug, Clone, Copy)]
pub struct ThreadBlock<const SIZE: u32>(PhantomData<*mut ()>);

/// A tile: `SIZE` neighbouring threads of one warp. `SIZE` is a power of two up to 32. The tile's
/// first thread has a rank in the block that is a multiple of `SIZE`.
#[derive(Debug, Clone, Copy)]
pub struct ThreadBlockTile<const SIZE: u32>(PhantomData<*mut ()>);

/// Returns the calling thread's block, which has `SIZE` threads.
///
/// ```no_run
/// use cuda_std::cooperative_groups::this_thread_block;
/// use cuda_std::{prelude::*, shared_array};
///
/// /// The sum of 256 numbers.
/// ///
/// /// # Safety
/// /// A block of 256 threads; `x` has 256 elements.
/// #[kernel]
/// pub unsafe fn sum(total: *mut f32, x: *const f32) {
///     // SAFETY: nothing below is under a condition.
///     let block = unsafe { this_thread_block::<256>() };
///     let value = unsafe { *x.add(block.thread_rank() as usize) };
///     let scratch = shared_array![f32; 8];
///     let sum = unsafe { block.reduce(scratch, value, |a, b| a + b) };
///     if block.thread_rank() == 0 {
///         unsafe { *total = sum };
///     }
/// }
/// ```
///
/// # Panics
/// Panics if the block of this launch has another number of threads: the message has the number
/// `SIZE` and the caller's line.
///
/// # Safety
/// All threads of the block make this call together, and also make each call on the returned group
/// together. None of them has exited before.
#[inline(always)]
#[must_use]
#[track_caller]
pub unsafe fn this_thread_block<const SIZE: u32>() -> ThreadBlock<SIZE> {
    const { assert!(SIZE >= 1 && SIZE <= 1024, "a block has 1 to 1024 threads") }
    if block_dim_x() * block_dim_y() * block_dim_z() != SIZE {
        other_block::<SIZE>(Location::caller());
    }
    ThreadBlock(PhantomData)
}

/// Ends a launch whose block does not have `SIZE` threads, with the number and the caller's line.
#[inline(always)]
fn other_block<const SIZE: u32>(caller: &'static Location<'static>) -> ! {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: all strings end in NUL: rustc emits a location's file name as a C string, and the
    // other strings are C strings here. The call ends the launch.
    unsafe {
        crate::io::__assertfail(
            ThreadBlock::<SIZE>::OTHER.as_ptr(),
            caller.file_as_c_str().as_ptr().cast(),
            caller.line(),
            c"".as_ptr().cast(),
            1,
        );
        crate::intrinsics::trap()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    unreachable!("{caller}: no block has a size on the host")
}

/// Returns the text `before`, the number in decimal and the text `after`, padded with NUL bytes.
const fn numbered<const BYTES: usize>(before: &[u8], number: u32, after: &[u8]) -> [u8; BYTES] {
    let (mut text, mut at) = ([0; BYTES], 0);
    while at < before.len() {
        text[at] = before[at];
        at += 1;
    }
    let mut unit = 1;
    while number / unit >= 10 {
        unit *= 10;
    }
    while unit > 0 {
        text[at] = b'0' + (number / unit % 10) as u8;
        (at, unit) = (at + 1, unit / 10);
    }
    let mut i = 0;
    while i < after.len() {
        text[at + i] = after[i];
        i += 1;
    }
    text
}

impl<const SIZE: u32> ThreadBlock<SIZE> {
    /// The message for a launch whose block has another size. The message ends in NUL.
    #[cfg_attr(not(target_arch = "nvptx64"), expect(dead_code))]
    const OTHER: &'static [u8; 96] = &numbered(
        b"the block of this launch has not the ",
        SIZE,
        b" threads that this_thread_block says",
    );

    /// The number of warps of the block, which is the number of elements of `scratch`. The last
    /// warp may be incomplete.
    pub const WARPS: u32 = SIZE.div_ceil(WARP_SIZE);

    /// Returns the number of threads of the block.
    #[inline(always)]
    #[must_use]
    pub const fn size(&self) -> u32 {
        SIZE
    }

    /// Returns the thread's index in the block, below `SIZE`.
    #[inline(always)]
    #[must_use]
    pub fn thread_rank(&self) -> u32 {
        let rows = thread_idx_z() * block_dim_y() + thread_idx_y();
        let rank = rows * block_dim_x() + thread_idx_x();
        // SAFETY: the block has SIZE threads, as `this_thread_block` has checked.
        unsafe { core::hint::assert_unchecked(rank < SIZE) };
        rank
    }

    /// Waits for all threads of the block. What they wrote to memory before this call is visible
    /// after it ([`sync_threads`]).
    #[inline(always)]
    pub fn sync(&self) {
        sync_threads();
    }

    /// Returns the tile of `N` threads that contains this thread.
    ///
    /// `N` is a power of two up to 32 that divides the block's size. Any other `N` does not
    /// compile.
    #[inline(always)]
    #[must_use]
    pub fn tiled_partition<const N: u32>(&self) -> ThreadBlockTile<N> {
        const {
            assert!(
                N.is_power_of_two() && N <= WARP_SIZE,
                "a tile has 1, 2, 4, 8, 16 or 32 threads"
            );
            assert!(
                SIZE.is_multiple_of(N),
                "the tile's size divides the block's"
            );
        }
        ThreadBlockTile(PhantomData)
    }

    /// Combines the values of all threads by `f`. Every thread gets the result.
    ///
    /// Each warp combines its values by shuffles. The results of the warps are then combined one
    /// after the other. The call has two barriers, so that `scratch` may be memory that another
    /// call used.
    ///
    /// # Safety
    /// `scratch` points to [`WARPS`](Self::WARPS) elements of shared memory, the same for all
    /// threads, that no other code uses during the call.
    #[inline(always)]
    #[must_use]
    pub unsafe fn reduce<T: WarpShuffleValue + Copy>(
        &self,
        scratch: *mut T,
        value: T,
        f: impl Fn(T, T) -> T,
    ) -> T {
        const {
            assert!(
                SIZE.is_multiple_of(WARP_SIZE),
                "reduce and scans want whole warps"
            )
        }
        let tile = ThreadBlockTile::<WARP_SIZE>(PhantomData);
        let value = tile.reduce(value, &f);
        // SAFETY: `scratch` has an element per warp, used only by this call (`# Safety`);
        // `exchange` writes it between two barriers, after which it is only read.
        unsafe {
            self.exchange(scratch, value);
            let mut all = scratch.read();
            for warp in 1..Self::WARPS as usize {
                all = f(all, scratch.add(warp).read());
            }
            all
        }
    }

    /// Combines the values of the threads up to and including this thread by `f`, in the order of
    /// their ranks.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold.
    #[inline(always)]
    #[must_use]
    pub unsafe fn inclusive_scan<T: WarpShuffleValue + Copy>(
        &self,
        scratch: *mut T,
        value: T,
        f: impl Fn(T, T) -> T,
    ) -> T {
        const {
            assert!(
                SIZE.is_multiple_of(WARP_SIZE),
                "reduce and scans want whole warps"
            )
        }
        let tile = ThreadBlockTile::<WARP_SIZE>(PhantomData);
        let scanned = tile.inclusive_scan(value, &f);
        // SAFETY: `scratch` has an element per warp, used only by this call (`# Safety`);
        // `exchange` has written all of them when `before` reads.
        unsafe {
            self.exchange(scratch, tile.shfl(scanned, WARP_SIZE - 1));
            match self.before(scratch, None, &f) {
                Some(before) => f(before, scanned),
                None => scanned,
            }
        }
    }

    /// Combines `identity` and the values of the threads with lower ranks than this thread by `f`,
    /// in the order of their ranks.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold.
    #[inline(always)]
    #[must_use]
    pub unsafe fn exclusive_scan<T: WarpShuffleValue + Copy>(
        &self,
        scratch: *mut T,
        value: T,
        identity: T,
        f: impl Fn(T, T) -> T,
    ) -> T {
        const {
            assert!(
                SIZE.is_multiple_of(WARP_SIZE),
                "reduce and scans want whole warps"
            )
        }
        let tile = ThreadBlockTile::<WARP_SIZE>(PhantomData);
        let scanned = tile.inclusive_scan(value, &f);
        // SAFETY: `scratch` has an element per warp, used only by this call (`# Safety`);
        // `exchange` has written all of them when `before` reads.
        unsafe {
            self.exchange(scratch, tile.shfl(scanned, WARP_SIZE - 1));
            let before = self.before(scratch, Some(identity), &f).unwrap_or(identity);
            match tile.value_below(scanned) {
                Some(below) => f(before, below),
                None => before,
            }
        }
    }

    /// Writes each warp's value to `scratch`, after all earlier reads of `scratch`.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold.
    #[inline(always)]
    unsafe fn exchange<T: Copy>(&self, scratch: *mut T, of_warp: T) {
        let rank = self.thread_rank();
        self.sync();
        if rank.is_multiple_of(WARP_SIZE) {
            // SAFETY: `scratch` has an element for each warp (`# Safety`). One thread of each warp
            // writes the warp's element, between two barriers.
            unsafe { scratch.add((rank / WARP_SIZE) as usize).write(of_warp) };
        }
        self.sync();
    }

    /// Combines `first` and the elements of `scratch` that belong to the warps before this thread's
    /// warp.
    ///
    /// # Safety
    /// The conditions of [`reduce`](Self::reduce) hold; all elements have been written, and a
    /// barrier follows the writes.
    #[inline(always)]
    unsafe fn before<T: Copy>(
        &self,
        scratch: *mut T,
        first: Option<T>,
        f: impl Fn(T, T) -> T,
    ) -> Option<T> {
        let mut before = first;
        for warp in 0..self.thread_rank() / WARP_SIZE {
            // SAFETY: `scratch` has an element for each warp (`# Safety`). This element was
            // written, and a barrier followed the write.
            let value = unsafe { scratch.add(warp as usize).read() };
            before = Some(match before {
                Some(before) => f(before, value),
                None => value,
            });
        }
        before
    }
}

impl<const SIZE: u32> ThreadBlockTile<SIZE> {
    /// Returns the number of threads of the tile.
    #[inline(always)]
    #[must_use]
    pub const fn size(&self) -> u32 {
        SIZE
    }

    /// Returns the thread's index in the tile, below `SIZE`.
    #[inline(always)]
    #[must_use]
    pub fn thread_rank(&self) -> u32 {
        lane_id() % SIZE
    }

    /// Returns the mask of the tile's lanes in the warp.
    #[inline(always)]
    fn mask(self) -> u32 {
        if SIZE == WARP_SIZE {
            return u32::MAX;
        }
        ((1 << SIZE) - 1) << (lane_id() / SIZE * SIZE)
    }

    /// Waits for all threads of the tile. What they wrote to memory before this call is visible
    /// after it.
    #[inline(always)]
    pub fn sync(&self) {
        // SAFETY: the whole tile makes this call together, by the `# Safety` of
        // `this_thread_block`.
        unsafe { sync_warp(self.mask()) };
    }

    /// Returns the value of the thread with rank `rank % SIZE`.
    #[inline(always)]
    #[must_use]
    pub fn shfl<T: WarpShuffleValue>(&self, value: T, rank: u32) -> T {
        // SAFETY: the whole tile makes this call together, by the `# Safety` of
        // `this_thread_block`.
        unsafe { warp_shuffle_idx(self.mask(), value, rank, SIZE) }.0
    }

    /// Returns the value of the thread with rank `thread_rank() ^ (lanes % SIZE)`.
    #[inline(always)]
    #[must_use]
    pub fn shfl_xor<T: WarpShuffleValue>(&self, value: T, lanes: u32) -> T {
        // SAFETY: the whole tile makes this call together, by the `# Safety` of
        // `this_thread_block`.
        unsafe { warp_shuffle_xor(self.mask(), value, lanes % SIZE, SIZE) }.0
    }

    /// Returns the value of the thread whose rank is lower by `delta`, or `None` if there is no
    /// such thread.
    #[inline(always)]
    #[must_use]
    pub fn shfl_up<T: WarpShuffleValue>(&self, value: T, delta: u32) -> Option<T> {
        // SAFETY: the whole tile makes this call together, by the `# Safety` of
        // `this_thread_block`.
        let (value, inside) = unsafe { warp_shuffle_up(self.mask(), value, delta, SIZE) };
        (inside && delta < SIZE).then_some(value)
    }

    #[inline(always)]
    fn value_below<T: WarpShuffleValue>(self, value: T) -> Option<T> {
        if SIZE == 1 {
            return None;
        }
        self.shfl_up(value, 1)
    }

    /// Returns the predicates of the tile's threads. Bit `i` is the predicate of the thread with
    /// rank `i`.
    #[inline(always)]
    #[must_use]
    pub fn ballot(&self, predicate: bool) -> u32 {
        let mask = self.mask();
        // SAFETY: the whole tile makes this call together, by the `# Safety` of
        // `this_thread_block`.
        let all = unsafe { warp_vote_ballot(mask, predicate) };
        (all & mask) >> (lane_id() / SIZE * SIZE)
    }

    /// Whether any thread's predicate is true.
    #[inline(always)]
    #[must_use]
    pub fn any(&self, predicate: bool) -> bool {
        self.ballot(predicate) != 0
    }

    /// Whether every thread's predicate is true.
    #[inline(always)]
    #[must_use]
    pub fn all(&self, predicate: bool) -> bool {
        !self.any(!predicate)
    }

    /// Combines the values of all threads by `f`, with `log2(SIZE)` shuffles. Every thread gets the
    /// result.
    #[inline(always)]
    #[must_use]
    pub fn reduce<T: WarpShuffleValue + Copy>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        let (mut all, mut lanes) = (value, SIZE / 2);
        while lanes > 0 {
            all = f(all, self.shfl_xor(all, lanes));
            lanes /= 2;
        }
        all
    }

    /// Combines the values of the threads up to and including this thread by `f`, in the order of
    /// their ranks, with `log2(SIZE)` shuffles.
    #[inline(always)]
    #[must_use]
    pub fn inclusive_scan<T: WarpShuffleValue + Copy>(&self, value: T, f: impl Fn(T, T) -> T) -> T {
        let (mut scanned, mut delta) = (value, 1);
        while delta < SIZE {
            if let Some(below) = self.shfl_up(scanned, delta) {
                scanned = f(below, scanned);
            }
            delta *= 2;
        }
        scanned
    }

    /// Combines `identity` and the values of the threads with lower ranks than this thread by `f`,
    /// in the order of their ranks.
    #[inline(always)]
    #[must_use]
    pub fn exclusive_scan<T: WarpShuffleValue + Copy>(
        &self,
        value: T,
        identity: T,
        f: impl Fn(T, T) -> T,
    ) -> T {
        match self.value_below(self.inclusive_scan(value, &f)) {
            Some(below) => f(identity, below),
            None => identity,
        }
    }
}
