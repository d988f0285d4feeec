//! Runs a launch sequence without a GPU: on the emulator, if this build has the emulator.
//!
//! ```text
//!   LaunchSequence::emulate ─ feature emulator ─► emulated.rs          without it ─► OpsError::NoEmulator
//! ```
//!
//! Law: every build has these functions, so dependent crates plan and refuse the same problems with
//! and without the emulator. The emulator takes most of the package's build time.

use crate::{GpuTraits, LaunchSequence, OpsError};

/// The traits by which a kernel is chosen for the emulator. They describe an Ampere GPU, whose
/// kernels run on every later GPU. It has few multiprocessors, so that persistent kernels have few
/// CTAs.
pub const EMULATED_GPU: GpuTraits<'static> = GpuTraits {
    name: "NVIDIA A100-SXM4-80GB",
    compute_capability: (8, 0),
    multiprocessors: 4,
    shared_bytes: 163 << 10,
};

/// The traits by which a Hopper kernel is chosen for the emulator, also with few multiprocessors.
/// They serve operators that no Ampere kernel computes, such as
/// [`weights_gemm`](crate::weights_gemm).
pub const EMULATED_HOPPER: GpuTraits<'static> = GpuTraits {
    name: "NVIDIA H200",
    compute_capability: (9, 0),
    multiprocessors: 4,
    shared_bytes: 227 << 10,
};

impl LaunchSequence {
    /// Runs the steps on an emulator of a GPU of this compute capability. The call reads the inputs
    /// from `buffers` and writes the outputs there. Buffers for scratch may be empty, because the
    /// emulator allocates its own scratch.
    ///
    /// ```
    /// use cutlet_ops::{EMULATED_GPU, gemm};
    /// use cutlet_ops::kernel_abi::gemm::{GemmProblem, InputType, OutputType};
    /// use half::f16;
    /// // The row (1, 1, .. 1) of 16 times a matrix (8, 16) of twos.
    /// let problem = GemmProblem::new(1, 8, 16, InputType::F16, OutputType::Same);
    /// if let Ok(of) = gemm(&EMULATED_GPU, &problem) {
    ///     let bytes = |number: f32, n| f16::from_f32(number).to_le_bytes().repeat(n);
    ///     let mut buffers = [vec![0; 16], bytes(1.0, 16), bytes(2.0, 128), vec![], vec![], vec![]];
    ///     of.emulate(EMULATED_GPU.compute_capability, &mut buffers)?;
    ///     assert_eq!(buffers[0], bytes(32.0, 8));
    /// }
    /// # Ok::<(), cutlet_ops::OpsError>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`OpsError::Buffers`] or [`OpsError::Short`] before anything runs,
    /// [`OpsError::Emulator`] with the emulator's finding, and [`OpsError::NoEmulator`] in a build
    /// without the feature `emulator`.
    pub fn emulate(
        &self,
        compute_capability: (u32, u32),
        buffers: &mut [Vec<u8>],
    ) -> Result<(), OpsError> {
        #[cfg(feature = "emulator")]
        let run = crate::emulated::emulate(self, compute_capability, buffers);
        #[cfg(not(feature = "emulator"))]
        let run = {
            let _ = (compute_capability, buffers);
            Err(OpsError::NoEmulator)
        };
        run
    }
}
