use cuda_std::kernel;

pub struct Owned(u32);

#[kernel]
pub unsafe fn takes_owned(n: u32, owned: Owned) {}

#[kernel]
pub unsafe fn takes_vec<'a>(owned: Vec<&'a u32>) {}

fn main() {}
