//! The tables of atoms, one file an architecture, written by `tests/atoms_tables.rs`: change the rows there and run it with
//! `CUTLET_WRITE_TABLES=1`.

pub mod sm70;
pub mod sm75;
pub mod sm80;
pub mod sm89;
pub mod sm90;
