//! What the options of a kernel and its grid constants refuse.

use cuda_std::kernel;

#[kernel(threads = 2048)]
pub unsafe fn too_many_threads() {}

#[kernel(threads = (64, 32, 2))]
pub unsafe fn too_many_in_all() {}

#[kernel(threads = (1, 1, 1, 1))]
pub unsafe fn four_dimensions() {}

#[kernel(threads = 128, cluster = 32)]
pub unsafe fn too_large_a_cluster() {}

#[kernel(cluster = 0)]
pub unsafe fn no_cluster() {}

#[kernel(min_blocks = 2)]
pub unsafe fn blocks_of_what() {}

#[kernel]
pub unsafe fn by_value(#[grid_constant] map: [u64; 16]) {}

#[kernel]
pub unsafe fn a_slice(#[grid_constant] map: &[u64]) {}

#[kernel]
pub unsafe fn to_be_written(#[grid_constant] map: &mut [u64; 16]) {}

fn main() {}
