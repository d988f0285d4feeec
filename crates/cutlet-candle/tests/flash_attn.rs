//! Compares the functions with attention by candle's own operations. The functions run on the
//! emulator, or on a GPU with the feature `cuda`.

use candle::backprop::GradStore;
use candle::{D, DType, Device, IndexOp, Result, Tensor, Var};
use cutlet_candle::{
    flash_attn, flash_attn_alibi_windowed_softcap, flash_attn_varlen,
    flash_attn_varlen_alibi_windowed_softcap, flash_attn_varlen_paged_windowed,
    flash_attn_windowed,
};

/// Makes a new candle device. candle's operators treat two devices for one GPU as different
/// devices.
fn new_device() -> Device {
    match cfg!(feature = "cuda") {
        true => Device::new_cuda(0).expect("a GPU"),
        false => Device::Cpu,
    }
}

thread_local! {
    static DEVICE: Device = new_device();
}

/// Returns the device on which the functions compute. It is the same at every call in a test.
fn device() -> Device {
    DEVICE.with(Device::clone)
}

/// Whether cutlet-kernels has kernels.
fn has_kernels() -> bool {
    let has = cutlet_ops::kernel_count() > 0;
    if !has {
        println!("cutlet-kernels was built without kernels: nothing is computed");
    }
    has
}

/// Returns a tensor of random numbers between -1 and 1. The numbers are the same on every run.
fn random(seed: u32, dims: &[usize]) -> Result<Tensor> {
    let mut state = seed;
    let next = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    });
    let numbers: Vec<f32> = next.take(dims.iter().product()).collect();
    Tensor::from_vec(numbers, dims, &device())?.to_dtype(DType::BF16)
}

/// Computes attention of (batch, rows, heads, D) in f32 by candle's operations. `keep` says whether
/// a query sees a key at this distance from its own position.
fn eager(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    scale: f64,
    keep: impl Fn(i64) -> bool,
) -> Result<Tensor> {
    let own = k.dim(1)? as i64 - q.dim(1)? as i64;
    eager_of(q, k, v, scale, |i, j| keep(j - i - own))
}

/// Computes attention as [`eager`] does. `keep` says whether a query sees a key.
fn eager_of(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    scale: f64,
    keep: impl Fn(i64, i64) -> bool,
) -> Result<Tensor> {
    eager_scores(q, k, v, scale, Ok, keep)
}

/// Computes attention as [`eager_of`] does, with a function of the scores.
fn eager_scores(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    scale: f64,
    score: impl Fn(Tensor) -> Result<Tensor>,
    keep: impl Fn(i64, i64) -> bool,
) -> Result<Tensor> {
    let [q, k, v] = [q, k, v].map(|of| of.to_dtype(DType::F32)?.transpose(1, 2)?.contiguous());
    let (q, mut k, mut v) = (q?, k?, v?);
    let group = q.dim(1)? / k.dim(1)?;
    if group > 1 {
        let repeat = |of: &Tensor| -> Result<Tensor> {
            let (b, h, n, d) = of.dims4()?;
            of.unsqueeze(2)?
                .expand((b, h, group, n, d))?
                .reshape((b, h * group, n, d))
        };
        (k, v) = (repeat(&k)?, repeat(&v)?);
    }
    let (rows, keys) = (q.dim(2)? as i64, k.dim(2)? as i64);
    let mask: Vec<f32> = (0..rows)
        .flat_map(|i| (0..keys).map(move |j| (i, j)))
        .map(|(i, j)| if keep(i, j) { 0.0 } else { f32::NEG_INFINITY })
        .collect();
    let mask = Tensor::from_vec(mask, (rows as usize, keys as usize), &device())?;
    let scores = score((q.matmul(&k.t()?)? * scale)?)?.broadcast_add(&mask)?;
    let weights = candle_nn::ops::softmax(&scores, D::Minus1)?;
    weights.matmul(&v)?.transpose(1, 2)?.contiguous()
}

/// Checks that the gradients of the variables are close to candle's.
#[track_caller]
fn close_gradients(found: &GradStore, expected: &GradStore, of: [&Var; 3]) -> Result<()> {
    for of in of {
        let (Some(found), Some(expected)) = (found.get(of), expected.get(of)) else {
            panic!("a gradient is missing")
        };
        close(found, expected, 0.06)?;
    }
    Ok(())
}

