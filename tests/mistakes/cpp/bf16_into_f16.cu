#include "common.cuh"
// A lane's registers of A and B, all ones, in one MMA.
#ifdef MISTAKE
using Atom = SM80_16x8x16_F32F16F16F32_TN;
#else
using Atom = SM80_16x8x16_F32BF16BF16F32_TN;
#endif
__global__ void kernel(float* d, float const*, int) {
  Tensor r_a = make_tensor<bfloat16_t>(Shape<_8>{});
  Tensor r_b = make_tensor<bfloat16_t>(Shape<_4>{});
  Tensor r_c = make_tensor<float>(Shape<_4>{});
  fill(r_a, bfloat16_t(1.f));
  fill(r_b, bfloat16_t(1.f));
  clear(r_c);
  MMA_Atom<Atom>{}.call(r_c, r_a, r_b, r_c);
  for (int i = 0; i < 4; ++i) d[4 * threadIdx.x + i] = r_c(i);
}
int main() { return map(kernel, {1, 32}, 1, 128, [](Numbers const&, int) { return 16.f; }); }
