//! The environment variables through which a launcher tells a process its rank, the number of
//! ranks, and how the ranks find each other.
//!
//! ```text
//!   torchrun              mpirun                        srun              srun, mpich
//!   RANK                  OMPI_COMM_WORLD_RANK          SLURM_PROCID      PMI_RANK
//!   WORLD_SIZE            OMPI_COMM_WORLD_SIZE          SLURM_NTASKS      PMI_SIZE
//!   LOCAL_RANK            OMPI_COMM_WORLD_LOCAL_RANK    SLURM_LOCALID     -
//!
//!   CUTLET_NCCL_ID=<256 hexadecimal digits>      the id itself, or
//!   CUTLET_NCCL_ID_FILE=<path>                   where rank 0 writes the id, on a shared disk
//!   neither, and all ranks on this machine       a file among the temporary ones, named by the job (PMIX_NAMESPACE) or by the process that
//!                                                started this one: as many ranks here as there are, by LOCAL_WORLD_SIZE,
//!                                                OMPI_COMM_WORLD_LOCAL_SIZE or MPI_LOCALNRANKS
//! ```
//!
//! Law: rank 0 makes the id, writes it to the file atomically (by renaming a temporary file), and
//! removes the file once all ranks are connected.

use super::nccl;
use super::processes::{self, MeetingPlace, RemoteRank};
use super::{CollectiveError, Collectives};
use crate::device::Device;
use crate::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The identifier by which NCCL's ranks find each other: 128 bytes that rank 0 makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub(super) [u8; 128]);

impl UniqueId {
    /// Makes a new id for this process and machine.
    ///
    /// # Errors
    /// Returns [`CollectiveError::NotFound`] if there is no NCCL.
    pub fn create() -> Result<Self, Error> {
        nccl::unique_id()
    }

    /// Parses the id from 256 hexadecimal digits, or returns `None` if the text is something else.
    ///
    /// ```
    /// use host::collective::UniqueId;
    /// let text = "0a".repeat(128);
    /// assert_eq!(UniqueId::parse(&text).unwrap().to_string(), text);
    /// assert!(UniqueId::parse("0a").is_none());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().as_bytes();
        if digits.len() != 256 {
            return None;
        }
        let mut id = [0; 128];
        for (byte, pair) in id.iter_mut().zip(digits.chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self(id))
    }
}

impl fmt::Display for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for UniqueId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

const RANK: [&str; 4] = ["RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "PMI_RANK"];
const SIZE: [&str; 4] = [
    "WORLD_SIZE",
    "OMPI_COMM_WORLD_SIZE",
    "SLURM_NTASKS",
    "PMI_SIZE",
];
const LOCAL: [&str; 3] = ["LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"];
const LOCAL_SIZE: [&str; 3] = [
    "LOCAL_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "MPI_LOCALNRANKS",
];
/// The variable with a job's name, which is unique on this machine.
const JOB: [&str; 1] = ["PMIX_NAMESPACE"];
/// The variables that distinguish two runs of one launcher.
const RUN: [&str; 3] = [
    "TORCHELASTIC_RUN_ID",
    "TORCHELASTIC_RESTART_COUNT",
    "MASTER_PORT",
];
const ID: &str = "CUTLET_NCCL_ID";
const ID_FILE: &str = "CUTLET_NCCL_ID_FILE";

/// The position of this process among the processes that a launcher started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// The rank of this process.
    pub rank: usize,
    /// The number of processes.
    pub size: usize,
    /// The rank of this process on this machine, which is also the number of its GPU. It equals
    /// `rank` if the launcher does not state a local rank.
    pub local_rank: u32,
    id: Option<String>,
    file: Option<PathBuf>,
}

