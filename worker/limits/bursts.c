/* Loops on registers and on arrays; see bursts.h. The instructions are named, since what a compiler makes of plain
 * loops is what is to be judged by these. */
#include "worker/limits/bursts.h"

/* 16 chains: two units with a latency of 4 or 5 cycles need 10. */
enum { CHAINS = 16, ROUNDS = 200000, LOADS = 8 };

/* Uses what a loop came to, so that it is not left out. */
static void use_result(const void *at)
{
    __asm__ volatile("" : : "r"(at) : "memory");
}

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#include <stdbool.h>

#define FMA_LOOP(name, features, vector, set, fma)                                                                     \
    __attribute__((target(features))) static void name(void)                                                           \
    {                                                                                                                  \
        vector sums[CHAINS], factor = set(0.999f), term = set(0.001f);                                                 \
        for (int i = 0; i < CHAINS; i++)                                                                               \
            sums[i] = set((float)i);                                                                                   \
        for (int round = 0; round < ROUNDS; round++)                                                                   \
            _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) sums[i] = fma(sums[i], factor, term);            \
        use_result(sums);                                                                                              \
    }

FMA_LOOP(run_avx512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps)
FMA_LOOP(run_avx2, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps)

__attribute__((target("avx512f,avx512bf16"))) static void run_bf16(void)
{
    __m512 sums[CHAINS];
    __m512bh factor = (__m512bh)_mm512_set1_epi16(0x3c00), term = (__m512bh)_mm512_set1_epi16(0x3c01);
    for (int i = 0; i < CHAINS; i++)
        sums[i] = _mm512_set1_ps((float)i);
    for (int round = 0; round < ROUNDS; round++)
        _Pragma("GCC unroll 16") for (int i = 0; i < CHAINS; i++) sums[i] = _mm512_dpbf16_ps(sums[i], factor, term);
    use_result(sums);
}

#define READ_LOOP(name, features, vector, zero, load, add, width)                                                      \
    __attribute__((target(features))) static float name(const float *numbers, size_t count)                            \
    {                                                                                                                  \
        vector sums[LOADS];                                                                                            \
        float all[width];                                                                                              \
        for (int i = 0; i < LOADS; i++)                                                                                \
            sums[i] = zero();                                                                                          \
        for (size_t at = 0; at < count; at += LOADS * (width))                                                         \
            _Pragma("GCC unroll 8") for (int i = 0; i < LOADS; i++) sums[i] =                                          \
                add(sums[i], load(numbers + at + (width)*i));                                                          \
        for (int i = 1; i < LOADS; i++)                                                                                \
            sums[0] = add(sums[0], sums[i]);                                                                           \
        __builtin_memcpy(all, &sums[0], sizeof all);                                                                   \
        return all[0];                                                                                                 \
    }

READ_LOOP(read_avx512, "avx512f", __m512, _mm512_setzero_ps, _mm512_load_ps, _mm512_add_ps, 16)
READ_LOOP(read_avx2, "avx2,fma", __m256, _mm256_setzero_ps, _mm256_load_ps, _mm256_add_ps, 8)

static int lanes(void)
{
    return __builtin_cpu_supports("avx512f") ? 16 : __builtin_cpu_supports("fma") ? 8 : 0;
}

double burst_flops(void)
{
    if (lanes() == 16)
        run_avx512();
    else if (lanes())
        run_avx2();
    return 2.0 * lanes() * CHAINS * ROUNDS;
}

/* The peak is then that of tiles, which is not measured. */
static bool has_tiles(void)
{
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && d & 1u << 22; /* AMX-BF16 */
}

/* Each lane adds two products. */
double burst_flops_bf16(void)
{
    if (!__builtin_cpu_supports("avx512bf16") || has_tiles())
        return 0;
    run_bf16();
    return 4.0 * 16 * CHAINS * ROUNDS;
}

static float read_vectors(const float *numbers, size_t count)
{
    return lanes() == 16 ? read_avx512(numbers, count) : read_avx2(numbers, count);
}
#else
static int lanes(void)
{
    return 0;
}

double burst_flops(void)
{
    return 0;
}

double burst_flops_bf16(void)
{
    return 0;
}

static float read_vectors(const float *numbers, size_t count)
{
    (void)count;
    return numbers[0];
}
#endif

/* Without vectors that we know: sums enough for the adder's latency. */
static float read_plain(const float *numbers, size_t count)
{
    float sums[LOADS] = {0};
    for (size_t at = 0; at < count; at += LOADS)
        for (int i = 0; i < LOADS; i++)
            sums[i] += numbers[at + (size_t)i];
    use_result(sums);
    return sums[0];
}

float burst_read(const float *numbers, size_t count)
{
    float sum = lanes() ? read_vectors(numbers, count) : read_plain(numbers, count);
    use_result(&sum);
    return sum;
}
