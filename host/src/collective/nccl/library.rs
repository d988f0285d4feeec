//! NCCL's library, which is opened at run time, and the functions that collectives call.
//!
//! ```text
//!   CUTLET_NCCL ─► libnccl.so.2 by name ─► CUDA's folder ─► Python's site-packages (nvidia/nccl/lib)
//! ```
//!
//! NVLink multicast stays off unless the user has set `NCCL_NVLS_ENABLE`.

use super::super::CollectiveError;
use crate::cublas::folders;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;
use std::sync::OnceLock;

pub(super) type Status = c_int;
pub(super) type Comm = *mut c_void;
type Stream = *mut c_void;

pub(super) const SUCCESS: Status = 0;
pub(super) const IN_PROGRESS: Status = 7;
/// `ncclSum`.
pub(super) const SUM: c_int = 0;

/// `ncclUniqueId`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Id(pub [u8; 128]);

/// `ncclConfig_t` of NCCL 2.18. Later versions read as many bytes as `size` states, and use their
/// defaults for the rest.
#[repr(C)]
pub(super) struct Config {
    size: usize,
    magic: c_uint,
    version: c_uint,
    blocking: c_int,
    cga_cluster_size: c_int,
    min_ctas: c_int,
    max_ctas: c_int,
    net_name: *const c_char,
    split_share: c_int,
}

const _: () = assert!(size_of::<Config>() == 48);

impl Config {
    /// Returns the configuration of a communicator whose functions return at once.
    pub fn non_blocking() -> Self {
        const UNDEFINED: c_int = c_int::MIN;
        Self {
            size: size_of::<Self>(),
            magic: 0xcafe_beef,
            version: 21800,
            blocking: 0,
            cga_cluster_size: UNDEFINED,
            min_ctas: UNDEFINED,
            max_ctas: UNDEFINED,
            net_name: std::ptr::null(),
            split_share: UNDEFINED,
        }
    }
}

type Move = unsafe extern "C" fn(*mut c_void, *mut c_void, usize, c_int, Comm, Stream) -> Status;
type Reduce =
    unsafe extern "C" fn(*mut c_void, *mut c_void, usize, c_int, c_int, Comm, Stream) -> Status;
type PointToPoint = unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, Comm, Stream) -> Status;

/// The library and its functions.
pub(super) struct Nccl {
    version: c_int,
    pub get_unique_id: unsafe extern "C" fn(*mut Id) -> Status,
    pub comm_init_rank_config:
        unsafe extern "C" fn(*mut Comm, c_int, Id, c_int, *mut Config) -> Status,
    pub comm_split: unsafe extern "C" fn(Comm, c_int, c_int, *mut Comm, *mut Config) -> Status,
    pub comm_count: unsafe extern "C" fn(Comm, *mut c_int) -> Status,
    pub comm_user_rank: unsafe extern "C" fn(Comm, *mut c_int) -> Status,
    pub comm_get_async_error: unsafe extern "C" fn(Comm, *mut Status) -> Status,
    pub comm_abort: unsafe extern "C" fn(Comm) -> Status,
    get_last_error: unsafe extern "C" fn(Comm) -> *const c_char,
    pub all_gather: Move,
    pub reduce_scatter: Reduce,
    pub all_reduce: Reduce,
    /// The function for broadcasts. The argument after the type is the root; in a sum it is the
    /// operation.
    pub broadcast: Reduce,
    pub send: PointToPoint,
    pub receive: PointToPoint,
    pub group_start: unsafe extern "C" fn() -> Status,
    pub group_end: unsafe extern "C" fn() -> Status,
    // This is the last field, so that it is dropped last: the functions above are in the library.
    _library: Library,
}

const NAME: &str = "libnccl.so.2";
/// The first version whose communicators need not block, and whose configuration is the structure
/// above.
const LEAST: c_int = 21800;

