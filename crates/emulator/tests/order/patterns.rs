//! The launch of each kernel, and the words that it must leave in its buffers.

/// A parameter of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Argument {
    /// A buffer with this number of words, all 0.
    Zeros(usize),
    /// A buffer with this number of words, which count up from 0.
    Count(usize),
    /// The tensor map of a buffer, by its number among the buffers. Extent and box are in words.
    MapOf(usize, u64, u32),
}
use Argument::{Count, MapOf, Zeros};

/// A kernel, or several that are launched one after the other, each but the first as a programmatic
/// dependent launch.
pub struct Pattern {
    pub name: &'static str,
    pub text: &'static str,
    pub kernels: &'static [&'static str],
    pub blocks: u32,
    pub threads: u32,
    pub arguments: &'static [Argument],
    /// Asserts the contents of the buffers.
    pub right: fn(&[Vec<u32>]),
    published: bool,
}

/// Makes a row of the table: folder, file, kernels, blocks, threads, arguments, result. Without
/// folder and kernels the row is the kernel `k` of `kernels`, and without blocks it has one block.
macro_rules! pattern {
    ($name:literal, $threads:expr, $arguments:expr, $right:expr) => {
        pattern!($name, 1, $threads, $arguments, $right)
    };
    ($name:literal, $blocks:expr, $threads:expr, $arguments:expr, $right:expr) => {
        pattern!(
            "kernels",
            $name,
            &["k"],
            $blocks,
            $threads,
            $arguments,
            $right
        )
    };
    ($folder:literal, $name:literal, $kernels:expr, $blocks:expr, $threads:expr, $arguments:expr, $right:expr) => {
        Pattern {
            name: $name,
            text: include_str!(concat!($folder, "/", $name, ".ptx")),
            kernels: $kernels,
            blocks: $blocks,
            threads: $threads,
            arguments: $arguments,
            right: $right,
            published: $folder.len() == "published".len(),
        }
    };
}

/// Checks that each word in a buffer is the function `word` of its index.
#[track_caller]
fn words(buffer: &[u32], word: impl Fn(u32) -> u32) {
    let wanted: Vec<u32> = (0..buffer.len() as u32).map(word).collect();
    assert_eq!(buffer, wanted);
}

/// Computes a value that is multiplied by `factor` and increased by a word in each of `n` steps.
fn fold(n: u32, factor: u32, word: impl Fn(u32) -> u32) -> u32 {
    (0..n).fold(0, |sum: u32, i| {
        sum.wrapping_mul(factor).wrapping_add(word(i))
    })
}

/// Checks the result of `softmax.ptx`: a row of 128 words.
fn softmax(buffers: &[Vec<u32>]) {
    let row: Vec<u32> = (0..128).map(|i| (37 * i) & 1023).collect();
    let most = *row.iter().max().unwrap();
    let sum: u32 = row.iter().map(|word| most - word).sum();
    words(&buffers[0], |i| 2 * sum + most - row[i as usize]);
}

/// Checks the result of `matrices.ptx`: rows of the other warp's registers, as stmatrix places
/// them, then the warp's own.
fn matrices(buffers: &[Vec<u32>]) {
    words(&buffers[0], |t| {
        let (other, row) = ((t / 32) ^ 1, t % 32);
        let staged =
            |n: u32, word: u32| 4096 * n + 32 * other + 4 * (row % 8) + word + 1 + 256 * (row / 8);
        let tile = |n: u32| {
            let rows: u32 = (0..4).map(|word| staged(n, word)).sum();
            rows + 4 * (4096 * n + 32 * other + row)
        };
        tile(0) + tile(1)
    });
}

/// Returns the value that a thread of `bulk_stores.ptx` computes for a tile.
fn generated(i: u32) -> u32 {
    let once = 3 * (13 * i + 5) + i;
    3 * once + i
}

