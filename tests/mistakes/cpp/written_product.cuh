// D (64,64) = A (64,64) B (64,64)^T by wgmma of operands that threads wrote. The program that includes this says by which layout
// they write (`Written`), by which the descriptors read (`Read`), and names the `Element`, the `Instruction` and whether it waits
// (`WAIT`). It is included once in each program's namespace.
__global__ void kernel(float* d, float const*, int) {
  extern __shared__ __align__(1024) unsigned char memory[];
  Element* const a = (Element*)memory;
  Element* const b = (Element*)(memory + 65536);
  Tensor w_a = make_tensor(make_smem_ptr(a), Written{}), w_b = make_tensor(make_smem_ptr(b), Written{});
  for (int i = threadIdx.x; i < 4096; i += 128) {
    w_a(i / 64, i % 64, 1) = Element(element(i / 64, i % 64));
    w_b(i / 64, i % 64, 1) = Element(element(i / 64 + 1, i % 64));
  }
  tma_store_fence();
  __syncthreads();
  Tensor s_a = make_tensor(make_smem_ptr(a), Read{}), s_b = make_tensor(make_smem_ptr(b), Read{});
  auto mma = make_tiled_mma(Instruction{});
  auto thr = mma.get_slice(threadIdx.x);
  Tensor r_a = thr.partition_fragment_A(s_a), r_b = thr.partition_fragment_B(s_b);
  Tensor g_d = make_tensor(make_gmem_ptr(d), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  Tensor t_d = thr.partition_C(g_d);
  Tensor r_c = thr.partition_fragment_C(g_d);
  clear(r_c);
  warpgroup_fence_operand(r_c);
  warpgroup_arrive();
  gemm(mma, r_a(_, _, _, 1), r_b(_, _, _, 1), r_c);
  warpgroup_commit_batch();
  if (WAIT) warpgroup_wait<0>();
  if (WAIT) warpgroup_fence_operand(r_c);
  copy(r_c, t_d);
}
int main() {
  auto const expected = [](Numbers const&, int i) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += element(i / 64, k) * element(i % 64 + 1, k);
    return sum;
  };
  return map(kernel, {1, 128, 131072}, 1, 4096, expected);
}
