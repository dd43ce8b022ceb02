/* Strategies and outside programs behind one listener; see driver.h. */
#include "cli/bench/driver.h"
#include "cli/bench/external.h"
#include "common/json.h"
#include "common/map.h"
#include "common/mem.h"

#include <math.h>
#include <stdlib.h>

struct driver {
    const struct bench_objective *objective;
    struct searcher *searcher; /* NULL: it is an outside program */
    struct external *outside;
    struct map live; /* of an outside program: trial -> its params, until it is told */
    double *unit;    /* memory for a point */
};

/* --- making one --- */

static struct searcher *make_searcher(const struct driver_setup *setup, struct err *err)
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

static json_t *start_json(const struct driver_setup *setup)
{
    const struct spec *spec = objective_spec(setup->objective);
    json_t *constraints = json_array();
    for (uint32_t i = 0; i < space_constraint_count(spec->space); i++)
        json_array_append_new(constraints, json_string(space_constraint(spec->space, i)));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "table", json_of_text(objective_name(setup->objective)),
                     "seed", json_of_u64(setup->seed), "trials", json_of_u64(setup->trials), "steps",
                     json_of_u64(setup->steps), "workers", json_of_u64(setup->workers), "parameters",
                     external_parameters(spec->space), "constraints", constraints);
}

struct driver *driver_create(const struct driver_setup *setup, struct err *err)
{
    struct driver *driver = MEM_NEW(struct driver);
    driver->objective = setup->objective;
    driver->unit = MEM_ARRAY(double, space_dimension(objective_spec(setup->objective)->space) + 1);
    if (setup->contender->command)
        driver->outside = external_start(setup->contender->command, start_json(setup), setup->stop, err);
    else
        driver->searcher = make_searcher(setup, err);
    if (driver->searcher || driver->outside)
        return driver;
    driver_destroy(driver);
    return NULL;
}

void driver_destroy(struct driver *driver)
{
    if (!driver)
        return;
    struct map_entry entry;
    for (size_t at = 0; map_next(&driver->live, &at, &entry);)
        json_decref(entry.value);
    map_fini(&driver->live);
    external_stop(driver->outside);
    searcher_destroy(driver->searcher);
    free(driver->unit);
    free(driver);
}

/* --- playing --- */

static enum searcher_answer ask_searcher(struct driver *driver, uint64_t trial, json_t **params, struct err *err)
{
    struct proposal proposal;
    enum searcher_answer answer = searcher_ask(driver->searcher, trial, &proposal, err);
    if (answer == SEARCHER_PROPOSED) {
        *params = json_loads(proposal.params, 0, NULL);
        free(proposal.params);
    }
    return answer;
}

/* The configuration of the space that an outside program's answer names; the answer is taken over: ranges checked,
 * numbers rounded, what is inactive left out. NULL with a sentence. */
static json_t *canonical_params(struct driver *driver, json_t *answer, struct err *err)
{
    const struct space *space = objective_spec(driver->objective)->space;
    char *text = json_dumps(answer, 0);
    json_decref(answer);
    int failed = space_point_of_json(space, text, driver->unit, err);
    free(text);
    if (failed)
        return NULL;
    int64_t violated = space_violated(space, driver->unit);
    if (violated >= 0) {
        err_write(err, "it violates the constraint '%s'", space_constraint(space, (uint32_t)violated));
        return NULL;
    }
    struct buf config = {0};
    space_json(space, driver->unit, &config);
    json_t *params = json_loads(buf_str(&config), 0, NULL);
    buf_fini(&config);
    return params;
}

static enum searcher_answer ask_outside(struct driver *driver, uint64_t trial, json_t **params, struct err *err)
{
    json_t *written;
    enum searcher_answer answer = external_ask(driver->outside, trial, &written, err);
    if (answer == SEARCHER_LATER && !driver->live.count) {
        err_write(err, "the program wants to wait for a trial, but none runs");
        return SEARCHER_BROKEN;
    }
    if (answer != SEARCHER_PROPOSED)
        return answer;
    *params = canonical_params(driver, written, err);
    if (!*params) {
        err_write_prefix(err, "the answer for trial %llu", (unsigned long long)trial);
        return SEARCHER_BROKEN;
    }
    json_decref(map_put(&driver->live, trial, json_incref(*params)));
    return answer;
}

enum searcher_answer driver_ask(struct driver *driver, uint64_t trial, json_t **params, struct err *err)
{
    return driver->searcher ? ask_searcher(driver, trial, params, err) : ask_outside(driver, trial, params, err);
}

static json_t *number_or_null(double number)
{
    return isfinite(number) ? json_real(number) : json_null();
}

/* {"tell": 7, ...} or {"observe": 7, ...}; takes params over. */
static int tell_outside(struct driver *driver, const char *verb, uint64_t trial, json_t *params,
                        const struct driver_result *told, struct err *err)
{
    double loss = objective_loss(driver->objective, told->value);
    json_t *line =
        json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o}", verb, json_of_u64(trial), "params", params, "failed",
                  !isfinite(told->value), "value", number_or_null(told->value), "loss", number_or_null(loss), "seconds",
                  number_or_null(told->seconds), "step", json_of_u64(told->step));
    return external_send(driver->outside, line, err);
}

static struct measures measures_of(const struct driver_result *told, const double *loss)
{
    return (struct measures){.losses = loss, .seconds = told->seconds, .energy = NAN, .step = told->step};
}

int driver_tell(struct driver *driver, uint64_t trial, const struct driver_result *told, struct err *err)
{
    if (driver->outside)
        return tell_outside(driver, "tell", trial, map_remove(&driver->live, trial), told, err);
    double loss = objective_loss(driver->objective, told->value);
    struct measures measures = measures_of(told, &loss);
    searcher_tell_all(driver->searcher, trial, told->ending, &measures);
    return 0;
}

int driver_observe(struct driver *driver, uint64_t trial, const struct driver_result *so_far, struct err *err)
{
    if (driver->outside)
        return tell_outside(driver, "observe", trial, json_incref(map_get(&driver->live, trial)), so_far, err);
    double loss = objective_loss(driver->objective, so_far->value);
    struct measures measures = measures_of(so_far, &loss);
    searcher_observe(driver->searcher, trial, &measures);
    return 0;
}
