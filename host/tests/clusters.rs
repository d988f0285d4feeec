//! Tests launches in clusters, with TMA between the blocks of a cluster, and programmatic dependent
//! launches, on the emulator and on a Hopper GPU if there is one. Also tests each way in which such
//! a launch is refused, with its message.

mod common;

use common::hoppers;
use host::{
    Contract, Device, EmulatorConfig, Error, Kernel, Launch, TensorElement, TensorMapSpec,
    TensorSwizzle, launch_in_order,
};

/// - `where(out)`: `out[block] = (clusters in the grid) << 16 | (cluster) << 8 | (rank)`, along x.
/// - `swap(from, to)`: in clusters of two, block r multicasts tile r to both, and stores the other
///   block's tile in that tile's place.
/// - `pair(out)`: only for clusters of (1, 2, 1). `four(out)`: for clusters of at most 4.
/// - `next(data, n)`: `data[i] = 3 data[i] + 1` after `griddepcontrol.wait`.
const PTX: &str = r"
.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];

.visible .entry where(.param .u64 out)
{
    .reg .b32 %r<8>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [out]; cvta.to.global.u64 %d1, %d1;
    mov.u32 %r1, %nclusterid.x; mov.u32 %r2, %clusterid.x; mov.u32 %r3, %cluster_ctaid.x; mov.u32 %r4, %ctaid.x;
    shl.b32 %r1, %r1, 16; shl.b32 %r2, %r2, 8; or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3;
    mul.wide.u32 %d2, %r4, 4; add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1;
    ret;
}

.visible .entry swap(.param .align 64 .b8 from[128], .param .align 64 .b8 to[128]) .maxntid 32 .reqnctapercluster 2, 1, 1
{
    .reg .pred %p<4>; .reg .b16 %h<2>; .reg .b32 %r<12>; .reg .b64 %d<4>;
    mov.b64 %d1, from; cvta.param.u64 %d1, %d1; mov.b64 %d2, to; cvta.param.u64 %d2, %d2;
    mov.u32 %r1, smem; add.u32 %r2, %r1, 16384; mov.u32 %r3, %cluster_ctarank; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %tid.x;
    setp.eq.u32 %p1, %r5, 0;
    @%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
    @%p1 fence.mbarrier_init.release.cluster;
    @%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 16384;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    mad.lo.u32 %r6, %r3, 8192, %r1; shl.b32 %r7, %r4, 6; mov.u16 %h1, 3; mov.u32 %r8, 0;
    @%p1 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r6], [%d1, {%r8, %r7}], [%r2], %h1;
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
    @!%p2 bra WAIT;
    xor.b32 %r9, %r3, 1; mad.lo.u32 %r6, %r9, 8192, %r1; xor.b32 %r10, %r4, 1; shl.b32 %r10, %r10, 6;
    @%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%d2, {%r8, %r10}], [%r6];
    @%p1 cp.async.bulk.commit_group;
    @%p1 cp.async.bulk.wait_group 0;
    barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
    ret;
}

.visible .entry pair(.param .u64 out) .reqnctapercluster 1, 2, 1
{
    ret;
}

.visible .entry four(.param .u64 out) .maxclusterrank 4
{
    ret;
}

.visible .entry next(.param .u64 data, .param .u32 n)
{
    .reg .pred %p1; .reg .b32 %r<8>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [data]; cvta.to.global.u64 %d1, %d1; ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.u32 %r5, %r2, %r3, %r4;
    griddepcontrol.wait;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra END;
    mul.wide.u32 %d2, %r5, 4; add.u64 %d1, %d1, %d2;
    ld.global.u32 %r6, [%d1]; mad.lo.u32 %r6, %r6, 3, 1; st.global.u32 [%d1], %r6;
END:
    griddepcontrol.launch_dependents;
    ret;
}
";

fn kernel(device: &Device, name: &str) -> Kernel {
    device.load(PTX).unwrap().kernel(name).unwrap()
}

