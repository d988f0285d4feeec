//! What the tests of gradients by `mma.sync` share, for sequences of one length and for packed
//! ones: mistakes planted in the kernels, and the command.

use crate::common::cutlet;
use crate::common::ptx_text::{END, ENTRY, alone, entry, with_one_entry};
use cutlet::attention::AttentionBackwardConfiguration;
use cutlet::kernels::Modules;
use host::Device;
use std::process::Command;

/// Asserts that the emulator finds each mistake that is planted in the kernels of `of`, when
/// `gradients` runs them.
pub fn assert_mistakes_are_found(
    of: &AttentionBackwardConfiguration,
    gradients: impl Fn(&Modules) -> Result<(), String>,
) {
    for kernel in [of.keys.kernel, of.queries.kernel] {
        let ptx = &alone(kernel);
        let text = entry(ptx, kernel);
        for (from, to, says) in [
            // The resident and the streamed tensors are read while their copies are in flight.
            ("cp.async.wait_group", "// cp.async.wait_group", "cp.async"),
            // A stage is read before the other warps' copies are complete, and filled while those
            // warps read it.
            ("bar.sync", "// bar.sync", "race"),
        ] {
            assert!(text.contains(from), "{kernel} has no `{from}`");
            let mut changed = with_one_entry(ptx, kernel, &text.replace(from, to));
            for other in [of.rows, of.keys.kernel, of.queries.kernel] {
                if other != kernel {
                    let text = &alone(other);
                    changed += &format!("{ENTRY}{}{END}\n", entry(text, other));
                }
            }
            let modules = Modules::from(Device::emulator().load(&changed).unwrap());
            let message = gradients(&modules).expect_err("the mistake passes in silence");
            assert!(message.contains(says), "{kernel}, {from}: {message}");
        }
    }
}

/// Asserts that `cutlet attention --backward --loads cp-async` with further arguments runs the
/// kernels of `of`, and finds their results right.
pub fn assert_the_command_compares(of: &AttentionBackwardConfiguration, arguments: &str) {
    let command = "attention --backward --device emulator --key-heads 1 --causal --loads cp-async";
    let output = Command::new(cutlet())
        .args(command.split(' '))
        .args(arguments.split(' '))
        .args(["--dim", &of.dim.to_string(), "--dtype", of.element.name()])
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success(), "{text}");
    assert!(text.contains(of.keys.kernel), "{text}");
    assert!(text.contains("right"), "{text}");
}
