//! The main loop: tiles ahead by cp.async in a ring of stages, fragments ahead by one block of k.
//!
//! ```text
//!   stage       0    1    2    0    1 ..      a turn computes one stage, of two blocks, and fills the one before it
//!   multiplies  0.0  0.1  1.0  1.1  2.0 ..    read block 1 | begin step + 2 | fence | multiply block 0
//!   reads    0.0  0.1         1.0  1.1        wait, barrier | read block 0 of the next step | multiply block 1
//! ```
//!
//! Law: after the loop the sums are, for this thread's part of the tile of D, more by the products of the steps that the feed
//! brought. A group of copies is closed in every turn, an empty one too, so that a count of groups is a count of steps: this is
//! why the fence stands outside the condition.
//!
//! Source: CuTe `examples/cute/tutorial/sgemm_sm80.cu`.

use super::config::GemmConfig;
use super::operand::Operand;
use cuda_std::thread::sync_threads;
use layout_types::algorithm::{cp_async_fence, cp_async_wait};
use layout_types::unroll::unroll_type;
use typenum::Unsigned;

/// What brings the steps of k, one after the other, to the stages that the loop names.
pub trait Feed {
    /// Begins to copy the next step to `stage`; the `first` ones are begun whether there are as many or not.
    ///
    /// # Safety
    /// Nobody else touches the stage until the copy is finished, waited for, and a barrier has passed.
    unsafe fn begin(&mut self, stage: u32, first: bool);
    /// Finishes what was begun last, to the same stage.
    ///
    /// # Safety
    /// As [`Feed::begin`].
    unsafe fn finish(&mut self, stage: u32);
    /// What else there is to do while block `block` of a step is multiplied.
    #[inline(always)]
    fn beside(&mut self, _block: u32) {}
}

/// The steps of one tile.
pub struct Steps<C: GemmConfig> {
    /// A's copies.
    pub a: C::A,
    /// B's copies.
    pub b: C::B,
    /// The next step.
    pub next: u32,
    /// The last step that is brought: the last of the tile, or as many as there are stages, if with zeros. The tile's last step
    /// reads into the stage behind it, so that each has to be filled once.
    pub last: u32,
}
impl<C: GemmConfig> Steps<C> {
    #[inline(always)]
    fn advance(&mut self) {
        self.a.advance();
        self.b.advance();
        self.next += 1;
    }
}
impl<C: GemmConfig> Feed for Steps<C> {
    #[inline(always)]
    unsafe fn begin(&mut self, stage: u32, first: bool) {
        // Behind the last step of K, zeros are copied, and nothing is read.
        if first || self.next <= self.last {
            // SAFETY: the caller's contract.
            unsafe {
                self.a.begin(self.next, stage);
                self.b.begin(self.next, stage);
            }
        }
        self.advance();
    }
    #[inline(always)]
    unsafe fn finish(&mut self, stage: u32) {
        // SAFETY: the caller's contract.
        unsafe {
            self.a.finish(stage);
            self.b.finish(stage);
        }
    }
}

/// The steps of a tile that lies inside the matrices, all of it; they are as many as there are stages at least.
pub struct Inside<'a, C: GemmConfig>(pub &'a mut Steps<C>);
impl<C: GemmConfig> Feed for Inside<'_, C> {
    #[inline(always)]
    unsafe fn begin(&mut self, stage: u32, _first: bool) {
        let steps = &mut *self.0;
        if steps.next <= steps.last {
            // SAFETY: the caller's contract.
            unsafe {
                steps.a.begin_inside(steps.next, stage);
                steps.b.begin_inside(steps.next, stage);
            }
        }
        steps.advance();
    }
    #[inline(always)]
    unsafe fn finish(&mut self, stage: u32) {
        // SAFETY: the caller's contract.
        unsafe { self.0.finish(stage) }
    }
}

/// Where the loop is in the ring of stages.
pub struct Ring {
    read: u32,
    write: u32,
}

/// Begins the first steps.
///
/// # Safety
/// Every thread of the block calls it; nobody else uses the stages, whose readers and writers of before have passed a barrier.
#[inline(always)]
pub unsafe fn fill<C: GemmConfig>(feed: &mut impl Feed) {
    // SAFETY: a stage is filled only between the barrier behind its last reader and the wait and barrier before its next.
    unroll_type::<C::Ahead>(|stage| unsafe {
        feed.begin(stage as u32, true);
        feed.finish(stage as u32);
        cp_async_fence();
    });
}

/// Reads the first block of the first step.
///
/// # Safety
/// Every thread of the block calls it, behind [`fill`].
#[inline(always)]
pub unsafe fn start<C: GemmConfig>(tile: &C) -> Ring {
    C::wait();
    sync_threads();
    // SAFETY: whole warps are here, and the wait and the barrier completed the first stage.
    unsafe { tile.read(0, 0) };
    Ring {
        read: 0,
        write: C::Stages::U32 - 1,
    }
}

/// Begins the first steps, and reads the first block of the first one.
///
/// # Safety
/// As [`fill`].
#[inline(always)]
pub unsafe fn open<C: GemmConfig>(tile: &C, feed: &mut impl Feed) -> Ring {
    // SAFETY: the caller's contract.
    unsafe {
        fill::<C>(feed);
        start(tile)
    }
}

/// Adds the products of the next `steps` steps to the sums of `tile`, a thread's registers.
///
/// # Safety
/// Every thread of the block calls it with the same steps, at least one; nobody else uses the stages since [`open`].
#[inline(always)]
pub unsafe fn multiply<C: GemmConfig>(tile: &C, feed: &mut impl Feed, ring: &mut Ring, steps: u32) {
    let stages = C::Stages::U32;
    let mut step = 0;
    while step < steps {
        unroll_type::<C::Blocks>(|block| {
            let (block, blocks) = (block as u32, C::Blocks::U32);
            if block == blocks - 1 {
                // SAFETY: as above.
                unsafe { feed.finish(ring.write) };
                C::wait();
                sync_threads();
                ring.write = ring.read;
                ring.read = if ring.read + 1 == stages {
                    0
                } else {
                    ring.read + 1
                };
            }
            // SAFETY: whole warps are here; the stage is complete by the last wait and barrier.
            unsafe { tile.read((block + 1) % blocks, ring.read) };
            if block == 0 {
                // SAFETY: as above.
                unsafe { feed.begin(ring.write, false) };
                cp_async_fence();
            }
            feed.beside(block);
            // SAFETY: whole warps are here.
            unsafe { tile.multiply(block) };
        });
        step += 1;
    }
}

/// Waits for what was filled in vain: it is under way still.
#[inline(always)]
pub fn close() {
    cp_async_wait::<0>();
}
