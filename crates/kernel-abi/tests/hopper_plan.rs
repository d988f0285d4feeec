//! Tests the parts of a plan of Hopper's collective besides its kernel's launch: launches that copy
//! operands or add slices, and tensor maps.

use kernel_abi::ProblemError;
use kernel_abi::gemm::{
    AccumulatorType, Configuration, Epilogue, GemmProblem, HopperConfiguration, InputType, Majors,
    MapBuffer, MapElement, OutputType, Plan, Scaling, Schedule, flags,
};

const SMALL: Configuration = Configuration {
    name: "gemm_f16_f32_tn_64x128x64_s8_wgmma_pp",
    kernel: "gemm_f16_f32_tn_64x128x64_s8_wgmma_pp",
    input: InputType::F16,
    accumulator: AccumulatorType::F32,
    majors: Majors::Tn,
    tile: [64, 128, 64],
    warps: [8, 1],
    stages: 8,
    threads: 384,
    shared_bytes: 229_504,
    load_bytes: 16,
    partial_bytes: 0,
    persistent: true,
    arch: 90,
    reads: None,
    hopper: Some(HopperConfiguration {
        cluster: [1, 1],
        any_cluster: true,
        swapped: false,
        pingpong: true,
        columns: 128,
        cluster_split: true,
        stream_k: false,
        chunk: 64,
        scaling: Scaling::Tensor,
        grouped: false,
        box_a: [64, 64],
        box_b: [64, 128],
    }),
};

fn problem(m: u32, n: u32, k: u32) -> GemmProblem {
    GemmProblem::new(m, n, k, InputType::F16, OutputType::Same)
}

fn plan(problem: &GemmProblem, schedule: Schedule) -> Plan {
    SMALL.plan(problem, schedule).unwrap()
}

/// Checks that a tensor map's strides are multiples of 16 bytes, and that its rows lie in its
/// buffer.
fn maps_are_admissible(plan: &Plan) {
    for map in plan.tensor_maps.unwrap() {
        let bytes = map.element.bytes(plan.problem.input);
        for stride in map.strides {
            assert_eq!(stride * u64::from(bytes) % 16, 0, "{map:?}");
        }
        assert_eq!(map.offset % 16, 0);
        let last = |extent: u64, stride: u64| (extent - 1) * stride;
        let reached = map.extents[0]
            + last(map.extents[1], map.strides[0])
            + last(map.extents[2], map.strides[1]);
        if map.buffer == MapBuffer::Workspace {
            assert!(
                map.offset + reached * u64::from(bytes) <= plan.workspace_bytes(),
                "{map:?}"
            );
        }
    }
}

#[test]
fn operands_that_tma_cannot_address_are_packed() {
    // The rows of A and B have 2 times 4091 bytes: both matrices are copied, into rows of 4096
    // elements.
    let unaligned = plan(&problem(4097, 4095, 4091), Schedule::Persistent(132));
    let [a, b] = unaligned.packing.map(|packing| packing.unwrap());
    assert_eq!(
        (a.launch.kernel, a.ld, a.offset),
        ("pack_u16", [4091, 4096], 0)
    );
    assert_eq!(a.launch.grid, [513, 1, 1]);
    assert_eq!(b.offset, 4097 * 4096 * 2);
    assert_eq!(unaligned.workspace_bytes(), (4097 + 4095) * 4096 * 2);
    let [map_a, map_b, map_d] = unaligned.tensor_maps.unwrap();
    assert_eq!(
        (map_a.buffer, map_a.strides[0], map_b.offset),
        (MapBuffer::Workspace, 4096, b.offset)
    );
    // D's rows are not aligned: it is stored without its own map.
    assert_eq!(map_d, map_a);
    maps_are_admissible(&unaligned);
    // An aligned operand is read where it is. An address can be unaligned too.
    assert_eq!(
        plan(&problem(4096, 4095, 4096), Schedule::Tiles).packing,
        [None, None]
    );
    let mut address = problem(64, 64, 64);
    address.input_alignment = 2;
    assert!(
        plan(&address, Schedule::Tiles)
            .packing
            .iter()
            .all(Option::is_some)
    );
    // A single row uses no stride. Batches that share B have one copy.
    let one_row = plan(&problem(1, 64, 4091), Schedule::Tiles);
    assert!(
        one_row.packing[0].is_some(),
        "the row's length is no stride a map takes"
    );
    let mut shared = problem(64, 64, 63).with_batches(3);
    shared.batch_strides[1] = 0;
    let shared = plan(&shared, Schedule::Tiles);
    assert_eq!(shared.packing.map(|p| p.unwrap().launch.grid[2]), [3, 1]);
    maps_are_admissible(&shared);
}