/// Returns the patterns of one of the two folders.
pub fn all(published: bool) -> Vec<Pattern> {
    let mut all = vec![
        pattern!("message", 2, 64, &[Zeros(64), Zeros(64), Zeros(1)], |b| {
            let hash = |i| (0..3).fold(i, |x: u32, _| 5 * x + 1);
            words(&b[0], |i| 3 * hash(i) + hash(63 - i));
        }),
        pattern!(
            "handshake",
            2,
            32,
            &[Zeros(32), Zeros(32), Zeros(32), Zeros(2)],
            |b| {
                words(&b[0], |i| 2 * (11 * (i ^ 1) + 4) + 1);
            }
        ),
        pattern!("spin_lock", 3, 64, &[Zeros(64), Zeros(1)], |b| {
            words(&b[0], |t| {
                (1..4).map(|b| b * b * t + b).sum::<u32>() + 3 * (t % 2)
            });
        }),
        pattern!(
            "ticket_lock",
            4,
            32,
            &[Zeros(512), Zeros(1), Zeros(2)],
            |b| {
                let word = |i: u32| 1000 * (i / 32) + i % 32;
                words(&b[0][..128], word);
                words(&b[0][256..384], |i| {
                    word(i) + if i < 32 { 0 } else { word(i - 32) }
                });
                assert_eq!((b[1][0], &b[2][..]), (128, &[4, 4][..]));
            }
        ),
        pattern!("split_k", 4, 64, &[Zeros(64), Zeros(256), Zeros(1)], |b| {
            words(&b[0], |t| (0..32).map(|k| k * (k + t)).sum());
            assert_eq!(b[2][0], 0);
        }),
        pattern!("stream_k", 3, 64, &[Zeros(64), Zeros(64), Zeros(1)], |b| {
            words(&b[0], |t| 19 * t);
        }),
        pattern!("grid_barrier", 4, 64, &[Zeros(256), Zeros(1)], |b| {
            words(&b[0], |i| 2 * (7 * ((i + 40) % 256) + 3) + 7 * i + 3);
        }),
        pattern!(
            "look_back",
            4,
            32,
            &[Zeros(128), Count(128), Zeros(8), Zeros(4)],
            |b| {
                words(&b[0], |i| i * (i + 1) / 2);
            }
        ),
        pattern!("queue", 2, 32, &[Zeros(32), Zeros(64), Zeros(2)], |b| {
            words(&b[0], |t| fold(6, 3, |n| 100 * n + t + 1));
        }),
        pattern!("named_barriers", 64, &[Zeros(32)], |b| {
            words(&b[0], |t| fold(6, 2, |n| 50 * n + 32 - t));
        }),
        pattern!("cp_async", 64, &[Zeros(64), Count(1536)], |b| {
            words(&b[0], |t| fold(6, 3, |n| 4 * (256 * n + 4 * (t ^ 33)) + 6));
        }),
        pattern!("mbarrier_stages", 64, &[Zeros(32)], |b| {
            words(&b[0], |t| fold(6, 2, |n| 40 * n + 32 - t));
        }),
        pattern!("bulk_loads", 64, &[Zeros(64), Count(384)], |b| {
            words(&b[0], |t| fold(6, 3, |n| 64 * n + 63 - t));
        }),
        pattern!(
            "proxies",
            2,
            64,
            &[
                Zeros(64),
                Zeros(64),
                Zeros(64),
                Zeros(64),
                Zeros(64),
                Zeros(1)
            ],
            |b| {
                let hash = |t| (0..3).fold(t, |x: u32, _| 5 * x + 1);
                let stored = |t| 3 * hash(63 - t) + hash(t);
                words(&b[0], |t| stored(t) + hash(63 - t) + 1 + 10 * hash(t));
            }
        ),
        pattern!("in_place", 64, &[Count(192)], |b| {
            words(&b[0], |i| 3 * i + i / 64 * 64 + 63 - i % 64);
        }),
        pattern!("bulk_stores", 64, &[Zeros(192)], |b| {
            words(&b[0], generated);
        }),
        pattern!(
            "bulk_results",
            2,
            64,
            &[Zeros(128), Zeros(64), Zeros(1)],
            |b| {
                let word = |i: u32| 21 * (63 - i % 64) + 6;
                words(&b[0], |i| {
                    if i < 64 {
                        word(i) + 1
                    } else {
                        2 * word(i) + i % 64
                    }
                });
            }
        ),
        pattern!("gradients", 3, 64, &[Zeros(64), Zeros(64), Zeros(1)], |b| {
            words(&b[0], |t| (0..12).map(|key| key * t).sum::<u32>() / 2);
        }),
        pattern!("cluster_counter", 2, 64, &[Zeros(65)], |b| {
            words(&b[0], |i| if i < 64 { 7 * i + 3 } else { 128 });
        }),
        pattern!("cluster_sums", 4, 32, &[Zeros(128)], |b| {
            words(&b[0], |i| {
                (0..8)
                    .map(|n| 1000 * (n / 4) + 32 * (n % 4) + 32 - i % 32)
                    .sum()
            });
        }),
        pattern!("cluster_mailbox", 2, 64, &[Zeros(128)], |b| {
            words(&b[0], |i| {
                (63 - i % 64) * (63 - i % 64) + 5000 * ((i / 64) ^ 1) + 9
            });
        }),
        pattern!("wgmma", 128, &[Zeros(128)], |b| {
            words(&b[0], |_| 4 * 16 * (1 + 4 + 9 + 16));
        }),
        pattern!(
            "kernels",
            "dependents",
            &["first", "second"],
            1,
            64,
            &[Zeros(128), Count(128), Zeros(1)],
            |b| {
                words(&b[0], |i| match i {
                    0..64 => i * i + 1,
                    _ => (i - 64) * (i - 64) + 1 + 3 * i,
                });
                words(&b[1], |i| if i < 64 { 3 * (i + 64) } else { i });
                assert_eq!(b[2][0], 65);
            }
        ),
        pattern!("warp_sums", 64, &[Zeros(64), Count(64)], |b| {
            let sum = |warp: u32| (0..32).map(|i| 2 * (32 * warp + i) + 1).sum::<u32>();
            words(&b[0], |t| sum(t / 32) * (t % 32 + 1));
        }),
        pattern!("matrices", 64, &[Zeros(64)], matrices),
        pattern!(
            "histogram",
            4,
            64,
            &[Zeros(16), Zeros(17), Count(256)],
            |b| {
                words(&b[0], |bin| {
                    (0..256).filter(|x| 7 * x / 4 % 16 == bin).count() as u32
                });
            }
        ),
        pattern!("scheduler", 2, 64, &[Zeros(384), Zeros(2)], |b| {
            words(&b[0], |i| {
                (0..4).map(|j| (10 * (i / 64) + j) * (i % 64)).sum()
            });
            assert_eq!(b[1], [0, 0]);
        }),
        pattern!(
            "scratch",
            2,
            64,
            &[Zeros(128), Count(128), Zeros(128)],
            |b| {
                words(&b[0], |i| 9 * i + 4 + i % 64 + i / 64);
            }
        ),
        pattern!("shared_flag", 64, &[Zeros(32)], |b| {
            words(&b[0], |t| fold(3, 3, |n| 77 * n + (t ^ 5) + 2));
        }),
        pattern!("shared_status", 128, &[Zeros(128)], |b| {
            let sum = |warp: u32| (0..=warp).map(|w| 10 * w + 3).sum::<u32>();
            words(&b[0], |t| 100 * sum(t / 32) + t % 32);
        }),
        pattern!(
            "packed_status",
            4,
            32,
            &[Zeros(128), Zeros(8), Zeros(2)],
            |b| {
                let sum = |block: u32| (0..=block).map(|b| 10 * b + 3).sum::<u32>();
                words(&b[0], |i| 100 * sum(i / 32) + i % 32);
                assert_eq!(b[2], [4, 0]);
            }
        ),
        pattern!("cluster_signals", 2, 64, &[Zeros(128), Zeros(128)], |b| {
            words(&b[0], |i| {
                let (own, peer) = (64 * (i / 64), 64 * ((i / 64) ^ 1));
                1000 * (5 * (own + 63 - i % 64) + 1) + 5 * (peer + 63 - i % 64) + 1
            });
        }),
        pattern!("softmax", 128, &[Zeros(128), Count(128)], softmax),
        pattern!("remote_values", 4, 32, &[Zeros(128)], |b| {
            words(&b[0], |i| {
                fold(2, 2, |n| 500 * n + 32 * ((i / 32 + 3) % 4) + 34 - i % 32)
            });
        }),
        pattern!("multicast", 2, 32, &[Zeros(64), Count(96)], |b| {
            words(&b[0], |i| fold(3, 3, |n| 32 * n + 31 - i % 32));
        }),
        pattern!(
            "descriptors",
            32,
            &[Zeros(32), Zeros(32), Count(128), MapOf(2, 64, 32)],
            |b| {
                words(&b[0], |t| 64 + t);
            }
        ),
        pattern!(
            "published",
            "triton_4504",
            &["k"],
            3,
            64,
            &[Zeros(256), Zeros(1)],
            |b| {
                let of_block = |b: u32| (1..5).map(|r| (r + b) * (r + b)).sum::<u32>();
                words(&b[0], |i| (0..3).map(|b| of_block(b) + i / 4).sum());
            }
        ),
        pattern!(
            "published",
            "cutlass_3643",
            &["k"],
            2,
            32,
            &[Zeros(32), Count(64)],
            |b| {
                words(&b[0], |t| t * (2 + t) + (32 + t) * (5 + t));
            }
        ),
        pattern!(
            "published",
            "sglang_32907",
            &["k"],
            2,
            32,
            &[Zeros(64)],
            |b| {
                words(&b[0], |i| {
                    fold(4, 2, |n| 90 * n + i % 32 + 1000 * ((i / 32) ^ 1))
                });
            }
        ),
        pattern!(
            "published",
            "sglang_37287",
            &["k"],
            1,
            64,
            &[Zeros(32), Count(256)],
            |b| {
                words(&b[0], |t| {
                    (0..4)
                        .map(|k| (32 * k + t) * (128 + 32 * (k ^ 1) + t))
                        .sum()
                });
            }
        ),
        pattern!(
            "published",
            "flashinfer_5334",
            &["k"],
            1,
            128,
            &[Zeros(256)],
            |b| {
                words(&b[0], |i| if i < 128 { 16f32 } else { 32f32 }.to_bits());
            }
        ),
        pattern!(
            "published",
            "vllm_8404",
            &["k"],
            4,
            64,
            &[Zeros(1024), Count(1024), Zeros(256), Zeros(16)],
            |b| {
                words(&b[0], |i| (0..4).map(|k| 256 * k + i % 256).sum());
            }
        ),
        pattern!(
            "published",
            "trtllm_8612",
            &["k"],
            4,
            32,
            &[Zeros(128), Zeros(256), Zeros(1)],
            |b| {
                words(&b[0], |i| 12 * i + 3);
            }
        ),
    ];
    all.retain(|pattern| pattern.published == published);
    all
}
