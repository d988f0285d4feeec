/* Launches Cutlet's kernels from C, by the driver API alone.

       cutlet ptx --out ptx
       cc -O2 launch.c -o launch -ldl && ./launch ptx/kernels.ptx

   What is written here of each kernel stands in ptx/kernels.json: parameters, threads of a CTA, bytes of shared memory, and the
   fields of GemmParams with their offsets. Declared here is no more of the driver than is called. */

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef unsigned long long CUdeviceptr;
static CUresult (*cuInit)(unsigned), (*cuDeviceGet)(int *, int), (*cuDevicePrimaryCtxRetain)(void **, int), (*cuCtxSetCurrent)(void *);
static CUresult (*cuModuleLoadData)(void **, const void *), (*cuModuleGetFunction)(void **, void *, const char *);
static CUresult (*cuMemAlloc)(CUdeviceptr *, size_t), (*cuMemcpyHtoD)(CUdeviceptr, const void *, size_t);
static CUresult (*cuMemcpyDtoH)(void *, CUdeviceptr, size_t), (*cuCtxSynchronize)(void), (*cuFuncSetAttribute)(void *, int, int);
static CUresult (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
static CUresult (*cuGetErrorString)(CUresult, const char **);

static void check(CUresult code, const char *what) {
    const char *text = "?";
    if (code == 0) return;
    if (cuGetErrorString) cuGetErrorString(code, &text);
    fprintf(stderr, "%s: error %d, %s\n", what, code, text);
    exit(1);
}
#define CHECK(call) check(call, #call)

/* GemmParams of kernels.json: 96 bytes. */
struct GemmParams {
    uint32_t m, n, k, k_slices;
    uint64_t lda, ldb, ldc, ldd, batch_a, batch_b, batch_c, batch_d;
    float alpha, beta;
    uint32_t epilogue, raster_group;
};
_Static_assert(sizeof(struct GemmParams) == 96, "as kernels.json has it");

static CUdeviceptr upload(const void *from, size_t bytes) {
    CUdeviceptr to;
    CHECK(cuMemAlloc(&to, bytes));
    CHECK(cuMemcpyHtoD(to, from, bytes));
    return to;
}

/* Numbers of s8, whose products are exact: the bits of a small generator. */
static int8_t number(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (int8_t)(*state >> 24);
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "usage: launch kernels.ptx\n"), 2;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return fprintf(stderr, "no CUDA driver: %s\n", dlerror()), 1;
    struct { void *to; const char *name; } symbols[] = {
        {&cuInit, "cuInit"}, {&cuDeviceGet, "cuDeviceGet"}, {&cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain"},
        {&cuCtxSetCurrent, "cuCtxSetCurrent"}, {&cuModuleLoadData, "cuModuleLoadData"}, {&cuModuleGetFunction, "cuModuleGetFunction"},
        {&cuMemAlloc, "cuMemAlloc_v2"}, {&cuMemcpyHtoD, "cuMemcpyHtoD_v2"}, {&cuMemcpyDtoH, "cuMemcpyDtoH_v2"},
        {&cuCtxSynchronize, "cuCtxSynchronize"}, {&cuFuncSetAttribute, "cuFuncSetAttribute"}, {&cuLaunchKernel, "cuLaunchKernel"},
        {&cuGetErrorString, "cuGetErrorString"},
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(driver, symbols[i].name);
        if (!found) return fprintf(stderr, "the driver has no %s\n", symbols[i].name), 1;
        memcpy(symbols[i].to, &found, sizeof found);
    }
    int device;
    void *context, *module, *vecadd, *gemm;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));

    FILE *file = fopen(arguments[1], "rb");
    if (!file) return perror(arguments[1]), 1;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    char *ptx = calloc(length + 1, 1);
    if (!ptx || fread(ptx, 1, length, file) != (size_t)length) return fprintf(stderr, "%s cannot be read\n", arguments[1]), 1;
    CHECK(cuModuleLoadData(&module, ptx));

    /* vecadd(a, b, c, n): CTAs of 256 threads, ceil(n / 1024) of them. */
    uint32_t n = 100003;
    float *host = malloc(4 * n);
    for (uint32_t i = 0; i < n; i++) host[i] = (float)i / 8;
    CUdeviceptr a = upload(host, 4 * n), b = upload(host, 4 * n), c = upload(host, 4 * n);
    void *of_vecadd[] = {&a, &b, &c, &n};
    CHECK(cuModuleGetFunction(&vecadd, module, "vecadd"));
    CHECK(cuLaunchKernel(vecadd, (n + 1023) / 1024, 1, 1, 256, 1, 1, 0, NULL, of_vecadd, NULL));
    float *sum = malloc(4 * n);
    CHECK(cuMemcpyDtoH(sum, c, 4 * n));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) wrong += sum[i] != host[i] + host[i];
    printf("vecadd, %u elements: %u wrong\n", n, wrong);

    /* gemm_s8_s32_tn_128x128x64_s4: D (m,n) in s32, exact. The flags are INTEGER (2) and VECTORS (128). */
    struct GemmParams params = {.m = 200, .n = 328, .k = 528, .k_slices = 1, .lda = 528, .ldb = 528, .ldd = 328,
                                .alpha = 1, .epilogue = 2 | 128, .raster_group = 8};
    uint32_t state = 7, m = params.m, k = params.k;
    n = params.n;
    int8_t *left = malloc(m * k), *right = malloc(n * k);
    for (uint32_t i = 0; i < m * k; i++) left[i] = number(&state);
    for (uint32_t i = 0; i < n * k; i++) right[i] = number(&state);
    int32_t *d = malloc(4 * m * n);
    memset(d, 0xff, 4 * m * n);
    CUdeviceptr device_d = upload(d, 4 * m * n), device_a = upload(left, m * k), device_b = upload(right, n * k), none = 0;
    void *of_gemm[] = {&device_d, &device_a, &device_b, &none, &none, &none, &params};
    CHECK(cuModuleGetFunction(&gemm, module, "gemm_s8_s32_tn_128x128x64_s4"));
    CHECK(cuFuncSetAttribute(gemm, 8 /* MAX_DYNAMIC_SHARED_SIZE_BYTES */, 65536));
    CHECK(cuLaunchKernel(gemm, ((m + 127) / 128) * ((n + 127) / 128), 1, 1, 128, 1, 1, 65536, NULL, of_gemm, NULL));
    CHECK(cuMemcpyDtoH(d, device_d, 4 * m * n));
    uint32_t wrong_d = 0;
    for (uint32_t i = 0; i < m; i++)
        for (uint32_t j = 0; j < n; j++) {
            int32_t exact = 0;
            for (uint32_t p = 0; p < k; p++) exact += left[i * k + p] * right[j * k + p];
            wrong_d += exact != d[i * n + j];
        }
    printf("gemm %ux%ux%u, s8 to s32: %u of %u wrong\n", m, n, k, wrong_d, m * n);

    n = 1024;
    CHECK(cuCtxSynchronize());
    struct timespec begun, ended;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    for (int i = 0; i < 10000; i++) CHECK(cuLaunchKernel(vecadd, 1, 1, 1, 256, 1, 1, 0, NULL, of_vecadd, NULL));
    clock_gettime(CLOCK_MONOTONIC, &ended);
    CHECK(cuCtxSynchronize());
    printf("a launch by C: %.2f us of the host's time\n",
           ((ended.tv_sec - begun.tv_sec) * 1e9 + (ended.tv_nsec - begun.tv_nsec)) / 1e3 / 10000);
    return wrong + wrong_d != 0;
}
