/* A contender at work on one search: the same questions whether it is a strategy in this process or an outside
 * program. All calls from one thread. */
#ifndef GANNET_CLI_BENCH_PLAYER_H
#define GANNET_CLI_BENCH_PLAYER_H

#include "cli/bench/contender.h"
#include "cli/bench/objective.h"
#include "search/searcher.h"

#include <stdatomic.h>

struct player_setup {
    const struct contender *contender;
    const struct objective *objective;
    uint64_t seed, trials;
    uint32_t workers;
    const atomic_bool *stop; /* becomes true: an outside program is not waited for any longer */
};

struct player;

/* NULL with a sentence: an option that the strategy does not have, a space it can't search, a program that does not
 * start. */
struct player *player_create(const struct player_setup *setup, struct err *err);
void player_destroy(struct player *player); /* NULL is fine */

/* What trial `trial` is to try: *params is the caller's. As searcher_ask. */
enum searcher_answer player_ask(struct player *player, uint64_t trial, json_t **params, struct err *err);

/* What came of it; `value` in the metric's units. -1 with a sentence: an outside program is gone. */
int player_tell(struct player *player, uint64_t trial, enum ending ending, double value, double seconds,
                struct err *err);

#endif
