//! Readers of CuTe's layout notation for the layout-types crate.
