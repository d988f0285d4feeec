//! Makes a module, a launch and a launch file from a string of bytes, for the target `structured`,
//! and runs them on one and on two CPU threads.
//!
//! Law: whatever the bytes are, each run ends in results or typed errors, within the budgets. If
//! races are looked for, the number of CPU threads changes neither result nor error.

use crate::generate::launch_file::launch_file;
use crate::generate::module::{Kernel, Module, Parameter, module};
use crate::generate::source::Source;
use crate::mutate::{Random, mutate};
use emulator::{Config, Emulator, Launch, LaunchError, LoadError, Program, Report};
use launch_file::LaunchFile;
use std::collections::BTreeMap;

/// The number of bytes in each buffer of a kernel.
const BUFFER: usize = 4096;
/// The number of blocks above which a grid is launched only with a small budget.
const MANY_BLOCKS: u64 = 256;

/// The number of times that each feature was reached: an opcode that was executed, an error, a
/// fault.
pub type Features = BTreeMap<String, u64>;

/// Returns the input as a text for people.
pub fn show(bytes: &[u8]) -> String {
    let input = Input::new(bytes);
    let Input {
        module,
        config,
        launch,
        toml,
        ..
    } = &input;
    format!(
        "{}\n// {launch:?}\n// {config:?}\n/*\n{toml}*/\n",
        module.text
    )
}

struct Input {
    module: Module,
    config: Config,
    launch: Launch,
    toml: String,
    /// The value of scalar parameters.
    scalar: u64,
}

impl Input {
    fn new(bytes: &[u8]) -> Self {
        let mut s = Source::new(bytes);
        let config = Config {
            memory: 4 << 20,
            heap: 64 << 10,
            local_per_thread: 16 << 10,
            max_shared_per_block: 48 << 10,
            multiprocessors: 2,
            max_instructions_per_block: 4_000,
            max_instructions_per_launch: 60_000,
            max_output: 1 << 16,
            check_races: !s.rarely(32),
            check_global_races: !s.rarely(32),
            check_initialised: s.rarely(64),
            check_local_initialised: s.rarely(64),
            allow_local_memory: !s.rarely(8),
            count_memory: !s.rarely(64),
            profile: s.rarely(64),
            ..Config::default()
        };
        let extent = |s: &mut Source, few: usize| match s.below(64) {
            63 => s.of(&[0, 65_535, 65_536, 0x7fff_ffff, u32::MAX]),
            _ => 1 + s.below(few) as u32,
        };
        let launch = Launch {
            grid: [extent(&mut s, 9), extent(&mut s, 3), extent(&mut s, 2)],
            block: [
                match s.below(6) {
                    0 | 1 => 32,
                    2 => 64,
                    3 => 128,
                    4 => extent(&mut s, 200),
                    _ => s.of(&[1, 33, 1024, 1025]),
                },
                extent(&mut s, 2),
                extent(&mut s, 2),
            ],
            dynamic_shared: match s.below(4) {
                0 => 0,
                1 | 2 => 4096,
                _ => s.size() as usize,
            },
        };
        let scalar = s.word();
        let wild = s.rarely(24);
        let seed = s.word() | 1;
        let mut module = module(&mut s);
        let toml = launch_file(&mut s, &module.kernels[0]);
        if wild {
            module.text = mutate(&module.text, &mut Random(seed));
        }
        Input {
            module,
            config,
            launch,
            toml,
            scalar,
        }
    }
}

fn reach(features: &mut Features, feature: &str) {
    *features.entry(feature.to_owned()).or_default() += 1;
}

