//! Checks that the keys of a GEMM's configuration are consistent. A refusal is a sentence at its
//! key: `gemm_config!` of `gpu_kernels`.
//!
//! ```text
//!   tile (96, 64, 32), warps (2, 2)  ─►  registers 48, chunks of (32, 32): 6          registers: 32
//!                                                                                                ^^ a thread's accumulator has 48 ..
//! ```
//!
//! Law: if a configuration compiles, its numbers agree with its types: `CONFIGURATION`, which the
//! host uses to plan, describes the kernel.

use super::admissible::Verdict;
use super::hopper::SHARED_BYTES;
use super::text::Text;

/// The largest number of registers of a thread's accumulator. A thread has 255 registers, which
/// also hold the fragments of two k blocks.
const ACCUMULATOR_REGISTERS: u32 = 128;
/// The number of elements of a chunk that a thread stores.
const ELEMENTS_OF_CHUNK: u32 = 8;

/// The keys with which the other keys are checked.
#[derive(Clone, Copy)]
pub struct Keys {
    /// The extents (m, n, k) of a CTA's tile.
    pub tile: [u32; 3],
    /// The number of warps along M and N.
    pub warps: [u32; 2],
    /// The number of stages of the pipeline.
    pub stages: u32,
}

/// Builds a sentence from words and numbers.
macro_rules! refuse {
    ($($piece:expr),+ $(,)?) => {{
        let mut text = Text::new();
        $(Piece($piece).say(&mut text);)+
        Err(text)
    }};
}
/// A piece of a sentence: words, or a number.
struct Piece<T>(T);
impl Piece<&str> {
    const fn say(self, text: &mut Text) {
        text.say(self.0);
    }
}
impl Piece<u32> {
    const fn say(self, text: &mut Text) {
        text.number(self.0 as i64);
    }
}

impl Keys {
    /// Returns the number of threads of a CTA.
    #[must_use]
    pub const fn threads(&self) -> u32 {
        32 * self.warps[0] * self.warps[1]
    }

    /// Checks that `warps` are the warps of a tiled MMA of `atoms` along M, N and K, of `threads`
    /// in total.
    ///
    /// # Errors
    /// Returns the sentence with both numbers.
    ///
    /// ```
    /// use layout_types::check::Keys;
    /// let keys = Keys { tile: [96, 64, 32], warps: [4, 1], stages: 4 };
    /// assert_eq!(keys.warps_of([2, 2, 1], 128).unwrap_err().as_str(),
    ///     "`warps: (4, 1)`, but the tiled MMA has (2, 2) along M and N, 1 along K, of 128 threads");
    /// ```
    pub const fn warps_of(&self, atoms: [u32; 3], threads: u32) -> Verdict {
        let [m, n] = self.warps;
        if m == atoms[0] && n == atoms[1] && atoms[2] == 1 && threads == self.threads() {
            return Ok(());
        }
        refuse!(
            "`warps: (",
            m,
            ", ",
            n,
            ")`, but the tiled MMA has (",
            atoms[0],
            ", ",
            atoms[1],
            ") along M and N, ",
            atoms[2],
            " along K, of ",
            threads,
            " threads",
        )
    }

    /// Checks that the tile consists of whole tiles of the tiled MMA, whose tile is `mma`.
    ///
    /// # Errors
    /// Returns the sentence with the extents of the first mode in which the tile is not a multiple.
    pub const fn tile_of(&self, mma: [u32; 3]) -> Verdict {
        let mut mode = 0;
        while mode < 3 {
            if !self.tile[mode].is_multiple_of(mma[mode]) {
                return refuse!(
                    "the tile has ",
                    self.tile[mode],
                    " along ",
                    ["M", "N", "K"][mode],
                    ", no multiple of the tiled MMA's ",
                    mma[mode],
                );
            }
            mode += 1;
        }
        Ok(())
    }

    /// Checks that `k_blocks` of a tiled MMA `mma_k` deep are the tile's depth, and that there are
    /// at least two.
    ///
    /// # Errors
    /// Returns the sentence with the numbers.
    pub const fn k_blocks(&self, k_blocks: u32, mma_k: u32) -> Verdict {
        let k = self.tile[2];
        if mma_k * k_blocks != k {
            return refuse!(
                "`k_blocks: ",
                k_blocks,
                "` of the tiled MMA's depth ",
                mma_k,
                " are ",
                mma_k * k_blocks,
                ", but the tile is ",
                k,
                " deep: it has ",
                k / mma_k,
            );
        }
        if k_blocks < 2 {
            return refuse!(
                "the tile, ",
                k,
                " deep, is one k block: the mainloop needs two at least, to load the fragments of the next while it multiplies one",
            );
        }
        Ok(())
    }

    /// Checks that the `elements` in the stages of operand `name` are `stages` k tiles, each with
    /// the tile's number of rows along `mode`.
    ///
    /// # Errors
    /// Returns the sentence with the numbers.
    pub const fn stages_of(&self, name: &str, mode: usize, elements: usize) -> Verdict {
        let (rows, k) = (self.tile[mode], self.tile[2]);
        let one = rows * k;
        let elements = elements as u32;
        if elements == one * self.stages {
            return Ok(());
        }
        let mut text = Text::new();
        text.say("the stages of operand `").say(name).say("` have ");
        text.number(elements as i64).say(" elements, but ");
        text.number(self.stages as i64).say(" stages of (");
        text.number(rows as i64).say(", ").number(k as i64);
        text.say(") have ").number((one * self.stages) as i64);
        if elements.is_multiple_of(one) {
            text.say(": they are ").number((elements / one) as i64);
        }
        Err(text)
    }