impl Launched {
    /// Reads the variables of the launcher.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Environment`] if a variable is missing or is not a number, or if
    /// the rank is not below the number of processes.
    pub fn from_environment() -> Result<Self, CollectiveError> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// Works as [`from_environment`](Self::from_environment), but reads the variables from a
    /// function.
    ///
    /// ```
    /// use host::collective::Launched;
    /// let variables = |name: &str| match name {
    ///     "RANK" => Some("3".into()),
    ///     "WORLD_SIZE" => Some("4".into()),
    ///     _ => None,
    /// };
    /// let launched = Launched::from_variables(variables)?;
    /// assert_eq!((launched.rank, launched.size, launched.local_rank), (3, 4, 3));
    /// # Ok::<(), host::collective::CollectiveError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`from_environment`](Self::from_environment).
    pub fn from_variables(
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, CollectiveError> {
        let wrong = |what: String| CollectiveError::Environment { what };
        let number = |names: &[&str]| -> Result<Option<usize>, CollectiveError> {
            let found = names.iter().find_map(|&name| Some((name, variable(name)?)));
            let Some((name, value)) = found else {
                return Ok(None);
            };
            let text = value.to_string_lossy();
            match text.trim().parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(wrong(format!(
                    "{name} is `{text}`, which is no number from 0 on"
                ))),
            }
        };
        let needed = |what: &str, names: &[&str]| {
            number(names)?.ok_or_else(|| {
                wrong(format!(
                    "no variable says the {what}: looked for {}; start the program by torchrun, mpirun or srun, or set them",
                    names.join(", ")
                ))
            })
        };
        let (rank, size) = (needed("rank", &RANK)?, needed("number of ranks", &SIZE)?);
        if rank >= size {
            return Err(wrong(format!(
                "the rank is {rank} of {size}: there are ranks 0 to {}",
                size.saturating_sub(1)
            )));
        }
        let local = number(&LOCAL)?.unwrap_or(rank);
        Ok(Self {
            rank,
            size,
            local_rank: u32::try_from(local).map_err(|_| {
                wrong(format!(
                    "the local rank is {local}, and no machine has such a GPU"
                ))
            })?,
            id: variable(ID).map(|id| id.to_string_lossy().into_owned()),
            file: match variable(ID_FILE) {
                Some(file) => Some(file.into()),
                None if number(&LOCAL_SIZE)? == Some(size) => {
                    let of = |names: &[&str]| -> Vec<OsString> {
                        names.iter().filter_map(|&name| variable(name)).collect()
                    };
                    // The job's own name, or else the parent process together with the variables
                    // that distinguish its jobs.
                    let key = match &of(&JOB)[..] {
                        [] => format!("{} {:?}", parent_id(), of(&RUN)),
                        job => format!("{job:?}"),
                    };
                    Some(meeting_place(&key))
                }
                None => None,
            },
        })
    }

