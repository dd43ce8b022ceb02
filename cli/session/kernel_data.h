/* The data that a kernel's options name, read once before any trial starts, by gannet-trainer --check: what is damaged
 * would be found by every trial in turn otherwise. */
#ifndef GANNET_CLI_SESSION_KERNEL_DATA_H
#define GANNET_CLI_SESSION_KERNEL_DATA_H

#include "cli/session/program_check.h"

#include <jansson.h>
#include <sys/types.h>

/* What was seen; {0} is ready for use. */
struct kernel_data {
    char *summary; /* "1,797 examples of 64 inputs, 10 classes; ..."; NULL: nothing is known */
    pid_t reader;  /* a process that holds the data for the first trainer; 0: none */
    int asks;      /* a pipe whose end ends it */
    json_t *files; /* what the files hold, for data_record_write; NULL: none were looked at */
};

/* Reports data that no trial could train with: an error, or a warning when trials run on other nodes. A reader that
 * itself fails, killed or out of memory, is a warning: trials may have more room, and say what is the matter. While it
 * takes long a person at a terminal is told how far it is. */
void kernel_data_check(const json_t *catalog, const struct spec *spec, enum program_place place,
                       struct kernel_data *seen, struct problems *problems);

/* Ends what holds the data, and frees the rest. */
void kernel_data_fini(struct kernel_data *seen);

#endif