    /// Checks that `shared_bytes`, of the stages and of a staging buffer next to them, fit a thread
    /// block.
    ///
    /// # Errors
    /// Returns the sentence with both numbers.
    pub const fn shared_bytes(&self, shared_bytes: u32) -> Verdict {
        if shared_bytes as i64 <= SHARED_BYTES {
            return Ok(());
        }
        refuse!(
            self.stages,
            " stages have ",
            shared_bytes,
            " bytes of shared memory, and a thread block of an H100 has at most ",
            SHARED_BYTES as u32,
        )
    }

    /// Checks that `registers` is the number of a thread's accumulator registers, for elements of
    /// `bytes`.
    ///
    /// # Errors
    /// Returns the sentence with the actual number, or with the largest permitted one.
    ///
    /// ```
    /// use layout_types::check::Keys;
    /// let keys = Keys { tile: [96, 64, 32], warps: [2, 2], stages: 4 };
    /// assert!(keys.registers(48, 4).is_ok());
    /// assert_eq!(keys.registers(32, 4).unwrap_err().as_str(),
    ///     "`registers: 32`, but a thread's accumulator has 48: (96, 64) elements of 4 bytes by 128 threads");
    /// ```
    pub const fn registers(&self, registers: u32, bytes: usize) -> Verdict {
        let ([m, n, _], bytes) = (self.tile, bytes as u32);
        let needed = m * n * bytes / 4 / self.threads();
        if registers != needed {
            return refuse!(
                "`registers: ",
                registers,
                "`, but a thread's accumulator has ",
                needed,
                ": (",
                m,
                ", ",
                n,
                ") elements of ",
                bytes,
                " bytes by ",
                self.threads(),
                " threads",
            );
        }
        if registers > ACCUMULATOR_REGISTERS {
            return refuse!(
                "a thread's accumulator has ",
                registers,
                " registers, and at most ",
                ACCUMULATOR_REGISTERS,
                " leave room for the fragments: take a smaller tile or more warps",
            );
        }
        Ok(())
    }

    /// Checks that `chunks` chunks of the extents `of` in each of `passes` make up the tile, and
    /// that the chunk has a place for each thread.
    ///
    /// # Errors
    /// Returns the sentence with the numbers.
    ///
    /// ```
    /// use layout_types::check::Keys;
    /// let keys = Keys { tile: [96, 64, 32], warps: [2, 2], stages: 4 };
    /// assert_eq!(keys.chunks([32, 32], 4, 1).unwrap_err().as_str(),
    ///     "the epilogue's 4 of 1 are 4 chunks of (32, 32), but a tile of (96, 64) has 6: the others would not be written");
    /// ```
    pub const fn chunks(&self, of: [u32; 2], chunks: u32, passes: u32) -> Verdict {
        let ([m, n, _], threads) = (self.tile, of[0] * of[1] / ELEMENTS_OF_CHUNK);
        if threads != self.threads() {
            return refuse!(
                "a chunk of (",
                of[0],
                ", ",
                of[1],
                ") is stored by ",
                threads,
                " threads, and the kernel has ",
                self.threads(),
            );
        }
        if !m.is_multiple_of(of[0]) || !n.is_multiple_of(of[1]) {
            return refuse!(
                "chunks of (",
                of[0],
                ", ",
                of[1],
                ") do not fill a tile of (",
                m,
                ", ",
                n,
                ")",
            );
        }
        let needed = m / of[0] * (n / of[1]);
        if chunks * passes == needed {
            return Ok(());
        }
        refuse!(
            "the epilogue's ",
            chunks,
            " of ",
            passes,
            " are ",
            chunks * passes,
            " chunks of (",
            of[0],
            ", ",
            of[1],
            "), but a tile of (",
            m,
            ", ",
            n,
            ") has ",
            needed,
            if chunks * passes < needed {
                ": the others would not be written"
            } else {
                ""
            },
        )
    }

    /// Checks a tile that is staged as 16-bit elements: `chunks` chunks of (32, 64) make up the
    /// tile, and there are 256 threads.
    ///
    /// # Errors
    /// Returns the sentence with the numbers.
    pub const fn staged(&self, chunks: u32) -> Verdict {
        let [m, n, _] = self.tile;
        if chunks * 32 * 64 == m * n && self.threads() == 256 {
            return Ok(());
        }
        refuse!(
            "a tile is staged in chunks of (32, 64) by 256 threads: ",
            chunks,
            " of them are ",
            chunks * 32 * 64,
            " elements by ",
            self.threads(),
            " threads, and the tile has ",
            m * n,
        )
    }

    /// Checks that the staging buffer of `chunks` fits the memory of the stages, of `bytes` bytes.
    ///
    /// # Errors
    /// Returns the sentence with both numbers.
    pub const fn staging_bytes(&self, chunks: u32, bytes: u32) -> Verdict {
        if chunks * 32 * 64 * 2 <= bytes {
            return Ok(());
        }
        refuse!(
            "the staged tile has ",
            chunks * 32 * 64 * 2,
            " bytes and lies where the stages were, which have ",
            bytes,
        )
    }
}

/// Checks that a kernel's entry has the name that its configuration states.
///
/// # Errors
/// Returns the sentence with both names.
pub const fn same_name(entry: &str, kernel: &str) -> Verdict {
    let (left, right) = (entry.as_bytes(), kernel.as_bytes());
    let mut same = left.len() == right.len();
    let mut i = 0;
    while same && i < left.len() {
        same = left[i] == right[i];
        i += 1;
    }
    if same {
        return Ok(());
    }
    refuse!(
        "the entry is `",
        entry,
        "`, but its configuration says `kernel: \"",
        kernel,
        "\"`: the host launches by that name",
    )
}