#[track_caller]
fn close(found: &Tensor, expected: &Tensor, tolerance: f32) -> Result<()> {
    assert_eq!(found.dims(), expected.dims());
    let expected = expected.to_dtype(DType::F32)?;
    let apart = (found.to_dtype(DType::F32)? - expected)?.abs()?;
    // The host computes the maximum, because candle's `max` ignores a NaN on a GPU.
    for apart in apart.flatten_all()?.to_vec1::<f32>()? {
        assert!(apart <= tolerance, "{apart}");
    }
    Ok(())
}

#[test]
fn attention_is_candles() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let (q, k) = (random(1, &[2, 21, 4, 64])?, random(2, &[2, 30, 2, 64])?);
    let v = random(3, &[2, 30, 2, 64])?;
    close(
        &flash_attn(&q, &k, &v, 0.125, false)?,
        &eager(&q, &k, &v, 0.125, |_| true)?,
        0.02,
    )?;
    close(
        &flash_attn(&q, &k, &v, 0.125, true)?,
        &eager(&q, &k, &v, 0.125, |by| by <= 0)?,
        0.02,
    )?;
    let windowed = flash_attn_windowed(&q, &k, &v, 0.125, Some(5), Some(2))?;
    close(
        &windowed,
        &eager(&q, &k, &v, 0.125, |by| (-5..=2).contains(&by))?,
        0.02,
    )?;
    // A window that is larger than the number of keys covers all keys.
    let windowed = flash_attn_windowed(&q, &k, &v, 0.125, Some(500), None)?;
    close(&windowed, &eager(&q, &k, &v, 0.125, |_| true)?, 0.02)
}

/// Runs candle-flash-attn's own test, with a head size that no kernel has.
#[test]
fn head_sizes_are_padded() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let q = Tensor::arange(0u32, 48, &device())?
        .to_dtype(DType::F16)?
        .reshape((1, 3, 2, 8))?;
    let (k, v) = ((&q / 40.)?, (&q / 50.)?);
    let q = (&q / 30.)?;
    let [q, k, v] = [q, k, v].map(|of| of.transpose(1, 2));
    let (q, k, v) = (q?, k?, v?);
    let o = flash_attn(&q, &k, &v, 0.5, false)?;
    assert_eq!(o.dims(), [1, 2, 3, 8]);
    close(&o, &eager(&q, &k, &v, 0.5, |_| true)?, 1e-3)?;
    let first = o.i((0, 0, 0))?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
    // These are the numbers of candle-flash-attn's test.
    let expected = [
        0.0837, 0.1038, 0.1238, 0.1438, 0.1637, 0.1837, 0.2037, 0.2238,
    ];
    assert!(
        first
            .iter()
            .zip(expected)
            .all(|(found, of)| (found - of).abs() < 2e-3),
        "{first:?}"
    );
    Ok(())
}

/// Checks heads that have more columns than any kernel whose V has as many columns as K. The
/// product with V is then computed in parts.
#[test]
fn wide_heads_are_computed_by_parts_of_v() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    for dim in [512, 264] {
        let of = |seed, rows| random(seed, &[1, rows, 2, dim]);
        let (q, k, v) = (of(1, 11)?, of(2, 37)?, of(3, 37)?);
        let o = match flash_attn(&q, &k, &v, 0.05, true) {
            Ok(o) => o,
            // This build has no such kernel.
            Err(error) => {
                assert!(error.to_string().contains("those here have"), "{error}");
                return Ok(());
            }
        };
        close(&o, &eager(&q, &k, &v, 0.05, |by| by <= 0)?, 0.02)?;
        let starts = |n: u32| Tensor::new(&[0, n], &device());
        let (of_q, of_k) = (starts(11)?, starts(37)?);
        let (q, k, v) = (q.i(0)?, k.i(0)?, v.i(0)?);
        let packed = flash_attn_varlen(&q, &k, &v, &of_q, &of_k, 11, 37, 0.05, true)?;
        close(&packed.unsqueeze(0)?, &o, 1e-6)?;
    }
    Ok(())
}

/// Checks that views are used in place, or copied if their rows are not aligned.
#[test]
fn views_are_taken() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let all = random(4, &[1, 9, 3, 2, 72])?;
    for columns in [0, 3] {
        let part = |i: usize| all.i((.., .., i))?.narrow(3, columns, 64);
        let (q, k, v) = (part(0)?, part(1)?, part(2)?);
        assert!(!q.is_contiguous());
        close(
            &flash_attn(&q, &k, &v, 0.125, true)?,
            &eager(&q, &k, &v, 0.125, |by| by <= 0)?,
            0.02,
        )?;
    }
    let refused = flash_attn(
        &all.i((.., .., 0))?.transpose(2, 3)?,
        &all.i((.., .., 0))?,
        &all.i((.., .., 1))?,
        1.0,
        false,
    );
    assert!(refused.is_err());
    Ok(())
}

