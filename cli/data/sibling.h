/* Our other programs, asked a question: gannet-trainer --kernels, gannet-worker --show-slots. */
#ifndef GANNET_CLI_DATA_SIBLING_H
#define GANNET_CLI_DATA_SIBLING_H

#include "common/err.h"

#include <jansson.h>

/* Runs a program of our own directory with these arguments (a NULL at the end) and reads the JSON that it prints. NULL
 * with a sentence: its own, when it failed. */
json_t *program_ask(const char *program, const char *const *arguments, struct err *err);

#endif