#[test]
fn the_slices_of_split_k_are_reduced_by_a_second_launch() {
    let mut gemm = problem(100, 130, 1000)
        .with_batches(2)
        .with_epilogue(Epilogue {
            alpha: 0.5,
            beta: 2.0,
            bias: true,
            ..Epilogue::NONE
        });
    gemm.ldd = 136;
    gemm.batch_strides[3] = 136 * 100;
    let split = plan(&gemm, Schedule::SplitK(5));
    let reduction = split.reduction.unwrap();
    // The grid has the tiles of both batches, five times.
    assert_eq!(split.launch.grid, [2 * 2 * 2 * 5, 1, 1]);
    assert_eq!(split.params.k_slices, 5);
    // The first launch stores the accumulator without the epilogue. The launch that adds the slices
    // applies it.
    assert_eq!(
        (split.params.epilogue & flags::GENERAL, split.params.alpha),
        (0, 1.0)
    );
    assert_ne!(reduction.params.epilogue & flags::BIAS, 0);
    let [.., slices] = split.tensor_maps.unwrap();
    assert!(slices.element == MapElement::Word && slices.buffer == MapBuffer::Workspace);
    assert_eq!(
        (slices.extents, slices.strides),
        ([130, 100, 10], [132, 13_200])
    );
    assert_eq!(split.workspace_bytes(), 10 * 100 * 132 * 4);
    maps_are_admissible(&split);
    let names: Vec<_> = split.kernels().collect();
    assert_eq!(names, [SMALL.kernel, "gemm_reduction_f16"]);
    // A slice has at least one k tile: 16 slices here.
    assert_eq!(plan(&gemm, Schedule::SplitK(100)).params.k_slices, 16);
    assert!(plan(&gemm, Schedule::SplitK(1)).reduction.is_none());
}

#[test]
fn a_cluster_splits_k_in_slices_of_a_k_tile_and_more() {
    let split = |k, ctas| plan(&problem(100, 130, k), Schedule::ClusterSplitK(ctas));
    let of_four = split(1000, 4);
    assert_eq!(
        (of_four.launch.grid[0], of_four.launch.cluster),
        (4 * 4, [4, 1, 1])
    );
    assert_ne!(of_four.params.epilogue & flags::CLUSTER_SPLIT, 0);
    assert!(of_four.reduction.is_none());
    // The cluster has at most 8 CTAs, and at most one per k tile.
    assert_eq!(split(10_000, 100).launch.cluster, [8, 1, 1]);
    assert_eq!(split(3 * 64, 4).launch.cluster, [3, 1, 1]);
    assert_eq!(split(1000, 5).launch.cluster, [5, 1, 1]);
    let one = split(64, 4);
    assert_eq!(
        (
            one.launch.cluster,
            one.params.epilogue & flags::CLUSTER_SPLIT
        ),
        ([1; 3], 0)
    );
    let whole = Configuration {
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            cluster_split: false,
            stream_k: false,
            ..hopper
        }),
        ..SMALL
    };
    let refused = whole.plan(&problem(64, 64, 256), Schedule::ClusterSplitK(2));
    assert!(matches!(
        refused,
        Err(ProblemError::Mismatch {
            what: "the schedule",
            ..
        })
    ));
}

