//! The explorer: a page, served by this process to this machine, that draws expressions as the user
//! types.
//!
//! ```text
//!   browser ── GET / ──────────────► page: one HTML, one style sheet, one script, all in this binary
//!           ── POST /api/evaluate ─► {"text": "(8,8):(8,1)"}  ─► value, picture, operands │ message and its place
//!           ── POST /api/draw ─────► the same as a file: SVG, PNG, LaTeX
//! ```
//!
//! Laws: the server listens only on this machine (127.0.0.1). It answers a request only if its
//! `Host` is this address and its `Origin`, if it has one, is this page; a request that evaluates
//! must also have the page's token. Pages of other origins get no answer, whichever name they use
//! for this machine. The page fetches nothing from elsewhere. Every request and every answer is
//! bounded in size and time, and so is the sum of all: questions wait for a free evaluation, large
//! answers for free memory.
//!
//! ```
//! let explorer = explorer::Explorer::bind(0).unwrap();
//! assert!(explorer.url().starts_with("http://127.0.0.1:"));
//! ```
#![forbid(unsafe_code)]

mod answer;
mod connections;
mod fault;
mod gate;
mod guard;
mod http;
mod operands;
mod presets;
mod server;

pub use answer::{Answer, Question, answer};
pub use operands::{Extent, Operand, operands};
pub use presets::{Preset, presets};
pub use server::{Explorer, Stop};
