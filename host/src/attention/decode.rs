//! Decoding on a device: one query per head and sequence, or more with latent attention. Keys and
//! values are in pages of a cache.
//!
//! ```text
//!   page_table([(length, pages), ..]) ─► lengths, table ─ upload ─► PagedKeys
//!   HeadTensor q, k, v, HeadTensorMut o, PagedKeys ─ problem ─► DecodeProblem ─ a kernel's plan ─► prepare ─► PreparedDecode: two launches
//!
//!   k, v of q's type                 scales: None
//!   k, v of FloatE4M3                scales: Some(CacheScales { k, v })       an element is its bits times its scale
//!
//!   k, k.first_columns(512)          latent attention: V is a part of K's rows
//! ```

use super::arguments::{Bound, BoundLaunch, bind, nothing, unbound};
use super::operands::equal;
use super::{AttentionElement, AttentionError, CachedElement, HeadTensor, HeadTensorMut};
use crate::args::{Argument, ByValue, KernelArg};
use crate::buffer::{Buffer, View, ViewMut};
use crate::device::Device;
use crate::enqueue::{Enqueue, EnqueueOn, PreparedLaunch, enqueue_on_main};
use crate::error::Error;
use crate::kernel::{Kernel, Progress, Run};
use crate::launch::Launch;
use crate::queue::Queue;
use crate::workspace::Workspace;
use bytemuck::Pod;
use kernel_abi::attention::{AttentionArgument, CacheElement, DecodePlan, DecodeProblem};

/// The keys of each sequence, on the device.
///
/// Law: a length beyond the table's pages counts as all pages of the table, and a page that the
/// cache does not have has keys and values of zeros, so that no kernel leaves its tensors.
/// [`page_table`] refuses such a length and such a page.
#[derive(Clone, Copy, Debug)]
pub struct PagedKeys<'a> {
    /// The number of keys of each sequence.
    pub lengths: View<'a, u32>,
    /// The pages of each sequence in the order of its keys, (sequences, pages of a sequence at
    /// most). Pages after a sequence's last key are not read.
    pub table: View<'a, u32>,
}

/// The lengths and the page table of sequences on the host, which [`page_table`] has checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageTable {
    lengths: Vec<u32>,
    table: Vec<u32>,
}

impl PageTable {
    /// Returns the number of keys of each sequence.
    #[must_use]
    pub fn lengths(&self) -> &[u32] {
        &self.lengths
    }

    /// Returns the pages of each sequence, (sequences, pages of the longest), with [`u32::MAX`]
    /// after a sequence's last page.
    #[must_use]
    pub fn table(&self) -> &[u32] {
        &self.table
    }
}

/// Returns the page table of `sequences`, each given by its number of keys and its pages. The cache
/// has `pages` pages of `page_size` keys.
///
/// ```
/// use host::attention::page_table;
/// let of = page_table(&[(40, &[7, 2, 9]), (0, &[]), (16, &[0])], 16, 10).unwrap();
/// assert_eq!(of.lengths(), [40, 0, 16]);
/// let none = u32::MAX;
/// assert_eq!(of.table(), [7, 2, 9, none, none, none, 0, none, none]);
///
/// let said = page_table(&[(40, &[7, 2])], 16, 10).unwrap_err().to_string();
/// assert_eq!(said, "sequence 0 has 40 keys, which are 3 pages of 16; it has 2");
/// let said = page_table(&[(16, &[7]), (16, &[10])], 16, 10).unwrap_err().to_string();
/// assert_eq!(said, "page 0 of sequence 1 is 10; the cache has 10");
/// ```
///
/// # Errors
/// Returns [`AttentionError::TooFewPages`] if a sequence has more keys than its pages can hold, or
/// [`AttentionError::NoSuchPage`] for a page that the cache does not have.
pub fn page_table(
    sequences: &[(u32, &[u32])],
    page_size: u32,
    pages: u32,
) -> Result<PageTable, AttentionError> {
    let columns = sequences.iter().map(|(_, of)| of.len()).max();
    let columns = columns.unwrap_or(0).max(1);
    let mut table = Vec::with_capacity(sequences.len() * columns);
    for (sequence, &(length, of)) in sequences.iter().enumerate() {
        let needed = u64::from(length).div_ceil(u64::from(page_size.max(1)));
        if needed > of.len() as u64 {
            return Err(AttentionError::TooFewPages {
                sequence,
                length,
                page_size,
                needed,
                found: of.len(),
            });
        }
        if let Some((index, &page)) = of.iter().enumerate().find(|(_, page)| **page >= pages) {
            return Err(AttentionError::NoSuchPage {
                sequence,
                index,
                page,
                pages,
            });
        }
        table.extend_from_slice(of);
        table.resize((sequence + 1) * columns, u32::MAX);
    }
    Ok(PageTable {
        lengths: sequences.iter().map(|of| of.0).collect(),
        table,
    })
}

