//! A launch: the data that all its blocks share, and the places of its faults.
//!
//! ```text
//! clusters of the grid ─► blocks of a cluster ─► threads of a block       numbers and coordinates
//! site of an instruction ─► place in the PTX and the source ─► Fault
//! ```

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use super::Trap;
use super::dependents::Dependence;
use super::provenance::Provenance;
use super::run::Site;
use crate::accept::Acceptable;
use crate::address::{MOST_OWNED, OWNER_SHIFT};
use crate::config::Config;
use crate::fault::{Buffer, Fault, FaultKind, TensorShape, meant};
use crate::frame::WARP;
use crate::ir::{Asynchrony, Image, Kernel, Op, Place};
use crate::memory::footprint::Footprint;
use crate::memory::global::Global;
use crate::memory::heap::Heap;
use crate::memory::history::History;
use crate::memory::races::Races;
use crate::memory::releases::Published;
use crate::memory::texture::Textures;
use crate::place::{CodePlace, Frame, own_frame};

/// The data of a launch, which are the same for all blocks.
#[derive(Debug)]
pub(crate) struct LaunchState {
    pub image: Arc<Image>,
    /// The kernel's index in `Image::kernels`.
    pub kernel: usize,
    pub config: Config,
    pub global: Global,
    pub textures: Textures,
    pub heap: Option<Arc<Heap>>,
    /// The blocks that used each place of global memory, if this is checked.
    pub races: Option<Races>,
    /// Whether the order of threads is followed for global memory.
    pub follows: bool,
    /// The threads of all blocks that used each place, and what these threads released, if blocks
    /// may communicate and run in order.
    pub published: Option<Mutex<Published>>,
    /// The knowledge about the previous and the next launch, if they may be under way at the same
    /// time.
    pub dependence: Dependence,
    /// The bytes that are read through `ld.global.nc` and those that are written, for a kernel that
    /// does both.
    pub non_coherent: Option<Footprint>,
    /// The objects that addresses may point to, if this is checked.
    pub provenance: Provenance,
    /// The address of each variable of the module.
    pub variables: Vec<u64>,
    pub parameters: Vec<u8>,
    pub grid: [u32; 3],
    /// The number of clusters that have begun or are cancelled: the next cluster has this number.
    pub begun: AtomicU64,
    /// The number of blocks of a cluster in x, y and z; `ranks` is their product.
    pub cluster: [u32; 3],
    pub ranks: u32,
    /// Whether the launch or the kernel specifies a cluster.
    pub explicit_cluster: bool,
    pub block: [u32; 3],
    pub threads: u32,
    pub warps: u32,
    pub shared_bytes: usize,
    pub dynamic_shared: usize,
    pub grid_id: u64,
    /// The address of the memory by which the blocks of a cooperative launch synchronise; 0 in
    /// another launch.
    pub workspace: u64,
    /// The registers that each thread begins with, if the kernel specifies them; 0 if `setmaxnreg`
    /// has no effect.
    pub registers: u32,
    /// The number of each function's first instruction in the numbering of
    /// [`packed`](Self::packed).
    pub code_starts: Vec<u32>,
    /// The tensors that the host has described, by their buffer's address.
    pub tensors: BTreeMap<u64, TensorShape>,
}

/// Returns the number of each function's first instruction, counted over all functions before it.
pub(crate) fn code_starts(image: &Image) -> Vec<u32> {
    let lengths = image.functions.iter().map(|f| f.code.len() as u32);
    lengths
        .scan(0u32, |end, length| {
            let start = *end;
            *end += length;
            Some(start)
        })
        .collect()
}

impl LaunchState {
    /// Returns the number of an instruction in the whole image, which is never 0.
    #[inline(always)]
    pub fn packed(&self, site: Site) -> u32 {
        self.code_starts[site.function as usize] + site.pc + 1
    }

