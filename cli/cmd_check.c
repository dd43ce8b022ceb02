/* gannet check: reads an experiment file and shows what it means, without starting anything. */
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/prepare.h"
#include "cli/program.h"
#include "cli/rerun.h"
#include "common/mem.h"
#include "search/searcher.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SAMPLES = 3, POINTS = 1000 };

/* --- the first trials --- */

static struct searcher *make_searcher(const struct spec *spec, struct err *err)
{
    struct searcher_setup setup = {.space = spec->space,
                                   .strategy = spec->strategy.name,
                                   .plugin = spec->strategy.plugin,
                                   .options = spec->strategy.options,
                                   .seed = spec->seed,
                                   .max_trials = spec->limits.max_trials,
                                   .repeat = spec->strategy.repeat,
                                   .start = (const char *const *)spec->start,
                                   .start_count = spec->start_count};
    return searcher_create(&setup, err);
}

static json_t *sample_of(const struct spec *spec, uint64_t number, struct proposal *proposal)
{
    json_t *trial = json_object();
    struct buf command = {0};
    json_object_set_new(trial, "trial", json_integer((json_int_t)number));
    json_object_set_new(trial, "params", json_loads(proposal->params, 0, NULL));
    rerun_add(spec, trial, &command);
    json_object_set_new(trial, "command", json_string(buf_str(&command)));
    buf_fini(&command);
    free(proposal->params);
    return trial;
}

/* The trials that the strategy proposes first: an array of {trial, params, command}; NULL with a sentence. */
static json_t *sample(const struct spec *spec, struct err *err)
{
    struct searcher *searcher = make_searcher(spec, err);
    if (!searcher)
        return NULL;
    json_t *trials = json_array();
    for (uint64_t number = 1; number <= SAMPLES; number++) {
        struct proposal proposal = {0};
        enum searcher_answer answer = searcher_ask(searcher, number, &proposal, err);
        if (answer == SEARCHER_PROPOSED)
            json_array_append_new(trials, sample_of(spec, number, &proposal));
        if (answer == SEARCHER_BROKEN) {
            json_decref(trials);
            trials = NULL;
        }
        if (answer != SEARCHER_PROPOSED)
            break;
    }
    searcher_destroy(searcher);
    return trials;
}

/* --- for people --- */

static void add_space(const struct spec *spec, struct buf *out)
{
    buf_text(out, "\n# The space: ");
    describe_size(spec->space, out);
    buf_text(out, "\n");
    for (uint32_t i = 0; i < space_count(spec->space); i++) {
        const struct param *param = space_param(spec->space, i);
        struct buf name = {0};
        format_safe(param->name, &name);
        buf_format(out, "#   %-14s ", buf_str(&name));
        describe_param(spec->space, param, out);
        buf_text(out, "\n");
        buf_fini(&name);
    }
    uint32_t constraints = space_constraint_count(spec->space);
    if (constraints) {
        buf_text(out, "#   ");
        format_count(constraints, "constraint", out);
        buf_format(out, ", which forbid%s %.1f %% of %d random points\n", constraints == 1 ? "s" : "",
                   100 * describe_rejection(spec->space, spec->seed, POINTS), POINTS);
    }
}

static void add_samples(const struct spec *spec, const json_t *trials, struct buf *out)
{
    size_t index;
    const json_t *trial;
    buf_format(out, "\n# The first trials (strategy %s, ", spec->strategy.name);
    if (spec->has_seed)
        buf_format(out, "seed %" PRIu64 ")\n", spec->seed);
    else
        buf_text(out, "an example: without `seed:` each experiment draws its own)\n");
    json_array_foreach(trials, index, trial)
    {
        buf_text(out, "#   ");
        json_show(json_object_get(trial, "trial"), out);
        buf_text(out, "  ");
        format_params(json_object_get(trial, "params"), " ", out);
        buf_format(out, "\n#      %s\n", json_text(trial, "command"));
    }
}
