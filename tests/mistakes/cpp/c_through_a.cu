#include "common.cuh"
// The accumulators, each its own place in D, by way of shared memory.
__global__ void kernel(float* d, float const*, int) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}, Tile<_32, _32, _16>{});
  __shared__ float memory[32 * 32];
  auto layout = Layout<Shape<_32, _32>, Stride<_32, _1>>{};
  Tensor s_d = make_tensor(make_smem_ptr(memory), layout);
  Tensor g_d = make_tensor(make_gmem_ptr(d), layout);
  auto thr = mma.get_slice(threadIdx.x);
  Tensor r_c = thr.partition_fragment_C(s_d);
  Tensor places = thr.partition_C(make_identity_tensor(Shape<_32, _32>{}));
  for (int i = 0; i < size(r_c); ++i) r_c(i) = float(get<0>(places(i)) * 32 + get<1>(places(i)));
#ifdef MISTAKE
  auto r2s = make_tiled_copy_A(Copy_Atom<UniversalCopy<uint32_t>, float>{}, mma);
#else
  auto r2s = make_tiled_copy_C(Copy_Atom<UniversalCopy<uint32_t>, float>{}, mma);
#endif
  auto thr_r2s = r2s.get_slice(threadIdx.x);
  copy(r2s, thr_r2s.retile_S(r_c), thr_r2s.partition_D(s_d));
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 128) g_d(i / 32, i % 32) = s_d(i / 32, i % 32);
}
int main() { return map(kernel, {1, 128}, 1, 1024, [](Numbers const&, int i) { return float(i); }); }
