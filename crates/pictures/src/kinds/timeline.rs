//! A pipeline over time: the tile in each stage of shared memory, and whether it is in flight or
//! read.
//!
//! ```text
//!   3 stages, 5 tiles   step  -2   -1    0    1    2    3    4
//!           stage 0          L 0  ..  [C 0]      L 3  ..  [C 3]       L  the load is issued
//!           stage 1               L 1   ..  [C 1] L 4  ..  [C 4]      .. on the way
//!           stage 2                     L 2  ..  [C 2]                C  the tile is multiplied
//! ```
//!
//! Law: tile `k` is loaded into stage `k % stages` at step `k - (stages - 1)` and is in flight
//! until it is read at step `k`; no stage ever holds two tiles. A load takes the stage that was
//! read in the step before. Source: CUTLASS's multistage main loop, `cp_async_wait<stages - 2>`.

use crate::error::{DrawError, Result};
use crate::grid::{Axis, Cell, Facts, Grid, Key, Picture};
use crate::options::Options;
use crate::palette::Paint;

/// A main loop with several stages of shared memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// The number of stages in shared memory, 2 to 16.
    pub stages: i64,
    /// The number of tiles along K, 1 to 256.
    pub tiles: i64,
    /// The name of the load instruction: `cp.async`, `TMA`.
    pub loads: String,
    /// The name of the MMA instruction: `mma.sync`, `wgmma`.
    pub computes: String,
}

const LOAD: Paint = Paint::Category(1);
const FLIGHT: Paint = Paint::Category(4);
const COMPUTE: Paint = Paint::Category(2);

/// Draws the timeline of a pipeline.
///
/// # Errors
/// Returns [`DrawError::Number`] for stages or tiles outside their ranges.
pub fn timeline(pipeline: &Pipeline, options: &Options) -> Result<Picture> {
    let within = |what, found: i64, least, most| {
        if (least..=most).contains(&found) {
            Ok(())
        } else {
            Err(DrawError::Number {
                what,
                found,
                least,
                most,
            })
        }
    };
    within("the number of stages", pipeline.stages, 2, 16)?;
    within("the number of tiles", pipeline.tiles, 1, 256)?;
    let ahead = pipeline.stages - 1;
    let rows = Axis::plain("stage", pipeline.stages as usize);
    let columns = Axis {
        start: -ahead,
        ..Axis::plain(
            "step of the main loop (tiles); below 0: the prologue",
            (ahead + pipeline.tiles) as usize,
        )
    };
    let grid = Grid::new(
        "cell: tile along K in a stage of shared memory",
        rows,
        columns,
        |stage, column| {
            let (stage, step) = (stage as i64, column as i64 - ahead);
            // The tile that this stage holds at this step: a stage holds `tile` from its load at
            // step `tile - ahead` to its use at step `tile`.
            let tile = (step..=step + ahead).find(|tile| tile.rem_euclid(pipeline.stages) == stage);
            let Some(tile) = tile.filter(|tile| (0..pipeline.tiles).contains(tile)) else {
                return Cell {
                    facts: Facts {
                        coordinate: format!("stage {stage}, step {step}"),
                        note: "empty".into(),
                        ..Facts::default()
                    },
                    ..Cell::default()
                };
            };
            let (label, paint, what) = if tile == step {
                (format!("C {tile}"), COMPUTE, "is multiplied")
            } else if tile == step + ahead {
                (format!("L {tile}"), LOAD, "is asked for")
            } else {
                (format!("\u{b7} {tile}"), FLIGHT, "is on the way")
            };
            Cell {
                label,
                paint,
                bands: Vec::new(),
                group: tile as u32 + 1,
                facts: Facts {
                    coordinate: format!("stage {stage}, step {step}"),
                    note: format!("tile {tile} {what}"),
                    ..Facts::default()
                },
            }
        },
    );
    let title = format!(
        "pipeline: {} stages, {} tiles",
        pipeline.stages, pipeline.tiles
    );
    let key = |paint, text: String| Key { paint, text };
    Ok(Picture {
        title: options.title.clone().unwrap_or(title),
        notes: vec![format!(
            "step k multiplies tile k from stage k % {} and asks for tile k + {ahead}",
            pipeline.stages
        )],
        panels: vec![vec![Some(grid)]],
        key: vec![
            key(LOAD, format!("L: {} issued", pipeline.loads)),
            key(FLIGHT, "\u{b7}: on the way".into()),
            key(COMPUTE, format!("C: {}", pipeline.computes)),
        ],
    })
}
