#include "common.cuh"
__global__ void kernel(float* d, float const*, int) {
  __shared__ alignas(16) half_t memory[32 * 32];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) memory[i] = half_t(float(i % 512));
  __syncthreads();
  Tensor s = make_tensor(make_smem_ptr(memory), Layout<Shape<_32, _32>, Stride<_32, _1>>{});
#ifdef MISTAKE
  auto s2r = make_tiled_copy(Copy_Atom<SM75_U32x1_LDSM_N, half_t>{}, Layout<Shape<_4, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _2>>{});
#else
  auto s2r = make_tiled_copy(Copy_Atom<SM75_U32x1_LDSM_N, half_t>{}, Layout<Shape<_8, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _2>>{});
#endif
  auto thr = s2r.get_slice(threadIdx.x);
  Tensor places = thr.partition_D(make_identity_tensor(Shape<_32, _32>{}));
  Tensor r = make_tensor<half_t>(thr.partition_D(s).shape());
  copy(s2r, thr.partition_S(s), r);
  for (int i = 0; i < size(r); ++i) d[get<0>(places(i)) * 32 + get<1>(places(i))] = float(r(i));
}
int main() { return map(kernel, {1, 32}, 1, 1024, [](Numbers const&, int i) { return float(i % 512); }); }
