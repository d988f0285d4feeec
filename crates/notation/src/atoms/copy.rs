//! Copy operations and copy atoms by CuTe's name.
//!
//! ```text
//! SM75_U32x4_LDSM_N                  the operation: threads, layouts in bits
//! Copy_Atom<SM75_U32x4_LDSM_N, f16>  the atom: the same layouts in elements
//! UniversalCopy<u128>                an operation of one thread, which moves 128 bits
//! ```
//!
//! Law: a copy atom's layouts are those of the operation, converted from bits to elements. Source:
//! CuTe `cute/atom/copy_traits*.hpp`.

use std::fmt;

use layout_types::atom::copy as types;
use layout_types::atom::{CopyAtom as CopyAtomType, LayoutFacts};
use layout_types::dynamic::{DynLayout, upcast};

use super::{Element, cute_name, printed};
use crate::tiled::TileError;

/// A copy instruction: CuTe's `Copy_Traits`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyOperation {
    name: String,
    ptx: &'static str,
    thr_id: DynLayout,
    /// The layouts (thread, bit) of source, destination and reference.
    bits: [DynLayout; 3],
}

/// The facts that the type of an operation provides.
#[derive(Clone, Copy)]
struct Facts {
    name: &'static str,
    ptx: &'static str,
    thr_id: LayoutFacts,
    bits: [LayoutFacts; 3],
}

const fn facts<Op: CopyAtomType>() -> Facts {
    Facts {
        name: Op::NAME,
        ptx: Op::PTX,
        thr_id: LayoutFacts::of::<Op::ThrId>(),
        bits: [
            LayoutFacts::of::<Op::SrcLayout>(),
            LayoutFacts::of::<Op::DstLayout>(),
            LayoutFacts::of::<Op::RefLayout>(),
        ],
    }
}

/// All operations that the threads of a warp execute together.
const WARP: &[Facts] = &[
    facts::<types::Sm75_U32x1_LDSM_N>(),
    facts::<types::Sm75_U32x2_LDSM_N>(),
    facts::<types::Sm75_U32x4_LDSM_N>(),
    facts::<types::Sm75_U16x2_LDSM_T>(),
    facts::<types::Sm75_U16x4_LDSM_T>(),
    facts::<types::Sm75_U16x8_LDSM_T>(),
    facts::<types::Sm75_U32x1_MOVM_T>(),
    facts::<types::Sm90_U32x1_STSM_N>(),
    facts::<types::Sm90_U32x2_STSM_N>(),
    facts::<types::Sm90_U32x4_STSM_N>(),
    facts::<types::Sm90_U16x2_STSM_T>(),
    facts::<types::Sm90_U16x4_STSM_T>(),
    facts::<types::Sm90_U16x8_STSM_T>(),
];

/// All operations of one thread: the facts of each at one width, and the widths in bits at which
/// the operation exists.
const THREAD: &[(Facts, &[u32])] = &[
    (
        facts::<types::UniversalCopy<u8>>(),
        &[1, 4, 8, 16, 32, 64, 128],
    ),
    (
        facts::<types::Sm80_CP_ASYNC_CACHEALWAYS<u32>>(),
        &[32, 64, 128],
    ),
    (
        facts::<types::Sm80_CP_ASYNC_CACHEALWAYS_ZFILL<u32>>(),
        &[32, 64, 128],
    ),
    (facts::<types::Sm80_CP_ASYNC_CACHEGLOBAL<u128>>(), &[128]),
    (
        facts::<types::Sm80_CP_ASYNC_CACHEGLOBAL_ZFILL<u128>>(),
        &[128],
    ),
    (
        facts::<types::AutoVectorizingCopyWithAssumedAlignment<8>>(),
        &[8, 16, 32, 64, 128],
    ),
];

