//! Checks that a problem fits into the machine's memory before it is allocated.
//!
//! ```text
//!   free = least of   MemAvailable                                     the machine
//!                     memory.max - memory.current + inactive_file     each control group that this process is in
//!                     RLIMIT_AS - size, RLIMIT_DATA - data             this process, less what its threads will take
//! ```
//!
//! An allocation that is refused ends the process, and one that the machine cannot back may end it
//! later. The check therefore comes where an error can be returned, and reserves the bytes itself
//! once.

use crate::CutletError;
use host::{Device, Kind};
use std::path::{Path, PathBuf};

/// The bytes of address space that a thread takes, by its stack and its part of the heap.
const OF_THREAD: u64 = 72 << 20;

/// Refuses a problem that needs `host` bytes of the machine and `on_device` bytes of the device, if
/// the machine has fewer free. A GPU checks its own memory when it allocates.
pub(super) fn check(device: &Device, host: u128, on_device: u128) -> Result<(), CutletError> {
    let emulated = device.kind() == Kind::Emulator;
    // The emulator keeps one more bit for each byte.
    let emulation = on_device + on_device / 8;
    let needed = if emulated { host + emulation } else { host };
    let refused = |free: u64| CutletError::Memory {
        needed,
        free,
        emulated,
    };
    match free() {
        Some(free) if needed > u128::from(free) => Err(refused(free)),
        // If the machine does not report its memory, only bytes that it cannot reserve are refused.
        free if !is_given(needed) => Err(refused(free.unwrap_or(isize::MAX as u64))),
        _ => Ok(()),
    }
}

/// Whether the system has this number of bytes of address space for this process. None of them is
/// touched.
fn is_given(bytes: u128) -> bool {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Returns the bytes that can be allocated without swapping and within the limits of this process,
/// or `None` if the system does not report them.
fn free() -> Option<u64> {
    let root = Path::new("/");
    [of_machine(root), of_groups(root), of_process()]
        .into_iter()
        .flatten()
        .min()
}

/// Returns the first number after `name` in a file whose lines are names and numbers, in bytes if
/// its unit is kB.
fn number(file: &Path, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(file).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let mut words = rest.trim_start_matches(':').split_whitespace();
    let number: u64 = words.next()?.parse().ok()?;
    match words.next() {
        Some("kB") => number.checked_mul(1024),
        _ => Some(number),
    }
}

/// Returns Linux's `MemAvailable`.
fn of_machine(root: &Path) -> Option<u64> {
    number(&root.join("proc/meminfo"), "MemAvailable")
}

/// Returns the bytes that the limits on address space and on data leave to this process.
fn of_process() -> Option<u64> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let status = Path::new("/proc/self/status");
    let left = |limit: &str, used: &str| {
        let used = number(status, used)? + threads * OF_THREAD;
        Some(files::limit(limit)?.saturating_sub(used))
    };
    let address_space = left("Max address space", "VmSize");
    let data = left("Max data size", "VmData");
    [address_space, data].into_iter().flatten().min()
}

/// Returns the bytes that the control groups of this process leave, of both versions: the least of
/// each group and the groups above it.
fn of_groups(root: &Path) -> Option<u64> {
    let text = std::fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let left = text.lines().filter_map(|line| {
        // A line is `0::/a/b` in version 2, and `4:cpu,memory:/a/b` in version 1.
        let (_, rest) = line.split_once(':')?;
        let (controllers, group) = rest.split_once(':')?;
        let (mount, names) = if controllers.is_empty() {
            ("sys/fs/cgroup", ["memory.max", "memory.current"])
        } else if controllers.split(',').any(|name| name == "memory") {
            let names = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
            ("sys/fs/cgroup/memory", names)
        } else {
            return None;
        };
        let mount = root.join(mount);
        let group: PathBuf = mount.join(group.trim_start_matches('/'));
        group
            .ancestors()
            .take_while(|folder| folder.starts_with(&mount))
            .filter_map(|folder| of_group(folder, names))
            .min()
    });
    left.min()
}

/// Returns the bytes that one control group leaves. Pages of files that no process uses count as
/// free, because the system gives them to others.
fn of_group(folder: &Path, [limit, used]: [&str; 2]) -> Option<u64> {
    let read = |name: &str| -> Option<u64> {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        text.trim().parse().ok()
    };
    let cached = number(&folder.join("memory.stat"), "inactive_file ").unwrap_or(0);
    let used = read(used).unwrap_or(0).saturating_sub(cached);
    Some(read(limit)?.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_the_groups_above_counts() {
        let root = std::env::temp_dir().join(format!("cutlet-groups-{}", std::process::id()));
        let write = |file: &str, text: &str| {
            let file = root.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write(
            "proc/meminfo",
            "MemTotal:  8 kB\nMemAvailable:       3 kB\n",
        );
        assert_eq!(of_machine(&root), Some(3072));
        assert_eq!(of_groups(&root), None);
        write("proc/self/cgroup", "0::/a/b\n");
        write("sys/fs/cgroup/a/b/memory.max", "max\n");
        assert_eq!(of_groups(&root), None, "no limit");
        write("sys/fs/cgroup/a/memory.max", "1000\n");
        write("sys/fs/cgroup/a/memory.current", "900\n");
        assert_eq!(of_groups(&root), Some(100));
        write("sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 300\n");
        assert_eq!(of_groups(&root), Some(400));
        write("sys/fs/cgroup/a/b/memory.max", "7\n");
        assert_eq!(of_groups(&root), Some(7));
        write("proc/self/cgroup", "5:cpu:/x\n4:memory,hugetlb:/y\n");
        write("sys/fs/cgroup/memory/y/memory.limit_in_bytes", "50\n");
        write("sys/fs/cgroup/memory/y/memory.usage_in_bytes", "80\n");
        assert_eq!(of_groups(&root), Some(0));
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn what_no_address_space_holds_is_not_given() {
        assert!(is_given(1 << 20));
        assert!(!is_given(1 << 62) && !is_given(u128::MAX));
    }
}
