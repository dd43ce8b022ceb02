/* A row of a kernel's tables `options` and `params` in the catalogue, and whether what an experiment gives fits it. */
#ifndef GANNET_CLI_DATA_KERNEL_ROW_H
#define GANNET_CLI_DATA_KERNEL_ROW_H

#include "scheduler/spec/spec.h"

#include <jansson.h>

/* The row of that name, or the one "x*" that covers it; NULL: none. */
const json_t *kernel_row_find(const json_t *table, const char *name);

/* The row as it holds in the experiment's slots: a trial has no more threads than processors. NULL when there is none;
 * json_decref it. */
json_t *kernel_row_in_slot(const json_t *row, const struct spec *spec);

/* Adds "kernels that have it: cnn, resnet; ": those whose table ("options" or "params") has this very name. */
void kernel_row_owners(const json_t *catalog, const char *table, const char *name, struct buf *out);

/* Reports an option that the kernel would refuse, so that no trial could run. */
void kernel_row_check_option(const json_t *row, const char *name, const json_t *value, const char *key,
                             struct problems *problems);

/* Warns of values of a parameter that the kernel would refuse: those trials would end as bad_config. */
void kernel_row_check_param(const json_t *row, const struct param *param, const char *key, struct problems *problems);

#endif
