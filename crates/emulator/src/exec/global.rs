//! Accesses of global memory: the one place that reads and writes its bytes for a kernel.
//!
//! ```text
//!                                 find                     order                          bytes
//! load, store, update, discard    aligned? in bounds? counted ─► ordered? initialised? ─► read, written
//! load_lane                       in bounds?                  ─► ordered? initialised? ─► read
//! Pieces::examine                 in bounds?                  ─► ordered? initialised? ─► moved when the queue says so
//! load_texel, store_texel         (by extents: texture.rs)    ─► initialised?          ─► read, written
//! ```
//!
//! Law: nothing is read or written before every lane's place is known to be valid, and the records
//! of blocks and launches have heard of it. The sources are held to it: [`RawBytes`] reads and
//! writes bytes of an allocation, and a test finds every file outside of this folder that imports
//! it. What this module gives to others ([`Pieces`], `Loaded`, `Cells`, ...) has private fields,
//! and the host's copies are by [`HostMemory`] and by `&mut Textures`, which no launch has. A
//! launch that is run again gets all [`Contents`] back that it had.
//!
//! [`RawBytes`]: crate::memory::allocation::RawBytes
//! [`Contents`]: crate::memory::allocation::Contents
//! [`HostMemory`]: crate::memory::global::HostMemory
//!
//! A check of global memory stands here: of places in `find.rs`, of order in `order.rs`, of what
//! was written in the module of the access.

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