/// The factors by which the elements of a cache in e4m3 are multiplied: K has one factor and V has
/// one, or each key head of K and each key head of V has its own.
///
/// Law: scales are above 0.
#[derive(Clone, Copy, Debug)]
pub struct CacheScales<'a> {
    /// The factors of K.
    pub k: View<'a, f32>,
    /// The factors of V.
    pub v: View<'a, f32>,
}

/// The tensors of decoding. Q and O have elements of `T`, and the cache has elements of `C`.
#[derive(Debug)]
pub struct DecodeOperands<'a, T: AttentionElement, C: CachedElement<T> = T> {
    /// Q, (sequences, heads, 1, D). With latent attention it has as many rows as a sequence has
    /// queries, and each query's heads follow those of the preceding query:
    /// [`Heads::interleaved`](super::Heads::interleaved).
    pub q: HeadTensor<'a, T>,
    /// K, (pages, key heads, page size, D).
    pub k: HeadTensor<'a, C>,
    /// V, with K's extents. With latent attention it is K's
    /// [`first_columns`](HeadTensor::first_columns).
    pub v: HeadTensor<'a, C>,
    /// The scales of a cache in e4m3, or `None` if K and V have Q's type.
    pub scales: Option<CacheScales<'a>>,
    /// O, with Q's extents except for the number of columns, which is V's.
    pub o: HeadTensorMut<'a, T>,
    /// The log-sum-exp of each row, (sequences, queries, heads), compact.
    pub lse: Option<ViewMut<'a, f32>>,
    /// The keys of each sequence.
    pub keys: PagedKeys<'a>,
}

/// A plan's launches on given tensors, and the scratch buffer for the partial results that pass
/// between the launches. The value keeps the tensors borrowed.
pub struct PreparedDecode<'a> {
    launches: [BoundLaunch<'a>; 2],
    /// The scratch buffer, if it is not the caller's.
    _scratch: Option<Buffer<u8>>,
}

impl PreparedDecode<'_> {
    /// Returns the launches in their order: the launch for the blocks of keys, and the launch that
    /// combines the partial results.
    #[must_use]
    pub fn launches(&self) -> [&Launch; 2] {
        self.launches.each_ref().map(PreparedLaunch::launch)
    }

    /// Makes the launches once, in their order, and waits for their end.
    ///
    /// # Errors
    /// Returns [`Error::Fault`] if a kernel fails.
    pub fn run(&self, progress: Option<Progress<'_>>) -> Result<[Run; 2], Error> {
        let [attention, combine] = &self.launches;
        Ok([attention.run(progress)?, combine.run(progress)?])
    }
}

impl EnqueueOn for PreparedDecode<'_> {
    unsafe fn enqueue_on(&self, queue: &Queue) -> Result<(), Error> {
        let mut launches = self.launches.iter();
        // SAFETY: the caller guarantees the conditions of `enqueue_on` (`# Safety`) for the whole
        // work, whose buffers are those of both launches.
        launches.try_for_each(|launch| unsafe { launch.enqueue_on(queue) })
    }
}

impl Enqueue for PreparedDecode<'_> {
    fn enqueue(&self) -> Result<(), Error> {
        enqueue_on_main(self)
    }
    fn device(&self) -> &Device {
        self.launches[0].device()
    }
}

impl<'a, T: AttentionElement, C: CachedElement<T>> DecodeOperands<'a, T, C> {
    /// Returns the head dimension.
    #[must_use]
    pub fn problem_dim(&self) -> u32 {
        self.q.extents.columns
    }

    /// Whether V is the first columns of K's rows.
    fn is_latent(&self) -> bool {
        let (k, v) = (&self.k, &self.v);
        let same_rows = k.view.address() == v.view.address() && k.strides == v.strides;
        same_rows && v.extents.columns < k.extents.columns
    }

