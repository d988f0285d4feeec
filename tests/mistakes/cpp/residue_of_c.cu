#include "common.cuh"
// Rows 0 to 23 of D are the residue of a tile of 32; what stands behind them is another's.
__global__ void kernel(float* d, float const*, int) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2, _1>>{}, Tile<_32, _32, _16>{});
  auto thr = mma.get_slice(threadIdx.x);
  Tensor t_d = thr.partition_C(make_tensor(make_gmem_ptr(d), Layout<Shape<_24, _32>, Stride<_32, _1>>{}));
  Tensor t_i = thr.partition_C(make_identity_tensor(Shape<_24, _32>{}));
  Tensor r_c = make_fragment_like(t_d);
  for (int i = 0; i < size(r_c); ++i) r_c(i) = float(32 * get<0>(t_i(i)) + get<1>(t_i(i)));
#ifdef MISTAKE
  copy(r_c, t_d);
#else
  for (int i = 0; i < size(r_c); ++i)
    if (get<0>(t_i(i)) < 24) t_d(i) = r_c(i);
#endif
}
int main() {
  return launch(kernel, {1, 128}, Numbers(1), 1024, [](Numbers const&, int i) { return i < 24 * 32 ? float(i) : -1.f; }, 0,
                Numbers(1024, -1.f));
}
