/* What programs say of a GPU without memory, or of a broken one, is understood; other failures are not taken for it. */
#include "tests/claims.h"
#include "worker/program/gpu_words.h"

#include <string.h>

static void assert_finds(const char *text, enum gpu_trouble expected, const char *expected_line)
{
    const char *line = NULL;
    size_t length = 0;
    assert_int_equal(gpu_words_find(text, &line, &length), expected);
    assert_int_equal(length, strlen(expected_line));
    if (length)
        assert_memory_equal(line, expected_line, length);
}

static void frameworks_that_lack_memory_are_understood(void **state)
{
    (void)state;
    static const char *const said[] = {
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 79.10 "
        "GiB",
        "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 15.78 GiB total capacity)",
        "RuntimeError: CUDA error: out of memory",
        "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 68719476736 "
        "bytes.",
        "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,512]",
        "terminate called after throwing: cudaErrorMemoryAllocation",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        assert_finds(said[i], GPU_TROUBLE_MEMORY, said[i]);
}

static void broken_hardware_is_understood(void **state)
{
    (void)state;
    assert_finds("RuntimeError: CUDA error: uncorrectable ECC error encountered", GPU_TROUBLE_HARDWARE,
                 "RuntimeError: CUDA error: uncorrectable ECC error encountered");
    assert_finds("Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot",
                 GPU_TROUBLE_HARDWARE,
                 "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.  Reboot");
}

static void the_last_line_that_says_so_counts(void **state)
{
    (void)state;
    assert_finds("CUDA out of memory, trying a smaller batch\nmore\nuncorrectable ECC error encountered\nbye\n",
                 GPU_TROUBLE_HARDWARE, "uncorrectable ECC error encountered");
}

static void other_failures_are_not_taken_for_it(void **state)
{
    (void)state;
    assert_finds(NULL, GPU_TROUBLE_NONE, "");
    assert_finds("", GPU_TROUBLE_NONE, "");
    assert_finds("MemoryError\nout of memory\n", GPU_TROUBLE_NONE, "");
    assert_finds("RuntimeError: CUDA error: device-side assert triggered", GPU_TROUBLE_NONE, "");
    assert_finds("RuntimeError: CUDA error: an illegal memory access was encountered", GPU_TROUBLE_NONE, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frameworks_that_lack_memory_are_understood),
        cmocka_unit_test(broken_hardware_is_understood),
        cmocka_unit_test(the_last_line_that_says_so_counts),
        cmocka_unit_test(other_failures_are_not_taken_for_it),
    };
    return cmocka_run_group_tests_name("gpu_words", tests, NULL, NULL);
}
