#include "common.cuh"
#include <cute/atom/mma_traits_sm90_gmma.hpp>
// A thread's accumulators of the scores (64,128), as operand A of the second product: d[row][column] is the element that A takes there.
#ifdef MISTAKE
using Scores = SM90_64x128x32_F32E4M3E4M3_SS_TN<>;
using Second = SM90_64x128x32_F32E4M3E4M3_RS_TN<>;
#else
using Scores = SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>;
using Second = SM90_64x128x16_F32F16F16_RS<GMMA::Major::K, GMMA::Major::K>;
#endif
__global__ void kernel(float* d, float const*, int) {
  Tensor places = make_identity_tensor(Shape<_64, _128>{});
  auto first = make_tiled_mma(Scores{}).get_slice(threadIdx.x);
  auto second = make_tiled_mma(Second{}).get_slice(threadIdx.x);
  Tensor of_c = first.partition_C(places);
  Tensor of_a = second.partition_A(places);
  float values[size(of_c)];
  for (int i = 0; i < size(of_c); ++i) values[i] = float(128 * get<0>(of_c(i)) + get<1>(of_c(i)));
  for (int i = 0; i < size(of_a); ++i) d[128 * get<0>(of_a(i)) + get<1>(of_a(i))] = values[i];
}
int main() { return launch(kernel, {1, 128}, Numbers(1), 8192, [](Numbers const&, int i) { return float(i); }); }
