#include "common.cuh"
__global__ void kernel(float* d, float const*, int) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}, Tile<_32, _32, _16>{});
  __shared__ alignas(16) half_t memory[32 * 32];
  auto layout = Layout<Shape<_32, _32>, Stride<_32, _1>>{};
  Tensor s_d = make_tensor(make_smem_ptr(memory), layout);
  auto thr = mma.get_slice(threadIdx.x);
  Tensor r_d = make_tensor<half_t>(thr.partition_fragment_C(s_d).shape());
  Tensor places = thr.partition_C(make_identity_tensor(Shape<_32, _32>{}));
  for (int i = 0; i < size(r_d); ++i) r_d(i) = half_t(float(get<0>(places(i)) * 32 + get<1>(places(i))));
#ifdef MISTAKE
  auto r2s = make_tiled_copy_C(Copy_Atom<UniversalCopy<uint64_t>, half_t>{}, mma);
#else
  auto r2s = make_tiled_copy_C(Copy_Atom<UniversalCopy<uint32_t>, half_t>{}, mma);
#endif
  auto thr_r2s = r2s.get_slice(threadIdx.x);
  copy(r2s, thr_r2s.retile_S(r_d), thr_r2s.partition_D(s_d));
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += 128) d[i] = float(s_d(i / 32, i % 32));
}
int main() { return map(kernel, {1, 128}, 1, 1024, [](Numbers const&, int i) { return float(i); }); }
