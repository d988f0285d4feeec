//! The data that a program in any language needs to launch the kernels of a module: the JSON file
//! next to the module's PTX.
//!
//! ```text
//!   cutlet ptx --out DIR ─► DIR/kernels.ptx     entries                    .param, in order
//!                           DIR/kernels.json    each entry's parameters: name, type, bytes, what it means;
//!                                               CTA, cluster, shared memory, grid, requirements; structures field by field
//! ```
//!
//! Law: each entry of the PTX is described with its parameters, in the number, with the bytes and
//! with the alignment that the PTX states. Names and types come from the kernels' lists of
//! arguments, meanings from `manifest/kernels.rs`, numbers from the PTX and from the kernels'
//! tables.

mod kernels;
mod structures;

use crate::CutletError;
use emulator::Program;
use serde::Serialize;

/// A module and its entries.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// The file of the PTX, in the same folder.
    pub ptx: String,
    /// The architecture of the PTX: `sm_80` and everything newer, or only `sm_90a`.
    pub architecture: String,
    /// The kernels.
    pub kernels: Vec<Entry>,
    /// The structures that kernels take by value.
    pub structures: Vec<Structure>,
}

/// A kernel.
#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    /// The kernel's name in the module.
    pub entry: String,
    /// A formula or a text that says what the kernel computes.
    pub computes: String,
    /// The parameters, in order.
    pub parameters: Vec<EntryParameter>,
    /// The extents of the grid in CTAs, x, y and z, as expressions of the parameters.
    pub grid: [String; 3],
    /// The extents of a CTA in threads. They are expressions of the parameters if the kernel
    /// supports several.
    pub block: [String; 3],
    /// The extents of a cluster, in CTAs.
    pub cluster: [u32; 3],
    /// The dynamic shared memory of a CTA, in bytes. If it exceeds 48 KiB, the function's attribute
    /// must be raised first.
    pub shared_bytes: u32,
    /// Further requirements on a launch.
    pub requires: Vec<String>,
}

/// A parameter of a kernel.
#[derive(Clone, Debug, Serialize)]
pub struct EntryParameter {
    /// The parameter's name in the source.
    pub name: &'static str,
    /// The parameter's type in Rust. A structure by value has its name in [`Manifest::structures`].
    #[serde(rename = "type")]
    pub ty: String,
    /// The parameter's bytes.
    pub bytes: usize,
    /// The parameter's alignment among the parameters, in bytes.
    pub alignment: usize,
    /// The meaning of the parameter.
    pub meaning: &'static str,
}

/// A structure with C's layout.
#[derive(Clone, Debug, Serialize)]
pub struct Structure {
    /// The structure's name.
    pub name: &'static str,
    /// The structure's bytes.
    pub bytes: usize,
    /// The structure's alignment in bytes.
    pub alignment: usize,
    /// The meaning of the structure.
    pub meaning: &'static str,
    /// The structure's fields, in order.
    pub fields: Vec<Field>,
    /// The bits of the structure's flags.
    pub flags: Vec<Flag>,
}

/// A field of a structure.
#[derive(Clone, Debug, Serialize)]
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// The field's type in Rust.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// The offset in bytes from the structure's start.
    pub offset: usize,
    /// The meaning of the field.
    pub meaning: &'static str,
}

/// A bit of a structure's flags.
#[derive(Clone, Debug, Serialize)]
pub struct Flag {
    /// The flag's name.
    pub name: &'static str,
    /// The flag's value.
    pub value: u32,
    /// The meaning of the bit.
    pub meaning: &'static str,
}

