/* Things that go wrong on purpose; see mishap.h. */
#include "worker/kernels/mishap.h"

#include "common/rng.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The options' names, by enum mishap. */
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

int mishaps_read(struct mishaps *mishaps, const struct settings *settings, struct err *err)
{
    for (int i = 0; i < MISHAP_NONE; i++) {
        mishaps->when[i] = settings_given(settings, names[i]);
        if (check_when(names[i], mishaps->when[i], err))
            return -1;
    }
    mishaps->attempts = settings_integer(settings, "mishap_attempts");
    mishaps->step = settings_integer(settings, "mishap_step");
    mishaps->leak_bytes = settings_integer(settings, "leak_bytes");
    mishaps->signal = signals[settings_word(settings, "crash_signal")];
    mishaps->status = (int)settings_integer(settings, "exit_status");
    return 0;
}

static bool happens(const json_t *when, const char *name, const struct kernel_trial *trial)
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

enum mishap mishaps_draw(const struct mishaps *mishaps, const struct kernel_trial *trial)
{
    if (mishaps->attempts && trial->attempt > mishaps->attempts)
        return MISHAP_NONE;
    enum mishap mishap = 0;
    while (mishap < MISHAP_NONE && !(mishaps->when[mishap] && happens(mishaps->when[mishap], names[mishap], trial)))
        mishap++;
    return mishap;
}

/* Memory that stays, resident at once. Mapped, so that tools that look for our own leaks don't see it. */
static void leak(size_t bytes)
{
    if (mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0) == MAP_FAILED)
        fprintf(stderr, "synth: can't leak %zu bytes: %s\n", bytes, strerror(errno));
}

void mishap_happen(const struct mishaps *mishaps, enum mishap mishap)
{
    fprintf(stderr, "synth: as the option '%s' wants it\n", names[mishap]);
    switch (mishap) {
    case MISHAP_CRASH:
        signal(mishaps->signal, SIG_DFL);
        raise(mishaps->signal);
        break;
    case MISHAP_EXIT:
        exit(mishaps->status);
    case MISHAP_HANG:
        for (;;)
            pause();
    case MISHAP_LEAK:
        leak((size_t)mishaps->leak_bytes);
        break;
    case MISHAP_REFUSE:
    case MISHAP_DIVERGE:
    case MISHAP_NONE:
        break;
    }
}
