#include "common.cuh"
// A tile of (4,2) elements goes to shared memory by a tiled copy, and from there to D by plain code.
#ifdef MISTAKE
using SmemLayout = Layout<Shape<_4, _2>>;
__device__ auto tiled_copy() { return (make_tiled_copy_impl(Copy_Atom<UniversalCopy<uint32_t>, float>{}, Layout<Shape<_4, _2>, Stride<_1, _2>>{}, Shape<_4, _2>{})); }
#else
using SmemLayout = Layout<Shape<_4, _2>>;
__device__ auto tiled_copy() { return (make_tiled_copy_impl(Copy_Atom<UniversalCopy<uint32_t>, float>{}, Layout<Shape<_4, _2>, Stride<_1, _4>>{}, Shape<_4, _2>{})); }
#endif
__global__ void kernel(float* d, float const* a, int) {
  using Element = float;
  __shared__ alignas(128) Element memory[cosize_v<SmemLayout>];
  Tensor g = make_tensor(make_gmem_ptr((Element const*)a), Layout<Shape<_4, _2>>{});
  Tensor s = make_tensor(make_smem_ptr(memory), SmemLayout{});
  auto g2s = tiled_copy();
  auto thr = g2s.get_slice(threadIdx.x);
  copy(g2s, thr.partition_S(g), thr.partition_D(s));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 4 * 2; i += blockDim.x) d[i] = float(s(i / 2, i % 2));
}
int main() { return map(kernel, {1, 4}, 8, 8, [](Numbers const& a, int i) { return a[i / 2 + i % 2 * 4]; }); }
