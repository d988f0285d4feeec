//! Accesses of shared memory: the one place where its bytes are.
//!
//! ```text
//!                    place                                        watch                      bytes
//! load, store, update    aligned? in bounds? peer alive? counted ─► ordered? initialised? ─► read, written
//! place ... issue        (cp.async)   found, then told that it is issued                  ─► written
//! spot ... Issued        (TMA, bulk)  found, then told that it is issued                  ─► moved when the queue says so
//! runs ... Operands      (wgmma)      found, then told that it is issued                  ─► read when the schedule says so
//! spot, place ... ObjectPlace (mbarrier)   found                  ─► only states of objects, or told as a write
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid and the shadow
//! was told of it. The compiler holds every instruction to it: what reads and writes bytes of
//! [`Shared`] is private to this module, and what it gives to others (`Loaded`, `Placed`,
//! [`Issued`], [`Operands`], [`ObjectPlace`]) has private fields, so that only the functions here
//! make it. A block's start makes all bytes zeros ([`Shared::reset`]).
//!
//! A check of shared memory stands here: of places in `place.rs`, of order and what was written in
//! `watch.rs` (one warp at a time) and `asynchronous.rs`; its sentence in `problem.rs`.

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
