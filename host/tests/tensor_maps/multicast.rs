//! Loads a box to several blocks of a cluster: to those in the mask, at the same place, and to no
//! other block.
//!
//! ```text
//!   cluster of 4, block 2 issues, mask 0b1001      block 0: the box   1: as it was   2: as it was   3: the box
//! ```

use super::common::hoppers;
use super::definition::every_type;
use super::definition::{Case, cases, differs, length, load, numbers_of};
use super::kernels::{CLUSTER, Kernels, UNTOUCHED};
use bytemuck::Pod;
use host::{Device, TensorElement};

/// Masks of blocks: all blocks, one block, only the block that issues the load, and twice some of
/// the blocks.
const MASKS: [u16; 5] = [0b1111, 0b0001, 0b0100, 0b1001, 0b0110];

fn sweep<T: Pod>(kernels: &Kernels, device: &Device, element: TensorElement) -> usize {
    let cases = cases(element);
    for (Case { spec, from_at, .. }, mask) in cases.iter().zip(MASKS.into_iter().cycle()) {
        let bytes = numbers_of(element, length(spec), 1);
        let typed = bytemuck::pod_collect_to_vec::<u8, T>(&bytes);
        let from = device.upload(&typed).unwrap();
        let map = from.tensor_map(spec).unwrap();
        let what = || format!("{}: {spec:?}, at {from_at:?} to {mask:#06b}", device.kind());
        let found = kernels
            .multicast(&map, from_at, mask)
            .unwrap_or_else(|error| panic!("{}: {error}", what()));
        let expected = load(spec, &bytes, from_at);
        for (rank, found) in found.chunks(expected.len()).enumerate() {
            let wrong = match mask >> rank & 1 {
                1 => differs(spec, &expected, found),
                _ => found.iter().any(|&byte| byte != UNTOUCHED),
            };
            assert!(!wrong, "block {rank}: {}", what());
        }
        assert_eq!(found.len(), CLUSTER * expected.len());
    }
    cases.len()
}

#[test]
fn boxes_of_every_type_rank_and_swizzle_come_to_the_blocks_of_a_mask() {
    for device in hoppers() {
        let kernels = Kernels::new(&device);
        let copies = every_type!(sweep, &kernels, &device);
        println!("{copies} boxes, no difference: {}", device.where_it_ran());
        assert_eq!(copies, 13 * 20 * 5 + 7 * 20 + 13 * 16);
    }
}