/// The kernel lacks the wait, and the second launch reads what the first launch stored.
#[test]
fn a_dependent_that_does_not_wait_is_found() {
    let device = Device::emulator();
    let ptx = PTX.replace("griddepcontrol.wait;", "");
    assert_ne!(ptx, PTX);
    let kernel = device.load(&ptx).unwrap().kernel("next").unwrap();
    let mut data = device.upload(&[0_u32; 256]).unwrap();
    let shape = Launch::new(2, 128).programmatic();
    let one = kernel.prepare(&shape, (&mut data, 256_u32)).unwrap();
    let error = launch_in_order(&[&one, &one]).unwrap_err().to_string();
    let says = "read of global memory before griddepcontrol.wait: kernel `next`, which may not have ended yet, wrote it";
    assert!(error.contains(says), "{error}");
    // The host waits for each launch if the launches are not enqueued together.
    one.run(None).unwrap();
    one.run(None).unwrap();
}

#[test]
fn blocks_know_their_cluster() {
    for device in hoppers() {
        let kernel = kernel(&device, "where");
        for (cluster, large) in [(1, false), (2, false), (4, false), (8, false), (16, true)] {
            let mut out = device.upload(&[0_u32; 32]).unwrap();
            let mut launch = Launch::new(32, 32).cluster(cluster);
            if large {
                launch = launch.non_portable_cluster();
            }
            kernel.launch(&launch, (&mut out,)).unwrap();
            let expected: Vec<u32> = (0..32)
                .map(|block| (32 / cluster) << 16 | (block / cluster) << 8 | (block % cluster))
                .collect();
            assert_eq!(out.to_vec().unwrap(), expected, "clusters of {cluster}");
        }
    }
}

#[test]
fn blocks_of_a_cluster_load_for_each_other() {
    for device in hoppers() {
        let swap = kernel(&device, "swap");
        assert_eq!(swap.signature().required_cluster, Some([2, 1, 1]));
        // The buffer has 512 rows of 64 halves, and the tensor has 500 of these rows, so the last
        // tile has rows outside the tensor.
        let halves: Vec<u16> = (0..512 * 64).collect();
        let from = device.upload(&halves).unwrap();
        let mut to = device.upload(&[0xffff_u16; 512 * 64]).unwrap();
        let spec = TensorMapSpec::new(TensorElement::U16, &[64, 500], &[128], &[64, 64])
            .swizzle(TensorSwizzle::B128);
        let contract = Contract::new()
            .of("swap")
            .grid(8)
            .block(32)
            .cluster(2)
            .shared(16384 + 8)
            .reads(0, "from", 500 * 64, 16)
            .writes(1, "to", 500 * 64, 16);
        let launch = contract.launch();
        let maps = (
            from.tensor_map(&spec).unwrap(),
            to.tensor_map_mut(&spec).unwrap(),
        );
        swap.launch(&launch, (&maps.0, &maps.1)).unwrap();
        let read_only = from.tensor_map(&spec).unwrap();
        let error = swap.launch(&launch, (&maps.0, &read_only)).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("argument 1 (`to`) was given as `&`"),
            "{error}"
        );
        drop(maps);
        let mut expected = halves;
        expected[500 * 64..].fill(0xffff);
        assert_eq!(to.to_vec().unwrap(), expected);
        // A launch without a cluster of its own has the kernel's cluster.
        let plain = Launch::new(8, 32).shared(16384 + 8);
        let maps = (
            from.tensor_map(&spec).unwrap(),
            to.tensor_map_mut(&spec).unwrap(),
        );
        swap.launch(&plain, (&maps.0, &maps.1)).unwrap();
    }
}

#[test]
fn a_programmatic_launch_sees_what_the_one_before_wrote() {
    for device in hoppers() {
        let next = kernel(&device, "next");
        let n = 100_000_u32;
        let mut data = device.upload(&(0..n).collect::<Vec<_>>()).unwrap();
        let launch = Launch::new(n.div_ceil(256), 256).programmatic();
        let one = next.prepare(&launch, (&mut data, n)).unwrap();
        launch_in_order(&[&one, &one, &one, &one]).unwrap();
        drop(one);
        let step = |x: u32| x.wrapping_mul(3).wrapping_add(1);
        let expected: Vec<u32> = (0..n).map(|x| step(step(step(step(x))))).collect();
        assert!(data.to_vec().unwrap() == expected);
    }
}

