#include "common.cuh"
// A tile of (32,32) elements goes to shared memory by a tiled copy, and from there to D by plain code.
#ifdef MISTAKE
using SmemLayout = Layout<Shape<_32, _32>, Stride<Int<36>, _1>>;
__device__ auto tiled_copy() { return make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{}, Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}); }
#else
using SmemLayout = Layout<Shape<_32, _32>, Stride<Int<40>, _1>>;
__device__ auto tiled_copy() { return make_tiled_copy(Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>{}, Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{}); }
#endif
__global__ void kernel(float* d, float const* a, int) {
  using Element = half_t;
  __shared__ alignas(128) Element memory[cosize_v<SmemLayout>];
  Tensor g = make_tensor(make_gmem_ptr((Element const*)a), Layout<Shape<_32, _32>, Stride<_32, _1>>{});
  Tensor s = make_tensor(make_smem_ptr(memory), SmemLayout{});
  auto g2s = tiled_copy();
  auto thr = g2s.get_slice(threadIdx.x);
  copy(g2s, thr.partition_S(g), thr.partition_D(s));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x) d[i] = float(s(i / 32, i % 32));
}
int main() {
  Numbers a(512);
  for (int i = 0; i < 1024; ++i) ((half_t*)a.data())[i] = half_t(float(i % 500));
  return launch(kernel, {1, 128}, a, 1024, [](Numbers const& a, int i) { return float(i % 500); });
}