    /// Returns the instruction of a [`packed`](Self::packed) number, or `None` for 0.
    pub fn unpacked(&self, packed: u32) -> Option<Site> {
        let index = packed.checked_sub(1)?;
        let function = self.code_starts.partition_point(|&start| start <= index) - 1;
        // Functions without instructions begin where the next one does; the last function is then
        // the right one.
        Some(Site {
            function: function as u32,
            pc: index - self.code_starts[function],
        })
    }

    /// Returns the number of a thread in the block.
    pub fn thread_number(&self, [x, y, z]: [u32; 3]) -> u32 {
        x + self.block[0] * (y + self.block[1] * z)
    }

    /// Returns the bits that mark generic addresses of a thread's local memory, by the thread's
    /// number in its block.
    pub fn local_owner(&self, thread: u32) -> u32 {
        match self.config.local_per_thread <= MOST_OWNED {
            true => (thread + 1) << OWNER_SHIFT,
            false => 0,
        }
    }

    /// Whether a conflict in shared memory is between threads of one warp.
    pub fn within_a_warp(&self, warp: u32, what: &FaultKind) -> bool {
        let other = match what {
            FaultKind::Race {
                other,
                block: None,
                slot: None,
                ..
            }
            | FaultKind::ThreadRace {
                other, block: None, ..
            } => *other,
            _ => return false,
        };
        self.thread_number(other) / WARP as u32 == warp % self.warps
    }

    /// Whether the previous launch may still be under way, or the next one may begin before this
    /// one ends.
    #[inline(always)]
    pub fn is_in_chain(&self) -> bool {
        self.dependence.own.is_some() || self.dependence.before.is_some()
    }

    /// Creates an empty record of the blocks that use global memory, for blocks at the same time or
    /// one after the other. Returns `None` if this is not checked.
    pub fn record(&self, parallel: bool) -> Option<Races> {
        let kernel = self.kernel();
        let communicates = kernel.communicates;
        if self.published.is_some() {
            return None;
        }
        self.config
            .check_global_races
            .then(|| {
                let granule = kernel.global_granule;
                let parallel = parallel && !communicates;
                Races::new(&self.global, granule, self.units(), communicates, parallel)
            })
            .flatten()
    }

    /// Creates an empty record of all blocks' threads, for a kernel whose blocks may communicate.
    pub fn publishes(&self) -> Option<Mutex<Published>> {
        let both = self.follows && self.kernel().communicates;
        both.then(|| Mutex::new(Published::new(History::new(true))))
    }

    /// Creates an empty record of what is read through `ld.global.nc` and of what is written, for a
    /// kernel that does both.
    pub fn read_only(&self) -> Option<Footprint> {
        let checked = self.config.check_global_races && self.kernel().non_coherent;
        checked.then(|| Footprint::new(String::new(), &self.global, None))
    }

    /// Returns the number of warp instructions that one block may execute.
    pub fn block_budget(&self) -> u64 {
        let config = &self.config;
        config
            .max_instructions_per_block
            .min(config.max_instructions_per_launch)
    }

    pub fn kernel(&self) -> &Kernel {
        &self.image.kernels[self.kernel].1
    }

    /// Returns the offset at which the system's part of shared memory begins, after the block's own
    /// bytes, if the kernel uses that part.
    pub fn system_shared(&self) -> Option<usize> {
        let asks = self.kernel().system_shared;
        asks.then(|| self.shared_bytes.next_multiple_of(128))
    }

    /// Returns the number of clusters in the grid; clusters are the units that are distributed.
    pub fn units(&self) -> u64 {
        self.blocks() / u64::from(self.ranks)
    }

