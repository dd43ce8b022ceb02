/* libslurm behind the interface (scheduler/slurm/interface.h): its one symbol, the beginning - configuration,
 * controller, partitions - and what is done to jobs that were submitted. */
#include "scheduler/slurm/module/module.h"

#include <errno.h>
#include <signal.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "22.05.8" of the headers' number. */
#define DIGITS(n) '0' + (n) / 10, '0' + (n) % 10
#define MICRO     SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER)
static const char built_for[] = {DIGITS(SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER)),
                                 '.',
                                 DIGITS(SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER)),
                                 '.',
                                 '0' + (MICRO < 10 ? MICRO : MICRO / 10),
                                 MICRO < 10 ? '\0' : '0' + MICRO % 10,
                                 '\0'};

/* The major number of libslurm for each Slurm: its structs are those of one alone. 0: not known to us. */
#if SLURM_HAS(26, 11)
#define LIBRARY_WANTED 0
#elif SLURM_HAS(26, 5)
#define LIBRARY_WANTED 45
#elif SLURM_HAS(25, 11)
#define LIBRARY_WANTED 44
#elif SLURM_HAS(25, 5)
#define LIBRARY_WANTED 43
#elif SLURM_HAS(24, 11)
#define LIBRARY_WANTED 42
#elif SLURM_HAS(24, 5)
#define LIBRARY_WANTED 41
#elif SLURM_HAS(23, 11)
#define LIBRARY_WANTED 40
#elif SLURM_HAS(23, 2)
#define LIBRARY_WANTED 39
#elif SLURM_HAS(22, 5)
#define LIBRARY_WANTED 38
#else
#error "gannet's Slurm module needs Slurm 22.05 or later"
#endif

static const char *library_version(void)
{
    static _Thread_local char text[32];
    long version = slurm_api_version();
    snprintf(text, sizeof text, "%ld.%ld.%ld", SLURM_VERSION_MAJOR(version), SLURM_VERSION_MINOR(version),
             SLURM_VERSION_MICRO(version));
    return text;
}

static int open_library(struct slurm_error *error)
{
    long found = SLURM_VERSION_MAJOR(slurm_api_version());
    const char *file = getenv("SLURM_CONF");
    if (LIBRARY_WANTED && found != LIBRARY_WANTED) {
        snprintf(error->text, sizeof error->text,
                 "this module was built for Slurm %s (libslurm.so.%d), but libslurm is %s here; build it here: make",
                 built_for, LIBRARY_WANTED, library_version());
        return -1;
    }
    /* libslurm would wait a minute for the file, then end the process. */
    if (file && access(file, R_OK)) {
        snprintf(error->text, sizeof error->text, "SLURM_CONF names %.300s: %s", file, strerror(errno));
        return -1;
    }
    slurm_init(NULL);
    return 0;
}

static int ping_controller(struct slurm_error *error)
{
    return words_result(slurm_ping(0), error);
}

static int list_partitions(char *out, uint32_t size, struct slurm_error *error)
{
    partition_info_msg_t *found = NULL;
    size_t length = 0;
    if (words_result(slurm_load_partitions(0, &found, 0), error))
        return -1;
    *out = '\0';
    for (uint32_t i = 0; i < found->record_count && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? "," : "", found->partition_array[i].name);
    slurm_free_partition_info_msg(found);
    return 0;
}

/* --- jobs that were submitted --- */

static int cancel_job(const char *which, int signal, struct slurm_error *error)
{
    int returned = signal ? slurm_kill_job2(which, (uint16_t)signal, KILL_JOB_BATCH, NULL)
                          : slurm_kill_job2(which, SIGKILL, 0, NULL); /* which is SIGTERM first */
    return returned && words_number(returned) == ESLURM_ALREADY_DONE ? 0 : words_result(returned, error);
}

static int requeue_job(uint32_t id, struct slurm_error *error)
{
    return words_result(slurm_requeue(JOB_NUMBER(id), 0), error);
}

/* A hold that the user, too, can end. */
static int hold_job(uint32_t id, bool hold, struct slurm_error *error)
{
    job_desc_msg_t change;
    module_begin_job(&change);
    JOB_NUMBER_OF(&change) = id;
    change.priority = hold ? 0 : INFINITE;
    if (hold)
        change.alloc_sid = ALLOC_SID_USER_HOLD;
    return words_result(slurm_update_job(&change), error);
}

static const struct slurm_module module = {
    .interface = SLURM_INTERFACE,
    .built_for = built_for,
    .library = library_version,
    .open = open_library,
    .ping = ping_controller,
    .submit = module_submit,
    .check = module_check,
    .job = module_job,
    .find = module_find,
    .cancel = cancel_job,
    .requeue = requeue_job,
    .hold = hold_job,
    .partitions = list_partitions,
};

extern const struct slurm_module *const gannet_slurm_module;
const struct slurm_module *const gannet_slurm_module = &module;
