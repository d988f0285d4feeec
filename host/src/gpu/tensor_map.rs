//! Tensor maps, encoded by the driver.

use super::Gpu;
use super::driver::{self, NOT_FOUND, check};
use crate::error::Error;
use crate::tensor_map::{TensorMapError, TensorMapSpec};
use std::ffi::c_uint;

/// `CU_TENSOR_MAP_INTERLEAVE_NONE`
const INTERLEAVE_NONE: c_uint = 0;
/// `CU_TENSOR_MAP_L2_PROMOTION_L2_128B`, which CUTLASS has too.
const L2_PROMOTION_128: c_uint = 2;

/// `CUtensorMap`.
#[repr(C, align(64))]
struct Encoded([u64; 16]);

impl Gpu {
    /// The 128 bytes that the device reads of a tensor at `address`, a multiple of 16. The
    /// specification was checked.
    pub(crate) fn encode_tensor_map(
        &self,
        spec: &TensorMapSpec,
        address: u64,
    ) -> Result<[u8; 128], Error> {
        self.enter()?;
        let mut map = Encoded([0; 16]);
        // One more, so that it has an address for a tensor of one dimension too.
        let mut strides = spec.strides.clone();
        strides.push(0);
        // SAFETY: `map` is 128 bytes, aligned to 64, and outlives the call. `TensorMapSpec::check`
        // proved that the lists have `rank` numbers, the strides one less, and the driver reads no
        // more of them; it does not follow `address`.
        let code = unsafe {
            driver::cuTensorMapEncodeTiled(
                (&raw mut map).cast(),
                spec.element.number(),
                spec.rank() as c_uint,
                address,
                spec.extents.as_ptr(),
                strides.as_ptr(),
                spec.box_extents.as_ptr(),
                spec.element_strides.as_ptr(),
                INTERLEAVE_NONE,
                spec.swizzle as c_uint,
                L2_PROMOTION_128,
                c_uint::from(spec.fill_nan),
            )
        };
        if code == NOT_FOUND {
            return Err(Error::TensorMap(TensorMapError::NoEntryPoint {
                driver: self.about.driver.clone(),
            }));
        }
        check("cuTensorMapEncodeTiled", code)?;
        correct(&mut map.0, self.about.driver_version, spec.reach(1));
        Ok(bytemuck::cast(map.0))
    }
}

/// Clears bit 21 of the second word of a tensor of less than 128 KiB, as CUTLASS does for drivers
/// up to CUDA 13.1 (`make_tma_copy_desc`, since its commit b7ecaa605).
fn correct(map: &mut [u64; 16], driver_version: i32, tensor_bytes: u128) {
    if driver_version <= 13_010 && tensor_bytes < 131_072 {
        map[1] &= !(1 << 21);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_of_small_tensors_are_corrected_for_old_drivers() {
        let corrected = |driver, bytes| {
            let mut map = [u64::MAX; 16];
            correct(&mut map, driver, bytes);
            let others = map
                .iter()
                .enumerate()
                .all(|(i, &word)| i == 1 || word == u64::MAX);
            assert!(others, "one word alone changes");
            map[1] == u64::MAX ^ (1 << 21)
        };
        assert!(corrected(12_040, 131_071) && corrected(13_010, 16));
        assert!(!corrected(13_010, 131_072) && !corrected(13_020, 16));
    }
}