    /// Returns the problem that the tensors describe.
    ///
    /// # Errors
    /// Returns an [`AttentionError`] with the tensors and the values, if the tensors do not fit
    /// together.
    pub fn problem(&self, scale: f32) -> Result<DecodeProblem, AttentionError> {
        let (q, k, v, o) = (
            self.q.extents,
            self.k.extents,
            self.v.extents,
            self.o.extents,
        );
        for (first, of, second, by) in [("O", o, "Q", q), ("V", v, "K", k)] {
            equal("batches", (first, of.batches), (second, by.batches))?;
            equal("heads", (first, of.heads), (second, by.heads))?;
            equal("rows", (first, of.rows), (second, by.rows))?;
        }
        if self.is_latent() {
            equal("columns", ("O", o.columns), ("V", v.columns))?;
        } else {
            equal("columns", ("O", o.columns), ("Q", q.columns))?;
            equal("columns", ("V", v.columns), ("K", k.columns))?;
            equal("rows", ("Q", q.rows), ("a sequence that is decoded", 1))?;
        }
        equal("columns", ("K", k.columns), ("Q", q.columns))?;
        for (name, extents, strides, found) in [
            ("Q", q, &self.q.strides, self.q.view.len()),
            ("K", k, &self.k.strides, self.k.view.len()),
            ("V", v, &self.v.strides, self.v.view.len()),
            ("O", o, &self.o.strides, self.o.view.len()),
        ] {
            let needed = extents.reach(strides);
            if needed > found as u64 {
                return Err(AttentionError::Reach {
                    name,
                    needed,
                    found,
                });
            }
        }
        if let Some(lse) = &self.lse {
            let expected = u64::from(q.batches) * u64::from(q.heads) * u64::from(q.rows);
            if lse.len() as u64 != expected {
                return Err(AttentionError::Lse {
                    found: lse.len(),
                    expected,
                });
            }
        }
        let (lengths, table) = (self.keys.lengths.len(), self.keys.table.len());
        if lengths as u64 != u64::from(q.batches) {
            return Err(AttentionError::Lengths {
                found: lengths,
                expected: q.batches,
            });
        }
        let columns = table.checked_div(lengths).unwrap_or(0);
        if columns * lengths != table {
            return Err(AttentionError::Table {
                found: table,
                sequences: q.batches,
            });
        }
        Ok(DecodeProblem {
            element: T::TYPE,
            cache: C::CACHE,
            scales_of_heads: self.check_scales()?,
            sequences: q.batches,
            heads: q.heads,
            key_heads: k.heads,
            dim: q.columns,
            dim_v: v.columns,
            queries: q.rows,
            page_size: k.rows,
            pages: k.batches,
            // A plan refuses every number of pages that does not fit in 32 bits, and so refuses
            // `u32::MAX`.
            table_pages: u32::try_from(columns).unwrap_or(u32::MAX),
            scale,
            lse: self.lse.is_some(),
            strides: [
                self.q.strides,
                self.k.strides,
                self.v.strides,
                self.o.strides,
            ],
        })
    }

    /// Checks that a cache in e4m3 has the same number of scales for K and for V, and that another
    /// cache has no scales. Returns whether there are several key heads and each has its own scale.
    fn check_scales(&self) -> Result<bool, AttentionError> {
        let key_heads = self.k.extents.heads;
        let (k, v) = match (C::CACHE, &self.scales) {
            (CacheElement::OfQueries, None) => return Ok(false),
            (CacheElement::OfQueries, Some(_)) => return Err(AttentionError::NoScales),
            (CacheElement::E4m3, None) => (0, 0),
            (CacheElement::E4m3, Some(of)) => (of.k.len(), of.v.len()),
        };
        for (name, found) in [("K", k), ("V", v)] {
            if found != k || (found != 1 && found as u64 != u64::from(key_heads)) {
                return Err(AttentionError::CacheScales {
                    name,
                    found,
                    key_heads,
                });
            }
        }
        Ok(k > 1)
    }

    /// Binds the tensors to the launches of a plan by its two kernels: the kernel for the blocks of
    /// keys, and the kernel that combines the partial results.
    ///
    /// # Errors
    /// Returns [`AttentionError::OtherDecoding`] if the plan is for other tensors. Returns
    /// [`AttentionError::Host`] for a launch that is refused.
    pub fn prepare(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        self.bind(kernels, plan, None)
    }

