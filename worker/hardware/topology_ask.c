/* Asks NVIDIA's driver for its GPUs with a bound; see topology_gpus.h.
 *
 *     gpus_ask_driver                        thread
 *     starts it, waits            -->        opens the library, reads the GPUs
 *     takes what it read          <--        done, and ends
 *     or gives up                            goes on when the driver answers, and frees what both had */
#include "common/clock.h"
#include "common/mem.h"
#include "worker/hardware/gpu_fault.h"
#include "worker/hardware/topology_gpus.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

/* What the two have in common: whoever leaves it last frees it. */
struct question {
    bool (*open)(struct nvml *nvml);
    char *devices;
    struct topology found; /* its GPUs alone; the thread's until it is done */
    bool is_open;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool is_done, is_given_up;
};

static void destroy_question(struct question *question)
{
    topology_fini(&question->found);
    pthread_cond_destroy(&question->changed);
    pthread_mutex_destroy(&question->lock);
    free(question->devices);
    free(question);
}

static void *run_thread(void *context)
{
    struct question *question = context;
    struct nvml nvml;
    char words[160];
    question->is_open = question->open(&nvml);
    if (question->is_open) {
        gpus_from_driver(&question->found, &nvml, question->devices);
        nvml_close(&nvml);
    } else if (nvml.refused) {
        texts_add(&question->found.gpu_notes, mem_format("the driver's library (libnvidia-ml.so.1) does not start: %s",
                                                         gpu_code_words(nvml.refused, words, sizeof words)));
    }
    pthread_mutex_lock(&question->lock);
    question->is_done = true;
    bool is_given_up = question->is_given_up;
    pthread_cond_signal(&question->changed);
    pthread_mutex_unlock(&question->lock);
    if (is_given_up)
        destroy_question(question);
    return NULL;
}

static struct question *create_question(bool (*open)(struct nvml *nvml), const char *devices)
{
    struct question *question = MEM_NEW(struct question);
    pthread_condattr_t clock;
    question->open = open;
    question->devices = mem_text(devices);
    pthread_mutex_init(&question->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&question->changed, &clock);
    pthread_condattr_destroy(&clock);
    return question;
}

/* Signals are our own. */
static bool start_thread(struct question *question, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool is_started = pthread_create(thread, NULL, run_thread, question) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}

/* Whether it was done in time; else the thread has the question from now on. */
static bool wait_for_thread(struct question *question, double patience)
{
    double until = clock_monotonic() + patience;
    struct timespec at = {.tv_sec = (time_t)until, .tv_nsec = (long)((until - (double)(time_t)until) * 1e9)};
    pthread_mutex_lock(&question->lock);
    while (!question->is_done && clock_monotonic() < until)
        pthread_cond_timedwait(&question->changed, &question->lock, &at);
    bool is_done = question->is_done;
    question->is_given_up = !is_done;
    pthread_mutex_unlock(&question->lock);
    return is_done;
}

/* Of what was found; all of it is the topology's then. */
static void take_found(struct topology *topology, struct topology *found)
{
    for (uint32_t i = 0; i < found->gpu_count; i++) {
        topology->gpus = mem_resize(topology->gpus, topology->gpu_count + 1, sizeof *topology->gpus);
        topology->gpus[topology->gpu_count++] = found->gpus[i];
    }
    found->gpu_count = 0;
    texts_add_all(&topology->gpu_notes, (const char *const *)found->gpu_notes.items);
    free(topology->driver);
    topology->driver = found->driver;
    found->driver = NULL;
}

bool gpus_ask_driver(struct topology *topology, bool (*open)(struct nvml *nvml), const char *devices, double patience)
{
    struct question *question = create_question(open, devices);
    pthread_t thread;
    if (!start_thread(question, &thread)) {
        destroy_question(question);
        return false;
    }
    if (!wait_for_thread(question, patience)) {
        pthread_detach(thread);
        texts_add(&topology->gpu_notes,
                  mem_format("the driver's library (libnvidia-ml.so.1) has not answered for %.0f s, so no GPU is "
                             "offered; nvidia-smi may hang, too, and the kernel's log (dmesg) say why",
                             patience));
        return false;
    }
    pthread_join(thread, NULL);
    bool is_open = question->is_open;
    take_found(topology, &question->found);
    destroy_question(question);
    return is_open;
}
