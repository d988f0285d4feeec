//! The fastest kernels of measured products, and the search for the measured point nearest to a
//! product.
//!
//! ```text
//!   cutlet tune ──► points (types, orders, m, n, k) ─► kernel, schedule      ──► Table::nearest ──► gemm
//!                   table.json here; a user's table in the cache folder takes precedence
//! ```
//!
//! Law: among the points that the caller can use and that have the product's types and orders,
//! [`nearest`](Table::nearest) returns the one whose extents are the fewest doublings away from the
//! product's. The distance is at most three doublings, or a tenth of a doubling if there is a
//! model. Among equally near points it returns the fastest.

use super::model::Model;
use super::names::{ScheduleRequest, by_name, schedule_by_name};
use kernel_abi::gemm::{AccumulatorType, GemmProblem, InputType, Majors, OutputType};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A measured product and its fastest kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// The type of A and B.
    #[serde(with = "by_name")]
    pub input: InputType,
    /// The type of the accumulator.
    #[serde(with = "by_name")]
    pub accumulator: AccumulatorType,
    /// Whether D has 8-bit integers like the inputs. Such a D is stored in another way than a D of
    /// 32-bit integers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bytes: bool,
    /// The orders of A and B.
    #[serde(with = "by_name")]
    pub majors: Majors,
    /// The number of rows of D.
    pub m: u32,
    /// The number of columns of D.
    pub n: u32,
    /// The number of columns of A.
    pub k: u32,
    /// The number of products.
    pub batches: u32,
    /// The fastest kernel.
    pub kernel: String,
    /// The schedule of the fastest kernel.
    #[serde(with = "schedule_by_name")]
    pub schedule: ScheduleRequest,
    /// The speed of the fastest kernel, in 10¹² operations per second.
    pub tera_operations_per_second: f64,
    /// The number of launches that were compared. If the number of launches worth trying has
    /// changed since, the product must be measured again.
    #[serde(default)]
    pub tried: usize,
}

impl Point {
    /// Returns the point of a product before its measurement, for which `tried` launches are worth
    /// trying.
    #[must_use]
    pub fn unmeasured(problem: &GemmProblem, tried: usize) -> Self {
        Self {
            input: problem.input,
            accumulator: problem.accumulator,
            bytes: stores_bytes(problem),
            majors: problem.majors,
            m: problem.m,
            n: problem.n,
            k: problem.k,
            batches: problem.batches,
            kernel: String::new(),
            schedule: ScheduleRequest::Auto,
            tera_operations_per_second: 0.0,
            tried,
        }
    }

    /// Returns the product of the point, as a value to compare.
    fn key(&self) -> (InputType, AccumulatorType, bool, Majors, [u32; 4]) {
        let extents = [self.m, self.n, self.k, self.batches];
        (
            self.input,
            self.accumulator,
            self.bytes,
            self.majors,
            extents,
        )
    }

    /// Whether the point's kernel is a Hopper kernel: its name then contains `wgmma`.
    fn is_hopper(&self) -> bool {
        self.kernel.contains("wgmma")
    }
}

/// Measured points of one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The device's name.
    pub device: String,
    /// The number of the device's multiprocessors.
    pub multiprocessors: u32,
    /// The measured points.
    pub points: Vec<Point>,
    /// The models. Each was fitted to one kind of product.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Model>,
}

/// Why a table cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read or written.
    #[error("the table of kernels {} cannot be {what}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Whether the file was read or written.
        what: &'static str,
        /// The system's error.
        source: std::io::Error,
    },
    /// The file is not a table.
    #[error("{} is no table of kernels ({source}); `cutlet tune` writes one, and without it the built-in one is used", .path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// There is no folder for a user's table.
    #[error(
        "there is no cache folder for the table of kernels: neither XDG_CACHE_HOME nor HOME is set"
    )]
    NoFolder,
}

/// The largest distance of a near point: the sum of the doublings of its extents.
const NEAR: f64 = 3.0;
/// The largest distance if there is a model: for shapes farther away, the model's estimate is
/// better than the point.
const SAME: f64 = 0.1;

/// The points that `cutlet tune` measured on an NVIDIA H200, driver 580.159.04, on 2026-11-21, and
/// for 8-bit floats on 2026-11-25. For f16 and bf16 at 8192³, and for s8 at 16384³, the kernels are
/// those that are fastest on an H100 (`docs/benchmarks/gemm.md`).
const BUILT_IN: &str = include_str!("table.json");
/// The points at which another kernel is fastest on an H100 80GB HBM3, measured with the same
/// driver on 2026-11-25.
const OF_H100: &str = include_str!("table_h100.json");

