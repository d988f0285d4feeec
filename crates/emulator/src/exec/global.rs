//! Accesses of global memory: the only module that reads and writes its bytes for a kernel.
//!
//! ```text
//!                                 find                     order                          bytes
//! load, store, update, discard    aligned? in bounds? counted ─► ordered? initialised? ─► read, written
//! load_lane                       in bounds?                  ─► ordered? initialised? ─► read
//! Pieces::examine                 in bounds?                  ─► ordered? initialised? ─► moved when the queue says so
//! load_texel, store_texel         (by extents: texture.rs)    ─► initialised?          ─► read, written
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid and the access is
//! noted in the records of blocks and launches. The sources are checked for this: [`RawBytes`]
//! reads and writes bytes of an allocation, and a test finds every file outside of this folder that
//! imports it. The types that this module gives to others ([`Pieces`], `Loaded`, `Cells`, ...) have
//! private fields. The host copies by [`HostMemory`] and by `&mut Textures`, which no launch has. A
//! launch that is run again gets all its [`Contents`] back.
//!
//! [`RawBytes`]: crate::memory::allocation::RawBytes
//! [`Contents`]: crate::memory::allocation::Contents
//! [`HostMemory`]: crate::memory::global::HostMemory
//!
//! All checks of global memory are in this folder: those of places in `find.rs`, those of order in
//! `order.rs`, and those of initialisation in the module of the access.

mod discard;
mod find;
mod lane;
pub(in crate::exec) mod missing;
mod multimem;
mod order;
mod texel;
mod threads;
mod warp;

pub(in crate::exec) use find::Found;
pub(crate) use find::Request;
pub(crate) use lane::{Pieces, descriptor, load_lane};
pub(in crate::exec) use order::{Accesses, of_lane};
pub(crate) use texel::{load_texel, store_texel};
pub(crate) use threads::{BulkWrite, descriptor_written, fence, map_fence, proxy_fence, settle};
pub(crate) use warp::{load, store, update};
