//! Functions for tensors on several devices: distributions, and the elements that move between
//! them.

use super::{Call, functions};
use crate::distribution::{Redistribution, covers};
use crate::error::Result;
use crate::thread_value::ThreadValue;
use crate::value::Value;

fn distribution(call: &Call) -> Result<Value> {
    let (layout, shape) = (call.plain(0)?, call.shape(1)?);
    let elements = shape
        .product()
        .map_err(|rule| call.wrong(1, rule.to_string()))?;
    covers(&layout, elements).map_err(|why| call.wrong(0, why))?;
    let mut distribution = ThreadValue::new(layout.into(), shape.clone(), "").of_devices();
    if call.len() > 2 {
        let extents = call.shape(2)?;
        let (padded, leaves) = (shape.leaves(), extents.leaves());
        if leaves.len() != padded.len() {
            let why = format!("{extents} has not as many extents as the padded {shape}");
            return Err(call.wrong(2, why));
        }
        if let Some((extent, padded)) = leaves
            .iter()
            .zip(padded)
            .find(|(of, padded)| **of > *padded)
        {
            return Err(call.wrong(2, format!("extent {extent} is above the padded {padded}")));
        }
        distribution = distribution.of_extents(extents);
    }
    Ok(Value::ThreadValue(distribution))
}

fn redistribution(call: &Call) -> Result<Value> {
    let partial = if call.len() > 2 { call.integer(2)? } else { 0 };
    let partial = u32::try_from(partial)
        .map_err(|_| call.wrong(2, "bits of modes are a number from 0 on"))?;
    let found = Redistribution::new(call.thread_value(0)?, call.thread_value(1)?, partial);
    found
        .map(Value::Redistribution)
        .map_err(|why| call.fail(why))
}

functions! {
    "distribution", 2..=3, "distribution(layout, shape) or (layout, padded shape, shape)",
        "a layout of (device, element) over the coordinates of a tensor", distribution;
    "redistribution", 2..=3, "redistribution(from, to, modes of partial sums as bits)",
        "what moves from one distribution of a tensor to another", redistribution;
}
