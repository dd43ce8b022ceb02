/* Simulated seconds, and things that go wrong on purpose; see fault.h. */
#include "worker/kernels/fault.h"

#include "common/rng.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The options' names, by enum fault. */
static const char *const names[] = {"refuse", "crash", "exit", "hang", "leak", "diverge"};

static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGKILL, SIGTERM}; /* as in synth's table */

static int check_when(const char *name, const json_t *when, struct err *err)
{
    double probability = json_number_value(when);
    if (json_is_number(when) && (probability < 0 || probability > 1))
        return err_set(err, "the option '%s' is %g; a probability is from 0 to 1", name, probability);
    for (size_t i = 0; i < json_array_size(when); i++)
        if (!json_is_integer(json_array_get(when, i)))
            return err_set(err, "the option '%s' must hold numbers of trials, as in [3, 7]", name);
    return 0;
}

int faults_read(struct faults *faults, const struct kernel_settings *settings, struct err *err)
{
    for (int i = 0; i < FAULT_NONE; i++) {
        faults->when[i] = kernel_settings_given(settings, names[i]);
        if (check_when(names[i], faults->when[i], err))
            return -1;
    }
    faults->attempts = kernel_settings_integer(settings, "mishap_attempts");
    faults->step = kernel_settings_integer(settings, "mishap_step");
    faults->leak_bytes = kernel_settings_integer(settings, "leak_bytes");
    faults->signal = signals[kernel_settings_word(settings, "crash_signal")];
    faults->status = (int)kernel_settings_integer(settings, "exit_status");
    return 0;
}

static bool fault_happens(const json_t *when, const char *name, const struct kernel_trial *trial)
{
    if (json_is_number(when)) {
        struct rng rng = rng_make(trial->seed, name, 0);
        return rng_unit(&rng) < json_number_value(when);
    }
    for (size_t i = 0; i < json_array_size(when); i++)
        if ((uint64_t)json_integer_value(json_array_get(when, i)) == trial->number)
            return true;
    return false;
}

enum fault faults_draw(const struct faults *faults, const struct kernel_trial *trial)
{
    if (faults->attempts && trial->attempt > faults->attempts)
        return FAULT_NONE;
    enum fault fault = 0;
    while (fault < FAULT_NONE && !(faults->when[fault] && fault_happens(faults->when[fault], names[fault], trial)))
        fault++;
    return fault;
}

/* Memory that stays, resident at once. Mapped, so that tools that look for our own leaks don't see it. */
static void leak_memory(size_t bytes)
{
    if (mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
        fprintf(stderr, "synth: can't leak %zu bytes: %s\n", bytes, strerror(errno));
}

void fault_happen(const struct faults *faults, enum fault fault)
{
    fprintf(stderr, "synth: as the option '%s' wants it\n", names[fault]);
    switch (fault) {
    case FAULT_CRASH:
        signal(faults->signal, SIG_DFL);
        raise(faults->signal);
        break;
    case FAULT_EXIT:
        exit(faults->status);
    case FAULT_HANG:
        for (;;)
            pause();
    case FAULT_LEAK:
        leak_memory((size_t)faults->leak_bytes);
        break;
    case FAULT_REFUSE:
    case FAULT_DIVERGE:
    case FAULT_NONE:
        break;
    }
}

void fault_pace(double seconds)
{
    if (!(seconds > 0))
        return;
    struct timespec rest = {.tv_sec = (time_t)seconds};
    rest.tv_nsec = (long)((seconds - (double)rest.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR)
        ;
}