#[test]
fn packed_sequences_are_each_alone() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let [q, k, v] = [1, 2, 3].map(|seed| random(seed, &[30, 2, 64]));
    let (q, k, v) = (q?, k?, v?);
    let starts = Tensor::new(&[0_u32, 7, 8, 30], &device())?;
    let o = flash_attn_varlen(&q, &k, &v, &starts, &starts, 22, 22, 0.125, true)?;
    for (start, rows) in [(0, 7), (7, 1), (8, 22)] {
        let alone = |of: &Tensor| of.narrow(0, start, rows)?.unsqueeze(0);
        let expected = eager(&alone(&q)?, &alone(&k)?, &alone(&v)?, 0.125, |by| by <= 0)?;
        close(&alone(&o)?, &expected, 0.02)?;
    }
    let short = Tensor::new(&[0_u32, 30], &device())?;
    let refused = flash_attn_varlen(&q, &k, &v, &starts, &short, 30, 30, 0.125, true).unwrap_err();
    assert!(refused.to_string().contains("seqlens_k 2"), "{refused}");
    Ok(())
}

/// Checks two sequences with a shuffled table: with pages of 32 keys, which a kernel reads if the
/// GPU has one, and with pages of 24 keys, which no kernel reads, so that the keys are copied.
#[test]
fn keys_in_pages_are_those_of_the_table() -> Result<()> {
    for size in [32, 24] {
        let (q, k, v) = (
            random(1, &[13, 2, 128])?,
            random(2, &[5, size, 2, 128])?,
            random(3, &[5, size, 2, 128])?,
        );
        let of_q = Tensor::new(&[0_u32, 9, 13], &device())?;
        let of_k = Tensor::new(&[0_u32, 41, 61], &device())?;
        let table = Tensor::new(&[[3_u32, 1], [4, 0]], &device())?;
        let by_lists = |[of_q, of_k, table]: [&Tensor; 3], page: usize| {
            flash_attn_varlen_paged_windowed(
                &q,
                &k,
                &v,
                of_q,
                of_k,
                table,
                None,
                9,
                41,
                0.1,
                None,
                Some(0),
                page,
                None,
            )
        };
        let paged = |table: &Tensor, page| by_lists([&of_q, &of_k, table], page);
        let refused = paged(&table, 16).unwrap_err().to_string();
        let expected = format!("blocks of {size}; page_block_size is 16");
        assert!(refused.contains(&expected), "{refused}");
        let wrong = table.to_dtype(DType::F32)?;
        let refused = paged(&wrong, size).unwrap_err().to_string();
        assert!(
            refused.contains("block_table is of F32; it must be of u32"),
            "{refused}"
        );
        let refused = paged(&table.narrow(0, 0, 1)?, size).unwrap_err();
        assert!(
            refused.to_string().contains("block_table of 1"),
            "{refused}"
        );
        if !has_kernels() {
            return Ok(());
        }
        let o = paged(&table, size)?;
        for (sequence, start, rows, keys) in [(0, 0, 9, 41), (1, 9, 4, 20)] {
            let gathered = |of: &Tensor| {
                let rows = of.index_select(&table.i(sequence)?, 0)?.flatten(0, 1)?;
                rows.narrow(0, 0, keys)?.unsqueeze(0)
            };
            let alone = |of: &Tensor| of.narrow(0, start, rows)?.unsqueeze(0);
            let expected = eager(&alone(&q)?, &gathered(&k)?, &gathered(&v)?, 0.1, |by| {
                by <= 0
            })?;
            close(&alone(&o)?, &expected, 0.02)?;
        }
        // These lists are of i32, and on another of candle's devices for the same GPU.
        let other = &new_device();
        let of_q = Tensor::new(&[0_i32, 9, 13], other)?;
        let of_k = Tensor::new(&[0_i32, 41, 61], other)?;
        let table = Tensor::new(&[[3_i32, 1, 7], [4, 0, 7]], other)?.narrow(1, 0, 2)?;
        assert!(!table.is_contiguous());
        close(&by_lists([&of_q, &of_k, &table], size)?, &o, 0.0)?;
        if cfg!(feature = "cuda") {
            let on_host = table.to_device(&Device::Cpu)?;
            let refused = paged(&on_host, size).unwrap_err().to_string();
            let expected = "block_table is on Cpu; it must be on q's Cuda { gpu_id: 0 }";
            assert!(refused.contains(expected), "{refused}");
        }
    }
    Ok(())
}

