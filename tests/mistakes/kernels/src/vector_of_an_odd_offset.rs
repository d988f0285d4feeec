//! category: vectors and alignment
//! mistake: A pointer is moved by one float and read as a vector of four.
//! cure: Vectors begin at multiples of their size: scalar loads for the head.
//! CuTe: compiles; "misaligned address" at run time.

use cuda_std::thread::thread_idx_x;

/// A vector of 16 bytes, for one load.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Four([f32; 4]);

/// Computes `d[i] = a[i + 4]`, four elements per thread.
///
/// # Safety
/// A block of n / 4 threads; a has n + 4 elements.
#[inline(always)]
unsafe fn body<const RIGHT: bool>(d: *mut f32, a: *const f32, n: u32) {
    let (thread, _) = (thread_idx_x() as usize, n);
    // SAFETY: the vector is inside a, and begins at a multiple of 16 bytes where the offset is a multiple of 4.
    unsafe {
        let offset = if RIGHT { 4 } else { 1 };
        let four: Four = *a.add(offset).cast::<Four>().add(thread);
        *d.cast::<Four>().add(thread) = four;
    }
}
twins!(vector_of_an_odd_offset, vector_of_an_odd_offset_right);
