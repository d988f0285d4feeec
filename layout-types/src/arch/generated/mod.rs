//! The wrappers of `mma.sync`, one file an architecture, written by `tests/atoms_tables.rs`: change the rows there and run it
//! with `CUTLET_WRITE_TABLES=1`.

pub mod mma_sm70;
pub mod mma_sm75;
pub mod mma_sm80;
pub mod mma_sm89;
pub mod mma_sm90;