impl Nccl {
    /// Returns the library, which the first caller opens for the rest of the process.
    pub fn get() -> Result<&'static Self, CollectiveError> {
        static NCCL: OnceLock<Result<Nccl, CollectiveError>> = OnceLock::new();
        NCCL.get_or_init(Self::open).as_ref().map_err(Clone::clone)
    }

    fn open() -> Result<Self, CollectiveError> {
        const MULTICAST: &str = "NCCL_NVLS_ENABLE";
        if std::env::var_os(MULTICAST).is_none() {
            // SAFETY: Rust's own readers of the environment hold its lock. Of the libraries that
            // read the environment without that lock, only NCCL does so after its start, and NCCL
            // is not loaded yet.
            unsafe { std::env::set_var(MULTICAST, "0") };
        }
        let (library, path) = find()?;
        let missing = |error: libloading::Error| CollectiveError::NotUsable {
            path: path.clone(),
            reason: error.to_string(),
        };
        macro_rules! symbol {
            ($name:literal) => {
                // SAFETY: the field has the function's type in `nccl.h`, which is the same in NCCL
                // 2.18 to 2.28.
                *unsafe { library.get($name) }.map_err(missing)?
            };
        }
        let get_version: unsafe extern "C" fn(*mut c_int) -> Status = symbol!(b"ncclGetVersion\0");
        let mut version = 0;
        // SAFETY: `version` is a local that outlives the call.
        let status = unsafe { get_version(&raw mut version) };
        let nccl = Self {
            version,
            get_unique_id: symbol!(b"ncclGetUniqueId\0"),
            comm_init_rank_config: symbol!(b"ncclCommInitRankConfig\0"),
            comm_split: symbol!(b"ncclCommSplit\0"),
            comm_count: symbol!(b"ncclCommCount\0"),
            comm_user_rank: symbol!(b"ncclCommUserRank\0"),
            comm_get_async_error: symbol!(b"ncclCommGetAsyncError\0"),
            comm_abort: symbol!(b"ncclCommAbort\0"),
            get_last_error: symbol!(b"ncclGetLastError\0"),
            all_gather: symbol!(b"ncclAllGather\0"),
            reduce_scatter: symbol!(b"ncclReduceScatter\0"),
            all_reduce: symbol!(b"ncclAllReduce\0"),
            broadcast: symbol!(b"ncclBroadcast\0"),
            send: symbol!(b"ncclSend\0"),
            receive: symbol!(b"ncclRecv\0"),
            group_start: symbol!(b"ncclGroupStart\0"),
            group_end: symbol!(b"ncclGroupEnd\0"),
            _library: library,
        };
        nccl.check("ncclGetVersion", status, std::ptr::null_mut())?;
        if version < LEAST {
            return Err(CollectiveError::NotUsable {
                path,
                reason: format!("it is version {}; 2.18 or newer is needed", nccl.version()),
            });
        }
        Ok(nccl)
    }

    /// Formats the version: `2.28.3`.
    pub fn version(&self) -> String {
        let (major, rest) = (self.version / 10_000, self.version % 10_000);
        format!("{major}.{}.{}", rest / 100, rest % 100)
    }

    /// Converts a result to an error with NCCL's last message, unless it is a success.
    pub fn check(
        &self,
        call: &'static str,
        status: Status,
        comm: Comm,
    ) -> Result<(), CollectiveError> {
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: the callers guarantee that `comm` is null or alive. The answer is null or a
        // string that lives as long as the library.
        let last = unsafe {
            let text = (self.get_last_error)(comm);
            if text.is_null() {
                String::new()
            } else {
                CStr::from_ptr(text).to_string_lossy().trim().to_string()
            }
        };
        let (name, meaning) = named(status);
        Err(CollectiveError::Nccl {
            call,
            name,
            meaning,
            last,
        })
    }
}

/// Returns a result's name and meaning.
fn named(status: Status) -> (&'static str, &'static str) {
    match status {
        0 => ("ncclSuccess", "it succeeded"),
        1 => ("ncclUnhandledCudaError", "a call of CUDA failed"),
        2 => (
            "ncclSystemError",
            "a call of the operating system failed: sockets, shared memory or files",
        ),
        3 => (
            "ncclInternalError",
            "NCCL failed, or its memory was corrupted",
        ),
        4 => ("ncclInvalidArgument", "an argument is out of range"),
        5 => (
            "ncclInvalidUsage",
            "the calls of the ranks do not fit each other, or two ranks are on one GPU",
        ),
        6 => (
            "ncclRemoteError",
            "another rank is lost, or closed its connection",
        ),
        7 => ("ncclInProgress", "it is still under way"),
        _ => (
            "a result without a name",
            "NCCL's user guide does not list it",
        ),
    }
}

/// Finds and opens the library. Also returns the name or path by which it was found.
fn find() -> Result<(Library, String), CollectiveError> {
    // SAFETY: the user names the file as NCCL, or the file has NCCL's name in a folder of
    // libraries; NVIDIA's initialisers may run in any program.
    let load = |path: &Path| unsafe { Library::new(path) };
    if let Some(named) = std::env::var_os("CUTLET_NCCL") {
        let path = named.to_string_lossy().into_owned();
        return match load(Path::new(&named)) {
            Ok(library) => Ok((library, path)),
            Err(error) => Err(CollectiveError::NotUsable {
                path,
                reason: error.to_string(),
            }),
        };
    }
    let mut tried = vec![NAME.to_string()];
    if let Ok(library) = load(Path::new(NAME)) {
        return Ok((library, NAME.into()));
    }
    for folder in folders("nccl") {
        let path = folder.join(NAME);
        let shown = path.display().to_string();
        if !path.is_file() {
            tried.push(shown);
            continue;
        }
        match load(&path) {
            Ok(library) => return Ok((library, shown)),
            Err(error) => tried.push(format!("{shown} ({error})")),
        }
    }
    Err(CollectiveError::NotFound { tried })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_names_and_meanings() {
        assert_eq!(named(6).0, "ncclRemoteError");
        assert!(named(99).1.contains("does not list"));
    }
}
