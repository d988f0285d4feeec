//! The cluster extents of a launch, from its kernel's directives.

use super::grid::LaunchState;
use crate::error::LaunchError;

/// The most blocks of a cluster; on a device more than 8 require a kernel attribute.
const MOST_BLOCKS: u32 = 16;

/// Returns the extents of a launch's clusters, and the number of blocks per cluster.
pub(crate) fn clusters(
    state: &LaunchState,
    asked: Option<[u32; 3]>,
) -> Result<([u32; 3], u32), LaunchError> {
    let refuse = |found: [u32; 3], problem: String| {
        let kernel = state.image.kernels[state.kernel].0.name.clone();
        Err(LaunchError::Cluster {
            kernel,
            found,
            problem,
        })
    };
    let own = state.kernel().cluster;
    let found = asked.or(own).unwrap_or([1; 3]);
    if let Some(own) = own.filter(|own| *own != found) {
        let problem = format!("the kernel is for clusters of {own:?} blocks (.reqnctapercluster)");
        return refuse(found, problem);
    }
    let blocks: u64 = found.iter().map(|&n| u64::from(n)).product();
    if !(1..=u64::from(MOST_BLOCKS)).contains(&blocks) {
        return refuse(found, format!("1 to {MOST_BLOCKS} blocks are possible"));
    }
    if found.iter().zip(state.grid).any(|(&n, grid)| grid % n != 0) {
        let problem = format!("the grid {:?} is not a multiple of it", state.grid);
        return refuse(found, problem);
    }
    if blocks > 1 && state.config.compute_capability < (9, 0) {
        let problem = "clusters need compute capability 9.0".to_owned();
        return refuse(found, problem);
    }
    Ok((found, blocks as u32))
}
