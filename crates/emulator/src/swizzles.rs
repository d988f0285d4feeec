//! The swizzles through which instructions access shared memory, from comments in the PTX.
//!
//! ```text
//! ld.shared.b32 %r1, [%r2]; // smem Sw<3,4,3>      bits 7 to 9 of the byte's offset, exclusive-or'ed into bits 4 to 6
//! ld.shared.b32 %r1, [%r2]; // smem Sw<0,4,3>      none
//! ```
//!
//! Law: [`SmemSwizzle::apply`] is its own inverse. An instruction without the comment accesses
//! bytes as they are, and is not checked.
//!
//! Source: CuTe `Swizzle<B,M,S>`; `layout_types` writes the comments.

use std::fmt;

/// `Sw<B,M,S>` on offsets in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SmemSwizzle {
    bits: u8,
    base: u8,
    shift: i8,
}

impl SmemSwizzle {
    /// Returns the swizzle of a tensor map with a swizzle of 32, 64 or 128 bytes, or no swizzle for
    /// 0.
    pub fn of_tensor_map(bytes: u32) -> SmemSwizzle {
        match (bytes / 16).checked_ilog2() {
            None | Some(0) => SmemSwizzle {
                bits: 0,
                base: 0,
                shift: 0,
            },
            Some(bits) => SmemSwizzle {
                bits: bits as u8,
                base: 4,
                shift: 3,
            },
        }
    }

    /// Parses the text after `// `.
    pub fn parse(comment: &str) -> Option<SmemSwizzle> {
        let inside = comment.trim().strip_prefix("smem Sw<")?;
        let mut numbers = inside.split_once('>')?.0.split(',');
        let mut next = || numbers.next()?.trim().parse::<i8>().ok();
        let (bits, base, shift) = (next()?, next()?, next()?);
        let fits = |number: i8| (0..=24).contains(&number);
        // The bits that the swizzle reads are not bits that it changes, and all are bits of an
        // offset.
        let apart = bits == 0 || shift.unsigned_abs() >= bits as u8;
        (fits(bits) && fits(base) && fits(shift.checked_abs()?) && apart).then_some(SmemSwizzle {
            bits: bits as u8,
            base: if bits == 0 { 0 } else { base as u8 },
            shift: if bits == 0 { 0 } else { shift },
        })
    }

    /// Maps an offset to the place of its byte, and a place to the offset of its byte.
    pub fn apply(self, offset: u64) -> u64 {
        let mask = ((1 << self.bits) - 1) << self.base;
        let distance = u32::from(self.shift.unsigned_abs());
        match self.shift {
            0.. => offset ^ offset >> distance & mask,
            _ => offset ^ (offset & mask) << distance,
        }
    }
}

impl fmt::Display for SmemSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            0 => f.write_str("no swizzle"),
            bits => write!(f, "Sw<{bits},{},{}> of bytes", self.base, self.shift),
        }
    }
}

/// The swizzle of each instruction of a module, by the instruction's number over all functions,
/// which begins with 1.
#[derive(Debug, Default)]
pub(crate) struct Swizzles {
    distinct: Vec<SmemSwizzle>,
    /// For each instruction, an index in `distinct` plus 1, or 0.
    of_site: Vec<u8>,
}

impl Swizzles {
    pub fn new(of_instructions: impl Iterator<Item = Option<SmemSwizzle>>) -> Swizzles {
        let mut all = Swizzles {
            distinct: Vec::new(),
            of_site: vec![0],
        };
        for swizzle in of_instructions {
            let found = swizzle.and_then(|swizzle| {
                let known = all.distinct.iter().position(|&other| other == swizzle);
                known.or_else(|| {
                    all.distinct.push(swizzle);
                    Some(all.distinct.len() - 1)
                })
            });
            // After 255 distinct swizzles, further ones count as unknown.
            let number = found.and_then(|at| u8::try_from(at + 1).ok());
            all.of_site.push(number.unwrap_or(0));
        }
        all
    }

    /// Whether no instruction has a swizzle.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.distinct.is_empty()
    }

    /// Returns the number of the swizzle of an instruction, or 0 if it is unknown.
    #[inline(always)]
    pub fn number(&self, site: u32) -> u8 {
        self.of_site.get(site as usize).copied().unwrap_or(0)
    }

    /// Returns the swizzle with a number.
    pub fn get(&self, number: u8) -> Option<SmemSwizzle> {
        self.distinct
            .get(usize::from(number).checked_sub(1)?)
            .copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swizzle_is_its_own_inverse_and_permutes() {
        for text in [
            "3,4,3", "2,4,3", "1,4,3", "0,4,3", "3,3,3", "2,5,-2", "1,0,7",
        ] {
            let swizzle = SmemSwizzle::parse(&format!("smem Sw<{text}>")).unwrap();
            let mut seen = vec![false; 4096];
            for offset in 0..4096 {
                let place = swizzle.apply(offset);
                assert_eq!(swizzle.apply(place), offset, "{text}");
                seen[place as usize] = true;
            }
            assert!(seen.iter().all(|&seen| seen), "{text}");
        }
        let of_map = SmemSwizzle::of_tensor_map(128);
        assert_eq!(SmemSwizzle::parse("smem Sw<3,4,3>"), Some(of_map));
        assert_eq!(of_map.to_string(), "Sw<3,4,3> of bytes");
    }

    #[test]
    fn other_comments_say_nothing() {
        for text in [
            "",
            "smem",
            "smem Sw<3,4>",
            "smem Sw<-1,0,0>",
            "smem Sw<3,4,2>",
            "Sw<3,4,3>",
        ] {
            assert_eq!(SmemSwizzle::parse(text), None, "{text}");
        }
    }
}
