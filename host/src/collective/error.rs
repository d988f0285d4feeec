//! The errors of collectives, each with the ranks and the calls.

use std::time::Duration;
use thiserror::Error;

/// Why a collective failed, or why its ranks could not be connected.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CollectiveError {
    /// NCCL was not found.
    #[error(
        "NCCL was not found; set CUTLET_NCCL to the path of libnccl.so.2, or install it with `pip install nvidia-nccl-cu13`. Looked for: {}",
        .tried.join(", ")
    )]
    NotFound {
        /// The names and files that were tried.
        tried: Vec<String>,
    },
    /// A file is not NCCL, or is a version of NCCL that is too old.
    #[error("{path} cannot be used as NCCL: {reason}")]
    NotUsable {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// NCCL connects GPUs, and the device is not a GPU.
    #[error(
        "NCCL needs a GPU; this device is the {device}; emulated devices have `Communicator::emulated`"
    )]
    NotAGpu {
        /// The device's name.
        device: String,
    },
    /// Buffers do not fit the call.
    #[error("{what}")]
    Size {
        /// What is wrong, with the values.
        what: String,
    },
    /// Two ranks make different calls.
    #[error("call {number}: rank {} calls {}, rank {} calls {}; every rank has to make the same calls in the same order", .one.0, .one.1, .other.0, .other.1)]
    Mismatch {
        /// The number of the call, counted from 0.
        number: u64,
        /// A rank and its call.
        one: (usize, String),
        /// Another rank and its call.
        other: (usize, String),
    },
    /// Some ranks did not make a call, and other ranks waited in it for the whole time limit.
    #[error("call {number}, {call}: {} missing after {limit:?}", ranks(.missing))]
    Missing {
        /// The number of the call, counted from 0.
        number: u64,
        /// The call.
        call: String,
        /// The ranks that did not make the call.
        missing: Vec<usize>,
        /// The time limit.
        limit: Duration,
    },
    /// A rank has ended.
    #[error("call {number}, {call}: {} gone: its communicator was dropped{}", ranks(.left), if *.panicking { " by a panic" } else { "" })]
    Left {
        /// The number of the call, counted from 0.
        number: u64,
        /// The call.
        call: String,
        /// The ranks that have ended.
        left: Vec<usize>,
        /// Whether a rank ended by a panic.
        panicking: bool,
    },
    /// A call to NCCL failed.
    #[error("{call} returned {name}: {meaning}{}", if .last.is_empty() { String::new() } else { format!(" ({})", .last) })]
    Nccl {
        /// The call.
        call: &'static str,
        /// The result's name.
        name: &'static str,
        /// The meaning of the result.
        meaning: &'static str,
        /// NCCL's own last message.
        last: String,
    },
    /// A call did not end within the time limit, and the communicator was aborted.
    #[error(
        "rank {rank} of {size}: {call} did not end within {limit:?}: another rank is lost, or did not make the call; the communicator was aborted"
    )]
    TimedOut {
        /// The rank that waited.
        rank: usize,
        /// The number of ranks.
        size: usize,
        /// The call.
        call: String,
        /// The time limit.
        limit: Duration,
    },
    /// The process of rank 0 ended without an answer to a call.
    #[error(
        "rank {rank}: {call} was not answered: the process of rank 0, where emulated ranks meet, ended"
    )]
    ProcessEnded {
        /// The rank that made the call.
        rank: usize,
        /// The call.
        call: String,
    },
    /// An earlier call failed.
    #[error("the communicator ended with an earlier error: {first}")]
    Ended {
        /// The error of that call.
        first: String,
    },
    /// The launcher's variables are missing or wrong.
    #[error("{what}")]
    Environment {
        /// What is wrong, with the variables that were looked for.
        what: String,
    },
}

/// Same as `Display`: a test that ends with this error prints its sentence.
impl std::fmt::Debug for CollectiveError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Formats ranks: `rank 2 is`, `ranks 1, 2 are`.
fn ranks(of: &[usize]) -> String {
    let list = of
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    match of {
        [_] => format!("rank {list}"),
        _ => format!("ranks {list}"),
    }
}
