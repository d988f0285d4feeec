//! Deals random products. Each kernel gets products with every kind of every property that a
//! product may have.
//!
//! ```text
//!   deck "epilogue"   plain  alpha  beta C  bias  all, ReLU  all, GELU      shuffled, one dealt for each case, shuffled again
//!   deck "schedule"   tiles  split-K  stream-K                              ...   of Hopper's: persistent, split-K in clusters
//!   deck "packed"     rows that TMA takes, twice as often as others         ...
//! ```
//!
//! Law: any run of cases of a kernel that is as long as its longest deck, 6, has every kind.

use host::reference::Random;
use kernel_abi::gemm::{
    Activation, Configuration, Epilogue, GemmProblem, InputType, Major, OutputType, Scaling,
    Schedule,
};
use std::fmt;

/// The number of cards in the longest deck.
pub const LONGEST: usize = 6;

/// Deals the numbers `0..size` in a random order, again and again.
struct Deck {
    size: usize,
    left: Vec<usize>,
}
impl Deck {
    fn new(size: usize) -> Self {
        Self {
            size,
            left: Vec::new(),
        }
    }
    fn deal(&mut self, random: &mut Random) -> usize {
        if self.left.is_empty() {
            self.left = (0..self.size).collect();
            for at in (1..self.size).rev() {
                self.left.swap(at, random.below(at as u64 + 1) as usize);
            }
        }
        self.left.pop().unwrap_or(0)
    }
}

/// A product, and the schedule by which a kernel divides it.
#[derive(Clone, Debug)]
pub struct Case {
    pub configuration: Configuration,
    pub gemm: GemmProblem,
    pub schedule: Schedule,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kernel, schedule) = (self.configuration.kernel, self.schedule);
        write!(f, "{kernel} {schedule:?} {:?}", self.gemm)
    }
}

/// Returns products of whole tiles and steps with nothing but the product to compute. For these,
/// some kernels have paths of their own, without predicates.
pub fn whole(of: &Configuration) -> Vec<Case> {
    let [tile_m, tile_n, tile_k] = of.tile;
    let stages = of.stages;
    // Each case has tiles down and across, steps, and the CTAs of a persistent kernel: one tile for
    // each CTA and several, with just enough steps and with so many that nothing is stored between
    // them.
    let many = of.persistent.then_some((3, 1, 13, 2));
    let all = [
        (1, 1, stages, 1),
        (2, 1, stages + 1, 1),
        (1, 3, 2, 1),
        (3, 1, stages + 2, 2),
        (2, 2, 1, 3),
    ];
    let case = |(down, across, steps, blocks): (u32, u32, u32, u32)| {
        let (m, n, k) = (down * tile_m, across * tile_n, steps * tile_k);
        let mut gemm = GemmProblem::new(m, n, k, of.input, OutputType::Same).with_majors(of.majors);
        gemm.accumulator = of.accumulator;
        // The sums of bytes fit a byte of D only after alpha.
        if of.input == InputType::S8 {
            gemm.epilogue.alpha = 0.001;
        }
        if down * across == 1 {
            gemm = gemm.with_batches(2);
        } else {
            gemm.ldd += 8 * u64::from(steps % 2);
        }
        let schedule = if of.persistent {
            Schedule::Persistent(blocks)
        } else {
            Schedule::Tiles
        };
        let configuration = *of;
        Case {
            configuration,
            gemm,
            schedule,
        }
    };
    all.into_iter().chain(many).map(case).collect()
}

/// The cases of one kernel.
pub struct Cases {
    /// The kernel's configuration for each of the orders of A and B that it supports.
    orders: Vec<Configuration>,
    random: Random,
    order: Deck,
    epilogue: Deck,
    output: Deck,
    schedule: Deck,
    packed: Deck,
    batches: Deck,
    gaps: Deck,
    vectors: Deck,
    address: Deck,
}

impl Cases {
    /// Returns the cases of the kernel of `orders`.
    pub fn new(orders: Vec<Configuration>, seed: u64) -> Self {
        let outputs = outputs(orders[0].input).len();
        Self {
            random: Random::new(seed),
            order: Deck::new(orders.len()),
            epilogue: Deck::new(6),
            output: Deck::new(outputs),
            schedule: Deck::new(if orders[0].hopper.is_some_and(|of| of.cluster_split) {
                4
            } else {
                3
            }),
            packed: Deck::new(3),
            batches: Deck::new(4),
            gaps: Deck::new(2),
            vectors: Deck::new(2),
            address: Deck::new(2),
            orders,
        }
    }

    fn between(&mut self, least: u32, most: u32) -> u32 {
        least + self.random.below(u64::from(most - least) + 1) as u32
    }

