/* Whatever fails on a GPU: the process ends with a sentence, or what was asked for is refused with one, or another way
 * makes the same; nothing hangs, and nothing wrong is taken for a result. */
#include "tests/claims.h"
#include "tests/cuda/apart.h"
#include "tests/cuda/fake_cuda.h"
#include "tests/tensors.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* How the process ends that works. */
enum { RIGHT = 3, WRONG, REFUSED };

#define S(...) TENSORS_SIZES(__VA_ARGS__)

/* Memory, copies, a product, a convolution by cuDNN and one without, and a step that is recorded and repeated. */
static void work(struct tensors *t)
{
    const struct window window = {.height = 3, .width = 3, .stride = 1, .padding = 1};
    struct tensor x = tensors_random(t, TENSOR_F32, S(2, 5, 5, 4)), w = tensors_random(t, TENSOR_F32, S(4, 3, 3, 4)),
                  y = tensors_zeros(t, TENSOR_F32, S(2, 5, 5, 4)), v = tensors_random(t, TENSOR_F32, S(6, 100)),
                  b = tensors_random(t, TENSOR_F32, S(6)), z = tensors_zeros(t, TENSOR_F32, S(2, 6));
    struct tensor narrow = tensors_random(t, TENSOR_BF16, S(2, 5, 5, 3)),
                  filters = tensors_random(t, TENSOR_BF16, S(4, 3, 3, 3)),
                  made = tensors_zeros(t, TENSOR_BF16, S(2, 5, 5, 4));
    op_conv(t->backend, &window, &narrow, &filters, NULL, ACTIVATION_NONE, &made);
    for (int i = 0; i < 3; i++) {
        backend_begin_step(t->backend, 2);
        op_conv(t->backend, &window, &x, &w, NULL, ACTIVATION_RELU, &y);
        op_dense(t->backend, &y, &v, &b, ACTIVATION_NONE, &z);
        op_copy(t->backend, &y, &x);
        backend_end_step(t->backend);
    }
    tensors_result(t, &made);
    tensors_result(t, &z);
}

static bool agrees(const struct tensors *a, const struct tensors *b)
{
    bool same = a->result_count == b->result_count;
    for (size_t i = 0; same && i < a->result_count; i++)
        same = fabs(a->results[i] - b->results[i]) <= 0.02 * fmax(1, fabs(b->results[i]));
    return same;
}

/* As a trainer does: who can't be served says why. */
static void refuse(const struct err *err)
{
    fprintf(stderr, "refused: %s\n", err->text);
    _exit(REFUSED);
}

static void train(void)
{
    struct err err = {""};
    struct tensors ours = {.rng = rng_make(1, "failures", 0)}, plain;
    ours.backend = backend_create(backend_list[0], &err);
    if (!ours.backend)
        refuse(&err);
    void *memory = ours.backend->kind->allocate(ours.backend->self, 1 << 20, &err);
    if (!memory)
        refuse(&err);
    ours.backend->kind->release(ours.backend->self, memory);
    const float numbers[4] = {1, 2, 3, 4};
    void *shared = ours.backend->kind->share(ours.backend->self, numbers, sizeof numbers, &err);
    if (!shared)
        refuse(&err);
    ours.backend->kind->unshare(ours.backend->self, shared);
    work(&ours);
    tensors_open(&plain, &backend_ref, 0);
    plain.rng = rng_make(1, "failures", 0);
    work(&plain);
    bool right = agrees(&ours, &plain);
    tensors_close(&ours);
    _exit(right ? RIGHT : WRONG);
}

/* Whether it may end so. */
static bool is_fair(int status, const char *said)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGABRT && strstr(said, "gannet: the GPU can't ") != NULL;
    return WEXITSTATUS(status) == RIGHT || (WEXITSTATUS(status) == REFUSED && strlen(said) > 20);
}

/* Runs with this failure; whether it came to be. */
static void check_failure(const char *options, char *said, size_t size)
{
    int status = apart_run(train, options, said, size);
    if (!is_fair(status, said))
        fail_msg("%s: status %#x, said: %s", options, (unsigned)status, said);
}

