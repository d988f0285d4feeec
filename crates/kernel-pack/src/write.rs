//! A file of kernels, written.
//!
//! ```text
//!   PackSource { target, head, kernels: name ─► text } .. ─┬─► pack ─► bytes
//!   KernelTables ───────── rows whose kernels are there ───┘
//! ```

use crate::kernel::{Entry, Head, MAGIC};
use crate::record::Record;
use crate::{KernelTables, PackSource};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::thread;

/// How much time packing takes, for how many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackQuality {
    /// A tenth of the time, a third more bytes: to test what is packed.
    Fast,
    /// The fewest bytes: to ship.
    Best,
}

impl PackQuality {
    /// Brotli's.
    const fn brotli(self) -> i32 {
        match self {
            Self::Fast => 9,
            Self::Best => 11,
        }
    }
}

/// Brotli's window: 4 MiB, more than a kernel has.
const WINDOW_BITS: i32 = 22;

/// Packs the kernels of modules, each name once: the first module that has it counts; and the rows
/// of the tables whose kernels are all there.
///
/// ```
/// use kernel_pack::{KernelTables, Pack, PackQuality, PackSource, pack};
/// let module = PackSource {
///     target: "sm_80".into(),
///     head: ".version 7.0\n".into(),
///     kernels: [("noop".into(), ".visible .entry noop()\n{\n\tret;\n}\n".into())].into(),
/// };
/// let bytes = pack(&[module], KernelTables::default(), PackQuality::Best)?;
/// let read = Pack::new(bytes.leak()).unwrap();
/// let noop = read.kernel("noop").unwrap();
/// assert_eq!(noop.target(), "sm_80");
/// assert_eq!(noop.ptx().unwrap(), ".version 7.0\n.visible .entry noop()\n{\n\tret;\n}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// What the compressor reports, and a row whose operation's reads are a function, which is no data.
pub fn pack(
    modules: &[PackSource],
    mut tables: KernelTables,
    quality: PackQuality,
) -> io::Result<Vec<u8>> {
    if let Some(row) = tables.gemm.iter().find(|row| row.reads.is_some()) {
        let said = format!("what the operation of {} reads is a function", row.kernel);
        return Err(io::Error::other(said));
    }
    let mut seen = BTreeSet::new();
    // By the kernels that share a frame: the number of a head, a name and a text each.
    let mut twins: BTreeMap<String, Vec<(u8, &str, &str)>> = BTreeMap::new();
    for (number, module) in modules.iter().enumerate() {
        for (name, text) in &module.kernels {
            if seen.insert(name.as_str()) {
                let of = twins.entry(twin_of(name)).or_default();
                of.push((number as u8, name, text));
            }
        }
    }
    let texts = twins
        .values()
        .map(|twins| twins.iter().map(|of| of.2).collect());
    let frames = compressed_all(&texts.collect::<Vec<String>>(), quality)?;
    tables.retain(|name| seen.contains(name));

    let mut bytes = MAGIC.to_vec();
    // Records have texts that live as long as the program. Names and heads are few, and a program
    // writes one file.
    let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
    let heads = modules.iter().map(|module| Head {
        target: kept(&module.target),
        text: kept(&module.head),
    });
    heads.collect::<Vec<_>>().write(&mut bytes);
    let mut entries = Vec::with_capacity(seen.len());
    for (frame, twins) in twins.values().enumerate() {
        let mut start = 0;
        for (head, name, text) in twins {
            entries.push(Entry {
                kernel: kept(name),
                head: *head,
                frame: frame as u32,
                start,
                text: text.len() as u32,
            });
            start += text.len() as u32;
        }
    }
    entries.write(&mut bytes);
    tables.write(&mut bytes);
    let sizes = frames.iter().map(|frame| frame.len() as u32);
    sizes.collect::<Vec<_>>().write(&mut bytes);
    bytes.extend(frames.concat());
    Ok(bytes)
}

/// The name under which kernels share a frame: the same kernel of another type is text that the
/// compressor has seen, but for some instructions, and takes a twentieth of the bytes.
fn twin_of(name: &str) -> String {
    name.replace("_bf16", "_f16").replace("_e5m2", "_e4m3")
}

/// Texts as frames, by as many threads as there are processors.
fn compressed_all(texts: &[String], quality: PackQuality) -> io::Result<Vec<Vec<u8>>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let of_thread = texts.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let chunk = |texts: &[String]| texts.iter().map(|text| compressed(text, quality)).collect();
        let running: Vec<_> = (texts.chunks(of_thread))
            .map(|texts| scope.spawn(move || -> io::Result<Vec<Vec<u8>>> { chunk(texts) }))
            .collect();
        let mut frames = Vec::with_capacity(texts.len());
        for one in running {
            let done = one
                .join()
                .map_err(|_| io::Error::other("a compressor panicked"))?;
            frames.extend(done?);
        }
        Ok(frames)
    })
}

