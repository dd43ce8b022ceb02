/* A trial's parameters as numbers: read once from their JSON, so that a forecast needs none. */
#ifndef GANNET_SCHEDULER_CORE_CONFIGURATION_H
#define GANNET_SCHEDULER_CORE_CONFIGURATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct configuration_value {
    uint64_t name;   /* the hash of the parameter's name */
    uint64_t choice; /* the hash of its JSON; 0: it is a number */
    double number;   /* 0 for a choice */
};

struct configuration {
    size_t count;
    struct configuration_value values[];
};

/* Reads a JSON object; anything else has no values. Freed with free. */
struct configuration *configuration_read(const char *params);

/* The value of that name, looked for at `hint` first; NULL: there is none. */
const struct configuration_value *configuration_find(const struct configuration *configuration, uint64_t name,
                                                     size_t hint);

#endif
