/* Runs something in a process of its own; see apart.h. */
#include "tests/cuda/apart.h"

#include "tests/claims.h"
#include "tests/cuda/fake_cuda.h"

#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 120 /* seconds, after which it hangs */ };

static void begin(int out, const char *options)
{
    const int ours[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}; /* as cmocka found them */
    const struct rlimit none = {0, 0};
    dup2(out, STDERR_FILENO);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        signal(ours[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &none);
    alarm(PATIENCE);
    fake_cuda_set(options);
}

int apart_run(void (*run)(void), const char *options, char *said, size_t size)
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        begin(ends[1], options);
        run();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length < size - 1 && (got = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    waitpid(child, &status, 0);
    return status;
}
