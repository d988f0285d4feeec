// Attention by CUTLASS's example 88_hopper_fmha: f16, heads of 64, tiles of 128 queries by 64 keys.
// host.cuh beside this file makes the arguments and runs the kernels on a GPU.
#include "host.cuh"
#include "kernel/fmha_kernel_builder.hpp"
#include "collective/fmha_fusion.hpp"

using namespace cute;
using Half = cutlass::half_t;
using Rows = tuple<int, _1, tuple<int, int>>;  // (row, column, (batch, head))

template <class Schedule, class Fusion>
using Fmha = typename cutlass::fmha::kernel::FmhaBuilder<
    Half, float, float, Shape<_128, _64, _64>, Rows, Rows, Rows, Fusion, Schedule>::Kernel;

// The cooperative kernel, any number of keys; and the persistent ping-pong kernel with a causal mask.
using Cooperative = Fmha<cutlass::gemm::KernelTmaWarpSpecializedCooperative, cutlass::fmha::collective::ResidualFusion>;
using Pingpong = Fmha<cutlass::gemm::KernelTmaWarpSpecializedPingpong, cutlass::fmha::collective::CausalFusion>;

KERNEL(fmha_cooperative, Cooperative)
KERNEL(fmha_pingpong_causal, Pingpong)

template <class Kernel>
void attention(const char* name, void (*kernel)(typename Kernel::Params), int heads, int queries, int keys) {
  size_t q = size_t(heads) * queries * 64, k = size_t(heads) * keys * 64;
  Half *Q = buffer<Half>("q", q), *K = buffer<Half>("k", k), *V = buffer<Half>("v", k);
  Half* O = buffer<Half>("o", q, true);
  float* L = buffer<float>("lse", heads * queries, true);
  Rows of_q = make_stride(64, _1{}, make_stride(int(q), queries * 64));
  Rows of_k = make_stride(64, _1{}, make_stride(int(k), keys * 64));
  cutlass::KernelHardwareInfo info;
  info.sm_count = 2;
  typename Kernel::Arguments arguments{{1, heads, queries, keys, 64},
                                       {Q, of_q, K, of_k, V, of_k},
                                       {O, of_q, L, make_stride(_1{}, make_stride(heads * queries, queries))},
                                       info};
  if (!Kernel::can_implement(arguments)) exit(puts("cannot implement"));
  launch<Kernel>(name, kernel, Kernel::to_underlying_arguments(arguments, nullptr));
}

int main(int count, char** words) {
  start(count, words);
  attention<Cooperative>("cooperative.0", fmha_cooperative, 2, 256, 256);
  attention<Cooperative>("cooperative.1", fmha_cooperative, 1, 152, 100);
  attention<Pingpong>("pingpong_causal.0", fmha_pingpong_causal, 2, 256, 256);
  attention<Pingpong>("pingpong_causal.1", fmha_pingpong_causal, 1, 152, 152);
}
