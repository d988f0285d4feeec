//! Executes PTX on the CPU, with the checks that a GPU does not make.
pub mod numerics;
