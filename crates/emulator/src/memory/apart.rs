//! Knowledge about other warps that only some lanes of a warp have. Knowledge is, as in
//! [`clocks`](super::clocks), the times up to which a thread is ordered after other threads.
//!
//! ```text
//! warp 1 knows            of warp 0 up to 4
//! its lane 0 has acquired of warp 0 up to 9: the other lanes know it after bar.warp.sync
//! ```
//!
//! Law: knowledge that a lane acquires belongs to this lane only, until the lanes of its warp meet.
//! A piece that all lanes of a warp know is removed from here. At most [`MOST`] pieces are kept for
//! a warp: when one more arrives, the oldest counts as known to the whole warp, so that this limit
//! never produces a finding.

use std::sync::Arc;

use super::foreign::{self, Foreign, Seen};
use crate::frame::FULL;

/// The number of pieces that are kept for a warp.
const MOST: usize = 8;

/// A piece of knowledge that some lanes of a warp have.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub lanes: u32,
    /// What the lanes know of threads of their own cluster.
    pub seen: Arc<Seen>,
    /// What the lanes know of threads of other clusters.
    pub foreign: Option<Arc<Foreign>>,
}

impl Piece {
    fn is_same(&self, other: &Piece) -> bool {
        let foreign = match (&self.foreign, &other.foreign) {
            (Some(mine), Some(theirs)) => Arc::ptr_eq(mine, theirs),
            (mine, theirs) => mine.is_none() && theirs.is_none(),
        };
        foreign && Arc::ptr_eq(&self.seen, &other.seen)
    }
}

/// The pieces of one warp.
#[derive(Debug, Default)]
pub(crate) struct Apart(Vec<Piece>);

impl Apart {
    /// Whether every lane knows what its warp knows, and nothing else.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the pieces that at least one of these lanes knows.
    pub fn of(&self, lanes: u32) -> impl Iterator<Item = &Piece> {
        self.0.iter().filter(move |piece| piece.lanes & lanes != 0)
    }

    /// Returns a lane that knows what a thread did at a time, or `None`. The thread is in the
    /// lane's own cluster, or in cluster `unit` if that is given.
    pub fn lane_that_knows(&self, unit: Option<u32>, thread: u32, time: u32) -> Option<u32> {
        let mut pieces = self.0.iter();
        let found = pieces.find(|piece| match unit {
            None => piece.seen.knows(thread, time),
            Some(unit) => {
                let seen = piece.foreign.as_ref().and_then(|known| known.of(unit));
                seen.is_some_and(|seen| seen.knows(thread, time))
            }
        });
        found.map(|piece| piece.lanes.trailing_zeros())
    }

    /// Adds a piece that lanes learn. Returns the piece that the whole warp knows from here on, if
    /// there is one; that piece is no longer kept here.
    pub fn learn(&mut self, new: Piece) -> Option<Piece> {
        match self.0.iter_mut().find(|piece| piece.is_same(&new)) {
            Some(piece) => piece.lanes |= new.lanes,
            None => self.0.push(new),
        }
        if self.0.len() > MOST {
            self.join_equal();
        }
        let whole = self.0.iter().position(|piece| piece.lanes == FULL);
        let oldest = (self.0.len() > MOST).then_some(0);
        whole.or(oldest).map(|at| self.0.remove(at))
    }

    /// Merges pieces that the same lanes know.
    fn join_equal(&mut self) {
        let mut joined: Vec<Piece> = Vec::new();
        for piece in self.0.drain(..) {
            match joined.iter_mut().find(|one| one.lanes == piece.lanes) {
                Some(one) => {
                    foreign::join_seen(&mut one.seen, &piece.seen);
                    foreign::join(&mut one.foreign, &piece.foreign);
                }
                None => joined.push(piece),
            }
        }
        self.0 = joined;
    }

    /// Lets lanes of the warp meet: afterwards each of these lanes knows what any of them knew.
    /// Returns the pieces that the whole warp knows from here on, which are no longer kept here.
    pub fn meet(&mut self, lanes: u32) -> Vec<Piece> {
        for piece in self.0.iter_mut().filter(|piece| piece.lanes & lanes != 0) {
            piece.lanes |= lanes;
        }
        let (whole, rest) = self.0.drain(..).partition(|piece| piece.lanes == FULL);
        self.0 = rest;
        whole
    }

    /// Removes and returns all pieces; the caller gives them to the whole warp.
    pub fn take(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(lanes: u32, time: u32) -> Piece {
        let seen = Arc::new(Seen {
            warps: vec![time],
            threads: Vec::new(),
        });
        Piece {
            lanes,
            seen,
            foreign: None,
        }
    }

    #[test]
    fn lanes_know_a_piece_alone_until_they_meet() {
        let mut apart = Apart::default();
        assert!(apart.learn(piece(1, 5)).is_none());
        assert_eq!((apart.of(1).count(), apart.of(2).count()), (1, 0));
        assert!(apart.meet(0b111).is_empty());
        assert_eq!((apart.of(4).count(), apart.of(8).count()), (1, 0));
        assert_eq!(apart.meet(FULL & !7 | 1).len(), 1);
        assert!(apart.is_empty());
        // The same piece, lane by lane.
        let one = piece(0, 7);
        for lane in 0..31 {
            let lanes = 1 << lane;
            assert!(
                apart
                    .learn(Piece {
                        lanes,
                        ..one.clone()
                    })
                    .is_none()
            );
        }
        let whole = apart.learn(Piece {
            lanes: 1 << 31,
            ..one
        });
        assert!(whole.is_some() && apart.is_empty());
    }

    #[test]
    fn pieces_of_one_lane_become_one_and_the_oldest_of_many_is_the_warp_s() {
        let mut apart = Apart::default();
        for time in 0..100 {
            assert!(apart.learn(piece(1, time)).is_none());
        }
        let known = apart.of(1).map(|piece| piece.seen.warps[0]).max();
        assert_eq!(known, Some(99));
        let given: Vec<Piece> = (1..20)
            .filter_map(|n| apart.learn(piece(1 << n, n)))
            .collect();
        assert!(given.len() >= 20 - MOST - 1, "{}", given.len());
    }
}