/// Returns a tile of 16 rows and 64 columns. The columns are the rows of `wgmma`.
fn swapped() -> Configuration {
    Configuration {
        tile: [16, 64, 64],
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            swapped: true,
            columns: 16,
            box_a: [64, 16],
            box_b: [64, 64],
            ..hopper
        }),
        ..SMALL
    }
}

/// The launch of swapped operands has the product's own parameters and maps. Only a launch that
/// stores slices has other parameters, because they describe where the slices are stored.
#[test]
fn swapped_operands_are_planned_as_the_product_has_them() {
    let mut gemm = problem(20, 130, 1000).with_batches(2);
    gemm.ldc = 136;
    gemm.ldd = 136;
    gemm.batch_strides[3] = 136 * 20;
    let tiles = swapped().plan(&gemm, Schedule::Tiles).unwrap();
    assert_eq!(tiles.launch.grid, [2 * 3 * 2, 1, 1]);
    assert_eq!((tiles.params.m, tiles.params.n), (20, 130));
    // A group of the rasterization has 1536 columns of D here. Without swapped operands it has 1536
    // rows.
    assert_eq!(tiles.params.raster_group, 1536 / 64);
    let [map_a, map_b, map_d] = tiles.tensor_maps.unwrap();
    assert_eq!([map_a.buffer, map_b.buffer], [MapBuffer::A, MapBuffer::B]);
    assert_eq!(
        [map_a.box_extents, map_b.box_extents],
        [[64, 16, 1], [64, 64, 1]]
    );
    // D has no map of its own.
    assert_eq!(map_d, map_a);
    // The box has only as many rows as A needs.
    let few = swapped().plan(&problem(3, 130, 1000), Schedule::Tiles);
    assert_eq!(few.unwrap().tensor_maps.unwrap()[0].box_extents[1], 8);
    // Without swapped operands, TMA adds this product to D. With swapped operands, the kernel reads
    // D as C.
    let sum = Epilogue {
        beta: 1.0,
        ..Epilogue::NONE
    };
    let mut added = problem(16, 128, 64).with_epilogue(sum);
    added.reducing_store = true;
    let of = |configuration: Configuration| {
        let plan = configuration.plan(&added, Schedule::Tiles).unwrap();
        plan.params.epilogue & (flags::C | flags::REDUCE)
    };
    assert_eq!([of(SMALL), of(swapped())], [flags::REDUCE, flags::C]);
    // With slices, D is in the workspace.
    let split = swapped().plan(&gemm, Schedule::SplitK(5)).unwrap();
    let reduction = split.reduction.unwrap();
    let slices = (split.params.ldd, split.params.batch_d);
    assert_eq!(slices, (132, 132 * 20));
    assert_eq!(4 * split.params.batch_c, reduction.offset);
    assert_eq!(
        (reduction.params.ldd, reduction.params.batch_d),
        (136, 136 * 20)
    );
    assert_eq!(
        split.workspace_bytes(),
        reduction.offset + 10 * 20 * 132 * 4
    );
    maps_are_admissible(&split);
}

#[test]
fn boxes_have_no_more_rows_than_there_are() {
    let boxes = |m, n| {
        let maps = plan(&problem(m, n, 64), Schedule::Tiles)
            .tensor_maps
            .unwrap();
        [maps[0].box_extents[1], maps[1].box_extents[1]]
    };
    assert_eq!(boxes(1, 8192), [8, 128]);
    assert_eq!(boxes(16, 100), [16, 104]);
    assert_eq!(boxes(64, 121), [64, 128]);
    // The CTAs of a cluster load parts of a tile for each other.
    let pair = Configuration {
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            cluster: [2, 1],
            ..hopper
        }),
        ..SMALL
    };
    let maps = pair
        .plan(&problem(1, 1, 64), Schedule::Tiles)
        .unwrap()
        .tensor_maps
        .unwrap();
    assert_eq!(maps[0].box_extents[1], 64);
}

