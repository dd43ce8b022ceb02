/* Products of matrices as plain loops, behind cuBLASLt's descriptors. An algorithm remembers what it was found for, and
 * is used for nothing else; what it was not promised it does not take. See fake.hh. */
#include "tests/cuda/fake.hh"
#include "tests/cuda/include/cublasLt.h"

#include <cmath>
#include <cstring>

using namespace fake;

enum { INTERNAL = CUBLAS_STATUS_INTERNAL_ERROR };

/* What the opaque structures hold. */
struct layout {
    uint64_t type, rows, columns, step; /* column-major: `step` numbers from one column to the next */
    uint64_t count, apart;              /* matrices, and numbers from one to the next */
};

struct description {
    uint64_t compute, turned[2], epilogue, bias, bias_type, has_bias_type;
};

struct preference {
    uint64_t workspace, alignment[4]; /* of A, B, C, D */
};

struct algorithm {
    uint64_t hash, workspace, alignment, bias_alignment;
};

struct cublasLtContext {
    int unused;
};

template <typename T, typename O> static T of(const O *opaque)
{
    T made;
    static_assert(sizeof made <= sizeof *opaque, "it fits");
    memcpy(&made, opaque, sizeof made);
    return made;
}

template <typename T, typename O> static void put(O *opaque, const T &made)
{
    memset(opaque, 0, sizeof *opaque);
    memcpy(opaque, &made, sizeof made);
}

template <typename O> static cublasStatus_t destroy(O *opaque, const char *kind, const char *name)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter(name, INTERNAL))
        return (cublasStatus_t)code;
    thing_gone(opaque, kind);
    delete opaque;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtCreate(cublasLtHandle_t *lightHandle)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtCreate", INTERNAL))
        return (cublasStatus_t)code;
    *lightHandle = new cublasLtContext{0};
    thing_made(*lightHandle, "handle of cuBLASLt");
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t lightHandle)
{
    return destroy(lightHandle, "handle of cuBLASLt", "cublasLtDestroy");
}

/* --- descriptions --- */

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmulDesc, cublasComputeType_t computeType,
                                        cudaDataType scaleType)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatmulDescCreate", INTERNAL))
        return (cublasStatus_t)code;
    if (scaleType != CUDA_R_32F)
        return CUBLAS_STATUS_INVALID_VALUE;
    *matmulDesc = new cublasLtMatmulDescOpaque_t;
    put(*matmulDesc, description{computeType, {CUBLAS_OP_N, CUBLAS_OP_N}, CUBLASLT_EPILOGUE_DEFAULT, 0, 0, 0});
    thing_made(*matmulDesc, "description of a product");
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmulDesc)
{
    return destroy(matmulDesc, "description of a product", "cublasLtMatmulDescDestroy");
}