    /// Returns the block of a rank in a cluster.
    pub fn block_of(&self, unit: u64, rank: u32) -> [u32; 3] {
        if self.ranks == 1 {
            return self.block_index(unit);
        }
        let clusters: [u64; 3] = std::array::from_fn(|i| u64::from(self.grid[i] / self.cluster[i]));
        let at = [
            unit % clusters[0],
            unit / clusters[0] % clusters[1],
            unit / (clusters[0] * clusters[1]),
        ];
        let [x, y, _] = self.cluster;
        let within = [rank % x, rank / x % y, rank / (x * y)];
        std::array::from_fn(|i| at[i] as u32 * self.cluster[i] + within[i])
    }

    /// Returns the rank of a block in its cluster.
    pub fn rank_of(&self, block: [u32; 3]) -> u32 {
        let [x, y, _] = self.cluster;
        let [i, j, k]: [u32; 3] = std::array::from_fn(|d| block[d] % self.cluster[d]);
        i + x * (j + y * k)
    }

    /// Returns the block of a rank in the cluster of another block.
    pub fn peer(&self, block: [u32; 3], rank: u32) -> [u32; 3] {
        let [x, y, _] = self.cluster;
        let within = [rank % x, rank / x % y, rank / (x * y)];
        std::array::from_fn(|i| block[i] / self.cluster[i] * self.cluster[i] + within[i])
    }

    /// Returns the coordinates of a thread in its block. Threads are counted over the whole warps
    /// of all blocks of the cluster.
    pub fn thread(&self, linear: u32) -> [u32; 3] {
        let linear = linear % (self.warps * WARP as u32);
        let [x, y, _] = self.block;
        [linear % x, linear / x % y, linear / (x * y)]
    }

    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|&n| u64::from(n)).product()
    }

    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [
            (linear % x) as u32,
            (linear / x % y) as u32,
            (linear / (x * y)) as u32,
        ]
    }

    /// Returns the operation of an instruction.
    pub fn operation(&self, site: Site) -> Option<&Op> {
        let function = &self.image.functions[site.function as usize];
        Some(&function.code.get(site.pc as usize)?.op)
    }

    /// Returns the opcode if the instruction is an asynchronous operation on shared memory.
    pub fn asynchronous(&self, site: Site) -> Option<String> {
        match self.operation(site)?.asynchrony() {
            Asynchrony::Synchronous => None,
            Asynchrony::Completes | Asynchrony::Scheduled => {
                Some(self.place(site).opcode.to_string())
            }
        }
    }

    /// Returns the opcode if the instruction is a `cp.async`.
    pub fn copies(&self, site: Site) -> Option<String> {
        let opcode = self.place(site).opcode.to_string();
        opcode.starts_with("cp.async").then_some(opcode)
    }

    pub fn linear(&self, block: [u32; 3]) -> u64 {
        let [x, y, _] = self.grid.map(u64::from);
        let [i, j, k] = block.map(u64::from);
        i + x * (j + y * k)
    }

    pub fn place(&self, site: Site) -> &Place {
        let site = self.in_code(site);
        let places = &self.image.functions[site.function as usize].places;
        &places[(site.pc as usize).min(places.len() - 1)]
    }

    /// Returns a site with an instruction: the kernel's first one for a warp whose function has
    /// none.
    fn in_code(&self, site: Site) -> Site {
        if self.image.functions[site.function as usize]
            .places
            .is_empty()
        {
            return Site {
                function: self.kernel().function,
                pc: 0,
            };
        }
        site
    }

    /// Returns the chain of inlined frames of a location; files of the launched kernel's crate
    /// count as own.
    fn frames(&self, location: u32) -> Vec<Frame> {
        let places = &self.image.functions[self.kernel().function as usize].places;
        let first = places.iter().find_map(|place| place.source);
        self.image.frames(location, first)
    }

    /// Names a site briefly: by the line of the kernel's own crate, or otherwise by the line of the
    /// PTX.
    pub fn named(&self, site: Site) -> String {
        let place = self.place(site);
        let frames = place
            .source
            .map_or(Vec::new(), |source| self.frames(source));
        match own_frame(&frames).map(|own| &frames[own]) {
            Some(frame) if frame.own => format!("{}:{}", frame.file, frame.line),
            _ => format!("PTX line {}", place.line),
        }
    }

    /// Returns an instruction's place for messages.
    fn code_place(&self, site: Site) -> CodePlace {
        let site = self.in_code(site);
        let place = self.place(site);
        let source = place.source;
        CodePlace {
            function: self.image.functions[site.function as usize].name.clone(),
            instruction: place.text.to_string(),
            line: place.line as usize,
            source_line: source.and_then(|source| self.image.source_line(source)),
            inlined: source.map_or(Vec::new(), |source| self.image.inlined(source)),
            frames: source.map_or(Vec::new(), |source| self.frames(source)),
        }
    }

    /// Creates a fault with its place.
    pub fn fault(&self, block: [u32; 3], warp: usize, trap: Trap, site: Site) -> Box<Fault> {
        let place = self.code_place(site);
        let thread = trap
            .lane
            .map(|lane| self.thread((warp * WARP + lane) as u32));
        let buffer = trap
            .address
            .filter(|_| trap.what.is_global())
            .and_then(|address| match &trap.what {
                // An address that is near no allocation belongs to none.
                FaultKind::Unmapped {
                    nearest, derived, ..
                } => meant(nearest, *derived).and_then(|(base, ..)| self.buffer(base)),
                _ => self.buffer(address),
            });
        let mut fault = Box::new(Fault {
            kernel: self.image.kernels[self.kernel].0.name.clone(),
            function: place.function,
            instruction: place.instruction,
            line: place.line,
            source_line: place.source_line,
            inlined: place.inlined,
            frames: place.frames,
            ptx: self.image.path.clone(),
            lacks_lines: self.image.lacks_lines,
            earlier: self
                .unpacked(trap.earlier)
                .map(|site| Box::new(self.code_place(site))),
            block,
            thread,
            warp: trap.lane.map(|_| warp as u32 % self.warps),
            lanes: trap.lanes,
            address: trap.address,
            buffer,
            what: trap.what,
            not_accepted: None,
        });
        // A rule that has only a line or an instruction may be meant for this finding, which no
        // rule can accept.
        if Acceptable::of(&fault.what).is_none() {
            let mut rules = self.config.accept.iter();
            let meant = rules.find(|rule| rule.kind.is_none() && rule.is_about(&fault));
            fault.not_accepted = meant.map(|rule| rule.reason.clone());
        }
        fault
    }
}