impl CopyOperation {
    /// Returns the warp's operation with this name, or `None` if no operation has it.
    /// `AutoVectorizingCopy` and `DefaultCopy` name operations of one thread, at their default
    /// widths.
    ///
    /// ```
    /// use notation::CopyOperation;
    /// let ldmatrix = CopyOperation::named("SM75_U32x4_LDSM_N").unwrap();
    /// assert_eq!(ldmatrix.source().to_string(), "(32,128):(128,1)");
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "AutoVectorizingCopy" => {
                return Self::of_thread("AutoVectorizingCopyWithAssumedAlignment", 128);
            }
            "DefaultCopy" => return Self::of_thread("AutoVectorizingCopyWithAssumedAlignment", 8),
            _ => {}
        }
        let name = cute_name(name);
        WARP.iter()
            .find(|facts| facts.name == name)
            .map(|facts| Self {
                name: facts.name.to_string(),
                ptx: facts.ptx,
                thr_id: printed(&facts.thr_id),
                bits: [0, 1, 2].map(|i| printed(&facts.bits[i])),
            })
    }

    /// Whether this is the name of an operation of one thread, which needs a width.
    pub(crate) fn needs_width(name: &str) -> bool {
        let name = cute_name(name);
        THREAD.iter().any(|(facts, _)| facts.name == name)
    }

    /// Returns the operation of one thread with this name that moves `bits` bits, or `None` if
    /// there is no such operation.
    ///
    /// ```
    /// use notation::CopyOperation;
    /// assert_eq!(CopyOperation::of_thread("UniversalCopy", 128).unwrap().source().to_string(), "(1,128):(0,1)");
    /// assert!(CopyOperation::of_thread("SM80_CP_ASYNC_CACHEGLOBAL", 64).is_none());
    /// ```
    pub fn of_thread(name: &str, bits: u32) -> Option<Self> {
        let name = cute_name(name);
        let (facts, _) = THREAD
            .iter()
            .find(|(facts, widths)| facts.name == name && widths.contains(&bits))?;
        let moved: DynLayout = format!("(1,{bits}):(0,1)")
            .parse()
            .expect("CuTe's notation");
        Some(Self {
            name: format!("{}<{bits} bits>", facts.name),
            ptx: facts.ptx,
            thr_id: printed(&facts.thr_id),
            bits: [moved.clone(), moved.clone(), moved],
        })
    }

    /// Returns the operation with another name.
    pub(crate) fn renamed(mut self, name: String) -> Self {
        self.name = name;
        self
    }

    /// Returns CuTe's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the PTX instruction, which is empty for plain loads and stores.
    pub fn ptx(&self) -> &str {
        self.ptx
    }

    /// Returns CuTe's `ThrID`.
    pub fn thr_id(&self) -> &DynLayout {
        &self.thr_id
    }

    /// Returns the layout (thread, bit) of the source.
    pub fn source(&self) -> &DynLayout {
        &self.bits[0]
    }

    /// Returns the layout (thread, bit) of the destination.
    pub fn destination(&self) -> &DynLayout {
        &self.bits[1]
    }

    /// Returns the layout (thread, bit) of the fragment.
    pub fn reference(&self) -> &DynLayout {
        &self.bits[2]
    }
}

impl fmt::Display for CopyOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A copy operation that moves elements of one type: CuTe's `Copy_Atom`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CopyAtom {
    operation: CopyOperation,
    element: Element,
    values: [DynLayout; 3],
}

impl CopyAtom {
    /// Applies the operation to elements of this type.
    ///
    /// # Errors
    /// Returns an error if the bits of an element and the operation's strides do not divide each
    /// other, or if a side in elements does not have the operation's threads (the `static_assert`s
    /// of CuTe's `Copy_Atom`).
    ///
    /// ```
    /// use notation::{CopyAtom, CopyOperation, Element};
    /// let ldmatrix = CopyOperation::named("SM75_U32x4_LDSM_N").unwrap();
    /// let atom = CopyAtom::new(ldmatrix, Element::named("f16").unwrap()).unwrap();
    /// assert_eq!(atom.destination().to_string(), "(32,(2,4)):(2,(1,64))");
    /// ```
    pub fn new(operation: CopyOperation, element: Element) -> Result<Self, TileError> {
        let in_elements = |bits: &DynLayout| upcast(bits, i64::from(element.bits()));
        let values = [
            in_elements(operation.source())?,
            in_elements(operation.destination())?,
            in_elements(operation.reference())?,
        ];
        let threads = operation.thr_id.size()?;
        for (side, layout) in ["source", "destination", "fragment"].iter().zip(&values) {
            let places = layout.mode(0).map_or(Ok(1), |mode| mode.size())?;
            if places != threads {
                return Err(TileError::Atoms(format!(
                    "`{operation}` does not move elements of {} bits: its {side} has places for {places} threads, and it is \
                     done by {threads} together",
                    element.bits()
                )));
            }
        }
        Ok(Self {
            operation,
            element,
            values,
        })
    }

    /// Returns the operation.
    pub fn operation(&self) -> &CopyOperation {
        &self.operation
    }

    /// Returns the type of the elements.
    pub fn element(&self) -> Element {
        self.element
    }

    /// Returns CuTe's `ValLayoutSrc`: the layout (thread, value) of the source.
    pub fn source(&self) -> &DynLayout {
        &self.values[0]
    }

    /// Returns CuTe's `ValLayoutDst`: the layout (thread, value) of the destination.
    pub fn destination(&self) -> &DynLayout {
        &self.values[1]
    }

    /// Returns CuTe's `ValLayoutRef`: the layout (thread, value) of the fragment.
    pub fn reference(&self) -> &DynLayout {
        &self.values[2]
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> i64 {
        self.operation.thr_id.size().unwrap_or(1)
    }

    /// Returns the number of values that a thread holds in a (thread, value) layout.
    pub(crate) fn values_of(layout: &DynLayout) -> i64 {
        layout
            .mode(1)
            .and_then(|values| values.size().ok())
            .unwrap_or(1)
    }
}

impl fmt::Display for CopyAtom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Copy_Atom<{}, {}>", self.operation, self.element)
    }
}

/// Implements [`copy_names`](super::copy_names).
pub(super) fn names() -> Vec<&'static str> {
    let thread = THREAD.iter().map(|(facts, _)| facts.name);
    WARP.iter().map(|facts| facts.name).chain(thread).collect()
}
