//! Accesses of global memory: the one place where its bytes are.
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
//! of blocks and launches have heard of it. The compiler holds every instruction to it: what reads
//! and writes bytes of an [`Allocation`] is private to this module, what it gives to others
//! ([`Pieces`], `Loaded`, `Cells`, ...) has private fields, and the host's copies are by
//! [`HostMemory`] and by `&mut Textures`, which no launch has. A launch that is run again gets all
//! [`Contents`] back that it had.
//!
//! A check of global memory stands here: of places in `find.rs`, of order in `order.rs`, of what
//! was written in the module of the access.

mod allocation;
mod discard;
mod find;
mod lane;
mod memory;
mod multimem;
mod order;
mod texel;
mod threads;
mod warp;

pub(crate) use allocation::{Allocation, Contents, Kind};
pub(in crate::exec) use find::Found;
pub(crate) use find::Request;
pub(crate) use lane::{Pieces, descriptor, load_lane};
pub(crate) use memory::{Global, HostMemory};
pub(in crate::exec) use order::{Accesses, of_lane};
pub(crate) use texel::{load_texel, store_texel};
pub(crate) use threads::{
    BulkWrite, descriptor_written, fence, map_fence, mixed_sizes, proxy_fence, settle,
};
pub(crate) use warp::{load, store, update};
