//! What a launcher tells a process: its rank, how many there are, and how they find each other.
//!
//! ```text
//!   torchrun              mpirun                        srun              srun, mpich
//!   RANK                  OMPI_COMM_WORLD_RANK          SLURM_PROCID      PMI_RANK
//!   WORLD_SIZE            OMPI_COMM_WORLD_SIZE          SLURM_NTASKS      PMI_SIZE
//!   LOCAL_RANK            OMPI_COMM_WORLD_LOCAL_RANK    SLURM_LOCALID     -
//!
//!   CUTLET_NCCL_ID=<256 hexadecimal digits>      the id itself, or
//!   CUTLET_NCCL_ID_FILE=<path>                   where rank 0 writes it, on a disk that all see
//! ```
//!
//! Law: rank 0 makes the id, writes the file whole by renaming it, and removes it when all are connected.

use super::CollectiveError;
use super::nccl;
use crate::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What NCCL's ranks find each other by: 128 bytes that rank 0 makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UniqueId(pub(super) [u8; 128]);

impl UniqueId {
    /// A new one, of this process and machine.
    ///
    /// # Errors
    /// [`CollectiveError::NotFound`] without NCCL.
    pub fn create() -> Result<Self, Error> {
        nccl::unique_id()
    }

    /// The id as 256 hexadecimal digits; none where the text is something else.
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
const ID: &str = "CUTLET_NCCL_ID";
const ID_FILE: &str = "CUTLET_NCCL_ID_FILE";

/// This process among those that a launcher started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launched {
    /// Its number.
    pub rank: usize,
    /// How many there are.
    pub size: usize,
    /// Its number on this machine, which is its GPU's; the rank where the launcher does not say.
    pub local_rank: u32,
    id: Option<String>,
    file: Option<PathBuf>,
}

impl Launched {
    /// Reads the variables of the launcher.
    ///
    /// # Errors
    /// [`CollectiveError::Environment`] for a variable that is missing or no number, and for a rank beyond the last.
    pub fn from_environment() -> Result<Self, CollectiveError> {
        Self::from_variables(|name| std::env::var_os(name))
    }

    /// As [`from_environment`](Self::from_environment), of other variables.
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
    /// As [`from_environment`](Self::from_environment).
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
            file: variable(ID_FILE).map(PathBuf::from),
        })
    }

    /// The id: of the variable, or of the file, which rank 0 writes and the others wait for.
    ///
    /// # Errors
    /// [`CollectiveError::Environment`] where neither is given, or nothing is in the file within `limit`.
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
        let Some(file) = &self.file else {
            if self.size == 1 {
                return UniqueId::create();
            }
            return Err(wrong(format!(
                "{} ranks need an id to find each other: set {ID}, or {ID_FILE} to a path that all of them see",
                self.size
            )));
        };
        let shown = file.display();
        if self.rank == 0 {
            let id = UniqueId::create()?;
            let part = file.with_extension("part");
            std::fs::write(&part, id.to_string())
                .and_then(|()| std::fs::rename(&part, file))
                .map_err(|error| wrong(format!("{shown}: {error}")))?;
            return Ok(id);
        }
        let until = Instant::now() + limit;
        loop {
            if let Ok(text) = std::fs::read_to_string(file) {
                return UniqueId::parse(&text).ok_or_else(|| {
                    wrong(format!(
                        "{shown} holds no id of NCCL: remove it, and start again"
                    ))
                });
            }
            if Instant::now() >= until {
                return Err(wrong(format!(
                    "rank 0 has not written {shown} within {limit:?}"
                )));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Removes the file of the id, once all are connected.
    pub(super) fn forget_id(&self) {
        if let (0, None, Some(file)) = (self.rank, &self.id, &self.file) {
            // Whoever removed it before has done this already.
            let _ = std::fs::remove_file(file);
        }
    }
}