static uint64_t number_of(const void *buf, size_t bytes)
{
    uint32_t small;
    uint64_t large;
    if (bytes == sizeof large)
        return memcpy(&large, buf, bytes), large;
    return memcpy(&small, buf, sizeof small), small;
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmulDesc, cublasLtMatmulDescAttributes_t attr,
                                              const void *buf, size_t sizeInBytes)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatmulDescSetAttribute", INTERNAL))
        return (cublasStatus_t)code;
    thing_check(matmulDesc, "description of a product");
    if (sizeInBytes != (attr == CUBLASLT_MATMUL_DESC_BIAS_POINTER ? sizeof(void *) : sizeof(int32_t)))
        return CUBLAS_STATUS_INVALID_VALUE;
    description self = of<description>(matmulDesc);
    uint64_t value = number_of(buf, sizeInBytes);
    if (attr == CUBLASLT_MATMUL_DESC_TRANSA || attr == CUBLASLT_MATMUL_DESC_TRANSB)
        self.turned[attr == CUBLASLT_MATMUL_DESC_TRANSB] = value;
    else if (attr == CUBLASLT_MATMUL_DESC_EPILOGUE)
        self.epilogue = value;
    else if (attr == CUBLASLT_MATMUL_DESC_BIAS_POINTER)
        self.bias = value;
    else if (attr == CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE)
        self.bias_type = value, self.has_bias_type = 1;
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    put(matmulDesc, self);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *matLayout, cudaDataType type, uint64_t rows,
                                          uint64_t cols, int64_t ld)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatrixLayoutCreate", INTERNAL))
        return (cublasStatus_t)code;
    if ((type != CUDA_R_32F && type != CUDA_R_16BF) || rows == 0 || cols == 0 || ld < (int64_t)rows)
        return CUBLAS_STATUS_INVALID_VALUE;
    *matLayout = new cublasLtMatrixLayoutOpaque_t;
    put(*matLayout, layout{(uint64_t)type, rows, cols, (uint64_t)ld, 1, 0});
    thing_made(*matLayout, "layout of a matrix");
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t matLayout, cublasLtMatrixLayoutAttribute_t attr,
                                                const void *buf, size_t sizeInBytes)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatrixLayoutSetAttribute", INTERNAL))
        return (cublasStatus_t)code;
    thing_check(matLayout, "layout of a matrix");
    bool counts = attr == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT;
    if ((!counts && attr != CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) ||
        sizeInBytes != (counts ? sizeof(int32_t) : sizeof(int64_t)))
        return CUBLAS_STATUS_INVALID_VALUE;
    layout self = of<layout>(matLayout);
    (counts ? self.count : self.apart) = number_of(buf, sizeInBytes);
    put(matLayout, self);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t matLayout)
{
    return destroy(matLayout, "layout of a matrix", "cublasLtMatrixLayoutDestroy");
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *pref)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatmulPreferenceCreate", INTERNAL))
        return (cublasStatus_t)code;
    *pref = new cublasLtMatmulPreferenceOpaque_t;
    put(*pref, preference{0, {256, 256, 256, 256}});
    thing_made(*pref, "preference");
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t pref)
{
    return destroy(pref, "preference", "cublasLtMatmulPreferenceDestroy");
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t pref,
                                                    cublasLtMatmulPreferenceAttributes_t attr, const void *buf,
                                                    size_t sizeInBytes)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatmulPreferenceSetAttribute", INTERNAL))
        return (cublasStatus_t)code;
    thing_check(pref, "preference");
    bool of_workspace = attr == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
    if (sizeInBytes != (of_workspace ? sizeof(uint64_t) : sizeof(uint32_t)))
        return CUBLAS_STATUS_INVALID_VALUE;
    preference self = of<preference>(pref);
    uint64_t value = number_of(buf, sizeInBytes);
    if (of_workspace)
        self.workspace = value;
    else if (attr >= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES && attr <= CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES)
        self.alignment[attr - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES] = value;
    else
        return CUBLAS_STATUS_INVALID_VALUE;
    put(pref, self);
    return CUBLAS_STATUS_SUCCESS;
}

/* --- problems --- */

struct problem {
    description what;
    layout a, b, c, d;
};

static problem problem_of(cublasLtMatmulDesc_t what, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                          cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
    thing_check(what, "description of a product");
    for (cublasLtMatrixLayout_t each : {a, b, c, d})
        thing_check(each, "layout of a matrix");
    return {of<description>(what), of<layout>(a), of<layout>(b), of<layout>(c), of<layout>(d)};
}

static uint64_t inner(const problem &p)
{
    return p.what.turned[0] ? p.a.rows : p.a.columns;
}

static bool has_bias(const problem &p)
{
    return p.what.epilogue & CUBLASLT_EPILOGUE_BIAS;
}

/* As the table of types in cuBLASLt's reference has it, as far as it is used. */
static bool types_fit(const problem &p)
{
    bool narrow = p.a.type == CUDA_R_16BF;
    if (p.a.type != p.b.type || p.c.type != p.d.type || (!narrow && p.d.type != CUDA_R_32F) ||
        (narrow && p.what.compute != CUBLAS_COMPUTE_32F))
        return false;
    return !has_bias(p) || !p.what.has_bias_type || p.what.bias_type == p.d.type;
}

static bool shapes_fit(const problem &p)
{
    uint64_t rows = p.what.turned[0] ? p.a.columns : p.a.rows, columns = p.what.turned[1] ? p.b.rows : p.b.columns,
             inner_b = p.what.turned[1] ? p.b.columns : p.b.rows;
    return p.a.count == p.b.count && p.a.count == p.c.count && p.a.count == p.d.count && p.d.rows == rows && p.d.columns == columns && p.c.rows == rows && p.c.columns == columns &&
           inner(p) == inner_b;
}

