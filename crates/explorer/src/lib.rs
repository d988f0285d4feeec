//! The explorer: a page on this machine, served by this process, that draws expressions while one
//! types.
//!
//! ```text
//!   browser ── GET / ──────────────► page: one HTML, one style sheet, one script, all in this binary
//!           ── POST /api/evaluate ─► {"text": "(8,8):(8,1)"}  ─► value, picture, operands │ message and its place
//!           ── POST /api/draw ─────► the same as a file: SVG, PNG, LaTeX
//! ```
//!
//! Laws: only this machine is listened to (127.0.0.1). A request is answered only where its `Host`
//! is this address, its `Origin`, if it has one, is this page, and where it evaluates, its token is
//! the page's: pages of other origins get nothing, by whatever name they call this machine. Nothing
//! is fetched from anywhere. Every request and every answer is bounded in size and time, and so are
//! all together: questions wait for a place to be evaluated at, large answers for room.
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
