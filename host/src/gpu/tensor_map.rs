//! Tensor maps, encoded by the driver.

use super::Gpu;
use crate::error::Error;
use crate::tensor_map::{TensorMapError, TensorMapSpec};
use cuda_driver::TiledTensor;
use cuda_driver::calls::NOT_FOUND;

impl Gpu {
    /// Returns the 128 bytes of the tensor map that the device reads for a tensor at `address`, a
    /// multiple of 16. The specification is already checked.
    pub(crate) fn encode_tensor_map(
        &self,
        spec: &TensorMapSpec,
        address: u64,
    ) -> Result<[u8; 128], Error> {
        let _entered = self.enter()?;
        let tensor = TiledTensor {
            element: spec.element.number(),
            extents: &spec.extents,
            strides: &spec.strides,
            box_extents: &spec.box_extents,
            element_strides: &spec.element_strides,
            swizzle: spec.swizzle as u32,
            fill_nan: spec.fill_nan,
            reach_bytes: spec.reach(1),
        };
        let map = tensor.encode(address, self.about.driver_version);
        let map = map.map_err(|error| match error.code {
            NOT_FOUND => Error::TensorMap(TensorMapError::NoEntryPoint {
                driver: self.about.driver.clone(),
            }),
            _ => error.into(),
        })?;
        Ok(bytemuck::cast(map.0))
    }
}
