//! The order of a thread's products and copies as PTX states it (`Config::strict_tensor_order`).
//!
//! ```text
//!   mma D -> mma D, cp -> mma          in order
//!   mma D -> cp, mma D -> mma E        in order only by a commit and a wait: public kernels rely on more
//! ```

use super::faults::{TYPES, launch_with, right};
use super::kernel::Kernel;
use super::products::instruction;
use super::{SCHEDULES, blackwell};
use emulator::{Config, Schedule};

const COPY: &str = "
    tcgen05.cp.cta_group::1.128x256b [%base], %da;";

/// The same columns as another accumulator, which begins eight further on.
const OTHER: &str = "
    add.u32 %t4, %base, 8;
    tcgen05.mma.cta_group::1.kind::f16 [%t4], %da, %db, %idesc, %none;";

const COMMIT: &str = "
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];";

fn launch(kernel: &Kernel, strict: bool, schedule: Schedule) -> Result<(), String> {
    let config = Config {
        schedule,
        strict_tensor_order: strict,
        ..blackwell()
    };
    launch_with(kernel, config, instruction(TYPES, 128, 32, [false; 2]))
}

/// Adds an operation behind the products, at once or behind a wait for their commit.
fn with(operation: &str, waits: bool) -> Kernel {
    let mut kernel = right();
    if !waits {
        kernel.products += operation;
        return kernel;
    }
    let second = "
    mbarrier.try_wait.parity.shared.b64 %p, [bar], 1;";
    kernel.wait += &format!(
        "
    bar.sync 0;
    @!%first bra SECOND;
    tcgen05.fence::after_thread_sync;{operation}{COMMIT}
SECOND:
    bar.warp.sync 0xffffffff;
REST:{second}
    @!%p bra REST;
    tcgen05.fence::after_thread_sync;"
    );
    kernel
}

#[test]
fn what_ptx_does_not_order_is_found_in_strict_order_alone() {
    for schedule in SCHEDULES {
        for strict in [false, true] {
            assert_eq!(launch(&right(), strict, schedule), Ok(()), "{schedule:?}");
            for operation in [COPY, OTHER] {
                let found = launch(&with(operation, true), strict, schedule);
                assert_eq!(found, Ok(()), "{operation}, {strict}, {schedule:?}");
            }
        }
        for (operation, said) in [
            (
                COPY,
                "a tcgen05.mma wrote it, and no tcgen05.commit behind it has completed",
            ),
            (
                OTHER,
                "a tcgen05.mma wrote it, and no tcgen05.commit behind it has completed",
            ),
        ] {
            let kernel = with(operation, false);
            assert_eq!(
                launch(&kernel, false, schedule),
                Ok(()),
                "{operation}, {schedule:?}"
            );
            let found = launch(&kernel, true, schedule).expect_err(operation);
            assert!(found.contains(said), "{operation}, {schedule:?}: {found}");
        }
    }
}

/// A copy and the products behind it are in order, and so are products of one accumulator.
#[test]
fn what_ptx_orders_is_silent_in_strict_order() {
    for schedule in SCHEDULES {
        let mut kernel = right();
        let copies = (0..4).map(|i| COPY.replace("[%base]", &format!("[%base+{}]", 8 * i)));
        let added = kernel.products.replace("%none", "%all");
        kernel.products = copies.collect::<String>() + &added;
        assert_eq!(launch(&kernel, true, schedule), Ok(()), "{schedule:?}");
    }
}
