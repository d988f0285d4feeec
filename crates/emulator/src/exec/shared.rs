//! Accesses of shared memory: the only module that has its bytes.
//!
//! ```text
//!                    place                                        watch                      bytes
//! load, store, update    aligned? in bounds? peer alive? counted ─► ordered? initialised? ─► read, written
//! place ... issue        (cp.async)   found, then reported as issued                      ─► written
//! spot ... Issued        (TMA, bulk)  found, then reported as issued                      ─► moved when the queue says so
//! runs ... Operands      (wgmma)      found, then reported as issued                      ─► read when the schedule says so
//! spot, place ... ObjectPlace (mbarrier)   found                  ─► only states of objects, or reported as a write
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid and the access
//! was reported to the shadow. The compiler ensures this for every instruction: the functions that
//! read and write bytes of [`Shared`] are private to this module, and the types that it gives to
//! others (`Loaded`, `Placed`, [`Issued`], [`Operands`], [`ObjectPlace`]) have private fields, so
//! that only the functions here create them. The start of a block sets all bytes to zero
//! ([`Shared::reset`]).
//!
//! All checks of shared memory are in this folder: those of places in `place.rs`, those of order
//! and of initialisation in `watch.rs` (one warp at a time) and `asynchronous.rs`; their messages
//! are made in `problem.rs`.

mod asynchronous;
mod bytes;
mod object;
mod place;
mod problem;
mod warp;
mod watch;

pub(crate) use asynchronous::{Issued, Operands, Spot, object_at, runs, spot};
pub(crate) use bytes::{Shared, stride};
pub(crate) use object::{OBJECT_BYTES, ObjectPlace};
pub(crate) use place::Request;
pub(crate) use problem::slot_of_reading;
pub(crate) use warp::{load, place, store, update};
