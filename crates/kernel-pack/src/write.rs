//! Writes a file of kernels.
//!
//! ```text
//!   PackSource { target, head, kernels: name ─► text } .. ─┬─► pack ─► bytes
//!   KernelTables ───────── rows with all their kernels ───┘
//! ```

use crate::kernel::{Entry, Head, MAGIC};
use crate::marks::{from_marks, to_marks};
use crate::record::Record;
use crate::registers::{from_distances, to_distances};
use crate::{KernelTables, PackSource};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::thread;

/// The trade-off between the time of packing and the number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PackQuality {
    /// A tenth of the time, a third more bytes: for tests of the packed file.
    Fast,
    /// The fewest bytes: for a release.
    Best,
}

impl PackQuality {
    /// Returns Brotli's quality level.
    const fn brotli(self) -> i32 {
        match self {
            Self::Fast => 9,
            Self::Best => 11,
        }
    }
}

/// A frame is full when it has this many bytes of text. A kernel takes fewer bytes in a frame with
/// similar kernels, but unpacking it takes longer because the kernels before it are unpacked too:
/// in frames of 4 MiB the 1,699 kernels take four fifths of the bytes that they take in frames of
/// 1 MiB.
const FRAME_BYTES: usize = 4 << 20;
/// The binary logarithm of the size of Brotli's window, which is 8 MiB, more than a frame.
const WINDOW_BITS: i32 = 23;

/// Packs the kernels of modules, and the rows of the tables whose kernels are all packed. If
/// several modules have a kernel of one name, the first module's is packed.
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
/// Returns the compressor's errors. Also returns an error for a row whose operation reads are a
/// function, which is not data, and for a text in which a name after `%` ends in a sign and a
/// digit, or which has a control character from 1 to 4. No PTX has these.
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
    // Sorted so that neighbours are similar.
    let mut kernels = BTreeMap::new();
    for (number, module) in modules.iter().enumerate() {
        for (name, text) in &module.kernels {
            if seen.insert(name.as_str()) {
                let kernel = Kernel {
                    head: number as u8,
                    name,
                    text: shortened(name, text)?,
                };
                kernels.insert((order_of(name), name), kernel);
            }
        }
    }
    let kernels: Vec<Kernel<'_>> = kernels.into_values().collect();
    let shared = shared(&kernels);
    let frames = compressed_all(&shared, quality)?;
    tables.retain(|name| seen.contains(name));

    let mut bytes = MAGIC.to_vec();
    // The records require texts that live as long as the program. Names and heads are few, and a
    // program writes one file.
    let kept = |text: &str| -> &'static str { Box::leak(text.into()) };
    let heads = modules.iter().map(|module| Head {
        target: kept(&module.target),
        text: kept(&module.head),
    });
    heads.collect::<Vec<_>>().write(&mut bytes);
    let mut entries = Vec::with_capacity(seen.len());
    for (frame, kernels) in shared.iter().enumerate() {
        let mut start = 0;
        for of in *kernels {
            let text = of.text.len() as u32;
            entries.push(Entry {
                kernel: kept(of.name),
                head: of.head,
                frame: frame as u32,
                start,
                text,
            });
            start += text;
        }
    }
    entries.write(&mut bytes);
    tables.write(&mut bytes);
    let sizes = frames.iter().map(|frame| frame.len() as u32);
    sizes.collect::<Vec<_>>().write(&mut bytes);
    bytes.extend(frames.concat());
    Ok(bytes)
}

/// A kernel in a frame.
struct Kernel<'a> {
    /// The number of the kernel's head.
    head: u8,
    name: &'a str,
    /// The kernel's text with distances and marks.
    text: String,
}

/// Replaces the numbers of registers in a kernel's text by distances, then text by marks.
fn shortened(name: &str, text: &str) -> io::Result<String> {
    let found = to_marks(name, &to_distances(text));
    if from_distances(&from_marks(name, &found)) == text {
        return Ok(found);
    }
    let said = format!(
        "{name} has a name after % that ends in a sign and a digit, or a control character"
    );
    Err(io::Error::other(said))
}

/// Types of elements in the names of kernels, after [`twin_of`].
const TYPES: [&str; 4] = ["_f16", "_e4m3", "_tf32", "_s8"];

/// Returns a kernel's name without its type. By this name, kernels that differ only in their type
/// are neighbours: the second then takes a twentieth of the bytes.
fn twin_of(name: &str) -> String {
    name.replace("_bf16", "_f16").replace("_e5m2", "_e4m3")
}

/// Returns the key by which kernels are sorted: first what a name has from its type on, such as the
/// tile, then the name. Kernels with one tile have the same products, whatever their score is.
fn order_of(name: &str) -> (String, String) {
    let twin = twin_of(name);
    let places = TYPES.iter().filter_map(|of| twin.find(of));
    let tile = places
        .min()
        .map_or_else(|| twin.clone(), |at| twin[at..].to_owned());
    (tile, twin)
}

/// Groups the kernels that share a frame.
fn shared<'a, 'b>(kernels: &'a [Kernel<'b>]) -> Vec<&'a [Kernel<'b>]> {
    let mut shared = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (place, kernel) in kernels.iter().enumerate() {
        bytes += kernel.text.len();
        if bytes >= FRAME_BYTES || place + 1 == kernels.len() {
            shared.push(&kernels[start..=place]);
            (start, bytes) = (place + 1, 0);
        }
    }
    shared
}

/// Compresses frames, with as many threads as there are processors.
fn compressed_all(frames: &[&[Kernel<'_>]], quality: PackQuality) -> io::Result<Vec<Vec<u8>>> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let of_thread = frames.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let chunk =
            |frames: &[&[Kernel<'_>]]| frames.iter().map(|of| compressed(of, quality)).collect();
        let running: Vec<_> = (frames.chunks(of_thread))
            .map(|frames| scope.spawn(move || -> io::Result<Vec<Vec<u8>>> { chunk(frames) }))
            .collect();
        let mut done = Vec::with_capacity(frames.len());
        for one in running {
            let of_one = one
                .join()
                .map_err(|_| io::Error::other("a compressor panicked"))?;
            done.extend(of_one?);
        }
        Ok(done)
    })
}

/// Compresses the texts of kernels to one frame.
fn compressed(kernels: &[Kernel<'_>], quality: PackQuality) -> io::Result<Vec<u8>> {
    let mut frame = Vec::new();
    let mut writer = brotli::CompressorWriter::with_params(
        &mut frame,
        1 << 16,
        &brotli::enc::BrotliEncoderParams {
            quality: quality.brotli(),
            lgwin: WINDOW_BITS,
            size_hint: kernels.iter().map(|of| of.text.len()).sum(),
            ..Default::default()
        },
    );
    for kernel in kernels {
        writer.write_all(kernel.text.as_bytes())?;
    }
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

    /// Checks that a text that unpacking would change is not packed.
    #[test]
    fn a_name_like_a_distance_is_refused() {
        let module = PackSource {
            target: "sm_80".into(),
            head: String::new(),
            kernels: [("odd".into(), "add.s32 %r1, %r+2, 3;".into())].into(),
        };
        let error = pack(&[module], KernelTables::default(), PackQuality::Fast).unwrap_err();
        assert!(error.to_string().starts_with("odd has a name"), "{error}");
    }

    /// Checks that a file that is cut anywhere, or has any byte changed, is read or refused.
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
