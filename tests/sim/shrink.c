/* What a world is to be like, in words, and a smaller world that breaks a promise, too; see sim.h. */
#include "tests/sim/sim.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[SIM_TROUBLE_COUNT] = {
#define X(ID, name, help) #name,
    SIM_TROUBLES(X)
#undef X
};

/* --- words --- */

void sim_options_print(const struct sim_options *options, struct buf *out)
{
    const char *before = " without=";
    buf_text(out, options->store ? "store" : "model");
    if (options->trials)
        buf_format(out, " trials=%u", options->trials);
    if (options->workers)
        buf_format(out, " workers=%u", options->workers);
    if (options->most_faults)
        buf_format(out, " faults=%u", options->most_faults);
    for (int i = 0; i < SIM_TROUBLE_COUNT; i++)
        if (options->without[i]) {
            buf_format(out, "%s%s", before, names[i]);
            before = ",";
        }
}

static int leave_out(struct sim_options *options, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        int found = -1;
        for (int i = 0; i < SIM_TROUBLE_COUNT; i++)
            if (strlen(names[i]) == length && strncmp(names[i], list, length) == 0)
                found = i;
        if (found < 0)
            return -1;
        options->without[found] = true;
        list += length + (list[length] == ',');
    }
    return 0;
}

int sim_options_read(struct sim_options *options, const char *word)
{
    struct sim_count {
        const char *name;
        uint32_t *count;
    } counts[] = {{"trials=", &options->trials}, {"workers=", &options->workers}, {"faults=", &options->most_faults}};
    bool store = strcmp(word, "store") == 0;
    if (store || strcmp(word, "model") == 0) {
        options->store = store;
        return 0;
    }
    if (strcmp(word, "trace") == 0) {
        options->trace = true;
        return 0;
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strncmp(word, counts[i].name, strlen(counts[i].name)) == 0) {
            *counts[i].count = (uint32_t)strtoul(word + strlen(counts[i].name), NULL, 10);
            return 0;
        }
    return strncmp(word, "without=", 8) == 0 ? leave_out(options, word + 8) : -1;
}

/* --- smaller --- */

/* Takes options of a smaller world over when a promise is broken there, too. */
static bool take_if_broken(uint64_t seed, struct sim_options *options, struct sim_outcome *out,
                           const struct sim_options *smaller)
{
    struct sim_outcome outcome;
    if (sim_run(seed, smaller, &outcome) == 0)
        return false;
    *options = *smaller;
    *out = outcome;
    return true;
}

/* Bisects one number of the options, which is `most` so far: where a promise is broken with more and is kept with
 * fewer. */
static void make_small(uint64_t seed, struct sim_options *options, struct sim_outcome *out, size_t member,
                       uint32_t most)
{
    for (uint32_t kept = 0, middle; kept + 1 < most;) {
        struct sim_options smaller = *options;
        middle = kept + (most - kept) / 2;
        memcpy((char *)&smaller + member, &middle, sizeof middle);
        if (take_if_broken(seed, options, out, &smaller))
            most = middle;
        else
            kept = middle;
    }
}

void sim_shrink(uint64_t seed, struct sim_options *options, struct sim_outcome *out)
{
    bool smaller = true;
    for (int rounds = 0; smaller && rounds < 3; rounds++) {
        smaller = false;
        for (int i = 0; i < SIM_TROUBLE_COUNT; i++) {
            struct sim_options without = *options;
            without.without[i] = true;
            if (!options->without[i])
                smaller |= take_if_broken(seed, options, out, &without);
        }
        make_small(seed, options, out, offsetof(struct sim_options, workers), out->workers);
        make_small(seed, options, out, offsetof(struct sim_options, trials), (uint32_t)out->trials);
        make_small(seed, options, out, offsetof(struct sim_options, most_faults), out->faults);
    }
}
