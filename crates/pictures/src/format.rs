//! The file formats, by name and by a file's extension.
//!
//! ```text
//!   .svg  svg::render      .png  png::render      .tex  latex::render      .txt  terminal::render
//! ```

use crate::error::Result;
use crate::grid::Picture;
use crate::options::Options;
use std::path::Path;

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// SVG.
    Svg,
    /// PNG.
    #[cfg(feature = "png")]
    Png,
    /// A LaTeX document with a TikZ picture.
    Latex,
    /// Text, with colours if [`Options::terminal_colour`] is set.
    Terminal,
}

impl Format {
    /// Returns the format for a file's extension `svg`, `png`, `tex` or `txt`, or `None` for any
    /// other extension.
    ///
    /// ```
    /// use pictures::Format;
    /// assert_eq!(Format::of(std::path::Path::new("a/b.SVG")), Some(Format::Svg));
    /// assert_eq!(Format::of(std::path::Path::new("a.doc")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "svg" => Some(Self::Svg),
            #[cfg(feature = "png")]
            "png" => Some(Self::Png),
            "tex" => Some(Self::Latex),
            "txt" => Some(Self::Terminal),
            _ => None,
        }
    }
}

/// Renders the picture as the bytes of a file.
///
/// # Errors
/// Returns [`Png`](crate::DrawError::Png) for a PNG; the other formats return no error.
pub fn render(picture: &Picture, format: Format, options: &Options) -> Result<Vec<u8>> {
    match format {
        Format::Svg => Ok(crate::svg::render(picture, options).into_bytes()),
        #[cfg(feature = "png")]
        Format::Png => crate::png::render(picture, options),
        Format::Latex => Ok(crate::latex::render(picture, options).into_bytes()),
        Format::Terminal => Ok(crate::terminal::render(picture, options).into_bytes()),
    }
}