    /// Returns the id from the variable, or from the file, which rank 0 writes and the other ranks
    /// wait for.
    ///
    /// # Errors
    /// Returns [`CollectiveError::Environment`] if neither the variable nor a file is given, if the
    /// text is not an id, or if the file does not appear within `limit`.
    pub fn unique_id(&self, limit: Duration) -> Result<UniqueId, Error> {
        let wrong = |what: String| Error::from(CollectiveError::Environment { what });
        if let Some(text) = &self.id {
            return UniqueId::parse(text).ok_or_else(|| {
                wrong(format!(
                    "{ID} is not 256 hexadecimal digits, it has {} characters",
                    text.len()
                ))
            });
        }
        if self.size == 1 && self.file.is_none() {
            return UniqueId::create();
        }
        let file = self.file()?;
        let shown = file.display();
        if self.rank == 0 {
            let id = UniqueId::create()?;
            write(&file, &id.to_string())?;
            return Ok(id);
        }
        let until = Instant::now() + limit;
        loop {
            if let Ok(text) = files::read_to_string(&file) {
                return UniqueId::parse(&text).ok_or_else(|| {
                    wrong(match MeetingPlace::parse(&text) {
                        Some(_) => format!(
                            "{shown} says that rank 0 has no GPU and is emulated, rank {} has one",
                            self.rank
                        ),
                        None => format!("{shown} holds no id of NCCL: remove it, and start again"),
                    })
                });
            }
            if Instant::now() >= until {
                return Err(self.late(limit));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Returns the file by which the ranks find each other.
    fn file(&self) -> Result<PathBuf, CollectiveError> {
        match (&self.file, &self.id) {
            (Some(file), _) => Ok(file.clone()),
            (None, Some(id)) => Ok(meeting_place(id)),
            (None, None) => Err(CollectiveError::Environment {
                what: format!(
                    "{} ranks need an id to find each other: set {ID}, or {ID_FILE} to a path that all of them see",
                    self.size
                ),
            }),
        }
    }

    fn late(&self, limit: Duration) -> Error {
        let what = match self.file() {
            Ok(file) => {
                let shown = file.display();
                let found = file.starts_with(std::env::temp_dir());
                let help = match found && self.id.is_none() {
                    true => format!(
                        "; if the launcher starts the ranks by way of another process, set {ID_FILE} to a path that all of them see"
                    ),
                    false => String::new(),
                };
                format!("rank 0 has not written {shown} within {limit:?}{help}")
            }
            Err(error) => error.to_string(),
        };
        CollectiveError::Environment { what }.into()
    }

    /// Returns this process's rank on an emulated device, among the processes of this machine.
    pub(super) fn emulated(&self, limit: Duration) -> Result<Box<dyn Collectives>, Error> {
        let device = Device::emulator();
        if self.size == 1 {
            return Ok(Box::new(processes::open(&device, 1, limit, |_| Ok(()))?));
        }
        let file = self.file()?;
        if self.rank == 0 {
            let rank = processes::open(&device, self.size, limit, |text| write(&file, text));
            let _ = std::fs::remove_file(&file);
            return Ok(Box::new(rank?));
        }
        let until = Instant::now() + limit;
        let place = (self.rank, self.size);
        loop {
            // The address in a file that an earlier run left leads to no connection. The loop then
            // reads the file again, because rank 0 writes a new one.
            let text = files::read_to_string(&file).unwrap_or_default();
            let connected = MeetingPlace::parse(&text)
                .map(|meeting| RemoteRank::connect(&device, place, &meeting, limit));
            if UniqueId::parse(&text).is_some() {
                return Err(CollectiveError::Environment {
                    what: format!(
                        "{} says that rank 0 has a GPU, and rank {} has none",
                        file.display(),
                        self.rank
                    ),
                }
                .into());
            }
            match connected {
                Some(Ok(rank)) => return Ok(Box::new(rank)),
                Some(Err(error)) if Instant::now() >= until => return Err(error.into()),
                None if Instant::now() >= until => return Err(self.late(limit)),
                _ => std::thread::sleep(Duration::from_millis(10)),
            }
        }
    }

    /// Removes the file with the id, once all ranks are connected.
    pub(super) fn forget_id(&self) {
        if let (0, None, Some(file)) = (self.rank, &self.id, &self.file) {
            // If another process has already removed it, nothing is left to do.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Returns the path of a temporary file that is the same for all processes with this key.
fn meeting_place(key: &str) -> PathBuf {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in key.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    std::env::temp_dir().join(format!("cutlet-id-{hash:016x}"))
}

/// Returns the process id of this process's parent, or 0 outside of Unix. The parent is the
/// launcher for all ranks of a machine.
fn parent_id() -> u32 {
    #[cfg(unix)]
    return std::os::unix::process::parent_id();
    #[cfg(not(unix))]
    return 0;
}

/// Writes a file atomically: a reader sees all of it or nothing.
fn write(file: &Path, text: &str) -> Result<(), Error> {
    files::write(file, text).map_err(|error| {
        let what = format!("{}: {error}", file.display());
        CollectiveError::Environment { what }.into()
    })
}
