//! Packs the program's kernels into one file, from which other programs take them without a
//! toolchain.
//!
//! ```text
//!   first(), ptx(), sm90a() ─ each kernel's text ─┬─► kernel_pack::pack ─► kernels.pack ─► the package cutlet-kernels
//!   tables of gemm and attention ─────────────────┘
//! ```
//!
//! Law: unpacking a kernel of the file gives the PTX that [`alone`](super::alone) returns for its
//! name.

use super::module_text::{EVERY, HOPPER, entries_of, head_of};
use super::{KernelsNotBuilt, first, together};
use crate::{CutletError, attention, gemm, weights};
use host::Interface;
use kernel_abi::attention::AttentionLoads;
use kernel_abi::gemm::Configuration;
use kernel_pack::{KernelTables, PackSource};

/// Returns a row without [`Configuration::reads`], which is a function, and so cannot be in a file.
/// The kernels of a table do not need it: they read what the problem describes.
fn described(of: &Configuration) -> Configuration {
    Configuration { reads: None, ..*of }
}

/// Returns the tables of the program's kernels, which say what each computes, to be packed with the
/// kernels' PTX.
///
/// ```
/// use cutlet::kernels::{alone, first, pack_sources_of, pack_tables};
/// use kernel_pack::{Pack, PackQuality, pack};
/// let file = pack(&pack_sources_of(&[first()?])?, pack_tables(), PackQuality::Fast)?;
/// let pack = Pack::new(file.leak())?;
/// assert_eq!(Some(pack.kernel("vecadd").unwrap().ptx()?), alone("vecadd")?);
/// assert!(pack.tables().gemm.iter().all(|of| pack.kernel(of.kernel).is_some()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn pack_tables() -> KernelTables {
    let loads = [AttentionLoads::Tma, AttentionLoads::CpAsync];
    let forward = loads
        .into_iter()
        .flat_map(attention::forward_configurations_by);
    let backward = loads
        .into_iter()
        .flat_map(attention::gradient_configurations_by);
    KernelTables {
        gemm: gemm::CONFIGURATIONS.iter().map(described).collect(),
        attention: forward.copied().collect(),
        attention_fp8: attention::FP8_CONFIGURATIONS.to_vec(),
        decode: attention::decode_configurations(false).copied().collect(),
        soft_cap_decode: attention::decode_configurations(true).copied().collect(),
        backward: backward.copied().collect(),
        fused_backward: attention::FUSED_BACKWARD_CONFIGURATIONS.to_vec(),
        sink_gradients: vec![attention::SINK_GRADIENT],
        weights: (weights::MENUS.iter())
            .flat_map(|menu| menu.configurations)
            .copied()
            .collect(),
    }
}

/// Returns the kernels of some modules' texts, to be packed.
///
/// # Errors
/// Returns [`CutletError::Host`] if a text names no target.
pub fn pack_sources_of(modules: &[&str]) -> Result<Vec<PackSource>, CutletError> {
    let modules = modules.iter().map(|text| {
        let kernels = entries_of(text).into_iter();
        Ok(PackSource {
            target: Interface::read(text)?.target.to_string(),
            head: head_of(text).into(),
            kernels: kernels.map(|(of, text)| (of.into(), text.into())).collect(),
        })
    });
    modules.collect()
}

/// Returns the program's kernels, to be packed. Of each module they are the kernels that the build
/// embedded; if it embedded none, the whole module is built now. Kernels that are built one by one
/// ([`is_on_demand`]) are among them if `CUTLET_KERNELS` named them to the build ([`listed`]).
/// Kernels for `sm_100a` never are, since no card has run them.
///
/// [`is_on_demand`]: super::is_on_demand
///
/// # Errors
/// Returns [`CutletError::Kernels`] for the reasons of [`ptx`](super::ptx) and
/// [`sm90a`](super::sm90a).
pub fn pack_sources() -> Result<Vec<PackSource>, CutletError> {
    let mut modules = vec![first()?, EVERY.get()?];
    if HOPPER.why_not.is_empty() {
        modules.push(HOPPER.get()?);
    }
    pack_sources_of(&modules)
}

/// Returns the names of all kernels that the program has or builds, by module, as `CUTLET_KERNELS`
/// takes them. Kernels that are built one by one are among them.
///
/// ```
/// let names = cutlet::kernels::listed()?;
/// assert!(names.starts_with("[kernels]\n"));
/// assert!(names.contains("\nattention_mma_bf16_d80_128x64_s1\n") && names.contains("\n[kernels_sm90a]\n"));
/// # Ok::<(), cutlet::kernels::KernelsNotBuilt>(())
/// ```
///
/// # Errors
/// Returns the errors of [`first`].
pub fn listed() -> Result<String, KernelsNotBuilt> {
    let mut every = together::names_for_every();
    every.extend(entries_of(first()?).into_keys());
    let lines = |module: &str, names: &mut dyn Iterator<Item = &str>| {
        let names: String = names.map(|name| format!("{name}\n")).collect();
        format!("[{module}]\n{names}")
    };
    let hopper = together::names_for_hopper();
    let blackwell = together::names_for_blackwell();
    let modules = [
        lines("kernels", &mut every.into_iter()),
        lines("kernels_sm90a", &mut hopper.into_iter()),
        lines("kernels_sm100a", &mut blackwell.into_iter()),
    ];
    Ok(modules.concat())
}
