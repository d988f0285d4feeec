//! Arrays, textures and surfaces of an emulated device.
//!
//! ```text
//! array(desc) ─► ArrayHandle ─► texture(desc), surface(array) ─► the handle that a kernel takes
//! ```
//!
//! Law: an object's handle becomes invalid once its array is freed.

use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use super::Emulator;
use crate::memory::texture::Textures;
use crate::texture::{
    ArrayDesc, ArrayHandle, FilterMode, ReadMode, TexelFormat, TextureDesc, TextureError,
};

impl Emulator {
    fn read_textures(&self) -> RwLockReadGuard<'_, Textures> {
        self.textures.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_textures(&self) -> RwLockWriteGuard<'_, Textures> {
        self.textures
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the arrays and objects as a launch sees them.
    pub(crate) fn textures(&self) -> Textures {
        self.read_textures().clone()
    }

    /// Creates an array. Its texels are not initialised: a kernel that reads them before they are
    /// written faults (`Config::check_initialised`). All arrays together may have `Config::memory`
    /// bytes.
    ///
    /// # Errors
    /// [`TextureError::Extent`], [`TextureError::Channels`]; [`TextureError::Memory`] if the array
    /// does not fit.
    ///
    /// ```
    /// use emulator::{
    ///     AddressMode, ArrayDesc, ArrayShape, Config, Emulator, FilterMode, Launch, Program, ReadMode, TexelFormat,
    ///     TextureDesc,
    /// };
    ///
    /// let program = Program::parse(
    ///     ".version 7.0
    ///      .target sm_80
    ///      .address_size 64
    ///      .visible .entry between(.param .u64 texture, .param .u64 out) {
    ///          .reg .f32 %f<5>;
    ///          .reg .b64 %rd<3>;
    ///          ld.param.u64 %rd1, [texture];
    ///          ld.param.u64 %rd2, [out];
    ///          mov.f32 %f0, 0f3FA00000; // 1.25
    ///          tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];
    ///          st.global.f32 [%rd2], %f1;
    ///          ret;
    ///      }",
    /// )?;
    /// let device = Emulator::new(Config::default());
    /// device.load(&program)?;
    /// let array = device.array(&ArrayDesc {
    ///     shape: ArrayShape::D1,
    ///     extents: [2, 1, 1],
    ///     channels: 1,
    ///     format: TexelFormat::U8,
    /// })?;
    /// device.write_array(array, &[0, 255])?;
    /// let texture = device.texture(&TextureDesc {
    ///     array,
    ///     address: [AddressMode::Clamp; 3],
    ///     filter: FilterMode::Linear,
    ///     read: ReadMode::NormalizedFloat,
    ///     normalized: false,
    /// })?;
    /// let out = device.alloc(4)?;
    /// let launch = Launch { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared: 0 };
    /// let parameters = [texture.to_le_bytes(), out.to_le_bytes()];
    /// device.launch(&program, "between", &launch, &[&parameters[0], &parameters[1]], None)?;
    /// let mut found = [0; 4];
    /// device.read(out, &mut found)?;
    /// // 1.25 lies between the centres 0.5 and 1.5.
    /// assert_eq!(f32::from_le_bytes(found), 0.75);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn array(&self, desc: &ArrayDesc) -> Result<ArrayHandle, TextureError> {
        desc.check()?;
        Ok(self
            .write_textures()
            .allocate(*desc, self.config().memory)?)
    }

    /// Frees an array, and with it the objects over it: their handles become invalid.
    ///
    /// # Errors
    /// [`TextureError::NoArray`].
    pub fn free_array(&self, array: ArrayHandle) -> Result<(), TextureError> {
        self.write_textures().free(array)
    }

    /// Copies all bytes of an array to the device.
    ///
    /// # Errors
    /// [`TextureError::NoArray`], [`TextureError::Length`].
    pub fn write_array(&self, array: ArrayHandle, bytes: &[u8]) -> Result<(), TextureError> {
        self.write_textures().write(array, bytes)
    }

    /// Copies all bytes of an array to `bytes`. Bytes that were not written read as 0.
    ///
    /// # Errors
    /// [`TextureError::NoArray`], [`TextureError::Length`].
    pub fn read_array(&self, array: ArrayHandle, bytes: &mut [u8]) -> Result<(), TextureError> {
        self.write_textures().read(array, bytes)
    }

    /// Creates a texture object. Returns the handle that `tex` takes, an argument of 64 bits. See
    /// [`array`](Self::array).
    ///
    /// # Errors
    /// [`TextureError::NoArray`]; [`TextureError::ReadMode`] and [`TextureError::Filter`] if the
    /// array's format does not allow these.
    pub fn texture(&self, desc: &TextureDesc) -> Result<u64, TextureError> {
        let mut textures = self.write_textures();
        let format = textures.array(desc.array)?.desc.format;
        let normalized = desc.read == ReadMode::NormalizedFloat;
        if normalized && matches!(format, TexelFormat::U32 | TexelFormat::S32) {
            return Err(TextureError::ReadMode { format });
        }
        if desc.filter == FilterMode::Linear && !normalized && !format.is_float() {
            return Err(TextureError::Filter { format });
        }
        textures.object(desc.array, Some(*desc))
    }

    /// Creates a surface object over an array. Returns the handle that `suld` and `sust` take, an
    /// argument of 64 bits.
    ///
    /// # Errors
    /// [`TextureError::NoArray`].
    pub fn surface(&self, array: ArrayHandle) -> Result<u64, TextureError> {
        self.write_textures().object(array, None)
    }
}