impl LaunchState {
    /// Describes the allocation of global memory that an address is meant for.
    fn buffer(&self, address: u64) -> Option<Buffer> {
        let living = self.global.find(address).and_then(|i| self.global.at(i));
        let (base, size, freed) = match (living, self.global.find_freed(address)) {
            (Some(found), _) => (found.base, found.size, false),
            (None, Some((base, size))) => (base, size, true),
            (None, None) => {
                let (base, size, _) = self.global.nearest(address)?;
                (base, size, false)
            }
        };
        let variable = self
            .variables
            .iter()
            .zip(&self.image.variables)
            .find(|(at, _)| **at == base)
            .map(|(_, variable)| format!("variable `{}`", variable.name));
        let (signature, kernel) = &self.image.kernels[self.kernel];
        let parameters: Vec<String> = signature
            .params
            .iter()
            .zip(&kernel.parameter_offsets)
            .filter(|(param, at)| {
                // Every pointer in a parameter counts, so that slices and structures are found too.
                self.parameters[**at..**at + param.size]
                    .chunks_exact(8)
                    .any(|bytes| bytes == base.to_le_bytes())
            })
            .map(|(param, _)| format!("parameter `{}`", param.name))
            .collect();
        let name = variable.or((!parameters.is_empty()).then(|| parameters.join(" and ")));
        Some(Buffer {
            base,
            size,
            freed,
            name,
            tensor: self.tensors.get(&base).cloned(),
        })
    }
}