/// A kernel's text as a frame.
fn compressed(text: &str, quality: PackQuality) -> io::Result<Vec<u8>> {
    let mut frame = Vec::new();
    let mut writer = brotli::CompressorWriter::with_params(
        &mut frame,
        1 << 16,
        &brotli::enc::BrotliEncoderParams {
            quality: quality.brotli(),
            lgwin: WINDOW_BITS,
            size_hint: text.len(),
            ..Default::default()
        },
    );
    writer.write_all(text.as_bytes())?;
    drop(writer);
    Ok(frame)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pack, PackError};
    use kernel_abi::attention::{
        AttentionConfiguration, AttentionLoads, AttentionParts, AttentionType, CacheElement,
        DecodeConfiguration,
    };
    use kernel_abi::gemm::InputType;
    use kernel_abi::weights::{Body, PackedLayout, WeightsConfiguration};

    fn of(kernel: &'static str) -> AttentionConfiguration {
        AttentionConfiguration {
            kernel,
            base: Some("another"),
            parts: AttentionParts::NONE.packed().sinks(),
            element: AttentionType::Bf16,
            dim: 64,
            dim_v: 128,
            tile: [128, 80],
            stages: 2,
            loads: AttentionLoads::Tma,
            threads: 384,
            ctas: 1,
            shared_bytes: 200_000,
            speed: 77,
        }
    }

    const INT4: PackedLayout = PackedLayout {
        format: "int4",
        bits: 4,
        scales: "bf16",
        zeros: true,
        record_bytes: 16,
        group: Some(64),
        order: "m16n8k16",
    };
    const FEW_ROWS: Body = Body::FewRows {
        k_warps: 16,
        buffers: 4,
        most_slices: 8,
    };
    const MANY_ROWS: Body = Body::ManyRows {
        shared_bytes: 200_000,
        ctas: 2,
    };

    fn packed() -> Vec<u8> {
        let module = |target: &str, kernels: &[(&str, &str)]| PackSource {
            target: target.into(),
            head: format!(".target {target}\n"),
            kernels: kernels
                .iter()
                .map(|&(name, text)| (name.into(), text.into()))
                .collect(),
        };
        let modules = [
            module(
                "sm_80",
                &[
                    ("a", "of a, of a, of a"),
                    ("b", "of b"),
                    ("b_bf16", "of bf16"),
                    ("b_f16", "of f16"),
                ],
            ),
            module("sm_90a", &[("b", "another b"), ("c", "of c")]),
        ];
        let decode = |combine| DecodeConfiguration {
            attention: of("c"),
            combine,
            cache: CacheElement::OfQueries,
        };
        let weights = |kernel, body| WeightsConfiguration {
            kernel,
            packed: &INT4,
            input: InputType::Bf16,
            tokens: 8,
            rows: 16,
            threads: 512,
            body,
        };
        let tables = KernelTables {
            weights: vec![
                weights("elsewhere", FEW_ROWS),
                weights("b", FEW_ROWS),
                weights("c", MANY_ROWS),
            ],
            attention: vec![of("a"), of("elsewhere"), of("c")],
            decode: vec![decode("b"), decode("elsewhere")],
            ..KernelTables::default()
        };
        pack(&modules, tables, PackQuality::Best).unwrap()
    }

    #[test]
    fn kernels_and_rows_come_back() {
        let pack = Pack::new(packed().leak()).unwrap();
        assert_eq!(
            pack.names().collect::<Vec<_>>(),
            ["a", "b", "b_bf16", "b_f16", "c"]
        );
        let text = |name| pack.kernel(name).unwrap().ptx().unwrap();
        assert_eq!(text("a"), ".target sm_80\nof a, of a, of a");
        assert_eq!(text("b"), ".target sm_80\nof b");
        assert_eq!(text("b_bf16"), ".target sm_80\nof bf16");
        assert_eq!(text("b_f16"), ".target sm_80\nof f16");
        assert_eq!(text("c"), ".target sm_90a\nof c");
        assert_eq!(pack.tables().attention, [of("a"), of("c")]);
        assert_eq!(pack.tables().decode.len(), 1);
        let weights = &pack.tables().weights;
        let found: Vec<_> = weights
            .iter()
            .map(|of| (of.kernel, of.packed, of.body))
            .collect();
        assert_eq!(found, [("b", &INT4, FEW_ROWS), ("c", &INT4, MANY_ROWS)]);
        assert_eq!(pack.tables().kernels(), ["a", "b", "c"]);
    }

    /// Cut anywhere, and with any byte changed, a file is read or refused.
    #[test]
    fn no_bytes_panic() {
        let bytes = packed();
        for end in 0..bytes.len() {
            assert!(Pack::new(bytes[..end].to_vec().leak()).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x81;
            let Ok(pack) = Pack::new(changed.leak()) else {
                continue;
            };
            for name in pack.names() {
                let _: Result<String, PackError> = pack.kernel(name).unwrap().ptx();
            }
        }
    }
}
