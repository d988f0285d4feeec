#include "common.cuh"
#ifdef MISTAKE
using Rows = _96;
#else
using Rows = _128;
#endif
// Stage 1 is filled first, then stage 0; D is stage 1.
__global__ void kernel(float* d, float const* a, int) {
  extern __shared__ half_t memory[];
  auto tile = make_layout(make_shape(Rows{}, _32{}), make_stride(_32{}, _1{}));
  auto stages = make_layout(make_shape(Rows{}, _32{}, _2{}), make_stride(_32{}, _1{}, Rows{} * _32{}));
  Tensor s = make_tensor(make_smem_ptr(memory), stages);
  Tensor g0 = make_tensor(make_gmem_ptr((half_t const*)a), tile);
  Tensor g1 = make_tensor(make_gmem_ptr((half_t const*)a + size(tile)), tile);
  auto g2s = make_tiled_copy(Copy_Atom<UniversalCopy<uint128_t>, half_t>{}, Layout<Shape<_64, _4>, Stride<_4, _1>>{}, Layout<Shape<_1, _8>>{});
  auto thr = g2s.get_slice(threadIdx.x);
  copy(g2s, thr.partition_S(g1), thr.partition_D(s(_, _, 1)));
  __syncthreads();
  copy(g2s, thr.partition_S(g0), thr.partition_D(s(_, _, 0)));
  __syncthreads();
  for (int i = threadIdx.x; i < size(tile); i += blockDim.x) d[i] = float(s(i / 32, i % 32, 1));
}
int main() {
  int const tile = Rows{} * 32;
  Numbers a(tile);
  for (int i = 0; i < 2 * tile; ++i) ((half_t*)a.data())[i] = half_t(float(i % 1999));
  return launch(kernel, {1, 256, 4 * tile}, a, tile, [=](Numbers const&, int i) { return float((i + tile) % 1999); });
}