impl Table {
    /// Returns the table that is built into this program. A test checks that the file parses;
    /// otherwise the table would be empty.
    #[must_use]
    pub fn built_in() -> Self {
        serde_json::from_str(BUILT_IN).unwrap_or_default()
    }

    /// Returns the built-in table, in which points measured on a GPU with this name replace the
    /// points measured on an H200.
    #[must_use]
    pub fn built_in_for(device: &str) -> Self {
        let mut table = Self::built_in();
        if device.contains("H100") {
            let of_h100: Self = serde_json::from_str(OF_H100).unwrap_or_default();
            for point in of_h100.points {
                table.insert(point);
            }
        }
        table
    }

    /// Returns the user's table for `device` if there is one, otherwise the built-in table.
    ///
    /// # Errors
    /// Returns a [`TableError`] if the file exists and is not a table.
    pub fn for_device(device: &str) -> Result<Self, TableError> {
        match cache_file(device) {
            Some(path) if path.is_file() => Self::read(&path),
            _ => Ok(Self::built_in_for(device)),
        }
    }

    /// Puts a measured point into the user's table for `device`, which `cutlet::gemm` uses for its
    /// choices. A new file begins with the whole built-in table.
    ///
    /// Returns the file.
    ///
    /// # Errors
    /// Returns a [`TableError`] if the file cannot be read or written, or if there is no folder for
    /// it.
    pub fn remember(device: &str, point: Point) -> Result<PathBuf, TableError> {
        let file = cache_file(device).ok_or(TableError::NoFolder)?;
        let mut table = Self::for_device(device)?;
        table.device = device.into();
        table.insert(point);
        table.write(&file)?;
        Ok(file)
    }

    /// Reads the table in a file.
    ///
    /// # Errors
    /// Returns a [`TableError`] if the file cannot be read, or is not a table.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let file = |source| TableError::File {
            path: path.into(),
            what: "read",
            source,
        };
        let text = files::read_to_string(path).map_err(file)?;
        serde_json::from_str(&text).map_err(|source| TableError::Format {
            path: path.into(),
            source,
        })
    }

    /// Writes the table atomically.
    ///
    /// # Errors
    /// Returns [`TableError::File`] if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), TableError> {
        let file = |source| TableError::File {
            path: path.into(),
            what: "written",
            source,
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(file)?;
        }
        let text = self.lines().map_err(|source| TableError::Format {
            path: path.into(),
            source,
        })?;
        files::write(path, text).map_err(file)
    }

    /// Returns the table as JSON, with one point per line.
    fn lines(&self) -> Result<String, serde_json::Error> {
        let points = self.points.iter().map(serde_json::to_string);
        let points = points.collect::<Result<Vec<_>, _>>()?;
        let models = self.models.iter().map(serde_json::to_string);
        let models = models.collect::<Result<Vec<_>, _>>()?;
        Ok(format!(
            "{{\n\"device\": {}, \"multiprocessors\": {}, \"models\": [\n{}\n], \"points\": [\n{}\n]\n}}\n",
            serde_json::to_string(&self.device)?,
            self.multiprocessors,
            models.join(",\n"),
            points.join(",\n")
        ))
    }

    /// Whether the product of `point` was measured among the same number of launches.
    #[must_use]
    pub fn has(&self, point: &Point) -> bool {
        let same = |other: &Point| (other.key(), other.tried) == (point.key(), point.tried);
        self.points.iter().any(same)
    }

    /// Replaces the point for the same product. A point whose kernel is for `sm_90a` does not
    /// replace a point whose kernel runs on every GPU, because other devices need a point that they
    /// can use.
    pub fn insert(&mut self, point: Point) {
        let replaces =
            |other: &Point| other.key() == point.key() && (!point.is_hopper() || other.is_hopper());
        self.points.retain(|other| !replaces(other));
        self.points.push(point);
    }

    /// Replaces the model for the same kind of products.
    pub fn insert_model(&mut self, model: Model) {
        let kind = |of: &Model| (of.input, of.accumulator, of.majors);
        self.models.retain(|other| kind(other) != kind(&model));
        self.models.push(model);
    }

    /// Returns the model for a problem's kind, or `None` if there is no such model. A model with
    /// the problem's own type of A and B is preferred.
    #[must_use]
    pub fn model(&self, problem: &GemmProblem) -> Option<&Model> {
        let models = self.models.iter().filter(|model| model.is_of(problem));
        models.min_by_key(|model| model.input != problem.input)
    }

    /// Returns the nearest of the `usable` points to `gemm`, or `None` if no point is near: the
    /// fastest kernel for a distant or different product says nothing about `gemm`. For a product
    /// of s8 with a D of s8, a point with a D of s32 is used if no point with a D of s8 is as near.
    #[must_use]
    pub fn nearest(&self, gemm: &GemmProblem, usable: impl Fn(&Point) -> bool) -> Option<&Point> {
        let near = if self.model(gemm).is_some() {
            SAME
        } else {
            NEAR
        };
        let distance = |point: &Point| {
            let (.., extents) = point.key();
            let doublings =
                |at: u32, of: u32| (f64::from(at.max(1)) / f64::from(of.max(1))).log2().abs();
            [gemm.m, gemm.n, gemm.k, gemm.batches]
                .into_iter()
                .zip(extents)
                .map(|(at, of)| doublings(at, of))
                .sum::<f64>()
        };
        let (input, accumulator, majors) = (gemm.input, gemm.accumulator, gemm.majors);
        self.points
            .iter()
            .filter(|point| {
                (point.input, point.accumulator, point.majors) == (input, accumulator, majors)
            })
            .filter(|point| stores_bytes(gemm) || !point.bytes)
            .filter(|point| usable(point))
            .map(|point| (distance(point), point))
            .filter(|(distance, _)| *distance <= near)
            .min_by(|(near, a), (far, b)| {
                let speed = |point: &Point| point.tera_operations_per_second;
                near.total_cmp(far)
                    .then(b.bytes.cmp(&a.bytes))
                    .then(speed(b).total_cmp(&speed(a)))
            })
            .map(|(_, point)| point)
    }
}

