#include "common.cuh"
__global__ void kernel(float* d, float const* a, int) {
  __shared__ alignas(16) double memory[16];
  if (threadIdx.x < 16) memory[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  Tensor s = make_tensor(make_smem_ptr(memory), Layout<Shape<_8, _2>, Stride<_2, _1>>{});
#ifdef MISTAKE
  auto s2r = make_tiled_copy(Copy_Atom<SM75_U32x1_LDSM_N, double>{}, Layout<Shape<_8, _1>>{}, Layout<Shape<_1, _2>>{});
#else
  auto s2r = make_tiled_copy(Copy_Atom<UniversalCopy<double>, double>{}, Layout<Shape<_8, _1>>{}, Layout<Shape<_1, _2>>{});
#endif
  auto thr = s2r.get_slice(threadIdx.x);
  Tensor from = thr.partition_S(s);
  Tensor r = make_tensor<double>(thr.partition_D(s).shape());
  if (threadIdx.x < size(s2r)) {
    copy(s2r, from, r);
    for (int i = 0; i < size(r); ++i) d[2 * threadIdx.x + i] = float(r(i));
  }
}
int main() { return map(kernel, {1, 32}, 16, 16, [](Numbers const& a, int i) { return a[i]; }); }