/// At least one cluster of eight blocks fits on the device. Clusters of two fit at least as often,
/// but no more often than single blocks.
#[test]
fn the_number_of_active_clusters_is_known() {
    for device in hoppers() {
        let kernel = kernel(&device, "where");
        let clusters = |size: u32, shared: usize| {
            let launch = Launch::new(4 * 3 * 5 * 7 * size, 128)
                .cluster(size)
                .shared(shared);
            kernel.max_active_clusters(&launch).unwrap()
        };
        let multiprocessors = device.limits().multiprocessors;
        for shared in [0, 100_000, 200_000] {
            let (two, four, eight) = (
                clusters(2, shared),
                clusters(4, shared),
                clusters(8, shared),
            );
            assert!(
                two >= four && four >= eight && eight >= 1,
                "{two} {four} {eight}"
            );
            println!("{shared} bytes: {two} of 2, {four} of 4, {eight} of 8");
        }
        assert!(clusters(2, 200_000) <= multiprocessors / 2);
        assert!(clusters(1, 200_000) <= multiprocessors);
    }
}

/// Returns the message with which a launch is refused, without the kernel's name.
fn refusal(kernel: &Kernel, launch: &Launch) -> String {
    let mut out = kernel.device().upload(&[0_u32; 64]).unwrap();
    let error = kernel.launch(launch, (&mut out,)).unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error}");
    assert_eq!(out.to_vec().unwrap(), [0; 64], "the kernel did not run");
    let text = error.to_string();
    text.split_once(": ").unwrap().1.to_owned()
}

#[test]
fn clusters_that_cannot_be_are_refused() {
    for device in hoppers() {
        let of = |name: &str| kernel(&device, name);
        let said = |name: &str, launch: Launch| refusal(&of(name), &launch);
        let grid = || Launch::new((12, 2), 32);
        assert_eq!(
            said("where", grid().cluster((12, 1))),
            "the cluster (12, 1, 1) has 12 blocks; the portable limit, without Launch::non_portable_cluster is 8"
        );
        assert_eq!(
            said("where", grid().cluster((12, 2)).non_portable_cluster()),
            "the cluster (12, 2, 1) has 24 blocks; the device's limit is 16"
        );
        assert_eq!(
            said("where", grid().cluster((2, 0))),
            "the cluster (2, 0, 1) has 0 blocks; the device's limit is 16"
        );
        assert_eq!(
            said("where", grid().cluster((2, 4))),
            "the grid is (12, 2, 1), in clusters of (2, 4, 1): y must be a multiple of the cluster's"
        );
        assert_eq!(
            said("pair", grid().cluster((2, 1))),
            "the cluster is (2, 1, 1); the kernel's .reqnctapercluster is (1, 2, 1)"
        );
        assert_eq!(
            said("pair", Launch::new((12, 3), 32)),
            "the grid is (12, 3, 1), in clusters of (1, 2, 1): y must be a multiple of the cluster's"
        );
        assert_eq!(
            said("four", grid().cluster((3, 2))),
            "the cluster (3, 2, 1) has 6 blocks; the kernel's .maxclusterrank is 4"
        );
        let contract = Contract::new().grid((12, 2)).block(32).cluster((2, 1));
        assert_eq!(
            said("where", grid().cluster((1, 2)).under(contract)),
            "the cluster is (1, 2, 1); the kernel's contract requires (2, 1, 1)"
        );
        let error = of("where").max_active_clusters(&grid().cluster(5));
        assert_eq!(
            error.unwrap_err().to_string(),
            "kernel `where`: the grid is (12, 2, 1), in clusters of (5, 1, 1): x must be a multiple of the cluster's"
        );
    }
}

#[test]
fn a_device_before_hopper_has_neither() {
    let device = Device::emulator_with(EmulatorConfig {
        compute_capability: (8, 0),
        ..EmulatorConfig::default()
    });
    let ptx = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out) { ret; }";
    let kernel = device.load(ptx).unwrap().kernel("k").unwrap();
    assert_eq!(
        refusal(&kernel, &Launch::new(4, 32).cluster(2)),
        "the cluster (2, 1, 1) has 2 blocks; the device's limit is 1"
    );
    assert_eq!(
        refusal(&kernel, &Launch::new(4, 32).programmatic()),
        "programmatic dependent launch needs a device of compute capability 9.0 or more"
    );
    let mut out = device.upload(&[0_u32; 64]).unwrap();
    let one = Launch::new(4, 32).cluster(1);
    kernel.launch(&one, (&mut out,)).unwrap();
}