    /// Returns the next case, with extents from 1 to `most`, rounded up if the kernel's loads
    /// require it.
    pub fn next(&mut self, most: u32) -> Case {
        let configuration = self.orders[self.order.deal(&mut self.random)];
        let of = &configuration;
        // Rows are aligned to the width of the loads. Hopper's kernels pack rows that are not.
        let packs = of.hopper.is_some() && self.packed.deal(&mut self.random) == 0;
        let load_bytes = if packs {
            of.input.bytes()
        } else {
            of.load_bytes
        };
        let vector = (load_bytes / of.input.bytes()).max(1);
        let output = outputs(of.input)[self.output.deal(&mut self.random)];
        let size = output.bytes(of.input);
        // D's rows are whole vectors of 16 bytes, or not.
        let vectors = self.vectors.deal(&mut self.random) == 0;
        let of_d = if vectors { 16 / size } else { 1 };
        let along_k = of.majors.a() == Major::K || of.majors.b() == Major::K;
        let [m, n, k] = [
            (of.majors.a() == Major::Mn, 1),
            (of.majors.b() == Major::Mn, of_d),
            (along_k, 1),
        ]
        .map(|(loaded, stored)| {
            let unit = if loaded { vector } else { 1 }.max(stored);
            self.between(1, most).next_multiple_of(unit)
        });
        let mut gemm = GemmProblem::new(m, n, k, of.input, output).with_majors(of.majors);
        gemm.accumulator = of.accumulator;
        if self.gaps.deal(&mut self.random) == 1 {
            gemm.lda += u64::from(vector * self.between(0, 3));
            gemm.ldb += u64::from(vector * self.between(0, 3));
            gemm.ldc += u64::from(of_d * self.between(0, 5));
            gemm.ldd += u64::from(of_d * self.between(0, 5));
        }
        gemm = match self.batches.deal(&mut self.random) {
            0 => gemm.with_batches(self.between(2, 3)),
            // One B serves all batches.
            1 => {
                gemm = gemm.with_batches(2);
                gemm.batch_strides[1] = 0;
                gemm
            }
            // The rows of D take turns: a row of the first batch, a row of the next batch, and so
            // on.
            2 => {
                gemm = gemm.with_batches(2);
                gemm.batch_strides[3] = gemm.ldd;
                gemm.ldd *= 2;
                gemm
            }
            _ => gemm,
        };
        gemm.epilogue = self.epilogue(output);
        if of.input == InputType::S8 && output != OutputType::S32 {
            // Sums of bytes are large.
            gemm.epilogue.alpha /= 1000.0;
        }
        if self.address.deal(&mut self.random) == 1 {
            gemm.input_alignment = load_bytes;
            gemm.output_alignment = if vectors { 16 } else { size };
        }
        let schedule = match self.schedule.deal(&mut self.random) {
            0 => Schedule::Tiles,
            3 => Schedule::ClusterSplitK(self.between(2, 8)),
            2 if of.hopper.is_some_and(|hopper| hopper.stream_k) => {
                Schedule::StreamK(self.between(1, 14))
            }
            2 if of.persistent => Schedule::Persistent(self.between(1, 3)),
            _ if of.persistent && of.hopper.is_none() => Schedule::Persistent(self.between(1, 3)),
            1 => Schedule::SplitK(self.between(2, 6)),
            _ => Schedule::StreamK(self.between(1, 14)),
        };
        Case {
            configuration,
            gemm,
            schedule,
        }
    }

    fn epilogue(&mut self, output: OutputType) -> Epilogue {
        let dealt = self.epilogue.deal(&mut self.random);
        if output == OutputType::S32 {
            return Epilogue::NONE;
        }
        let mut factor = || self.random.element::<f32>();
        let all = |activation, alpha, beta| Epilogue {
            alpha,
            beta,
            bias: true,
            activation,
        };
        match dealt {
            0 => Epilogue::NONE,
            1 => Epilogue {
                alpha: factor(),
                ..Epilogue::NONE
            },
            2 => Epilogue {
                beta: factor(),
                ..Epilogue::NONE
            },
            3 => Epilogue {
                bias: true,
                ..Epilogue::NONE
            },
            4 => all(Activation::Relu, factor(), factor()),
            _ => all(Activation::Gelu, factor(), factor()),
        }
    }
}

/// Returns the types that D may have.
pub fn outputs(input: InputType) -> &'static [OutputType] {
    match input {
        InputType::S8 => &[OutputType::S32, OutputType::Same, OutputType::F32],
        InputType::Tf32 => &[OutputType::Same],
        InputType::F16 | InputType::Bf16 => &[OutputType::Same, OutputType::F32],
        InputType::E4m3 | InputType::E5m2 => &[OutputType::Bf16, OutputType::Same, OutputType::F32],
    }
}

/// Returns the entries of a table grouped by their kernel.
pub fn by_kernel(configurations: &[Configuration]) -> Vec<Vec<Configuration>> {
    let tensor: Vec<Configuration> = configurations
        .iter()
        .filter(|of| of.scaling() == Scaling::Tensor && !of.is_grouped())
        .copied()
        .collect();
    tensor
        .chunk_by(|one, other| one.kernel == other.kernel)
        .map(<[Configuration]>::to_vec)
        .collect()
}
