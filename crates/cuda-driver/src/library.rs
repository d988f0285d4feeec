//! Opens the driver's library once, and looks up functions in it.
//!
//! ```text
//!   choose(..) before the first use ─┐
//!   CUTLET_NO_CUDA=1 ────────────────┼──► open() ──► Opened { library, status }      for the process's lifetime
//!   libcuda.so.1, libcuda.so, .. ────┘
//! ```
//!
//! Law: if any number of threads make the first use at the same time, the library is opened once,
//! and all threads see the same outcome. The library is never closed, so an address in it stays
//! valid.
//!
//! Source: `dlopen(3)`; CUDA on WSL User Guide, for the folder that the loader does not search.

use crate::status::{Attempt, DriverStatus, DriverVersion};
use core::ffi::{CStr, c_int, c_void};
use libloading::Library;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The environment variable that forbids the driver, unless its value is the empty string or `0`.
pub const NO_CUDA: &str = "CUTLET_NO_CUDA";

/// The files that are tried, in this order.
#[cfg(windows)]
const CANDIDATES: &[&str] = &["nvcuda.dll"];
#[cfg(not(windows))]
const CANDIDATES: &[&str] = &[
    "libcuda.so.1",
    "libcuda.so",
    "/usr/lib/wsl/lib/libcuda.so.1",
];

/// The driver that the process should use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Driver {
    /// The system's driver, if there is one.
    #[default]
    Search,
    /// Only this library.
    Library(PathBuf),
    /// No driver, as on a machine without one.
    None,
}

/// The driver has been used already, so it is too late to choose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the CUDA driver has been opened already: choose one before the first use of it")]
pub struct AlreadyOpened;

struct Opened {
    library: Option<Library>,
    status: DriverStatus,
}

static CHOICE: Mutex<Driver> = Mutex::new(Driver::Search);
static OPENED: OnceLock<Opened> = OnceLock::new();

/// Decides which driver the process uses. It must be called before the first call of a driver
/// function or of [`status`].
///
/// [`NO_CUDA`] in the environment takes precedence over [`Driver::Search`] only.
///
/// # Errors
/// Returns [`AlreadyOpened`] if the driver was opened already. Nothing changes in this case.
pub fn choose(driver: Driver) -> Result<(), AlreadyOpened> {
    let mut choice = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    // The lock is held while the library is opened, so this check cannot race with the opening.
    if OPENED.get().is_some() {
        return Err(AlreadyOpened);
    }
    *choice = driver;
    Ok(())
}

/// Returns the result of the search for the driver. Opens the driver if it is not open yet.
pub fn status() -> &'static DriverStatus {
    &opened().status
}

/// Returns the driver's function with this name, or `None` if there is no driver or no such
/// function. It is meant for functions that are not in [`SYMBOLS`](crate::SYMBOLS).
///
/// Postcondition: the address is valid for the rest of the process.
pub fn symbol(name: &CStr) -> Option<*const c_void> {
    opened()
        .library
        .as_ref()
        .and_then(|library| find(library, name))
}

fn opened() -> &'static Opened {
    if let Some(opened) = OPENED.get() {
        return opened;
    }
    let choice = CHOICE.lock().unwrap_or_else(PoisonError::into_inner);
    OPENED.get_or_init(|| open(&choice))
}

fn open(choice: &Driver) -> Opened {
    match choice {
        Driver::None => disabled("the program"),
        Driver::Library(path) => first_of(&[path.as_path()]),
        Driver::Search if forbidden() => disabled(NO_CUDA),
        Driver::Search => first_of(&CANDIDATES.iter().map(Path::new).collect::<Vec<_>>()),
    }
}

fn forbidden() -> bool {
    std::env::var_os(NO_CUDA).is_some_and(|value| !value.is_empty() && value != "0")
}

fn disabled(by: &'static str) -> Opened {
    Opened {
        library: None,
        status: DriverStatus::Disabled { by },
    }
}

fn first_of(candidates: &[&Path]) -> Opened {
    let mut tried = Vec::new();
    for &name in candidates {
        // SAFETY: loading runs the driver's initialisers, which may run in any process.
        match unsafe { Library::new(name) } {
            Ok(library) => {
                let status = DriverStatus::Loaded {
                    library: file_of(&library).unwrap_or_else(|| name.to_owned()),
                    version: version_of(&library),
                };
                return Opened {
                    library: Some(library),
                    status,
                };
            }
            Err(error) => tried.push(Attempt {
                library: name.to_owned(),
                error: reason(&error),
            }),
        }
    }
    Opened {
        library: None,
        status: DriverStatus::Missing { tried },
    }
}

/// Returns the system's message, without the message that libloading wraps around it.
fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    source.map_or_else(|| error.to_string(), ToString::to_string)
}

fn find(library: &Library, name: &CStr) -> Option<*const c_void> {
    // SAFETY: a `Symbol` of a pointer type dereferences to the symbol's address as that pointer.
    // Nothing is read or called through it here.
    let address = unsafe { *library.get::<*const c_void>(name).ok()? };
    (!address.is_null()).then_some(address)
}

fn version_of(library: &Library) -> Option<DriverVersion> {
    let address = find(library, c"cuDriverGetVersion")?;
    // SAFETY: the address is that of `cuDriverGetVersion`, which has this signature in the driver
    // API.
    let get: unsafe extern "C" fn(*mut c_int) -> u32 = unsafe { core::mem::transmute(address) };
    let mut number = 0;
    // SAFETY: the function writes only the one integer, and needs no initialised driver.
    let result = unsafe { get(&mut number) };
    let number = u32::try_from(number).ok().filter(|&number| number > 0)?;
    (result == 0).then(|| DriverVersion::from_number(number))
}

/// Returns the file from which a library of this process was loaded, found by an address inside the
/// library.
#[cfg(target_os = "linux")]
fn file_of(library: &Library) -> Option<PathBuf> {
    let address = find(library, c"cuInit")?.addr();
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    file_at(&maps, address)
}

#[cfg(not(target_os = "linux"))]
fn file_of(_library: &Library) -> Option<PathBuf> {
    None
}

/// Returns the file mapped at `address`, from lines like
/// `7f00-7f10 r-xp 00000000 08:01 1234   /lib/libcuda.so.1`.
#[cfg(target_os = "linux")]
fn file_at(maps: &str, address: usize) -> Option<PathBuf> {
    maps.lines().find_map(|line| {
        let (low, rest) = line.split_once('-')?;
        let (high, rest) = rest.split_once(' ')?;
        let low = usize::from_str_radix(low, 16).ok()?;
        let high = usize::from_str_radix(high, 16).ok()?;
        let path = &rest[rest.find('/')?..];
        (low..high).contains(&address).then(|| path.into())
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_file_at_an_address_is_read_from_the_map() {
        let maps = "1000-2000 r--p 00000000 08:01 12   /lib/a b.so\n\
                    2000-3000 r-xp 00001000 08:01 12   /lib/libcuda.so.1\n\
                    3000-4000 rw-p 00000000 00:00 0 \n";
        assert_eq!(file_at(maps, 0x1fff), Some("/lib/a b.so".into()));
        assert_eq!(file_at(maps, 0x2000), Some("/lib/libcuda.so.1".into()));
        assert_eq!(file_at(maps, 0x3000), None);
        assert_eq!(file_at(maps, 0x4000), None);
    }
}