/// Whether D has 8-bit integers like the inputs.
fn stores_bytes(gemm: &GemmProblem) -> bool {
    (gemm.input, gemm.output) == (InputType::S8, OutputType::Same)
}

/// Returns the path of a user's table for `device`: `CUTLET_GEMM_TABLE`, or
/// `cutlet/gemm-<device>.json` in the cache folder. Returns `None` if there is neither the variable
/// nor a cache folder.
#[must_use]
pub fn cache_file(device: &str) -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CUTLET_GEMM_TABLE") {
        return Some(named.into());
    }
    let folder = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let name: String = device
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    Some(folder.join("cutlet").join(format!("gemm-{name}.json")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_abi::gemm::Configuration;

    /// Returns all kernels of products.
    fn all() -> impl Iterator<Item = &'static Configuration> {
        let hopper = gpu_kernels_sm90::gemm::CONFIGURATIONS;
        gpu_kernels::gemm::CONFIGURATIONS.iter().chain(hopper)
    }

    fn point(extents: [u32; 3], kernel: &str) -> Point {
        let [m, n, k] = extents;
        Point {
            input: InputType::F16,
            accumulator: AccumulatorType::F32,
            bytes: false,
            majors: Majors::Tn,
            m,
            n,
            k,
            batches: 1,
            kernel: kernel.into(),
            schedule: ScheduleRequest::SplitK(3),
            tera_operations_per_second: 1.0,
            tried: 5,
        }
    }

    #[test]
    fn the_nearest_is_the_fewest_doublings_away() {
        let mut table = Table::default();
        table.insert(point([512, 512, 512], "small"));
        table.insert(point([4096, 4096, 128], "flat"));
        table.insert(point([4096, 4096, 4096], "old"));
        table.insert(point([4096, 4096, 4096], "large"));
        assert_eq!(table.points.len(), 3, "a product has one point");
        assert!(table.has(&point([512, 512, 512], "any")));
        let more = Point {
            tried: 6,
            ..point([512, 512, 512], "any")
        };
        assert!(!table.has(&more), "another kernel is there to try");
        let nearest = |m, n, k| {
            let gemm = GemmProblem::new(m, n, k, InputType::F16, OutputType::Same);
            table
                .nearest(&gemm, |_| true)
                .map(|point| &point.kernel[..])
        };
        assert_eq!(nearest(256, 256, 256), Some("small"));
        assert_eq!(nearest(3000, 5000, 100), Some("flat"));
        assert_eq!(nearest(8192, 8192, 8192), Some("large"));
        assert_eq!(nearest(1, 1, 1), None, "nothing is near");
        let gemm = GemmProblem::new(4096, 4096, 600, InputType::F16, OutputType::Same);
        let but = table
            .nearest(&gemm, |point| point.kernel != "large")
            .unwrap();
        assert_eq!(but.kernel, "flat");
        let other = GemmProblem::new(8192, 8192, 8192, InputType::Bf16, OutputType::Same);
        assert!(table.nearest(&other, |_| true).is_none());
    }

    #[test]
    fn a_d_of_bytes_has_points_of_its_own() {
        let of = |bytes, kernel| Point {
            input: InputType::S8,
            accumulator: AccumulatorType::S32,
            bytes,
            ..point([4096, 4096, 128], kernel)
        };
        let mut table = Table::default();
        table.insert(of(false, "wide"));
        let nearest = |table: &Table, output| {
            let gemm = GemmProblem::new(4096, 4096, 128, InputType::S8, output);
            table.nearest(&gemm, |_| true).map(|p| p.kernel.clone())
        };
        assert_eq!(nearest(&table, OutputType::Same).as_deref(), Some("wide"));
        table.insert(of(true, "narrow"));
        assert_eq!(table.points.len(), 2);
        assert_eq!(nearest(&table, OutputType::Same).as_deref(), Some("narrow"));
        assert_eq!(nearest(&table, OutputType::S32).as_deref(), Some("wide"));
        // A point of the same kind that is farther away is less useful.
        let far = Point {
            k: 512,
            ..of(true, "far")
        };
        table.points.retain(|point| !point.bytes);
        table.insert(far);
        assert_eq!(nearest(&table, OutputType::Same).as_deref(), Some("wide"));
    }

    #[test]
    fn a_kernel_of_hopper_leaves_one_for_other_gpus() {
        let mut table = Table::default();
        let (ampere, hopper) = (
            "gemm_f16_f32_tn_128x256x64_s4",
            "gemm_f16_f32_tn_128x256x64_s4_wgmma",
        );
        table.insert(point([512, 512, 512], ampere));
        let faster = Point {
            tera_operations_per_second: 2.0,
            ..point([512, 512, 512], hopper)
        };
        table.insert(faster.clone());
        table.insert(faster);
        assert_eq!(table.points.len(), 2);
        let gemm = GemmProblem::new(512, 512, 512, InputType::F16, OutputType::Same);
        let nearest = |usable: &dyn Fn(&Point) -> bool| table.nearest(&gemm, usable).unwrap();
        assert_eq!(nearest(&|_| true).kernel, hopper);
        assert_eq!(nearest(&|point| point.kernel == ampere).kernel, ampere);
        table.insert(point([512, 512, 512], ampere));
        assert_eq!(table.points.len(), 1, "the fastest runs everywhere");
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("cutlet-table-{}", std::process::id()));
        let path = folder.join("deep").join("table.json");
        let mut table = Table {
            device: "a \"device\"".into(),
            multiprocessors: 3,
            points: vec![],
            models: vec![],
        };
        // The tables have no points at first, and then some.
        for extents in [[1, 2, 3], [4, 5, 6], [7, 8, 9]] {
            table.write(&path).unwrap();
            assert_eq!(Table::read(&path).unwrap(), table);
            table.insert(point(extents, "another"));
        }
        std::fs::write(&path, "{").unwrap();
        assert!(matches!(Table::read(&path), Err(TableError::Format { .. })));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(matches!(Table::read(&path), Err(TableError::File { .. })));
    }

    /// The built-in tables parse, and name existing kernels that compute the points' products.
    #[test]
    fn the_built_in_tables_are_of_these_kernels() {
        let table: Table = serde_json::from_str(BUILT_IN).unwrap();
        assert!(table.points.len() > 300);
        let of_h100: Table = serde_json::from_str(OF_H100).unwrap();
        for point in table.points.iter().chain(&of_h100.points) {
            let is = |configuration: &Configuration| {
                configuration.name == point.kernel
                    && (configuration.input, configuration.accumulator)
                        == (point.input, point.accumulator)
                    && configuration.majors == point.majors
            };
            assert!(all().any(is), "{point:?}");
        }
    }

    #[test]
    fn a_kernel_of_hopper_is_named_so() {
        for of in all() {
            let point = point([1, 1, 1], of.name);
            assert_eq!(point.is_hopper(), of.hopper.is_some(), "{}", of.kernel);
        }
    }

    /// A product of s8 at 8192³ has another fastest kernel on an H100 than on an H200. All other
    /// points of the H200 remain.
    #[test]
    fn an_h100_has_points_of_its_own() {
        let problem = GemmProblem::new(8192, 8192, 8192, InputType::S8, OutputType::S32);
        let kernel = |device: &str| {
            let table = Table::built_in_for(device);
            let count = table.points.len();
            let nearest = table.nearest(&problem, Point::is_hopper).unwrap();
            (nearest.kernel.clone(), count)
        };
        let (h200, of_h200) = kernel("NVIDIA H200");
        let (h100, of_h100) = kernel("NVIDIA H100 80GB HBM3");
        assert_eq!(h200, "gemm_s8_s32_tn_128x128x128_s6_wgmma_pp");
        assert_eq!(h100, "gemm_s8_s32_tn_128x256x128_s4_wgmma_2x1");
        assert_eq!(of_h200, of_h100);
    }
}
