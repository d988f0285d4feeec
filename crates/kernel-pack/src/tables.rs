//! The tables from which a kernel is chosen. A row states the problems that a kernel computes, and
//! the resources of its launch.
//!
//! ```text
//!   GemmProblem ──────► gemm, a row ─ plan ─► Plan          AttentionProblem ─► attention, a row ─ plan ─► AttentionPlan
//! ```
//!
//! Law: every kernel that a row names is in the pack to which the tables belong.

use crate::PackError;
use crate::record::{Input, Record, record};
use kernel_abi::attention::{
    AttentionBackwardConfiguration, AttentionConfiguration, DecodeConfiguration,
    FusedBackwardConfiguration, SinkGradientConfiguration,
};
use kernel_abi::gemm::Configuration;
use kernel_abi::weights::WeightsConfiguration;

/// The problems that a pack's kernels compute, as rows of `kernel-abi`'s tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelTables {
    /// Matrix products: kernels for Ampere and newer GPUs, and kernels for Hopper.
    pub gemm: Vec<Configuration>,
    /// The forward pass of attention, for every composition of score parts.
    pub attention: Vec<AttentionConfiguration>,
    /// The forward pass for 8-bit floats.
    pub attention_fp8: Vec<AttentionConfiguration>,
    /// Decoding, with a cache in 16 bits or in e4m3, and latent attention.
    pub decode: Vec<DecodeConfiguration>,
    /// Decoding with a soft cap.
    pub soft_cap_decode: Vec<DecodeConfiguration>,
    /// The gradients, for every composition of score parts.
    pub backward: Vec<AttentionBackwardConfiguration>,
    /// The gradients computed by fused kernels, which accumulate dQ in memory.
    pub fused_backward: Vec<FusedBackwardConfiguration>,
    /// The gradient of the sinks.
    pub sink_gradients: Vec<SinkGradientConfiguration>,
    /// Products with weights of few bits, for Hopper.
    pub weights: Vec<WeightsConfiguration>,
}

record! {
    KernelTables {
        gemm, attention, attention_fp8, decode, soft_cap_decode, backward, fused_backward, sink_gradients, weights,
    }
}

/// The kernels that a row's launches use.
trait Row {
    fn kernels(&self) -> Vec<&'static str>;
}

impl Row for Configuration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.kernel]
    }
}

impl Row for AttentionConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.kernel]
    }
}

impl Row for DecodeConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.attention.kernel, self.combine]
    }
}

impl Row for AttentionBackwardConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.rows, self.keys.kernel, self.queries.kernel]
    }
}

impl Row for FusedBackwardConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.rows, self.gradients.kernel, self.dq]
    }
}

impl Row for SinkGradientConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.kernel]
    }
}

impl Row for WeightsConfiguration {
    fn kernels(&self) -> Vec<&'static str> {
        vec![self.kernel]
    }
}

impl KernelTables {
    /// Removes the rows with a kernel for which `is_there` returns false.
    ///
    /// ```
    /// # use kernel_pack::KernelTables;
    /// let mut tables = KernelTables::default();
    /// tables.retain(|name| name == "vecadd");
    /// assert_eq!(tables.kernels(), Vec::<&str>::new());
    /// ```
    pub fn retain(&mut self, is_there: impl Fn(&str) -> bool) {
        macro_rules! each {
            ($($table:ident)*) => {$(
                self.$table.retain(|row| row.kernels().into_iter().all(&is_there));
            )*};
        }
        each!(gemm attention attention_fp8 decode soft_cap_decode backward fused_backward
            sink_gradients weights);
    }

    /// Returns the kernels that rows name, sorted by name, each once.
    #[must_use]
    pub fn kernels(&self) -> Vec<&'static str> {
        let mut all = Vec::new();
        macro_rules! each {
            ($($table:ident)*) => {$(all.extend(self.$table.iter().flat_map(Row::kernels));)*};
        }
        each!(gemm attention attention_fp8 decode soft_cap_decode backward fused_backward
            sink_gradients weights);
        all.sort_unstable();
        all.dedup();
        all
    }
}
