// 16x8 tiles of a product in f16, one warp each: cp.async, ldmatrix, mma.sync. A is (m, k), B (n, k), both rows.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
extern "C" __global__ void tensor_cores(const half *a, const half *b, float *c, int m, int n, int k) {
    __shared__ __align__(16) half ta[16][24], tb[8][24];
    int lane = threadIdx.x, row = blockIdx.y * 16, column = blockIdx.x * 8;
    float d[4] = {};
    for (int t = 0; t < k; t += 16) {
        __pipeline_memcpy_async(&ta[lane / 2][lane % 2 * 8], a + (row + lane / 2) * k + t + lane % 2 * 8, 16);
        if (lane < 16) __pipeline_memcpy_async(&tb[lane / 2][lane % 2 * 8], b + (column + lane / 2) * k + t + lane % 2 * 8, 16);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        unsigned fa[4], fb[2];
        unsigned pa = __cvta_generic_to_shared(&ta[lane % 16][lane / 16 * 8]), pb = __cvta_generic_to_shared(&tb[lane % 8][lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa));
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(fb[0]), "=r"(fb[1]) : "r"(pb));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) c[(row + lane / 4 + i / 2 * 8) * n + column + lane % 4 * 2 + i % 2] = d[i];
}
