//! Compares plans with brute force: the elements that a launch covers, and the elements that it
//! accesses.
//!
//! ```text
//!   every (batch, i, j) ─► address by the definition ─► the largest + 1 = the buffer's least length
//! ```

use kernel_abi::ProblemError;
use kernel_abi::gemm::{
    AccumulatorType, Configuration, Epilogue, GemmProblem, InputType, Majors, OutputType, Schedule,
};

const MAJORS: [Majors; 4] = [Majors::Tn, Majors::Nn, Majors::Tt, Majors::Nt];

fn configuration(majors: Majors, persistent: bool) -> Configuration {
    Configuration {
        name: "gemm",
        kernel: "gemm",
        input: InputType::F16,
        accumulator: AccumulatorType::F32,
        majors,
        tile: [16, 8, 16],
        warps: [1, 1],
        stages: 2,
        threads: 32,
        shared_bytes: 1024,
        load_bytes: 2,
        partial_bytes: 512,
        persistent,
        arch: 80,
        hopper: None,
        reads: None,
    }
}

/// Computes the least lengths of A, B, C and D, element by element.
fn lengths(problem: &GemmProblem) -> [u64; 4] {
    let [m, n, k] = [problem.m, problem.n, problem.k].map(u64::from);
    let along_k = |majors: [Majors; 2]| majors.contains(&problem.majors);
    let mut longest = [0; 4];
    for z in 0..u64::from(problem.batches) {
        for i in 0..m {
            for j in 0..n {
                for l in 0..k {
                    let a = if along_k([Majors::Tn, Majors::Tt]) {
                        i * problem.lda + l
                    } else {
                        l * problem.lda + i
                    };
                    let b = if along_k([Majors::Tn, Majors::Nn]) {
                        j * problem.ldb + l
                    } else {
                        l * problem.ldb + j
                    };
                    let offsets = [a, b, i * problem.ldc + j, i * problem.ldd + j];
                    for ((longest, offset), stride) in
                        longest.iter_mut().zip(offsets).zip(problem.batch_strides)
                    {
                        *longest = (*longest).max(z * stride + offset + 1);
                    }
                }
            }
        }
    }
    longest
}

#[test]
fn buffers_end_with_the_last_element() {
    for (at, [m, n, k]) in [[1, 1, 1], [17, 5, 3], [4, 9, 33], [16, 8, 16]]
        .into_iter()
        .enumerate()
    {
        for majors in MAJORS {
            for batches in [1, 3] {
                let mut problem = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same)
                    .with_majors(majors)
                    .with_padding(at as u32)
                    .with_batches(batches);
                for beta in [0.0, 1.0] {
                    problem.epilogue = Epilogue {
                        beta,
                        bias: beta != 0.0,
                        ..Epilogue::NONE
                    };
                    let plan = configuration(majors, false)
                        .plan(&problem, Schedule::Tiles)
                        .unwrap();
                    let [d, a, b, c, bias, _] = plan.launch.buffers.map(|buffer| buffer.elements);
                    let [by_a, by_b, by_c, by_d] = lengths(&problem);
                    assert_eq!([d, a, b], [by_d, by_a, by_b], "{problem:?}");
                    let used = u64::from(beta != 0.0);
                    assert_eq!([c, bias], [used * by_c, used * u64::from(n)]);
                }
            }
        }
    }
}

#[test]
fn schedules_cover_every_k_tile() {
    // Two batches have 3 by 4 tiles each, with 5 k tiles.
    let problem = GemmProblem::new(33, 25, 65, InputType::F16, OutputType::Same).with_batches(2);
    let plan = |persistent, schedule| {
        configuration(Majors::Tn, persistent)
            .plan(&problem, schedule)
            .unwrap()
    };
    let counters = 256;
    for (persistent, schedule, ctas, k_slices, partials) in [
        (false, Schedule::Tiles, 12, 1, 0),
        (false, Schedule::SplitK(1), 12, 1, 0),
        (false, Schedule::SplitK(2), 24, 2, 24),
        // There is no slice without a k tile.
        (false, Schedule::SplitK(9), 60, 5, 60),
        (false, Schedule::StreamK(7), 7, 0, 14),
        (false, Schedule::StreamK(1000), 60, 0, 120),
        (true, Schedule::Tiles, 12, 1, 0),
        (true, Schedule::Persistent(5), 5, 1, 0),
        (true, Schedule::Persistent(1000), 12, 1, 0),
    ] {
        let plan = plan(persistent, schedule);
        assert_eq!(plan.launch.grid, [ctas, 1, 2], "{schedule:?}");
        assert_eq!(plan.params.k_slices, k_slices);
        let zeroed = if partials == 0 { 0 } else { counters };
        assert_eq!(plan.zeroed_bytes, zeroed);
        assert_eq!(plan.workspace_bytes(), zeroed + 2 * 512 * partials);
        assert_eq!(plan.problem, problem);
    }
}

#[test]
fn what_no_launch_covers_is_refused_with_its_values() {
    let right = GemmProblem::new(32, 16, 64, InputType::F16, OutputType::Same);
    let said = |change: &dyn Fn(&mut GemmProblem), schedule| {
        let mut problem = right;
        change(&mut problem);
        let refused = configuration(Majors::Tn, false)
            .plan(&problem, schedule)
            .unwrap_err();
        // A test that ends with this error prints it by `Debug`, which writes the same as
        // `Display`.
        assert_eq!(format!("{refused:?}"), refused.to_string());
        refused.to_string()
    };
    let tiles = Schedule::Tiles;
    assert!(configuration(Majors::Tn, false).plan(&right, tiles).is_ok());
    for (change, message) in [
        (
            &(|p: &mut GemmProblem| p.k = 0) as &dyn Fn(&mut GemmProblem),
            "K is 0; it must be at least 1",
        ),
        (
            &|p| p.m = u32::MAX,
            "M is 4294967295; a launch covers at most 2147483648",
        ),
        (
            &|p| p.batches = 65_536,
            "the number of batches is 65536; a launch covers at most 65535",
        ),
        (&|p| p.lda = 63, "lda is 63; it must be at least 64"),
        (&|p| p.ldd = 15, "ldd is 15; it must be at least 16"),
        (
            &|p| p.batches = 2,
            "the batch stride of D is 0; it must be at least 16",
        ),
        (
            &|p| p.ldb = 1 << 32,
            "ldb is 4294967296; a launch covers at most 2147483648",
        ),
        (
            &|p| p.accumulator = AccumulatorType::F16,
            "gemm is not for this product: the accumulator type differs",
        ),
        (
            &|p| p.output_alignment = 1,
            "gemm is not for this product: the alignment of D's address differs",
        ),
        (
            &|p| p.input_alignment = 1,
            "gemm is not for this product: the alignment of rows of A or B differs",
        ),
    ] {
        assert_eq!(said(change, tiles), message);
    }
    assert_eq!(
        configuration(Majors::Tn, false).plan(&right, Schedule::Persistent(2)),
        Err(ProblemError::Mismatch {
            kernel: "gemm",
            what: "the schedule"
        })
    );
    assert!(matches!(
        configuration(Majors::Tn, true).plan(&right, Schedule::StreamK(2)),
        Err(ProblemError::Mismatch { .. })
    ));
}
