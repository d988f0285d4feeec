//! A box is loaded to several blocks of a cluster: to those of the mask, at the same place, and to no other.
//!
//! ```text
//!   cluster of 4, block 2 issues, mask 0b1001      block 0: the box   1: as it was   2: as it was   3: the box
//! ```

use super::common::hoppers;
use super::definition::{Case, cases, differs, length, load, numbers_of};
use super::kernels::{CLUSTER, Kernels, UNTOUCHED};
use bytemuck::Pod;
use half::{bf16, f16};
use host::{Device, TensorElement};

/// Masks of blocks: all, one, the issuer alone, some.
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
    use TensorElement::*;
    for device in hoppers() {
        let kernels = Kernels::new(&device);
        let mut copies = sweep::<u8>(&kernels, &device, U8);
        copies += sweep::<u16>(&kernels, &device, U16);
        copies += sweep::<u32>(&kernels, &device, U32) + sweep::<i32>(&kernels, &device, S32);
        copies += sweep::<u64>(&kernels, &device, U64) + sweep::<i64>(&kernels, &device, S64);
        copies += sweep::<f16>(&kernels, &device, F16) + sweep::<bf16>(&kernels, &device, Bf16);
        copies += sweep::<f32>(&kernels, &device, F32) + sweep::<f64>(&kernels, &device, F64);
        for of_32_bits in [F32Ftz, Tf32, Tf32Ftz] {
            copies += sweep::<f32>(&kernels, &device, of_32_bits);
        }
        println!("{copies} boxes, no difference: {}", device.where_it_ran());
        assert_eq!(copies, 13 * 20 * 5 + 7 * 20 + 13 * 16);
    }
}
