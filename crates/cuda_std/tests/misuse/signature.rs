use cuda_std::kernel;

#[kernel]
pub fn not_unsafe(a: *mut f32) {}

#[kernel]
pub unsafe fn generic<T, const N: usize>(a: *mut T) {}

#[kernel]
pub unsafe fn anonymous(a: impl Copy) {}

#[kernel]
pub unsafe fn returns(a: *mut f32) -> f32 {
    0.0
}

#[kernel]
pub unsafe extern "system" fn other_abi(a: *mut f32) {}

#[kernel]
pub async unsafe fn waits() {}

#[kernel]
pub const unsafe fn constant(a: u32) {}

#[kernel]
pub unsafe fn exclusive(a: &mut [f32]) {}

#[kernel]
pub fn three_rules_at_once<T>(a: T) -> T {
    a
}

#[kernel(block_dim = 4d)]
pub unsafe fn dimensions() {}

#[kernel(max_threads = 128)]
pub unsafe fn unknown_option() {}

struct S;
impl S {
    #[kernel]
    pub unsafe fn method(&self) {}
}

fn main() {}