/// A tile of 112 columns is stored in two boxes of 56. Tiles of 32-bit words, of D and of slices,
/// are stored by their addresses. The rows of slices are whole vectors.
#[test]
fn a_tile_that_is_no_multiple_of_64_has_narrower_boxes() {
    let narrow = Configuration {
        tile: [128, 112, 64],
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            cluster_split: false,
            stream_k: false,
            chunk: 56,
            box_a: [64, 128],
            box_b: [64, 112],
            ..hopper
        }),
        ..SMALL
    };
    let halves = narrow
        .plan(&problem(128, 224, 64), Schedule::Tiles)
        .unwrap();
    assert_eq!(halves.launch.grid, [2, 1, 1]);
    let [_, _, d] = halves.tensor_maps.unwrap();
    assert_eq!((d.box_extents, d.buffer), ([56, 16, 1], MapBuffer::D));
    assert_ne!(halves.params.epilogue & flags::VECTORS, 0);
    let wide = GemmProblem::new(128, 224, 64, InputType::F16, OutputType::F32);
    let wide = narrow.plan(&wide, Schedule::Tiles).unwrap();
    assert_ne!(wide.params.epilogue & flags::VECTORS, 0);
    let [a, _, d] = wide.tensor_maps.unwrap();
    assert_eq!(d, a);
    let split = narrow.plan(&problem(128, 222, 640), Schedule::SplitK(2));
    let split = split.unwrap();
    assert_eq!((split.params.k_slices, split.params.ldd), (2, 224));
    assert_eq!(split.params.batch_d, 128 * 224);
    assert_eq!(split.reduction.unwrap().ld, 224);
}

/// TMA adds the product to D only if D's elements have 16 bits, D's rows are whole vectors, and the
/// kernel itself stores D. Otherwise the kernel reads C.
#[test]
fn a_sum_is_stored_by_tma_where_it_may_be_rounded_twice() {
    let sum = Epilogue {
        beta: 1.0,
        ..Epilogue::NONE
    };
    let of_flags = |problem: GemmProblem, schedule| {
        let plan = plan(&problem, schedule);
        let of_launch = plan.params.epilogue & (flags::REDUCE | flags::C | flags::GENERAL);
        (of_launch, plan.launch.buffers[3].elements > 0)
    };
    let reducing = problem(128, 256, 640)
        .with_epilogue(sum)
        .with_reducing_store(true);
    assert_eq!(of_flags(reducing, Schedule::Tiles), (flags::REDUCE, false));
    let with_c = (flags::C | flags::GENERAL, true);
    for other in [
        reducing.with_reducing_store(false),
        reducing.with_epilogue(Epilogue { beta: 2.0, ..sum }),
        reducing.with_epilogue(Epilogue { alpha: 0.5, ..sum }),
        reducing.with_padding(1),
        GemmProblem {
            output: OutputType::F32,
            ..reducing
        },
    ] {
        assert_eq!(of_flags(other, Schedule::Tiles), with_c, "{other:?}");
    }
    // The launch after it adds the slices, and C.
    let split = plan(&reducing, Schedule::SplitK(2));
    assert_eq!(split.params.epilogue & (flags::REDUCE | flags::C), 0);
    let behind = split.reduction.unwrap().params.epilogue;
    assert_eq!(behind & (flags::REDUCE | flags::C), flags::C);
}

