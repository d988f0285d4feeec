use cuda_std::{address_space, externally_visible};

#[address_space(local)]
static A: u32 = 0;

#[address_space(texture)]
static B: u32 = 0;

#[externally_visible]
pub extern "C" fn hidden() {}

fn main() {}