/// Returns the manifest of a module of this program's kernels, whose PTX lies in a file with this
/// name.
///
/// # Errors
/// Returns [`CutletError::Undescribed`] if an entry is not described, or not as in the PTX, and the
/// emulator's error if the text is not PTX.
///
/// ```
/// let manifest = cutlet::manifest::manifest("kernels.ptx", cutlet::kernels::first()?)?;
/// let vecadd = manifest.kernels.iter().find(|kernel| kernel.entry == "vecadd").unwrap();
/// let names: Vec<&str> = vecadd.parameters.iter().map(|parameter| parameter.name).collect();
/// assert_eq!(names, ["a", "b", "c", "n"]);
/// assert_eq!((vecadd.block[0].as_str(), vecadd.grid[0].as_str()), ("256", "ceil(n / 1024)"));
/// # Ok::<(), cutlet::CutletError>(())
/// ```
pub fn manifest(file: &str, ptx: &str) -> Result<Manifest, CutletError> {
    let program = Program::parse(ptx)?;
    let structures = structures::all();
    let mut entries = Vec::new();
    for signature in program.kernels() {
        let undescribed = |why: String| CutletError::Undescribed {
            kernel: signature.name.clone(),
            why,
        };
        let described = kernels::describe(&signature.name)
            .ok_or_else(|| undescribed("nothing is written down of it".into()))?;
        if described.parameters.len() != signature.params.len() {
            return Err(undescribed(format!(
                "{} parameters are, the PTX has {}",
                described.parameters.len(),
                signature.params.len()
            )));
        }
        let mut parameters = Vec::new();
        for ((name, ty, meaning), found) in described.parameters.into_iter().zip(&signature.params)
        {
            if kernels::bytes_of(&ty, &structures) != Some(found.size) {
                return Err(undescribed(format!(
                    "`{name}: {ty}` is, the PTX has {} bytes there",
                    found.size
                )));
            }
            parameters.push(EntryParameter {
                name,
                ty,
                bytes: found.size,
                alignment: found.align,
                meaning,
            });
        }
        entries.push(Entry {
            entry: signature.name.clone(),
            computes: described.computes,
            parameters,
            grid: described.grid,
            block: described.block,
            cluster: described.cluster,
            shared_bytes: described.shared_bytes,
            requires: described.requires,
        });
    }
    // A structure is used by a parameter, or by a field of a structure that is used by a parameter.
    let is_parameter = |name: &str| {
        let mut parameters = entries.iter().flat_map(|entry| &entry.parameters);
        parameters.any(|parameter| parameter.ty == name)
    };
    let used: Vec<&str> = structures
        .iter()
        .filter(|structure| is_parameter(structure.name))
        .flat_map(|structure| {
            let fields = structure.fields.iter().map(|field| field.ty);
            fields.chain([structure.name])
        })
        .collect();
    let structures = structures
        .iter()
        .filter(|structure| used.contains(&structure.name))
        .cloned()
        .collect();
    Ok(Manifest {
        ptx: file.to_owned(),
        architecture: program.target().to_string(),
        kernels: entries,
        structures,
    })
}

#[cfg(test)]
mod tests {
    use super::kernels::describe;
    use crate::attention::{
        DECODE_CONFIGURATIONS, E4M3_DECODE_CONFIGURATIONS, FP8_CONFIGURATIONS,
        FUSED_BACKWARD_CONFIGURATIONS, LATENT_DECODE_CONFIGURATIONS, SINK_GRADIENT,
        SOFT_CAP_DECODE_CONFIGURATIONS, SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
        forward_configurations_by, gradient_configurations_by,
    };
    use kernel_abi::attention::{AttentionLoads, Fp8AttentionPlan};
    use kernel_abi::gemm::{InputType, Packing, Reduction};

    /// Returns the kernels of every table, whose arguments come from a list.
    fn listed() -> Vec<&'static str> {
        let ways = AttentionLoads::ALL.into_iter();
        let forward = ways.clone().flat_map(forward_configurations_by);
        let forward = forward.chain(FP8_CONFIGURATIONS).map(|of| of.kernel);
        let gradients = ways.flat_map(gradient_configurations_by);
        let gradients = gradients.flat_map(|of| [of.rows, of.keys.kernel, of.queries.kernel]);
        let fused = FUSED_BACKWARD_CONFIGURATIONS.iter();
        let fused = fused.flat_map(|of| [of.rows, of.gradients.kernel, of.dq]);
        let decoding = [
            DECODE_CONFIGURATIONS,
            LATENT_DECODE_CONFIGURATIONS,
            E4M3_DECODE_CONFIGURATIONS,
            SOFT_CAP_DECODE_CONFIGURATIONS,
            SOFT_CAP_E4M3_DECODE_CONFIGURATIONS,
        ];
        let decoding = decoding.into_iter().flatten();
        let decoding = decoding.flat_map(|of| [of.attention.kernel, of.combine]);
        let products = crate::gemm::CONFIGURATIONS.iter().map(|of| of.kernel);
        forward
            .chain(gradients)
            .chain(fused)
            .chain(decoding)
            .chain(products)
            .chain([SINK_GRADIENT.kernel, Fp8AttentionPlan::TRANSPOSE])
            .chain(InputType::ALL.map(Reduction::kernel))
            .chain(Packing::KERNELS.map(|(kernel, _)| kernel))
            .collect()
    }

    #[test]
    fn every_argument_of_a_list_has_a_meaning() {
        for name in listed() {
            let described = describe(name).unwrap_or_else(|| panic!("{name} is not described"));
            let mut names: Vec<_> = described.parameters.iter().map(|of| of.0).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), described.parameters.len(), "{name}");
        }
    }
}