/// Checks ranges whose queries see all keys of the range, against a mask with a value for each pair
/// of a query and a key.
#[test]
fn ranges_see_themselves() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let (rows, size) = ([19_usize, 30], 8);
    let of_q = Tensor::new(&[0_u32, 19, 49], &device())?;
    // The first sequence has seven keys more than queries.
    let of_k = Tensor::new(&[0_u32, 26, 56], &device())?;
    let table = Tensor::new(&[[7_u32, 0, 3, 4], [1, 2, 6, 5]], &device())?;
    let ranges = [[[2_i32, 9], [12, 20]], [[3, 17], [10, 12]]];
    let on_device = Tensor::new(&ranges, &device())?;
    let q = random(1, &[49, 2, 64])?;
    let (k, v) = (random(2, &[8, size, 2, 64])?, random(3, &[8, size, 2, 64])?);
    for (before, after) in [(None, Some(0)), (Some(5), Some(0)), (Some(4), Some(2))] {
        let o = flash_attn_varlen_paged_windowed(
            &q,
            &k,
            &v,
            &of_q,
            &of_k,
            &table,
            Some(&on_device),
            30,
            30,
            0.125,
            before,
            after,
            size,
            None,
        )?;
        let mut start = 0;
        for (sequence, keys) in [26_usize, 30].into_iter().enumerate() {
            let gathered = |of: &Tensor| {
                let rows = of.index_select(&table.i(sequence)?, 0)?.flatten(0, 1)?;
                rows.narrow(0, 0, keys)?.unsqueeze(0)
            };
            let alone = |of: &Tensor| of.narrow(0, start, rows[sequence])?.unsqueeze(0);
            let sees = |i: i64, j: i64| {
                let place = i + keys as i64 - rows[sequence] as i64;
                let in_range = |of: &[i32; 2]| {
                    let holds = |at: i64| (i64::from(of[0])..i64::from(of[1])).contains(&at);
                    holds(place) && holds(j)
                };
                let left = before.is_none_or(|by: usize| j >= place - by as i64);
                let right = after.is_none_or(|by: usize| j <= place + by as i64);
                left && right || ranges[sequence].iter().any(in_range)
            };
            let (k, v) = (gathered(&k)?, gathered(&v)?);
            close(
                &alone(&o)?,
                &eager_of(&alone(&q)?, &k, &v, 0.125, sees)?,
                0.02,
            )?;
            start += rows[sequence];
        }
    }
    let wrong = Tensor::new(&[[[2_i32, 9]]], &device())?;
    let refused = flash_attn_varlen_paged_windowed(
        &q,
        &k,
        &v,
        &of_q,
        &of_k,
        &table,
        Some(&wrong),
        30,
        30,
        0.125,
        None,
        Some(0),
        size,
        None,
    );
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("shape must be (2, max_ranges, 2)"),
        "{refused}"
    );
    Ok(())
}

#[test]
fn gradients_are_candles() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let vars = |rows: [usize; 3]| -> Result<[Var; 3]> {
        let [q, k, v] = [(1, rows[0], 4), (2, rows[1], 2), (3, rows[2], 2)];
        let of = |(seed, rows, heads)| Var::from_tensor(&random(seed, &[1, rows, heads, 64])?);
        Ok([of(q)?, of(k)?, of(v)?])
    };
    let [q, k, v] = vars([19, 25, 25])?;
    let grad = random(7, &[1, 19, 4, 64])?;
    let loss = (flash_attn(&q, &k, &v, 0.125, true)? * &grad)?.sum_all()?;
    let found = loss.backward()?;
    let by = eager(&q, &k, &v, 0.125, |by| by <= 0)?;
    let expected = (by * grad.to_dtype(DType::F32)?)?.sum_all()?.backward()?;
    close_gradients(&found, &expected, [&q, &k, &v])?;
    // The tensors are the same, but packed as one sequence.
    let starts = |n: u32| Tensor::new(&[0, n], &device());
    let packed = flash_attn_varlen(
        &q.i(0)?,
        &k.i(0)?,
        &v.i(0)?,
        &starts(19)?,
        &starts(25)?,
        19,
        25,
        0.125,
        true,
    )?;
    let packed = (packed * grad.i(0)?)?.sum_all()?.backward()?;
    close_gradients(&packed, &expected, [&q, &k, &v])?;
    Ok(())
}

