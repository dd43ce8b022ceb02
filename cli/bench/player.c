/* Strategies and outside programs behind one door; see player.h. */
#include "cli/bench/player.h"
#include "cli/bench/outside.h"
#include "common/json.h"
#include "common/map.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

struct player {
    const struct objective *objective;
    struct searcher *searcher; /* NULL: it is an outside program */
    struct outside *outside;
    struct map live; /* of an outside program: trial -> its params, until it is told */
    double *unit;    /* room for a point */
};

/* --- making one --- */

static struct searcher *make_searcher(const struct player_setup *setup, struct err *err)
{
    const struct spec *spec = objective_spec(setup->objective);
    struct searcher_setup searcher = {.space = spec->space,
                                      .strategy = setup->contender->name,
                                      .plugin = setup->contender->plugin,
                                      .options = setup->contender->options,
                                      .seed = setup->seed,
                                      .max_trials = setup->trials,
                                      .max_steps = setup->steps,
                                      .repeat = spec->strategy.repeat,
                                      .start = (const char *const *)spec->start,
                                      .start_count = spec->start_count};
    return searcher_create(&searcher, err);
}

static json_t *start_json(const struct player_setup *setup)
{
    const struct spec *spec = objective_spec(setup->objective);
    json_t *start = json_object(), *constraints = json_array();
    for (uint32_t i = 0; i < space_constraint_count(spec->space); i++)
        json_array_append_new(constraints, json_string(space_constraint(spec->space, i)));
    json_object_set_new(start, "table", json_string(objective_name(setup->objective)));
    json_object_set_new(start, "seed", json_of_u64(setup->seed));
    json_object_set_new(start, "trials", json_of_u64(setup->trials));
    json_object_set_new(start, "steps", json_of_u64(setup->steps));
    json_object_set_new(start, "workers", json_of_u64(setup->workers));
    json_object_set_new(start, "parameters", outside_parameters(spec->space));
    json_object_set_new(start, "constraints", constraints);
    return start;
}

struct player *player_create(const struct player_setup *setup, struct err *err)
{
    struct player *player = MEM_NEW(struct player);
    player->objective = setup->objective;
    player->unit = MEM_ARRAY(double, space_dimension(objective_spec(setup->objective)->space) + 1);
    if (setup->contender->command)
        player->outside = outside_start(setup->contender->command, start_json(setup), setup->stop, err);
    else
        player->searcher = make_searcher(setup, err);
    if (player->searcher || player->outside)
        return player;
    player_destroy(player);
    return NULL;
}

void player_destroy(struct player *player)
{
    if (!player)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&player->live, &at, &entry);)
        json_decref(entry.value);
    map_fini(&player->live);
    outside_stop(player->outside);
    searcher_destroy(player->searcher);
    free(player->unit);
    free(player);
}

/* --- playing --- */

static enum searcher_answer ask_searcher(struct player *player, uint64_t trial, json_t **params, struct err *err)
{
    struct proposal proposal;
    enum searcher_answer answer = searcher_ask(player->searcher, trial, &proposal, err);
    if (answer == SEARCHER_PROPOSED) {
        *params = json_loads(proposal.params, 0, NULL);
        free(proposal.params);
    }
    return answer;
}

/* The configuration of the space that an outside program's answer stands for, which is taken over: ranges checked,
 * numbers rounded, what is inactive left out. NULL with a sentence. */
static json_t *canonical(struct player *player, json_t *answer, struct err *err)
{
    const struct space *space = objective_spec(player->objective)->space;
    char *text = json_dumps(answer, 0);
    json_decref(answer);
    int failed = space_point_of_json(space, text, player->unit, err);
    free(text);
    if (failed)
        return NULL;
    int64_t violated = space_violated(space, player->unit);
    if (violated >= 0) {
        err_write(err, "it violates the constraint '%s'", space_constraint(space, (uint32_t)violated));
        return NULL;
    }
    struct buf config = {0};
    space_json(space, player->unit, &config);
    json_t *params = json_loads(buf_str(&config), 0, NULL);
    buf_fini(&config);
    return params;
}

static enum searcher_answer ask_outside(struct player *player, uint64_t trial, json_t **params, struct err *err)
{
    json_t *written;
    enum searcher_answer answer = outside_ask(player->outside, trial, &written, err);
    if (answer == SEARCHER_LATER && !player->live.count) {
        err_write(err, "the program wants to wait for a trial, but none runs");
        return SEARCHER_BROKEN;
    }
    if (answer != SEARCHER_PROPOSED)
        return answer;
    *params = canonical(player, written, err);
    if (!*params) {
        err_write_prefix(err, "the answer for trial %llu", (unsigned long long)trial);
        return SEARCHER_BROKEN;
    }
    json_decref(map_put(&player->live, trial, json_incref(*params)));
    return answer;
}

enum searcher_answer player_ask(struct player *player, uint64_t trial, json_t **params, struct err *err)
{
    return player->searcher ? ask_searcher(player, trial, params, err) : ask_outside(player, trial, params, err);
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* {"tell": 7, ...} or {"observe": 7, ...}; takes params over. */
static int tell_outside(struct player *player, const char *verb, uint64_t trial, json_t *params,
                        const struct told *told, struct err *err)
{
    json_t *line = json_object();
    json_object_set_new(line, verb, json_of_u64(trial));
    json_object_set_new(line, "params", params);
    json_object_set_new(line, "failed", json_boolean(!isfinite(told->value)));
    json_object_set_new(line, "value", number_or_null(told->value));
    json_object_set_new(line, "loss", number_or_null(objective_loss(player->objective, told->value)));
    json_object_set_new(line, "seconds", number_or_null(told->seconds));
    json_object_set_new(line, "step", json_of_u64(told->step));
    return outside_send(player->outside, line, err);
}

static struct measures measures_of(const struct told *told, const double *loss)
{
    return (struct measures){.losses = loss, .seconds = told->seconds, .energy = NAN, .step = told->step};
}

int player_tell(struct player *player, uint64_t trial, const struct told *told, struct err *err)
{
    if (player->outside)
        return tell_outside(player, "tell", trial, map_remove(&player->live, trial), told, err);
    double loss = objective_loss(player->objective, told->value);
    struct measures measures = measures_of(told, &loss);
    searcher_tell_all(player->searcher, trial, told->ending, &measures);
    return 0;
}

int player_observe(struct player *player, uint64_t trial, const struct told *so_far, struct err *err)
{
    if (player->outside)
        return tell_outside(player, "observe", trial, json_incref(map_get(&player->live, trial)), so_far, err);
    double loss = objective_loss(player->objective, so_far->value);
    struct measures measures = measures_of(so_far, &loss);
    searcher_observe(player->searcher, trial, &measures);
    return 0;
}
