//! CuTe's layout algebra in Rust's type system, for people who write GPU kernels in Rust.
//!
//! This crate is the front of the workspace: the command line, and a library that ties the crates
//! together.
//!
//! ```text
//!   layout_types   the algebra, the tensors ─┐
//!   gpu_kernels    kernels written with them ┼─► kernels::Modules: one PTX for both devices
//!   host           devices and launches ─────┘      └─► run::gemm, run::transpose, ..
//! ```
//!
//! [`gemm`](gemm::gemm) is a matrix product in one call.
//!
//! [`run`] makes a problem, runs it on a device and validates the result. The command line prints
//! what it returns, and the tests compare it with the expected values:
//!
//! ```
//! use cutlet::prelude::*;
//! use cutlet::gemm::{GemmProblem, InputType, OutputType};
//! use cutlet::run::{self, GemmRun, RunOptions};
//!
//! let device = Device::best();
//! let modules = cutlet::kernels::Modules::load(&device)?;
//! let problem = GemmProblem::new(40, 24, 16, InputType::F16, OutputType::Same);
//! let outcome = run::gemm(&modules, &GemmRun::new(problem), &RunOptions::default())?;
//! println!("{}: relative error {:.1e}", device.where_it_ran(), outcome.difference.relative);
//! assert!(outcome.right());
//! # Ok::<(), cutlet::CutletError>(())
//! ```
//!
//! | to | go to |
//! |---|---|
//! | multiply matrices, compute attention | [`gemm`](mod@gemm), [`weights`] of few bits, [`attention`] |
//! | check a kernel of your own, and see where its time goes | [`check`], [`profile`]; `cutlet check`, `cutlet profile` |
//! | begin a project | `cutlet new NAME` ([`new_project`]) |
//! | launch the kernels from another language | [`manifest`](mod@manifest); `cutlet ptx --out DIR` |
//! | learn the algebra | [`layout_types`], `cutlet layout EXPRESSION`, `cutlet explore` |
//! | launch on a GPU or on the emulator | [`host`] |

pub mod attention;
pub mod check;
mod error;
pub mod gemm;
#[cfg(doctest)]
mod guide;
pub mod kernels;
pub mod manifest;
pub mod new_project;
pub mod prelude;
pub mod profile;
pub mod run;
pub mod testing;
pub mod weights;

pub use error::CutletError;
pub use launch_file;

/// The code of the README, compiled and run as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