/* How many calls, or kernels, a whole run has. */
static size_t count_calls(size_t (*counted)(void))
{
    int ends[2];
    size_t count = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        fake_cuda_set("");
        struct tensors t;
        tensors_open(&t, backend_list[0], 0);
        work(&t);
        tensors_close(&t);
        count = counted();
        _exit(write(ends[1], &count, sizeof count) == sizeof count ? 0 : 1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &count, sizeof count), sizeof count);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return count;
}

static void a_run_without_failures_is_right(void **state)
{
    (void)state;
    char said[4000];
    int status = apart_run(train, "", said, sizeof said);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != RIGHT)
        fail_msg("status %#x, said: %s", (unsigned)status, said);
}

static void each_call_that_fails_ends_the_process_with_a_sentence(void **state)
{
    (void)state;
    char options[60], said[4000];
    size_t calls = count_calls(fake_cuda_calls);
    assert_true(calls > 100);
    for (size_t n = 1; n <= calls; n++) {
        snprintf(options, sizeof options, "fail=%zu", n);
        check_failure(options, said, sizeof said);
    }
}

/* What a GPU says that broke: of memory (Xid 48), of an address (31), fallen off the bus (79). */
static void a_kernel_that_faults_ends_the_process_with_a_sentence(void **state)
{
    (void)state;
    static const int codes[] = {700, 214, 719, 999, 702};
    static const char *const sentences[] = {"an illegal memory access", "uncorrectable ECC error",
                                            "unspecified launch failure", "unknown error", "the launch timed out"};
    char options[60], said[4000];
    size_t kernels = count_calls(fake_cuda_kernels);
    assert_true(kernels > 3);
    for (size_t n = 1; n <= kernels; n++) {
        snprintf(options, sizeof options, "fault=%zu:%d", n, codes[n % 5]);
        int status = apart_run(train, options, said, sizeof said);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, "gannet: the GPU can't ") ||
            !strstr(said, sentences[n % 5]))
            fail_msg("%s: status %#x, said: %s", options, (unsigned)status, said);
    }
}

static void memory_that_is_not_there_has_the_words_of_its_ending(void **state)
{
    (void)state;
    char options[60], said[4000];
    for (size_t memory = 0; memory < 40 << 20; memory += memory ? memory : 1000) {
        snprintf(options, sizeof options, "memory=%zu", memory);
        int status = apart_run(train, options, said, sizeof said);
        bool refused = WIFEXITED(status) && WEXITSTATUS(status) == REFUSED;
        bool ended = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
        bool right = WIFEXITED(status) && WEXITSTATUS(status) == RIGHT;
        if (!right && (!(refused || ended) || (!strstr(said, BACKEND_GPU_FULL) && !strstr(said, "pinned memory"))))
            if (!strstr(said, "made.at")) /* tests/tensors.c says it of what it is not given */
                fail_msg("%s: status %#x, said: %s", options, (unsigned)status, said);
    }
}

static void who_has_no_gpu_is_told(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"gpus=0", "finds no GPU"},
        {"driver=old", "one that is older than the CUDA"},
        {"fail=cudaSetDevice:1:46", "busy or unavailable"},
    };
    char said[4000];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = apart_run(train, cases[i][0], said, sizeof said);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != REFUSED || !strstr(said, cases[i][1]))
            fail_msg("%s: status %#x, said: %s", cases[i][0], (unsigned)status, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_without_failures_is_right),
        cmocka_unit_test(each_call_that_fails_ends_the_process_with_a_sentence),
        cmocka_unit_test(a_kernel_that_faults_ends_the_process_with_a_sentence),
        cmocka_unit_test(memory_that_is_not_there_has_the_words_of_its_ending),
        cmocka_unit_test(who_has_no_gpu_is_told),
    };
    return cmocka_run_group_tests_name("failures of a GPU", tests, NULL, NULL);
}
