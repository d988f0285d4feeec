//! MMA atoms by CuTe's name.
//!
//! ```text
//! SM80_16x8x16_F32F16F16F32_TN    every row of `MMA_SYNC`
//! SM90_64x128x16_F32F16F16_SS     `wgmma`: a kind, a width that is a multiple of 8 up to 256, SS or RS
//! UniversalFMA<f32>               one thread
//! ```
//!
//! Law: shape, threads and layouts are those of the Rust type with the same name. Source: CuTe
//! `cute/atom/mma_traits_sm*.hpp`.

use std::fmt;

use layout_types::atom::MmaFacts;
use layout_types::atom::mma::sm90::{self, Wgmma};
use layout_types::atom::mma::{MMA_SYNC, Registers, UniversalFma};
use layout_types::dynamic::{AnyLayout, DynLayout, IntTuple};
use layout_types::typenum::U8;

use super::{cute_name, printed};
use crate::thread_value::ThreadValue;

/// One of the three operands of an MMA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A, of modes (M,K).
    A,
    /// B, of modes (N,K).
    B,
    /// C, of modes (M,N).
    C,
}

impl Operand {
    /// All operands.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];

    /// Returns the names of the operand's two modes.
    pub fn modes(self) -> [char; 2] {
        match self {
            Self::A => ['M', 'K'],
            Self::B => ['N', 'K'],
            Self::C => ['M', 'N'],
        }
    }

