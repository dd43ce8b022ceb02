/* Searches for tests; see searches.h. */
#include "tests/searches.h"
#include "search/registry.h"
#include "common/mem.h"
#include "common/path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *swap_quotes(const char *text, char from, char to)
{
    char *copy = mem_text(text);
    for (char *c = copy; c && *c; c++)
        *c = *c == from ? to : *c;
    return copy;
}

const char *searches_plugin(const char *name)
{
    static char path[4096];
    const char *given = getenv("GANNET_BUILD");
    char *here = path_program_directory(); /* build/tests/ROOM */
    char *build = given ? path_absolute(given) : path_join(here, "../..");
    snprintf(path, sizeof path, "%s/plugins/%s.so", build, name);
    if (!path_exists(path))
        snprintf(path, sizeof path, "%s/tests/plugins/%s.so", build, name);
    free(build);
    free(here);
    return path;
}

struct searcher *searches_try(const struct search *search, const struct space *space, uint64_t seed, struct err *err)
{
    char *options = swap_quotes(search->options ? search->options : "{}", '\'', '"');
    json_t *json = json_loads(options, JSON_DECODE_ANY, NULL);
    char *start[4];
    uint32_t count = 0;
    for (; count < 4 && search->start[count]; count++)
        start[count] = swap_quotes(search->start[count], '\'', '"');
    size_t past_count = 0;
    while (search->past && search->past[past_count].params)
        past_count++;
    struct searcher_setup setup = {.space = space,
                                   .strategy = search->strategy,
                                   .plugin = registry_find(search->strategy) ? NULL : searches_plugin(search->strategy),
                                   .options = json,
                                   .seed = seed,
                                   .repeat = search->repeat,
                                   .start = (const char *const *)start,
                                   .start_count = count,
                                   .past = search->past,
                                   .past_count = past_count,
                                   .objectives = search->objectives,
                                   .limits = search->limits,
                                   .max_steps = search->max_steps,
                                   .can_continue = search->can_continue};
    struct searcher *searcher = searcher_create(&setup, err);
    while (count > 0)
        free(start[--count]);
    json_decref(json);
    free(options);
    return searcher;
}

struct searcher *searches_make(const struct search *search, const struct space *space, uint64_t seed)
{
    struct err err = {{0}};
    struct searcher *searcher = searches_try(search, space, seed, &err);
    if (searcher)
        return searcher;
    fprintf(stderr, "tests/searches.c: %s: %s\n", search->strategy, err.text);
    abort();
}

char *searches_ask(struct searcher *searcher, uint64_t trial)
{
    struct proposal proposal;
    struct err err = {{0}};
    switch (searcher_ask(searcher, trial, &proposal, &err)) {
    case SEARCHER_PROPOSED: {
        char *params = swap_quotes(proposal.params, '"', '\'');
        free(proposal.params);
        return params;
    }
    case SEARCHER_NO_MORE:
        return mem_text("no more");
    case SEARCHER_LATER:
        return mem_text("later");
    case SEARCHER_BROKEN:
        break;
    }
    return mem_format("broken: %s", err.text);
}

void searches_point(struct searcher *searcher, const struct space *space, uint64_t trial, double *unit)
{
    struct proposal proposal;
    struct err err = {{0}};
    if (searcher_ask(searcher, trial, &proposal, &err) != SEARCHER_PROPOSED ||
        space_point_of_json(space, proposal.params, unit, &err)) {
        fprintf(stderr, "tests/searches.c: trial %llu: %s\n", (unsigned long long)trial, err.text);
        abort();
    }
    free(proposal.params);
}
