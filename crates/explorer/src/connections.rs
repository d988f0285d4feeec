//! The open connections: their number, and those that have not sent a request yet.
//!
//! ```text
//!   accepted ─► reading its request ─► answered ─► closed
//!                └─ the oldest of these is closed if there is no room for a new one
//! ```
//!
//! Law: at most `most` connections are open. A connection that has sent its request is never closed
//! in favour of another; one that has not sent it may be, so that no number of half-open requests
//! blocks other clients.

use std::collections::BTreeMap;
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The open connections.
#[derive(Debug)]
pub(crate) struct Connections {
    most: usize,
    state: Mutex<State>,
    closed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    /// By age, the connections whose request has not arrived yet.
    reading: BTreeMap<u64, TcpStream>,
    next: u64,
}

/// An open connection, counted until this value is dropped.
#[derive(Debug)]
pub(crate) struct Open {
    connections: Arc<Connections>,
    number: u64,
}

impl Connections {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            state: Mutex::default(),
            closed: Condvar::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a new connection as soon as there is a free place. If there is none, closes the
    /// oldest connection that has not sent its request. Returns `None` if the connection is gone,
    /// or if `stopped` is set.
    pub(crate) fn open(
        self: &Arc<Self>,
        stream: &TcpStream,
        stopped: impl Fn() -> bool,
    ) -> Option<Open> {
        let kept = stream.try_clone().ok()?;
        let mut state = self.state();
        while state.open >= self.most {
            if let Some((_, oldest)) = state.reading.pop_first() {
                // The read in that connection's thread then ends at once, and the thread frees the
                // place.
                let _ = oldest.shutdown(Shutdown::Both);
            }
            (state, _) = self
                .closed
                .wait_timeout(state, Duration::from_millis(100))
                .unwrap_or_else(PoisonError::into_inner);
            if stopped() {
                return None;
            }
        }
        state.open += 1;
        state.next += 1;
        let number = state.next;
        state.reading.insert(number, kept);
        Some(Open {
            connections: Arc::clone(self),
            number,
        })
    }
}

impl Open {
    /// Marks that the request has arrived: it will be answered.
    pub(crate) fn has_asked(&self) {
        self.connections.state().reading.remove(&self.number);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.connections.state();
        state.reading.remove(&self.number);
        state.open -= 1;
        self.connections.closed.notify_all();
    }
}