    /// Binds the tensors to the launches of a plan by its two kernels. The partial results are in
    /// this workspace, and the call allocates nothing.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare), and [`AttentionError::Host`] for a
    /// workspace with fewer bytes than [`DecodePlan::scratch_bytes`].
    pub fn prepare_in(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
        workspace: &'a mut Workspace,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        self.bind_in_workspace(kernels, plan, None, workspace)
    }

    /// Binds the tensors to the launches of a plan by its two kernels. The first kernel has a soft
    /// cap or a score function of the caller's. `score` is the value that the function receives:
    /// the kernel's last argument.
    ///
    /// # Errors
    /// Returns the errors of [`prepare`](Self::prepare). A kernel without this last argument, or
    /// whose last argument has another size, is refused.
    pub fn prepare_with<S: Pod>(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
        score: ByValue<S>,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        self.bind(kernels, plan, Some(score.lower()))
    }

    /// Binds the tensors to a plan's launches as [`prepare_with`](Self::prepare_with) does, with
    /// the partial results in this workspace as [`prepare_in`](Self::prepare_in) does.
    ///
    /// # Errors
    /// Returns the errors of these two functions.
    pub fn prepare_with_in<S: Pod>(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
        score: ByValue<S>,
        workspace: &'a mut Workspace,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        self.bind_in_workspace(kernels, plan, Some(score.lower()), workspace)
    }

    /// Binds the tensors to a plan's launches, with the caller's workspace as scratch.
    fn bind_in_workspace(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
        score: Option<Argument>,
        workspace: &'a mut Workspace,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        let bytes = usize::try_from(plan.scratch_bytes()).unwrap_or(usize::MAX);
        let scratch = workspace.ready(kernels[0].device(), bytes, 0)?;
        self.bind_in(kernels, plan, score, &scratch.view.lower())
    }

    /// Binds the tensors to a plan's launches, with newly allocated scratch. `score` follows the
    /// other arguments of the first launch.
    fn bind(
        self,
        kernels: [&Kernel; 2],
        plan: &DecodePlan,
        score: Option<Argument>,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        // A number of bytes beyond `usize` becomes `usize::MAX`, which the allocation refuses.
        let bytes = usize::try_from(plan.scratch_bytes()).unwrap_or(usize::MAX);
        let mut scratch = kernels[0].device().alloc::<u8>(bytes)?;
        let lowered = scratch.all_mut().lower();
        let prepared = self.bind_in(kernels, plan, score, &lowered)?;
        Ok(PreparedDecode {
            _scratch: Some(scratch),
            ..prepared
        })
    }

