//! A counter for a limited resource: places for evaluations, bytes of answers that are being sent.
//!
//! ```text
//!   Gate::new(4)   take(1) ─► Pass   take(1) ─► Pass   ...   a fifth waits; a Pass that is dropped gives its part back
//! ```
//!
//! Law: the passes together never hold more than the gate has. A caller that waits longer than its
//! patience gets no pass.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The total amount, and the part that is free.
#[derive(Debug)]
pub(crate) struct Gate {
    all: usize,
    free: Mutex<usize>,
    changed: Condvar,
}

/// A part of a gate's amount, returned when it is dropped.
#[derive(Debug)]
pub(crate) struct Pass {
    gate: Arc<Gate>,
    amount: usize,
}

impl Gate {
    /// Makes a gate with the amount `all`.
    pub(crate) fn new(all: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            free: Mutex::new(all),
            changed: Condvar::new(),
        })
    }

    /// Takes `amount`, or the whole amount if `amount` exceeds it, as soon as that is free. Returns
    /// `None` if it takes longer than `patience`.
    pub(crate) fn take(self: &Arc<Self>, amount: usize, patience: Duration) -> Option<Pass> {
        let amount = amount.min(self.all);
        let deadline = Instant::now() + patience;
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        while *free < amount {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            (free, _) = self
                .changed
                .wait_timeout(free, left)
                .unwrap_or_else(PoisonError::into_inner);
        }
        *free -= amount;
        Some(Pass {
            gate: Arc::clone(self),
            amount,
        })
    }
}

impl Drop for Pass {
    fn drop(&mut self) {
        let mut free = self
            .gate
            .free
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *free += self.amount;
        self.gate.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_never_more_than_there_is() {
        let gate = Gate::new(3);
        let now = Duration::ZERO;
        let (one, two) = (gate.take(1, now).unwrap(), gate.take(2, now).unwrap());
        assert!(gate.take(1, now).is_none());
        drop(one);
        assert!(gate.take(2, now).is_none());
        let one = gate.take(1, now).unwrap();
        drop((one, two));
        // A request for more than the gate has gets everything.
        let all = gate.take(99, now).unwrap();
        assert!(gate.take(1, Duration::from_millis(10)).is_none());
        drop(all);
        assert_eq!(gate.take(0, now).unwrap().amount, 0);
    }

    #[test]
    fn who_waits_is_served() {
        let gate = Gate::new(2);
        let served: Vec<bool> = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..40)
                .map(|_| {
                    scope.spawn(|| {
                        let pass = gate.take(1, Duration::from_secs(30));
                        std::thread::sleep(Duration::from_millis(2));
                        pass.is_some()
                    })
                })
                .collect();
            clients
                .into_iter()
                .map(|client| client.join().unwrap())
                .collect()
        });
        assert_eq!(served, [true; 40]);
    }
}
