#include "common.cuh"
// A (32,32) is column-major, its leading dimension a number of the run; a copy of 16 bytes along its rows fills a tile in shared memory.
__global__ void kernel(float* d, float const* a, int n) {
  __shared__ alignas(128) half_t memory[32 * 32];
  int const ld = n / 16;
  Tensor g = make_tensor(make_gmem_ptr((half_t const*)a), make_layout(make_shape(32, 32), make_stride(_1{}, ld)));
  using Atom = Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, half_t>;
#ifdef MISTAKE
  Tensor s = make_tensor(make_smem_ptr(memory), Layout<Shape<_32, _32>, Stride<_32, _1>>{});
  auto g2s = make_tiled_copy(Atom{}, Layout<Shape<_32, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
#else
  Tensor s = make_tensor(make_smem_ptr(memory), Layout<Shape<_32, _32>, Stride<_1, _32>>{});
  auto g2s = make_tiled_copy(Atom{}, Layout<Shape<_4, _32>, Stride<_1, _4>>{}, Layout<Shape<_8, _1>>{});
#endif
  auto thr = g2s.get_slice(threadIdx.x);
  copy(g2s, thr.partition_S(g), thr.partition_D(s));
  cp_async_fence();
  cp_async_wait<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) d[i] = float(s(i / 32, i % 32));
}
int main() {
  Numbers a(512);
  for (int i = 0; i < 1024; ++i) ((half_t*)a.data())[i] = half_t(float(i % 500));
  return launch(kernel, {1, 128}, a, 1024, [](Numbers const&, int i) { return float((i / 32 + i % 32 * 32) % 500); });
}