/// The launch of a grouped product has as many tiles as the list with the most tiles, one map of B
/// for all groups, and the list in place of C.
#[test]
fn a_grouped_product_has_its_list_in_the_place_of_c() {
    let grouped = Configuration {
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            cluster_split: false,
            stream_k: false,
            grouped: true,
            ..hopper
        }),
        ..SMALL
    };
    // Five groups have at most floor((200 + 5 · 63) / 64) = 8 rows of tiles, with two tiles each.
    let product = problem(200, 256, 64).with_groups(5);
    let plan = grouped.plan(&product, Schedule::Tiles).unwrap();
    assert_eq!(plan.launch.grid, [16, 1, 1]);
    let [d, a, b, list, bias, _] = plan.launch.buffers;
    assert_eq!([d.elements, a.elements], [200 * 256, 200 * 64]);
    assert_eq!(b.elements, 5 * 256 * 64);
    assert_eq!((list.name, list.elements), ("the list of groups", 5));
    assert_eq!(plan.params.batch_c, 1);
    let own = grouped
        .plan(&product.with_own_extents(true), Schedule::Tiles)
        .unwrap();
    assert_eq!(
        (own.launch.buffers[3].elements, own.params.batch_c),
        (15, 3)
    );
    assert_eq!(bias.elements, 0);
    let [map_a, map_b, map_d] = plan.tensor_maps.unwrap();
    assert_eq!(map_a.extents, [64, 200, 1]);
    assert_eq!(map_b.extents, [64, 256, 5]);
    assert_eq!(map_d.extents, [256, 200, 1]);
    maps_are_admissible(&plan);
    // Rows of B that no tensor map can describe are packed for every group.
    let odd = grouped
        .plan(&problem(200, 256, 63).with_groups(5), Schedule::Tiles)
        .unwrap();
    let packed = odd.packing.map(|packing| packing.unwrap().launch.grid);
    assert_eq!(packed, [[25, 1, 1], [32, 1, 5]]);
    maps_are_admissible(&odd);
    let refused = |of: &Configuration, problem: &GemmProblem, schedule| {
        let ProblemError::Mismatch { what, .. } = of.plan(problem, schedule).unwrap_err() else {
            panic!("another refusal");
        };
        what
    };
    let plain = problem(200, 256, 64);
    let with_c = product.with_epilogue(Epilogue {
        beta: 1.0,
        ..Epilogue::NONE
    });
    for (of, problem, schedule, what) in [
        (&SMALL, &product, Schedule::Tiles, "the number of groups"),
        (&grouped, &plain, Schedule::Tiles, "the number of groups"),
        (&grouped, &product, Schedule::SplitK(2), "the schedule"),
        (
            &grouped,
            &with_c,
            Schedule::Tiles,
            "the epilogue, without C with groups,",
        ),
    ] {
        assert_eq!(refused(of, problem, schedule), what);
    }
}

/// Stream-K has as many CTAs as requested, but on average at most 8 per tile, and no more than the
/// k tiles. The workspace has counters, and two partial tiles per CTA.
#[test]
fn stream_k_has_counters_and_partial_tiles() {
    let of = Configuration {
        tile: [128, 256, 64],
        partial_bytes: 4 * 128 * 256,
        hopper: SMALL.hopper.map(|hopper| HopperConfiguration {
            cluster: [1, 1],
            cluster_split: false,
            stream_k: true,
            ..hopper
        }),
        ..SMALL
    };
    // The problem has 3 × 2 tiles with 7 k tiles each.
    let problem = GemmProblem::new(300, 512, 448, InputType::F16, OutputType::Same);
    for (asked, ctas) in [(0, 1), (4, 4), (132, 6 * 7)] {
        let plan = of.plan(&problem, Schedule::StreamK(asked)).unwrap();
        assert_eq!((plan.launch.grid, plan.params.k_slices), ([ctas, 1, 1], 0));
        assert_eq!(plan.zeroed_bytes, 256);
        assert_eq!(plan.workspace_bytes(), 256 + 2 * u64::from(ctas) * 131_072);
    }
    let deep = GemmProblem::new(128, 256, 65_536, InputType::F16, OutputType::Same);
    let plan = of.plan(&deep, Schedule::StreamK(132)).unwrap();
    assert_eq!(plan.launch.grid, [8, 1, 1], "eight parts a tile at most");
    let other = SMALL.plan(&deep, Schedule::StreamK(132));
    assert!(
        matches!(other, Err(ProblemError::Mismatch { .. })),
        "{other:?}"
    );
}
