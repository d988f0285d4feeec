//! An atom's facts as values: what the types say, for host code, pictures and tests.
//!
//! ```text
//!   MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>()    { name: "SM75_..", shape: [8, 8, 16], threads: 32, values: [4, 4, 2], .. }
//! ```
//!
//! Law: every field is read from the atom's types; nothing is written twice.

use super::MmaAtom;
use super::{AtomK, AtomM, AtomN};
use crate::atom::LayoutFacts;
use crate::layout::LayoutFn;
use crate::tree::PrintTree;
use core::fmt;
use typenum::Unsigned;

/// The facts of an MMA atom.
///
/// ```
/// use layout_types::atom::{MmaFacts, mma::Sm75_8x8x16_S32S8S8S32_TN};
/// let facts = MmaFacts::of::<Sm75_8x8x16_S32S8S8S32_TN>();
/// assert_eq!((facts.shape, facts.threads, facts.values), ([8, 8, 16], 32, [4, 4, 2]));
/// assert_eq!(facts.a.to_string(), "((4,8),4):((32,1),8)");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MmaFacts {
    /// CuTe's name.
    pub name: &'static str,
    /// The PTX instruction.
    pub ptx: &'static str,
    /// The compute capability times ten from which it exists.
    pub sm: usize,
    /// M, N and K.
    pub shape: [usize; 3],
    /// The number of threads.
    pub threads: usize,
    /// The number of values that a thread holds of A, B and C.
    pub values: [usize; 3],
    /// The formats of D, A, B and C.
    pub types: [&'static str; 4],
    /// The threads' places.
    pub thr_id: LayoutFacts,
    /// (thread, value) to (M,K).
    pub a: LayoutFacts,
    /// (thread, value) to (N,K).
    pub b: LayoutFacts,
    /// (thread, value) to (M,N).
    pub c: LayoutFacts,
    print_shape: fn(&mut fmt::Formatter<'_>) -> fmt::Result,
}

impl MmaFacts {
    /// The facts of an atom.
    #[must_use]
    pub const fn of<Atom: MmaAtom>() -> Self {
        use super::Element;
        let threads = Atom::ThrId::SIZE;
        Self {
            name: Atom::NAME,
            ptx: Atom::PTX,
            sm: Atom::Sm::USIZE,
            shape: [
                AtomM::<Atom>::USIZE,
                AtomN::<Atom>::USIZE,
                AtomK::<Atom>::USIZE,
            ],
            threads,
            values: [
                Atom::ALayout::SIZE / threads,
                Atom::BLayout::SIZE / threads,
                Atom::CLayout::SIZE / threads,
            ],
            types: [
                Atom::ValTypeD::NAME,
                Atom::ValTypeA::NAME,
                Atom::ValTypeB::NAME,
                Atom::ValTypeC::NAME,
            ],
            thr_id: LayoutFacts::of::<Atom::ThrId>(),
            a: LayoutFacts::of::<Atom::ALayout>(),
            b: LayoutFacts::of::<Atom::BLayout>(),
            c: LayoutFacts::of::<Atom::CLayout>(),
            print_shape: Atom::ShapeMnk::print,
        }
    }

    /// The shape in CuTe's notation.
    #[must_use]
    pub fn shape_mnk(&self) -> impl fmt::Display + '_ {
        ShapeOf(self)
    }
}

struct ShapeOf<'a>(&'a MmaFacts);
impl fmt::Display for ShapeOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.0.print_shape)(f)
    }
}
