/* An outside program as a strategy: any program that reads and writes lines of JSON (docs/bench.md has all of them).
 *
 *     to the program                                            from it
 *     {"start": {"seed": 1, "parameters": [...], ...}}
 *     {"ask": 1}                                                {"params": {"lr": 0.1, ...}}
 *     {"tell": 1, "params": {...}, "loss": 0.3, ...}
 *     {"ask": 2}                                                {"later": true}, {"no_more": true} or {"error": "..."}
 *     end of file                                               it ends
 *
 * Its error output is ours. A program that writes anything else, or ends, ends its search with a sentence. */
#ifndef GANNET_CLI_BENCH_EXTERNAL_H
#define GANNET_CLI_BENCH_EXTERNAL_H

#include "common/err.h"
#include "search/searcher.h"

#include <jansson.h>
#include <stdatomic.h>

struct external;

/* Starts a command line of the shell and sends it `start` (taken over). While its answer is awaited, *stop becoming
 * true gives up. NULL with a sentence. */
struct external *external_start(const char *command, json_t *start, const atomic_bool *stop, struct err *err);

/* Closes its input, gives it a second to end, and kills what is left of it. NULL is fine. */
void external_stop(struct external *outside);

/* Sends a line; takes the JSON over. -1 with a sentence: the program is gone. */
int external_send(struct external *outside, json_t *json, struct err *err);

/* Asks for a trial's configuration; *params is the caller's, as the program wrote it. */
enum searcher_answer external_ask(struct external *outside, uint64_t trial, json_t **params, struct err *err);

/* The space as such programs are told it: an array of parameters. */
json_t *external_parameters(const struct space *space);

#endif
