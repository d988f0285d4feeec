//! An example with one process per GPU: each process computes the sum over all processes, by NCCL.
//!
//! ```text
//!   torchrun --no-python --nproc-per-node 2 target/release/examples/all_reduce         with CUTLET_NCCL_ID_FILE=/tmp/id
//!   mpirun -n 2 target/release/examples/all_reduce                                     likewise
//!   for rank in 0 1; do RANK=$rank WORLD_SIZE=2 CUTLET_NCCL_ID_FILE=/tmp/id target/release/examples/all_reduce & done; wait
//! ```
//!
//! With the argument `lose` the last rank ends after the first call. The second call of the other
//! ranks ends in an error within ten seconds.

use host::collective::Communicator;
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn run(lose: bool) -> Result<(), host::Error> {
    let rank = Communicator::from_environment(Duration::from_secs(10))?;
    let (me, size) = (rank.rank(), rank.size());
    let mine = rank.device().upload(&[me as f32 + 1.0, 0.5])?;
    let mut sum = rank.device().alloc(2)?;
    rank.all_reduce(&mine, &mut sum)?;
    let expected = [(size * (size + 1)) as f32 / 2.0, size as f32 / 2.0];
    let found = sum.to_vec()?;
    println!(
        "{rank:?}: {found:?}, {}",
        if found == expected { "right" } else { "WRONG" }
    );
    if lose {
        if me + 1 == size {
            println!("rank {me} ends here");
            std::process::exit(0);
        }
        let start = Instant::now();
        let lost = rank.all_reduce(&mine, &mut sum);
        println!(
            "rank {me} after {:.1} s: {lost:?}",
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}

fn main() -> ExitCode {
    match run(std::env::args().any(|argument| argument == "lose")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