static uint64_t hash_of(const problem &p)
{
    uint64_t words[] = {p.what.compute, p.what.turned[0], p.what.turned[1], p.what.epilogue, p.a.type, p.a.rows,
                          p.a.columns,    p.a.step,         p.b.rows,         p.b.columns,     p.b.step, p.d.type,
                          p.d.rows,       p.d.columns,      p.d.step,         p.c.step,
                          p.a.count,      p.a.apart,        p.b.apart,        p.c.apart,       p.d.apart};
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint64_t word : words)
        hash = (hash ^ word) * 0x100000001b3u;
    return hash;
}

static uint64_t alignment_of(uint64_t address)
{
    address |= 256;
    return address & (~address + 1);
}

/* The fastest of its algorithms load 16 bytes at a time, where all that it was told allows that. */
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc,
                                              cublasLtMatrixLayout_t Adesc, cublasLtMatrixLayout_t Bdesc,
                                              cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                              cublasLtMatmulPreference_t pref, int requestedAlgoCount,
                                              cublasLtMatmulHeuristicResult_t heuristicResultsArray[],
                                              int *returnAlgoCount)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    *returnAlgoCount = 0;
    if (int code = enter("cublasLtMatmulAlgoGetHeuristic", INTERNAL))
        return (cublasStatus_t)code;
    thing_check(lightHandle, "handle of cuBLASLt");
    thing_check(pref, "preference");
    problem p = problem_of(operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    if (requestedAlgoCount <= 0 || !shapes_fit(p))
        return CUBLAS_STATUS_INVALID_VALUE;
    preference wish = of<preference>(pref);
    if (!types_fit(p) || wish.workspace < 4096)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    uint64_t least = 16;
    for (uint64_t each : wish.alignment)
        least = each < least ? each : least;
    uint64_t of_bias = alignment_of(p.what.bias) < 16 ? alignment_of(p.what.bias) : 16;
    memset(&heuristicResultsArray[0], 0, sizeof heuristicResultsArray[0]);
    put(&heuristicResultsArray[0].algo, algorithm{hash_of(p), 4096, least, of_bias});
    heuristicResultsArray[0].workspaceSize = 4096;
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

/* --- products --- */

static float number_at(const void *at, uint64_t type, size_t i)
{
    if (type == CUDA_R_32F)
        return ((const float *)at)[i];
    uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
    float number;
    return memcpy(&number, &bits, sizeof number), number;
}

static void put_number(void *at, uint64_t type, size_t i, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (type == CUDA_R_32F)
        ((float *)at)[i] = number;
    else
        ((uint16_t *)at)[i] =
            (uint16_t)(number != number ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* TF32 has 10 bits behind the point. */
static float coarse(float number)
{
    uint32_t bits;
    if (!std::isfinite(number))
        return number;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits + 0x1000) & ~(uint32_t)0x1fff;
    return memcpy(&number, &bits, sizeof number), number;
}

/* The rows of op(A), or the columns of op(B), one after the other. */
static std::vector<float> gathered(const void *at, const layout &l, bool by_columns, bool is_coarse)
{
    std::vector<float> made(l.rows * l.columns);
    for (uint64_t column = 0; column < l.columns; column++)
        for (uint64_t row = 0; row < l.rows; row++) {
            float number = number_at(at, l.type, column * l.step + row);
            made[by_columns ? column * l.rows + row : row * l.columns + column] = is_coarse ? coarse(number) : number;
        }
    return made;
}

static size_t bytes_of(uint64_t type)
{
    return type == CUDA_R_32F ? 4 : 2;
}

static void touch_matrix(const void *at, const layout &l, access kind)
{
    for (uint64_t column = 0; column < (l.step == l.rows ? 1 : l.columns); column++)
        touch((const char *)at + column * l.step * bytes_of(l.type),
              (l.step == l.rows ? l.rows * l.columns : l.rows) * bytes_of(l.type), kind);
}

/* Four sums, as if four parts of a GPU shared the products. */
static float product_of(const float *a, const float *b, uint64_t count)
{
    float sums[4] = {0, 0, 0, 0};
    uint64_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    for (; i < count; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

struct call {
    problem p;
    float alpha, beta;
    const void *a, *b, *c;
    void *d, *workspace;
    algorithm how;
};

static void multiply_one(const call &of)
{
    const problem &p = of.p;
    const void *bias = (const void *)p.what.bias;
    touch_matrix(of.a, p.a, READ);
    touch_matrix(of.b, p.b, READ);
    if (of.beta != 0)
        touch_matrix(of.c, p.c, READ);
    if (has_bias(p))
        touch(bias, p.d.rows * bytes_of(p.d.type), READ);
    touch(of.workspace, of.how.workspace, WRITE);
    memset(of.workspace, 0x7f, of.how.workspace);
    touch_matrix(of.d, p.d, WRITE);
    bool is_coarse = p.what.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && p.a.type == CUDA_R_32F;
    std::vector<float> a = gathered(of.a, p.a, p.what.turned[0], is_coarse),
                       b = gathered(of.b, p.b, !p.what.turned[1], is_coarse);
    uint64_t K = inner(p);
    for (uint64_t column = 0; column < p.d.columns; column++)
        for (uint64_t row = 0; row < p.d.rows; row++) {
            float made = of.alpha * product_of(&a[row * K], &b[column * K], K);
            if (of.beta != 0)
                made += of.beta * number_at(of.c, p.c.type, column * p.c.step + row);
            if (has_bias(p))
                made += number_at(bias, p.d.type, row);
            if (p.what.epilogue & CUBLASLT_EPILOGUE_RELU)
                made = made < 0 ? 0 : made;
            put_number(of.d, p.d.type, column * p.d.step + row, made);
        }
}

/* Its n-th matrices, which all have the same bias. */
static void multiply(const call &of)
{
    const problem &p = of.p;
    for (uint64_t n = 0; n < p.d.count; n++) {
        call one = of;
        one.a = (const char *)of.a + n * p.a.apart * bytes_of(p.a.type);
        one.b = (const char *)of.b + n * p.b.apart * bytes_of(p.b.type);
        one.c = (const char *)of.c + n * p.c.apart * bytes_of(p.c.type);
        one.d = (char *)of.d + n * p.d.apart * bytes_of(p.d.type);
        multiply_one(one);
    }
}

static void check_pointer(const char *name, const void *at, uint64_t alignment)
{
    if ((uintptr_t)at % alignment)
        broken("cublasLtMatmul: %s is at %p, and its algorithm was found for multiples of %d", name, at,
               (int)alignment);
}

/* The first one and, where there are several, the second. */
static void check_matrices(const char *name, const void *at, const layout &l, uint64_t alignment)
{
    check_pointer(name, at, alignment);
    if (l.count > 1)
        check_pointer(name, (const char *)at + l.apart * bytes_of(l.type), alignment);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void *alpha,
                              const void *A, cublasLtMatrixLayout_t Adesc, const void *B, cublasLtMatrixLayout_t Bdesc,
                              const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo, void *workspace,
                              size_t workspaceSizeInBytes, cudaStream_t stream)
{
    std::lock_guard<std::recursive_mutex> guard(entrance);
    if (int code = enter("cublasLtMatmul", CUBLAS_STATUS_EXECUTION_FAILED))
        return (cublasStatus_t)code;
    thing_check(lightHandle, "handle of cuBLASLt");
    call made = {problem_of(computeDesc, Adesc, Bdesc, Cdesc, Ddesc),
                 *(const float *)alpha,
                 *(const float *)beta,
                 A,
                 B,
                 C,
                 D,
                 workspace,
                 of<algorithm>(algo)};
    if (made.how.hash != hash_of(made.p))
        broken("cublasLtMatmul: its algorithm was found for another product");
    if (workspaceSizeInBytes < made.how.workspace || (has_bias(made.p) && !made.p.what.bias))
        return CUBLAS_STATUS_INVALID_VALUE;
    check_matrices("A", A, made.p.a, made.how.alignment);
    check_matrices("B", B, made.p.b, made.how.alignment);
    check_matrices("C", C, made.p.c, made.how.alignment);
    check_matrices("D", D, made.p.d, made.how.alignment);
    check_pointer("the workspace", workspace, 256);
    if (has_bias(made.p))
        check_pointer("the bias", (const void *)made.p.what.bias, made.how.bias_alignment);
    cudaError_t status = add_work(stream, "cublasLtMatmul", [made] { multiply(made); });
    return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}
