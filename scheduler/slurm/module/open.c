/* The beginning: configuration, controller, partitions. */
#include "scheduler/slurm/module/parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

const char *module_library(void)
{
    static _Thread_local char text[32];
    long version = slurm_api_version();
    snprintf(text, sizeof text, "%ld.%ld.%ld", SLURM_VERSION_MAJOR(version), SLURM_VERSION_MINOR(version),
             SLURM_VERSION_MICRO(version));
    return text;
}

int module_open(struct slurm_error *error)
{
    long found = SLURM_VERSION_MAJOR(slurm_api_version());
    const char *file = getenv("SLURM_CONF");
    if (LIBRARY_WANTED && found != LIBRARY_WANTED) {
        snprintf(error->text, sizeof error->text,
                 "this module was built for Slurm %s (libslurm.so.%d), but libslurm is %s here; build it here: make",
                 module_built_for, LIBRARY_WANTED, module_library());
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

int module_ping(struct slurm_error *error)
{
    int returned = slurm_ping(0);
    return returned ? words_error(returned, error) : 0;
}

int module_partitions(char *out, uint32_t size, struct slurm_error *error)
{
    partition_info_msg_t *found = NULL;
    size_t length = 0;
    int returned = slurm_load_partitions(0, &found, 0);
    if (returned)
        return words_error(returned, error);
    *out = '\0';
    for (uint32_t i = 0; i < found->record_count && length < size; i++)
        length += (size_t)snprintf(out + length, size - length, "%s%s", i ? "," : "", found->partition_array[i].name);
    slurm_free_partition_info_msg(found);
    return 0;
}
