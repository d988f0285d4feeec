//! Runs bytes as a module and a launch of it.
//!
//! ```text
//!   byte  0  1  2   3  4  5   6       7      8 ..
//!         grid      block     shared  flags  PTX
//! ```
//!
//! The parameters of a kernel are, in turn, the addresses of three buffers, a freed buffer's
//! address, and small numbers, whatever their types are. The device is small: 4 MiB of memory, 16
//! KiB of local memory per thread, 4,000 warp instructions per block.

use emulator::{Config, Emulator, Launch, Program};

/// The number of bytes before the PTX.
pub const HEADER: usize = 8;

/// Parses bytes as PTX. Returns whether they are valid.
pub fn parse(bytes: &[u8]) -> bool {
    match Program::parse(&String::from_utf8_lossy(bytes)) {
        Ok(program) => {
            // The queries of a caller must not fail.
            let _ = (program.target().to_string(), program.kernels().count());
            true
        }
        Err(error) => {
            // The message has a picture of the line. Making the message must not fail either.
            assert!(error.line >= 1 && error.column >= 1);
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

/// Reads bytes as a launch and a module, and launches each of its first three kernels. Returns the
/// number of launches that ran to their end.
pub fn launch(bytes: &[u8]) -> usize {
    let Some((header, text)) = bytes.split_at_checked(HEADER) else {
        return 0;
    };
    let Ok(program) = Program::parse(&String::from_utf8_lossy(text)) else {
        return 0;
    };
    let flag = |bit: u8| header[7] >> bit & 1 == 1;
    let device = Emulator::new(Config {
        memory: 4 << 20,
        heap: 64 << 10,
        local_per_thread: 16 << 10,
        threads: Some(1),
        max_instructions_per_block: 4_000,
        check_races: !flag(0),
        check_global_races: !flag(1),
        check_initialised: !flag(2),
        check_local_initialised: flag(3),
        count_memory: !flag(4),
        ..Config::default()
    });
    if device.load(&program).is_err() {
        return 0;
    }
    let buffers: Vec<u64> = (0..4)
        .map(|_| device.alloc(4096))
        .map(Result::unwrap)
        .collect();
    for (i, &buffer) in buffers.iter().enumerate().skip(1) {
        let bytes: Vec<u8> = (0..4096_u32).map(|b| ((b * i as u32) >> 2) as u8).collect();
        device.write(buffer, &bytes).unwrap();
    }
    device.free(buffers[3]).unwrap();
    // Most extents are small, some exceed every device.
    let extent = |byte: u8, small: u32| match byte {
        0xff => u32::MAX,
        0xfe => 65_536,
        _ => u32::from(byte) % small,
    };
    let launch = Launch {
        grid: [0, 1, 2].map(|i| extent(header[i], 3)),
        block: [
            extent(header[3], 129),
            extent(header[4], 4),
            extent(header[5], 3),
        ],
        dynamic_shared: match header[6] {
            0xff => usize::MAX,
            byte => usize::from(byte) * 64,
        },
    };
    // A grid as large as a device's would take too long.
    if launch.grid.iter().map(|&n| u64::from(n)).product::<u64>() > 8 {
        return 0;
    }
    let mut ran = 0;
    for kernel in program.kernels().take(3) {
        let params: Vec<Vec<u8>> = kernel
            .params
            .iter()
            .enumerate()
            .map(|(i, param)| {
                let value = if i % 5 < 4 { buffers[i % 5] } else { 77 };
                value
                    .to_le_bytes()
                    .into_iter()
                    .cycle()
                    .take(param.size)
                    .collect()
            })
            .collect();
        let params: Vec<&[u8]> = params.iter().map(Vec::as_slice).collect();
        match device.launch(&program, &kernel.name, &launch, &params, None) {
            Ok(report) => {
                assert!(report.instructions <= 4_000 * report.blocks);
                ran += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    ran
}