    /// Selects the operand's two modes from (M,N,K).
    pub fn of<T: Copy>(self, mnk: [T; 3]) -> [T; 2] {
        match self {
            Self::A => [mnk[0], mnk[2]],
            Self::B => [mnk[1], mnk[2]],
            Self::C => [mnk[0], mnk[1]],
        }
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// An MMA atom: one instruction, its shape, and the values that each thread holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MmaAtom {
    name: String,
    ptx: String,
    sm: usize,
    shape: [i64; 3],
    thr_id: DynLayout,
    layouts: [DynLayout; 3],
    types: [&'static str; 4],
}

impl MmaAtom {
    fn from_facts(facts: &MmaFacts) -> Self {
        Self {
            name: facts.name.to_string(),
            ptx: facts.ptx.to_string(),
            sm: facts.sm,
            shape: facts.shape.map(|extent| extent as i64),
            thr_id: printed(&facts.thr_id),
            layouts: [printed(&facts.a), printed(&facts.b), printed(&facts.c)],
            types: facts.types,
        }
    }

    /// Returns the atom with this name, written `SM80_..` as in CuTe or `Sm80_..` as the Rust type,
    /// or `None` if no atom has it.
    ///
    /// ```
    /// use notation::{MmaAtom, Operand};
    /// let atom = MmaAtom::named("SM80_16x8x16_F32F16F16F32_TN").unwrap();
    /// assert_eq!(atom.shape(), [16, 8, 16]);
    /// assert_eq!(atom.layout(Operand::C).to_string(), "((4,8),(2,2)):((32,1),(16,8))");
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        let name = cute_name(name);
        MMA_SYNC
            .into_iter()
            .flatten()
            .find(|facts| facts.name == name)
            .map(Self::from_facts)
            .or_else(|| wgmma(&name))
    }

    /// Returns `UniversalFMA` for `f32`.
    pub(crate) fn universal() -> Self {
        Self::from_facts(&MmaFacts::of::<UniversalFma<f32>>())
    }

    /// Returns the atom with another name.
    pub(crate) fn renamed(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// Returns CuTe's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the PTX instruction, which is empty for `UniversalFMA`.
    pub fn ptx(&self) -> &str {
        &self.ptx
    }

    /// Returns the lowest compute capability with this instruction, times ten.
    pub fn sm(&self) -> usize {
        self.sm
    }

    /// Returns M, N and K.
    pub fn shape(&self) -> [i64; 3] {
        self.shape
    }

    /// Returns CuTe's `ThrID`, which maps the atom's threads to those of the warp or warpgroup.
    pub fn thr_id(&self) -> &DynLayout {
        &self.thr_id
    }

    /// Returns the formats of D, A, B and C.
    pub fn types(&self) -> [&'static str; 4] {
        self.types
    }

    /// Returns CuTe's `ALayout`, `BLayout` or `CLayout`, which maps (thread, value) to the
    /// column-major index in the operand's tile.
    pub fn layout(&self, operand: Operand) -> &DynLayout {
        &self.layouts[operand as usize]
    }

    /// Returns [`layout`](Self::layout) with the operand's tile.
    pub fn operand(&self, operand: Operand) -> ThreadValue {
        ThreadValue::new(
            AnyLayout::Plain(self.layout(operand).clone()),
            IntTuple::from(operand.of(self.shape)),
            format!("{}.{operand}", self.name),
        )
        .with_modes(operand.modes().map(String::from).to_vec())
    }
}

impl fmt::Display for MmaAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

type FactsOf = fn() -> MmaFacts;

macro_rules! kinds {
    ($($kind:ident),* $(,)?) => {
        /// Every kind of `wgmma` at its smallest width, with A in shared memory and in registers.
        const WGMMA: &[[FactsOf; 2]] = &[$([
            MmaFacts::of::<Wgmma<sm90::$kind, U8, sm90::Shared>>,
            MmaFacts::of::<Wgmma<sm90::$kind, U8, Registers>>,
        ]),*];
    };
}
kinds! {
    F16F16F16, F32F16F16, F32BF16BF16, F32TF32TF32, F16E4M3E4M3, F16E4M3E5M2, F16E5M2E4M3, F16E5M2E5M2, F32E4M3E4M3,
    F32E4M3E5M2, F32E5M2E4M3, F32E5M2E5M2, S32S8S8, S32S8U8, S32U8S8, S32U8U8, S32S8S8_SATURATE, S32S8U8_SATURATE,
    S32U8S8_SATURATE, S32U8U8_SATURATE,
}

/// Returns the `wgmma` atom with this name, which contains the atom's width (the N of its shape):
/// `SM90_64x128x16_F32F16F16_SS`. Returns `None` if the name or the width does not exist.
fn wgmma(name: &str) -> Option<MmaAtom> {
    let rest = name.strip_prefix("SM90_64x")?;
    let digits = rest.find('x')?;
    let n: i64 = rest[..digits].parse().ok()?;
    if n % 8 != 0 || !(8..=256).contains(&n) {
        return None;
    }
    let generic = format!("SM90_64xN{}", &rest[digits..]);
    let facts = WGMMA
        .iter()
        .flatten()
        .map(|facts| facts())
        .find(|facts| facts.name == generic)?;
    Some(at_width(&facts, n))
}

/// Widens a `wgmma` atom of width 8 to `n`: B and C grow, A does not change.
fn at_width(facts: &MmaFacts, n: i64) -> MmaAtom {
    let mut atom = MmaAtom::from_facts(facts);
    let k = atom.shape[2];
    atom.name = facts.name.replacen("xN", &format!("x{n}"), 1);
    atom.ptx = facts.ptx.replacen("nN", &format!("n{n}"), 1);
    atom.shape[1] = n;
    let read = |text: String| text.parse().expect("CuTe's notation");
    atom.layouts[1] = read(format!("(128,({n},{k})):(0,(1,{n}))"));
    let groups = n / 8;
    atom.layouts[2] = read(format!("((4,8,4),(2,2,{groups})):((128,1,16),(64,8,512))"));
    atom
}

/// Implements [`mma_names`](super::mma_names).
pub(super) fn names() -> Vec<String> {
    let sync = MMA_SYNC
        .into_iter()
        .flatten()
        .map(|facts| facts.name.to_string());
    let wide = WGMMA.iter().flatten().flat_map(|facts| {
        [8, 64, 128, 256].map(|n| facts().name.replacen("xN", &format!("x{n}"), 1))
    });
    sync.chain(wide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use layout_types::typenum::{U16, U64, U128, U256};

    /// Checks that at every width the computed atom equals the atom of the type.
    macro_rules! widths {
        ($($kind:ident),*) => {$(
            for facts in [
                MmaFacts::of::<Wgmma<sm90::$kind, U8, sm90::Shared>>(),
                MmaFacts::of::<Wgmma<sm90::$kind, U16, sm90::Shared>>(),
                MmaFacts::of::<Wgmma<sm90::$kind, U64, Registers>>(),
                MmaFacts::of::<Wgmma<sm90::$kind, U128, sm90::Shared>>(),
                MmaFacts::of::<Wgmma<sm90::$kind, U256, Registers>>(),
            ] {
                let name = facts.name.replacen("xN", &format!("x{}", facts.shape[1]), 1);
                let atom = MmaAtom::named(&name).expect(&name);
                let typed = MmaAtom::from_facts(&facts);
                assert_eq!((atom.shape, &atom.layouts), (typed.shape, &typed.layouts), "{name}");
                assert_eq!((&atom.thr_id, atom.types, atom.sm), (&typed.thr_id, typed.types, typed.sm));
            }
        )*};
    }

    #[test]
    fn wgmma_of_every_width_is_the_type() {
        widths!(
            F16F16F16,
            F32BF16BF16,
            F32TF32TF32,
            F16E4M3E5M2,
            S32S8U8,
            S32U8U8_SATURATE
        );
        assert!(MmaAtom::named("SM90_64x12x16_F32F16F16_SS").is_none());
        assert!(MmaAtom::named("SM90_64x264x16_F32F16F16_SS").is_none());
    }

    #[test]
    fn every_listed_name_is_an_atom() {
        let names = names();
        assert!(names.len() > 100);
        for name in names {
            let atom = MmaAtom::named(&name).expect(&name);
            assert_eq!(atom.name(), name);
        }
    }
}