/// Checks the gradients with a soft cap, with ALiBi and with both, for fewer queries than keys, in
/// sequences of one length and in packed sequences.
#[test]
fn gradients_with_score_functions_are_candles() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let var = |seed, rows, heads| Var::from_tensor(&random(seed, &[1, rows, heads, 64])?);
    let (q, k, v) = (var(1, 19, 4)?, var(2, 25, 2)?, var(3, 25, 2)?);
    let grad = random(7, &[1, 19, 4, 64])?;
    let slopes = [0.5_f32, 0.25, 0.0, 0.125];
    let of_heads = Tensor::new(&slopes, &device())?;
    // The last query and the last key are on one diagonal.
    let distance = |i: i64, j: i64| j - i - 6;
    let bias: Vec<f32> = (slopes.iter())
        .flat_map(|slope| (0..19).flat_map(move |i| (0..25).map(move |j| (slope, i, j))))
        .map(|(slope, i, j)| -slope * distance(i, j).unsigned_abs() as f32)
        .collect();
    let bias = Tensor::from_vec(bias, (1, 4, 19, 25), &device())?;
    let starts = |n: u32| Tensor::new(&[0, n], &device());
    let (of_q, of_k) = (starts(19)?, starts(25)?);
    for (cap, slopes) in [(1.5, None), (0.0, Some(&of_heads)), (1.5, Some(&of_heads))] {
        let score = |of: Tensor| {
            let capped = match cap {
                0.0 => of,
                cap => ((of / f64::from(cap))?.tanh()? * f64::from(cap))?,
            };
            match slopes {
                Some(_) => capped.broadcast_add(&bias),
                None => Ok(capped),
            }
        };
        let by = eager_scores(&q, &k, &v, 0.5, score, |i, j| distance(i, j) <= 0)?;
        let expected = (by * grad.to_dtype(DType::F32)?)?.sum_all()?.backward()?;
        let made = flash_attn_alibi_windowed_softcap(&q, &k, &v, slopes, 0.5, None, Some(0), cap);
        let o = match made {
            Ok(o) => o,
            // This build has no such kernels.
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("none is in this build"), "{said}");
                continue;
            }
        };
        let found = match (o * &grad)?.sum_all()?.backward() {
            Ok(found) => found,
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("attention's gradients with"), "{said}");
                continue;
            }
        };
        close_gradients(&found, &expected, [&q, &k, &v])?;
        let packed = flash_attn_varlen_alibi_windowed_softcap(
            &q.i(0)?,
            &k.i(0)?,
            &v.i(0)?,
            slopes,
            &of_q,
            &of_k,
            19,
            25,
            0.5,
            None,
            Some(0),
            cap,
        )?;
        let packed = (packed * grad.i(0)?)?.sum_all()?.backward()?;
        close_gradients(&packed, &expected, [&q, &k, &v])?;
    }
    Ok(())
}

#[test]
fn what_no_kernel_computes_is_said() -> Result<()> {
    if !has_kernels() {
        return Ok(());
    }
    let q = random(1, &[1, 5, 2, 64])?;
    let said = |of: Result<Tensor>| of.unwrap_err().to_string();
    let f32 = q.to_dtype(DType::F32)?;
    assert!(said(flash_attn(&f32, &f32, &f32, 1.0, false)).contains("only supported for f16/bf16"));
    let half = q.to_dtype(DType::F16)?;
    let mixed = said(flash_attn(&q, &half, &half, 1.0, false));
    assert!(
        mixed.contains("DType mismatch k F16, expected BF16"),
        "{mixed}"
    );
    let wide = random(1, &[1, 5, 2, 1024])?;
    assert!(
        said(flash_attn(&wide, &wide, &wide, 1.0, false))
            .contains("head dimension 1024: those here have")
    );
    let slopes = Tensor::new(&[0.5_f32], &device())?;
    let refused =
        flash_attn_alibi_windowed_softcap(&q, &q, &q, Some(&slopes), 1.0, None, Some(0), 0.0);
    assert!(said(refused).contains("alibi_slopes"));
    let three = random(1, &[1, 5, 3, 64])?;
    assert!(
        said(flash_attn(&three, &q, &q, 1.0, false))
            .contains("heads is 3; it must be a multiple of 2")
    );
    Ok(())
}
