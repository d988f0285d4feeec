//! Checks that a problem fits into the machine's memory before it is allocated.
//!
//! An allocation that the machine cannot back ends the process, and not always at once. So the check
//! comes where an error can be returned.

use crate::CutletError;
use host::{Device, Kind};

/// Refuses a problem that needs `host` bytes of the machine and `device` bytes of the device, where the
/// machine has less free. A GPU answers for its own memory when it allocates.
pub(super) fn check(device: &Device, host: u128, on_device: u128) -> Result<(), CutletError> {
    let emulated = device.kind() == Kind::Emulator;
    let needed = if emulated { host + on_device } else { host };
    match free() {
        Some(free) if needed > u128::from(free) => Err(CutletError::Memory {
            needed,
            free,
            emulated,
        }),
        // Where the machine does not say, only what no address space holds is refused.
        None if needed > isize::MAX as u128 => Err(CutletError::Memory {
            needed,
            free: isize::MAX as u64,
            emulated,
        }),
        _ => Ok(()),
    }
}

/// Bytes that can be allocated without swapping, where the system says: Linux's `MemAvailable`.
fn free() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}
