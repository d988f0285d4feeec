//! The program's kernels on a device, in the form in which a choice asks for them.

use super::CONFIGURATIONS;
use crate::CutletError;
use crate::kernels::Modules;
use host::Kind;
use kernel_abi::gemm::Configuration;
use kernel_choice::KernelDevice;

impl KernelDevice for Modules {
    type Error = CutletError;

    fn configurations(&self) -> &'static [Configuration] {
        CONFIGURATIONS
    }
    fn compute_capability(&self) -> (u32, u32) {
        self.device().compute_capability()
    }
    fn multiprocessors(&self) -> u32 {
        self.device().limits().multiprocessors
    }
    fn shared_bytes(&self) -> usize {
        self.device().limits().max_shared
    }
    fn max_threads(&self) -> u32 {
        self.device().limits().max_threads_per_block
    }
    fn has(&self, kernel: &str) -> bool {
        Self::has(self, kernel)
    }
    fn registers(&self, kernel: &str) -> Result<Option<u32>, CutletError> {
        let resources = self.resources(kernel)?;
        Ok(resources.map(|of| of.registers))
    }
    fn left_out(&self, kernel: &str) -> Option<CutletError> {
        Self::left_out(self, kernel).map(CutletError::from)
    }
    /// Whether the choice considers a kernel that the caller does not name. The emulator skips
    /// Hopper's kernels, because the kernels for every GPU are quicker to emulate. For Blackwell's
    /// it is the reverse: no card has run them, so that a GPU skips them; an emulated Blackwell
    /// exists to run them, and skips the kernels for every GPU if Blackwell has some of the same
    /// kind.
    fn is_chosen(&self, configuration: &Configuration) -> bool {
        let emulated = self.device().kind() == Kind::Emulator;
        match (configuration.hopper, configuration.arch) {
            (Some(_), 100..) => emulated,
            (Some(_), _) => !emulated,
            (None, _) => {
                let kind = |of: &Configuration| (of.input, of.accumulator, of.majors);
                let own = |of: &Configuration| of.arch >= 100 && kind(of) == kind(configuration);
                !(emulated
                    && self.compute_capability() == (10, 0)
                    && CONFIGURATIONS.iter().any(own))
            }
        }
    }
}