    /// Binds the tensors and the scratch to a plan's launches.
    fn bind_in(
        self,
        [attention, combine]: [&Kernel; 2],
        plan: &DecodePlan,
        score: Option<Argument>,
        scratch: &Argument,
    ) -> Result<PreparedDecode<'a>, AttentionError> {
        let found = self.problem(plan.problem().scale)?;
        if found != *plan.problem() {
            return Err(AttentionError::OtherDecoding {
                found: Box::new(found),
                planned: Box::new(*plan.problem()),
            });
        }
        let lse_offset = plan.lse_offset();
        let [q, k, v] = plan.maps();
        let of_both = |argument| {
            Ok(match argument {
                AttentionArgument::O => self.o.view.lower().into(),
                AttentionArgument::Lse => match &self.lse {
                    Some(lse) => lse.lower().into(),
                    None => nothing::<f32>(attention.device())?.into(),
                },
                AttentionArgument::Params => Bound::words(plan.params().to_u64s()),
                AttentionArgument::KeyLengths => self.keys.lengths.lower().into(),
                AttentionArgument::Decode => Bound::words(plan.decode().to_u64s()),
                other => return Err(unbound(other)),
            })
        };
        let scales = self.scales.zip(plan.scales());
        let of_cap = score.clone();
        let of_keys = |argument| {
            Ok(match (argument, &scales) {
                (AttentionArgument::MapQ, _) => Bound::map(&self.q.view, q)?,
                (AttentionArgument::MapK, _) => Bound::map(&self.k.view, k)?,
                (AttentionArgument::MapV, _) => Bound::map(&self.v.view, v)?,
                (AttentionArgument::PageTable, _) => self.keys.table.lower().into(),
                (AttentionArgument::PartO, _) => scratch.bytes_from(0, true).into(),
                (AttentionArgument::PartLse, _) => scratch.bytes_from(lse_offset, true).into(),
                (AttentionArgument::ScalesOfK, Some((of, [k, _]))) => Bound::read(&of.k, k),
                (AttentionArgument::ScalesOfV, Some((of, [_, v]))) => Bound::read(&of.v, v),
                (AttentionArgument::SoftCap, _) => {
                    of_cap.clone().ok_or_else(|| unbound(argument))?.into()
                }
                (other, _) => return of_both(other),
            })
        };
        let of_parts = |argument| match argument {
            AttentionArgument::PartO => Ok(scratch.bytes_from(0, false).into()),
            AttentionArgument::PartLse => Ok(scratch.bytes_from(lse_offset, false).into()),
            other => of_both(other),
        };
        let list = plan.arguments();
        // If the list has no argument for the soft cap, `score` follows the list's arguments.
        let score = score.filter(|_| list.place(AttentionArgument::SoftCap).is_none());
        Ok(PreparedDecode {
            launches: [
                bind(attention, plan.attention(), list, of_keys, score)?,
                bind(
                    combine,
                    plan.combine(),
                    plan.combine_arguments(),
                    of_parts,
                    None,
                )?,
            ],
            _scratch: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Heads;
    use super::*;
    use half::f16;

    const QUERIES: Heads = Heads {
        batches: 3,
        heads: 4,
        rows: 1,
        columns: 64,
    };
    const CACHE: Heads = Heads {
        batches: 10,
        heads: 2,
        rows: 16,
        columns: 64,
    };

    /// Returns the problem of tensors that `change` has changed, with a page table of `table`
    /// elements.
    fn problem(
        table: usize,
        change: impl FnOnce(&mut DecodeOperands<'_, f16>),
    ) -> Result<DecodeProblem, String> {
        let device = Device::emulator();
        let room = device.alloc::<f16>(10 * 2 * 16 * 64).unwrap();
        let mut o = device.alloc::<f16>(3 * 4 * 64).unwrap();
        let mut lse = device.alloc::<f32>(3 * 4).unwrap();
        let numbers = device.alloc::<u32>(15).unwrap();
        let mut operands = DecodeOperands {
            q: HeadTensor::new(&room, QUERIES),
            k: HeadTensor::new(&room, CACHE),
            v: HeadTensor::new(&room, CACHE).strides(CACHE.interleaved()),
            scales: None,
            o: HeadTensorMut::new(&mut o, QUERIES),
            lse: Some(lse.all_mut()),
            keys: PagedKeys {
                lengths: numbers.view(0..3).unwrap(),
                table: numbers.view(0..table).unwrap(),
            },
        };
        change(&mut operands);
        operands.problem(0.5).map_err(|error| error.to_string())
    }

    #[test]
    fn tensors_state_their_problem() {
        let found = problem(15, |_| {}).unwrap();
        assert_eq!((found.sequences, found.heads, found.key_heads), (3, 4, 2));
        assert_eq!(
            (found.page_size, found.pages, found.table_pages),
            (16, 10, 5)
        );
        assert_eq!(found.strides[2], CACHE.interleaved());
    }

    #[test]
    fn tensors_that_do_not_fit_are_named() {
        let said = |change: fn(&mut DecodeOperands<'_, f16>)| problem(15, change).unwrap_err();
        for (found, expected) in [
            (
                said(|of| of.v.extents.rows = 8),
                "V has 8 rows, K has 16: they must be equal",
            ),
            (
                said(|of| of.q.extents.columns = 128),
                "O has 64 columns, Q has 128: they must be equal",
            ),
            (
                said(|of| (of.q.extents.rows, of.o.extents.rows) = (2, 2)),
                "Q has 2 rows, a sequence that is decoded has 1: they must be equal",
            ),
            (
                said(|of| of.k.strides.batch = 3000),
                "K reaches over 29048 elements; its buffer has 20480",
            ),
            (
                said(|of| of.keys.lengths = of.keys.table),
                "there are 15 lengths; there are 3 sequences",
            ),
            (
                problem(14, |_| {}).unwrap_err(),
                "the page table has 14 elements, which are not as many for each of 3 sequences",
            ),
        ] {
            assert_eq!(found, expected);
        }
    }
}
