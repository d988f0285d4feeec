//! Checks that the modules for `sm_80` and for `sm_90a` have that target, and have kernels.

#[test]
fn each_is_for_its_architecture() {
    for (ptx, target, kernel) in [
        (example_ptx::ptx(), ".target sm_80", ".entry stream_copy"),
        (
            example_ptx::hopper(),
            ".target sm_90a",
            ".entry hopper_9_pingpong",
        ),
    ] {
        match ptx {
            Ok(ptx) => {
                assert!(ptx.contains(target), "no {target}");
                assert!(ptx.contains(kernel), "no {kernel}");
            }
            // Without the source of `core` there is no PTX, and the message says what to do.
            Err(why) => assert!(why.contains("rust-src"), "{why}"),
        }
    }
}
