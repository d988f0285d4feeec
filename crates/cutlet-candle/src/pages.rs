//! Copies keys in pages of a cache into packed rows, for head dimensions and GPUs without a kernel
//! that reads pages.
//!
//! ```text
//!   r              0 1 2 3 4 5 6 7 8        rows of all sequences, up to the largest possible number
//!   starts         0         5              sequence(r) = (starts at or before r) - 1
//!   block_table    (3 1) (4 0)              row(r) = page(r) page_size + place in the page
//! ```
//!
//! Law: row r of the result is key r of the packed sequences. Rows after the last key belong to no
//! sequence. They repeat rows of the cache's first page, whatever the table contains. Lists of u32
//! stay on their device, and the host does not wait.

use crate::operands::unsigned;
use candle::{D, DType, Result, Tensor};

/// Keys in pages.
pub struct Pages<'a> {
    /// The start of each sequence and the end of the last sequence, u32.
    pub starts: &'a Tensor,
    /// The pages of each sequence, (sequences, pages).
    pub table: &'a Tensor,
    /// The number of keys of a page.
    pub size: usize,
    /// The number of keys of the longest sequence.
    pub longest: usize,
}

impl Pages<'_> {
    /// Returns, for each packed row, its row in the cache. The device computes (rows, sequences)
    /// comparisons.
    pub fn rows(&self) -> Result<Tensor> {
        let (sequences, pages) = self.table.dims2()?;
        let device = self.table.device();
        let [starts, table] = [self.starts, self.table].map(unsigned);
        let (starts, table) = (starts?, table?);
        let number = |of: usize| Tensor::new(of as u32, device);
        let most = sequences * self.longest.min(pages * self.size);
        let rows = Tensor::arange(0, most as u32, device)?;
        // A row's sequence is the number of sequences that end at or before the row. Rows after the
        // last key count as rows of the last sequence.
        let ends = starts.narrow(0, 1, sequences)?.unsqueeze(0)?;
        let ended = rows.unsqueeze(1)?.broadcast_ge(&ends)?;
        let ended = ended.to_dtype(DType::U32)?.sum(D::Minus1)?;
        let sequence = ended.broadcast_minimum(&number(sequences - 1)?)?;
        let key = (&rows - starts.index_select(&sequence, 0)?)?;
        let size = number(self.size)?;
        let page = key.broadcast_div(&size)?;
        let within = (key - page.broadcast_mul(&size)?)?;
        let page = page.broadcast_minimum(&number(pages - 1)?)?;
        let place = (sequence.broadcast_mul(&number(pages)?)? + page)?;
        let page = table.flatten_all()?.index_select(&place, 0)?;
        let is_key = rows.broadcast_lt(&starts.narrow(0, sequences, 1)?)?;
        let page = is_key.where_cond(&page, &page.zeros_like()?)?;
        page.broadcast_mul(&size)? + within
    }

    /// Copies a cache (pages, page size, key heads, columns) into packed rows.
    pub fn packed(&self, cache: &Tensor, rows: &Tensor) -> Result<Tensor> {
        cache.flatten(0, 1)?.index_select(rows, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle::Device;

    #[test]
    fn rows_are_those_of_the_table() -> Result<()> {
        let device = &Device::Cpu;
        let starts = Tensor::new(&[0_u32, 0, 5, 6, 10], device)?;
        // `rows` reads no page of the first sequence, and only the first page of the third sequence
        // and of the last.
        let none = u32::MAX;
        let table = [[none, none], [3, 1], [4, none], [2, none]];
        let table = Tensor::new(&table, device)?;
        let pages = Pages {
            starts: &starts,
            table: &table,
            size: 4,
            longest: 5,
        };
        let rows = pages.rows()?.to_vec1::<u32>()?;
        assert_eq!(rows[..10], [12, 13, 14, 15, 4, 16, 8, 9, 10, 11]);
        // 4 sequences of at most 5 keys can have 20 rows. Here they have 10 keys.
        assert_eq!(rows.len(), 20);
        assert!(rows[10..].iter().all(|row| *row < 4));
        Ok(())
    }
}