/// Returns the first word of a `Debug` text, which is the variant of an enum.
fn variant(what: &impl std::fmt::Debug) -> String {
    let text = format!("{what:?}");
    text.split(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_owned()
}

/// Runs an input. Returns the number of launches.
///
/// # Panics
/// Panics if the law does not hold.
pub fn run(bytes: &[u8], features: &mut Features) -> usize {
    let input = Input::new(bytes);
    let program = match Program::parse(&input.module.text) {
        Ok(program) => program,
        Err(error) => {
            assert!(error.line >= 1 && !error.to_string().is_empty());
            reach(features, &format!("refused: {}", variant(&error.kind)));
            return 0;
        }
    };
    let mut launches = 0;
    for kernel in input.module.kernels.iter().take(2) {
        let ends = [1, 2].map(|threads| launched(&input, &program, kernel, threads));
        let [Some(one), Some(two)] = ends else {
            reach(features, "not loaded");
            continue;
        };
        launches += 2;
        let compared = input.config.check_global_races;
        match (&one, &two) {
            ((Ok(report), _), _) => {
                reach(features, "launch ran to its end");
                for (opcode, count) in &report.opcodes {
                    let name = opcode.split('.').next().unwrap_or_default();
                    *features.entry(format!("executed: {name}")).or_default() += count;
                }
            }
            ((Err(LaunchError::Fault(fault)), _), _) => {
                reach(features, &format!("fault: {}", variant(&fault.what)));
            }
            ((Err(error), _), _) => reach(features, &format!("launch: {}", variant(error))),
        }
        if compared && one.0.is_ok() {
            assert!(one == two, "1 and 2 threads differ\n{one:?}\n{two:?}");
        } else if compared {
            assert!(
                one.0 == two.0,
                "1 and 2 threads differ\n{:?}\n{:?}",
                one.0,
                two.0
            );
        }
    }
    launches + by_file(&input, &program, features)
}

type End = (Result<Report, LaunchError>, Vec<Vec<u8>>);

/// Launches a kernel on a device of its own. Returns the result and the contents of the buffers
/// after the launch, or `None` if the module was not loaded or a buffer not allocated.
fn launched(input: &Input, program: &Program, kernel: &Kernel, threads: usize) -> Option<End> {
    let mut config = Config {
        threads: Some(threads),
        ..input.config.clone()
    };
    let grid = input.launch.grid.map(u64::from);
    let blocks = grid.into_iter().fold(1, u64::saturating_mul);
    if blocks > MANY_BLOCKS {
        config.max_instructions_per_launch = 2_000;
    }
    let device = Emulator::new(config);
    match device.load(program) {
        Ok(()) => {}
        Err(LoadError::Memory(error)) => {
            assert!(!error.to_string().is_empty());
            return None;
        }
        Err(_) => return None,
    }
    let mut buffers = Vec::new();
    let mut arguments: Vec<Vec<u8>> = Vec::new();
    for (i, parameter) in kernel.parameters.iter().enumerate() {
        arguments.push(match parameter {
            Parameter::Pointer => {
                let address = device.alloc(BUFFER).ok()?;
                let bytes: Vec<u8> = (0..BUFFER).map(|b| ((b * (i + 1)) >> 2) as u8).collect();
                device.write(address, &bytes).ok()?;
                buffers.push(address);
                address.to_le_bytes().to_vec()
            }
            Parameter::Word => (input.scalar as u32).to_le_bytes().to_vec(),
            Parameter::Bytes(bytes) => vec![input.scalar as u8; (*bytes).min(1 << 16) as usize],
        });
    }
    let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
    let end = device.launch(program, &kernel.name, &input.launch, &arguments, None);
    if let Err(error) = &end {
        assert!(!error.to_string().is_empty());
    }
    let contents = buffers.iter().map(|&address| {
        let mut bytes = vec![0; BUFFER];
        device
            .read(address, &mut bytes)
            .expect("a buffer of this device");
        bytes
    });
    Some((end, contents.collect()))
}

/// Runs the launch file's first cases. Returns the number of these cases.
fn by_file(input: &Input, program: &Program, features: &mut Features) -> usize {
    let file = match LaunchFile::parse(&input.toml, "k.toml".as_ref()) {
        Ok(file) => file,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            reach(features, &format!("launch file: {}", variant(&error.kind)));
            return 0;
        }
    };
    let cases = match file.cases() {
        Ok(cases) => cases,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            reach(features, &format!("launch file: {}", variant(&error.kind)));
            return 0;
        }
    };
    let mut count = 0;
    for case in cases.iter().take(2) {
        let config = Config {
            threads: Some(1),
            max_instructions_per_launch: 4_000,
            ..input.config.clone()
        };
        match file.run(program, case, &config) {
            Ok(ran) => {
                reach(features, "launch file: ran");
                for output in &ran.outputs {
                    let _ = output.line();
                }
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                reach(features, &format!("launch file: {}", variant(&error)));
            }
        }
        count += 1;
    }
    count
}
