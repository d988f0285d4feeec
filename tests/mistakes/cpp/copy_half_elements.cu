#include "common.cuh"
// A tile of (16,16) elements goes to shared memory by a tiled copy, and from there to D by plain code.
#ifdef MISTAKE
using SmemLayout = Layout<Shape<_16, _16>, Stride<_16, _1>>;
__device__ auto tiled_copy() { return make_tiled_copy(Copy_Atom<UniversalCopy<uint16_t>, float>{}, Layout<Shape<_16, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _4>>{}); }
#else
using SmemLayout = Layout<Shape<_16, _16>, Stride<_16, _1>>;
__device__ auto tiled_copy() { return make_tiled_copy(Copy_Atom<UniversalCopy<uint32_t>, float>{}, Layout<Shape<_16, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _4>>{}); }
#endif
__global__ void kernel(float* d, float const* a, int) {
  using Element = float;
  __shared__ alignas(128) Element memory[cosize_v<SmemLayout>];
  Tensor g = make_tensor(make_gmem_ptr((Element const*)a), Layout<Shape<_16, _16>, Stride<_16, _1>>{});
  Tensor s = make_tensor(make_smem_ptr(memory), SmemLayout{});
  auto g2s = tiled_copy();
  auto thr = g2s.get_slice(threadIdx.x);
  copy(g2s, thr.partition_S(g), thr.partition_D(s));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 16 * 16; i += blockDim.x) d[i] = float(s(i / 16, i % 16));
}
int main() { return map(kernel, {1, 64}, 256, 256, [](Numbers const& a, int i) { return a[i]; }); }
