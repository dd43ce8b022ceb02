/* Strategies and outside programs behind one door; see player.h. */
#include "cli/bench/player.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

struct player {
    const struct objective *objective;
    struct searcher *searcher;
};

static struct searcher *make_searcher(const struct player_setup *setup, struct err *err)
{
    const struct spec *spec = objective_spec(setup->objective);
    struct searcher_setup searcher = {.space = spec->space,
                                      .strategy = setup->contender->name,
                                      .plugin = setup->contender->plugin,
                                      .options = setup->contender->options,
                                      .seed = setup->seed,
                                      .max_trials = setup->trials,
                                      .repeat = spec->strategy.repeat,
                                      .start = (const char *const *)spec->start,
                                      .start_count = spec->start_count};
    return searcher_create(&searcher, err);
}

struct player *player_create(const struct player_setup *setup, struct err *err)
{
    struct player *player = MEM_NEW(struct player);
    player->objective = setup->objective;
    player->searcher = make_searcher(setup, err);
    if (player->searcher)
        return player;
    player_destroy(player);
    return NULL;
}

void player_destroy(struct player *player)
{
    if (!player)
        return;
    searcher_destroy(player->searcher);
    free(player);
}

enum searcher_answer player_ask(struct player *player, uint64_t trial, json_t **params, struct err *err)
{
    struct proposal proposal;
    enum searcher_answer answer = searcher_ask(player->searcher, trial, &proposal, err);
    if (answer == SEARCHER_PROPOSED) {
        *params = json_loads(proposal.params, 0, NULL);
        free(proposal.params);
    }
    return answer;
}

int player_tell(struct player *player, uint64_t trial, enum ending ending, double value, double seconds,
                struct err *err)
{
    (void)err;
    searcher_tell(player->searcher, trial, ending, objective_loss(player->objective, value), seconds);
    return 0;
}
