// A product by CUTLASS's collectives for Hopper: D = A B in f16 with f32 accumulators, tiles of 128 by 128 by 64, two blocks a
// cluster with multicast, persistent blocks with a producer and two consumer warp groups, stores by TMA.
// host.cuh beside this file makes the arguments and runs the kernel on a GPU.
#include "host.cuh"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/kernel/gemm_universal.hpp"

using namespace cute;
using Half = cutlass::half_t;
using BlockTile = Shape<_128, _128, _64>;
using Cluster = Shape<_2, _1, _1>;
using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;
namespace collective = cutlass::epilogue::collective;
namespace gemm = cutlass::gemm;
using cutlass::arch::OpClassTensorOp, cutlass::arch::Sm90;

using Epilogue = collective::CollectiveBuilder<Sm90, OpClassTensorOp, BlockTile, Cluster, collective::EpilogueTileAuto, float, float, void,
                                               Row, 8, Half, Row, 8, cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
using Mainloop =
    gemm::collective::CollectiveBuilder<Sm90, OpClassTensorOp, Half, Row, 8, Half, Column, 8, float, BlockTile, Cluster,
                                        gemm::collective::StageCount<3>, gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
using Gemm = gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue, gemm::PersistentScheduler>;

KERNEL(cutlass_gemm, Gemm)

void run(const char* name, int m, int n, int k) {
  Half *A = buffer<Half>("a", size_t(m) * k), *B = buffer<Half>("b", size_t(n) * k), *D = buffer<Half>("d", size_t(m) * n, true);
  cutlass::KernelHardwareInfo info;
  info.sm_count = 4;
  info.max_active_clusters = 2;
  Gemm::Arguments arguments{gemm::GemmUniversalMode::kGemm,
                            {m, n, k, 1},
                            {A, {k, _1{}, 0}, B, {k, _1{}, 0}},
                            {{}, nullptr, {n, _1{}, 0}, D, {n, _1{}, 0}},
                            info};
  if (!Gemm::can_implement(arguments)) exit(puts("cannot implement"));
  launch<Gemm>(name, cutlass_gemm, Gemm::to_underlying_arguments(arguments, nullptr), dim3(2));
}

int main(int count, char** words) {
  start(count, words);
  run("gemm.0", 256, 256, 256);
  run("gemm.1", 312, 200, 136);
}
